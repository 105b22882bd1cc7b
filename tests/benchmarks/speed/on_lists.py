"""The rows of the table about L: 1.2 million rows of 10,000 queries."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
import sklearn.metrics

from skrank.metrics import (
    evaluate,
    hits_at_k_score,
    map_score,
    mrr_score,
    ndcg_score,
    score_queries,
)
from tests.benchmarks.speed import floors
from tests.benchmarks.speed.libraries import ways_of
from tests.benchmarks.speed.rows import (
    Group,
    Row,
    Task,
    beside_minimal,
    faster,
    same_number,
    task_on,
)
from tests.benchmarks.speed.workloads import as_matrix, make_ids, make_l

SIX = ["mrr", "map", "ndcg@10", "precision@5", "recall@10", "hits@3"]
FOUR = ["ndcg@10", "mrr", "map", "recall@100"]
ndcg_at_10 = partial(task_on, ndcg_score, k=10)


def build_grouped(scale):
    lists = make_l(scale)
    ndcg, mrr = ndcg_at_10(lists), task_on(mrr_score, lists)
    return {
        "ndcg@10": ndcg,
        "minimal, ndcg@10": same_number(ndcg, partial(floors.grouped, lists)),
        "mrr": mrr,
        "minimal, mrr": same_number(mrr, partial(floors.first_ranks, lists)),
        "hits@10": task_on(hits_at_k_score, lists, k=10),
        "map": task_on(map_score, lists),
        "six": task_on(evaluate, lists, metrics=SIX),
    }


def build_tied(scale):
    tasks, lists = {}, make_l(scale)
    tied, ndcg = lists.with_levels(20), partial(ndcg_score, k=10)
    for name, metric in {"ndcg@10": ndcg, "map": map_score, "mrr": mrr_score}.items():
        tasks[name] = task_on(metric, lists)
        tasks[f"{name}, tied"] = task_on(metric, tied)
    minimal = partial(floors.grouped, tied, floors.dcg_tied)
    return tasks | {"minimal": same_number(tasks["ndcg@10, tied"], minimal)}


def build_shuffled(scale):
    rng = np.random.default_rng(1)
    lists = make_l(scale)
    shuffled = lists.shuffled(rng)
    tasks = {"grouped": ndcg_at_10(lists), "int": ndcg_at_10(shuffled)}
    for kind, ids in make_ids(rng, lists.n_queries()).items():
        renamed = shuffled._replace(qid=ids[shuffled.qid])
        tasks[kind] = ndcg_at_10(renamed)
        if kind == "int64":
            minimal = same_number(tasks[kind], partial(floors.wide, renamed))
            tasks["minimal, int64"] = minimal
    tasks["mrr"] = task_on(mrr_score, shuffled)
    minimal = {"int": floors.shuffled, "mrr": floors.first_ranks_shuffled}
    return tasks | {
        f"minimal, {name}": same_number(tasks[name], partial(program, shuffled))
        for name, program in minimal.items()
    }


def build_rankers(scale):
    rng = np.random.default_rng(2)
    lists = make_l(scale).shuffled(rng)
    words = make_ids(rng, lists.n_queries())["6 letters"]
    lists = lists._replace(qid=words[lists.qid])
    runs = {name: lists.y_score + rng.normal(size=len(lists.qid)) for name in "abcde"}
    call = partial(score_queries, lists.y_true, runs, FOUR, qid=lists.qid)
    return {
        "one": task_on(score_queries, lists, metrics=FOUR),
        "five": Task(call, n_bytes=5 * lists.y_score.nbytes),
    }


def build_matrix(scale):
    grades, scores = as_matrix(make_l(scale))
    ours = Task(partial(ndcg_score, grades, scores, k=10), n_bytes=scores.nbytes)
    return {
        "ndcg@10": ours,
        "minimal": same_number(ours, partial(floors.matrix, grades, scores)),
    }


# So many calls, one after the other, have the memory and the caches that each leaves.
N_WARM = 30


def build_sklearn(scale, n_calls=1, ignore_ties=True):
    """Call skrank so many times, and scikit-learn, in turns.

    A call of scikit-learn gives memory back to the system, from which the next call of
    skrank gets it page by page.
    """
    grades, scores = as_matrix(make_l(scale))
    ours = partial(ndcg_score, grades, scores, k=10, gain="linear")
    theirs = partial(sklearn.metrics.ndcg_score, grades, scores, k=10)
    if not np.isclose(theirs(), ours()):
        raise AssertionError(f"scikit-learn computes {theirs()}")
    calls = Task(lambda: [ours() for _ in range(n_calls)], n_calls, scores.nbytes)
    return {"skrank": calls, "sklearn": Task(partial(theirs, ignore_ties=ignore_ties))}


def build_library(library, scale):
    lists = make_l(scale)
    share = 1 / lists.n_queries()
    tasks = {"skrank": task_on(ndcg_score, lists, k=10, gain="linear")}
    for name, way in ways_of(library, lists).items():
        tasks[name] = Task(way.function, way.n_queries * share)
    return tasks


# How many times skrank is to be faster.
LEADS = {
    "duckdb": {"DuckDB, arg_max": 2, "DuckDB, window functions": 10},
    "polars": {"polars, sort_by and head": 3},
    "sklearn": {"scikit-learn, a loop over queries": 20},
    "ranx": {"ranx, evaluation alone": 20, "ranx, with its objects": 60},
    "pytrec_eval": {
        "pytrec_eval, evaluation alone": 20,
        "pytrec_eval, with its dicts": 60,
    },
    "ir_measures": {"ir_measures, with dicts": 10},
    "torchmetrics": {"torchmetrics": 20},
}
SKLEARN = "scikit-learn's ndcg_score"
TITLE = "L, ndcg@10 with linear gain, beside"

GROUPS = [
    Group(
        "L: 1.2 M rows, 10,000 queries of 5-239, grouped",
        build_grouped,
        [
            beside_minimal("L: ndcg@10", "ndcg@10", "minimal, ndcg@10", 0.9),
            beside_minimal("L: mrr", "mrr", "minimal, mrr", 1),
            Row("L: hits@10", ("hits@10", "mrr"), "x mrr", 1.1),
            Row("L: map", ("map", "ndcg@10"), "x ndcg@10", 1.5),
            Row("L: six metrics by evaluate", ("six", "ndcg@10"), "x ndcg@10", 2),
        ],
    ),
    Group(
        "L with scores rounded to 20 levels",
        build_tied,
        [
            beside_minimal("L, 20 levels: ndcg@10", "ndcg@10, tied", at_most=1),
            *(
                Row(f"L, 20 levels: {name}", (f"{name}, tied", name), "x untied", most)
                for name, most in [("map", 2.4), ("mrr", 1.4)]
            ),
        ],
    ),
    Group(
        "L with rows shuffled, ndcg@10",
        build_shuffled,
        [
            beside_minimal("L, shuffled: ndcg@10", "int", "minimal, int", 1.3),
            beside_minimal("L, shuffled: mrr", "mrr", "minimal, mrr", 2.2),
            beside_minimal(
                "L, shuffled, wide int64 ids: ndcg@10", "int64", "minimal, int64", 1
            ),
            *(
                Row(f"L, shuffled: {ids}", (kind, "grouped"), "x grouped", *target)
                for kind, ids, *target in [
                    ("6 letters", "ids of 6 letters", 6),
                    ("Python's str", "ids of 6 letters as objects"),
                ]
            ),
        ],
    ),
    Group(
        "L, shuffled, ids of 6 letters",
        build_rankers,
        [Row("L, shuffled: five rankers", ("five", "one"), "x one ranker", 3.5)],
        runs=1 / 3,
    ),
    Group(
        "L as a matrix of 10,000 x 120",
        build_matrix,
        [beside_minimal("L as a matrix: ndcg@10", "ndcg@10", at_most=1.3)],
    ),
    Group(
        "The matrix, in turns with scikit-learn",
        build_sklearn,
        [faster(f"{SKLEARN}, ignore_ties=True", "sklearn", 6)],
    ),
    Group(
        f"The matrix, {N_WARM} calls for one of scikit-learn",
        partial(build_sklearn, n_calls=N_WARM),
        [faster(f"{SKLEARN}, ignore_ties=True, warm calls", "sklearn", 8)],
    ),
    Group(
        "The matrix, in turns with scikit-learn, ties averaged",
        partial(build_sklearn, ignore_ties=False),
        [faster(f"{SKLEARN}, ties averaged as in skrank", "sklearn")],
    ),
    *(
        Group(
            f"{TITLE} {library}",
            partial(build_library, library),
            [faster(name, name, lead) for name, lead in leads.items()],
            runs=1 / 3,
            needs=library,
        )
        for library, leads in LEADS.items()
    ),
]
