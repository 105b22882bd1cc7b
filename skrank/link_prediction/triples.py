"""Triples: their ids as positions, the candidates of their targets, random splits."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import ceil
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from skrank._input.callers import warn_caller
from skrank._input.checks import check_count, shape_of, shown
from skrank._input.frames import column_names, drop_column
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_qid, sorted_unique
from skrank._ranking.rank import count_around_target
from skrank._text.docs import Seed, Splits, share_split_words
from skrank.model_selection.query_splitter import check_size

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
    triples = read_triples(X)
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
    ids = np.asarray(ids) if 0 in shape_of(ids) else as_ids(ids, "candidates")
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
    values = _rows_of_triples(X, name)
    is_text = kind_of_ids(values, name) == "U"
    return values if is_text else _as_int64(values, name)


def read_triples(X, name="X", model=None):
    """Return all triples that a user passed, whose columns are to be as in fit."""
    names = [one for one in column_names(X) or () if one != QID]
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is not None and names not in ([], list(fitted)):
        raise ValueError(
            f"The columns of '{name}' must be those of fit, {[*fitted]}. Got {names}."
        )
    triples = as_triples(X, name)
    some = triples[:: max(len(triples) // 1000, 1)]  # fewer do not say which is which
    heads, relations, tails = (len(set(column.tolist())) for column in some.T)
    if len(some) >= 1000 and min(heads, relations) > 2 * tails:
        warn_caller(
            f"The columns of '{name}' are read as head, relation and tail. Got "
            f"{relations:,} relations and {tails:,} tails in {len(some):,} triples: in "
            "OpenKE's order, pass triples[:, [0, 2, 1]].",
            UserWarning,
        )
    return triples


def _rows_of_triples(X, name):
    """Return triples as an array of shape (n_triples, 3)."""
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
    return values


def _array_of(values, name):
    """Return an array; a list as one of objects, in which 1 and "1" differ."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    try:
        return np.asarray(values, dtype=object)
    except ValueError:  # ragged lists
        raise ValueError(
            f"The '{name}' parameter must be an array-like with rows of one length. "
            f"Got {shown(values, 80)}."
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


class TripleShuffleSplit(BaseCrossValidator):
    """Random splits of triples that train on every entity and relation.

    `X` holds the triples of a knowledge graph, one (head, relation, tail) per row. Each
    split draws triples to test, but keeps every entity and every relation in the
    training set, so that a model has an embedding for each of them.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits, at least 1.
    test_size : float or int, default=None
        The size of the test set: a float in (0, 1) is a fraction of the triples
        (rounded up), an int a number of triples. None means 0.1.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to get the same splits from each call.

    See Also
    --------
    skrank.model_selection.QueryShuffleSplit : Random splits of whole queries.
    sklearn.model_selection.ShuffleSplit : Random splits that leave entities out of
        the training set.

    Notes
    -----
    The triples are shuffled. Those in which an entity (as head or as tail) or a
    relation occurs for the first time are for training; the first ones of the others
    are tested. If these are too few, more triples are moved from training to test, one
    by one, as long as their entities and relation occur in other training triples.

    A triple of rare entities is therefore tested rarely, and a triple with an entity
    that occurs nowhere else is never tested.

    If a triple occurs twice, one copy may be in training and the other in the test
    set, and so may a triple and its inverse: remove such rows first.

    Examples
    --------
    >>> from skrank.link_prediction import TripleShuffleSplit
    >>> X = [
    ...     ["anna", "knows", "bert"],
    ...     ["bert", "knows", "anna"],
    ...     ["anna", "likes", "bert"],
    ...     ["bert", "likes", "anna"],
    ...     ["carl", "likes", "anna"],
    ... ]
    >>> cv = TripleShuffleSplit(n_splits=2, test_size=2, random_state=1)
    >>> for train, test in cv.split(X):
    ...     print(train, test)
    [1 2 4] [0 3]
    [0 2 4] [1 3]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        random_state: Seed | None = None,
    ) -> None:
        self.n_splits = check_count(n_splits, "n_splits")
        self.test_size = test_size
        self.random_state = random_state

    @share_split_words
    def split(self, X: ArrayLike, y: object = None, groups: object = None) -> Splits:
        """Generate the rows of each training and test set.

        Parameters
        ----------
        X : array-like of shape (n_samples, 3)
            The triples: head, relation and tail, as numbers or text. The column
            ``"qid"`` of a table is ignored.
        y : object, default=None
            Not used.
        groups : object, default=None
            Not used.
        """
        parts, n_parts = _encode_triples(X)
        n_samples = parts.shape[1]
        size = 0.1 if self.test_size is None else self.test_size
        check_size(size, "test_size", n_samples, "TripleShuffleSplit", "triples")
        n_test = int(size) if isinstance(size, Integral) else ceil(size * n_samples)
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            order = rng.permutation(n_samples)
            needed = _first_rows(parts[:, order], n_parts)
            free = np.delete(order, needed)
            if len(free) < n_test:
                more = _spare(parts, n_parts, order[needed], n_test - len(free))
                free = np.concatenate([free, more])
            if len(free) < n_test:
                raise ValueError(
                    f"TripleShuffleSplit can test {len(free)} of the {n_samples} "
                    "triples and keep every entity and relation in the training set. "
                    f"Got test_size={self.test_size!r}, that is {n_test} triples: "
                    "make it smaller."
                )
            is_test = np.zeros(n_samples, dtype=bool)
            is_test[free[:n_test]] = True
            yield np.flatnonzero(~is_test), np.flatnonzero(is_test)

    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None
    ) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object, default=None
            Not used; they exist for the interface that all splitters share.

        Returns
        -------
        n_splits : int
            The number of splits.
        """
        return self.n_splits


def _encode_triples(X):
    """Return the codes of heads, relations and tails, and how many codes there are.

    Heads and tails share codes. The codes of relations follow, so that entities and
    relations can be counted together.
    """
    triples = _rows_of_triples(X, "X")
    n_samples = len(triples)
    if n_samples < 2:
        raise ValueError(
            "TripleShuffleSplit needs at least 2 triples, one to train on and one to "
            f"test on. Got {n_samples}."
        )
    head, relation, tail = triples.T
    entities, codes = encode_qid(np.concatenate([head, tail]), name="X")
    relations, relation = encode_qid(relation, name="X")
    head, tail = codes[:n_samples], codes[n_samples:]
    parts = np.stack([head, len(entities) + relation, tail])
    return parts, len(entities) + len(relations)


def _first_rows(parts, n_parts):
    """Return the rows in which some entity or relation occurs for the first time."""
    n_samples = parts.shape[1]
    first = np.full(n_parts, n_samples)
    backwards = np.arange(n_samples)[::-1]
    for part in parts:  # one pass over all of them takes twice as long
        # An assignment keeps the last of several values: here that of the first row.
        found = np.full(n_parts, n_samples)
        found[part[::-1]] = backwards
        np.minimum(first, found, out=first)
    return sorted_unique(first)


def _spare(parts, n_parts, rows, n_wanted):
    """Return rows that can be removed: all their parts are in remaining rows."""
    triples = [set(triple) for triple in parts[:, rows].T.tolist()]
    left = [0] * n_parts
    for triple in triples:
        for part in triple:
            left[part] += 1
    spared = []
    for row, triple in zip(rows.tolist(), triples, strict=True):
        if len(spared) == n_wanted:
            break
        if all(left[part] > 1 for part in triple):
            spared.append(row)
            for part in triple:
                left[part] -= 1
    return np.array(spared, dtype=np.intp)
