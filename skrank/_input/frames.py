"""Data frames and their columns, of pandas, polars, pyarrow and others, and tensors.

No other module knows what a data frame or a tensor is. Packages of frames are not
imported before one of their frames is passed or asked for, and packages of tensors
never.
"""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import importlib
import numbers
import sys
from collections.abc import Mapping

import numpy as np
import scipy.sparse

from skrank._input.sklearn import entries_of


def find_column(X, column, *, is_id=True):
    """Return the values of a column of `X`, or None if no column has that name.

    A name is looked for in tables of pandas, polars and pyarrow. A position is one of
    an array, a sparse matrix or a table, and must exist. What is read as ids by a
    position must be numbers that distinguish them.
    """
    if isinstance(column, str):
        return X[column] if column in (column_names(X) or ()) else None
    if X is None:
        return None
    X = _indexable(X)
    position = _position(X, column)
    if scipy.sparse.issparse(X):
        values = X[:, [position]].toarray().ravel()
    elif hasattr(X, "column_names"):
        values = np.asarray(X.column(position))
    else:
        values = entries_of(X, position, axis=1)
    return _check_exact(values) if is_id else values


def find_level(data, name):
    """Return the level of the index of `data` with that name, or None."""
    index = getattr(data, "index", None)
    if name in list(getattr(index, "names", None) or []):
        return index.get_level_values(name)
    return None


def drop_column(X, column, n_columns=None):
    """Return `X` without a column, of the same type; as it is if it has none.

    A position is dropped only from data with `n_columns` columns, if these are given:
    data of another width came without query ids.
    """
    if isinstance(X, Mapping) and not scipy.sparse.issparse(X):
        raise TypeError(
            "The 'X' parameter must be an array, a sparse matrix or a data frame. Got "
            f"a {type(X).__name__} instead: pass pandas.DataFrame(X)."
        )
    if isinstance(column, str):
        if column not in (column_names(X) or ()):
            return X
        if hasattr(X, "column_names"):  # pyarrow
            return X.select(
                [i for i, name in enumerate(X.column_names) if name != column]
            )
        if not hasattr(X, "loc"):  # polars
            return X.drop(column)
        # X.drop of pandas copies all other columns.
        X = X.copy(deep=False)
        del X[column]
        return X
    X = _indexable(X)
    if n_columns is not None and _shape(X)[1:] != (n_columns,):
        return X
    kept = np.delete(np.arange(_shape(X)[1]), _position(X, column))
    if hasattr(X, "column_names"):
        return X.select(kept.tolist())
    return entries_of(X, kept, axis=1)


def _indexable(X):
    if scipy.sparse.issparse(X):
        return X if X.format in ("csr", "csc") else X.tocsr()
    # A record batch of older versions of pyarrow has no shape.
    is_table = hasattr(X, "shape") or hasattr(X, "column_names")
    return X if is_table else np.asarray(X)


def _position(X, column):
    """Return the position counted from the left; raise if there is none."""
    shape = _shape(X)
    if len(shape) != 2 or not -shape[1] <= column < shape[1]:
        raise ValueError(
            "The 'qid_column' parameter must be the position of a column. Got column "
            f"{column} and an array of shape {shape} instead."
        )
    return column % shape[1]


def _shape(X):
    return tuple(X.shape) if hasattr(X, "shape") else (X.num_rows, X.num_columns)


