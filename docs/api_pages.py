"""The parameters that all metrics share, folded below the own ones of a metric.

Sphinx finds this function by its name in `conf.py`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import re

SHARED = {
    "threshold",
    "ties",
    "replace_undefined_by",
    "average",
    "adjusted",
    "sample_weight",
}
# How many of them a function has at least that is treated as a metric.
ENOUGH = 4
HEADING = "Parameters that all metrics share"
NAME = re.compile(r"    \*\*(\w+)\*\* :")


def fold_shared_parameters(app, what, name, obj, options, lines):
    """Move the shared parameters of a metric into a part of the page that folds."""
    if what != "function" or ":Parameters:" not in lines:
        return
    start = lines.index(":Parameters:") + 1
    stop = start
    while stop < len(lines) and (not lines[stop] or lines[stop].startswith("    ")):
        stop += 1
    places = [i for i in range(start, stop) if NAME.match(lines[i])]
    entries = [lines[i:j] for i, j in zip(places, [*places[1:], stop], strict=True)]
    shared = [entry for entry in entries if NAME.match(entry[0])[1] in SHARED]
    if len(shared) < ENOUGH:
        return
    own = [entry for entry in entries if entry not in shared]
    folded = [f"   {line[4:]}".rstrip() for entry in shared for line in entry]
    lines[start:stop] = ["", *(line for entry in own for line in entry), ""]
    at = start + 2 + sum(map(len, own))
    lines[at:at] = [f".. dropdown:: {HEADING}", "", *folded, ""]
