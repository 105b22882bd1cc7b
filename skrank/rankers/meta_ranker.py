"""What rankers share: how they find query ids, and the estimator that they wrap."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import warnings
from contextlib import contextmanager
from copy import copy, deepcopy
from re import fullmatch
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import (
    assert_all_finite,
    check_random_state,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank._input.checks import (
    FEW_ROWS,
    check_choice,
    check_count,
    check_lengths,
    shown,
    warn_if_out_of_order,
    warn_if_rows_are_drawn,
    warn_of_single_rows,
)
from skrank._input.frames import (
    column_names,
    drop_column,
    find_column,
    find_level,
    library_of,
    on_host,
    types_of_columns,
)
from skrank._input.query_ids import QID, check_index, check_qid_column
from skrank._input.sklearn import entries_of
from skrank._ranking.ids import encode_heads
from skrank._text.docs import MetadataRequest, Self
from skrank.base import (
    QUERY_PARAMETERS,
    RankingEstimator,
    fit_parameters,
    training_library,
)
from skrank.scoring.estimators import last_step, transformers


class QueryFinder(RankingEstimator, BaseEstimator):
    """Base of rankers with the parameters `qid_column` and `missing_qid`.

    It finds the query ids and checks the training data. `_takes` names what is fitted.
    """

    _takes = "estimator"

    if TYPE_CHECKING:  # scikit-learn makes these

        def set_fit_request(
            self, *, qid: MetadataRequest = ..., sample_weight: MetadataRequest = ...
        ) -> Self: ...
        def set_score_request(
            self, *, qid: MetadataRequest = ..., sample_weight: MetadataRequest = ...
        ) -> Self: ...

    def __skrank_qid__(self, X):
        """Return the query ids in the column of `X`, or None; scorers call this."""
        # A position means another column in data that came without the query ids.
        is_position = not isinstance(self.qid_column, str)
        n_columns = getattr(self, "_n_columns", None)  # None before fit
        if is_position and np.shape(X)[1:] != (n_columns,):
            return None
        return find_column(X, self.qid_column)

    def __sklearn_is_fitted__(self):
        return hasattr(self, f"{self._takes}_")

    def __skrank_sizes__(self):
        """Return the number of training rows of each query id; scorers call this."""
        return getattr(self, "_query_sizes", None)

    def __getstate__(self):
        """Return the state without the ids of queries, which may be private."""
        state = dict(super().__getstate__())
        state.pop("_query_sizes", None)
        return state

    # It is there for its error alone. scikit-learn <= 1.8 reads `classes_` of
    # classifiers only; CalibratedClassifierCV of 1.9 and skore read that of whatever
    # they get. It can go once they ask for the type first.
    @property
    def classes_(self) -> NoReturn:
        """Not defined; tools for classifiers show the error."""
        raise AttributeError(
            "A ranker has no classes. To a tool that takes only classifiers and "
            "regressors, pass skrank.rankers.as_regressor(ranker). For probabilities, "
            "see 'Tuning, calibration and export' in the user guide."
        )

    def _check_qid_parameters(self, X):
        """Check the parameters, and keep the width of training data with query ids."""
        vars(self).pop(f"{self._takes}_", None)  # not fitted until `fit` has ended
        caller = type(self).__name__
        check_choice(self.missing_qid, {"raise", "single"}, "missing_qid", caller)
        check_qid_column(self.qid_column, caller)
        self._n_columns = None if isinstance(self.qid_column, str) else np.shape(X)[-1]
        self._query_sizes = {}

    def _rows(self, estimators, X, y, qid, sample_weight):
        """Check what is fitted and the arguments of `fit`; return rows of queries."""
        for estimator in estimators:
            predicts = hasattr(estimator, "predict") or _predicts(estimator)
            is_object = not isinstance(estimator, type)
            if not (is_object and hasattr(estimator, "fit") and predicts):
                raise TypeError(
                    f"The '{self._takes}' parameter of {type(self).__name__} must be "
                    "an object implementing 'fit' and 'predict'. Got "
                    f"{estimator!r} instead."
                )
        y, sample_weight = on_host(y), on_host(sample_weight)
        self._check_qid_parameters(X)
        given = {"X": X, "y": y, "qid": qid, "sample_weight": sample_weight}
        warn_if_out_of_order(given)
        qid = self.find_qid(qid, "fit", X=X, y=y)
        y = self._check_target(y)
        X = drop_column(X, self.qid_column)
        check_lengths(X=X, y=y, sample_weight=sample_weight)
        codes = np.zeros(len(y), dtype=np.intp)
        if qid is not None:
            heads = encode_heads(qid, len(y))
            if len(heads.ids) == len(y) > FEW_ROWS:
                warn_of_single_rows(len(y))
            codes = heads.of_rows()
            sizes = np.bincount(codes, minlength=len(heads.ids))
            sizes = zip(heads.ids.tolist(), sizes.tolist(), strict=True)
            self._query_sizes = dict(sizes)
        if self.missing_qid == "raise" and len(self._query_sizes) == 1:
            ((id, size),) = self._query_sizes.items()
            raise ValueError(
                f"{type(self).__name__}.fit needs rows of more than one query. In "
                "cross-validation, use fewer folds or check the sizes of the queries. "
                "To learn from a single list, pass missing_qid='single'. Got one "
                f"query, {id!r}, of {size} rows."
            )
        check_different(y)
        return FitRows(X, y, codes, sample_weight)

    def _given_qid(self, qid, X, y=None):
        """Return the query ids, those in the column `qid_column` of `X` first."""
        if qid is None:
            qid = self.__skrank_qid__(X)
            if qid is not None and self.qid_column == QID:
                check_index(qid, y, X)
        if qid is None:
            qid = find_level(y, QID)
        return find_level(X, QID) if qid is None else qid

    def _check_target(self, y):
        """Return `y` as numbers of shape (n_samples,)."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None."
            )
        try:
            y = column_or_1d(y, dtype="numeric", warn=True)
            if y.dtype.kind not in "biuf":  # scikit-learn 1.7 keeps text of pandas 3
                y = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            labels = np.ravel(np.asarray(y, dtype=object))
            text = [str(label) for label in labels if isinstance(label, str)]
            if not text and isinstance(error, ValueError):
                raise
            raise type(error)(
                f"The 'y' parameter of {type(self).__name__}.fit must hold numbers, "
                f"the grades. Got {shown([*text, y][0], 80)} instead: number the "
                "labels, as in pd.Series(y).map({'bad': 0, 'good': 1})."
            ) from None
        try:
            assert_all_finite(y, input_name="y")
        except ValueError as error:
            raise ValueError(
                f"{error} Leave out the rows without a grade, in X and qid as well."
            ) from None
        return y


