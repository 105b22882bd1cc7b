"""The table of metrics, and how a scorer name is read."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from skrank.metrics import (
    _adjusted_geometric,
    _adjusted_hits,
    _adjusted_ranks,
    _agreement,
    _binary,
    _cascade,
    _graded,
    _inverse_ranks,
    _judged,
    _order,
    _precision,
    _q_measure,
    _rank_spread,
    _rank_summaries,
    _ranks,
    _z_scores,
)


@dataclass(frozen=True)
class Metric:
    """One row of the table.

    Attributes
    ----------
    name : str
        The name in ``scoring=``, without ``neg_`` and ``@k``.
    definition : callable
        Maps a ranking, and the metric's own parameters, to one value per query.
    door : callable
        The public function.
    cut : {"optional", "required", "never"}, default="optional"
        Whether the name takes ``@k``.
    greater_is_better : bool, default=True
        False for metrics whose scorer name starts with ``neg_``.
    """

    name: str
    definition: Callable
    door: Callable
    cut: str = "optional"
    greater_is_better: bool = True

    @property
    def full_name(self):
        """Return the scorer name without ``@k``."""
        return self.name if self.greater_is_better else f"neg_{self.name}"


class ScorerName(NamedTuple):
    """A scorer name that was read: a metric, its cutoff and its sign."""

    metric: Metric
    k: int | None
    sign: int


_ROWS = [
    Metric("mrr", _ranks.reciprocal_rank, _ranks.mrr_score),
    Metric("hits", _ranks.hit, _ranks.hits_at_k_score, cut="required"),
    Metric(
        "mean_rank",
        _ranks.first_rank,
        _ranks.mean_rank,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "median_rank",
        _rank_summaries.median_of_first_rank,
        _rank_summaries.median_rank,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "geometric_mean_rank",
        _rank_summaries.geometric_first_rank,
        _rank_summaries.geometric_mean_rank,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "harmonic_mean_rank",
        _rank_summaries.harmonic_first_rank,
        _rank_summaries.harmonic_mean_rank,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "inverse_mean_rank",
        _inverse_ranks.inverse_of_first_rank,
        _inverse_ranks.inverse_mean_rank_score,
        cut="never",
    ),
    Metric(
        "inverse_geometric_mean_rank",
        _inverse_ranks.inverse_of_geometric_mean,
        _inverse_ranks.inverse_geometric_mean_rank_score,
        cut="never",
    ),
    Metric(
        "inverse_median_rank",
        _inverse_ranks.inverse_of_median,
        _inverse_ranks.inverse_median_rank_score,
        cut="never",
    ),
    Metric(
        "rank_variance",
        _rank_spread.variance_of_first_rank,
        _rank_spread.rank_variance,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "rank_standard_deviation",
        _rank_spread.deviation_of_first_rank,
        _rank_spread.rank_standard_deviation,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "rank_median_absolute_deviation",
        _rank_spread.median_deviation_of_first_rank,
        _rank_spread.rank_median_absolute_deviation,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "adjusted_mean_rank",
        _adjusted_ranks.rank_over_chance,
        _adjusted_ranks.adjusted_mean_rank,
        cut="never",
        greater_is_better=False,
    ),
    Metric(
        "adjusted_mean_rank_index",
        _adjusted_ranks.rank_index,
        _adjusted_ranks.adjusted_mean_rank_index_score,
        cut="never",
    ),
    Metric(
        "adjusted_geometric_mean_rank_index",
        _adjusted_geometric.geometric_index,
        _adjusted_geometric.adjusted_geometric_mean_rank_index_score,
        cut="never",
    ),
    Metric(
        "adjusted_mrr",
        _adjusted_hits.adjusted_reciprocal_rank,
        _adjusted_hits.adjusted_mrr_score,
    ),
    Metric(
        "adjusted_hits",
        _adjusted_hits.adjusted_hit,
        _adjusted_hits.adjusted_hits_at_k_score,
        cut="required",
    ),
    Metric(
        "z_mean_rank",
        _z_scores.standardized_rank,
        _z_scores.z_mean_rank_score,
        cut="never",
    ),
    Metric(
        "z_geometric_mean_rank",
        _adjusted_geometric.standardized_geometric_mean,
        _adjusted_geometric.z_geometric_mean_rank_score,
        cut="never",
    ),
    Metric(
        "z_mrr",
        _z_scores.standardized_reciprocal_rank,
        _z_scores.z_mrr_score,
    ),
    Metric(
        "z_hits",
        _z_scores.standardized_hit,
        _z_scores.z_hits_at_k_score,
        cut="required",
    ),
    Metric(
        "precision", _binary.precision, _binary.precision_at_k_score, cut="required"
    ),
    Metric("recall", _binary.recall, _binary.recall_at_k_score, cut="required"),
    Metric("f1", _binary.fbeta, _binary.fbeta_at_k_score, cut="required"),
    Metric("map", _precision.average_precision, _precision.map_score),
    Metric(
        "mean_precision", _precision.mean_precision, _precision.mean_precision_score
    ),
    Metric(
        "r_precision",
        _precision.r_precision,
        _precision.r_precision_score,
        cut="never",
    ),
    Metric("bpref", _judged.binary_preference, _judged.bpref_score, cut="never"),
    Metric("judged", _judged.judged_share, _judged.judged_at_k_score, cut="required"),
    Metric("cg", _graded.cumulative_gain, _graded.cg_score),
    Metric("dcg", _graded.discounted_gain, _graded.dcg_score),
    Metric("ndcg", _graded.normalized_discounted_gain, _graded.ndcg_score),
    Metric("q_measure", _q_measure.q_measure, _q_measure.q_measure_score, cut="never"),
    Metric("err", _cascade.expected_reciprocal_rank, _cascade.err_score),
    Metric("rbp", _cascade.rank_biased_precision, _cascade.rbp_score),
    Metric("query_auc", _agreement.query_auc, _agreement.query_auc_score, cut="never"),
    Metric(
        "rank_correlation",
        _agreement.rank_correlation,
        _agreement.rank_correlation_score,
        cut="never",
    ),
    Metric("spearman", _order.spearman_correlation, _order.spearman_score, cut="never"),
    Metric("rbo", _order.rank_biased_overlap, _order.rbo_score, cut="never"),
]

METRICS = {row.name: row for row in _ROWS}

ALIASES = {
    "hit_rate": "hits",
    "success": "hits",
    "p": "precision",
    "r": "recall",
    "gauc": "query_auc",
}

# scikit-learn's list of names shows these cutoffs; every other one works as well.
_LISTED_K = {"optional": (None, 10), "required": (1, 5, 10), "never": (None,)}

_GRAMMAR = re.compile(r"(neg_)?([a-z0-9_]+?)(?:@([1-9][0-9]*))?", re.ASCII)


def listed_names():
    """Return the scorer names to list, sorted."""
    return sorted(
        metric.full_name + (f"@{k}" if k else "")
        for metric in METRICS.values()
        for k in _LISTED_K[metric.cut]
    )


def is_name(name):
    """Tell whether `name` is a scorer name, for any k."""
    return isinstance(name, str) and _read(name) is not None


def parse_name(name):
    """Read a scorer name: ``["neg_"] name ["@" k]``.

    Parameters
    ----------
    name : str
        For example "mrr", "ndcg@10" or "neg_mean_rank".

    Returns
    -------
    scorer_name : ScorerName
        The metric, the cutoff or None, and the sign.

    Raises
    ------
    ValueError
        If the name is unknown, or its metric does not take ``@k`` or needs it; the
        message names the nearest valid one.
    """
    parsed = _read(name) if isinstance(name, str) else None
    if parsed is None:
        raise ValueError(
            f"{name!r} is not a valid scoring value. Use "
            "skrank.metrics.get_scorer_names() to get valid options." + _nearest(name)
        )
    return parsed


def _read(name):
    match = _GRAMMAR.fullmatch(name)
    if match is None:
        return None
    negative, base, k = match.groups()
    metric = METRICS.get(ALIASES.get(base, base))
    if metric is None or bool(negative) is metric.greater_is_better:
        return None
    if (metric.cut == "never" and k) or (metric.cut == "required" and not k):
        return None
    sign = 1 if metric.greater_is_better else -1
    return ScorerName(metric, int(k) if k else None, sign)


def _nearest(name):
    """Return a sentence that names the nearest valid name, or nothing."""
    if not isinstance(name, str):
        return ""
    base, _, k = name.strip().lower().partition("@")
    k = k.strip()
    bare = re.sub("^(neg_)+", "", base)
    known = [*METRICS, *ALIASES]
    close = difflib.get_close_matches(bare, known, n=1, cutoff=0.5)
    if not close:
        return ""
    metric = METRICS[ALIASES.get(close[0], close[0])]
    k = int(k) if k.isascii() and k.isdigit() and int(k) else 10
    with_k = metric.cut == "required" or (metric.cut == "optional" and "@" in name)
    return f" Did you mean {metric.full_name + (f'@{k}' if with_k else '')!r}?"
