"""How much tied scores can change metrics, drawn."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._docs import share_display_words
from skrank._types import MatrixLike, MetricsLike
from skrank.evaluation.evaluate import score_queries
from skrank.evaluation.reports import BOUNDS
from skrank.plot.base import (
    BETTER_COLOR,
    WORSE_COLOR,
    Display,
    direction_words,
    distinct_words,
    label_values,
    points_of,
    usual_size,
)
from skrank.scoring.scorer import predict_scores


@dataclass(kw_only=True, eq=False, repr=False)
class TieSpanDisplay(Display):
    """Metrics in the worst, the average and the best ordering of tied documents.

    A row for each metric and ranker: the value in the worst ordering of the documents
    with equal scores, the exact expectation over all orderings, and the value in the
    best ordering. Rankers whose spans overlap may change places with the order in which
    a library happens to break ties.

    Use :meth:`from_predictions` or :meth:`from_estimator` to make a display. All
    parameters are stored as attributes.

    Parameters
    ----------
    rankers : list of str
        The names of the rankers.
    metrics : list of str
        What the metrics are called.
    pessimistic, expected, optimistic : array-like of shape (n_rankers, n_metrics)
        The values under each of these tie policies.
    greater_is_better : list of bool, default=None
        For each metric whether larger values are better. If None, they are.

    Attributes
    ----------
    spans_ : LineCollection
        The lines from the pessimistic to the optimistic values.
    pessimistic_, expected_, optimistic_ : Line2D
        The points at the ends of the lines and between them.
    ax_ : Axes
        The axes.
    figure_ : Figure
        The figure that contains the axes.

    See Also
    --------
    skrank.metrics.tie_report : The same values as a table, with the number of tied
        documents.

    Notes
    -----
    All metrics share one axis: draw those on other scales, such as mean ranks, in a
    figure of their own.

    Examples
    --------
    Each query is an image of a digit, and those that show the same digit are relevant.
    The maximum of the differences of the pixels has many ties, and their sum has few.

    .. plot::
       :context: reset
       :alt: The spans of two rankers by three metrics. Those of the maximum are long.

       >>> from skrank.datasets import load_digits_retrieval
       >>> from skrank.plot import TieSpanDisplay
       >>> digits = load_digits_retrieval(n_queries=100, n_documents=50)
       >>> X, y, qid = digits.data, digits.target, digits.qid
       >>> runs = {"sum": -X.sum(axis=1), "maximum": -X.max(axis=1)}
       >>> display = TieSpanDisplay.from_predictions(y, runs, qid=qid)

    >>> display.metrics
    ['MRR', 'NDCG@10', 'MAP']
    """

    rankers: Sequence[str]
    metrics: Sequence[str]
    pessimistic: ArrayLike
    expected: ArrayLike
    optimistic: ArrayLike
    greater_is_better: Sequence[bool] | None = None

    @classmethod
    @share_display_words
    def from_predictions(
        cls,
        y_true: MatrixLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        metrics: MetricsLike = ("mrr", "ndcg@10", "map"),
        *,
        qid: ArrayLike | None = None,
        ax: Any = None,
        **params: Any,
    ) -> TieSpanDisplay:
        """Draw the metrics of predicted scores.

        Raises
        ------
        ValueError
            If a parameter has an invalid value, or the input shapes do not match.
        TypeError
            If `ties` is given, or none of the metrics has one of `params`.

        Examples
        --------
        >>> from skrank.plot import TieSpanDisplay
        >>> TieSpanDisplay.from_predictions([1, 0], [1, 1], ["mrr", "hits@1"])
        <...TieSpanDisplay object at ...>
        """
        if "ties" in params:
            raise TypeError("TieSpanDisplay sets 'ties' itself. Got 'ties'.")
        values = {}
        for ties in BOUNDS:
            scores = score_queries(
                y_true, y_score, metrics, qid=qid, ties=ties, **params
            )
            values[ties] = np.array(scores.table.summaries())
        requests = scores.table.requests
        display = cls(
            rankers=list(scores.rankers),
            metrics=distinct_words(requests),
            greater_is_better=[request.direction == 1 for request in requests],
            **values,
        )
        return display.plot(ax)

    @classmethod
    @share_display_words
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike | Any,
        y: ArrayLike,
        metrics: MetricsLike = ("mrr", "ndcg@10", "map"),
        *,
        qid: ArrayLike | None = None,
        ax: Any = None,
        **params: Any,
    ) -> TieSpanDisplay:
        """Draw the metrics of fitted estimators."""
        y_score, qid = predict_scores(estimator, X, y, qid, "TieSpanDisplay")
        return cls.from_predictions(y, y_score, metrics, qid=qid, ax=ax, **params)

    @share_display_words
    def plot(self, ax: Any = None) -> TieSpanDisplay:
        """Draw the values."""
        is_greater = self.greater_is_better or [True] * len(self.metrics)
        headings = [
            words if greater else f"{words} {direction_words(greater)}"
            for words, greater in zip(self.metrics, is_greater, strict=True)
        ]
        names = ["" if name is None else name for name in self.rankers]
        ax = self._start(ax, (len(names) + 1) * len(headings))
        heights, size = self._label_rows(headings, [names] * len(headings))
        low, expected, high = (
            np.ravel(np.transpose(values))
            for values in (self.pessimistic, self.expected, self.optimistic)
        )
        self.spans_ = ax.hlines(heights, low, high, colors="0.6", linewidths=2)
        points = {"linestyle": "", "markersize": 0.6 * size}
        (self.pessimistic_,) = ax.plot(
            low, heights, marker="<", color=WORSE_COLOR, **points, label="pessimistic"
        )
        (self.optimistic_,) = ax.plot(
            high, heights, marker=">", color=BETTER_COLOR, **points, label="optimistic"
        )
        (self.expected_,) = ax.plot(
            expected, heights, marker="o", color="black", **points, label="expected"
        )
        words, greater = "value of the metric", None
        if len(self.metrics) == 1:
            words, greater = self.metrics[0], is_greater[0]
        across, _ = points_of(ax)
        label_values(ax, words, 0.6 * across, usual_size(across), greater)
        handles = [self.pessimistic_, self.expected_, self.optimistic_]
        self._legend_above(handles, BOUNDS)
        return self
