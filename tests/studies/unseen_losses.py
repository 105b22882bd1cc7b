"""Gates and losses in a few queries, which most samples do not contain.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial

import numpy as np

from skrank.stats import gate
from skrank.stats.paired_tests import fraction_lacked
from tests.studies.experiments import LEVEL, outcome_of, percent
from tests.studies.families import family_of
from tests.studies.populations import LARGE, draw, ranks_of_equal_rankers
from tests.studies.tables import FOLDER, Row, Table, rows_of

DOCS_TABLE = FOLDER / "unseen_losses.rst"
NS = (20, 50, 100, 200, 500)
COLUMNS = [f"n = {n}" for n in NS]
SEED = 37


@cache
def passes_of_hits(n, wins, losses, margin):
    """Return whether the test alone passes, and the gate, as do all such samples."""
    both = np.arange(n - wins - losses) % 2
    old = np.r_[np.zeros(wins), np.ones(losses), both]
    new = np.r_[np.ones(wins), np.zeros(losses), both]
    found = gate({"old": old, "new": new}, baseline="old", margin=margin)
    return by_flips(old, new, margin)[0], found.decision == "passed"


def by_flips(old, new, margin, sign=1):
    """Return whether the sign-flip test alone passes, and with unseen falls to 0.

    With the sign -1 whether the candidate is worse, alone and with unseen gains.
    """
    difference, ones = sign * (new - old), np.ones(len(old))
    family = family_of(difference[:, None], ones[:, None])
    options = {"n_resamples": 1999, "seed": SEED}
    outcome = outcome_of(family, level=2 * LEVEL, **options)
    spread, fall = 0.0, fraction_lacked(LEVEL, len(old))
    if difference.any():
        spread = difference.mean() - outcome.low[0]
    passed = [
        difference.mean() - loss > -sign * margin
        for loss in (spread, np.hypot(spread, fall))
    ]
    return tuple(map(bool, passed))


def shares(passes):
    """Return how often candidates pass, by the number of queries: alone, and the gate.

    `passes(n)` are both answers for each sample of a size.
    """
    return {
        column: [percent(each) for each in zip(*passes(n), strict=True)]
        for n, column in zip(NS, COLUMNS, strict=True)
    }


def of_hits(values, n_samples, wins, losses, margin):
    rng, both = np.random.default_rng(SEED), [wins, losses, 1 - wins - losses]

    def passes(n):
        counts = rng.multinomial(n, both, size=n_samples)[:, :2].tolist()
        return [passes_of_hits(n, *one, margin) for one in counts]

    return shares(passes)


def of_values(values, n_samples, population, margin=None, sign=1):
    """Without a margin, the margin is what the candidate loses."""
    rng = np.random.default_rng(SEED)
    old, new = population(rng)
    margin = float((old - new).mean()) if margin is None else margin

    def passes(n):
        drawn = draw(rng, n, n_samples, LARGE).T
        return [by_flips(old[rows], new[rows], margin, sign) for rows in drawn]

    return shares(passes)


def falls(rng, share, to, noise=0.0, gain=0.0, ranks=False):
    """Return values of a baseline, and a candidate that falls in some queries."""
    old = 1 / ranks_of_equal_rankers(rng, 1)[0] if ranks else rng.beta(4, 2, size=LARGE)
    new = np.clip(old + gain + noise * rng.normal(size=LARGE), 0, 1)
    return old, np.where(rng.random(LARGE) < share, to * old, new)


def breaks(rng, values, share, to=0.0, least=0.0):
    """Return values, and the same where a share of all, above a value, have fallen."""
    old = values(rng)
    works = old > least
    hit = works & (rng.random(LARGE) < share / works.mean())
    return old, np.where(hit, to * old, old)


def recalls(rng):
    """Return recall in a catalogue: nothing is found for nine users in ten."""
    return np.where(rng.random(LARGE) < 0.1, rng.beta(5, 1, size=LARGE), 0.0)


def hard(rng):
    """Return reciprocal ranks of hard queries, with a mean of a quarter."""
    ranks = np.ceil(np.exp(rng.normal(2.4, 2.2, size=LARGE)))
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def easy(rng):
    """Return reciprocal ranks with a mean of a half."""
    return 1 / ranks_of_equal_rankers(rng, 1)[0]


def gains_of_two(rng):
    """Return values such as NDCG, with two modes and a mean of a half."""
    is_good = rng.random(LARGE) < 0.5
    return np.where(is_good, rng.beta(9, 2, LARGE), rng.beta(2, 8, LARGE))


def ceiling(rng):
    """Return values of which 95 in 100 are 1."""
    return np.where(rng.random(LARGE) < 0.95, 1.0, rng.beta(3, 2, size=LARGE))


def near_one(rng):
    """Return values that are .98, but for 6 % that are .2."""
    return np.where(rng.random(LARGE) < 0.06, 0.2, 0.98)


def rescues(rng, values, loss, share, below, hit=1.0):
    """Return values, and lower ones of which a share of all rise to 1."""
    old = values(rng)
    new = np.maximum(old - loss * (rng.random(LARGE) < hit), 0)
    is_low = old < below
    return old, np.where(is_low & (rng.random(LARGE) < share / is_low.mean()), 1, new)


RESCUES = {
    "NDCG .5: all lose .03, 2.5 % rise to 1": {
        **{"values": gains_of_two, "loss": 0.03, "share": 0.025, "below": 0.5}
    },
    "NDCG .93: all lose .02, 1 % rise to 1": {
        **{"values": near_one, "loss": 0.02, "share": 0.01, "below": 0.5}
    },
    "MRR .39: 35 % lose .12, 2.5 % rise to 1": {
        **{"values": easy, "loss": 0.12, "share": 0.025, "below": 0.4, "hit": 0.35}
    },
}


BREAKS = {
    "recall .08: 2 % of all fall to 0": (recalls, 0.02),
    "recall .08: 4 % fall to half": (recalls, 0.04, 0.5),
    "MRR .23: 2 % fall from 1 to 0": (hard, 0.02, 0.0, 0.9),
    "MRR .23: 3 % fall from 1 to 0": (hard, 0.03, 0.0, 0.9),
    "MRR .23: 5 % fall from 1 to 0": (hard, 0.05, 0.0, 0.9),
    "MRR .39: 3 % fall from 1 to 0": (easy, 0.03, 0.0, 0.9),
    "MRR .39: 6 % fall from 1 to a half": (easy, 0.06, 0.5, 0.9),
    "NDCG .5: 3 % of those above .8 fall to 0": (gains_of_two, 0.03, 0.0, 0.8),
    "NDCG .5: 5 % of those above .8 to a fifth": (gains_of_two, 0.05, 0.2, 0.8),
    "NDCG .98: 2 % fall to 0": (ceiling, 0.02),
}


PARTS = ("values", "share", "to", "least")


def equal(rng, noise, share=1.0):
    """Return values of two rankers that differ by noise, in a share of the queries."""
    old = rng.beta(4, 2, size=LARGE)
    other = rng.normal(scale=noise, size=LARGE) * (rng.random(LARGE) < share)
    new = old + other
    return old, np.clip(new - (new - old).mean(), 0, 1)


def hits_row(name, wins, losses, margin):
    measure = partial(of_hits, wins=wins, losses=losses, margin=margin)
    return Row(f"{name}, margin {margin:g}", measure)


def equal_row(text, margin, **options):
    population = partial(equal, **options)
    measure = partial(of_values, population=population, margin=margin)
    return Row(f"as good, NDCG: {text}, margin {margin:g}", measure)


TABLES = {
    "unseen": Table(
        "A candidate passes a gate, in %: by the sign-flip test alone / by the gate",
        COLUMNS,
        [
            hits_row("hits: loses 1 %, gains 0 %", 0, 0.01, 0.01),
            hits_row("hits: loses 2 %, gains 0 %", 0, 0.02, 0.02),
            hits_row("hits: loses 3 %, gains 1 %", 0.01, 0.03, 0.02),
            hits_row("hits: loses 5 %, gains 0 %", 0, 0.05, 0.05),
            hits_row("hits: loses 8 %, gains 6 %", 0.06, 0.08, 0.02),
            *rows_of(
                of_values,
                "population",
                {
                    "MRR: 4 % fall to a quarter": partial(
                        falls, share=0.04, to=0.25, ranks=True
                    ),
                    "NDCG: 3 % fall to 0, noise 0.02": partial(
                        falls, share=0.03, to=0.0, noise=0.02
                    ),
                    "NDCG: 4 % fall to 0, others gain 0.01": partial(
                        falls, share=0.04, to=0.0, noise=0.02, gain=0.01
                    ),
                },
            ),
            *rows_of(
                of_values,
                "population",
                {
                    name: partial(breaks, **dict(zip(PARTS, parts, strict=False)))
                    for name, parts in BREAKS.items()
                },
            ),
            hits_row("as good, hits: 3 % lost and gained", 0.03, 0.03, 0.02),
            equal_row("noise 0.2 in 60 %", 0.03, noise=0.2, share=0.6),
            equal_row("noise 0.02", 0.01, noise=0.02),
            equal_row("noise 0.02", 0.03, noise=0.02),
        ],
    ),
    "worse": Table(
        "A candidate is called worse, in %: by the sign-flip test alone / by the gate",
        COLUMNS,
        rows_of(
            of_values,
            "population",
            {name: partial(rescues, **parts) for name, parts in RESCUES.items()},
            sign=-1,
        ),
    ),
}
