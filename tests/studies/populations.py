"""Populations of queries to draw samples from, with a known truth.

Values of real rankers come from files of one row per ranker and query, with the columns
"ranker", "qid" and a column for each metric, as `QueryScores.to_frame` writes them. The
name of the file is that of the collection. All others are synthetic.
"""

# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from scipy.stats import norm

from skrank.metrics import QueryScores

# So many queries stand for infinitely many.
LARGE = 100_000


class Values(NamedTuple):
    """The values of one collection, of shape (n_rankers, n_metrics, n_queries)."""

    rankers: tuple
    metrics: tuple
    values: np.ndarray

    def of(self, ranker, metric):
        """Return the values of one ranker by one metric."""
        return self.values[self.rankers.index(ranker), self.metrics.index(metric)]

    def difference(self, metric, ranker, baseline):
        """Return the differences of the queries, 0 where they are rounding errors."""
        found = self.of(ranker, metric) - self.of(baseline, metric)
        return np.where(np.abs(found) < 1e-12, 0, found)


def read_values(files):
    """Return the :class:`Values` of each collection by the name of its file."""
    found = {}
    for file in map(Path, files):
        frame = pd.read_csv(file)
        scores = QueryScores.from_frame(
            frame, ranker="ranker", replace_undefined_by=np.nan
        )
        there = ~np.isnan(scores.values).any(axis=(0, 1))
        found[file.stem] = Values(
            scores.rankers, scores.metrics, scores.values[..., there]
        )
    return found


def draw(rng, n, n_samples, n_queries, weights=None):
    """Return the queries of some samples with replacement, (n, n_samples)."""
    if weights is None:
        return rng.integers(n_queries, size=(n, n_samples))
    return rng.choice(n_queries, size=(n, n_samples), p=weights)


def tilted(differences):
    r"""Return probabilities of the queries under which all mean differences are 0.

    Of all such probabilities those closest to equal ones, :math:`w_i \propto
    e^{\lambda d_i}`: the minimum of :math:`\log \sum_i e^{\lambda d_i}` over
    :math:`\lambda`, whose gradient is the weighted mean. Ties stay ties.

    Parameters
    ----------
    differences : ndarray of shape (n_queries, n_differences)
        The differences of the queries.
    """
    x = differences / differences.std(axis=0)

    def weights_at(tilt):
        return np.exp(x @ tilt - logsumexp(x @ tilt))

    def second(tilt):
        w = weights_at(tilt)
        mean = w @ x
        return (x * w[:, None]).T @ x - np.outer(mean, mean)

    found = minimize(
        lambda tilt: (logsumexp(x @ tilt), weights_at(tilt) @ x),
        np.zeros(x.shape[1]),
        jac=True,
        hess=second,
        method="trust-exact",
        options={"gtol": 1e-9, "maxiter": 100},
    )
    weights = weights_at(found.x)
    if np.abs(weights @ x).max() > 1e-6:
        raise ValueError("No weights of the queries make all mean differences 0.")
    return weights


def reciprocal_ranks(rng):
    """Return reciprocal ranks that are 0 below rank 20, skewed by 3."""
    ranks = np.ceil(np.exp(rng.normal(3.0, 1.5, size=LARGE)))
    return np.where(ranks <= 20, 1 / ranks, 0)


def average_precisions(rng):
    """Return values between 0 and 1 with a skewness of 0.8."""
    return rng.beta(1.2, 3.0, size=LARGE)


