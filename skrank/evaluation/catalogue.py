"""Scores of all lists together: how much of a catalogue they show, and how evenly."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._engine.names import CATALOGUE_SCORES
from skrank._engine.value_table import (
    distinct,
    joined,
    named_summaries,
    read_parts,
    refuse_twice,
)
from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice, check_count, check_k, check_level, shown
from skrank._input.frames import as_frame, kind_of, on_host, take_rows
from skrank._input.mistakes import warn_if_out_of_order
from skrank._input.query_ids import find_qid
from skrank._ranking.ids import check_ids, encode_heads, encode_qid
from skrank._ranking.lists import read_lists
from skrank._ranking.rank import rank_documents
from skrank._text.docs import FrameKind, MatrixLike, share_frame_words, share_words
from skrank._text.tables import as_html, table
from skrank.evaluation.evaluate import names_of_rankers
from skrank.evaluation.results import ConfidenceIntervals


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

    All but personalization depend on the number of lists. More lists cover more, so
    compare only scores of equal numbers of lists, or use
    :meth:`CatalogueScores.coverage`.

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
class CatalogueScores:
    """The scores of all lists together, by ranker.

    Made by :func:`catalogue_scores` and `concat`. It can be pickled.

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
    >>> scores.coverage(at=2)
    {'popular': 0.25, 'own': 0.5}
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

    def coverage(self, *, at: int | None = None) -> float | dict[str, float]:
        r"""Return the coverage, also that of fewer lists.

        Parameters
        ----------
        at : int, default=None
            The number of lists, at most those that there are: the coverage that is
            expected of this many of them, drawn at random (rarefaction). If None, of all
            lists.

        Returns
        -------
        coverage : float or dict of str to float
            The coverage; for named rankers, that of each.

        Raises
        ------
        ValueError
            If a ranker has fewer lists.

        Notes
        -----
        With n lists, of which :math:`c_i` hold item i, the expected coverage of m of
        them is [1]_

        .. math::

           \frac{1}{I} \sum_i \left(1 - \binom{n - c_i}{m} \Big/ \binom{n}{m}\right).

        It is exact, also under ties, where :math:`c_i` has a law.

        References
        ----------
        .. [1] S. H. Hurlbert, "The Nonconcept of Species Diversity: A Critique and
           Alternative Parameters", Ecology 52 (1971).

        Examples
        --------
        >>> from skrank.metrics import catalogue_scores
        >>> user, item = [1, 1, 2, 2, 3, 3], ["a", "b"] * 3
        >>> scores = catalogue_scores([2, 1, 2, 1, 1, 2], qid=user, item=item, k=1, items=2)
        >>> scores.coverage()
        1.0
        >>> round(scores.coverage(at=2), 4)  # of three pairs one has "a" twice
        0.8333
        """  # noqa: E501
        if at is None:
            return self._named(lambda lists: float(lists.scores(self.n_items)[0]))
        fewest = min(len(lists.qid) for lists in self.lists.values())
        at = check_count(at, "at")
        if at > fewest:
            raise ValueError(
                "The 'at' parameter of coverage must be at most the number of lists of "
                f"each ranker, {fewest}: what more lists would show is not known. "
                f"Got {at}."
            )
        return self._named(lambda lists: lists.coverage_at(at, self.n_items))

    def intervals(
        self, *, baseline: str | None = None, confidence_level: float = 0.95
    ) -> ConfidenceIntervals:
        r"""Return the confidence intervals of the scores, or of their differences.

        The lists are a sample, such as those of some of the users. An interval covers
        the value that is expected of this number of lists.

        Parameters
        ----------
        baseline : str, default=None
            The name of a ranker. The intervals are then those of the differences of the
            other rankers from it. All need lists of the same queries.
        confidence_level : float, default=0.95
            The level, between 0 and 1.

        Returns
        -------
        intervals : ConfidenceIntervals
            A table of intervals, by score and ranker. The ends are within the range of
            the score, or of the difference.

        Raises
        ------
        ValueError
            If a parameter has an invalid value, or the baseline is the only ranker, or
            has lists of other queries than the other rankers.
        TypeError
            If `confidence_level` is not a number.

        Warns
        -----
        UserWarning
            If a ranker has fewer than three lists. Its intervals are then NaN.

        See Also
        --------
        skrank.stats.confidence_interval : Intervals of means over queries.

        Notes
        -----
        With the values :math:`s_{(q)}` without each of n lists and their mean
        :math:`\bar s`, the standard error is that of the jackknife [1]_,

        .. math::

           se = \sqrt{\frac{n - 1}{n} \sum_q (s_{(q)} - \bar s)^2},

        and the interval is that of Student's t with n - 1 degrees of freedom. A
        difference leaves out the list of a query for both rankers. A bootstrap does not
        work here: it repeats lists, which then cover less; see :doc:`/catalogue`.

        References
        ----------
        .. [1] B. Efron, C. Stein, "The Jackknife Estimate of Variance", Annals of
           Statistics 9 (1981).

        Examples
        --------
        >>> import numpy as np
        >>> from skrank.metrics import catalogue_scores
        >>> rng = np.random.RandomState(0)
        >>> user, item = np.repeat(np.arange(40), 30), np.tile(np.arange(30), 40)
        >>> taste = rng.randn(1200)
        >>> rankers = {"old": taste - item / 10, "new": taste}
        >>> scores = catalogue_scores(rankers, qid=user, item=item, k=3, items=30)
        >>> intervals = scores.intervals(baseline="old")
        >>> print(intervals)
        40 lists, differences from old, 95% intervals, smaller values of gini are better
        <BLANKLINE>
        metric           ranker  estimate            interval  method
        coverage         new       0.3667    [0.2335, 0.4998]  jackknife
        gini             new      -0.3439  [-0.4665, -0.2213]  jackknife
        entropy          new       0.9126    [0.6550, 1.1702]  jackknife
        effective_items  new      11.7367   [8.2831, 15.1903]  jackknife
        personalization  new       0.1333    [0.0860, 0.1807]  jackknife
        >>> round(intervals["new"]["gini"].high, 4)
        -0.2213
        """
        check_level(confidence_level, "confidence_level", "intervals")
        lists, other, of_other = dict(self.lists), None, None
        if baseline is not None:
            names = [name for name in lists if name is not None]
            check_choice(baseline, names, "baseline", "intervals")
            other = lists.pop(baseline)
            of_other = other.scores(self.n_items), other.leave_one_out(self.n_items)
            if not lists:
                raise ValueError(
                    "Differences need the scores of at least two rankers. Got those of "
                    f"{shown(baseline)} only."
                )
        found = {}
        for ranker, one in lists.items():
            if other is not None:
                _check_same_lists(one, other, ranker, baseline)
            found[ranker] = _jackknife_of_lists(
                one, of_other, self.n_items, confidence_level
            )
        sizes = {ranker: len(one.qid) for ranker, one in lists.items()}
        if min(sizes.values()) < 3:
            warn_caller(
                "Intervals of scores of lists need at least three lists, so that two "
                f"remain without one. Got {min(sizes.values())}.",
                UserWarning,
            )
        return ConfidenceIntervals(
            rows=tuple(
                Bunch(metric=metric, ranker=ranker, **intervals[j])
                for j, metric in enumerate(self.metrics)
                for ranker, intervals in found.items()
            ),
            by=None,
            clusters=None,
            confidence_level=confidence_level,
            directions={name: 2 * up - 1 for name, up in CATALOGUE_SCORES.items()},
            n_units=max(sizes.values()),
            kind=self.kind,
            drawn=_in_words(sizes, baseline),
        )

    @classmethod
    def concat(cls, parts: Iterable[CatalogueScores]) -> CatalogueScores:
        """Return the scores of all lists of several parts.

        They do not depend on the order of the parts, to the last bit: they are those of
        all lists at once.

        Parameters
        ----------
        parts : iterable of CatalogueScores
            Scores of different queries, with the same rankers, cutoff and catalogue.

        Raises
        ------
        ValueError
            If a query is in two parts, or the parts differ in rankers, cutoff or
            catalogue.

        Examples
        --------
        >>> from skrank.metrics import CatalogueScores, catalogue_scores
        >>> parts = [
        ...     catalogue_scores([2, 1], qid=[1, 1], item=["a", "b"], k=1, items=2),
        ...     catalogue_scores([1, 2], qid=[2, 2], item=["a", "b"], k=1, items=2),
        ... ]
        >>> CatalogueScores.concat(parts).coverage()
        1.0
        """
        first, *_ = parts = read_parts(parts, CatalogueScores)
        for part in parts:
            for name in ("rankers", "k", "n_items"):
                one, other = getattr(first, name), getattr(part, name)
                if one != other:
                    raise ValueError(
                        f"All parts must have the same {name}. Got {shown(one)} and "
                        f"{shown(other)}."
                    )
            if not np.array_equal(part.items, first.items):
                raise ValueError(
                    "All parts must have the same catalogue. Got other ids."
                )
        lists = {
            ranker: TopLists.concat([part.lists[ranker] for part in parts])
            for ranker in first.rankers
        }
        for of_ranker in lists.values():
            _check_items(of_ranker.items, first.n_items, first.items)
        return replace(first, lists=lists)

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

    def _rows(self):
        """Return the header and the rows of the scores, as text."""
        header, rows = ["lists", *self.metrics], []
        for (ranker, lists), values in zip(
            self.lists.items(), self.values, strict=True
        ):
            row = [f"{len(lists.qid):,}", *(f"{value:.4f}" for value in values)]
            rows.append(row if ranker is None else [ranker, *row])
        return header if self.rankers == (None,) else ["ranker", *header], rows

    def _title(self):
        top = "whole lists" if self.k is None else f"top {self.k}"
        return f"{top} of {self.n_items:,} items"

    def __str__(self):
        """Return the scores as a table."""
        return f"{self._title()}\n{table(*self._rows(), left=['ranker'])}"

    __repr__ = __str__

    def _repr_html_(self):
        """Return the scores as a table for a notebook."""
        return as_html(self._title(), [self._rows()])


