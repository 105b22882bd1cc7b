"""Random families of comparisons, of every kind that `compare_rankers` accepts."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats.inference import distinct_columns, standard_error
from skrank.stats.paired_tests import Family
from tests.stats.pilot import comparison_of

# What the values of a query are: each function returns the shape that is asked for.
KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "few values": lambda rng, shape: rng.integers(0, 4, size=shape) / 4,
    "hits": lambda rng, shape: 1.0 * (rng.random(shape) < 0.6),
    "mostly tied": lambda rng, shape: rng.random(shape) * (rng.random(shape) < 0.2),
    "skewed": lambda rng, shape: rng.lognormal(sigma=1.5, size=shape),
    "reciprocal ranks": lambda rng, shape: 1 / np.ceil(5 * rng.pareto(1.0, shape) + 1),
    "constant": lambda rng, shape: np.broadcast_to(
        rng.integers(0, 3, size=(*shape[:-1], 1)) / 2.0, shape
    ),
}


def random_family(rng):
    """Return scores and the options of a comparison with several differences."""
    n_rankers = int(rng.integers(2, 7))
    n_metrics = int(rng.integers(1 + (n_rankers == 2), 4))
    n = int(rng.choice([2, 3, 5, 6, 8, 12, 14, 20, 50, 120]))
    values = np.stack(
        [
            KINDS[rng.choice([*KINDS])](rng, (n_rankers, n)).astype(np.float64)
            for _ in range(n_metrics)
        ]
    )
    shifts = rng.choice([0, 0, 0.1, 0.5, 2], size=(n_metrics, n_rankers, 1))
    values = values + shifts * rng.choice([-1, 1]) * (rng.random() < 0.7)
    if rng.random() < 0.2:
        values[rng.random(values.shape) < 0.1] = np.nan
    qid, weight = np.arange(n), None
    if rng.random() < 0.3:
        weight = rng.choice([0.5, 1.0, 3.0], size=n)
    if rng.random() < 0.2:
        weight = rng.pareto(1.0, size=n) + 0.1
    country, user = rng.choice(["x", "y"], n), rng.integers(max(n // 3, 2), size=n)
    columns = {"qid": qid, "country": country, "user": user}
    columns["weight"] = np.ones(n) if weight is None else weight
    frame = {name: np.tile(column, n_rankers) for name, column in columns.items()}
    frame["ranker"] = np.repeat([f"r{i}" for i in range(n_rankers)], n)
    frame |= {f"m{i}": of_metric.ravel() for i, of_metric in enumerate(values)}
    scores = QueryScores.from_frame(
        frame,
        ranker="ranker",
        by=["country", "user"],
        sample_weight=None if weight is None else "weight",
        replace_undefined_by=rng.choice([0.0, np.nan]),
    )
    options = {
        "test": rng.choice(["auto", "permutation", "t"]),
        "margin": float(rng.choice([0, 0, 0, 0.1, 0.5])),
        "confidence_level": float(rng.choice([0.8, 0.95, 0.95, 0.99])),
        "n_resamples": int(rng.choice([99, 499, 999])),
        "baseline": rng.choice([None, "r0"]),
        "by": rng.choice([None, None, "country"]),
        "clusters": rng.choice([None, None, "user"]),
    }
    options = {name: getattr(x, "item", lambda x=x: x)() for name, x in options.items()}
    return scores, options


def contradictions(scores, options, correction="max-t"):
    """Return the rows whose interval and adjusted p-value disagree, and all rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        comparison = comparison_of(scores, correction=correction, **options)
    level, margin = 1 - options["confidence_level"], options["margin"]
    odd = []
    for row in comparison.rows:
        above, below = row.low > -margin, row.high < margin
        excludes = above and below if margin else not row.low <= 0 <= row.high
        inside = row.low <= row.difference <= row.high
        if excludes != (row.p_adjusted <= level + 1e-9) or not inside:
            odd.append(row)
    return odd, comparison.rows


def family_of(top, bottom):
    """Return the family of differences of terms of shape (n_units, n_comparisons)."""
    n_units, n = top.shape
    errors, df = standard_error(top, bottom, None)
    bottoms, place = distinct_columns(bottom)
    return Family(
        columns=np.hstack([top, np.zeros((n_units, 1))]),
        plus=np.arange(n),
        minus=np.full(n, n),
        bottoms=bottoms,
        bottom=place,
        errors=np.nan_to_num(errors),
        df=df,
        signs=np.where(top[:, 0] < 0, -1.0, 1.0),
        ranges=np.ones(n),
        allows_for_unseen=np.zeros(n, bool),
    )
