"""Every place where scikit-learn takes a scorer name.

Run as a script, it imports skrank before scikit-learn's modules, counts the places that
take a name, and counts again once the names are taken back.
"""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

if __name__ == "__main__":
    import skrank

import numpy as np
import pandas as pd
import sklearn
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

import skrank

N_QUERIES, N_DOCUMENTS = 12, 8

rng = np.random.default_rng(0)
X = rng.normal(size=(N_QUERIES * N_DOCUMENTS, 3))
y = np.tile([0, 1, 0, 0, 1, 0, 0, 1], N_QUERIES)
X[:, 0] += 3 * y
qid = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
y_indexed = pd.Series(y, index=pd.Index(qid, name="qid"))
rows = np.arange(len(y))
# Three folds of whole queries.
FOLDS = [(rows[qid % 3 != fold], rows[qid % 3 == fold]) for fold in range(3)]
GRID = {"alpha": [0.1, 10.0]}
HALVING = {"cv": FOLDS, "resource": "max_iter", "max_resources": 90, "n_jobs": 1}


def _search(search, **options):
    def run(scoring):
        search_cv = search(Ridge(), GRID, scoring=scoring, cv=FOLDS, **options)
        return search_cv.fit(X, y, qid=qid).cv_results_["mean_test_score"]

    return run


def _halving(search, **options):
    def run(scoring):
        model = Ridge(solver="lsqr", max_iter=10)
        found = search(model, GRID, scoring=scoring, **HALVING, **options)
        return found.fit(X, y, qid=qid).cv_results_["mean_test_score"]

    return run


def _evaluation(function, *arguments, result, **options):
    def run(scoring):
        options_ = {"cv": FOLDS, "scoring": scoring, "params": {"qid": qid}, **options}
        return result(function(Ridge(), X, y, *arguments, **options_))

    return run


def _direct(make):
    def run(scoring):
        scores = make(scoring)(Ridge().fit(X, y), X, y, qid=qid)
        return scores[scoring] if isinstance(scores, dict) else scores

    return run


def _grid_search_of_a_list(scoring):
    search = GridSearchCV(
        Ridge(), GRID, scoring=[scoring, "r2"], refit=scoring, cv=FOLDS
    )
    return search.fit(X, y, qid=qid).cv_results_[f"mean_test_{scoring}"]


def _rfecv(scoring):
    selector = RFECV(Ridge(), cv=FOLDS, scoring=scoring)
    return selector.fit(X, y, qid=qid).cv_results_["mean_test_score"]


def _sequential(scoring):
    selector = SequentialFeatureSelector(
        Ridge(), n_features_to_select=1, cv=FOLDS, scoring=scoring
    )
    # The first feature is the only one that knows of y: NaN would choose another.
    selector.fit(X[:, ::-1], y, qid=qid)
    return 1.0 if selector.get_support().tolist() == [False, False, True] else np.nan


def _logistic(scoring):
    model = LogisticRegressionCV(Cs=2, cv=FOLDS, scoring=scoring, **NEW_LOGISTIC)
    # Of two classes, scikit-learn <= 1.7 shows the scorer the labels -1 and 1 here,
    # and ndcg takes no negative grades.
    model.fit(X, y + (np.arange(len(y)) % N_DOCUMENTS == 1), qid=qid)
    scores = model.scores_
    return next(iter(scores.values())) if isinstance(scores, dict) else scores


# Up to scikit-learn 1.7 RidgeCV hands metadata to scorer objects, not to names.
OLD_RIDGE = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8)

# What LogisticRegressionCV asks to have said since scikit-learn 1.8.
NEW_LOGISTIC = (
    {"use_legacy_attributes": True, "l1_ratios": (0.0,)}
    if "use_legacy_attributes" in LogisticRegressionCV().get_params()
    else {}
)


def _ridge(model, **options):
    def run(scoring):
        if OLD_RIDGE:
            return model(scoring=scoring).fit(X, y)
        if model is RidgeClassifierCV:
            # It passes weights of its own, which scorers of scikit-learn refuse, too.
            scoring = get_scorer(scoring).set_score_request(sample_weight=False)
        return model(scoring=scoring, **options).fit(X, y, qid=qid).best_score_

    return run


