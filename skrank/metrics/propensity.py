"""Metrics of items whose relevance is labelled with unequal probabilities."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import Any

import numpy as np

from skrank._checks import check_choice, check_number, numeric_array, shown
from skrank._columns import index_of
from skrank._engine.answer import ranking_metric
from skrank.metrics.gains import discount_function


def inverse_propensities(
    counts: Any, n_queries: int, *, a: float = 0.55, b: float = 1.5
) -> Any:
    r"""Estimate one over the propensity of items from how often they are labelled.

    The propensity of an item is the probability that it is labelled as relevant where
    it is. Popular items have a larger one: nobody labels what nobody sees.

    Parameters
    ----------
    counts : array-like of shape (n_items,)
        For how many queries each item is labelled as relevant, in the training data.
    n_queries : int
        The number of these queries, 3 or more.
    a : float, default=0.55
        A parameter of the model, 0 or more. Its source has 0.5 for Wikipedia and 0.6
        for Amazon.
    b : float, default=1.5
        A parameter of the model, above 0. Its source has 0.4 for Wikipedia and 2.6 for
        Amazon.

    Returns
    -------
    inverse : ndarray or Series of shape (n_items,)
        1 or more. A Series of pandas keeps its index.

    Raises
    ------
    ValueError
        If a count is below 0 or above `n_queries`, or a parameter has an invalid value.

    See Also
    --------
    psp_score : Reads propensities, one over what this function returns.

    Notes
    -----
    With the number :math:`N_i` of the N queries for which the item is labelled as
    relevant, [1]_

    .. math:: 1 / p_i = 1 + (\ln N - 1) (b + 1)^a (N_i + b)^{-a}.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu and M. Varma, "Extreme Multi-label Loss Functions for
       Recommendation, Tagging, Ranking & Other Missing Label Applications", KDD 2016.

    Examples
    --------
    >>> from skrank.metrics import inverse_propensities
    >>> inverse_propensities([1, 10, 100], 1000)
    array([6.90..., 3.55..., 1.77...])
    """
    caller = "inverse_propensities"
    n_queries = check_number(n_queries, "n_queries", caller, low=3)
    a = check_number(a, "a", caller, low=0)
    b = check_number(b, "b", caller, low=0)
    if b == 0:
        raise ValueError(
            f"The 'b' parameter of {caller} must be a float above 0. Got 0.0 instead."
        )
    values = numeric_array(counts, "counts")
    is_count = (values >= 0) & (values <= n_queries)
    if not is_count.all():
        raise ValueError(
            f"The 'counts' parameter of {caller} must hold numbers from 0 to "
            f"n_queries={n_queries:g}. Got {shown(float(values[~is_count][0]))}."
        )
    counts = values.astype(np.float64) if index_of(counts) is None else counts
    return 1 + (np.log(n_queries) - 1) * (b + 1) ** a * (counts + b) ** -a


def inverse_sum(ranking, k, weight, normalize, caller, unit=1.0, *, is_best=False):
    """Return the weighted sum of 1 / propensity of each query, divided by a unit.

    Over the relevant documents of the list, or with `is_best` of the best list. With
    ``normalize="query"`` the sum of the best list is the unit.
    """
    check_choice(normalize, ("query", "total"), "normalize", caller)
    rows, n = ranking.rows, ranking.n_queries
    (found,) = np.nonzero(rows.relevant)
    inverse = 1 / ranking.columns["propensity"].take(rows.row[found])
    if is_best or normalize == "query":
        order = np.lexsort((-inverse, rows.query[found]))
        query = rows.query[found][order]
        rank = np.arange(1, len(query) + 1) - np.searchsorted(query, query)
        weights = weight(rank) if k is None else np.where(rank <= k, weight(rank), 0.0)
        best = np.bincount(query, inverse[order] * weights, n)
        if is_best:
            return ranking.where_relevant(best / unit)
        unit = np.where(ranking.n_relevant > 0, best, 1)
    top, of_row = ranking.documents(k), np.zeros(len(rows.row))
    of_row[found] = inverse
    terms = of_row[top.place] * top.mean_over_places(weight)
    # Tied documents come in any order, which must not matter to the last bit.
    order = np.lexsort((terms, top.above, top.query))
    total = np.bincount(top.query[order], terms[order], n)
    return ranking.where_relevant(total / unit)


def best_precision(ranking, *, k=None, normalize="query"):
    """Return the largest sum of 1 / propensity that a list can have."""
    return inverse_sum(ranking, k, np.ones_like, normalize, "psp_score", is_best=True)


@ranking_metric("psp", best=best_precision, columns=("propensity",), cutoff="required")
def psp_score(ranking, *, k, normalize="query"):
    r"""Propensity-scored precision (PSP@k).

    Rarely labelled items are often relevant without a label. Each relevant document of
    the list counts one over the probability that its relevance is labelled, relative to
    the best list. Larger is better.

    Parameters
    ----------
    normalize : {"query", "total"}, default="query"
        Whether the sum of each query is divided by that of its best list, or the sum
        over all queries by that of all best lists, so that queries with rarer items
        count more. With ``average=None`` both divide query by query.

    See Also
    --------
    psndcg_score : Discounts ranks.
    inverse_propensities : Estimates propensities from counts.
    precision_at_k_score : All relevant documents count the same.

    Notes
    -----
    With the propensity :math:`p_i` of the document at rank i, and :math:`rel_i`, 1 if
    it is relevant and 0 if not, [1]_

    .. math:: PSP@k = \sum_{i=1}^{k} \frac{rel_i}{p_i} \, \Big/ \,
        \max_{\text{orderings}} \sum_{i=1}^{k} \frac{rel_i}{p_i}.

    Under ties the value is the exact expectation. A query without a relevant document
    is undefined; with ``normalize="total"`` it adds nothing to either sum. pyxclib and
    the Extreme Classification Repository divide the sums over all queries:
    ``convention="pyxclib"``.

    References
    ----------
    .. [1] Jain et al. (2016)

    Examples
    --------
    >>> from skrank.metrics import psp_score
    >>> psp_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], k=2)  # 2 / (2 + 4)
    0.33...
    >>> psp_score([1, 0, 1], [1, 1, 1], propensity=[0.5, 1, 0.25], k=1)  # 2 / 4
    0.5
    """
    return inverse_sum(ranking, k, np.ones_like, normalize, "psp_score")


def best_ndcg(ranking, *, k=None, normalize="query"):
    """Return the largest discounted sum of 1 / propensity that a list can have."""
    return _ndcg(ranking, k, normalize, is_best=True)


def _ndcg(ranking, k, normalize, *, is_best=False):
    discount, unit = discount_function("log2"), 1.0
    if normalize == "total":  # each sum is relative to that of equal propensities
        n_relevant = ranking.n_relevant
        n_ranks = n_relevant if k is None else np.minimum(n_relevant, k)
        up_to = np.cumsum(discount(np.arange(1, n_ranks.max(initial=0) + 1)))
        unit = np.append(1.0, up_to)[n_ranks]
    caller = "psndcg_score"
    return inverse_sum(ranking, k, discount, normalize, caller, unit, is_best=is_best)


@ranking_metric("psndcg", best=best_ndcg, columns=("propensity",))
def psndcg_score(ranking, *, k=None, normalize="query"):
    r"""Propensity-scored NDCG (PSnDCG@k).

    Each relevant document of the list counts one over the probability that its
    relevance is labelled, discounted by its rank, relative to the best list. Larger is
    better.

    Parameters
    ----------
    normalize : {"query", "total"}, default="query"
        Whether the sum of each query is divided by that of its best list, or the sum
        over all queries by that of all best lists, each of them relative to the IDCG of
        its query. With ``average=None`` both divide query by query.

    See Also
    --------
    psp_score : Without a discount.
    inverse_propensities : Estimates propensities from counts.
    ndcg_score : All documents of a grade count the same.

    Notes
    -----
    With the propensity :math:`p_i` of the document at rank i, and :math:`rel_i`, 1 if
    it is relevant and 0 if not, [1]_

    .. math:: PSnDCG@k = \sum_{i=1}^{k} \frac{rel_i}{p_i \log_2(i + 1)} \, \Big/ \,
        \max_{\text{orderings}} \sum_{i=1}^{k} \frac{rel_i}{p_i \log_2(i + 1)}.

    Under ties the value is the exact expectation. A query without a relevant document
    is undefined; with ``normalize="total"`` it adds nothing to either sum. There the
    sums of a query are divided by :math:`\sum_{i=1}^{\min(k, R)} 1 / \log_2(i + 1)`
    with the number R of its relevant documents, as in pyxclib:
    ``convention="pyxclib"``.

    References
    ----------
    .. [1] Jain et al. (2016)

    Examples
    --------
    >>> from skrank.metrics import psndcg_score
    >>> psndcg_score([0, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25])
    0.5
    >>> psndcg_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], k=1)  # 2 / 4
    0.5
    """
    return _ndcg(ranking, k, normalize)
