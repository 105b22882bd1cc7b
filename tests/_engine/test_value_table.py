"""Tables of values, joined from parts and split into segments."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from skrank._engine.value_table import average_repeats, distinct, join_rankers, joined
from skrank.metrics import QueryScores, score_queries


def test_parts_with_other_highest_grades_are_refused():
    both = [{"y_true": [1, 0], "y_score": [2, 1], "qid": [7, 7]}]
    both += [{"y_true": [4, 0], "y_score": [2, 1], "qid": [8, 8]}]
    for name in ("err", "rbp@5"):
        parts = [score_queries(**rows, metrics=name) for rows in both]
        message = r"highest grade of all data, which was 1.0 .* 4.0 .*`max_grade`"
        with pytest.raises(ValueError, match=message):
            QueryScores.concat(parts)
        parts = [score_queries(**rows, metrics=name, max_grade=4) for rows in both]
        parts.append(score_queries([4, 0], [1, 2], name, qid=[9, 9], max_grade=5))
        with pytest.raises(ValueError, match="max_grade=4 and max_grade=5"):
            QueryScores.concat(parts)
        assert QueryScores.concat(parts[:2]).values.shape == (1, 1, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [(np.array([1, 2]), np.array(["1", "x"])), (np.array([1, 2]), [1.5, 2.5])],
)
def test_ids_of_parts_keep_their_types(one, other):
    parts = [score_queries([1, 1], [1, 1], "mrr", qid=qid) for qid in (one, other)]
    ids = QueryScores.concat(parts).keys["qid"].tolist()
    expected = [*one.tolist(), *np.asarray(other).tolist()]
    assert {(type(id), id) for id in ids} == {(type(id), id) for id in expected}


def test_parts_with_other_negative_grades_are_refused():
    one = score_queries([1, 0], [2, 1], "spearman", qid=[7, 7])
    other = score_queries([1, -3], [2, 1], "spearman", qid=[8, 8])
    with pytest.raises(ValueError, match=r"the lowest grade of all data, .* -3.0"):
        QueryScores.concat([one, other])


def test_a_query_in_two_parts_is_refused_by_its_name():
    given = [1, 0], [2, 1], "mrr"
    parts = [score_queries(*given, qid=["a", name]) for name in "bc"]
    with pytest.raises(ValueError, match="Got the query qid='a' twice"):
        QueryScores.concat(parts)
    folds = [score_queries(*given, qid=[3, 3], by={"fold": [i, i]}) for i in (0, 1)]
    assert QueryScores.concat(folds).keys["fold"].tolist() == [0, 1]
    with pytest.raises(ValueError, match="Got the query qid=3, fold=1 twice"):
        QueryScores.concat([*folds, folds[1]])


def test_parts_must_be_alike():
    def scores(**params):
        given = {"y_true": [1, 0], "y_score": [2, 1], "metrics": "mrr"} | params
        return score_queries(**given)

    for other, message in [
        (scores(metrics="map"), "the same metrics"),
        (scores(y_score={"a": [2, 1]}), "the same rankers"),
        (scores(sample_weight=[1, 1]), "and weights if one of them has"),
        (scores(ties="first"), "ties='expected' and ties='first'"),
    ]:
        with pytest.raises(ValueError, match=message):
            QueryScores.concat([scores(), other])
    with pytest.raises(TypeError, match=r"instances of QueryScores\. Got dict"):
        QueryScores.concat([{}])
    with pytest.raises(ValueError, match="at least one part"):
        QueryScores.concat([])


def test_the_combinations_of_keys_are_sorted_with_their_first_rows():
    # (b, y), (a, x), (b, x), (b, y): the sorted ones are those of the rows 1, 2 and 0.
    columns = {"one": np.array([*"babb"]), "other": np.array([*"yxxy"])}
    keys, first, codes = distinct(columns)
    assert {name: values.tolist() for name, values in keys.items()} == {
        "one": [*"abb"],
        "other": [*"xxy"],
    }
    assert first.tolist() == [1, 2, 0]
    assert codes.tolist() == [2, 0, 1, 2]


def test_ids_of_two_types_are_joined_without_a_conversion():
    found = joined([np.array([1, 2]), np.array(["1"])]).tolist()
    assert found == [1, 2, "1"]
    assert joined([np.array([1, 2]), np.array([3])]).dtype.kind == "i"


def test_a_query_with_several_rows_has_their_mean():
    # Query 7 has 1 and 1 / 4, and query 8 has 1 / 2 and an undefined value, which
    # counts 0; both of the values of query 9 are undefined.
    frame = {
        "qid": [7, 8, 9, 7, 8, 9],
        "fold": [0, 0, 0, 1, 1, 1],
        "mrr": [1, 1 / 2, np.nan, 1 / 4, np.nan, np.nan],
    }
    table = QueryScores.from_frame(frame, by=["fold"]).table
    found = average_repeats(table, "fold", -1)
    assert found.keys["qid"].tolist() == [7, 8, 9]
    assert found.keys["fold"].tolist() == [-1, -1, -1]
    ((measured,),) = found.measured
    assert_array_equal(measured.values, [(1 + 1 / 4) / 2, (1 / 2 + 0) / 2, np.nan])
    once = QueryScores.from_frame({"qid": [1, 2], "fold": [0, 1], "mrr": [1.0, 0.5]})
    assert average_repeats(once.table, "fold", -1) is once.table


def test_rankers_are_joined_if_they_have_the_same_queries():
    one, other, fewer = (
        score_queries([1, 0] * n, [2, 1] * n, "mrr", qid=np.arange(2 * n) // 2).table
        for n in (3, 3, 2)
    )
    found = join_rankers([one, other], ["old", "new"])
    assert found.rankers == ("old", "new")
    expected = [table.measured[0][0] for table in (one, other)]
    assert [of_ranker[0] for of_ranker in found.measured] == expected
    message = "different ones for 'old' and 'short'. Only one has 2."
    with pytest.raises(ValueError, match=message):
        join_rankers([one, fewer], ["old", "short"])
