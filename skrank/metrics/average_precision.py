"""Averages of precision over ranks: MAP, the Q-measure, LRAP and the ranking loss."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._engine.summary import mean_of_gm_map
from skrank._input.checks import check_choice, check_flag, check_number
from skrank._ranking.arrays import accumulate_before
from skrank.metrics.agreement import query_auc_score
from skrank.metrics.gains import gain_function, gains, ideal_by_gain, own_gain
from skrank.metrics.top_k import n_relevant


@ranking_metric("map")
def map_score(ranking, *, k=None, normalize="relevant"):
    r"""Mean average precision (MAP).

    The average precision of a query is the mean of its precision at the ranks of its
    relevant documents. Larger is better.

    Parameters
    ----------
    normalize : {"relevant", "achievable", "k"}, default="relevant"
        The divisor: "relevant" is the number R of relevant documents, "achievable" is
        min(k, R), the number of them that fit into the top k, and "k" is k, or without
        a cutoff the length of the list.

    See Also
    --------
    mean_precision_score : The mean of the precision at every rank.
    ndcg_score : For graded relevance.
    sklearn.metrics.average_precision_score : Reads tied documents as a block.

    Notes
    -----
    With :math:`l_i` = 1 if the document at rank i is relevant, else 0, and
    :math:`R` the number of relevant documents of the query, average precision
    [1]_ is

    .. math:: AP@k = \frac{1}{R} \sum_{i=1}^{k} l_i \, P@i.

    If r of n tied documents are relevant, below t documents with H relevant ones, the
    place at rank i contributes [2]_

    .. math:: \frac{r}{n} \cdot \frac{1}{i}
        \left(H + 1 + (i - t - 1) \frac{r - 1}{n - 1}\right).

    trec_eval and ranx divide by R for every k, XGBoost and LightGBM by min(k, R), and
    RecTools by R or by k.
    Relevant documents that were judged but not returned count in R. A query without a
    relevant document is undefined.

    References
    ----------
    .. [1] Buckley and Voorhees (2000)
    .. [2] McSherry and Najork (2008)

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

    Nobody judged the second document:

    >>> from skrank.metrics import evaluate
    >>> y_true, y_score, judged = [1, 0, 1], [3, 2, 1], [True, False, True]
    >>> evaluate(y_true, y_score, "map", judged=judged)
    {'map': 0.8333333333333333}
    >>> evaluate(y_true, y_score, "map", judged=judged, unjudged="condensed")
    {'map': 1.0}
    """
    # If r of n tied documents are relevant, below t documents with H relevant ones, the
    # place at rank i contributes (McSherry and Najork, ECIR 2008)
    #     r/n 1/i (H + 1 + (i - t - 1) b),  b = (r - 1) / (n - 1),
    # which is r/n ((H + 1 - (t + 1) b) / i + b).
    slope = (ranking.relevant - 1) / np.maximum(ranking.size - 1, 1)
    start = ranking.relevant_above + 1 - (ranking.above + 1) * slope
    per_place = start * ranking.mean_over_places(lambda rank: 1 / rank, k)
    per_place += slope * ranking.mean_over_places(np.ones_like, k)
    total = ranking.document_total(per_place)
    check_choice(normalize, {"relevant", "achievable", "k"}, "normalize", "map_score")
    if normalize != "k":
        divisor = n_relevant(ranking, k, normalize)
    else:
        divisor = np.maximum(ranking.n_documents, 1) if k is None else k
    return ranking.where_relevant(total / divisor)


@ranking_metric("gm_map", cutoff="never", pool=mean_of_gm_map)
def gm_map_score(ranking):
    r"""Geometric mean average precision (GMAP).

    The geometric mean of the average precision of the queries, which weights queries
    with a poor ranking more than MAP does. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0. With ``average=None`` the average
        precision of each query.

    See Also
    --------
    map_score : The arithmetic mean.

    Notes
    -----
    With the average precision :math:`AP_q` of each of the n queries,

    .. math:: GMAP = \left(\prod_q \max(AP_q, 10^{-5})\right)^{1/n},

    so that no single query makes it 0 [1]_; this is trec_eval's gm_map. For tied
    documents :math:`AP_q` is the expectation, so GMAP is not its mean over all orders.
    A query without a relevant document is undefined.

    References
    ----------
    .. [1] S. Robertson,
       "On GMAP: and Other Transformations", CIKM 2006.

    Examples
    --------
    >>> from skrank.metrics import gm_map_score
    >>> gm_map_score([1, 0, 0, 0, 0, 1], [3, 2, 1, 3, 2, 1], qid=[7, 7, 7, 8, 8, 8])
    0.57735026918...
    """
    return map_score.definition(ranking)


@ranking_metric("mean_precision")
def mean_precision_score(ranking, *, k=None):
    r"""Mean of the precision at all cutoffs, from P@1 to P@k.

    MatchZoo calls it average precision, which is the name of :func:`map_score` here.
    Larger is better.

    See Also
    --------
    map_score : The mean over the ranks of the relevant documents only.
    precision_at_k_score : The precision at one cutoff.

    Notes
    -----
    With n documents in the list,

    .. math:: \frac{1}{\min(k, n)} \sum_{j=1}^{\min(k, n)} P@j.

    A relevant document at rank i counts in every P@j with j at least i; a tied document
    takes the mean over the places of its tie group. A query without a relevant document
    is undefined.

    Examples
    --------
    >>> from skrank.metrics import mean_precision_score
    >>> mean_precision_score([0, 1], [0.1, 0.6])
    0.75
    >>> mean_precision_score([0, 1], [0.1, 0.6], k=1)
    1.0
    """
    last = ranking.n_documents if k is None else np.minimum(k, ranking.n_documents)
    longest = ranking.n_documents.max()
    # L mean_precision = P@1 + ... + P@L with L = last: a relevant document at rank i
    # adds 1/i + ... + 1/L = H_L - H_(i-1), with the harmonic numbers H.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, longest + 1))])
    counted = ranking.mean_over_places(np.ones_like, last)
    before = ranking.mean_over_places(lambda rank: harmonic[rank - 1], last)
    added = harmonic[last][ranking.query] * counted - before
    total = ranking.document_total(added)
    return ranking.where_relevant(total / np.maximum(last, 1))


def _ratio_of_each(ranking, above, gained, beta, gain):
    """Return the mean blended ratio of each relevant document.

    As that of its tie group, with its own gain g at its own place:
    E[cg(i)] = G + g + (i - t - 1) (r m - g) / (n - 1).
    """
    group = np.repeat(np.arange(len(ranking.size)), ranking.relevant)
    own = gains(ranking, gain)
    start = ranking.relevant_above[group] + 1 + beta * (above[group] + own)
    others = ranking.relevant[group] - 1 + beta * (gained[group] - own)
    slope = others / np.maximum(ranking.size[group] - 1, 1)
    # The mean ratio is linear in both.
    zeros, ones = np.zeros(len(ranking.size)), np.ones(len(ranking.size))
    of_start = _mean_ratio(ranking, ones, zeros, beta, gain)[group]
    return (
        start * of_start + slope * _mean_ratio(ranking, zeros, ones, beta, gain)[group]
    )


def _mean_ratio(ranking, start, slope, beta, gain):
    """Return the mean blended ratio of a relevant document of each tie group.

    The mean over the places i of (start + (i - t - 1) slope) / (i + beta cg*(i)), with
    t documents above the group and the gain cg*(i) of the ideal ranking.
    """
    group = np.repeat(np.arange(len(ranking.size)), ranking.size)
    first = np.cumsum(ranking.size) - ranking.size
    before = np.arange(len(group)) - first[group]
    rank = ranking.above[group] + before + 1
    ideal, query = ideal_by_gain(ranking, gain), ranking.query[group]
    gained = gains(ideal, gain)
    ideal_gain = accumulate_before(np.add, gained, ideal.query_of_grade) + gained
    # cg*(i) = cg*(R) for i > R: the ideal ranking has no gain after rank R.
    last = np.cumsum(ideal.n_found)[query] - 1
    ideal_gain = ideal_gain[last - np.maximum(ideal.n_found[query] - rank, 0)]
    ratio = (start[group] + before * slope[group]) / (rank + beta * ideal_gain)
    return np.add.reduceat(ratio, first) / ranking.size


@ranking_metric("q_measure", cutoff="never")
def q_measure_score(ranking, *, beta=1.0, gain="exponential"):
    r"""Q-measure: average precision for graded relevance.

    The mean over the ranks of the relevant documents of the blended ratio, which
    combines precision with the gain so far, relative to that of the ideal ranking.
    Larger is better.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of the gain relative to the number of relevant documents, 0 or more.

    See Also
    --------
    map_score : The Q-measure with ``beta=0``.
    ndcg_score : Discounts the gain of each document by its rank.

    Notes
    -----
    With the number :math:`C(i)` and the gain :math:`cg(i)` of the relevant documents
    among the first i, and the gain :math:`cg^*(i)` of the first i of the ideal ranking,

    .. math:: Q = \frac{1}{R} \sum_{i:\, l_i = 1}
        \frac{C(i) + \beta \, cg(i)}{i + \beta \, cg^*(i)}

    over the ranks of the R relevant documents [1]_. The expectation over the orderings
    of tied documents is exact. Relevant documents that were judged but not returned
    count in R and in the ideal ranking. Q may decrease when a document with a low grade
    moves above one with a high grade. [1]_ uses linear gains. A query without a
    relevant document is undefined.

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
    beta = check_number(beta, "beta", "q_measure_score", low=0.0, ends="[)")
    if own_gain(gain) is not None and ranking.ideal is ranking:
        ranking = ideal_by_gain(ranking, gain)
    gained = ranking.grade_total(gain_function(ranking, gain))
    mean = gained / ranking.relevant
    # At rank i, of a tie group of n with r relevant documents of the mean gain m, below
    # t with H relevant ones and the gain G, with b = (r - 1) / (n - 1),
    #     E[C(i)] = H + 1 + (i - t - 1) b,  E[cg(i)] = G + m + (i - t - 1) b m.
    fraction = (ranking.relevant - 1) / np.maximum(ranking.size - 1, 1)
    above = accumulate_before(np.add, gained, ranking.query)
    start = ranking.relevant_above + 1 + beta * (above + mean)
    ratio = _mean_ratio(ranking, start, fraction * (1 + beta * mean), beta, gain)
    terms = partial(_ratio_of_each, ranking, above, gained, beta, gain)
    total = ranking.total(ranking.relevant * ratio, terms)
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


