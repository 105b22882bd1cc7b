"""Checks of arrays and options, and warnings of likely mistakes."""

# SPDX-License-Identifier: BSD-3-Clause

import difflib
import functools
import inspect
import numbers
import re
from collections.abc import Mapping

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, check_scalar

from skrank._input.callers import running_draws, running_split, warn_caller
from skrank._input.frames import reordered, unwrapped

TIES = frozenset({"expected", "first", "optimistic", "pessimistic", "realistic"})
AVERAGES = ("macro", "weighted", None)
# What the keyword of another library is meant for that names queries.
_OF_QUERIES = dict.fromkeys(
    ("group", "groups", "group_id", "indexes", "query_id", "query_ids", "query"),
    " It takes the query id of each row as `qid`. If you have the sizes of the "
    "queries, pass qid=np.repeat(np.arange(len(sizes)), sizes).",
)
# What others call a parameter.
_CALLED = {
    "alpha": "confidence_level",
    "ascending": "greater_is_better",
    "higher_is_better": "greater_is_better",
    "top_k": "k",
    **dict.fromkeys(("weight", "weights"), "sample_weight"),
}
# What is meant by one position too many, if a function has such a parameter.
_BY_POSITION = {
    "qid": " Pass the query ids by name: qid=qid.",
    "margin": " Pass the rankers in a dict, by their names.",
}


def says_what_was_meant(function, hints=None):
    """Make a function say in Python's own errors of a call what was probably meant.

    `hints` say of the keywords of other libraries what to write instead.
    """

    def meant(args, kwargs):
        parameters = inspect.signature(function).parameters
        kinds = [parameter.kind for parameter in parameters.values()]
        if args and isinstance(args[0], Mapping) and "y_score" in args[0]:
            return f" Unpack what was passed: {function.__name__}(**align(...), ...)."
        n_positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        is_open = inspect.Parameter.VAR_POSITIONAL in kinds
        by = () if is_open else _BY_POSITION.keys() & parameters
        if len(args) > n_positional and by:
            return _BY_POSITION[by.pop()]
        if inspect.Parameter.VAR_KEYWORD in kinds:
            return ""
        return "".join(
            (hints or {}).get(name) or meant_by(name, parameters)
            for name in kwargs
            if name not in parameters
        )

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if hint := meant(args, kwargs):
                raise TypeError(f"{error}.{hint}") from None
            raise

    return wrapper


def meant_by(name, parameters):
    """Return what a keyword that is none of some parameters is probably meant for."""
    return _OF_QUERIES.get(name) or did_you_mean(_CALLED.get(name, name), parameters)


def did_you_mean(value, choices):
    """Return the question whether the nearest of some words was meant, or nothing."""
    words = {str(choice).lower(): choice for choice in choices}
    near = difflib.get_close_matches(str(value).lower(), words, 1, 0.65)
    return f" Did you mean {words[near[0]]!r}?" if near else ""


def numeric_array(values, name):
    """Return array-like numbers as an array of a real dtype, without a copy.

    Lists, tensors, nullable and arrow-backed columns are read; text, dates, complex
    numbers and missing values raise.
    """
    if type(values) is not np.ndarray:
        _refuse_dict(values, name)
        values = unwrapped(values)
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        return values
    if sparse.issparse(values):
        raise TypeError(
            f"The '{name}' parameter must be a dense array. Got a sparse matrix "
            f"of type {type(values).__name__} instead."
        )
    if np.ma.is_masked(values):
        raise ValueError(f"Input {name} contains masked (missing) values.")
    if type(values) is not np.ndarray:
        given = values
        try:
            values = np.asarray(values)
            is_list = isinstance(given, (list, tuple)) and values.dtype == np.float64
            if is_list and values.size and (np.abs(values) >= 2**53).any():
                # The numbers of the list, which may have lost digits.
                listed = np.array(given, dtype=object)
                values = listed if listed.shape == values.shape else values
        except ValueError:  # ragged lists
            raise ValueError(
                f"The '{name}' parameter must be an array-like of numbers, with "
                f"rows of one length. Got {shown(values, 80)}."
            ) from None
    if values.dtype == object:
        values = _numbers_of_objects(values, name)
    if values.dtype.kind not in "biuf":
        cure = _CURES_FOR_TEXT.get(name, "") if values.dtype.kind in "UST" else ""
        raise ValueError(
            f"The '{name}' parameter must hold real numbers. "
            f"Got an array of dtype {values.dtype} instead.{cure}"
        )
    return values


