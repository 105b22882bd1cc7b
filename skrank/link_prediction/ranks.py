"""LinkRanks: the ranks of targets, and their summaries by metrics."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_metric, read_metric, read_requests
from skrank._engine.request import Metric
from skrank._input.checks import check_choice
from skrank._ranking.arrays import TieGroups
from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import resolve_ties
from skrank._ranking.targets import OneTarget
from skrank._text.docs import (
    LinkConvention,
    LinkTies,
    MetricsLike,
    share_link_words,
)

# Errors name the function that most users call.
EVALUATE = "evaluate_link_prediction"
LINK_TIES = ("expected", "optimistic", "pessimistic", "realistic")
LINK_METRICS = ("mrr", "mean_rank", "hits@1", "hits@3", "hits@10")


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
        The number of candidates that score higher than the target, and of other ones
        that score the same.
    n_candidates : ndarray of int of shape (n_ranks,)
        The number of candidates, including the target; of a sample, if one was drawn.
    weight : ndarray of float of shape (n_ranks,)
        One over the number of ranks that answer the same question, the pair of an
        entity and a relation: the weights for ``average="question"``.

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

    def __len__(self) -> int:
        """Return the number of ranks, one for each triple and side."""
        return len(self.side)

    @property
    def optimistic(self) -> NDArray[np.float64]:
        """The best rank that ties allow."""
        return 1.0 + self.above

    @property
    def pessimistic(self) -> NDArray[np.float64]:
        """The worst rank that ties allow."""
        return 1.0 + self.above + self.tied

    @property
    def realistic(self) -> NDArray[np.float64]:
        """The mean of the best and the worst rank."""
        return 1.0 + self.above + self.tied / 2

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
        found = {}
        for i, key in enumerate(kinds.tolist()):
            part = {name: one[kind == i] for name, one in vars(self).items()}
            found[key] = replace(self, **part)._evaluate(metrics, average, params)
        return found

    def _evaluate(self, metrics, average, params):
        params = {name: value for name, value in params.items() if value is not None}
        requests = read_requests(
            metrics, params, EVALUATE, read=read_rank_metric, rules=_rules_of_ranks
        )
        weight = self.weight if average == "question" else None
        return answer_all(requests, OwnRanks(self, EVALUATE, weight))

    def ranking(self, ties: LinkTies) -> RankedQueries:
        """Return the ranking that metrics read.

        Parameters
        ----------
        ties : {"expected", "optimistic", "pessimistic", "realistic"}
            The tie policy.

        Returns
        -------
        ranking : RankedQueries
            One query for each rank.
        """
        check_choice(ties, LINK_TIES, "ties", EVALUATE)
        query, one = np.arange(len(self)), np.ones(len(self), dtype=np.intp)
        groups = TieGroups(query, self.above, self.tied + 1, one, one.astype(float))
        groups = resolve_ties(groups, ties)
        target = OneTarget(query, self.n_candidates)
        return RankedQueries(groups, self.n_candidates, target)


# The names in PyKEEN's results, and the names here.
PYKEEN_NAMES = {
    "arithmetic_mean_rank": "mean_rank",
    "geometric_mean_rank": "geometric_mean_rank",
    "harmonic_mean_rank": "harmonic_mean_rank",
    "median_rank": "median_rank",
    "inverse_arithmetic_mean_rank": "inverse_mean_rank",
    "inverse_harmonic_mean_rank": "mrr",
    "count": "n_ranks",
    "adjusted_arithmetic_mean_rank": "adjusted_mean_rank",
    "adjusted_arithmetic_mean_rank_index": "adjusted_mean_rank_index",
    "adjusted_inverse_harmonic_mean_rank": "adjusted_mrr",
    "hits_at_": "hits@",
    "adjusted_hits_at_": "adjusted_hits@",
}

_PYKEEN_GRAMMAR = re.compile(r"([a-z_]*?hits_at_|[a-z_]+?)([1-9][0-9]*)?", re.ASCII)


# No metric, but PyKEEN's results hold the count.
RANK_COUNT = Metric(
    "n_ranks",
    lambda ranking: np.ones(ranking.n_queries),
    pool=lambda values, weight: float(values.sum()),
    reads_first_rank=True,
)


def _rules_of_ranks(convention, metric, k):
    ties = CONVENTIONS[convention].ranks
    return {"ties": ties.get(metric, ties["*"])}


def read_rank_metric(metric):
    """Return what a metric of ranks asks for, also under the names of PyKEEN."""
    if not isinstance(metric, str) or is_metric(metric):
        return read_metric(metric)
    name, found = metric, _PYKEEN_GRAMMAR.fullmatch(metric)
    if found and bool(found.group(2)) is found.group(1).endswith("_at_"):
        name = PYKEEN_NAMES.get(found.group(1), found.group(1)) + (found.group(2) or "")
    if name == RANK_COUNT.name:
        return Asked(metric, RANK_COUNT)
    if is_metric(name):
        return read_metric(name)._replace(key=metric)
    bare = re.sub("[0-9]+$", "", metric)
    close = difflib.get_close_matches(bare, PYKEEN_NAMES, n=1, cutoff=0.9)
    if close:
        near = close[0] + "10" * close[0].endswith("_at_")
        raise ValueError(
            f"{metric!r} is not a valid metric of ranks. Did you mean {near!r}?"
        )
    return read_metric(metric)  # raises, and names the nearest of skrank's names
