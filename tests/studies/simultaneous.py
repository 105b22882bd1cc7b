"""Tables of many rankers with values of several kinds: are all intervals right?

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from tests.stats.pilot import comparison_of
from tests.studies.experiments import LEVEL, covers, percent
from tests.studies.populations import latent, mrr, ndcg, query_scores
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "simultaneous.rst"
NS = (20, 50)
N_RESAMPLES = 999
SEED = 12
ALL, ANY, WIDER = "all intervals right", "any wrong rejection", "times as wide"


def of_logits(metric):
    """Return a function that draws values of rankers of equal quality."""
    return lambda rng, n_rankers, n: metric(latent(rng, [0] * n_rankers, n))


def near_copies(rng, n_rankers, n):
    """Return hits of which each ranker has 3 % other ones than the first."""
    one = rng.random(n) < 0.6
    return (one ^ (rng.random((n_rankers, n)) < 0.03)).astype(float)


def mixed(logits):
    """Return two metrics of the same rankers: reciprocal ranks, and hits."""
    return np.stack([mrr(logits), (mrr(logits) == 1).astype(float)], axis=1)


def many_rankers(values, n_samples, draw, n_rankers):
    """Return how often all intervals of equal rankers contain 0, and their widths."""
    rng, found = np.random.default_rng(SEED), {ALL: [], ANY: [], WIDER: []}
    for n in NS:
        right, rejected, wider = [], [], []
        for _ in range(n_samples):
            sample = draw(rng, n_rankers, n)
            rankers = sample if sample.ndim == 2 else query_scores(sample)
            rows = comparison_of(rankers, n_resamples=N_RESAMPLES).rows
            low, high = np.array([(row.low, row.high) for row in rows]).T
            right.append(covers(low, high, 0).all())
            rejected.append(min(row.p_adjusted for row in rows) <= LEVEL)
            if len(wider) < n_samples / 20:
                rows = comparison_of(rankers, correction=None).rows
                alone = np.array([row.high - row.low for row in rows])
                wider.append(np.median((high - low) / alone))
        found[ALL].append(percent(right))
        found[ANY].append(percent(rejected))
        found[WIDER].append(float(np.median(wider)))
    return found


TWELVE = {
    "12 rankers, MRR": of_logits(mrr),
    "12 rankers, NDCG": of_logits(ndcg),
    "12 rankers, easy hits": of_logits(lambda logits: (logits > -2.2).astype(float)),
    "12 rankers, hard hits": of_logits(lambda logits: (logits > 2.6).astype(float)),
    "12 rankers, hits of near copies": near_copies,
}
SIX = {"6 rankers, MRR and hits@1": of_logits(mixed)}
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
