"""What is asked of an estimator: its scores, its type, its query ids and features."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skrank._input.callers import warn_caller
from skrank._input.checks import shown
from skrank._input.frames import on_host
from skrank._input.query_ids import QID, find_qid


def find_scored_qid(estimator, X, y, qid=None):
    """Return the query ids of scored rows, or None if there are none.

    A ranker returns ids that scorers do not find, as of a column of an array, from a
    method ``__skrank_qid__(X)``. That of the last step of a Pipeline is not called: it
    would get the columns of the transformers, not those of `X`.
    """
    if qid is None:
        ranker = _innermost(estimator)
        if hasattr(ranker, "__skrank_qid__"):
            qid = ranker.__skrank_qid__(X)
    return find_qid(qid, X=X, y=y)


def _innermost(estimator, within=None):
    """Return the estimator that a fitted search, or what `within` opens, has selected.

    Estimators of other packages may have anything under scikit-learn's names, such as
    themselves, so that no more than ten are opened.
    """
    for _ in range(10):
        inner = getattr(estimator, "best_estimator_", None)
        inner = within(estimator) if inner is None and within else inner
        if inner is None or isinstance(inner, type):
            break
        estimator = inner
    return estimator


def training_sizes(estimator):
    """Return the numbers of training rows that a ranker has by query id, or None."""

    def last_step(one):
        return one.steps[-1][1] if isinstance(one, Pipeline) else None

    sizes = getattr(_innermost(estimator, last_step), "query_sizes_", None)
    return sizes if isinstance(sizes, Mapping) else None


# The methods that a scorer may call. scikit-learn reads them to see whether several
# scorers can share one prediction.
RESPONSES = ("decision_function", "predict_proba", "predict")


def ranking_response(estimator, X, ask=None, qid=None):
    """Return one score per row, of shape (n_samples,).

    ``ask(estimator, method_name, X)`` may return a prediction that was made for another
    scorer. The query ids `qid` are for a method that takes them.
    """
    method, grades = "predict", None
    if estimator_type(estimator) == "classifier":
        classes = np.asarray(estimator.classes_)
        decides = hasattr(estimator, "decision_function") and len(classes) <= 2
        method = "decision_function" if decides else "predict_proba"
        grades = _numbers_of_classes(estimator, classes) if len(classes) > 2 else None
    options = getattr(getattr(estimator, method, None), "__kwdefaults__", None)
    if qid is not None and QID in (options or ()):
        response = getattr(estimator, method)(X, qid=qid)
    elif ask is None:
        response = getattr(estimator, method)(X)
    else:
        response = ask(estimator, method, X)
    if not isinstance(response, np.ndarray):
        response = on_host(response)
    if grades is not None:
        return np.asarray(response) @ grades
    # Of two columns of probabilities, that of the second class.
    return response[:, -1] if np.ndim(response) == 2 else response


def _numbers_of_classes(estimator, classes):
    """Return the classes as numbers, for their mean."""
    if classes.dtype.kind not in "biuf":
        raise ValueError(
            "A classifier of more than two classes ranks by the expected class, so its "
            f"classes must be numbers. Got {shown(classes.tolist())} instead: number "
            "them from the worst to the best."
        )
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            "A classifier of more than two classes ranks by the expected class, so it "
            f"must have 'predict_proba'. Got {type(estimator).__name__} instead, which "
            "has none: wrap it in sklearn.calibration.CalibratedClassifierCV, use a "
            "regressor, or pass grades of two classes, such as y > 0."
        )
    return classes.astype(float)


def warn_of_features(estimator, names):
    """Warn if an estimator was fitted on the query ids, or a column, as a feature.

    The columns are those of `X` that metrics read, by their names there.
    """
    features = _features_of(estimator)
    if QID in features and estimator_type(estimator) != "ranker":
        warn_caller(
            f"{type(estimator).__name__} was fitted on the column 'qid' as if it were "
            "a feature. Wrap the estimator in skrank.rankers.QueryRanker, which reads "
            "query ids from this column, or pass the query ids as `qid` or in the "
            "index of y.",
            UserWarning,
        )
    for name in names:
        if name in features:
            warn_caller(
                f"{type(estimator).__name__} was fitted on the column {name!r}, which "
                "a metric reads, as a feature. If only the metric should read it, let "
                "a ColumnTransformer drop it. If it is a feature, too, say so by "
                f"make_ranking_scorer(..., columns={{{name!r}: {name!r}}}).",
                UserWarning,
            )


def _feature_names(estimator):
    """Return the names that scikit-learn has given an estimator, if there are any."""
    names = getattr(estimator, "feature_names_in_", None)
    is_array = isinstance(names, np.ndarray) and names.ndim == 1
    return names.tolist() if is_array else []


def _features_of(estimator):
    """Return the names of the columns that a fitted estimator reads as features.

    A pipeline that begins with a ColumnTransformer reads what this does not drop.
    """
    from sklearn.compose import ColumnTransformer  # a costly import

    def of_ranker(one):
        is_ranker = estimator_type(one) == "ranker"
        return getattr(one, "estimator_", None) if is_ranker else None

    estimator = _innermost(estimator, of_ranker)
    names = _feature_names(estimator)
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else None
    if not names or not isinstance(first, ColumnTransformer):
        return {*names}
    places, read = {name: place for place, name in enumerate(names)}, set()
    for _, transformer, columns in first.transformers_:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        if isinstance(columns, slice):  # of names it ends with the last one
            start = places.get(columns.start, columns.start)
            stop = columns.stop
            stop = places[stop] + 1 if stop in places else stop
            columns = range(len(names))[start : stop : columns.step]
        columns = np.ravel(columns)
        is_named = columns.dtype.kind in "OU"
        read |= {*(columns if is_named else np.array(names, dtype=object)[columns])}
    return read


def estimator_type(estimator):
    """Return the type of an estimator from its tags, or None."""
    if hasattr(estimator, "__sklearn_tags__"):
        with contextlib.suppress(AttributeError):  # its base class may have none
            return get_tags(estimator).estimator_type
    return getattr(estimator, "_estimator_type", None)
