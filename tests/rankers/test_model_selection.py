"""Rankers in scikit-learn's searches, cross-validations and pipelines."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank  # noqa: F401  (its names are known to scikit-learn from here on)
from skrank.metrics import get_scorer
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker
from tests.rankers.rows import QID, X, Y

# Scales so uneven that a ridge with and without a scaler differ.
X = X * [1.0, 10.0, 0.1]
WEIGHT = 1.0 + np.unique(QID, return_inverse=True)[1] % 3
CV = QueryKFold(3)
ALPHAS = [0.1, 1e3]

FRAME = pd.DataFrame(X, columns=["f0", "f1", "f2"]).assign(qid=QID)
PLAIN_SOURCES = {
    "pandas column": (FRAME, Y),
    "polars column": (pl.DataFrame(FRAME.to_dict("list")), Y),
    "index of y": (X, pd.Series(Y, index=pd.Index(QID, name="qid"))),
    "index of y beside a frame": (
        FRAME.drop(columns="qid"),
        pd.Series(Y, index=pd.Index(QID, name="qid")),
    ),
}


def reciprocal_rank(y_true, y_score):
    """Return one over the rank of the first relevant row; no scores are equal."""
    relevant = np.flatnonzero(y_true[np.argsort(-y_score)] > 0)
    return 1 / (1 + relevant[0]) if len(relevant) else 0.0


def mean_reciprocal_rank(y_true, y_score, qid):
    values = [
        reciprocal_rank(y_true[qid == query], y_score[qid == query])
        for query in sorted(set(qid))
    ]
    return sum(values) / len(values)


def mrr_by_hand(model, sample_weight=None):
    """Return the MRR of each fold, by a loop over folds and queries."""
    scores = []
    for train, test in CV.split(X, qid=QID):
        weight = None if sample_weight is None else sample_weight[train]
        model.fit(X[train], Y[train], sample_weight=weight)
        scores.append(mean_reciprocal_rank(Y[test], model.predict(X[test]), QID[test]))
    return scores


class ScaledRidge:
    """A ridge on scaled features, without a Pipeline."""

    def fit(self, X, y, sample_weight=None):
        self.scaler = StandardScaler().fit(X)
        self.model = Ridge().fit(self.scaler.transform(X), y, sample_weight)
        return self

    def predict(self, X):
        return self.model.predict(self.scaler.transform(X))


FORMS = {
    "alone": (QueryRanker(Ridge()), Ridge()),
    "pipeline within": (
        QueryRanker(make_pipeline(StandardScaler(), Ridge())),
        ScaledRidge(),
    ),
    "pipeline around": (
        make_pipeline(StandardScaler(), QueryRanker(Ridge())),
        ScaledRidge(),
    ),
}
SOURCES = PLAIN_SOURCES | {"routing": (X, Y)}


def passed(source):
    """Return what scikit-learn passes on: query ids, if it is set to do so."""
    return {"qid": QID} if source == "routing" else {}


@pytest.mark.parametrize(
    ("form", "source"),
    [(form, source) for form in ("alone", "pipeline within") for source in SOURCES]
    # A pipeline around a ranker loses columns.
    + [("pipeline around", source) for source in ("index of y", "routing")],
)
def test_folds_score_as_the_loop_by_hand(form, source):
    ranker, model = FORMS[form]
    data, y = SOURCES[source]
    params = passed(source) or None
    with config_context(enable_metadata_routing=source == "routing"):
        scores = cross_val_score(
            ranker, data, y, scoring="mrr", cv=CV, params=params, error_score="raise"
        )
    np.testing.assert_allclose(scores, mrr_by_hand(model), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_a_search_picks_the_better_ranker(source):
    data, y = SOURCES[source]
    grid = {"estimator__alpha": ALPHAS}
    search = GridSearchCV(QueryRanker(Ridge()), grid, scoring="mrr", cv=CV)
    by_hand = [np.mean(mrr_by_hand(Ridge(alpha=alpha))) for alpha in ALPHAS]
    alpha = ALPHAS[np.argmax(by_hand)]
    best = Ridge(alpha=alpha).fit(X, Y).predict(X)
    with config_context(enable_metadata_routing=source == "routing"):
        search.fit(data, y, **passed(source))
        score = search.score(data, y, **passed(source))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand)
    assert search.best_params_ == {"estimator__alpha": alpha}
    assert score == pytest.approx(mean_reciprocal_rank(Y, best, QID))


# Not for a pipeline around a ranker: scikit-learn <= 1.8 refuses it "roc_auc".
@pytest.mark.parametrize("form", ["alone", "pipeline within"])
@pytest.mark.usefixtures("routing")
def test_several_metrics_stand_next_to_built_in_ones(form):
    ranker, model = FORMS[form]
    scoring = ["mrr", "ndcg@3", "roc_auc", "neg_mean_absolute_error"]
    relevant = (Y > 0).astype(int)
    result = cross_validate(
        ranker,
        X,
        relevant,
        scoring=scoring,
        cv=CV,
        params={"qid": QID},
        error_score="raise",
    )
    assert len(result["test_mrr"]) == 3
    for fold, (train, test) in enumerate(CV.split(X, qid=QID)):
        y_score = model.fit(X[train], relevant[train]).predict(X[test])
        y_true = relevant[test]
        mrr = mean_reciprocal_rank(y_true, y_score, QID[test])
        assert result["test_mrr"][fold] == pytest.approx(mrr)
        wins = y_score[y_true == 1][:, None] > y_score[y_true == 0]
        assert result["test_roc_auc"][fold] == pytest.approx(wins.mean())
        error = np.abs(y_score - y_true).mean()
        assert result["test_neg_mean_absolute_error"][fold] == pytest.approx(-error)


# Not for a pipeline around a ranker: scikit-learn <= 1.7 loses the ids on their way
# to its score.
@pytest.mark.parametrize("form", ["alone", "pipeline within"])
@pytest.mark.usefixtures("routing")
def test_without_scoring_the_score_of_the_ranker_is_used(form):
    ranker, _ = FORMS[form]
    params = {"qid": QID}
    own = cross_val_score(ranker, X, Y, cv=CV, params=params, error_score="raise")
    named = cross_val_score(ranker, X, Y, scoring="ndcg", cv=CV, params=params)
    np.testing.assert_allclose(own, named)


@pytest.mark.usefixtures("routing")
def test_a_pipeline_around_a_ranker_scores_as_the_ranker_does():
    pipe = make_pipeline(StandardScaler(), QueryRanker(Ridge())).fit(X, Y, qid=QID)
    inside = QueryRanker(make_pipeline(StandardScaler(), Ridge())).fit(X, Y, qid=QID)
    assert pipe.score(X, Y, qid=QID) == pytest.approx(inside.score(X, Y, qid=QID))


@pytest.mark.usefixtures("routing")
def test_weights_of_the_training_rows_are_requested_on_the_ranker():
    ranker = QueryRanker(Ridge()).set_fit_request(sample_weight=True)
    params = {"qid": QID, "sample_weight": WEIGHT}
    scoring = get_scorer("mrr").set_score_request(sample_weight=False)
    scores = cross_val_score(
        ranker, X, Y, scoring=scoring, cv=CV, params=params, error_score="raise"
    )
    by_hand = mrr_by_hand(Ridge(), sample_weight=WEIGHT)
    np.testing.assert_allclose(scores, by_hand, rtol=1e-12)


@pytest.mark.usefixtures("routing")
def test_weights_may_reach_the_score_too():
    ranker = QueryRanker(Ridge()).set_score_request(sample_weight=True)
    ranker.set_fit_request(sample_weight=True)
    params = {"qid": QID, "sample_weight": WEIGHT}
    scores = cross_val_score(ranker, X, Y, cv=CV, params=params, error_score="raise")
    for score, (train, test) in zip(scores, CV.split(X, qid=QID), strict=True):
        ranker.fit(X[train], Y[train], qid=QID[train], sample_weight=WEIGHT[train])
        one = ranker.score(X[test], Y[test], qid=QID[test], sample_weight=WEIGHT[test])
        assert score == pytest.approx(one)


@pytest.mark.usefixtures("routing")
def test_a_search_within_a_ranker_splits_by_whole_queries():
    inner = GridSearchCV(Ridge(), {"alpha": ALPHAS}, scoring="mrr", cv=CV)
    ranker = QueryRanker(inner).fit(X, Y, qid=QID)
    by_hand = [np.mean(mrr_by_hand(Ridge(alpha=alpha))) for alpha in ALPHAS]
    found = ranker.estimator_.cv_results_["mean_test_score"]
    np.testing.assert_allclose(found, by_hand)


@pytest.mark.usefixtures("routing")
def test_predictions_out_of_fold_are_scores_of_every_row():
    y_score = cross_val_predict(QueryRanker(Ridge()), X, Y, cv=CV, params={"qid": QID})
    for train, test in CV.split(X, qid=QID):
        expected = Ridge().fit(X[train], Y[train]).predict(X[test])
        np.testing.assert_allclose(y_score[test], expected)
