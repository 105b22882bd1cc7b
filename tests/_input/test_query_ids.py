"""Where query ids are found, and what is said where there are none."""

# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn import ensemble, feature_selection
from sklearn.compose import TransformedTargetRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegressionCV, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank._input.frames import drop_column
from skrank._input.query_ids import find_named, find_qid, no_query_ids, require_named
from skrank.integrations import lightgbm_metric
from skrank.metrics import get_scorer
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.plot import MetricAtKDisplay
from skrank.rankers import QueryRanker, as_regressor
from tests._input.test_frames import TABLES, every_table, values

TWO_LEVELS = pd.MultiIndex.from_tuples([("qid", 1), ("a", 1)])


INDEXED_X = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["z", "z"], name="qid"))


Y = pd.Series([1, 0], index=pd.Index(["y", "y"], name="qid"))


@every_table
def test_query_ids_are_found_in_order(X):
    assert find_qid([1, 1], X=X, y=Y, groups=[2, 2]) == [1, 1]
    assert find_qid(X=X, y=Y, groups=[2, 2]) == [2, 2]
    assert values(find_qid(X=X, y=Y)) == ["x", "x"]
    assert values(find_qid(X=drop_column(X, "qid"), y=Y)) == ["y", "y"]


def test_the_index_of_y_comes_before_that_of_X():
    assert values(find_qid(X=INDEXED_X, y=Y)) == ["y", "y"]
    assert values(find_qid(X=INDEXED_X, y=[1, 0])) == ["z", "z"]
    assert values(find_qid(X=INDEXED_X.assign(qid="x"), y=Y)) == ["x", "x"]


def test_a_level_of_an_index_is_enough():
    levels = pd.MultiIndex.from_arrays([[0, 1], ["p", "q"]], names=["row", "qid"])
    for data in (pd.Series([1, 0], index=levels), pd.DataFrame([1, 0], index=levels)):
        assert values(find_qid(y=data)) == ["p", "q"]
        assert values(find_qid(X=data)) == ["p", "q"]
        assert values(find_named("row", X=data)) == [0, 1]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (None, None),
        (np.zeros((2, 2)), np.zeros(2)),
        ([[1], [2]], [1, 2]),
        (sparse.csr_matrix((2, 2)), (1, 2)),
        (TABLES["pandas"][["a"]], pd.Series([1, 2])),
        (TABLES["polars"][["a"]], pl.Series([1, 2])),
        (TABLES["pyarrow table"].select(["a"]), pa.array([1, 2])),
        (pd.DataFrame([[1, 2]], columns=TWO_LEVELS), None),
        (pd.DataFrame([[1, 2]]), pd.Series([1], index=pd.Index([1], name="query"))),
    ],
)
def test_without_the_name_nothing_is_found(X, y):
    assert find_qid(X=X, y=y) is None
    assert drop_column(X, "qid") is X


def test_without_times_the_error_names_the_column_as_a_parameter_first():
    assert require_named([1], "time", argument="time", caller="f") == [1]
    log = pd.DataFrame({"user": [1], "ts": [2]})
    with pytest.raises(ValueError, match=r"^F needs to know the time of") as error:
        require_named(None, "at", argument="time", caller="F", X=log)
    said = str(error.value)
    assert said.index("the name of its column, such as F(time='my_time')") < 100
    assert "params={'time': time} after sklearn.set_config(enable_meta" in said
    assert said.endswith(
        "Got no time and no column or index named 'at', and an X with the columns "
        "['user', 'ts']."
    )
    with pytest.raises(ValueError, match=r"index named 'at'\.$"):
        require_named(None, "at", argument="time", caller="F")


def message_without_qid(*args, **kwargs):
    error = no_query_ids(*args, **kwargs)
    assert type(error) is ValueError
    return str(error).split("\n")


