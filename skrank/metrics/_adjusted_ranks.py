"""The mean rank of the first relevant document, next to chance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._chance import ratio
from skrank.metrics._measure import measure, reads_first_rank, scaled_by
from skrank.metrics._ranks import first_rank


@reads_first_rank
@scaled_by(lambda levels: lambda rank: ratio(rank, levels.chance))
def rank_over_chance(ranking):
    """Return the rank of the first relevant document, to be divided by its chance."""
    return first_rank(ranking)


def adjusted_mean_rank(
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
    r"""Mean rank of the first relevant document over that of random scores (AMR).

    The mean rank over that of random scores: a rank of 10 means little without the
    number of candidates. Smaller is better, and 1 is chance; as a scorer it is
    "neg_adjusted_mean_rank".

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
        Above 0, and 1 in expectation for random scores. The best value is that of the
        order by `y_true`.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    adjusted_mean_rank_index_score : The same on a scale from chance, 0, to perfect, 1.
    mean_rank : The mean rank as it is.

    Notes
    -----
    .. math:: AMR = \frac{MR}{E[MR]}

    with the mean rank MR of the first relevant documents and its expectation, (n + 1) /
    (R + 1) for a query of n documents of which R are relevant; both are averaged over
    the queries first [1]_. A query without a relevant document is undefined, and left
    out; `replace_undefined_by` is its rank in MR and in E[MR]. With ``adjusted=True``
    this is :func:`adjusted_mean_rank_index_score`: larger is better then.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import adjusted_mean_rank
    >>> adjusted_mean_rank([0, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    0.6666666666666666
    >>> adjusted_mean_rank([0, 1, 0, 0, 0], [1, 1, 1, 1, 1])
    1.0
    """  # noqa: E501
    return measure(
        adjusted_mean_rank,
        rank_over_chance,
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
@scaled_by(lambda levels: lambda rank: 1 - ratio(rank - 1, levels.chance - 1))
def rank_index(ranking):
    """Return the rank of the first relevant document, to be put on its scale."""
    return first_rank(ranking)


def adjusted_mean_rank_index_score(
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
    r"""Index of the mean rank: chance is 0, the best rank 1 (AMRI).

    The mean rank of the first relevant document on a scale from that of random scores,
    0, to the best one, 1. Larger is better.

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
        At most 1, and 0 in expectation for random scores; -1 or more with one relevant
        document a query. The best value is 1.0.

    Raises
    ------
    ValueError
        If a value or a shape is out of what the parameters accept; nothing is guessed.

    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    adjusted_mean_rank : The mean rank over that of random scores.
    mean_rank : The mean rank as it is.

    Notes
    -----
    .. math:: AMRI = 1 - \frac{MR - 1}{E[MR] - 1}

    with the mean rank MR of the first relevant documents and its expectation, (n + 1) /
    (R + 1) for a query of n documents of which R are relevant; both are averaged over
    the queries first [1]_. It is undefined where no document is not relevant. A query
    without a relevant document is undefined, and left out; `replace_undefined_by` is
    its rank in MR and in E[MR].

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import adjusted_mean_rank_index_score
    >>> adjusted_mean_rank_index_score([0, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    0.5
    >>> adjusted_mean_rank_index_score([0, 1, 0, 0, 0], [1, 1, 1, 1, 1])
    0.0
    """  # noqa: E501
    return measure(
        adjusted_mean_rank_index_score,
        rank_index,
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
