"""RankingMetric: the values of `evaluate`, whatever the batches."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skrank.metrics import QueryScores, RankingMetric, evaluate, of_items

ranking_metric = importlib.import_module("skrank.evaluation.ranking_metric")

METRICS = ["ndcg@10", "map", "mrr", "neg_median_rank", "gm_map", "rbp(p=0.5)"]


def draw(seed, n_queries=40):
    """Return grades, tied scores and text ids, some of queries without any grade."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 25, size=n_queries)
    names = np.array([f"q{i}" for i in rng.permutation(n_queries)])
    qid = np.repeat(names, lengths)
    y_true = rng.integers(4, size=len(qid)) * (rng.random(len(qid)) < 0.4)
    y_score = np.round(rng.normal(size=len(qid)), 1).astype(np.float32)
    return rng, y_true, y_score, qid


def gather(rng, batches, **how):
    """Return the metric of batches that random processes saw, sent by pickling."""
    metrics = [RankingMetric(METRICS, **how) for _ in range(rng.integers(1, 5))]
    for batch in batches:
        metrics[rng.integers(len(metrics))].update(*batch)
    first, *others = [pickle.loads(pickle.dumps(metric)) for metric in metrics]
    for other in others:
        first.merge(other)
    return first


@pytest.mark.parametrize("seed", range(50))
def test_any_batches_of_whole_and_of_split_queries_have_the_bits_of_all_rows(seed):
    rng, y_true, y_score, qid = draw(seed)
    expected = evaluate(y_true, y_score, METRICS, qid=qid)
    for how, unit in ({}, qid), ({"queries": "split"}, np.arange(len(qid))):
        units = rng.permutation(np.unique(unit))
        ends = np.sort(rng.integers(len(units), size=rng.integers(1, 20)))
        batches = []
        for part in np.split(units, ends):
            rows = rng.permutation(np.flatnonzero(np.isin(unit, part)))
            batches.append((y_true[rows], y_score[rows], qid[rows]))
        assert gather(rng, batches, **how).compute() == expected


def test_rows_are_scored_when_there_are_many_of_them(monkeypatch):
    _, y_true, y_score, qid = draw(0)
    monkeypatch.setattr(ranking_metric, "ROWS_AT_ONCE", 50)
    metrics = METRICS[:-1]  # of the last one all rows are kept
    metric = RankingMetric(metrics)
    for name in np.unique(qid):
        rows = qid == name
        metric.update(y_true[rows], y_score[rows], qid[rows])
        assert sum(len(batch["qid"]) for batch in metric._batches) < 50
    assert metric.compute() == evaluate(y_true, y_score, metrics, qid=qid)


@pytest.mark.parametrize(
    ("metrics", "how"),
    [
        ("err@5", {"max_grade": None}),
        ("spearman", {}),
        (lambda ranking: ranking.n_relevant / ranking.n_relevant.max(), {}),
    ],
)
def test_metrics_that_compare_queries_have_the_bits_of_all_rows(
    monkeypatch, metrics, how
):
    monkeypatch.setattr(ranking_metric, "ROWS_AT_ONCE", 10)
    _, y_true, y_score, qid = draw(3)
    y_true = y_true - 1.0 * (metrics == "spearman")
    metric = RankingMetric(metrics, **how)
    for name in np.unique(qid):
        rows = qid == name
        metric.update(y_true[rows], y_score[rows], qid[rows])
    how = how | {"qid": qid}
    assert metric.compute() == evaluate(y_true, y_score, metrics, **how)


