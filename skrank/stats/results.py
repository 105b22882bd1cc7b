"""Results with rows by ranker and metric, the intervals among them, and sentences."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skrank._input.checks import check_choice
from skrank._input.frames import KINDS, as_frame
from skrank._text.docs import FrameKind, share_frame_words
from skrank._text.tables import (
    TEXT,
    PrintedResult,
    Table,
    counted,
    smaller_words,
    undefined_words,
)
from skrank.stats.inference import MOST_UNEVEN, effective_units, is_at_most
from skrank.stats.sample_size import differences_of, needed

# The decimal places of numbers in tables.
PLACES = 4


class Result(PrintedResult):
    """A printed result with rows, by rankers and metrics.

    What is made of it has the fields `rows`, `by`, `n_units` and `kind`, the library of
    its frames.
    """

    rows: Any
    by: Any
    kind: Any

    @share_frame_words
    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Return the rows as a data frame.

        Returns
        -------
        frame : data frame
            The columns are the entries of `rows`.
        """
        check_choice(kind, {*KINDS, None}, "kind", "to_frame")
        names = [name for name, value in self.rows[0].items() if value is not None]
        columns = {}
        for name in names:
            values = [row[name] for row in self.rows]
            columns[name] = np.array(
                values, object if isinstance(values[0], str) else None
            )
        return as_frame(columns, self.kind if kind is None else kind)

    @property
    def segment_names(self) -> list[str]:
        """Return the names of the key columns of the segments."""
        if self.by is None:
            return []
        return [self.by] if isinstance(self.by, str) else list(self.by)

    def _segment(self, row):
        """Return the label of the segment of a row."""
        values = tuple(row[name] for name in self.segment_names)
        return values[0] if isinstance(self.by, str) else values

    def _drawn(self):
        """Return how many units there are, and how many queries are undefined."""
        words = ["query", "queries"]
        if self.clusters is not None:
            words = ["cluster of queries", "clusters of queries"]
        by = f" by {', '.join(self.segment_names)}" if self.segment_names else ""
        undefined = undefined_words([row.n_undefined for row in self.rows])
        judged = ""
        if "judge" in self.rows[0]:
            judged = f" with human labels, {self.rows[0].n_judged:,} of the judge"
        return f"{counted(self.n_units, *words)}{by}{undefined}{judged}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConfidenceIntervals(Result, Mapping):
    """The confidence intervals of metrics, by ranker and metric.

    Made by :func:`~skrank.stats.confidence_interval`. It prints and shows in a notebook
    as a table, and is a mapping: ``intervals[ranker][metric]``, or
    ``intervals[metric]`` of one ranker without a name. By segment it is a mapping of
    these, by the value of the column or the tuple of values of several. A single
    interval has its entries as attributes, such as ``interval.low``; that of an array
    is the mapping of them.

    Parameters
    ----------
    rows : tuple of Bunch
        For each metric and ranker an interval with the entries metric, ranker,
        estimate, low, high, standard_error, n_queries, n_undefined and method; before
        them those of the segment, by the names of its columns. That of an array has no
        metric and no ranker. With a judge, further entries are human, judge, n_judged,
        correlation, worth and people_alone (:doc:`/judges`).
    by, clusters, confidence_level : object
        The parameters of the intervals.
    directions : dict of str to int
        1 for each metric of which larger values are better, else -1.
    n_units : int
        The number of units: queries, or clusters of them, with a weight. Some of the
        queries may be undefined, and left out of some rows.
    kind : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library of the data frames that it becomes.

    Examples
    --------
    >>> from skrank.metrics import QueryScores
    >>> from skrank.stats import confidence_interval
    >>> scores = QueryScores.from_frame({"qid": [1, 2, 3, 4], "mrr": [1, 0.5, 1, 0.2]})
    >>> intervals = confidence_interval(scores)
    >>> round(intervals["mrr"].low, 3)
    0.277
    """

    rows: tuple[Bunch, ...]
    by: object
    clusters: object
    confidence_level: float
    directions: dict[str | None, int]
    n_units: int
    kind: FrameKind = "pandas"

    @property
    def rankers(self) -> tuple[str, ...]:
        """Return the names of the rankers."""
        return tuple(dict.fromkeys(row.get("ranker") for row in self.rows))

    @property
    def metrics(self) -> tuple[str | None, ...]:
        """Return the names of the metrics."""
        return tuple(self.directions)

    def __getattr__(self, name: str) -> Any:
        """Return an entry of the interval, if there is only one."""
        rows, instead = self.__dict__.get("rows", ()), ""
        if rows and name in rows[0]:
            if len(rows) == 1:
                return rows[0][name]
            instead = f" Choose one of the {len(rows)} intervals by ranker and metric."
        raise AttributeError(f"ConfidenceIntervals has no attribute {name!r}.{instead}")

    @cached_property
    def _named(self):
        """Return the rows by segment, ranker and metric, as far as there are names."""
        named, rankers = {}, self.rankers
        for row in self.rows:
            found = named.setdefault(self._segment(row), {})
            if rankers != (None,):
                found = found.setdefault(row.ranker, {})
            found[row.get("metric")] = row
        found = named if self.by is not None else named[()]
        return found if self.metrics != (None,) else found[None]

    def __getitem__(self, name):
        """Return the intervals of a segment or a ranker, or that of a metric."""
        return self._named[name]

    def __iter__(self):
        """Iterate over the segments, or the names of rankers or metrics."""
        return iter(self._named)

    def __len__(self):
        """Return the number of segments, rankers or metrics."""
        return len(self._named)

    @cached_property
    def _best_first(self):
        """Return the rows of each (segment or ``()``, metric), the best first."""
        groups = {}
        for row in self.rows:
            place = self._segment(row), row.get("metric")
            groups.setdefault(place, []).append(row)
        for (_, metric), rows in groups.items():
            value = [-self.directions[metric] * row.estimate for row in rows]
            order = np.argsort(np.nan_to_num(value, nan=np.inf), kind="stable")
            rows[:] = [rows[i] for i in order]
        return groups

    def _estimates(self, rows, last=None):
        """Return the table of some rows, with the last column, if any."""
        names = [*self.segment_names, "metric", "ranker"]
        names = [name for name in names if rows[0].get(name) is not None]
        cells = [
            [
                *(str(row[name]) for name in names),
                f"{row.estimate:.{PLACES}f}",
                shown_ends(row),
            ]
            for row in rows
        ]
        header = [*names, "estimate", "interval"]
        if last is not None:
            header.append(last[0])
            cells = [[*line, cell] for line, cell in zip(cells, last[1], strict=True)]
        return Table(header, cells, [*self.segment_names, *TEXT])

    def _contents(self):
        rows = [row for of_metric in self._best_first.values() for row in of_metric]
        table = self._estimates(rows, ("method", [row.method for row in rows]))
        title = f"{self._drawn()}, {100 * self.confidence_level:g}% "
        smaller = [name for name, one in self.directions.items() if one < 0]
        title += f"intervals{smaller_words(smaller)}"
        if "judge" in rows[0]:
            title += f". {OF_JUDGE}"
            add_judge(table, rows)
        return title, [table]


