"""Tables of text."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause


def table(header, rows, indent=""):
    """Return lines of text with the columns below each other.

    Parameters
    ----------
    header : list of str
        What stands above the columns. The first one stands left, the others right.
    rows : list of list of str
        The cells.
    indent : str, default=""
        What each line begins with.

    Returns
    -------
    text : str
        The table.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = []
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += map(str.rjust, others, widths[1:])
        shown.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(shown)
