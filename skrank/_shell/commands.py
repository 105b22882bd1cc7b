"""The command line: evaluate and compare runs and tables of predictions."""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import contextlib
import inspect
import math
import re
import sys
import warnings

from sklearn.utils import Bunch

import skrank
from skrank._engine.answer import Arrays
from skrank._engine.columns import columns_of
from skrank._engine.conventions import CONVENTIONS, FROM_ONE
from skrank._engine.names import read_requests
from skrank._ranking.fusion import FUSION_METHODS, NORMS
from skrank._shell import files as shell
from skrank._text.tables import progress_bar, smaller_words
from skrank.evaluation.evaluate import score_requests
from skrank.tables import fuse, score_table
from skrank.tables.align import lacking_words
from skrank.tables.forms import is_trec
from skrank.tables.runs import text_of_run

# How a column that metrics read is named.
SUBTOPICS = "subtopics"
BY_OPTION = (
    "Name it by --column {name}=COLUMN, of one table with a row for each document."
)


def main(arguments=None):
    """Run a command and return its exit status.

    It is 0, 2 for bad input, or 130 after an interrupt by the keyboard. That of a gate
    is its decision.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments of the command line; if None, those of the process.
    """
    options = argparse.Namespace()
    try:
        options = make_parser().parse_args(arguments)
        with _warnings_said(options):
            found = options.command(options)
        text, status = found if isinstance(found, tuple) else (found, 0)
        shell.write(text if isinstance(text, bytes) else f"{text}\n", sys.stdout)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # a traceback helps nobody at a terminal
        is_known = isinstance(error, (ImportError, OSError, TypeError, ValueError))
        kind = "" if is_known and str(error) else f"{type(error).__name__}: "
        words = re.sub(r"^\[Errno \d+\] ", "", str(error))
        shell.say(f"{kind}{words}", options, getattr(error, "parameters", ()))
        return 2
    return status


