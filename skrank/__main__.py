"""The command line: evaluate the run files of TREC."""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import contextlib
import csv
import json
import math
import os
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import skrank
from skrank._checks import check_number, import_extra
from skrank._progress import progress_bar
from skrank._text_tables import table
from skrank.metrics import (
    CONVENTIONS,
    evaluate,
    explain,
    score_queries,
    tie_report,
)
from skrank.metrics.evaluation import read_requests
from skrank.tables.alignment import align_run, lowest_judged
from skrank.tables.forms import TRUTH, Names, is_trec, read_form

_TRUTH_COLUMNS = Names("qid", "doc_id", "grade")
_RESULT_COLUMNS = Names("qid", "doc_id", "score")

METRICS = ["map", "mrr", "ndcg@10", "precision@10", "recall@100"]

_FILES = """\
QRELS and RUN are text files of TREC, packed (.gz) or not, with fields separated by
spaces or tabs:
  QRELS  query iteration document grade
  RUN    query Q0 document rank score tag
or Parquet, CSV or JSON files with the columns qid, doc_id and grade, or score.
The score alone orders the documents, the rank is not read. The ids of a file of TREC
are text; they meet the integers of another file.

Metrics have the names of skrank, such as "ndcg@10" and "rbp(p=0.5)", or of trec_eval:
map, ndcg, bpref, recip_rank, gm_map, Rprec, ndcg_cut_10, P_10, recall_100, success_5.
Any cutoff is allowed. Without --convention tied documents count by the expectation over
their orderings and the gain of a grade is 2 ** grade - 1. With --convention trec_eval
the values are those of trec_eval -c.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        """Exit with one line instead of the whole usage."""
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")

    def _print_message(self, message, file=None):
        _write(message, file or sys.stderr)


def main(arguments=None):
    """Run a command and return its exit status.

    It is 0, 2 for bad input, or 130 after an interrupt by the keyboard.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments of the command line; if None, those of the process.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for of_developers in (DeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", of_developers)
        warnings.showwarning = lambda message, *_, **__: _say(f"warning: {message}")
        try:
            options = _parser().parse_args(arguments)
            _write(f"{options.command(options)}\n", sys.stdout)
        except KeyboardInterrupt:
            return 130
        except Exception as error:  # a traceback helps nobody at a terminal
            is_known = isinstance(error, (ImportError, OSError, TypeError, ValueError))
            kind = "" if is_known and str(error) else f"{type(error).__name__}: "
            _say(f"{kind}{error}")
            return 2
    return 0


def _say(message):
    """Write one line to the errors, if they can be written."""
    with contextlib.suppress(OSError):
        _write(f"skrank: {' '.join(str(message).split())}\n", sys.stderr)


def _write(text, stream):
    r"""Write text to the output or the errors, quietly if nobody reads them any more.

    A character that the terminal does not have is written as its number: "\xe4".
    """
    if stream is None:  # Python has none if it was closed before
        return
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


def _parser():
    parser = _Parser(
        prog="skrank",
        description="Evaluate rankings: the runs of search engines and recommenders.",
        epilog="skrank COMMAND --help describes a command.",
    )
    version = f"skrank {skrank.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    one = _add(commands, "evaluate", _evaluate, "Print the metrics of runs.")
    one.add_argument("run", nargs="+", metavar="RUN", help="what systems returned")
    _add_metric(one, METRICS)
    _add_convention(one)
    one.add_argument(
        "--by-query",
        metavar="FILE",
        help="also write the values of each query to a file .csv or .parquet",
    )
    one.add_argument(
        "--json", action="store_true", help="print JSON with all digits of the values"
    )

    one = _add(
        commands,
        "explain",
        _explain,
        "Explain why a metric has another value in another library.",
    )
    one.add_argument("run", metavar="RUN", help="what a system returned")
    one.add_argument(
        "-m", "--metric", required=True, metavar="METRIC", help="such as ndcg@10"
    )
    _add_convention(one, action="append", default=[])

    one = _add(commands, "ties", _ties, "Report how much tied scores change metrics.")
    one.add_argument("run", metavar="RUN", help="what a system returned")
    _add_metric(one, METRICS)
    _add_convention(one)
    return parser


def _add(commands, name, function, help):
    """Add a command with the options that all commands have."""
    command = commands.add_parser(
        name,
        help=help,
        description=help,
        epilog=_FILES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=function)
    command.add_argument("qrels", metavar="QRELS", help="the relevance judgements")
    command.add_argument(
        "--missing-queries",
        choices=("zero", "drop", "raise"),
        default="zero",
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
    return command


def _add_metric(command, default):
    command.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="METRIC",
        help=f"such as ndcg@10; can be repeated (default: {', '.join(default)})",
    )


def _add_convention(command, **more):
    names = ", ".join(sorted(CONVENTIONS))
    command.add_argument(
        "--convention",
        metavar="NAME",
        help=f"the library whose rules are followed: {names}"
        + ("; can be repeated" if more else ""),
        **more,
    )


def _aligned(options, run, truth, convention=None):
    """Return judgements and a run as :func:`~skrank.tables.align` does."""
    judged_from = options.judged_from
    if judged_from is not None:
        judged_from = check_number(judged_from, "--judged-from", "skrank")
    judged_from = lowest_judged(judged_from, convention)
    rules = options.missing_queries, "drop", judged_from
    aligned, change = align_run(truth, run, f"run[{run!r}]", _RESULT_COLUMNS, rules)
    if change:
        _say(change)
    return aligned


def _judgements(options):
    return read_form(options.qrels, TRUTH, _TRUTH_COLUMNS), is_trec(options.qrels)


def _evaluate(options):
    metrics, convention = options.metric or METRICS, options.convention
    # Wrong names are found before large files are read.
    requests = read_requests(metrics, {"convention": convention}, "evaluate")
    names = [request.key for request in requests]
    write = _writer(options.by_query)
    scores, by_query = {}, []
    runs = dict.fromkeys(options.run)
    is_seen = sys.stderr is not None and sys.stderr.isatty()
    shown = len(runs) > 1 and is_seen and find_spec("tqdm") is not None
    truth = _judgements(options)
    with progress_bar(len(runs), shown, "run") as advance:
        for run in runs:  # one at a time: they may be large
            aligned = _aligned(options, run, truth, convention)
            asked = {"metrics": metrics, "convention": convention, **aligned}
            if write:
                by_query.append((run, score_queries(**asked)))
                scores[run] = by_query[-1][1].summary()
            else:
                scores[run] = evaluate(**asked)
            advance(1)
    if write:
        write(options.by_query, by_query)
    if options.json:
        return json.dumps(
            {
                run: {name: None if math.isnan(x) else x for name, x in one.items()}
                for run, one in scores.items()
            },
            indent=2,
        )
    rows = [
        [run, *(f"{one[name]:.4f}" for name in names)] for run, one in scores.items()
    ]
    return table(["run", *names], rows)


def _explain(options):
    conventions = {"conventions": options.convention} if options.convention else {}
    return explain(
        metric=options.metric,
        **_aligned(options, options.run, _judgements(options)),
        **conventions,
    )


def _ties(options):
    return tie_report(
        metrics=options.metric or METRICS,
        convention=options.convention,
        **_aligned(options, options.run, _judgements(options), options.convention),
    )


def _writer(path):
    """Return the function that writes a table of this name; None without a name."""
    if path is None:
        return None
    suffix = Path(path).suffix
    if suffix not in _WRITERS:
        raise ValueError(
            f"The file of --by-query must end in .csv or .parquet. Got {path!r}."
        )
    return _WRITERS[suffix]


def _columns(run, scores):
    """Return the values of queries as columns, as they count in the mean."""
    qid, (values,) = scores.keys["qid"], scores.values
    values = dict(zip(scores.metrics, values, strict=True))
    return {"ranker": [run] * len(qid), "qid": qid} | values


def _write_csv(path, by_query):
    # Ids that are not UTF-8 are written as they were read.
    kept = {"encoding": "utf-8", "errors": "surrogateescape"}
    with open(path, "w", newline="", **kept) as file:
        writer = csv.writer(file)
        for i, (run, scores) in enumerate(by_query):
            columns = _columns(run, scores)
            if i == 0:
                writer.writerow(columns)
            ids, qid, *values = columns.values()
            values = (column.tolist() for column in (qid, *values))
            writer.writerows(zip(ids, *values, strict=True))


def _write_parquet(path, by_query):
    pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    parts = [pyarrow.table(_columns(run, scores)) for run, scores in by_query]
    parquet.write_table(pyarrow.concat_tables(parts), path)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet}


if __name__ == "__main__":
    sys.exit(main())
