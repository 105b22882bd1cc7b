"""The estimator that a ranker wraps: its clone, its transformers, its predictions."""

# SPDX-License-Identifier: BSD-3-Clause

from copy import copy, deepcopy

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from skrank.base import QUERY_PARAMETERS, fit_parameters
from skrank.metrics.scored_rows import ranking_response


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
    if takes_categories(estimator):
        return type(estimator)(**deepcopy(estimator.get_params()))
    return clone(estimator, safe=False)


def takes_categories(estimator):
    """Return True if the `fit` of the estimator takes categories, as CatBoost's."""
    return "cat_features" in fit_parameters(estimator)


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


def predicted_scores(estimator, X):
    """Return the scores by which a fitted estimator ranks, of shape (n_samples,).

    Scorers rank an estimator by the same scores, so a metric has the same value
    whether or not the estimator is wrapped in a ranker.
    """
    return _as_scores(ranking_response(estimator, X, _ask))


def staged_scores(estimator, X):
    """Yield the scores after each round of an estimator that has several."""
    stages = {}

    def next_stage(estimator, method_name, X):
        if method_name not in stages:
            stages[method_name] = getattr(estimator, f"staged_{method_name}")(X)
        return next(stages[method_name])

    for _ in range(estimator.n_iter_):
        yield _as_scores(ranking_response(estimator, X, next_stage))


def _as_scores(response):
    scores = column_or_1d(response)
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def check_response(estimator):
    """Raise an error if a fitted estimator has no scores to rank by."""
    ranking_response(estimator, None, _would_ask)


def as_taken(X, estimator):
    """Return sparse arrays as sparse matrices for libraries that need these.

    CatBoost raises an error on sparse arrays and LightGBM warns. These libraries are
    recognized by the evaluation set that their `fit` takes.
    """
    is_array = scipy.sparse.issparse(X) and not scipy.sparse.isspmatrix(X)
    if is_array and "eval_set" in fit_parameters(estimator):
        return scipy.sparse.csr_matrix(X)
    return X


def _ask(estimator, method_name, X):
    if isinstance(estimator, Pipeline):
        # The transformers may return a sparse array, too.
        return _ask(estimator.steps[-1][1], method_name, transform(estimator, X))
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
