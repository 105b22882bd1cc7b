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
    *("nan", "NaN", "null", "NULL", "None", "inf", "a", "A", "é", "e\u0301"),
    *("\U0001f600", "a,b", "a;b", "a|b", 'say "x"', "two\nlines", "'q'", "#1", "\\N"),
    *("[1]", "{}", "9007199254740993", "9007199254740992", "18446744073709551617"),
    *("18446744073709551616", "1" * 38, "1" * 37 + "2", "1" * 45, "1" * 44 + "2"),
]
DAY = datetime.datetime(2020, 1, 1)


def _integers(rng, n, high=40, low=-3):
    return rng.integers(low, high, n).tolist()


def each(make, high=40, low=-3):
    """Return a function that draws integers and makes a value of each."""
    return lambda rng, n: [make(i) for i in _integers(rng, n, high, low)]


def some_of(words):
    """Return a function that draws from a few of the words."""

    def draw(rng, n):
        few = rng.choice(len(words), min(len(words), int(rng.integers(2, 6))), False)
        return [words[i] for i in rng.choice(few, n)]

    return draw


# Values of ids by the name of their kind.
IDS = {
    "integers": _integers,
    "words": some_of(WORDS),
    "digits": each(str),
    "zeros": each("{:03}".format),
    "one word far down": lambda rng, n: [
        *map(str, _integers(rng, n - 1)),
        str(rng.choice(["007", "1.10", "x", "5e0"])),
    ],
    "floats": each(lambda i: i / 4),
    "whole floats": each(float),
    "booleans": each(lambda i: bool(i % 2)),
    "huge": each(lambda i: 10**20 + i, 5),
    "above int64": each(lambda i: 2**63 + 3 + i, 5),
    "beyond floats": each(lambda i: 2**53 + i, 5),
    "decimals": each(lambda i: Decimal(i) / 4),
    "long decimals": each(lambda i: Decimal(10**36 + i).scaleb(-18), 5),
    "dates": each(lambda i: DAY.date() + datetime.timedelta(days=i)),
    "times": each(lambda i: DAY + datetime.timedelta(microseconds=i)),
    "uuids": each(lambda i: str(uuid.UUID(int=i + 3)), 5),
    "tuples": each(lambda i: (i % 2, str(i)), 5),
    "mixed": some_of([1, "1", 1.5, True, "x", b"x", 2]),
}
SCORES = {
    "integers": each(int, 5),
    "floats": each(lambda i: i / 4, 9, 0),
    "close floats": each(lambda i: 0.1 + i * 2**-55, 5),
    "beyond floats": each(lambda i: 2**53 + i, 3),
    "float far down": lambda rng, n: [*_integers(rng, n - 1, 5), 0.25],
    "decimals": each(lambda i: Decimal(i) / 8, 9),
    "long decimals": each(lambda i: Decimal(3 * 10**19 + i).scaleb(-20), 9),
}
GRADES = {
    "integers": each(int, 4, 0),
    "floats": each(lambda i: i / 2, 7, 0),
    "booleans": lambda rng, n: (rng.random(n) < 0.4).tolist(),
    "float far down": lambda rng, n: [*_integers(rng, n - 1, 3, 0), 0.25],
}
KINDS = {"qid": IDS, "doc": IDS, "y_true": GRADES, "y_score": SCORES}


