"""Rank the documents of each query."""

# SPDX-License-Identifier: BSD-3-Clause

import sys
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from skrank._input.checks import (
    check_choice,
    numeric_array,
    scores_as_floats,
    warn_if_labels,
)
from skrank._ranking.arrays import (
    STRETCH,
    GradeCodes,
    TieGroups,
    gather,
    split_by_width,
    stretches,
)
from skrank._ranking.ids import DocOrder, encode_qid
from skrank._ranking.lists import (
    SHORT,
    Candidates,
    Lists,
    RescoredLists,
    RowLists,
    comparable,
    read_lists,
)
from skrank._ranking.queries import RankedQueries, TopDocuments

DOC_ORDERS = ("ascending", "descending")

# What documents without a judgement count as.
UNJUDGED = ("nonrelevant", "condensed")

# The depth of a ranking of which only the first relevant documents are read.
FIRST = "first"


def rank_queries(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    ties="expected",
    exclude=None,
    judged=None,
    unjudged="nonrelevant",
    returned=None,
    doc_id=None,
    doc_order=None,
    judged_from=None,
    columns=None,
    depth=None,
):
    """Return the RankedQueries of some documents.

    The parameters are those of :func:`skrank.metrics.evaluate` that decide on the
    ranking, the `columns` that metrics read, and `depth`, what will be asked for: the
    documents of the first `depth` ranks, or the "first" relevant document of each
    query; None is everything.
    """
    if doc_order is not None:
        check_choice(doc_order, DOC_ORDERS, "doc_order", "rank_queries")
        if doc_id is None:
            raise ValueError(
                f"doc_order={doc_order!r} orders tied documents by their ids. Pass "
                "the ids as `doc_id`. Got no document ids."
            )
        doc_order = DocOrder.of_input(
            doc_id, doc_order == "descending", np.size(y_true)
        )
    lists = read_lists(
        y_true,
        y_score,
        qid=qid,
        threshold=threshold,
        exclude=exclude,
        judged=judged,
        returned=returned,
        doc_order=doc_order,
        judged_from=judged_from,
        flatten=ties == "midrank",
    )
    if ties == "expected" and isinstance(lists, Lists):
        warn_if_labels(lists)
    if unjudged == "condensed" and lists.judged is not None:
        lists = lists.condensed()
    return rank_lists(lists, ties, depth, columns=columns)


def rank_again(ranking, y_score, ties, depth=None, columns=None):
    """Return the ranking of the rows of another one by other scores, or None.

    What does not depend on the scores is shared::

        ranking ---- ideal, chance, made_of_rows <---- alike ---- the new ranking
        its lists -- codes of the grades, flags <----- alike ---- the new lists

    None if rows were left out or do not stand as they were given, so that they have to
    be read again.
    """
    lists = ranking._lists
    y_score = numeric_array(y_score, "y_score")
    are_rows = isinstance(lists, Lists) and not lists.is_matrix
    if not are_rows or y_score.shape != lists.y_score.shape:
        return None
    y_score, is_finite = comparable(y_score)
    changes = {"y_score": y_score, "is_finite": is_finite, "alike": lists}
    lists = RescoredLists(**lists.attributes | changes)
    return rank_lists(lists, ties, depth, alike=ranking, columns=columns)


def rank_lists(lists, ties, depth=None, **shared):
    """Return documents, as :func:`read_lists` returns them, as ranked queries.

    The tie groups are found by the fastest method: by counting, where each query has
    one target or where only the first relevant documents are asked for; by sorting
    scores that carry their grades; or by sorting positions.
    """
    if ties == "midrank":
        if isinstance(lists, Candidates):
            raise ValueError(
                "ties='midrank' reads the tied scores of all documents. Pass y_true of "
                "the shape of y_score. Got y_true of shape (n_queries,)."
            )
        ties = "expected"
    if isinstance(lists, Candidates):
        above, size = count_candidates(lists, ties)
        one = np.ones_like(size)
        groups = TieGroups(lists.ids, above, size, one, one.astype(np.float64))
    elif depth == FIRST and ties != "first":
        groups = find_first_groups(lists)
    else:
        depth = None if depth == FIRST else depth
        if not lists.order.is_as_given and lists.is_packable:
            lists = sort_keys(lists)
        top = lists if depth is None else keep_top(lists, depth)
        groups = _sort(top, ties, depth)
    groups, rank = resolve_ties(groups, ties), partial(rank_lists, ties=ties)
    shared |= {"n_documents": lists.n_documents(), "lists": lists, "rank": rank}
    return RankedQueries(groups=groups, **shared)


