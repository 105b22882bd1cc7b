"""The entities that a target is ranked with."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from skrank._callers import warn_caller
from skrank._checks import check_choice, shown
from skrank._ranking.ids import encode_qid
from skrank._ranking.targets import count_around_target
from skrank._types import Seed
from skrank.link_prediction.triple_ids import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    as_ids,
    read_triples,
)


def type_constraints(X: ArrayLike) -> dict[Any, Any]:
    """Return the heads and the tails that each relation was seen with.

    Parameters
    ----------
    X : array-like of shape (n_triples, 3)
        Triples, usually those of training.

    Returns
    -------
    candidates : dict
        ``{"head": {relation: entities}, "tail": {relation: entities}}``, in the form
        that :func:`evaluate_link_prediction` takes as `candidates`.

    See Also
    --------
    evaluate_link_prediction : Where it is used.

    Examples
    --------
    >>> from skrank.link_prediction import type_constraints
    >>> seen = type_constraints([["anna", "likes", "tea"], ["bert", "likes", "tea"]])
    >>> {side: seen[side]["likes"].tolist() for side in seen}
    {'head': ['anna', 'bert'], 'tail': ['tea']}
    """
    triples = read_triples(X)
    relations, relation = encode_qid(triples[:, RELATION], name="X")
    found = {}
    for side, column in (("head", HEAD), ("tail", TAIL)):
        entities, entity = encode_qid(triples[:, column], name="X")
        pairs = np.unique(relation * len(entities) + entity)
        seen, entity = np.divmod(pairs, len(entities))
        parts = np.split(entities[entity], np.flatnonzero(np.diff(seen)) + 1)
        found[side] = dict(zip(relations.tolist(), parts, strict=True))
    return found


class EntitySets:
    """The candidates of all triples, as a mask, or of each relation, as columns.

    None stands for all entities.
    """

    def __init__(self, allowed):
        self.allowed = allowed

    def candidates(self, shape, batch, relation):
        """Return which cells of the scores may be read, as a mask or True."""
        if not isinstance(self.allowed, dict):
            return True if self.allowed is None else self.allowed
        kinds, kind = np.unique(relation, return_inverse=True)
        columns = [self.allowed[one] for one in kinds.tolist()]
        allowed = np.zeros((len(kinds), shape[1]), dtype=bool)
        allowed[
            np.repeat(np.arange(len(kinds)), list(map(len, columns))),
            np.concatenate(columns),
        ] = True
        return allowed[kind.reshape(-1)]

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        allowed = None
        if self.allowed is not None:
            allowed = self.candidates(scores.shape, batch, relation)
        counts = count_around_target(scores, target, out_row, out_column, allowed)
        return *counts, None


def read_candidates(candidates, sides, entities, relations, relation, n_triples):
    """Return an object that counts the candidates, for each side that is evaluated.

    `entities` and `relations` are the ids that the model knows, and `relation` holds
    the relation of each evaluated triple.
    """
    if candidates is None:
        return {side: EntitySets(None) for side in sides}
    if isinstance(candidates, SampledNegatives):

        def columns_of(side):
            return _columns(_of_side(candidates.negatives, side), entities, ndim=2)

        return read_sample(candidates, sides, n_triples, columns_of)
    return {
        side: _read_sets(_of_side(candidates, side), entities, relations, relation)
        for side in sides
    }


def _of_side(given, side):
    """Return what is given for a side, if it differs between sides."""
    if not isinstance(given, dict):
        return given
    if not set(given) <= set(SIDES) or side not in given:
        raise ValueError(
            "A dict of candidates must have the keys 'head' and 'tail', one for each "
            f"side that is evaluated. Got {shown(list(given))} for {side!r}."
        )
    return given[side]


def _read_sets(given, entities, relations, relation):
    if not isinstance(given, dict):
        columns = _columns(given, entities, ndim=1)
        if not len(columns):
            raise ValueError(
                f"{len(relation)} triples have no candidates: the 'candidates' "
                "parameter is empty."
            )
        allowed = np.zeros(len(entities), dtype=bool)
        allowed[columns] = True
        return EntitySets(allowed)
    allowed = {}
    for name, ids in given.items():
        (code,) = relations.encode(as_ids([name], "candidates"), "candidates").tolist()
        allowed[code] = _columns(ids, entities, ndim=1)
    asked, n_asked = np.unique(relation, return_counts=True)
    empty = [not len(allowed.get(code, ())) for code in asked.tolist()]
    if any(empty):
        names = relations.ids[asked[empty]][:5].tolist()
        raise ValueError(
            f"{n_asked[empty].sum()} triples have no candidates: the 'candidates' "
            f"parameter has none for {sum(empty)} of their relations, such as "
            f"{', '.join(shown(name, 36) for name in names)}."
        )
    return EntitySets(allowed)


def _columns(ids, entities, ndim):
    ids = np.asarray(ids) if np.size(ids) == 0 else as_ids(ids, "candidates")
    if ids.ndim != ndim:
        shape = "(n_candidates,)" if ndim == 1 else "(n_triples, n_negatives)"
        raise ValueError(
            "The 'candidates' parameter must hold entities, an array of shape "
            f"{shape}. Got shape {ids.shape}."
        )
    if not ids.size:
        return np.zeros(ids.shape, dtype=np.intp)
    return entities.encode_all(ids, "candidates")


ESTIMATES = ("em", "bias-variance", "rank", None)


class SampledNegatives:
    """Rank each target among a sample of the other candidates only.

    Passed as `candidates` to :func:`evaluate_link_prediction`. Metrics of the ranks in
    a sample of m negatives are far too good: they rank the target among m + 1
    candidates and not among all n. They can also put two models in the wrong order
    [1]_. By default the metrics over all candidates are estimated from the sample.

    Parameters
    ----------
    negatives : int, array-like or dict, default=50
        How many negatives to draw for each triple and side, uniformly and with
        replacement; or the entities themselves, of shape (n_triples, n_negatives), or a
        dict of such arrays with the keys "head" and "tail". Known answers and the
        target are left out of the given ones.
    estimate : {"em", "bias-variance", "rank"} or None, default="em"
        What is estimated from the sample.

        - "em": the distribution of the ranks among all candidates that makes the
          sampled ranks most likely [2]_, separately for each value of `by`. All metrics
          of the rank are computed from it.
        - "bias-variance": for each metric and rank in the sample the value with the
          smallest squared bias plus 0.01 times the variance [1]_. Only for metrics
          that are means of a function of the rank, such as MRR, Hits@k and the mean
          rank; a value can lie outside the range of the metric.
        - "rank": the rank r in the sample counts as 1 + (n - 1) (r - 1) / m. The mean
          rank is unbiased; MRR and Hits@k are not, and are often hardly better than
          without an estimate.
        - None: the ranks in the sample count as they are, as in the leaderboards of
          OGB.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to draw the same negatives at each call.

    Warns
    -----
    UserWarning
        When ranks are computed: a sample cannot replace the ranking of all candidates.

    See Also
    --------
    evaluate_link_prediction : Where it is used.
    type_constraints : Fewer candidates, chosen without a sample.

    Notes
    -----
    A negative drawn at random ranks above a target of rank R with the probability
    (R - 1) / (n - 1), so that the number of negatives above it has a binomial
    distribution. "em" and "bias-variance" need negatives that were drawn uniformly from
    the candidates. Numbers of candidates that differ by less than 2 % count as their
    mean. Negatives that are known answers are left out of the sample, so that m may
    differ from query to query. Tied ranks count as each rank that ties allow.

    No estimate sees below the resolution n / m of the sample, which is 145 for 100
    negatives of 14,541 candidates: samples of targets with lower ranks rarely hold a
    negative above them, and do not show how many of the targets have rank 1. There both
    estimates assume that log R is uniform, which decides Hits@1 and most of the MRR
    where m is much smaller than n. Hits@k is reliable for k of several times n / m, and
    so is the mean rank. Of ranks with an MRR of .243, Hits@1 of .138 and Hits@10 of
    .464 among 14,541 candidates, samples of 100 without an estimate make .852, .772 and
    .979, "rank" .773, .772 and .772, "bias-variance" .238, .133 and .457, "em" .230,
    .126 and .445. Where the true ranks are far from that assumption, with Hits@1 of .48
    and an MRR of .55 among 40,943, "em" finds .18 and .31.

    References
    ----------
    .. [1] W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation",
       KDD 2020.
    .. [2] D. Li, R. Jin, J. Gao and Z. Liu, "On Sampling Top-K Recommendation
       Evaluation", KDD 2020; R. Jin, D. Li, B. Mudrak, J. Gao and Z. Liu, "On
       Estimating Recommendation Evaluation Metrics under Sampling", AAAI 2021.

    Examples
    --------
    >>> import warnings
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor, SampledNegatives
    >>> from skrank.link_prediction import evaluate_link_prediction
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> sample = SampledNegatives(5, random_state=0)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     scores = evaluate_link_prediction(
    ...         model, nations.test, metrics=["neg_mean_rank"], candidates=sample
    ...     )
    >>> -3.5 < scores["neg_mean_rank"] < -2.5
    True
    """

    def __init__(
        self,
        negatives: int | ArrayLike | Mapping[Any, Any] = 50,
        *,
        estimate: Literal["em", "bias-variance", "rank"] | None = "em",
        random_state: Seed | None = None,
    ) -> None:
        self.negatives = negatives
        self.estimate = estimate
        self.random_state = random_state

    def __repr__(self):
        drawn = isinstance(self.negatives, Integral)
        shown = self.negatives if drawn else "..."
        return f"SampledNegatives({shown}, estimate={self.estimate!r})"


class Sample:
    """Some candidates of each row.

    `negatives` is a number to draw or an array of columns; `estimate` says whether the
    sample stands for all candidates.
    """

    def __init__(self, negatives, estimate, rng):
        self.negatives = negatives
        self.estimate = estimate
        self.rng = rng

    def candidates(self, shape, batch, relation):
        """Return which cells of the scores may be read, as a mask or True."""
        if isinstance(self.negatives, int):
            return True
        mask = np.zeros(shape, dtype=bool)
        np.put_along_axis(mask, self.negatives[batch], True, axis=1)
        return mask

    def count(self, scores, batch, relation, target, out_row, out_column):
        """Return (above, tied, n_candidates, n_negatives) of a batch of rows."""
        out = out_row, out_column
        if isinstance(self.negatives, int):
            size = scores.shape[1]
            negatives = draw_negatives(self.rng, self.negatives, target, *out, size)
        else:
            negatives = self.negatives[batch]
        above, tied, n_candidates, n_negatives = count_negatives(
            scores, target, *out, negatives
        )
        if self.estimate is None:
            return above, tied, n_negatives + 1, None
        return above, tied, n_candidates, n_negatives


WARNINGS = {
    "em": "Metrics are estimated from a sample of the candidates.",
    "bias-variance": "Metrics are estimated from a sample of the candidates.",
    "rank": (
        "Ranks are estimated from a sample of the candidates: the mean rank is "
        "unbiased, MRR and Hits@k are not."
    ),
    None: "Ranks are those among a sample of the candidates.",
}


def read_sample(sample, sides, n_triples, columns_of):
    """Return the Sample of each side that is evaluated.

    The function `columns_of` returns the columns of the given negatives of a side.
    """
    check_choice(sample.estimate, {*ESTIMATES}, "estimate", "SampledNegatives")
    negatives = sample.negatives
    drawn = isinstance(negatives, Integral) and not isinstance(negatives, bool)
    if drawn and negatives < 1:
        raise ValueError(f"negatives == {negatives}, must be >= 1.")
    rng = check_random_state(sample.random_state)
    found = {}
    for side in sides:
        columns = int(negatives) if drawn else columns_of(side)
        if not drawn and (len(columns) != n_triples or not columns.size):
            raise ValueError(
                "Negatives must be an array of shape (n_triples, n_negatives) with "
                f"{n_triples} rows. Got shape {columns.shape}."
            )
        found[side] = Sample(columns, sample.estimate, rng)
    warn_caller(
        f"{WARNINGS[sample.estimate]} Metrics of a sample can put two models in the "
        "wrong order. Rank all candidates where that matters (candidates=None).",
        UserWarning,
    )
    return found


def count_negatives(scores, target, out_row, out_column, negatives):
    """Return (above, tied, n_candidates, n_negatives) of each row.

    Of the columns `negatives`, those that are not candidates are left out; one that
    occurs twice counts twice. The cells (out_row, out_column) that are left out are in
    ascending order.
    """
    n_rows, n_entities = scores.shape
    rows = np.arange(n_rows)[:, np.newaxis]
    own = scores[rows, target[:, np.newaxis]]
    drawn = scores[rows, negatives]
    valid = negatives != target[:, np.newaxis]
    other = out_column != target[out_row]
    out_row, out_column = out_row[other], out_column[other]
    if len(out_row):
        key = out_row * n_entities + out_column
        asked = rows * n_entities + negatives
        place = np.minimum(np.searchsorted(key, asked), len(key) - 1)
        valid &= key[place] != asked
    above = np.count_nonzero((drawn > own) & valid, axis=1)
    tied = np.count_nonzero((drawn == own) & valid, axis=1)
    n_candidates = n_entities - np.bincount(out_row, minlength=n_rows)
    return above, tied, n_candidates, np.count_nonzero(valid, axis=1)


def draw_negatives(rng, n_negatives, target, out_row, out_column, n_entities):
    """Draw candidates of each row other than the target, with replacement.

    A row without any other candidate holds the target.
    """
    n_rows = len(target)
    other = out_column != target[out_row]
    row = np.concatenate([out_row[other], np.arange(n_rows)])
    column = np.concatenate([out_column[other], target])
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    n_out = np.bincount(row, minlength=n_rows)
    left = n_entities - n_out
    draw = rng.random_sample((n_rows, n_negatives)) * left[:, np.newaxis]
    draw = np.minimum(draw.astype(np.int64), np.maximum(left - 1, 0)[:, np.newaxis])
    # The u-th candidate has the column u plus the number of excluded cells before it;
    # the j-th excluded cell, at column c, has c - j candidates before it.
    first = np.cumsum(n_out) - n_out
    before = column - (np.arange(len(column)) - first[row])
    rows = np.arange(n_rows)[:, np.newaxis]
    key = row * (n_entities + 1) + before
    asked = rows * (n_entities + 1) + draw
    passed = np.searchsorted(key, asked, side="right") - first[:, np.newaxis]
    return np.where(left[:, np.newaxis] > 0, draw + passed, target[:, np.newaxis])
