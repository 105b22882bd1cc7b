"""The power of paired comparisons, by the noncentral t distribution.

The t statistic of n differences with mean e and standard deviation s is noncentral t
with n - 1 degrees of freedom and noncentrality e sqrt(n) / s (T. Sakai, "Topic Set Size
Design", Information Retrieval Journal 19, 2016).
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import nctdtr
from scipy.stats import chi2, t


def power_of_t(noncentrality, df, alpha):
    """Return the probability that a two-sided t test rejects."""
    quantile = t.ppf(1 - alpha / 2, df)
    noncentrality = min(noncentrality, 1e9)  # SciPy's probability is NaN from 1e12 on
    # SciPy's probabilities can be NaN where they are negligible.
    near, far = np.nan_to_num(nctdtr(df, noncentrality, [quantile, -quantile]))
    return 1 - near + far


@lru_cache(maxsize=256)
def noncentrality(df, alpha, power):
    """Return the noncentrality at which a two-sided t test has the given power."""
    if df < 1:
        return np.inf
    high = 4.0
    while power_of_t(high, df, alpha) < power:
        high *= 2
    return brentq(lambda x: power_of_t(x, df, alpha) - power, 0, high, xtol=1e-10)


def queries_needed(effect, deviation, alpha, power):
    """Return the smallest number of queries that finds an effect with some power."""
    if deviation == 0:
        return 2

    def is_enough(n):
        return power_of_t(effect * np.sqrt(n) / deviation, n - 1, alpha) >= power

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
