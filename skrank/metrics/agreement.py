"""Agreement of the ranking by score with the ranking by grade."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
from scipy.special import softmax

from skrank._engine.answer import ranking_metric
from skrank._engine.request import DEFAULTS, OF_EVALUATE, Metric
from skrank._input.checks import check_choice, check_number
from skrank._ranking.arrays import encode_levels, gather, spans, split_by_width
from skrank._ranking.queries import sum_over_places
from skrank.metrics.gains import check_gain, discount_function, gains


@ranking_metric("query_auc", cutoff="never", replace_undefined_by=np.nan)
def query_auc_score(ranking):
    r"""Area under the ROC curve of each query, averaged (QAUC, GAUC).

    The fraction of the pairs of a relevant and a non-relevant document of the query in
    which the relevant one has the higher score. Larger is better; the chance level is
    0.5.

    See Also
    --------
    rank_correlation_score : The same for graded relevance.
    sklearn.metrics.roc_auc_score : Ranks all rows as one list.

    Notes
    -----
    With R relevant and N non-relevant documents,

    .. math:: AUC = \frac{1}{R N} \sum_{u, v} \left([s_u > s_v]
        + \tfrac{1}{2} [s_u = s_v]\right)

    over relevant u and non-relevant v [1]_. A query is undefined and left out of the
    mean if all or none of its documents are relevant. ``average="weighted"`` is the
    GAUC of online advertising, which weights queries by their number of documents [2]_.

    Documents that were not returned are tied below all others, whatever `ties` is. So
    a relevant document that was not returned loses to every other document that was,
    and a query for which nothing was returned has the value 0.5.

    References
    ----------
    .. [1] J. A. Hanley and B. J. McNeil, "The Meaning and Use of the Area under a
       Receiver Operating Characteristic (ROC) Curve", Radiology 143(1), 1982.
    .. [2] H. Zhu et al.,
       "Optimized Cost per Click in Taobao Display Advertising", KDD 2017.

    Examples
    --------
    >>> from skrank.metrics import query_auc_score
    >>> query_auc_score([1, 0, 0, 0, 1], [3, 2, 4, 1, 1], qid=[7, 7, 7, 8, 8])
    0.5
    >>> query_auc_score([1, 0, 0, 0, 1], [3, 2, 4, 1, 2], qid=[7, 7, 7, 8, 8])
    0.75
    """
    ranking = ranking.with_missing
    n_pairs = ranking.n_found * (ranking.n_documents - ranking.n_found)
    won = ranking.document_total(ranking.others_below)
    return np.divide(won, n_pairs, out=np.full_like(won, np.nan), where=n_pairs > 0)


@ranking_metric(
    "rank_correlation",
    cutoff="never",
    threshold=None,
    replace_undefined_by=np.nan,
)
def rank_correlation_score(
    ranking, *, weights="uniform", gain="exponential", discount="log2"
):
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
    :math:`2 RC - 1` is Somers' D [1]_ of the scores given the grades: the concordant
    pairs less the discordant ones, divided by the number of pairs with different
    grades. Without ties in grades or scores, it is Kendall's :math:`\tau` [2]_. With
    ties, call ``scipy.stats.kendalltau(y_true, y_score, variant="b")`` for
    :math:`\tau_b`, or with ``variant="c"`` for :math:`\tau_c`, query by query. A query
    without two different grades is undefined and left out of the mean. Documents that
    are not judged have the lowest grade of all queries, or 0 if none is negative. Those
    that were not returned are tied below all others, whatever `ties` is: a query for
    which nothing was returned has the value 0.5. The named weights take O(n log n)
    time; a callable is evaluated once for every pair of grades.

    References
    ----------
    .. [1] R. H. Somers, "A New Asymmetric Measure of Association for Ordinal
       Variables", American Sociological Review 27(6), 1962.
    .. [2] M. G. Kendall,
       "A New Measure of Rank Correlation", Biometrika 30, 1938.

    Examples
    --------
    >>> from skrank.metrics import rank_correlation_score
    >>> rank_correlation_score([2, 1, 0], [3, 1, 2])
    0.6666666666666666
    >>> rank_correlation_score([2, 1, 0], [3, 1, 2], weights="gain")
    0.8333333333333334
    """
    won, total = pair_agreement(ranking.with_missing, weights, gain, discount)
    return np.divide(won, total, out=np.full_like(won, np.nan), where=total > 0)


