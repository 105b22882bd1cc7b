"""Reading the three input shapes, and input that is likely a mistake."""

# SPDX-License-Identifier: BSD-3-Clause

import math
import sys

import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from skrank._checks import (
    all_finite,
    calling_function,
    check_finite,
    numeric_array,
    scores_as_floats,
    warn_caller,
)
from skrank._columns import find_qid
from skrank._ranking.arrays import as_bytes, grades_as_floats, lengths_of, starts_of
from skrank._ranking.ids import Heads, encode_heads
from skrank._ranking.lists import AsGiven, ByCode, Candidates, Lists, Missing


def read_lists(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    exclude=None,
    judged=None,
    returned=None,
    doc_order=None,
    judged_from=None,
    flatten=False,
):
    """Check the input, whatever its shape, and return it grouped by query.

    Parameters
    ----------
    y_true, y_score, qid, threshold, exclude, judged, returned
        As in :func:`skrank._ranking.rank_queries`.
    doc_order : DocOrder, default=None
        The order of tied documents; None is the input order.
    judged_from : float, default=None
        Documents with a lower grade are not judged.
    flatten : bool, default=False
        Whether all documents are made relevant, those that are not with a grade below
        all others. ``threshold=None`` does so too.

    Returns
    -------
    lists : Lists or Candidates
        The documents of every query.
    """
    if sparse.issparse(y_score):
        raise TypeError(
            "The 'y_score' parameter must be a dense array. Got a sparse matrix of "
            f"type {type(y_score).__name__} instead: documents that it leaves out "
            "have no score."
        )
    y_score = numeric_array(y_score, "y_score")
    if returned is not None:
        returned = np.asarray(returned)
        y_score = _without_unread(y_score, returned, "returned")
    columns = y_score.shape[1:]
    # Two columns beside flat grades may be those of predict_proba.
    is_flat = columns in ((), (1,)) or (columns == (2,) and np.ndim(y_true) == 1)
    if qid is None and is_flat:
        qid = find_qid(y=y_true)
    if columns == (1,) and qid is not None:
        y_score = flatten_column(y_score, "y_score")
    if sparse.issparse(y_true) and (flatten or threshold is None):
        y_true = _own_csr(y_true).toarray()
    if sparse.issparse(y_true):
        y_true = _check_sparse_grades(y_true, threshold)
    else:
        y_true = numeric_array(y_true, "y_true")
        if judged is not None:
            judged = np.asarray(judged)
            y_true = _without_unread(y_true, judged, "judged")
        if y_score.ndim == 1 and y_true.ndim == 2 and y_true.shape[1] == 1:
            y_true = flatten_column(y_true, "y_true")
        elif y_true.ndim == 1 and y_score.shape[1:] == (1,) and y_true.any():
            # Targets among one candidate would be 0.
            y_score = flatten_column(y_score, "y_score")
        check_finite(y_true, "y_true")
        if y_true.dtype.kind == "f":
            warn_if_swapped(y_true, y_score)
    if judged_from is not None:
        y_true, judged = _judge(y_true, judged, judged_from)
    if y_score.size == 0 or 0 in y_true.shape:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required: "
            f"y_true has shape {y_true.shape} and y_score has shape {y_score.shape}."
        )
    if exclude is not None and y_score.ndim == y_true.ndim == 2:
        # A score of an excluded document may be NaN.
        exclude = _check_exclude(exclude, y_score.shape)
        if sparse.issparse(exclude):
            exclude = exclude.toarray()
        if y_score.dtype.kind == "f" and np.isnan(y_score.min()):
            y_score = np.where(exclude, y_score.dtype.type(0), y_score)
    if y_score.ndim != 2 or y_true.ndim != 1:  # candidates are checked as they stream
        is_finite = all_finite(y_score)
        y_score = scores_as_floats(y_score, is_finite)
        # Rows are gathered, and scores packed, byte by byte.
        native = y_score.dtype.newbyteorder("=")
        y_score = np.ascontiguousarray(y_score, dtype=native)
    if y_score.ndim == 1 and y_true.ndim == 1:
        rowwise = exclude, judged, doc_order, flatten
        lists = _read_flat(y_true, y_score, is_finite, qid, threshold, *rowwise)
        return lists if returned is None else _without_missing(lists, returned)
    if y_score.ndim != 2 or y_true.ndim > 2:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    if qid is not None:
        refuse_columns(y_true, y_score)
    rowwise = {"qid": qid, "judged": judged, "returned": returned, "doc_id": doc_order}
    given = [name for name, value in rowwise.items() if value is not None]
    if given:
        raise ValueError(
            f"The '{given[0]}' parameter goes with y_true and y_score of shape "
            "(n_samples,): each row of a matrix is a query. Got y_score of shape "
            f"{y_score.shape}."
        )
    if y_true.ndim == 1:
        if exclude is not None:
            exclude = _check_exclude(exclude, y_score.shape)
        return _read_candidates(y_true, y_score, exclude)
    if y_true.shape != y_score.shape:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    return _read_matrix(y_true, y_score, is_finite, threshold, exclude, flatten)


