"""From lists of documents to runs: where the relevant documents stand."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np

from skrank._blocks import block_of_flags, block_of_keys, block_of_negated_scores
from skrank._candidates import count_candidates
from skrank._keys import codes_of, without_codes
from skrank._lists import Candidates
from skrank._long import is_very_long, keep_top, split_by_score
from skrank._panels import split_by_width
from skrank._qid import lengths_of_runs


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

# The depth of a ranking of which only the first relevant documents are read.
FIRST = "first"


def find_runs(lists, ties, depth=None):
    """Return the runs of `lists`, cut as the tie policy says.

    Those that stand wholly below rank `depth`, or below the first of a query if it is
    ``"first"``, may be left out.
    """
    if isinstance(lists, Candidates):
        above, size = count_candidates(lists, ties)
        one = np.ones_like(size)
        runs = Runs(lists.ids, above, size, one, one.astype(np.float64))
    elif depth == FIRST and ties != "first":
        runs = _find_first_runs(lists)
    else:
        runs = _find_all_runs(lists, ties, None if depth == FIRST else depth)
    return _cut(runs, ties)


def _find_all_runs(lists, ties, depth, split=True):
    if depth is not None:
        lists = keep_top(lists, depth)
    parts, whole = [_NO_RUNS], np.ones(len(lists.lengths), dtype=bool)
    for i in np.flatnonzero(is_very_long(lists)) if split else ():
        pieces = split_by_score(lists, i)
        if pieces is not None:
            whole[i] = False
            parts.append(_find_by_pieces(lists, i, pieces, ties))
    whole = np.flatnonzero(whole)
    for rows, width in split_by_width(lists.lengths[whole]):
        rows = left = whole[rows]
        if ties != "first" and lists.codes is not None:
            runs, left = _sort_values(lists, rows, width, depth)
            parts.append(runs)
        if len(left):
            parts.append(_sort_indices(lists, left, width, ties))
    return Runs(*map(np.concatenate, zip(*parts, strict=True)))


def _find_by_pieces(lists, i, pieces, ties):
    """Rank the pieces of list i, which come in the order of rank."""
    runs = _find_all_runs(pieces, ties, depth=None, split=False)
    n_above = np.cumsum(pieces.n_ranked) - pieces.n_ranked
    above = runs.above + n_above[runs.query]
    order = np.argsort(runs.query.astype(np.uint16), kind="stable")
    relevant = runs.relevant[order]
    first = (np.cumsum(runs.relevant) - runs.relevant)[order]
    moved = np.repeat(first - (np.cumsum(relevant) - relevant), relevant)
    grade = runs.grade[moved + np.arange(len(moved))]
    query = np.full(len(order), lists.query[i])
    return Runs(query, above[order], runs.size[order], relevant, grade)


def _find_first_runs(lists):
    """Find the first run of each list alone, by counting: nothing is sorted."""
    scores, places = lists.scores, lists.places
    n_relevant = lists.count(lists.is_relevant)
    listed = n_relevant > 0
    first = (np.cumsum(n_relevant, dtype=np.intp) - n_relevant)[listed]
    best = np.full(len(n_relevant), np.nan, dtype=scores.dtype)
    best[listed] = np.maximum.reduceat(scores[places], first) if len(places) else 0
    best_of_row = np.repeat(best, lists.lengths)
    higher = scores > best_of_row
    tied = scores == best_of_row
    if lists.excluded is not None:
        higher &= ~lists.is_excluded
        tied &= ~lists.is_excluded
    flags = higher, tied, tied & lists.is_relevant
    counts = (lists.count(flag)[listed] for flag in flags)
    above, size, relevant = (count.astype(np.intp) for count in counts)
    grade = lists.grade_at(places[tied[places]])
    return Runs(lists.query[listed], above, size, relevant, grade)


def _sort_values(lists, rows, width, depth):
    """Rank lists by sorting the keys, which carry the code of the grade themselves.

    Sorting values is twice as fast as sorting indices and needs no look-up. Where the
    keys are not exact, a sort of the true scores tells whether tied keys are tied
    scores.

    Returns
    -------
    runs : Runs
        Those of the lists that could be ranked this way.
    left : ndarray
        The other lists, with scores too close to each other.
    """
    keys = block_of_keys(lists, rows, width)
    keys.sort(axis=1)
    if depth is not None:
        keys = _down_to(keys, depth)
    code, keys = codes_of(keys), without_codes(keys)
    place = np.flatnonzero(code != 0)
    code = code.ravel()[place]
    row = place // keys.shape[1]
    column = place - row * keys.shape[1]
    if _stand_alone(keys, place, column):
        one = np.ones(len(place), dtype=np.intp)
        query = lists.query[rows][row]
        return Runs(query, column, one, one, lists.levels[code]), rows[:0]
    left = rows[:0]
    if not lists.keys_are_exact:
        scores = np.sort(
            block_of_negated_scores(lists, rows, width, excluded=np.inf), axis=1
        )
        scores = scores[:, : keys.shape[1]]
        same = scores[:, 1:] == scores[:, :-1]
        close = keys[:, 1:] == keys[:, :-1]
        bad = (same != close).any(axis=1)
        left, kept = rows[bad], ~bad[row]
        place, code, row = place[kept], code[kept], row[kept]
    runs = _tied_runs(lists, rows, keys, place, row, lists.levels[code])
    return runs, left


def _down_to(keys, depth):
    """Return the columns of sorted keys that hold the first `depth` documents.

    And those tied with one of them: no tie class is cut in two.
    """
    width = keys.shape[1]
    while depth < width:
        edge = without_codes(keys[:, depth - 1 : depth + 1].copy())
        tied = (edge[:, 0] == edge[:, 1]) & (edge[:, 0] < np.inf)
        if not tied.any():
            return keys[:, :depth].copy()
        depth *= 2
    return keys


def _sort_indices(lists, rows, width, ties):
    """Rank lists of any scores and grades; in input order if `ties` says so."""
    keys = block_of_negated_scores(lists, rows, width, excluded=np.nan)
    relevant = block_of_flags(lists, rows, width, lists.is_relevant)
    order = np.argsort(keys, axis=1, kind="stable" if ties == "first" else None)
    place = np.flatnonzero(np.take_along_axis(relevant, order, axis=1))
    row = place // width
    grade = lists.grade_at(lists.starts[rows[row]] + order.ravel()[place])
    if ties == "first":
        one = np.ones(len(place), dtype=np.intp)
        return Runs(lists.query[rows[row]], place - row * width, one, one, grade)
    keys = np.take_along_axis(keys, order, axis=1)
    return _tied_runs(lists, rows, keys, place, row, grade)


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
    size = lengths_of_runs(start, new.size)[tie_class]
    # What fills the end of a row is no document, though it may look tied.
    size = np.minimum(size, lists.n_ranked[rows[row]] - above)
    relevant = lengths_of_runs(first, len(place))
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
