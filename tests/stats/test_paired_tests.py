"""The tests of paired differences, and adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest

from skrank.stats import compare_rankers
from skrank.stats.paired_tests import TESTS, holm
from tests.stats.pilot import scores_of

# Eight differences are few, as the warning says.
pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")

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


def test_the_p_value_is_the_fraction_of_all_signs_with_such_a_sum():
    x = DIFFERENCES
    sums = [np.dot(signs, x) for signs in itertools.product([1, -1], repeat=len(x))]
    expected = np.mean(np.abs(sums) >= abs(x.sum()) - 1e-12)
    assert row_of(x, test="permutation").pvalue == pytest.approx(expected)


@pytest.mark.parametrize("name", TESTS)
def test_every_test_is_described_and_named_in_the_title(name):
    assert f'- "{name}": ' in compare_rankers.__doc__
    values = VALUES[name]
    scores = scores_of(a=np.maximum(-values, 0), b=np.maximum(values, 0))
    assert f": {TESTS[name].words}, " in str(compare_rankers(scores, test=name))


def test_holm_multiplies_by_the_number_of_tests_that_are_left():
    # 4 * 0.01, 3 * 0.02, then 2 * 0.03 and 0.04, no smaller than those before.
    expected = [0.06, 0.04, 0.06, 0.06]
    np.testing.assert_allclose(holm(np.array([0.03, 0.01, 0.02, 0.04])), expected)
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]
