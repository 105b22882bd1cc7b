"""What documents without a judgement count as."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skrank.metrics import (
    evaluate,
    make_ranking_scorer,
    map_score,
    ndcg_score,
    score_queries,
)
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.tables import score_table
from tests.brute_force import NAMES, call, masked

TIES = ["expected", "first", "optimistic", "pessimistic"]


def draw(seed, n_queries=4, longest=6, n_grades=2, n_scores=3, share=0.6):
    """Return ragged queries in any order, with ties and unjudged documents."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, longest + 1, n_queries))
    y_true = rng.integers(0, n_grades, len(qid))
    y_score = rng.integers(0, n_scores, len(qid)) + 0.5  # unlike grades
    judged = rng.random(len(qid)) < share
    order = rng.permutation(len(qid))
    return [column[order] for column in (y_true, y_score, qid, judged)]


@pytest.mark.parametrize(
    ("name", "ties"),
    # Each metric with one of the policies.
    [*zip(sorted(set(NAMES) - {"judged@3"}), itertools.cycle(TIES))],
)
def test_condensed_lists_have_no_unjudged_documents(name, ties):
    y_true, y_score, qid, judged = draw(1, n_queries=40, longest=12, n_grades=4)
    weight = np.random.default_rng(0).random(40)[qid]
    some = np.isin(qid, qid[judged])
    y_true, y_score, judged = y_true[some], y_score[some], judged[some]
    rows = {"qid": qid[some], "sample_weight": weight[some]}
    kept = {name: values[judged] for name, values in rows.items()}
    rows |= {"judged": judged, "unjudged": "condensed"}
    for average in ("macro", "weighted", None):
        options = {"ties": ties, "average": average}
        got = call(name, y_true, y_score, **rows, **options)
        expected = call(name, y_true[judged], y_score[judged], **kept, **options)
        assert_array_equal(got, expected)


def test_a_query_without_a_judgement_is_undefined_if_it_is_condensed():
    y_true, y_score, qid, judged = [1, 1, 0], [1, 2, 3], [0, 1, 1], [False, True, True]
    options = {"qid": qid, "judged": judged, "unjudged": "condensed"}
    undefined = {"replace_undefined_by": np.nan, "average": None}
    values = masked(map_score, y_true, y_score, **options, **undefined)
    assert_array_equal(values, [np.nan, 0.5])
    options["judged"] = [False] * 3
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        masked(map_score, y_true, y_score, **options, replace_undefined_by=np.nan)


def test_grades_that_stand_for_no_judgement_are_unjudged():
    y_true, y_score = np.array([-1, 2, -2, 0]), [4, 3, 2, 1]
    judged = y_true >= 0
    got = evaluate(y_true, y_score, "map", unjudged="condensed", judged_from=0)
    assert got == evaluate(y_true, y_score, "map", unjudged="condensed", judged=judged)


def test_nothing_changes_where_all_documents_are_judged():
    y_true, y_score, qid, _ = draw(3, n_queries=30)
    expected = map_score(y_true, y_score, qid=qid)
    for judged in (None, np.ones(len(qid), dtype=bool)):
        rows = {"qid": qid, "judged": judged, "unjudged": "condensed"}
        assert masked(map_score, y_true, y_score, **rows) == expected
    matrix = masked(ndcg_score, [[0, 1, 2]], [[3, 2, 1]], unjudged="condensed")
    assert matrix == ndcg_score([[0, 1, 2]], [[3, 2, 1]])
    assert evaluate([1], [[3, 2, 1]], "mrr", unjudged="condensed") == {"mrr": 1 / 2}


def test_rankers_and_metrics_together_have_the_values_of_each_alone():
    y_true, y_score, qid, judged = draw(4, n_queries=20, n_grades=4, n_scores=9)
    rankers = {"a": y_score, "b": np.random.default_rng(0).permutation(y_score)}
    names = ["ndcg@3", "map", "err", "judged@3", "query_auc"]
    options = {"qid": qid, "judged": judged, "unjudged": "condensed"}
    together = score_queries(y_true, rankers, names, **options).summary()
    for ranker, scores in rankers.items():
        for name in names:
            alone = {} if name == "judged@3" else {"unjudged": "condensed"}
            value = evaluate(y_true, scores, name, qid=qid, judged=judged, **alone)
            assert together[ranker][name] == value[name]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_blocks_have_the_values_of_the_whole(monkeypatch, unjudged):
    y_true, y_score, qid, judged = draw(5, n_queries=60, n_grades=4, n_scores=9)
    order = np.argsort(qid, kind="stable")
    y_true, y_score, qid, judged = (x[order] for x in (y_true, y_score, qid, judged))
    y_true[0], judged[0] = 5, True  # the highest grade is in the first block alone
    names = ["map", "ndcg", "err", "dcg@2"]
    options = {"qid": qid, "judged": judged, "unjudged": unjudged}
    whole = evaluate(y_true, y_score, names, **options)
    monkeypatch.setattr("skrank._engine.answer.ROWS", 40)
    assert evaluate(y_true, y_score, names, **options) == whole


