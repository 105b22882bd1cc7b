"""Runs of several systems: fuse them into one, write them, or compare them."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import gzip
import itertools
import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from skrank._engine.answer import Arrays
from skrank._engine.names import is_metric, read_metric, read_requests
from skrank._engine.value_table import join_rankers
from skrank._input.checks import check_choice, check_instance, check_k, shown
from skrank._input.frames import as_frame, kind_of
from skrank._ranking.fusion import documents_of, fuse_scores, read_fusion
from skrank._ranking.ids import encode_qid
from skrank._text.docs import Judgements, MetricsLike, PathLike, share_run_words
from skrank.evaluation.evaluate import score_requests
from skrank.evaluation.query_scores import QueryScores
from skrank.evaluation.saved_scores import whole_file
from skrank.metrics.agreement import LIST_METRICS
from skrank.tables.align import join_runs
from skrank.tables.forms import Names, are_runs
from skrank.tables.trec_text import CODEC, text_of


@share_run_words
def fuse(
    runs: Mapping[str, Judgements],
    method: Literal["rrf", "sum", "mnz", "max", "isr", "borda"] = "rrf",
    *,
    norm: Literal["min-max", "max", "sum", "z", "rank", "dbsf"] | None = None,
    weights: ArrayLike | Mapping[str, float] | None = None,
    rrf_k: float = 60,
    duplicates: Literal["raise", "best"] = "raise",
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
    norm : {"min-max", "max", "sum", "z", "rank", "dbsf"}, default=None
        How the scores of each query of a run are made comparable before "sum", "mnz"
        or "max". None takes them as they are. Methods that read ranks ignore it.
    weights : array-like of shape (n_runs,) or dict of str to float, default=None
        The weight of each run, at least 0. A run with weight 0 is left out, with the
        documents that only this run returned. If None, all weights are 1.
    rrf_k : float, default=60
        The constant of "rrf": the larger, the less the first ranks count.
    duplicates : {"raise", "best"}, default="raise"
        What is done with a document that a run has twice for a query. "best" keeps its
        best score.

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
    j of weight :math:`w_j`, over the m runs that returned it, and with `rrf_k` as k:

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
    and divide by the standard deviation ("z"), take 1 - (r - 1) / n of the n documents
    of the run ("rank"), or map the mean less and plus three standard deviations to 0
    and 1, where it clips ("dbsf", as Qdrant does). Equal scores become 0 by "min-max",
    "sum" and "z", and .5 by "dbsf".

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
    """
    names = Names(qid, doc_id, score)
    check_runs(runs, names, "fuse")
    fusion = read_fusion(method, norm, weights, rrf_k, list(runs), "fuse")
    runs = {
        name: run
        for (name, run), weight in zip(runs.items(), fusion.weights, strict=True)
        if weight > 0
    }
    fusion = fusion._replace(weights=fusion.weights[fusion.weights > 0])
    ids, query, documents, scores = join_runs(runs, names, "runs", duplicates)
    fused = fuse_scores(query, np.column_stack([*scores.values()]), fusion)
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
    names.checked("score", caller)


def write_run(run: Judgements, path: PathLike, tag: str = "skrank") -> None:
    """Write a run in the text format of TREC.

    Queries are in ascending order, and the best document of each is first. Documents
    with equal scores are in descending order of their ids, as trec_eval and
    ``convention="trec_eval"`` rank them, which compare scores in single precision.

    Parameters
    ----------
    run : path, table, dict or list
        What a system returned, in any form that :func:`align` takes, with columns named
        "qid", "doc_id" and "score". A list of n documents has the scores n to 1.
    path : str or os.PathLike
        The file. One that ends in ".gz" is packed. It replaces a file of this name when
        it is whole.
    tag : str, default="skrank"
        The name of the run: the last field of each line.

    Raises
    ------
    ValueError, TypeError
        As :func:`align`, or if an id or the tag is empty, contains white space or a
        control character or is too long, or a query id begins with "#".

    See Also
    --------
    read_run : Reads such a file, and the same scores.

    Examples
    --------
    >>> from skrank.tables import write_run
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "bm25.run"
    >>> write_run({"q1": {"d1": 0.5, "d2": 0.5, "d3": 0.9}}, path, tag="bm25")
    >>> print(path.read_text(), end="")
    q1 Q0 d3 1 0.9 bm25
    q1 Q0 d2 2 0.5 bm25
    q1 Q0 d1 3 0.5 bm25
    """
    if are_runs(run):
        raise TypeError(
            "write_run writes one run. Got a dict of several: write each of them."
        )
    check_instance(tag, str, "tag", "write_run")
    text = text_of_run(run, tag)
    if str(path).endswith(".gz"):
        text = gzip.compress(text, mtime=0)
    with whole_file(path) as file:
        file.write(text)


