"""Values by query of cross-validated models."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object

from skrank._engine.value_table import average_repeats
from skrank._input.checks import check_instance, shown
from skrank._input.frames import kind_of
from skrank._input.sklearn import entries_of
from skrank._ranking.ids import encode_qid
from skrank._text.docs import MetricLike
from skrank.model_selection.splitters import QueryKFold
from skrank.scoring.estimators import (
    find_scored_qid,
    training_sizes,
    warn_of_split_queries,
)
from skrank.scoring.scorer import check_same_ids, read_scoring

if TYPE_CHECKING:
    from skrank.evaluation.query_scores import QueryScores

CROSS_VAL = "cross_val_query_scores"
SEVERAL = -1


def cross_val_query_scores(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    scoring: MetricLike | Sequence[Any] | Mapping[str, str | Sequence[Any]],
    cv: int | Any | Iterable[Any] = None,
    params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
) -> QueryScores:
    """Score every query by models that were not trained on it.

    Each estimator is fitted on the training set of every split, and the queries of the
    test set are scored. All estimators are fitted on the same splits, so that they can
    be compared query by query.

    Parameters
    ----------
    estimator : estimator object, or dict of str to estimator object
        The estimator, or several by name. A search such as
        :class:`~sklearn.model_selection.GridSearchCV` is an estimator too: it then
        selects its parameters anew within each training set.
    X : array-like of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,)
        The relevance of each row.
    scoring : str, scorer, or list or dict of them
        Scorer names of skrank such as "ndcg@10", or scorers of
        :func:`~skrank.metrics.make_ranking_scorer`. A dict names them.
    cv : int, splitter or iterable, default=None
        The splits: a splitter, or pairs of training and test rows. An int is the number
        of folds of a :class:`QueryKFold`, and None means five of them.
    params : dict, default=None
        The metadata, as for :func:`~sklearn.model_selection.cross_validate`: with
        metadata routing enabled, ``{"qid": qid}`` reaches the estimator, the splitter
        and the scorers. Without `qid` the query ids are taken from the column
        ``"qid"`` of `X` or from the index of `y` or `X` of that name.
    n_jobs : int, default=None
        The number of splits whose models are fitted at the same time.

    Returns
    -------
    scores : QueryScores
        The values by estimator, metric and query. Its keys are the query ids, "qid",
        and "fold", the split (counted from 0) that has the query in its test set, or
        -1 if several have. Queries that are in no test set are left out.

    Raises
    ------
    ValueError
        If there are no query ids, a scorer has no values of queries, or a query is in
        several test sets and the metric is not a mean over queries.

    See Also
    --------
    sklearn.model_selection.cross_validate : One value per split.
    skrank.metrics.score_queries : Scores the queries of predictions.

    Notes
    -----
    A query is one observation, however often it is tested. If it is in several test
    sets, its value is the mean over them: with the same rows, as in
    :class:`RepeatedQueryKFold`, or with some of its rows in each, as in
    :class:`LeaveLastOut`. Otherwise the values would count as more data than there are.
    A warning says if queries have rows in both parts of a split. The summary of all
    queries is the mean over queries, not that over folds.

    The models differ from split to split, and all of them from a model of all data. So
    the values estimate how well the estimator learns, not how well one fitted model
    ranks.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.dummy import DummyRegressor
    >>> from skrank.datasets import make_ranking
    >>> from skrank.model_selection import QueryKFold, cross_val_query_scores
    >>> from skrank.rankers import QueryRanker
    >>> X, y, qid = make_ranking(n_queries=30, random_state=0)
    >>> rankers = {"ridge": QueryRanker(Ridge()), "tied": QueryRanker(DummyRegressor())}
    >>> with config_context(enable_metadata_routing=True):
    ...     scores = cross_val_query_scores(
    ...         rankers, X, y, scoring=["mrr", "ndcg@10"], cv=3, params={"qid": qid}
    ...     )
    >>> print(scores)
    30 queries by fold (2 undefined)
    ranker     mrr  ndcg@10
    ridge   0.9333   0.8356
    tied    0.6475   0.3875
    """
    # The one crossing from the core to an extension: values by query of models that
    # are cross-validated are a QueryScores, which the core does not need itself.
    from skrank.evaluation.evaluate import check_names, score_requests
    from skrank.evaluation.query_scores import QueryScores

    rankers = _by_name(estimator)
    requests, scorer = read_scoring(scoring, CROSS_VAL)
    check_names(rankers, ["fold"], requests)
    X, y = indexable(X, y)
    params = {} if params is None else params
    check_instance(params, Mapping, "params", CROSS_VAL)
    cv, folds = _SplitOnce(cv), []
    call = f"{CROSS_VAL}(estimator, X, y, params={{'qid': qid}})"
    metadata = scorer.metadata(params)
    for name, ranker in rankers.items():
        models = cross_validate(
            ranker,
            X,
            y,
            scoring=scorer,
            cv=cv,
            params=params,
            n_jobs=n_jobs,
            return_estimator=True,
            error_score="raise",
        )["estimator"]
        if training_sizes(models[0]) is None:
            qid = find_scored_qid(models[0], X, y, metadata.get("qid"))
            codes = None if qid is None else encode_qid(qid)[1]
            for train, test in cv.splits if codes is not None else ():
                warn_of_split_queries(codes, train, test)
        for fold, model in enumerate(models):
            tested = partial(entries_of, indices=cv.splits[fold][1])
            own = {key: tested(values) for key, values in metadata.items()}
            rows = scorer._read_rows(model, tested(X), tested(y), own, call=call)
            if fold == len(folds):
                folds.append((rows, {}))
            check_same_ids(folds[fold][0].qid, rows.qid, name, CROSS_VAL)
            folds[fold][1][name] = rows.y_score
    parts = [
        score_requests(
            requests, rows, scores, by={"fold": np.full(len(rows.y_score), fold)}
        )
        for fold, (rows, scores) in enumerate(folds)
    ]
    table = average_repeats(QueryScores.concat(parts).table, "fold", SEVERAL)
    return QueryScores(table=table._replace(kind=kind_of(X, y)))


class _SplitOnce:
    """A splitter whose splits are drawn once, for all estimators."""

    def __init__(self, cv):
        is_count = cv is None or isinstance(cv, Integral)
        if np.iterable(cv):
            cv = list(cv)
            if not cv or any(not np.iterable(one) or len(one) != 2 for one in cv):
                text = "cv must be an int, a splitter or pairs of training and test "
                raise ValueError(f"{text}rows. Got {shown(cv, 80)}.")
        self.cv = QueryKFold(5 if cv is None else cv) if is_count else check_cv(cv)
        self.splits = None

    def get_metadata_routing(self):
        """Return the requests of the splitter for metadata."""
        return get_routing_for_object(self.cv)

    def split(self, X, y=None, **params):
        """Return the training and the test rows of each split."""
        if self.splits is None:
            self.splits = list(self.cv.split(X, y, **params))
        return self.splits

    def get_n_splits(self, X=None, y=None, **params):
        """Return the number of splits, as splitters do."""
        return self.cv.get_n_splits(X, y, **params)


def _by_name(estimator):
    """Return the estimators by name; one that has none stands under None."""
    if not isinstance(estimator, (list, tuple, Mapping)):
        return {None: estimator}
    names = [*estimator] if isinstance(estimator, Mapping) else []
    if names and all(isinstance(name, str) for name in names):
        return dict(estimator)
    raise (TypeError if estimator else ValueError)(
        f"The 'estimator' parameter of {CROSS_VAL} must be an estimator or a dict of "
        f"at least one, by their names. Got {shown(estimator, 80)}."
    )
