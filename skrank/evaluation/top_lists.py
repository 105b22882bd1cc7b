"""The lists of all queries, and the sums of which their scores are made."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skrank._checks import shown
from skrank._engine.value_table import distinct, joined, refuse_twice
from skrank._ranking.ids import encode_qid

# To compare the items of so few entries with each other is faster than to sort them.
FEW = 32


@dataclass(frozen=True, eq=False)
class TopLists:
    """The lists of one ranker: from them all scores are computed.

    An entry is a document that may be in a list. The entries are in the order of the
    lists, and the lists in the order of `qid`.

    Attributes
    ----------
    qid : ndarray of shape (n_lists,)
        The query ids, in ascending order.
    length : ndarray of shape (n_lists,)
        The number of documents in each list.
    query : ndarray of shape (n_entries,)
        The list of each entry.
    code : ndarray of shape (n_entries,)
        Its item, a position in `items`.
    probability : ndarray of shape (n_entries,) or None
        The probability that it is in the list; None if all are.
    items : ndarray of shape (n_recommended,)
        The items that may be recommended, each once.
    """

    qid: np.ndarray
    length: np.ndarray
    query: np.ndarray
    code: np.ndarray
    probability: np.ndarray | None
    items: np.ndarray

    def check(self):
        """Raise if a list has an item twice."""
        is_small = len(self.qid) * len(self.items) < 2**31
        key = self.query.astype(np.int32 if is_small else np.int64)
        key *= len(self.items)
        key += self.code
        most = np.bincount(self.query, minlength=1).max()
        if most > FEW:
            key.sort()
        # The entries of a list stand together.
        for step in range(1, 2 if most > FEW else most):
            is_again = key[step:] == key[:-step]
            if is_again.any():
                query, code = divmod(key[step:][is_again][0], len(self.items))
                raise ValueError(
                    "A list must have each item once. Got the item "
                    f"{shown(self.items[[code]].tolist()[0])} twice for the query "
                    f"{shown(self.qid[[query]].tolist()[0])}."
                )

    @classmethod
    def concat(cls, parts):
        """Return the lists of all parts, whatever their order."""
        keys, first, codes = distinct({"qid": joined([part.qid for part in parts])})
        if len(first) < len(codes):
            refuse_twice(keys, codes)
        items, code = encode_qid(joined([part.items for part in parts]), name="item")
        n_lists = np.cumsum([0, *(len(part.qid) for part in parts)])
        n_found = np.cumsum([0, *(len(part.items) for part in parts)])
        query = [codes[part.query + n] for part, n in zip(parts, n_lists, strict=False)]
        query = np.concatenate(query)
        order = np.argsort(query, kind="stable")
        of_entry = [
            code[part.code + n] for part, n in zip(parts, n_found, strict=False)
        ]
        probability = None
        if any(part.probability is not None for part in parts):
            probability = np.concatenate([part.p for part in parts])[order]
        return cls(
            keys["qid"],
            np.concatenate([part.length for part in parts])[first],
            query[order],
            np.concatenate(of_entry)[order],
            probability,
            items,
        )

    @property
    def p(self):
        """Return the probability of each entry."""
        return np.ones(len(self.code)) if self.probability is None else self.probability

    @cached_property
    def counts(self):
        """Return the expected number of lists with each item."""
        return self._sum_by_item(self.probability)

    def _sum_by_item(self, values):
        return np.bincount(self.code, values, len(self.items)).astype(np.float64)

    @cached_property
    def certain(self):
        """Return the number of lists that hold each item for sure."""
        if self.probability is None:
            return self.counts
        return self._sum_by_item(self.probability == 1)

    @cached_property
    def log_missed(self):
        """Return the logarithm of the probability that no other list holds the item."""
        if self.probability is None:
            return np.zeros(len(self.items))
        return self._sum_by_item(_log_of_missing(self.probability))

    @cached_property
    def share(self):
        """Return p / sqrt(length) of each entry, of which the cosines are made."""
        return self.p / np.sqrt(self.length)[self.query]

    @cached_property
    def sums(self):
        """Return the :class:`Sums` of all lists."""
        counts = np.sort(self.counts)
        place = 2 * np.arange(len(counts)) + 1.0 - len(counts)
        length = self.length[0]
        if self.probability is None and (self.length == length).all():
            overlap = self.counts * (self.counts - 1) / max(length, 1)
        else:
            overlap = self._sum_by_item(self.share) ** 2
            overlap -= self._sum_by_item(self.share**2)
        return Sums(
            len(self.qid),
            _present(self.certain, self.log_missed).sum(),
            (place * counts).sum(),
            self.length.sum(),
            _c_log_c(counts).sum(),
            overlap.sum(),
        )

    def scores(self, n_items):
        """Return the scores, of a catalogue of some size."""
        return _scores_of(self.sums, len(self.items), n_items)

    def leave_one_out(self, n_items):
        """Return the scores without each list, of shape (n_scores, n_lists).

        They follow from the sums of all lists: only the terms of the items of a list
        change without it.
        """
        n, sums, p = len(self.qid), self.sums, self.p

        def by_list(values):
            return np.bincount(self.query, values, n)

        certain, log_missed = self.certain[self.code], self.log_missed[self.code]
        before = self.counts[self.code]
        after = np.maximum(before - p, 0)
        missing = _log_of_missing(p)
        lost = _present(certain, log_missed)
        lost = lost - _present(certain - (p == 1), log_missed - missing)
        of_item = self._sum_by_item(self.share)[self.code]
        return _scores_of(
            Sums(
                n - 1,
                sums.covered - by_list(lost),
                sums.spread + self._change_of_spread(before, after),
                sums.total - self.length,
                sums.c_log_c - by_list(_c_log_c(before) - _c_log_c(after)),
                sums.overlap - by_list(2 * self.share * (of_item - self.share)),
            ),
            len(self.items),
            n_items,
        )

    def _change_of_spread(self, before, after):
        """Return how the sum of |c_i - c_j| over pairs changes without each list.

        `before` and `after` are the counts of the item of each entry, with and without
        its list. The pairs with one item in the list are those of all items less those
        within the list.
        """
        counts = np.sort(self.counts)
        below = np.append(0.0, np.cumsum(counts))

        def apart(count):
            """Return the sum of |c - c_j| over the recommended items j."""
            n = np.searchsorted(counts, count, side="right")
            return count * (2 * n - len(counts)) + below[-1] - 2 * below[n]

        n_lists = len(self.qid)
        change = np.bincount(self.query, apart(after) - apart(before), n_lists)
        both = np.concatenate([before, after])
        of_both = np.concatenate([self.query, self.query])
        change -= _spread_within(both, of_both, n_lists)
        change += 2 * _spread_within(before, self.query, n_lists)
        return change + 2 * _spread_within(after, self.query, n_lists)

    def coverage_at(self, n_lists, n_items):
        """Return the coverage that is expected of some of the lists."""
        n = len(self.qid)
        x = np.arange(n - n_lists)
        # C(n - x, m) / C(n, m): none of m lists is among the x of n with an item.
        missed = np.cumprod(np.append(1.0, (n - n_lists - x) / (n - x)))
        missed = np.append(missed[missed > 1e-18], 0.0)
        last = len(missed) - 1
        if self.probability is None:
            counts = np.minimum(self.counts, last).astype(np.intp)
            return float((1 - missed[counts]).sum() / n_items)
        # Of an item that some lists may hold, the number of lists has a law.
        order = np.argsort(self.code, kind="stable")
        order = order[self.probability[order] < 1]
        code, p = self.code[order], self.probability[order]
        ends = np.searchsorted(code, np.arange(len(self.items) + 1))
        total = 0.0
        for i, certain in enumerate(self.certain.astype(np.intp)):
            tail = missed[min(certain, last) :]
            law = np.array([1.0])
            for chance in p[ends[i] : ends[i + 1]]:
                law = np.convolve(law, [1 - chance, chance])[: len(tail)]
            total += 1 - law @ tail[: len(law)]
        return float(total / n_items)


class Sums(NamedTuple):
    """What the scores are computed from: numbers, or an array with one for each list.

    Attributes
    ----------
    n_lists : int
        The number of lists.
    covered : float
        The expected number of items in any of them.
    spread : float
        The sum of |c_i - c_j| over pairs of recommended items, c being the counts.
    total : int
        The number of documents in all lists.
    c_log_c : float
        The sum of c log2 c over the items.
    overlap : float
        The sum of the cosine similarities of all ordered pairs of lists.
    """

    n_lists: int
    covered: np.ndarray
    spread: np.ndarray
    total: np.ndarray
    c_log_c: np.ndarray
    overlap: np.ndarray


def _scores_of(sums, n_found, n_items):
    """Return the scores from the :class:`Sums` of n_found items of a catalogue."""
    n, total = sums.n_lists, sums.total
    with np.errstate(divide="ignore", invalid="ignore"):  # of no documents, or one list
        # An item that is never recommended is c apart from one with the count c.
        spread = sums.spread + (n_items - n_found) * total
        entropy = np.maximum(np.log2(total) - sums.c_log_c / total, 0.0)
        pairs = np.float64(n * (n - 1))
        scores = [
            sums.covered / n_items,
            np.maximum(spread / (n_items * total), 0.0),
            entropy,
            2**entropy,
            1 - sums.overlap / pairs,
        ]
    return np.array(scores)


def _log_of_missing(p):
    """Return log(1 - p), and 0 where p is 1."""
    return np.log1p(-np.where(p < 1, p, 0.0))


def _present(certain, log_missed):
    """Return the probability that some list holds an item."""
    return np.where(certain > 0, 1.0, -np.expm1(log_missed))


def _c_log_c(counts):
    return counts * np.log2(np.where(counts > 0, counts, 1.0))


def _spread_within(values, query, n_lists):
    """Return the sum of |x_i - x_j| over the pairs of entries of each list."""
    order = np.lexsort((values, query))
    size = np.bincount(query, minlength=n_lists)
    place = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    place = 2 * place + 1.0 - np.repeat(size, size)
    return np.bincount(query[order], place * values[order], n_lists)
