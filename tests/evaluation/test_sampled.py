"""Metrics of all candidates that are estimated from rows with a sample of them."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
from statistics import fmean

import numpy as np
import pytest
from skrank.evaluation.sampled import places_in_groups

from skrank._engine.request import METRICS
from skrank.metrics import evaluate, evaluate_sampled
from tests.link_prediction.test_estimates import link_ranks

# They read more than the ranks of the relevant documents, one by one.
REFUSED = {
    "bpref", "err", "gm_map", "lrap", "map", "mean_precision", "q_measure", "query_auc",
    "rank_correlation", "ranking_loss", "rbo", "spearman",
}  # fmt: skip


def draw(seed):
    """Return ragged queries with ties, each with a row that is not relevant."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 9, 6)
    qid = np.repeat([4, 0, 3, 1, 5, 2], sizes)
    y_true = rng.integers(1, 3, len(qid)) * (rng.random(len(qid)) < 0.5)
    y_true[np.unique(qid, return_index=True)[1]] = 0
    y_true[np.unique(qid, return_index=True)[1] + 1] = 1
    counts = dict(zip(*np.unique(qid, return_counts=True), strict=True))
    n_rows = np.array([counts[query] for query in qid])
    return y_true, rng.integers(0, 4, len(qid)).astype(float), qid, n_rows


@pytest.mark.parametrize("ties", ["expected", "first", "optimistic", "pessimistic"])
@pytest.mark.parametrize(
    "name", sorted(name for name, one in METRICS.items() if not one.columns)
)
def test_a_sample_of_all_candidates_gives_the_metric_itself(name, ties):
    metric = METRICS[name]
    cutoff = "" if metric.cutoff == "never" else "@3"
    for seed in range(2):
        y_true, y_score, qid, n_rows = draw(seed)
        given = {"metrics": metric.full_name + cutoff, "qid": qid, "ties": ties}
        of_sample = given | {"n_candidates": n_rows, "estimate": "rank"}
        if name in REFUSED:
            with pytest.raises(ValueError, match="Ranks that are estimated from a sam"):
                evaluate_sampled(y_true, y_score, **of_sample)
            continue
        found = evaluate_sampled(y_true, y_score, **of_sample)
        expected = evaluate(y_true, y_score, **given)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("relevant", [[4.0], [4.0, 7.5], [4.0, 3.0, 0.5]])
def test_the_mean_over_all_samples_is_the_mean_rank_of_all_candidates(relevant):
    others, names = [1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0], ["neg_mean_rank", "hits@1"]
    n = len(relevant)
    y_true = [1] * n + [0] * len(others)
    exact = evaluate(y_true, [*relevant, *others], [*names, "query_auc"])
    found, auc = [], []
    for sample in itertools.combinations(others, 3):
        rows = [1] * n + [0] * 3, [*relevant, *sample]
        given = {"n_candidates": len(y_true), "estimate": "rank"}
        found.append(evaluate_sampled(*rows, names, **given))
        auc.append(evaluate(*rows, "query_auc")["query_auc"])
    mean = fmean(one["neg_mean_rank"] for one in found)
    assert mean == pytest.approx(exact["neg_mean_rank"], rel=1e-12)
    assert fmean(auc) == pytest.approx(exact["query_auc"], rel=1e-12)
    # No relevant one is first, except in the samples without the better ones.
    assert fmean(one["hits@1"] for one in found) > exact["hits@1"]


@pytest.mark.parametrize("relevant", [1, 2, 3])
@pytest.mark.parametrize("others", [0, 2, 3])
def test_tied_documents_may_have_every_place_in_their_group(others, relevant):
    counts, documents = {}, [True] * relevant + [False] * others
    orders = list(itertools.permutations(range(len(documents))))
    for order in orders:
        place = order.index(0)  # of one relevant document
        before = sum(documents[i] for i in order[:place])
        key = before, place - before
        counts[key] = counts.get(key, 0) + 1 / len(orders)
    unit, above, before, probability = places_in_groups(
        np.array([1, others]), np.array([1, relevant])
    )
    own = unit == 1
    keys = zip(before[own].tolist(), above[own].tolist(), strict=True)
    found = dict(zip(keys, probability[own].tolist(), strict=True))
    assert found == pytest.approx(counts)


def simulated(n_queries=2000, n_others=999, n_negatives=100, seed=0):
    """Return rows with all candidates, and with a sample of them."""
    rng = np.random.default_rng(seed)
    parts, samples = [], []
    for query in range(n_queries):
        n_relevant = rng.integers(1, 6)
        scores = np.append(rng.normal(1.8, 1.2, n_relevant), rng.normal(size=n_others))
        y_true = np.arange(len(scores)) < n_relevant
        rows = np.column_stack([np.full(len(scores), query), y_true, scores])
        drawn = n_relevant + rng.choice(n_others, n_negatives, replace=False)
        parts.append(rows)
        kept = rows[np.append(np.arange(n_relevant), drawn)]
        n_candidates = np.full(len(kept), len(rows))
        samples.append(np.column_stack([kept, n_candidates]))
    return np.concatenate(parts), np.concatenate(samples)


