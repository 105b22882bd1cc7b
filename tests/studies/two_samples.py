"""Differences of two samples of other queries, which are not paired.

It takes half a minute. The intervals are those of Welch's test, which `compare_rankers`
has by default, of all samples at once.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.stats import t as student

from skrank.stats.inference import effective_units
from tests.studies.experiments import LEVEL, averaged, covers
from tests.studies.populations import latent, mrr, ndcg
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "two_samples.rst"
NS = (20, 50, 200, 1000)
AT_A_TIME, LARGE, SEED = 500, 1_000_000, 81
EQUAL, MORE = "as many", "three times as many"


def of_latent(metric, gain):
    return lambda rng, n: metric(latent(rng, [gain], n)[0])


def precisions(rng, n, least=0.3):
    return rng.binomial(10, rng.beta(2 * least, 2 * (1 - least), size=n)) / 10


def hits(rng, n, share):
    return (rng.random(n) < share).astype(float)


def revenue(rng, n, scale=1.0):
    """Return values of which 2 % are thirty times as large as the others."""
    return scale * rng.random(n) * np.where(rng.random(n) < 0.02, 30, 1)


def users(rng, n, mean):
    """Return the sums of the values of users, and how many queries they have."""
    size = rng.geometric(0.2, size=n)
    own = rng.normal(mean, 0.15, size=n) + rng.normal(0, 0.2 / size**0.5)
    return own * size, size


def drawn(draw, rng, n, n_samples=1):
    """Return the sums of the units of some samples, and their weights."""
    found = draw(rng, n * n_samples)
    pair = found if isinstance(found, tuple) else (found, np.ones_like(found))
    return [x.reshape(n, n_samples) for x in pair]


def ends(last, this):
    """Return the ends of the intervals of some samples."""
    means, variances, dfs = [], [], []
    for top, bottom in (last, this):
        n, whole = len(top), bottom.sum(axis=0)
        means.append(top.sum(axis=0) / whole)
        squares = ((top - means[-1] * bottom) / whole) ** 2
        variances.append(n / (n - 1) * squares.sum(axis=0))
        dfs.append(effective_units(bottom) - 1)
    one, other = variances
    with np.errstate(invalid="ignore"):
        df = (one + other) ** 2 / (one**2 / dfs[0] + other**2 / dfs[1])
        radius = student.isf(LEVEL / 2, df) * np.sqrt(one + other)
    # Of equal values the interval is that of what the smaller sample lacks.
    radius[one + other == 0] = 1
    return means[1] - means[0] - radius, means[1] - means[0] + radius


def coverage(values, n_samples, draws):
    """Return the coverage of the difference, by the number of units of the second."""
    rng = np.random.default_rng(SEED)
    many = [drawn(draw, rng, LARGE) for draw in draws]
    truth = np.subtract(*[top.sum() / bottom.sum() for top, bottom in many[::-1]])

    def decide(n):
        last, *this = (
            drawn(draw, rng, m, min(n_samples, AT_A_TIME))
            for draw, m in ((draws[0], n), (draws[1], n), (draws[1], 3 * n))
        )
        return {
            column: covers(*ends(last, one), truth)
            for column, one in zip((EQUAL, MORE), this, strict=True)
        }

    return averaged(NS, lambda n: [n] * -(-n_samples // AT_A_TIME), decide)


KINDS = {
    "NDCG": [of_latent(ndcg, gain) for gain in (0, 0.25)],
    "MRR": [of_latent(mrr, gain) for gain in (0, 0.25)],
    "MRR, and much better": [of_latent(mrr, gain) for gain in (0, 2)],
    "average precisions": [lambda rng, n, a=a: rng.beta(a, 3, n) for a in (1.2, 1)],
    "precisions of ten": [precisions, lambda rng, n: precisions(rng, n, 0.35)],
    "hits, 60 % and 65 %": [lambda rng, n, p=p: hits(rng, n, p) for p in (0.6, 0.65)],
    "NDCG of users of 5 queries on average": [
        lambda rng, n, mean=mean: users(rng, n, mean) for mean in (0.5, 0.52)
    ],
}
RARE = {
    "hits, 4 % and 5 %": [lambda rng, n, p=p: hits(rng, n, p) for p in (0.04, 0.05)],
    "2 % are 30 times as large": [revenue, lambda rng, n: revenue(rng, n, 1.1)],
}
TABLES = {
    "two_samples": Table(
        "Coverage of the difference of 20 / 50 / 200 / 1,000 queries or users and as "
        "many others, or three times as many, in %",
        [EQUAL, MORE],
        [
            *rows_of(coverage, "draws", KINDS, dict.fromkeys((EQUAL, MORE), (93, 97))),
            *rows_of(coverage, "draws", RARE),
        ],
    )
}
