"""The rules of other libraries as data that nobody changes."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skrank import metrics
from skrank._engine.conventions import Convention, grouped, in_words, rules_of


def test_the_conventions_cannot_be_changed():
    convention = metrics.CONVENTIONS["sklearn"]
    for mapping, key in (
        (metrics.CONVENTIONS, "sklearn"),
        (convention.rules, "ndcg"),
        (convention.rules["ndcg"], "gain"),
        (convention.refused, "map"),
        (metrics.CONVENTIONS["pykeen"].ranks, "*"),
    ):
        with pytest.raises(TypeError, match="does not support item"):
            mapping[key] = "linear"
        with pytest.raises(TypeError, match="does not support item"):
            del mapping[key]
    with pytest.raises(AttributeError):
        convention.rules = {}


def test_the_rules_of_a_cutoff_win_over_those_of_the_metric_and_of_all(monkeypatch):
    rules = {
        "*": {"ties": "first", "threshold": 1.0},
        "map": {"normalize": "total"},
        "map@k": {"normalize": "k"},
        "map@1": {"threshold": 2.0},
    }
    toyrank = Convention(rules, {"err": "its grades are other ones"})
    monkeypatch.setattr("skrank._engine.conventions.CONVENTIONS", {"toyrank": toyrank})
    order = {"ties": "first", "threshold": 1.0}
    for metric, k, expected in [
        ("mrr", None, order),
        (None, 1, order),
        ("map", None, order | {"normalize": "total"}),
        ("map", 5, order | {"normalize": "k"}),
        ("map", 1, {"ties": "first", "threshold": 2.0, "normalize": "k"}),
        ("err", 3, "its grades are other ones"),
    ]:
        assert rules_of("toyrank", metric, k) == expected


def test_an_order_of_ids_is_followed_together_with_the_order_of_ties():
    rules = {"threshold": 1.0, "ties": "first", "doc_order": "descending"}
    order = {"ties": "first", "doc_order": "descending"}
    assert grouped(rules) == [order, {"threshold": 1.0}]
    assert grouped({"ties": "first", "doc_order": None}) == [
        {"ties": "first"},
        {"doc_order": None},
    ]
    # The meaning is that of the last rule: of the value where that says more.
    assert in_words(order) == (
        "ties='first', doc_order='descending'",
        "tied documents are ordered by ids",
    )
    assert in_words({"ties": "first"})[1] == "tied documents keep the input order"
    assert in_words({"ties": "optimistic"})[1] == "how ties are resolved"
