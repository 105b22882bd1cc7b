"""Fit an estimator with the metadata that its `fit` has a place for."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter

from skrank.base import fit_parameters
from skrank.rankers._families import family_of, refuse_early_stopping
from skrank.rankers._response import as_taken


def fit_estimator(estimator, rows, stopping=None):
    """Fit `estimator` in place and return it.

    What an estimator is given is told by its `fit`, never by its name. A ranker is
    given its rows sorted by query. Weights that were passed must be taken.

    A Pipeline is fitted step by step: its own `fit` would ask for the weights of
    the last step under a name that depends on the routing flag, and could not
    make of the query ids what the last step wants.
    """
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, rows, stopping)
    fit_family = family_of(estimator)
    if fit_family is not None:
        if stopping is not None:
            held = _for_library(stopping.held_out, estimator)
            stopping = stopping._replace(held_out=held)
        return fit_family(estimator, _for_library(rows, estimator), stopping)
    refuse_early_stopping(estimator, stopping)
    if "qid" in fit_parameters(estimator):
        rows = rows.by_query()
    return _fit_by_requests(estimator, rows)


def fit_transformers(pipeline, rows):
    """Fit all steps but the last in place and return what they make of the rows."""
    if len(pipeline.steps) == 1:
        return rows
    head = pipeline[:-1]
    X = head.fit_transform(rows.X, rows.y, **_requested(head, rows))
    # With a `memory`, the fitted transformers are clones of the given ones.
    pipeline.steps[:-1] = head.steps
    return rows._replace(X=X)


def _for_library(rows, estimator):
    rows = rows.by_query()
    return rows._replace(X=as_taken(rows.X, estimator))


def refuse_weights(estimator):
    """Raise the error of weights that nobody takes."""
    raise ValueError(
        f"Underlying estimator {type(estimator).__name__} does not support "
        "sample weights: its fit must take 'sample_weight', or request it from "
        "its own estimators when metadata routing is enabled. "
        "Got sample_weight of another value than None."
    )


def _fit_pipeline(pipeline, rows, stopping):
    """Fit the transformers, then the last step as an estimator of its own."""
    rows = fit_transformers(pipeline, rows)
    if stopping is not None and len(pipeline.steps) > 1:
        held = stopping.held_out
        held = held._replace(X=pipeline[:-1].transform(held.X))
        stopping = stopping._replace(held_out=held)
    name, last = pipeline.steps[-1]
    pipeline.steps[-1] = (name, fit_estimator(last, rows, stopping))
    return pipeline


def _fit_by_requests(estimator, rows):
    metadata = {"qid": rows.codes}
    if rows.weight is not None:
        metadata["sample_weight"] = rows.weight
    taken = _taken(estimator, metadata)
    if "sample_weight" in metadata and "sample_weight" not in taken:
        refuse_weights(estimator)
    X = as_taken(rows.X, estimator)
    return estimator.fit(X, rows.y, **{name: metadata[name] for name in taken})


def _requested(head, rows):
    """Return the metadata that transformers asked for by a request."""
    if not get_config()["enable_metadata_routing"]:
        return {}
    metadata = {"qid": rows.codes, "sample_weight": rows.weight}
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
