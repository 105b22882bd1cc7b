"""Cumulative gain metrics, for graded relevance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._measure import measure
from skrank.metrics._weights import discount_function, gains


def cumulative_gain(ranking, *, k=None):
    """Return the sum of the grades of the first k documents."""
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.total(ranking.grade_total(ranking.grade) * places)


def cg_score(
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
    r"""Cumulative gain (CG): the sum of the grades of the first k documents.

    Blind to the order of these documents. Larger is better.

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
    ties : {"expected", "first", "optimistic", "pessimistic"}, default="expected"
        What tied scores give: the exact expectation over all their orders, the value
        in input order, or that of their best or worst order.
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
        0 or more. The best value is that of the order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    dcg_score : The same sum, discounted by rank.

    Notes
    -----
    With :math:`g_i` the grade of the document at rank i, 0 if it is not relevant,

    .. math:: CG@k = \sum_{i=1}^{k} g_i.

    Tied documents share their places alike. A query without a relevant document has a
    cumulative gain of 0: the metric is never undefined.

    References
    ----------
    .. [1] K. Jarvelin and J. Kekalainen, "Cumulated Gain-Based Evaluation of IR
       Techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from skrank.metrics import cg_score
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1])
    6.0
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1], k=2)
    4.0
    """
    return measure(
        cg_score,
        cumulative_gain,
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


def discounted_gain(ranking, *, k=None, gain="exponential", discount="log2"):
    """Return the sum of the gains of the first k documents, discounted by rank."""
    weight = ranking.mean_over_places(discount_function(discount), k)
    return ranking.total(ranking.grade_total(gains(ranking, gain)) * weight)


def dcg_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    gain="exponential",
    discount="log2",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Discounted cumulative gain (DCG).

    The sum of the gains of the first k documents, each weighted by its rank. Larger is
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
    k : int, default=None
        Only the first k ranks count. None is the whole list; k may exceed it.
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
        0 or more. The best value is that of the order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    ndcg_score : DCG over its best value.
    sklearn.metrics.dcg_score : With linear gain, for a matrix.

    Notes
    -----
    With the gain :math:`g_i` of the document at rank i, 0 if it is not relevant,

    .. math:: DCG@k = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}.

    The gain :math:`2^{rel} - 1` is the default of LightGBM, XGBoost and MatchZoo;
    scikit-learn and trec_eval use the grade itself [2]_. Tied documents get the mean
    of the weights of their places [1]_. A query without a relevant document has a DCG
    of 0: the metric is never undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.
    .. [2] K. Jarvelin and J. Kekalainen, "Cumulated Gain-Based Evaluation of IR
       Techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from skrank.metrics import dcg_score
    >>> dcg_score([3, 0, 1], [3, 2, 1])
    7.5
    >>> dcg_score([3, 0, 1], [3, 2, 1], k=2, gain="linear")
    3.0
    """
    return measure(
        dcg_score,
        discounted_gain,
        y_true,
        y_score,
        qid=qid,
        k=k,
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


def normalized_discounted_gain(ranking, *, k=None, gain="exponential", discount="log2"):
    """Return the discounted gain over that of the best order."""
    own = discounted_gain(ranking, k=k, gain=gain, discount=discount)
    best = discounted_gain(ranking.ideal, k=k, gain=gain, discount=discount)
    return np.divide(own, best, out=np.full_like(own, np.nan), where=best != 0)


def ndcg_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    gain="exponential",
    discount="log2",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Discounted cumulative gain over its best value (NDCG).

    DCG over that of the best order of the documents. Larger is better.

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
    dcg_score : DCG as it is.
    sklearn.metrics.ndcg_score : With linear gain, for a matrix.

    Notes
    -----
    .. math:: NDCG@k = \frac{DCG@k}{\max_{\text{orders}} DCG@k}

    The gain :math:`2^{rel} - 1` is the default of LightGBM, XGBoost and MatchZoo;
    scikit-learn and trec_eval use the grade itself [2]_. Tied documents get the mean
    of the weights of their places [1]_. A query without a relevant document is
    undefined: 0 here, in scikit-learn and in trec_eval, 1 in LightGBM and XGBoost.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.
    .. [2] K. Jarvelin and J. Kekalainen, "Cumulated Gain-Based Evaluation of IR
       Techniques", ACM TOIS 20(4), 2002.

    Examples
    --------
    >>> from skrank.metrics import ndcg_score
    >>> ndcg_score([3, 2, 0, 1, 0], [3, 2, 1, 1, 2], qid=[7, 7, 7, 8, 8])
    0.8154648767857288
    >>> ndcg_score([0, 1, 2, 0], [0.4, 0.2, 0.5, 0.7], k=2)
    0.5212960286143...
    >>> ndcg_score([[0, 1, 2, 0]], [[0.4, 0.2, 0.5, 0.7]], gain="linear")
    0.6433...
    """
    return measure(
        ndcg_score,
        normalized_discounted_gain,
        y_true,
        y_score,
        qid=qid,
        k=k,
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
