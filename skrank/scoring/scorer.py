"""Scorers, and what they read of an estimator and its rows."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import copy
import difflib
import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn import config_context

from skrank._engine.answer import OwnRanks, Rescored, answer_all, read_arrays
from skrank._engine.columns import columns_of
from skrank._engine.names import (
    check_ids_unneeded,
    is_misspelt,
    is_name,
    listed_names,
    parse_name,
    read_metric,
    read_requests,
    refusal,
    takes_a_ranking,
)
from skrank._engine.request import METRICS, OPTIONAL, metric_of, reads_highest_grade
from skrank._input.checks import (
    meant_by,
    shown,
    warn_if_out_of_order,
    warn_if_rows_are_drawn,
)
from skrank._input.frames import find_column
from skrank._input.query_ids import find_qid, no_query_ids
from skrank._input.sklearn import ScikitLearnScorer
from skrank._ranking.ids import encode_heads
from skrank._text.docs import MetricLike
from skrank.scoring.estimators import (
    RESPONSES,
    find_scored_qid,
    ranking_response,
    warn_if_queries_are_split,
    warn_of_features,
)

# What may be passed when a scorer is called, and what else cannot be bound to it.
_OPTIONAL = tuple(name for name in OPTIONAL if name != "doc_id")


def make_ranking_scorer(
    metric: MetricLike | Sequence[str],
    *,
    greater_is_better: bool | None = None,
    columns: Mapping[str, str | Callable[..., Any]] | None = None,
    **params: Any,
) -> RankingScorer:
    """Make a scorer from a ranking metric.

    A scorer has the signature ``scorer(estimator, X, y, *, qid=None)`` and is accepted
    wherever scikit-learn accepts `scoring`. Larger is always better: metrics with
    smaller values for better models get a minus sign.

    Parameters
    ----------
    metric : str, callable or list of str
        The metric:

        - a str: a scorer name, such as ``"ndcg@10"`` or ``"precision(threshold=1)@5"``;
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

    columns : dict of str to str or callable, default=None
        Where metrics such as "ild@10" find the columns that they read, by their names:
        the name of a column of `X`, or a function of `X`, such as
        ``{"features": lambda X: X[genres], "popularity": "n_ratings"}``. A column that
        is not among them is looked for in the metadata, and then as a column of `X`
        with its own name. So is `judged`, where `unjudged` is among the parameters.

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

    See Also
    --------
    get_scorer : The scorer of a name, of skrank or of scikit-learn.

    Notes
    -----
    The query ids are taken from the argument `qid`, else from a column of `X` named
    ``"qid"``, else from the index of `y` (or a level of it) named ``"qid"``, else from
    that of `X`. Without query ids a scorer raises an error; it never treats a whole
    fold as one query.

    The rows are ranked by the ``decision_function`` of an outlier detector or of a
    classifier with two classes, or by the probability of the second class if there is
    none; by the expected grade for more than two classes, the mean of the classes
    weighted by their probabilities; and by ``predict`` of every other estimator of one
    target. Clusterers, transformers and estimators of several targets raise an error.

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
    for name in ("qid", *OPTIONAL):
        if name in params:
            raise TypeError(
                f"The parameter {name!r} has a value per row and cannot be bound to a "
                "scorer. Pass it when the scorer is called, or as metadata."
            )
    columns = _read_places(columns)
    if not callable(metric):
        if greater_is_better is not None:
            raise ValueError(
                "The 'greater_is_better' parameter of make_ranking_scorer must be None "
                f"unless 'metric' is a callable. Got {shown(greater_is_better)} "
                "instead."
            )
        options = {name: value for name, value in params.items() if name != "k"}
        return RankingScorer(scored_names(metric, params), options, columns=columns)
    options, direction = dict(params), True
    if metric_of(metric) is None and not takes_a_ranking(metric):
        name = getattr(metric, "__name__", repr(metric))
        _check_takes_qid(metric, params, name)
        scored = Scored(
            name, f"The scorer of {name}", function=partial(metric, **params)
        )
    else:
        scored = _scored_function(metric, params)
        direction = scored.requests[0].direction == 1
    if greater_is_better is not None:
        direction = greater_is_better
        options = {"greater_is_better": greater_is_better, **options}
    return RankingScorer(scored, options, direction, columns)


