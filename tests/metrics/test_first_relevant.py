"""The rank of the first relevant document: its means and its median."""

# SPDX-License-Identifier: BSD-3-Clause

from fractions import Fraction

import numpy as np
import pytest

from skrank.metrics import evaluate, geometric_mean_rank, median_rank


def test_a_rank_that_a_weight_of_0_removes_is_not_replaced_by_0():
    value = geometric_mean_rank(
        [0, 0, 0, 1],
        [2, 1, 2, 1],
        qid=[0, 0, 1, 1],
        sample_weight=[0, 0, 1, 1],
        replace_undefined_by=0.0,
    )
    assert value == 2.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_z_score_is_undefined_if_the_queries_that_weigh_have_one_order():
    y_true, y_score = [[1, 1, 1, 1], [1, 0, 0, 1]], [[1, 1, 1, 1], [3, 2, 1, 0]]
    names = ["z_mean_rank", "z_mrr"]
    scores = evaluate(y_true, y_score, names, sample_weight=[2.5, 0])
    assert np.isnan(list(scores.values())).all()


@pytest.mark.parametrize("small", [1e-10, 1e-20, 1e-300])
def test_a_median_heeds_the_smallest_weight(small):
    data = queries_with_first_ranks([1, 2, 9])
    assert median_rank(*data, sample_weight=[1, small, 1]) == 2.0


def test_a_median_of_rounded_weights_is_that_of_the_decimal_numbers():
    data = queries_with_first_ranks([1, 2, 9])
    assert median_rank(*data, sample_weight=[0.1, 0.2, 0.3]) == 5.5
    assert median_rank(*data, sample_weight=[0.1, 0.2, 0.3 + 1e-13]) == 9.0


@pytest.mark.parametrize("seed", range(30))
def test_a_weighted_median_is_that_of_exact_fractions(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.permutation(np.arange(1, 10))[: rng.integers(1, 10)]
    weight = 2.0 ** rng.integers(-60, 1, len(ranks))
    up_to, total = Fraction(0), sum(map(Fraction, weight.tolist()))
    middle = []
    for place in np.argsort(ranks):
        before, up_to = up_to, up_to + Fraction(weight[place])
        if before <= total / 2 <= up_to:
            middle.append(ranks[place])
    data = queries_with_first_ranks(ranks)
    assert median_rank(*data, sample_weight=weight) == (middle[0] + middle[-1]) / 2


def test_the_median_of_tied_ranks_is_not_moved_by_rounding():
    # 22 of 44 tied documents are relevant: the first one leads with probability 1/2.
    assert median_rank([1] * 22 + [0] * 22, [0] * 44) == 1.5


def queries_with_first_ranks(ranks, n=9):
    """Return (y_true, y_score) of shape (n_queries, n), one relevant document each."""
    y_true = np.zeros((len(ranks), n), dtype=int)
    y_true[np.arange(len(ranks)), np.array(ranks) - 1] = 1
    return y_true, -np.tile(np.arange(float(n)), (len(ranks), 1))
