"""Rank the documents of every query."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import functools

import numpy as np

from skrank._checks import (
    all_finite,
    check_choice,
    check_scores,
    numeric_array,
    scores_as_floats,
)
from skrank._ranking import long_lists
from skrank._ranking.blocks import split_by_width
from skrank._ranking.count import count_candidates, find_first_groups
from skrank._ranking.doc_order import DocOrder
from skrank._ranking.documents import Candidates
from skrank._ranking.ids import encode_qid
from skrank._ranking.indices import sort_indices
from skrank._ranking.lists import Lists
from skrank._ranking.long_lists import keep_top, split_by_score
from skrank._ranking.packed import are_packable, sort_keys, sort_packed
from skrank._ranking.queries import RankedQueries
from skrank._ranking.read import read_lists
from skrank._ranking.tie_groups import TieGroups, resolve_ties

DOC_ORDERS = ("ascending", "descending")

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
    returned=None,
    doc_id=None,
    doc_order=None,
    judged_from=None,
    depth=None,
):
    """Return the RankedQueries of some documents.

    The parameters are those of :func:`skrank.metrics.evaluate` that decide on the
    ranking, and one more.

    Parameters
    ----------
    depth : int or "first", default=None
        What will be asked for: the documents of the first `depth` ranks, or the first
        relevant document of each query; None is everything.
    """
    if doc_order is not None:
        check_choice(doc_order, DOC_ORDERS, "doc_order", "rank_queries")
        if doc_id is None:
            raise ValueError(
                f"doc_order={doc_order!r} orders tied documents by their ids. Pass "
                "the ids as `doc_id`. Got no document ids."
            )
        doc_order = DocOrder(doc_id, doc_order == "descending", np.size(y_true))
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
    return rank_lists(lists, ties, depth)


def rank_again(ranking, y_score, ties, depth=None):
    """Return the ranking of the rows of another one by other scores, or None.

    What does not depend on the scores is shared. None if rows were left out or do not
    stand as they were given, so that they have to be read again.
    """
    lists = ranking._lists
    y_score = numeric_array(y_score, "y_score")
    are_rows = isinstance(lists, Lists) and lists.excluded is None
    if not are_rows or lists.is_matrix or y_score.shape != lists.y_score.shape:
        return None
    is_finite = all_finite(y_score)
    y_score = scores_as_floats(y_score, is_finite)
    y_score = np.ascontiguousarray(y_score, dtype=y_score.dtype.newbyteorder("="))
    lists = lists.with_scores(y_score, is_finite)
    return rank_lists(lists, ties, depth, ranking)


def rank_lists(lists, ties, depth=None, alike=None):
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
        if not lists.order.is_as_given and are_packable(lists):
            lists = sort_keys(lists)
        groups = _sort_lists(lists, ties, None if depth == FIRST else depth)
    if ties not in ("expected", "first"):
        groups = resolve_ties(groups, ties)

    rank = functools.partial(rank_lists, ties=ties)
    return RankedQueries(groups, lists.n_documents(), lists, rank, alike=alike)


def _sort_lists(lists, ties, depth):
    """Return the tie groups of lists by sorting, the very long ones by pieces."""
    if depth is not None:
        lists = keep_top(lists, depth)
    is_packable = are_packable(lists)
    very_long = lists.order.lengths > long_lists.LONGEST
    if not very_long.any():
        return _sort_whole(lists, ties, depth, is_packable)
    parts = []
    for i in np.flatnonzero(very_long):
        pieces, grade_of = split_by_score(lists, i)
        if pieces is None:
            very_long[i] = False
            continue
        if is_packable:
            pieces = sort_keys(pieces)
        groups = _sort_whole(pieces, ties, None, is_packable)
        query = lists.order.query[i]
        parts.append(_join_pieces(pieces, groups, grade_of, query))
    which = np.flatnonzero(~very_long)
    parts.append(_sort_whole(lists, ties, depth, is_packable, which))
    return TieGroups(*map(np.concatenate, zip(*parts, strict=True)))


def _sort_whole(lists, ties, depth, is_packable, which=None):
    """Return the tie groups of lists, or of `which` of them, some lists at a time."""
    parts = []
    lengths = lists.order.lengths if which is None else lists.order.lengths[which]
    for rows, width in split_by_width(lengths):
        rows = left = rows if which is None else which[rows]
        if is_packable:
            groups, left = sort_packed(lists, rows, width, depth, ties)
            parts.append(groups)
            if ties == "first" and 2 * len(left) > len(rows):
                is_packable = False  # most lists would be sorted twice
        if len(left):
            parts.append(sort_indices(lists, left, width, ties))
    if len(parts) == 1:
        return parts[0]
    none = np.zeros(0, dtype=np.intp)
    parts.append(TieGroups(none, none, none, none, np.zeros(0)))
    return TieGroups(*map(np.concatenate, zip(*parts, strict=True)))


def _join_pieces(pieces, groups, grade_of, query):
    """Return the tie groups of one query from those of its pieces, in rank order."""
    n_documents = pieces.n_documents()
    n_above = np.cumsum(n_documents) - n_documents
    above = groups.above + n_above[groups.query]
    order = np.argsort(groups.query.astype(np.uint16), kind="stable")
    relevant = groups.relevant[order]
    first = (np.cumsum(groups.relevant) - groups.relevant)[order]
    moved = np.repeat(first - (np.cumsum(relevant) - relevant), relevant)
    grade = grade_of(groups.grade[moved + np.arange(len(moved))])
    query = np.full(len(order), query)
    return TieGroups(query, above[order], groups.size[order], relevant, grade)


def rank_rows(y_score, qid=None):
    """Return the rank of each row within its query: 1, 2, ... by falling score.

    Tied rows keep their order. Without `qid` all rows are one query.
    """
    y_score = check_scores(y_score)
    codes = np.zeros(len(y_score), dtype=np.intp)
    if qid is not None:
        _, codes = encode_qid(qid, len(y_score))
    counts = np.bincount(codes)
    rank = np.empty(len(y_score), dtype=np.intp)
    place = np.arange(1, len(y_score) + 1)
    above = np.repeat(np.cumsum(counts) - counts, counts)
    rank[np.lexsort((-y_score, codes))] = place - above
    return rank
