"""Data frames of Dask, with the numbers of arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal

from skrank.metrics import add_scorer, evaluate, score_queries
from skrank.metrics.evaluation import read_requests
from skrank.metrics.metric import METRICS
from skrank.stats import confidence_interval
from skrank.tables import clusters, score_table, stream
from skrank.tables.core import ArrowCore, Columns
from skrank.tables.spark import score_batches
from tests.brute_force import ADJUSTABLE, LISTED, full_name
from tests.drawn_tables import assert_same_intervals, draw_shuffled
from tests.tables.sources import SMALL

pytestmark = pytest.mark.slow


dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

FEW = ["ndcg@3", "map", "z_mrr", "neg_median_rank", "neg_rank_variance", "err", "rbp@4"]


@pytest.fixture(autouse=True)
def _threads():
    with dask.config.set(scheduler="threads"):
        yield


def on_dask(frame, n_parts=5):
    return dd.from_pandas(frame, npartitions=n_parts)


def arrays(frame, **names):
    names = {"qid": "qid", "y_true": "y_true", "y_score": "y_score"} | names
    return {key: frame[name].to_numpy() for key, name in names.items()}


PARAMS = {
    "default": {},
    "adjusted": {"adjusted": True},
    "weighted": {"average": "weighted", "sample_weight": "weight"},
    "masks": {"judged": "judged", "returned": "returned", "ties": "pessimistic"},
    "convention": {"convention": "trec_eval", "doc_id": "doc"},
}


def test_the_frame_is_lazy_and_has_a_row_per_query():
    frame = draw_shuffled()
    scores = score_table(on_dask(frame), FEW)
    assert isinstance(scores.frame, dd.DataFrame)
    table = scores.frame.compute().sort_values("qid")
    expected = score_queries(**arrays(frame), metrics=FEW)
    assert table.columns[: 1 + len(FEW)].tolist() == ["qid", *FEW]
    assert all(name.startswith("_") for name in table.columns[1 + len(FEW) :])
    assert_array_equal(table["qid"], expected.keys["qid"])
    assert_array_equal(table[FEW].to_numpy().T, expected.values[0])
    assert table.dtypes.to_dict() == scores.frame.dtypes.to_dict()


@pytest.mark.parametrize("kind", ["str", "object", "float32", "datetime64[ns]"])
def test_ids_keep_their_type_and_order(kind):
    frame = draw_shuffled()
    ids = [f"é{i}" for i in frame["qid"]] if kind in ("str", "object") else frame["qid"]
    frame["qid"] = pd.Series(ids, dtype=kind)
    scores = score_table(on_dask(frame), FEW)
    expected = score_queries(**arrays(frame), metrics=FEW)
    assert scores.frame.compute()["qid"].dtype == scores.frame.dtypes["qid"]
    scores = scores.collect()
    assert scores.keys["qid"].tolist() == expected.keys["qid"].tolist()
    assert scores.summary() == expected.summary()


def test_segments_and_several_rankers_are_scored_in_one_pass():
    frame = draw_shuffled()
    columns = {"bm25": "y_score", "dense": "other"}
    scores = score_table(on_dask(frame), FEW, y_score=columns, by="day")
    names = [f"{ranker}/{metric}" for ranker in columns for metric in FEW]
    assert scores.frame.columns[: 2 + len(names)].tolist() == ["qid", "day", *names]
    runs = {name: frame[column].to_numpy() for name, column in columns.items()}
    expected = score_queries(
        **arrays(frame) | {"y_score": runs},
        metrics=FEW,
        by={"day": frame["day"].to_numpy()},
    )
    scores = scores.collect()
    assert scores.summary() == expected.summary()
    assert scores.summary(by="day") == expected.summary(by="day")


# Dask reads files in a way that pandas 3.1 deprecates.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_scores_that_were_written_are_collected_later(tmp_path):
    frame = draw_shuffled()
    scores = score_table(on_dask(frame), FEW)
    scores.frame.to_parquet(tmp_path, write_index=False)
    again = scores.collect(dd.read_parquet(tmp_path))
    assert again.summary() == evaluate(**arrays(frame), metrics=FEW)


def test_grades_and_scores_may_be_missing_where_they_are_not_read():
    frame = draw_shuffled()
    expected = evaluate(
        **arrays(frame, judged="judged", returned="returned"), metrics=FEW
    )
    frame["y_true"] = frame["y_true"].where(frame["judged"])
    frame["y_score"] = frame["y_score"].where(frame["returned"])
    scores = score_table(on_dask(frame), FEW, judged="judged", returned="returned")
    assert scores.collect().summary() == expected


def test_partitions_without_rows_are_left_out():
    frame = draw_shuffled(n_queries=2)
    scores = score_table(on_dask(frame, n_parts=8), FEW)
    assert scores.collect().summary() == evaluate(**arrays(frame), metrics=FEW)
    assert scores.summary().keys() == scores.collect().summary().keys()


# What is computed of all ranks, and not of sums or of the order of the ranks.
OF_ALL_RANKS = {
    name
    for name in LISTED
    if "variance" in name
    or "standard_deviation" in name
    or name.startswith("z_")
    or ("adjusted" in name and "geometric" in name)
}


@pytest.mark.filterwarnings("ignore:The (adjusted )?metric is undefined")
@pytest.mark.parametrize("name", PARAMS)
def test_all_metrics_are_those_of_arrays_to_the_last_bit_and_workers_compute_them(name):
    params, metrics, frame = PARAMS[name], LISTED, draw_shuffled(400)
    if name == "adjusted":
        metrics = [full_name(metric) for metric in ADJUSTABLE]
    if name == "convention":
        metrics = ["map", "ndcg@10", "mrr", "bpref"]
    scores = score_table(on_dask(frame), metrics, **params)
    collected, found = scores.collect().summary(), scores.summary()
    given = {key: frame[c].to_numpy() for key, c in params.items() if c in [*frame]}
    expected = evaluate(**arrays(frame), metrics=metrics, **(params | given))
    assert [*found] == [*collected] == [*expected]
    assert_array_equal([*collected.values()], [*expected.values()])
    for metric, value in found.items():
        is_product = name == "adjusted" and "geometric" in metric
        if metric in OF_ALL_RANKS or is_product:
            np.testing.assert_allclose(value, expected[metric], rtol=1e-9)
        else:
            np.testing.assert_equal(value, expected[metric], err_msg=metric)


def test_workers_compute_the_summaries_of_segments_and_rankers():
    frame = draw_shuffled(200)
    frame["word"] = frame["day"].astype(str)
    columns = {"a": "y_score", "b": "other"}
    metrics = ["ndcg@3", "neg_median_rank", "adjusted_mrr", "gm_map"]
    scores = score_table(
        on_dask(frame), metrics, y_score=columns, by=["day", "word"],
        sample_weight="weight",
    )  # fmt: skip
    collected = scores.collect()
    for by in (None, "day", ["word", "day"]):
        assert scores.summary(by) == collected.summary(by)
    written = scores.frame.compute()
    assert scores.summary(frame=on_dask(written)) == collected.summary()
    with pytest.raises(ValueError, match=r"'by' parameter .* Got 'week'"):
        scores.summary("week")


def test_a_summary_without_rows_or_weights_is_refused():
    frame = pd.DataFrame(SMALL)
    with pytest.raises(ValueError, match="has no rows"):
        score_table(on_dask(frame[:0], 1), "mrr").summary()
    weighted = on_dask(frame.assign(weight=0.0), 1)
    with pytest.raises(ValueError, match="at least one non-zero"):
        score_table(weighted, "mrr", sample_weight="weight").summary()


@pytest.mark.filterwarnings("ignore:The interval may be too narrow")
@pytest.mark.parametrize(
    ("method", "instead"),
    [("auto", 0.0), ("t", np.nan), ("hall", np.nan), ("anytime", 0.0)],
)
def test_workers_compute_intervals(method, instead, monkeypatch):
    metrics = ["ndcg@3", "hits@1", "mrr", "gm_map", "neg_mean_rank"]
    if np.isnan(instead):
        metrics += ["neg_harmonic_mean_rank", "neg_geometric_mean_rank"]
    else:
        metrics = metrics[:-1]
    scores = score_table(
        on_dask(draw_shuffled(400)), metrics, y_score={"a": "y_score", "b": "other"},
        replace_undefined_by=instead,
    )  # fmt: skip
    collected = scores.collect()
    expected = confidence_interval(collected, method=method)
    monkeypatch.delattr(clusters.ClusterScores, "collect")
    found = confidence_interval(scores, method=method)
    assert found["b"]["mrr"].estimate == scores.summary()["b"]["mrr"]
    assert_same_intervals(found, expected)


@pytest.mark.filterwarnings("ignore:The interval may be too narrow")
@pytest.mark.parametrize("by", ["day", ["word", "day"]])
def test_workers_compute_intervals_of_segments(by, monkeypatch):
    frame = draw_shuffled(400)
    frame["word"] = np.where(frame["qid"] % 3, "b", "é")
    frame["day"] = pd.Timestamp("2024-05-17") + pd.to_timedelta(frame["qid"] % 2, "D")
    scores = score_table(
        on_dask(frame), ["ndcg@3", "hits@1"], y_score={"a": "y_score", "b": "other"},
        by=by,
    )  # fmt: skip
    collected = scores.collect()
    expected = confidence_interval(collected, by=by)
    monkeypatch.delattr(clusters.ClusterScores, "collect")
    found = confidence_interval(scores, by=by)
    assert_same_intervals(found, expected)


def test_an_interval_of_a_cluster_is_that_of_scipy():
    frame, metrics = draw_shuffled(400), ["ndcg@3", "hits@1"]
    params = {"ties": "pessimistic", "replace_undefined_by": np.nan}
    scores = score_table(on_dask(frame), metrics, **params)
    ndcg, hits = score_queries(metrics=metrics, **arrays(frame), **params).values[0]
    ndcg, hits = ndcg[~np.isnan(ndcg)], hits[~np.isnan(hits)]
    found = confidence_interval(scores, method="t", confidence_level=0.9)["ndcg@3"]
    expected = scipy.stats.t.interval(
        0.9, len(ndcg) - 1, ndcg.mean(), scipy.stats.sem(ndcg)
    )
    assert_allclose([found.low, found.high], expected, rtol=0, atol=1e-9)
    found = confidence_interval(scores)["hits@1"]
    expected = scipy.stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(
        method="wilson"
    )
    assert found.method == "wilson"
    assert_allclose([found.low, found.high], expected, rtol=0, atol=1e-9)


def test_intervals_of_few_queries_on_a_cluster_warn_as_others_do():
    frame = pd.DataFrame({"qid": [1, 1], "y_true": [0, 1], "y_score": [2.0, 1.0]})
    scores = score_table(on_dask(frame, 1), "mrr")
    with pytest.warns(UserWarning, match="no end but the limits .* Got 1 of them"):
        row = confidence_interval(scores, method="hall")["mrr"]
    assert (row.low, row.estimate, row.high, row.n_queries) == (0, 0.5, 1, 1)
    flat = on_dask(frame.assign(y_true=0), 1)
    flat = score_table(flat, "mrr", replace_undefined_by=np.nan)
    with pytest.warns(UserWarning, match="undefined for every query"):
        row = confidence_interval(flat)["mrr"]
    assert np.isnan(row.low)
    assert (row.n_queries, row.n_undefined) == (0, 1)
    with pytest.raises(ValueError, match="must not be 'wilson'"):
        confidence_interval(scores, method="wilson")
    ranks = score_table(on_dask(frame, 1), "neg_mean_rank")
    with pytest.raises(ValueError, match="a metric whose limits are known"):
        confidence_interval(ranks, method="bounded")


@pytest.mark.parametrize(
    ("params", "asked", "reason"),
    [
        ({"by": ["day", "doc"]}, {"by": "day"}, r"the key columns \['doc'\]"),
        ({}, {"clusters": "qid"}, "clusters"),
        ({}, {"method": "bootstrap"}, "method='bootstrap'"),
        ({"by": "day"}, {}, r"the key columns \['day'\]"),
        ({"sample_weight": "weight"}, {}, "weights of queries"),
        ({"average": "weighted"}, {}, r"\['mrr'\], which are"),
        ({"metrics": "adjusted_mrr"}, {}, r"\['adjusted_mrr'\], which are"),
        ({"metrics": "neg_median_rank"}, {}, r"\['neg_median_rank'\], which are"),
    ],
)
def test_intervals_that_need_all_queries_are_refused(params, asked, reason):
    params = {"metrics": "mrr"} | params
    scores = score_table(on_dask(draw_shuffled(20)), **params)
    with pytest.raises(ValueError, match=rf"Got {reason}.*scores\.collect\(\)"):
        confidence_interval(scores, **asked)


def test_many_queries_are_announced_before_they_are_collected(monkeypatch):
    monkeypatch.setattr(clusters, "MANY_QUERIES", 1)
    scores = score_table(on_dask(pd.DataFrame(SMALL), 1), "mrr")
    for frame in (None, scores.frame):
        with pytest.warns(UserWarning, match=r"About 2 queries come .* GB"):
            assert scores.collect(frame).summary() == {"mrr": 1.0}


def core_of(metrics, **params):
    requests = read_requests(metrics, params, "score_table")
    return ArrowCore(requests, Columns("qid", "y_true", {None: "y_score"}))


def some_relevant(ranking):
    return ranking.where_relevant(ranking.n_relevant / 2)


def test_a_metric_of_ones_own_goes_with_the_core():
    add_scorer("half", some_relevant)
    core = core_of("half")
    sent = pickle.dumps(core)
    metric = METRICS.pop("half")  # as in a process that has not added it
    core = pickle.loads(sent)
    table = pa.table({"qid": [1, 1], "y_true": [1, 0], "y_score": [2, 1]})
    assert core.finish([core(table)]).summary() == {"half": 1 / 2}
    METRICS["half"] = metric
    frame = draw_shuffled()
    own = ["half", lambda ranking: ranking.n_relevant]
    scores = score_table(on_dask(frame), own).collect()
    assert scores.summary() == evaluate(**arrays(frame), metrics=own)


@pytest.mark.parametrize("n_rows", [100, 10**6])
def test_a_sorted_partition_is_scored_by_whole_queries(n_rows, monkeypatch):
    monkeypatch.setattr(stream, "BATCH", n_rows)
    frame = draw_shuffled()
    core = core_of(FEW, max_grade=4)
    table = pa.Table.from_pandas(frame.sort_values("qid"))
    batches = table.select(core.columns.named()).to_batches(max_chunksize=37)
    scored = list(score_batches(pickle.dumps(core), batches))
    assert (len(scored) > 1) == (n_rows == 100)
    scores = core.finish([pa.Table.from_batches(scored)])
    assert scores.summary() == evaluate(**arrays(frame), metrics=FEW)


def test_ids_that_are_missing_in_a_sorted_partition_are_counted(monkeypatch):
    monkeypatch.setattr(stream, "BATCH", 2)
    core = core_of("mrr")
    table = pa.table(SMALL | {"qid": [None, 1, 2]})
    with pytest.raises(ValueError, match=r"'qid' has 1 missing values .* among 3 rows"):
        list(score_batches(pickle.dumps(core), table.to_batches()))


@pytest.mark.parametrize(
    ("changed", "params", "message"),
    [
        ({}, {"y_score": "y_scores"}, r"no column 'y_scores'\. Did you mean 'y_score'"),
        ({}, {"judged": "y_true"}, "'y_true' must hold booleans. Got int64"),
        ({"y_true": ["a", "b", "c"]}, {}, "'y_true' must hold numbers. Got .*string"),
        (
            {"qid": pd.Categorical(["a", "a", "b"])},
            {},
            "'qid' must hold numbers, text or dates. Got dictionary.* cast it",
        ),
        (
            {"mrr": [1, 1, 1]},
            {"by": "mrr"},
            r"names of .* must all be different.* Got \['mrr'\] twice",
        ),
        ({}, {"memory_limit": "2GB"}, "'memory_limit' parameter .* Got '2GB'"),
        ({}, {"progress": True}, "'progress' parameter .* goes with files and tables"),
        ({}, {"ties": "first"}, "of Spark or Dask has none. Pass the ids"),
        ({"y_true": [1, -1, 0]}, {"metrics": "spearman"}, "negative grades with"),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(changed, params, message):
    frame = on_dask(pd.DataFrame(SMALL | changed), 1)
    with pytest.raises(ValueError, match=message):
        score_table(frame, **{"metrics": "mrr"} | params)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"qid": [1, None, 2]}, "'qid' has 1 missing values .* among 3 rows"),
        ({"y_true": [1, None, None]}, "'y_true' has 2 missing .*`judged`"),
        ({"y_score": [1, np.nan, 2]}, "'y_score' has 1 missing .*`returned`"),
        ({name: values[:0] for name, values in SMALL.items()}, "has no rows"),
    ],
)
def test_missing_values_and_rows_are_refused_when_it_is_computed(changed, message):
    frame = pd.DataFrame(SMALL | changed).astype({"y_true": float})
    scores = score_table(on_dask(frame, 1), "mrr")
    with pytest.raises(ValueError, match=message):
        scores.collect()


def test_a_series_is_no_table():
    with pytest.raises(TypeError, match=r"must be a path.* Got Series instead"):
        score_table(on_dask(draw_shuffled())["qid"], "mrr")
