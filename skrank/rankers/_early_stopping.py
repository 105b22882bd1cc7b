"""Early stopping: the queries held out, and the name of the metric in each library."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank.metrics._names import parse_name
from skrank.rankers._rows import Rows, informative_queries


class EarlyStopping(NamedTuple):
    """What a library needs to stop early."""

    rounds: int  # without improvement, before stopping
    name: str  # of the scorer in skrank
    held_out: Rows

    @property
    def metric(self):
        """The name of the metric, without its cutoff."""
        return parse_name(self.name).metric.name

    @property
    def k(self):
        """The cutoff of the metric; without one, the length of the longest list."""
        k = parse_name(self.name).k
        return int(self.held_out.sizes.max()) if k is None else k

    def name_in_library(self, names, estimator):
        """Return the name of the metric in a library, with its cutoff for ``{k}``."""
        if self.metric not in names:
            raise ValueError(
                "The 'scoring' parameter of QueryRanker must be a metric that "
                f"{type(estimator).__name__} computes itself: one of {sorted(names)}, "
                f"with or without a cutoff. Got {self.name!r} instead."
            )
        return names[self.metric].format(k=self.k)


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
    parse_name(ranker.scoring)


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
