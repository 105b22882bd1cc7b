"""The training rows of a ranker, grouped by query."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing


class Rows(NamedTuple):
    """Documents with their grades, queries and weights."""

    X: Any
    y: np.ndarray  # (n_samples,), the grades
    codes: np.ndarray  # (n_samples,), the query of each row: 0, ..., n_queries - 1
    weight: Any = None  # (n_samples,)

    @property
    def sizes(self):
        """The number of rows of each query."""
        return np.bincount(self.codes)

    def take(self, rows):
        """Return some of the rows, with their queries renumbered from 0."""
        _, codes = np.unique(self.codes[rows], return_inverse=True)
        return Rows(
            _safe_indexing(self.X, rows),
            self.y[rows],
            codes.reshape(-1),
            None if self.weight is None else _safe_indexing(self.weight, rows),
        )

    def by_query(self):
        """Return the rows sorted by query; within a query they keep their order."""
        if (self.codes[1:] >= self.codes[:-1]).all():
            return self
        return self.take(np.argsort(self.codes, kind="stable"))

    def weight_of_queries(self):
        """Return the mean weight of each query, and whether all its rows have it."""
        weight = np.asarray(self.weight, dtype=np.float64)
        mean = np.bincount(self.codes, weights=weight) / self.sizes
        return mean, np.allclose(weight, mean[self.codes], rtol=1e-6, atol=0)


def informative_queries(y, codes):
    """Return for each query whether its documents have different grades."""
    low = np.full(codes.max() + 1, np.inf)
    high = np.full(codes.max() + 1, -np.inf)
    np.minimum.at(low, codes, y)
    np.maximum.at(high, codes, y)
    return low < high
