"""Means over data sets of very different sizes, each of which counts alike.

It takes a minute.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.special import expit

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers, confidence_interval
from tests.studies.experiments import averaged, covers
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "data_sets.rst"
COLUMNS = ["mean", "difference", "of new data sets"]
SEED, LARGE = 52, 1_000_000
SIZES = {
    "3 data sets, 20 to 1,000 queries": (20, 150, 1000),
    "3 data sets, 50 to 5,000 queries": (50, 500, 5000),
    "6 data sets, 10 to 2,000 queries": (10, 30, 80, 250, 700, 2000),
    "15 data sets, 30 to 3,000 queries": tuple(np.geomspace(30, 3000, 15).astype(int)),
}


def scores_of(pairs):
    """Return the scores of two rankers, from their values in each data set."""
    values, n = np.hstack(pairs), [pair.shape[1] for pair in pairs]
    frame = {
        "qid": np.tile(np.arange(sum(n)), 2),
        "data": np.tile(np.repeat(np.arange(len(n)), n), 2),
        "ranker": np.repeat(["old", "new"], sum(n)),
        "ndcg@10": values.ravel(),
    }
    return QueryScores.from_frame(frame, ranker="ranker", by="data")


def draw(rng, sizes, effect, gain):
    """Return the values of two rankers in data sets of some means and gains."""
    pairs = []
    for n, own, of_new in zip(sizes, effect, gain, strict=True):
        hard = rng.normal(own, 1.0, size=n)
        noise = rng.normal(0, 0.5, size=(2, n))
        pairs.append(expit(hard + noise + np.array([[0.0], [of_new]])))
    return pairs


def coverage(values, n_samples, sizes):
    """Return the coverage of the mean of the means, and of that of the differences.

    Of these data sets, whose queries are drawn again, and of a difference of new data
    sets, which are drawn again with their queries.
    """
    rng = np.random.default_rng(SEED)
    effect, gain = rng.normal(0, 1, len(sizes)), rng.normal(0.2, 0.2, len(sizes))
    means = [p.mean(axis=1) for p in draw(rng, [LARGE] * len(sizes), effect, gain)]
    old, new = np.mean(means, axis=0)
    n_many = LARGE // 50
    many = rng.normal(0, 1, n_many), rng.normal(0.2, 0.2, n_many)
    pairs = [p.mean(axis=1) for p in draw(rng, [50] * n_many, *many)]
    of_new = float(np.subtract(*np.mean(pairs, axis=0)[::-1]))

    def samples(_):
        for _ in range(n_samples):
            others = rng.normal(0, 1, len(sizes)), rng.normal(0.2, 0.2, len(sizes))
            yield [
                scores_of(draw(rng, sizes, *one)) for one in ((effect, gain), others)
            ]

    def decide(sample):
        these, others = (scores.balanced("data") for scores in sample)
        mean = confidence_interval(these)["new"]["ndcg@10"]
        (row,) = compare_rankers(these, baseline="old").rows
        (other,) = compare_rankers(others, baseline="old", clusters="data").rows
        found = (mean, new), (row, new - old), (other, of_new)
        return {
            column: covers(one.low, one.high, truth)
            for column, (one, truth) in zip(COLUMNS, found, strict=True)
        }

    return averaged([0], samples, decide)


TABLES = {
    "data_sets": Table(
        "Coverage of means over data sets that count alike, in %",
        COLUMNS,
        rows_of(coverage, "sizes", SIZES, {"mean": (93, 100), "difference": (93, 100)}),
    )
}