@contextlib.contextmanager
def _warnings_said(options):
    """Say each warning of a command in one line, when it comes."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for of_developers in (DeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", of_developers)
        warnings.showwarning = lambda message, *_, **__: shell.say(
            f"warning: {message}", options
        )
        yield


def _evaluate(options):
    """Print the metrics of runs.

    skrank evaluate qrels.txt bm25.run dense.run -m ndcg@10 -m recall@100
    """
    shell.check_writable(options.by_query)
    shell.check_writable(options.save, "--save")
    scored, *_ = _score(options)
    if options.save is not None:
        shell.save(options.save, scored)
    return _printed(options, scored)


def _printed(options, scored):
    """Return the means of rankers as text, or their values by query."""
    metrics = next(iter(scored.values())).metrics
    by_query, form = options.by_query, options.form
    if by_query == shell.STDOUT:
        header, rows = shell.rows_of_queries(scored)
        if form != "json":
            return shell.printed(form, header, rows)
        found = {name: {} for name in scored}
        for name, qid, *values in rows:
            found[name][qid] = dict(zip(metrics, values, strict=True))
        return shell.as_json(found)
    if by_query is not None:
        shell.write_queries(by_query, scored)
    means = {name: scores.table.summaries()[0] for name, scores in scored.items()}
    if form == "json":
        return shell.as_json(
            {name: dict(zip(metrics, one, strict=True)) for name, one in means.items()}
        )
    rows = [[name, *one] for name, one in means.items()]
    text = shell.printed(form, ["ranker", *metrics], rows)
    if form != "csv":
        text += smaller_words(next(iter(scored.values())).table.smaller, "\n\n({})")
    return text


def _compare(options):
    """Compare runs on the same queries: differences, intervals and p-values.

    skrank compare qrels.txt bm25.run dense.run -m ndcg@10 --baseline bm25
    """
    scored, paths, tags = _score(options)
    if len(scored) < 2:
        options.fail(
            "two runs are required, or a table and --y-score for two columns, or two "
            "files of evaluate --save" + shell.same_twice(options)
        )
    baseline = options.baseline
    if baseline is not None:
        names = [shell.find_run(one, list(scored), paths, tags) for one in baseline]
        baseline = list(dict.fromkeys(names))
    comparison = skrank.stats.compare_rankers(  # which is loaded when it is used
        scored,
        baseline=baseline,
        test=options.test,
        correction=None if options.correction == "none" else options.correction,
        margin=options.margin,
        confidence_level=options.confidence_level,
    )
    if options.form == "json":
        rankers, rows = map(list, (comparison.intervals.rows, comparison.rows))
        return shell.as_json({"rankers": rankers, "differences": rows})
    if options.form == "csv":
        rows = comparison.rows
        return shell.printed("csv", list(rows[0]), [row.values() for row in rows])
    forms = {"markdown": comparison.to_markdown, "latex": comparison.to_latex}
    return forms.get(options.form, comparison.__str__)()


def _gate(options):
    """Decide whether a candidate is worse than a baseline by a margin.

    skrank gate qrels.txt main.run branch.run -m ndcg@10 --margin 0.02

    The exit status is 0 if it is not, 1 if it is, 2 after an error, and 3 if the
    queries are too few to decide. The baseline is the first run.
    """
    scored, *_ = _score(options)
    if len(scored) != 2:
        options.fail(
            "two runs are required, the baseline and the candidate, or two files of "
            "evaluate --save" + shell.same_twice(options)
        )
    found = skrank.stats.gate(  # which is loaded when it is used
        scored,
        baseline=next(iter(scored)),
        margin=options.margin,
        test=options.test,
        confidence_level=options.confidence_level,
    )
    if options.form == "json":
        about = {"decision": found.decision, "status": found.status}
        return shell.as_json(about | vars(found)), found.status
    text = found.to_markdown() if options.form == "markdown" else str(found)
    return text, found.status


def _score(options):
    """Return the scores of each run by its name, the paths of the runs and their tags.

    Each run has a QueryScores of its own, since their queries may be different.
    """
    if shell.has_scores(options):
        return shell.saved_scores(options)
    requests = _requests(options)  # wrong names are found before large files are read
    columns = _columns_read(options, requests)
    if shell.has_rows(options):
        return _score_rows(options, **columns)
    if not options.run:
        options.fail("the following arguments are required: RUN")
    paths, tags, found = shell.runs_of(options), [], []
    n_bytes = sum(map(shell.size_of, [options.qrels, *paths]))
    with progress_bar(n_bytes or None, "B", unit_scale=True) as advance:

        def half(n_bytes):  # of the time is for reading, about
            advance(n_bytes / 2)

        subtopics = SUBTOPICS in columns
        truth = shell.load_judgements(options, half, subtopics=subtopics)
        half(shell.size_of(options.qrels))
        for path in paths:  # one at a time: they may be large
            result = shell.load_run(options, path, half)
            rows = shell.aligned(options, truth, result, options.convention)
            if words := lacking_words(result.name, rows.qid, rows.returned):
                shell.say(words, options)
            columns = {name: rows.pop(name) for name in columns}
            arrays = Arrays(**rows, columns=columns)
            found.append(score_requests(requests, arrays, {None: rows.y_score}))
            tags.append(result.tag)
            half(shell.size_of(path))
    names = shell.names_of_runs(paths, tags)
    return dict(zip(names, found, strict=True)), paths, tags


def _metrics(options):
    return shell.metrics_of(options.metric or options.default_metrics)


def _params(options):
    """Return the parameters of metrics that were given."""
    threshold = options.threshold
    if options.relevance_level is not None:
        threshold = math.nextafter(options.relevance_level, -math.inf)
    given = {
        "convention": options.convention,
        "ties": options.ties,
        "threshold": threshold,
    }
    return {name: value for name, value in given.items() if value is not None}


def _requests(options):
    """Return the requests for the metrics."""
    params = _params(options)
    requests = read_requests(_metrics(options), params, "evaluate")
    if options.relevance_level is None or options.convention != "trec_eval":
        return requests
    # Its NDCG reads all grades, whatever the level.
    return [
        one.changed(threshold=FROM_ONE) if one.metric.name in ("dcg", "ndcg") else one
        for one in requests
    ]


def _columns_read(options, requests):
    """Return the columns of a table that the requested metrics read, by their names."""
    given = {}
    for text in options.column or ():
        name, _, column = text.partition("=")
        if not (name and column):
            raise ValueError(
                "--column must be NAME=COLUMN, such as popularity=n_ratings. Got "
                f"{text!r}."
            )
        if not shell.has_rows(options):
            raise ValueError(
                "--column names a column of a table with a row for each document. Got "
                f"{text!r} for judgements and runs."
            )
        given[name] = column
    of_judgements = {}
    if not shell.has_rows(options) and is_trec(options.qrels):
        of_judgements[SUBTOPICS] = options.qrels
    found = columns_of(requests, given | of_judgements, "skrank", how=BY_OPTION)
    for name in given.keys() - found.keys():
        names = [request.key for request in requests]
        raise ValueError(f"None of {names} reads the column {name!r} of --column.")
    if shell.has_rows(options) and not any(one.reads_grades for one in requests):
        found["y_true"] = options.y_true
    return found


def _score_rows(options, **columns):
    """Return what :func:`_score` does, for a table with a row for each document."""
    for option, is_given in {
        "-M": options.depth is not None,
        "--missing-queries": options.missing_queries is not None,
        "--exclude-same-id": options.exclude_same_id is not None,
        "--duplicates": options.duplicates is not None,
        # Its NDCG needs requests of its own.
        "-l of trec_eval": options.convention == "trec_eval"
        and options.relevance_level is not None,
    }.items():
        if is_given:
            raise ValueError(f"{option} goes with runs. Got a table, {options.qrels}.")
    given = columns | {
        name: getattr(options, name)
        for name in ("qid", "y_true", "y_score", "doc_id", "judged_from")
        if getattr(options, name) is not None
    }
    if len(options.y_score or ()) == 1:
        (given["y_score"],) = options.y_score
    with shell.columns_named_by_options("Without RUN this is a table of rows: name"):
        scores = score_table(
            options.qrels, _metrics(options), **given, **_params(options)
        )
    names = scores.rankers
    if names == (None,):
        return {options.qrels: scores}, [options.qrels], [None]
    return {name: scores[name] for name in names}, names, [None] * len(names)


def _fuse(options):
    """Fuse runs into one, and print it in the format of TREC.

    skrank fuse bm25.run dense.run > fused.run
    """
    paths = shell.runs_of(options)
    if len(paths) < 2:
        options.fail(f"two runs are required{shell.same_twice(options)}")
    found = [shell.load_run(options, path).triples for path in paths]
    runs = {
        path: Bunch(**one._asdict()) for path, one in zip(paths, found, strict=True)
    }
    how = options.method
    return text_of_run(fuse(runs, how, norm=options.norm, score="value"), how)


DEFAULT_METRICS = ["map", "mrr", "ndcg@10", "precision@10", "recall@100"]

_RUNS = """\
RUN is a text file of TREC, packed (.gz) or not, with the fields query, Q0, document,
rank, score and tag; a Parquet or CSV file with the columns qid, doc_id and score; or a
JSON file: {query: {document: score}} or {query: [documents]}. "-" is a file of TREC on
the standard input. The score alone orders the documents, the rank is not read.
"""

_FILES = """\
Ids of text files are text, as which integers of Parquet files are compared with them.
QRELS is such a file, with the fields query, iteration, document and grade, or the
columns qid, doc_id and grade, or query-id, corpus-id and score, as those of BEIR.

