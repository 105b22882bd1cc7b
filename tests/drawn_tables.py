"""Tables of lists with ties, which several test modules score, and their intervals."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd


def draw(n_queries=60, seed=0):
    """Return a data frame of lists with ties, its rows grouped by query."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(rng.permutation(n_queries), rng.integers(1, 40, n_queries))
    n_rows = len(qid)
    is_relevant = rng.random(n_rows) < rng.choice([0, 0.1, 0.4], n_queries)[qid]
    return pd.DataFrame(
        {
            "qid": qid,
            "y_true": rng.integers(1, 5, n_rows) * is_relevant,
            "y_score": rng.integers(0, 7, n_rows).astype(np.float32),
            "other": rng.normal(size=n_rows),
            "day": qid % 3,
            "weight": (qid % 4).astype(float),
            "judged": rng.random(n_rows) < 0.8,
            "returned": rng.random(n_rows) < 0.8,
            "doc": [f"d{i}" for i in rng.permutation(n_rows)],
        }
    )


def draw_shuffled(n_queries=60, seed=0):
    """Return such a data frame with its rows shuffled."""
    frame = draw(n_queries, seed)
    return frame.sample(frac=1, random_state=seed, ignore_index=True)
