"""Early stopping: the queries that are held out, and the metric."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank.integrations._training_metric import read_scorer
from skrank.metrics._scoring.scorer import RankingScorer
from skrank.rankers._rows import Rows, informative_queries


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
