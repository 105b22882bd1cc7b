"""The order by score and the order by grade as wholes: AUC, Kendall, Spearman, RBO."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import statistics

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import somersd, spearmanr
from sklearn.exceptions import UndefinedMetricWarning

from skrank.metrics import rank_correlation_score, rbo_score, spearman_score
from tests.brute_force import REFERENCE, all_orders, call, input_order, masked


def test_spearman_of_tied_scores_is_the_mean_over_their_orders_not_that_of_scipy():
    y_true, y_score = [2, 0, 1, 1], [1, 1, 1, 0]
    orders = [
        stats.spearmanr(y_true, [*order, 0]).statistic
        for order in itertools.permutations([1, 2, 3])
    ]
    got = spearman_score(y_true, y_score)
    assert got == pytest.approx(sum(orders) / len(orders), abs=1e-15)
    # Rank sums of squares: 5 for strict scores, 3 for tied ones.
    y_true = [3, 1, 2, 0]
    shared = stats.spearmanr(y_true, y_score).statistic
    assert spearman_score(y_true, y_score) == pytest.approx(shared * math.sqrt(3 / 5))


def expected_overlap(y_true, y_score, p):
    """Add up the chances of each document at each depth."""

    def chances(keys, depth):
        for key in keys:
            above, size = sum(k > key for k in keys), sum(k == key for k in keys)
            yield min(max((depth - above) / size, 0), 1)

    n = len(y_true)
    value = p**n
    for depth in range(1, n + 1):
        both = zip(chances(y_score, depth), chances(y_true, depth), strict=True)
        value += (1 - p) * p ** (depth - 1) * sum(a * b for a, b in both) / depth
    return value


@pytest.mark.slow
@pytest.mark.parametrize("p", [1e-6, 0.5, 0.9, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("n_levels", [2, 6, 1000])
def test_rbo_is_the_sum_over_all_depths(n_levels, p):
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 5, 30) * rng.integers(0, 2, 30)
    y_score = rng.integers(0, n_levels, 30)
    expected = expected_overlap(y_true.tolist(), y_score.tolist(), p)
    assert rbo_score(y_true, y_score, p=p) == pytest.approx(expected, rel=1e-12)


def test_rbo_of_equal_orders_without_ties_is_one_however_long():
    for n in (2, 100, 20_000):
        order = np.random.default_rng(0).permutation(n)
        for p in (0.01, 0.9, 0.9999):
            assert rbo_score([order], [order], p=p) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("p", [0, 1, -0.5, np.nan])
def test_the_persistence_is_a_chance_that_is_never_sure(p):
    with pytest.raises(ValueError, match="'p' parameter of rbo_score must be a float"):
        rbo_score([0, 1], [1, 2], p=p)


def draw_partly_returned(seed=0, n_queries=200, longest=5):
    """Return queries with few grades and scores, some rows not judged or returned."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, longest + 1, n_queries))
    n = len(qid)
    qid = rng.permutation(qid)
    masks = rng.random((2, n)) < [[0.8], [0.6]]
    return rng.integers(-1, 3, n), rng.integers(0, 3, n) + 0.5, qid, *masks


def levels_of(y_true, judged, threshold):
    """Return 0 for the lowest grade, which counts for all that are not relevant."""
    if threshold is None:
        return np.where(judged, y_true, -1) + 1
    return np.where(judged & (y_true > threshold), y_true + 2, 0)


def mean_over_orders(metric, levels, scores, returned, ties):
    """Return the mean over the orders of tied scores and of what was not returned."""
    here, gone = levels[returned].tolist(), levels[~returned].tolist()
    orders = list(all_orders(here, scores[returned].tolist()))
    if ties == "first":
        orders = [input_order(here, scores[returned].tolist())]
    values = [
        metric([level or None for level in [*order, *rest]])
        for order, rest in itertools.product(orders, itertools.permutations(gone))
    ]
    return math.nan if values[0] is None else statistics.fmean(values)


@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0])
@pytest.mark.parametrize(
    "name", ["query_auc", "ranking_loss", "rank_correlation", "spearman"]
)
def test_what_was_not_returned_is_in_every_order_below_all_others(
    name, threshold, ties
):
    if threshold is None and name in ("query_auc", "ranking_loss"):
        threshold = -0.5
    y_true, y_score, qid, judged, returned = draw_partly_returned()
    got = call(
        name, y_true, y_score, qid=qid, judged=judged, returned=returned,
        threshold=threshold, ties=ties, average=None,
    )  # fmt: skip
    levels = levels_of(y_true, judged, threshold)
    expected = [
        mean_over_orders(
            REFERENCE[name], levels[rows], y_score[rows], returned[rows], ties
        )
        # A row that is neither judged nor returned does not count as a document.
        for rows in ((qid == query) & (judged | returned) for query in range(200))
    ]
    assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    assert np.isfinite(got).sum() > 50