def has_negative(y_true, judged=None):
    """Return True if a grade that is read is negative."""
    if sparse.issparse(y_true):
        return y_true.nnz > 0 and y_true.data.min() < 0
    y_true = numeric_array(y_true, "y_true")
    if y_true.dtype.kind in "bu" or not y_true.size or y_true.min() >= 0:
        return False
    if judged is not None and np.shape(judged) == y_true.shape:
        y_true = y_true[np.asarray(judged, dtype=bool)]
    return bool((y_true < 0).any())


def _judge(y_true, judged, judged_from):
    """Return grades, and which are judged, where low grades stand for no judgement."""
    grades = y_true.data if sparse.issparse(y_true) else y_true
    is_low = grades < judged_from
    if not is_low.any():
        return y_true, judged
    if y_true.ndim != 1:
        raise ValueError(
            f"Grades below judged_from={judged_from} stand for documents that are not "
            "judged, which needs y_true and y_score of shape (n_samples,). Got y_true "
            f"of shape {y_true.shape}."
        )
    judged = ~is_low if judged is None else judged & ~is_low
    return np.where(is_low, y_true.dtype.type(0), y_true), judged


def _relevant(grades, threshold, order, judged=None):
    """Return which documents are relevant."""
    if threshold == "max":
        relevant = _has_highest_grade(grades, order)
    elif threshold is None:
        relevant = np.ones(len(grades), dtype=bool)
    else:
        if grades.dtype.kind in "iu" and abs(threshold) < 2**31:
            threshold = math.floor(threshold)  # else all grades are converted to floats
        else:  # a number alone would be rounded to the precision of the grades
            threshold = np.array([threshold], dtype=np.float64)
        relevant = grades > threshold
    if judged is not None:
        relevant &= judged
    return relevant


def _all_relevant(grades, relevant, threshold):
    """Return grades with those that are not relevant below them, and all relevant."""
    if relevant.all():
        return grades, relevant
    lowest = float(grades[relevant].min(initial=0))
    below = lowest if threshold is None else lowest - 1
    return np.where(relevant, grades, below), np.ones_like(relevant)


def _without_unread(values, mask, mask_name):
    """Return `values` with 0 where the mask says that they are not read."""
    mask = _check_mask(mask, mask_name, len(values))
    return np.where(mask, values, values.dtype.type(0))


_SHAPES = (
    "y_true and y_score must both have shape (n_samples,), or both shape (n_queries, "
    "n_documents), or y_true shape (n_queries,) and y_score shape (n_queries, "
    "n_candidates). Got y_true of shape {} and y_score of shape {}."
)


