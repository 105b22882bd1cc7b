"""Means and differences from labels of people and of a machine."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import linregress
from scipy.stats import t as student

from skrank.metrics import QueryScores, score_queries
from skrank.stats import compare_rankers, confidence_interval

pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")


def scores_of(values, qid, metric="ndcg"):
    """Return the scores of rankers by name, one metric."""
    frame = {"qid": [*qid] * len(values), "ranker": np.repeat([*values], len(qid))}
    frame[metric] = np.concatenate([*values.values()])
    return QueryScores.from_frame(frame, ranker="ranker")


def drawn(n=30, n_judged=200, seed=0, ids="q{}"):
    """Return the values of people, of n queries, and those of a machine."""
    rng = np.random.default_rng(seed)
    qid = [ids.format(i) for i in range(n_judged)]
    truth = {"a": rng.random(n_judged), "b": rng.random(n_judged)}
    judged = {
        name: 0.2 + 0.6 * values + 0.2 * rng.random(n_judged)
        for name, values in truth.items()
    }
    rows = rng.permutation(n_judged)[:n]
    human = {name: values[rows] for name, values in truth.items()}
    return human, judged, rows, [qid[row] for row in rows], qid


def by_loop(y, f, rest):
    """The estimate, its standard error and the slopes, query by query."""
    n, m = len(y), len(rest)
    slopes = np.empty(n)
    for i in range(n):
        others = np.arange(n) != i
        covariance = np.cov(y[others], f[others])
        slopes[i] = covariance[0, 1] / covariance[1, 1] * m / (n - 1 + m)
    estimate = np.mean(y - slopes * f) + slopes.mean() * rest.mean()
    left = y - slopes * (f - f.mean())
    error = np.sqrt(
        ((left - left.mean()) ** 2).sum() / (n - 2) / n
        + slopes.mean() ** 2 * rest.var(ddof=1) / m
    )
    residuals, others = left - left.mean(), rest - rest.mean()
    third = np.mean(residuals**3) / n**2
    third += slopes.mean() ** 3 * np.mean(others**3) / m**2
    return estimate, error, third / error**3


def ends_by_root(estimate, error, skewness, df):
    """The means whose t, corrected for the skewness of the estimate, is Student's."""

    def corrected(x):
        g = skewness
        return x + g * x**2 / 3 + g**2 * x**3 / 27 + g / 6

    quantile = student.ppf(0.975, df)
    return [
        estimate - error * brentq(lambda x, end=end: corrected(x) - end, -50, 50)
        for end in (quantile, -quantile)
    ]


def test_the_mean_is_that_of_a_loop():
    human, judged, rows, own_qid, qid = drawn()
    intervals = confidence_interval(
        scores_of(human, own_qid), judge=scores_of(judged, qid)
    )
    rest = np.setdiff1d(np.arange(len(qid)), rows)
    for name, values in human.items():
        f = judged[name]
        estimate, error, skewness = by_loop(values, f[rows], f[rest])
        found = intervals[name]["ndcg"]
        assert found.estimate == pytest.approx(estimate, rel=1e-12)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        ends = ends_by_root(estimate, error, skewness, len(rows) - 2)
        assert abs(skewness) > 0.001
        assert [found.low, found.high] == pytest.approx(ends)
        assert (found.method, found.people_alone) == ("judge", False)
        assert found.human == pytest.approx(values.mean())
        assert found.judge == pytest.approx(f.mean())
        assert found.n_judged == 200
        assert found.n_queries == 30
        correlation = np.corrcoef(values, f[rows])[0, 1]
        assert found.correlation == pytest.approx(correlation)
        worth = values.var(ddof=1) / 30 / error**2
        assert found.worth == pytest.approx(worth)
        assert worth > 2


def test_the_difference_is_that_of_a_loop():
    human, judged, rows, own_qid, qid = drawn()
    comparison = compare_rankers(
        scores_of(human, own_qid), judge=scores_of(judged, qid), test="t"
    )
    (row,) = comparison.rows
    rest = np.setdiff1d(np.arange(len(qid)), rows)
    y, f = human["b"] - human["a"], judged["b"] - judged["a"]
    estimate, error, _ = by_loop(y, f[rows], f[rest])
    assert row.difference == pytest.approx(estimate, rel=1e-12)
    pvalue = 2 * student.sf(abs(estimate / error), len(rows) - 2)
    assert row.pvalue == pytest.approx(pvalue)
    radius = student.ppf(0.975, len(rows) - 2) * error
    assert [row.low, row.high] == pytest.approx([estimate - radius, estimate + radius])
    assert row.wins + row.ties + row.losses == 30
    assert row.human == pytest.approx(y.mean())
    assert row.judge == pytest.approx(f.mean())
    assert "200 of the judge" in str(comparison)
    assert "worth" in str(comparison)


