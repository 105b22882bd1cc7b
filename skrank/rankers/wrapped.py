"""The estimator that a ranker wraps: its rows, its transformers, its predictions."""

# SPDX-License-Identifier: BSD-3-Clause

from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import (
    _safe_indexing,
    check_random_state,
    column_or_1d,
)

from skrank._checks import check_count
from skrank.base import QUERY_PARAMETERS, fit_parameters
from skrank.scoring.scored_rows import ranking_response


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
        """Return the rows with those of each query together, numbered in this order.

        Rows that are together stay where they are, so that X is not copied. Others are
        sorted by query; within a query they keep their order.
        """
        if (self.codes[1:] >= self.codes[:-1]).all():
            return self
        ends = np.flatnonzero(self.codes[1:] != self.codes[:-1]) + 1
        n_stretches = len(ends) + 1
        if n_stretches > self.codes.max() + 1:
            return self.take(np.argsort(self.codes, kind="stable"))
        lengths = np.diff(ends, prepend=0, append=len(self.codes))
        return self._replace(codes=np.repeat(np.arange(n_stretches), lengths))

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


def refuse_weights(estimator):
    """Raise the error of weights that no estimator takes."""
    raise ValueError(
        f"Underlying estimator {type(estimator).__name__} does not support "
        "sample weights: its fit must take 'sample_weight', or request it from "
        "its own estimators when metadata routing is enabled. "
        "Got a sample_weight. Pass sample_weight=None instead."
    )


def draw_queries(rows, max_queries, random_state):
    """Return the rows of at most `max_queries` queries.

    They are the first queries of one random order of the sorted query ids. So fewer
    queries are a part of more queries, and the order of the rows plays no part.
    """
    check_count(max_queries, "max_queries", least=2)
    n_queries = len(rows.sizes)
    if max_queries >= n_queries:
        return rows
    order = check_random_state(random_state).permutation(n_queries)
    is_drawn = np.zeros(n_queries, dtype=bool)
    is_drawn[order[:max_queries]] = True
    drawn = rows.take(np.flatnonzero(is_drawn[rows.codes]))
    check_different(drawn.y)
    return drawn


def clone_estimator(estimator):
    """Return an unfitted copy of an estimator or a Pipeline.

    The constructors of CatBoost copy lists among their parameters. scikit-learn's
    clone takes that for a defect and raises an error, so estimators with such
    parameters (those whose `fit` takes categorical features) are copied here.
    """
    if isinstance(estimator, Pipeline):
        # scikit-learn clones the Pipeline without steps: its requests and settings.
        cloned = clone(copy(estimator).set_params(steps=[]))
        steps = [(name, clone_estimator(step)) for name, step in estimator.steps]
        return cloned.set_params(steps=steps)
    if "cat_features" in fit_parameters(estimator):
        return type(estimator)(**deepcopy(estimator.get_params()))
    return clone(estimator, safe=False)


def fit_transformers(pipeline, rows, *, needs_queries=True):
    """Fit all steps but the last in place and return the transformed rows.

    A pipeline of imbalanced-learn may hold samplers. `needs_queries` says whether the
    last step is fitted with the query of each row.
    """
    if len(pipeline.steps) == 1:
        return rows
    if any(_is_sampler(step) for _, step in pipeline.steps):
        for _, step in _steps_in_front(pipeline):
            if _is_sampler(step):
                rows = _resample(step, rows, needs_queries)
            else:
                rows = rows._replace(X=step.fit(rows.X, rows.y).transform(rows.X))
        return rows
    head = pipeline[:-1]
    X = head.fit_transform(rows.X, rows.y, **_requested(head, rows))
    # With `memory`, the fitted transformers are clones of the given ones.
    pipeline.steps[:-1] = head.steps
    return rows._replace(X=X)


def transform(pipeline, X):
    """Apply the transformers in front of the last step; samplers only act in `fit`."""
    for _, step in _steps_in_front(pipeline):
        if not _is_sampler(step):
            X = step.transform(X)
    return X


def needs_queries(estimator):
    """Return True if the `fit` of an estimator, or of its last step, takes queries."""
    if isinstance(estimator, Pipeline):
        return needs_queries(estimator.steps[-1][1])
    return bool(fit_parameters(estimator) & QUERY_PARAMETERS)


def _steps_in_front(pipeline):
    return [
        (name, step)
        for name, step in pipeline.steps[:-1]
        if step is not None and not isinstance(step, str)  # "passthrough"
    ]


def _is_sampler(step):
    return hasattr(step, "fit_resample")


def _resample(sampler, rows, needs_queries):
    """Return the rows that a sampler of imbalanced-learn draws or generates."""
    X, y = sampler.fit_resample(rows.X, rows.y)
    drawn = getattr(sampler, "sample_indices_", None)
    if drawn is not None:
        return rows.take(drawn)._replace(X=X, y=y)
    if needs_queries or rows.weight is not None:
        raise ValueError(
            f"The sampler {type(sampler).__name__} generates rows that belong to no "
            "query and have no weight. Use a sampler that draws rows, such as "
            "RandomUnderSampler, or a regressor or classifier without sample_weight. "
            f"Got {'a ranker' if needs_queries else 'a sample_weight'} instead."
        )
    return rows._replace(X=X, y=y, codes=np.zeros(len(y), dtype=np.intp))


def _requested(head, rows):
    """Return the metadata that the transformers request."""
    if not get_config()["enable_metadata_routing"]:
        return {}
    metadata = {"qid": rows.codes, "sample_weight": rows.weight}
    passed = {name for name, value in metadata.items() if value is not None}
    wanted = head.get_metadata_routing().consumes("fit_transform", passed)
    return {name: metadata[name] for name in wanted}


def staged_scores(estimator, X):
    """Yield the scores after each round of an estimator that has several."""
    stages = {}

    def next_stage(estimator, method_name, X):
        if method_name not in stages:
            stages[method_name] = getattr(estimator, f"staged_{method_name}")(X)
        return next(stages[method_name])

    for _ in range(estimator.n_iter_):
        yield column_or_1d(ranking_response(estimator, X, next_stage))


def check_response(classifier):
    """Raise an error if a fitted classifier has no scores to rank by."""
    ranking_response(classifier, None, _would_ask)


def as_taken(X, estimator):
    """Return sparse arrays as sparse matrices for libraries that need these.

    CatBoost raises an error on sparse arrays and LightGBM warns. These libraries are
    recognized by the evaluation set that their `fit` takes.
    """
    is_array = scipy.sparse.issparse(X) and not scipy.sparse.isspmatrix(X)
    if is_array and "eval_set" in fit_parameters(estimator):
        return scipy.sparse.csr_matrix(X)
    return X


def ask(estimator, method_name, X):
    """Return the response of a method of an estimator, as ranking_response asks."""
    if isinstance(estimator, Pipeline):
        # The transformers may return a sparse array, too.
        return ask(estimator.steps[-1][1], method_name, transform(estimator, X))
    return getattr(estimator, method_name)(as_taken(X, estimator))


def _would_ask(estimator, method_name, X):
    """Check that the method exists and return a response for no rows."""
    if not hasattr(estimator, method_name):
        raise ValueError(
            "A classifier must have 'decision_function' or 'predict_proba' to be a "
            f"ranker. Got {type(estimator).__name__} instead, which has neither."
        )
    # The `classes_` of CatBoost's rankers are empty.
    n_classes = len(getattr(estimator, "classes_", ()))
    return np.zeros((0, max(n_classes, 1)))
