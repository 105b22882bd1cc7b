"""The contents of a table of values, and how such tables are joined."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings
from typing import NamedTuple

import numpy as np

from skrank._engine.summary import Measured, reciprocal, summarize
from skrank._input.checks import about, check_listed, check_some_weight, shown
from skrank._ranking.ids import encode_qid


class ValueTable(NamedTuple):
    """What a :class:`QueryScores` holds, the queries in the order of their keys.

    An array has an entry for each query.
    """

    keys: dict  # arrays by name: the query ids, "qid", and further columns
    rankers: tuple  # their names, or None alone
    requests: tuple  # the metrics
    extremes: tuple  # for each metric the grades of all queries that it depends on
    measured: tuple  # for each ranker a tuple, with the Measured of each metric
    weight: np.ndarray | None = None
    kind: str = "pandas"  # the library of the data frames that it becomes
    # A number that depends on the grades of its judgements, if known.
    judgements: np.ndarray | None = None

    @property
    def metrics(self):
        """Return the names of the metrics."""
        return tuple([request.key for request in self.requests])

    @property
    def smaller(self):
        """Return the names of the metrics of which smaller values are better."""
        return [request.key for request in self.requests if request.direction < 0]

    @property
    def n_undefined(self):
        """Return how many queries with a weight are undefined, by ranker and metric."""
        counts = slice(None) if self.weight is None else self.weight > 0
        return np.array(
            [
                [np.isnan(measured.values[counts]).sum() for measured in of_ranker]
                for of_ranker in self.measured
            ]
        )

    def summaries(self, **options):
        """Return the summaries: for each ranker, one for each metric.

        `options` replace parameters of all requests.
        """
        requests = self.requests
        if options:
            requests = [one.changed(**options) for one in requests]
        with np.errstate(under="ignore"):
            return [
                [
                    summarize(request, measured, self.weight)
                    for request, measured in zip(requests, of_ranker, strict=True)
                ]
                for of_ranker in self.measured
            ]

    def summary(self):
        """Return the summaries by metric, or by ranker and metric."""
        check_some_weight(self.weight)
        return named_summaries(self.rankers, self.metrics, self.summaries())

    def take(self, rows):
        """Return the table of the queries at some positions, in ascending order."""
        keys = {name: key.take(rows) for name, key in self.keys.items()}
        return _changed([self], keys, lambda array: array.take(rows, axis=-1))

    def segments(self, by, caller):
        """Return the rows of the queries of each value of a key column.

        In the order of the values; by tuples of values of several columns.
        """
        names = check_by(by, self.keys, caller)
        keys, _, codes = distinct({name: self.keys[name] for name in names})
        order = np.argsort(codes, kind="stable")
        rows = np.split(order, np.cumsum(np.bincount(codes))[:-1])
        values = [key.tolist() for key in keys.values()]
        labels = values[0] if isinstance(by, str) else zip(*values, strict=True)
        return dict(zip(labels, rows, strict=True))

    def select(self, rankers, metrics):
        """Return the table of the rankers and metrics at some positions."""
        return self._replace(
            rankers=tuple(self.rankers[i] for i in rankers),
            requests=tuple(self.requests[j] for j in metrics),
            extremes=tuple(self.extremes[j] for j in metrics),
            measured=tuple(
                tuple(self.measured[i][j] for j in metrics) for i in rankers
            ),
        )


def check_by(by, keys, caller):
    """Return the names of the key columns by which scores are summarized apart."""
    names = check_listed(by, "by", caller)
    for name in names:
        if name not in keys:
            raise ValueError(
                f"The 'by' parameter of {caller} must name key columns, among "
                f"{sorted(keys)}. Got {shown(name)} instead. Columns are "
                "passed as `by` of score_queries and score_runs."
            )
    return names


def named_summaries(rankers, metrics, summaries):
    """Return lists of summaries as a dict by metric, or by ranker and metric."""
    named = [dict(zip(metrics, values, strict=True)) for values in summaries]
    return named[0] if rankers[0] is None else dict(zip(rankers, named, strict=True))


def join_queries(tables):
    """Return the table of the queries of all tables, each of which is in one."""
    for table in tables[1:]:
        check_alike(tables[0], table)
    columns = {
        name: joined([table.keys[name] for table in tables]) for name in tables[0].keys
    }
    # Parts with the query ids [7, 2] and [5] have the codes [2, 0, 1], and first is
    # [1, 2, 0]: the rows of the joined parts in the order of the ids 2, 5, 7.
    keys, first, codes = distinct(columns)
    if len(first) < len(codes):
        refuse_twice(keys, codes)
    if len(tables) == 1 and np.array_equal(codes, np.arange(len(codes))):
        return tables[0]._replace(keys=keys)
    return _changed(
        tables, keys, lambda *arrays: np.concatenate(arrays, axis=-1)[..., first]
    )


def _changed(tables, keys, change):
    """Return a table of some keys, whose arrays are made of those of all tables.

    ``change(*arrays)`` returns an array of those that the tables have in one place.
    """
    done = {}

    def changed(*arrays):
        if any(array is None for array in arrays):
            return None
        place = tuple(map(id, arrays))
        if place not in done:  # metrics share some of their arrays
            done[place] = change(*arrays)
        return done[place]

    return tables[0]._replace(
        keys=keys,
        weight=changed(*(table.weight for table in tables)),
        judgements=changed(*(table.judgements for table in tables)),
        measured=tuple(
            tuple(
                Measured(*map(changed, *parts))
                for parts in zip(*of_ranker, strict=True)
            )
            for of_ranker in zip(*(table.measured for table in tables), strict=True)
        ),
    )


def join_rankers(tables, rankers):
    """Return the table of rankers from those of each of them, on the same queries."""
    for table, name in zip(tables, rankers, strict=True):
        _check_equal_queries(tables[0], table, rankers[0], name)
    return tables[0]._replace(
        rankers=tuple(rankers),
        measured=tuple(table.measured[0] for table in tables),
    )


def join_samples(tables, rankers):
    """Return the table of rankers, each of which has queries of its own.

    The values of all other queries are NaN, and left out. Query ids become numbers,
    since the same id may be in several samples.
    """
    for table in tables[1:]:
        check_alike(tables[0], table)
    keys = {
        name: joined([table.keys[name] for table in tables]) for name in tables[0].keys
    }
    codes = [encode_qid(table.keys["qid"])[1] for table in tables]
    n_before = np.cumsum([0, *(own.max(initial=-1) + 1 for own in codes)])
    keys["qid"] = np.concatenate([x + n for x, n in zip(codes, n_before, strict=False)])
    whole = _changed(tables, keys, lambda *arrays: np.concatenate(arrays, axis=-1))
    sample = np.repeat(np.arange(len(tables)), [len(own) for own in codes])

    def of_sample(place, request, measured):
        instead = request.instead
        instead = reciprocal(instead) if request.metric.inverse else instead
        is_undefined = np.isnan(measured.values)
        parts = [
            part if part is None else np.where(is_undefined, instead, part)
            for part in measured[:3]
        ]
        parts[0] = np.where(sample == place, parts[0], np.nan)
        return Measured(*parts, n_documents=measured.n_documents)

    return whole._replace(
        rankers=tuple(rankers),
        requests=tuple(
            one.changed(replace_undefined_by=np.nan) for one in whole.requests
        ),
        measured=tuple(
            tuple(
                of_sample(place, *one)
                for one in zip(whole.requests, whole.measured[0], strict=True)
            )
            for place in range(len(tables))
        ),
    )


def average_repeats(table, key, several):
    """Return the table with one row for each query id, the mean of its rows.

    The column `key` tells the rows of a query apart; it gets the entry `several` for a
    query that has several. Where a value is undefined in some of these rows only, it
    counts there as in a summary: as `replace_undefined_by`, or not at all if that is
    NaN.
    """
    ids, codes = encode_qid(table.keys["qid"])
    n_rows = np.bincount(codes)
    if len(ids) == len(codes):
        return table

    def mean(values):
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            total = np.bincount(codes[known], values[known], len(ids))
            return total / np.bincount(codes[known], minlength=len(ids))

    def mean_of(request, measured):
        instead = request.options.replace_undefined_by
        if request.metric.inverse:
            instead = reciprocal(instead)
        is_undefined = np.isnan(measured.values)
        never_defined = np.bincount(codes, ~is_undefined) == 0

        def mean_of_defined(values):
            if values is None:
                return None
            values = mean(np.where(is_undefined, instead, values))
            return np.where(never_defined, np.nan, values)

        n, found = measured.n_documents, map(mean_of_defined, measured[:3])
        return Measured(*found, n_documents=None if n is None else mean(n))

    first = np.searchsorted(codes, np.arange(len(ids)))
    return table._replace(
        keys={"qid": ids, key: np.where(n_rows > 1, several, table.keys[key][first])},
        weight=None if table.weight is None else mean(table.weight),
        judgements=None,
        measured=tuple(
            tuple(map(mean_of, table.requests, of_ranker))
            for of_ranker in table.measured
        ),
    )


def distinct(columns):
    """Return (keys, first, codes) of the distinct combinations of entries of columns.

    The columns come the most important first. `keys` holds the combinations in
    ascending order, `first` the first row of each, and `codes` the position of that of
    each row.
    """
    # With the columns [b, a, b, b] and [y, x, x, y], the codes are [1, 0, 1, 1], times
    # 2, plus [1, 0, 0, 1]: [3, 0, 2, 3], and made dense [2, 0, 1, 2]. The keys are
    # [a, b, b] and [x, x, y], and first is [1, 2, 0].
    encoded, codes = {}, None
    for name, values in columns.items():
        n_rows = None if codes is None else len(codes)
        ids, own = encoded[name] = encode_qid(values, n_rows, name=name)
        # Codes of combinations, made dense again, do not overflow.
        codes = own if codes is None else encode_qid(codes * len(ids) + own)[1]
    first = np.empty(codes.max(initial=-1) + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    keys = {name: ids[own[first]] for name, (ids, own) in encoded.items()}
    return keys, first, codes


def joined(columns):
    """Concatenate key columns without converting one type of ids to another."""
    if len({column.dtype.kind for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.concatenate(columns)


def refuse_twice(keys, codes):
    """Raise for queries of which some have the same code."""
    twice = np.flatnonzero(np.bincount(codes) > 1)[0]
    query = ", ".join(
        f"{name}={shown(values[[twice]].tolist()[0])}" for name, values in keys.items()
    )
    raise ValueError(
        "Each query must be scored once, with all of its documents. Got the query "
        f"{query} twice: were its rows in different parts? Two rankers with the same "
        "queries are a dict, as in gate({'old': old, 'new': new}, ...)."
    )


def _check_equal_queries(one, other, name, other_name):
    """Raise if two rankers do not have the same queries."""
    for key, values in one.keys.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of NumPy
            are_equal = np.array_equal(values, other.keys[key])
        if not are_equal:
            odd = set(values.tolist()) ^ set(other.keys[key].tolist())
            example = f" Only one has {shown(next(iter(odd)))}." if odd else ""
            raise ValueError(
                "All rankers must have the same queries. Got different ones for "
                f"{shown(name)} and {shown(other_name)}.{example} Samples of different "
                "queries are compared by compare_rankers(..., paired=False)."
            )
    if one.judgements is None or other.judgements is None:
        return
    if n_changed := np.count_nonzero(one.judgements != other.judgements):
        raise ValueError(
            "All rankers must be scored with the same judgements. Got "
            f"{shown(name)} and {shown(other_name)}, between which {n_changed:,} of "
            f"{len(one.judgements):,} queries have other judgements: evaluate the "
            "old run with the new ones."
        )


def check_alike(one, other):
    """Raise if two parts cannot be parts of one table."""
    if one.rankers != other.rankers:
        raise ValueError(
            "All parts must have the same rankers. Got "
            f"{shown(one.rankers)} and {shown(other.rankers)}."
        )
    check_same_requests(one.requests, other.requests)
    if [*one.keys] != [*other.keys] or (one.weight is None) != (other.weight is None):
        raise ValueError(
            "All parts must have the same key columns, and weights if one of them has. "
            f"Got {[*one.keys]} and {[*other.keys]}."
        )
    for key, a, b in zip(one.metrics, one.extremes, other.extremes, strict=True):
        for name in a:
            if a[name] != b[name]:
                raise ValueError(
                    f"The metric {key!r} depends on the {name} of all data, which was "
                    f"{a[name]} in one part and {b[name]} in another. {_CURE[name]}"
                )


def check_same_requests(requests, others):
    """Raise if parts were not scored by the same metrics and parameters."""
    names, other_names = [[one.key for one in part] for part in (requests, others)]
    if names != other_names:
        raise ValueError(
            "All parts must have the same metrics. Got "
            f"{shown(tuple(names))} and {shown(tuple(other_names))}."
        )
    for request, other in zip(requests, others, strict=True):
        options, given = request.options.by_name(), other.options.by_name()
        for name in options | given:
            a, b = options.get(name), given.get(name)
            if a is not b and a != b and not (a != a and b != b):
                error = ValueError(
                    "All parts must be scored with the same parameters. Got "
                    f"{request.key!r} with {name}={shown(a)} and {name}={shown(b)}."
                )
                raise about(error, name)


_CURE = {
    "highest grade": "Score all parts with the same `max_grade`.",
    "lowest grade": "Score all parts with the same `threshold`, or grades >= 0.",
}