def test_people_count_alone_where_the_machine_is_wrong_in_too_few_queries():
    # All 20 hits: Wilson's interval is from 1 / (1 + 1.96^2 / 20).
    machine = {"a": np.arange(200) % 8 > 0, "b": np.arange(200) % 5 > 0}
    people = {"a": np.ones(20), "b": np.ones(20)}
    human = scores_of(people, range(20), "hits@1")
    judge = scores_of(machine, range(200), "hits@1")
    row = confidence_interval(human, judge=judge)["a"]["hits@1"]
    assert (row.low, row.high) == (pytest.approx(0.83888, abs=1e-5), 1)
    assert (row.method, row.people_alone, row.worth) == ("wilson", True, 1)
    assert row.judge == 0.875
    # Three of 30 differences are 1: the others decide little.
    people = {"a": np.ones(30), "b": np.arange(30) > 2}
    human = scores_of(people, range(30), "hits@1")
    found = compare_rankers(human, judge=judge)
    (alone,) = compare_rankers(human).rows
    for name in ("difference", "low", "high", "pvalue", "test", "effect_size"):
        assert found.rows[0][name] == alone[name]
    assert found.rows[0].test == "score"
    assert "human alone" in str(found)
    found = compare_rankers(human, judge=judge, test="t").rows[0]
    assert found.test == "t"
    one = compare_rankers(human, test="t").rows[0]
    assert found.low == pytest.approx(one.low)


def test_people_count_alone_with_fewer_than_30_queries():
    for n in (29, 30):
        human, judged, _, own_qid, qid = drawn(n)
        people, judge = scores_of(human, own_qid), scores_of(judged, qid)
        row = confidence_interval(people, judge=judge)["a"]["ndcg"]
        assert row.people_alone == (n < 30)
        assert compare_rankers(people, judge=judge).rows[0].people_alone == (n < 30)
    assert row.worth > 2


def test_a_judge_without_a_clear_slope_is_not_followed():
    rng = np.random.default_rng(0)
    for noise, is_followed in [(0.1, True), (2.0, False)]:
        people = rng.random(40)
        machine = np.r_[people + noise * rng.normal(size=40), rng.normal(size=160)]
        line = linregress(machine[:40], people)
        assert (line.slope / line.stderr >= 2) == is_followed
        judge = scores_of({"a": machine}, range(200))
        (row,) = confidence_interval(
            scores_of({"a": people}, range(40)), judge=judge
        ).rows
        assert (row.estimate != pytest.approx(people.mean())) == is_followed


def test_hits_have_students_interval_with_a_judge():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.5
    machine = np.where(rng.random(300) < 0.1, ~truth, truth)
    human = scores_of({"a": truth[:80]}, range(80), "hits@1")
    judge = scores_of({"a": machine}, range(300), "hits@1")
    row = confidence_interval(human, judge=judge)["a"]["hits@1"]
    y, f = 1.0 * truth[:80], 1.0 * machine
    estimate, error, _ = by_loop(y, f[:80], f[80:])
    radius = student.ppf(0.975, 78) * error
    assert [row.low, row.high] == pytest.approx([estimate - radius, estimate + radius])
    assert row.method == "judge"


def test_neither_order_nor_names_matter():
    human, judged, _, own_qid, qid = drawn(ids="{}")
    options = {"test": "permutation"}
    one = compare_rankers(
        scores_of(human, own_qid), judge=scores_of(judged, qid), **options
    ).rows[0]
    rng = np.random.default_rng(1)
    order, others = rng.permutation(len(own_qid)), rng.permutation(len(qid))
    human = {name: values[order] for name, values in human.items()}
    judged = {name: values[others] for name, values in judged.items()}
    other = compare_rankers(
        scores_of(human, [-int(own_qid[i]) for i in order]),
        judge=scores_of(judged, [-int(qid[i]) for i in others]),
        **options,
    ).rows[0]
    for name in ("difference", "low", "high", "pvalue", "worth", "correlation"):
        assert one[name] == pytest.approx(other[name], rel=1e-9), name