def _read_flat(
    y_true, y_score, is_finite, qid, threshold, exclude, judged, doc_order, flatten
):
    if len(y_true) != len(y_score):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(y_true), len(y_score)]}"
        )
    if exclude is not None:
        raise ValueError(
            "The 'exclude' parameter goes with y_score of shape (n_queries, "
            "n_documents). Got y_score of shape "
            f"{y_score.shape}: leave the rows out instead."
        )
    n_rows = len(y_score)
    if qid is None:
        warn_if_not_one_query(n_rows)
        one = np.zeros(1, dtype=np.intp)
        qid = Heads(one, one, one, n_rows)
    heads = encode_heads(qid, n_rows)
    if heads.are_grouped:
        starts = np.arange(n_rows) if heads.starts is None else heads.starts
        lengths = np.subtract(np.append(starts[1:], n_rows), starts)
        order = AsGiven(starts, lengths, heads.codes.astype(np.intp))
    else:
        order = ByCode(heads.of_rows(), len(heads.ids))
    y_true = as_bytes(y_true)
    relevant = _relevant(y_true, threshold, order, judged)
    if flatten or threshold is None:
        y_true, relevant = _all_relevant(y_true, relevant, threshold)
    rows = y_score, relevant, y_true, order, heads.ids, is_finite
    return Lists(*rows, judged=judged, doc_order=doc_order)


def _has_highest_grade(grades, order):
    """Return which rows have the highest grade of their query, if that is above 0."""
    highest = np.maximum.reduceat(order.take(grades), order.starts)
    if order.is_as_given:
        highest = np.repeat(highest, order.lengths)
    else:  # one list for each query
        highest = highest[order.row_query]
    return (grades == highest) & (grades > 0)


def _without_missing(lists, returned):
    """Take out the documents that were not returned, and keep count of them."""
    query = lists.order.row_query
    rows = np.flatnonzero(lists.relevant & ~returned)
    others = ~lists.relevant & ~returned
    if lists.judged is not None:
        others &= lists.judged
    missing = Missing(
        query[rows],
        grades_as_floats(lists.grades[rows]),
        np.bincount(query[others], minlength=len(lists.ids)),
    )
    lists = lists.changed(row_query=query, missing=missing)
    return lists.select(np.flatnonzero(lists.order.take(returned)))


def _read_matrix(y_true, y_score, is_finite, threshold, exclude, flatten):
    n_queries, n_documents = y_score.shape
    query, graded = np.arange(n_queries), None
    order = AsGiven(query * n_documents, np.full(n_queries, n_documents), query)
    if exclude is not None:
        exclude = exclude.ravel()
    if sparse.issparse(y_true):
        relevant, graded, grades = _read_sparse_grades(y_true, threshold, exclude)
    else:
        grades = as_bytes(y_true.ravel())
        if exclude is not None:
            grades = np.where(exclude, grades.dtype.type(0), grades)
        relevant = _relevant(grades, threshold, order)
        if flatten or threshold is None:
            grades, relevant = _all_relevant(grades, relevant, threshold)
    if exclude is not None:
        relevant = relevant & ~exclude
    return Lists(
        y_score.ravel(),
        relevant,
        grades,
        order,
        query,
        is_finite,
        excluded=exclude,
        graded=graded,
        is_matrix=True,
    )


def _check_sparse_grades(y_true, threshold):
    if y_true.ndim != 2:
        raise ValueError(
            "A sparse y_true must have shape (n_queries, n_documents). "
            f"Got shape {y_true.shape}."
        )
    if threshold != "max" and threshold < 0:
        raise ValueError(
            "With a sparse y_true the 'threshold' parameter must be >= 0, or every "
            f"document that it leaves out would be relevant. Got {threshold!r}."
        )
    y_true = _own_csr(y_true)
    check_finite(numeric_array(y_true.data, "y_true"), "y_true")
    return y_true


def _own_csr(matrix):
    """Return a CSR matrix without duplicates that shares nothing with the input."""
    matrix = sparse.csr_matrix(matrix, copy=True)
    matrix.sum_duplicates()
    return matrix


def _read_sparse_grades(y_true, threshold, exclude):
    """Return which cells are relevant, and the listed cells with their grades."""
    n_rows, n_columns = y_true.shape
    rows = np.repeat(np.arange(n_rows), np.diff(y_true.indptr))
    cells, grades = rows * n_columns + y_true.indices, y_true.data
    if exclude is not None:
        kept = ~exclude[cells]
        rows, cells, grades = rows[kept], cells[kept], grades[kept]
    if threshold == "max":
        first = starts_of(rows)
        highest = np.maximum.reduceat(grades, first) if len(first) else grades
        highest = np.repeat(highest, lengths_of(first, len(rows)))
        listed = (grades == highest) & (grades > 0)
    else:
        listed = _relevant(grades, threshold, None)
    relevant = np.zeros(n_rows * n_columns, dtype=bool)
    relevant[cells[listed]] = True
    return relevant, cells, grades


