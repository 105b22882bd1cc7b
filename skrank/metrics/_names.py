"""The grammar of scorer names: ``["neg_"] name ["@" k]``."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re
from typing import NamedTuple

# These imports fill the table METRICS.
from skrank.metrics import (  # noqa: F401
    _agreement,
    _average_precision,
    _first_relevant,
    _gains,
    _judged,
    _rank_means,
    _rank_spread,
    _reader,
    _top_k,
)
from skrank.metrics._metric import METRICS, Metric

ALIASES = {
    "hit": "hits",
    "hit_rate": "hits",
    "hr": "hits",
    "success": "hits",
    "p": "precision",
    "r": "recall",
    "gauc": "query_auc",
    "recip_rank": "mrr",
}

# The cutoffs that scikit-learn lists; names with any other cutoff are valid, too.
_LISTED_K = {"optional": (None, 10), "required": (1, 5, 10), "never": (None,)}

_GRAMMAR = re.compile(
    r"(?P<negative>neg_)?(?P<base>[a-z0-9_]+?)(?:(?:@|_at_)(?P<k>[1-9][0-9]*))?",
    re.ASCII,
)


class ScorerName(NamedTuple):
    """A parsed scorer name: the metric, its cutoff and its sign."""

    metric: Metric
    k: int | None
    sign: int


def listed_names():
    """Return the scorer names to list, sorted."""
    return sorted(
        metric.full_name + (f"@{k}" if k else "")
        for metric in METRICS.values()
        for k in _LISTED_K[metric.cutoff]
    )


def is_name(name):
    """Return True if `name` is a scorer name, for any k."""
    return isinstance(name, str) and _read(name) is not None


def parse_name(name):
    """Read a scorer name.

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
        If the name is unknown, or its metric does not accept ``@k`` or requires it. The
        message suggests the nearest valid name.
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
    negative, base, k = match.group("negative", "base", "k")
    metric = METRICS.get(ALIASES.get(base, base))
    if metric is None or bool(negative) != metric.full_name.startswith("neg_"):
        return None
    if (metric.cutoff == "never" and k) or (metric.cutoff == "required" and not k):
        return None
    return ScorerName(metric, int(k) if k else None, -1 if negative else 1)


def _nearest(name):
    """Return a sentence that suggests the nearest valid name, or an empty str."""
    if not isinstance(name, str):
        return ""
    base, at, k = name.strip().lower().replace("_at_", "@").partition("@")
    k = k.strip()
    bare = re.sub("^(neg_)+", "", base)
    known = [*METRICS, *ALIASES]
    close = difflib.get_close_matches(bare, known, n=1, cutoff=0.5)
    if not close:
        return ""
    metric = METRICS[ALIASES.get(close[0], close[0])]
    k = int(k) if k.isascii() and k.isdigit() and int(k) else 10
    with_k = metric.cutoff == "required" or (metric.cutoff == "optional" and at)
    return f" Did you mean {metric.full_name + (f'@{k}' if with_k else '')!r}?"
