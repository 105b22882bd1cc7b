"""QueryRanker, a ranker made of any estimator, and as_regressor, the reverse."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import inspect
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from skrank._input.checks import says_what_was_meant
from skrank._input.frames import column_names, drop_column, types_of_columns
from skrank._text.docs import (
    MatrixLike,
    MetricLike,
    MissingQid,
    Seed,
    Self,
    share_fit_words,
    share_predict_words,
)
from skrank.base import QUERY_PARAMETERS, fit_parameters, is_ranker
from skrank.rankers.libraries import (
    KEYWORDS,
    EarlyStopping,
    check_objective,
    check_own_stopping,
    fit_function_of,
    fit_in_chunks,
    hold_out,
    read_early_stopping,
)
from skrank.rankers.meta_ranker import (
    MetaRanker,
    as_taken,
    check_informative,
    clone_estimator,
    draw_queries,
    fit_transformers,
    fitted_attribute,
    naming_columns,
    needs_queries,
    prepared,
    refuse_weights,
)
from skrank.scoring.estimators import (
    estimator_type,
    last_step,
    ranking_response,
    training_sizes,
)


class QueryRanker(MetaRanker):
    """Ranker made of any ranker, regressor or classifier.

    It finds the query ids, passes them to the estimator in the form that its `fit`
    takes, and ranks documents by the predictions of the estimator. The parameters of
    `fit` decide which form that is, not the class of the estimator:

    - `group_id`: the ids (CatBoostRanker);
    - `qid`: the ids (XGBRanker, and rankers made with
      :class:`~skrank.base.RankingEstimator`);
    - `group`: the number of rows of each query (LGBMRanker).

    The ids are numbered from 0 and scattered rows sorted by query first, so ids may
    have any type and rows any order. An estimator with none of these parameters learns
    the relevance of each document on its own (the pointwise approach), and ranks

    - as a regressor, by its prediction;
    - as a classifier of two classes, by its `decision_function`, or else by the
      probability of the higher class;
    - as a classifier of more classes, by the expected grade: the sum of the classes
      weighted by their probabilities.

    Parameters
    ----------
    estimator : estimator object
        Ranker, regressor, classifier, or a Pipeline that ends with one. A clone is
        fitted.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, unless they are passed: the name of a
        column of a table, or the position of a column of an array, sparse matrix or
        table, counted from the end if negative. The column is never a feature.
    missing_qid : {"raise", "single"}, default="raise"
        What to do without query ids: raise an error, or treat all rows as one query.
        Query ids that are all equal are accepted with ``"single"`` only.
    max_queries : int or None, default=None
        The maximum number of training queries, at least 2. If `fit` gets more, this
        many are drawn, before early stopping holds some of them out. None means all.
        It can be the `resource` of a halving search.
    early_stopping : bool, default=False
        Whether to stop when `scoring` no longer improves. If True, whole queries are
        held out of each training set to measure it, and the model is that of the best
        round. Only rankers whose `fit` takes an evaluation set can stop early, such as
        LGBMRanker, XGBRanker and CatBoostRanker, and HistGradientBoostingRegressor and
        HistGradientBoostingClassifier. If False, the estimator is fitted on all rows.
    validation_fraction : float, default=0.1
        Fraction of the queries to hold out. Used only if `early_stopping` is True.
    n_iter_no_change : int, default=10
        Stop when `scoring` has not improved for this many rounds. Used only if
        `early_stopping` is True.
    scoring : str or scorer, default="ndcg@10"
        The metric for early stopping: a scorer name, such as ``"mrr"``, or a scorer
        made with :func:`~skrank.metrics.make_ranking_scorer`, for other parameters. It
        is computed by skrank, as it is for selecting models. Used only if
        `early_stopping` is True.
    random_state : int, RandomState instance or None, default=None
        Controls which queries are drawn and held out. Pass an int for the same queries
        in each call. Then the queries drawn for a smaller `max_queries` are also among
        those for a larger one. Used only if `early_stopping` is True or `max_queries`
        is an int.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted estimator.
    n_features_in_ : int
        Number of features seen during `fit`, without the column of query ids.
        Defined only if the underlying estimator has such an attribute when fitted.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`, without the column of query ids.
        Defined only if the underlying estimator has such an attribute when fitted.

    See Also
    --------
    PairwiseRanker : Ranker that learns from pairs of documents.
    skrank.base.RankingEstimator : Mixin class to write a ranker.
    skrank.model_selection.QueryKFold : K-fold that keeps queries whole.

    Notes
    -----
    Query ids are looked for in this order: the argument `qid`, which scikit-learn's
    tools forward when metadata routing is enabled; the column `qid_column` of `X`; an
    index named ``"qid"`` of `y`, then of `X`. The column is removed from `X` in `fit`
    and, if present, in `predict`.

    A scaler in front of the ranker would see that column. Put it inside instead:
    ``QueryRanker(make_pipeline(StandardScaler(), LGBMRanker()))``. Held-out queries
    are transformed as well.

    A fitted ranker also has those of the attributes in :doc:`/inspection`, such as
    `feature_importances_` and `coef_`, that the fitted estimator has. Everything else
    of the fitted model is in `estimator_`.

    `sample_weight` has one value per row, since cross-validation can split only
    these. The ranker converts it for the estimator (for the last step of a Pipeline):
    XGBRanker gets the mean weight of each query, CatBoostRanker `group_weight` if the
    weights are constant within queries. With metadata routing enabled, call
    ``set_fit_request(sample_weight=True)`` on the ranker. Transformers of the Pipeline
    receive the weights if they request them. In early stopping, the weight of a
    held-out query is the mean weight of its rows. :ref:`early_stopping` says where the
    values of all rounds are.

    Estimators of CatBoost may have lists among their parameters, such as
    `cat_features`. The ranker clones them although :func:`sklearn.base.clone` does
    not.

    Examples
    --------
    A search over a ranker of LightGBM, on a data frame with a column "qid":

    >>> from lightgbm import LGBMRanker
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrank.datasets import load_shop
    >>> from skrank.model_selection import QueryKFold
    >>> from skrank.rankers import QueryRanker
    >>> shop = load_shop()
    >>> ranker = QueryRanker(LGBMRanker(n_estimators=5, n_jobs=1, verbose=-1))
    >>> grid = {"estimator__num_leaves": [4, 15]}
    >>> search = GridSearchCV(ranker, grid, scoring="mrr", cv=QueryKFold(3))
    >>> search.fit(shop.data, shop.target).best_params_
    {'estimator__num_leaves': 15}

    Query ids passed by themselves:

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> X = np.array([[3.0], [1.0], [2.0], [5.0], [4.0]])
    >>> y = np.array([2, 0, 1, 1, 0])
    >>> qid = np.array(["a", "a", "a", "b", "b"])
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> ranker.rank(X, qid=qid)
    array([1, 3, 2, 1, 2])
    >>> ranker.score(X, y, qid=qid)
    1.0

    The query ids in the last column of an array:

    >>> X_qid = np.column_stack([X, [0, 0, 0, 1, 1]])
    >>> QueryRanker(Ridge(), qid_column=-1).fit(X_qid, y).n_features_in_
    1
    """

    __metadata_request__predict = {"qid": True}

    def __init__(
        self,
        estimator: Any,
        *,
        qid_column: str | int = "qid",
        missing_qid: MissingQid = "raise",
        max_queries: int | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        scoring: MetricLike = "ndcg@10",
        random_state: Seed | None = None,
    ) -> None:
        self.estimator = estimator
        self.qid_column = qid_column
        self.missing_qid = missing_qid
        self.max_queries = max_queries
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.scoring = scoring
        self.random_state = random_state

    feature_importances_ = fitted_attribute("feature_importances_", "Importances")
    coef_ = fitted_attribute("coef_", "Coefficients")
    intercept_ = fitted_attribute("intercept_", "Intercept")
    n_iter_ = fitted_attribute("n_iter_", "Number of iterations")
    best_iteration_ = fitted_attribute("best_iteration_", "Best iteration")
    best_score_ = fitted_attribute("best_score_", "Best score")
    evals_result_ = fitted_attribute("evals_result_", "Metric by iteration")

    @partial(says_what_was_meant, hints=KEYWORDS)
    @share_fit_words
    def fit(
        self,
        X: MatrixLike | Any,
        y: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the ranker.

        Raises
        ------
        ValueError
            If there are no query ids and `missing_qid` is ``"raise"``, if there is
            nothing to learn from equal grades, or if the estimator does not accept the
            grades or the weights, cannot stop early, or has no scores to rank by.
        """
        scorer = read_early_stopping(self)
        rows = self._rows([self.estimator], X, y, qid, sample_weight)
        if self.max_queries is not None:
            rows = draw_queries(rows, self.max_queries, self.random_state)
        stopping = None
        if scorer is not None:
            rows, held_out = hold_out(rows, self.validation_fraction, self.random_state)
            stopping = EarlyStopping(self.n_iter_no_change, scorer, held_out)
        fitted = clone_estimator(self.estimator)
        try:
            fitted, self._names, self._types = fit_estimator(fitted, rows, stopping)
        except (KeyError, ValueError) as error:
            text = f"{error} {error.__cause__}"
            if "of the dataframe" in text and f"'{self.qid_column}'" in text:
                raise ValueError(
                    f"The column {self.qid_column!r} is out of X already. No step "
                    f"needs to drop it. Got: {error}"
                ) from error
            raise
        if estimator_type(fitted) == "classifier":
            ranking_response(fitted, None, ask=_would_ask)  # raises if it has no scores
        return self._keep(fitted)

    @share_predict_words
    def predict(
        self, X: MatrixLike | Any, *, qid: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Return the scores of the documents.

        Parameters
        ----------
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row, for an estimator whose own `predict` takes them,
            such as FusionRanker. If None, they are taken from the column `qid_column`
            of `X`, or from its index named ``"qid"``.
        """
        check_is_fitted(self)
        qid = self._given_qid(qid, X)
        X = drop_column(X, self.qid_column, self._n_columns)
        # Scorers rank an estimator by the same scores, so a metric has the same value
        # whether or not the estimator is wrapped.
        last, X = prepared(self.estimator_, X, qid, self._names)
        with naming_columns(X, last, self._types):
            scores = ranking_response(last, X, qid)
        return scores if scores.dtype.kind == "f" else scores.astype(np.float64)

    @property
    def _passes_qid_to(self):
        """What `predict` passes the query ids to; scorers read it."""
        return self.estimator_


def fit_estimator(estimator, rows, stopping=None):
    """Fit `estimator` in place; return it, and the columns that its last step saw.

    These are their names and their types.

    The parameters of `fit` decide what an estimator receives, never its class. A
    ranker receives the rows of each query together. It is an error if nothing takes the
    weights that were passed.

    A Pipeline is fitted step by step, since its own `fit` cannot convert the query ids
    for the last step.
    """
    if isinstance(estimator, Pipeline):
        return _fit_pipeline(estimator, rows, stopping)
    with naming_columns(rows.X, estimator):
        fitted = _fit_on_rows(estimator, rows, stopping)
    return fitted, column_names(rows.X), types_of_columns(rows.X)


def _fit_on_rows(estimator, rows, stopping):
    parameters = fit_parameters(estimator)
    if not parameters & QUERY_PARAMETERS:
        check_objective(estimator)
    fit_library = fit_function_of(estimator)
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
    metadata = {"qid": rows.codes}
    if rows.weight is not None:
        metadata["sample_weight"] = rows.weight
    taken = set(metadata) & parameters
    signature = inspect.signature(estimator.fit).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
        taken |= _forwarded(estimator, set(metadata))
    if "sample_weight" in metadata and "sample_weight" not in taken:
        refuse_weights(estimator)
    given = {name: metadata[name] for name in taken}
    return estimator.fit(as_taken(rows.X, estimator), rows.y, **given)


def _for_library(rows, estimator):
    rows = rows.by_query()
    return rows._replace(X=as_taken(rows.X, estimator))


def _fit_pipeline(pipeline, rows, stopping):
    """Fit the transformers, then the last step as a separate estimator."""
    rows = fit_transformers(pipeline, rows, needs_queries=needs_queries(pipeline))
    if stopping is not None:
        held = stopping.held_out
        held = held._replace(X=last_step(pipeline, held.X, held.codes)[1])
        stopping = stopping._replace(held_out=held)
    name, last = pipeline.steps[-1]
    last, *columns = fit_estimator(last, rows, stopping)
    pipeline.steps[-1] = (name, last)
    return pipeline, *columns


def _forwarded(estimator, names):
    """Return which metadata an estimator forwards whose `fit` takes any keyword.

    Weights are accepted almost everywhere, query ids only where they are requested.
    """
    if get_config()["enable_metadata_routing"]:
        routing = getattr(estimator, "get_metadata_routing", lambda: None)()
        if isinstance(routing, MetadataRouter):
            return routing.consumes("fit", names)
    return names & {"sample_weight"}


def _would_ask(estimator, method_name, X):
    """Check that the method exists and return a response for no rows."""
    if not hasattr(estimator, method_name):
        raise ValueError(
            "A classifier must have 'decision_function' or 'predict_proba' to be a "
            f"ranker. Got {type(estimator).__name__} instead, which has neither."
        )
    is_probability = method_name == "predict_proba"
    return np.zeros((0, len(estimator.classes_)) if is_probability else 0)


def as_regressor(ranker: Any) -> RankerAsRegressor:
    """Return a regressor that predicts the scores of a ranker.

    Some tools accept only classifiers and regressors, such as
    :func:`~sklearn.inspection.partial_dependence`,
    :class:`~sklearn.ensemble.VotingRegressor` and skore. Scores of a ranker are
    comparable within a query only, so what these tools average over queries has a
    meaning only if you know that the scores of all queries have the same scale, as
    they have for one model of the documents' features.

    Parameters
    ----------
    ranker : estimator object
        A ranker, fitted or not, for which :func:`skrank.base.is_ranker` returns True.
        It may be a Pipeline or a search that ends with one.

    Returns
    -------
    regressor : estimator object
        A regressor with the parameter `ranker` and the methods
        ``fit(X, y, *, qid=None, sample_weight=None)``, ``predict(X)`` and `score`,
        which is the coefficient of determination (R²) of the scores. If `ranker` is
        fitted, the regressor is fitted with it. Its `fit`, and that of its clones, fits
        a clone of `ranker`, which is the attribute `ranker_`.

    Raises
    ------
    TypeError
        If `ranker` is not a ranker.

    See Also
    --------
    QueryRanker : The reverse: make a ranker of any regressor or classifier.

    Notes
    -----
    For scorers and for :func:`skrank.base.is_ranker` the regressor is still a ranker.
    `fit` requests `qid`, so that with metadata routing enabled
    ``VotingRegressor(...).fit(X, y, qid=qid)`` needs no ``set_fit_request``. For
    `sample_weight`, call ``set_fit_request(sample_weight=True)`` on the regressor.

    Examples
    --------
    >>> from sklearn.inspection import partial_dependence
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.datasets import make_ranking
    >>> from skrank.rankers import QueryRanker, as_regressor
    >>> X, y, qid = make_ranking(random_state=0)
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> result = partial_dependence(
    ...     as_regressor(ranker), X, features=[0], grid_resolution=3
    ... )
    >>> result["average"].shape
    (1, 3)
    """
    if isinstance(ranker, type) or not is_ranker(ranker):
        raise TypeError(
            "The 'ranker' parameter of as_regressor must be a ranker, such as "
            f"QueryRanker(Ridge()). Got {ranker!r} instead."
        )
    return RankerAsRegressor(ranker)._fitted_with_ranker()


class RankerAsRegressor(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """A ranker as a regressor.

    Made by :func:`as_regressor`.
    """

    __metadata_request__fit = {"qid": True}
    __metadata_request__predict = {"qid": True}

    def __init__(self, ranker):
        self.ranker = ranker

    def _fitted_with_ranker(self):
        """Return the regressor, fitted if the ranker is."""
        try:
            check_is_fitted(self.ranker)
        except NotFittedError:
            return self
        self.ranker_ = self.ranker
        return self

    def fit(self, X, y, *, qid=None, sample_weight=None):
        """Fit a clone of the ranker."""
        metadata = {"qid": qid, "sample_weight": sample_weight}
        passed = {name: value for name, value in metadata.items() if value is not None}
        vars(self).pop("ranker_", None)  # not fitted until this has ended
        self.ranker_ = clone(self.ranker).fit(X, y, **passed)
        return self

    def predict(self, X, *, qid=None):
        """Return the scores of the documents."""
        check_is_fitted(self)
        return ranking_response(self.ranker_, X, qid)

    @property
    def _passes_qid_to(self):
        return self.ranker_

    @property
    def n_features_in_(self):
        """The number of features that the ranker was fitted on."""
        return self.ranker_.n_features_in_

    @property
    def feature_names_in_(self):
        """The names of the features that the ranker was fitted on."""
        return self.ranker_.feature_names_in_

    def __skrank_sizes__(self):
        """Return the number of training rows of each query id; scorers call this."""
        return training_sizes(self.ranker_)

    def __skrank_qid__(self, X):
        """Return the query ids in a column of `X`, or None; scorers call this."""
        find = getattr(self.ranker_, "__skrank_qid__", None)
        return None if find is None else find(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = deepcopy(get_tags(self.ranker).input_tags)
        tags.regressor_tags.poor_score = True
        return tags
