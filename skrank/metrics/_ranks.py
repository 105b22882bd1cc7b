"""Metrics of the rank of the first relevant document."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._measure import measure, reads_first_rank


@reads_first_rank
def reciprocal_rank(ranking, *, k=None):
    """Return one over the rank of the first relevant document."""
    return ranking.expected_at_first(lambda rank: 1 / rank, k)


def mrr_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Mean reciprocal rank (MRR).

    The reciprocal rank of a query is one over the rank of its first relevant
    document. Larger is better.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples,) or (n_queries, n_docs)
        The true grades, 0 or more; or, of shape (n_queries,) beside a `y_score` of
        shape (n_queries, n_docs), the column of the one right document of each query.
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
        The predicted scores, larger is better. Infinite scores are ranked.
    qid : array-like of shape (n_samples,), default=None
        The query of each row, of any dtype and in any order. None reads it from the
        index of `y_true` named "qid", if there is one; else all rows are one query.
    k : int, default=None
        Only the first k ranks count. None is the whole list; k may exceed it.
    threshold : float or "max", default=0.0
        Documents graded above it are relevant; the others have no grade. With "max"
        those of the query's highest grade are, if that grade is above 0.
    ties : {"expected", "first", "optimistic", "pessimistic", "realistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order; or the value at the
        mean of the best and the worst rank of the first relevant document.
    replace_undefined_by : float, default=0.0
        The value of a query for which the metric is undefined. NaN leaves the query
        out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        How queries are averaged: all alike, or by their number of documents. None
        returns the value of each query, in the order of ``np.unique(qid)``.
    adjusted : bool, default=False
        Whether to return (M - E) / (B - E), with the metric M, its expectation E
        under random scores and its best attainable value B: chance is 0, perfect 1.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weight of each row, constant within a query: it is the weight of the query.
        Of shape (n_queries,) where each row of `y_score` is a query.
    exclude : {array-like, sparse matrix} of bool, (n_queries, n_docs), default=None
        Documents that take no part, where each row of `y_score` is a query. The one
        right document of a query is never taken out.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mean_rank : The same ranks, averaged as they are.
    hits_at_k_score : How often that rank is at most k.
    map_score : A mean over all relevant documents.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: RR@k = \frac{1}{r} \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and t documents stand above them, the
    first relevant one has rank t + j with a chance that follows the negative
    hypergeometric law; the expectation is the sum over j [1]_. It is not the
    reciprocal of the mean rank, which is what ``ties="realistic"`` gives
    (PyKEEN's convention). A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import mrr_score
    >>> mrr_score([1, 0, 0, 0, 1, 0], [4, 3, 2, 1, 5, 9], qid=[7, 7, 7, 7, 8, 8])
    0.75
    >>> mrr_score([0, 0, 1], [3, 2, 1], k=2)
    0.0
    >>> mrr_score([0, 1], [1, 1])
    0.75
    """  # noqa: E501
    return measure(
        mrr_score,
        reciprocal_rank,
        y_true,
        y_score,
        qid=qid,
        k=k,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )


@reads_first_rank
def hit(ranking, *, k=None):
    """Return 1 where a relevant document stands in the first k, else 0."""
    return ranking.expected_at_first(np.ones_like, k)