def rank_documents(lists, ties, k):
    """Return the TopDocuments of lists, where no grade is read."""
    ranking = rank_lists(lists.by_row(), ties, k)
    return TopDocuments(ranking, ranking, k)


def resolve_ties(groups, ties):
    """Return each relevant document as its own group, if the policy orders ties."""
    if ties in ("expected", "first") or not np.any(groups.size > 1):
        return groups
    group = np.repeat(np.arange(len(groups.query)), groups.relevant)
    best_first = groups.grade if ties == "pessimistic" else -groups.grade
    grade = groups.grade[np.lexsort((best_first, group))]
    # The j-th of r relevant documents among n tied ones stands between place j, with
    # the n - r others behind it, and place n - r + j, with the others before it.
    first = np.cumsum(groups.relevant) - groups.relevant
    above = groups.above[group] + np.arange(len(group)) - first[group]
    others = (groups.size - groups.relevant)[group]
    above = above + {"optimistic": 0, "pessimistic": 1, "realistic": 0.5}[ties] * others
    one = np.ones(len(group), dtype=np.intp)
    return TieGroups(groups.query[group], above, one, one, grade)


def _sort(lists, ties, depth):
    """Return the tie groups of lists by sorting, some lists at a time."""
    parts, is_packable = [], lists.is_packable
    for rows, width in split_by_width(lists.order.lengths):
        left = rows
        if is_packable:
            groups, left = sort_packed(lists, rows, width, depth, ties)
            parts.append(groups)
            if ties == "first" and 2 * len(left) > len(rows):
                is_packable = False  # most lists would be sorted twice
        if len(left):
            parts.append(sort_indices(lists, left, width, ties))
    if len(parts) == 1:
        return parts[0]
    if not parts:
        none = np.zeros(0, dtype=np.intp)
        return TieGroups(none, none, none, none, np.zeros(0))
    are_alike = all(part.size is part.relevant for part in parts)  # as without ties
    columns, joined = list(zip(*parts, strict=True)), {}
    # Each column is freed after it is joined, so that its memory is used again.
    parts.clear()
    groups = left = None
    for name in reversed(TieGroups._fields):
        column = columns.pop()
        is_known = name == "size" and are_alike
        joined[name] = joined["relevant"] if is_known else np.concatenate(column)
    return TieGroups(**joined)


def rank_rows(y_score, qid=None):
    """Return the rank of each row within its query: 1, 2, ... by falling score.

    Tied rows keep their order. Without `qid` all rows are one query.
    """
    y_score = scores_as_floats(numeric_array(y_score, "y_score"))
    codes = np.zeros(len(y_score), dtype=np.intp)
    if qid is not None:
        _, codes = encode_qid(qid, len(y_score))
    counts = np.bincount(codes)
    rank = np.empty(len(y_score), dtype=np.intp)
    place = np.arange(1, len(y_score) + 1)
    above = np.repeat(np.cumsum(counts) - counts, counts)
    rank[np.lexsort((-y_score, codes))] = place - above
    return rank


# A packed key is a negated score with the code of the grade in its low byte, so that a
# sort of floats, in place, ranks the documents and takes their grades along:
#
#     score  grade  code      key, as bits                     sorted keys
#     2.5    3      2         sign, exponent, fraction | 02    -2.5 | 02
#     1.0    0      0         sign, exponent, fraction | 00    -2.5 | 01   tied with it
#     2.5    1      1         sign, exponent, fraction | 01    -1.0 | 00   not relevant
#
# The low byte of a float64: the last 8 bits of its fraction.
_LOW = np.uint64(0xFF)
_LOW_BYTES = slice(0 if sys.byteorder == "little" else 7, None, 8)


def sort_keys(lists):
    """Return packable lists of scattered rows with their keys sorted by query."""
    row_codes = lists.row_codes
    keys = lists.order.sorted(_pack(lists.y_score, row_codes.codes))
    return KeyedLists(**lists.attributes, keys=keys, row_codes=row_codes)


