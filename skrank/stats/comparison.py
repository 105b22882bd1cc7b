"""The result of a comparison of rankers."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from string import ascii_letters
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skrank._checks import shown
from skrank._columns import as_frame
from skrank._types import Clusters, FrameKind
from skrank.metrics import QueryScores
from skrank.stats.inference import difference
from skrank.stats.intervals import (
    ConfidenceIntervals,
    Result,
    confidence_interval,
    shown_ends,
)
from skrank.stats.paired_tests import CORRECTIONS, TESTS, is_two_sided


@dataclass(frozen=True, eq=False, repr=False)
class RankerComparison(Result):
    """Differences of rankers by metric, with their uncertainty.

    Made by :func:`compare_rankers`. It prints and shows in a notebook as two tables:
    the rankers, and their differences.

    Parameters
    ----------
    scores : QueryScores
        The values that were compared.
    rows : tuple of Bunch
        For each metric and pair of rankers a row with the entries metric, ranker,
        baseline, estimate, estimate_baseline, difference, low, high, pvalue,
        p_adjusted, effect_size, wins, ties, losses, n_queries, n_undefined and
        detectable.
    baseline, test, correction, alternative, margin, clusters, confidence_level : object
        The parameters of the comparison.

    See Also
    --------
    compare_rankers : Makes it.
    skrank.plot.ComparisonDisplay : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.stats import compare_rankers
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> runs = {"old": y_true + 3 * rng.randn(600), "new": y_true + rng.randn(600)}
    >>> scores = score_queries(y_true, runs, ["ndcg", "hits@1"], qid=qid)
    >>> print(compare_rankers(scores))
    60 queries, 2 comparisons (1 pair x 2 metrics): sign-flip test, max-T, 95% intervals
    <BLANKLINE>
    metric  ranker  estimate          interval  letters
    ndcg    new       0.8932  [0.8568, 0.9215]  a
    ndcg    old       0.8344  [0.7925, 0.8695]  b
    hits@1  new       0.8000  [0.6822, 0.8817]  a
    hits@1  old       0.6833  [0.5577, 0.7869]  a
    <BLANKLINE>
    metric  ranker  baseline  difference           interval      p  adjusted  wins/ties/losses  detectable
    ndcg    new     old          +0.0588   [0.0181, 0.1000]  0.005      0.01           39/0/21      0.0579
    hits@1  new     old          +0.1167  [-0.0357, 0.2667]   0.19      0.19           14/39/7      0.2151
    """  # noqa: E501

    scores: QueryScores
    rows: tuple[Bunch, ...]
    baseline: str | None
    test: str
    correction: str | None
    alternative: str
    margin: float
    clusters: Clusters | None
    confidence_level: float

    @cached_property
    def intervals(self) -> ConfidenceIntervals:
        """Return the :class:`ConfidenceIntervals` of the rankers."""
        options = {"confidence_level": self.confidence_level, "clusters": self.clusters}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return confidence_interval(self.scores, **options)

    @cached_property
    def letters(self) -> Any:
        """Return the letters of each metric and ranker: ``letters[metric][ranker]``.

        Two rankers share a letter if they do not differ significantly. None unless all
        pairs were compared for a difference in either direction, and where the letters
        would be hard to read: with more than 26 rankers, or 12 letters of one of them.
        """
        if not self._has_all_pairs:
            return None
        level = 1 - self.confidence_level
        found = {}
        for metric in self.metrics:
            different = {
                frozenset((row.ranker, row.baseline))
                for row in self.rows
                if row.metric == metric and row.p_adjusted <= level
            }
            found[metric] = letters(
                [row.ranker for row in self.intervals._best_first(metric)],
                lambda *pair, different=different: frozenset(pair) in different,
            )
            if found[metric] is None:
                return None
        return found

    @property
    def _has_all_pairs(self):
        """Return True if all pairs were compared for any difference."""
        two_sided = is_two_sided(self.alternative, self.margin)
        return self.baseline is None and two_sided

    def _direction(self, metric):
        """Return 1 if larger values of a metric are better, else -1."""
        return self.scores.table.requests[self.metrics.index(metric)].direction

    def worst_queries(self, n: int = 10, *, kind: FrameKind | None = None) -> Any:
        """Return the queries that lost most, for each metric and pair.

        Parameters
        ----------
        n : int, default=10
            The number of queries of each metric and pair; fewer if fewer lost.
        kind : {"pandas", "polars", "pyarrow"}, default=None
            As in `to_frame`.

        Returns
        -------
        frame : data frame
            The columns metric, ranker, baseline, the keys of the queries, value,
            value_baseline and difference; the largest loss first.
        """
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(
                "The 'n' parameter of worst_queries must be an int >= 1. Got "
                f"{shown(n)} instead."
            )
        found = {name: [] for name in ("metric", "ranker", "baseline")}
        parts = []
        for row in self.rows:
            metric = self.metrics.index(row.metric)
            one, other = (
                self.scores.values[self.rankers.index(name), metric]
                for name in (row.ranker, row.baseline)
            )
            gain = self._direction(row.metric) * difference(one, other)
            order = np.argsort(np.nan_to_num(gain, nan=np.inf), kind="stable")[:n]
            order = order[gain[order] < 0]
            for name, names in found.items():
                names += [row[name]] * len(order)
            parts.append((order, one[order], other[order]))
        order, one, other = (np.concatenate(p) for p in zip(*parts, strict=True))
        columns = {name: np.array(names, dtype=object) for name, names in found.items()}
        columns |= {name: key[order] for name, key in self.scores.keys.items()}
        columns |= {"value": one, "value_baseline": other, "difference": one - other}
        return as_frame(columns, kind or self.scores.table.kind)

    def _title(self):
        levels = f"{100 * self.confidence_level:g}% intervals"
        if self.margin and self.alternative == "two-sided":
            levels += f", of differences {200 * self.confidence_level - 100:g}%"
        n_metrics = len({row.metric for row in self.rows})
        n_pairs = len({(row.ranker, row.baseline) for row in self.rows})
        asked = {"greater": "greater than", "less": "less than"}.get(self.alternative)
        about = ""
        if asked:
            about = f"; is the difference {asked} {_of_margin(asked, self.margin)}?"
        elif self.margin:
            about = f"; is the difference within {self.margin:g} of 0?"
        return (
            f"{self._units()}, {_counted(len(self.rows), 'comparison')} "
            f"({_counted(n_pairs, 'pair')} x {_counted(n_metrics, 'metric')}): "
            f"{TESTS[self.test].words}, {CORRECTIONS[self.correction].words}, "
            f"{levels}{about}"
        )

    def _estimates(self):
        """Return the header and the rows of the table of rankers."""
        header = ["metric", "ranker", "estimate", "interval"]
        if self.letters:
            header.append("letters")
        rows = []
        for metric in dict.fromkeys(row.metric for row in self.rows):
            for row in self.intervals._best_first(metric):
                cells = [
                    metric,
                    row.ranker,
                    f"{row.estimate:.4f}",
                    shown_ends(row),
                ]
                letters = [self.letters[metric][row.ranker]] if self.letters else []
                rows.append(cells + letters)
        return header, rows

    def _differences(self):
        """Return the header and the rows of the table of differences."""
        header = [
            *("metric", "ranker", "baseline", "difference", "interval", "p"),
            *("adjusted", "wins/ties/losses", "detectable"),
        ]
        rows = [
            [
                row.metric,
                row.ranker,
                row.baseline,
                f"{row.difference:+.4f}",
                shown_ends(row),
                f"{row.pvalue:.2g}",
                f"{row.p_adjusted:.2g}",
                f"{row.wins}/{row.ties}/{row.losses}",
                f"{row.detectable:.4f}",
            ]
            for row in self.rows
        ]
        return header, rows

    def _tables(self):
        title = self._title()
        if self.letters is None and self._has_all_pairs:
            title += ". Letters are left out: they would be too many to compare."
        return title, [self._estimates(), self._differences()]


def _counted(n, noun):
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _of_margin(asked, margin):
    return f"{-margin if asked == 'greater than' else margin:g}" if margin else "0"


# Letters that nobody can compare are not shown.
MOST_RANKERS = 26
LONGEST_LABEL = 12


def letters(rankers, is_different):
    """Return the letters of each ranker; two share one if they are not different.

    `rankers` holds their names, the best first, and `is_different` is a function of two
    of them. None if there are more than 26 rankers, or one would have more than 12
    letters.
    """
    if len(rankers) > MOST_RANKERS:
        return None
    alike = {
        one: {
            other for other in rankers if other != one and not is_different(one, other)
        }
        for one in rankers
    }
    groups = islice(_cliques(set(), set(alike), alike), len(ascii_letters) + 1)
    groups = sorted(sorted(map(rankers.index, group)) for group in groups)
    found = dict.fromkeys(rankers, "")
    for name, group in zip(ascii_letters, groups, strict=False):
        for place in group:
            found[rankers[place]] += name
    is_short = max(map(len, found.values())) <= LONGEST_LABEL
    return found if is_short and len(groups) <= len(ascii_letters) else None


def _cliques(group, candidates, alike, seen=frozenset()):
    """Yield the largest groups in which all are alike.

    C. Bron, J. Kerbosch, "Algorithm 457", Communications of the ACM 16 (1973). A group
    holds the pivot or one that is not like it, so that not all need to be tried.
    """
    candidates, seen = set(candidates), set(seen)
    if not candidates:
        if not seen:
            yield group
        return
    pivot = max(candidates | seen, key=lambda one: len(alike[one] & candidates))
    for one in sorted(candidates - alike[pivot]):
        near = alike[one]
        yield from _cliques(group | {one}, candidates & near, alike, seen & near)
        candidates.remove(one)
        seen.add(one)
