"""Pipelines of imbalanced-learn in rankers, against the pipelines themselves."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.datasets import make_ranking
from skrank.rankers import QueryRanker

pytest.importorskip("imblearn")

from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline as make_sampled_pipeline
from imblearn.under_sampling import RandomUnderSampler

X, Y, QID = make_ranking(60, n_grades=3, random_state=0)


@pytest.mark.parametrize("sampler", [RandomOverSampler, RandomUnderSampler, SMOTE])
@pytest.mark.parametrize("last", [False, True], ids=["sampled first", "sampled last"])
def test_a_ranker_is_fitted_as_the_pipeline_is(sampler, last):
    steps = [sampler(random_state=0), StandardScaler()]
    model = make_sampled_pipeline(*steps[:: -1 if last else 1], LogisticRegression())
    alone = clone(model).fit(X, Y)
    expected = alone.predict_proba(X) @ alone.classes_
    ranker = QueryRanker(model).fit(X, Y, qid=QID)
    np.testing.assert_allclose(ranker.predict(X), expected)
    assert type(clone(ranker).estimator) is type(model)
    nested = QueryRanker(make_pipeline("passthrough", model)).fit(X, Y, qid=QID)
    np.testing.assert_allclose(nested.predict(X), expected)
