"""Agreement of the ranking by score with the ranking by grade."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_persistence
from skrank.metrics._metric import ranking_metric
from skrank.metrics._overlap import sum_over_depths
from skrank.metrics._pairs import pair_agreement


def query_auc(ranking):
    """Return the fraction of concordant pairs of relevant and other documents."""
    ranking = ranking._returned_only
    n_pairs = ranking._n_found * (ranking.n_documents - ranking._n_found)
    won = ranking.total(ranking.relevant * ranking._others_below)
    return np.divide(won, n_pairs, out=np.full_like(won, np.nan), where=n_pairs > 0)


@ranking_metric("query_auc", query_auc, cutoff="never")
def query_auc_score(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Area under the ROC curve of each query, averaged (QAUC, GAUC).

    The fraction of the pairs of a relevant and a non-relevant document of the query in
    which the relevant one has the higher score. Larger is better; the chance level is
    0.5.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    rank_correlation_score : The same for graded relevance.
    sklearn.metrics.roc_auc_score : Ranks all rows as one list.

    Notes
    -----
    With R relevant and N non-relevant documents,

    .. math:: AUC = \frac{1}{R N} \sum_{u, v} \left([s_u > s_v]
        + \tfrac{1}{2} [s_u = s_v]\right)

    over relevant u and non-relevant v. A query is undefined and left out of the mean if
    all or none of its documents are relevant. ``average="weighted"`` is the GAUC of
    online advertising, which weights queries by their number of documents.

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
    """Return the weighted fraction of concordant pairs."""
    won, total = pair_agreement(ranking._returned_only, weights, gain, discount)
    return np.divide(won, total, out=np.full_like(won, np.nan), where=total > 0)


@ranking_metric("rank_correlation", rank_correlation, cutoff="never")
def rank_correlation_score(
    y_true, y_score, *, qid=None, weights="uniform", gain="exponential",
    discount="log2", threshold=None, ties="expected", replace_undefined_by=np.nan,
    average="macro", adjusted=False, sample_weight=None, exclude=None, judged=None,
    returned=None,
):  # fmt: skip
    r"""Weighted Kendall rank correlation, scaled to [0, 1] (RC).

    The weighted fraction of the pairs of documents with different grades in which the
    document with the higher grade has the higher score. Larger is better; the chance
    level is 0.5.

    Parameters
    ----------
    weights : {"uniform", "gain", "discount"} or callable, default="uniform"
        The weight of a pair of documents: 1 for "uniform"; the difference of their
        gains for "gain"; the difference of their discounts in the ideal ranking for
        "discount", where equal grades have their mean discount. A callable maps two
        arrays, the higher and the lower grades of the pairs, to their weights.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    query_auc_score : The same with two grades.
    scipy.stats.kendalltau : Kendall's tau of one list, between -1 and 1.

    Notes
    -----
    With the rank :math:`\pi(u)` of a document by score and :math:`\pi_l(u)` by grade,

    .. math:: RC = \frac{\sum_{u < v} w_{uv} \left(1 + \operatorname{sgn}
        \left[(\pi(u) - \pi(v)) (\pi_l(u) - \pi_l(v))\right]\right)}
        {2 \sum_{u < v} w_{uv}}.

    A pair with equal grades has weight 0, and a pair with tied scores counts one half.
    With 0/1 grades and uniform weights, RC is the AUC. With uniform weights,
    :math:`2 RC - 1` is Somers' D of the scores given the grades: the concordant pairs
    less the discordant ones, divided by the number of pairs with different grades.
    Without ties in grades or scores, it is Kendall's :math:`\tau` [1]_. With ties, call
    ``scipy.stats.kendalltau(y_true, y_score, variant="b")`` for :math:`\tau_b`, or
    with ``variant="c"`` for :math:`\tau_c`, query by query. A query without two
    different grades is undefined and left out of the mean. The named weights take
    O(n log n) time; a callable is evaluated once for every pair of grades.

    References
    ----------
    .. [1] M. G. Kendall,
       "A New Measure of Rank Correlation", Biometrika 30, 1938.

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
    ranking, ideal = ranking._returned_only, ranking._returned_only.ideal
    n, others = ranking.n_documents, ranking.n_documents - ranking._n_found
    middle = (n + 1) / 2
    # rho = sum_d x_d y_d / sqrt(sum_d x_d^2 sum_d y_d^2), with the ranks by score x and
    # by grade y, both less their mean (n + 1) / 2. The expected x_d of a tied document
    # is that of the mean rank of its group, and sum_d x_d^2 = (n^3 - n) / 12 in every
    # order. Since sum_d x_d = 0, y_d may be taken less that of non-relevant documents,
    # which leaves a sum over the relevant ones.
    rank = ranking.above + (ranking.size + 1) / 2 - middle[ranking.query]
    of_grade = ideal.above + (ideal.size + 1) / 2 - middle[ideal.query]
    of_others = n - (others - 1) / 2 - middle
    weight = of_grade[ranking._group_in_ideal] - of_others[ranking._query_of_grade]
    joint = ranking.total(ranking.grade_total(weight) * rank)
    spread = ideal.total(ideal.size * of_grade**2) + others * of_others**2
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
    n_grades = np.bincount(ranking.ideal.query, minlength=ranking.n_queries)
    n_grades += ranking.n_documents > ranking._n_found
    return np.where(n_grades > 1, value / np.where(n_grades > 1, unit, 1), np.nan)


