"""Metrics of the first relevant document on a scale from chance to the best."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._chance import to_adjusted
from skrank.metrics._measure import measure, reads_first_rank, scaled_by
from skrank.metrics._ranks import hit, reciprocal_rank


@reads_first_rank
@scaled_by(to_adjusted)
def adjusted_reciprocal_rank(ranking, *, k=None):
    """Return one over the first rank, to be put on a scale."""
    return reciprocal_rank(ranking, k=k)


def adjusted_mrr_score(
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
    r"""Mean reciprocal rank, adjusted for chance (AMRR).

    The MRR on a scale from that of random scores, 0, to that of the best order, 1: an
    MRR of 0.5 means little without the number of candidates. Larger is better.

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
        At most 1, and 0 in expectation for random scores. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mrr_score : It gives the same with ``adjusted=True``.
    z_mrr_score : The same distance in standard deviations.

    Notes
    -----
    .. math:: AMRR = \frac{MRR - E[MRR]}{B - E[MRR]}

    with the best attainable MRR, :math:`B = 1`, and the expectation under random
    scores: of a query of n documents, one of them relevant, :math:`H_n / n` with the
    n-th harmonic number :math:`H_n`; of more relevant ones the mean of 1 / r under the
    negative hypergeometric law of the first [1]_. All are averaged over the queries
    first. A query without a relevant document is undefined, and left out; so is what no
    order can change. `adjusted` changes nothing.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import adjusted_mrr_score
    >>> adjusted_mrr_score([0, 1, 0], [3, 2, 1])  # (1/2 - 11/18) / (1 - 11/18)
    -0.2857142857142...
    >>> adjusted_mrr_score([0, 1, 0], [3, 2, 1], k=2)  # (1/2 - 1/2) / (1 - 1/2)
    0.0
    """  # noqa: E501
    return measure(
        adjusted_mrr_score,
        adjusted_reciprocal_rank,
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
@scaled_by(to_adjusted)
def adjusted_hit(ranking, *, k=None):
    """Return whether the first rank is at most k, to be put on a scale."""
    return hit(ranking, k=k)


def adjusted_hits_at_k_score(
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
    r"""Hits@k, adjusted for chance (AH@k).

    The share of queries with a relevant document in the first k, on a scale from that
    of random scores, 0, to that of the best order, 1. Larger is better.

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
        At most 1, and 0 in expectation for random scores. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    hits_at_k_score : It gives the same with ``adjusted=True``.
    z_hits_at_k_score : The same distance in standard deviations.

    Notes
    -----
    .. math:: AH@k = \frac{H@k - E[H@k]}{B - E[H@k]}

    with the best attainable value, :math:`B = 1`, and the expectation under random
    scores: of a query of n documents, one of them relevant, min(k / n, 1); of R
    relevant ones 1 - C(n - k, R) / C(n, R) [1]_. All are averaged over the queries
    first. A query without a relevant document is undefined, and left out; so is what no
    order can change. `adjusted` changes nothing.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import adjusted_hits_at_k_score
    >>> adjusted_hits_at_k_score([0, 0, 1, 0], [4, 3, 2, 1], k=1)  # (0 - 1/4) / (1 - 1/4)
    -0.3333333333333333
    >>> adjusted_hits_at_k_score([0, 0, 1, 0], [1, 1, 1, 1], k=1)
    0.0
    """  # noqa: E501
    return measure(
        adjusted_hits_at_k_score,
        adjusted_hit,
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
