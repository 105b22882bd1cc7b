"""Averages of precision over ranks: MAP, mean precision and the Q-measure."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_beta, check_choice
from skrank._ranking.neighbours import accumulate_before
from skrank.metrics._gains import gains
from skrank.metrics._metric import ranking_metric


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


@ranking_metric("map", average_precision)
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
    judged=None,
    returned=None,
):
    r"""Mean average precision (MAP).

    The average precision of a query is the mean of its precision at the ranks of its
    relevant documents. Larger is better.

    Parameters
    ----------
    normalize : {"relevant", "achievable"}, default="relevant"
        What the sum is divided by: R, the number of relevant documents, or as many of
        them as the first k ranks can hold, min(k, R).

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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


@ranking_metric("mean_precision", mean_precision)
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
    judged=None,
    returned=None,
):
    r"""Mean of the precision at the first ranks, P@1 to P@k.

    MatchZoo calls it average precision; here that name is :func:`map_score`'s. Larger
    is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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


@ranking_metric("q_measure", q_measure, cutoff="never")
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
    judged=None,
    returned=None,
):
    r"""Q-measure: average precision for graded relevance.

    The mean of the blended ratio at the ranks of the relevant documents: precision, and
    the gain so far over that of the best order. Larger is better.

    Parameters
    ----------
    beta : float, default=1.0
        How much the gain counts beside the number of relevant documents, 0 or more.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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
