"""Early stopping where a loop over the rounds would stop, without held-out rows after.

LightGBM and scikit-learn are really called. XGBoost and CatBoost are replaced by
estimators with the same interface; `tests/live/rankers` calls them as well.
"""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from lightgbm import LGBMRanker
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import make_ranking
from skrank.metrics import evaluate, make_ranking_scorer
from skrank.rankers import QueryRanker
from skrank.rankers.libraries import _seed, hold_out
from skrank.rankers.meta_ranker import FitRows
from skrank.scoring.training import xgboost_callback, xgboost_metric


def noisy(n_queries, **options):
    """Return (X, y, qid) in a random order, from which a model does not learn all."""
    X, y, qid = make_ranking(n_queries, n_grades=4, random_state=3, **options)
    X = X + np.random.default_rng(3).normal(size=X.shape)
    rows = np.random.default_rng(4).permutation(len(y))
    return X[rows], y[rows], qid[rows]


X, Y, QID = noisy(80, n_documents=(4, 9), n_features=5, n_informative=3)
WEIGHT = 0.25 + QID % 3
N_ROUNDS, PATIENCE = 40, 4
TRAIN, HELD = (part.by_query() for part in hold_out(FitRows(X, Y, QID, WEIGHT), 0.3, 0))

LIGHTGBM = LGBMRanker(n_estimators=N_ROUNDS, num_leaves=7, num_threads=1, verbose=-1)
BOOSTING = HistGradientBoostingRegressor(
    max_iter=N_ROUNDS, max_leaf_nodes=7, early_stopping=False
)


def stopped(
    model, scoring="mrr", sample_weight=None, rows=(X, Y, QID), patience=PATIENCE
):
    X, y, qid = rows
    ranker = QueryRanker(
        model,
        early_stopping=True,
        n_iter_no_change=patience,
        validation_fraction=0.3,
        scoring=scoring,
        random_state=0,
    )
    return ranker.fit(X, y, qid=qid, sample_weight=sample_weight)


@pytest.mark.parametrize("state", [None, np.random.RandomState(0)])
def test_all_fits_of_an_estimator_draw_the_same(state):
    assert type(_seed({"random_state": state})) is int
    assert _seed({"random_state": 7}) == 7


def stop_by_hand(values, patience):
    """Return the best round and the last one, counted from 1."""
    best = 0
    for i, value in enumerate(values):
        if value > values[best]:
            best = i
        elif i - best == patience:
            return best + 1, i + 1
    return best + 1, len(values)


def assert_no_held_out_row(ranker):
    text = pickle.dumps(ranker)
    held = HELD.X, HELD.X.astype(np.float32), HELD.y, HELD.codes, HELD.weight
    # Pointwise estimators get the rows in the order of the input.
    _, as_given = hold_out(FitRows(X, Y, QID, WEIGHT), 0.3, 0)
    for array in (*held, as_given.X, as_given.y, as_given.codes):
        assert array.tobytes() not in text
        assert array.tobytes()[: array.nbytes // 4] not in text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize(
    ("name", "params"),
    [("mrr", {}), ("neg_mean_rank", {}), ("ndcg@5", {"gain": "linear"})],
)
def test_lightgbm_stops_where_a_loop_over_its_rounds_would(name, params, weight):
    of_train, of_held = (None, None) if weight is None else (TRAIN.weight, HELD.weight)
    whole = clone(LIGHTGBM)
    whole.fit(TRAIN.X, TRAIN.y, group=TRAIN.sizes, sample_weight=of_train)
    held = {"qid": HELD.codes, "sample_weight": of_held}
    scores = [whole.predict(HELD.X, num_iteration=i) for i in range(1, N_ROUNDS + 1)]
    values = [evaluate(HELD.y, s, name, **held, **params)[name] for s in scores]
    best, last = stop_by_hand(values, PATIENCE)
    assert last < N_ROUNDS
    ranker = stopped(LIGHTGBM, make_ranking_scorer(name, **params), weight)
    assert ranker.estimator_.best_iteration_ == best
    assert ranker.estimator_.evals_result_["valid_0"] == {name: values[:last]}
    assert ranker.predict(HELD.X).tolist() == scores[best - 1].tolist()


MODELS = {"LightGBM": LIGHTGBM, "HistGradientBoosting": BOOSTING}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("library", MODELS)
def test_a_fitted_model_and_its_pickle_hold_no_held_out_rows(library):
    ranker = stopped(MODELS[library], sample_weight=WEIGHT)
    assert_no_held_out_row(ranker)
    again = pickle.loads(pickle.dumps(ranker))
    assert again.predict(X).tolist() == ranker.predict(X).tolist()


class Boosting(BaseEstimator):
    """Predicts the first feature, to which each round adds more of the second one."""

    def predict(self, X):
        return X[:, 0] + 0.1 * self.round_ * X[:, 1]