_CURES_FOR_TEXT = {
    "y_true": (
        " Map labels to grades, such as (np.asarray(y_true) == 'relevant').astype(int)."
    ),
    "y_score": " If these are ids of ranked documents, use skrank.tables.score_runs.",
}


def _refuse_dict(values, name):
    """Raise if values are a dict, or a list of dicts."""
    is_list = isinstance(values, (list, tuple)) and len(values) > 0
    first = values[0] if is_list else values
    if isinstance(first, Mapping):
        what = f"list of {type(first).__name__}" if is_list else type(first).__name__
        raise TypeError(
            f"The '{name}' parameter must be an array-like of numbers. Got a {what} "
            "instead: a run and its relevance judgements have to be aligned, so that "
            "y_true, y_score and qid hold one row for each pair of a query and a "
            "document."
        )


def _numbers_of_objects(values, name):
    """Convert an object array of numbers; numbers only, not their text."""
    listed = values.ravel().tolist()
    bad = [value for value in listed if not isinstance(value, numbers.Real)]
    if bad:
        cure = _CURES_FOR_TEXT.get(name, "") if isinstance(bad[0], str) else ""
        raise ValueError(
            f"The '{name}' parameter must hold real numbers without missing values. "
            f"Got {shown(bad[0])} of type {type(bad[0]).__name__}.{cure}"
        )
    try:
        floats = values.astype(np.float64)
    except OverflowError:
        floats = None
    # Numbers that a float cannot hold are compared as they are.
    if floats is not None and all(
        value == number or value != value
        for value, number in zip(listed, floats.ravel().tolist(), strict=True)
    ):
        return floats
    if name != "y_score":
        raise ValueError(
            f"The '{name}' parameter must hold numbers that a float can hold exactly, "
            "such as integers up to 2 ** 53, within the range of float64. Got "
            f"{shown(max(listed, key=abs))}; rescale the values or convert them."
        )
    if any(value != value for value in listed):
        raise ValueError(_NAN_SCORE)
    return _order_of(values)


