"""Random tables as files and data frames, compared with the same values in lists.

The types of ids, grades and scores, the number of files and how they are written are
drawn. A table has to be scored as the lists are, or refused with an error that names a
column or a file. ``python -m tests.studies.random_sources 20000`` draws that many.
"""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import datetime
import gzip
import io
import re
import sys
import tempfile
import uuid
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from skrank.metrics import score_queries
from skrank.tables import score_table

METRICS = ["map", "ndcg@3", "mrr"]
FORMS = ["csv", "parquet", "pandas", "polars", "pyarrow", "stream"]

# Ids that look alike.
WORDS = [
    *("1", "01", "001", "1.0", "1.00", "1.", "1e0", "+1", " 1", "1 ", "0x1", "1_0"),
    *("10", "1e1", "10.0", "-0", "0", "-5", "17", "TRUE", "true", "True", "t", "yes"),
    *("2020-01-01", "2020-1-1", "2020-01-01 00:00:00", "12:00", "12:00:00"),
    *(
        "nan",
        "NaN",
        "null",
        "NULL",
        "None",
        "inf",
        "a",
        "A",
        "é",
        "e\u0301",
        "\U0001f600",
    ),
    *("a,b", "a;b", "a|b", 'say "x"', "two\nlines", "'q'", "#1", "\\N", "[1]", "{}"),
    *("9007199254740993", "9007199254740992", "18446744073709551617"),
    *("18446744073709551616", "1" * 38, "1" * 37 + "2", "1" * 45, "1" * 44 + "2"),
]


def _integers(rng, n, high=40):
    return rng.integers(-3, high, n).tolist()


def _dates(rng, n):
    first = datetime.date(2020, 1, 1)
    return [first + datetime.timedelta(days=i) for i in _integers(rng, n)]


def _datetimes(rng, n):
    first = datetime.datetime(2020, 1, 1)
    return [first + datetime.timedelta(microseconds=i) for i in _integers(rng, n)]


def _some_of(words, rng, n):
    few = rng.choice(len(words), min(len(words), int(rng.integers(2, 6))), False)
    return [words[i] for i in rng.choice(few, n)]


# Values of ids by the name of their kind.
IDS = {
    "integers": _integers,
    "words": lambda rng, n: _some_of(WORDS, rng, n),
    "digits": lambda rng, n: [str(i) for i in _integers(rng, n)],
    "zeros": lambda rng, n: [f"{i:03}" for i in _integers(rng, n)],
    "one word far down": lambda rng, n: [
        *(str(i) for i in _integers(rng, n - 1)),
        str(rng.choice(["007", "1.10", "x", "5e0"])),
    ],
    "floats": lambda rng, n: [i / 4 for i in _integers(rng, n)],
    "whole floats": lambda rng, n: [float(i) for i in _integers(rng, n)],
    "booleans": lambda rng, n: [bool(i % 2) for i in _integers(rng, n)],
    "huge": lambda rng, n: [10**20 + i for i in _integers(rng, n, 5)],
    "above int64": lambda rng, n: [2**63 + 3 + i for i in _integers(rng, n, 5)],
    "beyond floats": lambda rng, n: [2**53 + i for i in _integers(rng, n, 5)],
    "decimals": lambda rng, n: [Decimal(i) / 4 for i in _integers(rng, n)],
    "long decimals": lambda rng, n: [
        Decimal(10**36 + i).scaleb(-18) for i in _integers(rng, n, 5)
    ],
    "dates": _dates,
    "times": _datetimes,
    "uuids": lambda rng, n: [str(uuid.UUID(int=i + 3)) for i in _integers(rng, n, 5)],
    "tuples": lambda rng, n: [(i % 2, str(i)) for i in _integers(rng, n, 5)],
    "mixed": lambda rng, n: _some_of([1, "1", 1.5, True, "x", b"x", 2], rng, n),
}
SCORES = {
    "integers": lambda rng, n: _integers(rng, n, 5),
    "floats": lambda rng, n: (rng.integers(0, 9, n) / 4).tolist(),
    "close floats": lambda rng, n: [0.1 + i * 2**-55 for i in _integers(rng, n, 5)],
    "beyond floats": lambda rng, n: [2**53 + i for i in _integers(rng, n, 3)],
    "float far down": lambda rng, n: [*_integers(rng, n - 1, 5), 0.25],
    "decimals": lambda rng, n: [Decimal(i) / 8 for i in _integers(rng, n, 9)],
    "long decimals": lambda rng, n: [
        Decimal(3 * 10**19 + i).scaleb(-20) for i in _integers(rng, n, 9)
    ],
}
GRADES = {
    "integers": lambda rng, n: rng.integers(0, 4, n).tolist(),
    "floats": lambda rng, n: (rng.integers(0, 7, n) / 2).tolist(),
    "booleans": lambda rng, n: (rng.random(n) < 0.4).tolist(),
    "float far down": lambda rng, n: [*rng.integers(0, 3, n - 1).tolist(), 0.25],
}


