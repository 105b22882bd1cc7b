"""The rows of the table about other shapes, other sizes and scorers."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, KFold

from skrank._engine.request import METRICS
from skrank.metrics import evaluate, ild_score, mrr_score, ndcg_score, of_items
from skrank.model_selection import QueryKFold
from tests.benchmarks.speed import floors, workloads
from tests.benchmarks.speed.rows import (
    Group,
    Row,
    Task,
    beside_minimal,
    faster,
    growth,
    same_number,
    task_on,
)
from tests.benchmarks.speed.workloads import make_l, make_lists, scaled


def build_candidates(scale):
    rng = np.random.default_rng(2)
    y_true, y_score, known = workloads.make_candidates(rng, scaled(20_000, scale))
    metrics = ["mrr", "hits@1", "hits@3", "hits@10"]
    call = partial(evaluate, y_true, y_score, metrics, exclude=known)
    four = Task(call, n_bytes=y_score.nbytes)
    minimal = partial(floors.candidates, y_true, y_score, known)
    return {"four": four, "minimal": same_number(four, minimal)}


def build_users(scale):
    rng = np.random.default_rng(3)
    y_true, y_score = workloads.make_users(rng, scaled(100_000, scale))
    metrics = ["recall@20", "ndcg@20"]
    two = Task(partial(evaluate, y_true, y_score, metrics), n_bytes=y_score.nbytes)
    return {
        "two": two,
        "minimal": same_number(two, partial(floors.users, y_true, y_score)),
    }


def build_long(scale):
    rng = np.random.default_rng(4)
    n_rows = scaled(10_000_000, scale)
    lists = make_lists(rng, n_rows, 1, shortest=n_rows, longest=n_rows)
    rows = lists._replace(qid=None)
    # One row of a matrix.
    y_true, y_score = lists.y_true[np.newaxis], lists.y_score[np.newaxis]
    lists = rows._replace(y_true=y_true, y_score=y_score)
    ndcg = task_on(ndcg_score, lists)
    return {
        "ndcg": ndcg,
        "mrr": task_on(mrr_score, lists),
        "minimal": same_number(ndcg, partial(floors.one_query, rows)),
    }


def per_row(metric, lists, **params):
    return task_on(metric, lists, **params)._replace(work=len(lists.y_score))


def build_short(scale):
    rng = np.random.default_rng(5)
    n_queries = scaled(1_000_000, scale)
    n_rows = n_queries * 21 // 2
    short = make_lists(rng, n_rows, n_queries, shortest=1, longest=20)
    tasks = {"L": make_l(scale), "short": short}
    return {name: per_row(ndcg_score, lists, k=10) for name, lists in tasks.items()}


def build_fives(scale):
    n_queries = scaled(400_000, scale)
    rng, lengths = np.random.default_rng(18), {"shortest": 5, "longest": 5}
    lists = make_lists(rng, 5 * n_queries, n_queries, **lengths)
    tasks = {"ndcg@10": task_on(ndcg_score, lists, k=10)}
    tasks["mrr"] = task_on(mrr_score, lists)
    minimal = {"ndcg@10": floors.grouped, "mrr": floors.first_ranks}
    return tasks | {
        f"minimal, {name}": same_number(tasks[name], partial(program, lists))
        for name, program in minimal.items()
    }


def build_growth(scale):
    rng = np.random.default_rng(6)
    tasks = {}
    for exponent in (7, 6, 5):
        lists = make_lists(rng, scaled(10**exponent, scale))
        tasks[f"ndcg@10, 10^{exponent}"] = per_row(ndcg_score, lists, k=10)
        tasks[f"mrr, 10^{exponent}"] = per_row(mrr_score, lists)
    return tasks


def build_large(scale):
    lists = make_lists(np.random.default_rng(15), scaled(20_000_000, scale))
    every = [
        metric.full_name + ("@10" if metric.cutoff == "required" else "")
        for metric in METRICS.values()
        if not metric.columns
    ]
    four = ["ndcg@10", "mrr", "map", "recall@100"]
    return {
        "L": per_row(evaluate, make_l(scale), metrics=four),
        "four": per_row(evaluate, lists, metrics=four),
        "every": per_row(evaluate, lists, metrics=every),
    }


class FirstColumn(BaseEstimator):
    """An estimator whose scores cost nothing."""

    def __init__(self, unused=0):
        self.unused = unused

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


N_FOLDS, FOLD_ROWS = 5, 200


def make_folds():
    """Return lists in folds of 200 rows, and an estimator that scores them."""
    rng, lengths = np.random.default_rng(14), {"shortest": 1, "longest": 19}
    n_queries = N_FOLDS * FOLD_ROWS // 10
    lists = make_lists(rng, N_FOLDS * FOLD_ROWS, n_queries, **lengths)
    return lists, FirstColumn()


def build_fold(scale):
    """Score a fold by two scorers in turns.

    A search between them would be measured, too: it takes 60 ms, and leaves neither the
    code nor the data of a scorer in the caches of the processor.
    """
    lists, model = make_folds()
    fold = slice(FOLD_ROWS)
    y_true, y_score, qid = (values[fold] for values in lists)
    X = y_score[:, np.newaxis]
    ours = partial(get_scorer("ndcg@10"), model, X, y_true, qid=qid)
    return {
        "scorer": Task(ours, n_bytes=X.nbytes),
        "r2": Task(partial(get_scorer("r2"), model, X, y_true)),
    }


def build_search(scale):
    """Search by two metrics over folds of 200 rows, by which a scorer is called."""
    lists, model = make_folds()
    X = lists.y_score[:, np.newaxis]

    def search(scoring, routed, **params):
        with config_context(enable_metadata_routing=routed):
            params |= {"scoring": scoring, "refit": False}
            grid = {"unused": range(scaled(20, scale))}
            found = GridSearchCV(model, grid, **params)
            found.fit(X, lists.y_true, **({"qid": lists.qid} if routed else {}))

    ours = partial(search, "ndcg@10", True, cv=QueryKFold(N_FOLDS))
    return {
        "ndcg@10": Task(ours, n_bytes=X.nbytes),
        "r2": Task(partial(search, "r2", False, cv=KFold(N_FOLDS))),
    }


def build_features(scale):
    """Measure the diversity of lists of items by skrank and by RecTools."""
    import pandas as pd
    from rectools.metrics import IntraListDiversity
    from rectools.metrics.distances import PairwiseDistanceCalculator

    rng, n_lists = np.random.default_rng(17), scaled(1e4, scale)
    n_items, n_rows = 5000, 20
    features = rng.normal(size=(n_items, 128))
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)

    class Cosine(PairwiseDistanceCalculator):
        def _get_distances_for_item_pairs(self, items_0, items_1):
            return 1 - np.einsum("ij,ij->i", unit[items_0], unit[items_1])

    first = rng.integers(n_items, size=n_lists)
    item = ((first[:, np.newaxis] + 7 * np.arange(n_rows)) % n_items).ravel()
    user = np.repeat(np.arange(n_lists), n_rows)
    rank = np.tile(np.arange(1, n_rows + 1), n_lists)
    shown = pd.DataFrame({"user_id": user, "item_id": item, "rank": rank})
    options = {"qid": user, "features": of_items(features, item), "k": 10}
    tasks = {
        "skrank": partial(ild_score, None, -rank, **options),
        "RecTools": partial(IntraListDiversity(10, Cosine()).calc, shown),
    }
    np.testing.assert_allclose(tasks["skrank"](), tasks["RecTools"](), rtol=1e-12)
    return {name: Task(task) for name, task in tasks.items()}


def group(title, build, runs, unit, *cases, **options):
    """Return a group whose rows have a unit in common: names, tasks and targets."""
    rows = [
        Row(name, tasks, unit, *target, **options) for name, tasks, *target in cases
    ]
    return Group(title, build, rows, runs)


GROUPS = [
    group(
        "a fold of 200 rows, 20 queries",
        build_fold,
        30,
        "x the scorer of r2",
        ("scorer of ndcg@10 on 200 rows", ("scorer", "r2"), 1.2),
    ),
    group(
        "folds of 200 rows, 20 queries",
        build_search,
        3,
        "x r2",
        ("GridSearchCV on folds of 200 rows: ndcg@10", ("ndcg@10", "r2"), 1.7),
    ),
    Group(
        "one query of 10 million rows",
        build_long,
        [
            beside_minimal("one query of 10 M rows: ndcg", "ndcg", at_most=1.5),
            Row("one query: mrr", ("mrr", "ndcg"), "x its ndcg", 0.3),
        ],
        runs=1 / 3,
    ),
    Group(
        "400,000 queries of 5 rows",
        build_fives,
        [
            beside_minimal(f"400,000 queries of 5 rows: {name}", name, *others)
            for name, *others in [
                ("ndcg@10", "minimal, ndcg@10", 1.2),
                ("mrr", "minimal, mrr", 1.6),
            ]
        ],
        runs=1 / 3,
    ),
    group(
        "1 million queries of 1-20 rows",
        build_short,
        1 / 3,
        "x a row of L",
        ("short queries: ndcg@10", ("short", "L"), 3),
    ),
    group(
        "time per row from 10^5 to 10^7 rows",
        build_growth,
        1 / 3,
        "x slowest to fastest",
        *(
            (f"growth: {name}", tuple(f"{name}, 10^{i}" for i in (7, 6, 5)), 2)
            for name in ("ndcg@10", "mrr")
        ),
        figure=growth,
    ),
    Group(
        "20 M rows, grouped",
        build_large,
        [
            Row(
                "20 M rows: four metrics",
                ("four", "L"),
                "x a row of L",
                1.3,
                megabytes=0.3 * 8 * 20e6 / 2**20,
            ),
            Row("20 M rows: every metric", ("every", "four"), "x four metrics", 9),
        ],
        runs=1 / 5,
    ),
    Group(
        "K: candidates, 20,000 x 14,541 float32 in a memory map",
        build_candidates,
        [
            beside_minimal(
                "K: mrr and hits@1, 3, 10, filtered", "four", at_most=1
            )._replace(megabytes=64)
        ],
        runs=1 / 3,
    ),
    Group(
        "R: 100,000 users x 1,000 items, 1 % relevant, sparse y_true",
        build_users,
        [beside_minimal("R: recall@20 and ndcg@20", "two", at_most=2.5)],
        runs=1 / 5,
    ),
    Group(
        "10,000 lists of 20 items with 128 features",
        build_features,
        [
            faster(
                "RecTools: ild@10 of 10,000 lists of 20, 128 features", "RecTools", 10
            )
        ],
        runs=1 / 3,
        needs="rectools",
    ),
]
