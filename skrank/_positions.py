"""The rank of every row, for rankers that predict ranks."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._groups import encode_rows
from skrank._qid import repeat_runs
from skrank._validation import check_scores


def rank_positions(y_score, qid=None):
    """Return the rank of each row within its query.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        The predicted scores.

    qid : array-like of shape (n_samples,), default=None
        The query of each row; None means one query.

    Returns
    -------
    rank : ndarray of int of shape (n_samples,)
        1 for the highest score of the query, then 2, 3, ...; tied documents keep
        their input order.
    """
    y_score = check_scores(y_score)
    _, codes, starts = encode_rows(qid, len(y_score))
    codes = repeat_runs(codes, starts, len(y_score))
    counts = np.bincount(codes)
    rank = np.empty(len(y_score), dtype=np.intp)
    place = np.arange(1, len(y_score) + 1)
    above = np.repeat(np.cumsum(counts) - counts, counts)
    rank[np.lexsort((-y_score, codes))] = place - above
    return rank
