"""Scores of queries in a file."""

# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import pickle
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from numpy.testing import assert_array_equal

from skrank._engine.request import METRICS
from skrank.evaluation import saved_scores
from skrank.evaluation.saved_scores import PLACE, _checksum
from skrank.metrics import QueryScores, add_scorer, score_queries
from skrank.stats import compare_rankers, confidence_interval, gate
from skrank.tables import align, score_runs
from tests.brute_force import ADJUSTABLE, LISTED, OF_COLUMNS, full_name

UNDEFINED = "ignore:The (adjusted )?metric is undefined"


def draw(seed=0, n_queries=30):
    """Return shuffled rows with ties, and queries without a relevant document."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 9, n_queries))
    qid = rng.permutation(qid)
    n_rows = len(qid)
    is_relevant = rng.random(n_rows) < rng.choice([0, 0.4], n_queries)[qid]
    runs = {name: rng.integers(0, 4, n_rows) for name in ("old", "new")}
    return rng.integers(1, 4, n_rows) * is_relevant, runs, qid


def again(scores, folder):
    scores.save(folder / "scores.parquet")
    return QueryScores.load(folder / "scores.parquet")


def assert_same_array(one, other):
    if one is None or other is None:
        assert one is other
        return
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    if one.dtype.kind in "OT":
        assert [*map(repr, one.tolist())] == [*map(repr, other.tolist())]
    else:
        assert one.tobytes() == other.tobytes()


def assert_same(one, other):
    """Compare all that two instances hold, to the last bit."""
    one, other = one.table, other.table
    assert [*one.keys] == [*other.keys]
    for a, b in zip(one.keys.values(), other.keys.values(), strict=True):
        assert_same_array(a, b)
    assert_same_array(one.weight, other.weight)
    assert (one.rankers, one.kind) == (other.rankers, other.kind)
    assert repr(one.extremes) == repr(other.extremes)
    for a, b in zip(one.requests, other.requests, strict=True):
        assert (a.key, a.sign) == (b.key, b.sign)
        options, others = a.options.by_name(), b.options.by_name()
        assert repr(options) == repr(others)
    for a, b in zip(one.measured, other.measured, strict=True):
        for parts, of_other in zip(a, b, strict=True):
            assert [*map(type, parts)] == [*map(type, of_other)]
            [*map(assert_same_array, parts, of_other)]


def requests_of(scores):
    return [request.metric for request in scores.table.requests]


PARAMS = {
    "default": {},
    "weighted": {"ties": "pessimistic", "average": "weighted"},
    "first": {"ties": "first", "threshold": 1},
    "left out": {"replace_undefined_by": np.nan, "threshold": "max"},
    "adjusted": {"adjusted": True},
}


@pytest.mark.slow
@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize("name", PARAMS)
def test_every_metric_comes_back_to_the_last_bit(name, tmp_path):
    y_true, runs, qid = draw()
    names = LISTED if name != "adjusted" else [full_name(one) for one in ADJUSTABLE]
    weight = np.random.default_rng(1).integers(0, 3, 30)[qid] / 3
    how = {"qid": qid, "sample_weight": weight, **PARAMS[name]}
    scores = score_queries(y_true, runs, names, **how)
    found = again(scores, tmp_path)
    assert_same(found, scores)
    assert requests_of(found) == requests_of(scores)  # the rows of METRICS themselves
    for ranker, summary in scores.summary().items():
        assert_array_equal([*found.summary()[ranker].values()], [*summary.values()])
    assert_array_equal(found.values, scores.values)
    assert_array_equal(found.table.n_undefined, scores.table.n_undefined)


@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize("name", OF_COLUMNS)
def test_metrics_of_columns_come_back(name, tmp_path):
    y_true, runs, qid = draw()
    rng = np.random.default_rng(2)
    size = len(qid)
    columns = {
        "popularity": rng.integers(1, 9, size) / 8,
        "expected": rng.integers(0, 3, size) / 2,
        "group": rng.integers(0, 2, size).astype(bool),
        "features": rng.random((size, 3)),
        "subtopics": rng.random((size, 4)) < 0.4,
        "propensity": rng.integers(1, 9, size) / 8,
    }
    metric = METRICS[name]
    given = {column: columns[column] for column in metric.columns}
    asked = metric.full_name + ("" if metric.cutoff == "never" else "@3")
    scores = score_queries(y_true, runs, asked, qid=qid, **given)
    assert_same(again(scores, tmp_path), scores)


IDS = {
    "integers": np.arange(4, dtype=np.int32),
    "big-endian": np.arange(4).astype(">i8"),
    "unsigned": np.array([0, 1, 2, 2**64 - 1], dtype=np.uint64),
    "floats": np.array([-0.5, 0.1, 1e300, 5e-324]),
    "booleans": np.array([False, True]),
    "text": np.array(["a", "ä", "zz", "日本"]),
    "long text": np.array(["a" * 99, "b"]),
    "text of Python": np.array(["a", "ä", "zz"], dtype=object),
    "days": np.array(["2025-01-01", "2026-03-01"], dtype="M8[D]"),
    "months": np.array(["2025-01", "2026-03"], dtype="M8[M]"),
    "nanoseconds": np.array([1, 2**60], dtype="M8[ns]"),
    "lengths of time": np.array([1, 5], dtype="m8[h]"),
}
if hasattr(getattr(np, "dtypes", None), "StringDType"):  # of NumPy 2
    IDS["text of any length"] = np.array(["a", "bb", "ccc"], np.dtypes.StringDType())


@pytest.mark.filterwarnings("ignore:The p-value may be too small")
@pytest.mark.parametrize("name", IDS)
def test_ids_come_back(name, tmp_path):
    ids = IDS[name]
    n = len(ids)
    y_true, y_score = np.tile([1, 0], n), np.arange(2 * n) % 3
    qid = np.repeat(ids, 2)
    by = {"country": np.repeat(np.resize(["fr", "us"], n), 2)}
    scores = score_queries(y_true, y_score, "mrr", qid=qid, by=by)
    found = again(scores, tmp_path)
    assert_same(found, scores)
    assert found.summary("country") == scores.summary("country")
    # What was loaded meets what is scored.
    merged = compare_rankers({"one": found, "other": scores}, test="t")
    assert merged.rows[0].difference == 0


@pytest.mark.parametrize(
    "qid", [[("a", 1)], np.array([1, "1"], dtype=object), [b"a"], ["\udc80"]], ids=ascii
)
def test_ids_other_than_text_numbers_and_dates_are_refused(qid, tmp_path):
    ones = [1] * len(qid)
    scores = score_queries(ones, ones, "mrr", qid=qid)
    with pytest.raises(TypeError, match=r"that are text, numbers or dates\. Got"):
        scores.save(tmp_path / "scores.parquet")
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_joined_parts_and_frames_come_back(tmp_path):
    y_true, runs, qid = draw()
    names, parts = ["ndcg", "neg_median_rank"], []
    for rows in (qid < 11, qid >= 11):
        own = {name: run[rows] for name, run in runs.items()}
        part = score_queries(y_true[rows], own, names, qid=qid[rows])
        parts.append(again(part, tmp_path))
    whole = score_queries(y_true, runs, names, qid=qid)
    assert_same(QueryScores.concat(parts), whole)
    assert_same(again(QueryScores.concat(parts), tmp_path), whole)
    intervals = confidence_interval(again(whole[["ndcg"]], tmp_path))
    assert intervals.rows == confidence_interval(whole[["ndcg"]]).rows
    given = QueryScores.from_frame({"qid": [1, 2], "my own": [0.25, 0.5]})
    found = again(given, tmp_path)
    assert_same(found, given)
    assert found.summary() == {"my own": 0.375}


def my_reach(ranking, *, k=None, scale=2.0):
    of_places = ranking.mean_over_places(np.sqrt, k)
    return scale * ranking.total(ranking.relevant * of_places)


def test_a_metric_of_the_user_needs_no_function_to_be_read(tmp_path):
    y_true, runs, qid = draw()
    add_scorer("my_reach", my_reach, greater_is_better=False)
    asked = ["neg_my_reach(scale=3)@2", my_reach]
    scores = score_queries(y_true, runs, asked, qid=qid)
    expected, direction = scores.summary(), scores.table.requests[0].direction
    scores.save(tmp_path / "scores.parquet")
    del METRICS["my_reach"]
    found = QueryScores.load(tmp_path / "scores.parquet")
    assert_same(found, scores)
    assert found.summary() == expected
    assert found.table.requests[0].direction == direction == 1


def test_a_function_among_the_parameters_is_refused(tmp_path):
    scores = score_queries([1, 0], [2, 1], "ndcg", gain=np.sqrt)
    with pytest.raises(
        TypeError, match=r"keeps .* parameters that are str, .* Got <ufunc"
    ):
        scores.save(tmp_path / "scores.parquet")
    assert not [*tmp_path.iterdir()]


def rewritten(path, change, is_forged=False, **about):
    """Write a file once more, with another table or other metadata."""
    found = pyarrow.parquet.read_table(path)
    metadata = dict(found.schema.metadata)
    if about:
        checksum, text = metadata[PLACE][:64].decode(), metadata[PLACE][64:]
        text = json.dumps(json.loads(text) | about)
        checksum = _checksum(text, found) if is_forged else checksum
        metadata[PLACE] = (checksum + text).encode()
    found = change(found).replace_schema_metadata(metadata)
    pyarrow.parquet.write_table(found, path)


def with_value(table, name, place, value):
    values = table[name].to_pylist()
    values[place] = value
    where = table.column_names.index(name)
    column = pa.array(values, table.schema.field(name).type)
    return table.set_column(where, name, column)


CHANGES = {
    "a value": lambda table: with_value(table, "old/mrr", 3, 0.125),
    "the sign of a zero": lambda table: with_value(table, "old/hits@1", 0, -0.0),
    "a missing value": lambda table: with_value(table, "new/mrr", 1, None),
    "an id": lambda table: with_value(table, "qid", 0, -1),
    "one row less": lambda table: table.slice(1),
    "the order of the rows": lambda table: table.take([1, 0, *range(2, len(table))]),
    "a name": lambda table: table.rename_columns(["query", *table.column_names[1:]]),
    "a type": lambda table: table.cast(
        table.schema.set(0, pa.field("qid", pa.int32()))
    ),
    "one column less": lambda table: table.drop_columns(["new/mrr"]),
}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "scores.parquet"
    y_true = np.tile([0, 1], 6)
    runs = {"old": np.tile([1, 0, 0, 1], 3), "new": np.tile([0, 1], 6)}
    qid = np.repeat(np.arange(6), 2)
    score_queries(y_true, runs, ["mrr", "hits@1"], qid=qid).save(path)
    return path


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(name, saved):
    rewritten(saved, lambda table: table)
    QueryScores.load(saved)  # the same contents in another file
    rewritten(saved, CHANGES[name])
    with pytest.raises(
        ValueError, match=r"scores\.parquet' cannot be read: it was changed after"
    ):
        QueryScores.load(saved)


def test_changed_parameters_and_damaged_files_are_refused(saved):
    content = saved.read_bytes()
    rewritten(saved, lambda table: table, rankers={"list": ["new", "old"]})
    with pytest.raises(ValueError, match="was changed"):
        QueryScores.load(saved)
    for damaged in (content[:-9], content[: len(content) // 2], b"PAR1" * 3):
        saved.write_bytes(damaged)
        with pytest.raises(ValueError, match="was changed"):
            QueryScores.load(saved)


@pytest.mark.slow
def test_a_file_with_a_changed_bit_is_refused(saved):
    content, whole = saved.read_bytes(), QueryScores.load(saved).summary()
    refused = []
    for place in range(4, len(content), max(len(content) // 100, 1)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        saved.write_bytes(changed)
        try:
            read = QueryScores.load(saved)
        except ValueError as error:
            refused.append(str(error))
        else:  # a bit that holds nothing may change
            assert read.summary() == whole
    assert len(refused) > 40
    assert all("scores.parquet'" in message for message in refused)


# What a file may say that no scores have, with the checksum of what it says.
FORGED = {
    "signs": {"rankers": ["-" * 5000 + "1", "'new'"]},  # RecursionError
    "more signs": {"rankers": ["-" * 100_000 + "1", "'new'"]},  # MemoryError
    "no rankers": {"rankers": []},
    "no such column": {"types": {"weight": "<i8"}},
    "no such place": {"arrays": [["ids"], [], None]},
    "arrays of version 1": {"arrays": [["ids"], [], [], None]},
    "ids of 1 GB": {"types": {"qid": "|V1000000000"}},
    "ids of 2 GB": {"types": {"qid": "<U500000000"}},
    "no version": {"version": None},
    "no metric": {"metrics": [{}, {}]},
}


@pytest.mark.parametrize("about", FORGED.values(), ids=FORGED)
def test_a_forged_file_is_refused_whatever_it_holds(about, saved):
    rewritten(saved, lambda table: table, is_forged=True, **about)
    with pytest.raises(
        ValueError, match=r"scores\.parquet' cannot be read: it was changed after"
    ):
        QueryScores.load(saved)


def test_other_files_newer_and_older_ones_are_named(saved, tmp_path, monkeypatch):
    metric = ["mrr", "mrr_2", 1, None, {}]
    for about, message in [
        (
            {"metrics": [metric, metric]},
            r"install that version\. Got KeyError\('mrr_2'\)",
        ),
        (
            {"version": 99},
            r"Save the scores again, .*'version 99 of the format, not 3'",
        ),
        (  # with ranks after each value, and the numbers of documents of each ranker
            {"version": 1, "arrays": [["qid"], [[["old/mrr", None]]], ["_3"], None]},
            r"Save the scores again, .*'version 1 of the format, not 3'",
        ),
    ]:
        rewritten(saved, lambda table: table, is_forged=True, **about)
        with pytest.raises(ValueError, match=message):
            QueryScores.load(saved)
    other = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pa.table({"qid": [1], "mrr": [0.5]}), other)
    monkeypatch.setattr(pyarrow.parquet, "read_table", None)  # may be very large
    with pytest.raises(ValueError, match=r"other\.parquet'.*from_frame"):
        QueryScores.load(other)
    other.write_bytes(pickle.dumps({"not": "run"}))
    with pytest.raises(ValueError, match="QueryScores"):
        QueryScores.load(other)
    with pytest.raises(FileNotFoundError):
        QueryScores.load(tmp_path / "none.parquet")


def test_a_file_is_replaced_by_a_whole_one_only(saved, monkeypatch):
    before = saved.read_bytes()
    scores = score_queries([1, 0], [2, 1], "mrr")

    def stop(table, file):
        file.write(b"PAR1")
        raise KeyboardInterrupt

    monkeypatch.setattr(pyarrow.parquet, "write_table", stop)
    with pytest.raises(KeyboardInterrupt):
        scores.save(saved)
    assert saved.read_bytes() == before
    assert [*saved.parent.iterdir()] == [saved]


ONE = score_queries([1, 0], [2, 1], "mrr")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(tmp_path):
    path, link = tmp_path / "scores.parquet", tmp_path / "link"
    link.symlink_to(path.name)
    before = os.umask(0o027)
    try:
        ONE.save(link)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o444):
            path.chmod(mode)
            ONE.save(link)
            assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        os.umask(before)


def test_a_link_with_the_name_of_the_part_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "other").write_text("kept")
    monkeypatch.setattr(saved_scores.secrets, "token_hex", lambda n_bytes: "guess")
    (tmp_path / "scores.parquet.guess.part").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError):
        ONE.save(tmp_path / "scores.parquet")
    assert (tmp_path / "other").read_text() == "kept"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_pipe_is_written_and_not_replaced(tmp_path):
    (path := tmp_path / "pipe").symlink_to("real")
    os.mkfifo(tmp_path / "real")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    ONE.save(path)
    assert path.is_fifo()
    (tmp_path / "copy").write_bytes(os.read(pipe, 10**6))
    os.close(pipe)
    assert_same(QueryScores.load(tmp_path / "copy"), ONE)


@pytest.mark.slow
def test_threads_that_save_to_one_path_leave_one_whole_file(tmp_path):
    path = tmp_path / "scores.parquet"
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(ONE.save, [path] * 80)] == [None] * 80
    assert_same(QueryScores.load(path), ONE)
    assert [*tmp_path.iterdir()] == [path]


def test_without_pyarrow_the_error_has_the_cure(tmp_path, monkeypatch):
    scores = score_queries([1, 0], [2, 1], "mrr")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[tables\]"'):
        scores.save(tmp_path / "scores.parquet")


def test_scores_of_other_judgements_are_not_compared(tmp_path):
    run = {f"q{i}": {"d1": 3, "d2": 2, "d30": 1} for i in range(60)}
    old = {qid: {"d1": 0, "d2": 1} for qid in run}
    known = score_runs(old, run, "mrr")
    saved = again(known, tmp_path)
    # Neither the order of rows, nor what was returned, nor ids of documents count.
    same = {qid: {"d2": 1.0, "d1": 0.0} for qid in [*run][::-1]}
    longer = {qid: {"a longer id": 4, "d2": 3} for qid in run}
    compare_rankers({"old": saved, "new": score_runs(same, longer, "mrr")})
    compare_rankers(
        {"old": saved, "new": score_queries(metrics="mrr", **align(old, run))}
    )
    for some in (
        {"d1": 1, "d2": 1},
        {"d1": 0, "d2": 1, "d30": 0},
        {"d2": 1},
        {"d2": 2},
    ):
        new = score_runs(old | {f"q{i}": some for i in range(12)}, run, "mrr")
        message = "'old' and 'new', between which 12 of 60 queries have other"
        with pytest.raises(ValueError, match=message):
            gate({"old": saved, "new": new}, baseline="old", margin=0.1)
        with pytest.raises(ValueError, match=message):
            compare_rankers({"old": known, "new": new})
    # What was computed of arrays alone says nothing of its judgements.
    of_arrays = score_queries([1, 0] * 60, [2, 1] * 60, "mrr", qid=np.repeat([*run], 2))
    compare_rankers({"old": saved, "new": of_arrays})
