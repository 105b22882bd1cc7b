"""Warnings about input that is likely a mistake."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    cross_validate,
    learning_curve,
    permutation_test_score,
)

from skrank import metrics
from skrank.metrics import evaluate, get_scorer, mrr_score, score_queries
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

# By position the relevant documents of the queries stand at the ranks 3 and 2.
Y = pd.Series([1, 0, 0, 0, 1, 0], index=[10, 11, 12, 20, 21, 22])
QID = pd.Series([7, 7, 7, 8, 8, 8], index=Y.index)
SCORE = pd.Series([3.0, 2.0, 1.0, 2.0, 3.0, 1.0], index=Y.index)
SORTED = SCORE.iloc[[2, 1, 0, 4, 3, 5]]
REORDERED = "have the same labels in different orders, but their rows are paired by pos"


def message(one, other, cure):
    return f"^{one} and {other} {REORDERED}.*{re.escape(cure)}.* or {other}\\.to_num"


def silently(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(*args, **kwargs)


def test_scores_in_another_order_than_the_grades_are_noticed():
    said = message("y_true", "y_score", "Pass y_score.loc[y_true.index]")
    with pytest.warns(UserWarning, match=said) as caught:
        by_position = mrr_score(Y, SORTED, qid=QID)
    assert by_position == (1 / 3 + 1 / 2) / 2
    assert caught[0].filename == __file__
    # The two cures: labels, and positions.
    assert silently(mrr_score, Y, SORTED.loc[Y.index], qid=QID) == (1 + 1) / 2
    assert silently(mrr_score, Y, SORTED.to_numpy(), qid=QID) == by_position


def test_every_argument_with_a_value_per_row_is_compared():
    arrays = Y.to_numpy(), SCORE.to_numpy()
    weight = pd.Series(1.0, index=SORTED.index)
    judged = pd.Series(True, index=SORTED.index)
    with pytest.warns(UserWarning, match=message("y_true", "qid", "qid.loc")):
        mrr_score(Y, arrays[1], qid=QID.loc[SORTED.index])
    with pytest.warns(UserWarning, match=message("y_score", "qid", "qid.loc")):
        mrr_score(arrays[0], SORTED, qid=QID)
    with pytest.warns(UserWarning, match=message("qid", "sample_weight", "loc")):
        evaluate(*arrays, "mrr", qid=QID, sample_weight=weight)
    with pytest.warns(UserWarning, match=message("y_true", "judged", "loc")):
        evaluate(Y, arrays[1], "mrr", qid=QID, judged=judged)
    with pytest.warns(UserWarning, match=message("y_true", "y_score", "loc")):
        metrics.tie_report(Y, SORTED, "mrr")
    with pytest.warns(UserWarning, match=message("y_true", "y_score", "loc")):
        score_queries(Y, {"a": SCORE, "b": SORTED}, "mrr", qid=QID)
    with pytest.warns(UserWarning, match=message("y_true", "qid", "qid.loc")):
        score_queries(Y, {"a": SCORE, "b": SCORE}, "mrr", qid=QID.loc[SORTED.index])


def test_a_scorer_and_a_ranker_compare_the_query_ids_with_the_grades():
    X = np.arange(6.0)[:, None]
    shuffled = QID.loc[SORTED.index]
    with pytest.warns(UserWarning, match=message("y", "qid", "qid.loc[y.index]")):
        ranker = QueryRanker(Ridge()).fit(X, Y, qid=shuffled)
    with pytest.warns(UserWarning, match=message("y", "qid", "qid.loc")):
        get_scorer("mrr")(ranker, X, Y, qid=shuffled)
    silently(get_scorer("mrr"), ranker, X, Y, qid=QID)
    frame = pd.DataFrame({"x": X.ravel(), "qid": QID})
    ranker = QueryRanker(Ridge()).fit(frame, Y)
    said = message("X", "y", "Pass y.loc[X.index]")
    with pytest.warns(UserWarning, match=said):
        get_scorer("mrr")(ranker, frame.loc[SORTED.index], Y)
    with pytest.warns(UserWarning, match=said):
        QueryRanker(Ridge()).fit(frame.loc[SORTED.index], Y)


# Queries of one document each way: by position the features do not tell the grades.
N_QUERIES = 12
GRADE = pd.Series(np.tile([0, 1, 0, 2], N_QUERIES))
LOG = pd.DataFrame({"x": GRADE, "qid": np.repeat(range(N_QUERIES), 4)})
BY_QUERY = LOG.sort_values("qid", ascending=False, kind="stable")
OPTIONS = {"scoring": "mrr", "cv": QueryKFold(3), "error_score": "raise"}


@pytest.mark.slow
def test_a_search_over_rows_in_another_order_is_noticed_once():
    shuffled = GRADE.loc[BY_QUERY.index].iloc[::-1]
    said = message("X", "y", "Pass y.loc[X.index]")
    with pytest.warns(UserWarning, match=said) as caught:
        cross_validate(QueryRanker(Ridge()), BY_QUERY, shuffled, **OPTIONS)
    assert len({str(one.message) for one in caught}) == 1
    assert {one.filename for one in caught} == {__file__}
    ranker, y = QueryRanker(Ridge()), shuffled.loc[BY_QUERY.index]
    right = silently(cross_validate, ranker, BY_QUERY, y, **OPTIONS)
    assert right["test_score"].tolist() == [1, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_labels_that_a_permutation_test_shuffles_are_no_mistake(n_jobs):
    options = OPTIONS | {"n_permutations": 2, "n_jobs": n_jobs}
    del options["error_score"]
    by_query = partial(permutation_test_score, QueryRanker(Ridge()), **options)
    # The frames of the call are no more in the stack of a thread than in a process.
    with parallel_config(backend="threading"):
        score, *_ = silently(by_query, LOG, GRADE, groups=LOG["qid"])
        assert score == 1
        with pytest.warns(UserWarning, match=message("X", "y", "Pass y.loc[X.index]")):
            by_query(BY_QUERY, GRADE, groups=BY_QUERY["qid"])


@pytest.mark.slow
def test_other_tools_that_shuffle_rows_keep_their_labels_together():
    ranker = QueryRanker(Ridge()).fit(LOG, GRADE)
    silently(permutation_importance, ranker, LOG, GRADE, scoring="mrr", n_repeats=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "learning_curve draws rows")
        learning_curve(ranker, LOG, GRADE, **OPTIONS, shuffle=True, train_sizes=[0.9])


def test_labels_that_are_repeated_have_another_cure():
    """The index of y_true may hold the query ids."""
    y_true = Y.set_axis(pd.Index(QID, name="qid"))
    y_score = SCORE.set_axis([8, 8, 8, 7, 7, 7])
    said = message("y_true", "y_score", "Sort the rows of y_score like those of y_true")
    with pytest.warns(UserWarning, match=said):
        mrr_score(y_true, y_score)


LABELS = {
    "integers": [3, 1, 2, 0, 5, 4],
    "small integers": np.array([3, 1, 2, 0, 5, 4], dtype=np.uint8),
    "nullable integers": pd.array([3, 1, 2, 0, 5, 4], dtype="Int64"),
    "floats": [0.5, 1.0, -2.0, np.nan, 3.0, 7.0],
    "text": list("abcdef"),
    "objects": pd.Index(["a", 1, "b", None, 2.5, "c"], dtype=object),
    "dates": pd.date_range("2020-01-01", periods=6),
    "categories": pd.Categorical(list("abcdef")),
    "two levels": pd.MultiIndex.from_product([[7, 8], list("abc")]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_are_compared(kind):
    y_true = pd.Series(Y.to_numpy(), index=LABELS[kind])
    y_score = pd.Series(SCORE.to_numpy(), index=LABELS[kind])
    copied = y_score.set_axis(y_score.index.copy(deep=True))
    for same in (y_score, copied):
        silently(mrr_score, y_true, same, qid=QID.to_numpy())
    with pytest.warns(UserWarning, match=REORDERED):
        mrr_score(y_true, y_score.iloc[::-1], qid=QID.to_numpy())


def test_a_default_index_has_the_labels_of_rows_that_were_shuffled():
    in_order = Y.reset_index(drop=True)
    shuffled = SCORE.reset_index(drop=True).iloc[[3, 5, 0, 1, 2, 4]]
    with pytest.warns(UserWarning, match=REORDERED):
        mrr_score(in_order, shuffled)
    with pytest.warns(UserWarning, match=REORDERED):
        mrr_score(in_order.iloc[shuffled.index], SCORE.reset_index(drop=True))


@pytest.mark.parametrize(
    "labels",
    [
        range(6),
        [10, 11, 12, 20, 21, 23],
        [10, 11, 12, 20, 22, 22],
        [10.5, 11, 12, 20, 21, 22],
        list("abcdef"),
        [("a", i) for i in range(6)],
        pd.Index([10, 11, 12, 20, 21, 22], dtype="Int64"),
        pd.Index([(1, 2)] * 6, tupleize_cols=False),
    ],
    ids=str,
)
def test_different_labels_are_silent(labels):
    other = pd.Series(SCORE.to_numpy(), index=labels)
    for y_true, y_score in [(Y, other), (other > 2, SCORE)]:
        silently(mrr_score, y_true, y_score, qid=QID.to_numpy())
    text = Y.set_axis(list("uvwxyz"))
    silently(mrr_score, text, other, qid=QID.to_numpy())


def test_rows_of_other_lengths_raise_their_own_error():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        silently(mrr_score, Y, SCORE.iloc[:4])
    with pytest.raises(ValueError, match="0 sample"):
        silently(mrr_score, Y.iloc[:0], SCORE.iloc[:0])


LABELS_SAID = (
    "^y_score has only two distinct values, 0 and 1, like the class labels that a "
    r"classifier predicts.*predict_proba\(X\)\[:, 1\].*tie_report"
)
# Two queries of six documents; the labels hold 2 of 3 and 1 of 2 relevant ones.
GRADES = np.array([1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0])
PREDICTED = np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0])
QUERIES = np.repeat([7, 8], 6)


@pytest.mark.parametrize("dtype", [int, bool, float, np.float32, np.uint8])
def test_class_labels_as_scores_are_noticed(dtype):
    scores = PREDICTED.astype(dtype)
    with pytest.warns(UserWarning, match=LABELS_SAID) as caught:
        value = mrr_score(GRADES, scores, qid=QUERIES)
    # On top are 3 documents with 2 relevant ones, and 2 with one.
    assert value == pytest.approx(((2 / 3 + 1 / 3 * 1 / 2) + 3 / 4) / 2)
    assert caught[0].filename == __file__
    shuffled = [5, 8, 0, 11, 3, 7, 2, 9, 10, 1, 4, 6]
    for rows in (np.arange(12), shuffled):
        with pytest.warns(UserWarning, match=LABELS_SAID):
            evaluate(GRADES[rows], scores[rows], "ndcg", qid=QUERIES[rows])


def test_the_labels_of_a_classifier_are_noticed_and_its_scores_are_not():
    rng = np.random.default_rng(0)
    X = GRADES[:, None] + rng.normal(size=(12, 1))
    model = LogisticRegression().fit(X, GRADES)
    with pytest.warns(UserWarning, match=LABELS_SAID):
        metrics.map_score(GRADES, model.predict(X), qid=QUERIES)
    silently(metrics.map_score, GRADES, model.predict_proba(X)[:, 1], qid=QUERIES)
    silently(get_scorer("map"), model, X, GRADES, qid=QUERIES)


def test_two_values_are_not_labels_where_they_say_something_else():
    # Ties do not matter: the labels are right, or a rule was chosen.
    silently(mrr_score, GRADES, GRADES, qid=QUERIES)
    for ties in ("first", "optimistic", "pessimistic", "realistic"):
        silently(mrr_score, GRADES, PREDICTED, qid=QUERIES, ties=ties)
    # The values are no grades, or there are three, also after many rows.
    silently(mrr_score, GRADES, PREDICTED / 2, qid=QUERIES)
    silently(mrr_score, GRADES, 3 * PREDICTED, qid=QUERIES)
    silently(mrr_score, GRADES, np.append(PREDICTED[:-1], 2), qid=QUERIES)
    many = np.tile(GRADES, 40), np.append(np.tile(PREDICTED, 40)[:-1], 2)
    silently(mrr_score, *many, qid=np.repeat(np.arange(80), 6))
    # A matrix, a constant, one query, or short lists.
    silently(metrics.ndcg_score, GRADES.reshape(2, 6), PREDICTED.reshape(2, 6))
    silently(mrr_score, GRADES, np.zeros(12), qid=QUERIES)
    silently(mrr_score, GRADES, np.full(12, np.inf), qid=QUERIES)
    silently(mrr_score, GRADES, PREDICTED)
    silently(mrr_score, GRADES, PREDICTED, qid=np.arange(12) // 4)
