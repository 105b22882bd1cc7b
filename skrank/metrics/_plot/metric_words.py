"""What a metric is called in a figure."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re

from skrank.metrics._metric import metric_of

# The abbreviation at the end of a summary line: "Mean reciprocal rank (MRR)."
_ABBREVIATION = re.compile(r"\(([^(),]+)[^()]*\)\.$")

_ADJUSTED = {
    False: "{}",
    True: "adjusted {}",
    "ratio": "{} relative to chance",
    "z": "z-score of {}",
}


def words_of(request, cutoff=None):
    """Return what a requested metric is called, such as "NDCG@10" or "median rank".

    A metric without a function of skrank is called by its name. A metric times -1, as
    those are whose scorer names begin with ``neg_``, is called negative. `cutoff`, if
    given, stands for the one that was requested.
    """
    metric, options = request.metric, request.options
    if metric.function is None:
        return f"{split_cutoff(request.key)[0]}@{cutoff}" if cutoff else request.key
    summary = inspect.getdoc(metric.function).partition("\n")[0]
    found = _ABBREVIATION.search(summary)
    words = found[1] if found else metric_of(metric.function).name.replace("_", " ")
    words = words.removesuffix("@k")
    cutoff = cutoff or options.get("k")
    if cutoff:
        words += f"@{cutoff}"
    if metric.inverse:
        words = f"inverse {words}"
    words = _ADJUSTED[options["adjusted"]].format(words)
    return words if request.sign == 1 else f"negative {words}"


def direction_words(greater_is_better):
    """Return which values of a metric are better, in brackets."""
    return f"({'larger' if greater_is_better else 'smaller'} is better)"


def split_cutoff(name):
    """Return a name without its cutoff, and the cutoff or None."""
    found = re.fullmatch(r"(.+?)(?:@|_at_)([1-9][0-9]*)", name, re.ASCII)
    return (found[1], int(found[2])) if found else (name, None)
