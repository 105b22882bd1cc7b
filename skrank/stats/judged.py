"""Labels by people for a few queries, and by a machine for many.

Prediction-powered inference (A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++", 2023) takes
the mean from people, and from the machine how far their queries are from all queries.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import Bunch

from skrank._engine.value_table import check_alike
from skrank._input.checks import check_instance, shown
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.inference import (
    ROUNDING,
    Segment,
    difference,
    effective_units,
    terms_of,
)

# With fewer queries the slope of the machine's values is a guess.
FEWEST = 5
# Fewer queries may lack those where the machine is wrong, and gain nothing by it.
FEWEST_TO_TRUST = 30
# A slope whose t is smaller is taken for 0.
SMALLEST_T = 2.0
# If fewer of the residuals decide how far people differ, people alone know more.
FEWEST_EFFECTIVE = 10
# What is printed of people alone.
ALONE = {"worth": 1.0, "people_alone": True}


class Combined(NamedTuple):
    """A mean over queries, from the values of people and of a machine."""

    estimate: float
    error: float
    df: int
    skewness: float  # of the estimate; 0 for hits, whose residuals have two clusters
    n_effective: float  # how many of the n queries decide how far people differ
    terms: np.ndarray  # of all queries of the machine: their sum is n * estimate
    counts: np.ndarray  # 1 for the n queries that people judged, else 0
    entries: dict  # what is printed besides

    @property
    def is_of_few(self):
        """Return True if so few queries decide that people alone know more."""
        is_small = self.df + 2 < FEWEST_TO_TRUST
        return is_small or self.n_effective < FEWEST_EFFECTIVE - ROUNDING


def refuse(caller, why, /, **given):
    """Raise if a parameter that cannot be combined with another was given."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"The {name!r} parameter of {caller} must be its default {why}. "
                f"Got {shown(value)}. Select queries by scores.where()."
            )


def with_judge(blocks, human, judge):
    """Return the blocks of a comparison, by people and a machine: one for each pair.

    Where people alone know more, their differences have the test that they would have
    without a judge.
    """
    values, judged, rows = matched(human, judge, "compare_rankers")
    segment, found = Segment({}, slice(None), judge.table, None), []
    for block in blocks:
        places = [*block.rankers], block.metric
        of_rankers = [*zip(values[places], judged[places], strict=True)]
        means = [combined(*of_one, rows) for of_one in of_rankers]
        for place, (one, other) in enumerate(block.pairs):
            y, f = map(difference, of_rankers[one], of_rankers[other])
            of_pair, row = combined(y, f, rows), block.rows[place]
            is_few = of_pair.is_of_few
            if is_few:
                of_pair = of_people(y, of_pair, rows)
            elif row.test == "score":  # the judge's values are no hits
                row = row | {"test": "permutation"}
            estimates = {
                "estimate": means[one].estimate,
                "estimate_baseline": means[other].estimate,
                "difference": of_pair.estimate,
            }
            found.append(
                block._replace(
                    segment=segment,
                    rankers=(block.rankers[one], block.rankers[other]),
                    pairs=[(0, 1)],
                    values=np.column_stack([of_pair.terms, np.zeros(len(f))]),
                    known=np.ones(len(f), dtype=bool),
                    bottom=of_pair.counts,
                    rows=[Bunch(**row | estimates | of_pair.entries)],
                    errors=[of_pair.error],
                    df=[of_pair.df],
                    ranges=block.ranges[[place]],
                    most=block.most[[place]],
                    allows_for_unseen=block.allows_for_unseen[[place]] & is_few,
                )
            )
    return found


def matched(human, judge, caller):
    """Return the values of people and of a machine, by ranker, metric and query.

    Also the positions of the queries of people among those of the machine.
    """
    check_instance(human, QueryScores, "scores", caller)
    check_instance(judge, QueryScores, "judge", caller)
    for scores, whose in [(human, "human"), (judge, "judge's")]:
        if scores.table.weight is not None:
            raise ValueError(
                f"{caller} with a judge needs scores without weights. Got weights in "
                f"the {whose} scores: pass no sample_weight to score_queries."
            )
    try:
        check_alike(human.table, judge.table)
    except ValueError as error:
        raise ValueError(
            f"The 'judge' parameter of {caller} must have the rankers, metrics and "
            f"parameters of 'scores'. {error}"
        ) from error
    place = _places_by_id(judge, "judge", caller)
    ids = [*_places_by_id(human, "scores", caller)]
    missing = [qid for qid in ids if qid not in place]
    if missing:
        raise ValueError(
            f"The 'judge' parameter of {caller} must hold every query of 'scores'. "
            f"It lacks {len(missing)} of {len(ids)}, such as {shown(missing[0])}."
        )
    if len(ids) < FEWEST or len(place) - len(ids) < 2:
        raise ValueError(
            f"{caller} with a judge needs at least {FEWEST} queries that people "
            f"judged, and 2 others. Got {len(ids)} and {len(place) - len(ids)}."
        )
    both = (_averaged_values(scores.table, caller) for scores in (human, judge))
    return *both, np.array([place[qid] for qid in ids], dtype=np.intp)


