"""Families of 56 comparisons: eight rankers by two metrics.

Each query has a hidden difficulty and a topic, each ranker is good at some topics, and
the values are those of a list of twelve documents that are drawn for each query.
"""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers
from tests.studies.experiments import covers, percent
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "families_of_56.rst"
NS = (20, 50, 200)
LARGE, N_RANKERS, N_DOCUMENTS, N_RELEVANT = 20_000, 8, 12, 3
SEED = 5601


def population(rng, spread):
    """Return NDCG and the reciprocal rank, each of shape (N_RANKERS, LARGE)."""
    discount = 1 / np.log2(2 + np.arange(N_DOCUMENTS))
    topic, hardness = rng.integers(6, size=LARGE), rng.exponential(1.0, size=LARGE)
    good_at = rng.normal(0, 0.4, size=(N_RANKERS, 6))
    ability = np.linspace(0, spread, N_RANKERS)[:, None] + good_at
    shared = rng.normal(size=(LARGE, N_DOCUMENTS))
    ndcg, mrr = np.empty((2, N_RANKERS, LARGE))
    for i in range(N_RANKERS):
        signal = np.maximum(2 + ability[i, topic] - hardness, 0)
        scores = shared + 0.7 * rng.normal(size=shared.shape)
        scores[:, :N_RELEVANT] += signal[:, None]
        order = np.argsort(-scores, axis=1)
        is_relevant = order < N_RELEVANT
        ndcg[i] = is_relevant @ discount / discount[:N_RELEVANT].sum()
        mrr[i] = 1 / (1 + is_relevant.argmax(axis=1))
    return {"ndcg": ndcg, "mrr": mrr}


def all_right(values, n_samples, spread):
    """Return how often all 56 intervals contain the true differences."""
    rng = np.random.default_rng(SEED)
    metrics, found = population(rng, spread), {}
    names = [f"r{i}" for i in range(N_RANKERS)]
    for n in NS:
        right = []
        for _ in range(n_samples):
            rows = rng.integers(LARGE, size=n)
            frame = {"qid": np.tile(np.arange(n), N_RANKERS)}
            frame["ranker"] = np.repeat(names, n)
            frame |= {name: one[:, rows].ravel() for name, one in metrics.items()}
            scores = QueryScores.from_frame(frame, ranker="ranker")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                comparison = compare_rankers(scores)
            truth = [
                metrics[row.metric][names.index(row.ranker)].mean()
                - metrics[row.metric][names.index(row.baseline)].mean()
                for row in comparison.rows
            ]
            low, high = np.array([(row.low, row.high) for row in comparison.rows]).T
            right.append(covers(low, high, np.array(truth)).all())
        found[f"n = {n}"] = [percent(right)]
    return found


COLUMNS = [f"n = {n}" for n in NS]
CASES = {"equal but for topics": 0.0, "graded": 0.8}
TABLES = {
    "families of 56": Table(
        "All 56 intervals of eight rankers and two metrics contain the true "
        "differences, in %",
        COLUMNS,
        rows_of(all_right, "spread", CASES, dict.fromkeys(COLUMNS, (93, 97))),
    )
}
