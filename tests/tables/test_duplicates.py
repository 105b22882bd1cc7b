"""A document that a run has several times counts with its best score."""

# SPDX-License-Identifier: BSD-3-Clause

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from skrank.metrics import evaluate
from skrank.tables import (
    align,
    changed_documents,
    compare_lists,
    from_topk,
    fuse,
    score_runs,
)
from tests.command import run as run_command
from tests.tables.judgements import rows_of

NAMES = ["qid", "doc_id", "score"]
KEYS = NAMES[:2]


def random_run(seed, ids="id{}".format, dtype=float):
    """Return judgements and the rows of a run in which documents occur several times.

    The rows of a document are neither together nor in the order of their scores.
    """
    rng = np.random.default_rng(seed)
    columns = rng.integers(5, size=600), rng.integers(40, size=600)
    score = rng.integers(-9, 9, size=600) * (1 if dtype is int else 0.1)
    if dtype is int:  # which floats do not tell apart
        score += 2**60
    run = pd.DataFrame(dict(zip(NAMES, [*columns, score], strict=True)))
    qrels = pd.DataFrame({"qid": np.repeat(np.arange(5), 9), "doc_id": [*range(9)] * 5})
    for frame in (qrels, run):
        frame[KEYS] = frame[KEYS].apply(lambda column: column.map(ids))
    return qrels.assign(grade=1), run


def by_pandas(run):
    return run.groupby(KEYS, as_index=False).max()


def hits_of(run):
    """Return a dict of the lists of hits of a frame."""
    return {
        qid: rows[["doc_id", "score"]].to_dict("records")
        for qid, rows in run.groupby("qid", sort=False)
    }


def written(write):
    """Return the form of a file, which a function writes to a path without ending."""

    def form(run, folder):
        return write(run, folder / "run")

    return form


def as_csv(run, path):
    run.to_csv(path := path.with_suffix(".csv"), index=False)
    return path


def as_parquet(run, path):
    run.to_parquet(path := path.with_suffix(".parquet"))
    return path


def as_json(run, path):
    path = path.with_suffix(".json")
    hits = {str(qid): found for qid, found in hits_of(run).items()}
    path.write_text(json.dumps(hits))
    return path


def as_trec(run, path):
    lines = [f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in run.to_numpy().tolist()]
    path.write_text("".join(lines))
    return path


