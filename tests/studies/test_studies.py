"""The studies run, and the documentation holds the rows of their tables."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip
import importlib
import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

from skrank.stats import compare_rankers, gate
from tests.studies import (
    populations,
    sampled_items,
    step_down,
    unseen_losses,
)
from tests.studies.populations import Values
from tests.studies.simulate_families import step_down as step_down_by_a_loop

pytestmark = pytest.mark.slow

NAMES = [
    path.stem
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py"))
    if "TABLES = {" in path.read_text("utf-8") and not path.stem.startswith("test_")
]
SMALLER = {"LARGE": 20_000, "POOL": 2000, "N_POOL": 1100, "N_LOOKS": 2}
TOO_SLOW = {"intervals", "detectable"}
METRICS = (
    *("mrr", "mrr@20", "map@20", "ndcg@10", "ndcg@20"),
    *("recall@10", "precision@5", "hits@1", "hits@10"),
)
RANKERS = {
    "msweb": ("pop", "itemknn"),
    "movielens": ("pop", "itemknn", "puresvd"),
    "nations": ("transe", "rotate"),
}
TINY = {
    name: Values(
        rankers, METRICS, np.random.default_rng(0).random((len(rankers), 9, 40))
    )
    for name, rankers in RANKERS.items()
}


def rows_in_docs(path):
    """Return the rows of each table of the documentation, by its title."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(".. list-table:: "):
            rows = found[line.removeprefix(".. list-table:: ")] = []
        if line.startswith("   * -"):
            rows.append(line.removeprefix("   * -").strip())
    return {title: rows[1:] for title, rows in found.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_measured_and_documented(name, monkeypatch):
    study = importlib.import_module(f"tests.studies.{name}")
    for module, (size, value) in itertools.product(
        (populations, study), SMALLER.items()
    ):
        if hasattr(module, size):
            monkeypatch.setattr(module, size, value)
    tables = study.TABLES.values()
    rows = {table.title: [row.name for row in table.rows] for table in tables}
    assert rows_in_docs(study.DOCS_TABLE) == rows
    for name, table in study.TABLES.items():
        for row in [] if name in TOO_SLOW else table.rows:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                figures = row.measure(TINY, 1)
            assert table.columns[0] in figures
            assert {*figures} <= {*table.columns}
            assert all(figures.values())


def test_samples_of_items_are_compared_with_all_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr(sampled_items, "N_SAMPLES", 5)
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


@pytest.mark.filterwarnings("ignore:The p-value may be too small")
def test_the_quick_gate_of_the_study_is_that_of_the_function():
    rng, decided = np.random.default_rng(0), set()
    old, new = unseen_losses.falls(rng, share=0.03, to=0.0, noise=0.02)
    margin = float((old - new).mean())
    for n in (50, 200, 400):
        for _ in range(4):
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
