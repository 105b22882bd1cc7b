"""Metrics of users that are estimated from samples of the items, and the true ones.

Run ``python -m tests.studies.sampled_items FOLDER``. The folder holds ``train.tsv.gz``
and ``test.tsv.gz``, whose first columns are users and items, such as the older and the
newer ratings of MovieLens. The model is a truncated singular value decomposition.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from skrank.metrics import evaluate, evaluate_sampled

METRICS = ["hits@10", "ndcg@10", "recall@10", "recall@50", "neg_mean_rank"]
N_NEGATIVES, N_SAMPLES, N_FACTORS = 100, 20, 40


def read(folder):
    """Return which items users had, and which they took later: those of the model."""
    known, later = (
        pd.read_csv(folder / name, sep="\t").iloc[:, :2].to_numpy().T
        for name in ("train.tsv.gz", "test.tsv.gz")
    )
    ids = [np.unique(values) for values in known]
    is_known = np.isin(later[0], ids[0]) & np.isin(later[1], ids[1])
    tables = np.zeros((2, *map(len, ids)), dtype=bool)
    for table, part in zip(tables, (known, later[:, is_known]), strict=True):
        table[tuple(map(np.searchsorted, ids, part))] = True
    seen, future = tables
    return seen, future & ~seen


def draw(is_relevant, seen, rng):
    """Return the users and the items of rows with a sample of the items."""
    drawn = np.where(seen | is_relevant, 2.0, rng.random(seen.shape))
    last = np.partition(drawn, N_NEGATIVES - 1, axis=1)[:, [N_NEGATIVES - 1]]
    return np.nonzero(is_relevant | (drawn <= last))


def compare(seen, is_relevant):
    """Return the metrics of all items, of the rows, and their estimates."""
    u, s, v = svds(csr_matrix(seen.astype(float)), k=N_FACTORS, random_state=0)
    has_any = is_relevant.any(axis=1)
    seen, is_relevant, y_score = (
        seen[has_any],
        is_relevant[has_any],
        (u * s @ v)[has_any],
    )
    rows = np.nonzero(~seen)
    exact = evaluate(is_relevant[rows], y_score[rows], METRICS, qid=rows[0])
    found = {"all items": [exact]}
    for seed in range(N_SAMPLES):
        rows = draw(is_relevant, seen, np.random.default_rng(seed))
        given = is_relevant[rows], y_score[rows], METRICS
        found.setdefault("the rows", []).append(evaluate(*given, qid=rows[0]))
        n_candidates = (~seen).sum(axis=1)[rows[0]]
        for estimate in ("rank", "em"):
            values = evaluate_sampled(
                *given, qid=rows[0], n_candidates=n_candidates, estimate=estimate
            )
            found.setdefault(estimate, []).append(values)
    return found


if __name__ == "__main__":
    for name, values in compare(*read(Path(sys.argv[1]))).items():
        table = pd.DataFrame(values)
        print(name, table.mean().round(4).to_dict())
        print("   standard deviation", table.std().round(4).to_dict())
