"""The ranks of heads and tails, and their metrics."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, fields

import numpy as np

from skrank._checks import check_choice
from skrank._ranking.documents import OneTarget
from skrank._ranking.queries import RankedQueries
from skrank._ranking.tie_groups import TieGroups, resolve_ties
from skrank.link_prediction._estimates import RANKINGS
from skrank.link_prediction._summaries import evaluate_ranks
from skrank.link_prediction._words import share_words
from skrank.metrics._conventions import OF_RANKS

# Errors name the function that most users call.
CALLER = "evaluate_link_prediction"
TIES = ("expected", "optimistic", "pessimistic", "realistic")
AVERAGES = ("rank", "question")
METRICS = ("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10")
GROUPS = ("side", "relation", "category", None)


def check_options(caller, *, ties, average, convention):
    """Raise if an option of evaluation is invalid."""
    check_choice(average, AVERAGES, "average", caller)
    check_choice(ties, {*TIES, None}, "ties", caller)
    check_choice(convention, {*OF_RANKS, None}, "convention", caller)


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
        the target, and of others that score the same.
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

    side: np.ndarray
    triple: np.ndarray
    relation: np.ndarray
    category: np.ndarray
    above: np.ndarray
    tied: np.ndarray
    n_candidates: np.ndarray
    weight: np.ndarray
    n_negatives: np.ndarray | None = None
    estimate: str | None = None

    def __len__(self):
        """Return the number of ranks.

        Returns
        -------
        n_ranks : int
            One for each triple and side.
        """
        return len(self.side)

    @property
    def optimistic(self):
        """The best rank that ties allow."""
        return self._rank(self.above)

    @property
    def pessimistic(self):
        """The worst rank that ties allow."""
        return self._rank(self.above + self.tied)

    @property
    def realistic(self):
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

    def select(self, where):
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

    def to_dict(self):
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

    @share_words
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
        check_options(CALLER, ties=ties, average=average, convention=convention)
        params = {"ties": ties, "convention": convention, **params}
        if by is None:
            return self._evaluate(metrics, average, params)
        kinds, kind = np.unique(getattr(self, by), return_inverse=True)
        return {
            key: self.select(kind == i)._evaluate(metrics, average, params)
            for i, key in enumerate(kinds.tolist())
        }

    def _evaluate(self, metrics, average, params):
        weight = self.weight if average == "question" else None
        return evaluate_ranks(self, metrics, params, CALLER, sample_weight=weight)

    def ranking(self, ties, sample_weight=None):
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
