"""The studies run, and the documentation holds the rows of their tables."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip
import importlib
from pathlib import Path

import lightgbm
import numpy as np
import pytest

from skrank.stats import compare_rankers, gate
from tests.studies import (
    judges_of_few,
    one_mean,
    sampled_items,
    searches_by_hand,
    simulate_judges,
    simulate_looks,
    step_down,
    tables,
    unseen_losses,
)
from tests.studies.populations import Values
from tests.studies.simulate_families import step_down as step_down_by_a_loop

pytestmark = pytest.mark.slow

METRICS = (
    *("mrr", "mrr@20", "map@20", "ndcg@10", "ndcg@20"),
    *("recall@10", "precision@5", "hits@1", "hits@10"),
)


def tiny_values(rankers, n_queries=40):
    rng = np.random.default_rng(0)
    values = rng.random(size=(len(rankers), len(METRICS), n_queries))
    return Values(rankers, METRICS, values)


TINY = {
    "msweb": tiny_values(("pop", "itemknn")),
    "movielens": tiny_values(("pop", "itemknn", "puresvd")),
    "nations": tiny_values(("transe", "rotate")),
}
FILES = sorted(Path(__file__).parent.glob("[a-z]*.py"))
STUDIES = [path.stem for path in FILES if "\nDOCS_TABLE = " in path.read_text("utf-8")]
SLOW = ("intervals", "detectable")  # tables
SMALLER = [
    (simulate_looks, "N_LOOKS", 2),
    (simulate_judges, "N_POOL", 1100),
    (judges_of_few, "NS", (10,)),
    (one_mean, "NS", (10,)),
]


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_measured_and_documented(name, monkeypatch, capsys):
    for smaller in SMALLER:
        monkeypatch.setattr(*smaller)
    module, in_docs = importlib.import_module(f"tests.studies.{name}"), {}
    for line in module.DOCS_TABLE.read_text("utf-8").splitlines():
        if line.startswith(".. list-table:: "):
            in_docs[line.removeprefix(".. list-table:: ")] = rows = []
        if line.startswith("   * -"):
            rows.append(line.removeprefix("   * -").strip())
    for key, table in module.TABLES.items():
        assert in_docs.pop(table.title) == ["", *(row.name for row in table.rows)]
        rows = table.rows[:: 5 if name == "simulate_judges" else 1]
        rows = [] if key in SLOW else rows
        header, *lines = tables.simulate(table._replace(rows=rows), TINY, n_samples=1)
        assert header == ["", *table.columns]
        assert [line[0] for line in lines] == [row.name for row in rows]
        # A median has no interval of Student's t.
        assert all(
            "" not in (line[:2] if name == "simulate" else line) for line in lines
        )
        assert table.title in capsys.readouterr().out
    assert not in_docs


def test_samples_of_items_are_compared_with_all_of_them(tmp_path):
    rng = np.random.default_rng(0)
    for name, n in (("train", 4000), ("test", 600)):
        visits = np.unique(rng.integers(0, [60, 300], (n, 2)), axis=0)
        lines = ["user\titem", *("\t".join(map(str, row)) for row in visits)]
        path = tmp_path / f"{name}.tsv.gz"
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
    seen, is_relevant = sampled_items.read(tmp_path)
    assert not (seen & is_relevant).any()
    found = sampled_items.compare(seen, is_relevant)
    ranks = {
        name: -np.mean([one["neg_mean_rank"] for one in values])
        for name, values in found.items()
    }
    assert ranks["the rows"] < 0.7 * ranks["all items"]
    assert ranks["em"] == pytest.approx(ranks["all items"], rel=0.05)


FRAMES = ("polars", "pyarrow")


@pytest.mark.parametrize("number", range(20))
def test_a_drawn_search_equals_a_loop_by_hand(number):
    case, found = searches_by_hand.problems(1, number)
    is_old = tuple(map(int, lightgbm.__version__.split(".")[:2])) < (4, 7)
    if is_old and "LightGBM" in case.estimator and case.container in FRAMES:
        pytest.skip("LightGBM before 4.7 takes frames of pandas only")
    assert not found, case


@pytest.mark.filterwarnings("ignore:The p-value may be too small")
def test_the_quick_gate_of_the_study_is_that_of_the_function():
    rng, decided = np.random.default_rng(0), set()
    old, new = unseen_losses.falls(rng, share=0.03, to=0.0, noise=0.02)
    margin = float((old - new).mean())
    for n in (50, 200, 400):
        for _ in range(8):
            rows = rng.integers(len(old), size=n)
            pair = {"old": old[rows], "new": new[rows]}
            alone, passes = unseen_losses.by_flips(*pair.values(), margin)
            found = gate(pair, baseline="old", margin=margin, test="permutation")
            (row,) = compare_rankers(
                pair,
                baseline="old",
                alternative="greater",
                margin=margin,
                test="permutation",
            ).rows
            # The ends differ by the random flips.
            if abs(found.rows[0].low + margin) > 1e-3:
                assert passes == (found.decision == "passed")
            if abs(row.low + margin) > 1e-3:
                assert alone == (row.low > -margin)
            decided.add(passes)
    assert decided == {True, False}


def test_the_steps_are_those_of_a_loop():
    values = np.random.default_rng(3).normal(size=(5, 30))
    values += 0.3 * np.arange(5)[:, None]
    adjusted, _, pairs = step_down_by_a_loop(values)
    d = np.array([values[j] - values[i] for j, i in pairs]).T
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (1999, 30))
    _, steps, _, _ = step_down.procedures(d, np.vstack([np.ones(30), signs]))
    np.testing.assert_array_equal(steps, adjusted <= 0.05)
    assert 0 < steps.sum() < len(steps)
