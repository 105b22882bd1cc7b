"""Small files of TREC and tables, and commands that read them."""

# SPDX-License-Identifier: BSD-3-Clause

import re

from skrank._shell.commands import main

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 2\n"
RUN = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n"
TIED = "1 Q0 b 1 1 t\n1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"
MRR = (1 / 2 + 1 + 0) / 3
ROWS = "user,bought,bm25,dense\n1,1,3,1\n1,0,2,2\n2,0,1,1\n2,1,0,2\n"
OF_ROWS = "--qid user --y-true bought -m mrr"
BEIR = "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\ta\t1\n3\ta\t2\n"


LACKING = re.compile(r"skrank: [^\n]+ lacks 1 of 3 queries: they count 0\.\n")


def run(capsys, command):
    """Return the exit status, the output and the errors of a command.

    Without the line that `RUN` has no document of query 3.
    """
    try:
        status = main(command.split())
    except SystemExit as stop:
        status = stop.code
    output, error = capsys.readouterr()
    return status, output, LACKING.sub("", error) if isinstance(error, str) else error


def tagged(run, tag):
    """Return the text of a run with another tag."""
    return run.replace(" t\n", f" {tag}\n")


def write_files(folder):
    """Write judgements and two runs."""
    for name, text in {"qrels": QRELS, "a.run": RUN, "tied.run": TIED}.items():
        (folder / name).write_text(text)
