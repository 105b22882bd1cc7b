"""Displays of values: a metric by its cutoff, and two rankers by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._input.checks import check_count, check_instance, check_number, shown
from skrank._text.docs import MatrixLike, MetricLike, share_display_words
from skrank.evaluation.evaluate import score_queries
from skrank.evaluation.query_scores import QueryScores
from skrank.plot.base import (
    BETTER_COLOR,
    NEITHER_COLOR,
    WORSE_COLOR,
    Display,
    direction_words,
    fit_text,
    line_styles,
    number_some,
    points_of,
    shorten_names,
    split_cutoff,
    words_of,
)
from skrank.scoring.scorer import predict_scores
from skrank.stats.compare import comparison_and_outcome, warn_of_comparison
from skrank.stats.inference import difference
from skrank.stats.intervals import intervals_by_segment

# Cutoffs of which the last is more than this many times the first are drawn on a
# logarithmic axis.
_LINEAR = 30


@dataclass(kw_only=True, eq=False, repr=False)
class MetricAtKDisplay(Display):
    """A metric against its cutoff k, with confidence bands.

    The bands are intervals over the queries for each cutoff and ranker by itself. Two
    rankers with overlapping bands may still differ, since they are evaluated on the
    same queries. With a `baseline` the lines are the differences from it, query by
    query, and the bands are the intervals of these differences.

    Use :meth:`from_scores`, :meth:`from_predictions` or :meth:`from_estimator` to make
    a display. All parameters are stored as attributes.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs in ascending order.
    estimate : array-like of shape (n_rankers, n_cutoffs)
        The values of the metric, or with a `baseline` the differences from it.
    low, high : array-like of shape (n_rankers, n_cutoffs), default=None
        The ends of the confidence intervals, NaN where there is none.
    rankers : list of str, default=None
        The names of the rankers, without the baseline.
    metric : str, default=None
        What the metric is called, such as "NDCG@k".
    greater_is_better : bool, default=True
        Whether larger values of the metric are better.
    confidence_level : float, default=None
        The level of the intervals, for the label.
    baseline : str, default=None
        The name of the ranker whose values are subtracted. If None, none are.

    Attributes
    ----------
    lines_ : list of Line2D
        The line of each ranker.
    bands_ : list of PolyCollection
        The band of each ranker, if there are any.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure that contains the axes.

    See Also
    --------
    QueryDifferenceDisplay : The differences of two rankers by query.
    ComparisonDisplay : The differences of rankers by several metrics.

    Notes
    -----
    Where a metric is undefined, a query counts as in the summary. If the last cutoff is
    more than 30 times the first, the axis is logarithmic. The intervals are those of
    :func:`~skrank.stats.confidence_interval`, and of differences those of
    :func:`~skrank.stats.compare_rankers`.

    Examples
    --------
    Each query is an image of a digit, and those that show the same digit are relevant.
    The rankers order them by different distances of their pixels.

    .. plot::
       :context: reset
       :alt: The NDCG of three rankers at cutoffs from 1 to 20, with bands that overlap.

       >>> import numpy as np
       >>> from skrank.datasets import load_digits_retrieval
       >>> from skrank.plot import MetricAtKDisplay
       >>> digits = load_digits_retrieval(n_queries=100, n_documents=50)
       >>> X, y, qid = digits.data, digits.target, digits.qid
       >>> euclidean, manhattan = np.linalg.norm(X, axis=1), X.sum(axis=1)
       >>> runs = {"Euclidean": -euclidean, "Manhattan": -manhattan}
       >>> runs["maximum"] = -X.max(axis=1)
       >>> display = MetricAtKDisplay.from_predictions(y, runs, "ndcg", qid=qid)

    >>> display.estimate.shape
    (3, 20)

    The differences from one of them:

    .. plot::
       :context: close-figs
       :alt: The NDCG of two rankers minus that of the first one, all below 0.

       >>> display = MetricAtKDisplay.from_predictions(
       ...     y, runs, "ndcg", qid=qid, baseline="Euclidean"
       ... )

    >>> display.rankers
    ['Manhattan', 'maximum']
    """

    k: ArrayLike
    estimate: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    rankers: Sequence[str] | None = None
    metric: str | None = None
    greater_is_better: bool = True
    confidence_level: float | None = None
    baseline: str | None = None

    @classmethod
    @share_display_words
    def from_scores(
        cls,
        scores: QueryScores,
        *,
        metric: str | None = None,
        baseline: str | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
    ) -> MetricAtKDisplay:
        """Draw the metrics of a QueryScores that differ in their cutoff only.

        Parameters
        ----------
        metric : str, default=None
            The name of the metric without its cutoff, such as "ndcg". It may be None if
            only one metric has cutoffs.

        Raises
        ------
        ValueError
            If the scores do not have the metric with a cutoff, or have several and
            none is named; if they do not have the baseline and another ranker; or if
            the differences of a metric are not means over queries.
        """
        check_instance(scores, QueryScores, "scores", "MetricAtKDisplay")
        level = check_number(
            confidence_level, "confidence_level", "MetricAtKDisplay", low=0, high=1
        )
        names = _names_by_cutoff(scores, metric)
        chosen, rankers = scores[list(names.values())], list(scores.rankers)
        if baseline is None:
            found = _intervals_of_values(chosen, level)
        else:
            rankers.pop(cls._position(rankers, baseline, "baseline"))
            found = _intervals_of_differences(chosen, baseline, level)
        undefined = (np.nan, np.nan, np.nan)
        ends = np.array(
            [
                [found.get((ranker, name), undefined) for name in names.values()]
                for ranker in rankers
            ]
        )
        request = chosen.table.requests[0]
        display = cls(
            k=np.array(list(names)),
            estimate=ends[..., 0],
            low=ends[..., 1],
            high=ends[..., 2],
            rankers=rankers,
            metric=words_of(request, "k"),
            greater_is_better=request.direction == 1,
            confidence_level=level,
            baseline=baseline,
        )
        return display.plot(ax)

    @classmethod
    @share_display_words
    def from_predictions(
        cls,
        y_true: MatrixLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        metric: str,
        *,
        ks: Iterable[int] = range(1, 21),
        qid: ArrayLike | None = None,
        baseline: str | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
        **params: Any,
    ) -> MetricAtKDisplay:
        """Draw a metric of predicted scores.

        Examples
        --------
        >>> from skrank.plot import MetricAtKDisplay
        >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], [7, 7, 8, 8]
        >>> MetricAtKDisplay.from_predictions(y_true, y_score, "ndcg", qid=qid)
        <...MetricAtKDisplay object at ...>
        """
        base, k = split_cutoff(metric) if isinstance(metric, str) else ("ndcg", None)
        if k is not None or not isinstance(metric, str):
            raise (TypeError if k is None else ValueError)(
                "The 'metric' parameter of MetricAtKDisplay must be a scorer name "
                f"without its cutoff, such as {base!r}. Got {shown(metric)} instead."
            )
        names = [f"{metric}@{k}" for k in (ks if np.iterable(ks) else [ks])]
        scores = score_queries(y_true, y_score, names, qid=qid, **params)
        options: dict = {"baseline": baseline, "confidence_level": confidence_level}
        return cls.from_scores(scores, metric=metric, **options, ax=ax)

    @classmethod
    @share_display_words
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike | Any,
        y: ArrayLike,
        metric: str,
        *,
        ks: Iterable[int] = range(1, 21),
        qid: ArrayLike | None = None,
        baseline: str | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
        **params: Any,
    ) -> MetricAtKDisplay:
        """Draw a metric of fitted estimators."""
        y_score, qid = predict_scores(estimator, X, y, qid, "MetricAtKDisplay")
        options: dict = {"baseline": baseline, "confidence_level": confidence_level}
        return cls.from_predictions(
            y, y_score, metric, ks=ks, qid=qid, **options, ax=ax, **params
        )

    @share_display_words
    def plot(self, ax: Any = None) -> MetricAtKDisplay:
        """Draw the lines and their confidence bands."""
        k, estimate = np.asarray(self.k), np.atleast_2d(self.estimate)
        ax = self._start(ax)
        words = "cutoff k"
        if self.low is not None and self.confidence_level is not None:
            words += f" (bands: {100 * self.confidence_level:.4g}% confidence)"
        y = self.metric or "metric"
        if self.baseline is not None:
            _, down = points_of(ax)
            (name,) = shorten_names([self.baseline], 0.4 * down)
            y += f" minus that of {name}"
            ax.axhline(0, color="black", linewidth=0.8)
        y = f"{y}\n{direction_words(self.greater_is_better)}"
        size = self._label_axes(words, y)
        styles = line_styles(len(estimate))
        self.lines_, self.bands_ = [], []
        for i, (values, style) in enumerate(zip(estimate, styles, strict=True)):
            # About twenty of many cutoffs get a marker.
            width = {"markersize": 0.4 * size, "linewidth": 0.15 * size}
            every = max(len(k) // 20, 1)
            self.lines_ += ax.plot(k, values, **style, **width, markevery=every)
            if self.low is not None:
                ends = [np.atleast_2d(end)[i] for end in (self.low, self.high)]
                # An interval of too few queries is infinite.
                ends = [np.where(np.isinf(end), np.nan, end) for end in ends]
                color = style["color"]
                band = ax.fill_between(k, *ends, color=color, alpha=0.15, linewidth=0)
                self.bands_.append(band)
        if k.max() > _LINEAR * k.min():
            ax.set_xscale("log")
        number_some(ax, k)
        ax.grid(alpha=0.3)
        if self.rankers and list(self.rankers) != [None]:
            # In the order of the lines at the right end.
            last = np.argsort(-estimate[:, -1], kind="stable")
            handles = [self.lines_[i] for i in last]
            self._legend_beside(handles, [self.rankers[i] for i in last])
        return self


def _names_by_cutoff(scores, metric):
    """Return the names of a metric, which may be None if it is the only one."""
    cutoffs = {}
    for name in scores.metrics:
        base, k = split_cutoff(name)
        if k is not None:
            cutoffs.setdefault(base, {})[k] = name
    if metric is None and len(cutoffs) == 1:
        (metric,) = cutoffs
    if metric not in cutoffs:
        raise ValueError(
            "The 'metric' parameter of MetricAtKDisplay must be the name of a metric "
            f"that was scored with cutoffs, among {list(cutoffs)}. Got {shown(metric)} "
            "instead."
        )
    return dict(sorted(cutoffs[metric].items()))


def _intervals_of_values(scores, level):
    """Return (estimate, low, high) by ranker and metric."""
    # Without a warning of few values: each cutoff of each ranker would have its own.
    _, ((_, found),), *_ = intervals_by_segment(scores.table, confidence_level=level)
    return {
        (scores.rankers[i], scores.metrics[j]): (one.estimate, one.low, one.high)
        for (i, j), one in found.items()
    }


def _intervals_of_differences(scores, baseline, level):
    """Return (difference, low, high) by ranker and metric."""
    comparison, outcome = comparison_and_outcome(
        scores, baseline=baseline, correction=None, confidence_level=level
    )
    warn_of_comparison(comparison, outcome, few=["interval"])
    return {
        (row.ranker, row.metric): (row.difference, row.low, row.high)
        for row in comparison.rows
    }


@dataclass(kw_only=True, eq=False, repr=False)
class QueryDifferenceDisplay(Display):
    """The differences of two rankers by query, in descending order.

    The queries where the ranker is better than the baseline stand on the left, those
    where it is worse on the right.

    Use :meth:`from_scores`, :meth:`from_predictions` or :meth:`from_estimator` to make
    a display. All parameters are stored as attributes.

    Parameters
    ----------
    difference : array-like of shape (n_queries,)
        For each query the value of the ranker minus that of the baseline. Queries with
        NaN, where one of them is undefined and left out, are not drawn.
    query : array-like of shape (n_queries,), default=None
        The query ids.
    ranker, baseline : str, default=None
        The names of the two rankers.
    metric : str, default=None
        What the metric is called.
    greater_is_better : bool, default=True
        Whether larger values of the metric are better.

    Attributes
    ----------
    wins_, ties_, losses_ : StepPatch
        The bars of the queries where the ranker is better, equal and worse.
    query_texts_ : list of Annotation
        The ids of the queries that lose most.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure that contains the axes.

    See Also
    --------
    skrank.metrics.score_queries : The values by query.

    Examples
    --------
    Each query is an image of a digit, and those that show the same digit are relevant.
    The rankers order them by the sum or the maximum of the differences of their pixels.

    .. plot::
       :context: reset
       :alt: The differences of two rankers by query. Most are negative.

       >>> from skrank.datasets import load_digits_retrieval
       >>> from skrank.plot import QueryDifferenceDisplay
       >>> digits = load_digits_retrieval(n_queries=100, n_documents=50)
       >>> X, y, qid = digits.data, digits.target, digits.qid
       >>> runs = {"sum": -X.sum(axis=1), "maximum": -X.max(axis=1)}
       >>> display = QueryDifferenceDisplay.from_predictions(
       ...     y, runs, "ndcg@10", qid=qid, n_worst=3
       ... )

    >>> display.n_wins, display.n_ties, display.n_losses
    (33, 7, 60)
    """

    difference: ArrayLike
    query: ArrayLike | None = None
    ranker: str | None = None
    baseline: str | None = None
    metric: str | None = None
    greater_is_better: bool = True

    @property
    def n_wins(self) -> int:
        """Return the number of queries where the ranker is better."""
        return int((self._gain > 0).sum())

    @property
    def n_ties(self) -> int:
        """Return the number of queries where both rankers are equal."""
        return int((self._gain == 0).sum())

    @property
    def n_losses(self) -> int:
        """Return the number of queries where the ranker is worse."""
        return int((self._gain < 0).sum())

    @property
    def _gain(self):
        """Return the differences, more than 0 where the ranker is better."""
        difference = np.asarray(self.difference, dtype=np.float64)
        return difference if self.greater_is_better else -difference

    @classmethod
    @share_display_words
    def from_scores(
        cls,
        scores: QueryScores,
        *,
        metric: str | None = None,
        ranker: str | None = None,
        baseline: str | None = None,
        n_worst: int = 0,
        ax: Any = None,
    ) -> QueryDifferenceDisplay:
        """Draw the differences of two rankers of a QueryScores.

        Parameters
        ----------
        metric : str, default=None
            The name of the metric. It may be None if there is only one.
        """
        check_instance(scores, QueryScores, "scores", "QueryDifferenceDisplay")
        if len(scores.rankers) < 2:
            raise ValueError(
                "QueryDifferenceDisplay compares two rankers. Got the scores of one: "
                "pass a dict of the scores of each ranker to score_queries."
            )
        j = cls._position(scores.metrics, metric, "metric")
        of_baseline = 0
        if baseline is not None:
            of_baseline = cls._position(scores.rankers, baseline, "baseline")
        others = [name for i, name in enumerate(scores.rankers) if i != of_baseline]
        i = scores.rankers.index(others[cls._position(others, ranker, "ranker")])
        one, other = scores.values[i, j], scores.values[of_baseline, j]
        query, *by = scores.keys.values()
        if by:
            keys = zip(*(key.tolist() for key in (query, *by)), strict=True)
            query = [", ".join(map(str, key)) for key in keys]
        request = scores.table.requests[j]
        display = cls(
            difference=difference(one, other),
            query=query,
            ranker=scores.rankers[i],
            baseline=scores.rankers[of_baseline],
            metric=words_of(request),
            greater_is_better=request.direction == 1,
        )
        return display.plot(ax, n_worst=n_worst)

    @classmethod
    @share_display_words
    def from_predictions(
        cls,
        y_true: MatrixLike,
        y_score: Mapping[str, ArrayLike],
        metric: MetricLike,
        *,
        qid: ArrayLike | None = None,
        ranker: str | None = None,
        baseline: str | None = None,
        n_worst: int = 0,
        ax: Any = None,
        **params: Any,
    ) -> QueryDifferenceDisplay:
        """Draw the differences of predicted scores.

        Parameters
        ----------
        y_score : dict of array-like
            The predicted scores of the rankers by name, each as in
            :func:`~skrank.metrics.score_queries`.

        Examples
        --------
        >>> from skrank.plot import QueryDifferenceDisplay
        >>> runs = {"bm25": [1, 2], "dense": [2, 1]}
        >>> QueryDifferenceDisplay.from_predictions([1, 0], runs, "mrr")
        <...QueryDifferenceDisplay object at ...>
        """
        scores = score_queries(y_true, y_score, metric, qid=qid, **params)
        options: dict = {"ranker": ranker, "baseline": baseline, "n_worst": n_worst}
        return cls.from_scores(scores, **options, ax=ax)

    @classmethod
    @share_display_words
    def from_estimator(
        cls,
        estimator: Mapping[str, Any],
        X: MatrixLike | Any,
        y: ArrayLike,
        metric: MetricLike,
        *,
        qid: ArrayLike | None = None,
        ranker: str | None = None,
        baseline: str | None = None,
        n_worst: int = 0,
        ax: Any = None,
        **params: Any,
    ) -> QueryDifferenceDisplay:
        """Draw the differences of fitted estimators.

        Parameters
        ----------
        estimator : dict of str to estimator instance
            The fitted estimators by name.
        """
        y_score, qid = predict_scores(estimator, X, y, qid, "QueryDifferenceDisplay")
        options: dict = {"ranker": ranker, "baseline": baseline, "n_worst": n_worst}
        return cls.from_predictions(
            y, y_score, metric, qid=qid, **options, ax=ax, **params
        )

    @share_display_words
    def plot(self, ax: Any = None, *, n_worst: int = 0) -> QueryDifferenceDisplay:
        """Draw the differences."""
        check_count(n_worst, "n_worst", least=0)
        gain = self._gain
        order = np.argsort(-gain, kind="stable")[: len(gain) - np.isnan(gain).sum()]
        difference = np.asarray(self.difference, dtype=np.float64)[order]
        ax = self._start(ax)
        ranker, baseline = self.ranker or "ranker", self.baseline or "baseline"
        names, size = fit_text(ax, [ranker, baseline], 0.7, n_lines=12)
        numbers = [self.n_wins, self.n_ties, self.n_losses]
        labels = [f"{names[0]} is better", "equal", f"{names[1]} is better"]
        edges = np.arange(len(order) + 1) + 0.5
        start, bars = 0, []
        for n, label, color in zip(
            numbers, labels, (BETTER_COLOR, NEITHER_COLOR, WORSE_COLOR), strict=True
        ):
            part = slice(start, start + n)
            bar = ax.stairs(
                difference[part],
                edges[start : start + n + 1],
                fill=n > 0 and color is not NEITHER_COLOR,
                color=color,
                linewidth=1,
                label=f"{label}: {n:,}",
            )
            bars.append(bar)
            start += n
        self.wins_, self.ties_, self.losses_ = bars
        ax.axhline(0, color="black", linewidth=0.8)
        n_undefined = len(gain) - len(order)
        x = f"{len(order):,} queries, the best differences first"
        if n_undefined:
            x += f"\n(undefined and left out: {n_undefined:,})"
        y = f"difference in {self.metric or 'the metric'}"
        self._label_axes(x, f"{y}\n{direction_words(self.greater_is_better)}")
        ax.margins(x=0.01)
        ax.locator_params(axis="x", integer=True)
        self._legend_above(bars, [bar.get_label() for bar in bars], size)
        self.query_texts_ = self._name_worst(order, n_worst)
        return self

    def _name_worst(self, order, n_worst):
        """Write the ids of the queries that lose most, and return the texts."""
        from matplotlib.transforms import ScaledTranslation

        worst = order[: -n_worst - 1 : -1] if n_worst else []
        worst = [i for i in worst if self._gain[i] < 0]
        if not worst or self.query is None:
            return []
        query = [str(np.asarray(self.query)[i]) for i in worst]
        texts, size = fit_text(self.ax_, query, 0.4, n_lines=2.5 * len(worst))
        # One above the other next to the ends of the bars, or below.
        edge, sign = (0, 1) if self.greater_is_better else (1, -1)
        inches = self.figure_.dpi_scale_trans
        found = []
        for rank, (i, text) in enumerate(zip(worst, texts, strict=True)):
            up = ScaledTranslation(0, sign * (rank + 0.6) * 1.4 * size / 72, inches)
            annotation = self.ax_.annotate(
                text,
                xy=(len(order) - rank, self.difference[i]),
                xytext=(0.45, edge),
                textcoords=self.ax_.transAxes + up,
                ha="right",
                va="center",
                fontsize=size,
                arrowprops={
                    "arrowstyle": "-",
                    "color": NEITHER_COLOR,
                    "linewidth": 0.6,
                },
                bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5},
            )
            found.append(annotation)
        return found
