"""Drawn searches and cross-validations, compared with loops by hand.

    python -m tests.studies.searches_by_hand [SEED [NUMBER [FIRST]]]

draws that many combinations of an estimator, a container, a place of the query ids, a
splitter, a tool of scikit-learn and a scoring. The expected values come from a loop:
split, fit with plain calls of the library, rank each test query by brute force, take
the mean. The program prints what is different and each warning that nobody needs.
"""

# SPDX-License-Identifier: BSD-3-Clause

import math
import re
import sys
import warnings
from collections import Counter
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from lightgbm import LGBMRanker
from scipy import sparse
from sklearn import clone, config_context
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import resample
from threadpoolctl import threadpool_limits

from skrank.base import RankingEstimator
from skrank.metrics import (
    hits_at_k_score,
    make_ranking_scorer,
    map_score,
    mean_rank,
    mrr_score,
    ndcg_score,
    query_auc_score,
)
from skrank.model_selection import (
    QueryKFold,
    QueryShuffleSplit,
    StratifiedQueryKFold,
    cross_val_query_scores,
)
from skrank.rankers import PairwiseRanker, QueryRanker
from tests.brute_force import query_values

N_QUERIES, MOST_ROWS = 21, 6


class Case(NamedTuple):
    """One combination."""

    estimator: str
    container: str
    ids: str  # where they are
    has_text_ids: bool
    is_shuffled: bool
    target: str  # the container of y
    splitter: str
    tool: str
    scoring: str
    metrics: tuple  # the keys of METRICS

    @property
    def is_bare(self):
        return self.estimator.startswith("bare")

    @property
    def is_in_column(self):
        return self.ids in ("column", "user_id")

    @property
    def qid_column(self):
        """What rankers and splitters are told of the column of the ids."""
        if self.ids == "user_id":
            return {"qid_column": "user_id"}
        is_array = self.container not in FRAMES
        return {"qid_column": -1} if self.ids == "column" and is_array else {}


class OwnRanker(RankingEstimator, BaseEstimator):
    """Weigh features by their covariance with the grades within queries."""

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y, *, qid=None):
        X, y = _dense(X), np.asarray(y)
        qid = np.zeros(len(y)) if qid is None else np.asarray(qid)
        parts = [X[qid == query] for query in np.unique(qid)]
        grades = [y[qid == query] for query in np.unique(qid)]
        pairs = zip(parts, grades, strict=True)
        total = sum((part - part.mean(axis=0)).T @ grade for part, grade in pairs)
        self.weights_ = np.sign(total) * np.abs(total) ** self.power
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return _dense(X) @ self.weights_


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


