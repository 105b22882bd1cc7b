"""LinkRanks: the ranks of targets, and their summaries by metrics."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skrank._checks import check_choice
from skrank._docs import share_link_words
from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_name, parse_name, read_metric
from skrank._engine.request import Metric
from skrank._ranking.arrays import TieGroups, resolve_ties
from skrank._ranking.queries import RankedQueries
from skrank._ranking.targets import OneTarget
from skrank._types import LinkConvention, LinkTies, MetricsLike
from skrank.evaluation.evaluate import read_requests
from skrank.link_prediction.sampled_negatives import EstimatedRanking

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