def as_floats(values, what):
    """Return numbers as an array of float64; None and other missing ones are NaN."""
    try:
        return np.asarray(unwrapped(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be numbers. Got {shown(values, 80)}.") from None


def shape_of(values):
    """Return the shape of an array-like, of ragged lists without their lengths."""
    try:
        return np.shape(values)
    except ValueError:
        return (len(values),)


def check_lengths(**arrays):
    """Raise unless all arrays but those that are None have the same number of rows."""
    given = {name: values for name, values in arrays.items() if values is not None}
    try:
        check_consistent_length(*given.values())
    except ValueError:
        lengths = {name: count_rows(values) for name, values in given.items()}
        raise wrong_lengths(lengths) from None


def wrong_lengths(lengths):
    """Return the error of arguments of different lengths, given by name."""
    (first, n_rows), *others = lengths.items()
    name, other = next(pair for pair in others if pair[1] != n_rows)
    return ValueError(
        "Found input variables with inconsistent numbers of samples: "
        f"{list(lengths.values())}. The {name!r} parameter must have one value for "
        f"each of the {n_rows} rows of {first!r}. Got {other}."
    )


def count_rows(data):
    """Return the number of rows of arrays, tables and lists; None if there are none."""
    if data is None or getattr(data, "shape", None) == ():
        return None
    return data.shape[0] if hasattr(data, "shape") else len(data)


def all_finite(values):
    """Return True if no number is NaN or infinite."""
    if values.dtype.kind != "f" or not values.size:
        return True
    if values.dtype.itemsize < 8:  # of these NumPy finds extremes faster than sums
        return bool(np.isfinite(values.min()) and np.isfinite(values.max()))
    # The sum of such terms is neither: most arrays are read once, and nothing is made.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def not_finite(name):
    """Return the error of an array of numbers that holds NaN or infinity."""
    cure = _CURES_FOR_NAN.get(name, "Leave these rows out.")
    return ValueError(f"Input {name} contains NaN or infinity. {cure}")


_CURES_FOR_NAN = {
    "y_true": (
        "Leave rows without a grade out, or pass judged=np.isfinite(y_true) to rank "
        "them as documents that are not relevant."
    ),
    "sample_weight": "Pass 0 for what is not to count.",
}
_NAN_SCORE = (
    "Input y_score contains NaN. Leave these documents out, or pass "
    "np.where(np.isnan(y_score), -np.inf, y_score) to rank them last."
)


def scores_as_floats(y_score, is_finite=False):
    """Return an array of scores as floats that are tied exactly where the input is.

    Infinite scores are ranked; NaN raises, unless it is known that all scores are
    finite. Numbers that float64 cannot hold (wide integers, long doubles) are replaced
    by their order.
    """
    kind, width = y_score.dtype.kind, y_score.dtype.itemsize
    if kind == "f":
        if not is_finite and y_score.size and np.isnan(y_score.min()):
            raise ValueError(_NAN_SCORE)
        if width < 4:
            return y_score.astype(np.float32)
        return y_score if width <= 8 else _order_of(y_score)
    if width == 8 and y_score.size and max(y_score.max(), -int(y_score.min())) > 2**53:
        return _order_of(y_score)
    return y_score.astype(np.float64)


def _order_of(values):
    _, order = np.unique(values, return_inverse=True)
    return order.reshape(values.shape).astype(np.float64)


def check_weights(sample_weight, n_expected, unit):
    """Return `sample_weight` as float64 of shape (n_expected,)."""
    weights = numeric_array(sample_weight, "sample_weight")
    if weights.shape != (n_expected,):
        raise ValueError(
            f"The 'sample_weight' parameter must hold one weight per {unit}, an "
            f"array of shape ({n_expected},). Got shape {weights.shape} instead."
        )
    weights = weights.astype(np.float64)
    if not all_finite(weights):
        raise not_finite("sample_weight")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    return weights


def check_some_weight(weight):
    """Raise if there are weights, but none is above 0: those of a part may be."""
    if weight is not None and not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")


def check_options(given, checks, caller):
    """Return parameters with the values that their checks, by name, return."""
    checked = dict(given)
    for name, check in checks.items() if given else ():
        if name in given:
            checked[name] = check(given[name], name=name, caller=caller)
    return checked


def check_k(k, name="k", *, caller):
    """Return the cutoff `k` as an int, or None for the whole list."""
    if k is None:
        return None
    is_int = isinstance(k, numbers.Integral) and not isinstance(k, (bool, np.bool_))
    if not is_int or k < 1:
        raise invalid(
            ValueError if is_int else TypeError, name, caller, "an int >= 1 or None", k
        )
    return min(int(k), LARGEST_K)


# No list is as long, and it is the largest integer of NumPy.
LARGEST_K = 2**63 - 1


def check_count(value, name, *, least=1, most=None):
    """Return `value` as an int between `least` and `most`, or raise."""
    # bool is a subclass of int, but True is not a count.
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an instance of int, not bool: {value}.")
    return int(check_scalar(value, name, numbers.Integral, min_val=least, max_val=most))


def about(error, *parameters):
    """Return an error that carries the names of the parameters in its words.

    The command line calls them as its options.
    """
    error.parameters = parameters
    return error


def invalid(kind, name, caller, accepted, value, hint=""):
    """Return an error that says what a parameter accepts, and what it got."""
    of_caller = "" if caller is None else f" of {caller}"
    text = f"The '{name}' parameter{of_caller} must be {accepted}. Got "
    return kind(f"{text}{shown(value)} instead.{hint}")


def check_choice(value, choices, name, caller, words=None, or_else=""):
    """Return `value` if it is one of `choices`.

    The error names what `or_else` is accepted, and suggests the nearest choice, or what
    some `words` mean, without hyphens.
    """
    is_hashable = value is None or isinstance(value, str)
    if not is_hashable or value not in choices:
        named = sorted(choice for choice in choices if choice is not None)
        accepted = f"a str among {{{', '.join(map(repr, named))}}}"
        if None in choices:
            accepted += " or None"
        accepted += or_else
        hint = did_you_mean(value, named)
        if meant := (words or {}).get(re.sub("[-_ ]", "", str(value).lower())):
            hint = f" Did you mean {meant}?"
        raise about(invalid(ValueError, name, caller, accepted, value, hint), name)
    return value


def check_number(
    value, name, caller, *, low=-np.inf, high=np.inf, nan=False, ends="[]"
):
    """Return the real number `value` as a float from `low` to `high`.

    A parenthesis in `ends` says that this end is not in the range.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise invalid(TypeError, name, caller, "a real number", value)
    try:
        value = float(value)
    except OverflowError:
        raise invalid(
            ValueError, name, caller, "a real number within the range of float64", value
        ) from None
    if np.isnan(value):
        if nan:
            return value
        what = "a float other than NaN"
        raise about(invalid(ValueError, name, caller, what, value), name)
    is_in = low < value < high or (value == low and ends[0] == "[")
    if not (is_in or (value == high and ends[1] == "]")):
        what = f"a float in the range {ends[0]}{low}, {high}{ends[1]}"
        raise about(invalid(ValueError, name, caller, what, value), name)
    return value


def check_threshold(threshold, name, caller, or_none=False):
    """Return the relevance threshold: a number, ``"max"`` or, if accepted, None."""
    if threshold is not None and not isinstance(threshold, str):
        return check_number(threshold, name, caller)
    if threshold == "max" or (threshold is None and or_none):
        return threshold
    accepted = "a real number, 'max' or None" if or_none else "a real number or 'max'"
    kind = TypeError if threshold is None else ValueError
    raise invalid(kind, name, caller, accepted, threshold)


def check_listed(values, name, caller):
    """Return one name, or several of them, as a list."""
    listed = [values]
    if not isinstance(values, str) and np.iterable(values):
        listed = list(values)
    if not listed or not all(isinstance(one, str) for one in listed):
        raise invalid(TypeError, name, caller, "a str or a list of str", values)
    return listed


def check_level(value, name, caller):
    """Raise unless a probability is between 0 and 1."""
    check_number(value, name, caller, low=0.0, high=1.0, ends="()")


def check_flag(value, name, caller):
    """Return the boolean `value`."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(TypeError, name, caller, "an instance of bool", value)
    return bool(value)


def check_instance(value, kind, name, caller, cure=""):
    """Raise unless `value` is an instance of a class."""
    if not isinstance(value, kind):
        raise TypeError(
            f"The '{name}' parameter of {caller} must be an instance of "
            f"{kind.__name__}. Got {type(value).__name__} instead.{cure}"
        )


def shown(value, limit=200):
    """Return the repr of a value, cut to `limit` characters, for error messages."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def check_column_name(value, name, function):
    """Raise unless a parameter is the name of one column."""
    if not isinstance(value, str):
        cure = ""
        if name == "qid" and isinstance(value, (list, tuple)) and len(value) > 1:
            cure = f" Pass qid={value[0]!r} and by={[*value[1:]]!r} to `score_table`."
        raise ValueError(
            f"The {name!r} parameter of {function} must be a str, the name of one "
            f"column. Got {shown(value)} instead.{cure}"
        )


# The fewest queries whose mean says something, and of how many they can be spared.
FEW_QUERIES, SPARED_OF = 10, 100


def warn_if_few_queries(n_held_out, n_queries, name, size):
    """Warn if few queries are held out: of many, or by a parameter that counts rows."""
    is_count = isinstance(size, numbers.Integral)
    if n_held_out < FEW_QUERIES and (is_count or n_queries >= SPARED_OF):
        unit = ": an int counts rows, not queries" if is_count else ""
        warn_caller(
            f"{n_held_out} of {n_queries} queries are held out, and their mean says "
            f"little. Hold out more, such as {name}=0.2{unit}.",
            UserWarning,
        )


# Without query ids, more rows than these are unlikely to be one query.
MANY_ROWS = 100

# More rows than these are unlikely to be one query each.
FEW_ROWS = 20

_IDS_OF_SCORER = (
    "Query ids reach a scorer of sklearn.metrics.make_scorer in the index of y, named "
    "'qid', or by metadata routing, after set_score_request(qid=True); a column of X "
    "does not. Shorter: a scorer name, such as scoring='ndcg@10'."
)

_IDS_OF_ROWS = (
    "Pass the id of each row as `qid`. If the rows are one list, pass [[...]], one row "
    "of a matrix, or qid=np.zeros(n_rows). A loop over queries passes [[...]], or all "
    "rows are passed in one call with `qid`."
)

# The functions of scikit-learn that draw rows of each fold, and what to do instead; the
# `fit` of halving searches if their resource is "n_samples".
_DRAWS_ROWS = {
    "fit": (
        "A halving search with resource='n_samples' draws rows of the folds, so that "
        "queries lose documents in training and test sets. Pass "
        "resource='max_queries' and max_resources=n_queries with a QueryRanker, which "
        "draws whole queries, or the name of another parameter, such as "
        "'n_estimators'."
    ),
    "learning_curve": (
        "learning_curve draws rows of the training data, so that queries lose "
        "documents. Pass param_name='max_queries' and param_range=[50, 100, ...] to "
        "validation_curve with a QueryRanker, which draws whole queries."
    ),
}

# How many values are looked at, and the fewest that say anything.
_SAMPLE, _FEWEST = 200, 5


def check_one_query(n_rows):
    """Raise if rows without ids are too many for one query; warn if they are a fold."""
    split = running_split()
    is_fold = split is not None and len(split.test) == n_rows
    if n_rows > MANY_ROWS:
        raise ValueError(
            "Without query ids all rows are ranked as one query, which at most "
            f"{MANY_ROWS} rows may be. Got {n_rows} rows and no query ids. "
            f"{_IDS_OF_SCORER if is_fold else _IDS_OF_ROWS}"
        )
    if is_fold:
        warn_caller(
            "All rows of a fold are ranked as one query, since there are no query ids. "
            f"{_IDS_OF_SCORER}",
            UserWarning,
        )


def warn_of_single_rows(n_queries):
    """Warn that every row is a query of its own."""
    warn_caller(
        f"Each of {n_queries:,} queries has one row: is `qid` the right column?",
        UserWarning,
    )


def warn_if_rows_are_drawn():
    """Warn in a halving search or a learning curve that draws rows of the folds."""
    for function, variables in running_draws():
        if function not in _DRAWS_ROWS:
            continue
        search = variables.get("self")
        estimator = variables.get("estimator", getattr(search, "estimator", None))
        # The rows of estimators that rank by themselves are queries, such as triples.
        is_ranked = hasattr(estimator, "__skrank_ranks__")
        if getattr(search, "resource", "n_samples") == "n_samples" and not is_ranked:
            warn_caller(_DRAWS_ROWS[function], UserWarning)
        return


def warn_if_out_of_order(arrays):
    """Warn of pandas objects with the same labels in different orders.

    Rows are paired by position, whatever their labels are. `arrays` holds what has one
    value per row, by the names of the arguments.
    """
    kinds = [type(values) for values in arrays.values() if values is not None]
    if len(kinds) - kinds.count(np.ndarray) < 2:  # arrays have no labels
        return
    for first, name, is_unique in reordered(arrays):
        # permutation_test_score shuffles y with its labels, after scoring it as it is.
        tool, draws = "permutation_test_score", running_draws()
        ys = [variables["y"] for name, variables in draws if name.endswith(tool)]
        if ys and (len(ys) == 1 or ys[0] is not ys[1]):
            return
        cure = f"Pass {name}.loc[{first}.index] to pair them by label"
        if not is_unique:
            cure = f"Sort the rows of {name} like those of {first}"
        warn_caller(
            f"{first} and {name} have the same labels in different orders, but their "
            f"rows are paired by position. {cure}, or {name}.to_numpy() if the rows "
            "are in the same order already.",
            UserWarning,
        )


SWAPPED = (
    "y_true and y_score look swapped: y_true holds continuous values, and y_score a "
    "few integers. Pass the grades first, then the scores."
)


def look_swapped(y_true, y_score):
    """Return True if the grades look like scores, and the scores like grades."""
    grades, scores = y_true.ravel()[:_SAMPLE], y_score.ravel()[:_SAMPLE]
    n_whole = np.count_nonzero(grades == np.floor(grades))
    if len(grades) < _FEWEST or 2 * n_whole > len(grades):
        return False
    most = min(10, len(scores) // 2)
    if (scores != np.floor(scores)).any() or len(np.unique(scores)) > most:
        return False
    return 2 * len(np.unique(grades)) > len(grades)


def warn_if_labels(lists):
    """Warn if the scores look like the class labels that a classifier predicts.

    They have two values, which are grades, and tied documents differ in relevance. A
    classifier predicts rows, so a matrix is left alone.
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
