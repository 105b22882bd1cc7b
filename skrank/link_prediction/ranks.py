"""LinkRanks: the ranks of targets, and their summaries by metrics."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.asked import read_requests
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_metric, read_metric
from skrank._engine.request import Metric
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice
from skrank._ranking.arrays import TieGroups
from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import resolve_ties
from skrank._ranking.targets import OneTarget
from skrank._text.docs import (
    LinkConvention,
    LinkTies,
    MetricsLike,
    Seed,
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
        The number of candidates, or of negatives in a sample, that score higher than
        the target, and of other ones that score the same.
    n_candidates : ndarray of int of shape (n_ranks,)
        The number of candidates, including the target.
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
        return 1 + self.above + self.tied / 2

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


class SampledNegatives:
    """Rank each target among a sample of the other candidates only.

    Passed as `candidates` to :func:`evaluate_link_prediction`. Metrics of the ranks in
    a sample of m negatives are far too good: they rank the target among m + 1
    candidates and not among all n. They can also put two models in the wrong order
    [1]_.

    Parameters
    ----------
    negatives : int, array-like or dict, default=50
        How many negatives to draw for each triple and side, uniformly and with
        replacement; or the entities themselves, of shape (n_triples, n_negatives), or a
        dict of such arrays with the keys "head" and "tail". Known answers and the
        target are left out of the given ones.
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
    Negatives that are known answers are left out of the sample, so that m may differ
    from query to query. The ranks in the sample count as they are, as in the
    leaderboards of OGB.

    References
    ----------
    .. [1] W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation",
       KDD 2020.

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
    >>> -3.5 < scores["neg_mean_rank"] < -1
    True
    """

    def __init__(
        self,
        negatives: int | ArrayLike | Mapping[Any, Any] = 50,
        *,
        random_state: Seed | None = None,
    ) -> None:
        self.negatives = negatives
        self.random_state = random_state

    def __repr__(self):
        drawn = isinstance(self.negatives, Integral)
        shown = self.negatives if drawn else "..."
        return f"SampledNegatives({shown})"


def read_sample(sample, sides, n_triples, columns_of):
    """Return the Sample of each side that is evaluated."""
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
        found[side] = Sample(columns, rng)
    warn_caller(
        "Ranks are those among a sample of the candidates. Metrics of a sample can "
        "put two models in the wrong order. Rank all candidates where that matters (candidates=None).",
        UserWarning,
    )
    return found


class Sample(NamedTuple):
    """Some candidates of each row: a number to draw, or an array of columns."""

    negatives: int | NDArray[np.intp]
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
        return above, tied, 1 + np.count_nonzero(valid, axis=1)


def draw_negatives(rng, n_negatives, target, out_row, out_column, n_entities):
    """Draw candidates of each row other than the target, if there are any."""
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