def _threshold(scoring):
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring, cv=FOLDS)
    # It scores the class labels of each threshold.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "y_score has only two distinct values")
        return model.fit(X, y, qid=qid).best_score_


def _boosting(model):
    def run(scoring):
        return model(early_stopping=True, max_iter=3, scoring=scoring).fit(X, y)

    return run


def _permutation_importance(scoring):
    model = Ridge().fit(X, y)
    found = permutation_importance(
        model, X, y_indexed, scoring=scoring, n_repeats=2, random_state=0
    )
    return found.importances


ENTRY_POINTS = {
    "get_scorer": _direct(get_scorer),
    "check_scoring": _direct(lambda name: check_scoring(scoring=name)),
    "check_scoring of a list": _direct(lambda name: check_scoring(Ridge(), [name])),
    "check_scoring of a dict": _direct(
        lambda name: check_scoring(Ridge(), {name: name})
    ),
    "cross_validate": _evaluation(
        cross_validate, result=lambda found: found["test_score"]
    ),
    "cross_validate of a list": lambda name: _evaluation(
        cross_validate, result=lambda found: found[f"test_{name}"]
    )([name, "r2"]),
    "cross_val_score": _evaluation(cross_val_score, result=np.asarray),
    "learning_curve": _evaluation(
        learning_curve, result=lambda found: found[2], train_sizes=[0.5, 1.0]
    ),
    "validation_curve": _evaluation(
        validation_curve,
        result=lambda found: found[1],
        param_name="alpha",
        param_range=[0.1, 10.0],
    ),
    "permutation_test_score": _evaluation(
        permutation_test_score,
        result=lambda found: [found[0], *found[1]],
        n_permutations=2,
        random_state=0,
    ),
    "GridSearchCV": _search(GridSearchCV),
    "GridSearchCV of a list": _grid_search_of_a_list,
    "RandomizedSearchCV": _search(RandomizedSearchCV, n_iter=2, random_state=0),
    "HalvingGridSearchCV": _halving(HalvingGridSearchCV),
    "HalvingRandomSearchCV": _halving(
        HalvingRandomSearchCV, n_candidates=2, random_state=0
    ),
    "RFECV": _rfecv,
    "SequentialFeatureSelector": _sequential,
    "LogisticRegressionCV": _logistic,
    "RidgeCV": _ridge(RidgeCV),
    "RidgeClassifierCV": _ridge(RidgeClassifierCV, cv=FOLDS),
    "TunedThresholdClassifierCV": _threshold,
    "HistGradientBoostingClassifier": _boosting(HistGradientBoostingClassifier),
    "HistGradientBoostingRegressor": _boosting(HistGradientBoostingRegressor),
    "permutation_importance": _permutation_importance,
}

# They hand a scorer nothing but arrays.
WITHOUT_QID = {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}
if OLD_RIDGE:
    WITHOUT_QID |= {"RidgeCV", "RidgeClassifierCV"}


def outcome(entry_point, scoring):
    """Return "accepted", "accepted, no qid" or "refused" for a name."""
    with sklearn.config_context(enable_metadata_routing=True):
        try:
            scores = ENTRY_POINTS[entry_point](scoring)
        except ValueError as error:
            if "which rows belong to one query" in str(error):
                return "accepted, no qid"
            if "'scoring' parameter" in str(error) or "valid scoring" in str(error):
                return "refused"
            raise
    return "accepted" if np.isfinite(scores).all() else f"not finite: {scores}"


def expected(entry_point):
    """Return the outcome that a name of skrank's should have."""
    return "accepted, no qid" if entry_point in WITHOUT_QID else "accepted"


def print_counts():
    """Print how many entry points accept a name, and those that do neither."""
    found = {one: outcome(one, "mrr") for one in ENTRY_POINTS}
    accepted = sum(found[one] == expected(one) for one in found)
    refused = sum(found[one] == "refused" for one in found)
    print("mrr accepted", accepted, "refused", refused)
    if accepted + refused < len(found):
        print({one: what for one, what in found.items() if what != expected(one)})


if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "learning_curve draws rows")
    print_counts()
    skrank.unregister_scorers()
    print_counts()
