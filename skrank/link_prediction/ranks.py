"""LinkRanks: the ranks of targets, and their summaries by metrics."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import gammaln
from sklearn.utils import check_random_state

from skrank._callers import warn_caller
from skrank._checks import check_choice
from skrank._docs import LinkConvention, LinkTies, MetricsLike, Seed, share_link_words
from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_name, parse_name, read_metric
from skrank._engine.request import Metric
from skrank._ranking.arrays import TieGroups, resolve_ties
from skrank._ranking.queries import RankedQueries, law_of_first
from skrank._ranking.targets import OneTarget
from skrank.evaluation.evaluate import read_requests

# Errors name the function that most users call.
EVALUATE = "evaluate_link_prediction"
LINK_TIES = ("expected", "optimistic", "pessimistic", "realistic")
LINK_METRICS = ("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10")


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
        """Return the number of ranks, one for each triple and side."""
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
        """Return the ranks with so many candidates, or sampled negatives, above."""
        if self.estimate is None:
            return 1.0 + above
        return 1 + above * ((self.n_candidates - 1) / np.maximum(self.n_negatives, 1))

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
        columns = vars(self).items()
        arrays = {name: one for name, one in columns if isinstance(one, np.ndarray)}
        return replace(self, **{name: one[where] for name, one in arrays.items()})

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

    @share_link_words
    def evaluate(
        self,
        metrics: MetricsLike = LINK_METRICS,
        *,
        ties: LinkTies | None = None,
        average: Literal["rank", "question"] = "rank",
        by: Literal["side", "relation", "category"] | None = None,
        convention: LinkConvention | None = None,
        **params: Any,
    ) -> dict[Any, Any]:
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
        check_choice(by, ("side", "relation", "category", None), "by", EVALUATE)
        check_choice(average, ("rank", "question"), "average", EVALUATE)
        check_choice(ties, {*LINK_TIES, None}, "ties", EVALUATE)
        check_choice(convention, {*OF_RANKS, None}, "convention", EVALUATE)
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
            metrics, params, EVALUATE, read=read_rank_metric, rules=_rules_of_ranks
        )
        weight = self.weight if average == "question" else None
        return answer_all(requests, OwnRanks(self, EVALUATE, weight))

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
        check_choice(ties, LINK_TIES, "ties", EVALUATE)
        query, one = np.arange(len(self)), np.ones(len(self), dtype=np.intp)
        groups = TieGroups(query, self.above, self.tied + 1, one, one.astype(float))
        groups = resolve_ties(groups, ties)
        n_candidates, target = self.n_candidates, OneTarget(query, self.n_candidates)
        if self.estimate is None:
            return RankedQueries(groups, n_candidates, target)
        sample = self.estimate, self.n_negatives, sample_weight
        return EstimatedRanking(groups, n_candidates, target, *sample)


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


# No metric, but PyKEEN's results hold the count.
RANK_COUNT = Metric(
    "n_ranks",
    lambda ranking: np.ones(ranking.n_queries),
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
    name, found = metric, _PYKEEN_GRAMMAR.fullmatch(metric)
    if found and bool(found.group(2)) is found.group(1).endswith("_at_"):
        name = PYKEEN_NAMES.get(found.group(1), found.group(1)) + (found.group(2) or "")
    if name == RANK_COUNT.name:
        return Asked(metric, RANK_COUNT)
    if is_name(name):  # PyKEEN negates no metric
        return read_metric(name)._replace(key=metric, sign=1)
    bare = re.sub("[0-9]+$", "", metric)
    close = difflib.get_close_matches(bare, PYKEEN_NAMES, n=1, cutoff=0.9)
    if close and not is_name(f"neg_{metric}"):
        near = close[0] + "10" * close[0].endswith("_at_")
        raise ValueError(
            f"{metric!r} is not a valid metric of ranks. Did you mean {near!r}?"
        )
    return parse_name(metric)  # raises, and names the nearest of skrank's names


class SampledNegatives:
    """Rank each target among a sample of the other candidates only.

    Passed as `candidates` to :func:`evaluate_link_prediction`. Metrics of the ranks in
    a sample of m negatives are far too good: they rank the target among m + 1
    candidates and not among all n. They can also put two models in the wrong order
    [1]_. By default the metrics over all candidates are estimated from the sample.

    Parameters
    ----------
    negatives : int, array-like or dict, default=50
        How many negatives to draw for each triple and side, uniformly and with
        replacement; or the entities themselves, of shape (n_triples, n_negatives), or a
        dict of such arrays with the keys "head" and "tail". Known answers and the
        target are left out of the given ones.
    estimate : {"em", "bias-variance", "rank"} or None, default="em"
        What is estimated from the sample.

        - "em": the distribution of the ranks among all candidates that makes the
          sampled ranks most likely [2]_, separately for each value of `by`. All metrics
          of the rank are computed from it.
        - "bias-variance": for each metric and rank in the sample the value with the
          smallest squared bias plus 0.01 times the variance [1]_. Only for metrics
          that are means of a function of the rank, such as MRR, Hits@k and the mean
          rank; a value can lie outside the range of the metric.
        - "rank": the rank r in the sample counts as 1 + (n - 1) (r - 1) / m. The mean
          rank is unbiased; MRR and Hits@k are not, and are often hardly better than
          without an estimate.
        - None: the ranks in the sample count as they are, as in the leaderboards of
          OGB.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to draw the same negatives at each call.

    Warns
    -----
    UserWarning
        When ranks are computed: a sample cannot replace the ranking of all candidates.

    See Also
    --------
    type_constraints : Fewer candidates, chosen without a sample.

    Notes
    -----
    A negative drawn at random ranks above a target of rank R with the probability
    (R - 1) / (n - 1), so that the number of negatives above it has a binomial
    distribution. "em" and "bias-variance" need negatives that were drawn uniformly from
    the candidates. Numbers of candidates that differ by less than 2 % count as their
    mean. Negatives that are known answers are left out of the sample, so that m may
    differ from query to query. Tied ranks count as each rank that ties allow.

    No estimate sees below the resolution n / m of the sample: samples of targets with
    lower ranks rarely hold a negative above them, and do not show how many of the
    targets have rank 1. There both estimates assume that log R is uniform, which
    decides Hits@1 and most of the MRR where m is much smaller than n. Hits@k is
    reliable for k of several times n / m, and so is the mean rank. The guide to link
    prediction shows by an example how far they can be off.

    References
    ----------
    .. [1] W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation",
       KDD 2020.
    .. [2] D. Li, R. Jin, J. Gao and Z. Liu, "On Sampling Top-K Recommendation
       Evaluation", KDD 2020; R. Jin, D. Li, B. Mudrak, J. Gao and Z. Liu, "On
       Estimating Recommendation Evaluation Metrics under Sampling", AAAI 2021.

    Examples
    --------
    >>> import warnings
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor, SampledNegatives
    >>> from skrank.link_prediction import evaluate_link_prediction
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> sample = SampledNegatives(5, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     scores = evaluate_link_prediction(
    ...         model, nations.test, metrics=["neg_mean_rank"], candidates=sample
    ...     )
    >>> -3.5 < scores["neg_mean_rank"] < -2.5
    True
    """

    def __init__(
        self,
        negatives: int | ArrayLike | Mapping[Any, Any] = 50,
        *,
        estimate: Literal["em", "bias-variance", "rank"] | None = "em",
        random_state: Seed | None = None,
    ) -> None:
        self.negatives = negatives
        self.estimate = estimate
        self.random_state = random_state

    def __repr__(self):
        drawn = isinstance(self.negatives, Integral)
        shown = self.negatives if drawn else "..."
        return f"SampledNegatives({shown}, estimate={self.estimate!r})"


WARNINGS = {
    "em": "Metrics are estimated from a sample of the candidates.",
    "bias-variance": "Metrics are estimated from a sample of the candidates.",
    "rank": (
        "Ranks are estimated from a sample of the candidates: the mean rank is "
        "unbiased, MRR and Hits@k are not."
    ),
    None: "Ranks are those among a sample of the candidates.",
}


def read_sample(sample, sides, n_triples, columns_of):
    """Return the Sample of each side that is evaluated.

    The function `columns_of` returns the columns of the given negatives of a side.
    """
    check_choice(sample.estimate, WARNINGS, "estimate", "SampledNegatives")
    negatives = sample.negatives
    drawn = isinstance(negatives, Integral) and not isinstance(negatives, bool)
    if drawn and negatives < 1:
        raise ValueError(f"negatives == {negatives}, must be >= 1.")
    rng = check_random_state(sample.random_state)
    found = {}
    for side in sides:
        columns = int(negatives) if drawn else columns_of(side)
        if not drawn and (len(columns) != n_triples or not columns.size):
            raise ValueError(
                "Negatives must be an array of shape (n_triples, n_negatives) with "
                f"{n_triples} rows. Got shape {columns.shape}."
            )
        found[side] = Sample(columns, sample.estimate, rng)
    warn_caller(
        f"{WARNINGS[sample.estimate]} Metrics of a sample can put two models in the "
        "wrong order. Rank all candidates where that matters (candidates=None).",
        UserWarning,
    )
    return found


class Sample(NamedTuple):
    """Some candidates of each row: a number to draw, or an array of columns."""

    negatives: Any
    estimate: str | None  # None if the sample does not stand for all candidates
    rng: np.random.RandomState

    def candidates(self, shape, batch, relation):
        """Return which cells of the scores may be read, as a mask or True."""
        if isinstance(self.negatives, int):
            return True
        mask = np.zeros(shape, dtype=bool)
        np.put_along_axis(mask, self.negatives[batch], True, axis=1)
        return mask

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows.

        Of the negatives, those that are not candidates are left out; one that occurs
        twice counts twice. The cells (out_row, out_column) that are left out are in
        ascending order.
        """
        n_rows, n_entities = scores.shape
        if isinstance(self.negatives, int):
            out = out_row, out_column
            negatives = draw_negatives(
                self.rng, self.negatives, target, *out, n_entities
            )
        else:
            negatives = self.negatives[batch]
        rows = np.arange(n_rows)[:, np.newaxis]
        own = scores[rows, target[:, np.newaxis]]
        drawn = scores[rows, negatives]
        valid = negatives != target[:, np.newaxis]
        other = out_column != target[out_row]
        out_row, out_column = out_row[other], out_column[other]
        if len(out_row):
            key = out_row * n_entities + out_column
            asked = rows * n_entities + negatives
            place = np.minimum(np.searchsorted(key, asked), len(key) - 1)
            valid &= key[place] != asked
        above = np.count_nonzero((drawn > own) & valid, axis=1)
        tied = np.count_nonzero((drawn == own) & valid, axis=1)
        n_negatives = np.count_nonzero(valid, axis=1)
        if self.estimate is None:
            return above, tied, n_negatives + 1, None
        n_candidates = n_entities - np.bincount(out_row, minlength=n_rows)
        return above, tied, n_candidates, n_negatives


def draw_negatives(rng, n_negatives, target, out_row, out_column, n_entities):
    """Draw candidates of each row other than the target, with replacement.

    A row without any other candidate holds the target.
    """
    n_rows = len(target)
    other = out_column != target[out_row]
    row = np.concatenate([out_row[other], np.arange(n_rows)])
    column = np.concatenate([out_column[other], target])
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    n_out = np.bincount(row, minlength=n_rows)
    left = n_entities - n_out
    draw = rng.random_sample((n_rows, n_negatives)) * left[:, np.newaxis]
    draw = np.minimum(draw.astype(np.int64), np.maximum(left - 1, 0)[:, np.newaxis])
    # The u-th candidate has the column u plus the number of excluded cells before it;
    # the j-th excluded cell, at column c, has c - j candidates before it.
    first = np.cumsum(n_out) - n_out
    before = column - (np.arange(len(column)) - first[row])
    rows = np.arange(n_rows)[:, np.newaxis]
    key = row * (n_entities + 1) + before
    asked = rows * (n_entities + 1) + draw
    passed = np.searchsorted(key, asked, side="right") - first[:, np.newaxis]
    return np.where(left[:, np.newaxis] > 0, draw + passed, target[:, np.newaxis])


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
UNLIKELY = 1e-9


class EstimatedRanking(RankedQueries):
    """Ranks among all candidates that are estimated from ranks among a sample.

    `groups` are the tie groups in the sample, `n_negatives` holds the size of each
    sample, and `estimate` is that of SampledNegatives. Except by "rank", the ranks
    among all candidates fall into bins. With 3 of 5 negatives above a target that has
    100 other candidates:

        bin, by its middle rank R          1    2    3  ...   61  ...  101
        P(a negative is above the target)  0  .01  .02  ...  .60  ...    1
        P(3 of 5 are above it)             0  1e-5 8e-5 ...  .35  ...    0
    """

    ranks_are_estimated = True

    def __init__(
        self, groups, n_documents, target, estimate, n_negatives, sample_weight
    ):
        # The target can be anywhere; `first_rank_law` says where.
        size = np.broadcast_to(n_documents, groups.size.shape)
        super().__init__(groups._replace(above=0, size=size), n_documents, target)
        del self.above  # is the error below from now on
        self._in_sample, self._n_negatives = groups, n_negatives
        self._estimate, self._sample_weight = estimate, sample_weight

    @cached_property
    def above(self):
        """Raise, since only the distribution of the rank is estimated."""
        raise ValueError(
            "Ranks that are estimated from a sample have only metrics of the rank, "
            "such as 'mrr', 'hits@10' and 'neg_mean_rank'. Rank all candidates "
            "(candidates=None), or pass SampledNegatives(..., estimate=None) for the "
            "metric of the ranks in the sample."
        )

    def mean_over_places(self, weight, k=None):
        """Return the expected weight of the rank of each target."""
        return self.expected_at_first(weight, k)

    def first_rank_law(self, k=None):
        """Return the probability of the ranks of each query, given its sampled rank."""
        if self._estimate == "bias-variance":
            raise ValueError(
                "SampledNegatives(..., estimate='bias-variance') estimates only means "
                "of a function of the rank, such as 'mrr', 'hits@10' and "
                "'neg_mean_rank', no medians and variances. Pass estimate='em' for "
                "these."
            )
        if self._estimate == "rank":
            query, above, probability = self._sampled_law
            spread = (self.n_documents - 1) / np.maximum(self._n_negatives, 1)
            return query, 1 + spread[query] * above, probability
        law = self._law_of_kinds
        law = sparse.csr_array(np.where(law < NEGLIGIBLE, 0, law))
        of_query, *_ = self._kinds
        law = (of_query @ law).tocoo()
        rank, _ = self._bins
        return law.row, rank[law.col], law.data

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value at the rank of each target."""
        if self._estimate == "rank":
            return super().expected_at_first(value, k, missing)
        rank, _ = self._bins
        values = np.asarray(value(rank), dtype=np.float64)
        if k is not None:
            values = np.where(rank <= k, values, 0.0)
        of_query, *_ = self._kinds
        if self._estimate == "em":
            return of_query @ (self._law_of_kinds @ values)
        return of_query @ self._corrected_of_kinds(values)

    @cached_property
    def _sampled_law(self):
        """Return (query, rank, probability) in the sample, of ranks from 0 on."""
        groups = self._in_sample
        query, rank, probability = law_of_first(
            groups.above, groups.size, groups.relevant, None
        )
        return groups.query[query], rank - 1, probability

    @cached_property
    def _kinds(self):
        """Return (of_query, above, n_negatives, n_candidates).

        Queries of one kind have as many negatives above the target, in samples of one
        size from as many candidates. `of_query`, of shape (n_queries, n_kinds), holds
        the probability of each kind.
        """
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
        return of_query, above, sizes[group, 0], mean_size[group]

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
        n_candidates = np.maximum(n_candidates, 1 + UNLIKELY)[:, np.newaxis]
        p = (rank - 1) / (n_candidates - 1)
        first = np.floor(rank) > np.ceil(n_candidates)
        p = np.where(first, np.nan, np.clip(p, UNLIKELY, 1 - UNLIKELY))
        return np.log(p), np.log1p(-p)

    @cached_property
    def _law_of_kinds(self):
        """Return the probability of each bin given a kind, (n_kinds, n_bins).

        It makes the sampled ranks most likely. The ranks R of all queries are drawn
        from one unknown distribution q over bins, and the negatives above a target are
        binomial: C(m, x) p^x (1 - p)^(m - x) with p = (R - 1) / (n - 1). Expectation
        maximization starts from a uniform log R (Li et al., KDD 2020; Jin et al., AAAI
        2021).
        """
        of_query, above, n_negatives, n_candidates = self._kinds
        _, start = self._bins
        log_p, log_not_p = self._log_odds(n_candidates)
        above, below = above[:, np.newaxis], (n_negatives - above)[:, np.newaxis]
        log_likelihood = above * log_p + below * log_not_p
        log_likelihood -= np.nanmax(log_likelihood, axis=1, keepdims=True)
        likelihood = np.nan_to_num(np.exp(log_likelihood), nan=0.0)
        weight = np.ones(self.n_queries)
        if self._sample_weight is not None:
            weight = self._sample_weight
        weight = of_query.T @ (weight / weight.sum())
        law = start / start.sum()
        for _ in range(N_STEPS):
            # q(R) <- sum_i w_i q(R) P(x_i | R) / sum_R' q(R') P(x_i | R')
            law = law * ((weight / (likelihood @ law)) @ likelihood)
        joint = likelihood * law
        return joint / joint.sum(axis=1, keepdims=True)

    def _corrected_of_kinds(self, values):
        """Return values at sampled ranks that have little bias and variance.

        Of a metric M(R), the value f(x) at x negatives above the target minimizes

            sum_R q(R) ((E[f(x) | R] - M(R))^2 + g Var[f(x) | R]),

        which is ((1 - g) A'A + g diag(c)) f = A'b with A = sqrt(q(R)) P(x | R),
        b = sqrt(q(R)) M(R) and c(x) = sum_R q(R) P(x | R). Here log R is uniform under
        q (Krichene and Rendle, KDD 2020).
        """
        _, above, n_negatives, n_candidates = self._kinds
        corrected = np.empty(len(above))
        sizes = np.column_stack([n_negatives, n_candidates])
        sizes, group = np.unique(sizes, axis=0, return_inverse=True)
        for i, (n_negatives, n_candidates) in enumerate(sizes.tolist()):
            of_size = np.flatnonzero(group.reshape(-1) == i)
            table = self._corrected(values, int(n_negatives), n_candidates)
            corrected[of_size] = table[above[of_size]]
        return corrected

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
