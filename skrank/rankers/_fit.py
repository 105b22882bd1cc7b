"""Fit an estimator with the metadata that its `fit` has a place for."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter

from skrank.base import fit_parameters


def fit_estimator(estimator, X, y, *, qid, sample_weight=None):
    """Fit `estimator` in place and return it.

    What an estimator is given is told by its `fit`, never by its name. Query ids
    go to whoever takes them. Weights that were passed must be taken.

    A Pipeline is fitted step by step: its own `fit` would ask for the weights of
    the last step under a name that depends on the routing flag, and could not
    make of the query ids what the last step wants.
    """
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, X, y, qid=qid, sample_weight=sample_weight)
    metadata = {"qid": qid}
    if sample_weight is not None:
        metadata["sample_weight"] = sample_weight
    taken = _taken(estimator, metadata)
    if "sample_weight" in metadata and "sample_weight" not in taken:
        raise ValueError(
            f"Underlying estimator {type(estimator).__name__} does not support "
            "sample weights: its fit must take 'sample_weight', or request it from "
            "its own estimators when metadata routing is enabled. "
            "Got sample_weight of another value than None."
        )
    return estimator.fit(X, y, **{name: metadata[name] for name in taken})


def _fit_pipeline(pipeline, X, y, *, qid, sample_weight):
    """Fit the transformers, then the last step as an estimator of its own."""
    if len(pipeline.steps) > 1:
        head = pipeline[:-1]
        X = head.fit_transform(X, y, **_requested(head, qid, sample_weight))
        # With a `memory`, the fitted transformers are clones of the given ones.
        pipeline.steps[:-1] = head.steps
    name, last = pipeline.steps[-1]
    last = fit_estimator(last, X, y, qid=qid, sample_weight=sample_weight)
    pipeline.steps[-1] = (name, last)
    return pipeline


def _requested(head, qid, sample_weight):
    """Return the metadata that transformers asked for by a request."""
    if not get_config()["enable_metadata_routing"]:
        return {}
    metadata = {"qid": qid, "sample_weight": sample_weight}
    passed = {name for name, value in metadata.items() if value is not None}
    wanted = head.get_metadata_routing().consumes("fit_transform", passed)
    return {name: metadata[name] for name in wanted}


def _taken(estimator, metadata):
    """Return which of the metadata the `fit` of `estimator` has a place for."""
    taken = set(metadata) & fit_parameters(estimator)
    if not _takes_any(estimator):
        return taken
    if get_config()["enable_metadata_routing"]:
        routing = getattr(estimator, "get_metadata_routing", lambda: None)()
        if isinstance(routing, MetadataRouter):
            return taken | routing.consumes("fit", set(metadata))
    # Whoever takes any keyword passes it on to someone. Weights are known
    # everywhere, query ids nowhere unless someone asks for them.
    return taken | (set(metadata) & {"sample_weight"})


def _takes_any(estimator):
    """Tell whether `fit` takes keywords that it does not name."""
    parameters = inspect.signature(estimator.fit).parameters.values()
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
