"""The result of a comparison of rankers."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from string import ascii_letters
from typing import Any, Literal

import numpy as np
from sklearn.utils import Bunch

from skrank._input.checks import check_choice, check_count
from skrank._input.frames import as_frame
from skrank._text.docs import Clusters, FrameKind
from skrank._text.tables import (
    LINE,
    TEXT,
    Cell,
    Table,
    as_html,
    as_latex,
    as_markdown,
    counted,
    smaller_words,
)
from skrank.evaluation.query_scores import QueryScores, worst_first
from skrank.stats.inference import difference, is_at_most
from skrank.stats.intervals import intervals_of
from skrank.stats.paired_tests import CORRECTIONS, TESTS
from skrank.stats.results import (
    OF_JUDGE,
    PLACES,
    ConfidenceIntervals,
    Result,
    add_judge,
    shown_ends,
    verdict,
)

# What stands above a mean that is significantly better, or worse, than the baseline.
BETTER_MARK, WORSE_MARK = "†", "‡"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankerComparison(Result):
    """Differences of rankers by metric, with their uncertainty.

    Made by :func:`compare_rankers`. It prints as two tables, the rankers and their
    differences, and a sentence that says what was found. There, p is adjusted for the
    number of comparisons, and w/t/l are the numbers of queries that are won, tied and
    lost. In a notebook, and with `to_latex` and `to_markdown`, it shows as the
    table of a paper: a row for each ranker, and a column for each metric.

    Parameters
    ----------
    scores : QueryScores
        The values that were compared.
    rows : tuple of Bunch
        For each metric and pair of rankers a row with the entries metric, ranker,
        baseline, estimate, estimate_baseline, difference, low, high, pvalue,
        p_adjusted, effect_size, wins, ties, losses, n_queries, n_undefined, detectable,
        test, and, without a judge, relative_difference, relative_low and relative_high,
        in relation to the mean of the baseline; before them those of the segment, by
        the names of its columns.
    by, baseline, test, correction, margin, clusters : object
        The parameters of the comparison; several baselines are a tuple.
    confidence_level : float
        The level of the intervals.
    are_simultaneous : bool
        Whether the intervals of the differences contain all true differences together
        with this probability, or each by itself.
    n_units : int
        The number of units: queries, or clusters of them, with a weight. Some of the
        queries may be undefined, and left out of some rows.
    judge : QueryScores, default=None
        The scores by the labels of a machine.
    paired : bool, default=True
        Whether all rankers have the same queries. If not, wins, ties, losses and
        effect_size are NaN.

    See Also
    --------
    compare_rankers : Makes it.
    skrank.plot.ComparisonDisplay : Draws it.

    Examples
    --------
    >>> from skrank.stats import compare_rankers
    >>> old = dict(enumerate([1, 2, 1, 3, 2, 1, 2, 3]))  # by query id
    >>> new = dict(enumerate([2, 4, 3, 4, 3, 2, 3, 5]))
    >>> comparison = compare_rankers({"old": old, "new": new})
    >>> comparison.rows[0].difference, comparison.rows[0].pvalue
    (1.375, 0.0078125)
    >>> *_, table = comparison.to_markdown().partition("| ranker")
    >>> print(table)
     | value |
    | :-- | :-- |
    | old | 1.8750 |
    | new | **3.2500**<sup>†</sup> |
    """

    scores: QueryScores
    rows: tuple[Bunch, ...]
    by: object
    baseline: str | Sequence[str] | None
    test: str
    correction: str | None
    margin: float
    clusters: Clusters | None
    confidence_level: float
    are_simultaneous: bool
    n_units: int
    judge: QueryScores | None = None
    paired: bool = True

    @property
    def rankers(self) -> tuple[str, ...]:
        """Return the names of the rankers."""
        return self.scores.rankers

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics."""
        return self.scores.metrics

    @property
    def kind(self) -> FrameKind:
        """Return the library of the data frames that it becomes."""
        return self.scores.table.kind

    @cached_property
    def intervals(self) -> ConfidenceIntervals:
        """Return the :class:`ConfidenceIntervals` of the rankers."""
        options = self.by, self.confidence_level, "auto", self.clusters, self.judge
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rankers that nothing is known of
            return intervals_of(self.scores, *options)[0]

    @cached_property
    def letters(self) -> dict[Any, Any] | None:
        """Return the letters of each metric and ranker: ``letters[metric][ranker]``.

        By segment they are ``letters[segment][metric][ranker]``.
        Two rankers share a letter if they do not differ significantly. None unless all
        pairs of three or more were compared for a difference in either direction, and
        where the letters would be hard to read: with more than 26 rankers, or 12
        letters of one of them.
        """
        if not self._has_all_pairs or len(self.rankers) < FEWEST_RANKERS:
            return None
        different = {
            (self._segment(row), row.metric, frozenset((row.ranker, row.baseline)))
            for row in self.rows
            if is_at_most(row.p_adjusted, 1 - self.confidence_level)
        }
        found: dict = {}
        for (segment, metric), rows in self.intervals._best_first.items():
            of_metric = letters(
                [row.ranker for row in rows],
                lambda *pair, place=(segment, metric): (
                    (*place, frozenset(pair)) in different
                ),
            )
            if of_metric is None:
                return None
            found.setdefault(segment, {})[metric] = of_metric
        return found if self.by is not None else found[()]

    def _letters_of(self, row, ranker):
        """Return the letters of a ranker by the metric and the segment of a row."""
        of_segment = self.letters
        if self.by is not None:
            of_segment = of_segment[self._segment(row)]
        return of_segment[row.metric][ranker]

    @property
    def _has_all_pairs(self):
        """Return True if all pairs were compared for any difference."""
        return self.baseline is None and not self.margin

    def _direction(self, metric):
        """Return 1 if larger values of a metric are better, else -1."""
        return self.scores.table.requests[self.metrics.index(metric)].direction

    def worst_queries(self, n: int = 10) -> Any:
        """Return the queries that lost most, for each metric, pair and segment.

        Parameters
        ----------
        n : int, default=10
            The number of queries of each metric, pair and segment; fewer if fewer lost.

        Returns
        -------
        frame : data frame
            The columns metric, ranker, baseline, the keys of the queries, value,
            value_baseline and difference; the largest loss first.

        See Also
        --------
        skrank.metrics.QueryScores.worst_queries : Those of one ranker.
        skrank.metrics.query_report : Shows the documents of one of these queries, by
            both rankers.
        """
        check_count(n, "n")
        found: dict = {name: [] for name in ("metric", "ranker", "baseline")}
        parts, table = [], self.scores.table
        segments = {(): np.arange(len(table.keys["qid"]))}
        if self.by is not None:
            segments = table.segments(self.by, "worst_queries")
        for row in self.rows:
            metric = self.metrics.index(row.metric)
            one, other = (
                self.scores.values[self.rankers.index(name), metric]
                for name in (row.ranker, row.baseline)
            )
            gain = self._direction(row.metric) * difference(one, other)
            queries = segments[self._segment(row)]
            order = queries[worst_first(gain[queries])[:n]]
            order = order[gain[order] < 0]
            for name, names in found.items():
                names += [row[name]] * len(order)
            parts.append((order, one[order], other[order]))
        order, one, other = (np.concatenate(p) for p in zip(*parts, strict=True))
        columns = {name: np.array(names, dtype=object) for name, names in found.items()}
        columns |= {name: key[order] for name, key in self.scores.keys.items()}
        columns |= {"value": one, "value_baseline": other, "difference": one - other}
        return as_frame(columns, self.kind)

    def to_markdown(
        self,
        *,
        rows: Literal["rankers", "differences"] = "rankers",
        uncertainty: Literal["interval", "standard error"] | None = None,
    ) -> str:
        """Return the means of all rankers as a table in Markdown, for a paper.

        The best mean of each metric is bold, also if several are printed alike. Letters
        say which rankers do not differ significantly, or marks which ones differ from
        the baseline, with its number if there are several. The title names the test,
        the correction and the number of queries.

        Parameters
        ----------
        rows : {"rankers", "differences"}, default="rankers"
            A row for each ranker, with the metrics as columns; or the two tables that
            are printed, with a row for each mean and each difference.
        uncertainty : {"interval", "standard error"}, default=None
            What stands behind each mean: its interval, or "±" and its standard error.

        Returns
        -------
        text : str
            The title and the table.
        """
        return as_markdown(*self._tables_of(rows, uncertainty, "to_markdown"))

    def to_latex(
        self,
        *,
        rows: Literal["rankers", "differences"] = "rankers",
        uncertainty: Literal["interval", "standard error"] | None = None,
    ) -> str:
        """Return the means of all rankers as a table in LaTeX, for a paper.

        Its cells are those of `to_markdown`. It needs the package booktabs.

        Parameters
        ----------
        rows : {"rankers", "differences"}, default="rankers"
            As in `to_markdown`.
        uncertainty : {"interval", "standard error"}, default=None
            As in `to_markdown`.

        Returns
        -------
        text : str
            A `table` environment whose caption is the title; of differences the title
            as a comment and a `tabular` environment for each table.
        """
        tables = self._tables_of(rows, uncertainty, "to_latex")
        return as_latex(*tables, is_caption=rows == "rankers")

    def _repr_html_(self):
        """Return the means of all rankers as a table for a notebook."""
        return as_html(*self._tables_of("rankers", None, "_repr_html_"))

    def _tables_of(self, rows, uncertainty, caller):
        """Return the title and the tables of `to_markdown`."""
        check_choice(rows, {"rankers", "differences"}, "rows", caller)
        check_choice(
            uncertainty, {"interval", "standard error", None}, "uncertainty", caller
        )
        if rows == "rankers":
            return self._caption(uncertainty), [self._means(uncertainty)]
        if uncertainty is not None:
            raise ValueError(
                f"The 'uncertainty' parameter of {caller} must be None with "
                "rows='differences', where every row has its interval. Got "
                f"{uncertainty!r} instead."
            )
        return self._tables()

    def _means(self, uncertainty):
        """Return the table of rankers and metrics."""
        marks = self._marks()
        columns = []
        for metric in self.metrics:
            column = {}
            for (segment, name), rows in self.intervals._best_first.items():
                if name != metric:
                    continue
                best = f"{rows[0].estimate:.{PLACES}f}"
                for row in rows:
                    text = f"{row.estimate:.{PLACES}f}"
                    after = {
                        None: "",
                        "interval": shown_ends(row),
                        "standard error": f"± {row.standard_error:.{PLACES}f}",
                    }[uncertainty]
                    mark = marks.get((segment, metric, row.ranker), "")
                    cell = Cell(text, text == best, mark, after)
                    is_known = not np.isnan(row.estimate)
                    column[segment, row.ranker] = cell if is_known else Cell("-")
            columns.append(column)
        segments = dict.fromkeys(segment for segment, _ in columns[0])
        rows = [
            [
                *([str(segment)] if isinstance(self.by, str) else map(str, segment)),
                ranker,
                *(column[segment, ranker] for column in columns),
            ]
            for segment in segments
            for ranker in self.rankers
        ]
        of_metrics = [
            metric if self._direction(metric) == 1 else f"{metric} ↓"
            for metric in self.metrics
        ]
        header = [*self.segment_names, "ranker", *of_metrics]
        return Table(header, rows, header)

    def _marks(self):
        """Return what stands above the means, by segment, metric and ranker."""
        if self.letters:
            return {
                (self._segment(row), row.metric, row.ranker): self._letters_of(
                    row, row.ranker
                )
                for row in self.intervals.rows
            }
        if self.baseline is None and len(self.rankers) >= FEWEST_RANKERS:
            return {}
        marks, numbers = {}, self._numbers
        for row in self.rows:
            if not is_at_most(row.p_adjusted, 1 - self.confidence_level):
                continue
            gain = self._direction(row.metric) * row.difference
            ends = [(row.ranker, row.baseline, gain)]
            if row.ranker in numbers:
                ends.append((row.baseline, row.ranker, -gain))
            for ranker, baseline, of_ranker in ends:
                is_worse = of_ranker < 0 and not self.margin
                mark = WORSE_MARK if is_worse else BETTER_MARK
                place = self._segment(row), row.metric, ranker
                marks.setdefault(place, []).append(mark + numbers[baseline])
        return {place: "".join(sorted(of_place)) for place, of_place in marks.items()}

    @property
    def _numbers(self):
        """Return the number of each baseline in marks, "" of a single one."""
        names = self.baseline
        if isinstance(names, str) or names is None:
            names = [names or self.rankers[0]]
        numbers = map(str, range(1, len(names) + 1)) if len(names) > 1 else [""]
        return dict(zip(names, numbers, strict=True))

    def _caption(self, uncertainty):
        """Return the title of the table of rankers and metrics."""
        level = f"level {100 * (1 - self.confidence_level):.4g}%"
        n_comparisons = counted(len(self.rows), "comparison")
        test = self._test_words
        if len(self.rows) > 1:
            test += f", {CORRECTIONS[self.correction]} for {n_comparisons}"
        test += f", {level}"
        words = f"{self._words_of_marks()}{test}."
        spread = {
            None: "",
            "interval": f" In brackets: {100 * self.confidence_level:g}% intervals.",
            "standard error": " Behind ±: standard errors.",
        }[uncertainty]
        about = f"Means over {self._drawn()}, the best in bold"
        return f"{about}. {words[0].upper()}{words[1:]}{spread}"

    def _words_of_marks(self):
        """Return what the letters or marks above the means say, by which test."""
        asked = self._asked()
        if self.baseline is not None or len(self.rankers) < FEWEST_RANKERS:
            names = ", ".join(
                f"{name} ({number})" if number else name
                for name, number in self._numbers.items()
            )
            if asked:
                return f"{BETTER_MARK} difference from {names} {asked}: "
            better = f"{BETTER_MARK} significantly better"
            return f"{better} and {WORSE_MARK} worse than {names}: "
        if self.letters:
            within = " and ".join(["metric", *self.segment_names])
            alike = "Rankers with a common letter do not differ significantly"
            return f"{alike}, by {within}: "
        if asked:
            return f"The differences of pairs were tested ({asked}): "
        return "Letters are left out: they would be too many to compare. "

    @property
    def _test_words(self):
        """Return what the tests of the rows are called."""
        tests = dict.fromkeys(row.test for row in self.rows)
        return " and ".join(TESTS[name].words for name in tests)

    def _asked(self):
        """Return what the test asks for, unless it is any difference."""
        return f"within {self.margin:g} of 0" if self.margin else ""

    def _title(self):
        words = ["simultaneous"] if self.are_simultaneous else []
        if not words and self.margin:
            words = [f"{200 * self.confidence_level - 100:g}%"]
        if not self.are_simultaneous and len(self.rows) > 1:
            words.append("one by one")
        levels = f"{100 * self.confidence_level:g}% intervals"
        levels += f", those of differences {', '.join(words)}" if words else ""
        n_metrics = len({row.metric for row in self.rows})
        n_segments = len({self._segment(row) for row in self.rows})
        of_segments = f" x {counted(n_segments, 'segment')}" if self.by else ""
        n_pairs = len({(row.ranker, row.baseline) for row in self.rows})
        is_one = len(self.rows) == 1
        corrected = "" if is_one else f"p by {CORRECTIONS[self.correction]}, "
        about = f"; is the difference {self._asked()}?" if self._asked() else ""
        return (
            f"{self._drawn()}, {counted(len(self.rows), 'comparison')} "
            f"({counted(n_pairs, 'pair')} x {counted(n_metrics, 'metric')}"
            f"{of_segments}): "
            f"{self._test_words}, {corrected}"
            f"{levels}{smaller_words(self.scores.table.smaller)}{about}"
        )

    def _contents(self):
        title, tables = self._tables()
        return title, [*tables, textwrap.fill(verdict(self), LINE)]

    def _differences(self):
        """Return the table of differences."""
        header = [
            *self.segment_names,
            *("metric", "ranker", "baseline", "difference", "interval", "p"),
            *(["w/t/l"] if self.paired else []),
        ]
        rows = [
            [
                *(str(row[name]) for name in self.segment_names),
                row.metric,
                row.ranker,
                row.baseline,
                f"{row.difference:+.{PLACES}f}",
                shown_ends(row),
                f"{row.p_adjusted:.2g}",
                *([f"{row.wins}/{row.ties}/{row.losses}"] if self.paired else []),
            ]
            for row in self.rows
        ]
        table = Table(header, rows, [*self.segment_names, *TEXT])
        if self.judge is not None:
            add_judge(table, self.rows)
        return table

    def _tables(self):
        """Return the title, and the tables of rankers and of differences."""
        title = self._title()
        is_long = len(self.rankers) >= FEWEST_RANKERS
        if self.letters is None and self._has_all_pairs and is_long:
            title += ". Letters are left out: they would be too many to compare."
        if self.judge is not None:
            title += f". {OF_JUDGE}"
        of_rows, last = self.intervals._best_first, None
        places = dict.fromkeys((self._segment(row), row.metric) for row in self.rows)
        rows = [row for place in places for row in of_rows[place]]
        if self.letters:
            last = "letters", [self._letters_of(row, row.ranker) for row in rows]
        return title, [self.intervals._estimates(rows, last), self._differences()]


# Letters that nobody can compare are not shown.
FEWEST_RANKERS, MOST_RANKERS = 3, 26
LONGEST_LABEL = 12


def letters(rankers, is_different):
    """Return the letters of each ranker; two share one if they are not different.

    `rankers` stand the best first. None where the letters would be hard to read.
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
