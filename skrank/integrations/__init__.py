"""Metrics of skrank inside the training of other libraries."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.integrations.catboost import catboost_metric
from skrank.integrations.lightgbm import lightgbm_metric
from skrank.integrations.xgboost import xgboost_metric

__all__ = ["catboost_metric", "lightgbm_metric", "xgboost_metric"]
