"""The entities that a target is ranked with, and triples as positions of ids."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skrank._input.checks import shown
from skrank._input.frames import drop_column
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_qid, sorted_unique
from skrank._ranking.targets import count_around_target
from skrank.link_prediction.ranks import SampledNegatives, read_sample

HEAD, RELATION, TAIL = range(3)
SIDES = ("head", "tail")


def type_constraints(X: ArrayLike) -> dict[Any, Any]:
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
    triples = as_triples(X)
    relations, relation = encode_qid(triples[:, RELATION], name="X")
    found = {}
    for side, column in (("head", HEAD), ("tail", TAIL)):
        entities, entity = encode_qid(triples[:, column], name="X")
        pairs = sorted_unique(relation * len(entities) + entity)
        seen, entity = np.divmod(pairs, len(entities))
        parts = np.split(entities[entity], np.flatnonzero(np.diff(seen)) + 1)
        found[side] = dict(zip(relations.tolist(), parts, strict=True))
    return found


class EntitySets:
    """The candidates as a mask, or as columns of each relation; None for all."""

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
        """Return (above, tied, n_candidates) of a batch of rows."""
        allowed = None
        if self.allowed is not None:
            allowed = self.candidates(scores.shape, batch, relation)
        return count_around_target(scores, target, out_row, out_column, allowed)


def candidate_counters(candidates, sides, entities, relations, relation, n_triples):
    """Return what counts the candidates of triples with some relations, by side."""
    if candidates is None:
        return {side: EntitySets(None) for side in sides}
    if isinstance(candidates, SampledNegatives):
        given = candidates.negatives
        return read_sample(
            candidates,
            sides,
            n_triples,
            lambda side: _encode_entities(_of_side(given, side), entities, ndim=2),
        )
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
        columns = _encode_entities(given, entities, ndim=1)
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
        allowed[code] = _encode_entities(ids, entities, ndim=1)
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


def _encode_entities(ids, entities, ndim):
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


def as_triples(X, name="X"):
    """Return triples as an array of shape (n_triples, 3), of int64 or of text.

    Text in Python objects stays so: in an array of str every id would take as much
    memory as the longest name of a relation.
    """
    if sparse.issparse(X):
        raise TypeError(
            f"The '{name}' parameter must be a dense array of triples. "
            f"Got a sparse matrix of type {type(X).__name__} instead."
        )
    if isinstance(X, (set, frozenset, dict)):
        raise TypeError(
            f"The '{name}' parameter must be an array-like of shape (n_triples, 3). "
            f"Got a {type(X).__name__}: pass a list of its triples."
        )
    values = _array_of(drop_column(X, QID), name)
    if values.ndim != 2 or values.shape[1] != 3:
        raise ValueError(
            f"The '{name}' parameter must be an array-like of shape (n_triples, 3), "
            "a head, a relation and a tail in each row. "
            f"Got an array of shape {values.shape}."
        )
    is_text = kind_of_ids(values, name) == "U"
    return values if is_text else _as_int64(values, name)


def _array_of(values, name):
    """Return an array; a list as one of objects, in which 1 and "1" differ."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    try:
        return np.asarray(values, dtype=object)
    except ValueError as error:  # ragged lists
        raise ValueError(
            f"The '{name}' parameter must be an array-like with rows of one length. "
            f"Got {type(values).__name__}: {error}"
        ) from None


def as_ids(values, name):
    """Return ids as an array of int64 or of str."""
    values = _array_of(values, name)
    is_text = kind_of_ids(values, name) == "U"
    return values.astype(str, copy=False) if is_text else _as_int64(values, name)


def _as_int64(values, name):
    try:
        return values.astype(np.int64, copy=False)
    except OverflowError:
        raise ValueError(
            f"The '{name}' parameter must hold integers within the range of int64. Got "
            f"{shown(max(values.ravel().tolist(), key=abs))}."
        ) from None


