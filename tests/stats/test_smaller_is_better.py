"""Metrics of which smaller values are better, by both of their names."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_score

from skrank._engine.request import METRICS
from skrank.metrics import QueryScores, evaluate, make_ranking_scorer, score_queries
from skrank.plot import ComparisonDisplay, MetricAtKDisplay
from skrank.stats import compare_rankers, confidence_interval, gate, required_queries
from tests.brute_force import LESS_IS_BETTER

pytestmark = pytest.mark.filterwarnings("ignore:.* may be too (small|narrow)")

rng = np.random.default_rng(0)
QID = np.repeat(np.arange(40), 6)
GRADES = rng.integers(3, size=240) * (rng.random(240) < 0.5)
RUNS = {name: GRADES + (i + 1) * rng.normal(size=240) for i, name in enumerate("abc")}
COLUMNS = {
    "popularity": rng.lognormal(size=240),
    "group": rng.dirichlet([1, 1], size=240),
}
NAMES = [
    name + ("@3" if METRICS[name].cutoff == "optional" else "")
    for name in sorted(LESS_IS_BETTER)
]


def columns_of(name):
    return {one: COLUMNS[one] for one in METRICS[name.partition("@")[0]].columns}


def both(name, runs=RUNS):
    """Return the scores by both names of a metric."""
    return [
        score_queries(GRADES, runs, one, qid=QID, **columns_of(name))
        for one in (f"neg_{name}", name)
    ]


# Those by which two rankers can be compared.
MEANS = [
    name
    for name in NAMES
    if name.startswith(("calib", "eed", "eel", "mean_rank", "popul", "ranking"))
]


@pytest.mark.parametrize("name", NAMES)
def test_the_value_is_that_of_the_function_and_the_scorer_without_a_sign(name):
    data = {"y_score": RUNS["b"], "qid": QID, **columns_of(name)}
    found = evaluate(GRADES, metrics=[name, f"neg_{name}"], **data)
    assert [*found] == [name, f"neg_{name}"]
    assert found[name] == -found[f"neg_{name}"] >= 0
    base, _, k = name.partition("@")
    metric, options = METRICS[base], {"k": int(k)} if k else {}
    assert found[name] == metric.function(GRADES, **data, **options, **metric.fixed)
    assert found == score_queries(GRADES, metrics=[*found], **data).summary()


@pytest.mark.parametrize("name", NAMES)
def test_only_a_scorer_insists_on_the_sign(name):
    match = (
        rf"lower values of '{name}' are better\. Did you mean scoring='neg_{name}'\?"
    )
    for make in (get_scorer, make_ranking_scorer):
        with pytest.raises(ValueError, match=match):
            make(name)
    X = RUNS["a"].reshape(-1, 1)
    with pytest.raises(ValueError, match=match):
        cross_val_score(Ridge(), X, GRADES, scoring=name)
    assert make_ranking_scorer(f"neg_{name}")


@pytest.mark.parametrize("name", NAMES)
def test_scores_that_are_read_again_keep_the_direction(name, tmp_path):
    negated, scores = both(name)
    scores.save(tmp_path / "scores.parquet")
    loaded = QueryScores.load(tmp_path / "scores.parquet")
    frames = [loaded]
    if name in MEANS:
        frames.append(QueryScores.from_frame(scores.to_frame(), ranker="ranker"))
    for one in (scores, *frames):
        assert one.summary() == scores.summary()
        assert f"smaller values of {name} are better" in str(one).split("\n")[0]
        worst, of_negated = (x.worst_queries(n=5) for x in (one, negated))
        assert worst["qid"].tolist() == of_negated["qid"].tolist()
        assert_array_equal(worst["value"], -of_negated["value"])
    assert "are better" not in str(negated)


@pytest.mark.parametrize("options", [{}, {"test": "t", "correction": None}])
@pytest.mark.parametrize("name", MEANS)
def test_comparisons_differ_in_the_sign_of_the_difference_only(name, options):
    negated, plain = (compare_rankers(one, **options) for one in both(name))
    assert negated.rows
    for one, other in zip(negated.rows, plain.rows, strict=True):
        assert one.difference == -other.difference != 0
        assert (other.low, other.high) == pytest.approx((-one.high, -one.low))
        for entry in ("pvalue", "p_adjusted", "wins", "ties", "losses"):
            assert one[entry] == other[entry]
        assert one.detectable == pytest.approx(other.detectable)
    assert plain.letters[name] == negated.letters[f"neg_{name}"]
    assert [*plain.letters[name]] == [*negated.letters[f"neg_{name}"]]
    assert f"| ranker | {name} ↓ |" in plain.to_markdown()
    words = f"smaller values of {name} are better"
    assert words in str(plain).replace("\n", " ")
    assert words in str(confidence_interval(both(name)[1]))
    queries = [one.worst_queries(3)["qid"].tolist() for one in (negated, plain)]
    assert queries[0] == queries[1]


@pytest.mark.parametrize(
    ("name", "baseline", "candidate", "margin"),
    [
        (name, *["ab", "ba", "aa"][(i + j) % 3], margin)
        for i, name in enumerate(MEANS)
        for j, margin in enumerate([0.0, 0.01, 0.5, 50.0])
    ],
)
def test_a_gate_lets_smaller_values_rise_by_the_margin(
    name, baseline, candidate, margin
):
    runs = {"old": RUNS[baseline], "new": RUNS[candidate]}
    if name == "ranking_loss" and margin > 1:
        for one in both(name, runs):
            with pytest.raises(ValueError, match=r"less than the range of .*, 1. Got"):
                gate(one, baseline="old", margin=margin)
        return
    negated, plain = (
        gate(one, baseline="old", margin=margin) for one in both(name, runs)
    )
    assert plain.decision == negated.decision
    (one,), (row,) = negated.rows, plain.rows
    assert (row.low, row.high) == (-one.high, -one.low)
    assert (row.baseline, row.candidate) == (-one.baseline, -one.candidate)
    assert row.difference == -one.difference
    assert (row.margin, row.required) == (margin, one.required)
    assert (row.greater_is_better, one.greater_is_better) == (False, True)
    assert f"smaller values of {name} are better" in str(plain).replace("\n", " ")
    if row.decision != "undecided":
        assert (row.high < margin) == (row.decision == "passed")


def test_a_gate_reads_both_kinds_of_metrics():
    scores = score_queries(
        GRADES, {"old": RUNS["a"], "new": RUNS["c"]}, ["mean_rank", "mrr"], qid=QID
    )
    decision = gate(scores, baseline="old", margin=[9, 0.001])
    assert [row.decision for row in decision.rows] == ["passed", "worse"]
    assert decision.rows[0].difference > 0 > decision.rows[1].difference


@pytest.mark.slow
def test_displays_and_the_number_of_queries_read_the_direction():
    names = ["popularity@2", "popularity@4"]
    data = {"qid": QID, "popularity": COLUMNS["popularity"]}
    pytest.importorskip("matplotlib")
    display = MetricAtKDisplay.from_predictions(
        GRADES, RUNS, "popularity", ks=[2, 4], **data
    )
    assert not display.greater_is_better
    scores = score_queries(GRADES, RUNS, names, **data)
    display = ComparisonDisplay.from_comparison(compare_rankers(scores))
    assert not any(display.greater_is_better)
    negated, plain = both("mean_rank")
    needed = [
        required_queries(one[["a", "b"]], effect=0.5).n for one in (negated, plain)
    ]
    assert needed[0] == needed[1]
