"""One query, document by document: what each of them adds to a metric."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skrank._engine.names import read_requests
from skrank._input.checks import check_k, numeric_array, says_what_was_meant, shown
from skrank._input.frames import as_frame, take_rows, unwrapped
from skrank._input.query_ids import find_qid
from skrank._ranking.ids import DocOrder, check_ids, encode_qid
from skrank._ranking.lists import are_rows, read_lists
from skrank._ranking.queries import DocumentTerms
from skrank._ranking.rank import rank_documents, rank_lists
from skrank._text.docs import (
    FrameKind,
    MatrixLike,
    MetricLike,
    share_frame_words,
    share_words,
)
from skrank._text.tables import PrintedResult, Table
from skrank.evaluation.evaluate import (
    by_ranker,
    named_columns,
    score_queries,
    split_params,
)
from skrank.metrics.gains import own_gain


class RankedDocuments(NamedTuple):
    """The documents of one query, as one ranker ranks them.

    The first documents stand in the order of rank, then those that were not returned.
    """

    document: np.ndarray  # the ids, or positions in the input without `doc_id`
    grade: np.ndarray  # NaN for a document that is not judged
    relevant: np.ndarray
    best_rank: np.ndarray  # differs from the worst one if it is tied
    worst_rank: np.ndarray  # both are NaN for a document that was not returned
    # What each adds to the value of the query, if the metric is a sum over documents.
    adds: np.ndarray | None
    columns: dict
    ideal: np.ndarray  # positions in `document`, in the order of the ideal ranking
    ideal_adds: np.ndarray | None

    @property
    def n_returned(self):
        """Return the number of documents that were returned."""
        return int(np.count_nonzero(~np.isnan(self.best_rank)))

    @property
    def n_relevant(self):
        """Return the number of relevant documents, returned or not."""
        return int(np.count_nonzero(self.relevant))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryReport(PrintedResult):
    """The documents of one query, and what each adds to a metric.

    Made by :func:`query_report`. It prints as a table for each ranker.

    Parameters
    ----------
    query : object
        The query id.
    metric : str
        The name of the metric.
    values : dict of str to float
        The value of the query by each ranker, as it counts in a mean over queries. A
        ranker without a name is None.
    rankings : dict of str to RankedDocuments
        The documents of each ranker: `document`, `grade`, `relevant`, `best_rank`,
        `worst_rank`, `adds`, `columns`, `ideal` and `ideal_adds`.
    k : int or None
        The number of ranks that are printed.
    kind : str
        The library of the data frame that `to_frame` makes by default.
    is_undefined : bool
        Whether the metric is undefined for the query.

    See Also
    --------
    query_report : Makes it.

    Examples
    --------
    >>> from skrank.metrics import query_report
    >>> report = query_report([1, 0, 1], [2, 2, 1], 7, metric="map", qid=[7, 7, 7])
    >>> report.values
    {None: 0.708333333333333...}
    >>> report.rankings[None].adds.round(4)
    array([0.375 , 0.    , 0.3333])
    >>> report.to_frame()[["rank", "document", "adds", "lost"]].round(4)
       rank  document    adds    lost
    0     1         0  0.3750  0.1250
    1     2         1  0.0000  0.5000
    2     3         2  0.3333 -0.3333
    """

    query: object
    metric: str
    values: dict[Any, float]
    rankings: dict[Any, RankedDocuments]
    k: int | None
    kind: str
    is_undefined: bool

    @share_frame_words
    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Return all documents as a data frame, with one row per ranker and rank.

        Returns
        -------
        frame : data frame
            The columns are ranker, if rankers have names; rank; document, grade and
            the further columns of the document at that rank; best_rank and worst_rank,
            which differ if it is tied; adds; ideal_document, ideal_grade and
            ideal_adds, those of the document at that rank of the ideal ranking; and
            lost, the difference of ideal_adds and adds. Relevant documents that a
            ranker did not return count in the ideal ranking alone.
        """
        parts = []
        for name, one in self.rankings.items():
            n_rows, n_returned = len(one.ideal), one.n_returned
            part = {} if name is None else {"ranker": np.full(n_rows, name, object)}
            part["rank"] = np.arange(1, n_rows + 1)
            shown = {"document": one.document, "grade": one.grade, **one.columns}
            shown |= {"best_rank": one.best_rank, "worst_rank": one.worst_rank}
            for label, values in shown.items():
                part[label] = _padded(values[:n_returned], n_rows)
            part["adds"] = _by_rank(one.adds, n_returned, n_rows)
            part["ideal_document"] = _padded(one.document[one.ideal], n_rows)
            part["ideal_grade"] = _padded(one.grade[one.ideal], n_rows)
            part["ideal_adds"] = _by_rank(one.ideal_adds, n_rows, n_rows)
            part["lost"] = part["ideal_adds"] - part["adds"]
            parts.append(part)
        columns = {
            label: np.concatenate([part[label] for part in parts]) for label in parts[0]
        }
        return as_frame(columns, self.kind if kind is None else kind)

    def _contents(self):
        counts = {one.n_relevant for one in self.rankings.values()}
        counts = " or ".join(f"{n:,}" for n in sorted(counts))
        noun = "document" if counts == "1" else "documents"
        title = f"query {self.query}, {self.metric}, {counts} relevant {noun}"
        notes = "\n".join(self._notes())
        return title, [*self._tables(), *([notes] if notes else [])]

    def _notes(self):
        """Return sentences on what the tables do not show."""
        notes = []
        for name, one in self.rankings.items():
            missing = int(np.count_nonzero(one.relevant[one.n_returned :]))
            if missing:
                who = "The ranker" if name is None else name
                notes.append(
                    f"{who} did not return {missing:,} of the {one.n_relevant:,} "
                    "relevant documents."
                )
        if self.is_undefined:
            value = next(iter(self.values.values()))
            counts = "is left out of means" if np.isnan(value) else f"counts {value:g}"
            notes.append(f"{self.metric} is undefined for this query, which {counts}.")
        elif any(one.adds is None for one in self.rankings.values()):
            notes.append(
                f"{self.metric} is not a sum over documents: what each of them adds is "
                "left out."
            )
        return notes

    def _tables(self):
        """Yield the table of each ranker, with a row for each rank."""
        for name, one in self.rankings.items():
            best = one.ideal[: one.n_relevant]
            longest = max(one.n_returned, len(best))
            n_shown = longest if self.k is None else min(self.k, longest)
            n_documents = min(n_shown, one.n_returned)
            cells = {"rank": [_ranks(one, place) for place in range(n_documents)]}
            cells["rank"] += map(str, range(n_documents + 1, n_shown + 1))
            shown = {"document": one.document, "grade": one.grade, **one.columns}
            for label, values in shown.items():
                cells[label] = [*map(_cell, values[:n_documents].tolist())]
            sums = {}
            if one.adds is not None:
                adds = _by_rank(one.adds, one.n_returned, len(one.ideal))
                sums = {"adds": adds, "lost": one.ideal_adds - adds}
            for label, values in sums.items():
                cells[label] = [*map(_four_digits, values[:n_shown])]
            places = best[:n_shown]
            cells["ideal"] = [*map(_cell, one.document[places].tolist())]
            cells["ideal_grade"] = [*map(_cell, one.grade[places].tolist())]
            cells["ideal_rank"] = [_ranks(one, place) for place in places]
            for label, n in ("document", one.n_returned), ("ideal", len(best)):
                if n > n_shown:
                    cells[label].append(f"{n - n_shown:,} more")
            below = [(f">{n_shown}", slice(n_shown, None))] if longest > n_shown else []
            for rank, part in [*below, *([("all", slice(None))] if sums else [])]:
                cells["rank"].append(rank)
                for label, values in sums.items():
                    cells[label].append(_four_digits(values[part].sum()))
            rows = [*itertools.zip_longest(*cells.values(), fillvalue="")]
            # Columns of text are aligned on the left.
            left = {"document", "ideal"}
            for label in one.columns:
                if any(cell[:1].isalpha() for cell in cells[label]):
                    left.add(label)
            title = "value" if name is None else name
            title += f": {_four_digits(self.values[name])}"
            yield Table([*cells], rows, left, title)


