"""Values by query of cross-validated models, and a rule that selects one of them."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object

from skrank._engine.value_table import average_repeats
from skrank._input.checks import check_instance, check_number, shown
from skrank._input.frames import kind_of
from skrank._input.sklearn import entries_of
from skrank._ranking.ids import encode_qid
from skrank._text.docs import MetricLike
from skrank.model_selection.splitters import QueryKFold
from skrank.scoring.estimators import find_scored_qid, training_sizes
from skrank.scoring.scorer import check_same_ids, read_scoring
from skrank.scoring.split_queries import warn_of_split_queries

if TYPE_CHECKING:
    from skrank.evaluation.query_scores import QueryScores

CROSS_VAL = "cross_val_query_scores"
RULE = "one_standard_error"
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
            rows = scorer.read_rows(model, tested(X), tested(y), own, call=call)
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
    return QueryScores(table._replace(kind=kind_of(X, y)))


class _SplitOnce:
    """A splitter whose splits are drawn once, for all estimators."""

    def __init__(self, cv):
        is_count = cv is None or isinstance(cv, Integral)
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
    if not isinstance(estimator, Mapping):
        return {None: estimator}
    for name in estimator:
        if not isinstance(name, str):
            raise TypeError(
                f"The keys of the dict 'estimator' of {CROSS_VAL} must be names of "
                f"type str. Got {shown(name)} instead."
            )
    if not estimator:
        raise ValueError(
            f"{CROSS_VAL} needs at least one estimator. Got an empty dict."
        )
    return dict(estimator)


def one_standard_error(
    metric: str = "score", *, complexity: MetricLike | Sequence[str], n_se: float = 1.0
) -> Callable[[Mapping[str, ArrayLike]], int]:
    r"""Make a rule for searches: the simplest of the nearly best candidates.

    Pass the rule as the parameter `refit` of a search. It compares the candidate that
    has the best mean score with every other one, split by split, and keeps those whose
    mean is lower by at most `n_se` standard errors of the difference. Of these it
    selects the simplest, and of equally simple ones that with the best mean.

    Parameters
    ----------
    metric : str, default="score"
        The metric by which candidates are compared. The results of a search with a
        single metric do not hold its name: there "score" and any other name mean that
        metric.
    complexity : str, callable, or list of str
        How complex a candidate is:

        - a str: the name of a parameter that is larger for more complex models, such as
          ``"estimator__max_depth"``; with a minus in front, as in ``"-alpha"``, one
          that is smaller for them. None, as in ``max_depth=None``, counts as infinity;
        - a list of str: several of them, the most important first;
        - a callable: maps the dict of a candidate's parameters to a number that is
          larger for more complex models, or to a tuple of numbers.
    n_se : float, default=1.0
        The number of standard errors, at least 0.

    Returns
    -------
    rule : callable
        ``rule(cv_results)`` returns the index of the selected candidate in the
        ``cv_results_`` of a search. It can be pickled if `complexity` can.

    Raises
    ------
    ValueError
        If `n_se` is negative. The rule raises it if the search has no such metric or
        parameter, only one split, or no candidate with a finite score in each split.

    See Also
    --------
    cross_val_query_scores : Says how good the models are that a search selects. The
        score by which a candidate was selected is too high.
    sklearn.model_selection.GridSearchCV : A search with a parameter `refit`.

    Notes
    -----
    The rule of Breiman et al. [1]_ takes the standard error of the best mean. But all
    candidates are scored on the same splits, some of which are harder for all of them,
    so the difference of two candidates is known better than either score. With
    :math:`d_i`, the score of the best candidate in split :math:`i` of :math:`m` minus
    that of another one, the standard error of the difference is

    .. math:: \sqrt{\frac{1}{m (m - 1)} \sum_{i=1}^m (d_i - \bar{d})^2}.

    A candidate without a finite score in some split is left out: scikit-learn warns of
    it, and ranks it last.

    scikit-learn's halving searches ignore a callable `refit`. Call the rule with their
    results, after the search. It compares the candidates of the last iteration only,
    since earlier ones had fewer resources.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and
       Regression Trees.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from skrank.datasets import make_ranking
    >>> from skrank.model_selection import QueryKFold, one_standard_error
    >>> from skrank.rankers import QueryRanker
    >>> X, y, qid = make_ranking(n_queries=40, random_state=2)
    >>> search = GridSearchCV(
    ...     QueryRanker(DecisionTreeRegressor(random_state=0)),
    ...     {"estimator__max_depth": [1, 2, 3, 5, 8, None]},
    ...     scoring="ndcg@10",
    ...     cv=QueryKFold(5),
    ...     refit=one_standard_error(complexity="estimator__max_depth"),
    ... )
    >>> with config_context(enable_metadata_routing=True):
    ...     search = search.fit(X, y, qid=qid)
    >>> search.cv_results_["mean_test_score"].round(3)
    array([0.59 , 0.656, 0.705, 0.708, 0.656, 0.65 ])
    >>> search.best_params_
    {'estimator__max_depth': 3}
    """
    if not isinstance(metric, str):
        raise TypeError(
            f"The 'metric' parameter of {RULE} must be a str. Got {shown(metric)} "
            "instead."
        )
    names = complexity if isinstance(complexity, (list, tuple)) else [complexity]
    if not callable(complexity) and not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"The 'complexity' parameter of {RULE} must be the name of a parameter, "
            f"a list of names, or a callable. Got {shown(complexity)} instead."
        )
    if not names:
        raise ValueError(
            f"The 'complexity' parameter of {RULE} must name at least one parameter. "
            "Got an empty list."
        )
    return _OneStandardError(
        metric,
        complexity if callable(complexity) else tuple(names),
        check_number(n_se, "n_se", RULE, low=0.0),
    )


@dataclass(frozen=True)
class _OneStandardError:
    """The rule; its `complexity` is a callable or a tuple of names."""

    metric: str
    complexity: Callable | tuple
    n_se: float

    def __call__(self, cv_results):
        """Return the index of the selected candidate."""
        scores, params = self._scores(cv_results), cv_results["params"]
        is_compared = np.isfinite(scores).all(axis=1)
        if "iter" in cv_results:
            iteration = np.asarray(cv_results["iter"])
            is_compared &= iteration == iteration.max()
        if not is_compared.any():
            raise ValueError(
                f"{RULE} needs a candidate with a finite score in each split. Got "
                f"none with such scores of {self.metric!r}; error_score='raise' shows "
                "why a fit or a scorer failed."
            )
        candidates = np.flatnonzero(is_compared)
        scores = scores[candidates]
        mean, n_splits = scores.mean(axis=1), scores.shape[1]
        loss = scores[mean.argmax()] - scores
        standard_error = loss.std(axis=1, ddof=1) / np.sqrt(n_splits)
        is_near = loss.mean(axis=1) <= self.n_se * standard_error
        complexity = [self._complexity(params[candidate]) for candidate in candidates]
        near = np.flatnonzero(is_near).tolist()
        return int(candidates[min(near, key=lambda i: (complexity[i], -mean[i]))])

    def _scores(self, cv_results):
        """Return the scores by candidate and split."""
        found = {}
        for key, scores in cv_results.items():
            if column := re.fullmatch(r"split\d+_test_(.+)", key):
                found.setdefault(column[1], []).append(scores)
        single = found.get("score") if len(found) == 1 else None
        scores = found.get(self.metric, single)
        if scores is None:
            raise ValueError(
                f"The 'metric' parameter of {RULE} must be a metric of the search, "
                f"among {sorted(found)}. Got {self.metric!r} instead."
            )
        if len(scores) < 2:
            raise ValueError(
                f"{RULE} needs at least two splits to know a standard error. Got one."
            )
        return np.stack(scores, axis=1)

    def _complexity(self, params):
        """Return the complexity of a candidate as a tuple of numbers."""
        if callable(self.complexity):
            found = self.complexity(params)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(_as_complexity(value, params) for value in found)
        found = []
        for name in self.complexity:
            sign, name = (-1, name[1:]) if name.startswith("-") else (1, name)
            if name not in params:
                raise ValueError(
                    f"The 'complexity' parameter of {RULE} must name parameters of "
                    f"each candidate, among {sorted(params)}, or be a callable. Got "
                    f"{name!r} instead."
                )
            value = np.inf if params[name] is None else params[name]
            found.append(sign * _as_complexity(value, params))
        return tuple(found)

    def __repr__(self):
        complexity = self.complexity
        if callable(complexity):
            shown_complexity = getattr(complexity, "__name__", repr(complexity))
        else:
            names = list(complexity)
            shown_complexity = repr(names if len(names) > 1 else names[0])
        n_se = "" if self.n_se == 1 else f", n_se={self.n_se:g}"
        return f"{RULE}({self.metric!r}, complexity={shown_complexity}{n_se})"


def _as_complexity(value, params):
    """Return a number as a float; raise if it is none."""
    if not isinstance(value, (Real, np.bool_)) or np.isnan(value):
        raise ValueError(
            f"The complexity of a candidate must be a number, for {RULE} to compare "
            f"it. Got {shown(value)} for the candidate {shown(params)}; a callable "
            "'complexity' can return a number for it."
        )
    return float(value)
