"""Fuse runs of several systems into one, and write runs."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from skrank._input.checks import shown
from skrank._ranking.fusion import documents_of, fuse_scores, read_fusion
from skrank._ranking.ids import encode_qid
from skrank._text.docs import Judgements, PathLike, share_run_words
from skrank.evaluation.saved_scores import whole_file
from skrank.tables.align import join_runs
from skrank.tables.forms import Names, are_runs
from skrank.tables.trec_text import CODEC, text_of


@share_run_words
def fuse(
    runs: Mapping[str, Judgements],
    method: Literal["rrf", "sum", "mnz", "max", "isr", "borda"] = "rrf",
    *,
    norm: Literal["min-max", "max", "sum", "z", "rank"] | None = None,
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
    norm : {"min-max", "max", "sum", "z", "rank"}, default=None
        How the scores of each query of a run are made comparable before "sum", "mnz"
        or "max". None takes them as they are. Methods that read ranks ignore it.
    weights : array-like of shape (n_runs,) or dict of str to float, default=None
        The weight of each run, at least 0. A run with weight 0 is left out, with the
        documents that only this run returned. If None, all weights are 1.
    rrf_k : float, default=60
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
