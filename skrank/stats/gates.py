"""A gate for changes: whether a candidate is worse than a baseline by a margin."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    shape_of,
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
    N_RESAMPLES,
    blocks_of,
    family_of,
    warn_of_few_units,
)
from skrank.stats.inference import (
    UNLIMITED,
    check_units,
    difference,
    seed_of,
    segments_of,
    two_or_more,
    warn_of_few,
)
from skrank.stats.paired_tests import (
    OF_FEW,
    PAIRED_TESTS,
    TESTS,
    flip_family,
    fraction_lacked,
    score_variance,
)
from skrank.stats.sample_size import LEVEL, POWER, fewest, range_of_deviation

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
    margin: float | str | Sequence[float | str] | ArrayLike,
    test: Literal["auto", "permutation", "score", "t"] = "auto",
    clusters: Clusters | None = None,
    confidence_level: float = 0.95,
) -> GateDecision:
    r"""Decide whether a candidate is worse than a baseline by more than a margin.

    It passes in a metric if it is surely not worse by the margin, even if it has broken
    all queries that a sample may lack, and it is worse if it surely is, even if it has
    mended them. It passes if it does in all metrics, and is worse if it is in one.

    Parameters
    ----------
    scores : QueryScores, dict, data frame or array of shape (2, n_queries)
        The values of the two rankers, as in :func:`compare_rankers`.
    baseline : str
        The ranker that the other one, the candidate, is compared with.
    margin : float, str or list of these, one for each metric
        The largest loss that does not matter: a fall, or a rise where smaller values
        are better. A number is in units of the metric; "2%" is 2 % of the mean of the
        baseline in these queries. A metric whose margin is at least this mean decides
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
        the candidate is worse.

    See Also
    --------
    compare_rankers : Differences with intervals and p-values.
    required_queries : How many queries find a difference.

    Notes
    -----
    Both ends of the interval are one-sided, at the level :math:`\alpha` of 1 less the
    confidence level; with m metrics, that of "worse" is at :math:`\alpha / m`.

    n queries lack those that a candidate breaks, if these are a fraction of
    :math:`u = 1 - \alpha^{1/n}`, with a probability of :math:`\alpha`. There it
    may lose the range r of the metric, so that with the difference d and the lower end
    e of its test, the lower end is :math:`d - \sqrt{(d - e)^2 + (u r)^2}` [1]_, and the
    upper end allows for gains in the same way. With weights, the u n heaviest queries
    take the place of u; if fewer than ten have most of the weight, n in u is the
    effective number. For hits the score test allows for both itself.
    :ref:`unseen_losses` says how often the decisions are right.

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
    215
    """
    ends = {"low": 0.5, "high": 1.0, "ends": "()"}
    check_number(confidence_level, "confidence_level", "gate", **ends)
    check_choice(test, {AUTO, *PAIRED_TESTS}, "test", "gate")
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
    level, m = 1 - confidence_level, len(metrics)
    rows = [
        _row(scores[name], of_metric, level, m, options)
        for name, of_metric in zip(metrics, margins, strict=True)
    ]
    for row in rows:
        row.update(greater_is_better=row.metric not in table.smaller)
        if not row.greater_is_better:
            ends = {"low": 0.0 - row.high, "high": 0.0 - row.low}
            means = ("baseline", "candidate", "difference")
            row.update(ends, **{name: 0.0 - row[name] for name in means})
    n_queries = max(row.pop("n_queries") for row in rows)
    return GateDecision(
        baseline=baseline,
        candidate=candidate,
        confidence_level=confidence_level,
        n_queries=n_queries,
        rows=rows,
    )


def _read_margins(margin, metrics):
    """Return the margin of each metric: a number, and whether it is a fraction."""
    given = list(margin) if shape_of(margin) else [margin]
    found = []
    for one in given:
        is_relative = isinstance(one, str) and one.endswith("%")
        try:
            number = float(one[:-1]) / 100 if is_relative else float(one)
        except (TypeError, ValueError):
            number = np.nan
        found.append((number, is_relative))
    if len(found) == 1:
        found *= len(metrics)
    if len(found) != len(metrics) or not all(0 <= one < np.inf for one, _ in found):
        error = ValueError(
            "The 'margin' parameter of gate must be a number >= 0, or per cent of the "
            "mean of the baseline, such as '2%'; or one for each metric. Got "
            f"{shown(margin)} and the metrics {list(metrics)}."
        )
        raise about(error, "margin")
    return found


@dataclass(frozen=True, repr=False, kw_only=True)
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
        means), difference, wins, losses, low, high, margin, decision, which can also be
        "margin too large", test; `unseen`, the fraction of all queries that the
        candidate may have broken without a trace, which `low` allows for, or None for
        hits and without a known worst value; `is_range_assumed`, whether values of
        unknown origin are taken for those of a metric from 0 to 1; `required`, the
        numbers of queries that would decide as in :func:`required_queries`, or None;
        and greater_is_better.

    See Also
    --------
    gate : Makes it.

    Examples
    --------
    >>> from skrank.stats import gate
    >>> hits = {"old": [1, 0] * 20, "new": [1, 0] * 19 + [0, 1]}
    >>> print(gate(hits, baseline="old", margin=0.1))
    Passed: new is not worse than old by more than the margin (40 queries, 95% confidence).
    value is taken for a metric from 0 to 1. The ends of intervals are one-sided, at 95%.
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
        percent = f"{100 * self.confidence_level:g}%"
        about = f"({n_queries}, {percent} confidence{smaller_words(smaller)})"
        m, after = len(self.rows), f" The ends of intervals are one-sided, at {percent}"
        if m > 1:
            of_gain = 100 - 100 * (1 - self.confidence_level) / m
            after += f" towards a loss and at {of_gain:.4g}% towards a gain"
        after += "."
        if large := self._metrics_of(LARGE_MARGIN):
            after += (
                f" The margin of {', '.join(large)} is at least the mean of "
                f"{self.baseline}, so that no loss exceeds it: that decides nothing."
            )
        worse = f"worse than {self.baseline} by more than the margin"
        if self.decision == WORSE:
            where = ", ".join(self._metrics_of(WORSE))
            return f"Worse: {self.candidate} is {worse} in {where} {about}.{after}"
        allowed = self._words_of_unseen()
        if self.decision == PASSED:
            return f"Passed: {self.candidate} is not {worse} {about}.{allowed}{after}"
        if len(large) == m:
            return f"Undecided: no metric has a margin that decides {about}.{after}"
        where = ", ".join(self._metrics_of(UNDECIDED))
        return (
            f"Undecided: {self.candidate} may be {worse} in {where}, or not {about}."
            f"{allowed} {self._words_of_needed()} would decide.{after}"
        )

    def _metrics_of(self, decision):
        return [row.metric for row in self.rows if row.decision == decision]

    def _words_of_unseen(self):
        """Return in words what the queries can miss, and which of it is allowed for."""
        unseen, text = [row.unseen for row in self.rows if row.unseen is not None], ""
        equal = [row.metric for row in self.rows if not row.wins + row.losses]
        if equal:
            text = f" Both have the same {', '.join(equal)} in all queries."
        if unseen:
            text += (
                f" {counted(self.n_queries, 'query', 'queries')} can miss a change "
                f"that breaks up to {100 * max(unseen):.2g}% of all queries; the "
                "interval includes that risk."
            )
        for row in self.rows:
            if row.unseen is None and row.test != "score":
                text += (
                    f" {row.metric} has no worst value that skrank knows: losses in "
                    "queries unlike these are not allowed for."
                )
        assumed = [row.metric for row in self.rows if row.is_range_assumed]
        if assumed:
            text += f" {', '.join(assumed)} is taken for a metric from 0 to 1."
        return text

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
                f"{row.margin:.3g}",
                row.decision,
                f"{row.required.n:,}" if row.required else "-",
            ]
            for row in self.rows
        ]
        header += ["margin", "decision", "queries needed"]
        return self._title(), [Table(header, rows, ["metric", "decision"])]


def _row(scores, margin, level, n_metrics, options):
    """Return the row of a metric."""
    pair = _Pair(scores, **options)
    number, is_relative = margin
    margin = number * abs(pair.row.estimate_baseline) if is_relative else number
    check_units(margin, "margin", "gate", scores.metrics[0], pair.range)
    levels = {1: level, -1: level / n_metrics}
    if TESTS[pair.row.test].flips_signs:
        smallest = 2.0**-pair.n_units
        warn_of_few_units(pair.n_units, smallest, level, pair.has_clusters)
    unseen = None
    if not pair.is_score and np.isfinite(pair.range):
        unseen = float(fraction_lacked(level, pair.n_units.item()))
    d = pair.row.difference
    # No difference is larger than the range of the metric.
    low = min(max(d - pair.reach(1, levels[1]), -pair.range), d)
    high = max(min(d + pair.reach(-1, levels[-1]), pair.range), d)
    # An end at the margin is not beyond it, nor one that differs by rounding.
    rounding = ROUNDING_OF_MARGIN * margin
    decision = UNDECIDED
    if margin >= pair.largest_loss:
        decision = LARGE_MARGIN
    elif low > rounding - margin:
        decision = PASSED
    elif high < -margin - rounding:
        decision = WORSE
        n_effective = {repr(pair.row.metric): float(pair.family.of_tops[1][0])}
        differences = "differences, (sum d^2)^2 / sum d^4,"
        warn_of_few(
            "That the candidate is worse may be wrong", n_effective, differences
        )
    names = ("metric", "difference", "test", "wins", "losses", "n_queries")
    return Bunch(
        **{name: pair.row[name] for name in names},
        baseline=pair.row.estimate_baseline,
        candidate=pair.row.estimate,
        low=low,
        high=high,
        margin=margin,
        decision=decision,
        unseen=unseen,
        is_range_assumed=pair.is_range_assumed,
        required=pair.required(margin, levels) if decision == UNDECIDED else None,
    )


class _Pair:
    """A baseline and a candidate by one metric, of which larger values are better."""

    def __init__(self, scores, baseline, test, clusters):
        table = scores.table
        codes, segments = segments_of(table, None, clusters, "gate")
        place = table.rankers.index(baseline)
        (block,) = blocks_of(segments, [(1 - place, place)], test)
        (self.row,), (one, other) = block.rows, block.pairs[0]
        # Infinite where the worst and the best value are not known.
        self.range, values = float(block.most[0]), block.values[:, other]
        worst = min(terms.limits[0] for terms in block.terms)
        self.largest_loss = values.sum() / block.bottom.sum() - worst
        self.is_range_assumed = bool(
            block.request.limits[0] == UNLIMITED and np.isfinite(self.range)
        )
        self.family = family_of([block], len(values), codes)
        self.n_units = np.count_nonzero(self.family.bottoms, axis=0)
        if TESTS[self.row.test].flips_signs:
            self.family = flip_family(self.family, N_RESAMPLES, seed_of(0))
        d = difference(block.values[:, one], values)
        self.has_clusters = codes is not None
        d = d[block.known]
        counts_alike = np.ptp(block.bottom[block.known]) == 0 and codes is None
        self.differences = d if counts_alike else None

    @property
    def is_score(self):
        """Return True for pairs of hits, or equal values without a known range."""
        is_tied = not self.row.wins + self.row.losses
        return self.row.test == "score" or (is_tied and np.isinf(self.range))

    def reach(self, sign, level):
        """Return how far the end of a side is from the difference."""
        if self.is_score:
            (end,) = TESTS["score"].ends(self.family, [(sign, None)], level)
            return sign * (self.row.difference - float(end[0]))
        if np.isinf(self.range):
            return TESTS[self.row.test].seen(self.family, slice(0, 1))(sign, level)
        (reach,) = OF_FEW[self.row.test].reaches(self.family)
        return reach(sign, level)

    def required(self, margin, levels):
        """Return how many queries decide with this power, None if not known.

        If their differences have the same mean and standard deviation as those at hand.
        """
        d = self.differences
        if d is None or len(d) < 2:
            return None
        scale, distance = self.family.ranges[0], d.mean() + margin
        if abs(distance) <= ROUNDING_OF_MARGIN * margin:
            return None
        sign = 1 if distance > 0 else -1
        level = levels[sign]

        def end(n, deviation):
            if not self.is_score:
                unseen = fraction_lacked(level, n) * self.range
                seen = t.isf(level, n - 1) * deviation / n**0.5
                return np.hypot(seen, unseen if np.isfinite(unseen) else 0.0)
            net = d.mean() / scale
            differ = max((deviation / scale) ** 2 + net**2, abs(net))
            both = (differ + net) / 2, (differ - net) / 2
            variance = score_variance(1.0, *both, -margin / scale)
            return norm.isf(level) * scale * np.sqrt(variance / n)

        def needed(deviation):
            def is_enough(n):
                spread = norm.isf(1 - POWER) * deviation / n**0.5
                return abs(distance) > end(n, deviation) + spread

            return fewest(is_enough, len(d) + 1, MOST_QUERIES)

        found = map(needed, (d.std(ddof=1), *range_of_deviation(d, LEVEL)))
        found = dict(zip(("n", "low", "high"), found, strict=True))
        return None if None in found.values() else Bunch(**found)
