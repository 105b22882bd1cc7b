"""Where query ids are, and how to pass them."""

# SPDX-License-Identifier: BSD-3-Clause

import difflib
import numbers

import numpy as np
from sklearn import get_config

from skrank._input.frames import (
    column_names,
    find_column,
    find_level,
    unwrapped,
)

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
    found = find_named(QID, X=X, y=y, column=column)
    if found is not None and column == QID:
        check_index(found, y, X)
    return found


def check_index(qid, *data):
    """Raise if query ids differ from an index ``"qid"``, which functions read."""
    for one in data:
        index = find_level(one, QID)
        if index is None or index is qid or len(index) != len(qid):
            continue
        ids, others = (np.asarray(unwrapped(each)) for each in (qid, index))
        if np.array_equal(ids, others):
            continue
        ids, others = ids.tolist(), others.tolist()
        if not len({*zip(ids, others, strict=True)}) == len({*ids}) == len({*others}):
            raise ValueError(
                "The column 'qid' of X and the index 'qid' are both the query ids: "
                "keep one of them. Got both, and they group the rows differently."
            )


def no_query_ids(caller, call, *, X=None, column=QID, of_column=None):
    """Return the error that shows how to pass query ids.

    It names the `caller` and the `call` that was made, as it passes query ids. They
    were not found in the `column` of `X`, the parameter `qid_column` of `of_column`;
    None if no table is read.
    """
    ways = "an index 'qid' of y."
    if of_column is not None:
        ways = f"a column {column!r} of X, or an index 'qid' of X or y.\n"
        ways += _hint_at_column(X, column, of_column)
        if not call.startswith(caller):  # which scikit-learn calls as well
            ways += f"\n{_within_sklearn(X, call.startswith('fit('))}"
    return ValueError(
        f"{caller} needs to know which rows belong to one query. Got no query ids.\n"
        f"Pass them: {call}, or {ways}"
    )


_ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


def _hint_at_column(X, column, of_column):
    call, ids = f"{of_column}(..., qid_column={{!r}})".format, _like_ids(X, column)
    hint = f"To read another column: {call('user_id')}."
    if ids:
        hint = f"Did you mean {' or '.join(map(call, ids))}?"
    names = column_names(X)
    if names is None:
        return hint
    end = "]" if len(names) <= 20 else ", ...]"
    return f"X has no column {column!r}. {hint} Got {repr(names[:20])[:-1]}{end}."


def _within_sklearn(X, is_fit):
    """Return how query ids pass through tools of scikit-learn, or get lost there.

    If a ranker `is_fit`, an ensemble may fit it; else a search within a ranker may ask.
    """
    is_routed = get_config()["enable_metadata_routing"]
    after = "" if is_routed else f" after {_ENABLE}"
    cure = (
        "A ranker passes none to a search within it: put the ranker into the search, "
        "GridSearchCV(QueryRanker(...), ...)."
    )
    if is_fit:
        cure = (
            "Most ensembles pass none to rankers within them: put one into the ranker, "
            "QueryRanker(VotingRegressor(...)), or fuse rankers by FusionRanker."
        )
    line = (
        "scikit-learn takes params={'qid': qid} in cross_validate, and fit(X, y, "
        f"qid=qid) in a search{after}; `groups` reaches only the splitter. {cure}"
    )
    if column_names(X) is not None:
        return line
    return (
        f"{line} What makes arrays of its data, such as a Pipeline, loses the column: "
        "put its steps into the ranker, QueryRanker(make_pipeline(...))."
    )


# Names of columns that often hold query ids, in small letters.
_USUAL = ("qid", "query", "query_id", "session", "user", "user_id", "srch_id", "group")


def _like_ids(X, column):
    """Return the columns with usual names of ids, or one like the `column` X lacks."""
    known = {str(name).lower(): name for name in column_names(X) or ()}
    near = difflib.get_close_matches(str(column).lower(), known, 1, 0.65)
    likely = _USUAL if column == QID else (*near, *_USUAL)  # "id" is one of documents
    return list(dict.fromkeys(known[name] for name in likely if name in known))[:3]


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