@ranking_metric("lrap", cutoff="never")
def lrap_score(ranking, *, tied_together=False):
    r"""Label ranking average precision (LRAP).

    The mean over the relevant documents of the fraction of relevant ones among the
    documents ranked at least as high. Without ties it is the average precision. Larger
    is better.

    Parameters
    ----------
    tied_together : bool, default=False
        Whether tied documents are ranked together, as in scikit-learn: each then has
        the precision at the last place of its tie group. It needs ``ties="expected"``;
        other policies leave no ties.

    See Also
    --------
    map_score : The same with cutoffs, and without `tied_together`.
    ranking_loss : The fraction of pairs in the wrong order.
    sklearn.metrics.label_ranking_average_precision_score : Of multilabel data.

    Notes
    -----
    With the score :math:`s_d` of document d, over the R relevant documents [1]_,

    .. math:: LRAP = \frac{1}{R} \sum_{d:\, l_d = 1}
        \frac{|\{e : l_e = 1, s_e \ge s_d\}|}{|\{e : s_e \ge s_d\}|}.

    scikit-learn uses this formula also for ties, where it is not an expectation and can
    exceed the value of every ordering: pass ``tied_together=True``. It scores a query
    without a relevant document 1: pass ``replace_undefined_by=1.0``. Here such a query
    is undefined.

    References
    ----------
    .. [1] Schapire and Singer (2000)

    Examples
    --------
    >>> from skrank.metrics import lrap_score
    >>> lrap_score([1, 0, 1], [3, 2, 1])
    0.8333333333333333
    >>> lrap_score([1, 0], [1, 1])
    0.75
    >>> lrap_score([1, 0], [1, 1], tied_together=True)
    0.5
    """
    if not check_flag(tied_together, "tied_together", "lrap_score"):
        return map_score.definition(ranking)
    # The precision at the last place of a tie group counts for its relevant documents.
    found = ranking.relevant_above + ranking.relevant
    precision = found / (ranking.above + ranking.size)
    total = ranking.document_total(precision)
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


