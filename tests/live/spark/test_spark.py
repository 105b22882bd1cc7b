"""Data frames of Spark, with the numbers of arrays and of Spark's own metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import os
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyspark.ml.evaluation import Evaluator, RankingEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.regression import LinearRegression
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from skrank.datasets import make_ranking
from skrank.metrics import (
    add_scorer,
    evaluate,
    of_items,
    score_queries,
)
from skrank.model_selection import QueryKFold
from skrank.tables import ClusterScores, clusters, score_table
from skrank.tables.clusters import SparkTable
from tests import processes
from tests.brute_force import LISTED
from tests.drawn_tables import draw_shuffled
from tests.page_code import run_code

FEW = ["ndcg@3", "map", "neg_median_rank", "err"]

# Spark leaves sockets to the garbage collector, and warns of new versions of pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark():
    """Spark in two threads of this machine, with workers that are other processes."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
        .getOrCreate()
    )
    yield session
    session.stop()


def draw(n_queries=60, seed=0):
    """Return a data frame in which the name of a column has a dot."""
    return draw_shuffled(n_queries, seed).rename(columns={"other": "other.score"})


def on_spark(spark, frame):
    """Return a data frame of Spark with some partitions."""
    return spark.createDataFrame(frame).repartition(4)


def arrays(frame, **names):
    names = {"qid": "qid", "y_true": "y_true", "y_score": "y_score"} | names
    return {key: frame[name].to_numpy() for key, name in names.items()}


PARAMS = {
    "default": {},
    "weighted": {"average": "weighted", "sample_weight": "weight"},
    "masks": {"judged": "judged", "returned": "returned", "ties": "pessimistic"},
    "convention": {"convention": "trec_eval", "doc_id": "doc"},
}


@pytest.mark.parametrize("name", PARAMS)
def test_all_metrics_are_those_of_arrays_to_the_last_bit(name, spark):
    params, metrics, frame = PARAMS[name], LISTED, draw()
    if name == "convention":
        metrics = ["map", "ndcg@10", "mrr", "bpref"]
    scores = score_table(on_spark(spark, frame), metrics, **params)
    given = {key: frame[c].to_numpy() for key, c in params.items() if c in [*frame]}
    expected = score_queries(**arrays(frame), metrics=metrics, **(params | given))
    found = scores.collect()
    assert_array_equal(found.values, expected.values)
    assert_array_equal(
        list(found.summary().values()), list(expected.summary().values())
    )


def test_the_frame_is_lazy_and_has_a_row_per_query(spark):
    frame = draw()
    scores = score_table(on_spark(spark, frame), FEW)
    assert isinstance(scores, ClusterScores)
    assert isinstance(scores.frame, DataFrame)
    assert scores.frame.columns[: 1 + len(FEW)] == ["qid", *FEW]
    rows = scores.frame.select("qid", *FEW).orderBy("qid").collect()
    expected = score_queries(**arrays(frame), metrics=FEW)
    assert_array_equal(np.array(rows)[:, 1:].T, expected.values[0])
    defined = F.nanvl("map", F.lit(0.0))
    (mean,) = scores.frame.agg(F.avg(defined)).first()
    assert_allclose(mean, expected.summary()["map"])


@pytest.mark.parametrize("kind", ["text", "date", "timestamp", "double", "int"])
def test_ids_keep_their_type_and_order(kind, spark):
    frame = draw()
    table = on_spark(spark, frame)
    id_of = {
        "text": F.concat(F.lit("é"), F.hex("qid")),
        "date": F.date_add(F.lit("2020-01-01").cast("date"), F.col("qid").cast("int")),
        "timestamp": F.timestamp_seconds("qid"),
        "double": F.col("qid") / 4,
        "int": F.col("qid").cast("int"),
    }[kind]
    table = table.withColumn("qid", id_of)
    scores = score_table(table, FEW)
    assert scores.frame.schema["qid"].dataType == table.schema["qid"].dataType
    ids = scores.frame.select("qid").orderBy("qid").collect()
    assert ids == table.select("qid").distinct().orderBy("qid").collect()
    values = np.sort(scores.collect().values, axis=None)
    expected = score_queries(**arrays(frame), metrics=FEW).values
    assert_array_equal(values, np.sort(expected, axis=None))


