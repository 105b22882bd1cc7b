"""Rows that are excluded: everything is as if they were not there."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from skrank._engine.request import METRICS
from skrank.metrics import (
    catalogue_scores,
    evaluate,
    explain,
    make_ranking_scorer,
    query_report,
    score_queries,
    tie_report,
)

OPTIONS = [{"ties": ties} for ties in ("expected", "first")]
OPTIONS += [{"threshold": threshold} for threshold in (1, "max", None)]
# Those whose relevant documents may have any grade.
OF_ALL_GRADES = ["rank_correlation", "spearman"]
NAMES = [
    f"{metric.full_name}@3" if metric.cutoff == "required" else metric.full_name
    for metric in METRICS.values()
    if not metric.columns and metric.own is None
]


def draw(seed):
    """Return rows, and which of them are excluded.

    These have no score, and the highest or the lowest grades of all.
    """
    rng = np.random.default_rng(seed)
    n = 60
    rows = {
        "y_true": rng.integers(0, 3, n),
        "y_score": rng.integers(0, 5, n).astype(np.float64),
        "qid": rng.integers(0, 6, n),
        "doc_id": np.char.mod("d%03d", rng.permutation(n)),
    }
    exclude = rng.random(n) < 0.3
    rows["y_score"][exclude] = np.nan
    rows["y_true"][exclude] = rng.choice([-9, 9], exclude.sum())
    return rows, exclude, {name: rng.random(n) < 0.6 for name in ("judged", "returned")}


def left(rows, exclude):
    """Return the rows without those that are excluded."""
    return {name: values[~exclude] for name, values in rows.items()}


def test_the_highest_grade_is_that_of_a_document_which_is_not_excluded():
    rows = {"y_true": [0.25, 0.5, 0.75], "y_score": [3.0, 2.0, 1.0]}
    given = {"exclude": [False, False, True], "threshold": "max"}
    assert evaluate(**rows, **given, metrics="mrr") == {"mrr": 1 / 2}


@pytest.mark.slow
@pytest.mark.parametrize("masks", [(), ("judged",), ("returned",)], ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_every_metric_is_that_of_the_other_rows(options, masks):
    names = OF_ALL_GRADES if options.get("threshold", 0) is None else NAMES
    for seed in range(3):
        rows, exclude, given = draw(seed)
        rows |= {name: given[name] for name in masks}
        rows["sample_weight"] = 1.0 + rows["qid"]
        found = evaluate(**rows, exclude=exclude, metrics=names, **options)
        expected = evaluate(**left(rows, exclude), metrics=names, **options)
        np.testing.assert_allclose([*found.values()], [*expected.values()], rtol=1e-13)


def test_so_are_unjudged_rows_of_condensed_lists():
    rows, exclude, masks = draw(0)
    for given in ({"judged": masks["judged"]}, masks):
        both = rows | given
        options = {"metrics": "map", "unjudged": "condensed"}
        found = evaluate(**both, exclude=exclude, **options)
        assert found == evaluate(**left(both, exclude), **options)


def test_several_rankers_and_reports_leave_the_rows_out():
    rows, exclude, _ = draw(1)
    rows.pop("doc_id")
    other = np.where(exclude, np.nan, np.arange(60.0))
    y_score = {"a": rows.pop("y_score"), "b": other, "none": other * 0}
    names = ["map", "mrr", "ndcg@3"]
    kept, options = left(rows, exclude), {"exclude": exclude, **rows}
    found = score_queries(y_score=y_score, metrics=names, **options)
    expected = score_queries(y_score=left(y_score, exclude), metrics=names, **kept)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    one, less = y_score["a"], y_score["a"][~exclude]
    for report in (
        lambda y_score, **rows: tie_report(y_score=y_score, metrics=names, **rows),
        lambda y_score, **rows: explain(y_score=y_score, metric="ndcg", **rows),
        lambda y_score, **rows: (
            query_report(y_score=y_score, query=2, **rows)
            .to_frame()
            .drop(columns=["document", "ideal_document"])
        ),
    ):
        assert str(report(one, **options)) == str(report(less, **kept))
    item, qid = np.arange(60), rows["qid"]
    lists = {"k": 3, "items": 60}
    found = catalogue_scores(one, qid=qid, item=item, exclude=exclude, **lists)
    kept = {"qid": qid[~exclude], "item": item[~exclude]}
    assert found.summary() == catalogue_scores(less, **kept, **lists).summary()


def test_a_scorer_leaves_out_what_it_is_told():
    class Itself:
        def fit(self, X, y=None):
            return self

        def predict(self, X):
            return X[:, 0]

    rows, exclude, _ = draw(2)
    X = np.nan_to_num(rows["y_score"])[:, np.newaxis]
    scorer = make_ranking_scorer("map")
    value = scorer(Itself(), X, rows["y_true"], qid=rows["qid"], exclude=exclude)
    kept = left({"X": X, "y_true": rows["y_true"], "qid": rows["qid"]}, exclude)
    assert value == scorer(Itself(), **kept)


@pytest.mark.parametrize("form", ["targets", "matrix", "sparse", "rows"])
def test_an_inverted_mask_is_noticed(form):
    rng = np.random.RandomState(0)
    score, target = rng.rand(20, 30), rng.randint(30, size=20)
    known = rng.rand(20, 30) < 0.1
    known[np.arange(20), target] = False
    grades = np.zeros((20, 30), dtype=int)
    grades[np.arange(20), target] = 1
    y_true = {"targets": target, "matrix": grades, "sparse": csr_matrix(grades)}
    given, qid = {"y_true": y_true.get(form), "y_score": score}, {}
    if form == "rows":
        given, qid = {"y_true": grades, "y_score": score}, np.repeat(np.arange(20), 30)
        known, qid = known.ravel(), {"qid": qid}
        given = {name: values.ravel() for name, values in given.items()}
    evaluate(**given, metrics="mrr", exclude=known, **qid)
    match = "leaves out 9[0-9]% of all documents, and 100% of the relevant ones"
    with pytest.warns(UserWarning, match=match):
        evaluate(**given, metrics="hits@1", exclude=~known, **qid)
