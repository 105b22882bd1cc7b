"""Spread of the ranks of the first relevant documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics._first_ranks import weighted_median
from skrank.metrics._first_relevant import first_rank
from skrank.metrics._metric import ranking_metric
from skrank.metrics._rank_pools import (
    NORMAL,
    pooled_deviation,
    pooled_median_deviation,
    pooled_variance,
)


def variance_of_first_rank(ranking):
    """Return the variance of the ranks of the first relevant document."""
    query, rank, probability = ranking.first_rank_law()
    mean = first_rank(ranking)
    square = probability * (rank - mean[query]) ** 2
    variance = np.bincount(query, square, minlength=ranking.n_queries)
    return np.where(np.isnan(mean), np.nan, variance)


@ranking_metric(
    "rank_variance",
    variance_of_first_rank,
    cutoff="never",
    greater_is_better=False,
    limits=(0, np.inf),
    pool=pooled_variance,
    reads_first_rank=True,
)
def rank_variance(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Variance of the rank of the first relevant document.

    How much the ranks of different queries differ; it is 0 if all ranks are equal, good
    or bad. Smaller is better; as a scorer it is ``"neg_rank_variance"``.

    Returns
    -------
    spread : float or ndarray of shape (n_queries,)
        0 or more. The best value is 0.0.

    See Also
    --------
    rank_standard_deviation : The square root of the variance.
    mean_rank : The mean of the same ranks.

    Notes
    -----
    .. math:: \frac{1}{Q} \sum_{q=1}^{Q} (r_q - \bar r)^2

    over the ranks :math:`r_q` of the first relevant documents of Q queries, whose mean
    is :math:`\bar r` [1]_. A tied first relevant document enters with all its possible
    ranks, weighted by their probabilities, so ties increase the spread. The spread of a
    single query is due to its ties alone. A query without a relevant document is
    undefined and left out; `replace_undefined_by` is its rank.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import rank_variance
    >>> rank_variance([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.0
    >>> rank_variance([0, 1], [1, 1])
    0.25
    """


def deviation_of_first_rank(ranking):
    """Return the standard deviation of the ranks of the first relevant document."""
    return np.sqrt(variance_of_first_rank(ranking))


@ranking_metric(
    "rank_standard_deviation",
    deviation_of_first_rank,
    cutoff="never",
    greater_is_better=False,
    limits=(0, np.inf),
    pool=pooled_deviation,
    reads_first_rank=True,
)
def rank_standard_deviation(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Spread of the rank of the first relevant document, as a standard deviation.

    How much the ranks of different queries differ; it is 0 if all ranks are equal, good
    or bad. Smaller is better; as a scorer it is ``"neg_rank_standard_deviation"``.

    Returns
    -------
    spread : float or ndarray of shape (n_queries,)
        0 or more. The best value is 0.0.

    See Also
    --------
    rank_variance : The square of the standard deviation.
    rank_median_absolute_deviation : A few bad ranks do not change it.

    Notes
    -----
    .. math:: \sqrt{\frac{1}{Q} \sum_{q=1}^{Q} (r_q - \bar r)^2}

    over the ranks :math:`r_q` of the first relevant documents of Q queries, whose mean
    is :math:`\bar r` [1]_. A tied first relevant document enters with all its possible
    ranks, weighted by their probabilities, so ties increase the spread. The spread of a
    single query is due to its ties alone. A query without a relevant document is
    undefined and left out; `replace_undefined_by` is its rank.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import rank_standard_deviation
    >>> rank_standard_deviation([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.0
    >>> rank_standard_deviation([0, 1], [1, 1])
    0.5
    """


def median_deviation_of_first_rank(ranking):
    """Return the scaled median absolute deviation of a first relevant rank."""
    query, rank, probability = ranking.first_rank_law()
    n_queries = ranking.n_queries
    median = weighted_median(query, rank, probability, n_queries)
    distance = np.abs(rank - median[query])
    return NORMAL * weighted_median(query, distance, probability, n_queries)


@ranking_metric(
    "rank_median_absolute_deviation",
    median_deviation_of_first_rank,
    cutoff="never",
    greater_is_better=False,
    limits=(0, np.inf),
    pool=pooled_median_deviation,
    reads_first_rank=True,
)
def rank_median_absolute_deviation(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected",
    replace_undefined_by=np.nan, average="macro", adjusted=False, sample_weight=None,
    exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Median absolute deviation of the rank of the first relevant document (MAD).

    How much the ranks of different queries differ, robust to a few bad ranks. Smaller
    is better; as a scorer it is ``"neg_rank_median_absolute_deviation"``.

    Returns
    -------
    spread : float or ndarray of shape (n_queries,)
        0 or more. The best value is 0.0.

    See Also
    --------
    rank_standard_deviation : Every rank changes it.
    median_rank : The median of the same ranks.

    Notes
    -----
    .. math:: 1.4826 \, median_q \, |r_q - median(r_1, \dots, r_Q)|

    over the ranks :math:`r_q` of the first relevant documents of Q queries [1]_; the
    factor makes it the standard deviation of normally distributed ranks. A tied first
    relevant document enters with all its possible ranks, weighted by their
    probabilities, so ties increase the spread. The spread of a single query is due to
    its ties alone. A query without a relevant document is undefined and left out;
    `replace_undefined_by` is its rank.

    References
    ----------
    .. [1] C. T. Hoyt, M. Berrendorf, M. Galkin, V. Tresp and B. M. Gyori, "A Unified
       Framework for Rank-based Evaluation Metrics for Link Prediction in Knowledge
       Graphs", 2022.

    Examples
    --------
    >>> from skrank.metrics import rank_median_absolute_deviation
    >>> rank_median_absolute_deviation([[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]])
    1.48260221850560...
    >>> rank_median_absolute_deviation([0, 1], [1, 1])
    0.74130110925280...
    """
