"""What tied scores give: every policy, by brute force over all orders."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
from fractions import Fraction
from math import comb, log2

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank import metrics
from tests.brute_force import NAMES, SUMMARIES, call, exempt, query_values

READS_FIRST_RANK = exempt("mrr", "hits", "mean_rank", *SUMMARIES)
READS_FIRST_RANK |= {"adjusted_mean_rank", "adjusted_mean_rank_index"}


def sqrt_gain(grade):
    return np.sqrt(grade)


def zipf(rank):
    return 1 / np.asarray(rank)


def squared_difference(high, low):
    return (high - low) ** 2


VARIANTS = [
    ("precision@3", {"normalize": "length"}),
    ("hits@1", {}),
    ("mrr@1", {}),
    ("map@2", {}),
    ("ndcg@2", {"gain": "linear"}),
    ("ndcg", {"gain": sqrt_gain, "discount": zipf}),
    ("dcg@4", {"gain": sqrt_gain, "discount": "ln"}),
    ("dcg", {"gain": "linear", "discount": zipf}),
    ("map@2", {"normalize": "achievable"}),
    ("f1@3", {"beta": 2, "normalize": "length"}),
    ("f1@2", {"beta": 0.5}),
    ("err@2", {"max_grade": 4}),
    ("err@1", {}),
    ("rbp@2", {"p": 0.5, "max_grade": 4}),
    ("q_measure", {"beta": 0}),
    ("q_measure", {"beta": 10, "gain": "linear"}),
    ("q_measure", {"gain": sqrt_gain}),
    ("rbo", {"p": 0.1}),
    ("rbo", {"p": 0.999}),
    ("rank_correlation", {"weights": "gain"}),
    ("rank_correlation", {"weights": "gain", "gain": "linear"}),
    ("rank_correlation", {"weights": "gain", "gain": sqrt_gain}),
    ("rank_correlation", {"weights": "discount"}),
    ("rank_correlation", {"weights": "discount", "discount": zipf}),
    ("rank_correlation", {"weights": squared_difference}),
]
CASES = [(name, {}) for name in NAMES] + VARIANTS
IDS = [
    " ".join([name, *(str(getattr(v, "__name__", v)) for v in own.values())])
    for name, own in CASES
]


def tied_lists(seed, n_queries=20, max_length=6):
    """Return short queries, most of whose documents are tied."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, max_length + 1, n_queries))
    y_true = rng.integers(0, 4, len(qid)) * rng.integers(0, 2, len(qid))
    return y_true, rng.integers(0, 3, len(qid)), qid


def assert_it_is_what_all_orders_say(name, rows, **options):
    y_true, y_score, qid = rows
    each = {"qid": qid, "average": None, "replace_undefined_by": np.nan}
    got = call(name, y_true, y_score, **each, **options)
    expected = query_values(name, y_true, y_score, qid, **options)
    assert_allclose(got, expected, rtol=1e-11, atol=1e-13, err_msg=str(options))


@pytest.mark.parametrize(("name", "own"), CASES, ids=IDS)
def test_a_policy_is_what_all_orders_say(name, own):
    for ties in ("expected", "first", "optimistic", "pessimistic"):
        assert_it_is_what_all_orders_say(name, tied_lists(1), ties=ties, **own)
    few = tied_lists(2, n_queries=15, max_length=5)
    for ties, threshold in itertools.product(("expected", "pessimistic"), (1, "max")):
        options = {"ties": ties, "threshold": threshold, **own}
        assert_it_is_what_all_orders_say(name, few, **options)


@pytest.mark.parametrize("name", sorted(READS_FIRST_RANK))
def test_realistic_is_the_value_at_the_mean_of_the_best_and_the_worst_rank(name):
    assert_it_is_what_all_orders_say(name, tied_lists(3), ties="realistic")


@pytest.mark.parametrize("name", sorted(set(NAMES) - READS_FIRST_RANK))
def test_realistic_is_refused_where_no_single_rank_is_read(name):
    with pytest.raises(ValueError, match=r"'ties' parameter of \w+ must be a str"):
        call(name, [1, 0], [1, 2], ties="realistic")


