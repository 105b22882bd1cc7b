"""The laws of all metrics that read columns of rows."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank._engine.request import METRICS
from skrank.metrics import evaluate, inverse_propensities, of_items, tie_report
from tests.brute_force import OF_COLUMNS

# With groups as labels, and with the parts that a document has in each group.
BY_LABEL = [
    *("ild@5", "neg_popularity@5", "novelty@5", "group_share@5", "serendipity@5"),
    *("awrf@5", "awrf(target='relevant')", "neg_eel", "neg_eed@9", "eer"),
    *("psp@5", "psp(normalize='total')@5", "psndcg@5", "psndcg(normalize='self')"),
    *("psndcg(normalize=None, clip=0.2)@5", "alpha_ndcg@5", "alpha_ndcg@2", "err_ia"),
    *("nrbp", "map_ia", "precision_ia@3", "subtopic_recall@2", "ndcg@5"),
]
BY_PART = ["awrf@5", "awrf(target=[1, 2, 1])", "neg_eel", "eer@9"]


def draw(names, n=3000, n_queries=200, order=slice(None)):
    """Return grades, scores with ties and the columns that metrics read."""
    rng = np.random.default_rng(0)
    qid = np.sort(rng.integers(0, n_queries, n))[order]
    item, is_new = rng.integers(0, 50, n)[order], (rng.random(n) < 0.3)[order]
    tags = {i: [tag for tag in "abcdef" if rng.random() < 0.3] for i in range(50)}
    propensity = 1 / inverse_propensities(rng.integers(0, 90, 50), 100)
    rows = {
        "y_true": rng.integers(0, 3, n)[order],
        "y_score": rng.integers(0, 20, n)[order],
        "qid": qid,
        "popularity": rng.random(n)[order],
        "expected": rng.random(n)[order],
        "features": of_items(rng.random((50, 4)), item),
        "propensity": of_items(propensity, item),
        "subtopics": of_items(tags, item),
        "group": is_new,
    }
    if names is BY_PART:
        rows["group"] = of_items(rng.dirichlet([1, 1, 1], size=50), item)
    return only(names, rows)


def only(names, rows):
    """Return the columns that metrics read."""
    read = {"y_true", "y_score", "qid"}.union(*map(columns_of, names))
    return {column: values for column, values in rows.items() if column in read}


def columns_of(name):
    return METRICS[base_of(name)].columns


def base_of(name):
    return name.removeprefix("neg_").partition("@")[0].partition("(")[0]


def test_every_metric_of_columns_obeys_these_laws():
    assert {base_of(name) for name in BY_LABEL + BY_PART} == {*OF_COLUMNS, "ndcg"}


@pytest.mark.slow
@pytest.mark.parametrize("names", [BY_LABEL, BY_PART], ids=["labels", "parts"])
def test_blocks_have_the_values_of_the_whole(monkeypatch, names):
    rows = draw(names)
    whole = evaluate(**rows, metrics=names)
    monkeypatch.setattr("skrank._engine.answer.ROWS", 500)
    parts = evaluate(**rows, metrics=names)
    # Distances are multiplied as matrices.
    assert parts.pop("ild@5", None) == pytest.approx(whole.pop("ild@5", None))
    assert parts == whole


@pytest.mark.slow
@pytest.mark.parametrize("names", [BY_LABEL, BY_PART], ids=["labels", "parts"])
def test_rows_in_another_order_give_the_same_bits_and_each_metric_that_of_all(names):
    rows = draw(names, 300, 20)
    values = evaluate(**rows, metrics=names)
    order = np.random.default_rng(1).permutation(300)
    assert evaluate(**draw(names, 300, 20, order), metrics=names) == values
    for name in names:
        alone = evaluate(**only([name], rows), metrics=name)
        assert alone == {name: values[name]}


ONE_OF_EACH = {base_of(name): name for name in BY_LABEL + BY_PART if name != "ndcg@5"}


@pytest.mark.parametrize("base", ONE_OF_EACH)
def test_only_orders_that_no_grade_decides_are_accepted(base):
    name = ONE_OF_EACH[base]
    rows = only([name], draw(BY_PART if name in BY_PART else BY_LABEL, 20, 2))
    for ties in ("optimistic", "pessimistic"):
        with pytest.raises(ValueError, match="'ties' parameter of evaluate"):
            evaluate(**rows, metrics=name, ties=ties)
    with pytest.raises(ValueError, match="tie_report orders tied documents by"):
        tie_report(**rows, metrics=name)
