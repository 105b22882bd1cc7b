"""The warnings that skrank has a class for."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings

import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score

from skrank import exceptions
from skrank.datasets import make_ranking
from skrank.exceptions import QuerySplitWarning
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(n_queries=30, random_state=0)
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))


def scores_of_folds(cv):
    return cross_val_score(QueryRanker(Ridge()), X, INDEXED, scoring="mrr", cv=cv)


def test_the_warning_can_be_silenced():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuerySplitWarning)
        scores = scores_of_folds(KFold(3, shuffle=True))  # warnings are errors
    assert scores.shape == (3,)


def test_a_warning_is_a_user_warning_that_worker_processes_can_send():
    warning = pickle.loads(pickle.dumps(QuerySplitWarning("Pass cv")))
    assert type(warning) is QuerySplitWarning
    assert isinstance(warning, UserWarning)
    assert str(warning) == "Pass cv"
    assert dir(exceptions) == ["QuerySplitWarning"]
