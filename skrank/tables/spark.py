"""Data frames of Spark, and what its workers need."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import atexit
import builtins
import pickle
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import skrank
from skrank._checks import INSTALL, import_extra
from skrank.tables.clusters import Engine, readable, score_rows
from skrank.tables.stream import whole_queries

LACKING = (
    "A Python worker of Spark has no {package}. Workers run the Python that the "
    "environment variable PYSPARK_PYTHON named when the session started, or the "
    "python3 that they found. Set it, for local workers to sys.executable, and install "
    "there what they need: {install}. If only skrank is missing, "
    "`skrank.tables.ship_to_spark(spark)` sends it to them."
).replace("{install}", INSTALL.format("spark"))

# The types of Spark that are read, but for decimals, by their names in Arrow.
ARROW = {
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


class SparkTable(Engine):
    """A data frame of Spark that can be scored."""

    def __init__(self, frame):
        pa = import_extra("pyarrow", "spark")
        self.frame = frame
        self.schema = pa.schema(
            [(field.name, _arrow_type(pa, field.dataType)) for field in frame.schema]
        )

    def extreme_grades(self, columns):
        """Return the lowest and the highest grade, or None and None."""
        from pyspark.sql import functions as F

        frame, y_true = self.frame, F.col(_quoted(columns.y_true))
        if columns.judged is not None:
            frame = frame.where(F.col(_quoted(columns.judged)))
        return frame.agg(F.min(y_true), F.max(y_true)).first()

    def score(self, core, schema):
        """Return a lazy data frame with a row per query."""
        from pyspark.sql import types as T

        frame, alias = _select(self.frame, core.columns.named())
        keys = core.columns.keys
        by = [alias[name] for name in keys.values()]
        grouped = frame.repartition(*by).sortWithinPartitions(*by)
        kinds = {key: self.frame.schema[name].dataType for key, name in keys.items()}
        of_arrow = {"int64": T.LongType(), "double": T.DoubleType()}
        for name in core.columns.ids():  # of which there may be lists
            kind = self.frame.schema[name].dataType
            of_arrow.setdefault(str(self.schema.field(name).type), kind)

        def kind_of(field):
            if field.name in kinds:
                return kinds[field.name]
            if hasattr(field.type, "value_type"):
                return T.ArrayType(of_arrow[str(field.type.value_type)])
            return of_arrow[str(field.type)]

        fields = [T.StructField(field.name, kind_of(field)) for field in schema]
        return grouped.mapInArrow(
            _importing_skrank("score_batches", core), T.StructType(fields)
        )

    def collect(self, frame, names):
        """Compute columns of a data frame and return them as an Arrow table."""
        return _to_arrow(frame.select(*map(_quoted, names)))

    def count_queries(self, columns):
        """Return about how many queries there are."""
        from pyspark.sql import functions as F

        keys = [F.col(_quoted(name)) for name in columns.keys.values()]
        frame = self.frame.agg(F.approx_count_distinct(F.xxhash64(*keys)))
        return frame.first()[0]


def _select(frame, names):
    """Return some columns under names without dots, on which mapInArrow fails."""
    from pyspark.sql import functions as F

    alias = {name: f"c{i}" for i, name in enumerate(names)}
    columns = (F.col(_quoted(name)).alias(short) for name, short in alias.items())
    return frame.select(*columns), alias


def _to_arrow(frame):
    """Compute a data frame, with the errors of its workers."""
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


def score_batches(pickled, batches):
    """Yield the scores of a partition sorted by query, of a pickled core.

    The batches hold the columns that the core names, in its order.
    """
    core = pickle.loads(pickled)
    pa, names = import_extra("pyarrow", "spark"), core.columns.named()
    tables = (
        readable(pa.Table.from_arrays(batch.columns, names), core.columns)
        for batch in batches
    )
    for table, _ in whole_queries(tables, core):
        yield from score_rows(core, table).to_batches()


def _importing_skrank(name, argument):
    """Return a function of this module, one that a worker without skrank can load.

    Its first argument is pickled with it.
    """
    from pyspark.cloudpickle import dumps

    pickled, lacking = dumps(argument), LACKING

    # It is pickled by value, as it is local, and so it may not refer to this module.
    def run(batches):
        try:
            from skrank.tables import spark
        except ImportError as error:
            raise ImportError(lacking.format(package=error.name)) from error
        return getattr(spark, name)(pickled, batches)

    return run


def ship_to_spark(spark: Any) -> None:
    """Send skrank to the workers of a Spark session that lack it.

    They need NumPy, SciPy, scikit-learn and PyArrow. Call it once, before an action.

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


def _arrow_type(pa, kind):
    """Return a type of Spark in Arrow; a struct for those that are not read."""
    name = kind.simpleString()
    if name.startswith("decimal"):
        return pa.decimal128(kind.precision, kind.scale)
    if name.startswith("array"):
        return pa.list_(_arrow_type(pa, kind.elementType))
    return pa.type_for_alias(ARROW[name]) if name in ARROW else pa.struct([])


def _quoted(name):
    return "`" + name.replace("`", "``") + "`"
