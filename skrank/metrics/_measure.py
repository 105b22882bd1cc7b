"""From a definition to a number: rank, define, summarize."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._ranking import rank_queries
from skrank._validation import (
    AVERAGES,
    TIES,
    check_choice,
    check_flag,
    check_k,
    check_number,
    check_threshold,
)


def reads_first_rank(definition):
    """Mark a definition that reads only the rank of the first relevant document.

    Such a metric also has a value at the realistic rank, ``ties="realistic"``.
    """
    definition.reads_first_rank = True
    return definition


def measure(
    door,
    definition,
    y_true,
    y_score,
    *,
    qid,
    threshold,
    ties,
    replace_undefined_by,
    average,
    adjusted,
    sample_weight,
    exclude,
    **own,
):
    """Rank the input and summarize what `definition` says of each query.

    Parameters
    ----------
    door : callable
        The public function that was called; errors name it.

    definition : callable
        ``definition(ranking, **own)`` returns an array of shape (n_queries,) in
        which NaN means undefined.

    y_true, y_score, qid, threshold, ties, exclude
        Passed to :func:`skrank._ranking.rank_queries`.

    replace_undefined_by, average, adjusted, sample_weight
        Passed to :func:`summarize`.

    **own
        The parameters of the definition.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        The metric.
    """
    caller = door.__name__
    check_options(caller, replace_undefined_by, average, adjusted)
    if "k" in own:
        own["k"] = check_k(own["k"])
    ranking = rank_queries(
        y_true,
        y_score,
        qid=qid,
        threshold=check_threshold(threshold, caller),
        ties=check_ties(ties, definition, caller),
        exclude=exclude,
    )
    return summarize(
        partial(definition, **own),
        ranking,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
    )


def check_options(caller, replace_undefined_by, average, adjusted):
    """Check the options of the summary."""
    check_number(replace_undefined_by, "replace_undefined_by", caller, nan=True)
    check_choice(average, AVERAGES, "average", caller)
    check_flag(adjusted, "adjusted", caller)


def check_ties(ties, definition, caller):
    """Return `ties` if it is a policy that the definition knows."""
    choices = set(TIES)
    if not getattr(definition, "reads_first_rank", False):
        choices.discard("realistic")
    return check_choice(ties, choices, "ties", caller)


def summarize(
    definition, ranking, *, replace_undefined_by, average, adjusted, sample_weight
):
    """Apply a definition to a ranking and summarize its values over the queries.

    Parameters
    ----------
    definition : callable
        Maps a ranking to an array of shape (n_queries,); NaN means undefined.

    ranking : RankedQueries
        The ranked queries.

    replace_undefined_by : float
        What an undefined query scores; NaN leaves it out of the mean.

    average : {"macro", "weighted"} or None
        How the queries are summarized.

    adjusted : bool
        Whether to scale the metric so that chance is 0 and the best value 1.

    sample_weight : array-like or None
        Weights of the rows, or of the queries of a matrix.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        The summary; an array in the order of ``ranking.ids`` if `average` is None.
    """
    weight = ranking.query_weights(sample_weight)
    values = definition(ranking)
    undefined = np.isnan(values)
    rankings = [ranking.chance, ranking.best] if adjusted else []
    parts = [values, *map(definition, rankings)]
    parts = [np.where(undefined, replace_undefined_by, part) for part in parts]
    if average is None:
        if not adjusted:
            return parts[0]
        adjusted_values = _adjust(*parts)
        undefined = np.isnan(adjusted_values)
        return np.where(undefined, replace_undefined_by, adjusted_values)
    if average == "weighted":
        n_documents = ranking.n_documents.astype(np.float64)
        weight = n_documents if weight is None else weight * n_documents
    means = [_mean(part, weight) for part in parts]
    score = float(_adjust(*means)) if adjusted else means[0]
    if np.isnan(score):
        warnings.warn(
            "The metric is undefined for every query, so its mean is NaN. Pass "
            "`replace_undefined_by` to say what an undefined query scores.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return score


def _adjust(value, chance, best):
    """Return (M - E) / (B - E), NaN where the best is no better than chance."""
    span = np.subtract(best, chance)
    # Sums in another order differ in their last digits.
    flat = np.abs(span) <= 1e-12 * np.maximum(np.abs(best), 1)
    return np.where(flat, np.nan, (value - chance) / np.where(flat, 1, span))


def _mean(values, weight):
    """Return the weighted mean of the values that are not NaN."""
    known = ~np.isnan(values)
    values = values[known]
    if weight is None:
        return float(values.mean()) if len(values) else float("nan")
    weight = weight[known]
    total = weight.sum()
    return float(np.dot(values, weight) / total) if total > 0 else float("nan")
