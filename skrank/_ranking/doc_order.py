"""The order of tied documents by their ids, which are read of these documents alone."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import copy

import numpy as np

from skrank._ranking.blocks import block_of_flags
from skrank._ranking.ids import check_ids, encode_qid, take_ids


class DocOrder:
    """How tied documents are ordered by their ids.

    Most documents are tied with none, and to encode the ids of all documents takes many
    times as long as to rank them. So an id is looked at when it is first asked for.

    Parameters
    ----------
    doc_id : array-like of shape (n_samples,)
        The ids.
    descending : bool
        Whether larger ids come first.
    n_samples : int
        The number of rows.
    """

    def __init__(self, doc_id, descending, n_samples):
        self._ids = check_ids(doc_id, n_samples, "doc_id")
        self._descending = descending
        self._rows = None
        # The numbers found so far, and in which search; 0 is none.
        self._codes = np.zeros(n_samples, dtype=np.intp)
        self._found_in = np.zeros(n_samples, dtype=np.int32)

    def at(self, rows):
        """Return the order of the documents at some rows."""
        part = copy.copy(self)  # which shares what is found
        part._rows = rows if self._rows is None else self._rows[rows]
        return part

    def codes(self, rows, group):
        """Return numbers that rise in the order of documents, within a tie group.

        Parameters
        ----------
        rows : ndarray
            The rows of the documents.
        group : ndarray
            The tie group of each; those of a group stand together.
        """
        rows = rows if self._rows is None else self._rows[rows]
        found_in = self._found_in[rows]
        # The other rankings of the same documents ask for the same groups again.
        is_same = (found_in[1:] == found_in[:-1]) | (group[1:] != group[:-1])
        if found_in.min(initial=1) == 0 or not is_same.all():
            _, codes = encode_qid(take_ids(self._ids, rows), name="doc_id")
            self._codes[rows] = -codes if self._descending else codes
            self._found_in[rows] = self._found_in.max() + 1
        return self._codes[rows]


def order_tied(lists, rows, keys, order):
    """Sort documents that are tied with a relevant one by their ids, in place.

    Parameters
    ----------
    lists : Lists
        The lists, which have a `doc_order`.
    rows : ndarray
        Those that stand side by side.
    keys : ndarray of shape (n_rows, width)
        Their negated scores.
    order : ndarray of shape (n_rows, width)
        The columns of `keys`, sorted by these, and within ties in the order of input.
    """
    lengths = lists.order.lengths[rows]
    keys = np.take_along_axis(keys, order, axis=1)
    relevant = block_of_flags(lists, rows, keys.shape[1], lists.is_relevant)
    relevant = np.take_along_axis(relevant, order, axis=1)
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    # What fills the end of a row comes last in its tie group.
    new[np.arange(keys.shape[1]) >= lengths[:, np.newaxis]] = True
    start = np.flatnonzero(new)
    size = np.diff(start, append=new.size)
    asked = (size > 1) & np.logical_or.reduceat(relevant.ravel(), start)
    cells = np.flatnonzero(np.repeat(asked, size))
    group = np.repeat(np.arange(np.count_nonzero(asked)), size[asked])
    column = order.ravel()[cells]
    places = lists.order.starts[rows[cells // keys.shape[1]]] + column
    codes = lists.doc_order.codes(lists.order.rows_at(places), group)
    order.ravel()[cells] = column[np.lexsort((codes, group))]
