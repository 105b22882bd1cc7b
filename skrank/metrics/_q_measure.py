"""Average precision of graded relevance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_beta
from skrank._ranking.neighbours import accumulate_before
from skrank.metrics._measure import measure
from skrank.metrics._weights import gains


def q_measure(ranking, *, beta=1.0, gain="exponential"):
    """Return the mean blended ratio at the ranks of the relevant documents."""
    beta = check_beta(beta, "q_measure_score")
    gained = ranking.grade_total(gains(ranking, gain))
    mean = gained / ranking.relevant
    # Given a relevant document at a place of its class, each place before it holds
    # another one with this chance.
    chance = (ranking.relevant - 1) / np.maximum(ranking.size - 1, 1)
    above = accumulate_before(np.add, gained, ranking.query)
    start = ranking._relevant_above + 1 + beta * (above + mean)
    ratio = _mean_ratio(ranking, start, chance * (1 + beta * mean), beta, gain)
    total = ranking.total(ranking.relevant * ratio)
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


def _mean_ratio(ranking, start, slope, beta, gain):
    """Return the mean blended ratio of a relevant document of each run."""
    run = np.repeat(np.arange(len(ranking.size)), ranking.size)
    first = np.cumsum(ranking.size) - ranking.size
    before = np.arange(len(run)) - first[run]
    rank = ranking.above[run] + before + 1
    best, query = ranking.ideal, ranking.query[run]
    gained = gains(best, gain)
    ideal = accumulate_before(np.add, gained, best._query_of_grade) + gained
    # From rank R on there is nothing more to gain.
    last = np.cumsum(best._n_found)[query] - 1
    ideal = ideal[last - np.maximum(best._n_found[query] - rank, 0)]
    ratio = (start[run] + before * slope[run]) / (rank + beta * ideal)
    return np.add.reduceat(ratio, first) / ranking.size


def q_measure_score(
    y_true,
    y_score,
    *,
    qid=None,
    beta=1.0,
    gain="exponential",
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
):
    r"""Q-measure: average precision for graded relevance.

    The mean of the blended ratio at the ranks of the relevant documents: precision, and
    the gain so far over that of the best order. Larger is better.

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
    beta : float, default=1.0
        How much the gain counts beside the number of relevant documents, 0 or more.
    gain : {"exponential", "linear"} or callable, default="exponential"
        The gain of a grade: 2 ** grade - 1, the grade, or a function that maps an
        array of grades to gains and does not fall.
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
    map_score : The Q-measure with ``beta=0``.
    ndcg_score : The gain of each document by its rank.

    Notes
    -----
    With the number :math:`C(i)` and the gain :math:`cg(i)` of the relevant documents
    among the first i, and the gain :math:`cg^*(i)` of the first i of the best order,

    .. math:: Q = \frac{1}{R} \sum_{i:\, l_i = 1}
        \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    over the ranks of the R relevant documents [1]_. The expectation over the orders of
    tied documents is exact. Relevant documents that were judged but not returned count
    in R and in the best order. A document of a low grade that moves above one of a
    high grade may lower Q. [1]_ uses linear gains. A query without a relevant document
    is undefined.

    References
    ----------
    .. [1] T. Sakai, "New Performance Metrics Based on Multigrade Relevance: Their
       Application to Question Answering", NTCIR-4, 2004.

    Examples
    --------
    >>> from skrank.metrics import q_measure_score
    >>> q_measure_score([2, 0, 1], [3, 2, 1])
    0.9285714285714286
    >>> q_measure_score([2, 0, 1], [3, 2, 1], gain="linear")
    0.9166666666666667
    >>> q_measure_score([2, 0, 1], [3, 2, 1], beta=0)
    0.8333333333333333
    """
    return measure(
        q_measure_score,
        q_measure,
        y_true,
        y_score,
        qid=qid,
        beta=beta,
        gain=gain,
        threshold=threshold,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
        exclude=exclude,
    )
