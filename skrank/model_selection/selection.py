"""one_standard_error, which selects the simplest of nearly equal candidates."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from skrank._checks import check_number, shown
from skrank._types import MetricLike

CALLER = "one_standard_error"


def one_standard_error(
    metric: str = "score", *, complexity: MetricLike | Sequence[str], n_se: float = 1.0
) -> Any:
    r"""Make a rule for searches: the simplest of the nearly best candidates.

    Pass the rule as the parameter `refit` of a search. It compares the candidate that
    has the best mean score with every other one, split by split, and keeps those whose
    mean is lower by at most `n_se` standard errors of the difference. Of these it
    selects the simplest, and of equally simple ones that with the best mean.

    Parameters
    ----------
    metric : str, default="score"
        The metric by which candidates are compared. The results of a search with a
        single metric do not hold its name: there "score" and any other name mean that
        metric.
    complexity : str, callable, or list of str
        How complex a candidate is:

        - a str: the name of a parameter that is larger for more complex models, such as
          ``"estimator__max_depth"``; with a minus in front, as in ``"-alpha"``, one
          that is smaller for them. None, as in ``max_depth=None``, counts as infinity;
        - a list of str: several of them, the most important first;
        - a callable: maps the dict of a candidate's parameters to a number that is
          larger for more complex models, or to a tuple of numbers.
    n_se : float, default=1.0
        The number of standard errors, at least 0.

    Returns
    -------
    rule : callable
        ``rule(cv_results)`` returns the index of the selected candidate in the
        ``cv_results_`` of a search. It can be pickled if `complexity` can.

    Raises
    ------
    TypeError
        If a parameter of this function has the wrong type.
    ValueError
        If `n_se` is negative. The rule raises it if the search has no such metric or
        parameter, only one split, or no candidate with a finite score in each split.

    See Also
    --------
    cross_val_query_scores : Says how good the models are that a search selects. The
        score by which a candidate was selected is too high.
    sklearn.model_selection.GridSearchCV : A search with a parameter `refit`.

    Notes
    -----
    The rule of Breiman et al. [1]_ takes the standard error of the best mean. But all
    candidates are scored on the same splits, some of which are harder for all of them,
    so the difference of two candidates is known better than either score. With
    :math:`d_i`, the score of the best candidate in split :math:`i` of :math:`m` minus
    that of another one, the standard error of the difference is

    .. math:: \sqrt{\frac{1}{m (m - 1)} \sum_{i=1}^m (d_i - \bar{d})^2}.

    A candidate without a finite score in some split is left out: scikit-learn warns of
    it, and ranks it last.

    scikit-learn's halving searches ignore a callable `refit`. Call the rule with their
    results, after the search. It compares the candidates of the last iteration only,
    since earlier ones had fewer resources.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and
       Regression Trees.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from skrank.datasets import make_ranking
    >>> from skrank.model_selection import QueryKFold, one_standard_error
    >>> from skrank.rankers import QueryRanker
    >>> X, y, qid = make_ranking(n_queries=40, random_state=2)
    >>> search = GridSearchCV(
    ...     QueryRanker(DecisionTreeRegressor(random_state=0)),
    ...     {"estimator__max_depth": [1, 2, 3, 5, 8, None]},
    ...     scoring="ndcg@10",
    ...     cv=QueryKFold(5),
    ...     refit=one_standard_error(complexity="estimator__max_depth"),
    ... )
    >>> with config_context(enable_metadata_routing=True):
    ...     search = search.fit(X, y, qid=qid)
    >>> search.cv_results_["mean_test_score"].round(3)
    array([0.59 , 0.656, 0.705, 0.708, 0.656, 0.65 ])
    >>> search.best_params_
    {'estimator__max_depth': 3}
    """
    if not isinstance(metric, str):
        raise TypeError(
            f"The 'metric' parameter of {CALLER} must be a str. Got {shown(metric)} "
            "instead."
        )
    names = complexity if isinstance(complexity, (list, tuple)) else [complexity]
    if not callable(complexity) and not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"The 'complexity' parameter of {CALLER} must be the name of a parameter, "
            f"a list of names, or a callable. Got {shown(complexity)} instead."
        )
    if not names:
        raise ValueError(
            f"The 'complexity' parameter of {CALLER} must name at least one parameter. "
            "Got an empty list."
        )
    return _OneStandardError(
        metric,
        complexity if callable(complexity) else tuple(names),
        check_number(n_se, "n_se", CALLER, low=0.0),
    )


@dataclass(frozen=True)
class _OneStandardError:
    """The rule; its `complexity` is a callable or a tuple of names."""

    metric: str
    complexity: Callable | tuple
    n_se: float

    def __call__(self, cv_results):
        """Return the index of the selected candidate."""
        scores, params = self._scores(cv_results), cv_results["params"]
        is_compared = np.isfinite(scores).all(axis=1)
        if "iter" in cv_results:
            iteration = np.asarray(cv_results["iter"])
            is_compared &= iteration == iteration.max()
        if not is_compared.any():
            raise ValueError(
                f"{CALLER} needs a candidate with a finite score in each split. Got "
                f"none with such scores of {self.metric!r}; error_score='raise' shows "
                "why a fit or a scorer failed."
            )
        candidates = np.flatnonzero(is_compared)
        scores = scores[candidates]
        mean, n_splits = scores.mean(axis=1), scores.shape[1]
        loss = scores[mean.argmax()] - scores
        standard_error = loss.std(axis=1, ddof=1) / np.sqrt(n_splits)
        is_near = loss.mean(axis=1) <= self.n_se * standard_error
        complexity = [self._complexity(params[candidate]) for candidate in candidates]
        near = np.flatnonzero(is_near).tolist()
        return int(candidates[min(near, key=lambda i: (complexity[i], -mean[i]))])

    def _scores(self, cv_results):
        """Return the scores by candidate and split."""
        found = {}
        for key, scores in cv_results.items():
            if column := re.fullmatch(r"split\d+_test_(.+)", key):
                found.setdefault(column[1], []).append(scores)
        single = found.get("score") if len(found) == 1 else None
        scores = found.get(self.metric, single)
        if scores is None:
            raise ValueError(
                f"The 'metric' parameter of {CALLER} must be a metric of the search, "
                f"among {sorted(found)}. Got {self.metric!r} instead."
            )
        if len(scores) < 2:
            raise ValueError(
                f"{CALLER} needs at least two splits to know a standard error. Got one."
            )
        return np.stack(scores, axis=1)

    def _complexity(self, params):
        """Return the complexity of a candidate as a tuple of numbers."""
        if callable(self.complexity):
            found = self.complexity(params)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(_number(value, params) for value in found)
        return tuple(
            -_parameter(params, name[1:])
            if name.startswith("-")
            else _parameter(params, name)
            for name in self.complexity
        )

    def __repr__(self):
        complexity = self.complexity
        if callable(complexity):
            shown_complexity = getattr(complexity, "__name__", repr(complexity))
        else:
            names = list(complexity)
            shown_complexity = repr(names if len(names) > 1 else names[0])
        n_se = "" if self.n_se == 1 else f", n_se={self.n_se:g}"
        return f"{CALLER}({self.metric!r}, complexity={shown_complexity}{n_se})"


def _parameter(params, name):
    """Return the value of a parameter as a number, infinity for None."""
    if name not in params:
        raise ValueError(
            f"The 'complexity' parameter of {CALLER} must name parameters of each "
            f"candidate, among {sorted(params)}, or be a callable. Got {name!r} "
            "instead."
        )
    return np.inf if params[name] is None else _number(params[name], params)


def _number(value, params):
    """Return a number as a float; raise if it is none."""
    if not isinstance(value, (Real, np.bool_)) or np.isnan(value):
        raise ValueError(
            f"The complexity of a candidate must be a number, for {CALLER} to compare "
            f"it. Got {shown(value)} for the candidate {shown(params)}; a callable "
            "'complexity' can return a number for it."
        )
    return float(value)