def _check_exclude(exclude, shape):
    """Return `exclude` as a boolean array or sparse matrix of that shape."""
    if not sparse.issparse(exclude):
        exclude = np.asarray(exclude)
    if exclude.shape != shape or exclude.dtype.kind != "b":
        raise ValueError(
            "The 'exclude' parameter must be a boolean array or sparse matrix of "
            f"shape {shape}. Got dtype {exclude.dtype} and shape {exclude.shape}."
        )
    return exclude


def _check_mask(mask, name, n_rows):
    """Return a boolean mask of the rows."""
    mask = np.asarray(mask)
    if mask.shape != (n_rows,) or mask.dtype.kind != "b":
        raise ValueError(
            f"The '{name}' parameter must be a boolean array of shape ({n_rows},). "
            f"Got dtype {mask.dtype} and shape {mask.shape}."
        )
    return mask


def _read_candidates(y_true, y_score, exclude):
    if len(y_true) != len(y_score):
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    if y_true.dtype.kind == "b" or (y_true != np.floor(y_true)).any():
        raise ValueError(
            "y_true of shape (n_queries,) beside y_score of shape (n_queries, "
            "n_candidates) must hold the column of the target of each query, an int. "
            f"Got values of dtype {y_true.dtype}."
        )
    outside = (y_true < 0) | (y_true >= y_score.shape[1])
    if outside.any():
        raise ValueError(
            "y_true must hold columns of y_score, in the range "
            f"[0, {y_score.shape[1]}). Got {y_true[outside][0]}."
        )
    target = y_true.astype(np.intp)
    query = np.arange(len(target))
    n_candidates = np.full(len(target), y_score.shape[1])
    if exclude is not None:
        exclude = _own_csr(exclude)
        row = np.repeat(query, np.diff(exclude.indptr))
        out = exclude.data & (exclude.indices != target[row])
        n_candidates -= np.bincount(row[out], minlength=len(target))
    return Candidates(query, n_candidates, y_score, target, exclude)


# Without query ids, more rows than these are unlikely to be one query.
MANY_ROWS = 1000

# What calls the metric function of `sklearn.metrics.make_scorer`. It has the rows of a
# fold and not their queries.
SCORER = ("sklearn.metrics._scorer", "_score")

# How many values are looked at, and the fewest that say anything.
_SAMPLE, _FEWEST = 200, 5


def flatten_column(values, name):
    """Return an array of shape (n_samples, 1) as one of shape (n_samples,)."""
    warn_caller(
        f"A column-vector {name} was passed when a 1d array was expected. Please "
        f"change the shape of {name} to (n_samples, ), for example using ravel().",
        DataConversionWarning,
    )
    return values.ravel()


def refuse_columns(y_true, y_score):
    """Raise if the scores have two columns beside grades and query ids of the rows."""
    if y_true.ndim == 1 and y_score.shape == (len(y_true), 2):
        raise ValueError(
            "y_score must hold one score per row beside y_true of shape "
            f"{y_true.shape} and query ids. Got y_score of shape {y_score.shape}: if "
            "its columns are those of predict_proba, pass predict_proba(X)[:, 1]."
        )


def warn_if_not_one_query(n_rows):
    """Warn where rows without query ids are probably not the rows of one query.

    They are many, or the rows of a fold, for which a scorer of scikit-learn calls a
    metric function.
    """
    if calling_function() == SCORER:
        warn_caller(
            "All rows of a fold are ranked as one query, since a scorer made with "
            "sklearn.metrics.make_scorer passes no query ids. Pass a scorer name, "
            "such as scoring='ndcg@10', or make one with "
            "skrank.metrics.make_ranking_scorer(ndcg_score, k=10). Both read the "
            "query ids.",
            UserWarning,
        )
    elif n_rows > MANY_ROWS:
        warn_caller(
            f"All {n_rows} rows are ranked as one query, since there are no query ids. "
            "Pass the ids as `qid`; if the rows are one query, pass "
            "np.zeros(len(y_true)).",
            UserWarning,
        )


