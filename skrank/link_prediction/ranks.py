"""The ranks of targets, their summaries, and estimates from sampled negatives."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from skrank._checks import check_choice
from skrank._docs import share_link_words
from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_name, parse_name, read_metric
from skrank._engine.request import Metric
from skrank._ranking.arrays import TieGroups, resolve_ties
from skrank._ranking.queries import RankedQueries, law_of_first
from skrank._ranking.targets import OneTarget
from skrank._types import LinkConvention, LinkTies, MetricsLike
from skrank.evaluation.evaluate import read_requests

# Errors name the function that most users call.
CALLER = "evaluate_link_prediction"
TIES = ("expected", "optimistic", "pessimistic", "realistic")
AVERAGES = ("rank", "question")
METRICS = ("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10")
GROUPS = ("side", "relation", "category", None)


@dataclass(frozen=True, eq=False)
class LinkRanks:
    """The ranks of the heads and tails of triples.

    Made by :func:`rank_triples`. All arrays have one entry for each triple and side,
    first all heads and then all tails.

    Parameters
    ----------
    side : ndarray of str of shape (n_ranks,)
        The predicted entity, the target: "head" or "tail".
    triple : ndarray of int of shape (n_ranks,)
        The row of the triple.
    relation : ndarray of shape (n_ranks,)
        The relation of the triple.
    category : ndarray of str of shape (n_ranks,)
        The category of the relation: "1-1", "1-n", "n-1" or "n-n".
    above, tied : ndarray of int of shape (n_ranks,)
        The number of candidates, or of negatives in a sample, that score higher than
        the target, and of other ones that score the same.
    n_candidates : ndarray of int of shape (n_ranks,)
        The number of candidates, including the target.
    weight : ndarray of float of shape (n_ranks,)
        One over the number of ranks that answer the same question, the pair of an
        entity and a relation: the weights for ``average="question"``.
    n_negatives : ndarray of int of shape (n_ranks,) or None, default=None
        The size of the sample from which the ranks are estimated.
    estimate : {"em", "bias-variance", "rank"} or None, default=None
        How metrics are estimated from the sample, as in :class:`SampledNegatives`.

    Attributes
    ----------
    optimistic, pessimistic, realistic : ndarray of float of shape (n_ranks,)
        The best and the worst rank that ties allow, and their mean.

    See Also
    --------
    rank_triples : Make one from a model and triples.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor, rank_triples
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> ranks = rank_triples(model, nations.test[:3], known=nations.valid)
    >>> ranks.side.tolist()
    ['head', 'head', 'head', 'tail', 'tail', 'tail']
    >>> ranks.realistic.tolist()
    [10.5, 2.0, 2.5, 5.5, 3.5, 7.5]
    >>> ranks.evaluate(["mrr"], by="side", ties="optimistic")
    {'head': {'mrr': 0.7037...}, 'tail': {'mrr': 0.3253...}}
    """

    side: NDArray[Any]
    triple: NDArray[Any]
    relation: NDArray[Any]
    category: NDArray[Any]
    above: NDArray[Any]
    tied: NDArray[Any]
    n_candidates: NDArray[Any]
    weight: NDArray[Any]
    n_negatives: NDArray[Any] | None = None
    estimate: Literal["em", "bias-variance", "rank"] | None = None

    def __len__(self) -> int:
        """Return the number of ranks.

        Returns
        -------
        n_ranks : int
            One for each triple and side.
        """
        return len(self.side)

    @property
    def optimistic(self) -> NDArray[np.float64]:
        """The best rank that ties allow."""
        return self._rank(self.above)

    @property
    def pessimistic(self) -> NDArray[np.float64]:
        """The worst rank that ties allow."""
        return self._rank(self.above + self.tied)

    @property
    def realistic(self) -> NDArray[np.float64]:
        """The mean of the best and the worst rank."""
        return self._rank(self.above + self.tied / 2)

    def _rank(self, above):
        return 1 + above * self._spread

    @property
    def _spread(self):
        """How many candidates a negative of the sample stands for."""
        if self.estimate is None:
            return np.ones(len(self))
        return (self.n_candidates - 1) / np.maximum(self.n_negatives, 1)

    def select(self, where: NDArray[np.bool_] | int | slice) -> LinkRanks:
        """Return some of the ranks.

        Parameters
        ----------
        where : ndarray of bool or int, or slice
            Which ranks.

        Returns
        -------
        ranks : LinkRanks
            These ranks.
        """
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {
            name: column[where] if isinstance(column, np.ndarray) else column
            for name, column in columns.items()
        }
        return LinkRanks(**kept)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the ranks as columns, ready for a data frame.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_ranks,)
            "side", "triple", "relation", "category", "optimistic", "pessimistic",
            "realistic" and "n_candidates".
        """
        names = ["side", "triple", "relation", "category"]
        names += ["optimistic", "pessimistic", "realistic", "n_candidates"]
        return {name: getattr(self, name) for name in names}

    @overload
    def evaluate(
        self, metrics: MetricsLike = ..., *, ties: LinkTies | None = ...,
        average: Literal["rank", "question"] = ..., by: None = ...,
        convention: LinkConvention | None = ..., **params: Any,
    ) -> dict[str, float]: ...  # fmt: skip
    @overload
    def evaluate(
        self, metrics: MetricsLike = ..., *, by: str, **params: Any
    ) -> dict[Any, dict[str, float]]: ...

    @share_link_words
    def evaluate(
        self,
        metrics=METRICS,
        *,
        ties=None,
        average="rank",
        by=None,
        convention=None,
        **params,
    ):
        """Summarize the ranks by metrics.

        Parameters
        ----------
        **params
            Further parameters of the metrics.

        Returns
        -------
        scores : dict of str to float, or dict of such dicts
            The value under each name; with `by`, one dict for each group.
        """
        check_choice(by, GROUPS, "by", CALLER)
        check_choice(average, AVERAGES, "average", CALLER)
        check_choice(ties, {*TIES, None}, "ties", CALLER)
        check_choice(convention, {*OF_RANKS, None}, "convention", CALLER)
        params = {"ties": ties, "convention": convention, **params}
        if by is None:
            return self._evaluate(metrics, average, params)
        kinds, kind = np.unique(getattr(self, by), return_inverse=True)
        return {
            key: self.select(kind == i)._evaluate(metrics, average, params)
            for i, key in enumerate(kinds.tolist())
        }

    def _evaluate(self, metrics, average, params):
        params = {name: value for name, value in params.items() if value is not None}
        requests = read_requests(
            metrics, params, CALLER, read=read_rank_metric, rules=_rules_of_ranks
        )
        weight = self.weight if average == "question" else None
        return answer_all(requests, OwnRanks(self, CALLER, weight))

    def ranking(
        self, ties: LinkTies, sample_weight: NDArray[Any] | None = None
    ) -> RankedQueries:
        """Return the ranking that metrics read.

        Parameters
        ----------
        ties : {"expected", "optimistic", "pessimistic", "realistic"}
            The tie policy.
        sample_weight : ndarray of shape (n_ranks,), default=None
            The weight of each rank in an estimate from a sample.

        Returns
        -------
        ranking : RankedQueries
            One query for each rank.
        """
        check_choice(ties, TIES, "ties", CALLER)
        query, one = np.arange(len(self)), np.ones(len(self), dtype=np.intp)
        groups = TieGroups(query, self.above, self.tied + 1, one, one.astype(float))
        groups = resolve_ties(groups, ties)
        rest = self.n_candidates, OneTarget(query, self.n_candidates)
        if self.estimate is None:
            return RankedQueries(groups, *rest)
        sample = {"n_negatives": self.n_negatives, "sample_weight": sample_weight}
        return RANKINGS[self.estimate](groups, *rest, **sample)