def get_scorer(scoring: MetricLike | None) -> Any:
    """Get a scorer from its name.

    Parameters
    ----------
    scoring : str, callable or None
        A scorer name of skrank, such as ``"ndcg@10"`` or ``"rbp(max_grade=3)"``, or of
        scikit-learn, such as ``"roc_auc"``. A callable and None are returned as they
        are.

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
        return RankingScorer(scored_names(scoring, {}))
    try:
        return sklearn.metrics.get_scorer(scoring)
    except ValueError:
        names = sklearn.metrics.get_scorer_names()
        near = difflib.get_close_matches(scoring, {*names, *get_scorer_names()}, 1)
        if near and not is_name(near[0]) and not is_misspelt(scoring, names):
            raise ValueError(
                f"{shown(scoring)} is not a valid scoring value. "
                f"Did you mean {near[0]!r}?"
            ) from None
    raise ValueError(refusal(scoring))  # suggests the nearest name of skrank


def get_scorer_names() -> list[str]:
    """Get the scorer names of skrank that are listed.

    A metric that accepts a cutoff is listed with a few cutoffs only, to keep the list
    short, but any other cutoff is valid, such as ``"ndcg@7"``, and so are parameters
    in the name, such as ``"rbp(max_grade=3)"``, which is not listed since it needs one.
    :func:`sklearn.metrics.get_scorer_names` returns ten of these names.

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
    return listed_names(of_scorers=True)


