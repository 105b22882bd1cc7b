"""CPU time of a training round with a metric of skrank, and with the library's own.

Run ``python -m tests.benchmarks.bench_early_stopping``; it needs the extra `rankers`
and takes some minutes. Each library learns from 20,000 rows, so that a round is short,
and evaluates 100,000 held-out rows after each round: by its own metric, and by metrics
of skrank in the way of QueryRanker. A round is the difference between a long and a
short training, divided by the rounds between them, so that reading the data does not
count. All use one thread, since threads that wait for each other take CPU time as well.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import statistics
import time
from functools import partial

import numpy as np
from lightgbm import LGBMRanker
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from skrank.metrics import get_scorer
from skrank.rankers.libraries import EarlyStopping
from skrank.rankers.meta_ranker import FitRows
from skrank.rankers.query_ranker import fit_estimator

METRICS = ["ndcg@10", "mrr", "map", "rbp", "neg_mean_rank"]
N_DOCUMENTS = 20


def make_rows(n_rows, rng):
    """Return rows of queries of 20 documents with grades 0, ..., 4."""
    X = rng.random((n_rows, 20)).astype(np.float32)
    score = X[:, :5].sum(axis=1) + rng.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, [0.6, 0.8, 0.9, 0.97])).astype(float)
    return FitRows(X, y, np.arange(n_rows) // N_DOCUMENTS)


def lightgbm_alone(rows, held, n_rounds):
    model = LGBMRanker(n_estimators=n_rounds, metric="ndcg", n_jobs=1, verbose=-1)
    model.fit(
        rows.X, rows.y, group=rows.sizes, eval_X=held.X, eval_y=held.y,
        eval_group=[held.sizes], eval_at=[10],
    )  # fmt: skip


def xgboost(n_rounds):
    from xgboost import XGBRanker

    return XGBRanker(n_estimators=n_rounds, n_jobs=1)


def xgboost_alone(rows, held, n_rounds):
    model = xgboost(n_rounds).set_params(eval_metric="ndcg@10")
    model.fit(
        rows.X, rows.y, qid=rows.codes, eval_set=[(held.X, held.y)],
        eval_qid=[held.codes], verbose=False,
    )  # fmt: skip


def catboost_alone(rows, held, n_rounds):
    from catboost import Pool

    pool = Pool(held.X, held.y, group_id=held.codes)
    model = catboost(n_rounds).set_params(eval_metric="NDCG:top=10;type=Exp")
    model.fit(rows.X, rows.y, group_id=rows.codes, eval_set=pool)


def hist_gradient_boosting_alone(rows, held, n_rounds):
    model = HistGradientBoostingRegressor(
        max_iter=n_rounds, early_stopping=True, scoring="r2", n_iter_no_change=n_rounds
    )
    model.fit(rows.X, rows.y, X_val=held.X, y_val=held.y)


def catboost(n_rounds):
    from catboost import CatBoostRanker

    return CatBoostRanker(
        iterations=n_rounds, loss_function="QueryRMSE", thread_count=1, verbose=False,
        allow_writing_files=False,
    )  # fmt: skip


LIBRARIES = {
    "LightGBM": (
        "ndcg@10",
        lightgbm_alone,
        lambda n: LGBMRanker(n_estimators=n, n_jobs=1, verbose=-1),
    ),
    "XGBoost": (
        "ndcg@10",
        xgboost_alone,
        xgboost,
    ),
    "CatBoost": ("NDCG:top=10", catboost_alone, catboost),
    "HistGradientBoosting": (
        "r2",
        hist_gradient_boosting_alone,
        lambda n: HistGradientBoostingRegressor(max_iter=n),
    ),
}


def by_skrank(make, metric, rows, held, n_rounds):
    """Fit as QueryRanker does, with so much patience that no round is left out."""
    stopping = EarlyStopping(n_rounds, get_scorer(metric), held)
    fit_estimator(make(n_rounds), rows, stopping)


def measure(name, n_rows, n_held, rounds, n_runs):
    """Return the milliseconds of a round by the library's metric and by ours."""
    rng = np.random.default_rng(0)
    rows, held = make_rows(n_rows, rng), make_rows(n_held, rng)
    own, alone, make = LIBRARIES[name]
    ways = {f"own {own}": alone}
    ways |= {metric: partial(by_skrank, make, metric) for metric in METRICS}
    functions = {
        (way, n): partial(function, rows, held, n_rounds=n)
        for way, function in ways.items()
        for n in rounds
    }
    times = {name: [] for name in functions}
    with threadpool_limits(1):
        for _ in range(n_runs):
            for name, function in functions.items():
                start = time.process_time()
                function()
                times[name].append(time.process_time() - start)
    median = {name: statistics.median(taken) for name, taken in times.items()}
    few, many = rounds
    return {
        way: 1000 * (median[way, many] - median[way, few]) / (many - few)
        for way in ways
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000, help="to learn from")
    parser.add_argument("--held", type=int, default=100_000, help="held-out rows")
    parser.add_argument("--rounds", type=int, nargs=2, default=(5, 45))
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each way")
    parser.add_argument("--library", choices=LIBRARIES, action="append")
    options = parser.parse_args()
    for name in options.library or LIBRARIES:
        times = measure(name, options.rows, options.held, options.rounds, options.runs)
        (own, first), *others = times.items()
        print(f"{name}, {own}: {first:.1f} ms a round", flush=True)
        for metric, taken in others:
            print(f"  {metric:16s}{taken:8.1f} ms   {taken / first:5.2f} times")


if __name__ == "__main__":
    main()
