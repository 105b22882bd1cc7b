"""FusionRanker, which fuses the scores of rankers and columns."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank._input.checks import (
    check_lengths,
    numeric_array,
    says_what_was_meant,
    shown,
)
from skrank._input.frames import column_names, drop_column, find_column
from skrank._ranking.fusion import fuse_scores, read_fusion
from skrank._ranking.ids import encode_qid
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
    norm : {"min-max", "max", "sum", "z", "rank", "dbsf"}, default=None
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
        norm: Literal["min-max", "max", "sum", "z", "rank", "dbsf"] | None = None,
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
        named, rows = self._named(), None
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
        columns = [_scores(features, member, given) for member in self.estimators_]
        scores = np.column_stack(columns).astype(np.float64)
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
