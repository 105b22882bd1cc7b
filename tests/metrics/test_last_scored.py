"""Queries that a splitter of rows has split, where no ranker knows of it."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate

from skrank.exceptions import QuerySplitWarning
from skrank.metrics import get_scorer, make_ranking_scorer
from skrank.model_selection import QueryKFold

rng = np.random.default_rng(0)
QID = np.repeat(np.arange(20), 9)
X = rng.normal(size=(len(QID), 2))
Y = pd.Series(rng.integers(0, 2, len(QID)), index=pd.Index(QID, name="qid"))
MESSAGE = "scored queries were just scored with another number of rows"


@pytest.mark.slow_rows
@pytest.mark.parametrize("model", [Ridge(), LogisticRegression()])
@pytest.mark.parametrize("scoring", ["ndcg@5", ["mrr", "map"]])
def test_rows_of_queries_that_were_split_are_noticed(model, scoring):
    cv = KFold(3, shuffle=True, random_state=0)
    with pytest.warns(QuerySplitWarning, match=MESSAGE):
        cross_validate(model, X, Y, cv=cv, scoring=scoring)
    search = GridSearchCV(model, {"fit_intercept": [True, False]}, cv=cv, scoring="mrr")
    with pytest.warns(QuerySplitWarning, match=MESSAGE):
        search.fit(X, Y)
    names = np.array([f"query {qid}" for qid in QID])
    y = Y.set_axis(pd.Index(names, name="qid"))
    with pytest.warns(QuerySplitWarning, match=MESSAGE):
        cross_validate(model, X, y, cv=cv, scoring=scoring)


@pytest.mark.slow_rows
@pytest.mark.parametrize("return_train_score", [False, True])
def test_whole_queries_are_scored_without_a_warning(return_train_score):
    options = {"scoring": ["mrr", "ndcg"], "return_train_score": return_train_score}
    cross_validate(Ridge(), X, Y, cv=QueryKFold(3), **options)
    folds = list(GroupKFold(3).split(X, Y, QID))
    cross_validate(Ridge(), X, Y, cv=folds * 2, **options)


def test_one_model_may_be_scored_on_any_rows():
    scorer = make_ranking_scorer("mrr")
    model = LinearRegression().fit(X, Y)
    for rows in (np.arange(len(QID)), np.arange(0, len(QID), 2), np.arange(50)):
        scorer(model, X[rows], Y.iloc[rows])


def test_copies_of_a_scorer_have_scored_nothing():
    scorer, half = get_scorer("mrr"), np.arange(0, len(QID), 2)
    scorer(Ridge().fit(X, Y), X, Y)
    other = Ridge().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
            copy(other, X[half], Y.iloc[half])
    with pytest.warns(QuerySplitWarning, match=MESSAGE):
        scorer(other, X[half], Y.iloc[half])
