"""Early stopping by queries that are held out of each training set."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

from skrank.datasets import make_ranking
from skrank.rankers import QueryRanker

X, Y, CODES = make_ranking(
    60, n_documents=(5, 12), n_features=4, n_informative=3, n_grades=3, random_state=2
)
ROWS = np.random.default_rng(2).permutation(len(Y))
X, Y, CODES = 3 + X[ROWS], Y[ROWS], CODES[ROWS]
QID = np.array([f"query {code:02}" for code in CODES])


class LightGBM(LGBMRanker):
    """Keeps the arguments of its fit."""

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        group=None,
        eval_group=None,
        eval_X=None,
        eval_y=None,
        **others,
    ):
        given = dict(locals())
        self.X_, self.y_, self.held_X_, self.held_y_ = X, y, eval_X, eval_y
        self.sizes_, self.held_sizes_ = group, eval_group and eval_group[0]
        names = set(given) - {"self", "X", "y", "others", "__class__"}
        others |= {name: given[name] for name in names}
        return super().fit(X, y, **others)


class XGBoost(XGBRanker):
    """Keeps the arguments of its fit."""

    def fit(self, X, y, *, qid=None, eval_qid=None, **others):
        self.X_, self.y_ = X, y
        metric = self.callbacks[0]
        self.held_X_, (self.held_y_, codes, _) = metric.X, metric.documents
        self.sizes_, self.held_sizes_ = np.bincount(qid), np.bincount(codes)
        return super().fit(X, y, qid=qid, **others)


class CatBoost(CatBoostRanker):
    """Keeps the arguments of its fit."""

    def fit(self, X, y, group_id=None, cat_features=None, eval_set=None, **others):
        self.X_, self.y_ = X, y
        self.held_X_, self.held_y_ = eval_set.get_features(), eval_set.get_label()
        ids = eval_set.get_group_id_hash()
        self.held_sizes_ = np.unique(ids, return_counts=True)[1]
        self.sizes_ = np.bincount(group_id)
        return super().fit(X, y, group_id=group_id, eval_set=eval_set, **others)


SPIES = {
    "LightGBM": LightGBM(
        n_estimators=300, min_child_samples=3, num_threads=1, verbose=-1
    ),
    "XGBoost": XGBoost(n_estimators=300, max_depth=3, n_jobs=1),
    "CatBoost": CatBoost(
        iterations=300,
        depth=3,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    ),
}
library = pytest.mark.parametrize("library", SPIES)


def stopping(model, **params):
    params = {"n_iter_no_change": 3, "random_state": 0} | params
    return QueryRanker(model, early_stopping=True, **params)


@library
def test_whole_queries_are_held_out_and_none_is_used_twice(library):
    ranker = stopping(SPIES[library], validation_fraction=0.25)
    model = ranker.fit(X, Y, qid=QID).estimator_
    assert len(model.held_sizes_) == 15
    assert len(model.sizes_) == 45
    together = np.vstack([model.X_, model.held_X_])
    assert len(together) == len(X)
    # CatBoost keeps single precision.
    order, own = np.lexsort(together.T), np.lexsort(X.T)
    np.testing.assert_allclose(together[order], X[own], rtol=1e-6)
    grades = np.concatenate([model.y_, np.asarray(model.held_y_, dtype=float)])
    assert grades[order].tolist() == Y[own].tolist()
    # Each part is made of whole queries: the sizes of its runs are those of queries.
    sizes = np.concatenate([model.sizes_, model.held_sizes_])
    assert sorted(sizes) == sorted(np.bincount(CODES))


@library
def test_held_out_queries_are_transformed_and_the_scaler_never_sees_them(library):
    pipe = make_pipeline(StandardScaler(), SPIES[library])
    ranker = stopping(pipe).fit(X, Y, qid=QID)
    scaler, model = ranker.estimator_
    assert scaler.n_samples_seen_ == sum(model.sizes_)
    np.testing.assert_allclose(np.mean(model.X_, axis=0), 0, atol=1e-12)
    # Unscaled, every mean is near 3.
    assert np.all(np.abs(np.mean(model.held_X_, axis=0)) < 1)


@library
@pytest.mark.parametrize("kind", ["pandas", "sparse"])
def test_other_containers_are_held_out_of_as_well(library, kind):
    plain = {
        "LightGBM": LGBMRanker(min_child_samples=3, num_threads=1, verbose=-1),
        "XGBoost": XGBRanker(n_jobs=1),
        "CatBoost": CatBoostRanker(
            thread_count=1, verbose=False, allow_writing_files=False
        ),
    }[library]
    data = scipy.sparse.csr_array(X)
    if kind == "pandas":
        data = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    ranker = stopping(plain)
    scores = ranker.fit(data, Y, qid=QID).predict(data)
    expected = ranker.fit(X, Y, qid=QID).predict(X)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


def test_the_categories_of_catboost_are_those_of_the_held_out_rows_too():
    data = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    data["a"] = (data["a"] > 3).astype(str)
    model = CatBoostRanker(
        iterations=20, verbose=False, allow_writing_files=False, cat_features=["a"]
    )
    ranker = stopping(model).fit(data, Y, qid=QID)
    assert ranker.predict(data).std() > 0


@pytest.mark.parametrize(
    "model",
    [
        XGBRanker(early_stopping_rounds=7),
        LGBMRanker(early_stopping_round=7),
        CatBoostRanker(early_stopping_rounds=7),
    ],
    ids=["XGBoost", "LightGBM", "CatBoost"],
)
def test_a_library_that_would_look_for_its_evaluation_set_is_refused(model):
    with pytest.raises(
        ValueError,
        match=r"QueryRanker\(\.\.\., early_stopping=True, n_iter_no_change=7\)",
    ):
        QueryRanker(model).fit(X, Y, qid=QID)
