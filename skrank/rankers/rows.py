"""The rows that a ranker learns from, and what is checked of them."""

# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state, check_scalar


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


# The highest grade of each library: its gain, 2^grade - 1, must fit into 32 bits.
XGBOOST_MAX = 31
LIGHTGBM_MAX = 30


def check_different(y):
    """Raise if all documents have the same grade."""
    if len(y) > 1 and (y == y[0]).all():
        raise ValueError(
            "The 'y' parameter of fit must hold different grades: from equal grades "
            "there is nothing to learn. Check that y is the relevance and, in "
            "cross-validation, that each training set has relevant documents (use "
            "fewer folds, a larger max_queries, or "
            "skrank.model_selection.StratifiedQueryKFold). Got only the grade "
            f"{y[0]:g} instead."
        )


def check_informative(estimator, rows):
    """Raise unless the documents of some query have different grades."""
    # For a single row the libraries raise errors of their own.
    if len(rows.y) > 1 and not informative_queries(rows.y, rows.codes).any():
        raise ValueError(
            f"{type(estimator).__name__} learns from queries whose documents have "
            "different grades. Check that the query ids identify lists rather than "
            f"rows. Got {rows.codes.max() + 1} queries of {len(rows.y)} rows, each "
            "with equal grades."
        )


def check_lightgbm(estimator, y):
    """Raise if LightGBM's ranking objectives have no gain for some grade."""
    params = estimator.get_params()
    if params.get("objective") not in (None, "lambdarank", "rank_xendcg"):
        return
    gains = params.get("label_gain")
    largest = LIGHTGBM_MAX if gains is None else len(gains) - 1
    _check_integers(
        estimator,
        y,
        largest,
        "'label_gain' lists the gain of each grade: number the grades from 0 "
        "(np.unique(y, return_inverse=True)[1]) and pass LGBMRanker(label_gain=[...]) "
        "with one gain for each of them",
    )


def check_xgboost(estimator, y):
    """Raise if XGBoost's ranking objectives do not accept some grade."""
    params = estimator.get_params()
    objective = params.get("objective") or "rank:ndcg"
    if objective == "rank:map" and not np.isin(y, (0, 1)).all():
        raise ValueError(
            f"{type(estimator).__name__} with objective='rank:map' takes the grades 0 "
            "and 1: pass (y > 0).astype(int), or use objective='rank:ndcg'. Got "
            f"{_first(y, ~np.isin(y, (0, 1)))} instead."
        )
    if objective != "rank:ndcg":
        return
    if params.get("ndcg_exp_gain") is False:
        if (y < 0).any():
            raise ValueError(
                f"{type(estimator).__name__} takes grades that are not negative: "
                f"subtract the lowest grade. Got {_first(y, y < 0)} instead."
            )
        return
    _check_integers(
        estimator,
        y,
        XGBOOST_MAX,
        "its gain is 2**grade - 1: pass XGBRanker(ndcg_exp_gain=False), whose gain is "
        "the grade itself, or number the grades from 0 "
        "(np.unique(y, return_inverse=True)[1])",
    )


def _check_integers(estimator, y, largest, cure):
    wrong = (y < 0) | (y > largest) | (y != np.floor(y))
    if wrong.any():
        raise ValueError(
            f"{type(estimator).__name__} takes as grades the integers 0 to {largest}, "
            f"since {cure}. Got {_first(y, wrong)} instead."
        )


def _first(y, wrong):
    return f"{float(y[wrong][0]):g}"


def check_max_queries(max_queries):
    """Raise unless the number of queries is None or at least 2."""
    if max_queries is not None:
        check_scalar(max_queries, "max_queries", Integral, min_val=2)


def draw_queries(rows, max_queries, random_state):
    """Return the rows of at most `max_queries` queries.

    They are the first queries of one random order of the sorted query ids. So fewer
    queries are a part of more queries, and the order of the rows plays no part.
    """
    n_queries = len(rows.sizes)
    if max_queries is None or max_queries >= n_queries:
        return rows
    order = check_random_state(random_state).permutation(n_queries)
    is_drawn = np.zeros(n_queries, dtype=bool)
    is_drawn[order[:max_queries]] = True
    drawn = rows.take(np.flatnonzero(is_drawn[rows.codes]))
    check_different(drawn.y)
    return drawn
