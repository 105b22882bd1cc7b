"""The lines that users asked for, against searches written by hand."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

import skrank  # noqa: F401  (its names are known to scikit-learn from here on)
from skrank.base import is_ranker
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(
    40, n_documents=(5, 12), n_features=4, n_informative=3, n_grades=3, random_state=1
)
ROWS = np.random.default_rng(1).permutation(len(Y))
X, Y, CODES = X[ROWS], Y[ROWS], QID[ROWS]
QID = np.array([f"query {code:02}" for code in CODES])
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(qid=QID)
CV = QueryKFold(3)
LIGHTGBM = LGBMRanker(n_estimators=8, min_child_samples=3, num_threads=1, verbose=-1)
XGBOOST = XGBRanker(n_estimators=8, n_jobs=1)
CATBOOST = CatBoostRanker(
    iterations=8, thread_count=1, verbose=False, allow_writing_files=False
)
ALL = {"LightGBM": LIGHTGBM, "XGBoost": XGBOOST, "CatBoost": CATBOOST}


def loop(fit_and_score):
    """Return the NDCG@10 of each fold; `fit_and_score` gets rows sorted by query."""
    values = []
    for train, test in CV.split(X, qid=QID):
        train = train[np.argsort(CODES[train], kind="stable")]
        scores = fit_and_score(X[train], Y[train], CODES[train], X[test])
        queries = [CODES[test] == code for code in np.unique(CODES[test])]
        gains = 2.0 ** Y[test] - 1
        of_queries = [ndcg_score([gains[q]], [scores[q]], k=10) for q in queries]
        values.append(np.mean(of_queries))
    return values


def assert_searched(search, name, expected):
    folds = [search.cv_results_[f"split{fold}_{name}"] for fold in range(3)]
    np.testing.assert_allclose(folds, np.transpose(expected), rtol=0, atol=1e-12)


def test_a_search_of_xgboost_with_several_metrics_is_one_line():
    depths = [2, 4]

    def by_hand(X, y, codes, X_test, depth):
        model = clone(XGBOOST).set_params(max_depth=depth)
        return model.fit(X, y, qid=codes).predict(X_test)

    grid = {"estimator__max_depth": depths}
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(XGBOOST),
            grid,
            scoring=["ndcg@10", "mrr"],
            refit="ndcg@10",
            cv=CV,
        ).fit(X, Y, qid=QID)
    expected = [loop(lambda *a, d=depth: by_hand(*a, d)) for depth in depths]
    assert_searched(search, "test_ndcg@10", expected)
    assert search.best_params_ == {
        "estimator__max_depth": depths[np.argmax(np.mean(expected, axis=1))]
    }


def test_a_search_of_a_pipeline_with_catboost_and_a_column_is_one_line():
    depths = [2, 4]

    def by_hand(X, y, codes, X_test, depth):
        scaler = StandardScaler().fit(X)
        model = CatBoostRanker(**{**CATBOOST.get_params(), "depth": depth})
        model.fit(scaler.transform(X), y, group_id=codes)
        return model.predict(scaler.transform(X_test))

    search = GridSearchCV(
        QueryRanker(make_pipeline(StandardScaler(), CATBOOST)),
        {"estimator__catboostranker__depth": depths},
        scoring="ndcg@10",
        cv=CV,
    ).fit(FRAME, Y)
    expected = [loop(lambda *a, d=depth: by_hand(*a, d)) for depth in depths]
    assert_searched(search, "test_score", expected)


@pytest.mark.parametrize("within", [False, True], ids=["alone", "pipeline"])
def test_catboost_is_cloned_with_lists_among_its_parameters(within):
    categories = FRAME.assign(a=(FRAME["a"] > 0).astype(str))
    model = CatBoostRanker(**CATBOOST.get_params(), cat_features=["a"])
    with pytest.raises(RuntimeError, match="Cannot clone"):
        clone(model)
    if within:
        model = make_pipeline("passthrough", model)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = QueryRanker(model).set_fit_request(sample_weight=False)
    copy = clone(ranker)
    last = copy.estimator[-1] if within else copy.estimator
    assert last.get_params()["cat_features"] == ["a"]
    assert str(copy._metadata_request) == str(ranker._metadata_request)
    name = "estimator__catboostranker__depth" if within else "estimator__depth"
    search = GridSearchCV(
        ranker, {name: [2, 3]}, scoring="mrr", cv=CV, error_score="raise"
    )
    assert search.fit(categories, Y).best_score_ > 0.5


@pytest.mark.parametrize("name", ALL)
def test_a_fitted_ranker_is_pickled_and_is_a_ranker(name):
    ranker = QueryRanker(ALL[name]).fit(X, Y, qid=QID)
    copy = pickle.loads(pickle.dumps(ranker))
    assert copy.predict(X).tolist() == ranker.predict(X).tolist()
    assert is_ranker(copy)
    assert copy.n_features_in_ == 4
