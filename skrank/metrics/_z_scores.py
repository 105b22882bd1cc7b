"""Metrics of the first relevant document in standard deviations from chance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._chance import to_standardized
from skrank.metrics._measure import measure, reads_first_rank, scaled_by
from skrank.metrics._ranks import first_rank, hit, reciprocal_rank


def squared_rank(ranking):
    """Return the expected square of the rank of the first relevant document."""
    return ranking.expected_at_first(lambda rank: np.square(rank, dtype=np.float64))


@reads_first_rank
@scaled_by(to_standardized(first_rank, squared_rank, sign=-1))
def standardized_rank(ranking):
    """Return the rank of the first relevant document, to be standardized."""
    return first_rank(ranking)


def z_mean_rank_score(
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
    r"""Z-score of the mean rank of the first relevant document.

    By how many standard deviations the mean rank is better than that of random scores:
    above 2 or so it is no chance. Larger is better.

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
    score : float or ndarray of shape (n_queries,)
        0 in expectation for random scores, with a variance of 1. The best value is that
        of the order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mean_rank : The mean rank as it is.
    adjusted_mean_rank_index_score : The same on a scale from chance to the best.

    Notes
    -----
    .. math:: z = \frac{E[MR] - MR}{\sqrt{V[MR]}}

    with the mean rank MR and its expectation and variance under random scores: of a
    query of n documents, R of them relevant, (n + 1) / (R + 1) and :math:`R (n + 1) (n
    - R) / ((R + 1)^2 (R + 2))`; with one relevant document (n + 1) / 2 and :math:`(n^2
    - 1) / 12` [1]_. A query without a relevant document is undefined, and left out; so
    is what no order can change. With ``adjusted=True`` this is the adjusted
    :func:`mean_rank`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import z_mean_rank_score
    >>> z_mean_rank_score([0, 1, 0, 0, 0], [5, 4, 3, 2, 1])  # (3 - 2) / sqrt(2)
    0.7071067811865...
    >>> z_mean_rank_score([0, 1, 0, 0, 0], [1, 1, 1, 1, 1])
    0.0
    """  # noqa: E501
    return measure(
        z_mean_rank_score,
        standardized_rank,
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


def squared_reciprocal_rank(ranking, *, k=None):
    """Return the expected square of one over the rank."""
    return ranking.expected_at_first(lambda rank: 1 / np.square(rank, dtype=float), k)


@reads_first_rank
@scaled_by(to_standardized(reciprocal_rank, squared_reciprocal_rank))
def standardized_reciprocal_rank(ranking, *, k=None):
    """Return one over the rank of the first relevant document, to be standardized."""
    return reciprocal_rank(ranking, k=k)


def z_mrr_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Z-score of the mean reciprocal rank.

    By how many standard deviations the MRR is better than that of random scores: above
    2 or so it is no chance. Larger is better.

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
    score : float or ndarray of shape (n_queries,)
        0 in expectation for random scores, with a variance of 1. The best value is that
        of the order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mrr_score : The MRR as it is.
    adjusted_mrr_score : The same on a scale from chance to the best.

    Notes
    -----
    .. math:: z = \frac{MRR - E[MRR]}{\sqrt{V[MRR]}}

    with the MRR and its expectation and variance under random scores: of a query of n
    documents, one of them relevant, :math:`H_n / n` and :math:`H_{n,2} / n - (H_n /
    n)^2` with the harmonic numbers :math:`H_n` and :math:`H_{n,2} = \sum_{j \le n}
    j^{-2}`; of more relevant ones those of 1 / r under the negative hypergeometric law
    of the first [1]_. A query without a relevant document is undefined, and left out;
    so is what no order can change. With ``adjusted=True`` this is the adjusted
    :func:`mrr_score`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import z_mrr_score
    >>> z_mrr_score([1, 0], [2, 1])  # (1 - 3/4) / (1/4)
    1.0
    >>> z_mrr_score([0, 1, 0], [3, 2, 1], k=1)  # (0 - 1/3) / sqrt(2/9)
    -0.7071067811865...
    """  # noqa: E501
    return measure(
        z_mrr_score,
        standardized_reciprocal_rank,
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


# What is 0 or 1 is its own square.
@reads_first_rank
@scaled_by(to_standardized(hit, hit))
def standardized_hit(ranking, *, k=None):
    """Return whether the first rank is at most k, to be standardized."""
    return hit(ranking, k=k)


def z_hits_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Z-score of Hits@k.

    By how many standard deviations the share of queries with a relevant document in the
    first k is better than that of random scores. Larger is better.

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
    score : float or ndarray of shape (n_queries,)
        0 in expectation for random scores, with a variance of 1. The best value is that
        of the order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    hits_at_k_score : Hits@k as it is.
    adjusted_hits_at_k_score : The same on a scale from chance to the best.

    Notes
    -----
    .. math:: z = \frac{H@k - E[H@k]}{\sqrt{V[H@k]}}

    with Hits@k and its expectation p and variance p (1 - p) under random scores: of a
    query of n documents, one of them relevant, p = min(k / n, 1); of R relevant ones p
    = 1 - C(n - k, R) / C(n, R) [1]_. A query without a relevant document is undefined,
    and left out; so is what no order can change. With ``adjusted=True`` this is the
    adjusted :func:`hits_at_k_score`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import z_hits_at_k_score
    >>> z_hits_at_k_score([0, 1, 0, 0], [4, 3, 2, 1], k=2)  # (1 - 1/2) / (1/2)
    1.0
    >>> z_hits_at_k_score([0, 1, 0, 0], [1, 1, 1, 1], k=2)
    0.0
    """  # noqa: E501
    return measure(
        z_hits_at_k_score,
        standardized_hit,
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
