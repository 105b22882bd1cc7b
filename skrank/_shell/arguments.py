"""The arguments of the commands."""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import sys

import skrank
from skrank._engine.conventions import CONVENTIONS
from skrank._shell.output import STDOUT, write

METRICS = ["map", "mrr", "ndcg@10", "precision@10", "recall@100"]

_FILES = """\
QRELS and RUN are text files of TREC, packed (.gz) or not, with fields separated by
spaces or tabs:
  QRELS  query iteration document grade
  RUN    query Q0 document rank score tag
or Parquet or CSV files with the columns qid, doc_id and grade, or score. QRELS may also
be a .tsv file of BEIR, with the columns query-id, corpus-id and score. "-" is a file of
TREC on the standard input. The score alone orders the documents, the rank is
not read. The ids of a file of TREC are text; they meet the integers of another file.

Metrics have the names of skrank, such as "ndcg@10" and "rbp(p=0.5)", or of trec_eval:
map, ndcg, bpref, infAP, recip_rank, gm_map, Rprec, ndcg_cut_10, P_10, recall_100,
success_5, P.5,10. Any cutoff is allowed. Without --convention tied documents count by
the expectation over their orderings and the gain of a grade is 2 ** grade - 1. With
--convention trec_eval the values are those of trec_eval -c.

Instead of QRELS and RUN there may be one table, a Parquet or CSV file or a directory of
them, with a row for each document of a query and the columns qid, y_true and y_score.
"""


def make_parser(functions):
    """Return the parser of the command line; `functions` are the commands by name."""
    parser = _Parser(
        prog="skrank",
        description="Evaluate rankings: the runs of search engines and recommenders.",
        epilog="skrank COMMAND --help describes a command.",
    )
    version = f"skrank {skrank.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    one = _add(commands, "evaluate", functions, "Print the metrics of runs.")
    _add_runs(one)
    _add_metric(one, METRICS)
    _add_columns(one)
    _add_convention(one)
    _add_rules(one)
    one.add_argument(
        "--sort",
        nargs="?",
        const="",
        metavar="METRIC",
        help="print the best run first, by this metric or the first one",
    )
    one.add_argument(
        "--by-query",
        nargs="?",
        const=STDOUT,
        metavar="FILE",
        help="also write the values of each query to a file .csv or .parquet; without "
        "FILE or with '-', print them instead of the means",
    )
    one.add_argument(
        "--save",
        metavar="FILE",
        help="also save the scores of one run to a file .parquet, for skrank gate and "
        "QueryScores.load",
    )
    _add_forms(one, csv="print CSV with all digits of the values")

    one = _add(
        commands,
        "compare",
        functions,
        "Compare runs on the same queries: differences, intervals and p-values.",
    )
    _add_runs(one)
    _add_metric(one, ["ndcg@10"])
    _add_columns(one)
    one.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that all others are compared with: its name, path or tag; "
        "without it all pairs are compared",
    )
    one.add_argument(
        "--test",
        default="auto",
        metavar="NAME",
        help="auto (the default: score for hits, else permutation) or another test of "
        "skrank.stats.compare_rankers, such as t or wilcoxon",
    )
    one.add_argument(
        "--correction",
        default="max-t",
        metavar="NAME",
        help="for the number of comparisons: max-t (the default), holm, bh or none",
    )
    one.add_argument(
        "--alternative",
        default="two-sided",
        metavar="NAME",
        help="two-sided (the default), greater or less: the difference looked for",
    )
    one.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="DIFFERENCE",
        help="a difference of the metric that does not matter (default: 0)",
    )
    one.add_argument(
        "--confidence-level",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help="the level of the intervals; 1 less it is that of the tests "
        "(default: 0.95)",
    )
    _add_convention(one)
    _add_rules(one)
    forms = _add_forms(one, csv="print the differences as CSV with all digits")
    _add_form(forms, "latex", "print tables in LaTeX")

    one = _add(
        commands,
        "gate",
        functions,
        "Decide whether a candidate is not worse than a baseline by a margin. The exit "
        "status is 0 if it is not, 1 if it is, 2 after an error, and 3 if the queries "
        "are too few to decide. QRELS and RUN are the judgements and the two runs, the "
        "baseline first, or two files of evaluate --save.",
    )
    _add_runs(one)
    _add_metric(one, ["ndcg@10, or all of a file of scores"])
    one.add_argument(
        "--margin",
        type=float,
        action="append",
        required=True,
        metavar="DIFFERENCE",
        help="a loss of the metric that does not matter; can be repeated, once for "
        "each metric",
    )
    one.add_argument(
        "--test",
        default="auto",
        metavar="NAME",
        help="auto (the default) or another test of skrank.stats.gate, such as anytime "
        "for a decision at every look",
    )
    one.add_argument(
        "--confidence-level",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help="how sure a decision must be (default: 0.95)",
    )
    _add_columns(one)
    _add_convention(one)
    _add_rules(one)
    forms = one.add_mutually_exclusive_group()
    _add_form(forms, "json", "print JSON with all digits")
    _add_form(forms, "markdown", "print a summary for a pull request")
    one.set_defaults(form="text", default_metrics=["ndcg@10"])

    one = _add(
        commands,
        "show",
        functions,
        "Show one query, document by document, of runs.",
    )
    _add_runs(one)
    one.add_argument("--query", required=True, metavar="ID", help="the query id")
    _add_metric(one, ["ndcg@10"])
    one.add_argument(
        "-k",
        "--ranks",
        type=int,
        default=10,
        metavar="RANKS",
        help="how many ranks are printed (default: 10)",
    )
    _add_convention(one)
    _add_rules(one)

    one = _add(
        commands,
        "explain",
        functions,
        "Explain why a metric has another value in another library.",
    )
    one.add_argument("run", nargs="*", metavar="RUN", help="what a system returned")
    one.add_argument(
        "-m", "--metric", required=True, metavar="METRIC", help="such as ndcg@10"
    )
    _add_columns(one)
    _add_convention(one, action="append", default=[])

    one = _add(
        commands,
        "ties",
        functions,
        "Report how much tied scores change metrics.",
    )
    one.add_argument("run", nargs="*", metavar="RUN", help="what a system returned")
    _add_metric(one, METRICS)
    _add_convention(one)
    return parser


