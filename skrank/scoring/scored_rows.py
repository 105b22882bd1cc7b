"""What scorers read of an estimator and its rows: query ids and scores."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import weakref

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skrank._callers import sklearn_callers, warn_caller
from skrank._checks import shown
from skrank._columns import QID, find_qid, on_host
from skrank._ranking.ids import encode_heads
from skrank.exceptions import QuerySplitWarning


def find_scored_qid(estimator, X, y, qid=None):
    """Return the query ids of scored rows, or None if there are none.

    A ranker may have query ids where scorers do not look, such as in a column of an
    array; it returns them from a method ``__skrank_qid__(X)``. This method of the last
    step of a Pipeline is not called, since that step does not get the columns of `X`
    but those of its transformers.
    """
    if qid is None:
        ranker = estimator
        while hasattr(ranker, "best_estimator_"):  # a fitted search
            ranker = ranker.best_estimator_
        if hasattr(ranker, "__skrank_qid__"):
            qid = ranker.__skrank_qid__(X)
    return find_qid(qid, X=X, y=y)


def warn_if_queries_are_split(estimator, X, qid, name=QID):
    """Warn of queries with rows in both the training and the test data.

    In the place of scikit-learn's own loops over splits, the rows of the split are
    compared; query ids were passed to them by the `name`. Elsewhere a ranker has its
    numbers of training rows by query in a dict ``query_sizes_``: if they are equal, the
    training data itself is scored, which is allowed.
    """
    if qid is None:
        return
    for frame in sklearn_callers():
        # A function that fits on the rows `train` of X and scores the rows `test`.
        split = frame.f_locals if "X_test" in frame.f_code.co_varnames else {}
        if split.get("X_test") is X and "train" in split:
            params = split.get("score_params") or {}
            all_qid = params.get(name, params.get(QID))
            codes = _codes_of_all(estimator, split["X"], split["y"], all_qid)
            # LogisticRegressionCV of scikit-learn 1.8 keeps the ids of the test only.
            n_rows = len(split["train"]) + len(split["test"])
            if codes is not None and len(codes) >= n_rows:
                warn_of_split_queries(codes, split["train"], split["test"])
            return
    known = training_sizes(estimator)
    if not known:
        return
    heads = encode_heads(qid)
    sizes = np.array([known.get(id, 0) for id in heads.ids.tolist()])
    scored = np.bincount(heads.of_rows())
    if ((sizes > 0) & (sizes != scored)).any():
        warn_caller(SPLIT_QUERIES, QuerySplitWarning)


SPLIT_QUERIES = (
    "Pass cv=QueryKFold(5), or split whole queries otherwise: rows of one query are in "
    "both the training and the test data. If this is intended, silence "
    "skrank.exceptions.QuerySplitWarning."
)


def warn_of_split_queries(codes, train, test):
    """Warn if rows of a query, which has a code, are on both sides of a split.

    Rows that are on both sides themselves are training data that are scored.
    """
    is_trained = np.zeros(codes.max() + 1, dtype=bool)
    is_trained[codes[train]] = True
    is_known = is_trained[codes[test]]
    if is_known.any() and not np.isin(np.asarray(test)[is_known], train).all():
        warn_caller(SPLIT_QUERIES, QuerySplitWarning)


# The codes of the data that is split at present, until it is deleted.
_CODES = {}


def _codes_of_all(estimator, X, y, qid):
    """Return a code of the query of each row, read once for all splits of the data."""
    data = [one for one in (X, y, qid) if one is not None]
    key = tuple(map(id, data))
    if key in _CODES:
        codes, _ = _CODES[key]
        return codes
    found = find_scored_qid(estimator, X, y, qid)
    codes = None if found is None else encode_heads(found).of_rows()
    _CODES.clear()
    with contextlib.suppress(TypeError):  # lists have no weak references
        _CODES[key] = (
            codes,
            [weakref.ref(one, lambda _: _CODES.clear()) for one in data],
        )
    return codes


def training_sizes(estimator):
    """Return the numbers of training rows that a ranker has by query id, or None."""
    while isinstance(estimator, Pipeline) or hasattr(estimator, "best_estimator_"):
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        else:
            estimator = estimator.best_estimator_
    return getattr(estimator, "query_sizes_", None)


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


def _features_of(estimator):
    """Return the names of the columns that a fitted estimator reads as features.

    A pipeline that begins with a ColumnTransformer reads what this does not drop.
    """
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif estimator_type(estimator) == "ranker" and hasattr(estimator, "estimator_"):
            estimator = estimator.estimator_
        else:
            break
    names = np.asarray(getattr(estimator, "feature_names_in_", ()), dtype=object)
    steps = getattr(estimator, "steps", None) or [(None, None)]
    transformers = getattr(steps[0][1], "transformers_", None)
    if transformers is None:
        return {*names}
    read = set()
    for _, transformer, columns in transformers:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        of_names = np.ravel(columns) if not isinstance(columns, slice) else columns
        is_named = getattr(of_names, "dtype", np.dtype(int)).kind in "OU"
        read |= {*(of_names if is_named else names[of_names])}
    return read


def estimator_type(estimator):
    """Return the type of an estimator from its tags, or None."""
    if hasattr(estimator, "__sklearn_tags__"):
        return get_tags(estimator).estimator_type
    return getattr(estimator, "_estimator_type", None)
