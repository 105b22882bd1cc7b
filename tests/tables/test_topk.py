"""The arrays that vector indexes return."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np
import pytest
from scipy import sparse

from skrank.metrics import evaluate
from skrank.tables import from_topk
from tests.tables.judgements import rows_of

INDICES = [[4, 7, 0], [2, 5, -1]]
DISTANCES = [[0.1, 0.3, 0.4], [0.2, 0.2, 9.0]]
RELEVANT = [{7, 8}, {2}]
MATRIX = np.zeros((2, 10), dtype=int)
MATRIX[[0, 0, 1], [7, 8, 2]] = 1

FORMS = {
    "sets": RELEVANT,
    "lists": [[7, 8], [2]],
    "arrays": [np.array([7, 8]), np.array([2])],
    "grades": [{7: 1, 8: 1}, {2: 1}],
    "matrix": MATRIX,
    "sparse": sparse.csr_array(MATRIX),
}


@pytest.mark.parametrize("relevant", FORMS.values(), ids=FORMS)
def test_relevant_documents_that_were_not_found_count(relevant):
    aligned = from_topk(INDICES, relevant, DISTANCES, greater_is_better=False)
    assert rows_of(aligned) == [
        (0, -0.1, 0, False, True, 4),
        (1, -0.3, 0, True, True, 7),
        (0, -0.4, 0, False, True, 0),
        (1, 0.0, 0, True, False, 8),
        (1, -0.2, 1, True, True, 2),
        (0, -0.2, 1, False, True, 5),
    ]
    assert evaluate(metrics="recall@3", **aligned)["recall@3"] == (1 / 2 + 1) / 2


def by_loop(top, relevant):
    """Return the rows of from_topk without scores, query by query."""
    rows = []
    for query, (found, grades) in enumerate(zip(top.tolist(), relevant, strict=True)):
        rows += [
            (grades.get(one, 0), -place, query, one in grades, True, one)
            for place, one in enumerate(found)
            if one != -1
        ]
        missing = [one for one in grades if one not in found]
        rows += [(grades[one], 0, query, True, False, one) for one in missing]
    return rows


# Whether ids fit an integer together with their query and row, or are hashed.
@pytest.mark.parametrize("step", [1, 10**15], ids=["near", "far"])
@pytest.mark.parametrize("block", [1, 20, 2**17])
def test_the_rows_are_those_of_a_loop_in_their_order(step, block, monkeypatch):
    monkeypatch.setattr(sys.modules["skrank.tables.align"], "_BLOCK", block)
    rng = np.random.default_rng(0)
    top = step * np.array([rng.permutation(30)[:8] for _ in range(40)])
    top[rng.random(top.shape) < 0.2] = -1
    top[7] = -1  # nothing was returned
    relevant = [
        {step * int(one): int(rng.integers(4)) for one in rng.permutation(30)[:n]}
        for n in rng.integers(1, 12, len(top))
    ]
    assert rows_of(from_topk(top, relevant)) == by_loop(top, relevant)


@pytest.mark.parametrize("step", [1, 10**15], ids=["near", "far"])
@pytest.mark.parametrize("block", [1, 2**17])
def test_an_index_that_occurs_twice_in_a_late_query_raises(step, block, monkeypatch):
    monkeypatch.setattr(sys.modules["skrank.tables.align"], "_BLOCK", block)
    top = step * np.arange(60).reshape(20, 3)
    relevant = top[:, :1].tolist()
    text = "Got document {} of query {} more than once"
    # -1 may occur twice, and what occurs once on each side does not occur twice.
    top[:, 1:] = -1
    assert len(from_topk(top, relevant).doc_id) == 20
    top[13, 2] = top[13, 0]
    with pytest.raises(ValueError, match=text.format(39 * step, 13)):
        from_topk(top, relevant)
    top[13, 2] = -1
    relevant[17] = [7 * step, 7 * step]
    with pytest.raises(ValueError, match=text.format(7 * step, 17)):
        from_topk(top, relevant)


def test_one_index_for_each_query_is_its_relevant_document():
    aligned = from_topk(np.array(INDICES), np.array([0, 3]))
    assert evaluate(metrics="mrr", **aligned)["mrr"] == (1 / 3 + 0) / 2


def test_distances_without_a_sign_are_turned_round_as_others_are():
    distances = np.array([[0, 3]], dtype=np.uint8)
    aligned = from_topk([[4, 7]], [7], distances, greater_is_better=False)
    assert evaluate(metrics="mrr", **aligned) == {"mrr": 1 / 2}


def test_without_scores_a_row_is_in_the_order_of_the_ranking():
    assert from_topk([[4, 7, 2]], [2]).y_score.tolist() == [0, -1, -2]


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_the_numbers_are_those_of_the_whole_matrix(dtype):
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 5, size=(50, 300)) * (rng.random((50, 300)) < 0.05)
    relevant = sparse.csr_matrix(truth)
    scores = rng.integers(0, 200, size=(50, 300)).astype(dtype)
    top = np.argsort(-scores.astype(int), axis=1, kind="stable")[:, :20]
    metrics = ["recall@10", "ndcg@10", "mrr@20", "precision@5"]
    whole = evaluate(truth, scores, metrics, ties="first")
    found = np.take_along_axis(scores, top, axis=1)
    aligned = from_topk(top, relevant, found)
    assert evaluate(metrics=metrics, ties="first", **aligned) == pytest.approx(whole)


DISTANT = np.tile([0.1, 0.2, 0.2, 0.4], (5, 1))
OF_FIVE = np.arange(20).reshape(5, 4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_rise_in_nearly_all_rows_look_like_distances(dtype):
    distances = DISTANT.astype(dtype)
    with pytest.warns(UserWarning, match=r"5 of 5 rows.*greater_is_better=False\.$"):
        from_topk(OF_FIVE, OF_FIVE[:, 0], distances)
    from_topk(OF_FIVE, OF_FIVE[:, 0], distances, greater_is_better=False)


@pytest.mark.parametrize(
    "scores",
    [
        DISTANT[:, ::-1],
        np.ones((5, 4)),
        np.array([[1, 2, 3, 4]] * 4 + [[4, 3, 2, 1]]),  # four of five rows
        np.array([[1, 2, 3, 0]] * 5, dtype=np.uint8),
    ],
    ids=["falling", "tied", "nearly", "unsigned"],
)
def test_other_scores_do_not_look_like_distances(scores):
    from_topk(OF_FIVE, OF_FIVE[:, 0], scores)  # warnings are errors
    from_topk([[0, 1]], [0], [[0.1, 0.2]])  # too few to tell


def test_a_query_without_relevant_documents_is_dropped_with_a_warning():
    with pytest.warns(UserWarning, match=r"1 of 2 queries of indices lack .* as 0"):
        aligned = from_topk(INDICES, [set(), {2}])
    assert set(aligned.qid) == {1}


def test_query_ids_are_those_of_the_rows():
    by_place = from_topk(INDICES, RELEVANT, DISTANCES)
    for ids in (["u2", "u1"], [30, 7], np.array(["2024", "2023"], "datetime64[Y]")):
        aligned = from_topk(INDICES, RELEVANT, DISTANCES, qid=ids)
        np.testing.assert_array_equal(aligned.qid, np.asarray(ids)[by_place.qid])
        for name in by_place.keys() - {"qid"}:
            np.testing.assert_array_equal(aligned[name], by_place[name])
    # A query that was left out keeps its id from the others.
    with pytest.warns(UserWarning, match="1 of 2 queries of indices lack"):
        assert set(from_topk(INDICES, [set(), {2}], qid=["a", "b"]).qid) == {"b"}


@pytest.mark.parametrize(
    ("qid", "error"),
    [
        (["a", "a"], "each once. Got 'a' twice"),
        (["a"], r"\[2, 1\]. The 'qid' parameter must hold one value per row"),
        (["a", None], "'qid' parameter must hold a value for every row"),
    ],
)
def test_query_ids_are_one_for_each_row(qid, error):
    with pytest.raises(ValueError, match=error):
        from_topk(INDICES, RELEVANT, qid=qid)


REFUSED = {
    "floats": ([[1.0]], None, [1], "'indices' parameter must be an array of int"),
    "one row": ([1, 2], None, [1], r"shape \(n_queries, k\)"),
    "-2": ([[-2]], None, [1], "or -1 for no document. Got -2"),
    "scores": ([[1]], [1.0], [1], r"shape of indices, \(1, 1\). Got shape \(1,\)"),
    "NaN": ([[1]], [[np.nan]], [1], "scores contains NaN"),
    "twice": ([[1, 1]], None, [1], "'indices'|indices. Got document 1 of query 0"),
    "no truth": ([[1]], None, None, "'relevant' parameter of from_topk must be"),
    "a set": ([[1]], None, {1}, "'relevant' parameter of from_topk must be"),
    "length": ([[1], [2]], None, [1], "Got 1 for 2 queries"),
    "text": ([[1]], None, [{"d1"}], "Got 'd1': map other ids to positions"),
    "negative": ([[1]], None, [-1], "must hold positions"),
    "low grade": ([[1]], None, [{1: -1}], "grades of relevant must be >= 0"),
    "low grade in an array": ([[1]], None, np.array([[0, -1]]), "must be >= 0"),
    "nothing": ([[1]], None, [set()], "one or more rows"),
    "only -1": ([[-1]], None, [{1}], r"at least one query\. Got \[\[-1\]\]"),
    "k = 0": (np.empty((1, 0), int), None, [{1}], r"at least one query\. Got \[\[\]\]"),
    "no query": (np.empty((0, 2), int), None, [], r"at least one query\. Got \[\]"),
    "flag": ([[1]], None, [1], "greater_is_better"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_topk_refuses_bad_input(name):
    indices, scores, relevant, error = REFUSED[name]
    options = {"greater_is_better": "no"} if name == "flag" else {}
    with pytest.raises((TypeError, ValueError), match=error):
        from_topk(indices, relevant, scores, **options)


def test_the_relevant_documents_of_a_dict_are_those_of_the_ids():
    relevant = {"bob": {3}, "ann": {7, 8}}
    with pytest.warns(UserWarning, match="1 of 3 queries"):
        found = from_topk([[4, 7], [2, 3], [1, 2]], relevant, qid=["ann", "bob", "cem"])
    expected = from_topk([[4, 7], [2, 3]], [{7, 8}, {3}], qid=["ann", "bob"])
    assert {name: one.tolist() for name, one in found.items()} == {
        name: one.tolist() for name, one in expected.items()
    }