# The names in PyKEEN's results, which are not negated, and the names here.
PYKEEN_NAMES = {
    "arithmetic_mean_rank": "neg_mean_rank",
    "geometric_mean_rank": "neg_geometric_mean_rank",
    "harmonic_mean_rank": "neg_harmonic_mean_rank",
    "median_rank": "neg_median_rank",
    "inverse_arithmetic_mean_rank": "inverse_mean_rank",
    "inverse_harmonic_mean_rank": "mrr",
    "variance": "neg_rank_variance",
    "standard_deviation": "neg_rank_standard_deviation",
    "median_absolute_deviation": "neg_rank_median_absolute_deviation",
    "count": "n_ranks",
    "adjusted_arithmetic_mean_rank": "neg_adjusted_mean_rank",
    "adjusted_arithmetic_mean_rank_index": "adjusted_mean_rank_index",
    "adjusted_inverse_harmonic_mean_rank": "adjusted_mrr",
    "z_arithmetic_mean_rank": "z_mean_rank",
    "z_inverse_harmonic_mean_rank": "z_mrr",
    "hits_at_": "hits@",
    "adjusted_hits_at_": "adjusted_hits@",
    "z_hits_at_": "z_hits@",
}

_PYKEEN_GRAMMAR = re.compile(r"([a-z_]*?hits_at_|[a-z_]+?)([1-9][0-9]*)?", re.ASCII)