class MetaRanker(MetaEstimatorMixin, QueryFinder):
    """Base of rankers that wrap an `estimator`.

    Each has `fit` and `predict` of its own, so that Python's errors name its class.
    """

    _default = None  # stands for the estimator None

    def __sklearn_clone__(self):
        warn_if_rows_are_drawn()  # a search makes its clones in its own process
        # scikit-learn clones everything but the estimator, which may be CatBoost's.
        rest = type(self).__new__(type(self))
        rest.__setstate__(vars(self) | {"estimator": None})
        cloned = super(MetaRanker, rest).__sklearn_clone__()
        return cloned.set_params(estimator=clone_estimator(self.estimator))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = self._default if self.estimator is None else self.estimator
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags = deepcopy(get_tags(inner).input_tags)
        return tags

    def _keep(self, fitted):
        """Keep the fitted estimator and the attributes of its features."""
        self.estimator_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self


def _predicts(estimator):
    """Return True if an estimator, fitted or not, has `predict`."""
    if isinstance(estimator, Pipeline):
        return _predicts(estimator.steps[-1][1])
    # Stacking has the method only after `fit`, when its final estimator exists.
    if hasattr(estimator, "final_estimator"):
        return hasattr(type(estimator), "predict")
    return hasattr(estimator, "predict")


# Tools such as RFE pair these with the columns of X.
ONE_VALUE_PER_FEATURE = ("coef_", "feature_importances_")

XGBOOST_NAMES = {"best_iteration_": "best_iteration", "best_score_": "best_score"}


