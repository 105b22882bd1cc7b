"""A comparison of rankers, drawn."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skrank._input.checks import check_choice, check_instance
from skrank._text.docs import share_display_words
from skrank.plot.base import (
    BETTER_COLOR,
    COLORS,
    NEITHER_COLOR,
    WORSE_COLOR,
    Display,
    direction_words,
    distinct_words,
    fit_text,
    label_values,
    points_of,
    shorten_names,
    start_rows,
    usual_size,
)
from skrank.stats.comparison import RankerComparison
from skrank.stats.inference import is_at_most
from skrank.stats.paired_tests import CORRECTIONS

Kind = Literal["auto", "means", "differences"]
_RANKERS = ("ranker", "baseline")
_OF_MEANS = ("ranker", "estimate", "low", "high")
# More rankers than these have too many pairs for a row each.
_MOST = 4

_FILLED, _HOLLOW = {"marker": "o"}, {"marker": "o", "markerfacecolor": "white"}
_SQUARE, _DIAMOND = {"marker": "s"}, {"marker": "D"}


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    r"""The differences or the means of rankers with their intervals.

    A row for each difference of two rankers, or for each ranker with a panel for each
    metric. A line is a confidence interval: of differences the simultaneous one where
    the comparison has them, of a mean that of the mean by itself. An arrow at its end
    says that it goes on. The colour of its point says what the test shows, with
    p-values adjusted for all comparisons. Where all pairs are compared, rankers that
    share a letter are not significantly different.

    Use :meth:`from_comparison` to make a display. All parameters are stored as
    attributes.

    Parameters
    ----------
    metric, ranker, baseline : list of str of length n_comparisons
        What is compared: the words of the metric, followed by those of the segment if
        there are any, and the names of the two rankers.
    difference : array-like of shape (n_comparisons,)
        The differences, ranker minus baseline.
    low, high : array-like of shape (n_comparisons,)
        The ends of the intervals: infinite where there are too few queries.
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
        What is written above the differences, such as the level of the intervals.
    means : list of dict, default=None
        For each metric and ranker a dict with the keys metric, ranker, estimate, low
        and high. If None, only differences can be drawn.
    note_of_means : str, default=None
        What is written above the means.

    Attributes
    ----------
    axes_ : list of Axes
        The axes, of means those of each metric.
    intervals_ : list of LineCollection
        The intervals in each of them.
    points_ : list of dict of str to Line2D
        The points in each of them by what the test shows, as the legend has it, such as
        "better", "worse" and "not significantly different". Only what is drawn.
    ax_ : Axes
        The axes with the legend: those of the differences or of one metric, or a place
        above the panels.
    figure_ : Figure
        The figure that contains the axes.

    See Also
    --------
    skrank.stats.compare_rankers : Compares rankers.
    skrank.plot.QueryDifferenceDisplay : The differences of two rankers by query.

    Notes
    -----
    All differences share one axis: compare metrics on different scales, such as mean
    ranks, in a figure of their own, or draw the means. A new figure is as high as its
    rows need; axes that are given should be, too.

    The intervals of two means can overlap although the difference is significant: it is
    the test of the same queries that decides, and so do the letters and colours.

    Examples
    --------
    Each query is an image of a digit, and those that show the same digit are relevant.
    The rankers order them by different distances of their pixels.

    .. plot::
       :context: reset
       :alt: The differences of three rankers by two metrics.

       >>> import numpy as np
       >>> from skrank.datasets import load_digits_retrieval
       >>> from skrank.metrics import score_queries
       >>> from skrank.plot import ComparisonDisplay
       >>> from skrank.stats import compare_rankers
       >>> digits = load_digits_retrieval(n_queries=100, n_documents=50)
       >>> X, y, qid = digits.data, digits.target, digits.qid
       >>> euclidean, manhattan = np.linalg.norm(X, axis=1), X.sum(axis=1)
       >>> runs = {"Euclidean": -euclidean, "Manhattan": -manhattan}
       >>> runs["maximum"] = -X.max(axis=1)
       >>> scores = score_queries(y, runs, ["ndcg@10", "map"], qid=qid)
       >>> display = ComparisonDisplay.from_comparison(compare_rankers(scores))

    >>> display.is_shown
    array([False,  True,  True,  True,  True,  True])

    The same comparison with a row for each ranker, as more than four are drawn:

    .. plot::
       :context: close-figs
       :alt: The means of three rankers with their letters, in two panels.

       >>> display = display.plot(kind="means")

    >>> [ax.get_xlabel() for ax in display.axes_]
    ['NDCG@10\n(larger is better)', 'MAP\n(larger is better)']
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
    means: Sequence[Mapping[str, Any]] | None = None
    note_of_means: str | None = None

    @classmethod
    @share_display_words
    def from_comparison(
        cls,
        comparison: RankerComparison,
        *,
        metric: str | None = None,
        kind: Kind = "auto",
        ax: Any = None,
    ) -> ComparisonDisplay:
        """Draw a comparison.

        Parameters
        ----------
        comparison : RankerComparison
            What :func:`~skrank.stats.compare_rankers` returns. Each segment of a
            comparison with `by` has rows, or a panel, of its own.
        metric : str, default=None
            The name of the metric to draw. If None, all metrics are drawn.
        kind : {"auto", "means", "differences"}, default="auto"
            What to draw, as in `plot`.
        """
        words = "comparison", "ComparisonDisplay", " Did you compare_rankers(scores)?"
        check_instance(comparison, RankerComparison, *words)
        if metric is not None:
            cls._position(comparison.metrics, metric, "metric")
        rows = [row for row in comparison.rows if metric in (None, row.metric)]
        requests = comparison.scores.table.requests
        words = dict(zip(comparison.metrics, distinct_words(requests), strict=True))

        def named(row):
            of_segment = (f", {name} {row[name]}" for name in comparison.segment_names)
            return words[row.metric] + "".join(of_segment)

        of_metric = dict(zip(comparison.metrics, requests, strict=True))
        letters = comparison.letters and [
            tuple(comparison._letters_of(row, row[name]) for name in _RANKERS)
            for row in rows
        ]
        level = 1 - comparison.confidence_level
        means = [
            {"metric": named(row)} | {name: row[name] for name in _OF_MEANS}
            for row in comparison.intervals.rows
            if metric in (None, row.metric)
        ]
        margin = comparison.margin
        numbers = ("difference", "low", "high")
        display = cls(
            metric=[named(row) for row in rows],
            ranker=[row.ranker for row in rows],
            baseline=[row.baseline for row in rows],
            **{name: np.array([row[name] for row in rows]) for name in numbers},
            is_shown=np.array([is_at_most(row.p_adjusted, level) for row in rows]),
            greater_is_better=[of_metric[row.metric].direction == 1 for row in rows],
            letters=letters,
            claim=comparison._asked() or None,
            margins=[-margin, margin] if margin else [],
            **_notes(comparison),
            means=means,
        )
        return display.plot(ax, kind=kind)

    @share_display_words
    def plot(self, ax: Any = None, *, kind: Kind = "auto") -> ComparisonDisplay:
        """Draw the differences or the means.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw. If None, in a new figure. A figure without a layout engine
            gets the constrained one, which makes place for long names. The means of
            several metrics are drawn in panels, which share the place of `ax`.
        kind : {"auto", "means", "differences"}, default="auto"
            What to draw: "differences" has a row for each pair of rankers, "means" a
            row for each ranker. "auto" draws the means if all pairs of more than four
            rankers were tested for a difference in either direction, and the
            differences otherwise.

        Raises
        ------
        ValueError
            If `kind` is invalid, or the means are not there; or if panels are needed
            and `ax` is not part of a grid of axes.
        """
        check_choice(kind, get_args(Kind), "kind", "ComparisonDisplay")
        if kind == "auto":
            is_long = len({*self.ranker, *self.baseline}) > _MOST
            is_long = is_long and self._has_all_pairs and self.means is not None
            kind = "means" if is_long else "differences"
        if kind == "differences":
            self._plot_differences(ax)
        elif self.means is None:
            raise ValueError(
                "ComparisonDisplay draws kind='means' only if it has 'means'. Got None "
                "instead: make it by ComparisonDisplay.from_comparison."
            )
        else:
            self._plot_means(ax)
        return self

    @property
    def _has_all_pairs(self):
        """Return True if all pairs were tested for a difference in either direction."""
        pairs = {*map(frozenset, zip(self.ranker, self.baseline, strict=True))}
        n_rankers = len({*self.ranker, *self.baseline})
        return self.claim is None and len(pairs) == n_rankers * (n_rankers - 1) / 2

    @property
    def _is_greater(self):
        """Return for each comparison whether larger values are better."""
        if self.greater_is_better is None:
            return np.ones(len(self.metric), dtype=bool)
        return np.asarray(self.greater_is_better, dtype=bool)

    @property
    def _gain(self):
        """Return the differences, more than 0 where the ranker is better."""
        difference = np.asarray(self.difference, dtype=np.float64)
        return np.where(self._is_greater, difference, -difference)

    def _plot_differences(self, ax):
        """Draw a row for each difference."""
        groups = self._groups()
        rows = [row for of_group in groups.values() for row in of_group]
        ax = self._start(ax, len(rows) + len(groups))
        labels = [
            [self._named(row, 0) for row in of_group] for of_group in groups.values()
        ]
        height = np.empty(len(rows))
        height[rows], size = self._label_rows(list(groups), labels)
        self.axes_ = [ax]
        ends = self.low, self.high, self.difference
        margins = [0.0, *self.margins]
        self.intervals_ = [_draw_intervals(ax, *ends, height, size, margins)]
        ax.axvline(0, color="black", linewidth=0.8)
        for margin in self.margins:
            ax.axvline(margin, color="black", linewidth=0.8, linestyle=":")
        looks = self._looks(np.asarray(self.is_shown, dtype=bool), self._gain)
        self.points_ = [_draw_points(ax, self.difference, height, looks, size)]
        across, _ = points_of(ax)
        words, direction = self._below(across)
        label_values(ax, words, 0.6 * across, usual_size(across), direction)
        self._legend_of_points(self.note)

    def _groups(self):
        """Return the rows of each metric and baseline by their heading."""
        groups = {}
        for row, (metric, baseline) in enumerate(
            zip(self.metric, self.baseline, strict=True)
        ):
            parts = []
            if len(set(self.metric)) > 1:
                better = "" if self._is_greater[row] else f" {direction_words(False)}"
                parts.append(f"{metric}{better}")
            if len(set(self.baseline)) > 1:
                parts.append(f"minus {self._named(row, 1)}")
            groups.setdefault((metric, baseline), (", ".join(parts), []))[1].append(row)
        return dict(groups.values())

    def _named(self, row, which):
        """Return the ranker or the baseline of a row, with its letters."""
        name = (self.ranker, self.baseline)[which][row]
        return f"{name} ({self.letters[row][which]})" if self.letters else name

    def _below(self, across):
        """Return what the differences are, and the direction of one metric."""
        words, direction = "difference", None
        if len(set(self.metric)) == 1:
            words, direction = f"difference in {self.metric[0]}", self._is_greater[0]
        if len(set(self.baseline)) == 1:
            of = "metric" if direction is None else self.metric[0]
            names = [self.baseline[0]]
            if len(set(self.ranker)) == 1:
                names = [self.ranker[0], self.baseline[0]]
            names = shorten_names(names, 0.5 * across)
            words = f"{of} minus that of {names[0]}"
            if len(names) == 2:
                words = " minus ".join(names)
                words = words if direction is None else f"{of}: {words}"
        return words, direction

    def _plot_means(self, ax):
        """Draw a row for each ranker, and a panel for each metric."""
        panels = {}
        for row in self.means:
            panels.setdefault(row["metric"], {})[row["ranker"]] = row
        is_greater = dict(zip(self.metric, self._is_greater.tolist(), strict=True))
        of_first = next(iter(panels))
        sign = -1 if is_greater[of_first] else 1
        names = sorted(  # NaN comes last
            panels[of_first],
            key=lambda name: np.nan_to_num(
                sign * panels[of_first][name]["estimate"], nan=np.inf
            ),
        )
        ax = self._start(ax, len(names), len(panels))
        across, _ = points_of(ax)
        labels, size = fit_text(ax, names, 0.55 if len(panels) == 1 else 0.35)
        small = usual_size(across)
        across *= 0.7 / len(panels)
        self.axes_ = self._divide(len(panels))
        self.intervals_, self.points_ = [], []
        height = np.arange(len(names))
        for panel, (metric, of_ranker) in zip(self.axes_, panels.items(), strict=True):
            rows = [of_ranker[name] for name in names]
            mean, low, high = (
                np.array([row[name] for row in rows], dtype=np.float64)
                for name in ("estimate", "low", "high")
            )
            start_rows(panel, labels, size, across, small)
            if panel is not self.axes_[0]:
                panel.tick_params(axis="y", labelleft=False)
            line = _draw_intervals(panel, low, high, mean, height, size)
            looks = self._looks_of_means(metric, names, mean, is_greater[metric])
            self.intervals_.append(line)
            self.points_.append(_draw_points(panel, mean, height, looks, size))
            self._write_letters(panel, metric, names, size)
            if len(panels) > 1:  # as high as each other
                words = f"{metric}\n{direction_words(is_greater[metric])}"
                label_values(panel, words, across, small)
            else:
                label_values(panel, metric, across, small, is_greater[metric])
        self._legend_of_points(self.note_of_means)

    def _divide(self, n_panels):
        """Return axes side by side in the place of the axes, which get the legend."""
        if n_panels == 1:
            return [self.ax_]
        place = self.ax_.get_subplotspec()
        if place is None:
            raise ValueError(
                "ComparisonDisplay draws the means of several metrics in panels, for "
                "which 'ax' must come from plt.subplots or add_subplot. Got axes at a "
                "place of their own: pass others, or choose one metric by `metric`."
            )
        grid = place.subgridspec(2, n_panels, height_ratios=[0.001, 1], hspace=0)
        self.ax_.set_subplotspec(grid[0, :])
        self.ax_.set_axis_off()
        return [self.figure_.add_subplot(grid[1, i]) for i in range(n_panels)]

    def _looks_of_means(self, metric, names, mean, greater_is_better):
        """Return which rankers to draw in which look, by their words."""
        has_baseline = self.letters is None and len(set(self.baseline)) == 1
        if has_baseline:
            reference = names.index(self.baseline[0])
        elif self._has_all_pairs:
            best = np.nan_to_num(mean if greater_is_better else -mean, nan=-np.inf)
            reference = int(best.argmax())
        else:
            return {"mean": (np.ones(len(names), dtype=bool), BETTER_COLOR, _FILLED)}
        is_shown, gain = np.zeros(len(names), dtype=bool), np.zeros(len(names))
        for row, of_row in enumerate(self.metric):
            pair = names.index(self.ranker[row]), names.index(self.baseline[row])
            if of_row == metric and reference in pair:
                other = pair[0] if pair[1] == reference else pair[1]
                is_shown[other] = self.is_shown[row]
                gain[other] = self._gain[row] if other == pair[0] else -self._gain[row]
        if has_baseline:
            others = np.arange(len(names)) != reference
            looks = self._looks(is_shown, gain)
            looks = {
                words: (of & others, *look) for words, (of, *look) in looks.items()
            }
            return {"baseline": (~others, "black", _DIAMOND), **looks}
        return {
            "best, or not significantly different": (~is_shown, BETTER_COLOR, _FILLED),
            "significantly worse": (is_shown, WORSE_COLOR, _SQUARE),
        }

    def _write_letters(self, ax, metric, names, size):
        """Write the letters of the rankers to the right of their rows."""
        if self.letters is None:
            return
        letters = {}
        for row, of_row in enumerate(self.metric):
            if of_row == metric:
                both = self.ranker[row], self.baseline[row]
                letters |= dict(zip(both, self.letters[row], strict=True))
        for height, name in enumerate(names):
            ax.annotate(
                letters.get(name, ""),
                (1, height),
                (0.4 * size, 0),
                xycoords=ax.get_yaxis_transform(),
                textcoords="offset points",
                va="center",
                fontsize=size,
            )

    def _looks(self, is_shown, gain):
        """Return which rows to draw in which colour and marker, by their words."""
        if self.claim is not None:
            return {
                self.claim: (is_shown, COLORS[2], _FILLED),
                "not shown": (~is_shown, NEITHER_COLOR, _HOLLOW),
            }
        return {
            "better": (is_shown & (gain > 0), BETTER_COLOR, _FILLED),
            "worse": (is_shown & (gain < 0), WORSE_COLOR, _SQUARE),
            "not significantly different": (
                ~is_shown | (gain == 0),
                NEITHER_COLOR,
                _HOLLOW,
            ),
        }

    def _legend_of_points(self, note):
        """Draw the legend of what is drawn in any of the axes."""
        handles = {
            words: line for of in self.points_[::-1] for words, line in of.items()
        }
        self._legend_above(list(handles.values()), list(handles), note=note)


