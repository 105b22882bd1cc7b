"""The pictures of the user guide, drawn from the functions that they explain."""

# SPDX-License-Identifier: BSD-3-Clause

import doctest
import io
from itertools import pairwise
from pathlib import Path

import numpy as np

from skrank.metrics import (
    catalogue_scores,
    dcg_score,
    evaluate,
    mrr_score,
    rbo_score,
)

# Colours that readers with any colour vision can tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
RED, PURPLE = "#D55E00", "#CC79A7"
GREY, PALE = "#767676", "#C9C9C9"
STYLE = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11.5,
    "figure.facecolor": "white",
    "font.size": 11,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "svg.fonttype": "none",
    "svg.hashsalt": "skrank",
}


def new_figure(n_axes=1, height=3.2, **options):
    """Return a figure as wide as a column of text, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure((6.0, height), layout="constrained")
    return figure, figure.subplots(1, n_axes, **options)


def on_the_landing_page(stop):
    """Return the variables of the examples of the landing page, up to the one named."""
    page = Path(__file__).parents[1] / "index.rst"
    names = {}
    for line in doctest.DocTestParser().get_examples(page.read_text("utf-8")):
        exec(line.source, names)
        if stop in names:
            return names
    raise ValueError(f"{page} has no {stop}")


def choices():
    """Yield what the search of the landing page chooses by each of two metrics.

    That is the name of the metric, its means by the number of trees, the number that is
    best, and the MRR of that number in the new sessions.
    """
    from sklearn.base import clone

    names = on_the_landing_page("search")
    for metric in ["roc_auc", "mrr"]:
        search = clone(names["search"]).set_params(scoring=metric)
        search.fit(names["X"], names["y"])
        (n_trees,) = names["grid"].values()
        means = dict(zip(n_trees, search.cv_results_["mean_test_score"], strict=True))
        (best,) = search.best_params_.values()
        X_new = names["X_new"]
        mrr = mrr_score(names["y_new"], search.predict(X_new), qid=X_new["qid"])
        yield metric, means, best, mrr


def draw_choice():
    """Draw what the search of the landing page chooses by ROC AUC and by MRR."""
    figure, both = new_figure(2, 3.9)
    words = {"roc_auc": ("ROC AUC", RED), "mrr": ("MRR", BLUE)}
    for axes, (metric, means, best, mrr) in zip(both, choices(), strict=True):
        word, colour = words[metric]
        axes.semilogx(
            means.keys(), means.values(), "o-", color=colour, linewidth=3, markersize=8
        )
        axes.plot(best, means[best], "*", color=colour, markersize=26)
        axes.set_title(f'scoring="{metric}"\npicks {best} trees', size=15, pad=12)
        axes.set_ylabel(f"mean {word} in 5 folds", size=12)
        axes.set_xlabel("number of trees", size=12)
        axes.text(
            0.5, -0.3, f"MRR in new\nsessions: {mrr:.2f}", ha="center", va="top",
            transform=axes.transAxes, size=16, color=colour, weight="bold",
        )  # fmt: skip
        axes.set_xticks([*means], [*means], size=12)
        axes.tick_params(axis="y", labelsize=12)
        axes.minorticks_off()
        axes.margins(y=0.15)
        axes.locator_params(axis="y", nbins=4)
    return figure


def draw_comparison():
    """Draw what the example of the landing page draws."""
    return on_the_landing_page("display")["display"].figure_


def draw_problem():
    """Draw two models whose order by ROC AUC is not that by MRR."""
    from sklearn.metrics import roc_auc_score

    y_true, qid = np.array([1, 0, 0, 1, 0, 0]), np.array([0, 0, 0, 1, 1, 1])
    models = {
        "A": [0.9, 0.8, 0.7, 0.3, 0.2, 0.1],
        "B": [0.6, 0.7, 0.1, 0.8, 0.5, 0.2],
    }
    figure, both = new_figure(2, 2.8, sharey=True)
    for axes, (name, scores) in zip(both, models.items(), strict=True):
        axes.plot([0, 1], [[1, 0], [1, 0]], color=PALE, linewidth=1, zorder=0)
        for grade, marker, colour, label in [
            (0, "o", "white", "not relevant"), (1, "D", BLUE, "relevant")
        ]:  # fmt: skip
            rows = y_true == grade
            axes.scatter(
                np.array(scores)[rows], 1 - qid[rows], s=80, marker=marker, c=colour,
                edgecolors=BLUE, linewidths=1.5, label=label,
            )  # fmt: skip
        for query in (0, 1):
            rows = sorted(np.flatnonzero(qid == query), key=lambda row: -scores[row])
            for rank, row in enumerate(rows, 1):
                axes.annotate(
                    rank, (scores[row], 1 - query), (0, 9), ha="center",
                    textcoords="offset points", color=GREY,
                )  # fmt: skip
        mrr = evaluate(y_true, scores, "mrr", qid=qid)["mrr"]
        auc = roc_auc_score(y_true, scores)
        axes.set(
            title=f"model {name}\nMRR {mrr:.2f}, ROC AUC {auc:.3g}",
            xlabel="score", xlim=(0, 1), ylim=(-0.5, 1.6),
            yticks=[1, 0], yticklabels=["query 1", "query 2"],
        )  # fmt: skip
        axes.spines["left"].set_visible(False)
        axes.tick_params(left=False)
    figure.legend(
        *both[0].get_legend_handles_labels(), loc="outside lower center", ncols=2
    )
    return figure


def draw_folds():
    """Draw which rows are tested together by rows and by queries."""
    from sklearn.model_selection import KFold

    from skrank.model_selection import QueryKFold, QueryTimeSeriesSplit

    sizes = [5, 3, 6, 4, 2, 5, 4, 3]
    qid = np.repeat(np.arange(len(sizes)), sizes)
    X, starts = np.zeros((len(qid), 1)), np.cumsum([0, *sizes])
    splits = {
        "KFold(3, shuffle=True)": KFold(3, shuffle=True, random_state=0).split(X),
        "QueryKFold(3)": QueryKFold(3).split(X, qid=qid),
        "QueryTimeSeriesSplit(3)": QueryTimeSeriesSplit(3).split(
            X, qid=qid, time=np.arange(len(qid))
        ),
    }
    figure, axes = new_figure(height=3.4)
    place, labels = 0, []
    for name, split in splits.items():
        for number, (train, test) in enumerate(split):
            for rows, colour in [(train, PALE), (test, BLUE)]:
                spans = [(row + 0.06, 0.88) for row in rows]
                axes.broken_barh(spans, (-place, 0.7), color=colour)
            labels.append((0.35 - place, f"split {number + 1}"))
            place += 1
        axes.text(0, 3.98 - place, name, weight="bold")
        place += 1
    bottom = 1 - place
    for query, (start, stop) in enumerate(pairwise(starts)):
        axes.axvline(stop, color=GREY, linewidth=1, linestyle=":")
        middle = (start + stop) / 2
        axes.text(middle, bottom - 0.55, f"q{query + 1}", ha="center", color=GREY)
    axes.set(
        xlim=(0, len(qid)), ylim=(bottom - 0.7, 1.6), xlabel="rows, by query",
        xticks=[], yticks=[at for at, _ in labels], yticklabels=[x for _, x in labels],
    )  # fmt: skip
    axes.spines[:].set_visible(False)
    axes.tick_params(left=False)
    for colour, label in [(PALE, "training"), (BLUE, "test")]:
        axes.broken_barh([], (0, 0), color=colour, label=label)
    figure.legend(loc="outside lower right", ncols=2)
    return figure


def draw_time():
    """Draw which rows of users are tested by three splits by time."""
    from skrank.model_selection import (
        LeaveLastOut,
        QueryTimeSeriesSplit,
        TimeRangeSplit,
    )

    days = [[1, 2, 4], [3, 8, 12, 18], [2, 6, 9, 16, 19], [11, 13], [15, 17, 20]]
    user = np.repeat(np.arange(len(days)), [len(one) for one in days])
    time = np.concatenate(days)
    splitters = {
        'TimeRangeSplit(\n  test_size="7D")': TimeRangeSplit(test_size="7D"),
        "QueryTimeSeriesSplit(\n  1, test_size=1)": QueryTimeSeriesSplit(
            1, test_size=1
        ),
        "LeaveLastOut()": LeaveLastOut(),
    }
    dates = np.datetime64("2024-05-01") + time
    figure, all_axes = new_figure(3, 2.6, sharey=True)
    for axes, (name, cv) in zip(all_axes, splitters.items(), strict=True):
        ((train, test),) = cv.split(user, qid=user, time=dates)
        rest = np.setdiff1d(np.arange(len(user)), [*train, *test])
        for rows, colour, label in [
            (train, PALE, "training"), (test, BLUE, "test"), (rest, "white", "neither")
        ]:  # fmt: skip
            axes.scatter(
                time[rows], user[rows], s=45, c=colour, label=label,
                edgecolors=GREY if colour == "white" else colour, linewidths=0.8,
            )  # fmt: skip
        axes.set_title(name, loc="left", fontsize=9)
        axes.set(xlabel="time", xticks=[], ylim=(len(days) - 0.5, -0.5))
        axes.spines["left"].set_visible(False)
        axes.tick_params(left=False)
    all_axes[0].set(
        yticks=range(len(days)), yticklabels=[f"user {n + 1}" for n in range(len(days))]
    )
    handles, labels = all_axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def values_by_rank(names, n, **options):
    """Return the values of metrics as the only relevant document moves down."""
    y_score = -np.arange(n)
    found = [evaluate(row, y_score, names, **options) for row in np.eye(n)]
    return {name: np.array([one[name] for one in found]) for name in names}


def draw_first_relevant():
    """Draw the metrics of one rank, and the means of ten ranks."""
    figure, (left, right) = new_figure(2)
    rank = np.arange(1, 16)
    values = values_by_rank(["mrr", "hits@3", "hits@10"], len(rank))
    looks = zip([BLUE, ORANGE, GREEN], ["o", "s", "^"], [2.4, 4.2, 11.2], strict=True)
    for (name, value), (colour, marker, x) in zip(values.items(), looks, strict=True):
        left.plot(rank, value, color=colour, marker=marker, markersize=4)
        y = 0.5 if name == "mrr" else 0.9
        left.text(x, y, name, color=colour, weight="bold")
    left.set(
        title="one query", xlabel="rank of the first relevant document",
        ylabel="value", ylim=(-0.04, 1.06), xticks=[1, 3, 5, 10, 15],
    )  # fmt: skip
    last, n = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], 1000
    names = ["mean", "median", "geometric_mean", "harmonic_mean"]
    means = {name: [] for name in names}
    for bad in last:
        ranks = [1, 1, 1, 2, 2, 3, 4, 6, 9, bad]
        y_score = np.tile(-np.arange(n), (len(ranks), 1))
        found = evaluate(
            np.array(ranks) - 1, y_score, [f"neg_{name}_rank" for name in names]
        )
        for name in names:
            means[name].append(-found[f"neg_{name}_rank"])
    looks = zip([RED, GREY, PURPLE, BLUE], ["o", "s", "^", "D"], strict=True)
    for (name, value), (colour, marker) in zip(means.items(), looks, strict=True):
        label = name.replace("_", " ").replace(" mean", "")
        right.loglog(
            last, value, color=colour, marker=marker, markersize=4, label=label
        )
    right.set(
        title="ten queries, one of them bad", xlabel="rank in the bad query",
        ylabel="mean of the ten ranks", ylim=(1, 150),
        yticks=[1, 2, 5, 10, 20, 50, 100],
    )  # fmt: skip
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_formatter("{x:.0f}")
        axis.set_minor_formatter("")
    right.legend()
    return figure


RELEVANT = np.array([1, 0, 1, 0, 0, 1])


def draw_binary():
    """Draw precision and recall along the list of the page."""
    n = len(RELEVANT)
    y_score, k = -np.arange(n), np.arange(1, n + 1)
    figure, (left, right) = new_figure(2)
    names = ["precision", "recall", "f1"]
    values = evaluate(RELEVANT, y_score, [f"{name}@{i}" for name in names for i in k])
    looks = zip([BLUE, ORANGE, GREY], ["o", "s", "^"], strict=True)
    for name, (colour, marker) in zip(names, looks, strict=True):
        value = [values[f"{name}@{i}"] for i in k]
        left.plot(k, value, color=colour, marker=marker, label=f"{name}@k")
    left.set(title="one list, all cutoffs", xlabel="cutoff k", ylabel="value")
    left.legend(loc="upper center", bbox_to_anchor=(0.55, 1.02))
    precision = np.array([values[f"precision@{i}"] for i in k])
    found = RELEVANT == 1
    right.bar(k[found], precision[found], color=BLUE, width=0.8)
    right.plot(k, precision, color=GREY, marker="o", linewidth=1, markersize=4)
    for rank in k[found]:
        right.annotate(
            f"{precision[rank - 1]:.2f}", (rank, precision[rank - 1]), (0, -16),
            textcoords="offset points", ha="center", color="white", fontsize=9,
        )  # fmt: skip
    average = evaluate(RELEVANT, y_score, "map")["map"]
    right.axhline(average, color=RED, linestyle="--", linewidth=1.5)
    right.text(n + 0.4, average + 0.03, f"AP {average:.2f}", color=RED, ha="right")
    right.set(
        title="AP: the mean of the bars", xlabel="rank",
        ylabel="precision at the rank",
    )  # fmt: skip
    for axes in (left, right):
        axes.set(ylim=(0, 1.13), xlim=(0.4, n + 0.6), xticks=k)
        axes.scatter(
            k, np.full(n, 0.035), marker="D", s=45, zorder=3, clip_on=False,
            c=["black" if x else "white" for x in RELEVANT], edgecolors="black",
        )  # fmt: skip
    return figure


GRADES = np.array([2, 0, 3, 1])


def draw_graded():
    """Draw the gains of grades, and what each rank adds to the DCG."""
    figure, (left, right) = new_figure(2)
    grades, rank = np.arange(5), np.arange(1, len(GRADES) + 1)
    for gain, colour, marker in [("exponential", BLUE, "o"), ("linear", ORANGE, "s")]:
        gains = [dcg_score([grade], [1.0], gain=gain) for grade in grades]
        left.plot(grades, gains, color=colour, marker=marker, label=gain)
    left.set(title="gain of a grade", xlabel="grade", ylabel="gain", xticks=grades)
    left.legend()
    for shift, name, colour, order in [
        (-0.2, "own", BLUE, GRADES),
        (0.2, "ideal", PALE, np.sort(GRADES)[::-1]),
    ]:
        sums = [dcg_score(order, -rank, k=k) for k in rank]
        added = np.diff([0.0, *sums])
        label = f"{name}: DCG {sums[-1]:.2f}"
        right.bar(rank + shift, added, 0.38, color=colour, label=label)
        for at, grade, height in zip(rank + shift, order, added, strict=True):
            right.text(at, height + 0.1, grade, ha="center", color=GREY)
    ndcg = evaluate(GRADES, -rank, "ndcg")["ndcg"]
    right.set(
        title=f"NDCG {ndcg:.2f}: own DCG / ideal", xlabel="rank", xticks=rank,
        ylabel="gain \N{MULTIPLICATION SIGN} discount", ylim=(0, 9.8),
    )  # fmt: skip
    right.legend()
    return figure


def draw_cascade():
    """Draw the weights of ranks, and the readers of ERR."""
    figure, (left, right) = new_figure(2)
    rank = np.arange(1, 13)
    curves = {
        "DCG": ("dcg", {}, GREY, "s"),
        "RBP, p = 0.8": ("rbp", {"p": 0.8}, BLUE, "o"),
        "RBP, p = 0.5": ("rbp", {"p": 0.5}, ORANGE, "^"),
    }
    for label, (name, options, colour, marker) in curves.items():
        weight = values_by_rank([name], len(rank), **options)[name]
        left.plot(
            rank, weight / weight[0], color=colour, marker=marker, markersize=4,
            label=label,
        )  # fmt: skip
    left.set(
        title="weight of a rank, for any list", xlabel="rank", ylim=(0, 1.05),
        ylabel="weight, relative to rank 1", xticks=[1, 4, 8, 12],
    )  # fmt: skip
    left.legend()
    y_score = -np.arange(len(GRADES))
    value = [evaluate(GRADES, y_score, f"err@{k}")[f"err@{k}"] for k in rank[:4]]
    stops = np.diff([0.0, *value]) * rank[:4]
    reading = 1 - np.cumsum([0.0, *stops])[:-1]
    right.bar(rank[:4], reading, color=PALE, label="still read")
    right.bar(rank[:4], stops, color=BLUE, width=0.5, label="stop here")
    right.set(
        title=f"readers of one list: ERR {value[-1]:.2f}", ylim=(0, 1.05),
        xlabel="rank (grade)", ylabel="fraction of the readers", xticks=rank[:4],
        xticklabels=[f"{i}\n({g})" for i, g in zip(rank, GRADES, strict=False)],
    )  # fmt: skip
    right.legend()
    return figure


def draw_agreement():
    """Draw the pairs of two rankings that differ at the top and at the bottom."""
    figure, both = new_figure(2, 3.4)
    ideal = [4, 3, 2, 1, 0]
    names = {"rank_correlation": "rank correlation", "spearman": "Spearman"}
    names |= {"rbo": "RBO with p = 0.5"}
    for axes, title, own in [
        (both[0], "the top two swapped", [3, 4, 2, 1, 0]),
        (both[1], "the last two swapped", [4, 3, 2, 0, 1]),
    ]:
        for grade in ideal:
            ranks = [ideal.index(grade) + 1, own.index(grade) + 1]
            colour = GREY if ranks[0] == ranks[1] else RED
            axes.plot([0, 1], ranks, color=colour, marker="o", markersize=8)
            axes.text(-0.08, ranks[0], f"grade {grade}", ha="right", va="center")
            axes.text(1.08, ranks[1], grade, va="center")
        by_score = (own, [5, 4, 3, 2, 1])
        values = evaluate(*by_score, list(names))
        values["rbo"] = rbo_score(*by_score, p=0.5)
        text = "\n".join(f"{label}: {values[n]:.2f}" for n, label in names.items())
        axes.text(0.5, 5.6, text, ha="center", va="top")
        axes.set(title=title, xlim=(-0.7, 1.4), ylim=(7.4, 0.6), yticks=[])
        axes.set_xticks([0, 1], ["by grade", "by score"])
        axes.xaxis.tick_top()
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    return figure


def draw_adjusted():
    """Draw metrics of random scores and of one model by the length of the lists."""
    figure, (left, right) = new_figure(2, sharex=True)
    lengths = np.array([2, 3, 5, 10, 20, 50, 100, 200, 500, 1000])
    names = {"ndcg": "ndcg", "hits@10": "hits@10", "mrr": "mrr"}
    looks = list(zip([ORANGE, GREEN, BLUE], ["s", "^", "o"], strict=True))
    for name, (colour, marker) in zip(names, looks, strict=True):
        chance = [
            evaluate(np.eye(1, n), np.zeros((1, n)), name)[name] for n in lengths
        ]  # fmt: skip
        left.semilogx(lengths, chance, color=colour, marker=marker, label=name)
    left.set(title="random scores", ylabel="value")
    rng = np.random.default_rng(0)
    curves = {"mrr": [], "adjusted_mrr": [], "adjusted_mean_rank_index": []}
    for n in lengths:
        y_score = rng.normal(size=(5_000, n))
        y_score[:, 0] += 1.5
        found = evaluate(np.zeros(len(y_score), dtype=int), y_score, list(curves))
        for name in curves:
            curves[name].append(found[name])
    looks = zip([BLUE, RED, PURPLE], ["o", "D", "v"], strict=True)
    for (name, value), (colour, marker) in zip(curves.items(), looks, strict=True):
        right.semilogx(lengths, value, color=colour, marker=marker, label=name)
    right.set(title="one model, lists of any length")
    for axes in (left, right):
        axes.set(xlabel="documents, one of them relevant", ylim=(-0.03, 1.5))
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.legend(loc="upper right", fontsize=9.5, handlelength=1.2)
    return figure


def draw_ties():
    """Draw the reciprocal rank of every place in a tie group, and the five rules."""
    figure, axes = new_figure(height=3.2)
    target, tied = [0, 0, 1, 0, 0], [1, 1, 1, 1, 1]
    place = np.arange(1, len(tied) + 1)
    axes.bar(place, values_by_rank(["mrr"], len(tied))["mrr"], color=PALE, width=0.6)
    rules = {
        "optimistic": GREEN, "expected": BLUE, "realistic": PURPLE, "first": GREY,
        "pessimistic": RED,
    }  # fmt: skip
    looks = zip(rules.items(), ["-", "-", "-", (0, (2, 2)), "-"], strict=True)
    for (rule, colour), line in looks:
        value = mrr_score(target, tied, ties=rule)
        axes.axhline(value, color=colour, linestyle=line)
        if rule != "first":
            label = rule.replace("realistic", "realistic, first")
            axes.text(5.6, value, f"{label} {value:.3f}", color=colour, va="center")
    axes.set(
        title="five tied documents, one of them relevant", xticks=place, ylim=(0, 1.05),
        xlabel="place of the relevant document in one order of the tie",
        ylabel="reciprocal rank", xlim=(0.5, 5.5),
    )  # fmt: skip
    return figure


def draw_exposure():
    """Draw how much attention a group gets in three orders of the same documents."""
    figure, axes = new_figure(height=2.4)
    weight = values_by_rank(["dcg"], 6)["dcg"]
    looks = {"aaaabb": RED, "abaaba": BLUE, "baabaa": RED}
    for row, (order, colour) in enumerate(looks.items()):
        of_b = weight[np.array(list(order)) == "b"].sum() / weight.sum()
        axes.barh(-row, of_b, 0.6, color=colour)
        axes.text(0.01, -row, f"{of_b:.0%}", va="center", color="white", size=14)
    axes.axvline(2 / 6, color="black", linestyle=":", linewidth=1.5, ymax=0.86)
    axes.text(2 / 6, 0.52, "target: 33%", ha="center", size=14)
    axes.set(title="attention for the two documents b", xlim=(0, 0.5), xticks=[])
    axes.set(ylim=(-2.4, 0.85))
    axes.set_yticks(
        [0, -1, -2], [" ".join(order) for order in looks], size=14, family="monospace"
    )
    axes.spines[["bottom"]].set_visible(False)
    axes.tick_params(length=0)
    return figure


def draw_catalogue():
    """Draw how often two recommenders show each area, and the coverage by lists."""
    from scipy.sparse import coo_array

    file = Path(__file__).parents[2] / "examples" / "msweb.tsv.gz"
    visitor, area, is_test = np.loadtxt(file, dtype=int, skiprows=1, unpack=True)
    users, train = np.unique(visitor[is_test == 1]), is_test == 0
    places = visitor[train], area[train]
    visits = coo_array((np.ones(train.sum()), places), (32_710, 285)).tocsr()
    n_visits = np.maximum(visits.sum(axis=0), 0.5)
    together = (visits.T @ visits).toarray() / np.sqrt(np.outer(n_visits, n_visits))
    known = visits[users].toarray()
    user, area = np.nonzero(known == 0)
    tables = {"popular": np.tile(n_visits, (len(users), 1))}
    tables["neighbours"] = known @ together
    tables = {name: table[known == 0] for name, table in tables.items()}
    place = np.searchsorted(np.unique(user), user)

    def lists(n):
        few = place < n
        return catalogue_scores(
            {name: table[few] for name, table in tables.items()},
            qid=user[few], item=area[few], k=10, items=np.arange(285),
        )  # fmt: skip

    figure, (left, right) = new_figure(2)
    n_lists = [3, 10, 30, 100, 300, 1000, 2500]
    curves = [lists(n).summary() for n in n_lists]
    site = lists(len(users))
    looks = zip([RED, BLUE], ["s", "o"], [(60, 0.1), (3, 0.32)], strict=True)
    for name, (colour, marker, place) in zip(tables, looks, strict=True):
        counts = np.sort(list(site.counts[name].values()))[::-1]
        gini = site.summary()[name]["gini"]
        label = f"{name}: Gini {gini:.2f}"
        left.plot(np.arange(1, len(counts) + 1), counts, color=colour, label=label)
        cover = [curve[name]["coverage"] for curve in curves]
        right.semilogx(n_lists, cover, color=colour, marker=marker, markersize=4)
        right.text(*place, name, color=colour, weight="bold")
    left.set(
        title="how often an area is shown", xlabel="areas, most frequent first",
        ylabel="lists", xlim=(0, 100),
    )  # fmt: skip
    left.legend(loc="upper right", fontsize=9.5)
    right.set(
        title="coverage", xlabel="number of lists", ylim=(0, 0.6),
        xticks=[10, 100, 1000],
    )  # fmt: skip
    right.xaxis.set_major_formatter("{x:.0f}")
    right.minorticks_off()
    return figure


def draw_subtopics():
    """Draw what each passage of two lists adds to the gain of its subtopics."""
    figure, both = new_figure(2, sharey=True)
    lists = {"repeats itself": ["a", "a", "ab", "c"], "says all": ["ab", "c", "a", "a"]}
    colours = {"a": BLUE, "b": ORANGE, "c": GREEN}
    for axes, (title, passages) in zip(both, lists.items(), strict=True):
        said = dict.fromkeys(colours, 0)
        for rank, passage in enumerate(passages, 1):
            height = 0.0
            for fact in passage:
                gain = 0.5 ** said[fact]
                axes.bar(rank, gain, 0.8, height, color=colours[fact], edgecolor="w")
                axes.text(rank, height + gain / 2, fact, ha="center", va="center")
                height, said[fact] = height + gain, said[fact] + 1
        own = (None, -np.arange(4))
        columns = {"subtopics": [list(passage) for passage in passages]}
        found = evaluate(*own, ["subtopic_recall@2", "alpha_ndcg@4"], **columns)
        recall, alpha = found.values()
        axes.set(
            title=f"{title}\nrecall@2 {recall:.2f}, \N{GREEK SMALL LETTER ALPHA}-nDCG "
            f"{alpha:.2f}",
            xlabel="rank of the passage", xticks=range(1, 5), ylim=(0, 2.1),
        )  # fmt: skip
    both[0].set_ylabel("gain of its facts")
    return figure


def draw_unjudged():
    """Draw the values of two rankers of which one chose what was judged."""
    from sklearn.linear_model import Ridge

    from skrank.datasets import load_digits_retrieval

    digits = load_digits_retrieval(n_queries=300, n_documents=100)
    train, test = digits.qid < 100, digits.qid >= 100
    model = Ridge().fit(digits.data[train], digits.target[train])
    X, y, qid = digits.data[test], digits.target[test], digits.qid[test]
    runs = {"old": -X.sum(axis=1), "new": model.predict(X)}
    order = np.lexsort((-runs["old"], qid)).reshape(-1, 100)
    judged = np.isin(np.arange(len(y)), order[:, :5])
    figure, axes = new_figure(height=2.9)
    settings = {
        "judged: the top 5 of old": {"judged": judged},
        "judged: everything": {},
    }
    for place, options in enumerate(settings.values()):
        for side, (name, colour) in enumerate([("old", GREY), ("new", BLUE)]):
            given = {"qid": qid, **options}
            value = evaluate(y, runs[name], "ndcg@10", **given)["ndcg@10"]
            x = place + 0.36 * (side - 0.5)
            axes.bar(x, value, 0.32, color=colour)
            axes.text(x, value + 0.02, f"{value:.2f}", ha="center", size=13)
            axes.text(x, 0.04, name, ha="center", color="white", size=13)
    axes.set(ylabel="NDCG@10", ylim=(0, 1), yticks=[0, 0.5, 1])
    axes.set_xticks(range(2), list(settings), size=13)
    axes.tick_params(axis="x", length=0)
    return figure


def draw_large_data():
    """Draw how tables that are larger than memory become values of queries."""
    spark, dask = ("Spark", 2.6, 0.7), ("Dask", 3.3, 0.7)
    files, frames = ("Parquet\nCSV, JSON", 0, 1.2), ("pandas, polars\nArrow", 1.2, 1.4)
    values = [("QueryScores", 0, 2.6), ("lazy frame", 2.6, 1.4)]
    # What is in a row, and where arrows come from the row above.
    rows = {
        "your data": ([files, frames, spark, dask], []),
        "brings the rows of\neach query together": (
            [("DuckDB", 0, 2.6), spark, dask], [0.6, 1.9, 2.95, 3.65]
        ),
        "scores whole queries": ([("skrank", 0, 4)], [1.3, 2.95, 3.65]),
        "a row per query": (values, [1.3, 3.3]),
    }  # fmt: skip
    figure, axes = new_figure(height=3.0)
    gap = 0.06
    for place, (title, (boxes, arrows)) in enumerate(rows.items()):
        axes.text(-0.1, 0.3 - place, title, ha="right", va="center", color=GREY)
        for text, left, width in boxes:
            colours = (BLUE, "white") if text == "skrank" else ("white", "black")
            axes.broken_barh(
                [(left + gap, width - 2 * gap)], (-place, 0.6), linewidth=1.5,
                facecolor=colours[0], edgecolor=BLUE,
            )  # fmt: skip
            axes.text(
                left + width / 2, 0.3 - place, text, color=colours[1], ha="center",
                va="center",
            )  # fmt: skip
        for x in arrows:
            axes.annotate(
                "", (x, 0.62 - place), (x, 0.98 - place),
                arrowprops={"arrowstyle": "->", "color": GREY},
            )  # fmt: skip
    axes.set(xlim=(-1.7, 4), ylim=(-3.05, 0.65))
    axes.set_axis_off()
    return figure


PICTURES = {
    name.removeprefix("draw_"): function
    for name, function in list(globals().items())
    if name.startswith("draw_")
}


def as_svg(draw, style=STYLE, bounds="tight"):
    """Return the figure that a function draws, in a style, as an SVG without dates."""
    import matplotlib as mpl

    file, metadata = io.BytesIO(), {"Date": None}
    with mpl.rc_context(style):
        draw().savefig(file, format="svg", bbox_inches=bounds, metadata=metadata)
    return file.getvalue()


def files(*names):
    """Return the pictures with these names, or all of them."""
    return {
        f"pictures/{name}.svg": as_svg(PICTURES[name]) for name in names or PICTURES
    }
