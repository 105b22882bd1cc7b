"""Results with rows by ranker and metric, and the intervals among them."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

# The decimal places of numbers in tables.
PLACES = 4


class Result(PrintedResult):
    """A printed result with rows, by rankers and metrics.

    What is made of it has the fields `rows`, `by`, `n_units` and `kind`, the library of
    its frames.
    """

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

    @property
    def _left(self):
        """Return the columns of tables that are aligned on the left."""
        return [*self.segment_names, *TEXT]

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


@dataclass(frozen=True, eq=False, repr=False)
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
        metric and no ranker.
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
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.stats import confidence_interval
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> runs = {"old": y_true + 3 * rng.randn(600), "new": y_true + rng.randn(600)}
    >>> scores = score_queries(y_true, runs, ["ndcg", "hits@1"], qid=qid)
    >>> intervals = confidence_interval(scores)
    >>> print(intervals)
    60 queries, 95% intervals
    <BLANKLINE>
    metric  ranker  estimate          interval  method
    ndcg    new       0.8932  [0.8455, 0.9219]  bounded
    ndcg    old       0.8344  [0.7840, 0.8703]  bounded
    hits@1  new       0.8000  [0.6822, 0.8817]  wilson
    hits@1  old       0.6833  [0.5577, 0.7869]  wilson
    >>> round(intervals["new"]["ndcg"].low, 3)
    0.845
    """

    rows: tuple[Bunch, ...]
    by: object
    clusters: object
    confidence_level: float
    directions: dict[str, int]
    n_units: int
    kind: FrameKind = "pandas"

    @property
    def rankers(self) -> tuple[str, ...]:
        """Return the names of the rankers."""
        return tuple(dict.fromkeys(row.get("ranker") for row in self.rows))

    @property
    def metrics(self) -> tuple[str, ...]:
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

    def _estimates(self, rows, last=None, digits=PLACES):
        """Return the table of some rows, with the last column, if any."""
        names = [*self.segment_names, "metric", "ranker"]
        names = [name for name in names if rows[0].get(name) is not None]
        cells = [
            [
                *(str(row[name]) for name in names),
                f"{row.estimate:.{digits}f}",
                shown_ends(row, digits),
            ]
            for row in rows
        ]
        header = [*names, "estimate", "interval"]
        if last is not None:
            header.append(last[0])
            cells = [[*line, cell] for line, cell in zip(cells, last[1], strict=True)]
        return Table(header, cells, self._left)

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


def add_judge(table, rows, digits=PLACES):
    """Add the columns of what a judge adds to some rows."""
    table.header.extend(("human", "judge", "correlation", "worth"))
    for line, row in zip(table.rows, rows, strict=True):
        line += (f"{row.human:.{digits}f}", f"{row.judge:.{digits}f}")
        line += (f"{row.correlation:.2f}",)
        line += ("human alone" if row.people_alone else f"{row.worth:.1f}",)


def shown_ends(interval, digits=PLACES):
    """Return the ends of an interval as text."""
    if np.isnan(interval.low):
        return "-"
    return f"[{interval.low:.{digits}f}, {interval.high:.{digits}f}]"