# Longer cells are cut.
LONGEST_CELL = 40


def _padded(values, n_rows):
    """Return values, followed by NaN among floats and by None among others."""
    n_more = n_rows - len(values)
    if values.dtype.kind == "f":
        return np.append(values, np.full(n_more, np.nan))
    is_text = values.dtype.kind in "US"
    if not n_more and not is_text:
        return values
    filled = np.empty(n_rows, dtype=object)
    filled[: len(values)] = values.tolist() if values.dtype.kind in "USbiu" else values
    return filled


def _by_rank(adds, n_ranked, n_rows):
    """Return what the first documents add, and 0 at ranks without a document."""
    if adds is None:
        return np.full(n_rows, np.nan)
    return np.append(adds[:n_ranked], np.zeros(n_rows - n_ranked))


def _ranks(one, place):
    """Return the ranks that a document may have, as text."""
    best, worst = one.best_rank[place], one.worst_rank[place]
    if np.isnan(best):
        return "-"
    return f"{best:g}" if best == worst else f"{best:g}-{worst:g}"


def _four_digits(value):
    # Adding 0.0 makes 0 of -0.0.
    return f"{round(float(value), 4) + 0.0:.4f}"


def _cell(value):
    if isinstance(value, float):
        return "-" if np.isnan(value) else f"{value:.4g}"
    text = " ".join(str(value).split())
    is_long = len(text) > LONGEST_CELL
    return f"{text[: LONGEST_CELL - 3]}..." if is_long else text


