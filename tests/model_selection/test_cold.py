"""Cold-start folds: what is tested is new to the training set."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skrank.model_selection import ColdStartKFold, QueryKFold


def interactions(n_users=60, n_items=40, n_rows=1500, seed=0):
    """Users and items, some of each met far more often than others."""
    rng = np.random.RandomState(seed)
    user = (n_users * rng.rand(n_rows) ** 2).astype(int)
    item = (n_items * rng.rand(n_rows) ** 2).astype(int)
    return user, item


USER, ITEM = interactions()
WAYS = [{}, {"shuffle": True, "random_state": 0}, {"shuffle": True, "random_state": 1}]


@pytest.mark.parametrize("way", WAYS)
class TestColdStartKFold:
    @pytest.mark.parametrize("cold", ["user", "item"])
    def test_each_row_is_tested_once_by_a_model_that_never_met_its_user_or_item(
        self, cold, way
    ):
        new = USER if cold == "user" else ITEM
        cv = ColdStartKFold(4, cold=cold, **way)
        found = list(cv.split(USER, qid=USER, item=ITEM))
        for train, test in found:
            assert not set(new[train]) & set(new[test])
            assert len(train) + len(test) == len(USER)
            assert len(test) / len(USER) == pytest.approx(1 / 4, abs=0.01)
        tests = np.concatenate([test for _, test in found])
        assert_array_equal(np.sort(tests), np.arange(len(USER)))

    def test_with_both_neither_is_known_and_each_is_new_once(self, way):
        cv = ColdStartKFold(4, cold="both", **way)
        users, items = [], []
        for train, test in cv.split(USER, qid=USER, item=ITEM):
            assert not set(USER[train]) & set(USER[test])
            assert not set(ITEM[train]) & set(ITEM[test])
            assert (np.diff(train) > 0).all()
            assert (np.diff(test) > 0).all()
            # Left out is exactly what shares one of the two with the test set.
            left_out = np.setdiff1d(np.arange(len(USER)), np.r_[train, test])
            cold_user = ~np.isin(USER, USER[train])
            cold_item = ~np.isin(ITEM, ITEM[train])
            assert_array_equal(left_out, np.flatnonzero(cold_user ^ cold_item))
            assert_array_equal(test, np.flatnonzero(cold_user & cold_item))
            assert len(test) / len(USER) == pytest.approx(1 / 16, abs=0.02)
            users += list(set(USER[cold_user]))
            items += list(set(ITEM[cold_item]))
        assert sorted(users) == sorted(set(USER))
        assert sorted(items) == sorted(set(ITEM))

    def test_new_users_are_the_folds_of_query_k_fold(self, way):
        # Without the items: they are not needed.
        found = ColdStartKFold(4, **way).split(USER, qid=USER)
        expected = QueryKFold(4, **way).split(USER, qid=USER)
        for _, one, other in zip(range(4), found, expected, strict=True):
            assert_array_equal(one[0], other[0])
            assert_array_equal(one[1], other[1])

    def test_new_items_need_no_users(self, way):
        found = ColdStartKFold(4, cold="item", **way).split(USER, item=ITEM)
        expected = QueryKFold(4, **way).split(USER, qid=ITEM)
        for _, one, other in zip(range(4), found, expected, strict=True):
            assert_array_equal(one[1], other[1])


@pytest.mark.parametrize("cold", ["item", "both"])
@pytest.mark.parametrize(
    ("item", "error", "message"),
    [
        ([*"xyzxy", None], ValueError, "'item' parameter.*missing values"),
        (np.zeros((6, 1)), ValueError, r"'item'.*shape \(n_samples,\)"),
        (list("xyxyxy"), ValueError, "n_splits=3 greater than the number of items: 2"),
        (8, TypeError, "array-like"),
    ],
)
def test_bad_items_are_refused(cold, item, error, message):
    cv = ColdStartKFold(3, cold=cold)
    with pytest.raises(error, match=message):
        next(cv.split(np.zeros(6), qid=list("aabbcc"), item=item))


@pytest.mark.parametrize("cold", ["user", "both"])
def test_too_few_or_no_users_are_refused(cold):
    cv = ColdStartKFold(3, cold=cold)
    with pytest.raises(ValueError, match="greater than the number of queries: 2"):
        next(cv.split(np.zeros(6), qid=list("ababab"), item=list("xxyyzz")))
    with pytest.raises(ValueError, match="ColdStartKFold needs to know which rows"):
        next(cv.split(np.zeros(6), item=list("xxyyzz")))


def test_users_and_items_that_never_meet_in_a_fold_are_refused():
    # Fold 0 is for the larger user a and the larger item x, fold 1 for b and y.
    user, item = list("aaabb"), list("yyxxx")
    with pytest.raises(ValueError, match="no row to train on in fold 0: too few"):
        list(ColdStartKFold(2, cold="both").split(user, qid=user, item=item))
    with pytest.raises(ValueError, match="no row to test in fold 0: too few"):
        next(ColdStartKFold(2, cold="both").split([0, 1], qid=[0, 1], item=[1, 0]))
