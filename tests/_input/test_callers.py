"""Who called the package: where warnings belong, and what scikit-learn is doing."""

# SPDX-License-Identifier: BSD-3-Clause

import _thread
import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    cross_validate,
    learning_curve,
    permutation_test_score,
)

from skrank._input.callers import _SHOWN, running_draws, running_split, warn_caller
from skrank.metrics import mrr_score
from skrank.tables.source import Task

X, Y = np.arange(12.0).reshape(6, 2), np.array([1, 0, 1, 0, 1, 0])


class Watching(BaseEstimator):
    """An estimator that calls a function whenever scikit-learn calls it."""

    def __init__(self, call=None):
        self.call = call

    def fit(self, X, y):
        self.found_ = self.call()
        return self

    def score(self, X, y):
        return 0.0


def cross_validated(call):
    """Return what a function returns in the fit of each of two folds."""
    result = cross_validate(Watching(call), X, Y, cv=2, return_estimator=True)
    assert len(result["estimator"]) == 2
    return [estimator.found_ for estimator in result["estimator"]]


class Scored(Watching):
    def fit(self, X, y):
        return self

    def score(self, X, y):
        self.found_ = self.call(X)
        return 0.0


def test_the_split_that_is_scored_is_found_by_its_test_rows():
    model = Scored(lambda X: (running_split(X), running_split(X.copy())))
    result = cross_validate(model, X, Y, cv=2, return_estimator=True)
    for estimator, rows in zip(
        result["estimator"], ([0, 1, 2], [3, 4, 5]), strict=True
    ):
        split, of_copy = estimator.found_
        assert split.X is X
        assert split.y is Y
        assert split.test.tolist() == rows
        assert sorted([*split.train, *rows]) == [0, 1, 2, 3, 4, 5]
        assert of_copy is None
    assert running_split(X) is None


def test_what_draws_or_shuffles_rows_is_found_with_its_variables():
    assert running_draws() == []
    assert cross_validated(running_draws) == [[], []]
    found = []

    class Noting(Watching):
        def fit(self, X, y):
            found.append(running_draws())
            return self

    given = {"cv": 2, "error_score": "raise"}
    learning_curve(Noting(), X, Y, train_sizes=[2], **given)
    for ((name, variables),) in found:
        assert name == "learning_curve"
        assert variables["X"] is X
    found.clear()
    permutation_test_score(Noting(), X, Y, cv=2, n_permutations=1)
    names = [[name for name, _ in draws] for draws in found]
    both = ["_permutation_test_score", "permutation_test_score"]
    assert names == [both] * 4  # of two folds, first with y as it is
    is_y = [[variables["y"] is Y for _, variables in draws] for draws in found]
    assert is_y == [[True, True]] * 2 + [[False, True]] * 2


def test_a_metric_function_without_query_ids_is_warned_of_in_a_split():
    model = LinearRegression()
    with pytest.warns(UserWarning, match="All rows of a fold are ranked as one query"):
        cross_validate(model, X, Y, cv=2, scoring=make_scorer(mrr_score))

    def by_query(model, X, Y):
        return np.mean([mrr_score([y], [score]) for y, score in zip(Y, Y, strict=True)])

    cross_validate(model, X, Y, cv=2, scoring=by_query)  # and nothing is warned of
    make_scorer(mrr_score)(model.fit(X, Y), X, Y)


def lines_of(warned):
    return [(one.filename, one.lineno) for one in warned]


def test_a_warning_is_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        warn_caller("here", UserWarning)
        line = inspect.currentframe().f_lineno - 1
    assert lines_of(warned) == [(__file__, line)]
    assert warned[0].category is UserWarning


def test_a_warning_in_the_fits_of_a_search_is_shown_once():
    def shown(action):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter(action)
            cross_validated(lambda: warn_caller(f"in each fit, {action}", UserWarning))
        return len(warned)

    assert (shown("default"), shown("always"), shown("ignore")) == (1, 1, 0)
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        shown("error")
    assert shown("default") == 1  # what is recorded anew is shown anew
    assert len(_SHOWN) == 2  # and what was shown before is forgotten


def test_a_thread_that_nobody_called_warns_as_well():
    """As the threads of ``tables.source.Threads``: no frame is outside of skrank."""
    task = Task(warn_caller, ("alone", UserWarning))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        _thread.start_new_thread(task.run, ())
        task.result()
    assert [str(one.message) for one in warned] == ["alone"]
