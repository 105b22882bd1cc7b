"""How often do intervals of scores of all lists contain the true value?

Each list has ten of a thousand items, whose popularity follows Zipf's law. The true
value is the mean over many samples of as many lists. It writes the table
``docs/development/tables/catalogue_intervals.rst``, with the jackknife of skrank and a
percentile bootstrap of the lists, in a few minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace

import numpy as np

from skrank._engine.names import CATALOGUE_SCORES
from skrank.metrics import catalogue_scores
from tests.studies.tables import FOLDER, list_table

TABLE = FOLDER / "catalogue_intervals.rst"
N_ITEMS, K = 1000, 10
N_SAMPLES, N_RESAMPLES, FOR_TRUTH = 200, 100, 400
SIZES = (50, 200, 1000)
METHODS = ("jackknife", "percentile bootstrap")
LOG_POPULARITY = -np.log(np.arange(1, N_ITEMS + 1))


def draw(n, rng):
    """Return the scores of n lists, drawn without replacement by popularity."""
    keys = LOG_POPULARITY + rng.gumbel(size=(n, N_ITEMS))
    items = np.argpartition(-keys, K, axis=1)[:, :K]
    return catalogue_scores(
        np.zeros(n * K),
        qid=np.repeat(np.arange(n), K),
        item=items.ravel(),
        k=None,
        items=N_ITEMS,
    )


def resampled(scores, rng):
    """Return the ends of the percentile bootstrap for each score."""
    (lists,) = scores.lists.values()
    codes, n = lists.code.reshape(-1, K), len(lists.qid)
    values = [
        replace(lists, code=codes[rng.integers(n, size=n)].ravel()).scores(N_ITEMS)
        for _ in range(N_RESAMPLES)
    ]
    return np.quantile(values, [0.025, 0.975], axis=0)


def simulate(n, rng):
    """Return the percentage of intervals with the true value, by method and score."""
    truth = np.mean([draw(n, rng).values[0] for _ in range(FOR_TRUTH)], axis=0)
    held = dict.fromkeys(METHODS, 0)
    for _ in range(N_SAMPLES):
        scores = draw(n, rng)
        rows = scores.intervals().rows
        ends = {
            "jackknife": ([row.low for row in rows], [row.high for row in rows]),
            "percentile bootstrap": resampled(scores, rng),
        }
        for method, (low, high) in ends.items():
            held[method] = held[method] + ((low <= truth) & (truth <= high))
    return {method: 100 * count / N_SAMPLES for method, count in held.items()}


def main():
    rng = np.random.default_rng(0)
    lines = [["lists", "method", *(f"``{name}``" for name in CATALOGUE_SCORES)]]
    for n in SIZES:
        for method, percentages in simulate(n, rng).items():
            lines.append([f"{n:,}", method, *(f"{x:g} %" for x in percentages)])
            print(lines[-1], flush=True)
    TABLE.write_text(list_table(lines), "utf-8")


if __name__ == "__main__":
    main()
