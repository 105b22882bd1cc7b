"""Early stopping on whole queries."""

# SPDX-License-Identifier: BSD-3-Clause

from itertools import islice
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank._checks import check_count
from skrank.integrations import TrainingMetric, read_scorer
from skrank.rankers.wrapped import Rows, informative_queries, staged_scores
from skrank.scoring.scorer import RankingScorer


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
    check_count(ranker.n_iter_no_change, "n_iter_no_change")
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


# What an estimator has that can learn further rounds and predict after each of them,
# such as HistGradientBoosting.
GROWS = {"warm_start", "max_iter", "early_stopping"}


def fit_in_chunks(estimator, rows, stopping):
    """Fit an estimator up to its best round on the held-out queries.

    It learns some rounds at a time, until the best one is `stopping.rounds` ago. It
    cannot drop the rounds after the best one, so that it is fitted twice.
    """
    params = estimator.get_params(deep=False)
    if not (params.keys() >= GROWS and hasattr(estimator, "staged_predict")):
        raise ValueError(
            "The 'early_stopping' parameter of QueryRanker must be False unless the "
            "estimator is a ranker whose fit takes an evaluation set, such as "
            "LGBMRanker, XGBRanker and CatBoostRanker, or a "
            "HistGradientBoostingRegressor or HistGradientBoostingClassifier. Got "
            f"{type(estimator).__name__} instead."
        )
    weighting = {} if rows.weight is None else {"sample_weight": rows.weight}
    estimator.set_params(
        early_stopping=False, warm_start=True, random_state=_seed(params)
    )
    held = stopping.held_out
    metric = TrainingMetric(stopping.scorer, *stopping.documents)
    values, best, last = [metric.value(np.zeros(len(held.y)))], 0, 0
    while last < params["max_iter"] and last - best < stopping.rounds:
        # Each fit prepares the data anew and begins with the predictions of all earlier
        # rounds, which may take as long as some dozens of rounds.
        wanted = max(4 * stopping.rounds, last + last // 2)
        estimator.set_params(max_iter=min(wanted, params["max_iter"]))
        estimator.fit(rows.X, rows.y, **weighting)
        for y_score in islice(staged_scores(estimator, held.X), last, None):
            values.append(metric.value(y_score))
            last += 1
            if best == 0 or values[-1] > values[best]:
                best = last
            elif last - best == stopping.rounds:
                break
    if best < estimator.n_iter_:
        estimator.set_params(warm_start=False, max_iter=best)
        estimator.fit(rows.X, rows.y, **weighting)
    estimator.validation_score_ = np.array(values)
    return estimator.set_params(**params)


def _seed(params):
    """Return an int, so that all fits of an estimator draw the same."""
    random_state = params["random_state"]
    if isinstance(random_state, Integral):
        return random_state
    return int(check_random_state(random_state).randint(2**31))
