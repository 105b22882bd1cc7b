"""What the estimator within a ranker is fitted with."""

# SPDX-License-Identifier: BSD-3-Clause

import tracemalloc

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from skrank.rankers import QueryRanker
from tests.rankers.rows import FRAME, NAMES, QID, Recorder, X, Y

ROUTING = pytest.mark.parametrize("routing", [True, False], ids=["routing", "plain"])


WEIGHT = np.arange(len(Y)) % 4
CODES = np.unique(QID, return_inverse=True)[1]
BY_QUERY = np.argsort(QID, kind="stable")


@ROUTING
@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: model,
        lambda model: make_pipeline(MinMaxScaler(), model),
        lambda model: make_pipeline(make_pipeline(MinMaxScaler(), model)),
        lambda model: Pipeline([("skip", "passthrough"), ("model", model)]),
        QueryRanker,
    ],
    ids=["alone", "pipeline", "pipelines", "passthrough", "ranker"],
)
def test_weights_reach_the_last_step(wrap, routing):
    inner = Recorder()
    with sklearn.config_context(enable_metadata_routing=routing):
        ranker = QueryRanker(wrap(inner)).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    last = ranker
    while not isinstance(last, Recorder):
        last = last[-1] if isinstance(last, Pipeline) else last.estimator_
    assert last.qid_.tolist() == CODES[BY_QUERY].tolist()
    assert last.weight_.tolist() == WEIGHT[BY_QUERY].tolist()
    assert last.y_.tolist() == Y[BY_QUERY].tolist()


def test_a_weight_repeats_a_row():
    rows = np.repeat(np.arange(len(Y)), WEIGHT)
    weighted = QueryRanker(Ridge()).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    repeated = QueryRanker(Ridge()).fit(X[rows], Y[rows], qid=QID[rows])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))


def test_without_weights_none_are_passed():
    ranker = QueryRanker(Recorder()).fit(X, Y, qid=QID)
    assert ranker.estimator_.weight_ is None


@ROUTING
def test_a_meta_estimator_passes_weights_on(routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        model = Ridge()
        if routing:
            model.set_fit_request(sample_weight=True)
        inner = TransformedTargetRegressor(model)
        ranker = QueryRanker(inner).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    expected = Ridge().fit(X, Y, sample_weight=WEIGHT).predict(X)
    np.testing.assert_allclose(ranker.predict(X), expected)


@ROUTING
def test_weights_go_to_a_fit_that_takes_any_keyword(routing):
    class Keywords(Recorder):
        def fit(self, X, y, qid=None, **keywords):
            return super().fit(X, y, qid=qid, **keywords)

    with sklearn.config_context(enable_metadata_routing=routing):
        ranker = QueryRanker(Keywords()).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    assert ranker.estimator_.weight_.tolist() == WEIGHT[BY_QUERY].tolist()


@pytest.mark.parametrize(
    ("wrap", "routing"),
    [
        (lambda model: model, False),
        (lambda model: make_pipeline(StandardScaler(), model), False),
        (TransformedTargetRegressor, True),
    ],
    ids=["alone", "pipeline", "not requested"],
)
def test_weights_that_nobody_takes_are_refused(wrap, routing):
    ranker = QueryRanker(wrap(KNeighborsRegressor()))
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(ValueError, match="does not support sample weights"),
    ):
        ranker.fit(X, Y, qid=QID, sample_weight=WEIGHT)


def test_transformers_are_weighted_if_they_request_it():
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        ranker = QueryRanker(make_pipeline(scaler, Ridge()))
        ranker.fit(X, Y, qid=QID, sample_weight=WEIGHT)
    expected = np.average(X, axis=0, weights=WEIGHT)
    np.testing.assert_allclose(ranker.estimator_[0].mean_, expected)


@pytest.mark.parametrize("memory", [False, True], ids=["plain", "cached"])
def test_an_inner_pipeline_is_fitted_as_a_pipeline(memory, tmp_path):
    cache = str(tmp_path) if memory else None
    pipe = make_pipeline(StandardScaler(), MinMaxScaler(), Ridge(), memory=cache)
    ranker = QueryRanker(pipe).fit(X, Y, qid=QID)
    assert isinstance(ranker.estimator_, Pipeline)
    assert not hasattr(pipe[0], "mean_")
    np.testing.assert_allclose(ranker.predict(X), clone(pipe).fit(X, Y).predict(X))


def test_a_scaler_within_never_sees_the_ids_and_a_ranker_gets_codes_of_them():
    pipe = make_pipeline(StandardScaler(), Recorder())
    ranker = QueryRanker(pipe).fit(FRAME.assign(qid=QID), Y)
    assert ranker.estimator_[0].feature_names_in_.tolist() == NAMES
    assert ranker.feature_names_in_.tolist() == NAMES
    assert ranker.estimator_[1].qid_.tolist() == CODES[BY_QUERY].tolist()


class TakesSizes(Recorder):
    """A ranker that takes queries as LightGBM does."""

    def fit(self, X, y, *, group=None, sample_weight=None):
        self.X_, self.y_, self.sizes_, self.weight_ = X, y, group, sample_weight
        return self


# Four queries that stand together, not in the order of their ids.
TOGETHER = np.array(list("cccaabbbbd"))


@pytest.mark.parametrize("model", [Recorder(), TakesSizes()], ids=["ids", "sizes"])
def test_rows_that_stand_together_stay_where_they_are(model):
    rng = np.random.default_rng(0)
    features, y, weight = rng.random((10, 2)), np.arange(10) % 3, rng.random(10)
    ranker = QueryRanker(model).fit(features, y, qid=TOGETHER, sample_weight=weight)
    seen = ranker.estimator_
    assert np.shares_memory(seen.X_, features)
    assert seen.y_.tolist() == y.tolist()
    assert seen.weight_.tolist() == weight.tolist()
    if isinstance(model, TakesSizes):
        assert seen.sizes_.tolist() == [3, 2, 4, 1]
    else:  # ascending, as XGBoost wants them
        assert seen.qid_.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2, 3]
    assert ranker.__skrank_sizes__() == {"a": 2, "b": 4, "c": 3, "d": 1}


@pytest.mark.parametrize("model", [Recorder(), TakesSizes()], ids=["ids", "sizes"])
@pytest.mark.parametrize("kind", ["int", "text"])
def test_fitting_rows_that_stand_together_takes_a_tenth_of_x(model, kind):
    ids = np.random.default_rng(0).permutation(5_000)
    if kind == "text":
        ids = np.array([f"q{id}" for id in ids])
    qid = np.repeat(ids, 20)
    features = np.zeros((len(qid), 46))
    y = np.arange(len(qid)) % 3
    tracemalloc.start()
    try:
        QueryRanker(model).fit(features, y, qid=qid)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= 0.1 * features.nbytes