def _spread_of_ranks(ranking, ties):
    """Return the sum of the squared distances of the ranks by score to their mean."""
    n = ranking.with_missing.n_documents
    spread = n**3.0 - n
    if ties == "midrank":
        spread -= ranking.total(ranking.size**3.0 - ranking.size)
        spread = np.where(spread > 0, spread, np.nan)
    return spread / 12


def where_grades_differ(ranking, value, unit):
    """Return value / unit, NaN for queries without two different grades."""
    n_grades = np.bincount(ranking.ideal.query, minlength=ranking.n_queries)
    n_grades += ranking.n_documents > ranking.n_found
    return np.where(n_grades > 1, value / np.where(n_grades > 1, unit, 1), np.nan)


@ranking_metric(
    "spearman",
    cutoff="never",
    limits=(-1, 1),
    takes_midrank=True,
    threshold=None,
    replace_undefined_by=np.nan,
)
def spearman_score(ranking, *, ties="expected"):
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
    are not judged have the lowest grade of all queries, or 0 if none is negative.

    Documents that were not returned are below all others, and the value is the exact
    expectation over their orderings, whatever `ties` is. A query for which nothing was
    returned has the value 0.

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
    returned, ranking = ranking, ranking.with_missing
    ideal, n = ranking.ideal, ranking.n_documents
    others, middle = n - ranking.n_found, (n + 1) / 2
    # rho = sum_d x_d y_d / sqrt(sum_d x_d^2 sum_d y_d^2), with the ranks by score x and
    # by grade y, both less their mean (n + 1) / 2. Tied documents have the mean rank of
    # their group, and sum_d x_d^2 = (n^3 - n) / 12 in every order. As sum_d x_d = 0,
    # y_d may be less that of non-relevant documents, which leaves the relevant ones.
    rank = ranking.above + (ranking.size + 1) / 2 - middle[ranking.query]
    of_grade = ideal.above + (ideal.size + 1) / 2 - middle[ideal.query]
    of_others = n - (others - 1) / 2 - middle
    weight = of_grade[ranking.group_in_ideal] - of_others[ranking.query_of_grade]
    joint = ranking.total(ranking.grade_total(weight) * rank)
    spread = ideal.total(ideal.size * of_grade**2) + others * of_others**2
    spread = np.sqrt(spread * _spread_of_ranks(returned, ties))
    return where_grades_differ(ranking, joint, spread)


