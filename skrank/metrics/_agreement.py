"""Metrics of the agreement of two orders, pair by pair."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._measure import measure
from skrank.metrics._pairs import pair_agreement


def query_auc(ranking):
    """Return the share of (relevant, other) pairs in the right order."""
    ranking = ranking._returned_only
    n_pairs = ranking._n_found * (ranking.n_documents - ranking._n_found)
    won = ranking.total(ranking.relevant * ranking._others_below)
    return np.divide(won, n_pairs, out=np.full_like(won, np.nan), where=n_pairs > 0)


def query_auc_score(
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
    r"""Area under the ROC curve of each query, averaged (QAUC, GAUC).

    The share of the pairs of a relevant and another document of the query that the
    scores put in the right order. Larger is better, and 0.5 is chance.

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
    ties : {"expected", "first", "optimistic", "pessimistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order.
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
    rank_correlation_score : The same for graded relevance.
    sklearn.metrics.roc_auc_score : Of all rows as one list.

    Notes
    -----
    With R relevant and N other documents,

    .. math:: AUC = \frac{1}{R N} \sum_{u, v} \left([s_u > s_v]
        + \tfrac{1}{2} [s_u = s_v]\right)

    over relevant u and other v. A query is undefined, and left out of the mean, if all
    or none of its documents are relevant. ``average="weighted"`` is the GAUC of
    advertising: queries weigh as many documents as they have.

    Examples
    --------
    >>> from skrank.metrics import query_auc_score
    >>> query_auc_score([1, 0, 0, 0, 1], [3, 2, 4, 1, 1], qid=[7, 7, 7, 8, 8])
    0.5
    >>> query_auc_score([1, 0, 0, 0, 1], [3, 2, 4, 1, 2], qid=[7, 7, 7, 8, 8])
    0.75
    """
    return measure(
        query_auc_score,
        query_auc,
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


def rank_correlation(
    ranking, *, weights="uniform", gain="exponential", discount="log2"
):
    """Return the weighted share of the pairs of grades in the right order."""
    won, total = pair_agreement(ranking._returned_only, weights, gain, discount)
    return np.divide(won, total, out=np.full_like(won, np.nan), where=total > 0)


def rank_correlation_score(
    y_true,
    y_score,
    *,
    qid=None,
    weights="uniform",
    gain="exponential",
    discount="log2",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Weighted Kendall rank correlation, scaled to [0, 1] (RC).

    The weighted share of the pairs of documents of different grades that the scores put
    in the right order. Larger is better, and 0.5 is chance.

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
    weights : {"uniform", "gain", "discount"} or callable, default="uniform"
        The weight of a pair of documents: 1, the difference of their gains, or of
        their discounts in the true order, in which equal grades share their mean
        discount; or a function of two arrays, the higher and the lower grades of the
        pairs.
    gain : {"exponential", "linear"} or callable, default="exponential"
        The gain of a grade: 2 ** grade - 1, the grade, or a function that maps an
        array of grades to gains and does not fall.
    discount : {"log2", "ln"} or callable, default="log2"
        The weight of a rank: one over the logarithm, binary or natural, of rank + 1;
        or a function that maps an array of ranks to weights and does not rise.
    threshold : float or "max", default=0.0
        Documents graded above it are relevant; the others have no grade. With "max"
        those of the query's highest grade are, if that grade is above 0.
    ties : {"expected", "first", "optimistic", "pessimistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order.
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
    query_auc_score : The same with two grades.
    scipy.stats.kendalltau : Between -1 and 1, for one list.

    Notes
    -----
    With the position :math:`\pi(u)` of a document by score and :math:`\pi_l(u)` by
    grade,

    .. math:: RC = \frac{\sum_{u < v} w_{uv} \left(1 + \operatorname{sgn}
        \left[(\pi(u) - \pi(v)) (\pi_l(u) - \pi_l(v))\right]\right)}
        {2 \sum_{u < v} w_{uv}}.

    A pair of equal grades weighs 0, and a pair of tied scores counts half. Documents
    that are not relevant all have the grade 0. With 0/1 grades and uniform weights RC
    is the AUC; without ties in grades or scores it is :math:`(\tau + 1) / 2` [1]_.
    A query without two different grades is undefined, and left out of the mean. The
    named weights cost O(n log n); a function is asked for every pair of relevant
    documents.

    References
    ----------
    .. [1] M. G. Kendall, "A New Measure of Rank Correlation", Biometrika 30, 1938.

    Examples
    --------
    >>> from skrank.metrics import rank_correlation_score
    >>> rank_correlation_score([2, 1, 0], [3, 1, 2])
    0.6666666666666666
    >>> rank_correlation_score([2, 1, 0], [3, 1, 2], weights="gain")
    0.8333333333333334
    """
    return measure(
        rank_correlation_score,
        rank_correlation,
        y_true,
        y_score,
        qid=qid,
        weights=weights,
        gain=gain,
        discount=discount,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )
