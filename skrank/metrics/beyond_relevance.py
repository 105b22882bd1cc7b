"""Metrics of columns: popularity, surprise and diversity of the top of each list."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from skrank._engine.answer import ranking_metric
from skrank._engine.columns import numbers
from skrank._input.checks import check_choice, check_count, shown


def mean_of_column(ranking, values, k):
    """Return the mean over the list of each query of ``values(top)``; NaN of none."""
    top = ranking.documents(k)
    values = values(top) * top.mean_over_places(np.ones_like)
    # Tied documents come in any order, which must not matter to the last bit.
    order = np.lexsort((values, top.above, top.query))
    total = np.bincount(top.query[order], values[order], ranking.n_queries)
    return np.where(top.length > 0, total / np.maximum(top.length, 1), np.nan)


@ranking_metric(
    "popularity",
    columns=("popularity",),
    reads_grades=False,
    greater_is_better=False,
    limits=(0.0, np.inf),
)
def popularity_score(ranking, *, k=None):
    r"""Mean popularity of the documents of a list (ARP@k).

    A ranker that recommends to everybody what everybody knows has a high one. Smaller
    is less popular, so the scorer name is "neg_popularity".

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more, in the unit of `popularity`.

    See Also
    --------
    novelty_score : Counts how much a popular document surprises, in bits.
    group_share_score : The share of the list that belongs to a group.

    Notes
    -----
    With the popularity :math:`p_i` of the document at rank i, of a list of length
    :math:`n = \min(k, \text{number of documents})`,

    .. math:: ARP@k = \frac{1}{n} \sum_{i=1}^{n} p_i

    is the average recommendation popularity [1]_. Grades are not read: `y_true` may be
    None. Under ties the value is the exact expectation: a document counts with the
    probability that it is in the list.

    References
    ----------
    .. [1] H. Yin, B. Cui, J. Li, J. Yao and C. Chen, "Challenging the Long Tail
       Recommendation", VLDB 2012.

    Examples
    --------
    >>> from skrank.metrics import popularity_score
    >>> popularity_score(None, [3, 2, 1], popularity=[90, 10, 20], k=2)
    50.0
    >>> popularity_score(None, [3, 1, 1], popularity=[90, 10, 20], k=2)
    52.5
    """
    return mean_of_column(ranking, lambda top: top.column("popularity"), k)


def _surprise(top):
    """Return -log2 of the popularity of each document, a share of users."""
    share = top.column("popularity")
    is_share = (share > 0) & (share <= 1)
    if not is_share.all():
        raise ValueError(
            "For 'novelty' the column 'popularity' must hold shares above 0 and at "
            "most 1, such as the share of users who know an item. Got "
            f"{shown(float(share[~is_share][0]))}."
        )
    return -np.log2(share)


@ranking_metric(
    "novelty", columns=("popularity",), reads_grades=False, limits=(0.0, np.inf)
)
def novelty_score(ranking, *, k=None):
    r"""Mean surprise of the documents of a list, in bits (MIUF@k).

    A document that half of all users know counts 1, one that every thousandth knows
    counts 10. Larger is more novel.

    Parameters
    ----------
    popularity : array-like of shape (n_samples,) or ItemColumn
        The share of users who know the document of each row, above 0 and at most 1. It
        is read of the documents of the top `k` alone.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more.

    See Also
    --------
    popularity_score : The mean popularity itself.

    Notes
    -----
    With the share :math:`p_i` of users who know the document at rank i, of a list of
    length :math:`n = \min(k, \text{number of documents})`,

    .. math:: MIUF@k = - \frac{1}{n} \sum_{i=1}^{n} \log_2 p_i

    is the mean inverse user frequency [1]_. A document that nobody knows has no finite
    surprise: give it a share above 0, such as that of half a user. Grades are not read:
    `y_true` may be None. Under ties the value is the exact expectation.

    References
    ----------
    .. [1] T. Zhou, Z. Kuscsik, J.-G. Liu, M. Medo, J. R. Wakeling and Y.-C. Zhang,
       "Solving the Apparent Diversity-Accuracy Dilemma of Recommender Systems", PNAS
       107 (2010).

    Examples
    --------
    >>> from skrank.metrics import novelty_score
    >>> novelty_score(None, [3, 2, 1], popularity=[0.5, 0.125, 1], k=2)
    2.0
    >>> novelty_score(None, [3, 1, 1], popularity=[0.5, 0.125, 1], k=2)
    1.25
    """
    return mean_of_column(ranking, _surprise, k)


@ranking_metric("group_share", columns=("group",), reads_grades=False)
def group_share_score(ranking, *, k=None):
    r"""Share of a list that belongs to a group of documents.

    The group may be items of the long tail (APLT@k), of a provider, or new ones. The
    scorer takes a larger share as better.

    Parameters
    ----------
    group : array-like of bool of shape (n_samples,) or ItemColumn
        Which documents belong to the group, or numbers from 0 to 1 that say how far, or
        what :func:`~skrank.metrics.of_items` returns. It is read of the documents of
        the top `k` alone.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1.

    See Also
    --------
    popularity_score : The mean of numbers instead of a share.

    Notes
    -----
    With :math:`g_i`, 1 if the document at rank i belongs to the group and 0 if not, of
    a list of length :math:`n = \min(k, \text{number of documents})`, it is

    .. math:: \frac{1}{n} \sum_{i=1}^{n} g_i.

    With the long tail as the group it is the average percentage of long-tail items
    [1]_. Grades are not read: `y_true` may be None. Under ties the value is the exact
    expectation.

    References
    ----------
    .. [1] H. Abdollahpouri, R. Burke and B. Mobasher, "Managing Popularity Bias in
       Recommender Systems with Personalized Re-ranking", FLAIRS 2019.

    Examples
    --------
    >>> from skrank.metrics import group_share_score
    >>> group_share_score(None, [3, 2, 1], group=[True, False, True], k=2)
    0.5
    >>> group_share_score(None, [3, 1, 1], group=[False, False, True], k=2)
    0.25
    """
    return mean_of_column(
        ranking, lambda top: numbers(top.column("group"), "group", low=0, high=1), k
    )


def _above_baseline(top, expected, n_items):
    """Return by how much the expectation of each document exceeds that of a baseline.

    Its mean over the places that the document may have in the list: those of the ranks
    a + 1, ..., b, in the first m of which 1 - (rank - 1) / n_items > expected.
    """
    a, n_places = top.above, top.size
    if top.k is not None:
        n_places = np.minimum(n_places, top.k - a)
    surplus = 1 - expected
    m = np.clip(np.ceil(n_items * surplus) - a, 0, n_places)
    # sum_{i=a+1}^{a+m} (surplus - (i - 1) / n_items)
    return m / n_places * (surplus - (a + (m - 1) / 2) / n_items)


@ranking_metric("serendipity", columns=("expected",))
def serendipity_score(ranking, *, k=None, n_items=None):
    r"""Share of a list that is relevant and was not expected (serendipity@k).

    A recommender whose surprises nobody wants has 0. Larger is better.

    Parameters
    ----------
    expected : array-like of shape (n_samples,) or ItemColumn
        How far the document of each row was expected, from 0 to 1: whether it is in the
        list of a baseline, or the share of users who know it. It is read of the
        documents of the top `k` alone.
    n_items : int, default=None
        The number of items of the catalogue, for a list whose lower ranks are expected
        less: the rank i counts 1 - (i - 1) / n_items less `expected`, or 0 if that is
        negative. If None, all ranks count 1 - `expected`.

    See Also
    --------
    novelty_score : Surprise without relevance, in bits.
    precision_at_k_score : Relevance without surprise.

    Notes
    -----
    With :math:`rel_i`, 1 if the document at rank i is relevant and 0 if not, and how
    far it was expected, :math:`e_i`, of a list of length
    :math:`n = \min(k, \text{number of documents})`,

    .. math:: serendipity@k = \frac{1}{n} \sum_{i=1}^{n} rel_i \, (1 - e_i).

    If :math:`e_i` is 1 for the list of a baseline, such as the most popular items, and
    0 for all else, it is the share of useful items that the baseline does not recommend
    [1]_. With the N items of `n_items` it is

    .. math:: \frac{1}{n} \sum_{i=1}^{n} rel_i \,
        \max\Bigl(1 - \frac{i - 1}{N} - e_i, \, 0\Bigr),

    how much more the ranker recommends an item than a baseline does [2]_. So does
    RecTools, with :math:`e_i = 1 - (r_i - 1) / N` for the dense rank :math:`r_i` of its
    popularity, and 0 for an unknown item. Under ties the value is the exact
    expectation. A query without a relevant document, or with an empty list, is
    undefined.

    References
    ----------
    .. [1] M. Ge, C. Delgado-Battenfeld and D. Jannach, "Beyond Accuracy: Evaluating
       Recommender Systems by Coverage and Serendipity", RecSys 2010.
    .. [2] T. Murakami, K. Mori and R. Orihara, "Metrics for Evaluating the Serendipity
       of Recommendation Lists", JSAI 2007.

    Examples
    --------
    >>> from skrank.metrics import serendipity_score
    >>> is_popular = [True, False, False]
    >>> serendipity_score([1, 1, 0], [3, 2, 1], expected=is_popular, k=2)
    0.5
    >>> share = [0.9, 0.5, 0.1]  # of users who know an item
    >>> serendipity_score([1, 1, 0], [3, 2, 1], expected=share, k=2)  # (.1 + .5) / 2
    0.3
    >>> serendipity_score([1, 1, 0], [3, 2, 1], expected=share, k=2, n_items=10)
    0.25
    """
    if n_items is not None:
        n_items = check_count(n_items, "n_items")

    def values(top):
        expected = top.column("expected")
        if n_items is None:
            return top.relevant * (1 - expected)
        return top.relevant * _above_baseline(top, expected, n_items)

    return ranking.where_relevant(mean_of_column(ranking, values, k))


def _in_one_order(features, *others):
    """Return arrays of documents in an order of their features within a query.

    So no sum depends on the order of the rows, to the last bit.
    """
    weights = np.cos(np.arange(1, features.shape[1] + 1))
    order = np.lexsort((np.einsum("ij,j->i", features, weights), others[0]))
    return [values[order] for values in (features, *others)]


def _cosine_sums(features, query, is_sure, n, distance):
    """Return the sums of the distances of ordered pairs of documents of each query.

    Those of two sure documents, of a sure and a tied one, and of two tied ones. With
    unit vectors x the sum of all x_i x_j, i != j, is that of x squared less the sum of
    all x_i^2, so no pair is looked at.
    """
    size = np.abs(features).max(axis=1, initial=0)
    if not ((size == 0) | ((size > 1e-100) & (size < 1e100))).all():
        # Their squares would overflow or vanish; a power of 2 loses no digit.
        features = np.ldexp(features, -np.frexp(size)[1][:, np.newaxis])
    squared = np.einsum("ij,ij->i", features, features)
    one_over = np.zeros_like(squared)
    np.divide(1, np.sqrt(squared), out=one_over, where=squared > 0)
    part = 2 * query + ~is_sure  # sure documents of a query come first
    count = np.bincount(part, minlength=2 * n)
    order = np.argsort(part, kind="stable")
    # A sparse matrix adds up unit vectors without a copy of the features.
    ends = np.concatenate([[0], np.cumsum(count)])
    adds = sparse.csr_matrix((one_over[order], order, ends), (2 * n, len(part)))
    sums = adds @ features
    # Of unit vectors, so that documents without features count 0.
    squares = np.bincount(part, one_over > 0, 2 * n)
    alike = np.einsum("ij,ij->i", sums, sums) - squares
    apart = _but_for_rounding(count * (count - 1.0), alike)
    alike = np.einsum("ij,ij->i", sums[::2], sums[1::2])
    between = _but_for_rounding(1.0 * count[::2] * count[1::2], alike)
    return apart[::2], between, apart[1::2]


def _but_for_rounding(n_pairs, alike):
    """Return the distances of pairs, 0 where only rounding sets them apart."""
    apart = n_pairs - alike
    return np.where(apart > 8 * np.finfo(float).eps * n_pairs, apart, 0.0)


def _pairwise_sums(features, query, is_sure, n, distance):
    """Do so for any distance, query by query."""
    if not callable(distance):
        choices = ("cosine", "jaccard", "euclidean")
        check_choice(distance, choices, "distance", "ild_score")
    sums = np.zeros((3, n))
    ends = np.searchsorted(query, np.arange(n + 1))
    for i in np.flatnonzero(np.diff(ends) > 1):
        of_query = slice(ends[i], ends[i + 1])
        sure, x = is_sure[of_query], features[of_query]
        if callable(distance):
            apart = np.asarray(distance(x), dtype=np.float64)
            if apart.shape != (len(x), len(x)):
                raise ValueError(
                    "The 'distance' parameter of ild_score must map n documents to the "
                    f"distances of all pairs, of shape ({len(x)}, {len(x)}). Got shape "
                    f"{apart.shape}."
                )
            np.fill_diagonal(apart, 0)
            if not (apart >= 0).all():
                least = apart[~(apart >= 0)][0]
                raise ValueError(
                    "The 'distance' parameter of ild_score must return distances, 0 or "
                    f"more. Got {least:g}: NaN is, for example, the correlation "
                    "distance of a document whose features are all equal."
                )
        else:
            apart = squareform(pdist(x != 0 if distance == "jaccard" else x, distance))
        np.fill_diagonal(apart, 0)
        sums[:, i] = (
            apart[np.ix_(sure, sure)].sum(),
            apart[np.ix_(sure, ~sure)].sum(),
            apart[np.ix_(~sure, ~sure)].sum(),
        )
    return sums


@ranking_metric("ild", columns=("features",), reads_grades=False, limits=(0.0, np.inf))
def ild_score(ranking, *, k=None, distance="cosine"):
    r"""Mean distance of two documents of a list: its diversity (ILD@k).

    Larger is more diverse.

    Parameters
    ----------
    distance : {"cosine", "jaccard", "euclidean"} or callable, default="cosine"
        The distance of two documents. "jaccard" reads features other than 0 as those
        that a document has. A callable maps an array of shape (n, n_features) to the
        distances of all pairs, of shape (n, n), as those of
        ``sklearn.metrics.pairwise`` do.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more; at most 1 with "jaccard", and at most 2 with "cosine".

    See Also
    --------
    novelty_score : How unknown the documents are.

    Notes
    -----
    With the distance :math:`d_{ij}` of the documents at ranks i and j, of a list of
    length :math:`n = \min(k, \text{number of documents})`, the intra-list distance is
    [1]_

    .. math:: ILD@k = \frac{1}{n (n - 1)} \sum_{i \ne j} d_{ij}.

    The intra-list similarity, summed over the same pairs, is its counterpart. A list of
    one document is undefined. A document without features has the cosine distance 1
    from all others. Grades are not read: `y_true` may be None. Under ties the value is
    the exact expectation: if s of m tied documents are in the list, one of them is with
    probability s / m, and two with s (s - 1) / (m (m - 1)).

    References
    ----------
    .. [1] C.-N. Ziegler, S. M. McNee, J. A. Konstan and G. Lausen, "Improving
       Recommendation Lists Through Topic Diversification", WWW 2005.

    Examples
    --------
    >>> from skrank.metrics import ild_score
    >>> features = [[1, 0], [1, 0], [0, 1]]
    >>> ild_score(None, [3, 2, 1], features=features)
    0.6666666666666666
    >>> ild_score(None, [3, 2, 1], features=features, k=2)
    0.0
    >>> ild_score(None, [3, 1, 1], features=features, k=2)
    0.5
    """
    top = ranking.documents(k)
    probability = top.mean_over_places(np.ones_like)
    # Of a list, the documents that are in it for sure, and m tied ones: s of them are.
    is_sure, n = probability == 1, ranking.n_queries
    m = np.bincount(top.query[~is_sure], minlength=n)
    s = top.length - np.bincount(top.query[is_sure], minlength=n)
    one = s / np.maximum(m, 1)  # of the tied documents is in the list, and two are
    two = one * (s - 1) / np.maximum(m - 1, 1)
    is_cosine = isinstance(distance, str) and distance == "cosine"
    sums = _cosine_sums if is_cosine else _pairwise_sums
    given = _in_one_order(top.column("features"), top.query, is_sure)
    sure, both, tied = sums(*given, n, distance)
    n_pairs = top.length * (top.length - 1.0)
    total = sure + 2 * one * both + two * tied
    return np.where(n_pairs > 0, total / np.maximum(n_pairs, 1), np.nan)