def fitted_attribute(name, meaning):
    """Return a property with the attribute `name` of the fitted estimator.

    Of a Pipeline it is that of the last step. The property raises AttributeError where
    the estimator has no such attribute, or one for other features than those of `X`.
    """

    def get(ranker):
        check_is_fitted(ranker)
        estimator = ranker.estimator_
        while isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        value = getattr(estimator, name, None)
        if value is None:
            value = getattr(estimator, XGBOOST_NAMES.get(name, name), None)
        # CatBoost has an array without a shape where it computed no importances.
        per_feature = name in ONE_VALUE_PER_FEATURE
        if value is None or (per_feature and np.ndim(value) == 0):
            cure = ""
            if value is not None:
                cure = (
                    " RFE and RFECV accept importance_getter=lambda ranker: ranker."
                    "estimator_.get_feature_importance(type='PredictionValuesChange')."
                )
            raise AttributeError(
                f"{type(ranker).__name__} has no {name!r}, because its fitted "
                f"{type(estimator).__name__} has none.{cure}"
            )
        n_features = getattr(ranker, "n_features_in_", "unknown")
        if per_feature and np.shape(value)[-1] != n_features:
            raise AttributeError(
                f"{type(ranker).__name__} has no {name!r}, because that of its fitted "
                f"{type(estimator).__name__} does not have one value for each feature "
                f"of X ({n_features}) but the shape {np.shape(value)}. The steps in "
                "front of it return other features: take it from 'estimator_', with "
                "the names of those."
            )
        return value

    doc = f"{meaning} of the fitted estimator, or of the last step of a Pipeline."
    return property(get, doc=doc)


class FitRows(NamedTuple):
    """Documents with their grades, queries and weights, as `fit` takes them."""

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
        return FitRows(
            entries_of(self.X, rows),
            self.y[rows],
            codes.reshape(-1),
            None if self.weight is None else entries_of(self.weight, rows),
        )

    def by_query(self):
        """Return the rows with those of each query together, numbered in this order.

        Rows that are together stay where they are, so that X is not copied.
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
    clone takes that for a defect and raises an error, so these are copied here.
    """
    if isinstance(estimator, Pipeline):
        # scikit-learn clones the Pipeline without steps: its requests and settings.
        cloned = clone(copy(estimator).set_params(steps=[]))
        steps = [(name, clone_estimator(step)) for name, step in estimator.steps]
        return cloned.set_params(steps=steps)
    if training_library(estimator) == "catboost":
        given = estimator.get_params(deep=False).items()
        return type(estimator)(**{name: clone(v, safe=False) for name, v in given})
    return clone(estimator, safe=False)


def fit_transformers(pipeline, rows, *, needs_queries=True):
    """Fit all steps but the last in place and return the transformed rows.

    A pipeline of imbalanced-learn may hold samplers. `needs_queries` says whether the
    last step is fitted with the query of each row.
    """
    if len(pipeline.steps) == 1:
        return rows
    if any(hasattr(step, "fit_resample") for _, step in pipeline.steps):
        for step in transformers(pipeline):
            if hasattr(step, "fit_resample"):
                rows = _resample(step, rows, needs_queries)
            else:
                rows = rows._replace(X=step.fit(rows.X, rows.y).transform(rows.X))
        return rows
    head = pipeline[:-1]
    metadata = {}
    if get_config()["enable_metadata_routing"]:
        given = {"qid": rows.codes, "sample_weight": rows.weight}
        given = {name: value for name, value in given.items() if value is not None}
        wanted = head.get_metadata_routing().consumes("fit_transform", given.keys())
        metadata = {name: given[name] for name in wanted}
    X = head.fit_transform(rows.X, rows.y, **metadata)
    # With `memory`, the fitted transformers are clones of the given ones.
    pipeline.steps[:-1] = head.steps
    return rows._replace(X=X)


def needs_queries(estimator):
    """Return True if the `fit` of an estimator, or of its last step, takes queries."""
    if isinstance(estimator, Pipeline):
        return needs_queries(estimator.steps[-1][1])
    return bool(fit_parameters(estimator) & QUERY_PARAMETERS)


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


# The types of polars and Arrow that LightGBM reads; XGBoost reads categories as well.
NUMBER = r"bool(ean)?|double|float(32|64)?|u?int(8|16|32|64)"
CATEGORY = r"(categorical|enum|dictionary)[\s\S]*"