def hits_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Share of queries with a relevant document in the first k (Hits@k).

    Also known as hit rate or success at k. Larger is better.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples,) or (n_queries, n_docs)
        The true grades, 0 or more; or, of shape (n_queries,) beside a `y_score` of
        shape (n_queries, n_docs), the column of the one right document of each query.
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
        The predicted scores, larger is better. Infinite scores are ranked.
    qid : array-like of shape (n_samples,), default=None
        The query of each row, of any dtype and in any order. None reads it from the
        index of `y_true` named "qid", if there is one; else all rows are one query.
    k : int, default=None
        Only the first k ranks count. None is the whole list; k may exceed it.
    threshold : float or "max", default=0.0
        Documents graded above it are relevant; the others have no grade. With "max"
        those of the query's highest grade are, if that grade is above 0.
    ties : {"expected", "first", "optimistic", "pessimistic", "realistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order; or the value at the
        mean of the best and the worst rank of the first relevant document.
    replace_undefined_by : float, default=0.0
        The value of a query for which the metric is undefined. NaN leaves the query
        out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        How queries are averaged: all alike, or by their number of documents. None
        returns the value of each query, in the order of ``np.unique(qid)``.
    adjusted : bool, default=False
        Whether to return (M - E) / (B - E), with the metric M, its expectation E
        under random scores and its best attainable value B: chance is 0, perfect 1.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weight of each row, constant within a query: it is the weight of the query.
        Of shape (n_queries,) where each row of `y_score` is a query.
    exclude : {array-like, sparse matrix} of bool, (n_queries, n_docs), default=None
        Documents that take no part, where each row of `y_score` is a query. The one
        right document of a query is never taken out.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mrr_score : The mean of one over that rank.
    recall_at_k_score : The share of the relevant documents in the first k.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: Hits@k = 1 \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and j of their places lie within the first
    k, the expectation is 1 - C(n - r, j) / C(n, j). Some libraries give this name to
    the number of relevant documents in the first k. A query without a relevant
    document is undefined.

    Examples
    --------
    >>> from skrank.metrics import hits_at_k_score
    >>> hits_at_k_score([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8], k=1)
    0.5
    >>> hits_at_k_score([0, 1, 0], [1, 1, 1], k=2)
    0.6666666666666666
    """  # noqa: E501
    return measure(
        hits_at_k_score,
        hit,
        y_true,
        y_score,
        qid=qid,
        k=k,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )


@reads_first_rank
def first_rank(ranking):
    """Return the rank of the first relevant document."""
    return ranking.expected_at_first(np.asarray, missing=np.nan)


def mean_rank(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Mean rank of the first relevant document (MR).

    Smaller is better, and 1 is the best; as a scorer it is "neg_mean_rank".

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples,) or (n_queries, n_docs)
        The true grades, 0 or more; or, of shape (n_queries,) beside a `y_score` of
        shape (n_queries, n_docs), the column of the one right document of each query.
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
        The predicted scores, larger is better. Infinite scores are ranked.
    qid : array-like of shape (n_samples,), default=None
        The query of each row, of any dtype and in any order. None reads it from the
        index of `y_true` named "qid", if there is one; else all rows are one query.
    threshold : float or "max", default=0.0
        Documents graded above it are relevant; the others have no grade. With "max"
        those of the query's highest grade are, if that grade is above 0.
    ties : {"expected", "first", "optimistic", "pessimistic", "realistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order; or the value at the
        mean of the best and the worst rank of the first relevant document.
    replace_undefined_by : float, default=np.nan
        The value of a query for which the metric is undefined. NaN leaves the query
        out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        How queries are averaged: all alike, or by their number of documents. None
        returns the value of each query, in the order of ``np.unique(qid)``.
    adjusted : bool, default=False
        Whether to return (M - E) / (B - E), with the metric M, its expectation E
        under random scores and its best attainable value B: chance is 0, perfect 1.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weight of each row, constant within a query: it is the weight of the query.
        Of shape (n_queries,) where each row of `y_score` is a query.
    exclude : {array-like, sparse matrix} of bool, (n_queries, n_docs), default=None
        Documents that take no part, where each row of `y_score` is a query. The one
        right document of a query is never taken out.

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mrr_score : The mean of one over that rank, which bounds the weight of a bad one.

    Notes
    -----
    If r of n tied documents are relevant and t documents stand above them, the first
    relevant one has the expected rank

    .. math:: t + \frac{n + 1}{r + 1}.

    A query without a relevant document is undefined, and left out of the mean. With
    ``adjusted=True`` and one relevant document a query this is the adjusted mean rank
    index of [1]_: larger is better then.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import mean_rank
    >>> mean_rank([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8])
    1.5
    >>> mean_rank([1, 0, 0], [1, 1, 1])
    2.0
    """  # noqa: E501
    return measure(
        mean_rank,
        first_rank,
        y_true,
        y_score,
        qid=qid,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )
