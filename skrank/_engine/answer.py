"""Metric functions, and the one path from requests and rankings to values."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from skrank._engine.columns import no_grades, read_columns
from skrank._engine.request import (
    BY_ROW,
    DEFAULTS,
    INPUT,
    RANKED_BY,
    Metric,
    Options,
    Request,
    as_implied,
    compares_all_grades,
    enter,
    of_ranking,
    reads_highest_grade,
    with_highest_grade,
)
from skrank._engine.summary import Measured, parts_of
from skrank._engine.value_table import ValueTable, join_queries
from skrank._input.checks import (
    FEW_ROWS,
    SWAPPED,
    check_options,
    count_rows,
    look_swapped,
    numeric_array,
    says_what_was_meant,
    shape_of,
    warn_if_out_of_order,
    warn_of_single_rows,
)
from skrank._input.frames import on_host, take_rows
from skrank._input.query_ids import find_qid
from skrank._ranking.ids import Heads, encode_heads
from skrank._ranking.lists import has_negative
from skrank._ranking.queries import query_weights
from skrank._ranking.rank import FIRST, rank_again, rank_queries
from skrank._text.docs import RETURNS, complete, describe


def ranking_metric(
    name,
    *,
    threshold=0.0,
    replace_undefined_by=None,
    adjustable=False,
    without=(),
    masks=(),
    variants=(),
    inverse_name=None,
    **facts,
) -> Callable[[Callable[..., np.ndarray]], Callable]:
    """Make a definition a metric function, and enter it in the table of metrics.

    The decorated function, the definition, maps a RankedQueries and the metric's own
    parameters to one value per query; NaN means undefined. The decorator makes the
    function that users call: it takes `y_true`, `y_score`, `qid`, the columns that the
    metric reads, its own parameters and those that metrics share, checks them, ranks,
    measures and summarizes. The docstring is completed with the descriptions of the
    parameters and the errors. Other definitions call ``function.definition``.

    `name` and the other `facts` are attributes of a :class:`Metric`. `threshold` and
    `replace_undefined_by` are the defaults of these parameters, `adjustable` metrics
    have the parameter `adjusted`, `without` are shared parameters that the metric has
    not, and `masks` those that the function takes since the formula reads them: all
    others belong to `evaluate`. `variants` are further scorer names, each with the
    parameters that it fixes, and `inverse_name` is that of one over the metric.
    """
    if replace_undefined_by is None:  # 0 would be better than any other value
        is_best_at_0 = not facts.get("greater_is_better", True)
        replace_undefined_by = np.nan if is_best_at_0 else 0.0
    left_out = {*without}
    if facts.get("columns"):
        left_out.add("unjudged")
        left_out |= set() if facts.get("reads_grades", True) else {"threshold"}
    varied = {"threshold": threshold, "replace_undefined_by": replace_undefined_by}
    varied |= {"adjusted": False} if adjustable else {}
    options = {
        name: default
        for name, default in (DEFAULTS | varied).items()
        if name not in left_out
    }

    def decorate(definition):
        key = definition.__name__
        shared = options | dict.fromkeys(("sample_weight", *masks))
        shared.pop("unjudged", None)  # of `evaluate`, as the mask is
        signature = _public_signature(definition, facts, shared)
        _, *own = inspect.signature(definition).parameters.values()
        defaults = {
            one.name: one.default for one in own if one.default is not one.empty
        }
        defaults |= options
        by_default = Options().changed(as_implied(defaults))

        accepted, named = {*signature.parameters}, signature.parameters.values()
        required = {one.name for one in named if one.default is one.empty}
        refuse = _refusing(signature, key, required)

        @functools.wraps(definition)
        def call(*args, **kwargs):
            values = dict(zip(("y_true", "y_score"), args, strict=False)) | kwargs
            is_whole = len(values) == len(args) + len(kwargs)
            if not is_whole or required.difference(values) or values.keys() - accepted:
                if args and hasattr(args[0], "fit"):  # called as a scorer
                    scoring = metric.full_name
                    scoring += "@10" if metric.cutoff == "required" else ""
                    words = f"{key} is a metric, not a scorer: pass scoring="
                    raise TypeError(f"{words}{scoring!r}.")
                refuse(*args, **kwargs)
            columns = {name: values.pop(name, None) for name in metric.columns}
            for name in metric.optional:
                if columns[name] is None:
                    del columns[name]
            data = {"columns": columns}
            for part in INPUT:
                if part in values:
                    data[part] = values.pop(part)
            options = by_default
            if values:
                values = check_options(values, metric.checks, key)
                options = options.changed(values)
            request = Request(key, metric, 1, options)
            if data["y_true"] is None:
                data["y_true"] = no_grades(data["y_score"], [request], key)
            return answer(request, read_arrays(**data))

        # It has other parameters than the definition, for whoever unwraps functions.
        del call.__wrapped__
        call.__signature__ = signature
        call.definition = definition
        metric = Metric(name, definition, call, defaults, **facts)
        call.__doc__ = complete(
            definition.__doc__,
            signature,
            functools.partial(describe, metric=metric),
            returns=RETURNS.get((*metric.limits, metric.greater_is_better), ""),
        )
        enter(metric)
        of_ranks = defaults | {"replace_undefined_by": np.nan}
        for variant, fixed in dict(variants).items():
            instead = {"defaults": of_ranks} if "adjusted" in fixed else {}
            enter(replace(metric, name=variant, fixed=fixed, **instead))
        if inverse_name is not None:
            of_ranks.pop("adjusted", None)
            changed = {"greater_is_better": True, "inverse": True}
            enter(replace(metric, name=inverse_name, defaults=of_ranks, **changed))
        return call

    return decorate


def _public_signature(definition, facts, shared):
    """Return the signature of a metric function, from that of its definition.

    The columns come after `qid`, the parameters of the definition after them, and the
    `shared` ones, by name with their defaults, last.
    """
    columns, optional = facts.get("columns", ()), facts.get("optional", ())
    _, *own = inspect.signature(definition).parameters.values()
    by_name = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("y_true", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("y_score", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("qid", by_name, default=None),
    ]
    for name in columns:
        default = None if name in optional else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, by_name, default=default))
    parameters += [parameter for parameter in own if parameter.name not in shared]
    for name, default in shared.items():
        parameters.append(inspect.Parameter(name, by_name, default=default))
    return inspect.Signature(parameters)


def _refusing(signature, name, required):
    """Return a function that raises Python's error of a wrong call, by a name."""

    def take(y_true, y_score, **keywords):  # where Python itself refuses positions
        if unknown := keywords.keys() - signature.parameters.keys():
            wrong = f"got an unexpected keyword argument {min(unknown)!r}"
            raise TypeError(f"{name}() {wrong}")
        missing = min(required - keywords.keys() - {"y_true", "y_score"})
        wrong = f"missing 1 required keyword-only argument: {missing!r}"
        raise TypeError(f"{name}() {wrong}")

    take.__name__ = take.__qualname__ = name
    take.__signature__ = signature
    return says_what_was_meant(take)


_row_values = operator.attrgetter(*BY_ROW)
_NO_TENSORS = {np.ndarray, Heads, tuple, list, type(None)}


@dataclass(eq=False)
class Arrays:
    """The arrays to evaluate, made by :func:`read_arrays`, and their rankings."""

    y_true: object
    y_score: object
    qid: object = None
    sample_weight: object = None
    exclude: object = None
    judged: object = None
    # Whether a scorer found `judged` in X, for requests that ask for it: others do not
    # read it there, and have the values that they have alone.
    is_judged_found: bool = False
    returned: object = None
    doc_id: object = None
    alike: "Arrays | None" = None  # with other scores, all rows of which are ranked
    has_negative: bool | None = None  # whether a grade that is read is; None: not known
    rankings: dict = field(default_factory=dict)
    columns: dict = field(default_factory=dict)
    is_part: bool = False  # of a table or of more rows, in which queries may have one

    @property
    def by_row(self):
        """Return what has one value per row, by name: also the columns."""
        return dict(zip(BY_ROW, _row_values(self), strict=True)) | self.columns

    def ranking(self, by, depth):
        """Return the ranking by some options, read down to a depth; made once."""
        key = of_ranking(by)
        reached, ranking = self.rankings.get(key, (None, None))
        if ranking is not None:
            are_both = isinstance(reached, int) and isinstance(depth, int)
            if reached in (None, depth) or (are_both and reached >= depth):
                return ranking
        if self.columns:
            # Read once: other rankers and other rankings have the same columns.
            shape = shape_of(self.y_score)
            self.columns.update(read_columns(self.columns, shape, self.doc_id))
        ranking = None
        y_score = self.scores(by.score_dtype) if by.score_dtype else self.y_score
        is_plain = self.returned is None is self.exclude and by.doc_order is None
        is_unasked = self.is_judged_found and by.unjudged != "condensed"
        if self.alike is not None and is_plain and by.unjudged == "nonrelevant":
            _, like = self.alike.rankings[key]
            ranking = rank_again(like, y_score, by.ties, depth, self.columns)
        if ranking is None:
            ranking = rank_queries(
                self.y_true,
                y_score,
                qid=self.qid,
                threshold=by.threshold,
                ties=by.ties,
                exclude=self.exclude,
                judged=None if is_unasked else self.judged,
                unjudged=by.unjudged,
                returned=self.returned,
                doc_id=self.doc_id,
                doc_order=by.doc_order,
                judged_from=by.judged_from,
                columns=self.columns,
                depth=depth,
            )
        if len(ranking.ids) > FEW_ROWS and not (self.is_part or self.rankings):
            self._warn_of_single_rows(len(ranking.ids))
        self.rankings[key] = depth, ranking
        return ranking

    def _warn_of_single_rows(self, n_queries):
        """Warn if each row is a query of its own, unless it is what a join returned."""
        # Lists may have one document left where others are excluded or not judged.
        if n_queries != count_rows(self.y_true) or np.ndim(self.y_score) != 1:
            return
        if self.alike is self.returned is None:
            warn_of_single_rows(n_queries)

    def resolved(self, by):
        """Return options that give the same ranking, shared with other metrics.

        Where no grade is negative, the threshold 0 leaves every grade as None does.
        """
        is_alone = by.ties == "midrank" or self.find_negative()
        return by if is_alone else replace(by, threshold=0.0)

    def find_negative(self):
        """Return True if a grade that is read is negative."""
        if self.has_negative is None:
            is_all_read = self.judged is None or self.is_judged_found
            return has_negative(self.y_true, None if is_all_read else self.judged)
        return self.has_negative

    def scores(self, score_dtype):
        """Return `y_score` in the precision for comparing scores."""
        with np.errstate(over="ignore"):
            return numeric_array(self.y_score, "y_score").astype(score_dtype)


