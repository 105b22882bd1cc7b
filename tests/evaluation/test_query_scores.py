"""The table of values: its summaries, its parts, its frames."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from skrank.metrics import QueryScores, evaluate, mean_rank, score_queries
from skrank.tables import score_table
from tests.brute_force import ADJUSTABLE, LISTED, evaluated, full_name

UNDEFINED = "ignore:The (adjusted )?metric is undefined"


def draw(seed, n_queries=40):
    """Return lists with many ties, some long, some without a relevant document."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 60, n_queries))
    n_rows = len(qid)
    is_relevant = rng.random(n_rows) < rng.choice([0, 0.05, 0.4], n_queries)[qid]
    data = {
        "y_true": rng.integers(1, 5, n_rows) * is_relevant,
        "y_score": rng.integers(0, 6, n_rows),
        "qid": qid,
    }
    order = rng.permutation(n_rows)
    return {name: values[order] for name, values in data.items()}


def masks(data):
    rng = np.random.default_rng(9)
    n_rows = len(data["qid"])
    return {"judged": rng.random(n_rows) < 0.7, "returned": rng.random(n_rows) < 0.7}


def weights(data):
    return np.random.default_rng(8).integers(0, 4, data["qid"].max() + 1)[data["qid"]]


def assert_same(one, other):
    assert list(one) == list(other)
    assert_array_equal(list(one.values()), list(other.values()))


PARAMS = {
    "default": {},
    "pessimistic": {"ties": "pessimistic", "average": "weighted"},
    "first": {"ties": "first", "threshold": 1},
    "replaced": {"replace_undefined_by": 3.0, "threshold": "max"},
    "left out": {"replace_undefined_by": np.nan},
    "single precision": {"score_dtype": "float32", "judged_from": 1.0},
    "adjusted": {"adjusted": True},
    "adjusted, weighted": {"adjusted": True, "average": "weighted"},
    "adjusted, replaced": {"adjusted": True, "replace_undefined_by": 2.0},
}


def names_for(params):
    return [full_name(name) for name in ADJUSTABLE] if "adjusted" in params else LISTED


@pytest.mark.slow
@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize(
    ("name", "is_weighted"),
    [("default", True), *((name, i % 2 > 0) for i, name in enumerate(PARAMS))],
)
def test_a_summary_is_what_evaluate_returns(name, is_weighted):
    params, data = dict(PARAMS[name]), draw(0)
    names = names_for(params)
    if is_weighted:
        params |= {"sample_weight": weights(data)} | masks(data)
    scores = score_queries(**data, metrics=names, **params)
    expected = evaluate(**data, metrics=names, **params)
    assert_same(scores.summary(), expected)


@pytest.mark.slow
@pytest.mark.parametrize("adjusted", [False, True])
def test_the_values_are_those_of_evaluate_without_an_average(adjusted):
    data, params = draw(1), {"adjusted": True} if adjusted else {}
    names = names_for(params)
    scores = score_queries(**data, metrics=names, **params)
    expected = evaluated(**data, metrics=names, average=None, **params)
    assert_array_equal(scores.keys["qid"], expected.pop("qid"))
    assert scores.metrics == tuple(expected)
    assert_array_equal(scores.values, [list(expected.values())])
    params |= {"average": None, "replace_undefined_by": np.nan}
    raw = evaluated(**data, metrics=names, **params)
    params.pop("average")
    frame = score_queries(**data, metrics=names, **params).to_frame()
    assert frame.isna().any().any()
    for name in names:
        assert_array_equal(frame[name], raw[name])
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0, 0] = 1


def parts_of(data, n_queries, **params):
    """Return the scores of some queries at a time, in any order, sent by pickle."""
    by_row = {"sample_weight", "judged", "returned"} & params.keys()
    data = data | {key: params.pop(key) for key in by_row}
    part, parts = data["qid"] // n_queries, []
    for i in np.random.default_rng(2).permutation(part.max() + 1):
        rows = {key: values[part == i] for key, values in data.items()}
        parts.append(pickle.loads(pickle.dumps(score_queries(**rows, **params))))
    return parts


