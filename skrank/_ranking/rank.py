"""Rank the documents of every query."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_choice, check_scores
from skrank._ranking.ids import encode_qid, encode_rows, repeat_heads
from skrank._ranking.queries import rank_lists
from skrank._ranking.read import read_lists

DOC_ORDERS = ("ascending", "descending")


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
    depth=None,
):
    """Rank the documents of every query.

    Parameters
    ----------
    y_true : array-like or sparse matrix
        The grades, in one of the three input shapes.
    y_score : array-like
        The predicted scores.
    qid : array-like of shape (n_samples,), default=None
        The query of each row; flat input only.
    threshold : float or "max", default=0.0
        Documents with a higher grade are relevant.
    ties : str, default="expected"
        The tie policy.
    exclude : array-like or sparse matrix of bool, default=None
        Documents to leave out; matrix and candidates input only.
    judged : array-like of bool of shape (n_samples,), default=None
        Documents that have a grade; the grade of the others is not read.
    returned : array-like of bool of shape (n_samples,), default=None
        Documents that the system returned. The others count among the relevant
        documents and in the ideal ranking, but have no rank; their score is not read.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids.
    doc_order : {"ascending", "descending"}, default=None
        With ``ties="first"``, tied documents stand in this order of `doc_id`
        instead of the input order.
    depth : int or "first", default=None
        What will be asked for: the documents of the first `depth` ranks, or the first
        relevant document of each query; None is everything.

    Returns
    -------
    ranking : RankedQueries
        Where the relevant documents of every query stand.
    """
    row_order = None
    if doc_order is not None:
        check_choice(doc_order, DOC_ORDERS, "doc_order", "rank_queries")
        if doc_id is None:
            raise ValueError(
                f"doc_order={doc_order!r} orders tied documents by their ids. Pass "
                "the ids as `doc_id`. Got no document ids."
            )
        _, codes = encode_qid(doc_id, np.size(y_true), name="doc_id")
        descending = doc_order == "descending"
        row_order = np.argsort(-codes if descending else codes, kind="stable")
    lists = read_lists(
        y_true,
        y_score,
        qid=qid,
        threshold=threshold,
        exclude=exclude,
        judged=judged,
        returned=returned,
        row_order=row_order,
    )
    return rank_lists(lists, ties, depth)


def rank_rows(y_score, qid=None):
    """Return the rank of each row within its query.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        The predicted scores.

    qid : array-like of shape (n_samples,), default=None
        The query of each row; None means one query.

    Returns
    -------
    rank : ndarray of int of shape (n_samples,)
        1 for the highest score of the query, then 2, 3, ...; tied documents keep
        their input order.
    """
    y_score = check_scores(y_score)
    _, codes, starts = encode_rows(qid, len(y_score))
    codes = repeat_heads(codes, starts, len(y_score))
    counts = np.bincount(codes)
    rank = np.empty(len(y_score), dtype=np.intp)
    place = np.arange(1, len(y_score) + 1)
    above = np.repeat(np.cumsum(counts) - counts, counts)
    rank[np.lexsort((-y_score, codes))] = place - above
    return rank
