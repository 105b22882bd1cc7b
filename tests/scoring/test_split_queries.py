"""Queries with rows in both the training and the test data are warned of."""

# SPDX-License-Identifier: BSD-3-Clause

import gc
import pickle
import re
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from lightgbm import LGBMRanker
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import skrank
from skrank.base import RankingEstimator
from skrank.exceptions import QuerySplitWarning
from skrank.metrics import get_scorer, make_ranking_scorer, mrr_score
from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker, PairwiseRanker, QueryRanker, as_regressor
from skrank.scoring.estimators import _WHOLE, training_sizes
from tests.rankers.rows import SORTED

X, Y, QID = SORTED
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))
# Seven queries lose their first row to the training set.
CUT = 7
_, FIRST_ROWS = np.unique(QID, return_index=True)
TRAIN = np.sort(np.append(np.flatnonzero(QID >= CUT), FIRST_ROWS[:CUT]))
TEST = np.setdiff1d(np.arange(len(Y)), TRAIN)
SPLIT = r"^Pass cv=QueryKFold\(5\), or split whole queries"
SHUFFLED = np.random.default_rng(0).permutation(len(Y))
PLAIN_FOLDS = KFold(3, shuffle=True, random_state=0)


class Own(RankingEstimator, BaseEstimator):
    """A ranker of a user, which says what it has learned from."""

    def fit(self, X, y, *, qid=None):
        self._ids = np.asarray(self.find_qid(qid, "fit", X=X, y=y)).tolist()
        return self

    def predict(self, X):
        return X[:, 0]

    def __skrank_sizes__(self):
        return Counter(self._ids)


RANKERS = {
    "pointwise": QueryRanker(Ridge()),
    "pairwise": PairwiseRanker(),
    "own": Own(),
    "pipeline": make_pipeline(MaxAbsScaler(), QueryRanker(Ridge())),
    "regressor": as_regressor(make_pipeline(MaxAbsScaler(), QueryRanker(Ridge()))),
    "search": GridSearchCV(
        QueryRanker(Ridge()), {"estimator__alpha": [1.0]}, cv=QueryKFold(2)
    ),
}
rankers = pytest.mark.parametrize("name", RANKERS)


@rankers
@pytest.mark.parametrize(
    "scorer", [get_scorer("mrr"), make_ranking_scorer(["mrr", "ndcg@3"])], ids=str
)
def test_a_scorer_of_a_ranker_warns(name, scorer):
    ranker = RANKERS[name].fit(X[TRAIN], INDEXED.iloc[TRAIN])
    whole = np.flatnonzero(QID >= CUT)
    for rows in (TEST, np.append(TEST, whole)):
        with pytest.warns(QuerySplitWarning, match=SPLIT) as caught:
            scorer(ranker, X[rows], INDEXED.iloc[rows])
        assert len(caught) == 1
    scorer(ranker, X[whole], INDEXED.iloc[whole])  # without a warning


@pytest.mark.parametrize(
    "qid",
    [
        QID.astype(float),
        QID.astype(str),
        np.array("2024-01-01", "M8[ns]") + QID * 1000,
        pd.Categorical(QID.astype(str)),
        list(zip(QID, QID, strict=True)),
        pd.array(QID, dtype="Int64"),
    ],
    ids=["floats", "strings", "dates", "categories", "tuples", "nullable"],
)
def test_ids_of_any_type_are_known_again(qid):
    qid = pd.Series(qid)
    for name in ("pointwise", "pairwise"):
        ranker = RANKERS[name].fit(X[TRAIN], Y[TRAIN], qid=qid.iloc[TRAIN])
        with pytest.warns(QuerySplitWarning, match=SPLIT):
            ranker.score(X[TEST], Y[TEST], qid=qid.iloc[TEST])


@pytest.mark.parametrize("model", [*RANKERS.values(), Ridge()], ids=[*RANKERS, "plain"])
@pytest.mark.parametrize("cv", [QueryKFold(3), GroupKFold(3)], ids=str)
def test_whole_queries_and_training_scores_raise_no_alarm(model, cv):
    # Warnings are errors here.
    result = cross_validate(
        model,
        X,
        INDEXED,
        scoring=["mrr", "ndcg@10"],
        cv=list(cv.split(X, INDEXED, QID)),
        return_train_score=True,
        error_score="raise",
    )
    assert np.isfinite(result["train_mrr"]).all()
    search = GridSearchCV(model, {}, scoring="mrr", cv=cv, error_score="raise")
    search.fit(X, INDEXED, groups=QID)


