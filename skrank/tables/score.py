"""Tables, or judgements and runs, that are scored by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import Bunch

from skrank._engine.columns import COLUMN_READERS, columns_of, no_grades
from skrank._engine.names import check_ids_unneeded, read_requests
from skrank._engine.request import reads_highest_grade, with_highest_grade
from skrank._engine.value_table import distinct, join_rankers
from skrank._input.callers import warn_caller
from skrank._input.checks import check_column_name, check_some_weight, shown
from skrank._input.frames import column_names
from skrank._ranking.ids import encode_qid
from skrank._text.docs import (
    Judgements,
    MetricsLike,
    PathLike,
    share_run_words,
    share_table_words,
)
from skrank._text.tables import progress_bar
from skrank.evaluation.evaluate import check_names, score_queries, warn_of_parts
from skrank.evaluation.query_scores import QueryScores
from skrank.tables.align import align, lacking_words, rule_of_all
from skrank.tables.clusters import (
    ClusterScores,
    check_columns,
    schema_of_scores,
    table_of_cluster,
)
from skrank.tables.forms import TRUTH, Names, are_runs, is_trec, read_form
from skrank.tables.source import FOR_DUCKDB, FOR_THE_REST, Source
from skrank.tables.stream import (
    MOST_COPIES,
    ArrowCore,
    Columns,
    as_numpy,
    columns_of_table,
    lacks_values,
    score_source,
)
from skrank.tables.trec_text import read_qrels

# How a column that metrics read is passed.
NAME_A_COLUMN = "Pass {name}=..., the name of a column of the table, to {caller}."


@share_table_words
def score_table(
    source: PathLike | Any,
    metrics: MetricsLike,
    *,
    qid: str = "qid",
    y_true: str | None = "y_true",
    y_score: str | Sequence[str] | Mapping[str, str] = "y_score",
    by: str | Sequence[str] = (),
    judged: str | None = None,
    returned: str | Mapping[str, str] | None = None,
    doc_id: str | None = None,
    sample_weight: str | None = None,
    memory_limit: str | None = None,
    **params: Any,
) -> QueryScores | Any:
    """Score the queries of a file or a table with a row for each document of a query.

    A file or a table may be larger than the memory. DuckDB brings the rows of each
    query together; skrank scores some hundred thousand rows at a time. Only the values
    of the queries are kept, and one query has to fit into memory. The result is that of
    :func:`~skrank.metrics.score_queries`, to the last bit. On a terminal, if tqdm is
    installed, a progress bar appears when two seconds have passed.

    Parameters
    ----------
    source : str, path, list of paths or table
        A Parquet, CSV or Arrow (IPC) file, a pattern such as
        ``"runs/*.parquet"``, a directory of such files, a URL that DuckDB reads, or a
        list of these. As in pandas, pyarrow and Spark, names below a directory that
        begin with "." or "_", such as "_temporary", are left out with all that they
        hold. Or a table that speaks the Arrow PyCapsule protocol, such as a
        data frame of pandas, polars or pyarrow or a RecordBatchReader; a LazyFrame of
        polars; a Dataset or a Scanner of pyarrow. Rows may be in any order; files in
        which the rows of a query stand together are read once. Or a data frame of Spark
        or Dask, whose rows stay where they are.
    metrics : str, callable, or list or dict of them
        Scorer names, metric functions of skrank or functions of your own, as in
        :func:`~skrank.metrics.evaluate`.
    by : str or list of str, default=()
        Further columns that tell queries apart, such as a segment or a fold, by which
        they can be summarized.
    doc_id : str, default=None
        The column of the document ids, by which `doc_order` orders tied documents.
        Rules that keep the order of the rows, such as the conventions "lightgbm" and
        "xgboost", need none: of several files, those of the first name come first.
        Rows of Spark and Dask have no order.
    memory_limit : str, default=None
        The memory of the whole process, such as "2GB". Of it 500 MB are for Python and
        the rows that are being scored, and some for the values by query. DuckDB gets
        the rest, at least 100 MB, and writes temporary files beyond it. A limit that
        is too small raises an error with the least that works. None is DuckDB's
        default.
    **params
        Further parameters of :func:`~skrank.metrics.evaluate`, such as `convention`,
        `average` and ``ties="pessimistic"``. What metrics read of documents in addition
        to grades and scores are names of columns, such as ``popularity="n_ratings"``
        and ``features="embedding"``, a column of lists of numbers of one length; or
        :func:`~skrank.metrics.of_items` of a table by item and the name of the column
        of the items. A value may be missing where no metric reads it: below a cutoff.

    Returns
    -------
    scores : QueryScores or ClusterScores
        The values by ranker, metric and query. Those of Spark and Dask are lazy: a
        `frame` with one row per query, and `collect()`, which returns a QueryScores.

    See Also
    --------
    score_runs : The same of judgements and runs.
    read_rows : The rows as arrays, for all functions that take arrays.
    skrank.metrics.score_queries : The same of arrays.
    ship_to_spark : Sends skrank to the workers of Spark.

    Notes
    -----
    Types are not guessed from a part of the data. Ids and `by` of a CSV file are text,
    and sorted as text: "10" before "9". Decimals are no ids: cast them. Parquet files
    must have the same types, or types that one of them holds exactly. What DuckDB can
    read besides, it reads for you: pass ``duckdb.read_json("rows.jsonl")``, or a table
    in folders such as "day=1", which are columns in
    ``duckdb.read_parquet(..., hive_partitioning=True)``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrank.tables import score_table
    >>> frame = pd.DataFrame(
    ...     {"user": [7, 7, 8, 8], "bought": [1, 0, 0, 1], "score": [2, 1, 2, 1]}
    ... )
    >>> scores = score_table(
    ...     frame, ["mrr", "hits@1"], qid="user", y_true="bought", y_score="score"
    ... )
    >>> scores.summary()
    {'mrr': 0.75, 'hits@1': 0.5}
    >>> scores.to_frame()
       qid  mrr  hits@1
    0    7  1.0     1.0
    1    8  0.5     0.0
    """
    columns = source_columns(
        "score_table", qid, y_true, y_score, by, judged, returned, doc_id, sample_weight
    )
    requests = read_requests(metrics, params, "score_table")
    of_metrics = columns_of(requests, params, "score_table", how=NAME_A_COLUMN)
    columns = columns._replace(of_metrics=_named(of_metrics))
    if y_true is None:
        no_grades((), requests, "score_table")
    elif judged is not None and y_true in columns.values():
        raise ValueError(
            f"The column {y_true!r} has the grades, which are read only where "
            "documents are judged. Got it as a column of metrics, too: copy it."
        )
    if doc_id is None:
        check_ids_unneeded(requests, params.get("convention"))
    check_names(columns.y_score, columns.by, requests)
    core = ArrowCore(tuple(requests), columns)
    if (cluster := table_of_cluster(source)) is not None:
        _check_cluster(core, memory_limit)
        check_columns(cluster, columns)
        core = with_max_grade(cluster, core)
        frame = cluster.score(core, schema_of_scores(core, cluster.schema))
        return ClusterScores(frame=frame, core=core, engine=cluster)
    with Source(source, columns, memory_limit) as rows:
        rows.check(columns)
        core = with_max_grade(rows, core)
        if memory_limit is not None:
            _leave_memory(rows, core)
        with progress_bar(rows.count, "row") as advance:
            tables = score_source(rows, core, advance)
        n_cut = rows.count_cut(columns) if columns.by else 0
    scores = core.finish(tables, rows.kind)  # when DuckDB has freed its memory
    if n_cut:
        qid = scores.keys["qid"]
        warn_of_parts([*columns.by], n_cut, len(encode_qid(qid)[0]), len(qid))
    check_some_weight(scores.weight)
    return scores


def _named(columns):
    """Return where a table has the columns that metrics read; raise if not by name."""
    found = {}
    for name, where in columns.items():
        if not isinstance(getattr(where, "item", where), str):
            raise TypeError(
                f"The column {name!r} must be a str, the name of a column of the "
                "table, or of_items(table, item) with an item that is one. Got "
                f"{shown(where)} of type {type(where).__name__} instead."
            )
        read = COLUMN_READERS.get(name)
        if read is not None and not isinstance(where, str):  # once, not in each batch
            where = replace(where, values=read(where.values))
        found[name] = where
    return found


def _leave_memory(source, core):
    """Divide the memory between DuckDB and the values by query, or raise."""
    n_queries, key_bytes = source.count_queries(core.columns)
    n_bytes = key_bytes + 8 * len(core.state)
    megabytes = n_queries * n_bytes / 1e6
    needed = FOR_THE_REST + max(FOR_DUCKDB + megabytes, MOST_COPIES * megabytes)
    if needed > source.megabytes:
        raise ValueError(
            "The 'memory_limit' parameter of score_table must be at least "
            f"'{math.ceil(needed)}MB' here. Got {source.megabytes:,.0f} MB. Of about "
            f"{n_queries:,} queries the values take {MOST_COPIES} times "
            f"{megabytes:,.0f} MB, while they are joined: pass fewer metrics, or score "
            "parts of the queries and join them by QueryScores.concat."
        )
    source.leave_memory(megabytes)


def with_max_grade(source, core):
    """Return a core that measures by the highest grade, if a metric depends on it."""
    compared = [one for one in core.requests if one.options.threshold is None]
    if not any(map(reads_highest_grade, core.requests)) and not compared:
        return core
    low, high = source.extreme_grades(core.columns)
    if compared and low is not None and low < 0:
        raise ValueError(
            f"{compared[0].key!r} with threshold=None compares negative grades with "
            f"those of all data. Got a lowest grade of {float(low)}: pass a "
            "`threshold`, or shift the grades."
        )
    requests = tuple(with_highest_grade(one, high) for one in core.requests)
    return replace(core, requests=requests)


@share_table_words
def read_rows(
    source: PathLike | Any,
    *,
    qid: str = "qid",
    y_true: str | None = "y_true",
    y_score: str | Sequence[str] | Mapping[str, str] = "y_score",
    judged: str | None = None,
    returned: str | Mapping[str, str] | None = None,
    doc_id: str | None = None,
    sample_weight: str | None = None,
    **columns: Any,
) -> Bunch:
    """Read the rows of a file or a table as the arguments of metrics.

    It is for what needs the rows themselves, such as :func:`~skrank.metrics.explain`,
    :func:`~skrank.metrics.tie_report` and :func:`~skrank.metrics.query_report`. The
    columns have to fit into memory. :func:`score_table` scores tables that do not.

    Parameters
    ----------
    source : str, path, list of paths or table
        A file, files or a table with a row for each document of a query, in any form
        that :func:`score_table` takes but a data frame of Spark or Dask.
    **columns : str or ItemColumn
        What metrics read of documents in addition to grades and scores, by the names
        of metrics for it, such as ``popularity="n_ratings"``, as :func:`score_table`
        takes it.

    Returns
    -------
    rows : Bunch
        The arguments of :func:`~skrank.metrics.evaluate`: `y_true`, `y_score` and
        `qid`, and the others whose columns are named, of shape (n_samples,), in the
        order of the rows. Of several rankers, `y_score` is a dict of their names to
        arrays, as is `returned` if it was a dict. A column of lists of numbers is an
        array of shape (n_samples, n), and one of lists of labels a sparse matrix with a
        column for each label.

    See Also
    --------
    align : The same for judgements and runs.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrank.metrics import tie_report
    >>> from skrank.tables import read_rows
    >>> frame = pd.DataFrame({"user": ["u", "u"], "bought": [1, 0], "score": [3, 3]})
    >>> rows = read_rows(frame, qid="user", y_true="bought", y_score="score")
    >>> tie_report(metrics="mrr", **rows)
    1 of 1 queries are tied (100.0%)
    2 of 2 documents are tied (100.0%)
    <BLANKLINE>
         pessimistic  expected  optimistic      span
    mrr     0.500000  0.750000    1.000000  0.500000
    """
    of_metrics = _named(columns)
    asked = source_columns(
        "read_rows", qid, y_true, y_score, (), judged, returned, doc_id, sample_weight
    )._replace(of_metrics=of_metrics)
    with Source(source, asked, reads_all=True) as rows:
        rows.check(asked)
        query = f"SELECT {rows.selected(asked)} FROM {rows.relation}"
        found = rows.run(lambda: rows.connection.sql(query).to_arrow_table())
        if lacks_values(found.select(asked.whole())):
            rows.refuse_missing(asked)
    arrays = {name: as_numpy(found[name]) for name in asked.whole()}
    named = asked._asdict()
    del named["of_metrics"]
    if isinstance(y_score, str):
        named["y_score"] = y_score
    given = columns_of_table(found, asked)
    given |= {"y_true": None} if y_true is None else {}
    return Bunch(
        **{
            argument: {name: arrays[one] for name, one in column.items()}
            if isinstance(column, Mapping)
            else arrays[column]
            for argument, column in named.items()
            if column  # neither None nor the empty tuple of `by`
        },
        **given,
    )


def source_columns(
    caller, qid, y_true, y_score, by, judged, returned, doc_id, sample_weight
):
    """Return the checked names of the columns."""
    check_column_name(qid, "qid", caller)
    others = {"judged": judged, "doc_id": doc_id, "sample_weight": sample_weight}
    for name, column in ({"y_true": y_true} | others).items():
        if column is not None:
            check_column_name(column, name, caller)
    keys = [by] if isinstance(by, str) else by
    if not isinstance(keys, (list, tuple)) or not _are_names(keys):
        raise ValueError(
            "The 'by' parameter of score_table must be a str, the name of a column, or "
            f"a list of them. Got {shown(by)} instead."
        )
    if qid in keys or "qid" in keys:
        raise ValueError(
            "The 'by' parameter of score_table must name columns other than the query "
            f"ids. Got {list(keys)}."
        )
    rankers = _score_columns(caller, y_score, returned)
    return Columns(
        qid, y_true, rankers, tuple(keys), judged, returned, doc_id, sample_weight
    )


def _score_columns(caller, y_score, returned):
    """Return the columns of scores by ranker; raise if `returned` does not fit them."""
    if isinstance(y_score, str):
        rankers = {None: y_score}
    elif isinstance(y_score, (list, tuple)):
        rankers = {name: name for name in y_score} if _are_names(y_score) else {}
    else:
        rankers = dict(y_score) if isinstance(y_score, Mapping) else {}
    if not rankers or not _are_names(rankers.values()):
        raise ValueError(
            f"The 'y_score' parameter of {caller} must name a column, or columns by "
            f"the name of the ranker. Got {shown(y_score)} instead."
        )
    if returned is not None and not isinstance(returned, str):
        is_dict = isinstance(returned, Mapping) and {*returned} == {*rankers}
        if not is_dict or not _are_names(returned.values()):
            raise ValueError(
                f"The 'returned' parameter of {caller} must be a str, the name of "
                "one column, or a dict of the names of the rankers to such names. "
                f"Got {shown(returned)} instead."
            )
    return rankers


def _are_names(names):
    return all(isinstance(name, str) for name in names)


def _check_cluster(core, memory_limit):
    """Raise on what Spark and Dask do not have: `memory_limit`, an order of rows."""
    if memory_limit is not None:
        raise ValueError(
            "The 'memory_limit' parameter of score_table goes with files and tables in "
            f"memory, not with Spark and Dask. Got {shown(memory_limit)}."
        )
    for request in core.requests:
        if request.options.ties == "first" and not request.options.doc_order:
            raise ValueError(
                f"ties='first' of {request.key!r} keeps the order of the rows, and a "
                "data frame of Spark or Dask has none. Pass the ids of the documents "
                "as `doc_id` and a `doc_order`, or another rule such as "
                "ties='expected'."
            )


@share_run_words
def score_runs(
    qrels: Judgements,
    run: Judgements,
    metrics: MetricsLike,
    *,
    by: Mapping[str, Mapping[Any, Any]] | Any = None,
    missing_queries: Literal["zero", "drop", "raise"] = "zero",
    unjudged_queries: Literal["drop", "raise"] = "drop",
    judged_from: float | None = None,
    exclude_same_id: bool | None = None,
    duplicates: Literal["raise", "best", "miss"] = "raise",
    qid: str = "qid",
    doc_id: str = "doc_id",
    grade: str = "grade",
    score: str = "score",
    **params: Any,
) -> QueryScores:
    """Score the queries of one run, or of several, by relevance judgements.

    It is :func:`align` and :func:`~skrank.metrics.score_queries` in one call.

    Parameters
    ----------
    qrels : path, table, dict or list
        The judgements, in any form that :func:`align` takes, such as a file of TREC.
    run : path, table, dict or list
        What a system returned, likewise, or a dict of names to runs.
    metrics : str, callable, or list or dict of them
        Scorer names, metric functions of skrank or functions of your own, as in
        :func:`~skrank.metrics.evaluate`.
    by : dict of dicts or data frame, default=None
        Columns of queries, such as a segment, by which they can be summarized:
        ``{"country": {query: country}}``, or a table with a row for each query, whose
        ids are in its column `qid`. Integers match ids that are text.
    judged_from : float, default=None
        Documents with a lower grade are not judged. If None, the rule of the
        `convention`; without one, negative grades raise.
    exclude_same_id : bool, default=None
        Whether to take a document with the id of the query itself out of its list. If
        None, the rule of the `convention`: True for "beir"; without one, False.
    **params
        Further parameters of :func:`~skrank.metrics.evaluate`, such as `convention`,
        `average` and ``ties="pessimistic"``. A column that metrics read is
        :func:`~skrank.metrics.of_items` of a table by document and ``"doc_id"``, such
        as ``popularity=of_items(views, "doc_id")``; `subtopics` come with the
        judgements, if these have them. A file of TREC is read with its subtopics, as by
        ``read_qrels(path, subtopics=True)``, if a metric reads them.

    Returns
    -------
    scores : QueryScores
        The values by ranker, metric and query.

    Raises
    ------
    ValueError
        As :func:`align`, or if several runs have different queries, or `by` lacks one.

    Warns
    -----
    UserWarning
        As :func:`align`, or if some of several runs lack more queries than others, so
        that they are compared by what they did not answer.

    See Also
    --------
    score_table : Scores a table with a row for each document, of any size.

    Examples
    --------
    >>> from skrank.tables import score_runs
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
    >>> runs = {"bm25": {"q1": {"d1": 0.7, "d4": 0.9}}, "dense": {"q1": {"d1": 0.1}}}
    >>> score_runs(qrels, runs, "mrr").summary()
    {'bm25': {'mrr': 0.25}, 'dense': {'mrr': 0.5}}
    """
    if judged_from is not None:
        params["judged_from"] = judged_from
    requests = read_requests(metrics, params, "score_runs")
    are_read = any("subtopics" in request.metric.columns for request in requests)
    is_path = isinstance(qrels, (str, os.PathLike)) and is_trec(qrels)
    if are_read and is_path and "subtopics" not in params:
        qrels = read_qrels(qrels, subtopics=True)
    rule = partial(rule_of_all, convention=params.get("convention"))
    same = rule("exclude_same_id", exclude_same_id)
    aligned_with = partial(
        align,
        missing_queries=missing_queries,
        unjudged_queries=unjudged_queries,
        judged_from=rule("judged_from", judged_from),
        exclude_same_id=False if same is None else same,
        duplicates=duplicates,
        qid=qid,
        doc_id=doc_id,
        grade=grade,
        score=score,
    )
    runs = [run]
    if are_runs(run):  # one at a time: they may be large
        runs = [{name: one} for name, one in run.items()]
        if not isinstance(qrels, Bunch):
            names = Names(qid, doc_id, grade).checked("grade", "align")
            qrels = read_form(qrels, TRUTH, names)
    tables, lacking = [], {}
    for one in runs:
        aligned = aligned_with(qrels, one)
        for name, mask in aligned.returned.items() if len(runs) > 1 else ():
            lacking[name] = lacking_words(name, aligned.qid, mask)
        if "subtopics" in aligned and not are_read:
            del aligned["subtopics"]
        tables.append(score_queries(metrics=metrics, **aligned, **params).table)
        del aligned
    rankers = [name for table in tables for name in table.rankers]
    if len({words.removeprefix(name) for name, words in lacking.items()}) > 1:
        warn_caller(" ".join(filter(None, lacking.values())), UserWarning)
    scores = QueryScores(table=join_rankers(tables, rankers))
    if by is None:
        return scores
    keys = scores.keys | _of_queries(by, scores.keys["qid"], qid)
    check_names(scores.rankers, keys, requests)
    return QueryScores(table=scores.table._replace(keys=distinct(keys)[0]))


def _of_queries(by, ids, qid):
    """Return the columns of queries, in the order of their ids."""
    if not isinstance(by, Mapping) and qid in (column_names(by) or ()):
        columns = {name: np.asarray(by[name]) for name in column_names(by)}
        rows = columns.pop(qid).tolist()
        if len(set(rows)) < len(rows):
            raise ValueError(
                "The 'by' parameter of score_runs must have one row for each query. "
                f"Got {len(rows)} rows of {len(set(rows))}: drop_duplicates leaves one."
            )
        by = {name: dict(zip(rows, one, strict=True)) for name, one in columns.items()}
    is_dict = isinstance(by, Mapping) and "qid" not in by
    if not (is_dict and all(isinstance(one, Mapping) for one in by.values())):
        raise TypeError(
            "The 'by' parameter of score_runs must be a dict of names other than 'qid' "
            "to dicts of query ids to values, or a data frame with a row for each "
            f"query, the column {qid!r} and others. Got {shown(by)} instead."
        )
    if ids.dtype.kind == "U":  # which integers match
        by = {name: {str(id): x for id, x in one.items()} for name, one in by.items()}
    for name, values in by.items():
        lacking = [id for id in ids.tolist() if id not in values]
        if lacking:
            raise ValueError(
                "The 'by' parameter of score_runs must have a value for each query. "
                f"Got none of {name!r} for {len(lacking):,}, such as {lacking[0]!r}."
            )
    return {name: [one[id] for id in ids.tolist()] for name, one in by.items()}
