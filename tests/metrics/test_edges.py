"""The edges of the number range: weights, grades, cutoffs and ties of any size."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.request import METRICS
from skrank.metrics import (
    dcg_score,
    err_score,
    evaluate,
    hits_at_k_score,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    rank_correlation_score,
    rbo_score,
    recall_at_k_score,
    spearman_score,
)
from tests.brute_force import ADJUSTABLE, NAMES, call, evaluated, full_name, masked
from tests.metrics.test_first_relevant import queries_with_first_ranks

OF_FIRST_RANKS = sorted(
    name for name in NAMES if METRICS[name.split("@")[0]].reads_first_rank
)


# Weights of any size


@pytest.mark.parametrize("unit", [8e307, 5e-324, 2.0**-1030])
@pytest.mark.parametrize("name", OF_FIRST_RANKS)
def test_the_unit_of_the_weights_does_not_matter(name, unit):
    y_true, y_score = queries_with_first_ranks([1, 2, 9, 4])
    weight = np.array([1, 2, 1, 2])
    asked = full_name(name)
    with np.errstate(all="raise"):
        got = evaluate(y_true, y_score, asked, sample_weight=weight * unit)
        expected = evaluate(y_true, y_score, asked, sample_weight=weight)
    assert_allclose(got[asked], expected[asked], rtol=1e-12)


# Grades that stand for no judgement


def test_trec_eval_takes_negative_grades_for_no_judgement():
    y_true, y_score, doc_id = [-1, 1, 0, 2], [4, 3, 2, 1], list("abcd")
    rules = {"convention": "trec_eval", "doc_id": doc_id}
    # The document above the first relevant one does not count: bpref is the mean of 1
    # and 1 - min(1, 2) / min(1, 2) = 0.
    assert evaluate(y_true, y_score, "bpref", **rules) == {"bpref": 0.5}
    # Otherwise it does: the mean of 1 - 1/2 and 1 - 2/2.
    assert evaluate(y_true, y_score, "bpref") == {"bpref": 0.25}
    assert evaluate(y_true, y_score, "judged@2", **rules) == {"judged@2": 0.5}
    ndcg = (1 / math.log2(3) + 2 / math.log2(5)) / (2 + 1 / math.log2(3))
    assert_allclose(evaluate(y_true, y_score, "ndcg", **rules)["ndcg"], ndcg)


def test_grades_below_judged_from_are_like_documents_that_are_not_judged():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(-2, 3, 60), rng.integers(0, 9, 60)
    qid, judged = rng.integers(0, 5, 60), rng.random(60) < 0.8
    names = ["bpref", "map", "judged@5", "spearman"]
    got = evaluate(y_true, y_score, names, qid=qid, judged=judged, judged_from=0)
    both = judged & (y_true >= 0)
    expected = evaluate(y_true, y_score, names, qid=qid, judged=both)
    assert got == expected
    with pytest.raises(ValueError, match="judged_from=0 stand for documents that are"):
        evaluate(y_true[None], y_score[None], names, judged_from=0)
    with pytest.raises(TypeError, match="'judged_from' parameter of evaluate"):
        evaluate(y_true, y_score, names, judged_from="0")


# All ratings count


@pytest.mark.parametrize("shift", [-2, -10])
@pytest.mark.parametrize(
    "score",
    [
        spearman_score,
        rank_correlation_score,
        partial(rank_correlation_score, weights="gain", gain="linear"),
        rbo_score,
    ],
)
def test_agreement_does_not_depend_on_where_the_ratings_start(score, shift):
    rng = np.random.default_rng(3)
    y_true, y_score, qid = rng.integers(0, 5, 80), rng.integers(0, 9, 80), [0, 1] * 40
    expected = score(y_true, y_score, qid=qid)
    assert_allclose(score(y_true + shift, y_score, qid=qid), expected)
    matrix = y_true.reshape(2, 40), y_score.reshape(2, 40)
    expected = score(*matrix)
    assert_allclose(score(matrix[0] + shift, matrix[1]), expected)
    judged, returned = rng.random(80) < 0.7, rng.random(80) < 0.9
    y_true[::20] = 0  # so that the lowest judged grade is known
    judged[::20] = True
    returned |= ~judged  # or a document is not there at all
    given = {"qid": qid, "judged": judged, "returned": returned}
    # Documents without a judgement have the lowest grade. RBO compares with the judged.
    lowest = np.where(judged, y_true, 0)
    if score is not rbo_score:
        expected = masked(score, lowest, y_score, qid=qid, returned=returned)
        got = masked(score, y_true + shift, y_score, **given)
        assert_allclose(got, expected)
    expected = masked(score, lowest, y_score, **given)
    assert_allclose(masked(score, y_true + shift, y_score, **given), expected)


def test_a_threshold_still_flattens_the_grades_below_it():
    y_true, y_score = [-3, -1, 1, 2], [2, 1, 3, 4]
    for name in ("spearman", "rank_correlation", "rbo"):
        got = evaluate(y_true, y_score, name, threshold=0)[name]
        expected = evaluate([0, 0, 1, 2], y_score, name)[name]
        assert_allclose(got, expected)
        assert evaluate(y_true, y_score, name)[name] != got
    with pytest.raises(TypeError, match=r"must be a real number or 'max'\. Got None"):
        ndcg_score([1, 0], [2, 1], threshold=None)


# Grades and scores of any size


def test_negative_grades_have_no_gain_of_any_name():
    for gain in ("linear", "exponential"):
        with pytest.raises(ValueError, match=f"gain='{gain}' takes no negative grades"):
            ndcg_score([2, -1, 1], [3, 2, 1], gain=gain, threshold=-5)
    assert ndcg_score([1, -1], [2, 1], gain=lambda grade: grade) == 1.0


@pytest.mark.parametrize(
    "grades",
    [
        [2**53 + 1, 2**53 + 2, 0],
        np.array([2**60, 2**60 + 1, 0]),
        [2**64 + 1, 1, 0],
        [2**53 + 1, 0.5, 0],
        [10**400, 1, 0],
    ],
)
def test_grades_that_no_float_holds_are_refused(grades):
    with pytest.raises(ValueError, match=r"y_true.* must hold"):
        ndcg_score(grades, [3, 2, 1], gain="linear")


@pytest.mark.slow
@pytest.mark.parametrize("k", [2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**30])
def test_a_cutoff_beyond_all_lists_changes_nothing(k):
    rng = np.random.default_rng(0)
    y_true, y_score, qid = rng.integers(0, 3, 40), rng.integers(0, 5, 40), [0, 1] * 20
    for score in (mrr_score, ndcg_score, dcg_score, err_score, recall_at_k_score):
        expected = score(y_true, y_score, qid=qid, k=40)
        assert score(y_true, y_score, qid=qid, k=k) == expected
        with_ids = score(y_true, y_score, qid=qid, k=k, ties="first")
        assert with_ids == score(y_true, y_score, qid=qid, k=40, ties="first")
    assert hits_at_k_score(y_true, y_score, qid=qid, k=k) == 1.0
    assert evaluate(y_true, y_score, f"hits@{k}") == {f"hits@{k}": 1.0}
    if k <= 2**63:
        assert_allclose(precision_at_k_score([1, 0], [2, 1], k=k) * k, 1, rtol=1e-12)


@pytest.mark.parametrize("grade", [1e-17, 1e-300, 1e-8])
def test_small_grades_have_a_gain(grade):
    y_true, y_score = [grade, 0, 2 * grade], [3, 2, 1]
    assert_allclose(dcg_score([grade], [1]), grade * math.log(2), rtol=1e-7)
    expected = (1 + 2 / 2) / (2 + 1 / math.log2(3))
    assert_allclose(ndcg_score(y_true, y_score), expected, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:With grades above 30 the default gain")
def test_grades_whose_gains_overflow_are_refused_with_the_limit():
    with pytest.raises(ValueError, match=r"^Grades must be below 1023\.0 with"):
        dcg_score([1023, 0], [2, 1])
    assert np.isfinite(dcg_score([1022.9, 0], [2, 1]))
    assert np.isfinite(dcg_score([1023], [1]))


# Floating-point errors


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_floating_point_error_of_ours_is_raised():
    rng = np.random.default_rng(0)
    many = (rng.random(4000) < 0.5).astype(int)
    data = [
        ([1, 0, 0, 1, 0, 0, 1, 1], [3, 2, 2, 1, 1, 1, 2, 2], [0] * 4 + [1, 1, 2, 2]),
        (many, np.zeros(4000), np.zeros(4000)),
        (many, rng.integers(0, 9, 4000), rng.integers(0, 40, 4000)),
        (rng.integers(0, 4, 4000), rng.random(4000), rng.integers(0, 3, 4000)),
        (1e-300 * rng.integers(0, 4, 40), rng.random(40), rng.integers(0, 3, 40)),
        (rng.integers(0, 2, 40), 1e-300 * rng.random(40), rng.integers(0, 3, 40)),
    ]
    options = [{}, {"average": None}, {"average": "weighted"}, {"adjusted": True}]
    options += [{"ties": ties} for ties in ("first", "optimistic", "pessimistic")]
    for y_true, y_score, qid in data:
        weight = np.array([1e-300, 1, 1e5] * 20)[np.asarray(qid, dtype=int)]
        for more in [*options, {"sample_weight": weight}]:
            names = map(full_name, ADJUSTABLE if "adjusted" in more else NAMES)
            with np.errstate(all="raise"):
                evaluated(y_true, y_score, [*names], qid=qid, **more)


# Pairs of grades


def test_a_function_of_pairs_is_asked_once_for_each_pair_of_grades():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (1, 500)), rng.integers(0, 9, (1, 500))
    asked = []

    def weights(high, low):
        asked.extend(zip(high, low, strict=True))
        return high - low

    got = rank_correlation_score(y_true, y_score, weights=weights)
    assert sorted(asked) == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    assert_allclose(
        got, rank_correlation_score(y_true, y_score, weights="gain", gain="linear")
    )


# True sentences


@pytest.mark.parametrize("name", ADJUSTABLE)
def test_an_adjusted_metric_that_no_order_changes_is_replaced_and_says_so(name):
    y_true, y_score = [1, 1, 1], [3, 2, 1]
    options = {"adjusted": True, "replace_undefined_by": 0.25}
    alone = call(name, y_true, y_score, average=None, **options)
    with pytest.warns(UndefinedMetricWarning) as caught:
        assert call(name, y_true, y_score, **options) == alone[0] == 0.25
    assert "`replace_undefined_by`, 0.25." in str(caught[0].message)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8"])
def test_a_threshold_is_not_rounded_to_the_precision_of_the_grades(dtype):
    y_true = np.array([1, 0, 2], dtype=dtype)
    threshold = np.nextafter(1.0, 0.0)
    assert mrr_score(y_true, [3, 2, 1], threshold=threshold) == 1
    if dtype.startswith("float"):
        y_true[1] = 0.5
        assert mrr_score(y_true, [3, 2, 1], threshold=threshold) == 1
    assert mrr_score(y_true, [3, 2, 1], threshold=np.nextafter(1.0, 2.0)) == 1 / 3


@pytest.mark.parametrize(
    "column", [pa.array, lambda values: pa.chunked_array([values])]
)
def test_columns_of_pyarrow_are_read_as_arrays(column):
    y_true, y_score = [True, False, True, False], [1.0, 2.0, 3.0, 4.0]
    masks = {"judged": column([True] * 4), "returned": column([True] * 4)}
    # The relevant documents are second in both queries.
    found = evaluate(
        column(y_true),
        column(y_score),
        ["mrr", "bpref"],
        qid=column(["a", "a", "b", "b"]),
        doc_id=column(["w", "x", "y", "z"]),
        convention="trec_eval",
        sample_weight=column([1.0, 1.0, 2.0, 2.0]),
        **masks,
    )
    assert found == {"mrr": 1 / 2, "bpref": 0}