# What the columns that a judge adds say.
OF_JUDGE = (
    "With the judge, one query with human labels replaces `worth` of them, more for "
    "means than for differences. Where few queries decide how far the judge is from "
    "the human labels, these count alone"
)


def add_judge(table, rows):
    """Add the columns of what a judge adds to some rows."""
    table.header.extend(("human", "judge", "correlation", "worth"))
    for line, row in zip(table.rows, rows, strict=True):
        line += (f"{row.human:.{PLACES}f}", f"{row.judge:.{PLACES}f}")
        line += (f"{row.correlation:.2f}",)
        line += ("human alone" if row.people_alone else f"{row.worth:.1f}",)


def shown_ends(interval):
    """Return the ends of an interval as text."""
    if np.isnan(interval.low):
        return "-"
    return f"[{interval.low:.{PLACES}f}, {interval.high:.{PLACES}f}]"


# Of more claims, or names in one of them, the others are counted.
MOST_CLAIMS = 3
# An end near 0 has at most so many digits more than are known.
MORE_DIGITS = 2
# Of an interval of numbers of queries that ends beyond, only the low end is said.
MOST_SAID = 1e6


def verdict(comparison):
    """Return the sentences of a :class:`skrank.stats.RankerComparison`."""
    rows, level = comparison.rows, 1 - comparison.confidence_level
    found, others = [], []
    for row in rows:
        (found if is_at_most(row.p_adjusted, level) else others).append(row)
    oddities, margin = _oddities(comparison), comparison.margin
    if not found and not margin:
        said = ["No significant difference"]
        if any(row.wins + row.losses for row in rows):
            said.append(_what_is_detectable(comparison))
    elif not found:
        said = [_claims(comparison, others, are_shown=False)]
    elif comparison._has_all_pairs and len(comparison.rankers) > 2:
        said = _winners(comparison, found)
        said.append(f"{len(found):,} of {len(rows):,} differences are significant")
    else:
        text = _claims(comparison, found)
        if others:
            where = f"{len(others):,} of {len(rows):,} comparisons"
            if len({(row.ranker, row.baseline) for row in rows}) == 1:
                where = _listed([_place(comparison, row) for row in others])
            text += "; not shown" if margin else "; no significant difference"
            text += f" in {where}"
        said = [text]
    return f"{'. '.join([*said, *oddities])}."


