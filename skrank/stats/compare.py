"""Paired comparison of rankers, query by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._callers import warn_caller
from skrank._checks import (
    check_choice,
    check_count,
    check_level,
    check_number,
    says_what_was_meant,
    shown,
)
from skrank._docs import Clusters, Seed
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.comparison import RankerComparison
from skrank.stats.inference import (
    Segment,
    count_units,
    difference,
    distinct_columns,
    effective_units,
    is_at_most,
    seed_of,
    segments_of,
    standard_error,
    sum_clusters,
    terms_of,
    total_of,
    warn_of_few,
)
from skrank.stats.judged import Judge
from skrank.stats.paired_tests import (
    ALTERNATIVES,
    CORRECTIONS,
    NUMBERS_AT_A_TIME,
    TESTS,
    Family,
    is_two_sided,
    run_tests,
)
from skrank.stats.sample_size import POWER, noncentrality
from skrank.stats.unseen import Unseen
from skrank.stats.values import scores_of

# What a test adds to a row.
_TESTED = ("low", "high", "pvalue", "p_adjusted", "effect_size", "detectable")
# The test that fits the values of each comparison.
AUTO = "auto"
# The number of digits by which values are ordered; one other than 0 is larger than
# TINY.
DIGITS, TINY = 12, 1e-300
# Units that weigh as much as a smaller fraction of equal ones are uneven.
MOST_UNEVEN = 0.5


@says_what_was_meant
def compare_rankers(
    scores: QueryScores | Mapping[str, Any] | ArrayLike | Any,
    *,
    by: str | Sequence[str] | None = None,
    baseline: str | Sequence[str] | None = None,
    test: Literal["auto", "permutation", "score", "t"] = "auto",
    correction: Literal["max-t", "holm"] | None = "max-t",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    margin: float = 0.0,
    clusters: Clusters | None = None,
    confidence_level: float = 0.95,
    judge: QueryScores | None = None,
    n_resamples: int = 9999,
    random_state: Seed | None = 0,
) -> RankerComparison:
    r"""Compare rankers by their differences on the same queries.

    All pairs of rankers, or all rankers with a baseline, by all metrics, as one family
    of tests. A query where a metric is undefined counts as in the summary of `scores`:
    as `replace_undefined_by`, so that the difference is 0 if it is undefined for both
    rankers, or not at all if that is NaN for one of them.

    Parameters
    ----------
    scores : QueryScores, dict, data frame or array of shape (n_rankers, n_queries)
        The values of two or more rankers. A dict or a data frame has an entry for each
        ranker: its QueryScores, scored on the same queries by the same metrics and
        parameters; or values that were computed elsewhere, one per query, of which
        larger ones are better. These are an array, in one order of the queries for all
        rankers; a Series or a dict by query id; or a dict by query id of dicts by
        metric. Further entries are "qid", "sample_weight" and the columns that `by` and
        `clusters` name. A data frame with a column "ranker" has a row for each ranker
        and query, as :meth:`skrank.metrics.QueryScores.to_frame` returns it. The
        rankers of an array are called "0", "1" and so on.
    by : str or list of str, default=None
        The key columns of the scores, such as a country, whose values are compared by
        themselves. All of these segments together are one family.
    baseline : str or list of str, default=None
        The ranker that all others are compared with, or several such rankers, whose
        comparisons are one family: two of these are compared once, the later one minus
        the one before it in the list. If None, all pairs are compared.
    test : {"auto", "permutation", "score", "t"}, default="auto"
        How it is tested whether the means are equal:

        - "permutation": by flipping the signs of the differences (Fisher's
          randomization test);
        - "score": by Tango's test of paired proportions. It is for values that are 0 or
          1, of queries without weights and clusters;
        - "t": by Student's paired t test;
        - "auto": by the test that fits the values: "score" for hits of queries without
          weights and clusters; "t" if their clusters or weights are so uneven that they
          weigh as much as less than half as many equal ones; and "permutation" for all
          others. Where few queries differ, it also allows for those that nobody saw,
          which the other tests do not.
    correction : {"max-t", "holm"} or None, default="max-t"
        How p-values are adjusted for the number of comparisons, and intervals made
        simultaneous, so that they contain all true differences together with the
        probability `confidence_level`: by the maximum over the flips of all
        comparisons, in steps, which uses their correlation [1]_; by Holm's method, with
        intervals by Bonferroni's, which are wider; or not at all, so that each interval
        has this probability by itself.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The sign of the difference, ranker minus baseline, that the test looks for. The
        interval is one-sided as well.
    margin : float, default=0.0
        A difference that does not matter, in units of the metric. With "greater" the
        test asks whether the ranker is not worse by the margin, with "less" whether it
        is not better by it (the other way round if smaller values are better), and with
        "two-sided" whether both hold (equivalence, by two one-sided tests; of a level
        of 95 % the interval then has 90 %).
    clusters : str, array-like of shape (n_queries,) or list of them, default=None
        Queries that belong together, as in :func:`confidence_interval`. Two clusterings
        need ``test="t"`` and a correction other than "max-t".
    confidence_level : float, default=0.95
        The level of the intervals; 1 minus it is the level of the tests.
    judge : QueryScores, default=None
        Scores of the same rankers by the same metrics, with labels of a machine, for
        the queries of `scores` and many others, as in :func:`confidence_interval`. The
        differences are then those that people would find over all queries. With fewer
        than 30 queries, or where few decide how far the judge is from people, these
        count alone. `test` must be "permutation" or "t", without `by` and `clusters`.
    n_resamples : int, default=9999
        The number of random sign flips. With up to 13 units all combinations are used.
    random_state : int, RandomState instance or None, default=0
        Draws the sign flips.

    Returns
    -------
    comparison : RankerComparison
        The differences with intervals, p-values and counts, which prints as a table.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, there are not two rankers, rankers were
        scored on different queries or with different parameters, or a metric is not a
        mean over queries, such as a median.

    Warns
    -----
    UserWarning
        If no sign-flip test of so few units can reject, as with fewer than 6 at 5 %.
        If few queries decide that a difference is significant, so that its p-value may
        be too small: if the effective number of differences, (sum d^2)^2 / sum d^4, is
        below 3. It is n if all have one size and n / 3 if they are normal; by the score
        test a query without a difference counts as well. Unless `test` is "auto", also
        if few decide another result, whose interval may be too narrow.

    See Also
    --------
    confidence_interval : The interval of one ranker.
    required_queries : How many queries find a difference.
    skrank.metrics.score_queries : Makes the scores.

    Notes
    -----
    With the differences :math:`d_i` of the n units, the permutation test computes
    :math:`P(|\sum_i s_i d_i| \geq |\sum_i d_i|)` over random signs: exactly with up to
    30 differences other than 0, for values on a lattice such as hits and precision, and
    if no difference has the other sign; else from `n_resamples` seeded flips, each with
    its opposite, where p is at least 1 / (`n_resamples` + 1). The order of the rankers,
    metrics and queries does not change it. The interval holds the differences that the
    test does not reject: the quantiles of the means of random subsets of the
    :math:`d_i` [2]_. It excludes 0 exactly if p is at most the level.

    Values of 0 and 1 rarely differ, and then the signs of a few queries decide. The
    score test [4]_ of the numbers of wins and losses also counts the queries without a
    difference; its interval holds the differences that it does not reject. If two
    rankers are equal in all n queries, its ends are :math:`\pm z^2 / (n + z^2)`, with
    the quantile z of the normal distribution. Times the range of the metric these are
    the ends for any metric and test of two rankers that never differ: the queries that
    nobody saw may differ.

    If the effective number of differences is below 3, or all of them are equal, the
    sample hardly shows what the others may be. With "auto" the ends are then
    :math:`d \mp \sqrt{s^2 + f^2}` [5]_: s is the distance of the end of the test from
    the difference d, and f what the mean of either ranker would lose with the best
    :math:`1 - \alpha^{1/n}` of its queries, which n queries lack with the probability
    :math:`\alpha` of one side. The p-value is the smallest level at which such an
    interval excludes 0. In a family both are Bonferroni's.

    Of several comparisons, "max-t" compares the largest :math:`|T| = |\sum_i d_i| /
    \sqrt{\sum_i d_i^2}` with the largest one of all comparisons in each flip, the next
    one with the largest of all but the first, and so on [1]_. The simultaneous
    intervals hold the differences d for which :math:`d_i - d` has a :math:`|T|` that is
    not significant in the first step. Where only a later step finds a difference, the
    near end is 0 and does not belong to the interval, so that an interval excludes 0
    exactly if the adjusted p-value is at most the level. For hits :math:`|T|` is the z
    of the score test, whose interval then has the same critical value. A simultaneous
    interval also contains that of the comparison alone. Holm's method may reject where
    Bonferroni's interval contains 0, but not the other way round.

    For "holm", p-values that random flips are too few to count are replaced by a
    saddlepoint approximation [3]_ before they are adjusted; the adjusted ones are at
    least as large as the p-values. Otherwise it could not reject at 5 % in a family of
    more than 500 comparisons.

    Flips of the signs of a few large clusters, or of a few queries with large weights,
    do not know that the units differ. Student's t has their effective number, less 1,
    as its degrees of freedom, which is at least as good if they are uneven.

    `detectable` is the difference that a two-sided t test of as many units would find
    with a probability of 80 %, at the level that the correction leaves to one
    comparison: that of the critical value of "max-t", or the level divided by the
    number of comparisons for "holm". `effect_size` is the mean of the differences
    divided by their standard deviation.

    The comparison is about the queries of this collection, and these rankers as they
    were trained.

    References
    ----------
    .. [1] P. Westfall, S. Young,
       "Resampling-Based Multiple Testing" (1993).
    .. [2] J. A. Hartigan,
       "Using Subsample Values as Typical Values", JASA 64 (1969).
    .. [3] J. Robinson, "Saddlepoint Approximations for Permutation Tests and Confidence
       Intervals", JRSS B 44 (1982).
    .. [4] T. Tango, "Equivalence Test and Confidence Interval for the Difference in
       Proportions for the Paired-Sample Design", Statistics in Medicine 17 (1998).
    .. [5] G. Zou, A. Donner, "Construction of Confidence Limits About Effect Measures:
       A General Approach", Statistics in Medicine 27 (2008).

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
    >>> comparison = compare_rankers(scores)
    >>> row = comparison.rows[0]
    >>> print(f"{row.difference:.3f} [{row.low:.3f}, {row.high:.3f}]")
    0.059 [0.017, 0.101]
    >>> row.wins, row.ties, row.losses
    (39, 0, 21)

    Values that another tool computed:

    >>> old, new = rng.rand(30), rng.rand(30) + 0.3
    >>> (row,) = compare_rankers({"old": old, "new": new}).rows
    >>> row.ranker, round(row.difference, 2), round(row.pvalue, 4)
    ('new', 0.32, 0.0011)
    """
    words = dict.fromkeys(("ttest", "ttestrel"), "'t'")
    check_choice(test, {AUTO, *TESTS}, "test", "compare_rankers", words)
    check_choice(correction, CORRECTIONS, "correction", "compare_rankers")
    check_choice(alternative, ALTERNATIVES, "alternative", "compare_rankers")
    margin = check_number(margin, "margin", "compare_rankers", low=0.0)
    check_level(confidence_level, "confidence_level", "compare_rankers")
    if judge is not None and test not in (AUTO, "permutation", "t"):
        raise ValueError(
            "The 'test' parameter of compare_rankers must be 'auto', 'permutation' or "
            f"'t' with a judge. Got {test!r} instead."
        )
    for name, value in {"by": by, "clusters": clusters}.items():
        if judge is not None and value is not None:
            raise ValueError(
                f"The {name!r} parameter of compare_rankers must be None with a judge. "
                f"Got {shown(value)}. Select queries by scores.where()."
            )
    check_count(n_resamples, "n_resamples")
    scores = as_one(scores, by, clusters, "compare_rankers")
    table = scores.table
    if not isinstance(baseline, str) and np.iterable(baseline):
        baseline = tuple(baseline)
    pairs = _pairs(table.rankers, baseline)
    clusterings, segments = segments_of(table, by, clusters, "compare_rankers")
    n_units = count_units(table.weight, len(table.keys["qid"]), clusterings)
    if test == AUTO and len(clusterings) > 1:
        test = "t"
    flips_signs = test != AUTO and TESTS[test].flips_signs
    flips_signs |= correction == "max-t"
    if len(clusterings) > 1 and flips_signs:
        raise ValueError(
            "The 'clusters' parameter of compare_rankers must be one clustering, "
            "unless test='t' and correction is 'holm' or None. Got two."
        )
    blocks = [block for one in segments for block in _compared(one, pairs)]
    if not blocks:
        raise ValueError(
            "compare_rankers needs queries where a metric is defined for two rankers. "
            f"Got none, of {len(table.keys['qid'])} queries."
        )
    both = None if judge is None else Judge(scores, judge, "compare_rankers")
    found = [_rows(block, test, both) for block in blocks]
    if both is not None:
        table = both.table
        blocks, found = _with_judge(both, blocks, found, test)
    rows, numbers, unseen = zip(*found, strict=True)
    rows, numbers = [*itertools.chain(*rows)], np.hstack(numbers)
    unseen = np.fromiter(itertools.chain(*unseen), dtype=object)
    family = _family(table, blocks, (*numbers[:3], unseen), clusterings)
    level = 1 - confidence_level
    outcome = run_tests(
        family,
        test=[row.test for row in rows],
        correction=correction,
        alternative=alternative,
        margin=margin,
        level=level,
        n_resamples=n_resamples,
        seed=seed_of(random_state),
    )
    two_sided = is_two_sided(alternative, margin)
    difference = np.array([row.difference for row in rows])
    known = family.df > 0
    deviation = family.errors * np.sqrt(outcome.n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(known, difference / deviation, np.nan)
    effect[difference == 0] = 0.0
    levels = outcome.level if two_sided else 2 * outcome.level
    least = [
        noncentrality(*pair, POWER)
        for pair in zip(family.df.tolist(), levels.tolist(), strict=True)
    ]
    is_finite = np.isfinite(least) & np.isfinite(outcome.errors)
    detectable = np.full(len(rows), np.inf)
    np.multiply(least, outcome.errors, where=is_finite, out=detectable)
    # No difference is larger than the range of the metric, and none that is can be
    # found. A mean differs from itself by rounding, where it is summed in other orders.
    detectable[detectable > numbers[3]] = np.inf
    most = np.where(numbers[3] >= margin, numbers[3], np.inf)
    low, high = outcome.low, outcome.high
    if 1 in ALTERNATIVES[alternative]:  # a one-sided test has one end
        low = np.maximum(low, -most)
    if -1 in ALTERNATIVES[alternative]:
        high = np.minimum(high, most)
    ends = np.minimum(low, difference), np.maximum(high, difference)
    columns = (*ends, *outcome[:2], effect, detectable)
    for row, *values in zip(rows, *(x.tolist() for x in columns), strict=True):
        row.update(zip(_TESTED, values, strict=True))  # in the place of None
    _warn(rows, outcome, level, [*segments[0].entries], family.allows_for_unseen)
    return RankerComparison(
        scores=scores,
        rows=tuple(rows),
        by=by,
        baseline=baseline,
        test=test,
        correction=correction,
        alternative=alternative,
        margin=margin,
        clusters=clusters,
        confidence_level=confidence_level,
        are_simultaneous=len(rows) > 1 and correction is not None,
        n_units=n_units,
        judge=judge,
    )


def as_one(scores, by, clusters, caller):
    """Return the scores of several rankers, of whatever the parameter `scores` is."""
    if not isinstance(scores, QueryScores):
        scores = scores_of(scores, by, clusters, caller)
    if len(scores.table.rankers) < 2:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least two rankers. "
            f"Got {list(scores.rankers)}. Pass a dict of the scores of each ranker to "
            "score_queries."
        )
    return scores


def _pairs(rankers, baseline):
    """Return the pairs to compare, as positions (ranker, baseline)."""
    if baseline is None:
        return [(j, i) for i, j in itertools.combinations(range(len(rankers)), 2)]
    is_list = isinstance(baseline, tuple)
    names = baseline if is_list else (baseline,)
    are_rankers = names and all(name in rankers for name in names)
    if not are_rankers or len(set(names)) < len(names):
        accepted = "a ranker or a list of different ones" if is_list else "a ranker"
        raise ValueError(
            f"The 'baseline' parameter of compare_rankers must be {accepted}, among "
            f"{list(rankers)}. Got {shown(baseline)} instead."
        )
    pairs = []
    for place in map(rankers.index, names):
        others = (i for i in range(len(rankers)) if i != place)
        pairs += [(i, place) for i in others if (place, i) not in pairs]
    return pairs


class _Block(NamedTuple):
    """Rankers that are compared by one metric on the same queries."""

    segment: Segment  # of the queries
    metric: int  # its position
    rankers: tuple  # their positions
    terms: list  # their Terms
    pairs: list  # what is compared: two places in `rankers`
    # The terms of their sums, (n_queries, n_rankers), as the metric is printed.
    values: np.ndarray
    known: np.ndarray  # whether each query counts
    bottom: np.ndarray  # the weight of each query
    is_plain: bool = False  # whether all queries count alike, each for itself

    def differences(self, pairs):
        """Return the terms of the differences of pairs, (n_queries, n_pairs)."""
        one, other = np.array(pairs).T
        return difference(self.values[:, one], self.values[:, other])


def _compared(segment, pairs):
    """Yield the :class:`_Block` of each metric of a segment.

    Where rankers are undefined, and left out, for different queries, each pair has one.
    """
    table, where = segment.table, ""
    for column, value in segment.entries.items():
        where += f" with {column}={shown(value)}"
    of_metrics = zip(*terms_of(table), strict=True)
    for metric, (request, terms) in enumerate(
        zip(table.requests, of_metrics, strict=True)
    ):
        name = request.key
        if any(one is None or not one.is_linear for one in terms):
            raise ValueError(
                f"compare_rankers needs means over queries, and {name!r} is not one: "
                "its difference is not the mean of the differences of the queries. "
                "Leave it out, for example with scores[['mrr']], or compare 'mrr' or "
                "'mean_rank'."
            )
        is_shared = all(np.array_equal(one.known, terms[0].known) for one in terms)
        sets = [tuple(range(len(terms)))] if is_shared else pairs
        for rankers in sets:
            own = [terms[i] for i in rankers]
            known = np.logical_and.reduce([one.known for one in own])
            bottoms = [np.where(known, one.bottom, 0) for one in own]
            for i, bottom in zip(rankers, bottoms, strict=True):
                if not np.allclose(bottom, bottoms[0], rtol=1e-9, atol=0):
                    raise ValueError(
                        f"compare_rankers cannot compare {name!r}: its queries count "
                        f"differently for {shown(table.rankers[rankers[0]])} and "
                        f"{shown(table.rankers[i])}, which returned different "
                        "documents. Use average='macro' and a metric that is not "
                        "adjusted."
                    )
            if not bottoms[0].any():
                warn_caller(
                    f"The metric {name!r} is undefined for every query{where} of "
                    f"{shown(table.rankers[rankers[0]])} or "
                    f"{shown(table.rankers[rankers[1]])}. They are not compared.",
                    UndefinedMetricWarning,
                )
                continue
            values = [request.sign * np.where(known, one.top, 0) for one in own]
            values, bottom = np.column_stack(values), bottoms[0]
            yield _Block(
                *(segment, metric, rankers, own, pairs if is_shared else [(0, 1)]),
                *(values, known, bottom),
                is_plain=np.ptp(bottom[known]) == 0 and not segment.clusterings,
            )


def _rows(block, test, judge):
    """Return the rows of the pairs of a block, as far as they are not tested yet.

    Also four numbers for each pair: the standard error of the difference, its degrees
    of freedom, the range of the values, and the largest difference that the metric can
    have. Without limits of the metric the range is that of the values at hand, infinite
    if they are equal, and the largest difference is infinite. Also for each pair a
    function of a level, the difference that the sample may not show, or None where the
    test does not allow for one.
    """
    table, clusterings = block.segment.table, block.segment.clusterings
    request = table.requests[block.metric]
    has_weight = True if table.weight is None else table.weight > 0
    undefined = [
        np.isnan(table.measured[i][block.metric].values) & has_weight
        for i in block.rankers
    ]
    whole = block.bottom.sum()
    estimates = [
        one.estimate if np.array_equal(one.known, block.known) else values.sum() / whole
        for one, values in zip(block.terms, block.values.T, strict=True)
    ]
    limits = [limits_of(one) for one in block.terms]
    are_known = [np.isfinite(one.limits).all() for one in block.terms]
    falls = [
        Unseen(values, block.bottom, ends, clusterings)
        for values, ends in zip(block.values.T, limits, strict=True)
    ]
    tests = _tests(block, test, block.is_plain and judge is None)
    rows, errors, ranges, unseen = [], [], [], []
    step = max(NUMBERS_AT_A_TIME // len(block.known), 1)
    for start in range(0, len(block.pairs), step):
        pairs = block.pairs[start : start + step]
        top = block.differences(pairs)
        bottom = np.broadcast_to(block.bottom[:, None], top.shape)
        errors.append(standard_error(top, bottom, clusterings))
        gain = request.direction * top[block.known]
        n_wins, n_losses = (gain > 0).sum(axis=0), (gain < 0).sum(axis=0)
        total = total_of(top) / whole
        for j, (one, other) in enumerate(pairs):
            (low, high), (low_other, high_other) = limits[one], limits[other]
            size = max(high, high_other) - min(low, low_other)
            size = size if size > 0 else np.inf
            is_known = are_known[one] and are_known[other]
            ranges.append((size, size if is_known else np.inf))
            fall = partial(_largest, (falls[one], falls[other]))
            unseen.append(fall if test == AUTO else None)
            row = Bunch(
                **block.segment.entries,
                metric=request.key,
                ranker=table.rankers[block.rankers[one]],
                baseline=table.rankers[block.rankers[other]],
                estimate=float(estimates[one]),
                estimate_baseline=float(estimates[other]),
                difference=float(total[j]),
                **dict.fromkeys(_TESTED[:-1]),
                wins=int(n_wins[j]),
                ties=len(gain) - int(n_wins[j] + n_losses[j]),
                losses=int(n_losses[j]),
                n_queries=len(gain),
                n_undefined=int((undefined[one] | undefined[other]).sum()),
                detectable=None,
                test=tests[start + j],
            )
            rows.append(row)
    errors, df = (np.concatenate(found) for found in zip(*errors, strict=True))
    return rows, np.array([np.nan_to_num(errors), df, *np.transpose(ranges)]), unseen


def _largest(falls, level):
    return max(fall(level) for fall in falls)


def _tests(block, test, is_plain):
    """Return the name of the test of each pair of a block."""
    if test not in (AUTO, "score"):
        return [test] * len(block.pairs)
    clusterings = block.segment.clusterings
    _, units = sum_clusters(block.bottom, block.bottom, *clusterings or [None])
    is_uneven = effective_units(units) < MOST_UNEVEN * np.count_nonzero(units)
    hits = [is_plain and one.is_binary for one in block.terms]
    found = [
        "score" if hits[one] and hits[other] else "t" if is_uneven else "permutation"
        for one, other in block.pairs
    ]
    if test == "score" and {*found} != {"score"}:
        name = block.segment.table.requests[block.metric].key
        raise ValueError(
            "The 'test' parameter of compare_rankers must not be 'score' unless all "
            "values are 0 or 1, of queries without weights, clusters and a judge. Got "
            f"it for {name!r}. Pass test='auto' to use it where it fits."
        )
    return found


def limits_of(terms):
    """Return the limits of values, and their own ends where there are none."""
    low, high = terms.limits
    if np.isfinite(high - low):
        return low, high
    values = terms.request.sign * terms.values
    return values.min(), values.max()


def _with_judge(judge, blocks, found, test):
    """Return the blocks of differences with a judge, and what `_rows` found of them.

    Each pair has a block of its own, whose units are the queries of the judge.
    """
    judged, of_pairs = [], []
    segment = Segment({}, slice(None), judge.table, [])
    known = np.ones(len(judge.is_rest), dtype=bool)
    for block, (rows, numbers, unseen) in zip(blocks, found, strict=True):
        means = [judge.mean(i, block.metric).estimate for i in block.rankers]
        alone = _tests(block, test, block.is_plain)
        for j, (pair, row) in enumerate(zip(block.pairs, rows, strict=True)):
            rankers, of_test = tuple(block.rankers[place] for place in pair), row.test
            of_unseen = None  # the judge has seen the other queries
            combined = judge.difference(block.metric, *rankers)
            if combined.is_of_few:
                combined = judge.of_people(block.metric, *rankers)
                of_test, of_unseen = alone[j], unseen[j]
            estimates = (means[place] for place in pair)
            both = dict(zip(("estimate", "estimate_baseline"), estimates, strict=True))
            both |= {"difference": combined.estimate, "test": of_test}
            row = Bunch(**(row | both | combined.entries))
            of_pair = [[combined.error], [combined.df], *numbers[2:, [j]]]
            of_pairs.append(([row], np.array(of_pair), [of_unseen]))
            terms = np.column_stack([combined.terms, np.zeros(len(known))])
            of_block = rankers, [], [(0, 1)], terms, known, combined.counts
            judged.append(_Block(segment, block.metric, *of_block))
    return judged, of_pairs


def _family(table, blocks, numbers, clusterings):
    """Return the :class:`Family` of the pairs of some blocks.

    Its columns, in which larger is better, and its units have an order that does not
    depend on that of rankers, metrics and queries, nor on names, and random flips take
    the same sign of a unit whichever ranker comes first. So the p-values do not depend
    on any of these, nor on the sign of a metric.
    """
    # A column for each ranker of a block: its values less those of the first ranker,
    # whose column is 0. The pair (b, c) of block 1 is the column 1 less the column 2.
    #
    #              0 | block 1: b - a   c - a | block 2: b - a   c - a
    #    unit 1    0 |            0.2     0.1 |            1       0
    #    unit 2    0 |            0.0    -0.1 |            1       1
    found, n_queries = [], len(table.keys["qid"])
    directions = [table.requests[block.metric].direction for block in blocks]
    all_keys = [
        order_keys(direction * block.values)
        for direction, block in zip(directions, blocks, strict=True)
    ]
    in_all = _keys_in_all(table, blocks, all_keys)
    for block, direction, keys in zip(blocks, directions, all_keys, strict=True):
        # Rankers that are alike here and elsewhere may come in any order: by name.
        names = [(in_all.get(i), table.rankers[i]) for i in block.rankers]
        named = zip(keys, names, range(len(keys)), strict=True)
        first, *others = (place for *_, place in sorted(named))
        columns = direction * block.differences([(other, first) for other in others])
        if len(columns) < n_queries:  # other segments do not count
            of_segment, columns = columns, np.zeros((n_queries, len(others)))
            columns[block.segment.rows] = of_segment
        of_block = sorted(keys), table.requests[block.metric].key
        found.append((of_block, first, others, columns))
    columns, n_columns, of_ranker = [np.zeros((n_queries, 1))], 1, {}
    for place in sorted(range(len(found)), key=[key for key, *_ in found].__getitem__):
        _, first, others, of_block = found[place]
        columns.append(of_block)
        of_ranker[place, first] = 0
        for column, other in enumerate(others, n_columns):
            of_ranker[place, other] = column
        n_columns += len(others)
    columns = np.hstack(columns)
    bottoms = np.zeros((n_queries, len(blocks)))
    for bottom, block in zip(bottoms.T, blocks, strict=True):
        bottom[block.segment.rows] = block.bottom
    if len(clusterings) == 1:
        columns, bottoms = sum_clusters(columns, bottoms, clusterings[0])
    ends = [
        (*(of_ranker[place, i] for i in pair[:: directions[place]]), place)
        for place, block in enumerate(blocks)
        for pair in block.pairs
    ]
    plus, minus, bottom = np.array(ends).T
    order, signs = order_units(columns, bottoms)
    bottoms, place = distinct_columns(bottoms[order])
    errors, df, ranges, unseen = numbers
    return Family(
        columns=columns[order],
        plus=plus,
        minus=minus,
        bottoms=bottoms,
        bottom=place[bottom],
        errors=errors,
        df=df,
        signs=signs[order],
        ranges=ranges,
        unseen=unseen,
    )


def _keys_in_all(table, blocks, all_keys):
    """Return what orders rankers that have the same key in a block: all their keys.

    By the position of the ranker; nothing if no two rankers of a block have one key.
    """
    if all(len(set(keys)) == len(keys) for keys in all_keys):
        return {}
    found = {}
    for block, keys in zip(blocks, all_keys, strict=True):
        place = table.requests[block.metric].key, sorted(keys)
        for i, key in zip(block.rankers, keys, strict=True):
            found.setdefault(i, []).append((place, key))
    return {i: sorted(of_ranker) for i, of_ranker in found.items()}


def order_keys(values):
    """Return keys by which rankers are ordered, from their values by query.

    The values, of shape (n_queries, n_rankers), are compared with the worst ranker of
    each query, so that a shift of all values changes nothing.
    """
    size = values - values.min(axis=1, keepdims=True)
    size = np.round(size / (size.max() or 1.0), DIGITS)
    # Bytes in the order of the numbers, none of which is negative.
    keys = [(np.sort(column).astype(">f8").tobytes(),) for column in size.T]
    if len(set(keys)) == len(keys):
        return keys
    # The same values for other queries: in the order of what all rankers have there.
    _, query = np.unique(np.sort(size, axis=1), axis=0, return_inverse=True)
    query = query.ravel()
    return [
        (*key, column[np.lexsort((column, query))].astype(">f8").tobytes())
        for key, column in zip(keys, size.T, strict=True)
    ]


def order_units(columns, bottoms):
    """Return the order of the units, and the signs by which random flips flip them.

    By the sizes of the first column, then of the second, and so on, by their weights,
    and then by their signs: units that differ in nothing else are alike.
    """
    rounded = np.round(columns / (np.abs(columns).max(axis=0) + TINY), DIGITS)
    leading = rounded[np.arange(len(rounded)), (rounded != 0).argmax(axis=1)]
    signs = np.where(leading < 0, -1.0, 1.0)
    keys = np.hstack([rounded * signs[:, None], bottoms, signs[:, None]])
    return np.lexsort(keys.T[::-1]), signs


def _warn(rows, outcome, level, names, allows_for_unseen):
    """Warn of comparisons that cannot reject, and of those that few units decide."""
    cannot = ~is_at_most(outcome.smallest, level)
    if cannot.any():
        warn_caller(
            f"No sign-flip test of {outcome.n_units.min()} units can reject at "
            f"{100 * level:.4g} %: its smallest p-value is "
            f"{outcome.smallest.max():.3g}.",
            UserWarning,
        )
    is_significant = is_at_most(outcome.adjusted, level)
    claims = {
        "The p-value may be too small": is_significant,
        "The interval may be too narrow": ~(is_significant | allows_for_unseen),
    }
    for claim, where in claims.items():
        named = {
            f"{row.metric!r} of {row.ranker!r} and {row.baseline!r}"
            + "".join(f", {name}={shown(row[name])}" for name in names): n
            for row, n, is_claimed in zip(
                rows, outcome.n_effective.tolist(), where & ~cannot, strict=True
            )
            if is_claimed
        }
        warn_of_few(claim, named, "differences, (sum d^2)^2 / sum d^4,")