# A space or a control character ends a field; "#" begins a comment, and a byte order
# mark a file, instead of a query id.
_FIELD = re.compile(rb"[^\x00-\x20\x7f]{1,4096}")
_FIRST_FIELD = re.compile(rb"(?!#|\xef\xbb\xbf)" + _FIELD.pattern)


def text_of_run(run, tag):
    """Return a run as the bytes of a file of TREC."""
    names = Names("qid", "doc_id", "score")
    ids, query, document, scores = join_runs({tag: run}, names, "run")
    (score,) = scores.values()
    ids, document = ids.astype(bytes), document.astype(bytes)
    tag = str(tag).encode(*CODEC)
    named = {"query id": ids, "document id": document, "tag": [tag]}
    for what, fields in named.items():
        pattern = _FIRST_FIELD if fields is ids else _FIELD
        for bad in (one for one in set(fields) if not pattern.fullmatch(one)):
            raise ValueError(
                f"A {what} of a TREC file must have 1 to 4,096 bytes without white "
                "space and control characters, and not begin its line with '#'. Got "
                f"{shown(bad.decode(*CODEC))}."
            )
    order = np.lexsort((document, score, -query))[::-1]
    rank = np.arange(1, len(order) + 1) - np.searchsorted(query[order], query[order])
    columns = ids[query[order]], document[order], rank, score[order]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return b"".join(b"%b Q0 %b %d %a %b\n" % (*row, tag) for row in rows)


@share_run_words
def compare_lists(
    runs: Mapping[str, Judgements],
    metrics: MetricsLike,
    *,
    baseline: str | None = None,
    qid: str = "qid",
    doc_id: str = "doc_id",
    score: str = "score",
) -> QueryScores:
    r"""Compare the lists that several systems return, without judgements.

    A query that a run lacks has an empty list there.

    Parameters
    ----------
    metrics : str, or list or dict of them
        "rbo", "rbo_min", "rbo_max", "overlap@k" and "jaccard@k" with any k, such as
        "overlap@10". ``"rbo(p=0.98)"`` has another persistence than 0.9.

    Returns
    -------
    scores : QueryScores
        The values by pair of runs, such as "old -> new", metric and query: 0 for lists
        that have no document in common, 1 for equal ones of `k` or more documents.

    See Also
    --------
    changed_documents : The documents that came, went and moved.
    score_runs : Scores runs by judgements.

    Notes
    -----
    With the number :math:`X_d` of documents in the top d of both lists, of s and
    :math:`n \geq s` documents, overlap\@k is :math:`X_k / k`, and jaccard\@k is
    :math:`X_k` divided by the number of documents in either top k. rbo extrapolates,
    equation 32 of [1]_. rbo_min and rbo_max are the bounds, if the lists go on, of
    :math:`(1 - p) \sum_{d \geq 1} p^{d - 1} Y_d / d`: from :math:`Y_d = X_d` to
    :math:`Y_d = \min(d, X_d + \max(d - s, 0) + \max(d - n, 0))`.

    With ties, the values are the exact expectations over the orderings of both lists,
    which are independent: a list with ties differs from itself. RBO is variant a of
    [2]_, which extrapolates differently if the longer list has ties below the end of
    the shorter one. A query for which both lists are empty is undefined.

    References
    ----------
    .. [1] W. Webber, A. Moffat and J. Zobel, "A Similarity Measure for Indefinite
       Rankings", ACM TOIS 28(4), 2010.
    .. [2] M. Corsi and J. Urbano, "The Treatment of Ties in Rank-Biased Overlap", SIGIR
       2024.

    Examples
    --------
    >>> from skrank.tables import compare_lists
    >>> old = {"q1": ["a", "b", "c"], "q2": ["a", "b", "c"]}
    >>> new = {"q1": ["a", "b", "c"], "q2": ["d", "a", "b"]}
    >>> compare_lists({"old": old, "new": new}, ["rbo", "overlap@3", "jaccard@3"])
    2 queries
    ranker         rbo  overlap@3  jaccard@3
    old -> new  0.7925     0.8333     0.7500
    """
    requests = read_requests(metrics, {}, "compare_lists", read=_read_list_metric)
    names, caller = Names(qid, doc_id, score), "compare_lists"
    pairs, ids, query, _, ranks = _ranked_lists(runs, baseline, names, caller)
    tables = []
    for before, after in pairs.values():
        y_true = np.nan_to_num(2 * (len(query) + 1 - ranks[before]))  # whole numbers
        returned, y_score = ~np.isnan(ranks[after]), -np.nan_to_num(ranks[after])
        arrays = Arrays(y_true, y_score, query, returned=returned)
        tables.append(score_requests(requests, arrays, {None: y_score}).table)
    scores = join_rankers(tables, tuple(pairs))
    return QueryScores(
        table=scores._replace(keys={"qid": ids}, kind=kind_of(*runs.values()))
    )


