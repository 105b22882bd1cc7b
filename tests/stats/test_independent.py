"""Samples of other queries, which are not paired."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import t, ttest_ind

from skrank.metrics import QueryScores, score_queries
from skrank.stats import compare_rankers

RNG = np.random.default_rng(0)
LAST, THIS = RNG.beta(2, 2, 80), RNG.beta(3, 2, 50)


def compared(one, other, **options):
    """Return the row of a comparison of two samples."""
    found = compare_rankers({"last": one, "this": other}, paired=False, **options)
    return found.rows[0]


def scored(values, qid=None, **columns):
    qid = np.arange(len(values)) if qid is None else qid
    weight = "sample_weight" if "sample_weight" in columns else None
    by = [name for name in columns if name != "sample_weight"]
    frame = {"qid": qid, "ndcg": values, **columns}
    return QueryScores.from_frame(frame, by=by, sample_weight=weight)


def test_a_difference_of_two_samples_has_the_test_of_welch():
    row = compared(LAST, THIS)
    expected = ttest_ind(THIS, LAST, equal_var=False)
    assert row.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    ends = expected.confidence_interval()
    assert (row.low, row.high) == pytest.approx(tuple(ends), rel=1e-9)
    assert row.difference == pytest.approx(THIS.mean() - LAST.mean())
    assert np.isnan([row.wins, row.ties, row.losses, row.effect_size]).all()


def test_the_comparison_is_printed_without_wins_and_says_what_was_found():
    found = compare_rankers({"last": LAST, "this": THIS}, paired=False)
    text = " ".join(str(found).split())
    assert text.startswith("130 queries, 1 comparison (1 pair x 1 metric): Welch's t")
    assert "this is better than last in value (+0." in text
    assert "w/t/l" not in text
    same = str(compare_rankers({"last": LAST, "this": LAST + 1e-3}, paired=False))
    assert same.split("\n\n")[-1].startswith("No ")


def test_equal_ids_are_different_queries_and_repeated_ones_a_cluster():
    ids = np.arange(50)
    row = compared(scored(LAST[:50], ids), scored(THIS, ids))
    assert row.pvalue == compared(LAST[:50], THIS).pvalue
    # The means of the two seeds of each query.
    twice = scored(THIS, ids // 2, seed=ids % 2)
    row = compared(scored(LAST, seed=np.zeros(80)), twice)
    means = THIS.reshape(25, 2).mean(axis=1)
    assert row.pvalue == pytest.approx(ttest_ind(means, LAST, equal_var=False).pvalue)


def test_a_user_in_both_samples_adds_the_covariance():
    users = np.arange(50)
    rng = np.random.default_rng(0)
    shared = rng.normal(0.5, 0.1, 50)
    one, other = shared + rng.normal(0, 0.01, 50), shared + 0.01
    options = {"clusters": "user"}
    row = compared(scored(one, user=users), scored(other, user=users), **options)
    # All users are in both: the error is that of the differences.
    error = (other - one).std(ddof=1) / 50**0.5
    apart = compared(one, other)
    assert row.high - row.low < 0.2 * (apart.high - apart.low)
    spread = one.var(ddof=1), other.var(ddof=1)
    df = 49 * sum(spread) ** 2 / (spread[0] ** 2 + spread[1] ** 2)
    assert row.high - row.difference == pytest.approx(t.ppf(0.975, df) * error)


def test_undefined_queries_count_as_in_the_summary():
    y_true, y_score, qid = [1, 0, 0, 0, 0, 1], [2, 1, 2, 1, 2, 1], [1, 1, 2, 2, 3, 3]
    for instead, means in ((0.0, (0.5, 0.75)), (np.nan, (0.75, 0.75))):
        options = {"replace_undefined_by": instead}
        one = score_queries(y_true, y_score, "mrr", qid=qid, **options)
        two = score_queries(
            [1, 0, 0, 1], [2, 1] * 2, "mrr", qid=[4, 4, 5, 5], **options
        )
        row = compared(one, two)
        assert (row.estimate_baseline, row.estimate) == pytest.approx(means)


def test_weights_have_the_effective_number_of_queries():
    weight = np.where(np.arange(50) < 10, 3.0, 1.0)
    row = compared(
        scored(LAST, sample_weight=np.ones(80)), scored(THIS, sample_weight=weight)
    )
    mean = np.average(THIS, weights=weight)
    spread = (weight**2 * (THIS - mean) ** 2).sum() / weight.sum() ** 2 * 50 / 49
    whole = LAST.var(ddof=1) / 80 + spread
    n = weight.sum() ** 2 / (weight**2).sum()
    df = whole**2 / ((LAST.var(ddof=1) / 80) ** 2 / 79 + spread**2 / (n - 1))
    assert row.difference == pytest.approx(mean - LAST.mean())
    radius = t.ppf(0.975, df) * whole**0.5
    assert row.high - row.difference == pytest.approx(radius)


def test_several_comparisons_have_the_correction_of_bonferroni():
    samples = {"a": LAST, "b": THIS, "c": np.random.default_rng(0).beta(2, 3, 60)}
    found = compare_rankers(samples, paired=False)
    alone = compare_rankers(samples, paired=False, correction=None).rows
    strict = compare_rankers(
        samples, paired=False, correction=None, confidence_level=1 - 0.05 / 3
    ).rows
    for row, one, other in zip(found.rows, alone, strict, strict=True):
        assert row.p_adjusted == min(3 * one.pvalue, 1)
        assert (row.low, row.high) == pytest.approx((other.low, other.high))


def test_constant_samples_allow_for_what_the_smaller_one_lacks():
    row = compared(np.ones(40), np.ones(20))
    assert row.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert row.pvalue == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "permutation"}, "'test' parameter of compare_rankers must be its"),
        ({"by": "user"}, "'by' parameter of compare_rankers must be its default"),
        ({"clusters": np.zeros(130)}, "default with paired=False"),
    ],
)
def test_what_does_not_go_with_two_samples_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compared(LAST, THIS, **options)


def test_unequal_queries_name_the_comparison_of_two_samples():
    with pytest.raises(ValueError, match=r"by compare_rankers\(..., paired=False\)"):
        compare_rankers({"last": LAST, "this": THIS})
    with pytest.raises(TypeError, match="must be a dict with paired=False"):
        compare_rankers(np.ones((2, 9)), paired=False)