@pytest.mark.slow
@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize(
    ("name", "n_queries"), [(name, 4) for name in PARAMS] + [("default", 1)]
)
def test_parts_in_any_order_are_the_whole(name, n_queries):
    params, data = dict(PARAMS[name]), draw(3, n_queries=12)
    params["metrics"] = names_for(params)
    if "adjusted" not in params:
        params["max_grade"] = 4
    params |= {"sample_weight": weights(data)} | masks(data)
    joined = QueryScores.concat(parts_of(data, n_queries, **params))
    assert_same(joined.summary(), evaluate(**data, **params))


def led(ranking):
    return ranking.expected_at_first(lambda rank: rank == 1)


@pytest.mark.slow
def test_few_metrics_of_parts_are_those_of_the_whole():
    data, of_trec_eval = draw(4), {"convention": "trec_eval", "ties": "expected"}
    for names, rules in (
        (["mrr", "adjusted_mrr", "neg_median_rank", "map", "err"], {}),
        (["map", "ndcg@10", "bpref", "rbp", led], of_trec_eval),
    ):
        params = {"metrics": names, "max_grade": 4, **rules}
        joined = QueryScores.concat(parts_of(data, 3, **params))
        assert_same(joined.summary(), evaluate(**data, **params))


def test_parts_may_weigh_nothing_but_the_whole_may_not():
    parts = [
        score_queries([1, 0], scores, "mrr", qid=[i, i], sample_weight=[weight] * 2)
        for i, (scores, weight) in enumerate([([2, 1], 0), ([1, 2], 3)])
    ]
    assert QueryScores.concat(parts).summary() == {"mrr": 1 / 2}
    with pytest.raises(ValueError, match="at least one non-zero number"):
        parts[0].summary()


@pytest.mark.slow
@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize("own_returned", [False, True])
@pytest.mark.parametrize("adjusted", [False, True])
def test_several_rankers_are_scored_as_each_alone(own_returned, adjusted):
    data, rng = draw(6), np.random.default_rng(0)
    y_score = data.pop("y_score")
    runs = {"a": y_score, "b": rng.permutation(y_score), "c": rng.random(len(y_score))}
    data |= masks(data) | ({"adjusted": True} if adjusted else {})
    names, returned = names_for(data), data.pop("returned")
    of_each = dict.fromkeys(runs, returned)
    if own_returned:
        returned = of_each = {name: rng.random(len(y_score)) < 0.5 for name in runs}
    scores = score_queries(y_score=runs, metrics=names, returned=returned, **data)
    summary = scores.summary()
    assert list(summary) == ["a", "b", "c"]
    for name, y_score in runs.items():
        given = {"y_score": y_score, "returned": of_each[name], **data}
        assert_same(summary[name], evaluate(metrics=names, **given))


@pytest.mark.parametrize(
    "params",
    [{}, {"ties": "first"}, {"ties": "optimistic"}, {"score_dtype": "float32"}],
    ids=str,
)
@pytest.mark.parametrize("shape", ["grouped", "matrix", "candidates", "one query"])
def test_several_rankers_of_every_shape_are_scored_as_each_alone(shape, params):
    rng = np.random.default_rng(7)
    y_true, data = rng.integers(0, 3, (6, 9)), {}
    runs = {name: rng.integers(0, 5, (6, 9)) for name in "ab"}
    if shape == "candidates":
        y_true = rng.integers(0, 9, 6)
    if shape == "matrix":
        data["exclude"] = rng.random((6, 9)) < 0.2
    if shape in ("grouped", "one query"):
        y_true = y_true.ravel()
        runs = {name: scores.ravel() for name, scores in runs.items()}
    if shape == "grouped":
        data["qid"] = np.repeat(list("fbdace"), 9)
    names = ["map", "ndcg@3", "adjusted_mrr"]
    scores = score_queries(y_true, runs, names, **data, **params).summary()
    for name, y_score in runs.items():
        assert_same(scores[name], evaluate(y_true, y_score, names, **data, **params))


