"""The studies run, and the documentation holds the rows of their tables."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers, gate
from tests.studies import (
    data_sets,
    experiments,
    judges_of_few,
    one_mean,
    populations,
    simulate_cross_validation,
    simulate_judges,
    simulate_pitfalls,
    tables,
    two_samples,
    unseen_losses,
)
from tests.studies.populations import Values

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
    (data_sets, "LARGE", 100),
    (simulate_judges, "N_POOL", 1100),
    (judges_of_few, "NS", (10,)),
    (one_mean, "NS", (10,)),
    (two_samples, "LARGE", 100),
]


def parts(key, value):
    """Yield the functions and the options that a row is made of, except fractions."""
    if isinstance(value, partial):
        yield from parts(key, value.func)
        for of_key in value.keywords.items():
            yield from parts(*of_key)
    elif not isinstance(value, float):
        yield key, repr(value)


def of_each_part(rows):
    """Return the rows that have a part which no row before them has."""
    found, seen = [], set()
    for row in rows:
        if not seen.issuperset(own := {row.needs, *parts("measure", row.measure)}):
            found.append(row)
        seen |= own
    return found


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
        rows = [] if key in SLOW else of_each_part(table.rows)
        header, *lines = tables.simulate(table._replace(rows=rows), TINY, n_samples=1)
        assert header == ["", *table.columns]
        assert [line[0] for line in lines] == [row.name for row in rows]
        # A median has no interval of Student's t.
        assert all(
            "" not in (line[:2] if name == "simulate" else line) for line in lines
        )
        assert table.title in capsys.readouterr().out
    assert not in_docs


def test_the_intervals_of_two_samples_are_those_of_compare_rankers():
    rng, scores, samples = np.random.default_rng(0), {}, []
    for name, n in {"last": 12, "this": 30}.items():
        user = np.repeat(np.arange(n), rng.geometric(0.4, size=n))
        values = rng.random(len(user))
        samples.append([np.bincount(user, x)[:, None] for x in (values, values**0)])
        frame = {"qid": np.arange(len(user)), "ndcg": values, "user": user + 99 * n}
        scores[name] = QueryScores.from_frame(frame, by="user")
    (row,) = compare_rankers(scores, paired=False, clusters="user").rows
    found = np.ravel(two_samples.ends(*samples))
    np.testing.assert_allclose(found, [row.low, row.high], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")
def test_the_quick_gate_of_the_study_is_that_of_the_function():
    rng, decided = np.random.default_rng(0), set()
    old, new = unseen_losses.falls(rng, share=0.03, to=0.0, noise=0.02)
    margin = float((old - new).mean())
    for n in (50, 200, 800):
        for _ in range(8):
            rows = rng.integers(len(old), size=n)
            pair = {"old": old[rows], "new": new[rows]}
            alone, passes = unseen_losses.by_flips(*pair.values(), margin)
            found = gate(pair, baseline="old", margin=margin, test="permutation")
            (row,) = compare_rankers(
                pair, baseline="old", confidence_level=0.9, test="permutation"
            ).rows
            # The ends differ by the random flips.
            if abs(found.rows[0].low + margin) > 1e-3:
                assert passes == (found.decision == "passed")
            if abs(row.low + margin) > 1e-3:
                assert alone == (row.low > -margin)
            decided.add(passes)
    assert decided == {True, False}


def test_the_page_quotes_the_simulated_numbers():
    cells = {}
    for line in simulate_pitfalls.DOCS_TABLE.read_text("utf-8").splitlines():
        if line.startswith("   * -"):
            row = cells[line[6:].strip()] = []
        elif line.startswith("     - "):
            row.append(line[6:].strip())
    quoted = [
        ("50 queries, selected on them", 'the 50 test queries", {2:.0f} %'),
        ("200 queries, selected on them", 'with 200 test queries", {2:.0f} %'),
        ("10 hidden units, one seed each", 'their seed, 40 queries", {0:.0f} %'),
        ("10 hidden units, one seed each", 'the same, with 100 queries", {1:.0f} %'),
        ("paired t test at 5 %", '20 looks", "{1:.0f}, {2:.0f}, {3:.0f}, {4:.0f} %'),
        ("significant", '20, 50, 200 queries", "{1:.0f}, {2:.0f}, {3:.0f} %'),
    ]
    docs = simulate_pitfalls.DOCS_TABLE.parents[2]
    page = " ".join((docs / "comparing_with_care.rst").read_text("utf-8").split())
    for row, text in quoted:
        assert text.format(*map(float, cells[row])) in page


def test_populations_of_equal_rankers_are_equal():
    rng = np.random.default_rng(0)
    rankers = populations.equal_rankers(rng, 3)
    np.testing.assert_allclose(rankers.mean(axis=1), 0, atol=1e-12)
    gains = populations.rare_gains(rng)
    assert gains.mean() == pytest.approx(0, abs=1e-12)
    assert (gains > 0).mean() == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("test", ["permutation", "t"])
def test_samples_in_columns_give_the_numbers_of_compare_rankers(test):
    rng = np.random.default_rng(0)
    samples = np.round(rng.normal(0.2, size=(60, 3)), 1)
    found = experiments.outcomes(samples, test=test)
    for j, sample in enumerate(samples.T):
        values = {"a": np.zeros(60), "b": sample}
        (row,) = compare_rankers(values, test=test, correction=None).rows
        expected = [row.pvalue, row.p_adjusted, row.low, row.high]
        np.testing.assert_allclose([x[j] for x in found], expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The p-value may be too small")
def test_sums_of_users_give_the_numbers_of_compare_rankers():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(20), rng.integers(1, 6, size=20))
    difference = rng.normal(size=len(user))
    sums = [np.bincount(user, weights=x) for x in (difference, np.ones(len(user)))]
    found = experiments.outcomes(*(x[:, None] for x in sums))
    values = {"a": np.zeros(len(user)), "b": difference}
    (row,) = compare_rankers(values, clusters=user).rows
    expected = [row.pvalue, row.pvalue, row.low, row.high]
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-12)


def test_tilted_weights_make_all_mean_differences_0():
    # Equal weights e^t, e^-t, e^-t of 1, -1, -1 have a mean of 0 at e^2t = 2.
    one = populations.tilted(np.array([[1.0], [-1.0], [-1.0]]))
    np.testing.assert_allclose(one, [1 / 2, 1 / 4, 1 / 4], rtol=1e-6)
    differences = np.random.default_rng(0).normal(0.1, size=(50, 3))
    weights = populations.tilted(differences)
    np.testing.assert_allclose(weights @ differences, 0, atol=1e-8)
    assert weights.sum() == pytest.approx(1)


def test_values_are_read_from_files_by_ranker(tmp_path):
    file = tmp_path / "collection.csv"
    file.write_text(
        "ranker,qid,mrr\nold,1,0.5\nold,2,0.25\nold,3,\nnew,1,0.5\nnew,2,1\nnew,3,1\n"
    )
    values = populations.read_values([file])["collection"]
    assert values.rankers == ("old", "new")
    assert values.difference("mrr", "new", "old").tolist() == [0, 0.75]


def test_the_simulation_of_cross_validation_prints_all_its_figures(capsys):
    simulate_cross_validation.main(n_samples=3, n_of_all=100)
    lines = capsys.readouterr().out.splitlines()
    for name in ("confidence_interval", "Student", "ten splits", "compare_rankers"):
        sizes = [line.split()[0] for line in lines if name in line]
        assert sizes == ["30", "100", "300"]
    assert all("nan" not in line for line in lines)


def test_the_score_of_weights_depends_on_their_correlation_with_the_relevance():
    # The true weights rank as well as noise allows, and their negative badly.
    rng = np.random.default_rng(0)
    score = simulate_cross_validation.score_by_correlation(200, rng)
    weights = simulate_cross_validation.WEIGHTS
    X, y, qid = simulate_cross_validation.draw(2000, rng)
    scores = simulate_cross_validation.ndcg(y, X @ weights, qid)
    assert score(weights) == pytest.approx(scores.summary()["ndcg@10"], abs=0.02)
    assert score(weights) == score(7 * weights)
