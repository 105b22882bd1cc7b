"""How far tied scores can move a metric."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy import sparse

from skrank._engine.names import parse_name
from skrank._engine.request import METRICS
from skrank._engine.summary import mean_of_queries
from skrank.metrics import evaluate, score_queries, tie_report
from tests.brute_force import LISTED

COUNTS = ("n_queries", "n_documents", "n_tied_queries", "n_tied_documents")


def counts(report):
    return tuple(getattr(report, name) for name in COUNTS)


def test_the_values_are_those_of_the_worst_of_all_and_of_the_ideal_ranking():
    report = tie_report([1, 0, 0], [1, 1, 1], ["mrr", "precision@1", "map"])
    assert counts(report) == (1, 3, 1, 3)
    expected = (1 / 3, (1 + 1 / 2 + 1 / 3) / 3, 1)
    assert report.values["mrr"] == pytest.approx(expected)
    assert report.values["map"] == pytest.approx(expected)
    assert report.values["precision@1"] == pytest.approx((0, 1 / 3, 1))


def test_only_documents_of_one_query_are_tied_with_each_other():
    y_true, y_score = [1, 0, 1, 0, 1], [1, 1, 1, 2, 3]
    assert counts(tie_report(y_true, y_score, qid=[0, 1, 2, 3, 4])) == (5, 5, 0, 0)
    assert counts(tie_report(y_true, y_score, qid=[7, 8, 7, 8, 8])) == (2, 5, 1, 2)
    assert counts(tie_report(y_true, y_score)) == (1, 5, 1, 3)


def test_the_counts_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    qid, y_score = rng.integers(0, 30, 200), rng.integers(0, 6, 200)
    tied = [
        ((qid == query) & (y_score == score)).sum() > 1
        for query, score in zip(qid, y_score, strict=True)
    ]
    report = tie_report(rng.integers(0, 3, 200), y_score, qid=qid)
    n_tied = len(set(qid[tied].tolist()))
    assert counts(report) == (len(set(qid.tolist())), 200, n_tied, sum(tied))


def test_every_shape_of_the_input_is_counted():
    y_score = np.array([[2.0, 2.0, 1.0, 1.0], [1.0, 3.0, 1.0, 1.0]])
    y_true = np.array([[1, 0, 0, 0], [0, 0, 1, 1]])
    flat = tie_report(y_true.ravel(), y_score.ravel(), qid=[0] * 4 + [1] * 4)
    assert counts(flat) == (2, 8, 2, 7)
    for grades in (y_true, sparse.csr_matrix(y_true)):
        assert tie_report(grades, y_score) == flat
    exclude = np.array([[False, True, False, True], [True, False, False, False]])
    assert counts(tie_report([0, 3], y_score)) == (2, 8, 2, 7)
    assert counts(tie_report([0, 3], y_score, exclude=exclude)) == (2, 5, 1, 2)
    assert counts(tie_report(y_true, y_score, exclude=exclude)) == (2, 5, 1, 2)
    # The right candidate is never taken out.
    assert counts(tie_report([0, 0], y_score, exclude=exclude)) == (2, 6, 1, 3)


def test_documents_that_were_not_returned_are_not_tied():
    returned = np.array([True, False, True])
    report = tie_report([1, 1, 0], [1, 1, 1], "mrr", returned=returned)
    assert counts(report) == (1, 2, 1, 2)
    report = tie_report([1, 1, 0], [1, 1, 2], "mrr", returned=returned)
    assert counts(report) == (1, 2, 0, 0)


def test_ties_are_those_of_the_precision_in_which_scores_are_compared():
    y_score = [1.0, 1.0 + 1e-9]
    assert counts(tie_report([1, 0], y_score)) == (1, 2, 0, 0)
    report = tie_report([1, 0], y_score, "mrr", score_dtype="float32")
    assert counts(report) == (1, 2, 1, 2)
    assert report.values == {"mrr": (0.5, 0.75, 1.0)}


# Documents are judged or not, whatever their scores; ties are all there is of the
# spread of ranks.
@pytest.mark.slow_rows
@pytest.mark.parametrize("name", sorted(set(LISTED) - {"cg"}))
def test_a_constant_scorer_gets_the_chance_level(name):
    if name.startswith(("judged", "neg_rank_", "num_")):
        return
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(12), 20)
    y_true = rng.integers(0, 4, (12, 20)) * (rng.random((12, 20)) < 0.3)
    y_true[:, :2] = [0, 3]
    constant = np.zeros(len(qid))
    report = tie_report(y_true.ravel(), constant, name, qid=qid)
    worst, chance, best = report.values[name]
    if not parse_name(name).metric.fixed and "geometric" not in name:
        adjusted = evaluate(y_true.ravel(), constant, name, qid=qid, adjusted=True)
        assert adjusted[name] == pytest.approx(0, abs=1e-12)
    assert worst <= chance <= best
    if name.partition("@")[0].removeprefix("neg_") in POOLED:
        return
    # It is the mean over random scores.
    n_draws = 60
    drawn = {str(i): rng.random(len(qid)) for i in range(n_draws)}
    draws = score_queries(y_true.ravel(), drawn, name, qid=qid).values.mean(axis=2)
    error = np.std(draws) / np.sqrt(n_draws)
    assert abs(np.mean(draws) - chance) < 4.5 * error + 1e-12


# Their value of many queries is not a mean, so it has no expectation either.
POOLED = {
    name
    for name, metric in METRICS.items()
    if metric.pool is not mean_of_queries or metric.inverse
}


def test_it_prints_as_a_table():
    report = tie_report([1, 0, 0, 1], [2, 2, 1, 3], "mrr", qid=[7, 7, 8, 8])
    assert repr(report).splitlines() == [
        "1 of 2 queries are tied (50.0%)",
        "2 of 4 documents are tied (50.0%)",
        "",
        "     pessimistic  expected  optimistic      span",
        "mrr     0.750000  0.875000    1.000000  0.250000",
    ]


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"ties": "first"}, "tie_report sets .ties. itself"),
        ({"average": None}, "one value per metric"),
        ({"gian": "linear"}, "'gian'"),
    ],
)
def test_what_tie_report_does_not_take_raises(params, match):
    with pytest.raises(TypeError, match=match):
        tie_report([1, 0], [1, 1], **params)