class XGBoostLike(Boosting):
    def __init__(
        self,
        callbacks=None,
        early_stopping_rounds=None,
        missing=np.nan,
        enable_categorical=False,
        feature_types=None,
        n_jobs=None,
    ):
        self.callbacks = callbacks
        self.early_stopping_rounds = early_stopping_rounds
        self.missing = missing
        self.enable_categorical = enable_categorical
        self.feature_types = feature_types
        self.n_jobs = n_jobs

    def fit(
        self, X, y, *, qid=None, sample_weight=None, eval_qid=None, verbose=True
    ):  # fmt: skip
        metric, stop = self.callbacks[-2:]
        self.weight_, self.stop_, self.log_ = sample_weight, vars(stop), {}
        booster = SimpleNamespace(predict=lambda data: self.predict(data.X))
        metric.before_training(booster)
        self.dmatrix_ = {**vars(metric._data), "X": None}
        for self.round_ in range(3):
            metric.after_iteration(booster, self.round_, self.log_)
        metric.after_training(booster)
        return self


class CatBoostLike(Boosting):
    def __init__(self, eval_metric=None, cat_features=None):
        self.eval_metric = eval_metric
        self.cat_features = cat_features

    def fit(
        self,
        X,
        y,
        group_id=None,
        sample_weight=None,
        group_weight=None,
        eval_set=None,
        early_stopping_rounds=None,
        use_best_model=False,
    ):
        self.rounds_ = early_stopping_rounds, use_best_model
        self.given_ = {**vars(eval_set), "X": None, "label": None}
        self.log_ = []
        target = np.asarray(eval_set.label, dtype=np.float32)
        for self.round_ in range(3):
            scores = [self.predict(eval_set.X)]
            self.log_.append(self.eval_metric.evaluate(scores, target, None)[0])
        self.given_ = {name: len(v) for name, v in self.given_.items() if v is not None}
        return self


@pytest.fixture
def _like_xgboost(monkeypatch):
    xgboost, callback = ModuleType("xgboost"), ModuleType("xgboost.callback")
    xgboost.DMatrix = lambda X, **given: SimpleNamespace(X=X, **given)
    callback.TrainingCallback = type("TrainingCallback", (), {})
    callback.EarlyStopping = SimpleNamespace
    monkeypatch.setitem(sys.modules, "xgboost", xgboost)
    monkeypatch.setitem(sys.modules, "xgboost.callback", callback)
    xgboost_callback.cache_clear()
    yield
    xgboost_callback.cache_clear()


@pytest.fixture
def _like_catboost(monkeypatch):
    catboost = ModuleType("catboost")
    catboost.Pool = lambda X, label, **given: SimpleNamespace(X=X, label=label, **given)
    monkeypatch.setitem(sys.modules, "catboost", catboost)


def values_of_rounds(sample_weight):
    scores = [HELD.X[:, 0] + 0.1 * i * HELD.X[:, 1] for i in range(3)]
    given = {"qid": HELD.codes, "sample_weight": sample_weight}
    values = [evaluate(HELD.y, one, "mrr", **given)["mrr"] for one in scores]
    assert len(set(values)) == 3
    return values


@pytest.mark.usefixtures("_like_xgboost")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_interface_of_xgboost_is_told_all_and_keeps_nothing(weighted):
    own = ["a callback of the user"]
    model = XGBoostLike(callbacks=own, missing=-1, feature_types=["q"] * 5, n_jobs=1)
    ranker = stopped(model, sample_weight=WEIGHT if weighted else None)
    fitted = ranker.estimator_
    values = values_of_rounds(HELD.weight if weighted else None)
    assert fitted.log_ == {"held_out": {"mrr": values}}
    assert fitted.stop_ == {
        "rounds": PATIENCE, "metric_name": "mrr", "data_name": "held_out",
        "maximize": True,
    }  # fmt: skip
    assert fitted.dmatrix_ == {
        "X": None, "missing": -1, "enable_categorical": False,
        "feature_types": ["q"] * 5, "nthread": 1,
    }  # fmt: skip
    assert (fitted.weight_ is not None) == weighted
    assert fitted.callbacks == model.callbacks == own
    assert_no_held_out_row(ranker)


@pytest.mark.usefixtures("_like_catboost")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_interface_of_catboost_is_told_all_and_keeps_nothing(weighted):
    ranker = stopped(CatBoostLike(), sample_weight=WEIGHT if weighted else None)
    fitted = ranker.estimator_
    assert fitted.log_ == values_of_rounds(HELD.weight if weighted else None)
    assert fitted.rounds_ == (PATIENCE, True)
    assert fitted.given_ == {"group_id": len(HELD.y)}  # the metric knows the weights
    assert_no_held_out_row(ranker)


@pytest.mark.usefixtures("_like_xgboost")
def test_a_callback_of_xgboost_drops_its_data_after_the_training():
    metric = xgboost_metric("mrr", X=HELD.X, y=HELD.y, qid=HELD.codes)
    metric.before_training(SimpleNamespace(predict=None))
    assert metric._data.X is HELD.X
    assert pickle.loads(pickle.dumps(metric))._data is None
    metric.after_training(None)
    assert metric._data is None
