"""A comparison of rankers, drawn."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._checks import check_instance, shown
from skrank.plot.base import (
    BETTER,
    COLORS,
    NEITHER,
    WORSE,
    Display,
    direction_words,
    fit_text,
    words_of,
)
from skrank.stats.comparison import RankerComparison
from skrank.stats.paired_tests import is_two_sided

_RANKERS = ("ranker", "baseline")


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """The differences of rankers with their intervals, one below the other.

    A line is the confidence interval of one difference by itself. The colour of its
    point says what the test shows, with p-values adjusted for all comparisons. Where
    all pairs are compared, rankers that share a letter are not significantly different.

    Use :meth:`from_comparison` to make a display. All parameters are stored as
    attributes.

    Parameters
    ----------
    metric, ranker, baseline : list of str of length n_comparisons
        What is compared: the words of the metric, and the names of the two rankers.
    difference : array-like of shape (n_comparisons,)
        The differences, ranker minus baseline.
    low, high : array-like of shape (n_comparisons,)
        The ends of the intervals: infinite where there are too few queries, NaN where
        there is no interval.
    is_shown : array-like of bool of shape (n_comparisons,)
        Whether the test shows what it asks for.
    claim : str, default=None
        What the test asks for, such as "within 0.01 of 0". If None, whether there is a
        difference in either direction.
    greater_is_better : list of bool, default=None
        For each comparison whether larger values of the metric are better. If None,
        they are.
    letters : list of tuple of (str, str), default=None
        For each comparison the letters of the two rankers.
    margins : list of float, default=()
        The differences that the claim is about, if they are not 0.
    note : str, default=None
        What is written below the axis, such as the level of the intervals.

    Attributes
    ----------
    intervals_ : LineCollection
        The intervals.
    points_ : dict of str to Line2D
        The differences by what the test shows: "better", "worse" and "not told apart",
        or the claim and "not shown".
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure that contains the axes.

    See Also
    --------
    skrank.stats.compare_rankers : Compares rankers.
    skrank.plot.QueryDifferenceDisplay : The differences of two rankers by query.

    Notes
    -----
    All metrics share one axis: compare those on other scales, such as mean ranks, in a
    figure of their own. A new figure is as high as its rows need; axes that are given
    should be, too, where all pairs of many rankers are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.plot import ComparisonDisplay
    >>> from skrank.stats import compare_rankers
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> runs = {"old": y_true + 3 * rng.randn(600), "new": y_true + rng.randn(600)}
    >>> scores = score_queries(y_true, runs, ["ndcg", "hits@1"], qid=qid)
    >>> display = ComparisonDisplay.from_comparison(compare_rankers(scores))
    >>> display.metric
    ['NDCG', 'Hits@1']
    >>> display.is_shown
    array([ True, False])
    """

    metric: Sequence[str]
    ranker: Sequence[str]
    baseline: Sequence[str]
    difference: ArrayLike
    low: ArrayLike
    high: ArrayLike
    is_shown: ArrayLike
    claim: str | None = None
    greater_is_better: Sequence[bool] | None = None
    letters: Sequence[tuple[Any, ...]] | None = None
    margins: Sequence[float] = ()
    note: str | None = None

    @classmethod
    def from_comparison(
        cls, comparison: RankerComparison, *, metric: str | None = None, ax: Any = None
    ) -> ComparisonDisplay:
        """Draw a comparison.

        Parameters
        ----------
        comparison : RankerComparison
            What :func:`~skrank.stats.compare_rankers` returns.
        metric : str, default=None
            The name of the metric to draw. If None, all metrics are drawn.
        ax : Axes, default=None
            Where to draw. If None, in a new figure.

        Returns
        -------
        display : ComparisonDisplay
            The display.

        Raises
        ------
        ValueError
            If the comparison does not have the metric.
        TypeError
            If `comparison` is not a RankerComparison.
        """
        check_instance(comparison, RankerComparison, "comparison", "ComparisonDisplay")
        rows = [row for row in comparison.rows if metric in (None, row.metric)]
        if not rows:
            compared = list(dict.fromkeys(row.metric for row in comparison.rows))
            raise ValueError(
                "The 'metric' parameter of ComparisonDisplay must be one of "
                f"{compared}. Got {shown(metric)} instead."
            )
        requests = dict(
            zip(comparison.metrics, comparison.scores.table.requests, strict=True)
        )
        letters = comparison.letters and [
            tuple(comparison.letters[row.metric][row[name]] for name in _RANKERS)
            for row in rows
        ]
        level = 1 - comparison.confidence_level
        display = cls(
            metric=[words_of(requests[row.metric]) for row in rows],
            ranker=[row.ranker for row in rows],
            baseline=[row.baseline for row in rows],
            difference=np.array([row.difference for row in rows]),
            low=np.array([row.low for row in rows]),
            high=np.array([row.high for row in rows]),
            is_shown=np.array([row.p_adjusted <= level for row in rows]),
            greater_is_better=[requests[row.metric].direction == 1 for row in rows],
            letters=letters,
            **_claim(comparison.alternative, comparison.margin),
            note=_note(comparison),
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Draw the differences.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw. If None, in a new figure. A figure without a layout engine
            gets the constrained one, which makes place for long names.

        Returns
        -------
        display : ComparisonDisplay
            The display itself.
        """
        difference = np.asarray(self.difference, dtype=np.float64)
        is_greater = np.ones(len(difference), dtype=bool)
        if self.greater_is_better is not None:
            is_greater = np.asarray(self.greater_is_better)
        groups = self._groups(is_greater)
        rows = [row for of_group in groups.values() for row in of_group]
        ax = self._start(ax, len(rows) + len(groups))
        labels = [
            [self._named(row, 0) for row in of_group] for of_group in groups.values()
        ]
        height = np.empty(len(rows))
        height[rows], size = self._label_rows(list(groups), labels)
        self._draw_intervals(ax, height, size)
        gain = np.where(is_greater, difference, -difference)
        looks = self._looks(np.asarray(self.is_shown, dtype=bool), gain)
        self.points_ = {}
        for words, (which, color, look) in looks.items():
            (self.points_[words],) = ax.plot(
                difference[which],
                height[which],
                linestyle="",
                color=color,
                markersize=0.6 * size,
                label=words,
                **look,
            )
        self._label_axes(self._below(ax, is_greater))
        self._legend_above(list(self.points_.values()), list(self.points_))
        return self

    def _groups(self, is_greater):
        """Return the rows of each metric and baseline by their heading."""
        groups = {}
        for row, (metric, baseline) in enumerate(
            zip(self.metric, self.baseline, strict=True)
        ):
            parts = []
            if len(set(self.metric)) > 1:
                better = "" if is_greater[row] else f" {direction_words(False)}"
                parts.append(f"{metric}{better}")
            if len(set(self.baseline)) > 1:
                parts.append(f"from {self._named(row, 1)}")
            groups.setdefault((metric, baseline), (", ".join(parts), []))[1].append(row)
        return dict(groups.values())

    def _named(self, row, which):
        """Return the ranker or the baseline of a row, with its letters."""
        name = (self.ranker, self.baseline)[which][row]
        return f"{name} ({self.letters[row][which]})" if self.letters else name

    def _below(self, ax, is_greater):
        """Return the words below the axis."""
        lines = ["difference"]
        if len(set(self.metric)) == 1:
            words = f"{self.metric[0]} {direction_words(is_greater[0])}"
            lines = [f"difference in {words}", ""]
        if len(set(self.baseline)) == 1:
            names = [self.baseline[0]]
            if len(set(self.ranker)) == 1 < len(self.ranker):
                names = [self.ranker[0], self.baseline[0]]  # the rows name metrics
            fitted, _ = fit_text(ax, names, 0.8 / len(names))
            tail = " \u2212 ".join(fitted)
            tail = f"from {tail}" if len(names) == 1 else tail
            lines[-1] = f"{lines[-1]} {tail}".strip()
        lines.append(self.note or "")
        return "\n".join(line for line in lines if line)

    def _draw_intervals(self, ax, height, size):
        """Draw the intervals, those without an end up to the edge of the axes."""
        low, high = np.asarray(self.low), np.asarray(self.high)
        ends = np.concatenate([low, high, self.difference, [0.0], self.margins])
        ends = ends[np.isfinite(ends)]
        edge = 0.05 * (np.ptp(ends) or 1)
        left, right = ends.min() - edge, ends.max() + edge
        self.intervals_ = ax.hlines(
            height,
            np.where(np.isneginf(low), left, low),
            np.where(np.isposinf(high), right, high),
            colors="0.6",
            linewidths=min(2, 0.2 * size),
        )
        ax.set_xlim(left, right)
        ax.axvline(0, color="black", linewidth=0.8)
        for margin in self.margins:
            ax.axvline(margin, color="black", linewidth=0.8, linestyle=":")

    def _looks(self, is_shown, gain):
        """Return which rows to draw in which colour and marker, by their words."""
        filled, hollow = {"marker": "o"}, {"marker": "o", "markerfacecolor": "white"}
        if self.claim is not None:
            return {
                self.claim: (is_shown, COLORS[2], filled),
                "not shown": (~is_shown, NEITHER, hollow),
            }
        return {
            "better": (is_shown & (gain > 0), BETTER, filled),
            "worse": (is_shown & (gain < 0), WORSE, {"marker": "s"}),
            "not told apart": (~is_shown | (gain == 0), NEITHER, hollow),
        }


def _claim(alternative, margin):
    """Return what a test asks for, and the differences at which it begins."""
    if is_two_sided(alternative, margin):
        return {"claim": None}
    if alternative == "two-sided":
        return {"claim": f"within {margin:g} of 0", "margins": [-margin, margin]}
    least = -margin if alternative == "greater" else margin
    claim = f"{alternative} than {least + 0:g}"
    return {"claim": claim, "margins": [least] if margin else []}


def _note(comparison):
    """Return the level of the intervals, and how p-values are adjusted."""
    level = comparison.confidence_level
    if comparison.alternative == "two-sided" and comparison.margin:
        level = 2 * level - 1  # of two tests of one side each
    level = f"{100 * level:.4g}% intervals"
    n, correction = len(comparison.rows), comparison.correction
    if n == 1 or correction is None:
        return level
    return f"{level}\ncolours: adjusted for {n} comparisons ({correction})"
