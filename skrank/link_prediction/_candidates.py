"""The candidates that a target is ranked with."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import shown
from skrank._ranking.count import count_around_target
from skrank._ranking.ids import encode_qid
from skrank.link_prediction._sampled_negatives import SampledNegatives, read_sample
from skrank.link_prediction._triple_ids import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    as_ids,
    read_triples,
)


def type_constraints(X):
    """Return the heads and the tails that each relation was seen with.

    Parameters
    ----------
    X : array-like of shape (n_triples, 3)
        Triples, usually those of training.

    Returns
    -------
    candidates : dict
        ``{"head": {relation: entities}, "tail": {relation: entities}}``, in the form
        that :func:`evaluate_link_prediction` takes as `candidates`.

    See Also
    --------
    evaluate_link_prediction : Where it is used.

    Examples
    --------
    >>> from skrank.link_prediction import type_constraints
    >>> seen = type_constraints([["anna", "likes", "tea"], ["bert", "likes", "tea"]])
    >>> {side: seen[side]["likes"].tolist() for side in seen}
    {'head': ['anna', 'bert'], 'tail': ['tea']}
    """
    triples = read_triples(X)
    relations, relation = encode_qid(triples[:, RELATION], name="X")
    found = {}
    for side, column in (("head", HEAD), ("tail", TAIL)):
        entities, entity = encode_qid(triples[:, column], name="X")
        pairs = np.unique(relation * len(entities) + entity)
        seen, entity = np.divmod(pairs, len(entities))
        parts = np.split(entities[entity], np.flatnonzero(np.diff(seen)) + 1)
        found[side] = dict(zip(relations.tolist(), parts, strict=True))
    return found


class EntitySets:
    """The candidates of all triples, as a mask, or of each relation, as columns.

    None stands for all entities.
    """

    def __init__(self, allowed):
        self.allowed = allowed

    def candidates(self, shape, batch, relation):
        """Return which cells of the scores may be read, as a mask or True."""
        if not isinstance(self.allowed, dict):
            return True if self.allowed is None else self.allowed
        kinds, kind = np.unique(relation, return_inverse=True)
        columns = [self.allowed[one] for one in kinds.tolist()]
        allowed = np.zeros((len(kinds), shape[1]), dtype=bool)
        allowed[
            np.repeat(np.arange(len(kinds)), list(map(len, columns))),
            np.concatenate(columns),
        ] = True
        return allowed[kind.reshape(-1)]

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        allowed = None
        if self.allowed is not None:
            allowed = self.candidates(scores.shape, batch, relation)
        counts = count_around_target(scores, target, out_row, out_column, allowed)
        return *counts, None


def read_candidates(candidates, sides, entities, relations, relation, n_triples):
    """Return an object that counts the candidates, for each side that is evaluated.

    `entities` and `relations` are the ids that the model knows, and `relation` holds
    the relation of each evaluated triple.
    """
    if candidates is None:
        return {side: EntitySets(None) for side in sides}
    if isinstance(candidates, SampledNegatives):

        def columns_of(side):
            return _columns(_of_side(candidates.negatives, side), entities, ndim=2)

        return read_sample(candidates, sides, n_triples, columns_of)
    return {
        side: _read_sets(_of_side(candidates, side), entities, relations, relation)
        for side in sides
    }


def _of_side(given, side):
    """Return what is given for a side, if it differs between sides."""
    if not isinstance(given, dict):
        return given
    if not set(given) <= set(SIDES) or side not in given:
        raise ValueError(
            "A dict of candidates must have the keys 'head' and 'tail', one for each "
            f"side that is evaluated. Got {shown(list(given))} for {side!r}."
        )
    return given[side]


def _read_sets(given, entities, relations, relation):
    if not isinstance(given, dict):
        columns = _columns(given, entities, ndim=1)
        if not len(columns):
            raise ValueError(
                f"{len(relation)} triples have no candidates: the 'candidates' "
                "parameter is empty."
            )
        allowed = np.zeros(len(entities), dtype=bool)
        allowed[columns] = True
        return EntitySets(allowed)
    allowed = {}
    for name, ids in given.items():
        (code,) = relations.encode(as_ids([name], "candidates"), "candidates").tolist()
        allowed[code] = _columns(ids, entities, ndim=1)
    asked, n_asked = np.unique(relation, return_counts=True)
    empty = [not len(allowed.get(code, ())) for code in asked.tolist()]
    if any(empty):
        names = relations.ids[asked[empty]][:5].tolist()
        raise ValueError(
            f"{n_asked[empty].sum()} triples have no candidates: the 'candidates' "
            f"parameter has none for {sum(empty)} of their relations, such as "
            f"{', '.join(shown(name, 36) for name in names)}."
        )
    return EntitySets(allowed)


def _columns(ids, entities, ndim):
    ids = np.asarray(ids) if np.size(ids) == 0 else as_ids(ids, "candidates")
    if ids.ndim != ndim:
        shape = "(n_candidates,)" if ndim == 1 else "(n_triples, n_negatives)"
        raise ValueError(
            "The 'candidates' parameter must hold entities, an array of shape "
            f"{shape}. Got shape {ids.shape}."
        )
    if not ids.size:
        return np.zeros(ids.shape, dtype=np.intp)
    return entities.encode_all(ids, "candidates")
