"""Random splits of the triples of a knowledge graph."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from math import ceil
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from skrank._input.checks import check_count
from skrank._input.frames import drop_column
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_qid, sorted_unique
from skrank._text.docs import Seed, Splits, share_split_words
from skrank.model_selection.query_splitter import check_size


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
    if sparse.issparse(X):
        raise TypeError(
            "The 'X' parameter of TripleShuffleSplit must be a dense array of triples. "
            f"Got a sparse matrix of type {type(X).__name__} instead."
        )
    triples = np.asarray(drop_column(X, QID))
    if triples.dtype.kind in "US" and isinstance(X, (list, tuple)):
        triples = np.asarray(X, dtype=object)  # or 1 and "1" would become one
    if triples.ndim != 2 or triples.shape[1] != 3:
        raise ValueError(
            "The 'X' parameter of TripleShuffleSplit must be an array-like of shape "
            "(n_samples, 3): head, relation and tail of each row. Got an array of "
            f"shape {triples.shape} instead."
        )
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
