"""The report of what documents without a judgement can change."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank._engine.request import METRICS
from skrank.metrics import evaluate, score_queries, unjudged_report
from tests.brute_force import NAMES, full_name

Y = [1, 0, 0, 1, 0, 1]
SCORES = [5, 4, 3, 2, 1, 1]
QID = [0, 0, 0, 0, 0, 1]
JUDGED = [True, False, True, True, True, True]
CHOICES = ["nonrelevant", "condensed", "inferred", "lowest", "highest"]


def test_the_report_by_hand():
    report = unjudged_report(Y, SCORES, ["map", "hits@1"], qid=QID, judged=JUDGED)
    assert repr(report) == (
        "1 of 6 documents are not judged (16.7%)\n\n"
        "        judged@k  nonrelevant  condensed  inferred    lowest   highest      "
        "span\n"
        "map     0.900000     0.875000   0.916667  0.906250  0.875000  0.958333  "
        "0.083333\n"
        "hits@1  1.000000     1.000000   1.000000            1.000000  1.000000  "
        "0.000000"
    )
    assert report.values["map"]["highest"] == pytest.approx(
        ((1 + 1 + 3 / 4) / 3 + 1) / 2
    )
    assert list(report.values["map"]) == CHOICES
    assert (report.n_queries, report.n_documents) == (2, 6)


def test_each_value_is_what_evaluate_says():
    rng = np.random.default_rng(0)
    qid = np.sort(rng.integers(0, 20, 200))
    y_true, y_score = rng.integers(0, 4, 200), rng.integers(0, 30, 200)
    judged, returned = rng.random((2, 200)) < 0.7
    options = {"qid": qid, "judged": judged, "returned": returned}
    names = sorted(full_name(name) for name in NAMES)
    names.remove("judged@3")
    report = unjudged_report(y_true, y_score, names, average="weighted", **options)
    for name in names:
        metric = METRICS[name.removeprefix("neg_").partition("@")[0]]
        k = name.partition("@")[2] or 200
        judged_at_k = evaluate(
            y_true, y_score, f"judged@{k}", average="weighted", **options
        )
        assert report.judged[name] == judged_at_k[f"judged@{k}"]
        assert set(report.values[name]) == set(metric.unjudged_choices)
        for choice, value in report.values[name].items():
            alone = evaluate(
                y_true, y_score, name, unjudged=choice, average="weighted", **options
            )
            assert alone[name] == value or (value != value)
        # A judgement puts a document into the list by grade that RBO compares with.
        if metric.is_bounded and name != "rbo":
            band = [report.values[name][which] for which in ("lowest", "highest")]
            assert band[0] <= report.values[name]["nonrelevant"] + 1e-12
            assert report.values[name]["nonrelevant"] <= band[1] + 1e-12


def test_the_value_of_all_judgements_is_in_the_band_of_every_query():
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(50), rng.integers(2, 40, 50))
    y_true = (rng.random(len(qid)) < 0.3).astype(int)
    y_score = y_true + rng.normal(size=len(qid))
    judged = rng.random(len(qid)) < 0.5
    names = ["map", "ndcg@10", "precision@10", "bpref", "rbp", "q_measure"]
    full = score_queries(y_true, y_score, names, qid=qid).values
    low, high = (
        score_queries(
            y_true, y_score, names, qid=qid, judged=judged, unjudged=which
        ).values
        for which in ("lowest", "highest")
    )
    full = np.where(np.isnan(full), 0.0, full)
    assert (np.nan_to_num(low) <= full + 1e-12).all()
    assert (full <= np.nan_to_num(high) + 1e-12).all()


def test_the_metrics_that_grades_between_may_carry_beyond_the_band_are_named():
    options = {"judged": [True, True, True, False]}
    names = ["dcg", "ndcg@3", "spearman"]
    report = unjudged_report([2, 1, 0, 0], [4, 3, 2, 1], names, **options)
    assert report.may_exceed == ("ndcg@3", "spearman")
    assert "The band of ndcg@3, spearman is that of judgements as not" in repr(report)
    report = unjudged_report([2, 2, 0, 0], [4, 3, 2, 1], names, **options)
    assert report.may_exceed == ()
    # A grade between does exceed it: the bounds by hand, of one judged document.
    y_score, judged = [3, 2, 1], [True, False, False]
    given = unjudged_report([1, 0, 0], y_score, "ndcg", judged=judged, unjudged_grade=2)
    between = evaluate([1, 1, 0], y_score, "ndcg")["ndcg"]
    assert between == given.values["ndcg"]["highest"] == 1


def test_an_adjusted_metric_has_no_band():
    report = unjudged_report(Y, SCORES, "map", qid=QID, judged=JUDGED, adjusted=True)
    assert list(report.values["map"]) == CHOICES[:3]
    assert report.judged["map"] == pytest.approx(0.9)


def test_unjudged_report_refuses_bad_input():
    for params in ({"unjudged": "lowest"}, {"average": None}):
        with pytest.raises(TypeError, match="a value for each choice of 'unjudged'"):
            unjudged_report(Y, SCORES, qid=QID, judged=JUDGED, **params)
    with pytest.raises(ValueError, match="must be above the threshold"):
        unjudged_report(Y, SCORES, qid=QID, judged=JUDGED, unjudged_grade=0)
    with pytest.raises(TypeError, match="unjudged_report got parameters that none of"):
        unjudged_report(Y, SCORES, qid=QID, judged=JUDGED, gian="linear")