def test_rows_of_a_split_are_compared_once_in_a_search(monkeypatch):
    compared = []

    def compare(codes, train, test):
        compared.append((len(codes), len(train), len(test)))

    monkeypatch.setattr("skrank.scoring.estimators.warn_of_split_queries", compare)
    search = GridSearchCV(
        Ridge(), {"alpha": [1, 2, 3]}, scoring=["mrr", "map"], cv=2, refit=False
    )
    search.fit(X, INDEXED)
    half = len(Y) // 2
    assert sorted(compared) == sorted(
        [(len(Y), half, len(Y) - half), (len(Y), len(Y) - half, half)]
    )


def test_a_test_set_of_two_training_sets_is_compared_with_both():
    test = np.flatnonzero(CUT > QID)[1:]
    train = np.flatnonzero(CUT <= QID)
    both = [(train, test), (np.append(train, 0), test)]
    with pytest.warns(QuerySplitWarning, match=SPLIT):
        cross_val_score(Ridge(), X, INDEXED, scoring="mrr", cv=both)
    cross_val_score(Ridge(), X, INDEXED, scoring="mrr", cv=both[:1])  # no warning


def search_rows_of_an_index():
    GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="mrr", cv=PLAIN_FOLDS).fit(
        X, INDEXED
    )


def search_shuffled_rows_with_routed_ids():
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="mrr", cv=5)
        search.fit(X[SHUFFLED], Y[SHUFFLED], qid=QID[SHUFFLED])


def validate_with_ids_of_another_name():
    with config_context(enable_metadata_routing=True):
        scorer = get_scorer("mrr").set_score_request(qid="user")
        cross_validate(
            Ridge(),
            X[SHUFFLED],
            Y[SHUFFLED],
            scoring={"mrr": scorer, "r2": "r2"},
            params={"user": QID[SHUFFLED]},
        )


def score_a_pipeline():
    model = make_pipeline(MaxAbsScaler(), Ridge())
    cross_val_score(model, X, INDEXED, scoring="mrr", cv=PLAIN_FOLDS)


def score_several_metrics_of_a_table():
    # In a pipeline that drops the column, which scorers read.
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=QID)
    model = make_pipeline(make_column_transformer(("passthrough", ["a", "b"])), Ridge())
    scoring = ["mrr", "ndcg@3"]
    cross_validate(
        model, table, Y, scoring=scoring, cv=PLAIN_FOLDS, return_train_score=True
    )


def permute():
    permutation_test_score(
        Ridge(), X, INDEXED, scoring="mrr", cv=PLAIN_FOLDS, n_permutations=2
    )


def score_a_ranker():
    model = QueryRanker(Ridge())
    cross_val_score(model, X, INDEXED, scoring="mrr", cv=PLAIN_FOLDS)


# Each fails if scikit-learn renames what skrank reads of its loops over splits: their
# local variables X, y, train, test, X_test and score_params.
@pytest.mark.parametrize(
    "call",
    [
        search_rows_of_an_index,
        search_shuffled_rows_with_routed_ids,
        validate_with_ids_of_another_name,
        score_a_pipeline,
        score_several_metrics_of_a_table,
        permute,
        score_a_ranker,
    ],
)
def test_folds_of_rows_are_warned_of_once_in_each_call(call):
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            call()
        (warning,) = caught
        assert warning.category is QuerySplitWarning
        assert re.match(SPLIT, str(warning.message))
        assert warning.filename == __file__


def test_a_search_shows_one_warning_where_its_own_call_is_not_seen(monkeypatch):
    # In a thread, where as in another process only the fit of a candidate is. One
    # candidate at a time, for threads share the filters of warnings.
    monkeypatch.setattr(skrank._input.callers, "_SHOWN", {})
    how = {"scoring": "mrr", "cv": PLAIN_FOLDS, "n_jobs": 2, "pre_dispatch": 1}
    search = GridSearchCV(Ridge(), {"alpha": np.arange(1.0, 7.0)}, **how)
    with warnings.catch_warnings(record=True) as caught, parallel_config("threading"):
        warnings.simplefilter("default")
        search.fit(X, INDEXED)
    (warning,) = caught
    assert re.match(SPLIT, str(warning.message))