def _count_ranks(ranking):
    """Return 1 for each rank."""
    return np.ones(ranking.n_queries)


# No metric, but PyKEEN's results hold the count.
N_RANKS = Metric(
    "n_ranks",
    _count_ranks,
    pool=lambda ranking, values, weight: float(values.sum()),
    reads_first_rank=True,
)


def _rules_of_ranks(convention, metric, k):
    ties = CONVENTIONS[convention].ranks
    return {"ties": ties.get(metric, ties["*"])}


def read_rank_metric(metric):
    """Return what a metric of ranks asks for, also under the names of PyKEEN."""
    if not isinstance(metric, str) or is_name(metric):
        return read_metric(metric)
    name = _from_pykeen(metric)
    if name == N_RANKS.name:
        return Asked(metric, N_RANKS)
    if not is_name(name):
        _refuse(metric)
    # PyKEEN negates no metric.
    return read_metric(name)._replace(key=metric, sign=1)


def _from_pykeen(name):
    """Return the name here of a metric that is named as PyKEEN does."""
    found = _PYKEEN_GRAMMAR.fullmatch(name)
    if found and bool(found.group(2)) is found.group(1).endswith("_at_"):
        known = PYKEEN_NAMES.get(found.group(1))
        return name if known is None else known + (found.group(2) or "")
    return name


def _refuse(name):
    """Raise, with the nearest name."""
    bare = re.sub("[0-9]+$", "", name)
    close = difflib.get_close_matches(bare, PYKEEN_NAMES, n=1, cutoff=0.9)
    if close and not is_name(f"neg_{name}"):
        near = close[0] + "10" * close[0].endswith("_at_")
        raise ValueError(
            f"{name!r} is not a valid metric of ranks. Did you mean {near!r}?"
        )
    parse_name(name)  # raises, and names the nearest of skrank's names


# Ranks are distinguished by this many bins, or by more if the sample is large.
N_BINS = 400
N_STEPS = 300

# Numbers of candidates that differ by less than this fraction count as the same.
SAME_SIZE = 0.02

# What the variance counts next to the squared bias.
VARIANCE = 0.01

# Ranks of a smaller probability are left out.
NEGLIGIBLE = 1e-9

# A probability of exactly 0 or 1 would rule out what rounded sizes make likely.
SMALLEST = 1e-9


class EstimatedRanking(RankedQueries):
    """Ranks among all candidates that are estimated from ranks among a sample.

    The tie groups are those of the sample, and `n_negatives` is the size of each
    sample.
    """

    ranks_are_estimated = True

    def __init__(self, groups, n_documents, *rest, n_negatives, sample_weight=None):
        self._in_sample = groups
        self._n_negatives = n_negatives
        self._sample_weight = sample_weight
        # The target can be anywhere; `first_rank_law` says where.
        size = np.broadcast_to(n_documents, groups.size.shape)
        spread = TieGroups(groups.query, 0, size, groups.relevant, groups.grade)
        super().__init__(spread, n_documents, *rest)

    @property
    def above(self):
        """Raise, since only the distribution of the rank is estimated."""
        raise ValueError(
            "Ranks that are estimated from a sample have only metrics of the rank, "
            "such as 'mrr', 'hits@10' and 'neg_mean_rank'. Rank all candidates "
            "(candidates=None), or pass SampledNegatives(..., estimate=None) for the "
            "metric of the ranks in the sample."
        )

    @above.setter
    def above(self, above):
        """Keep nothing: the rank in the sample is not the rank."""

    @cached_property
    def _sampled_law(self):
        """Return (query, rank, probability) in the sample, of ranks from 0 on."""
        groups = self._in_sample
        query, rank, probability = law_of_first(
            groups.above, groups.size, groups.relevant, None
        )
        return groups.query[query], rank - 1, probability

    def mean_over_places(self, weight, k=None):
        """Return the expected weight of the rank of each target."""
        return self.expected_at_first(weight, k)


