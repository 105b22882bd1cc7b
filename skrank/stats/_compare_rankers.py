"""Paired comparison of rankers, query by query."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import itertools
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch, check_scalar

from skrank._checks import check_choice, check_number, shown, warn_caller
from skrank._inference.intervals import standard_error
from skrank._inference.power import noncentrality
from skrank._inference.units import ROUNDING, by_value, difference, grouped, seed_of
from skrank.metrics import QueryScores
from skrank.metrics._intervals import read_groups, terms_of
from skrank.metrics._value_table import check_alike, join_rankers
from skrank.stats._confidence_interval import check_level
from skrank.stats._family import (
    ALTERNATIVES,
    CORRECTIONS,
    TESTS,
    Family,
    is_two_sided,
    test_family,
)
from skrank.stats._ranker_comparison import RankerComparison

# The power at which a difference counts as detectable.
POWER = 0.8
# A sum of fewer equal differences is far from normal.
FEWEST_EFFECTIVE = 10


def compare_rankers(
    scores,
    *,
    baseline=None,
    test="permutation",
    correction="max-t",
    alternative="two-sided",
    margin=0.0,
    groups=None,
    confidence_level=0.95,
    n_resamples=9999,
    random_state=0,
):
    r"""Compare rankers by their differences on the same queries.

    All pairs of rankers, or all rankers with a baseline, by all metrics, as one family
    of tests. A query where a metric is undefined for one of the two rankers is left out
    of that comparison and counted.

    Parameters
    ----------
    scores : QueryScores or dict of str to QueryScores
        The values of two or more rankers. A dict holds one ranker each, scored on the
        same queries by the same metrics and parameters.
    baseline : str, default=None
        The ranker that all others are compared with. If None, all pairs are compared.
    test : {"permutation", "t", "wilcoxon", "sign"}, default="permutation"
        What is tested:

        - "permutation": whether the means are equal, by flipping the signs of the
          differences (Fisher's randomization test);
        - "t": whether the means are equal, by Student's paired t test;
        - "wilcoxon": whether the differences are symmetric around 0, by flipping the
          signs of their ranks. It rejects equal means if many small gains stand
          against few large losses;
        - "sign": whether a gain is as likely as a loss of any size.
    correction : {"max-t", "holm", "bh"} or None, default="max-t"
        How p-values are adjusted for the number of comparisons: by the step-down
        maximum over the flips of all comparisons, which uses their correlation [1]_; by
        Holm's method; by that of Benjamini and Hochberg, which controls the expected
        fraction of false findings only; or not at all.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The sign of the difference, ranker minus baseline, that the test looks for. The
        interval is one-sided as well.
    margin : float, default=0.0
        A difference that does not matter, in units of the metric. With "greater" the
        test asks whether the ranker is not worse by the margin, with "less" whether it
        is not better by it, and with "two-sided" whether both hold (equivalence, by two
        one-sided tests; the interval then has the level 1 - 2 alpha).
    groups : str, array-like of shape (n_queries,) or list of two of them, default=None
        What was drawn independently, if not the queries, as in
        :func:`confidence_interval`. Two groupings need ``test="t"`` and another
        correction than "max-t".
    confidence_level : float, default=0.95
        The level of the intervals; 1 minus it is the level of the tests.
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
        scored on other queries or with other parameters, or a metric is no mean over
        queries, such as a median.

    Warns
    -----
    UserWarning
        If no sign-flip test of so few units can reject, as with fewer than 6 at 5 %, or
        if few differences decide: the effective number of them,
        (sum d^2)^2 / sum d^4, which is n if all have one size and n / 3 if they are
        normal, is below 10.

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
    if no difference has the other sign; else from `n_resamples` seeded flips, where p
    is at least 2 / (`n_resamples` + 1). The interval holds the differences that the
    test does not reject: the quantiles of the means of random subsets of the
    :math:`d_i` [2]_. It excludes 0 exactly if p is at most the level.

    `detectable` is the difference that a two-sided t test of as many units would find
    with a probability of 80 %, without a correction. `effect_size` is the mean of the
    differences divided by their standard deviation.

    The comparison is about the queries of this collection, and these rankers as they
    were trained.

    References
    ----------
    .. [1] P. Westfall, S. Young,
       "Resampling-Based Multiple Testing" (1993).
    .. [2] J. A. Hartigan,
       "Using Subsample Values as Typical Values", JASA 64 (1969).

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
    0.059 [0.018, 0.100]
    >>> row.wins, row.ties, row.losses
    (39, 0, 21)
    """
    check_choice(test, TESTS, "test", "compare_rankers")
    check_choice(correction, CORRECTIONS, "correction", "compare_rankers")
    check_choice(alternative, ALTERNATIVES, "alternative", "compare_rankers")
    margin = check_number(margin, "margin", "compare_rankers", low=0.0)
    check_level(confidence_level, "confidence_level", "compare_rankers")
    check_scalar(n_resamples, "n_resamples", Integral, min_val=1)
    scores = _as_one(scores)
    pairs = _pairs(scores.rankers, baseline)
    groupings = read_groups(groups, scores.keys)
    if len(groupings) > 1 and (test != "t" or correction == "max-t"):
        raise ValueError(
            "The 'groups' parameter of compare_rankers must be one grouping, unless "
            "test='t' and correction is 'holm', 'bh' or None. Got two."
        )
    rows, differences = [], []
    for j in range(len(scores.metrics)):
        for pair in pairs:
            row, top, bottom = _difference(scores, j, *pair)
            if not bottom.any():
                continue
            rows.append(row)
            differences.append((top, bottom))
    if not rows:
        raise ValueError(
            "compare_rankers needs queries where a metric is defined for two rankers. "
            f"Got none, of {len(scores.keys['qid'])} queries."
        )
    family = _family(differences, groupings)
    level = 1 - confidence_level
    outcome = test_family(
        family,
        test=test,
        correction=correction,
        alternative=alternative,
        margin=margin,
        level=level,
        n_resamples=n_resamples,
        seed=seed_of(random_state),
    )
    n_units = (family.bottom != 0).sum(axis=0)
    two_sided = is_two_sided(alternative, margin)
    for j, row in enumerate(rows):
        error, df = family.errors[j], family.df[j]
        deviation = error * np.sqrt(n_units[j]) if df > 0 else np.nan
        least = noncentrality(df, level if two_sided else 2 * level, POWER)
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = np.where(
                row.difference == 0, 0.0, np.divide(row.difference, deviation)
            )
        row.update(
            low=float(outcome.low[j]),
            high=float(outcome.high[j]),
            pvalue=float(outcome.pvalue[j]),
            p_adjusted=float(outcome.adjusted[j]),
            effect_size=float(effect),
            detectable=float(least * error) if df > 0 else np.inf,
        )
    # All signs are equal in one flip of 2^n, or in two of them on both sides.
    smallest = np.zeros(len(rows)) if test == "t" else 2.0 ** (two_sided - n_units)
    _warn_of_few(rows, family, n_units, smallest, level)
    return RankerComparison(
        scores=scores,
        rows=tuple(rows),
        baseline=baseline,
        test=test,
        correction=correction,
        alternative=alternative,
        margin=margin,
        groups=groups,
        confidence_level=confidence_level,
        n_units=int(n_units.max()),
    )


def _as_one(scores):
    """Return scores of several rankers, also from a dict with one ranker each."""
    if isinstance(scores, Mapping):
        tables = []
        for name, part in scores.items():
            if not isinstance(name, str):
                raise TypeError(
                    "The keys of 'scores' must be the names of rankers, of type str. "
                    f"Got {shown(name)} instead."
                )
            if not isinstance(part, QueryScores) or len(part.rankers) != 1:
                raise TypeError(
                    "The 'scores' parameter of compare_rankers must be a QueryScores, "
                    "or a dict of QueryScores of one ranker each. Got "
                    f"{type(part).__name__} for {shown(name)} instead."
                )
            tables.append(part.table._replace(rankers=(None,)))
            check_alike(tables[0], tables[-1])
        if len(tables) > 1:
            scores = replace(part, table=join_rankers(tables, list(scores)))
    if not isinstance(scores, QueryScores) or len(scores.rankers) < 2:
        got = type(scores).__name__
        if isinstance(scores, QueryScores):
            got = "one ranker"
        elif isinstance(scores, Mapping):
            got = f"a dict of {len(scores)}"
        raise ValueError(
            "The 'scores' parameter of compare_rankers must hold at least two rankers. "
            f"Got {got}. Pass a dict of the scores of each ranker to score_queries."
        )
    return scores


def _pairs(rankers, baseline):
    """Return the pairs to compare, as positions (ranker, baseline)."""
    if baseline is None:
        return [(j, i) for i, j in itertools.combinations(range(len(rankers)), 2)]
    if baseline not in rankers:
        raise ValueError(
            "The 'baseline' parameter of compare_rankers must be a ranker, among "
            f"{list(rankers)}. Got {shown(baseline)} instead."
        )
    place = rankers.index(baseline)
    return [(i, place) for i in range(len(rankers)) if i != place]


def _difference(scores, metric, ranker, baseline):
    """Return the row of one comparison and the terms of the difference."""
    name, request = scores.metrics[metric], scores.table.requests[metric]
    one = terms_of(scores.table, ranker, metric)
    other = terms_of(scores.table, baseline, metric)
    if one is None or other is None or not one.is_linear:
        raise ValueError(
            f"compare_rankers needs means over queries, and {name!r} is none: its "
            "difference is not the mean of the differences of the queries. Leave it "
            "out, for example with scores[['mrr']], or compare 'mrr' or 'mean_rank'."
        )
    known = one.known & other.known
    bottom = np.where(known, one.bottom, 0)
    if not np.allclose(bottom, np.where(known, other.bottom, 0), rtol=1e-9, atol=0):
        raise ValueError(
            f"compare_rankers cannot compare {name!r}: its queries count differently "
            f"for {shown(scores.rankers[ranker])} and "
            f"{shown(scores.rankers[baseline])}, which returned other documents. Use "
            "average='macro' and a metric that is not adjusted."
        )
    values, others = (request.sign * np.where(known, t.top, 0) for t in (one, other))
    top = difference(values, others)
    gain = request.direction * top
    whole = bottom.sum() or np.nan
    row = Bunch(
        metric=name,
        ranker=scores.rankers[ranker],
        baseline=scores.rankers[baseline],
        estimate=float(values.sum() / whole),
        estimate_baseline=float(others.sum() / whole),
        difference=float(top.sum() / whole),
        **dict.fromkeys(("low", "high", "pvalue", "p_adjusted", "effect_size")),
        wins=int((gain[known] > 0).sum()),
        ties=int((gain[known] == 0).sum()),
        losses=int((gain[known] < 0).sum()),
        n_queries=int(known.sum()),
        n_undefined=int((~known).sum()),
        detectable=None,
    )
    if not bottom.any():
        warn_caller(
            f"The metric {name!r} is undefined for every query of "
            f"{shown(row.ranker)} or {shown(row.baseline)}. They are not compared.",
            UndefinedMetricWarning,
        )
    return row, top, bottom


def _family(differences, groupings):
    """Return the :class:`Family` of some (top, bottom)."""
    errors = [
        standard_error(
            top[bottom > 0], bottom[bottom > 0], [g[bottom > 0] for g in groupings]
        )
        for top, bottom in differences
    ]
    if len(groupings) == 1:
        differences = [grouped(*terms, groupings[0]) for terms in differences]
    top, bottom = (np.column_stack(terms) for terms in zip(*differences, strict=True))
    order = by_value(top, bottom)
    errors, df = np.array(errors, dtype=np.float64).T
    return Family(top[order], bottom[order], np.nan_to_num(errors), df)


def _warn_of_few(rows, family, n_units, smallest, level):
    """Warn of comparisons that cannot reject, and of those that few units decide."""
    cannot = smallest > level
    if cannot.any():
        warn_caller(
            f"No sign-flip test of {n_units.min()} units can reject at "
            f"{100 * level:.4g} %: its smallest p-value is {smallest.max():.3g}.",
            UserWarning,
        )
    squares = (family.top**2).sum(axis=0)
    fourths = (family.top**4).sum(axis=0)
    n_effective = np.full(len(rows), np.inf)
    np.divide(squares**2, fourths, out=n_effective, where=(fourths > 0) & ~cannot)
    few = np.flatnonzero(n_effective < FEWEST_EFFECTIVE - ROUNDING)
    if len(few):
        worst = rows[few[np.argmin(n_effective[few])]]
        warn_caller(
            "Few differences decide: the effective number of differences, "
            f"(sum d^2)^2 / sum d^4, is below {FEWEST_EFFECTIVE} in {len(few)} of "
            f"{len(rows)} comparisons, and {n_effective[few].min():.1f} for "
            f"{worst.metric!r} of {worst.ranker!r} and {worst.baseline!r}. Their "
            "p-values can be too small.",
            UserWarning,
        )
