"""The thumbnails of the gallery: one idea each, in type that is legible at 200 pixels.

They are sketches, without numbers on their axes. An example names its thumbnail in a
comment; one that does not shows its first picture.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.patches import Rectangle

from docs.makers.pictures import BLUE, GREEN, GREY, PALE, RED, as_svg
from skrank.metrics import evaluate

STYLE = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "white",
    "font.size": 9,
    "lines.linewidth": 2.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "skrank",
}


def new_axes(xlabel="", ylabel=""):
    """Return a figure of the proportions of a thumbnail, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure((2.1, 1.45), layout="constrained")
    axes = figure.subplots()
    axes.set(xticks=[], yticks=[], xlabel=xlabel, ylabel=ylabel)
    return figure, axes


def blank_axes():
    """Return axes without lines, from 0 to 1."""
    figure, axes = new_axes()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    return figure, axes


def draw_fusion():
    """Draw two rankings that become one."""
    figure, axes = blank_axes()
    for x, colours in [(0.02, (BLUE, GREEN, GREY)), (0.32, (RED, BLUE, GREEN))]:
        for row, colour in enumerate(colours):
            axes.add_patch(
                Rectangle((x, 0.68 - 0.26 * row), 0.22, 0.18, facecolor=colour)
            )
    axes.text(0.61, 0.5, "\N{RIGHTWARDS ARROW}", ha="center", va="center", size=16)
    for row, colour in enumerate((BLUE, GREEN, RED, GREY)):
        axes.add_patch(
            Rectangle((0.72, 0.81 - 0.26 * row), 0.26, 0.18, facecolor=colour)
        )
    return figure


def draw_tune_lightgbm():
    """Draw two metrics that are best at different numbers of trees."""
    figure, axes = new_axes("number of trees")
    x = np.linspace(0, 1, 100)
    for name, best, colour in [("ROC AUC", 0.27, RED), ("MRR", 0.75, BLUE)]:
        y = 1 - (x - best) ** 2
        axes.plot(x, y, color=colour)
        axes.plot(best, 1, "o", color=colour, markersize=7)
        axes.text(best, 1.06, name, color=colour, ha="center", weight="bold")
    axes.set(ylim=(0.35, 1.25))
    return figure


def draw_early_stopping():
    """Draw a metric that falls again, and where the training stops."""
    figure, axes = new_axes("trees", "NDCG@10")
    x = np.linspace(0, 1, 100)
    axes.plot(x, 1 - np.exp(-7 * x) - 0.3 * x**2, color=BLUE)
    axes.axvline(0.5, color=RED)
    axes.text(0.54, 0.3, "stop", color=RED, weight="bold")
    return figure


def write_code(*lines):
    """Draw lines of code, each a pair of a colour and a string."""
    figure, axes = blank_axes()
    for row, (colour, text) in enumerate(lines):
        y = 0.8 - 0.24 * row
        text = text.replace(" ", "\N{NO-BREAK SPACE}")  # SVG drops leading spaces
        axes.text(0.03, y, text, color=colour, family="monospace", size=10)
    return figure


def draw_own_metric():
    """Draw a metric as code."""
    return write_code(
        (BLUE, "def my_metric(r):"), (GREY, "  return ..."), (GREEN, '"my_metric@10"')
    )  # fmt: skip


def draw_own_ranker():
    """Draw a ranker as code."""
    return write_code(
        (BLUE, "class ListNet:"), (GREY, "  fit(X, y, qid)"), (GREY, "  predict(X)"),
        (GREEN, "GridSearchCV"),
    )  # fmt: skip


def draw_is_it_better():
    """Draw an interval that excludes 0 and one that does not."""
    figure, axes = new_axes("difference")
    axes.axvline(0, color="black", linewidth=1)
    for y, x, half, colour in [(1, 0.6, 0.35, BLUE), (0, 0.2, 0.5, GREY)]:
        axes.plot([x - half, x + half], [y, y], color=colour)
        face = colour if colour == BLUE else "white"
        axes.plot(x, y, "o", color=colour, markerfacecolor=face, markersize=8)
    axes.text(0.6, 1.25, "better", color=BLUE, ha="center", weight="bold")
    axes.text(0.4, 0.25, "unclear", color=GREY, ha="center", weight="bold")
    axes.set(ylim=(-0.5, 1.8), xlim=(-0.5, 1.1), xticks=[0])
    return figure


def draw_many_rankers():
    """Draw the means of rankers with letters."""
    figure, axes = new_axes("mean")
    letters, means = ["a", "a", "b", "bc", "c"], [0.8, 0.74, 0.55, 0.45, 0.3]
    for y, (mean, letter) in enumerate(zip(means, letters, strict=True)):
        colour = BLUE if letter == "a" else RED
        axes.plot([mean - 0.12, mean + 0.12], [y, y], color=PALE)
        axes.plot(mean, y, "o" if colour == BLUE else "s", color=colour, markersize=6)
        axes.text(1.05, y, letter, va="center", weight="bold")
    axes.set(ylim=(4.6, -0.6), xlim=(0.1, 1))
    return figure