@share_words
@says_what_was_meant
def query_report(
    y_true: MatrixLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    query: object,
    *,
    metric: MetricLike = "ndcg@10",
    qid: ArrayLike | None = None,
    doc_id: ArrayLike | None = None,
    columns: ArrayLike | Any | Mapping[str, ArrayLike] = None,
    k: int | None = 10,
    **params: Any,
) -> QueryReport:
    r"""Show one query: its documents, what each adds to a metric, and what is lost.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
        The predicted scores, larger is better. A dict holds those of several rankers by
        name, each shown in a table.
    query : object
        The query id. For a `y_score` of shape (n_queries, n_docs), the row.
    metric : str or callable, default="ndcg@10"
        One metric, as in :func:`evaluate`.
    doc_id : array-like of shape (n_samples,) or (n_docs,), default=None
        What documents are called, and, for conventions that order tied documents by
        them, their ids. If None, documents are called by their position: the row, or
        the column of a `y_score` of shape (n_queries, n_docs).
    columns : array-like of shape (n_samples,), data frame or dict, default=None
        Further columns to show of each document, such as its title: an array, or a
        frame or dict of them; of shape (n_docs,) for a `y_score` of shape
        (n_queries, n_docs).
    k : int or None, default=10
        The number of ranks that are printed. None prints all. It does not change the
        metric, whose cutoff is in its name.
    **params
        Further parameters of :func:`score_queries`, such as `convention`, `judged`,
        `returned` and ``ties="first"``.

    Returns
    -------
    report : QueryReport
        It prints as a table for each ranker. ``report.to_frame()`` is a data frame of
        all documents.

    Raises
    ------
    ValueError
        If `query` is not one of the query ids, a parameter has an invalid value, or
        the input shapes do not match.
    TypeError
        If a parameter has the wrong type, or the metric lacks one of `params`.

    See Also
    --------
    score_queries : The values of all queries.
    QueryScores.worst_queries : Which queries to look at.
    skrank.stats.RankerComparison.worst_queries : Those that lost most.
    explain : Explains why a metric differs between conventions.

    Notes
    -----
    The value of most metrics is a sum over the relevant documents d that the ranker
    returned,

    .. math:: M = \sum_d a_d,

    and :math:`a_d` is what d adds. For a document at rank i it is the term of rank i in
    the formula of the metric:

    =============================  ============================================
    Metric                         What a relevant document at rank i adds
    =============================  ============================================
    CG@k, DCG@k                    :math:`g_i`, and :math:`g_i / \log_2(i + 1)`
    NDCG@k                         the same as to DCG, divided by IDCG@k
    P@k, recall, R-precision, F    one over k, or over what else they divide by
    MAP, Q-measure                 :math:`P@i / R`, and the blended ratio over R
    RBP                            :math:`(1 - p) \, p^{i - 1} g_i / g_{max}`
    ERR                            :math:`\frac{1}{i} R_i \prod_{j < i} (1 - R_j)`
    MRR, Hits@k                    1 / i, and 1; only the first relevant document
    bpref, query AUC               the proportion of pairs that it wins
    =============================  ============================================

    It is 0 beyond the cutoff, and for a document that is not relevant. With
    ``ties="expected"`` a tied document adds the mean of its terms over all orderings of
    the tied documents, which is exact: the sum over all documents is the value of the
    query. A metric of your own has this column if it is written with
    :meth:`RankedQueries.document_total`. Metrics that are not such a sum, such as the
    mean rank, rank correlations and metrics adjusted for chance, are shown without it.

    What is lost at rank i is what the document at rank i of the ideal ranking adds to
    the value of that ranking, less what the document at rank i adds here. It can be
    negative. The sum over all ranks is what the value lacks of the best one. Tied
    documents stand in the order of the input.

    Examples
    --------
    >>> from skrank.metrics import query_report
    >>> y_true, doc_id = [2, 0, 0, 1], ["d1", "d2", "d3", "d4"]
    >>> runs = {"old": [4, 1, 3, 2], "new": [2, 3, 2, 1]}
    >>> query_report(y_true, runs["old"], "q7", qid=["q7"] * 4, doc_id=doc_id)
    query q7, ndcg@10, 2 relevant documents
    <BLANKLINE>
    value: 0.9639
    rank  document  grade    adds     lost  ideal  ideal_grade  ideal_rank
       1  d1            2  0.8262   0.0000  d1               2           1
       2  d3            0  0.0000   0.1738  d4               1           3
       3  d4            1  0.1377  -0.1377
       4  d2            0  0.0000   0.0000
     all                   0.9639   0.0361

    Two rankers. The second one gives d1 and d3 the same score:

    >>> query_report(y_true, runs, "q7", qid=["q7"] * 4, doc_id=doc_id, k=2)
    query q7, ndcg@10, 2 relevant documents
    <BLANKLINE>
    old: 0.9639
    rank  document  grade    adds     lost  ideal  ideal_grade  ideal_rank
       1  d1            2  0.8262   0.0000  d1               2           1
       2  d3            0  0.0000   0.1738  d4               1           3
      >2  2 more           0.1377  -0.1377
     all                   0.9639   0.0361
    <BLANKLINE>
    new: 0.5858
    rank  document  grade    adds     lost  ideal  ideal_grade  ideal_rank
       1  d2            0  0.0000   0.8262  d1               2         2-3
     2-3  d1            2  0.4672  -0.2934  d4               1           4
      >2  2 more           0.1186  -0.1186
     all                   0.5858   0.4142
    """
    k = check_k(k, caller="query_report")
    if "by" in params:
        raise TypeError("query_report shows the rows of one query. Got 'by'.")
    params = params | {"doc_id": doc_id}
    arrays, options = split_params(y_true, y_score, qid, params)
    (request,) = read_requests([metric], options, "query_report")
    if request.metric.columns:
        raise ValueError(
            "query_report shows what the grades of documents add to a metric. Got "
            f"{request.key!r}, which reads {' and '.join(request.metric.columns)}."
        )
    if request.options.unjudged != "nonrelevant":
        raise ValueError(
            "query_report shows what each document adds, and one without a judgement "
            f"adds nothing. Got unjudged={request.options.unjudged!r}: leave it out."
        )
    scores = score_queries(y_true, y_score, [metric], qid=qid, **params)
    table = scores.table
    if request.options.own.get("max_grade", 0) is None:
        # The highest grade is that of all queries.
        highest = table.extremes[0]["highest grade"] or 1.0
        request = request.changed(max_grade=highest)
    undefined = table.summaries(average=None, replace_undefined_by=np.nan)
    values, rankings, defined = {}, {}, []
    sources = by_ranker([request], arrays, "query_report")
    place, rows = _rows_of_query(query, next(iter(sources.values())))
    for i, (name, source) in enumerate(sources.items()):
        documents = _read_documents(source, rows, columns)
        if not len(documents.grade):
            raise ValueError(f"Query {shown(query)} has no document to show.")
        value = undefined[i][0][place]
        # What is to be warned of was said of all queries.
        with warnings.catch_warnings(), np.errstate(under="ignore"):
            warnings.simplefilter("ignore")
            rankings[name] = _rank_documents(documents, request, value)
        values[name] = float(scores.values[i, 0, place])
        defined.append(not np.isnan(value))
    report = {"query": query, "metric": request.key, "k": k, "kind": table.kind}
    report |= {"values": values, "rankings": rankings}
    return QueryReport(**report, is_undefined=not any(defined))


