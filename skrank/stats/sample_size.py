"""How many queries a comparison needs."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import nctdtr
from scipy.stats import chi2, norm, t, trim_mean
from sklearn.utils import Bunch

from skrank._input.callers import warn_caller
from skrank._input.checks import check_level, numeric_array, shown
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.inference import ROUNDING, check_units, read_clusters, terms_of

# The level of the interval of the number of queries.
LEVEL = 0.95
# The power at which a difference counts as detectable, and a gate as decided.
POWER = 0.8
# The largest noncentrality: SciPy's probability is NaN from 1e12 on.
MOST_NONCENTRAL = 1e9


def required_queries(
    scores: QueryScores | ArrayLike,
    effect: float | ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> Bunch:
    r"""Compute how many queries a paired comparison needs to find a difference.

    They find it with a probability of 80 %. The standard deviation of the differences
    comes from a pilot. A small one says little about it, so look at the interval rather
    than at the number.

    Parameters
    ----------
    scores : QueryScores or array-like of shape (n_queries,)
        The pilot: two rankers and one metric, or the differences of the queries.
    effect : float or array-like of shape (n_effects,)
        The difference of the means to find, in units of the metric; or several of them,
        to see what a smaller one costs.
    confidence_level : float, default=0.95
        1 minus the level of the two-sided test. For one of m comparisons, 1 - 0.05 / m
        (Bonferroni) asks for a few more queries than "max-t" needs.

    Returns
    -------
    required : Bunch
        `n`, the number of queries; `low` and `high`, the same for the ends of a 95 %
        interval of the standard deviation. Of several effects each of them is an array
        of shape (n_effects,).

    Warns
    -----
    UserWarning
        If the pilot has two queries, or all of its differences are equal.

    See Also
    --------
    compare_rankers : Its `detectable` is the difference that the queries at hand find.

    Notes
    -----
    The smallest n for which a t test with noncentrality :math:`e \sqrt n / s` and
    n - 1 degrees of freedom rejects with this probability [1]_, with the effect e
    and the standard deviation s of the pilot.

    The interval of :math:`s^2` allows for the kurtosis of the differences [2]_.

    References
    ----------
    .. [1] Sakai, "Topic Set Size Design", Information Retrieval Journal 19 (2016).
    .. [2] D. G. Bonett, "Approximate Confidence Interval for Standard Deviation of
       Nonnormal Distributions", Computational Statistics & Data Analysis 50 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.stats import required_queries
    >>> pilot = np.random.RandomState(0).normal(0.02, 0.1, size=30)
    >>> required_queries(pilot, effect=0.02)
    {'n': 240, 'low': 139, 'high': 475}
    >>> required_queries(pilot, effect=[0.02, 0.05]).n
    array([240,  40])
    """
    effects = np.abs(numeric_array(effect, "effect").astype(np.float64))
    is_valid = effects.size and np.isfinite(effects).all() and effects.min() > 1e-100
    if effects.ndim > 1 or not is_valid:
        raise ValueError(
            "The 'effect' parameter of required_queries must be a finite number other "
            "than 0, which no number of queries finds, or an array of them. Got "
            f"{shown(effect)} instead."
        )
    check_level(confidence_level, "confidence_level", "required_queries")
    differences = _differences(scores)
    if isinstance(scores, QueryScores):
        limits = [of_ranker[0].limits for of_ranker in terms_of(scores.table)]
        given = "required_queries", scores.metrics[0], np.ptp(limits)
        check_units(effects.max(), "effect", *given)
    if len(differences) < 2:
        raise ValueError(
            "required_queries needs a pilot of at least two queries where the metric "
            f"is defined. Got {len(differences)}."
        )
    deviation = differences.std(ddof=1)
    if len(differences) == 2 or np.ptp(differences) <= ROUNDING * np.abs(effects).max():
        warn_caller(
            "The number of queries is a guess: a pilot of two queries, or of queries "
            "that all differ alike, does not show how much they vary. Got "
            f"{len(differences)} queries with a standard deviation of {deviation:.3g}.",
            UserWarning,
        )
    return needed(differences, effects, 1 - confidence_level)


def needed(differences, effects, level):
    """Return how many queries find effects at a level, and the ends of an interval."""
    effects, found = np.asarray(effects), Bunch()
    low, high = range_of_deviation(differences, LEVEL)
    deviations = {"n": differences.std(ddof=1), "low": low, "high": high}
    for name, deviation in deviations.items():
        numbers = [queries_needed(x, deviation, level) for x in effects.flat]
        found[name] = np.array(numbers) if effects.ndim else numbers[0]
    return found


def _differences(scores):
    """Return the differences of the pilot where they are defined."""
    if isinstance(scores, QueryScores):
        shape = scores.values.shape[:2]
        if shape != (2, 1):
            raise ValueError(
                "The 'scores' parameter of required_queries must have two rankers and "
                f"one metric. Got {shape[0]} and {shape[1]}: select them, as in "
                "scores[['bm25', 'dense', 'mrr']]."
            )
        found = differences_of(scores)
        if found is None:
            raise ValueError(
                "required_queries needs a metric that is the mean over queries, "
                "without weights, and each query once. Got "
                f"{scores.metrics[0]!r}."
            )
        return found
    values = numeric_array(scores, "scores").astype(np.float64)
    if values.ndim != 1 or np.isinf(values).any():
        raise ValueError(
            "The 'scores' parameter of required_queries must be a QueryScores, or an "
            f"array of shape (n_queries,) of finite differences. Got {values.shape}."
        )
    return values[~np.isnan(values)]


def differences_of(scores):
    """Return the differences of two rankers; None of queries that count differently."""
    (one,), (other,) = terms_of(scores.table)
    is_mean = one is not None and one.is_linear and one.is_mean and other.is_mean
    if not is_mean or read_clusters(None, scores.keys) is not None:
        return None
    return np.diff(scores.values[:, 0], axis=0)[0][one.known & other.known]


def power_of_t(noncentrality, df, level):
    """Return the probability that a two-sided t test rejects."""
    quantile = t.ppf(1 - level / 2, df)
    noncentrality = min(noncentrality, MOST_NONCENTRAL)
    # SciPy's probabilities can be NaN where they are negligible.
    near, far = np.nan_to_num(nctdtr(df, noncentrality, [quantile, -quantile]))
    return 1 - near + far


@lru_cache(maxsize=256)
def noncentrality(df, level):
    """Return the noncentrality at which a two-sided t test has the power."""
    if df < 1 or level <= 0:
        return np.inf
    if level >= POWER:
        return 0.0
    high = 4.0
    while power_of_t(high, df, level) < POWER:
        high *= 2
        if high > MOST_NONCENTRAL:
            return np.inf
    return brentq(lambda x: power_of_t(x, df, level) - POWER, 0, high, xtol=1e-10)


def queries_needed(effect, deviation, level):
    """Return the smallest number of queries that finds an effect."""
    if deviation == 0:
        return 2

    def is_enough(n):
        # The number may be too large for an integer of NumPy.
        found = power_of_t(effect * math.sqrt(n) / deviation, float(n - 1), level)
        return found >= POWER

    return int(fewest(is_enough, 2))


def fewest(is_enough, n, most=math.inf):
    """Return the fewest queries, at least n, that are enough; None above `most`."""
    low, high = n - 1, n
    while not is_enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def range_of_deviation(differences, confidence_level):
    """Return (low, high) of the standard deviation, by the method of Bonett (2006).

    Two differences have no kurtosis: their interval is that of normal variables.
    """
    n, variance = len(differences), differences.var(ddof=1)
    if variance == 0:
        return 0.0, 0.0
    if n == 2:
        tail = (1 - confidence_level) / 2
        return tuple(np.sqrt(variance / chi2.isf([tail, 1 - tail], 1)).tolist())
    trim = 0.5 / np.sqrt(n - 4) if n > 4 else 0.0
    middle = trim_mean(differences, min(trim, 0.499))
    squares = ((differences - differences.mean()) ** 2).sum()
    kurtosis = n * ((differences - middle) ** 4).sum() / squares**2
    z = norm.ppf((1 + confidence_level) / 2)
    # With fewer queries than z the factor would be negative.
    factor = n / max(n - z, 0.02)
    error = factor * np.sqrt(max(kurtosis - (n - 3) / n, 0) / (n - 1))
    ends = np.log(factor * variance) + z * error * np.array([-1, 1])
    return tuple(np.exp(ends / 2).tolist())
