"""Drawn estimators, tools, containers and splits have the scores of loops by hand."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker
from tests.scoring.test_estimators import (
    LISTWISE,
    WEIGHTS,
    Fusion,
    ndcg_at_2,
    relative,
    search,
)

ALPHAS = [0.1, 30.0, 3000.0]
# What ranks, by whose formula, and where a container may have the ids.
RANKERS = {ranker.__name__: (ranker, "relative") for ranker in LISTWISE}
RANKERS |= {
    "Ridge": (Ridge, "ridge"),
    "QueryRanker(Ridge)": (lambda: QueryRanker(Ridge()), "ridge"),
    "QueryRanker(Fusion)": (lambda: QueryRanker(Fusion()), "relative"),
}
READS_COLUMN = {"Fusion", "FusionByKeyword", "FusionRouted", "QueryRanker(Ridge)"}
READS_COLUMN |= {"QueryRanker(Fusion)"}


def grid_search(model):
    name = next(n for n in model.get_params() if n.endswith(("weights", "alpha")))
    return search(model, {name: WEIGHTS if name.endswith("weights") else ALPHAS})


def scaled(model):
    return make_pipeline(StandardScaler(), model)


# How it is wrapped, whether a search chooses, and what the scaler is fitted on.
TOOLS = {
    "alone": (lambda model: model, False, None),
    "Pipeline": (scaled, False, "all"),
    "search": (grid_search, True, None),
    "search in a search": (lambda model: search(grid_search(model), {}), True, None),
    "Pipeline in a search": (lambda model: grid_search(scaled(model)), True, "fold"),
    "search in a Pipeline": (lambda model: scaled(grid_search(model)), True, "all"),
}
CONTAINERS = {
    "routed": lambda X, y, qid: (X, y),
    "index of y": lambda X, y, qid: (X, pd.Series(y, index=pd.Index(qid, name="qid"))),
    "index of X": lambda X, y, qid: (
        pd.DataFrame(X, index=pd.Index(qid, name="qid")).add_prefix("f"),
        y,
    ),
    "column": lambda X, y, qid: (pd.DataFrame(X).add_prefix("f").assign(qid=qid), y),
    "polars": lambda X, y, qid: (
        pl.DataFrame({"f0": X[:, 0], "qid": qid, "f1": X[:, 1]}),
        y,
    ),
}
SPLITTERS = [QueryKFold(3), GroupKFold(3), GroupShuffleSplit(2, random_state=0)]


def scores_of(formula, setting, train, test):
    """Return the scores of test rows, each side of a split as (X, y, qid)."""
    if formula == "relative":
        return relative(test[0], test[2], setting)
    return Ridge(alpha=setting).fit(*train[:2]).predict(test[0])


def scored_by_hand(formula, is_chosen, scaler, train, test):
    settings = WEIGHTS if formula == "relative" else ALPHAS

    def scale(train, test):
        mean, sd = train[0].mean(axis=0), train[0].std(axis=0)
        return [((X - mean) / sd, y, qid) for X, y, qid in (train, test)]

    if scaler == "all":
        train, test = scale(train, test)
    setting = (1, 2) if formula == "relative" else 1.0
    if is_chosen:
        means = []
        for setting in settings:
            values = []
            for rows in QueryKFold(2).split(train[0], train[1], qid=train[2]):
                sides = [[one[side] for one in train] for side in rows]
                sides = scale(*sides) if scaler == "fold" else sides
                score = scores_of(formula, setting, *sides)
                values.append(ndcg_at_2(sides[1][1], score, sides[1][2]))
            means.append(np.mean(values))
        # Of equal means the first; a loop over a set of text rounds in any order.
        setting = settings[np.argmax(np.round(means, 12))]
    if scaler == "fold":
        train, test = scale(train, test)
    return ndcg_at_2(test[1], scores_of(formula, setting, train, test), test[2])


def drawn(rng):
    """Return a case that a user may have: not all containers pass all tools."""
    while True:
        names = RANKERS, TOOLS, CONTAINERS
        ranker, tool, container = (str(rng.choice(list(one))) for one in names)
        is_column = container in ("column", "polars")
        if is_column and (ranker not in READS_COLUMN or "Pipeline" in tool):
            continue  # the ids would be a feature
        if ranker.endswith("Routed") and container != "routed":
            continue  # nothing says that keywords of any name are taken
        needs_ids = ranker.startswith("QueryRanker(") or tool == "search in a Pipeline"
        if container == "index of X" and "Pipeline" in tool and needs_ids:
            continue  # the scaler drops the index, which the fit needs
        return ranker, tool, container


@pytest.mark.parametrize(
    ("seed", "n_cases"), [(0, 12), pytest.param(1, 30, marks=pytest.mark.slow)]
)
def test_drawn_cases_have_the_scores_of_loops(seed, n_cases):
    rng = np.random.default_rng(seed)
    for number in range(n_cases):
        ranker, tool, container = case = drawn(rng)
        n_queries = int(rng.integers(14, 20))
        qid = np.repeat(np.arange(n_queries), rng.integers(3, 6, n_queries))
        qid = rng.permutation(qid)
        X, y = rng.normal(size=(len(qid), 2)), rng.integers(0, 3, len(qid))
        y[np.unique(qid, return_index=True)[1]] = 2
        names = np.array([f"q{one}" for one in qid])
        folds = list(SPLITTERS[rng.integers(3)].split(X, y, qid))
        make, formula = RANKERS[ranker]
        wrap, is_chosen, scaler = TOOLS[tool]
        given, grades = CONTAINERS[container](X, y, names)
        is_routed = container == "routed"
        with config_context(enable_metadata_routing=is_routed):
            found = cross_validate(
                wrap(make()),
                given,
                grades,
                scoring=["ndcg@2"] if rng.random() < 0.5 else ["ndcg@2", "mrr"],
                cv=folds,
                params={"qid": names} if is_routed else None,
                error_score="raise",
            )["test_ndcg@2"]
        expected = [
            scored_by_hand(
                formula,
                is_chosen,
                scaler,
                *((X[rows], y[rows], names[rows]) for rows in sides),
            )
            for sides in folds
        ]
        assert found == pytest.approx(expected, rel=1e-9), (number, case)
