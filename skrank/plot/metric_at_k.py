"""A metric against its cutoff, drawn."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._checks import check_instance, check_number, shown
from skrank._docs import share_display_words
from skrank._types import MatrixLike
from skrank.metrics.evaluation import score_queries
from skrank.metrics.query_scores import QueryScores
from skrank.metrics.scorer import predict_scores
from skrank.plot.base import (
    Display,
    direction_words,
    line_styles,
    number_some,
    split_cutoff,
    words_of,
)
from skrank.stats.intervals import interval_table

# Cutoffs of which the last is more than this many times the first are drawn on a
# logarithmic axis.
_LINEAR = 30


@dataclass(kw_only=True, eq=False, repr=False)
class MetricAtKDisplay(Display):
    """A metric against its cutoff k, with confidence bands.

    The bands are intervals over the queries for each cutoff and ranker by itself. Two
    rankers with overlapping bands may still differ, since they are evaluated on the
    same queries: a paired comparison tells.

    Use :meth:`from_scores`, :meth:`from_predictions` or :meth:`from_estimator` to make
    a display. All parameters are stored as attributes.

    Parameters
    ----------
    k : array-like of shape (n_cutoffs,)
        The cutoffs in ascending order.
    estimate : array-like of shape (n_rankers, n_cutoffs)
        The values of the metric.
    low, high : array-like of shape (n_rankers, n_cutoffs), default=None
        The ends of the confidence intervals, NaN where there is none.
    rankers : list of str, default=None
        The names of the rankers.
    metric : str, default=None
        What the metric is called, such as "NDCG@k".
    greater_is_better : bool, default=True
        Whether larger values of the metric are better.
    confidence_level : float, default=None
        The level of the intervals, for the label.

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

    Notes
    -----
    Where a metric is undefined, a query counts as in the summary. If the last cutoff is
    more than 30 times the first, the axis is logarithmic.

    Examples
    --------
    >>> from skrank.metrics import score_queries
    >>> from skrank.plot import MetricAtKDisplay
    >>> y_true, qid = [1, 0, 0, 1, 1, 0], [7, 7, 8, 8, 9, 9]
    >>> names = ["hits@1", "hits@2"]
    >>> scores = score_queries(y_true, [2, 1, 2, 1, 2, 1], names, qid=qid)
    >>> display = MetricAtKDisplay.from_scores(scores)
    >>> display.k, display.estimate
    (array([1, 2]), array([[0.66..., 1.  ]]))
    """

    k: ArrayLike
    estimate: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    rankers: Sequence[str] | None = None
    metric: str | None = None
    greater_is_better: bool = True
    confidence_level: float | None = None

    @classmethod
    @share_display_words
    def from_scores(
        cls,
        scores: QueryScores,
        *,
        metric: str | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
    ) -> MetricAtKDisplay:
        """Draw the metrics of a QueryScores that differ in their cutoff only.

        Parameters
        ----------
        metric : str, default=None
            The name of the metric without its cutoff, such as "ndcg". It may be None if
            only one metric has cutoffs.

        Returns
        -------
        display : MetricAtKDisplay
            The display.

        Raises
        ------
        ValueError
            If the scores do not have the metric with a cutoff, or have several and
            none is named.

        See Also
        --------
        skrank.stats.confidence_interval : The intervals.
        """
        check_instance(scores, QueryScores, "scores", "MetricAtKDisplay")
        level = check_number(
            confidence_level, "confidence_level", "MetricAtKDisplay", low=0, high=1
        )
        cutoffs = {}
        for name in scores.metrics:
            base, k = split_cutoff(name)
            if k is not None:
                cutoffs.setdefault(base, {})[k] = name
        if metric is None and len(cutoffs) == 1:
            (metric,) = cutoffs
        if metric not in cutoffs:
            raise ValueError(
                "The 'metric' parameter of MetricAtKDisplay must be the name of a "
                f"metric that was scored with cutoffs, among {list(cutoffs)}. "
                f"Got {shown(metric)} instead."
            )
        names = dict(sorted(cutoffs[metric].items()))
        chosen = scores[list(names.values())]
        places = [chosen.metrics.index(name) for name in names.values()]
        with warnings.catch_warnings():
            # Each cutoff of each ranker would warn by itself.
            warnings.filterwarnings("ignore", "The interval may be too narrow")
            table = interval_table(chosen, confidence_level=level)
        summaries = chosen.table.summaries()
        ends = np.array(
            [
                [
                    (summary[j], np.nan, np.nan)
                    if row[j] is None
                    else (row[j].estimate, row[j].low, row[j].high)
                    for j in places
                ]
                for row, summary in zip(table, summaries, strict=True)
            ]
        )
        request = chosen.table.requests[places[0]]
        display = cls(
            k=np.array(list(names)),
            estimate=ends[..., 0],
            low=ends[..., 1],
            high=ends[..., 2],
            rankers=list(chosen.rankers),
            metric=words_of(request, "k"),
            greater_is_better=request.direction == 1,
            confidence_level=level,
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
        confidence_level: float = 0.95,
        ax: Any = None,
        **params: Any,
    ) -> MetricAtKDisplay:
        """Draw a metric of predicted scores.

        Parameters
        ----------
        metric : str
            The name of the metric without its cutoff, such as "ndcg".

        Returns
        -------
        display : MetricAtKDisplay
            The display.

        See Also
        --------
        MetricAtKDisplay.from_estimator : Draws the metric of fitted estimators.

        Examples
        --------
        >>> from skrank.plot import MetricAtKDisplay
        >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], [7, 7, 8, 8]
        >>> MetricAtKDisplay.from_predictions(y_true, y_score, "ndcg", qid=qid)
        <...MetricAtKDisplay object at ...>
        """
        if not isinstance(metric, str):
            raise TypeError(
                "The 'metric' parameter of MetricAtKDisplay must be a scorer name "
                f"without its cutoff, such as 'ndcg'. Got {shown(metric)} instead."
            )
        names = [f"{metric}@{k}" for k in ks]
        scores = score_queries(y_true, y_score, names, qid=qid, **params)
        options = {"metric": metric, "confidence_level": confidence_level}
        return cls.from_scores(scores, **options, ax=ax)

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
        confidence_level: float = 0.95,
        ax: Any = None,
        **params: Any,
    ) -> MetricAtKDisplay:
        """Draw a metric of fitted estimators.

        Parameters
        ----------
        metric : str
            The name of the metric without its cutoff, such as "ndcg".

        Returns
        -------
        display : MetricAtKDisplay
            The display.
        """
        y_score, qid = predict_scores(estimator, X, y, qid, "MetricAtKDisplay")
        options = {"ks": ks, "confidence_level": confidence_level}
        return cls.from_predictions(
            y, y_score, metric, qid=qid, **options, ax=ax, **params
        )

    @share_display_words
    def plot(self, ax: Any = None, *, bands: bool = True) -> MetricAtKDisplay:
        """Draw the lines.

        Parameters
        ----------
        bands : bool, default=True
            Whether to draw the confidence bands.

        Returns
        -------
        display : MetricAtKDisplay
            The display itself.
        """
        k, estimate = np.asarray(self.k), np.atleast_2d(self.estimate)
        ax = self._start(ax)
        words = "cutoff k"
        if bands and self.low is not None and self.confidence_level is not None:
            words += f" (bands: {100 * self.confidence_level:.4g}% confidence)"
        y = f"{self.metric or 'metric'}\n{direction_words(self.greater_is_better)}"
        size = self._label_axes(words, y)
        styles = line_styles(len(estimate))
        self.lines_, self.bands_ = [], []
        for i, (values, style) in enumerate(zip(estimate, styles, strict=True)):
            # About twenty of many cutoffs get a marker.
            width = {"markersize": 0.4 * size, "linewidth": 0.15 * size}
            every = max(len(k) // 20, 1)
            self.lines_ += ax.plot(k, values, **style, **width, markevery=every)
            if bands and self.low is not None:
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
