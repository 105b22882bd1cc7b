"""A gate for changes: whether a candidate is worse than a baseline by a margin."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t
from sklearn.utils import Bunch

from skrank._input.checks import (
    about,
    check_choice,
    check_number,
    says_what_was_meant,
    shown,
)
from skrank._text.docs import Clusters
from skrank._text.tables import (
    PrintedResult,
    Table,
    as_markdown,
    counted,
    smaller_words,
)
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.compare import (
    AUTO,
    comparison_and_outcome,
    limits_of,
    warn_of_comparison,
)
from skrank.stats.inference import (
    difference,
    effective_units,
    read_clusters,
    sum_clusters,
    terms_of,
    two_or_more,
    warn_of_few,
    wilson,
)
from skrank.stats.paired_tests import TESTS, Unseen, score_variance
from skrank.stats.sample_size import (
    LEVEL,
    POWER,
    fewest,
    range_of_deviation,
)

# The decisions, with the exit status of each.
PASSED, WORSE, UNDECIDED = "passed", "worse", "undecided"
STATUS = {PASSED: 0, WORSE: 1, UNDECIDED: 3}
# That of a metric in which no loss exceeds the margin, which decides nothing.
LARGE_MARGIN = "margin too large"
# An end of an interval may differ by this fraction of the margin in rounding.
ROUNDING_OF_MARGIN = 1e-9
# More queries than this are not counted.
MOST_QUERIES = 2**50


@says_what_was_meant
def gate(
    scores: QueryScores | Mapping[str, Any] | ArrayLike | Any,
    *,
    baseline: str,
    margin: float | ArrayLike,
    test: Literal["auto", "permutation", "score", "t"] = "auto",
    clusters: Clusters | None = None,
    confidence_level: float = 0.95,
) -> GateDecision:
    r"""Decide whether a candidate is worse than a baseline by more than a margin.

    It passes in a metric if it is surely not worse by the margin, even if it has broken
    the best queries that a sample may lack, and it is worse if it surely is. It passes
    if it does in all metrics, and it is worse if it is in one of them.

    Parameters
    ----------
    scores : QueryScores, dict, data frame or array of shape (2, n_queries)
        The values of the two rankers, as in :func:`compare_rankers`.
    baseline : str
        The ranker that the other one, the candidate, is compared with.
    margin : float or array-like of shape (n_metrics,)
        The largest loss that does not matter, for all metrics or for each of them: a
        fall, or a rise where smaller values are better. 1 % of a metric from 0 to 1 is
        0.01. A metric whose margin is at least the mean of the baseline decides
        nothing.
    test : {"auto", "permutation", "score", "t"}, default="auto"
        The test of the differences, as in :func:`compare_rankers`.
    clusters : str or array-like of shape (n_queries,), default=None
        Queries that belong together, as in :func:`compare_rankers`.
    confidence_level : float, default=0.95
        How sure a decision must be: greater than 0.5 and less than 1.

    Returns
    -------
    decision : GateDecision
        "passed", "worse" or "undecided", with the reasons.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, a margin is not less than the range of its
        metric, or there are not two rankers.

    Warns
    -----
    UserWarning
        If no sign-flip test of so few queries can reject, or few queries decide that
        the candidate is worse, as :func:`compare_rankers` warns of them.

    See Also
    --------
    required_queries : How many queries find a difference.

    Notes
    -----
    Both ends of the interval are one-sided, at the level :math:`\alpha` of 1 less the
    confidence level; with m metrics, that of "worse" is at :math:`\alpha / m`, since
    one of them is enough. A metric of which smaller values are better is decided by its
    negative.

    n queries lack those that a candidate breaks, if these are a fraction of
    :math:`u = 1 - \alpha^{1/n}`, with a probability of :math:`\alpha`. If it takes the
    best u of the queries of the baseline to the worst value, the mean falls by u times
    their mean distance f from it. With the difference d and the lower end e of its
    test, the lower end is therefore :math:`d - \sqrt{(d - e)^2 + (u f)^2}` [1]_, the
    limit of a sum of two numbers that are estimated independently. For hits the score
    test allows for such losses itself. See :ref:`unseen_losses`.

    References
    ----------
    .. [1] G. Zou, A. Donner, "Construction of Confidence Limits About Effect Measures:
       A General Approach", Statistics in Medicine 27 (2008).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.stats import gate
    >>> rng = np.random.RandomState(0)
    >>> main = rng.beta(4, 2, size=400)
    >>> branch = np.clip(main + 0.05 * rng.randn(400), 0, 1)
    >>> found = gate({"main": main, "branch": branch}, baseline="main", margin=0.02)
    >>> found.decision
    'passed'
    >>> few = {"main": main[:50], "branch": branch[:50]}
    >>> found = gate(few, baseline="main", margin=0.02)
    >>> found.decision, found.status
    ('undecided', 3)
    >>> found.rows[0].required.n
    208
    """
    level = {"low": 0.5, "high": 1.0, "ends": "()"}
    check_number(confidence_level, "confidence_level", "gate", **level)
    check_choice(test, {AUTO, *TESTS}, "test", "gate")
    scores = two_or_more(scores, None, clusters, "gate")
    rankers, metrics, table = scores.rankers, scores.metrics, scores.table
    if len(rankers) != 2 or not isinstance(baseline, str) or baseline not in rankers:
        raise ValueError(
            "gate needs two rankers, one of which is the 'baseline' parameter. Got "
            f"the rankers {list(rankers)} and baseline={shown(baseline)}."
        )
    margins = _read_margins(margin, metrics)
    (candidate,) = set(rankers) - {baseline}
    options = {"baseline": baseline, "test": test, "clusters": clusters}
    # Where smaller is better, the values are negated: a loss is a fall in all metrics.
    requests = [one._replace(sign=one.sign * one.direction) for one in table.requests]
    scores = replace(scores, table=table._replace(requests=tuple(requests)))
    rows = [
        _row(scores[name], of_metric, 1 - confidence_level, len(metrics), options)
        for name, of_metric in zip(metrics, margins, strict=True)
    ]
    for row in rows:
        row.update(greater_is_better=row.metric not in table.smaller)
        if not row.greater_is_better:
            ends = {"low": 0.0 - row.high, "high": 0.0 - row.low}
            means = ("baseline", "candidate", "difference")
            row.update(ends, **{name: 0.0 - row[name] for name in means})
    n_queries = max(row.pop("n_queries") for row in rows)
    return GateDecision(baseline, candidate, confidence_level, n_queries, rows)


def _read_margins(margin, metrics):
    """Return the margin of each metric, as a list."""
    margins, n = np.atleast_1d(np.asarray(margin, dtype=np.float64)), len(metrics)
    is_one = margins.shape in ((1,), (n,))
    if not is_one or not ((margins >= 0) & np.isfinite(margins)).all():
        error = ValueError(
            "The 'margin' parameter of gate must be a number >= 0, or one for each "
            f"metric. Got {shown(margin)} and the metrics {list(metrics)}."
        )
        raise about(error, "margin")
    return np.broadcast_to(margins, n).tolist()


@dataclass(frozen=True, repr=False)
class GateDecision(PrintedResult):
    """A decision with its reasons.

    Made by :func:`gate`. It prints as a sentence and a table.

    Parameters
    ----------
    baseline, candidate : str
        The names of the two rankers.
    confidence_level : float
        How sure a decision had to be.
    n_queries : int
        The number of queries.
    rows : list of Bunch
        For each metric a row with the entries metric, baseline and candidate (the two
        means), difference, low, high, margin, decision, which can also be "margin too
        large", test; `unseen`, the fraction of the queries that the candidate may have
        broken without a trace, which the end on the side of a loss allows for, or None
        for hits; `required`, the numbers of queries that would decide as in
        :func:`required_queries`, or None; and greater_is_better.

    See Also
    --------
    gate : Makes it.

    Examples
    --------
    >>> from skrank.stats import gate
    >>> hits = {"old": [1, 0] * 20, "new": [1, 0] * 19 + [0, 1]}
    >>> print(gate(hits, baseline="old", margin=0.1))
    Passed: new is not worse than old by more than the margin (40 queries, 95% confidence).
    The ends of intervals are one-sided, at 95%.
    <BLANKLINE>
    metric     old     new  difference           interval  margin  decision  queries needed
    value   0.5000  0.5000     +0.0000  [-0.0836, 0.0836]     0.1  passed                 -
    """  # noqa: E501

    baseline: str
    candidate: str
    confidence_level: float
    n_queries: int
    rows: list[Bunch]

    @property
    def decision(self) -> str:
        """Return "worse" if one metric is, and "passed" if all that decide have."""
        found = {row.decision for row in self.rows}
        decided = (one for one in (WORSE, UNDECIDED, PASSED) if one in found)
        return next(decided, UNDECIDED)

    @property
    def status(self) -> int:
        """Return the exit status of the command: 0, 1 if worse, 3 if undecided."""
        return STATUS[self.decision]

    def to_markdown(self) -> str:
        """Return the decision and its reasons for a pull request.

        Returns
        -------
        text : str
            The sentence, which begins with the decision in bold, and the table.
        """
        text = as_markdown(*self._contents())
        first, _, rest = text.partition(":")
        return f"**{first}:**{rest}"

    def _title(self):
        smaller = [row.metric for row in self.rows if not row.greater_is_better]
        n_queries = counted(self.n_queries, "query", "queries")
        level = f"{100 * self.confidence_level:g}% confidence"
        about = f"({n_queries}, {level}{smaller_words(smaller)})"
        large, after = self._metrics_of(LARGE_MARGIN), self._words_of_ends()
        if large:
            after += (
                f" The margin of {', '.join(large)} is at least the mean of "
                f"{self.baseline}, so that no loss exceeds it: that decides nothing."
            )
        worse = f"worse than {self.baseline} by more than the margin"
        if self.decision == WORSE:
            where = ", ".join(self._metrics_of(WORSE))
            return f"Worse: {self.candidate} is {worse} in {where} {about}.{after}"
        unseen = [row.unseen for row in self.rows if row.unseen is not None]
        allowed = ""
        if unseen:
            allowed = (
                f" If {self.candidate} had broken the best {100 * max(unseen):.2g}% of "
                "the queries, that would not show; the interval allows for it."
            )
        if self.decision == PASSED:
            return f"Passed: {self.candidate} is not {worse} {about}.{allowed}{after}"
        if len(large) == len(self.rows):
            return f"Undecided: no metric has a margin that decides {about}.{after}"
        where = ", ".join(self._metrics_of(UNDECIDED))
        return (
            f"Undecided: {self.candidate} may be {worse} in {where}, or not {about}."
            f"{allowed} {self._words_of_needed()} would decide.{after}"
        )

    def _metrics_of(self, decision):
        return [row.metric for row in self.rows if row.decision == decision]

    def _words_of_ends(self):
        """Return the levels of the ends of the intervals in words."""
        m, ends = len(self.rows), f"{100 * self.confidence_level:g}%"
        if m > 1:
            of_gain = 100 - 100 * (1 - self.confidence_level) / m
            ends += f" towards a loss and at {of_gain:.4g}% towards a gain"
        return f" The ends of intervals are one-sided, at {ends}."

    def _words_of_needed(self):
        """Return in words how many queries would decide."""
        needed = [row.required for row in self.rows if row.decision == UNDECIDED]
        if None in needed:
            return (
                "The difference is too near to the margin, or weighted, to say how many"
            )
        n, low, high = (max(one[x] for one in needed) for x in ("n", "low", "high"))
        between = f" ({low:,} to {high:,})" if low < high else ""
        return f"About {n:,} queries{between}"

    def _contents(self):
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
        header += ["margin", "decision", "queries needed"]
        return self._title(), [Table(header, rows, ["metric", "decision"])]


def _row(scores, margin, level, n_metrics, options):
    """Return the row of a metric."""
    pair = _Pair(scores, options["baseline"], options["clusters"])
    if margin >= pair.range:
        error = ValueError(
            "The 'margin' parameter of gate must be less than the range of "
            f"{scores.metrics[0]!r}, {pair.range:g}: 1 % is 0.01. Got {margin}."
        )
        raise about(error, "margin")
    levels = level, level / n_metrics
    row, high = _tested(scores, margin, *levels, options)
    low, unseen = row.low, None
    if row.test != "score":  # which allows for what the sample does not show
        unseen = pair.unseen.fraction(level)
        # What the test of a tied pair does not see are such falls as well.
        seen = row.difference - row.low if row.wins + row.losses else 0.0
        low = row.difference - float(np.hypot(seen, pair.unseen.fall(unseen)))
    decision, required = pair.decision(margin, low, high), None
    if decision == WORSE:
        n_effective = {repr(row.metric): pair.n_effective}
        differences = "differences, (sum d^2)^2 / sum d^4,"
        warn_of_few(
            "That the candidate is worse may be wrong", n_effective, differences
        )
    if decision == UNDECIDED:
        required = pair.required(row, margin, *levels)
    return Bunch(
        metric=row.metric,
        baseline=row.estimate_baseline,
        candidate=row.estimate,
        difference=row.difference,
        low=low,
        high=high,
        margin=margin,
        decision=decision,
        test=row.test,
        unseen=unseen,
        required=required,
        n_queries=row.n_queries,
    )


def _tested(scores, margin, level, level_of_worse, options):
    """Return the row of the test whether a candidate passes, and the upper end."""
    options = {**options, "correction": None, "confidence_level": 1 - level_of_worse}
    upper, _ = comparison_and_outcome(scores, alternative="less", **options)
    (upper,) = upper.rows
    # The test by name: what it does not show is added to the end.
    options |= {"test": upper.test, "confidence_level": 1 - level, "margin": margin}
    comparison, outcome = comparison_and_outcome(
        scores, alternative="greater", **options
    )
    warn_of_comparison(comparison, outcome, few=())
    return comparison.rows[0], upper.high


class _Pair:
    """The values of a baseline and a candidate by one metric."""

    def __init__(self, scores, baseline, clusters):
        table = scores.table
        terms = [one for (one,) in terms_of(table)]
        place = table.rankers.index(baseline)
        old, new = terms[place], terms[1 - place]
        known = old.known & new.known
        bottom = np.where(known, old.bottom, 0)
        clusters = read_clusters(clusters, table.keys)
        values, others = (
            table.requests[0].sign * np.where(known, one.top, 0) for one in (old, new)
        )
        lows, highs = zip(limits_of(old), limits_of(new), strict=True)
        limits = min(lows), max(highs)
        self.unseen = Unseen(values, bottom, limits, clusters)
        self.range = self.largest_loss = np.inf
        if all(np.isfinite(one.limits).all() for one in (old, new)):
            self.range = limits[1] - limits[0]
            self.largest_loss = values.sum() / bottom.sum() - limits[0]
        d = difference(others, values)
        of_units, _ = sum_clusters(d, bottom, clusters)
        self.n_effective = float(effective_units(of_units**2))
        counts_alike = np.ptp(bottom[known]) == 0 and clusters is None
        self.differences = d[known] if counts_alike else None

    def decision(self, margin, low, high):
        """Return what the ends of the interval decide."""
        if margin >= self.largest_loss:
            return LARGE_MARGIN
        if low > -margin * (1 - ROUNDING_OF_MARGIN) or (margin == 0 < low):
            return PASSED
        is_worse = high < -margin * (1 + ROUNDING_OF_MARGIN)
        return WORSE if is_worse else UNDECIDED

    def required(self, row, margin, level, level_of_worse):
        """Return how many queries would decide, None if not known."""
        distance = row.difference + margin
        if row.test == "score":
            return self.hits_needed(margin, level, level_of_worse)
        if abs(distance) <= ROUNDING_OF_MARGIN * margin:
            return None
        return self.queries_needed(distance, level if distance > 0 else level_of_worse)

    def queries_needed(self, distance, level):
        """Return how many more queries find a distance, None if not known."""
        d = self.differences
        if d is None or len(d) < 2:
            return None

        def needed(deviation):
            def is_enough(n):
                # A candidate that passes has to be better by what may be unseen.
                fall = 0.0
                if distance > 0:
                    fall = self.unseen.fall(1 - level ** (1 / n))
                # The end is this far from the difference, which varies by the error.
                error = deviation / n**0.5
                end = np.hypot(t.isf(level, n - 1) * error, fall)
                return abs(distance) > end + norm.ppf(POWER) * error

            return fewest(is_enough, len(d) + 1, MOST_QUERIES)

        return _required(map(needed, (d.std(ddof=1), *range_of_deviation(d, LEVEL))))

    def hits_needed(self, margin, level, level_of_worse):
        """Return how many queries decide by the score test, None if not known.

        As many as it takes for z to reach the quantile with this power, if a query wins
        and loses as often as here; for the ends it differs as often as the ends of the
        interval of that fraction.
        """
        d = self.differences
        net, differ = d.mean(), np.count_nonzero(d) / len(d)
        distance = net + margin
        if abs(distance) <= ROUNDING_OF_MARGIN:
            return None
        z = norm.isf(level if distance > 0 else level_of_worse)
        ends = wilson(differ, len(d), norm.isf((1 - LEVEL) / 2))

        def needed(differ):
            differ = max(differ, abs(net))
            wins, losses = (differ + net) / 2, (differ - net) / 2
            null = np.sqrt(score_variance(1.0, wins, losses, -margin))
            spread = np.sqrt(max(differ - net**2, 0))
            root = (z * null + norm.isf(1 - POWER) * spread) / distance
            return max(int(np.ceil(root**2)), len(d) + 1)

        return _required(map(needed, (differ, *ends)))


def _required(found):
    """Return numbers of queries as those of `required_queries`."""
    found = dict(zip(("n", "low", "high"), found, strict=True))
    return None if None in found.values() else Bunch(**found)
