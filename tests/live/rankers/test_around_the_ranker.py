"""Categories and ONNX: the code of the page on what is around the ranker, run."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import onnxmltools
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from onnxmltools.convert.common.data_types import FloatTensorType
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker, XGBRegressor

from skrank.datasets import make_ranking
from skrank.rankers import QueryRanker
from tests.page_code import run_code

# Converters warn of their own plans.
pytestmark = pytest.mark.filterwarnings("default")

X, Y, QID = make_ranking(60, random_state=0)
X = X.astype(np.float32)


def predict(model):
    """Return the scores of a file or a model in ONNX."""
    model = model if isinstance(model, str) else model.SerializeToString()
    session = onnxruntime.InferenceSession(model)
    (name,) = (column.name for column in session.get_inputs())
    return np.ravel(session.run(None, {name: X})[0])


def test_rankers_in_onnx_have_the_same_scores(tmp_path):
    quiet = {"verbose": False, "thread_count": 1, "allow_writing_files": False}
    rankers = {
        "ridge": Ridge(),
        "lightgbm": LGBMRanker(n_estimators=20, n_jobs=1, verbose=-1),
        "xgboost": XGBRanker(n_estimators=20, n_jobs=1),
        "catboost": CatBoostRanker(iterations=20, **quiet),
    }
    for name, model in rankers.items():
        rankers[name] = QueryRanker(model).fit(X, Y, qid=QID)
    path = str(tmp_path / "model.onnx")
    names = run_code(
        "around_the_ranker.rst", "ONNX",
        X=X, path=path, skl2onnx=skl2onnx, onnxmltools=onnxmltools,
        FloatTensorType=FloatTensorType, XGBRegressor=XGBRegressor, **rankers,
    )  # fmt: skip
    models = [names["linear"], names["trees"], names["boosted"], path]
    for model, ranker in zip(models, rankers.values(), strict=True):
        scores = ranker.predict(X)
        assert np.ptp(scores) > 1
        np.testing.assert_allclose(predict(model), scores, rtol=1e-6, atol=1e-6)
    # As the page says, the booster itself is converted to another model.
    booster = rankers["xgboost"].estimator_.get_booster()
    wrong = onnxmltools.convert_xgboost(booster, initial_types=names["types"])
    assert np.abs(predict(wrong) - rankers["xgboost"].predict(X)).max() > 1


def test_catboost_gets_categories_from_a_column_transformer():
    names = run_code(
        "around_the_ranker.rst", "Categories",
        ColumnTransformer=ColumnTransformer, QueryRanker=QueryRanker,
        StandardScaler=StandardScaler, CatBoostRanker=CatBoostRanker,
        make_pipeline=make_pipeline,
    )  # fmt: skip
    ranker = names["ranker"].set_params(
        estimator__catboostranker__iterations=20,
        estimator__catboostranker__allow_writing_files=False,
    )
    # Only the brand says which documents are relevant.
    brand = np.random.default_rng(0).choice(list("abc"), size=len(Y))
    frame = pd.DataFrame(X[:, :2]).add_prefix("f").assign(brand=brand, qid=QID)
    ranker.fit(frame, brand == "b")
    last = ranker.estimator_[-1]
    assert last.feature_names_ == ["f0", "f1", "brand"]
    assert last.get_cat_feature_indices() == [2]
    assert ranker.score(frame, brand == "b") == 1
    scores = QueryRanker(
        CatBoostRanker(
            iterations=20, cat_features=["brand"], verbose=False,
            allow_writing_files=False,
        )
    ).fit(frame, brand == "b").predict(frame)  # fmt: skip
    np.testing.assert_allclose(ranker.predict(frame), scores)  # trees have no scale
