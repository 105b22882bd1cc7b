"""The rank metrics that only link prediction has, and their names."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from skrank.link_prediction import _closed_forms as closed
from skrank.metrics._measure import mean_of_queries, pooled_by, reads_first_rank
from skrank.metrics._names import is_name, parse_name
from skrank.metrics._own_queries import evaluate_own_queries
from skrank.metrics._rank_summaries import (
    geometric_first_rank,
    pooled_geometric_mean,
    pooled_median,
    weighted_median,
)
from skrank.metrics._ranks import first_rank, hit, reciprocal_rank


def _inverse(pool):
    def inverse(ranking, values, weight):
        return 1 / pool(ranking, values, weight)

    return inverse


def _shares(ranking, weight):
    """Return weights that sum to 1."""
    if weight is None:
        return np.full(ranking.n_queries, 1 / ranking.n_queries)
    return weight / weight.sum()


def _law(ranking, weight):
    """Return all ranks that the right candidates may have, and their weights."""
    query, rank, chance = ranking.first_rank_law()
    return rank, chance * _shares(ranking, weight)[query]


def _variance(ranking, values, weight):
    rank, mass = _law(ranking, weight)
    return float(np.dot(mass, (rank - np.dot(mass, rank)) ** 2))


def _standard_deviation(ranking, values, weight):
    return np.sqrt(_variance(ranking, values, weight))


# The standard deviation of a normal law is this multiple of its median deviation.
NORMAL = float(1 / norm.ppf(0.75))


def _median_deviation(ranking, values, weight):
    rank, mass = _law(ranking, weight)
    group = np.zeros(len(rank), dtype=np.intp)
    (median,) = weighted_median(group, rank, mass, 1)
    (deviation,) = weighted_median(group, np.abs(rank - median), mass, 1)
    return NORMAL * float(deviation)


def _count(ranking, values, weight):
    return float(ranking.n_queries)


def _adjusted(levels):
    """Return the pool of (M - E) / (1 - E): 0 for random scores, 1 for perfect ones."""

    def adjusted(ranking, values, weight, k=None):
        value, mean, _ = levels(ranking, values, weight, k)
        return (value - mean) / (1 - mean) if mean != 1 else np.nan

    return adjusted


def _standardized(levels, sign=1):
    """Return the pool of (M - E) / sqrt(V), with the sign that makes larger better."""

    def standardized(ranking, values, weight, k=None):
        value, mean, variance = levels(ranking, values, weight, k)
        return sign * (value - mean) / np.sqrt(variance) if variance > 0 else np.nan

    return standardized


def _levels(moments):
    """Return what says the mean, and its mean and variance under random scores."""

    def levels(ranking, values, weight, k):
        n, shares = ranking.n_documents, _shares(ranking, weight)
        value = mean_of_queries(ranking, values, weight)
        return value, *closed.moments_of_mean(moments, n, shares, k)

    return levels


_RANK = _levels(closed.moments_of_rank)
_RECIPROCAL = _levels(closed.moments_of_reciprocal)
_HIT = _levels(closed.moments_of_hit)


def _geometric(ranking, values, weight, k):
    n, shares = ranking.n_documents, _shares(ranking, weight)
    value = pooled_geometric_mean(ranking, values, weight)
    return value, *closed.moments_of_geometric_mean(n, shares)


class Summary(NamedTuple):
    """A metric of ranks: what it reads of each, how it sums up, and what is better."""

    definition: object
    pool: object
    greater_is_better: bool = True
    cut: bool = False


SUMMARIES = {
    "harmonic_mean_rank": Summary(reciprocal_rank, _inverse(mean_of_queries), False),
    "inverse_mean_rank": Summary(first_rank, _inverse(mean_of_queries)),
    "inverse_geometric_mean_rank": Summary(
        geometric_first_rank, _inverse(pooled_geometric_mean)
    ),
    "inverse_median_rank": Summary(first_rank, _inverse(pooled_median)),
    "rank_variance": Summary(first_rank, _variance, False),
    "rank_standard_deviation": Summary(first_rank, _standard_deviation, False),
    "rank_median_absolute_deviation": Summary(first_rank, _median_deviation, False),
    "n_ranks": Summary(first_rank, _count),
    "adjusted_mrr": Summary(reciprocal_rank, _adjusted(_RECIPROCAL)),
    "adjusted_hits": Summary(hit, _adjusted(_HIT), cut=True),
    "adjusted_geometric_mean_rank_index": Summary(
        geometric_first_rank, _adjusted(_geometric)
    ),
    "z_mean_rank": Summary(first_rank, _standardized(_RANK, sign=-1)),
    "z_geometric_mean_rank": Summary(
        geometric_first_rank, _standardized(_geometric, sign=-1)
    ),
    "z_mrr": Summary(reciprocal_rank, _standardized(_RECIPROCAL)),
    "z_hits": Summary(hit, _standardized(_HIT), cut=True),
}

# The names in PyKEEN's results, which are not negated, and the names here.
PYKEEN_NAMES = {
    "arithmetic_mean_rank": "neg_mean_rank",
    "geometric_mean_rank": "neg_geometric_mean_rank",
    "harmonic_mean_rank": "neg_harmonic_mean_rank",
    "median_rank": "neg_median_rank",
    "inverse_arithmetic_mean_rank": "inverse_mean_rank",
    "inverse_harmonic_mean_rank": "mrr",
    "variance": "neg_rank_variance",
    "standard_deviation": "neg_rank_standard_deviation",
    "median_absolute_deviation": "neg_rank_median_absolute_deviation",
    "count": "n_ranks",
    "adjusted_arithmetic_mean_rank": "neg_adjusted_mean_rank",
    "adjusted_arithmetic_mean_rank_index": "adjusted_mean_rank_index",
    "adjusted_inverse_harmonic_mean_rank": "adjusted_mrr",
    "z_arithmetic_mean_rank": "z_mean_rank",
    "z_inverse_harmonic_mean_rank": "z_mrr",
    "hits_at_": "hits@",
    "adjusted_hits_at_": "adjusted_hits@",
    "z_hits_at_": "z_hits@",
}

# The rules of other libraries: in OGB's Hits@k a positive has to beat the k-th
# negative.
CONVENTIONS = {
    "pykeen": {"*": "realistic"},
    "ogb": {"*": "realistic", "hits": "pessimistic"},
    "ampligraph": {"*": "pessimistic"},
}

_GRAMMAR = re.compile(r"(neg_)?([a-z_]+?)(?:@([1-9][0-9]*))?", re.ASCII)
_PYKEEN_GRAMMAR = re.compile(r"([a-z_]*?hits_at_|[a-z_]+?)([1-9][0-9]*)?", re.ASCII)


def evaluate_ranks(ranks, metrics, params, caller, sample_weight=None):
    """Evaluate metrics of ranks, those that only link prediction has among them.

    Parameters
    ----------
    ranks : LinkRanks
        The ranks.
    metrics : str, callable or list of them
        Scorer names, names of `SUMMARIES` and `PYKEEN_NAMES`, or definitions.
    params : dict
        Parameters of the metrics; `ties` is None or a policy, `convention` is None or
        one of `CONVENTIONS`.
    caller : str
        The function that errors name.
    sample_weight : ndarray of shape (n_ranks,), default=None
        The weight of each rank.

    Returns
    -------
    scores : dict of str to float
        The value under each name.
    """
    params = dict(params)
    ties, convention = params.pop("ties", None), params.pop("convention", None)
    rules = {"*": "expected"} if convention is None else CONVENTIONS[convention]
    asked, by_ties = {}, {}
    for metric in _listed(metrics, caller):
        key, target, sign = resolve(metric, params)
        asked[key] = target if isinstance(target, str) else key, sign
        base = str(target).partition("@")[0]
        how = ties or rules.get(base, rules["*"])
        by_ties.setdefault(how, {})[asked[key][0]] = target
    values = {}
    for how, targets in by_ties.items():
        values |= evaluate_own_queries(
            ranks,
            list(targets.values()),
            {"ties": how, **params},
            caller,
            sample_weight,
        )
    return {key: sign * values[target] for key, (target, sign) in asked.items()}


def _listed(metrics, caller):
    if isinstance(metrics, str) or callable(metrics):
        return [metrics]
    if not np.iterable(metrics) or not len(metrics := list(metrics)):
        raise ValueError(
            f"The 'metrics' parameter of {caller} must be a str, a callable or a list "
            f"of at least one of them. Got {metrics!r} instead."
        )
    return metrics


def resolve(metric, params=()):
    """Return (key, target, sign): what to evaluate, and what its value is times."""
    if not isinstance(metric, str):
        return getattr(metric, "__name__", type(metric).__name__), metric, 1
    if is_name(metric):
        return metric, metric, 1
    name = _from_pykeen(metric)
    own = _GRAMMAR.fullmatch(name)
    summary = SUMMARIES.get(own.group(2)) if own else None
    adjusted = "adjusted" in params and params["adjusted"]
    if summary is None and is_name(name):
        return metric, name, -1 if name.startswith("neg_") and not adjusted else 1
    is_valid = (
        summary is not None
        and bool(own.group(1)) is not summary.greater_is_better
        and bool(own.group(3)) is summary.cut
    )
    if not is_valid:
        _refuse(metric)
    if adjusted:
        raise ValueError(
            f"The metric {metric!r} has no adjusted=True. Metrics of skrank.metrics "
            "and those whose name begins with 'adjusted_' are adjusted."
        )
    negated = name == metric and not summary.greater_is_better
    k = int(own.group(3)) if summary.cut else None
    return metric, _definition(metric, summary, k), -1 if negated else 1


def _from_pykeen(name):
    """Return the name here of a metric that is named as PyKEEN does."""
    found = _PYKEEN_GRAMMAR.fullmatch(name)
    if found and bool(found.group(2)) is found.group(1).endswith("_at_"):
        known = PYKEEN_NAMES.get(found.group(1))
        return name if known is None else known + (found.group(2) or "")
    return name


def name_if_negated(name):
    """Return the negated name of a metric of which less is better, else None."""
    found = _from_pykeen(name)
    return found if found != name and found.startswith("neg_") else None


def _definition(name, summary, k):
    """Return a definition of that name."""

    def definition(ranking):
        return summary.definition(ranking, **({} if k is None else {"k": k}))

    definition.__name__ = name
    pool = summary.pool if k is None else partial(summary.pool, k=k)
    return reads_first_rank(pooled_by(pool)(definition))


def _refuse(name):
    """Raise, with the nearest name."""
    if is_name(f"neg_{name}"):
        raise ValueError(
            f"{name!r} is not a valid metric of ranks. Did you mean {f'neg_{name}'!r}?"
        )
    known = {
        base: ("" if one.greater_is_better else "neg_") + base + ("@10" * one.cut)
        for base, one in SUMMARIES.items()
    }
    known |= {one: one + "10" * one.endswith("_at_") for one in PYKEEN_NAMES}
    bare = name.removeprefix("neg_").partition("@")[0]
    near = difflib.get_close_matches(bare, known, n=1, cutoff=0.8)
    if near:
        raise ValueError(
            f"{name!r} is not a valid metric of ranks. Did you mean {known[near[0]]!r}?"
        )
    parse_name(name)  # raises, and names the nearest of skrank's names