def warn_if_out_of_order(arrays):
    """Warn of pandas objects with the same labels in different orders.

    Rows are paired by position, whatever their labels are. `arrays` holds what has one
    value per row, by the names of the arguments.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = pandas.Series, pandas.DataFrame
    indexes = {
        name: values.index
        for name, values in arrays.items()
        if isinstance(values, kinds)
    }
    if len(indexes) < 2:
        return
    (first, index), *others = indexes.items()
    for name, other in others:
        if index is other or not _are_reordered(index, other):
            continue
        cure = f"Pass {name}.loc[{first}.index] to pair them by label"
        if not index.is_unique:
            cure = f"Sort the rows of {name} like those of {first}"
        warn_caller(
            f"{first} and {name} have the same labels in different orders, but their "
            f"rows are paired by position. {cure}, or {name}.to_numpy() if the rows "
            "are in the same order already.",
            UserWarning,
        )


def _are_reordered(index, other):
    """Return True if two indexes have the same labels, not in the same order."""
    if not len(index) == len(other) > 0 or index.nlevels != other.nlevels:
        return False
    try:
        return not index.equals(other) and _are_permuted(index, other)
    except (TypeError, ValueError):  # pandas cannot compare labels of some types
        return False


def _are_permuted(index, other):
    """Return True if labels that differ somewhere are the same ones altogether."""
    # They rarely are, which most often shows without hashing all of them.
    if _are_integers(index) and _are_integers(other):
        are_other = index.to_numpy().sum() != other.to_numpy().sum()
    elif isinstance(index[0], str):
        are_other = not (other == index[0]).any()
    else:
        are_other = index.inferred_type != other.inferred_type
    if are_other:
        return False
    from pandas.util import hash_pandas_object

    one = hash_pandas_object(index, index=False).to_numpy()
    two = hash_pandas_object(other, index=False).to_numpy()
    # Labels of different dtypes may be equal one by one.
    return bool(one.sum() == two.sum() and (one != two).any())


def _are_integers(index):
    return isinstance(index.dtype, np.dtype) and index.dtype.kind in "iu"


def warn_if_swapped(y_true, y_score):
    """Warn if the grades look like scores, and the scores like grades."""
    grades, scores = y_true.ravel()[:_SAMPLE], y_score.ravel()[:_SAMPLE]
    if len(grades) < _FEWEST or 2 * np.count_nonzero(_whole(grades)) > len(grades):
        return
    most = min(10, len(scores) // 2)
    if not _whole(scores).all() or len(np.unique(scores)) > most:
        return
    if 2 * len(np.unique(grades)) <= len(grades):
        return
    warn_caller(
        "y_true and y_score look swapped: y_true holds continuous values, and y_score "
        "a few integers. Pass the grades first, then the scores.",
        UserWarning,
    )


def _whole(values):
    return values == np.floor(values)


def warn_if_labels(lists):
    """Warn if the scores look like the class labels that a classifier predicts.

    They have two values, which are grades, and tied documents differ in relevance.
    Rows are at least as many as say anything of several queries. A classifier predicts
    rows, so a matrix is left alone.
    """
    scores, n_queries = lists.y_score, len(lists.ids)
    if lists.is_matrix or n_queries < 2 or len(scores) < _FEWEST * n_queries:
        return
    if not float(scores[0]).is_integer() or len(np.unique(scores[:_SAMPLE])) > 2:
        return
    low, high = scores.min(), scores.max()
    is_high = scores == high
    if low == high or not (is_high | (scores == low)).all():
        return
    if not (lists.grades == low).any() or not (lists.grades == high).any():
        return
    group = 2 * lists.order.row_query + is_high
    n_relevant = np.bincount(group, weights=lists.relevant)
    if not ((n_relevant > 0) & (n_relevant < np.bincount(group))).any():
        return
    warn_caller(
        f"y_score has only two distinct values, {low:g} and {high:g}, like the class "
        "labels that a classifier predicts, so the metric depends on how ties are "
        "resolved. Pass scores instead, such as predict_proba(X)[:, 1] or "
        "decision_function(X). skrank.metrics.tie_report says how much ties matter.",
        UserWarning,
    )
