"""The studentized bootstrap of ratios of sums over units."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._inference.units import distinct_columns

# So many samples are counted at a time: their counts stay in the cache.
BLOCK = 16


def studentized(top, bottom, *, confidence_level, n_resamples, seed):
    r"""Return (low, high) of each ratio of sums by the bootstrap-t [1]_.

    Each sample draws n units with replacement. Its :math:`t^* = (R^* - R) / se^*`
    with :math:`se^{*2} = \sum u^{*2} / (\sum b^*)^2` are the quantiles of
    :math:`(R - \rho) / se`. Since :math:`\sum (t - R b)^2 = \sum t^2 - 2 R \sum t b
    + R^2 \sum b^2`, all that a sample needs are sums of columns weighted by how often
    each unit was drawn.

    .. [1] B. Efron, "Nonparametric Standard Errors and Confidence Intervals", Canadian
       Journal of Statistics 9 (1981); P. Hall, The Bootstrap and Edgeworth Expansion
       (1992).

    Parameters
    ----------
    top, bottom : ndarray of shape (n_units, n_columns)
        The terms of the sums; zeros where a unit has no value.
    confidence_level : float
        The level.
    n_resamples : int
        The number of samples.
    seed : int
        The seed of the samples.
    """
    n, n_columns = top.shape
    moments = [top, bottom, top * top, top * bottom, bottom * bottom]
    columns, places = distinct_columns(np.hstack(moments))
    drawn = np.empty((n_resamples, columns.shape[1]))
    rng = np.random.default_rng(seed)
    shift = n * np.arange(BLOCK)[:, None]
    for start in range(0, n_resamples, BLOCK):
        size = min(BLOCK, n_resamples - start)
        rows = rng.integers(n, size=(size, n))
        rows += shift[:size]
        counts = np.bincount(rows.ravel(), minlength=size * n).reshape(size, n)
        drawn[start : start + size] = counts @ columns
    whole = columns.sum(axis=0)
    ends = np.empty((2, n_columns))
    tail = (1 - confidence_level) / 2
    for j, place in enumerate(places.reshape(5, n_columns).T):
        if np.count_nonzero(bottom[:, j]) < 2:
            ends[:, j] = -np.inf, np.inf
            continue
        estimate, error = _estimate(whole[place], n)
        estimates, errors = _estimate(drawn[:, place].T, n)
        if error == 0:
            ends[:, j] = estimate
            continue
        # A sample without a spread has an infinite t, of the sign of its difference.
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (estimates - estimate) / errors
        t = np.where(np.isnan(t), 0.0, t)
        low, high = np.quantile(t, [tail, 1 - tail], method="inverted_cdf")
        ends[:, j] = estimate - error * high, estimate - error * low
    return ends


def _estimate(sums, n):
    """Return the ratio and its standard error from the five sums."""
    top, bottom, tops, both, bottoms = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top / bottom
        squares = tops - 2 * ratio * both + ratio**2 * bottoms
    # A sum of squares below the rounding error of its terms is 0.
    squares = np.where(squares > 1e-13 * tops, squares, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ratio, np.sqrt(n / max(n - 1, 1) * squares) / np.abs(bottom)
