"""Metrics of subtopics, against the mean over all orders of tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import itertools
import math
import statistics
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import gammaln

from skrank._engine.columns import read_columns
from skrank._engine.request import METRICS
from skrank.metrics import alpha_ndcg_score, evaluate, explain, of_items, score_queries
from skrank.metrics.subtopics import greedy_gain
from tests.brute_force import all_orders, by_query, input_order, masked

LABELS = [["a", "b"], [], ["b"], ["c", "a", "a"]]
IS_ON = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]], dtype=bool)
BY_ITEM = {"x": ["b"], "y": ["c", "a"], "z": []}


@pytest.mark.parametrize(
    "form",
    [
        LABELS,
        [set(row) for row in LABELS],
        [LABELS[0], None, *LABELS[2:]],
        pd.Series(LABELS),
        pd.Series([LABELS[0], np.nan, *LABELS[2:]]),
        pl.Series(LABELS),
        pa.array(LABELS),
        pa.array([LABELS[0], None, *LABELS[2:]]),
        pa.chunked_array([LABELS[:1], LABELS[1:]]),
        IS_ON,
        IS_ON.tolist(),
        IS_ON.astype(float),
        pd.DataFrame(IS_ON),
        pd.DataFrame(IS_ON).astype("boolean"),
        pl.DataFrame(IS_ON),
        sparse.coo_array(IS_ON),
        sparse.csr_matrix(IS_ON.astype(int)),
    ],
    ids=lambda form: f"{type(form).__module__}.{type(form).__name__}",
)
def test_subtopics_are_labels_or_a_matrix(form):
    column = read_columns({"subtopics": form}, (4,))["subtopics"]
    np.testing.assert_array_equal(column.all().toarray(), IS_ON)
    np.testing.assert_array_equal(column.take(np.array([3, 0])), IS_ON[[3, 0]])
    again = read_columns({"subtopics": column}, (4,))["subtopics"]
    assert again.all() is column.all()


@pytest.mark.parametrize(
    "table",
    [BY_ITEM, pd.Series(BY_ITEM), pd.DataFrame(np.eye(3) > 0, index=list("xyz"))],
    ids=["dict", "series", "frame"],
)
def test_subtopics_of_items_are_those_of_their_rows(table):
    column = read_columns({"subtopics": of_items(table, list("zyyx"))}, (4,))
    found = column["subtopics"].all().toarray()
    if isinstance(table, pd.DataFrame):
        np.testing.assert_array_equal(found, np.eye(3, dtype=bool)[[2, 1, 1, 0]])
    else:
        np.testing.assert_array_equal(
            found, [[0, 0, 0], [1, 0, 1], [1, 0, 1], [0, 1, 0]]
        )


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (["a", "b"], "one list of labels per row.*Got 'a' of type str in a row"),
        ([1.0, 0.0], "must have shape .n_samples, n_subtopics."),
        ([[1], [2, 3]], "labels in the column 'subtopics' must be of type str. Got 1"),
        ([[1, 2], [0, 1]], "must hold True and False, or 1 and 0.* Got 2"),
        ([[0.5], [1]], "Got 0.5"),
        ([[np.nan], [1]], "Got nan"),
        (sparse.csr_matrix([[3], [1]]), "Got 3"),
        ([["a"]], "Got 1 entries for 2 rows"),
    ],
)
def test_what_is_wrong_with_subtopics_is_said(form, message):
    with pytest.raises(ValueError, match=message):
        read_columns({"subtopics": form}, (2,))


def subtopics_of(rows, is_on):
    return tuple(frozenset(np.flatnonzero(is_on[row]).tolist()) for row in rows)


def covered(top, of_query, k):
    return len(set().union(*top)) / len(set().union(*of_query))


def mean_precision(top, of_query, k):
    return sum(map(len, top)) / k / len(set().union(*of_query))


def mean_average_precision(top, of_query, k):
    values = []
    for subtopic in set().union(*of_query):
        ranks = [rank for rank, on in enumerate(top, 1) if subtopic in on]
        precisions = [place / rank for place, rank in enumerate(ranks, 1)]
        values.append(sum(precisions) / sum(subtopic in on for on in of_query))
    return statistics.fmean(values)


def novelty(top, weight, alpha):
    total, seen = 0.0, Counter()
    for rank, on in enumerate(top, 1):
        total += weight(rank) * sum((1 - alpha) ** seen[subtopic] for subtopic in on)
        seen.update(on)
    return total


@functools.cache
def best_of_ties(of_query, weight, params, alpha, k):
    """Return the best value of all rankings that take a largest gain at each step."""
    weight, best = partial(weight, **dict(params)), 0.0
    for order in itertools.permutations(of_query):
        seen, left = Counter(), list(order)
        for on in order[:k]:
            gains = [sum((1 - alpha) ** seen[s] for s in other) for other in left]
            if gains[0] < max(gains) - 1e-9:
                break
            seen.update(on)
            left = left[1:]
        else:
            best = max(best, novelty(order[:k], weight, alpha))
    return best


def cascade(weight, of_all=None):
    def of_list(top, of_query, k, alpha=0.5, ideal="greedy", **params):
        w = partial(weight, **params)
        total = novelty(top, w, alpha)
        if ideal is None:
            return total
        if ideal == "greedy":
            best = best_of_ties(of_query, weight, tuple(params.items()), alpha, k)
            return total / best
        n_subtopics = len(set().union(*of_query))
        if of_all is not None:
            return total / n_subtopics / of_all(alpha, **params)
        n = len(of_query) if k is None else k
        return total / n_subtopics / novelty([{0}] * n, w, alpha)

    return of_list


# What a metric is of the top of a list and all documents of the query, each the set of
# its subtopics.
OF_LIST = {
    "subtopic_recall": covered,
    "precision_ia": mean_precision,
    "map_ia": mean_average_precision,
    "alpha_ndcg": cascade(lambda rank: 1 / math.log2(rank + 1)),
    "err_ia": cascade(lambda rank: 1 / rank),
    "nrbp": cascade(
        lambda rank, beta=0.5: beta ** (rank - 1),
        lambda alpha, beta=0.5: 1 / (1 - (1 - alpha) * beta),
    ),
}
VARIANTS = {
    name: [{}]
    if OF_LIST[name].__name__ != "of_list"
    else [
        {"ideal": ideal, "alpha": alpha}
        for ideal in ("greedy", "ideal-ideal", None)
        for alpha in (0.5, 0.3, 0.0, 1.0)
    ]
    for name in OF_LIST
}
VARIANTS["nrbp"] = [one | {"beta": 0.7} for one in VARIANTS["nrbp"]]


def draw(seed):
    """Return scores with ties, ids of ragged queries in any order, and subtopics."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=4)
    qid = rng.permutation(np.repeat([7, 3, 9, 1], sizes))
    is_on = rng.random((len(qid), 4)) < rng.choice([0.2, 0.4, 0.7])
    return rng.integers(0, 3, size=len(qid)).astype(float), qid, is_on


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LIST)
@pytest.mark.parametrize("ties", ["expected", "first"])
def test_a_value_is_the_mean_over_all_orders(name, ties):
    for seed in range(24 if ties == "expected" else 12):
        scores, qid, is_on = draw(seed)
        rng = np.random.default_rng(seed)
        params = VARIANTS[name][seed % len(VARIANTS[name])]
        k = [None, 1, 2, 3, 8][seed % 5]
        k = None if METRICS[name].cutoff == "never" else k
        k = 4 if METRICS[name].cutoff == "required" and k is None else k
        returned = rng.random(len(qid)) < 0.7 if seed % 3 == 0 else None
        values = masked(
            METRICS[name].function,
            None,
            scores,
            qid=qid,
            subtopics=is_on,
            ties=ties,
            returned=returned,
            average=None,
            replace_undefined_by=np.nan,
            **params,
            **({} if METRICS[name].cutoff == "never" else {"k": k}),
        )
        for query, value in zip((1, 3, 7, 9), values, strict=True):
            rows = np.flatnonzero(qid == query).tolist()
            of_query = subtopics_of(rows, is_on)
            if not any(of_query):
                assert math.isnan(value)
                continue
            if returned is not None:
                rows = [row for row in rows if returned[row]]
            of_rows = scores[rows].tolist()
            orders = [input_order(rows, of_rows)]
            orders = all_orders(rows, of_rows) if ties == "expected" else orders
            found = [
                OF_LIST[name](subtopics_of(order[:k], is_on), of_query, k, **params)
                for order in orders
            ]
            mean = statistics.fmean(found)
            assert value == pytest.approx(mean, rel=1e-12, abs=1e-12)