@pytest.mark.slow
def test_midranks_are_those_of_scipy_in_every_order_of_what_was_not_returned():
    y_true, y_score, qid, _, returned = draw_partly_returned(1)
    got = masked(
        spearman_score,
        y_true,
        y_score,
        qid=qid,
        returned=returned,
        ties="midrank",
        average=None,
    )
    assert len(got) == 200
    for query, value in enumerate(got):
        rows = qid == query
        grades, scores, gone = y_true[rows], y_score[rows], ~returned[rows]
        values = []
        for order in itertools.permutations(range(gone.sum())):
            scores[gone] = order
            scores[gone] -= len(scores)
            if len({*grades}) < 2 or len({*scores}) < 2:
                values.append(math.nan)
            else:
                values.append(stats.spearmanr(grades, scores).statistic)
        expected = statistics.fmean(values)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def extrapolated_overlap(one, other, p):
    """Return RBO as Webber, Moffat and Zobel (2010) write it in equation 32."""
    short, long = sorted([one, other], key=len)
    s, n = len(short), len(long)
    if not s:
        return 0.0

    def shared(depth):
        return len({*short[:depth]} & {*long[:depth]})

    value = sum(shared(d) / d * p**d for d in range(1, n + 1))
    value += sum(shared(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    last = (shared(n) - shared(s)) / n + shared(s) / s
    return (1 - p) / p * value + last * p**n


@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0])
@pytest.mark.parametrize("p", [0.3, 0.9])
def test_rbo_is_that_of_what_was_returned_and_what_was_judged(p, threshold, ties):
    y_true, y_score, qid, judged, returned = draw_partly_returned()
    got = rbo_score(
        y_true, y_score, qid=qid, judged=judged, returned=returned, p=p,
        threshold=threshold, ties=ties, average=None,
    )  # fmt: skip
    levels = levels_of(y_true, judged, threshold)
    assert len(got) == 200
    for query, value in enumerate(got):
        # A row that is neither judged nor returned does not count as a document.
        rows = np.flatnonzero((qid == query) & (judged | returned))
        if len({*levels[rows]}) < 2:
            assert np.isnan(value)
            continue
        run, listed = rows[returned[rows]].tolist(), rows[judged[rows]].tolist()
        by_score = list(all_orders(run, y_score[run].tolist()))
        if ties == "first":
            by_score = [input_order(run, y_score[run].tolist())]
        by_grade = list(all_orders(listed, levels[listed].tolist()))
        pairs = itertools.product(by_score, by_grade)
        expected = statistics.fmean(extrapolated_overlap(*pair, p) for pair in pairs)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("p", [1e-6, 0.5, 0.999, 1 - 1e-9])
def test_rbo_of_long_lists_of_different_lengths(p):
    rng = np.random.default_rng(3)
    y_true, y_score, rows = rng.permutation(400), rng.permutation(400), np.arange(400)
    for judged, returned in itertools.product([rows < 300, rows > 390], [rows > 200]):
        run = rows[returned][np.argsort(-y_score[returned])]
        ideal = rows[judged][np.argsort(-y_true[judged])]
        expected = extrapolated_overlap(run.tolist(), ideal.tolist(), p)
        options = {"judged": judged, "returned": returned, "qid": 0 * rows}
        value = rbo_score(y_true, y_score, p=p, **options)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_condensed_lists_have_lost_what_is_not_judged_and_was_not_returned_as_well():
    y_true, y_score, qid, judged, returned = draw_partly_returned(2)
    whole = np.isin(qid, qid[judged])
    columns = [y_true, y_score, qid, judged, returned]
    y_true, y_score, qid, judged, returned = (column[whole] for column in columns)
    for name in ("query_auc", "rank_correlation", "spearman", "rbo"):
        got = call(
            name, y_true, y_score, qid=qid, judged=judged, returned=returned,
            unjudged="condensed", average=None,
        )  # fmt: skip
        expected = call(
            name, y_true[judged], y_score[judged], qid=qid[judged],
            returned=returned[judged], average=None,
        )  # fmt: skip
        assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def ratings(seed, n=40):
    rng = np.random.default_rng(seed)
    y_true = rng.normal(size=n).round(1)
    return y_true, (y_true + rng.normal(size=n)).round(1)


@pytest.mark.parametrize("seed", range(5))
def test_spearman_with_midranks_is_that_of_scipy(seed):
    y_true, y_score = ratings(seed)
    expected = spearmanr(y_true, y_score)[0]
    assert_allclose(spearman_score(y_true, y_score, ties="midrank"), expected)
    # Grades up to a threshold count as one.
    expected = spearmanr(np.maximum(y_true, 0.5), y_score)[0]
    got = spearman_score(y_true, y_score, ties="midrank", threshold=0.5)
    assert_allclose(got, expected)


def test_spearman_with_midranks_of_equal_scores_is_undefined():
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(spearman_score([2, 1, 0], [1, 1, 1], ties="midrank"))


def test_midranks_need_the_scores_of_all_documents():
    with pytest.raises(ValueError, match="'ties' parameter of rbo_score"):
        rbo_score([1, 0], [2, 1], ties="midrank")
    with pytest.raises(ValueError, match="reads the tied scores of all documents"):
        spearman_score([1, 0], [[2, 1], [2, 1]], ties="midrank")


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_reads_negative_ratings(seed):
    y_true, y_score = ratings(seed)
    by_grade = somersd(y_true, y_score).statistic  # Somers' D of y given x
    assert_allclose(2 * rank_correlation_score(y_true, y_score) - 1, by_grade)

    def weights(high, low):
        assert (high > low).all()
        return high - low

    pairs = [
        (abs(a - b), 1 + np.sign(a - b) * np.sign(x - y))
        for (a, x), (b, y) in itertools.combinations(
            zip(y_true, y_score, strict=True), 2
        )
    ]
    expected = sum(w * right / 2 for w, right in pairs) / sum(w for w, _ in pairs)
    got = rank_correlation_score(y_true, y_score, weights=weights)
    assert_allclose(got, expected)
