"""Paired comparison of rankers, query by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._engine.request import Request
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    about,
    check_choice,
    check_flag,
    check_level,
    check_number,
    says_what_was_meant,
    shown,
)
from skrank._text.docs import Clusters, Seed
from skrank._text.tables import counted
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.comparison import RankerComparison
from skrank.stats.inference import (
    MOST_UNEVEN,
    Segment,
    check_units,
    count_units,
    covariances,
    difference,
    distinct_columns,
    effective_units,
    is_at_most,
    relative_ends,
    samples_of,
    seed_of,
    segments_of,
    standard_error,
    sum_clusters,
    terms_of,
    total_of,
    two_or_more,
    warn_of_few,
    welch,
)
from skrank.stats.judged import refuse, with_judge
from skrank.stats.paired_tests import (
    NUMBERS_AT_A_TIME,
    PAIRED_TESTS,
    Family,
    run_tests,
)
from skrank.stats.sample_size import noncentrality

# What a test adds to a row.
_TESTED = ("low", "high", "pvalue", "p_adjusted", "effect_size", "detectable")
_RELATIVE = ("relative_difference", "relative_low", "relative_high")
# The test that fits the values of each comparison.
AUTO = "auto"
# What tests are called elsewhere, and here.
OTHER_NAMES = {"ttest": "'t'", "ttestrel": "'t'"}
# The number of digits by which values are ordered; one other than 0 is larger than
# TINY.
DIGITS, TINY = 12, 1e-300
# The number of random sign flips.
N_RESAMPLES = 9999


@says_what_was_meant
def compare_rankers(
    scores: QueryScores | Mapping[str, Any] | ArrayLike | Any,
    *,
    by: str | Sequence[str] | None = None,
    baseline: str | Sequence[str] | None = None,
    test: Literal["auto", "permutation", "score", "t"] = "auto",
    correction: Literal["max-t"] | None = "max-t",
    margin: float = 0.0,
    clusters: Clusters | None = None,
    confidence_level: float = 0.95,
    judge: QueryScores | None = None,
    paired: bool = True,
    random_state: Seed | None = 0,
) -> RankerComparison:
    r"""Compare rankers by their differences on the same queries.

    All pairs of rankers, or all rankers with a baseline, by all metrics, as one family
    of tests (:doc:`/is_it_better`).

    Parameters
    ----------
    scores : QueryScores, dict, data frame or array of shape (n_rankers, n_queries)
        The values of two or more rankers. A dict or a data frame has an entry for each
        ranker: its QueryScores; or values that were computed elsewhere, one per query,
        of which larger ones are better. These are an array, in one order of the queries
        for all rankers; a Series or a dict by query id; or a dict by query id of dicts
        by metric. Further entries are "qid", "sample_weight" and the columns that `by`
        and `clusters` name. A data frame with a column "ranker" has a row for each
        ranker and query. The rankers of an array are called "0", "1" and so on.
    by : str or list of str, default=None
        The key columns of the scores, such as a country, whose values are compared by
        themselves, as one family.
    baseline : str or list of str, default=None
        The ranker, or the rankers, that all others are compared with. If None, all
        pairs are compared.
    test : {"auto", "permutation", "score", "t"}, default="auto"
        How it is tested whether the means are equal:

        - "permutation": by flipping the signs of the differences (Fisher's
          randomization test);
        - "score": by Tango's test of paired proportions [3]_, for values that are 0 or
          1, of queries without weights and clusters;
        - "t": by Student's paired t test;
        - "auto": by "score" where it is possible; "t" if clusters or weights weigh as
          much as less than half as many equal ones; and "permutation" otherwise. Where
          few queries differ, :math:`(\sum d^2)^2 / \sum d^4 < 3`, or all alike, it
          allows for unobserved ones as :func:`gate` does; the others do not.
    correction : "max-t" or None, default="max-t"
        Whether p-values are adjusted for the number of comparisons, and intervals
        simultaneous, by the largest statistic of all comparisons [1]_.
    margin : float, default=0.0
        A difference that does not matter, in units of the metric. Greater than 0, the
        tests ask whether differences are smaller (equivalence, by two one-sided tests;
        of a level of 95 % an interval then has 90 %). :func:`gate` tests whether one is
        not worse by a margin.
    clusters : str or array-like of shape (n_queries,), default=None
        Queries that belong together, as in :func:`confidence_interval`.
    confidence_level : float, default=0.95
        The level of the intervals; 1 minus it is the level of the tests.
    judge : QueryScores, default=None
        Scores of the same rankers by the same metrics, with labels of a machine, for
        the queries of `scores` and many others, as in :func:`confidence_interval`.
        `test` must be "permutation" or "t", without `by` and `clusters`.
    paired : bool, default=True
        Whether all rankers have the same queries. If False, `scores` is a dict of
        samples with other queries, which Welch's t test compares, with Bonferroni's
        correction (:doc:`/two_samples`). `by` and `judge` must be None, and `clusters`
        None or the name of a key column.
    random_state : int, RandomState instance or None, default=0
        Draws the sign flips.

    Returns
    -------
    comparison : RankerComparison
        The differences with intervals, p-values and counts, which prints as a table.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, there are not two rankers, they were scored
        on different queries, or a metric is not a mean over queries.

    Warns
    -----
    UserWarning
        If no sign-flip test of so few units can reject, or few queries decide a result.

    See Also
    --------
    confidence_interval : The interval of one ranker.
    gate : Decides whether a ranker is worse than a baseline.
    required_queries : How many queries find a difference.

    Notes
    -----
    An interval excludes 0 exactly if its p-value is at most the level. The sign-flip
    test takes all signs of up to 13 units, else 9,999 random ones with their opposites,
    and its interval holds the differences that the same signs do not reject [2]_. Of
    several comparisons, :math:`T = \sum_i d_i / \sqrt{\sum_i d_i^2}` is compared with
    the largest \|T\| under the same signs. With its critical value c the intervals end
    where :math:`T(d)^2 = c^2`, for the T of :math:`d_i - d`. Rankers that are equal in
    all queries have the interval of "score".

    `detectable` is the difference that a t test finds with a probability of 80 %, at
    the level of Bonferroni with "max-t". Relative differences have Fieller's interval.

    References
    ----------
    .. [1] P. Westfall, S. Young, "Resampling-Based Multiple Testing",
       Wiley (1993).
    .. [2] J. A. Hartigan, "Using Subsample Values as Typical Values",
       JASA 64 (1969).
    .. [3] T. Tango, "Equivalence Test and Confidence Interval for the Difference in
       Proportions for the Paired-Sample Design", Statistics in Medicine 17 (1998).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.stats import compare_rankers
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> runs = {"old": y_true + 3 * rng.randn(600), "new": y_true + rng.randn(600)}
    >>> scores = score_queries(y_true, runs, "ndcg", qid=qid)
    >>> print(compare_rankers(scores))
    60 queries, 1 comparison (1 pair x 1 metric): sign-flip test, 95% intervals
    <BLANKLINE>
    metric  ranker  estimate          interval
    ndcg    new       0.8932  [0.8455, 0.9219]
    ndcg    old       0.8344  [0.7840, 0.8703]
    <BLANKLINE>
    metric  ranker  baseline  difference          interval       p    w/t/l
    ndcg    new     old          +0.0588  [0.0179, 0.0993]  0.0061  39/0/21
    <BLANKLINE>
    new is better than old in ndcg (+0.06, 0.02 to 0.10).
    """
    check_choice(test, {AUTO, *PAIRED_TESTS}, "test", "compare_rankers", OTHER_NAMES)
    check_choice(correction, {"max-t", None}, "correction", "compare_rankers")
    margin = check_number(margin, "margin", "compare_rankers", low=0.0)
    check_level(confidence_level, "confidence_level", "compare_rankers")
    if not check_flag(paired, "paired", "compare_rankers"):
        of_values = None if test in (AUTO, "t") else test
        codes = None if isinstance(clusters, str) else clusters
        given: dict = {"test": of_values, "by": by, "clusters": codes, "judge": judge}
        refuse("compare_rankers", "with paired=False", **given)
    if judge is not None:
        of_values = None if test in (AUTO, "permutation", "t") else test
        given = {"test": of_values, "by": by, "clusters": clusters}
        refuse("compare_rankers", "with a judge", **given)
    asked = by, baseline, test, correction, margin, clusters
    more = confidence_level, judge, paired, random_state
    comparison, outcome = comparison_and_outcome(scores, *asked, *more)
    warn_of_comparison(comparison, outcome)
    return comparison


# fmt: off
def comparison_and_outcome(
    scores, by=None, baseline=None, test=AUTO, correction="max-t", margin=0.0,
    clusters=None, confidence_level=0.95, judge=None, paired=True, random_state=0,
    n_resamples=N_RESAMPLES,
):
    # fmt: on
    """Return what `compare_rankers` does, without a warning, and the `Outcome`."""
    drawn = {"n_resamples": n_resamples, "seed": seed_of(random_state)}
    if not paired:
        scores = samples_of(scores)
    scores = two_or_more(scores, by, clusters, "compare_rankers")
    if not isinstance(baseline, str) and np.iterable(baseline):
        baseline = tuple(baseline)
    table, pairs = scores.table, _pairs(scores.rankers, baseline)
    codes, segments = segments_of(table, by, clusters, "compare_rankers")
    n_units = count_units(table.weight, len(table.keys["qid"]), codes)
    if paired:
        blocks = blocks_of(segments, pairs, test)
    else:
        blocks = [*_blocks_of_samples(*segments, pairs)]
        correction = correction and "bonferroni"
    if judge is not None:
        blocks, table = with_judge(blocks, scores, judge), judge.table
    family = family_of(blocks, len(table.keys["qid"]), codes)
    rows = [row for block in blocks for row in block.rows]
    shared = {"correction": correction, "margin": margin}
    level, tests = 1 - confidence_level, [row.test for row in rows]
    outcome = run_tests(family, test=tests, level=level, **shared, **drawn)
    most = np.concatenate([block.most for block in blocks])
    for row, largest in zip(rows, most.tolist(), strict=True):
        check_units(margin, "margin", "compare_rankers", row.metric, largest)
    _add_results(rows, most, family, outcome, level, **shared)
    if not paired:
        for row in rows:
            row.update(effect_size=np.nan)
    if judge is None:
        spread = np.concatenate([block.covariances for block in blocks], axis=1)
        names = "difference", "low", "high", "estimate_baseline"
        given = np.array([[row[name] for row in rows] for name in names])
        relative = relative_ends(*given, spread, confidence_level)
        for row, *values in zip(rows, *(x.tolist() for x in relative), strict=True):
            row.update(zip(_RELATIVE, values, strict=True))
    comparison = RankerComparison(
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
        paired=paired,
        **shared,
    )
    return comparison, outcome


def _add_results(rows, most, family, outcome, level_of_all, correction, margin):
    """Add what the tests found to the rows of comparisons, in the place of None.

    `most` is the largest difference of each, infinite without limits of the metric.
    """
    difference = np.array([row.difference for row in rows])
    deviation = family.errors * np.sqrt(outcome.n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(family.df > 0, difference / deviation, np.nan)
    effect[difference == 0] = 0.0
    # Bonferroni's level asks for a little more than max-T.
    level = level_of_all / (1 if correction is None else len(rows))
    # The tests of equivalence are one-sided, as strict as one of twice their level.
    of_t = 2 * level if margin else level
    least = np.array([noncentrality(df, of_t) for df in family.df.tolist()])
    # Few differences, or equal ones, do not show how much others vary, and a test
    # whose smallest p-value is too large finds none. A mean differs from itself by
    # rounding, where it is summed in other orders.
    is_known = np.isfinite(least) & (family.errors > 0)
    is_known &= ~outcome.is_few & is_at_most(outcome.smallest, level_of_all)
    detectable = np.full(len(rows), np.inf)
    np.multiply(least, family.errors, where=is_known, out=detectable)
    detectable[detectable > most] = np.inf
    low, high = np.maximum(outcome.low, -most), np.minimum(outcome.high, most)
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
    are_text = all(isinstance(name, str) for name in names)
    are_rankers = names and are_text and {*names} <= {*rankers}
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
    # Of each pair: the row of the result, as far as it is not tested yet; the standard
    # error of the difference, and its degrees of freedom.
    rows: list | None = None
    errors: np.ndarray | None = None
    df: np.ndarray | None = None
    # The variance of the difference, that of the mean of the baseline, and between them
    # their covariance.
    covariances: np.ndarray | None = None
    # The largest difference of the values; of a metric without limits that of those at
    # hand, and infinite if they are equal.
    ranges: np.ndarray | None = None
    most: np.ndarray | None = None  # the same, but infinite of a metric without limits
    # Whether the test of each pair allows for what the sample may not show.
    allows_for_unseen: np.ndarray | None = None


def blocks_of(segments, pairs, test):
    """Return the blocks of all segments, and their pairs; raise if there is none."""
    found = [
        block._replace(**_of_pairs(block, test))
        for segment in segments
        for block in _blocks_of_segment(segment, pairs)
    ]
    if not found:
        n_queries = sum(len(one.table.keys["qid"]) for one in segments)
        raise ValueError(
            "compare_rankers needs queries where a metric is defined for two rankers. "
            f"Got none, of {n_queries} queries."
        )
    return found


def _blocks_of_samples(segment, pairs):
    """Yield a :class:`_Block` for each metric, and pair of samples of other queries."""
    table = segment.table
    for metric, terms in _linear_terms(segment):
        for one, other in pairs:
            own = terms[one], terms[other]
            sums = [terms.bottom.sum() for terms in own]
            if not all(sums):
                raise ValueError(
                    f"The metric {table.requests[metric].key!r} is undefined for every "
                    f"query of {table.rankers[one]} or {table.rankers[other]}."
                )
            sign = table.requests[metric].sign
            tops = zip((terms.top for terms in own), sums, strict=True)
            values = [sign * top / total for top, total in tops]
            # The units of the smaller sample are those that may lack most.
            fewer = min((one.known for one in own), key=np.count_nonzero)
            block = _Block(
                *(segment, metric, table.requests[metric], (one, other), own),
                [(0, 1)],
                *(np.column_stack(values), own[0].known | own[1].known),
                fewer / np.count_nonzero(fewer),
            )
            found = _of_pairs(block, AUTO)
            error, df, spread = welch(*own, segment.clusters)
            (row,) = found["rows"]
            row.update(test="welch", estimate=own[0].estimate)
            row.update(estimate_baseline=own[1].estimate, n_undefined=0)
            row.update(dict.fromkeys(("wins", "ties", "losses"), np.nan))
            found |= {"errors": [error], "df": [df], "covariances": spread}
            yield block._replace(**found)


def _linear_terms(segment):
    """Yield the position of each metric of a segment, and the terms of the rankers."""
    for metric, terms in enumerate(zip(*terms_of(segment.table), strict=True)):
        request = segment.table.requests[metric]
        if any(one is None or not one.is_linear for one in terms):
            raise ValueError(
                f"compare_rankers needs means over queries, and {request.key!r} is not "
                "one: its difference is not the mean of the differences of the "
                "queries. Leave it out, for example with scores[['mrr']], or compare "
                "'mrr' or 'mean_rank'."
            )
        yield metric, terms


def _blocks_of_segment(segment, pairs):
    """Yield the :class:`_Block` of each metric of a segment.

    Where rankers are undefined, and left out, for different queries, each pair has one.
    """
    for metric, terms in _linear_terms(segment):
        request = segment.table.requests[metric]
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


def _of_pairs(block, test):
    """Return what a :class:`_Block` has of each pair, as a dict of its fields."""
    limits = np.array([limits_of(one) for one in block.terms])
    has_limits = np.array([np.isfinite(one.limits).all() for one in block.terms])
    one, other = np.array(block.pairs).T
    size = limits[[one, other], 1].max(axis=0) - limits[[one, other], 0].min(axis=0)
    size = np.where(size > 0, size, np.inf)
    most = np.where(has_limits[one] & has_limits[other], size, np.inf)
    clusters = block.segment.clusters
    tests, of_rankers, rows = _tests(block, test), _of_rankers(block), []
    errors, df = np.empty((2, len(block.pairs)))
    spread = np.empty((3, len(block.pairs)))
    step = max(NUMBERS_AT_A_TIME // len(block.known), 1)
    for part in (slice(i, i + step) for i in range(0, len(block.pairs), step)):
        top = difference(block.values[:, one[part]], block.values[:, other[part]])
        bottom = np.broadcast_to(block.bottom[:, None], top.shape)
        errors[part], df[part] = standard_error(top, bottom, clusters)
        baseline = block.values[:, other[part]]
        spread[:, part] = covariances(top, baseline, block.bottom, clusters)
        rows += _rows(block, one[part], other[part], top, of_rankers, tests[part])
    found = {"rows": rows, "errors": np.nan_to_num(errors), "df": df}
    found["covariances"] = spread
    found["allows_for_unseen"] = np.full(len(block.pairs), test == AUTO)
    return found | {"ranges": size, "most": most}


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


def _tests(block, test):
    """Return the name of the test of each pair of a block."""
    if test not in (AUTO, "score"):
        return [test] * len(block.pairs)
    clusters = block.segment.clusters
    is_plain = clusters is None and np.ptp(block.bottom[block.known]) == 0
    _, units = sum_clusters(block.bottom, block.bottom, clusters)
    is_uneven = effective_units(units) < MOST_UNEVEN * np.count_nonzero(units)
    hits = [is_plain and one.is_binary for one in block.terms]
    found = [
        "score" if hits[one] and hits[other] else "t" if is_uneven else "permutation"
        for one, other in block.pairs
    ]
    if test == "score" and {*found} != {"score"}:
        name = block.request.key
        error = ValueError(
            "The 'test' parameter of compare_rankers must not be 'score' unless all "
            "values are 0 or 1, of queries without weights, clusters and a judge. Got "
            f"it for {name!r}. Pass test='auto' to use it where it fits."
        )
        raise about(error, "test")
    return found


def limits_of(terms):
    """Return the limits of values, and their own ends where there are none."""
    low, high = terms.limits
    if np.isfinite(high - low):
        return low, high
    values = terms.request.sign * terms.values
    return values.min(), values.max()


def family_of(blocks, n_queries, clusters):
    """Return the :class:`Family` of the pairs of some blocks.

    Its p-values do not depend on the order of metrics, rankers and queries, nor on the
    signs of metrics: columns are in the order of names, units in one of their values.
    """
    columns, of_ranker = _centred(blocks, n_queries)
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
    of_pairs = {
        name: np.concatenate([getattr(block, name) for block in blocks])
        for name in ("errors", "df", "ranges", "allows_for_unseen")
    }
    return Family(
        columns=np.asfortranarray(columns[order]),
        plus=plus,
        minus=minus,
        bottoms=bottoms,
        bottom=place[bottom],
        **of_pairs,
        signs=signs[order],
    )


def _centred(blocks, n_queries):
    """Return the columns of a family, and which one each ranker of a block has."""
    # A column for each ranker of a block: its values less those of the first ranker,
    # whose column is 0. The pair (b, c) of block 1 is the column 1 less the column 2.
    #
    #              0 | block 1: b - a   c - a | block 2: b - a   c - a
    #    unit 1    0 |            0.2     0.1 |            1       0
    #    unit 2    0 |            0.0    -0.1 |            1       1
    columns, of_ranker = [np.zeros((n_queries, 1))], {}
    names = [
        [block.segment.table.rankers[i] for i in block.rankers] for block in blocks
    ]
    by_name = [
        (block.request.key, sorted(names[place]), place)
        for place, block in enumerate(blocks)
    ]
    for *_, place in sorted(by_name):
        block = blocks[place]
        first, *others = np.argsort(names[place], kind="stable")
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

    By the sizes of one column after the other, then by their weights and their signs.
    """
    rounded = np.round(columns / (np.abs(columns).max(axis=0) + TINY), DIGITS)
    leading = rounded[np.arange(len(rounded)), (rounded != 0).argmax(axis=1)]
    signs = np.where(leading < 0, -1.0, 1.0)
    keys = np.hstack([rounded * signs[:, None], bottoms, signs[:, None]])
    return np.lexsort(keys.T[::-1]), signs


