"""Metrics of the rank of the first relevant document."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._metric import ranking_metric


def reciprocal_rank(ranking, *, k=None):
    """Return one over the rank of the first relevant document."""
    return ranking.expected_at_first(lambda rank: 1 / rank, k)


@ranking_metric(
    "mrr",
    reciprocal_rank,
    reads_first_rank=True,
    value=lambda rank: 1 / rank,
    adjusted_names={"adjusted_mrr": True, "z_mrr": "z"},
)
def mrr_score(
    y_true, y_score, *, qid=None, k=None, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Mean reciprocal rank (MRR).

    The reciprocal rank of a query is one over the rank of its first relevant
    document. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    hits_at_k_score : The fraction of queries whose first relevant rank is at most k.
    map_score : Takes all relevant documents into account.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: RR@k = \frac{1}{r} \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and t documents rank above them, the first
    relevant one has rank t + j with probability C(n - j, r - 1) / C(n, r), the negative
    hypergeometric law; the expectation is the sum over j [1]_. ``ties="realistic"``,
    PyKEEN's convention, is the reciprocal of the mean of the best and the worst rank
    instead. A query without a relevant document is undefined.

    As scorers, ``"adjusted_mrr"`` (AMRR) and ``"z_mrr"`` are the metric with
    ``adjusted=True`` and ``adjusted="z"`` [2]_; they leave out queries without a
    relevant document. For one relevant document among n, and m = min(k, n),

    .. math:: E = \frac{1}{n} \sum_{j=1}^{m} \frac{1}{j}, \quad
        V = \frac{1}{n} \sum_{j=1}^{m} \frac{1}{j^2} - E^2;

    for more relevant documents, E and V follow from the law above. E is averaged over
    the queries before the comparison; the V of the mean is the sum of V times the
    squared weights of the queries, which sum to 1.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.
    .. [2] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import mrr_score
    >>> mrr_score([1, 0, 0, 0, 1, 0], [4, 3, 2, 1, 5, 9], qid=[7, 7, 7, 7, 8, 8])
    0.75
    >>> mrr_score([0, 0, 1], [3, 2, 1], k=2)
    0.0
    >>> mrr_score([0, 1], [1, 1])
    0.75
    """


def hit(ranking, *, k=None):
    """Return the probability of a relevant document in the top k."""
    # 1 - C(n - r, j) / C(n, j) if r of n tied documents are relevant and j of their
    # places are in the top k: not all of these j documents are non-relevant.
    return ranking.expected_at_first(np.ones_like, k)


@ranking_metric(
    "hits",
    hit,
    cutoff="required",
    reads_first_rank=True,
    value=np.ones_like,
    adjusted_names={"adjusted_hits": True, "z_hits": "z"},
)
def hits_at_k_score(
    y_true, y_score, *, qid=None, k, threshold=0.0, ties="expected",
    replace_undefined_by=0.0, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Fraction of queries with a relevant document in the top k (Hits@k).

    Also known as hit rate or success at k. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    mrr_score : The mean of one over the rank of the first relevant document.
    recall_at_k_score : The fraction of the relevant documents in the top k.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: Hits@k = 1 \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and j of their places are in the top k, the
    expectation is 1 - C(n - r, j) / C(n, j). Some libraries give this name to the
    number of relevant documents in the top k. A query without a relevant document is
    undefined.

    As scorers, ``"adjusted_hits@k"`` (AH@k) and ``"z_hits@k"``, for any k, are the
    metric with ``adjusted=True`` and ``adjusted="z"`` [1]_; they leave out queries
    without a relevant document. For R relevant documents among n,

    .. math:: E = 1 - \binom{n - k}{R} \Big/ \binom{n}{R}, \quad V = E (1 - E),

    and for one relevant document E = min(k / n, 1). E and V are combined over the
    queries as in :func:`mrr_score`.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import hits_at_k_score
    >>> hits_at_k_score([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8], k=1)
    0.5
    >>> hits_at_k_score([0, 1, 0], [1, 1, 1], k=2)
    0.6666666666666666
    """


def first_rank(ranking):
    """Return the rank of the first relevant document."""
    # t + (n + 1) / (r + 1) if r of n tied documents are relevant, below t others: the
    # mean of the negative hypergeometric law.
    return ranking.expected_at_first(np.asarray, missing=np.nan)


@ranking_metric(
    "mean_rank",
    first_rank,
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    reads_first_rank=True,
    value=np.asarray,
    adjusted_names={
        "adjusted_mean_rank": "ratio",
        "adjusted_mean_rank_index": True,
        "z_mean_rank": "z",
    },
    inverse_name="inverse_mean_rank",
)
def mean_rank(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Mean rank of the first relevant document (MR).

    It depends mostly on the queries with the worst ranks. Smaller is better; as a
    scorer it is ``"neg_mean_rank"``.

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mrr_score : The mean of one over that rank, which a single bad rank hardly changes.
    median_rank : The median of the same ranks.
    geometric_mean_rank : The geometric mean of the same ranks.

    Notes
    -----
    If r of n tied documents are relevant and t documents rank above them, the first
    relevant one has the expected rank

    .. math:: t + \frac{n + 1}{r + 1}.

    A query without a relevant document is undefined and left out of the mean.

    As scorers, ``"neg_adjusted_mean_rank"`` (AMR) is minus the metric with
    ``adjusted="ratio"``, MR / E; ``"adjusted_mean_rank_index"`` (AMRI) the metric with
    ``adjusted=True``, 1 - (MR - 1) / (E - 1) [1]_; and ``"z_mean_rank"`` the metric
    with ``adjusted="z"``, (E - MR) / sqrt(V) [2]_. ``"inverse_mean_rank"`` is 1 / MR.
    Larger is better for all four. For R relevant documents among n,

    .. math:: E = \frac{n + 1}{R + 1}, \quad
        V = \frac{R (n + 1) (n - R)}{(R + 1)^2 (R + 2)}.

    MR and E are averaged over the queries first, and V is combined as in
    :func:`mrr_score`. At chance level AMR is 1 and AMRI is 0. AMRI is at least -1 with
    one relevant document per query. Values of ``"z_mean_rank"`` above about 2 are
    unlikely to be due to chance. Queries that every ordering ranks alike do not change
    AMRI and ``"z_mean_rank"``.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.
    .. [2] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import mean_rank
    >>> mean_rank([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8])
    1.5
    >>> mean_rank([1, 0, 0], [1, 1, 1])
    2.0
    """
