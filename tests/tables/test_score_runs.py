"""One call scores runs beside their judgements."""

# SPDX-License-Identifier: BSD-3-Clause

import pandas as pd
import pytest

from skrank.metrics import evaluate, score_queries
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


def test_runs_without_some_queries_are_evaluated_but_not_compared(files):
    qrels, runs = files / "qrels.txt", {"bm25": files / "bm25.run", "dense": DENSE}
    rules = {"missing_queries": "drop", "judged_from": 0}
    got = evaluate(metrics="mrr", **align(qrels, runs, **rules))
    assert got == {"bm25": {"mrr": (3 / 4 + 1) / 2}, "dense": {"mrr": (1 + 1 / 2) / 2}}
    with pytest.raises(ValueError, match="the same queries"):
        score_runs(qrels, runs, "mrr", **rules)


def test_a_convention_says_which_documents_are_judged_unless_it_is_overridden():
    qrels, run = {"q": {"d1": -1, "d2": 1}}, {"q": {"d1": 2.0, "d2": 1.0}}
    rules = {"metrics": "bpref", "convention": "trec_eval"}
    assert score_runs(qrels, run, **rules).summary() == {"bpref": 1.0}
    assert score_runs(qrels, run, **rules, judged_from=-1).summary() == {"bpref": 0.0}