@dataclass(frozen=True, eq=False)
class KeyedLists(Lists):
    """Lists whose scores and codes were sorted by query as one number."""

    keys: np.ndarray | None = None  # at the places, so that no row need be sorted
    row_codes: GradeCodes | None = None
    is_packable = True

    @cached_property
    def coded(self):
        """Return the codes that the keys carry."""
        codes = self.keys.view(np.uint64).astype(np.uint8)
        return GradeCodes(codes, self.row_codes.grades)

    @cached_property
    def is_relevant(self):
        """Return which places hold a relevant document."""
        return self.coded.codes != 0

    def grade_at(self, places):
        """Return the grades of relevant documents."""
        return self.row_codes.grades[self.coded.codes[places]]

    def n_relevant(self):
        """Return the number of relevant documents of each query."""
        return self._by_query(self.count(self.is_relevant))


def _pack(scores, codes):
    """Return the keys of finite scores, with the codes in their low bytes.

    There a code decides nothing but the order within a tie group. Scores that differ
    in that byte alone look tied.
    """
    keys = np.empty(len(scores))
    for start in range(0, len(scores), STRETCH):
        stretch = slice(start, start + STRETCH)
        np.subtract(0.0, scores[stretch], out=keys[stretch])
        keys[stretch].view(np.uint8)[_LOW_BYTES] = codes[stretch]
    return keys


# So many keys are not sorted if they rise, as in runs. Fewer are sorted in no time.
WORTH_A_LOOK = 2**14


def is_rising(keys):
    """Return True if the keys of each row are in their order already."""
    return (keys[:, 1:] >= keys[:, :-1]).all()


def sort_packed(lists, rows, width, depth, ties):
    """Return the tie groups of some lists, down to a depth, and the other lists.

    Where the keys are not exact, a sort of the true scores shows whether tied keys
    are tied scores. They do not tell the input order of tied documents: with
    ``ties="first"`` lists in which a relevant document is tied are left.
    """
    # Lists side by side, each sorted by itself, and what is found of one with the codes
    # 2 0 1 0 of its documents, of which the first three are tied:
    #
    #     keys     -2.5|02  -2.5|01  -2.5|00  -1.0|00  inf      a row of the block
    #     code     2        1        0        0        0        its low bytes
    #     keys     -2.5     -2.5     -2.5     -1.0     inf      without them
    #     place    0        1                                   of relevant documents
    #     tied     True     True                                with a neighbour
    #     groups   above 0, size 3, relevant 2, grades of the codes 2 and 1
    keys = _sorted_keys(lists, rows, width, depth)
    bits = keys.view(np.uint64)
    code = bits.astype(np.uint8)
    bits &= ~_LOW  # tied documents have equal keys
    if depth is not None and depth < keys.shape[1]:
        code *= keys <= keys[:, depth - 1 : depth]  # 0 below the depth asked for
    are_rows = isinstance(lists, RowLists)
    if are_rows and code.all() and not (keys[:, 1:] == keys[:, :-1]).any():
        return _each_alone(lists, rows, code), rows[:0]
    (place,) = (code.ravel() != 0).nonzero()
    code = code.ravel()[place]
    row = place // keys.shape[1]
    column = place - row * keys.shape[1]
    one = np.ones(len(place), dtype=np.intp)
    query = lists.order.query[rows][row]
    # Is a document tied with its neighbour before, or with the one behind?
    flat = keys.ravel()
    own, after = flat[place], np.minimum(place + 1, len(flat) - 1)
    tied = (flat[place - 1] == own) & (column > 0)
    tied |= (flat[after] == own) & (column < keys.shape[1] - 1)
    left, is_tied = rows[:0], tied.any()
    if is_tied and ties == "first":
        bad = np.zeros(len(rows), dtype=bool)
        bad[row[tied]] = True
        left, kept, is_tied = rows[bad], ~bad[row], False
        one, code, row = one[kept], code[kept], row[kept]
        query, column = query[kept], column[kept]
    elif is_tied and lists.fill_the_last_byte:
        scores = negated_scores(lists, rows, width)
        leave_out(scores, lists, rows, np.inf, np.inf)
        scores = np.sort(scores, axis=1)[:, : keys.shape[1]]
        same = scores[:, 1:] == scores[:, :-1]
        close = keys[:, 1:] == keys[:, :-1]
        bad = (same != close).any(axis=1)
        left, kept = rows[bad], ~bad[row]
        place, code, row = place[kept], code[kept], row[kept]
    grade = lists.decode(code, rows[row]) if are_rows else lists.coded.grades[code]
    if is_tied:
        return groups_of_sorted(lists, rows, keys, place, row, grade), left
    return TieGroups(query, column, one, one, grade), left


