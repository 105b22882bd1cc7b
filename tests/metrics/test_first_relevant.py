"""The rank of the first relevant document: its means and its median, next to chance."""

# SPDX-License-Identifier: BSD-3-Clause

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from skrank import metrics
from skrank.metrics import geometric_mean_rank, mean_rank, median_rank
from tests.brute_force import all_orders, first_rank, masked, relevant_grades


def test_a_rank_that_a_weight_of_0_removes_is_not_replaced_by_0():
    value = geometric_mean_rank(
        [0, 0, 0, 1],
        [2, 1, 2, 1],
        qid=[0, 0, 1, 1],
        sample_weight=[0, 0, 1, 1],
        replace_undefined_by=0.0,
    )
    assert value == 2.0


def test_a_harmonic_mean_leaves_out_a_query_whose_relevant_document_is_not_returned():
    values = metrics.evaluate(
        [0, 1, 1, 0],
        [2, 1, 2, 1],
        "harmonic_mean_rank",
        qid=[0, 0, 1, 1],
        returned=[True, True, False, True],
    )
    assert values == {"harmonic_mean_rank": 2.0}


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


def test_the_rank_of_a_tied_document_is_its_expected_rank_in_a_median():
    # Expected ranks 2, (3 + 1) / (1 + 1), and 45 / 23: of 22 relevant among 44.
    assert median_rank([[0, 1, 0], [0, 1, 0]], [[1, 1, 1], [3, 2, 1]]) == (2 + 2) / 2
    assert median_rank([1] * 22 + [0] * 22, [0] * 44) == pytest.approx(45 / 23)


def test_the_expected_rank_in_large_tie_groups_is_that_of_each():
    # Documents above, tied ones, and relevant ones among these: two queries are alike.
    groups = [(0, 40, 1), (1, 50, 3), (2, 60, 2), (1, 50, 3), (3, 70, 5)]
    y_true, y_score, qid, expected = [], [], [], []
    for query, (above, size, relevant) in enumerate(groups):
        y_true += [0] * above + [1] * relevant + [0] * (size - relevant)
        y_score += [1.5] * above + [0.5] * size
        qid += [query] * (above + size)
        places = range(1, size + 1)
        orders = [math.comb(size - i, relevant - 1) / (above + i) for i in places]
        expected.append(sum(orders) / math.comb(size, relevant))
    found = metrics.mrr_score(y_true, y_score, qid=qid, average=None)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def queries_with_first_ranks(ranks, n=9):
    """Return (y_true, y_score) of shape (n_queries, n), one relevant document each."""
    y_true = np.zeros((len(ranks), n), dtype=int)
    y_true[np.arange(len(ranks)), np.array(ranks) - 1] = 1
    return y_true, -np.tile(np.arange(float(n)), (len(ranks), 1))


def candidates(ranks, n=6):
    """Return (y_true, y_score) in which the right candidates have these ranks."""
    y_score = np.tile(-np.arange(1.0, n + 1), (len(ranks), 1))
    return np.array(ranks) - 1, y_score


@pytest.mark.parametrize(
    ("ranks", "weight", "median"),
    [
        ([4], None, 4),
        ([1, 5], None, 3),
        ([1, 5, 2], None, 2),
        ([1, 5, 2, 6], None, (2 + 5) / 2),
        ([1, 5, 2], [1, 2, 1], (2 + 5) / 2),
        ([1, 5, 2], [1, 3, 1], 5),
        ([1, 5, 2], [0, 3, 1], 5),
        ([1, 5, 2], [1, 0, 1], (1 + 2) / 2),
        ([1, 5, 2], [0.1, 0.3, 0.2], (2 + 5) / 2),
    ],
)
def test_half_of_the_weight_does_not_exceed_the_median(ranks, weight, median):
    value = median_rank(*candidates(ranks), sample_weight=weight)
    assert value == pytest.approx(median, rel=1e-15)


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 4, 5, 6, 0, 1]])
def test_a_tied_document_is_all_its_ranks_for_means_and_its_mean_rank_for_medians(
    weight,
):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (8, 5)), rng.integers(1, 3, (8, 5))
    ranks, logs, total = [], 0.0, 0
    for query, (grades, scores) in enumerate(zip(y_true, y_score, strict=True)):
        docs = relevant_grades(grades.tolist())
        if not any(grades):
            continue
        orders = [first_rank(order) for order in all_orders(docs, scores.tolist())]
        times = 1 if weight is None else weight[query]
        ranks += [statistics.fmean(orders)] * times
        logs += times * statistics.fmean(map(math.log, orders))
        total += times
    options = {"sample_weight": weight}
    median = median_rank(y_true, y_score, **options)
    assert median == pytest.approx(statistics.median(ranks), rel=1e-13)
    geometric = geometric_mean_rank(y_true, y_score, **options)
    assert geometric == pytest.approx(math.exp(logs / total), rel=1e-13)