def hits(rng):
    """Return zeros and ones, 5 % of them ones."""
    return (np.arange(LARGE) < LARGE // 20).astype(float)


def ranks(rng):
    """Return ranks, half of them above 8."""
    return np.ceil(np.exp(rng.normal(2.0, 1.5, size=LARGE)))


def weighted_values(rng):
    """Return values and weights that grow with them, (2, n_queries)."""
    weight = rng.poisson(rng.gamma(2.0, 4.0, size=LARGE)) + 1.0
    return np.stack([rng.beta(0.5 + weight / 20, 2.0, size=LARGE), weight])


def queries_of_users(rng, n_users):
    """Return values with mean 0.5, and their users: 1 to 20 queries of each.

    Most users have few queries: 5 on average. Of the variance before the transformation
    to a uniform variable, 30 % is that of the users: their intraclass correlation.
    """
    return _of_users(rng, np.minimum(rng.geometric(0.2, size=n_users), 20))


def queries_of_uneven_users(rng, n_users):
    """Return values with mean 0.5, and their users, a few of which have most queries.

    The numbers of queries have Zipf's distribution with the exponent 1.7, up to 300.
    """
    return _of_users(rng, np.minimum(rng.zipf(1.7, size=n_users), 300))


def _of_users(rng, n_queries):
    user = np.repeat(np.arange(len(n_queries)), n_queries)
    noise = rng.normal(size=len(user)) * np.sqrt(0.7)
    effect = rng.normal(size=len(n_queries)) * np.sqrt(0.3)
    return norm.cdf(effect[user] + noise), user


# The fraction of hits of `hits_of_users`.
HITS_OF_USERS = 0.97


def hits_of_users(rng, n_users):
    """Return hits, 97 % of them, and their users: 1 to 5 queries of each.

    The fraction of hits differs between users, with an intraclass correlation of 0.3.
    """
    total = 1 / 0.3 - 1
    rate = rng.beta(HITS_OF_USERS * total, (1 - HITS_OF_USERS) * total, size=n_users)
    user = np.repeat(np.arange(n_users), rng.integers(1, 6, size=n_users))
    return (rng.random(len(user)) < rate[user]).astype(float), user


def latent(rng, quality, n=LARGE):
    """Return the logits of rankers of some qualities, (n_rankers, n)."""
    hard = rng.normal(0, 1.2, size=n)
    noise = rng.normal(0, 0.8, size=(len(quality), n))
    return hard + noise + np.array(quality)[:, None]


def mrr(logits):
    return 1 / np.ceil(np.exp(1 - logits))


def ndcg(logits):
    return expit(logits + 0.5)


def query_scores(values, metrics=None, qid=None):
    """Return the scores of values of shape (n_rankers, n_metrics, n)."""
    n_rankers, n_metrics, n = values.shape
    frame = {"qid": np.tile(np.arange(n) if qid is None else qid, n_rankers)}
    frame["ranker"] = np.repeat([f"r{i}" for i in range(n_rankers)], n)
    metrics = metrics or [f"m{j}" for j in range(n_metrics)]
    frame |= {name: values[:, j].ravel() for j, name in enumerate(metrics)}
    return QueryScores.from_frame(frame, ranker="ranker")


def ranks_of_equal_rankers(rng, n_rankers):
    """Return the ranks of rankers of equal quality, (n_rankers, n_queries).

    A query is hard or easy for all rankers, and suits some of them better. In half of
    the queries the rankers differ by that alone.
    """
    difficulty = rng.normal(1.5, 1.5, size=LARGE)
    suits = rng.normal(scale=0.6, size=(n_rankers, LARGE))
    noise = rng.logistic(scale=1.2, size=(n_rankers, LARGE))
    noise = np.where(rng.random(LARGE) < 0.5, noise[0], noise)
    return np.ceil(np.exp(difficulty + suits + noise))


def equal_rankers(rng, n_rankers):
    """Return reciprocal ranks with the same mean, (n_rankers, n_queries)."""
    found = 1 / ranks_of_equal_rankers(rng, n_rankers)
    return found - found.mean(axis=1, keepdims=True)  # equal in this pool as well


def rare_gains(rng):
    """Return differences with a mean of 0: large gains in 5 % of the queries."""
    gain = rng.random(LARGE) < 0.05
    found = np.where(gain, rng.random(LARGE), -rng.beta(1, 40, size=LARGE))
    found[~gain] *= -found[gain].sum() / found[~gain].sum()
    return found