class ScaledRanks(EstimatedRanking):
    """The rank of each query is its rank in the sample, scaled to all candidates."""

    def first_rank_law(self, k=None):
        """Return the scaled ranks."""
        query, above, probability = self._sampled_law
        spread = (self.n_documents - 1) / np.maximum(self._n_negatives, 1)
        return query, 1 + spread[query] * above, probability


class Kinds(NamedTuple):
    """Queries with the same rank in samples of one size from as many candidates."""

    of_query: sparse.csr_array  # (n_queries, n_kinds), the probability of each kind
    above: np.ndarray  # (n_kinds,), the number of negatives above the target
    n_negatives: np.ndarray
    n_candidates: np.ndarray


class BinnedRanking(EstimatedRanking):
    """An estimate for which ranks among all candidates fall into bins."""

    @cached_property
    def _kinds(self):
        query, above, probability = self._sampled_law
        # A realistic rank between two ranks is each of them with probability 1 / 2.
        low, high = np.floor(above).astype(np.intp), np.ceil(above).astype(np.intp)
        query, above = np.tile(query, 2), np.concatenate([low, high])
        probability = np.tile(probability / 2, 2)
        step = np.round(np.log(self.n_documents) / SAME_SIZE)
        sizes = np.column_stack([self._n_negatives, step.astype(np.intp)])
        sizes, group = np.unique(sizes, axis=0, return_inverse=True)
        group = group.reshape(-1)
        mean_size = np.bincount(group, self.n_documents) / np.bincount(group)
        n_above = above.max(initial=0) + 1
        codes, kind = np.unique(group[query] * n_above + above, return_inverse=True)
        group, above = np.divmod(codes, n_above)
        shape = self.n_queries, len(codes)
        cells = query, kind.reshape(-1)
        of_query = sparse.csr_array((probability, cells), shape=shape)
        return Kinds(of_query, above, sizes[group, 0], mean_size[group])

    @cached_property
    def _bins(self):
        """Return (rank, mass): the middle of each bin, and what log-uniform ranks have.

        The lowest ranks have a bin each.
        """
        largest = int(self.n_documents.max(initial=1))
        n_negatives = self._n_negatives.max(initial=1)
        n_bins = max(N_BINS, int(2 * np.log(largest) * np.sqrt(n_negatives)))
        edges = np.unique(np.round(np.geomspace(1, largest + 1, n_bins + 1)))
        return (edges[:-1] + edges[1:] - 1) / 2, np.diff(np.log(edges))

    def _log_odds(self, n_candidates):
        """Return log p and log(1 - p) of a negative being above a target in a bin.

        p = (R - 1) / (n - 1); NaN for ranks R beyond n.
        """
        rank, _ = self._bins
        n_candidates = np.maximum(n_candidates, 1 + SMALLEST)[:, np.newaxis]
        p = (rank - 1) / (n_candidates - 1)
        first = np.floor(rank) > np.ceil(n_candidates)
        p = np.where(first, np.nan, np.clip(p, SMALLEST, 1 - SMALLEST))
        return np.log(p), np.log1p(-p)


