"""Metrics of the ranks of heads and tails, under the names of two libraries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re

import numpy as np

from skrank.metrics._measure import pooled_by, reads_first_rank
from skrank.metrics._names import is_name, parse_name
from skrank.metrics._own_queries import evaluate_own_queries

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

_PYKEEN_GRAMMAR = re.compile(r"([a-z_]*?hits_at_|[a-z_]+?)([1-9][0-9]*)?", re.ASCII)


@reads_first_rank
@pooled_by(lambda ranking, values, weight: float(values.sum()))
def n_ranks(ranking):
    """Return 1 for each rank: no metric, but PyKEEN's results hold the count."""
    return np.ones(ranking.n_queries)


def evaluate_ranks(ranks, metrics, params, caller, sample_weight=None):
    """Evaluate metrics of ranks.

    Parameters
    ----------
    ranks : LinkRanks
        The ranks.
    metrics : str, callable or list of them
        Scorer names, names of `PYKEEN_NAMES`, or definitions.
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
        target, sign = resolve(metric, params)
        name = target if isinstance(target, str) else _name_of(target)
        asked[metric if isinstance(metric, str) else name] = name, sign
        how = ties or rules.get(name.partition("@")[0], rules["*"])
        by_ties.setdefault(how, {})[name] = target
    values = {}
    for how, targets in by_ties.items():
        values |= evaluate_own_queries(
            ranks,
            list(targets.values()),
            {"ties": how, **params},
            caller,
            sample_weight,
        )
    return {key: sign * values[name] for key, (name, sign) in asked.items()}


def _listed(metrics, caller):
    if isinstance(metrics, str) or callable(metrics):
        return [metrics]
    if not np.iterable(metrics) or not len(metrics := list(metrics)):
        raise ValueError(
            f"The 'metrics' parameter of {caller} must be a str, a callable or a list "
            f"of at least one of them. Got {metrics!r} instead."
        )
    return metrics


def _name_of(function):
    return getattr(function, "__name__", type(function).__name__)


def resolve(metric, params=()):
    """Return (target, sign): what to evaluate, and what its value is times."""
    if not isinstance(metric, str) or is_name(metric):
        return metric, 1
    name = _from_pykeen(metric)
    if name == n_ranks.__name__:
        return n_ranks, 1
    if not is_name(name):
        _refuse(metric)
    adjusted = "adjusted" in params and params["adjusted"]
    return name, -1 if name.startswith("neg_") and not adjusted else 1


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


def _refuse(name):
    """Raise, with the nearest name."""
    bare = re.sub("[0-9]+$", "", name)
    close = difflib.get_close_matches(bare, PYKEEN_NAMES, n=1, cutoff=0.9)
    if close and not is_name(f"neg_{name}"):
        near = close[0] + "10" * close[0].endswith("_at_")
        raise ValueError(
            f"{name!r} is not a valid metric of ranks. Did you mean {near!r}?"
        )
    parse_name(name)  # raises, and names the nearest of skrank's names
