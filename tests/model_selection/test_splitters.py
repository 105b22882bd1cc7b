"""The splitters keep queries whole, balanced, and find the query ids."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupShuffleSplit,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.model_selection import QueryKFold, QueryShuffleSplit, query_train_test_split

SPLITTERS = [
    QueryKFold(3),
    QueryKFold(3, shuffle=True, random_state=0),
    QueryShuffleSplit(3, test_size=0.3, random_state=0),
    QueryShuffleSplit(3, test_size=0.3, train_size=0.4, random_state=0),
]


def rows_of(sizes, seed=0):
    """Query ids for queries of these sizes, their rows mixed."""
    qid = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.RandomState(seed).permutation(qid)


def zipf_sizes(n_queries=300, n_rows=125_000):
    share = 1 / np.arange(1, n_queries + 1)
    return np.maximum(1, share / share.sum() * n_rows).astype(int)


def splits(cv, *args, **data):
    """Return the rows of each training and test set, of which there are some."""
    found = [(train.tolist(), test.tolist()) for train, test in cv.split(*args, **data)]
    assert found
    return found


# Where the numbers of rows are what is tested.
FEW = "ignore:.* are held out"

QID = rows_of([7, 1, 4, 12, 3, 3, 9, 5])
X = np.random.RandomState(1).rand(len(QID), 3)
Y = np.arange(len(QID)) % 3


@pytest.mark.parametrize("cv", SPLITTERS, ids=str)
class TestEverySplitter:
    def test_every_row_is_used_unless_both_sizes_leave_some(self, cv):
        leaves_some = getattr(cv, "train_size", None) is not None
        for train, test in splits(cv, X, qid=QID):
            assert (len(train) + len(test) < len(QID)) == leaves_some

    def test_query_ids_and_groups_may_agree(self, cv):
        found = splits(cv, X, qid=QID, groups=QID.astype(str))
        assert found == splits(cv, X, qid=QID) == splits(cv, None, qid=QID)

    def test_sizes_of_queries_are_recognized(self, cv):
        _, sizes = np.unique(QID, return_counts=True)
        for data in ({"qid": sizes}, {"groups": sizes}):
            with pytest.raises(ValueError, match=r"sum to the number .*np\.repeat"):
                next(cv.split(X, Y, **data))

    @pytest.mark.parametrize(
        ("data", "error", "message"),
        [
            ({"groups": QID[:-1]}, ValueError, "inconsistent numbers of samples"),
            ({"qid": QID, "y": Y[:-1]}, ValueError, "inconsistent numbers of samples"),
            ({"qid": QID[:, None]}, ValueError, r"shape \(n_samples,\)"),
            ({"qid": np.where(QID == 3, np.nan, QID)}, ValueError, "missing"),
            ({"qid": QID, "groups": QID // 2}, ValueError, "group the rows diff"),
            ({"qid": QID // 2, "groups": QID}, ValueError, "group the rows diff"),
            ({"qid": 3}, TypeError, "array-like"),
        ],
    )
    def test_bad_query_ids_are_refused(self, cv, data, error, message):
        with pytest.raises(error, match=message):
            next(cv.split(X, **data))


class TestQueryKFold:
    def test_the_largest_query_goes_to_the_smallest_fold(self):
        # Sizes 5, 4, 3, 3, 2, 1: 5 | 4, then 4 + 3, 5 + 3, 4 + 3 + 2, 5 + 3 + 1.
        qid = np.repeat(list("abcdef"), [3, 5, 1, 4, 2, 3])
        tests = [set(qid[test]) for _, test in QueryKFold(2).split(qid, qid=qid)]
        assert tests == [set("bfc"), set("dae")]

    @pytest.mark.parametrize("seed", [None, *range(5)])
    def test_folds_are_balanced_in_rows_also_when_shuffled(self, seed):
        qid = rows_of(zipf_sizes())
        cv = QueryKFold(5, shuffle=seed is not None, random_state=seed)
        for _, test in splits(cv, qid, qid=qid):
            assert len(test) / len(qid) == pytest.approx(0.2, abs=0.005)

    def test_a_query_too_large_for_a_fold_has_a_fold_for_itself(self):
        qid = rows_of([100, 3, 3, 3, 3])
        for seed in range(5):
            cv = QueryKFold(3, shuffle=True, random_state=seed)
            sizes = sorted(len(test) for _, test in cv.split(qid, qid=qid))
            assert sizes == [6, 6, 100]


class TestQueryShuffleSplit:
    @pytest.mark.slow
    @pytest.mark.parametrize("share", [0.1, 0.2, 0.25, 0.5, 0.8])
    def test_the_test_set_holds_its_fraction_of_rows(self, share):
        qid = rows_of(zipf_sizes())
        cv = QueryShuffleSplit(20, test_size=share, random_state=0)
        for _, test in splits(cv, qid, qid=qid):
            assert len(test) / len(qid) == pytest.approx(share, abs=0.001)

    @pytest.mark.filterwarnings(FEW)
    @pytest.mark.parametrize(
        ("sizes", "test_size", "expected"),
        [
            ([10] * 10, 0.2, 20),
            ([10] * 10, 0.24, 20),
            ([10] * 10, 0.26, 30),
            ([10] * 10, 20, 20),
            ([10] * 10, 1, 10),  # never empty
            ([10] * 10, 99, 90),  # never everything
            ([90, 2, 3, 5], 10, 10),
            ([90, 2, 3, 5], 0.5, 90),  # 90 is 40 too many, 10 is 40 too few: see below
            ([90, 2, 3, 5], 0.49, 10),
            ([90, 2, 3, 5], 0.51, 90),
            ([60, 40], 0.01, 40),
            ([1, 1, 1, 97], 3, 3),
        ],
    )
    def test_the_size_is_met_as_nearly_as_whole_queries_allow(
        self, sizes, test_size, expected
    ):
        qid = rows_of(sizes)
        for seed in range(10):
            cv = QueryShuffleSplit(1, test_size=test_size, random_state=seed)
            [(train, test)] = cv.split(qid, qid=qid)
            accepted = {10, 90} if test_size == 0.5 else {expected}
            assert len(test) in accepted
            assert len(train) == len(qid) - len(test)

    @pytest.mark.parametrize("train_size", [0.7, 70])
    def test_the_complement_of_train_size_is_tested(self, train_size):
        qid = rows_of([1, 2, 3, 4] * 10)
        cv = QueryShuffleSplit(4, train_size=train_size, random_state=0)
        for train, test in splits(cv, qid, qid=qid):
            assert (len(train), len(test)) == (70, 30)

    def test_a_fifth_is_tested_by_default_as_in_group_shuffle_split(self):
        qid = rows_of([5] * 40)
        for cv in (QueryShuffleSplit(random_state=0), GroupShuffleSplit()):
            for _, test in cv.split(qid, qid, qid):
                assert len(test) == 40
        assert QueryShuffleSplit().get_n_splits() == 10

    @pytest.mark.parametrize("percent", range(1, 100, 7))
    def test_fractions_that_add_up_to_one_use_every_row(self, percent):
        sizes = {"test_size": percent / 100, "train_size": 1 - percent / 100}
        qid = rows_of(np.random.RandomState(0).randint(1, 9, 40))
        cv = QueryShuffleSplit(5, random_state=0, **sizes)
        for train, test in splits(cv, qid, qid=qid):
            assert len(train) + len(test) == len(qid)
        parts = query_train_test_split(qid, qid=qid, shuffle=False, **sizes)
        assert sum(map(len, parts)) == len(qid)

    @pytest.mark.slow
    def test_queries_of_every_size_have_their_turn(self):
        sizes = zipf_sizes(60, 5000)
        qid = rows_of(sizes)
        tested = np.zeros(60)
        cv = QueryShuffleSplit(400, test_size=0.25, random_state=0)
        for _, test in cv.split(qid, qid=qid):
            tested[np.unique(qid[test])] += 1 / 400
        # The largest query, a fifth of the rows, is drawn seldom; the smallest ones
        # fill what is left.
        assert tested.min() > 0.1
        assert tested.max() < 0.5

    @pytest.mark.parametrize(
        ("parameters", "error", "message"),
        [
            ({"test_size": 0.0}, ValueError, r"'test_size'.*\(0.0, 1.0\).*Got 0.0"),
            ({"test_size": 1.0}, ValueError, "Got 1.0 instead"),
            ({"test_size": -0.1}, ValueError, "Got -0.1 instead"),
            ({"test_size": np.nan}, ValueError, "Got nan instead"),
            ({"test_size": 0}, ValueError, "Got 0 instead"),
            ({"test_size": 44}, ValueError, r"range \[1, 43\].*Got 44"),
            ({"train_size": 1.5}, ValueError, "'train_size'.*Got 1.5"),
            ({"test_size": "0.2"}, TypeError, "Got '0.2' instead"),
            ({"test_size": True}, TypeError, "Got True instead"),
            ({"test_size": 0.6, "train_size": 0.5}, ValueError, "add up"),
            ({"test_size": 30, "train_size": 20}, ValueError, "add up"),
        ],
    )
    def test_bad_sizes_are_refused(self, parameters, error, message):
        with pytest.raises(error, match=message):
            next(QueryShuffleSplit(**parameters).split(X, qid=QID))

    def test_one_query_cannot_be_split(self):
        with pytest.raises(ValueError, match=r"at least 2 queries.*n_queries=1"):
            next(QueryShuffleSplit().split(X, qid=np.zeros(44)))


@pytest.mark.parametrize(
    ("n_queries", "sizes", "is_warned"),
    [
        (60, {"test_size": 20}, True),  # rows, not queries
        (60, {"test_size": 50}, False),
        (99, {"test_size": 0.05}, False),
        (100, {"test_size": 0.05}, True),
        (100, {"train_size": 0.95}, True),
        (100, {"test_size": 0.1}, False),
        (100, {}, False),
    ],
)
def test_a_test_part_of_few_queries_is_noticed(n_queries, sizes, is_warned):
    qid = rows_of([5] * n_queries)
    cv = QueryShuffleSplit(2, random_state=0, **sizes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        list(cv.split(qid, qid=qid))
        query_train_test_split(qid, qid=qid, random_state=0, **sizes)
        query_train_test_split(qid, qid=qid, shuffle=False, **sizes)
    said = f"of {n_queries} queries are held out, and their mean says "
    cure = "such as test_size=0.2"
    cure += ": an int counts rows, not queries." if sizes == {"test_size": 20} else "."
    assert len(caught) == 3 * is_warned
    for one in caught:
        assert said in str(one.message)
        assert str(one.message).endswith(cure)


class TestQueryTrainTestSplit:
    def test_another_order_of_the_rows_is_noticed(self):
        frame, y = pd.DataFrame(X).assign(qid=QID), pd.Series(Y)
        query_train_test_split(frame, y)  # no warning
        said = r"^arrays\[0\] and arrays\[1\] have the same labels in different orders"
        with pytest.warns(UserWarning, match=said):
            query_train_test_split(frame, y.iloc[::-1])
        with pytest.warns(UserWarning, match=r"^arrays\[0\] and qid have the same"):
            query_train_test_split(frame, qid=frame["qid"].iloc[::-1])

    def test_query_ids_without_their_name_are_recognized(self):
        said = r"but 3 arrays.*query_train_test_split\(X, y, qid, qid=qid"
        with pytest.raises(ValueError, match=said):
            query_train_test_split(X, Y, QID)
        with pytest.raises(ValueError, match="needs to know which rows"):
            query_train_test_split(X, Y)

    def test_it_returns_the_parts_in_the_order_of_train_test_split(self):
        parts = query_train_test_split(X, Y, QID, qid=QID, random_state=0)
        X_train, X_test, y_train, y_test, qid_train, qid_test = parts
        assert not set(qid_train) & set(qid_test)
        assert abs(len(qid_test) - 44 / 4) <= 1
        for whole, train, test in ((X, X_train, X_test), (Y, y_train, y_test)):
            in_test = np.isin(QID, qid_test)
            assert_array_equal(test, whole[in_test])
            assert_array_equal(train, whole[~in_test])

    def test_types_are_kept(self):
        arrays = [pd.DataFrame(X), pl.DataFrame(X), sparse.csr_matrix(X)]
        arrays += [pd.Series(Y), pl.Series(Y), Y.tolist(), Y]
        parts = query_train_test_split(*arrays, qid=QID, random_state=0)
        for array, train, test in zip(arrays, parts[::2], parts[1::2], strict=True):
            assert type(train) is type(test) is type(array)

    def test_it_is_the_first_split_of_query_shuffle_split(self):
        sizes = {"test_size": 0.4, "random_state": 7}
        cv = QueryShuffleSplit(1, **sizes)
        [(train, test)] = cv.split(X, qid=QID)
        parts = query_train_test_split(np.arange(44), qid=QID, **sizes)
        assert_array_equal(parts[0], train)
        assert_array_equal(parts[1], test)

    @pytest.mark.parametrize(
        "arrays",
        [
            (Y, pd.DataFrame(X).assign(qid=QID)),
            (Y, pl.DataFrame({"a": X[:, 0], "qid": QID})),
            (X, pd.Series(Y, index=pd.Index(QID, name="qid"))),
        ],
        ids=["pandas column", "polars column", "index"],
    )
    def test_any_array_may_hold_the_query_ids(self, arrays):
        sizes = {"test_size": 0.3, "random_state": 0}
        *_, rows, rest = query_train_test_split(*arrays, np.arange(44), **sizes)
        expected = query_train_test_split(np.arange(44), qid=QID, **sizes)
        assert_array_equal(rows, expected[0])
        assert_array_equal(rest, expected[1])

    def test_the_column_may_have_another_name_or_a_position(self):
        expected = query_train_test_split(Y, qid=QID, random_state=0)
        frame = pd.DataFrame(X).add_prefix("f").assign(user_id=QID, qid=0)
        options = {"random_state": 0}
        for arrays in ((Y, frame), (frame, Y), (Y, X, pl.DataFrame(frame))):
            parts = query_train_test_split(*arrays, qid_column="user_id", **options)
            place = 2 * next(i for i, array in enumerate(arrays) if array is Y)
            assert_array_equal(parts[place], expected[0])
            assert_array_equal(parts[place + 1], expected[1])
        array = np.column_stack([X, QID])
        _, _, *parts = query_train_test_split(array, Y, qid_column=-1, **options)
        assert_array_equal(parts[1], expected[1])
        with pytest.raises(ValueError, match="_split needs to know") as error:
            query_train_test_split(frame, Y, qid_column="session")
        for call in ("(X, y, qid=qid)", "(..., qid_column='user_id')"):
            assert f"query_train_test_split{call}" in str(error.value)
        assert "cross_validate" not in str(error.value)
        with pytest.raises(TypeError, match="'qid_column' parameter of query_train"):
            query_train_test_split(frame, Y, qid_column=None)

    @pytest.mark.filterwarnings(FEW)
    @pytest.mark.parametrize(
        ("sizes", "train", "test"),
        [
            ({"test_size": 4}, "bbbaa", "ccdd"),
            ({"test_size": 0.2}, "bbbaacc", "dd"),
            ({"train_size": 3}, "bbb", "aaccdd"),
            ({"train_size": 3, "test_size": 2}, "bbb", "aa"),
            ({"test_size": 8}, "bbb", "aaccdd"),
            ({"test_size": 1}, "bbbaacc", "dd"),
        ],
    )
    def test_without_shuffling_the_last_queries_are_tested(self, sizes, train, test):
        qid = list("bbbaaccdd")
        parts = query_train_test_split(qid, qid=qid, shuffle=False, **sizes)
        assert ["".join(part) for part in parts] == [train, test]

    def test_mixed_rows_stay_in_order(self):
        qid = list("abcabcabc")
        parts = query_train_test_split(qid, range(9), qid=qid, shuffle=False)
        assert parts[:2] == [list("ababab"), list("ccc")]
        assert parts[2:] == [[0, 1, 3, 4, 6, 7], [2, 5, 8]]

    @pytest.mark.parametrize(
        ("arrays", "parameters", "error", "message"),
        [
            ((), {"qid": QID}, ValueError, "at least one array"),
            ((X, Y), {}, ValueError, "query_train_test_split needs to know"),
            ((X, Y[:-1]), {"qid": QID}, ValueError, "inconsistent numbers"),
            ((X, Y), {"qid": QID[:-1]}, ValueError, "inconsistent numbers"),
            ((X,), {"qid": QID, "test_size": 2.0}, ValueError, "Got 2.0 instead"),
            ((X,), {"qid": QID, "shuffle": None}, TypeError, "shuffle must be"),
            ((X,), {"qid": QID * 0}, ValueError, "at least 2 queries"),
        ],
    )
    def test_bad_input_is_refused(self, arrays, parameters, error, message):
        with pytest.raises(error, match=message):
            query_train_test_split(*arrays, **parameters)


class TestWithScikitLearn:
    def test_without_routing_a_qid_for_the_estimator_does_not_reach_the_splitter(self):
        class TakesQid(Ridge):
            def fit(self, X, y, qid=None):
                return super().fit(X, y)

        search = GridSearchCV(TakesQid(), {"alpha": [1]}, cv=QueryKFold(3))
        with pytest.raises(ValueError, match="QueryKFold needs to know") as error:
            search.fit(X, Y, qid=QID)
        said = r"in a search after sklearn.set_config\(enable_metadata_routing=True\)"
        error.match(said)
        params = {"params": {"qid": QID}, "error_score": "raise"}
        with pytest.raises(ValueError, match=said):
            cross_validate(TakesQid(), X, Y, cv=QueryKFold(3), **params)
        folds = list(QueryKFold(3).split(X, qid=QID))
        with pytest.raises(ValueError, match=f"scorer of 'mrr' needs(.|\n)*{said}"):
            cross_validate(TakesQid(), X, Y, cv=folds, scoring="mrr", **params)

    def test_a_pipeline_a_learning_curve_and_predictions_work(self):
        y = pd.Series(Y, index=pd.Index(QID, name="qid"))
        model = make_pipeline(StandardScaler(), Ridge())
        assert cross_val_predict(model, X, y, cv=QueryKFold(3)).shape == (44,)
        given = {"cv": QueryKFold(3), "train_sizes": [0.5, 1.0]}
        with pytest.warns(UserWarning, match="learning_curve draws rows"):
            _, train_scores, _ = learning_curve(model, X, y, **given)
        assert train_scores.shape == (2, 3)
