"""Tables as text, Markdown, LaTeX and HTML."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.metrics import _frames

# The columns of text, which are aligned on the left.
TEXT = ("metric", "ranker", "baseline", "letters")

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def as_text(title, tables):
    """Return a title and some tables, each a header and rows, as text."""
    return "\n\n".join([title, *(_aligned(*table) for table in tables)])


def as_markdown(title, tables):
    """Return a title and some tables in Markdown."""
    parts = [title]
    for header, rows in tables:
        rule = [":--" if name in TEXT else "--:" for name in header]
        lines = [header, rule, *rows]
        escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in escaped))
    return "\n\n".join(parts)


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


def as_html(title, tables):
    """Return a title and some tables as HTML."""
    first, *others = tables
    return "\n".join(
        [_frames.as_html(title, *first), *(_frames.as_html("", *one) for one in others)]
    )


def _aligned(header, rows):
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if name in TEXT else cell.rjust(width)
            for name, cell, width in zip(header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
