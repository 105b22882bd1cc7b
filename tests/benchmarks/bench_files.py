"""CPU time of evaluating TREC files, as ratios to pytrec_eval and trec_eval.

Run ``python -m tests.benchmarks.bench_files``; it takes about half a minute, and with
``--queries 7000`` about three. It writes judgements and a run of 1,000 lines for each
query to a temporary folder. From these files skrank, pytrec_eval and trec_eval, where
``--trec-eval`` names the program, compute the same eight measures in turns; their
numbers have to agree. What Python imports is not counted.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import resource
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytrec_eval

from skrank.metrics import evaluate
from skrank.tables import align
from tests import processes
from tests.benchmarks.speed.measuring import interleaved_medians
from tests.benchmarks.speed.on_trec import MEASURES, mean_of_measures


def write_files(folder, n_queries, n_returned=1000, n_judged=100):
    """Write judgements and a run; half of the judged documents are returned."""
    rng = np.random.default_rng(0)
    qrels, run = folder / "qrels.txt", folder / "a.run"
    with qrels.open("w") as judgements, run.open("w") as returned:
        for query in range(300, 300 + n_queries):
            pool = rng.integers(1_000_000, size=n_returned + n_judged // 2) * 10
            pool += np.arange(len(pool)) % 10  # hardly any of them is equal
            pool = rng.permutation(np.unique(pool)).tolist()
            ids = [f"FR94{number // 10**5:04d}-0-{number:07d}" for number in pool]
            scores = np.sort(25 * rng.random(n_returned))[::-1].tolist()
            lines = zip(ids, range(n_returned), scores, strict=False)
            returned.writelines(
                f"{query} Q0 {id} {rank} {score:.6f} tag\n" for id, rank, score in lines
            )
            judged = ids[: n_judged // 2] + ids[-(n_judged // 2) :]
            grades = rng.choice([0, 0, 0, 1, 2], size=len(judged)).tolist()
            judgements.writelines(
                f"{query} 0 {id} {grade}\n"
                for id, grade in zip(judged, grades, strict=True)
            )
    return qrels, run


def by_skrank(qrels, run):
    aligned = align(qrels, run)
    return evaluate(metrics=list(MEASURES), convention="trec_eval", **aligned)


def by_pytrec_eval(qrels, run):
    with qrels.open() as file:
        judgements = pytrec_eval.parse_qrel(file)
    with run.open() as file:
        returned = pytrec_eval.parse_run(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judgements, {*MEASURES.values()})
    return mean_of_measures(evaluator.evaluate(returned))


def by_trec_eval(program, qrels, run):
    measures = [part for name in MEASURES.values() for part in ("-m", name)]
    done = processes.run([program, *measures, qrels, run], check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return mean_of_measures({"all": {name: float(x) for name, _, x in lines}})


def cpu_seconds():
    """Return the CPU time of this process and of those that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure(n_queries, n_runs, trec_eval=None):
    """Return the median CPU time of each way, all on the same files, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), n_queries)
        ways = {"skrank": by_skrank, "pytrec_eval": by_pytrec_eval}
        if trec_eval:
            ways["trec_eval"] = partial(by_trec_eval, trec_eval)
        ours = by_skrank(*files)
        for name, way in ways.items():
            for metric, value in way(*files).items():
                if not np.isclose(value, ours[metric], rtol=0, atol=5.1e-5):
                    raise AssertionError(f"{name}: {metric} {value}, {ours}")
        calls = {name: partial(way, *files) for name, way in ways.items()}
        return interleaved_medians(calls, n_runs, cpu_seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=100, help="1,000 lines for each")
    parser.add_argument("--runs", type=int, default=9, help="counted runs of each way")
    parser.add_argument("--trec-eval", metavar="PROGRAM", help="where trec_eval is")
    options = parser.parse_args()
    times = measure(options.queries, options.runs, options.trec_eval)
    for name, seconds in times.items():
        share = times["skrank"] / seconds
        print(f"{name:12s}{seconds:8.3f} s   skrank takes {share:.2f} of it")


if __name__ == "__main__":
    main()