def kind_of_ids(values, name):
    """Return "i" for an array of integers and "U" for one of text; else raise."""
    kind = values.dtype.kind
    if kind in "iuU":
        return "i" if kind == "u" else kind
    if kind not in "OT":
        raise ValueError(
            f"The '{name}' parameter must hold ids that are integers or strings. "
            f"Got an array of dtype {values.dtype} instead."
        )
    types = set(map(type, values.ravel().tolist()))
    if all(issubclass(type_, str) for type_ in types):
        return "U"
    if all(issubclass(type_, Integral) and type_ is not bool for type_ in types):
        return "i"
    names = ", ".join(sorted(type_.__name__ for type_ in types))
    raise ValueError(
        f"The '{name}' parameter must hold ids that are all integers or all strings. "
        f"Got ids of type {names}."
    )


class Vocabulary:
    """The ids of entities or of relations (`what`), each once, and their positions."""

    def __init__(self, ids, what):
        self.ids = as_ids(ids, what)
        self.what = what
        order = np.argsort(self.ids, axis=None, kind="stable")
        ordered = self.ids.ravel()[order]
        if self.ids.ndim != 1 or (ordered[1:] == ordered[:-1]).any():
            raise ValueError(
                f"The {what} of a model must be a vector of different ids. "
                f"Got an array of shape {self.ids.shape} with "
                f"{len(np.unique(ordered))} different ids."
            )
        is_range = ordered.dtype.kind == "i" and np.array_equal(
            self.ids, np.arange(len(self.ids))
        )
        self._ordered, self._order = (None, None) if is_range else (ordered, order)

    def __len__(self):
        return len(self.ids)

    @cached_property
    def _positions(self):
        return {id: position for position, id in enumerate(self.ids.tolist())}

    def encode(self, ids, name):
        """Return the positions of ids, -1 for those that are not known."""
        kind, own = kind_of_ids(ids[:1], name), self.ids.dtype.kind
        if len(self) and kind != own:
            words = {"i": "integers", "U": "strings"}
            raise ValueError(
                f"The '{name}' parameter must name {self.what} as the model does, by "
                f"{words[own]}. Got {words[kind]}."
            )
        if ids.dtype.kind in "OT":
            listed = map(
                self._positions.get, ids.ravel().tolist(), itertools.repeat(-1)
            )
            return np.fromiter(listed, np.intp, ids.size).reshape(ids.shape)
        if self._order is None:
            return np.where((ids >= 0) & (ids < len(self)), ids, -1)
        if not len(self):
            return np.full(ids.shape, -1)
        place = np.searchsorted(self._ordered, ids)
        place = np.minimum(place, len(self) - 1)
        return np.where(self._ordered[place] == ids, self._order[place], -1)

    def encode_all(self, ids, name):
        """Return the positions of ids, and raise if one is not known."""
        codes = self.encode(ids, name)
        unknown = codes < 0
        if unknown.any():
            rows = unknown if unknown.ndim == 1 else unknown.any(axis=1)
            missing = np.unique(ids[unknown])
            listed = ", ".join(shown(id_, 36) for id_ in missing[:5].tolist())
            more = ", ..." if len(missing) > 5 else ""
            beyond = (
                f"The model has {len(self)} {self.what}, 0 to {len(self) - 1}."
                if self._order is None
                else f"The model knows {len(self)} {self.what}."
            )
            raise ValueError(
                f"{np.count_nonzero(rows)} of the {len(rows)} rows of the '{name}' "
                f"parameter hold {self.what} that the model does not know. {beyond} "
                f"Got {len(missing)} others: {listed}{more}. Predictors take the "
                f"{self.what} that are not in their training triples as the parameter "
                f"`{self.what}=`, which lists all of them."
            )
        return codes


def encode_triples(triples, entities, relations, name):
    """Return the positions of heads, relations and tails, each (n_triples,)."""
    ends = entities.encode_all(triples[:, [HEAD, TAIL]], name)
    relation = relations.encode_all(triples[:, RELATION], name)
    return ends[:, 0], relation, ends[:, 1]
