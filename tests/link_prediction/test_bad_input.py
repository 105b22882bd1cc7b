"""What cannot be evaluated is refused, and says what was wrong."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from skrank.datasets import load_nations
from skrank.link_prediction import (
    PopularityPredictor,
    SampledNegatives,
    evaluate_link_prediction,
    rank_triples,
    type_constraints,
)
from tests.link_prediction.graphs import Recorded, make_graph

# The models here have no `triples_`.
pytestmark = pytest.mark.filterwarnings("ignore:.* has no attribute 'triples_'")

MODEL, TRIPLES = make_graph()
TEXT = [["a", "r", "b"], ["b", "s", "c"]]
NAMED = PopularityPredictor().fit(TEXT)


class Returning:
    """A model that returns whatever it is given."""

    entities_ = range(9)

    def __init__(self, scores):
        self.scores = scores

    def score_tails(self, X):
        return self.scores

    score_heads = score_tails


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([["a", "r", "x"], ["y", "r", "x"]], r"2 of the 2 rows .* know 3 .*'x', 'y'"),
        ([["a", "q", "b"]], r"1 of the 1 rows .* relations .* Got 1 others: 'q'"),
        ([["a", "r", 1]], "all integers or all strings. Got ids of type int, str"),
        ([[0, 0, 1]], "by strings. Got integers"),
        ([["a", "r", None]], "Got ids of type NoneType, str"),
        ([["a", "r"]], r"shape \(n_triples, 3\).* Got an array of shape \(1, 2\)"),
        ([["a", "r", "b"], ["a"]], "rows of one length|shape"),
        (np.empty((0, 3), dtype=str), r"0 sample\(s\)"),
        ([[0.0, 1.0, 2.0]], "Got ids of type float"),
        (np.zeros((2, 3)), "integers or strings. Got an array of dtype float64"),
        ([[True, False, True]], "Got ids of type bool"),
    ],
)
def test_triples_that_the_model_cannot_know(X, message):
    message = message.replace(" know 3 ", " model knows 3 ")
    with pytest.raises(ValueError, match=message):
        rank_triples(NAMED, X)


LONG = "x" * 10_000


@pytest.mark.parametrize(
    "options",
    [
        {"X": [[LONG + str(i), "r", "a"] for i in range(9)]},
        {"known": LONG},
        {"sides": LONG},
        {"sides": [LONG]},
        {"batch_size": LONG},
        {"candidates": {LONG: []}},
        {"candidates": [LONG]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_messages_show_little_of_long_input(options):
    with pytest.raises((ValueError, TypeError)) as caught:
        rank_triples(NAMED, **{"X": [["a", "r", "b"]], **options})
    assert 0 < str(caught.value).count("x") < 210
    assert len(str(caught.value)) < 600


def test_triples_that_the_columns_of_the_scores_do_not_have():
    message = r"1 of the 2 rows .* has 9 entities, 0 to 8\. Got 2 others: -1, 9"
    with pytest.raises(ValueError, match=message):
        rank_triples(MODEL, [[0, 0, 1], [9, 0, -1]])
    with pytest.raises(ValueError, match="unless the model has 'entities_'"):
        rank_triples(MODEL, TEXT)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.full((2, 9), np.nan), "returned NaN for 2 of 2 triples"),
        (np.zeros((2, 8)), r"shape \(2, 9\). Got dtype float64 and shape \(2, 8\)"),
        (np.zeros(9), r"Got dtype float64 and shape \(9,\)"),
        (np.zeros((2, 9), dtype=complex), "Got dtype complex128"),
        (np.full((2, 9), "a"), "Got dtype <U1"),
    ],
)
def test_scores_that_are_no_matrix_of_numbers(scores, message):
    with pytest.raises(ValueError, match=f"score_heads of the model|{message}"):
        rank_triples(Returning(scores), TRIPLES[:2])
    with pytest.raises(ValueError, match=message):
        rank_triples(Returning(scores), TRIPLES[:2], sides="tail")


def test_scores_of_entities_that_are_no_candidates_may_be_nan():
    # (0, 0, 1) is known; (0, 0, 2) is asked for.
    def ranks(scores, **options):
        model = Recorded(np.array([[scores]]), None)
        options = {"known": [[0, 0, 1]], "sides": "tail", **options}
        return rank_triples(model, [[0, 0, 2]], **options).optimistic.tolist()

    assert ranks([5.0, np.nan, 1.0, 0.0]) == [2]
    with pytest.raises(ValueError, match=r"NaN for .* Only entities that"):
        ranks([5.0, np.nan, 1.0, 0.0], known=None)
    for options in ({}, {"candidates": [0, 2]}):
        with pytest.raises(ValueError, match="NaN for 1 of 1 triples"):
            ranks([5.0, 0.0, np.nan, 0.0], **options)
    subset = {"known": None, "candidates": [0, 2]}
    assert ranks([5.0, np.nan, 1.0, np.nan], **subset) == [2]
    subset["candidates"] = {"tail": {0: [0, 2]}, "head": {}}
    assert ranks([5.0, np.nan, 1.0, np.nan], **subset) == [2]
    subset["candidates"] = SampledNegatives([[0, 0]])
    with pytest.warns(UserWarning, match="a sample of the candidates"):
        assert ranks([5.0, np.nan, 1.0, np.nan], **subset) == [3]


def test_predict_needs_a_score_of_each_entity():
    class Partial(PopularityPredictor):
        def score_tails(self, X):
            scores = super().score_tails(X).astype(float)
            scores[:, 0] = np.nan
            return scores

    with pytest.raises(ValueError, match="score_tails of the model returned NaN"):
        Partial().fit(TEXT).predict(TEXT[:1])


@pytest.mark.parametrize("scores", [3.0, np.zeros(3), np.zeros((3, 9))])
def test_scores_from_which_the_number_of_entities_cannot_be_read(scores):
    model = Recorded(None, None)
    model.score_heads = lambda X: scores
    message = r"score_heads of the model must .*shape \(1, n_entities\)"
    with pytest.raises(ValueError, match=message):
        rank_triples(model, TRIPLES[:2])


def test_a_predictor_that_is_not_fitted_says_so():
    model = PopularityPredictor()
    ask_for_metrics = partial(evaluate_link_prediction, model)
    for ask in (model.score, model.predict, model.score_tails, ask_for_metrics):
        with pytest.raises(NotFittedError, match="PopularityPredictor"):
            ask(TEXT)


def test_no_further_known_triples_are_no_error():
    expected = rank_triples(NAMED, TEXT).realistic
    for known in ([], (), np.empty((0, 3), dtype=str)):
        ranks = rank_triples(NAMED, TEXT, known=known).realistic
        assert ranks.tolist() == expected.tolist()


def test_entities_of_a_model_that_are_not_each_once():
    model = Returning(np.zeros((2, 9)))
    model.entities_ = [0, 1, 1]
    with pytest.raises(ValueError, match="vector of different ids"):
        rank_triples(model, TRIPLES[:2])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"known": "all"}, ValueError, "must be 'auto', None, triples"),
        ({"known": [1, 2, 3]}, ValueError, r"'known' parameter .*shape \(3,\)"),
        ({"known": [[1, 2]]}, ValueError, r"'known' parameter .*shape \(1, 2\)"),
        ({"known": [["a", "b", "c"]]}, ValueError, "by integers. Got strings"),
        ({"known": {(0, 0, 1)}}, TypeError, "'known' parameter .* Got a set"),
        ({"sides": "left"}, ValueError, "'sides' parameter must be .* Got 'left'"),
        ({"sides": ()}, ValueError, "'sides' parameter"),
        ({"sides": ("head", "head")}, ValueError, "each once"),
        ({"batch_size": 0}, ValueError, "batch_size == 0, must be >= 1"),
        ({"batch_size": 2.0}, TypeError, "an int or 'auto'. Got 2.0"),
        ({"batch_size": "all"}, TypeError, "an int or 'auto'. Got 'all'"),
        ({"candidates": []}, ValueError, "60 triples have no candidates"),
        ({"candidates": [1, 99]}, ValueError, "Got 1 others: 99"),
        ({"candidates": [[1, 2]]}, ValueError, r"shape \(n_candidates,\)"),
        ({"candidates": {"tail": [1]}}, ValueError, r"\['tail'\] for 'head'"),
        ({"candidates": {"head": {}, "tail": {}}}, ValueError, "for 3 of their rel"),
        ({"candidates": SampledNegatives(0)}, ValueError, "negatives == 0"),
        ({"candidates": SampledNegatives([1, 2])}, ValueError, "n_negatives"),
        ({"candidates": SampledNegatives([[1, 2]])}, ValueError, "with 60 rows"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        rank_triples(MODEL, TRIPLES, **options)


def test_triples_whose_relation_has_no_candidates_are_counted():
    given = {0: [1], 1: [], 2: [3]}
    n_empty = np.count_nonzero(TRIPLES[:, 1] == 1)
    message = f"{n_empty} triples have no candidates: .* for 1 of their relations, .* 1"
    with pytest.raises(ValueError, match=message):
        rank_triples(MODEL, TRIPLES, candidates={"head": given, "tail": given})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entities": ["a", "b"]}, "entities that the model does not know"),
        ({"relations": ["r", "r", "s"]}, "vector of different ids"),
        ({"entities": "abc"}, r"vector of different ids. Got an array of shape \(\)"),
        ({"entities": [-(10**30), 1]}, "range of int64. Got -1000"),
    ],
)
def test_given_ids_are_those_of_the_triples_each_once(options, message):
    with pytest.raises(ValueError, match=message):
        PopularityPredictor(**options).fit(TEXT)


def test_nothing_is_learned_from_no_triples_and_huge_ids():
    with pytest.raises(ValueError, match="is required by PopularityPredictor"):
        PopularityPredictor().fit(np.empty((0, 3), dtype=int))
    with pytest.raises(ValueError, match=r"range of int64\. Got 1000"):
        PopularityPredictor().fit([[10**30, 0, 1]])


def test_a_model_of_one_side_may_be_asked_for_it_alone():
    class Tails:
        score_tails = MODEL.score_tails

    of_both = Recorded(MODEL.tails, None)
    found, expected = (
        evaluate_link_prediction(model, TRIPLES, sides="tail", metrics="mrr")
        for model in (Tails(), of_both)
    )
    assert found == expected
    with pytest.raises(TypeError, match="has no 'score_heads'"):
        evaluate_link_prediction(Tails(), TRIPLES)


def test_an_unknown_convention_is_refused_before_the_model_scores():
    class Slow(Returning):
        def score_tails(self, X):
            raise AssertionError("The model was asked for scores.")

        score_heads = score_tails

    message = "'convention' parameter of evaluate_link_prediction must be .*'pikeen'"
    with pytest.raises(ValueError, match=message):
        evaluate_link_prediction(Slow(None), TRIPLES, convention="pikeen")


def nations(columns):
    frame = pd.DataFrame(load_nations().train, columns=["head", "relation", "tail"])
    return frame[columns]


def test_columns_of_frames_are_those_of_fit():
    order = ["head", "relation", "tail"]
    model = PopularityPredictor().fit(nations(order))
    assert model.feature_names_in_.tolist() == order
    model.score(nations(order)[:9])
    other = nations(["tail", "relation", "head"])
    match = r"must be those of fit, \['head', .* Got \['tail', 'relation', 'head'\]"
    with pytest.raises(ValueError, match=f"columns of 'X' {match}"):
        evaluate_link_prediction(model, other)
    with pytest.raises(ValueError, match=f"columns of 'known' {match}"):
        evaluate_link_prediction(model, nations(order), known=other)


def test_known_triples_of_other_ids_are_refused():
    known = np.array([["a", "b", "r"], ["c", "b", "s"]])
    with pytest.raises(ValueError, match=r"2 of 2 triples of the 'known' .* relation"):
        rank_triples(NAMED, TEXT, known=known)
    with pytest.warns(UserWarning, match=r"2 of 3 triples of the 'known' .* relation"):
        rank_triples(NAMED, TEXT, known=np.r_[known, TEXT[:1]])


@pytest.mark.parametrize("read", [PopularityPredictor().fit, type_constraints])
def test_triples_in_the_order_of_openke_are_noticed(read):
    rng = np.random.RandomState(0)
    ends, relation = rng.randint(900, size=(2000, 2)), rng.randint(11, size=2000)
    with pytest.warns(UserWarning, match=r"relations and .* tails .* OpenKE"):
        read(np.c_[ends, relation])
    read(np.c_[ends[:, 0], relation, ends[:, 1]])
    # Fewer tails than relations, but not by far.
    read(np.c_[ends[:, 0], ends[:, 1], rng.randint(500, size=2000)])