@pytest.mark.parametrize("n_rows", [10, 2**20])
def test_a_query_in_two_batches_is_an_error_that_names_it(monkeypatch, n_rows):
    monkeypatch.setattr(ranking_metric, "ROWS_AT_ONCE", n_rows)
    metric, other = RankingMetric("mrr"), RankingMetric("mrr")
    metric.update(np.arange(12), np.arange(12), ["a"] * 6 + ["b"] * 6)
    other.update(np.arange(12), np.arange(12), ["c"] * 6 + ["b"] * 6)
    with pytest.raises(ValueError, match=r"query (qid=)?'b' (twice|in two batches)"):
        metric.merge(other).compute()


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ([1, 1, 2], [2, 3, 3], 2),  # whose rows stand together
        ([2, 2, 1], [2, 3, 3], 2),
        ([1, 2, 1, 2, 3, 4], [5, 6, 5, 6, 4, 7], 4),  # of rows that do not
    ],
)
def test_a_query_is_found_twice_wherever_its_rows_stand(first, second, twice):
    metric = RankingMetric("mrr")
    for qid in (first, second):
        metric.update(np.ones(len(qid)), np.arange(len(qid)), qid)
    with pytest.raises(ValueError, match=f"query {twice} in two batches"):
        metric.compute()


def test_the_rows_of_a_split_query_are_one_query():
    metric = RankingMetric("mrr", queries="split")
    metric.update([0, 0], [3, 2], [1, 2])
    metric.update([1, 1], [1, 4], [1, 2])
    # The relevant documents have ranks 2 and 1.
    assert metric.compute() == {"mrr": (1 / 2 + 1) / 2}
    metric.update([1], [5], [1])
    assert metric.compute() == {"mrr": 1.0}
    metric.reset()
    with pytest.raises(ValueError, match="at least one batch"):
        metric.compute()


def test_a_loader_may_reuse_its_arrays():
    metric = RankingMetric("mrr")
    y_true, y_score, qid = np.array([1, 0]), np.array([1.0, 2.0]), np.array([0, 0])
    metric.update(y_true, y_score, qid)
    y_score[:], qid[:] = [3, 2], 1
    metric.update(y_true, y_score, qid)
    assert metric.compute() == {"mrr": (1 / 2 + 1) / 2}


def test_matrices_have_a_query_in_each_row():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(2, size=(30, 8)), rng.normal(size=(30, 8))
    metric = RankingMetric(["mrr", "ndcg@3"])
    for rows in np.split(np.arange(30), [7, 9]):
        metric.update(y_true[rows], y_score[rows], rows)
    assert metric.compute() == evaluate(y_true, y_score, ["mrr", "ndcg@3"])
    with pytest.raises(ValueError, match="y_true must have the shape of y_score"):
        metric.update(y_true[:, 0], y_score, np.arange(30))


def test_the_scores_are_those_of_every_query():
    metric = RankingMetric(["mrr", "hits@1"])
    metric.update([1, 0], [1, 2], ["b", "b"])
    metric.update([1, 0], [2, 1], ["a", "a"])
    assert isinstance(metric.scores, QueryScores)
    assert metric.scores.keys["qid"].tolist() == ["a", "b"]
    np.testing.assert_array_equal(metric.scores.values, [[[1, 0.5], [1, 0]]])


@pytest.mark.parametrize("kind", ["array", "frame", "list"])
def test_weights_masks_ids_and_columns_are_read(kind):
    rng, y_true, y_score, qid = draw(1)
    n_rows = len(qid)
    item = rng.integers(50, size=n_rows)
    views = dict(enumerate(rng.integers(1, 99, size=50).tolist()))
    by_row = {
        "sample_weight": np.unique(qid, return_inverse=True)[1] % 3 / 7,
        "returned": rng.random(n_rows) < 0.9,
        "doc_id": rng.permutation(n_rows),
        "popularity": rng.integers(1, 99, size=n_rows),
        "subtopics": sparse.csr_matrix(rng.random((n_rows, 4)) < 0.3),
    }
    how = {"ties": "first", "doc_order": "descending"}
    metrics = ["mrr", "map", "neg_popularity@3", "alpha_ndcg@5"]
    expected = evaluate(y_true, y_score, metrics, qid=qid, **by_row, **how)
    metric = RankingMetric(metrics, **how)
    read = {"array": np.asarray, "frame": pd.Series, "list": np.ndarray.tolist}[kind]
    for part in np.array_split(np.unique(qid), 5):
        rows = np.isin(qid, part)
        given = {name: values[rows] for name, values in by_row.items()}
        subtopics = given.pop("subtopics")
        given = {name: read(values) for name, values in given.items()}
        given["subtopics"] = subtopics if kind != "array" else subtopics.toarray()
        metric.update(read(y_true[rows]), read(y_score[rows]), read(qid[rows]), **given)
    assert metric.compute() == expected

    column = of_items(views, item)
    expected = evaluate(None, y_score, "neg_popularity@3", qid=qid, popularity=column)
    metric = RankingMetric("neg_popularity@3")
    for part in np.array_split(np.unique(qid), 5):
        rows = np.isin(qid, part)
        column = of_items(views, item[rows])
        metric.update(None, y_score[rows], qid[rows], popularity=column)
    assert metric.compute() == expected