class QueryRows(NamedTuple):
    """The documents of one query as they were passed, with one entry each."""

    name: np.ndarray
    grade: np.ndarray
    score: np.ndarray
    judged: np.ndarray | None
    returned: np.ndarray
    doc_id: np.ndarray | None
    columns: dict
    is_target: bool  # whether the input says only which one is relevant


def _rows_of_query(query, source):
    """Return the position of a query among the sorted ids, and which rows it has.

    Each row of a matrix is a query: then it is the number of one row.
    """
    y_score = numeric_array(source.y_score, "y_score")
    qid, is_matrix = source.qid, False
    if qid is None:
        is_matrix = not are_rows(source.y_true, y_score, source.exclude)
        qid = None if is_matrix else find_qid(y=source.y_true)
    if is_matrix:
        ids = codes = np.arange(len(y_score))
    elif qid is None:
        ids, codes = np.zeros(1, dtype=np.intp), np.zeros(len(y_score), dtype=np.intp)
    else:
        ids, codes = encode_qid(qid, len(y_score))
    place = next((i for i, id in enumerate(ids) if id == query), None)
    if place is None:
        ids = ids.tolist()
        like = next((id for id in ids if str(id) == str(query)), ids[0])
        raise ValueError(
            "The 'query' parameter of query_report must be one of the query ids. Got "
            f"{shown(query)} of type {type(query).__name__} instead; one of the ids is "
            f"{shown(like)} of type {type(like).__name__}."
        )
    return place, place if is_matrix else np.flatnonzero(codes == place)


