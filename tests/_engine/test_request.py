"""The row of a metric: its facts, its names and its pickle."""

# SPDX-License-Identifier: BSD-3-Clause

import math
import pickle

import numpy as np
import pytest

from skrank._engine.request import METRICS, Metric, metric_of
from skrank.metrics import evaluate, mrr_score, ndcg_score, recall_at_k_score
from tests._engine.decorated import decorated, power_score

THREE = {"mrr": mrr_score, "ndcg": ndcg_score, "recall": recall_at_k_score}


@pytest.mark.parametrize("name", THREE)
def test_a_function_and_its_row_are_pickled_by_name(name):
    score, row = THREE[name], METRICS[name]
    assert pickle.loads(pickle.dumps(score)) is score
    assert pickle.loads(pickle.dumps(row)) is row
    assert len(pickle.dumps(row)) < 200


def test_rows_of_further_names_and_of_users_are_pickled_as_well():
    for name in ("adjusted_mrr", "inverse_mean_rank"):
        assert pickle.loads(pickle.dumps(METRICS[name])) is METRICS[name]
    own = Metric("own", power_score, own=power_score)
    again = pickle.loads(pickle.dumps(own))
    assert (again.name, again.definition) == ("own", power_score)


def test_the_row_holds_the_facts_and_the_defaults():
    made = decorated(greater_is_better=False, cutoff="never")
    row = METRICS["power"]
    assert metric_of(made) is row
    assert row.function is made
    assert row.definition is power_score
    assert (row.full_name, row.cutoff) == ("neg_power", "never")
    assert row.reads_first_rank
    assert not row.fixed
    # All parameters but the input. Of a metric of which less is better 0 is the best.
    assert math.isnan(row.defaults["replace_undefined_by"])
    assert row.defaults | {"replace_undefined_by": 0.0} == {
        "k": None,
        "power": 1.0,
        "threshold": 0.0,
        "ties": "expected",
        "replace_undefined_by": 0.0,
        "average": "macro",
        "unjudged": "nonrelevant",
    }
    assert metric_of(power_score) is None


def test_a_row_is_frozen():
    with pytest.raises(AttributeError):
        METRICS["mrr"].name = "other"


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("mrr", {}),
        ("power", {"variants": {"adjusted_mrr": {"adjusted": True}}}),
        ("power", {"variants": {"power": {"adjusted": True}}}),
        ("power", {"inverse_name": "ndcg"}),
    ],
)
def test_two_metrics_of_one_name_are_refused(name, facts):
    known = dict(METRICS)
    with pytest.raises(ValueError, match="There are two metrics named"):
        decorated(name, **facts)
    assert known.items() <= METRICS.items()


def test_names_of_variants_set_parameters():
    made = decorated(
        adjustable=True,
        variants={
            "power_index": {"adjusted": True},
            "power_ratio": {"adjusted": "ratio"},
            "square": {"power": 2.0},
        },
    )
    y_true, y_score = [0, 1, 0], [3, 2, 1]
    # Ranks 1 to 3 under random orders.
    value, chance = 1 / 2, (1 + 1 / 2 + 1 / 3) / 3
    expected = {"power_index": (value - chance) / (1 - chance)}
    expected["power_ratio"] = value / chance
    assert evaluate(y_true, y_score, list(expected)) == pytest.approx(expected)
    assert made(y_true, y_score, adjusted="ratio") == pytest.approx(value / chance)
    for name, adjusted in (("power_index", True), ("power_ratio", "ratio")):
        row = METRICS[name]
        assert row.fixed == {"adjusted": adjusted}
        assert row.function is made
        assert np.isnan(row.defaults["replace_undefined_by"])
    # Any parameter may be the one that a name sets.
    assert METRICS["square"].fixed == {"power": 2.0}
    assert METRICS["square"].defaults["replace_undefined_by"] == 0.0
    assert evaluate(y_true, y_score, "square") == {"square": 1 / 4}
    with pytest.raises(TypeError, match=r"none of.*square"):
        evaluate(y_true, y_score, "square", power=3.0)
    with pytest.raises(TypeError, match=r"none of.*power_index"):
        evaluate(y_true, y_score, "power_index", adjusted=True)


def test_smaller_is_better_unless_it_is_adjusted():
    variants = {"up": {"adjusted": True}, "down": {"adjusted": "ratio"}}
    decorated(greater_is_better=False, variants=variants)
    names = {METRICS[name].full_name for name in ("power", "up", "down")}
    assert names == {"neg_power", "up", "neg_down"}


def test_an_inverse_name_is_one_over_the_metric():
    decorated(inverse_name="inverse_power", greater_is_better=False)
    row = METRICS["inverse_power"]
    assert row.inverse
    assert row.full_name == "inverse_power"
    got = evaluate([0, 0, 1], [3, 2, 1], ["neg_power", "inverse_power"])
    assert got == pytest.approx({"neg_power": -1 / 3, "inverse_power": 3})
