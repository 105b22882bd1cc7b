"""Scores of all lists together, against enumeration."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import statistics
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skrank.metrics import catalogue_scores
from tests.brute_force import all_orders, input_order

NAMES = ["coverage", "gini", "entropy", "personalization"]
CLOSE = {"rel": 0, "abs": 1e-12}


def draw(seed, n_queries=3, most=5):
    """Return scores with ties, ids of ragged queries in any order, items and a mask."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, size=n_queries)
    qid = np.repeat(rng.permutation(10 * n_queries)[:n_queries], sizes)
    item = [rng.choice(list("abcdef"), size=size, replace=False) for size in sizes]
    order = rng.permutation(len(qid))
    y_score = rng.integers(0, 3, size=len(qid)).astype(float)
    returned = rng.random(len(qid)) < 0.8 if seed % 2 else None
    return y_score, qid[order], np.concatenate(item)[order], returned


def lists_of(y_score, qid, item, returned, k, ties="expected"):
    """Return, for each query, the probability of each set of items."""
    returned = np.ones(len(qid), bool) if returned is None else returned
    laws = []
    for query in np.unique(qid):
        rows = np.flatnonzero((qid == query) & returned)
        docs, scores = item[rows].tolist(), y_score[rows].tolist()
        orders = (
            [input_order(docs, scores)] if ties == "first" else all_orders(docs, scores)
        )
        counts = Counter(frozenset(order[:k]) for order in orders)
        total = sum(counts.values())
        laws.append([(items, n / total) for items, n in counts.items()])
    return laws


def cosine(one, other):
    both = math.sqrt(len(one) * len(other))
    return len(one & other) / both if both else 0.0


def expectations(laws, n_items):
    """Return the expected coverage, and personalization, over all combinations."""
    coverage = personalization = 0.0
    for choice in itertools.product(*laws):
        p = math.prod(chance for _, chance in choice)
        lists = [items for items, _ in choice]
        coverage += p * len(frozenset().union(*lists)) / n_items
        pairs = [cosine(*pair) for pair in itertools.combinations(lists, 2)]
        personalization += p * (1 - statistics.fmean(pairs))
    return coverage, personalization


def gini(counts):
    """Return the mean difference of two counts, as a share of twice their mean."""
    apart = sum(abs(x - y) for x in counts for y in counts)
    return apart / (2 * len(counts) * sum(counts))


def entropy(counts):
    shares = [count / sum(counts) for count in counts if count]
    return -sum(share * math.log2(share) for share in shares)


@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize("seed", range(100))
def test_scores_are_those_of_all_combinations_of_orders(seed, ties):
    y_score, qid, item, returned = draw(seed)
    laws = lists_of(y_score, qid, item, returned, 2, ties)
    rows = {"qid": qid, "item": item, "k": 2, "returned": returned, "ties": ties}
    found = catalogue_scores(y_score, items=8, **rows).summary()
    coverage, personalization = expectations(laws, 8)
    assert found["coverage"] == pytest.approx(coverage, **CLOSE)
    assert found["personalization"] == pytest.approx(personalization, **CLOSE)
    # The others are those of the expected counts.
    counts = Counter()
    for items, p in itertools.chain.from_iterable(laws):
        counts.update(dict.fromkeys(items, p))
    counts = [counts[name] for name in "abcdefgh"]
    assert found["gini"] == pytest.approx(gini(counts), **CLOSE)
    assert found["entropy"] == pytest.approx(entropy(counts), **CLOSE)


def hand():
    """Return the rows of three users, each with the items a, b and c in this order."""
    return {"qid": [1, 1, 1, 2, 2, 2, 3, 3, 3], "item": list("abcabcabc"), "k": 2}


def test_scores_by_hand():
    # The lists are ab, ab and bc, so that the counts of a, b, c and d are 2, 3, 1, 0.
    found = catalogue_scores([3, 2, 1, 3, 2, 1, 1, 2, 3], items=4, **hand()).summary()
    assert [*found] == NAMES
    assert found["coverage"] == 3 / 4
    # (2j - 5) c_(j) for 0, 1, 2, 3
    assert found["gini"] == pytest.approx((-1 * 1 + 1 * 2 + 3 * 3) / (4 * 6), **CLOSE)
    assert found["entropy"] == pytest.approx(
        (2 / 6) * math.log2(6 / 2) + (3 / 6) * math.log2(6 / 3) + math.log2(6) / 6,
        **CLOSE,
    )
    # The pairs have 2, 1 and 1 of 2 items in common.
    assert found["personalization"] == pytest.approx(1 - (1 + 0.5 + 0.5) / 3, **CLOSE)


def test_counts_are_probabilities_of_all_items_whose_ids_are_known():
    # The second of the list is b or c.
    scores = catalogue_scores([2, 1, 1], qid=[1, 1, 1], item=list("abc"), k=2, items=3)
    assert scores.counts == {"a": 1.0, "b": 0.5, "c": 0.5}
    known = catalogue_scores([3, 2, 1] * 3, items=list("dcba"), **hand())
    assert known.counts == {"a": 3.0, "b": 3.0, "c": 0.0, "d": 0.0}
    counted = catalogue_scores([3, 2, 1] * 3, items=4, **hand())
    assert counted.counts == {"a": 3.0, "b": 3.0}


def test_rankers_may_have_rows_of_their_own():
    rows = {
        "y_score": {"one": [3, 2, 1, 1], "other": [1, 2]},
        "qid": {"one": [1, 1, 2, 2], "other": [1, 2]},
        "item": {"one": list("abab"), "other": ["c", "c"]},
    }
    scores = catalogue_scores(**rows, k=1, items=4)
    for ranker in ("one", "other"):
        own = {name: of_each[ranker] for name, of_each in rows.items()}
        alone = catalogue_scores(**own, k=1, items=4)
        assert scores.summary()[ranker] == alone.summary()
        assert scores.n_lists[ranker] == alone.n_lists == 2
        assert scores.counts[ranker] == alone.counts