def _winners(comparison, found):
    """Return who is best by each metric, and who may be as good."""
    said = []
    for place, rows in comparison.intervals._best_first.items():
        best, where = rows[0].ranker, _place(comparison, rows[0])
        beaten = {
            name
            for row in found
            if (comparison._segment(row), row.metric) == place and best in _pair(row)
            for name in _pair(row)
        }
        alike = [row.ranker for row in rows[1:] if row.ranker not in beaten]
        if len(alike) == len(rows) - 1:
            said.append(f"No ranker is significantly best in {where}")
        else:
            text = f"{best} is best in {where}"
            said.append(f"{text}; {_listed(alike)} may be as good" if alike else text)
    left = len(said) - MOST_CLAIMS
    of_others = [f"{left} more are in the table"] if left > 1 else said[MOST_CLAIMS:]
    return said[:MOST_CLAIMS] + of_others


def _pair(row):
    return row.ranker, row.baseline


def _oddities(comparison):
    """Return sentences about what is likely an accident."""
    table, values, said = comparison.scores.table, comparison.scores.values, []
    n = len(table.keys["qid"])
    queries = f"all {n:,} queries" if n > 1 else "the query"
    zero = []
    if not (table.smaller or (values < 0).any()):  # 0 is the worst value
        zero = np.array(table.rankers)[~values.any(axis=(1, 2))].tolist()
    said += [f"{name} is 0 in {queries}" for name in zero]
    differ = {_pair(row) for row in comparison.rows if row.wins + row.losses}
    for one, other in dict.fromkeys(map(_pair, comparison.rows)):
        if (one, other) not in differ and not {one, other} <= {*zero}:
            said.append(f"{other} and {one} have the same values in {queries}")
    if len(said) > MOST_CLAIMS + 1:
        said = [*said[:MOST_CLAIMS], f"{len(said) - MOST_CLAIMS} more runs are alike"]
    if table.weight is not None and comparison.clusters is None:
        n_effective = float(effective_units(table.weight))
        if n_effective < MOST_UNEVEN * np.count_nonzero(table.weight):
            said.append(f"The weights make the queries count as {n_effective:.3g}")
    return said


def _claims(comparison, rows, are_shown=True):
    """Return what is claimed of some rows: of the best rankers first."""
    order = dict.fromkeys(
        row.ranker for rows in comparison.intervals._best_first.values() for row in rows
    )
    order, claims = [*order], {}
    for row in rows:
        words, numbers = _claim(comparison, row, are_shown)
        place, of_metric = tuple(map(order.index, _pair(row))), _place(comparison, row)
        claims.setdefault((place, words), {})[of_metric] = f"{of_metric} ({numbers})"
    # Several pairs of which the same is claimed are one claim, without numbers.
    is_long, groups = len(claims) > MOST_CLAIMS, {}
    for (place, words), of_metrics in sorted(claims.items(), key=lambda one: one[0]):
        key = (place[1] if is_long else place), words
        where = (*of_metrics,) if is_long else (*of_metrics.values(),)
        groups.setdefault((key, where), []).append(place)
    named = []
    for ((_, words), where), places in groups.items():
        one, other = ([order[i] for i in of] for of in zip(*places, strict=True))
        verb, verb_of_several, after = words
        verb = verb_of_several if len(set(one)) > 1 else verb
        text = f"{_listed(one)} {verb} {_listed(other)}{after}"
        named.append(f"{text} in {_listed(where)}")
    text = "; ".join(named[:MOST_CLAIMS])
    left = sum(map(len, [*groups.values()][MOST_CLAIMS:]))
    return text + (f"; and {counted(left, 'more pair')}" if left else "")