# From the hypergeometric laws, in whole numbers: t documents above a class of n, of
# which r are relevant; nothing relevant above.
CLASSES = [(0, 1, 1), (0, 5, 1), (0, 5, 5), (3, 4, 2), (1, 30, 7), (10, 200, 3)]


@pytest.mark.parametrize(("t", "n", "r"), CLASSES)
def test_the_first_relevant_document_follows_the_negative_hypergeometric_law(t, n, r):
    y_true = [[0] * t + [1] * r + [0] * (n - r)]
    y_score = [[1] * t + [0] * n]
    law = {t + j: Fraction(comb(n - j, r - 1), comb(n, r)) for j in range(1, n - r + 2)}
    assert sum(law.values()) == 1
    mrr = float(sum(p / rank for rank, p in law.items()))
    assert metrics.mrr_score(y_true, y_score) == pytest.approx(mrr, rel=1e-12)
    for k in (1, t + 1, t + n // 2 + 1, t + n):
        within = float(sum(p for rank, p in law.items() if rank <= k))
        got = metrics.hits_at_k_score(y_true, y_score, k=k)
        assert got == pytest.approx(within, rel=1e-12)
        within = float(sum(p / rank for rank, p in law.items() if rank <= k))
        got = metrics.mrr_score(y_true, y_score, k=k)
        assert got == pytest.approx(within, rel=1e-12)
    rank = t + (n + 1) / (r + 1)
    assert metrics.mean_rank(y_true, y_score) == pytest.approx(rank, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The target is among five at the top: best rank 1, worst 5, realistic 3.
        ("mean_rank", {"optimistic": 1, "pessimistic": 5, "realistic": 3, "first": 2}),
        ("mrr", {"optimistic": 1, "pessimistic": 1 / 5, "realistic": 1 / 3}),
        ("hits@2", {"optimistic": 1, "pessimistic": 0, "realistic": 0, "first": 1}),
        ("hits@3", {"optimistic": 1, "pessimistic": 0, "realistic": 1, "first": 1}),
    ],
)
def test_policies_of_one_right_candidate_among_ties(name, expected):
    y_score = [9.0, 9.0, 9.0, 9.0, 9.0, 1.0]
    for ties, value in expected.items():
        assert call(name, [1], [y_score], ties=ties) == value
        assert call(name, [0, 1, 0, 0, 0, 0], y_score, ties=ties) == value


def test_realistic_reads_the_first_relevant_document_of_a_class():
    # Two of four are relevant, two documents above: best rank 3, worst rank 5.
    y_true, y_score = [0, 0, 1, 0, 1, 0], [2, 2, 1, 1, 1, 1]
    assert metrics.mean_rank(y_true, y_score, ties="realistic") == (3 + 5) / 2
    assert metrics.mrr_score(y_true, y_score, ties="realistic") == 1 / 4
    assert metrics.hits_at_k_score(y_true, y_score, k=3, ties="realistic") == 0
    assert metrics.hits_at_k_score(y_true, y_score, k=4, ties="realistic") == 1
    assert metrics.mean_rank(y_true, y_score) == pytest.approx(2 + 5 / 3)


def test_a_tie_group_that_straddles_the_cut_counts_the_places_within():
    # Ranks 2 to 5 are tied and two of the four relevant; k = 3 holds two places.
    y_true, y_score = [1, 1, 0, 0, 1, 1], [3, 2, 2, 2, 2, 1]
    found = 1 + 2 * (2 / 4)
    assert metrics.precision_at_k_score(y_true, y_score, k=3) == found / 3
    assert metrics.recall_at_k_score(y_true, y_score, k=3) == found / 4
    dcg = 1 + (2 / 4) * (1 / log2(3) + 1 / log2(4))
    assert metrics.dcg_score(y_true, y_score, k=3) == pytest.approx(dcg)
