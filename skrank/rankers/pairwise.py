"""The ranker that learns which of two documents is better."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import (
    check_array,
    check_random_state,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank._input.checks import LARGEST_K, check_count, says_what_was_meant
from skrank._input.frames import column_names, drop_column
from skrank._ranking.arrays import lengths_of, spans, starts_of
from skrank._text.docs import (
    MatrixLike,
    MissingQid,
    Seed,
    Self,
    share_fit_words,
    share_predict_words,
)
from skrank.base import fit_parameters
from skrank.rankers.meta_ranker import (
    MetaRanker,
    check_feature_names,
    check_informative,
    check_row_weights,
    clone_estimator,
    fit_transformers,
    fitted_attribute,
    refuse_weights,
)
from skrank.scoring.estimators import last_step

NUMBERS = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


class PairwiseRanker(MetaRanker):
    """Ranker made of a linear classifier that learns from pairs of documents.

    Two documents of a query with different grades are one example: the difference
    of their features, and whether the first or the second one is better. A linear
    classifier of such examples has a weight for each feature, and the weighted sum
    of a document's features is its score. With :class:`~sklearn.svm.LinearSVC` this
    is the RankSVM [1]_, with logistic regression a linear RankNet.

    Parameters
    ----------
    estimator : estimator object, default=None
        Linear classifier, with `coef_` when fitted, or a Pipeline that ends with
        one. Transformers of the Pipeline see documents, not pairs. A clone is fitted,
        without an intercept if the classifier has that option, since a constant
        cancels out of each difference. None means
        :class:`~sklearn.linear_model.LogisticRegression`.
    max_pairs : int or None, default=1000
        The maximum number of pairs of a query. If it has more, this many are drawn,
        all with the same probability. None means all pairs, nearly half the square of
        the number of documents.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryRanker`.
    missing_qid : {"raise", "single"}, default="raise"
        What to do without query ids, as for :class:`QueryRanker`.
    random_state : int, RandomState instance or None, default=None
        Controls which pairs are drawn. Pass an int for the same pairs in each call.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted estimator.
    n_pairs_ : int
        The number of pairs that the estimator was fitted on.
    n_features_in_ : int
        Number of features seen during `fit`, without the column of query ids.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`, without the column of query ids.
        Defined only when `X` has feature names that are all strings.

    See Also
    --------
    QueryRanker : Ranker made of any ranker, regressor or classifier.

    Notes
    -----
    Every other pair is reversed, so that the classifier sees two classes of the same
    size. The weight of a pair is the product of the weights of its documents, so that
    weights mean what they mean in scikit-learn: a weight of 2 equals a row that occurs
    twice.

    A fitted ranker also has the attribute `coef_` of the fitted classifier, unless the
    steps of a Pipeline in front of it return another number of features.

    The differences need memory for ``n_pairs_ * n_features_in_`` numbers, unless `X` is
    sparse.

    References
    ----------
    .. [1] Thorsten Joachims. "Optimizing search engines using clickthrough data".
       KDD 2002.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> from skrank.datasets import make_ranking
    >>> from skrank.rankers import PairwiseRanker
    >>> X, y, qid = make_ranking(random_state=0)
    >>> svm = make_pipeline(StandardScaler(), LinearSVC(C=0.1))
    >>> ranker = PairwiseRanker(svm, random_state=0).fit(X, y, qid=qid)
    >>> 0.5 < ranker.score(X, y, qid=qid) < 1.0
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_pairs: int | None = 1000,
        qid_column: str | int = "qid",
        missing_qid: MissingQid = "raise",
        random_state: Seed | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_pairs = max_pairs
        self.qid_column = qid_column
        self.missing_qid = missing_qid
        self.random_state = random_state

    coef_ = fitted_attribute("coef_", "Coefficients")
    _default = LogisticRegression()

    @says_what_was_meant
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

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, 0 or more, for the underlying estimator.

        Raises
        ------
        ValueError
            If there are no query ids and `missing_qid` is ``"raise"``, if there is
            nothing to learn from equal grades, or if the estimator does not accept the
            weights.
        TypeError
            If a parameter has the wrong type, or the estimator is not linear.
        """
        if self.max_pairs is not None:
            check_count(self.max_pairs, "max_pairs")
        given = self._default if self.estimator is None else self.estimator
        rows = self._rows([given], X, y, qid, sample_weight)
        fitted = clone_estimator(given)
        if isinstance(fitted, Pipeline):
            rows = fit_transformers(fitted, rows)
            linear, check = fitted.steps[-1][1], check_array
        else:
            linear, check = fitted, partial(validate_data, self)
        self._names = column_names(rows.X)
        X = check(rows.X, ensure_min_samples=2, **NUMBERS)
        self._fit_pairs(linear, rows._replace(X=X))
        if isinstance(fitted, Pipeline):
            return self._keep(fitted)
        self.estimator_ = fitted
        return self

    @share_predict_words
    def predict(self, X: MatrixLike | Any) -> NDArray[Any]:
        """Return the scores of the documents."""
        check_is_fitted(self)
        X = drop_column(X, self.qid_column, self._n_columns)
        linear, check = self.estimator_, partial(validate_data, self, reset=False)
        if isinstance(linear, Pipeline):
            (linear, X), check = last_step(linear, X), check_array
        if column_names(X) != self._names:
            check_feature_names(X, self._names, linear)
        return check(X, **NUMBERS) @ np.ravel(linear.coef_)

    def _fit_pairs(self, linear, rows):
        """Fit the classifier in place on the differences of pairs."""
        if rows.weight is not None:
            rows = _rows_with_weight(linear, rows)
        check_informative(self, rows)
        rng = check_random_state(self.random_state)
        better, worse = draw_pairs(rows.y, rows.codes, self.max_pairs, rng)
        if len(better) == 1:  # in both directions, for a classifier needs two classes
            better, worse = np.repeat(better, 2), np.repeat(worse, 2)
        sign = np.where(np.arange(len(better)) % 2 == 0, 1, -1)
        weighting = {}
        if rows.weight is not None:
            weighting["sample_weight"] = rows.weight[better] * rows.weight[worse]
        first = np.where(sign == 1, better, worse)
        second = np.where(sign == 1, worse, better)
        if "fit_intercept" in linear.get_params():
            linear.set_params(fit_intercept=False)
        linear.fit(rows.X[first] - rows.X[second], sign, **weighting)
        if not hasattr(linear, "coef_"):
            raise TypeError(
                "The 'estimator' parameter of PairwiseRanker must be linear, with "
                "'coef_' when fitted: only then can it score single documents after "
                "learning from differences. Got "
                f"{type(linear).__name__} instead."
            )
        self.n_pairs_ = len(sign)


def _rows_with_weight(linear, rows):
    """Return the rows that have a weight, with their weights as numbers."""
    if "sample_weight" not in fit_parameters(linear):
        refuse_weights(linear)
    weight = check_row_weights(rows.weight, "PairwiseRanker")
    return rows._replace(weight=weight).take(np.flatnonzero(weight))


def draw_pairs(y, codes, max_pairs, rng):
    """Return the rows of pairs, the document with the higher grade first.

    All pairs of a query are equally probable, at most `max_pairs`; None means all.
    """
    # In this order, all documents of the query after the last one of a document's own
    # grade are worse than it:
    #
    #     row              0  1  2  3 | 4  5
    #     query            a  a  a  a | b  b
    #     grade            2  1  1  0 | 1  0
    #     worse from row   1  3  3  4 | 5  6
    #     worse documents  3  1  1  0 | 1  0
    #     pairs       0, 1, 2  3  4   | 5
    order = np.lexsort((-y, codes))
    codes, y = codes[order], y[order]
    _, query_end = spans(codes)
    _, worse_from = spans(codes, y)
    n_worse = query_end - worse_from
    # Pairs are numbered by their better document, then by their worse one.
    last_pair = np.cumsum(n_worse)
    first_pair = (last_pair - n_worse)[starts_of(codes)]
    pairs = _draw_numbers(
        first_pair, lengths_of(first_pair, n_worse.sum()), max_pairs, rng
    )
    better = np.searchsorted(last_pair, pairs, side="right")
    worse = worse_from[better] + pairs - (last_pair - n_worse)[better]
    return order[better], order[worse]


def _draw_numbers(first, count, most, rng):
    """Draw up to `most` of the `count` numbers from `first` on, for each query.

    The numbers of a query form a circle, which is rotated at random and divided into
    as many arcs as numbers are needed. One number is drawn from each arc: so they are
    distinct and, because of the rotation, equally probable.
    """
    drawn = count if most is None else np.minimum(count, min(most, LARGEST_K))
    query = np.repeat(np.arange(len(count)), drawn)
    arc = np.arange(len(query)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    start = arc * count[query] // drawn[query]
    end = (arc + 1) * count[query] // drawn[query]
    number = start + np.floor(rng.random_sample(len(query)) * (end - start))
    turn = np.floor(rng.random_sample(len(count)) * count) * (drawn < count)
    turned = (number + turn[query]).astype(np.int64) % count[query]
    return first[query] + turned
