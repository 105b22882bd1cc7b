"""The gate of the command line."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from skrank.__main__ import main
from skrank._shell.gate import decide
from skrank.metrics import QueryScores, mean_rank, score_queries
from skrank.stats import required_queries

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:The p-value may be too small"),
]


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
    flips = np.array(list(itertools.product([1, -1], repeat=len(moved))))
    return np.mean(flips @ moved >= moved.sum() - 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_a_decision_is_that_of_two_tests_over_all_signs(seed):
    rng = np.random.default_rng(seed)
    differences = rng.normal(rng.choice([-0.1, -0.05, 0.0]), 0.06, size=11).round(3)
    gate = decide(scored(differences), [0.05], 0.95)
    not_worse = by_flips(differences, -0.05, 1) <= 0.05
    worse = by_flips(differences, -0.05, -1) <= 0.05
    expected = "passed" if not_worse else "worse" if worse else "undecided"
    assert gate.decision == expected
    (row,) = gate.rows
    assert row.difference == pytest.approx(differences.mean())
    assert (row.low > -0.05, row.high < -0.05) == (not_worse, worse)


def test_the_three_decisions_are_there_in_the_draws_above():
    found = {
        decide(scored(np.full(9, size)), [0.05], 0.95).decision
        for size in (-0.06, -0.04, -0.05)
    }
    assert found == {"worse", "passed", "undecided"}


def test_an_equal_candidate_passes_and_one_at_the_margin_does_not():
    assert decide(scored(np.zeros(5)), [0.01], 0.95).decision == "passed"
    gate = decide(scored(np.full(40, -0.1)), [0.1], 0.95)
    assert gate.decision == "undecided"
    assert gate.rows[0].required is None  # no number of queries decides
    assert "too near to the margin" in str(gate)


def test_all_metrics_must_pass_and_one_that_is_worse_fails():
    rng = np.random.default_rng(0)
    good, bad = rng.normal(0.1, 0.02, 30), rng.normal(-0.1, 0.02, 30)
    unclear = rng.normal(-0.02, 0.1, 30)
    cases = {
        ("good", "good too"): "passed",
        ("good", "unclear"): "undecided",
        ("good", "unclear", "bad"): "worse",
    }
    values = {"good": good, "good too": good + 0.01, "bad": bad, "unclear": unclear}
    for names, decision in cases.items():
        pair = scored({name: values[name] for name in names})
        gate = decide(pair, [0.02], 0.95)
        assert gate.decision == decision
        of = {"good": "passed", "good too": "passed", "bad": "worse"}
        expected = [of.get(name, "undecided") for name in names]
        assert [row.decision for row in gate.rows] == expected


def test_worse_is_corrected_for_the_number_of_metrics_and_passed_is_not():
    rng = np.random.default_rng(1)
    worse = rng.normal(size=12)
    worse = worse - worse.mean() - 0.5
    p = by_flips(worse, 0, -1)
    alone = decide(scored(worse), [0.0], 1 - 1.5 * p)
    assert alone.decision == "worse"
    both = scored({"a": worse, "b": rng.normal(size=12)})
    assert decide(both, [0.0], 1 - 1.5 * p).rows[0].decision == "undecided"
    both = scored({"a": -worse, "b": -worse})
    assert decide(both, [0.0], 1 - 1.5 * p).decision == "passed"


def test_each_metric_may_have_its_margin():
    rng = np.random.default_rng(2)
    pair = scored({"a": rng.normal(-0.1, 0.05, 40), "b": rng.normal(-0.1, 0.05, 40)})
    decided = [row.decision for row in decide(pair, [0.2, 0.05], 0.95).rows]
    assert decided == ["passed", "worse"]
    with pytest.raises(ValueError, match="once for each metric"):
        decide(pair, [0.1, 0.1, 0.1], 0.95)


def test_it_says_how_many_queries_would_decide():
    differences = np.random.default_rng(3).normal(0, 0.1, 30)
    (row,) = decide(scored(differences), [0.01], 0.95).rows
    assert row.decision == "undecided"
    # A one-sided test at 5 % is the side of a two-sided one at 10 %.
    expected = required_queries(
        differences, differences.mean() + 0.01, confidence_level=0.9
    )
    assert row.required == expected
    assert row.required.n > 30
    weighted = scored(differences, sample_weight=np.arange(30) + 1.0)
    assert decide(weighted, [0.01], 0.95).rows[0].required is None


def test_metrics_of_which_lower_values_are_better_are_refused_with_the_cure():
    pair = {
        name: score_queries([1, 0], y_score, mean_rank)
        for name, y_score in {"a": [1, 2], "b": [2, 1]}.items()
    }
    with pytest.raises(ValueError, match="neg_mean_rank"):
        decide(pair, [0.1], 0.95)
    with pytest.raises(ValueError, match="--confidence-level must be greater"):
        decide(scored(np.ones(9)), [0.1], 0.4)


# The commands of the page.

PAGE = (Path(__file__).parents[1] / "docs" / "shell.rst").read_text("utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    pattern = r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)"
    (script,) = re.findall(pattern, PAGE, re.MULTILINE)
    exec(re.sub(r"^   ", "", script, flags=re.MULTILINE), {})
    return tmp_path


def run(capsys, command):
    try:
        status = main(shlex.split(command))
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


def test_saved_scores_and_runs_give_one_decision(folder, capsys):
    metrics = "-m ndcg@10 -m map"
    for name in ("pixels", "squares"):
        command = f"evaluate qrels.txt {name}.run {metrics} --save {name}.parquet"
        assert run(capsys, command)[0] == 0
    saved = "gate pixels.parquet squares.parquet --margin 0.005"
    runs = f"gate qrels.txt pixels.run squares.run {metrics} --margin 0.005"
    for form in ("", " --json", " --markdown"):
        assert run(capsys, saved + form) == run(capsys, runs + form)
    status, text, _ = run(capsys, saved + " --json")
    found = json.loads(text)
    assert (status, found["decision"], found["status"]) == (0, "passed", 0)
    assert [row["metric"] for row in found["rows"]] == ["ndcg@10", "map"]
    assert (found["baseline"], found["candidate"]) == ("pixels", "squares")
    # The other way round, with a margin that both decisions are far from.
    back = "gate squares.parquet pixels.parquet -m ndcg@10 --margin"
    assert run(capsys, f"{back} 0.0005")[0] == 1
    assert run(capsys, f"{back} 0.05")[0] == 0
    status, text, _ = run(capsys, f"{back} 0.005")
    assert status == 3
    assert re.search(r"About \d+ queries \(\d+ to [\d,]+\) would decide", text)
    markdown = run(capsys, f"{back} 0.005 --markdown")[1]
    assert markdown.startswith("**Undecided:** pixels may be worse than squares")
    assert "| metric | squares | pixels |" in markdown


ERRORS = {
    "gate pixels.parquet squares.parquet": "arguments are required: --margin",
    "gate pixels.parquet --margin 0.1": "BASELINE and CANDIDATE",
    "gate pixels.parquet squares.parquet --margin 0.1 -m mrr": r"\['ndcg@10'\].*'mrr'",
    "gate pixels.parquet squares.parquet --margin 0.1 -l 2": "--relevance-level goes",
    "gate pixels.parquet squares.parquet --margin -1": "--margin must be",
    "gate pixels.parquet none.parquet --margin 1": "No such file",
    "gate cut.parquet pixels.parquet --margin 1": r"'\S*cut\.parquet' cannot be read",
    "gate pixels.parquet qrels.txt --margin 1": "QueryScores.save",
    "gate pixels.parquet other.parquet --margin 1": "same queries",
    "gate pixels.parquet pessimistic.parquet --margin 1": "--ties pessimistic",
    "gate qrels.txt pixels.run --margin 0.1": "two runs are required",
    "gate qrels.txt pixels.run pixels.run --margin 0.1": "Got the same file twice",
    "evaluate qrels.txt pixels.run squares.run --save a.parquet": "one run",
    "evaluate qrels.txt pixels.run --save a.csv": "must end in .parquet",
    "evaluate qrels.txt pixels.run --save none/a.parquet": "No such file",
}


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


def test_the_workflow_of_the_page_runs(folder, capsys):
    """Its commands, in their order: the baseline is saved, and each branch decided."""
    steps = re.findall(r"^ +(?:- run: |)(skrank (?:evaluate|gate) .*)$", WORKFLOW, re.M)
    assert [step.split()[1] for step in steps] == ["evaluate", "evaluate", "gate"]
    (folder / "main.run").write_text((folder / "pixels.run").read_text())
    (folder / "branch.run").write_text((folder / "squares.run").read_text())
    for step in steps:
        command, _, summary = step.removeprefix("skrank ").partition(" >> ")
        status, output, _ = run(capsys, command)
        assert status == 0
    assert summary == '"$GITHUB_STEP_SUMMARY"'
    assert output.startswith("**Passed:** squares is not worse than pixels")


(WORKFLOW,) = re.findall(r"^\.\. code-block:: yaml\n\n((?:   .*\n|\n)+)", PAGE, re.M)