def test_the_error_without_query_ids_has_four_lines_and_shows_the_call_first():
    assert message_without_qid("F.rank", "rank(X, qid=qid)", of_column="F")[:3] == [
        "F.rank needs to know which rows belong to one query. Got no query ids.",
        "Pass them: rank(X, qid=qid), or a column 'qid' of X, or an index 'qid' of X "
        "or y.",
        "To read another column: F(..., qid_column='user_id').",
    ]
    lines = message_without_qid("f", "call", column="user", of_column="F")
    assert len(lines) == 4
    assert lines[1] == (
        "Pass them: call, or a column 'user' of X, or an index 'qid' of X or y."
    )
    # Where there is no X, no column is named.
    _, line = message_without_qid("f", "`qid`")
    assert line == "Pass them: `qid`, or an index 'qid' of y."


@pytest.mark.parametrize(
    ("name", "column", "guess"),
    [
        ("qid", "qiid", "qid"),
        ("QID", "qid", "QID"),
        ("customer", "costumer", "customer"),
        *((name, "qid", name) for name in ("session", "Query_ID", "srch_id", "group")),
        ("id", "qid", None),  # rather that of a document
        ("client", "qid", None),
    ],
)
def test_a_column_of_query_ids_is_known_by_its_name_in_any_order(name, column, guess):
    X = pd.DataFrame({"price": [3.0, 1, 2, 5], name: [1, 2, 1, 2]})
    _, _, line, _ = message_without_qid("f", "call", X=X, column=column, of_column="F")
    lacks = f"X has no column {column!r}."
    if guess is None:
        assert line.startswith(f"{lacks} To read another column: ")
    else:
        hint = f"Did you mean F(..., qid_column={guess!r})?"
        assert line == f"{lacks} {hint} Got ['price', {name!r}]."


def test_of_a_wide_table_the_first_columns_are_listed():
    X = pd.DataFrame(np.zeros((2, 30))).add_prefix("f")
    assert message_without_qid("f", "call", X=X, of_column="F")[2].endswith(
        "Got ['f0', " + ", ".join(f"'f{i}'" for i in range(1, 20)) + ", ...]."
    )


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 1], [1, 1], [2, 2], [2, 2]], columns=["a", "a"]),
        pd.DataFrame({"a": [[1], [1], [2], [2]]}),
        np.zeros((0, 2)),
        np.zeros(4),
        [[1, 1, 2, 2]],
        sparse.csr_matrix([[1], [1], [2], [2]]),
    ],
    ids=["one name twice", "lists", "empty", "one axis", "list", "sparse"],
)
def test_the_error_without_query_ids_comes_for_any_data(X):
    line = message_without_qid("f", "call", X=X, of_column="F")[2]
    assert "To read another column: F(..., qid_column='user_id')." in line


X5, Y5 = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2


QIDS = np.repeat(np.arange(4), 5)


FRAME = pd.DataFrame(X5, columns=["a", "b"]).assign(qid=QIDS)


def error_of(call):
    with pytest.raises(ValueError, match="needs to know which rows") as error:
        call()
    return str(error.value).split("\n")


def split_in_two(ranker, **params):
    params = {"scoring": "mrr", "cv": QueryKFold(2), "error_score": "raise"} | params
    return cross_val_score(ranker, X5, Y5, **params)


def test_the_call_that_was_made_is_shown():
    ranker, folds = QueryRanker(Ridge()), list(QueryKFold(2).split(X5, qid=QIDS))
    best = ranker.fit(X5, Y5, qid=QIDS)
    assert error_of(lambda: get_scorer("mrr")(best, X5, Y5))[:2] == [
        "The scorer of 'mrr' needs to know which rows belong to one query. Got no "
        "query ids.",
        "Pass them: scorer(estimator, X, y, qid=qid), or a column 'qid' of X, or an "
        "index 'qid' of X or y.",
    ]
    for score, call in [
        (lambda: QueryRanker(Ridge()).fit(X5, Y5), "fit(X, y, qid=qid)"),
        (lambda: best.rank(X5), "rank(X, qid=qid)"),
        (lambda: best.score(X5, Y5), "score(X, y, qid=qid)"),
        (lambda: next(QueryKFold(2).split(X5, Y5)), "split(X, y, qid=qid)"),
        (
            lambda: cross_val_query_scores(Ridge(), X5, Y5, scoring="mrr", cv=folds),
            "cross_val_query_scores(estimator, X, y, params={'qid': qid})",
        ),
        (
            lambda: MetricAtKDisplay.from_estimator(ranker, X5, Y5, "mrr"),
            "MetricAtKDisplay.from_estimator(estimator, X, y, qid=qid)",
        ),
        (lambda: lightgbm_metric("mrr", y=Y5)(Y5, Y5), "`qid`"),
    ]:
        assert error_of(score)[1].startswith(f"Pass them: {call}, or a")