def read_arrays(y_true, y_score, *, columns=None, is_judged_found=False, **given):
    """Return :class:`Arrays`, with arrays for tensors, also those of each ranker."""
    given |= {"y_true": y_true, "y_score": y_score}
    if not {*map(type, given.values())} <= _NO_TENSORS:
        for name, values in given.items():
            if isinstance(values, Mapping) and not sparse.issparse(values):
                values = {ranker: on_host(one) for ranker, one in values.items()}
            given[name] = on_host(values)
    return Arrays(**given, columns=columns or {}, is_judged_found=is_judged_found)


@dataclass(eq=False)
class OwnRanks:
    """Queries that an estimator ranks itself, such as those of a link predictor."""

    ranks: object  # ``ranks.ranking(ties)`` returns the RankedQueries
    caller: str
    sample_weight: np.ndarray | None = None
    rankings: dict = field(default_factory=dict)

    def ranking(self, by, depth):
        """Return the ranking under a tie policy; made once."""
        # These parameters apply to labels and scores, which only the estimator has.
        for name in RANKED_BY:
            default = getattr(Options, name)
            if name != "ties" and getattr(by, name) != default:
                raise ValueError(
                    f"The '{name}' parameter of {self.caller} must be {default!r} "
                    "where the estimator computes the ranks itself. "
                    f"Got {getattr(by, name)!r} instead."
                )
        if by.ties not in self.rankings:
            self.rankings[by.ties] = self.ranks.ranking(by.ties)
        return self.rankings[by.ties]

    def resolved(self, by):
        """Return options that give the same ranking: all grades are 0 or 1."""
        return replace(by, threshold=0.0)


def answer(request, source):
    """Return the value of a requested metric; see :func:`answer_all`."""
    return answer_all([request], source)[request.key]


