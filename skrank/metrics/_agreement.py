"""Agreement of the ranking by score with the ranking by grade."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_persistence
from skrank.metrics._metric import ranking_metric
from skrank.metrics._overlap import sum_over_depths
from skrank.metrics._pairs import pair_agreement


def query_auc(ranking):
    """Return the share of (relevant, other) pairs in the right order."""
    ranking = ranking._returned_only
    n_pairs = ranking._n_found * (ranking.n_documents - ranking._n_found)
    won = ranking.total(ranking.relevant * ranking._others_below)
    return np.divide(won, n_pairs, out=np.full_like(won, np.nan), where=n_pairs > 0)


@ranking_metric("query_auc", query_auc, cutoff="never")
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
    judged=None,
    returned=None,
):
    r"""Area under the ROC curve of each query, averaged (QAUC, GAUC).

    The share of the pairs of a relevant and another document of the query that the
    scores put in the right order. Larger is better, and 0.5 is chance.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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


def rank_correlation(
    ranking, *, weights="uniform", gain="exponential", discount="log2"
):
    """Return the weighted share of the pairs of grades in the right order."""
    won, total = pair_agreement(ranking._returned_only, weights, gain, discount)
    return np.divide(won, total, out=np.full_like(won, np.nan), where=total > 0)


@ranking_metric("rank_correlation", rank_correlation, cutoff="never")
def rank_correlation_score(
    y_true,
    y_score,
    *,
    qid=None,
    weights="uniform",
    gain="exponential",
    discount="log2",
    threshold=None,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Weighted Kendall rank correlation, scaled to [0, 1] (RC).

    The weighted share of the pairs of documents of different grades that the scores put
    in the right order. Larger is better, and 0.5 is chance.

    Parameters
    ----------
    weights : {"uniform", "gain", "discount"} or callable, default="uniform"
        The weight of a pair of documents: 1, the difference of their gains, or of
        their discounts in the true order, in which equal grades share their mean
        discount; or a function of two arrays, the higher and the lower grades of the
        pairs.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

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

    A pair of equal grades weighs 0, and a pair of tied scores counts half. With 0/1
    grades and uniform weights RC is the AUC. With uniform weights :math:`2 RC - 1` is
    Somers' D of the scores given the grades: concordant less discordant pairs, over
    the pairs of different grades. Without ties in grades or scores it is Kendall's
    :math:`\tau` [1]_. With ties, for :math:`\tau_b` and :math:`\tau_c`, call
    ``scipy.stats.kendalltau(y_true, y_score, variant="b")`` or ``"c"`` query by query.
    A query without two different grades is undefined, and left out of the mean. The
    named weights cost O(n log n); a function is asked once for every pair of grades.

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


def spearman_correlation(ranking, *, ties="expected"):
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
    return _ratio(joint, np.sqrt(spread * _spread_of_ranks(ranking, ties)), ranking)


def _spread_of_ranks(ranking, ties):
    """Return the sum of the squared distances of the ranks by score to their mean."""
    spread = ranking.n_documents**3.0 - ranking.n_documents
    # Over random orders of tied scores the mean correlation is 0, however they spread.
    if ties == "midrank" and ranking._order != "chance":
        spread -= ranking.total(ranking.size**3.0 - ranking.size)
        spread = np.where(spread > 0, spread, np.nan)
    return spread / 12


def _ratio(value, unit, ranking):
    """Return value / unit, NaN for queries without two different grades."""
    best = ranking.ideal
    n_grades = np.bincount(best.query, minlength=ranking.n_queries)
    n_grades += ranking.n_documents > ranking._n_found
    return np.where(n_grades > 1, value / np.where(n_grades > 1, unit, 1), np.nan)


@ranking_metric("spearman", spearman_correlation, cutoff="never", takes_midrank=True)
def spearman_score(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=None,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Spearman rank correlation of scores and grades.

    The correlation of the ranks by score with the ranks by grade. Larger is better, and
    0 is the chance level.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between -1 and 1. The best value is that of the order by `y_true`, 1 if no
        grades are equal.

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

    Without tied scores this is ``scipy.stats.spearmanr``. Tied scores give the exact
    expectation over their orders: the ranks of each order are 1, ..., n, so var(pi) is
    that of n ranks without ties; SciPy lets tied scores share a rank, which makes
    var(pi) smaller and the correlation greater. Pass ``ties="midrank"`` for its number;
    then a query whose scores are all tied is undefined. So is a query without two
    different grades; undefined queries are left out of the mean. Documents that were
    not returned take no part.

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


def rank_biased_overlap(ranking, *, p=0.9):
    """Return the overlap of the orders by score and by grade at a user's depth."""
    check_persistence(p, "rbo_score")
    ranking = ranking._returned_only
    # Depths that fewer than 1e-20 of the users reach do not count.
    deepest = int(np.ceil(np.log(1e-20) / np.log(p)))
    agreed = sum_over_depths(ranking, lambda d: (1 - p) * p ** (d - 1.0) / d, deepest)
    return _ratio(agreed + p ** ranking.n_documents.astype(np.float64), 1, ranking)


@ranking_metric("rbo", rank_biased_overlap, cutoff="never")
def rbo_score(
    y_true,
    y_score,
    *,
    qid=None,
    p=0.9,
    threshold=None,
    ties="expected",
    replace_undefined_by=np.nan,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Rank-biased overlap of the orders by score and by grade (RBO).

    A user reads both orders down to the same rank, going on with chance p; RBO is the
    share of documents that they have in common. Larger is better.

    Parameters
    ----------
    p : float, default=0.9
        The persistence of a user: the probability to go on from a rank to the next.
        Above 0 and below 1.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the order by `y_true`, 1 if no grades
        are equal.

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
    chance to be among the first d by score, times that by grade. A query without two
    different grades is undefined, and left out of the mean. Documents that were not
    returned take no part.

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
