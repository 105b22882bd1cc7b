r"""Intervals and tests that hold at every look at growing data.

The asymptotic confidence sequence of I. Waudby-Smith, D. Arbour, R. Sinha, E. Kennedy,
A. Ramdas, "Time-Uniform Central Limit Theory and Asymptotic Confidence Sequences",
Annals of Statistics 52 (2024). After n queries its lower end is the mean less r
standard errors, with

.. math:: r^2 = 2 \frac{n \rho^2 + 1}{n \rho^2}
   \log\left(1 + \frac{\sqrt{n \rho^2 + 1}}{2 \alpha}\right),

and for all n together the probability that one of the lower ends is above the mean of
the population is at most :math:`\alpha`, in the limit of many queries.

Few queries have the quantile of Student's t with the same tail as r of the normal
distribution. So a test at every look is a t test at a stricter level.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.stats import norm

# The number of queries at which the sequence is the narrowest, at a level of 5 %. It
# must not depend on the data, and 50 to 1,000 queries lose little by this one.
N_TUNED = 200
# The paper's choice for this number: rho^2 = (-2 log a + log(-2 log a + 1)) / n.
RHO2 = (-2 * np.log(0.05) + np.log(-2 * np.log(0.05) + 1)) / N_TUNED


def strict_level(level, n):
    """Return the level of a one-sided t test that holds it at every look.

    `n` is the number of units, at a look with this many.
    """
    time = np.asarray(n, dtype=np.float64) * RHO2
    boundary = np.log1p(np.sqrt(time + 1) / (2 * level))
    return norm.sf(np.sqrt(2 * (time + 1) / time * boundary))


def pvalue(p, n):
    """Return the smallest level at which a one-sided t test of p-value p rejects.

    The inverse of :func:`strict_level`, at most 1.
    """
    time = np.asarray(n, dtype=np.float64) * RHO2
    z = np.maximum(norm.isf(p), 0)
    with np.errstate(divide="ignore", over="ignore"):
        found = np.sqrt(time + 1) / (2 * np.expm1(z**2 * time / (2 * (time + 1))))
    return np.minimum(found, 1.0)


def level_of_interval(confidence_level, n):
    """Return the level of a two-sided t interval that holds it at every look."""
    return float(1 - 2 * strict_level((1 - confidence_level) / 2, max(n, 1)))
