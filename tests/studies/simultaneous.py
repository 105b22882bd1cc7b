"""Tables of many rankers with values of several kinds: are all intervals right?

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.special import expit

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers
from tests.studies.experiments import LEVEL, covers, percent
from tests.studies.tables import FOLDER, Table, rows_of, run

DOCS_TABLE = FOLDER / "simultaneous.rst"
NS = (20, 50)
N_RESAMPLES = 999
SEED = 12
ALL, ANY, WIDER = "all intervals right", "any wrong rejection", "times as wide"


def latent(rng, n_rankers, n):
    """Return the logits of rankers of equal quality, (n_rankers, n)."""
    hard = rng.normal(0, 1.2, size=n)
    return hard + rng.normal(0, 0.8, size=(n_rankers, n))


def mrr(rng, n_rankers, n):
    return 1 / np.ceil(np.exp(1 - latent(rng, n_rankers, n)))


def ndcg(rng, n_rankers, n):
    return expit(latent(rng, n_rankers, n) + 0.5)


def easy_hits(rng, n_rankers, n):
    return (latent(rng, n_rankers, n) > -2.2).astype(float)


def hard_hits(rng, n_rankers, n):
    return (latent(rng, n_rankers, n) > 2.6).astype(float)


def near_copies(rng, n_rankers, n):
    """Return hits of which each ranker has 3 % other ones than the first."""
    one = rng.random(n) < 0.6
    return (one ^ (rng.random((n_rankers, n)) < 0.03)).astype(float)


def mixed(rng, n_rankers, n):
    """Return two metrics of the same rankers: reciprocal ranks, and hits."""
    ranks = 1 / mrr(rng, n_rankers, n)
    return np.stack([1 / ranks, (ranks == 1).astype(float)], axis=1)


def of_metrics(sample):
    """Return the scores of values of shape (n_rankers, n_metrics, n)."""
    n_rankers, n_metrics, n = sample.shape
    frame = {"qid": np.tile(np.arange(n), n_rankers)}
    frame["ranker"] = np.repeat([f"r{i}" for i in range(n_rankers)], n)
    frame |= {f"m{j}": sample[:, j].ravel() for j in range(n_metrics)}
    return QueryScores.from_frame(frame, ranker="ranker")


def many_rankers(values, n_samples, draw, n_rankers):
    """Return how often all intervals of equal rankers contain 0, and their widths."""
    rng, found = np.random.default_rng(SEED), {ALL: [], ANY: [], WIDER: []}
    for n in NS:
        right, rejected, wider = [], [], []
        for _ in range(n_samples):
            sample = draw(rng, n_rankers, n)
            rankers = sample if sample.ndim == 2 else of_metrics(sample)
            rows = compare_rankers(rankers, n_resamples=N_RESAMPLES).rows
            low, high = np.array([(row.low, row.high) for row in rows]).T
            right.append(covers(low, high, 0).all())
            rejected.append(min(row.p_adjusted for row in rows) <= LEVEL)
            if len(wider) < n_samples / 20:
                rows = compare_rankers(rankers, intervals="single").rows
                alone = np.array([row.high - row.low for row in rows])
                wider.append(np.median((high - low) / alone))
        found[ALL].append(percent(right))
        found[ANY].append(percent(rejected))
        found[WIDER].append(float(np.median(wider)))
    return found


TWELVE = {"MRR": mrr, "NDCG": ndcg, "easy hits": easy_hits, "hard hits": hard_hits}
TWELVE |= {"hits of near copies": near_copies}
TWELVE = {f"12 rankers, {name}": draw for name, draw in TWELVE.items()}
SIX = {"6 rankers, MRR and hits@1": mixed}
BARS = {ALL: (93.5, 100), ANY: (0, 6.5)}
TABLES = {
    "simultaneous": Table(
        "Tables of equally good rankers, with 20 / 50 queries, in %",
        [ALL, ANY, WIDER],
        [
            *rows_of(many_rankers, "draw", TWELVE, BARS, n_rankers=12),
            *rows_of(many_rankers, "draw", SIX, BARS, n_rankers=6),
        ],
    )
}


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__)
