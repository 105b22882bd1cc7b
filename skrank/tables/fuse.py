"""Fuse runs of several systems into one."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from skrank._checks import (
    check_choice,
    check_column_name,
    check_number,
    numeric_array,
    shown,
)
from skrank._docs import Judgements, share_run_words
from skrank._ranking.arrays import lengths_of, starts_of
from skrank._ranking.ids import encode_qid
from skrank._ranking.rank import rank_queries
from skrank.tables.align import join_runs
from skrank.tables.forms import Names, are_runs
from skrank.tables.trec_text import text_of


@share_run_words
def fuse(
    runs: Mapping[str, Judgements],
    method: Literal["rrf", "sum", "mnz", "max", "isr", "borda"] = "rrf",
    *,
    norm: Literal["min-max", "max", "sum", "z", "rank"] | None = None,
    weights: ArrayLike | Mapping[str, float] | None = None,
    k: float = 60,
    qid: str = "qid",
    doc_id: str = "doc_id",
    score: str = "score",
) -> Bunch:
    r"""Fuse what several systems returned into one run.

    Parameters
    ----------
    method : {"rrf", "sum", "mnz", "max", "isr", "borda"}, default="rrf"
        How the scores of a document become one; the Notes have the formulas. "rrf",
        "isr" and "borda" read ranks only, the others scores.
    norm : {"min-max", "max", "sum", "z", "rank"}, default=None
        How the scores of each query of a run are made comparable before "sum", "mnz"
        or "max". None takes them as they are. Methods that read ranks ignore it.
    weights : array-like of shape (n_runs,) or dict of str to float, default=None
        The weight of each run, at least 0. A run with weight 0 is left out, with the
        documents that only this run returned. If None, all weights are 1.
    k : float, default=60
        The constant of "rrf": the larger, the less the first ranks count.

    Returns
    -------
    fused : Bunch
        A run as :func:`read_run` returns it, with the arrays `qid`, `doc_id` and
        `score`: queries in ascending order, and the best document of each first.
        Documents with equal scores are in the order of their ids.

    Raises
    ------
    ValueError
        If a run has a document twice for a query or a score that is NaN, a parameter
        has an invalid value, scores are infinite where a method adds them, or
        ``norm="max"`` meets a query without a score above 0.
    TypeError
        If `runs` is not a dict of names to runs, or the ids of the runs are of
        different types.

    See Also
    --------
    score_runs : Evaluates runs, and what this function returns.
    skrank.rankers.FusionRanker : The same as an estimator, whose weights a search can
        choose.

    Notes
    -----
    With the rank :math:`r_j` (1 is best) and the score :math:`s_j` of a document in run
    j of weight :math:`w_j`, over the runs that returned it, m in number:

    =========  ===================================  =================================
    method     fused score                          a run that did not return it
    =========  ===================================  =================================
    "rrf"      :math:`\sum_j w_j / (k + r_j)`       adds nothing [1]_
    "sum"      :math:`\sum_j w_j s_j`               adds nothing, as a score of 0 [2]_
    "mnz"      :math:`m \sum_j w_j s_j`             adds nothing [2]_
    "max"      :math:`\max_j w_j s_j`               is not read [2]_
    "isr"      :math:`m \sum_j w_j / r_j^2`         adds nothing [3]_
    "borda"    :math:`\sum_j w_j (n + 1 - r_j)`     gives its share of the points that
                                                    are left [4]_
    =========  ===================================  =================================

    where n is the number of documents that any run returned for the query. Where a run
    lists more negative scores than positive ones, "sum" would prefer documents that it
    did not return: choose a norm such as "min-max", whose lowest value is 0.

    The norms subtract the lowest score and divide by the range ("min-max") or by the
    sum of what is left ("sum"), divide by the highest score ("max"), subtract the mean
    and divide by the standard deviation ("z"), or take 1 - (r - 1) / n of the n
    documents of the run ("rank"). Equal scores become 0 by "min-max", "sum" and "z".

    Documents with the same score share their ranks: each counts with the mean over
    them. So the result does not depend on the order of the rows.

    References
    ----------
    .. [1] G. V. Cormack, C. L. A. Clarke and S. Büttcher, "Reciprocal Rank Fusion
       Outperforms Condorcet and Individual Rank Learning Methods", SIGIR 2009.
    .. [2] E. A. Fox and J. A. Shaw, "Combination of Multiple Searches", The Second Text
       Retrieval Conference (TREC-2), 1993.
    .. [3] A. Mourão, F. Martins and J. Magalhães, "Multimodal Medical Information
       Retrieval with Unsupervised Rank Fusion", Computerized Medical Imaging and
       Graphics 39 (2015).
    .. [4] J. A. Aslam and M. Montague, "Models for Metasearch", Proceedings of the 24th
       ACM SIGIR Conference, 2001.

    Examples
    --------
    >>> from skrank.tables import fuse
    >>> bm25 = {"q1": ["d1", "d2", "d3"]}
    >>> dense = {"q1": {"d4": 0.9, "d1": 0.6, "d2": 0.6}}
    >>> fused = fuse({"bm25": bm25, "dense": dense})
    >>> fused.doc_id.tolist()
    ['d1', 'd2', 'd4', 'd3']

    The run "bm25" counts half as much:

    >>> fuse({"bm25": bm25, "dense": dense}, weights=[0.5, 1]).doc_id.tolist()
    ['d1', 'd2', 'd4', 'd3']

    To evaluate it with the other runs:

    >>> from skrank.tables import score_runs
    >>> runs = {"bm25": bm25, "dense": dense}
    >>> score_runs({"q1": {"d2": 1}}, {**runs, "rrf": fuse(runs)}, "mrr").summary()
    {'bm25': {'mrr': 0.5}, 'dense': {'mrr': 0.4166...}, 'rrf': {'mrr': 0.5}}
    """
    names = Names(qid, doc_id, score)
    check_runs(runs, names, "fuse")
    fusion = read_fusion(method, norm, weights, k, list(runs), "fuse")
    runs = {
        name: run
        for (name, run), weight in zip(runs.items(), fusion.weights, strict=True)
        if weight > 0
    }
    fusion = fusion._replace(weights=fusion.weights[fusion.weights > 0])
    ids, query, documents, scores = join_runs(runs, names, "runs")
    fused = fuse_scores(query, scores, fusion)
    top = documents_of(query, fused)
    order = top.row.copy()
    (tied,) = np.nonzero(top.size > 1)  # in the order of their ids
    _, codes = encode_qid(documents[order[tied]])
    in_order = np.lexsort((codes, top.above[tied], top.query[tied]))
    order[tied] = order[tied][in_order]
    return Bunch(
        qid=text_of(ids[query[order]]),
        doc_id=text_of(documents[order]),
        score=fused[order],
    )


def check_runs(runs, names, caller):
    """Raise if `runs` are not several by name, or `names` not those of columns."""
    if not are_runs(runs):
        raise TypeError(
            f"The 'runs' parameter of {caller} must be a dict of names to runs. Got "
            f"{shown(runs)} of type {type(runs).__name__} instead."
        )
    for name, column in zip(("qid", "doc_id", "score"), names, strict=True):
        check_column_name(column, name, caller)


FUSION_METHODS = ("rrf", "sum", "mnz", "max", "isr", "borda")
NORMS = (None, "min-max", "max", "sum", "z", "rank")

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
    k: float

    @property
    def adds_scores(self):
        """Return True if scores are fused, False if ranks are."""
        return self.method in ("sum", "mnz", "max")

    @property
    def compares_documents(self):
        """Return True if a fused score depends on other documents of the query."""
        return not self.adds_scores or self.norm is not None


def read_fusion(method, norm, weights, k, names, caller):
    """Return the parameters of a fusion of the runs `names`, checked."""
    check_choice(method, FUSION_METHODS, "method", caller, words=_ELSEWHERE)
    check_choice(norm, NORMS, "norm", caller, words=_ELSEWHERE)
    k = check_number(k, "k", caller, low=0)
    return Fusion(method, norm, _weights(weights, names, caller), k)


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
        raise ValueError(
            f"method={fusion.method!r} reads scores, which must be finite. Got "
            "infinity: pass a method that reads ranks, such as 'rrf'."
        )
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
        return run.mean_over_places(lambda rank: 1 / (fusion.k + rank))
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
        raise ValueError(
            "norm='max' divides by the highest score of each query, which must be "
            f"above 0. Got {high.min():g}: pass norm='min-max'."
        )
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


def _rank(run):
    return 1 - (run.rank - 1) / run._as_given(np.repeat(run.lengths, run.lengths))


_NORMS = {"min-max": _min_max, "max": _max, "sum": _sum, "z": _z, "rank": _rank}
