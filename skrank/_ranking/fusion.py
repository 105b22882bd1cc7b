"""Rules that fuse the scores of several runs: by ranks or by scores."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skrank._input.checks import (
    about,
    check_choice,
    check_number,
    numeric_array,
    shown,
)
from skrank._ranking.arrays import lengths_of, starts_of
from skrank._ranking.rank import rank_queries

FUSION_METHODS = ("rrf", "sum", "mnz", "max", "isr", "borda")

NORMS = (None, "min-max", "max", "sum", "z", "rank", "dbsf")

# What methods and norms are called elsewhere.
_ELSEWHERE = {
    "combmnz": "method='mnz'",
    "combsum": "method='sum'",
    "minmax": "norm='min-max'",
    "zmuv": "norm='z'",
    "zscore": "norm='z'",
}


class Fusion(NamedTuple):
    """How scores are fused."""

    method: str
    norm: str | None
    weights: np.ndarray  # (n_runs,)
    rrf_k: float

    @property
    def adds_scores(self):
        """Return True if scores are fused, False if ranks are."""
        return self.method in ("sum", "mnz", "max")

    @property
    def compares_documents(self):
        """Return True if a fused score depends on other documents of the query."""
        return not self.adds_scores or self.norm is not None


def read_fusion(method, norm, weights, rrf_k, names, caller):
    """Return the parameters of a fusion of the runs `names`, checked."""
    check_choice(method, FUSION_METHODS, "method", caller, words=_ELSEWHERE)
    check_choice(norm, NORMS, "norm", caller, words=_ELSEWHERE)
    rrf_k = check_number(rrf_k, "rrf_k", caller, low=0)
    return Fusion(method, norm, _weights(weights, names, caller), rrf_k)


def _weights(weights, names, caller):
    """Return the weight of each run."""
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            raise ValueError(
                f"The 'weights' parameter of {caller} must hold a weight for each of "
                f"{shown(list(names))}. Got weights of {shown(list(weights))}."
            )
        weights = [weights[name] for name in names]
    weights = numeric_array(weights, "weights").astype(np.float64)
    is_valid = weights.shape == (len(names),) and np.isfinite(weights).all()
    if not (is_valid and (weights >= 0).all() and weights.any()):
        raise ValueError(
            f"The 'weights' parameter of {caller} must hold a number >= 0 for each of "
            f"{len(names)} runs, and one above 0. Got {shown(weights.tolist())}."
        )
    return weights


def fuse_scores(codes, scores, fusion):
    """Return the fused score of each row.

    `scores`, of shape (n_rows, n_runs), are NaN where a run did not return the
    document. A run with weight 0 is left out. A row that no other run returned changes
    no score, and its own is below all others.
    """
    kept = fusion.weights > 0
    scores, fusion = scores[:, kept], fusion._replace(weights=fusion.weights[kept])
    returned = ~np.isnan(scores).all(axis=1)
    fused = np.zeros(len(scores))
    if returned.any():
        found = _fuse_returned(codes[returned], scores[returned], fusion)
        # Below all others, and finite, as metrics and models need it.
        below = np.nextafter(found.min(), -np.inf)
        fused[:] = below if fusion.method == "max" else min(below, 0.0)
        fused[returned] = found
    return fused


def _fuse_returned(codes, scores, fusion):
    """Return the fused scores of documents, each of which some run returned."""
    has, weights = ~np.isnan(scores), fusion.weights
    if fusion.adds_scores and np.isinf(scores).any():
        error = ValueError(
            f"method={fusion.method!r} reads scores, which must be finite. Got "
            "infinity: pass a method that reads ranks, such as 'rrf'."
        )
        raise about(error, "method")
    part = np.zeros_like(scores)
    for j, rows in enumerate(map(np.flatnonzero, has.T)):
        if not len(rows):  # the run returned nothing
            continue
        run = Run(codes[rows], scores[rows, j]) if fusion.compares_documents else None
        part[rows, j] = _part(run, scores[rows, j], fusion)
    if fusion.method == "borda":
        # Of n documents the first gets n points and the last 1; those that a run did
        # not return share the points that are left.
        n = np.bincount(codes)
        n_returned = [np.bincount(codes, of_run, len(n)) for of_run in has.T]
        shared = (n[:, np.newaxis] - np.column_stack(n_returned) + 1) / 2
        points = np.where(has, n[codes, np.newaxis] + 1 + part, shared[codes])
        return points @ weights
    if fusion.method == "max":
        return np.where(has, part * weights, -np.inf).max(axis=1)
    total = part @ weights
    return total if fusion.method in ("rrf", "sum") else total * has.sum(axis=1)


def _part(run, scores, fusion):
    """Return what one run adds for each of its documents."""
    if fusion.method == "rrf":
        return run.mean_over_places(lambda rank: 1 / (fusion.rrf_k + rank))
    if fusion.method == "isr":
        return run.mean_over_places(lambda rank: 1 / rank**2.0)
    if fusion.method == "borda":
        return -run.rank
    return scores if fusion.norm is None else _NORMS[fusion.norm](run)


def documents_of(codes, scores):
    """Return the documents of each query by falling score, as TopDocuments."""
    none = np.zeros(len(scores), dtype=np.uint8)
    return rank_queries(none, scores, qid=codes).documents()


class Run:
    """The scores of one run, in any order of the rows.

    Tied documents share their ranks. So what is computed of them, to the last bit,
    does not depend on the order of the rows.
    """

    def __init__(self, codes, scores):
        self.top = top = documents_of(codes, scores)
        self.sorted = scores[top.row]
        self.starts = starts_of(top.query)
        self.lengths = lengths_of(self.starts, len(scores))
        size = np.maximum.reduceat(np.abs(self.sorted), self.starts)
        if not ((size == 0) | ((size > 1e-100) & (size < 1e100))).all():
            # No norm depends on the scale, and a power of 2 loses no digit. Squares and
            # differences of such scores would overflow or vanish.
            exponent = np.frexp(np.where(np.isfinite(size), size, 1.0))[1]
            self.sorted = np.ldexp(self.sorted, -np.repeat(exponent, self.lengths))

    def mean_over_places(self, weight):
        """Return the mean of a function of the ranks of each tie group."""
        return self._as_given(self.top.mean_over_places(weight))

    @property
    def rank(self):
        """The mean rank of each tie group."""
        return self._as_given(self.top.above + (self.top.size + 1) / 2)

    def scaled(self, low, spread):
        """Return (score - low) / spread, and 0 for a query with spread 0.

        `low` and `spread` have a value for each query.
        """
        spread = np.where(spread > 0, spread, np.inf)
        low, spread = (np.repeat(values, self.lengths) for values in (low, spread))
        return self._as_given((self.sorted - low) / spread)

    def reduced(self, ufunc, values=None):
        """Return a ufunc over the values of each query, by default the scores."""
        return ufunc.reduceat(self.sorted if values is None else values, self.starts)

    def _as_given(self, values):
        given = np.empty(len(values))
        given[self.top.row] = values
        return given


def _min_max(run):
    low = run.reduced(np.minimum)
    return run.scaled(low, run.reduced(np.maximum) - low)


def _max(run):
    high = run.reduced(np.maximum)
    if (high <= 0).any():
        error = ValueError(
            "norm='max' divides by the highest score of each query, which must be "
            f"above 0. Got {high.min():g}: pass norm='min-max'."
        )
        raise about(error, "norm")
    return run.scaled(np.zeros(len(high)), high)


def _sum(run):
    low = run.reduced(np.minimum)
    above = run.sorted - np.repeat(low, run.lengths)
    return run.scaled(low, run.reduced(np.add, above))


def _z(run):
    mean = run.reduced(np.add) / run.lengths
    deviation = run.sorted - np.repeat(mean, run.lengths)
    variance = run.reduced(np.add, deviation**2) / run.lengths
    # Equal scores may differ from their rounded mean.
    variance[run.reduced(np.minimum) == run.reduced(np.maximum)] = 0
    return run.scaled(mean, np.sqrt(variance))


def _dbsf(run):
    return np.clip((_z(run) + 3) / 6, 0, 1)  # the mean and 3 standard deviations


def _rank(run):
    return 1 - (run.rank - 1) / run._as_given(np.repeat(run.lengths, run.lengths))


_FUNCTIONS = (_min_max, _max, _sum, _z, _rank, _dbsf)
_NORMS = dict(zip(NORMS[1:], _FUNCTIONS, strict=True))
