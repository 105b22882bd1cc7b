"""What documents without a judgement count as, and how far they may move a metric."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math

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

from skrank._engine import summary
from skrank._engine.request import METRICS
from skrank.metrics import (
    QueryScores,
    evaluate,
    make_ranking_scorer,
    map_score,
    ndcg_score,
    score_queries,
)
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.tables import score_table
from tests.brute_force import NAMES, all_orders, call, input_order, masked

BOUNDED = [
    name
    for name in NAMES
    if METRICS[name.partition("@")[0]].is_bounded and name != "judged@3"
]
TIES = ["expected", "first", "optimistic", "pessimistic"]
# Their summary is not a mean of the values of the queries.
REFUSING = sorted({name.partition("@")[0] for name in set(NAMES) - set(BOUNDED)})


def draw(seed, n_queries=4, longest=6, n_grades=2, n_scores=3, share=0.6):
    """Return ragged queries in any order, with ties and unjudged documents."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, longest + 1, n_queries))
    y_true = rng.integers(0, n_grades, len(qid))
    y_score = rng.integers(0, n_scores, len(qid)) + 0.5  # unlike grades
    judged = rng.random(len(qid)) < share
    order = rng.permutation(len(qid))
    return [column[order] for column in (y_true, y_score, qid, judged)]


def trec_eval_infap(documents, n_relevant, k):
    """Return infAP of documents (is_relevant, is_judged, is_pooled), in one order."""
    n_found = n_others = n_pooled = 0
    total = 0.0
    for above, (is_relevant, is_judged, is_pooled) in enumerate(documents[:k]):
        if is_relevant:
            total += 1 / (above + 1)
            if above:
                in_pool = (n_found + n_others + n_pooled) / above
                precision = (n_found + 1e-5) / (n_found + n_others + 2e-5)
                total += above / (above + 1) * in_pool * precision
        n_found += is_relevant
        n_others += is_judged and not is_relevant
        n_pooled += is_pooled and not is_judged
    return total / n_relevant


def expected_infap(y_true, y_score, qid, judged, pooled, returned, ties, k):
    values = []
    for query in np.unique(qid):
        rows = qid == query
        relevant = (y_true > 0) & judged
        if not relevant[rows].any():
            values.append(np.nan)
            continue
        rows = rows & returned
        docs = list(zip(relevant[rows], judged[rows], pooled[rows], strict=True))
        scores = y_score[rows].tolist()
        orders = all_orders(docs, scores)
        orders = [input_order(docs, scores)] if ties == "first" else list(orders)
        n_relevant = relevant[qid == query].sum()
        values.append(np.mean([trec_eval_infap(one, n_relevant, k) for one in orders]))
    return values


