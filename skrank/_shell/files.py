"""What the command line reads and what it prints."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import csv
import glob
import io
import json
import math
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skrank._engine.names import TREC_EVAL
from skrank._input.checks import check_count, check_number
from skrank._ranking.ids import encode_qid
from skrank._text.tables import TEXT, Table, as_markdown, import_extra
from skrank.evaluation.query_scores import QueryScores
from skrank.evaluation.saved_scores import is_saved, whole_file
from skrank.tables.align import (
    align_triples,
    best_of_each,
    by_subtopic_of,
    has_other_id,
    rule_of_all,
    with_subtopics,
)
from skrank.tables.forms import RESULT, TRUTH, Names, is_trec, read_form
from skrank.tables.source import UnknownColumn, is_table_file
from skrank.tables.trec_text import Triples, read_open, read_qrels

STDIN = "-"
# Such as "P.5,10", as trec_eval takes it.
_CUTOFFS = re.compile(rf"({'|'.join(TREC_EVAL)})\.(\d+(?:,\d+)*)", re.ASCII)


def metrics_of(names):
    """Return metrics by name; "P.5,10" has two cutoffs, as in trec_eval."""
    found = []
    for name in names:
        match = _CUTOFFS.fullmatch(name)
        found += [f"{match[1]}_{k}" for k in match[2].split(",")] if match else [name]
    return found


class Loaded(NamedTuple):
    """Judgements or a run, as a command reads them."""

    triples: Triples
    name: str  # for messages
    tag: str | None = None  # of a run of TREC
    # Of judgements by subtopic the values by document that `with_subtopics` returns.
    subtopics: tuple = ()


def runs_of(options):
    """Return the paths of the runs, each file once, also of patterns."""
    found = []
    for path in options.run:
        is_pattern = glob.has_magic(path) and not os.path.exists(path)
        found += (is_pattern and sorted(glob.glob(path, recursive=True))) or [path]
    if [options.qrels, *found].count(STDIN) > 1:
        raise ValueError("Only one of QRELS and RUN can be '-'. Got several.")
    first = {}
    for path in found:
        first.setdefault(os.path.realpath(path), path)
    return list(first.values())


def same_twice(options):
    """Return the words for one file that is all the runs, or nothing."""
    several = options.run and len(options.run) > 1
    if several and len({*map(os.path.realpath, options.run)}) == 1:
        return f". Got the same file twice: {options.run[0]}"
    return ""


def load_judgements(options, advance=lambda n_bytes: None, *, subtopics=False):
    """Return the judgements, if asked for by subtopic, as :class:`Loaded`."""
    path, grade = options.qrels, options.y_true or "grade"
    names = Names(options.qid or "qid", options.doc_id or "doc_id", grade)
    if not subtopics:
        return _read_side(path, TRUTH, names, advance)
    if path == STDIN:
        raise ValueError(
            "Judgements by subtopic are read twice. Got the standard input: write them "
            "to a file."
        )
    side = _read_side(path, TRUTH, names, advance)
    of_lines = read_qrels(path, subtopics=True).subtopic
    lowest = rule_of_all("judged_from", options.judged_from, options.convention)
    triples, *of_documents = with_subtopics(side.triples, of_lines, lowest)
    return side._replace(triples=triples, subtopics=tuple(of_documents))


def load_run(options, path, advance=lambda n_bytes: None):
    """Return a run as :class:`Loaded`."""
    score, *more = options.y_score or ["score"]
    if more:
        raise ValueError(
            f"A run has one column of scores. Got --y-score {more[0]} too."
        )
    names = Names(options.qid or "qid", options.doc_id or "doc_id", score)
    run, rule = _read_side(path, RESULT, names, advance), options.duplicates or "raise"
    return run._replace(triples=best_of_each(run.triples, rule))


def _read_side(path, form, names, advance):
    """Return what stands in a file as :class:`Loaded`."""
    if is_trec(path):
        name = "standard input" if path == STDIN else path
        with _open(path) as file:
            watched = _Watched(file, advance)
            triples, tag = read_open(watched, name, form.format)
        return Loaded(triples, name, tag)
    with columns_named_by_options("Name"):
        triples = read_form(path, form._replace(name=path), names)
    advance(size_of(path))
    return Loaded(triples, path)


def _open(path):
    """Return a file that is read as bytes; the standard input stays open."""
    if path != STDIN:
        return open(path, "rb")
    if sys.stdin is None:
        raise ValueError("The standard input ('-') is closed.")
    return contextlib.nullcontext(sys.stdin.buffer)


class _Watched:
    """A file that says how many bytes of it are read."""

    def __init__(self, file, advance):
        self._file, self._advance = file, advance

    def read(self, n_bytes):
        data = self._file.read(n_bytes)
        self._advance(len(data))
        return data


def size_of(path):
    """Return the bytes of a file, or 0 where they are not known."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


