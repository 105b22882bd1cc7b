"""Metrics of lists that hold documents without a judgement."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._measure import measure


def binary_preference(ranking):
    """Return the share of judged others that relevant documents do not stand below."""
    judged = ranking._judged_only
    n_relevant = np.maximum(ranking.n_relevant, 1)
    cap = n_relevant[judged.query]
    above = judged.above - judged._relevant_above
    tied = judged.size - judged.relevant
    # The sum of min(above + x, cap) over x = 0, ..., tied: `free` terms are below cap.
    free = np.clip(cap - above, 0, tied + 1)
    capped = free * above + free * (free - 1) / 2 + (tied + 1 - free) * cap
    limit = np.maximum(np.minimum(ranking._n_others, n_relevant), 1)[judged.query]
    preferred = judged.relevant * (1 - capped / ((tied + 1) * limit))
    return ranking.where_relevant(judged.total(preferred) / n_relevant)


def bpref_score(
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
    judged=None,
    returned=None,
):
    r"""Binary preference (bpref).

    How few of the documents that were judged not relevant stand above the relevant
    ones. Documents without a judgement are passed over. Larger is better.

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
    judged : array-like of bool of shape (n_samples,), default=None
        Documents that have a grade. The others are ranked, but are not relevant, and
        their grade is not read. None: all have one.
    returned : array-like of bool of shape (n_samples,), default=None
        Documents that the system returned. The others count among the relevant
        documents and in the best order, but take no rank, and their score is not
        read. None: all were returned.

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
    judged_at_k_score : How many of the first documents are judged.
    map_score : Documents without a judgement count as not relevant.
    query_auc_score : All pairs of documents count alike.

    Notes
    -----
    With R relevant documents and N that were judged not relevant, returned or not,

    .. math:: bpref = \frac{1}{R} \sum_{d} \left(1
        - \frac{\min(n_d, R)}{\min(N, R)}\right)

    over the relevant documents d that were returned, each with :math:`n_d` of the N
    above it; with N = 0 each counts 1. This is trec_eval's form of [1]_. Of q tied
    documents that were judged not relevant, a relevant one of their class has any
    number from 0 to q above it with the same chance. A query without a relevant
    document is undefined.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval Evaluation with Incomplete
       Information", SIGIR 2004.

    Examples
    --------
    >>> from skrank.metrics import bpref_score
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1])
    0.5
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1], judged=[False, True, True, True])
    1.0
    >>> bpref_score([0, 1, 1, 0], [4, 3, 2, 1], returned=[True, False, True, True])
    0.25
    """
    return measure(
        bpref_score,
        binary_preference,
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
        judged=judged,
        returned=returned,
    )


def judged_share(ranking, *, k=None):
    """Return the share of the first k documents that is judged."""
    judged = ranking._by_judgement
    places = judged.total(judged.relevant * judged.mean_over_places(np.ones_like, k))
    length = ranking.n_documents if k is None else np.minimum(ranking.n_documents, k)
    return places / np.maximum(length, 1)


def judged_at_k_score(
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
    judged=None,
    returned=None,
):
    r"""Share of the first k documents that is judged (Judged@k).

    It says how far the other metrics can be trusted: a document without a judgement
    counts as not relevant. Larger is better.

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
    judged : array-like of bool of shape (n_samples,), default=None
        Documents that have a grade. The others are ranked, but are not relevant, and
        their grade is not read. None: all have one.
    returned : array-like of bool of shape (n_samples,), default=None
        Documents that the system returned. The others count among the relevant
        documents and in the best order, but take no rank, and their score is not
        read. None: all were returned.

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
    bpref_score : Documents without a judgement are passed over.
    precision_at_k_score : The share that is relevant.

    Notes
    -----
    For a list of n documents,

    .. math:: Judged@k = \frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)}
        [\text{document } i \text{ is judged}].

    If j of n tied documents are judged, each of their places within the first k
    counts j / n. The grades are not read, and a query without a relevant document is
    not undefined; one without documents scores 0.

    Examples
    --------
    >>> from skrank.metrics import judged_at_k_score
    >>> judged_at_k_score([1, 0, 0], [3, 2, 1], k=2, judged=[True, False, True])
    0.5
    >>> judged_at_k_score([1, 0, 0], [3, 3, 1], k=1, judged=[True, False, True])
    0.5
    """
    return measure(
        judged_at_k_score,
        judged_share,
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
        judged=judged,
        returned=returned,
    )
