"""Columns of data frames: their names, their order and their types."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lightgbm import LGBMRanker, LGBMRegressor, __version__
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker, PairwiseRanker, QueryRanker, as_regressor
from tests.rankers.rows import SORTED

X, Y, QID = SORTED
FRAME = pd.DataFrame(X, columns=["b 1", "a", "c"]).assign(qid=QID)
IS_OLD = tuple(map(int, __version__.split(".")[:2])) < (4, 7)
TREES = LGBMRanker(n_estimators=3, min_child_samples=3, verbose=-1, n_jobs=1)
KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.DataFrame,
    "table": pa.Table.from_pandas,
}


class GoesByPosition(BaseEstimator):
    """Reads an array, as many libraries do."""

    def fit(self, X, y):
        self.estimator_ = Ridge().fit(np.asarray(X), y)
        return self

    def predict(self, X):
        return self.estimator_.predict(np.asarray(X))


identity = FunctionTransformer(lambda X: X)
RANKERS = {
    "LightGBM": QueryRanker(TREES),
    "by position": QueryRanker(GoesByPosition()),
    "one step": QueryRanker(make_pipeline("passthrough", GoesByPosition())),
    "transformed": QueryRanker(make_pipeline(identity, GoesByPosition())),
    "ridge": QueryRanker(Ridge()),
    "pairs": PairwiseRanker(),
    "pairs, transformed": PairwiseRanker(make_pipeline(identity, LogisticRegression())),
    "fusion": FusionRanker([("a", GoesByPosition())], method="sum"),
    "regressor": as_regressor(QueryRanker(GoesByPosition())),
    "pipeline": make_pipeline("passthrough", QueryRanker(GoesByPosition())),
    "search": GridSearchCV(
        QueryRanker(TREES), {"estimator__max_depth": [2]}, cv=QueryKFold(2)
    ),
}


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_in_another_order_or_renamed_are_refused(kind, name):
    new = KINDS[kind]
    if kind != "pandas" and name in ("LightGBM", "search") and IS_OLD:
        pytest.skip("LightGBM before 4.7 takes frames of pandas only")
    if (kind, name) == ("table", "search"):
        new = KINDS["polars"]  # old versions of scikit-learn do not split tables
    ranker = RANKERS[name].fit(new(FRAME), Y)
    scores = ranker.predict(new(FRAME))
    moved = FRAME[["qid", "b 1", "a", "c"]]  # the column of ids is no feature
    assert ranker.predict(new(moved)).tolist() == scores.tolist()
    assert ranker.predict(new(FRAME.drop(columns="qid"))).tolist() == scores.tolist()
    for other in (FRAME[["c", "a", "b 1", "qid"]], FRAME.rename(columns={"c": "d"})):
        with pytest.raises(ValueError, match=r"^The feature names should match"):
            ranker.predict(new(other))


def test_record_batches_are_refused_although_scikit_learn_may_not_read_their_names():
    ranker = QueryRanker(GoesByPosition()).fit(pa.RecordBatch.from_pandas(FRAME), Y)
    words = (
        r"names should match .*(order as|Got \['c', 'a', 'b 1'\] instead of \['b 1')"
    )
    with pytest.raises(ValueError, match=f"(?s){words}"):
        ranker.predict(pa.RecordBatch.from_pandas(FRAME[["c", "a", "b 1"]]))


class GoesByName(GoesByPosition):
    """Goes by name, as CatBoost does."""

    def fit(self, X, y, cat_features=None, eval_set=None):
        self.names_ = list(X)
        return super().fit(X, y)

    def predict(self, X):
        return super().predict(X[self.names_])


by_name = make_column_transformer(("drop", ["c"]), remainder="passthrough")


@pytest.mark.parametrize(
    "model",
    [GoesByName(), make_pipeline(by_name, GoesByPosition())],
    ids=["CatBoost", "ColumnTransformer"],
)
def test_what_goes_by_name_takes_any_order(model):
    ranker = QueryRanker(model).fit(FRAME, Y)
    found = ranker.predict(FRAME[sorted(FRAME)].assign(new=1))
    assert found.tolist() == ranker.predict(FRAME).tolist()


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (FRAME, X, "X does not have valid feature names, but Ridge was fitted with"),
        (X, FRAME, "X has feature names, but Ridge was fitted without feature names"),
    ],
    ids=["fitted with names", "fitted without"],
)
def test_names_on_one_side_only_are_warned_of_once(train, test, words):
    ranker = QueryRanker(Ridge()).fit(train, Y, qid=QID)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker.predict(test)
    assert [str(one.message)[: len(words)] for one in caught] == [words]


class LightGBM(GoesByPosition):
    """Takes the words of LightGBM, which ends the process on some columns."""

    def fit(self, X, y, group=None, eval_set=None, categorical_feature="auto"):
        return super().fit(X, y)


class XGBoost(GoesByPosition):
    def fit(self, X, y, *, qid=None, eval_set=None, eval_qid=None):
        self.types_ = X.dtypes
        return super().fit(X[["x"]], y)

    def predict(self, X):
        return super().predict(X[["x"]])


class CatBoost(GoesByPosition):
    def fit(self, X, y, group_id=None, cat_features=None, eval_set=None):
        self.X_ = X
        return super().fit(X[["x"]], y)

    def predict(self, X):
        self.X_ = X
        return super().predict(X[["x"]])


N = 12
GRADES, IDS = np.arange(N) % 3, np.repeat([0, 1], N // 2)
NUMBER = pl.DataFrame({"x": np.arange(float(N)), "item": np.arange(N)})
TYPES = {
    "text": pl.Series(["a", "b"] * 6),
    "categories": pl.Series(["a", "b"] * 6, dtype=pl.Categorical),
    "enum": pl.Series(["a", "b"] * 6, dtype=pl.Enum(["a", "b"])),
    "dates": pl.Series([datetime.date(2020, 1, 1)] * N),
    "decimals": pl.Series([decimal.Decimal("1.5")] * N),
    "nulls": pl.Series([None] * N),
    "lists": pl.Series([[1, 2]] * N),
}
ARROW = {
    "polars": lambda frame: frame,
    "table": lambda frame: frame.to_arrow(),
    "batch": lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("kind", ARROW)
def test_columns_that_are_not_numbers_are_refused_by_name(kind, name):
    new, text = ARROW[kind], NUMBER.with_columns(TYPES[name].alias("item"))
    words = "^LightGBM does not take all types of columns .* Got {'item': .*to_pandas"
    for model in (LightGBM(), make_pipeline(identity, LightGBM())):
        with pytest.raises(ValueError, match=words):
            QueryRanker(model).fit(new(text), GRADES, qid=IDS)
        ranker = QueryRanker(model).fit(new(NUMBER), GRADES, qid=IDS)
        assert len(ranker.predict(new(NUMBER))) == N
        with pytest.raises(ValueError, match=words):
            ranker.predict(new(text))


@pytest.mark.slow
def test_every_type_of_numbers_is_taken():
    numbers = [pl.Boolean, pl.Float32, pl.Float64]
    numbers += [getattr(pl, f"{u}Int{n}") for u in ("", "U") for n in (8, 16, 32, 64)]
    for kind in numbers:
        frame = NUMBER.with_columns((pl.col("item") % 2).cast(kind))
        for new in ARROW.values():
            QueryRanker(LightGBM()).fit(new(frame), GRADES, qid=IDS)


def test_xgboost_takes_categories_as_well():
    for name in ("categories", "enum"):
        frame = NUMBER.with_columns(TYPES[name].alias("item"))
        assert len(QueryRanker(XGBoost()).fit(frame, GRADES, qid=IDS).predict(frame))
    text = NUMBER.with_columns(TYPES["text"].alias("item"))
    with pytest.raises(
        ValueError, match=r"^XGBoost does not take all .* Got {'item': 'str"
    ):
        QueryRanker(XGBoost()).fit(text, GRADES, qid=IDS)


@pytest.mark.parametrize("kind", ARROW)
def test_catboost_gets_a_frame_that_it_reads(kind):
    for frame in (NUMBER, NUMBER.with_columns(TYPES["text"].alias("item"))):
        ranker = QueryRanker(CatBoost()).fit(ARROW[kind](frame), GRADES, qid=IDS)
        fitted_to = ranker.estimator_.X_
        ranker.predict(ARROW[kind](frame))
        for found in (fitted_to, ranker.estimator_.X_):
            is_kept = kind == "polars" and frame is NUMBER
            assert isinstance(found, pl.DataFrame if is_kept else pd.DataFrame)
            values = {name: found[name].to_list() for name in found.columns}
            assert values == frame.to_dict(as_series=False)


@pytest.mark.parametrize("model", [LGBMRanker, LGBMRegressor])
def test_lightgbm_never_gets_columns_on_which_it_ends_the_process(model, monkeypatch):
    monkeypatch.setattr("lightgbm.sklearn.Dataset", None)  # by which it would read them
    frame = pl.DataFrame({"qid": IDS, "item": ["a", "b", "c"] * 4})
    for new in ARROW.values():
        with pytest.raises(ValueError, match=f"^{model.__name__} does not take all"):
            QueryRanker(model(verbose=-1)).fit(new(frame), GRADES)


SHOP = pd.DataFrame(
    {"qid": IDS, "x": np.arange(float(N)), "brand": ["a", "b", "c"] * 4}
)
SHOP["day"] = pd.date_range("2026-01-01", periods=N)
TREES = LGBMRanker(n_estimators=2, min_child_samples=1, verbose=-1, n_jobs=1)


@pytest.mark.parametrize(
    ("drop", "words"),
    [
        ("day", r"Got {'brand': '\w+'}: drop.*X.astype\({'brand': 'category'}\)"),
        ("brand", r"Got {'day': 'datetime64\[\ws\]'}: drop .* production' does\.$"),
    ],
)
def test_columns_of_pandas_that_are_not_numbers_are_named(drop, words):
    frame = SHOP.drop(columns=drop)
    for model in (TREES, make_pipeline("passthrough", TREES)):
        with pytest.raises(ValueError, match=f"^LGBMRanker does not take.*{words}"):
            QueryRanker(model).fit(frame, GRADES)


def test_a_category_that_is_text_today_is_named():
    frame = SHOP.drop(columns="day")
    ranker = QueryRanker(TREES).fit(frame.astype({"brand": "category"}), GRADES)
    words = (
        r"^The column 'brand' was of type category in fit. Got (str|object): pass X.as"
    )
    with pytest.raises(ValueError, match=words):
        ranker.predict(frame)
    today = frame.astype({"brand": "category"})
    assert len(ranker.predict(today)) == N


def test_an_error_of_another_cause_is_left_alone():
    numbers = SHOP.drop(columns=["day", "brand"])
    with pytest.raises(ValueError, match="LGBMRanker takes as grades the integers"):
        QueryRanker(TREES).fit(numbers, -GRADES)
