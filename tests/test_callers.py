"""Who called the package: where warnings belong, and what scikit-learn is doing."""

# SPDX-License-Identifier: BSD-3-Clause

import _thread
import inspect
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_validate

from skrank._callers import callers, calls_of_sklearn, sklearn_callers, warn_caller
from skrank.tables.stream import Task

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


def test_the_callers_begin_outside_of_the_package():
    first = next(callers())
    assert first.f_code is inspect.currentframe().f_code
    assert next(sklearn_callers(), None) is None
    assert calls_of_sklearn() == []


def test_scikit_learn_among_the_callers_is_found():
    for found in cross_validated(lambda: next(sklearn_callers()).f_globals["__name__"]):
        assert found == "sklearn.model_selection._validation"


def test_the_calls_of_scikit_learn_say_what_they_were_given():
    for calls in cross_validated(calls_of_sklearn):
        call = next(call for call in calls if call.name == "cross_validate")
        assert call.with_qid == "cross_validate(estimator, X, y, params={'qid': qid})"
        assert call.metadata == set()
        assert any(data is X for data in call.data)


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

    assert (shown("default"), shown("always"), shown("ignore")) == (1, 2, 0)


def test_a_thread_that_nobody_called_warns_as_well():
    """As the threads of ``tables.stream.Threads``: no frame is outside of skrank."""
    task = Task(warn_caller, ("alone", UserWarning))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        _thread.start_new_thread(task.run, ())
        task.result()
    assert [str(one.message) for one in warned] == ["alone"]
