"""Metrics of columns, against the mean over all orders of tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import pickle
import statistics
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import clone, config_context
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

from skrank._engine.request import METRICS
from skrank.metrics import (
    add_scorer,
    evaluate,
    explain,
    group_share_score,
    ild_score,
    make_ranking_scorer,
    ndcg_score,
    novelty_score,
    of_items,
    popularity_score,
    query_report,
    score_queries,
    serendipity_score,
    tie_report,
)
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker
from skrank.tables import align
from tests.brute_force import OF_COLUMNS, all_orders, input_order, masked
from tests.metrics.test_subtopics import OF_LIST as OF_SUBTOPICS


def cosine(a, b):
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return 1 - sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 1


def jaccard(a, b):
    either = sum(bool(x or y) for x, y in zip(a, b, strict=True))
    both = sum(bool(x and y) for x, y in zip(a, b, strict=True))
    return 1 - both / either if either else 0.0


def manhattan(a, b):
    return sum(abs(x - y) for x, y in zip(a, b, strict=True))


def mean_distance(features, distance):
    if len(features) < 2:
        return math.nan
    pairs = itertools.permutations(features, 2)
    return statistics.fmean(distance(a, b) for a, b in pairs)


# What a metric is of a list of rows, by its name and the columns of the rows.
OF_LIST = {
    "popularity": lambda rows, c: statistics.fmean(c["popularity"][rows]),
    "novelty": lambda rows, c: statistics.fmean(-np.log2(c["popularity"][rows])),
    "group_share": lambda rows, c: statistics.fmean(c["group"][rows]),
    "ild": lambda rows, c: mean_distance(c["features"][rows].tolist(), cosine),
}
DISTANCES = {
    "cosine": cosine,
    "jaccard": jaccard,
    "euclidean": math.dist,
    manhattan_distances: manhattan,
}


def expected(of_list, scores, qid, columns, k, ties="expected", returned=None):
    """Return the mean of a metric over all orders, query by query."""
    values = []
    for query in np.unique(qid):
        rows = [
            row
            for row in np.flatnonzero(qid == query).tolist()
            if returned is None or returned[row]
        ]
        of_rows = scores[rows].tolist()
        orders = all_orders(rows, of_rows)
        if ties == "first":
            orders = [input_order(rows, of_rows)]
        values.append(statistics.fmean(of_list(order[:k], columns) for order in orders))
    return np.array(values)


def draw(seed):
    """Return scores with ties, ids of ragged queries in any order, and columns."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=4)
    qid = rng.permutation(np.repeat([7, 3, 9, 1], sizes))
    n = len(qid)
    features = rng.integers(0, 3, size=(n, 3)) * rng.integers(0, 2, size=(n, 1))
    columns = {
        "popularity": rng.integers(1, 9, size=n) / 8,
        "group": rng.integers(0, 2, size=n).astype(bool),
        "features": features.astype(float),
    }
    return rng.integers(0, 3, size=n).astype(float), qid, columns


def of_metric(name, columns):
    return {column: columns[column] for column in METRICS[name].columns}


# These have references below, in test_exposure.py and in test_propensity.py.
ELSEWHERE = {"awrf", "eed", "eel", "eer", "psndcg", "psp", "serendipity"}


def test_every_metric_of_columns_has_a_reference():
    assert {*OF_LIST, *OF_SUBTOPICS} | ELSEWHERE == {*OF_COLUMNS}


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize(
    ("name", "distance"),
    [*((name, None) for name in OF_LIST), *(("ild", one) for one in DISTANCES)],
)
def test_a_value_is_the_mean_over_all_orders(name, distance, ties):
    of_list = OF_LIST[name]
    if distance:

        def of_list(rows, columns):
            return mean_distance(columns["features"][rows], DISTANCES[distance])

    for seed in range(24 if ties == "expected" else 12):
        scores, qid, columns = draw(seed)
        k = [None, 1, 2, 3][seed % 4]
        returned = None
        if seed % 3 == 0:
            returned = np.random.default_rng(seed).random(len(qid)) < 0.7
            returned[np.unique(qid, return_index=True)[1]] = True
        values = masked(
            METRICS[name].function, None, scores, k=k, ties=ties, qid=qid, average=None,
            returned=returned, replace_undefined_by=np.nan, **of_metric(name, columns),
            **({"distance": distance} if distance else {}),
        )  # fmt: skip
        reference = expected(of_list, scores, qid, columns, k, ties, returned)
        np.testing.assert_allclose(values, reference, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [None, 1, 2, 7])
