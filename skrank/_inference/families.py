"""Adjusted p-values of families of tests."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np


def max_t(observed, blocks):
    """Return p-values adjusted by the step-down maximum of the statistics.

    The largest statistic is compared with the maximum over all tests of each flip, the
    next one with the maximum over the remaining tests, and so on. Since a flip changes
    the signs of a unit in all tests at once, the correlation of the tests counts (P.
    Westfall, S. Young, Resampling-Based Multiple Testing, 1993).

    Parameters
    ----------
    observed : ndarray of shape (n_tests,)
        The statistics, larger is more significant.
    blocks : iterable of ndarray of shape (n_tests, n_flips)
        Those of some flips at a time, one of which flips nothing. Overwritten.
    """
    order = np.argsort(observed, kind="stable")
    least = (observed - 1e-10 * np.abs(observed))[order, None]
    reached, n_flips = np.zeros(len(observed), dtype=np.intp), 0
    for block in blocks:
        largest = block[order]
        np.maximum.accumulate(largest, axis=0, out=largest)
        reached += np.count_nonzero(largest >= least, axis=1)
        n_flips += block.shape[1]
    adjusted = np.empty(len(observed))
    adjusted[order[::-1]] = np.maximum.accumulate(reached[::-1] / n_flips)
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
