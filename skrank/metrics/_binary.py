"""Metrics of the relevant documents within a cutoff."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_beta, check_choice
from skrank.metrics._measure import measure


def found(ranking, k):
    """Return the expected number of relevant documents in the first k."""
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.where_relevant(ranking.total(ranking.relevant * places))


def precision(ranking, *, k=None, normalize="k"):
    """Return the share of the first k documents that is relevant."""
    return found(ranking, k) / _places(ranking, k, normalize, "precision_at_k_score")


def _places(ranking, k, normalize, caller):
    """Return how many documents the first k are, as far as precision goes."""
    check_choice(normalize, {"k", "length"}, "normalize", caller)
    length = np.maximum(ranking.n_documents, 1)
    if k is None:
        return length
    return k if normalize == "k" else np.minimum(k, length)


def precision_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    normalize="k",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Precision at k: the share of the first k documents that is relevant (P@k).

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
    k : int, default=None
        Only the first k ranks count. None is the whole list; k may exceed it.
    normalize : {"k", "length"}, default="k"
        What a list shorter than k is divided by: k all the same, or its length.
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
    recall_at_k_score : The share of the relevant documents that is found.
    mean_precision_score : The mean over all cutoffs.
    map_score : The mean at the ranks of the relevant documents.

    Notes
    -----
    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    If r of n tied documents are relevant, each of their places within the first k
    counts r / n [1]_. A list shorter than k is divided by k, as trec_eval does;
    XGBoost divides by the length of the list. A query without a relevant document is
    undefined. Without `k` the whole list is read.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import precision_at_k_score
    >>> precision_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> precision_at_k_score([1, 1], [2, 1], k=4)
    0.5
    >>> precision_at_k_score([1, 1], [2, 1], k=4, normalize="length")
    1.0
    """
    return measure(
        precision_at_k_score,
        precision,
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


def recall(ranking, *, k=None):
    """Return the share of the relevant documents that stands in the first k."""
    return found(ranking, k) / np.maximum(ranking.n_relevant, 1)


def recall_at_k_score(
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
    r"""Recall at k: the share of the relevant documents in the first k (R@k).

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
    precision_at_k_score : The share of the first k documents that is relevant.
    hits_at_k_score : Whether any relevant document is found.

    Notes
    -----
    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} [\text{document } i \text{ is relevant}]

    with the number :math:`R` of relevant documents of the query, also where it
    exceeds k. If r of n tied documents are relevant, each of their places within the
    first k counts r / n [1]_. A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import recall_at_k_score
    >>> recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    >>> recall_at_k_score([1, 0, 1, 0], [1, 1, 1, 1], k=1)
    0.25
    """
    return measure(
        recall_at_k_score,
        recall,
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


def fbeta(ranking, *, k=None, beta=1.0, normalize="k"):
    """Return the weighted harmonic mean of precision and recall."""
    square = check_beta(beta, "fbeta_at_k_score") ** 2
    places = _places(ranking, k, normalize, "fbeta_at_k_score")
    # Precision h / places and recall h / R share the documents h that are found.
    return (1 + square) * found(ranking, k) / (square * ranking.n_relevant + places)


def fbeta_at_k_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    beta=1.0,
    normalize="k",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""F-beta at k: precision and recall of the first k documents in one (F1@k).

    The weighted harmonic mean of P@k and R@k. Larger is better; as a scorer the F1 is
    "f1@10", for any k.

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
    beta : float, default=1.0
        How many times as much recall counts as precision, 0 or more.
    normalize : {"k", "length"}, default="k"
        What a list shorter than k is divided by: k all the same, or its length.
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
    precision_at_k_score : The share of the first k documents that is relevant.
    recall_at_k_score : The share of the relevant documents that is found.
    sklearn.metrics.fbeta_score : Of predicted classes.

    Notes
    -----
    .. math:: F_\beta@k = \frac{(1 + \beta^2) \, P@k \, R@k}{\beta^2 \, P@k + R@k}
        = \frac{(1 + \beta^2) \, h}{\beta^2 R + k}

    with h relevant documents among the first k, and R in all. Precision and recall
    share h, so F is linear in it, and tied documents give the value at their expected h
    [1]_. With ``normalize="length"`` a list shorter than k is divided by its length
    instead of k. A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from skrank.metrics import fbeta_at_k_score
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1)
    0.6666666666666666
    >>> fbeta_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=1, beta=2)
    0.5555555555555556
    """
    return measure(
        fbeta_at_k_score,
        fbeta,
        y_true,
        y_score,
        qid=qid,
        k=k,
        beta=beta,
        normalize=normalize,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )
