"""Metrics of graded relevance: cumulative gains, and readers who stop."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from functools import partial

import numpy as np

from skrank._engine.answer import ranking_metric
from skrank._engine.request import Implied
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice, check_number, numeric_array
from skrank._ranking.arrays import accumulate_before, split_by_width
from skrank._ranking.queries import probability_of_first


@ranking_metric("cg", limits=(0, np.inf))
def cg_score(ranking, *, k=None):
    r"""Cumulative gain (CG): the sum of the grades of the top k documents.

    It does not depend on the order of these documents. Larger is better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of the ideal ranking, by `y_true`.

    See Also
    --------
    dcg_score : The same sum, discounted by rank.

    Notes
    -----
    With :math:`g_i` the grade of the document at rank i, 0 if it is not relevant,

    .. math:: CG@k = \sum_{i=1}^{k} g_i.

    With ties, every document of a tie group is equally likely at each of their places.
    A query without a relevant document has a cumulative gain of 0: the metric is never
    undefined.

    References
    ----------
    .. [1] Jarvelin and Kekalainen (2002)

    Examples
    --------
    >>> from skrank.metrics import cg_score
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1])
    6.0
    >>> cg_score([3, 1, 2, 0], [4, 3, 2, 1], k=2)
    4.0
    """
    places = ranking.mean_over_places(np.ones_like, k)
    return ranking.document_total(places, ranking.grade)


@ranking_metric("dcg", limits=(0, np.inf))
def dcg_score(ranking, *, k=None, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain (DCG).

    The sum of the gains of the top k documents, each discounted by its rank. Larger is
    better.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        0 or more. The best value is that of the ideal ranking, by gain.

    See Also
    --------
    ndcg_score : DCG divided by the DCG of the ideal ranking.
    sklearn.metrics.dcg_score : Linear gain, for a matrix.

    Notes
    -----
    With the gain :math:`g_i` of the document at rank i, 0 if it is not relevant,

    .. math:: DCG@k = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}.

    The gain :math:`2^{rel} - 1` [3]_ is the default of LightGBM, XGBoost and MatchZoo;
    scikit-learn and trec_eval use the grade itself [2]_. Each tied document gets the
    mean discount of their places [1]_. A query without a relevant document has a DCG of
    0: the metric is never undefined.

    References
    ----------
    .. [1] McSherry and Najork (2008)
    .. [2] Jarvelin and Kekalainen (2002)
    .. [3] Burges et al. (2005)

    Examples
    --------
    >>> from skrank.metrics import dcg_score
    >>> dcg_score([3, 0, 1], [3, 2, 1])
    7.5
    >>> dcg_score([3, 0, 1], [3, 2, 1], k=2, gain="linear")
    3.0
    """
    if own_gain(gain) is not None and ranking.ideal is ranking:
        ranking = ideal_by_gain(ranking, gain)
    weight = ranking.mean_over_places(discount_function(discount), k)
    return ranking.document_total(weight, gain_function(ranking, gain))


