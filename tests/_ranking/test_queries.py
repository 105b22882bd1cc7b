"""Tie groups and their places, against a loop over queries."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from skrank._engine.request import METRICS
from skrank._ranking import RankedQueries, rank
from skrank._ranking.rank import rank_queries
from skrank.metrics import evaluate, ndcg_score
from tests.brute_force import relevant_grades
from tests.test_source import NODES

POLICIES = ["expected", "first", "optimistic", "pessimistic"]

# Scores that are hard to distinguish, or to sort: neighbours in the last digits, both
# zeros, infinities, the greatest and the least numbers.
HARD = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    1.0,
    *(1.0 + j * 2.0**-52 for j in (1, 2, 255, 256, 257)),
    -1.0,
    -1.0 - 2.0**-52,
    5e-324,
    -5e-324,
    1.7976931348623157e308,
    -1.7976931348623157e308,
]
EXACT_IN_ANY_DTYPE = [0, 1, 2, 3, 100]
GRADES = [0, 0, 0, 1, 2, 3]


def groups_of_list(grades, scores, ties):
    """Return (above, size, relevant, grades) of every tie group, the best first."""
    order = sorted(range(len(scores)), key=lambda i: scores[i], reverse=True)
    found, above = [], 0
    for _, tied in itertools.groupby(order, key=lambda i: scores[i]):
        docs = [grades[i] for i in tied]
        if ties == "expected":
            known = sorted(grade for grade in docs if grade is not None)
            if known:
                found.append((above, len(docs), len(known), known))
        else:
            best_first = sorted(docs, key=lambda g: -math.inf if g is None else g)
            if ties == "pessimistic":
                docs = best_first
            elif ties == "optimistic":
                docs = best_first[::-1]
            for place, grade in enumerate(docs, above):
                if grade is not None:
                    found.append((place, 1, 1, [grade]))
        above += len(docs)
    return found


def groups_of_queries(y_true, y_score, qid, ties, threshold=0.0):
    """Return the tie groups of every query and their counts of documents."""
    groups, n_documents = [], []
    for query in np.unique(qid):
        rows = qid == query
        grades = relevant_grades(y_true[rows].tolist(), threshold)
        groups.append(groups_of_list(grades, y_score[rows].tolist(), ties))
        n_documents.append(int(rows.sum()))
    return groups, n_documents


def groups_of_ranking(ranking):
    """Return the tie groups of a RankedQueries, query by query."""
    groups = [[] for _ in range(ranking.n_queries)]
    stops = np.cumsum(ranking.relevant)
    assert len(ranking.grade) == ranking.relevant.sum()
    queries = ranking.query.tolist()
    assert len(list(itertools.groupby(queries))) == len(set(queries))
    for group, query in enumerate(queries):
        grades = ranking.grade[stops[group] - ranking.relevant[group] : stops[group]]
        counts = ranking.above, ranking.size, ranking.relevant
        own = (int(of_group[group]) for of_group in counts)
        groups[query].append((*own, sorted(grades.tolist())))
    return groups


def check(ranking, y_true, y_score, qid, ties, threshold=0.0):
    groups, n_documents = groups_of_queries(y_true, y_score, qid, ties, threshold)
    assert groups_of_ranking(ranking) == groups
    assert ranking.n_documents.tolist() == n_documents
    n_relevant = [sum(group[2] for group in query) for query in groups]
    assert ranking.n_relevant.tolist() == n_relevant
    assert ranking.n_queries == len(groups)
    assert_array_equal(ranking.ids, np.unique(qid))


def rows_of(scores, n_queries=5, max_size=40):
    query, grade = st.integers(0, n_queries - 1), st.sampled_from(GRADES)
    row = st.tuples(query, st.sampled_from(scores), grade)
    return st.lists(row, min_size=1, max_size=max_size)


examples = settings(max_examples=25, derandomize=True, deadline=None, database=None)


@pytest.mark.slow
@pytest.mark.parametrize("ties", POLICIES)
@given(rows=rows_of(HARD), threshold=st.sampled_from([0.0, 1, "max"]))
@examples
def test_tie_groups_of_scores_that_are_hard_to_distinguish(rows, threshold, ties):
    qid, y_score, y_true = map(np.array, zip(*rows, strict=True))
    y_score = y_score.astype(float)
    ranking = rank_queries(y_true, y_score, qid=qid, ties=ties, threshold=threshold)
    check(ranking, y_true, y_score, qid, ties, threshold)


@pytest.mark.slow
@pytest.mark.parametrize("ties", POLICIES)
@given(
    rows=rows_of(EXACT_IN_ANY_DTYPE),
    score_dtype=st.sampled_from([*"bBhHiIlLqQefdg", ">f8", ">f4", ">i4"]),
    grade_dtype=st.sampled_from([*"bBhilLefdg", ">f8", ">i4"]),
)
@examples
def test_tie_groups_of_numbers_of_any_dtype(rows, score_dtype, grade_dtype, ties):
    qid, y_score, y_true = map(np.array, zip(*rows, strict=True))
    given = y_true.astype(grade_dtype), y_score.astype(score_dtype)
    ranking = rank_queries(*given, qid=qid, ties=ties)
    check(ranking, y_true, y_score, qid, ties)


@pytest.mark.parametrize("dtype", ["b", "h", "i", "q", ">i2", "f", "d"])
def test_negative_grades_of_any_dtype(dtype):
    y_true = np.array([-1, 2, -3, 0, -2, 1]).astype(dtype)
    y_score, qid = np.array([3.0, 1, 2, 2, 9, 8]), np.array([0, 0, 0, 0, 1, 1])
    for threshold in (-2.5, -1, 0):
        ranking = rank_queries(y_true, y_score, qid=qid, threshold=threshold)
        check(ranking, y_true, y_score, qid, "expected", threshold)
    for threshold in (1e30, math.inf):
        ranking = rank_queries(y_true, y_score, qid=qid, threshold=threshold)
        assert ranking.n_relevant.tolist() == [0, 0]
    ranking = rank_queries(y_true, y_score, qid=qid, threshold=-math.inf)
    assert ranking.n_relevant.tolist() == [4, 2]
    with pytest.raises(ValueError, match="negative grades"):
        ndcg_score(y_true, y_score, qid=qid)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:y_score has only two distinct values")
@pytest.mark.parametrize("ties", ["expected", "first"])
@given(rows_of([False, True]))
@examples
def test_tie_groups_of_booleans(ties, rows):
    qid, y_score, y_true = map(np.array, zip(*rows, strict=True))
    ranking = rank_queries(y_true > 0, y_score, qid=qid, ties=ties)
    check(ranking, (y_true > 0).astype(int), y_score.astype(int), qid, ties)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["expected", "first"])
@given(
    st.integers(1, 5),
    st.integers(2, 8),
    st.lists(st.sampled_from(HARD), min_size=40, max_size=40),
    st.lists(st.sampled_from(GRADES), min_size=40, max_size=40),
    st.lists(st.booleans(), min_size=40, max_size=40),
)
@examples
def test_tie_groups_of_a_matrix_with_documents_excluded(
    ties, n_queries, width, scores, grades, exclude
):
    shape = (n_queries, width)
    size = n_queries * width
    y_score = np.array(scores[:size], dtype=float).reshape(shape)
    y_true = np.array(grades[:size]).reshape(shape)
    exclude = np.array(exclude[:size]).reshape(shape)
    qid = np.repeat(np.arange(n_queries), width)
    flat = rank_queries(y_true.ravel(), y_score.ravel(), qid=qid, ties=ties)
    expected = groups_of_ranking(flat)
    for grades in (y_true, sparse.csr_matrix(y_true), np.asfortranarray(y_true)):
        assert groups_of_ranking(rank_queries(grades, y_score, ties=ties)) == expected
    groups, n_documents = [], []
    for row in range(n_queries):
        kept = ~exclude[row]
        known = relevant_grades(y_true[row][kept].tolist())
        groups.append(groups_of_list(known, y_score[row][kept].tolist(), ties))
        n_documents.append(int(kept.sum()))
    for mask in (exclude, sparse.csr_matrix(exclude)):
        ranking = rank_queries(y_true, y_score, ties=ties, exclude=mask)
        assert groups_of_ranking(ranking) == groups
        assert ranking.n_documents.tolist() == n_documents


@pytest.mark.slow
@pytest.mark.parametrize("ties", POLICIES)
@given(
    st.integers(1, 5),
    st.integers(2, 8),
    st.lists(st.sampled_from(HARD), min_size=40, max_size=40),
    st.lists(st.integers(0, 7), min_size=5, max_size=5),
    st.lists(st.booleans(), min_size=40, max_size=40),
)
@examples
def test_tie_groups_of_candidates_are_those_of_their_matrix(
    ties, n_queries, width, scores, target, exclude
):
    size = n_queries * width
    y_score = np.array(scores[:size], dtype=float).reshape(n_queries, width)
    exclude = np.array(exclude[:size]).reshape(n_queries, width)
    target = np.array(target[:n_queries]) % width
    one_hot = np.arange(width) == target[:, np.newaxis]
    for mask in (None, exclude):
        kept = mask if mask is None else mask & ~one_hot
        expected = rank_queries(one_hot, y_score, ties=ties, exclude=kept)
        got = rank_queries(target, y_score, ties=ties, exclude=mask)
        assert groups_of_ranking(got) == groups_of_ranking(expected)
        assert_array_equal(got.n_documents, expected.n_documents)


# How lists are ranked depends on how long they are. A limit that makes lists of a few
# documents be ranked as much longer ones.
LIMITS = {"usual": {}, "much longer than the cutoff": {"MUCH_LONGER": rank.GROUP}}


def rank_under(limits, *args, **kwargs):
    """Rank queries under some limits."""
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in LIMITS[limits].items():
            patch.setattr(rank, name, limit)
        return rank_queries(*args, **kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("ties", ["expected", "first"])
@given(
    rows=rows_of(HARD, n_queries=2, max_size=90) | rows_of(EXACT_IN_ANY_DTYPE),
    dtype=st.sampled_from("fdq"),
    depth=st.none() | st.integers(1, 6),
)
@examples
def test_a_ranking_holds_all_tie_groups_down_to_its_depth(
    limits, ties, rows, dtype, depth
):
    qid, y_score, y_true = map(np.array, zip(*rows, strict=True))
    if dtype == "q":
        y_score = np.clip(y_score, -(2**60), 2**60)
    with np.errstate(over="ignore"):
        y_score = y_score.astype(dtype)
    ranking = rank_under(limits, y_true, y_score, qid=qid, ties=ties, depth=depth)
    expected, n_documents = groups_of_queries(y_true, y_score, qid, ties)
    assert ranking.n_documents.tolist() == n_documents
    n_relevant = [sum(group[2] for group in query) for query in expected]
    assert ranking.n_relevant.tolist() == n_relevant
    for found, groups in zip(groups_of_ranking(ranking), expected, strict=True):
        n_needed = sum(depth is None or group[0] < depth for group in groups)
        assert len(found) >= n_needed
        assert found[:n_needed] == groups[:n_needed]
        assert all(group in groups for group in found)


@cache
def cut(limits):
    """Return a whole ranking, a cutoff and its ranking, with few ties and with many."""
    rng, found = np.random.default_rng(0), []
    qid = np.repeat(np.arange(12), rng.integers(1, 120, 12))
    y_true = np.where(rng.random(len(qid)) < 0.2, rng.integers(1, 4, len(qid)), 0)
    for y_score in (rng.random(len(qid)), rng.integers(0, 30, len(qid)) / 2):
        whole = rank_queries(y_true, y_score, qid=qid)
        for k in (1, 3, 10):
            top = rank_under(limits, y_true, y_score, qid=qid, depth=k)
            found.append((whole, k, top))
    return found


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(
    "name",
    [row.name for row in METRICS.values() if row.cutoff != "never" and not row.columns],
)
def test_a_metric_with_a_cutoff_reads_no_further(name, limits):
    definition = METRICS[name].definition
    for whole, k, top in cut(limits):
        got = definition(top, k=k)
        assert_allclose(got, definition(whole, k=k), rtol=1e-12, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["different", "tied", "in one place", "infinite"])
def test_tie_groups_of_a_list_of_several_hundred_thousand_documents(scores):
    rng = np.random.default_rng(0)
    size = 250_000
    y_score = rng.standard_normal(size)
    if scores == "tied":
        y_score = np.round(y_score, 3)
    elif scores == "in one place":
        y_score[10:] = 1.0
    elif scores == "infinite":
        y_score[:1000] = -np.inf
        y_score[1000:1010] = np.inf
    y_true = np.where(rng.random(size) < 0.01, rng.integers(1, 4, size), 0)
    _, level = np.unique(-y_score, return_inverse=True)
    n_documents = np.bincount(level)
    n_relevant = np.bincount(level, weights=y_true > 0)
    has_relevant = n_relevant > 0
    ranking = rank_queries(y_true, y_score, qid=np.zeros(size, dtype=int))
    above = np.cumsum(n_documents) - n_documents
    assert_array_equal(ranking.above, above[has_relevant])
    assert_array_equal(ranking.size, n_documents[has_relevant])
    assert_array_equal(ranking.relevant, n_relevant[has_relevant])
    group = np.repeat(np.arange(len(ranking.above)), ranking.relevant)
    total = np.bincount(level, weights=y_true)[has_relevant]
    assert_array_equal(np.bincount(group, weights=ranking.grade), total)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "scattered", "ties"),
    [
        ("few", False, "expected"),
        ("few", True, "optimistic"),
        ("many", False, "pessimistic"),
        ("many", True, "expected"),
        ("close", True, "first"),
        ("close", False, "expected"),
    ],
)
def test_tie_groups_of_lists_of_very_different_length(levels, scattered, ties):
    rng = np.random.default_rng(1)
    lengths = np.r_[rng.integers(1, 8, 60), rng.integers(1, 1500, 20), 70_000]
    qid = np.repeat(rng.permutation(len(lengths)), lengths)
    y_true = rng.integers(0, 3, len(qid)) * (rng.random(len(qid)) < 0.05)
    y_score = rng.integers(0, 20, len(qid)).astype(float)
    if levels == "many":
        # More grades than a byte can name.
        y_true = np.where(y_true, rng.integers(1, 1000, len(qid)) / 8, 0)
        y_score = rng.random(len(qid))
    if levels == "close":
        y_score = 1.0 + y_score * 2.0**-52
    if scattered:
        order = rng.permutation(len(qid))
        qid, y_true, y_score = qid[order], y_true[order], y_score[order]
    ranking = rank_queries(y_true, y_score, qid=qid, ties=ties)
    check(ranking, y_true, y_score, qid, ties)


def test_ideal_and_chance_are_the_order_by_grade_and_one_tie():
    y_true, y_score = np.array([0, 2, 1, 2, 0, 0, 0]), np.arange(7.0)
    qid = np.array([0, 0, 0, 0, 0, 1, 1])
    ranking = rank_queries(y_true, y_score, qid=qid)
    assert groups_of_ranking(ranking.ideal) == [[(0, 2, 2, [2, 2]), (2, 1, 1, [1])], []]
    assert groups_of_ranking(ranking.chance) == [[(0, 5, 3, [1, 2, 2])], []]
    for other in (ranking.ideal, ranking.chance):
        assert other.n_documents.tolist() == [5, 2]
        assert other.n_relevant.tolist() == [3, 0]


def private_names():
    """Return the private attributes of RankedQueries: class and instance."""
    ranking = rank_queries([1, 0], [1, 2])
    names = {*vars(RankedQueries), *vars(ranking), *vars(ranking.ideal)}
    return {name for name in names if name.startswith("_") and "__" not in name}


@pytest.mark.slow
def test_no_module_outside_the_ranking_reaches_what_is_private_to_it():
    private = private_names()
    assert {"_lists", "_grades"} <= private
    for module, nodes in NODES.items():
        if module.startswith("_ranking/"):
            continue
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in private:
                is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
                assert is_own, f"{module}:{node.lineno} reads {node.attr}"


def test_a_group_says_whose_it_is_whatever_the_order_of_the_queries():
    # Lists of like length are ranked together: the longest list here comes last.
    y_true, y_score = np.ones(40, dtype=int), np.arange(40.0)
    qid = np.repeat([0, 1, 2], [30, 8, 2])
    ranking = rank_queries(y_true, y_score, qid=qid)
    assert ranking.query[ranking.first].tolist() != [0, 1, 2]
    for query, size in enumerate([30, 8, 2]):
        assert ranking.above[ranking.query == query].tolist() == [*range(size)]
    starts = [0, *(1 + np.flatnonzero(np.diff(ranking.query)))]
    assert ranking.first.tolist() == starts


def test_what_stands_around_a_group_is_counted():
    # By rank: a relevant document, two tied ones of which one is relevant, another one.
    ranking = rank_queries([2, 1, 0, 0], [3, 2, 2, 1])
    assert ranking.relevant_above.tolist() == [0, 1]
    assert ranking.others_below.tolist() == [2, 1 + 1 / 2]
    assert ranking.query_of_grade.tolist() == [0, 0]
    assert ranking.group_in_ideal.tolist() == [0, 1]
    assert ranking.grade_range == (0, 2)
    orders = [one.order for one in (ranking, ranking.ideal, ranking.chance)]
    assert orders == ["score", "ideal", "chance"]


def test_what_was_not_judged_or_not_returned_is_counted_by_name():
    y_true, y_score, qid = [1, 0, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1], np.zeros(6, int)
    judged = np.array([True, True, False, True, True, True])
    returned = np.array([True, True, True, True, False, False])
    ranking = rank_queries(y_true, y_score, qid=qid, judged=judged, returned=returned)
    assert (ranking.n_documents, ranking.n_found, ranking.n_relevant) == (4, 2, 3)
    assert ranking.n_nonrelevant == 2  # one was returned, and one was not
    assert ranking.judged_only.above.tolist() == [0, 2]
    whole = ranking.with_missing
    assert (whole.n_documents, whole.n_found, whole.n_relevant) == (6, 3, 3)
    assert whole.above.tolist() == [0, 3, 4]
    assert whole.size.tolist() == [1, 1, 2]  # of which one is relevant
    assert whole.ideal.n_documents == whole.ideal.with_missing.n_documents == 6
    assert whole.with_missing is whole
    assert ranking.by_judgement.relevant.sum() == 3


def test_the_top_of_a_long_list_is_that_of_the_documents_that_count():
    """The first ten of 20,000 are excluded, so the relevant eleventh is on top."""
    place = np.arange(20_000)
    excluded = (place < 10)[np.newaxis]
    relevant, score = (place == 10)[np.newaxis], -place[np.newaxis]
    values = evaluate(relevant, score, ["ndcg@5", "precision@5"], exclude=excluded)
    assert values == {"ndcg@5": 1.0, "precision@5": 1 / 5}


def test_the_first_rank_is_that_of_the_first_of_several_groups():
    """Query 0 has relevant documents at the ranks 2 and 3, query 1 at rank 1."""
    ranking = rank_queries([1, 0, 1, 1], [2, 3, 1, 5], qid=[0, 0, 0, 1])
    assert ranking.expected_at_first(np.asarray).tolist() == [2, 1]
