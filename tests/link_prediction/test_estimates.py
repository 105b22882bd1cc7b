"""Metrics that are estimated from ranks among a sample, beside those of all ranks."""

# SPDX-License-Identifier: BSD-3-Clause

from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from skrank.datasets import load_nations
from skrank.link_prediction import (
    LinkRanks,
    PopularityPredictor,
    SampledNegatives,
    rank_triples,
)
from tests.link_prediction.graphs import NoisyCounts, make_graph

# The models here have no `triples_`.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no attribute 'triples_'")

METRICS = ["mrr", "hits@1", "hits@10", "arithmetic_mean_rank"]


def link_ranks(above, n_candidates, n_negatives=0, estimate=None, weight=None, tied=0):
    """Return ranks, in a sample if there are negatives, of which the counts matter."""
    zero = np.zeros(len(above), dtype=int)
    return LinkRanks(
        side=zero,
        triple=zero,
        relation=np.arange(len(above)) % 3,
        category=zero,
        above=np.asarray(above),
        tied=zero + tied,
        n_candidates=zero + n_candidates,
        weight=np.ones(len(above)) if weight is None else np.asarray(weight),
        n_negatives=zero + n_negatives,
        estimate=estimate,
    )


def sampled(rank, n_candidates, n_negatives, estimate, seed=0):
    """Draw negatives for targets of known ranks, and rank them in the sample."""
    rng = np.random.default_rng(seed)
    above = rng.binomial(n_negatives, (rank - 1) / (n_candidates - 1))
    if estimate is None:
        return link_ranks(above, n_negatives + 1).evaluate(METRICS)
    return link_ranks(above, n_candidates, n_negatives, estimate).evaluate(METRICS)


def means(rank):
    values = 1 / rank, rank <= 1, rank <= 10, rank
    return dict(zip(METRICS, map(np.mean, values), strict=True))


def like_fb15k(n_ranks=40_000, n_candidates=14_541):
    """Return ranks with MRR .243, Hits@1 .138 and Hits@10 .464, as of FB15k-237."""
    normal = np.random.default_rng(0).standard_normal(n_ranks)
    rank = np.ceil(np.exp(2.51 + 2.3 * normal)).astype(int)
    return np.minimum(rank, n_candidates)


@pytest.mark.slow
def test_metrics_of_ranks_like_those_of_fb15k_237_are_estimated():
    rank = like_fb15k()
    exact = means(rank)
    assert_allclose(list(exact.values())[:3], [0.243, 0.138, 0.464], atol=0.002)
    naive = sampled(rank, 14_541, 100, None)
    assert_allclose(list(naive.values())[:3], [0.852, 0.771, 0.979], atol=0.002)
    found = sampled(rank, 14_541, 100, "em")
    assert found == pytest.approx(exact, rel=0.08)


def test_scaled_ranks_have_the_mean_rank_and_nothing_else():
    rank = like_fb15k()
    exact, found = means(rank), sampled(rank, 14_541, 100, "rank")
    mean = "arithmetic_mean_rank"
    assert found[mean] == pytest.approx(exact[mean], rel=0.02)
    assert found["mrr"] > 3 * exact["mrr"]
    assert found["hits@10"] > 1.5 * exact["hits@10"]


@pytest.mark.slow
def test_queries_may_have_different_candidates_and_negatives():
    rng = np.random.default_rng(1)
    n_candidates = rng.choice([150, 1500, 14_000, 14_500], size=40_000)
    n_negatives = rng.choice([50, 100, 200], size=40_000)
    uniform = np.exp(rng.random(40_000) * np.log(n_candidates + 1))
    rank = np.minimum(np.floor(uniform).astype(int), n_candidates)
    found = sampled(rank, n_candidates, n_negatives, "em")
    assert found == pytest.approx(means(rank), rel=0.1)


