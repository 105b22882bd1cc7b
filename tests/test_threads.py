"""Threads that share what the package remembers: names, warnings and codes of splits.

The step `free_threaded` of `.ci/run` runs this file alone, without a global lock.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from skrank.datasets import make_ranking
from skrank.metrics import add_scorer, evaluate, get_scorer, mrr_score
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

N_THREADS, N_ROUNDS = 8, 5
X, Y, QID = make_ranking(30, random_state=0)
TABLE = np.column_stack([X, QID])  # the ids are its last column


def in_threads(function):
    """Call a function of the number of a thread in all threads at once."""
    barrier = threading.Barrier(N_THREADS)

    def run(number):
        barrier.wait(timeout=60)
        return [function(number) for _ in range(N_ROUNDS)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(N_THREADS) as pool:
            return list(pool.map(run, range(N_THREADS)))
    finally:
        sys.setswitchinterval(interval)


# Not `cross_val_score`: scikit-learn swaps the filters of warnings, which threads
# share, and then warns of its own call.
@pytest.mark.slow
def test_rankers_in_threads_have_the_values_of_one_thread():
    ((train, test), _) = QueryKFold(2, qid_column=-1).split(TABLE, Y)

    def score(number):
        ranker = QueryRanker(Ridge(), qid_column=-1)
        return [
            get_scorer(name)(ranker.fit(TABLE[train], Y[train]), TABLE[test], Y[test])
            for name in ["ndcg@10", f"precision@{number + 1}"]
        ]

    expected = [score(number) for number in range(N_THREADS)]
    for number, found in enumerate(in_threads(score)):
        assert found == [expected[number]] * N_ROUNDS


def test_names_that_threads_add_are_all_there():
    def add(number):
        def top(ranking):
            return ranking.expected_at_first(lambda rank: rank <= number + 1)

        add_scorer(f"in_thread_{number}", top, replace=True)
        return evaluate(Y, X[:, 0], f"in_thread_{number}", qid=QID)

    in_threads(add)
    for number in range(N_THREADS):
        name = f"in_thread_{number}"
        got = evaluate(Y, X[:, 0], [name, f"hits@{number + 1}"], qid=QID)
        assert got[name] == got[f"hits@{number + 1}"]
        assert get_scorer(name).key == name


def test_each_thread_has_the_value_of_its_rows():
    expected = [mrr_score(Y, X[:, i], qid=QID) for i in range(N_THREADS)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = in_threads(lambda number: mrr_score(Y, X[:, number], qid=QID))
    assert found == [[value] * N_ROUNDS for value in expected]