def test_a_matrix_has_an_item_for_each_column():
    matrix = np.array([[3.0, 2, 1, 0], [0, 1, 2, 3], [1, 1, 1, 1]])
    exclude = np.zeros(matrix.shape, dtype=bool)
    exclude[0, 0] = True
    names = np.array(list("abcd"))
    found = catalogue_scores(matrix, item=names, k=2, items=names, exclude=exclude)
    kept = ~exclude
    rows = {"qid": kept.nonzero()[0], "item": names[kept.nonzero()[1]]}
    flat = catalogue_scores(matrix[kept], **rows, k=2, items=names)
    assert found.summary() == flat.summary()
    assert found.counts == flat.counts


def test_several_rankers_of_the_same_rows_are_each_alone():
    y_score, qid, item, _ = draw(4, n_queries=9)
    rankers = {"a": y_score, "b": -y_score, "c": y_score + qid}
    rows = {"qid": qid, "item": item, "k": 2, "items": 6}
    scores = catalogue_scores(rankers, **rows)
    for ranker, one in rankers.items():
        alone = catalogue_scores(one, **rows)
        assert scores.summary()[ranker] == alone.summary()
    assert scores.summary()["a"] == scores.summary()["c"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"items": 2}, r"at least the number of different items .*, 3. Got 2"),
        ({"items": ["a", "b"]}, "at least the number"),
        ({"items": ["a", "b", "x"]}, "Got no item 'c' among 3"),
        ({"items": ["a", "b", "c", "a"]}, "each item once. Got 'a' twice"),
        ({"items": []}, "items == 0, must be >= 1"),
        ({"items": 0}, "items == 0, must be >= 1"),
        ({"k": 0}, "'k' parameter of catalogue_scores must be an int >= 1"),
        ({"ties": "optimistic"}, "'ties' parameter of catalogue_scores"),
        ({"item": list("aabbbcccc")}, "Got the item 'a' twice for the query 1"),
        ({"item": list("ab")}, "inconsistent numbers of samples"),
        ({"item": {"a": list("abc")}}, "'item' parameter of catalogue_scores"),
        ({"qid": [1, 2]}, "inconsistent numbers of samples"),
    ],
)
def test_what_cannot_be_scored_is_an_error(changed, message):
    y_score = [3, 2, 1, 3, 2, 1, 1, 2, 3]
    with pytest.raises(ValueError, match=message):
        catalogue_scores(y_score, **({"items": 3} | hand() | changed))


def test_scores_of_empty_lists_and_of_one_list_are_undefined():
    rows = {"qid": [1, 2, 3], "item": ["a", "a", "b"], "k": 1, "items": 2}
    found = catalogue_scores([1, 1, 1], returned=[True, True, False], **rows)
    assert found.n_lists == 3
    assert found.summary()["personalization"] == pytest.approx(1 - 1 / 3, **CLOSE)
    scores = catalogue_scores([1, 1, 1], returned=[False] * 3, **rows)
    assert scores.n_lists == 3
    with pytest.warns(UndefinedMetricWarning, match="'gini', 'entropy'"):
        found = scores.summary()
    assert found["coverage"] == 0
    assert math.isnan(found["gini"])
    single = catalogue_scores([2, 1], qid=[1, 1], item=["a", "b"], k=1, items=2)
    with pytest.warns(UndefinedMetricWarning, match=r"\['personalization'\]"):
        assert math.isnan(single.summary()["personalization"])


def test_frames_and_indices_are_read_and_made():
    columns = {"user": [1, 1, 2, 2], "item": list("abab"), "s": [2, 1, 1, 2]}
    frame = pd.DataFrame(columns)
    by_index = frame.set_index(frame["user"].rename("qid"))
    scores = catalogue_scores(by_index["s"], item=by_index["item"], k=1, items=2)
    found = scores.to_frame()
    assert isinstance(found, pd.DataFrame)
    assert found.columns.tolist() == ["n_lists", *NAMES]
    assert found.iloc[0].tolist() == [2, 1, 0, 1, 1]
    other = pl.DataFrame(frame)
    rankers = {"up": other["s"], "down": -other["s"]}
    rows = {"qid": other["user"], "item": other["item"]}
    scores = catalogue_scores(rankers, **rows, k=1, items=["a", "b"])
    assert isinstance(scores.to_frame(), pl.DataFrame)
    assert scores.to_frame()["ranker"].to_list() == ["up", "down"]
    assert isinstance(scores.to_frame("pandas"), pd.DataFrame)


def test_it_prints_the_number_of_lists_beside_each_value():
    scores = catalogue_scores([3, 2, 1, 3, 2, 1, 1, 2, 3], items=4, **hand())
    assert str(scores) == repr(scores)
    assert str(scores).splitlines() == [
        "top 2 of 4 items",
        "lists  coverage    gini  entropy  personalization",
        "    3    0.7500  0.4167   1.4591           0.3333",
    ]
    assert "<td>0.4167</td>" in scores._repr_html_()
    rankers = {"a": [2, 1, 1], "b": [1, 2, 3, 4]}
    qid = {"a": [1, 2, 3], "b": [1, 2, 3, 4]}
    item = {"a": list("aab"), "b": list("abba")}
    scores = catalogue_scores(rankers, qid=qid, item=item, k=1, items=3)
    assert str(scores).split("\n")[2].split()[:2] == ["a", "3"]
