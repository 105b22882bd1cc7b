"""Adjusted p-values of families of tests."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np


def max_t(observed, flipped):
    """Return p-values adjusted by the step-down maximum of the statistics.

    The largest statistic is compared with the maximum over all columns of each flip,
    the next one with the maximum over the remaining columns, and so on. Since a flip
    changes the signs of a unit in all columns at once, the correlation of the tests
    counts (P. Westfall, S. Young, Resampling-Based Multiple Testing, 1993).

    Parameters
    ----------
    observed : ndarray of shape (n_tests,)
        The statistics, larger is more significant.
    flipped : ndarray of shape (n_flips, n_tests)
        Those of each flip, the first of which flips nothing. Overwritten.
    """
    order = np.argsort(observed, kind="stable")
    adjusted = np.empty(len(observed))
    largest = np.full(len(flipped), -np.inf)
    for j in order:
        np.maximum(largest, flipped[:, j], out=largest)
        least = observed[j] - 1e-10 * abs(observed[j])
        adjusted[j] = np.count_nonzero(largest >= least) / len(largest)
    down = order[::-1]
    adjusted[down] = np.maximum.accumulate(adjusted[down])
    return adjusted


def holm(pvalues):
    """Return the p-values of S. Holm, Scandinavian Journal of Statistics 6 (1979)."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(factors * pvalues[order])
    return np.minimum(adjusted, 1)


def benjamini_hochberg(pvalues):
    """Return the p-values of Y. Benjamini, Y. Hochberg, JRSS B 57 (1995).

    They control the expected fraction of false findings, not the probability of one.
    """
    order = np.argsort(pvalues, kind="stable")[::-1]
    n = len(pvalues)
    adjusted = np.empty(n)
    scaled = pvalues[order] * n / np.arange(n, 0, -1)
    adjusted[order] = np.minimum.accumulate(scaled)
    return np.minimum(adjusted, 1)