class LikeliestRanks(BinnedRanking):
    """The distribution of ranks that makes the sampled ranks most likely.

    The ranks R of all queries are drawn from one unknown distribution over bins, and
    the negatives above a target are binomial: C(m, x) p^x (1 - p)^(m - x) with
    p = (R - 1) / (n - 1). Expectation maximization starts from a uniform log R (Li et
    al., KDD 2020; Jin et al., AAAI 2021).
    """

    @cached_property
    def _law_of_kinds(self):
        """Return the probability of each bin given a kind, (n_kinds, n_bins)."""
        kinds, (_, start) = self._kinds, self._bins
        log_p, log_not_p = self._log_odds(kinds.n_candidates)
        above, below = kinds.above, kinds.n_negatives - kinds.above
        log_likelihood = above[:, np.newaxis] * log_p + below[:, np.newaxis] * log_not_p
        log_likelihood -= np.nanmax(log_likelihood, axis=1, keepdims=True)
        likelihood = np.nan_to_num(np.exp(log_likelihood), nan=0.0)
        weight = np.ones(self.n_queries)
        if self._sample_weight is not None:
            weight = self._sample_weight
        weight = kinds.of_query.T @ (weight / weight.sum())
        law = start / start.sum()
        for _ in range(N_STEPS):
            # q(R) <- sum_i w_i q(R) P(x_i | R) / sum_R' q(R') P(x_i | R')
            law = law * ((weight / (likelihood @ law)) @ likelihood)
        joint = likelihood * law
        return joint / joint.sum(axis=1, keepdims=True)

    def first_rank_law(self, k=None):
        """Return the probability of the ranks of each query, given its sampled rank."""
        law = self._law_of_kinds
        law = sparse.csr_array(np.where(law < NEGLIGIBLE, 0, law))
        law = (self._kinds.of_query @ law).tocoo()
        rank, _ = self._bins
        return law.row, rank[law.col], law.data

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value at the rank of each target."""
        rank, _ = self._bins
        values = _values_within(value, rank, k)
        return self._kinds.of_query @ (self._law_of_kinds @ values)


class CorrectedMetric(BinnedRanking):
    """Values at sampled ranks that have little bias and variance for a metric.

    Of a metric M(R), the value f(x) at x negatives above the target minimizes

        sum_R q(R) ((E[f(x) | R] - M(R))^2 + g Var[f(x) | R]),

    which is ((1 - g) A'A + g diag(c)) f = A'b with A = sqrt(q(R)) P(x | R),
    b = sqrt(q(R)) M(R) and c(x) = sum_R q(R) P(x | R). Here log R is uniform under q
    (Krichene and Rendle, KDD 2020).
    """

    def first_rank_law(self, k=None):
        """Raise, since only means of a function of the rank are estimated."""
        raise ValueError(
            "SampledNegatives(..., estimate='bias-variance') estimates only means of a "
            "function of the rank, such as 'mrr', 'hits@10' and 'neg_mean_rank', no "
            "medians and variances. Pass estimate='em' for these."
        )

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the value of each query's sampled rank."""
        kinds = self._kinds
        rank, _ = self._bins
        values = _values_within(value, rank, k)
        corrected = np.empty(len(kinds.above))
        sizes = np.column_stack([kinds.n_negatives, kinds.n_candidates])
        sizes, group = np.unique(sizes, axis=0, return_inverse=True)
        for i, (n_negatives, n_candidates) in enumerate(sizes.tolist()):
            of_size = np.flatnonzero(group.reshape(-1) == i)
            table = self._corrected(values, int(n_negatives), n_candidates)
            corrected[of_size] = table[kinds.above[of_size]]
        return kinds.of_query @ corrected

    def _corrected(self, values, n_negatives, n_candidates):
        """Return f(x) for x = 0, ..., n_negatives."""
        m = n_negatives
        (log_p,), (log_not_p,) = self._log_odds(np.array([n_candidates]))
        possible = ~np.isnan(log_p)
        log_p, log_not_p = log_p[possible], log_not_p[possible]
        mass, values = self._bins[1][possible], values[possible]
        root = np.sqrt(mass / mass.sum())
        x = np.arange(m + 1)[:, np.newaxis]
        log_ways = gammaln(m + 1) - gammaln(x + 1) - gammaln(m - x + 1)
        given_rank = np.exp(log_ways + x * log_p + (m - x) * log_not_p)
        a, c = given_rank * root, given_rank @ root**2
        # With few candidates and many negatives some x never occur.
        occurs = c > 1e-12
        a, c, x = a[occurs], c[occurs], x[occurs, 0]
        normal = (1 - VARIANCE) * a @ a.T + VARIANCE * np.diag(c)
        solved = np.linalg.solve(normal, a @ (root * values))
        return np.interp(np.arange(m + 1), x, solved)


def _values_within(value, rank, k):
    """Return the values at ranks, 0 beyond `k`."""
    values = np.asarray(value(rank), dtype=np.float64)
    return values if k is None else np.where(rank <= k, values, 0.0)


RANKINGS = {
    "em": LikeliestRanks,
    "bias-variance": CorrectedMetric,
    "rank": ScaledRanks,
}
