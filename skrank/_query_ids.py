"""Where query ids are, and how to pass them."""

# SPDX-License-Identifier: BSD-3-Clause

import difflib
import numbers
from itertools import pairwise

import numpy as np
from sklearn import get_config

from skrank._callers import calls_of_sklearn
from skrank._columns import column_names, find_column, find_level, take_rows, unwrapped

QID = "qid"


def find_qid(qid=None, *, X=None, y=None, groups=None, column=QID):
    """Return the query ids of the rows, or None if there are none.

    They are the argument `qid` or its scikit-learn synonym `groups`, else a `column`
    of `X`, given by its name or position, else the index (or a level of it) of `y`,
    else of `X`, that is named ``"qid"``.
    """
    if qid is not None:
        return qid
    if groups is not None:
        return groups
    return find_named(QID, X=X, y=y, column=column)


def require_qid(qid, caller, call, *, X=None, column=QID, of_column=None, n_rows=None):
    """Return `qid`, or raise the error that shows how to pass query ids.

    It names the `caller` and the `call` that was made, as it passes query ids, unless a
    function of scikit-learn was called. They were not found in the `column` of `X`,
    the parameter `qid_column` of `of_column`; None if no table is read. `n_rows` is
    their number if they may be one query.
    """
    if qid is not None:
        return qid
    running = calls_of_sklearn()
    cause, lines = _why_none_arrived(running, column, call)
    if lines is None:
        lines = _ways_to_pass(running, call, X, column, of_column)
    if n_rows is not None:
        lines += f"\nIf all {n_rows} rows are one query: qid=np.zeros({n_rows})."
    raise ValueError(
        f"{cause}{caller} needs to know which rows belong to one query. Got no query "
        f"ids.\n{lines}"
    )


_ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


def _why_none_arrived(running, column, call):
    """Return why query ids did not arrive, and the lines that say what to do.

    They are lost in the first of the `running` calls, the innermost first, that had
    them or passes none on. The cause is empty if there is none; the lines are None if
    there is nothing better than to pass the ids.
    """
    is_routed = get_config()["enable_metadata_routing"]
    for one in running:
        owner, _, method = one.name.rpartition(".")
        if one.is_ranker:
            cause = f"{owner} passes no query ids to its estimator. "
            return cause, f"Turn it round: GridSearchCV({owner}(...), ...). {_COMBINE}"
        if one.with_qid is None and (method == "fit" or one is running[-1]):
            lines = _COMBINE if call.startswith("fit") else _STOP_EARLY
            cause = f"{one.name} of scikit-learn passes no query ids on. "
            return cause, lines if method == "fit" else None
        if QID in one.metadata and not is_routed:
            return (
                "While metadata routing is disabled, scikit-learn passes `qid` to the "
                "estimator only. "
            ), f"Call {_ENABLE} first."
        if "groups" in one.metadata:
            return (
                "`groups` reaches only the splitter of the same call; `qid` reaches "
                "QueryKFold, rankers and scorers. "
            ), None
        tables = one.data if owner and one.with_qid else ()
        if any(find_named(QID, X=data, column=column) is not None for data in tables):
            lines = f"Pass them: {_routed(one.with_qid)}."
            lines = _PUT_INSIDE if owner == "Pipeline" else lines
            cause = f"{one.name} makes arrays of its data and so loses {column!r}. "
            return cause, lines
    return "", None


_PUT_INSIDE = "Put its steps into the ranker: QueryRanker(make_pipeline(...))."


_COMBINE = "To combine rankers, use FusionRanker, or boosting, as in LGBMRanker."


_STOP_EARLY = (  # rows that it holds out, without their table
    "Put it into a ranker, which holds out whole queries: "
    "QueryRanker(..., early_stopping=True, scoring=...)."
)


def _routed(call):
    """Return a call of scikit-learn, and what to do before it."""
    is_routed = get_config()["enable_metadata_routing"]
    return call if is_routed else f"{call} after {_ENABLE}"


def _ways_to_pass(running, call, X, column, of_column):
    """Return the lines that show how to pass query ids, by the call that was made."""
    if running:
        call = running[-1].with_qid and _routed(running[-1].with_qid)
    way = f"Pass them: {call}, or " if call else "Pass them: "
    if of_column is None:
        return f"{way}an index 'qid' of y."
    call, ids = f"{of_column}(..., qid_column={{!r}})".format, _like_ids(X, column)
    hint = f"To read another column: {call('user_id')}."
    if ids:
        hint = f"Did you mean {' or '.join(map(call, ids))}?"
    names = column_names(X)
    if names is not None:
        end = "]" if len(names) <= 20 else ", ...]"
        hint = f"X has no column {column!r}. {hint} Got {repr(names[:20])[:-1]}{end}."
    return f"{way}a column {column!r} of X, or an index 'qid' of X or y.\n{hint}"


# Names of columns that often hold query ids, in small letters.
_USUAL = ("qid", "query", "query_id", "session", "user", "user_id", "srch_id", "group")


def _like_ids(X, column, n_rows=1000, most=3):
    """Return the columns that may hold query ids, by their names or in runs of values.

    The names are usual ones, or like that of the `column` that X lacks.
    """
    names = column_names(X)
    known = {str(name).lower(): name for name in names or ()}
    near = difflib.get_close_matches(str(column).lower(), known, 1, 0.65)
    likely = _USUAL if column == QID else (*near, *_USUAL)  # "id" is one of documents
    found = [known[name] for name in likely if name in known]
    if names is None:
        is_matrix = isinstance(X, np.ndarray) and X.ndim == 2
        names = range(X.shape[1]) if is_matrix else ()
    for name in names:
        try:
            values = take_rows(find_column(X, name), slice(n_rows))
            values = np.asarray(unwrapped(values)).tolist()
            distinct = len(set(values))
        except (TypeError, ValueError):  # such as lists
            continue
        n_runs = 1 + sum(one != other for one, other in pairwise(values))
        if 1 < distinct == n_runs <= len(values) / 2:
            found.append(name)
    return list(dict.fromkeys(found))[:most]


def find_named(name, *, X=None, y=None, column=None):
    """Return the values of a column of `X` or of an index of `y` or `X` by name.

    The column comes before the index of `y`, and that before the index of `X`. None
    if there is no such name. The column may be another one than the `name` of the
    index, given by its name or position.
    """
    column = name if column is None else column
    for found in (find_column(X, column), find_level(y, name), find_level(X, name)):
        if found is not None:
            return found
    return None


def require_named(values, name, *, argument, caller, X=None):
    """Return `values`, or raise the error that names the places where they may be.

    `name` was looked for in `X`; `argument` is what takes the values in a call and in
    the class `caller`, and the word for them in the error.
    """
    if values is not None:
        return values
    names = column_names(X)
    of_X = "" if names is None else f", and an X with the columns {names}"
    raise ValueError(
        f"{caller} needs to know the {argument} of each row. Pass it to the splitter "
        f"as an array or as the name of its column, such as {caller}({argument}='my_"
        f"{argument}'), or to scikit-learn, params={{{argument!r}: {argument}}} after "
        f"{_ENABLE}. Got no {argument} and no column or index named {name!r}{of_X}."
    )


def check_qid_column(column, caller):
    """Return the parameter `qid_column`; raise if it cannot identify a column."""
    if isinstance(column, str):
        return column
    if isinstance(column, numbers.Integral) and not isinstance(column, bool):
        return int(column)
    raise TypeError(
        f"The 'qid_column' parameter of {caller} must be a str (the name of a column "
        "of a table) or an int (the position of a column of an array). Got "
        f"{column!r} instead. Pass query ids themselves as `qid`."
    )
