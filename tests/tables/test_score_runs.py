"""One call scores runs beside their judgements."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skrank.metrics import QueryScores, evaluate, score_queries
from skrank.stats import compare_rankers, confidence_interval
from skrank.tables import align, score_runs

QRELS = "1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 1\n3 0 d1 -1\n3 0 d2 1\n"
BM25 = "1 Q0 d2 1 5.0 t\n1 Q0 d1 2 5.0 t\n1 Q0 d9 3 4.0 t\n2 Q0 d1 1 1.0 t\n"
DENSE = {"1": {"d3": 0.9}, "3": {"d1": 0.8, "d2": 0.7}}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(BM25)
    return tmp_path


def test_files_and_dicts_are_scored_as_trec_eval_does(files):
    scores = score_runs(
        qrels=files / "qrels.txt",
        run={"bm25": files / "bm25.run", "dense": DENSE},
        metrics=["map", "mrr"],
        convention="trec_eval",
    )
    assert scores.rankers == ("bm25", "dense")
    assert scores.keys["qid"].tolist() == ["1", "2", "3"]
    # Query 1: of the tied d2 and d1 the larger id comes first, and d3 is not returned.
    # Query 3: the document of grade -1 is not judged, and above the relevant one.
    assert scores["bm25"].values[0, 0].tolist() == [1 / 2 / 2, 1, 0]
    assert scores["dense"].values[0, 0].tolist() == [1 / 2, 0, 1 / 2]
    assert scores.summary()["dense"] == {"map": 1 / 3, "mrr": (1 + 1 / 2) / 3}


def test_one_run_has_no_name(files):
    arguments = {"qrels": files / "qrels.txt", "run": files / "bm25.run"}
    scores = score_runs(**arguments, metrics="ndcg@2", judged_from=0)
    aligned = align(**arguments, judged_from=0)
    assert scores.rankers == (None,)
    assert scores.summary() == evaluate(metrics="ndcg@2", **aligned)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_other_files_and_columns_of_other_names_are_read(tmp_path, ending):
    qrels = {"topic": ["a", "a", "b"], "doc": ["d1", "d2", "d1"], "label": [1, 0, 1]}
    run = {"topic": ["a", "a", "b"], "doc": ["d2", "d1", "d1"], "points": [3.0, 2.0, 1]}
    for name, columns in {"qrels": qrels, "run": run}.items():
        frame, path = pd.DataFrame(columns), tmp_path / f"{name}.{ending}"
        getattr(frame, f"to_{ending}")(path, index=False)
    scores = score_runs(
        qrels=tmp_path / f"qrels.{ending}",
        run=tmp_path / f"run.{ending}",
        metrics="mrr",
        qid="topic",
        doc_id="doc",
        grade="label",
        score="points",
    )
    assert scores.summary() == {"mrr": (1 / 2 + 1) / 2}


def test_runs_that_were_aligned_are_scored_as_each_alone(files):
    runs = {"bm25": files / "bm25.run", "dense": DENSE}
    aligned = align(files / "qrels.txt", runs, judged_from=0)
    rules = {"metrics": ["map", "ndcg@2", "num_ret"], "ties": "pessimistic"}
    expected = {
        name: evaluate(**rules, **align(files / "qrels.txt", run, judged_from=0))
        for name, run in runs.items()
    }
    assert evaluate(**rules, **aligned) == expected
    assert score_queries(**rules, **aligned).summary() == expected


def test_runs_without_some_queries_are_evaluated_alone_but_not_compared(files):
    qrels, runs = files / "qrels.txt", {"bm25": files / "bm25.run", "dense": DENSE}
    rules = {"missing_queries": "drop", "judged_from": 0}
    with pytest.raises(ValueError, match=r"Got \[1, 1\] that they lack"):
        align(qrels, runs, **rules)
    for name, mean in (("bm25", (3 / 4 + 1) / 2), ("dense", (1 + 1 / 2) / 2)):
        got = evaluate(metrics="mrr", **align(qrels, runs[name], **rules))
        assert got == {"mrr": mean}
    with pytest.raises(ValueError, match="the same queries"):
        score_runs(qrels, runs, "mrr", **rules)


def test_a_convention_says_which_documents_are_judged_unless_it_is_overridden():
    qrels, run = {"q": {"d1": -1, "d2": 1}}, {"q": {"d1": 2.0, "d2": 1.0}}
    rules = {"metrics": "bpref", "convention": "trec_eval"}
    assert score_runs(qrels, run, **rules).summary() == {"bpref": 1.0}
    assert score_runs(qrels, run, **rules, judged_from=-1).summary() == {"bpref": 0.0}


def drawn_runs(seed=0):
    """Return judgements, two runs and the country of each query."""
    rng = np.random.default_rng(seed)
    queries = [f"q{i}" for i in range(30)]
    qrels = {q: {f"d{j}": int(rng.integers(3)) for j in range(12)} for q in queries}
    runs = {
        name: {
            q: {f"d{j}": round(rng.random(), 1) for j in rng.permutation(15)[:10]}
            for q in rng.permutation(queries)
        }
        for name in ("bm25", "dense")
    }
    return qrels, runs, {q: ["fr", "be", "de"][i % 3] for i, q in enumerate(queries)}


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_segments_of_runs_are_those_of_arrays(library):
    qrels, runs, country = drawn_runs()
    if library is dict:
        by = {"country": country | {"not scored": "fr"}}
    else:
        by = library({"qid": [*country][::-1], "country": [*country.values()][::-1]})
    scores = score_runs(qrels, runs, ["ndcg@5", "mrr"], by=by)
    rows = align(qrels, runs, wide=True)
    expected = score_queries(
        rows.target,
        {name: rows.data[name].fillna(0) for name in runs},
        ["ndcg@5", "mrr"],
        qid=rows.qid,
        by={"country": [country[q] for q in rows.qid.tolist()]},
        returned={name: rows.data[name].notna() for name in runs},
    )
    assert (scores.values == expected.values).all()
    assert [*scores.keys] == ["qid", "country"]
    for name, keys in expected.keys.items():
        assert scores.keys[name].tolist() == keys.tolist()
    assert scores.summary(by="country") == expected.summary(by="country")
    assert (
        scores.where(country="be").summary() == expected.where(country="be").summary()
    )
    found, wanted = (
        [
            compare_rankers(one["mrr"], by="country").rows,
            repr(confidence_interval(one["dense"]["mrr"], by="country")),
        ]
        for one in (scores, expected)
    )
    assert found == wanted


def test_integers_are_the_queries_of_a_trec_file(files):
    topics = pd.DataFrame({"topic": [3, 1, 2], "kind": ["a", "a", "b"], "year": 2024})
    given = {"run": files / "bm25.run", "metrics": "mrr", "judged_from": 0}
    scores = score_runs(files / "qrels.txt", **given, by=topics, qid="topic")
    assert scores.keys["kind"].tolist() == ["a", "b", "a"]
    # Query 1: two tied documents, of which d1 is relevant; 3 is not in the run.
    assert scores.summary(by="kind") == {"a": {"mrr": 3 / 8}, "b": {"mrr": 1.0}}
    assert scores.summary(by=["kind", "year"]).keys() == {("a", 2024), ("b", 2024)}


BAD_BY = {
    "Got none of 'c' for 2, such as 'q2'": {"c": {"q1": 1}},
    "one row for each query. Got 3 rows of 2": pd.DataFrame({"qid": [1, 2, 2], "c": 1}),
    "the column 'qid' and others. Got {'q1': 1}": {"q1": 1},
    "a dict of names other than 'qid'": {"qid": {"q1": 1, "q2": 1, "q3": 1}},
    "data frame with a row for each query": pd.DataFrame({"query": [1], "c": 1}),
    r"must all be different.*\['mrr'\] twice": {"mrr": {"q1": 1, "q2": 1, "q3": 1}},
    "Got missing values": {"c": {"q1": 1, "q2": None, "q3": 1}},
}


@pytest.mark.parametrize(("message", "by"), BAD_BY.items(), ids=BAD_BY)
def test_segments_that_queries_lack_are_errors(message, by):
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1}}
    with pytest.raises((TypeError, ValueError), match=message):
        score_runs(qrels, {"q1": ["a"]}, "mrr", by=by)


def test_a_segment_that_is_not_there_is_passed_to_score_runs():
    scores = score_runs({"q1": {"d": 1}, "q2": {"d": 1}}, {"q1": ["d"]}, "mrr")
    for summarize in (confidence_interval, QueryScores.summary):
        with pytest.raises(ValueError, match="`by` of score_queries and score_runs"):
            summarize(scores, by="country")


def test_runs_that_answer_unequal_numbers_of_queries_are_named():
    qrels = {f"q{i}": {"d1": 1} for i in range(30)}
    full = {qid: ["d1", "d2"] for qid in qrels}
    half = dict([*full.items()][:20])
    with pytest.warns(UserWarning, match=r"^half lacks 10 of 30 queries: they count 0"):
        scores = score_runs(qrels, {"full": full, "half": half}, "mrr")
    assert scores.summary()["half"]["mrr"] == pytest.approx(20 / 30)
    # Runs that lack the same number, and one alone, count as documented.
    score_runs(qrels, {"a": half, "b": dict([*full.items()][10:])}, "mrr")
    score_runs(qrels, half, "mrr")
    both = {"full": full, "half": half | {"q29": []}}
    with pytest.warns(UserWarning, match="half lacks 10 of 30"):
        score_runs(qrels, both, "mrr")
