"""Metrics of all candidates, estimated from the ranks among a sample of them."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import gammaln

from skrank._engine.answer import Arrays, answer_all, read_arrays
from skrank._engine.asked import read_requests
from skrank._engine.request import RANKED_BY, Options
from skrank._input.checks import check_choice, numeric_array, shown
from skrank._ranking.arrays import TieGroups
from skrank._ranking.queries import RankedQueries, law_of_first
from skrank._text.docs import MetricsLike


def evaluate_sampled(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metrics: MetricsLike,
    *,
    qid: ArrayLike | None = None,
    n_candidates: int | ArrayLike,
    estimate: Literal["em", "rank"] = "em",
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> dict[str, Any]:
    """Estimate metrics of all candidates from rows with a sample of them.

    The rows of a user are the relevant items and other items, drawn at random. The
    metrics of such rows are too good, and can put two models in the wrong order [1]_.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
        The grades and the predicted scores, of all relevant documents of a query.
    metrics : str, callable, or list or dict of them
        Scorer names and functions, as in :func:`evaluate`.
    qid : array-like of shape (n_samples,), default=None
        The query id of each row, rows in any order; None for a matrix, or at most 100
        rows of one query.
    n_candidates : int or array-like of int, of the shape of `sample_weight`
        How many documents a query has without sampling, with the relevant ones.
    estimate : {"em", "rank"}, default="em"
        What is estimated from the sample, and where it is reliable: see
        :class:`~skrank.link_prediction.SampledNegatives`.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weights, equal for all rows of a query.
    **params
        Further parameters of the metrics, such as `threshold` or `gain`.

    Returns
    -------
    scores : dict of str to float
        The estimate of each metric, by name.

    Raises
    ------
    ValueError
        If a metric is more than a mean over ranks of relevant documents, as MAP is, or
        a parameter has an invalid value.

    See Also
    --------
    query_auc_score : Unbiased on the rows as they are.

    Notes
    -----
    Of the N candidates that are not relevant, n stand above the j-th relevant one,
    which has the rank j + n. Of m sampled ones x stand above it, a binomial number with
    the probability n / N. So each relevant document is the target of an estimate: the
    first one for MRR, Hits@k and ranks, and all of them for recall, precision,
    F-measure and (N)DCG, which are sums over them. The mean rank of "rank" is unbiased.
    Other metrics are not polynomials in n of degree m, and have no unbiased estimate.

    References
    ----------
    .. [1] W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation",
       KDD 2020.

    Examples
    --------
    >>> from skrank.metrics import evaluate_sampled
    >>> y_true, y_score = [[1, 0, 0, 0], [1, 0, 0, 0]], [[5, 9, 4, 3], [8, 7, 2, 1]]
    >>> of_301 = {"n_candidates": 301, "estimate": "rank"}
    >>> evaluate_sampled(y_true, y_score, "neg_mean_rank", **of_301)
    {'neg_mean_rank': -51.0}
    """
    check_choice(estimate, ("em", "rank"), "estimate", "evaluate_sampled")
    requests = read_requests(metrics, params, "evaluate_sampled")
    arrays = read_arrays(
        y_true=y_true, y_score=y_score, qid=qid, sample_weight=sample_weight
    )
    counts = numeric_array(n_candidates, "n_candidates")
    if counts.ndim == 0:
        counts = np.full(len(arrays.y_score), counts)
    return answer_all(requests, _SampledRows(arrays, counts, estimate))


@dataclass(frozen=True)
class _SampledRows:
    """Rows with a sample of the candidates, as :func:`answer_all` reads them."""

    arrays: Arrays
    n_candidates: NDArray[Any]
    estimate: str
    rankings: dict[Any, Any] = field(default_factory=dict)

    @property
    def sample_weight(self):
        return self.arrays.sample_weight

    def resolved(self, by):
        return self.arrays.resolved(by)

    def ranking(self, by, depth):
        """Return the ranking by some options; made once."""
        for name in set(RANKED_BY) - {"threshold", "ties"}:
            default = getattr(Options, name)
            if getattr(by, name) != default:
                raise ValueError(
                    f"The '{name}' parameter of evaluate_sampled must be {default!r}. "
                    f"Got {getattr(by, name)!r} instead."
                )
        key = by.threshold, by.ties
        if key not in self.rankings:
            self.rankings[key] = self._estimated(self.arrays.ranking(by, None))
        return self.rankings[key]

    def _estimated(self, sample):
        try:  # equal for all rows of a query, as weights are
            n_candidates = sample.query_weights(self.n_candidates)
        except ValueError:
            n_candidates = np.zeros(sample.n_queries)
        n_negatives = sample.n_documents - sample.n_relevant
        bad = (n_candidates < sample.n_documents) | (n_candidates % 1 != 0)
        if bad.any():
            raise ValueError(
                "The 'n_candidates' parameter of evaluate_sampled must be an int, or "
                "one that is equal for all rows of a query, at least the number of its "
                f"rows. Got {shown(self.n_candidates.tolist())}, and "
                f"{sample.n_documents[bad][0]} rows of query "
                f"{shown(sample.ids[bad][:1].tolist()[0])}."
            )
        bad = (n_negatives == 0) & (n_candidates > sample.n_relevant)
        if bad.any():
            raise ValueError(
                "evaluate_sampled needs a row that is not relevant of each query, a "
                "sample of its other candidates. Got none of query "
                f"{shown(sample.ids[bad][:1].tolist()[0])}."
            )
        weight = sample.query_weights(self.sample_weight)
        rest = self.estimate, n_negatives, weight
        return EstimatedRanking.of_rows(sample, n_candidates.astype(np.intp), *rest)


# Ranks are distinguished by this many bins, or by more if the sample is large.
N_BINS = 400
N_STEPS = 300

# Numbers of candidates that differ by less than this fraction count as the same.
SAME_SIZE = 0.02

# Ranks of a smaller probability are left out.
NEGLIGIBLE = 1e-9

NO_CUTOFFS = (
    "Ranks that are estimated from a sample have no cutoff that differs between "
    "queries, as r_precision and mean_precision have. Pass a metric with a cutoff k."
)

# A probability of exactly 0 or 1 would rule out what rounded sizes make likely.
UNLIKELY = 1e-9


class EstimatedRanking(RankedQueries):
    """Ranks among all candidates that are estimated from ranks among a sample.

    `groups` are the tie groups in the sample, below so many non-relevant documents.
    """

    ranks_are_estimated = True

    def __init__(self, groups, n_documents, lists, estimate, n_negatives, weight):
        # A document can be anywhere.
        size = n_documents[groups.query]
        super().__init__(groups._replace(above=0, size=size), n_documents, lists)
        del self.above  # is the error below from now on
        self._in_sample, self._n_negatives = groups, n_negatives
        self._estimate, self._weight = estimate, weight

    @classmethod
    def of_rows(cls, sample, n_candidates, *estimate):
        """Return estimates from the ranking of rows with a sample of the candidates."""
        above = sample.above - sample.relevant_above
        groups = sample.query, above, sample.size, sample.relevant, sample.grade
        return cls(TieGroups(*groups), n_candidates, sample.lists, *estimate)

    @cached_property
    def above(self):
        """Raise, since only the distribution of the rank is estimated."""
        raise ValueError(
            "Ranks that are estimated from a sample have only metrics of the rank, "
            "such as 'mrr', 'hits@10' and 'mean_rank'. Rank all candidates, "
            "or take the metric of the ranks in the sample, by evaluate or by "
            "SampledNegatives(..., estimate=None)."
        )

    def mean_over_places(self, weight, k=None):
        """Return the expected weight of a relevant document of each tie group."""
        k = k[self.query] if isinstance(k, np.ndarray) else k
        return self._of_each.expected(weight, k)

    def first_rank_law(self, k=None):
        """Return the probability of the ranks of each query, given its sampled rank."""
        unit, rank, probability = self._of_first.law
        return self.query[self.first[unit]], rank, probability

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value at the rank of the first relevant document."""
        expected = self.where_relevant(missing)
        expected[self.query[self.first]] = self._of_first.expected(value, k)
        return expected

    @cached_property
    def _of_first(self):
        """Return the estimated rank of the first relevant document of each query."""
        groups = TieGroups(*(one[self.first] for one in self._in_sample[:4]), None)
        unit, rank, probability = law_of_first(*groups[1:4], None)
        above = Places(unit, rank - 1, np.zeros(len(unit), dtype=np.intp), probability)
        return self._estimated(above, groups.query, 1.0)

    @cached_property
    def _of_each(self):
        """Return the estimated rank of a relevant document of each tie group."""
        groups, before = self._in_sample, self.relevant_above
        places = places_in_groups(groups.size - groups.relevant, groups.relevant)
        unit = places.unit
        above, before = groups.above[unit] + places.above, before[unit] + places.before
        places = places._replace(above=above, before=before)
        share = groups.relevant / np.maximum(self.n_relevant, 1)[groups.query]
        return self._estimated(places, groups.query, share)

    def _estimated(self, places, query, share):
        weight = np.ones(self.n_queries) if self._weight is None else self._weight
        n_others = self.n_documents - self.n_relevant
        sizes = n_others[query], self._n_negatives[query]
        return RankEstimate(places, *sizes, weight[query] * share, self._estimate)