def test_lists_of_labels_are_read():
    qid, labels = [1, 1, 2, 2], [["a"], ["b", "c"], [], ["a"]]
    y_true, y_score, name = [1, 1, 1, 1], [2, 1, 2, 1], "subtopic_recall@1"
    metric = RankingMetric(name)
    metric.update(y_true[:2], y_score[:2], qid[:2], subtopics=labels[:2])
    metric.update(y_true[2:], y_score[2:], qid[2:], subtopics=labels[2:])
    # The first documents have one of three subtopics, and none of one.
    assert metric.compute() == pytest.approx({name: (1 / 3 + 0) / 2})


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"qid": [1]}, ValueError, "inconsistent numbers of samples"),
        ({"qid": [1, None]}, ValueError, "'qid' parameter must hold a value"),
        ({"doc_id": ["a", None]}, ValueError, "'doc_id' parameter must hold"),
        ({"popularity": [1, 2]}, TypeError, "Got 'popularity'"),
        ({"judged": [True, True]}, ValueError, "same columns. Got 'judged'"),
        ({"y_score": np.ones((1, 1, 2))}, ValueError, "must have shape"),
    ],
)
def test_a_batch_that_cannot_be_read_is_refused(change, error, match):
    metric = RankingMetric("mrr")
    metric.update([1, 0], [2, 1], [0, 0])
    batch = {"y_true": [1, 0], "y_score": [2, 1], "qid": [1, 1]}
    with pytest.raises(error, match=match):
        metric.update(**(batch | change))
    assert metric.compute() == {"mrr": 1.0}  # as if nothing had happened
    metric.update(**(batch | {"y_score": [1.0, np.nan]}))
    with pytest.raises(ValueError, match="Input y_score contains NaN"):
        metric.compute()  # which is found when rows are scored


def test_metrics_that_cannot_be_merged_are_refused():
    metric = RankingMetric("mrr")
    with pytest.raises(TypeError, match="must be an instance of RankingMetric"):
        metric.merge({"mrr": 1.0})
    with pytest.raises(ValueError, match="must have the same metrics"):
        metric.merge(RankingMetric("map"))
    with pytest.raises(ValueError, match="ties='expected' and ties='first'"):
        metric.merge(RankingMetric("mrr", ties="first"))
    with pytest.raises(ValueError, match="the same 'queries'"):
        metric.merge(RankingMetric("mrr", queries="split"))


def test_parameters_are_checked_at_once():
    with pytest.raises(ValueError, match="'queries' parameter of RankingMetric"):
        RankingMetric("mrr", queries="all")
    with pytest.raises(ValueError, match="'average' parameter of RankingMetric"):
        RankingMetric("mrr", average=None)
    with pytest.raises(TypeError, match="RankingMetric got parameters that none"):
        RankingMetric("mrr", gain="linear")
    with pytest.raises(ValueError, match="Pass the ids as `doc_id`"):
        RankingMetric("mrr", convention="trec_eval").update([1], [1], [1])


def test_rows_of_matrices_are_numbered_on():
    metric = RankingMetric("mrr")
    metric.update([[1, 0], [0, 1]], [[2, 1], [2, 1]])
    metric.update([[1, 0]], [[2, 1]])
    assert metric.compute() == {"mrr": (1 + 1 / 2 + 1) / 3}
    with pytest.raises(ValueError, match=r"RankingMetric.update needs to know which"):
        metric.update([1, 0], [2, 1])
