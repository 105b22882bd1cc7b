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
from skrank.scoring.estimators import find_scored_qid, qid_column, training_sizes


def warn_if_queries_are_split(estimator, X, qid, split=None, routing=None):
    """Warn of queries with rows in both the training and the test data.

    In the place of scikit-learn's own loops over splits, the rows of the `split` are
    compared, that of `running_split`; query ids were passed to them by the name that a
    scorer requests, whose `routing` is asked for it. Elsewhere a ranker has its numbers
    of training rows by query in a dict ``query_sizes_``: if they are equal, the
    training data itself is scored, which is allowed.
    """
    if split is not None:
        _compare_sides(estimator, encode_heads(qid), split, routing)
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


# The splits that keep queries whole, by the id of their test rows while these live, for
# every scorer and every candidate of a search meets the same splits. With each of them
# goes what the answer depends on, the ids of the test rows among it: a row that gets
# another id is in some test set.
_WHOLE = {}


def _compare_sides(estimator, heads, split, routing):
    """Warn if queries, whose ids in the test rows are `heads`, are on both sides."""
    params = split.score_params or {}
    name = routing and routing().score.requests[QID]
    all_qid = params.get(name, params.get(QID))
    is_told = tuple(map(id, (split.X, split.y, all_qid)))
    starts = None if heads.starts is None else heads.starts.tobytes()
    ids = hash((*heads.ids.tolist(), heads.codes.tobytes(), starts))
    key, test = (*is_told, qid_column(estimator), ids), id(split.test)
    sides, known = (split.train, split.test), _WHOLE.get(test)
    if known and known[0] == key and all(map(_is_alive, known[1], sides)):
        return
    all_qid = find_scored_qid(estimator, split.X, split.y, all_qid)
    # LogisticRegressionCV of scikit-learn 1.8 keeps the ids of the test only.
    if all_qid is None or count_rows(all_qid) != count_rows(split.X):
        return
    if not warn_of_split_queries(encode_heads(all_qid).of_rows(), *sides):
        with contextlib.suppress(TypeError):  # lists have no weak references
            refs = [weakref.ref(one, lambda _: _WHOLE.pop(test, 0)) for one in sides]
            _WHOLE[test] = key, refs


def _is_alive(ref, side):
    return ref() is side


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
