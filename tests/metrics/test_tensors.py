"""Tensors, by the methods that libraries of tensors share, none of them installed."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from skrank._input.frames import on_host
from skrank.metrics import (
    catalogue_scores,
    evaluate,
    get_scorer,
    mrr_score,
    ndcg_score,
    of_items,
    popularity_score,
    query_report,
    score_queries,
    tie_report,
)
from skrank.rankers import QueryRanker
from tests.brute_force import masked

rng = np.random.default_rng(0)
Y_TRUE = rng.integers(3, size=60)
Y_SCORE = rng.integers(5, size=60).astype(np.float32)  # with ties
QID = rng.permuted(np.repeat(np.arange(6), 10))
WEIGHT = np.arange(1.0, 7)[QID]
MASK = rng.random(60) < 0.8
TARGET, ITEM = rng.integers(10, size=6), rng.permutation(60)
X = rng.normal(size=(60, 4))


class OnlyDLPack:
    """An array that says nothing of itself but how it is shared."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class OnGpu:
    """What all tensors on a GPU have: NumPy cannot read them."""

    def __init__(self, values):
        self.values = values
        self.shape, self.ndim = values.shape, values.ndim

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        return type(self)(self.values[rows])

    def __array__(self, *args, **kwargs):
        raise TypeError("Cannot convert a GPU tensor to numpy.")

    def __dlpack__(self, **options):
        raise BufferError("Cannot export a GPU tensor.")

    def __dlpack_device__(self):
        return 2, 0


class OfTorch(OnGpu):
    """A tensor as torch has it, with the methods that lead to NumPy."""

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


class OfCuPy(OnGpu):
    """An array as CuPy has it."""

    __cuda_array_interface__ = {}

    def get(self):
        return self.values


def shares_flags():
    try:
        MASK.__dlpack__()
    except BufferError:
        return False
    return True


NO_FLAGS = "this version of NumPy does not share booleans by DLPack"
SHARED = pytest.mark.skipif(not shares_flags(), reason=NO_FLAGS)
TENSORS = [pytest.param(OnlyDLPack, marks=SHARED), OfTorch, OfCuPy]


@pytest.mark.parametrize("tensor", TENSORS)
def test_the_arrays_of_a_metric_may_be_tensors(tensor):
    masks = {"judged": MASK, "returned": ~MASK | (Y_SCORE > 1)}
    for given in ({}, {"sample_weight": WEIGHT}, masks):
        expected = masked(ndcg_score, Y_TRUE, Y_SCORE, qid=QID, k=5, **given)
        given = {name: tensor(values) for name, values in given.items()}
        found = masked(
            ndcg_score, tensor(Y_TRUE), tensor(Y_SCORE), qid=tensor(QID), k=5, **given
        )
        assert found == expected


@pytest.mark.parametrize("tensor", TENSORS)
def test_matrices_and_targets_may_be_tensors(tensor):
    y_true, y_score = Y_TRUE.reshape(6, 10), Y_SCORE.reshape(6, 10)
    exclude = ~MASK.reshape(6, 10) & (y_true == 0)
    assert masked(
        mrr_score, tensor(y_true), tensor(y_score), exclude=tensor(exclude)
    ) == (masked(mrr_score, y_true, y_score, exclude=exclude))
    assert mrr_score(tensor(TARGET), tensor(y_score)) == mrr_score(TARGET, y_score)


@pytest.mark.parametrize("tensor", TENSORS)
def test_tied_documents_are_ordered_by_ids_in_a_tensor(tensor):
    doc_id = np.random.default_rng(0).permutation(60)
    how = {"ties": "first", "doc_order": "ascending"}
    expected = evaluate(Y_TRUE, Y_SCORE, "mrr", qid=QID, doc_id=doc_id, **how)
    assert expected != evaluate(Y_TRUE, Y_SCORE, "mrr", qid=QID, ties="first")
    arrays = tensor(Y_TRUE), tensor(Y_SCORE)
    given = {"qid": tensor(QID), "doc_id": tensor(doc_id)}
    assert evaluate(*arrays, "mrr", **given, **how) == expected