def test_one_query_of_two_folds_is_two_queries():
    by = {"fold": [1, 0, 1, 0], "run": [5, 5, 5, 5]}
    scores = score_queries([1, 1, 0, 0], [2, 1, 1, 2], "mrr", qid=[7] * 4, by=by)
    assert scores.summary(by="fold") == {0: {"mrr": 1 / 2}, 1: {"mrr": 1.0}}
    assert scores.keys["qid"].tolist() == [7, 7]
    matrix = score_queries([[1, 0]] * 2, [[2, 1], [1, 2]], "mrr", by=["b", "a"])
    assert matrix.summary(by="by") == {"a": {"mrr": 1 / 2}, "b": {"mrr": 1.0}}


RUNS = {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}


def scores_of_runs(**params):
    given = {"y_true": [1, 0, 1, 0], "qid": ["x", "x", "y", "y"], **params}
    return score_queries(y_score=RUNS, metrics=["mrr", "hits@1"], **given)


def test_rankers_and_metrics_are_selected_by_name():
    scores = scores_of_runs()
    assert scores["b", "hits@1"].summary() == {"b": {"hits@1": 1 / 2}}
    assert scores["mrr"].rankers == ("a", "b")
    assert scores[["b", "a"]].metrics == ("mrr", "hits@1")
    with pytest.raises(KeyError, match="'map' is none of"):
        scores["map"]


def test_the_worst_queries_come_first_and_undefined_ones_last():
    # The relevant documents of the queries 1, 2 and 4 have the ranks 2, 1 and 3.
    y_true = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    y_score, qid = [3, 2, 1] * 4, np.repeat([1, 2, 3, 4], 3)
    names = ["mrr", "neg_mean_rank", mean_rank]
    scores = score_queries(y_true, {"a": y_score, "b": y_true}, names, qid=qid)
    frame = scores.worst_queries(ranker="a")
    assert [*frame.columns] == ["metric", "ranker", "qid", "value"]
    assert frame["qid"].tolist() == [4, 1, 2, 3] * 3
    assert frame["metric"].unique().tolist() == ["mrr", "neg_mean_rank", "mean_rank"]
    expected = [1 / 3, 1 / 2, 1, np.nan, -3, -2, -1, np.nan, 3, 2, 1, np.nan]
    assert_array_equal(frame["value"], expected)
    of_all = scores["mrr"].worst_queries(2)
    assert of_all["ranker"].tolist() == ["a", "a", "b", "b"]
    assert of_all["qid"].tolist() == [4, 1, 1, 2]  # those of b are all equal
    message = r"'ranker' parameter of worst_queries must be .*'a', 'b'.*Got 'mrr'"
    with pytest.raises(ValueError, match=message):
        scores.worst_queries(ranker="mrr")
    with pytest.raises(ValueError, match="n == 0"):
        scores.worst_queries(0)


def test_the_worst_queries_have_their_keys():
    data = draw(3) | {"by": {"part": draw(3)["qid"] % 3}}
    scores = score_queries(metrics="ndcg", **data)
    frame = scores.where(part=1).worst_queries(n=4)
    raw = score_queries(metrics="ndcg", replace_undefined_by=np.nan, **data)
    values = raw.where(part=1).to_frame().dropna()
    values = values.sort_values("ndcg", kind="stable").head(4)
    for name, expected in {
        "metric": ["ndcg"] * 4,
        "qid": values["qid"],
        "part": [1] * 4,
        "value": values["ndcg"],
    }.items():
        assert list(frame[name]) == list(expected)