def test_segments_and_several_rankers_are_scored_in_one_pass(spark, tmp_path):
    frame = draw()
    columns = {"bm25": "y_score", "dense": "other.score"}
    scores = score_table(on_spark(spark, frame), FEW, y_score=columns, by="day")
    names = [f"{ranker}/{metric}" for ranker in columns for metric in FEW]
    assert scores.frame.columns[: 2 + len(names)] == ["qid", "day", *names]
    runs = {name: frame[column].to_numpy() for name, column in columns.items()}
    expected = score_queries(
        **arrays(frame) | {"y_score": runs},
        metrics=FEW,
        by={"day": frame["day"].to_numpy()},
    )
    scores.frame.write.parquet(str(tmp_path / "scores"))
    found = scores.collect(spark.read.parquet(str(tmp_path / "scores")))
    assert found.summary() == expected.summary()
    assert found.summary(by="day") == expected.summary(by="day")


def test_means_of_the_frame_are_those_of_the_summary(spark):
    columns = {"bm25": "y_score", "dense": "other.score"}
    table = on_spark(spark, draw(200)).withColumn("a.word", F.hex("day"))
    scores = score_table(table, ["ndcg@3", "map"], y_score=columns, by="a.word")
    collected = scores.collect()
    (mean,) = scores.frame.agg(F.avg("`dense/ndcg@3`")).first()
    assert_allclose(mean, collected.summary()["dense"]["ndcg@3"], rtol=1e-12)
    rows = scores.frame.groupBy("`a.word`").agg(F.avg("`bm25/map`")).collect()
    by_word = {
        word: of_rankers["bm25"]["map"]
        for word, of_rankers in collected.summary(by="a.word").items()
    }
    assert dict(map(tuple, rows)) == pytest.approx(by_word, rel=1e-12)


def bytes_to_driver(spark, action):
    """Return how many bytes the results of the tasks of an action have."""
    context, jvm = spark.sparkContext._jsc.sc(), spark.sparkContext._jvm
    quantiles = spark.sparkContext._gateway.new_array(jvm.double, 0)

    def so_far():
        context.listenerBus().waitUntilEmpty()
        stages = context.statusStore().stageList(None, False, False, quantiles, None)
        return sum(stages.apply(i).resultSize() for i in range(stages.length()))

    before = so_far()
    action()
    return so_far() - before


def test_a_mean_of_20_million_rows_brings_less_than_1_MB_to_the_driver(spark):
    n_queries, n_documents, n_levels = 200_000, 100, 11
    query = F.floor(F.col("id") / n_documents)
    document = F.col("id") % n_documents
    table = spark.range(n_queries * n_documents).select(
        query.alias("qid"),
        (document == 7).cast("int").alias("y_true"),
        (document <= query % n_levels).cast("double").alias("y_score"),
    )
    scores, found = score_table(table, "mrr"), []
    mean = scores.frame.agg(F.avg("mrr"))
    moved = bytes_to_driver(spark, lambda: found.extend(mean.first()))
    assert moved < 1_000_000
    # Documents 0 to `level` are tied, and so are those below them.
    mrr = 0
    for level in range(n_levels):
        first, last = (1, level + 1) if level >= 7 else (level + 2, n_documents)
        ranks = range(first, last + 1)
        mrr += (
            sum(1 / rank for rank in ranks)
            / len(ranks)
            * len(range(level, n_queries, n_levels))
        )
    assert_allclose(found, mrr / n_queries, rtol=1e-12)


def fails(ranking):
    raise ZeroDivisionError("a metric of one's own")