@pytest.mark.parametrize("ties", ["expected", "first"])
def test_serendipity_is_the_mean_over_all_orders(n_items, ties):
    falls = 1 / n_items if n_items else 0.0

    def of_list(rows, columns):
        return statistics.fmean(
            is_relevant[row] * max(1 - place * falls - columns["expected"][row], 0)
            for place, row in enumerate(rows)
        )

    for seed in range(30):
        scores, qid, _ = draw(seed)
        rng = np.random.default_rng(seed)
        is_relevant = rng.random(len(qid)) < 0.6
        columns = {"expected": rng.choice([0, 0.3, 0.5, 1], size=len(qid))}
        k = [None, 1, 2, 3][seed % 4]
        values = serendipity_score(
            is_relevant, scores, qid=qid, k=k, ties=ties, n_items=n_items,
            average=None, replace_undefined_by=np.nan, **columns,
        )  # fmt: skip
        reference = expected(of_list, scores, qid, columns, k, ties)
        has_one = [is_relevant[qid == query].any() for query in np.unique(qid)]
        reference[~np.array(has_one)] = np.nan
        np.testing.assert_allclose(values, reference, rtol=1e-12, atol=1e-12)


def test_a_list_of_one_document_has_no_distance():
    values = ild_score(
        None, [1, 2, 1], features=np.eye(3), qid=[0, 1, 1], average=None,
        replace_undefined_by=np.nan,
    )  # fmt: skip
    np.testing.assert_array_equal(values, [np.nan, 1])


def test_what_is_below_the_cutoff_is_not_read():
    views = [1.0, np.nan, 3.0, -1.0]
    scores, qid = [2, 1, 2, 1], [0, 0, 1, 1]
    assert popularity_score(None, scores, qid=qid, popularity=views, k=1) == 2
    with pytest.raises(
        ValueError, match="'popularity' must hold finite numbers from 0"
    ):
        popularity_score(None, scores, qid=qid, popularity=views, k=2)


def test_rankers_with_rows_of_their_own_look_up_their_own_documents():
    bought = {"ann": {"a": 1}, "bob": {"b": 1}}
    runs = {
        "one": {"ann": ["a", "b"], "bob": ["b"]},
        "two": {"ann": ["c"], "bob": ["a", "c", "b"]},
    }
    views = of_items({"a": 8, "b": 2, "c": 5}, "doc_id")
    aligned = align(bought, runs)
    expected = {"one": ((8 + 2) / 2 + 2) / 2, "two": (5 + (8 + 5 + 2) / 3) / 2}
    for score in (evaluate, lambda **given: score_queries(**given).summary()):
        found = score(metrics="neg_popularity", popularity=views, **aligned)
        for ranker, value in expected.items():
            assert found[ranker]["neg_popularity"] == -value


WIDE = {"features": np.eye(2)}


