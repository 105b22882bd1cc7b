"""Where a ranker finds its query ids."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.utils import get_tags

from skrank.rankers import QueryRanker
from tests.rankers.rows import FRAME, NAMES, QID, Recorder, X, Y

INDEX = pd.Index(QID, name="qid")

SOURCES = {
    "argument": (X, Y, {"qid": QID}),
    "pandas column": (FRAME.assign(qid=QID), Y, {}),
    "polars column": (pl.DataFrame(FRAME.assign(qid=QID).to_dict("list")), Y, {}),
    "pyarrow column": (pa.table(FRAME.assign(qid=QID).to_dict("list")), Y, {}),
    "pyarrow argument": (X, Y, {"qid": pa.chunked_array([QID.tolist()])}),
    "index of X": (FRAME.set_index(INDEX), Y, {}),
    "index of y": (X, pd.Series(Y, index=INDEX), {}),
    "level of y": (
        X,
        pd.Series(
            Y, index=pd.MultiIndex.from_arrays([range(len(Y)), QID], names=["i", "qid"])
        ),
        {},
    ),
}


def positions(scores, qid):
    """Rank scores within queries, one query at a time."""
    ranks = np.zeros(len(scores), dtype=int)
    for query in set(qid):
        rows = np.flatnonzero(qid == query)
        best_first = rows[np.argsort(-scores[rows], kind="stable")]
        ranks[best_first] = np.arange(1, len(rows) + 1)
    return ranks


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_ranker_and_score(source):
    data, y, metadata = SOURCES[source]
    ranker = QueryRanker(Ridge()).fit(data, y, **metadata)
    plain = Ridge().fit(X, Y)
    np.testing.assert_allclose(ranker.predict(data), plain.predict(X))
    assert ranker.n_features_in_ == 3
    expected = ranker.score(data, y, qid=QID)
    assert ranker.score(data, y, **metadata) == expected
    assert expected != QueryRanker(Ridge(), missing_qid="single").fit(X, Y).score(X, Y)


@pytest.mark.parametrize(
    "source",
    ["argument", "pandas column", "polars column", "pyarrow column", "index of X"],
)
def test_rank_gives_positions_within_queries(source):
    data, y, metadata = SOURCES[source]
    ranker = QueryRanker(Ridge()).fit(data, y, **metadata)
    expected = positions(Ridge().fit(X, Y).predict(X), QID)
    assert ranker.rank(data, **metadata).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["pandas column", "polars column"])
def test_the_column_of_ids_is_never_a_feature(source):
    data, y, _ = SOURCES[source]
    for given in ({}, {"qid": QID}):
        ranker = QueryRanker(Ridge()).fit(data, y, **given)
        assert ranker.estimator_.coef_.shape == (3,)
        assert ranker.n_features_in_ == 3
        # scikit-learn <= 1.8 does not read the names of a frame of polars 2.
        if hasattr(Ridge().fit(data[NAMES], y), "feature_names_in_"):
            assert ranker.feature_names_in_.tolist() == NAMES
        without = ranker.predict(data[NAMES])
        assert ranker.predict(data).tolist() == without.tolist()


def test_the_argument_goes_before_the_column_and_the_index():
    y = pd.Series(Y, index=INDEX)
    by_argument = QueryRanker(Recorder()).fit(FRAME.assign(qid=0), y, qid=Y)
    assert by_argument.estimator_.qid_.tolist() == sorted(Y)


def test_a_second_fit_forgets_the_names_of_the_first():
    ranker = QueryRanker(Ridge()).fit(FRAME, Y, qid=QID).fit(X[:, :2], Y, qid=QID)
    assert not hasattr(ranker, "feature_names_in_")
    assert ranker.n_features_in_ == 2


def test_sparse_features_are_taken():
    sparse = scipy.sparse.csr_array(X)
    ranker = QueryRanker(Ridge()).fit(sparse, Y, qid=QID)
    np.testing.assert_allclose(
        ranker.predict(sparse), Ridge().fit(X, Y).predict(X), rtol=1e-3, atol=1e-3
    )


def test_the_tags_of_the_input_are_those_of_the_estimator():
    for inner in (Ridge(), HistGradientBoostingRegressor()):
        assert get_tags(QueryRanker(inner)).input_tags == get_tags(inner).input_tags


@pytest.mark.parametrize("method", ["fit", "score", "rank"])
def test_without_ids_the_three_sources_are_named(method):
    ranker = QueryRanker(Ridge()).fit(X, Y, qid=QID)
    args = (X,) if method == "rank" else (X, Y)
    with pytest.raises(ValueError, match="needs to know which rows") as error:
        getattr(ranker, method)(*args)
    message = str(error.value)
    assert f"QueryRanker.{method} " in message
    for source in (
        f"{method}({', '.join('Xy'[: len(args)])}, qid=qid)",
        "column 'qid'",
        "QueryRanker(..., qid_column='user_id')",
        "index 'qid' of X or y",
    ):
        assert source in message


def test_missing_ids_can_mean_a_single_query():
    ranker = QueryRanker(Recorder(), missing_qid="single").fit(X, Y)
    assert ranker.estimator_.qid_.tolist() == [0] * len(Y)
    one = np.zeros(len(Y), dtype=int)
    assert ranker.rank(X).tolist() == positions(X[:, 0], one).tolist()
    assert ranker.score(X, Y) == ranker.score(X, Y, qid=one)


@pytest.mark.parametrize(
    ("qid", "match"),
    [
        (QID[:-1], "inconsistent numbers of samples"),
        ([None, *QID[1:]], "Got missing values"),
        (np.column_stack([QID, QID]), r"array-like of shape \(n_samples,\)"),
    ],
    ids=["short", "missing", "2-D"],
)
def test_ids_that_are_not_one_per_row_are_refused(qid, match):
    with pytest.raises(ValueError, match=match):
        QueryRanker(Ridge()).fit(X, Y, qid=qid)