MEMBERS = [("a", as_regressor(QueryRanker(Ridge())))]


# What fails inside of scikit-learn, and who says so.
LOST = {
    "groups": (
        lambda: split_in_two(QueryRanker(Ridge()), groups=QIDS),
        "QueryRanker.fit",
    ),
    "no routing": (
        lambda: GridSearchCV(
            QueryRanker(Ridge()), {"estimator__alpha": [1]}, cv=QueryKFold(2)
        ).fit(X5, Y5, qid=QIDS),
        "QueryKFold",
    ),
    "pipeline": (
        lambda: make_pipeline(StandardScaler(), QueryRanker(Ridge())).fit(FRAME, Y5),
        "QueryRanker.fit",
    ),
    "stops early": (
        lambda: ensemble.HistGradientBoostingRegressor(
            scoring="mrr", early_stopping=True
        ).fit(FRAME, Y5),
        "The scorer of 'mrr'",
    ),
    "inner search": (
        lambda: QueryRanker(
            GridSearchCV(Ridge(), {"alpha": [1]}, scoring="mrr", cv=QueryKFold(2))
        ).fit(FRAME, Y5),
        "QueryKFold",
    ),
    "inner combination": (
        lambda: QueryRanker(ensemble.VotingRegressor(MEMBERS)).fit(FRAME, Y5),
        "QueryRanker.fit",
    ),
    "boosting": (
        lambda: ensemble.AdaBoostRegressor(QueryRanker(Ridge())).fit(X5, Y5),
        "QueryRanker.fit",
    ),
    "bagging": (
        lambda: ensemble.BaggingRegressor(QueryRanker(Ridge())).fit(X5, Y5),
        "QueryRanker.fit",
    ),
}


def last_line(after, is_fit=True):
    """Return how the last line begins."""
    cure = "A ranker passes none to a search within it: put the ranker into the search,"
    if is_fit:
        cure = (
            "Most ensembles pass none to rankers within them: put one into the ranker, "
            "QueryRanker(VotingRegressor(...)), or fuse rankers by FusionRanker."
        )
    return (
        "scikit-learn takes params={'qid': qid} in cross_validate, and fit(X, y, "
        f"qid=qid) in a search{after}; `groups` reaches only the splitter. {cure}"
    )


@pytest.mark.parametrize("name", LOST)
def test_the_last_line_says_how_query_ids_get_through_scikit_learn(name):
    call, caller = LOST[name]
    first, _, hint, last = error_of(call)
    assert first.startswith(f"{caller} needs to know which rows belong")
    assert last.startswith(
        last_line(
            " after sklearn.set_config(enable_metadata_routing=True)",
            is_fit=caller.endswith(".fit"),
        )
    )
    # The ranker has removed the column from a table, which a Pipeline makes an array.
    is_array = "such as a Pipeline, loses the column: put its steps" in last
    assert is_array == (not hint.startswith("X has no column 'qid'"))


def test_with_routing_enabled_the_error_does_not_say_to_enable_it():
    with sklearn.config_context(enable_metadata_routing=True):
        *_, last = error_of(LOST["pipeline"][0])
    assert last.startswith(last_line(""))


def fits(estimator):
    return lambda X, y, **qid: estimator.fit(X, y, **qid)


BY_QUERY = {"scoring": "mrr", "cv": QueryKFold(2)}


