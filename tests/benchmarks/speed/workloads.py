"""The arrays that the metrics are timed on."""

# SPDX-License-Identifier: BSD-3-Clause

import tempfile
from typing import NamedTuple

import numpy as np
from scipy import sparse

SHORTEST, LONGEST, MEAN = 5, 239, 120


def scaled(size, scale):
    """Return a fraction of a size, at least 1."""
    return max(1, round(size * scale))


class Lists(NamedTuple):
    """Documents by row: their grades and scores, and the query of each."""

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray

    def shuffled(self, rng):
        order = rng.permutation(len(self.qid))
        return Lists(*(values[order] for values in self))

    def with_levels(self, n_levels):
        """Return the lists with scores rounded to that many values."""
        edges = np.quantile(self.y_score, np.linspace(0, 1, n_levels + 1)[1:-1])
        level = np.searchsorted(edges, self.y_score)
        return self._replace(y_score=level / n_levels)

    def n_queries(self):
        return len(self.starts())

    def starts(self):
        """Return the first row of each query, where rows are grouped."""
        return np.flatnonzero(np.diff(self.qid, prepend=-1))


def make_lists(rng, n_rows, n_queries=None, shortest=SHORTEST, longest=LONGEST):
    """Return so many rows in lists of random length, a tenth graded 1-4, grouped."""
    if n_queries is None:
        n_queries = max(1, n_rows // MEAN)
    lengths = rng.integers(shortest, longest + 1, n_queries)
    while excess := lengths.sum() - n_rows:
        movable = lengths > shortest if excess > 0 else lengths < longest
        n_changed = min(abs(excess), np.count_nonzero(movable))
        changed = rng.choice(np.flatnonzero(movable), n_changed, replace=False)
        lengths[changed] -= np.sign(excess)
    grades = rng.integers(1, 5, n_rows) * (rng.random(n_rows) < 0.1)
    return Lists(
        grades, rng.normal(size=n_rows), np.repeat(np.arange(n_queries), lengths)
    )


def make_ids(rng, n_queries):
    """Return ids of several kinds for the queries 0, 1, ...: int64, str and object."""
    numbers = rng.choice(26**6, n_queries, replace=False)
    letters = ord("a") + numbers[:, np.newaxis] // 26 ** np.arange(6) % 26
    words = letters.astype(np.uint32).view("U6").ravel()
    wide = rng.choice(2**62, n_queries, replace=False)
    return {"int64": wide, "6 letters": words, "Python's str": words.astype(object)}


def make_l(scale):
    """Return L, the lists of most rows: 1.2 million rows of 10,000 queries."""
    return make_lists(np.random.default_rng(0), scaled(1_200_000, scale))


def as_matrix(lists):
    """Return the same grades and scores as lists of equal length."""
    shape = -1, MEAN
    return lists.y_true.reshape(shape), lists.y_score.reshape(shape)


def make_candidates(rng, n_queries, n_candidates=14_541, n_known=20):
    """Return right columns, the scores in a memory map, and cells to leave out.

    The file has no name, or goes when it is closed: it is there as long as the map.
    """
    with tempfile.TemporaryFile() as file:
        shape = n_queries, n_candidates
        y_score = np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
    for start in range(0, n_queries, 1000):
        block = y_score[start : start + 1000]
        block[...] = rng.standard_normal(block.shape, dtype=np.float32)
    y_score.flush()
    known = make_sparse(rng, shape, n_known).astype(bool)
    return rng.integers(n_candidates, size=n_queries), y_score, known


def make_users(rng, n_users, n_items=1000, n_liked=10):
    """Return the items that each user likes, and a score for every item."""
    y_true = make_sparse(rng, (n_users, n_items), n_liked)
    return y_true, rng.random((n_users, n_items))


def make_sparse(rng, shape, n_per_row):
    """Return a matrix of ones and zeros with so many ones a row, or slightly fewer."""
    columns = rng.integers(shape[1], size=(shape[0], n_per_row))
    rows = np.arange(0, columns.size + 1, n_per_row)
    cells = np.ones(columns.size, dtype=np.int64), columns.ravel(), rows
    matrix = sparse.csr_matrix(cells, shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix
