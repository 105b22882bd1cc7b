"""Fit an estimator with the metadata that its `fit` accepts."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRouter

from skrank.base import fit_parameters
from skrank.rankers.early_stopping import fit_in_chunks
from skrank.rankers.libraries import (
    OF_LIBRARIES,
    check_own_stopping,
    fit_function_of,
)
from skrank.rankers.wrapped import (
    as_taken,
    check_informative,
    fit_transformers,
    needs_queries,
    transform,
)


def fit_estimator(estimator, rows, stopping=None):
    """Fit `estimator` in place and return it.

    The parameters of `fit` decide what an estimator receives, never its class. A
    ranker receives its rows sorted by query. It is an error if nothing takes the
    weights that were passed.

    A Pipeline is fitted step by step. Its own `fit` names the weights of the last
    step differently with and without metadata routing, and cannot convert the query
    ids for the last step.
    """
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, rows, stopping)
    parameters = fit_parameters(estimator)
    fit_library = fit_function_of(parameters) if parameters & OF_LIBRARIES else None
    if fit_library is not None:
        if stopping is not None:
            held = _for_library(stopping.held_out, estimator)
            stopping = stopping._replace(held_out=held)
        rows = _for_library(rows, estimator)
        check_own_stopping(estimator, stopping)
        check_informative(estimator, rows)
        return fit_library(estimator, rows, stopping)
    if stopping is not None:
        return fit_in_chunks(estimator, rows, stopping)
    if "qid" in parameters:
        rows = rows.by_query()
    return _fit_by_requests(estimator, rows)


def _for_library(rows, estimator):
    rows = rows.by_query()
    return rows._replace(X=as_taken(rows.X, estimator))


def refuse_weights(estimator):
    """Raise the error of weights that no estimator takes."""
    raise ValueError(
        f"Underlying estimator {type(estimator).__name__} does not support "
        "sample weights: its fit must take 'sample_weight', or request it from "
        "its own estimators when metadata routing is enabled. "
        "Got a sample_weight. Pass sample_weight=None instead."
    )


def _fit_pipeline(pipeline, rows, stopping):
    """Fit the transformers, then the last step as a separate estimator."""
    rows = fit_transformers(pipeline, rows, needs_queries=needs_queries(pipeline))
    if stopping is not None:
        held = stopping.held_out
        held = held._replace(X=transform(pipeline, held.X))
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


def _taken(estimator, metadata):
    """Return which of the metadata the `fit` of `estimator` accepts."""
    taken = set(metadata) & fit_parameters(estimator)
    parameters = inspect.signature(estimator.fit).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return taken
    if get_config()["enable_metadata_routing"]:
        routing = getattr(estimator, "get_metadata_routing", lambda: None)()
        if isinstance(routing, MetadataRouter):
            return taken | routing.consumes("fit", set(metadata))
    # An estimator that takes any keyword forwards it. Weights are accepted almost
    # everywhere, query ids only where they are requested.
    return taken | (set(metadata) & {"sample_weight"})
