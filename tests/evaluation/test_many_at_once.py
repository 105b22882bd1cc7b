"""Many metrics at once are each alone, and one number is said everywhere."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import cross_validate

from skrank.metrics import RankingMetric, evaluate, make_ranking_scorer, score_queries
from skrank.model_selection import QueryKFold
from skrank.stats import compare_rankers, confidence_interval
from skrank.tables import score_runs, score_table

pytestmark = pytest.mark.filterwarnings(
    "ignore:(DummyRegressor was fitted on|No sign-flip test|The .* may be too)"
)

METRICS = [
    "map",
    "map(unjudged='condensed')",
    "ndcg(judged_from=1.0, unjudged='condensed')@4",
    "mrr(ties='pessimistic', unjudged='condensed')",
    "hits(threshold=1)@2",
    "adjusted_mrr@3",
    "neg_mean_rank",
    "rbp(p=0.5, max_grade=4, unjudged='condensed')",
]
# Those that are not means have no difference, or no interval.
ALL = ["neg_median_rank(unjudged='condensed')", *METRICS, "gm_map", "num_rel"]
EXCLUDED = [name for name in ALL if "condensed" not in name]


def draw():
    """Return rows of 6 queries in the order of their ids, where many are not judged."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(6), [3, 4, 5, 5, 6, 7])
    y_true = rng.integers(0, 3, 30)
    y_true[[0, 4, 9, 13, 20, 25]] = 2
    judged = rng.random(30) < np.repeat([1, 0.2, 0.9, 0.4, 0.8, 0.5], 5)
    judged[[0, 4, 9, 13, 20, 25]] = True
    return {
        "qid": qid,
        "y_true": y_true,
        "y_score": rng.integers(0, 5, 30) / 1.0,
        "other": rng.integers(0, 5, 30) / 1.0,
        "judged": judged,
        "exclude": np.arange(30) % 7 == 1,
        "weight": rng.integers(1, 9, 6)[qid] / 3,
        "fold": qid % 2,
    }


def masks(rows, how):
    """Return the masks and the weights that `evaluate` takes."""
    given = {name: rows[name] for name in how["masks"]}
    return given | ({"sample_weight": rows["weight"]} if how["weighted"] else {})


def by_evaluate(names, rows, how):
    data = rows["y_true"], {"a": rows["y_score"], "b": rows["other"]}
    options = {"qid": rows["qid"], "average": how["average"]}
    return evaluate(*data, names, **options, **masks(rows, how))["b"]


def scores_of(names, rows, how):
    data = rows["y_true"], {"a": rows["y_score"], "b": rows["other"]}
    options = {"qid": rows["qid"], "by": rows["fold"], "average": how["average"]}
    return score_queries(*data, names, **options, **masks(rows, how))


def by_score_queries(names, rows, how):
    scores = scores_of(names, rows, how)
    of_fold = scores.summary(by="by")[1]["b"]
    summary = scores.summary()
    return {name: (summary["b"][name], of_fold[name]) for name in names}


def by_scorer(names, rows, how):
    scorer = make_ranking_scorer(names, average=how["average"])
    model = DummyRegressor().fit([[0]], [0])
    model.predict = lambda X: np.asarray(X)[:, 0]
    X, options = rows["other"][:, np.newaxis], masks(rows, how)
    return scorer(model, X, rows["y_true"], qid=rows["qid"], **options)


def by_cross_validate(names, rows, how):
    scoring = make_ranking_scorer(names, average=how["average"])
    index = pd.Index(rows["qid"], name="qid")
    X = pd.DataFrame({"x": rows["other"], "judged": rows["judged"]}, index=index)
    y = pd.Series(rows["y_true"], index=index)
    found = cross_validate(DummyRegressor(), X, y, scoring=scoring, cv=QueryKFold(2))
    return {name: found[f"test_{name}"].tolist() for name in names}


def by_score_table(names, rows, how):
    given = {"judged": "judged"} if "judged" in how["masks"] else {}
    given |= {"sample_weight": "weight"} if how["weighted"] else {}
    given |= {"y_score": {"a": "y_score", "b": "other"}, "average": how["average"]}
    return score_table(pd.DataFrame(rows), names, **given).summary()["b"]


def by_score_runs(names, rows, how):
    qrels, run = {}, {}
    for i, query in enumerate(rows["qid"].tolist()):
        if rows["judged"][i]:
            qrels.setdefault(f"q{query}", {})[f"d{i}"] = int(rows["y_true"][i])
        if i % 5:
            run.setdefault(f"q{query}", {})[f"d{i}"] = rows["other"][i]
    return score_runs(qrels, run, names, average=how["average"]).summary()


def by_ranking_metric(names, rows, how):
    metric = RankingMetric(names, average=how["average"])
    for part in (rows["qid"] < 2, rows["qid"] >= 2):
        given = {name: one[part] for name, one in masks(rows, how).items()}
        data = rows["y_true"][part], rows["other"][part], rows["qid"][part]
        metric.update(*data, **given)
    return metric.compute()


def by_interval(names, rows, how):
    found = confidence_interval(scores_of(names, rows, how))["b"]
    return {name: (one.estimate, one.low, one.high) for name, one in found.items()}


def by_comparison(names, rows, how):
    found = compare_rankers(scores_of(names, rows, how), correction=None).rows
    return {one.metric: one.difference for one in found}


ENTRANCES = {
    by_evaluate: ALL,
    by_score_queries: ALL,
    by_scorer: ALL,
    by_cross_validate: ALL,
    by_score_table: ALL,
    by_score_runs: ALL,
    by_ranking_metric: ALL,
    by_interval: METRICS,
    by_comparison: METRICS,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_many_metrics_at_once_are_each_alone(entrance, average):
    rows, weighted = draw(), average == "macro"
    how = {"average": average, "weighted": weighted, "masks": ["judged"]}
    names = ENTRANCES[entrance]
    alone = {name: entrance([name], rows, how)[name] for name in names}
    assert entrance(names, rows, how) == alone
    assert entrance(names[::-1], rows, how) == alone
    if entrance in (by_evaluate, by_score_queries):
        how |= {"masks": ["exclude"]}
        alone = {name: entrance([name], rows, how)[name] for name in EXCLUDED}
        assert entrance(EXCLUDED, rows, how) == alone


@pytest.mark.slow
def test_many_metrics_of_millions_of_rows_are_each_alone():
    rng = np.random.default_rng(0)
    qid = np.sort(rng.integers(0, 100_000, 3_000_000))
    y_true, y_score = rng.integers(0, 2, len(qid)), rng.random(len(qid))
    judged = rng.random(len(qid)) < np.where(qid < 50_000, 0.9, 0.2)
    data, options = (y_true, y_score), {"qid": qid, "average": "weighted"}
    names = ["mrr", "mrr(unjudged='condensed')"]
    alone = evaluate(*data, names[1], judged=judged, **options)
    for found in (
        evaluate(*data, names, judged=judged, **options),
        score_queries(*data, names, judged=judged, **options).summary(),
    ):
        assert alone.items() <= found.items()


def test_what_is_printed_is_what_evaluate_returns():
    rows = draw()
    how = {"average": "weighted", "weighted": True, "masks": ["judged"]}
    shown = str(scores_of(["map", *METRICS[1:3]], rows, how)).splitlines()[-1].split()
    numbers = by_evaluate(["map", *METRICS[1:3]], rows, how).values()
    assert shown == ["b", *(f"{number:.4f}" for number in numbers)]