def _check_exact(ids):
    """Return the ids, but raise where floats are too coarse to distinguish integers."""
    dtype = getattr(ids, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f" and len(ids):
        largest = 2.0 ** (np.finfo(dtype).nmant + 1)
        if np.nanmax(np.abs(ids)) >= largest:
            raise ValueError(
                f"A column of {dtype} distinguishes query ids up to {largest:.0f} "
                "only, so different queries may have become one. Got larger ids: pass "
                "them as `qid` or in the index of y, or number the queries from 0."
            )
    return ids


KINDS = ("pandas", "polars", "pyarrow")


def library_of(data):
    """Return the name of the package that an object is of, such as "pandas"."""
    return type(data).__module__.partition(".")[0]


def kind_of(*data):
    """Return the library of the first data frame or column among some data."""
    return next((kind for kind in map(library_of, data) if kind in KINDS), "pandas")


def is_frame(data):
    """Return True for a data frame, and for other tables that Arrow reads."""
    has_columns = hasattr(data, "shape") and hasattr(data, "columns")
    return has_columns or hasattr(data, "__arrow_c_stream__")


def is_only_arrow(table):
    """Return True for a table that only Arrow can read, such as a stream."""
    return hasattr(table, "__arrow_c_stream__") and not hasattr(table, "to_numpy")


def index_of(data):
    """Return the index of an object of pandas, and None of others."""
    index = getattr(data, "index", None)
    return None if callable(index) else index  # lists have a method of that name


def column_names(frame):
    """Return the names of the columns of a data frame or a dict; None for others."""
    # A sparse matrix may be a dict.
    if isinstance(frame, Mapping) and not scipy.sparse.issparse(frame):
        return list(frame)
    if type(frame).__name__ == "LazyFrame":  # of polars
        return frame.collect_schema().names()
    # The `columns` of pyarrow are the values, those of pandas and polars the names.
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None or callable(names):
        return None
    return names.tolist() if hasattr(names, "tolist") else list(names)


def types_of_columns(frame):
    """Return the types of the columns of a data frame as text, {} of all else."""
    if library_of(frame) not in KINDS or getattr(frame, "ndim", 2) != 2:
        return {}
    of_arrow = getattr(getattr(frame, "schema", None), "types", None)
    kinds = frame.dtypes if of_arrow is None else of_arrow
    names = column_names(frame)
    return {name: str(kind).lower() for name, kind in zip(names, kinds, strict=True)}


def unwrapped(values):
    """Return the array of a column of pandas or polars, or of a tensor.

    Other values are returned as they are, since NumPy reads these best itself: pyarrow,
    which has no dtype, does not copy in to_numpy what it has to.
    """
    is_column = hasattr(values, "to_numpy") and hasattr(values, "dtype")
    return values.to_numpy() if is_column else on_host(values)


# What NumPy and packages of tensors raise if they do not share or copy an array.
_NOT_SHARED = (BufferError, RuntimeError, TypeError, ValueError)


def on_host(values):
    """Return a tensor of any library as an array of NumPy, and all else as it is.

    Memory of the CPU is shared; that of other devices is copied. A sparse tensor with
    two axes becomes a sparse matrix. Numbers of 16 or 8 bits that NumPy does not have
    become float32, which holds each of them exactly.
    """
    if values is None or isinstance(values, np.ndarray) or library_of(values) in KINDS:
        return values
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        return _of_torch(values)
    if not hasattr(values, "__dlpack__"):
        return values
    array = _of_dlpack(values)
    is_opaque = array.dtype.kind == "V" and array.dtype.fields is None
    return array.astype(np.float32) if is_opaque else array  # such as bfloat16 of JAX


def _of_torch(tensor):
    """Return a tensor of torch as an array."""
    try:
        return tensor.numpy()
    except (RuntimeError, TypeError):  # with a gradient, or of another device, or kind
        tensor = tensor.detach().cpu()
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        if tensor.ndim == 2 and layout.startswith("torch.sparse"):
            tensor = tensor.to_sparse_coo().coalesce()
            rows, columns = on_host(tensor.indices())
            cells = on_host(tensor.values()), (rows, columns)
            return scipy.sparse.csr_matrix(cells, shape=tuple(tensor.shape))
        tensor = tensor.to_dense()
    for resolve in ("resolve_conj", "resolve_neg"):  # of views that change the sign
        tensor = getattr(tensor, resolve, lambda tensor=tensor: tensor)()
    try:
        return tensor.numpy()
    except TypeError:
        return tensor.float().numpy()


def _of_dlpack(values):
    """Return an array of another library as one of NumPy."""
    if hasattr(values, "__array__"):
        try:
            return np.asarray(values)
        except _NOT_SHARED:
            pass
    if hasattr(values, "__cuda_array_interface__") and hasattr(values, "get"):
        return values.get()  # of CuPy
    for options in ({"device": "cpu"}, {}):  # NumPy before 2.1 takes no device
        try:
            return np.from_dlpack(values, **options)
        except _NOT_SHARED as error:
            refused = error
    # The standard of array APIs has no name for the CPU, so that each device is tried.
    if hasattr(values, "__array_namespace__"):
        info = values.__array_namespace__().__array_namespace_info__()
        for device in info.devices():
            try:
                return np.from_dlpack(values.to_device(device))
            except _NOT_SHARED:
                pass
    raise refused


def in_utc(times):
    """Return times of pandas with a time zone as times of UTC; others as they are.

    NumPy would make a Python object of each.
    """
    if getattr(getattr(times, "dtype", None), "tz", None) is None:
        return times
    return getattr(times, "dt", times).tz_convert(None)


def is_column(values):
    """Return True for an array, or a column of pandas, polars or pyarrow."""
    return hasattr(values, "take") or library_of(values) == "polars"


def take_rows(values, rows):
    """Return rows of an array or a column, by a slice or their positions."""
    if isinstance(rows, slice):
        return values.iloc[rows] if hasattr(values, "iloc") else values[rows]
    return values.take(rows) if hasattr(values, "take") else values[rows]


def has_missing(column):
    """Return True if a column knows that a value is missing."""
    n_missing = getattr(column, "null_count", 0)  # a method of polars
    if n_missing() if callable(n_missing) else n_missing:
        return True
    is_pandas = hasattr(column, "isna") and not isinstance(column.dtype, np.dtype)
    return is_pandas and bool(column.isna().any())


def as_frame(columns, kind):
    """Return a dict of columns as a data frame of a library."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(
            "The 'kind' parameter of to_frame must be a str among "
            f"{{{', '.join(map(repr, KINDS))}}}. Got {kind!r} instead."
        )
    try:
        library = importlib.import_module(kind)
    except ImportError:
        raise ImportError(f"kind={kind!r} needs `pip install {kind}`.") from None
    if kind == "pandas":
        return library.DataFrame(columns)
    import narwhals as nw

    given = {}
    for name, values in columns.items():
        if values.dtype.kind == "O":
            _refuse_mixed(name, values, kind)
        given[name] = values.tolist() if values.dtype.kind in "OU" else values
        try:
            nw.from_dict({name: given[name]}, backend=kind)
        except Exception as error:  # its classes differ by library
            raise ValueError(
                f"The column {name!r} must hold what a data frame of {kind} can hold: "
                f'pass kind="pandas". Got {error}.'
            ) from error
    return nw.from_dict(given, backend=kind).to_native()


def _refuse_mixed(name, values, kind):
    """Raise if objects are tuples, which would become lists, or of several types."""
    kinds = sorted({type(value).__name__ for value in values if value is not None})
    is_nested = any(isinstance(value, (tuple, list, frozenset)) for value in values)
    if is_nested or len(kinds) > 1:
        raise ValueError(
            f"The column {name!r} must hold values of one type, and no tuples, for a "
            f"data frame of {kind}. Got {' and '.join(kinds)}, such as "
            f'{values[0]!r}: pass kind="pandas".'
        )


def reordered(arrays):
    """Yield pairs of names whose labels are the same ones in different orders.

    Only objects of pandas among `arrays` have labels. The third value says whether the
    labels are unique.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = pandas.Series, pandas.DataFrame
    indexes = {
        name: values.index
        for name, values in arrays.items()
        if isinstance(values, kinds)
    }
    if len(indexes) < 2:
        return
    (first, index), *others = indexes.items()
    for name, other in others:
        if index is not other and _are_reordered(index, other):
            yield first, name, index.is_unique


def _are_reordered(index, other):
    """Return True if two indexes have the same labels, not in the same order."""
    if not len(index) == len(other) > 0 or index.nlevels != other.nlevels:
        return False
    try:
        return not index.equals(other) and _are_permuted(index, other)
    except (TypeError, ValueError):  # pandas cannot compare labels of some types
        return False


def _are_permuted(index, other):
    """Return True if labels that differ somewhere are the same ones altogether."""
    # They rarely are, which most often shows without hashing all of them.
    if _are_integers(index) and _are_integers(other):
        are_other = index.to_numpy().sum() != other.to_numpy().sum()
    elif isinstance(index[0], str):
        are_other = not (other == index[0]).any()
    else:
        are_other = index.inferred_type != other.inferred_type
    if are_other:
        return False
    from pandas.util import hash_pandas_object

    one = hash_pandas_object(index, index=False).to_numpy()
    two = hash_pandas_object(other, index=False).to_numpy()
    # Labels of different dtypes may be equal one by one.
    return bool(one.sum() == two.sum() and (one != two).any())


def _are_integers(index):
    return isinstance(index.dtype, np.dtype) and index.dtype.kind in "iu"


def codes_of_column(column):
    """Return the values of a column of text, and the code of each row, a place in them.

    So no value of a row becomes a Python object. A missing one has the code -1. The
    codes are None for anything but a column of pandas, polars or pyarrow whose values
    are objects in NumPy.
    """
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "factorize") and not isinstance(dtype, np.dtype):  # pandas
        codes, values = column.factorize()
        return values, codes
    if hasattr(column, "dictionary_encode"):  # pyarrow
        return _codes_in_arrow(column)
    if type(column).__module__.partition(".")[0] == "polars":
        polars = sys.modules["polars"]
        if dtype in (polars.String, polars.Categorical, polars.Enum):
            values = column.cast(polars.String).unique().drop_nulls().sort()
            codes = column.cast(polars.Enum(values)).to_physical()
            return values, codes.cast(polars.Int64).fill_null(-1).to_numpy()
    return None, None