# {b, c} is one of three documents with the largest gain, but after it no document has
# two new subtopics.
CROSSED = [["b", "c"], ["a", "b"], ["c", "d"]]


@pytest.mark.slow
def test_the_ideal_ranking_is_the_best_of_those_that_are_greedy():
    at_2 = 1 / math.log2(3)
    for order in itertools.permutations(CROSSED):
        for names in itertools.permutations("abcd"):
            renamed = dict(zip("abcd", names, strict=True))
            subtopics = [[renamed[label] for label in labels] for labels in order]
            place = [CROSSED.index(labels) for labels in order]
            found = alpha_ndcg_score(
                None, [-p for p in place], subtopics=subtopics, k=2
            )
            assert found == pytest.approx((2 + at_2 * 1.5) / (2 + at_2 * 2), rel=1e-14)


def test_ids_decide_between_tied_documents_of_the_ideal_ranking_of_ndeval():
    at_2 = 1 / math.log2(3)
    y_score, params = [3, 2, 1], {"subtopics": CROSSED, "convention": "ndeval"}
    (found,) = evaluate(
        None, y_score, "alpha_ndcg@2", doc_id=["z", "a", "b"], **params
    ).values()
    assert found == 1
    (found,) = evaluate(
        None, y_score, "alpha_ndcg@2", doc_id=["a", "z", "b"], **params
    ).values()
    assert found == pytest.approx((2 + at_2 * 1.5) / (2 + at_2 * 2))
    # A document that was not returned is in the ideal ranking by its id, too.
    found = evaluate(
        None, y_score, "alpha_ndcg(ideal='greedy')@2", doc_id=["z", "a", "b"],
        returned=np.array([False, True, True]), **params,
    )  # fmt: skip
    assert [*found.values()] == [pytest.approx((2 + at_2 * 2) / (2 + at_2 * 1.5))]


