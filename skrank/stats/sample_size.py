"""How many queries a comparison needs."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import nctdtr
from scipy.stats import chi2, t
from sklearn.utils import Bunch

from skrank._checks import check_number, numeric_array
from skrank.metrics import QueryScores
from skrank.stats.inference import check_level, estimates_of, terms_of

# The level of the interval of the number of queries.
LEVEL = 0.95


def required_queries(
    scores: QueryScores | ArrayLike,
    effect: float,
    *,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> Bunch:
    r"""Compute how many queries a paired comparison needs to find a difference.

    The standard deviation of the differences comes from a pilot. A small pilot says
    little about it, so look at the interval rather than at the number.

    Parameters
    ----------
    scores : QueryScores or array-like of shape (n_queries,)
        The pilot: two rankers and one metric, or the differences of the queries.
    effect : float
        The difference of the means to find, in units of the metric.
    power : float, default=0.8
        The probability to find it.
    confidence_level : float, default=0.95
        1 minus the level of the two-sided test. For several comparisons divide that
        level by their number, which is a little more careful than "max-t".

    Returns
    -------
    required : Bunch
        `n`, the number of queries; `low` and `high`, the same for the ends of a 95 %
        interval of the standard deviation.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or the pilot has fewer than two queries.

    See Also
    --------
    compare_rankers : Its `detectable` is the difference that the queries at hand find.

    Notes
    -----
    The smallest n for which a t test with noncentrality :math:`e \sqrt n / s` and
    n - 1 degrees of freedom rejects with the given probability [1]_, with the effect e
    and the standard deviation s of the pilot. Its interval is that of a normal
    variable, :math:`s \sqrt{\nu / \chi^2_\nu}`.

    References
    ----------
    .. [1] T. Sakai,
       "Topic Set Size Design", Information Retrieval Journal 19 (2016).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.stats import required_queries
    >>> pilot = np.random.RandomState(0).normal(0.02, 0.1, size=30)
    >>> required_queries(pilot, effect=0.02)
    {'n': 240, 'low': 153, 'high': 432}
    """
    effect = abs(check_number(effect, "effect", "required_queries"))
    if effect == 0:
        raise ValueError(
            "The 'effect' parameter of required_queries must not be 0: no number of "
            "queries finds it. Got 0.0."
        )
    check_level(power, "power", "required_queries")
    check_level(confidence_level, "confidence_level", "required_queries")
    level = 1 - confidence_level
    if power <= level:
        raise ValueError(
            "The 'power' parameter of required_queries must be greater than "
            f"1 - confidence_level. Got power={power} and "
            f"confidence_level={confidence_level}."
        )
    differences = _differences(scores)
    if len(differences) < 2:
        raise ValueError(
            "required_queries needs a pilot of at least two queries where the metric "
            f"is defined. Got {len(differences)}."
        )
    deviation = differences.std(ddof=1)
    if effect < 1e-9 * deviation:
        raise ValueError(
            "The 'effect' parameter of required_queries must be at least 1e-9 of the "
            f"standard deviation of the differences, {deviation:.3g}. Got {effect} "
            "instead."
        )
    low, high = range_of_deviation(deviation, len(differences) - 1, LEVEL)
    n, low, high = (
        queries_needed(effect, s, level, power) for s in (deviation, low, high)
    )
    return Bunch(n=n, low=low, high=high)


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
        (one,), (other,) = terms_of(scores.table, estimates_of(scores.table))
        if one is None or not one.is_linear or not (one.is_mean and other.is_mean):
            raise ValueError(
                "required_queries needs a metric that is the mean over queries, "
                f"without weights. Got {scores.metrics[0]!r}."
            )
        return np.diff(scores.values[:, 0], axis=0)[0][one.known & other.known]
    values = numeric_array(scores, "scores").astype(np.float64)
    if values.ndim != 1 or np.isinf(values).any():
        raise ValueError(
            "The 'scores' parameter of required_queries must be a QueryScores, or an "
            f"array of shape (n_queries,) of finite differences. Got {values.shape}."
        )
    return values[~np.isnan(values)]


def power_of_t(noncentrality, df, level):
    """Return the probability that a two-sided t test rejects."""
    quantile = t.ppf(1 - level / 2, df)
    noncentrality = min(noncentrality, 1e9)  # SciPy's probability is NaN from 1e12 on
    # SciPy's probabilities can be NaN where they are negligible.
    near, far = np.nan_to_num(nctdtr(df, noncentrality, [quantile, -quantile]))
    return 1 - near + far


@lru_cache(maxsize=256)
def noncentrality(df, level, power):
    """Return the noncentrality at which a two-sided t test has the given power."""
    if df < 1:
        return np.inf
    high = 4.0
    while power_of_t(high, df, level) < power:
        high *= 2
    return brentq(lambda x: power_of_t(x, df, level) - power, 0, high, xtol=1e-10)


def queries_needed(effect, deviation, level, power):
    """Return the smallest number of queries that finds an effect with some power."""
    if deviation == 0:
        return 2

    def is_enough(n):
        return power_of_t(effect * np.sqrt(n) / deviation, n - 1, level) >= power

    high = 2
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return int(high)


def range_of_deviation(deviation, df, confidence_level):
    """Return (low, high) of the standard deviation of normal differences."""
    tail = (1 - confidence_level) / 2
    return tuple(
        float(deviation * np.sqrt(df / chi2.ppf(q, df))) for q in (1 - tail, tail)
    )
