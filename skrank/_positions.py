"""The rank of every row, for rankers that predict ranks."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._read import group_rows
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
    groups = group_rows(qid, y_score)
    rows = np.arange(len(y_score)) if groups.rows is None else groups.rows
    group = np.repeat(np.arange(len(groups.starts)), groups.lengths)
    order = rows[np.lexsort((-groups.values, group))]
    rank = np.empty(len(y_score), dtype=np.intp)
    place = np.arange(1, len(y_score) + 1)
    rank[order] = place - np.repeat(groups.starts, groups.lengths)
    return rank