def test_the_rules_of_ndeval_are_explained():
    given = {"subtopics": CROSSED, "conventions": "ndeval"}
    found = explain(None, [3, 2, 1], "alpha_ndcg@2", doc_id=["d3", "d1", "d2"], **given)
    assert found.values["ndeval"] == 1
    (rule,) = found.rules["ndeval"]
    assert rule.parameters == {"ties": "first", "doc_order": "descending"}
    # The ids order the ideal ranking, even if no scores are tied.
    found = explain(None, [3, 2, 1], "alpha_ndcg@2", **given)
    assert "pass `doc_id`" in found.refused["ndeval"]
    found = explain(None, [3, 2, 1], "err_ia@1", doc_id=[1, 2, 3], **given)
    assert found.values == {"skrank": 2 / 4, "ndeval": 2}
    assert "the sum is not divided" in repr(found)


def follow_all(sets, k, left):
    """Return the best greedy value by a dict of all states, without a limit."""
    kinds, count = np.unique(sets[sets.any(axis=1)], axis=0, return_counts=True)
    states = {(0,) * len(kinds): (0.0, np.ones(sets.shape[1]))}
    for rank in range(1, min(k, count.sum()) + 1):
        found = {}
        for used, (value, adds) in states.items():
            gain = np.where(np.array(used) < count, kinds @ adds, -1)
            for i in np.flatnonzero(gain > gain.max() - 1e-9):
                key = (*used[:i], used[i] + 1, *used[i + 1 :])
                now = value + gain[i] / math.log2(rank + 1)
                if key not in found or now > found[key][0]:
                    found[key] = now, np.where(kinds[i], adds * left, adds)
        states = found
    return max(value for value, _ in states.values())


@pytest.mark.parametrize(("n_subtopics", "share"), [(4, 0.4), (5, 0.3), (70, 0.02)])
def test_the_ideal_ranking_of_many_documents_follows_all_ties(n_subtopics, share):
    rng = np.random.default_rng(n_subtopics)
    sets = rng.random((100, 12, n_subtopics)) < share
    sets[:, 0, 0] = True
    found = alpha_ndcg_score(
        None, np.zeros(1200), qid=np.repeat(np.arange(100), 12), alpha=0.3,
        subtopics=sparse.csr_matrix(sets.reshape(-1, n_subtopics)), k=6, average=None,
    )  # fmt: skip
    raw = alpha_ndcg_score(
        None, np.zeros(1200), qid=np.repeat(np.arange(100), 12), alpha=0.3,
        subtopics=sets.reshape(-1, n_subtopics), k=6, average=None, ideal=None,
    )  # fmt: skip
    expected = [follow_all(one, 6, 0.7) for one in sets]
    np.testing.assert_allclose(raw / found, expected, rtol=1e-12)


def test_no_more_than_a_number_of_rankings_are_followed(monkeypatch):
    rng = np.random.default_rng(0)
    sets = rng.random((20, 30, 8)) < 0.3
    given = {"qid": np.repeat(np.arange(20), 30), "subtopics": sets.reshape(-1, 8)}
    whole = alpha_ndcg_score(None, np.arange(600), k=10, average=None, **given)
    monkeypatch.setattr("skrank.metrics.subtopics.BEAM", 1)
    one = alpha_ndcg_score(None, np.arange(600), k=10, average=None, **given)
    assert (one >= whole).all()
    assert one.max() > 0
    assert (one > whole + 1e-6).any()