def answer_all(requests, source):
    """Return the values of requested metrics by name, each ranking made once.

    ``source.ranking(by, depth)`` returns the RankedQueries for some options, and
    ``source.sample_weight`` holds weights or None: :class:`Arrays`, or
    :class:`OwnRanks` if an estimator computes the ranks itself. With ``average=None`` a
    value is an array in the order of the query ids.
    """
    parts = [source]
    if isinstance(source, Arrays):
        warn_if_out_of_order(source.by_row)
        requests, parts = cut(requests, source)
    tables = [measure_queries(requests, part) for part in parts]
    return (tables[0] if len(tables) == 1 else join_queries(tables)).summary()


def measure_queries(requests, source, alike=None):
    """Return the :class:`ValueTable` of the queries of one ranker.

    Nowhere else do rankings become values. `alike` is the table of the same queries by
    other scores.
    """
    rankings, known, measured = rank_all(requests, source), {}, []
    of_alike = [None] * len(requests) if alike is None else alike.measured[0]
    # A probability may be too small for a float: 0 is as good.
    with np.errstate(under="ignore"):
        for request, ranking, like in zip(requests, rankings, of_alike, strict=True):
            try:
                measured.append(measure(request, ranking, known, like))
            except ValueError as error:
                _raise_if_swapped(source, error)
                raise
    weight = source.sample_weight
    if weight is not None:
        weight = query_weights(rankings[0], weight) if alike is None else alike.weight
    extremes = tuple(map(_extremes, requests, rankings))
    keys, requests = {"qid": rankings[0].ids}, tuple(requests)
    return ValueTable(keys, (None,), requests, extremes, (tuple(measured),), weight)


def measure(request, ranking, known, alike=None):
    """Return the :class:`Measured` of a requested metric.

    `known` holds what was measured of the same rankings, to compute nothing twice:
    several metrics have one definition, such as those that are adjusted. `alike` is
    that of the same queries by other scores, with which only the values differ.
    """
    metric, own, found = request.metric, request.options.own, {}
    if metric.takes_midrank:
        own = own | {"ties": request.options.ties}
    for part in parts_of(request):
        if part != "values" and alike is not None:
            found[part] = getattr(alike, part)
        elif part == "n_documents":
            found[part] = ranking.n_candidates
        elif part == "ideal" and request.divides_sums:
            found[part] = metric.best(ranking, **own)
        else:
            one = ranking if part == "values" else getattr(ranking, part)
            done = known.setdefault((metric.definition, id(one)), [])
            values = next((values for like, values, _ in done if like == own), None)
            if values is None:
                values = metric.definition(one, **own)
                done.append((own, values, one))  # kept, or another could get its id
            found[part] = values
    return Measured(**found)


def _extremes(request, ranking):
    """Return the grades among all queries that the values of a query depend on."""
    is_highest = reads_highest_grade(request)
    if not is_highest and request.options.threshold is not None:
        return {}
    lowest, highest = map(float, ranking.grade_range)
    return {"highest grade": highest} if is_highest else {"lowest grade": lowest}


def _raise_if_swapped(source, error):
    """Raise an error if the grades look like scores.

    A metric that refuses such grades would say how to change them.
    """
    if isinstance(source, Arrays) and not sparse.issparse(source.y_true):
        arrays = (source.y_true, "y_true"), (source.y_score, "y_score")
        if look_swapped(*(numeric_array(*array) for array in arrays)):
            raise ValueError(SWAPPED) from error


def rank_all(requests, source):
    """Return the ranking for each request, made once and down to the depth it needs.

    The depth is "first" for a metric that reads only the first relevant document, `k`
    for a metric with a cutoff, and None for the whole ranking. A definition of the
    user's own may read below its `k`, so it gets the whole ranking.
    """
    keys, asked = [], {}
    for request in requests:
        metric, by = request.metric, request.options
        depth = None if metric.own else by.own.get("k")
        depth = FIRST if metric.reads_first_rank else depth
        by = source.resolved(by) if by.threshold is None else by
        keys.append(of_ranking(by))
        asked.setdefault(keys[-1], (by, set()))[1].add(depth)
    rankings = {}
    for key, (by, depths) in asked.items():
        # Down to the first relevant document only if no request needs more.
        whole = None in depths or (len(depths) > 1 and FIRST in depths)
        rankings[key] = source.ranking(by, None if whole else max(depths))
    return [rankings[key] for key in keys]


