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
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Mean reciprocal rank (MRR).

    The reciprocal rank of a query is one over the rank of its first relevant
    document. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    mean_rank : The same ranks, averaged as they are.
    hits_at_k_score : How often that rank is at most k.
    map_score : A mean over all relevant documents.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: RR@k = \frac{1}{r} \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and t documents stand above them, the
    first relevant one has rank t + j with a chance that follows the negative
    hypergeometric law; the expectation is the sum over j [1]_. It is not the
    reciprocal of the mean rank, which is what ``ties="realistic"`` gives
    (PyKEEN's convention). A query without a relevant document is undefined.

    References
    ----------
    .. [1] F. McSherry and M. Najork, "Computing Information Retrieval Performance
       Measures Efficiently in the Presence of Tied Scores", ECIR 2008.

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
    """Return 1 where a relevant document stands in the first k, else 0."""
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
    y_true,
    y_score,
    *,
    qid=None,
    k,
    threshold=0.0,
    ties="expected",
    replace_undefined_by=0.0,
    average="macro",
    adjusted=False,
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
):
    r"""Share of queries with a relevant document in the first k (Hits@k).

    Also known as hit rate or success at k. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is 1.0.

    See Also
    --------
    mrr_score : The mean of one over that rank.
    recall_at_k_score : The share of the relevant documents in the first k.

    Notes
    -----
    For a query whose first relevant document has rank :math:`r`,

    .. math:: Hits@k = 1 \text{ if } r \le k \text{, else } 0.

    If r of n tied documents are relevant and j of their places lie within the first
    k, the expectation is 1 - C(n - r, j) / C(n, j). Some libraries give this name to
    the number of relevant documents in the first k. A query without a relevant
    document is undefined.

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
    return ranking.expected_at_first(np.asarray, missing=np.nan)


@ranking_metric(
    "mean_rank",
    first_rank,
    cutoff="never",
    greater_is_better=False,
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
    r"""Mean rank of the first relevant document (MR).

    Smaller is better, and 1 is the best; as a scorer it is "neg_mean_rank".

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mrr_score : The mean of one over that rank, which bounds the weight of a bad one.

    Notes
    -----
    If r of n tied documents are relevant and t documents stand above them, the first
    relevant one has the expected rank

    .. math:: t + \frac{n + 1}{r + 1}.

    A query without a relevant document is undefined, and left out of the mean. With
    ``adjusted=True`` and one relevant document a query this is the adjusted mean rank
    index of [1]_: larger is better then.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import mean_rank
    >>> mean_rank([0, 1, 0, 1], [2, 1, 1, 2], qid=[7, 7, 8, 8])
    1.5
    >>> mean_rank([1, 0, 0], [1, 1, 1])
    2.0
    """
