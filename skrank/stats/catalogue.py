"""Intervals of scores of all lists together, by the jackknife over the lists."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import Bunch

from skrank._callers import warn_caller
from skrank._checks import shown
from skrank._engine.names import CATALOGUE_SCORES
from skrank.stats.inference import check_level, t_interval
from skrank.stats.intervals import ConfidenceIntervals


class Described(NamedTuple):
    """What :class:`ConfidenceIntervals` reads of scores."""

    rankers: tuple
    metrics: tuple
    keys: dict
    table: Bunch
    weight: None = None


@dataclass(frozen=True, eq=False, repr=False)
class CatalogueIntervals(ConfidenceIntervals):
    """The intervals of :class:`~skrank.metrics.CatalogueScores`.

    Parameters
    ----------
    words : str
        What the title says of the lists.
    """

    words: str

    def _units(self):
        return self.words


def intervals_of_lists(scores, confidence_level):
    """Return the intervals of the scores of each ranker."""
    check_level(confidence_level, "confidence_level", "interval")
    highest = _highest(scores.n_items)
    found = {}
    for ranker, lists in scores.lists.items():
        values = lists.scores(scores.n_items)
        without = lists.leave_one_out(scores.n_items)
        found[ranker] = _jackknife(values, without, confidence_level, 0.0, highest)
    sizes = {ranker: len(lists.qid) for ranker, lists in scores.lists.items()}
    words = f"{next(iter(sizes.values())):,} lists"
    if len(set(sizes.values())) > 1:
        words = ", ".join(f"{n:,} lists of {ranker}" for ranker, n in sizes.items())
    return _as_intervals(scores, found, words, confidence_level)


def difference_of_lists(scores, ranker, baseline, confidence_level):
    """Return the intervals of the differences of two rankers."""
    check_level(confidence_level, "confidence_level", "difference")
    one, other = scores.lists[ranker], scores.lists[baseline]
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
    n_items = scores.n_items
    values = one.scores(n_items) - other.scores(n_items)
    without = one.leave_one_out(n_items) - other.leave_one_out(n_items)
    highest = _highest(n_items)
    intervals = _jackknife(values, without, confidence_level, -highest, highest)
    words = f"{ranker} - {baseline}, {len(one.qid):,} lists"
    return _as_intervals(scores, {None: intervals}, words, confidence_level)


def _highest(n_items):
    """Return the highest value that each score can have."""
    by_name = {"entropy": np.log2(n_items), "effective_items": n_items}
    return np.array(
        [by_name.get(name, 1.0) for name in CATALOGUE_SCORES], dtype=np.float64
    )


def _jackknife(values, without, confidence_level, lowest, highest):
    """Return the interval of each score from its values without each of n lists.

    The variance is (n - 1) / n sum_q (s_q - mean(s))^2.
    """
    n = without.shape[1]
    mean = without.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        error = np.sqrt((n - 1) / n * ((without - mean) ** 2).sum(axis=1))
    intervals = []
    lowest = np.broadcast_to(lowest, highest.shape)
    for value, one, least, most in zip(values, error, lowest, highest, strict=True):
        low = high = np.nan
        if n >= 3 and np.isfinite(one):
            low, high = t_interval(value, one, n - 1, confidence_level)
            low, high = min(max(low, least), value), max(min(high, most), value)
        intervals.append(
            Bunch(
                estimate=float(value),
                low=float(low),
                high=float(high),
                standard_error=float(one),
                n_queries=n,
                n_undefined=0,
                method="jackknife",
            )
        )
    return intervals


def _as_intervals(scores, found, words, confidence_level):
    """Return the intervals of each ranker as one result."""
    fewest = min(intervals[0].n_queries for intervals in found.values())
    if fewest < 3:
        warn_caller(
            "Intervals of scores of lists need at least three lists, so that two "
            f"remain without one. Got {fewest}.",
            UserWarning,
        )
    requests = [
        Bunch(direction=1 if better else -1) for better in CATALOGUE_SCORES.values()
    ]
    most = max(intervals[0].n_queries for intervals in found.values())
    described = Described(
        tuple(found),
        scores.metrics,
        {"qid": np.arange(most)},
        Bunch(requests=requests, kind=scores.kind),
    )
    rows = tuple(
        Bunch(metric=metric, ranker=ranker, **intervals[j])
        for j, metric in enumerate(scores.metrics)
        for ranker, intervals in found.items()
    )
    return CatalogueIntervals(
        scores=described,
        rows=rows,
        by=None,
        clusters=None,
        confidence_level=confidence_level,
        words=words,
    )
