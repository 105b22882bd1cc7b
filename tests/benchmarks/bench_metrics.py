"""Speed and memory of the metrics, as ratios to a sort in the same run.

Run ``python tests/benchmarks/bench_metrics.py``. Times are medians of interleaved
runs, printed only as multiples of F, the time of ``np.argsort(block, axis=1)`` of a
10,000 x 120 block, which no ranking can do without. The name of the instruction set
that NumPy sorts with is printed too: the floor depends on it.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import statistics
import time
import tracemalloc

import numpy as np

from skrank.metrics import evaluate, hits_at_k_score, map_score, mrr_score, ndcg_score

SIX = ["mrr", "map", "ndcg@10", "precision@5", "recall@10", "hits@3"]


def make_lists(rng, n_queries=10_000, shortest=5, longest=239, n_rows=1_200_000):
    """Return (y_true, y_score, qid): grades 0-4, a tenth relevant, rows grouped."""
    lengths = rng.integers(shortest, longest + 1, n_queries)
    lengths = (lengths * (n_rows / lengths.sum())).astype(int)
    lengths = np.clip(lengths, shortest, longest)
    qid = np.repeat(np.arange(n_queries), lengths)
    grade = rng.integers(1, 5, len(qid))
    y_true = np.where(rng.random(len(qid)) < 0.1, grade, 0)
    return y_true, rng.normal(size=len(qid)), qid


def workloads(rng):
    """Return {name: (function, target in multiples of F or None)}."""
    y_true, y_score, qid = make_lists(rng)
    levels = np.round(y_score * 4) / 4
    order = rng.permutation(len(qid))
    shuffled = y_true[order], y_score[order]
    shuffled_qid = qid[order]
    return {
        "ndcg@10": (lambda: ndcg_score(y_true, y_score, qid=qid, k=10), 8),
        "mrr": (lambda: mrr_score(y_true, y_score, qid=qid), 4),
        "hits@10": (lambda: hits_at_k_score(y_true, y_score, qid=qid, k=10), None),
        "map": (lambda: map_score(y_true, y_score, qid=qid), None),
        "six by evaluate": (lambda: evaluate(y_true, y_score, SIX, qid=qid), None),
        "ndcg@10, 20 levels": (lambda: ndcg_score(y_true, levels, qid=qid, k=10), None),
        "mrr, 20 levels": (lambda: mrr_score(y_true, levels, qid=qid), None),
        "ndcg@10, shuffled": (
            lambda: ndcg_score(*shuffled, qid=shuffled_qid, k=10),
            None,
        ),
    }


def interleaved_medians(functions, n_runs):
    """Return the median time of each function over runs in turn."""
    times = {name: [] for name in functions}
    for _ in range(n_runs + 1):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(runs[1:]) for name, runs in times.items()}


def peak_memory(function):
    """Return the peak of the memory that `function` allocates, in bytes."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def sort_features():
    """Return the vector instruction sets that NumPy dispatches to here."""
    try:
        from numpy._core._multiarray_umath import __cpu_features__
    except ImportError:  # NumPy 1
        from numpy.core._multiarray_umath import __cpu_features__
    wanted = ("AVX2", "AVX512_SKX", "AVX512_SPR", "ASIMD")
    return [name for name in wanted if __cpu_features__.get(name)] or ["none"]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15, help="counted runs of each")
    n_runs = parser.parse_args().runs
    rng = np.random.default_rng(0)
    block = rng.normal(size=(10_000, 120))
    table = workloads(rng)
    functions = {name: function for name, (function, _) in table.items()}
    floor = {"floor": lambda: np.argsort(block, axis=1)}
    times = interleaved_medians(floor | functions, n_runs)
    n_bytes = 8 * len(make_lists(np.random.default_rng(0))[0])
    print(f"NumPy {np.__version__}, {' '.join(sort_features())}; medians of {n_runs}")
    print(f"{'workload':<22}{'time / F':>10}{'target':>8}{'memory / y_score':>18}")
    for name, (function, target) in table.items():
        ratio = times[name] / times["floor"]
        memory = peak_memory(function) / n_bytes
        print(f"{name:<22}{ratio:>10.2f}{target or '-':>8}{memory:>18.2f}")


if __name__ == "__main__":
    main()