def test_the_error_of_a_metric_is_that_of_the_worker(spark):
    scores = score_table(on_spark(spark, draw()), [fails])
    with pytest.raises(ZeroDivisionError, match=r"^a metric of one's own$"):
        scores.collect()


def test_many_queries_are_announced_before_they_are_collected(spark, monkeypatch):
    monkeypatch.setattr(clusters, "MANY_QUERIES", 1)
    table = spark.createDataFrame(
        [(7, 1, 2.0), (8, 1, 2.0)], ["qid", "y_true", "y_score"]
    )
    scores = score_table(table, "mrr")
    for frame in (None, scores.frame):
        with pytest.warns(UserWarning, match=r"About 2 queries come .* GB"):
            assert scores.collect(frame).summary() == {"mrr": 1.0}


def test_decimals_are_numbers_and_values_that_are_not_read_may_be_missing(spark):
    frame = draw()
    table = on_spark(spark, frame)
    table = table.select(
        "qid",
        "judged",
        "returned",
        F.when(F.col("judged"), F.col("y_true").cast("decimal(9, 2)")).alias("y_true"),
        F.when(F.col("returned"), F.col("y_score")).alias("y_score"),
    )
    found = score_table(table, FEW, judged="judged", returned="returned").collect()
    expected = evaluate(
        **arrays(frame, judged="judged", returned="returned"), metrics=FEW
    )
    assert found.summary() == expected


@pytest.mark.parametrize("kind", ["float", "double", "decimal(5,2)", "missing"])
def test_columns_are_read_by_the_workers(kind, spark):
    rng, frame = np.random.default_rng(0), draw()
    metrics = ["neg_popularity@2", "novelty@2", "ild@2", "ndcg@2"]
    columns = {
        "popularity": rng.integers(1, 9, len(frame)) / 8,
        "features": rng.integers(0, 4, (len(frame), 3)) / 2,
    }
    expected = score_queries(**arrays(frame), metrics=metrics, **columns)
    vectors = columns["features"].tolist()
    table = spark.createDataFrame(
        frame.assign(**{"the share": columns["popularity"], "vector": vectors})
    )
    names = {"popularity": "the share", "features": "vector"}
    if kind == "missing":  # of documents that are not in any list
        table = table.withColumn("returned", F.lit(True))
        lower = table.withColumns(
            {"y_score": F.col("y_score") - 1e6, "returned": F.lit(False)}
        ).withColumns({"the share": F.lit(None).cast("double"), "vector": F.lit(None)})
        table = table.unionByName(lower)
        expected = score_queries(
            **{name: np.tile(values, 2) for name, values in arrays(frame).items()},
            returned=np.repeat([True, False], len(frame)),
            metrics=metrics,
            **{name: np.concatenate([x, x]) for name, x in columns.items()},
        )
        names["returned"] = "returned"
    else:
        table = table.withColumn("vector", F.col("vector").cast(f"array<{kind}>"))
    scores = score_table(table.repartition(4), metrics, **names)
    values, of_arrays = scores.collect().values, expected.values
    assert_array_equal(np.delete(values, 2, 1), np.delete(of_arrays, 2, 1))
    assert_allclose(values, of_arrays, rtol=1e-12, atol=1e-15)


def test_columns_of_items_are_sent_to_the_workers(spark):
    rng, frame = np.random.default_rng(0), draw()
    item = rng.integers(0, 9, len(frame))
    vectors = dict(zip("abcdefghi", rng.random((9, 3)), strict=True))
    name = np.array(list("abcdefghi"), dtype=object)[item]
    table = on_spark(spark, frame.assign(item=name))
    scores = score_table(table, "ild@2", features=of_items(vectors, "item")).collect()
    expected = score_queries(
        **arrays(frame), metrics="ild@2", features=[vectors[id] for id in name]
    )
    assert_allclose(scores.values, expected.values, rtol=1e-12, atol=1e-15)


