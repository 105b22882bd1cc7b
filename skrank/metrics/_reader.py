"""Metrics of a user who reads down the list and stops."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_number, check_persistence
from skrank._ranking.blocks import split_by_width
from skrank._ranking.neighbours import accumulate_before
from skrank.metrics._metric import ranking_metric


def expected_reciprocal_rank(ranking, *, k=None, max_grade=None):
    """Return the expected reciprocal of the rank at which a user stops."""
    highest = highest_grade(ranking, max_grade, "err_score")
    missed = 1 - (np.exp2(ranking.grade - highest) - np.exp2(-highest))
    first = np.cumsum(ranking.relevant) - ranking.relevant
    reach = accumulate_before(
        np.multiply, np.multiply.reduceat(missed, first), ranking.query
    )
    return ranking.where_relevant(
        ranking.total(reach * stop_within(ranking, missed, k))
    )


@ranking_metric("err", expected_reciprocal_rank)
def err_score(
    y_true, y_score, *, qid=None, k=None, max_grade=None, threshold=0.0,
    ties="expected", replace_undefined_by=0.0, average="macro", adjusted=False,
    sample_weight=None, exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Reciprocal rank at which a user expects to stop (ERR).

    A user reads down the list and stops at each document with a probability that grows
    with its grade; ERR is the expectation of one over the rank of the last document
    read. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the ideal ranking, by `y_true`.

    See Also
    --------
    mrr_score : The user always stops at the first relevant document.
    rbp_score : The user stops with the same probability at every rank.
    ndcg_score : The user does not stop; a discount depends on the rank alone.

    Notes
    -----
    With the grade :math:`g_i` of the document at rank i, 0 if it is not relevant, and
    the probability :math:`R_i = (2^{g_i} - 1) / 2^{g_{max}}` of stopping there [1]_,

    .. math:: ERR@k = \sum_{i=1}^{k} \frac{1}{i} R_i \prod_{j < i} (1 - R_j).

    Since some users continue even after the highest grade, the best value is below 1.
    The expectation over the orderings of tied documents is exact: the mean over all
    orderings of the product of the first d of the :math:`1 - R_j` of a tie group is the
    d-th elementary symmetric polynomial divided by the number of its terms. gdeval, the
    tool of the TREC web track, has a `max_grade` of 4. A query without a relevant
    document is undefined.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, "Expected Reciprocal Rank
       for Graded Relevance", CIKM 2009.

    Examples
    --------
    >>> from skrank.metrics import err_score
    >>> err_score([3, 0, 1], [3, 2, 1])
    0.8802083333333334
    >>> err_score([0, 1, 0, 1], [4, 3, 2, 1], k=2)
    0.25
    >>> err_score([0, 1, 0, 1], [4, 3, 2, 1], k=2, max_grade=4)
    0.03125
    """


def stop_within(ranking, missed, k):
    """Return the expected 1 / rank of a stop within each tie group, if it is reached.

    `missed` holds the probabilities u_1, ..., u_n of continuing after each document of
    a tie group. The probability of continuing after the first d of them, in the mean
    over their orderings, is M_d = e_d(u_1, ..., u_n) / C(n, d), with the elementary
    symmetric polynomial e_d. With t documents above the group, the result is

        sum_d (M_{d-1} - M_d) / (t + d).

    When a document with probability u joins m - 1 others, e_d becomes e_d + u e_{d-1},
    so M_d becomes ((m - d) M_d + d u M_{d-1}) / m, a mean that stays within [0, 1].
    """
    above, size, relevant = ranking.above, ranking.size, ranking.relevant
    first = np.cumsum(relevant) - relevant
    value = np.zeros(len(size))
    for rows, width in split_by_width(_places_that_count(ranking, missed, k)):
        rows = rows[np.argsort(-relevant[rows], kind="stable")]
        place = np.arange(1, width + 1)
        passed = np.ones((len(rows), width + 1))
        # The non-relevant documents have u = 1, so M_d = 1 before a relevant one joins.
        others = (size - relevant)[rows, np.newaxis]
        joining = relevant[rows]
        for j in range(joining[0]):
            rows_left = np.searchsorted(-joining, -j)  # groups with more than j
            block = passed[:rows_left]
            fraction = np.minimum(place / (others[:rows_left] + j + 1), 1)  # d / m
            u = missed[first[rows[:rows_left]] + j, np.newaxis]
            block[:, 1:] += fraction * (u * block[:, :-1] - block[:, 1:])
        stopped = passed[:, :-1] - passed[:, 1:]
        rank = above[rows, np.newaxis] + place
        within = place <= size[rows, np.newaxis]
        if k is not None:
            within &= rank <= k
        value[rows] = np.sum(stopped / rank, axis=1, where=within)
    return value


