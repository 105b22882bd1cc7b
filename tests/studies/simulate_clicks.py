"""How far are estimates from clicks from the true value, and does an interval hold it?

A ranker shows 20 documents of each query. A user looks at rank i with probability 1 / i
and clicks on what is relevant; another ranker is to be evaluated by these clicks. The
true value is that of many queries whose relevant documents are all known. It writes the
table ``docs/development/tables/clicks.rst`` in a minute.
"""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np

from skrank.metrics import evaluate, score_queries
from skrank.stats import confidence_interval
from tests.studies.tables import FOLDER, list_table

TABLE = FOLDER / "clicks.rst"
N_DOCUMENTS, N_QUERIES, N_LOGS, FOR_TRUTH = 20, 500, 400, 100_000
# The columns: the metric, and whether one document of each query is relevant.
COLUMNS = {
    "P\\@5": ("psp({})@5", False, "k"),
    "DCG\\@10": ("psndcg({})@10", False, None),
    "reciprocal rank": ("psndcg({}, discount='reciprocal')", True, None),
}
SHOWN = np.arange(1, N_DOCUMENTS + 1)
LOOK = 1 / SHOWN
# The rows: what is estimated how, from which log.
ROWS = {
    "clicks as grades": {"propensity": np.ones(N_DOCUMENTS)},
    "``propensity``": {},
    "``clip=0.1``": {"clip": 0.1},
    "``clip=0.3``": {"clip": 0.3},
    '``normalize="self"``': {"is_self": True},
    "``propensity``, 50 queries": {"n": 50},
    '``normalize="self"``, 50 queries': {"is_self": True, "n": 50},
    "wrong propensities, 1 / √i": {"propensity": LOOK**0.5},
    "2 % wrong clicks": {"noise": 0.02},
    "10 documents shown": {"n_shown": 10},
}


def draw(n, one, rng):
    """Return what is relevant, in the order shown, and the scores of another ranker."""
    quality = rng.normal(size=(n, N_DOCUMENTS))
    shown = np.argsort(-(quality + rng.normal(size=quality.shape)), axis=1)
    quality = np.take_along_axis(quality, shown, axis=1)
    if one:
        chance = quality + rng.gumbel(size=quality.shape)
        relevant = chance == chance.max(axis=1, keepdims=True)
    else:
        relevant = rng.random(quality.shape) < 1 / (1 + np.exp(2 - quality))
    return relevant, 2 * quality + rng.normal(size=quality.shape)


def name_of(column, *, is_self=False, clip=0.0):
    """Return the metric of a column, as a scorer name."""
    metric, _, normalize = COLUMNS[column]
    normalize = "self" if is_self else normalize
    return metric.format(f"normalize={normalize!r}, clip={clip}")


def flat(relevant, scores, propensity):
    """Return what metrics take of some queries."""
    n = len(relevant)
    given = {"qid": np.repeat(np.arange(n), N_DOCUMENTS)}
    given["propensity"] = np.tile(propensity, n)
    return (relevant.ravel().astype(int), scores.ravel()), given


def true_value(column, is_self, rng):
    """Return the value of a metric if all looked at all documents."""
    name, one = name_of(column, is_self=is_self), COLUMNS[column][1]
    arrays, given = flat(*draw(FOR_TRUTH, one, rng), np.ones(N_DOCUMENTS))
    return evaluate(*arrays, name, **given)[name]


def simulate(
    column, truth, rng, *, propensity=LOOK, clip=0.0, is_self=False, n=N_QUERIES,
    noise=0.0, n_shown=N_DOCUMENTS,
):  # fmt: skip
    """Return the mean error and how often an interval has the true value, in %."""
    name, one = name_of(column, is_self=is_self, clip=clip), COLUMNS[column][1]
    estimates, held = [], 0
    for _ in range(N_LOGS):
        relevant, scores = draw(n, one, rng)
        seen = (rng.random(relevant.shape) < LOOK) & (n_shown >= SHOWN)
        clicks = seen & (relevant | (rng.random(relevant.shape) < noise))
        arrays, given = flat(clicks, scores, propensity)
        row = confidence_interval(score_queries(*arrays, name, **given))[name]
        estimates.append(row.estimate)
        held += row.low <= truth <= row.high
    bias = 100 * (np.mean(estimates) / truth - 1)
    spread = 100 * np.std(estimates) / truth
    sign = "\N{MINUS SIGN}" if round(bias) < 0 else ""
    return f"{sign}{abs(bias):.0f} ± {spread:.0f}", f"{100 * held / N_LOGS:.0f}"


def main():
    # Some logs of 50 queries have fewer than 10 clicks that count.
    warnings.filterwarnings("ignore", "The interval may be too narrow", UserWarning)
    rng = np.random.default_rng(0)
    truths = {
        (column, is_self): true_value(column, is_self, rng)
        for column in COLUMNS
        for is_self in (False, True)
    }
    lines = [["", *(cell for column in COLUMNS for cell in (column, "held"))]]
    for label, how in ROWS.items():
        lines.append([label])
        for column in COLUMNS:
            truth = truths[column, how.get("is_self", False)]
            lines[-1] += simulate(column, truth, rng, **how)
        print(lines[-1], flush=True)
    widths = "   :widths: 40 13 7 13 7 13 7"
    TABLE.write_text(list_table(lines, "", widths), "utf-8")


if __name__ == "__main__":
    main()
