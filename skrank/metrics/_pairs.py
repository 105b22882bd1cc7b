"""Pairs of documents of different grades, counted without listing them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_choice
from skrank._ranking.expectation import sum_over_places
from skrank._ranking.neighbours import spans
from skrank.metrics._gains import check_gain, discount_function, gains

WEIGHTS = ("uniform", "gain", "discount")


def pair_agreement(ranking, weights, gain, discount):
    """Return the summed weights of concordant pairs, and of all pairs, of each query.

    Over the pairs of documents u and v of a query with grades g_u > g_v, the sums

        won = sum w_uv ([s_u > s_v] + [s_u = s_v] / 2),  total = sum w_uv.

    At least one document of each pair is relevant, since the grades differ.

    Returns
    -------
    won, total : ndarray of shape (n_queries,)
        The two sums.
    """
    check_gain(gain)
    discount = discount_function(discount)
    if callable(weights):
        return _listed_pairs(ranking, weights)
    check_choice(weights, WEIGHTS, "weights", "rank_correlation")
    if weights == "uniform":
        value, base = None, None
    elif weights == "gain":
        # Differences of linear gains need no 0, if no grade stands for the lower ones.
        is_plain = (
            gain == "linear" and (ranking.n_relevant == ranking.n_documents).all()
        )
        value = ranking.grade if is_plain else gains(ranking, gain)
        base = np.zeros(ranking.n_queries)
    else:
        value, base = _mean_discounts(ranking, discount)
    won, total = _relevant_pairs(ranking, value)
    # Pairs of a relevant and a non-relevant document.
    weight = np.ones(len(ranking.grade)) if value is None else value
    if base is not None:
        weight = weight - base[ranking._query_of_grade]
    weight = ranking.grade_total(weight)
    others = (ranking.n_documents - ranking.n_relevant)[ranking.query]
    won += ranking.total(weight * ranking._others_below)
    total += ranking.total(weight * others)
    return won, total


def _mean_discounts(ranking, discount):
    """Return the mean discount of each grade in the ideal ranking of its query.

    One value per relevant document, and one per query for its non-relevant documents.
    """
    n_others = ranking.n_documents - ranking.n_relevant
    base = sum_over_places(discount, ranking.n_relevant, ranking.n_documents)
    shared = ranking.ideal.mean_over_places(discount)
    return shared[ranking._group_in_ideal], base / np.maximum(n_others, 1)


def _relevant_pairs(ranking, value):
    """Return both sums over pairs of relevant documents, O(n) per bit of the codes.

    The grades are coded as integers. The codes of two different grades agree in their
    highest bits, then differ first in one bit, where the higher grade has a 1. For each
    bit, from the highest, the documents that agree in all higher bits form a group, and
    the pairs to count are those of a "one" u and a "zero" v of the same group. For each
    zero v, with w_uv = value_u - value_v (or 1), cumulative sums give

        won_v = sum_u w_uv [u above v] + sum_u w_uv [u tied with v] / 2.
    """
    won, total = np.zeros(ranking.n_queries), np.zeros(ranking.n_queries)
    levels, code = ranking._grade_codes
    query = ranking._query_of_grade
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
    levels, code = ranking._grade_codes
    query = ranking._query_of_grade
    weight = np.zeros(len(levels))
    others = ranking.n_documents - ranking.n_relevant
    occurring = np.unique(code[others[query] > 0])
    high = levels[occurring]
    weight[occurring] = _checked(weights(high, np.zeros_like(high)))
    weight = ranking.grade_total(weight[code])
    won = ranking.total(weight * ranking._others_below)
    total = ranking.total(weight * others[ranking.query])

    group = np.repeat(np.arange(len(ranking.query)), ranking.relevant)
    start, stop = spans(query)
    tie_start, tie_stop = spans(query, group)
    # The grades of each query by rank, the highest one being 0.
    ideal = ranking.ideal
    place = np.arange(len(ideal.query)) - spans(ideal.query)[0]
    nth = place[ranking._group_in_ideal]
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
        weight = _checked(weights(levels[high], levels[low]))[which]
        for sums, counts in ((won, above), (total, in_query)):
            weighted = weight * counts[lower]
            sums += np.bincount(query[lower], weighted, minlength=ranking.n_queries)
    return won, total


def _checked(weight):
    weight = np.asarray(weight, dtype=np.float64)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(
            "The 'weights' parameter must be a callable that returns finite numbers "
            ">= 0. Got NaN, infinity or a negative weight."
        )
    return weight
