"""Columns that metrics read, by their names in a table or by item."""

# SPDX-License-Identifier: BSD-3-Clause

import decimal
import functools

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skrank.metrics import QueryScores, add_scorer, evaluate, of_items, score_queries
from skrank.tables import align, read_qrels, read_rows, score_runs, score_table, stream
from skrank.tables.stream import ArrowCore
from tests.brute_force import by_query
from tests.metrics.test_beyond_relevance import OF_LIST, expected
from tests.tables.sources import FORMS, as_source

# Read as one file or one stream is, once they are found.
SEVERAL = ["pattern", "directory", "list", "dataset", "scanner"]
METRICS = ["neg_popularity@3", "novelty@3", "group_share@3", "ild@3"]
NAMES = {"popularity": "share", "group": "is_tail", "features": "vector"}
N_ITEMS = 9


def draw(seed=0, n_queries=40):
    """Return rows with ties, in any order, and what metrics read of their items."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 7, n_queries))
    qid = rng.permutation(qid)
    item = rng.integers(0, N_ITEMS, len(qid))
    items = {
        "share": rng.integers(1, 9, N_ITEMS) / 8,
        "is_tail": rng.random(N_ITEMS) < 0.4,
        # Halves, which files of text and single precision hold exactly.
        "vector": rng.integers(0, 4, (N_ITEMS, 3)) / 2,
    }
    score = rng.integers(0, 3, len(qid)).astype(float)
    return {"qid": qid, "item": item, "y_score": score, "y_true": score > 1}, items


ROWS, ITEMS = draw()
BY_ROW = {name: ITEMS[where][ROWS["item"]] for name, where in NAMES.items()}


def table(kind="list"):
    """Return an Arrow table of the rows with the values of their items."""
    vectors = BY_ROW["features"]
    halves = pa.array(vectors.ravel().astype(np.float16))
    of_kind = {
        "list": pa.array(vectors.tolist()),
        "large_list": pa.array(vectors.tolist(), pa.large_list(pa.float32())),
        "fixed": pa.FixedSizeListArray.from_arrays(vectors.ravel(), 3),
        "half": pa.FixedSizeListArray.from_arrays(halves, 3),
        "decimal": pa.array(
            [[decimal.Decimal(x) for x in row] for row in vectors.tolist()],
            pa.list_(pa.decimal128(5, 2)),
        ),
    }
    return pa.table(
        ROWS
        | {"name": pa.array([f"i{item}" for item in ROWS["item"]])}
        | {"share": BY_ROW["popularity"], "is_tail": BY_ROW["group"]}
        | {"vector": of_kind[kind]}
    )


@functools.cache
def in_every_order(metrics=(*METRICS,), returned=None):
    """Return the values of the queries, the means over all orders of tied documents."""
    given = ROWS["y_score"], ROWS["qid"], BY_ROW, 3
    params = {} if returned is None else {"returned": np.array(returned)}
    names = [name.removeprefix("neg_").partition("@")[0] for name in metrics]
    values = [expected(OF_LIST[name], *given, **params) for name in names]
    values = np.nan_to_num(values)  # a list of one document counts 0
    values[[name.startswith("neg_") for name in metrics]] *= -1
    return values


def of_source(form):
    """Return the ids of the queries and their values, in the order of a source."""
    ids, values = np.unique(ROWS["qid"]), in_every_order()
    if form != "csv":
        return ids, values
    order = np.argsort(ids.astype(str))  # which are text there
    return ids.astype(str)[order], values[:, order]


@pytest.fixture
def small_batches(monkeypatch):
    """Make a table of a hundred rows a large one."""
    monkeypatch.setattr(stream, "BATCH", 20)


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("form", [form for form in FORMS if form not in SEVERAL])
def test_columns_of_every_source_have_the_values_of_all_orders(form, tmp_path):
    source = table()
    names = NAMES | {"features": "vector"}
    if form == "csv":  # which has no lists
        source = source.drop_columns(["vector"])
        names["features"] = of_items(ITEMS["vector"], "item")
    scores = score_table(as_source(source, form, tmp_path), METRICS, **names)
    ids, expected = of_source(form)
    assert_allclose(scores.values[0], expected, rtol=1e-12, atol=1e-15)
    assert_array_equal(scores.keys["qid"], ids)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["list", "large_list", "fixed", "half", "decimal"])
def test_lists_of_every_type_are_rows_of_a_matrix(kind):
    try:
        pa.array(np.zeros(1, dtype=np.float16)).cast(pa.float32())
    except pa.ArrowNotImplementedError:
        if kind == "half":
            pytest.skip("this version of pyarrow does not convert floats of two bytes")
    rows = read_rows(table(kind), features="vector")
    assert_array_equal(rows.features, BY_ROW["features"])
    scores = score_table(table(kind), "ild@3", features="vector")
    assert_allclose(
        scores.values[0], in_every_order(("ild@3",)), rtol=1e-12, atol=1e-15
    )


@pytest.mark.slow
@pytest.mark.parametrize("order", ["shuffled", "sorted"])
@pytest.mark.usefixtures("small_batches")
def test_batches_have_the_values_of_arrays_to_the_bit(order, tmp_path):
    source = table()
    if order == "sorted":
        source = source.sort_by("qid")
    pq.write_table(source, tmp_path / "t.parquet", row_group_size=7)
    scores = score_table(tmp_path / "t.parquet", [*METRICS, "ndcg@3"], **NAMES)
    given = ROWS["y_true"], ROWS["y_score"], [*METRICS, "ndcg@3"]
    arrays = score_queries(*given, qid=ROWS["qid"], **BY_ROW)
    assert_array_equal(np.delete(scores.values, 3, 1), np.delete(arrays.values, 3, 1))
    # With those of ild.
    assert_allclose(scores.values, arrays.values, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("form", "item"),
    [
        *(("parquet", "item"), ("csv", "item"), ("csv", "name")),
        *(("pandas", "name"), ("polars", "item"), ("relation", "name")),
    ],
)
def test_columns_of_items_are_those_of_the_rows(form, item, tmp_path):
    ids = np.arange(N_ITEMS) if item == "item" else [f"i{i}" for i in range(N_ITEMS)]

    def source():  # anew, for old versions of DuckDB read a relation once
        return as_source(table().drop_columns(["vector"]), form, tmp_path)

    by_item = {
        "popularity": of_items(dict(zip(ids, ITEMS["share"], strict=True)), item),
        "group": of_items(pd.Series(ITEMS["is_tail"], index=ids), item),
        "features": of_items(pd.DataFrame(ITEMS["vector"], index=ids), item),
    }
    scores = score_table(source(), METRICS, **by_item)
    assert_allclose(scores.values[0], of_source(form)[1], rtol=1e-12, atol=1e-15)
    rows = read_rows(source(), y_true=None, **by_item)
    assert rows.y_true is None
    values = by_query(metrics=METRICS, **rows)
    values = [values[name] for name in METRICS]
    assert_allclose(values, scores.values[0], rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_rows_that_were_not_returned_or_judged_keep_their_columns():
    rng = np.random.default_rng(1)
    returned = rng.random(len(ROWS["qid"])) < 0.7
    returned[np.unique(ROWS["qid"], return_index=True)[1]] = True
    masks = {"returned": returned, "judged": rng.random(len(returned)) < 0.5}
    source = table()
    for name, mask in masks.items():
        source = source.append_column(name, pa.array(mask))
    names = {name: name for name in masks}
    scores = score_table(source, METRICS, **names, **NAMES)
    reference = in_every_order(returned=(*returned,))
    assert_allclose(scores.values[0], reference, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("masks", [None, {"y_score": "all", "other": "all"}], ids=str)
def test_rankers_of_one_table_share_its_columns(masks):
    other = np.random.default_rng(2).integers(0, 3, len(ROWS["qid"]))
    source = table().append_column("other", pa.array(other))
    alone = score_table(source, METRICS, y_score="other", **NAMES)
    source = source.append_column("all", pa.array(other >= 0))
    rankers = {"y_score": ["y_score", "other"], "returned": masks}
    scores = score_table(source, METRICS, **rankers, **NAMES)
    assert_allclose(scores.values[0], in_every_order(), rtol=1e-12, atol=1e-15)
    assert_array_equal(scores.values[1], alone.values[0])


def test_labels_in_lists_are_columns_of_a_matrix():
    labels = [["a", "b"], [], None, ["c"], ["b", "a"]]
    source = pa.table({"qid": [1] * 5, "y_score": range(5), "nuggets": labels})
    rows = read_rows(source, y_true=None, subtopics="nuggets")
    a, b, c = [1, 0, 0, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]
    assert_array_equal(rows.subtopics.toarray(), np.transpose([a, b, c]))


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
def test_what_is_below_the_cutoff_may_be_missing(tmp_path):
    rows = {"qid": [1, 1, 2, 2], "y_score": [2, 1, 1, 2]}
    values = {"views": [8, None, None, 2], "vector": [[1.0], None, None, [2.0]]}
    source = as_source(pa.table(rows | values), "parquet", tmp_path)
    params = {"y_true": None, "popularity": "views"}
    scores = score_table(source, "neg_popularity@1", **params)
    assert scores.summary() == {"neg_popularity@1": -(8 + 2) / 2}
    with pytest.raises(ValueError, match=r"'popularity' must hold finite .* Got nan"):
        score_table(source, "neg_popularity@2", **params)
    with pytest.raises(ValueError, match=r"'features' must hold finite .* Got nan"):
        score_table(source, "ild@2", y_true=None, features="vector")
    nothing = rows | {"vector": pa.nulls(4, pa.list_(pa.float64(), 2))}
    with pytest.raises(ValueError, match=r"'features' must hold finite .* Got nan"):
        score_table(pa.table(nothing), "ild", y_true=None, features="vector")
    fixed = pa.array([[1.0, 0.0], None, None, [2.0, 0.0]], pa.list_(pa.float64(), 2))
    fixed = pa.table(rows | {"vector": fixed})
    assert score_table(fixed, "ild@1", y_true=None, features="vector").values.shape[2]


OF_ITEM = of_items({"a": 1}, ["a"])
WRONG = [
    ("ild@3", {}, r"'ild@3' reads the column 'features'\. Pass .* to score_table"),
    ("novelty", {"popularity": "shares"}, "no column 'shares'. Did you"),
    ("ild", {"features": "share"}, "'features' must have shape"),
    ("novelty", {"popularity": "name"}, "'popularity' .* real numbers"),
    ("ild", {"features": "ragged"}, "'ragged'.* lists of 1 and of 2"),
    ("ild", {"features": "nested"}, "'nested' must hold numbers, text"),
    ("novelty", {"popularity": "y_true", "judged": "is_tail"}, "'y_true' has the gra"),
    (["ild", "mrr"], {"features": "vector", "y_true": None}, "'mrr'"),
]
OF_OTHER_TYPES = [
    ("ndcg@3", {"popularity": "share"}, r"none of \['ndcg@3'\] takes: \['p"),
    ("novelty", {"popularity": np.ones(3)}, r"must be a str.* of_items\(table, item\)"),
    ("novelty", {"popularity": OF_ITEM}, "with an item that is one"),
]


@pytest.mark.parametrize(
    ("metrics", "params", "message", "error"),
    [(*row, ValueError) for row in WRONG]
    + [(*row, TypeError) for row in OF_OTHER_TYPES],
)
def test_what_is_wrong_with_a_column_is_said(metrics, params, message, error):
    n = len(ROWS["qid"])
    source = table().append_column("ragged", pa.array([[1.0], *[[1.0, 2.0]] * (n - 1)]))
    source = source.append_column("nested", pa.array([[[1.0]]] * n))
    with pytest.raises(error, match=message):
        score_table(source, metrics, **params)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask uses it
@pytest.mark.parametrize("kind", ["objects", "Arrow", "a file"])
def test_columns_of_dask_have_the_values_of_all_orders(kind, tmp_path):
    frame = table().to_pandas(types_mapper=pd.ArrowDtype if kind == "Arrow" else None)
    frame, names = dd.from_pandas(frame, npartitions=3), dict(NAMES)
    if kind == "objects":  # Dask makes text of them
        names["features"] = of_items(ITEMS["vector"], "item")
    if kind == "a file":
        pq.write_table(table("fixed"), tmp_path / "t.parquet")
        frame = dd.read_parquet(tmp_path / "t.parquet")
    scores = score_table(frame, METRICS, **names).collect()
    assert_allclose(scores.values[0], in_every_order(), rtol=1e-12, atol=1e-15)
    means = in_every_order().mean(axis=1)
    assert list(scores.summary().values()) == pytest.approx(means)


SUBTOPICS = """\
1 fuel pump 1
1 price pump 2
1 fuel hose 0
1 price sign 1
1 place hose -2
2 fuel pump 1
"""
RUN = {"1": {"hose": 3.0, "pump": 2.0, "new": 1.0}, "2": {"other": 1.0}}


def judgements(folder, text=SUBTOPICS):
    path = folder / "qrels.txt"
    path.write_text(text)
    return read_qrels(path, subtopics=True)


def test_judgements_of_subtopics_are_those_of_documents_with_labels(tmp_path):
    qrels = judgements(tmp_path)
    assert qrels.subtopic.tolist() == SUBTOPICS.split()[1::4]
    aligned = align(qrels, RUN, judged_from=0)
    rows = list(zip(aligned.qid.tolist(), aligned.doc_id.tolist(), strict=True))
    labels = dict(zip(rows, aligned.subtopics.toarray().tolist(), strict=True))
    # In the order of the labels: fuel, place, price.
    labelled = {("1", "pump"): [1, 0, 1], ("2", "pump"): [1, 0, 0]}
    labelled["1", "sign"] = [0, 0, 1]
    assert {row: of for row, of in labels.items() if any(of)} == labelled
    by_document = {"1": {"pump": 2, "hose": 0, "sign": 1}, "2": {"pump": 1}}
    plain = align(by_document, RUN, judged_from=0)
    for name, values in plain.items():
        assert_array_equal(aligned[name], values)
    # A higher grade is asked for of a judgement on one subtopic.
    aligned = align(qrels, RUN, judged_from=2, unjudged_queries="drop")
    assert aligned.subtopics.sum() == 1


def test_runs_are_scored_by_subtopics_and_by_columns_of_documents(tmp_path):
    def n_subtopics(ranking, *, k=None):
        top = ranking.documents(k)
        in_list = top.mean_over_places(np.ones_like)[:, np.newaxis]
        listed = top.column("subtopics") * in_list
        found = np.zeros((ranking.n_queries, listed.shape[1]))
        np.maximum.at(found, top.query, listed)
        return found.sum(axis=1)

    runs = {"a": RUN, "b": {"2": ["pump"], "1": ["sign", "hose"]}}
    views = of_items({"pump": 1, "hose": 2, "new": 3, "other": 4, "sign": 5}, "doc_id")
    metrics = ["ndcg@3", "neg_popularity@2", "n_subtopics@2"]
    add_scorer("n_subtopics", n_subtopics, columns=("subtopics",))
    given = judgements(tmp_path), runs
    scores = score_runs(*given, metrics, judged_from=0, popularity=views)
    aligned = align(*given, judged_from=0)
    again = evaluate(metrics=metrics, popularity=views, **aligned)
    summary = scores.summary()
    assert summary["a"]["n_subtopics@2"] == (2 + 0) / 2
    assert summary["b"]["n_subtopics@2"] == (1 + 1) / 2
    assert summary["a"]["neg_popularity@2"] == -((2 + 1) / 2 + 4) / 2
    assert summary["b"]["neg_popularity@2"] == -((5 + 2) / 2 + 1) / 2
    assert again == summary
    # Metrics that read no subtopics are those of the same grades without any.
    plain = {"1": {"pump": 2, "hose": 0, "sign": 1}, "2": {"pump": 1}}
    ours = score_runs(*given, "ndcg@3", judged_from=0)
    assert ours.summary() == score_runs(plain, runs, "ndcg@3").summary()


def test_subtopics_of_judgements_are_found_by_their_metrics(tmp_path):
    given = judgements(tmp_path), RUN
    metrics = ["subtopic_recall@2", "precision_ia@2", "alpha_ndcg@2"]
    scores = score_runs(*given, metrics, judged_from=0)
    # Of query 1 the second document is on both subtopics, and ideally it is the first.
    # Nothing that query 2 returned is judged.
    recall, precision, alpha_ndcg = scores.values[0]
    assert_allclose(recall, [2 / 2, 0])
    assert_allclose(precision, [(1 / 2 + 1 / 2) / 2, 0])
    ideal = 2 + 1 / 2 / np.log2(3)
    assert_allclose(alpha_ndcg, [2 / np.log2(3) / ideal, 0])
    by_path = score_runs(tmp_path / "qrels.txt", RUN, metrics, judged_from=0)
    assert_array_equal(by_path.values, scores.values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "batch"),
    [("parquet", 1), ("pandas", 20), ("polars", 20), ("lazy", 20), ("pyarrow", 10**6)],
)
def test_subtopics_have_the_values_of_arrays_to_the_bit(
    form, batch, tmp_path, monkeypatch
):
    monkeypatch.setattr(stream, "BATCH", batch)
    metrics = ["alpha_ndcg@5", "err_ia", "nrbp", "map_ia", "precision_ia@3"]
    metrics += ["subtopic_recall@2", "alpha_ndcg(ideal=None)"]
    rng = np.random.default_rng(batch)
    # Names in another order than that in which the rows have them.
    known = np.array([f"{label}" for label in rng.permutation(12)])
    qid = rng.permutation(np.repeat(np.arange(15), rng.integers(1, 9, 15)))
    n_labels = rng.integers(0, 5, len(qid))
    labels = [rng.choice(known, n, replace=False).tolist() for n in n_labels]
    rows = {"qid": qid, "y_score": rng.integers(0, 4, len(qid))}
    arrays = score_queries(None, metrics=metrics, subtopics=labels, **rows)
    numbers = [f"{i}" for i in range(len(qid))]
    lists = pa.array(labels, pa.list_(pa.string()))
    source = pa.table(rows | {"nuggets": lists, "row": numbers})
    by_item = of_items(dict(zip(numbers, labels, strict=True)), "row")
    for table, subtopics in [
        (as_source(source, form, tmp_path), "nuggets"),
        (source.sort_by("qid"), "nuggets"),
        (source.drop_columns(["nuggets"]), by_item),
    ]:
        scores = score_table(table, metrics, y_true=None, subtopics=subtopics)
        assert_array_equal(scores.values, arrays.values)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "pyarrow", "polars", "fixed"])
def test_a_label_that_is_missing_in_a_list_is_refused(form, tmp_path):
    # As an index of a matrix it would be -2^63, and reading the matrix would crash.
    kind = pa.list_(pa.string(), 2) if form == "fixed" else pa.list_(pa.string())
    labels = pa.array([["a", "b"], None, ["b", None]], kind)
    table = pa.table({"qid": [1, 1, 1], "y_score": [3, 2, 1], "nuggets": labels})
    form = form.replace("fixed", "pyarrow")
    names = {"y_true": None, "subtopics": "nuggets"}
    message = "'nuggets', which is 'subtopics' for metrics, must .* Got a missing one"
    with pytest.raises(ValueError, match=message):
        read_rows(as_source(table, form, tmp_path), **names)
    with pytest.raises(ValueError, match=message):
        score_table(as_source(table, form, tmp_path), "map_ia", **names)
    # A list that is missing as a whole has no labels.
    rows = read_rows(as_source(table.slice(0, 2), form, tmp_path), **names)
    assert_array_equal(rows.subtopics.toarray(), [[1, 1], [0, 0]])


def test_a_document_has_one_judgement_on_a_subtopic(tmp_path):
    qrels = judgements(tmp_path, SUBTOPICS + "1 price pump 0\n")
    message = "Got 'pump' for query '1' and subtopic 'price' more than once"
    with pytest.raises(ValueError, match=message):
        align(qrels, RUN, judged_from=0)
    with pytest.raises(ValueError, match=r"grades of qrels must be >= 0. Got -2"):
        align(judgements(tmp_path), RUN)


def test_a_column_of_documents_needs_their_ids():
    views = of_items({"a": 1, "b": 2}, "doc_id")
    given = {"y_true": None, "y_score": [2, 1], "metrics": "neg_popularity@1"}
    found = evaluate(**given, popularity=views, doc_id=["b", "a"])
    assert found == {"neg_popularity@1": -2}
    with pytest.raises(ValueError, match=r"'popularity' is of_items\(table, 'doc_id'"):
        evaluate(**given, popularity=views)
    with pytest.raises(ValueError, match=r"which a table has that score_table scores"):
        evaluate(**given, popularity=of_items({"a": 1}, "item"), doc_id=["b", "a"])


@pytest.mark.parametrize(
    ("ids", "item", "got"),
    [
        (["a", "b"], [0, 1], "Got no item 0 of type int among 2 of type str"),
        ([0, 1], ["a", "b"], "Got no item 'a' of type str among 2 of type int"),
        (["a", "b"], ["a", "x"], "Got no item 'x' among 2."),
        (np.array(["a", "b"]), np.array(["a", "x"]), "Got no item 'x' among 2."),
        ([0, 1], [0, 5], "Got no item 5 among 2."),
        ([0, 1], [0, None], "Got no item None of type NoneType among 2 of type int"),
        (None, ["a", "b"], "Got no item 'a' of type str among 2 of type int"),
        (None, [0, -1], "Got no item -1 among 2."),
    ],
)
def test_an_item_of_another_type_is_refused(ids, item, got):
    items = [1.0, 2.0] if ids is None else pd.Series([1.0, 2.0], index=ids)
    rows = {"qid": [1, 1], "y_score": [2.0, 1.0]}
    with pytest.raises(ValueError, match=got):
        evaluate(None, [2, 1], "neg_popularity", popularity=of_items(items, item))
    if None not in item:
        source, views = pa.table(rows | {"item": item}), of_items(items, "item")
        with pytest.raises(ValueError, match=got):
            score_table(source, "neg_popularity", y_true=None, popularity=views)


@pytest.mark.parametrize("kind", ["int", "uint8", "str", "bytes", "object", "date"])
def test_items_are_found_whatever_their_type(kind):
    rng, n = np.random.default_rng(0), 500
    ids = {
        "int": rng.choice(10**12, n, replace=False),
        "uint8": rng.permutation(200).astype(np.uint8),
        "str": np.array([f"{i:x}é" for i in rng.permutation(n)]),
        "bytes": np.array([f"{i:x}é" for i in rng.permutation(n)]),
        "object": np.fromiter(((i, "a") for i in range(n)), object, n),
        "date": rng.permutation(n).astype("datetime64[D]"),
    }[kind]
    values, place = rng.random(len(ids)), rng.integers(0, len(ids), 2000)
    item = ids[place]
    if kind == "bytes":
        item = np.char.encode(item, "utf-8")
    if kind == "uint8":
        item = item.astype(np.int64)
    column = of_items(dict(zip(ids.tolist(), values, strict=True)), item)
    if kind == "date":
        column = of_items(pd.Series(values, index=ids), item)
    assert_array_equal(column.take(np.arange(2000)), values[place])


@pytest.mark.slow
def test_many_rows_have_one_value_however_they_are_read(tmp_path, monkeypatch):
    # Fewer rows than there are, for `evaluate` to measure at once.
    monkeypatch.setattr("skrank._engine.answer.ROWS", 2**15)
    rng, n_queries, size = np.random.default_rng(0), 2500, 30
    monkeypatch.setattr(stream, "BATCH", n_queries * size)
    n_rows, metrics = n_queries * size, ["ndcg@5", "neg_popularity@5", "ild@5"]
    item = rng.integers(0, 1000, n_rows)
    views, vectors = rng.random(1000), rng.random((1000, 4), dtype=np.float32)
    rows = {
        "qid": np.repeat(np.arange(n_queries), size),
        "y_true": rng.integers(0, 2, n_rows).astype(np.int8),
        "y_score": rng.integers(0, 40, n_rows).astype(np.float32),  # with ties
    }
    columns = {"popularity": views[item], "features": vectors[item]}
    whole = score_queries(**rows, metrics=metrics, **columns)
    by_item = {"popularity": of_items(views, item), "features": columns["features"]}
    in_blocks = evaluate(**rows, metrics=metrics, **by_item)
    assert in_blocks == pytest.approx(whole.summary(), rel=1e-12)
    assert in_blocks["neg_popularity@5"] == whole.summary()["neg_popularity@5"]
    lists = pa.FixedSizeListArray.from_arrays(columns["features"].ravel(), 4)
    source = pa.table(rows | {"item": item, "views": columns["popularity"]})
    source, cut = source.append_column("vector", lists), size * (n_queries // 3)
    pq.write_table(source.slice(cut), tmp_path / "a.parquet")
    pq.write_table(source.slice(0, cut), tmp_path / "b.parquet")
    names = {"popularity": "views", "features": of_items(vectors, "item")}
    together = score_table(tmp_path, metrics, **names)
    names = {"popularity": of_items(views, "item"), "features": "vector"}
    parts = [score_table(tmp_path / f"{x}.parquet", metrics, **names) for x in "ab"]
    for scores in (together, QueryScores.concat(parts)):
        assert_array_equal(scores.keys["qid"], whole.keys["qid"])
        assert_array_equal(scores.values[:, :2], whole.values[:, :2])
        assert_allclose(scores.values, whole.values, rtol=1e-12, atol=1e-15)
        assert scores.summary()["neg_popularity@5"] == in_blocks["neg_popularity@5"]


@pytest.mark.slow
def test_long_lists_are_scored_some_rows_at_a_time(monkeypatch):
    sizes, call = [], ArrowCore.__call__

    def spy(core, table):
        sizes.append(len(table))
        return call(core, table)

    monkeypatch.setattr(ArrowCore, "__call__", spy)
    n, n_features = 4000, 1000
    vectors = pa.FixedSizeListArray.from_arrays(np.ones(n * n_features), n_features)
    rows = {"qid": np.arange(n) // 10, "y_score": np.arange(n), "vector": vectors}
    scores = score_table(pa.table(rows), "ild@5", y_true=None, features="vector")
    assert scores.values.shape == (1, 1, n // 10)
    # Of 8,000 bytes in a row, instead of all rows at once.
    assert max(sizes) <= stream.BATCH / (8 * n_features / stream.LIST_BYTES)