@pytest.mark.parametrize(
    ("metrics", "params", "message"),
    [
        ("ild@3", {}, "The metric 'ild@3' reads the column 'features'. Pass features="),
        ("ndcg", WIDE, "none of .'ndcg'. takes: .'features'."),
        ("ild", {"features": np.ones(2)}, "'features' must have shape .n_samples, n_f"),
        ("ild", {"features": np.ones((3, 1))}, "Got 3 entries for 2 rows"),
        ("novelty", {"popularity": [0, 1]}, "must hold shares above 0 and at most 1"),
        ("group_share", {"group": [0, 2]}, "'group' must hold finite numbers from 0 t"),
        ("group_share", {"group": ["a", "b"]}, "'group' parameter must hold real numb"),
        ("ild", WIDE | {"ties": "optimistic"}, "'ties' parameter of eval"),
        ("ild", WIDE | {"distance": "l1"}, "'distance' parameter of ild"),
        ("ild", WIDE | {"distance": lambda x: x[0]}, "distances of all pairs"),
        ("serendipity", {"expected": [0, 2]}, "'expected' must hold finite numbers"),
        ("serendipity(n_items=0)", {"expected": [0, 1]}, "n_items == 0, must be >= 1"),
    ],
)
def test_metrics_beyond_relevance_say_what_is_wrong(metrics, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        evaluate([0, 1], [1, 2], metrics, **params)


def test_a_convention_without_rules_for_columns_takes_them():
    given = {"popularity": [1, 1], "convention": "torchmetrics"}
    found = evaluate([0, 1], [1, 2], "neg_popularity", **given)
    assert found == {"neg_popularity": -1.0}


def test_grades_may_be_missing_where_none_are_read():
    with pytest.raises(ValueError, match="'ndcg' reads grades, so that evaluate needs"):
        evaluate(None, [1, 2], ["ild", "ndcg"], features=np.eye(2))
    with pytest.raises(ValueError, match="'ndcg_score' reads grades"):
        ndcg_score(None, [1, 2])


def test_a_matrix_has_no_columns():
    with pytest.raises(
        ValueError,
        match=r"go with y_score of shape \(n_samples,\). Got y_score of shape \(2, 2\)",
    ):
        evaluate(np.eye(2), np.eye(2), "neg_popularity", popularity=[1, 2])


def test_an_own_metric_reads_columns():
    def mean_price(ranking, *, k=None):
        top = ranking.documents(k)
        is_listed = top.mean_over_places(np.ones_like)
        return top.total(is_listed * top.column("price")) / top.length

    add_scorer("mean_price", mean_price, columns=("price",))
    values = evaluate([0, 1, 1], [3, 1, 1], "mean_price@2", price=[10, 30, 50])
    assert values == {"mean_price@2": (10 + 40) / 2}
    with pytest.raises(ValueError, match="reads the column 'price'"):
        evaluate([0, 1], [1, 2], "mean_price")
    for name in ("qid", "y_true", "two words", "sample_weight"):
        with pytest.raises(ValueError, match="'columns' parameter of add_scorer"):
            add_scorer("priced", mean_price, columns=name)


def test_reports_of_grades_say_so():
    columns = {"features": np.eye(3)}
    with pytest.raises(ValueError, match="Got 'ild@2', which reads features"):
        query_report([0, 1, 0], [3, 2, 1], 0, qid=[0] * 3, metric="ild@2", **columns)
    with pytest.raises(
        ValueError, match="tie_report orders tied documents by their grades"
    ):
        tie_report([0, 1, 0], [3, 2, 1], "ild@2", **columns)
    explained = explain([0, 1, 0], [3, 1, 1], "ild@2", ["lightgbm"], **columns)
    assert explained.values == {"skrank": 1.0, "lightgbm": 1.0}


def test_the_ideal_ranking_has_no_documents():
    def ideal(ranking):
        return ranking.ideal.documents(3).length

    with pytest.raises(ValueError, match="ranked by their scores"):
        evaluate([0, 1], [1, 2], ideal)


N = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))
X["qid"] = np.repeat(np.arange(30), 10)
VIEWS = RNG.integers(0, 100, size=N)
Y = (X.a + RNG.normal(size=N) > 0.5).astype(int)
RANKER = QueryRanker(
    make_pipeline(make_column_transformer(("passthrough", ["a", "b"])), Ridge())
)
GRID = {"estimator__ridge__alpha": [0.1, 1e4]}


def searched(X, scoring, **params):
    search = GridSearchCV(RANKER, GRID, scoring=scoring, cv=QueryKFold(3))
    return search.fit(X, Y, **params).cv_results_["mean_test_score"]


@pytest.mark.slow
def test_a_search_finds_a_column_in_three_places():
    name = "neg_popularity@3"
    of_X = searched(X.assign(popularity=VIEWS), name)
    for where in ["views", lambda X: X["views"]]:
        scorer = make_ranking_scorer(name, columns={"popularity": where})
        np.testing.assert_array_equal(searched(X.assign(views=VIEWS), scorer), of_X)
    with config_context(enable_metadata_routing=True):
        metadata = searched(X, name, qid=X["qid"], popularity=VIEWS)
    np.testing.assert_array_equal(metadata, of_X)
    folds = [
        evaluate(
            Y.to_numpy()[test],
            RANKER.fit(X.iloc[train], Y.iloc[train]).predict(X.iloc[test]),
            name,
            qid=X["qid"].iloc[test],
            popularity=VIEWS[test],
        )[name]
        for train, test in QueryKFold(3).split(X, Y)
    ]
    alone = cross_validate(
        RANKER, X.assign(popularity=VIEWS), Y, scoring=name, cv=QueryKFold(3)
    )
    np.testing.assert_array_equal(alone["test_score"], folds)


