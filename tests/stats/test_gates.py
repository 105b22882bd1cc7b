"""Gates, in Python and on the command line."""

# SPDX-License-Identifier: BSD-3-Clause

import json
import re
import shlex
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t

from skrank._shell.commands import main
from skrank.metrics import QueryScores, score_queries
from skrank.stats import compare_rankers, gate, required_queries
from tests.stats.test_sign_flips import all_signs

pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")


def scored(differences, **more):
    """Return a baseline and a candidate with these differences, of any metrics."""
    differences = {"my ndcg": differences} if np.ndim(differences) else differences
    columns = {"qid": np.arange(len(next(iter(differences.values())))), **more}
    weight = "sample_weight" if more else None
    parts = [
        columns | {name: 0.5 + size * np.asarray(d) for name, d in differences.items()}
        for size in (0, 1)
    ]
    parts = [QueryScores.from_frame(part, sample_weight=weight) for part in parts]
    return dict(zip(("main", "branch"), parts, strict=True))


def by_flips(differences, null, sign):
    """Return the p-value of sign * (mean - null) > 0 over all signs."""
    moved = sign * (np.asarray(differences) - null)
    return np.mean(all_signs(len(moved)) @ moved >= moved.sum() - 1e-12)


def decide(pair, margin, confidence_level=0.95, **options):
    """Return the decision about a pair of :func:`scored`."""
    return gate(
        pair,
        baseline="main",
        margin=margin,
        confidence_level=confidence_level,
        **options,
    )


def end_of(differences, level):
    """Return the largest null that the test over all signs rejects from above."""
    low, high = -5.0, np.mean(differences)
    for _ in range(45):
        middle = (low + high) / 2
        rejects = by_flips(differences, middle, 1) <= level
        low, high = (middle, high) if rejects else (low, middle)
    return low


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_decision_is_that_of_tests_over_all_signs_and_what_they_do_not_show(seed):
    rng = np.random.default_rng(seed)
    differences = rng.normal(rng.choice([-0.3, -0.15, 0.0]), 0.06, size=11).round(3)
    found = decide(scored(differences), 0.15)
    d = differences.mean()
    # 5 % of all samples of 11 lack queries that are 23.8 % of all.
    unseen = 1 - 0.05 ** (1 / 11)
    low = d - np.hypot(d - end_of(differences, 0.05), unseen)
    high = d + np.hypot(end_of(-differences, 0.05) + d, unseen)
    worse = high < -0.15
    expected = "passed" if low > -0.15 else "worse" if worse else "undecided"
    assert found.decision == expected
    (row,) = found.rows
    assert row.difference == pytest.approx(d)
    assert row.low == pytest.approx(low, abs=1e-9)
    assert row.unseen == pytest.approx(unseen)
    assert row.high == pytest.approx(high, abs=1e-9)


def test_the_three_decisions_have_the_statuses_of_the_command():
    noise = np.linspace(-0.01, 0.01, 9)
    found = [decide(scored(noise + size), 0.1) for size in (-0.45, 0.25, -0.1)]
    assert [one.decision for one in found] == ["worse", "passed", "undecided"]
    assert [one.status for one in found] == [1, 0, 3]


def hits(n, wins=0, losses=0):
    both = np.zeros(n - wins - losses)
    both[::2] = 1
    old = np.r_[np.zeros(wins), np.ones(losses), both]
    new = np.r_[np.ones(wins), np.zeros(losses), both]
    return {"main": old, "branch": new}


def test_equal_hits_pass_as_soon_as_a_loss_of_the_margin_would_show():
    (row,) = decide(hits(20), 0.01).rows
    z2 = norm.ppf(0.95) ** 2
    assert (row.test, row.unseen, row.decision) == ("score", None, "undecided")
    assert row.low == pytest.approx(-z2 / (20 + z2))
    # z = sqrt(n m / (1 - m)) for the margin m.
    needed = int(np.ceil(z2 * 0.99 / 0.01))
    assert row.required.n == needed == 268
    assert decide(hits(needed - 1), 0.01).decision == "undecided"
    assert decide(hits(needed), 0.01).decision == "passed"


def test_equal_values_pass_as_soon_as_a_fall_of_the_margin_would_show():
    values = np.tile([0.5, 0.9], 10)
    pair = {"main": values, "branch": values.copy()}
    (row,) = decide(pair, 0.01).rows
    # A fall from 1 to 0 in 1 of 100 queries costs 0.01.
    needed = int(np.ceil(np.log(0.05) / np.log(1 - 1 / 100)))
    assert row.decision == "undecided"
    assert row.required.n == needed
    for n, decision in [(needed - needed % 2, "undecided"), (needed + 2, "passed")]:
        values = np.tile([0.5, 0.9], n // 2)
        found = decide({"main": values, "branch": values.copy()}, 0.01)
        assert found.decision == decision
    text = " ".join(str(found).split()).partition("confidence). ")[2]
    assert text.startswith(
        "Both have the same value in all queries. 300 queries can miss a change that "
        "breaks up to 0.99% of all queries; the interval includes that risk. value is "
    )


def of_users(*rankers):
    """Return scores of several metrics of a baseline and a candidate."""
    parts = [QueryScores.from_frame({"qid": np.arange(50), **one}) for one in rankers]
    return dict(zip(("main", "branch"), parts, strict=True))


def test_a_break_of_the_few_queries_that_have_an_answer_is_allowed_for():
    values = np.r_[np.full(4, 0.9), np.zeros(46)]
    found = decide(of_users(*[{"recall@10": values}] * 2), 0.01)
    (row,) = found.rows
    # 5 % of all samples lack 5.8 % of the users.
    assert row.low == pytest.approx(-(1 - 0.05 ** (1 / 50)), abs=1e-12)
    assert (row.decision, row.unseen) == ("undecided", 1 - 0.05 ** (1 / 50))
    text = " ".join(str(found).split())
    assert "50 queries can miss a change that breaks up to 5.8% of all queries" in text
    assert text.partition("decide.")[2].startswith(
        " The ends of intervals are one-sided, at 95%. metric"
    )


@pytest.mark.parametrize("value", [0.9, 0.0])
def test_what_few_differences_do_not_show_is_allowed_for_once(value):
    old = np.where(np.arange(50) < 10, value, 0)
    pair = {"main": old, "branch": np.where(np.arange(50) < 2, 0.5, old)}
    (row,) = decide(pair, 0.05).rows
    options = {"confidence_level": 0.9, "test": "permutation"}
    (test,) = compare_rankers(pair, **options).rows
    distance = test.difference - test.low, 1 - 0.05 ** (1 / 50)
    assert row.low == pytest.approx(test.difference - np.hypot(*distance))


def test_a_margin_that_no_loss_exceeds_decides_nothing():
    low, high = np.r_[0.5, np.zeros(49)], np.full(50, 0.9)
    found = decide(of_users(*[{"recall@5": low, "ndcg": high}] * 2), 0.1)
    decided = [row.decision for row in found.rows]
    assert (decided, found.decision) == (["margin too large", "passed"], "passed")
    text = " ".join(str(found).split())
    assert "The margin of recall@5 is at least the mean of main, so that" in text
    assert "at 95% towards a loss and at 97.5% towards a gain" in text
    found = decide(of_users(*[{"recall@5": low}] * 2), 0.1)
    assert found.status == 3
    assert str(found).startswith("Undecided: no metric has a margin that decides")
    with pytest.raises(
        ValueError, match=r"less than the range of 'value', 1. Got 1: is it per"
    ):
        decide(hits(20), 1.0)


def test_the_warning_of_few_is_about_the_decision():
    few = scored(np.r_[-0.5, -0.5, np.zeros(18)])
    with pytest.warns(UserWarning, match="candidate is worse may be wrong, because"):
        assert decide(few, 0.0, 0.6).decision == "worse"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decide(few, 0.0).decision == "undecided"


def test_a_candidate_that_is_clearly_better_passes_without_a_margin():
    rng = np.random.default_rng(0)
    pair = scored(rng.normal(0.2, 0.05, 60))
    assert decide(pair, 0.0).decision == "passed"
    assert decide(scored(np.zeros(60)), 0.0).decision == "undecided"


def test_a_loss_that_is_exactly_the_margin_is_not_decided():
    found = decide(scored(np.full(400, -0.1)), 0.1)
    assert found.decision == "undecided"
    assert found.rows[0].required is None  # no number of queries decides
    assert "too near to the margin" in str(found)


@pytest.mark.slow
def test_all_metrics_must_pass_and_one_that_is_worse_fails():
    rng = np.random.default_rng(0)
    good, bad = rng.normal(0.1, 0.02, 200), rng.normal(-0.1, 0.02, 200)
    unclear = rng.normal(-0.02, 0.1, 200)
    cases = {
        ("good", "good too"): "passed",
        ("good", "unclear"): "undecided",
        ("good", "unclear", "bad"): "worse",
    }
    values = {"good": good, "good too": good + 0.01, "bad": bad, "unclear": unclear}
    for names, decision in cases.items():
        pair = scored({name: values[name] for name in names})
        found = decide(pair, 0.02)
        assert found.decision == decision
        of = {"good": "passed", "good too": "passed", "bad": "worse"}
        expected = [of.get(name, "undecided") for name in names]
        assert [row.decision for row in found.rows] == expected


@pytest.mark.slow
def test_worse_is_corrected_for_the_number_of_metrics_and_passed_is_not():
    rng = np.random.default_rng(1)
    worse = rng.permutation(np.linspace(-1.3, 0.3, 12))
    p = by_flips(worse, 0, -1)
    alone = decide(scored(worse), 0.0, 1 - 1.5 * p)
    assert alone.decision == "worse"
    both = scored({"a": worse, "b": rng.normal(size=12)})
    assert decide(both, 0.0, 1 - 1.5 * p).rows[0].decision == "undecided"
    better = np.linspace(0.2, 0.4, 12)
    (alone,) = decide(scored(better), 0.0).rows
    both = decide(scored({"a": better, "b": better}), 0.0)
    assert [row.low for row in both.rows] == [alone.low] * 2


def test_each_metric_may_have_its_margin():
    rng = np.random.default_rng(2)
    pair = scored({"a": rng.normal(-0.1, 0.05, 90), "b": rng.normal(-0.1, 0.05, 90)})
    decided = [row.decision for row in decide(pair, [0.2, 0.05]).rows]
    assert decided == ["passed", "worse"]
    with pytest.raises(ValueError, match="one for each metric"):
        decide(pair, [0.1, 0.1, 0.1])


def test_it_says_how_many_queries_would_decide():
    differences = np.random.default_rng(3).normal(0, 0.1, 30)
    (row,) = decide(scored(differences), 0.02).rows
    assert row.decision == "undecided"
    # In 80 of 100 samples the difference is at most 0.84 standard errors too low, and
    # then the end is still above minus the margin.
    distance, deviation = differences.mean() + 0.02, differences.std(ddof=1)

    def is_enough(n):
        error, unseen = deviation / np.sqrt(n), 1 - 0.05 ** (1 / n)
        return distance - 0.8416 * error > np.hypot(t.isf(0.05, n - 1) * error, unseen)

    assert is_enough(row.required.n)
    assert not is_enough(row.required.n - 1)
    assert 30 < row.required.low < row.required.n < row.required.high
    printed = str(decide(scored(differences), 0.02)).splitlines()[-1]
    assert printed.split()[-1] == f"{row.required.n:,}"
    # The distance, 0.315, is between 1 - 0.05 ** (1 / 7) and 1 - 0.05 ** (1 / 8).
    with pytest.warns(UserWarning, match="No sign-flip test of 2 queries"):
        (row,) = decide(scored(np.array([0.01, 0.02])), 0.3).rows
    assert row.required.n == 8
    weighted = decide(scored(differences, sample_weight=np.arange(30) + 1.0), 0.01)
    assert weighted.rows[0].required is None
    assert str(weighted).split()[-1] == "-"


def test_of_two_metrics_only_a_loss_needs_more_queries_than_of_one():
    """A fall is found at half the level; that there is none, at the whole."""
    rng, means = np.random.default_rng(2), {"near": -0.03, "far": -0.08}
    both = {name: rng.normal(mean, 0.2, 60) for name, mean in means.items()}
    near, far = decide(scored(both), 0.05).rows
    assert near.decision == far.decision == "undecided"
    (alone,) = decide(scored(both["near"]), 0.05).rows
    assert near.required == alone.required
    # The range is not known: values are beyond 0 and 1.
    distance = far.difference + 0.05
    assert far.required == required_queries(both["far"], distance)


@pytest.mark.slow
def test_the_queries_that_are_needed_for_hits_decide_in_80_of_100_samples():
    (row,) = decide(hits(100, 4, 4), 0.05).rows
    n, rng = row.required.n, np.random.default_rng(0)
    # If 5 in 100 more are lost than won, losses have the most likely fraction.
    half, margin = 0.04 * 100 / 99, 0.05
    lost = minimize_scalar(
        lambda x: (
            -half * np.log(x * (x - margin))
            - (1 - 2 * half) * np.log(1 + margin - 2 * x)
        ),
        bounds=(margin, (1 + margin) / 2),
        method="bounded",
    ).x
    error = norm.ppf(0.95) * np.sqrt(2 * lost - margin - margin**2)
    assert n == np.ceil(((error + norm.ppf(0.8) * np.sqrt(2 * half)) / margin) ** 2)
    assert 100 < row.required.low < n < row.required.high
    drawn = Counter(map(tuple, rng.multinomial(n, [0.04, 0.04, 0.92], size=300)))
    passed = [decide(hits(n, *one[:2]), 0.05).decision == "passed" for one in drawn]
    assert np.average(passed, weights=[*drawn.values()]) == pytest.approx(0.8, abs=0.08)


def test_clusters_count_as_queries_of_which_none_may_be_there():
    values = np.tile([0.5, 0.9], 100)
    pair = {"main": values, "branch": values.copy()}
    (row,) = decide(pair, 0.02, clusters=np.arange(200) // 4).rows
    assert row.unseen == pytest.approx(1 - 0.05 ** (1 / 50))
    assert row.low == pytest.approx(-row.unseen)


def test_losses_of_a_metric_without_a_range_are_said_not_to_be_allowed_for():
    y_true, rng = np.tile([1, 0, 0, 0], 50), np.random.default_rng(0)
    runs = {name: rng.random(200) for name in ("main", "branch")}
    scores = score_queries(y_true, runs, "neg_mean_rank", qid=np.arange(200) // 4)
    found, options = decide(scores, 1.0), {"baseline": "main", "test": "permutation"}
    (row,) = found.rows
    (test,) = compare_rankers(scores, confidence_level=0.9, **options).rows
    assert row.unseen is None
    assert (row.low, row.high) == pytest.approx((test.low, test.high))
    text = "neg_mean_rank has no worst value that skrank knows: losses in queries"
    assert text in " ".join(str(found).split())


def test_uneven_weights_and_data_sets_allow_for_the_loss_of_the_heaviest_queries():
    values = np.r_[0.9, 0.9, 0.4, np.full(97, 0.6)]
    weight = np.r_[1.0, 8.0, 16.0, np.full(97, 1.0)]
    pair = {"main": values, "branch": values.copy(), "sample_weight": weight}
    (row,) = decide(pair, 0.4).rows
    # Two have most of the weight. All weigh as much as 36: what these lack are 8 % of
    # the queries, those with the weights 16, 8 and six others.
    n_effective = (16 + 8 + 98) ** 2 / (16**2 + 8**2 + 98)
    lost = 16 + 8 + 100 * (1 - 0.05 ** (1 / n_effective)) - 2
    assert row.low == pytest.approx(-lost / weight.sum())


def test_equal_ranks_allow_for_a_fall_in_the_range_that_was_seen():
    ranks = QueryScores.from_frame({"qid": np.arange(40), "mean_rank": [1.0, 5.0] * 20})
    (row,) = decide({"main": ranks, "branch": ranks}, 0.1).rows
    z2 = norm.ppf(0.95) ** 2
    # The ends are those of the score test, 4 times those of hits.
    assert row.high == pytest.approx(4 * z2 / (40 + z2))
    needed = int(np.ceil(z2 * (1 - 0.1 / 4) / (0.1 / 4)))
    assert (row.unseen, row.required.n) == (None, needed)


def test_no_end_is_beyond_the_range_of_the_metric():
    pair = {"main": np.ones(5), "branch": np.array([0.0, 0.0, 0.5, 0.5, 1.0])}
    assert decide(pair, 0.05).rows[0].low == -1
    assert decide({name: 1 - pair[name] for name in pair}, 0.05).rows[0].high == 1


def test_a_margin_in_per_cent_is_that_of_the_mean_of_the_baseline():
    values = {"main": np.tile([0.2, 0.6], 30), "branch": np.tile([0.25, 0.6], 30)}
    (row,) = decide(values, "5%").rows
    assert row.margin == pytest.approx(0.05 * 0.4)
    assert {**row} == {**decide(values, row.margin).rows[0]}
    both = scored({"a": np.zeros(60), "b": np.zeros(60)})
    assert [row.margin for row in decide(both, ["10%", 0.02]).rows] == [0.05, 0.02]


def test_two_rankers_of_one_table_are_decided_like_two_tables():
    differences = np.random.default_rng(3).normal(0, 0.1, 30)
    pair = scored(differences)
    together = {name: one.values[0, 0] for name, one in pair.items()}
    one, other = decide(pair, 0.05), decide(together, 0.05)
    assert [{**row, "metric": ""} for row in one.rows] == [
        {**row, "metric": ""} for row in other.rows
    ]
    assert (one.baseline, one.candidate, one.n_queries) == ("main", "branch", 30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": "two%"}, "must be a number >= 0, or per cent of the mean of the"),
        ({"baseline": "old"}, r"one of which is the 'baseline'.*Got.*baseline='old'"),
        ({"margin": -0.1}, "'margin' parameter of gate must be a number >= 0"),
        ({"margin": np.nan}, "'margin' parameter of gate must be a number >= 0"),
        ({"test": "wilcoxon"}, "'test' parameter of gate must be a str among"),
        ({"confidence_level": 0.4}, r"in the range \(0.5, 1.0\). Got 0.4"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    options = {"baseline": "main", "margin": 0.1, **options}
    with pytest.raises(ValueError, match=message):
        gate(hits(20), **options)


def test_a_gate_is_for_two_rankers():
    three = {**hits(20), "other": np.ones(20)}
    with pytest.raises(ValueError, match="gate needs two rankers"):
        decide(three, 0.1)


# The commands of the page.

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    exec((DOCS / "shell" / "files.py").read_text("utf-8"), {})
    return tmp_path


def run(capsys, command):
    try:
        status = main(shlex.split(command))
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


@pytest.mark.slow
def test_saved_scores_and_runs_give_one_decision(folder, capsys):
    metrics = "-m ndcg@10 -m map"
    for name in ("pixels", "squares"):
        command = f"evaluate qrels.txt {name}.run {metrics} --save {name}.parquet"
        assert run(capsys, command)[0] == 0
    saved = "gate pixels.parquet squares.parquet --margin 0.02"
    runs = f"gate qrels.txt pixels.run squares.run {metrics} --margin 0.02"
    for form in ("", " --json", " --markdown"):
        assert run(capsys, saved + form) == run(capsys, runs + form)
    status, text, _ = run(capsys, saved + " --json")
    found = json.loads(text)
    assert (status, found["decision"], found["status"]) == (0, "passed", 0)
    assert [row["metric"] for row in found["rows"]] == ["ndcg@10", "map"]
    assert (found["baseline"], found["candidate"]) == ("pixels", "squares")
    # The other way round, with a margin that both decisions are far from.
    back = "gate squares.parquet pixels.parquet -m ndcg@10 --margin"
    assert run(capsys, f"{back} 0.0005 --confidence-level 0.6")[0] == 1
    assert run(capsys, f"{back} 0.05")[0] == 0
    status, text, _ = run(capsys, f"{back} 0.01")
    assert status == 3
    assert re.search(
        r"About [\d,]+ queries \([\d,]+ to [\d,]+\) would decide",
        " ".join(text.split()),
    )
    once = json.loads(run(capsys, f"{back} 0.01 --json")[1])
    # One of 30 looks.
    level = "--confidence-level 0.9983 --test t"
    look = json.loads(run(capsys, f"{back} 0.01 {level} --json")[1])
    assert look["rows"][0]["test"] == "t"
    assert look["rows"][0]["low"] < once["rows"][0]["low"]
    markdown = run(capsys, f"{back} 0.01 --markdown")[1]
    assert markdown.startswith("**Undecided:** pixels may be worse than squares")
    assert "| metric | squares | pixels |" in markdown


ERRORS = {
    "gate pixels.parquet squares.parquet": "arguments are required: --margin",
    "gate pixels.parquet --margin 0.1": "the baseline and the candidate",
    "gate pixels.parquet squares.parquet --margin 0.1 -m mrr": r"\['ndcg@10'\].*'mrr'",
    "gate pixels.parquet squares.parquet --margin 0.1 -l 2": "--relevance-level goes",
    "gate pixels.parquet squares.parquet --margin -1": "--margin must be",
    "gate pixels.parquet squares.parquet --margin 1 --test sign": "--test must be",
    "gate pixels.parquet none.parquet --margin 1": "No such file",
    "gate cut.parquet pixels.parquet --margin 1": r"'\S*cut\.parquet' cannot be read",
    "gate pixels.parquet qrels.txt --margin 1": "QueryScores.save",
    "gate pixels.parquet other.parquet --margin 1": "same queries",
    "gate pixels.parquet pessimistic.parquet --margin 1": "--ties='pessimistic'",
    "gate qrels.txt pixels.run --margin 0.1": "two runs are required",
    "gate qrels.txt pixels.run pixels.run --margin 0.1": "Got the same file twice",
    "evaluate qrels.txt pixels.run squares.run --save a.parquet": "one run",
    "evaluate qrels.txt pixels.run --save a.csv": "must end in .parquet",
    "evaluate qrels.txt pixels.run --save none/a.parquet": "No such file",
}


@pytest.mark.slow
def test_errors_have_the_status_2_and_say_what_to_do(folder, capsys):
    lines = (folder / "qrels.txt").read_text().splitlines()
    (folder / "few.txt").write_text("\n".join(lines[: len(lines) // 2]))
    for judgements, name, more in [
        ("qrels.txt", "pixels", ""),
        ("qrels.txt", "squares", ""),
        ("few.txt", "other", ""),
        ("qrels.txt", "pessimistic", "--ties pessimistic"),
    ]:
        of = name if name in ("pixels", "squares") else "squares"
        run(
            capsys,
            f"evaluate {judgements} {of}.run -m ndcg@10 --save {name}.parquet {more}",
        )
    saved = (folder / "pixels.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(saved[:-9])
    for command, error in ERRORS.items():
        status, output, errors = run(capsys, command)
        assert (command, status, output) == (command, 2, "")
        assert re.search(error, errors), (command, errors)


@pytest.mark.slow
def test_the_workflow_of_the_page_runs(folder, capsys):
    """Its commands, in their order: the baseline is saved, and each branch decided."""
    steps = re.findall(r"^ +(?:- run: |)(skrank (?:evaluate|gate) .*)$", WORKFLOW, re.M)
    assert [step.split()[1] for step in steps] == ["evaluate", "evaluate", "gate"]
    (folder / "main.run").write_text((folder / "pixels.run").read_text())
    (folder / "branch.run").write_text((folder / "squares.run").read_text())
    statuses = []
    for step in steps:
        command, _, summary = step.removeprefix("skrank ").partition(" >> ")
        status, output, _ = run(capsys, command)
        statuses.append(status)
    # The interval begins at -0.0159, and 2% of 0.6979 is 0.0140.
    assert statuses == [0, 0, 3]
    assert summary == '"$GITHUB_STEP_SUMMARY"'
    assert output.startswith("**Undecided:** squares may be worse than pixels")
    assert run(capsys, command.replace("2%", "2.5%"))[0] == 0  # 0.0174


PAGE = (DOCS / "shell.rst").read_text("utf-8")
(WORKFLOW,) = re.findall(r"^\.\. code-block:: yaml\n\n((?:   .*\n|\n)+)", PAGE, re.M)
