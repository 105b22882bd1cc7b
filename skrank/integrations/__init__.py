"""Metrics of skrank inside the training of LightGBM, XGBoost and CatBoost."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.scoring.training import (
    CatBoostMetric,
    LightGBMMetric,
    XGBoostMetric,
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)

__all__ = [
    "CatBoostMetric",
    "LightGBMMetric",
    "XGBoostMetric",
    "catboost_metric",
    "lightgbm_metric",
    "xgboost_metric",
]


def __dir__():
    return __all__
