"""FusionRanker: the weights of runs are parameters that a search chooses."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skrank._ranking.fusion import FUSION_METHODS, NORMS
from skrank.base import check_ranker, is_ranker
from skrank.datasets import make_ranking
from skrank.metrics import get_scorer, ndcg_score
from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker, QueryRanker, as_regressor
from skrank.tables import fuse


def draw(seed=0, n_queries=30, n_documents=12):
    """Return grades and a frame with two noisy scores, the second one better."""
    rng = np.random.default_rng(seed)
    n = n_queries * n_documents
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "user": np.repeat([f"u{i}" for i in range(n_queries)], n_documents),
            "item": np.tile(np.arange(n_documents), n_queries),
            "weak": y + 4 * rng.normal(size=n),
            "strong": 10 * y + 10 * rng.normal(size=n),
        }
    )
    X.loc[rng.random(n) < 0.2, "weak"] = np.nan
    shuffled = rng.permutation(n)
    return X.iloc[shuffled].reset_index(drop=True), y[shuffled]


def columns(**params):
    return FusionRanker(["weak", "strong"], qid_column="user", **params)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"method": "borda", "weights": [1, 2]},
        {"method": "mnz", "norm": "z"},
        {"method": "sum", "norm": "rank", "weights": {"strong": 3, "weak": 1}},
    ],
)
def test_columns_are_fused_as_runs_are(params):
    X, y = draw()
    scores = columns(**params).fit(X, y).predict(X)
    runs = {
        name: X.loc[X[name].notna(), ["user", "item", name]].rename(
            columns={name: "value"}
        )
        for name in ("weak", "strong")
    }
    fused = fuse(runs, **params, qid="user", doc_id="item", score="value")
    expected = pd.DataFrame(fused).set_index(["qid", "doc_id"])["score"]
    pairs = pd.MultiIndex.from_frame(X[["user", "item"]])
    np.testing.assert_allclose(scores, expected.loc[pairs], rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_a_search_chooses_the_weights():
    X, y = draw()
    grid = {"weights": [(1, 0), (1, 1), (1, 4)]}
    ranker = columns(method="sum", norm="min-max")
    search = GridSearchCV(
        ranker, grid, scoring="ndcg@10", cv=QueryKFold(3, qid_column="user")
    )
    search.fit(X, y)
    assert search.best_params_ == {"weights": (1, 4)}
    means = search.cv_results_["mean_test_score"]
    one = columns(method="sum", norm="min-max", weights=(1, 4))
    values = [
        ndcg_score(y[test], one.fit(X, y).predict(X.iloc[test]), qid=X.user[test], k=10)
        for _, test in QueryKFold(3, qid_column="user").split(X, y)
    ]
    assert means[2] == pytest.approx(np.mean(values), rel=1e-12)


def test_estimators_and_columns_are_fused_together():
    X, y, qid = make_ranking(n_queries=20, random_state=0)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    frame["bm25"] = frame["f0"] ** 3
    frame["qid"] = qid
    ranker = FusionRanker(
        [("ridge", Ridge()), "bm25"], method="sum", norm="z", weights=[2, 1]
    )
    ranker.fit(frame, y)
    ridge = QueryRanker(Ridge()).fit(frame, y).predict(frame)
    parts = []
    for scores in (pd.Series(ridge), frame["bm25"]):
        by_query = scores.groupby(qid)
        mean, std = by_query.transform("mean"), by_query.transform("std", ddof=0)
        parts.append((scores - mean) / std)
    expected = 2 * parts[0] + parts[1]
    np.testing.assert_allclose(ranker.predict(frame), expected, rtol=1e-9, atol=1e-9)
    assert ranker.__skrank_sizes__() == {
        q: int((qid == q).sum()) for q in np.unique(qid)
    }


@pytest.mark.slow
def test_parameters_of_the_estimators_can_be_searched():
    X, y, qid = make_ranking(n_queries=20, random_state=0)
    frame = pd.DataFrame(X).rename(columns=str).assign(qid=qid)
    ranker = FusionRanker([("a", Ridge()), ("b", LogisticRegression())])
    assert ranker.get_params()["a__alpha"] == 1.0
    ranker.set_params(a__alpha=3.0, b=Ridge(alpha=5.0))
    assert [one.alpha for _, one in ranker.estimators] == [3.0, 5.0]
    copied = clone(ranker)
    assert copied.get_params()["b__alpha"] == 5.0
    assert copied.estimators[0][1] is not ranker.estimators[0][1]
    grid = {"a__alpha": [0.1, 10.0], "weights": [(1, 1), (0, 1)]}
    search = GridSearchCV(ranker, grid, scoring="mrr", cv=QueryKFold(3)).fit(frame, y)
    # With weight 0 the parameter does not matter.
    means = {
        (params["a__alpha"], params["weights"]): mean
        for params, mean in zip(
            search.cv_results_["params"],
            search.cv_results_["mean_test_score"],
            strict=True,
        )
    }
    assert means[0.1, (0, 1)] == means[10.0, (0, 1)]


def test_by_default_every_column_is_fused():
    rng = np.random.default_rng(0)
    scores, qid = rng.normal(size=(20, 3)), np.repeat([7, 3, 5, 9], 5)
    X = np.column_stack([scores, qid])
    ranker = FusionRanker(qid_column=-1).fit(X)
    frame = pd.DataFrame(scores, columns=list("abc")).assign(qid=qid)
    expected = FusionRanker(["a", "b", "c"]).fit(frame).predict(frame)
    np.testing.assert_array_equal(ranker.predict(X), expected)
    np.testing.assert_array_equal(ranker.predict(scores, qid=qid), expected)
    assert ranker.n_features_in_ == 3
    by_index = pd.DataFrame(scores, index=pd.Index(qid, name="qid"))
    np.testing.assert_array_equal(
        FusionRanker().fit(by_index).predict(by_index), expected
    )
    frame = pl.DataFrame(frame.to_dict("list"))
    np.testing.assert_array_equal(FusionRanker().fit(frame).predict(frame), expected)


@pytest.mark.slow
def test_sums_of_scores_obey_the_laws_of_rankers():
    check_ranker(FusionRanker([("ridge", Ridge())], method="sum"))
    assert is_ranker(FusionRanker())


@pytest.mark.slow
def test_ids_that_are_not_in_X_reach_the_fused_scores():
    X, y = draw()
    qid, scores = X["user"], X[["weak", "strong"]]
    expected = columns().fit(X, y).predict(X)
    ranker = FusionRanker().fit(scores, y)
    np.testing.assert_array_equal(ranker.predict(scores, qid=qid), expected)
    np.testing.assert_array_equal(
        ranker.rank(scores, qid=qid), columns().fit(X, y).rank(X)
    )
    value = ndcg_score(y, expected, qid=qid)
    indexed = pd.Series(y, index=pd.Index(qid, name="qid"))
    scorer = get_scorer("ndcg")
    assert ranker.score(scores, y, qid=qid) == ranker.score(scores, indexed) == value
    assert scorer(ranker, scores, y, qid=qid) == scorer(ranker, scores, indexed)
    assert scorer(ranker, scores, indexed) == value
    with pytest.raises(ValueError, match=r"predict\(X, qid=qid\)"):
        ranker.predict(scores)
    with pytest.raises(NotFittedError):
        scorer(FusionRanker(qid_column=0), scores, y, qid=qid)


FUSED = FusionRanker(["weak", "strong"])
DOUBLED = make_pipeline(FunctionTransformer(lambda scores: scores * 2), FUSED)
INSIDE = {
    "a sum": FusionRanker([("fused", FUSED)], method="sum"),
    "a sum of a sum": FusionRanker(
        [("sum", FusionRanker([("fused", FUSED)], method="sum"))], method="sum"
    ),
    "a pipeline in a sum": FusionRanker([("pipe", DOUBLED)], method="sum"),
    "a ranker": QueryRanker(FUSED),
    "a pipeline in a ranker": QueryRanker(DOUBLED),
    "an ensemble": VotingRegressor(
        [("one", as_regressor(FUSED)), ("two", as_regressor(FUSED))]
    ),
}


@pytest.mark.parametrize("outer", INSIDE)
def test_a_fused_ranker_inside_another_estimator_gets_its_ids(outer):
    X, y = draw()
    X = X[["user", "weak", "strong"]].rename(columns={"user": "qid"})
    expected = FUSED.fit(X, y).predict(X)
    ranker = clone(INSIDE[outer])
    for data in (X, X.set_index("qid")):
        found = ranker.fit(data, y).predict(data)
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    if isinstance(ranker, FusionRanker):
        alone, qid = X[["weak", "strong"]], X["qid"]
        found = ranker.fit(alone, y, qid=qid).predict(alone, qid=qid)
        np.testing.assert_array_equal(found, expected)
        with pytest.raises(ValueError, match=r"FusionRanker.predict needs to know"):
            ranker.predict(alone)


@pytest.mark.slow
@config_context(enable_metadata_routing=True)
@pytest.mark.parametrize("scoring", ["mrr", ["mrr", "ndcg@5"]])
def test_a_search_with_routed_ids_has_the_results_of_one_with_a_column(scoring):
    X, y = draw()
    grid = {"weights": [(1, 0), (1, 1), (0, 1)]}
    how = {"scoring": scoring, "refit": False}
    found = GridSearchCV(FusionRanker(), grid, cv=QueryKFold(3), **how)
    found.fit(X[["weak", "strong"]], y, qid=X["user"])
    cv = QueryKFold(3, qid_column="user")
    expected = GridSearchCV(columns(), grid, cv=cv, **how).fit(X, y)
    names = [name for name in expected.cv_results_ if name.startswith("split")]
    assert names
    for name in names:
        np.testing.assert_array_equal(
            found.cv_results_[name], expected.cv_results_[name]
        )


@pytest.mark.parametrize(
    ("estimators", "kind", "words"),
    [
        (["weak", "lost"], ValueError, r"'lost'\], and X has the columns \['item'"),
        (["weak", "weak"], ValueError, "each with a name of its own"),
        ([], ValueError, "one or more estimators or columns"),
        ([("a", 3)], TypeError, "must be an object implementing 'fit' and 'predict'"),
        ([("a", Ridge)], TypeError, "must be an object implementing"),
        (5, ValueError, r"a list of pairs \(name, estimator\) and columns.* Got 5"),
        ("weak", ValueError, "a list of pairs .* Got 'weak'"),
    ],
)
def test_errors_say_what_is_wrong(estimators, kind, words):
    X, y = draw(n_queries=3)
    with pytest.raises(kind, match=words):
        FusionRanker(estimators, qid_column="user").fit(X, y)


SCORES = np.array([[3.0, 1], [2, 2], [1, 3]])


@pytest.mark.parametrize(
    ("fitted_to", "X", "words"),
    [
        (SCORES, SCORES[:, :1], "X has 1 features, but FusionRanker is expecting 2"),
        (SCORES, SCORES[:, 0], "Expected 2D array, got 1D array(.|\n)*Reshape your"),
        (SCORES, SCORES[:0], r"0 sample\(s\) .* a minimum of 1 is required"),
        (SCORES[:, 0], None, "Expected 2D array, got 1D array(.|\n)*Reshape your"),
        (SCORES[:0], None, r"0 sample\(s\) .* is required by FusionRanker"),
    ],
)
def test_the_shape_of_columns_is_checked_as_scikit_learn_does(fitted_to, X, words):
    ranker = FusionRanker(missing_qid="single")
    with pytest.raises(ValueError, match=words):
        ranker.fit(fitted_to).predict(X)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_column_that_is_missing_in_predict_is_named():
    frame = pd.DataFrame(SCORES, columns=["a", "b"])
    ranker = FusionRanker(missing_qid="single").fit(frame)
    with pytest.raises(ValueError, match="yet now missing:\n- b"):
        ranker.predict(frame[["a"]])
    with pytest.raises(ValueError, match="X has no column 'a', which FusionRanker"):
        ranker.predict(SCORES)


NAN, INF = np.nan, np.inf
SITUATIONS = {
    "ordinary": [[3.0, 1], [2, 2], [1, 4], [NAN, 3]],
    "infinite": [[3.0, 1], [2, 2], [-INF, 3], [INF, INF]],
    "one run without a score": [[3.0, NAN], [2, NAN], [1, NAN], [2.5, NAN]],
    "no run with a score": [[NAN, NAN]] * 4,
    "one document": [[3.0, 2]],
}


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_method_and_norm_fuses(situation):
    scores = np.array(SITUATIONS[situation])
    tried = 0
    for method, norm in itertools.product(FUSION_METHODS, NORMS):
        ranker = FusionRanker(method=method, norm=norm, missing_qid="single")
        ranker.fit([[2.0, 1], [1, 2]])
        if situation == "infinite" and method in ("sum", "mnz", "max"):
            with pytest.raises(ValueError, match="scores, which must be finite"):
                ranker.predict(scores)
            tried += 1
            continue
        found = ranker.predict(scores)
        named = FusionRanker(["a", "b"], method=method, norm=norm, missing_qid="single")
        frame = pd.DataFrame(scores, columns=["a", "b"])
        assert named.fit(frame.fillna(0)).predict(frame).tolist() == found.tolist()
        assert np.isfinite(found).all()
        if situation == "one run without a score":  # the order is that of the other one
            assert np.argsort(-found).tolist() == [0, 3, 1, 2]
        elif situation == "no run with a score":  # all documents are tied
            assert len(set(found)) == 1
        elif situation == "infinite":  # the first one of both runs
            assert np.argmax(found) == 3
        tried += 1
    assert tried == 42


def test_scores_of_an_array_are_not_read_as_query_ids():
    scores = np.array([[3e7, 1], [2e7, 2], [1, 3]], dtype=np.float32)
    found = FusionRanker(missing_qid="single").fit(scores).predict(scores)
    by_hand = [1 / 61 + 1 / 63, 1 / 62 + 1 / 62, 1 / 63 + 1 / 61]
    assert found.tolist() == pytest.approx(by_hand)


SIX = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 3.0], [1.0, 1.0], [2.0, 0.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": [1, 0]}, "'y' parameter must have one value for each of the 6 rows"),
        ({"qid": [1, 1]}, "'qid' parameter must have one value for each of the 6 rows"),
        ({"sample_weight": ["a", "b"]}, "could not convert string to float"),
        (
            {"sample_weight": [1.0, 2.0]},
            "'sample_weight' parameter must have one value",
        ),
        ({"sample_weight": [0.0] * 6}, "weight that is not zero"),
    ],
)
def test_columns_are_fused_with_what_has_one_value_per_row(given, message):
    fit = {"y": [0, 1, 0, 1, 0, 1], "qid": [0, 0, 0, 1, 1, 1]} | given
    with pytest.raises(ValueError, match=message):
        FusionRanker().fit(SIX, **fit)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["method"], "conflict with constructor arguments: \\['method'\\]"),
        (["a__b"], "must not contain __: got \\['a__b'\\]"),
        (["a", "a"], "each with a name of its own"),
    ],
)
def test_names_of_estimators_are_those_that_parameters_can_have(names, message):
    fusion = FusionRanker([(name, Ridge()) for name in names])
    with pytest.raises(ValueError, match=message):
        fusion.fit(SIX, [0, 1, 0, 1, 0, 1], qid=[0, 0, 0, 1, 1, 1])
