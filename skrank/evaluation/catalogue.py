"""Scores of all lists together: how much of a catalogue they show, and how evenly."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.names import CATALOGUE_SCORES
from skrank._engine.value_table import named_summaries
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    check_choice,
    check_count,
    check_k,
    shape_of,
    shown,
    warn_if_out_of_order,
)
from skrank._input.frames import as_frame, kind_of, on_host, take_rows
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
       personalization &= 1 - \frac{1}{n (n - 1)} \sum_{q \ne r} \sum_i
       \frac{p_{qi} \, p_{ri}}{\sqrt{n_q n_r}}

    where :math:`n_q` is the length of a list. Equally frequent items have the
    same entropy if there are ``2 ** entropy`` of them [1]_. Personalization is 1
    minus the mean cosine similarity of two lists, which for lists of k items is the
    inter-list distance of [2]_. A query without documents has an empty list: it counts,
    and has nothing in common with any other.

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
    lists  coverage    gini  entropy  personalization
        2    0.7500  0.3750   1.5000           0.5000
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
        if not shape_of(scores):
            raise ValueError(f"y_score must be an array-like. Got {scores!r}.")
        if heads is None or "qid" in by_ranker:
            if rows is None and np.ndim(scores) == 1:
                rows = find_qid(y=scores)
            heads = None if rows is None else encode_heads(rows, len(scores))
        masks = {"returned": given["returned"], "exclude": on_host(exclude)}
        top, codes, found = _top_lists(scores, heads, given["item"], k, ties, **masks)
        _check_items(found, n_items, items)
        counts, values = _score_lists(top, codes, len(found), n_items)
        n_lists = top.ranking.n_queries
        lists[ranker] = ScoredLists(n_lists, found, counts, values)
    known = {"n_items": n_items, "items": items, "kind": kind_of(scores, rows)}
    return CatalogueScores(lists=lists, k=k, **known)


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
    return check_count(len(ids), "items"), ids


def _check_items(found, n_items, items):
    """Raise if items were recommended that the catalogue does not have."""
    if len(found) > n_items:
        raise ValueError(
            "The 'items' parameter of catalogue_scores must be at least the number of "
            f"different items that are recommended, {len(found)}. Got {n_items}."
        )
    known = set((found if items is None else items).tolist())
    unknown = [item for item in found.tolist() if item not in known]
    if unknown:
        raise ValueError(
            "The 'items' parameter of catalogue_scores must have every item that is "
            f"recommended. Got no item {shown(unknown[0])} among {n_items}."
        )


def _top_lists(y_score, qid, item, k, ties, **masks):
    """Return the documents that may be in a list, their items as codes, and the items.

    `masks` are those of the rows.
    """
    shape = np.shape(y_score)
    no_grades = np.zeros(shape, dtype=np.uint8)
    documents = read_lists(no_grades, y_score, qid=qid, **masks)
    top = rank_documents(documents, ties, k)
    n_rows, rows = shape[-1], top.row
    if len(shape) == 2:  # an item is a column
        rows = rows % n_rows
    items, codes = encode_qid(
        take_rows(check_ids(item, n_rows, "item"), rows), name="item"
    )
    _check_once(documents.ids, top.query, codes, items)
    return top, codes, items


def _check_once(qid, query, codes, items):
    """Raise if a list has an item twice."""
    is_small = len(qid) * len(items) < 2**31
    key = query.astype(np.int32 if is_small else np.int64)
    key *= len(items)
    key += codes
    key.sort()
    is_again = key[1:] == key[:-1]
    if is_again.any():
        query, code = divmod(key[1:][is_again][0], len(items))
        raise ValueError(
            "A list must have each item once. Got the item "
            f"{shown(items[[code]].tolist()[0])} twice for the query "
            f"{shown(qid[[query]].tolist()[0])}."
        )


def _score_lists(top, codes, n_found, n_items):
    """Return the expected number of lists with each item, and the scores."""

    def by_item(values=None):
        return np.bincount(codes, values, n_found).astype(np.float64)

    n, length, p, covered = top.ranking.n_queries, top.length, None, n_found
    if top.size.max(initial=1) > 1:
        p = top.mean_over_places(np.ones_like)  # the probability to be in the list
        log_missed = by_item(np.log1p(-np.where(p < 1, p, 0.0)))
        covered = np.where(by_item(p == 1) > 0, 1.0, -np.expm1(log_missed)).sum()
    counts = by_item(p)
    # The sum of |c_i - c_j| over pairs of items is that of (2 i - I - 1) c_(i), and an
    # item that is never recommended is c apart from one with the count c.
    place, total = 2 * np.arange(n_found) + 1.0 - n_found, length.sum()
    in_order = np.sort(counts)
    spread = (place * in_order).sum() + (n_items - n_found) * total
    c_log_c = (in_order * np.log2(np.where(in_order > 0, in_order, 1.0))).sum()
    # The cosines of all pairs of lists, from what each item adds to them.
    if p is None and (length == length[0]).all():
        overlap = counts * (counts - 1) / max(length[0], 1)
    else:
        share = (1.0 if p is None else p) / np.sqrt(length)[top.query]
        overlap = by_item(share) ** 2 - by_item(share**2)
    with np.errstate(divide="ignore", invalid="ignore"):  # no documents, or one list
        return counts, (
            float(covered / n_items),
            float(np.maximum(spread / (n_items * total), 0.0)),
            float(np.maximum(np.log2(total) - c_log_c / total, 0.0)),
            float(1 - overlap.sum() / np.float64(n * (n - 1))),
        )


class ScoredLists(NamedTuple):
    """The scores of the lists of one ranker."""

    n_lists: int
    items: NDArray[Any]  # that may be in a list
    counts: NDArray[np.float64]  # the expected number of lists with each of them
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CatalogueScores(PrintedResult):
    """The scores of all lists together, by ranker.

    Made by :func:`catalogue_scores`. It can be pickled.

    Parameters
    ----------
    lists : dict of str to ScoredLists
        The scores of each ranker by its name, which is None for one without a name.
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
        The names of the scores: "coverage", "gini", "entropy" and "personalization".
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
    ranker   lists  coverage    gini  entropy  personalization
    popular      3    0.2500  0.7500   0.0000           0.0000
    own          3    0.7500  0.2500   1.5850           1.0000
    >>> scores.summary()["own"]["coverage"]
    0.75
    """

    lists: dict[str | None, ScoredLists]
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
        return CATALOGUE_SCORES

    @property
    def n_lists(self) -> int | dict[str, int]:
        """Return the number of lists, by ranker."""
        return self._named(lambda lists: lists.n_lists)

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
        values = [lists.values for lists in self.lists.values()]
        undefined = np.isnan(values).any(axis=0)
        if undefined.any():
            names = [self.metrics[j] for j in np.flatnonzero(undefined)]
            warn_caller(
                f"{names} are undefined: all lists are empty, or there is only one.",
                UndefinedMetricWarning,
            )
        return named_summaries(self.rankers, self.metrics, values)

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
        lists = self.lists.values()
        columns["n_lists"] = np.array([one.n_lists for one in lists])
        values = np.array([one.values for one in lists]).T
        columns |= dict(zip(self.metrics, values, strict=True))
        return as_frame(columns, self.kind if kind is None else kind)

    def _contents(self):
        header, rows = ["lists", *self.metrics], []
        for ranker, lists in self.lists.items():
            row = [f"{lists.n_lists:,}", *(f"{value:.4f}" for value in lists.values)]
            rows.append(row if ranker is None else [ranker, *row])
        header = header if self.rankers == (None,) else ["ranker", *header]
        title = "whole lists" if self.k is None else f"top {self.k}"
        title += f" of {self.n_items:,} items"
        return "", [Table(header, rows, title=title)]
