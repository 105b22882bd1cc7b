"""Tables as text, Markdown, LaTeX and HTML."""

# SPDX-License-Identifier: BSD-3-Clause

import html
import textwrap

# The longest line of a title.
LINE = 88

# The columns of text, which are aligned on the left.
TEXT = ("metric", "ranker", "baseline", "letters", "method")

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def table(header, rows, *, left=None, indent=""):
    """Return lines of text with aligned columns.

    Parameters
    ----------
    header : list of str
        The names of the columns.
    rows : list of list of str
        The cells.
    left : collection of str, default=None
        The columns that are aligned on the left. If None, the first one.
    indent : str, default=""
        What lines begin with.
    """
    left = header[:1] if left is None else left
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = []
    for line in lines:
        cells = [
            cell.ljust(width) if name in left else cell.rjust(width)
            for name, cell, width in zip(header, line, widths, strict=True)
        ]
        aligned.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(aligned)


def side_by_side(blocks, *, left=None):
    """Return tables next to each other, each a title, a header and rows, as text."""
    texts = [
        [title, *table(header, rows, left=left).split("\n")]
        for title, header, rows in blocks
    ]
    widths = [max(map(len, lines)) for lines in texts]
    return "\n".join(
        "   ".join(map(str.ljust, line, widths)).rstrip()
        for line in zip(*texts, strict=True)
    )


def as_text(title, tables):
    """Return a title and some tables, each a header and rows, as text."""
    title = textwrap.fill(title, LINE, break_on_hyphens=False)
    return "\n\n".join([title, *(table(*one, left=TEXT) for one in tables)])


def as_markdown(title, tables):
    """Return a title and some tables in Markdown."""
    parts = [title]
    for header, rows in tables:
        rule = [":--" if name in TEXT else "--:" for name in header]
        lines = [header, rule, *rows]
        escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in escaped))
    return "\n\n".join(parts)


def undefined_words(counts):
    """Return how many queries are undefined, if any, for a title."""
    least, most = min(counts, default=0), max(counts, default=0)
    if not most:
        return ""
    return (
        f" ({most:,} undefined)"
        if least == most
        else f" ({least:,} to {most:,} undefined)"
    )


def as_latex(title, tables):
    """Return a title, as a comment, and some tables in LaTeX."""
    parts = [f"% {title}"]
    for header, rows in tables:
        columns = "".join("l" if name in TEXT else "r" for name in header)
        head, *body = (
            " & ".join("".join(_LATEX.get(c, c) for c in cell) for cell in line)
            + r" \\"
            for line in [header, *rows]
        )
        begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
        rules = [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end]
        parts.append("\n".join(rules))
    return "\n\n".join(parts)


def as_html(title, tables, *, spans=()):
    """Return a title and some tables as HTML.

    `spans` are titles above the columns of the tables, each with the number of columns.
    """
    caption, found = f"<caption>{html.escape(title)}</caption>", []
    above = "".join(
        f'<th colspan="{n_columns}">{html.escape(text)}</th>'
        for text, n_columns in spans
    )
    above = f"{above}</tr><tr>" if spans else ""
    for header, rows in tables:
        head = above + "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        head, body = f"<thead><tr>{head}</tr></thead>", f"<tbody>{body}</tbody>"
        found.append(f"<table>{caption}{head}{body}</table>")
        caption = ""  # only the first table has one
    return "\n".join(found)