def _add(commands, name, functions, help):
    """Add a command with the options that all commands have."""
    command = commands.add_parser(
        name,
        help=help,
        description=help,
        epilog=_FILES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=functions[name], fail=command.error)
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
        "-M",
        "--depth",
        type=int,
        metavar="DEPTH",
        help="only the top DEPTH documents of each query of a run count, as in "
        "trec_eval -M",
    )
    columns = {"qid": "query ids", "doc-id": "document ids", "y-true": "grades"}
    for name, what in columns.items():
        command.add_argument(
            f"--{name}", metavar="COLUMN", help=f"the column of the {what} in tables"
        )
    command.add_argument(
        "--y-score",
        action="append",
        metavar="COLUMN",
        help="the column of the scores in tables; can be repeated for a table of rows "
        "with the scores of several rankers",
    )
    return command


def _add_runs(command):
    command.add_argument("run", nargs="*", metavar="RUN", help="what systems returned")
    command.add_argument(
        "--names",
        choices=("tag", "path"),
        help="what runs are called: their tags or their paths; without it, their tags "
        "if these are all different",
    )


def _add_metric(command, default):
    command.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="METRIC",
        help=f"such as ndcg@10; can be repeated (default: {', '.join(default)})",
    )
    command.set_defaults(default_metrics=default)


def _add_columns(command):
    command.add_argument(
        "--column",
        action="append",
        metavar="NAME=COLUMN",
        help="the column of a table of rows that metrics read under a name, such as "
        "popularity=n_ratings for neg_popularity@10; can be repeated",
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


def _add_rules(command):
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
        is_option = [word.startswith("-") and word != STDOUT for word in more]
        if any(is_option):
            self.error(f"unrecognized arguments: {' '.join(more)}")
        if more:
            options.run += more
        return options

    def error(self, message):
        """Exit with one line instead of the whole usage."""
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")

    def _print_message(self, message, file=None):
        write(message, file or sys.stderr)
