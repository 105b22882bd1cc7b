"""What estimators say: scores, type, query ids, features, queries that are split."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import contextlib
import inspect
import weakref

import numpy as np
from sklearn import get_config
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from skrank._input.callers import running_split, warn_caller
from skrank._input.checks import count_rows, shown
from skrank._input.frames import on_host
from skrank._input.query_ids import QID, find_qid
from skrank._ranking.ids import encode_heads
from skrank.exceptions import QuerySplitWarning


def find_scored_qid(estimator, X, y, qid=None):
    """Return the query ids of scored rows, or None if there are none.

    A ranker returns ids that scorers do not find, as of a column of an array, from a
    method ``__skrank_qid__(X)``. That of the last step of a Pipeline is not called: it
    would get the columns of the transformers, not those of `X`.
    """
    if qid is None:
        ranker = _innermost(estimator)
        column = getattr(ranker, "qid_column", None)
        if hasattr(ranker, "__skrank_qid__") and column != QID:
            qid = ranker.__skrank_qid__(X)
    return find_qid(qid, X=X, y=y)


def _innermost(estimator, within=None):
    """Return the one in a fitted search, a FrozenEstimator, or what `within` opens."""
    for _ in range(10):  # foreign ones may hold themselves
        inner = getattr(estimator, "best_estimator_", None)
        if isinstance(estimator, FrozenEstimator):
            inner = estimator.estimator
        inner = within(estimator) if inner is None and within else inner
        if inner is None or isinstance(inner, type):
            break
        estimator = inner
    return estimator


def training_sizes(estimator):
    """Return the numbers of training rows that a ranker has by query id, or None."""

    def last_of(one):
        return one.steps[-1][1] if isinstance(one, Pipeline) else None

    ranker = _innermost(estimator, last_of)
    return getattr(ranker, "__skrank_sizes__", lambda: None)()


# The methods that a scorer may call. scikit-learn reads them to see whether several
# scorers can share one prediction.
RESPONSES = ("decision_function", "predict_proba", "predict")


def ranking_response(estimator, X, qid=None, *, ask=None):
    """Return one score per row.

    If no method takes query ids, ``ask(estimator, method_name, X)`` may return a
    prediction that was made before.
    """
    method, grades = _method_of(estimator), None
    if method == "predict_proba" and len(estimator.classes_) > 2:
        grades = np.asarray(estimator.classes_, dtype=float)
    if qid is not None and takes_qid(estimator, method):
        asked = _innermost(estimator)
        while isinstance(asked, Pipeline):
            asked, X = last_step(asked, X, qid)
            asked = _innermost(asked)
        given = {QID: qid} if takes_qid(asked, method) else {}
        response = getattr(asked, method)(X, **given)
    else:
        response = ask(estimator, method, X) if ask else getattr(estimator, method)(X)
    if not isinstance(response, np.ndarray):
        response = on_host(response)
    if grades is not None:
        return np.asarray(response) @ grades
    shape = np.shape(response)
    if len(shape) == 2 and method == "predict_proba":
        return response[:, -1]  # of two classes, that of the second one
    if len(shape) == 1:
        return response
    if len(shape) != 2 or shape[1] != 1:
        raise _several_targets(estimator, f"{method} with an output of shape {shape}")
    return np.ravel(response)


def _method_of(estimator):
    kind = estimator_type(estimator)
    if kind == "outlier_detector":
        return "decision_function"
    if kind == "classifier":
        classes = estimator.classes_
        if isinstance(classes, list) and any(map(np.ndim, classes)):
            raise _several_targets(estimator, f"{len(classes)} lists of classes")
        if len(classes) > 2:
            _check_numbers(estimator, np.asarray(classes))
        elif hasattr(estimator, "decision_function"):
            return "decision_function"
        return "predict_proba"
    if kind in ("clusterer", "density_estimator") or not hasattr(estimator, "predict"):
        raise ValueError(
            "Rows are ranked by a ranker, a regressor, a classifier or an outlier "
            f"detector. Got {type(estimator).__name__} instead, of type {kind!r}."
        )
    return "predict"


def _several_targets(estimator, what):
    return ValueError(
        "Rows are ranked by one score each, so the estimator must have one target. Got "
        f"{type(estimator).__name__} with {what}."
    )


def takes_qid(estimator, method):
    """Return True if a method takes query ids, by its signature or by routing.

    The last step of a Pipeline is asked, and what a fitted search has selected.
    """
    estimator = _innermost(estimator)
    if isinstance(estimator, Pipeline):
        routed = any(_consumes_qid(one, "transform") for one in transformers(estimator))
        return routed or takes_qid(estimator.steps[-1][1], method)
    try:
        parameters = inspect.signature(getattr(estimator, method, None)).parameters
    except (TypeError, ValueError):  # a callable written in C has no signature
        return False
    if QID in parameters:
        inner = getattr(estimator, "_passes_qid_to", None)
        return inner is None or takes_qid(inner, _method_of(inner))
    kinds = {one.kind for one in parameters.values()}
    return inspect.Parameter.VAR_KEYWORD in kinds and _consumes_qid(estimator, method)


def _consumes_qid(estimator, method):
    if not get_config()["enable_metadata_routing"]:
        return False
    return QID in get_routing_for_object(estimator).consumes(method, [QID])


def last_step(estimator, X, qid=None):
    """Return what a Pipeline ends with, and `X` as the other steps transform it.

    Samplers of imbalanced-learn among the steps act in `fit` only.
    """
    while isinstance(estimator, Pipeline):
        for step in transformers(estimator):
            if not hasattr(step, "fit_resample"):
                is_asked = qid is not None and _consumes_qid(step, "transform")
                X = step.transform(X, qid=qid) if is_asked else step.transform(X)
        estimator = estimator.steps[-1][1]
    return estimator, X


def transformers(pipeline):
    """Return the steps of a Pipeline but the last, without those that do nothing."""
    steps = [step for _, step in pipeline.steps[:-1]]
    return [one for one in steps if one is not None and not isinstance(one, str)]


def _check_numbers(estimator, classes):
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


def warn_of_features(estimator, names):
    """Warn if an estimator was fitted on the query ids, or a column, as a feature.

    The columns are those of `X` that metrics read, by their names there.
    """
    if not names and QID not in _feature_names(estimator):
        return
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


def warn_if_queries_are_split(estimator, X, qid, routing=None):
    """Warn of queries with rows in both the training and the test data.

    In scikit-learn's own loops over splits, the rows of both sides are compared; query
    ids were passed to them by the name that a scorer requests, whose `routing` is asked
    for it. Elsewhere a ranker has its numbers of training rows by query: if they are
    equal, the training data itself is scored, which is allowed.
    """
    heads = encode_heads(qid)
    if (split := running_split(X)) is not None:
        _compare_sides(estimator, heads, split, routing)
    elif known := training_sizes(estimator):
        sizes = np.array([known.get(id, 0) for id in heads.ids.tolist()])
        scored = np.bincount(heads.of_rows())
        if ((sizes > 0) & (sizes != scored)).any():
            warn_caller(SPLIT_QUERIES, QuerySplitWarning)


# The splits that keep queries whole, by the id of their test rows while these live, for
# every scorer and every candidate of a search meets the same splits. With each of them
# goes what the answer depends on, the ids of the test rows among it: a row that gets
# another id is in some test set.
_WHOLE: dict = {}


def _compare_sides(estimator, heads, split, routing):
    params = split.score_params or {}
    name = routing and routing().score.requests[QID]
    all_qid = params.get(name, params.get(QID))
    is_told = tuple(map(id, (split.X, split.y, all_qid)))
    starts = None if heads.starts is None else heads.starts.tobytes()
    ids = hash((*heads.ids.tolist(), heads.codes.tobytes(), starts))
    sides, test = (split.train, split.test), id(split.test)
    column = getattr(_innermost(estimator), "qid_column", None)
    key = *is_told, column, ids
    known, refs = _WHOLE.get(test, (None, ()))
    if known == key and all(r() is side for r, side in zip(refs, sides, strict=True)):
        return
    all_qid = find_scored_qid(estimator, split.X, split.y, all_qid)
    # LogisticRegressionCV of scikit-learn 1.8 keeps the ids of the test only.
    if all_qid is None or count_rows(all_qid) != count_rows(split.X):
        return
    if not warn_of_split_queries(encode_heads(all_qid).of_rows(), *sides):
        with contextlib.suppress(TypeError):  # lists have no weak references
            refs = [weakref.ref(one, lambda _: _WHOLE.pop(test, 0)) for one in sides]
            _WHOLE[test] = key, refs


SPLIT_QUERIES = (
    "Pass cv=QueryKFold(5), or split whole queries otherwise: rows of one query are in "
    "both the training and the test data. If this is intended, silence "
    "skrank.exceptions.QuerySplitWarning."
)


def warn_of_split_queries(codes, train, test):
    """Warn if queries have rows on both sides of a split; return whether they have.

    Rows that are on both sides themselves are training data that are scored.
    """
    train, test = (np.arange(len(codes))[rows] for rows in (train, test))  # or masks
    is_trained = np.zeros(codes.max() + 1, dtype=bool)
    is_trained[codes[train]] = True
    is_known = is_trained[codes[test]]
    is_split = is_known.any() and not np.isin(test[is_known], train).all()
    if is_split:
        warn_caller(SPLIT_QUERIES, QuerySplitWarning)
    return is_split
