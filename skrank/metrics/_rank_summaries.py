"""Summaries of the rank of the first relevant document beside its mean."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._first_ranks import weighted_median
from skrank.metrics._measure import measure, pooled_by, reads_first_rank
from skrank.metrics._rank_pools import (
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_median,
)


@reads_first_rank
@pooled_by(pooled_median)
def median_of_first_rank(ranking):
    """Return the median of the ranks that the first relevant document may have."""
    return weighted_median(*ranking.first_rank_law(), ranking.n_queries)


def median_rank(
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
    r"""Median rank of the first relevant document.

    Blind to how bad the bad half is. Smaller is better, and 1 is the best; as a scorer
    it is "neg_median_rank".

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
    mean_rank : Their mean.
    geometric_mean_rank : Their geometric mean.

    Notes
    -----
    With the rank :math:`r_q` of the first relevant document of each of Q queries,

    .. math:: \min \left\{m : \frac{1}{Q} \sum_{q=1}^{Q} P(r_q \le m)
        \ge \tfrac{1}{2}\right\}

    and where this is exactly one half, the mean of m and the next rank. A tied first
    relevant document is all the ranks that it may have, each of the weight of its
    chance: a median has no expectation that would be linear in the rank. A query
    without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import median_rank
    >>> median_rank([[0, 1], [1, 0], [1, 0]], [[2, 1], [2, 1], [2, 1]])
    1.0
    >>> median_rank([0, 1, 0, 0], [1, 1, 1, 1])
    2.5
    """  # noqa: E501
    return measure(
        median_rank,
        median_of_first_rank,
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


@reads_first_rank
@pooled_by(pooled_geometric_mean)
def geometric_first_rank(ranking):
    """Return the geometric mean of the ranks of the first relevant document."""
    return np.exp(ranking.expected_at_first(np.log, missing=np.nan))


def geometric_mean_rank(
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
    r"""Geometric mean rank of the first relevant document (GMR).

    A rank that is twice as bad counts alike at the top and far below. Smaller is
    better, and 1 is the best; as a scorer it is "neg_geometric_mean_rank".

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
    mean_rank : Their mean.
    median_rank : Their median.
    mrr_score : One over their harmonic mean.

    Notes
    -----
    .. math:: GMR = \exp \left(\frac{1}{Q} \sum_{q=1}^{Q} \ln r_q\right)

    over the ranks :math:`r_q` of the first relevant documents of Q queries. A tied
    first relevant document is all the ranks that it may have, each of the weight of its
    chance: these summaries have no expectation that would be linear in the rank. A
    query without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import geometric_mean_rank
    >>> geometric_mean_rank([[0, 0, 0, 1], [1, 0, 0, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]])
    2.0
    >>> geometric_mean_rank([0, 1], [1, 1])
    1.41421356237309...
    """  # noqa: E501
    return measure(
        geometric_mean_rank,
        geometric_first_rank,
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


@reads_first_rank
@pooled_by(pooled_harmonic_mean)
def harmonic_first_rank(ranking):
    """Return the harmonic mean of the ranks of the first relevant document."""
    return 1 / ranking.expected_at_first(lambda rank: 1 / rank, missing=np.nan)


def harmonic_mean_rank(
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
    r"""Harmonic mean rank of the first relevant document (HMR).

    One over the MRR, read as a rank: the top ranks decide. Smaller is better, and 1 is
    the best; as a scorer it is "neg_harmonic_mean_rank".

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
    mrr_score : One over it.
    geometric_mean_rank : Between the harmonic and the arithmetic mean.
    mean_rank : The arithmetic mean.

    Notes
    -----
    .. math:: HMR = \left(\frac{1}{Q} \sum_{q=1}^{Q} \frac{1}{r_q}\right)^{-1}

    over the ranks :math:`r_q` of the first relevant documents of Q queries. A tied
    first relevant document is all the ranks that it may have, each of the weight of its
    chance. A query without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import harmonic_mean_rank
    >>> harmonic_mean_rank([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.5
    >>> harmonic_mean_rank([0, 1], [1, 1])
    1.3333333333333333
    """  # noqa: E501
    return measure(
        harmonic_mean_rank,
        harmonic_first_rank,
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
