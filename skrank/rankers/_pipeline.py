"""Fit and apply the transformers and samplers in front of the last step."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn import get_config
from sklearn.pipeline import Pipeline

from skrank.base import QUERY_PARAMETERS, fit_parameters


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
