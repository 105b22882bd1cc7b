"""Median, geometric and harmonic mean of the first relevant rank."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._adjust import moments_of_geometric_mean
from skrank.metrics._first_ranks import weighted_median
from skrank.metrics._metric import ranking_metric
from skrank.metrics._rank_pools import (
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_median,
)


def median_of_first_rank(ranking):
    """Return the median of the ranks that the first relevant document may have."""
    return weighted_median(*ranking.first_rank_law(), ranking.n_queries)


@ranking_metric(
    "median_rank",
    median_of_first_rank,
    cutoff="never",
    greater_is_better=False,
    pool=pooled_median,
    reads_first_rank=True,
    inverse_name="inverse_median_rank",
)
def median_rank(
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
    r"""Median rank of the first relevant document.

    Blind to how bad the bad half is. Smaller is better, and 1 is the best; as a scorer
    it is "neg_median_rank".

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mean_rank : Their mean.
    geometric_mean_rank : Their geometric mean.

    Notes
    -----
    With the rank :math:`r_q` of the first relevant document of each of Q queries,

    .. math:: \min \left\{m : \frac{1}{Q} \sum_{q=1}^{Q} P(r_q \le m)
        \ge \tfrac{1}{2}\right\}

    and where this is exactly one half, the mean of m and the next rank. A tied first
    relevant document is all the ranks that it may have, each of the weight of its
    chance: a median has no expectation that would be linear in the rank. A query
    without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import median_rank
    >>> median_rank([[0, 1], [1, 0], [1, 0]], [[2, 1], [2, 1], [2, 1]])
    1.0
    >>> median_rank([0, 1, 0, 0], [1, 1, 1, 1])
    2.5
    """


def geometric_first_rank(ranking):
    """Return the geometric mean of the ranks of the first relevant document."""
    return np.exp(ranking.expected_at_first(np.log, missing=np.nan))


@ranking_metric(
    "geometric_mean_rank",
    geometric_first_rank,
    cutoff="never",
    greater_is_better=False,
    pool=pooled_geometric_mean,
    reads_first_rank=True,
    moments=moments_of_geometric_mean,
    adjusted_names={
        "adjusted_geometric_mean_rank_index": True,
        "z_geometric_mean_rank": "z",
    },
    inverse_name="inverse_geometric_mean_rank",
)
def geometric_mean_rank(
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
    r"""Geometric mean rank of the first relevant document (GMR).

    A rank that is twice as bad counts alike at the top and far below. Smaller is
    better, and 1 is the best; as a scorer it is "neg_geometric_mean_rank".

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mean_rank : Their mean.
    median_rank : Their median.
    mrr_score : One over their harmonic mean.

    Notes
    -----
    .. math:: GMR = \exp \left(\frac{1}{Q} \sum_{q=1}^{Q} \ln r_q\right)

    over the ranks :math:`r_q` of the first relevant documents of Q queries. A tied
    first relevant document is all the ranks that it may have, each of the weight of its
    chance: these summaries have no expectation that would be linear in the rank. A
    query without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.

    Examples
    --------
    >>> from skrank.metrics import geometric_mean_rank
    >>> geometric_mean_rank([[0, 0, 0, 1], [1, 0, 0, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]])
    2.0
    >>> geometric_mean_rank([0, 1], [1, 1])
    1.41421356237309...
    """


def harmonic_first_rank(ranking):
    """Return the harmonic mean of the ranks of the first relevant document."""
    return 1 / ranking.expected_at_first(lambda rank: 1 / rank, missing=np.nan)


@ranking_metric(
    "harmonic_mean_rank",
    harmonic_first_rank,
    cutoff="never",
    greater_is_better=False,
    pool=pooled_harmonic_mean,
    reads_first_rank=True,
)
def harmonic_mean_rank(
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
    r"""Harmonic mean rank of the first relevant document (HMR).

    One over the MRR, read as a rank: the top ranks decide. Smaller is better, and 1 is
    the best; as a scorer it is "neg_harmonic_mean_rank".

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mrr_score : One over it.
    geometric_mean_rank : Between the harmonic and the arithmetic mean.
    mean_rank : The arithmetic mean.

    Notes
    -----
    .. math:: HMR = \left(\frac{1}{Q} \sum_{q=1}^{Q} \frac{1}{r_q}\right)^{-1}

    over the ranks :math:`r_q` of the first relevant documents of Q queries. A tied
    first relevant document is all the ranks that it may have, each of the weight of its
    chance. A query without a relevant document is undefined, and left out.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import harmonic_mean_rank
    >>> harmonic_mean_rank([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.5
    >>> harmonic_mean_rank([0, 1], [1, 1])
    1.3333333333333333
    """
