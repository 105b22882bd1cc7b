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
    """Return the median of the possible ranks of the first relevant document."""
    return weighted_median(*ranking.first_rank_law(), ranking.n_queries)


@ranking_metric(
    "median_rank",
    median_of_first_rank,
    cutoff="never",
    greater_is_better=False,
    limits=(1, np.inf),
    pool=pooled_median,
    reads_first_rank=True,
    inverse_name="inverse_median_rank",
)
def median_rank(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Median rank of the first relevant document.

    It does not depend on how bad the worse half of the ranks is. Smaller is better; as
    a scorer it is ``"neg_median_rank"``.

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    geometric_mean_rank : The geometric mean of the same ranks.

    Notes
    -----
    With the rank :math:`r_q` of the first relevant document of each of Q queries,

    .. math:: \min \left\{m : \frac{1}{Q} \sum_{q=1}^{Q} P(r_q \le m)
        \ge \tfrac{1}{2}\right\}

    or the mean of this m and the next rank if the probabilities sum to exactly one
    half. A tied first relevant document enters with all its possible ranks, weighted by
    their probabilities, since the median is not linear in the rank. A query without a
    relevant document is undefined and left out. As a scorer,
    ``"inverse_median_rank"`` is one over this median: larger is better.

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
    limits=(1, np.inf),
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
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Geometric mean rank of the first relevant document (GMR).

    Doubling a rank has the same effect at the top of the list and far down. Smaller is
    better; as a scorer it is ``"neg_geometric_mean_rank"``.

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mean_rank : The arithmetic mean of the same ranks.
    median_rank : The median of the same ranks.
    mrr_score : One over the harmonic mean of the same ranks.

    Notes
    -----
    .. math:: GMR = \exp \left(\frac{1}{Q} \sum_{q=1}^{Q} \ln r_q\right)

    over the ranks :math:`r_q` of the first relevant documents of Q queries [1]_. A tied
    first relevant document enters with all its possible ranks, weighted by their
    probabilities: :math:`\ln r_q` is replaced by its expectation. A query without a
    relevant document is undefined and left out.

    As scorers, ``"adjusted_geometric_mean_rank_index"`` (AGMRI) and
    ``"z_geometric_mean_rank"`` are the metric with ``adjusted=True`` and
    ``adjusted="z"``, (GMR - E) / (1 - E) and (E - GMR) / sqrt(V) [2]_, where

    .. math:: E = \prod_q E[r_q^{w_q}], \quad V = \prod_q E[r_q^{2 w_q}] - E^2,
        \quad E[r_q^p] = \sum_j P(r_q = j) \, j^p

    with weights :math:`w_q` that sum to 1. Under random orders :math:`P(r_q = j)` is
    C(n - j, R - 1) / C(n, R) for R relevant documents among n. E is larger than the GMR
    of tied documents, so constant scores have an AGMRI above 0.
    ``"inverse_geometric_mean_rank"`` is 1 / GMR. Larger is better for all three.

    References
    ----------
    .. [1] M. Berrendorf, E. Faerman, L. Vermue and V. Tresp, "On the Ambiguity of
       Rank-Based Evaluation of Entity Alignment or Link Prediction Methods", 2020.
    .. [2] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

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
    limits=(1, np.inf),
    pool=pooled_harmonic_mean,
    reads_first_rank=True,
)
def harmonic_mean_rank(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Harmonic mean rank of the first relevant document (HMR).

    One over the MRR. It depends mostly on the queries with the best ranks. Smaller is
    better; as a scorer it is ``"neg_harmonic_mean_rank"``.

    Returns
    -------
    rank : float or ndarray of shape (n_queries,)
        1 or more. The best value is 1.0.

    See Also
    --------
    mrr_score : One over the harmonic mean.
    geometric_mean_rank : Between the harmonic and the arithmetic mean.
    mean_rank : The arithmetic mean of the same ranks.

    Notes
    -----
    .. math:: HMR = \left(\frac{1}{Q} \sum_{q=1}^{Q} \frac{1}{r_q}\right)^{-1}

    over the ranks :math:`r_q` of the first relevant documents of Q queries [1]_. A tied
    first relevant document enters with all its possible ranks, weighted by their
    probabilities. A query without a relevant document is undefined and left out.

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
