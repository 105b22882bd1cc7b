"""From a definition to a number: rank, define, summarize."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._checks import (
    AVERAGES,
    TIES,
    check_choice,
    check_flag,
    check_k,
    check_number,
    check_threshold,
)
from skrank._ranking.methods import FIRST
from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import rank_queries
from skrank.metrics._first_ranks import values_at_first


def reads_first_rank(definition):
    """Mark a definition that reads only the rank of the first relevant document.

    Such a metric also has a value at the realistic rank, ``ties="realistic"``.
    """
    definition.reads_first_rank = True
    return definition


def pooled_by(pool):
    """Mark a definition whose values are summarized by something else than a mean.

    ``pool(ranking, values, weight)`` returns a float; NaN values are left out, and
    `weight` is None where all queries weigh the same.
    """

    def mark(definition):
        definition.pool = pool
        return definition

    return mark


def scaled_by(scale):
    """Mark a definition that is summarized first and scaled then.

    ``scale(levels)`` gets the :class:`Levels` and returns the function that scales a
    summary.
    """

    def mark(definition):
        definition.scale = scale
        return definition

    return mark


@dataclass(frozen=True)
class Levels:
    """What a summary is compared with.

    Attributes
    ----------
    chance, best : float or ndarray of shape (n_queries,)
        The summaries of all documents tied, and of the best order.
    random : RankedQueries
        The ranking in which all documents of a query are tied.
    values : ndarray of shape (n_queries,)
        The values that are summarized.
    undefined : ndarray of bool of shape (n_queries,)
        Where these replace an undefined value.
    share : ndarray of shape (n_queries,) or None
        The share of each query in the summary; None if nothing is summarized.
    own : dict
        The parameters of the definition.
    """

    chance: float | np.ndarray
    best: float | np.ndarray
    random: RankedQueries
    values: np.ndarray
    undefined: np.ndarray
    share: np.ndarray | None
    own: dict


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
    judged=None,
    returned=None,
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

    y_true, y_score, qid, threshold, ties, exclude, judged, returned
        Passed to :func:`skrank._rank.rank_queries`.

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
        judged=judged,
        returned=returned,
        depth=depth_of((definition, own)),
    )
    return summarize(
        definition,
        own,
        ranking,
        replace_undefined_by=replace_undefined_by,
        average=average,
        adjusted=adjusted,
        sample_weight=sample_weight,
    )


def depth_of(*asked):
    """Return how far down (definition, own parameters) read a ranking.

    To the first relevant document, or to rank k: a definition that takes `k` reads no
    document that ranks below it. None is the whole ranking.
    """
    if all(getattr(definition, "reads_first_rank", False) for definition, _ in asked):
        return FIRST
    cutoffs = [own.get("k") for _, own in asked]
    return None if None in cutoffs else max(cutoffs)


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
    definition,
    own,
    ranking,
    *,
    replace_undefined_by,
    average,
    adjusted,
    sample_weight,
):
    """Apply a definition to a ranking and summarize its values over the queries.

    Parameters
    ----------
    definition : callable
        ``definition(ranking, **own)`` returns an array of shape (n_queries,) in
        which NaN means undefined.
    own : dict
        The parameters of the definition.
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
    pool = getattr(definition, "pool", mean_of_queries)
    scale = getattr(definition, "scale", None)
    weight = ranking._query_weights(sample_weight)
    if average == "weighted":
        n_documents = ranking.n_documents.astype(np.float64)
        weight = n_documents if weight is None else weight * n_documents
    values = values_of(definition, ranking, own)
    undefined = np.isnan(values)

    def replaced(values):
        if average is None:  # nothing to summarize: they are replaced at the end
            return values
        return np.where(undefined, replace_undefined_by, values)

    def summary(ranking, values):
        values = replaced(values)
        return values if average is None else pool(ranking, values, weight)

    score = summary(ranking, values)
    if adjusted or scale:
        random = ranking.chance
        chance, best = (
            summary(other, values_of(definition, other, own))
            for other in (random, ranking.ideal)
        )
        if scale:
            values = replaced(values)
            share = None if average is None else shares(values, weight)
            levels = Levels(chance, best, random, values, undefined, share, own)
            score, chance, best = map(scale(levels), (score, chance, best))
        if adjusted:
            score = adjust(score, chance, best)
    if average is None:
        return np.where(np.isnan(score), replace_undefined_by, score)
    if np.isnan(score):
        warnings.warn(
            "The metric is undefined for every query, so its mean is NaN. Pass "
            "`replace_undefined_by` to say what an undefined query scores.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    return float(score)


def adjust(value, chance, best):
    """Return (M - E) / (B - E), NaN where the best is no better than chance."""
    # Sums in another order differ in their last digits.
    rounding = 1e-12 * np.maximum(np.abs(best), 1)
    gain, span = np.subtract(value, chance), np.subtract(best, chance)
    gain = np.where(np.abs(gain) <= rounding, 0, gain)
    flat = np.abs(span) <= rounding
    return np.where(flat, np.nan, gain / np.where(flat, 1, span) + 0.0)  # never -0.0


def values_of(definition, ranking, own):
    """Return the value of each query."""
    if getattr(definition, "reads_first_rank", False):
        return values_at_first(definition, ranking, own)
    return definition(ranking, **own)


def shares(values, weight):
    """Return the weights of the values that are not NaN, so that they sum to 1."""
    known = ~np.isnan(values)
    weight = known / 1.0 if weight is None else known * weight
    total = weight.sum()
    return weight / total if total > 0 else weight


def mean_of_queries(ranking, values, weight):
    """Return the weighted mean of the values that are not NaN."""
    known = ~np.isnan(values)
    values = values[known]
    if weight is None:
        return float(values.mean()) if len(values) else float("nan")
    weight = weight[known]
    total = weight.sum()
    return float(np.dot(values, weight) / total) if total > 0 else float("nan")