class Places(NamedTuple):
    """The places that units, which are relevant documents, may have in a sample."""

    unit: np.ndarray
    above: np.ndarray  # how many negatives of the sample stand above it
    before: np.ndarray  # and how many relevant documents
    probability: np.ndarray


def places_in_groups(others, relevant):
    """Return the Places of a relevant document of each tie group within its group."""
    n_places = relevant * (others + 1)
    unit = np.repeat(np.arange(len(relevant)), n_places)
    place = np.arange(len(unit)) - np.repeat(np.cumsum(n_places) - n_places, n_places)
    r, d = relevant[unit], others[unit]
    before, above = np.divmod(place, d + 1)

    def log_ways(n, x):
        return gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)

    # Each of the r + d places is as likely for a document, and of the place i + x + 1
    # P(i relevant and x others before it) = C(r - 1, i) C(d, x) / C(r + d - 1, i + x).
    ways = log_ways(r - 1, before) + log_ways(d, above)
    ways -= log_ways(r + d - 1, before + above)
    probability = np.where(r == 1, 1.0, np.exp(ways)) / (r + d)
    return Places(unit, above, before, probability)


class RankEstimate:
    """The ranks of units among all candidates, estimated from their Places in a sample.

    Except by "rank", the ranks R below other candidates fall into bins. With 3 of 5
    negatives above a target that has 100 other candidates:

        bin, by its middle rank R          1    2    3  ...   61  ...  101
        P(a negative is above the target)  0  .01  .02  ...  .60  ...    1
        P(3 of 5 are above it)             0  1e-5 8e-5 ...  .35  ...    0
    """

    def __init__(self, places, n_others, n_negatives, weight, estimate):
        self._places, self._n_units = places, len(n_others)
        self._n_candidates, self._n_negatives = n_others + 1, n_negatives
        self._weight, self._estimate = weight, estimate

    def expected(self, value, k=None):
        """Return the expected value at the rank of each unit, 0 beyond `k`."""
        if not self._n_units:
            return np.zeros(0)

        def values_at(rank, k=k):
            try:
                values = np.asarray(value(rank), dtype=np.float64)
            except IndexError:  # by ranks that are not integers
                raise ValueError(NO_CUTOFFS) from None
            return values if k is None else np.where(rank <= k, values, 0.0)

        by_unit = isinstance(k, np.ndarray)
        if self._estimate == "rank":
            unit, rank, probability = self.law
            values = values_at(rank, k[unit] if by_unit else k)
            return np.bincount(unit, probability * values, self._n_units)
        if by_unit:
            raise ValueError(NO_CUTOFFS)
        (rank, _), law = self._bins, self._law_of_kinds
        return sum(
            of_unit @ (law @ values_at(rank + before))
            for before, of_unit in self._units_of_kinds.items()
        )

    @cached_property
    def law(self):
        """Return (unit, rank, probability): the ranks that each unit may have."""
        unit, above, before, probability = self._places
        if self._estimate == "rank":
            spread = (self._n_candidates - 1) / np.maximum(self._n_negatives, 1)
            return unit, 1 + spread[unit] * above + before, probability
        law = self._law_of_kinds
        law = sparse.csr_array(np.where(law < NEGLIGIBLE, 0, law))
        (of_unit,) = self._units_of_kinds.values()  # first ones have none before them
        law = (of_unit @ law).tocoo()
        rank, _ = self._bins
        return law.row, rank[law.col], law.data

    @cached_property
    def _kinds(self):
        """Return (place, probability, kind, above, n_negatives, n_candidates).

        Places of one kind have as many negatives above them, in samples of one size
        from as many candidates.
        """
        unit, above, _, probability = self._places
        # A realistic rank between two ranks is each of them with probability 1 / 2.
        low, high = np.floor(above).astype(np.intp), np.ceil(above).astype(np.intp)
        place, above = np.tile(np.arange(len(unit)), 2), np.concatenate([low, high])
        probability = np.tile(probability / 2, 2)
        step = np.round(np.log(self._n_candidates) / SAME_SIZE)
        sizes = np.column_stack([self._n_negatives, step.astype(np.intp)])
        sizes, group = np.unique(sizes, axis=0, return_inverse=True)
        group = group.reshape(-1)
        mean_size = np.bincount(group, self._n_candidates) / np.bincount(group)
        n_above = above.max(initial=0) + 1
        codes = group[unit[place]] * n_above + above
        codes, kind = np.unique(codes, return_inverse=True)
        group, above = np.divmod(codes, n_above)
        sizes = sizes[group, 0], mean_size[group]
        return place, probability, kind.reshape(-1), above, *sizes

    @cached_property
    def _units_of_kinds(self):
        """Return which unit is of which kind, by the relevant documents before it."""
        place, probability, kind, above, *_ = self._kinds
        unit, before = self._places.unit[place], self._places.before[place]
        shape, found = (self._n_units, len(above)), {}
        for number in np.unique(before).tolist():
            at = before == number
            cells = probability[at], (unit[at], kind[at])
            found[number] = sparse.csr_array(cells, shape=shape)
        return found

    @cached_property
    def _bins(self):
        """Return (rank, mass): the middle of each bin, and what log-uniform ranks have.

        The lowest ranks have a bin each.
        """
        largest = int(self._n_candidates.max(initial=1))
        n_negatives = self._n_negatives.max(initial=1)
        n_bins = max(N_BINS, int(2 * np.log(largest) * np.sqrt(n_negatives)))
        edges = np.unique(np.round(np.geomspace(1, largest + 1, n_bins + 1)))
        return (edges[:-1] + edges[1:] - 1) / 2, np.diff(np.log(edges))

    @cached_property
    def _law_of_kinds(self):
        """Return the probability of each bin given a kind, (n_kinds, n_bins).

        It makes the sampled ranks most likely. The ranks R of all queries are drawn
        from one unknown distribution q over bins, and the negatives above a target are
        binomial: C(m, x) p^x (1 - p)^(m - x) with p = (R - 1) / (n - 1). Expectation
        maximization starts from a uniform log R (Li et al., KDD 2020; Jin et al., AAAI
        2021).
        """
        _, _, _, above, n_negatives, n_candidates = self._kinds
        rank, start = self._bins
        n_candidates = np.maximum(n_candidates, 1 + UNLIKELY)[:, np.newaxis]
        p = (rank - 1) / (n_candidates - 1)
        beyond = np.floor(rank) > np.ceil(n_candidates)
        p = np.where(beyond, np.nan, np.clip(p, UNLIKELY, 1 - UNLIKELY))
        above, below = above[:, np.newaxis], (n_negatives - above)[:, np.newaxis]
        log_likelihood = above * np.log(p) + below * np.log1p(-p)
        log_likelihood -= np.nanmax(log_likelihood, axis=1, keepdims=True)
        likelihood = np.nan_to_num(np.exp(log_likelihood), nan=0.0)
        of_unit = sum(self._units_of_kinds.values())
        weight = of_unit.T @ (self._weight / self._weight.sum())
        law = start / start.sum()
        for _ in range(N_STEPS):
            # q(R) <- sum_i w_i q(R) P(x_i | R) / sum_R' q(R') P(x_i | R')
            law = law * ((weight / (likelihood @ law)) @ likelihood)
        joint = likelihood * law
        return joint / joint.sum(axis=1, keepdims=True)
