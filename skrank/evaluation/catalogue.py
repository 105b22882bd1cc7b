"""Scores of all lists together: how much of a catalogue they show, and how evenly."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.names import CATALOGUE_SCORES
from skrank._engine.value_table import (
    named_summaries,
)
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice, check_count, check_k, shown
from skrank._input.frames import as_frame, kind_of, on_host, take_rows
from skrank._input.mistakes import warn_if_out_of_order
from skrank._input.query_ids import find_qid
from skrank._ranking.ids import check_ids, encode_heads, encode_qid
from skrank._ranking.lists import read_lists
from skrank._ranking.rank import rank_documents
from skrank._text.docs import FrameKind, MatrixLike, share_frame_words, share_words
from skrank._text.tables import PrintedResult, Table
from skrank.evaluation.evaluate import names_of_rankers


@share_words
def catalogue_scores(
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    qid: ArrayLike | Mapping[str, ArrayLike] | None = None,
    item: ArrayLike | Mapping[str, ArrayLike],
    k: int,
    items: int | ArrayLike,
    ties: Literal["expected", "first"] = "expected",
    returned: ArrayLike | Mapping[str, ArrayLike] | None = None,
    exclude: MatrixLike | None = None,
) -> CatalogueScores:
    r"""Score all lists together: how much of the catalogue they show, and how evenly.

    A recommender may be right for every user and still show the same ten items to all
    of them. No mean over queries says so: these scores are computed from how often each
    item is recommended, over all lists.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
        The predicted scores, larger is better. A dict holds those of several rankers by
        name. If they have rows of their own, `qid` and `item` are dicts likewise, and
        `returned` may be one.
    qid : array-like of shape (n_samples,) or dict of them, default=None
        The query id of each row, such as a user, rows in any order. If None, the ids
        are taken from the index of `y_score` named "qid"; without one, at most 100 rows
        are one query, and more raise an error.
    item : array-like of shape (n_samples,) or (n_docs,), or dict of them
        The item of each row, or of each column if `y_score` has one row per query. It
        is read of the documents of the top `k` alone.
    k : int or None
        Cutoff: the top `k` documents of a query are its list. None for lists that are
        cut already.
    items : int or array-like of shape (n_items,)
        The number of items that could be recommended, or their ids, each once. What is
        never recommended counts, and the rows do not show it.
    ties : {"expected", "first"}, default="expected"
        How ties in `y_score` are resolved. "expected" counts a tied document with the
        probability that it is in the list; "first" keeps the input order.
    returned : array-like of bool of shape (n_samples,) or dict of them, default=None
        Which documents the system returned. The others are not in the list, and their
        `y_score` is not read. If None, all documents were returned.

    Returns
    -------
    scores : CatalogueScores
        The scores of each ranker.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, the input shapes do not match, an item is
        twice in a list, an item is not among the ids in `items`, or more items are
        recommended than `items` says that there are.
    TypeError
        If a parameter has the wrong type, or `y_score` is sparse.

    See Also
    --------
    ild_score : The diversity within each list.
    popularity_score : The popularity of the documents of each list.

    Notes
    -----
    Let :math:`p_{qi}` be the probability that item i is in the list of query q: 1 or 0
    without ties. Of the n lists :math:`c_i = \sum_q p_{qi}` are expected to hold item
    i. With I items, :math:`C = \sum_i c_i` and the :math:`c_i` in ascending order,

    .. math::

       coverage &= \frac{1}{I} \sum_i \Bigl(1 - \prod_q (1 - p_{qi})\Bigr) \\
       gini &= \frac{\sum_{j=1}^{I} (2 j - I - 1) \, c_{(j)}}{I \, C} \\
       entropy &= - \sum_i \frac{c_i}{C} \log_2 \frac{c_i}{C} \\
       effective\ items &= 2^{entropy} \\
       personalization &= 1 - \frac{1}{n (n - 1)} \sum_{q \ne r} \sum_i
       \frac{p_{qi} \, p_{ri}}{\sqrt{n_q n_r}}

    where :math:`n_q` is the length of a list. The effective number of items is that of
    equally frequent items with the same entropy [1]_. Personalization is 1 minus the
    mean cosine similarity of two lists, which for lists of k items is the inter-list
    distance of [2]_; it is summed by item, not by pair. A query without documents has
    an empty list: it counts, and has nothing in common with any other.

    Under ties coverage and personalization are the exact expectations over all orders.
    Gini and entropy are their values at the expected counts, which are not the
    expected values: at even counts gini is lower, and entropy higher.

    All but personalization depend on the number of lists: more of them cover more, so
    compare only scores of equal numbers of lists.

    References
    ----------
    .. [1] L. Jost,
       "Entropy and Diversity", Oikos 113 (2006).
    .. [2] T. Zhou, Z. Kuscsik, J.-G. Liu, M. Medo, J. R. Wakeling and Y.-C. Zhang,
       "Solving the Apparent Diversity-Accuracy Dilemma of Recommender Systems", PNAS
       107 (2010).

    Examples
    --------
    >>> from skrank.metrics import catalogue_scores
    >>> user, item = [1, 1, 1, 2, 2, 2], ["a", "b", "c", "a", "b", "c"]
    >>> scores = catalogue_scores([3, 2, 1, 1, 2, 3], qid=user, item=item, k=2, items=4)
    >>> print(scores)
    top 2 of 4 items
    lists  coverage    gini  entropy  effective_items  personalization
        2    0.7500  0.3750   1.5000           2.8284           0.5000
    >>> scores.counts
    {'a': 1.0, 'b': 2.0, 'c': 1.0}
    """
    k = check_k(k, caller="catalogue_scores")
    check_choice(ties, ("expected", "first"), "ties", "catalogue_scores")
    n_items, items = _read_items(items)
    own = {"y_score": y_score, "qid": qid, "item": item, "returned": returned}
    by_ranker = {name: by for name, by in own.items() if isinstance(by, Mapping)}
    lists, heads = {}, None
    for ranker in names_of_rankers(y_score, by_ranker, "catalogue_scores"):
        given = own | {name: by[ranker] for name, by in by_ranker.items()}
        given = {name: on_host(values) for name, values in given.items()}
        warn_if_out_of_order(given)
        scores, rows = given["y_score"], given["qid"]
        if heads is None or "qid" in by_ranker:
            if rows is None and np.ndim(scores) == 1:
                rows = find_qid(y=scores)
            heads = None if rows is None else encode_heads(rows, len(scores))
        masks = {"returned": given["returned"], "exclude": on_host(exclude)}
        lists[ranker] = _top_lists(scores, heads, given["item"], k, ties, **masks)
        _check_items(lists[ranker].items, n_items, items)
    return CatalogueScores(lists, k, n_items, items, kind_of(scores, rows))


def _read_items(items):
    """Return the number of items of a catalogue, and their ids or None."""
    if isinstance(items, Integral):
        return check_count(items, "items"), None
    ids, codes = encode_qid(items, name="items")
    if len(ids) < len(codes):
        twice = ids[np.bincount(codes) > 1].tolist()[0]
        raise ValueError(
            "The 'items' parameter of catalogue_scores must have each item once. Got "
            f"{shown(twice)} twice: pass the ids of the catalogue, not those of the "
            "rows."
        )
    if not len(ids):
        raise ValueError("The 'items' parameter of catalogue_scores must not be empty.")
    return len(ids), ids


def _check_items(found, n_items, items):
    """Raise if items were recommended that the catalogue does not have."""
    if len(found) > n_items:
        raise ValueError(
            "The 'items' parameter of catalogue_scores must be at least the number of "
            f"different items that are recommended, {len(found)}. Got {n_items}."
        )
    known = set(() if items is None else items.tolist())
    unknown = [item for item in found.tolist() if item not in known] if known else []
    if unknown:
        raise ValueError(
            "The 'items' parameter of catalogue_scores must have every item that is "
            f"recommended. Got no item {shown(unknown[0])} among {n_items}."
        )


def _top_lists(y_score, qid, item, k, ties, **masks):
    """Return the :class:`TopLists` of one ranker; `masks` are those of the rows."""
    shape = np.shape(y_score)
    no_grades = np.zeros(shape, dtype=np.uint8)
    documents = read_lists(no_grades, y_score, qid=qid, **masks)
    top = rank_documents(documents, ties, k)
    n_rows, rows = shape[-1], top.row
    if len(shape) == 2:  # an item is a column
        rows = rows % n_rows
    items, code = encode_qid(
        take_rows(check_ids(item, n_rows, "item"), rows), name="item"
    )
    probability = None
    if top.size.max(initial=1) > 1:
        probability = top.mean_over_places(np.ones_like)
    lists = TopLists(documents.ids, top.length, top.query, code, probability, items)
    lists.check()
    return lists


@dataclass(frozen=True, eq=False, repr=False)
class CatalogueScores(PrintedResult):
    """The scores of all lists together, by ranker.

    Made by :func:`catalogue_scores`. It can be pickled.

    Parameters
    ----------
    lists : dict of str to TopLists
        The lists of each ranker by its name, which is None for one without a name.
    k : int or None
        The cutoff.
    n_items : int
        The number of items of the catalogue.
    items : ndarray of shape (n_items,) or None
        Their ids, if they are known.
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library of the data frames that it becomes.

    Attributes
    ----------
    rankers : tuple of str
        The names of the rankers, or ``(None,)`` for one without a name.
    metrics : tuple of str
        The names of the scores: "coverage", "gini", "entropy", "effective_items" and
        "personalization".
    n_lists : int or dict of str to int
        The number of lists; of named rankers, that of each.
    counts : dict
        For each item the number of lists with it, which is an expected one under ties;
        of named rankers, such a dict for each. It has the items of the catalogue if
        their ids are known, else those that are recommended.

    See Also
    --------
    skrank.tables.read_rows : Reads the rows of a file.

    Examples
    --------
    >>> from skrank.metrics import catalogue_scores
    >>> user, item = [1, 1, 1, 2, 2, 2, 3, 3, 3], list("abcabcabc")
    >>> rankers = {"popular": [3, 2, 1] * 3, "own": [3, 2, 1, 1, 3, 2, 2, 1, 3]}
    >>> scores = catalogue_scores(rankers, qid=user, item=item, k=1, items=list("abcd"))
    >>> print(scores)
    top 1 of 4 items
    ranker   lists  coverage    gini  entropy  effective_items  personalization
    popular      3    0.2500  0.7500   0.0000           1.0000           0.0000
    own          3    0.7500  0.2500   1.5850           3.0000           1.0000
    >>> scores.summary()["own"]["coverage"]
    0.75
    """

    lists: dict[str | None, Any]
    k: int | None
    n_items: int
    items: NDArray[Any] | None
    kind: FrameKind = "pandas"

    @property
    def rankers(self) -> tuple[str | None, ...]:
        """Return the names of the rankers."""
        return tuple(self.lists)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the scores."""
        return tuple(CATALOGUE_SCORES)

    @property
    def n_lists(self) -> int | dict[str, int]:
        """Return the number of lists, by ranker."""
        return self._named(lambda lists: len(lists.qid))

    @cached_property
    def counts(self) -> dict[Any, Any]:
        """Return the expected number of lists with each item, by ranker."""
        known = {} if self.items is None else dict.fromkeys(self.items.tolist(), 0.0)

        def of_ranker(lists):
            found = zip(lists.items.tolist(), lists.counts.tolist(), strict=True)
            return known | dict(found)

        return self._named(of_ranker)

    def _named(self, function):
        """Return what a function returns of the lists, by ranker if they are named."""
        found = {ranker: function(lists) for ranker, lists in self.lists.items()}
        return found[None] if self.rankers == (None,) else found

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Return the scores, of shape (n_rankers, n_metrics)."""
        return np.array([lists.scores(self.n_items) for lists in self.lists.values()])

    def summary(self) -> dict[Any, Any]:
        """Return the scores.

        Returns
        -------
        summary : dict
            The value of each score by its name; for named rankers, such a dict for each
            of them. NaN where it is undefined: of lists without documents, and for
            personalization of a single list.

        Warns
        -----
        UndefinedMetricWarning
            If a score is undefined.
        """
        undefined = np.isnan(self.values).any(axis=0)
        if undefined.any():
            names = [self.metrics[j] for j in np.flatnonzero(undefined)]
            warn_caller(
                f"{names} are undefined: all lists are empty, or there is only one.",
                UndefinedMetricWarning,
            )
        return named_summaries(self.rankers, self.metrics, self.values.tolist())

    @share_frame_words
    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Return the scores as a data frame with one row per ranker.

        Returns
        -------
        frame : data frame
            The columns "ranker", for named rankers; "n_lists"; and the scores.
        """
        columns = {}
        if self.rankers != (None,):
            columns["ranker"] = np.array(self.rankers, dtype=object)
        columns["n_lists"] = np.array([len(one.qid) for one in self.lists.values()])
        columns |= dict(zip(self.metrics, self.values.T, strict=True))
        return as_frame(columns, self.kind if kind is None else kind)

    def _contents(self):
        header, rows = ["lists", *self.metrics], []
        for (ranker, lists), values in zip(
            self.lists.items(), self.values, strict=True
        ):
            row = [f"{len(lists.qid):,}", *(f"{value:.4f}" for value in values)]
            rows.append(row if ranker is None else [ranker, *row])
        header = header if self.rankers == (None,) else ["ranker", *header]
        title = "whole lists" if self.k is None else f"top {self.k}"
        title += f" of {self.n_items:,} items"
        return "", [Table(header, rows, title=title)]