@pytest.mark.parametrize("unjudged", ["none", "inferred", "lowest", "highest"])
def test_choices_that_are_refused(unjudged):
    rows = {"judged": [True, False], "unjudged": unjudged}
    with pytest.raises(ValueError, match="'unjudged' parameter of evaluate must be a"):
        evaluate([0, 1], [1, 2], "map", **rows)
    with pytest.raises(TypeError, match=r"takes: .'unjudged'."):
        evaluate([0, 1], [1, 2], "judged@3", unjudged="condensed")


def search_data():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), 10)
    X = pd.DataFrame({"a": rng.random(300), "b": rng.random(300)})
    y = (X["a"] + 0.3 * rng.normal(size=300) > 0.7).astype(int)
    return X, y.to_numpy(), qid, rng.random(300) < 0.6


def folds_by_hand(X, y, qid, judged, alpha):
    """Return MAP of each fold without the rows that nobody judged."""
    values = []
    for train, test in QueryKFold(3).split(X, y, qid):
        score = Ridge(alpha=alpha).fit(X.iloc[train], y[train]).predict(X.iloc[test])
        kept = judged[test]
        values.append(map_score(y[test][kept], score[kept], qid=qid[test][kept]))
    return values


@pytest.mark.slow
@pytest.mark.parametrize("how", ["metadata", "column", "columns"])
def test_a_search_leaves_out_what_is_not_judged(how):
    X, y, qid, judged = search_data()
    expected = {alpha: folds_by_hand(X, y, qid, judged, alpha) for alpha in (0.01, 1e3)}
    columns, params = {}, {"qid": qid}
    if how == "metadata":
        params["judged"] = judged
    elif how == "column":
        X["judged"] = judged
    else:
        X["seen"], columns = judged, {"columns": {"judged": "seen"}}
    scorer = make_ranking_scorer("map", unjudged="condensed", **columns)
    with config_context(enable_metadata_routing=True):
        features = make_column_transformer(("passthrough", ["a", "b"]))
        model = make_pipeline(features, Ridge())
        search = GridSearchCV(
            model, {"ridge__alpha": [0.01, 1e3]}, scoring=scorer, cv=QueryKFold(3)
        ).fit(X, y, **params)
        scores = cross_val_query_scores(
            model.set_params(ridge__alpha=1e3), X, y, scoring=scorer,
            cv=QueryKFold(3), params=params,
        )  # fmt: skip
    for i, values in enumerate(expected.values()):
        got = [search.cv_results_[f"split{f}_test_score"][i] for f in range(3)]
        assert_allclose(got, values, rtol=1e-12)
    by_fold = scores.summary(by="fold").values()
    assert_allclose([one["map"] for one in by_fold], expected[1e3], rtol=1e-12)


def test_a_scorer_without_the_mask_that_it_reads_is_an_error():
    X, y, qid, _ = search_data()
    model = Ridge().fit(X, y)
    scorer = make_ranking_scorer("map", unjudged="condensed")
    with pytest.raises(ValueError, match="'map' reads the column 'judged'"):
        scorer(model, X, y, qid=qid)
    with pytest.raises(ValueError, match="'map' reads the column 'judged'"):
        scorer._on_documents(y, qid)
    grades = np.where(search_data()[3], y, -1)
    by_grade = make_ranking_scorer("map", unjudged="condensed", judged_from=0)
    expected = scorer(model, X, y, qid=qid, judged=grades >= 0)
    assert by_grade(model, X, grades, qid=qid) == expected
    with pytest.raises(TypeError, match="'judged' has a value per row"):
        make_ranking_scorer("map", unjudged="condensed", judged=[True])


@pytest.mark.slow
def test_a_table_has_the_values_of_arrays():
    y_true, y_score, qid, judged = draw(8, n_queries=40, n_grades=4)
    columns = {"qid": qid, "y_true": y_true, "y_score": y_score, "judged": judged}
    table = pd.DataFrame(columns).sort_values("qid", kind="stable")
    names = ["map", "ndcg", "err", "rank_correlation"]
    got = score_table(table, names, judged="judged", unjudged="condensed")
    expected = score_queries(**columns, metrics=names, unjudged="condensed")
    assert got.summary() == expected.summary()
    assert_array_equal(got.values, expected.values)