@ranking_metric(
    "spearman",
    spearman_correlation,
    cutoff="never",
    limits=(-1, 1),
    takes_midrank=True,
)
def spearman_score(
    y_true, y_score, *, qid=None, threshold=None, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Spearman rank correlation of scores and grades.

    The correlation of the ranks by score with the ranks by grade. Larger is better; the
    chance level is 0.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between -1 and 1. The best value is that of the ideal ranking, 1 if no grades
        are equal.

    See Also
    --------
    rank_correlation_score : Counts pairs (Kendall).
    rbo_score : Gives more weight to the top of the list.
    scipy.stats.spearmanr : The same for one list without tied scores.

    Notes
    -----
    With the rank :math:`\pi(d)` of a document by score and :math:`\pi_l(d)` by grade,
    where equal grades have their mean rank,

    .. math:: \rho = \frac{\operatorname{cov}(\pi, \pi_l)}
        {\sqrt{\operatorname{var}(\pi) \operatorname{var}(\pi_l)}}.

    Without tied scores this is ``scipy.stats.spearmanr``. With tied scores it is the
    exact expectation over their orderings: in each of these the ranks are 1, ..., n, so
    var(pi) is that of n ranks without ties. SciPy gives tied scores their mean rank,
    which decreases var(pi) and increases the absolute correlation; ``ties="midrank"``
    does the same, and a query whose scores are all tied is then undefined. A query
    without two different grades is undefined and left out of the mean. Documents that
    were not returned are ignored.

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
    """Return the expected overlap of both rankings at the depth where a user stops."""
    check_persistence(p, "rbo_score")
    ranking = ranking._returned_only
    # RBO = (1 - p) sum_{d <= n} p^(d - 1) A_d + p^n (Webber, Moffat and Zobel, 2010,
    # extrapolated): A_d = 1 for d >= n. Depths with p^d < 1e-20 are left out.
    deepest = int(np.ceil(np.log(1e-20) / np.log(p)))
    agreed = sum_over_depths(ranking, lambda d: (1 - p) * p ** (d - 1.0) / d, deepest)
    return _ratio(agreed + p ** ranking.n_documents.astype(np.float64), 1, ranking)


@ranking_metric("rbo", rank_biased_overlap, cutoff="never")
def rbo_score(
    y_true, y_score, *, qid=None, p=0.9, threshold=None, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Rank-biased overlap of the rankings by score and by grade (RBO).

    A user reads both rankings down to the same depth and continues from each rank to
    the next with probability p; RBO is the expected fraction of documents that both
    have in common. Larger is better.

    Parameters
    ----------
    p : float, default=0.9
        The persistence of a user: the probability of continuing from one rank to the
        next. Above 0 and below 1.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the ideal ranking, 1 if no grades are
        equal.

    See Also
    --------
    spearman_score : All ranks have equal weight.
    rank_correlation_score : All pairs have equal weight.
    rbp_score : The expected gain of the same user.

    Notes
    -----
    With the fraction :math:`A_d` of the top d documents by score that are in the top d
    by grade, for d = 1, ..., n,

    .. math:: RBO = (1 - p) \sum_{d=1}^{n} p^{d - 1} A_d + p^n

    which is the extrapolated form of [1]_ for two rankings of the same n documents. The
    average is over the orderings of ties in both rankings: :math:`d A_d` is the sum
    over the documents of the probability to be in the top d by score times that by
    grade. A query without two different grades is undefined and left out of the mean.
    Documents that were not returned are ignored.

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
