"""Minimal NumPy programs for some rows of the table, without checks or options.

Each computes the number of skrank for one kind of input, in few passes over it. A row
says what the program takes, and no target is below both that and what skrank takes: a
target is what a NumPy program is known to reach.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy import sparse

from skrank._ranking.arrays import gather, split_by_width

GRADES = range(4, 0, -1)
LINEAR = np.arange(256.0)
EXPONENTIAL = 2.0 ** np.arange(256) - 1
LOW = np.uint64(255)


def packed(y_true, y_score):
    """Return negated scores whose low bytes hold the grades, to sort both at once."""
    keys = 0.0 - y_score.ravel()
    keys.view(np.uint8)[::8] = y_true.ravel()
    return keys


def ndcg(keys, starts, k=10, gain=EXPONENTIAL, dcg=None):
    """Return the mean NDCG@k of packed keys, whose queries start at some places."""
    lengths = np.diff(starts, append=len(keys)).astype(np.int32)
    discount = 1 / np.log2(np.arange(2, min(k, lengths.max()) + 2))
    sums = np.concatenate([[0], discount.cumsum()])
    codes = keys.view(np.uint64).astype(np.uint8)
    value, ideal, n_above = np.zeros(len(starts)), np.zeros(len(starts)), 0
    for grade in GRADES:
        n = n_above + np.add.reduceat(codes == grade, starts, dtype=np.int32)
        last = len(discount)
        ideal += gain[grade] * (
            sums[np.minimum(n, last)] - sums[np.minimum(n_above, last)]
        )
        n_above = n
    for rows, width in split_by_width(lengths):
        block = gather(keys, starts[rows], width)
        if np.may_share_memory(block, keys):
            block = block.copy()
        first = lengths[rows[0]]  # of the columns in which a list has ended
        ended = np.arange(first, width, dtype=np.int32) >= lengths[rows, np.newaxis]
        block[:, first:][ended] = np.inf
        block.sort(axis=1)
        value[rows] = (dcg or dcg_untied)(block, gain, sums)
    return np.divide(value, ideal, out=np.zeros(len(starts)), where=ideal > 0).mean()


def dcg_untied(block, gain, sums):
    """Return the DCG of each row of sorted keys, of which none are tied."""
    top = block[:, : len(sums) - 1].copy().view(np.uint64).astype(np.uint8)
    return gain[top] @ np.diff(sums[: top.shape[1] + 1])


def dcg_tied(block, gain, sums):
    """Return the DCG of each row of sorted keys, expected over the orders of ties."""
    bits, width = block.view(np.uint64), block.shape[1]
    codes = bits.astype(np.uint8)
    bits &= ~LOW
    new = np.ones(block.shape, dtype=bool)
    new[:, 1:] = block[:, 1:] != block[:, :-1]
    (start,) = new.ravel().nonzero()
    row, above = start // width, start % width
    shown = above < len(sums) - 1
    total = np.add.reduceat(gain[codes.ravel()], start)[shown]
    size, row, above = np.diff(start, append=new.size)[shown], row[shown], above[shown]
    below = np.minimum(above + size, len(sums) - 1)
    return np.bincount(row, total * (sums[below] - sums[above]) / size, len(block))


def grouped(lists, dcg=None):
    """Return the mean NDCG@10 of lists whose rows are grouped."""
    return ndcg(packed(lists.y_true, lists.y_score), lists.starts(), dcg=dcg)


def first_ranks(lists):
    """Return the mean reciprocal rank of lists whose rows are grouped."""
    starts, scores = lists.starts(), lists.y_score
    best = np.maximum.reduceat(np.where(lists.y_true > 0, scores, -np.inf), starts)
    higher = scores > np.repeat(best, np.diff(starts, append=len(scores)))
    above = np.add.reduceat(higher, starts, dtype=np.int32)
    return np.where(best > -np.inf, 1 / (above + 1), 0).mean()


def first_ranks_shuffled(lists):
    """Return the same of lists with the ids 0, 1, 2, ... in any order."""
    query, scores, (rows,) = lists.qid, lists.y_score, lists.y_true.nonzero()
    best = np.full(query.max() + 1, -np.inf)
    np.maximum.at(best, query[rows], scores[rows])
    above = np.bincount(query[scores > best[query]], minlength=len(best))
    return np.where(best > -np.inf, 1 / (above + 1), 0).mean()


def matrix(y_true, y_score, gain=EXPONENTIAL):
    """Return the mean NDCG@10 of the rows of a matrix."""
    starts = np.arange(0, y_score.size, y_score.shape[1])
    return ndcg(packed(y_true, y_score), starts, gain=gain)


def shuffled(lists):
    """Return the mean NDCG@10 of lists with the ids 0, 1, 2, ... in any order."""
    keys = packed(lists.y_true, lists.y_score)
    return _by_code(keys, lists.qid, lists.qid.max() + 1)


def _by_code(keys, codes, n_codes):
    """Return the mean NDCG@10 of keys that a counting sort brings together."""
    cells = keys, codes.astype(np.int32), np.array([0, len(keys)], dtype=np.int32)
    cells = sparse.csr_matrix(cells, shape=(1, n_codes)).tocsc()
    return ndcg(cells.data, cells.indptr[:-1].astype(np.intp))


def wide(lists):
    """Return the mean NDCG@10 of lists with large ids in any order."""
    keys, ids = packed(lists.y_true, lists.y_score), lists.qid.view(np.uint64)
    n_rows = len(ids)
    every, rng = np.arange(n_rows, dtype=np.int32), np.random.default_rng(0)
    first, left, table = every.copy(), every, np.empty(2**16, dtype=np.int32)
    while len(left):
        own = ids if left is every else ids[left]
        place = own * (
            rng.integers(2**62, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        )
        place >>= np.uint64(48)
        table[place] = left  # one of the rows with the same hash
        found = table[place]
        differs = ids[found] != own
        first[left] = found
        left = left[differs]
    code = np.cumsum(first == every, dtype=np.int32) - 1
    return _by_code(keys, code[first], code[-1] + 1)


def one_query(lists):
    """Return the NDCG of one query, by one sort of all of it."""
    keys = packed(lists.y_true, lists.y_score)
    codes = np.sort(keys).view(np.uint64).astype(np.uint8)
    (place,) = codes.nonzero()
    gain, discount = 2.0 ** codes[place] - 1, 1 / np.log2(np.arange(len(place)) + 2)
    return gain @ (1 / np.log2(place + 2)) / (np.sort(gain)[::-1] @ discount)


def candidates(y_true, y_score, exclude, cells=2**18):
    """Return the mean reciprocal rank among candidates, and three hit rates."""
    known = sparse.csr_matrix(exclude)
    above, n_rows = np.empty(len(y_true), dtype=np.intp), cells // y_score.shape[1]
    for start in range(0, len(y_true), n_rows):
        rows = slice(start, start + n_rows)
        block, target = y_score[rows], y_true[rows]
        target = block[np.arange(len(block)), target][:, np.newaxis]
        if np.isnan(block.max()):
            raise ValueError
        above[rows] = np.count_nonzero(block > target, axis=1)
        ends = known.indptr[start : start + len(block) + 1]
        row = np.repeat(np.arange(len(block)), np.diff(ends))
        higher = block[row, known.indices[ends[0] : ends[-1]]] > target[row, 0]
        above[rows] -= np.bincount(row[higher], minlength=len(block))
    return [(1 / (above + 1)).mean(), *((above < k).mean() for k in (1, 3, 10))]


def users(y_true, y_score, k=20, cells=2**18):
    """Return recall@k and NDCG@k of binary grades in a sparse matrix."""
    discount = np.append(1 / np.log2(np.arange(2, k + 2)), 0)
    sums = np.concatenate([[0], discount.cumsum()])
    n_relevant, n_rows = np.diff(y_true.indptr), cells // y_score.shape[1]
    recall, dcg = np.zeros(len(y_score)), np.zeros(len(y_score))
    for start in range(0, len(y_score), n_rows):
        block = y_score[start : start + n_rows]
        top = np.sort(np.partition(block, -k, axis=1)[:, -k:], axis=1)
        ends = y_true.indptr[start : start + len(block) + 1]
        row = np.repeat(np.arange(len(block)), np.diff(ends))
        score = block[row, y_true.indices[ends[0] : ends[-1]]]
        shown = score >= top[row, 0]
        row, score = row[shown], score[shown]
        above = np.count_nonzero(top[row] > score[:, np.newaxis], axis=1)
        rows = slice(start, start + len(block))
        recall[rows] = np.bincount(row, minlength=len(block))
        dcg[rows] = np.bincount(row, discount[above], len(block))
    best = sums[np.minimum(n_relevant, k)]
    return [
        np.divide(value, most, out=np.zeros(len(most)), where=most > 0).mean()
        for value, most in ((recall, n_relevant), (dcg, best))
    ]
