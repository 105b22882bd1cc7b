"""The table of metrics and libraries, and the rules of every convention."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._engine.conventions import in_words
from skrank._engine.request import METRICS
from skrank.metrics import CONVENTIONS
from tests.other_libraries.oracle import QUERIES, VALUES, VERSIONS, cells

# The order of the rows, by the module of their definitions.
FAMILIES = [
    f"skrank.metrics.{module}"
    for module in (
        "first_relevant",
        "top_k",
        "average_precision",
        "gains",
        "agreement",
        "beyond_relevance",
        "exposure",
        "propensity",
        "subtopics",
    )
]

# What stands in the table for each verdict; the page explains the marks.
MARKS = {"equal": "✓", "by convention": "◐", "differs": "\N{EN DASH}"}


def rows_of(names):
    """Return the rows of the table: a metric as a whole, and cut."""
    order = sorted(
        METRICS, key=lambda name: FAMILIES.index(METRICS[name].definition.__module__)
    )
    found = {(name.partition("@")[0], "@" in name) for name in names}
    return sorted(found, key=lambda row: (order.index(row[0].partition("(")[0]), *row))


def table(found):
    """Return the table, with the reasons below it."""
    libraries = [name for name in CONVENTIONS if name in VALUES]
    footnotes = []
    lines = [
        ".. csv-table::",
        "   :class: conventions",
        "   :header-rows: 1",
        "   :stub-columns: 1",
        "",
        f"   {','.join(['Metric', *libraries])}",
    ]
    for base, is_cut in rows_of({name for _, name in found}):
        cells = [f"``{base}{'@k' if is_cut else ''}``"]
        for library in libraries:
            shown = [
                found[of, name]
                for of, name in found
                if of == library
                and name.partition("@")[0] == base
                and ("@" in name) == is_cut
            ]
            cells.append(_text(library, shown, footnotes))
        lines.append(f"   {','.join(cells)}")
    n_cells, numbers = len(found), [len(entry.numbers) for entry in found.values()]
    left_out = sum(len(entry.left_out) for entry in found.values())
    lines += [
        "",
        f"{sum(numbers)} numbers of {len(libraries)} libraries are compared, of "
        f"{len(QUERIES)} queries, in {n_cells} "
        "combinations of a library, a metric and a cutoff (@1, @2 and @5 share a row). "
        f"{left_out} numbers are left out. The numbers in the table are links to the "
        "reasons:",
        "",
    ]
    for place, reason in enumerate(footnotes, 1):
        lines.append(f".. [{place}] {reason}.")
    lines += ["", "The versions of the libraries:", ""]
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
    return f"{MARKS[verdict]} {marks}".strip()


def rules():
    """Return the rules of every convention, in the parameters of skrank."""
    lines = []
    for library, convention in CONVENTIONS.items():
        lines += [f"**{library}**", ""]
        for metric, why in convention.refused.items():
            lines.append(f"- {_named(metric)}: refused, {why}.")
        named = {}  # metrics with the same rules share a line
        for metric, entry in convention.rules.items():
            written = ", ".join(in_words({rule: entry[rule]})[0] for rule in entry)
            named.setdefault(written, []).append(_named(metric))
        lines += [f"- {', '.join(names)}: ``{rule}``" for rule, names in named.items()]
        lines.append("")
    return "\n".join(lines)


def _named(metric):
    return "every metric" if metric == "*" else f"``{metric}``"


def files():
    """Return skrank's values anew, beside those that the libraries recorded."""
    return {
        "tables/conventions.rst": table(cells()),
        "development/tables/rules.rst": rules(),
    }
