"""Paired comparison of rankers, query by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._engine.request import Request
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    check_choice,
    check_count,
    check_level,
    check_number,
    says_what_was_meant,
    shown,
)
from skrank._text.docs import Clusters, Seed
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
from skrank.stats.unseen import Unseen, fall_of_either
from skrank.stats.values import two_or_more

# What a test adds to a row.
_TESTED = ("low", "high", "pvalue", "p_adjusted", "effect_size", "detectable")
# The test that fits the values of each comparison.
AUTO = "auto"
# What tests are called elsewhere, and here.
OTHER_NAMES = {"ttest": "'t'", "ttestrel": "'t'"}
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
    correction: Literal["max-t"] | None = "max-t",
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
    correction : "max-t" or None, default="max-t"
        How p-values are adjusted for the number of comparisons, and intervals made
        simultaneous, so that they contain all true differences together with the
        probability `confidence_level`: by the maximum over the flips of all
        comparisons, in steps, which uses their correlation [1]_; or not at all, so that
        each interval has this probability by itself.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The sign of the difference, ranker minus baseline, that the test looks for. The
        interval is one-sided as well.
    margin : float, default=0.0
        A difference that does not matter, in units of the metric. With "greater" the
        test asks whether the ranker is not worse by the margin, with "less" whether it
        is not better by it (the other way round if smaller values are better), and with
        "two-sided" whether both hold (equivalence, by two one-sided tests; of a level
        of 95 % the interval then has 90 %).
    clusters : str or array-like of shape (n_queries,), default=None
        Queries that belong together, as in :func:`confidence_interval`.
    confidence_level : float, default=0.95
        The level of the intervals; 1 minus it is the level of the tests.
    judge : QueryScores, default=None
        Scores of the same rankers by the same metrics, with labels of a machine, for
        the queries of `scores` and many others, as in :func:`confidence_interval`. The
        differences are then those that people would find over all queries. With fewer
        than 30 queries, or where few decide how far the judge is from people, these
        count alone. `test` must be "permutation" or "t", without `by` and `clusters`.
    n_resamples : int, default=9999
        The number of random sign flips. With up to 13 units all combinations are used;
        of more than 10,000 those that matter least add a random normal number.
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
    its opposite, where p is at least 1 / (`n_resamples` + 1). Of more than 10,000 units
    those with the smallest parts of the sums of squares add a normal sum with the same
    covariances, which changes p by less than other 9,999 flips do. The order of the
    rankers, metrics and queries does not change it. The interval holds the differences
    that the test does not reject: the quantiles of the means of random subsets of the
    :math:`d_i` [2]_. It excludes 0 exactly if p is at most the level.

    Values of 0 and 1 rarely differ, and then the signs of a few queries decide. The
    score test [3]_ of the numbers of wins and losses also counts the queries without a
    difference; its interval holds the differences that it does not reject. If two
    rankers are equal in all n queries, its ends are :math:`\pm z^2 / (n + z^2)`, with
    the quantile z of the normal distribution. Times the range of the metric these are
    the ends for any metric and test of two rankers that never differ: the queries that
    nobody saw may differ.

    If the effective number of differences is below 3, or all of them are equal, the
    sample hardly shows what the others may be. With "auto" the ends are then
    :math:`d \mp \sqrt{s^2 + f^2}` [4]_: s is the distance of the end of the test from
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
    interval also contains that of the comparison alone.

    Flips of the signs of a few large clusters, or of a few queries with large weights,
    do not know that the units differ. Student's t has their effective number, less 1,
    as its degrees of freedom, which is at least as good if they are uneven.

    `detectable` is the difference that a two-sided t test of as many units would find
    with a probability of 80 %, at the level that the correction leaves to one
    comparison, that of its critical value. `effect_size` is the mean of the differences
    divided by their standard deviation.

    The comparison is about the queries of this collection, and these rankers as they
    were trained.

    References
    ----------
    .. [1] P. Westfall, S. Young,
       "Resampling-Based Multiple Testing" (1993).
    .. [2] J. A. Hartigan,
       "Using Subsample Values as Typical Values", JASA 64 (1969).
    .. [3] T. Tango, "Equivalence Test and Confidence Interval for the Difference in
       Proportions for the Paired-Sample Design", Statistics in Medicine 17 (1998).
    .. [4] G. Zou, A. Donner, "Construction of Confidence Limits About Effect Measures:
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
    check_choice(test, {AUTO, *TESTS}, "test", "compare_rankers", OTHER_NAMES)
    check_choice(correction, CORRECTIONS, "correction", "compare_rankers")
    check_choice(alternative, ALTERNATIVES, "alternative", "compare_rankers")
    margin = check_number(margin, "margin", "compare_rankers", low=0.0)
    check_level(confidence_level, "confidence_level", "compare_rankers")
    check_count(n_resamples, "n_resamples")
    _check_options_of_judge(judge, test, by, clusters)
    scores = two_or_more(scores, by, clusters, "compare_rankers")
    if not isinstance(baseline, str) and np.iterable(baseline):
        baseline = tuple(baseline)
    table, pairs = scores.table, _pairs(scores.rankers, baseline)
    codes, segments = segments_of(table, by, clusters, "compare_rankers")
    n_units = count_units(table.weight, len(table.keys["qid"]), codes)
    blocks = _blocks(segments, pairs)
    found = [_comparisons(block, test, judge) for block in blocks]
    if judge is not None:
        both = Judge(scores, judge, "compare_rankers")
        table, blocks, found = _with_judge(both, blocks, found, test)
    found = [*itertools.chain(*found)]
    options = {"correction": correction, "alternative": alternative, "margin": margin}
    family, rows = _family(table, blocks, found, codes), [x.row for x in found]
    drawn = {"n_resamples": n_resamples, "seed": seed_of(random_state)}
    tests, level = [row.test for row in rows], 1 - confidence_level
    outcome = run_tests(family, test=tests, level=level, **options, **drawn)
    _add_results(found, family, outcome, alternative, margin)
    _warn(rows, outcome, level, segments[0], family.allows_for_unseen)
    return RankerComparison(
        scores=scores,
        rows=tuple(rows),
        by=by,
        baseline=baseline,
        test=test,
        clusters=clusters,
        confidence_level=confidence_level,
        are_simultaneous=len(rows) > 1 and correction is not None,
        n_units=n_units,
        judge=judge,
        **options,
    )


def _check_options_of_judge(judge, test, by, clusters):
    """Raise if a parameter cannot be combined with a judge, if there is one."""
    if judge is None:
        return
    if test not in (AUTO, "permutation", "t"):
        raise ValueError(
            "The 'test' parameter of compare_rankers must be 'auto', 'permutation' or "
            f"'t' with a judge. Got {test!r} instead."
        )
    for name, value in {"by": by, "clusters": clusters}.items():
        if value is not None:
            raise ValueError(
                f"The {name!r} parameter of compare_rankers must be None with a judge. "
                f"Got {shown(value)}. Select queries by scores.where()."
            )


def _add_results(found, family, outcome, alternative, margin):
    """Add what the tests found to the rows of comparisons, in the place of None."""
    rows, most = [one.row for one in found], np.array([one.most for one in found])
    difference = np.array([row.difference for row in rows])
    deviation = family.errors * np.sqrt(outcome.n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(family.df > 0, difference / deviation, np.nan)
    effect[difference == 0] = 0.0
    two_sided = is_two_sided(alternative, margin)
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
    detectable[detectable > most] = np.inf
    most = np.where(most >= margin, most, np.inf)
    low, high = outcome.low, outcome.high
    if 1 in ALTERNATIVES[alternative]:  # a one-sided test has one end
        low = np.maximum(low, -most)
    if -1 in ALTERNATIVES[alternative]:
        high = np.minimum(high, most)
    ends = np.minimum(low, difference), np.maximum(high, difference)
    columns = (*ends, *outcome[:2], effect, detectable)
    for row, *values in zip(rows, *(x.tolist() for x in columns), strict=True):
        row.update(zip(_TESTED, values, strict=True))


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
    request: Request  # what was asked for by it
    rankers: tuple  # their positions
    terms: list  # their Terms
    pairs: list  # what is compared: two places in `rankers`
    # The terms of their sums, (n_queries, n_rankers), as the metric is printed.
    values: np.ndarray
    known: np.ndarray  # whether each query counts
    bottom: np.ndarray  # the weight of each query
    is_plain: bool = False  # whether all queries count alike, each for itself


def _blocks(segments, pairs):
    """Return the blocks of all segments; raise if there is none."""
    found = [block for one in segments for block in _blocks_of(one, pairs)]
    if not found:
        n_queries = sum(len(one.table.keys["qid"]) for one in segments)
        raise ValueError(
            "compare_rankers needs queries where a metric is defined for two rankers. "
            f"Got none, of {n_queries} queries."
        )
    return found


def _blocks_of(segment, pairs):
    """Yield the :class:`_Block` of each metric of a segment.

    Where rankers are undefined, and left out, for different queries, each pair has one.
    """
    table, of_metrics = segment.table, zip(*terms_of(segment.table), strict=True)
    for metric, terms in enumerate(of_metrics):
        request = table.requests[metric]
        if any(one is None or not one.is_linear for one in terms):
            raise ValueError(
                f"compare_rankers needs means over queries, and {request.key!r} is not "
                "one: its difference is not the mean of the differences of the "
                "queries. Leave it out, for example with scores[['mrr']], or compare "
                "'mrr' or 'mean_rank'."
            )
        is_shared = all(np.array_equal(one.known, terms[0].known) for one in terms)
        for rankers in [tuple(range(len(terms)))] if is_shared else pairs:
            own = [terms[i] for i in rankers]
            known = np.logical_and.reduce([one.known for one in own])
            bottom = _shared_weights(segment, request.key, rankers, own, known)
            if bottom is None:
                continue
            values = [request.sign * np.where(known, one.top, 0) for one in own]
            yield _Block(
                *(segment, metric, request, rankers, own),
                pairs if is_shared else [(0, 1)],
                *(np.column_stack(values), known, bottom),
                is_plain=np.ptp(bottom[known]) == 0 and segment.clusters is None,
            )


def _shared_weights(segment, key, rankers, terms, known):
    """Return the weights of the queries that count; None, with a warning, of none."""
    names = [shown(segment.table.rankers[i]) for i in rankers]
    bottoms = [np.where(known, one.bottom, 0) for one in terms]
    for name, bottom in zip(names, bottoms, strict=True):
        if not np.allclose(bottom, bottoms[0], rtol=1e-9, atol=0):
            raise ValueError(
                f"compare_rankers cannot compare {key!r}: its queries count "
                f"differently for {names[0]} and {name}, which returned different "
                "documents. Use average='macro' and a metric that is not adjusted."
            )
    if bottoms[0].any():
        return bottoms[0]
    where = (f" with {key}={shown(value)}" for key, value in segment.entries.items())
    warn_caller(
        f"The metric {key!r} is undefined for every query{''.join(where)} of "
        f"{names[0]} or {names[1]}. They are not compared.",
        UndefinedMetricWarning,
    )
    return None


class _Comparison(NamedTuple):
    """A pair of rankers that is compared by one metric, and what its test needs."""

    row: Bunch  # of the result, as far as the pair is not tested yet
    error: float  # the standard error of the difference
    df: float  # its degrees of freedom
    # The largest difference of the values; of a metric without limits that of those at
    # hand, and infinite if they are equal.
    range: float
    most: float  # the same, but infinite of a metric without limits
    # A function of a level: the difference that the sample may not show; or None, where
    # the test does not allow for one.
    unseen: Callable[[float], float] | None


def _comparisons(block, test, judge):
    """Return the :class:`_Comparison` of each pair of a block."""
    segment, found = block.segment, []
    limits = np.array([limits_of(one) for one in block.terms])
    has_limits = np.array([np.isfinite(one.limits).all() for one in block.terms])
    of_unseen = [
        Unseen(values, block.bottom, ends, segment.clusters)
        for values, ends in zip(block.values.T, limits, strict=True)
    ]
    tests = _tests(block, test, block.is_plain and judge is None)
    of_rankers = _of_rankers(block)
    step = max(NUMBERS_AT_A_TIME // len(block.known), 1)
    for start in range(0, len(block.pairs), step):
        pairs = block.pairs[start : start + step]
        one, other = np.array(pairs).T
        top = difference(block.values[:, one], block.values[:, other])
        bottom = np.broadcast_to(block.bottom[:, None], top.shape)
        errors, df = standard_error(top, bottom, segment.clusters)
        rows = _rows(block, one, other, top, of_rankers, tests[start : start + step])
        size = limits[[one, other], 1].max(axis=0) - limits[[one, other], 0].min(axis=0)
        size = np.where(size > 0, size, np.inf)
        most = np.where(has_limits[one] & has_limits[other], size, np.inf)
        unseen = [None] * len(pairs)
        if test == AUTO:
            unseen = [
                partial(fall_of_either, *(of_unseen[i] for i in x)) for x in pairs
            ]
        columns = rows, np.nan_to_num(errors), df, size, most, unseen
        found += map(_Comparison, *columns)
    return found


def _of_rankers(block):
    """Return the names, the estimates and the undefined queries of the rankers."""
    table, whole, undefined = block.segment.table, block.bottom.sum(), []
    estimates = []
    for i, terms, values in zip(
        block.rankers, block.terms, block.values.T, strict=True
    ):
        is_all = np.array_equal(terms.known, block.known)
        estimates.append(terms.estimate if is_all else values.sum() / whole)
        undefined.append(np.isnan(table.measured[i][block.metric].values))
    names = np.array([table.rankers[i] for i in block.rankers], dtype=object)
    undefined = np.column_stack(undefined)
    if table.weight is not None:
        undefined &= (table.weight > 0)[:, None]
    return names, np.array(estimates), undefined


def _rows(block, one, other, top, of_rankers, tests):
    """Return the rows of some pairs, as far as they are not tested yet."""
    names, estimates, undefined = of_rankers
    gain = block.request.direction * top[block.known]
    wins, losses = (gain > 0).sum(axis=0), (gain < 0).sum(axis=0)
    n, untested = np.full(len(one), len(gain)), np.full(len(one), None)
    columns = {
        "ranker": names[one],
        "baseline": names[other],
        "estimate": estimates[one],
        "estimate_baseline": estimates[other],
        "difference": total_of(top) / block.bottom.sum(),
        **dict.fromkeys(_TESTED[:-1], untested),
        "wins": wins,
        "ties": n - wins - losses,
        "losses": losses,
        "n_queries": n,
        "n_undefined": (undefined[:, one] | undefined[:, other]).sum(axis=0),
        "detectable": untested,
    }
    first = {**block.segment.entries, "metric": block.request.key}
    numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [
        Bunch(**first, **dict(zip(columns, values, strict=True)), test=of_pair)
        for values, of_pair in zip(numbers, tests, strict=True)
    ]


def _tests(block, test, is_plain):
    """Return the name of the test of each pair of a block."""
    if test not in (AUTO, "score"):
        return [test] * len(block.pairs)
    _, units = sum_clusters(block.bottom, block.bottom, block.segment.clusters)
    is_uneven = effective_units(units) < MOST_UNEVEN * np.count_nonzero(units)
    hits = [is_plain and one.is_binary for one in block.terms]
    found = [
        "score" if hits[one] and hits[other] else "t" if is_uneven else "permutation"
        for one, other in block.pairs
    ]
    if test == "score" and {*found} != {"score"}:
        name = block.request.key
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
    """Return the table of a judge, a block for each pair, and their comparisons."""
    judged, of_pairs = [], []
    segment = Segment({}, slice(None), judge.table, None)
    known = np.ones(len(judge.is_rest), dtype=bool)
    for block, of_block in zip(blocks, found, strict=True):
        means = [judge.mean(i, block.metric).estimate for i in block.rankers]
        alone = _tests(block, test, block.is_plain)
        for pair, one, of_test in zip(block.pairs, of_block, alone, strict=True):
            rankers = tuple(block.rankers[place] for place in pair)
            combined = judge.difference(block.metric, *rankers)
            if combined.is_of_few:
                combined = judge.of_people(block.metric, *rankers)
                one = one._replace(row=one.row | {"test": of_test})
            else:  # the judge has seen the other queries
                one = one._replace(unseen=None)
            estimates = (means[place] for place in pair)
            both = dict(zip(("estimate", "estimate_baseline"), estimates, strict=True))
            both |= {"difference": combined.estimate} | combined.entries
            one = one._replace(row=Bunch(**one.row | both))
            of_pairs.append([one._replace(error=combined.error, df=combined.df)])
            terms = np.column_stack([combined.terms, np.zeros(len(known))])
            of_people = [], [(0, 1)], terms, known, combined.counts
            of_metric = segment, block.metric, block.request, rankers
            judged.append(_Block(*of_metric, *of_people))
    return judge.table, judged, of_pairs


def _family(table, blocks, found, clusters):
    """Return the :class:`Family` of the pairs of some blocks.

    Its columns, in which larger is better, have the order of the names of metrics and
    rankers, and its units one that does not depend on the queries' names and order.
    Random flips take the same sign of a unit whichever ranker comes first. So the
    p-values do not depend on any of these, nor on the sign of a metric.
    """
    columns, of_ranker = _centred(table, blocks)
    bottoms = np.zeros((len(columns), len(blocks)))
    for bottom, block in zip(bottoms.T, blocks, strict=True):
        bottom[block.segment.rows] = block.bottom
    columns, bottoms = sum_clusters(columns, bottoms, clusters)
    ends = [
        (*(of_ranker[place, i] for i in pair[:: block.request.direction]), place)
        for place, block in enumerate(blocks)
        for pair in block.pairs
    ]
    plus, minus, bottom = np.array(ends).T
    order, signs = order_units(columns, bottoms)
    bottoms, place = distinct_columns(bottoms[order])
    _, *numbers, _, unseen = zip(*found, strict=True)
    errors, df, ranges = map(np.array, numbers)
    return Family(
        columns=np.asfortranarray(columns[order]),
        plus=plus,
        minus=minus,
        bottoms=bottoms,
        bottom=place[bottom],
        errors=errors,
        df=df,
        signs=signs[order],
        ranges=ranges,
        unseen=np.fromiter(unseen, dtype=object),
    )


def _centred(table, blocks):
    """Return the columns of a family, and which one each ranker of a block has."""
    # A column for each ranker of a block: its values less those of the first ranker,
    # whose column is 0. The pair (b, c) of block 1 is the column 1 less the column 2.
    #
    #              0 | block 1: b - a   c - a | block 2: b - a   c - a
    #    unit 1    0 |            0.2     0.1 |            1       0
    #    unit 2    0 |            0.0    -0.1 |            1       1
    names, n_queries = table.rankers, len(table.keys["qid"])
    columns, of_ranker = [np.zeros((n_queries, 1))], {}
    by_name = [
        (block.request.key, sorted(names[i] for i in block.rankers), place)
        for place, block in enumerate(blocks)
    ]
    for *_, place in sorted(by_name):
        block = blocks[place]
        first, *others = np.argsort([names[i] for i in block.rankers], kind="stable")
        of_block = np.zeros((n_queries, len(others)))  # other segments do not count
        values = difference(block.values[:, others], block.values[:, [first]])
        of_block[block.segment.rows] = block.request.direction * values
        of_ranker[place, first] = 0
        for column, other in enumerate(others, sum(x.shape[1] for x in columns)):
            of_ranker[place, other] = column
        columns.append(of_block)
    return np.hstack(columns), of_ranker


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


def _warn(rows, outcome, level, segment, allows_for_unseen):
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
            + "".join(f", {name}={shown(row[name])}" for name in segment.entries): n
            for row, n, is_claimed in zip(
                rows, outcome.n_effective.tolist(), where & ~cannot, strict=True
            )
            if is_claimed
        }
        warn_of_few(claim, named, "differences, (sum d^2)^2 / sum d^4,")
