"""Metrics of items whose relevance is labelled, or clicked, by chance."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import Any

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._input.checks import check_choice, check_number, numeric_array, shown
from skrank._input.frames import index_of
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


def inverse_sum(ranking, k, weight, clip, unit, caller, *, is_best=False):
    """Return the weighted sum of 1 / propensity of each query, divided by a unit.

    Over the relevant documents of the list, or with `is_best` of the best list. If
    `unit` is None, it is the sum of the best list.
    """
    clip = check_number(clip, "clip", caller, low=0, high=1)
    rows, n = ranking.rows, ranking.n_queries
    (found,) = np.nonzero(rows.relevant)
    propensity = ranking.columns["propensity"].take(rows.row[found])
    inverse = 1 / np.maximum(propensity, clip)
    if is_best or unit is None:
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
    return np.bincount(top.query[order], terms[order], n) / unit


def all_inverse(ranking, clip, caller):
    """Return the sum of 1 / propensity over all relevant documents of each query."""
    return inverse_sum(ranking, None, np.ones_like, clip, 1.0, caller, is_best=True)


def best_precision(ranking, *, k=None, normalize="query", clip=0.0):
    """Return what the sum of each query is relative to, with a ratio of two sums."""
    if normalize == "self":
        return all_inverse(ranking, clip, "psp_score")
    return inverse_sum(ranking, k, np.ones_like, clip, 1.0, "psp_score", is_best=True)


@ranking_metric("psp", best=best_precision, columns=("propensity",), cutoff="required")
def psp_score(ranking, *, k, normalize="query", clip=0.0):
    r"""Propensity-scored precision (PSP@k).

    Rarely labelled items are often relevant without a label. Each relevant document of
    the list counts one over the probability that its relevance is labelled, relative to
    the best list. Larger is better.

    Parameters
    ----------
    normalize : {"query", "total", "k", "self"}, default="query"
        What the sum of each query is divided by: that of its best list; or, over all
        queries, the sum of all best lists, so that queries with rarer items count more;
        or `k`, which makes it an estimate of precision; or, over all queries, the sum
        over all relevant documents, which makes it an estimate of recall. With
        ``average=None`` all divide query by query.
    clip : float, default=0.0
        Propensities below it count as it, from 0 to 1: less variance, more bias.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1; 0 or more with ``normalize="k"``. The best value of the other
        choices is 1.0, if `k` is not below the number of relevant documents.

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
    is undefined; with ``normalize="total"`` and "self" it adds nothing to either sum,
    and with "k" it is 0. pyxclib and the Extreme Classification Repository divide the
    sums over all queries: ``convention="pyxclib"``.

    If grades are clicks and propensities the probabilities that a document is looked
    at, the mean with "k" is the inverse propensity estimate of precision [2]_.

    References
    ----------
    .. [1] Jain et al. (2016)
    .. [2] T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased Learning-to-Rank with
       Biased Feedback", WSDM 2017.

    Examples
    --------
    >>> from skrank.metrics import psp_score
    >>> psp_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], k=2)  # 2 / (2 + 4)
    0.33...
    >>> psp_score([1, 0, 1], [1, 1, 1], propensity=[0.5, 1, 0.25], k=1)  # 2 / 4
    0.5
    >>> psp_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], k=2, normalize="k")
    1.0
    """
    caller = "psp_score"
    check_choice(normalize, ("query", "total", "k", "self"), "normalize", caller)
    unit = {"query": None, "k": k}.get(normalize, 1.0)
    value = inverse_sum(ranking, k, np.ones_like, clip, unit, caller)
    return value if normalize == "k" else ranking.where_relevant(value)


def best_ndcg(ranking, *, k=None, normalize="query", discount="log2", clip=0.0):
    """Return what the sum of each query is relative to, with a ratio of two sums."""
    if normalize == "self":
        return all_inverse(ranking, clip, "psndcg_score")
    return _ndcg(ranking, k, normalize, discount, clip, is_best=True)


def _ndcg(ranking, k, normalize, discount, clip, *, is_best=False):
    caller = "psndcg_score"
    discount = discount_function(discount, caller)
    unit = None if normalize == "query" else 1.0
    if normalize == "total":  # each sum is relative to that of equal propensities
        n_relevant = ranking.n_relevant
        n_ranks = n_relevant if k is None else np.minimum(n_relevant, k)
        up_to = np.cumsum(discount(np.arange(1, n_ranks.max(initial=0) + 1)))
        unit = np.append(1.0, up_to)[n_ranks]
    return inverse_sum(ranking, k, discount, clip, unit, caller, is_best=is_best)


@ranking_metric("psndcg", best=best_ndcg, columns=("propensity",))
def psndcg_score(ranking, *, k=None, normalize="query", discount="log2", clip=0.0):
    r"""Propensity-scored NDCG (PSnDCG@k).

    Each relevant document of the list counts one over the probability that its
    relevance is labelled, discounted by its rank, relative to the best list. Larger is
    better.

    Parameters
    ----------
    normalize : {"query", "total", "self"} or None, default="query"
        What the sum of each query is divided by: that of its best list; or, over all
        queries, the sum of all best lists, each of them relative to the IDCG of its
        query; or, over all queries, the sum of :math:`1 / p_i` over all relevant
        documents, which makes it an estimate of the mean discount of a relevant
        document. None does not divide, which makes it an estimate of DCG. With
        ``average=None`` all divide query by query.
    clip : float, default=0.0
        Propensities below it count as it, from 0 to 1: less variance, more bias.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1; 0 or more with ``normalize=None``. The best value with
        ``"query"`` and ``"total"`` is 1.0.

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
    is undefined; with ``normalize="total"`` and "self" it adds nothing to either sum,
    and with None it is 0. With "total" the sums of a query are divided by
    :math:`\sum_{i=1}^{\min(k, R)} 1 / \log_2(i + 1)` with the number R of its relevant
    documents, as in pyxclib: ``convention="pyxclib"``.

    If grades are clicks and propensities the probabilities that a document is looked
    at, the mean with None is the inverse propensity estimate of DCG [2]_, and with
    ``discount="reciprocal"`` that of the reciprocal rank, if one document of each query
    is relevant. The latter with "self" is the weighted MRR of [3]_.

    References
    ----------
    .. [1] Jain et al. (2016)
    .. [2] T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased Learning-to-Rank with
       Biased Feedback", WSDM 2017.
    .. [3] X. Wang, M. Bendersky, D. Metzler and M. Najork, "Learning to Rank with
       Selection Bias in Personal Search", SIGIR 2016.

    Examples
    --------
    >>> from skrank.metrics import psndcg_score
    >>> psndcg_score([0, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25])
    0.5
    >>> psndcg_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], k=1)  # 2 / 4
    0.5
    >>> psndcg_score([1, 0, 1], [3, 2, 1], propensity=[0.5, 1, 0.25], normalize=None)
    4.0
    """
    choices = ("query", "total", None, "self")
    check_choice(normalize, choices, "normalize", "psndcg_score")
    value = _ndcg(ranking, k, normalize, discount, clip)
    return value if normalize is None else ranking.where_relevant(value)