def warn_of_few_units(n_units, smallest, level, has_clusters):
    """Warn if the smallest possible p-value of some tests exceeds the level."""
    if not is_at_most(smallest, level).all():
        names = ("cluster",) if has_clusters else ("query", "queries")
        warn_caller(
            f"No sign-flip test of {counted(int(n_units.min()), *names)} can reject at "
            f"{100 * level:.4g} %: its smallest p-value is {smallest.max():.3g}.",
            UserWarning,
        )


def warn_of_comparison(comparison, outcome, few=("p-value", "interval")):
    """Warn of tests that cannot reject, and of what few queries decide.

    `few` says which results: p-values that may be too small, and intervals that may be
    too narrow.
    """
    level = 1 - comparison.confidence_level
    cannot = ~is_at_most(outcome.smallest, level)
    has_clusters = comparison.clusters is not None
    warn_of_few_units(outcome.n_units, outcome.smallest, level, has_clusters)
    is_significant = is_at_most(outcome.adjusted, level)
    claims = {
        "p-value": ("too small", is_significant),
        "interval": ("too narrow", ~(is_significant | outcome.allows_for_unseen)),
    }
    for result in few:
        words, where = claims[result]
        named = {}
        for j in np.flatnonzero(where & ~cannot):
            row = comparison.rows[j]
            name = f"{row.metric!r} of {row.ranker!r} and {row.baseline!r}"
            for key in comparison.segment_names:
                name += f", {key}={shown(row[key])}"
            named[name] = float(outcome.n_effective[j])
        differences = "differences, (sum d^2)^2 / sum d^4,"
        warn_of_few(f"The {result} may be {words}", named, differences)