def _draw_intervals(ax, low, high, values, height, size, also=()):
    """Draw intervals, and arrows for the ends that they do not have."""
    low, high, height = map(np.asarray, (low, high, height))
    ends = np.concatenate([low, high, values, also])
    ends = ends[np.isfinite(ends)]
    step = 0.05 * (np.ptp(ends) or 1)
    left, right = ends.min() - step, ends.max() + step
    width = min(2, 0.2 * size)
    lines = ax.hlines(
        height,
        np.where(np.isneginf(low), left, low),
        np.where(np.isposinf(high), right, high),
        colors="0.6",
        linewidths=width,
    )
    for end, marker, is_open in [
        (left, "<", np.isneginf(low)),
        (right, ">", np.isposinf(high)),
    ]:
        if is_open.any():
            ax.plot(
                np.full(is_open.sum(), end),
                height[is_open],
                color="0.6",
                linestyle="",
                marker=marker,
                markersize=0.6 * size,
            )
    ax.set_xlim(left - 0.5 * step, right + 0.5 * step)
    return lines


def _draw_points(ax, values, height, looks, size):
    """Draw points in their looks, and return those of which there are any by words."""
    found = {}
    for words, (which, color, look) in looks.items():
        which = which & ~np.isnan(values)
        if which.any():
            (found[words],) = ax.plot(
                np.asarray(values)[which],
                height[which],
                linestyle="",
                color=color,
                markersize=0.6 * size,
                label=words,
                **look,
            )
    return found


def _notes(comparison):
    """Return the levels of the intervals, and how the tests are adjusted."""
    level = of_differences = comparison.confidence_level
    simultaneous = "simultaneous " * comparison.are_simultaneous
    if comparison.margin and not simultaneous:
        of_differences = 2 * level - 1  # of two tests of one side each
    n, correction, adjusted = len(comparison.rows), comparison.correction, ""
    if n > 1 and correction is not None:
        words = CORRECTIONS[correction]
        adjusted = f"; tests adjusted for {n} comparisons ({words})"
    note, note_of_means = (
        f"{what}{100 * one:.4g}% {kind}intervals{adjusted}"
        for what, one, kind in [
            ("", of_differences, simultaneous),
            ("means with ", level, ""),
        ]
    )
    return {"note": note, "note_of_means": note_of_means}
