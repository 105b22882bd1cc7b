"""Splits of triples train on every entity and relation that they test."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import GridSearchCV, check_cv, cross_validate

from skrank.link_prediction import TripleShuffleSplit
from tests.model_selection.test_splitters import splits


def graph(n_triples=2000, n_entities=300, n_relations=20, seed=0):
    """Triples in which some entities are rare."""
    rng = np.random.RandomState(seed)
    ends = (n_entities * rng.rand(n_triples, 2) ** 3).astype(int)
    relation = (n_relations * rng.rand(n_triples) ** 3).astype(int)
    return np.column_stack([ends[:, 0], relation, ends[:, 1]])


X = graph()
CV = TripleShuffleSplit(3, test_size=0.2, random_state=0)


def assert_known(X, train, test):
    entities = set(X[train][:, 0]) | set(X[train][:, 2])
    assert set(X[test][:, 0]) | set(X[test][:, 2]) <= entities
    assert set(X[test][:, 1]) <= set(X[train][:, 1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("test_size", [0.01, 0.2, 0.5, 0.8, 1, 37])
def test_everything_tested_is_known_in_training(seed, test_size):
    X = graph(seed=seed)
    cv = TripleShuffleSplit(3, test_size=test_size, random_state=seed)
    expected = test_size if test_size >= 1 else round(2000 * test_size)
    for train, test in splits(cv, X):
        assert len(test) == expected
        assert_array_equal(np.sort(np.r_[train, test]), np.arange(2000))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
        assert_known(X, train, test)


@pytest.mark.parametrize(
    ("triples", "n_test"),
    [
        # A path a-b-c-d-e: its inner edges can be spared, not two that meet.
        ([("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d"), ("d", "r", "e")], 1),
        # One triple of each of two relations has to stay.
        ([("a", "r", "b"), ("b", "r", "a"), ("a", "s", "b"), ("b", "s", "a")], 2),
        # The same triple several times.
        ([("a", "r", "b")] * 5, 4),
    ],
)
@pytest.mark.parametrize("seed", range(10))
def test_as_many_as_can_be_spared_are_tested_and_not_one_more(triples, n_test, seed):
    X = np.array(triples)
    cv = TripleShuffleSplit(2, test_size=n_test, random_state=seed)
    for train, test in splits(cv, X):
        assert len(test) == n_test
        assert_known(X, train, test)
    if n_test + 1 < len(X):
        cv = TripleShuffleSplit(2, test_size=n_test + 1, random_state=seed)
        said = f"can test {n_test} of the {len(X)} triples and keep"
        with pytest.raises(ValueError, match=said):
            next(cv.split(X))


@pytest.mark.parametrize("seed", range(10))
def test_an_entity_with_a_loop_needs_another_triple_or_that_loop(seed):
    X = np.array([("a", "r", "a"), ("a", "r", "b"), ("c", "r", "b"), ("c", "r", "c")])
    for train, test in splits(TripleShuffleSplit(2, test_size=1, random_state=seed), X):
        assert_known(X, train, test)


def test_a_triple_with_something_that_occurs_once_is_never_tested():
    triples = [(0, 0, 1)] * 20 + [(0, 0, 7), (8, 0, 1), (0, 9, 1)]
    cv = TripleShuffleSplit(50, test_size=15, random_state=0)
    assert max(max(test) for _, test in splits(cv, triples)) < 20


def test_a_tenth_rounded_up_is_tested_by_default():
    cv = TripleShuffleSplit(random_state=0)
    assert cv.get_n_splits(X) == 10
    assert [len(test) for _, test in cv.split(X[:1991])] == [200] * 10


def test_every_triple_that_may_be_tested_has_its_turn():
    X = graph(100, 5, 2)
    times = np.zeros(100)
    for _, test in TripleShuffleSplit(500, test_size=0.2, random_state=0).split(X):
        times[test] += 1 / 500
    entities, counts = np.unique(X[:, [0, 2]], return_counts=True)
    common = np.isin(X[:, [0, 2]], entities[counts > 20]).all(axis=1)
    assert common.sum() > 50
    assert times[common].min() > 0.1
    assert times[common].max() < 0.3


def test_each_split_is_drawn_anew_and_the_seed_repeats_them():
    assert len({str(test) for _, test in splits(CV, X)}) == 3
    assert splits(CV, X) == splits(CV, X)
    other = TripleShuffleSplit(3, test_size=0.2, random_state=1)
    assert splits(other, X) != splits(CV, X)
    again = TripleShuffleSplit(3, test_size=0.2, random_state=np.random.RandomState(0))
    assert splits(again, X) == splits(CV, X)


NAMES = np.array([f"{number:03}" for number in range(300)])


FORMS = {
    "text": NAMES[X],
    "objects": NAMES[X].astype(object),
    "lists of text": NAMES[X].tolist(),
    "lists": X.tolist(),
    "uint16": X.astype(np.uint16),
    "large int": X * 1_000_003,
    "frame of text": pd.DataFrame(NAMES[X]),
    "frame with qid": pd.DataFrame(X).assign(qid=0),
    "pandas": pd.DataFrame({"h": NAMES[X[:, 0]], "r": X[:, 1], "t": NAMES[X[:, 2]]}),
    "polars": pl.DataFrame({"h": NAMES[X[:, 0]], "r": X[:, 1], "t": NAMES[X[:, 2]]}),
    "tuples": [(str(h + 100), r, str(t + 100)) for h, r, t in X],
}


@pytest.mark.parametrize("form", FORMS)
def test_the_kind_of_triples_does_not_matter(form):
    assert splits(CV, FORMS[form]) == splits(CV, X)


def test_a_number_and_its_text_are_two_entities():
    triples = [(1, "r", 2), ("1", "r", 2), (1, "r", 2)]
    cv = TripleShuffleSplit(20, test_size=1, random_state=0)
    assert {test[0] for _, test in splits(cv, triples)} == {0, 2}


@pytest.mark.parametrize(
    ("triples", "error", "message"),
    [
        (X[:, :2], ValueError, r"shape \(n_triples, 3\).*Got an array of shape \(20"),
        (X[:, 0], ValueError, r"Got an array of shape \(2000,\)"),
        (None, ValueError, r"Got an array of shape \(\)"),
        (X[:1], ValueError, "at least 2 triples.*Got 1"),
        (X[:0], ValueError, "at least 2 triples.*Got 0"),
        (sparse.csr_matrix(X), TypeError, "dense array of triples.*sparse"),
        ([("a", "r", None)] * 3, ValueError, "'X' parameter.*missing values"),
        ([("a", np.nan, "b")] * 3, ValueError, "'X' parameter.*missing values"),
        (np.full((4, 3), np.nan), ValueError, "'X' parameter.*missing values"),
    ],
)
def test_what_are_no_triples_is_refused(triples, error, message):
    with pytest.raises(error, match=message):
        next(CV.split(triples))


@pytest.mark.parametrize(
    ("test_size", "error", "message"),
    [
        (0.0, ValueError, r"'test_size' parameter of TripleShuffleSplit.*Got 0.0"),
        (1.0, ValueError, r"range \(0.0, 1.0\).*Got 1.0 instead"),
        (np.nan, ValueError, "Got nan instead"),
        (0, ValueError, r"range \[1, 1999\].*Got 0 instead"),
        (2000, ValueError, "Got 2000 instead"),
        (True, TypeError, "Got True instead"),
        ("0.1", TypeError, "Got '0.1' instead"),
        (0.95, ValueError, r"can test \d+ of the 2000.*test_size=0.95.*1900 trip"),
    ],
)
def test_bad_test_sizes_are_refused(test_size, error, message):
    with pytest.raises(error, match=message):
        next(TripleShuffleSplit(test_size=test_size).split(X))


def test_a_clone_and_a_pickle_split_alike_and_print_alike():
    assert repr(CV) == "TripleShuffleSplit(n_splits=3, random_state=0, test_size=0.2)"
    for copy in (clone(CV, safe=False), pickle.loads(pickle.dumps(CV))):
        assert splits(copy, X) == splits(CV, X)
        assert repr(copy) == repr(CV)
    assert check_cv(CV) is CV


class Known(RegressorMixin, BaseEstimator):
    """A model that scores 1 for the share of triples of which it knows all."""

    def __init__(self, side="both"):
        self.side = side

    def fit(self, X, y=None):
        self.entities_ = {*X[:, 0], *X[:, 2]}
        self.relations_ = {*X[:, 1]}
        return self

    def predict(self, X):
        entities, relations = self.entities_, self.relations_
        return np.array([{h, t} <= entities and r in relations for h, r, t in X])

    def score(self, X, y=None):
        return self.predict(X).mean()


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("triples", [X, NAMES[X]], ids=["numbers", "text"])
def test_it_splits_for_scikit_learn(routing, triples):
    with config_context(enable_metadata_routing=routing):
        # scikit-learn 1.6.0 cannot route params=None, its own default.
        result = cross_validate(Known(), triples, cv=CV, params={})
        search = GridSearchCV(Known(), {"side": ["head", "tail"]}, cv=CV).fit(triples)
    assert result["test_score"].tolist() == [1, 1, 1]
    assert search.n_splits_ == 3
    assert search.best_score_ == 1
