"""What a sample does not show: the fall of a mean, and pairs of which few differ."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import warnings

import numpy as np
import pytest

from skrank.stats import compare_rankers
from skrank.stats.unseen import Unseen
from tests.stats.test_gates import end_of

pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")


def test_a_fall_is_that_of_the_best_queries_to_the_worst_value():
    values = np.array([0.2, 1.0, 0.5, 0.0])
    unseen = Unseen(values, np.ones(4), (0, 1), None)
    assert unseen.fraction(0.05) == 1 - 0.05 ** (1 / 4)  # 52.7 %
    assert unseen.fall(0.527129) == pytest.approx(
        (1 + 0.5 + (4 * 0.527129 - 2) * 0.2) / 4
    )
    assert unseen.fall(0.1) == pytest.approx(0.1)
    assert unseen.fall(1.0) == values.mean()
    ranks = Unseen(-np.array([1.0, 3, 5]), np.ones(3), (-5, -1), None)
    assert ranks.fall(1 / 2) == pytest.approx((4 + 2 / 2) / 3)
    # Where nothing can fall, others may have the best value.
    assert Unseen(np.zeros(9), np.ones(9), (0, 1), None).fall(0.3) == pytest.approx(0.3)
    assert Unseen(np.ones(9), np.ones(9), (1, 1), None).fall(0.3) == np.inf


def test_the_units_are_the_clusters():
    values, users = np.array([1.0, 0.5, 0.2, 0.2]), np.array([0, 0, 1, 1])
    unseen = Unseen(values, np.ones(4), (0, 1), users)
    assert unseen.fraction(0.05) == 1 - 0.05 ** (1 / 2)
    assert unseen.fall(1 / 2) == 0.75 / 2


# Two of ten queries differ, of which (.5^2 + .2^2)^2 / (.5^4 + .2^4) = 1.3 count.
BEFORE = np.array([0.1, 0.9, 0.3, 0.5, 0.6, 0.2, 0.8, 0.4, 0.7, 0.0])
CHANGED = BEFORE + np.array([0.5, 0, 0.2, 0, 0, 0, 0, 0, 0, 0])


def lower_end(one, other, level):
    """Return the end of one less other that allows for what ten queries may lack."""
    d, u = one - other, 10 * (1 - level ** (1 / 10))
    whole = int(u)
    best = [np.sort(values)[::-1] for values in (one, other)]
    unseen = max(v[:whole].sum() + (u - whole) * v[whole] for v in best) / 10
    return d.mean() - np.hypot(d.mean() - end_of(d, level), unseen)


@pytest.mark.parametrize("new", [CHANGED, BEFORE + 0.08], ids=["few", "constant"])
def test_few_or_equal_differences_have_ends_and_p_of_one_bound(new):
    (row,) = compare_rankers({"old": BEFORE, "new": new}).rows
    ends = lower_end(new, BEFORE, 0.025), -lower_end(BEFORE, new, 0.025)
    assert (row.low, row.high) == pytest.approx(ends, abs=1e-9)
    for less, confidence_level in itertools.product([0.0, 0.4], [0.9, 0.6]):
        options = {"margin": less, "confidence_level": confidence_level}
        options["alternative"] = "greater"
        (row,) = compare_rankers({"old": BEFORE, "new": new}, **options).rows
        low = lower_end(new, BEFORE, 1 - confidence_level)
        assert row.low == pytest.approx(low, abs=1e-9)
        assert (row.pvalue <= 1 - confidence_level) == (row.low > -less)
        if row.pvalue < 1:  # the level whose end is at the null
            near = [lower_end(new, BEFORE, row.pvalue * (1 + x)) for x in (-1e-5, 1e-5)]
            assert near[0] <= -less + 1e-9
            assert near[1] >= -less - 1e-9


def test_few_differences_of_uneven_weights_have_the_end_of_t():
    weight = np.r_[np.full(4, 1 / 4), np.full(36, 1 / 36)]
    values = {"old": np.full(40, 0.5), "new": np.full(40, 0.5), "sample_weight": weight}
    values["new"][:2] = 0.9, 0.7
    auto, alone = (compare_rankers(values, test=x).rows[0] for x in ("auto", "t"))
    # (1 + 1)^2 / (1 / 4 + 1 / 36) units; each of the best two has 1 / 8 of the weight.
    unseen = 1 - 0.025 ** (1 / 14.4)
    best = np.array([0.9, 0.7, 0.5]) @ [1 / 8, unseen - 1 / 8, 0]
    seen = alone.difference - alone.low
    assert 1 / 8 < unseen < 2 / 8
    assert auto.low == pytest.approx(auto.difference - np.hypot(seen, best))


def test_in_a_family_they_have_the_level_of_bonferroni():
    rng = np.random.default_rng(0)
    values = {"old": rng.random(30), "other": rng.random(30)}
    values["copy"] = values["old"] + 0.5 * (np.arange(30) < 2)
    together = {(r.ranker, r.baseline): r for r in compare_rankers(values).rows}
    row = together["copy", "old"]
    pair = {name: values[name] for name in ("old", "copy")}
    (alone,) = compare_rankers(pair, confidence_level=1 - 0.05 / 3).rows
    assert (row.low, row.high) == pytest.approx((alone.low, alone.high))
    assert row.pvalue == alone.pvalue
    assert row.p_adjusted == min(3 * row.pvalue, 1)


def test_ordinary_pairs_of_twenty_queries_are_neither_warned_of_nor_widened():
    options = {"n_resamples": 199}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in np.random.default_rng(1).beta(2, 2, size=(8, 2, 20)):
            auto = compare_rankers(values, **options).rows
            assert auto == compare_rankers(values, test="permutation", **options).rows
