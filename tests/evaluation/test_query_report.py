"""One query, document by document."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import statistics

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from skrank._engine.names import add_scorer
from skrank._engine.request import METRICS
from skrank.metrics import evaluate, query_report, score_queries
from skrank.tables import align
from tests.brute_force import NAMES, all_orders

HALF = 1 / math.log2(3)  # the discount of rank 2


def gain(grade):
    return 2.0**grade - 1


def hits(grades):
    return sum(grade > 0 for grade in grades)


# The term of rank i in the formula of each metric, for the grades g of one order. The
# highest grade of all queries is 3.
TERMS = {
    "cg": lambda g, i: g[i - 1],
    "cg@3": lambda g, i: g[i - 1] * (i <= 3),
    "dcg": lambda g, i: gain(g[i - 1]) / math.log2(i + 1),
    "dcg@3": lambda g, i: gain(g[i - 1]) / math.log2(i + 1) * (i <= 3),
    "ndcg": lambda g, i: TERMS["dcg"](g, i) / ideal_dcg(g, None),
    "ndcg@3": lambda g, i: TERMS["dcg@3"](g, i) / ideal_dcg(g, 3),
    "precision@3": lambda g, i: (g[i - 1] > 0) * (i <= 3) / 3,
    "recall@3": lambda g, i: (g[i - 1] > 0) * (i <= 3) / hits(g),
    "recall_cap@3": lambda g, i: (g[i - 1] > 0) * (i <= 3) / min(3, hits(g)),
    # 2 P R / (P + R) = 2 h / (k + R)
    "f1@3": lambda g, i: 2 * (g[i - 1] > 0) * (i <= 3) / (3 + hits(g)),
    "r_precision": lambda g, i: (g[i - 1] > 0) * (i <= hits(g)) / hits(g),
    "map": lambda g, i: (g[i - 1] > 0) * hits(g[:i]) / i / hits(g),
    "map@3": lambda g, i: TERMS["map"](g, i) * (i <= 3),
    # In P@j for each j from i to the end of the list.
    "mean_precision": lambda g, i: (
        (g[i - 1] > 0) * sum(1 / j for j in range(i, len(g) + 1)) / len(g)
    ),
    "q_measure": lambda g, i: (
        (g[i - 1] > 0)
        * (hits(g[:i]) + sum(map(gain, g[:i])))
        / (i + sum(map(gain, sorted(g, reverse=True)[:i])))
        / hits(g)
    ),
    "rbp": lambda g, i: 0.2 * 0.8 ** (i - 1) * g[i - 1] / 3,
    "rbp@3": lambda g, i: TERMS["rbp"](g, i) * (i <= 3),
    "err": lambda g, i: (
        gain(g[i - 1]) / 8 / i * math.prod(1 - gain(one) / 8 for one in g[: i - 1])
    ),
    "err@3": lambda g, i: TERMS["err"](g, i) * (i <= 3),
    "mrr": lambda g, i: (g[i - 1] > 0) * (hits(g[: i - 1]) == 0) / i,
    "mrr@3": lambda g, i: TERMS["mrr"](g, i) * (i <= 3),
    "hits@3": lambda g, i: (g[i - 1] > 0) * (hits(g[: i - 1]) == 0) * (i <= 3),
    "query_auc": lambda g, i: (
        (g[i - 1] > 0) * sum(one == 0 for one in g[i:]) / hits(g) / (len(g) - hits(g))
    ),
}
TERMS |= {"gm_map": TERMS["map"], "lrap": TERMS["map"]}
# The form of bpref is in its own test, as it reads judgements.
SUMS = {*TERMS, "bpref", "f1@3", "mean_precision@3"}


def ideal_dcg(grades, k):
    best = sorted(grades, reverse=True)[:k]
    return sum(gain(grade) / math.log2(i + 1) for i, grade in enumerate(best, 1))


def added(report, ranker=None):
    """Return what each document adds, by its name."""
    one = report.rankings[ranker]
    return dict(zip(one.document.tolist(), one.adds.tolist(), strict=True))


def by_all_orders(term, grades, scores):
    """Return the mean term of each document over all orders of tied documents."""
    found = [[] for _ in grades]
    for order in all_orders(list(range(len(grades))), list(scores)):
        ranked = [grades[document] for document in order]
        for i, document in enumerate(order, 1):
            found[document].append(term(ranked, i))
    return dict(enumerate(map(statistics.fmean, found)))


@pytest.mark.parametrize("name", sorted(TERMS))
@pytest.mark.parametrize("seed", range(2))
def test_what_documents_add_is_the_mean_over_all_orders_of_tied_documents(name, seed):
    rng = np.random.default_rng(seed)
    n_documents = 5
    grades, scores = rng.integers(0, 4, n_documents), rng.integers(0, 3, n_documents)
    grades[:3] = 1, 2, 0  # of any metric, and tied documents of different grades
    scores[:2] = 1
    # The highest grade is that of another query; the rows are not sorted.
    y_true, y_score = np.append(grades, [3, 0]), np.append(scores, [1, 0])
    qid = np.array(["b"] * n_documents + ["a"] * 2)
    names = np.array([*range(n_documents), 10, 11])
    rows = rng.permutation(len(qid))
    report = query_report(
        y_true[rows], y_score[rows], "b", metric=name, qid=qid[rows],
        doc_id=names[rows],
    )  # fmt: skip
    expected = by_all_orders(TERMS[name], grades.tolist(), scores.tolist())
    assert added(report) == pytest.approx(expected)
    value = score_queries(y_true, y_score, name, qid=qid).values[0, 0, 1]
    assert sum(added(report).values()) == pytest.approx(value)
    # Ideal documents add what the best of all orders is worth.
    best = max(
        sum(TERMS[name](order, i + 1) for i in range(n_documents))
        for order in itertools.permutations(grades.tolist())
    )
    assert report.rankings[None].ideal_adds.sum() == pytest.approx(best)
    frame = report.to_frame()
    assert frame["lost"].sum() == pytest.approx(best - value)


def test_bpref_adds_the_pairs_of_each_document():
    # Of two judged documents that are not relevant, one is above the third document.
    judged = [True, True, True, True, False]
    y_true, y_score = [1, 0, 1, 0, 0], [5, 4, 3, 2, 6]
    report = query_report(y_true, y_score, 0, metric="bpref", judged=judged)
    assert added(report) == pytest.approx({4: 0, 0: 1 / 2, 1: 0, 2: 1 / 2 / 2, 3: 0})
    report = query_report(y_true, [5, 3, 3, 2, 6], 0, metric="bpref", judged=judged)
    assert added(report)[2] == pytest.approx((1 + 1 / 2) / 2 / 2)
    # The document without a judgement has no grade.
    assert report.to_frame()["grade"].isna().tolist() == [True, *[False] * 4]


ORDERS = {"expected": [3, 0, 1, 2], "first": [3, 0, 1, 2]}
ORDERS |= {"optimistic": [3, 1, 2, 0], "pessimistic": [3, 0, 2, 1]}


@pytest.mark.parametrize(
    ("name", "ties"),
    [
        (one, ties)
        for one in NAMES
        for ties in (ORDERS if one in SUMS else ["expected"])
    ],
)
def test_the_sum_is_the_value_under_every_tie_policy(name, ties):
    metric = METRICS[name.partition("@")[0]]
    name = metric.full_name + name[len(metric.name) :]
    rng = np.random.default_rng(1)
    qid, y_score = np.repeat(np.arange(2), 12), rng.integers(0, 4, 24)
    y_true = rng.integers(0, 4, 24)
    scores = score_queries(y_true, y_score, name, qid=qid, ties=ties)
    for query in range(2):
        report = query_report(y_true, y_score, query, metric=name, qid=qid, ties=ties)
        one = report.rankings[None]
        np.testing.assert_equal(report.values[None], scores.values[0, 0, query])
        assert (one.adds is not None) == (name in SUMS)
        if name in SUMS:
            assert one.adds.sum() == pytest.approx(report.values[None])
            # The ideal ranking by itself has the value that its documents add.
            rows = qid == query
            max_grade = {"max_grade": 3} if name[:3] in ("err", "rbp") else {}
            best = evaluate(y_true[rows], y_true[rows], name, **max_grade)[name]
            assert one.ideal_adds.sum() == pytest.approx(best)
        else:
            words = "is undefined" if report.is_undefined else "is not a sum over doc"
            assert words in str(report)


@pytest.mark.parametrize(("ties", "order"), ORDERS.items(), ids=ORDERS)
def test_tied_documents_stand_in_the_order_of_the_policy(ties, order):
    report = query_report([0, 2, 1, 0], [1, 1, 1, 2], 0, metric="dcg", ties=ties)
    one = report.rankings[None]
    assert one.document.tolist() == order
    is_tied = [False, *[ties == "expected"] * 3]
    assert (one.best_rank != one.worst_rank).tolist() == is_tied
    if ties != "expected":
        terms = [
            gain([0, 2, 1, 0][d]) / math.log2(i + 1) for i, d in enumerate(order, 1)
        ]
        assert one.adds == pytest.approx(terms)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.float32])
@pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic"])
def test_grades_may_be_of_any_type(dtype, ties):
    grades, given = [0, 1, 0, 1], ([2, 2, 2, 1], 0)
    of_integers = query_report(grades, *given, metric="map", ties=ties)
    found = query_report(np.array(grades, dtype), *given, metric="map", ties=ties)
    assert added(found) == added(of_integers)
    assert str(found) == str(of_integers)


def test_documents_at_a_realistic_rank_share_it():
    # The first relevant document has rank 2 or 3: two of three tied ones are relevant.
    report = query_report([0, 1, 1, 0], [1, 1, 1, 2], 0, metric="mrr", ties="realistic")
    assert added(report) == pytest.approx({3: 0, 0: 0, 1: 1 / 2.5 / 2, 2: 1 / 2.5 / 2})


def test_documents_of_many_relevant_tied_ones_add_the_same_and_in_total_the_value():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (1, 400)), np.zeros((1, 400))
    one = query_report(*rows, 0, metric="err").rankings[None]
    value = evaluate(*rows, "err")["err"]
    assert one.adds.sum() == pytest.approx(value)
    for grade in (0, 1, 2):
        assert np.ptp(one.adds[one.grade == grade]) < 1e-15
    assert 0 < one.adds[one.grade == 1][0] < one.adds[one.grade == 2][0]


def test_several_rankers_have_a_table_each():
    rng = np.random.default_rng(0)
    qid, y_true = np.repeat(["q1", "q2"], 8), rng.integers(0, 3, 16)
    runs = {"old": rng.random(16), "new": rng.random(16)}
    ids = np.char.add("d", np.arange(16).astype(str))
    report = query_report(y_true, runs, "q2", qid=qid, doc_id=ids)
    scores = score_queries(y_true, runs, "ndcg@10", qid=qid)
    frame = report.to_frame()
    assert frame["ranker"].tolist() == ["old"] * 8 + ["new"] * 8
    for i, name in enumerate(runs):
        alone = query_report(y_true, runs[name], "q2", qid=qid, doc_id=ids)
        part = frame[frame["ranker"] == name].drop(columns="ranker")
        pd.testing.assert_frame_equal(part.reset_index(drop=True), alone.to_frame())
        assert report.values[name] == scores.values[i, 0, 1]
        best_first = ids[qid == "q2"][np.argsort(-runs[name][qid == "q2"])]
        assert part["document"].tolist() == best_first.tolist()


def test_the_text_shows_ranks_ties_and_sums():
    y_true, doc_id = [2, 0, 0, 1], ["d1", "d2", "d3", "d4"]
    runs = {"old": [4, 1, 3, 2], "new": [2, 3, 2, 1]}
    qid, columns = ["q7"] * 4, {"title": ["Ann", "Bob", None, "Dan"]}
    report = query_report(y_true, runs, "q7", qid=qid, doc_id=doc_id, k=2)
    # 3 / (3 + 1 / log2(3)) = .8262, and so on; the rest is the sum of ranks 3 and 4.
    assert repr(report).splitlines() == [
        "query q7, ndcg@10, 2 relevant documents",
        "",
        "old: 0.9639",
        "rank  document  grade    adds     lost  ideal  ideal_grade  ideal_rank",
        "   1  d1            2  0.8262   0.0000  d1               2           1",
        "   2  d3            0  0.0000   0.1738  d4               1           3",
        "  >2  2 more           0.1377  -0.1377",
        " all                   0.9639   0.0361",
        "",
        "new: 0.5858",
        "rank  document  grade    adds     lost  ideal  ideal_grade  ideal_rank",
        "   1  d2            0  0.0000   0.8262  d1               2         2-3",
        " 2-3  d1            2  0.4672  -0.2934  d4               1           4",
        "  >2  2 more           0.1186  -0.1186",
        " all                   0.5858   0.4142",
    ]
    report = query_report(
        y_true, runs["old"], "q7", qid=qid, metric="neg_mean_rank", columns=columns
    )
    assert repr(report).splitlines() == [
        "query q7, neg_mean_rank, 2 relevant documents",
        "",
        "value: -1.0000",
        "rank  document  grade  title  ideal  ideal_grade  ideal_rank",
        "   1  0             2  Ann    0                2           1",
        "   2  2             0  None   3                1           3",
        "   3  3             1  Dan",
        "   4  1             0  Bob",
        "",
        "neg_mean_rank is not a sum over documents: what each of them adds is left "
        "out.",
    ]


def test_a_notebook_shows_a_table_of_each_ranker_with_escaped_text():
    runs = {"a<b": [1, 2], "c": [2, 1]}
    report = query_report([1, 0], runs, "<q>", qid=["<q>"] * 2, doc_id=["<i>", "&"])
    found = report._repr_html_()
    assert "<caption>query &lt;q&gt;, ndcg@10" in found
    assert "1 relevant document. a&lt;b: 0.6309</caption>" in found
    assert "<caption>c: 1.0000</caption>" in found
    assert "<td>&lt;i&gt;</td>" in found
    assert found.count("<table>") == 2
    # Names, two documents and the sum; a cell for each column.
    assert found.count("<tr>") == 2 * 4
    assert found.count("<td>") == 2 * 3 * 8


def test_what_align_returns_for_one_run_or_several_is_taken():
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
    runs = {
        "bm25": {"q1": {"d1": 0.7, "d4": 0.9}, "q2": {"d1": 1.0}},
        "dense": {"q1": ["d3", "d1", "d2"], "q2": ["d1"]},
    }
    report = query_report(query="q1", **align(qrels, runs))
    best, second = 3 / (3 + HALF), HALF / (3 + HALF)
    bm25, dense = added(report, "bm25"), added(report, "dense")
    assert bm25 == pytest.approx({"d4": 0, "d1": second, "d3": 0, "d2": 0})
    assert dense == pytest.approx({"d3": best, "d1": second, "d2": 0})
    assert "bm25 did not return 1 of the 2 relevant documents." in str(report)
    # The ranks of the documents of the ideal ranking; a dash for one not returned.
    ranks = [line.split()[-2:] for line in str(report).splitlines()]
    assert ranks[4:6] == [["2", "-"], ["1", "2"]]
    assert ranks[10:12] == [["2", "1"], ["1", "2"]]
    alone = query_report(query="q1", **align(qrels, runs["bm25"]))
    assert added(alone) == bm25
    assert np.isnan(alone.rankings[None].best_rank[2:]).all()
    # A ranker may return nothing for a query.
    report = query_report(query="q2", **align(qrels, {"q1": ["d1"]}))
    assert report.values == {None: 0.0}
    assert report.to_frame()["lost"].tolist() == [1.0]
    assert report.to_frame()["document"].tolist() == [None]


def test_conventions_order_tied_documents_by_their_ids():
    given = {"qid": ["q"] * 3, "doc_id": ["d1", "d3", "d2"], "metric": "mrr"}
    report = query_report([1, 0, 0], [1, 1, 1], "q", convention="trec_eval", **given)
    # The last id comes first.
    assert [*added(report).items()] == [("d3", 0), ("d2", 0), ("d1", 1 / 3)]


def test_scores_are_tied_in_the_precision_in_which_they_are_compared():
    scores = [1.0, 1.0 + 1e-9]
    report = query_report([1, 0], scores, 0, metric="mrr", score_dtype="float32")
    assert added(report) == {0: pytest.approx(0.75), 1: 0}
    assert added(query_report([1, 0], scores, 0, metric="mrr")) == {1: 0, 0: 0.5}


def test_rows_of_a_matrix_are_queries():
    y_score = np.array([[2.0, 2.0, 1.0, 1.0], [1.0, 3.0, 1.0, 2.0]])
    y_true = np.array([[1, 0, 0, 0], [0, 0, 1, 0]])
    names = ["a", "b", "c", "d"]
    expected = {"b": 0, "d": 0, "a": 0, "c": pytest.approx((1 / 3 + 1 / 4) / 2)}
    given = {"metric": "mrr", "doc_id": names, "columns": {"price": [1, 2, 3, 4]}}
    for grades in (y_true, sparse.csr_matrix(y_true), [0, 2]):
        report = query_report(grades, y_score, 1, **given)
        assert added(report) == expected
        assert report.to_frame()["price"].tolist() == [2, 4, 1, 3]
    exclude = np.array([[False] * 4, [False, True, True, False]])
    for mask in (exclude, sparse.csr_matrix(exclude)):
        report = query_report(y_true, y_score, 1, exclude=mask, metric="dcg")
        assert added(report) == {3: 0, 0: 0}
        # A target is never excluded.
        report = query_report([0, 2], y_score, 1, exclude=mask, **given)
        value = pytest.approx((1 / 2 + 1 / 3) / 2)
        assert added(report) == {"d": 0, "a": 0, "c": value}
    report = query_report([0, 2], y_score, 1, threshold=5, metric="mrr")
    assert report.values[None] == sum(added(report).values()) > 0
    with pytest.raises(ValueError, match="Got 2 of type int instead"):
        query_report(y_true, y_score, 2)


def test_relevance_follows_the_threshold():
    report = query_report([3, 1, 3], [3, 2, 1], 0, metric="map", threshold="max")
    assert added(report) == pytest.approx({0: 1 / 2, 1: 0, 2: 2 / 3 / 2})
    report = query_report([3, 1, -1], [3, 2, 1], 0, metric="cg", judged_from=0)
    assert added(report) == {0: 3, 1: 1, 2: 0}
    assert np.isnan(report.rankings[None].grade[2])


def test_a_gain_of_the_user_orders_the_ideal_ranking():
    def taste(grade):
        return np.where(grade == 1, 5.0, grade)

    report = query_report([2, 1, 0], [3, 2, 1], 0, metric="ndcg", gain=taste)
    ideal = 5 + 2 * HALF
    assert added(report) == pytest.approx({0: 2 / ideal, 1: 5 * HALF / ideal, 2: 0})
    assert report.to_frame()["ideal_document"].tolist() == [1, 0, 2]
    assert report.to_frame()["lost"].sum() == pytest.approx(1 - report.values[None])


@pytest.mark.parametrize(
    ("instead", "words"), [(0.0, "counts 0"), (np.nan, "left out")]
)
def test_a_query_without_relevant_documents_is_undefined(instead, words):
    given = {"qid": [1, 1, 2, 2], "replace_undefined_by": instead}
    report = query_report([0, 0, 1, 0], [1, 2, 3, 4], 1, **given)
    assert report.values[None] == pytest.approx(instead, nan_ok=True)
    assert report.is_undefined
    assert "ndcg@10 is undefined for this query, which" in str(report)
    assert words in str(report)
    frame = report.to_frame()
    assert frame["document"].tolist() == [1, 0]
    assert frame["adds"].isna().all()
    assert frame["lost"].isna().all()
    assert not query_report([0, 0, 1, 0], [1, 2, 3, 4], 2, **given).is_undefined
    # The DCG of such a query is 0.
    report = query_report([0, 0, 1, 0], [1, 2, 3, 4], 1, metric="dcg", qid=[1, 1, 2, 2])
    assert added(report) == {1: 0, 0: 0}


def first_half(ranking):
    weight = ranking.mean_over_places(lambda rank: 0.5**rank)
    return ranking.where_relevant(ranking.document_total(weight))


def by_group(ranking):
    return ranking.total(ranking.relevant / (ranking.above + 1))


def a_square(ranking):
    return ranking.document_total(ranking.mean_over_places(np.ones_like)) ** 2


def test_a_metric_of_your_own_is_a_sum_if_it_is_written_as_one():
    report = query_report([1, 0, 1], [2, 2, 1], 0, metric=first_half)
    assert added(report) == pytest.approx({0: (1 / 2 + 1 / 4) / 2, 1: 0, 2: 1 / 8})
    for metric in (by_group, a_square):
        report = query_report([1, 0, 1], [2, 2, 1], 0, metric=metric)
        assert report.rankings[None].adds is None
        assert "is not a sum over documents" in str(report)
    add_scorer("halves", first_half, greater_is_better=False)
    report = query_report([1, 0], [2, 1], 0, metric="neg_halves")
    assert added(report) == {0: -0.5, 1: 0}


def test_documents_that_are_not_relevant_come_last_under_a_small_gain_of_the_user():
    given = {"metric": "ndcg@4", "qid": [0] * 5, "gain": lambda grade: grade / 10}
    report = query_report([1, 0, 2, 0, 0], [1, 5, 4, 3, 2], 0, **given)
    ideal = 0.2 + 0.1 * HALF
    assert added(report)[2] == pytest.approx(0.2 * HALF / ideal)
    frame = report.to_frame()
    assert frame["ideal_document"].tolist()[:2] == [2, 0]
    # At each rank: what the ideal ranking has there, less what this one has.
    lost = [0.2 / ideal, (0.1 - 0.2) * HALF / ideal, 0, 0, 0]
    assert frame["lost"].tolist() == pytest.approx(lost)


def test_documents_stay_integers_in_the_frame():
    frame = query_report([1, 0, 2], [1, 2, 3], 0, metric="ndcg").to_frame()
    assert frame["document"].dtype == frame["ideal_document"].dtype == np.int64


def test_pairs_with_documents_that_were_not_returned_count_in_both_rankings():
    given = {"metric": "query_auc", "returned": [True, False, True, False]}
    one = query_report([1, 0, 1, 0], [1, 0, 2, 0], 0, **given).rankings[None]
    assert one.adds.tolist() == [1 / 2, 1 / 2, 0, 0]
    assert one.ideal_adds.tolist() == [1 / 2, 1 / 2]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_frame_has_all_documents_in_the_library_of_the_data(kind):
    # One document less is returned than the ideal ranking has.
    given = {
        "qid": ["q"] * 3,
        "doc_id": ["a", "b", "c"],
        "returned": [True, False, True],
        "columns": {"title": ["A", "B", "C"], "price": [1, 2, 3]},
    }
    report = query_report([1, 2, 0], [2, 1, 3], "q", k=1, **given)
    columns = nw.from_native(report.to_frame(kind)).to_dict(as_series=False)
    ideal = 3 + HALF
    for name, expected in {
        "document": ["c", "a", None],
        "title": ["C", "A", None],
        "price": [3, 1, None],
        "ideal_document": ["b", "a", "c"],
        "ideal_grade": [2, 1, 0],
        "adds": pytest.approx([0, HALF / ideal, 0]),
        "lost": pytest.approx([3 / ideal, 0, 0]),
    }.items():
        found = [None if value != value else value for value in columns[name]]
        assert found == expected, name


def test_columns_are_read_of_frames_and_arrays():
    y_true, scores = pl.Series([1, 0, 1]), [1, 2, 3]
    titles = ["A", "B", "C"]
    for columns in (
        {"title": titles},
        pd.DataFrame({"title": titles}, index=[7, 8, 9]),
        pl.DataFrame({"title": titles}),
        pl.DataFrame({"title": titles}).to_arrow(),
        pd.Series(titles, name="title"),
    ):
        report = query_report(y_true, scores, 0, columns=columns)
        assert report.to_frame()["title"].to_list() == ["C", "B", "A"]
    assert isinstance(report.to_frame(), pl.DataFrame)
    report = query_report(y_true, scores, 0, columns=titles)
    assert report.to_frame()["column"].to_list() == ["C", "B", "A"]


def test_each_ranker_has_the_columns_of_its_documents():
    runs = {"a": {"q": ["d1", "d2"]}, "b": {"q": ["d1"]}}
    aligned = align({"q": {"d1": 1}}, runs)
    titles = {"title": [id.upper() for id in aligned.doc_id]}
    report = query_report(query="q", columns=titles, **aligned)
    assert report.rankings["a"].columns["title"].tolist() == ["D1", "D2"]
    assert report.rankings["b"].columns["title"].tolist() == ["D1"]


def test_ids_are_found_in_an_index_and_of_any_type():
    days = pd.to_datetime(["2026-01-02", "2026-01-02", "2026-01-01"])
    y_true = pd.Series([1, 0, 1], index=pd.Index(days, name="qid"))
    report = query_report(y_true, [1, 2, 3], pd.Timestamp("2026-01-02"))
    assert report.values[None] == pytest.approx(HALF)
    qid = [(1, "b"), (1, "b"), (0, "a")]
    report = query_report([1, 0, 1], [1, 2, 3], (1, "b"), qid=qid)
    assert report.values[None] == pytest.approx(HALF)


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        (
            {"query": "9"},
            ValueError,
            r"'query' parameter of query_report must be one of the query ids. Got '9' "
            r"of type str instead; one of the ids is 9 of type int.",
        ),
        ({"query": 5}, ValueError, "Got 5 of type int instead; one of the ids is 8"),
        ({"k": 0}, ValueError, "'k' parameter of query_report must be an int >= 1"),
        ({"k": "ten"}, TypeError, "must be an int >= 1 or None"),
        ({"by": [1, 1, 2]}, TypeError, "query_report shows the rows of one query"),
        ({"metric": "ndgc"}, ValueError, "'ndgc'"),
        ({"gian": "linear"}, TypeError, "'gian'"),
        ({"doc_id": ["a"]}, ValueError, r"inconsistent numbers of samples: \[3, 1\]"),
        ({"columns": {"x": [1]}}, ValueError, r"shape \(3,\).*Got 'x' of shape \(1,\)"),
        ({"columns": {"adds": [1, 2, 3]}}, ValueError, "Got 'adds'"),
    ],
)
def test_what_query_report_does_not_take_raises(params, error, match):
    params = {"query": 9, **params}
    with pytest.raises(error, match=match):
        query_report([1, 0, 1], [1, 2, 3], qid=[8, 9, 9], **params)


def test_a_query_without_a_document_to_show_is_refused():
    neither = {"qid": [7, 7, 8, 8], "returned": np.array([True, True, False, False])}
    neither["judged"] = neither["returned"]
    data = [1, 0, 1, 0], [2, 2, 1, 1]
    with pytest.raises(ValueError, match="Query 8 has no document"):
        query_report(*data, 8, metric="map", **neither)


@pytest.mark.parametrize("name", ["judged", "returned"])
def test_a_mask_of_one_column_is_refused(name):
    column, mask = np.array([[1], [0]]), np.array([[True], [False]])
    with (
        pytest.warns(DataConversionWarning),
        pytest.raises(ValueError, match=rf"'{name}' .* shape \(2,\). Got .* \(2, 1\)"),
    ):
        query_report(column, column, 7, metric="map", qid=[7, 7], **{name: mask})