@pytest.mark.slow
@pytest.mark.parametrize("convention", [{}, {"convention": "ndeval"}])
def test_the_ideal_ranking_depends_on_no_other_query(monkeypatch, convention):
    rng = np.random.default_rng(0)
    sizes = [3, 20, 120, 70, 17]
    qid = np.repeat(np.arange(5), sizes)
    is_on = rng.random((len(qid), 35)) < 0.15
    is_on[qid == 2] = rng.random((120, 35)) < 0.04  # many documents have equal sets
    names = [f"alpha_ndcg(ideal='greedy', alpha={alpha})" for alpha in (0, 0.1, 0.5, 1)]
    names = [*names, f"{names[2]}@9", "nrbp(ideal='greedy', beta=0.99)"]
    doc_id = rng.permutation(len(qid)) if convention else None

    def values(rows):
        ids = {} if doc_id is None else {"doc_id": doc_id[rows]}
        return by_query(
            None, np.zeros(np.sum(rows)), names, qid=qid[rows], subtopics=is_on[rows],
            **convention, **ids,
        )  # fmt: skip

    together = values(qid >= 0)
    alone = [values(qid == query) for query in range(5)]
    # Most sets of a query with many of them are only looked at from afar.
    monkeypatch.setattr("skrank.metrics.subtopics.MANY_SETS", 0)
    monkeypatch.setattr("skrank.metrics.subtopics.SMALL_PRODUCT", 500)
    from_afar = values(qid >= 0)
    for name in names:
        one_by_one = [found[name][0] for found in alone]
        np.testing.assert_allclose(together[name], one_by_one, rtol=1e-14)
        np.testing.assert_array_equal(from_afar[name], one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.97, 1.0])
def test_many_tied_documents_gain_the_mean_over_their_orders(alpha):
    n, m, left = 2000, 300, 1 - alpha
    weight = 1 / np.log2(np.arange(1, n + 1) + 1)
    # The i-th of m documents is at place p of n with a negative hypergeometric law.
    place, log = np.arange(1, n + 1), gammaln
    expected = 0.0
    for i in range(1, m + 1):
        can_be = (place >= i) & (n - place >= m - i)
        p = place[can_be]
        chance = log(p) - log(i) - log(p - i + 1.0)
        chance += log(n - p + 1.0) - log(m - i + 1.0) - log(n - p - m + i + 1.0)
        chance -= math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
        expected += left ** (i - 1) * (np.exp(chance) @ weight[can_be])
    found = alpha_ndcg_score(
        None, np.zeros(n), qid=np.zeros(n), alpha=alpha, ideal=None,
        subtopics=(np.arange(n) < m)[:, np.newaxis],
    )  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-10)


def test_rankers_share_the_ideal_ranking(monkeypatch):
    calls = []

    def counted(*args):
        calls.append(args[-1])
        return greedy_gain(*args)

    monkeypatch.setattr("skrank.metrics.subtopics.greedy_gain", counted)
    _, qid, is_on = draw(0)
    rng = np.random.default_rng(0)
    rankers = {name: rng.random(len(qid)) for name in "abc"}
    names = ["alpha_ndcg@2", "alpha_ndcg@3", "nrbp(ideal='greedy', beta=0.2)"]
    scores = score_queries(None, rankers, names, qid=qid, subtopics=is_on)
    assert calls == [2, 3, None]
    for name, y_score in rankers.items():
        alone = evaluate(None, y_score, names, qid=qid, subtopics=is_on)
        assert scores.summary()[name] == alone
    # Other values of beta have other ideal rankings.
    names = [f"nrbp(ideal='greedy', beta={beta})" for beta in (0.1, 0.9)]
    both = evaluate(None, rankers["a"], names, qid=qid, subtopics=is_on)
    for name in names:
        alone = evaluate(None, rankers["a"], name, qid=qid, subtopics=is_on)
        assert alone == {name: both[name]}


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("alpha_ndcg", {"ideal": "best"}, "'ideal' parameter of alpha_ndcg_score"),
        ("err_ia", {"alpha": 1.5}, "'alpha' parameter of err_ia_score must be a float"),
        ("nrbp", {"beta": 1.0}, "'beta' parameter of nrbp_score must be a float"),
        ("nrbp", {"beta": 0.0}, "'beta' parameter of nrbp_score must be a float"),
        ("map_ia", {"ties": "optimistic"}, "'ties' parameter of evaluate"),
        ("precision_ia", {}, "Did you mean 'precision_ia@10'"),
        ("strec@5", {}, "Did you mean 'subtopic_recall@5'"),
    ],
)
def test_what_is_wrong_with_a_parameter_is_said(name, params, message):
    with pytest.raises(ValueError, match=message):
        evaluate(None, [2, 1], name, subtopics=[["a"], ["b"]], **params)