TOOLS = {
    "cross_validate": lambda X, y, **qid: cross_validate(
        QueryRanker(Ridge()), X, y, **BY_QUERY, error_score="raise", params=qid or None
    ),
    "VotingRegressor": fits(ensemble.VotingRegressor(MEMBERS)),
    "TransformedTargetRegressor": fits(TransformedTargetRegressor(MEMBERS[0][1])),
    "StackingRegressor": fits(ensemble.StackingRegressor(MEMBERS, cv=2)),
    "permutation_importance": lambda X, y, **qid: permutation_importance(
        QueryRanker(Ridge()).fit(X, y, **qid), X, y, scoring="mrr", n_repeats=1
    ),
    "SelectFromModel": lambda X, y, **qid: (
        feature_selection.SelectFromModel(QueryRanker(Ridge()))
        .fit(X, y, **qid)
        .transform(X)
    ),
    "RidgeCV": fits(RidgeCV(**BY_QUERY)),
    "SequentialFeatureSelector": fits(
        feature_selection.SequentialFeatureSelector(
            QueryRanker(Ridge()), n_features_to_select=1, **BY_QUERY
        )
    ),
    "Pipeline": fits(make_pipeline(StandardScaler(), QueryRanker(Ridge()))),
    "RFE": fits(feature_selection.RFE(QueryRanker(Ridge()), n_features_to_select=1)),
    "RFECV": fits(feature_selection.RFECV(QueryRanker(Ridge()), **BY_QUERY)),
    "LogisticRegressionCV": fits(
        LogisticRegressionCV(Cs=[1], solver="liblinear", **BY_QUERY)
    ),
    "BaggingRegressor": fits(ensemble.BaggingRegressor(MEMBERS[0][1])),
    "AdaBoostRegressor": fits(ensemble.AdaBoostRegressor(QueryRanker(Ridge()))),
    "HistGradientBoostingRegressor": fits(
        ensemble.HistGradientBoostingRegressor(scoring="mrr", early_stopping=True)
    ),
}


PAGE = Path(__file__).parents[2] / "docs" / "query_ids.rst"


ROWS = re.findall(r"^(``.*?)" + 4 * " +(yes|no)" + "$", PAGE.read_text("utf-8"), re.M)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of LogisticRegressionCV
@pytest.mark.parametrize(
    ("tool", "row"),
    [(tool, row) for row in ROWS for tool in re.findall(r"``(\w{3,})``", row[0])],
)
def test_the_table_of_tools_says_where_query_ids_may_be(tool, row):
    frame = pd.DataFrame(X5, columns=["a", "b"])
    by_row = pd.Index(QIDS, name="qid")
    places = {
        "column of X": (frame.assign(qid=QIDS), Y5, {}),
        "index of X": (frame.set_index(by_row), Y5, {}),
        "index of y": (X5, pd.Series(Y5, index=by_row), {}),
        "routing": (X5, Y5, {"qid": QIDS}),
    }
    said = dict(zip(places, row[1:], strict=True))
    found = {}
    for place, (X, y, qid) in places.items():
        with sklearn.config_context(enable_metadata_routing=place == "routing"):
            try:
                TOOLS[tool](X, y, **qid)
                found[place] = "yes"
            except (TypeError, ValueError, UserWarning):
                found[place] = "no"
    assert found == said


def test_every_tool_of_the_table_is_tried():
    assert set(TOOLS) == {*re.findall(r"``(\w{3,})``", "".join(row[0] for row in ROWS))}


def test_a_column_and_an_index_that_group_rows_differently_are_refused():
    frame = pd.DataFrame({"qid": [1, 1, 2, 2], "x": [1.0, 2, 3, 4]})
    same = pd.Series([1, 0, 0, 1], index=pd.Index(["a", "a", "b", "b"], name="qid"))
    other = same.set_axis(pd.Index([1, 2, 2, 1], name="qid"))
    ranker = QueryRanker(Ridge())
    assert find_qid(X=frame, y=same).tolist() == [1, 1, 2, 2]
    ranker.fit(frame, same)
    assert find_qid(X=frame, y=other, qid=[0, 0, 1, 1]) == [0, 0, 1, 1]
    assert find_qid(X=frame, y=other, column="x").tolist() == [1, 2, 3, 4]
    for call in (
        lambda: find_qid(X=frame, y=other),
        lambda: find_qid(X=frame.set_index(other.index)),
        lambda: ranker.fit(frame, other),
        lambda: get_scorer("mrr")(ranker, frame, other),
        lambda: next(QueryKFold(2).split(frame, other)),
    ):
        with pytest.raises(ValueError, match="they group the rows differently"):
            call()
