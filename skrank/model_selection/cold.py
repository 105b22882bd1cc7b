"""Folds of users or items that are not in the training set."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from skrank._checks import check_choice, check_count, check_lengths, count_rows
from skrank._columns import check_qid_column
from skrank._docs import describe_split
from skrank._types import Seed, Splits
from skrank.model_selection.base import (
    Queries,
    QuerySplitter,
    check_enough,
    check_name_or_values,
    check_shuffle,
    find_values,
)
from skrank.model_selection.splitters import balanced_folds

COLD = ("user", "item", "both")


class ColdStartKFold(QuerySplitter):
    """K-fold cross-validation over users, items or both that are new to the model.

    The query id of a row is its user. Each fold tests users that are not in the
    training set, or items that are not, or rows with both a new user and a new item.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, at least 2 and at most the number of users or items.
    cold : {"user", "item", "both"}, default="user"
        What is new in the test set:

        - ``"user"``: users. Each row is tested once; queries are kept whole.
        - ``"item"``: items. Each row is tested once; queries are split, since a user
          has items of several folds.
        - ``"both"``: users and items. The rows with a user and an item of the fold
          are tested, rows with neither are trained on, and all others are left out:
          about ``1 / n_splits ** 2`` of the rows are in each test set.
    shuffle : bool, default=False
        Whether users and items are assigned to folds at random. The folds stay
        balanced in rows.
    random_state : int, RandomState instance or None, default=None
        The seed of the shuffling. Pass an int to get the same folds from each call.
        It must be None unless `shuffle` is True.
    item : str or array-like of shape (n_samples,), default="item"
        The items, if they are not passed to ``split``: the name of a column of a
        table `X` or of an index of `y` or `X`, or the items themselves, one per row.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, which are the users, as for
        :class:`QueryKFold`.

    See Also
    --------
    QueryKFold : The same as ``cold="user"``, without items.
    TimeRangeSplit : Known users and items, and later rows.

    Notes
    -----
    Users and items are assigned to folds in descending order of their numbers of rows,
    each to the fold with the fewest rows so far.

    With ``cold="item"`` queries are split, and scorers warn of that. To silence the
    warning, call ``warnings.simplefilter("ignore", QuerySplitWarning)``, with the
    category from `skrank.exceptions`.

    The user ids are found like the query ids of :class:`QueryKFold`; with
    ``cold="item"`` the splitter does not need them, but scorers do. With metadata
    routing enabled, scikit-learn forwards `qid`, `groups` and `item`, as in
    ``cross_validate(..., params={"qid": user, "item": item})``. Without it, the index
    of `y` can hold both, as two levels.

    Examples
    --------
    >>> from skrank.model_selection import ColdStartKFold
    >>> cv = ColdStartKFold(n_splits=2, cold="both")
    >>> X = [[0], [1], [2], [3]]
    >>> user = ["a", "a", "b", "b"]
    >>> item = ["x", "y", "x", "y"]
    >>> for train, test in cv.split(X, qid=user, item=item):
    ...     print(train, test)
    [3] [0]
    [0] [3]
    """

    __metadata_request__split = {"item": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        cold: Literal["user", "item", "both"] = "user",
        shuffle: bool = False,
        random_state: Seed | None = None,
        item: str | ArrayLike = "item",
        qid_column: str | int = "qid",
    ) -> None:
        caller = "ColdStartKFold"
        self.n_splits = check_count(n_splits, "n_splits", least=2)
        self.cold = check_choice(cold, COLD, "cold", caller)
        self.shuffle = check_shuffle(shuffle, random_state, caller)
        self.random_state = random_state
        self.item = check_name_or_values(item, "item", caller)
        self.qid_column = check_qid_column(qid_column, caller)

    @describe_split
    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        item: ArrayLike | None = None,
    ) -> Splits:
        caller = "ColdStartKFold"
        check_lengths(X=X, y=y, item=item)
        rng = check_random_state(self.random_state) if self.shuffle else None
        folds = []
        if self.cold != "item":
            users = self._group(X, y, groups, qid)
            folds.append(self._fold_of_rows(users, "queries", rng))
        if self.cold != "user":
            item = find_values(item, self.item, X=X, y=y, name="item", caller=caller)
            n_samples = count_rows(y if X is None else X)
            items = Queries.of_rows(item, caller, n_samples, name="item")
            check_lengths(item=items.codes, qid=qid, groups=groups)
            folds.append(self._fold_of_rows(items, "items", rng))
        for fold in range(self.n_splits):
            is_cold = [fold_of_rows == fold for fold_of_rows in folds]
            test = np.flatnonzero(np.logical_and.reduce(is_cold))
            train = np.flatnonzero(~np.logical_or.reduce(is_cold))
            if len(test) == 0 or len(train) == 0:
                raise ValueError(
                    f"{caller}(cold={self.cold!r}) has no row to "
                    f"{'train on' if len(test) else 'test'} in fold {fold}: too few "
                    "users share items. Use fewer splits, or another seed with "
                    f"shuffle=True. Got n_splits={self.n_splits}."
                )
            yield train, test

    def _fold_of_rows(self, queries, things, rng):
        """Assign users or items to folds and return the fold of each row."""
        check_enough(queries, self.n_splits, things)
        return balanced_folds(queries.sizes, self.n_splits, rng)[queries.codes]
