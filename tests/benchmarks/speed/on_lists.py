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
from tests.benchmarks.speed.libraries import LIBRARIES, ways_of
from tests.benchmarks.speed.rows import (
    Group,
    Row,
    Task,
    same_number,
    speedup,
    task_on,
)
from tests.benchmarks.speed.workloads import as_matrix, make_ids, make_l

SIX = ["mrr", "map", "ndcg@10", "precision@5", "recall@10", "hits@3"]


def build_grouped(scale):
    lists = make_l(scale)
    block = as_matrix(lists)[1]
    ours = task_on(ndcg_score, lists, k=10)
    return {
        "F": Task(partial(np.argsort, block, axis=1)),
        "ndcg@10": ours,
        "minimal": same_number(ours, partial(floors.grouped, lists)),
        "mrr": task_on(mrr_score, lists),
        "hits@10": task_on(hits_at_k_score, lists, k=10),
        "map": task_on(map_score, lists),
        "six": task_on(evaluate, lists, metrics=SIX),
    }


GROUPED = [
    Row("L: ndcg@10", ("ndcg@10", "F"), "x F", at_most=(2.2, 1.6), floor="minimal"),
    Row("L: mrr", ("mrr", "F"), "x F", at_most=(1.2, 0.7)),
    Row("L: hits@10", ("hits@10", "F"), "x F", at_most=(1.2, 0.7)),
    Row("L: map", ("map", "F"), "x F", at_most=(3,)),
    Row("L: six metrics by evaluate", ("six", "F"), "x F", at_most=(3.5, 2.4)),
]


def build_tied(scale):
    lists = make_l(scale)
    tied = lists.with_levels(20)
    metrics = {
        "ndcg@10": partial(ndcg_score, k=10),
        "map": map_score,
        "mrr": mrr_score,
    }
    tasks = {name: task_on(metric, lists) for name, metric in metrics.items()}
    tasks |= {
        f"{name}, tied": task_on(metric, tied) for name, metric in metrics.items()
    }
    minimal = partial(floors.grouped, tied, floors.dcg_tied)
    return tasks | {"minimal": same_number(tasks["ndcg@10, tied"], minimal)}


TIED = [
    Row(
        f"L, 20 levels: {name}",
        (f"{name}, tied", name),
        "x untied",
        at_most=(limit,),
        floor="minimal" if name == "ndcg@10" else "",
    )
    for name, limit in {"ndcg@10": 2.6, "map": 2.4, "mrr": 1.4}.items()
]


def build_shuffled(scale):
    rng = np.random.default_rng(1)
    lists = make_l(scale)
    shuffled = lists.shuffled(rng)
    tasks = {
        "grouped": task_on(ndcg_score, lists, k=10),
        "int": task_on(ndcg_score, shuffled, k=10),
    }
    for kind, ids in make_ids(rng, lists.n_queries()).items():
        renamed = shuffled._replace(qid=ids[shuffled.qid])
        tasks[kind] = task_on(ndcg_score, renamed, k=10)
        if kind == "int64":
            minimal = same_number(tasks[kind], partial(floors.wide, renamed))
            tasks["minimal, int64"] = minimal
    minimal = same_number(tasks["int"], partial(floors.shuffled, shuffled))
    return tasks | {"minimal, int": minimal}


SHUFFLED = [
    Row(
        f"L, shuffled: {ids}",
        (kind, "grouped"),
        "x grouped",
        at_most=limit,
        floor=floor,
    )
    for kind, ids, limit, floor in [
        ("int", "ids 0, 1, 2, ...", (2.1,), "minimal, int"),
        ("int64", "wide int64 ids", (3.6,), "minimal, int64"),
        ("6 letters", "ids of 6 letters", (6,), ""),
        ("Python's str", "ids of 6 letters as objects", (), ""),
    ]
]


FOUR = ["ndcg@10", "mrr", "map", "recall@100"]


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


RANKERS = [
    Row("L, shuffled: five rankers", ("five", "one"), "x one ranker", at_most=(3.5,))
]


def build_matrix(scale):
    grades, scores = as_matrix(make_l(scale))
    ours = Task(partial(ndcg_score, grades, scores, k=10), n_bytes=scores.nbytes)
    return {
        "F": Task(partial(np.argsort, scores, axis=1)),
        "ndcg@10": ours,
        "minimal": same_number(ours, partial(floors.matrix, grades, scores)),
    }


MATRIX = [
    Row(
        "L as a matrix: ndcg@10",
        ("ndcg@10", "F"),
        "x F",
        at_most=(1.5,),
        floor="minimal",
    )
]

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
    minimal = partial(floors.matrix, grades, scores, gain=floors.LINEAR)
    return {
        name: Task(lambda f=f: [f() for _ in range(n_calls)], n_calls, scores.nbytes)
        for name, f in {"ours": ours, "minimal": minimal}.items()
    } | {"sklearn": Task(partial(theirs, ignore_ties=ignore_ties))}


def group_of_sklearn(title, name, at_least=None, floor="", **options):
    """Return the group of the matrix in turns with scikit-learn, of a single row."""
    row = Row(
        f"scikit-learn's ndcg_score, {name}",
        ("ours", "sklearn"),
        "x faster",
        at_least=at_least,
        figure=speedup,
        floor=floor,
    )
    return Group(f"The matrix, {title}", partial(build_sklearn, **options), [row])


def build_library(library, scale):
    lists = make_l(scale)
    share = 1 / lists.n_queries()
    tasks = {"skrank": task_on(ndcg_score, lists, k=10, gain="linear")}
    for name, way in ways_of(library, lists).items():
        tasks[name] = Task(way.function, way.n_queries * share)
    return tasks


# How many times skrank is to be faster.
LEADS = {
    "sklearn": {"scikit-learn, a loop over queries": 20},
    "ranx": {"ranx, evaluation alone": 20, "ranx, with its objects": 60},
    "pytrec_eval": {
        "pytrec_eval, evaluation alone": 20,
        "pytrec_eval, with its dicts": 60,
    },
    "torchmetrics": {"torchmetrics": 20},
}


def group_of_library(library):
    rows = [
        Row(name, ("skrank", name), "x faster", at_least=lead, figure=speedup)
        for name, lead in LEADS[library].items()
    ]
    title = f"L, ndcg@10 with linear gain, beside {library}"
    build = partial(build_library, library)
    return Group(title, build, rows, runs=1 / 3, needs=library)


GROUPS = [
    Group("L: 1.2 M rows, 10,000 queries of 5-239, grouped", build_grouped, GROUPED),
    Group("L with scores rounded to 20 levels", build_tied, TIED),
    Group("L with rows shuffled, ndcg@10", build_shuffled, SHUFFLED),
    Group("L, shuffled, ids of 6 letters", build_rankers, RANKERS, runs=1 / 3),
    Group("L as a matrix of 10,000 x 120", build_matrix, MATRIX),
    group_of_sklearn("in turns with scikit-learn", "ignore_ties=True", at_least=6),
    group_of_sklearn(
        f"{N_WARM} calls for one of scikit-learn",
        "ignore_ties=True, warm calls",
        at_least=8,
        floor="minimal",
        n_calls=N_WARM,
    ),
    group_of_sklearn(
        "in turns with scikit-learn, ties averaged",
        "ties averaged as in skrank",
        ignore_ties=False,
    ),
    *map(group_of_library, LIBRARIES),
]
