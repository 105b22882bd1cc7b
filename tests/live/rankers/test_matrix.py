"""Every ranker with every source of query ids, against a loop written by hand."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils import _safe_indexing
from xgboost import XGBRanker

import skrank  # noqa: F401  (its names are known to scikit-learn from here on)
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker

X, Y, CODES = make_ranking(
    45, n_documents=(5, 12), n_features=4, n_informative=3, n_grades=4, random_state=0
)
ROWS = np.random.default_rng(0).permutation(len(Y))
X, Y, CODES = X[ROWS] * [1.0, 10.0, 0.1, 3.0], Y[ROWS], CODES[ROWS]
QID = np.array([f"query {code:02}" for code in CODES])
CV = QueryKFold(3)

FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
POLARS = pl.DataFrame(FRAME.to_dict("list"))
SPARSE = scipy.sparse.csr_array(X)
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))

# What is given to scikit-learn: X, y, the place of the ids in X, and what is passed
# beside them. And the features alone, for the loop.
SOURCES = {
    "qid metadata": (X, Y, "qid", {"qid": QID}, X),
    "pandas column": (FRAME.assign(qid=QID), Y, "qid", {}, FRAME),
    "polars column": (POLARS.with_columns(pl.Series("qid", QID)), Y, "qid", {}, POLARS),
    "index of y": (X, INDEXED, "qid", {}, X),
    "array column": (np.column_stack([X, CODES]), Y, -1, {"groups": CODES}, X),
    "sparse column": (
        scipy.sparse.hstack([CODES[:, None], SPARSE], format="csr"),
        Y,
        0,
        {"groups": CODES},
        SPARSE,
    ),
}
LIGHTGBM = LGBMRanker(n_estimators=8, min_child_samples=3, num_threads=1, verbose=-1)
XGBOOST = XGBRanker(n_estimators=8, max_depth=3, n_jobs=1)
CATBOOST = CatBoostRanker(
    iterations=8, depth=3, thread_count=1, verbose=False, allow_writing_files=False
)


def scores_of_lightgbm(X, y, codes, X_test):
    sizes = np.unique(codes, return_counts=True)[1]
    return sklearn.clone(LIGHTGBM).fit(X, y, group=sizes).predict(X_test)


def scores_of_pairs(X, y, codes, X_test):
    X = X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)
    better, worse = np.nonzero(
        (codes[:, None] == codes) & (np.asarray(y)[:, None] > np.asarray(y))
    )
    sign = np.where(np.arange(len(better)) % 2 == 0, 1, -1)
    model = LogisticRegression(fit_intercept=False, max_iter=5000)
    model.fit(sign[:, None] * (X[better] - X[worse]), sign)
    if not scipy.sparse.issparse(X_test):
        X_test = np.asarray(X_test)
    return X_test @ model.coef_[0]


LOGISTIC = LogisticRegression(max_iter=5000)
# The ranker, its model, and the scores of the model alone: fitted to rows in the order
# of their queries, of which it is told the codes or the sizes.
RANKERS = {
    "LightGBM": (QueryRanker, LIGHTGBM, scores_of_lightgbm),
    "XGBoost": (
        QueryRanker,
        XGBOOST,
        lambda X, y, codes, X_test: (
            sklearn.clone(XGBOOST).fit(X, y, qid=codes).predict(X_test)
        ),
    ),
    "CatBoost": (
        QueryRanker,
        CATBOOST,
        lambda X, y, codes, X_test: (
            CATBOOST.copy().fit(X, y, group_id=codes).predict(X_test)
        ),
    ),
    "Ridge": (
        QueryRanker,
        Ridge(),
        lambda X, y, codes, X_test: Ridge().fit(X, y).predict(X_test),
    ),
    "LogisticRegression": (
        QueryRanker,
        LOGISTIC,
        lambda X, y, codes, X_test: (
            LOGISTIC.fit(X, y).predict_proba(X_test) @ LOGISTIC.classes_
        ),
    ),
    "PairwiseRanker": (PairwiseRanker, LOGISTIC, scores_of_pairs),
}
FORMS = {
    "plain": lambda ranker, model, qid: ranker(model, qid_column=qid),
    "pipeline within": lambda ranker, model, qid: ranker(
        make_pipeline(MaxAbsScaler(), model), qid_column=qid
    ),
    "pipeline around": lambda ranker, model, qid: make_pipeline(
        MaxAbsScaler(), ranker(model, qid_column=qid)
    ),
}

# A transformer in front of the ranker makes other columns of the one with the ids.
IN_A_COLUMN = {"pandas column", "polars column", "array column", "sparse column"}
# With routing disabled, scikit-learn hands `qid` to `fit` alone.
CELLS = [
    (ranker, source, routing, form)
    for ranker in RANKERS
    for source in SOURCES
    for routing in (True, False)
    for form in FORMS
    if (source != "qid metadata" or routing)
    and (source not in IN_A_COLUMN or form != "pipeline around")
]


@cache
def by_hand(ranker, source, scaled):
    """Return the NDCG@10 of each fold, by a loop over folds and queries."""
    fit_and_score = RANKERS[ranker][2]
    features = SOURCES[source][4]
    values = []
    for fold_train, test in CV.split(X, qid=QID):
        train = fold_train[np.argsort(CODES[fold_train], kind="stable")]
        X_train = _safe_indexing(features, train)
        X_test = _safe_indexing(features, test)
        if scaled:
            scaler = MaxAbsScaler().fit(X_train)
            X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
        if scipy.sparse.issparse(X_train) and ranker in ("LightGBM", "CatBoost"):
            X_train, X_test = map(scipy.sparse.csr_matrix, (X_train, X_test))
        scores = fit_and_score(X_train, Y[train], CODES[train], X_test)
        of_queries = []
        for query in np.unique(CODES[test]):
            rows = CODES[test] == query
            gains = 2.0 ** Y[test][rows] - 1
            of_queries.append(ndcg_score([gains], [scores[rows]], k=10))
        values.append(np.mean(of_queries))
    return values


def arguments(source, routing, **metadata):
    """Return what cross_val_score takes beside X and y."""
    if "groups" in metadata and not routing:
        return metadata
    return {"params": metadata} if metadata else {}


@pytest.mark.parametrize(("ranker", "source", "routing", "form"), CELLS)
def test_fold_scores_are_those_of_the_loop(ranker, source, routing, form):
    make, model, _ = RANKERS[ranker]
    data, y, qid, metadata, _ = SOURCES[source]
    with sklearn.config_context(enable_metadata_routing=routing):
        scores = cross_val_score(
            FORMS[form](make, model, qid),
            data,
            y,
            scoring="ndcg@10",
            cv=CV,
            error_score="raise",
            **arguments(source, routing, **metadata),
        )
    expected = by_hand(ranker, source, form != "plain")
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
    assert len(set(scores)) == 3