def test_scores_are_shown_as_a_table():
    scores = scores_of_runs()
    assert str(scores).splitlines() == [
        "2 queries",
        "ranker     mrr  hits@1",
        "a       1.0000  1.0000",
        "b       0.7500  0.5000",
    ]
    shown = score_queries([1], [1], led, by=["<b>"])._repr_html_()
    assert "<th>led</th>" in shown
    assert "1 query by by" in shown
    undefined = score_queries([0], [1], "mrr", replace_undefined_by=np.nan)
    assert str(undefined).splitlines()[-1].strip() == "nan"


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_kind_come_and_go(kind):
    weight = [1, 1, 3, 3]
    scores = scores_of_runs(by={"day": [1, 1, 2, 2]}, sample_weight=weight)
    frame = scores.to_frame(kind)
    assert type(frame).__module__.partition(".")[0] == kind
    columns = frame.column_names if kind == "pyarrow" else list(frame.columns)
    assert columns == ["ranker", "qid", "day", "sample_weight", "mrr", "hits@1"]
    columns = {"by": "day", "ranker": "ranker", "sample_weight": "sample_weight"}
    again = QueryScores.from_frame(frame, **columns)
    assert again.summary() == scores.summary()
    assert again.summary()["b"] == {"mrr": (1 / 2 + 3) / 4, "hits@1": 3 / 4}
    assert_array_equal(again.values, scores.values)
    assert type(again.to_frame()) is type(frame)


def test_a_frame_may_have_no_further_keys():
    scores = QueryScores.from_frame({"qid": [1, 2], "mrr": [1.0, 0.5]}, by=None)
    assert scores.summary() == {"mrr": 0.75}


def test_a_frame_is_of_the_kind_of_the_data():
    kinds = {pl.Series: pl.DataFrame, pd.Series: pd.DataFrame, list: pd.DataFrame}
    for column, frame in kinds.items():
        scores = score_queries(column([1, 0]), column([2, 1]), "mrr")
        assert type(scores.to_frame()) is frame


def test_values_of_other_tools_are_averaged():
    frame = pd.DataFrame({"map": [0.5, 0.25], "latency": [3, 4]}, index=[9, 8])
    frame.index.name = "qid"
    scores = QueryScores.from_frame(frame)
    assert scores.summary() == {"map": (0.5 + 0.25) / 2, "latency": (3 + 4) / 2}
    assert scores.keys["qid"].tolist() == [8, 9]
    assert scores.values[0, 1].tolist() == [4, 3]
    table = pa.table({"qid": ["a", "b"], "their_ndcg": [0.5, None]})
    with pytest.raises(ValueError, match="'their_ndcg' has missing values"):
        QueryScores.from_frame(table)
    for instead, mean in [(np.nan, 0.5), (0.0, 0.25)]:
        scores = QueryScores.from_frame(table, replace_undefined_by=instead)
        assert scores.summary() == {"their_ndcg": mean}


def test_a_column_named_as_a_metric_is_summarized_as_that_metric():
    values = [0.5, 0.125, np.nan]
    names = ["ndcg@10", "neg_mean_rank", "gm_map", "num_rel"]
    columns = {"ndcg@10": values, "neg_mean_rank": [-1, -3, np.nan]}
    columns |= {"gm_map": [0.5, 0.125, 0.25], "num_rel": [1, 2, 3]}
    scores = QueryScores.from_frame({"q": [1, 2, 3], **columns}, qid="q", metrics=names)
    assert scores.summary() == pytest.approx(
        {
            "ndcg@10": (0.5 + 0.125 + 0) / 3,
            "neg_mean_rank": (-1 - 3) / 2,
            "gm_map": (0.5 * 0.125 * 0.25) ** (1 / 3),
            "num_rel": 1 + 2 + 3,
        }
    )
    for name in ("adjusted_mrr", "adjusted_hits@3", "inverse_mean_rank"):
        with pytest.raises(ValueError, match=f"do not determine '{name}'.*concat"):
            QueryScores.from_frame({"qid": [1], name: [1.0]})


