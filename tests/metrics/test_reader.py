"""The user who stops: ERR and RBP."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank.metrics import err_score, gains, rbp_score
from tests.brute_force import query_value


@pytest.mark.slow
def test_err_of_one_grade_is_that_of_endless_coin_tosses():
    # Every document stops half of the users: the sum of 2 ** -i / i.
    for y_score in (np.zeros(10**6), np.arange(10**5)):
        qid = np.zeros(len(y_score), dtype=int)
        score = err_score(np.ones(len(y_score)), y_score, qid=qid)
        assert score == pytest.approx(math.log(2), rel=1e-9)


def test_the_highest_grade_is_that_of_all_queries_unless_it_is_given():
    y_true, y_score, qid = [2, 1], [0, 0], [7, 8]
    for score, of_one in ((err_score, 1 / 4), (rbp_score, 0.2 / 2)):
        values = score(y_true, y_score, qid=qid, average=None)
        assert values[1] == pytest.approx(of_one)
        alone = score(y_true[1:], y_score[1:], max_grade=2)
        assert alone == pytest.approx(of_one)
        assert score(y_true[1:], y_score[1:]) > of_one


@pytest.mark.parametrize("p", [1e-9, 0.3, 0.999999])
def test_rbp_of_relevant_documents_alone_is_what_the_list_reaches(p):
    for grade in (1, 5):
        value = rbp_score(np.full((1, 1000), grade), np.zeros((1, 1000)), p=p)
        assert value == pytest.approx(-math.expm1(1000 * math.log(p)), rel=1e-9)


@pytest.mark.parametrize("score", [err_score, rbp_score])
@pytest.mark.parametrize("max_grade", [0, -1, 2, np.inf, np.nan])
def test_the_highest_grade_must_be_one(score, max_grade):
    name = score.__name__
    with (
        pytest.raises(
            ValueError,
            match=rf"'max_grade' parameter of {name} must be .* highest grade",
        )
        if max_grade == max_grade
        else pytest.raises(ValueError, match="max_grade")
    ):
        score([0, 3], [1, 2], max_grade=max_grade)
    with pytest.raises(TypeError, match="'max_grade' parameter"):
        score([0, 3], [1, 2], max_grade="4")
    with pytest.raises(ValueError, match=f"{name} takes no negative grades"):
        score([-1, 3], [1, 2])


@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5, np.nan, np.inf])
def test_the_persistence_is_a_chance_that_is_never_sure(p):
    with pytest.raises(ValueError, match="'p' parameter of rbp_score must be a float"):
        rbp_score([0, 1], [1, 2], p=p)


@pytest.mark.parametrize("max_grade", [60, 100, 900])
def test_err_of_grades_far_below_the_highest_keeps_its_digits(max_grade):
    # R = (2^1 - 1) / 2^max_grade at rank 1, and at the ranks 1 and 2 in the mean.
    unit = 2.0**-max_grade
    assert err_score([1, 0], [2, 1], max_grade=max_grade) == unit
    assert_allclose(err_score([1, 0], [1, 1], max_grade=max_grade), 0.75 * unit)
    assert_allclose(err_score([max_grade], [1]), 1 - unit)


@pytest.mark.parametrize("k", [None, 1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_err_of_large_tie_groups_is_that_of_small_ones(seed, k, monkeypatch):
    """Compare what is done grade by grade with all orders of a small group."""
    monkeypatch.setattr(gains, "MANY_RELEVANT", seed % 3)
    rng = np.random.default_rng(seed)
    y_true, y_score = rng.integers(0, 3, 7), rng.integers(0, 2, 7)
    y_true[0] = 2
    expected = query_value("err", y_true.tolist(), y_score, k=k, max_grade=2)
    assert_allclose(err_score(y_true, y_score, k=k), expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grades", "k", "highest"),
    [
        ((1,), None, 1),
        ((0, 1), 9, 1),
        ((0, 1), None, 30),
        ((0, 1, 2, 3), None, 3),
        ((0, 0.01), None, 0.01),
        ((0,) * 99 + (1,), None, 1),
    ],
)
def test_err_of_a_large_tie_group_is_that_of_exact_fractions(grades, k, highest):
    # The mean chance to pass the first d of n documents is e_d / C(n, d), with the
    # elementary symmetric polynomial e_d of the chances to pass one.
    n, above = 200, 2
    y_true = np.resize(grades, n)
    stops = [(2.0**g - 1) / 2.0**highest for g in y_true.tolist()]
    chances = [1 - Fraction(stop) for stop in stops]
    whole = max(chance.denominator for chance in chances)  # a power of two, as all are
    symmetric = [1] + [0] * n
    for i, numerator in enumerate((int(chance * whole) for chance in chances), 1):
        for d in range(i, 0, -1):
            symmetric[d] += numerator * symmetric[d - 1]
    passed = [e / (math.comb(n, d) * whole**d) for d, e in enumerate(symmetric)]
    last = n if k is None else k - above
    expected = math.fsum(
        (passed[d - 1] - passed[d]) / (above + d) for d in range(1, last + 1)
    )
    rows = [[0] * above + y_true.tolist()], [[1, 1] + [0] * n]
    got = err_score(*rows, k=k, max_grade=highest)
    assert_allclose(got, expected, rtol=1e-12 if highest < 30 else 1e-6)
