"""Tables of text."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause


def table(header, rows, indent=""):
    """Return lines of text with aligned columns, the first to the left.

    `header` and each of `rows` hold a str for each column; lines begin with `indent`.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = []
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += map(str.rjust, others, widths[1:])
        shown.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(shown)