def test_a_scorer_says_where_it_looked_for_a_column():
    message = "reads the column 'popularity'. Pass it as metadata, have a column"
    with pytest.raises(ValueError, match=message):
        make_ranking_scorer("neg_popularity@3")(RANKER.fit(X, Y), X, Y)
    scorer = make_ranking_scorer("neg_popularity", columns={"popularity": "views"})
    with pytest.raises(ValueError, match="was to be the column 'views' of X"):
        scorer(RANKER.fit(X, Y), X, Y)
    with pytest.raises(TypeError, match="'columns' parameter of make_ranking_scorer"):
        make_ranking_scorer("neg_popularity", columns={"popularity": VIEWS})


def test_a_scorer_of_columns_is_copied_and_pickled():
    scorer = make_ranking_scorer(
        ["ndcg@3", "neg_popularity@3"], columns={"popularity": "views"}
    )
    assert repr(scorer) == (
        "make_ranking_scorer(['ndcg@3', 'neg_popularity@3'], "
        "columns={'popularity': 'views'})"
    )
    ranker, table = RANKER.fit(X, Y), X.assign(views=VIEWS)
    again = pickle.loads(pickle.dumps(scorer))
    assert again(ranker, table, Y) == scorer(ranker, table, Y)


LINEAR = make_pipeline(make_column_transformer(("passthrough", ["a", "b"])), Ridge())


def without(column):
    rest = make_column_transformer(("drop", [column]), remainder="passthrough")
    return make_pipeline(rest, Ridge())


@pytest.mark.parametrize(
    ("model", "columns", "is_said"),
    [
        (QueryRanker(Ridge()), None, True),
        (QueryRanker(without("c")), None, True),
        (without("qid"), None, True),
        (without("popularity"), None, False),
        (QueryRanker(Ridge()), {"popularity": "popularity"}, False),
        (QueryRanker(LINEAR), None, False),
        (LINEAR, None, False),
        (GridSearchCV(QueryRanker(LINEAR), {}, cv=QueryKFold(2)), None, False),
        (GridSearchCV(QueryRanker(Ridge()), {}, cv=QueryKFold(2)), None, True),
    ],
)
def test_a_scorer_warns_of_a_column_that_is_also_a_feature(model, columns, is_said):
    table = X.assign(popularity=VIEWS)
    scorer = make_ranking_scorer("neg_popularity@3", columns=columns)
    if hasattr(model, "scoring"):
        model = clone(model).set_params(scoring="mrr")
    fitted = model.fit(table, Y)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        scorer(fitted, table, Y)
        # What is passed is not read from X.
        make_ranking_scorer("neg_popularity@3")(fitted, table, Y, popularity=VIEWS)
    said = [str(warning.message) for warning in found]
    message = "was fitted on the column 'popularity', which a metric reads, as a featu"
    assert sum(message in one for one in said) == is_said


def test_grades_are_not_needed_to_score_a_ranker_by_columns():
    scorer = make_ranking_scorer("neg_popularity@3")
    table = X.assign(popularity=VIEWS)
    ranker = RANKER.fit(X, Y)
    assert scorer(ranker, table) == scorer(ranker, table, Y)


@pytest.mark.parametrize("instead", [0.0, 0.25, np.nan])
def test_a_query_without_a_list_is_undefined(instead):
    given = {
        "qid": [1, 1, 2, 2],
        "returned": [True, True, False, False],
        "replace_undefined_by": instead,
    }
    mean = (lambda value: value) if np.isnan(instead) else (lambda v: (v + instead) / 2)
    y_score = [2, 1, 2, 1]
    found = masked(popularity_score, None, y_score, popularity=[4, 2, 4, 4], **given)
    assert found == mean((4 + 2) / 2)
    shares = [1 / 4, 1 / 2, 1, 1]
    found = masked(novelty_score, None, y_score, popularity=shares, **given)
    assert found == mean((2 + 1) / 2)
    found = masked(group_share_score, None, y_score, group=[1, 0, 1, 1], **given)
    assert found == mean(1 / 2)


@pytest.mark.parametrize("wrong", [np.nan, -1.0])
def test_a_distance_that_is_none_is_refused(wrong):
    def distance(features):
        return np.full((len(features), len(features)), wrong)

    with pytest.raises(ValueError, match="must return distances, 0 or more"):
        ild_score(None, [3, 2, 1], features=np.eye(3), distance=distance)


@pytest.mark.parametrize("size", [1e200, 1e-200, 0.1])
def test_equal_documents_have_the_distance_0(size):
    assert ild_score(None, [3, 2, 1], features=[[size, 3 * size]] * 3) == 0
    features = [[size, 0], [0, size], [size, 0]]  # two of three pairs are at distance 1
    assert ild_score(None, [3, 2, 1], features=features) == pytest.approx(2 / 3)