@contextlib.contextmanager
def columns_named_by_options(how):
    """Say after an error of an unknown column which options name the columns."""
    try:
        yield
    except UnknownColumn as error:
        raise ValueError(
            f"{error} {how} the columns by --qid, --doc-id, --y-true and --y-score."
        ) from None


def has_rows(options):
    """Return True if one table with a row for each document is all that is read."""
    path = options.qrels
    is_table = path != STDIN and (is_table_file(path) or os.path.isdir(path))
    return not options.run and is_table


def has_scores(options):
    """Return True if what is read are scores that were saved, instead of rankings."""
    path = options.qrels
    return os.path.isfile(path) and is_saved(path)


def saved_scores(options):
    """Return the scores of files by their rankers, the paths and the rankers."""
    names = [name for name in _OF_RANKINGS if getattr(options, name) is not None]
    if names:
        raise ValueError(
            f"--{names[0].replace('_', '-')} goes with judgements and runs. Got "
            f"{options.qrels}, which has the scores of queries."
        )
    found = []
    paths = [options.qrels, *runs_of(options)]
    for path in paths:
        scores = QueryScores.load(path)
        if len(scores.rankers) > 1:
            raise ValueError(
                f"A file of scores must have one ranker. Got {[*scores.rankers]} in "
                f"{path}."
            )
        asked = metrics_of(options.metric or (found or [scores])[0].metrics)
        lacking = [name for name in asked if name not in scores.metrics]
        if lacking:
            raise ValueError(
                f"The file {path} has the metrics {[*scores.metrics]}. Got "
                f"{lacking[0]!r}."
            )
        found.append(scores[asked])
    tags = [scores.rankers[0] for scores in found]
    return dict(zip(names_of_runs(paths, tags), found, strict=True)), paths, tags


# The options of how rankings are scored, which is done where scores are read.
_OF_RANKINGS = [
    *("qid", "doc_id", "y_true", "y_score", "missing_queries", "judged_from", "depth"),
    *("exclude_same_id", "column", "convention", "relevance_level"),
    *("threshold", "ties", "duplicates"),
]


def aligned(options, truth, result, convention=None):
    """Return judgements and a run as :func:`~skrank.tables.align` does."""
    judged_from = options.judged_from
    if judged_from is not None:
        judged_from = check_number(judged_from, "--judged-from", "skrank")
    same = rule_of_all("exclude_same_id", options.exclude_same_id, convention)
    if options.depth is not None:
        check_count(options.depth, "-M")
        if same:
            others = has_other_id(result.triples, result.triples.qid)
            others = Triples(*(column[others] for column in result.triples))
            result = result._replace(triples=others)
        is_trec_eval = convention == "trec_eval"
        top, n_cut = top_of_queries(result.triples, options.depth, is_trec_eval)
        result = result._replace(triples=top)
        if n_cut and not is_trec_eval:
            queries = f"{n_cut} {'query' if n_cut == 1 else 'queries'}"
            say(
                f"-M {options.depth} leaves out some of the tied documents of "
                f"{queries} of {result.name}: the last ids stay, as in trec_eval.",
                options,
            )
    lowest = rule_of_all("judged_from", judged_from, convention)
    if truth.subtopics:  # which know what is judged
        lowest = None
    rules = options.missing_queries or "zero", "drop", lowest, same
    runs = {result.name: result.triples}
    found = align_triples(truth.triples, runs, *rules, name=truth.name)
    return by_subtopic_of(found, *truth.subtopics) if truth.subtopics else found


def top_of_queries(triples, depth, in_single_precision=False):
    """Return the `depth` documents of each query with the highest scores.

    Tied documents are in descending order of their ids, as in trec_eval. The second
    value is the number of queries in which some of them were left out and others not.
    """
    _, query = encode_qid(triples.qid)
    score = triples.value
    if in_single_precision:
        score = score.astype(np.float32)
    order = np.lexsort((triples.doc_id, score, query))[::-1]
    query, score = query[order], score[order]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    sizes = np.diff(starts, append=len(query))
    rank = np.arange(len(query)) - np.repeat(starts, sizes)
    last = starts[sizes > depth] + depth - 1
    n_cut = int((score[last] == score[last + 1]).sum())
    rows = np.sort(order[rank < depth])  # as they stand in the file
    return Triples(*(column[rows] for column in triples)), n_cut


def names_of_runs(paths, tags):
    """Return the tags of runs if all of them differ, else their paths."""
    are_different = None not in tags and len(set(tags)) == len(tags)
    return list(tags if are_different else paths)


