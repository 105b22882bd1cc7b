"""Metrics of subtopics: how much of what is asked the top of a list covers."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from types import SimpleNamespace

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._input.checks import check_choice, check_number
from skrank._ranking.arrays import TieGroups, lengths_of, split_by_width, starts_of
from skrank._ranking.ids import encode_qid
from skrank._ranking.queries import RankedQueries
from skrank.metrics.average_precision import map_score
from skrank.metrics.gains import discount_function
from skrank.metrics.top_k import precision_at_k_score


class Subtopics:
    """The subtopics of the documents of each query, returned or not.

    A subtopic that two queries share is one of each. `query` is the query of each
    subtopic, ascending, and `n_relevant` the number of documents on it; `count` is the
    number of subtopics of each query that a document is on. `rows` are all documents of
    the queries: the subtopics of row i are those from ``starts[i]`` on in `of_row`.
    """

    def __init__(self, ranking):
        matrix, self.rows = ranking.columns["subtopics"].all(), ranking.rows
        if len(self.rows.row) < matrix.shape[0]:
            matrix = matrix[self.rows.row]
        self.starts, n_labels = matrix.indptr, matrix.shape[1]
        query = np.repeat(self.rows.query, np.diff(self.starts))
        known, self.of_row = encode_qid(query * n_labels + matrix.indices)
        self.query = known // max(n_labels, 1)
        self.count = np.bincount(self.query, minlength=ranking.n_queries)
        self.n_relevant = np.bincount(self.of_row, minlength=len(known))

    def ranking(self, top):
        """Return the ranking in which each subtopic of a query is a query of its own.

        Its relevant documents are those on the subtopic, and all documents of the query
        are ranked. So any metric has a version that is "intent aware": its mean over
        the subtopics.
        """
        # Each pair of a document and one of its subtopics; those of a query stand in
        # the order of rank.
        rows = top.place
        count = np.diff(self.starts)[rows]
        document = np.repeat(np.arange(len(rows)), count)
        first = self.starts[rows] - (np.cumsum(count) - count)
        subtopic = self.of_row[np.repeat(first, count) + np.arange(len(document))]
        order = np.argsort(subtopic, kind="stable")
        document, subtopic = document[order], subtopic[order]
        above, size = top.above[document], top.size[document]
        start = starts_of(subtopic * (int(above.max(initial=0)) + 1) + above)
        relevant = lengths_of(start, len(subtopic))
        groups = subtopic[start], above[start], size[start], relevant
        return RankedQueries(
            groups=TieGroups(*groups, np.ones(len(subtopic))),
            n_documents=top.ranking.n_documents[self.query],
            lists=SimpleNamespace(ids=np.arange(len(self.query)), whole=None),
            n_found=self.n_relevant,
        )

    def mean(self, values):
        """Return the mean over the subtopics of each query; NaN if it has none."""
        total = np.bincount(self.query, values, len(self.count))
        return np.where(self.count > 0, total, np.nan) / np.maximum(self.count, 1)

    def as_bits(self, rows):
        """Return the subtopics of all rows that have some as words of `BITS` bits each.

        They are numbered within their query, and the words of a row are a column.
        """
        first = (np.cumsum(self.count) - self.count)[self.query]
        number = (np.arange(len(first)) - first)[self.of_row]
        start, n_words = self.starts[rows], -(-int(self.count.max(initial=1)) // BITS)
        if n_words == 1:
            bits = np.left_shift(1, number, dtype=np.int32)
            return np.add.reduceat(bits, start, dtype=np.int32)[np.newaxis]
        bits = np.left_shift(1, number % BITS, dtype=np.int32)
        return np.stack(
            [
                np.add.reduceat(bits * (number // BITS == word), start, dtype=np.int32)
                for word in range(n_words)
            ]
        )


def by_subtopic(ranking, k=None):
    """Return the :class:`Subtopics`, and their ranking by the first `k` documents.

    Both are made once.
    """
    if "subtopics" not in ranking.made_of_rows:
        ranking.made_of_rows["subtopics"] = Subtopics(ranking)
    subtopics = ranking.made_of_rows["subtopics"]
    if ("subtopics", k) not in ranking.made:
        ranking.made["subtopics", k] = subtopics.ranking(ranking.documents(k))
    return subtopics, ranking.made["subtopics", k]


@ranking_metric("subtopic_recall", columns=("subtopics",), reads_grades=False)
def subtopic_recall_score(ranking, *, k=None):
    r"""Share of the subtopics of a query that the top of the list covers (S-recall@k).

    A subtopic is covered by the first document on it; further ones add nothing. Larger
    is better.

    See Also
    --------
    precision_ia_score : Counts the documents on each subtopic.
    alpha_ndcg_score : Looks at the ranks, too.

    Notes
    -----
    With the set :math:`S_i` of subtopics of the document at rank i, and the set S of
    those of all documents of the query, it is [1]_

    .. math:: \frac{1}{|S|} \left| \bigcup_{i=1}^{k} S_i \right|.

    Tools of TREC call it strec. Under ties the value is the exact expectation: a
    subtopic counts with the probability that one of its documents is in the top k. A
    query without subtopics is undefined. Grades are not read: `y_true` may be None.

    References
    ----------
    .. [1] C. Zhai, W. W. Cohen and J. Lafferty, "Beyond Independent Relevance: Methods
       and Evaluation Metrics for Subtopic Retrieval", SIGIR 2003.

    Examples
    --------
    >>> from skrank.metrics import subtopic_recall_score
    >>> nuggets = [["price"], ["price"], ["size", "weight"], []]
    >>> subtopic_recall_score(None, [4, 3, 2, 1], subtopics=nuggets, k=2)  # price
    0.3333333333333333
    >>> subtopic_recall_score(None, [4, 2, 2, 1], subtopics=nuggets, k=2)
    0.6666666666666666
    """
    subtopics, one = by_subtopic(ranking, k)
    return subtopics.mean(one.expected_at_first(np.ones_like, k))


@ranking_metric(
    "precision_ia",
    columns=("subtopics",),
    reads_grades=False,
    cutoff="required",
)
def precision_ia_score(ranking, *, k):
    r"""Intent-aware precision at k: the mean precision over the subtopics (P-IA@k).

    Each subtopic of a query is what some users want, all of them being equally likely.
    Larger is better. It is 1 only if all documents are on all subtopics.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1.

    See Also
    --------
    map_ia_score : The mean over the ranks of the documents on a subtopic.
    subtopic_recall_score : Counts a subtopic once.

    Notes
    -----
    With the number :math:`|S_i|` of subtopics of the document at rank i, and the set S
    of those of all documents of the query, it is [1]_

    .. math:: \frac{1}{k |S|} \sum_{i=1}^{k} |S_i|.

    A list shorter than k is divided by k, as by ndeval. Under ties the value is the
    exact expectation. A query without subtopics is undefined. Grades are not read:
    `y_true` may be None.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, "Diversifying Search
       Results", WSDM 2009.

    Examples
    --------
    >>> from skrank.metrics import precision_ia_score
    >>> nuggets = [["price"], ["price", "size"], ["size", "weight"], []]
    >>> precision_ia_score(None, [4, 3, 2, 1], subtopics=nuggets, k=2)
    0.5
    >>> precision_ia_score(None, [4, 1, 1, 1], subtopics=nuggets, k=1)
    0.3333333333333333
    """
    subtopics, one = by_subtopic(ranking, k)
    return subtopics.mean(precision_at_k_score.definition(one, k=k))


@ranking_metric("map_ia", columns=("subtopics",), reads_grades=False, cutoff="never")
def map_ia_score(ranking):
    r"""Intent-aware mean average precision (MAP-IA).

    The mean over the subtopics of a query of the average precision, with the documents
    on the subtopic as the relevant ones. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. It is 1 only if all subtopics have the same documents.

    See Also
    --------
    map_score : The average precision of relevant documents.
    precision_ia_score : With a cutoff.

    Notes
    -----
    With the average precision :math:`AP_s` of the documents on the subtopic s, and the
    set S of the subtopics of all documents of the query, it is [1]_

    .. math:: \frac{1}{|S|} \sum_{s \in S} AP_s.

    Documents that were not returned count in :math:`AP_s`. Under ties the value is the
    exact expectation. A query without subtopics is undefined. Grades are not read:
    `y_true` may be None.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson and S. Ieong, "Diversifying Search
       Results", WSDM 2009.

    Examples
    --------
    >>> from skrank.metrics import map_ia_score
    >>> nuggets = [["price"], ["size"], ["price"], []]
    >>> map_ia_score(None, [4, 3, 2, 1], subtopics=nuggets)  # (5 / 6 + 1 / 2) / 2
    0.6666666666666666
    >>> map_ia_score(None, [4, 4, 3, 1], subtopics=nuggets)  # (17 / 24 + 3 / 4) / 2
    0.7291666666666666
    """
    subtopics, one = by_subtopic(ranking)
    return subtopics.mean(map_score.definition(one))


@ranking_metric("alpha_ndcg", columns=("subtopics",), reads_grades=False)
def alpha_ndcg_score(ranking, *, k=None, alpha=0.5, ideal="greedy"):
    r"""Gain of what is new, discounted by the rank and normalized (alpha-nDCG@k).

    A document gains 1 for each of its subtopics that no document above is on, and less
    for those that were there before. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more; 1 for the ideal ranking. With ``ideal="greedy"`` a ranking may be
        better than the greedy one, but hardly ever is. With ``ideal=None`` it is not
        bounded by 1.

    See Also
    --------
    ndcg_score : For grades.
    err_ia_score : With the discount 1 / rank, and normalized by an ideal list.
    subtopic_recall_score : The share of the subtopics, without ranks.

    Notes
    -----
    With the set :math:`S_i` of subtopics of the document at rank i, and the number
    :math:`c_i(s)` of documents on s above it [1]_,

    .. math:: \alpha\text{-}DCG@k = \sum_{i=1}^{k} \frac{1}{\log_2(i + 1)}
        \sum_{s \in S_i} (1 - \alpha)^{c_i(s)}.

    ``ideal="greedy"`` divides by the value of the ideal ranking of all documents of the
    query, returned or not. To find it is NP-hard, so it is made step by step, always of
    a document with the largest gain. If several are tied for it, all of them are tried
    (at most 64 beginnings of a ranking at once, the best ones), so that neither the
    order of the rows nor the names of the subtopics decide. With a `doc_order`, as
    ``convention="ndeval"`` has it, the ids of the documents decide instead.

    ``ideal="ideal-ideal"`` divides by :math:`|S| \sum_{i=1}^{k} (1 - \alpha)^{i - 1} /
    \log_2(i + 1)`, the value if all documents were on all subtopics; ndeval calls this
    alpha-DCG. Without a cutoff k is the number of documents.

    Under ties the value is the exact expectation: of the documents on a subtopic in a
    tie group, the number above a place has a hypergeometric distribution. A query
    without subtopics is undefined. Grades are not read: `y_true` may be None.

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan,
       S. Buttcher and I. MacKinnon, "Novelty and Diversity in Information Retrieval
       Evaluation", SIGIR 2008.

    Examples
    --------
    >>> from skrank.metrics import alpha_ndcg_score
    >>> nuggets = [["price"], ["price"], ["size"]]
    >>> alpha_ndcg_score(None, [3, 2, 1], subtopics=nuggets, k=2, ideal=None)
    1.315...
    >>> alpha_ndcg_score(None, [3, 2, 1], subtopics=nuggets, k=2)  # ideal: price, size
    0.806...
    >>> alpha_ndcg_score(None, [3, 2, 2], subtopics=nuggets, k=2)
    0.903...
    """
    weight = discount_function("log2")
    return discounted_novelty(ranking, weight, alpha, ideal, k, "alpha_ndcg_score")


@ranking_metric("err_ia", columns=("subtopics",), reads_grades=False)
def err_ia_score(ranking, *, k=None, alpha=0.5, ideal="ideal-ideal"):
    r"""Intent-aware expected reciprocal rank (ERR-IA@k).

    A user wants one of the subtopics, reads down the list, and stops at each document
    on it with the probability `alpha`. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1 with ``ideal="ideal-ideal"``; 1 only if all documents are on all
        subtopics. With ``ideal=None`` it is not bounded by 1.

    See Also
    --------
    err_score : The expected reciprocal rank of graded documents.
    alpha_ndcg_score : With the discount of NDCG.
    nrbp_score : With a discount that falls faster.

    Notes
    -----
    With the set :math:`S_i` of subtopics of the document at rank i, and the number
    :math:`c_i(s)` of documents on s above it [1]_ [2]_,

    .. math:: \sum_{i=1}^{k} \frac{1}{i} \sum_{s \in S_i} (1 - \alpha)^{c_i(s)}

    is divided by :math:`|S| \sum_{i=1}^{k} (1 - \alpha)^{i - 1} / i`, its value if all
    documents were on all subtopics, where S is the set of subtopics of all documents of
    the query. Without a cutoff k is the number of documents. ``ideal="greedy"`` divides
    by its value for the ideal ranking, as :func:`alpha_ndcg_score` describes it; ndeval
    calls this nERR-IA. ``ideal=None`` does not divide: times :math:`\alpha / |S|` that
    is the mean of the ERR of the subtopics.

    Under ties the value is the exact expectation. A query without subtopics is
    undefined. Grades are not read: `y_true` may be None.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, "Expected Reciprocal Rank
       for Graded Relevance", CIKM 2009.
    .. [2] C. L. A. Clarke, N. Craswell, I. Soboroff and A. Ashkan, "A Comparative
       Analysis of Cascade Measures for Novelty and Diversity", WSDM 2011.

    Examples
    --------
    >>> from skrank.metrics import err_ia_score
    >>> nuggets = [["price"], ["price"], ["size"]]
    >>> err_ia_score(None, [3, 2, 1], subtopics=nuggets, k=2)  # 1.25 / (2 * 1.25)
    0.5
    >>> err_ia_score(None, [3, 2, 1], subtopics=nuggets, k=2, ideal="greedy")  # / 1.5
    0.8333333333333334
    """
    return discounted_novelty(
        ranking, lambda rank: 1 / rank, alpha, ideal, k, "err_ia_score"
    )


@ranking_metric("nrbp", columns=("subtopics",), reads_grades=False, cutoff="never")
def nrbp_score(ranking, *, alpha=0.5, beta=0.5, ideal="ideal-ideal"):
    r"""Novelty- and rank-biased precision (NRBP).

    A user goes on from each document to the next one with the probability `beta`, as in
    RBP, and gains what no document above says. Larger is better.

    Parameters
    ----------
    beta : float, default=0.5
        The probability to go on to the next rank, above 0 and below 1.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1 with ``ideal="ideal-ideal"``; 1 only for an endless list of
        documents on all subtopics. With ``ideal=None`` it is not bounded by 1.

    See Also
    --------
    rbp_score : Without subtopics.
    err_ia_score : With the discount 1 / rank.

    Notes
    -----
    With the set :math:`S_i` of subtopics of the document at rank i, the number
    :math:`c_i(s)` of documents on s above it, and the set S of the subtopics of all
    documents of the query [1]_,

    .. math:: NRBP = \frac{1 - (1 - \alpha) \beta}{|S|} \sum_{i \ge 1} \beta^{i - 1}
        \sum_{s \in S_i} (1 - \alpha)^{c_i(s)}.

    ``ideal="greedy"`` divides the sum by its value for the ideal ranking, as
    :func:`alpha_ndcg_score` describes it; ndeval calls this nNRBP. Under ties the value
    is the exact expectation. A query without subtopics is undefined. Grades are not
    read: `y_true` may be None.

    References
    ----------
    .. [1] C. L. A. Clarke, M. Kolla and O. Vechtomova, "An Effectiveness Measure for
       Ambiguous and Underspecified Queries", ICTIR 2009.

    Examples
    --------
    >>> from skrank.metrics import nrbp_score
    >>> nuggets = [["price"], ["price"], ["size"]]
    >>> nrbp_score(None, [3, 2, 1], subtopics=nuggets)  # 0.75 / 2 * (1 + 0.25 + 0.25)
    0.5625
    >>> nrbp_score(None, [3, 2, 1], subtopics=nuggets, ideal="greedy")  # / 1.625
    0.923...
    """
    check_number(beta, "beta", "nrbp_score", low=0.0, high=1.0, ends="()")
    return discounted_novelty(
        ranking, lambda rank: beta ** (rank - 1.0), alpha, ideal, None, "nrbp_score",
        beta, of_all=lambda left: 1 / (1 - left * beta),
    )  # fmt: skip


def discounted_novelty(
    ranking, weight, alpha, ideal, k, caller, beta=None, of_all=None
):
    """Return the sum of the gains of what is new times weights, over that of an ideal.

    The weights are those of the `caller`, and depend on `beta` alone.
    ``of_all(1 - alpha)`` is the sum for one subtopic that all documents are on, if it
    is not that of the first `k`.
    """
    check_choice(ideal, ("greedy", "ideal-ideal", None), "ideal", caller)
    left = 1 - check_number(alpha, "alpha", caller, low=0, high=1)
    subtopics, one = by_subtopic(ranking, k)
    count, gain = subtopics.count, novelty_gain(one, weight, left, k)
    total = np.bincount(subtopics.query, gain, len(count))
    best = 1.0
    if ideal == "greedy":
        key, made = ("greedy", caller, beta, left, k), ranking.made_of_rows
        if key not in made:
            made[key] = greedy_gain(ranking, subtopics, weight, left, k)
        best = made[key]
    elif ideal == "ideal-ideal":
        best = gain_of_all(ranking, weight, left, k) if of_all is None else of_all(left)
        best = best * count
    # Rounding must not make the ideal ranking better than itself.
    total = np.where(np.isclose(total, best, rtol=1e-14, atol=0), best, total)
    return np.where(count > 0, total, np.nan) / np.where(count > 0, best, 1)


def gain_of_all(ranking, weight, left, k):
    """Return the gain of a subtopic that all of the first k documents are on.

    Without a cutoff, of all documents of the query.
    """
    if k is None:
        n_documents = np.bincount(ranking.rows.query, minlength=ranking.n_queries)
        rank = np.arange(1, n_documents.max(initial=1) + 1)
        return np.cumsum(weight(rank) * left ** (rank - 1.0))[n_documents - 1]
    rank = np.arange(1, k + 1)
    return np.sum(weight(rank) * left ** (rank - 1.0))


def novelty_gain(ranking, weight, left, k):
    """Return the expected gain of each subtopic.

    A document on it has the gain left ** c at c documents on it above.
    """
    # Of n tied documents m are on the subtopic. Place p holds one of them with
    # probability m / n, and then the number H of those above it in the group has the
    # hypergeometric distribution of p - 1 draws from n - 1, m - 1 of which count:
    #     m / n sum_p w(a + p) E[left^H]
    gain = ranking.relevant * ranking.mean_over_places(weight, k)
    several = ranking.relevant > 1
    if left < 1 and several.any():
        (tied,) = several.nonzero()
        gain[tied] = _gain_of_tied(
            ranking.above[tied],
            ranking.size[tied],
            ranking.relevant[tied],
            weight,
            left,
            k,
        )
    return ranking.total(gain * left ** ranking.relevant_above.astype(np.float64))


def _gain_of_tied(above, size, relevant, weight, left, k):
    """Return the expected gain of tied documents on a subtopic, the first being new."""
    places = size if k is None else np.minimum(size, k - above)
    gain, enough = np.zeros(len(size)), 1
    if left > 0:  # left ** enough adds nothing, even at all places
        enough += math.ceil(math.log(HALF_ULP / places.max()) / math.log(left))
    for rows, width in split_by_width(np.minimum(np.minimum(places, relevant), enough)):
        a, n, m, last = above[rows], size[rows], relevant[rows], places[rows]
        power = left ** np.arange(width + 0.0)
        others = np.maximum(m[:, np.newaxis] - 1 - np.arange(width), 0)
        # P(H = h) after p - 1 draws, for h = 0, 1, ...
        law = np.zeros((len(rows), width))
        law[:, 0] = 1
        for place in range(1, last.max() + 1):
            counted = place <= last
            expected = weight(a + place) * (law @ power)
            before = gain[rows]
            gain[rows] += np.where(counted, expected * m / n, 0)
            if (gain[rows] == before).all():  # further places add even less
                break
            rest = np.maximum(n - place, 1)[:, np.newaxis]
            drawn = law * (others / rest)
            law *= np.maximum(rest - others, 0) / rest
            law[:, 1:] += drawn[:, :-1]
    return gain


# Half of the distance from 1 to the next float: to add less changes nothing.
HALF_ULP = 2.0**-53

# How many of the best beginnings of an ideal ranking are followed.
BEAM = 64

# Gains that differ by less, relative to the largest one, are tied: they are sums of the
# same numbers in another order.
ALIKE = 1e-12

# A query with more sets is a block of its own, and only those sets are looked at that
# gain most up to rounding.
MANY_SETS = 256

# For the product of so many elements with `BEAM` columns BLAS starts no threads.
SMALL_PRODUCT = 2**12

# The subtopics of a document are bits: this many are in a word.
BITS = 30

# The sets of subtopics in a block of queries, which stays in the cache.
MOST_SETS = 2**14


def greedy_gain(ranking, subtopics, weight, left, k):
    """Return the gain of the ideal ranking of each query, found step by step.

    Each step takes a document with the largest gain. All documents that are tied there
    are tried, or the first one by its id if ids order tied documents.
    """
    rows = np.flatnonzero(np.diff(subtopics.starts))
    words = subtopics.as_bits(rows)
    query, order = subtopics.rows.query[rows], ranking.doc_order
    if order is None:
        by = np.lexsort((*words[1:], query << BITS | words[0]))
        words, query = words[:, by], query[by]
        # Documents on the same subtopics are interchangeable.
        same = (words[:, 1:] == words[:, :-1]).all(axis=0) & (query[1:] == query[:-1])
        start = np.flatnonzero(np.append(True, ~same)[: len(rows)])
        words, query, count = (
            words[:, start],
            query[start],
            lengths_of(start, len(rows)),
        )
    else:
        by = np.argsort(query, kind="stable")
        rows, query, words = rows[by], query[by], words[:, by]
        by = np.lexsort((order.codes(subtopics.rows.row[rows], query), query))
        words, count = words[:, by], np.ones(len(by), dtype=np.intp)
    n_sets = np.bincount(query, minlength=ranking.n_queries)
    first, best = np.cumsum(n_sets) - n_sets, np.zeros(ranking.n_queries)
    (asked,), small = n_sets.nonzero(), np.min_scalar_type(-1 - count.max(initial=0))
    n_cells = np.where(n_sets > MANY_SETS, MOST_SETS, n_sets)[asked]
    for block, _ in split_by_width(n_cells, MOST_SETS):
        queries = asked[block]
        column = np.arange(n_sets[queries].max())[:, np.newaxis]
        inside = column < n_sets[queries]
        place = np.where(inside, first[queries] + column, 0)
        n_subtopics = int(subtopics.count[queries].max())
        best[queries] = _greedy(
            # In small types, since they are copied at every step.
            words[:, place].astype(np.min_scalar_type(2 ** min(n_subtopics, BITS) - 1)),
            np.where(inside, count[place], 0).astype(small),
            n_subtopics, weight, left, k, order is None,
        )  # fmt: skip
    return best


def _greedy(words, number, n_subtopics, weight, left, k, follow_ties):
    """Return the gains of the ideal rankings of queries with sets of subtopics.

    `words` has the bits of the sets, of shape (n_words, n_sets, n_queries), and
    `number` says how many documents have each of them. A state is the beginning of a
    ranking: the documents of each set that are left, what a subtopic still adds, and
    the value so far.
    """
    # Documents {price} twice, {size} and {price, size}, with left = 1/2:
    #
    #     step  sets that are left              adds       gains        taken
    #     1     {p} x 2, {s} x 1, {p, s} x 1    p 1, s 1   1, 1, 2      {p, s}
    #     2     {p} x 2, {s} x 1                1/2, 1/2   1/2, 1/2     {p} or {s}: tied
    #
    # Tied sets that overlap lead to several states of a query. The same documents in
    # another order are one state, and the `BEAM` best ones are followed.
    _, n_sets, n_queries = words.shape
    query, value = np.arange(n_queries), np.zeros(n_queries)
    adds, depth = np.ones((n_subtopics, n_queries)), number.sum(axis=0).max()
    weights = weight(np.arange(1, (depth if k is None else min(k, depth)) + 1))
    # The same documents in another order have the same sum of random numbers. These do
    # not depend on the other queries, since they decide between equal values.
    random = np.random.default_rng(0)
    summand = random.integers(2**63, size=1 + n_sets, dtype=np.uint64)
    key, summand = np.repeat(summand[:1], n_queries), summand[1:]
    number, sets = np.ascontiguousarray(number.T), np.arange(n_sets)
    is_wide = n_queries == 1 and n_sets > MANY_SETS // 4
    if is_wide:
        t, n_rows = np.arange(n_subtopics), max(1, SMALL_PRODUCT // n_subtopics)
        is_on = np.zeros((-(-n_sets // n_rows) * n_rows, n_subtopics))
        is_on[:n_sets] = words[t // BITS, :, 0].T >> t % BITS & 1
        is_on = is_on.reshape(-1, n_rows, n_subtopics)
    for step, one in enumerate(weights, 1):
        if not is_wide:
            near = words[:, :, query]
            gain = _gains(near, adds) * (number.T > 0)
        else:
            # A product of matrices is rounded in another way.
            about = (is_on @ adds).reshape(-1, len(query))[:n_sets]
            about *= (number > 0).T
            taken, state = (about >= about.max(axis=0) * (1 - 2 * ALIKE)).nonzero()
            sets, place = np.unique(taken, return_inverse=True)
            gain = np.zeros((len(sets), len(query)))
            gain[place, state] = _gains(words[:, taken, 0], adds[:, state])
            near = np.broadcast_to(words[:, sets], (len(words), *gain.shape))
        best = gain.max(axis=0)
        if (value + one * best == value).all():  # no later document adds more
            break
        tied = gain >= (best * (1 - ALIKE) if follow_ties else best)
        state, taken = np.arange(len(query)), tied.argmax(axis=0)
        if follow_ties and left < 1 and step < len(weights):
            state, taken = _branches(near, tied & (best > 0), taken)
        query, value = query[state], value[state] + one * best[state]
        if step == len(weights):
            break
        taken = sets[taken]
        key = key[state] + summand[taken]
        if len(query) > n_queries:
            kept, value = _distinct(query, key, value)
            state, taken, query, key = state[kept], taken[kept], query[kept], key[kept]
        number, adds = number[state], adds[:, state]
        at = np.arange(len(state)), taken
        number[at] -= number[at] > 0  # or it would wrap around after the last document
        covered = words[:, taken, query]
        for t in range(n_subtopics):
            adds[t] *= np.where(covered[t // BITS] & (1 << t % BITS), left, 1.0)
    found = np.zeros(n_queries)
    np.maximum.at(found, query, value)
    return found


def _gains(words, adds):
    """Return the gains of sets, from what each of their subtopics adds."""
    gain, more = np.zeros(words.shape[1:]), np.empty(words.shape[1:])
    for t, one in enumerate(adds):  # in this order, as ndeval adds
        bit = 1 << t % BITS
        gain += np.multiply(words[t // BITS] & bit, one / bit, out=more)
    return gain


def _branches(words, tied, taken):
    """Return the states to go on from, and the set that each of them takes.

    Tied sets without a common subtopic do not lower each other's gain: all of them are
    taken, in any order, and lead to the same state. So one that overlaps no other tied
    set is taken at once, and else only sets that are linked by overlaps are tried.
    """
    (several,) = (tied.sum(axis=0) > 1).nonzero()
    tied = tied[:, several]
    words = words[:, :, several] * tied
    seen = np.bitwise_or.accumulate(words, axis=1)
    twice = np.bitwise_or.reduce(seen[:, :-1] & words[:, 1:], axis=1, keepdims=True)
    alone = tied & ((words & twice) == 0).all(axis=0)
    is_alone = alone.any(axis=0)
    taken[several[is_alone]] = alone[:, is_alone].argmax(axis=0)
    hard, words, tied = several[~is_alone], words[:, :, ~is_alone], tied[:, ~is_alone]
    reached = words[:, tied.argmax(axis=0), np.arange(len(hard))][:, np.newaxis]
    while True:
        linked = ((words & reached) != 0).any(axis=0)
        wider = np.bitwise_or.reduce(words * linked, axis=1, keepdims=True)
        if (wider == reached).all():
            break
        reached = wider
    sets, which = linked.nonzero()
    rest = np.ones(len(taken), dtype=bool)
    rest[hard] = False
    (rest,) = rest.nonzero()
    return np.concatenate([rest, hard[which]]), np.concatenate([taken[rest], sets])


def _distinct(query, key, value):
    """Return each state once, the best ones of each query, and their values."""
    # Query after query: there are at most MOST_SETS of them.
    key = key >> np.uint64(14) | query.astype(np.uint64) << np.uint64(50)
    order = np.argsort(key)
    start = starts_of(key[order])
    value, order = np.maximum.reduceat(value[order], start), order[start]
    of_query = np.bincount(query[order])
    by = np.lexsort((-value, query[order]))
    before = np.cumsum(of_query) - of_query
    by = by[np.arange(len(by)) - before[query[order[by]]] < BEAM]
    return order[by], value[by]
