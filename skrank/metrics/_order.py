"""Metrics of the order by score and the order by grade as wholes."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_persistence
from skrank.metrics._measure import measure
from skrank.metrics._overlap import sum_over_depths


def spearman_correlation(ranking):
    """Return the correlation of the ranks by score with those by grade."""
    ranking, best = ranking._returned_only, ranking._returned_only.ideal
    n, others = ranking.n_documents, ranking.n_documents - ranking._n_found
    middle = (n + 1) / 2
    # Tied documents share their mean rank, in expectation or by definition.
    rank = ranking.above + (ranking.size + 1) / 2 - middle[ranking.query]
    of_grade = best.above + (best.size + 1) / 2 - middle[best.query]
    of_others = n - (others - 1) / 2 - middle
    weight = of_grade[ranking._group_in_ideal] - of_others[ranking._query_of_grade]
    joint = ranking.total(ranking.grade_total(weight) * rank)
    spread = best.total(best.size * of_grade**2) + others * of_others**2
    return _ratio(joint, np.sqrt(spread * (n**3.0 - n) / 12), ranking)


def _ratio(value, unit, ranking):
    """Return value / unit, NaN for queries without two different grades."""
    best = ranking.ideal
    n_grades = np.bincount(best.query, minlength=ranking.n_queries)
    n_grades += ranking.n_documents > ranking._n_found
    return np.where(n_grades > 1, value / np.where(n_grades > 1, unit, 1), np.nan)


def spearman_score(
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
    r"""Spearman rank correlation of scores and grades.

    The correlation of the ranks by score with the ranks by grade. Larger is better, and
    0 is chance.

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
        Between -1 and 1. The best value is that of the order by `y_true`, 1 if no
        grades are equal.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    rank_correlation_score : Pair by pair (Kendall).
    rbo_score : The top of the list counts more.
    scipy.stats.spearmanr : For one list.

    Notes
    -----
    With the rank :math:`\pi(d)` of a document by score and :math:`\pi_l(d)` by grade,
    where equal grades share their mean rank,

    .. math:: \rho = \frac{\operatorname{cov}(\pi, \pi_l)}
        {\sqrt{\operatorname{var}(\pi) \operatorname{var}(\pi_l)}}.

    Documents that are not relevant all have the lowest grade. Without tied scores this
    is ``scipy.stats.spearmanr``. Tied scores give the exact expectation over their
    orders: the ranks of each order are 1, ..., n, so var(pi) is that of n ranks without
    ties; SciPy lets tied scores share a rank, which makes var(pi) smaller and the
    correlation greater. A query without two different grades is undefined, and left out
    of the mean. Documents that were not returned take no part.

    References
    ----------
    .. [1] C. Spearman, "The Proof and Measurement of Association between Two Things",
       American Journal of Psychology 15(1), 1904.

    Examples
    --------
    >>> from skrank.metrics import spearman_score
    >>> spearman_score([3, 2, 1, 0], [4, 3, 1, 2])
    0.8
    >>> spearman_score([3, 2, 1, 0], [1, 1, 1, 1])
    0.0
    """
    return measure(
        spearman_score,
        spearman_correlation,
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


def rank_biased_overlap(ranking, *, p=0.9):
    """Return the overlap of the orders by score and by grade at a user's depth."""
    check_persistence(p, "rbo_score")
    ranking = ranking._returned_only
    # Depths that fewer than 1e-20 of the users reach do not count.
    deepest = int(np.ceil(np.log(1e-20) / np.log(p)))
    agreed = sum_over_depths(ranking, lambda d: (1 - p) * p ** (d - 1.0) / d, deepest)
    return _ratio(agreed + p ** ranking.n_documents.astype(np.float64), 1, ranking)


def rbo_score(
    y_true,
    y_score,
    *,
    qid=None,
    p=0.9,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Rank-biased overlap of the orders by score and by grade (RBO).

    A user reads both orders down to the same rank, going on with chance p; RBO is the
    share of documents that they have in common. Larger is better.

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
    p : float, default=0.9
        The persistence of a user: the chance to go on from a rank to the next. Above 0
        and below 1.
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
        Between 0 and 1. The best value is that of the order by `y_true`, 1 if no grades
        are equal.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    spearman_score : All ranks count alike.
    rank_correlation_score : All pairs count alike.
    rbp_score : The same user gains from what is relevant.

    Notes
    -----
    With the share :math:`A_d` of the first d documents by score that are among the
    first d by grade, for d = 1, ..., n,

    .. math:: RBO = (1 - p) \sum_{d=1}^{n} p^{d - 1} A_d + p^n

    which is the extrapolated form of [1]_ for two orders of the same n documents. Ties
    in either order are averaged: :math:`d A_d` is the sum over the documents of the
    chance to be among the first d by score, times that by grade. Documents that are not
    relevant all have the lowest grade. A query without two different grades is
    undefined, and left out of the mean. Documents that were not returned take no part.

    References
    ----------
    .. [1] W. Webber, A. Moffat and J. Zobel, "A Similarity Measure for Indefinite
       Rankings", ACM TOIS 28(4), 2010.

    Examples
    --------
    >>> from skrank.metrics import rbo_score
    >>> rbo_score([3, 2, 1], [3, 2, 1])
    1.0
    >>> rbo_score([3, 2, 1], [2, 3, 1], p=0.5)
    0.5
    """
    return measure(
        rbo_score,
        rank_biased_overlap,
        y_true,
        y_score,
        qid=qid,
        p=p,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )
