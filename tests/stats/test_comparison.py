"""What a comparison shows: letters, tables and the worst queries."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import pickle
import re

import numpy as np
import pytest

from skrank.metrics import mean_rank, score_queries
from skrank.stats import RankerComparison, compare_rankers, confidence_interval
from skrank.stats.comparison import letters
from tests.stats.pilot import drawn_scores, scores_of

pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")


def test_a_ranker_between_two_that_differ_shares_a_letter_with_each():
    # B is like both A and C.
    different = [{"A", "C"}, {"A", "D"}, {"B", "D"}, {"C", "D"}]
    found = letters(list("ABCD"), lambda *pair: {*pair} in different)
    assert found == {"A": "a", "B": "ab", "C": "b", "D": "c"}


def test_two_rankers_share_a_letter_exactly_if_they_are_not_different():
    rng = np.random.RandomState(0)
    names = [f"ranker {i}" for i in range(9)]
    for _ in range(30):
        is_different = rng.rand(9, 9) < 0.5
        found = letters(
            names,
            lambda one, other, told=is_different: bool(
                told[tuple(sorted((names.index(one), names.index(other))))]
            ),
        )
        for i, j in zip(*np.triu_indices(9, 1), strict=True):
            share = bool(set(found[names[i]]) & set(found[names[j]]))
            assert share != is_different[i, j]


def test_twenty_six_rankers_have_letters_and_one_more_has_none():
    names = [f"ranker {i}" for i in range(27)]
    assert letters(names[:26], lambda *_: False) == dict.fromkeys(names[:26], "a")
    assert letters(names[:26], lambda *_: True)["ranker 25"] == "z"
    assert letters(names, lambda *_: False) is None


def test_more_groups_than_letters_have_none():
    def in_a_ring(*steps):
        return lambda i, j: min((i - j) % 26, (j - i) % 26) not in steps

    # By brute force over all sets of rankers: 78 and 52 largest groups.
    assert letters(range(26), in_a_ring(1, 3, 7)) is None
    found = letters(range(26), in_a_ring(1, 2, 3, 6))
    assert len(set("".join(found.values()))) == 52


def test_labels_of_more_than_twelve_letters_are_left_out():
    # The first ranker is like all other ones, each of which is like the next.
    def is_different(one, other):
        return 0 not in (one, other) and abs(one - other) > 1

    assert letters(range(14), is_different)[0] == "abcdefghijkl"
    assert letters(range(15), is_different) is None
    # 8 groups of 3 with 3^8 sets that hold one of each.
    assert letters(range(24), lambda one, other: one // 3 == other // 3) is None


@pytest.mark.slow
def test_a_comparison_of_many_rankers_says_that_letters_are_left_out():
    values = np.random.RandomState(0).rand(27, 20)
    scores = scores_of(**{f"r{i}": row for i, row in enumerate(values)})
    comparison = compare_rankers(scores)
    assert comparison.letters is None
    assert "Letters are left out" in str(comparison).split("\n\n")[0]


@pytest.mark.parametrize("options", [{"baseline": "a"}, {"margin": 0.1}])
def test_there_are_letters_for_all_pairs_and_any_difference_only(options):
    assert compare_rankers(drawn_scores("mrr"), **options).letters is None


def test_the_best_ranker_of_a_metric_where_less_is_better_is_first():
    text = str(compare_rankers(drawn_scores("neg_mean_rank")))
    assert text.index("\nneg_mean_rank  a") < text.index("\nneg_mean_rank  c")


def test_the_title_counts_the_undefined_queries():
    values = np.random.RandomState(0).rand(3, 20)
    values[0, :3] = np.nan
    two = compare_rankers(scores_of(a=values[0], b=values[1]))
    assert str(two).startswith("20 queries (3 undefined), 1 comparison")
    three = compare_rankers(scores_of(a=values[0], b=values[1], c=values[2]))
    assert str(three).startswith("20 queries (0 to 3 undefined), 3")


def test_it_prints_the_family_the_rankers_and_their_differences():
    scores = scores_of(old=[0.0, 0, 0, 0, 0, 0], new=[0.5, 0.25, 0, 0.5, 0.75, 1])
    comparison = compare_rankers(scores)
    title, estimates, differences, found = str(comparison).split("\n\n")
    assert title == (
        "6 queries, 1 comparison (1 pair x 1 metric): sign-flip test, 95% intervals"
    )
    assert found.startswith("No significant difference. 6 queries")
    assert comparison.letters is None
    assert "<sup>" not in comparison.to_markdown()
    better = compare_rankers(scores_of(old=np.linspace(0, 0.5, 30), new=np.ones(30)))
    assert "| new | **1.0000**<sup>†</sup> |" in better.to_markdown()
    rows = [line.split() for line in estimates.split("\n")]
    assert rows[0] == ["metric", "ranker", "estimate", "interval"]
    assert [row[:3] for row in rows[1:]] == [
        ["value", "new", "0.5000"],
        ["value", "old", "0.0000"],
    ]
    # All five differences are positive: p = 2 / 2^5.
    assert differences.split("\n")[1].split() == [
        *("value", "new", "old", "+0.5000", "[0.0000,", "1.0000]", "0.062", "5/1/0")
    ]


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"margin": 0.1}, "of differences simultaneous; is the difference within 0.1"),
        (
            {"margin": 0.1, "correction": None},
            "of differences 90%, one by one; is the difference within 0.1 of 0?",
        ),
        ({}, "max-T, 95% intervals, those of differences simultaneous"),
        ({"correction": None}, "those of differences one by one"),
        (
            {"clusters": np.arange(60) // 2},
            "30 clusters of queries (5 undefined), 3 comparisons",
        ),
    ],
    ids=str,
)
def test_the_title_says_what_was_asked(options, asked):
    title = str(compare_rankers(drawn_scores("mrr"), **options)).split("\n\n")[0]
    assert asked in title.replace("\n", " ")
    assert max(map(len, title.split("\n"))) <= 88


def test_markdown_and_html_hold_the_same_cells():
    comparison = compare_rankers(drawn_scores("mrr"))
    markdown, page = comparison.to_markdown(), comparison._repr_html_()
    assert comparison.intervals.rows
    for row in comparison.intervals.rows:
        letters = comparison.letters["mrr"][row.ranker]
        best = row.ranker == "a"
        number = f"{row.estimate:.4f}"
        bold = f"**{number}**" if best else number
        assert f"| {row.ranker} | {bold}<sup>{letters}</sup> |" in markdown
        bold = f"<b>{number}</b>" if best else number
        assert f"<td>{row.ranker}</td><td>{bold}<sup>{letters}</sup></td>" in page
    assert page.count("<table>") == 1
    title = markdown.split("\n")[0]
    assert f"<caption>{title}</caption>" in page


def test_the_table_of_differences_has_a_row_for_each():
    comparison = compare_rankers(drawn_scores("mrr"))
    markdown = comparison.to_markdown(rows="differences")
    assert markdown.split("\n\n")[0] == comparison._title()
    assert comparison.rows
    for row in comparison.rows:
        cells = f"| mrr | {row.ranker} | {row.baseline} | {row.difference:+.4f} |"
        assert cells in markdown
    latex = comparison.to_latex(rows="differences")
    assert latex.startswith("% 60 queries (5 undefined), 3 comparisons")
    assert latex.count(r"\begin{tabular}") == 2
    assert r"\begin{table}" not in latex


def test_the_table_of_a_paper():
    # The first differs from both, adjusted for three comparisons; the others do not.
    rng = np.random.RandomState(0)
    base = rng.rand(50)
    scores = scores_of(worst=base, middle=base + 0.02 * rng.randn(50), best=base + 0.5)
    lines = compare_rankers(scores).to_markdown().split("\n")
    assert lines[0] == (
        "Means over 50 queries, the best in bold. Rankers with a common letter do not "
        "differ significantly, by metric: sign-flip test, max-T for 3 comparisons, "
        "level 5%."
    )
    means = [f"{x:.4f}" for x in scores.values.mean(axis=2).ravel()]
    assert lines[2:] == [
        "| ranker | value |",
        "| :-- | :-- |",
        f"| worst | {means[0]}<sup>b</sup> |",
        f"| middle | {means[1]}<sup>b</sup> |",
        f"| best | **{means[2]}**<sup>a</sup> |",
    ]


def test_marks_say_what_is_better_and_worse_than_the_baseline():
    rng = np.random.RandomState(0)
    base = rng.rand(50)
    scores = scores_of(
        less=base - 0.5, old=base, same=base + 0.02 * rng.randn(50), more=base + 0.5
    )
    comparison = compare_rankers(scores, baseline="old")
    caption, table = comparison.to_latex().split(r"\begin{tabular}")
    assert " ".join(caption.split()).endswith(
        r"\dag{} significantly better and \ddag{} worse than old: sign-flip test, "
        r"max-T for 3 comparisons, level 5\%.}"
    )
    means = scores.values.mean(axis=2).ravel()
    assert table.split("\n")[4:8] == [
        rf"less & {means[0]:.4f}\textsuperscript{{\ddag{{}}}} \\",
        rf"old & {means[1]:.4f} \\",
        rf"same & {means[2]:.4f} \\",
        rf"more & \textbf{{{means[3]:.4f}}}\textsuperscript{{\dag{{}}}} \\",
    ]


def test_the_better_one_of_two_rankers_has_a_mark():
    lines = compare_rankers(scores_of(a=np.zeros(9), b=np.ones(9))).to_markdown()
    caption, *_, a, b = lines.strip().split("\n")
    assert "† significantly better and ‡ worse than a: " in caption
    assert (a, b) == ("| a | 0.0000 |", "| b | **1.0000**<sup>†</sup> |")


def test_marks_have_the_numbers_of_several_baselines():
    rng = np.random.RandomState(0)
    base = rng.rand(50)
    scores = scores_of(
        old=base, less=base - 0.5, same=base + 0.01 * rng.randn(50), more=base + 0.5
    )

    def marks(**options):
        text = compare_rankers(scores, baseline=["old", "less"], **options)
        title, _, _, _, *lines = text.to_markdown().split("\n")
        found = [re.search(r"<sup>(.*)</sup>|\| *$", line)[1] for line in lines]
        return found, title

    found, title = marks()
    # Of two baselines, one is better and the other worse.
    assert found == ["†2", "‡1", "†2", "†1†2"]
    assert "† significantly better and ‡ worse than old (1), less (2): " in title
    found, title = marks(margin=0.1)
    assert found == [None, None, "†1", None]
    assert "† difference from old (1), less (2) within 0.1 of 0: " in title
    found, title = marks(margin=0.8)
    assert found == ["†2", "†1", "†1†2", "†1"]
    latex = compare_rankers(scores, baseline=["old", "less"]).to_latex()
    assert r"\textsuperscript{\dag{}1\dag{}2}" in latex


def test_a_smaller_rank_is_better_than_the_baseline():
    rng = np.random.RandomState(0)
    qid = np.repeat(np.arange(40), 6)
    y_true = np.tile([1, 0, 0, 0, 0, 0], 40)
    runs = {"old": rng.rand(240), "new": rng.rand(240) + 0.5 * y_true}
    scores = score_queries(y_true, runs, ["mrr", mean_rank], qid=qid)
    table = compare_rankers(scores, baseline="old").to_markdown()
    new = scores.summary()["new"]
    assert "| ranker | mrr | mean_rank ↓ |" in table
    assert (
        f"| new | **{new['mrr']:.4f}**<sup>†</sup> | **{new['mean_rank']:.4f}**"
        "<sup>†</sup> |"
    ) in table


def test_means_that_are_printed_alike_are_all_the_best():
    values = np.random.RandomState(0).rand(3, 30)
    values[1] = values[0] + 1e-7
    values[2] -= values[2].mean() - values[0].mean() + 1e-3
    a, b, c = values
    lines = compare_rankers(scores_of(a=a, b=b, c=c)).to_markdown().split("\n")
    assert ["**" in line for line in lines[4:]] == [True, True, False]


def test_the_uncertainty_stands_behind_the_means():
    scores = drawn_scores("hits@1")
    comparison = compare_rankers(scores)
    (row, *_) = comparison.intervals.rows
    table = comparison.to_markdown(uncertainty="interval")
    assert f"</sup> [{row.low:.4f}, {row.high:.4f}] |" in table
    assert "In brackets: 95% intervals." in table
    values = scores.values[0, 0]
    error = values.std(ddof=1) / np.sqrt(len(values))
    table = comparison.to_latex(uncertainty="standard error")
    assert rf"}} $\pm$ {error:.4f} &" in table.replace(r" \\", " &")
    assert r"Behind $\pm$: standard errors." in table


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"baseline": "a", "margin": 0.1}, "† difference from a within 0.1 of 0: "),
        ({"margin": 0.1}, "The differences of pairs were tested (within 0.1 of 0)"),
        ({"correction": None}, "sign-flip test, no correction for 3 comparisons"),
        (
            {"clusters": np.arange(60) // 2, "test": "t"},
            "t test, max-T for 3 comparisons, level 5%",
        ),
    ],
    ids=str,
)
def test_the_caption_says_what_was_tested(options, words):
    title = compare_rankers(drawn_scores("mrr"), **options).to_markdown().split("\n")[0]
    units = "30 clusters of queries" if "clusters" in options else "60 queries"
    assert title.startswith(f"Means over {units} (5 undefined), the best in bold. ")
    assert words in title


def test_the_uncertainty_of_a_paper_is_that_of_the_rows():
    comparison = compare_rankers(drawn_scores("mrr"), baseline="a")
    row, (_, one, _) = comparison.rows[0], comparison.intervals.rows
    paper = comparison.to_latex(uncertainty="interval")
    ends = f"[{one.low:.4f}, {one.high:.4f}]"
    assert f"b & {one.estimate:.4f}" in paper
    assert ends in paper
    error = comparison.to_latex(uncertainty="standard error")
    assert rf"$\pm$ {one.standard_error:.4f} \\" in error
    table = comparison.to_latex(rows="differences")
    assert f"mrr & b & {one.estimate:.4f} & {ends}" in table
    difference = f"{row.difference:+.4f}"
    ends = f"[{row.low:.4f}, {row.high:.4f}]"
    assert f"mrr & b & a & {difference} & {ends} & " in table


def test_means_that_are_printed_alike_are_all_bold():
    base = np.linspace(0.2, 0.9, 30)  # the mean is 0.55
    comparison = compare_rankers(scores_of(a=base, b=base - 4e-5, c=base - 0.2))
    assert comparison.to_latex().count(r"\textbf{0.5500}") == 2


def test_segments_are_rows_with_a_best_of_their_own():
    scores = drawn_scores("mrr", by={"part": np.repeat(["x", "y"], 240)})
    lines = compare_rankers(scores, by="part").to_markdown().split("\n")
    assert "60 queries by part (" in lines[0]
    assert "by metric and part: " in lines[0]
    assert lines[2] == "| part | ranker | mrr |"
    summary = scores.summary("part")
    for line, (part, ranker) in zip(
        lines[4:], itertools.product("xy", "abc"), strict=True
    ):
        assert line.startswith(f"| {part} | {ranker} | ")
        best = max(summary[part], key=lambda name: summary[part][name]["mrr"])
        assert ("**" in line) == (ranker == best)
        assert f"{summary[part][ranker]['mrr']:.4f}" in line


@pytest.mark.parametrize("name", ["to_latex", "to_markdown"])
def test_the_options_of_the_tables_are_checked(name):
    write = getattr(compare_rankers(drawn_scores("mrr")), name)
    with pytest.raises(ValueError, match=f"'rows' parameter of {name} must be"):
        write(rows="queries")
    with pytest.raises(ValueError, match=f"'uncertainty' parameter of {name} must be"):
        write(uncertainty="sd")
    with pytest.raises(ValueError, match="must be None with rows='differences'"):
        write(rows="differences", uncertainty="interval")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_of_the_kind_that_was_asked_for(kind):
    frame = compare_rankers(drawn_scores("mrr")).to_frame(kind)
    assert type(frame).__module__.split(".")[0] == kind


def test_the_worst_queries_lost_most():
    old, new = np.full(8, 0.5), np.array([0.5, 0.1, 0.9, 0.4, 0.0, 1.0, 0.5, 0.3])
    worst = compare_rankers(scores_of(old=old, new=new)).worst_queries
    assert worst(9)["qid"].tolist() == [4, 1, 7, 3]  # no others lost
    frame = worst(3)
    assert frame["qid"].tolist() == [4, 1, 7]
    assert frame["difference"].tolist() == pytest.approx([-0.5, -0.4, -0.2])
    assert frame["value"].tolist() == [0.0, 0.1, 0.3]
    assert frame["value_baseline"].tolist() == [0.5, 0.5, 0.5]


def test_the_worst_queries_keep_their_further_keys():
    rng = np.random.RandomState(0)
    qid, segment = np.repeat(np.arange(10), 4), np.repeat(["x", "y"], 20)
    runs = {"a": rng.rand(40), "b": rng.rand(40)}
    scores = score_queries(
        rng.randint(2, size=40), runs, "ndcg", qid=qid, by={"segment": segment}
    )
    frame = compare_rankers(scores).worst_queries(1)
    assert [*frame.columns][3:5] == ["qid", "segment"]


@pytest.mark.parametrize(
    ("n", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_the_number_of_worst_queries_must_be_positive(n, error):
    with pytest.raises(error, match=r"n == 0|n must be an instance of int"):
        compare_rankers(drawn_scores("mrr")).worst_queries(n)


def test_a_comparison_is_frozen_and_can_be_pickled():
    comparison = compare_rankers(drawn_scores("mrr"))
    assert comparison.intervals == confidence_interval(comparison.scores)
    again = pickle.loads(pickle.dumps(comparison))
    assert isinstance(again, RankerComparison)
    assert str(again) == str(comparison)
    with pytest.raises(AttributeError):
        comparison.test = "t"
