"""Results as text, Markdown, LaTeX and HTML; a progress bar; packages to install."""

# SPDX-License-Identifier: BSD-3-Clause

import html
import importlib
import sys
import textwrap
from contextlib import closing, contextmanager, suppress
from typing import Any, NamedTuple

# The longest line of a title.
LINE = 88

# The columns of text, which are aligned on the left.
TEXT = ("metric", "ranker", "baseline", "letters", "method")

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # the fonts of pdfLaTeX have no straight ones
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "±": r"$\pm$",
    "\u2212": "$-$",
    "↓": r"$\downarrow$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **dict.fromkeys("\n\r\t", " "),
}
_MARKDOWN = {
    **{character: f"\\{character}" for character in "\\|*`<"},
    **dict.fromkeys("\n\r\t", " "),
}


class Cell(NamedTuple):
    """A number of a table, which may be the best of its column."""

    text: str
    is_best: bool = False
    mark: str = ""  # written above the line
    after: str = ""  # behind the number


class Table(NamedTuple):
    """A table whose cells are text or :class:`Cell`; it prints as aligned lines."""

    header: list
    rows: list
    left: Any = TEXT  # the columns that are aligned on the left
    title: str = ""  # a line above the table

    def __str__(self):
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [self.title] if self.title else []
        for line in lines:
            cells = [
                cell.ljust(width) if name in self.left else cell.rjust(width)
                for name, cell, width in zip(self.header, line, widths, strict=True)
            ]
            aligned.append("  ".join(cells).rstrip())
        return "\n".join(aligned)


class PrintedResult:
    """A result that prints as text, and shows as tables in a notebook.

    A subclass has the method `_contents`, which returns the title, or "", and a list of
    what stands below it: a :class:`Table`, or text. A dataclass needs ``repr=False``.
    """

    def __str__(self):
        return as_text(*self._contents())

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return as_html(*self._contents())


def counted(n, noun, several=None):
    """Return a number of things in words."""
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"


def as_text(title, parts):
    """Return a title, and tables and text below it."""
    return "\n\n".join(filter(None, [_wrapped(title), *map(str, parts)]))


def as_markdown(title, tables):
    """Return a title and some tables in Markdown."""
    parts = [_replaced(title, _MARKDOWN)] if title else []
    for header, rows, left, _ in tables:
        lines = [
            [
                cell.strip()
                for cell in _marked(line, _MARKDOWN, "**{}**", "<sup>{}</sup>")
            ]
            for line in (header, *rows)
        ]
        lines.insert(1, [":--" if name in left else "--:" for name in header])
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts)


def _marked(line, escapes, best, mark):
    """Yield the cells of a line, escaped, with the formats of the best and of marks."""
    for cell in line:
        cell = cell if isinstance(cell, Cell) else Cell(cell)
        text = _replaced(cell.text, escapes)
        text = best.format(text) if cell.is_best else text
        text += mark.format(_replaced(cell.mark, escapes)) if cell.mark else ""
        yield f"{text} {_replaced(cell.after, escapes)}" if cell.after else text


def _replaced(text, escapes):
    """Return a string with some characters replaced."""
    return "".join(escapes.get(character, character) for character in text)


def undefined_words(counts):
    """Return how many queries are undefined, if any, for a title."""
    least, most = min(counts, default=0), max(counts, default=0)
    if not most:
        return ""
    n_undefined = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f" ({n_undefined} undefined)"


def smaller_words(names, form=", {}"):
    """Return which metrics are better if they are smaller, if any, for a title."""
    words = f"smaller values of {', '.join(names)} are better"
    return form.format(words) if names else ""


def as_latex(title, tables, *, is_caption=False):
    """Return a title and some tables in LaTeX.

    The title is a comment, or the caption of a `table` environment.
    """
    title = _replaced(title, _LATEX)
    parts = [] if is_caption else [_wrapped(f"% {title}", "% ")]
    for header, rows, left, _ in tables:
        columns = "".join("l" if name in left else "r" for name in header)
        head, *body = map(_in_latex, [header, *rows])
        begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
        rules = [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end]
        if is_caption:
            caption = _wrapped(rf"\caption{{{title}}}")
            rules = [r"\begin{table}", r"\centering", caption, *rules, r"\end{table}"]
        parts.append("\n".join(rules))
    return "\n\n".join(parts)


def _wrapped(text, indent=""):
    """Return text in lines that are not too long, without a change of any word."""
    words = {"break_on_hyphens": False, "break_long_words": False}
    return textwrap.fill(text, LINE, subsequent_indent=indent, **words)


def _in_latex(line):
    """Return a line of a table in LaTeX."""
    cells = list(_marked(line, _LATEX, r"\textbf{{{}}}", r"\textsuperscript{{{}}}"))
    # The end of the line before it would take a bracket or a star for its own.
    guard = "{}" if cells[0][:1] in ("[", "*") else ""
    return guard + " & ".join(cells) + r" \\"


def as_html(title, parts):
    """Return a title, the caption of the first table, and tables and text as HTML."""
    escapes, found = {character: html.escape(character) for character in "&<>\"'"}, []
    for part in parts:
        if isinstance(part, str):
            found.append(f"<p>{html.escape(part)}</p>")
            continue
        caption = html.escape(". ".join(filter(None, [title, part.title])))
        title = ""
        lines = [
            "".join(
                f"<{tag}>{cell}</{tag}>"
                for cell in _marked(line, escapes, "<b>{}</b>", "<sup>{}</sup>")
            )
            for tag, line in [("th", part.header), *(("td", row) for row in part.rows)]
        ]
        head, *body = (f"<tr>{line}</tr>" for line in lines)
        head, body = f"<thead>{head}</thead>", f"<tbody>{''.join(body)}</tbody>"
        caption = f"<caption>{caption}</caption>" if caption else ""
        found.append(f"<table>{caption}{head}{body}</table>")
    return "\n".join(found)


# As long as there is no release on PyPI.
INSTALL = '`pip install ".[{}]"` in a checkout of skrank'


def import_extra(name, extra="tables"):
    """Import a package of an extra, or raise an error that names the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"This needs the package {package}. Install it with "
            f"{INSTALL.format(extra)}."
        ) from error


@contextmanager
def progress_bar(total, unit, **options):
    """Yield a function to call with the number of units done.

    A bar appears on a terminal, if tqdm is installed, when two seconds have passed. The
    total may be a function, which is called if there is a bar; `options` are those of
    tqdm.
    """
    tqdm = None
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            tqdm = importlib.import_module("tqdm.auto")
    if tqdm is None:
        yield lambda n_done: None
        return
    total = total() if callable(total) else total
    with closing(tqdm.tqdm(total=total, unit=unit, delay=2, **options)) as bar:
        yield bar.update
