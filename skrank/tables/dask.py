"""Data frames of Dask."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

from skrank._checks import import_extra
from skrank.tables.clusters import Engine, readable, score_rows


class DaskTable(Engine):
    """A data frame of Dask that can be scored."""

    def __init__(self, frame):
        from dask.dataframe.utils import meta_nonempty

        pa = import_extra("pyarrow", "dask")
        self.frame = frame
        example = meta_nonempty(frame._meta)
        self.schema = pa.schema(
            [(name, _arrow_type(pa, example[[name]])) for name in example.columns]
        )

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


def _arrow_type(pa, example):
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
