"""FusionRanker, and the rules that fuse scores: by ranks or by scores."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank._input.checks import (
    about,
    check_choice,
    check_lengths,
    check_number,
    numeric_array,
    says_what_was_meant,
    shown,
)
from skrank._input.frames import column_names, drop_column, find_column
from skrank._ranking.arrays import lengths_of, starts_of
from skrank._ranking.ids import encode_qid
from skrank._ranking.rank import rank_queries
from skrank._text.docs import MatrixLike, MissingQid, Self, share_fit_words
from skrank.rankers.meta_ranker import (
    QueryFinder,
    check_feature_names,
    check_row_weights,
    clone_estimator,
    prepared,
)
from skrank.rankers.query_ranker import fit_estimator
from skrank.scoring.estimators import ranking_response


class FusionRanker(QueryFinder):
    """Ranker that fuses the scores of several rankers, or of columns of `X`.

    Its weights are parameters, so that a search can choose those with the best NDCG,
    or any other metric, on queries held out.

    Parameters
    ----------
    estimators : list, default=None
        What is fused: pairs (name, estimator), as in
        :class:`~sklearn.ensemble.VotingRegressor`, and columns of `X` with scores, by
        name, or by position without that of the query ids. Estimators are rankers,
        regressors or classifiers, as in :class:`QueryRanker`; clones of them are fitted
        to all columns of `X`. In a column NaN says that a run did not return the
        document. None means each column of `X`.
    method : {"rrf", "sum", "mnz", "max", "isr", "borda"}, default="rrf"
        How the scores of a document become one, as in :func:`~skrank.tables.fuse`.
    norm : {"min-max", "max", "sum", "z", "rank"}, default=None
        How scores are made comparable within a query before they are added.
    weights : array-like of shape (n_estimators,) or dict of str to float, default=None
        The weight of each estimator or column, at least 0. If None, all are 1.
    rrf_k : float, default=60
        The constant of the method "rrf".
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryRanker`.
    missing_qid : {"raise", "single"}, default="raise"
        What to do without query ids, as for :class:`QueryRanker`.

    Attributes
    ----------
    estimators_ : list
        The fitted estimators, and the names or positions of columns.
    query_sizes_ : dict
        The number of training rows of each query id. Empty if there were no ids, or
        nothing was fitted. Pickles and copies lack it.
    n_features_in_ : int
        Number of columns seen during `fit`, without the column of query ids.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names. Defined only when `X` has names that are all strings.

    See Also
    --------
    QueryRanker : Learns from the columns, in the place of fixed weights.
    skrank.tables.fuse : Fuses runs of TREC, tables and dicts.
    skrank.tables.align : With ``wide=True`` makes the columns of such runs.

    Notes
    -----
    A fused score depends on the other documents of the query, unless it is the sum,
    "mnz" or maximum of the scores themselves. So `predict` needs the query ids, as its
    argument `qid`, in the column `qid_column` of `X` or in the index of `X`. Scorers
    pass on those that they get, also in a search with metadata routing, and a ranker to
    those inside it that take them, such as another FusionRanker.

    A document that nothing returned gets a score below that of all others, and does
    not change theirs.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrank.rankers import FusionRanker
    >>> X = pd.DataFrame({
    ...     "qid": ["a", "a", "a", "b", "b"],
    ...     "bm25": [7.0, 5.0, 2.0, 3.0, 2.0],
    ...     "dense": [0.2, 0.9, None, 0.1, 0.5],
    ... })
    >>> y = [0, 1, 0, 0, 1]
    >>> ranker = FusionRanker(["bm25", "dense"], method="sum", norm="min-max")
    >>> ranker.fit(X, y).rank(X)
    array([2, 1, 3, 1, 2])

    Weights that a search chooses:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrank.model_selection import QueryKFold
    >>> grid = {"weights": [(1, 0), (1, 1), (1, 3)]}
    >>> search = GridSearchCV(ranker, grid, scoring="mrr", cv=QueryKFold(2))
    >>> search.fit(X, y).best_params_
    {'weights': (1, 3)}
    """

    __metadata_request__predict = {"qid": True}

    _takes = "estimators"

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        method: Literal["rrf", "sum", "mnz", "max", "isr", "borda"] = "rrf",
        norm: Literal["min-max", "max", "sum", "z", "rank"] | None = None,
        weights: ArrayLike | Mapping[str, float] | None = None,
        rrf_k: float = 60,
        qid_column: str | int = "qid",
        missing_qid: MissingQid = "raise",
    ) -> None:
        self.estimators = estimators
        self.method = method
        self.norm = norm
        self.weights = weights
        self.rrf_k = rrf_k
        self.qid_column = qid_column
        self.missing_qid = missing_qid

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [get_tags(one).input_tags for one in self._named().values()]
        tags.target_tags.required = bool(inner)
        for name in ("allow_nan", "sparse"):
            setattr(tags.input_tags, name, all(getattr(one, name) for one in inner))
        return tags

    @says_what_was_meant
    @share_fit_words
    def fit(
        self,
        X: MatrixLike | Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimators; columns need no fit, so that `y` may be None for them.

        Parameters
        ----------
        y : array-like of shape (n_samples,), default=None
            Relevance of the documents. An index named ``"qid"`` holds the query ids
            unless they are passed or are in a column of `X`.
        """
        self._check_qid_parameters(X)
        features = _with_shape(drop_column(X, self.qid_column))
        members = self._members(features)
        self._fusion = read_fusion(
            self.method,
            self.norm,
            self.weights,
            self.rrf_k,
            list(members),
            "FusionRanker",
        )
        self.query_sizes_, rows = {}, None
        named = self._named()
        self._check_names([*named])
        if named:
            rows = self._rows(named.values(), X, y, qid, sample_weight)
        else:
            if sample_weight is not None:
                sample_weight = check_row_weights(sample_weight, "FusionRanker")
            check_lengths(X=features, y=y, qid=qid, sample_weight=sample_weight)
            if isinstance(features, np.ndarray):
                used = features[:, [*members]]
                check_array(used, ensure_all_finite=False, estimator=self)
            else:
                for column in members:
                    _scores(features, column, None)
        validate_data(self, features, skip_check_array=True)
        self._names = column_names(features)
        self.estimators_ = [
            fit_estimator(clone_estimator(member), rows)[0]
            if hasattr(member, "fit")
            else member
            for member in members.values()
        ]
        return self

    def predict(
        self, X: MatrixLike | Any, *, qid: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Return the fused scores of the documents.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents, with or without the column of query ids.
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column `qid_column`
            of `X`, or from its index named ``"qid"``. Sums and maxima of the scores
            themselves need none.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            One score per row, larger is better. Compare scores of the same query only.

        Raises
        ------
        ValueError
            If there are no query ids, unless ``missing_qid="single"``, or `X` lacks a
            column.
        """
        check_is_fitted(self)
        features = _with_shape(drop_column(X, self.qid_column, self._n_columns))
        if hasattr(self, "n_features_in_"):  # not of text, which has one dimension
            check_rows(features, self)
        if column_names(features) != self._names:
            check_feature_names(features, self._names, self)
        validate_data(self, features, reset=False, skip_check_array=True)
        given = self._given_qid(qid, X)
        scores = [_scores(features, member, given) for member in self.estimators_]
        scores = np.column_stack(scores).astype(np.float64)
        codes = np.zeros(len(scores), dtype=np.intp)
        if self._fusion.compares_documents:
            qid = self.find_qid(given, "predict", X=X)
            if qid is not None:
                _, codes = encode_qid(qid, len(scores))
        return fuse_scores(codes, scores, self._fusion)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, and those of the estimators.

        Parameters
        ----------
        deep : bool, default=True
            If True, the estimators by their names and their parameters, such as
            "gbm__max_depth", are among them.

        Returns
        -------
        params : dict
            Parameters by name.
        """
        params = super().get_params(deep=False)
        for name, estimator in self._named().items() if deep else ():
            params[name] = estimator
            inner = estimator.get_params(deep=True).items()
            params |= {f"{name}__{key}": value for key, value in inner}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, estimators by their names, and parameters of these.

        Parameters
        ----------
        **params : dict
            Parameters by name, as :meth:`get_params` returns them.

        Returns
        -------
        self : object
            The ranker.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        if replaced := params.keys() & self._named().keys():
            self.estimators = [
                (member[0], params[member[0]])
                if isinstance(member, tuple) and member[0] in replaced
                else member
                for member in self.estimators
            ]
        rest = {name: value for name, value in params.items() if name not in replaced}
        return super().set_params(**rest)

    def _check_names(self, names):
        """Raise unless parameters can have the names, by the rules of scikit-learn."""
        taken = {*names} & self.get_params(deep=False).keys()
        if taken:
            raise ValueError(
                f"Estimator names conflict with constructor arguments: {sorted(taken)}"
            )
        if wrong := [name for name in names if "__" in name]:
            raise ValueError(f"Estimator names must not contain __: got {wrong}")

    def _named(self):
        """Return the estimators by their names."""
        given = self.estimators if isinstance(self.estimators, list) else []
        return dict(one for one in given if isinstance(one, tuple) and len(one) == 2)

    def _members(self, features):
        """Return the estimators and columns by their names."""
        given, named = self.estimators, self._named()
        if not isinstance(given, list) or len(named) != len(given):
            check_rows(features, self)
            names = list(column_names(features) or range(np.shape(features)[1]))
            given = names if given is None else given
            listed = given if isinstance(given, list) else [None]
            columns = [one for one in listed if not isinstance(one, tuple)]
            if not all(one in names for one in columns):
                raise ValueError(
                    "The 'estimators' parameter of FusionRanker must be a list of "
                    f"pairs (name, estimator) and columns of X. Got {shown(given)}, "
                    f"and X has the columns {shown(names)}."
                )
        members = {
            name: named.get(name, name)
            for name in (one[0] if isinstance(one, tuple) else one for one in given)
        }
        if len(members) < len(given) or not members:
            raise ValueError(
                "The 'estimators' parameter of FusionRanker must hold one or more "
                "estimators or columns, each with a name of its own. Got "
                f"{shown(given)}."
            )
        return members


def _with_shape(X):
    """Return `X`, as an array if it can become one and has no shape."""
    is_array = hasattr(X, "shape") or not hasattr(X, "__array__")
    return X if is_array else np.asarray(X)


def check_rows(X, ranker):
    """Raise scikit-learn's error unless `X` has two dimensions, and rows."""
    shape = getattr(X, "shape", ())
    if len(shape) != 2 or not all(shape):
        check_array(X, accept_sparse=True, dtype=None, estimator=ranker)


def _scores(features, member, qid):
    """Return the scores by an estimator, or those in a column."""
    if hasattr(member, "fit"):
        asked = prepared(member, features, qid)
        return column_or_1d(ranking_response(*asked, qid))
    column = find_column(features, member, is_id=False)
    if column is None:
        raise ValueError(f"X has no column {member!r}, which FusionRanker fuses.")
    return numeric_array(column, f"X[{member!r}]")


FUSION_METHODS = ("rrf", "sum", "mnz", "max", "isr", "borda")

NORMS = (None, "min-max", "max", "sum", "z", "rank")

# What methods and norms are called elsewhere.
_ELSEWHERE = {
    "combmnz": "method='mnz'",
    "combsum": "method='sum'",
    "minmax": "norm='min-max'",
    "zmuv": "norm='z'",
    "zscore": "norm='z'",
}


class Fusion(NamedTuple):
    """How scores are fused."""

    method: str
    norm: str | None
    weights: np.ndarray  # (n_runs,)
    rrf_k: float

    @property
    def adds_scores(self):
        """Return True if scores are fused, False if ranks are."""
        return self.method in ("sum", "mnz", "max")

    @property
    def compares_documents(self):
        """Return True if a fused score depends on other documents of the query."""
        return not self.adds_scores or self.norm is not None


def read_fusion(method, norm, weights, rrf_k, names, caller):
    """Return the parameters of a fusion of the runs `names`, checked."""
    check_choice(method, FUSION_METHODS, "method", caller, words=_ELSEWHERE)
    check_choice(norm, NORMS, "norm", caller, words=_ELSEWHERE)
    rrf_k = check_number(rrf_k, "rrf_k", caller, low=0)
    return Fusion(method, norm, _weights(weights, names, caller), rrf_k)


def _weights(weights, names, caller):
    """Return the weight of each run."""
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            raise ValueError(
                f"The 'weights' parameter of {caller} must hold a weight for each of "
                f"{shown(list(names))}. Got weights of {shown(list(weights))}."
            )
        weights = [weights[name] for name in names]
    weights = numeric_array(weights, "weights").astype(np.float64)
    is_valid = weights.shape == (len(names),) and np.isfinite(weights).all()
    if not (is_valid and (weights >= 0).all() and weights.any()):
        raise ValueError(
            f"The 'weights' parameter of {caller} must hold a number >= 0 for each of "
            f"{len(names)} runs, and one above 0. Got {shown(weights.tolist())}."
        )
    return weights


def fuse_scores(codes, scores, fusion):
    """Return the fused score of each row.

    `scores`, of shape (n_rows, n_runs), are NaN where a run did not return the
    document. A run with weight 0 is left out. A row that no other run returned changes
    no score, and its own is below all others.
    """
    kept = fusion.weights > 0
    scores, fusion = scores[:, kept], fusion._replace(weights=fusion.weights[kept])
    returned = ~np.isnan(scores).all(axis=1)
    fused = np.zeros(len(scores))
    if returned.any():
        found = _fuse_returned(codes[returned], scores[returned], fusion)
        # Below all others, and finite, as metrics and models need it.
        below = np.nextafter(found.min(), -np.inf)
        fused[:] = below if fusion.method == "max" else min(below, 0.0)
        fused[returned] = found
    return fused


def _fuse_returned(codes, scores, fusion):
    """Return the fused scores of documents, each of which some run returned."""
    has, weights = ~np.isnan(scores), fusion.weights
    if fusion.adds_scores and np.isinf(scores).any():
        error = ValueError(
            f"method={fusion.method!r} reads scores, which must be finite. Got "
            "infinity: pass a method that reads ranks, such as 'rrf'."
        )
        raise about(error, "method")
    part = np.zeros_like(scores)
    for j, rows in enumerate(map(np.flatnonzero, has.T)):
        if not len(rows):  # the run returned nothing
            continue
        run = Run(codes[rows], scores[rows, j]) if fusion.compares_documents else None
        part[rows, j] = _part(run, scores[rows, j], fusion)
    if fusion.method == "borda":
        # Of n documents the first gets n points and the last 1; those that a run did
        # not return share the points that are left.
        n = np.bincount(codes)
        n_returned = [np.bincount(codes, of_run, len(n)) for of_run in has.T]
        shared = (n[:, np.newaxis] - np.column_stack(n_returned) + 1) / 2
        points = np.where(has, n[codes, np.newaxis] + 1 + part, shared[codes])
        return points @ weights
    if fusion.method == "max":
        return np.where(has, part * weights, -np.inf).max(axis=1)
    total = part @ weights
    return total if fusion.method in ("rrf", "sum") else total * has.sum(axis=1)


def _part(run, scores, fusion):
    """Return what one run adds for each of its documents."""
    if fusion.method == "rrf":
        return run.mean_over_places(lambda rank: 1 / (fusion.rrf_k + rank))
    if fusion.method == "isr":
        return run.mean_over_places(lambda rank: 1 / rank**2.0)
    if fusion.method == "borda":
        return -run.rank
    return scores if fusion.norm is None else _NORMS[fusion.norm](run)


def documents_of(codes, scores):
    """Return the documents of each query by falling score, as TopDocuments."""
    none = np.zeros(len(scores), dtype=np.uint8)
    return rank_queries(none, scores, qid=codes).documents()


class Run:
    """The scores of one run, in any order of the rows.

    Tied documents share their ranks. So what is computed of them, to the last bit,
    does not depend on the order of the rows.
    """

    def __init__(self, codes, scores):
        self.top = top = documents_of(codes, scores)
        self.sorted = scores[top.row]
        self.starts = starts_of(top.query)
        self.lengths = lengths_of(self.starts, len(scores))
        size = np.maximum.reduceat(np.abs(self.sorted), self.starts)
        if not ((size == 0) | ((size > 1e-100) & (size < 1e100))).all():
            # No norm depends on the scale, and a power of 2 loses no digit. Squares and
            # differences of such scores would overflow or vanish.
            exponent = np.frexp(np.where(np.isfinite(size), size, 1.0))[1]
            self.sorted = np.ldexp(self.sorted, -np.repeat(exponent, self.lengths))

    def mean_over_places(self, weight):
        """Return the mean of a function of the ranks of each tie group."""
        return self._as_given(self.top.mean_over_places(weight))

    @property
    def rank(self):
        """The mean rank of each tie group."""
        return self._as_given(self.top.above + (self.top.size + 1) / 2)

    def scaled(self, low, spread):
        """Return (score - low) / spread, and 0 for a query with spread 0.

        `low` and `spread` have a value for each query.
        """
        spread = np.where(spread > 0, spread, np.inf)
        low, spread = (np.repeat(values, self.lengths) for values in (low, spread))
        return self._as_given((self.sorted - low) / spread)

    def reduced(self, ufunc, values=None):
        """Return a ufunc over the values of each query, by default the scores."""
        return ufunc.reduceat(self.sorted if values is None else values, self.starts)

    def _as_given(self, values):
        given = np.empty(len(values))
        given[self.top.row] = values
        return given


def _min_max(run):
    low = run.reduced(np.minimum)
    return run.scaled(low, run.reduced(np.maximum) - low)


def _max(run):
    high = run.reduced(np.maximum)
    if (high <= 0).any():
        error = ValueError(
            "norm='max' divides by the highest score of each query, which must be "
            f"above 0. Got {high.min():g}: pass norm='min-max'."
        )
        raise about(error, "norm")
    return run.scaled(np.zeros(len(high)), high)


def _sum(run):
    low = run.reduced(np.minimum)
    above = run.sorted - np.repeat(low, run.lengths)
    return run.scaled(low, run.reduced(np.add, above))


def _z(run):
    mean = run.reduced(np.add) / run.lengths
    deviation = run.sorted - np.repeat(mean, run.lengths)
    variance = run.reduced(np.add, deviation**2) / run.lengths
    # Equal scores may differ from their rounded mean.
    variance[run.reduced(np.minimum) == run.reduced(np.maximum)] = 0
    return run.scaled(mean, np.sqrt(variance))


def _rank(run):
    return 1 - (run.rank - 1) / run._as_given(np.repeat(run.lengths, run.lengths))


_NORMS = {"min-max": _min_max, "max": _max, "sum": _sum, "z": _z, "rank": _rank}
