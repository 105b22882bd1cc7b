"""Link predictors: the protocol, the baselines, and scikit-learn around them."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.utils import get_tags

from skrank.datasets import load_nations
from skrank.link_prediction import (
    PopularityPredictor,
    TripleShuffleSplit,
    evaluate_link_prediction,
    from_pykeen,
    rank_triples,
)
from skrank.metrics import evaluate, make_ranking_scorer, mean_rank, mrr_score
from tests.link_prediction.graphs import NoisyCounts

NATIONS = load_nations()
TRAIN, TEST = NATIONS.train, NATIONS.test
POPULAR = PopularityPredictor().fit(TRAIN)
CV = TripleShuffleSplit(2, random_state=0)
PREDICTORS = [PopularityPredictor(), NoisyCounts()]


def test_popularity_counts_the_training_triples():
    X = [["a", "r", "b"], ["c", "r", "b"], ["a", "s", "c"], ["a", "r", "c"]]
    model = PopularityPredictor().fit(X)
    assert_array_equal(model.score_tails([["b", "r", "a"]]), [[0, 2, 1]])
    assert_array_equal(model.score_heads([["b", "r", "a"]]), [[2, 0, 1]])


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
def test_what_scikit_learn_asks_of_an_estimator(predictor):
    with pytest.raises(NotFittedError):
        clone(predictor).score_tails(TEST)
    model = clone(predictor).fit(TRAIN)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(model.predict(TEST), again.predict(TEST))
    assert get_tags(model).estimator_type == "link_predictor"
    assert not get_tags(model).target_tags.required
    assert model.n_features_in_ == 3
    assert_array_equal(model.entities_, NATIONS.entities)
    assert model.score(TEST) == evaluate_link_prediction(model, TEST)["mrr"]


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
def test_ids_may_be_given_and_need_no_order(predictor):
    backwards = NATIONS.entities[::-1]
    model = clone(predictor).set_params(entities=backwards).fit(TRAIN[:400])
    assert_array_equal(model.entities_, backwards)
    assert model.predict(TRAIN[:2]).shape == (2, 14)


def test_predict_gives_the_scores_of_a_side():
    tails = POPULAR.predict(TEST[:2])
    assert_array_equal(tails, POPULAR.score_tails(TEST[:2]))
    heads = POPULAR.predict(TEST[:2], side="head")
    assert_array_equal(heads, POPULAR.score_heads(TEST[:2]))


def test_scores_of_the_candidates_shape_give_the_same_metrics():
    tail = np.searchsorted(NATIONS.entities, TEST[:, 2])
    raw = evaluate_link_prediction(POPULAR, TEST, known=None, sides="tail")
    assert raw == pytest.approx(evaluate(tail, POPULAR.predict(TEST), list(raw)))


@pytest.mark.parametrize(
    "metric", ["mrr", "hits@3", "neg_mean_rank", "adjusted_mean_rank_index", "ndcg@10"]
)
def test_scorer_names_rank_heads_and_tails_without_y(metric):
    expected = evaluate_link_prediction(POPULAR, TEST, metrics=metric)[metric]
    assert sklearn_scorer(metric)(POPULAR, TEST) == expected
    assert make_ranking_scorer(metric)(POPULAR, TEST) == expected


@pytest.mark.parametrize(("score", "sign"), [(mrr_score, 1), (mean_rank, -1)])
def test_scorers_of_functions_do_so_too(score, sign):
    scorer = make_ranking_scorer(score, ties="pessimistic")
    name = {1: "mrr", -1: "arithmetic_mean_rank"}[sign]
    got = evaluate_link_prediction(POPULAR, TEST, metrics=name, ties="pessimistic")
    assert scorer(POPULAR, TEST) == sign * got[name]


def test_without_y_another_estimator_is_refused():
    model = Ridge().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"make_ranking_scorer\('mrr'\) needs y_true"):
        sklearn_scorer("mrr")(model, [[0.0]])


def test_the_triples_of_the_fold_join_the_filter():
    (train, test), *_ = CV.split(TRAIN)
    X = TRAIN[test]
    model = PopularityPredictor().fit(TRAIN[train])
    filtered = cross_val_score(PopularityPredictor(), TRAIN, scoring="mrr", cv=CV)[0]
    expected, raw = (
        evaluate_link_prediction(model, X, known=known, metrics="mrr")["mrr"]
        for known in ([TRAIN[train], X], None)
    )
    assert raw < filtered == expected


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(
    "scoring",
    [
        "mrr",
        ["mrr", "hits@10"],
        make_ranking_scorer("mrr", ties="realistic"),
        partial(
            evaluate_link_prediction,
            metrics=["mrr", "adjusted_mrr"],
            known=NATIONS.valid,
            sides="tail",
            average="question",
        ),
    ],
    ids=["name", "names", "scorer", "function"],
)
def test_grid_search_selects_a_link_predictor(scoring, routing):
    refit = "mrr" if isinstance(scoring, (list, partial)) else True
    grid = {"weight": [-1, 1]}
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(NoisyCounts(), grid, scoring=scoring, cv=CV, refit=refit)
        search.fit(TRAIN)
    assert search.best_params_ == {"weight": 1}


@pytest.mark.slow
def test_names_and_one_scorer_of_all_of_them_agree():
    names = ["mrr", "neg_mean_rank"]
    one = cross_validate(PopularityPredictor(), TRAIN, cv=CV, scoring=names)
    function = partial(evaluate_link_prediction, metrics=names)
    for scorer in (make_ranking_scorer(names), function):
        other = cross_validate(PopularityPredictor(), TRAIN, cv=CV, scoring=scorer)
        for name in names:
            assert_array_equal(one[f"test_{name}"], other[f"test_{name}"])


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pykeen", "ogb"])
def test_scorers_follow_the_conventions_for_ties(convention):
    names = ["mrr", "hits@3"]
    how = {"convention": convention}
    expected = evaluate_link_prediction(POPULAR, TEST, metrics=names, **how)
    assert make_ranking_scorer(names, **how)(POPULAR, TEST) == expected
    assert expected != evaluate_link_prediction(POPULAR, TEST, metrics=names)


# As much of torch, and of a model and a factory of PyKEEN, as the adapter asks for.
class FakeTorch:
    @staticmethod
    def as_tensor(values, device):
        assert device == "cpu"
        return values


class FakeTensor(np.ndarray):
    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.asarray(self)


class FakeModel:
    num_entities, num_relations, num_real_relations, device = 14, 110, 55, "cpu"

    def __init__(self):
        rng = np.random.default_rng(0)
        self.scores = rng.normal(size=(2, 55, 14, 14)).astype(np.float32)

    def predict_t(self, hr_batch):
        h, r = hr_batch.T
        return self.scores[0, r, h].view(FakeTensor)

    def predict_h(self, rt_batch):
        r, t = rt_batch.T
        return self.scores[1, r, t].view(FakeTensor)


def as_numbers(X):
    """Return triples as numbers, in which the entities are in reverse order."""
    head, tail = (13 - np.searchsorted(NATIONS.entities, X[:, i]) for i in (0, 2))
    return np.column_stack([head, np.searchsorted(NATIONS.relations, X[:, 1]), tail])


class FakeFactory:
    entity_to_id = {name: 13 - i for i, name in enumerate(NATIONS.entities.tolist())}
    relation_to_id = {name: i for i, name in enumerate(NATIONS.relations.tolist())}
    mapped_triples = [*map(tuple, as_numbers(TRAIN).tolist())]


def test_a_pykeen_model_is_asked_for_pairs_and_named_by_its_factory(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", FakeTorch)
    model = FakeModel()
    named = from_pykeen(model, FakeFactory())
    assert_array_equal(named.triples_, TRAIN)
    numbers = from_pykeen(model)
    X = as_numbers(TEST)
    head, relation, tail = X.T
    assert_array_equal(named.score_tails(TEST), model.scores[0, relation, head])
    assert_array_equal(named.score_heads(TEST), model.scores[1, relation, tail])
    ranks = rank_triples(numbers, X, known=FakeFactory.mapped_triples)
    expected = rank_triples(named, TEST)
    assert_array_equal(ranks.realistic, expected.realistic)
    assert_allclose(named.score(TEST), expected.evaluate("mrr")["mrr"])


def test_text_takes_no_more_memory_than_its_python_objects():
    n_triples, longest = 3000, 2000
    rng = np.random.default_rng(0)
    ends = np.array([f"e{number}" for number in range(50)], dtype=object)
    names = np.array(["r" * longest, "s"], dtype=object)
    head, tail = ends[rng.integers(50, size=(2, n_triples))]
    triples = np.column_stack([head, names[np.arange(n_triples) % 2], tail])
    tracemalloc.start()
    try:
        model = PopularityPredictor().fit(triples)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_triples * longest  # as an array of str: 12 times as much
    assert model.entities_.tolist() == sorted(ends)
    assert model.relations_.tolist() == sorted(names)
    some = triples[:50], triples[:50].astype(str)
    of_objects, of_text = (PopularityPredictor().fit(X) for X in some)
    assert_array_equal(of_text.predict(some[0]), of_objects.predict(some[1]))


class WithoutTriples(PopularityPredictor):
    """Knows its training triples, and does not show them to the filter."""

    def __getattribute__(self, name):
        if name == "triples_":
            raise AttributeError(name)
        return super().__getattribute__(name)


UNFILTERED = r"has no attribute 'triples_'.*known=\[train, valid\]"


@pytest.mark.slow
def test_a_model_without_its_training_triples_warns_unless_they_are_given():
    model, valid = WithoutTriples().fit(TRAIN), NATIONS.valid
    # More than are evaluated, but without some of the relations.
    some = TRAIN[TRAIN[:, 1] != TEST[0, 1]]
    for known in ("auto", valid, valid.tolist(), some):
        with pytest.warns(UserWarning, match=UNFILTERED) as caught:
            evaluate_link_prediction(model, TEST, known=known)
        assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=UNFILTERED):
        make_ranking_scorer("mrr")(model, TEST)
    expected = evaluate_link_prediction(POPULAR, TEST, known=valid)
    parts = [TRAIN, valid]
    for known in (parts, tuple(parts), np.concatenate(parts)):
        assert evaluate_link_prediction(model, TEST, known=known) == expected
    for known in (None, [], [valid]):  # on purpose
        found = evaluate_link_prediction(model, TEST, known=known)
        assert found["mrr"] < expected["mrr"]
