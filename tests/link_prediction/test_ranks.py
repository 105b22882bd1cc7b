"""The rank metrics of PyKEEN: closed forms, ties, names, and published numbers."""

# SPDX-License-Identifier: BSD-3-Clause

import json
import math
from pathlib import Path

import numpy as np
import pytest

from skrank._engine.names import parse_name
from skrank.datasets import load_nations
from skrank.link_prediction import LinkRanks, PopularityPredictor, rank_triples
from skrank.metrics import evaluate
from tests.brute_force import LISTED
from tests.link_prediction.graphs import make_graph

# The models here have no `triples_`.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no attribute 'triples_'")

PUBLISHED = json.loads(Path(__file__).with_name("nations.json").read_text("utf-8"))


def link_ranks(above, n_candidates, tied=0, weight=1.0):
    """Return ranks of which only the counts matter."""
    zero = np.zeros(len(above), dtype=int)
    counts = {"above": above, "tied": tied, "n_candidates": n_candidates}
    named = dict.fromkeys(("side", "triple", "relation", "category"), zero)
    named |= {name: zero + count for name, count in counts.items()}
    return LinkRanks(**named, weight=np.full(len(above), weight))


# Names of PyKEEN, and those of scorers.
NAMES = {
    "arithmetic_mean_rank": "neg_mean_rank",
    "geometric_mean_rank": "neg_geometric_mean_rank",
    "harmonic_mean_rank": "neg_harmonic_mean_rank",
    "median_rank": "neg_median_rank",
    "inverse_harmonic_mean_rank": "mrr",
    "inverse_arithmetic_mean_rank": "inverse_mean_rank",
    "inverse_geometric_mean_rank": "inverse_geometric_mean_rank",
    "inverse_median_rank": "inverse_median_rank",
    "hits_at_3": "hits@3",
    "adjusted_arithmetic_mean_rank": "neg_adjusted_mean_rank",
    "adjusted_arithmetic_mean_rank_index": "adjusted_mean_rank_index",
    "adjusted_inverse_harmonic_mean_rank": "adjusted_mrr",
    "adjusted_hits_at_2": "adjusted_hits@2",
}


def test_names_of_both_libraries_stand_side_by_side():
    ranks = rank_triples(*make_graph())
    assert ranks.evaluate("count") == {"count": len(ranks)}
    for theirs, ours in NAMES.items():
        found = ranks.evaluate([theirs, ours])
        sign = -1 if ours.startswith("neg_") else 1
        assert found[theirs] == sign * found[ours], theirs


@pytest.mark.parametrize("name", ["mrr", "hits@1", "adjusted_mrr"])
def test_the_realistic_rank_is_not_the_expectation(name):
    # A tie of five at the top: 1 / 3 and 137 / 300.
    ranks = link_ranks([0], 5, tied=4)
    expected = ranks.evaluate(name, ties="expected")[name]
    assert expected > ranks.evaluate(name, ties="realistic")[name]
    assert ranks.evaluate(name, ties="pessimistic")[name] < expected
    assert ranks.evaluate(name, ties="optimistic")[name] > expected


@pytest.mark.parametrize("side", ["head", "tail", "both"])
@pytest.mark.parametrize("model", ["transe", "complex", "rotate"])
def test_published_metrics_follow_from_the_published_ranks(model, side):
    counted = PUBLISHED["ranks"][model]
    rows = [row for one in counted for row in counted[one] if side in (one, "both")]
    rank, n_candidates, count = np.array(rows).T
    rank, n_candidates = np.repeat(rank, count), np.repeat(n_candidates, count)
    ranks = link_ranks(rank - 1, n_candidates)
    expected = dict(PUBLISHED["published"][model][side])
    # That version took ln(C) / (C - 1) at the mean C for the chance level of MRR.
    adjusted = expected.pop("adjusted_inverse_harmonic_mean_rank")
    got = ranks.evaluate(list(expected), ties="realistic")
    for name, value in expected.items():
        assert got[name] == pytest.approx(value, abs=1e-6), name
    n = n_candidates.mean()
    chance = math.log(n) / (n - 1)
    mrr = got["inverse_harmonic_mean_rank"]
    assert (mrr - chance) / (1 - chance) == pytest.approx(adjusted, abs=1e-6)


@pytest.fixture(scope="module")
def popularity():
    nations = load_nations()
    model = PopularityPredictor().fit(nations.train)
    return rank_triples(model, nations.test, known=nations.valid)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "realistic"])
@pytest.mark.parametrize("side", ["head", "tail", "both"])
def test_popularity_on_nations_has_the_recorded_metrics(popularity, side, ties):
    expected = PUBLISHED["popularity"][side][ties]
    by = None if side == "both" else "side"
    found = popularity.evaluate(list(expected), ties=ties, by=by)
    assert (found if by is None else found[side]) == pytest.approx(expected)


@pytest.mark.slow
def test_names_and_functions_of_metrics_give_the_same_ranks_the_same_values():
    # Scores in which the right candidate, the first one, has the ranks that are given.
    ranks = link_ranks([0, 3, 1], [5, 6, 7], weight=(1, 2, 0.5), tied=[2, 0, 1])
    y_score = np.full((3, 7), -9.0)
    for i, (above, tied, n) in enumerate([(0, 2, 5), (3, 0, 6), (1, 1, 7)]):
        y_score[i, :n] = [0] + [1] * above + [0] * tied + [-1] * (n - 1 - above - tied)
    options = {"exclude": y_score == -9, "sample_weight": (1, 2, 0.5)}
    whole = [name for name in LISTED if "@" not in name]
    names = [name for name in whole if parse_name(name).metric.reads_first_rank]
    names += ["hits@2", "adjusted_hits@2"]
    for ties in ("expected", "realistic", "optimistic", "pessimistic"):
        for adjusted in (False, True):
            how = {"ties": ties, "adjusted": adjusted}
            got = ranks.evaluate(names, average="question", **how)
            expected = evaluate([0, 0, 0], y_score, names, **options, **how)
            assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert len(names) > 12


def test_definitions_of_users_are_read():
    def led(ranking):
        return ranking.expected_at_first(lambda rank: rank == 1)

    ranks = rank_triples(*make_graph())
    got = ranks.evaluate([led, "hits@1"])
    assert got["led"] == pytest.approx(got["hits@1"])


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        ("mrrr", {}, "mrr"),
        ("hits_at_ten", {}, "Did you mean 'hits@10'"),
        ("inverse_harmonic_mean_rnk", {}, "Did you mean 'inverse_harmonic_mean_rank'"),
        ("adjusted_hits", {}, "Did you mean 'adjusted_hits@10'"),
        ("neg_adjusted_mrr", {}, "Did you mean 'adjusted_mrr'"),
        ([], {}, "at least one"),
        (None, {}, "'metrics' parameter .* must be a str, a callable, or a"),
        ("mrr", {"ties": "first"}, "The 'ties' parameter of evaluate_link_prediction"),
        ("spearman", {"ties": "midrank"}, "'ties' parameter of evaluate_link_predict"),
        ("mrr", {"average": "weighted"}, "The 'average' parameter"),
        ("mrr", {"by": "entity"}, "The 'by' parameter"),
        ("mrr", {"convention": "ranx"}, "The 'convention' parameter"),
        ("mrr", {"threshold": 1.0}, "where the estimator computes the ranks itself"),
    ],
)
def test_wrong_metrics_and_options_are_refused(metrics, options, message):
    ranks = link_ranks([0], 3)
    with pytest.raises((TypeError, ValueError), match=message):
        ranks.evaluate(metrics, **options)
