"""Data frames of Dask, with the numbers of arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal

from skrank._engine.names import read_requests
from skrank._engine.request import METRICS
from skrank.metrics import add_scorer, evaluate, score_queries
from skrank.stats import confidence_interval
from skrank.tables import clusters, score_table, stream
from skrank.tables.clusters import score_batches
from skrank.tables.stream import ArrowCore, Columns
from tests.brute_force import ADJUSTABLE, LISTED, full_name
from tests.drawn_tables import draw_shuffled
from tests.tables.sources import SMALL

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

FEW = ["ndcg@3", "map", "neg_median_rank", "err", "rbp@4"]
CAST = "'qid' must hold numbers, text or dates. Got dictionary.* cast it"


@pytest.fixture(autouse=True)
def _threads():
    with dask.config.set(scheduler="threads"):
        yield


def on_dask(frame, n_parts=3):
    return dd.from_pandas(frame, npartitions=n_parts)


def arrays(frame, **names):
    names = {"qid": "qid", "y_true": "y_true", "y_score": "y_score"} | names
    return {key: frame[name].to_numpy() for key, name in names.items()}


PARAMS = {
    "default": {},
    "adjusted": {"adjusted": True},
    "weighted rows with masks": {
        **{"average": "weighted", "sample_weight": "weight", "ties": "pessimistic"},
        **{"judged": "judged", "returned": "returned"},
    },
    "convention": {"convention": "trec_eval", "doc_id": "doc"},
}


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["str", "object", "float32", "datetime64[ns]"])
def test_ids_keep_their_type_and_order(kind):
    frame = draw_shuffled()
    ids = [f"é{i}" for i in frame["qid"]] if kind in ("str", "object") else frame["qid"]
    frame["qid"] = pd.Series(ids, dtype=kind)
    scores = score_table(on_dask(frame), FEW)
    expected = score_queries(**arrays(frame), metrics=FEW)
    table = scores.frame.compute()
    assert table["qid"].dtype == scores.frame.dtypes["qid"]
    scores = scores.collect(on_dask(table, 1))
    assert scores.keys["qid"].tolist() == expected.keys["qid"].tolist()
    assert scores.summary() == expected.summary()


@pytest.mark.slow
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
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_scores_that_were_written_are_collected_later(tmp_path):
    frame = draw_shuffled()
    scores = score_table(on_dask(frame), FEW)
    scores.frame.to_parquet(tmp_path, write_index=False)
    again = scores.collect(dd.read_parquet(tmp_path))
    assert again.summary() == evaluate(**arrays(frame), metrics=FEW)


@pytest.mark.slow
def test_grades_and_scores_may_be_missing_where_they_are_not_read():
    frame = draw_shuffled()
    masks = {"judged": "judged", "returned": "returned"}
    expected = evaluate(**arrays(frame, **masks), metrics=FEW)
    frame["y_true"] = frame["y_true"].where(frame["judged"])
    frame["y_score"] = frame["y_score"].where(frame["returned"])
    scores = score_table(on_dask(frame), FEW, **masks)
    assert scores.collect().summary() == expected


@pytest.mark.slow
def test_partitions_without_rows_are_left_out():
    frame = draw_shuffled(n_queries=2)
    scores = score_table(on_dask(frame, n_parts=8), FEW)
    assert scores.collect().summary() == evaluate(**arrays(frame), metrics=FEW)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The (adjusted )?metric is undefined")
@pytest.mark.parametrize("name", PARAMS)
def test_all_metrics_are_those_of_arrays_to_the_last_bit(name):
    params, metrics, frame = PARAMS[name], LISTED, draw_shuffled(100)
    if name == "adjusted":
        metrics = [full_name(metric) for metric in ADJUSTABLE]
    if name == "weighted rows with masks":
        metrics = FEW
    if name == "convention":
        metrics = ["map", "ndcg@10", "mrr", "bpref"]
    found = score_table(on_dask(frame), metrics, **params).collect().summary()
    given = {key: frame[c].to_numpy() for key, c in params.items() if c in [*frame]}
    expected = evaluate(**arrays(frame), metrics=metrics, **(params | given))
    assert [*found] == [*expected]
    assert_array_equal([*found.values()], [*expected.values()])


@pytest.mark.slow
@pytest.mark.parametrize("instead", [0.0, np.nan])
def test_means_of_the_frame_are_those_of_the_summary(instead):
    frame, names = draw_shuffled(100), ["ndcg@3", "hits@1", "mrr", "map"]
    scores = score_table(on_dask(frame), names, by="day", replace_undefined_by=instead)
    collected = scores.collect()
    column = scores.frame["mrr"]
    means, by_day, mean, deviation, n = dask.compute(
        scores.frame[names].mean(),
        scores.frame.groupby("day")[names].mean(),
        *(column.mean(), column.std(), column.count()),
    )
    assert_allclose(means, [*collected.summary().values()], rtol=1e-12)
    for day, summary in collected.summary(by="day").items():
        assert_allclose(by_day.loc[day], [*summary.values()], rtol=1e-12)
    # Student's interval needs no more than these.
    found = confidence_interval(collected, method="t")["mrr"]
    radius = scipy.stats.t.ppf(0.975, n - 1) * deviation / np.sqrt(n)
    assert_allclose([found.low, found.high], [mean - radius, mean + radius], rtol=1e-9)


@pytest.mark.slow
def test_scores_without_weights_are_refused():
    weighted = on_dask(pd.DataFrame(SMALL).assign(weight=0.0), 1)
    with pytest.raises(ValueError, match="at least one non-zero"):
        score_table(weighted, "mrr", sample_weight="weight").collect().summary()


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        ({"qid": pd.Categorical([*"aab"])}, {}, CAST),
        ({"mrr": [1, 1, 1]}, {"by": "mrr"}, r"names of .* different.* \['mrr'\] twice"),
        ({}, {"memory_limit": "2GB"}, "'memory_limit' parameter .* Got '2GB'"),
        ({}, {"ties": "first"}, "of Spark or Dask has none. Pass the ids"),
        ({"y_true": [1, -1, 0]}, {"metrics": "spearman"}, "negative grades with"),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(changed, params, message):
    frame = on_dask(pd.DataFrame(SMALL | changed), 1)
    with pytest.raises(ValueError, match=message):
        score_table(frame, **{"metrics": "mrr"} | params)


@pytest.mark.slow
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


def test_lazy_scores_name_what_collect_returns():
    scores = score_table(on_dask(pd.DataFrame(SMALL), 1), "mrr")
    for name in ("summary", "to_frame", "values"):
        with pytest.raises(AttributeError, match=f"no '{name}': call collect"):
            getattr(scores, name)
    assert not hasattr(scores, "other")


def test_a_document_that_a_query_has_twice_is_refused_by_its_id():
    frame = pd.DataFrame(SMALL).assign(doc_id=["x", "x", "x"])
    twice = frame.assign(qid=[1, 2, 2])
    assert score_table(frame.assign(qid=[1, 2, 3]), "mrr", doc_id="doc_id").metrics
    for table in (twice, on_dask(twice, 1)):
        with pytest.raises(ValueError, match="Got document 'x' of query 2 more than"):
            score_table(table, "mrr", doc_id="doc_id").collect()