class RankingScorer(ScikitLearnScorer):
    """A scorer that knows which rows belong to one query.

    Made by :func:`make_ranking_scorer` and :func:`get_scorer`.
    """

    def __init__(self, scored, options=None, greater_is_better=True, columns=None):
        super().__init__(scored, 1 if greater_is_better else -1, {}, RESPONSES)
        self._options, self._columns = options or {}, columns or {}
        reads = [(*one.metric.columns, *one.masks) for one in scored.requests]
        self._reads = tuple(dict.fromkeys(chain.from_iterable(reads)))
        _check_max_grade(scored.requests)
        with config_context(enable_metadata_routing=True):
            # Weights are neither requested nor refused: whoever passes some has to say
            # which, as with the scorers of scikit-learn.
            requests = dict.fromkeys(("qid", *self._reads), True)
            super().set_score_request(sample_weight=None, **requests)

    def __call__(
        self, estimator, X, y_true=None, *, qid=None, sample_weight=None, **columns
    ):
        """Score the ranking of the rows of `X` by a fitted estimator; larger is better.

        `qid`, `sample_weight` and the columns that the metrics read, such as
        `features`, have an entry for each row. They are accepted with and without
        metadata routing; :func:`make_ranking_scorer` says where they are found
        otherwise. Without `y_true`, an estimator that computes the ranks itself is
        scored: a link predictor, on true triples `X`. The score is a float, or a dict
        of str to float if the scorer was made from a list of names.
        """
        metadata = {"qid": qid, "sample_weight": sample_weight, **columns}
        return self._score(None, estimator, X, y_true, **metadata)

    def _score(self, method_caller, estimator, X, y_true=None, **metadata):
        rows = self._read_rows(estimator, X, y_true, metadata, ask=method_caller)
        return self._score_func.of_rows(rows, self._sign)

    def _read_rows(self, estimator, X, y_true, metadata, *, call=None, ask=None):
        """Return :class:`Arrays`, or the :class:`OwnRanks` of an estimator.

        `qid` becomes a :class:`Heads`, but for a function of the user. Errors show the
        `call`; `ask` is that of :func:`ranking_response`.
        """
        self._check_names(metadata)
        scored, requests = self._score_func, self._score_func.requests
        if y_true is None and hasattr(estimator, "__skrank_ranks__"):
            return OwnRanks(estimator.__skrank_ranks__(X), scored.caller)
        reads_grades = not requests or any(one.reads_grades for one in requests)
        if y_true is None and reads_grades:
            raise ValueError(
                f"{self!r} needs y_true, or an estimator with a method "
                "'__skrank_ranks__', such as a link predictor. Got no y_true and "
                f"{type(estimator).__name__}."
            )
        qid = find_scored_qid(estimator, X, y_true, metadata.get("qid"))
        # Predict first: NotFittedError should precede an error about missing query ids.
        y_score = ranking_response(estimator, X, qid, ask=ask)
        found = self._find_columns(X, metadata)
        if qid is None:
            call = call or "scorer(estimator, X, y, qid=qid)"
            raise no_query_ids(scored.caller, call, X=X, of_column="QueryRanker")
        heads = encode_heads(qid)
        self._warn(estimator, X, y_true, heads, metadata, found)
        if y_true is None:
            y_true = np.zeros(len(y_score), dtype=np.uint8)
        rows = metadata | found | {"qid": heads if scored.function is None else qid}
        masks = {name: rows.pop(name) for name in ("qid", *_OPTIONAL) if name in rows}
        is_found = metadata.get("judged") is None
        return read_arrays(
            y_true, y_score, **masks, columns=rows, is_judged_found=is_found
        )

    def _find_columns(self, X, metadata):
        scored, find = self._score_func, partial(_column_of, X, self._columns)
        return columns_of(scored.requests, metadata, scored.caller, find)

    def _warn(self, estimator, X, y_true, heads, metadata, columns):
        """Warn of rows, features and splits that are likely a mistake."""
        warn_if_out_of_order({"X": X, "y": y_true, "qid": metadata.get("qid")})
        of_X = {name for name in columns if metadata.get(name) is None}
        of_X -= self._columns.keys()
        warn_of_features(estimator, sorted(of_X))
        warn_if_queries_are_split(estimator, X, heads, self.get_metadata_routing)
        warn_if_rows_are_drawn()

    def _check_names(self, metadata):
        known = ("qid", *_OPTIONAL, *self._reads)
        unknown = [name for name in metadata if name not in known]
        if unknown and self._score_func.function is None:
            raise TypeError(
                f"{self._score_func.caller} got an unexpected keyword argument "
                f"{unknown[0]!r}.{meant_by(unknown[0], known)}"
            )

    def _on_documents(self, y_true, qid, sample_weight=None):
        value = self._score_func.of_documents(y_true, qid, sample_weight)
        return lambda y_score: self._sign * value(y_score)

    @property
    def key(self):
        """The name of the one metric; that of a metric with a minus sign says so."""
        scored = self._score_func
        name = scored.requests[0].key if scored.requests else scored.text
        return name if self._sign == 1 else f"neg_{name}"

    def set_score_request(self, **kwargs):
        """Set what the scorer requests when metadata routing is enabled.

        Requests have the form ``name=alias``, where `name` is ``"qid"``,
        ``"sample_weight"`` or a column of the metrics, and `alias` is a bool, None or
        str. Earlier requests remain, including the one for `qid`.
        """
        self._check_names(kwargs)
        earlier = self.get_metadata_routing().score.requests
        return super().set_score_request(**{**earlier, **kwargs})

    def __repr__(self):
        options = "".join(f", {key}={one!r}" for key, one in self._options.items())
        columns = f", columns={self._columns!r}" if self._columns else ""
        return f"make_ranking_scorer({self._score_func.text}{columns}{options})"

    def __sklearn_clone__(self):
        return copy.deepcopy(self)

    def __getstate__(self):
        # scikit-learn's requests hold the scorer itself.
        state = dict(vars(self))
        routing = state.pop("_metadata_request", None)
        return {**state, "_requests": routing.score.requests if routing else {}}

    def __setstate__(self, state):
        requests = state.pop("_requests")
        self.__dict__.update(state)
        with config_context(enable_metadata_routing=True):
            super().set_score_request(**requests)


