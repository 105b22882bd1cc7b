"""Documents that have no judgement, and judged ones that were not returned."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
from math import log2, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank import metrics
from skrank._engine.request import METRICS
from skrank._ranking.rank import rank_queries
from tests.brute_force import NAMES, all_orders, call

# Of the order of all documents: those that were not returned come last.
OF_ALL = {"query_auc", "rank_correlation", "ranking_loss", "rbo", "spearman"}


def definition_of(name):
    """Return the definition behind a name, with its cutoff."""
    base, _, k = name.partition("@")
    own = {"k": int(k)} if k else {}
    return lambda ranking: METRICS[base].definition(ranking, **own)


def partly_judged(seed, n_queries=60, max_length=6):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(1, max_length + 1, n_queries))
    y_true = rng.integers(0, 4, len(qid)) * rng.integers(0, 2, len(qid))
    y_score = rng.integers(0, 3, len(qid))
    judged = rng.random(len(qid)) < 0.7
    returned = rng.random(len(qid)) < 0.7
    order = rng.permutation(len(qid))
    return [column[order] for column in (y_true, y_score, qid, judged, returned)]


# The documents 2 0 1 in this order; of grades 3 and 0 one each was not returned.
GRADES = np.array([1, 3, 0, 0, 2])
SCORES = np.array([1, np.nan, 2, np.nan, 3])
RETURNED = ~np.isnan(SCORES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mrr", 1),
        ("hits@1", 1),
        ("mean_rank", 1),
        ("median_rank", 1),
        ("geometric_mean_rank", 1),
        ("adjusted_mean_rank", 1 / (4 / 3)),
        ("adjusted_mean_rank_index", 1),
        ("precision@2", 1 / 2),
        ("recall@2", 1 / 3),
        ("f1@2", 2 / (3 + 2)),
        ("r_precision", 2 / 3),
        ("map", (1 + 2 / 3) / 3),
        ("mean_precision", (1 + 1 / 2 + 2 / 3) / 3),
        ("cg", 2 + 1),
        ("dcg", 3 + 1 / 2),
        ("ndcg", (3 + 1 / 2) / (7 + 3 / log2(3) + 1 / 2)),
        ("ndcg@1", 3 / 7),
        ("q_measure", ((1 + 3) / (1 + 7) + (2 + 4) / (3 + 11)) / 3),
        ("err", 3 / 8 + 5 / 8 * 1 / 8 / 3),
        ("rbp", 0.2 * (2 / 3 + 0.8**2 / 3)),
        ("bpref", (1 + (1 - 1 / 2)) / 3),
        ("judged@2", 1),
        # Below the three stand the other two, tied: 2 and 1 of two others are below the
        # relevant ones that were returned, and half of one below that which was not.
        ("query_auc", (2 + 1 + 1 / 2) / 6),
        ("ranking_loss", 1 - 3.5 / 6),
        ("rank_correlation", (3 + 1 + 1 / 2) / 9),
        # Ranks less 3, of the grades 2 0 1 3 0: -2 -1 0 1.5 1.5 and -1 1.5 0 -2 1.5.
        ("spearman", (2 - 1.5 + 0 - 3 + 2.25) / sqrt(10 * 9.5)),
        # The overlaps of 2 0 1 and 3 2 1 0 0 are 0, 1, 2, and then 2.5 and 3, where
        # each further document of the shorter list would be one of both by 2 / 3.
        (
            "rbo",
            0.1 * (0.9 / 2 + 0.9**2 * 2 / 3 + 0.9**3 * (2.5 + 2 / 3) / 4)
            + (0.1 * 0.9**4 + 0.9**5) * (3 + 2 * 2 / 3) / 5,
        ),
    ],
)
def test_documents_that_were_not_returned_count_but_have_no_rank(name, expected):
    value = call(name, GRADES, SCORES, returned=RETURNED)
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("depth", [None, 1, "first"])
def test_queries_that_returned_no_document_at_all(depth):
    ranking = rank_queries([1, 0], [1, 2], returned=[False, False], depth=depth)
    assert ranking.n_relevant.tolist() == [1]
    assert ranking.n_documents.tolist() == [0]
    values = [("mrr", 0), ("ndcg", 0), ("recall@3", 0), ("map", 0)]
    if depth is None:  # the others are those of random orders, but for that of no list
        values += [("query_auc", 1 / 2), ("ranking_loss", 1 / 2), ("spearman", 0)]
        values += [("rank_correlation", 1 / 2), ("rbo", 0)]
    for name, value in values:
        assert definition_of(name)(ranking).tolist() == [value], name
    assert np.isnan(definition_of("mean_rank")(ranking)).tolist() == [True]


def test_a_query_that_returned_no_relevant_document():
    options = {"returned": [False, True, True]}
    ranking = rank_queries([1, 0, 0], [1, 2, 3], **options)
    no_rank = {name for name in NAMES if "rank" in name} - OF_ALL
    others = {"judged@3": 1, "num_rel": 1, "num_ret": 2, "ranking_loss": 1}
    # Of the ranks 1, 2, 3 with the mean ranks 2.5, 2.5, 1.
    others["spearman"] = -1.5 / sqrt(2 * 1.5)
    # The overlaps are 0, then 1/2 + 1/2 and, with half of one more, 2.
    others["rbo"] = 0.1 * 0.9 / 2 + (0.1 * 0.9**2 + 0.9**3) * (2 + 1 / 2) / 3
    for name in NAMES:
        (value,) = definition_of(name)(ranking)
        if name in no_rank:
            assert np.isnan(value), name
        else:
            assert value == pytest.approx(others.get(name, 0), rel=1e-12), name
    assert metrics.bpref_score([1, 0, 0], [1, 2, 3], **options) == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_ideal_ranking_returns_all_relevant_documents_first(name):
    y_true, y_score, qid, _, returned = partly_judged(0)
    of = definition_of(name)
    rows = returned | (y_true > 0) | (name in OF_ALL)
    if name == "judged@3":
        rows = returned
    ids = np.unique(qid[returned | (y_true > 0)])
    best = rank_queries(y_true, y_score, qid=qid, returned=returned).ideal
    alone = rank_queries(y_true[rows], y_true[rows], qid=qid[rows])
    got = dict(zip(best.ids.tolist(), of(best), strict=True))
    expected = dict(zip(alone.ids.tolist(), of(alone), strict=True))
    for query in expected.keys() & ids.tolist():
        if name == "bpref":  # the others that were not returned count as well
            expected[query] = 1 if (y_true[qid == query] > 0).any() else np.nan
        assert got[query] == pytest.approx(expected[query], nan_ok=True), query


@pytest.mark.parametrize("name", NAMES)
def test_all_judged_and_all_returned_is_as_if_nothing_were_said(name):
    y_true, y_score, qid, judged, _ = partly_judged(1)
    of, every = definition_of(name), np.ones_like(judged)
    for order in ("judged_only", "ideal", "chance"):
        ranking = rank_queries(y_true, y_score, qid=qid, judged=every, returned=every)
        plain = rank_queries(y_true, y_score, qid=qid)
        got, expected = of(getattr(ranking, order)), of(getattr(plain, order))
        assert_allclose(got, expected, rtol=1e-12)


# The list by grade of RBO has the judged documents alone.
READING_JUDGED = {"judged@3", "bpref", "rbo"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - READING_JUDGED))
def test_a_document_without_a_judgement_is_not_relevant(name):
    y_true, y_score, qid, judged, returned = partly_judged(2)
    of, grades = definition_of(name), np.where(judged, y_true, 0)
    expected = rank_queries(grades, y_score, qid=qid)
    ranking = rank_queries(np.where(judged, y_true, 9), y_score, qid=qid, judged=judged)
    assert_allclose(of(ranking), of(expected), rtol=1e-12)
    assert_allclose(of(ranking.ideal), of(expected.ideal), rtol=1e-12)
    # Those that were not returned either are left out.
    seen = judged | returned
    masks = {"judged": judged, "returned": returned}
    got = call(name, y_true, y_score, qid=qid, average=None, **masks)
    rows = grades[seen], y_score[seen]
    options = {"qid": qid[seen], "returned": returned[seen], "average": None}
    expected = call(name, *rows, **options)
    assert_allclose(got[np.isin(np.unique(qid), qid[seen])], expected, rtol=1e-12)


@pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic", "first"])
def test_bpref_passes_over_what_is_not_judged(ties):
    y_true, y_score, qid, judged, _ = partly_judged(3)
    some = np.isin(qid, qid[judged])
    y_true, y_score, qid, judged = (x[some] for x in (y_true, y_score, qid, judged))
    got = metrics.bpref_score(y_true, y_score, qid=qid, judged=judged, ties=ties)
    expected = metrics.bpref_score(
        y_true[judged], y_score[judged], qid=qid[judged], ties=ties
    )
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3, 9])
def test_judged_is_the_fraction_of_the_documents_that_were_returned(k):
    y_true, y_score, qid, judged, returned = partly_judged(4)
    options = {"judged": judged, "returned": returned, "k": k, "average": None}
    got = metrics.judged_at_k_score(y_true, y_score, qid=qid, **options)
    for query, value in zip(np.unique(qid), got, strict=True):
        rows = (qid == query) & returned
        docs, scores = judged[rows].tolist(), y_score[rows].tolist()
        if not docs:
            assert value == 0
            continue
        fractions = [np.mean(order[:k]) for order in all_orders(docs, scores)]
        assert value == pytest.approx(np.mean(fractions))


def test_judged_is_one_where_nothing_is_said():
    assert metrics.judged_at_k_score([0, 1, 0], [1, 2, 3], k=2) == 1
    assert metrics.judged_at_k_score([[0, 1, 0]], [[1, 2, 3]], k=2) == 1
    assert metrics.judged_at_k_score([1], [[1, 2, 3]], k=9) == 1


def test_a_query_weighs_as_many_documents_as_it_has_whatever_was_returned():
    # Of three documents nothing was returned, and of one of two.
    given = [1, 0, 0, 1, 0], [5, 4, 3, 2, 1], ["mrr", "query_auc"]
    options = {"qid": [7, 7, 7, 8, 8], "average": "weighted"}
    options["returned"] = [False, False, False, True, False]
    expected = pytest.approx({"mrr": 2 / 5, "query_auc": (3 * 1 / 2 + 2 * 1) / 5})
    assert metrics.evaluate(*given, **options) == expected
    assert metrics.score_queries(*given, **options).summary() == expected


@pytest.mark.parametrize("name", ["judged", "returned"])
def test_what_is_judged_and_returned_is_a_mask_of_the_rows(name):
    judged_score = functools.partial(metrics.judged_at_k_score, k=1)
    message = f"'{name}' parameter must be a boolean array"
    for score in (metrics.bpref_score, judged_score, metrics.rbo_score):
        for mask in ([1, 0], [True], "yes"):
            with pytest.raises(ValueError, match=message):
                score([0, 1], [1, 2], **{name: mask})
        with pytest.raises(ValueError, match=f"'{name}' parameter goes with"):
            score([[0, 1]], [[1, 2]], **{name: [True]})


def bpref_of_query(y_true, y_score, judged, returned):
    """Return bpref of one query as a loop over all orders of the returned documents."""
    relevant = judged & (y_true > 0)
    n_relevant, n_others = relevant.sum(), (judged & ~relevant).sum()
    if n_relevant == 0:
        return 0.0
    here = [(bool(relevant[i]), bool(judged[i])) for i in np.flatnonzero(returned)]
    values = []
    for order in all_orders(here, y_score[returned].tolist()):
        total, others_above = 0.0, 0
        for is_relevant, is_judged in order:
            if is_relevant and n_others:
                bound = min(n_others, n_relevant)
                total += 1 - min(others_above, n_relevant) / bound
            elif is_relevant:
                total += 1
            elif is_judged:
                others_above += 1
        values.append(total / n_relevant)
    return np.mean(values)


@pytest.mark.parametrize("seed", range(4))
def test_bpref_with_both_masks_is_what_a_loop_says(seed):
    y_true, y_score, qid, judged, returned = partly_judged(seed)
    judged |= seed == 3
    got = metrics.bpref_score(
        y_true, y_score, qid=qid, judged=judged, returned=returned, average=None
    )
    expected = [
        bpref_of_query(y_true[q], y_score[q], judged[q], returned[q])
        for q in (qid == query for query in np.unique(qid))
    ]
    assert_allclose(got, expected, rtol=1e-12)


def test_a_grade_of_a_row_that_is_not_judged_is_noticed():
    with pytest.warns(UserWarning, match="^1 rows that are not `judged` have a grade"):
        metrics.evaluate([2, 0, 1], [1, 2, 3], "mrr", judged=[False, True, True])