@ranking_metric("ndcg")
def ndcg_score(ranking, *, k=None, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain, normalized (NDCG).

    The DCG divided by the DCG of the ideal ranking (IDCG). Larger is better. The gain
    is exponential, as in LightGBM and XGBoost; :func:`sklearn.metrics.ndcg_score` has
    the linear one, ``gain="linear"``.

    See Also
    --------
    dcg_score : The DCG without normalization.
    sklearn.metrics.ndcg_score : Linear gain, for a matrix.

    Notes
    -----
    .. math:: NDCG@k = \frac{DCG@k}{IDCG@k}, \quad
        IDCG@k = \max_{\text{orderings}} DCG@k.

    The ideal ranking is the order by gain: by grade, but for a callable `gain` that
    does not increase with the grade. The gain :math:`2^{rel} - 1` [3]_ is the default
    of LightGBM, XGBoost and MatchZoo; scikit-learn and trec_eval use the grade itself
    [2]_. Each tied document gets the mean discount of their places [1]_. A query
    without a relevant document is undefined: 0 here, in scikit-learn and in trec_eval,
    1 in LightGBM and XGBoost.

    References
    ----------
    .. [1] McSherry and Najork (2008)
    .. [2] Jarvelin and Kekalainen (2002)
    .. [3] Burges et al. (2005)

    Examples
    --------
    >>> from skrank.metrics import ndcg_score
    >>> ndcg_score([3, 2, 0, 1, 0], [3, 2, 1, 1, 2], qid=[7, 7, 7, 8, 8])
    0.8154648767857288
    >>> ndcg_score([0, 1, 2, 0], [0.4, 0.2, 0.5, 0.7], k=2)
    0.5212960286143...
    >>> ndcg_score([[0, 1, 2, 0]], [[0.4, 0.2, 0.5, 0.7]], gain="linear")
    0.6433...
    """
    own = dcg_score.definition(ranking, k=k, gain=gain, discount=discount)
    ideal = dcg_score.definition(ranking.ideal, k=k, gain=gain, discount=discount)
    return np.divide(own, ideal, out=np.full_like(own, np.nan), where=ideal > 0)


def ideal_by_gain(ranking, gain):
    """Return the ideal ranking, in which larger gains come first."""
    if own_gain(gain) is None:  # the named gains increase with the grade
        return ranking.ideal
    ideal = ranking.ideal
    return ideal.ordered_by(ideal.grade_total(gain_function(ideal, gain)) / ideal.size)


def gains(ranking, gain):
    """Return the gain of each relevant document."""
    return gain_function(ranking, gain)(ranking.grade)


def gain_function(ranking, gain):
    """Return the function that maps grades of a ranking to their gains."""
    if (function := own_gain(gain)) is not None:
        return function
    if not isinstance(gain, str) or gain not in ("linear", "exponential"):
        check_gain(gain)
    lowest, highest = map(float, ranking.grade_range)
    if lowest < 0:
        raise ValueError(
            f"gain={gain!r} takes no negative grades, which would be negative gains. "
            f"Got a lowest grade of {lowest} in y_true; shift the grades."
        )
    if gain == "linear":
        return lambda grade: grade
    # 2 ** grade itself is to be a float, and so is the sum of all gains of a query.
    largest = MOST_BITS - np.log2(ranking.n_documents.max(initial=1))
    if highest >= largest:
        raise ValueError(
            f"Grades must be below {largest:.1f} with gain='exponential', or the sum "
            "of 2 ** grade over the documents of a query overflows. Got a highest "
            f"grade of {highest} in y_true: are these ids? Else pass gain='linear' or "
            "rescale the grades."
        )
    is_own = highest > MOST_GRADE and ranking.ideal is not ranking  # warn once
    if is_own and isinstance(gain, Implied):
        warn_caller(LARGE_GRADES, UserWarning)
    return _exponential


def _exponential(grade):
    gain = np.exp2(grade) - 1
    if len(grade) and grade.min() < 1:  # the difference has lost digits
        return np.where(grade < 1, np.expm1(grade * np.log(2)), gain)
    return gain


# LightGBM refuses higher grades.
MOST_GRADE = 30
LARGE_GRADES = (
    f"With grades above {MOST_GRADE} the default gain, 2 ** grade - 1, reads the "
    "highest grade and hardly any other. Are these ids? Else pass gain='linear', in a "
    "scorer name \"ndcg(gain='linear')@10\", or gain='exponential' if this is meant."
)

# 2 to this power is too large for a float.
MOST_BITS = 1024


def check_gain(gain):
    """Raise if `gain` is neither a name nor one of the user."""
    if own_gain(gain) is None:
        choices, words = ("exponential", "linear"), {"exp": "'exponential'"}
        others = ", a callable, or a list or a dict with the gain of each grade"
        check_choice(gain, choices, "gain", None, words, others)


def own_gain(gain):
    """Return the gain of a user as a function of grades; None for a named one."""
    if isinstance(gain, (list, tuple, Mapping)):
        known = gain if isinstance(gain, Mapping) else dict(enumerate(gain))
        return partial(_gain_of_each, known)
    return partial(_finite_values, gain, "gain") if callable(gain) else None


def _gain_of_each(known, grade):
    lacking = [one for one in np.unique(grade).tolist() if one not in known]
    if lacking:
        raise ValueError(f"The 'gain' parameter lacks the grade {lacking[0]:g}.")
    found = [known[one] for one in grade.tolist()]
    return numeric_array(found, "gain").astype(np.float64)


def discount_function(discount, caller=None, **further):
    """Return the function that maps ranks to their discounts.

    `further` are those of the `caller` that have names of their own.
    """
    if callable(discount):
        function = partial(_finite_values, discount, "discount")
        first = function(np.arange(1.0, 11.0))
        if (np.diff(first) > 0).any():
            raise ValueError(
                "The 'discount' parameter must not grow with the rank. Got "
                f"{first[:2]} for the ranks 1 and 2: return 1 / np.log2(rank + 1), not "
                "the divisor."
            )
        return function
    functions = _DISCOUNTS | further if further else _DISCOUNTS
    if not isinstance(discount, str) or discount not in functions:
        check_choice(discount, functions, "discount", caller, or_else=" or a callable")
    return functions[discount]


_DISCOUNTS = {
    "log2": lambda rank: 1 / np.log2(np.asarray(rank) + 1.0),
    "ln": lambda rank: 1 / np.log(np.asarray(rank) + 1.0),
    "reciprocal": lambda rank: 1 / np.asarray(rank, dtype=np.float64),
}


def _finite_values(function, name, argument):
    """Return the values of a user's function; raise if one is not a finite number."""
    words = f"The '{name}' parameter must return a finite number for each entry of an "
    words += "array, as np.vectorize(function) does. Got"
    try:
        values = np.asarray(function(argument), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{words} the error: {error}") from error
    if values.shape != np.shape(argument) or not np.isfinite(values).all():
        raise ValueError(f"{words} an array of shape {values.shape}, NaN or infinity.")
    return values


@ranking_metric("err")
def err_score(ranking, *, k=None, max_grade=None):
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
    The expectation over the orderings of tied documents is exact: the number of
    documents of a tie group at which a user would stop does not depend on the ordering,
    and given that number, the rank of the first of them has the negative hypergeometric
    distribution. gdeval, the
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
    highest = highest_grade(ranking, max_grade, "err_score")
    below = ranking.grade - highest
    # R = (2^g - 1) / 2^g_max = 2^(g - g_max) (1 - 2^-g), and 1 - R: both small ones too
    stop = np.exp2(below) * -np.expm1(-ranking.grade * np.log(2))
    missed = np.exp2(-highest) - np.expm1(below * np.log(2))
    first = np.cumsum(ranking.relevant) - ranking.relevant
    reach = accumulate_before(
        np.multiply, np.multiply.reduceat(missed, first), ranking.query
    )
    stopped = reach * stop_within(ranking, stop, k)
    terms = partial(stop_at_each, ranking, stop, reach, k)
    return ranking.where_relevant(ranking.total(stopped, terms))


# Groups of more relevant documents are looked at one by one, grade by grade.
MANY_RELEVANT = 64


def stop_within(ranking, stop, k):
    """Return the expected reciprocal of the rank at which a user stops in each group.

    The user would stop at each relevant document with the probability in `stop`. The
    number N of documents at which the user would stop does not depend on the order.
    Given N, all orders are equally likely, so that the first of these documents has
    the negative hypergeometric distribution:

        E[1 / rank] = sum_N P(N) sum_j C(n - j, N - 1) / C(n, N) / (above + j)

    with P(N) the Poisson binomial distribution (Chapelle et al., CIKM 2009, define the
    metric; Johnson, Kemp and Kotz, "Univariate Discrete Distributions", 3rd ed.,
    chapters 3 and 6, both distributions).
    """
    above, size, relevant = ranking.above, ranking.size, ranking.relevant
    first = np.cumsum(relevant) - relevant
    value = np.zeros(len(size))
    alone = size == 1
    read = alone if k is None else alone & (above < k)
    value[read] = stop[first[read]] / (above[read] + 1)
    if alone.all():
        return value
    tied = np.flatnonzero(~alone)
    places = _places_that_count(ranking, stop, k)
    few = tied[relevant[tied] <= MANY_RELEVANT]
    for rows, width in split_by_width(places[few]):
        rows = few[rows]
        rows = rows[np.argsort(-relevant[rows], kind="stable")]
        number = _number_of_stops(stop, first[rows], relevant[rows])
        stopped = _first_stop(size[rows], width, 0, number, relevant[rows])
        place = np.arange(1, width + 1)
        within = place <= places[rows, np.newaxis]
        rank = above[rows, np.newaxis] + place
        value[rows] = np.sum(stopped / rank, axis=1, where=within)
    for row in tied[relevant[tied] > MANY_RELEVANT]:
        of_group = stop[first[row] : first[row] + relevant[row]]
        start, number = _number_of_many(of_group)
        last = np.array([start + len(number) - 1])
        number = number[np.newaxis]
        stopped = _first_stop(size[[row]], places[row], start, number, last)
        value[row] = (stopped[0] / (above[row] + np.arange(1, places[row] + 1))).sum()
    return value


def stop_at_each(ranking, stop, reach, k):
    """Return the expected reciprocal of the rank at which a user stops at a document.

    Of each relevant document; the sum over a tie group is ``reach * stop_within``. The
    document d is at each place of the group with the same probability. At place j the
    user reads it if none of the j - 1 other documents before it stopped the user:

        E[1 / rank; stop at d] = R_d sum_j P(no stop at j - 1 of the others)
            / (above + j) / n
    """
    terms = np.empty(len(stop))
    first = np.cumsum(ranking.relevant) - ranking.relevant
    for group, size in enumerate(ranking.size):
        rows = slice(first[group], first[group] + ranking.relevant[group])
        rank = ranking.above[group] + np.arange(1, size + 1)
        weight = 1 / rank if k is None else (rank <= k) / rank
        for chance in np.unique(stop[rows]):
            others = np.delete(stop[rows], np.flatnonzero(stop[rows] == chance)[0])
            read = np.dot(weight, _chance_to_be_read(others, size)) / size
            alike = stop[rows] == chance
            terms[rows][alike] = reach[group] * chance * read
    return terms


def _chance_to_be_read(others, size):
    """Return the probability that a document is read at each place of its tie group.

    `others` has the probability of a stop at each of the other relevant documents.
    """
    if not len(others):
        return np.ones(size)
    start, number = _number_of_many(others)
    last, others = np.array([start + len(number) - 1]), np.array([size - 1])
    stopped = _first_stop(others, size - 1, start, number[np.newaxis], last)
    return np.append(1.0, 1 - np.cumsum(stopped[0]))


def _places_that_count(ranking, stop, k):
    """Return how many places of each group may hold the stop, but for 1e-20."""
    mean = ranking.grade_total(stop) / ranking.size
    with np.errstate(divide="ignore"):
        # The chance to pass d places is at most (1 - mean) ** d, by Maclaurin's
        # inequality.
        places = np.ceil(np.log(1e-20) / np.log1p(-mean))
    places = np.clip(places, 1, ranking.size)
    if k is not None:
        places = np.clip(k - ranking.above, 0, places)
    return places.astype(np.intp)


def _number_of_stops(stop, first, relevant):
    """Return the distribution of the number of stops in groups, the largest first."""
    # P_{j+1}(N) = P_j(N) (1 - R_{j+1}) + P_j(N - 1) R_{j+1}, and P_0(0) = 1
    number = np.zeros((len(first), relevant.max(initial=0) + 1))
    number[:, 0] = 1
    for j in range(number.shape[1] - 1):
        n_left = np.searchsorted(-relevant, -j)  # those with more than j
        block, chance = number[:n_left], stop[first[:n_left] + j, np.newaxis]
        moved = block[:, :-1] * chance
        block *= 1 - chance
        block[:, 1:] += moved
    return number


def _first_stop(size, width, start, number, last):
    """Return the probability of a stop at each place of groups.

    `number` has the probabilities of `start` stops, of one more, and so on. A group has
    no more than `last`, which falls from group to group.
    """
    first = max(start, 1)
    fewest = np.minimum(first, size)
    law = probability_of_first(size, fewest, max(width, 1))[:, :width]
    stopped = np.zeros_like(law)
    size, place = size[:, np.newaxis], np.arange(1, width + 1)
    for n in range(first, start + number.shape[1]):
        n_left = np.searchsorted(-last, -n, side="right")  # those with n or more
        size, law = size[:n_left], law[:n_left]
        stopped[:n_left] += number[:n_left, [n - start]] * law
        # C(m, n) / C(m, n - 1) = (m - n + 1) / n
        law = law * np.maximum(size - place - n + 1, 0)
        law *= (n + 1) / (n * np.maximum(size - n, 1))
    return stopped


def _number_of_many(stop):
    """Return (start, number): the distribution of the number of stops, from `start` on.

    It is the sum of independent numbers: a binomial one for each grade that many
    documents have, and those of the other documents, some at a time. Probabilities
    below 1e-35 are left out.
    """
    chance, count = np.unique(stop, return_counts=True)
    is_many = count > MANY_RELEVANT
    parts = list(map(_binomial, count[is_many], chance[is_many]))
    others = np.repeat(chance[~is_many], count[~is_many])
    if len(others):
        n_batches = -(-len(others) // MANY_RELEVANT)
        others = np.append(others, np.zeros(n_batches * MANY_RELEVANT - len(others)))
        first = np.arange(n_batches) * MANY_RELEVANT
        numbers = _number_of_stops(others, first, np.full(n_batches, MANY_RELEVANT))
        parts += [(0, number) for number in numbers]
    while len(parts) > 1:
        sums = [_sum_of(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)]
        parts = sums + parts[2 * len(sums) :]
    return parts[0]


def _sum_of(one, other):
    number = np.convolve(one[1], other[1])
    kept = np.flatnonzero(number > 1e-35)
    return one[0] + other[0] + kept[0], number[kept[0] : kept[-1] + 1]


def _binomial(n, p):
    """Return (start, number): the binomial distribution where it is above 1e-19."""
    # Bernstein's inequality bounds what lies farther from the mean.
    reach = 9.5 * np.sqrt(n * p * (1 - p)) + 30
    mode = int(min((n + 1) * p, n))
    low = np.arange(mode, max(n * p - reach, 0), -1)
    high = np.arange(mode, min(n * p + reach, n))
    down, up = np.ones(len(low)), np.ones(len(high))
    if len(low):
        down = np.cumprod(low / (n - low + 1) * ((1 - p) / p))[::-1]
    if len(high):
        up = np.cumprod((n - high) / (high + 1) * (p / (1 - p)))
    number = np.concatenate([down, [1.0], up])
    return mode - len(low), number / number.sum()


@ranking_metric("rbp")
def rbp_score(ranking, *, k=None, p=0.8, max_grade=None):
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
    check_number(p, "p", "rbp_score", low=0.0, high=1.0, ends="()")
    gain = ranking.grade / highest_grade(ranking, max_grade, "rbp_score")
    weight = ranking.mean_over_places(lambda rank: (1 - p) * p ** (rank - 1.0), k)
    return ranking.where_relevant(ranking.document_total(weight, gain))


def highest_grade(ranking, max_grade, caller):
    """Return `max_grade`, or the highest grade in `y_true` if it is None."""
    if ranking.grade_range[0] < 0:
        raise ValueError(
            f"{caller} takes no negative grades. Got a lowest grade of "
            f"{ranking.grade_range[0]} in y_true; shift the grades."
        )
    highest = float(ranking.grade_range[1])
    if max_grade is None:
        return highest or 1.0
    max_grade = check_number(max_grade, "max_grade", caller)
    if not max(highest, 0) <= max_grade < np.inf or max_grade == 0:
        raise ValueError(
            f"The 'max_grade' parameter of {caller} must be a finite number above 0 "
            f"and not below the highest grade, {highest}. Got {max_grade!r} instead."
        )
    return max_grade
