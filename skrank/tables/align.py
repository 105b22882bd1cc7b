"""Judgements and runs, or what a vector index returns, side by side."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
import numbers
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import Bunch

from skrank._engine.conventions import CONVENTIONS
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    about,
    check_choice,
    check_flag,
    check_number,
    numeric_array,
    says_what_was_meant,
    shown,
)
from skrank._input.frames import as_frame, kind_of
from skrank._input.query_ids import QID
from skrank._ranking.ids import encode_heads, encode_qid, find_alike
from skrank._text.docs import Judgements, share_run_words
from skrank.tables.forms import (
    RESULT,
    TRUTH,
    Form,
    Names,
    are_runs,
    first_no_integer,
    read_form,
)
from skrank.tables.trec_text import QRELS, Triples, text_of


@share_run_words
def align(
    qrels: Judgements,
    run: Judgements,
    *,
    missing_queries: Literal["zero", "drop", "raise"] = "zero",
    unjudged_queries: Literal["drop", "raise"] = "drop",
    judged_from: float | None = None,
    exclude_same_id: bool = False,
    duplicates: Literal["raise", "best", "miss"] = "raise",
    wide: bool = False,
    qid: str = "qid",
    doc_id: str = "doc_id",
    grade: str = "grade",
    score: str = "score",
) -> Bunch:
    """Align relevance judgements and a run: an outer join on query and document.

    A document that is judged but not returned, and one that is returned but not judged,
    both count: a join that loses the first overrates the run.

    Parameters
    ----------
    qrels : path, table, dict or list
        The judgements. A file of TREC, also with the ending ".gz"; a Parquet or CSV
        file, which DuckDB reads; a table (pandas, polars, pyarrow, DuckDB or
        another with ``__arrow_c_stream__``, or what :func:`read_qrels` returns, with
        subtopics or without); a list of tuples (query, document, grade); or a dict of
        query ids to dicts ``{document: grade}``, or to sets or lists of the relevant
        documents, or a JSON file of one. A file of BEIR is read by its columns
        "query-id", "corpus-id" and "score". A data frame of two columns, the ids, holds
        relevant documents, such as what users clicked.
    run : path, table, dict or list
        What a system returned, in the same forms. The values of a dict may also be
        ranked lists of documents, lists of (document, score) or lists of hits, which
        are dicts. A dict of names to runs holds several runs.
    judged_from : float, default=None
        Documents with a lower grade are not judged: 0 for judgements of TREC that hold
        -1. If None, negative grades raise.
    exclude_same_id : bool, default=False
        Whether to take a document with the id of the query itself out of its list, as
        BEIR does: a search that has the queries among its documents, as in ArguAna,
        finds it first. A judgement of it stays. Text and integers are different ids.
    wide : bool, default=False
        Whether the scores of several runs are the columns of a data frame, as a
        :class:`~skrank.rankers.FusionRanker` and other estimators need it.

    Returns
    -------
    aligned : Bunch
        The arguments of :func:`~skrank.metrics.evaluate`: `y_true`, `y_score`, `qid`,
        `judged` (has a grade), `returned` (is in the run) and `doc_id`, of shape
        (n_samples,), the rows of a query one after another. Of judgements of subtopics
        there is also `subtopics`, a sparse matrix of shape (n_samples, n_subtopics)
        that is True where a document has a grade above 0 on a subtopic, and a grade in
        `y_true` is the highest of all subtopics. Of several runs there is a row for
        each document that is judged or in any run, and `y_score` and `returned` are
        dicts of the names of the runs to arrays.

        With `wide` the same rows have `data`, a data frame with the query ids, "qid",
        and a column with the scores of each run, NaN where it did not return the
        document; `target`, the grades; and `qid`, `judged`, `returned` (is in any run)
        and `doc_id`, as above.

    Raises
    ------
    ValueError
        If a line of a file is malformed (the error names it), a document occurs twice
        for a query, an id has more than 4,096 bytes, a grade or a score is missing, NaN
        or negative, no query is judged, or a parameter has an invalid value.
    TypeError
        If the input has another form, or integers meet text that is not that of an
        integer, such as "007".

    Warns
    -----
    UserWarning
        If queries without judgements are dropped, or no document of the run is judged.

    See Also
    --------
    from_topk : The same for the arrays that vector indexes return.
    score_runs : Aligns and scores in one call.
    skrank.metrics.evaluate : Takes the result as ``**aligned``, as
        :func:`~skrank.metrics.score_queries` does.

    Notes
    -----
    The ids of TREC, CSV and JSON files are text. Where text meets integers, these
    become text: "301" is 301.

    Each of several runs has the values that it has alone: a document that it did not
    return and nobody judged is not there for it. With ``missing_queries="drop"`` all of
    them must lack the same queries, unless `wide`.

    Examples
    --------
    >>> from skrank.tables import align
    >>> from skrank.metrics import evaluate
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
    >>> run = {"q1": {"d1": 0.7, "d4": 0.9}}
    >>> aligned = align(qrels, run)
    >>> evaluate(metrics=["mrr", "recall@10"], **aligned)
    {'mrr': 0.25, 'recall@10': 0.25}

    Several runs, and the rules of trec_eval:

    >>> runs = {"bm25": run, "dense": {"q1": ["d3", "d1"], "q2": ["d2", "d1"]}}
    >>> evaluate(metrics="map", convention="trec_eval", **align(qrels, runs))
    {'bm25': {'map': 0.125}, 'dense': {'map': 0.75}}

    Side by side, as a search for the weights of their fusion reads them:

    >>> rows = align(qrels, runs, wide=True)
    >>> rows.data.assign(grade=rows.target)
      qid  bm25  dense  grade
    0  q1   0.7    1.0      1
    1  q1   0.9    NaN      0
    2  q1   NaN    2.0      2
    3  q1   NaN    NaN      0
    4  q2   NaN    2.0      0
    5  q2   NaN    1.0      1
    """
    check_choice(missing_queries, ("zero", "drop", "raise"), "missing_queries", "align")
    check_choice(unjudged_queries, ("drop", "raise"), "unjudged_queries", "align")
    of_truth = Names(qid, doc_id, grade).checked("grade", "align")
    names = Names(qid, doc_id, score).checked("score", "align")
    if judged_from is not None:
        judged_from = check_number(judged_from, "judged_from", "align")
    check_flag(exclude_same_id, "exclude_same_id", "align")
    rules = missing_queries, unjudged_queries, judged_from, exclude_same_id
    truth, by_subtopic = read_form(qrels, TRUTH, of_truth), None
    if isinstance(qrels, Bunch) and "subtopic" in qrels:
        truth, *by_subtopic = with_subtopics(truth, qrels.subtopic, judged_from)
        rules = missing_queries, unjudged_queries, None, exclude_same_id
    if check_flag(wide, "wide", "align"):
        _check_wide(run)
    keys = [*run] if are_runs(run) else None
    runs = {None: run} if keys is None else run
    runs = read_runs(runs, names, "run", duplicates, may_be_empty=wide)
    aligned = align_triples(truth, runs, *rules, keys=keys, wide=wide)
    if by_subtopic is not None:
        aligned = by_subtopic_of(aligned, *by_subtopic)
    return _widened(aligned, run) if wide else aligned


def _check_wide(runs):
    """Raise unless there are several runs, whose names can be those of columns."""
    if not are_runs(runs):
        raise TypeError(
            "With wide=True the 'run' parameter of align must be a dict of names to "
            f"runs. Got {shown(runs)} of type {type(runs).__name__} instead."
        )
    for name in runs:
        if not isinstance(name, str) or name == QID:
            raise ValueError(
                "The names of runs must be of type str, and not 'qid', which is the "
                f"column of the query ids. Got {shown(name)}."
            )


def _widened(aligned, runs):
    """Return rows with a data frame that has a column of scores for each run."""
    found = aligned.pop("y_score"), aligned.pop("returned")
    data = as_frame({QID: aligned.qid} | side_by_side(*found), kind_of(*runs.values()))
    returned = np.any([*found[1].values()], axis=0)
    target = aligned.pop("y_true")
    return Bunch(data=data, target=target, returned=returned, **aligned)


def side_by_side(scores, returned):
    """Return the scores of runs by name, NaN for what they did not return."""
    return {name: np.where(returned[name], one, np.nan) for name, one in scores.items()}


def best_of_each(run, duplicates):
    """Return the first row with the best score of each document of a query of a run.

    With "miss" the other rows stay, as documents of their own.
    """
    choices = ("raise", "best", "miss")
    if check_choice(duplicates, choices, "duplicates", None) == "raise":
        return run  # the join raises
    alike = find_alike(run.doc_id, encode_qid(run.qid)[1])
    order = np.lexsort((-np.arange(len(alike)), run.value, alike))
    best = np.sort(order[np.flatnonzero(np.diff(alike[order], append=-1))])
    if duplicates == "miss":
        ids = run.doc_id.tolist()
        for row in np.delete(np.arange(len(ids)), best).tolist():
            is_text = isinstance(ids[row], bytes)
            ids[row] = b"%b (row %d)" % (ids[row], row) if is_text else _LOWEST + row
        return run._replace(doc_id=np.array(ids))
    return Triples(*(column[best] for column in run))


# No document has an integer as low.
_LOWEST = np.iinfo(np.int64).min


def join_runs(runs, names, of, duplicates=None):
    """Join runs on query and document; `of` is what the argument with them is called.

    `duplicates` is None if a caller has no such parameter.
    Return the query ids, and for each pair of a query and a document that occurs the
    position of its query in them, its document, and the scores of each run by its name,
    NaN where it has none.
    """
    rule = check_choice(duplicates or "raise", ("raise", "best"), "duplicates", None)
    sides = read_runs(runs, names, of, rule)
    called, sides = [*sides], with_ids_of_one_type([*sides.values()], [*sides])
    heads = [encode_heads(side.qid) for side in sides]
    ids = np.unique(np.concatenate([one.ids for one in heads]))
    for i, one in enumerate(heads):
        codes = np.searchsorted(ids, one.ids)[one.codes]
        sides[i] = sides[i]._replace(qid=one._replace(codes=codes))
    may_choose = [duplicates is not None] * len(sides)
    query, document, *by_run = outer_join(ids, sides, called, may_choose)
    by_run = (dict(zip(runs, one, strict=True)) for one in by_run)
    return ids, query, document, side_by_side(*by_run)


def _twice(document, query, name, may_choose):
    """Return the error of a document that occurs twice for a query."""
    cure = (
        "Keep its highest value, frame.groupby(['qid', 'doc_id'], as_index=False).max()"
        ", or of several raters the mean, .mean(). Judgements of subtopics: "
        "read_qrels(path, subtopics=True)."
    )
    if may_choose:
        cure = (
            "Pass duplicates='best' to keep its best score, or first place in a list, "
            "or 'miss' to count its other places as misses."
        )
    error = ValueError(
        f"A document must occur once for each query in {name}. Got document "
        f"{_an_id(document)} of query {_an_id(query)} more than once. {cure}"
    )
    return about(error, "duplicates")


def read_runs(runs, names, of, duplicates, may_be_empty=True):
    """Return the Triples of runs by what errors call them; one alone has no name.

    `of` is the argument. A run that is an empty dict has no rows, if it may be empty,
    unless all are.
    """
    named = {
        of if name is None else f"{of}[{name!r}]": run for name, run in runs.items()
    }
    filled = [name for name, run in named.items() if not _is_empty(run)] or [*named]
    filled = filled if may_be_empty else [*named]
    sides = {}
    for name in filled:
        side = read_form(named[name], RESULT._replace(name=name), names)
        sides[name] = best_of_each(side, duplicates)
    none = Triples(*(column[:0] for column in sides[filled[0]]))
    return {name: sides.get(name, none) for name in named}


def _is_empty(run):
    """Return True for a dict of queries for none of which a run returned anything."""
    return isinstance(run, Mapping) and all(
        hasattr(one, "__len__") and not len(one) for one in run.values()
    )


def with_subtopics(truth, subtopic, judged_from):
    """Return judgements of documents instead of pairs of a document and a subtopic.

    Their values are numbers of documents. The other values are by document: the highest
    grade, whether it is judged, and the sparse matrix of its subtopics.
    """
    is_judged = _judged(truth, judged_from, TRUTH.name)
    _, query = encode_qid(truth.qid)
    labels, label = encode_qid(subtopic, len(query), name="subtopic")
    _, first, document = np.unique(
        find_alike(truth.doc_id, query), return_index=True, return_inverse=True
    )
    pair = document * len(labels) + label
    _, place, counts = np.unique(pair, return_inverse=True, return_counts=True)
    (twice,) = np.nonzero(counts[place] > 1)
    if len(twice):
        raise ValueError(
            "The judgements must have each document once for a query and subtopic. Got "
            f"{_an_id(truth.doc_id[twice])} for query {_an_id(truth.qid[twice])} and "
            f"subtopic {_an_id(subtopic[twice])} more than once."
        )
    order = np.lexsort((truth.value, document))
    last = np.flatnonzero(np.diff(document[order], append=-1))
    kept = is_judged & (truth.value > 0)
    pairs = np.ones(np.count_nonzero(kept), dtype=bool), (document[kept], label[kept])
    of_documents = sparse.csr_matrix(pairs, (len(first), len(labels)))
    numbered = Triples(truth.qid[first], truth.doc_id[first], np.arange(len(first)))
    return numbered, truth.value[order[last]], is_judged[order[last]], of_documents


def by_subtopic_of(aligned, grade, is_judged, subtopics):
    """Return what was aligned by numbers of documents with their grades."""
    number, judged = aligned.y_true, aligned.judged & is_judged[aligned.y_true]
    (row,) = np.nonzero(judged)
    pairs = np.ones(len(row), dtype=bool), (row, number[judged])
    rows = sparse.csr_matrix(pairs, (len(number), len(grade)))
    y_true = np.where(judged, grade[number], grade.dtype.type(0))
    return Bunch(
        **(aligned | {"y_true": y_true, "judged": judged}), subtopics=rows @ subtopics
    )


def rule_of_all(name, given, convention):
    """Return a rule of judgements and runs: as it is given, or by a convention.

    None if neither says it. An unknown convention raises where it is followed.
    """
    if given is not None or convention not in CONVENTIONS:
        return given
    return CONVENTIONS[convention].rules.get("*", {}).get(name)


def with_ids_of_one_type(sides, names):
    """Return the Triples of several sources with ids of one type.

    Integers that meet text become text. If a text is not that of an integer, such as
    "007", it cannot be said what it stands for, and this raises. `names` are what
    errors call the sources.
    """
    for field, what in {"qid": "query", "doc_id": "document"}.items():
        ids = [getattr(side, field) for side in sides]
        texts = [i for i, one in enumerate(ids) if one.dtype.kind == "S"]
        integers = [i for i in range(len(ids)) if i not in texts] if texts else []
        for text, other in itertools.product(texts, integers[:1]):
            if len(bad := first_no_integer(ids[text])):
                raise TypeError(
                    f"The {what} ids of {names[text]} and {names[other]} must be of "
                    f"one type. Got text such as {_an_id(bad)} and integers such as "
                    f"{_an_id(ids[other])}: make both text, those of a file with "
                    "pandas.read_csv(path, dtype=str), which keeps leading zeros, and "
                    "others with str()."
                )
        for i in integers:
            ids[i] = ids[i].astype("S24")
        both = zip(sides, ids, strict=True)
        sides = [side._replace(**{field: one}) for side, one in both]
    return sides


def align_triples(
    truth,
    runs,
    missing_queries="zero",
    unjudged_queries="drop",
    judged_from=None,
    exclude_same_id=False,
    *,
    name=TRUTH.name,
    keys=None,
    wide=False,
):
    """Return what :func:`align` does, of the Triples of judgements and runs.

    `name` and the keys of `runs` are what errors call them. `keys` are the names of
    several runs in the result; None for one. With `wide` a query is missing if all of
    them lack it.
    """
    names = [*runs, name]
    *results, truth = with_ids_of_one_type([*runs.values(), truth], names)
    is_judged = _judged(truth, judged_from, name)
    grade = np.where(is_judged, truth.value, truth.value.dtype.type(0))
    truth = truth._replace(qid=encode_heads(truth.qid), value=grade)
    ids, lacking = (
        truth.qid.ids,
        np.zeros((len(results), len(truth.qid.ids)), dtype=bool),
    )
    for i, result in enumerate(results):
        results[i], lacking[i] = _of_judged(
            result, ids, names[i], name, unjudged_queries
        )
    if wide:
        lacking[:] = lacking.all(axis=0)
    truth, is_judged = _with_missing(truth, is_judged, lacking, names, missing_queries)
    of_runs = results
    if exclude_same_id:
        of_runs = [
            _some_rows(one, has_other_id(one, ids[one.qid.of_rows()]))
            for one in results
        ]
    query, document, (*scores, y_true), (*returned, judged) = outer_join(
        ids, [*of_runs, truth], names, [*(True for _ in runs), False], is_judged
    )
    for result, called, found in zip(results, names[:-1], returned, strict=True):
        if len(result.value) and not (judged & found).any():
            warn_caller(
                f"No document of {called} is judged. Got documents such as "
                f"{_an_id(truth.doc_id)} in {name} and {_an_id(result.doc_id)} in "
                f"{called}.",
                UserWarning,
            )
    (y_score, *_), (returned, *_) = by_run = scores, returned
    if keys is not None:
        y_score, returned = (dict(zip(keys, one, strict=True)) for one in by_run)
    return Bunch(
        y_true=y_true,
        y_score=y_score,
        qid=text_of(ids)[query],
        judged=judged,
        returned=returned,
        doc_id=text_of(document),
    )


def _of_judged(result, ids, name, of_truth, unjudged_queries):
    """Return the rows of a run of judged queries, and which of these it lacks.

    Their query ids become Heads of positions in `ids`, those of the judgements.
    """
    run = encode_heads(result.qid)
    place = np.minimum(np.searchsorted(ids, run.ids), len(ids) - 1)
    known = ids[place] == run.ids
    result = result._replace(qid=run._replace(codes=place[run.codes]))
    if len(known) and not known.any():
        raise ValueError(
            f"{of_truth} and {name} must have queries in common. Got queries such "
            f"as {_an_id(ids)} and {_an_id(run.ids)}."
        )
    if not known.all():
        text = _some_queries(run.ids[~known], len(run.ids), name, "judgements")
        if unjudged_queries == "raise":
            raise ValueError(f"{text} Pass unjudged_queries='drop' to leave them out.")
        warn_caller(f"{text} They are left out.", UserWarning)
        result = _some_rows(result, known[run.of_rows()])
    lacking = np.ones(len(ids), dtype=bool)
    lacking[place[known]] = False
    return result, lacking


def _with_missing(truth, is_judged, lacking, names, missing_queries):
    """Return judgements with or without the queries that runs lack, or raise.

    `lacking` has a row for each run.
    """
    is_missing = lacking.any(axis=0)
    if missing_queries == "zero" or not is_missing.any():
        return truth, is_judged
    ids, i = truth.qid.ids, lacking.any(axis=1).argmax()
    if missing_queries == "raise":
        lacks = f"a row in {names[i]}"
        text = _some_queries(ids[lacking[i]], len(ids), names[-1], lacks)
        text += (
            " Pass missing_queries='zero' to count them as 0, or "
            "missing_queries='drop' to leave them out."
        )
        raise about(ValueError(text), "missing_queries")
    if (lacking != is_missing).any():
        raise ValueError(
            "With missing_queries='drop' all runs must lack the same queries. Got "
            f"{lacking.sum(axis=1).tolist()} that they lack: pass "
            "missing_queries='zero', or align each run by itself."
        )
    kept = ~is_missing[truth.qid.of_rows()]
    return _some_rows(truth, kept), is_judged[kept]


def lacking_words(name, qid, returned):
    """Return the words for queries of which a run has no document, or nothing."""
    first = np.flatnonzero(qid[1:] != qid[:-1]) + 1  # their rows stand together
    is_in_run = np.logical_or.reduceat(returned, np.append(0, first))
    n_lacking, n_queries = np.count_nonzero(~is_in_run), len(is_in_run)
    words = f"{name} lacks {n_lacking:,} of {n_queries:,} queries: they count 0."
    return words if n_lacking else ""


def has_other_id(result, query):
    """Return which rows of a run have a document without the id of the query."""
    if result.doc_id.dtype.kind != query.dtype.kind:
        return np.ones(len(query), dtype=bool)
    return result.doc_id != query


def _some_rows(triples, kept):
    """Return the rows that are kept, of triples whose query ids are Heads."""
    codes = triples.qid.of_rows()[kept]
    heads = triples.qid._replace(codes=codes, starts=None, n_samples=len(codes))
    return Triples(heads, triples.doc_id[kept], triples.value[kept])


def _judged(truth, judged_from, name):
    """Return which rows are judgements; raise if a grade is negative."""
    grade = truth.value
    if judged_from is not None:
        return grade >= judged_from
    low = np.flatnonzero(grade < 0)
    if len(low):
        error = ValueError(
            f"The grades of {name} must be >= 0. Got {grade[low[0]]} for document "
            f"{_an_id(truth.doc_id[low])} of query {_an_id(truth.qid[low])}: with "
            "judged_from=0, documents with a lower grade are not judged, as for "
            "trec_eval."
        )
        raise about(error, "judged_from")
    return np.ones(len(grade), dtype=bool)


def _some_queries(ids, n, name, what):
    return f"{len(ids)} of {n} queries of {name} lack {what}, such as {_an_id(ids)}."


def _an_id(ids):
    return shown(text_of(ids[:1]).tolist()[0])


RELEVANT = Form(
    "relevant",
    QRELS,
    "one index for each query, an array or a sparse matrix of grades of shape "
    "(n_queries, n_documents), or a list with a set, a list or a dict {index: grade} "
    "for each query",
)


@says_what_was_meant
def from_topk(
    indices: ArrayLike,
    relevant: ArrayLike | Sequence[Any],
    scores: ArrayLike | None = None,
    *,
    greater_is_better: bool = True,
    duplicates: Literal["raise", "best", "miss"] = "raise",
    qid: ArrayLike | None = None,
) -> Bunch:
    """Align the top k of each query, as vector indexes return them, with the truth.

    To evaluate only the k returned rows would overrate recall and NDCG: the relevant
    documents that are not among them count as well.

    Parameters
    ----------
    indices : array-like of int of shape (n_queries, k)
        The positions of the documents, as returned by faiss, hnswlib or
        :class:`~sklearn.neighbors.NearestNeighbors`. -1 stands for no document.
    relevant : array-like or list
        The relevant documents: one index for each query, of shape (n_queries,); a list
        with a set, a list or a dict ``{index: grade}`` for each query; with `qid` a
        dict of query ids to these, without queries that have none; or an array or
        a sparse matrix of grades of shape (n_queries, n_documents), in which 0 stands
        for no judgement.
    scores : array-like of shape (n_queries, k), default=None
        Their scores or distances. If None, a row is in the order of the ranking.
    greater_is_better : bool, default=True
        False if `scores` are distances.
    duplicates : {"raise", "best", "miss"}, default="raise"
        What is done with an index that occurs twice for a query, as those of passages
        that became those of documents. "best" keeps it where its score is best; with
        "miss" the other places stay, as documents that are not relevant.
    qid : array-like of shape (n_queries,), default=None
        The id of the query of each row of `indices`, such as a user, each once. If
        None, the ids are the positions of the rows.

    Returns
    -------
    aligned : Bunch
        The arguments of :func:`~skrank.metrics.evaluate`, as :func:`align` returns
        them.

    Raises
    ------
    ValueError
        If the shapes do not match, no document was returned for any query, a score is
        NaN, an index occurs twice for a query, or a query id occurs twice.
    TypeError
        If indices are not integers, or `relevant` has another form.

    Warns
    -----
    UserWarning
        If queries without relevant documents are dropped, or the scores look like
        distances.

    See Also
    --------
    align : The same for files, tables and dicts.

    Examples
    --------
    >>> from skrank.tables import from_topk
    >>> from skrank.metrics import evaluate
    >>> indices, distances = [[4, 7], [2, -1]], [[0.1, 0.3], [0.2, 9.0]]
    >>> relevant = [{7, 8}, {2}]
    >>> aligned = from_topk(indices, relevant, distances, greater_is_better=False)
    >>> evaluate(metrics=["mrr", "recall@2"], **aligned)
    {'mrr': 0.75, 'recall@2': 0.75}
    >>> from_topk(indices, relevant, qid=["ann", "bob"]).qid.tolist()
    ['ann', 'ann', 'ann', 'bob']
    """
    check_flag(greater_is_better, "greater_is_better", "from_topk")
    found = _indices(indices)
    if scores is None:
        value = np.broadcast_to(-np.arange(found.shape[1]), found.shape)
    else:
        value = numeric_array(scores, "scores")
        if value.shape != found.shape:
            raise ValueError(
                "The 'scores' parameter must have the shape of indices, "
                f"{found.shape}. Got shape {value.shape} instead."
            )
        if not greater_is_better:
            value = -value.astype(np.result_type(value, np.float32))
    ids = None if qid is None else _one_id_each(qid, len(found))
    if isinstance(relevant, Mapping) and ids is not None:
        relevant = [relevant.get(one, ()) for one in ids.tolist()]
    truth = _truth(relevant, len(found))
    returned = found >= 0
    query = np.repeat(np.arange(len(found)), np.count_nonzero(returned, axis=1))
    rows = slice(None) if returned.all() else returned  # a slice is not copied
    result = Triples(query, found[rows].ravel(), value[rows].ravel())
    if value.dtype.kind == "f" and np.isnan(result.value).any():
        raise ValueError(
            "Input scores contains NaN. Where nothing was returned, pass the index -1."
        )
    if greater_is_better and scores is not None:
        _warn_if_distances(result)
    result = best_of_each(result, duplicates)
    aligned = align_triples(truth, {"indices": result}, name="relevant")
    return aligned if ids is None else Bunch(**(aligned | {"qid": ids[aligned.qid]}))


def _warn_if_distances(result):
    """Warn if nearly all rows of a top k have scores that rise from left to right."""
    row, left, right = result.qid[1:], result.value[:-1], result.value[1:]
    is_step = (row == result.qid[:-1]) & (left != right)
    steps = np.bincount(row[is_step])
    rising = np.bincount(row[is_step & (left < right)], minlength=len(steps))
    # Ten steps rise by chance once in a thousand times.
    n_rising = np.count_nonzero((steps > 0) & (steps == rising))
    if rising.sum() >= 10 and n_rising >= 0.9 * np.count_nonzero(steps):
        warn_caller(
            f"The scores rise from left to right in {n_rising} of {len(steps)} rows of "
            "indices, as distances do, but larger scores rank first. If they are "
            "distances, pass greater_is_better=False.",
            UserWarning,
        )


def _one_id_each(qid, n_queries):
    """Return the query ids of the rows of indices as an array, or raise."""
    ids, codes = encode_qid(qid, n_queries)
    if len(ids) < n_queries:
        twice = ids[np.bincount(codes) > 1].tolist()[0]
        raise ValueError(
            "The 'qid' parameter of from_topk must have one id for each row of "
            f"indices, each once. Got {shown(twice)} twice."
        )
    return ids[codes]


def _indices(indices):
    """Return indices as an array of int64 of shape (n_queries, k)."""
    indices = numeric_array(indices, "indices")
    if indices.ndim != 2 or indices.dtype.kind not in "iu":
        raise TypeError(
            "The 'indices' parameter must be an array of int of shape (n_queries, k). "
            f"Got dtype {indices.dtype} and shape {indices.shape} instead."
        )
    if indices.size and indices.min() < -1:
        raise ValueError(
            "The 'indices' parameter must hold positions, or -1 for no document. Got "
            f"{indices.min()}."
        )
    if not (indices >= 0).any():
        raise ValueError(
            "The 'indices' parameter must hold a document of at least one query. Got "
            f"{shown(indices.tolist())}: does the index contain documents?"
        )
    return indices.astype(np.int64, copy=False)


def _truth(relevant, n_queries):
    """Return the Triples of the relevant documents."""
    if sparse.issparse(relevant) or getattr(relevant, "ndim", 1) == 2:
        if not sparse.issparse(relevant):
            relevant = numeric_array(relevant, "relevant")
        cells = sparse.coo_matrix(relevant)
        n_found, kept = cells.shape[0], cells.data != 0
        columns = (cells.row[kept], cells.col[kept], cells.data[kept])
        relevant = Bunch(qid=columns[0], doc_id=columns[1], grade=columns[2])
    else:
        is_array = hasattr(relevant, "__array__")
        relevant = np.asarray(relevant).tolist() if is_array else relevant
        if not isinstance(relevant, (list, tuple)):
            raise TypeError(
                f"The 'relevant' parameter of from_topk must be {RELEVANT.takes}. Got "
                f"{shown(relevant)} of type {type(relevant).__name__} instead."
            )
        n_found = len(relevant)
        is_index = all(isinstance(one, numbers.Integral) for one in relevant)
        relevant = [[one] for one in relevant] if is_index else relevant
        relevant = dict(enumerate(relevant))
    if n_found != n_queries:
        raise ValueError(
            "The 'relevant' parameter must have one entry for each query, the rows of "
            f"indices. Got {n_found} for {n_queries} queries."
        )
    truth = read_form(relevant, RELEVANT, Names("qid", "doc_id", "grade"))
    if truth.doc_id.dtype.kind != "i" or truth.doc_id.min() < 0:
        raise ValueError(
            "The 'relevant' parameter must hold positions of documents, as indices "
            f"does. Got {shown(min(text_of(truth.doc_id).tolist()))}: map other ids to "
            "positions with {id: i for i, id in enumerate(ids)}."
        )
    return truth


# The number of rows that are joined at once, so that they stay in the cache; or one
# query, if it has more.
_BLOCK = 2**17


def outer_join(ids, sides, names, may_choose, flags=True):
    """Join Triples, whose query ids are Heads of positions in `ids`.

    `names` are what errors call them, and `may_choose` says in which of them
    duplicates="best" may choose among rows of a document. Return for each joined row
    the position of its query and its document, and two lists of arrays, with one for
    each side: its values, 0 where it lacks the row, and which rows it has. Of the last
    side these are the rows with a flag.
    """
    orders, bounds = zip(*(_by_query(one.qid, len(ids)) for one in sides), strict=True)
    bound, stop = sum(bounds), 0
    query = np.zeros(bound[-1], np.int32)
    document = np.zeros(bound[-1], np.result_type(*(one.doc_id for one in sides)))
    values = [np.zeros(bound[-1], one.value.dtype) for one in sides]
    found = [np.zeros(bound[-1], dtype=bool) for _ in sides]
    for low, high in _query_blocks(bound):
        rows, codes = [], []
        for order, of_side in zip(orders, bounds, strict=True):
            span = slice(of_side[low], of_side[high])
            rows.append(span if order is None else order[span])
            sizes = np.diff(of_side[low : high + 1])
            codes.append(np.repeat(np.arange(high - low), sizes))
        documents = [side.doc_id[at] for side, at in zip(sides, rows, strict=True)]
        code, documents = np.concatenate(codes), np.concatenate(documents)
        first, places = _join_block(code, documents)
        joined = slice(stop, stop + len(first))
        query[joined], document[joined] = low + code[first], documents[first]
        end = 0
        for i, (side, at) in enumerate(zip(sides, rows, strict=True)):
            place = places[end : (end := end + len(codes[i]))]
            found[i][joined][place] = True
            if np.count_nonzero(found[i][joined]) < len(place):
                row = joined.start + np.flatnonzero(np.bincount(place) > 1)[0]
                raise _twice(document[row:], ids[query[row] :], names[i], may_choose[i])
            values[i][joined][place] = side.value[at]
        if flags is not True:
            found[-1][joined][place] = flags[at]
        stop = joined.stop
    return (
        query[:stop],
        document[:stop],
        *([column[:stop] for column in columns] for columns in (values, found)),
    )


def _query_blocks(bound):
    """Yield the first query of each block, and the one after its last."""
    block = np.searchsorted(bound, np.arange(0, bound[-1], _BLOCK), side="right") - 1
    first = np.unique(block).tolist()
    yield from zip(first, [*first[1:], len(bound) - 1], strict=True)


def _by_query(heads, n_queries):
    """Return the rows by query, None if they stand so, and where each query starts."""
    codes, starts, n_rows = heads[1:]
    sizes = None if starts is None else np.diff(starts, append=n_rows)
    counts = np.bincount(codes, sizes, minlength=n_queries).astype(np.intp)
    order, bound = None, np.append(0, np.cumsum(counts))
    if (codes[1:] < codes[:-1]).any():
        small = np.min_scalar_type(n_queries)  # NumPy sorts 16 bits by counting
        order = np.argsort(heads.of_rows().astype(small), kind="stable")
    return order, bound


def _join_block(query, document):
    """Return the first row of each pair of a query and a document, query by query.

    The second value is the place of each row in the first one. Of one query:

        row       0  1 | 2  3  4     a run | the judgements
        document  d  b | a  b  c
        alike     0  1   2  1  4     the first row with this document
        first     0  1  2  4
        place     0  1   2  1  3
    """
    n_rows = len(query)
    # Of the rows that are alike the last one stands for all: here it is the first.
    alike = n_rows - 1 - find_alike(document[::-1], query[::-1])[::-1]
    (first,) = np.nonzero(alike == np.arange(n_rows))
    small = np.min_scalar_type(query.max())  # NumPy sorts 16 bits by counting
    first = first[np.argsort(query[first].astype(small), kind="stable")]
    place = np.empty(n_rows, dtype=np.intp)
    place[first] = np.arange(len(first))
    return first, place[alike]
