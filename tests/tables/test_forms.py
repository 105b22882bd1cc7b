"""Every form of judgements and runs holds the same rows."""

# SPDX-License-Identifier: BSD-3-Clause

import bz2
import gzip
import json
import lzma
import re
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils import Bunch

import skrank
from skrank.metrics import QueryScores, evaluate
from skrank.tables import align, read_qrels, read_run, score_runs
from tests.tables.judgements import (
    QREL_COLUMNS,
    QREL_ROWS,
    QREL_TEXT,
    QRELS,
    RUN,
    RUN_COLUMNS,
    RUN_ROWS,
    RUN_TEXT,
    path_of,
    rows_of,
)


class OnlyArrow:
    """A table of which nothing is known but that Arrow can read it."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def in_json(data, name="data.json"):
    """Return the form of a JSON file, which is packed if its name ends in .gz."""

    def form(tmp_path):
        text = json.dumps(data).encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(text) if name.lower().endswith(".gz") else text)
        return path

    return form


QREL_FORMS = {
    "dicts": lambda _: QRELS,
    "JSON": in_json(QRELS),
    "packed JSON": in_json(QRELS, "Q.JSON.GZ"),
    "file": path_of(QREL_TEXT),
    "read file": lambda tmp_path: read_qrels(path_of(QREL_TEXT)(tmp_path)),
    "rows": lambda _: QREL_ROWS,
    "pandas": lambda _: pd.DataFrame(QREL_COLUMNS),
    "polars": lambda _: pl.DataFrame(QREL_COLUMNS),
    "pyarrow": lambda _: pa.table(QREL_COLUMNS),
    "categories": lambda _: pd.DataFrame(QREL_COLUMNS).astype({"qid": "category"}),
    "only Arrow": lambda _: OnlyArrow(pa.table(QREL_COLUMNS)),
}

RUN_FORMS = {
    "dicts": lambda _: RUN,
    "JSON": in_json(RUN),
    "packed JSON": lambda tmp_path: str(in_json(RUN, "a.run.json.gz")(tmp_path)),
    "pairs in JSON": in_json({q: [*found.items()] for q, found in RUN.items()}),
    "file": path_of(RUN_TEXT),
    "read file": lambda tmp_path: read_run(path_of(RUN_TEXT)(tmp_path)),
    "rows": lambda _: RUN_ROWS,
    "pairs": lambda _: {q: list(found.items()) for q, found in RUN.items()},
    "hits": lambda _: {
        q: [{"doc_id": d, "score": s, "more": None} for d, s in found.items()]
        for q, found in RUN.items()
    },
    "bytes": lambda _: Bunch(
        qid=np.array(RUN_COLUMNS["qid"], dtype="S"),
        doc_id=np.array(RUN_COLUMNS["doc_id"], dtype="S2"),
        score=RUN_COLUMNS["score"],
    ),
    "dictionaries of Arrow": lambda _: pa.table(
        {
            name: pa.array(values).dictionary_encode() if name != "score" else values
            for name, values in RUN_COLUMNS.items()
        }
    ),
    "categories of polars": lambda _: pl.DataFrame(RUN_COLUMNS).with_columns(
        pl.col("doc_id").cast(pl.Categorical)
    ),
    "pandas": lambda _: pd.DataFrame(RUN_COLUMNS),
    "polars": lambda _: pl.DataFrame(RUN_COLUMNS),
    "pyarrow": lambda _: pa.table(RUN_COLUMNS),
    "only Arrow": lambda _: OnlyArrow(pa.table(RUN_COLUMNS)),
    "a stream of Arrow": lambda _: pa.table(RUN_COLUMNS).to_reader(),
    "DuckDB": lambda _: duckdb.from_arrow(pa.table(RUN_COLUMNS)),
}


@pytest.mark.parametrize("form", QREL_FORMS.values(), ids=QREL_FORMS)
def test_every_form_of_judgements_gives_the_same_rows(tmp_path, form):
    assert rows_of(align(form(tmp_path), RUN)) == rows_of(align(QRELS, RUN))


@pytest.mark.parametrize("form", RUN_FORMS.values(), ids=RUN_FORMS)
def test_every_form_of_a_run_gives_the_same_rows(tmp_path, form):
    assert rows_of(align(QRELS, form(tmp_path))) == rows_of(align(QRELS, RUN))


def test_a_ranked_list_is_scored_by_its_order():
    run = {"q1": ["d4", "d3"], "q2": np.array(["d1"])}
    aligned = align(QRELS, run)
    assert evaluate(metrics="mrr", **aligned)["mrr"] == (1 / 2 + 1 + 0) / 3


TEXTS = ["", "ä", "d" * 30, "d1", "2"]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(TEXTS),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype=object),
        pa.chunked_array([["x"], TEXTS[:2], TEXTS[2:], ["y"]]).slice(1, 5),
        pa.array(["x", *TEXTS], pa.large_string())[1:],
        np.array(TEXTS),
    ],
    ids=lambda column: f"{type(column).__module__} {getattr(column, 'dtype', '')}",
)
def test_text_of_any_length_is_read_from_columns_of_every_kind(column):
    table = Bunch(qid=["q1"] * 5, doc_id=column, score=[5, 4, 3, 2, 1])
    aligned = align({"q1": {"d1": 1}}, table)
    assert aligned.doc_id.tolist() == TEXTS


def test_columns_of_arrow_are_read_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    run = pl.DataFrame(RUN_COLUMNS)
    assert rows_of(align(QRELS, run)) == rows_of(align(QRELS, RUN))


@pytest.mark.parametrize("collection", [set, list, frozenset])
def test_relevant_documents_without_grades_have_grade_1(collection):
    aligned = align({"q1": collection(["d1", "d3"])}, {"q1": {"d1": 1, "d2": 2}})
    assert sorted(aligned.y_true.tolist()) == [0, 1, 1]
    assert evaluate(metrics="recall@2", **aligned)["recall@2"] == 1 / 2


def test_columns_and_keys_of_other_names_are_read():
    qrels = pd.DataFrame(QREL_ROWS, columns=["query", "doc", "label"])
    hits = {
        q: [{"doc": d, "sim": s} for d, s in found.items()] for q, found in RUN.items()
    }
    names = {"qid": "query", "doc_id": "doc", "grade": "label", "score": "sim"}
    assert rows_of(align(qrels, hits, **names)) == rows_of(align(QRELS, RUN))


def test_an_id_that_would_fill_the_memory_is_refused():
    with pytest.raises(ValueError, match="document ids of run must have at most 4,096"):
        align(QRELS, {"q1": {"d1": 1.0, "x" * 4097: 2.0}})


def test_integer_ids_stay_integers():
    aligned = align({7: {-(2**62): 1}}, {7: [2**62, -(2**62)]})
    assert aligned.doc_id.tolist() == [2**62, -(2**62)]
    assert aligned.qid.tolist() == [7, 7]


def test_a_table_of_arrow_without_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[tables\]"'):
        align(OnlyArrow(None), RUN)


def test_grades_may_be_booleans():
    table = Bunch(qid=["q1"] * 2, doc_id=["d1", "d2"], grade=np.array([True, False]))
    aligned = align(table, {"q1": ["d2", "d1"]})
    assert (aligned.y_true.dtype.kind, aligned.y_true.tolist()) == ("i", [0, 1])


def test_interactions_without_a_grade_count_1():
    run = {1: ["b", "a"], 2: ["c", "d"]}
    clicks = {"user": [1, 2, 2], "item": ["a", "c", "d"]}
    names = {"qid": "user", "doc_id": "item"}
    expected = align({1: {"a"}, 2: {"c", "d"}}, run)
    for frame in (pd.DataFrame(clicks), pl.DataFrame(clicks), pa.table(clicks)):
        aligned = align(frame, run, **names)
        assert evaluate(metrics="map", **aligned) == evaluate(metrics="map", **expected)
    log = pd.DataFrame(clicks | {"time": [7, 8, 9]})
    with pytest.raises(ValueError, match=r"no column 'grade'.*frame.assign\(grade=1\)"):
        align(log, run, **names)
    assert evaluate(metrics="map", **align(log.assign(grade=1), run, **names)) == (
        evaluate(metrics="map", **expected)
    )


def test_a_json_file_is_the_dict_that_it_holds(tmp_path):
    scores = {"q": {"a": 1e-300, "b": 0.1 + 0.2, "c": -0.0, "d": 5e-324}}
    aligned = align({"q": {"a": 1}}, in_json(scores)(tmp_path))
    assert aligned.y_score.tolist() == list(scores["q"].values())
    whole = {"q": {"a": 2**60 + 1, "b": 2**60}}
    assert align({"q": {"a": 1}}, in_json(whole)(tmp_path)).y_score.tolist() == [
        2**60 + 1,
        2**60,
    ]
    lists = {"a": in_json({"q": ["b", "a"]})(tmp_path), "b": {"q": ["a"]}}
    qrels = in_json({"q": ["a"]}, "q.json")(tmp_path)
    got = score_runs(qrels, lists, "mrr").summary()
    assert got == {"a": {"mrr": 1 / 2}, "b": {"mrr": 1.0}}
    (tmp_path / "mark.json").write_text('{"q": ["\u00e4"]}', encoding="utf-8-sig")
    got = score_runs({"q": {"\u00e4": 1}}, tmp_path / "mark.json", "mrr").summary()
    assert got == {"mrr": 1.0}


@pytest.mark.parametrize("run", [{"301": {"7": 1, "8": 2}}, {"301": [8, 7]}])
def test_ids_of_a_json_file_meet_integers_as_those_of_trec_do(tmp_path, run):
    path = in_json(run)(tmp_path)
    for qrels in ({301: {7: 1}}, path_of("301 0 7 1\n")(tmp_path)):
        assert score_runs(qrels, path, "mrr").summary() == {"mrr": 1 / 2}
        runs = {"a": path, "b": {301: [7, 8]}}
        got = evaluate(metrics="mrr", **align(qrels, runs))
        assert got == {"a": {"mrr": 1 / 2}, "b": {"mrr": 1.0}}
        assert len(align(qrels, runs, wide=True).data) == 2
    with pytest.raises(TypeError, match="text such as '0301' and integers such as 301"):
        align({301: {7: 1}}, in_json({"0301": [7]})(tmp_path))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"q": {"a": 1, "b": 2, "a": 1}}', "as JSON: the key 'a' occurs twice"),
        ('{"q": {"a": 1}, "q": {"b": 1}}', "as JSON: the key 'q' occurs twice"),
        ('{"q": {"a": 1}', r"data\.json cannot be read as JSON: Expecting"),
        ('{"q": {"\xff": 1}}', "as JSON: .*can't decode byte 0xff"),
        ("", "cannot be read as JSON: Expecting value"),
        ('"other.json"', "Got 'other.json' of type str instead"),
        ('[["q", "a", 1]]', r"parameter must be .* JSON file.* of type list instead"),
        ('{"q": {"a": NaN}}', "Got nan for document 'a' of query 'q'"),
        ('{"q": {"a": "1"}}', "'1' for document 'a' of query 'q': make numbers of"),
        ('{"q": {"a": 1, "b": null}}', "None for document 'b' of query 'q': leave out"),
        ('[{"qid": "q"}]', r"pandas\.DataFrame\(rows\)"),
        ('{"q":' * 10**5, r"data\.json cannot be read as JSON: .* recursion"),
        ("{}", "for each of one or more rows"),
    ],
)
def test_a_json_file_of_something_else_is_refused(tmp_path, text, error):
    path = tmp_path / "data.json"
    path.write_bytes(text.encode("latin1"))
    for data in ((path, RUN), (QRELS, path)):
        with pytest.raises((TypeError, ValueError), match=error):
            align(*data)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b'{"q": 1}')[:-9])
    with pytest.raises(ValueError, match=r"a\.json\.gz cannot be read as JSON"):
        align(QRELS, tmp_path / "a.json.gz")


OF_BEIR = pd.DataFrame(QREL_COLUMNS).set_axis(
    ["query-id", "corpus-id", "score"], axis=1
)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("test.tsv", {"sep": "\t"}),
        ("mark.tsv", {"sep": "\t", "encoding": "utf-8-sig"}),
        ("quoted.csv", {"quoting": 2}),
        ("more.tsv.gz", {"sep": "\t"}),
        ("test.parquet", None),
    ],
)
def test_judgements_of_beir_are_read_by_their_columns(tmp_path, name, options):
    path, frame = tmp_path / name, OF_BEIR.assign(more="x")
    if options is None:
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, **options)
    assert rows_of(align(path, RUN)) == rows_of(align(QRELS, RUN))
    with pytest.raises(
        ValueError, match=r"no column 'query'\. Did you mean 'query-id'"
    ):
        align(path, RUN, qid="query")
    runs = (
        align(QRELS, path),
        align(
            QRELS,
            OF_BEIR.set_axis([*QREL_COLUMNS], axis=1).rename(
                columns={"grade": "score"}
            ),
        ),
    )
    assert rows_of(runs[0]) == rows_of(runs[1])


def test_the_error_of_an_unknown_column_names_the_usual_columns(tmp_path):
    path = tmp_path / "test.tsv"
    OF_BEIR.rename(columns={"score": "label"}).to_csv(path, sep="\t", index=False)
    with pytest.raises(ValueError, match="no column 'qid'"):
        align(path, RUN)


# Lines, what is read, and the MRR of what the error recommends.
WITHOUT_NAMES = {
    "a run of MS MARCO": ("7\td9\t1\n7\td1\t2\n", "run", 1 / 2),
    "scores": ("q7\td9\t-1.5e-05\nq7\td1\t-3e-05\n", "run", 1 / 2),
    "judgements of MS MARCO": ("7\td1\n8\td2\n", "qrels", 1 / 2),
    "grades": ("7\td1\t1\n7\td2\t2\n", "qrels", 1.0),
    "judgements of TREC": ("7\t0\td1\t1\n7\t0\td2\t2\n", "qrels", 1.0),
    "a run of TREC": ("7 Q0 d9 1 3.5 t\n7 Q0 d1 2 2.5 t\n", "run", 1 / 2),
}


@pytest.mark.parametrize("form", WITHOUT_NAMES)
def test_a_table_without_names_is_refused_with_a_line_that_reads_it(tmp_path, form):
    text, side, mrr = WITHOUT_NAMES[form]
    path = tmp_path / "rows.tsv"
    path.write_text(text)
    qrels = {"7": ["d1"], "q7": ["d1"]} if form != "scores" else {"q7": ["d1"]}
    sides = {"qrels": qrels, "run": {"7": ["d1", "d2"]}}
    if side == "run":
        sides["qrels"] = {text.split()[0]: ["d1"]}
    with pytest.raises(ValueError, match="must hold the names of the columns") as error:
        align(**sides | {side: path})
    line = re.search(r"(pandas|skrank)\.\S.*?(?=, or name it|\.$)", str(error.value))
    read = eval(line[0], {"pandas": pd, "skrank": skrank, "path": path})
    got = score_runs(**sides | {side: read}, metrics="mrr").summary()
    assert got == {"mrr": mrr}


@pytest.mark.parametrize("text", ["q\td\t1\t2\t3\n", "1\t2\n"])
def test_what_fields_are_is_not_guessed(tmp_path, text):
    path = tmp_path / "rows.tsv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"with a name for each of [25] fields"):
        align(QRELS, path)


PACKED = {"gz": gzip, "bz2": bz2, "xz": lzma}


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_file_with_another_ending_is_named(tmp_path, kind):
    path = tmp_path / "qrels.txt"
    path.write_bytes(PACKED[kind].compress(b"1 0 d 1\n"))
    cure = "let its name end in .gz" if kind == "gz" else "unpack it"
    with pytest.raises(ValueError, match=rf"is packed \({kind}\): {cure}"):
        align(path, RUN)


def test_json_lines_are_named(tmp_path):
    path = tmp_path / "qrels.jsonl"
    path.write_text('{"qid": "1", "doc_id": "d", "grade": 1}\n' * 2)
    with pytest.raises(
        ValueError, match=r"JSON, not TREC: pandas.read_json\(path, lin"
    ):
        align(path, RUN)
    one = tmp_path / "qrels.json"
    one.write_text('{"q": {"d": 1}}')
    with pytest.raises(ValueError, match=r"align and .* name ends in \.json\.$"):
        read_qrels(one)
    assert align(one, {"q": {"d": 1.0}})["y_true"].tolist() == [1]


@pytest.mark.parametrize("read", [read_qrels, read_run, QueryScores.load])
@pytest.mark.parametrize("path", [10**6, True, None])
def test_a_number_is_not_a_path(read, path):
    with pytest.raises(TypeError, match=r"expected str, bytes or os.PathLike object"):
        read(path)


def test_the_row_without_an_id_is_named():
    frame = pd.DataFrame({"qid": ["a", "a"], "doc_id": [1, np.nan], "grade": 1})
    with pytest.raises(TypeError, match="Got nan in row 1: leave out rows without an"):
        align(frame, RUN)
    frame = pd.DataFrame({"qid": ["a", "b"], "doc_id": [["x", "y"], ["z"]]})
    with pytest.raises(TypeError, match=r"frame.explode makes a row of each id"):
        align(frame, RUN)
    assert align(frame.explode("doc_id"), {"a": ["x"]}).y_true.tolist() == [1] * 3