def _sorted_keys(lists, rows, width, depth):
    """Return the keys of some lists side by side, sorted, down to a depth."""
    if isinstance(lists, KeyedLists):
        keys = own_block(lists.keys, lists.order.starts[rows], width)
    else:
        keys = negated_scores(lists, rows, width)
        if isinstance(lists, RowLists):  # their places in the lists, from 1
            codes = np.arange(1, width + 1, dtype=np.uint8)
        else:
            codes = gather(lists.coded.codes, lists.order.starts[rows], width)
        keys.view(np.uint8)[..., _LOW_BYTES] = codes
    leave_out(keys, lists, rows, np.inf, np.inf)
    if keys.size < WORTH_A_LOOK or not (is_rising(keys[:1]) and is_rising(keys)):
        keys.sort(axis=1)
    return keys if depth is None else _down_to(keys, depth)


def _each_alone(lists, rows, code):
    """Return the tie groups of lists side by side, each of which is one document."""
    width = code.shape[1]
    above, one = np.arange(width), np.ones(code.size, dtype=np.intp)
    return TieGroups(
        np.repeat(lists.order.query[rows], width),
        np.broadcast_to(above, code.shape).ravel(),
        one,
        one,
        lists.decode(code, rows[:, np.newaxis]).ravel(),
    )


def _down_to(keys, depth):
    """Return columns of sorted keys that hold the first `depth` documents.

    And those tied with the last of these; a tie group further down may be split.
    """
    last, width = depth, keys.shape[1]
    while last < width:
        edge = keys[:, depth - 1 : last + 1 : last + 1 - depth].copy()  # two columns
        edge.view(np.uint64)[...] &= ~_LOW
        tied = (edge[:, 0] == edge[:, 1]) & (edge[:, 0] < np.inf)
        if not tied.any():
            return keys[:, :last].copy()
        last *= 2
    return keys


def sort_indices(lists, rows, width, ties):
    """Return the tie groups of lists; with ``ties="first"`` each document alone."""
    keys = negated_scores(lists, rows, width)
    leave_out(keys, lists, rows, np.inf, np.nan)
    relevant = block_of_flags(lists, rows, width, lists.is_relevant)
    order = np.argsort(keys, axis=1, kind="stable" if ties == "first" else None)
    if ties == "first" and lists.doc_order is not None:
        _order_tied(lists, rows, keys, relevant, order)
    place = np.flatnonzero(np.take_along_axis(relevant, order, axis=1))
    row = place // width
    grade = lists.grade_at(lists.order.starts[rows[row]] + order.ravel()[place])
    if ties == "first":
        query, one = lists.order.query[rows[row]], np.ones(len(place), dtype=np.intp)
        return TieGroups(query, place - row * width, one, one, grade)
    keys = np.take_along_axis(keys, order, axis=1)
    return groups_of_sorted(lists, rows, keys, place, row, grade)