def test_a_judge_who_always_says_the_same_changes_nothing():
    human, judged, _, own_qid, qid = drawn()
    same = {name: np.full(len(values), 0.3) for name, values in judged.items()}
    found = confidence_interval(scores_of(human, own_qid), judge=scores_of(same, qid))
    alone = confidence_interval(scores_of(human, own_qid), method="t")
    for name in human:
        one, other = found[name]["ndcg"], alone[name]["ndcg"]
        assert one.estimate == pytest.approx(other.estimate)
        assert np.isnan(one.correlation)
        # Only the degrees of freedom differ: n - 2 and n - 1.
        assert one.standard_error == pytest.approx(
            other.standard_error * np.sqrt(29 / 28)
        )


@pytest.mark.slow
def test_an_interval_excludes_0_exactly_if_the_adjusted_p_value_is_small():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n_judged, n = 80, int(rng.integers(6, 40))
        base = rng.random(n_judged)
        truth = {f"r{i}": base + 0.2 * rng.normal(size=n_judged) for i in range(4)}
        judged = {
            name: np.round(x + 0.2 * rng.normal(size=n_judged), 1)
            for name, x in truth.items()
        }
        rows = rng.permutation(n_judged)[:n]
        human = {name: x[rows] + 0.1 * int(name[1]) for name, x in truth.items()}
        for test, correction in [("permutation", "max-t"), ("t", None)]:
            comparison = compare_rankers(
                scores_of(human, rows),
                judge=scores_of(judged, range(n_judged)),
                test=test,
                correction=correction,
            )
            assert comparison.rows
            for row in comparison.rows:
                excludes = not row.low <= 0 <= row.high
                assert excludes == (row.p_adjusted <= 0.05)
                assert row.low <= row.difference <= row.high


def test_what_does_not_fit_is_refused():
    human, judged, _, own_qid, qid = drawn()
    people, machine = scores_of(human, own_qid), scores_of(judged, qid)
    for call in (confidence_interval, compare_rankers):
        with pytest.raises(
            ValueError, match=r"must hold every query of 'scores'\. It la"
        ):
            call(people, judge=scores_of(judged, [f"x{q}" for q in qid]))
        with pytest.raises(ValueError, match="must have the rankers, metrics and para"):
            call(people, judge=scores_of({"a": judged["a"], "c": judged["b"]}, qid))
        few = scores_of({name: x[:4] for name, x in human.items()}, own_qid[:4])
        with pytest.raises(ValueError, match="at least 5 queries that people judged"):
            call(few, judge=machine)
        with pytest.raises(ValueError, match=r"and 2 others\. Got 200 and 0"):
            call(machine, judge=machine)
        with pytest.raises(TypeError, match="'judge' parameter"):
            call(people, judge=judged)
        with pytest.raises(ValueError, match="'by' parameter"):
            call(people, judge=machine, by="qid")
        with pytest.raises(ValueError, match="'clusters' parameter"):
            call(people, judge=machine, clusters="qid")
    with pytest.raises(ValueError, match="'method' parameter"):
        confidence_interval(people, judge=machine, method="t")
    with pytest.raises(ValueError, match="'test' parameter of compare_rankers must be"):
        compare_rankers(people, judge=machine, test="score")


def test_other_parameters_and_left_out_queries_are_refused():
    y, score = np.tile([0, 1, 0], 20), np.tile([3.0, 2, 1], 20)
    qid = np.repeat(np.arange(20), 3)
    first = qid < 8
    one = score_queries(y[first], score[first], "ndcg@2", qid=qid[first])
    other = score_queries(y, score, "ndcg@2", qid=qid, gain="linear")
    with pytest.raises(ValueError, match="the same parameters"):
        confidence_interval(one, judge=other)
    left_out = {"qid": qid, "replace_undefined_by": np.nan}
    y[:3] = 0
    judge = score_queries(y, score, "mrr", **left_out)
    left_out["qid"] = qid[first]
    human = score_queries(y[first], score[first], "mrr", **left_out)
    with pytest.raises(ValueError, match=r"needs a value of every query\. Got 'mrr'"):
        confidence_interval(human, judge=judge)
