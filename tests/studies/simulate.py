"""Coverage of the intervals, errors of the tests, and their power, by simulation.

Run ``python -m tests.studies simulate --values movielens.csv msweb.csv nations.csv``;
it takes a quarter of an hour. The files hold values of real rankers, which the project
may not ship; `populations.py` says how they look. Without them, only synthetic
populations are drawn from.

Single means are given to `confidence_interval`, one sample after the other. For
differences `run_tests` is called, which `compare_rankers` calls. A test checks that
this gives the numbers of `compare_rankers`.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np

from tests.studies import experiments as ex
from tests.studies import populations
from tests.studies.tables import FOLDER, Row, Table, rows_of

DOCS_TABLE = FOLDER / "coverage.rst"
SAMPLES = "samples of each size up to 200"
# The collection, the metric, the ranker and its baseline.
PAIRS = [
    ("msweb", "mrr@20", "itemknn", "pop"),
    ("movielens", "mrr@20", "puresvd", "pop"),
    ("movielens", "map@20", "puresvd", "pop"),
    ("movielens", "ndcg@10", "itemknn", "pop"),
    ("movielens", "ndcg@10", "puresvd", "itemknn"),
    ("movielens", "recall@10", "itemknn", "pop"),
    ("nations", "mrr", "rotate", "transe"),
]
HITS = ("msweb", "hits@1", "itemknn", "pop")
RANKERS = [
    ("movielens", ranker, metric)
    for metric in ("mrr@20", "ndcg@10", "map@20")
    for ranker in ("pop", "puresvd")
]
SYNTHETIC = {
    "reciprocal ranks, skewness 3": populations.reciprocal_ranks,
    "beta, skewness 0.7": populations.average_precisions,
    "hits, 5 % of them": populations.hits,
    "ranks, lognormal": populations.ranks,
}


def of_pairs(pairs, measure, bars):
    return [
        Row(
            "{} {}, {} and {}".format(*pair), partial(measure, pair=pair), bars, pair[0]
        )
        for pair in pairs
    ]


def undefined(name, bar, covers_all, **options):
    covers_all = partial(covers_all, **options)
    measure = partial(ex.coverage_of_undefined, covers_all=covers_all)
    return Row(name, measure, dict.fromkeys(ex.UNDEFINED, (bar, 100)))


def of_units(name, one, sizes=(20, 50, 200), measure=ex.coverage_of_units):
    measure = partial(measure, sizes=sizes, one=one)
    return Row(name, measure, {ex.HEEDED: (92, 100)})


def weighted_values(rng, n_queries):
    population = populations.weighted_values(np.random.default_rng(0))
    return ex.of_weights(rng, n_queries, population)


def of_family(name, measure, null, shift=0, bars=None):
    measure = partial(ex.rejections, measure=measure, null=null, shift=shift)
    return Row(f"{name}, {null}", measure, bars or {}, "movielens")


BY_N = [f"n = {n:,}" for n in (20, 50, 200, 1000)]
TABLES = {
    "differences": Table(
        "Coverage of the difference of two rankers by compare_rankers, in %",
        [*BY_N, "effective of 20", "p and interval disagree"],
        of_pairs(PAIRS, ex.coverage_of_differences, dict.fromkeys(BY_N, (93, 97))),
    ),
    "means": Table(
        "Coverage of the mean of one ranker by confidence_interval, in %",
        [*(f"n = {n}" for n in (10, 20, 50, 200)), "Student's t, n = 20"],
        [
            *(
                Row(
                    f"{collection} {metric}, {ranker}",
                    partial(
                        ex.coverage_of_means, population=(collection, ranker, metric)
                    ),
                    {"n = 20": (93, 100)},
                    collection,
                )
                for collection, ranker, metric in RANKERS
            ),
            *rows_of(ex.coverage_of_means, "population", SYNTHETIC),
        ],
    ),
    "undefined": Table(
        "Coverage where queries are undefined and count as 0, n = 20 / 50 / 200, in %",
        [*ex.UNDEFINED],
        [
            undefined(
                "mean, skewness 0.7",
                93.5,
                ex.means_with_undefined,
                population=populations.average_precisions,
            ),
            undefined(
                "mean of hits, 5 % of them",
                90,
                ex.means_with_undefined,
                population=populations.hits,
            ),
            undefined("difference of two rankers", 93.5, ex.differences_with_undefined),
        ],
    ),
    "units": Table(
        "Coverage where the units are not queries of equal weight, in %",
        [ex.HEEDED, ex.IGNORED],
        [
            of_units("20 / 50 / 200 users of 1 to 20 queries", ex.of_users),
            of_units("the same, up to 300 queries", ex.of_uneven_users),
            of_units("hits, 97 %, of users of 1 to 5", ex.hits_of_users),
            of_units("weights, Pareto 2.2", ex.of_pareto_weights),
            of_units(
                "1 to 20 queries, difference of two rankers",
                populations.queries_of_users,
                measure=ex.coverage_of_differences_of_users,
            ),
            of_units(
                "up to 300 queries, difference of two rankers",
                ex.difference_of_uneven_users,
            ),
            of_units("20 / 50 / 200 queries with weights", weighted_values),
        ],
    ),
    "errors": Table(
        "Rejections of equal means at 5 %, with n = 20 / 200 / 1,000, in %",
        ["permutation", "t"],
        of_pairs(
            [*PAIRS, HITS], ex.errors_of_tests, {"permutation": (0, 6), "t": (4, 6)}
        ),
    ),
    "families": Table(
        "Families of 16 comparisons, with n = 20 / 50 / 200, in %",
        ["none", "max-t"],
        [
            *(
                of_family(
                    "any rejection", ex.any_of_family, null, 0, {"max-t": (0, 5.5)}
                )
                for null in ("exchangeable", "equal means")
            ),
            of_family("power at 3 se", ex.percent, "exchangeable", 3),
        ],
    ),
}