def draw_worse_queries():
    """Draw the differences by query, with those that lost."""
    figure, axes = new_axes("queries")
    gain = np.array([9, 7, 6, 4.5, 3.5, 3, 2, 1, 0, 0, -2, -5]) / 10
    colours = [RED if one < 0 else BLUE for one in gain]
    axes.bar(range(len(gain)), gain, 0.9, color=colours)
    axes.axhline(0, color="black", linewidth=1)
    axes.text(2, 0.95, "better", color=BLUE, weight="bold")
    axes.text(9.2, -0.45, "worse", color=RED, weight="bold", ha="right")
    axes.spines["bottom"].set_visible(False)
    axes.set(ylim=(-0.6, 1.2))
    return figure


def draw_segments():
    """Draw the intervals of two models in three segments."""
    figure, axes = new_axes()
    for y, (old, new) in enumerate([(0.4, 0.85), (0.55, 0.9), (0.7, 0.45)]):
        for x, colour, marker, shift in [
            (old, GREY, "s", 0.13),
            (new, BLUE, "o", -0.13),
        ]:
            axes.plot([x - 0.1, x + 0.1], [y + shift, y + shift], color=colour)
            axes.plot(x, y + shift, marker, color=colour, markersize=6)
    axes.set_yticks(range(3), ["fr", "de", "jp"])
    axes.tick_params(length=0)
    axes.set(ylim=(2.6, -0.6), xlim=(0.2, 1.1), xlabel="NDCG@10")
    return figure


def draw_two_bars(names, heights, colours, ylabel):
    """Draw two bars with their names below them."""
    figure, axes = new_axes(ylabel=ylabel)
    axes.bar([0, 1], heights, 0.6, color=colours)
    axes.set_xticks([0, 1], names)
    axes.tick_params(length=0)
    axes.set(ylim=(0, 1), xlim=(-0.6, 1.6))
    return figure


def draw_leak():
    """Draw what folds of rows say, and what folds of queries do."""
    names = ["folds of\nrows", "folds of\nqueries"]
    return draw_two_bars(names, [0.9, 0.55], [RED, BLUE], "estimate")


def draw_recommender():
    """Draw a model beside popularity."""
    return draw_two_bars(["popular", "model"], [0.45, 0.8], [GREY, BLUE], "NDCG@10")


def draw_ties():
    """Draw what tied documents can make of a metric."""
    figure, axes = new_axes("MRR")
    axes.plot([0.15, 0.85], [0, 0], color=PALE, linewidth=4)
    for x, marker, colour, word in [
        (0.15, "<", RED, "worst"), (0.45, "o", "black", "mean"),
        (0.85, ">", BLUE, "best"),
    ]:  # fmt: skip
        axes.plot(x, 0, marker, color=colour, markersize=10)
        axes.text(x, 0.25, word, color=colour, ha="center", weight="bold")
    axes.set(ylim=(-0.5, 0.7), xlim=(0, 1))
    axes.spines["left"].set_visible(False)
    return figure


def draw_conventions():
    """Draw three values of NDCG for one list."""
    figure, axes = blank_axes()
    lists = {"y_true": [3, 0, 2, 1, 0], "y_score": [2, 2, 2, 1, 0]}
    lists |= {"qid": np.ones(5), "doc_id": np.arange(5)}
    axes.text(0.5, 0.9, "one list, NDCG", ha="center", va="center")
    for row, (name, colour) in enumerate(
        [("trec_eval", BLUE), ("lightgbm", RED), ("sklearn", GREEN)]
    ):
        value = evaluate(**lists, metrics="ndcg", convention=name)["ndcg"]
        y = 0.62 - 0.26 * row
        axes.text(0, y, name, color=colour, va="center")
        axes.text(
            1, y, f"{value:.3f}", color=colour, ha="right", va="center", weight="bold"
        )
    return figure


def draw_unjudged():
    """Draw the values that a ranker may have, and the one that it gets."""
    figure, axes = new_axes("NDCG@10")
    for y, low, high, value, colour in [
        (1, 0.3, 0.75, 0.74, BLUE),
        (0, 0.15, 0.95, 0.58, RED),
    ]:
        axes.plot([low, high], [y, y], color=PALE, linewidth=6)
        axes.plot(value, y, "o", color=colour, markersize=8)
    axes.text(0.3, 1.25, "old, judged", color=BLUE, weight="bold")
    axes.text(0.15, 0.25, "new, unjudged", color=RED, weight="bold")
    axes.spines["left"].set_visible(False)
    axes.set(ylim=(-0.5, 1.7), xlim=(0.1, 1))
    return figure


