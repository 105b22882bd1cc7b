"""Write the table of metrics and libraries: what skrank says, and what they say.

python docs/make_conventions.py

computes skrank's values anew, compares them with the numbers of the libraries in
`tests/other_libraries/peers.json`, and writes the two parts of the page on conventions
that are data: the table and the list of rules. A test checks that both are up to date.
"""

# SPDX-License-Identifier: BSD-3-Clause

import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "tests"), str(HERE.parent / "tests" / "other_libraries")]

import peers  # noqa: E402

from skrank.metrics import CONVENTIONS, evaluate  # noqa: E402
from skrank.metrics.conventions import in_words, rules_of  # noqa: E402
from skrank.metrics.names import METRICS  # noqa: E402

QUERIES, VALUES, VERSIONS = peers.read()

# The order of the rows, by the module of their definitions.
FAMILIES = [
    f"skrank.metrics.{module}"
    for module in (
        "first_relevant",
        "top_k",
        "average_precision",
        "gains",
        "reader",
        "agreement",
    )
]

# Two libraries compute in single precision.
TOLERANCE = {"ogb": 1e-6, "torchmetrics": 1e-6}


# What stands in the table for each verdict; the page explains the marks.
MARKS = {"equal": "✓", "by convention": "◐", "differs": "\N{EN DASH}"}


class LeftOut(NamedTuple):
    """Queries for which a library is not followed: a defect, or no rule at all."""

    library: str
    metrics: set | None
    applies: Callable
    reason: str


def is_tied(query):
    scores = np.array(query.scores, dtype=np.float32)
    return len(set(scores.tolist())) < len(scores)


EXCEPTIONS = [
    LeftOut(
        "ranx",
        None,
        lambda query: is_tied(query) and len(query.scores) > 16,
        "its sort is not stable: ties in lists of more than 16 documents have no order",
    ),
    LeftOut(
        "ranx",
        {"bpref"},
        lambda query: 0 not in query.grades,
        "it is NaN where no document is judged not relevant, and so is the mean",
    ),
    LeftOut(
        "ranx",
        {"rbp"},
        lambda query: max(query.grades) > 1,
        "it takes grades as they are, so that the metric may exceed 1",
    ),
    LeftOut(
        "torchmetrics",
        {"map", "mrr", "hits", "precision", "recall", "r_precision"},
        is_tied,
        "its sort is not stable: ties have no order",
    ),
    LeftOut(
        "torchmetrics",
        {"map", "mrr", "precision", "recall"},
        lambda query: min(query.scores) <= 0,
        "it leaves out documents with scores of 0 or less, such as logits",
    ),
    LeftOut(
        "recpack",
        None,
        lambda query: is_tied(query) and len(query.scores) > 5,
        "ties have no order: the last column comes first in short lists alone",
    ),
]


class Cell(NamedTuple):
    """What was found for one metric of one library.

    `numbers` maps the queries that were compared to (theirs, ours, ours by default).
    """

    verdict: str
    numbers: dict
    left_out: dict
    reasons: list


def number(query, name, **params):
    """Return what skrank says of one query, under a name without ``neg_``."""
    base, _, k = name.partition("@")
    full_name = METRICS[base].full_name + (f"@{k}" if k else "")
    sign = -1 if full_name.startswith("neg_") else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        got = evaluate(*query[:2], full_name, doc_id=query.names, **params)
    return sign * got[full_name]


def same(one, other, tolerance=1e-9):
    """Tell whether two numbers are equal, or both undefined."""
    return math.isclose(one, other, rel_tol=0, abs_tol=tolerance) or (
        math.isnan(one) and math.isnan(other)
    )


def cell(library, name):
    """Compare one metric of one library."""
    base, _, k = name.partition("@")
    refused = rules_of(library, base, bool(k))
    tolerance = TOLERANCE.get(library, 1e-9)
    numbers, left_out = {}, {}
    for (title, query), theirs in zip(
        QUERIES.items(), VALUES[library][name], strict=True
    ):
        if theirs is None:
            continue
        default = number(query, name)
        if isinstance(refused, str):
            left_out[title] = float(theirs), default, refused
            continue
        ours = number(query, name, convention=library)
        reason = exception(library, base, query)
        if reason is None:
            numbers[title] = float(theirs), ours, default
        else:
            left_out[title] = float(theirs), ours, reason
    reasons = list(dict.fromkeys(reason for _, _, reason in left_out.values()))
    if not numbers:
        return Cell("differs", numbers, left_out, reasons)
    by_default = all(same(t, d, tolerance) for t, _, d in numbers.values())
    by_rules = all(same(t, o, tolerance) for t, o, _ in numbers.values())
    verdict = "equal" if by_default else "by convention" if by_rules else "differs"
    return Cell(verdict, numbers, left_out, reasons)


def exception(library, metric, query):
    """Return why a number is left out, or None."""
    for row in EXCEPTIONS:
        if (
            row.library == library
            and (row.metrics is None or metric in row.metrics)
            and row.applies(query)
        ):
            return row.reason
    return None


def cells():
    """Return every cell, by library and name."""
    return {
        (library, name): cell(library, name)
        for library, names in VALUES.items()
        for name in names
    }


def rows_of(names):
    """Return the rows of the table: a metric as a whole, and cut."""
    order = sorted(
        METRICS, key=lambda name: FAMILIES.index(METRICS[name].definition.__module__)
    )
    found = {(name.partition("@")[0], "@" in name) for name in names}
    return sorted(found, key=lambda row: (order.index(row[0]), row[1]))


def table(found):
    """Return the table, with the reasons below it."""
    libraries = [name for name in CONVENTIONS if name in VALUES]
    footnotes = []
    lines = [
        ".. list-table::",
        "   :class: conventions",
        "   :header-rows: 1",
        "   :stub-columns: 1",
        "",
        "   * - Metric",
        *(f"     - {library}" for library in libraries),
    ]
    for base, is_cut in rows_of({name for _, name in found}):
        lines.append(f"   * - ``{base}{'@k' if is_cut else ''}``")
        for library in libraries:
            shown = [
                found[of, name]
                for of, name in found
                if of == library
                and name.partition("@")[0] == base
                and ("@" in name) == is_cut
            ]
            lines.append(f"     - {_text(library, shown, footnotes)}".rstrip())
    n_cells, numbers = len(found), [len(entry.numbers) for entry in found.values()]
    left_out = sum(len(entry.left_out) for entry in found.values())
    lines += [
        "",
        f"{sum(numbers)} numbers are compared, of {len(QUERIES)} queries, in {n_cells} "
        "combinations of a library, a metric and a cutoff (@1, @2 and @5 share a row). "
        f"{left_out} numbers are left out, for these reasons, which the numbers in the "
        "table lead to:",
        "",
    ]
    for place, reason in enumerate(footnotes, 1):
        lines.append(f".. [{place}] {reason}.")
    lines += ["", "The versions that were asked:", ""]
    lines += [f"- {library}: {VERSIONS[library]}" for library in libraries]
    return "\n".join(lines) + "\n"


def _text(library, shown, footnotes):
    """Return what stands in the table for the cutoffs of one metric."""
    if not shown:
        return ""
    verdict = max((entry.verdict for entry in shown), key=[*MARKS].index)
    reasons = [f"{library}: {why}" for entry in shown for why in entry.reasons]
    reasons = list(dict.fromkeys(reasons))
    footnotes += [reason for reason in reasons if reason not in footnotes]
    marks = " ".join(f"[{footnotes.index(reason) + 1}]_" for reason in reasons)
    return f":abbr:`{MARKS[verdict]} ({verdict})` {marks}".strip()


def rules():
    """Return the rules of every convention, in the parameters of skrank."""
    lines = []
    for library, convention in CONVENTIONS.items():
        lines += [f"**{library}**", ""]
        for metric, why in convention.refused.items():
            lines.append(f"- {_named(metric)}: refused, {why}.")
        for metric, entry in convention.rules.items():
            name = _named(metric)
            written = ", ".join(in_words({rule: entry[rule]})[0] for rule in entry)
            lines.append(f"- {name}: ``{written}``")
        lines.append("")
    return "\n".join(lines)


def _named(metric):
    return "every metric" if metric == "*" else f"``{metric}``"


def parts():
    """Return the text of each file that is written."""
    return {
        HERE / "tables/conventions.rst": table(cells()),
        HERE / "tables/rules.rst": rules(),
    }


if __name__ == "__main__":
    for file, text in parts().items():
        file.write_text(text, "utf-8")