@ranking_metric(
    "rbo",
    cutoff="never",
    threshold=None,
    replace_undefined_by=np.nan,
    masks=["judged", "returned"],
)
def rbo_score(ranking, *, p=0.9):
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
    The list by score has the documents that were returned, and the list by grade those
    that are judged. With the number :math:`X_d` of documents in the top d of both, and
    the length n of the longer list,

    .. math:: RBO = (1 - p) \sum_{d=1}^{n} p^{d - 1} A_d + p^n A_n,
        \quad A_d = \frac{X_d}{d}

    which is the extrapolated form of [1]_. Where the shorter list, of k documents, has
    ended, it is taken to go on as it was: :math:`A_d = (X_d + (d - k) X_k / k) / d` for
    d > k, equation 32 of [1]_. If all documents are judged and were returned,
    :math:`A_n = 1`.

    The average is over the orderings of ties in both rankings: :math:`X_d` is the sum
    over the documents of the probability to be in the top d by score times that by
    grade. A query without two different grades, where documents that are not judged
    have the lowest grade of all queries (or 0), is undefined and left out of the mean.
    A query for which nothing was returned has the value 0.

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
    >>> rbo_score([3, 2, 1], [2, 0, 1], p=0.5, returned=[True, False, True])
    0.8333333333333333
    """
    check_number(p, "p", "rbo_score", low=0.0, high=1.0, ends="()")
    every, n_listed = ranking.with_missing, ranking.n_documents
    if ranking is not every or ranking is not ranking.judged_only:
        # Both lists may have different documents. Here those of the ideal list are the
        # relevant ones, and the others only take places.
        ranking = ranking.by_judgement
        n_listed = ranking.n_relevant
    return where_grades_differ(every, _extrapolated_overlap(ranking, n_listed, p), 1)


def _extrapolated_overlap(ranking, n_listed, p):
    """Return RBO of a ranking and its ideal list, which has `n_listed` documents."""
    # RBO = (1 - p) sum_{d <= n} p^(d - 1) A_d + p^n A_n (Webber, Moffat and Zobel,
    # 2010, equation 32).
    sums, agreed = sum_over_depths(ranking, n_listed, p)
    n = np.maximum(ranking.n_documents, n_listed).astype(np.float64)
    return sums + agreed * p**n


def pair_agreement(ranking, weights, gain, discount):
    """Return the summed weights of concordant pairs, and of all pairs, of each query.

    Over the pairs of documents u and v of a query with grades g_u > g_v, the sums

        won = sum w_uv ([s_u > s_v] + [s_u = s_v] / 2),  total = sum w_uv.

    At least one document of each pair is relevant, since the grades differ.
    """
    check_gain(gain)
    discount = discount_function(discount)
    if callable(weights):
        return _listed_pairs(ranking, weights)
    check_choice(
        weights, ("uniform", "gain", "discount"), "weights", "rank_correlation"
    )
    if weights == "uniform":
        value, base = None, None
    elif weights == "gain":
        # Differences of linear gains need no 0, if no grade stands for the lower ones.
        is_plain = (
            gain == "linear" and (ranking.n_relevant == ranking.n_documents).all()
        )
        value = ranking.grade if is_plain else gains(ranking, gain)
        base = np.zeros(ranking.n_queries)
    else:  # the mean discount of a grade in the ideal ranking of its query
        value = ranking.ideal.mean_over_places(discount)[ranking.group_in_ideal]
        n, n_relevant = ranking.n_documents, ranking.n_relevant
        base = sum_over_places(discount, n_relevant, n) / np.maximum(n - n_relevant, 1)
    won, total = _relevant_pairs(ranking, value)
    # Pairs of a relevant and a non-relevant document.
    weight = np.ones(len(ranking.grade)) if value is None else value
    if base is not None:
        weight = weight - base[ranking.query_of_grade]
    weight = ranking.grade_total(weight)
    others = (ranking.n_documents - ranking.n_relevant)[ranking.query]
    won += ranking.total(weight * ranking.others_below)
    total += ranking.total(weight * others)
    return won, total


def _relevant_pairs(ranking, value):
    """Return both sums over pairs of relevant documents, O(n) per bit of the codes.

    The grades are coded as integers. The codes of two different grades agree in their
    highest bits, then differ first in one bit, where the higher grade has a 1. For each
    bit, from the highest, the documents that agree in all higher bits form a group, and
    the pairs to count are those of a "one" u and a "zero" v of the same group. For each
    zero v, with w_uv = value_u - value_v (or 1), cumulative sums give

        won_v = sum_u w_uv [u above v] + sum_u w_uv [u tied with v] / 2.

    Knight, "A Computer Method for Calculating Kendall's Tau with Ungrouped Data", JASA
    61, 1966, counts pairs in a merge sort likewise; this is a radix sort, with weights.
    """
    won, total = np.zeros(ranking.n_queries), np.zeros(ranking.n_queries)
    levels, code = encode_levels(ranking.grade)
    query = ranking.query_of_grade
    tie = np.repeat(np.arange(len(ranking.query)), ranking.relevant)
    is_uniform = value is None
    value = np.zeros(len(query)) if is_uniform else value
    group = query
    for bit in reversed(range((len(levels) - 1).bit_length())):
        one = (code >> bit & 1).astype(bool)
        zero = ~one
        start, stop = spans(group)
        tie_start, tie_stop = spans(group, tie)
        count = np.concatenate([[0], np.cumsum(one)])
        # The ones above v, plus half of those tied with v.
        above = (count[tie_start] + count[tie_stop]) / 2 - count[start]
        everywhere = count[stop] - count[start]
        if not is_uniform:
            # sum_u (value_u - value_v) = sum_u value_u - value_v * (number of u).
            summed = np.concatenate([[0], np.cumsum(np.where(one, value, 0))])
            above = (
                (summed[tie_start] + summed[tie_stop]) / 2
                - summed[start]
                - (value * above)
            )
            everywhere = summed[stop] - summed[start] - value * everywhere
        n_queries = ranking.n_queries
        won += np.bincount(query[zero], weights=above[zero], minlength=n_queries)
        total += np.bincount(query[zero], weights=everywhere[zero], minlength=n_queries)
        # Ones before zeros within each group: the groups of the next bit.
        order = np.lexsort((zero, start))
        query, tie, code, value = query[order], tie[order], code[order], value[order]
        group = 2 * start[order] + zero[order]
    return won, total


def _listed_pairs(ranking, weights):
    """Weigh every pair by a function of its higher and its lower grade.

    The function is asked once for each pair of grades that occurs in a query.
    """
    levels, code = encode_levels(ranking.grade)
    query = ranking.query_of_grade
    weight = np.zeros(len(levels))
    others = ranking.n_documents - ranking.n_relevant
    occurring = np.unique(code[others[query] > 0])
    high = levels[occurring]
    weight[occurring] = _weight_of_pairs(weights(high, np.zeros_like(high)), len(high))
    weight = ranking.grade_total(weight[code])
    won = ranking.total(weight * ranking.others_below)
    total = ranking.total(weight * others[ranking.query])

    group = np.repeat(np.arange(len(ranking.query)), ranking.relevant)
    start, stop = spans(query)
    tie_start, tie_stop = spans(query, group)
    # The grades of each query by rank, the highest one being 0.
    ideal = ranking.ideal
    place = np.arange(len(ideal.query)) - spans(ideal.query)[0]
    nth = place[ranking.group_in_ideal]
    for n in range(int(nth.max(initial=0))):
        # A document of the n-th grade forms pairs with all of a lower grade.
        is_high = nth == n
        count = np.concatenate([[0], np.cumsum(is_high)])
        in_query = count[stop] - count[start]
        lower = np.flatnonzero((nth > n) & (in_query > 0))
        above = (count[tie_start] + count[tie_stop]) / 2 - count[start]
        high = np.zeros(ranking.n_queries, dtype=np.intp)
        high[query[is_high]] = code[is_high]
        pairs = high[query[lower]] * len(levels) + code[lower]
        pairs, which = np.unique(pairs, return_inverse=True)
        high, low = np.divmod(pairs, len(levels))
        weight = _weight_of_pairs(weights(levels[high], levels[low]), len(high))[which]
        for sums, counts in ((won, above), (total, in_query)):
            weighted = weight * counts[lower]
            sums += np.bincount(query[lower], weighted, minlength=ranking.n_queries)
    return won, total


def _weight_of_pairs(weight, n_pairs):
    weight = np.asarray(weight, dtype=np.float64)
    if weight.shape != (n_pairs,):
        raise ValueError(
            "The 'weights' parameter must be a callable that returns a number for each "
            f"of {n_pairs} pairs. Got shape {weight.shape}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(
            "The 'weights' parameter must be a callable that returns finite numbers "
            ">= 0. Got NaN, infinity or a negative weight."
        )
    return weight


def sum_over_depths(ranking, n_listed, p, *, extrapolated=True):
    """Return the weighted sum over depths of the overlap, and its fraction at the end.

    For each query, the sum of (1 - p) p^(d - 1) X_d / d for d = 1, ..., n, and X_n / n,
    where n is the length of the longer list. Depths with p^d < 1e-20 are left out. X_d
    is the expected number of documents that are in the top d by score, S_d, and by
    grade, L_d. Ties in both rankings are in independent random orders, so

        X_d = sum over documents of P(in S_d) P(in L_d),
        P(in S_d) = clip((d - t) / n, 0, 1) in a tie group of n below t documents.

    The ideal list has `n_listed` documents: the relevant ones and, if both lists have
    the same documents, all others. Below the end of the shorter list, of k documents,
    the extrapolated form adds X_k (d - k) / k to X_d: as if that list went on, and as
    many of its further documents were in the other one.
    """
    longer = np.maximum(ranking.n_documents, n_listed)
    shorter = np.minimum(ranking.n_documents, n_listed)
    depth = np.clip(longer, 1, int(np.ceil(np.log(1e-20) / np.log(p))))
    n_others = n_listed - ranking.n_relevant
    differ = ranking.n_found + n_others < longer
    total, agreed = np.zeros(len(depth)), np.ones(len(depth))
    for rows, overlap in _overlaps(ranking, depth):
        d = np.arange(1, overlap.shape[1] + 1)
        # For a non-relevant document P(in L_d) = clip((d - R) / (n - R), 0, 1). If that
        # is above 0, L_d holds all R relevant ones, and overlap of S_d are relevant.
        if n_others.any():
            beyond = d - ranking.n_found[rows, np.newaxis]
            beyond = beyond / np.maximum(n_others[rows, np.newaxis], 1)
            overlap += np.clip(beyond, 0, 1) * (d - overlap)
        if extrapolated and differ[rows].any():
            place, last = np.arange(len(rows)), depth[rows]
            k = np.clip(shorter[rows], 1, last)
            rate = overlap[place, k - 1] / k
            overlap += rate[:, np.newaxis] * np.maximum(d - k[:, np.newaxis], 0)
            agreed[rows] = np.where(differ[rows], overlap[place, last - 1] / last, 1)
        weight = (1 - p) * p ** (d - 1.0) / d
        total[rows] = np.sum(
            overlap * weight, axis=1, where=d <= depth[rows, np.newaxis]
        )
    return total, agreed


def _overlaps(ranking, depth):
    """Yield queries, and the expected overlap of their relevant documents by depth.

    The product P(in S_d) P(in L_d) is 0 down to some depth, then quadratic in d, then
    linear, then 1. The changes of its coefficients are summed over the documents at the
    depths where they occur; cumulative sums give the coefficients at every depth.
    """
    cells = depth + 1
    starts = np.cumsum(cells) - cells
    changes = _changes(ranking, depth, starts, int(cells.sum()))
    for rows, width in split_by_width(depth):
        constant, linear, quadratic = (
            np.cumsum(gather(change, starts[rows], width + 1), axis=1)[:, 1:]
            for change in changes
        )
        d = np.arange(1, width + 1)
        yield rows, constant + d * (linear + d * quadratic)


def _changes(ranking, depth, starts, n_cells):
    """Return the change of each coefficient at each depth of each query."""
    ideal, query = ranking.ideal, ranking.query_of_grade
    group = np.repeat(np.arange(len(ranking.size)), ranking.relevant)
    above, size = ranking.above[group], ranking.size[group].astype(np.float64)
    in_ideal = ranking.group_in_ideal
    above_2, size_2 = ideal.above[in_ideal], ideal.size[in_ideal]
    end, end_2 = ranking.above[group] + ranking.size[group], above_2 + size_2
    # A document in a tie group of n below t by score, and of n' below t' by grade, has
    #     P(in S_d) P(in L_d) = 0                         for d <= max(t, t')
    #                         = (d - t) (d - t') / (n n')  up to min(t + n, t' + n')
    #                         = (d - t) / n                up to max(t + n, t' + n')
    #                         = 1                          beyond,
    # where t and n in the third line are those of the group that ends later.
    begin, last = np.maximum(above, above_2), np.maximum(end, end_2)
    middle = np.maximum(np.minimum(end, end_2), begin)
    above_later = np.where(end >= end_2, above, above_2)
    size_later = np.where(end >= end_2, size, size_2)

    zero = np.zeros(len(group))
    both = size * size_2
    quadratic = above * above_2 / both, -(above + above_2) / both, 1 / both
    linear = -above_later / size_later, 1 / size_later, zero
    constant = zero + 1, zero, zero

    place = np.concatenate([begin, middle, last])
    query = np.tile(query, 3)
    reached = place <= depth[query]
    cell = (starts[query] + place)[reached]
    changes = []
    for of_both, of_one, of_none in zip(quadratic, linear, constant, strict=True):
        change = np.concatenate([of_both, of_one - of_both, of_none - of_one])
        change = np.bincount(cell, change[reached], minlength=n_cells)
        # bincount returns integers for empty weights.
        changes.append(change.astype(np.float64, copy=False))
    return changes


# Metrics of two lists of a query: the documents that were returned, by score, and the
# relevant ones, by grade.


def _overlap_of_lists(ranking, *, k):
    by_score = np.repeat(ranking.mean_over_places(np.ones_like, k), ranking.relevant)
    by_grade = ranking.ideal.mean_over_places(np.ones_like, k)[ranking.group_in_ideal]
    query, n_queries = ranking.query_of_grade, ranking.n_queries
    return np.bincount(query, by_score * by_grade, n_queries) / k


def _jaccard_of_lists(ranking, *, k):
    parts, sizes, n_queries = [], [], ranking.n_queries
    for one in (ranking, ranking.ideal):
        # 2 for tie groups in the top k, 1 for those that rank k divides, 0 below.
        parts.append(1 * (one.above < k) + (one.above + one.size <= k))
        sizes += [one.total(n * (parts[-1] == 1)) for n in (k - one.above, one.size)]
    part = 3 * np.repeat(parts[0], ranking.relevant) + parts[1][ranking.group_in_ideal]
    counts = np.bincount(9 * ranking.query_of_grade + part, minlength=9 * n_queries)
    shared, y, y_2, z = counts.reshape(n_queries, 9)[:, [8, 7, 5, 4]].T
    total = np.minimum(ranking.n_documents, k) + np.minimum(ranking.n_relevant, k)
    value = shared / np.maximum(total - shared, 1)
    known = np.array([total, shared, y, y_2, z, *sizes], dtype=np.intp)
    widths = (1 + known[[5, 7]].max(axis=0)) * (y + y_2 + z > 0)
    # Blocks of one width, since sums of padded rows would be rounded differently.
    for width in np.unique(widths[widths > 0]):
        (rows,) = (widths == width).nonzero()
        for some, _ in split_by_width(np.full(len(rows), width**2)):
            block = rows[some]
            value[block] = _expected_jaccard(np.arange(width), known[:, block])
    return value


def _expected_jaccard(i, known):
    """Return the expectation over the orders of the tie groups that rank k divides.

    Of a group of n documents, m are in the top k. Of the documents in both lists,
    `shared` are in both top k in any order, y in the first top k and in the group of
    the second list, y_2 the other way round, and z in both groups.
    """
    total, shared, y, y_2, z, m, n, m_2, n_2 = known[..., np.newaxis, np.newaxis]
    # The first top k has u of y', s of z and m - u - s other documents of its group.
    # Of its y + s documents in the group of the second list, h are in both top k:
    #     P(u, s) ~ C(y', u) C(z, s) C(n - y' - z, m - u - s),
    #     P(h | s) ~ C(m', h) C(n' - m', y + s - h), and shared + u + h are in both.
    u = h = i[:, np.newaxis]
    p = _log_binomials(y_2, u) + _log_binomials(z, i)
    p = softmax(p + _log_binomials(n - y_2 - z, m - u - i), axis=(1, 2))
    q = _log_binomials(m_2, h) + _log_binomials(n_2 - m_2, y + np.minimum(i, z) - h)
    x = shared + u + i
    x = x / np.maximum(total - x, 1) @ softmax(q, axis=1)
    return np.sum(p * x, axis=(1, 2))


@np.errstate(divide="ignore")  # log 0 for j > n
def _log_binomials(n, j):
    """Return log C(n, j), -inf for j < 0, for n of shape (n_queries, 1, 1)."""
    factor = np.arange(1, j.max() + 1)  # log factorials would lose digits
    logs = np.log(np.maximum(n[:, 0] + 1 - factor, 0) / factor)
    logs = np.pad(logs.cumsum(axis=1), ((0, 0), (1, 0)))
    row = np.arange(len(n))[:, np.newaxis, np.newaxis]
    return np.where(j < 0, -np.inf, logs[row, np.maximum(j, 0)])


def _rbo_of_lists(ranking, *, p, form="extrapolated"):
    """Return RBO, or the least or the most that it can be if both lists go on."""
    check_number(p, "p", "rbo", low=0.0, high=1.0, ends="()")
    if form == "extrapolated":
        return _extrapolated_overlap(ranking, ranking.n_relevant, p)
    # RBO_min = (1 - p) sum_d p^(d - 1) X_d / d, with X_d = X_n for d > n.
    # RBO_res = p^s + p^n - p^f - (1 - p) / p (s sum_{s < d <= f} p^d / d
    #     + n sum_{n < d <= f} p^d / d + X_n sum_{d > f} p^d / d), f = s + n - X_n
    # (Webber, Moffat and Zobel, 2010, equation 30).
    s, n = np.sort([ranking.n_documents, ranking.n_relevant], axis=0)
    shared = ranking.n_found  # in any order of ties
    f = s + n - shared
    d = np.arange(1, f.max(initial=0) + 1)
    up_to = np.cumsum((1 - p) * p ** (d - 1.0) / d, dtype=np.longdouble)
    up_to = np.append(0, up_to).astype(np.float64)
    to_s, to_n, to_f = (up_to[depth] for depth in (s, n, f))
    to_end = (p - 1) / p * np.log1p(-p)
    least, _ = sum_over_depths(ranking, ranking.n_relevant, p, extrapolated=False)
    least += shared * (to_end - to_n)
    residual = p**s + p**n - p**f - s * (to_f - to_s) - n * (to_f - to_n)
    most = least + residual - shared * (to_end - to_f)
    return least if form == "least" else np.minimum(most, 1)


def _where_listed(definition, ranking, **own):
    """Return the values of a definition, undefined where both lists are empty."""
    is_listed = ranking.n_documents + ranking.n_relevant > 0
    return np.where(is_listed, definition(ranking, **own), np.nan)


# Those of :func:`skrank.tables.compare_lists`, by name. `k` or `p` is their parameter.
_FIXED = DEFAULTS | OF_EVALUATE | {"replace_undefined_by": np.nan}
LIST_METRICS = {
    name: Metric(
        name, partial(_where_listed, of), None, _FIXED | own, cutoff, fixed=_FIXED
    )
    for name, of, cutoff, own in (
        ("rbo", _rbo_of_lists, "never", {"p": 0.9}),
        ("rbo_min", partial(_rbo_of_lists, form="least"), "never", {"p": 0.9}),
        ("rbo_max", partial(_rbo_of_lists, form="most"), "never", {"p": 0.9}),
        ("overlap", _overlap_of_lists, "required", {}),
        ("jaccard", _jaccard_of_lists, "required", {}),
    )
}
