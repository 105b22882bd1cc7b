"""Queries with one relevant document each, the target: documents, and its rank."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import numpy as np

from skrank._input.checks import check_weights, scores_as_floats


@dataclass(frozen=True, eq=False)
class OneTarget:
    """Queries that have one relevant document each, the target, of grade 1.

    It has all that :class:`~skrank.metrics.RankedQueries` asks of the documents that it
    ranks. `n_candidates` are the numbers of the documents, targets included.
    """

    ids: np.ndarray
    n_candidates: np.ndarray
    judged = None  # all have a grade
    whole = None  # all were returned

    def n_documents(self):
        """Return the number of documents of each query."""
        return self.n_candidates

    def n_relevant(self):
        """Return 1 for each query."""
        return np.ones(len(self.ids), dtype=np.intp)

    def count_grades(self):
        """Return (query, grade, count): one document of grade 1 for each query."""
        return self.ids, np.ones(len(self.ids)), self.n_relevant()

    def grade_range(self):
        """Return the lowest grade, or 0 if none is negative, and the highest one."""
        return 0, 1.0

    def query_weights(self, sample_weight):
        """Return one weight per query."""
        return check_weights(sample_weight, len(self.ids), "query")


@dataclass(frozen=True, eq=False)
class Candidates(OneTarget):
    """A row of candidates for each query, one of them the target.

    The scores are not yet checked: they may be larger than the memory.
    """

    y_score: np.ndarray
    target: np.ndarray  # the column of each target
    exclude: object  # a CSR matrix of the cells to leave out, unless targets; or None


def read_candidates(y_true, y_score, exclude):
    """Return queries whose target is the candidate in the column `y_true`."""
    if y_true.dtype.kind == "b" or (y_true != np.floor(y_true)).any():
        raise ValueError(
            "y_true of shape (n_queries,) with y_score of shape (n_queries, "
            "n_candidates) must hold the column of the target of each query, an int. "
            f"Got values of dtype {y_true.dtype}."
        )
    outside = (y_true < 0) | (y_true >= y_score.shape[1])
    if outside.any():
        raise ValueError(
            "y_true must hold columns of y_score, in the range "
            f"[0, {y_score.shape[1]}). Got {y_true[outside][0]}."
        )
    target = y_true.astype(np.intp)
    query = np.arange(len(target))
    n_candidates = np.full(len(target), y_score.shape[1])
    if exclude is not None:
        row = np.repeat(query, np.diff(exclude.indptr))
        out = exclude.data & (exclude.indices != target[row])
        n_candidates -= np.bincount(row[out], minlength=len(target))
    return Candidates(query, n_candidates, y_score, target, exclude)


# A block of rows fits the cache, and is long enough to hide the cost of a call.
MAX_BYTES = 2_097_152

# From here on a row is work enough for a call of its own: all rows at once are counted
# in integers, which is slower.
WIDE = 1024


def count_candidates(lists, ties):
    """Return (above, size): the candidates above each target, and its tie group.

    Nothing is sorted, and the scores are read once, block by block, so that they may
    be a memory map that is larger than the memory. With ``ties="first"``, tied
    candidates in earlier columns count as above the target, the others not at all.
    """
    n_queries, n_candidates = lists.y_score.shape
    above = np.empty(n_queries, dtype=np.intp)
    size = np.empty(n_queries, dtype=np.intp)
    height = max(1, MAX_BYTES // (lists.y_score.itemsize * n_candidates))
    for start in range(0, n_queries, height):
        rows = slice(start, min(start + height, n_queries))
        above[rows], size[rows] = _count_block(lists, rows, ties)
    return above, size


def _count_block(lists, rows, ties):
    scores, target = lists.y_score[rows], lists.target[rows]
    out = NONE, NONE  # the cells of the block that are excluded
    if lists.exclude is not None:
        starts = lists.exclude.indptr[rows.start : rows.stop + 1]
        cells = slice(starts[0], starts[-1])
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        is_out = lists.exclude.data[cells]
        out = row[is_out], lists.exclude.indices[cells][is_out]
    try:
        scores = scores_as_floats(scores)
    except ValueError:  # NaN, which may be that of an excluded candidate
        row, column = out
        lost = np.isnan(scores[row, column]) & (column != target[row])
        scores = scores.copy()
        scores[row[lost], column[lost]] = 0
        scores = scores_as_floats(scores)
    above, tied, _ = count_around_target(scores, target, *out)
    if ties == "first":
        before = np.arange(scores.shape[1]) < target[:, np.newaxis]
        _, tied, _ = count_around_target(scores, target, *out, before)
        return above + tied, np.ones_like(above)
    return above, tied + 1


NONE = np.zeros(0, dtype=np.intp)


def count_around_target(scores, target, out_row, out_column, allowed=None):
    """Return (above, tied, n_candidates) of the target of each row.

    Those are the numbers of candidates above the target, of others tied with it, and of
    all. `out_row` and `out_column` are cells that are not candidates, except those of
    targets; `allowed`, of shape (n_entities,) or that of the scores, says which
    entities may be candidates, and None that all may.
    """
    n_rows, n_entities = scores.shape
    own = scores[np.arange(n_rows), target][:, np.newaxis]
    others = np.full(n_rows, n_entities - 1)
    has_target = 1
    if allowed is not None:
        allowed = np.broadcast_to(allowed, scores.shape)
        has_target = allowed[np.arange(n_rows), target]
        others = np.count_nonzero(allowed, axis=1) - has_target
    found = np.greater(scores, own)
    above = _count_rows(found, allowed)
    np.equal(scores, own, out=found)
    # Each target equals itself. Most scores have no ties: look first for any.
    any_tied = np.count_nonzero(found) > n_rows
    tied = (
        _count_rows(found, allowed) - has_target if any_tied else np.zeros_like(above)
    )
    out = out_column != target[out_row]
    if allowed is not None:
        out &= allowed[out_row, out_column]
    row = out_row[out]
    score, own = scores[row, out_column[out]], own[row, 0]
    above -= np.bincount(row[score > own], minlength=n_rows)
    tied -= np.bincount(row[score == own], minlength=n_rows)
    others -= np.bincount(row, minlength=n_rows)
    return above, tied, others + 1


def _count_rows(found, allowed):
    """Return how many cells of each row are found, of those that are allowed."""
    if allowed is not None:
        found &= allowed
    if found.shape[1] < WIDE:
        return np.count_nonzero(found, axis=1)
    return np.fromiter(map(np.count_nonzero, found), np.intp, len(found))