def test_a_metric_of_ones_own_reaches_the_workers(spark):
    own = ["half", lambda ranking: ranking.n_relevant]
    add_scorer("half", lambda ranking: ranking.where_relevant(ranking.n_relevant / 2))
    frame = draw()
    found = score_table(on_spark(spark, frame), own).collect()
    assert found.summary() == evaluate(**arrays(frame), metrics=own)


def test_bad_input_is_refused(spark):
    frame = draw()
    table = on_spark(spark, frame).withColumn("list", F.array("doc"))
    for params, message in [
        ({"y_score": "y_scores"}, "Did you mean 'y_score'"),
        ({"y_true": "doc"}, "'doc' must hold numbers. Got string"),
        ({"doc_id": "list"}, "'list' must hold numbers, text or dates"),
        ({"judged": "y_true"}, "'y_true' must hold booleans"),
        ({"memory_limit": "2GB"}, "'memory_limit' parameter"),
    ]:
        with pytest.raises(ValueError, match=message):
            score_table(table, "mrr", **params)
    decimals = table.withColumn("qid", F.col("qid").cast("decimal(9, 2)"))
    with pytest.raises(ValueError, match="'qid' must hold numbers, text or dates"):
        score_table(decimals, "mrr")
    with pytest.raises(ValueError, match="has no rows"):
        score_table(table.where("qid < 0"), "mrr").collect()
    missing = table.withColumn("y_true", F.when(F.col("qid") > 3, F.col("y_true")))
    with pytest.raises(ValueError, match=r"^The column 'y_true' has .* missing"):
        score_table(missing, "mrr").collect()
    missing = table.withColumn("y_score", F.lit(float("nan")))
    with pytest.raises(ValueError, match=r"^The column 'y_score' has .*`returned`\.$"):
        score_table(missing, "mrr").collect()
    binary = table.withColumn("qid", F.lit(b"a"))
    with pytest.raises(ValueError, match=r"'qid' must hold .* Got binary: cast it"):
        score_table(binary, "mrr")
    twins = table.select("*", F.col("qid").alias("Qid"))
    with pytest.raises(ValueError, match="Spark does not distinguish names of columns"):
        score_table(twins, "mrr")
    for other in (table.groupBy("qid"), table.rdd):
        got = f"a data frame of Spark .* Got {type(other).__name__} instead"
        with pytest.raises(TypeError, match=got):
            score_table(other, "mrr")
    twice = table.withColumn("doc", F.lit("d"))
    with pytest.raises(ValueError, match="A document must occur once for each query"):
        score_table(twice, "mrr", doc_id="doc").collect()


def test_a_stopped_session_is_named():
    class Stopped(SparkTable):
        def __init__(self):
            pass

        @property
        def frame(self):
            raise AssertionError  # as Spark's functions do without a session

    with pytest.raises(RuntimeError, match=r"The Spark session .* was stopped: start"):
        Stopped()._select(["qid"])


def test_the_metrics_of_spark_are_those_of_grades_flattened_to_0_and_1(spark):
    rng = np.random.default_rng(0)
    n_queries, n_documents = 40, 15
    frame = pd.DataFrame(
        {
            "qid": np.repeat(range(n_queries), n_documents),
            "item": np.tile(np.arange(float(n_documents)), n_queries),
            "y_true": rng.integers(0, 4, n_queries * n_documents),
            "y_score": rng.random(n_queries * n_documents),  # no ties
        }
    )
    table = on_spark(spark, frame)
    ranked = table.groupBy("qid").agg(
        F.transform(
            F.sort_array(F.collect_list(F.struct("y_score", "item")), asc=False),
            lambda pair: pair["item"],
        ).alias("prediction"),
        F.collect_list(F.when(F.col("y_true") > 0, F.col("item"))).alias("label"),
    )
    names = {
        "meanAveragePrecision": "map",
        "precisionAtK": "precision@10",
        "recallAtK": "recall@10",
        "ndcgAtK": "ndcg@10",
    }
    spark_says = [
        RankingEvaluator(metricName=name, k=10).evaluate(ranked) for name in names
    ]
    binary = table.withColumn("y_true", (F.col("y_true") > 0).cast("int"))
    found = score_table(binary, [*names.values()]).collect().summary()
    assert_allclose([*found.values()], spark_says, rtol=1e-12)
    graded = score_table(table, "ndcg@10").collect().summary()["ndcg@10"]
    assert graded < spark_says[-1] - 0.01


