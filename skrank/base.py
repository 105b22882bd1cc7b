"""The mixin class of rankers, and functions that recognize and check rankers."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from skrank._input.checks import says_what_was_meant
from skrank._input.query_ids import QID, find_qid, no_query_ids
from skrank._ranking.rank import rank_rows
from skrank._text.docs import MatrixLike
from skrank.metrics.gains import ndcg_score
from skrank.scoring.estimators import (
    estimator_type,
    find_scored_qid,
    ranking_response,
    takes_qid,
    warn_if_queries_are_split,
)

__all__ = ["RankingEstimator", "check_ranker", "expected_failed_checks", "is_ranker"]


def __dir__():
    return __all__


# How `fit` takes queries: ids (XGBoost, skrank), sizes (LightGBM), ids (CatBoost).
QUERY_PARAMETERS = frozenset({"qid", "group", "group_id"})


class RankingEstimator:
    """Mixin class for all rankers.

    It makes a ranker of an estimator with ``fit(X, y, *, qid=None)`` and
    ``predict(X)``, which returns one score per row (larger is better). The ranker
    works with scikit-learn's model selection:

    - `fit` and `score` request `qid`, so that with metadata routing enabled
      ``GridSearchCV(ranker, ...).fit(X, y, qid=qid)`` needs no ``set_*_request``;
    - `score` is the NDCG of the whole lists;
    - `rank` returns the position of each row within its query;
    - `decision_function` is `predict`, so that scorers that call it, such as
      ``"roc_auc"``, can be used together with ranking metrics;
    - its estimator type is ``"ranker"``.

    See Also
    --------
    check_ranker : Check if an estimator obeys the laws of rankers.
    is_ranker : Return True if an estimator is a ranker.
    skrank.rankers.QueryRanker : Make a ranker of any regressor or classifier.

    Notes
    -----
    Put the mixin to the left of :class:`~sklearn.base.BaseEstimator`, like the mixins
    of scikit-learn. Rows without query ids raise ValueError in `score` and `rank`, and
    have to in `fit`, which calls :meth:`find_qid` for that. If the ranker has a
    parameter ``missing_qid="single"``, they are one query.

    A ranker needs to read query ids from its argument `qid` only:
    ``QueryRanker(MyRanker())`` finds them in a column ``"qid"`` of `X`, which it
    removes, or in the index of `y` or `X`, and passes them to the ranker, numbered
    from 0, with the rows of each query together and the numbers ascending.

    A ranker may have two more methods, which scorers call: ``__skrank_qid__(X)``
    returns the query ids in a column of `X` that scorers do not know, or None; and
    ``__skrank_sizes__()`` a dict of the number of training rows of each query id, for
    a warning of split queries, or None. If the scores of a ranker depend on the other
    documents of the query, its `predict` may have an argument ``qid=None``, by which
    scorers, `score` and `rank` pass the query ids, also to the last step of a Pipeline
    and to what a search has selected.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from sklearn.utils.validation import check_is_fitted, validate_data
    >>> from skrank.base import RankingEstimator
    >>> class BestFeatureRanker(RankingEstimator, BaseEstimator):
    ...     def fit(self, X, y, *, qid=None):
    ...         self.find_qid(qid, "fit", X=X, y=y)
    ...         X, y = validate_data(self, X, y)
    ...         self.best_ = np.argmax((X - X.mean(axis=0)).T @ y)
    ...         return self
    ...
    ...     def predict(self, X):
    ...         check_is_fitted(self)
    ...         return validate_data(self, X, reset=False)[:, self.best_]
    >>> X = np.array([[0.1, 3.0], [0.2, 1.0], [0.3, 2.0], [0.1, 5.0], [0.4, 4.0]])
    >>> y = np.array([2, 0, 1, 1, 0])
    >>> qid = np.array(["a", "a", "a", "b", "b"])
    >>> ranker = BestFeatureRanker().fit(X, y, qid=qid)
    >>> ranker.rank(X, qid=qid)
    array([1, 3, 2, 1, 2])
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    __metadata_request__fit = {"qid": True}
    __metadata_request__score = {"qid": True}

    # A property, because scikit-learn <= 1.8 checks the `__name__` of the method and
    # accepts a 'decision_function' of classifiers and outlier detectors only. The name
    # of a bound `predict` is accepted of every estimator. Since 1.9 any method is: it
    # can be an ordinary one once that is the oldest supported version.
    @property
    def decision_function(self) -> Callable[..., NDArray[Any]]:
        """The method `predict`, under the name that threshold metrics call."""
        return self.predict

    def score(
        self,
        X: MatrixLike | Any,
        y: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the mean NDCG of the whole lists, whatever `scoring` a ranker has.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without a column of query ids.
        y : array-like of shape (n_samples,)
            True relevance of the documents.
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column ``"qid"``
            of `X` (or `qid_column`, if the ranker has this parameter), or from the
            index of `y` or of `X` named ``"qid"``. Without query ids it raises
            ValueError, unless the ranker has ``missing_qid="single"``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the queries, one per row, the same within a query.

        Returns
        -------
        score : float
            Mean NDCG of the queries, between 0 and 1, 1 being the best.

        Warns
        -----
        QuerySplitWarning
            If the ranker knows that a query has rows in the training data as well.

        See Also
        --------
        skrank.metrics.ndcg_score : The metric with all its parameters.
        """
        # First, so that the error of an unfitted ranker or a wrong X comes first.
        y_score = self._predict(X, y, qid)
        qid = self.find_qid(qid, "score", X=X, y=y)
        one = np.zeros(len(y_score)) if qid is None else qid
        value = ndcg_score(y, y_score, qid=one, sample_weight=sample_weight)
        if qid is not None:
            warn_if_queries_are_split(self, X, qid)
        return value

    @says_what_was_meant
    def rank(
        self, X: MatrixLike | Any, *, qid: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Return the position of each document within its query.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without a column of query ids.
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column ``"qid"``
            of `X` (or `qid_column`, if the ranker has this parameter), or from the
            index of `X` named ``"qid"``. Without query ids it raises ValueError, unless
            the ranker has ``missing_qid="single"``.

        Returns
        -------
        ranks : ndarray of shape (n_samples,)
            1 for the document with the highest score of its query, 2 for the next,
            and so on. Documents with equal scores are ranked in the order of their
            rows.
        """
        y_score = self._predict(X, None, qid)
        return rank_rows(y_score, self.find_qid(qid, "rank", X=X))

    def _predict(self, X, y, qid):
        """Return the predictions; a `predict` that takes query ids gets them."""
        return ranking_response(self, X, find_scored_qid(self, X, y, qid))

    def find_qid(
        self,
        qid: ArrayLike | None,
        method: str,
        *,
        X: MatrixLike | Any,
        y: ArrayLike | None = None,
    ) -> Any:
        """Return the query ids for a method of the ranker, or raise its error.

        Parameters
        ----------
        qid : array-like of shape (n_samples,) or None
            Query ids, one per row, as they were passed to the method.
        method : str
            The name of the method, for the error.
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents, with or without a column of query ids.
        y : array-like of shape (n_samples,), default=None
            True relevance of the documents, if the method takes it.

        Returns
        -------
        qid : array-like of shape (n_samples,) or None
            The query ids, found as `score` finds them. None if there are none and the
            ranker has ``missing_qid="single"``: all rows are one query.

        Raises
        ------
        ValueError
            If there are no query ids otherwise.
        """
        qid = self._given_qid(qid, X, y)
        if qid is None and getattr(self, "missing_qid", None) != "single":
            call = f"{method}({'X' if y is None else 'X, y'}, qid=qid)"
            name = type(self).__name__
            places = {
                "of_column": name if hasattr(self, "qid_column") else "QueryRanker"
            }
            places["column"] = getattr(self, "qid_column", QID)
            raise no_query_ids(f"{name}.{method}", call, X=X, **places)
        return qid

    def _given_qid(self, qid, X, y=None):
        """Return the query ids that are given, or None."""
        return find_qid(qid, X=X, y=y)

    def __sklearn_tags__(self):
        """Return the tags, with the estimator type of rankers."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "ranker"
        tags.target_tags.required = True
        return tags


def is_ranker(estimator: Any) -> bool:
    """Return True if the given estimator is a ranker.

    Parameters
    ----------
    estimator : estimator instance
        Estimator object to test.

    Returns
    -------
    out : bool
        True if `estimator` is a ranker and False otherwise.

    Raises
    ------
    TypeError
        If `estimator` is a class and not an instance.

    See Also
    --------
    RankingEstimator : Mixin class for all rankers.
    sklearn.base.is_regressor : Return True if an estimator is a regressor.

    Notes
    -----
    Rankers are estimators whose type is ``"ranker"``, in their tags (those of skrank)
    or in the older attribute ``_estimator_type`` (XGBRanker and CatBoostRanker), and
    estimators whose `fit` has a parameter for queries: `qid`, `group` or `group_id`
    (LGBMRanker has no type).

    A Pipeline is a ranker if its last step is one. A search or another meta-estimator
    that predicts is a ranker if its `estimator` is one and has the same type.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrank.base import is_ranker
    >>> from skrank.rankers import QueryRanker
    >>> is_ranker(Ridge())
    False
    >>> is_ranker(QueryRanker(Ridge()))
    True
    >>> is_ranker(make_pipeline(StandardScaler(), QueryRanker(Ridge())))
    True
    """
    if isinstance(estimator, type):
        raise TypeError(
            f"Expected an estimator instance ({estimator.__name__}()), got estimator "
            f"class instead ({estimator.__name__})."
        )
    if isinstance(estimator, Pipeline):
        return is_ranker(estimator.steps[-1][1])
    older_type = getattr(estimator, "_estimator_type", None)
    if "ranker" in (estimator_type(estimator), older_type):
        return True
    if fit_parameters(estimator) & QUERY_PARAMETERS:
        return True
    inner = getattr(estimator, "estimator", None)
    return (
        hasattr(inner, "fit")
        and hasattr(estimator, "predict")
        and estimator_type(estimator) == estimator_type(inner)
        and is_ranker(inner)
    )


def fit_parameters(estimator):
    """Return the names of the parameters of the estimator's `fit`."""
    fit = getattr(estimator, "fit", None)
    return frozenset(inspect.signature(fit).parameters if callable(fit) else ())


def training_library(estimator):
    """Return the library of an estimator: "catboost", "lightgbm", "xgboost" or None.

    It is that of its class or of a base class. Of other classes, such as wrappers, it
    is the one whose parameters `fit` has.
    """
    for one in type(estimator).__mro__:
        package = one.__module__.partition(".")[0]
        if package in ("catboost", "lightgbm", "xgboost"):
            return package
    parameters = fit_parameters(estimator)
    if "eval_set" not in parameters:
        return None
    if "cat_features" in parameters:
        return "catboost"
    return "lightgbm" if "categorical_feature" in parameters else "xgboost"


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return the checks of scikit-learn that a ranker fails, with the reasons.

    Pass this function to `parametrize_with_checks`, or its result to
    :func:`~sklearn.utils.estimator_checks.check_estimator`.

    Parameters
    ----------
    estimator : estimator object
        The ranker, an instance.

    Returns
    -------
    expected_failed_checks : dict of str to str
        Reasons by the names of the checks, which are run to find the ones that fail for
        lack of query ids: they pass none. With ``missing_qid="single"`` the ranker
        passes them. Scores that depend on the other documents of the query differ in
        parts of the rows.

    See Also
    --------
    check_ranker : The checks that pass query ids.

    Examples
    --------
    >>> from skrank.base import expected_failed_checks
    >>> from skrank.rankers import QueryRanker
    >>> from sklearn.linear_model import Ridge
    >>> expected_failed_checks(QueryRanker(Ridge(), missing_qid="single"))
    {}
    >>> from sklearn.utils.estimator_checks import parametrize_with_checks
    >>> checks = parametrize_with_checks(
    ...     [QueryRanker(Ridge())], expected_failed_checks=expected_failed_checks
    ... )
    """
    from sklearn.utils.estimator_checks import check_estimator  # imports much

    ranker, failed = getattr(estimator, "ranker", estimator), {}  # that of as_regressor
    of_query = takes_qid(getattr(ranker, "estimator", ranker), "predict")
    if getattr(ranker, "missing_qid", None) == "single" and not of_query:
        return failed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    for one in results:
        name = one["check_name"]
        if _is_of_missing_ids(one["exception"]):
            failed[name] = "Without query ids a ranker raises an error."
        elif (
            of_query and one["exception"] and name == "check_methods_subset_invariance"
        ):
            failed[name] = "The scores depend on the other documents of the query."
    return failed


def _is_of_missing_ids(error):
    """Return True if an error, or one that it was raised for, is of missing ids."""
    while error is not None and "Got no query ids" not in str(error):
        error = error.__cause__ or error.__context__
    return error is not None


def check_ranker(estimator: Any) -> None:
    """Check if an estimator obeys the laws of rankers.

    It does for queries what :func:`sklearn.utils.estimator_checks.check_estimator`
    does for estimators in general: it fits clones of the estimator to small data and
    compares their scores. Call both in a test of a ranker of your own.

    Parameters
    ----------
    estimator : estimator object
        The ranker, an instance.

    Raises
    ------
    AssertionError
        If the estimator breaks a law; the message names the law and what happened.
    TypeError
        If `estimator` is a class and not an instance.

    See Also
    --------
    RankingEstimator : Mixin class for all rankers.
    is_ranker : Return True if an estimator is a ranker.

    Notes
    -----
    These are the laws of a ranker:

    - its type is "ranker";
    - it has one finite score per row, which does not depend on the other rows;
    - larger scores are better;
    - the order of the rows does not matter: those of a query may be scattered;
    - the names of the query ids do not matter, be they numbers or strings;
    - without query ids, `fit` raises ValueError, or takes all rows for one query if it
      has ``missing_qid="single"``;
    - with metadata routing enabled, `fit` and `score` receive `qid`;
    - it has the names of its features, and refuses other names, and names in another
      order unless its scores stay the same.

    Scores of two fits are the same if they differ by less than a thousandth of their
    standard deviation. A parameter `random_state` is set to 0. A ranker that draws
    rows, such as a random forest, or that orders equal scores by row, as LambdaMART
    does, depends on the order of the rows: set its tag `non_deterministic`, and scores
    of two fits are not compared. The last law needs pandas for the names.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.base import check_ranker
    >>> from skrank.rankers import QueryRanker
    >>> check_ranker(QueryRanker(Ridge()))
    >>> check_ranker(Ridge())
    Traceback (most recent call last):
        ...
    AssertionError: Ridge breaks a law of rankers: its type is 'ranker'. ...
    """
    is_ranker(estimator)  # raises for a class
    trial = _Trial(estimator, *_make_documents())
    for law, check in LAWS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(trial)
        except Exception as error:
            what = str(error)
            if not isinstance(error, AssertionError):
                what = f"Got {type(error).__name__}: {error}"
            raise AssertionError(
                f"{type(estimator).__name__} breaks a law of rankers: {law}. {what}"
            ) from error


class _Trial(NamedTuple):
    """A ranker and the documents that its clones are fitted to."""

    estimator: object
    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray

    def new(self):
        """Return an unfitted clone."""
        one = clone(self.estimator)
        if "random_state" in one.get_params(deep=False):
            one.set_params(random_state=0)
        return one

    def fitted(self, rows=slice(None)):
        """Return a clone that is fitted to some of the rows."""
        return self.new().fit(self.X[rows], self.y[rows], qid=self.qid[rows])

    def compare(self, found, expected, of_two_fits=True):
        """Raise unless two predictions are the same."""
        if of_two_fits and get_tags(self.estimator).non_deterministic:
            return
        apart = np.abs(np.asarray(found) - expected).max()
        if not apart <= 1e-3 * np.std(expected) * (1 if of_two_fits else 1e-3):
            raise AssertionError(f"Got scores that differ by {apart:.3g}.")


def _make_documents():
    """Return 30 queries of 4 to 12 documents, the rows of each one after another."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), rng.integers(4, 13, size=30))
    X = rng.normal(size=(len(qid), 4))
    value = X @ [2.0, 1.0, 0.0, -1.0] + 0.3 * rng.normal(size=len(qid))
    return X, np.digitize(value, [-1, 1]), qid


def _has_its_type(trial):
    if not is_ranker(trial.estimator):
        raise AssertionError("Got an estimator for which is_ranker returns False.")


def _scores_each_row(trial):
    fitted = trial.fitted()
    scores = np.asarray(fitted.predict(trial.X))
    if scores.shape != trial.y.shape:
        raise AssertionError(f"Got shape {scores.shape} for {len(trial.y)} rows.")
    if scores.dtype.kind not in "fiu" or not np.isfinite(scores).all():
        raise AssertionError(f"Got {scores.dtype} scores that are not all finite.")
    for rows in (slice(5), slice(None, None, 7), slice(None, None, -1)):
        some = fitted.predict(trial.X[rows])
        trial.compare(some, scores[rows], of_two_fits=False)


def _scores_the_better_higher(trial):
    scores = trial.fitted().predict(trial.X)
    good, bad = (ndcg_score(trial.y, s, qid=trial.qid) for s in (scores, -scores))
    if not good > bad:
        raise AssertionError(
            f"Got an NDCG of {good:.3f} on the training data, and {bad:.3f} with the "
            "scores negated."
        )


def _ignores_the_order_of_rows(trial):
    expected = trial.fitted().predict(trial.X)
    scattered = np.random.default_rng(1).permutation(len(trial.y))
    trial.compare(trial.fitted(scattered).predict(trial.X), expected)


def _ignores_the_names_of_ids(trial):
    expected = trial.fitted().predict(trial.X)
    names = np.random.default_rng(2).permutation(trial.qid.max() + 1)
    for ids in (1000 - 7 * trial.qid, np.array([f"q{n}" for n in names])[trial.qid]):
        trial.compare(trial._replace(qid=ids).fitted().predict(trial.X), expected)


def _does_not_guess_ids(trial):
    one = trial._replace(qid=np.zeros_like(trial.qid))
    try:
        found = trial.new().fit(trial.X, trial.y).predict(trial.X)
    except ValueError:
        return
    if getattr(trial.estimator, "missing_qid", None) == "single":
        trial.compare(found, one.fitted().predict(trial.X))
        return
    raise AssertionError(
        "Got no ValueError for rows without query ids. In fit, call "
        'self.find_qid(qid, "fit", X=X, y=y) of RankingEstimator, which raises it.'
    )


def _requests_the_ids(trial):
    is_test = trial.qid < 10
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    with config_context(enable_metadata_routing=True):
        found = cross_validate(
            trial.new(),
            trial.X,
            trial.y,
            cv=[(train, test)],
            params={"qid": trial.qid},
            return_estimator=True,
            error_score="raise",
        )
    X, y, qid = trial.X[test], trial.y[test], trial.qid[test]
    (fitted,), (score,) = found["estimator"], found["test_score"]
    trial.compare(fitted.predict(X), trial.fitted(train).predict(X))
    if score != fitted.score(X, y, qid=qid):
        raise AssertionError("Got a score that does not count queries.")


def _knows_its_features(trial):
    if not importlib.util.find_spec("pandas"):
        return
    names = ["a", "b", "c", "d"]
    frame = importlib.import_module("pandas").DataFrame(trial.X, columns=names)
    named = trial.new().fit(frame, trial.y, qid=trial.qid)
    if list(getattr(named, "feature_names_in_", ())) != names:
        raise AssertionError("Got no 'feature_names_in_' with the columns of X.")
    expected = named.predict(frame)
    trial.compare(expected, trial.fitted().predict(trial.X))
    _refuses(named, frame.add_prefix("new_"), "columns with other names")
    _refuses(named, frame[names[::-1]], "columns in another order", expected)


def _refuses(fitted, X, what, expected=None):
    """Raise unless `X` is refused, or has the expected scores."""
    try:
        scores = fitted.predict(X)
    except Exception:  # CatBoost has a class of its own
        return
    if expected is None or not np.allclose(scores, expected):
        raise AssertionError(f"Got scores of {what}.")


LAWS = {
    "its type is 'ranker'": _has_its_type,
    "it has one finite score per row, which does not depend on the other rows": (
        _scores_each_row
    ),
    "larger scores are better": _scores_the_better_higher,
    "the order of the rows does not matter": _ignores_the_order_of_rows,
    "the names of the query ids do not matter": _ignores_the_names_of_ids,
    "without query ids, fit raises, or takes all rows for one query": (
        _does_not_guess_ids
    ),
    "fit and score request qid": _requests_the_ids,
    "it has the names of its features": _knows_its_features,
}
