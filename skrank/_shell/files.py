"""The judgements and runs that commands read."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import glob
import os
import re
import sys
from typing import NamedTuple

import numpy as np

from skrank._checks import check_count, check_number
from skrank._engine.names import TREC_EVAL
from skrank._ranking.ids import encode_qid
from skrank.evaluation.query_scores import QueryScores
from skrank.evaluation.saved_scores import is_saved
from skrank.tables.alignment import (
    align_sides,
    by_subtopic_of,
    lowest_judged,
    with_subtopics,
)
from skrank.tables.files import UnknownColumn, is_table_file
from skrank.tables.forms import RESULT, TRUTH, Names, is_trec, read_form
from skrank.tables.trec_text import read_open, read_qrels
from skrank.tables.triples import Triples

STDIN = "-"
# The columns of judgements in the form of BEIR, a file qrels/test.tsv.
BEIR = Names("query-id", "corpus-id", "score")
# Such as "P.5,10", as trec_eval takes it.
_CUTOFFS = re.compile(rf"({'|'.join(TREC_EVAL)})\.(\d+(?:,\d+)*)", re.ASCII)


def metrics_of(names):
    """Return metrics by name; "P.5,10" has two cutoffs, as in trec_eval."""
    found = []
    for name in names:
        match = _CUTOFFS.fullmatch(name)
        found += [f"{match[1]}_{k}" for k in match[2].split(",")] if match else [name]
    return found


class Side(NamedTuple):
    """Judgements or a run, as a command reads them.

    Attributes
    ----------
    triples : Triples
        The queries, documents and values.
    is_trec : bool
        Whether they come from a file of TREC.
    name : str
        What messages call them.
    tag : str or None
        The tag of a run of TREC.
    subtopics : tuple
        Of judgements by subtopic, whose values are numbers of documents, the values by
        document; see :func:`~skrank.tables.alignment.with_subtopics`.
    """

    triples: Triples
    is_trec: bool
    name: str
    tag: str | None = None
    subtopics: tuple = ()


def runs_of(options):
    """Return the paths of the runs, each file once.

    A pattern that the shell did not replace by the names of files is replaced here.
    """
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


def has_subtopics(options):
    """Return True if judgements are a file of TREC, which may have subtopics."""
    return is_trec(options.qrels)


def read_judgements(options, advance=lambda n_bytes: None, *, subtopics=False):
    """Return the :class:`Side` of the judgements, if asked for by subtopic."""
    path, grade = options.qrels, options.y_true
    is_named = {options.qid, options.doc_id, grade} != {None}
    is_of_beir = not is_named and not is_trec(path) and _is_of_beir(path)
    names = BEIR if is_of_beir else _columns(options, grade or "grade")
    if not subtopics:
        return _read_side(path, TRUTH, names, advance)
    if path == STDIN:
        raise ValueError(
            "Judgements by subtopic are read twice. Got the standard input: write them "
            "to a file."
        )
    side = _read_side(path, TRUTH, names, advance)
    of_lines = read_qrels(path, subtopics=True).subtopic
    convention = options.convention  # of several none decides what is judged
    convention = convention if isinstance(convention, str) else None
    lowest = lowest_judged(options.judged_from, convention)
    triples, *of_documents = with_subtopics(side.triples, of_lines, lowest)
    return side._replace(triples=triples, subtopics=tuple(of_documents))


def read_run(options, path, advance=lambda n_bytes: None):
    """Return the :class:`Side` of a run."""
    score, *more = options.y_score or ["score"]
    if more:
        raise ValueError(
            f"A run has one column of scores. Got --y-score {more[0]} too."
        )
    return _read_side(path, RESULT, _columns(options, score), advance)


def _columns(options, value):
    """Return the names of the columns of judgements or a run in a table."""
    return Names(options.qid or "qid", options.doc_id or "doc_id", value)


def _is_of_beir(path):
    """Return True if the first line of a file is that of judgements of BEIR."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.readline(80).split() == [name.encode() for name in BEIR]


