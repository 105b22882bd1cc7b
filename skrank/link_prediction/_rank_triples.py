"""Rank the heads and tails of triples, one batch of scores at a time."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from functools import partial
from numbers import Integral

import numpy as np

from skrank._checks import check_flag, shown
from skrank._progress import progress_bar
from skrank.link_prediction._candidates import read_candidates
from skrank.link_prediction._filter import KnownAnswers, relation_categories
from skrank.link_prediction._link_ranks import LinkRanks
from skrank.link_prediction._read_model import (
    check_methods,
    check_not_nan,
    encode_known,
    model_scores,
    read_known,
    triples_of,
    vocabularies,
)
from skrank.link_prediction._triple_ids import (
    RELATION,
    SIDES,
    encode_triples,
    read_triples,
)
from skrank.link_prediction._words import share_words

# The bytes that the scores of one batch may take in double precision. Many small
# batches would slow down models that multiply matrices.
BATCH_BYTES = 2**26


@share_words
def rank_triples(
    model,
    X,
    *,
    known="auto",
    sides=("head", "tail"),
    candidates=None,
    batch_size="auto",
    progress=False,
):
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
    >>> ranks.evaluate(["mrr", "z_mrr"])
    {'mrr': 0.5566..., 'z_mrr': 9.8813...}
    """
    return rank_in_batches(
        model, X, known, sides, candidates, batch_size, progress, None
    )


def rank_in_batches(model, X, known, sides, candidates, batch_size, progress, quantum):
    sides = _check_sides(sides)
    check_flag(progress, "progress", "evaluate_link_prediction")
    check_methods(model, sides)
    triples = read_triples(X)
    if not len(triples):
        raise ValueError(
            "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is "
            "required."
        )
    trained = triples_of(model)
    filters = [] if known is None else [triples, *trained, *read_known(known)]
    entities, relations = vocabularies(model, sides[0], [triples, *filters])
    head, relation, tail = encode_triples(triples, entities, relations, "X")
    sizes = len(entities), len(relations)
    _warn_of_duplicates(head, relation, tail, *sizes)
    seen = filters or [triples, *trained]
    seen = [encode_known(one, entities, relations) for one in seen]
    answers = {side: _known_answers(side, seen, *sizes) for side in SIDES}
    category = relation_categories(answers)
    counters = read_candidates(
        candidates, sides, entities, relations, relation, len(triples)
    )
    if batch_size == "auto":
        n_copies = 1 if quantum is None else 2
        batch_size = max(1, BATCH_BYTES // (8 * len(entities) * n_copies))
    batch_size = _check_batch_size(batch_size)
    columns = []
    with progress_bar(len(sides) * len(triples), progress, "rank") as advance:
        for side in sides:
            asked = _turned(side, head, relation, tail)
            filtered = answers[side] if filters else _known_answers(side, [], *sizes)
            score = partial(model_scores, model, side, n_entities=len(entities))
            of_side = score, side, triples, asked, filtered, counters[side]
            counts = _count_side(*of_side, batch_size, quantum, advance)
            weight = _question_weight(*asked[:2], len(relations))
            columns.append((np.full(len(triples), side), *counts, weight))
    side, above, tied, n_candidates, n_negatives, weight = map(
        _concatenated, zip(*columns, strict=True)
    )
    n_sides = len(sides)
    return LinkRanks(
        side=side,
        triple=np.tile(np.arange(len(triples)), n_sides),
        relation=np.tile(triples[:, RELATION], n_sides),
        category=np.tile(category[relation], n_sides),
        above=above,
        tied=tied,
        n_candidates=n_candidates,
        weight=weight,
        n_negatives=n_negatives,
        estimate=getattr(candidates, "estimate", None),
    )


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
            _is_read, scores.shape, batch, relation, answer, out, counter.candidates
        )
        check_not_nan(scores, side, is_read)
        parts.append(counter.count(scores, batch, relation, answer, *out))
        del scores  # before the next batch is made
        advance(len(answer))
    return tuple(map(_concatenated, zip(*parts, strict=True)))


def _is_read(shape, batch, relation, answer, out, candidates):
    """Return which scores of a batch are those of candidates or targets."""
    read = np.ones(shape, dtype=bool)
    read[out] = False
    read &= candidates(shape, batch, relation)
    read[np.arange(len(answer)), answer] = True
    return read


def _concatenated(parts):
    return None if parts[0] is None else np.concatenate(parts)


def _turned(side, head, relation, tail):
    """Return (given, relation, answer) of the questions of a side."""
    return (head, relation, tail) if side == "tail" else (tail, relation, head)


def _known_answers(side, filters, n_entities, n_relations):
    joined = (np.zeros(0, dtype=np.intp),) * 3
    if filters:
        joined = map(np.concatenate, zip(*filters, strict=True))
    return KnownAnswers(*_turned(side, *joined), n_entities, n_relations)


def _question_weight(given, relation, n_relations):
    """Return one over the number of triples with the same question."""
    pair = given * n_relations + relation
    _, pair, counts = np.unique(pair, return_inverse=True, return_counts=True)
    return 1 / counts[pair.reshape(-1)]


def _warn_of_duplicates(head, relation, tail, n_entities, n_relations):
    _, pair = np.unique(head * n_relations + relation, return_inverse=True)
    n_different = len(np.unique(pair.reshape(-1) * n_entities + tail))
    if n_different < len(head):
        warnings.warn(
            f"{len(head) - n_different} of the {len(head)} triples are duplicates of "
            "others. Each is counted.",
            UserWarning,
            stacklevel=4,
        )


def _check_sides(sides):
    listed = [sides] if isinstance(sides, str) else list(sides)
    valid = all(isinstance(side, str) and side in SIDES for side in listed)
    if not listed or not valid or len(set(listed)) < len(listed):
        raise ValueError(
            "The 'sides' parameter must be 'head', 'tail' or both, each once. "
            f"Got {shown(sides)} instead."
        )
    return [side for side in SIDES if side in listed]


def _check_batch_size(batch_size):
    if isinstance(batch_size, bool) or not isinstance(batch_size, Integral):
        raise TypeError(
            "The 'batch_size' parameter must be an int or 'auto'. "
            f"Got {shown(batch_size)} instead."
        )
    if batch_size < 1:
        raise ValueError(f"batch_size == {batch_size}, must be >= 1.")
    return int(batch_size)