def _codes_in_arrow(column):
    try:
        column = column.dictionary_encode()
    except NotImplementedError:  # of values of several fields
        return None, None
    is_in_chunks = hasattr(column, "unify_dictionaries")
    chunks = column.unify_dictionaries().chunks if is_in_chunks else [column]
    codes = [chunk.indices.fill_null(-1).to_numpy() for chunk in chunks]
    if not codes:
        return None, None
    return chunks[0].dictionary, np.concatenate(codes)


# Python objects that a column may hold together. A bool is a number, and a datetime a
# date: what is tested first decides.
_FAMILIES = (
    (bool, np.bool_),
    str,
    bytes,
    datetime.datetime,
    datetime.date,
    numbers.Real,
)


def is_pandas_or_polars(data):
    """Return True for a data frame of pandas or polars, which may be lazy."""
    if library_of(data) not in KINDS:
        return False
    from narwhals import dependencies as of

    is_polars = of.is_polars_dataframe(data) or of.is_polars_lazyframe(data)
    return is_polars or of.is_pandas_dataframe(data)


def frame_in_arrow(frame, names):
    """Return columns of pandas or polars as a table of Arrow, lazy ones as a stream."""
    import narwhals as nw
    import pyarrow as pa

    if nw.dependencies.is_polars_lazyframe(frame):
        frame = frame.select(names)
        if not hasattr(frame, "collect_batches"):  # of an older version
            return frame.collect().to_arrow().to_reader()
        schema = frame.head(0).collect().to_arrow().schema
        batches = (
            batch
            for part in frame.collect_batches()
            for batch in part.to_arrow().cast(schema).to_batches()
        )
        return pa.RecordBatchReader.from_batches(schema, batches)
    arrays = {}
    for name in names:
        column = nw.from_native(frame[name], series_only=True)
        if column.dtype == nw.Object:
            _check_one_type(name, column)
        try:
            arrays[name] = column.to_arrow()
        except Exception as error:  # its classes differ by library and version
            raise _unreadable(name, error) from error
    return pa.table(arrays)


def is_list(kind):
    """Return True for a type of Arrow whose values are lists."""
    from pyarrow import types

    tests = types.is_list, types.is_large_list, types.is_fixed_size_list
    return any(test(kind) for test in tests)


def _check_one_type(name, column):
    """Raise if Python objects have several types: Arrow could take one for another."""
    if column.implementation.is_polars():  # Arrow would hold their addresses
        raise _unreadable(name, "objects of Python")
    kinds = {}
    for kind in set(map(type, column.drop_nulls().to_native())):
        family = next((one for one in _FAMILIES if issubclass(kind, one)), kind)
        kinds.setdefault(family, kind.__name__)
    if len(kinds) > 1:
        raise ValueError(
            f"The column {name!r} must hold values of one type. Got "
            f"{' and '.join(sorted(kinds.values()))}: make ids text with str()."
        )


def _unreadable(name, error):
    cause = str(error).partition("\n")[0].rstrip(".")
    return ValueError(
        f"The column {name!r} must hold numbers, text or dates of one type. "
        f"Got what Arrow does not hold: {cause}."
    )
