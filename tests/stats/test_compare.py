"""Paired comparisons: p-values, intervals, corrections and what they refuse."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.stats import (
    binomtest,
    nct,
    norm,
    permutation_test,
    t,
    ttest_1samp,
    ttest_rel,
)
from sklearn.exceptions import UndefinedMetricWarning

from skrank.metrics import QueryScores, mean_rank, score_queries
from skrank.stats import compare_rankers, gate
from tests.stats.pilot import comparison_of, drawn_scores, scores_of

COLUMNS = ["metric", "ranker", "baseline", "estimate", "estimate_baseline"]
COLUMNS += ["difference", "low", "high", "pvalue", "p_adjusted", "effect_size"]
COLUMNS += ["wins", "ties", "losses", "n_queries", "n_undefined", "detectable", "test"]
COLUMNS += ["relative_difference", "relative_low", "relative_high"]

# Many samples here are small, as the warning says.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The (p-value may be too small|interval may be too narrow):UserWarning"
)


def of_differences(differences, **options):
    """Return the row of a comparison with these differences."""
    differences = np.asarray(differences, dtype=float)
    scores = scores_of(old=np.zeros(len(differences)), new=differences)
    (row,) = comparison_of(scores, **options).rows
    return row


def enumerated(differences):
    """Return the two-sided p-value by a loop over all signs."""
    d = np.asarray(differences)
    least = abs(d.sum()) - 1e-12 * np.abs(d).sum()
    sums = [np.dot(s, d) for s in itertools.product([1, -1], repeat=len(d))]
    return np.mean(np.abs(sums) >= least)


def test_the_frame_has_a_row_for_each_metric_and_pair():
    frame = compare_rankers(drawn_scores(["mrr", "ndcg@5"])).to_frame()
    assert list(frame.columns) == COLUMNS
    pairs = list(zip(frame["metric"], frame["ranker"], frame["baseline"], strict=True))
    expected = itertools.product(["mrr", "ndcg@5"], ["ba", "ca", "cb"])
    assert pairs == [(metric, *pair) for metric, pair in expected]


def test_a_baseline_is_compared_with_all_others():
    rows = compare_rankers(drawn_scores("mrr"), baseline="b").rows
    assert [(row.ranker, row.baseline) for row in rows] == [("a", "b"), ("c", "b")]


def test_the_row_describes_the_differences():
    row = of_differences([0.5, -0.25, 0, 0.5, 0.75, 0.5])
    assert (row.estimate, row.estimate_baseline) == (2 / 6, 0)
    assert row.difference == 2 / 6
    assert (row.wins, row.ties, row.losses) == (4, 1, 1)
    assert (row.n_queries, row.n_undefined) == (6, 0)
    deviations = np.array([0.5, -0.25, 0, 0.5, 0.75, 0.5]) - 1 / 3
    assert row.effect_size == pytest.approx(1 / 3 / np.sqrt((deviations**2).sum() / 5))


@pytest.mark.parametrize("n", [6, 9, 13])
@pytest.mark.parametrize("decimals", [1, 8])
def test_the_p_value_is_that_of_all_signs(n, decimals):
    differences = np.random.RandomState(n).randn(n).round(decimals)
    row = of_differences(differences, test="permutation")
    assert row.pvalue == pytest.approx(enumerated(differences), abs=1e-12)


def test_the_t_test_is_that_of_scipy():
    rng = np.random.RandomState(0)
    one, other = rng.rand(40), rng.rand(40)
    (row,) = compare_rankers(scores_of(a=one, b=other), test="t").rows
    theirs = ttest_rel(other, one)
    assert row.pvalue == pytest.approx(theirs.pvalue)
    low, high = theirs.confidence_interval()
    assert (row.low, row.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.slow
def test_the_p_value_and_the_interval_agree():
    rng = np.random.RandomState(0)
    for n in np.tile([20, 25, 31, 60], 25):
        kind = rng.randint(3)
        if kind == 0:
            differences = rng.randn(n) + 0.3
        elif kind == 1:
            differences = rng.randint(-3, 5, size=n) / 10
        else:
            differences = rng.choice([-1.0, 0, 0, 1, 1], size=n)
        row = of_differences(differences, n_resamples=499)
        assert (row.pvalue <= 0.05) == (not row.low <= 0 <= row.high)


@pytest.mark.slow
@pytest.mark.parametrize("n", [6, 8, 13])
def test_the_p_value_and_the_interval_agree_with_few_queries(n):
    rng = np.random.RandomState(n)
    for _ in range(60):
        row = of_differences(rng.randn(n) + 0.8)
        assert (row.pvalue <= 0.05) == (not row.low <= 0 <= row.high)
        assert row.low <= row.difference <= row.high


@pytest.mark.parametrize("test", ["permutation", "t"])
def test_a_margin_asks_for_equivalence_in_both_directions(test):
    differences = np.random.RandomState(0).randn(12) / 10
    ends = of_differences(differences, test=test, confidence_level=0.9)

    def one_sided(x):
        if test == "t":
            return ttest_1samp(x, 0, alternative="greater").pvalue
        sums = [np.dot(s, x) for s in itertools.product([1, -1], repeat=12)]
        return np.mean(np.array(sums) >= x.sum() - 1e-12)

    for margin in (0.02, 0.05, 0.2):
        row = of_differences(differences, test=test, margin=margin)
        assert (row.low, row.high) == pytest.approx((ends.low, ends.high))
        sides = one_sided(differences + margin), one_sided(margin - differences)
        assert row.pvalue == pytest.approx(max(sides))
        assert (row.pvalue <= 0.05) == (-margin < row.low and row.high < margin)


def test_wins_are_of_the_better_ranker_whatever_the_sign_of_the_metric():
    scores = drawn_scores(["neg_mean_rank", mean_rank], n_rankers=2)
    negated, plain = compare_rankers(scores).rows
    assert negated.difference == -plain.difference < 0
    assert (negated.wins, negated.ties, negated.losses) == (
        plain.wins,
        plain.ties,
        plain.losses,
    )
    values = scores.values[:, 0]
    assert negated.wins == (values[1] > values[0]).sum()


# Identical rankers, constants and small numbers of queries.


@pytest.mark.parametrize("test", ["permutation", "t"])
@pytest.mark.parametrize("n", [1, 50])
def test_identical_rankers_have_p_1_and_an_interval_around_0(test, n):
    row = of_differences(np.zeros(n), test=test)
    assert (row.pvalue, row.p_adjusted, row.effect_size) == (1, 1, 0)
    end = norm.ppf(0.975) ** 2 / (n + norm.ppf(0.975) ** 2)
    assert (row.low, row.high) == pytest.approx((-end, end))
    assert row.detectable == np.inf  # equal values do not show how others vary


def test_a_constant_difference_has_the_smallest_p_value():
    row = of_differences(np.full(12, 0.1), test="permutation")
    assert row.pvalue == 2.0**-11
    assert (row.low, row.high) == (pytest.approx(0.1), pytest.approx(0.1))


@pytest.mark.parametrize("new", [[1, 1], [0, 1]])
def test_no_end_is_outside_of_the_range_nor_a_difference_found_that_is(new):
    row = of_differences(new)
    assert -1 <= row.low < row.high <= 1
    assert row.detectable == np.inf


def test_five_queries_cannot_reject_and_have_an_infinite_interval():
    scores = scores_of(old=np.zeros(5), new=[0.1, 0.2, 0.3, 0.2, 0.4])
    with pytest.warns(UserWarning, match="of 5 queries can reject at 5 %: .* 0.0625"):
        (row,) = compare_rankers(scores).rows
    assert row.pvalue == 0.0625
    assert (row.low, row.high) == (-1, 1)  # the range of values from 0 to 1
    assert (of_differences(np.arange(2, 7)).low) == -np.inf


def test_one_query_says_nothing_about_the_effect():
    row = of_differences([1.5])
    assert (row.pvalue, row.low, row.high) == (1, -np.inf, np.inf)
    assert of_differences([0.5]).high == 1  # a metric from 0 to 1
    assert np.isnan(row.effect_size)
    assert row.detectable == np.inf


def test_two_queries_have_an_effect():
    row = of_differences(np.array([0.1, 0.3]), test="permutation")
    # The mean is 0.2 and the standard deviation 0.2 / sqrt(2).
    assert row.effect_size == pytest.approx(np.sqrt(2))


def test_seven_queries_cannot_reject_at_1_percent():
    scores = scores_of(old=np.zeros(7), new=[0.1, 0.2, 0.3, 0.2, 0.4, 0.1, 0.2])
    with pytest.warns(UserWarning, match="of 7 queries can reject at 1 %: .* 0.0156"):
        (row,) = compare_rankers(scores, confidence_level=0.99).rows
    assert row.pvalue == 2**-6
    assert (row.low, row.high) == (-1, 1)


def test_what_can_reject_with_five_queries_is_not_said_to_be_unable():
    scores = scores_of(old=np.zeros(5), new=[0.1, 0.2, 0.3, 0.2, 0.4])
    with warnings.catch_warnings():  # (sum d^2)^2 / sum d^4 is 3.1
        warnings.simplefilter("error")
        (row,) = compare_rankers(scores, test="t").rows
    assert row.pvalue < 0.05


def test_one_query_that_decides_all_is_warned_of():
    new = np.zeros(40)
    new[:2] = 1, 0.1
    scores = scores_of(old=np.zeros(40), new=new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_rankers(scores)  # allows for what it does not show
    words = r"The interval may be .*effective number .* is below 3 for 'value' of"
    with pytest.warns(UserWarning, match=words):
        compare_rankers(scores, test="permutation")
    with pytest.warns(UserWarning, match="The p-value may be too small"):
        compare_rankers(scores, test="t", confidence_level=0.5)


def test_no_p_value_is_0():
    row = of_differences(np.ones(3000))
    assert 0 < row.pvalue < 1e-300
    assert row.p_adjusted > 0
    assert of_differences(np.full(50, 0.3), test="t").pvalue > 0


# Undefined queries, other queries, other parameters.


def test_queries_undefined_for_one_ranker_are_left_out_of_its_pairs_and_counted():
    values = np.random.RandomState(0).rand(3, 12)
    values[1, :3] = np.nan
    comparison = compare_rankers(scores_of(**dict(zip("abc", values, strict=True))))
    by_pair = {(row.ranker, row.baseline): row for row in comparison.rows}
    row = by_pair["b", "a"]
    assert (row.n_queries, row.n_undefined) == (9, 3)
    assert row.estimate == pytest.approx(values[1, 3:].mean())
    assert row.estimate_baseline == pytest.approx(values[0, 3:].mean())
    assert row.pvalue == pytest.approx(enumerated(values[1, 3:] - values[0, 3:]))
    assert by_pair["c", "a"].n_undefined == 0


@pytest.mark.slow
@pytest.mark.parametrize(("instead", "n_queries"), [(0.0, 13), (np.nan, 11)])
def test_queries_undefined_for_both_are_ties_unless_they_are_left_out(
    instead, n_queries
):
    y_true = np.tile([1, 0, 0], 13)
    y_true[:6] = 0
    rng = np.random.RandomState(0)
    runs, qid = {"a": rng.rand(39), "b": rng.rand(39)}, np.repeat(np.arange(13), 3)
    options = {"qid": qid, "replace_undefined_by": instead}
    scores = score_queries(y_true, runs, "mrr", **options)
    (row,) = compare_rankers(scores).rows
    assert (row.n_queries, row.n_undefined) == (n_queries, 2)
    assert row.wins + row.ties + row.losses == n_queries
    differences = scores.values[1, 0] - scores.values[0, 0]
    assert (differences[:2] == 0).all() or np.isnan(differences[:2]).all()
    assert row.ties == np.isclose(differences, 0).sum()
    # Ties have no signs to flip: the p-value is that of the others.
    assert row.pvalue == pytest.approx(enumerated(differences[2:]), abs=1e-12)
    summary = scores.summary()
    assert row.estimate == summary["b"]["mrr"]
    assert row.estimate_baseline == summary["a"]["mrr"]


def one_ranker(values, qid=None, **options):
    qid = np.arange(len(values)) if qid is None else qid
    return QueryScores.from_frame({"qid": qid, "value": values}, **options)


def test_a_dict_of_scores_is_compared_like_one_table():
    one, other = np.random.RandomState(0).rand(2, 12)
    parts = {"a": one_ranker(one), "b": one_ranker(other)}
    assert (
        compare_rankers(parts).rows == compare_rankers(scores_of(a=one, b=other)).rows
    )


def test_rankers_with_other_queries_are_refused_by_name():
    parts = {"a": one_ranker([0.1, 0.2]), "b": one_ranker([0.1, 0.2], qid=[0, 7])}
    with pytest.raises(
        ValueError, match=r"the same queries.*'a' and 'b'.*Only one has"
    ):
        compare_rankers(parts)


def test_rankers_with_undefined_queries_replaced_differently_are_refused():
    parts = {
        "a": one_ranker([0.1, np.nan, 0.3], replace_undefined_by=np.nan),
        "b": one_ranker([0.1, 0.0, 0.3], replace_undefined_by=0.0),
    }
    with pytest.raises(ValueError, match=r"same parameters.*replace_undefined_by"):
        compare_rankers(parts)


def test_a_metric_that_is_undefined_everywhere_is_not_compared():
    nothing = np.full(8, np.nan)
    values = np.random.RandomState(0).rand(8)
    scores = scores_of(
        a={"v": values, "w": nothing}, b={"v": values[::-1], "w": nothing}
    )
    with pytest.warns(UndefinedMetricWarning, match="'w' is undefined for every"):
        rows = compare_rankers(scores).rows
    assert [row.metric for row in rows] == ["v"]
    with (
        pytest.warns(UndefinedMetricWarning, match="undefined"),
        pytest.raises(ValueError, match="Got none, of 8 queries"),
    ):
        compare_rankers(scores["w"])


# Families.


@pytest.mark.parametrize("correction", ["max-t", None])
def test_adjusted_p_values_are_not_below_their_own(correction):
    scores = drawn_scores(["mrr", "ndcg@5", "hits@1"], n_rankers=4)
    rows = compare_rankers(scores, correction=correction).rows
    assert len(rows) == 18
    assert all(row.p_adjusted >= row.pvalue for row in rows)
    if correction is None:
        assert all(row.p_adjusted == row.pvalue for row in rows)


def adjusted_by_all_signs(differences):
    """Return the adjusted p-values of max-T, of an array with a row for each pair."""
    signs = np.array(list(itertools.product([1, -1], repeat=differences.shape[1])))
    norm, found = np.sqrt((differences**2).sum(axis=1)), []
    observed = np.abs(differences.sum(axis=1)) / norm
    for x in differences, differences - differences.mean(axis=1, keepdims=True):
        flipped = np.abs(signs @ x.T) / np.sqrt((x**2).sum(axis=1))
        reached = flipped.max(axis=1) >= observed[:, None] - 1e-9
        found.append(reached.mean(axis=1))
    return np.maximum(*found)


@pytest.mark.parametrize("seed", range(3))
def test_several_baselines_are_one_family(seed):
    rng = np.random.RandomState(seed)
    values = {
        name: {"x": rng.rand(9) + shift, "y": rng.rand(9)}
        for name, shift in zip("abcd", [0, 0.2, 0.3, 0.5], strict=True)
    }
    options = {"baseline": ["c", "a"], "test": "permutation"}
    rows = compare_rankers(scores_of(**values), **options).rows
    pairs = [("a", "c"), ("b", "c"), ("d", "c"), ("b", "a"), ("d", "a")]
    found = [(row.metric, row.ranker, row.baseline) for row in rows]
    assert found == [(metric, *pair) for metric in "xy" for pair in pairs]
    differences = np.array([
        values[one][metric] - values[other][metric] for metric, one, other in found
    ])  # fmt: skip
    assert [row.difference for row in rows] == pytest.approx(differences.mean(axis=1))
    expected = pytest.approx(adjusted_by_all_signs(differences))
    assert [row.p_adjusted for row in rows] == expected
    assert [row.low > 0 or row.high < 0 for row in rows] == [
        row.p_adjusted <= 0.05 for row in rows
    ]


@pytest.mark.slow
def test_one_baseline_in_a_list_is_one_and_all_of_them_are_all_pairs():
    scores = drawn_scores(["mrr", "ndcg"])
    for baseline, other in (["b"], "b"), (np.array(["a", "b", "c"]), None):
        both = (compare_rankers(scores, baseline=one) for one in (baseline, other))
        one, other = ([dict(row) for row in comparison.rows] for comparison in both)
        assert one == other


@pytest.mark.parametrize("test", ["permutation", "t"])
@pytest.mark.parametrize("correction", ["max-t", None])
def test_a_family_of_one_is_not_adjusted(test, correction):
    differences = np.random.RandomState(0).randn(60) + 0.2
    row = of_differences(differences, test=test, correction=correction)
    assert row.p_adjusted == row.pvalue


@pytest.mark.slow
def test_the_family_of_equivalence_has_tests_of_both_sides():
    # x is just too good and y just too bad to be equivalent. The tests of the two are
    # never wrong together, so that each of them may be wrong half as often.
    n_samples, n_wrong = 100, 0
    for seed in range(n_samples):
        noise, zero = np.random.RandomState(seed).randn(40), np.zeros(40)
        scores = scores_of(
            old={"x": zero, "y": zero}, new={"x": noise + 1, "y": noise - 1}
        )
        rows = comparison_of(scores, margin=1.0, n_resamples=199).rows
        n_wrong += any(row.p_adjusted <= 0.05 for row in rows)
    assert binomtest(n_wrong, n_samples, 0.05, "greater").pvalue > 0.01


# Groups and weights.


def test_clusters_flip_their_signs_together():
    rng = np.random.RandomState(0)
    one, other, clusters = rng.rand(40), rng.rand(40), np.arange(40) // 5
    (row,) = compare_rankers(scores_of(a=one, b=other), clusters=clusters).rows
    sums = (other - one).reshape(8, 5).sum(axis=1)
    assert row.pvalue == pytest.approx(enumerated(sums), abs=1e-12)
    assert row.n_queries == 40


def test_a_query_that_recurs_is_one_unit():
    rng = np.random.RandomState(0)
    frame = {
        "qid": np.tile(np.arange(10), 4), "seed": np.tile(np.repeat([0, 1], 10), 2),
        "ranker": np.repeat(["a", "b"], 20), "v": rng.rand(40),
    }  # fmt: skip
    scores = QueryScores.from_frame(frame, by="seed", ranker="ranker")
    comparison = compare_rankers(scores)
    differences = (frame["v"][20:] - frame["v"][:20]).reshape(2, 10).sum(axis=0)
    assert comparison.n_units == 10
    assert comparison.rows[0].pvalue == pytest.approx(enumerated(differences))


@pytest.mark.slow
def test_weights_count_in_the_difference_and_in_the_test():
    rng = np.random.RandomState(0)
    weight = rng.randint(1, 4, size=12)
    frame = {"qid": np.tile(np.arange(12), 2), "ranker": np.repeat(["a", "b"], 12)}
    frame |= {"v": rng.rand(24), "w": np.tile(weight, 2)}
    scores = QueryScores.from_frame(frame, ranker="ranker", sample_weight="w")
    (row,) = compare_rankers(scores).rows
    differences = frame["v"][12:] - frame["v"][:12]
    assert row.difference == pytest.approx(np.average(differences, weights=weight))
    assert row.pvalue == pytest.approx(enumerated(weight * differences))


def test_an_adjusted_metric_is_compared_as_the_ratio_that_it_is():
    scores = drawn_scores("adjusted_hits@2", n_rankers=2, replace_undefined_by=np.nan)
    (row,) = compare_rankers(scores).rows
    summary = scores.summary()
    for name, estimate in (("b", row.estimate), ("a", row.estimate_baseline)):
        assert estimate == pytest.approx(summary[name]["adjusted_hits@2"])


def of_datasets():
    """Return the values of two rankers on seven data sets, and of each the difference.

    The weights are 1 / n of the data set, and the rows are not sorted.
    """
    rng = np.random.default_rng(0)
    sizes = [3, 50, 8, 20, 5, 11, 30]
    dataset = rng.permutation(np.repeat([f"set {i}" for i in range(7)], sizes))
    old, new = rng.random(size=(2, sum(sizes)))
    names = np.unique(dataset)
    size = {name: int((dataset == name).sum()) for name in names}
    scores = {"old": old, "new": new, "dataset": dataset}
    scores["sample_weight"] = [1 / size[name] for name in dataset]
    means = [(new - old)[dataset == name].mean() for name in names]
    return scores, np.array(means)


def test_clusters_of_data_sets_test_the_means_of_the_data_sets():
    scores, means = of_datasets()
    options = {"clusters": "dataset", "test": "permutation"}
    (row,) = compare_rankers(scores, baseline="old", **options).rows
    assert row.difference == pytest.approx(means.mean())
    assert row.pvalue == pytest.approx(enumerated(means))


@pytest.mark.parametrize("test", ["auto", "t"])
def test_clusters_that_cancel_are_ties(test):
    old = np.full(60, 0.5)  # .1 + .2 - .3 is 5.6e-17
    scores = {"old": old, "new": old + np.tile([0.1, 0.2, -0.3], 20)}
    row = compare_rankers(scores, clusters=np.arange(60) // 3, test=test).rows[0]
    end = norm.ppf(0.975) ** 2 / (20 + norm.ppf(0.975) ** 2)
    assert (row.difference, row.pvalue) == (0, 1)
    assert (row.low, row.high) == pytest.approx((-end, end))


def test_five_data_sets_cannot_answer_for_new_ones():
    scores, _ = of_datasets()
    five = np.isin(scores["dataset"], [f"set {i}" for i in range(5)])
    scores = {name: np.asarray(column)[five] for name, column in scores.items()}
    scores["new"] = scores["old"] + 1  # the largest difference there can be
    with pytest.warns(UserWarning, match="No sign-flip test of 5 clusters can reject"):
        (row,) = compare_rankers(scores, baseline="old", clusters="dataset").rows
    assert row.pvalue == pytest.approx(2 / 2**5)
    assert (row.low, row.high) == (-np.inf, np.inf)


# What nothing depends on.


@pytest.mark.slow
def test_the_same_random_state_gives_the_same_bits():
    scores = drawn_scores(["mrr", "ndcg@5"])
    one, other = (compare_rankers(scores).rows for _ in range(2))
    assert one == other
    different = compare_rankers(scores, random_state=1).rows
    assert [row.p_adjusted for row in different] != [row.p_adjusted for row in one]


def in_both_orders(**options):
    """Return comparisons of the same values in other orders of all they consist of."""
    rng = np.random.RandomState(1)
    qid, user = np.repeat(np.arange(40), 6), np.repeat(np.arange(40) // 2, 6)
    y_true = rng.randint(3, size=240)
    runs = {name: y_true + rng.randn(240) for name in "abc"}
    metrics = ["mrr", "ndcg@5", "map"]
    rows = rng.permutation(240)
    given = options.pop("clusters", False)
    found = []
    for names, metrics_now, order in (
        ("abc", metrics, np.arange(240)),
        ("cba", metrics, np.arange(240)),
        ("abc", metrics[::-1], np.arange(240)),
        ("bca", metrics, rows),
    ):
        scores = score_queries(
            y_true[order], {name: runs[name][order] for name in names}, metrics_now,
            qid=rng.permutation(40)[qid][order], by={"user": user[order]},
        )  # fmt: skip
        found.append(
            compare_rankers(scores, clusters="user" if given else None, **options)
        )
    return found


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("correction", ["max-t", None])
def test_rankers_metrics_and_rows_have_no_order(correction, clusters):
    options = {"correction": correction, "test": "permutation"}
    first, *others = in_both_orders(clusters=clusters, **options)
    expected = {(row.metric, row.ranker, row.baseline): row for row in first.rows}
    for other in others:
        assert other.rows
        for row in other.rows:
            sign, key = 1, (row.metric, row.ranker, row.baseline)
            if key not in expected:
                sign, key = -1, (row.metric, row.baseline, row.ranker)
            same = expected[key]
            assert (row.pvalue, row.p_adjusted) == (same.pvalue, same.p_adjusted)
            ends = sorted([sign * row.low, sign * row.high])
            assert ends == pytest.approx([same.low, same.high], rel=1e-9)


def test_the_smallest_p_value_of_random_flips_is_that_of_one_of_them():
    differences = np.random.RandomState(0).randn(60) + 1
    assert (differences < 0).any()
    for n_resamples in (99, 999):
        row = of_differences(differences, n_resamples=n_resamples)
        assert row.pvalue == 1 / (n_resamples + 1)


@pytest.mark.slow
def test_random_flips_give_the_p_value_that_scipy_counts():
    differences = np.random.RandomState(5).randn(45) + 0.25
    theirs = permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=99_999,
        random_state=np.random.default_rng(0),
    )  # fmt: skip
    ours = of_differences(differences, n_resamples=99_999).pvalue
    assert ours == pytest.approx(theirs.pvalue, rel=0.05)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("test", ["permutation", "t"])
@pytest.mark.parametrize("constant", [0.0, 0.05, -0.1])
def test_few_tied_differences_agree_with_a_margin(n, test, constant):
    row = of_differences(np.full(n, constant), margin=0.1, test=test)
    inside = row.low > -0.1 and row.high < 0.1
    assert (row.pvalue <= 0.05) == inside
    if constant == 0:  # tied pairs have the score test
        z = np.sqrt(n * 0.1 / 0.9)
        assert row.pvalue == pytest.approx(norm.sf(z))
    elif test == "permutation":  # no test of so few units can reject
        assert row.pvalue == 2.0**-n if constant > -0.1 else 1
        if n < 5:  # the range of values between 0 and 1
            size = 1 if constant > 0 else np.inf
            assert (row.low, row.high) == (-size, size)


def test_a_constant_difference_equal_to_the_margin_is_not_rounding_noise():
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point.
    scores = scores_of(old=np.full(12, 0.3), new=np.full(12, 0.1 + 0.2 - 0.1))
    for margin in (0.1, 0.1 + 1e-17):
        (row,) = compare_rankers(scores, margin=margin).rows
        assert row.pvalue == 1


@pytest.mark.slow
def test_many_pairs_take_little_more_memory_than_their_rankers():
    values = np.random.RandomState(0).rand(60, 40)
    scores = scores_of(**{f"r{i}": row for i, row in enumerate(values)})
    tracemalloc.start()
    comparison_of(scores, n_resamples=4999)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The flips of 1,770 pairs are 71 MB, those of 60 rankers 2.4 MB, and a block 8 MB.
    assert peak < 50e6


def test_the_detectable_difference_of_equivalence_is_that_of_one_sided_tests():
    differences = np.random.RandomState(0).randn(30)
    error = differences.std(ddof=1) / np.sqrt(30)
    for margin, level in ((0.0, 0.05), (1.0, 0.1)):
        row = of_differences(differences, margin=margin)

        def power(shift, level=level):
            quantile = t.ppf(1 - level / 2, 29)
            return nct.sf(quantile, 29, shift) + nct.cdf(-quantile, 29, shift)

        assert power(row.detectable / error) == pytest.approx(0.8, abs=1e-4)


# Refusals.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "z"}, "must be a ranker, among .*Got 'z'"),
        ({"baseline": ["a", "z"]}, "ranker or a list of different ones, among .*'z'"),
        ({"baseline": ["a", "a"]}, "ranker or a list of different ones, among "),
        ({"baseline": []}, "ranker or a list of different ones, among "),
        ({"test": "anova"}, "'test' parameter of compare_rankers must be a str among"),
        ({"correction": "tukey"}, "'correction' parameter"),
        ({"margin": -1}, "'margin' parameter"),
        ({"confidence_level": 0}, r"in the range \(0.0, 1.0\)"),
        ({"clusters": "user"}, "name a key column"),
    ],
)
def test_compare_rankers_refuses_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        compare_rankers(drawn_scores("mrr"), **options)


@pytest.mark.parametrize("name", ["neg_median_rank", "neg_geometric_mean_rank"])
def test_metrics_that_are_no_means_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}' is not one: its difference"):
        compare_rankers(drawn_scores(["mrr", name]))


def test_infinite_values_are_refused_and_not_counted_as_ties():
    def inverse(ranking):
        with np.errstate(divide="ignore"):
            return 1 / (ranking.expected_at_first(lambda rank: rank) - 1)

    y_true, runs = [1, 0] * 8, {"a": [2, 1] * 8, "b": [1, 2] * 8}
    scores = score_queries(y_true, runs, inverse, qid=np.arange(16) // 2)
    with pytest.raises(ValueError, match=r"'inverse' must be between .*Got inf"):
        compare_rankers(scores)


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match=r"shape \(n_rankers, n_queries\)\. Got list"):
        compare_rankers([0.1, 0.2])
    with pytest.raises(ValueError, match=r"at least two rankers\. Got \['a'\]"):
        compare_rankers({"a": one_ranker([0.1, 0.2])})
    with pytest.raises(TypeError, match=r"names of rankers, of type str\. Got 1"):
        compare_rankers({1: one_ranker([0.1, 0.2]), 2: one_ranker([0.1, 0.2])})
    with pytest.raises(ValueError, match=r"at least two rankers\. Got \['a'\]"):
        compare_rankers(drawn_scores("mrr")["a"])
    two = drawn_scores("mrr")[["a", "b"]]
    with pytest.raises(TypeError, match=r"one ranker in each .* Got 2 for 'y'"):
        compare_rankers({"x": drawn_scores("mrr")["a"], "y": two})


def test_of_adjusted_ranks_a_worse_rank_is_a_loss():
    """The terms of the index are below 0: the best rank is above the expected one."""
    y_true, qid = [1, 0, 0] * 8, np.repeat(np.arange(8), 3)
    runs = {"a": np.tile([3, 2, 1], 8), "b": np.r_[1, 2, 3, np.tile([3, 2, 1], 7)]}
    name = "adjusted_mean_rank_index"
    scores = score_queries(y_true, runs, name, qid=qid)
    (row,) = compare_rankers(scores, baseline="a", test="permutation").rows
    # 1 - (M - 1) / (E - 1) with E = 2, and M = (7 + 3) / 8 of b.
    assert row.difference == pytest.approx(-0.25)
    assert (row.wins, row.ties, row.losses) == (0, 7, 1)
    assert compare_rankers(scores, baseline="a").n_units == 8
    (found,) = gate(scores, baseline="a", margin=0.02).rows
    assert (found.difference, found.unseen) == (pytest.approx(-0.25), None)


def test_a_relative_difference_has_the_interval_of_fieller():
    old, d = np.array([0.2, 0.4, 0.6, 0.8, 0.5, 0.3]), np.array([1, 3, 2, 0, 2, 1]) / 10
    (row,) = compare_rankers({"old": old, "new": old + d}, test="t").rows
    assert row.relative_difference == pytest.approx(d.mean() / old.mean())
    # At its ends Student's t of d - r old is the quantile.
    quantile = t.ppf(0.975, 5)
    for end, sign in (row.relative_low, 1), (row.relative_high, -1):
        x = d - end * old
        found = x.mean() / (x.std(ddof=1) / 6**0.5)
        assert found == pytest.approx(sign * quantile)
    negated = {"old": -old, "new": -old - d}
    (less,) = compare_rankers(negated, test="t").rows
    assert less.relative_low == pytest.approx(-row.relative_high)
    (zero,) = compare_rankers({"old": np.zeros(6), "new": d}).rows
    assert np.isnan([zero[name] for name in COLUMNS[-3:]]).all()
    (sure,) = compare_rankers({"a": np.ones(9), "b": np.full(9, 1.5)}, test="t").rows
    assert [sure[name] for name in COLUMNS[-3:]] == [0.5] * 3


@pytest.mark.slow
def test_a_relative_interval_excludes_0_as_that_of_the_difference_does():
    rng = np.random.default_rng(0)
    for _ in range(40):
        values = rng.beta(2, 2, size=(3, 1)) * 0.1 + rng.beta(2, 2, size=(3, 12))
        frame = dict(zip("abc", values, strict=True))
        correction = rng.choice(["max-t", None])
        for row in compare_rankers(frame, correction=correction).rows:
            low, high = row.relative_low, row.relative_high
            assert (low > 0, high < 0) == (row.low > 0, row.high < 0)
            assert low <= row.relative_difference <= high