def _order_tied(lists, rows, keys, relevant, order):
    """Sort documents that are tied with a relevant one by their ids, in place.

    `keys` are the negated scores of the lists `rows`, side by side, `relevant` flags
    likewise, and `order` their columns, sorted by the keys and then as in the input.
    """
    lengths = lists.order.lengths[rows]
    keys = np.take_along_axis(keys, order, axis=1)
    relevant = np.take_along_axis(relevant, order, axis=1)
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    # What fills the end of a row comes last in its tie group.
    new[np.arange(keys.shape[1]) >= lengths[:, np.newaxis]] = True
    start = np.flatnonzero(new)
    size = np.diff(start, append=new.size)
    asked = (size > 1) & np.logical_or.reduceat(relevant.ravel(), start)
    cells = np.flatnonzero(np.repeat(asked, size))
    group = np.repeat(np.arange(np.count_nonzero(asked)), size[asked])
    column = order.ravel()[cells]
    places = lists.order.starts[rows[cells // keys.shape[1]]] + column
    codes = lists.doc_order.codes(lists.order.rows_at(places), group)
    order.ravel()[cells] = column[np.lexsort((codes, group))]


def groups_of_sorted(lists, rows, keys, place, row, grade):
    """Return the tie groups of sorted keys that hold the documents at `place`.

    Row i of `keys` belongs to the list ``rows[i]``. `place` holds the ascending cells
    of relevant documents, `row` and `grade` their rows of `keys` and their grades.
    """
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    group = (np.cumsum(new) - 1)[place]
    (first,) = np.diff(group, prepend=-1).nonzero()
    row, group = row[first], group[first]
    above = start[group] - row * keys.shape[1]
    size = np.subtract(np.append(start[1:], new.size), start)[group]
    # What fills the end of a row is not a document, though it may look tied.
    size = np.minimum(size, lists.n_ranked[rows[row]] - above)
    relevant = np.subtract(np.append(first[1:], len(place)), first)
    return TieGroups(lists.order.query[rows[row]], above, size, relevant, grade)


def negated_scores(lists, rows, width):
    """Return the negated scores of lists side by side."""
    scores = gather(lists.scores, lists.order.starts[rows], width)
    is_own = not np.may_share_memory(scores, lists.scores)
    out = scores if is_own and scores.dtype == np.float64 else None
    return np.subtract(0.0, scores, out=out, dtype=np.float64)


def block_of_flags(lists, rows, width, flags):
    """Return flags of lists side by side, and False after their end."""
    block = own_block(flags, lists.order.starts[rows], width)
    leave_out(block, lists, rows, False, None)
    return block


def own_block(values, starts, width):
    """Return values of lists side by side, in memory of their own."""
    block = gather(values, starts, width)
    return block.copy() if np.may_share_memory(block, values) else block


def leave_out(block, lists, rows, after_the_end, excluded):
    """Set the cells of lists side by side, in the order of length, that do not count.

    Those after the end of a list, and those of excluded documents unless `excluded`,
    what these are set to, is None.
    """
    lengths = lists.order.lengths[rows]
    if lengths[0] < (width := block.shape[1]):  # columns before are full
        small = np.min_scalar_type(width)  # many are compared at once
        column = np.arange(lengths[0], width, dtype=small)
        ended = column >= lengths.astype(small)[:, np.newaxis]
        block[:, lengths[0] :][ended] = after_the_end
    if excluded is not None and lists.excluded is not None:
        block[block_of_flags(lists, rows, block.shape[1], lists.is_excluded)] = excluded


# Only the top of a list is kept if it has this many documents for each rank asked for.
MUCH_LONGER = 32

# The documents of a long list are partitioned by the maximum of this many each.
GROUP = 8


def keep_top(lists, depth):
    """Return the lists without documents that are known to rank below `depth`.

    Documents that are tied with the last one kept are kept too.
    """
    is_long = lists.order.lengths >= MUCH_LONGER * depth
    if 2 * lists.order.lengths[is_long].sum() <= lists.order.lengths.sum():
        return lists
    lowest = np.full(len(lists.order.lengths), -np.inf, dtype=lists.scores.dtype)
    (long,) = np.nonzero(is_long)
    for rows, _ in split_by_width(lists.order.lengths[long]):
        lowest[long[rows]] = _lower_bounds(lists, long[rows], depth)
    kept = []
    for first, last, places in stretches(lists.order):
        lengths = lists.order.lengths[first:last]
        keep = lists.scores[places] >= np.repeat(lowest[first:last], lengths)
        if lists.excluded is not None:
            keep &= ~lists.is_excluded[places]
        kept.append(np.flatnonzero(keep) + places.start)
    return lists.select(np.concatenate(kept))


def _lower_bounds(lists, rows, depth):
    """Return a score for each list that its document at rank `depth` reaches.

    The depth-th highest of all scores is at least that of some of them, such as
    the highest of each group of documents.
    """
    shortest = lists.order.lengths[rows].min()
    block = gather(lists.scores, lists.order.starts[rows], shortest)
    if lists.excluded is not None:
        out = gather(lists.is_excluded, lists.order.starts[rows], shortest)
        block = np.where(out, block.dtype.type(-np.inf), block)
    n_groups = shortest // GROUP
    highest = block[:, :n_groups]
    for start in range(n_groups, GROUP * n_groups, n_groups):
        highest = np.maximum(highest, block[:, start : start + n_groups])
    return np.partition(highest, n_groups - depth, axis=1)[:, n_groups - depth]


def find_first_groups(lists):
    """Return the first tie group of each list alone, by counting: nothing is sorted."""
    order, parts = lists.order, [[np.zeros(0, dtype=np.intp)] * 5]
    n_rows = STRETCH if order.is_as_given else len(lists.y_score)  # or all at once
    for first, last, part in stretches(order, n_rows):
        counts, rows = _count_around_best(lists, first, last, part)
        (listed,) = counts[2].nonzero()
        counts = [count[listed] for count in counts]
        parts.append([order.query[first:last][listed], *counts, rows])
    *groups, rows = map(np.concatenate, zip(*parts, strict=True))
    if not order.is_as_given:
        rows = rows[np.argsort(order.row_query[rows], kind="stable")]
    return TieGroups(*groups, lists.grade_of(rows))


def _count_around_best(lists, first, last, part):
    """Count the documents above the best relevant ones of some lists, and these.

    `part` is the slice of their rows. Returns the counts of each list, of the documents
    above, of all that are tied with the best, and of the relevant ones among these, and
    the rows of the latter.
    """
    if last - first == 1:
        return _count_in_one(lists, part)
    order, scores, relevant = lists.order, lists.y_score[part], lists.relevant[part]
    lengths, lowest = order.lengths[first:last], scores.dtype.type(-np.inf)
    is_short = len(lists.relevant) < SHORT * len(order.starts)
    if order.is_as_given and not is_short:
        starts = order.starts[first:last] - part.start
        best = np.maximum.reduceat(np.where(relevant, scores, lowest), starts)
        flags = _flags_around(np.repeat(best, lengths), lists, part)
        counts = [lists.count(flag, starts) for flag in flags]
        return counts, flags[2].nonzero()[0] + part.start
    # One by one: lists are short, or their rows do not stand together.
    found, given = lists.relevant_rows, order.is_as_given
    found = found[slice(*np.searchsorted(found, (part.start, part.stop)))] - part.start
    place = np.repeat(np.arange(last - first), lengths) if given else order.row_query
    # No document is above inf. Of another type than the scores, `at` would be slow.
    best = np.full(last - first, np.inf, dtype=scores.dtype)
    best[place[found]] = lowest
    np.maximum.at(best, place[found], scores[found])
    flags = _flags_around(best[place], lists, part)[:2]
    rows = [flag.nonzero()[0] for flag in flags]
    rows.append(rows[1][relevant[rows[1]]])
    counts = [np.bincount(place[of], minlength=len(best)) for of in rows]
    return counts, rows[2] + part.start


def _count_in_one(lists, part):
    """Do so for one list, however long it is, stretch by stretch."""
    parts = [
        slice(start, min(start + STRETCH, part.stop))
        for start in range(part.start, part.stop, STRETCH)
    ]
    best = -np.inf
    for part in parts:
        found = lists.y_score[part][lists.relevant[part]]
        best = max(best, found.max(initial=-np.inf))
    counts, tied = np.zeros((3, 1), dtype=np.intp), []
    for part in parts:
        flags = _flags_around(best, lists, part)
        counts[:, 0] += list(map(np.count_nonzero, flags))
        tied.append(flags[2].nonzero()[0] + part.start)
    return counts, np.concatenate(tied)


def _flags_around(best, lists, part):
    """Return which documents are above the best, tied with it, and relevant as well."""
    scores = lists.y_score[part]
    higher, tied = scores > best, scores == best
    if lists.excluded is not None:
        higher &= ~lists.excluded[part]
        tied &= ~lists.excluded[part]
    return higher, tied, tied & lists.relevant[part]


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
    out = 2 * [np.zeros(0, dtype=np.intp)]  # the excluded cells of the block
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