@pytest.mark.parametrize("weights_too", [False, True])
@pytest.mark.parametrize("name", LISTED)
def test_the_summary_of_a_frame_is_that_of_the_scores_or_refused(name, weights_too):
    data, options = draw(0), {}
    if weights_too:
        options = {"sample_weight": "sample_weight"}
        data["sample_weight"] = weights(data)
    scores = score_queries(**data, metrics=name)
    try:
        again = QueryScores.from_frame(scores.to_frame(), **options)
    except ValueError as error:
        assert f"do not determine {name!r}" in str(error)  # noqa: PT017
    else:
        assert_same(again.summary(), scores.summary())


def test_undefined_values_are_written_as_they_count():
    scores = score_queries([1, 0, 0, 0], [2, 1, 2, 1], "mrr", qid=[7, 7, 8, 8])
    assert scores.to_frame()["mrr"].tolist() == [1, 0]
    assert scores.to_frame()["mrr"].mean() == scores.summary()["mrr"] == 1 / 2
    assert str(scores).startswith("2 queries (1 undefined)\n")


def test_frames_that_are_no_table_of_values_are_refused():
    good = {"qid": [1, 2, 1, 3], "run": ["a", "a", "b", "b"], "mrr": [1.0, 1, 1, 1]}
    with pytest.raises(ValueError, match=r"different ones for 'a' and 'b'\. Only"):
        QueryScores.from_frame(good, ranker="run")
    with pytest.raises(ValueError, match="Got the query qid=1 twice"):
        QueryScores.from_frame(good, metrics=["mrr"])
    with pytest.raises(ValueError, match="has no column 'topic'"):
        QueryScores.from_frame(good, qid="topic")
    for value in (np.inf, -np.inf):
        with pytest.raises(ValueError, match=r"'mrr' must be finite\. Got infinity"):
            QueryScores.from_frame({"qid": [1, 2], "mrr": [0.5, value]})
    with pytest.raises(ValueError, match="needs a column of values"):
        QueryScores.from_frame({"qid": [1]})
    with pytest.raises(TypeError, match=r"or a dict of columns\. Got list"):
        QueryScores.from_frame([1, 2])
    with pytest.raises(ValueError, match="The 'kind' parameter of to_frame must be"):
        scores_of_runs().to_frame("spark")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"y_score": {}}, "at least one ranker"),
        ({"y_score": {1: [1, 2]}}, "names of rankers, of type str"),
        ({"average": None}, "The 'average' parameter of score_queries"),
        ({"returned": {"a": [True, True]}}, "or a dict with one for each of"),
        ({"y_score": {"mrr": [1, 2]}}, r"Got \['mrr'\] twice"),
        ({"by": {"mrr": [1, 2]}}, r"Got \['mrr'\] twice"),
        ({"by": {"qid": [1, 2]}}, "Got a column 'qid'"),
        ({"by": [1, 2, 3]}, "'by' parameter must hold one value per row"),
        ({"convention": "trec_eval"}, "Pass the ids as `doc_id`"),
        ({"depth": 3}, "none of \\['mrr'\\] takes"),
    ],
)
def test_query_scores_refuse_bad_input(params, message):
    given = {"y_true": [1, 0], "y_score": [1, 2], "metrics": "mrr", "qid": [7, 7]}
    with pytest.raises((ValueError, TypeError), match=message):
        score_queries(**given | params)


def test_the_rankers_of_all_dicts_are_the_same():
    returned, y_score = {"a": [True] * 2, "b": [True] * 2}, {"a": [2, 1], "c": [2, 1]}
    message = r"'returned' parameter .* for each of \['a', 'c'\]. Got .*\['a', 'b'\]"
    for function in (evaluate, score_queries):
        with pytest.raises(ValueError, match=message):
            function([1, 0], y_score, "mrr", returned=returned)