FORMS = {
    "frame": lambda run, _: run,
    "tuples": lambda run, _: list(run.itertuples(index=False, name=None)),
    "hits": lambda run, _: hits_of(run),
    "pairs": lambda run, _: {
        qid: [(hit["doc_id"], hit["score"]) for hit in found]
        for qid, found in hits_of(run).items()
    },
    "csv": written(as_csv),
    "parquet": written(as_parquet),
    "json": written(as_json),
    "trec": written(as_trec),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("seed", range(2))
def test_the_best_score_of_each_document_is_that_of_pandas(tmp_path, form, seed):
    qrels, run = random_run(seed)
    got = align(qrels, form(run, tmp_path), duplicates="best")
    want = align(qrels, by_pandas(run))
    assert sorted(rows_of(got)) == sorted(rows_of(want))


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("ids", ["ä{}".format, int])
def test_scores_and_ids_of_any_type_are_exact(ids, dtype):
    qrels, run = random_run(2, ids, dtype)
    want = sorted(rows_of(align(qrels, by_pandas(run))))
    for order in (run, run[::-1], run.sort_values("score"), run.sample(frac=1)):
        got = align(qrels, order, duplicates="best")
        assert got.y_score.dtype == dtype
        assert sorted(rows_of(got)) == want


def test_long_files_are_read_in_parts_and_joined_before(tmp_path, monkeypatch):
    monkeypatch.setattr("skrank.tables.trec_text._CHUNK", 200)
    qrels, run = random_run(3)
    got = align(qrels, as_trec(run, tmp_path / "run"), duplicates="best")
    assert sorted(rows_of(got)) == sorted(rows_of(align(qrels, by_pandas(run))))


def test_the_row_with_the_best_score_stays_where_it_stands():
    run = [("q", "a", 1), ("q", "b", 3), ("q", "a", 3), ("q", "b", 3), ("q", "c", 3)]
    aligned = align({"q": {"c": 1}}, run, duplicates="best")
    assert aligned.doc_id.tolist() == ["b", "a", "c"]
    assert evaluate(metrics="mrr", ties="first", **aligned) == {"mrr": 1 / 3}


def test_a_list_keeps_the_first_place_of_a_document():
    lists = {"q": ["a", "b", "a", "c", "b"], "r": ["c", "c"]}
    aligned = align({"q": {"c": 1}, "r": {"c": 1}}, lists, duplicates="best")
    assert aligned.doc_id.tolist() == ["a", "b", "c", "c"]
    assert aligned.y_score.tolist() == [5, 4, 2, 2]


def test_several_runs_are_read_likewise_by_all_that_joins_them():
    qrels, one = random_run(4)
    two = random_run(5)[1]
    runs = {"one": one, "two": two}
    best = {name: by_pandas(run) for name, run in runs.items()}
    got = score_runs(qrels, runs, ["map", "ndcg@5"], duplicates="best")
    assert got.summary() == score_runs(qrels, best, ["map", "ndcg@5"]).summary()
    wide = align(qrels, runs, wide=True, duplicates="best")
    want = align(qrels, best, wide=True)
    assert sorted(
        zip(*wide.data.fillna(-99).to_numpy().T, wide.doc_id, strict=True)
    ) == (sorted(zip(*want.data.fillna(-99).to_numpy().T, want.doc_id, strict=True)))
    got, want = fuse(runs, "mnz", duplicates="best"), fuse(best, "mnz")
    assert all(np.array_equal(got[name], want[name]) for name in want)


@pytest.mark.parametrize("greater_is_better", [False, True])
def test_indices_of_documents_stand_for_those_of_their_passages(greater_is_better):
    rng = np.random.default_rng(0)
    indices, scores = rng.integers(-1, 12, (2, 30)), rng.integers(99, size=(2, 30))
    rules = {"greater_is_better": greater_is_better}
    got = from_topk(indices, [{1}, {2}], scores, **rules, duplicates="best")
    sign = 1 if greater_is_better else -1
    want = {}
    for q, d, s in zip([0] * 30 + [1] * 30, indices.flat, scores.flat, strict=True):
        if d >= 0:
            want[q, d] = max(want.get((q, d), -np.inf), sign * s)
    found = zip(got.qid, got.doc_id, got.y_score, strict=True)
    kept = zip(found, got.returned, strict=True)
    assert {(q, d): s for (q, d, s), returned in kept if returned} == want
    ranks = from_topk([[7, 3, 7, 2]], [{2}], duplicates="best")
    assert ranks.y_score.tolist() == [0, -1, -3]


def test_a_document_with_the_id_of_its_query_is_left_out_as_before():
    run = {"q": ["q", "d", "q", "d"]}
    rules = {"exclude_same_id": True, "duplicates": "best"}
    assert align({"q": {"d": 1}}, run, **rules).doc_id.tolist() == ["d"]


TWICE = {"q": ["a", "b", "a"]}
ONCE = {"q": ["a"]}


@pytest.mark.parametrize(
    "call",
    [
        lambda **rule: align(ONCE, TWICE, **rule),
        lambda **rule: align(ONCE, {"x": ONCE, "y": TWICE}, wide=True, **rule),
        lambda **rule: score_runs(ONCE, TWICE, "mrr", **rule),
        lambda **rule: fuse({"x": ONCE, "y": TWICE}, **rule),
        lambda **rule: from_topk([[1, 2, 1]], [{1}], **rule),
    ],
)
def test_a_document_twice_is_an_error_that_names_the_rule(call):
    for rule in ({}, {"duplicates": "raise"}):
        with pytest.raises(
            ValueError, match=r"more than once\. Pass duplicates='best'"
        ):
            call(**rule)
    with pytest.raises(ValueError, match="'duplicates' parameter must be a str among"):
        call(duplicates="first")
    call(duplicates="best")


@pytest.mark.parametrize(
    "call", [partial(compare_lists, metrics="rbo"), changed_documents]
)
def test_lists_that_are_compared_have_a_document_once(call):
    with pytest.raises(ValueError, match=r"in runs\['y'\].*Keep its highest value"):
        call({"x": ONCE, "y": TWICE})


@pytest.mark.parametrize("grade", [1, 2])
def test_judgements_that_occur_twice_stay_an_error(grade):
    qrels = [("q", "a", 1), ("q", "a", grade)]
    with pytest.raises(
        ValueError, match=r"once for each query in qrels.*Keep its high"
    ):
        align(qrels, TWICE, duplicates="best")


def test_the_shell_keeps_the_best_score_before_it_cuts_lists(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    lines = ["b 1 9", "b 2 8", "a 3 7", "a 4 9.5", "c 5 7"]
    text = "".join(f"1 Q0 {line} t\n" for line in lines)
    (tmp_path / "a.run").write_text(text)
    status, output, error = run_command(capsys, "evaluate qrels a.run -m mrr")
    assert (status, output) == (2, "")
    assert "more than once. Pass --duplicates='best' to keep its best score" in error
    best = "--duplicates best"
    for command, means in {
        f"evaluate qrels a.run -m mrr {best} --json": {"t": {"mrr": 1.0}},
        f"evaluate qrels a.run -m num_ret -M 2 {best} --json": {"t": {"num_ret": 2}},
    }.items():
        status, output, error = run_command(capsys, command)
        assert (status, json.loads(output), error) == (0, means, "")
    (tmp_path / "rows.csv").write_text("qid,y_true,y_score\n1,1,1\n1,0,0\n")
    _, _, error = run_command(capsys, f"evaluate rows.csv -m mrr {best}")
    assert "--duplicates goes with runs. Got a table, rows.csv" in error


def test_misses_keep_their_places():
    found = from_topk([[1, 1, 2]], [{2}], duplicates="miss")
    assert evaluate(metrics="mrr", **found) == {"mrr": 1 / 3}
    best = from_topk([[1, 1, 2]], [{2}], duplicates="best")
    assert evaluate(metrics="mrr", **best) == {"mrr": 1 / 2}
    qrels, run = {"q": {"b": 1, "c": 1}}, {"q": ["a", "b", "b", "a", "c"]}
    scores = score_runs(qrels, run, "map", duplicates="miss")
    assert scores.summary() == {"map": (1 / 2 + 2 / 5) / 2}
    with pytest.raises(ValueError, match=r"must be a str among {'best', 'raise'}"):
        fuse({"one": run, "two": run}, duplicates="miss")


def apk(actual, predicted, k):
    """The average precision of Ben Hamner's ml_metrics, by which Kaggle scores."""
    score = hits = 0.0
    for i, one in enumerate(predicted[:k]):
        if one in actual and one not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k)


def test_misses_give_the_map_of_kaggle():
    rng = np.random.default_rng(0)
    for _ in range(50):
        lists = rng.integers(12, size=(20, 8))
        actual = [set(rng.integers(12, size=3).tolist()) for _ in lists]
        found = from_topk(lists, actual, duplicates="miss")
        value = evaluate(metrics="map@5", normalize="achievable", **found)["map@5"]
        pairs = zip(actual, lists.tolist(), strict=True)
        assert value == pytest.approx(np.mean([apk(*pair, 5) for pair in pairs]))
