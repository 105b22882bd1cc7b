"""Time the scores of all lists together beside NDCG@10 of the same rows.

    python -m tests.benchmarks.bench_catalogue

200,000 rows of 10,000 queries. The functions run in turns, and the medians of their CPU
times are compared: at most 1.5 times that of NDCG is the aim.
"""

# SPDX-License-Identifier: BSD-3-Clause

import statistics
import time
from functools import partial

import numpy as np

from skrank.metrics import catalogue_scores, evaluate

N_QUERIES, N_DOCUMENTS, N_ITEMS, K, TURNS = 10_000, 20, 5000, 10, 31


def main():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    draws = (rng.choice(N_ITEMS, N_DOCUMENTS, replace=False) for _ in range(N_QUERIES))
    item = np.concatenate(list(draws))
    y_score = rng.standard_normal(len(qid))
    y_true = rng.random(len(qid)) < 0.1
    lists = {"qid": qid, "item": item, "k": K, "items": N_ITEMS}
    tasks = {
        "ndcg@10": partial(evaluate, y_true, y_score, "ndcg@10", qid=qid),
        "catalogue_scores": lambda: catalogue_scores(y_score, **lists).summary(),
    }
    times = {name: [] for name in tasks}
    for _ in range(TURNS):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            times[name].append(time.process_time() - start)
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in medians.items():
        print(f"{name:<18}{1000 * seconds:7.2f} ms")
    ratio = medians["catalogue_scores"] / medians["ndcg@10"]
    print(f"{'ratio':<18}{ratio:7.2f}")


if __name__ == "__main__":
    main()