class Rescored:
    """Measures the same documents with other scores each time.

    What does not depend on the scores, such as the query ids and the ideal ranking, is
    computed once.
    """

    def __init__(self, requests):
        self.requests, self.first, self.table = requests, None, None

    def __call__(self, arrays):
        """Return the :class:`ValueTable` of arrays that differ only in the scores."""
        if self.first is not None:
            arrays = replace(arrays, alike=self.first)
        table = measure_queries(self.requests, arrays, self.table)
        if self.first is None:
            self.first, self.table = arrays, table
        return table


# The rows of a block, but for the rest of the last query.
ROWS = 2**20


def cut(requests, arrays):
    """Return long arrays as blocks, if their values do not depend on each other.

    Returns the requests, with the highest grade of all rows where a metric depends on
    it, and an iterable of arrays: those that are given, unless there are many rows, and
    the rows of each query stand together. Query ids of a block are positions in all.
    """
    shape = getattr(arrays.y_score, "shape", ())
    if len(shape) != 1 or shape[0] < 2 * ROWS or not _are_rows(arrays, shape):
        return requests, [arrays]
    # A definition of the user's own may compare queries.
    is_own = any(request.metric.own for request in requests)
    by_query = any(request.options.average is None for request in requests)
    qid = find_qid(arrays.qid, y=arrays.y_true)
    if is_own or by_query or qid is None:
        return requests, [arrays]
    heads = encode_heads(qid, len(arrays.y_score))
    arrays = replace(arrays, qid=heads)  # not to be encoded again
    if heads.starts is None or len(heads.codes) > len(heads.ids):
        return requests, [arrays]
    names = ("y_true", "y_score")
    numbers = {name: numeric_array(getattr(arrays, name), name) for name in names}
    arrays = replace(arrays, **numbers)
    if any(map(compares_all_grades, requests)):
        arrays = replace(arrays, has_negative=arrays.find_negative())
        if arrays.has_negative:  # the lowest grade of all rows matters
            return requests, [arrays]
    if any(map(reads_highest_grade, requests)):
        highest = _highest_grade(arrays)
        requests = [with_highest_grade(request, highest) for request in requests]
    return requests, _blocks_of_queries(arrays)


def _are_rows(arrays, shape):
    """Return True if there is one value of everything for each row."""
    if arrays.exclude is not None:
        return False
    for name, values in zip(BY_ROW, _row_values(arrays), strict=True):
        if values is None or name == "qid":
            continue
        is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
        if not is_sequence or getattr(values, "shape", (len(values),)) != shape:
            return False
    return True


def _blocks_of_queries(arrays):
    heads = arrays.qid
    columns = read_columns(arrays.columns, (heads.n_samples,), arrays.doc_id)
    marks = np.searchsorted(heads.starts, np.arange(ROWS, heads.n_samples, ROWS))
    marks = np.unique(np.concatenate([[0], marks, [len(heads.starts)]]))
    for first, last in itertools.pairwise(marks):
        ends = np.append(heads.starts[first:last], heads.n_samples)
        if last < len(heads.starts):
            ends[-1] = heads.starts[last]
        rows = slice(ends[0], ends[-1])
        ids, codes = np.unique(heads.codes[first:last], return_inverse=True)
        qid = Heads(ids, codes, ends[:-1] - ends[0], int(ends[-1] - ends[0]))
        values = {
            name: None if value is None else take_rows(value, rows)
            for name, value in zip(BY_ROW, _row_values(arrays), strict=True)
            if name != "qid"
        }
        part = {name: column.part(rows) for name, column in columns.items()}
        given = {"qid": qid, "columns": part, "is_part": True, **values}
        yield replace(arrays, rankings={}, **given)


def _highest_grade(arrays):
    """Return the highest grade of the judged documents, None without any."""
    highest = None
    for start in range(0, len(arrays.y_true), ROWS):
        rows = slice(start, start + ROWS)
        grades = arrays.y_true[rows]
        if arrays.judged is not None:
            grades = grades[np.asarray(take_rows(arrays.judged, rows), dtype=bool)]
        if len(grades):
            top = float(grades.max())
            highest = top if highest is None else max(highest, top)
    return highest
