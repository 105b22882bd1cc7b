"""Metrics of the ranks of heads and tails, under the names of two libraries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re

import numpy as np

from skrank.metrics._answer import OwnRanks, answer_all
from skrank.metrics._conventions import CONVENTIONS
from skrank.metrics._evaluate import Asked, read_metric, read_requests
from skrank.metrics._metric import Metric
from skrank.metrics._names import is_name, parse_name

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

_PYKEEN_GRAMMAR = re.compile(r"([a-z_]*?hits_at_|[a-z_]+?)([1-9][0-9]*)?", re.ASCII)


def _count_ranks(ranking):
    """Return 1 for each rank."""
    return np.ones(ranking.n_queries)


# No metric, but PyKEEN's results hold the count.
N_RANKS = Metric(
    "n_ranks",
    _count_ranks,
    pool=lambda ranking, values, weight: float(values.sum()),
    reads_first_rank=True,
)


def evaluate_ranks(ranks, metrics, params, caller, sample_weight=None):
    """Return the values of metrics of LinkRanks, by name.

    `ties` in `params` is None or a policy, and `convention` is None or one of the
    libraries that rank links.
    """
    params = {name: value for name, value in params.items() if value is not None}
    requests = read_rank_requests(metrics, params, caller)
    return answer_all(requests, OwnRanks(ranks, caller, sample_weight))


def read_rank_requests(metrics, params, caller):
    """Read which metrics of ranks are asked for, as Requests."""
    return read_requests(
        metrics, params, caller, read=read_rank_metric, rules=_rules_of_ranks
    )


def _rules_of_ranks(convention, metric, has_cutoff):
    if convention is None:
        return {}
    ties = CONVENTIONS[convention].ranks
    return {"ties": ties.get(metric, ties["*"])}


def read_rank_metric(metric):
    """Return what a metric of ranks asks for, also under the names of PyKEEN."""
    if not isinstance(metric, str) or is_name(metric):
        return read_metric(metric)
    name = _from_pykeen(metric)
    if name == N_RANKS.name:
        return Asked(metric, N_RANKS)
    if not is_name(name):
        _refuse(metric)
    # PyKEEN negates no metric.
    return read_metric(name)._replace(key=metric, sign=1)


def _from_pykeen(name):
    """Return the name here of a metric that is named as PyKEEN does."""
    found = _PYKEEN_GRAMMAR.fullmatch(name)
    if found and bool(found.group(2)) is found.group(1).endswith("_at_"):
        known = PYKEEN_NAMES.get(found.group(1))
        return name if known is None else known + (found.group(2) or "")
    return name


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
