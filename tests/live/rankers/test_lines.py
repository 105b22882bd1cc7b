"""What users write without skrank and with it: the same numbers, so many lines."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from lightgbm import LGBMRanker
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

import skrank
from skrank.datasets import make_ranking
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(
    40, n_documents=(5, 12), n_features=4, n_informative=3, n_grades=3, random_state=5
)
ROWS = np.random.default_rng(5).permutation(len(Y))
X, Y, QID = X[ROWS], Y[ROWS], QID[ROWS]
IDS = np.array([f"query {query:02}" for query in QID])
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(qid=IDS)
WEIGHT = pd.Series(1.0 + np.arange(40) % 3, index=np.unique(IDS))
LIGHTGBM = {"n_estimators": 20, "min_child_samples": 3, "verbose": -1}


def cross_validate_without(X, y, qid, cv):
    order, scores = np.argsort(qid, kind="stable"), []
    X, y, qid = X[order], y[order], qid[order]
    for train, test in cv.split(X, y, qid):
        sizes = np.unique(qid[train], return_counts=True)[1]
        model = LGBMRanker(**LIGHTGBM).fit(X[train], y[train], group=sizes)
        y_score, gains = model.predict(X[test]), 2.0 ** y[test] - 1
        queries = [qid[test] == query for query in np.unique(qid[test])]
        values = [ndcg_score([gains[q]], [y_score[q]], k=10) for q in queries]
        scores.append(np.mean(values))
    return scores


def cross_validate_with(X, y, qid, cv):
    ranker, params = QueryRanker(LGBMRanker(**LIGHTGBM)), {"groups": qid, "qid": qid}
    return cross_val_score(ranker, X, y, scoring="ndcg@10", cv=cv, params=params)


def weigh_without(frame, y, weight, cv):
    order, scores = np.argsort(frame["qid"].to_numpy(), kind="stable"), []
    frame, y = frame.iloc[order], y[order]
    ids, qid = np.unique(frame["qid"].to_numpy(), return_inverse=True)
    X = frame.drop(columns="qid")
    for train, test in cv.split(X, y, qid):
        scaler = StandardScaler().fit(X.iloc[train])
        model = XGBRanker(n_estimators=8).fit(
            scaler.transform(X.iloc[train]),
            y[train],
            qid=qid[train],
            sample_weight=weight[ids[np.unique(qid[train])]].to_numpy(),
        )
        y_score = model.predict(scaler.transform(X.iloc[test]))
        gains = 2.0 ** y[test] - 1
        queries = [qid[test] == query for query in np.unique(qid[test])]
        values = [ndcg_score([gains[q]], [y_score[q]], k=10) for q in queries]
        scores.append(
            np.average(values, weights=weight[ids[np.unique(qid[test])]].to_numpy())
        )
    return scores


def weigh_with(frame, y, weight, cv):
    ranker = QueryRanker(make_pipeline(StandardScaler(), XGBRanker(n_estimators=8)))
    ranker.set_fit_request(sample_weight=True)
    scorer = skrank.metrics.get_scorer("ndcg@10").set_score_request(sample_weight=True)
    qid = frame["qid"].to_numpy()
    params = {"groups": qid, "sample_weight": weight[qid].to_numpy()}
    return cross_val_score(ranker, frame, y, scoring=scorer, cv=cv, params=params)


TASKS = {
    "NDCG@10 of LGBMRanker by folds": (cross_validate_without, cross_validate_with),
    "Weighted NDCG@10 of XGBRanker": (weigh_without, weigh_with),
}


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_cross_validation_gives_the_same_numbers():
    without = cross_validate_without(X, Y, QID, GroupKFold(5))
    order = np.argsort(QID, kind="stable")
    folds = [(order[a], order[b]) for a, b in GroupKFold(5).split(QID, QID, QID[order])]
    np.testing.assert_allclose(
        cross_validate_with(X, Y, QID, folds_as_cv(folds)), without
    )


def test_weights_give_the_same_numbers():
    without = weigh_without(FRAME, Y, WEIGHT, GroupKFold(5))
    order = np.argsort(IDS, kind="stable")
    folds = [(order[a], order[b]) for a, b in GroupKFold(5).split(QID, QID, QID[order])]
    with_ = weigh_with(FRAME, Y, WEIGHT, folds_as_cv(folds))
    np.testing.assert_allclose(with_, without)


def folds_as_cv(folds):
    """Return a splitter of given folds that takes groups, as GroupKFold does."""

    class Folds(GroupKFold):
        def split(self, X, y=None, groups=None):
            yield from folds

    return Folds(len(folds))


def lines(function):
    """Count the lines of the body of a function."""
    return len([line for line in inspect.getsource(function).splitlines() if line]) - 1


@pytest.mark.parametrize("task", TASKS)
def test_the_documentation_counts_the_lines(task):
    page = Path(__file__).parents[3] / "docs/development/libraries_checked.rst"
    (row,) = re.findall(
        rf"\* - {task}.*?- (\d+)\n *- (\d+)\n", page.read_text("utf-8"), re.DOTALL
    )
    assert tuple(map(int, row)) == tuple(map(lines, TASKS[task]))