@pytest.mark.parametrize("model", [QueryRanker(Ridge()), Ridge()], ids=str)
def test_a_learning_curve_over_rows_is_warned_of(model):
    # Test queries stay whole, and training queries lose documents.
    with pytest.warns(UserWarning, match=r"^learning_curve draws rows.*max_queries"):
        sizes, _, _ = learning_curve(
            model,
            X,
            INDEXED,
            scoring="mrr",
            cv=QueryKFold(3),
            train_sizes=[0.3, 1.0],
            error_score="raise",
        )
    assert len(sizes) == 2


def test_estimators_that_keep_no_sizes_raise_no_alarm():
    for model in (Ridge(), LogisticRegression()):
        model.fit(X[TRAIN], Y[TRAIN] > 0)
        assert 0 < get_scorer("mrr")(model, X[TEST], INDEXED.iloc[TEST]) <= 1


NAMED = np.array([f"user{i}@mail.example" for i in QID])
HOLDERS = {name: RANKERS[name] for name in RANKERS if name != "own"} | {
    "fusion": FusionRanker([("a", QueryRanker(Ridge())), ("b", PairwiseRanker())]),
    "stopped": QueryRanker(
        LGBMRanker(n_estimators=3, verbose=-1, n_jobs=1), early_stopping=True
    ),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_what_is_saved_holds_no_ids_of_training_queries(name):
    frame = pd.DataFrame(X).add_prefix("f")
    index = pd.Index(NAMED, name="qid")
    model = clone(HOLDERS[name]).fit(frame.set_index(index), pd.Series(Y, index=index))
    saved = pickle.dumps(model)
    assert b"@mail" not in saved
    again = pickle.loads(saved)
    assert training_sizes(again) is None
    test = frame.set_index(index).iloc[TEST]
    scores = model.predict(test)
    assert again.predict(test).tolist() == scores.tolist()
    expected = mrr_score(Y[TEST], scores, qid=NAMED[TEST])
    assert get_scorer("mrr")(again, test, Y[TEST]) == expected  # and does not warn


def test_a_ranker_of_a_single_query_knows_none():
    ranker = QueryRanker(Ridge(), missing_qid="single").fit(X[TRAIN], Y[TRAIN])
    assert ranker.__skrank_sizes__() == {}
    assert 0 < get_scorer("mrr")(ranker, X[TEST], INDEXED.iloc[TEST]) <= 1


def splits_found(column, cv, X, y):
    """Return in how many folds split queries are warned of, by a column of ids."""
    model, found = QueryRanker(Ridge(), qid_column=column), 0
    for fold in cv:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given = {"scoring": "mrr", "cv": [fold], "error_score": "raise"}
            cross_validate(model, X, y, **given)
        found += any(one.category is QuerySplitWarning for one in caught)
    return found


def test_another_column_of_ids_is_compared_anew():
    frame = pd.DataFrame({"user": np.repeat(np.arange(40), 5), "x": np.arange(200.0)})
    frame["session"] = np.random.default_rng(0).permutation(frame["user"])
    y = np.arange(200) % 3
    by_user = list(QueryKFold(4, qid_column="user").split(frame, y))
    assert splits_found("user", by_user, frame, y) == 0
    assert splits_found("session", by_user, frame, y) == 4
    assert splits_found("user", by_user, frame, y) == 0


def test_ids_that_were_changed_in_place_are_compared_anew():
    frame = pd.DataFrame({"qid": np.repeat(np.arange(40), 5), "x": np.arange(200.0)})
    y, folds = np.arange(200) % 3, list(KFold(4).split(frame))
    assert splits_found("qid", folds, frame, y) == 0
    frame.loc[:, "qid"] = np.tile(np.arange(40), 5)
    assert splits_found("qid", folds, frame, y) == 4
    frame["qid"] = np.repeat(np.arange(40), 5)
    assert splits_found("qid", folds, frame, y) == 0
    frame.loc[0, "qid"] = 39  # of another fold
    assert splits_found("qid", folds, frame, y) > 0


def test_what_was_compared_is_forgotten_with_the_split():
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="mrr", cv=QueryKFold(3))
    _WHOLE.clear()
    search.fit(X, INDEXED)
    gc.collect()
    assert not _WHOLE
