"""What the displays share: their class, colours, words, and text that fits."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
from itertools import cycle, islice

import numpy as np

from skrank._engine.request import metric_of
from skrank._input.checks import shown
from skrank._text.tables import INSTALL

# The palette of Okabe and Ito (2008), which colour-blind people can tell apart, without
# its yellow, which is faint on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BETTER_COLOR, WORSE_COLOR, NEITHER_COLOR = COLORS[0], COLORS[1], "#757575"

# After one round of colours the lines are drawn in another style.
_STYLES = ("-", "--", ":")
_MARKERS = "os^Dv<>PX*hp"

# In points, or as a fraction of the font size: DejaVu Sans is the default font.
_SMALLEST = 5
_WIDTH, _HEIGHT = 0.6, 1.3
_ROW = 16
# The most characters of a name within a line of words.
_LONGEST_NAME = 24
# The width of a panel in inches.
_PANEL = 2.1
# The width of the axes of matplotlib's default figure.
_WIDE = 357

_PLAIN = {
    "borderaxespad": 0.2,
    "frameon": False,
    "handlelength": 1.8,
    "labelspacing": 0.25,
}


class Display:
    """A picture whose values are attributes; `plot` draws it and stores the axes."""

    def _start(self, ax, n_rows=0, n_panels=1):
        """Return the axes; if None, of a figure for rows of text and for panels."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    "The displays of skrank need the package matplotlib. Install it "
                    f"with {INSTALL.format('plot')}."
                ) from error
            width, height = plt.rcParams["figure.figsize"]
            if n_panels > 1:
                width = max(width, (n_panels + 1) * _PANEL)
            _, ax = plt.subplots(figsize=(width, max(height, (n_rows + 4) * _ROW / 72)))
        self.ax_, self.figure_ = ax, ax.get_figure()
        whole = getattr(self.figure_, "figure", None) or self.figure_  # of a subfigure
        if whole.get_layout_engine() is None:
            whole.set_layout_engine("constrained")  # makes place for long names
        return ax

    @classmethod
    def _position(cls, names, name, parameter):
        """Return where a name stands among some, of which it may be the only one."""
        if name is None and len(names) == 1:
            return 0
        if name not in names or name is None:
            raise ValueError(
                f"The '{parameter}' parameter of {cls.__name__} must be one of "
                f"{list(names)}. Got {shown(name)} instead."
            )
        return list(names).index(name)

    def _label_axes(self, x, y):
        """Write what the axes mean in a font that fits, and return its size."""
        ax, (across, down) = self.ax_, points_of(self.ax_)
        size = usual_size(across)
        ax.set_xlabel(x, fontsize=size)
        longest = max(map(len, y.split("\n")))
        ax.set_ylabel(y, fontsize=_fitting_size(longest, 1.1 * down, size))
        ax.tick_params(labelsize=size)
        return size

    def _label_rows(self, headings, labels):
        """Write the labels of rows next to the axes.

        Return the vertical coordinate of each row, and the font size. `headings` are
        the groups of rows, which are not written if there is one, and `labels` the rows
        of each group, which are not written if each of several groups has one.
        """
        ax, several = self.ax_, len(headings) > 1
        has_one_each = several and max(map(len, labels)) == 1
        texts, heights, bold = [], [], []
        for heading, of_group in zip(headings, labels, strict=True):
            if several and not has_one_each:
                bold.append(len(texts))
                texts.append(heading)
            heights += range(len(texts), len(texts) + len(of_group))
            texts += [heading] if has_one_each else of_group
        written, size = fit_text(ax, texts)
        # The labels may take almost half of the width.
        across, _ = points_of(ax)
        start_rows(ax, written, size, 0.6 * across, usual_size(across))
        for i in bold:
            ax.get_yticklabels()[i].set_fontweight("bold")
        return heights, size

    def _legend_beside(self, handles, labels):
        """Draw a legend to the right of the axes."""
        written, size = fit_text(self.ax_, labels, 0.45)
        where = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
        self.ax_.legend(handles, written, fontsize=size, **where, **_PLAIN)

    def _legend_above(self, handles, labels, size=None, note=None):
        """Draw a legend above the axes.

        Labels of a font size stand one below the other on the left; without a size they
        are a few words, which stand side by side on the right, below a `note`.
        """
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
        if size is None:
            n_characters = max(len("".join(labels)) + 5 * len(labels), len(note or ""))
            across, _ = points_of(self.ax_)
            size = _fitting_size(n_characters, 1.2 * across, usual_size(across))
            where = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
            where |= {"ncols": len(labels), "alignment": "right"}
            where |= {"title": note, "title_fontsize": size}
        where["columnspacing"] = 1
        self.ax_.legend(handles, labels, fontsize=size, **where, **_PLAIN)


def start_rows(ax, labels, size, across, size_of_numbers):
    """Write the labels of rows, in a font size, next to axes of `across` points."""
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=size_of_numbers)
    # A number has up to seven characters.
    n_numbers = int(across / (7 * _WIDTH * size_of_numbers))
    ax.locator_params(axis="x", nbins=max(n_numbers, 2))
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)


def label_values(ax, words, across, size, greater_is_better=None):
    """Write below axes what their values are, in one line or two.

    The axes will be `across` points wide. Longer lines end where the axes do, since
    there is place below the labels of the rows. `size` is the font size if there is
    place, and `greater_is_better` the direction, unless it stands elsewhere.
    """
    direction = ""
    if greater_is_better is not None:
        direction = direction_words(greater_is_better)
    longest = max(map(len, [*words.split("\n"), direction]))
    size = _fitting_size(longest, 1.3 * across, size)
    is_short = len(f"{words} {direction}") * _WIDTH * size <= across
    end = "center" if longest * _WIDTH * size <= across else "right"
    words = words.replace("$", r"\$") + (" " if is_short else "\n") + direction
    ax.set_xlabel(words.strip(), fontsize=size, loc=end, multialignment=end)