def _read_documents(source, rows, columns):
    """Return the documents of some rows, or of one row of a matrix."""
    y_score, y_true = numeric_array(source.y_score, "y_score"), source.y_true
    if not sparse.issparse(y_true):
        y_true = numeric_array(y_true, "y_true")
    if np.ndim(rows) and source.judged is not None and source.returned is not None:
        seen = np.asarray(source.judged) | np.asarray(source.returned)
        rows = rows[seen[rows]]
    grade, score = _take(y_true, rows), _take(y_score, rows)
    place, n_documents, is_target = rows, len(y_score), False
    if not np.ndim(rows):
        n_documents, is_target = len(score), y_true.ndim == 1
        place = np.arange(n_documents)
        if is_target:
            grade = (place == grade).astype(np.float64)
    if source.exclude is not None:
        kept = ~_take(source.exclude, rows) | (is_target & (grade > 0))
        place, grade, score = place[kept], grade[kept], score[kept]
    ids, name = None, place
    if source.doc_id is not None:
        ids = take_rows(check_ids(source.doc_id, n_documents, "doc_id"), place)
        name = ids = np.asarray(ids)
    judged, returned = (
        None if mask is None else np.asarray(mask)[place]
        for mask in (source.judged, source.returned)
    )
    if returned is None:
        returned = np.ones(len(place), dtype=bool)
    own = _read_columns(columns, n_documents, place)
    return QueryRows(name, grade, score, judged, returned, ids, own, is_target)


def _take(values, rows):
    """Return the values of some rows, or of one row of a matrix."""
    if sparse.issparse(values):
        return values.tocsr()[[rows]].toarray().ravel()
    return np.asarray(values)[rows].ravel()


def _read_columns(columns, n_documents, rows):
    """Return rows of the further columns, by their names."""
    found = {}
    for name, values in named_columns(columns, "column").items():
        values = np.asarray(unwrapped(values))
        if values.shape != (n_documents,):
            raise ValueError(
                f"The 'columns' parameter must hold arrays of shape ({n_documents},), "
                f"one value per document. Got {shown(name)} of shape {values.shape}."
            )
        if name in _NAMES:
            raise ValueError(
                "The 'columns' parameter must not use the names of the columns of a "
                f"report: {', '.join(_NAMES)}. Got {shown(name)}."
            )
        found[name] = values[rows]
    return found


_NAMES = (
    *("ranker", "rank", "document", "grade", "best_rank", "worst_rank", "adds"),
    *("ideal", "ideal_document", "ideal_grade", "ideal_adds", "ideal_rank", "lost"),
)


