"""The outer join of judgements and a run, on queries and documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import Bunch

from skrank._checks import shown
from skrank.tables._triples import text_of

# So many rows, or one query, are joined at once, which keeps them in the cache.
_BLOCK = 2**17


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
    sides = truth, result
    orders, bounds = zip(*(_by_query(one.qid, len(ids)) for one in sides), strict=True)
    y_true, y_score, doc_id, judged, returned = (
        np.empty(len(truth.value) + len(result.value), dtype=dtype)
        for dtype in (
            truth.value.dtype,
            result.value.dtype,
            np.result_type(truth.doc_id, result.doc_id),
            bool,
            bool,
        )
    )
    counts, start = np.zeros(len(ids), dtype=np.intp), 0
    for low, high in _blocks(bounds[0] + bounds[1]):
        of_truth, of_run = (
            order[bound[low] : bound[high]]
            for order, bound in zip(orders, bounds, strict=True)
        )
        query = np.append(truth.qid[of_truth], result.qid[of_run]) - low
        document = np.append(truth.doc_id[of_truth], result.doc_id[of_run])
        n_truth = len(of_truth)
        judgement, rows = _join(query, document, n_truth, ids[low:high], names)

        part = slice(start, start + len(rows))
        found = judgement >= 0
        grade, is_grade = truth.value[of_truth], is_judged[of_truth]
        of_found = np.where(found, grade[judgement], grade.dtype.type(0))
        no_score = np.zeros(n_truth, dtype=y_score.dtype)
        y_true[part] = np.append(grade, of_found)[rows]
        y_score[part] = np.append(no_score, result.value[of_run])[rows]
        judged[part] = np.append(is_grade, found & is_grade[judgement])[rows]
        returned[part] = rows >= n_truth
        doc_id[part] = document[rows]
        counts[low:high] = np.bincount(query[rows], minlength=high - low)
        start = part.stop
    return Bunch(
        y_true=y_true[:start],
        y_score=y_score[:start],
        qid=np.repeat(text_of(ids), counts),
        judged=judged[:start],
        returned=returned[:start],
        doc_id=doc_id[:start],
    )


def _by_query(query, n_queries):
    """Return the rows sorted by query, and where each query starts and ends."""
    small = np.min_scalar_type(n_queries)  # NumPy sorts 16 bits by counting
    order = np.argsort(query.astype(small), kind="stable")
    return order, np.append(0, np.cumsum(np.bincount(query, minlength=n_queries)))


def _blocks(bounds):
    """Yield the first query of each block and that after its last."""
    rows = np.arange(0, bounds[-1], _BLOCK)
    first = np.unique(np.searchsorted(bounds, rows, side="right") - 1).tolist()
    yield from zip(first, [*first[1:], len(bounds) - 1], strict=True)


def _join(query, doc_id, n_truth, ids, names):
    """Join the rows of some queries, first those of the judgements, then of the run.

    Returns
    -------
    judgement : ndarray of shape (n_run,)
        The row of the judgements that belongs to each row of the run, or -1.

    rows : ndarray
        The joined rows by query: what was returned, in the order of the run, then what
        was only judged.
    """
    pair = _number_pairs(query, doc_id, len(ids))
    in_truth, in_run = pair[:n_truth], pair[n_truth:]
    row_of = np.empty(len(pair), dtype=np.intp)
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
    judgement = row_of[in_run]
    row_of[in_run] = -1
    missing = np.flatnonzero(row_of[in_truth] >= 0)
    rows = np.append(np.arange(n_truth, len(pair)), missing)
    small = np.min_scalar_type(len(ids))
    return judgement, rows[np.argsort(query[rows].astype(small), kind="stable")]


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