@ranking_metric("ranking_loss", cutoff="never", greater_is_better=False)
def ranking_loss(ranking):
    r"""Ranking loss: the fraction of pairs in the wrong order.

    Of the pairs of a relevant and a non-relevant document. Smaller is better, so the
    scorer is named "neg_ranking_loss" and has a minus sign.

    Returns
    -------
    loss : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 0.0.

    See Also
    --------
    query_auc_score : One minus the ranking loss.
    lrap_score : For the relevant documents at the top.
    sklearn.metrics.label_ranking_loss : Of multilabel data.

    Notes
    -----
    With R relevant and N non-relevant documents [1]_,

    .. math:: \frac{1}{R N} \sum_{u, v} \left([s_u < s_v]
        + \tfrac{1}{2} [s_u = s_v]\right)

    over relevant u and non-relevant v. scikit-learn counts a tied pair as wrong: pass
    ``ties="pessimistic"``. It scores a query whose documents are all relevant, or all
    non-relevant, 0: pass ``replace_undefined_by=0.0``. Here such a query is undefined,
    and left out of the mean. Documents that were not returned are tied below all
    others, whatever `ties` is: a query for which nothing was returned has the loss 0.5.

    References
    ----------
    .. [1] Schapire and Singer (2000)

    Examples
    --------
    >>> from skrank.metrics import ranking_loss
    >>> ranking_loss([0, 1, 0], [3, 2, 1])
    0.5
    >>> ranking_loss([0, 1, 0], [2, 2, 1])
    0.25
    >>> ranking_loss([0, 1, 0], [2, 2, 1], ties="pessimistic")
    0.5
    """
    return 1 - query_auc_score.definition(ranking)
