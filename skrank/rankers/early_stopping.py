"""Early stopping on whole queries."""

# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank.base import fit_parameters
from skrank.integrations import TrainingMetric, read_scorer
from skrank.metrics.scorer import RankingScorer
from skrank.rankers.rows import Rows, informative_queries
from skrank.rankers.wrapped import predicted_scores


class EarlyStopping(NamedTuple):
    """What a library needs to stop early."""

    rounds: int  # without improvement, before stopping
    scorer: RankingScorer
    held_out: Rows

    @property
    def documents(self):
        """The grades, the queries and the weights of the held-out rows.

        Metrics weight queries, so each counts with the mean weight of its rows.
        """
        held, weight = self.held_out, None
        if held.weight is not None:
            weight = held.weight_of_queries()[0][held.codes]
        return held.y, held.codes, weight


def check_early_stopping(ranker):
    """Raise if a parameter of early stopping is invalid."""
    if not isinstance(ranker.early_stopping, (bool, np.bool_)):
        raise TypeError(
            "The 'early_stopping' parameter of QueryRanker must be an instance of "
            f"bool. Got {ranker.early_stopping!r} instead. The number of rounds "
            "without improvement is the parameter 'n_iter_no_change'."
        )
    if not ranker.early_stopping:
        return
    check_scalar(ranker.n_iter_no_change, "n_iter_no_change", Integral, min_val=1)
    check_scalar(
        ranker.validation_fraction,
        "validation_fraction",
        Real,
        min_val=0,
        max_val=1,
        include_boundaries="neither",
    )
    read_stopping_scorer(ranker)


def read_stopping_scorer(ranker):
    """Return the scorer of the parameter `scoring` of a ranker."""
    return read_scorer(ranker.scoring, {}, "scoring", type(ranker).__name__)


def hold_out(rows, fraction, random_state):
    """Split rows into training rows and held-out rows, by whole queries.

    The same fraction is drawn from the queries whose documents have different grades
    and from the others, since no order of the others is better than another.
    """
    rng = check_random_state(random_state)
    informative = informative_queries(rows.y, rows.codes)
    if informative.sum() < 2:
        raise ValueError(
            "Early stopping holds out whole queries. It needs at least two queries "
            "whose documents have different grades: one to train on and one to hold "
            "out. Pass more queries or early_stopping=False. Got "
            f"{informative.sum()} such queries among {len(informative)}."
        )
    held = np.zeros(len(informative), dtype=bool)
    for kind, least in ((informative, 1), (~informative, 0)):
        queries = rng.permutation(np.flatnonzero(kind))
        wanted = round(fraction * len(queries))
        held[queries[: min(max(wanted, least), len(queries) - least)]] = True
    mask = held[rows.codes]
    return rows.take(np.flatnonzero(~mask)), rows.take(np.flatnonzero(mask))


# A name in scikit-learn's table of scorers.
LISTED = "r2"


class ValidationMetric(TrainingMetric):
    """What HistGradientBoosting calls as ``scoring=``.

    It is called in each round and once before the first one, for training rows and then
    for the validation set. `values` holds what it returned for the latter.
    """

    made_by = "ValidationMetric"

    def __init__(self, scorer, *documents):
        super().__init__(scorer, *documents)
        self.n_calls = 0
        self.values = []

    def __call__(self, estimator, X, y, sample_weight=None):
        self.n_calls += 1
        if self.n_calls % 2:
            return 0.0  # for training rows
        self.values.append(self.value(predicted_scores(estimator, X)))
        # The estimator compares with the value some rounds ago instead of the best one.
        # Of the best values so far these are the same. The value before the first round
        # is that of no model.
        return max(self.values[1:], default=-np.inf)

    @property
    def best_round(self):
        """The round with the first of the highest values, counted from 1."""
        return int(np.argmax(self.values[1:])) + 1

    # With a scorer that is in its table, the estimator passes on the predictions that
    # it has. With any other it would predict with all trees again in every round.
    def __hash__(self):
        return hash(LISTED)

    def __eq__(self, other):
        return self is other or other == LISTED


def fit_on_validation_set(estimator, rows, stopping):
    """Fit an estimator up to its best round on the held-out queries.

    It does not drop the rounds after the best one itself, so that it is fitted twice.
    """
    if "X_val" not in fit_parameters(estimator):
        raise ValueError(
            "The 'early_stopping' parameter of QueryRanker must be False unless the "
            "estimator is a ranker whose fit takes an evaluation set, such as "
            "LGBMRanker, XGBRanker and CatBoostRanker, or, from scikit-learn 1.7, "
            "HistGradientBoostingRegressor or HistGradientBoostingClassifier. Got "
            f"{type(estimator).__name__} instead."
        )
    params = estimator.get_params(deep=False)
    weighting = {} if rows.weight is None else {"sample_weight": rows.weight}
    metric = ValidationMetric(stopping.scorer, *stopping.documents)
    estimator.set_params(
        early_stopping=True,
        scoring=metric,
        n_iter_no_change=stopping.rounds,
        tol=0.0,
        warm_start=False,
        random_state=_seed(params["random_state"]),  # of both fits
    )
    X_val = stopping.held_out.X
    # The metric has the grades. Here a classifier accepts those of training rows only.
    y_val = np.full(len(stopping.held_out.y), rows.y[0])
    estimator.fit(rows.X, rows.y, **weighting, X_val=X_val, y_val=y_val)
    if metric.best_round < estimator.n_iter_:
        estimator.set_params(early_stopping=False, max_iter=metric.best_round)
        estimator.fit(rows.X, rows.y, **weighting)
    metric.forget()
    estimator.validation_score_ = np.array(metric.values)
    return estimator.set_params(**params)


def _seed(random_state):
    if isinstance(random_state, Integral):
        return random_state
    return int(check_random_state(random_state).randint(2**31))
