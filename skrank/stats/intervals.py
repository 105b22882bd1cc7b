"""Confidence intervals of metrics over queries."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from numbers import Integral
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch, check_scalar

from skrank._callers import warn_caller
from skrank._checks import (
    check_choice,
    check_instance,
    check_weights,
    numeric_array,
    shown,
)
from skrank._columns import KINDS, as_frame
from skrank._engine.summary import pooled_median, reciprocal
from skrank._text_tables import (
    TEXT,
    as_html,
    as_text,
    undefined_words,
)
from skrank._types import Clusters, FrameKind, Seed
from skrank.evaluation.catalogue import CatalogueScores
from skrank.evaluation.query_scores import QueryScores
from skrank.stats import anytime
from skrank.stats.inference import (
    Segment,
    Terms,
    by_value,
    check_level,
    difference,
    effective_hits,
    effective_units,
    estimates_of,
    hall,
    hall_of_moments,
    order_statistics,
    quantile_of_t,
    read_clusters,
    seed_of,
    segments_of,
    standard_error,
    studentized,
    sum_clusters,
    t_interval,
    terms_of,
    warn_of_few,
    wilson,
)
from skrank.stats.judged import ALONE, Judge
from skrank.stats.limited import Counted, bets, gaffke, in_limits

Method = Literal["auto", "wilson", "bounded", "hall", "t", "anytime", "bootstrap"]
METHODS = get_args(Method)
# With more values Hall's interval is the same as "bounded", and takes less time.
MOST_VALUES = 2000
# The methods that need values in known limits, with what returns the lower end.
IN_LIMITS = {"bounded": gaffke, "bets": bets}


@overload
def confidence_interval(
    scores: QueryScores | CatalogueScores, *,
    by: str | Sequence[str] | None = ...,
    confidence_level: float = ..., method: Method = ...,
    clusters: Clusters | None = ..., sample_weight: ArrayLike | None = ...,
    judge: QueryScores | None = ...,
    n_resamples: int = ..., random_state: Seed | None = ...,
) -> ConfidenceIntervals: ...  # fmt: skip
@overload
def confidence_interval(
    scores: ArrayLike, *, confidence_level: float = ..., method: Method = ...,
    clusters: Clusters | None = ..., sample_weight: ArrayLike | None = ...,
    n_resamples: int = ..., random_state: Seed | None = ...,
) -> Bunch: ...  # fmt: skip


def confidence_interval(
    scores,
    *,
    by=None,
    confidence_level=0.95,
    method="auto",
    clusters=None,
    sample_weight=None,
    judge=None,
    n_resamples=9999,
    random_state=0,
):
    r"""Confidence interval of the mean of a metric over queries.

    The queries are a sample; the interval covers the mean over all queries that they
    were drawn from. The estimate is the `summary` of the scores: a query where a metric
    is undefined counts as `replace_undefined_by`, or not at all if that is NaN.

    Parameters
    ----------
    scores : QueryScores, CatalogueScores or array-like of shape (n_queries,)
        The values of the queries. NaN in an array is left out, with a warning. Of a
        :class:`~skrank.metrics.CatalogueScores` they are its `interval`.
    by : str or list of str, default=None
        The key columns of a QueryScores, such as a country, whose values have intervals
        of their own: those of ``scores.where(country=...)``.
    confidence_level : float, default=0.95
        The level, between 0 and 1.
    method : {"auto", "wilson", "bounded", "hall", "t", ...}, default="auto"
        How the interval is computed:

        - "wilson": Wilson's score interval [1]_, for values that are 0 or 1 of a
          metric between 0 and 1. An array of zeros and ones is taken for hits. With
          clusters or weights, the interval is that of an effective number of queries;
        - "bounded": Gaffke's interval with half an observation at the limit [5]_, for
          a metric whose limits are known, such as NDCG. It also holds where few queries
          have values unlike those of the others;
        - "hall": Student's t, corrected for the skewness of the values [2]_;
        - "t": Student's t, with the standard error of the jackknife for clusters and
          weights;
        - "anytime": for those who look again whenever there are more queries, such as
          every night: the mean is in the intervals of all looks together with the
          probability `confidence_level`. They are 1.5 to 2 times as wide. Exact for a
          metric whose limits are known [6]_, else an approximation [4]_;
        - "bootstrap": the studentized bootstrap (bootstrap-t) [2]_;
        - "auto": "wilson" where it is possible, else "t" with clusters or weights, else
          "bounded" for at most 2,000 queries where it is possible, else "hall". The
          median of ranks has order statistics.
    clusters : str, array-like of shape (n_queries,) or list of them, default=None
        Queries that belong together, if it is not queries that were drawn
        independently but users with several queries, or entities. The name of a key
        column of `scores`, or one entry per query in the order of `scores.keys`. Two
        clusterings, such as ``["qid", "seed"]``, count together. If None, a query id
        that comes several times, as with several seeds, is one cluster.
    sample_weight : array-like of shape (n_queries,), default=None
        The weights of an array of values. A QueryScores has its own.
    judge : QueryScores, default=None
        Scores of the same rankers by the same metrics, with labels of a machine, for
        the queries of `scores` and many others. The queries of `scores`, which people
        judged, must be a random sample of them. The interval then covers the mean that
        people would find over all queries, and is narrower than without the judge
        [3]_. Where few queries decide how far the judge is from people, these count
        alone. It needs unweighted means, no `by`, `clusters` or `method`.
    n_resamples : int, default=9999
        The number of samples of the bootstrap.
    random_state : int, RandomState instance or None, default=0
        Draws the samples of the bootstrap.

    Returns
    -------
    interval : Bunch or ConfidenceIntervals
        Of an array one interval with the attributes `estimate`, `low`, `high`,
        `standard_error`, `n_queries`, `n_undefined` and `method`. Of a QueryScores a
        table of such intervals, by ranker and metric as its `summary` has them, and
        with `by` as ``summary(by)``. The
        ends are within the range of the metric. `n_queries` is the number of queries
        that count, and `n_undefined` that of queries where the metric is undefined.
        The range of an array is not known, unless it holds only zeros and ones. With a
        judge, further entries are `human` and `judge`, the means of both; `n_judged`,
        the number of queries of the judge; the `correlation` of their values; `worth`,
        how many queries judged by people alone one of them replaces; and
        `people_alone`, True if the interval is that of people alone.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or a metric is not a mean of the values of
        the queries, such as a variance of ranks.

    Warns
    -----
    UserWarning
        If there are too few queries for any finite interval, or few queries decide it,
        so that it may be too narrow: if the effective number of values,
        (sum d^2)^2 / sum d^4 of their deviations d from the mean, or of units,
        (sum b)^2 / sum b^2 of their weights b, is below 10. Also of NaN in an array.

    See Also
    --------
    compare_rankers : The difference of two rankers, which are better compared query by
        query than by two intervals.

    Notes
    -----
    With weights, or for a metric adjusted for chance, the estimate is a ratio of two
    sums :math:`R = \sum t_i / \sum b_i` over the units: queries, or clusters of
    them. Its standard error is that of the jackknife, with
    :math:`(\sum b_i)^2 / \sum b_i^2 - 1` degrees of freedom. Wilson's interval then has
    the quantile of Student's t, and :math:`R (1 - R) / se^2` queries, at most as many
    as there are. On samples of 20 real
    queries Hall's interval covers the mean in 92 to 98 of 100 cases, and Student's t in
    84 to 95.

    "bounded" has the quantiles of the mean with random weights of the values and of one
    more value, a limit [5]_: with :math:`(D_0, ..., D_n)` from the Dirichlet
    distribution with the parameters 1/2, 1, ..., 1 and values from 0 to 1, the lower
    end is that of :math:`\sum_{i > 0} D_i x_i`, and the upper end that of
    :math:`D_0 + \sum_{i > 0} D_i x_i`. They are computed by a saddlepoint approximation
    and do not depend on the order of the queries.

    "anytime" holds the means m that bets do not refute [6]_, if the limits of the
    metric are known and the queries count alike: with values from 0 to 1,
    :math:`E_u \prod_i (1 - u + u x_i / m) < 2 / \alpha` and the same for
    :math:`1 - x`, with u from the arcsine distribution. This is exact at all looks.
    Else it is an asymptotic confidence sequence [4]_, which is the narrowest at 200
    queries: with :math:`r^2 = 2 (1 + 1 / n \rho^2) \log(1 + \sqrt{n \rho^2 + 1} /
    \alpha)` and :math:`\rho^2 = 0.04` it is Hall's interval, or with clusters or
    weights Student's t or Wilson's, at the stricter level where the quantile of the
    normal distribution is r. Its first look should have 50 queries, or 20 whose values
    are not skewed. New queries must be drawn as the old ones were, and clusters be
    whole.

    References
    ----------
    .. [1] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
       Inference", JASA 22 (1927).
    .. [2] P. Hall,
       "The Bootstrap and Edgeworth Expansion" (1992).
    .. [3] A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++: Efficient Prediction-Powered
       Inference", arXiv:2311.01453 (2023).
    .. [4] I. Waudby-Smith, D. Arbour, R. Sinha, E. Kennedy, A. Ramdas, "Time-Uniform
       Central Limit Theory and Asymptotic Confidence Sequences", Annals of Statistics
       52 (2024).
    .. [5] N. Gaffke, "Three Test Statistics for a Nonparametric One-Sided Hypothesis on
       the Mean of a Nonnegative Variable", Mathematical Methods of Statistics 14
       (2005).
    .. [6] I. Waudby-Smith, A. Ramdas, "Estimating Means of Bounded Random Variables by
       Betting", JRSS B 86 (2024).

    Examples
    --------
    >>> from skrank.stats import confidence_interval
    >>> hits = confidence_interval([1, 1, 1, 0, 1, 1, 0, 1])
    >>> hits.estimate, round(hits.low, 3), round(hits.high, 3), hits.method
    (0.75, 0.409, 0.929, 'wilson')

    Of a QueryScores:

    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> scores = score_queries(y_true, y_true + rng.randn(600), "ndcg", qid=qid)
    >>> intervals = confidence_interval(scores)
    >>> print(intervals)
    60 queries, 95% intervals
    <BLANKLINE>
    metric  estimate          interval  method
    ndcg      0.9126  [0.8658, 0.9377]  bounded
    >>> round(intervals["ndcg"].low, 4)
    0.8658

    By segment:

    >>> by = {"country": np.where(qid % 2, "fr", "us")}
    >>> y_score = y_true + 2 * rng.randn(600)
    >>> scores = score_queries(y_true, y_score, "ndcg", qid=qid, by=by)
    >>> intervals = confidence_interval(scores, by="country")
    >>> print(intervals)
    60 queries by country, 95% intervals
    <BLANKLINE>
    country  metric  estimate          interval  method
    fr       ndcg      0.8303  [0.7464, 0.8810]  bounded
    us       ndcg      0.8598  [0.7802, 0.9011]  bounded
    >>> round(intervals["fr"]["ndcg"].low, 4)
    0.7464
    """
    check_level(confidence_level, "confidence_level", "confidence_interval")
    check_choice(method, METHODS, "method", "confidence_interval")
    check_scalar(n_resamples, "n_resamples", Integral, min_val=1)
    options = {
        "confidence_level": confidence_level,
        "method": method,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    if judge is not None:
        return _of_judge(scores, judge, by, clusters, sample_weight, options)
    if isinstance(scores, CatalogueScores):
        _check_of_lists(by, method, clusters, sample_weight)
        return scores.interval(confidence_level=confidence_level)
    if not isinstance(scores, QueryScores):
        if by is not None:
            raise ValueError(
                "The 'by' parameter of confidence_interval must be None for an array. "
                "Pass a QueryScores with key columns, such as that of score_queries."
            )
        return _of_array(scores, sample_weight, clusters, options)
    if sample_weight is not None:
        raise ValueError(
            "The 'sample_weight' parameter of confidence_interval must be None for a "
            "QueryScores. Pass the weights to score_queries."
        )
    found = _of_segments(scores, by, clusters, **options)
    without = [
        name
        for j, name in enumerate(scores.metrics)
        if any(of_ranker[j] is None for _, table in found for of_ranker in table)
    ]
    if without:
        others = [name for name in scores.metrics if name not in without]
        raise ValueError(
            "confidence_interval has no formula for metrics that are not means over "
            "queries, nor for medians with clusters, weights or method='anytime'. Got "
            f"{without}: select other metrics, such as scores[{others or ['mrr']}]."
        )
    rows = [
        Bunch(**entries, metric=metric, ranker=ranker, **interval)
        for entries, table in found
        for metric, of_metric in zip(
            scores.metrics, zip(*table, strict=True), strict=True
        )
        for ranker, interval in zip(scores.rankers, of_metric, strict=True)
    ]
    return ConfidenceIntervals(
        scores=scores,
        rows=tuple(rows),
        by=by,
        clusters=clusters,
        confidence_level=confidence_level,
    )


def _of_judge(scores, judge, by, clusters, sample_weight, options):
    """Return intervals of means, from values of people and of a machine."""
    given = {"by": by, "clusters": clusters, "sample_weight": sample_weight}
    given["method"] = None if options["method"] == "auto" else options["method"]
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"The {name!r} parameter of confidence_interval must be its default "
                f"with a judge. Got {shown(value)}. Select queries by scores.where()."
            )
    check_instance(scores, QueryScores, "scores", "confidence_interval")
    both, rows = Judge(scores, judge, "confidence_interval"), []
    level = options["confidence_level"]
    for j, metric in enumerate(scores.metrics):
        for i, ranker in enumerate(scores.rankers):
            found, terms = both.mean(i, j), both.terms[i][j]
            if found.is_of_few:
                interval, *_ = interval_of(terms, [], level, "auto")
                found.entries.update(ALONE)
            else:
                ends = hall(
                    found.estimate, found.error, found.df, found.skewness, level
                )
                terms = terms._replace(estimate=found.estimate)
                interval = _as_bunch(terms, *sorted(ends), found.error, "judge")
            rows.append(
                Bunch(metric=metric, ranker=ranker, **interval, **found.entries)
            )
    return ConfidenceIntervals(scores, tuple(rows), None, None, level)


def _check_of_lists(by, method, clusters, sample_weight):
    """Raise if an interval of scores of all lists is not to be by the jackknife."""
    given = {"by": by, "clusters": clusters, "sample_weight": sample_weight}
    given["method"] = None if method == "auto" else method
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"The {name!r} parameter of confidence_interval must be its default "
                "for CatalogueScores, whose intervals are by the jackknife over the "
                "lists. A bootstrap repeats lists, which then cover less. Got "
                f"{shown(value)}."
            )


def _name_of(metric, ranker, entries):
    """Return the words for an interval in warnings."""
    name = repr(metric)
    if ranker is not None:
        name += f" of {shown(ranker)}"
    return name + "".join(f", {key}={shown(value)}" for key, value in entries.items())


def _of_array(values, sample_weight, clusters, options):
    """Return the interval of an array of values."""
    values = numeric_array(values, "scores").astype(np.float64)
    if values.ndim != 1 or not len(values) or np.isinf(values).any():
        raise ValueError(
            "The 'scores' parameter must be a QueryScores, or an array of shape "
            "(n_queries,) of finite values or NaN, with at least one query. Got shape "
            f"{values.shape} instead."
        )
    n = len(values)
    weight = np.ones(n)
    if sample_weight is not None:
        weight = check_weights(sample_weight, n, "query")
    has_value = ~np.isnan(values)
    n_undefined = int((~has_value & (weight > 0)).sum())
    if n_undefined:
        warn_caller(
            f"{n_undefined:,} of {n:,} values are NaN. They are left out.", UserWarning
        )
    known = has_value & (weight > 0)
    bottom = np.where(known, weight, 0)
    top = np.where(known, values, 0) * bottom
    order = np.lexsort((top, bottom))  # the sum does not depend on that of the queries
    whole = bottom[order].sum()
    estimate = float(top[order].sum() / whole) if whole else np.nan
    terms = Terms(top, bottom, known, values[known], n_undefined, estimate)
    clusterings = []
    if clusters is not None:
        clusterings = read_clusters(clusters, {"qid": np.arange(n)})
    (found,), *few = _intervals_of([("these values", terms)], clusterings, **options)
    _warn_of_few(*few)
    return found


class Result:
    """A result with rows, by rankers and metrics, which prints as tables.

    What is made of it has the fields `scores`, `rows`, `by` and `clusters`, and the
    method `_tables`, which returns the title and the header and the cells of each
    table.
    """

    @property
    def rankers(self) -> tuple[str, ...]:
        """Return the names of the rankers."""
        return self.scores.rankers

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics."""
        return self.scores.metrics

    @property
    def n_units(self) -> int:
        """Return the number of units: queries, or clusters of them, with a weight.

        Some of the queries may be undefined, and left out of some rows.
        """
        weight, keys = self.scores.weight, self.scores.keys
        counts = np.ones(len(keys["qid"]), bool) if weight is None else weight > 0
        clusterings = read_clusters(self.clusters, keys)
        units = (
            np.unique(clusterings[0][counts]) if clusterings else counts.nonzero()[0]
        )
        return len(units)

    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        kind : {"pandas", "polars", "pyarrow"}, default=None
            The library of the data frame. If None, that of the data that was scored,
            and pandas for arrays.

        Returns
        -------
        frame : data frame
            The columns are the entries of `rows`.
        """
        check_choice(kind, {*KINDS, None}, "kind", "to_frame")
        names = [name for name, value in self.rows[0].items() if value is not None]
        columns = {}
        for name in names:
            values = [row[name] for row in self.rows]
            columns[name] = np.array(
                values, object if isinstance(values[0], str) else None
            )
        return as_frame(columns, kind or self.scores.table.kind)

    @property
    def segment_names(self) -> list[str]:
        """Return the names of the key columns of the segments."""
        if self.by is None:
            return []
        return [self.by] if isinstance(self.by, str) else list(self.by)

    @property
    def _left(self):
        """Return the columns of tables that are aligned on the left."""
        return [*self.segment_names, *TEXT]

    def _segment(self, row):
        """Return the label of the segment of a row."""
        values = tuple(row[name] for name in self.segment_names)
        return values[0] if isinstance(self.by, str) else values

    def _units(self):
        """Return how many units there are, and how many queries are undefined."""
        units = "queries" if self.clusters is None else "clusters of queries"
        by = f" by {', '.join(self.segment_names)}" if self.segment_names else ""
        undefined = undefined_words([row.n_undefined for row in self.rows])
        judged = ""
        if "judge" in self.rows[0]:
            judged = f" with human labels, {self.rows[0].n_judged:,} of the judge"
        return f"{self.n_units:,} {units}{by}{undefined}{judged}"

    def __str__(self):
        """Return the tables as text."""
        return as_text(*self._tables(), left=self._left)

    __repr__ = __str__

    def _repr_html_(self):
        """Return the tables for a notebook."""
        return as_html(*self._tables())


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceIntervals(Result, Mapping):
    """The confidence intervals of metrics, by ranker and metric.

    Made by :func:`confidence_interval`. It prints and shows in a notebook as a table,
    and is a mapping: ``intervals[ranker][metric]``, or ``intervals[metric]`` of one
    ranker without a name. By segment it is a mapping of these, by the value of the
    column or the tuple of values of several.

    Parameters
    ----------
    scores : QueryScores
        The values.
    rows : tuple of Bunch
        For each metric and ranker an interval with the entries metric, ranker,
        estimate, low, high, standard_error, n_queries, n_undefined and method; before
        them those of the segment, by the names of its columns.
    by, clusters, confidence_level : object
        The parameters of the intervals.

    See Also
    --------
    confidence_interval : Makes it.
    skrank.plot.MetricAtKDisplay : Draws such intervals against the cutoff.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.stats import confidence_interval
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> runs = {"old": y_true + 3 * rng.randn(600), "new": y_true + rng.randn(600)}
    >>> scores = score_queries(y_true, runs, ["ndcg", "hits@1"], qid=qid)
    >>> intervals = confidence_interval(scores)
    >>> print(intervals)
    60 queries, 95% intervals
    <BLANKLINE>
    metric  ranker  estimate          interval  method
    ndcg    new       0.8932  [0.8455, 0.9219]  bounded
    ndcg    old       0.8344  [0.7840, 0.8703]  bounded
    hits@1  new       0.8000  [0.6822, 0.8817]  wilson
    hits@1  old       0.6833  [0.5577, 0.7869]  wilson
    >>> round(intervals["new"]["ndcg"].low, 3)
    0.845
    """

    scores: QueryScores
    rows: tuple[Bunch, ...]
    by: object
    clusters: object
    confidence_level: float

    @cached_property
    def _named(self):
        """Return the rows by segment, ranker and metric, as far as there are names."""
        named = {}
        for row in self.rows:
            of_segment = named.setdefault(self._segment(row), {})
            of_segment.setdefault(row.ranker, {})[row.metric] = row
        if self.rankers == (None,):
            named = {label: of_segment[None] for label, of_segment in named.items()}
        return named if self.by is not None else named[()]

    def __getitem__(self, name):
        """Return the intervals of a segment or a ranker, or that of a metric."""
        return self._named[name]

    def __iter__(self):
        """Iterate over the segments, or the names of rankers or metrics."""
        return iter(self._named)

    def __len__(self):
        """Return the number of segments, rankers or metrics."""
        return len(self._named)

    @cached_property
    def _best_first(self):
        """Return the rows of each (segment, metric), the best ranker first.

        Without segments the label is ``()``.
        """
        groups = {}
        for row in self.rows:
            groups.setdefault((self._segment(row), row.metric), []).append(row)
        requests = dict(zip(self.metrics, self.scores.table.requests, strict=True))
        for (_, metric), rows in groups.items():
            value = [-requests[metric].direction * row.estimate for row in rows]
            order = np.argsort(np.nan_to_num(value, nan=np.inf), kind="stable")
            rows[:] = [rows[i] for i in order]
        return groups

    def _tables(self):
        by = self.segment_names
        header = [*by, "metric", "ranker", "estimate", "interval", "method"]
        rows = [
            [
                *(str(row[name]) for name in by),
                row.metric,
                row.ranker,
                f"{row.estimate:.4f}",
                shown_ends(row),
                row.method,
            ]
            for rows in self._best_first.values()
            for row in rows
        ]
        title = f"{self._units()}, {100 * self.confidence_level:g}% intervals"
        if "judge" in self.rows[0]:
            title += f". {OF_JUDGE}"
            header += JUDGED
            best_first = chain(*self._best_first.values())
            for line, row in zip(rows, best_first, strict=True):
                line += shown_judge(row)
        if self.rankers == (None,):
            place = header.index("ranker")
            for line in (header, *rows):
                del line[place]
        return title, [(header, rows)]


# The columns of what a judge adds, and what they say.
JUDGED = ("human", "judge", "correlation", "worth")
OF_JUDGE = (
    "With the judge, one query with human labels replaces `worth` of them, more for "
    "means than for differences. Where few queries decide how far the judge is from "
    "the human labels, these count alone"
)


def shown_judge(row):
    """Return the cells of what a judge adds to a row."""
    return [
        f"{row.human:.4f}",
        f"{row.judge:.4f}",
        f"{row.correlation:.2f}",
        "human alone" if row.people_alone else f"{row.worth:.1f}",
    ]


def shown_ends(interval):
    """Return the ends of an interval as text."""
    if np.isnan(interval.low):
        return "-"
    return f"[{interval.low:.4f}, {interval.high:.4f}]"


def interval_table(scores, **options):
    """Return the intervals of a QueryScores, in a list for each ranker.

    The options are those of :func:`skrank.stats.confidence_interval`. A metric without
    a formula has None.
    """
    ((_, found),) = _of_segments(scores, None, None, **options)
    return found


def _of_segments(scores, by, clusters, **options):
    """Return (entries of a segment, its intervals in a list for each ranker)."""
    table = scores.table
    clusterings = read_clusters(clusters, table.keys)
    segments = [Segment({}, slice(None), table, clusterings)]
    if by is not None:
        segments = segments_of(table, by, clusters, clusterings, "confidence_interval")
    found, few_values, few_units = [], {}, {}
    for segment in segments:
        intervals, *few = _of_table(segment, **options)
        found.append((segment.entries, intervals))
        few_values |= few[0]
        few_units |= few[1]
    _warn_of_few(few_values, few_units)
    return found


def _of_table(
    segment, confidence_level=0.95, method="auto", n_resamples=9999, random_state=0
):
    """Return the intervals of a segment by ranker, and what few of it decide."""
    table, clusterings = segment.table, segment.clusterings
    estimates, places, named = estimates_of(table), [], []
    for i, of_ranker in enumerate(terms_of(table, estimates)):
        for j, terms in enumerate(of_ranker):
            if terms is not None:
                name = _name_of(
                    table.requests[j].key, table.rankers[i], segment.entries
                )
                places.append((i, j))
                named.append((name, terms))
    intervals, *few = _intervals_of(
        named, clusterings, confidence_level, method, n_resamples, random_state
    )
    found = dict(zip(places, intervals, strict=True))
    for i, j in np.ndindex(len(table.rankers), len(table.requests)):
        is_median = table.requests[j].metric.pool is pooled_median
        if is_median and method != "anytime":
            found[i, j] = _interval_of_median(
                table, i, j, estimates[i][j], clusterings, confidence_level
            )
    of_rankers = [
        [found.get((i, j)) for j in range(len(table.requests))]
        for i in range(len(table.rankers))
    ]
    return of_rankers, *few


def _intervals_of(
    named, clusterings, confidence_level, method, n_resamples, random_state
):
    """Return the intervals of (name, :class:`Terms`).

    Also the effective numbers of values, and of units, that decide each, by name.
    """
    named, resampled = list(named), {}
    for name, terms in named:
        check_method(method, terms, clusterings, name)
    if method == "bootstrap":
        resampled = bootstrap(
            [terms for _, terms in named],
            clusterings,
            confidence_level,
            n_resamples,
            random_state,
        )
    intervals, few_values, few_units = [], {}, {}
    for place, (name, terms) in enumerate(named):
        ends = resampled[place] if len(resampled) else None
        interval, n_values, n_units = interval_of(
            terms, clusterings, confidence_level, method, ends
        )
        intervals.append(interval)
        few_values[name], few_units[name] = n_values, n_units
    return intervals, few_values, few_units


def _warn_of_few(few_values, few_units):
    """Warn of intervals that few values or few units decide."""
    warn_of_few(
        few_values,
        "values, (sum d^2)^2 / sum d^4 of their deviations d from the mean,",
        "interval",
    )
    warn_of_few(few_units, "units, (sum b)^2 / sum b^2 of their weights b,", "interval")


def interval_of(terms, clusterings, confidence_level, method, resampled=None):
    """Return the interval of one summary as a Bunch, and two effective numbers.

    `resampled` is the (low, high) of the ratio by the bootstrap, with that method. The
    numbers are those of values and of units; infinite where the interval allows for
    them.
    """
    known = terms.known
    order = by_value(terms.top[known, None], terms.bottom[known, None])
    top, bottom = terms.top[known][order], terms.bottom[known][order]
    clusterings = [clusters[known][order] for clusters in clusterings]
    n_queries = int(known.sum())
    if not bottom.any():
        return _undefined(terms, method), np.inf, np.inf
    is_plain = terms.is_mean and not clusterings
    if is_plain and resampled is None:
        top = top / bottom[0]
        ratio = top.mean()
        sample = _Sample(n_queries, _powers(top, ratio), _counted(terms, method))
        return *_of_sample(terms, ratio, sample, confidence_level, method), np.inf
    ratio, asked = top.sum() / bottom.sum(), method
    error, df = map(float, standard_error(top, bottom, clusterings))
    if method == "anytime":
        confidence_level = anytime.level_of_interval(confidence_level, df + 1)
    if method in ("auto", "anytime"):
        method = "wilson" if terms.is_binary else "t"
    if method == "wilson":
        units = [
            sum_clusters(top, bottom, clusters)[1] for clusters in clusterings or [None]
        ]
        n = effective_hits(ratio, error, min(units, key=effective_units), n_queries)
        ends = wilson(ratio, n, quantile_of_t(confidence_level, df))
    elif method == "t":
        ends = t_interval(ratio, error, df, confidence_level)
    else:
        ends = resampled
    low, high, error = _of_ratio(terms, ratio, ends, error)
    name = asked if asked == "anytime" else method
    interval = _as_bunch(terms, low, high, error, name)
    if not np.isfinite([low, high]).all():
        n_units = min(
            [n_queries, *(len(np.unique(clusters)) for clusters in clusterings)]
        )
        _warn_of_no_ends(n_units, name)
        return interval, np.inf, np.inf
    n_values = np.inf
    if method != "wilson":
        second, _, fourth = _powers(top, ratio * bottom)
        n_values = second**2 / fourth if fourth > 0 else 0.0
    return interval, n_values, np.inf if is_plain else df + 1


class _Sample(NamedTuple):
    """The values of queries that count alike, as their interval needs them.

    `powers` are the sums of those of the deviations from the mean: d^2, d^3 and d^4.
    """

    n: int
    powers: ArrayLike
    counted: Counted | None = None


def _powers(top, centre):
    """Return the sums of the powers of deviations, 0 where they are rounding errors."""
    deviation = difference(top, centre)
    return np.array([(deviation**power).sum() for power in (2, 3, 4)])


def _counted(terms, method):
    """Return the values counted in their limits, where an interval may need that."""
    limits = terms.limits_of_values
    if limits is None or method not in ("auto", "bounded", "anytime"):
        return None
    if method == "auto" and len(terms.values) > MOST_VALUES:
        return None
    return Counted.of(terms.values, limits)


def _of_sample(terms, ratio, sample, confidence_level, asked):
    """Return the interval of a plain mean, and the effective number of values."""
    n, (second, third, fourth), counted = sample
    limits, method = terms.limits_of_values, asked
    if method == "auto":
        is_bounded = limits is not None and n <= MOST_VALUES
        method = "bounded" if is_bounded else "hall"
        method = "wilson" if terms.is_binary else method
    if method == "anytime":
        method = "bets"
        if limits is None:
            confidence_level = anytime.level_of_interval(confidence_level, n)
            method = "hall"
    error = float(np.sqrt(second / n / (n - 1))) if n > 1 else np.nan
    if method == "wilson":
        quantile = float(norm.ppf((1 + confidence_level) / 2))
        ends = wilson(ratio, n, quantile)
    elif method in IN_LIMITS:
        tail = (1 - confidence_level) / 2
        ends = in_limits(limits, partial(IN_LIMITS[method], tail=tail), counted)
    elif method == "hall":
        ends = hall_of_moments(n, ratio, second / n, third / n, confidence_level)
    else:
        ends = t_interval(ratio, error, n - 1, confidence_level)
    low, high, error = _of_ratio(terms, ratio, ends, error)
    interval = _as_bunch(
        terms, low, high, error, asked if asked == "anytime" else method
    )
    if not np.isfinite([low, high]).all():
        _warn_of_no_ends(n, interval.method)
        return interval, np.inf
    if method == "wilson" or method in IN_LIMITS:  # which allow for what is not seen
        return interval, np.inf
    return interval, second**2 / fourth if fourth > 0 else 0.0


def _warn_of_no_ends(n_units, method):
    warn_caller(
        "The confidence interval has no end but the limits of the metric: it needs "
        "at least two queries, or clusters of them. The bootstrap, and 1 over a "
        f"mean that may be 0, can need more. Got {n_units} of them, and the method "
        f"{method!r}.",
        UserWarning,
    )


def check_method(method, terms, clusterings, name):
    """Raise if a method does not fit the values of a metric."""
    reason = None
    is_plain = terms.is_mean and not clusterings
    if method in ("hall", "bounded") and not is_plain:
        reason = "unclustered and unweighted queries"
    elif method == "bounded" and terms.limits_of_values is None:
        reason = "the mean of a metric whose limits are known, such as NDCG"
    elif method == "wilson" and not terms.is_binary:
        reason = "values that are 0 or 1, of a metric between 0 and 1"
    if reason is not None:
        raise ValueError(
            f"The 'method' parameter of confidence_interval must not be {method!r} for "
            f"{name}: that needs {reason}. Pass method='auto'."
        )


def _of_ratio(terms, ratio, ends, error):
    """Return (low, high, standard error) of the summary from those of the ratio."""
    link = terms.summary
    with np.errstate(all="ignore"):
        if terms.is_reciprocal:  # unbounded if the interval of the ratio reaches 0
            side = np.sign(ratio)
            ends = side * np.maximum(side * np.asarray(ends), 0)
        low, high = sorted(link(end) for end in ends)
        if not terms.is_linear:  # it stretches the standard error by its slope
            step = 1e-6 * max(abs(ratio), 1e-6)
            error *= abs(link(ratio + step) - link(ratio - step)) / (2 * step)
    return low, high, error


def _as_bunch(terms, low, high, error, method):
    """Return an interval within the limits of the metric that holds its estimate."""
    least, most = terms.limits
    return Bunch(
        estimate=terms.estimate,
        low=min(max(low, least), terms.estimate),
        high=max(min(high, most), terms.estimate),
        standard_error=float(error),
        n_queries=int(terms.known.sum()),
        n_undefined=terms.n_undefined,
        method=method,
    )


def _interval_of_median(table, i, j, estimate, clusterings, confidence_level):
    """Return the interval of a median by order statistics; None with weights."""
    request, measured = table.requests[j], table.measured[i][j]
    options = request.options
    is_plain = not clusterings and table.weight is None
    if not is_plain or options.adjusted or options.average == "weighted":
        return None
    undefined, instead = np.isnan(measured.values), options.replace_undefined_by
    instead = reciprocal(instead) if request.metric.inverse else instead
    values = np.where(undefined, instead, measured.values)
    known = ~np.isnan(values)
    n_undefined = int(undefined.sum())
    terms = Terms(values, known, known, values[known], n_undefined, estimate, request)
    method = "order statistics"
    if not known.any():
        return _undefined(terms, method)
    ends = order_statistics(values[known], confidence_level)
    if np.isinf(ends).any():
        warn_caller(
            "The confidence interval of the median has no end but the limits of the "
            f"metric: {known.sum()} queries are too few for the level "
            f"{confidence_level}.",
            UserWarning,
        )
    if request.metric.inverse:
        with np.errstate(divide="ignore"):
            ends = np.divide(1, np.maximum(ends, 0))
    low, high = sorted(float(request.sign * end) for end in ends)
    return _as_bunch(terms, low, high, np.nan, method)


def _undefined(terms, method):
    """Return an interval without ends, and warn of it."""
    warn_caller(
        "The metric is undefined for every query, and so is its interval.",
        UndefinedMetricWarning,
    )
    return _as_bunch(terms, np.nan, np.nan, np.nan, method)


def bootstrap(columns, clusterings, confidence_level, n_resamples, random_state):
    """Return (low, high) of each ratio by the studentized bootstrap."""
    if not columns:
        return []
    if len(clusterings) > 1:
        raise ValueError(
            "The 'clusters' parameter of confidence_interval must be one clustering "
            "with method='bootstrap'. Got two."
        )
    sums = [
        sum_clusters(terms.top, terms.bottom, *clusterings or [None])
        for terms in columns
    ]
    top, bottom = (np.column_stack(column) for column in zip(*sums, strict=True))
    order = by_value(top, bottom)
    ends = studentized(
        top[order],
        bottom[order],
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=seed_of(random_state),
    )
    return ends.T
