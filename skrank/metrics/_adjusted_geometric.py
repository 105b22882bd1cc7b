"""The geometric mean rank of the first relevant document, next to chance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._chance import to_geometric_index, to_standardized_geometric
from skrank.metrics._measure import measure, pooled_by, reads_first_rank, scaled_by
from skrank.metrics._rank_pools import pooled_geometric_mean
from skrank.metrics._rank_summaries import geometric_first_rank


@reads_first_rank
@pooled_by(pooled_geometric_mean)
@scaled_by(to_geometric_index)
def geometric_index(ranking):
    """Return the geometric mean of the first ranks, to be put on its scale."""
    return geometric_first_rank(ranking)


def adjusted_geometric_mean_rank_index_score(
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
    r"""Index of the geometric mean rank: chance is 0, the best rank 1 (AGMRI).

    The geometric mean rank of the first relevant document on a scale from what random
    scores make of it, 0, to the best one, 1. Larger is better.

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
        At most 1, and 0 in expectation for random scores. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    geometric_mean_rank : The geometric mean as it is.
    z_geometric_mean_rank_score : The same distance in standard deviations.
    adjusted_mean_rank_index_score : The same of the mean rank.

    Notes
    -----
    .. math:: AGMRI = \frac{GMR - E[GMR]}{1 - E[GMR]}, \quad
        E[GMR] = \prod_q \sum_j P(r_q = j) \, j^{w_q}

    with the geometric mean rank GMR, its expectation under random scores and the shares
    :math:`w_q` of the queries, which sum to 1 [1]_. :math:`P` is uniform on the n
    documents of a query if one is relevant, else the negative hypergeometric law of the
    first. It is undefined where no order changes anything. A query without a relevant
    document is undefined, and left out.

    That expectation is more than the geometric mean of tied documents, which are all
    their ranks at once: scores that are all equal have a value a little above 0. With
    ``adjusted=True`` they have 0, and this is the adjusted :func:`geometric_mean_rank`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import adjusted_geometric_mean_rank_index_score
    >>> adjusted_geometric_mean_rank_index_score([0, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    0.5
    >>> adjusted_geometric_mean_rank_index_score([1, 0, 0, 0, 0], [5, 4, 3, 2, 1])
    1.0
    """  # noqa: E501
    return measure(
        adjusted_geometric_mean_rank_index_score,
        geometric_index,
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
@scaled_by(to_standardized_geometric)
def standardized_geometric_mean(ranking):
    """Return the geometric mean of the first ranks, to be standardized."""
    return geometric_first_rank(ranking)


def z_geometric_mean_rank_score(
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
    r"""Z-score of the geometric mean rank of the first relevant document.

    By how many standard deviations the geometric mean rank is better than that of
    random scores. Larger is better.

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
    geometric_mean_rank : The geometric mean as it is.
    adjusted_geometric_mean_rank_index_score : The same on a scale from chance to the best.

    Notes
    -----
    .. math:: z = \frac{E[GMR] - GMR}{\sqrt{V[GMR]}}

    with the geometric mean rank GMR and its expectation and variance under random
    scores, :math:`V[GMR] = E[GMR^2] - E[GMR]^2`, where both are products over the
    queries as in :func:`adjusted_geometric_mean_rank_index_score` [1]_. It is undefined
    where no order changes anything. A query without a relevant document is undefined,
    and left out. With ``adjusted=True`` this is the adjusted
    :func:`geometric_mean_rank`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import z_geometric_mean_rank_score
    >>> z_geometric_mean_rank_score([0, 1, 0, 0, 0], [5, 4, 3, 2, 1])  # (3 - 2) / sqrt(2)
    0.7071067811865...
    >>> z_geometric_mean_rank_score([0, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    0.0
    """  # noqa: E501
    return measure(
        z_geometric_mean_rank_score,
        standardized_geometric_mean,
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
