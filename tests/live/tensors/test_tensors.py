"""Tensors of torch, JAX and array-api-strict, compared with NumPy's arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import array_api_strict as xp
import jax
import numpy as np
import pytest
import torch
from scipy import sparse

from skrank._input.frames import on_host
from skrank.metrics import evaluate, mrr_score, ndcg_score
from skrank.rankers import QueryRanker
from tests.count_calls import count_all_calls
from tests.metrics.test_tensors import OnlyDLPack

rng = np.random.default_rng(0)
Y_TRUE = rng.integers(3, size=(20, 10))
Y_SCORE = rng.integers(6, size=(20, 10)).astype(np.float32) / 8
QID = np.repeat(rng.permutation(20), 10)
METRICS = ["ndcg@5", "mrr", "map", "neg_median_rank"]


class OnGpu(torch.Tensor):
    """A tensor that NumPy cannot read before it is copied, as one on a GPU."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")

    def detach(self):
        return super().detach().as_subclass(OnGpu)

    def cpu(self):
        return self.as_subclass(torch.Tensor).clone()


def with_gradient(values):
    tensor = torch.from_numpy(values)
    return tensor.requires_grad_() if values.dtype.kind == "f" else tensor


def negated_twice(values):
    tensor = torch._neg_view(torch.from_numpy(-values))
    assert tensor.is_neg()
    return tensor


def strided(values):
    return torch.from_numpy(np.repeat(values, 2, axis=0))[::2]


TENSORS = {
    "torch": torch.from_numpy,
    "strided": strided,
    "requires_grad": with_gradient,
    "negative": negated_twice,
    "gpu": lambda values: torch.from_numpy(values).as_subclass(OnGpu),
    "dlpack": OnlyDLPack,
    "dlpack of torch": lambda values: OnlyDLPack(torch.from_numpy(values)),
    "jax": jax.numpy.asarray,
    "dlpack of jax": lambda values: OnlyDLPack(jax.numpy.asarray(values)),
    "array API": xp.asarray,
    "another device": lambda values: xp.asarray(values, device=xp.Device("device1")),
}


@pytest.mark.parametrize("kind", TENSORS)
def test_every_kind_of_tensor_has_the_values_of_its_array(kind):
    tensor = TENSORS[kind]
    flat = Y_TRUE.ravel(), Y_SCORE.ravel(), METRICS
    weight = rng.random(20)[QID].astype(np.float32)
    expected = evaluate(*flat, qid=QID, sample_weight=weight)
    found = evaluate(
        tensor(flat[0]),
        tensor(flat[1]),
        METRICS,
        qid=tensor(QID),
        sample_weight=tensor(weight),
    )
    assert found == expected
    assert ndcg_score(tensor(Y_TRUE), tensor(Y_SCORE)) == ndcg_score(Y_TRUE, Y_SCORE)


@pytest.mark.parametrize("kind", ["torch", "gpu", "dlpack", "jax", "another device"])
def test_masks_may_be_tensors(kind):
    tensor = (
        TENSORS[kind]
        if kind != "dlpack"
        else lambda values: OnlyDLPack(torch.from_numpy(values))
    )
    flat, mask = (Y_TRUE.ravel(), Y_SCORE.ravel()), rng.random(200) < 0.7
    for name in ("judged", "returned"):
        expected = evaluate(*flat, METRICS, qid=QID, **{name: mask})
        found = evaluate(*flat, METRICS, qid=QID, **{name: tensor(mask)})
        assert found == expected


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float8_e4m3fn])
def test_short_floats_stay_tied(dtype):
    scores = torch.from_numpy(rng.normal(size=(20, 10))).to(dtype)
    assert mrr_score(Y_TRUE, scores) == mrr_score(Y_TRUE, scores.float().numpy())


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e4m3fn", "int4"])
def test_short_numbers_of_jax_stay_tied(dtype):
    scores = jax.numpy.asarray(rng.normal(size=(20, 10))).astype(dtype)
    expected = mrr_score(Y_TRUE, np.asarray(scores.astype("float32")))
    assert mrr_score(Y_TRUE, scores) == expected


@pytest.mark.filterwarnings("ignore:Sparse CS. tensor support is in beta")
@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_sparse_grades_stay_sparse(layout):
    grades = getattr(torch.from_numpy(Y_TRUE), f"to_sparse_{layout}")()
    assert sparse.issparse(on_host(grades))
    expected = ndcg_score(sparse.csr_matrix(Y_TRUE), Y_SCORE)
    assert ndcg_score(grades, Y_SCORE) == expected == ndcg_score(Y_TRUE, Y_SCORE)
    with pytest.raises(TypeError, match="must be a dense array"):
        ndcg_score(Y_TRUE, grades)


def test_the_memory_of_the_cpu_is_shared():
    for kind in ("torch", "requires_grad", "dlpack", "dlpack of torch"):
        assert np.shares_memory(on_host(TENSORS[kind](Y_SCORE)), Y_SCORE)
    assert np.shares_memory(on_host(xp.asarray(Y_SCORE, copy=False)), Y_SCORE)
    array = jax.numpy.asarray(Y_SCORE)
    assert np.shares_memory(on_host(array), np.from_dlpack(array))
    tensor = torch.randn(3).conj()
    assert np.shares_memory(on_host(tensor), tensor.numpy())


def test_a_tensor_without_data_keeps_the_error_of_torch():
    with pytest.raises(NotImplementedError, match="meta tensor"):
        ndcg_score(Y_TRUE, torch.empty((20, 10), device="meta"))


def test_a_call_with_small_tensors_does_hardly_more_than_with_arrays():
    tensors = torch.from_numpy(Y_TRUE), torch.from_numpy(Y_SCORE)
    of_tensors, of_arrays = (
        count_all_calls(lambda data=data: ndcg_score(*data, k=10)).total()
        for data in (tensors, (Y_TRUE, Y_SCORE))
    )
    assert of_tensors <= 1.3 * of_arrays


def test_a_module_of_torch_is_ranked_and_scored():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 1, dtype=torch.float64)

        def fit(self, X, y):
            return self

        def predict(self, X):
            return self.layer(torch.from_numpy(X))[:, 0]

    X = rng.normal(size=(200, 3))
    net = Net()
    ranker = QueryRanker(net).fit(X, Y_TRUE.ravel(), qid=torch.from_numpy(QID))
    expected = net.predict(X).detach().numpy()
    np.testing.assert_array_equal(ranker.predict(X), expected)