def _rank_documents(documents, request, value):
    """Return the :class:`RankedDocuments` of a query with this value."""
    options, ties = request.options, request.options.ties
    grade, score, returned = documents.grade, documents.score, documents.returned
    if options.score_dtype:
        with np.errstate(over="ignore"):
            score = score.astype(options.score_dtype)
    threshold = 0.0 if documents.is_target else options.threshold
    given = {
        "qid": np.zeros(len(grade), dtype=np.intp),
        "threshold": threshold or 0.0,
        "judged": documents.judged,
        "judged_from": options.judged_from,
    }
    by_id = None
    if options.doc_order:
        is_descending = options.doc_order == "descending"
        by_id = DocOrder.of_input(documents.doc_id, is_descending, len(grade))
    lists = read_lists(grade, score, returned=returned, doc_order=by_id, **given)
    relevant, judged = lists.whole.relevant, lists.whole.judged
    # Where the documents that were returned stand, and the order of tied ones.
    top = rank_documents(lists, "first" if ties == "first" else "expected", None)
    above, size = np.full((2, len(grade)), np.nan)
    above[top.row], size[top.row] = top.above, top.size
    sign = 1 if ties == "pessimistic" else -1
    loss, within = sign * grade.astype(np.float64), np.zeros(len(grade))
    is_ordered = ties in ("optimistic", "pessimistic")
    if is_ordered:
        within = np.where(relevant, loss, -sign * np.inf)
    order = top.row[np.lexsort((top.row, within[top.row], top.above))]
    best, worst = above + 1.0, above + size
    if is_ordered:
        best[order] = worst[order] = np.arange(1, len(order) + 1)

    adds = ideal_adds = terms = None
    ideal = _ideal_order(relevant, grade, returned, request)
    if threshold is not None and not np.isnan(value):
        ranking = rank_lists(lists, ties)
        terms = _terms_of_documents(request, ranking, value)
    if terms is not None:
        # Documents and terms are sorted by rank, then by grade, and matched: relevant
        # documents of one tie group and grade add alike.
        place = np.repeat(ranking.above, ranking.relevant)
        ranked = order[relevant[order]]
        ranked = ranked[np.lexsort((loss[ranked], above[ranked]))]
        adds = np.zeros(len(grade))
        adds[ranked] = terms[np.lexsort((sign * ranking.grade, place))]
        if ties == "realistic":  # the first one stands for its tie group
            _, group = np.unique(above[ranked], return_inverse=True)
            total = np.bincount(group, adds[ranked])
            adds[ranked] = (total / np.bincount(group))[group]
        ideal_adds = _ideal_terms(request, grade, ideal, given)
    rows = np.append(order, np.flatnonzero(~returned))
    place = np.empty(len(grade), dtype=np.intp)
    place[rows] = np.arange(len(grade))
    grade = np.where(True if judged is None else judged, grade, np.nan)
    return RankedDocuments(
        *(one[rows] for one in (documents.name, grade, relevant, best, worst)),
        None if adds is None else adds[rows],
        {name: values[rows] for name, values in documents.columns.items()},
        place[ideal],
        ideal_adds,
    )


def _terms_of_documents(request, ranking, value):
    """Return what each relevant document adds to a value; None if it is not a sum."""
    metric, options = request.metric, request.options
    if options.adjusted or metric.inverse:
        return None
    # "The first relevant document adds its rank" is true of a mean rank, and no help.
    if metric.own is None and not metric.greater_is_better:
        return None
    own = options.own | ({"ties": options.ties} if metric.takes_midrank else {})
    # A DCG of 3 + 1 / 2 is [3.5] by RankedQueries, an entry for each query, and by
    # DocumentTerms [[3], [0.5]], a row for each relevant document.
    # A definition of the user's own may do with an array what a column does not stand.
    refusals = NotImplementedError if metric.own is None else Exception
    try:
        terms = (metric.own or metric.definition)(DocumentTerms(ranking), **own)
    except refusals:
        return None
    if np.shape(terms) != (len(ranking.grade), 1):
        return None
    terms = request.sign * terms[:, 0]
    is_whole = value is None or np.isclose(terms.sum(), value, rtol=1e-9, atol=1e-12)
    return terms if is_whole else None


def _ideal_order(relevant, grade, returned, request):
    """Return the documents in the order of the ideal ranking."""
    members = np.flatnonzero(returned | relevant)
    gain = own_gain(request.options.own.get("gain"))
    value = np.where(relevant, grade, 0.0)
    if gain is not None:
        value[relevant] = gain(grade[relevant].astype(np.float64))
        return members[np.argsort(-value[members], kind="stable")]
    return members[np.lexsort((-value[members], ~relevant[members]))]


def _ideal_terms(request, grade, ideal, given):
    """Return what each document of the ideal ranking adds to its value."""
    # The others, which are not in this list, are not relevant.
    score, returned = np.zeros(len(grade)), np.zeros(len(grade), dtype=bool)
    score[ideal], returned[ideal] = -np.arange(len(ideal)), True
    ranking = rank_lists(read_lists(grade, score, returned=returned, **given), "first")
    adds = np.zeros(len(ideal))
    adds[ranking.above] = _terms_of_documents(request, ranking, None)
    return adds