def _places_that_count(ranking, missed, k):
    """Return the number of places of each tie group that users reach at all.

    Fewer than a fraction of 1e-20 of them read on after these places.
    """
    total = ranking.grade_total(missed) + ranking.size - ranking.relevant
    with np.errstate(divide="ignore"):
        # M_1 >= M_2^(1/2) >= M_3^(1/3) >= ... (Maclaurin's inequality), and therefore
        # M_d <= M_1^d with M_1 = (u_1 + ... + u_n) / n. Solve M_1^d = 1e-20 for d.
        places = np.ceil(np.log(1e-20) / np.log(total / ranking.size))
    places = np.where(total < ranking.size, np.maximum(places, 1), np.inf)
    places = np.minimum(places, ranking.size)
    if k is not None:
        places = np.clip(k - ranking.above, 0, places)
    return places.astype(np.intp)


def rank_biased_precision(ranking, *, k=None, p=0.8, max_grade=None):
    """Return the expected gain per document read by a user with persistence p."""
    check_persistence(p, "rbp_score")
    gain = ranking.grade / highest_grade(ranking, max_grade, "rbp_score")
    weight = ranking.mean_over_places(lambda rank: (1 - p) * p ** (rank - 1.0), k)
    return ranking.where_relevant(ranking.total(ranking.grade_total(gain) * weight))


@ranking_metric("rbp", rank_biased_precision)
def rbp_score(
    y_true, y_score, *, qid=None, k=None, p=0.8, max_grade=None, threshold=0.0,
    ties="expected", replace_undefined_by=0.0, average="macro", adjusted=False,
    sample_weight=None, exclude=None, judged=None, returned=None,
):  # fmt: skip
    r"""Rank-biased precision (RBP).

    A user reads the first document and continues from each to the next with probability
    p; RBP is the expected gain divided by the expected number of documents read. Larger
    is better.

    Parameters
    ----------
    p : float, default=0.8
        The persistence of a user: the probability of continuing from one rank to the
        next. Above 0 and below 1.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the ideal ranking, by `y_true`.

    See Also
    --------
    err_score : The user stops with a probability that depends on the grade.
    rbo_score : The same user compares two rankings.
    dcg_score : A discount that decreases more slowly.

    Notes
    -----
    With the grade :math:`g_i` of the document at rank i, 0 if it is not relevant,

    .. math:: RBP@k = (1 - p) \sum_{i=1}^{k} \frac{g_i}{g_{max}} p^{i - 1}

    which is the measure of [1]_ for 0/1 grades. Dividing the grades by `max_grade`
    keeps the value between 0 and 1; some libraries use the grades themselves. A list of
    n documents has a value of at most 1 - p^n. Each tied document gets the mean
    discount of their places. A query without a relevant document is undefined.

    References
    ----------
    .. [1] A. Moffat and J. Zobel, "Rank-Biased Precision for Measurement of Retrieval
       Effectiveness", ACM TOIS 27(1), 2008.

    Examples
    --------
    >>> from skrank.metrics import rbp_score
    >>> rbp_score([1, 0, 1, 0], [4, 3, 2, 1], p=0.5)
    0.625
    >>> rbp_score([2, 0, 1, 0], [4, 3, 2, 1], p=0.5)
    0.5625
    >>> rbp_score([2, 0, 1, 0], [4, 3, 2, 1], p=0.5, k=2)
    0.5
    """


def highest_grade(ranking, max_grade, caller):
    """Return `max_grade`, or the highest grade in `y_true` if it is None."""
    if ranking._grade_range[0] < 0:
        raise ValueError(
            f"{caller} takes no negative grades. Got a lowest grade of "
            f"{ranking._grade_range[0]} in y_true; shift the grades."
        )
    highest = float(ranking._grade_range[1])
    if max_grade is None:
        return highest or 1.0
    max_grade = check_number(max_grade, "max_grade", caller)
    if not max(highest, 0) <= max_grade < np.inf or max_grade == 0:
        raise ValueError(
            f"The 'max_grade' parameter of {caller} must be a finite number above 0 "
            f"and not below the highest grade, {highest}. Got {max_grade!r} instead."
        )
    return max_grade