class Case:
    """A table that was drawn: its form, its columns as lists, where its parts end."""

    def __init__(self, seed):
        self.seed = seed
        self.rng = rng = np.random.default_rng(seed)
        self.form = str(rng.choice(FORMS))
        n_rows = int(rng.integers(3, 40))
        plain = ["integers", "digits", "words"] if rng.random() < 0.3 else list(IDS)
        self.kinds = {
            name: str(rng.choice(plain if of is IDS else list(of)))
            for name, of in KINDS.items()
        }
        self.values = {
            name: of[self.kinds[name]](rng, n_rows) for name, of in KINDS.items()
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
        return {"doc_order": "descending", "ties": "first"} if self.has_doc else {}

    def expected(self):
        """Return the QueryScores of lists."""
        values = dict(self.values)
        if self.form == "csv":
            values = {name: as_read(name, column) for name, column in values.items()}
        values["y_true"] = [float(x) for x in values["y_true"]]
        if any(isinstance(x, Decimal) for x in values["y_score"]):
            values["y_score"] = [float(x) for x in values["y_score"]]
        params = self.params() | ({"doc_id": values["doc"]} if self.has_doc else {})
        arrays = values["y_true"], values["y_score"], METRICS
        return score_queries(*arrays, qid=values["qid"], **params)


def as_text(value):
    """Return what stands in a file of text."""
    return value if isinstance(value, str) else str(value)


def as_read(name, column):
    """Return ids of a file of text as text, and numbers as integers, if all are."""
    texts = list(map(as_text, column))
    if name in ("qid", "doc"):
        return texts
    if all(re.fullmatch(r"0|-?[1-9][0-9]{0,37}", text) for text in texts):
        return list(map(int, texts))
    if name == "y_true" and isinstance(column[0], bool):
        return column
    return list(map(float, texts))


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
        if form == "csv":
            _write_csv(case, part, files[-1])
        else:
            arrays = {name: case_array(case, name, part[name]) for name in part}
            pq.write_table(pa.table(arrays), files[-1])
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

        frame = pd.DataFrame({name: pd.Series(x) for name, x in case.values.items()})
        if case.rng.random() < 0.3:
            name = str(case.rng.choice(list(case.values)))
            frame[name] = pd.Series(case.values[name], dtype=object)
        return frame
    if case.form == "polars":
        return pl.DataFrame(case.values)
    arrays = {name: case_array(case, name, x) for name, x in case.values.items()}
    table = pa.table(arrays)
    return table.to_reader(7) if case.form == "stream" else table


class Silent(AssertionError):
    """A table that is scored differently from lists, or fails without a name."""


NAMED = re.compile(r"'(qid|doc|y_true|y_score)'|\.(csv|parquet)")


def outcome(seed, folder):
    """Return "equal", "refused" or "cannot be made"; raise if they differ."""
    case = Case(seed)
    what = f"{seed} {case.form} {case.kinds}"
    is_file = case.form in ("csv", "parquet")
    try:
        source = _write(case, folder) if is_file else _frame(case)
    except (pa.ArrowException, TypeError, OverflowError, pl.exceptions.PolarsError):
        return "cannot be made", case
    columns = {"doc_id": "doc"} if case.has_doc else {}
    try:
        scores = score_table(source, METRICS, **columns, **case.params())
    except Exception as error:
        if isinstance(error, (ValueError, OSError)) and NAMED.search(str(error)):
            return "refused", case
        raise Silent(f"{what}: {error!r}") from error
    if case.damage == "cut" and case.form != "parquet":
        return "equal", case  # less rows, or a number of less digits, are a table
    if case.damage in ("cut", "empty", "short"):
        raise Silent(f"{what}: damage {case.damage!r} was not seen")
    expected = case.expected()
    found, wanted = (
        np.sort(one.values[0].T.tolist(), axis=0) for one in (scores, expected)
    )
    if not np.array_equal(found, wanted):
        got = f"{found.sum(axis=0)} of {len(found)} queries"
        raise Silent(f"{what}: {got} is not {wanted.sum(axis=0)} of {len(wanted)}")
    one, other = scores.summary(), expected.summary()
    if any(abs(one[name] - other[name]) > 1e-15 for name in one):
        raise Silent(f"{what}: {one} is not {other}")
    return "equal", case


def main(n, first=0):
    """Score `n` tables and count what became of them."""
    warnings.simplefilter("ignore")
    counts = Counter()
    for seed in range(first, first + n):
        with tempfile.TemporaryDirectory() as folder:
            try:
                result, case = outcome(seed, Path(folder))
                counts[f"{case.form:8} {result}"] += 1
            except Silent as error:
                counts["differ silently"] += 1
                print(error, flush=True)
    for name, count in sorted(counts.items()):
        print(f"{name:24} {count}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