def _read_list_metric(metric):
    """Return what a name of a metric of two lists asks for."""
    if is_metric(metric, LIST_METRICS):
        return read_metric(metric, LIST_METRICS)
    raise ValueError(
        "The 'metrics' parameter of compare_lists must be names among 'rbo', "
        "'rbo_min', 'rbo_max', 'overlap@k' and 'jaccard@k', such as 'jaccard@10'. Got "
        f"{shown(metric)} instead."
    )


@share_run_words
def changed_documents(
    runs: Mapping[str, Judgements],
    k: int | None = 10,
    *,
    baseline: str | None = None,
    qid: str = "qid",
    doc_id: str = "doc_id",
    score: str = "score",
) -> Any:
    """Return the documents that come, go and move between runs, as a data frame.

    Parameters
    ----------
    k : int or None, default=10
        Cutoff: the top `k` of either list. None takes whole lists.

    Returns
    -------
    frame : data frame
        Of the library of the runs, or of pandas. The columns ranker, the pair of runs;
        qid; doc_id; change: "came" into the top `k`, "went" out of it or "moved" within
        it; before and after, the ranks, NaN in a list without the document; tied ones
        share their mean rank. The largest changes of 1 / rank come first.

    See Also
    --------
    compare_lists : How much the lists have in common.

    Examples
    --------
    >>> from skrank.tables import changed_documents
    >>> changed_documents({"old": {"q": ["a", "b"]}, "new": {"q": ["c", "a"]}})
           ranker qid doc_id change  before  after
    0  old -> new   q      c   came     NaN    1.0
    1  old -> new   q      a  moved     1.0    2.0
    2  old -> new   q      b   went     2.0    NaN
    """
    names, caller = Names(qid, doc_id, score), "changed_documents"
    pairs, ids, query, document, ranks = _ranked_lists(runs, baseline, names, caller)
    k = check_k(k, caller=caller)
    both = [[ranks[run] for run in pair] for pair in pairs.values()]
    before, after = np.swapaxes(both, 0, 1)
    was, remains = (one <= (np.inf if k is None else k) for one in (before, after))
    pair, row = np.nonzero((was | remains) & (before != after))
    change = np.nan_to_num(1 / before) - np.nan_to_num(1 / after)
    order = np.lexsort((document[row], query[row], pair, -np.abs(change[pair, row])))
    pair, row = pair[order], row[order]
    words = np.where(was, np.where(remains, "moved", "went"), "came")
    columns = {
        "ranker": np.array([*pairs], dtype=object)[pair],
        "qid": ids[query[row]],
        "doc_id": text_of(document[row]),
        "change": words[pair, row].astype(object),
        "before": before[pair, row],
        "after": after[pair, row],
    }
    return as_frame(columns, kind_of(*runs.values()))


def _ranked_lists(runs, baseline, names, caller):
    """Return pairs of runs by name, and what `join_runs` does, with ranks by run."""
    check_runs(runs, names, caller)
    check_choice(baseline, (None, *runs), "baseline", caller)
    pairs = itertools.combinations(runs, 2)
    if baseline is not None:
        pairs = [(baseline, name) for name in runs if name != baseline]
    ids, query, document, scores = join_runs(runs, names, "runs")
    ids, ranks = text_of(ids), {}
    for name, run in scores.items():
        (rows,) = np.nonzero(~np.isnan(run))
        ranks[name] = np.full(len(run), np.nan)
        if len(rows):  # tied documents share their mean
            top = documents_of(query[rows], run[rows])
            ranks[name][rows[top.row]] = top.above + (top.size + 1) / 2
    in_run = [np.bincount(query, ~np.isnan(run)) > 0 for run in scores.values()]
    if (np.sum(in_run, axis=0) < 2).all():
        raise ValueError(
            f"{caller} needs runs with queries in common. Got queries such as "
            f"{shown(ids[[0, -1]].tolist())}, each of which is in one run."
        )
    pairs = {f"{one} -> {other}": (one, other) for one, other in pairs}
    return pairs, ids, query, document, ranks
