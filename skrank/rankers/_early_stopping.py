"""Early stopping: the queries that are held out, and the metric in other words."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank.metrics._names import parse_name
from skrank.rankers._rows import Rows, informative_queries


class EarlyStopping(NamedTuple):
    """What a library is told in order to stop early."""

    rounds: int  # without improvement
    name: str  # of skrank's scorer
    held_out: Rows

    @property
    def metric(self):
        """The name of the metric, without its cut."""
        return parse_name(self.name).metric.name

    @property
    def k(self):
        """The cut of the metric; the longest list if it has none."""
        k = parse_name(self.name).k
        return int(self.held_out.sizes.max()) if k is None else k

    def in_words_of(self, words, estimator):
        """Return the metric as a library calls it, with its cut for ``{k}``."""
        if self.metric not in words:
            raise ValueError(
                "The 'early_stopping_metric' parameter of QueryRanker must be one that "
                f"{type(estimator).__name__} computes itself, a cut of {sorted(words)} "
                f"or one of them without it. Got {self.name!r} instead."
            )
        return words[self.metric].format(k=self.k)


def check_early_stopping(ranker):
    """Raise if a parameter of early stopping is not accepted."""
    if ranker.early_stopping is None:
        return
    if isinstance(ranker.early_stopping, bool):
        raise TypeError(
            "The 'early_stopping' parameter of QueryRanker must be None or an int, the "
            "number of rounds without improvement. Got "
            f"{ranker.early_stopping!r} instead."
        )
    check_scalar(ranker.early_stopping, "early_stopping", Integral, min_val=1)
    check_scalar(
        ranker.validation_fraction,
        "validation_fraction",
        Real,
        min_val=0,
        max_val=1,
        include_boundaries="neither",
    )
    parse_name(ranker.early_stopping_metric)


def hold_out(rows, fraction, random_state):
    """Split rows into those to learn from and those to stop by, by whole queries.

    The same share is drawn from the queries whose documents have different grades,
    without which no order is better than another, and from the others.
    """
    rng = check_random_state(random_state)
    informative = informative_queries(rows.y, rows.codes)
    if informative.sum() < 2:
        raise ValueError(
            "Early stopping holds out whole queries, and needs one to learn from and "
            "one to stop by, both with documents of different grades. Pass more "
            "queries or early_stopping=None. Got "
            f"{informative.sum()} such queries among {len(informative)}."
        )
    held = np.zeros(len(informative), dtype=bool)
    for kind, least in ((informative, 1), (~informative, 0)):
        queries = rng.permutation(np.flatnonzero(kind))
        wanted = round(fraction * len(queries))
        held[queries[: min(max(wanted, least), len(queries) - least)]] = True
    mask = held[rows.codes]
    return rows.take(np.flatnonzero(~mask)), rows.take(np.flatnonzero(mask))
