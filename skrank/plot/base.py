"""What the displays share: their class, colours, words, and text that fits."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
from itertools import cycle, islice

import numpy as np

from skrank.metrics.metric import metric_of

# The palette of Okabe and Ito (2008), which colour-blind people can tell apart, without
# its yellow, which is faint on white.
COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)
BETTER, WORSE, NEITHER = COLORS[0], COLORS[1], "#757575"

# After one round of colours the lines are drawn in another style.
_STYLES = ("-", "--", ":")
_MARKERS = "os^Dv<>PX*hp"

# In points, or as a fraction of the font size: DejaVu Sans is the default font.
_SMALLEST = 5
_WIDTH, _HEIGHT = 0.6, 1.3
_ROW = 16
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

    def _start(self, ax, n_rows=0):
        """Return the axes to draw on, in a new figure if `ax` is None.

        A new figure is high enough for `n_rows` lines of text.
        """
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    "The displays of skrank need the package matplotlib. Install it "
                    'with `pip install "skrank[plot]"`.'
                ) from error
            width, height = plt.rcParams["figure.figsize"]
            _, ax = plt.subplots(figsize=(width, max(height, (n_rows + 4) * _ROW / 72)))
        self.ax_, self.figure_ = ax, ax.get_figure()
        whole = getattr(self.figure_, "figure", None) or self.figure_  # of a subfigure
        if whole.get_layout_engine() is None:
            whole.set_layout_engine("constrained")  # makes place for long names
        return ax

    def _label_axes(self, x, y=None):
        """Write what the axes mean, in a font that fits small figures.

        Return the size of this font.
        """
        ax, size = self.ax_, _usual_size(_points(self.ax_)[0])
        ax.tick_params(axis="x", labelsize=size)
        if y is None:  # rows with labels, beside which there is place below the axis
            ax.set_xlabel(x, fontsize=size, loc="right", multialignment="right")
        else:
            ax.set_xlabel(x, fontsize=size)
            ax.set_ylabel(y, fontsize=size)
            ax.tick_params(axis="y", labelsize=size)
        return size

    def _label_rows(self, headings, labels):
        """Write the labels of rows beside the axes.

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
        shown, size = fit_text(ax, texts)
        ax.set_yticks(range(len(texts)), shown, fontsize=size)
        for i in bold:
            ax.get_yticklabels()[i].set_fontweight("bold")
        ax.set_ylim(len(texts) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        # The labels may take almost half of the width, and a number seven characters.
        across, _ = _points(ax)
        n_numbers = int(0.6 * across / (7 * _WIDTH * _usual_size(across)))
        ax.locator_params(axis="x", nbins=max(n_numbers, 2))
        ax.grid(axis="x", alpha=0.3)
        ax.set_axisbelow(True)
        return heights, size

    def _legend_beside(self, handles, labels):
        """Draw a legend to the right of the axes."""
        shown, size = fit_text(self.ax_, labels, 0.45)
        where = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
        self.ax_.legend(handles, shown, fontsize=size, **where, **_PLAIN)

    def _legend_above(self, handles, labels, size=None):
        """Draw a legend above the axes.

        Labels of a font size stand one below the other on the left; without a size they
        are a few words, which stand side by side on the right.
        """
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
        if size is None:
            line = "".join(labels) + 5 * len(labels) * " "
            _, size = fit_text(self.ax_, [line], width=1.2)
            where = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
            where["ncols"] = len(labels)
        where["columnspacing"] = 1
        self.ax_.legend(handles, labels, fontsize=size, **where, **_PLAIN)


def line_styles(n_lines):
    """Return keyword arguments of `Axes.plot` by which lines can be told apart."""
    styles = (style for style in cycle(_STYLES) for _ in COLORS)
    looks = zip(cycle(COLORS), cycle(_MARKERS), styles)
    return [
        {"color": color, "marker": marker, "linestyle": style}
        for color, marker, style in islice(looks, n_lines)
    ]


def fit_text(ax, labels, width=0.55, n_lines=None):
    """Return labels, and the font size with which they fit beside the axes.

    Labels that are too long even in the smallest font are shortened in their middle.

    They stand one below the other. `width` is what they may take as a fraction of that
    of the axes, and `n_lines` how many lines share the height of the axes: if None, as
    many as labels.
    """
    across, down = _points(ax)
    longest = max(map(len, labels), default=1) or 1
    size = max(width * across / (_WIDTH * longest), _SMALLEST)
    line = down / max(n_lines or len(labels), 1)
    size = min(size, line / _HEIGHT, _usual_size(across))
    n_characters = max(int(width * across / (_WIDTH * size)), 8)
    return [_shown(label, n_characters) for label in labels], size


def _shown(label, n_characters):
    """Return a label as matplotlib draws it: no formula, and none that is hidden."""
    if len(label) > n_characters:
        half = (n_characters - 1) // 2
        label = f"{label[: n_characters - half - 1]}…{label[-half:]}"
    label = label.replace("$", r"\$")
    return f" {label}" if label.startswith("_") else label


def number_some(ax, x):
    """Write as many of some integers in ascending order below the axis as fit."""
    across, _ = _points(ax)
    # The legend may take almost half of the width.
    apart = (len(str(max(x))) + 1) * _WIDTH * _usual_size(across) / (0.55 * across)
    points = ax.transData.transform([(value, 0) for value in x])
    places = ax.transAxes.inverted().transform(points)[:, 0]
    ticks, last = [], -np.inf
    for value, place in zip(x, places, strict=True):
        if place - last >= apart:
            ticks.append(value)
            last = place
    ax.set_xticks(ticks, [str(value) for value in ticks])
    ax.set_xticks([], minor=True)


def _points(ax):
    """Return the width and the height of the axes in points."""
    box = ax.get_window_extent()
    return 72 * box.width / ax.figure.dpi, 72 * box.height / ax.figure.dpi


def _usual_size(across):
    """Return the font size of short texts: that of matplotlib, if there is place."""
    from matplotlib import rcParams

    return rcParams["font.size"] * min((across / _WIDE) ** 0.5, 1)


# The abbreviation at the end of a summary line: "Mean reciprocal rank (MRR)."
_ABBREVIATION = re.compile(r"\(([^(),]+)[^()]*\)\.$")

_ADJUSTED = {
    False: "{}",
    True: "adjusted {}",
    "ratio": "{} relative to chance",
    "z": "z-score of {}",
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
    words = words.removesuffix("@k")
    cutoff = cutoff or options.get("k")
    if cutoff:
        words += f"@{cutoff}"
    if metric.inverse:
        words = f"inverse {words}"
    words = _ADJUSTED[options["adjusted"]].format(words)
    return words if request.sign == 1 else f"negative {words}"


def direction_words(greater_is_better):
    """Return which values of a metric are better, in brackets."""
    return f"({'larger' if greater_is_better else 'smaller'} is better)"


def split_cutoff(name):
    """Return a name without its cutoff, and the cutoff or None."""
    found = re.fullmatch(r"(.+?)(?:@|_at_)([1-9][0-9]*)", name, re.ASCII)
    return (found[1], int(found[2])) if found else (name, None)
