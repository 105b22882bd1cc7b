"""Exposure and propensities beside the TREC fair ranking tracks and pyxclib."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank.metrics import evaluate, explain, inverse_propensities
from tests.other_libraries.exposure_peers import KS, LENGTHS, read

RECORDED = read()
LISTS, MATRICES = RECORDED["lists"], RECORDED["matrices"]
NAMES = {"EE-L": "neg_eel", "EE-D": "neg_eed", "EE-R": "eer"}


def given(case):
    return {"group": case["group"], "target": case["target"]}


# How far their numbers, with discounts in single precision, may be from ours, and those
# with discounts in double precision.
TOLERANCE = {"single": 1e-7, "double": 1e-12}


@pytest.mark.parametrize("precision", TOLERANCE)
@pytest.mark.parametrize("place", range(len(LISTS)))
def test_awrf_is_that_of_the_tracks(place, precision):
    case, tolerance = LISTS[place], TOLERANCE[precision]
    found = evaluate(
        None, case["scores"], "awrf", convention="trec_fair", **given(case)
    )
    theirs = case[f"2021, {precision}"]["awrf"]
    assert found["awrf"] == pytest.approx(theirs, abs=tolerance)
    theirs = case[f"2022, {precision}"]["awrf"]
    if theirs is None:  # no document is known: NaN in 2022
        assert not np.any(case["group"])
    else:
        assert found["awrf"] == pytest.approx(theirs, abs=tolerance)


@pytest.mark.parametrize("precision", TOLERANCE)
@pytest.mark.parametrize("track", LENGTHS)
@pytest.mark.parametrize("place", range(len(LISTS)))
def test_expected_exposure_is_that_of_the_tracks(place, track, precision):
    case, k = LISTS[place], LENGTHS[track]
    names = [f"{name}@{k}" for name in NAMES.values()]
    found = evaluate(
        case["grades"], case["scores"], names, convention="trec_fair",
        ties="expected", only_relevant=track == "2022", **given(case),
    )  # fmt: skip
    # The tracks also sum all discounts, and square the sum, in single precision.
    tolerance = TOLERANCE[precision] * (3 if precision == "single" else 1)
    for theirs, name in NAMES.items():
        ours = found[f"{name}@{k}"] * (-1 if name.startswith("neg_") else 1)
        expected = case[f"{track}, {precision}"][theirs]
        assert ours == pytest.approx(expected, rel=tolerance, abs=1e-15)


def test_rankings_of_different_documents_are_those_of_the_track():
    # What the metric of 2022 says of three rankings of three of six documents, with
    # discounts in double precision, and the mean of what it says of each.
    theirs = {"EE-L": 0.8134541725517999, "EE-D": 1.6181758596061266}
    theirs["EE-R"] = 2.2020265992663317
    mean_of_each = {"EE-L": 1.001279717954472, "EE-D": 1.8060014050087982}
    mean_of_each["EE-R"] = 2.2020265992663317  # which is linear in the exposure
    member = np.array([[1, 0], [0, 1], [0.5, 0.5], [0.2, 0.8], [0, 0], [1, 0]])
    relevant = np.array([1, 1, 0, 1, 1, 0])
    shown, rank = np.array([0, 1, 2, 3, 4, 0, 5, 3, 1]), np.tile([1, 2, 3], 3)
    seen = 1 / np.log2(np.maximum(rank, 2))
    options = {"target": [0.6, 0.4], "only_relevant": True}
    found = evaluate(
        relevant[shown], np.zeros(9), list(NAMES.values()), **options,
        group=(seen / seen.mean())[:, np.newaxis] * member[shown],
        discount=lambda rank: np.full(rank.shape, seen.mean() / 3),
    )  # fmt: skip
    each = evaluate(
        relevant[shown], -rank, list(NAMES.values()), **options,
        qid=np.repeat([1, 2, 3], 3), group=member[shown], convention="trec_fair",
    )  # fmt: skip
    for name, ours in NAMES.items():
        sign = -1 if ours.startswith("neg_") else 1
        assert sign * found[ours] == pytest.approx(theirs[name], abs=1e-12)
        assert sign * each[ours] == pytest.approx(mean_of_each[name], abs=1e-12)


def rows_of(case):
    labels = np.array(case["labels"])
    n_queries, n_labels = labels.shape
    inverse = inverse_propensities(case["counts"], 100)
    scores = np.ravel(case["scores"])
    qid = np.repeat(np.arange(n_queries), n_labels)
    columns = {"qid": qid, "propensity": np.tile(1 / inverse, n_queries)}
    return labels.ravel(), scores, columns


@pytest.mark.parametrize("place", range(len(MATRICES)))
def test_propensity_scored_metrics_are_those_of_pyxclib(place):
    case = MATRICES[place]
    inverse = inverse_propensities(case["counts"], 100)
    np.testing.assert_allclose(inverse, case["pyxclib"]["inverse"], rtol=1e-12)
    y_true, y_score, columns = rows_of(case)
    for k in KS:
        names = [f"psp@{k}", f"psndcg@{k}"]
        found = evaluate(y_true, y_score, names, convention="pyxclib", **columns)
        psp, psndcg = (case["pyxclib"][name] for name in names)
        assert found[f"psp@{k}"] == pytest.approx(psp, abs=1e-12)
        double = case["pyxclib"][f"psndcg@{k}, double"]
        assert found[f"psndcg@{k}"] == pytest.approx(double, abs=1e-12)
        # It stores sums in single precision.
        assert found[f"psndcg@{k}"] == pytest.approx(psndcg, abs=3e-7)
        by_default = evaluate(y_true, y_score, names, **columns)
        assert by_default[f"psp@{k}"] != pytest.approx(psp, abs=1e-3)


def test_explain_says_what_differs():
    case = MATRICES[1]
    y_true, y_score, columns = rows_of(case)
    explained = explain(y_true, y_score, "psp@3", ["pyxclib"], **columns)
    psp = case["pyxclib"]["psp@3"]
    assert explained.values["pyxclib"] == pytest.approx(psp, abs=1e-12)
    assert "sums over all queries are divided" in str(explained)
    case = LISTS[0]
    explained = explain(None, case["scores"], "awrf", ["trec_fair"], **given(case))
    awrf = case["2021, double"]["awrf"]
    assert explained.values["trec_fair"] == pytest.approx(awrf, abs=1e-7)
    assert "1 / log2(rank), and 1 at the ranks 1 and 2" in str(explained)