# skore reads the signature, and takes keywords of any name for a required parameter.
_SIGNATURE = inspect.signature(RankingScorer.__call__)
RankingScorer.__call__.__signature__ = _SIGNATURE.replace(
    parameters=[one for one in _SIGNATURE.parameters.values() if one.name != "columns"]
)


def _column_of(X, columns, name):
    """Return a column of `X`, as a scorer's `columns` say, or of that name."""
    where = columns.get(name, name)
    if callable(where):
        return where(X)
    values = find_column(X, where)
    if values is None and name in columns:
        raise ValueError(
            f"The column {name!r} of a scorer was to be the column {where!r} of X. Got "
            f"an X without it, of type {type(X).__name__}."
        )
    return values


def _read_places(columns):
    columns = {} if columns is None else columns
    places = columns.values() if isinstance(columns, Mapping) else [None]
    if not all(isinstance(where, str) or callable(where) for where in places):
        raise TypeError(
            "The 'columns' parameter of make_ranking_scorer must be a dict of names of "
            "columns to names of columns of X, or functions of X. Got "
            f"{shown(columns)} instead: arrays are passed when the scorer is called, "
            "or as metadata."
        )
    return dict(columns)


class FoldScorer(RankingScorer):
    """A scorer that reads rows of a fold for several scorers, and scores nothing."""

    def __call__(self, estimator, X, y, **metadata):
        """Return 0."""
        return 0.0

    def metadata(self, params):
        """Return the metadata among `params`, by the names that scorers have for it."""
        asked = self.get_metadata_routing().score.requests
        names = {name: name if to is True else to for name, to in asked.items()}
        return {name: params[own] for name, own in names.items() if own in params}


def read_scoring(scoring, caller):
    """Return the requests and the :class:`FoldScorer` of names and scorers."""
    if isinstance(scoring, Mapping):
        named = list(scoring.items())
    else:
        is_list = isinstance(scoring, (list, tuple))
        named = [(None, one) for one in (scoring if is_list else [scoring])]
    if not named:
        raise ValueError(f"{caller} needs at least one metric. Got {shown(scoring)}.")
    requests, asked, columns, union, texts = [], [], {}, {}, []
    for name, one in named:
        scorer = get_scorer(one) if isinstance(one, str) else one
        scored = getattr(scorer, "_score_func", None)
        is_named = isinstance(scored, Scored) and scored.function is None
        if not is_named or (name and scored.is_list):
            raise ValueError(
                f"The 'scoring' parameter of {caller} must be a scorer name of skrank, "
                "a scorer of make_ranking_scorer for such names or for a function of a "
                "ranking, or a list or dict of these. Only such scorers have a value "
                f"for each query. Got {shown(one)} instead."
            )
        lower = "neg_" if scorer._sign < 0 else ""
        requests += [
            request._replace(
                key=name or lower + request.key, sign=scorer._sign * request.sign
            )
            for request in scored.requests
        ]
        of_scorer = scorer.get_metadata_routing().score.requests
        asked.append(
            {name: to for name, to in of_scorer.items() if name not in scorer._reads}
        )
        union |= of_scorer
        columns |= scorer._columns
        texts.append(scored.text)
    if any(other != asked[0] for other in asked):
        raise ValueError(
            f"All scorers of {caller} must request the same metadata, since the values "
            f"of a query have one weight. Got {asked}."
        )
    # scikit-learn names it in its error of weights that nobody has asked for.
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    scorer = FoldScorer(Scored(text, caller, tuple(requests)), columns=columns)
    with config_context(enable_metadata_routing=True):
        scorer.set_score_request(**union)
    return requests, scorer


