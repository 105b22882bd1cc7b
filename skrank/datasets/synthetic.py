"""Synthetic ranking data: graded lists of different lengths."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, check_scalar

from skrank._checks import check_count
from skrank._types import Seed


def make_ranking(
    n_queries: int = 100,
    *,
    n_documents: int | tuple[int, int] = (5, 40),
    n_features: int = 20,
    n_informative: int = 5,
    n_grades: int = 5,
    noise: float = 0.5,
    unanswered: float = 0.05,
    random_state: Seed | None = None,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Generate graded lists of different lengths.

    Each document has standard normal features. Its utility is a linear combination
    of the informative ones plus noise. Its grade depends on how high its utility is
    among all documents: each grade is about half as frequent as the one below it.

    Parameters
    ----------
    n_queries : int, default=100
        Number of queries.
    n_documents : int or pair of int, default=(5, 40)
        Number of documents of each query, or the minimum and the maximum: then the
        lengths of the lists are drawn uniformly between the two, both included.
    n_features : int, default=20
        Number of features.
    n_informative : int, default=5
        Number of features that the utility depends on, at random positions.
    n_grades : int, default=5
        Number of grades, which are 0, 1, ..., `n_grades - 1`. With 2, relevance is
        binary.
    noise : float, default=0.5
        Standard deviation of the noise in the utility. The part explained by the
        features has a standard deviation of 1.
    unanswered : float, default=0.05
        Fraction of queries without a relevant document, rounded to a whole number of
        queries. All other queries have at least one.
    random_state : int, RandomState instance or None, default=None
        Determines the data. Pass an int for the same data in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The grades, integers from 0 (not relevant) to `n_grades - 1`.
    qid : ndarray of shape (n_samples,)
        The query of each row, an integer from 0 to `n_queries - 1`. The rows of a
        query are consecutive.

    Raises
    ------
    ValueError
        If an argument is out of range.
    TypeError
        If an argument is not a number of the kind described.

    See Also
    --------
    load_digits_retrieval : Real queries and documents, with binary relevance.

    Examples
    --------
    >>> from skrank.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=3, n_documents=4, random_state=0)
    >>> X.shape
    (12, 20)
    >>> qid
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    n_queries = check_count(n_queries, "n_queries")
    n_features = check_count(n_features, "n_features")
    n_informative = check_count(n_informative, "n_informative", most=n_features)
    n_grades = check_count(n_grades, "n_grades", least=2)
    noise = _check_real(noise, "noise")
    unanswered = _check_real(unanswered, "unanswered", most=1.0)
    rng = check_random_state(random_state)

    lengths = draw_list_lengths(n_queries, n_documents, rng)
    qid = np.repeat(np.arange(n_queries), lengths)
    X = rng.standard_normal((len(qid), n_features))
    utility = X @ _unit_weights(n_features, n_informative, rng)
    utility += noise * rng.standard_normal(len(qid))
    y = _grades(utility, n_grades)

    # The best document of a query is relevant, even if its utility is low.
    starts = np.cumsum(lengths) - lengths
    best = np.lexsort((-utility, qid))[starts]
    y[best] = np.maximum(y[best], 1)
    empty = rng.permutation(n_queries)[: round(unanswered * n_queries)]
    y[np.isin(qid, empty)] = 0
    return X, y, qid


def _unit_weights(n_features, n_informative, rng):
    """Draw weights of norm 1, so that they explain a variance of 1."""
    weights = np.zeros(n_features)
    drawn = rng.standard_normal(n_informative)
    weights[rng.permutation(n_features)[:n_informative]] = drawn
    return weights / np.linalg.norm(weights)


def _grades(utility, n_grades):
    """Grade utilities so that each grade is half as frequent as the one below."""
    frequency = 0.5 ** np.arange(n_grades)
    fractions = np.cumsum(frequency[:-1]) / frequency.sum()
    return np.searchsorted(np.quantile(utility, fractions), utility, side="left")


def _check_real(value, name, *, least=0.0, most=None):
    """Return `value` as a float between `least` and `most`, or raise."""
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an instance of float, not bool.")
    value = float(check_scalar(value, name, Real, min_val=least, max_val=most))
    if value != value or value == float("inf"):
        raise ValueError(f"{name} must be finite. Got {value} instead.")
    return value


def draw_list_lengths(n_queries, n_documents, rng, *, most=None):
    """Return the number of documents of each query, of shape (n_queries,)."""
    if isinstance(n_documents, tuple | list):
        if len(n_documents) != 2:
            raise ValueError(
                "n_documents must be an int or a pair (minimum, maximum). "
                f"Got {n_documents!r} instead."
            )
        low, high = (check_count(n, "n_documents", most=most) for n in n_documents)
        if low > high:
            raise ValueError(
                "The minimum of n_documents must not exceed the maximum. "
                f"Got {n_documents!r} instead."
            )
    else:
        low = high = check_count(n_documents, "n_documents", most=most)
    # A fixed dtype draws the same lengths on every platform.
    return rng.randint(low, high + 1, size=n_queries, dtype=np.int64)