def test_em_is_that_of_a_loop():
    n, m, above = 4, 3, [0, 0, 1, 3, 0, 2]
    law = {rank: log((rank + 1) / rank) for rank in range(1, n + 1)}
    for _ in range(300):
        new = dict.fromkeys(law, 0.0)
        for x in above:
            joint = {}
            for rank in law:
                p = (rank - 1) / (n - 1)
                joint[rank] = law[rank] * p**x * (1 - p) ** (m - x)
            for rank in law:
                new[rank] += joint[rank] / sum(joint.values()) / len(above)
        law = new
    found = link_ranks(above, n, m, "em").evaluate([*METRICS, "ndcg@3"])
    assert found == pytest.approx(
        {
            "mrr": sum(law[rank] / rank for rank in law),
            "hits@1": law[1],
            "hits@10": 1.0,
            "arithmetic_mean_rank": sum(law[rank] * rank for rank in law),
            "ndcg@3": law[1] + law[2] / np.log2(3) + law[3] / 2,
        },
        rel=1e-3,
    )


@pytest.mark.parametrize("estimate", ["em", "rank"])
def test_weights_are_repetitions_and_groups_are_estimated_apart(estimate):
    rng = np.random.default_rng(2)
    above, weight = rng.binomial(5, 0.3, size=30), rng.integers(1, 4, size=30)
    once = link_ranks(above, 20, 5, estimate, weight)
    repeated = link_ranks(np.repeat(above, weight), 20, 5, estimate)
    found = once.evaluate(METRICS, average="question")
    assert found == pytest.approx(repeated.evaluate(METRICS), rel=1e-6)
    assert found != pytest.approx(once.evaluate(METRICS), rel=1e-3)
    by = once.evaluate(METRICS, by="relation")
    assert by[1] == link_ranks(above[1::3], 20, 5, estimate).evaluate(METRICS)


def test_tied_ranks_count_as_each_of_the_ranks_they_may_have():
    tied = link_ranks([1, 0, 0, 2], 9, 4, "em", tied=[2, 0, 0, 0])
    split = [1, 2, 3, *[0] * 6, *[2] * 3]
    expected = link_ranks(split, 9, 4, "em").evaluate(METRICS)
    assert tied.evaluate(METRICS) == pytest.approx(expected)
    for ties, above in (("optimistic", 1), ("realistic", 2), ("pessimistic", 3)):
        expected = link_ranks([above, 0, 0, 2], 9, 4, "em").evaluate(METRICS)
        assert tied.evaluate(METRICS, ties=ties) == pytest.approx(expected)


@pytest.mark.parametrize(
    "model", [PopularityPredictor(), NoisyCounts()], ids=["popularity", "noisy counts"]
)
def test_estimates_on_nations_are_near_the_ranks_of_all_candidates(model):
    nations = load_nations()
    model = clone(model).fit(nations.train)
    exact = rank_triples(model, nations.test, known=nations.valid).evaluate(METRICS)
    sample = SampledNegatives(8, random_state=0)
    how = {"known": nations.valid, "candidates": sample}
    with pytest.warns(UserWarning, match="a sample of the candidates"):
        found = rank_triples(model, nations.test, **how).evaluate(METRICS)
    errors = [found[name] - exact[name] for name in METRICS]
    assert_allclose(errors[:3], 0, atol=0.08)
    assert errors[3] < 0.2


@pytest.mark.parametrize("estimate", ["em", "rank"])
def test_few_candidates_and_many_negatives_are_no_trouble(estimate):
    # One candidate; two of them, both tied; no negative left; a rank between two.
    sample = [0, 0, 0, 1], [1, 2, 7, 3], [0, 50, 0, 2]
    ranks = link_ranks(*sample, estimate, tied=[0, 50, 0, 1])
    for ties in ("expected", "realistic", "pessimistic"):
        values = ranks.evaluate(METRICS, ties=ties)
        assert np.isfinite(list(values.values())).all()
        assert 1 <= values["arithmetic_mean_rank"] <= (1 + 2 + 7 + 3) / 4


def test_metrics_that_read_more_than_the_rank_are_refused():
    def lowest_place(ranking):
        return ranking.above + ranking.size

    for estimate in ("em", "rank"):
        ranks = link_ranks([0, 1, 2], 9, 4, estimate)
        with pytest.raises(ValueError, match="have only metrics of the rank, such as"):
            ranks.evaluate(lowest_place)


def test_an_unknown_estimate_is_refused():
    message = r"'estimate' parameter of SampledNegatives must be .* Got .* instead"
    for estimate in (True, False, "EM"):
        sample = SampledNegatives(2, estimate=estimate)
        with pytest.raises(ValueError, match=message):
            rank_triples(*make_graph(), candidates=sample)