Metrics have the names of skrank, such as "ndcg@10" and "rbp(p=0.5)", or of trec_eval:
map, ndcg, bpref, recip_rank, gm_map, Rprec, ndcg_cut_10, P_10, recall_100,
success_5, P.5,10. Any cutoff is allowed. Without --convention tied documents count by
the expectation over their orderings and the gain of a grade is 2 ** grade - 1. With
--convention trec_eval the values are those of trec_eval -c.

Instead of QRELS and RUN there may be one table, a Parquet or CSV file or a directory of
them, with a row for each document of a query and the columns qid, y_true and y_score;
or files of evaluate --save.
"""


def make_parser():
    """Return the parser of the command line."""
    parser = _Parser(
        prog="skrank",
        description="Evaluate rankings: the runs of search engines and recommenders.",
        epilog="skrank COMMAND --help describes a command.",
        allow_abbrev=False,
    )
    version = f"skrank {skrank.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    _add_evaluate(commands)
    _add_fuse(commands)
    _add_compare(commands)
    _add_gate(commands)
    return parser


def _add_evaluate(commands):
    one = _add(commands, _evaluate)
    _add_runs(one, DEFAULT_METRICS)
    one.add_argument(
        "--save",
        metavar="FILE",
        help="also save the scores of one run to a file .parquet, for skrank gate and "
        "QueryScores.load",
    )
    one.add_argument(
        "--by-query",
        nargs="?",
        const=shell.STDOUT,
        metavar="FILE",
        help="also write the values of each query to a file .csv or .parquet; without "
        "FILE or with '-', print them instead of the means",
    )
    _add_forms(one, csv="print CSV with all digits of the values")


def _add_fuse(commands):
    one = _add(commands, _fuse, judged=False)
    one.add_argument("run", nargs="*", metavar="RUN", help="what systems returned")
    rrf = {"default": "rrf", "help": "(default: rrf)"}
    one.add_argument("--method", choices=FUSION_METHODS, **rrf)
    about = "what makes the scores of runs comparable before sum, mnz or max"
    one.add_argument("--norm", choices=NORMS[1:], help=about)


def _add_compare(commands):
    one = _add(commands, _compare)
    _add_runs(one, ["ndcg@10"])
    one.add_argument(
        "--baseline",
        action="append",
        metavar="RUN",
        help="the run that all others are compared with: its name, path or tag; "
        "repeated, several such runs; without it all pairs are compared",
    )
    one.add_argument(
        "--correction",
        default="max-t",
        metavar="NAME",
        help="for the number of comparisons: max-t (the default) or none",
    )
    one.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="DIFFERENCE",
        help="test whether differences are smaller than this one (default: 0, which "
        "tests whether there are any)",
    )
    _add_test(one, "the level of the intervals; 1 less it is that of the tests")
    forms = _add_forms(one, csv="print the differences as CSV with all digits")
    _add_form(forms, "latex", "print tables in LaTeX")


def _add_gate(commands):
    one = _add(commands, _gate)
    _add_runs(one, ["ndcg@10, or all of a file of scores"])
    one.add_argument(
        "--margin",
        type=margin,
        action="append",
        required=True,
        metavar="DIFFERENCE",
        help="a loss of the metric that does not matter, such as 0.01, or 2%% of the "
        "mean of the baseline; can be repeated, once for each metric",
    )
    _add_test(one, "how sure a decision must be")
    forms = one.add_mutually_exclusive_group()
    _add_form(forms, "json", "print JSON with all digits")
    _add_form(forms, "markdown", "print a summary for a pull request")
    one.set_defaults(form="text", default_metrics=["ndcg@10"])


def margin(text):
    """Return a margin as a number, or in per cent; argparse names this function."""
    return text if text.endswith("%") else float(text)


def _add(commands, function, judged=True):
    """Add the command of a function with the options that all commands have."""
    about = inspect.getdoc(function)
    command = commands.add_parser(
        function.__name__.removeprefix("_"),
        help=about.partition("\n")[0],
        description=about,
        epilog=_RUNS + _FILES * judged,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=function, fail=command.error, qrels=None)
    columns = {"qid": "query ids", "doc-id": "document ids", "y-true": "grades"}
    for name, what in columns.items():
        if judged or name != "y-true":
            about = f"the column of the {what} in tables"
            command.add_argument(f"--{name}", metavar="COLUMN", help=about)
    command.add_argument(
        "--y-score",
        action="append",
        metavar="COLUMN",
        help="the column of the scores in tables"
        + "; can be repeated for a table of rows with the scores of several rankers"
        * judged,
    )
    command.add_argument(
        "--duplicates",
        choices=("raise", "best", "miss"),
        help="a document that a run has twice for a query is an error (the default), "
        "or counts with its best score, as where passages stand for their documents; "
        "or all but its best place count as misses",
    )
    if judged:
        _add_judgements(command)
        _add_rules(command)
    return command


def _add_judgements(command):
    command.add_argument("qrels", metavar="QRELS", help="the relevance judgements")
    command.add_argument(
        "--missing-queries",
        choices=("zero", "drop", "raise"),
        help="judged queries that the run lacks count 0 (zero, as trec_eval -c; the "
        "default), are left out (drop, as trec_eval without -c), or are an error",
    )
    command.add_argument(
        "--judged-from",
        type=float,
        metavar="GRADE",
        help="documents with a lower grade are not judged; 0 with the convention "
        "trec_eval",
    )
    command.add_argument(
        "--exclude-same-id",
        action=argparse.BooleanOptionalAction,
        help="a document with the id of its query is taken out of a run, as with the "
        "convention beir",
    )
    command.add_argument(
        "-M",
        "--depth",
        type=int,
        metavar="DEPTH",
        help="only the top DEPTH documents of each query of a run count, as in "
        "trec_eval -M",
    )
    command.add_argument(
        "--column",
        action="append",
        metavar="NAME=COLUMN",
        help="the column of a table of rows that metrics read under a name, such as "
        "popularity=n_ratings for neg_popularity@10; can be repeated",
    )


def _add_runs(command, metrics):
    command.add_argument("run", nargs="*", metavar="RUN", help="what systems returned")
    command.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="METRIC",
        help=f"such as ndcg@10; can be repeated (default: {', '.join(metrics)})",
    )
    command.set_defaults(default_metrics=metrics)


def _add_test(command, what):
    command.add_argument(
        "--test",
        default="auto",
        metavar="NAME",
        help="auto (the default: score for hits, else permutation) or another test of "
        "skrank.stats.compare_rankers or gate, such as t",
    )
    command.add_argument(
        "--confidence-level",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help=f"{what} (default: 0.95)",
    )


def _add_rules(command):
    command.add_argument(
        "--convention",
        metavar="NAME",
        help="the library whose rules are followed: " + ", ".join(sorted(CONVENTIONS)),
    )
    relevant = command.add_mutually_exclusive_group()
    relevant.add_argument(
        "-l",
        "--relevance-level",
        type=float,
        metavar="GRADE",
        help="documents with this grade or a higher one are relevant, as in "
        "trec_eval -l",
    )
    relevant.add_argument(
        "--threshold",
        type=float,
        metavar="GRADE",
        help="documents with a higher grade than this are relevant (default: 0)",
    )
    command.add_argument(
        "--ties",
        metavar="NAME",
        help="how tied documents count: expected (the default), optimistic, "
        "pessimistic, or first, in the order of the file",
    )


def _add_forms(command, csv):
    forms = command.add_mutually_exclusive_group()
    _add_form(forms, "json", "print JSON with all digits of the values")
    _add_form(forms, "csv", csv)
    _add_form(forms, "markdown", "print tables in Markdown")
    command.set_defaults(form="text")
    return forms


def _add_form(forms, name, help):
    forms.add_argument(
        f"--{name}", action="store_const", const=name, dest="form", help=help
    )


class _Parser(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        """Return the options; runs may also stand behind or between options."""
        options, more = self.parse_known_args(args, namespace)
        is_option = [word.startswith("-") and word != shell.STDOUT for word in more]
        if any(is_option):
            self.error(f"unrecognized arguments: {' '.join(more)}")
        given = vars(options)
        return argparse.Namespace(**given | {"run": [*given["run"], *more]})

    def error(self, message):
        """Exit with one line instead of the whole usage."""
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")

    def _print_message(self, message, file=None):
        shell.write(message, file or sys.stderr)
