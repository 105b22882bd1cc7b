"""What the splitters that read queries and times share."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import pickle
from datetime import timedelta
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.metrics import mrr_score, ndcg_score
from skrank.model_selection import (
    LeaveLastOut,
    QueryKFold,
    QueryShuffleSplit,
    QueryTimeSeriesSplit,
    RepeatedQueryKFold,
    StratifiedQueryKFold,
    TimeRangeSplit,
)
from skrank.rankers import QueryRanker
from tests.model_selection.test_splitters import splits

# Each splitter with the metadata that it reads besides the query ids.
SPLITTERS = [
    (QueryKFold(3), []),
    (QueryShuffleSplit(3, test_size=0.3, random_state=0), []),
    (QueryShuffleSplit(2, test_size=0.3, train_size=0.4, random_state=0), []),
    (StratifiedQueryKFold(3), []),
    (StratifiedQueryKFold(3, shuffle=True, random_state=0), []),
    (RepeatedQueryKFold(2, 2, random_state=0), []),
    (QueryTimeSeriesSplit(3), ["time"]),
    (QueryTimeSeriesSplit(2, gap=1, max_train_size=5, test_size=2), ["time"]),
    (LeaveLastOut(3), ["time"]),
    (LeaveLastOut(2, n_splits=2), ["time"]),
    (TimeRangeSplit(2, test_size=0.2), ["time"]),
    (TimeRangeSplit(test_size=20, gap=2), ["time"]),
]
every_splitter = pytest.mark.parametrize(
    ("cv", "names"), SPLITTERS, ids=[" ".join(str(cv).split()) for cv, _ in SPLITTERS]
)
# Those that take other metadata, or are of another class: scikit-learn hands nothing
# else on.
HANDED = {(type(cv), *names): (cv, names) for cv, names in SPLITTERS}
WHOLE = tuple(
    (cv, names)
    for cv, names in SPLITTERS
    if not isinstance(cv, (LeaveLastOut, TimeRangeSplit))
)

RNG = np.random.RandomState(0)
N = 300
QID = RNG.randint(0, 15, N)
METADATA = {"qid": QID, "time": 10 * QID + RNG.randint(0, 20, N)}
X = RNG.randn(N, 3)
Y = np.clip(np.round(X[:, 0] + RNG.randn(N)), 0, 3).astype(int)


def known(names):
    return {name: METADATA[name] for name in ["qid", *names]}


def reads_qid(cv):
    """Whether the splitter itself needs the query ids."""
    return not isinstance(cv, TimeRangeSplit)


def expected(cv, names):
    return splits(cv, X, Y, **known(names))


def y_with_index(names):
    index = pd.MultiIndex.from_arrays(list(known(names).values()), names=known(names))
    return pd.Series(Y, index=index)


def named_otherwise(cv, names):
    """The splitter, and the data under the names that it was told to look for."""
    renamed = {name: f"my {name}" for name in names}
    return type(cv)(**{**vars(cv), **renamed}), renamed


@every_splitter
class TestSplit:
    def test_both_sets_hold_rows_in_ascending_order_and_share_none(self, cv, names):
        found = list(cv.split(X, Y, **known(names)))
        assert len(found) == cv.get_n_splits(X, Y, **known(names)) == cv.get_n_splits()
        for train, test in found:
            assert not set(train) & set(test)
            for rows in (train, test):
                assert len(rows)
                assert rows.dtype.kind == "i"
                assert (np.diff(rows) > 0).all()

    def test_queries_are_split_only_where_that_is_the_purpose(self, cv, names):
        cut = False
        for train, test in cv.split(X, Y, **known(names)):
            cut |= bool(set(QID[train]) & set(QID[test]))
            if (cv, names) in WHOLE:
                assert np.isin(QID, QID[test]).sum() == len(test)
                assert np.isin(QID, QID[train]).sum() == len(train)
        assert cut != ((cv, names) in WHOLE)

    def test_all_sources_give_the_same_splits(self, cv, names):
        data = known(names)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        y = y_with_index(names)
        for carried in (
            {"X": X.tolist(), "y": Y.tolist(), **data},
            {"X": sparse.csr_matrix(X), "y": pl.Series(Y), **data},
            {"X": X, "y": Y, **{name: list(ids) for name, ids in data.items()}},
            {"X": X, "y": Y, **{name: pd.Series(ids) for name, ids in data.items()}},
            {"X": X, "y": Y, **{name: pl.Series(ids) for name, ids in data.items()}},
            {"X": X, "y": Y, "groups": QID, **{name: data[name] for name in names}},
            {"X": frame.assign(**data), "y": Y},
            {"X": pl.DataFrame(frame.assign(**data)), "y": Y},
            {"X": pa.table(frame.assign(**data).to_dict("list")), "y": Y},
            {"X": X, "y": Y, **{name: pa.array(ids) for name, ids in data.items()}},
            {"X": X, "y": y},
            {"X": frame.set_index(y.index), "y": Y},
            {"X": frame.assign(**{name: data[name] for name in names}), "y": y},
            # The argument goes before the sources.
            {"X": frame.assign(**dict.fromkeys(data, 0)), "y": Y, **data},
        ):
            assert splits(cv, **carried) == expected(cv, names)

    def test_the_column_of_query_ids_may_have_another_name_or_a_position(
        self, cv, names
    ):
        if not reads_qid(cv):
            return
        data = {"user_id": QID, **{name: METADATA[name] for name in names}}
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(**data)
        # A column "qid" means something else then.
        frame["qid"] = 0
        named = type(cv)(**{**vars(cv), "qid_column": "user_id"})
        for X_named in (frame, pl.DataFrame(frame), pa.table(frame.to_dict("list"))):
            assert splits(named, X_named, Y) == expected(cv, names)
        placed = type(cv)(**{**vars(cv), "qid_column": -1})
        others = {name: METADATA[name] for name in names}
        for array in (np.column_stack([X, QID]), sparse.csr_array(np.c_[X, QID])):
            assert splits(placed, array, Y, **others) == expected(cv, names)
        # What is passed goes before the column, and an index after it.
        passed = frame.assign(user_id=0)
        assert splits(named, passed, Y, **known(names)) == expected(cv, names)
        assert splits(named, X, y_with_index(names)) == expected(cv, names)
        caller = type(cv).__name__
        with pytest.raises(TypeError, match=f"'qid_column' parameter of {caller}"):
            type(cv)(**{**vars(cv), "qid_column": None})

    def test_the_sources_may_have_other_names(self, cv, names):
        other, renamed = named_otherwise(cv, names)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        y = y_with_index(names).rename_axis(index=lambda name: renamed.get(name, name))
        table = frame.assign(**known(names)).rename(columns=renamed)
        for frame_or_y in ((table, Y), (X, y)):
            assert splits(other, *frame_or_y) == expected(cv, names)
        if names:
            with pytest.raises(ValueError, match=f"index named 'my {names[0]}'"):
                next(other.split(X, y_with_index(names)))

    def test_values_may_be_given_to_the_splitter(self, cv, names):
        for convert in (np.asarray, list, pd.Series):
            made = clone(cv, safe=False)
            for name in names:
                setattr(made, name, convert(METADATA[name]))
            assert splits(made, X, Y, qid=QID) == expected(cv, names)
            for copy in (clone(made, safe=False), pickle.loads(pickle.dumps(made))):
                assert splits(copy, X, Y, qid=QID) == expected(cv, names)
                assert repr(copy) == repr(made)
            # What is passed goes before it.
            for name in names:
                setattr(made, name, convert(np.zeros(N)))
            assert splits(made, X, Y, **known(names)) == expected(cv, names)

    def test_the_parameters_are_kept_and_keyword_only_after_the_counts(self, cv, names):
        parameters = inspect.signature(type(cv)).parameters
        assert set(parameters) == set(vars(cv))
        for name, parameter in parameters.items():
            is_count = name in ("n_splits", "n_repeats", "n_last")
            assert is_count or parameter.kind is parameter.KEYWORD_ONLY

    @pytest.mark.parametrize("ids", [str, lambda i: (i, "x"), lambda i: 2**70 + i])
    def test_the_kind_of_ids_does_not_matter(self, cv, names, ids):
        data = known(names)
        # Text is ordered as the numbers are, if all have three digits.
        data["qid"] = [ids(int(i) + 100) for i in data["qid"]]
        assert splits(cv, X, Y, **data) == expected(cv, names)

    def test_what_is_missing_is_named_with_its_sources(self, cv, names):
        if reads_qid(cv):
            with pytest.raises(ValueError, match=r"column 'qid' of X, or an index"):
                next(cv.split(X, Y, **{name: METADATA[name] for name in names}))
        for name in names:
            others = {other: METADATA[other] for other in names if other != name}
            with pytest.raises(
                ValueError,
                match=rf"{type(cv).__name__} needs to know the {name} of each row. "
                rf".*{type(cv).__name__}\({name}='my_{name}'\).*'{name}': {name}.*"
                rf"Got no {name} and no column or index named '{name}'.$",
            ):
                next(cv.split(X, Y, qid=QID, **others))

    def test_lengths_that_differ_are_refused(self, cv, names):
        for name in ["qid", *names]:
            data = {**known(names), name: METADATA[name][:-1]}
            with pytest.raises(ValueError, match="inconsistent numbers of samples"):
                next(cv.split(X, Y, **data))
        for name in names:
            made = clone(cv, safe=False)
            setattr(made, name, METADATA[name][:-1])
            others = {other: METADATA[other] for other in names if other != name}
            with pytest.raises(ValueError, match="inconsistent numbers of samples"):
                next(made.split(X, Y, qid=QID, **others))

    def test_another_order_of_the_rows_is_noticed(self, cv, names):
        frame, data = pd.DataFrame(X), known(names)
        backwards = np.arange(N)[::-1]
        for name in ("y", *data):
            rows = {"y": Y} | data
            rows[name] = pd.Series(rows[name])
            list(cv.split(frame, **rows))  # no warning
            rows[name] = rows[name].set_axis(backwards)
            if name == "qid" and not reads_qid(cv):
                continue
            said = rf"X and {name} have the same labels .* {name}.loc\[X.index\]"
            with pytest.warns(UserWarning, match=said):
                next(cv.split(frame, **rows))

    def test_empty_input_is_refused(self, cv, names):
        empty = {name: [] for name in ["qid", *names]}
        with pytest.raises(ValueError, match="needs at least one row"):
            next(cv.split(X[:0], Y[:0], **empty))


def by_hand(cv, names, model):
    """The test scores of a loop over the splits."""
    scores = {"ndcg@5": [], "mrr": []}
    for train, test in cv.split(X, Y, **known(names)):
        model = clone(model).fit(X[train], Y[train])
        y_score = model.predict(X[test])
        scores["ndcg@5"].append(ndcg_score(Y[test], y_score, qid=QID[test], k=5))
        scores["mrr"].append(mrr_score(Y[test], y_score, qid=QID[test]))
    return scores


# Those whose folds are drawn, of any number, and where each row is tested once.
FOLDS = [QueryKFold, StratifiedQueryKFold]
DRAWN = [
    *(partial(fold, 4, shuffle=True) for fold in FOLDS),
    partial(QueryShuffleSplit, 3, test_size=0.3),
    partial(RepeatedQueryKFold, 3, 2),
]


@pytest.mark.parametrize("drawn", DRAWN)
def test_seeds_give_different_folds_and_one_seed_the_same(drawn):
    def folds(seed):
        return str(splits(drawn(random_state=seed), X, Y, qid=QID))

    assert folds(3) == folds(3) == folds(np.random.RandomState(3))
    assert len({folds(seed) for seed in range(5)}) == 5
    found = splits(drawn(random_state=0), X, Y, qid=QID)
    assert len({str(test) for _, test in found}) == len(found)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("fold", FOLDS)
def test_each_row_is_tested_once(fold, shuffle):
    cv = fold(4, shuffle=shuffle)
    tests = [test for _, test in cv.split(X, Y, qid=QID)]
    assert_array_equal(np.sort(np.concatenate(tests)), np.arange(N))


@pytest.mark.parametrize(
    "splitter", [QueryKFold, StratifiedQueryKFold, RepeatedQueryKFold]
)
def test_there_are_no_more_folds_than_queries(splitter):
    for _, test in splitter(15).split(X, Y > -1, qid=QID):
        assert len({*QID[test]}) == 1
    message = "n_splits=16 greater than the number of queries: 15"
    with pytest.raises(ValueError, match=message):
        next(splitter(16).split(X, Y, qid=QID))


BAD = {
    QueryKFold: [
        ({"n_splits": 1}, ValueError, "n_splits == 1, must be >= 2"),
        ({"n_splits": -3}, ValueError, "n_splits == -3, must be >= 2"),
        ({"n_splits": 2.0}, TypeError, "n_splits must be an instance of int"),
        ({"n_splits": True}, TypeError, "n_splits must be an instance of int"),
        ({"n_splits": "5"}, TypeError, "n_splits must be an instance of int"),
        ({"shuffle": 1}, TypeError, "shuffle must be True or False. Got 1"),
        ({"random_state": 0}, ValueError, "must be None if shuffle is False"),
    ],
    QueryShuffleSplit: [
        ({"n_splits": 0}, ValueError, "n_splits == 0, must be >= 1"),
        ({"n_splits": 2.5}, TypeError, "n_splits must be an instance of int"),
    ],
    StratifiedQueryKFold: [
        ({"n_splits": 1}, ValueError, "n_splits == 1, must be >= 2"),
        ({"n_splits": 2.0}, TypeError, "n_splits must be an instance of int"),
        ({"shuffle": "yes"}, TypeError, "shuffle must be True or False. Got 'y"),
        ({"random_state": 0}, ValueError, "of StratifiedQueryKFold must be None"),
    ],
    RepeatedQueryKFold: [
        ({"n_splits": 1}, ValueError, "n_splits == 1, must be >= 2"),
        ({"n_repeats": 0}, ValueError, "n_repeats == 0, must be >= 1"),
        ({"n_repeats": True}, TypeError, "n_repeats must be an instance of int"),
    ],
    QueryTimeSeriesSplit: [
        ({"n_splits": 0}, ValueError, "n_splits == 0, must be >= 1"),
        ({"n_splits": 2.0}, TypeError, "n_splits must be an instance of int"),
        ({"gap": -1}, ValueError, "gap == -1, must be >= 0"),
        ({"gap": 0.5}, TypeError, "gap must be an instance of int"),
        ({"gap": "1M"}, ValueError, "'gap' parameter of QueryTime.*'7D'.*Got '1M'"),
        ({"gap": timedelta(-1)}, ValueError, "gap == .*must be >= 0"),
        ({"gap": np.timedelta64("NaT", "s")}, ValueError, "gap == .*must be >= 0"),
        ({"test_size": 0}, ValueError, "test_size == 0, must be >= 1"),
        ({"test_size": 0.2}, TypeError, "test_size must be an instance of int"),
        ({"max_train_size": 0}, ValueError, "max_train_size == 0, must be >= 1"),
        ({"time": None}, TypeError, "'time' parameter of QueryTimeSeries.*Got No"),
        ({"time": 3}, TypeError, r"array-like of shape \(n_samples,\). Got 3 inst"),
    ],
    TimeRangeSplit: [
        ({"n_splits": 0}, ValueError, "n_splits == 0, must be >= 1"),
        ({"test_size": 0}, ValueError, "'test_size' parameter of TimeRange.*Got 0"),
        ({"test_size": 1.0}, ValueError, r"range \(0.0, 1.0\).*Got 1.0 instead"),
        ({"test_size": "7"}, ValueError, "units: W, D, h, min, s.*Got '7' inst"),
        ({"test_size": "1M"}, ValueError, "Got '1M' instead"),
        ({"test_size": "0D"}, ValueError, "Got '0D' instead"),
        ({"test_size": timedelta(-1)}, ValueError, "Got .*days=-1"),
        ({"test_size": np.timedelta64("NaT", "s")}, ValueError, "Got .*NaT"),
        ({"test_size": True}, TypeError, "Got True instead"),
        ({"test_size": None}, TypeError, "Got None instead"),
        ({"gap": -1}, ValueError, "gap == -1, must be >= 0"),
        ({"gap": 0.5}, TypeError, "gap must be an instance of int"),
        ({"gap": "7 years"}, ValueError, "'gap' parameter of TimeRangeSplit.*years"),
        ({"time": None}, TypeError, "'time' parameter of TimeRangeSplit.*Got None"),
        ({"n_splits": "14D"}, TypeError, "not str. Did you mean test_size='14D'"),
        ({"n_splits": 0.2}, TypeError, "not float. Did you mean test_size=0.2"),
    ],
    LeaveLastOut: [
        ({"n_last": 0}, ValueError, "n_last == 0, must be >= 1"),
        ({"n_last": 1.0}, TypeError, "n_last must be an instance of int"),
        ({"n_splits": 0}, ValueError, "n_splits == 0, must be >= 1"),
        ({"time": 1.5}, TypeError, "'time' parameter of LeaveLastOut.*Got 1.5"),
    ],
}


@pytest.mark.parametrize(
    ("splitter", "parameters", "error", "message"),
    [(splitter, *row) for splitter, rows in BAD.items() for row in rows],
)
def test_bad_parameters_are_refused(splitter, parameters, error, message):
    with pytest.raises(error, match=message):
        splitter(**parameters)


# Some splitters cut queries on purpose.
@pytest.mark.filterwarnings("ignore::skrank.exceptions.QuerySplitWarning")
@pytest.mark.parametrize(
    ("cv", "names"),
    HANDED.values(),
    ids=[" ".join(str(cv).split()) for cv, _ in HANDED.values()],
)
class TestWithScikitLearn:
    def assert_scores(self, cv, names, X, y, ranker, model, **params):
        scores = by_hand(cv, names, model)
        options = {"cv": cv, "error_score": "raise"}
        result = cross_validate(
            ranker, X, y, scoring=["ndcg@5", "mrr"], params=params or None, **options
        )
        grid = {"missing_qid": ["raise"]}
        search = GridSearchCV(ranker, grid, scoring="mrr", **options)
        search.fit(X, y, **params)
        assert search.n_splits_ == len(scores["mrr"])
        for name, values in scores.items():
            assert_allclose(result[f"test_{name}"], values, rtol=0, atol=1e-12)
        assert search.best_score_ == pytest.approx(np.mean(scores["mrr"]), abs=1e-12)

    @pytest.mark.slow
    def test_routed_without_a_word_from_the_user(self, cv, names):
        pipe = make_pipeline(StandardScaler(), Ridge())
        with config_context(enable_metadata_routing=True):
            self.assert_scores(cv, names, X, Y, QueryRanker(pipe), pipe, **known(names))

    @pytest.mark.slow
    def test_a_search_in_a_cross_validation_hands_all_of_it_on(self, cv, names):
        ranker = QueryRanker(Ridge(), missing_qid="single")
        grid, how = {"estimator__alpha": [1.0]}, {"error_score": "raise"}
        how["scoring"] = "mrr"
        with config_context(enable_metadata_routing=True):
            search = GridSearchCV(ranker, grid, cv=cv, **how)
            how |= {"cv": QueryKFold(2), "params": known(names)}
            result = cross_validate(search, X, Y, **how)
        scores = by_hand(QueryKFold(2), [], Ridge())["mrr"]
        assert_allclose(result["test_score"], scores, rtol=0, atol=1e-12)

    def test_the_index_of_y_holds_all_of_it_without_routing(self, cv, names):
        y = y_with_index(names)
        self.assert_scores(cv, names, X, y, QueryRanker(Ridge()), Ridge())

    def test_columns_of_x_do_without_routing(self, cv, names):
        data = dict(zip("abc", X.T, strict=True))
        model = make_pipeline(StandardScaler(), Ridge())
        # The ranker takes the qid column out; a column of times stays a feature.
        make = pl.DataFrame if names else pd.DataFrame
        frame = make({**data, **known(names)})
        features = np.column_stack([X, *(METADATA[name] for name in names)])
        scores = []
        for train, test in cv.split(X, Y, **known(names)):
            y_score = model.fit(features[train], Y[train]).predict(features[test])
            scores.append(mrr_score(Y[test], y_score, qid=QID[test]))
        how = {"scoring": "mrr", "error_score": "raise"}
        result = cross_validate(QueryRanker(model), frame, Y, cv=cv, **how)
        assert_allclose(result["test_score"], scores, rtol=0, atol=1e-12)

    def test_a_request_can_be_taken_back(self, cv, names):
        with config_context(enable_metadata_routing=True):
            requests = clone(cv, safe=False).get_metadata_routing().split.requests
            own = {"time"} & set(inspect.signature(cv.split).parameters)
            assert requests == dict.fromkeys({"qid", "groups"} | own, True)
            for name in own:
                less = clone(cv, safe=False).set_split_request(**{name: False})
                assert less.get_metadata_routing().split.requests[name] is False
