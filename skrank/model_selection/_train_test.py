"""query_train_test_split, which splits arrays by whole queries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from itertools import chain

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state, indexable

from skrank._columns import QID, find_column, find_level, require_qid
from skrank.model_selection._allocate import ordered_parts, random_parts
from skrank.model_selection._query_splitter import Queries, count_rows
from skrank.model_selection._sizes import rows_wanted


def query_train_test_split(
    *arrays,
    qid=None,
    test_size=None,
    train_size=None,
    random_state=None,
    shuffle=True,
):
    """Split arrays into a training and a test part of whole queries.

    Parameters
    ----------
    *arrays : sequence of array-like of shape (n_samples,) or (n_samples, n_columns)
        The data to split: lists, arrays, tables or sparse matrices of equal length.
    qid : array-like of shape (n_samples,), default=None
        The query ids. Their parts are not returned; if you need them, pass the ids
        also as one of the `arrays`. If None, they are taken from the arrays: from a
        column ``"qid"``, else from an index, or a level of it, named ``"qid"``.
    test_size : float or int, default=None
        The size of the test part in rows: a float in (0, 1) is a fraction of the
        rows, an int a number of rows. The actual size is as near as the queries drawn
        allow. None means all rows that are not in the training part; if `train_size`
        is None too, 0.25.
    train_size : float or int, default=None
        The size of the training part in rows, like `test_size`. None means all rows
        that are not in the test part.
    random_state : int, RandomState instance or None, default=None
        The seed of the draw. Pass an int to get the same split from each call.
    shuffle : bool, default=True
        Whether queries are drawn at random. If False, the queries stay in the order
        of their first rows: the first ones are for training, the last for testing.

    Returns
    -------
    splitting : list of length 2 * len(arrays)
        The training and the test part of each array, of the type of that array. The
        rows keep their order.

    See Also
    --------
    QueryShuffleSplit : The splits as indices, and several of them.
    sklearn.model_selection.train_test_split : The same for rows; it splits queries.

    Examples
    --------
    >>> from skrank.model_selection import query_train_test_split
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> qid = ["a", "a", "b", "b", "c", "c"]
    >>> X_train, X_test, qid_train, qid_test = query_train_test_split(
    ...     X, qid, qid=qid, test_size=1 / 3, random_state=0
    ... )
    >>> X_test, qid_test
    ([[4], [5]], ['c', 'c'])
    """
    caller = "query_train_test_split"
    if not arrays:
        raise ValueError(f"{caller} needs at least one array to split. Got none.")
    if not isinstance(shuffle, (bool, np.bool_)):
        raise TypeError(f"shuffle must be True or False. Got {shuffle!r} instead.")
    arrays = indexable(*arrays)
    qid = _find(qid, arrays)
    if qid is None and len(arrays) > 2:
        raise ValueError(
            f"{caller} needs to know which rows belong to one query. Got no query ids, "
            f"but {len(arrays)} arrays: if the last one holds the query ids, pass it "
            f"by name as well, {caller}(X, y, qid, qid=qid)."
        )
    qid = require_qid(qid, caller)
    queries = Queries.of_rows(qid, count_rows(arrays[0]))
    n_train, n_test = rows_wanted(
        queries, test_size, train_size, default=0.25, caller=caller
    )
    if shuffle:
        rng = check_random_state(random_state)
        parts = random_parts(queries.sizes, n_train, n_test, rng)
    else:
        _, first_rows = np.unique(queries.codes, return_index=True)
        parts = ordered_parts(queries.sizes, np.argsort(first_rows), n_train, n_test)
    train, test = map(queries.rows, parts)
    return list(
        chain.from_iterable(
            (_safe_indexing(array, train), _safe_indexing(array, test))
            for array in arrays
        )
    )


def _find(qid, arrays):
    """Return the query ids that are passed, or else those in one of the arrays."""
    if qid is not None:
        return qid
    found = chain(
        (find_column(array, QID) for array in arrays),
        (find_level(array, QID) for array in arrays),
    )
    return next((ids for ids in found if ids is not None), None)
