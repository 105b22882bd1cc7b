"""The ranks of the targets of triples: their summaries, and how a model gives them."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skrank._engine.answer import OwnRanks, answer_all
from skrank._engine.conventions import CONVENTIONS, OF_RANKS
from skrank._engine.names import Asked, is_metric, read_metric, read_requests
from skrank._engine.request import Metric
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice, shown
from skrank._ranking.arrays import TieGroups
from skrank._ranking.ids import encode_qid, sorted_unique
from skrank._ranking.lists import OneTarget
from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import resolve_ties
from skrank._text.docs import (
    Known,
    LinkConvention,
    LinkTies,
    MetricsLike,
    Side,
    share_link_words,
)
from skrank._text.tables import progress_bar
from skrank.link_prediction.triples import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    SampledNegatives,
    Vocabulary,
    as_triples,
    candidate_counters,
    encode_triples,
    kind_of_ids,
    read_triples,
)

# Errors name the function that most users call.
EVALUATE = "evaluate_link_prediction"
LINK_TIES = ("expected", "optimistic", "pessimistic", "realistic")
LINK_METRICS = ("mrr", "mean_rank", "hits@1", "hits@3", "hits@10")
# The bytes that the scores of one batch may take in double precision. Many small
# batches would slow down models that multiply matrices.
BATCH_BYTES = 2**26

# AmpliGraph compares integers: the scores times 1000, truncated.
THOUSANDTHS = 1e3


@dataclass(frozen=True, eq=False, kw_only=True)
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
        return RankedQueries(
            groups=resolve_ties(groups, ties),
            n_documents=self.n_candidates,
            lists=OneTarget(query, self.n_candidates),
        )


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


@share_link_words
def evaluate_link_prediction(
    model: object,
    X: ArrayLike,
    *,
    known: Known | None = "auto",
    sides: Side | Sequence[Side] = ("head", "tail"),
    metrics: MetricsLike = LINK_METRICS,
    ties: LinkTies | None = None,
    average: Literal["rank", "question"] = "rank",
    by: Literal["side", "relation", "category"] | None = None,
    candidates: ArrayLike | Mapping[Any, Any] | SampledNegatives | None = None,
    batch_size: int | Literal["auto"] = "auto",
    convention: LinkConvention | None = None,
    **params: Any,
) -> dict[Any, Any]:
    """Evaluate a model that predicts the missing entities of triples.

    For each triple (h, r, t) the model ranks all entities as the tail of (h, r, ?) and
    as the head of (?, r, t). The metrics summarize the ranks of the targets t and h.

    Parameters
    ----------
    **params
        Further parameters of the metrics, such as ``adjusted=True``.

    Returns
    -------
    scores : dict of str to float, or dict of such dicts
        The value under each name, over the ranks of all sides. With `by`, one dict for
        each side, relation or category.

    Warns
    -----
    UserWarning
        If `X` holds duplicate triples (each is counted), if the candidates are a
        sample, or if the model has no `triples_` and `known` probably does not hold its
        training triples either.

    See Also
    --------
    rank_triples : The ranks themselves.
    skrank.metrics.evaluate : Metrics of given labels and scores.

    Notes
    -----
    One batch of scores is held at a time. In addition to the model this needs
    ``batch_size * n_entities * (s + 1)`` bytes for scores of s bytes, with
    ``batch_size = max(1, 2 ** 26 // (8 * n_entities))`` if it is "auto", and at most
    128 bytes for each known triple.

    Duplicate triples of `X` each count, as in PyKEEN. The target is always a candidate,
    even if `known` or `candidates` leave it out.

    Scorer names and :func:`skrank.metrics.make_ranking_scorer` evaluate link predictors
    with the defaults of `known`, `sides`, `average` and `candidates`. To change these,
    pass this function itself, which is a scorer of several metrics, to
    :func:`~sklearn.model_selection.cross_validate` or
    :class:`~sklearn.model_selection.GridSearchCV`:
    ``scoring=functools.partial(evaluate_link_prediction, sides="tail")``. Choose
    metrics of which larger values are better.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor
    >>> from skrank.link_prediction import evaluate_link_prediction
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> evaluate_link_prediction(
    ...     model, nations.test, known=nations.valid, metrics=["mrr", "hits@10"]
    ... )
    {'mrr': 0.5644..., 'hits@10': 0.9653...}
    >>> evaluate_link_prediction(
    ...     model, nations.test, known=nations.valid, metrics="mrr", by="side"
    ... )
    {'head': {'mrr': 0.5723...}, 'tail': {'mrr': 0.5566...}}
    """
    caller = "evaluate_link_prediction"
    check_choice(convention, {*OF_RANKS, None}, "convention", caller)
    quantum = THOUSANDTHS if convention == "ampligraph" else None
    ranks = rank_in_batches(model, X, known, sides, candidates, batch_size, quantum)
    options = {"ties": ties, "average": average, "by": by, "convention": convention}
    return ranks.evaluate(metrics, **options, **params)


@share_link_words
def rank_triples(
    model: object,
    X: ArrayLike,
    *,
    known: Known | None = "auto",
    sides: Side | Sequence[Side] = ("head", "tail"),
    candidates: ArrayLike | Mapping[Any, Any] | SampledNegatives | None = None,
    batch_size: int | Literal["auto"] = "auto",
) -> LinkRanks:
    """Rank the heads and tails of triples among all entities.

    Returns
    -------
    ranks : LinkRanks
        One rank for each triple and side, as arrays.

    See Also
    --------
    evaluate_link_prediction : Metrics of these ranks.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor, rank_triples
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> ranks = rank_triples(model, nations.test, sides="tail", known=nations.valid)
    >>> ranks.optimistic[:5].tolist(), ranks.pessimistic[:5].tolist()
    ([3.0, 2.0, 7.0, 1.0, 1.0], [8.0, 4.0, 7.0, 2.0, 2.0])
    >>> ranks.evaluate(["mrr", "adjusted_mrr"])
    {'mrr': 0.5566..., 'adjusted_mrr': 0.2986...}
    """
    return rank_in_batches(model, X, known, sides, candidates, batch_size, None)


def rank_in_batches(model, X, known, sides, candidates, batch_size, quantum):
    """Return the ranks of triples, which the model scores in batches."""
    sides = _check_sides(sides)
    _check_methods(model, sides)
    triples = read_triples(X, model=model)
    if not len(triples):
        raise ValueError(
            "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is "
            "required."
        )
    trained = getattr(model, "triples_", None)
    trained = [] if trained is None else [as_triples(trained, "triples_")]
    filters = [] if known is None else [triples, *trained, *read_known(known, model)]
    entities, relations = vocabularies(model, sides[0], [triples, *filters])
    columns = encode_triples(triples, entities, relations, "X")
    if known is not None and not trained:
        warn_if_training_is_unknown(model, triples, known)
    _warn_of_duplicates(*columns, len(entities), len(relations))
    seen = filters or [triples, *trained]
    seen = [encode_known(one, entities, relations) for one in seen]
    sizes = len(entities), len(relations)
    answers = {side: KnownAnswers(side, seen, *sizes) for side in SIDES}
    filtered = answers if filters else {s: KnownAnswers(s, [], *sizes) for s in sides}
    counters = candidate_counters(
        candidates, sides, entities, relations, columns[RELATION], len(triples)
    )
    size = _read_batch_size(batch_size, len(entities) * (1 if quantum is None else 2))
    counts = []
    with progress_bar(len(sides) * len(triples), "rank") as advance:
        for side in sides:
            asked = _turned(side, *columns)
            score = partial(model_scores, model, side, n_entities=len(entities))
            of_side = score, side, triples, asked, filtered[side], counters[side]
            found = _count_side(*of_side, size, quantum, advance)
            counts.append((*found, _question_weight(*asked[:2], len(relations))))
    category = _categories(answers)[columns[RELATION]]
    return _joined_ranks(sides, triples, category, counts)


def _check_methods(model, sides):
    """Raise if a model lacks a method that scores the entities of a side."""
    for name in (f"score_{side}s" for side in sides):
        if not callable(getattr(model, name, None)):
            raise TypeError(
                "The 'model' parameter must have the methods 'score_tails' and "
                f"'score_heads'. Got {type(model).__name__}, which has no {name!r}."
            )


def _categories(answers):
    """Return the category of each relation, by the known answers of both sides.

    A side is "n" if the pairs of an entity on the other side and the relation have 1.5
    or more different answers on average (Bordes et al. 2013).
    """
    heads, tails = (np.where(answers[s].per_pair() < 1.5, "1", "n") for s in SIDES)
    return np.char.add(np.char.add(heads, "-"), tails)


def _joined_ranks(sides, triples, category, counts):
    """Return the LinkRanks of all sides, from the counts of each of them."""
    names = ("above", "tied", "n_candidates", "weight")
    columns = map(np.concatenate, zip(*counts, strict=True))
    n_sides = len(sides)
    return LinkRanks(
        side=np.repeat(sides, len(triples)),
        triple=np.tile(np.arange(len(triples)), n_sides),
        relation=np.tile(triples[:, RELATION], n_sides),
        category=np.tile(category, n_sides),
        **dict(zip(names, columns, strict=True)),
    )


def _read_batch_size(batch_size, n_scores):
    """Return how many triples to score at once, with `n_scores` in memory for each."""
    if isinstance(batch_size, str) and batch_size == "auto":
        return max(1, BATCH_BYTES // (8 * n_scores))
    if isinstance(batch_size, bool) or not isinstance(batch_size, Integral):
        raise TypeError(
            "The 'batch_size' parameter must be an int or 'auto'. "
            f"Got {shown(batch_size)} instead."
        )
    if batch_size < 1:
        raise ValueError(f"batch_size == {batch_size}, must be >= 1.")
    return batch_size


def _count_side(
    score, side, triples, asked, filtered, counter, batch_size, quantum, advance
):
    """Score one batch after another and count."""
    parts = []
    for start in range(0, len(triples), batch_size):
        batch = slice(start, start + batch_size)
        given, relation, answer = (column[batch] for column in asked)
        scores = score(triples[batch])
        if quantum is not None:
            scores = scores * quantum
            np.trunc(scores, out=scores)
        out = filtered.of(given, relation)
        is_read = partial(
            _cells_read, scores.shape, batch, relation, answer, out, counter.candidates
        )
        check_not_nan(scores, side, is_read)
        parts.append(counter.count(scores, batch, relation, answer, *out))
        del scores  # before the next batch is made
        advance(len(answer))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def _cells_read(shape, batch, relation, answer, out, candidates):
    """Return which scores of a batch are those of candidates or targets."""
    read = np.ones(shape, dtype=bool)
    read[out] = False
    read &= candidates(shape, batch, relation)
    read[np.arange(len(answer)), answer] = True
    return read


def _turned(side, head, relation, tail):
    """Return (given, relation, answer) of the questions of a side."""
    return (head, relation, tail) if side == "tail" else (tail, relation, head)


def _question_weight(given, relation, n_relations):
    """Return one over the number of triples with the same question."""
    pair = given * n_relations + relation
    _, pair, counts = np.unique(pair, return_inverse=True, return_counts=True)
    return 1 / counts[pair.reshape(-1)]


def _warn_of_duplicates(head, relation, tail, n_entities, n_relations):
    _, pair = np.unique(head * n_relations + relation, return_inverse=True)
    n_different = len(sorted_unique(pair.reshape(-1) * n_entities + tail))
    if n_different < len(head):
        warn_caller(
            f"{len(head) - n_different} of the {len(head)} triples are duplicates of "
            "others. Each is counted.",
            UserWarning,
        )


def _check_sides(sides):
    is_one = isinstance(sides, str) or not np.iterable(sides)
    listed = [sides] if is_one else list(sides)
    valid = all(isinstance(side, str) and side in SIDES for side in listed)
    if not listed or not valid or len(set(listed)) < len(listed):
        raise ValueError(
            "The 'sides' parameter must be 'head', 'tail' or both, each once. "
            f"Got {shown(sides)} instead."
        )
    return [side for side in SIDES if side in listed]


class KnownAnswers:
    """The entities that complete each pair of a given entity and a relation.

    They are kept in one sorted array, with the start of each pair, and found by
    bisection. `parts` is a list of (head, relation, tail), positions of ids.
    """

    def __init__(self, side, parts, n_entities, n_relations):
        parts = parts or [(np.zeros(0, dtype=np.intp),) * 3]
        triples = map(np.concatenate, zip(*parts, strict=True))
        given, relation, answer = _turned(side, *triples)
        self._n_relations = n_relations
        self._pairs, pair = np.unique(
            given * n_relations + relation, return_inverse=True
        )
        key = sorted_unique(pair.reshape(-1) * n_entities + answer)
        pair, self._answers = np.divmod(key, n_entities)
        self._starts = np.searchsorted(pair, np.arange(len(self._pairs) + 1))

    def of(self, given, relation):
        """Return (row, answer): the known answers of each row, in ascending order."""
        asked = given * self._n_relations + relation
        if not len(self._pairs):
            return np.zeros(0, dtype=np.intp), self._answers
        place = np.searchsorted(self._pairs, asked)
        place = np.minimum(place, len(self._pairs) - 1)
        found = self._pairs[place] == asked
        start = self._starts[place]
        n_answers = np.where(found, self._starts[place + 1] - start, 0)
        row = np.repeat(np.arange(len(asked)), n_answers)
        first = np.cumsum(n_answers) - n_answers
        index = np.arange(len(row)) + np.repeat(start - first, n_answers)
        return row, self._answers[index]

    def per_pair(self):
        """Return the mean number of answers to the pairs of each relation."""
        relation = self._pairs % self._n_relations
        n_pairs = np.bincount(relation, minlength=self._n_relations)
        n_answers = np.bincount(
            relation, np.diff(self._starts), minlength=self._n_relations
        )
        return n_answers / np.maximum(n_pairs, 1)


# The columns of a triple that hold entities.
ENDS = [HEAD, TAIL]


def model_scores(model, side, triples, n_entities=None):
    """Return the scores of a batch as a matrix of numbers."""
    name = f"score_{side}s"
    scores = np.asarray(getattr(model, name)(triples))
    width = scores.shape[-1] if n_entities is None and scores.ndim else n_entities
    if scores.shape != (len(triples), width) or scores.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} of the model must return one number for each triple and entity, "
            f"an array of shape ({len(triples)}, {n_entities or 'n_entities'}). "
            f"Got dtype {scores.dtype} and shape {scores.shape}."
        )
    return scores


def check_not_nan(scores, side, is_read):
    """Raise if a score is NaN that is read; only then ``is_read()`` is called."""
    if scores.dtype.kind != "f" or not scores.size or not np.isnan(scores.max()):
        return
    n_rows = np.count_nonzero((np.isnan(scores) & is_read()).any(axis=1))
    if n_rows:
        raise ValueError(
            f"score_{side}s of the model returned NaN for {n_rows} of {len(scores)} "
            "triples. Only entities that are not candidates may have NaN as score."
        )


def read_known(known, model=None):
    """Return the known triples as a list of arrays."""
    if isinstance(known, str):
        if known == "auto":
            return []
        raise ValueError(
            "The 'known' parameter must be 'auto', None, triples or a list of arrays "
            f"of triples. Got {shown(known)} instead."
        )
    parts = known if _are_parts(known) else [known]
    return [read_triples(part, "known", model) for part in parts]


def warn_if_training_is_unknown(model, triples, known):
    """Warn if the training triples of a model are not among those to filter out.

    A list of arrays is taken to be complete. So is one array that has more triples than
    are evaluated, and all of their entities and relations: a model can only know those
    that it was trained on.
    """
    if _are_parts(known):
        return
    given = np.concatenate([triples[:0], *read_known(known)])
    if len(given) > len(triples) and all(
        np.isin(triples[:, column], given[:, others]).all()
        for column, others in ((HEAD, ENDS), (RELATION, RELATION), (TAIL, ENDS))
    ):
        return
    warn_caller(
        f"{type(model).__name__} has no attribute 'triples_', so the triples that it "
        "was trained on are probably not filtered out, and entities that complete them "
        "count as wrong. Pass all that is known as a list, known=[train, valid], or "
        "known=None for the raw setting.",
        UserWarning,
    )


def _are_parts(known):
    """Return True if known triples are a list of arrays, not one array."""
    is_list = isinstance(known, (list, tuple))
    return is_list and (not known or np.ndim(known[0]) == 2)


def vocabularies(model, side, parts):
    """Return the ids of the columns of the model and of the relations."""
    ids = getattr(model, "entities_", None)
    if ids is None:
        triples = parts[0]
        if kind_of_ids(triples[:1], "X") != "i":
            if isinstance(model, BaseEstimator):
                check_is_fitted(model)
            raise ValueError(
                "The 'X' parameter must hold integers, the columns of the scores, "
                "unless the model has 'entities_', the ids of its columns. "
                f"Got strings and {type(model).__name__}, which has none."
            )
        ids = np.arange(model_scores(model, side, triples[:1]).shape[1])
    entities = Vocabulary(ids, "entities")
    ids = getattr(model, "relations_", None)
    if ids is None:
        kinds = [kind_of_ids(part[:1], "X") for part in parts]
        same = zip(parts, kinds, strict=True)
        same = [part[:, RELATION] for part, kind in same if kind == kinds[0]]
        ids, _ = encode_qid(np.concatenate(same))
    return entities, Vocabulary(ids, "relations")


def encode_known(triples, entities, relations):
    """Return the positions of known triples whose ids the model knows."""
    ends = entities.encode(triples[:, ENDS], "known")
    relation = relations.encode(triples[:, RELATION], "known")
    kept = (ends >= 0).all(axis=1) & (relation >= 0)
    n_out = np.count_nonzero(~kept)
    if 2 * n_out > len(kept):
        text = f"{n_out:,} of {len(kept):,} triples of the 'known' parameter have an "
        text += "id that the model does not know: are they head, relation and tail?"
        if not kept.any():
            raise ValueError(text)
        warn_caller(text, UserWarning)
    return ends[kept, 0], relation[kept], ends[kept, 1]
