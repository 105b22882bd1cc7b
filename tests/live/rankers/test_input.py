"""What the libraries are given and take, and what is refused before they fail."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from xgboost import XGBRanker

from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(
    30, n_documents=(5, 9), n_features=3, n_informative=2, n_grades=3, random_state=3
)
SIZES = np.bincount(QID)
QUERY_WEIGHT = 1.0 + np.arange(30) % 4
LIGHTGBM = LGBMRanker(n_estimators=5, min_child_samples=3, num_threads=1, verbose=-1)
XGBOOST = XGBRanker(n_estimators=5, n_jobs=1)
CATBOOST = CatBoostRanker(
    iterations=5, thread_count=1, verbose=False, allow_writing_files=False
)
ALL = {"LightGBM": LIGHTGBM, "XGBoost": XGBOOST, "CatBoost": CATBOOST}
library = pytest.mark.parametrize("library", ALL)


def catboost(**params):
    return CatBoostRanker(**{**CATBOOST.get_params(), **params})


def weights_of_rows():
    return np.random.default_rng(0).uniform(0.5, 2.0, len(Y))


@pytest.mark.parametrize("constant", [True, False])
def test_lightgbm_gets_weights_of_rows(constant):
    weight = QUERY_WEIGHT[QID] if constant else weights_of_rows()
    ranker = QueryRanker(LIGHTGBM).fit(X, Y, qid=QID, sample_weight=weight)
    plain = clone(LIGHTGBM).fit(X, Y, group=SIZES, sample_weight=weight)
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()


def test_xgboost_gets_the_weight_of_each_query():
    weight = QUERY_WEIGHT[QID]
    ranker = QueryRanker(XGBOOST).fit(X, Y, qid=QID, sample_weight=weight)
    plain = clone(XGBOOST).fit(X, Y, qid=QID, sample_weight=QUERY_WEIGHT)
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()


def test_xgboost_gets_the_mean_of_weights_that_differ_and_that_is_said():
    weight = weights_of_rows()
    mean = [weight[query == QID].mean() for query in range(30)]
    plain = clone(XGBOOST).fit(X, Y, qid=QID, sample_weight=mean)
    with pytest.warns(UserWarning, match="XGBRanker takes one weight per query"):
        ranker = QueryRanker(XGBOOST).fit(X, Y, qid=QID, sample_weight=weight)
    np.testing.assert_allclose(ranker.predict(X), plain.predict(X))


def test_catboost_gets_weights_of_groups_where_they_are_constant():
    weight = QUERY_WEIGHT[QID]
    ranker = QueryRanker(CATBOOST).fit(X, Y, qid=QID, sample_weight=weight)
    plain = catboost().fit(X, Y, group_id=QID, group_weight=weight)
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()
    unweighted = catboost().fit(X, Y, group_id=QID)
    assert ranker.predict(X).tolist() != unweighted.predict(X).tolist()


def test_catboost_gets_weights_of_rows_where_they_differ():
    weight = weights_of_rows()
    model = catboost(loss_function="QueryRMSE")
    ranker = QueryRanker(model).fit(X, Y, qid=QID, sample_weight=weight)
    plain = catboost(loss_function="QueryRMSE")
    plain.fit(X, Y, group_id=QID, sample_weight=weight)
    assert ranker.predict(X).tolist() == plain.predict(X).tolist()


@library
def test_too_few_queries_to_hold_out_are_refused(library):
    y = Y * (QID == 0)
    with pytest.raises(ValueError, match=r"Early stopping .* Got 1 such queries"):
        QueryRanker(ALL[library], early_stopping=True, n_iter_no_change=2).fit(
            X, y, qid=QID
        )


REFUSED = {
    "LightGBM, floats": (LIGHTGBM, Y / 2, "0 to 30.*label_gain.*Got 0.5"),
    "LightGBM, negative": (LIGHTGBM, Y - 1, "0 to 30.*label_gain.*Got -1"),
    "LightGBM, large": (LIGHTGBM, np.where(Y == 2, 31, Y), "0 to 30.*Got 31"),
    "LightGBM, gains": (
        clone(LIGHTGBM).set_params(label_gain=[0, 5]),
        Y,
        "0 to 1, .*label_gain.*Got 2",
    ),
    "XGBoost, floats": (XGBOOST, Y / 2, "0 to 31.*ndcg_exp_gain=False.*Got 0.5"),
    "XGBoost, negative": (XGBOOST, Y - 1, "0 to 31.*ndcg_exp_gain=False.*Got -1"),
    "XGBoost, large": (XGBOOST, Y * 16, "0 to 31.*ndcg_exp_gain=False.*Got 32"),
    "XGBoost, linear gain": (
        clone(XGBOOST).set_params(ndcg_exp_gain=False),
        Y - 1,
        "not negative.*Got -1",
    ),
    "XGBoost, map": (
        clone(XGBOOST).set_params(objective="rank:map"),
        Y,
        "grades 0 and 1.*Got 2",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_grades_that_a_library_cannot_take_are_refused(case):
    model, y, match = REFUSED[case]
    with pytest.raises(ValueError, match=match):
        QueryRanker(model).fit(X, y, qid=QID)


TAKEN = {
    "LightGBM, thirty": (LIGHTGBM, Y * 15),
    "LightGBM, gains": (clone(LIGHTGBM).set_params(label_gain=range(70)), Y * 31),
    "LightGBM, regression": (clone(LIGHTGBM).set_params(objective="l2"), Y / 2),
    "LightGBM, whole floats": (LIGHTGBM, Y / 1.0),
    "XGBoost, thirty-one": (XGBOOST, np.where(Y == 2, 31, Y)),
    "XGBoost, linear gain": (clone(XGBOOST).set_params(ndcg_exp_gain=False), Y * 20.5),
    "XGBoost, pairs": (
        clone(XGBOOST).set_params(objective="rank:pairwise", ndcg_exp_gain=False),
        Y - 0.5,
    ),
    "XGBoost, map": (
        clone(XGBOOST).set_params(objective="rank:map"),
        (Y > 0).astype(int),
    ),
    "CatBoost, floats": (CATBOOST, Y * 20.5 - 3),
}


@pytest.mark.parametrize("case", TAKEN)
def test_grades_that_a_library_can_take_are_not_refused(case):
    model, y = TAKEN[case]
    if "label_gain" in model.get_params():
        model = clone(model).set_params(label_gain=list(model.label_gain))
    assert QueryRanker(model).fit(X, y, qid=QID).predict(X).std() > 0


CATEGORIES = {
    "LightGBM": (LIGHTGBM, None),
    "XGBoost": (clone(XGBOOST).set_params(enable_categorical=True), "categories"),
    "CatBoost": (catboost(cat_features=["item"]), "text"),
}


@library
def test_frames_of_all_kinds_give_the_scores_of_pandas(library):
    model, taken = CATEGORIES[library]
    numbers = pl.DataFrame(X, schema=["a", "b", "c"])
    item = pl.Series("item", np.array(["u", "v"])[Y % 2])
    frames = {None: (ALL[library], numbers)}
    frames["text"] = model, numbers.with_columns(item)
    frames["categories"] = model, numbers.with_columns(item.cast(pl.Categorical))
    for name, (one, frame) in frames.items():
        for data in (frame, frame.to_arrow()):
            ranker = QueryRanker(one)
            if name and (taken is None or (taken, name) == ("categories", "text")):
                with pytest.raises(ValueError, match=r"Got {'item': "):
                    ranker.fit(data, Y, qid=QID)
                continue
            found = ranker.fit(data, Y, qid=QID).predict(data)
            pandas = frame.to_pandas()
            expected = QueryRanker(one).fit(pandas, Y, qid=QID).predict(pandas)
            assert found.tolist() == expected.tolist()


@library
def test_columns_in_another_order_never_change_scores_silently(library):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for new in (pd.DataFrame, pl.DataFrame, pa.Table.from_pandas):
        ranker = QueryRanker(ALL[library]).fit(new(frame), Y, qid=QID)
        other, renamed = new(frame[["c", "a", "b"]]), new(frame.add_prefix("new_"))
        if library == "CatBoost":
            scores = ranker.predict(new(frame))
            assert ranker.predict(other).tolist() == scores.tolist()
        else:
            with pytest.raises(ValueError, match="feature names should match"):
                ranker.predict(other)
        with pytest.raises(Exception, match=r"feature names should match|feature with"):
            ranker.predict(renamed)


@pytest.mark.parametrize("within", [False, True], ids=["alone", "pipeline"])
def test_catboost_is_cloned_with_lists_among_its_parameters(within):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=QID)
    categories = frame.assign(a=(frame["a"] > 0).astype(str))
    model = CatBoostRanker(**CATBOOST.get_params(), cat_features=["a"])
    with pytest.raises(RuntimeError, match="Cannot clone"):
        clone(model)
    if within:
        model = make_pipeline("passthrough", model)
    with config_context(enable_metadata_routing=True):
        ranker = QueryRanker(model).set_fit_request(sample_weight=False)
    copy = clone(ranker)
    last = copy.estimator[-1] if within else copy.estimator
    assert last.get_params()["cat_features"] == ["a"]
    assert str(copy._metadata_request) == str(ranker._metadata_request)
    name = "estimator__catboostranker__depth" if within else "estimator__depth"
    search = GridSearchCV(
        ranker, {name: [2, 3]}, scoring="mrr", cv=QueryKFold(3), error_score="raise"
    )
    assert search.fit(categories, Y).best_score_ > 0.5
