"""The grammar of scorer names: ``["neg_"] name ["@" k]``."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import difflib
import re
from typing import NamedTuple

from skrank._checks import shown

# These imports fill the table METRICS.
from skrank.metrics import (  # noqa: F401
    _agreement,
    _average_precision,
    _counts,
    _first_relevant,
    _gains,
    _judged,
    _label_ranking,
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

# Names of other libraries. They are not accepted; the error suggests the right one.
_WRITTEN_OUT = {
    "average_precision": "map",
    "mean_average_precision": "map",
    "gmap": "gm_map",
    "label_ranking_average_precision": "lrap",
    "label_ranking_loss": "ranking_loss",
    "reciprocal_rank": "mrr",
    "mean_reciprocal_rank": "mrr",
    "cumulative_gain": "cg",
    "discounted_cumulative_gain": "dcg",
    "normalized_discounted_cumulative_gain": "ndcg",
    "expected_reciprocal_rank": "err",
    "rank_biased_precision": "rbp",
    "rank_biased_overlap": "rbo",
    "binary_preference": "bpref",
    "hit_ratio": "hits",
}

# The cutoffs that scikit-learn lists; names with any other cutoff are valid, too.
_LISTED_K = {"optional": (None, 10), "required": (1, 5, 10), "never": (None,)}

_GRAMMAR = re.compile(
    r"(?P<negative>neg_)?(?P<base>[a-z0-9_]+?)(?:(?:@|_at_)(?P<k>[1-9][0-9]*))?",
    re.ASCII,
)
_K_WITHOUT_AT = re.compile(r"(?P<base>[a-z_]*[a-z])[-_ ]?(?P<k>[1-9][0-9]*)", re.ASCII)

# A name without a cutoff must be more similar than this to one of skrank's to count as
# a misspelling of it. "mae" and "map", with two of three letters equal, are not.
_CLEARLY_NEAR = 0.7

# No text beyond this is compared with names.
_LONGEST = 60


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
    """Return the metric, the cutoff or None, and the sign of a scorer name.

    An error suggests the nearest valid name.
    """
    parsed = _read(name) if isinstance(name, str) else None
    if parsed is None:
        raise ValueError(refusal(name))
    return parsed


def refusal(name):
    """Return the error of a name that is none, with the nearest valid one."""
    near, _ = _nearest(name) if isinstance(name, str) else (None, 0)
    if near is not None:
        advice = f"Did you mean {near!r}?"
    else:
        advice = "Use skrank.metrics.get_scorer_names() to get valid options."
    return f"{shown(name)} is not a valid scoring value. {advice}"


def is_misspelt(name, others):
    """Return True if `name` is a misspelt scorer name, and not one of `others`.

    Parameters
    ----------
    name : object
        What was passed as a name.
    others : iterable of str
        Names of other scorers. A name that is as near to one of them, or is a word of
        one, as "auc" is of "roc_auc", may be meant for it. None of them has a cutoff.
    """
    if not isinstance(name, str) or is_name(name):
        return False
    near, similarity = _nearest(name)
    if near is None:
        return False
    word = name.strip().lower()
    if "@" in word or "_at_" in word:
        return True
    others = {other for other in others if not is_name(other)}
    if any(word in (other, *other.split("_")) for other in others):
        return False
    near_other = difflib.get_close_matches(word, others, n=1, cutoff=similarity)
    return similarity > _CLEARLY_NEAR and not near_other


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
    """Return the nearest valid name and how similar it is, or None and 0."""
    word = name[:_LONGEST].strip().lower()
    base, at, k = word.replace("_at_", "@").partition("@")
    if (match := _K_WITHOUT_AT.fullmatch(base)) and _meaning(match["base"]):
        base, at, k = match["base"], "@", match["k"]
    base, k = re.sub("^(neg_)+", "", base), k.strip()
    found = _meaning(word) or _meaning(base)
    similarity = 1.0
    if found is None:
        known = [*METRICS, *ALIASES, *_WRITTEN_OUT]
        close = difflib.get_close_matches(base, known, n=1, cutoff=0.5)
        if not close:
            return None, 0.0
        found = _meaning(close[0])
        similarity = difflib.SequenceMatcher(None, close[0], base).ratio()
    metric = METRICS[found]
    k = int(k) if k.isascii() and k.isdigit() and int(k) else 10
    with_k = metric.cutoff == "required" or (metric.cutoff == "optional" and at)
    return metric.full_name + (f"@{k}" if with_k else ""), similarity


def _meaning(word):
    """Return the metric of a name, an alias, a name written out, or a function."""
    for table in (ALIASES, _WRITTEN_OUT):
        word = table.get(word, word)
    if word in METRICS:
        return word
    functions = (
        name
        for name, metric in METRICS.items()
        if getattr(metric.function, "__name__", None) == word
    )
    return next(functions, None)
