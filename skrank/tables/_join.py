"""The outer join of judgements and a run, on queries and documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import Bunch

from skrank._checks import shown
from skrank.tables._triples import text_of


def outer_join(ids, truth, is_judged, result, names):
    """Return the arguments of :func:`skrank.metrics.evaluate`, by name.

    Parameters
    ----------
    ids : ndarray of shape (n_queries,)
        The query ids.

    truth, result : Triples
        The judgements and the run; their `qid` are positions in `ids`.

    is_judged : ndarray of bool
        Which rows of `truth` are judgements.

    names : (str, str)
        What the judgements and the run are called, for errors.
    """
    n_truth, n = len(truth.value), len(truth.value) + len(result.value)
    query = np.append(truth.qid, result.qid)
    doc_id = np.append(truth.doc_id, result.doc_id)
    pair = _number_pairs(query, doc_id, len(ids))
    in_truth, in_run = pair[:n_truth], pair[n_truth:]
    row_of = np.empty(n, dtype=np.intp)
    for part, first, name in zip((in_truth, in_run), (0, n_truth), names, strict=True):
        row_of[part] = np.arange(len(part))
        twice = np.flatnonzero(row_of[part] != np.arange(len(part)))
        if len(twice):
            row = first + twice[0]
            raise ValueError(
                f"A document must occur once for each query in {name}. Got document "
                f"{_shown_id(doc_id, row)} of query {_shown_id(ids, query[row])} more "
                "than once."
            )
    row_of.fill(-1)
    row_of[in_truth] = np.arange(n_truth)
    judgement = row_of[in_run]  # of each row of the run, or -1
    row_of[in_run] = -1
    missing = np.flatnonzero(row_of[in_truth] >= 0)

    # Rows by query: what the run returned, in its order, then what it misses.
    rows = np.append(np.arange(n_truth, n), missing)
    small = np.min_scalar_type(len(ids))  # NumPy sorts 16 bits by counting
    rows = rows[np.argsort(query[rows].astype(small), kind="stable")]
    found = judgement >= 0
    grade = np.where(found, truth.value[judgement], truth.value.dtype.type(0))
    no_score = np.zeros(n_truth, dtype=result.value.dtype)
    return Bunch(
        y_true=np.append(truth.value, grade)[rows],
        y_score=np.append(no_score, result.value)[rows],
        qid=np.repeat(text_of(ids), np.bincount(query[rows], minlength=len(ids))),
        judged=np.append(is_judged, found & is_judged[judgement])[rows],
        returned=rows >= n_truth,
        doc_id=doc_id[rows],
    )


def _number_pairs(query, doc_id, n_queries):
    """Return a number for each row, equal for rows of the same query and document.

    It is the number of one of those rows. Each row writes its number to a table, at
    the hash of its document among the cells of its query, and reads what stands
    there: a row of the same document, or of another one with the same hash. Those rows
    try again with another hash.
    """
    numbers = np.empty(len(query), dtype=np.intp)
    small = np.int32 if len(query) < 2**31 else np.int64
    random = np.random.default_rng(0)
    left = np.arange(len(query))
    while len(left):
        size = 4 * np.bincount(query, minlength=n_queries)
        start = np.cumsum(size) - size
        place = _hash(doc_id, random) * size.astype(np.uint64)[query]
        place >>= np.uint64(32)
        place = place.view(np.int64)
        place += start[query]
        table = np.empty(start[-1] + size[-1], dtype=small)
        table[place] = np.arange(len(left), dtype=small)
        found = table[place]
        numbers[left] = left[found]
        met = np.flatnonzero(found != np.arange(len(left), dtype=small))
        again = met[doc_id[found[met]] != doc_id[met]]
        left, query, doc_id = left[again], query[again], doc_id[again]
    return numbers


def _hash(doc_id, random):
    """Return a hash of 32 bits for each document id."""
    words = doc_id.view(np.uint64).reshape(len(doc_id), -1)
    odd = 2 * random.integers(2**63, size=words.shape[1] + 1, dtype=np.uint64) + 1
    hashed = words[:, 0] * odd[0]
    for i in range(1, words.shape[1]):
        hashed += words[:, i] * odd[i]
    hashed ^= hashed >> np.uint64(29)  # text differs most in its last bytes
    hashed *= odd[-1]
    return hashed >> np.uint64(32)


def _shown_id(ids, row):
    """Return one id for an error."""
    return shown(text_of(ids[row : row + 1]).tolist()[0])