def find_run(asked, names, paths, tags):
    """Return the name of the run that is asked for by its name, path, file or tag."""
    if asked in names:
        return asked
    found = []
    for name, path, tag in zip(names, paths, tags, strict=True):
        file = os.path.basename(path)
        short = file.removesuffix(".gz"), file.partition(".")[0]
        if asked in (tag, path, file, *short):
            found.append(name)
    if len(found) != 1:
        which = f", which is {len(found)} of them" if found else ""
        raise ValueError(
            f"--baseline must be a run among {list(names)}. Got {asked!r}{which}."
        )
    return found[0]


STDOUT = "-"


def say(message, options, parameters=()):
    """Write one line to the errors; the `parameters` in it are named as options."""
    words = " ".join(str(message).split())
    for name in parameters:
        option = f"--{name.replace('_', '-')}"
        if name in vars(options):
            head, _, rest = words.partition(" must ")
            if head.startswith(f"The '{name}' parameter"):
                words = f"{option} must {rest}"
            words = words.replace(f"{name}=", f"{option}=").replace(f"`{name}`", option)
    with contextlib.suppress(OSError):
        write(f"skrank: {words}\n", sys.stderr)


def write(text, stream):
    r"""Write text to the output or the errors, quietly if nobody reads them any more.

    A character that the terminal does not have is written as its number: "\xe4". Bytes
    are written as they are.
    """
    if stream is None:  # Python has none if it was closed before
        raise OSError("The standard output is closed.")
    if isinstance(text, bytes):
        stream = stream.buffer
    else:
        encoding = getattr(stream, "encoding", None) or "utf-8"
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # Python would write what is left once more at its end, and fail once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise


def printed(form, header, rows):
    """Return rows as "text" or "markdown", or with all digits as "csv"."""
    if form == "csv":
        file = io.StringIO()
        write_csv(file, header, rows)
        return file.getvalue().removesuffix("\n")
    cells = [
        [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in rows
    ]
    if form == "markdown":
        return as_markdown("", [Table(header, cells)])
    return str(Table(header, cells, (*TEXT, "qid")))


def as_json(data):
    """Return data as JSON: null for what is undefined, "inf" and "-inf"."""
    return json.dumps(_finite(data), indent=2)


def _finite(data):
    if isinstance(data, dict):
        return {str(name): _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None if math.isnan(data) else str(float(data))
    return data


def write_csv(file, header, rows):
    """Write rows to an open file of text."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def rows_of_queries(scored):
    """Return the header and the rows of the values of queries, as they count."""
    metrics = next(iter(scored.values())).metrics
    rows = []
    for name, scores in scored.items():
        columns = scores.keys["qid"].tolist(), *scores.values[0].tolist()
        rows += [(name, *row) for row in zip(*columns, strict=True)]
    return ["ranker", "qid", *metrics], rows


def check_writable(path, option="--by-query"):
    """Raise if no file of this name can be written."""
    if path is None or (path == STDOUT and option == "--by-query"):
        return
    if option == "--save" and Path(path).suffix != ".parquet":
        raise ValueError(f"The file of --save must end in .parquet. Got {path!r}.")
    if Path(path).suffix not in (".csv", ".parquet"):
        raise ValueError(
            "The file of --by-query must end in .csv or .parquet, or be '-' for the "
            f"standard output. Got {path!r}."
        )
    if Path(path).suffix == ".parquet":
        import_extra("pyarrow")
    if os.path.isdir(path):
        raise IsADirectoryError(21, "Is a directory", path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "No such file or directory", folder)


def save(path, scored):
    """Save the scores of one run, which keeps its name, for `QueryScores.load`."""
    if len(scored) > 1:
        raise ValueError(f"--save takes the scores of one run. Got {[*scored]}.")
    ((name, scores),) = scored.items()
    table = scores.table._replace(rankers=(name,))
    replace(scores, table=table).save(path)


def write_queries(path, scored):
    """Write the values of queries to a file, the whole of it or nothing."""
    with whole_file(path) as file:
        if Path(path).suffix == ".csv":
            # Ids that are not UTF-8 are written as they were read.
            kept = {"encoding": "utf-8", "errors": "surrogateescape"}
            with io.TextIOWrapper(file, newline="", **kept) as text:
                write_csv(text, *rows_of_queries(scored))
            return
        pyarrow, tables = import_extra("pyarrow"), []
        for name, scores in scored.items():
            qid, (values,) = scores.keys["qid"], scores.values
            columns = {"ranker": [name] * len(qid), "qid": qid}
            columns |= dict(zip(scores.metrics, values, strict=True))
            tables.append(pyarrow.table(columns))
        parquet = import_extra("pyarrow.parquet")
        parquet.write_table(pyarrow.concat_tables(tables), file)
