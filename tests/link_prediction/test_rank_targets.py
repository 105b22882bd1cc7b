"""The ranks of heads and tails, against loops over sets."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skrank.link_prediction import (
    SampledNegatives,
    evaluate_link_prediction,
    rank_triples,
)
from tests.link_prediction.graphs import Recorded, as_columns, loop_ranks, make_graph

# The models here have no `triples_`.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no attribute 'triples_'")

MODEL, TRIPLES = make_graph()
TRAIN, TEST = TRIPLES[:40], TRIPLES[40:]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_filtered_and_raw_ranks_are_those_of_a_loop(seed, dtype):
    model, triples = make_graph(seed=seed)
    model = Recorded((4 * model.tails).astype(dtype), (4 * model.heads).astype(dtype))
    test = triples[40:]
    for known, filtered in ((triples[:40], triples), (None, test[:0]), ("auto", test)):
        ranks = rank_triples(model, test, known=known)
        assert_array_equal(as_columns(ranks), loop_ranks(model, test, filtered))


@pytest.mark.slow
def test_wide_graphs_are_counted_row_by_row_and_alike():
    model, triples = make_graph(n_entities=1100, n_relations=2, n_triples=30)
    ranks = rank_triples(model, triples[:4], known=triples)
    assert_array_equal(as_columns(ranks), loop_ranks(model, triples[:4], triples))
    some = np.arange(0, 1100, 3)
    ranks = rank_triples(model, triples[:4], known=triples, candidates=some)
    allowed = {(s, r): set(some.tolist()) for s in ("head", "tail") for r in range(2)}
    expected = loop_ranks(model, triples[:4], triples, allowed)
    assert_array_equal(as_columns(ranks), expected)


@pytest.mark.parametrize("batch_size", [1, 3, 20, 1000])
def test_the_size_of_batches_changes_nothing(batch_size):
    asked = []

    class Counting(Recorded):
        def score_tails(self, X):
            asked.append(len(X))
            return super().score_tails(X)

    model = Counting(MODEL.tails, MODEL.heads)
    ranks = rank_triples(model, TEST, known=TRAIN, batch_size=batch_size)
    expected = rank_triples(MODEL, TEST, known=TRAIN)
    assert_array_equal(as_columns(ranks), as_columns(expected))
    assert max(asked) <= batch_size
    assert sum(asked) == len(TEST)


def test_infinite_scores_are_ranked():
    tails = np.array([[[-np.inf, np.inf, 0.0, -np.inf]]])
    ranks = rank_triples(Recorded(tails, None), [[0, 0, 3]], sides="tail")
    assert_array_equal(as_columns(ranks), [[3, 4, 4]])


def test_the_right_entity_is_never_filtered_nor_are_unknown_entities_missed():
    model = Recorded(np.array([[[3.0, 2.0, 1.0]]]), None)
    known = [[0, 0, 2], [0, 0, 0], [7, 0, 8]]
    ranks = rank_triples(model, [[0, 0, 2]], known=known, sides="tail")
    assert_array_equal(as_columns(ranks), [[2, 2, 2]])


@pytest.mark.parametrize("labels", ["abcdefghi", [90, 3, 41, 7, 8, 20, 11, 64, 5]])
def test_ids_follow_the_order_of_the_columns_of_the_model(labels):
    labels = np.array(list(labels))

    class Named:
        entities_ = labels

        def score_tails(self, X):
            return MODEL.score_tails(self.numbers(X))

        def score_heads(self, X):
            return MODEL.score_heads(self.numbers(X))

        def numbers(self, X):
            place = {label: i for i, label in enumerate(labels.tolist())}
            return np.array([(place[h], int(r), place[t]) for h, r, t in X.tolist()])

    def named(X):
        ends = labels[X]
        relation = X[:, 1].astype(labels.dtype)
        return np.column_stack([ends[:, 0], relation, ends[:, 2]])

    expected = as_columns(rank_triples(MODEL, TEST, known=TRAIN))
    frame = pd.DataFrame(named(TEST), columns=["head", "relation", "tail"])
    for X in (named(TEST), frame, named(TEST).tolist()):
        ranks = rank_triples(Named(), X, known=named(TRAIN))
        assert_array_equal(as_columns(ranks), expected)


def test_columns_say_which_side_triple_relation_and_category():
    columns = pd.DataFrame(rank_triples(MODEL, TEST).to_dict())
    assert columns["side"].tolist() == ["head"] * 20 + ["tail"] * 20
    assert columns["triple"].tolist() == [*range(20), *range(20)]
    assert columns["relation"].tolist() == TEST[:, 1].tolist() * 2
    realistic = (columns["optimistic"] + columns["pessimistic"]) / 2
    assert columns["realistic"].tolist() == realistic.tolist()


def test_relations_have_the_categories_of_bordes():
    # Heads a tail and tails a head, on average: 1 and 1; 1 and 2; 2 and 1; 2 and 2;
    # 1 and 1.5, which is many already.
    known = [[0, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 2], [1, 2, 0], [2, 2, 0]]
    known += [[0, 3, 0], [0, 3, 1], [1, 3, 0], [1, 3, 1], [0, 1, 2]]
    known += [[0, 4, 1], [0, 4, 2], [1, 4, 0]]
    model = Recorded(np.zeros((3, 5, 3)), np.zeros((3, 5, 3)))
    test = [[0, 3, 1], [1, 2, 0], [0, 1, 2], [1, 0, 0], [1, 4, 0]]
    ranks = rank_triples(model, test, known=known)
    assert ranks.category.tolist() == ["n-n", "n-1", "1-n", "1-1", "1-n"] * 2


def test_entity_subsets_and_type_constraints_are_those_of_a_loop():
    sets = {("head", 0): {1, 2}, ("head", 1): {3, 5, 8}, ("head", 2): {0}}
    sets |= {("tail", 0): {7}, ("tail", 1): {0, 1, 2, 3}, ("tail", 2): {4, 5, 6}}
    given = {
        side: {r: sorted(sets[side, r]) for r in range(3)} for side in ("head", "tail")
    }
    ranks = rank_triples(MODEL, TEST, known=TRAIN, candidates=given)
    expected = loop_ranks(MODEL, TEST, TRIPLES, sets)
    assert_array_equal(as_columns(ranks), expected)
    same = {key: {1, 4, 6} for key in sets}
    for subset in ([6, 1, 4], {"head": [1, 4, 6], "tail": np.array([4, 6, 1])}):
        ranks = rank_triples(MODEL, TEST, known=TRAIN, candidates=subset)
        expected = loop_ranks(MODEL, TEST, TRIPLES, same)
        assert_array_equal(as_columns(ranks), expected)


def test_given_negatives_are_the_candidates():
    negatives = np.array([[0, 1, 1, 5], [8, 2, 3, 4]])
    test = np.array([[2, 0, 5], [3, 1, 6]])
    sample = SampledNegatives(negatives)
    options = {"known": None, "sides": "tail", "candidates": sample}
    with pytest.warns(UserWarning, match="the wrong order"):
        ranks = rank_triples(MODEL, test, **options)
    for i, (h, r, t) in enumerate(test.tolist()):
        rivals = [MODEL.tails[h, r, e] for e in negatives[i] if e != t]
        own = MODEL.tails[h, r, t]
        assert ranks.optimistic[i] == 1 + sum(score > own for score in rivals)
        assert ranks.pessimistic[i] == 1 + sum(score >= own for score in rivals)
        assert ranks.n_candidates[i] == 1 + len(rivals)


@pytest.mark.slow
def test_drawn_negatives_are_uniform_and_never_hold_known_answers():
    exact = rank_triples(MODEL, TEST, known=TRAIN)
    ranks = []
    for seed in range(400):
        sample = SampledNegatives(3, random_state=seed)
        with pytest.warns(UserWarning, match="among a sample of the candidates"):
            found = rank_triples(MODEL, TEST, known=TRAIN, candidates=sample)
        ranks.append(as_columns(found))
    # A negative is above a target with the fraction of candidates that are.
    share = 3 / np.maximum(exact.n_candidates - 1, 1)[:, np.newaxis]
    ranks = np.array(ranks)[..., :2]
    mean, error = ranks.mean(axis=0), ranks.std(axis=0) / 20
    expected = 1 + share * (as_columns(exact)[:, :2] - 1)
    assert np.all(np.abs(mean - expected) <= 4.5 * error + 1e-9)


@pytest.mark.parametrize("by", ["side", "relation", "category"])
def test_groups_are_evaluated_by_themselves(by):
    ranks = rank_triples(MODEL, TEST, known=TRAIN)
    metrics = ["mrr", "neg_median_rank", "adjusted_hits@3"]
    scores = evaluate_link_prediction(MODEL, TEST, known=TRAIN, metrics=metrics, by=by)
    for key, values in scores.items():
        rows = getattr(ranks, by) == key
        part = {name: column[rows] for name, column in vars(ranks).items()}
        assert values == replace(ranks, **part).evaluate(metrics)
    assert list(scores) == sorted(set(getattr(ranks, by).tolist()))


def test_average_question_gives_every_question_the_same_weight():
    ranks = rank_triples(MODEL, TEST, known=TRAIN)
    questions = [("head", r, t) for _, r, t in TEST.tolist()]
    questions += [("tail", h, r) for h, r, _ in TEST.tolist()]
    means = {}
    for question, rank in zip(questions, ranks.realistic, strict=True):
        means.setdefault(question, []).append(rank)
    expected = np.mean([np.mean(values) for values in means.values()])
    by_question = ranks.evaluate("arithmetic_mean_rank", average="question")
    assert_allclose(by_question["arithmetic_mean_rank"], expected)
    assert len(means) < len(questions)


def test_conventions_give_the_numbers_of_their_rules():
    sevenths = Recorded(MODEL.tails / 7000, MODEL.heads / 7000)
    cut = Recorded(np.trunc(MODEL.tails / 7), np.trunc(MODEL.heads / 7))

    def values(model, **options):
        options |= {"known": TRAIN, "metrics": ["mrr", "hits@2"]}
        return evaluate_link_prediction(model, TEST, **options)

    assert values(sevenths, convention="ampligraph") == values(cut, ties="pessimistic")
    assert values(MODEL, convention="pykeen") == values(MODEL, ties="realistic")
    strict = values(MODEL, ties="pessimistic")["hits@2"]
    expected = {"mrr": values(MODEL, ties="realistic")["mrr"], "hits@2": strict}
    assert values(MODEL, convention="ogb") == expected


def test_ogb_hits_are_strict_against_the_kth_of_shared_negatives():
    # Positives .9, .5 and .2 against negatives .1, .5 and .7: the second largest is .5.
    # https://ogb.stanford.edu: a positive is a hit if it scores above it.
    scores = np.array([[[0.1, 0.5, 0.7, 0.9, 0.5, 0.2]]])
    test = [[0, 0, 3], [0, 0, 4], [0, 0, 5]]
    options = {"known": None, "sides": "tail", "candidates": [0, 1, 2]}
    options |= {"metrics": ["hits@2", "hits@4", "mrr"], "convention": "ogb"}
    values = evaluate_link_prediction(Recorded(scores, None), test, **options)
    mrr = pytest.approx((1 / 1 + 1 / 2.5 + 1 / 3) / 3)
    assert values == {"hits@2": 1 / 3, "hits@4": 1.0, "mrr": mrr}


def test_ranks_are_evaluated_by_default_as_a_model_is():
    expected = evaluate_link_prediction(MODEL, TEST, known=TRAIN)
    assert rank_triples(MODEL, TEST, known=TRAIN).evaluate() == expected
    assert list(expected) == ["mrr", "mean_rank", "hits@1", "hits@3", "hits@10"]


def test_duplicates_count_each_and_are_said():
    twice = np.concatenate([TEST, TEST[:2]])
    with pytest.warns(UserWarning, match="2 of the 22 triples are duplicates") as seen:
        ranks = rank_triples(MODEL, twice, known=TRAIN)
    assert seen[0].filename == __file__  # the line of the user
    once = as_columns(rank_triples(MODEL, TEST, known=TRAIN))
    heads, tails = once[:20], once[20:]
    expected = np.concatenate([heads, heads[:2], tails, tails[:2]])
    assert_array_equal(as_columns(ranks), expected)
