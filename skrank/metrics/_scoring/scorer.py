"""Scorers: ranking metrics of the predictions of estimators."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import copy
import difflib

import sklearn.metrics
from sklearn import config_context

from skrank._checks import shown
from skrank._ranking.ids import encode_heads
from skrank.metrics._metric import metric_of
from skrank.metrics._names import is_misspelt, is_name, listed_names, refusal
from skrank.metrics._own_metrics import takes_a_ranking
from skrank.metrics._scoring.queries import (
    LastScored,
    find_scored_qid,
    own_ranks,
    warn_if_queries_are_split,
)
from skrank.metrics._scoring.response import (
    RESPONSES,
    ranking_response,
    warn_if_qid_is_a_feature,
)
from skrank.metrics._scoring.scored import (
    UserMetric,
    is_better_when_greater,
    scored_function,
    scored_names,
)

ROW_ALIGNED = ("qid", "sample_weight", "exclude", "judged", "returned", "doc_id")


def make_ranking_scorer(metric, *, greater_is_better=None, **params):
    """Make a scorer from a ranking metric.

    A scorer has the signature ``scorer(estimator, X, y, *, qid=None)`` and is accepted
    wherever scikit-learn accepts `scoring`. Larger is always better: metrics with
    smaller values for better models get a minus sign.

    Parameters
    ----------
    metric : str, callable or list of str
        The metric:

        - a str: a scorer name, such as ``"ndcg@10"``;
        - a callable with two arguments: a function that is called as
          ``metric(y_true, y_score, qid=qid, **params)``, such as
          :func:`skrank.metrics.ndcg_score`;
        - a callable with one argument: a definition of your own, which maps a
          :class:`~skrank.metrics.RankedQueries` to an array of shape (n_queries,), as
          in :func:`evaluate`;
        - a list of str: the scorer returns a dict with a value per name, all computed
          from one prediction and one ranking.

    greater_is_better : bool, default=None
        Whether larger values of a callable `metric` are better. If None, this is known
        for the functions of skrank and assumed for all others. It must be None if
        `metric` is a name or a list of names.

    **params : dict
        Keyword parameters of the metric, such as ``ties="optimistic"`` or
        ``gain="linear"``. With names, ``k=10`` has the same effect as ``"@10"``, and
        ``convention="lightgbm"`` follows the rules of that library. Parameters with one
        value per row (`qid`, `sample_weight`) are not accepted here, since
        cross-validation has to split them into folds.

    Returns
    -------
    scorer : callable
        The scorer. It requests `qid` when metadata routing is enabled; call its
        ``set_score_request(sample_weight=True)`` to make it request `sample_weight` as
        well.

    Raises
    ------
    ValueError
        If a name is unknown or a parameter has an invalid value.

    TypeError
        If `metric` has the wrong type or a parameter does not exist.

    See Also
    --------
    get_scorer : The scorer of a name, of skrank or of scikit-learn.
    evaluate : The same metrics, from scores instead of an estimator.

    Notes
    -----
    The query ids are taken from the argument `qid`, else from a column of `X` named
    ``"qid"``, else from the index of `y` (or a level of it) named ``"qid"``, else from
    that of `X`. Without query ids a scorer raises an error; it never treats a whole
    fold as one query.

    The rows are ranked by the `decision_function` of a binary classifier, or by the
    probability of its second class if it has none; by the expected class of a
    classifier with more classes, which must be numbers (their mean under
    `predict_proba`); and by `predict` of any other estimator.

    Examples
    --------
    >>> from skrank.metrics import make_ranking_scorer
    >>> scorer = make_ranking_scorer("ndcg@10", gain="linear")
    >>> scorer
    make_ranking_scorer('ndcg@10', gain='linear')
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    >>> model = LinearRegression().fit(X, y)
    >>> make_ranking_scorer("mrr")(model, X, y, qid=["a", "a", "b", "b"])
    1.0
    >>> scorers = make_ranking_scorer(["mrr", "precision@1"])
    >>> scorers(model, X, y, qid=["a", "a", "b", "b"])
    {'mrr': 1.0, 'precision@1': 1.0}

    A metric of your own, the fraction of queries with a relevant document on top:

    >>> def led(ranking):
    ...     return ranking.expected_at_first(lambda rank: rank == 1)
    >>> make_ranking_scorer(led)(model, X, y, qid=["a", "a", "b", "b"])
    1.0
    """
    _check_params(params)
    if callable(metric):
        options = dict(params)
        if metric_of(metric) is None and not takes_a_ranking(metric):
            scored, direction = UserMetric(metric, params), True
        else:
            scored = scored_function(metric, params)
            direction = is_better_when_greater(scored)
        if greater_is_better is not None:
            direction = greater_is_better
            options = {"greater_is_better": greater_is_better, **options}
        return RankingScorer(scored, options, direction)
    if greater_is_better is not None:
        raise ValueError(
            "The 'greater_is_better' parameter of make_ranking_scorer must be None "
            f"unless 'metric' is a callable. Got {shown(greater_is_better)} instead."
        )
    options = {name: value for name, value in params.items() if name != "k"}
    return RankingScorer(scored_names(metric, params), options)


def get_scorer(scoring):
    """Get a scorer from its name.

    Parameters
    ----------
    scoring : str, callable or None
        A scorer name of skrank, such as ``"ndcg@10"``, or of scikit-learn, such as
        ``"roc_auc"``. A callable and None are returned as they are.

    Returns
    -------
    scorer : callable
        The scorer; a new one at each call.

    Raises
    ------
    ValueError
        If `scoring` is a str that neither skrank nor scikit-learn knows. The message
        suggests the nearest valid name.

    See Also
    --------
    get_scorer_names : The names, with a few cutoffs each.
    make_ranking_scorer : Makes a scorer with other parameters.

    Examples
    --------
    >>> from skrank.metrics import get_scorer
    >>> get_scorer("ndcg@7")
    make_ranking_scorer('ndcg@7')
    """
    if not isinstance(scoring, str):
        return sklearn.metrics.get_scorer(scoring)
    if is_name(scoring):
        return scorer_of_name(scoring)
    try:
        return sklearn.metrics.get_scorer(scoring)
    except ValueError:
        names = sklearn.metrics.get_scorer_names()
        near = difflib.get_close_matches(scoring, names, 1)
        if near and not is_name(near[0]) and not is_misspelt(scoring, names):
            raise ValueError(
                f"{shown(scoring)} is not a valid scoring value. "
                f"Did you mean {near[0]!r}?"
            ) from None
    raise ValueError(refusal(scoring))  # suggests the nearest name of skrank


def get_scorer_names():
    """Get the scorer names of skrank that are listed.

    A metric that accepts a cutoff is listed with a few cutoffs only, to keep the list
    short, but any other cutoff is valid, such as ``"ndcg@7"``. Once skrank is imported,
    :func:`sklearn.metrics.get_scorer_names` returns these names together with those of
    scikit-learn.

    Returns
    -------
    names : list of str
        The names in alphabetical order.

    See Also
    --------
    get_scorer : The scorer of a name.

    Examples
    --------
    >>> from skrank.metrics import get_scorer_names
    >>> "mrr" in get_scorer_names()
    True
    """
    return sorted(listed_names())


def scorer_of_name(name):
    """Return the scorer of one of skrank's names, which must be valid."""
    return RankingScorer(scored_names(name, {}))


