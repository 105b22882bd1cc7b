"""Values by query of cross-validated models."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    cross_val_predict,
    cross_validate,
)

from skrank.datasets import make_ranking
from skrank.exceptions import QuerySplitWarning
from skrank.metrics import evaluate, make_ranking_scorer, mean_rank, mrr_score
from skrank.model_selection import (
    LeaveLastOut,
    QueryKFold,
    QueryShuffleSplit,
    QueryTimeSeriesSplit,
    RepeatedQueryKFold,
    cross_val_query_scores,
)
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(
    24, n_documents=(4, 8), n_features=3, n_informative=2, n_grades=3, random_state=0
)
ROWS = np.random.default_rng(0).permutation(len(Y))
X, Y, QID = X[ROWS], Y[ROWS], np.array([f"q{i:02}" for i in QID[ROWS]])
CODES = np.unique(QID, return_inverse=True)[1]
TIME = np.arange(len(Y))
RANKER = QueryRanker(Ridge())
PARAMS = {"qid": QID}
METRICS = ["mrr", "ndcg@3", "neg_median_rank", "adjusted_mrr", "gm_map"]


def scored(estimator=RANKER, X=X, y=Y, scoring="mrr", params=PARAMS, **options):
    """Return the values of queries, by default those of the ranker."""
    options |= {"scoring": scoring, "params": params}
    return cross_val_query_scores(estimator, X, y, **options)


class FirstFeature(BaseEstimator):
    """Predicts the first feature."""

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def reciprocal_ranks(cv, **metadata):
    """Return the reciprocal ranks of each query, a list over test sets, by loops.

    That of a list without relevant rows is undefined.
    """
    found = {}
    for train, test in cv.split(X, **(metadata or PARAMS)):
        y_score = Ridge().fit(X[train], Y[train]).predict(X[test])
        for query in sorted(set(QID[test])):
            rows = QID[test] == query
            best_first = Y[test][rows][np.argsort(-y_score[rows])]
            relevant = np.flatnonzero(best_first > 0)
            value = 1 / (1 + relevant[0]) if len(relevant) else np.nan
            found.setdefault(query, []).append(value)
    return dict(sorted(found.items()))


def means(found):
    """Return the mean of each list; an undefined value counts as 0."""
    return [np.nan_to_num(values).mean() for values in found.values()]


def test_values_are_those_of_a_loop_over_folds_and_queries():
    scores = scored(cv=QueryKFold(4))
    expected = reciprocal_ranks(QueryKFold(4))
    assert scores.keys["qid"].tolist() == list(expected)
    assert_allclose(scores.values[0, 0], means(expected))
    for fold, (_, test) in enumerate(QueryKFold(4).split(X, qid=QID)):
        in_fold = scores.keys["fold"] == fold
        assert set(scores.keys["qid"][in_fold]) == set(QID[test])


@pytest.mark.slow
def test_the_summaries_are_those_of_cross_validate_and_cross_val_predict():
    given = {"cv": QueryKFold(4), "params": PARAMS}
    scores = cross_val_query_scores(RANKER, X, Y, scoring=METRICS, **given)
    by_fold = scores.summary(by="fold")
    results = cross_validate(RANKER, X, Y, scoring=METRICS, **given)
    for name in METRICS:
        of_folds = [by_fold[fold][name] for fold in range(4)]
        assert of_folds == results[f"test_{name}"].tolist()
    y_score = cross_val_predict(RANKER, X, Y, **given)
    assert scores.summary() == evaluate(Y, y_score, METRICS, qid=QID)


@pytest.mark.slow
@pytest.mark.parametrize("cv", [None, 5, list(QueryKFold(5).split(X, qid=QID))])
def test_a_number_of_folds_is_one_of_whole_queries(cv):
    given = {"scoring": "mrr", "params": PARAMS}
    scores = cross_val_query_scores(RANKER, X, Y, cv=cv, **given)
    expected = cross_val_query_scores(RANKER, X, Y, cv=QueryKFold(5), **given)
    assert_array_equal(scores.values, expected.values)
    assert_array_equal(scores.keys["fold"], expected.keys["fold"])


@pytest.mark.slow
def test_all_estimators_are_fitted_on_the_same_splits():
    rankers = {"one": RANKER, "same": clone(RANKER), "other": QueryRanker(Ridge(1e3))}
    cv = QueryShuffleSplit(3, test_size=0.3, random_state=np.random.RandomState(0))
    scores = scored(rankers, cv=cv, n_jobs=1)
    assert scores.rankers == ("one", "same", "other")
    assert_array_equal(scores.values[0], scores.values[1])
    assert (scores.values[0] != scores.values[2]).any()


@pytest.mark.slow
def test_the_number_of_jobs_changes_nothing():
    given = {"scoring": METRICS, "params": PARAMS}
    one = cross_val_query_scores(RANKER, X, Y, **given)
    with parallel_config(backend="threading"):
        two = cross_val_query_scores(RANKER, X, Y, n_jobs=2, **given)
    assert_array_equal(one.values, two.values)


@pytest.mark.slow
def test_a_query_that_recurs_over_repetitions_has_the_mean_of_its_values():
    cv = RepeatedQueryKFold(3, n_repeats=4, random_state=0)
    scores = scored(cv=cv)
    expected = reciprocal_ranks(cv)
    assert {len(values) for values in expected.values()} == {4}
    assert_allclose(scores.values[0, 0], means(expected))
    assert scores.keys["qid"].tolist() == list(expected)
    assert set(scores.keys["fold"]) == {-1}


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_repetitions_change_nothing_for_a_model_that_learns_nothing(average):
    names = ["mrr", "ndcg@3", "adjusted_mrr", "gm_map", "inverse_mean_rank"]
    weight = 1.0 + CODES % 3
    scorer = make_ranking_scorer(names, average=average)
    scores = scored(
        FirstFeature(),
        scoring=scorer.set_score_request(sample_weight=True),
        cv=RepeatedQueryKFold(3, n_repeats=4, random_state=0),
        params={"qid": QID, "sample_weight": weight},
    )
    given = {"qid": QID, "sample_weight": weight, "average": average}
    assert scores.summary() == pytest.approx(evaluate(Y, X[:, 0], names, **given))


def test_a_query_that_is_never_tested_is_left_out():
    cv = QueryShuffleSplit(3, test_size=0.3, random_state=0)
    scores = scored(cv=cv)
    expected = reciprocal_ranks(cv)
    assert len(expected) < len(set(QID))
    assert scores.keys["qid"].tolist() == list(expected)
    tested = [set(QID[test]) for _, test in cv.split(X, qid=QID)]
    for query, fold in zip(*scores.keys.values(), strict=True):
        folds = [i for i in range(3) if query in tested[i]]
        assert fold == (folds[0] if len(folds) == 1 else -1)
    assert_allclose(scores.values[0, 0], means(expected))


def test_a_query_whose_rows_are_in_several_test_sets_is_one_observation():
    cv = LeaveLastOut(2, n_splits=2)
    with pytest.warns(QuerySplitWarning):
        scores = scored(cv=cv, params={"qid": QID, "time": TIME})
    expected = reciprocal_ranks(cv, qid=QID, time=TIME)
    assert {len(values) for values in expected.values()} == {1, 2}
    assert_allclose(scores.values[0, 0], means(expected))
    several = [len(values) == 2 for values in expected.values()]
    assert_array_equal(scores.keys["fold"] == -1, several)


def test_queries_split_by_mistake_are_warned_of():
    assert set(CODES[:8]) & set(CODES[8:])
    splits = [(np.arange(8, len(Y)), np.arange(8))]
    for estimator in (Ridge(), RANKER):
        with pytest.warns(QuerySplitWarning, match="^Pass cv=QueryKFold") as caught:
            scored(estimator, cv=splits)
        assert len(caught) == 1
    scored(Ridge(), cv=QueryKFold(3))


@pytest.mark.parametrize(
    ("instead", "value"),
    [(0.0, (1 / 1 + 0) / 2), (np.nan, 1 / 1), (0.5, (1 + 0.5) / 2)],
)
def test_an_undefined_list_counts_as_it_does_in_a_summary(instead, value):
    # Query "b" has two lists: its relevant row is ranked first, and no relevant row.
    X = np.array([[2.0], [1.0], [2.0], [1.0], [3.0], [1.0]])
    y, qid = np.array([0, 1, 1, 0, 0, 0]), np.array(list("aabbbb"))
    cv = [([0, 1], [2, 3]), ([0, 1], [4, 5])]
    scoring = make_ranking_scorer("mrr", replace_undefined_by=instead)
    scores = scored(FirstFeature(), X, y, scoring=scoring, cv=cv, params={"qid": qid})
    assert scores.values.tolist() == [[[value]]]


@pytest.mark.slow
def test_other_metadata_reaches_the_splitter():
    params = {"qid": QID, "time": 10 * CODES + np.arange(len(Y)) % 10}
    cv = QueryTimeSeriesSplit(3)
    scores = scored({"grouped": RANKER, "ridge": Ridge()}, cv=cv, params=params)
    expected = means(reciprocal_ranks(cv, **params))
    assert_allclose(scores.values[:, 0], [expected, expected])


@pytest.mark.slow
def test_groups_reach_a_splitter_of_scikit_learn_and_qid_the_scorer():
    cv, groups = LeaveOneGroupOut(), CODES % 3
    params = {"groups": groups, "qid": QID}
    found = cross_validate(RANKER, X, Y, cv=cv, scoring="mrr", params=params)
    by_query = means(reciprocal_ranks(cv, groups=groups))
    expected = [np.mean(by_query[shop::3]) for shop in range(3)]
    assert_allclose(found["test_score"], expected)
    assert_allclose(scored(cv=cv, params=params).values[0, 0], by_query)


FRAME = pd.DataFrame(X, columns=["f0", "f1", "f2"])
SOURCES = {
    "pandas column": (FRAME.assign(qid=QID), Y),
    "polars column": (pl.DataFrame(FRAME.assign(qid=QID).to_dict("list")), Y),
    "index of y": (X, pd.Series(Y, index=pd.Index(QID, name="qid"))),
    "index of X": (FRAME.set_index(pd.Index(QID, name="qid")), Y),
}


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("enabled", [True, False])
def test_query_ids_are_found_where_scorers_find_them(source, enabled):
    expected = scored()
    with sklearn.config_context(enable_metadata_routing=enabled):
        scores = cross_val_query_scores(RANKER, *SOURCES[source], scoring="mrr")
    assert_array_equal(scores.keys["qid"], expected.keys["qid"])
    assert_array_equal(scores.values, expected.values)
    kind = "polars" if source.startswith("polars") else "pandas"
    assert type(scores.to_frame()).__module__.startswith(kind)


def test_query_ids_in_a_column_by_position_are_found():
    splits = list(QueryKFold(3).split(X, qid=CODES))
    ranker, table = QueryRanker(Ridge(), qid_column=-1), np.column_stack([X, CODES])
    scores = cross_val_query_scores(ranker, table, Y, scoring="mrr", cv=splits)
    assert scores.keys["qid"].tolist() == [*range(24)]


def test_estimators_with_other_query_ids_are_an_error():
    rankers = {"a": QueryRanker(Ridge(), qid_column=-1)}
    rankers["b"] = QueryRanker(Ridge(), qid_column=-2)
    table = np.column_stack([X, CODES // 2, CODES])
    given = {"scoring": "mrr", "cv": list(QueryKFold(3).split(X, qid=CODES // 2))}
    with pytest.raises(ValueError, match=r"must have the same query ids.*for 'b'"):
        cross_val_query_scores(rankers, table, Y, **given)


@pytest.mark.parametrize("cv", [3, list(QueryKFold(3).split(X, qid=QID))])
def test_without_query_ids_there_is_an_error(cv):
    with pytest.raises(ValueError, match="needs to know which rows belong to one"):
        cross_val_query_scores(Ridge(), X, Y, scoring="mrr", cv=cv)


@pytest.mark.slow
def test_a_search_selects_anew_in_each_training_set():
    grid = {"estimator__alpha": [0.1, 1e3]}
    search = GridSearchCV(RANKER, grid, scoring="mrr", cv=QueryKFold(3))
    scores = scored({"search": search, "ridge": RANKER}, cv=QueryKFold(4))
    by_fold = scores.summary(by="fold")
    assert len(by_fold) == 4
    for fold, (train, test) in enumerate(QueryKFold(4).split(X, qid=QID)):
        best = clone(search).fit(X[train], Y[train], qid=QID[train])
        expected = mrr_score(Y[test], best.predict(X[test]), qid=QID[test])
        assert by_fold[fold]["search"]["mrr"] == expected


def test_weights_reach_scorers_that_request_them():
    weight = 1.0 + CODES % 3
    scorer = make_ranking_scorer("mrr").set_score_request(sample_weight="weight")
    scores = scored(scoring=scorer, params={"qid": QID, "weight": weight})
    values = np.nan_to_num(means(reciprocal_ranks(QueryKFold(5))))
    weights = 1 + np.arange(24) % 3
    assert_array_equal(scores.weight, weights)
    assert scores.summary()["mrr"] == pytest.approx(np.average(values, weights=weights))


def test_weights_of_fit_do_not_reach_scorers_that_do_not_request_them():
    ranker = clone(RANKER).set_fit_request(sample_weight=True)
    scorer = make_ranking_scorer("mrr").set_score_request(sample_weight=False)
    given = {"qid": QID, "sample_weight": 1.0 + CODES % 3}
    scores = scored(ranker, scoring=scorer, params=given)
    assert scores.weight is None
    assert scores.summary()["mrr"] == np.mean(scores.values)


def top(ranking):
    return ranking.expected_at_first(lambda rank: rank == 1)


def test_scorers_keep_their_direction_parameters_and_names():
    scoring = [
        make_ranking_scorer(["mrr", "hits@1"]),
        make_ranking_scorer(mean_rank),
        make_ranking_scorer(top, greater_is_better=False),
        "ndcg@3",
    ]
    scores = scored(scoring=scoring)
    names = ("mrr", "hits@1", "neg_mean_rank", "neg_top", "ndcg@3")
    assert scores.metrics == names
    values = dict(zip(names, scores.values[0], strict=True))
    assert_array_equal(values["neg_top"], -values["hits@1"])
    defined = values["mrr"] > 0
    assert_allclose(values["neg_mean_rank"][defined], -1 / values["mrr"][defined])
    assert np.isnan(values["neg_mean_rank"][~defined]).all()


@pytest.mark.slow
def test_a_dict_names_the_scorers():
    names = ("linear", "exponential")
    gains = {name: make_ranking_scorer("ndcg", gain=name) for name in names}
    scores = scored(scoring=gains)
    found = cross_validate(RANKER, X, Y, scoring=gains, cv=QueryKFold(5), params=PARAMS)
    assert scores.metrics == names
    for name in gains:
        of_folds = [of_fold[name] for of_fold in scores.summary(by="fold").values()]
        assert of_folds == found[f"test_{name}"].tolist()


with sklearn.config_context(enable_metadata_routing=True):
    OF_WEIGHTS = make_ranking_scorer("map").set_score_request(sample_weight=True)
BAD = {
    "a scorer of rows": ("roc_auc", "Only such scorers have a value for each query"),
    "a misspelt name": ("ndgc@10", "Did you mean 'ndcg@10'"),
    "a built-in scorer": (make_scorer(max), "Got make_scorer"),
    "a function": (mrr_score, "a scorer name of skrank"),
    "list": ({"both": make_ranking_scorer(["mrr", "map"])}, "a scorer name of skrank"),
    "nothing": ([], "at least one metric"),
    "the same name twice": (["mrr", "mrr"], r"Got \['mrr'\] twice"),
    "the name of a key": ({"fold": "mrr"}, r"Got \['fold'\] twice"),
    "other requests": (["mrr", OF_WEIGHTS], "must request the same metadata"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_scoring_is_an_error_before_any_fit(case):
    scoring, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        scored(object(), scoring=scoring)


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        ({}, ValueError, "a dict of at least one, by"),
        ({1: RANKER}, TypeError, r"by their names. Got \{1: "),
        ({"mrr": RANKER}, ValueError, r"Got \['mrr'\] twice"),
    ],
)
def test_estimators_need_names_of_their_own(estimator, error, message):
    with pytest.raises(error, match=message):
        scored(estimator)


@pytest.mark.slow
def test_a_metric_that_depends_on_all_data_needs_the_highest_grade():
    y = np.where(QID == "q00", Y * 2, Y)
    with pytest.raises(ValueError, match="scorer of 'err' needs max_grade"):
        scored(RANKER, X, y, scoring="err")
    scoring = make_ranking_scorer("err", max_grade=4)
    scores = scored(RANKER, X, y, scoring=scoring)
    assert len(scores.keys["qid"]) == 24
