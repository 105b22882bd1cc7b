"""Query ids in a column of an array, a sparse matrix or a data frame."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from skrank.metrics import get_scorer
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker
from tests.rankers.rows import SORTED

X, Y, QID = SORTED
FIRST, LAST = np.column_stack([QID, X]), np.column_stack([X, QID])
MIDDLE = np.column_stack([X[:, :1], QID, X[:, 1:]])
NAMES = ["a", "b", "c", "session"]
FRAME = pd.DataFrame(LAST, columns=NAMES)
POLARS = pl.DataFrame(FRAME.to_dict("list"))

PLACES = {
    "first of an array": (FIRST, 0, X),
    "middle of an array": (MIDDLE, 1, X),
    "last of an array": (LAST, -1, X),
    "list of lists": (LAST.tolist(), 3, X.tolist()),
    "csr": (scipy.sparse.csr_array(LAST), -1, scipy.sparse.csr_array(X)),
    "csc": (scipy.sparse.csc_matrix(FIRST), 0, scipy.sparse.csc_matrix(X)),
    "coo": (scipy.sparse.coo_array(LAST), -1, scipy.sparse.coo_array(X)),
    "pandas, by name": (FRAME, "session", FRAME[NAMES[:3]]),
    "pandas, by position": (FRAME, -1, FRAME[NAMES[:3]]),
    "polars, by name": (POLARS, "session", POLARS[NAMES[:3]]),
    "polars, by position": (POLARS, -1, POLARS[NAMES[:3]]),
}
places = pytest.mark.parametrize("place", PLACES)
rankers = pytest.mark.parametrize(
    "ranker", [QueryRanker(Ridge()), PairwiseRanker()], ids=["pointwise", "pairwise"]
)


@places
@rankers
def test_the_column_brings_the_ids_and_is_no_feature(place, ranker):
    data, column, features = PLACES[place]
    found = clone(ranker).set_params(qid_column=column).fit(data, Y)
    expected = clone(ranker).fit(features, Y, qid=QID)
    assert found.__skrank_sizes__() == dict(enumerate(np.bincount(QID).tolist()))
    assert found.n_features_in_ == 3
    np.testing.assert_allclose(found.predict(data), expected.predict(features))
    np.testing.assert_allclose(found.predict(features), expected.predict(features))
    assert found.score(data, Y) == expected.score(features, Y, qid=QID)
    scorer = get_scorer("mrr")
    assert scorer(found, data, Y) == scorer(expected, features, Y, qid=QID)
    ranks = expected.rank(features, qid=QID)
    assert found.rank(data).tolist() == ranks.tolist()


def search_of(column, **splitter):
    return GridSearchCV(
        QueryRanker(Ridge(), qid_column=column),
        {"estimator__alpha": [1.0, 10.0]},
        scoring="mrr",
        cv=QueryKFold(3, **splitter),
        error_score="raise",
    )


def assert_best_score(search, features):
    """Compare it with that of the best ranker, whose ids are in the index."""
    model = QueryRanker(Ridge(alpha=search.best_params_["estimator__alpha"]))
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    expected = cross_val_score(model, features, y, scoring="mrr", cv=QueryKFold(3))
    assert search.best_score_ == pytest.approx(expected.mean())


def test_a_search_needs_the_ids_for_its_splitter_only():
    search = search_of(-1).fit(LAST, Y, groups=QID)
    assert_best_score(search, X)
    # A search is asked for the ids of its best ranker.
    scored = get_scorer("mrr")(search, LAST, Y)
    assert scored == get_scorer("mrr")(search.best_estimator_, X, Y, qid=QID)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["pandas, by name", "polars, by name", "csr"])
def test_a_search_finds_the_ids_in_a_column_that_ranker_and_splitter_name(place):
    data, column, features = PLACES[place]
    assert_best_score(search_of(column, qid_column=column).fit(data, Y), features)


def test_without_ids_the_splitter_says_how_it_finds_the_column():
    says = r"QueryKFold needs to know(.|\n)*column: QueryKFold\(..., qid_column="
    with pytest.raises(ValueError, match=says):
        cross_val_score(
            QueryRanker(Ridge(), qid_column=-1),
            LAST,
            Y,
            scoring="mrr",
            cv=QueryKFold(3),
        )


def test_a_pipeline_is_not_asked_for_a_column_that_it_transforms():
    pipe = make_pipeline(MaxAbsScaler(), QueryRanker(Ridge(), qid_column=-1)).fit(
        LAST, Y
    )
    with pytest.raises(ValueError, match="The scorer of 'mrr' needs to know"):
        get_scorer("mrr")(pipe, LAST, Y)


def test_ids_that_are_passed_go_before_those_of_the_column():
    one = np.column_stack([X, np.zeros(len(Y))])
    ranker = QueryRanker(Ridge(), qid_column=-1).fit(one, Y, qid=QID)
    assert len(ranker.__skrank_sizes__()) == 24
    assert ranker.n_features_in_ == 3


def test_a_column_of_another_name_leaves_a_column_named_qid_a_feature():
    frame = FRAME.assign(qid=X[:, 0])
    ranker = QueryRanker(Ridge(), qid_column="session").fit(frame, Y)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c", "qid"]


@pytest.mark.parametrize("column", [4, -5, 99])
def test_a_column_that_is_not_there_is_refused(column):
    with pytest.raises(ValueError, match=rf"Got column {column} .* shape \(\d+, 4\)"):
        QueryRanker(Ridge(), qid_column=column).fit(LAST, Y)


def test_a_name_that_is_not_there_leaves_the_ids_to_other_sources():
    with pytest.raises(ValueError, match="needs to know which rows"):
        QueryRanker(Ridge(), qid_column="user").fit(FRAME, Y)
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    assert (
        len(QueryRanker(Ridge(), qid_column="user").fit(X, y).__skrank_sizes__()) == 24
    )


@pytest.mark.parametrize("column", [None, 1.0, True, QID], ids=str)
def test_what_names_no_column_is_refused(column):
    with pytest.raises(TypeError, match="'qid_column' parameter of QueryRanker must"):
        QueryRanker(Ridge(), qid_column=column).fit(LAST, Y)


@pytest.mark.parametrize(
    ("dtype", "large"), [(np.float32, 2**24), (np.float64, 2**53)], ids=str
)
def test_ids_that_floats_cannot_distinguish_are_refused(dtype, large):
    data = np.column_stack([X, large + QID]).astype(dtype)
    with pytest.raises(ValueError, match=f"{np.dtype(dtype)} distinguishes query ids"):
        QueryRanker(Ridge(), qid_column=-1).fit(data, Y)
    data[:, -1] = large - 1000 + QID
    assert (
        len(QueryRanker(Ridge(), qid_column=-1).fit(data, Y).__skrank_sizes__()) == 24
    )
