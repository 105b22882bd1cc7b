"""What a new system returns and an old one did not, without judgements."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from skrank._engine.answer import Arrays
from skrank._engine.names import is_metric, read_metric, read_requests
from skrank._engine.value_table import join_rankers
from skrank._input.checks import check_choice, check_k, shown
from skrank._input.frames import as_frame, kind_of
from skrank._text.docs import Judgements, MetricsLike, share_run_words
from skrank.evaluation.evaluate import score_requests
from skrank.evaluation.query_scores import QueryScores
from skrank.metrics.agreement import LIST_METRICS
from skrank.rankers.fusion import documents_of
from skrank.tables.align import join_runs
from skrank.tables.forms import Names
from skrank.tables.fuse import check_runs
from skrank.tables.trec_text import text_of


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
    return QueryScores(scores._replace(keys={"qid": ids}, kind=kind_of(*runs.values())))


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
