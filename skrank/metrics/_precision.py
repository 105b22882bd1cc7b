"""Means of precision over ranks."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_choice
from skrank.metrics._binary import found
from skrank.metrics._measure import measure


def average_precision(ranking, *, k=None, normalize="relevant"):
    """Return the mean precision at the ranks of the relevant documents."""
    # A place at rank i adds [H + 1 + (i - t - 1) b] / i = (H + 1 - (t + 1) b) / i + b.
    slope = (ranking.relevant - 1) / np.maximum(ranking.size - 1, 1)
    start = ranking._relevant_above + 1 - (ranking.above + 1) * slope
    per_place = start * ranking.mean_over_places(lambda rank: 1 / rank, k)
    per_place += slope * ranking.mean_over_places(np.ones_like, k)
    total = ranking.total(ranking.relevant * per_place)
    check_choice(normalize, {"relevant", "achievable"}, "normalize", "map_score")
    divisor = np.maximum(ranking.n_relevant, 1)
    if normalize == "achievable" and k is not None:
        divisor = np.minimum(divisor, k)
    return ranking.where_relevant(total / divisor)


def map_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    normalize="relevant",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Mean average precision (MAP).

    The average precision of a query is the mean of its precision at the ranks of its
    relevant documents. Larger is better.

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
    normalize : {"relevant", "achievable"}, default="relevant"
        What the sum is divided by: R, the number of relevant documents, or as many of
        them as the first k ranks can hold, min(k, R).
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
    mean_precision_score : The mean of the precision at every rank.
    ndcg_score : For graded relevance.
    sklearn.metrics.average_precision_score : Tied rows enter together.

    Notes
    -----
    With :math:`l_i` = 1 if the document at rank i is relevant, else 0, and
    :math:`R` the number of relevant documents of the query,

    .. math:: AP@k = \frac{1}{R} \sum_{i=1}^{k} l_i \, P@i.

    If r of n tied documents are relevant, with t documents and H relevant ones above
    them, the place at rank i contributes [1]_

    .. math:: \frac{r}{n} \cdot \frac{1}{i}
        \left(H + 1 + (i - t - 1) \frac{r - 1}{n - 1}\right).

    trec_eval and ranx divide by R whatever k is, XGBoost and LightGBM by min(k, R).
    Relevant documents that were judged but not returned count in R. A query without a
    relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import map_score
    >>> map_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.8333333333333333
    >>> map_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> map_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, normalize="achievable")
    1.0
    >>> map_score([0, 1], [1, 1])
    0.75
    """
    return measure(
        map_score,
        average_precision,
        y_true,
        y_score,
        qid=qid,
        k=k,
        normalize=normalize,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )


def mean_precision(ranking, *, k=None):
    """Return the mean of P@1, P@2, ..., up to k or the end of the list."""
    last = ranking.n_documents if k is None else np.minimum(k, ranking.n_documents)
    longest = ranking.n_documents.max()
    # A relevant document at rank i adds 1 / j to the sum for each j from i to last.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, longest + 1))])
    counted = ranking.mean_over_places(np.ones_like, last)
    before = ranking.mean_over_places(lambda rank: harmonic[rank - 1], last)
    added = harmonic[last][ranking.query] * counted - before
    total = ranking.total(ranking.relevant * added)
    return ranking.where_relevant(total / np.maximum(last, 1))


def mean_precision_score(
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
    r"""Mean of the precision at the first ranks, P@1 to P@k.

    MatchZoo calls it average precision; here that name is :func:`map_score`'s. Larger
    is better.

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
        Between 0 and 1. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    map_score : The mean at the ranks of the relevant documents alone.
    precision_at_k_score : The precision at one rank.

    Notes
    -----
    With n documents in the list,

    .. math:: \frac{1}{\min(k, n)} \sum_{j=1}^{\min(k, n)} P@j.

    A relevant document at rank i counts in every P@j with j at least i; a tied one
    counts what it does on average over the places of its class. A query without a
    relevant document is undefined.

    Examples
    --------
    >>> from skrank.metrics import mean_precision_score
    >>> mean_precision_score([0, 1], [0.1, 0.6])
    0.75
    >>> mean_precision_score([0, 1], [0.1, 0.6], k=1)
    1.0
    """
    return measure(
        mean_precision_score,
        mean_precision,
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


def r_precision(ranking):
    """Return the precision at as many documents as are relevant."""
    return found(ranking, ranking.n_relevant) / np.maximum(ranking.n_relevant, 1)


def r_precision_score(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""R-precision: the precision of the first R documents.

    R is the number of relevant documents of the query, so that precision and recall are
    one. Larger is better.

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
    precision_at_k_score : With the same cutoff for all queries.
    map_score : The mean at the ranks of the relevant documents.

    Notes
    -----
    .. math:: RP = \frac{1}{R} \sum_{i=1}^{R} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places within the first R
    counts r / n [1]_. Relevant documents that were judged but not returned count in R.
    A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import r_precision_score
    >>> r_precision_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    >>> r_precision_score([0, 1], [1, 1])
    0.5
    """
    return measure(
        r_precision_score,
        r_precision,
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
