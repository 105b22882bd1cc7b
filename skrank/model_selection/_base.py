"""What every splitter of whole queries shares."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length, check_scalar

from skrank._qid import encode_qid, find_qid, require_qid


class Queries(NamedTuple):
    """The queries that the rows of a data set belong to."""

    ids: np.ndarray  # (n_queries,), the distinct ids
    codes: np.ndarray  # (n_samples,), the query of each row as its position in ids
    sizes: np.ndarray  # (n_queries,), the number of rows of each query

    @classmethod
    def of_rows(cls, qid, n_samples=None):
        """Group the rows by their query ids."""
        ids, codes = encode_qid(qid, n_samples)
        return cls(ids, codes, np.bincount(codes, minlength=len(ids)))

    def rows(self, queries):
        """Return the rows of some queries, given as a mask or as positions in ids."""
        chosen = np.zeros(len(self.ids), dtype=bool)
        chosen[queries] = True
        return np.flatnonzero(chosen[self.codes])


class QuerySplitter(BaseCrossValidator):
    """Base of the splitters that keep the rows of a query together.

    It finds the query ids, checks them and turns queries into rows. A splitter only
    says which queries go where, in `_iter_queries`.
    """

    __metadata_request__split = {"qid": True, "groups": True}

    def split(self, X, y=None, groups=None, *, qid=None):
        """Generate the rows of each training and test set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data. Of them only the number of rows counts and, if it is a data
            frame with a column ``"qid"``, the query ids in that column.

        y : array-like of shape (n_samples,), default=None
            The relevance of each row. Of it only the index counts, if that or one
            of its levels is named ``"qid"``.

        groups : array-like of shape (n_samples,), default=None
            The query ids, under scikit-learn's word for them.

        qid : array-like of shape (n_samples,), default=None
            The query ids. Without `qid` and `groups` they are looked for in `X` and
            in the index of `y`.

        Yields
        ------
        train : ndarray of int
            The rows of the training set, in ascending order.

        test : ndarray of int
            The rows of the test set, in ascending order.
        """
        check_consistent_length(X, y, qid, groups)
        queries = self._group(X, y, groups, qid)
        for train, test in self._iter_queries(queries):
            yield queries.rows(train), queries.rows(test)

    def get_n_splits(self, X=None, y=None, groups=None, *, qid=None):
        """Return the number of splits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Not used; taken so that all splitters are called alike.

        y : array-like of shape (n_samples,), default=None
            Not used; taken so that all splitters are called alike.

        groups : array-like of shape (n_samples,), default=None
            Not used; taken so that all splitters are called alike.

        qid : array-like of shape (n_samples,), default=None
            Not used; taken so that all splitters are called alike.

        Returns
        -------
        n_splits : int
            The number of splits.
        """
        return self.n_splits

    @abstractmethod
    def _iter_queries(self, queries):
        """Generate for each split the queries to train on and those to test on.

        As masks of shape (n_queries,) or as positions in ``queries.ids``.
        """

    def _group(self, X, y, groups, qid):
        """Find the query ids and group the rows by them."""
        caller = type(self).__name__
        found = require_qid(find_qid(qid, X=X, y=y, groups=groups), caller)
        queries = Queries.of_rows(found)
        if len(queries.codes) == 0:
            raise ValueError(f"{caller} needs at least one row. Got 0 rows.")
        if qid is not None and groups is not None:
            _check_same_queries(queries, Queries.of_rows(groups), caller)
        return queries


def check_n_splits(n_splits, *, minimum):
    """Return `n_splits` as an int; raise if it is no integer or too small."""
    if isinstance(n_splits, (bool, np.bool_)):
        raise TypeError(f"n_splits must be an instance of int, not bool: {n_splits}.")
    return int(check_scalar(n_splits, "n_splits", Integral, min_val=minimum))


def _check_same_queries(queries, others, caller):
    """Raise unless two groupings put the same rows together."""
    pairs = queries.codes * len(others.ids) + others.codes
    n_pairs = len(encode_qid(pairs)[0])
    if not n_pairs == len(queries.ids) == len(others.ids):
        raise ValueError(
            f"The 'qid' and 'groups' parameters of {caller} mean the same, the query "
            "ids: pass one of them. Got both, and they group the rows differently."
        )
