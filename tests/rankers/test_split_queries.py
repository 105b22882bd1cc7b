"""Queries that are known from the training data with another number of rows."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from skrank.datasets import make_ranking
from skrank.exceptions import QuerySplitWarning
from skrank.metrics import get_scorer, make_ranking_scorer
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker

X, Y, QID = make_ranking(
    24, n_documents=(4, 8), n_features=3, n_informative=2, n_grades=3, random_state=0
)
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))
# Seven queries lose their first row to the training set.
CUT = 7
_, FIRST_ROWS = np.unique(QID, return_index=True)
TRAIN = np.sort(np.append(np.flatnonzero(QID >= CUT), FIRST_ROWS[:CUT]))
TEST = np.setdiff1d(np.arange(len(Y)), TRAIN)

RANKERS = {
    "pointwise": QueryRanker(Ridge()),
    "pairwise": PairwiseRanker(),
    "pipeline": make_pipeline(MaxAbsScaler(), QueryRanker(Ridge())),
    "search": GridSearchCV(
        QueryRanker(Ridge()), {"estimator__alpha": [1.0]}, cv=QueryKFold(2)
    ),
}
rankers = pytest.mark.parametrize("name", RANKERS)


@pytest.mark.slow_rows
@rankers
@pytest.mark.parametrize(
    "scorer", [get_scorer("mrr"), make_ranking_scorer(["mrr", "ndcg@3"])], ids=str
)
def test_a_scorer_warns_of_their_number(name, scorer):
    ranker = RANKERS[name].fit(X[TRAIN], INDEXED.iloc[TRAIN])
    with pytest.warns(QuerySplitWarning, match=f"^{CUT} of {CUT} scored queries") as w:
        scorer(ranker, X[TEST], INDEXED.iloc[TEST])
    assert len(w) == 1
    some = np.append(TEST, np.flatnonzero(QID >= 20))
    with pytest.warns(QuerySplitWarning, match=f"^{CUT} of {CUT + 4} scored queries"):
        scorer(ranker, X[some], INDEXED.iloc[some])


@pytest.mark.parametrize("name", ["pointwise", "pairwise"])
def test_the_score_of_a_ranker_warns_too(name):
    ranker = RANKERS[name].fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN])
    with pytest.warns(QuerySplitWarning, match=f"^{CUT} of {CUT} scored queries"):
        ranker.score(X[TEST], Y[TEST], qid=QID[TEST])


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
    ranker = RANKERS["pointwise"].fit(X[TRAIN], Y[TRAIN], qid=qid.iloc[TRAIN])
    with pytest.warns(QuerySplitWarning, match=f"^{CUT} of {CUT} scored queries"):
        ranker.score(X[TEST], Y[TEST], qid=qid.iloc[TEST])


@pytest.mark.slow_rows
@rankers
@pytest.mark.parametrize("cv", [QueryKFold(3), GroupKFold(3)], ids=str)
def test_whole_queries_and_training_scores_raise_no_alarm(name, cv):
    # Warnings are errors here.
    result = cross_validate(
        RANKERS[name],
        X,
        INDEXED,
        scoring=["mrr", "ndcg@10"],
        cv=list(cv.split(X, INDEXED, QID)),
        return_train_score=True,
        error_score="raise",
    )
    assert np.isfinite(result["train_mrr"]).all()


def test_plain_folds_are_noticed():
    with pytest.warns(QuerySplitWarning, match="Split whole queries, for instance by"):
        cross_val_score(
            QueryRanker(Ridge()), X, INDEXED, scoring="mrr", cv=KFold(3, shuffle=True)
        )


def test_the_warning_can_be_silenced():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuerySplitWarning)
        scores = cross_val_score(
            QueryRanker(Ridge()), X, INDEXED, scoring="mrr", cv=KFold(3, shuffle=True)
        )
    assert scores.shape == (3,)


def test_a_learning_curve_over_rows_splits_training_queries_without_an_alarm():
    # Test queries stay whole; each size of the training set is a model of its own.
    sizes, _, _ = learning_curve(
        QueryRanker(Ridge()),
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


def test_a_ranker_of_a_single_query_knows_none():
    ranker = QueryRanker(Ridge(), missing_qid="single").fit(X[TRAIN], Y[TRAIN])
    assert ranker.query_sizes_ == {}
    assert 0 < get_scorer("mrr")(ranker, X[TEST], INDEXED.iloc[TEST]) <= 1