def _read_side(path, form, names, advance):
    if is_trec(path):
        name = "standard input" if path == STDIN else path
        with _open(path) as file:
            watched = _Watched(file, advance)
            triples, tag = read_open(watched, name, form.format)
        return Side(triples, True, name, tag)
    with columns_named_by_options("Name"):
        triples = read_form(path, form._replace(name=path), names)
    advance(size_of(path))
    return Side(triples, False, path)


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
    """Return the scores of two files by the names of their rankers, the first first."""
    if len(options.run) != 1:
        options.fail("two files of scores are required: BASELINE and CANDIDATE")
    names = [name for name in _OF_RANKINGS if getattr(options, name) is not None]
    if names:
        raise ValueError(
            f"--{names[0].replace('_', '-')} goes with judgements and runs. Got "
            f"{options.qrels}, which has the scores of queries."
        )
    found = []
    paths = [options.qrels, *options.run]
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
    names = [scores.rankers[0] for scores in found]
    if None in names or names[0] == names[1]:
        names = paths
    return dict(zip(names, found, strict=True))


# The options of how rankings are scored, which is done where scores are read.
_OF_RANKINGS = [
    *("qid", "doc_id", "y_true", "y_score", "missing_queries", "judged_from", "depth"),
    *("names", "column", "convention", "relevance_level", "threshold", "ties"),
]


def aligned(options, truth, result, convention=None):
    """Return judgements and a run as :func:`~skrank.tables.align` does, and sentences.

    The sentences say what was done with ids of two types, and with tied documents.
    """
    judged_from, said = options.judged_from, []
    if judged_from is not None:
        judged_from = check_number(judged_from, "--judged-from", "skrank")
    if options.depth is not None:
        check_count(options.depth, "-M")
        is_trec_eval = convention == "trec_eval"
        top, n_cut = top_of_queries(result.triples, options.depth, is_trec_eval)
        result = result._replace(triples=top)
        if n_cut and not is_trec_eval:
            queries = f"{n_cut} {'query' if n_cut == 1 else 'queries'}"
            said.append(
                f"-M {options.depth} leaves out some of the tied documents of "
                f"{queries} of {result.name}: the last ids stay, as in trec_eval."
            )
    lowest = lowest_judged(judged_from, convention)
    if truth.subtopics:  # which know what is judged
        lowest = None
    rules = options.missing_queries or "zero", "drop", lowest
    sides, names = (truth[:2], result[:2]), (truth.name, result.name)
    found, change = align_sides(*sides, names, rules)
    if truth.subtopics:
        found = by_subtopic_of(found, *truth.subtopics)
    return found, [*said, change] if change else said


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


def names_of_runs(paths, tags, by):
    """Return a name for each run: its tag or its path.

    `by` is "tag", "path", or None for tags if every run has one of its own, and paths
    if not.
    """
    if by == "path":
        return list(paths)
    if None not in tags and len(set(tags)) == len(tags):
        return list(tags)
    if by is None:
        return list(paths)
    for path, tag in zip(paths, tags, strict=True):
        if tag is None or tags.count(tag) > 1:
            got = "none" if tag is None else f"{tag!r} more than once"
            raise ValueError(
                "--names tag needs runs of TREC that have different tags. "
                f"Got {got}, in {path}."
            )


def find_run(asked, names, paths, tags):
    """Return the name of the run that is asked for by its name, path, file or tag."""
    if asked in names:
        return asked
    found = [
        name
        for name, path, tag in zip(names, paths, tags, strict=True)
        if asked == tag or asked in _also_called(path)
    ]
    if len(found) != 1:
        which = f", which is {len(found)} of them" if found else ""
        raise ValueError(
            f"--baseline must be a run among {list(names)}. Got {asked!r}{which}."
        )
    return found[0]


def _also_called(path):
    """Return the path of a run, and its last part with endings and without."""
    name = os.path.basename(path)
    return {path, name, name.removesuffix(".gz"), name.partition(".")[0]}
