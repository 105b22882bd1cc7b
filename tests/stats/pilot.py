"""Values of queries for the tests of intervals and comparisons."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics import QueryScores, score_queries
from skrank.stats.compare import comparison_and_outcome


def scores_of(**rankers):
    """Return a QueryScores of values given by ranker, for one metric or a dict."""
    parts = []
    for values in rankers.values():
        columns = values if isinstance(values, dict) else {"value": values}
        parts.append({k: np.asarray(v, dtype=float) for k, v in columns.items()})
    n = len(next(iter(parts[0].values())))
    frame = {
        "qid": np.tile(np.arange(n), len(parts)),
        "ranker": np.repeat(list(rankers), n),
    }
    for name in parts[0]:
        frame[name] = np.concatenate([part[name] for part in parts])
    return QueryScores.from_frame(frame, ranker="ranker", replace_undefined_by=np.nan)


def drawn_scores(metrics, n_queries=60, n_rankers=3, seed=0, **params):
    """Return the scores of random rankers, each noisier than the one before."""
    rng = np.random.RandomState(seed)
    qid = np.repeat(np.arange(n_queries), 8)
    y_true = rng.randint(3, size=len(qid)) * (rng.rand(len(qid)) < 0.4)
    runs = {
        name: y_true + (1 + i) * rng.randn(len(qid))
        for i, name in zip(range(n_rankers), "abcdefghijkl", strict=False)
    }
    return score_queries(y_true, runs, metrics, qid=qid, **params)


def comparison_of(scores, **options):
    """Return a comparison without a warning, also of another number of sign flips."""
    return comparison_and_outcome(scores, **options)[0]