def test_where_keeps_the_queries_of_a_segment():
    qid, country = np.repeat(np.arange(6), 2), ["fr", "us", "fr", "be", "us", "fr"]
    y_true, y_score = np.tile([0, 1], 6), np.tile([2, 1, 1, 2], 3)
    by = {"country": np.repeat(country, 2), "year": np.repeat([1, 1, 2, 2, 2, 2], 2)}
    days = np.array(["2025-01-01", "2025-01-02"], dtype="datetime64[ns]")
    by["day"] = days[qid % 2]
    scores = score_queries(y_true, y_score, ["mrr", "neg_median_rank"], qid=qid, by=by)
    chosen = scores.where(country="fr")
    assert chosen.keys["qid"].tolist() == [0, 2, 5]
    assert list(chosen.keys) == ["qid", "country", "year", "day"]
    assert chosen.summary() == {"mrr": (0.5 + 0.5 + 1) / 3, "neg_median_rank": -2}
    assert scores.where(country="fr", year=2).keys["qid"].tolist() == [2, 5]
    assert scores.where(country=["fr", "be"]).keys["qid"].tolist() == [0, 2, 3, 5]
    assert scores.where(qid=np.array([4, 1])).keys["qid"].tolist() == [1, 4]
    for day in ("2025-01-01", days[0], datetime.datetime(2025, 1, 1)):
        assert scores.where(day=day).keys["qid"].tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"land": "fr"}, r"key columns, among \['country', 'qid'\]. Got 'land'"),
        ({"country": "xx"}, "no query with the value 'xx'. It has 'fr', 'us'."),
        ({"country": []}, r"no query with the value \[\]"),
        ({"country": "fr", "qid": 2}, r"No query has all of the values"),
        # The ids are integers.
        ({"qid": "1"}, "'qid' has no query with the value '1'. It has 1, 2."),
    ],
)
def test_where_names_what_is_not_there(values, message):
    by = {"country": ["fr", "fr", "us"]}
    scores = score_queries([1, 0, 1], [1, 2, 3], "mrr", qid=[1, 1, 2], by=by)
    with pytest.raises(ValueError, match=message):
        scores.where(**values)


@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_segments_are_summarized_apart(average):
    data = draw(8)
    segment = np.array(["new", "old"])[data["qid"] % 2]
    names = ["map", "adjusted_mrr", "neg_median_rank"]
    data["sample_weight"] = 1 + data["qid"] % 3
    options = {"metrics": names, "average": average}
    scores = score_queries(**data, by=pd.Series(segment, name="age"), **options)
    assert_same(scores.summary(), evaluate(**data, **options))
    assert list(scores.keys) == ["qid", "age"]
    summary = scores.summary(by="age")
    assert list(summary) == ["new", "old"]
    for name, value in summary.items():
        own = segment == name
        rows = {key: values[own] for key, values in data.items()}
        assert_same(value, evaluate(**rows, **options))
        assert_same(scores.where(age=name).summary(), value)
    pairs = scores.summary(by=["age", "qid"])
    assert next(iter(pairs)) == ("new", 0)
    with pytest.raises(ValueError, match=r"among \['age', 'qid'\]. Got 'fold' instead"):
        scores.summary(by="fold")