def test_a_rank_is_measured_by_the_number_of_candidates():
    # Ranks 2 and 5 of 5 and 11 candidates, which random scores put at 3 and 6.
    y_true = [[0, 1, 0, 0, 0] + [0] * 6, [0] * 4 + [1] + [0] * 6]
    exclude = np.zeros((2, 11), dtype=bool)
    exclude[0, 5:] = True
    data = {"y_true": y_true, "y_score": [range(11, 0, -1)] * 2, "exclude": exclude}
    assert masked(mean_rank, **data) == (2 + 5) / 2
    assert masked(mean_rank, **data, adjusted="ratio") == (2 + 5) / (3 + 6)
    index = 1 - (3.5 - 1) / (4.5 - 1)
    assert masked(mean_rank, **data, adjusted=True) == pytest.approx(index)
    per_query = masked(mean_rank, **data, adjusted="ratio", average=None)
    assert per_query == pytest.approx([2 / 3, 5 / 6])


def test_an_index_without_a_bad_rank_is_undefined():
    options = {"qid": [7, 8, 8], "average": None, "replace_undefined_by": -3}
    values = mean_rank([1, 1, 0], [3, 2, 1], adjusted=True, **options)
    assert values.tolist() == [-3, 1]


def harmonic(n):
    return math.fsum(1 / i for i in range(1, n + 1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", ["expected", "realistic"])
def test_adjusted_metrics_of_one_candidate_have_the_closed_forms_of_chance(
    ties, weighted
):
    # PyKEEN: E[1 / r] = H(n) / n, P(r <= k) = min(k / n, 1).
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 30, 50)
    y_score = rng.integers(0, 12, (50, 30)).astype(float)
    exclude = rng.random((50, 30)) < rng.random((50, 1))
    exclude[np.arange(50), y_true] = False
    sizes = (~exclude).sum(axis=1)
    weight = rng.integers(1, 5, 50) if weighted else None
    options = {"exclude": exclude, "sample_weight": weight, "ties": ties}

    def over_queries(values):
        return np.average(values, weights=weight)

    def rescaled(score, by_size, **own):
        value = masked(score, y_true, y_score, **options, **own)
        chance = over_queries([by_size(n) for n in sizes])
        return (value - chance) / (1 - chance)

    expected = rescaled(metrics.mrr_score, lambda n: harmonic(n) / n)
    got = masked(metrics.mrr_score, y_true, y_score, **options, adjusted=True)
    assert got == pytest.approx(expected, rel=1e-12)
    for k in (1, 3, 10):
        hits = metrics.hits_at_k_score
        expected = rescaled(hits, lambda n, k=k: min(k / n, 1), k=k)
        got = masked(hits, y_true, y_score, k=k, **options, adjusted=True)
        assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("score", [metrics.mrr_score, mean_rank, geometric_mean_rank])
def test_the_value_of_a_query_does_not_depend_on_the_others(score):
    # Large and small tie groups, with one relevant document and with several.
    rng = np.random.default_rng(5)
    qid = np.repeat(np.arange(40), rng.integers(1, 90, 40))
    y_true = rng.random(len(qid)) < rng.choice([0.02, 0.5], 40)[qid]
    y_score = rng.integers(0, rng.choice([1, 4, 90], 40)[qid] + 1)
    together = score(y_true, y_score, qid=qid, average=None)
    for query in range(40):
        own = qid == query
        alone = score(y_true[own], y_score[own], qid=qid[own], average=None)
        assert np.array_equal(alone, together[[query]], equal_nan=True)
