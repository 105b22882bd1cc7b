"""Metrics of a reader who goes down the list and stops."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_number, check_persistence
from skrank._ranking.blocks import split_by_width
from skrank._ranking.neighbours import accumulate_before
from skrank.metrics._metric import ranking_metric


def expected_reciprocal_rank(ranking, *, k=None, max_grade=None):
    """Return the expected reciprocal of the rank at which a user is satisfied."""
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
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    max_grade=None,
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
    r"""Reciprocal rank at which a user expects to stop (ERR).

    A user reads down the list and stops at a document with a chance that grows with its
    grade; ERR expects one over the rank of the stop. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the order by `y_true`.

    See Also
    --------
    mrr_score : The stop is at the first relevant document.
    rbp_score : The user stops at any rank alike.
    ndcg_score : No stop: every document counts by its rank.

    Notes
    -----
    With the grade :math:`g_i` of the document at rank i, 0 if it is not relevant, and
    the chance :math:`R_i = (2^{g_i} - 1) / 2^{g_{max}}` to stop there [1]_,

    .. math:: ERR@k = \sum_{i=1}^{k} \frac{1}{i} R_i \prod_{j < i} (1 - R_j).

    Even the highest grade lets some users pass, so that the best value is below 1. The
    expectation over the orders of tied documents is exact: the mean over all orders of
    a product of d of the :math:`1 - R_j` of a class is its d-th elementary symmetric
    polynomial over the number of its terms. gdeval, the tool of the TREC web track, has
    a `max_grade` of 4. A query without a relevant document is undefined.

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
    """Return the expected reciprocal of the rank at which a user stops in each run.

    The chance to pass a document is in `missed`. The mean over all orders of the chance
    to pass the first d of n tied documents is M_d; a document that joins m - 1 others
    changes it to ((m - d) M_d + d u M_{d-1}) / m, which never leaves [0, 1].
    """
    above, size, relevant = ranking.above, ranking.size, ranking.relevant
    first = np.cumsum(relevant) - relevant
    value = np.zeros(len(size))
    for rows, width in split_by_width(_places_that_count(ranking, missed, k)):
        rows = rows[np.argsort(-relevant[rows], kind="stable")]
        place = np.arange(1, width + 1)
        passed = np.ones((len(rows), width + 1))
        others = (size - relevant)[rows, np.newaxis]
        joining = relevant[rows]
        for j in range(joining[0]):
            rows_left = np.searchsorted(-joining, -j)  # those with more than j
            block = passed[:rows_left]
            share = np.minimum(place / (others[:rows_left] + j + 1), 1)
            u = missed[first[rows[:rows_left]] + j, np.newaxis]
            block[:, 1:] += share * (u * block[:, :-1] - block[:, 1:])
        stopped = passed[:, :-1] - passed[:, 1:]
        rank = above[rows, np.newaxis] + place
        within = place <= size[rows, np.newaxis]
        if k is not None:
            within &= rank <= k
        value[rows] = np.sum(stopped / rank, axis=1, where=within)
    return value


def _places_that_count(ranking, missed, k):
    """Return how many places of each run may hold the stop, but for 1e-20."""
    relevant = ranking.grade_total(missed) + ranking.size - ranking.relevant
    with np.errstate(divide="ignore"):
        # M_d is at most M_1 ** d, by Maclaurin's inequality.
        places = np.ceil(np.log(1e-20) / np.log(relevant / ranking.size))
    places = np.where(relevant < ranking.size, np.maximum(places, 1), np.inf)
    places = np.minimum(places, ranking.size)
    if k is not None:
        places = np.clip(k - ranking.above, 0, places)
    return places.astype(np.intp)


def rank_biased_precision(ranking, *, k=None, p=0.8, max_grade=None):
    """Return the gain per document that a user of persistence p reads."""
    check_persistence(p, "rbp_score")
    gain = ranking.grade / highest_grade(ranking, max_grade, "rbp_score")
    weight = ranking.mean_over_places(lambda rank: (1 - p) * p ** (rank - 1.0), k)
    return ranking.where_relevant(ranking.total(ranking.grade_total(gain) * weight))


@ranking_metric("rbp", rank_biased_precision)
def rbp_score(
    y_true,
    y_score,
    *,
    qid=None,
    k=None,
    p=0.8,
    max_grade=None,
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
    r"""Rank-biased precision (RBP).

    A user reads the first document and goes on from each to the next with chance p; RBP
    is the gain per document read. Larger is better.

    Parameters
    ----------
    p : float, default=0.8
        The persistence of a user: the chance to go on from a rank to the next. Above 0
        and below 1.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        Between 0 and 1. The best value is that of the order by `y_true`.

    See Also
    --------
    err_score : The user stops when satisfied.
    rbo_score : The same user compares two orders.
    dcg_score : Weights that fall more slowly.

    Notes
    -----
    With the grade :math:`g_i` of the document at rank i, 0 if it is not relevant,

    .. math:: RBP@k = (1 - p) \sum_{i=1}^{k} \frac{g_i}{g_{max}} p^{i - 1}

    which is the measure of [1]_ for 0/1 grades. Grades are divided by `max_grade`, so
    that the value stays between 0 and 1; some libraries take the grades as they are. A
    list of n documents reaches at most 1 - p^n. Tied documents share their places
    alike. A query without a relevant document is undefined.

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
    """Return the grade that others are measured by: `max_grade`, if it is not None."""
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
            f"The 'max_grade' parameter of {caller} must be a finite number above 0, "
            f"and no less than the highest grade, {highest}. Got {max_grade!r} instead."
        )
    return max_grade
