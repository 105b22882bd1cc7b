"""Judgements and runs, as the arrays that metrics take."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_choice, check_number, shown, warn_caller
from skrank._ranking.ids import encode_qid
from skrank.metrics import CONVENTIONS
from skrank.tables._forms import RESULT, TRUTH, Names, are_runs, read_side
from skrank.tables._join import outer_join
from skrank.tables._triples import Triples, text_of

MISSING = ("zero", "drop", "raise")
UNJUDGED = ("drop", "raise")


def align(
    qrels,
    run,
    *,
    missing="zero",
    unjudged="drop",
    judged_from=None,
    qid="qid",
    doc_id="doc_id",
    grade="grade",
    score="score",
):
    """Align relevance judgements and a run: an outer join on query and document.

    A document that is judged but not returned, and one that is returned but not judged,
    both count: a join that loses the first overrates the run.

    Parameters
    ----------
    qrels : path, table, dict or list
        The judgements. A file of TREC, also with the ending ".gz"; a Parquet, CSV or
        JSON file, which DuckDB reads; a table (pandas, polars, pyarrow, DuckDB or
        another with ``__arrow_c_stream__``, or what :func:`read_qrels` returns); a list
        of tuples (query, document, grade); or a dict of query ids to dicts
        ``{document: grade}``, or to sets or lists of the relevant documents.
    run : path, table, dict or list
        What a system returned, in the same forms. The values of a dict may also be
        ranked lists of documents, lists of (document, score) or lists of hits, which
        are dicts. A dict of names to runs holds several runs.
    missing : {"zero", "drop", "raise"}, default="zero"
        What is done with a judged query that the run lacks. "zero" keeps it, so that
        its value is 0 (trec_eval -c), "drop" leaves it out (trec_eval without -c).
    unjudged : {"drop", "raise"}, default="drop"
        What is done with a query of the run that has no judgement. "drop" leaves it out
        and warns.
    judged_from : float, default=None
        Documents with a lower grade are not judged: 0 for judgements of TREC that hold
        -1. If None, negative grades raise.
    qid, doc_id, grade, score : str
        The names of the columns of tables. Those of hits are `doc_id` and `score`.

    Returns
    -------
    aligned : Bunch
        The arguments of :func:`~skrank.metrics.evaluate`: `y_true`, `y_score`, `qid`,
        `judged` (has a grade), `returned` (is in the run) and `doc_id`, of shape
        (n_samples,), the rows of a query one after another. Document ids that are text
        are UTF-8 bytes, in whose order trec_eval breaks ties. Of several runs, a dict
        of names to these.

    Raises
    ------
    ValueError
        If a line of a file is malformed (the error names it), a document occurs twice
        for a query, a grade or a score is missing, NaN or negative, no query is
        judged, or a parameter has an invalid value.
    TypeError
        If the input has another form, or the ids are text on one side and integers on
        the other.

    Warns
    -----
    UserWarning
        If queries without judgements are dropped, or no document of the run is judged.

    See Also
    --------
    from_topk : The same for the arrays that vector indexes return.
    skrank.metrics.evaluate : Takes the result as ``**aligned``.

    Notes
    -----
    Several runs are aligned one by one, as each has its own `returned`. With
    ``missing="zero"`` all of them have the same queries.

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
    >>> for name, one in align(qrels, runs).items():
    ...     print(name, evaluate(metrics="map", convention="trec_eval", **one))
    bm25 {'map': 0.125}
    dense {'map': 0.75}
    """
    check_choice(missing, MISSING, "missing", "align")
    check_choice(unjudged, UNJUDGED, "unjudged", "align")
    if judged_from is not None:
        judged_from = check_number(judged_from, "judged_from", "align")
    truth = read_side(qrels, TRUTH, Names(qid, doc_id, grade))
    names, rules = Names(qid, doc_id, score), (missing, unjudged, judged_from)
    if not are_runs(run):
        result = read_side(run, RESULT, names)
        return align_triples(truth, result, (TRUTH.name, RESULT.name), *rules)
    aligned = {}
    for key, one in run.items():
        side = RESULT._replace(name=f"run[{key!r}]")
        result = read_side(one, side, names)
        aligned[key] = align_triples(truth, result, (TRUTH.name, side.name), *rules)
    return aligned


def lowest_judged(convention):
    """Return the grade below which documents are not judged by a convention, or None.

    A name that is no convention is refused where it is followed.
    """
    if convention not in CONVENTIONS:
        return None
    return CONVENTIONS[convention].rules.get("*", {}).get("judged_from")


def align_triples(
    truth, result, names, missing="zero", unjudged="drop", judged_from=None
):
    """Return what :func:`align` does.

    Parameters
    ----------
    truth, result : Triples
        The judgements and the run.

    names : (str, str)
        What they are called, for errors.

    missing, unjudged, judged_from
        As in :func:`align`.
    """
    is_judged = _judged(truth, judged_from, names[0])
    grade = np.where(is_judged, truth.value, truth.value.dtype.type(0))
    truth = truth._replace(value=grade)
    for what, ours, theirs in zip(("query", "document"), truth, result, strict=False):
        _check_kinds(what, ours, theirs, names)
    ids, query = encode_qid(truth.qid)
    run_ids, run_query = encode_qid(result.qid)
    place = np.minimum(np.searchsorted(ids, run_ids), len(ids) - 1)
    known = ids[place] == run_ids
    if not known.any():
        raise ValueError(
            f"{names[0]} and {names[1]} must have queries in common. Got queries such "
            f"as {_first(ids)} and {_first(run_ids)}."
        )
    if not known.all():
        text = _some_queries(run_ids[~known], len(run_ids), names[1], "judgements")
        if unjudged == "raise":
            raise ValueError(f"{text} Pass unjudged='drop' to leave them out.")
        warn_caller(f"{text} They are left out.", UserWarning)
        result, run_query = _select(result, run_query, known)
    lacking = np.ones(len(ids), dtype=bool)
    lacking[place[known]] = False
    if missing == "raise" and lacking.any():
        text = _some_queries(ids[lacking], len(ids), names[0], f"a row in {names[1]}")
        raise ValueError(
            f"{text} Pass missing='zero' to count them as 0, or missing='drop'."
        )
    if missing == "drop" and lacking.any():
        is_judged = is_judged[~lacking[query]]
        truth, query = _select(truth, query, ~lacking)
    truth = truth._replace(qid=query)
    result = result._replace(qid=place[run_query])
    aligned = outer_join(ids, truth, is_judged, result, names)
    if not (aligned.judged & aligned.returned).any():
        warn_caller(
            f"No document of {names[1]} is judged. Got documents such as "
            f"{_first(truth.doc_id)} in {names[0]} and {_first(result.doc_id)} in "
            f"{names[1]}.",
            UserWarning,
        )
    return aligned


def _select(triples, query, is_kept):
    """Return the rows of some queries."""
    kept = is_kept[query]
    return Triples(*(column[kept] for column in triples)), query[kept]


def _judged(truth, judged_from, name):
    """Return which rows are judgements; raise if a grade is negative."""
    grade = truth.value
    if judged_from is not None:
        return grade >= judged_from
    low = np.flatnonzero(grade < 0)
    if len(low):
        raise ValueError(
            f"The grades of {name} must be >= 0. Got {grade[low[0]]} for document "
            f"{_first(truth.doc_id[low])} of query {_first(truth.qid[low])}: with "
            "judged_from=0, documents with a lower grade are not judged, as for "
            "trec_eval."
        )
    return np.ones(len(grade), dtype=bool)


def _check_kinds(what, ours, theirs, names):
    """Raise if ids are text on one side and integers on the other."""
    if ours.dtype.kind != theirs.dtype.kind:
        kinds = {"S": "text", "i": "integers"}
        got = [
            f"{kinds[ids.dtype.kind]} such as {_first(ids)} in {name}"
            for ids, name in zip((ours, theirs), names, strict=True)
        ]
        raise TypeError(
            f"The {what} ids of {names[0]} and {names[1]} must be of one type. Got "
            f"{' and '.join(got)}: make both text with str()."
        )


def _some_queries(ids, n, name, what):
    return f"{len(ids)} of {n} queries of {name} lack {what}, such as {_first(ids)}."


def _first(ids):
    return shown(text_of(ids[:1]).tolist()[0])
