"""The entities that a target is ranked with, and triples as positions of ids."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from skrank._input.callers import warn_caller
from skrank._input.checks import check_count, shown
from skrank._input.frames import drop_column
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_qid, sorted_unique
from skrank._ranking.targets import count_around_target
from skrank._text.docs import Seed

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


@dataclass(frozen=True, eq=False)
class SampledNegatives:
    """Rank each target among a sample of the other candidates only.

    Passed as `candidates` to :func:`evaluate_link_prediction`, for models that are too
    slow to score all candidates, and for leaderboards such as those of OGB. Metrics of
    ranks in a sample are too good, since a target has fewer candidates above it, and
    can put two models in the wrong order [1]_.

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
        When ranks are computed, since they are those among the sample.

    See Also
    --------
    type_constraints : Fewer candidates, chosen without a sample.

    Notes
    -----
    Negatives that are known answers are left out of the sample, so that its size may
    differ from query to query.

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
    >>> -3 < scores["neg_mean_rank"] < -2  # of 6 entities; -3.38 of all 14
    True
    """

    negatives: int | ArrayLike | Mapping[Any, Any] = 50
    _: KW_ONLY
    random_state: Seed | None = None


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
        """Return (above, tied, n_candidates) of a batch of rows.

        Of the negatives, those that are not candidates are left out; one that occurs
        twice counts twice.
        """
        rows = np.arange(len(scores))[:, np.newaxis]
        if isinstance(self.negatives, int):
            out = out_row, out_column, scores.shape[1]
            negatives = draw_negatives(self.rng, self.negatives, target, *out)
            valid = negatives != target[:, np.newaxis]
        else:
            negatives = self.negatives[batch]
            is_out = np.zeros(scores.shape, dtype=bool)
            is_out[out_row, out_column] = is_out[rows[:, 0], target] = True
            valid = ~is_out[rows, negatives]
        own, drawn = scores[rows, target[:, np.newaxis]], scores[rows, negatives]
        above = np.count_nonzero((drawn > own) & valid, axis=1)
        tied = np.count_nonzero((drawn == own) & valid, axis=1)
        return above, tied, 1 + np.count_nonzero(valid, axis=1)


def draw_negatives(rng, n_negatives, target, out_row, out_column, n_entities):
    """Draw columns of each row other than the target and those that are out, if any."""
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


def candidate_counters(candidates, sides, entities, relations, relation, n_triples):
    """Return what counts the candidates of triples with some relations, by side."""
    if candidates is None:
        return {side: EntitySets(None) for side in sides}
    if isinstance(candidates, SampledNegatives):
        found = _read_sample(candidates, sides, entities, n_triples)
        warn_caller(
            "The ranks are those among a sample of the candidates. Their metrics are "
            "too good, and can put two models in the wrong order. Pass candidates=None "
            "to rank all candidates.",
            UserWarning,
        )
        return found
    return {
        side: _read_sets(_of_side(candidates, side), entities, relations, relation)
        for side in sides
    }


def _read_sample(sample, sides, entities, n_triples):
    """Return the Sample of each side that is evaluated."""
    negatives, rng = sample.negatives, check_random_state(sample.random_state)
    if isinstance(negatives, Integral):
        return dict.fromkeys(sides, Sample(check_count(negatives, "negatives"), rng))
    found = {}
    for side in sides:
        columns = _encode_entities(_of_side(negatives, side), entities, ndim=2)
        if len(columns) != n_triples or not columns.size:
            raise ValueError(
                "Negatives must be an array of shape (n_triples, n_negatives) with "
                f"{n_triples} rows. Got shape {columns.shape}."
            )
        found[side] = Sample(columns, rng)
    return found


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