@pytest.mark.parametrize("is_weighted", [False, True])
def test_data_sets_of_any_size_count_alike(is_weighted):
    rng = np.random.default_rng(5)
    n, part = 900, rng.choice(["a", "b", "c"], 900, p=[0.01, 0.09, 0.9])
    frame = {"qid": np.arange(n), "part": part, "year": rng.integers(2, size=n)}
    frame |= {"ndcg": rng.random(n), "hits@1": rng.integers(2, size=n)}
    if is_weighted:
        frame["sample_weight"] = rng.integers(3, size=n)
        frame["sample_weight"][part == "b"] = 0
    weight = "sample_weight" if is_weighted else None
    scores = QueryScores.from_frame(frame, by=["part", "year"], sample_weight=weight)
    for by, rows in {"part": part, "year": frame["year"]}.items():
        found = scores.balanced(by)
        weights = np.asarray(frame.get("sample_weight", np.ones(n)), dtype=float)
        parts = [one for one in np.unique(rows) if weights[rows == one].any()]
        for name in ("ndcg", "hits@1"):
            means = [
                np.average(frame[name][rows == one], weights=weights[rows == one])
                for one in parts
            ]
            assert abs(found.summary()[name] - np.mean(means)) <= 1e-15
        assert_same(found.where(**{by: parts}).summary(), found.summary())
        assert_array_equal(found.weight > 0, weights > 0)
    assert len(set(scores.balanced(["part", "year"]).weight[weights > 0])) >= 4


def test_data_sets_count_alike_only_if_each_query_has_a_value():
    by = {"part": [1, 1, 2, 2, 2, 2]}
    data = [0, 1, 0, 1, 0, 0], [2, 1, 1, 2, 1, 2]
    scores = score_queries(
        *data, ["mrr", "neg_mean_rank"], qid=[1, 1, 2, 2, 3, 3], by=by
    )
    with pytest.raises(ValueError, match="'neg_mean_rank', which leaves out 1 of them"):
        scores.balanced("part")
    # (1/2 + (1 + 0) / 2) / 2
    assert scores["mrr"].balanced("part").summary() == {"mrr": 0.5}
    with pytest.raises(ValueError, match=r"'by' parameter of balanced .*Got 'set'"):
        scores["mrr"].balanced("set")


def sessions(n_queries=30):
    """Sessions of six documents of two brands, one of which has two of them."""
    qid = np.repeat(np.arange(n_queries), 6)
    return qid, np.tile(["a", "b", "b", "a", "b", "b"], n_queries)


def test_a_column_of_documents_that_cuts_queries_is_noticed():
    qid, brand = sessions()
    y_true, y_score = np.tile([1, 0, 0], 60), np.tile(np.arange(6.0), 30)
    match = r"\['brand'\] cut 30 of 30 queries: each of the 60 parts"
    with pytest.warns(UserWarning, match=match):
        scores = score_queries(y_true, y_score, "mrr", qid=qid, by={"brand": brand})
    assert "60 parts of 30 queries by brand" in str(scores)
    frame = pd.DataFrame({"qid": qid, "y_true": y_true, "y_score": y_score})
    with pytest.warns(UserWarning, match=match):
        of_table = score_table(frame.assign(brand=brand), "mrr", by="brand")
    assert of_table.summary() == scores.summary()
    mixed = np.random.RandomState(0).permutation(len(qid))
    by = {"brand": np.array(brand)[mixed]}
    with pytest.warns(UserWarning, match=match):
        score_queries(y_true[mixed], y_score[mixed], "mrr", qid=qid[mixed], by=by)


def test_data_sets_with_the_same_ids_are_not_cut():
    qid, y_true = np.r_[0, 0, 1, 1, 1, 0, 0, 0, 1, 1], np.tile([0, 1], 5)
    by = {"set": np.repeat(["a", "b"], 5)}
    scores = score_queries(y_true, np.arange(10.0), "mrr", qid=qid, by=by)
    assert "4 parts of 2 queries by set" in str(scores)


def test_columns_in_another_order_of_rows_are_noticed():
    qid, _ = sessions()
    y_true = pd.Series(np.tile([1, 0, 0], 60))
    by = {"user": pd.Series(qid % 5).sample(frac=1, random_state=0)}
    with (
        pytest.warns(UserWarning, match="y_true and user have the same labels"),
        pytest.warns(UserWarning, match="cut 25 of 30 queries"),
    ):
        score_queries(y_true, np.tile(np.arange(6.0), 30), "mrr", qid=qid, by=by)
