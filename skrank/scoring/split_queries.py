"""Queries with rows on both sides of a split."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import contextlib
import weakref
from numbers import Integral

import numpy as np

from skrank._input.callers import warn_caller
from skrank._input.checks import count_rows
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_heads
from skrank.exceptions import QuerySplitWarning
from skrank.scoring.estimators import find_scored_qid, training_sizes


def warn_if_queries_are_split(estimator, X, qid, split=None, routing=None):
    """Warn of queries with rows in both the training and the test data.

    In the place of scikit-learn's own loops over splits, the rows of the `split` are
    compared, that of `running_split`; query ids were passed to them by the name that a
    scorer requests, whose `routing` is asked for it. Elsewhere a ranker has its numbers
    of training rows by query in a dict ``query_sizes_``: if they are equal, the
    training data itself is scored, which is allowed.
    """
    if split is not None:
        params = split.score_params or {}
        name = routing and routing().score.requests[QID]
        all_qid = params.get(name, params.get(QID))
        codes, whole = _codes_of_all(estimator, split.X, split.y, all_qid)
        # LogisticRegressionCV of scikit-learn 1.8 keeps the ids of the test only.
        if codes is None or len(codes) != count_rows(split.X):
            return
        # Every scorer and every candidate of a search meets the same splits.
        sides, kept = (split.train, split.test), whole.get(id(split.test))
        if kept and all(ref() is side for ref, side in zip(kept, sides, strict=True)):
            return
        if not warn_of_split_queries(codes, *sides):
            with contextlib.suppress(TypeError):  # lists have no weak references
                whole[id(split.test)] = [*map(weakref.ref, sides)]
        return
    known = training_sizes(estimator)
    if not known:
        return
    heads = encode_heads(qid)
    sizes = [known.get(id, 0) for id in heads.ids.tolist()]
    sizes = np.array([size if isinstance(size, Integral) else 0 for size in sizes])
    scored = np.bincount(heads.of_rows())
    if ((sizes > 0) & (sizes != scored)).any():
        warn_caller(SPLIT_QUERIES, QuerySplitWarning)


SPLIT_QUERIES = (
    "Pass cv=QueryKFold(5), or split whole queries otherwise: rows of one query are in "
    "both the training and the test data. If this is intended, silence "
    "skrank.exceptions.QuerySplitWarning."
)


def warn_of_split_queries(codes, train, test):
    """Warn if rows of a query, which has a code, are on both sides of a split.

    Rows that are on both sides themselves are training data that are scored. Return
    whether it warned.
    """
    train, test = (np.arange(len(codes))[rows] for rows in (train, test))  # or masks
    is_trained = np.zeros(codes.max() + 1, dtype=bool)
    is_trained[codes[train]] = True
    is_known = is_trained[codes[test]]
    is_split = is_known.any() and not np.isin(test[is_known], train).all()
    if is_split:
        warn_caller(SPLIT_QUERIES, QuerySplitWarning)
    return is_split


# The codes of the data that is split at present, until it is deleted.
_CODES = {}


def _codes_of_all(estimator, X, y, qid):
    """Return a code of the query of each row, read once for all splits of the data.

    With it goes a dict that belongs to these codes, for what is found out about splits.
    """
    data = [one for one in (X, y, qid) if one is not None]
    key = tuple(map(id, data))
    if (known := _CODES.get(key)) is not None:  # one look: threads may clear it
        found, _ = known
        return found
    qid = find_scored_qid(estimator, X, y, qid)
    found = (None if qid is None else encode_heads(qid).of_rows()), {}
    _CODES.clear()
    with contextlib.suppress(TypeError):  # lists have no weak references
        _CODES[key] = (
            found,
            [weakref.ref(one, lambda _: _CODES.clear()) for one in data],
        )
    return found