# The class of scikit-learn's own scorers has no public name. Only instances of it get
# the predictions that several scorers share.
_ScikitLearnScorer = type(sklearn.metrics.make_scorer(max))


class RankingScorer(_ScikitLearnScorer):
    """A scorer that knows which rows belong to one query."""

    def __init__(self, scored, options=None, greater_is_better=True):
        scorer = sklearn.metrics.make_scorer(
            scored, response_method=RESPONSES, greater_is_better=greater_is_better
        )
        vars(self).update(vars(scorer))
        self._options = options or {}
        self._kwargs = _NotForCopies(repr(self))
        self._last_scored = LastScored()
        with config_context(enable_metadata_routing=True):
            super().set_score_request(qid=True)

    def __call__(self, estimator, X, y_true=None, *, qid=None, sample_weight=None):
        """Score the ranking of the rows of `X` by a fitted estimator.

        Parameters
        ----------
        estimator : object
            A fitted estimator.

        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The rows to rank. A column named ``"qid"`` of a DataFrame holds the query
            ids if `qid` is not given.

        y_true : array-like of shape (n_samples,), default=None
            The true relevance of the rows. An index level named ``"qid"`` holds the
            query ids if neither `qid` nor a column of `X` does. If None, the
            estimator has to compute the ranks itself: a link predictor is scored on
            true triples `X`.

        qid : array-like of shape (n_samples,), default=None
            The query ids of the rows. Accepted with and without metadata routing.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights, constant within a query.

        Returns
        -------
        score : float, or dict of str to float
            Larger is better. A dict if the scorer was made from a list of names.
        """
        metadata = {"qid": qid}
        if sample_weight is not None:
            metadata["sample_weight"] = sample_weight
        return self._score(_ask, estimator, X, y_true, **metadata)

    def _score(self, method_caller, estimator, X, y_true=None, qid=None, **metadata):
        """Score, with the predictions that `method_caller` computes or has cached."""
        if y_true is None:
            # For estimators that compute the ranks themselves, such as link predictors.
            value = self._score_func.of_ranks(own_ranks(estimator, X, repr(self)))
            return value if isinstance(value, dict) else self._sign * value
        # Predict first: NotFittedError should precede an error about missing query ids.
        y_score = ranking_response(estimator, X, method_caller)
        qid = find_scored_qid(estimator, X, y_true, qid)
        heads = None if qid is None else encode_heads(qid)
        if self._score_func.reads_heads:
            qid = heads
        value = self._score_func(y_true, y_score, qid=qid, **metadata)
        warn_if_qid_is_a_feature(estimator)
        warn_if_queries_are_split(estimator, heads)
        self._last_scored.warn_if_split(estimator, heads)
        return value if isinstance(value, dict) else self._sign * value

    def on_documents(self, y_true, qid, sample_weight=None):
        """Return the score of some documents as a function of their predicted scores.

        It is meant to be called again and again: what does not depend on the predicted
        scores is computed once.
        """
        value = self._score_func.of_documents(y_true, qid, sample_weight)
        return lambda y_score: self._sign * value(y_score)

    @property
    def key(self):
        """The name of the one metric; that of a metric with a minus sign says so."""
        scored = self._score_func
        name = scored.requests[0].key if hasattr(scored, "requests") else scored.text
        return name if self._sign == 1 else f"neg_{name}"

    def set_score_request(self, **kwargs):
        """Set the metadata that the scorer requests when metadata routing is enabled.

        Earlier requests remain, including the one for `qid`.

        Parameters
        ----------
        **kwargs : dict
            Requests of the form ``name=alias``, where `name` is ``"qid"`` or
            ``"sample_weight"`` and `alias` is a bool, None or str.

        Returns
        -------
        self : object
            The scorer.
        """
        earlier = self.get_metadata_routing().score.requests
        return super().set_score_request(**{**earlier, **kwargs})

    def __repr__(self):
        options = "".join(
            f", {name}={value!r}" for name, value in self._options.items()
        )
        return f"make_ranking_scorer({self._score_func.text}{options})"

    def __sklearn_clone__(self):
        return copy.deepcopy(self)


