"""The sentence at the end of a comparison."""

# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
import pytest

from skrank.metrics import mean_rank, score_queries
from skrank.stats import compare_rankers
from skrank.stats.results import _with_ends
from tests.stats.pilot import scores_of
from tests.stats.test_segments import with_segments

pytestmark = pytest.mark.filterwarnings("ignore:No sign-flip test of")

NOISE = np.random.default_rng(0).uniform(-0.1, 0.1, size=60)
NOISE -= NOISE.mean()
OLD = np.random.default_rng(1).uniform(0.3, 0.5, size=60)
BETTER, ALIKE = OLD + 0.1 + NOISE, OLD + NOISE + 1e-9
PAIR, LIKE = {"old": OLD, "new": BETTER}, {"old": OLD, "new": ALIKE}
FEW = {"old": np.zeros(8), "new": np.ones(8)}
METRICS = {
    "old": {"ndcg": OLD, "mrr": OLD, "map": OLD},
    "new": {"ndcg": BETTER, "mrr": ALIKE - 0.2, "map": ALIKE},
}
MANY = {name: OLD + (0.1 + NOISE) * i for i, name in enumerate("fedcba")}
MANY["e"] = MANY["f"]
SEGMENTS = np.repeat(["fr", "us"], 30)
MORE, LESS = {"margin": 0.05, "alternative": "greater"}, {"alternative": "less"}
# Of 40 queries one is alike.
RANKS = {"last": np.tile([3, 2, 1, 0], 40), "third": np.tile([3, 2, 0, 1], 40)}
Y_TRUE = np.tile([0, 0, 0, 1], 40)
RANKS["third"][:4] = RANKS["last"][:4]
# The children of `test_score_test.py`, whose interval is that of a paper.
BEFORE, AFTER = np.repeat([[0.0, 1, 1, 0], [1, 0, 1, 0]], [1, 7, 10, 3], axis=1)

ONES, CLUSTERS = np.ones(20), {"clusters": np.arange(8) // 2}
REGIONAL = np.where(SEGMENTS == "fr", BETTER, ALIKE)
JUDGE = scores_of(old=np.tile(OLD, 5), new=np.tile(BETTER, 5))

# What is compared, how, and what is said, where {0} is the difference of the first row
# and its ends, {-0} that of its rankers the other way round, {0.low} its low end.
SAID = {
    "new is better than old in value ({0}).": (PAIR, {}),
    "old is better than new in value ({-0}).": ({"old": BETTER, "new": OLD}, {}),
    # Ends of z^2 / (20 + z^2) = 0.16 for z = 1.96 are 1.96 errors of 0.082; 80 % of the
    # samples find 2.96 of these. They fall as 1 / n: 20 (0.2428 / 0.1) queries for 0.1.
    """No difference was found: with 20 queries one of 0.24 in value would be; a
    difference of 0.1 needs about 49.""": ({"old": ONES, "new": ONES}, {}),
    """No difference was found: 1 query is too few for any.""": (
        {"old": [0.3], "new": [0.5]},
        {},
    ),
    """No difference was found: 4 clusters of queries are too few for any.""": (
        *(FEW, CLUSTERS),
    ),
    # One query says nothing. Of 19, at half the level, 3.32 errors of z / (19 + z^2)
    # with z = 2.24 are 0.31; 19 (0.3096 / 0.1).
    """No difference was found: with 19 queries one of 0.31 in value for segment True
    would be; a difference of 0.1 needs about 59.""": (
        *(with_segments(np.arange(20) > 0, old=ONES, new=ONES), {"by": "segment"}),
    ),
    """new is better than old in ndcg ({0}); old is better than new in mrr ({-1}); no
    difference was found in map.""": (scores_of(**METRICS), {}),
    """a is better than b, c, d and 2 more in value; b is better than c, d, f and e in
    value; c is better than d, f and e in value; and 2 more pairs; no difference was
    found in 1 of 15 comparisons.""": (MANY, {}),
    """a, b, c and d are better than f in value; no difference was found in 1 of 5
    comparisons.""": (MANY, {"baseline": "f"}),
    """new is better than old in value for segment fr ({0}); no difference was found in
    value for segment us.""": (
        *(with_segments(SEGMENTS, old=OLD, new=REGIONAL), {"by": "segment"}),
    ),
    "new differs from old by less than 0.05 in value ({0}).": (LIKE, {"margin": 0.05}),
    "new may differ from old by 0.05 or more in value ({0}).": (PAIR, {"margin": 0.05}),
    """new is not worse than old by 0.05 or more in value (+0.000, at least
    {0.low}).""": (LIKE, MORE),
    """new may be worse than old by 0.05 or more in value (-0.100, at least
    {0.low}).""": ({"old": BETTER, "new": OLD}, MORE),
    """It was not shown that new is worse than old in value (+0.100, at most
    {0.high}).""": (PAIR, LESS),
    """new is better than old in value (+0.100, at least {0.low}); this was not shown
    in 1 of 2 comparisons.""": (
        *(PAIR | {"copy": ALIKE}, {"baseline": "old", "alternative": "greater"}),
    ),
    "after is worse than before in value (-0.29, -0.52 to -0.03).": (
        *({"before": BEFORE, "after": AFTER}, {"baseline": "before"}),
    ),
    "third is better than last in mean_rank ({0}).": (
        *(score_queries(Y_TRUE, RANKS, mean_rank, qid=np.arange(160) // 4), {}),
    ),
    "new is better than old  in value ({0}).": (
        *(scores_of(old=OLD, new=BETTER), {"judge": JUDGE}),
    ),
    "new is better than old in value (+100, 94 to 106).": (
        *({"old": 0 * NOISE, "new": 100 + 400 * NOISE}, {"test": "t"}),
    ),
}


@pytest.mark.parametrize("expected", SAID)
def test_a_comparison_ends_with_what_was_found(expected):
    values, options = SAID[expected]
    comparison = compare_rankers(values, **options)

    def numbers(found):
        sign, place, end = found.groups()
        row = comparison.rows[int(place)]
        if end:
            return f"{row[end]:.3f}"
        sign = -1 if sign else 1
        low, d, high = sorted(sign * row[x] for x in ("low", "difference", "high"))
        digits = 3 if high - low < 0.05 else 2
        return f"{d:+.{digits}f}, {low:.{digits}f} to {high:.{digits}f}"

    *_, last = str(comparison).split("\n\n")
    assert max(map(len, last.split("\n"))) <= 88
    expected = re.sub(r"\{(-?)(\d)\.?(\w*)\}", numbers, expected)
    assert last.split() == expected.split()


def test_the_rows_fit_into_80_columns():
    _, *tables, _ = str(compare_rankers(scores_of(**METRICS))).split("\n\n")
    assert max(len(line) for table in tables for line in table.split("\n")) <= 80


def test_an_end_near_0_has_its_digits():
    assert _with_ends(0.03, 0.0015, 0.06) == "+0.030, 0.002 to 0.060"
    assert _with_ends(-0.03, -0.06, -0.0003) == "-0.0300, -0.0600 to -0.0003"
