"""Intervals of one mean of a metric whose limits are known.

It takes ten minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats import confidence_interval
from skrank.stats.inference import hall
from tests.studies import populations
from tests.studies.experiments import covers, percent
from tests.studies.populations import LARGE, draw
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "one_mean.rst"
SEED = 2005
NS = (10, 20, 50, 200)
METHODS = ("auto", "hall", "t")


def rare(rng, usual, others, share):
    """Values of which most are as usual, and a share like the others."""
    return np.where(rng.random(LARGE) < share, rng.choice(others, LARGE), usual)


ORDINARY = {
    "reciprocal ranks, hard": populations.reciprocal_ranks,
    "reciprocal ranks, easy": lambda rng: 1 / rng.geometric(0.6, LARGE),
    "average precisions": populations.average_precisions,
    "NDCG": lambda rng: rng.beta(4, 2, LARGE),
    "precision@10": lambda rng: rng.binomial(10, rng.beta(2, 3, LARGE)) / 10,
    "values that vary little": lambda rng: rng.normal(0.7, 0.05, LARGE).clip(0, 1),
    "beta(.3, 3)": lambda rng: rng.beta(0.3, 3, LARGE),
}
RARE = {
    "95 % are 0, others from 0 to 1": partial(
        rare, usual=0.0, others=np.linspace(0.1, 1, 10), share=0.05
    ),
    "90 % are 1, 8 % .99, 2 % 0": partial(
        rare, usual=1.0, others=[0.99] * 4 + [0.0], share=0.1
    ),
    "97 % are .5, others 0": partial(rare, usual=0.5, others=[0.0], share=0.03),
}
HITS = {
    "hits of 5 %": partial(rare, usual=0.0, others=[1.0], share=0.05),
    "hits of 50 %": partial(rare, usual=0.0, others=[1.0], share=0.5),
}


def measured(values, n_samples, population, measure):
    """Return `measure` of the ends, the mean and the ends of t, by method and n."""
    rng, found = np.random.default_rng(SEED), {method: [] for method in METHODS}
    values = population(rng)
    for n in NS:
        samples = values[draw(rng, n, n_samples, len(values))].T
        ends = {method: ends_of(samples, method) for method in METHODS}
        for method, of_method in ends.items():
            found[method].append(measure(of_method, values.mean(), ends["t"]))
    return found


def ends_of(samples, method):
    ends, qid = [], np.arange(len(samples[0]))
    for sample in samples:
        if method == "hall":
            ends.append(hall_of(sample))
            continue
        scores = QueryScores.from_frame({"qid": qid, "ndcg": sample})
        interval = confidence_interval(scores, method=method)["ndcg"]
        ends.append((interval.low, interval.high))
    return np.array(ends)


def hall_of(sample):
    """Return the ends that values without known limits have, within these limits."""
    n, mean = len(sample), sample.mean()
    error, variance = sample.std(ddof=1) / np.sqrt(n), sample.var()
    skewness = 0.0
    if variance > 0:
        skewness = ((sample - mean) ** 3).mean() / variance**1.5 / np.sqrt(n)
    return np.clip(hall(mean, error, n - 1, skewness, 0.95), 0, 1)


def coverage(ends, mean, ends_of_t):
    return percent(covers(*ends.T, mean))


def width(ends, mean, ends_of_t):
    widths, of_t = (np.ptp(each, axis=1).mean() for each in (ends, ends_of_t))
    return float(widths / of_t) if of_t > 0 else np.nan


def table(title, measure, bars):
    rows = rows_of(measured, "population", ORDINARY | RARE, bars, measure=measure)
    rows += rows_of(measured, "population", HITS, measure=measure)
    return Table(title, [*METHODS], rows)


QUERIES = f"with {' / '.join(map(str, NS))} queries"
TABLES = {
    "coverage": table(
        f"Coverage of one mean {QUERIES}, in %", coverage, {"auto": (93.5, 100)}
    ),
    "widths": table(
        f"The mean width {QUERIES}, divided by that of Student's t", width, {}
    ),
}