class _NotForCopies(dict):
    """The keyword arguments of a score function: none.

    skore copies them, calls the score function without `X`, in which the query ids may
    be, and reports the error as NaN. It has to learn of the error earlier.
    """

    def __init__(self, scorer):
        super().__init__()
        self.scorer = scorer

    def copy(self):
        """Raise an error that says what to pass instead of the scorer."""
        raise TypeError(
            f"{self.scorer} cannot be taken apart, since its score function does not "
            "see X, which may hold the query ids. Pass the call of the scorer instead: "
            f"report.metrics.add({self.scorer}.__call__, name=...)."
        )

    def __reduce__(self):
        return _NotForCopies, (self.scorer,)


def follow_reload(scorer_class):
    """Let rankings be scored by scikit-learn's scorer class after it was loaded anew.

    Scorers share one prediction if they are of the class that its module holds now.
    """
    (known,) = RankingScorer.__bases__
    names = ("__module__", "__qualname__")
    if known is not scorer_class and all(
        getattr(known, name) == getattr(scorer_class, name) for name in names
    ):
        RankingScorer.__bases__ = (scorer_class,)


def _ask(estimator, method_name, X):
    return getattr(estimator, method_name)(X)


def _check_params(params):
    for name in ROW_ALIGNED:
        if name in params:
            raise TypeError(
                f"The parameter {name!r} has a value per row and cannot be bound to a "
                "scorer. Pass it when the scorer is called, or as metadata."
            )
    if params.get("average", "macro") is None:
        raise ValueError(
            "The 'average' parameter of make_ranking_scorer must be a str among "
            "{'macro', 'weighted'}. Got None instead."
        )