class WithoutPyArrow:
    """A data frame whose workers run another Python."""

    def select(self, *names):
        return self

    def toArrow(self):
        raise RuntimeError("ModuleNotFoundError: No module named 'pyarrow'")


def test_a_package_that_workers_lack_is_named_with_the_cure():
    with pytest.raises(ImportError, match=r"no pyarrow.* PYSPARK_PYTHON .*\[spark\]"):
        SparkTable.collect(None, WithoutPyArrow(), ["qid"])


# Here the workers run in an environment without skrank.
SHIPPED = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from skrank.tables import score_table, ship_to_spark

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
os.environ["PYTHONPATH"] = sys.argv[1]  # of the workers
spark = spark.getOrCreate()
table = spark.createDataFrame([(7, 1, 2.0), (7, 0, 1.0)], ["qid", "y_true", "y_score"])
for action in (lambda scores: scores.frame.count(), lambda scores: scores.collect()):
    try:
        action(score_table(table, "mrr"))
    except Exception as error:
        print("FAILED", type(error).__name__, "PYSPARK_PYTHON" in str(error))
        cures = ".[spark]", "ship_to_spark(spark)"
        print("FAILED", *(cure in str(error) for cure in cures))
for _ in range(2):
    ship_to_spark(spark)
    print(score_table(table, "mrr").collect().summary())
"""
WITHOUT_SKRANK = """
import sys
from pathlib import Path

sys.path[:] = [p for p in sys.path if not (Path(p) / "skrank" / "tables").is_dir()]
"""


def test_skrank_is_sent_to_workers_that_lack_it(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_SKRANK)
    (tmp_path / "script.py").write_text(SHIPPED)
    done = processes.run(
        [sys.executable, "-W", "ignore", tmp_path / "script.py", tmp_path],
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines() == [
        "FAILED PythonException True",
        "FAILED True True",
        "FAILED ImportError True",
        "FAILED True True",
        "{'mrr': 1.0}",
        "{'mrr': 1.0}",
    ]


def test_an_evaluator_of_spark_ml_searches_by_a_ranking_metric(spark):
    X, y, qid = make_ranking(30, n_features=3, n_informative=2, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=qid, label=y / 1.0)
    for fold, (_, rows) in enumerate(QueryKFold(3).split(X, qid=qid)):
        frame.loc[rows, "fold"] = fold
    table = spark.createDataFrame(frame.astype({"fold": int}))
    gather = VectorAssembler(inputCols=["a", "b", "c"], outputCol="features")
    model = LinearRegression(regParam=0.1)
    grid = ParamGridBuilder().addGrid(model.elasticNetParam, [0.0]).build()
    names = run_code(
        "around_the_ranker.rst", "Spark ML",
        Evaluator=Evaluator, score_table=score_table, model=model,
        CrossValidator=CrossValidator, grid=grid,
    )  # fmt: skip
    table = gather.transform(table)
    search = names["search"].fit(table)
    values = []
    for fold in range(3):
        trained = model.fit(table.where(F.col("fold") != fold))
        part = trained.transform(table.where(F.col("fold") == fold))
        rows = part.select("label", "prediction", "qid").collect()
        y_true, y_score, qid = np.array(rows).T
        values.append(evaluate(y_true, y_score, "ndcg@10", qid=qid)["ndcg@10"])
    assert_allclose(search.avgMetrics, [np.mean(values)], rtol=1e-12)
    assert names["NDCG"]().isLargerBetter()