def draw_human_and_machine():
    """Draw the interval of human labels, of an LLM, and of both, with the truth."""
    figure, axes = new_axes("NDCG@10")
    for y, low, high, word, colour in [
        (2, 0.2, 0.75, "human", GREY),
        (1, 0.78, 0.9, "LLM", RED),
        (0, 0.38, 0.62, "both", BLUE),
    ]:
        axes.plot([low, high], [y, y], color=colour, linewidth=5)
        axes.text(high + 0.05, y, word, color=colour, weight="bold", va="center")
    axes.axvline(0.5, color="black", linestyle=":")
    axes.spines["left"].set_visible(False)
    axes.set(ylim=(-0.5, 2.5), xlim=(0.1, 1.2))
    return figure


def draw_chance():
    """Draw the reciprocal rank of random scores by the length of the list."""
    figure, axes = new_axes("documents", "MRR")
    n = np.arange(2, 101)
    axes.semilogx(n, [np.mean(1 / np.arange(1, i + 1)) for i in n], color=GREY)
    axes.axhline(0.7, color=BLUE)
    axes.text(100, 0.73, "model", color=BLUE, ha="right", weight="bold")
    axes.text(30, 0.22, "random", color=GREY, weight="bold", ha="center")
    axes.minorticks_off()
    axes.set(xticks=[], ylim=(0, 0.9))
    return figure


def draw_diversity():
    """Draw candidates, and the front of those that are best in one metric."""
    figure, axes = new_axes("NDCG@10", "diversity")
    x = np.array([0.1, 0.4, 0.62, 0.78, 0.88])
    front = 1 - x**2.5
    axes.plot(x, front, "o-", color=BLUE, markersize=6)
    axes.scatter(x[:4] - 0.04, front[:4] - 0.33, s=20, color=PALE)
    axes.plot(x[2], front[2], "o", color=RED, markersize=9)
    axes.set(xlim=(0, 1), ylim=(0.15, 1.1))
    return figure


def draw_passages():
    """Draw passages of which two say the same, and all that they should say."""
    figure, axes = blank_axes()
    for row, facts in enumerate(["a", "a", "ab", "c"]):
        y = 0.85 - 0.24 * row
        axes.barh(y, 0.5, 0.17, color=PALE)
        for place, fact in enumerate(facts):
            colour = {"a": BLUE, "b": RED, "c": GREEN}[fact]
            axes.scatter(0.08 + 0.13 * place, y, s=70, color=colour)
    for place, colour in enumerate([BLUE, RED, GREEN, "white"]):
        y = 0.85 - 0.24 * place
        axes.scatter(0.92, y, s=70, color=colour, edgecolor=GREY)
    axes.annotate(
        "", (0.83, 0.5), (0.56, 0.5), arrowprops={"arrowstyle": "->", "linewidth": 2}
    )
    return figure


def draw_exposure():
    """Draw how little of the first ranks belongs to a group."""
    figure, axes = new_axes("rank", "exposure")
    rank = np.arange(1, 8)
    small = [4, 6, 7]
    colours = [RED if one in small else BLUE for one in rank]
    axes.bar(rank, 1 / np.log2(rank + 1), 0.8, color=colours)
    axes.text(2.2, 0.85, "large sellers", color=BLUE, weight="bold")
    axes.text(7.5, 0.53, "small ones", color=RED, weight="bold", ha="right")
    axes.set(ylim=(0, 1.05))
    return figure


def draw_link_prediction():
    """Draw a graph with an edge that is asked for."""
    figure, axes = blank_axes()
    nodes = np.array([[0.12, 0.75], [0.5, 0.9], [0.3, 0.2], [0.85, 0.35]])
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        axes.plot(*nodes[[one, other]].T, color=PALE, zorder=0)
    axes.plot(*nodes[[1, 3]].T, color=RED, linestyle=":", zorder=0)
    axes.scatter(*nodes.T, s=160, color=BLUE)
    axes.text(0.76, 0.68, "?", color=RED, size=16, weight="bold", va="center")
    axes.set(xlim=(0, 1), ylim=(0.05, 1.05))
    return figure


def draw_million_rows():
    """Draw a long table that becomes a row for each query."""
    figure, axes = blank_axes()
    for row in range(9):
        colour = [BLUE, RED, GREEN][row // 3]
        axes.barh(0.94 - 0.11 * row, 0.38, 0.08, color=colour, alpha=0.55)
    for row, colour in enumerate([BLUE, RED, GREEN]):
        axes.barh(0.83 - 0.33 * row, 0.25, 0.12, left=0.75, color=colour)
    axes.annotate(
        "", (0.72, 0.5), (0.42, 0.5), arrowprops={"arrowstyle": "->", "linewidth": 2}
    )
    return figure


THUMBNAILS = {
    name.removeprefix("draw_"): function
    for name, function in list(globals().items())
    if name.startswith("draw_") and name != "draw_two_bars"
}


def files(*names):
    """Return the thumbnails of these examples, or all of them."""
    return {
        f"thumbnails/{name}.svg": as_svg(THUMBNAILS[name], STYLE, None)
        for name in names or THUMBNAILS
    }
