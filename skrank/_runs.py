"""From lists of documents to runs: where the relevant documents stand."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np

from skrank._lists import Candidates
from skrank._panels import MAX_CELLS, gather, split_by_width


class Runs(NamedTuple):
    """Tie classes that hold a relevant document, each query's in rank order.

    The runs of one query stand together. `query`, `above`, `size` and `relevant`
    have one entry a run; `grade` has one a relevant document, run after run.
    """

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    relevant: np.ndarray
    grade: np.ndarray


def find_runs(lists, ties):
    """Return the runs of `lists`, cut as the tie policy says."""
    if isinstance(lists, Candidates):
        return _cut(_count_candidates(lists, ties), ties)
    panels = split_by_width(lists.lengths)
    parts = [_rank_panel(lists, rows, width, ties) for rows, width in panels]
    return _cut(Runs(*map(np.concatenate, zip(*parts, strict=True))), ties)


def _rank_panel(lists, rows, width, ties):
    """Rank the lists `rows`, side by side in one block."""
    starts, lengths = lists.starts[rows], lists.lengths[rows]
    scores = gather(lists.y_score, starts, width)
    relevant = gather(lists.relevant, starts, width)
    keys = np.negative(scores)
    if lengths[0] < width:
        # Infinity sorts fast, but a score of -inf is tied with it: see `size` below.
        beyond = np.arange(width) >= lengths[:, np.newaxis]
        keys[beyond] = np.inf
        relevant = relevant & ~beyond
    if lists.excluded is not None:
        keys[gather(lists.excluded, starts, width)] = np.nan
    order = np.argsort(keys, axis=1, kind="stable" if ties == "first" else None)
    place = np.flatnonzero(np.take_along_axis(relevant, order, axis=1))
    row, column = np.divmod(place, width)
    grade = lists.grade_at(starts[row] + order.ravel()[place])
    query = lists.query[rows[row]]
    if ties != "first":
        start, size = _tie_classes(np.take_along_axis(keys, order, axis=1), place)
        if start is not None:
            above = start - row * width
            size = np.minimum(size, lengths[row] - above)
            return _merge(query, above, size, grade)
    one = np.ones(len(place), dtype=np.intp)
    return Runs(query, column, one, one, grade)


def _tie_classes(keys, place):
    """Return where the tie class of each place starts, and its size.

    `place` is flat. Returns (None, None) if no two documents of a row are tied.
    """
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    if new.all():
        return None, None
    start = np.flatnonzero(new)
    label = (np.cumsum(new) - 1)[place]
    size = np.diff(start, append=new.size)
    return start[label], size[label]


def _merge(query, above, size, grade):
    """Join the relevant documents that share a tie class into one run."""
    new = np.ones(len(query), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1])
    first = np.flatnonzero(new)
    relevant = np.diff(first, append=len(query))
    return Runs(query[first], above[first], size[first], relevant, grade)


def _count_candidates(lists, ties):
    """Count the candidates above and beside the right one: nothing is sorted."""
    n_queries, n_candidates = lists.y_score.shape
    above = np.empty(n_queries, dtype=np.intp)
    size = np.empty(n_queries, dtype=np.intp)
    height = max(1, MAX_CELLS // n_candidates)
    for start in range(0, n_queries, height):
        block = slice(start, start + height)
        above[block], size[block] = _count_block(
            lists.y_score[block],
            lists.target[block],
            None if lists.exclude is None else lists.exclude[block],
            ties,
        )
    one = np.ones(n_queries, dtype=np.intp)
    return Runs(np.arange(n_queries), above, size, one, one.astype(np.float64))


def _count_block(scores, target, exclude, ties):
    own = scores[np.arange(len(scores)), target][:, np.newaxis]
    above = np.count_nonzero(scores > own, axis=1)
    tied = scores == own
    first = ties == "first"
    if first:
        tied &= np.arange(scores.shape[1]) < target[:, np.newaxis]
    beside = np.count_nonzero(tied, axis=1)
    if exclude is not None:
        row = np.repeat(np.arange(len(scores)), np.diff(exclude.indptr))
        column = exclude.indices
        other = exclude.data & (column != target[row])
        row, column = row[other], column[other]
        higher = scores[row, column] > own[row, 0]
        above -= np.bincount(row[higher], minlength=len(scores))
        beside -= np.bincount(row[tied[row, column]], minlength=len(scores))
    if first:
        return above + beside, np.ones_like(above)
    return above, beside


def _cut(runs, ties):
    """Cut tie classes into runs of one document, where the policy gives an order."""
    if ties in ("expected", "first") or not np.any(runs.size > 1):
        return runs
    run = np.repeat(np.arange(len(runs.query)), runs.relevant)
    best_first = runs.grade if ties == "pessimistic" else -runs.grade
    grade = runs.grade[np.lexsort((best_first, run))]
    # The j-th of the r relevant documents of a class of n stands between place j,
    # with every other document behind it, and place n - r + j.
    first = np.cumsum(runs.relevant) - runs.relevant
    above = runs.above[run] + np.arange(len(run)) - first[run]
    behind = (runs.size - runs.relevant)[run]
    above = above + {"optimistic": 0, "pessimistic": 1, "realistic": 0.5}[ties] * behind
    one = np.ones(len(run), dtype=np.intp)
    return Runs(runs.query[run], above, one, one, grade)
