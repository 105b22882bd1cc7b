"""How many functions of skrank a call passes through, and in how many files.

Run ``python -m tests.benchmarks.count_calls`` for all of `ENTRANCES`, or with the names
of some of them, and it prints the functions, file by file. A function counts once,
however often it is called, and in any thread. A comprehension is part of the function
that contains it, as in Python 3.12. Each entrance is called once before it is counted,
so that what is imported or read once in a process does not count.
"""

# SPDX-License-Identifier: BSD-3-Clause

import _thread
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import skrank

PACKAGE = Path(skrank.__file__).parent
METRICS = ["ndcg@10", "mrr"]
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


class Entrance(NamedTuple):
    """A call, and at most how many files it may pass through."""

    prepare: Callable
    n_files: int


def make_data():
    """Return grades, the scores of two rankers and query ids: 60 rows, 6 queries."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(3, size=60)
    runs = {"a": y_true + 3 * rng.normal(size=60), "b": y_true + rng.normal(size=60)}
    return y_true, runs, np.repeat(np.arange(6), 10)


def ndcg_score():
    from skrank.metrics import ndcg_score

    y_true, runs, qid = make_data()
    return lambda: ndcg_score(y_true, runs["a"], qid=qid)


def alpha_ndcg_score():
    from skrank.metrics import alpha_ndcg_score

    _, runs, qid = make_data()
    rng = np.random.default_rng(1)
    labels = [[topic for topic in "abcd" if rng.random() < 0.3] for _ in qid]
    return lambda: alpha_ndcg_score(None, runs["a"], qid=qid, subtopics=labels)


def cross_validate():
    import pandas as pd
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import cross_validate

    from skrank import register_scorers
    from skrank.model_selection import QueryKFold
    from skrank.rankers import QueryRanker

    register_scorers()
    y_true, runs, qid = make_data()
    X, ranker = pd.DataFrame(runs | {"qid": qid}), QueryRanker(Ridge())
    options = {"cv": QueryKFold(2), "scoring": "ndcg@10"}
    return lambda: cross_validate(ranker, X, y_true, **options)


def score_table():
    import pandas as pd

    from skrank.tables import score_table

    y_true, runs, qid = make_data()
    frame = pd.DataFrame({"qid": qid, "y_true": y_true, "y_score": runs["a"]})
    return lambda: score_table(frame, METRICS)


def compare_rankers():
    from skrank.metrics import score_queries
    from skrank.stats import compare_rankers

    y_true, runs, qid = make_data()
    scores = score_queries(y_true, runs, METRICS, qid=qid)
    return lambda: compare_rankers(scores)


ENTRANCES = {
    "ndcg_score": Entrance(ndcg_score, 14),
    "alpha_ndcg_score": Entrance(alpha_ndcg_score, 16),
    "cross_validate": Entrance(cross_validate, 28),
    "score_table": Entrance(score_table, 25),
    "compare_rankers": Entrance(compare_rankers, 12),
}


def called_functions(call):
    """Return the functions of skrank that a call passes through, by their files."""
    codes = set()

    def note(frame, event, _):
        if event == "call":
            codes.add(frame.f_code)

    def start_noted(function, args):
        def run(*args):
            sys.setprofile(note)  # of this thread alone
            function(*args)

        return start_new_thread(run, args)

    before, start_new_thread = sys.getprofile(), _thread.start_new_thread
    sys.setprofile(note)
    _thread.start_new_thread = start_noted
    try:
        call()
    finally:
        sys.setprofile(before)
        _thread.start_new_thread = start_new_thread
    functions = defaultdict(set)
    for code in codes:
        file = Path(code.co_filename)
        if file.is_relative_to(PACKAGE) and code.co_name not in COMPREHENSIONS:
            # Two lambdas of a line are one function.
            found = f"{code.co_name}:{code.co_firstlineno}"
            functions[file.relative_to(PACKAGE).as_posix()].add(found)
    return dict(functions)


def count_all_calls(call):
    """Return how often a call calls each function of skrank, in this thread."""
    n_calls = Counter()

    def note(frame, event, _):
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event == "call" and module.startswith("skrank.") and name[0] != "<":
            n_calls[f"{module}.{name}"] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return n_calls


def count(entrance):
    """Return the functions that an entrance passes through, called a second time."""
    call = entrance.prepare()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # six queries are few
        call()
        return called_functions(call)


def main():
    """Print how many functions and files each entrance passes through, and which."""
    for name in sys.argv[1:] or ENTRANCES:
        most = ENTRANCES[name].n_files
        functions = count(ENTRANCES[name])
        n_functions, n_files = sum(map(len, functions.values())), len(functions)
        print(f"{name:15} {n_functions:4} functions", end=" ")
        print(f"in {n_files:2} files (at most {most})")
        for file, names in sorted(functions.items()):
            print(f"    {file}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