# To compare the items of so few entries with each other is faster than to sort them.
FEW_ENTRIES = 32


@dataclass(frozen=True, eq=False)
class TopLists:
    """The lists of one ranker; an entry is a document that may be in one of them."""

    qid: np.ndarray  # of shape (n_lists,), in ascending order
    length: np.ndarray  # the number of documents in each list
    query: np.ndarray  # of shape (n_entries,): the list of each entry
    code: np.ndarray  # its item, a position in `items`
    probability: np.ndarray | None  # that it is in the list; None if all are
    items: np.ndarray  # the items that may be recommended, each once

    def check(self):
        """Raise if a list has an item twice."""
        is_small = len(self.qid) * len(self.items) < 2**31
        key = self.query.astype(np.int32 if is_small else np.int64)
        key *= len(self.items)
        key += self.code
        most = np.bincount(self.query, minlength=1).max()
        if most > FEW_ENTRIES:
            key.sort()
        # The entries of a list stand together.
        for step in range(1, 2 if most > FEW_ENTRIES else most):
            is_again = key[step:] == key[:-step]
            if is_again.any():
                query, code = divmod(key[step:][is_again][0], len(self.items))
                raise ValueError(
                    "A list must have each item once. Got the item "
                    f"{shown(self.items[[code]].tolist()[0])} twice for the query "
                    f"{shown(self.qid[[query]].tolist()[0])}."
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
        p = np.where(self.probability < 1, self.probability, 0.0)
        return self._sum_by_item(np.log1p(-p))

    @cached_property
    def share(self):
        """Return p / sqrt(length) of each entry, of which the cosines are made."""
        return self.p / np.sqrt(self.length)[self.query]

    def scores(self, n_items):
        """Return the scores, of a catalogue of some size."""
        n, counts, total = len(self.qid), np.sort(self.counts), self.length.sum()
        covered = np.where(self.certain > 0, 1.0, -np.expm1(self.log_missed)).sum()
        place = 2 * np.arange(len(counts)) + 1.0 - len(counts)
        # An item that is never recommended is c apart from one with the count c.
        spread = (place * counts).sum() + (n_items - len(counts)) * total
        c_log_c = (counts * np.log2(np.where(counts > 0, counts, 1.0))).sum()
        overlap = self._sum_by_item(self.share) ** 2
        overlap -= self._sum_by_item(self.share**2)
        with np.errstate(divide="ignore", invalid="ignore"):  # no documents, one list
            entropy = np.maximum(np.log2(total) - c_log_c / total, 0.0)
            scores = [
                covered / n_items,
                np.maximum(spread / (n_items * total), 0.0),
                entropy,
                2**entropy,
                1 - overlap.sum() / np.float64(n * (n - 1)),
            ]
        return np.array(scores)