@pytest.mark.parametrize("tensor", TENSORS)
def test_several_rankers_and_columns_may_be_tensors(tensor):
    runs = {"a": Y_SCORE, "b": -Y_SCORE}
    expected = score_queries(Y_TRUE, runs, ["mrr", "map"], qid=QID).values
    tensors = {name: tensor(scores) for name, scores in runs.items()}
    found = score_queries(tensor(Y_TRUE), tensors, ["mrr", "map"], qid=tensor(QID))
    np.testing.assert_array_equal(found.values, expected)
    popularity, item = np.arange(1, 61), ITEM
    for column, other in [
        (popularity[item], tensor(popularity[item])),
        (popularity[item], of_items(tensor(popularity), tensor(item))),
    ]:
        expected = popularity_score(None, Y_SCORE, qid=QID, k=3, popularity=column)
        found = popularity_score(
            None, OfTorch(Y_SCORE), qid=tensor(QID), k=3, popularity=other
        )
        assert found == expected


@pytest.mark.parametrize("tensor", TENSORS)
def test_the_lists_of_a_catalogue_may_be_tensors(tensor):
    how = {"k": 3, "items": 60}
    item = np.arange(60)
    expected = catalogue_scores(Y_SCORE, qid=QID, item=item, **how)
    found = catalogue_scores(tensor(Y_SCORE), qid=tensor(QID), item=tensor(item), **how)
    assert found.counts == expected.counts


@pytest.mark.parametrize("tensor", TENSORS)
def test_memory_of_the_cpu_is_shared(tensor):
    assert np.shares_memory(on_host(tensor(Y_SCORE)), Y_SCORE)


def test_what_numpy_does_not_have_becomes_float32():
    class BFloat16(OfTorch):
        def numpy(self):
            raise TypeError("Got unsupported ScalarType BFloat16")

        def float(self):
            return OfTorch(self.values)

    found = on_host(BFloat16(Y_SCORE))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, Y_SCORE)


def test_a_tensor_that_cannot_be_copied_says_so_itself():
    with pytest.raises(BufferError, match="Cannot export a GPU tensor"):
        ndcg_score(Y_TRUE, OnGpu(Y_SCORE), qid=QID)


@pytest.mark.parametrize("values", [[1, 2], (1, 2), "text", {"a": 1}, 3.5, None])
def test_what_is_not_a_tensor_is_left_as_it_is(values):
    assert on_host(values) is values


class TensorModel(RegressorMixin, BaseEstimator):
    """A model whose predictions are tensors."""

    def fit(self, X, y):
        self.coef_ = np.linalg.lstsq(X, y, rcond=None)[0]
        return self

    def predict(self, X):
        return OfTorch(np.asarray(X) @ self.coef_)


class TensorClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of three grades whose probabilities are tensors."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.asarray(X)[:, :3].argmax(axis=1)]

    def predict_proba(self, X):
        weights = np.exp(np.asarray(X)[:, :3])
        return OfTorch(weights / weights.sum(axis=1, keepdims=True))


def test_a_ranker_and_a_scorer_read_predictions_that_are_tensors():
    model = TensorModel().fit(X, Y_TRUE)
    ranker = QueryRanker(TensorModel()).fit(X, OfTorch(Y_TRUE), qid=OfTorch(QID))
    expected = X @ model.coef_
    np.testing.assert_array_equal(ranker.predict(X), expected)
    value = ndcg_score(Y_TRUE, expected, qid=QID, k=10)
    assert get_scorer("ndcg@10")(model, X, Y_TRUE, qid=QID) == value
    assert get_scorer("ndcg@10")(ranker, X, OfTorch(Y_TRUE), qid=OfTorch(QID)) == value


def test_a_classifier_ranks_by_probabilities_in_a_tensor():
    ranker = QueryRanker(TensorClassifier()).fit(X, Y_TRUE, qid=QID)
    weights = np.exp(X[:, :3])
    expected = (weights[:, 1] + 2 * weights[:, 2]) / weights.sum(axis=1)
    np.testing.assert_allclose(ranker.predict(X), expected)


@pytest.mark.parametrize("tensor", TENSORS)
def test_reports_read_tensors(tensor):
    given = {"qid": tensor(QID)}
    arrays = tensor(Y_TRUE), tensor(Y_SCORE)
    ties = tie_report(*arrays, "mrr", **given)
    assert str(ties) == str(tie_report(Y_TRUE, Y_SCORE, "mrr", qid=QID))
    report = query_report(*arrays, 2, metric="mrr", **given)
    assert str(report) == str(query_report(Y_TRUE, Y_SCORE, 2, metric="mrr", qid=QID))