def predict_scores(estimator, X, y, qid, caller):
    """Return the scores by which fitted estimators rank, by name, and the query ids."""
    if not isinstance(estimator, Mapping):
        estimator = {type(estimator).__name__: estimator}
    y_score, found, scorer = {}, None, RankingScorer(Scored(caller, caller))
    call = f"{caller}.from_estimator(estimator, X, y, qid=qid)"
    for name, one in estimator.items():
        rows = scorer._read_rows(one, X, y, {"qid": qid}, call=call)
        found = rows.qid if found is None else found
        check_same_ids(found, rows.qid, name, caller)
        y_score[name] = rows.y_score
    return y_score, None if found is None else found.ids[found.of_rows()]


def check_same_ids(one, other, name, caller):
    """Raise if an estimator finds other query ids than the first one did."""
    if not np.array_equal(one.ids[one.of_rows()], other.ids[other.of_rows()]):
        raise ValueError(
            f"All estimators of {caller} must have the same query ids. Got other ids "
            f"for {name!r}, from a column that it reads: pass `qid`."
        )


@dataclass(frozen=True)
class Scored:
    """What a scorer computes: requested metrics, or a function of the user."""

    text: str  # what the scorer shows
    caller: str  # what errors name
    requests: tuple = ()
    is_list: bool = False  # returns a dict with a value for each metric
    function: Callable | None = None  # called as ``function(y_true, y_score, qid=qid)``
    made_of: tuple = field(default=(), compare=False)  # metric, parameters

    def __call__(self, y_true, y_score, *, qid=None, sample_weight=None):
        """Return the value for tools that have no X to pass, such as skore."""
        qid = self._find_qid(qid, y_true)
        columns_of(self.requests, {}, self.caller)  # nobody passes any
        rows = read_arrays(y_true, y_score, qid=qid, sample_weight=sample_weight)
        return self.of_rows(rows)

    @property
    def __name__(self):
        """The name of the function, for tools that call the scorer by it."""
        keys = [request.key for request in self.requests]
        return ", ".join(keys) or self.text

    def __deepcopy__(self, memo):
        return self  # nothing of it changes

    def __getstate__(self):
        # skops can save names and parameters; metrics of the user are saved whole.
        is_own = any(request.metric.own for request in self.requests)
        return {"made_of": self.made_of} if self.made_of and not is_own else vars(self)

    def __setstate__(self, state):
        if len(state) == 1:
            metric, params = state["made_of"]
            read = _scored_function if callable(metric) else scored_names
            state = vars(read(metric, params))
        self.__dict__.update(state)

    def of_rows(self, rows, sign=1):
        """Return the value, of :class:`Arrays` or :class:`OwnRanks`."""
        if self.function is None:
            values = answer_all(self.requests, rows)
            return values if self.is_list else sign * next(iter(values.values()))
        given = {name: getattr(rows, name) for name in _OPTIONAL}
        given = {name: one for name, one in given.items() if one is not None}
        value = self.function(
            rows.y_true, rows.y_score, qid=rows.qid, **given, **rows.columns
        )
        return value if isinstance(value, dict) else sign * value

    def of_documents(self, y_true, qid, sample_weight=None):
        """Return the first metric as a function of the scores of these documents."""
        if self.function is not None:
            return partial(self, y_true, qid=qid, sample_weight=sample_weight)
        qid = self._find_qid(qid, y_true)
        find = {}.get if self.requests[0].masks else None
        columns_of(self.requests[:1], {}, self.caller, find)  # nobody passes any
        arrays = read_arrays(y_true, None, qid=qid, sample_weight=sample_weight)
        warn_if_out_of_order(arrays.by_row)
        rescored, key = Rescored(self.requests[:1]), self.requests[0].key

        def value(y_score):
            rows = replace(arrays, y_score=y_score, rankings={})
            return rescored(rows).summary()[key]

        return value

    def _find_qid(self, qid, y):
        if (qid := find_qid(qid, y=y)) is None:
            raise no_query_ids(self.caller, "`qid`")
        return qid