def _claim(comparison, row, are_shown):
    """Return what is claimed of the rankers of a row, and the numbers."""
    margin = comparison.margin
    gain = comparison._direction(row.metric) * row.difference
    side = "better than" if gain > 0 else "worse than"
    words = f"is {side}", f"are {side}", ""
    if margin and are_shown:
        words = "differs from", "differ from", f" by less than {margin:g}"
    elif margin:
        words = *("may differ from",) * 2, f" by {margin:g} or more"
    return words, _with_ends(row.difference, row.low, row.high)


def _with_ends(difference, low, high):
    """Return a difference and its interval, with the digits that are known."""
    width = min(abs(difference - low), abs(high - difference))
    digits = 2
    if width > 0 and np.isfinite(width):
        digits = max(-int(np.floor(np.log10(width / 2.5))), 0)
    if low > 0 or high < 0:  # an end near 0 is not printed as 0, unless it nearly is
        nearest = min(abs(low), abs(high))
        more = -int(np.floor(np.log10(nearest)))
        digits = more if digits < more <= digits + MORE_DIGITS else digits
    # Without the sign of -0.0.
    difference, low, high = (round(x, digits) + 0.0 for x in (difference, low, high))
    is_known = np.isfinite(high - low)
    ends = f"{low:.{digits}f} to {high:.{digits}f}" if is_known else "unknown"
    return f"{difference:+.{digits}f}, {ends}"


def _place(comparison, row):
    """Return the metric of a row, and its segment."""
    values = [f"{name} {row[name]}" for name in comparison.segment_names]
    return f"{row.metric} for {', '.join(values)}" if values else row.metric


def _what_is_detectable(comparison):
    """Return which difference the queries can detect, and what a smaller one takes."""
    first, names = comparison.rows[0].metric, ("query", "queries")
    if comparison.clusters is not None:
        names = "cluster of queries", "clusters of queries"
    # Some segments may have too few queries for any.
    is_first = [row for row in comparison.rows if row.metric == first]
    rows = [row for row in is_first if 0 < row.detectable < np.inf]
    if not rows:
        n = comparison.n_units
        if is_at_most(2.0 ** (1 - n), 1 - comparison.confidence_level):
            few = f"Too few of {counted(n, *names)} decide, or all differ alike, to say"
            return f"{few} which difference can be detected"
        are = "is" if n == 1 else "are"
        return f"{counted(n, *names)} {are} too few to detect any difference"
    row = max(rows, key=lambda row: row.detectable)
    n = comparison.n_units
    if comparison.by is not None and comparison.clusters is None:
        n = row.n_queries
    # The next round number, 1, 2 or 5 times a power of 10, below a half of it.
    least = row.detectable
    power = 10.0 ** np.floor(np.log10(least / 2))
    smaller = max(one * power for one in (1, 2, 5) if one * power <= least / 2)
    digits = max(1 - int(np.floor(np.log10(least))), 0)
    return (
        f"{counted(n, *names)} can detect a difference of {least:.{digits}f} in "
        f"{_place(comparison, row)}{_what_it_takes(comparison, row, smaller)}"
    )


def _what_it_takes(comparison, row, effect):
    """Return how many queries detect an effect, as `required_queries` says.

    Nothing where it does not hold: of clusters, weights, a judge and other samples.
    """
    scores = comparison.scores
    is_pair = comparison.paired and comparison.judge is None
    if comparison.clusters is not None or not is_pair:
        return ""
    table = scores.table
    if comparison.by is not None:
        segments = table.segments(comparison.by, "compare_rankers")
        table = table.take(segments[comparison._segment(row)])
    rankers = [comparison.rankers.index(name) for name in (row.baseline, row.ranker)]
    table = table.select(rankers, [comparison.metrics.index(row.metric)])
    differences = differences_of(replace(scores, table=table))
    if differences is None:
        return ""
    level = 1 - comparison.confidence_level
    if comparison.are_simultaneous:  # Bonferroni's
        level /= len(comparison.rows)
    numbers = [float(f"{n:.1e}") for n in needed(differences, effect, level).values()]
    n, low, high = numbers
    between = (
        f"{low:,.0f} to {high:,.0f}" if high <= MOST_SAID else f"{low:,.0f} or more"
    )
    return f"; {effect:g} takes about {n:,.0f} ({between})"


def _listed(words):
    """Return words as a list in a sentence."""
    words = list(dict.fromkeys(words))
    if len(words) > MOST_CLAIMS + 1:
        words = [*words[:MOST_CLAIMS], f"{len(words) - MOST_CLAIMS} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
