"""QuerySplitter, the base of splitters that read query ids; checks of parameters."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length

from skrank._input.checks import (
    check_lengths,
    count_rows,
    warn_if_out_of_order,
    warn_if_rows_are_drawn,
)
from skrank._input.query_ids import find_qid, no_query_ids
from skrank._ranking.ids import encode_heads, encode_qid
from skrank._text.docs import MetadataRequest, Self, Splits, share_split_words


class Queries(NamedTuple):
    """The queries that the rows of a data set belong to."""

    ids: np.ndarray  # (n_queries,), the distinct ids
    codes: np.ndarray  # (n_samples,), the query of each row as its position in ids
    sizes: np.ndarray  # (n_queries,), the number of rows of each query

    @classmethod
    def of_rows(cls, qid, caller, n_samples=None, *, name="qid"):
        """Group the rows by their query ids, or by the argument called `name`."""
        heads = encode_heads(qid, n_samples, name=name)
        if heads.n_samples == 0:
            raise ValueError(f"{caller} needs at least one row. Got 0 rows.")
        codes = heads.of_rows()
        return cls(heads.ids, codes, np.bincount(codes, minlength=len(heads.ids)))

    def rows(self, queries):
        """Return the rows of some queries, given as a mask or as positions in ids."""
        chosen = np.zeros(len(self.ids), dtype=bool)
        chosen[queries] = True
        return np.flatnonzero(chosen[self.codes])


class QuerySplitter(BaseCrossValidator):
    """Base of all splitters that read query ids.

    A splitter that keeps the rows of a query together has a method ``_iter_queries``.
    It gets the queries and `y`, and generates for each split the queries to train on
    and those to test on, as masks of shape (n_queries,) or positions in
    ``queries.ids``. Other splitters have a `split` of their own.
    """

    __metadata_request__split = {"qid": True, "groups": True}
    if TYPE_CHECKING:  # scikit-learn makes it

        def set_split_request(self, **requests: MetadataRequest) -> Self: ...

    @share_split_words
    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
    ) -> Splits:
        """Generate the rows of each training and test set."""
        queries = self._group(X, y, groups, qid)
        for train, test in self._iter_queries(queries, y):
            yield queries.rows(train), queries.rows(test)

    def get_n_splits(
        self,
        X: object = None,
        y: object = None,
        groups: object = None,
        *,
        qid: object = None,
        time: object = None,
    ) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups, qid, time : object, default=None
            Not used; they exist for the interface that all splitters share.

        Returns
        -------
        n_splits : int
            The number of splits, of all repetitions if the splitter repeats.
        """
        return self.n_splits * getattr(self, "n_repeats", 1)

    def _group(self, X, y, groups, qid):
        """Find the query ids and group the rows by them."""
        warn_if_rows_are_drawn()
        check_lengths(X=X, y=y)
        for ids in (qid, groups):  # their lengths are compared below, with a cure
            check_consistent_length(ids)
        warn_if_out_of_order({"X": X, "y": y, "qid": qid, "groups": groups})
        caller, n_samples = type(self).__name__, count_rows(y if X is None else X)
        found = find_qid(qid, X=X, y=y, groups=groups, column=self.qid_column)
        if found is None:
            places = {"X": X, "column": self.qid_column, "of_column": caller}
            raise no_query_ids(caller, "split(X, y, qid=qid)", **places)
        queries = Queries.of_rows(found, caller, n_samples)
        if qid is not None and groups is not None:
            others = Queries.of_rows(groups, caller, n_samples, name="groups")
            pairs = queries.codes * len(others.ids) + others.codes
            n_pairs = len(encode_qid(pairs)[0])
            if not n_pairs == len(queries.ids) == len(others.ids):
                raise ValueError(
                    f"The 'qid' and 'groups' parameters of {caller} are both the query "
                    "ids: pass one of them. Got both, and they group the rows "
                    "differently."
                )
        return queries


def check_all_rows(**arrays):
    """Raise unless arrays have a value per row; warn of other orders of the rows.

    Only a splitter sees all rows. The labels of parts of them show no other order.
    """
    check_lengths(**arrays)
    warn_if_out_of_order(arrays)


def check_shuffle(shuffle, random_state, caller):
    """Return `shuffle`; raise if it is not a bool, or False with a `random_state`."""
    if not isinstance(shuffle, (bool, np.bool_)):
        raise TypeError(f"shuffle must be True or False. Got {shuffle!r} instead.")
    if random_state is not None and not shuffle:
        raise ValueError(
            f"The 'random_state' parameter of {caller} must be None if shuffle is "
            f"False, since it has no effect. Got {random_state!r} instead: set "
            "shuffle=True or leave it None."
        )
    return shuffle


def check_enough(queries, n_splits):
    """Raise if there are fewer queries than folds, so that one would stay empty."""
    if n_splits > len(queries.ids):
        raise ValueError(
            f"Cannot have number of splits n_splits={n_splits} greater than "
            f"the number of queries: {len(queries.ids)}."
        )


def rows_wanted(queries, test_size, train_size, *, default, caller):
    """Return the numbers of rows wanted for training and for testing, as floats.

    A size is a fraction of the rows, a number of rows, or None for all remaining rows;
    if both are None, `default` is the test size. Together they are at most all rows.
    Errors name the `caller`.
    """
    n_samples = len(queries.codes)
    if len(queries.ids) < 2:
        raise ValueError(
            f"{caller} needs at least 2 queries, one to train on and one to test on. "
            f"Got n_queries={len(queries.ids)}."
        )
    if test_size is None and train_size is None:
        test_size = default
    n_test = _n_rows(test_size, "test_size", n_samples, caller)
    n_train = _n_rows(train_size, "train_size", n_samples, caller)
    if n_test is None:
        return n_train, n_samples - n_train
    if n_train is None:
        return n_samples - n_test, n_test
    # Fractions such as 0.7 and 0.3 may add up to a little more than 1.
    if n_train + n_test > n_samples * (1 + 1e-12):
        raise ValueError(
            f"The 'test_size' and 'train_size' parameters of {caller} must not add up "
            f"to more than all {n_samples} rows. Got test_size={test_size!r} and "
            f"train_size={train_size!r} instead."
        )
    return n_train, n_test


def _n_rows(size, name, n_samples, caller):
    if size is None:
        return None
    check_size(size, name, n_samples, caller, "rows")
    return float(size) if isinstance(size, Integral) else float(size) * n_samples


def check_size(size, name, n_samples, caller, things):
    """Raise unless a size is a fraction or a number of the `things` to split."""
    accepted = (
        f"The {name!r} parameter of {caller} must be a float in the range (0.0, 1.0), "
        f"an int in the range [1, {n_samples - 1}] (a number of {things}) or None. "
        f"Got {size!r} instead."
    )
    if isinstance(size, (bool, np.bool_)) or not isinstance(size, Real):
        raise TypeError(accepted)
    if not 0 < size < (n_samples if isinstance(size, Integral) else 1):
        raise ValueError(accepted)