@pytest.mark.slow
def test_metrics_of_several_relevant_items_are_estimated():
    rows, sample = simulated()
    names = ["mrr", "hits@20", "recall@20", "precision@50", "ndcg@50", "neg_mean_rank"]
    exact = evaluate(rows[:, 1], rows[:, 2], names, qid=rows[:, 0])
    in_sample = evaluate(sample[:, 1], sample[:, 2], names, qid=sample[:, 0])
    found = evaluate_sampled(
        sample[:, 1], sample[:, 2], names, qid=sample[:, 0],
        n_candidates=sample[:, 3].astype(int),
    )  # fmt: skip
    assert found == pytest.approx(exact, rel=0.1)
    for name in names[:-1]:
        assert in_sample[name] > 1.2 * exact[name]


@pytest.mark.parametrize("estimate", ["em", "rank"])
def test_one_relevant_item_has_the_estimate_of_a_target(estimate):
    rng = np.random.default_rng(0)
    n, m = 50, 20
    y_score = np.column_stack([np.full(n, 10.0), rng.integers(3, 12, (n, m))])
    rows = (np.arange(m + 1) == 0) & np.ones((n, 1), dtype=bool)
    names = ["mrr", "hits@3", "neg_mean_rank", "ndcg@10", "recall@5"]
    found = evaluate_sampled(
        rows.ravel(), y_score.ravel(), names, qid=np.repeat(np.arange(n), m + 1),
        n_candidates=400, estimate=estimate,
    )  # fmt: skip
    above, tied = (y_score[:, 1:] > 10).sum(axis=1), (y_score[:, 1:] == 10).sum(axis=1)
    ranks = link_ranks(above, 400, m, estimate, tied=tied)
    assert found == pytest.approx(ranks.evaluate(names), rel=1e-12)


def test_a_matrix_has_the_estimate_of_its_rows():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random((9, 8)) < 0.4, rng.integers(0, 5, (9, 8))
    y_true[:, 0], n_candidates = False, rng.integers(20, 60, 9)
    found = evaluate_sampled(y_true, y_score, "ndcg", n_candidates=n_candidates)
    assert found == evaluate_sampled(
        y_true.ravel(), y_score.ravel(), "ndcg", qid=np.repeat(np.arange(9), 8),
        n_candidates=np.repeat(n_candidates, 8),
    )  # fmt: skip


@pytest.mark.parametrize("estimate", ["em", "rank"])
def test_a_weight_of_two_is_a_second_query(estimate):
    y_true, y_score, qid, _ = draw(0)
    twice = qid == 3
    given = {"metrics": ["mrr", "recall@3", "ndcg"], "n_candidates": 90}
    given["estimate"] = estimate
    weight = 1.0 + twice
    found = evaluate_sampled(y_true, y_score, qid=qid, sample_weight=weight, **given)
    rows = [np.append(one, one[twice]) for one in (y_true, y_score)]
    again = np.append(qid, np.full(twice.sum(), 9))
    expected = evaluate_sampled(*rows, qid=again, **given)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_queries_without_a_relevant_item_are_undefined():
    rows = [0, 0, 1, 0], [1, 2, 2, 1], "mrr"
    for estimate in ("em", "rank"):
        given = {"qid": [1, 1, 2, 2], "n_candidates": 9, "estimate": estimate}
        half = evaluate_sampled(*rows, **given)["mrr"]
        own = evaluate_sampled(*rows, replace_undefined_by=math.nan, **given)["mrr"]
        assert half == own / 2
        assert evaluate_sampled([0, 0], [1, 2], "mrr", n_candidates=9) == {"mrr": 0.0}


def test_a_cutoff_by_query_has_no_estimate():
    with pytest.raises(ValueError, match="no cutoff that differs between queries"):
        evaluate_sampled([1, 1, 0], [1, 2, 3], "r_precision", n_candidates=9)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"n_candidates": 2}, "at least the number of its rows.* Got .* and 3 rows"),
        ({"n_candidates": 0}, "must be an int, or one that is equal for all rows"),
        ({"n_candidates": 4.5}, "must be an int, or one that is equal for all rows"),
        ({"n_candidates": [5, 5, 6]}, r"for all rows of a query.* Got \[5, 5, 6\]"),
        ({"y_true": [1] * 3}, "row that is not relevant of each query.* Got none of"),
        ({"estimate": None}, "'estimate' parameter of evaluate_sampled must be a str"),
        ({"unjudged": "condensed"}, "'unjudged' parameter .* must be 'nonrelevant'"),
    ],
)
def test_bad_samples_are_refused(given, error):
    good = {"y_true": [1, 0, 0], "y_score": [1, 2, 3], "n_candidates": 9}
    with pytest.raises((ValueError, TypeError), match=error):
        evaluate_sampled(metrics="mrr", **(good | given))
