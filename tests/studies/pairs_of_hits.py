"""Intervals and tests of differences of hits, most of which are 0.

It takes a minute.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache

import numpy as np

from skrank.stats import compare_rankers
from tests.studies.experiments import LEVEL, covers, percent
from tests.studies.populations import ranks_of_equal_rankers
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "pairs_of_hits.rst"
NS = (10, 20, 50, 200)
TESTS = ("score", "permutation", "t")
SEED = 1998
# The fractions of the queries that are won and lost.
PAIRS = {
    "3 % gained, 1 % lost": (0.03, 0.01),
    "2 % lost": (0.0, 0.02),
    "10 % gained and lost": (0.1, 0.1),
    "20 % gained, 5 % lost": (0.2, 0.05),
    "45 % gained and lost": (0.45, 0.45),
}


@cache
def compared(n, wins, losses, test):
    """Return the p-value and the interval of a pair, as all such samples have them."""
    both = np.arange(n - wins - losses) % 2
    old = np.r_[np.zeros(wins), np.ones(losses), both]
    new = np.r_[np.ones(wins), np.zeros(losses), both]
    (row,) = compare_rankers({"old": old, "new": new}, test=test).rows
    return row.pvalue, row.low, row.high


def measured(values, n_samples, shares, measure):
    """Return `measure` of p-values, ends and the true difference, by test and n."""
    rng, found = np.random.default_rng(SEED), {test: [] for test in TESTS}
    if shares is None:
        one, other = ranks_of_equal_rankers(rng, 2) == 1
        shares = np.mean(other & ~one), np.mean(one & ~other)
    wins, losses = shares
    for n in NS:
        counts = rng.multinomial(n, [wins, losses, 1 - wins - losses], size=n_samples)
        for test, of_test in found.items():
            outcomes = [compared(n, *one[:2].tolist(), test) for one in counts]
            of_test.append(percent(measure(*np.array(outcomes).T, wins - losses)))
    return found


def contains(pvalue, low, high, truth):
    return covers(low, high, truth)


def rejects(pvalue, low, high, truth):
    return pvalue <= LEVEL


def table(title, measure, bars):
    rows = PAIRS | {"hits@1 of two rankers, equally good": None}
    return Table(
        title, list(TESTS), rows_of(measured, "shares", rows, bars, measure=measure)
    )


TABLES = {
    "coverage": table(
        "Coverage of the difference of hits with 10 / 20 / 50 / 200 queries, in %",
        contains,
        {"score": (93, 100)},
    ),
    "found": table(
        "Differences of hits that are significant at 5 %, with 10 / 20 / 50 / 200 "
        "queries, in %",
        rejects,
        {},
    ),
}