def _in_words(sizes, baseline):
    """Return how many lists the intervals are made of, and what they are about."""
    drawn = f"{next(iter(sizes.values())):,} lists"
    if len(set(sizes.values())) > 1:
        drawn = ", ".join(f"{n:,} lists of {ranker}" for ranker, n in sizes.items())
    return drawn if baseline is None else f"{drawn}, differences from {baseline}"


def _check_same_lists(one, other, ranker, baseline):
    """Raise unless two rankers have lists of the same queries."""
    if len(one.qid) != len(other.qid):
        fewest = min(len(one.qid), len(other.qid))
        raise ValueError(
            "The scores depend on the number of lists, which must be that of both "
            f"rankers. Got {len(one.qid):,} lists of {shown(ranker)} and "
            f"{len(other.qid):,} of {shown(baseline)}: keep the queries that both "
            f"have, or compare the coverage of as many lists, coverage(at={fewest})."
        )
    odd = set(one.qid.tolist()) ^ set(other.qid.tolist())
    if odd:
        raise ValueError(
            "The difference of two rankers needs lists of the same queries. Only one "
            f"of {shown(ranker)} and {shown(baseline)} has the query "
            f"{shown(next(iter(odd)))}."
        )


def _jackknife_of_lists(lists, of_other, n_items, confidence_level):
    """Return the interval of each score, or of its difference from another ranker.

    `of_other` are the scores of that ranker, and those without each list, or None.
    """
    by_name = {"entropy": np.log2(n_items), "effective_items": n_items}
    highest = [float(by_name.get(name, 1.0)) for name in CATALOGUE_SCORES]
    lowest = [0.0] * len(highest)
    values, without = lists.scores(n_items), lists.leave_one_out(n_items)
    if of_other is not None:
        values, without = values - of_other[0], without - of_other[1]
        lowest = [-most for most in highest]
    n, found = len(lists.qid), []
    for value, again, least, most in zip(values, without, lowest, highest, strict=True):
        low, high = np.nan, np.nan
        with np.errstate(invalid="ignore"):
            # se^2 = (n - 1) / n sum_q (s_(q) - mean of s_(q))^2
            error = np.sqrt((n - 1) / n * ((again - again.mean()) ** 2).sum())
        if n >= 3 and np.isfinite(error):
            radius = t.ppf((1 + confidence_level) / 2, n - 1) * error
            low = min(max(value - radius, least), value)
            high = max(min(value + radius, most), value)
        found.append(
            Bunch(
                estimate=float(value),
                low=float(low),
                high=float(high),
                standard_error=float(error),
                n_queries=n,
                n_undefined=0,
                method="jackknife",
            )
        )
    return found


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
        """Return the scores without each list, (n_scores, n_lists), from the sums."""
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
    """What the scores are computed from: numbers, or arrays of one for each list."""

    n_lists: int
    covered: np.ndarray  # the expected number of items in any of the lists
    # The sum of |c_i - c_j| over pairs of recommended items, c being the counts.
    spread: np.ndarray
    total: np.ndarray  # the number of documents in all lists
    c_log_c: np.ndarray  # the sum of c log2 c over the items
    overlap: np.ndarray  # the cosine similarities of all ordered pairs of lists


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
