"""Inverses of means of the rank of the first relevant document."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._measure import measure, pooled_by, reads_first_rank
from skrank.metrics._rank_pools import (
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_inverse_median,
)
from skrank.metrics._rank_summaries import geometric_first_rank, median_of_first_rank
from skrank.metrics._ranks import first_rank


@reads_first_rank
@pooled_by(pooled_harmonic_mean)
def inverse_of_first_rank(ranking):
    """Return one over the rank of the first relevant document."""
    return 1 / first_rank(ranking)


def inverse_mean_rank_score(
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
    r"""Inverse of the mean rank of the first relevant document (IAMR).

    One over the mean rank, so that larger is better on a scale from 0 to 1. A single
    bad rank moves it as it moves the mean rank. Larger is better.

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
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    mean_rank : What it is the inverse of.
    mrr_score : The mean of the inverses.

    Notes
    -----
    .. math:: IAMR = \left(\frac{1}{Q} \sum_{q=1}^{Q} r_q\right)^{-1}

    over the expected ranks :math:`r_q` of the first relevant documents of Q queries. A
    query without a relevant document is undefined, and left out; of a value in its
    stead the inverse is taken for its rank.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import inverse_mean_rank_score
    >>> inverse_mean_rank_score([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    0.5
    >>> inverse_mean_rank_score([0, 1, 0], [1, 1, 1])
    0.5
    """  # noqa: E501
    return measure(
        inverse_mean_rank_score,
        inverse_of_first_rank,
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
def inverse_of_geometric_mean(ranking):
    """Return one over the geometric mean of the ranks of a first relevant document."""
    return 1 / geometric_first_rank(ranking)


def inverse_geometric_mean_rank_score(
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
    r"""Inverse of the geometric mean rank of the first relevant document (IGMR).

    One over the geometric mean rank, so that larger is better on a scale from 0 to 1.
    Larger is better.

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
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    geometric_mean_rank : What it is the inverse of.
    mrr_score : The mean of the inverses.

    Notes
    -----
    .. math:: IGMR = \exp \left(- \frac{1}{Q} \sum_{q=1}^{Q} \ln r_q\right)

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
    >>> from skrank.metrics import inverse_geometric_mean_rank_score
    >>> inverse_geometric_mean_rank_score([[0, 1], [0, 1]], [[2, 1], [2, 1]])
    0.5
    >>> inverse_geometric_mean_rank_score([0, 1], [1, 1])
    0.70710678118654...
    """  # noqa: E501
    return measure(
        inverse_geometric_mean_rank_score,
        inverse_of_geometric_mean,
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
@pooled_by(pooled_inverse_median)
def inverse_of_median(ranking):
    """Return one over the median of the ranks of the first relevant document."""
    return 1 / median_of_first_rank(ranking)


def inverse_median_rank_score(
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
    r"""Inverse of the median rank of the first relevant document.

    One over the median rank, so that larger is better on a scale from 0 to 1. Larger is
    better.

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
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    median_rank : What it is the inverse of.
    mrr_score : The mean of the inverses.

    Notes
    -----
    .. math:: \frac{1}{median(r_1, \dots, r_Q)}

    of the ranks :math:`r_q` of the first relevant documents of Q queries. A tied first
    relevant document is all the ranks that it may have, each of the weight of its
    chance. A query without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import inverse_median_rank_score
    >>> inverse_median_rank_score([[0, 1], [0, 1], [1, 0]], [[2, 1], [2, 1], [2, 1]])
    0.5
    >>> inverse_median_rank_score([0, 1, 0, 0], [1, 1, 1, 1])
    0.4
    """  # noqa: E501
    return measure(
        inverse_median_rank_score,
        inverse_of_median,
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
