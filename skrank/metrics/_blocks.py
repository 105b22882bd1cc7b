"""Long input, cut into blocks of whole queries that are evaluated one by one.

What is made of a block is small beside the input, and stays near the processor.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import itertools
from dataclasses import replace

import numpy as np

from skrank._checks import numeric_array
from skrank._columns import find_qid
from skrank._ranking.ids import Heads, encode_heads

# The rows of a block, but for the rest of the last query.
ROWS = 2**20

# What has one value for each row.
BY_ROW = ("y_true", "y_score", "sample_weight", "judged", "returned", "doc_id")


def cut(arrays, requests):
    """Return long arrays as blocks, if their values do not depend on each other.

    Parameters
    ----------
    arrays : Arrays
        What is evaluated.
    requests : list of Request
        What is asked for.

    Returns
    -------
    arrays : Arrays
        The same, with query ids that need not be encoded again if the rows are many.
    requests : list of Request
        The same, with the highest grade of all rows where a metric depends on it.
    blocks : iterator of Arrays, or None
        The blocks; their query ids are positions in those of all arrays. None if the
        rows are few, or not grouped by query, or the lowest grade of all rows matters.
    """
    if not _are_many_rows(arrays):
        return arrays, requests, None
    # A definition of the user's own may compare queries.
    is_own = any(request.metric.own for request in requests)
    by_query = any(request.options["average"] is None for request in requests)
    qid = find_qid(arrays.qid, y=arrays.y_true)
    if is_own or by_query or qid is None:
        return arrays, requests, None
    heads = encode_heads(qid, len(arrays.y_score))
    arrays = replace(arrays, qid=heads)
    if heads.starts is None or not heads.are_grouped:
        return arrays, requests, None
    numbers = {name: numeric_array(getattr(arrays, name), name) for name in BY_ROW[:2]}
    arrays = replace(arrays, **numbers)
    if any(map(_compares_all_grades, requests)):
        arrays = replace(arrays, has_negative=arrays.find_negative())
        if arrays.has_negative:
            return arrays, requests, None
    requests = [_with_highest_grade(request, arrays) for request in requests]
    return arrays, requests, _blocks(arrays)


def _compares_all_grades(request):
    """Return True if documents that are not relevant get the lowest grade of all."""
    options = request.options
    return options["threshold"] is None or options["ties"] == "midrank"


def _are_many_rows(arrays):
    """Return True if there are many rows, with one score and one value of all else."""
    shape = getattr(arrays.y_score, "shape", ())
    if len(shape) != 1 or shape[0] < 2 * ROWS or arrays.exclude is not None:
        return False
    for name in BY_ROW:
        values = getattr(arrays, name)
        if values is None:
            continue
        is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
        if not is_sequence or getattr(values, "shape", (len(values),)) != shape:
            return False
    # If no weight is above 0, that is said of all rows together.
    return arrays.sample_weight is None or bool(np.any(arrays.sample_weight))


def _blocks(arrays):
    heads = arrays.qid
    marks = np.searchsorted(heads.starts, np.arange(ROWS, heads.n_samples, ROWS))
    marks = np.unique(np.concatenate([[0], marks, [len(heads.starts)]]))
    for first, last in itertools.pairwise(marks):
        ends = np.append(heads.starts[first:last], heads.n_samples)
        if last < len(heads.starts):
            ends[-1] = heads.starts[last]
        rows = slice(ends[0], ends[-1])
        ids, codes = np.unique(heads.codes[first:last], return_inverse=True)
        qid = Heads(ids, codes, ends[:-1] - ends[0], int(ends[-1] - ends[0]))
        values = {name: _part(getattr(arrays, name), rows) for name in BY_ROW}
        yield replace(arrays, qid=qid, rankings={}, **values)


def _part(values, rows):
    if values is None:
        return None
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def _with_highest_grade(request, arrays):
    """Return a request with `max_grade`, if the highest grade of all rows is meant."""
    options = request.options
    if options.get("max_grade", 0) is not None:
        return request
    highest = None
    for start in range(0, len(arrays.y_true), ROWS):
        rows = slice(start, start + ROWS)
        grades = arrays.y_true[rows]
        if arrays.judged is not None:
            grades = grades[np.asarray(_part(arrays.judged, rows), dtype=bool)]
        if len(grades):
            top = float(grades.max())
            highest = top if highest is None else max(highest, top)
    max_grade = max_grade_of(highest, options)
    return request._replace(options=options | {"max_grade": max_grade})


def max_grade_of(highest, options):
    """Return what `max_grade` stands for if it is None.

    Parameters
    ----------
    highest : float or None
        The highest grade of the judged documents; None or NaN without any.
    options : dict
        The parameters of the metric.
    """
    lowest = 0.0 if options["threshold"] == "max" else options["threshold"]
    judged_from = options.get("judged_from")
    if highest is None or not highest > lowest:
        return 1.0
    if judged_from is not None and highest < judged_from:
        return 1.0
    return max(float(highest), 0.0) or 1.0