def as_taken(X, estimator):
    """Return `X` as a library takes it, or raise if it does not take it.

    CatBoost raises an error on sparse arrays and LightGBM warns. Both end the process
    on text of polars or Arrow.
    """
    is_array = scipy.sparse.issparse(X) and not scipy.sparse.isspmatrix(X)
    types = types_of_columns(X) if hasattr(X, "schema") else {}
    library = training_library(estimator) if is_array or types else None
    if library is None:
        return X
    if is_array:
        return scipy.sparse.csr_matrix(X)
    read = f"{NUMBER}|{CATEGORY}" if library == "xgboost" else NUMBER
    others = {name: kind for name, kind in types.items() if not fullmatch(read, kind)}
    if library == "catboost":  # which requires pandas
        return X.to_pandas() if others or library_of(X) == "pyarrow" else X
    if others:
        raise ValueError(
            f"{type(estimator).__name__} does not take all types of columns from a "
            f"frame of polars or Arrow. Got {shown(others)}: drop or encode them, or "
            "pass X.to_pandas(), where columns of type 'category' are features."
        )
    return X


# The types of pandas that are neither numbers nor categories.
TEXT_OR_DATE = r"(object|str|large_|date|time|period|interval)[\s\S]*"


@contextmanager
def naming_columns(X, estimator, types=None):
    """Name the columns of pandas on which a library of training fails, if it does.

    `types` are those of the columns that it was fitted to.
    """
    try:
        yield
    except Exception as error:  # CatBoost has a class of its own
        is_read = library_of(X) == "pandas" and training_library(estimator)
        found = types_of_columns(X) if is_read else {}
        others = {name: k for name, k in found.items() if fullmatch(TEXT_OR_DATE, k)}
        params = getattr(estimator, "get_params", dict)()
        # Those that CatBoost is told to read.
        if not others or params.get("cat_features") or params.get("text_features"):
            raise
        for name in others:
            if types and types.get(name) == "category":
                raise ValueError(
                    f"The column {name!r} was of type category in fit. Got "
                    f"{others[name]}: pass X.astype({{{name!r}: 'category'}})."
                ) from error
        text = [name for name, kind in others.items() if kind[:3] in ("obj", "str")]
        as_category = f"X.astype({dict.fromkeys(text, 'category')})"
        if training_library(estimator) == "catboost":
            as_category = f"CatBoostRanker(cat_features={text})"
        also = f"; to make text a category, pass {as_category}" if text else ""
        raise ValueError(
            f"{type(estimator).__name__} does not take all types of columns. Got "
            f"{shown(others)}: drop what is not a feature, as the page 'From the "
            f"search to production' does{also}."
        ) from error


class _Fitted(BaseEstimator):
    def __init__(self, names):
        self.feature_names_in_ = np.array(names, dtype=object)


def check_feature_names(X, names, estimator):
    """Raise scikit-learn's error if the columns of `X` are not those of `fit`, `names`.

    Many libraries go by position, such as LightGBM. CatBoost goes by name. Names that
    are not strings count as none, as in scikit-learn.
    """
    found = column_names(X)
    if None in (found, names) or {*map(type, [*names, *found])} != {str}:
        return
    if training_library(estimator) == "catboost":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validate_data(_Fitted(names), X, reset=False, skip_check_array=True)
    # It has not raised: this version of scikit-learn does not read names of such X.
    raise ValueError(
        "The feature names should match those that were passed during fit. Got "
        f"{shown(found)} instead of {shown(names)}."
    )


def prepared(estimator, X, qid, names=None):
    """Return the last step of an estimator, and `X` as it takes it.

    `names` are those of the columns that the step was fitted to.
    """
    estimator, X = last_step(estimator, X, qid)
    if column_names(X) != names:
        check_feature_names(X, names, estimator)
    return estimator, as_taken(X, estimator)


def check_row_weights(sample_weight, caller):
    """Return weights as floats; raise unless they are at least 0, and one above 0."""
    weight = column_or_1d(on_host(sample_weight), dtype=np.float64)
    assert_all_finite(weight, input_name="sample_weight")
    if (weight < 0).any():
        raise ValueError(
            f"The 'sample_weight' parameter of {caller}.fit must not be negative. "
            f"Got {weight.min():g} instead."
        )
    if not weight.any():
        raise ValueError(
            f"The 'sample_weight' parameter of {caller}.fit must hold a weight that is "
            "not zero. Got only zeros instead."
        )
    return weight
