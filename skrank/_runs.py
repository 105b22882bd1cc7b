"""From lists of documents to runs: where the relevant documents stand."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np

from skrank._candidates import count_candidates
from skrank._lists import Candidates
from skrank._panels import gather, split_by_width


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


_NONE = np.zeros(0, dtype=np.intp)
_NO_RUNS = Runs(_NONE, _NONE, _NONE, _NONE, np.zeros(0))


def find_runs(lists, ties):
    """Return the runs of `lists`, cut as the tie policy says."""
    if isinstance(lists, Candidates):
        above, size = count_candidates(lists, ties)
        one = np.ones_like(size)
        runs = Runs(lists.ids, above, size, one, one.astype(np.float64))
        return _cut(runs, ties)
    parts = [_NO_RUNS]
    for rows, width in split_by_width(lists.lengths):
        left = rows
        if ties != "first" and lists.code is not None:
            runs, left = _sort_values(lists, rows, width)
            parts.append(runs)
        if len(left):
            parts.append(_sort_indices(lists, left, width, ties))
    return _cut(Runs(*map(np.concatenate, zip(*parts, strict=True))), ties)


def find_first_runs(lists, ties):
    """Return the first run of each list alone, by counting: nothing is sorted."""
    if isinstance(lists, Candidates) or ties == "first":
        return find_runs(lists, ties)
    rows = np.flatnonzero(lists.relevant)
    n_relevant = _count_by_list(rows, lists)
    listed = n_relevant > 0
    first = (np.cumsum(n_relevant) - n_relevant)[listed]
    best = np.full(len(n_relevant), np.nan)
    best[listed] = np.maximum.reduceat(lists.y_score[rows], first) if len(rows) else 0
    best_of_row = np.repeat(best.astype(lists.y_score.dtype), lists.lengths)
    higher = lists.y_score > best_of_row
    tied = lists.y_score == best_of_row
    if lists.excluded is not None:
        higher &= ~lists.excluded
        tied &= ~lists.excluded
    tied_rows = rows[tied[rows]]
    runs = Runs(
        lists.query,
        _count_by_list(np.flatnonzero(higher), lists),
        _count_by_list(np.flatnonzero(tied), lists),
        _count_by_list(tied_rows, lists),
        lists.grade_at(tied_rows),
    )
    return _cut(Runs(*(column[listed] for column in runs[:4]), runs.grade), ties)


def _count_by_list(rows, lists):
    """Return how many of the ascending `rows` each list has."""
    return np.diff(np.searchsorted(rows, lists.starts), append=len(rows))


# The low byte of a float64: the last 8 bits of its fraction.
_LOW = np.uint64(0xFF)


def _sort_values(lists, rows, width):
    """Rank lists by sorting numbers that carry the code of the grade themselves.

    Sorting values is twice as fast as sorting indices and needs no look-up. The code
    takes the low byte of the negated score, where it decides nothing but the order
    within a tie class. Scores that differ in that byte alone look tied: a sort of
    the true scores tells.

    Returns
    -------
    runs : Runs
        Those of the lists that could be ranked this way.
    left : ndarray
        The other lists, with scores too close to each other.
    """
    scores, code = _block(lists, rows, width, lists.code)
    bits = scores.view(np.uint64)
    packed = bits & ~_LOW
    packed |= code
    keys = packed.view(np.float64)
    keys.sort(axis=1)
    code = packed.astype(np.uint8)
    place = np.flatnonzero(code != 0)
    code = code.ravel()[place]
    row = place // width
    column = place - row * width
    packed &= ~_LOW
    if _stand_alone(packed, place, column):
        one = np.ones(len(place), dtype=np.intp)
        query = lists.query[rows][row]
        return Runs(query, column, one, one, lists.levels[code]), rows[:0]
    left = rows[:0]
    if (bits & _LOW).any():
        scores.sort(axis=1)
        same = scores[:, 1:] == scores[:, :-1]
        close = packed[:, 1:] == packed[:, :-1]
        bad = (same != close).any(axis=1)
        left, kept = rows[bad], ~bad[row]
        place, code, row = place[kept], code[kept], row[kept]
    runs = _tied_runs(lists, rows, packed, place, row, lists.levels[code])
    return runs, left


def _sort_indices(lists, rows, width, ties):
    """Rank lists of any scores and grades; in input order if `ties` says so."""
    relevant = lists.relevant
    keys, relevant = _block(lists, rows, width, relevant)
    if lists.excluded is not None:
        # NaN sorts behind every score, even one of -inf that comes later.
        keys[gather(lists.excluded, lists.starts[rows], width)] = np.nan
    order = np.argsort(keys, axis=1, kind="stable" if ties == "first" else None)
    place = np.flatnonzero(np.take_along_axis(relevant, order, axis=1))
    row = place // width
    grade = lists.grade_at(lists.starts[rows[row]] + order.ravel()[place])
    if ties == "first":
        one = np.ones(len(place), dtype=np.intp)
        return Runs(lists.query[rows[row]], place - row * width, one, one, grade)
    keys = np.take_along_axis(keys, order, axis=1)
    return _tied_runs(lists, rows, keys, place, row, grade)


def _block(lists, rows, width, labels):
    """Return the negated scores and the labels of lists, side by side.

    Cells that hold no document have the key inf, which sorts last, and label 0.
    """
    starts, lengths = lists.starts[rows], lists.lengths[rows]
    keys = np.subtract(0.0, gather(lists.y_score, starts, width), dtype=np.float64)
    labels = gather(labels, starts, width)
    if lengths[0] < width:
        # Lists come in the order of their length: columns before are full.
        ragged = slice(lengths[0], width)
        beyond = np.arange(lengths[0], width) >= lengths[:, np.newaxis]
        np.copyto(keys[:, ragged], np.inf, where=beyond)
        labels = labels if labels.flags.owndata else labels.copy()
        np.copyto(labels[:, ragged], labels.dtype.type(0), where=beyond)
    if lists.excluded is not None:
        keys[gather(lists.excluded, starts, width)] = np.inf
    return keys, labels


def _stand_alone(keys, place, column):
    """Tell whether no document at `place` has the key of a neighbour."""
    flat = keys.ravel()
    own = flat[place]
    tied = (flat[place - 1] == own) & (column > 0)
    after = np.minimum(place + 1, len(flat) - 1)
    tied |= (flat[after] == own) & (column < keys.shape[1] - 1)
    return not tied.any()


def _tied_runs(lists, rows, keys, place, row, grade):
    """Return the tie classes of sorted keys that hold the documents at `place`."""
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    tie_class = (np.cumsum(new) - 1)[place]
    first = np.flatnonzero(np.diff(tie_class, prepend=-1))
    row, tie_class = row[first], tie_class[first]
    above = start[tie_class] - row * keys.shape[1]
    size = np.diff(start, append=new.size)[tie_class]
    # What fills the end of a row is no document, though it may look tied.
    size = np.minimum(size, lists.n_ranked[rows[row]] - above)
    relevant = np.diff(first, append=len(place))
    return Runs(lists.query[rows[row]], above, size, relevant, grade)


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
