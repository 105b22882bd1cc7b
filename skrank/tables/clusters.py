"""Data frames of Spark and Dask, which are scored where their rows are.

Another cluster is a class like `DaskTable`, with an entry in `table_of_cluster`: the
`schema` of its columns in Arrow, `extreme_grades`, `count_queries`, `score`, which
brings the rows of each query to one worker and applies `ArrowCore` to them, and
`collect`.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import atexit
import builtins
import pickle
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import skrank
from skrank._input.callers import warn_caller
from skrank._input.frames import is_list, library_of
from skrank._text.tables import INSTALL, import_extra
from skrank.evaluation.query_scores import QueryScores
from skrank.tables.source import check_known, check_none_missing, check_types
from skrank.tables.stream import (
    MOST_COPIES,
    ArrowCore,
    as_numpy,
    is_text,
    one_chunk,
    whole_queries,
)

# Of more queries `collect` says how much memory they take.
MANY_QUERIES = 10_000_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClusterScores:
    """The scores of a data frame of Spark or Dask, which are not yet computed.

    Made by :func:`score_table`.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame or dask.dataframe.DataFrame
        A lazy data frame with one row per query, in any order. It has the query ids
        "qid", the `by` columns, and a column for each metric, named "ranker/metric" if
        rankers have names; an undefined query has the value that it counts as in the
        summary. Columns that begin with "_" are the state, from which `collect`
        computes summaries: that of a median is not a mean of the values. Everything is
        computed whenever the frame is: cache or write it if it is used several times.
    core : ArrowCore
        Scores whole queries.
    engine : object
        The data frame that is scored.

    See Also
    --------
    score_table : Makes it.
    skrank.metrics.QueryScores : What `collect` returns.

    Examples
    --------
    >>> import pandas as pd
    >>> import dask.dataframe as dd
    >>> from skrank.tables import score_table
    >>> frame = pd.DataFrame(
    ...     {"qid": [7, 7, 8, 8], "y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1]}
    ... )
    >>> scores = score_table(dd.from_pandas(frame, npartitions=1), "mrr")
    >>> scores.frame[["qid", "mrr"]].compute()
       qid  mrr
    0    7  1.0
    1    8  0.5
    >>> float(scores.frame["mrr"].mean().compute())
    0.75
    >>> scores.collect().summary()
    {'mrr': 0.75}
    """

    frame: Any
    core: ArrowCore
    engine: Any

    def __getattr__(self, name: str) -> Any:
        """Say of what a QueryScores has that it is not yet computed."""
        cure = ": call collect() first, whose result has it" * hasattr(
            QueryScores, name
        )
        raise AttributeError(f"ClusterScores has no {name!r}{cure}.")

    def collect(self, frame: Any = None) -> QueryScores:
        """Compute the scores and bring them to this process.

        Its summaries are those of all data on one machine, to the last bit.

        Parameters
        ----------
        frame : data frame, default=None
            The rows of `frame` after they were written and read again, by the same
            package. If None, they are computed.

        Returns
        -------
        scores : QueryScores
            The values by ranker, metric and query: some dozens of bytes per query.

        Raises
        ------
        ValueError
            If the source is empty or has missing values.
        ImportError
            If the workers lack a package.

        Warns
        -----
        UserWarning
            If there are more than ten million queries, before they are computed, with
            the memory that they take.
        """
        core, engine = self.core, self.engine
        if frame is None:
            n_queries, frame = engine.count_queries(core.columns), self.frame
        else:
            n_queries = len(frame) if hasattr(frame, "__len__") else frame.count()
        if n_queries > MANY_QUERIES:
            gigabytes = n_queries * 8 * len([*core.columns.keys, *core.state]) / 1e9
            warn_caller(
                f"About {n_queries:,} queries come to this process: {gigabytes:,.1f} "
                f"GB, and up to {MOST_COPIES} times that while they are joined. "
                "Means need none of that: take those of the columns of `frame`.",
                UserWarning,
            )
        scored = engine.collect(frame, [*core.columns.keys, *core.state])
        if not len(scored):
            raise ValueError("The source has no rows. Got columns only.")
        return core.finish([scored])


def table_of_cluster(source):
    """Return a data frame of Spark or Dask as what scores it; None for all else."""
    # With what only a data frame of each package has.
    kinds = {"pyspark": (SparkTable, "mapInArrow"), "dask": (DaskTable, "merge")}
    kind, method = kinds.get(library_of(source), (None, None))
    return kind(source) if kind and hasattr(source, method) else None


def check_columns(cluster, columns):
    """Raise if a column is missing or its type is wrong."""
    schema, types = cluster.schema, import_extra("pyarrow").types
    tests = {
        "boolean": types.is_boolean,
        "number": lambda kind: types.is_integer(kind) or types.is_floating(kind),
        "decimal": types.is_decimal,
        "date": types.is_temporal,
        "text": is_text,
    }
    of_one = tuple(tests.values())
    tests["list"] = lambda kind: (
        is_list(kind) and any(test(kind.value_type) for test in of_one)
    )
    check_known(columns, schema.names)
    kinds = {
        field.name: next((kind for kind in tests if tests[kind](field.type)), None)
        for field in schema
    }
    check_types(columns, cluster.types, kinds)


def score_rows(core, table):
    """Return a row per query, with values and state, of what `readable` returned."""
    scored = core(table)
    keys = {
        key: scored[key].cast(table[name].type)
        for key, name in core.columns.keys.items()
    }
    state = {name: scored[name] for name in core.state}
    return import_extra("pyarrow").table(keys | core.values(scored) | state)


def schema_of_scores(core, schema):
    """Return the schema of what `score_rows` returns, from that of the rows."""
    pa = import_extra("pyarrow")
    keys = {key: schema.field(name).type for key, name in core.columns.keys.items()}
    for name in core.names:
        if name in keys:
            raise ValueError(
                "A metric and a key must have different names. "
                f"Got the name {name!r} twice."
            )
    kinds = {name: pa.float64() for name in core.names}
    kinds |= {name: pa.type_for_alias(kind) for name, kind in core.state.items()}
    return pa.schema(keys | kinds)


def readable(table, columns):
    """Return a table as the core reads it; raise if it has missing values."""
    pa, compute = import_extra("pyarrow"), import_extra("pyarrow.compute")
    masks, arrays, whole = columns.masks(), {}, {*columns.whole()}
    for name in columns.named():
        column = one_chunk(table[name])
        if pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        if is_list(column.type) and pa.types.is_decimal(column.type.value_type):
            column = column.cast(pa.list_(pa.float64()))
        if masks.get(name) is not None:  # where it is not read it may be missing
            read = compute.fill_null(one_chunk(table[masks[name]]), False)
            column = compute.if_else(read, column, pa.scalar(0).cast(column.type))
        arrays[name] = column
        if name not in whole:
            continue
        n_missing = column.null_count
        if pa.types.is_floating(column.type):
            n_missing += int(np.isnan(as_numpy(column.drop_null())).sum())
        among = f"{len(table):,} rows of a part of the source"
        check_none_missing(name, n_missing, among, columns)
    return pa.table(arrays)


LACKING = (
    "A Python worker of Spark has no {package}. Workers run the Python that the "
    "environment variable PYSPARK_PYTHON named when the session started, or the "
    "python3 that they found. Set it, for local workers to sys.executable, and install "
    "there what they need: {install}. If only skrank is missing, "
    "`skrank.tables.ship_to_spark(spark)` sends it to them."
).replace("{install}", INSTALL.format("spark"))

# The types of Spark that are read, but for decimals, by their names in Arrow.
TYPES_OF_SPARK = {
    "boolean": "bool",
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "bigint": "int64",
    "float": "float",
    "double": "double",
    "string": "string",
    "date": "date32",
    "timestamp": "timestamp[us]",
    "timestamp_ntz": "timestamp[us]",
}


class SparkTable:
    """A data frame of Spark that can be scored."""

    def __init__(self, frame):
        pa = import_extra("pyarrow", "spark")
        self.frame = frame
        self.schema = pa.schema(
            [(field.name, _type_of_spark(pa, field.dataType)) for field in frame.schema]
        )
        self.types = dict(frame.dtypes)

    def extreme_grades(self, columns):
        """Return the lowest and the highest grade, or None and None."""
        from pyspark.sql import functions as F

        frame = self._select([columns.y_true, columns.judged or columns.y_true])
        if columns.judged is not None:
            frame = frame.where("c1")
        return frame.agg(F.min("c0"), F.max("c0")).first()

    def _select(self, names):
        """Return columns of the frame under names without dots: c0, c1 and so on."""
        from pyspark.sql import functions as F

        columns = enumerate(map(_in_backticks, names))
        try:
            return self.frame.select(*(F.col(one).alias(f"c{i}") for i, one in columns))
        except AssertionError as error:
            raise RuntimeError(
                "The Spark session of the data frame was stopped: start one, and read "
                "the table again."
            ) from error
        except Exception as error:
            if "AMBIGUOUS_REFERENCE" not in str(error):
                raise
            raise ValueError(
                "Spark does not distinguish names of columns by their case. Got "
                f"{self.frame.columns}: rename one of them, or drop it."
            ) from error

    def score(self, core, schema):
        """Return a lazy data frame with a row per query."""
        from pyspark.sql import types as T

        names, keys = core.columns.named(), core.columns.keys
        by = [f"c{names.index(name)}" for name in keys.values()]
        frame = self._select(names)  # mapInArrow fails on names with dots
        grouped = frame.repartition(*by).sortWithinPartitions(*by)
        kinds = {key: self.frame.schema[name].dataType for key, name in keys.items()}
        of_arrow = {"int64": T.LongType(), "double": T.DoubleType()}
        fields = [
            T.StructField(name, kinds[name] if name in kinds else of_arrow[str(kind)])
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]
        return grouped.mapInArrow(_scorer_of_workers(core), T.StructType(fields))

    def collect(self, frame, names):
        """Compute columns of a frame and return them in Arrow; raise as its workers."""
        frame = frame.select(*map(_in_backticks, names))
        try:
            if hasattr(frame, "toArrow"):
                return frame.toArrow()
            pa = import_extra("pyarrow", "spark")
            return pa.Table.from_pandas(frame.toPandas(), preserve_index=False)
        except Exception as error:
            lacking = re.search(r"No module named '(\w+)", str(error))
            if lacking is not None:
                raise ImportError(LACKING.format(package=lacking[1])) from error
            # The end of a traceback of a Python worker.
            bad = re.search(
                r"^([A-Z]\w+(Error|Exception)): (.+)$", str(error), re.MULTILINE
            )
            kind = None if bad is None else getattr(builtins, bad[1], None)
            if kind is None or not issubclass(kind, Exception):
                raise
            raise kind(bad[3].strip()) from error

    def count_queries(self, columns):
        """Return about how many queries there are."""
        from pyspark.sql import functions as F

        keys = self._select(columns.keys.values())
        return keys.agg(F.approx_count_distinct(F.xxhash64(*keys.columns))).first()[0]


def score_batches(pickled, batches):
    """Yield the scores of a partition sorted by query, of a pickled core."""
    core = pickle.loads(pickled)
    pa, names = import_extra("pyarrow", "spark"), core.columns.named()
    tables = (
        readable(pa.Table.from_arrays(batch.columns, names), core.columns)
        for batch in batches
    )
    for table, _ in whole_queries(tables, core):
        yield from score_rows(core, table).to_batches()


def _scorer_of_workers(core):
    """Return a function that scores batches; a worker without skrank can load it."""
    from pyspark.cloudpickle import dumps

    pickled, lacking = dumps(core), LACKING

    # It is pickled by value, as it is local, and so it may not refer to this module.
    def run(batches):
        try:
            from skrank.tables.clusters import score_batches
        except ImportError as error:
            raise ImportError(lacking.format(package=error.name)) from error
        return score_batches(pickled, batches)

    return run


def ship_to_spark(spark: Any) -> None:
    """Send skrank to the workers of a Spark session that lack it.

    Its data frames can then be scored by :func:`score_table`. The workers need NumPy,
    SciPy, scikit-learn and PyArrow. Call it once, before an action.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        The session.

    See Also
    --------
    score_table : Scores data frames of Spark.

    Examples
    --------
    >>> from skrank.tables import ship_to_spark
    >>> ship_to_spark(spark)  # doctest: +SKIP
    """
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        spark.addArtifacts(_packed(), pyfile=True)
    else:
        spark.sparkContext.addPyFile(_packed())


@cache
def _packed():
    """Return the path of a zip file of the package: workers do not import wheels."""
    folder = Path(tempfile.mkdtemp(prefix="skrank-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    package = folder / "copy" / "skrank"
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(skrank.__file__).parent, package, ignore=unwanted)
    return shutil.make_archive(str(folder / "skrank"), "zip", package.parent)


def _type_of_spark(pa, kind):
    """Return a type of Spark in Arrow; a struct for those that are not read."""
    name = kind.simpleString()
    if name.startswith("decimal"):
        return pa.decimal128(kind.precision, kind.scale)
    if name.startswith("array"):
        return pa.list_(_type_of_spark(pa, kind.elementType))
    alias = TYPES_OF_SPARK.get(name)
    return pa.struct([]) if alias is None else pa.type_for_alias(alias)


def _in_backticks(name):
    return "`" + name.replace("`", "``") + "`"


class DaskTable:
    """A data frame of Dask that can be scored."""

    def __init__(self, frame):
        from dask.dataframe.utils import meta_nonempty

        pa = import_extra("pyarrow", "dask")
        self.frame = frame
        example = meta_nonempty(frame._meta)
        self.schema = pa.schema(
            [(name, _type_of_dask(pa, example[[name]])) for name in example.columns]
        )
        self.types = dict(zip(self.schema.names, self.schema.types, strict=True))

    def extreme_grades(self, columns):
        """Return the lowest and the highest grade, or None and None."""
        import dask

        frame = self.frame
        if columns.judged is not None:
            frame = frame[frame[columns.judged]]
        grades = frame[columns.y_true]
        low, high = dask.compute(grades.min(), grades.max())
        return (low, high) if low == low else (None, None)

    def score(self, core, schema):
        """Return a lazy data frame with a row per query."""
        keys = core.columns.keys
        types = {key: self.frame.dtypes[name] for key, name in keys.items()}
        meta = schema.empty_table().to_pandas().astype(types)
        grouped = self.frame[core.columns.named()].shuffle(on=list(keys.values()))
        return grouped.map_partitions(
            partial(_score_partition, core=core, meta=meta), meta=meta
        )

    def count_queries(self, columns):
        """Return about how many queries there are."""
        keys = self.frame[list(columns.keys.values())]
        return round(keys.nunique_approx().compute())

    def collect(self, frame, names):
        """Compute columns of a data frame and return them as an Arrow table."""
        pa = import_extra("pyarrow", "dask")
        return pa.Table.from_pandas(frame[names].compute(), preserve_index=False)


def _type_of_dask(pa, example):
    """Return the type of a column in Arrow; text for objects of which none is known."""
    try:
        return pa.Schema.from_pandas(example, preserve_index=False).types[0]
    except pa.ArrowInvalid:
        return pa.string()


def _score_partition(frame, core, meta):
    """Return the scores of a partition of whole queries."""
    if not len(frame):
        return meta
    table = import_extra("pyarrow").Table.from_pandas(frame, preserve_index=False)
    table = readable(table, core.columns)
    return score_rows(core, table).to_pandas().astype(meta.dtypes)
