"""How much tied scores can change a metric."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import numpy as np

from skrank._ranking.documents import Candidates
from skrank._ranking.neighbours import lengths_of
from skrank._ranking.rank import rank_lists
from skrank._ranking.read import read_lists
from skrank._text_tables import table
from skrank.metrics._answer import answer_all
from skrank.metrics._evaluate import read_requests, split_params
from skrank.metrics._words import share_words

BOUNDS = ("pessimistic", "expected", "optimistic")


@dataclass(frozen=True)
class TieReport:
    """How many documents are tied, and how much that can change metrics.

    It prints as a table.

    Attributes
    ----------
    n_queries, n_documents : int
        The numbers of queries and documents.
    n_tied_queries, n_tied_documents : int
        The number of queries with ties, and the number of documents whose score is
        equal to that of another document of their query.
    values : dict of str to tuple of (float, float, float)
        For each metric its value in the worst ordering of the tied documents, its exact
        expectation over all orderings, and its value in the best one.
    """

    n_queries: int
    n_documents: int
    n_tied_queries: int
    n_tied_documents: int
    values: dict

    def __repr__(self):
        fractions = [
            _fraction(self.n_tied_queries, self.n_queries, "queries"),
            _fraction(self.n_tied_documents, self.n_documents, "documents"),
        ]
        rows = [
            [name, *(f"{value:.6f}" for value in (*bounds, bounds[2] - bounds[0]))]
            for name, bounds in self.values.items()
        ]
        return "\n".join([*fractions, "", table(["", *BOUNDS, "span"], rows)])


def _fraction(part, whole, noun):
    return f"{part} of {whole} {noun} are tied ({part / whole:.1%})"


@share_words
def tie_report(
    y_true, y_score, metrics=("mrr", "ndcg@10", "map"), *, qid=None, **params
):
    """Report how many documents are tied, and how much that can change metrics.

    Parameters
    ----------
    metrics : str, callable or list of them, default=("mrr", "ndcg@10", "map")
        The metrics, as in :func:`evaluate`.
    **params
        Further parameters of :func:`evaluate` other than `ties`.

    Returns
    -------
    report : TieReport
        It prints as a table. Its attributes are the counts `n_queries`, `n_documents`,
        `n_tied_queries` and `n_tied_documents` (documents whose score is equal to that
        of another document of their query), and `values`, a dict of metric names to
        (pessimistic, expected, optimistic).

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or the input shapes do not match.
    TypeError
        If `ties` or ``average=None`` is given, or none of the metrics has one of
        `params`.

    See Also
    --------
    evaluate : Returns the metrics under one tie policy.
    explain : Explains why a metric differs between conventions.

    Notes
    -----
    Any library that breaks ties by some order (of the input, of ids, of its sort)
    reports a value between the pessimistic and the optimistic one. If all scores are
    equal, the expected value is the chance level of the metric.

    Examples
    --------
    >>> from skrank.metrics import tie_report
    >>> tie_report([1, 0, 0, 1], [2, 2, 1, 3], ["mrr", "precision@1"], qid=[7, 7, 8, 8])
    1 of 2 queries are tied (50.0%)
    2 of 4 documents are tied (50.0%)
    <BLANKLINE>
                 pessimistic  expected  optimistic      span
    mrr             0.750000  0.875000    1.000000  0.250000
    precision@1     0.500000  0.750000    1.000000  0.500000
    """
    if "ties" in params:
        raise TypeError("tie_report sets 'ties' itself. Got 'ties'.")
    if params.get("average", "macro") is None:
        raise TypeError("tie_report needs one value per metric. Got average=None.")
    arrays, params = split_params(y_true, y_score, qid, params)
    asked = {
        ties: read_requests(metrics, {**params, "ties": ties}, "tie_report")
        for ties in BOUNDS
    }
    bounds = [answer_all(requests, arrays) for requests in asked.values()]
    values = {name: tuple(scores[name] for scores in bounds) for name in bounds[0]}
    counts = count_ties(arrays, params.get("score_dtype"))
    return TieReport(**counts, values=values)


def count_ties(arrays, score_dtype=None):
    """Return the counts of a :class:`TieReport`, by name."""
    lists = read_lists(
        arrays.y_true,
        arrays.scores(score_dtype) if score_dtype else arrays.y_score,
        qid=arrays.qid,
        exclude=arrays.exclude,
        judged=arrays.judged,
        returned=arrays.returned,
    )
    scores = lists.y_score
    if isinstance(lists, Candidates):
        query, size = _groups_of_candidates(lists, scores)
    else:
        every = np.ones(len(scores), dtype=bool)
        if lists.excluded is not None:
            every = ~lists.excluded
        # With every document relevant, these are all tie groups.
        grades = np.ones(len(scores), dtype=np.uint8)
        lists = lists.changed(
            relevant=every, y_score=scores, grades=grades, graded=None
        )
        ranking = rank_lists(lists, "expected")
        query, size = ranking.query, ranking.size
    tied = size > 1
    return {
        "n_queries": len(lists.ids),
        "n_documents": int(lists.n_documents().sum()),
        "n_tied_queries": len(np.unique(query[tied])),
        "n_tied_documents": int(size[tied].sum()),
    }


def _groups_of_candidates(lists, scores):
    """Return the query and the size of every tie group of candidates."""
    shown = np.ones(scores.shape, dtype=bool)
    if lists.exclude is not None:
        shown[lists.exclude.nonzero()] = False
        shown[lists.ids, lists.target] = True
    query, _ = np.nonzero(shown)
    scores = scores[shown]
    order = np.lexsort((scores, query))
    query, scores = query[order], scores[order]
    new = (query[1:] != query[:-1]) | (scores[1:] != scores[:-1])
    starts = np.flatnonzero(np.append(True, new))
    return query[starts], lengths_of(starts, len(query))