def line_styles(n_lines):
    """Return keyword arguments of `Axes.plot` by which lines can be distinguished."""
    styles = (style for style in cycle(_STYLES) for _ in COLORS)
    looks = zip(cycle(COLORS), cycle(_MARKERS), styles)
    return [
        {"color": color, "marker": marker, "linestyle": style}
        for color, marker, style in islice(looks, n_lines)
    ]


def fit_text(ax, labels, width=0.55, n_lines=None):
    """Return labels, and the font size with which they fit next to the axes.

    Labels that are too long even in the smallest font are shortened in their middle.
    They stand one below the other. `width` is what they may take as a fraction of that
    of the axes, and `n_lines` how many lines share the height of the axes: if None, as
    many as labels.
    """
    across, down = points_of(ax)
    longest = max(map(len, labels), default=1)
    size = _fitting_size(longest, width * across, usual_size(across))
    line = down / max(n_lines or len(labels), 1)
    size = min(size, line / _HEIGHT)
    n_characters = max(int(width * across / (_WIDTH * size)), 8)
    short = (_shorten(label, n_characters).replace("$", r"\$") for label in labels)
    # matplotlib hides labels that begin with an underscore.
    return [f" {label}" if label.startswith("_") else label for label in short], size


def _fitting_size(n_characters, across, size):
    """Return a font size with which a line fits in `across` points, at most `size`."""
    return max(min(size, across / (_WIDTH * max(n_characters, 1))), _SMALLEST)


def _shorten(label, n_characters):
    """Return a label without its middle if it has more characters."""
    if len(label) <= n_characters:
        return label
    half = (n_characters - 1) // 2
    return f"{label[: n_characters - half - 1]}…{label[-half:]}"


def shorten_names(names, across):
    """Return names that fit side by side in some points, in the smallest font."""
    n_characters = int(across / (_WIDTH * _SMALLEST * len(names)))
    return [_shorten(name, min(max(n_characters, 8), _LONGEST_NAME)) for name in names]


def number_some(ax, x):
    """Write as many of some integers in ascending order below the axis as fit."""
    across, _ = points_of(ax)
    # The legend may take almost half of the width.
    apart = (len(str(max(x))) + 1) * _WIDTH * usual_size(across) / (0.55 * across)
    points = ax.transData.transform([(value, 0) for value in x])
    places = ax.transAxes.inverted().transform(points)[:, 0]
    ticks, last = [], -np.inf
    for value, place in zip(x, places, strict=True):
        if place - last >= apart:
            ticks.append(value)
            last = place
    ax.set_xticks(ticks, [str(value) for value in ticks])
    ax.set_xticks([], minor=True)


def points_of(ax):
    """Return the width and the height of the axes in points."""
    box = ax.get_window_extent()
    return 72 * box.width / ax.figure.dpi, 72 * box.height / ax.figure.dpi


def usual_size(across):
    """Return the font size of short texts: that of matplotlib, if there is place."""
    from matplotlib import rcParams

    return rcParams["font.size"] * min((across / _WIDE) ** 0.5, 1)


# The abbreviation at the end of a summary line: "Mean reciprocal rank (MRR)."
_ABBREVIATION = re.compile(r"\(([^(),]+)[^()]*\)\.$")

_ADJUSTED = {
    False: "{}",
    True: "adjusted {}",
    "ratio": "{} relative to chance",
}


def words_of(request, cutoff=None):
    """Return what a requested metric is called, such as "NDCG@10" or "median rank".

    A metric without a function of skrank is called by its name. A metric times -1, as
    those are whose scorer names begin with ``neg_``, is called negative. `cutoff`, if
    given, stands for the one that was requested.
    """
    metric, options = request.metric, request.options
    if metric.function is None:
        return f"{split_cutoff(request.key)[0]}@{cutoff}" if cutoff else request.key
    summary = inspect.getdoc(metric.function).partition("\n")[0]
    found = _ABBREVIATION.search(summary)
    words = found[1] if found else metric_of(metric.function).name.replace("_", " ")
    if metric.fixed and not metric.adjusted:  # the function is more than this name
        words = metric.name.replace("_", " ")
    words = words.removesuffix("@k")
    cutoff = cutoff or options.own.get("k")
    if cutoff:
        words += f"@{cutoff}"
    if metric.inverse:
        words = f"inverse {words}"
    words = _ADJUSTED[options.adjusted].format(words)
    return words if request.sign == 1 else f"negative {words}"


def distinct_words(requests):
    """Return what metrics are called, and the names of those that share the words.

    Such as "rbp(p=0.5)" and "rbp(p=0.8)", which are both called RBP.
    """
    words = [words_of(request) for request in requests]
    return [
        request.key if words.count(one) > 1 else one
        for request, one in zip(requests, words, strict=True)
    ]


def direction_words(greater_is_better):
    """Return which values of a metric are better, in brackets."""
    return f"({'larger' if greater_is_better else 'smaller'} is better)"


def split_cutoff(name):
    """Return a name without its cutoff, and the cutoff or None."""
    found = re.fullmatch(r"(.+?)(?:@|_at_)([1-9][0-9]*)", name, re.ASCII)
    return (found[1], int(found[2])) if found else (name, None)
