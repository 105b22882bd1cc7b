"""The tests of paired differences, and adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest

from skrank.stats import compare_rankers
from skrank.stats.paired_tests import CORRECTIONS, TESTS, holm
from tests.stats.pilot import scores_of

# Eight differences are few, as the warning says.
pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")

OF_SIGNS = [name for name, test in TESTS.items() if test.flips_signs]
TRANSFORMED = [name for name in OF_SIGNS if TESTS[name].transform is not None]
# With ties, with a 0, and of both signs.
DIFFERENCES = np.array([0.3, -0.1, 0.5, 0.2, 0.0, 0.2, -0.2, 0.4])


# What each test takes.
VALUES = dict.fromkeys(TESTS, DIFFERENCES)
VALUES["score"] = np.sign(DIFFERENCES)


def row_of(differences, **options):
    differences = np.asarray(differences)
    scores = scores_of(a=np.maximum(-differences, 0), b=np.maximum(differences, 0))
    (row,) = compare_rankers(scores, **options).rows
    return row


@pytest.mark.parametrize("name", OF_SIGNS)
def test_the_p_value_is_the_fraction_of_all_signs_with_such_a_sum(name):
    x = DIFFERENCES
    if name in TRANSFORMED:
        x = TESTS[name].transform(x[:, None])[:, 0]
    sums = [np.dot(signs, x) for signs in itertools.product([1, -1], repeat=len(x))]
    expected = np.mean(np.abs(sums) >= abs(x.sum()) - 1e-12)
    assert row_of(DIFFERENCES, test=name).pvalue == pytest.approx(expected)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_what_is_summed_up_is_odd_and_0_where_the_difference_is(name):
    x = np.column_stack([DIFFERENCES, DIFFERENCES[::-1] ** 3])
    found = TESTS[name].transform(x)
    np.testing.assert_array_equal(TESTS[name].transform(-x), -found)
    np.testing.assert_array_equal(np.sign(found), np.sign(x))


@pytest.mark.parametrize("name", TESTS)
def test_only_a_test_of_the_means_has_an_interval(name):
    row = row_of(VALUES[name], test=name)
    assert np.isnan([row.low, row.high]).all() == (name in TRANSFORMED)
    assert TESTS[name].has_interval == (name not in TRANSFORMED)


@pytest.mark.parametrize("name", TESTS)
def test_every_test_is_described_and_named_in_the_title(name):
    text = " ".join(compare_rankers.__doc__.split())
    assert f'- "{name}": {TESTS[name].question}' in text
    values = VALUES[name]
    scores = scores_of(a=np.maximum(-values, 0), b=np.maximum(values, 0))
    assert f": {TESTS[name].words}, " in str(compare_rankers(scores, test=name))


def test_holm_multiplies_by_the_number_of_tests_that_are_left():
    # 4 * 0.01, 3 * 0.02, then 2 * 0.03 and 0.04, no smaller than those before.
    expected = [0.06, 0.04, 0.06, 0.06]
    np.testing.assert_allclose(holm(np.array([0.03, 0.01, 0.02, 0.04])), expected)
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]


def test_benjamini_hochberg_divides_by_the_rank():
    # 4/2 * 0.02, the smallest of 4/3 * 0.03 and 4/4 * 0.04, and 4/1 * 0.005.
    expected = [0.04, 0.04, 0.04, 0.02]
    pvalues = np.array([0.03, 0.02, 0.04, 0.005])
    np.testing.assert_allclose(CORRECTIONS["bh"].adjust(pvalues), expected)
