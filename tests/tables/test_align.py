"""Judgements and runs, aligned."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils import Bunch

from skrank._engine.request import METRICS
from skrank.metrics import evaluate, explain, of_items, score_queries, tie_report
from skrank.tables import align, read_run, score_runs
from tests.tables.judgements import (
    QREL_COLUMNS,
    QREL_ROWS,
    QRELS,
    RUN,
    RUN_ROWS,
    RUN_TEXT,
    path_of,
    rows_of,
)


def test_the_join_keeps_what_is_only_judged_and_what_is_only_returned():
    aligned = align(QRELS, RUN)
    names = ["y_true", "y_score", "qid", "judged", "returned", "doc_id"]
    assert list(aligned) == names
    assert rows_of(aligned) == [
        (0, 0.9, "q1", False, True, "d4"),
        (1, 0.5, "q1", True, True, "d1"),
        (2, 0.5, "q1", True, True, "d3"),
        (0, 0.0, "q1", True, False, "d2"),
        (0, 1.0, "q2", False, True, "d5"),
        (1, 0.0, "q2", True, True, "d1"),
        (1, 0.0, "q3", True, False, "d9"),
    ]


def test_what_is_aligned_goes_into_every_function_of_rankings():
    aligned = align(QRELS, RUN)
    # trec_eval orders d3 before d1. q1 has relevant documents at ranks 2 and 3.
    want = ((1 / 2 + 2 / 3) / 2 + 1 / 2 + 0) / 3
    got = evaluate(metrics="map", convention="trec_eval", **aligned)
    assert got["map"] == pytest.approx(want)
    assert explain(metric="map", **aligned).values["trec_eval"] == pytest.approx(want)
    assert tie_report(metrics="map", **aligned).n_tied_documents == 2


NUMBERED = [(301, 7, 2), (301, -12, 0), (302, 0, 1), (301, 2**63 - 1, 1)]
NUMBERED_TEXT = "".join(f"{q} 0 {d} {g}\n" for q, d, g in NUMBERED)
NUMBERED_RUN = [(301, -12, 3.0), (301, 7, 2.0), (302, 5, 2.0), (302, 0, 1.0)]
NUMBERED_RUN_TEXT = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in NUMBERED_RUN)


def integers(rows, value, **types):
    return pd.DataFrame(rows, columns=["qid", "doc_id", value]).astype(types)


MEETING = {
    "a table as judgements": lambda q, r: (integers(NUMBERED, "grade"), r),
    "a table as the run": lambda q, r: (q, integers(NUMBERED_RUN, "score")),
    "tuples as the run": lambda q, r: (q, NUMBERED_RUN),
    "what was read": lambda q, r: (integers(NUMBERED, "grade"), read_run(r)),
    "integer queries": lambda q, r: (q, integers(NUMBERED_RUN, "score", doc_id=str)),
    "integer documents": lambda q, r: (integers(NUMBERED, "grade", qid=str), r),
}


@pytest.mark.parametrize("form", MEETING.values(), ids=MEETING)
def test_ids_of_trec_files_meet_integers(tmp_path, form):
    qrels, run = path_of(NUMBERED_TEXT)(tmp_path), path_of(NUMBERED_RUN_TEXT)(tmp_path)
    aligned = align(*form(qrels, run))
    assert rows_of(aligned) == [
        (0, 3.0, "301", True, True, "-12"),
        (2, 2.0, "301", True, True, "7"),
        (1, 0.0, "301", True, False, "9223372036854775807"),
        (0, 2.0, "302", False, True, "5"),
        (1, 1.0, "302", True, True, "0"),
    ]
    assert align(qrels, {"a": form(qrels, run)[1]}).qid.tolist()[0] == "301"


@pytest.mark.parametrize("id", ["007", "-0", "+7", "7.0", "d7", "-", "1_0", "\u0667"])
def test_ids_of_trec_files_that_no_integer_has_do_not_meet_integers(tmp_path, id):
    run = path_of(f"301 Q0 8 1 2 t\n301 Q0 {id} 1 1 t\n")(tmp_path)
    error = rf"Got text such as '{re.escape(id)}' and integers such as 7: make both"
    with pytest.raises(TypeError, match=f"of run and qrels must .* {error}"):
        align({301: {7: 1}}, run)
    with pytest.raises(TypeError, match=error):
        align(path_of(f"301 0 8 0\n301 0 {id} 1\n")(tmp_path), {301: {7: 1}})


@pytest.mark.parametrize("ending", ["parquet", "csv", None])
def test_text_of_any_source_meets_integers(tmp_path, ending):
    text = pd.DataFrame({"qid": ["301"], "doc_id": ["7"], "score": [1.0]})
    if ending:
        path = tmp_path / f"run.{ending}"
        {"parquet": text.to_parquet, "csv": text.to_csv}[ending](path)
        text = path
    for qrels in ({301: {7: 1}}, {"301": {7: 1}}, {"301": {"7": 1}}):
        aligned = align(qrels, text)
        assert rows_of(aligned) == [(1, 1.0, "301", True, True, "7")]


def test_several_runs_share_their_rows(tmp_path):
    runs = {"a": RUN, "b": path_of(RUN_TEXT)(tmp_path), "c": {"q3": {"d9": 1}}}
    runs["lists"] = {"q1": ["d4", "d3"]}
    aligned = align(QRELS, runs)
    assert [*aligned.y_score] == [*aligned.returned] == [*runs]
    for name, run in runs.items():
        of_run = {key: aligned[key][name] for key in ("y_score", "returned")}
        seen = aligned.judged | of_run["returned"]
        one = {key: array[seen] for key, array in (aligned | of_run).items()}
        assert sorted(rows_of(one)) == sorted(rows_of(align(QRELS, run)))
    with pytest.raises(ValueError, match=r"Got \[1, 1, 2, 2\] that they lack"):
        align(QRELS, runs, missing_queries="drop")


RULES = [
    {},
    {"unjudged": "condensed"},
    {"ties": "first", "doc_order": "descending"},
    {"ties": "first", "doc_order": "ascending", "unjudged": "condensed"},
    {"average": "weighted"},
    {"adjusted": True},
    {"adjusted": True, "average": "weighted"},
    {"ties": "midrank"},
    {"threshold": "max"},
    {"judged_from": 1},
    {"convention": "trec_eval"},
]
OF_ITEMS = {
    "popularity": lambda i: (1 + i) / 50,
    "propensity": lambda i: (1 + i) / 50,
    "expected": lambda i: i % 2,
    "group": lambda i: i % 2,
    "features": lambda i: [i, i % 3 + 1],
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "first"), [(float, 0), (int, 1), (np.float32, 2)])
def test_each_of_several_runs_has_the_values_that_it_has_alone(kind, first):
    rng, items = np.random.default_rng(0), [f"d{i}" for i in range(40)]

    def lists(most, low, high, kind):
        return {
            f"q{q}": {
                id: kind(x)
                for id, x in zip(ids, rng.integers(low, high, len(ids)), strict=True)
            }
            for q in range(9)
            if len(ids := rng.choice(items, rng.integers(most), replace=False))
        }

    qrels = lists(12, -1, 4, int) | {"q0": {"d0": 1}}
    runs = {name: lists(20, 0, 6, kind) for name in "abc"}
    several = align(qrels, runs, judged_from=0)
    alone = {name: align(qrels, run, judged_from=0) for name, run in runs.items()}
    columns = {
        name: of_items({id: float_of(i) for i, id in enumerate(items)}, "doc_id")
        for name, float_of in OF_ITEMS.items()
    }
    n_compared = 0
    for metric, rule in itertools.product(METRICS.values(), RULES[first::3]):
        own = {name: columns[name] for name in metric.columns if name in columns}
        given = {"metrics": [metric.name + "@5" * (metric.cutoff == "required")]}
        given |= rule | own
        try:
            expected = {one: score_queries(**alone[one], **given) for one in runs}
        except (TypeError, ValueError):  # a metric without this rule
            continue
        found, means = score_queries(**several, **given), evaluate(**several, **given)
        for i, one in enumerate(runs):
            np.testing.assert_array_equal(found.values[i], expected[one].values[0])
            np.testing.assert_equal(found.summary()[one], expected[one].summary())
            np.testing.assert_equal(means[one], expected[one].summary())
            n_compared += 1
    assert n_compared > 250


def test_rows_of_several_runs_have_no_order_of_tied_documents():
    runs = {"a": {"q": [("x", 2.0), ("y", 2.0)]}, "b": {"q": [("y", 2.0), ("x", 2.0)]}}
    rules = {"metrics": "mrr", "ties": "first"}
    # Each in its own order.
    expected = {"a": {"mrr": 1}, "b": {"mrr": 1 / 2}}
    assert score_runs({"q": {"x": 1}}, runs, **rules).summary() == expected
    aligned = align({"q": {"x": 1}}, runs)
    with pytest.raises(ValueError, match=r"'mrr' keeps the order .* documents in 'a'"):
        evaluate(**rules, **aligned)
    assert evaluate(**rules, doc_order="ascending", **aligned)["b"] == {"mrr": 1}
    lists = {name: {"q": [id for id, _ in run["q"]]} for name, run in runs.items()}
    assert evaluate(**rules, **align({"q": {"x": 1}}, lists)) == expected
    # Documents of two queries, which an index may name, are not tied.
    y_true = pd.Series([1, 1], index=pd.Index(["q", "r"], name="qid"))
    both, returned = ({key: [one, one] for key in "ab"} for one in (0.5, True))
    assert evaluate(y_true, both, **rules, returned=returned)["b"] == {"mrr": 1}


MRR = {"zero": (1 / 2 + 1 / 2 + 0) / 3, "drop": (1 / 2 + 1 / 2) / 2}


@pytest.mark.parametrize("missing", MRR)
def test_a_judged_query_that_the_run_lacks_counts_0_or_is_dropped(missing):
    aligned = align(QRELS, RUN, missing_queries=missing)
    assert evaluate(metrics="mrr", **aligned)["mrr"] == MRR[missing]


def test_a_query_without_judgements_does_not_stand_for_the_next_one():
    run = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q2x": {"d1": 1}}  # between q2 and q3
    with (
        pytest.warns(UserWarning, match=r"1 of 3 queries of run lack .* 'q2x'"),
        pytest.raises(ValueError, match=r"1 of 3 queries of qrels lack .* 'q3'"),
    ):
        align(QRELS, run, missing_queries="raise")


def test_a_query_without_judgements_is_dropped_with_a_warning():
    run = RUN | {"q8": {"d1": 1}}
    with pytest.warns(UserWarning, match=r"1 of 3 queries of run lack .* 'q8'"):
        aligned = align(QRELS, run)
    assert rows_of(aligned) == rows_of(align(QRELS, RUN))
    with pytest.raises(ValueError, match=r"1 of 3 queries of run lack .* 'q8'"):
        align(QRELS, run, unjudged_queries="raise")


def test_low_grades_can_stand_for_no_judgement():
    qrels = {"q1": {"d1": -1, "d2": 1, "d3": -2}, "q2": {"d1": -1}}
    aligned = align(qrels, {"q1": ["d1", "d2"], "q2": ["d1"]}, judged_from=0)
    assert aligned.judged.tolist() == [False, True, False, False]
    assert aligned.y_true.tolist() == [0, 1, 0, 0]
    with pytest.raises(ValueError, match=r"Got -1 for document 'd1' .* judged_from=0"):
        align(qrels, RUN)


@pytest.mark.parametrize("lowest", [0, 1, 0.5])
def test_a_grade_of_judged_from_itself_is_a_judgement(lowest):
    qrels = {"q1": {"d1": lowest, "d2": 2, "d3": lowest - 1e-9, "d4": lowest - 1}}
    aligned = align(qrels, {"q1": ["d1", "d2", "d3", "d4"]}, judged_from=lowest)
    assert aligned.judged.tolist() == [True, True, False, False]
    assert aligned.y_true.tolist() == [lowest, 2, 0, 0]
    scores = score_runs(qrels, {"q1": ["d1"]}, "judged@1", judged_from=lowest)
    assert scores.summary() == {"judged@1": 1.0}


def test_documents_of_two_worlds_are_told():
    with pytest.warns(UserWarning, match=r"No document of run is judged.* 'd1' .*'D7'"):
        align({"q1": {"d1": 1}}, {"q1": {"D7": 1}})


REFUSED = {
    "one of two": (QRELS, {"a": RUN, "b": RUN_ROWS * 2}, r"each query in run\['b'\]"),
    "an empty run": (QRELS, {"a": RUN, "b": {}}, r"'run\['b'\]' parameter must hold"),
    "two rows": (QREL_ROWS + QREL_ROWS[:1], RUN, "'d1' of query 'q1' more than once"),
    "a run twice": (QRELS, RUN_ROWS + RUN_ROWS[-1:], "'d1' of query 'q2' more than"),
    "a list twice": (QRELS, {"q1": ["a", "b", "a"]}, "'a' of query 'q1' more than"),
    "NaN": (QRELS, {"q1": {"d1": np.nan}}, "Got nan for document 'd1' of query 'q1'"),
    "infinite grade": ({"q1": {"d1": np.inf}}, RUN, "Got inf for document 'd1'"),
    "None": (QRELS, {"q1": {"d1": None}}, "Got None for document 'd1' of query 'q1'"),
    "text and integers": (QRELS, {"q1": {1: 0.5}}, "make both text, those"),
    "integers and text": ({1: {"d1": 1}}, RUN, "query ids .* make both text"),
    "an id that ends in NUL": (QRELS, {"q1": {"d1\0": 1}}, r"of run .* NUL.*'d1.x00'"),
    "a query that ends in NUL": (
        pd.DataFrame({"qid": ["q1\0"], "doc_id": ["d1"], "grade": [1]}),
        RUN,
        "query ids of qrels must not end in NUL",
    ),
    "half a letter": ({"q\ud800": {"d1": 1}}, RUN, r"UTF-8 can encode. Got 'q.ud800"),
    "documents of subtopics": (QREL_ROWS + QREL_ROWS[:1], RUN, "subtopics=True"),
    "a list with its cure": (QRELS, {"q1": ["a", "a"]}, "Pass duplicates='best'"),
    "both at once": (
        QRELS,
        {"q1": {"d1": 1, 2: 1}},
        "document ids of run must be all text or all integers. .* and 2 of type int",
    ),
    "both in a column": (
        pd.DataFrame({"qid": ["q1", 7], "doc_id": ["a", "b"], "grade": [1, 1]}),
        RUN,
        "query ids of qrels must be all text or all integers. .* and 7 of type int",
    ),
    "float ids": (QRELS, {"q1": {1.5: 1}}, "Got 1.5 of type float: make them text"),
    "bool ids": ({"q1": {True: 1}}, RUN, "Got True of type bool"),
    "huge ids": ({2**70: {1: 1}}, RUN, "within the range of int64"),
    "a set as a run": (QRELS, {"q1": {"d1"}}, "A set has no order"),
    "one id as a str": ({"q1": "d1"}, RUN, "Got 'd1' of type str for query 'q1'"),
    "no query": ({}, RUN, "for each of one or more rows"),
    "no document": (QRELS, {"q1": {}}, "for each of one or more rows"),
    "a number": (3, RUN, "'qrels' parameter must be the path of a TREC, "),
    "no pairs": (QRELS, {"q1": [["d1", 0.5], ["d2"]]}, "not all pairs for query 'q1'"),
    "no id in a column": (
        QRELS,
        pl.DataFrame({"qid": ["q1", None], "doc_id": ["d1", "d1"], "score": [1, 2]}),
        r"Got None in row \d: leave out rows",
    ),
    "no score in a column": (
        QRELS,
        pl.DataFrame({"qid": ["q1"] * 2, "doc_id": ["a", "b"], "score": [1, None]}),
        "Got nan for document 'b' of query 'q1'",
    ),
    "lists of lists": ([[1, 2, 3]], RUN, r"dict\(enumerate\(lists\)\)"),
    "masked ids": (
        {1: {"d1": 1}},
        Bunch(qid=np.ma.array([1, 2], mask=[0, 1]), doc_id=["d1"] * 2, score=[1, 2]),
        r"Got None in row \d: leave out rows",
    ),
    "ids of two dimensions": (
        Bunch(qid=np.ones((2, 2), int), doc_id=["d1"] * 2, grade=[1, 2]),
        RUN,
        r"Got \[1, 1\] of type list",
    ),
    "columns of two lengths": (
        Bunch(qid=["q1"], doc_id=["d1", "d2"], grade=[1, 2]),
        RUN,
        r"Got \[1, 2, 2\]",
    ),
    "other queries": (QRELS, {"Q1": {"d1": 1}}, "such as 'q1' and 'Q1'"),
    "other keys": (QRELS, {"q1": [{"id": "d1", "score": 1}]}, "no key 'doc_id' among"),
    "other columns": (
        pd.DataFrame(QREL_COLUMNS).rename(columns={"doc_id": "docid"}),
        RUN,
        "no column 'doc_id' .* Did you mean 'docid'?",
    ),
}


@pytest.mark.parametrize(("qrels", "run", "error"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_aligned_is_refused_with_the_cure(qrels, run, error):
    with pytest.raises((TypeError, ValueError), match=error):
        align(qrels, run)


@pytest.mark.parametrize("option", ["missing_queries", "unjudged_queries"])
def test_an_unknown_option_is_refused(option):
    with pytest.raises(ValueError, match=f"'{option}' parameter of align must be"):
        align(QRELS, RUN, **{option: "ignore"})


def random_data(seed, n_queries=40, n_documents=60):
    """Return judgements and a run with many ties, as dicts."""
    rng = np.random.default_rng(seed)
    ids = [f"{'ä' * (i % 3)}doc-{i * 7919 % 1000:0{1 + i % 20}d}" for i in range(200)]
    qrels, run = {}, {}
    for query in rng.permutation(n_queries).tolist():
        judged, returned = (
            [ids[i] for i in rng.permutation(len(ids))[: rng.integers(1, n_documents)]]
            for _ in range(2)
        )
        qrels[f"t{query}"] = {d: int(rng.integers(0, 4)) for d in judged}
        run[f"t{query}"] = {d: float(rng.integers(0, 9)) for d in returned}
    return qrels, run


def outer_join(qrels, run):
    """Return the rows of an outer join, by a loop."""
    rows = set()
    for query, judged in qrels.items():
        returned = run.get(query, {})
        for document in {*judged, *returned}:
            values = judged.get(document, 0), returned.get(document, 0.0)
            masks = document in judged, document in returned
            rows.add((*values, query, *masks, document))
    return rows


@pytest.mark.parametrize("seed", range(2))
def test_the_join_is_that_of_a_loop_in_any_order_of_the_rows(seed):
    qrels, run = random_data(seed)
    del run["t3"]
    scattered = [(q, d, s) for q, found in run.items() for d, s in found.items()]
    np.random.default_rng(seed).shuffle(scattered)
    assert set(rows_of(align(qrels, scattered))) == outer_join(qrels, run)
    rows = rows_of(align(qrels, run))
    assert len(rows) == len(set(rows))
    assert set(rows) == outer_join(qrels, run)


def test_the_join_is_that_of_a_loop_for_many_queries(monkeypatch):
    monkeypatch.setattr(sys.modules["skrank.tables.align"], "_BLOCK", 50)
    qrels, run = random_data(0, n_queries=300, n_documents=4)
    aligned = align(qrels, run)
    assert set(rows_of(aligned)) == outer_join(qrels, run)
    assert aligned.qid.tolist() == sorted(aligned.qid.tolist())


NAMES = {
    "map": "map",
    "ndcg": "ndcg",
    "ndcg@10": "ndcg_cut_10",
    "bpref": "bpref",
    "recip_rank": "recip_rank",
    "precision@10": "P_10",
    "recall@100": "recall_100",
    "r_precision": "Rprec",
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_numbers_are_those_of_trec_eval(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_data(seed)
    found = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures)
    of_query = found.evaluate(run)
    aligned = align(qrels, run)
    ours = evaluate(metrics=list(NAMES), convention="trec_eval", **aligned)
    for name, theirs in NAMES.items():
        values = [values[theirs] for values in of_query.values()]
        assert ours[name] == pytest.approx(np.mean(values), abs=1e-12), name
