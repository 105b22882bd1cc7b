"""The decision of a gate: whether a candidate is worse than a baseline."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings
from dataclasses import dataclass
from itertools import zip_longest

from sklearn.utils import Bunch

import skrank
from skrank._checks import check_number
from skrank._shell.output import as_json
from skrank._text_tables import as_markdown, as_text

# The decisions, with the exit status of each.
PASSED, WORSE, UNDECIDED = "passed", "worse", "undecided"
STATUS = {PASSED: 0, WORSE: 1, UNDECIDED: 3}
# An end of an interval may differ by this fraction of the margin in rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Gate:
    """A decision with its reasons: a row for each metric.

    A row has the entries metric, baseline, candidate (the two means), difference, low,
    high, margin, decision, and `required`, that of :func:`required_queries`, or None.
    """

    baseline: str
    candidate: str
    confidence_level: float
    n_queries: int
    rows: list

    @property
    def decision(self):
        """Return "worse" if one metric is, and "passed" if all have."""
        found = {row.decision for row in self.rows}
        return next(one for one in (WORSE, UNDECIDED, PASSED) if one in found)

    def to_json(self):
        """Return the decision and its reasons as JSON."""
        about = {"decision": self.decision, "status": STATUS[self.decision]}
        return as_json(about | vars(self))

    def to_markdown(self):
        """Return the decision and its reasons for a pull request."""
        text = as_markdown(self._title(), [self._table()], left=_LEFT)
        first, _, rest = text.partition(":")
        return f"**{first}:**{rest}"

    def __str__(self):
        """Return the decision and its reasons as text."""
        return as_text(self._title(), [self._table()], left=_LEFT)

    def _title(self):
        of = {
            kind: ", ".join(row.metric for row in self.rows if row.decision == kind)
            for kind in STATUS
        }
        level = f"{100 * self.confidence_level:g}% confidence"
        about = f"({self.n_queries:,} queries, {level})"
        if self.decision == PASSED:
            return (
                f"Passed: {self.candidate} is not worse than {self.baseline} by more "
                f"than the margin {about}."
            )
        if self.decision == WORSE:
            return (
                f"Worse: {self.candidate} is worse than {self.baseline} by more than "
                f"the margin in {of[WORSE]} {about}."
            )
        needed = [row.required for row in self.rows if row.decision == UNDECIDED]
        cure = "The difference is too near to the margin, or weighted, to say how many"
        if None not in needed:
            n, low, high = (max(one[x] for one in needed) for x in ("n", "low", "high"))
            cure = f"About {n:,} queries ({low:,} to {high:,})"
        return (
            f"Undecided: {self.candidate} may be worse than {self.baseline} by more "
            f"than the margin in {of[UNDECIDED]}, or not {about}. {cure} would decide."
        )

    def _table(self):
        header = ["metric", self.baseline, self.candidate, "difference", "interval"]
        rows = [
            [
                row.metric,
                f"{row.baseline:.4f}",
                f"{row.candidate:.4f}",
                f"{row.difference:+.4f}",
                f"[{row.low:.4f}, {row.high:.4f}]",
                f"{row.margin:g}",
                row.decision,
                f"{row.required.n:,}" if row.required else "-",
            ]
            for row in self.rows
        ]
        return [*header, "margin", "decision", "queries needed"], rows


_LEFT = ["metric", "decision"]


def decide(scored, margins, confidence_level):
    r"""Return the :class:`Gate` of two QueryScores, the baseline first, by their names.

    `margins` are those of the metrics, or one for all. With :math:`\alpha` for 1 less
    the confidence level and m metrics, a candidate has passed in a metric if the
    one-sided test at :math:`\alpha` rejects that it is worse by the margin, and it is
    worse if the one-sided interval at :math:`\alpha / m` lies below minus the margin.
    It has passed if it has in all metrics, which needs no correction, and it is worse
    if it is in one of them, which has that of Bonferroni.
    """
    (baseline, one), (candidate, other) = scored.items()
    metrics = one.metrics
    if not 0.5 < check_number(confidence_level, "confidence_level", "skrank") < 1:
        raise ValueError(
            "--confidence-level must be greater than 0.5 and less than 1. Got "
            f"{confidence_level}."
        )
    for request in one.table.requests:
        if request.direction < 0:
            raise ValueError(
                "A gate takes metrics of which larger values are better. Got "
                f"{request.key!r}: score the runs by {request.metric.full_name!r}."
            )
    if len(margins) not in (1, len(metrics)):
        raise ValueError(
            "--margin must be given once, or once for each metric. Got "
            f"{len(margins)} margins and the metrics {list(metrics)}."
        )
    level = 1 - confidence_level
    rows = [
        _row(
            {baseline: one[metric], candidate: other[metric]},
            margin,
            level,
            level / len(metrics),
        )
        for metric, margin in zip_longest(metrics, margins, fillvalue=margins[0])
    ]
    n_queries = max(row.pop("n_queries") for row in rows)
    return Gate(baseline, candidate, confidence_level, n_queries, rows)


def _row(pair, margin, level, level_of_worse):
    """Return the row of a metric."""
    options = {"baseline": next(iter(pair)), "correction": None}
    compare = skrank.stats.compare_rankers  # which is loaded when it is used
    passed = compare(
        pair,
        alternative="greater",
        margin=margin,
        confidence_level=1 - level,
        **options,
    )
    with warnings.catch_warnings():  # the same ones once more
        warnings.simplefilter("ignore")
        worse = compare(
            pair, alternative="less", confidence_level=1 - level_of_worse, **options
        )
    ((row,), (upper,)) = passed.rows, worse.rows
    decision, required, distance = UNDECIDED, None, row.difference + margin
    if row.pvalue <= level:
        decision = PASSED
    elif upper.high < -margin * (1 + ROUNDING):
        decision = WORSE
    elif abs(distance) > ROUNDING * margin:
        # What is tested on one side at a level is tested on both at twice of it.
        of_side = 2 * (level if distance > 0 else level_of_worse)
        required = _required(passed.scores, distance, 1 - of_side, row.n_queries)
    return Bunch(
        metric=row.metric,
        baseline=row.estimate_baseline,
        candidate=row.estimate,
        difference=row.difference,
        low=row.low,
        high=upper.high,
        margin=margin,
        decision=decision,
        required=required,
        n_queries=row.n_queries,
    )


def _required(scores, distance, confidence_level, n_queries):
    """Return how many queries find a distance from the margin, None if that has none.

    The formula is for queries of equal weight, and a distance other than 0. They are
    more than the queries at hand, which were too few.
    """
    try:
        found = skrank.stats.required_queries(
            scores, distance, confidence_level=confidence_level
        )
    except ValueError:
        return None
    return Bunch(**{name: max(n, n_queries + 1) for name, n in found.items()})
