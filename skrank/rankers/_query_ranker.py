"""The adapter that makes a ranker of any estimator."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.rankers._base import MetaRanker
from skrank.rankers._clone import clone_estimator
from skrank.rankers._early_stopping import (
    EarlyStopping,
    check_early_stopping,
    hold_out,
)
from skrank.rankers._fit import fit_estimator
from skrank.rankers._response import check_response


class QueryRanker(MetaRanker):
    """Ranker made of any ranker, regressor or classifier.

    It finds the query ids, hands them to the estimator in the form that its `fit`
    takes, and ranks documents by what the estimator predicts. What an estimator is
    given is told by the parameters of its `fit`, never by its name:

    - `group_id`: the ids (CatBoostRanker);
    - `qid`: the ids (XGBRanker, and rankers made with
      :class:`~skrank.base.RankingEstimator`);
    - `group`: the number of rows of each query (LGBMRanker).

    Ids are numbered from 0 before, and rows sorted by query, so that ids of any type
    and rows in any order will do. An estimator that takes none of these learns the
    relevance of each document by itself (the pointwise way), and ranks

    - as a regressor by its prediction;
    - as a classifier of two classes by its `decision_function`, or else by the
      probability of the higher class;
    - as a classifier of more classes by the expected grade, the sum of the classes
      weighted by their probabilities.

    Parameters
    ----------
    estimator : estimator object
        Ranker, regressor, classifier, or a Pipeline that ends with one. A clone of
        it is fitted.

    qid : str or int, default="qid"
        Where the query ids stand in `X` if they are not passed: the name of a column
        of a data frame, or the position of a column of an array, sparse matrix or
        data frame, counted from the end if negative. The column is never a feature.

    missing_qid : {"raise", "single"}, default="raise"
        What to do if there are no query ids: raise an error, or take all rows as
        one query. Query ids that are all equal are accepted with ``"single"`` only.

    early_stopping : int, default=None
        Stop when `early_stopping_metric` has not improved for so many rounds. For
        this, queries are held out of each training set. None means to fit on all
        rows and not to stop early. Estimators that take an evaluation set with its
        queries can stop: LGBMRanker, XGBRanker, CatBoostRanker.

    validation_fraction : float, default=0.1
        Share of the queries to hold out. Used only with `early_stopping`.

    early_stopping_metric : str, default="ndcg@10"
        Name of the metric to stop by, which the estimator computes itself: a cut of
        ``"ndcg"`` or ``"map"``, or one of them without a cut; XGBRanker also
        ``"precision@k"`` and ``"query_auc"``; CatBoostRanker also these and
        ``"mrr"`` and ``"recall@k"``. Used only with `early_stopping`.

    random_state : int, RandomState instance or None, default=None
        Draws the queries to hold out. Pass an int to hold out the same queries in
        each call. Used only with `early_stopping`.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted estimator.

    query_sizes_ : dict
        The number of training rows of each query id, those held out included. Empty
        if there were no ids. Scorers warn of queries that they meet with another
        number of rows.

    n_features_in_ : int
        Number of features seen during `fit`, without the column of query ids.
        Defined only if the underlying estimator has such an attribute when fitted.

    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`, without the column of query ids.
        Defined only if the underlying estimator has such an attribute when fitted.

    See Also
    --------
    PairwiseRanker : Ranker that learns from pairs of documents.
    skrank.base.RankingEstimator : Mixin class for rankers of one's own.
    skrank.model_selection.QueryKFold : K-fold that keeps queries whole.

    Notes
    -----
    Query ids are looked for in three places, in this order: the argument `qid`,
    which scikit-learn's tools pass on when metadata routing is enabled; the column
    that the parameter `qid` names; the index of `y` named ``"qid"``. The column is
    taken out of `X` in `fit` and, if it is there, in `predict`.

    A scaler in front of the ranker would see that column. It belongs inside:
    ``QueryRanker(make_pipeline(StandardScaler(), LGBMRanker()))``. Held-out queries
    are transformed as well.

    `sample_weight` has a value per row, the only kind that cross-validation can cut
    into folds, and becomes what the estimator, of a Pipeline its last step, takes:
    rows for LGBMRanker and pointwise estimators; one weight per query for XGBRanker,
    the mean of its rows; for CatBoostRanker the weights of groups if they are
    constant within queries, else those of rows. With metadata routing enabled, call
    ``set_fit_request(sample_weight=True)`` on the ranker; transformers of the
    Pipeline are weighted if they request it.

    CatBoost's estimators are cloned with lists among their parameters, such as
    `cat_features`, which :func:`sklearn.base.clone` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.rankers import QueryRanker
    >>> X = np.array([[3.0], [1.0], [2.0], [5.0], [4.0]])
    >>> y = np.array([2, 0, 1, 1, 0])
    >>> qid = np.array(["a", "a", "a", "b", "b"])
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> ranker.rank(X, qid)
    array([1, 3, 2, 1, 2])
    >>> ranker.score(X, y, qid=qid)
    1.0

    The query ids in the last column of an array:

    >>> X_qid = np.column_stack([X, [0, 0, 0, 1, 1]])
    >>> QueryRanker(Ridge(), qid=-1).fit(X_qid, y).n_features_in_
    1
    """

    def __init__(
        self,
        estimator,
        *,
        qid="qid",
        missing_qid="raise",
        early_stopping=None,
        validation_fraction=0.1,
        early_stopping_metric="ndcg@10",
        random_state=None,
    ):
        self.estimator = estimator
        self.qid = qid
        self.missing_qid = missing_qid
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.early_stopping_metric = early_stopping_metric
        self.random_state = random_state

    def fit(self, X, y, *, qid=None, sample_weight=None):
        """Fit the underlying estimator.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Training documents. The column that the parameter `qid` names is taken
            out, and brings the query ids unless they are passed.

        y : array-like of shape (n_samples,)
            Relevance of the documents. An index named ``"qid"`` brings the query ids
            unless they are passed or are in `X`.

        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row, rows in any order.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the underlying estimator.

        Returns
        -------
        self : object
            Fitted ranker.

        Raises
        ------
        ValueError
            If there are no query ids and `missing_qid` is ``"raise"``, if they are
            not one per row or all equal, if `y` is not numeric, if all grades are
            equal or the estimator cannot take them, if weights are passed that the
            estimator does not take, if it cannot stop early but is to, or if it is
            a classifier without probabilities for more than two classes.

        TypeError
            If a parameter has the wrong type.
        """
        check_early_stopping(self)
        rows = self._rows(X, y, qid, sample_weight)
        stopping = None
        if self.early_stopping is not None:
            rows, held_out = hold_out(rows, self.validation_fraction, self.random_state)
            stopping = EarlyStopping(
                self.early_stopping, self.early_stopping_metric, held_out
            )
        fitted = fit_estimator(clone_estimator(self.estimator), rows, stopping)
        check_response(fitted)
        return self._keep(fitted)