def _check_takes_qid(metric, params, name):
    try:
        signature = inspect.signature(metric)
    except (TypeError, ValueError):  # some callables written in C have no signature
        return
    try:
        signature.bind_partial(None, None, qid=None, **params)
    except TypeError as error:
        raise TypeError(
            "The 'metric' parameter of make_ranking_scorer must be a function that is "
            "called as metric(y_true, y_score, qid=qid, **params), or as "
            f"metric(ranking) with a RankedQueries. Got {name} instead: {error}."
        ) from None


def _scored_function(function, params):
    made_of, params = (function, params), dict(params)
    k = params.pop("k", None)

    def read(function):
        return read_metric(function)._replace(k=k)

    requests = read_requests(function, params, "make_ranking_scorer", read=read)
    name = requests[0].key
    caller = f"The scorer of {name}"
    scored = Scored(name, caller, tuple(requests), made_of=made_of)
    if params or k is not None:
        _try_on_two_rows(scored, params)
    return scored


def scored_names(names, params):
    """Return the scored metrics of a scorer name, or of a list of them."""
    made_of, params = (names, params), dict(params)
    k = params.pop("k", None)
    is_list = not isinstance(names, str)
    listed = names if is_list else [names]
    is_sequence = isinstance(listed, (list, tuple)) and len(listed)
    if not is_sequence or not all(isinstance(name, str) for name in listed):
        raise TypeError(
            "The 'metric' parameter of make_ranking_scorer must be a str, a callable "
            f"or a list of str. Got {shown(names)} instead."
        )
    listed = [name if k is None else f"{name}@{k}" for name in listed]
    requests = read_requests(listed, params, "make_ranking_scorer", read=parse_name)
    text = repr(listed if is_list else listed[0])
    caller = f"The scorer of {text}"
    scored = Scored(text, caller, tuple(requests), is_list, made_of=made_of)
    if params or "(" in text:  # a name alone says its direction
        for request in requests:
            _check_direction(request)
        _try_on_two_rows(scored, params)
    return scored


def _check_direction(request):
    """Raise if lower values are better, as those of -M where M is adjusted."""
    if request.direction == 1:
        return
    adjusted = request.options.adjusted
    near = [
        metric.full_name
        for metric in [*METRICS.values()]
        if metric.definition is request.metric.definition
        and metric.inverse == request.metric.inverse
        and metric.adjusted == adjusted
    ]
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"A scorer must return larger values for better models, but lower values of "
        f"{request.key!r} are better with adjusted={adjusted!r}.{hint}"
    )


def _check_max_grade(requests):
    """Raise if metrics depend on the highest grade, which a fold may not have."""
    for request in filter(reads_highest_grade, requests):
        params = re.search(r"\((.+)\)", request.key)
        params = f"{params[1]}, max_grade=3" if params else "max_grade=3"
        cutoff = f"@{k}" if (k := request.options.own.get("k")) else ""
        raise ValueError(
            f"A scorer of {request.key!r} needs max_grade, the highest grade of all "
            "data, since folds may have other highest grades. Pass it in the name, as "
            f"in scoring='{request.metric.full_name}({params}){cutoff}', or to "
            "make_ranking_scorer. Got max_grade=None."
        )


def _try_on_two_rows(scored, params):
    """Raise the errors of parameters, which cross-validation would turn into a NaN."""
    check_ids_unneeded(scored.requests, params.get("convention"))
    if any(one.metric.columns for one in scored.requests):  # what they hold is unknown
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scored(y_true=[1, 0], y_score=[1.0, 0.0], qid=[0, 0])