class Case:
    """A table that was drawn.

    Attributes
    ----------
    form : str
        One of FORMS.
    values : dict of list
        The columns as lists of Python's values.
    cuts : list of int
        Where the parts end.
    """

    def __init__(self, seed):
        self.seed = seed
        self.rng = rng = np.random.default_rng(seed)
        self.form = str(rng.choice(FORMS))
        n_rows = int(rng.integers(3, 40))
        plain = rng.random() < 0.3
        kinds = ["integers", "digits", "words"] if plain else list(IDS)
        self.kinds = {
            "qid": str(rng.choice(kinds)),
            "doc": str(rng.choice(kinds)),
            "y_true": str(rng.choice(list(GRADES))),
            "y_score": str(rng.choice(list(SCORES))),
        }
        self.values = {
            "qid": IDS[self.kinds["qid"]](rng, n_rows),
            "doc": IDS[self.kinds["doc"]](rng, n_rows),
            "y_true": GRADES[self.kinds["y_true"]](rng, n_rows),
            "y_score": SCORES[self.kinds["y_score"]](rng, n_rows),
        }
        n_parts = int(rng.choice([1, 1, 2, 3, 14]))
        self.cuts = [*sorted(rng.integers(0, n_rows + 1, n_parts - 1)), n_rows]
        # Ids of documents that are twice in a query do not order them.
        texts = [map(as_text, self.values[name]) for name in ("qid", "doc")]
        is_unique = len({*zip(*texts, strict=True)}) == n_rows
        self.has_doc = is_unique and bool(rng.random() < 0.8)
        self.damage = None
        if self.form in ("csv", "parquet") and rng.random() < 0.05:
            self.damage = str(rng.choice(["cut", "empty", "short", "unlike"]))

    def parts(self):
        """Yield the columns of each part."""
        start = 0
        for stop in self.cuts:
            yield {name: column[start:stop] for name, column in self.values.items()}
            start = stop

    def params(self):
        """Return the parameters of both functions."""
        if not self.has_doc:
            return {}
        return {"doc_order": "descending", "ties": "first"}

    def source(self, folder):
        """Write or make the table."""
        if self.form in ("csv", "parquet"):
            return _write(self, folder)
        return _frame(self)

    def expected(self):
        """Return the QueryScores of lists."""
        values = dict(self.values)
        if self.form == "csv":
            values = {name: as_read(name, column) for name, column in values.items()}
        values["y_true"] = [float(x) for x in values["y_true"]]
        if any(isinstance(x, Decimal) for x in values["y_score"]):
            values["y_score"] = [float(x) for x in values["y_score"]]
        params = self.params()
        if self.has_doc:
            params["doc_id"] = values["doc"]
        return score_queries(
            values["y_true"], values["y_score"], METRICS, qid=values["qid"], **params
        )


def as_text(value):
    """Return what stands in a file of text."""
    return value if isinstance(value, str) else str(value)


def as_read(name, column):
    """Return a column of a file of text as integers, if all are, or text or floats."""
    texts = list(map(as_text, column))
    if all(re.fullmatch(r"0|-?[1-9][0-9]{0,37}", text) for text in texts):
        return list(map(int, texts))
    if name == "y_true" and isinstance(column[0], bool):
        return column
    return texts if name in ("qid", "doc") else list(map(float, texts))


def _write(case, folder):
    rng, form = case.rng, case.form
    parts = list(case.parts())
    place = folder / str(rng.choice(["run[1]", "what?", "all*", "y_true=0", "plain"]))
    ending = str(rng.choice({"csv": [".csv", ".csv.gz"]}.get(form, [".parquet"])))
    files = []
    for i, part in enumerate(parts):
        # The parts of some tables stand in folders of their own.
        inside = place / f"qid={i}" if rng.random() < 0.2 else place
        inside.mkdir(parents=True, exist_ok=True)
        files.append(inside / f"r[{i:02}]{ending}")
        {"csv": _write_csv, "parquet": _write_parquet}[form](case, part, files[-1])
    if case.damage:
        _damage(case, files[int(rng.integers(len(files)))])
    return files[0] if len(files) == 1 else place