# The estimators within, a parameter of each and its values.
TREES = {"n_jobs": 1, "verbose": -1, "min_child_samples": 3, "num_leaves": 5}
BOOSTED = {"max_iter": 6, "min_samples_leaf": 5, "early_stopping": False}
MODELS = {
    "Ridge": (Ridge(), "alpha", [0.1, 30.0, 3000.0]),
    "logistic": (LogisticRegression(max_iter=1000, tol=1e-8), "C", [1e-3, 1.0]),
    "boosting": (HistGradientBoostingRegressor(**BOOSTED), "max_iter", [2, 9]),
    "pipeline": (make_pipeline(StandardScaler(), Ridge()), "ridge__alpha", [1.0, 99.0]),
    "LightGBM": (LGBMRanker(n_estimators=4, **TREES), "n_estimators", [2, 6]),
    "own": (OwnRanker(), "power", [0.0, 1.0]),
}
ESTIMATORS = {
    **{f"bare {name}": name for name in MODELS if name != "LightGBM"},
    **{f"QueryRanker {name}": name for name in MODELS},
    "PairwiseRanker": "logistic",
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
CONTAINERS = ["NumPy", *FRAMES, "pandas", "sparse"]
IDS = ["column", "user_id", "index of y", "levels of y", "index of X", "routing"]
SPLITTERS = {
    "QueryKFold": partial(QueryKFold, 3),
    "QueryKFold shuffled": partial(QueryKFold, 3, shuffle=True, random_state=1),
    "QueryKFold by groups": partial(QueryKFold, 3),
    "StratifiedQueryKFold": partial(StratifiedQueryKFold, 3),
    "QueryShuffleSplit": partial(QueryShuffleSplit, 2, test_size=0.3, random_state=0),
    "GroupKFold": partial(GroupKFold, 3),
    "LeaveOneGroupOut": LeaveOneGroupOut,
    "list": None,
}
BY_GROUPS = ("GroupKFold", "LeaveOneGroupOut", "QueryKFold by groups")
SCORINGS = ["name", "name", "scorer", "make_ranking_scorer", "make_scorer"]
SEVERAL = ("list", "dict", "list-scorer")
# Functions, for scorers that are made, and their parameters.
METRICS = {
    "mrr": (mrr_score, {}),
    "mrr(threshold=1)@2": (mrr_score, {"threshold": 1, "k": 2}),
    "mrr(ties='first')": (mrr_score, {"ties": "first"}),
    "ndcg": (ndcg_score, {}),
    "ndcg@3": (ndcg_score, {"k": 3}),
    "ndcg(gain='linear')@4": (ndcg_score, {"gain": "linear", "k": 4}),
    "map": (map_score, {}),
    "map(normalize='achievable')@2": (map_score, {"normalize": "achievable", "k": 2}),
    "hits@1": (hits_at_k_score, {"k": 1}),
    "neg_mean_rank": (mean_rank, {}),
    "query_auc": (query_auc_score, {}),
    **{name: (None, {}) for name in ("precision@2", "recall@3", "f1@3")},
    **{name: (None, {}) for name in ("r_precision", "bpref", "neg_ranking_loss")},
    "rank_correlation": (None, {}),
    "err(max_grade=3)@3": (None, {"max_grade": 3}),
    "rbp(p=0.5, max_grade=3)": (None, {"p": 0.5, "max_grade": 3}),
}
# Their mean leaves out queries without a value, which count 0 in that of others.
LEFT_OUT = {"neg_mean_rank", "query_auc", "neg_ranking_loss", "rank_correlation"}


def draw_case(rng):
    """Return a combination that makes sense."""
    choose = lambda values: str(rng.choice([*values]))  # noqa: E731
    while True:
        scoring = choose([*SCORINGS, *SEVERAL])
        is_made = scoring.startswith("make")
        names = [name for name in METRICS if METRICS[name][0] or not is_made]
        chosen = rng.choice(names, 3 if scoring in SEVERAL else 1, replace=False)
        case = Case(
            estimator=choose(ESTIMATORS),
            container=choose(CONTAINERS),
            ids=choose(IDS),
            has_text_ids=bool(rng.integers(2)),
            is_shuffled=bool(rng.integers(2)),
            target=choose(["array", "series", "list", "polars"]),
            splitter=choose(SPLITTERS),
            tool=choose(CHECKS),
            scoring=scoring,
            metrics=tuple(chosen.tolist()),
        )
        if not any(clashes(case)):
            return case


def clashes(case):
    """Yield whether the parts do not go together, for each rule."""
    model, is_routed = ESTIMATORS[case.estimator], case.ids == "routing"
    is_frame, is_pandas = case.container in FRAMES, case.container == "pandas"
    is_of_y, is_series = case.ids.endswith("of y"), case.target == "series"
    # Where the ids can be. An estimator that sees the column needs numbers, and so does
    # an array.
    yield case.ids == "user_id" and (case.is_bare or not is_frame)
    yield case.ids == "index of X" and not is_pandas
    yield case.is_bare and case.is_in_column and not is_frame
    yield case.is_in_column and case.has_text_ids and (case.is_bare or not is_frame)
    yield case.estimator == "bare own" and case.is_in_column
    yield is_of_y and not is_series
    yield is_series and not is_of_y and (not is_pandas or case.ids == "index of X")
    # What estimators take.
    yield case.container == "pyarrow" and not takes_arrow()
    yield case.container == "sparse" and model in ("boosting", "pipeline")
    # What tools take. The ids do not reach `predict` with make_scorer.
    yield case.scoring == "make_scorer" and not (is_routed or is_of_y)
    by_query = case.tool == "cross_val_query_scores"
    yield case.scoring in SEVERAL and case.tool != "cross_validate" and not by_query
    yield by_query and case.scoring == "make_scorer"
    # It scores a query once, and has no groups.
    yield by_query and case.splitter == "QueryShuffleSplit"
    yield by_query and case.splitter in BY_GROUPS and not is_routed
    yield case.tool == "permutation_importance" and (
        is_routed or case.container not in ("pandas", "NumPy")
    )


def takes_arrow():
    """Return True if this version of scikit-learn takes rows of Arrow tables."""
    try:
        return len(resample(pa.table({"f": [0.0, 1.0]}), n_samples=1)) == 1
    except TypeError:
        return False


class Rows(NamedTuple):
    """Rows with their features: what the estimator sees."""

    features: np.ndarray
    y: np.ndarray
    qid: np.ndarray

    def take(self, rows):
        return Rows(*(part[rows] for part in self))


def draw_rows(case, rng):
    """Return rows of uneven queries, some without a relevant one."""
    query = np.repeat(np.arange(N_QUERIES), rng.integers(1, MOST_ROWS + 1, N_QUERIES))
    n = len(query)
    features = rng.normal(size=(n, 4)).round(3)
    features[:, 3] = rng.integers(0, 2, n)  # equal scores, where little else is read
    y = np.clip((features[:, 0] + rng.normal(0, 0.8, n)).round(), 0, 3).astype(int)
    y[np.isin(query, [3, 8])] = 0
    if "logistic" in case.estimator and rng.integers(2):
        y = np.minimum(y, 1)
    qid = np.array([f"q{i:02}" for i in query]) if case.has_text_ids else query + 7
    order = rng.permutation(n) if case.is_shuffled else np.arange(n)
    return Rows(features, y, qid).take(order)


def contain(case, rows, rng):
    """Return `X` and `y` in their containers."""
    X, y = rows.features, rows.y
    if case.container in FRAMES:
        columns = {f"f{i}": column for i, column in enumerate(X.T)}
        if case.is_in_column:
            columns["qid" if case.ids == "column" else case.ids] = rows.qid
        X = FRAMES[case.container](columns)
    elif case.ids == "column":
        X = np.column_stack([X, rows.qid])
    if case.container == "sparse":
        X = sparse.csr_matrix(X)
    if case.container == "pandas":
        labels = rng.permutation(len(y))
        X.index = pd.Index(rows.qid, name="qid") if case.ids == "index of X" else labels
    if case.ids == "index of y":
        return X, pd.Series(y, index=pd.Index(rows.qid, name="qid"))
    if case.ids == "levels of y":
        levels = [np.arange(len(y)), rows.qid]
        index = pd.MultiIndex.from_arrays(levels, names=["row", "qid"])
        return X, pd.Series(y, index=index)
    if case.target == "series":
        return X, pd.Series(y, index=X.index)
    return X, {"array": y, "list": y.tolist(), "polars": pl.Series(y)}[case.target]


def make_estimator(case):
    """Return the estimator, and what is before the name of a parameter of its model."""
    model = MODELS[ESTIMATORS[case.estimator]][0]
    if case.is_bare:
        return clone(model), ""
    if case.estimator == "PairwiseRanker":
        more = {"max_pairs": None, "random_state": 0}
        return PairwiseRanker(model, **more, **case.qid_column), "estimator__"
    return QueryRanker(model, **case.qid_column), "estimator__"


def make_scoring(case):
    """Return what is passed as `scoring`."""
    names = list(case.metrics)
    function, keywords = METRICS[names[0]]
    if case.scoring == "make_scorer":
        is_better = not names[0].startswith("neg_")
        scorer = make_scorer(function, greater_is_better=is_better, **keywords)
        return scorer.set_score_request(qid=True) if case.ids == "routing" else scorer
    return {
        "name": lambda: names[0],
        "list": lambda: names,
        "dict": lambda: {f"own {name}": name for name in names},
        "scorer": lambda: get_scorer(names[0]),
        "list-scorer": lambda: make_ranking_scorer(names),
        "make_ranking_scorer": lambda: make_ranking_scorer(function, **keywords),
    }[case.scoring]()


def split(case, rows):
    """Return the splitter for the tool, the metadata it reads, and the folds."""
    metadata = {"qid": rows.qid}
    if case.splitter == "LeaveOneGroupOut":
        metadata = {"groups": np.unique(rows.qid, return_inverse=True)[1] % 3}
    elif case.splitter in BY_GROUPS:
        metadata = {"groups": rows.qid}
    make = SPLITTERS["QueryKFold" if case.splitter == "list" else case.splitter]
    # Of features that hold nothing, with the ids as an argument.
    folds = list(make().split(np.zeros((len(rows.y), 1)), rows.y, **metadata))
    if case.splitter == "list":
        return folds, metadata, folds
    return make(**{} if "groups" in metadata else case.qid_column), metadata, folds


def fit_by_hand(case, rows, params):
    """Return a function of rows that returns their scores, fitted on `rows`."""
    name = ESTIMATORS[case.estimator]
    model = clone(MODELS[name][0]).set_params(**params)
    features, y, qid = rows
    if case.estimator == "PairwiseRanker":
        return fit_pairs(model, rows)
    if name == "LightGBM":
        order = np.argsort(qid, kind="stable")
        sizes = np.unique(qid, return_counts=True)[1]
        model.fit(features[order], y[order], group=sizes)
    elif name == "own":
        # Without routing nobody passes the ids to an estimator that is not wrapped.
        is_told = not case.is_bare or case.ids == "routing"
        model.fit(features, y, qid=qid if is_told else None)
    else:
        model.fit(features, y)
    # make_scorer calls `predict`, which returns the classes of a bare classifier.
    is_predicted = case.is_bare and case.scoring == "make_scorer"
    if name != "logistic" or is_predicted:
        return lambda test: model.predict(test.features)
    if len(model.classes_) == 2:
        return lambda test: model.decision_function(test.features)
    return lambda test: model.predict_proba(test.features) @ model.classes_


def fit_pairs(model, rows):
    """Fit a classifier without intercept on all differences within queries."""
    features, y, qid = rows
    first, second = np.nonzero((qid[:, None] == qid) & (y[:, None] > y))
    sign = np.where(np.arange(len(first)) % 2, -1, 1)
    differences = (features[first] - features[second]) * sign[:, None]
    model.set_params(fit_intercept=False).fit(differences, sign)
    return lambda test: test.features @ model.coef_.ravel()


def values_by_hand(name, rows, scores):
    """Return the value of each query, in the order of the sorted ids."""
    keywords = {key: value for key, value in METRICS[name][1].items() if key != "k"}
    plain = re.sub(r"\(.*\)|^neg_", "", name)
    values = query_values(plain, rows.y, scores, rows.qid, **keywords)
    values = np.where(np.isnan(values) & (name not in LEFT_OUT), 0.0, values)
    return -values if name.startswith("neg_") else values


def mean_by_hand(name, rows, scores):
    values = values_by_hand(name, rows, scores)
    values = values[~np.isnan(values)]
    return values.mean() if len(values) else math.nan


class Both(NamedTuple):
    """What the tools are called with, and the rows and folds of the loops."""

    case: Case
    rows: Rows
    folds: list
    X: object
    y: object
    estimator: object
    prefix: str
    cv: object
    scoring: object
    metadata: dict  # of `fit`
    params: dict  # of functions, such as cross_validate

    def call(self, tool, **options):
        """Call a function of scikit-learn."""
        options = {"scoring": self.scoring, "cv": self.cv} | self.params | options
        return tool(self.estimator, self.X, self.y, **options)

    def by_hand(self, params=None):
        """Return the metrics of each fold, of shape (n_folds, n_metrics)."""
        parts = [map(self.rows.take, fold) for fold in self.folds]
        return np.array([self.score(*part, params) for part in parts])

    def score(self, train, test, params=None):
        """Return the metrics of one fold."""
        scores = fit_by_hand(self.case, train, params or {})(test)
        return [mean_by_hand(name, test, scores) for name in self.case.metrics]

    @property
    def grid(self):
        """The name of the parameter of the model, and its values."""
        return MODELS[ESTIMATORS[self.case.estimator]][1:]


def make_both(case, rng):
    rows = draw_rows(case, rng)
    X, y = contain(case, rows, rng)
    cv, metadata, folds = split(case, rows)
    if case.is_bare and case.ids == "column":
        rows = rows._replace(features=np.column_stack([rows.features, rows.qid]))
    if case.ids == "routing":
        metadata = {"qid": rows.qid, **metadata}
        params = {"params": metadata}
    else:
        params = metadata = {k: v for k, v in metadata.items() if k == "groups"}
    made = *make_estimator(case), cv, make_scoring(case)
    return Both(case, rows, folds, X, y, *made, metadata, params)


def check_cross_val_score(both):
    found = both.call(cross_val_score, error_score="raise")
    yield "scores", found, both.by_hand()[:, 0]


def check_cross_validate(both):
    found, expected = both.call(cross_validate, error_score="raise"), both.by_hand()
    own = "own " if both.case.scoring == "dict" else ""
    for place, name in enumerate(both.case.metrics):
        key = f"{own}{name}" if both.case.scoring in SEVERAL else "score"
        yield name, found[f"test_{key}"], expected[:, place]


def check_cross_val_query_scores(both):
    found = both.call(cross_val_query_scores)
    table = found.to_frame("pandas").set_index("qid")
    for key, name in zip(found.metrics, both.case.metrics, strict=True):
        expected = {}
        for train, test in both.folds:
            tested = both.rows.take(test)
            scores = fit_by_hand(both.case, both.rows.take(train), {})(tested)
            values = values_by_hand(name, tested, scores)
            expected |= dict(zip(np.unique(tested.qid).tolist(), values, strict=True))
        yield name, table[key].loc[[*expected]], [*expected.values()]
        yield f"{name} mean", found.summary()[key], np.nanmean([*expected.values()])


def check_search(both, make):
    plain, values = both.grid
    options = {"cv": both.cv, "scoring": both.scoring, "error_score": "raise"}
    search = make(both.estimator, {both.prefix + plain: values}, **options)
    search.fit(both.X, both.y, **both.metadata)
    found = search.cv_results_
    for row, params in enumerate(found["params"]):
        params = {plain: params[both.prefix + plain]}
        scores = [found[f"split{i}_test_score"][row] for i in range(len(both.folds))]
        expected = both.by_hand(params)[:, 0]
        yield f"{params}", scores, expected
        yield f"{params} mean", found["mean_test_score"][row], np.mean(expected)
    # The refitted estimator scores all rows.
    best = {plain: search.best_params_[both.prefix + plain]}
    qid = {"qid": both.rows.qid} if both.case.ids == "routing" else {}
    (expected,) = both.score(both.rows, both.rows, best)
    yield "search.score", search.score(both.X, both.y, **qid), expected


def check_validation_curve(both):
    plain, values = both.grid
    options = {"param_name": both.prefix + plain, "param_range": values}
    found = both.call(validation_curve, error_score="raise", **options)
    for value, of_train, of_test in zip(values, *found, strict=True):
        yield f"test {value}", of_test, both.by_hand({plain: value})[:, 0]
        for fold, (train, _) in enumerate(both.folds):
            part = both.rows.take(train)
            (expected,) = both.score(part, part, {plain: value})
            yield f"train {value}", of_train[fold], expected


def check_permutation_importance(both):
    case, rows = both.case, both.rows
    fitted = both.estimator.fit(both.X, both.y)
    options = {"scoring": both.scoring, "n_repeats": 2, "random_state": 5}
    found = permutation_importance(fitted, both.X, both.y, **options).importances
    predict, (name,) = fit_by_hand(case, rows, {}), case.metrics
    base = mean_by_hand(name, rows, predict(rows))
    seed = np.random.RandomState(5).randint(np.iinfo(np.int32).max + 1)
    for column, scores in enumerate(found):
        rng, order = np.random.RandomState(seed), np.arange(len(rows.y))
        place, features, qid = order.copy(), rows.features.copy(), rows.qid
        for score in scores:
            rng.shuffle(order)
            place = place[order]  # it permutes what it has permuted before
            if column < features.shape[1]:
                features[:, column] = rows.features[place, column]
            if case.is_in_column and column == len(found) - 1:
                qid = rows.qid[place]
            other = Rows(features, rows.y, qid)
            expected = base - mean_by_hand(name, other, predict(other))
            yield f"column {column}", score, expected


RANDOM = partial(RandomizedSearchCV, n_iter=2, random_state=0)
CHECKS = {
    "cross_val_score": check_cross_val_score,
    "cross_validate": check_cross_validate,
    "cross_val_query_scores": check_cross_val_query_scores,
    "GridSearchCV": partial(check_search, make=GridSearchCV),
    "RandomizedSearchCV": partial(check_search, make=RANDOM),
    "permutation_importance": check_permutation_importance,
    "validation_curve": check_validation_curve,
}


def wanted_warnings(case):
    """Yield the beginnings of warnings that are right."""
    yield "The metric is undefined for every query"
    yield "scipy.optimize: The `disp`"  # older scikit-learn with newer SciPy
    yield "X does not have valid feature names, but LGBM"  # LightGBM 4.6, of any array
    if LEFT_OUT & {*case.metrics}:
        yield "One or more of the test scores are non-finite"
    if case.is_bare and case.ids == "column":
        yield r"\w+ was fitted on the column 'qid' as if it were a feature"
    if case.scoring == "make_scorer" and case.estimator == "bare logistic":
        yield "y_score has only"  # classes
    if case.tool == "permutation_importance" and case.is_in_column:
        yield "Pass cv=QueryKFold"  # the permuted ids


def problems(seed, number):
    """Return the combination of a number, and what is wrong with it."""
    rng, found = np.random.default_rng([seed, number]), []
    case = draw_case(rng)
    with (
        warnings.catch_warnings(record=True) as caught,
        config_context(enable_metadata_routing=case.ids == "routing"),
        threadpool_limits(1),  # so that many processes may run at once
    ):
        warnings.simplefilter("always")
        both = make_both(case, rng)
        try:
            for what, got, expected in CHECKS[case.tool](both):
                got, expected = np.asarray(got, float), np.asarray(expected, float)
                if not np.allclose(got, expected, 1e-12, 1e-12, equal_nan=True):
                    found.append(f"{what}: {got.tolist()} for {expected.tolist()}")
        except Exception as error:
            found.append(f"{type(error).__name__}: {' '.join(str(error).split())}")
    wanted = "|".join(wanted_warnings(case))
    for text, n in Counter(str(warning.message) for warning in caught).items():
        if not re.match(wanted, text):
            found.append(f"{n} warnings: {' '.join(text.split())}")
    return case, found


def main(seed=1, number=300, first=0):
    """Print the combinations with a difference."""
    n_wrong = 0
    for one in range(first, first + number):
        case, found = problems(seed, one)
        if found:
            n_wrong += 1
            print(f"{one}: {case}", *(line[:600] for line in found[:5]), sep="\n    ")
    print(f"{number} combinations, {n_wrong} with a difference or an unwanted warning")
    return n_wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