@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize("seed", range(24))
def test_inferred_is_the_mean_of_infap_over_all_orders(seed, ties):
    y_true, y_score, qid, judged = draw(seed, n_scores=[2, 3, 9][seed % 3])
    rng = np.random.default_rng(seed)
    pooled, returned = rng.random((2, len(qid))) < 0.8
    pooled = pooled if seed % 2 else np.ones_like(pooled)
    returned = returned if seed % 4 > 1 else np.ones_like(returned)
    k = [None, 1, 2, 5][seed // 4 % 4]
    got = masked(
        map_score, y_true, y_score, qid=qid, judged=judged, pooled=pooled,
        returned=returned, unjudged="inferred", ties=ties, k=k, average=None,
        replace_undefined_by=np.nan,
    )  # fmt: skip
    rest = judged, pooled | judged, returned, ties, k
    expected = expected_infap(y_true, y_score, qid, *rest)
    assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_inferred_by_hand():
    # Ranks 1 and 4 are relevant, 2 is not judged and 3 is not relevant. Above rank 4
    # half of the judged documents are relevant, and the unjudged one counts as half.
    rows, judged = ([1, 0, 0, 1], [4, 3, 2, 1]), [True, False, True, True]
    value = masked(map_score, *rows, judged=judged, unjudged="inferred")
    assert value == pytest.approx((1 + (1 / 4 + 3 / 4 * 1 / 2)) / 2, abs=1e-12)
    # Of the documents above rank 4 two of three are in the pool.
    value = masked(map_score, *rows, judged=judged, unjudged="inferred", pooled=judged)
    at_rank_4 = 1 / 4 + 3 / 4 * 2 / 3 * 1 / 2
    assert value == pytest.approx((1 + at_rank_4) / 2, abs=1e-12)


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


def values_of_fillings(name, data, returned, grades, options):
    """The values of each query, one row for each judgement of the unjudged.

    All judgements are scored in one call, as queries of their own. Those of a query
    that has fewer than another are repeated.
    """
    y_true, y_score, qid, judged = data
    queries, of_row = np.unique(qid, return_inverse=True)
    free = [np.flatnonzero((qid == q) & ~judged) for q in queries]
    every = [list(itertools.product(grades, repeat=len(rows))) for rows in free]
    n = max(map(len, every))
    filled = np.tile(np.where(judged, y_true, 0), (n, 1))
    for rows, choices in zip(free, every, strict=True):
        filled[:, rows] = [choices[i % len(choices)] for i in range(n)]
    rows = {"qid": (of_row + len(queries) * np.arange(n)[:, None]).ravel()}
    rows["returned"] = None if returned is None else np.tile(returned, n)
    rows |= {"average": None, **options}
    values = call(name, filled.ravel(), np.tile(y_score, n), **rows)
    return values.reshape(n, len(queries))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The metric is undefined")
@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_are_those_of_all_judgements(name):
    for seed in range(5):
        n_grades = 4 if seed in (2, 3) else 2
        data = draw(seed, n_queries=6, longest=5, n_grades=n_grades, share=0.5)
        y_true, y_score, qid, judged = data
        y_true[np.flatnonzero(judged)[:1]] = top = n_grades - 1
        returned = np.random.default_rng(seed).random(len(qid)) < 0.7
        returned = returned if seed % 3 == 0 else None
        options = {"ties": ["expected", "first", "pessimistic"][seed % 3]}
        options["ties"] = "expected" if seed % 2 else options["ties"]
        if "err" in name or "rbp" in name:
            options["max_grade"] = top
        if seed % 4 == 0:
            options["replace_undefined_by"] = 0.25
        grades = (0, top) if judged.any() else (0, 1)
        found = values_of_fillings(name, data, returned, grades, options)
        bounds = [
            call(
                name, y_true, y_score, qid=qid, judged=judged, unjudged=unjudged,
                returned=returned, average=None, **options,
            )
            for unjudged in ("lowest", "highest")
        ]  # fmt: skip
        expected = np.fmin.reduce(found), np.fmax.reduce(found)
        assert_allclose(bounds, expected, rtol=1e-12, atol=1e-12, err_msg=f"{seed}")


def test_lowest_and_highest_are_of_what_is_returned():
    y_true, y_score, judged = [0, 1, 0], [3, 2, 1], [False, True, True]
    names = ["mean_rank", "inverse_mean_rank"]
    for which, *expected in ("lowest", 1, 1 / 2), ("highest", 2, 1):
        options = {"judged": judged, "unjudged": which}
        assert [call(name, y_true, y_score, **options) for name in names] == expected
        # A scorer is larger for better models.
        value = evaluate(y_true, y_score, "neg_mean_rank", **options)
        assert value == {"neg_mean_rank": {"lowest": -2, "highest": -1}[which]}


def test_bounds_by_hand():
    # Ranks 1 and 3 are not judged, rank 2 is relevant and rank 4 is not.
    y_true, y_score, judged = [0, 1, 0, 0], [4, 3, 2, 1], [False, True, False, True]
    options = {"judged": judged}
    assert masked(map_score, y_true, y_score, unjudged="lowest", **options) == 1 / 2
    options["unjudged"] = "highest"
    assert masked(map_score, y_true, y_score, **options) == 1
    # The relevant one has grade 1: others get it, too, or a grade that is given.
    assert evaluate(y_true, y_score, "cg@2", **options) == {"cg@2": 1 + 1}
    options["unjudged_grade"] = 3
    assert evaluate(y_true, y_score, "cg@2", **options) == {"cg@2": 3 + 1}


def test_the_bounds_are_those_of_the_highest_grade_and_not_of_grades_in_between():
    # Ranks 1 to 3 have the grades 2, unknown and 1; another query has the grade 3.
    rows = {"y_score": [3, 2, 1, 1], "qid": [1, 1, 1, 2]}
    judged = np.array([True, False, True, True])
    options = {"average": None, "judged": judged, "unjudged": "highest"}
    highest, _ = masked(ndcg_score, [2, 0, 1, 3], **rows, **options)
    # Gains are 2 ** grade - 1: it is not relevant, or its gain is 7, at rank 2.
    log = math.log2(3)
    by_judgement = (
        (3 + 1 / 2) / (3 + 1 / log),
        (3 + 7 / log + 1 / 2) / (7 + 3 / log + 1 / 2),
    )
    assert highest == pytest.approx(max(by_judgement))
    assert ndcg_score([2, 2, 1, 3], **rows, average=None)[0] == 1 > highest


def test_grades_that_stand_for_no_judgement_are_unjudged():
    y_true, y_score = np.array([-1, 2, -2, 0]), [4, 3, 2, 1]
    judged = y_true >= 0
    for unjudged in ("condensed", "lowest", "highest", "inferred"):
        got = evaluate(y_true, y_score, "map", unjudged=unjudged, judged_from=0)
        expected = evaluate(y_true, y_score, "map", unjudged=unjudged, judged=judged)
        assert got == expected
    got = evaluate(y_true, y_score, "cg", unjudged="highest", judged_from=0)
    assert got == {"cg": 3 * 2}


@pytest.mark.parametrize("unjudged", ["condensed", "inferred", "lowest", "highest"])
def test_nothing_changes_where_all_documents_are_judged(unjudged):
    y_true, y_score, qid, _ = draw(3, n_queries=30)
    expected = map_score(y_true, y_score, qid=qid)
    tolerance = 1e-4 if unjudged == "inferred" else 1e-15  # it has an epsilon
    for judged in (None, np.ones(len(qid), dtype=bool)):
        got = masked(
            map_score, y_true, y_score, qid=qid, judged=judged, unjudged=unjudged
        )
        assert got == pytest.approx(expected, abs=tolerance)
    if unjudged != "inferred":
        matrix = masked(ndcg_score, [[0, 1, 2]], [[3, 2, 1]], unjudged=unjudged)
        assert matrix == ndcg_score([[0, 1, 2]], [[3, 2, 1]])
        targets = evaluate([1], [[3, 2, 1]], "mrr", unjudged=unjudged)
        assert targets == {"mrr": 1 / 2}


@pytest.mark.parametrize("unjudged", ["condensed", "lowest", "highest"])
def test_rankers_and_metrics_together_have_the_values_of_each_alone(unjudged):
    y_true, y_score, qid, judged = draw(4, n_queries=20, n_grades=4, n_scores=9)
    rankers = {"a": y_score, "b": np.random.default_rng(0).permutation(y_score)}
    names = ["ndcg@3", "map", "err", "judged@3", "query_auc"]
    options = {"qid": qid, "judged": judged, "unjudged": unjudged}
    together = score_queries(y_true, rankers, names, **options).summary()
    for ranker, scores in rankers.items():
        for name in names:
            alone = {} if name == "judged@3" else {"unjudged": unjudged}
            value = evaluate(y_true, scores, name, qid=qid, judged=judged, **alone)
            assert together[ranker][name] == value[name]


@pytest.mark.parametrize(
    "unjudged", ["nonrelevant", "condensed", "inferred", "lowest", "highest"]
)
def test_blocks_have_the_values_of_the_whole(monkeypatch, unjudged):
    y_true, y_score, qid, judged = draw(5, n_queries=60, n_grades=4, n_scores=9)
    order = np.argsort(qid, kind="stable")
    y_true, y_score, qid, judged = (x[order] for x in (y_true, y_score, qid, judged))
    y_true[0], judged[0] = 5, True  # the highest grade is in the first block alone
    pooled = np.random.default_rng(0).random(len(qid)) < 0.5
    names = ["map"] if unjudged == "inferred" else ["map", "ndcg", "err", "dcg@2"]
    options = {"qid": qid, "judged": judged, "unjudged": unjudged, "pooled": pooled}
    whole = evaluate(y_true, y_score, names, **options)
    monkeypatch.setattr("skrank._engine.answer.ROWS", 40)
    assert evaluate(y_true, y_score, names, **options) == whole


def test_parts_of_different_highest_grades_are_not_joined():
    def scores(grades, **how):
        given = {"qid": np.repeat(grades, 2), "judged": [True, False] * len(grades)}
        y_true = np.column_stack([grades, np.zeros(len(grades))]).ravel()
        how |= given | {"unjudged": "highest"}
        return score_queries(y_true, [1, 2] * len(grades), "dcg", **how)

    with pytest.raises(ValueError, match=r"highest grade .* or `unjudged_grade`"):
        QueryScores.concat([scores([1]), scores([2])])
    parts = [scores([grade], unjudged_grade=2) for grade in (1, 2)]
    assert QueryScores.concat(parts).summary() == scores([1, 2]).summary()


@pytest.mark.parametrize("name", REFUSING)
@pytest.mark.parametrize("unjudged", ["lowest", "highest"])
def test_what_is_not_a_mean_of_values_of_queries_has_no_bounds(name, unjudged):
    metric = METRICS[name]
    asked = metric.full_name + ("@3" if metric.cutoff == "required" else "")
    error = TypeError if name == "judged" else ValueError
    message = "takes: .'unjudged'." if name == "judged" else "is not a mean of such"
    with pytest.raises(error, match=message):
        evaluate([0, 1], [1, 2], asked, unjudged=unjudged)


@pytest.mark.parametrize(
    ("metrics", "unjudged", "params", "message"),
    [
        ("ndcg", "none", {}, "'unjudged' parameter of evaluate must be a str"),
        ("ndcg", "inferred", {}, "average precision, so that 'map' is the"),
        (["map", "mrr"], "inferred", {}, "Got it for 'mrr': pass 'condensed'"),
        ("map", "lowest", {"adjusted": True}, "adjusted metric 'map' is a ratio of me"),
        ("map", "lowest", {"unjudged_grade": 0}, "be above the threshold, 0.0. Got 0."),
        ("map", "nonrelevant", {"unjudged_grade": 2}, "requires unjudged='lowest' or"),
        ("map", "inferred", {"pooled": [1, 1]}, "'pooled' .*boolean array of shape"),
    ],
)
def test_choices_that_are_refused(metrics, unjudged, params, message):
    params = params | {"judged": [True, False], "unjudged": unjudged}
    with pytest.raises(ValueError, match=message):
        evaluate([0, 1], [1, 2], metrics, **params)


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
        scorer.on_documents(y, qid)
    grades = np.where(search_data()[3], y, -1)
    by_grade = make_ranking_scorer("map", unjudged="condensed", judged_from=0)
    expected = scorer(model, X, y, qid=qid, judged=grades >= 0)
    assert by_grade(model, X, grades, qid=qid) == expected
    with pytest.raises(TypeError, match="'pooled' has a value per row"):
        make_ranking_scorer("map", unjudged="inferred", pooled=[True])


def test_a_scorer_of_inferred_values_may_know_the_pool():
    X, y, qid, judged = search_data()
    model = Ridge().fit(X, y)
    pooled = np.random.default_rng(1).random(len(y)) < 0.8
    scorer = make_ranking_scorer("infAP", ties="first")
    for masks in ({"judged": judged}, {"judged": judged, "pooled": pooled}):
        how = {"qid": qid, "unjudged": "inferred", "ties": "first", **masks}
        expected = masked(map_score, y, model.predict(X), **how)
        assert scorer(model, X, y, qid=qid, **masks) == expected


@pytest.mark.slow
@pytest.mark.parametrize("unjudged", ["condensed", "lowest", "highest"])
def test_a_table_has_the_values_of_arrays(unjudged):
    y_true, y_score, qid, judged = draw(8, n_queries=40, n_grades=4)
    columns = {"qid": qid, "y_true": y_true, "y_score": y_score, "judged": judged}
    table = pd.DataFrame(columns).sort_values("qid", kind="stable")
    names = ["map", "ndcg", "err", "rank_correlation"]
    got = score_table(table, names, judged="judged", unjudged=unjudged)
    expected = score_queries(**columns, metrics=names, unjudged=unjudged)
    assert got.summary() == expected.summary()
    assert_array_equal(got.values, expected.values)


RISING = [name for name in BOUNDED if METRICS[name.partition("@")[0]].rises]
# One of each kind of rise is searched on all data, and the others on one draw.
KINDS = {"err@3": "value", "map@3": "sum", "ndcg@3": "ideal"}


@pytest.mark.slow
@pytest.mark.parametrize("name", RISING)
def test_a_bound_is_searched_for_and_not_missed(name, monkeypatch):
    looked = []
    search = summary._search

    def search_all(fillings, is_lowest, rises, k, look, bound_so_far):
        for ranking in fillings:
            look(ranking)

    def counted(fillings, is_lowest, rises, k, look, bound_so_far):
        def look_once(ranking):
            looked.append(is_lowest)
            return look(ranking)

        search(fillings, is_lowest, rises, k, look_once, bound_so_far)

    assert KINDS.get(name) in (METRICS[name.partition("@")[0]].rises, None)
    n_all = 0
    for seed in (0, 2, 5, 7) if name in KINDS else [5]:
        n_scores, share = [(5, 0.1), (40, 0.5), (9999, 0.9)][seed % 3]
        y_true, y_score, qid, judged = draw(
            seed, longest=50, n_grades=2 + seed % 3, n_scores=n_scores, share=share
        )
        if seed > 3:  # relevant documents are in a few places
            y_true = y_true * (y_score % 7 < 2)
        returned = np.random.default_rng(seed).random(len(qid)) < 0.8
        options = {
            "qid": qid, "judged": judged, "average": None,
            "ties": TIES[seed % 4],
            "returned": returned if seed % 2 else None,
            "replace_undefined_by": [np.nan, 0.0, 0.4][seed % 3],
        }  # fmt: skip
        n_all += 4 * np.bincount(qid, ~judged).max()
        for unjudged in ("lowest", "highest"):
            options["unjudged"] = unjudged
            monkeypatch.setattr(summary, "GRID", 4)
            monkeypatch.setattr(summary, "_search", counted)
            found = call(name, y_true, y_score, **options)
            monkeypatch.setattr(summary, "_search", search_all)
            expected = call(name, y_true, y_score, **options)
            assert_allclose(found, expected, rtol=1e-13)
    assert name not in KINDS or 2 * len(looked) < n_all


def test_a_bound_that_would_take_minutes_is_refused(monkeypatch):
    monkeypatch.setattr(summary, "MOST_DOCUMENTS", 3 * 2 * 2 - 1)
    y_true, y_score, judged = [1, 0, 0], [3, 2, 1], [True, False, False]
    options = {"judged": judged, "unjudged": "lowest"}
    assert 0 < masked(map_score, y_true, y_score, **options) < 1
    with pytest.raises(ValueError, match="Got 3 documents and up to 2 unjudged ones"):
        evaluate(y_true, y_score, "q_measure", **options)