def _write_csv(case, part, file):
    names = case.rng.permutation(list(part)).tolist()
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=str(case.rng.choice([",", ",", ";", "\t", "|"])),
        lineterminator=str(case.rng.choice(["\n", "\n", "\r\n"])),
        quoting=int(case.rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow(names)
    for row in zip(*(part[name] for name in names), strict=True):
        writer.writerow(map(as_text, row))
    data = text.getvalue().encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def _write_parquet(case, part, file):
    columns = {name: case_array(case, name, values) for name, values in part.items()}
    pq.write_table(pa.table(columns), file)


def case_array(case, name, values):
    """Return values in one of the types of Arrow that hold them exactly."""
    array = pa.array(values)
    if not values:
        return pa.array(values, pa.array(case.values[name]).type)
    if list(map(type, array.to_pylist())) != list(map(type, values)):
        raise TypeError("Arrow took values for others.")
    choices = [array.type]
    if pa.types.is_integer(array.type):
        choices += [pa.int8(), pa.int32(), pa.uint16(), pa.uint64(), pa.float32()]
        choices += [pa.float64(), pa.decimal128(21, 1), pa.int64(), pa.int64()]
    if pa.types.is_floating(array.type):
        choices += [pa.float32(), pa.float16()]
    if pa.types.is_string(array.type):
        choices += [pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
    if pa.types.is_timestamp(array.type):
        choices += [pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.timestamp("us")]
    if pa.types.is_decimal(array.type):
        choices += [pa.decimal128(38, 20), pa.decimal256(60, 20)]
    kind = choices[case.rng.integers(len(choices))]
    try:
        cast = array.cast(kind)
        back = cast.cast(array.type).to_pylist()
    except (pa.ArrowException, OverflowError):
        return array
    return cast if back == array.to_pylist() else array


def _damage(case, file):
    data = file.read_bytes()
    if case.damage == "empty":
        file.write_bytes(b"")
    elif case.damage == "cut":
        file.write_bytes(data[: len(data) * 2 // 3])
    elif case.damage == "short" and file.suffix == ".csv":
        file.write_bytes(data + b"1\n")
    elif case.damage == "unlike":
        file.write_bytes(data.replace(b"y_score", b"y_scoro"))
    else:
        case.damage = None


def _frame(case):
    if case.form == "pandas":
        import pandas as pd

        frame = pd.DataFrame(
            {name: pd.Series(column) for name, column in case.values.items()}
        )
        if case.rng.random() < 0.3:
            name = str(case.rng.choice(list(case.values)))
            frame[name] = pd.Series(case.values[name], dtype=object)
        return frame
    if case.form == "polars":
        return pl.DataFrame(case.values)
    chunks = list(case.parts())
    columns = {
        name: pa.chunked_array([case_array(case, name, case.values[name])])
        for name in chunks[0]
    }
    table = pa.table(columns)
    return table.to_reader(7) if case.form == "stream" else table


class Silent(AssertionError):
    """A table that is scored differently from lists, or fails without a name."""


NAMED = re.compile(r"'(qid|doc|y_true|y_score)'|\.(csv|parquet)")


def outcome(seed, folder):
    """Return "equal", "refused" or "cannot be made"; raise if they differ."""
    case = Case(seed)
    try:
        source = case.source(folder)
    except (pa.ArrowException, TypeError, OverflowError, pl.exceptions.PolarsError):
        return "cannot be made", case
    columns = {"doc_id": "doc"} if case.has_doc else {}
    try:
        scores = score_table(source, METRICS, **columns, **case.params())
    except (ValueError, OSError) as error:
        if not NAMED.search(str(error)):
            raise Silent(f"{seed} {case.form} {case.kinds}: {error!r}") from error
        return "refused", case
    except Exception as error:
        raise Silent(f"{seed} {case.form} {case.kinds}: {error!r}") from error
    if case.damage in ("cut", "empty", "short"):
        if case.damage == "cut" and case.form != "parquet":
            return "equal", case  # less rows, or a number of less digits, are a table
        raise Silent(f"{seed} {case.form}: damage {case.damage!r} was not seen")
    expected = case.expected()
    found = np.sort(scores.values[0].T.tolist(), axis=0)
    wanted = np.sort(expected.values[0].T.tolist(), axis=0)
    if not np.array_equal(found, wanted):
        got = f"{found.sum(axis=0)} of {len(found)} queries"
        wanted = f"{wanted.sum(axis=0)} of {len(wanted)}"
        raise Silent(f"{seed} {case.form} {case.kinds}: {got} is not {wanted}")
    one, other = scores.summary(), expected.summary()
    for name in one:
        if abs(one[name] - other[name]) > 1e-15:
            raise Silent(f"{seed} {case.form}: {one} is not {other}")
    return "equal", case


def main(n, first=0):
    """Score `n` tables and count what became of them."""
    warnings.simplefilter("ignore")
    counts, n_silent = Counter(), 0
    try:
        for seed in range(first, first + n):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    result, case = outcome(seed, Path(folder))
                    counts[case.form, result] += 1
                except Silent as error:
                    n_silent += 1
                    print(error, flush=True)
    finally:  # also when it is interrupted
        for (form, result), count in sorted(counts.items()):
            print(f"{form:8} {result:15} {count}")
        n_drawn = n_silent + sum(counts.values())
        print(f"{n_silent} of {n_drawn} tables differ silently")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