def of_people(y, judged, rows):
    """Return a difference in the values of people, as if there was no judge."""
    terms = np.zeros(len(judged.terms))
    terms[rows] = y
    return judged._replace(
        estimate=float(y.mean()),
        error=float(y.std(ddof=1) / np.sqrt(len(y))),
        df=len(y) - 1,
        terms=terms,
        entries=judged.entries | ALONE,
    )


def combined(y, judged, rows):
    r"""Return values y of people :class:`Combined` with a machine's of all queries.

    With f the machine's values of the n queries that people judged, and of m others,

    .. math:: \hat\theta = \frac 1 n \sum_i (y_i - \lambda_i f_i)
       + \bar\lambda \bar f_{others}

    The slope that minimizes the variance is that of a regression of y on f, times
    m / (n + m), or 0 if its t is below 2. Each query has that of the other ones, so
    that it does not fit its own noise.
    """
    is_rest = ~np.isin(np.arange(len(judged)), rows)
    f, rest = judged[rows], judged[is_rest]
    n, m, centre = len(y), len(rest), judged.mean()
    from_y, from_f = y - y.mean(), f - f.mean()
    # Sums over all queries but one differ by n / (n - 1) times its own product.
    both = (from_y * from_f).sum() - n / (n - 1) * from_y * from_f
    own = (from_f**2).sum() - n / (n - 1) * from_f**2
    varies = own > ROUNDING * (f**2).sum()
    slopes = np.where(varies, both / np.where(varies, own, 1.0), 0.0)
    slopes *= m / (n - 1 + m)
    yy, ff, yf = (from_y**2).sum(), (from_f**2).sum(), (from_y * from_f).sum()
    # t^2 = (n - 2) r^2 / (1 - r^2) with the correlation r
    if (n - 2) * yf**2 < SMALLEST_T**2 * (yy * ff - yf**2):
        slopes[:] = 0.0
    slope = slopes.mean()
    terms = np.empty(len(judged))
    terms[rows] = y - slopes * (f - centre)
    terms[is_rest] = slope * (rest - centre) * n / m
    left = y - slopes * from_f
    residuals = difference(left, np.full(n, left.mean()))
    squares = (residuals**2).sum() / (n - 2)
    error = np.sqrt(squares / n + slope**2 * rest.var(ddof=1) / m)
    skewness = 0.0
    if error > 0 and not np.isin(y, (-1, 0, 1)).all():
        of_rest = slope**3 * ((rest - rest.mean()) ** 3).mean() / m**2
        skewness = float(((residuals**3).mean() / n**2 + of_rest) / error**3)
    alone = y.var(ddof=1) / n
    # Values that differ by rounding alone have no correlation.
    is_varied = all(x.std() > ROUNDING * np.abs(x).max() for x in (y, f))
    entries = {
        "human": float(y.mean()),
        "judge": float(centre),
        "n_judged": len(judged),
        "correlation": float(np.corrcoef(y, f)[0, 1]) if is_varied else np.nan,
        "worth": float(alone / error**2) if error > 0 else 1.0,
        "people_alone": False,
    }
    estimate = float(terms.sum() / n)
    n_effective = float(effective_units(residuals**2))
    found = estimate, float(error), n - 2, skewness, n_effective
    return Combined(*found, terms, 1.0 - is_rest, entries)


def _places_by_id(scores, name, caller):
    """Return the positions of the queries by their ids; raise if an id comes twice."""
    ids = scores.keys["qid"].tolist()
    place = {qid: i for i, qid in enumerate(ids)}
    if len(place) < len(ids):
        raise ValueError(
            f"The {name!r} parameter of {caller} must hold each query once, if there "
            f"is a judge. Got {len(ids) - len(place)} queries again."
        )
    return place


def _averaged_values(table, caller):
    """Return the values of the queries by ranker and metric, as they are averaged."""
    found = []
    for of_ranker in terms_of(table):
        values = []
        for request, terms in zip(table.requests, of_ranker, strict=True):
            if terms is None or not (terms.is_linear and terms.is_mean):
                raise ValueError(
                    f"{caller} with a judge needs metrics that are plain means over "
                    f"queries, each with the same weight. Got {request.key!r}."
                )
            if not terms.known.all():
                raise ValueError(
                    f"{caller} with a judge needs a value of every query. Got "
                    f"{request.key!r}, which leaves out {(~terms.known).sum()} "
                    "queries where it is undefined. Score with "
                    "replace_undefined_by=0.0."
                )
            values.append(request.sign * terms.top / terms.bottom)
        found.append(values)
    return np.array(found)
