"""The sentence at the end of a comparison."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings
from collections import Counter

import numpy as np
import pytest

from skrank.metrics import QueryScores, mean_rank, score_queries
from skrank.stats import compare_rankers, required_queries
from skrank.stats.results import _with_ends
from tests.stats.pilot import comparison_of, scores_of
from tests.stats.test_segments import with_segments
from tests.studies.random_comparisons import contradictions, draw_comparison

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
# Of 40 queries one is alike.
RANKS = {"last": np.tile([3, 2, 1, 0], 40), "third": np.tile([3, 2, 0, 1], 40)}
Y_TRUE = np.tile([0, 0, 0, 1], 40)
RANKS["third"][:4] = RANKS["last"][:4]
# The children of `test_score_test.py`, whose interval is that of a paper.
BEFORE, AFTER = np.repeat([[0.0, 1, 1, 0], [1, 0, 1, 0]], [1, 7, 10, 3], axis=1)

ONE_LOSS = OLD + np.r_[-0.3, np.full(59, 0.001)] + NOISE / 100
LESS_SURE, HEAVY = OLD + 3 * NOISE + 0.01, np.r_[1000, np.ones(29)]
ONES, CLUSTERS = np.ones(20), {"clusters": np.arange(8) // 2}
REGIONAL = np.where(SEGMENTS == "fr", BETTER, ALIKE)
JUDGE = scores_of(old=np.tile(OLD, 5), new=np.tile(BETTER, 5))

# What is compared, how, and what is said, where {0} is the difference of the first row
# and its ends, {-0} that of its rankers the other way round, {0.low} its low end.
SAID = {
    "new is better than old in value ({0}).": (PAIR, {}),
    "new is worse than old in value ({0}).": ({"old": BETTER, "new": OLD}, {}),
    """No significant difference. old and new have the same values in all 20
    queries.""": ({"old": ONES, "new": ONES}, {}),
    """No significant difference. old is 0 in all 20 queries. new is 0 in all 20
    queries.""": ({"old": 0 * ONES, "new": 0 * ONES}, {}),
    """new is better than old in value ({0}). old is 0 in all 60 queries.""": (
        *({"old": 0 * OLD, "new": BETTER}, {}),
    ),
    "No significant difference. 1 query is too few to detect any difference.": (
        *({"old": [0.3], "new": [0.5]}, {}),
    ),
    "No significant difference. 5 queries are too few to detect any difference.": (
        *({"old": OLD[:5], "new": BETTER[:5] + 0.4}, {}),
    ),
    """No significant difference. 4 clusters of queries are too few to detect any
    difference. old is 0 in all 8 queries.""": (FEW, CLUSTERS),
    """No significant difference. Too few of 60 queries decide, or all differ alike, to
    say which difference can be detected.""": ({"old": OLD, "new": ONE_LOSS}, {}),
    """No significant difference. Too few of 30 queries decide, or all differ alike, to
    say which difference can be detected. The weights make the queries count as
    1.06.""": (
        *({"old": OLD[:30], "new": LESS_SURE[:30], "sample_weight": HEAVY}, {}),
    ),
    """new is better than old in ndcg ({0}); new is worse than old in mrr ({1}); no
    significant difference in map.""": (scores_of(**METRICS), {}),
    """a is best in value. 14 of 15 differences are significant. f and e have the same
    values in all 60 queries.""": (MANY, {}),
    """f is best in value; e may be as good. 14 of 15 differences are significant. f and
    e have the same values in all 60 queries.""": (
        {name: 1 - values for name, values in MANY.items()},
        {},
    ),
    """a, b, c and d are better than f in value; no significant difference in 1 of 5
    comparisons. f and e have the same values in all 60 queries.""": (
        *(MANY, {"baseline": "f"}),
    ),
    """new is better than old in value for segment fr ({0}); no significant difference
    in value for segment us.""": (
        *(with_segments(SEGMENTS, old=OLD, new=REGIONAL), {"by": "segment"}),
    ),
    "new differs from old by less than 0.05 in value ({0}).": (LIKE, {"margin": 0.05}),
    "new may differ from old by 0.05 or more in value ({0}).": (PAIR, {"margin": 0.05}),
    "after is worse than before in value (-0.29, -0.52 to -0.03).": (
        *({"before": BEFORE, "after": AFTER}, {"baseline": "before"}),
    ),
    "third is better than last in mean_rank ({0}).": (
        *(score_queries(Y_TRUE, RANKS, mean_rank, qid=np.arange(160) // 4), {}),
    ),
    "new is better than old  in value ({0}).": (
        *(scores_of(old=OLD, new=BETTER), {"judge": JUDGE}),
    ),
    "new is better than old in value (+100, 94 to 106). old is 0 in all 60 queries.": (
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


def test_the_queries_that_it_takes_are_those_of_required_queries():
    values = {"old": OLD, "new": LESS_SURE, "other": OLD - 2 * NOISE}
    for rankers, effect in (["old", "new"], 0.02), (["old", "new", "other"], 0.05):
        comparison = compare_rankers({name: values[name] for name in rankers})
        row = max(comparison.rows, key=lambda row: row.detectable)
        level = 0.05 / len(comparison.rows)
        differences = values[row.ranker] - values[row.baseline]
        found = required_queries(differences, effect, confidence_level=1 - level)
        n, low, high = (f"{float(f'{x:.1e}'):,.0f}" for x in found.values())
        assert " ".join(str(comparison).split()).endswith(
            "No significant difference. 60 queries can detect a difference of "
            f"{row.detectable:.2g} in value; {effect} takes about {n} ({low} to "
            f"{high})."
        )
        # The same t test: `detectable` takes the queries that there are.
        least = required_queries(
            differences, row.detectable * 1.0001, confidence_level=1 - level
        )
        assert least.n == 60


def drawn_pilot(rng):
    """Return scores of alike rankers, with the kind of their queries, and options."""
    n, n_rankers = int(rng.integers(12, 60)), int(rng.integers(2, 4))
    kind = rng.choice(["plain", "hits", "ids twice", "users", "weights", "segments"])
    values = rng.random((n_rankers, n))
    if kind == "hits":
        values = np.round(values)
    columns = {"qid": np.arange(n)}
    if kind == "ids twice":
        columns |= {"qid": np.arange(n) // 2, "seed": np.arange(n) % 2}
    columns["user"], columns["country"] = np.arange(n) // 2, np.arange(n) % 2
    frame = {name: np.tile(column, n_rankers) for name, column in columns.items()}
    frame["ranker"] = np.repeat([f"r{i}" for i in range(n_rankers)], n)
    frame["ndcg"] = values.ravel()
    if kind == "weights":
        frame["w"] = np.tile(rng.uniform(0.5, 1.5, size=n), n_rankers)
    scores = QueryScores.from_frame(
        frame,
        ranker="ranker",
        by=[name for name in columns if name != "qid"],
        sample_weight="w" if kind == "weights" else None,
    )
    options = {"users": {"clusters": "user"}, "segments": {"by": "country"}}
    return kind, scores, options.get(kind, {})


def test_the_number_of_queries_is_that_of_required_queries_or_not_there():
    said = Counter()
    for seed in range(80):
        rng = np.random.default_rng([2, seed])
        kind, scores, options = drawn_pilot(rng)
        if kind == "plain" and seed % 2:
            kind = "judge"
            judge = {name: rng.random(100) for name in scores.rankers}
            options = {"judge": scores_of(**judge)}
            human = zip(scores.rankers, scores.values[:, 0], strict=True)
            scores = scores_of(**dict(human))
        found = comparison_of(scores, **options)
        sentence = " ".join(str(found).split("\n\n")[-1].split())
        # The comparison that the sentence is about has the largest `detectable`.
        known = [row for row in found.rows if row.detectable < np.inf]
        row = max(known or found.rows, key=lambda row: row.detectable)
        if "by" in options:
            scores = scores.where(country=row.country)
        pilot = scores[[row.baseline, row.ranker, row.metric]]
        numbers = re.search(r"; ([\d.]+) takes about ([\d,]+) \(([\d,]+) to", sentence)
        said[kind, bool(numbers)] += 1
        if numbers is None:
            continue
        effect, n, low = (float(x.replace(",", "")) for x in numbers.groups())
        level = 0.05 / len(found.rows)
        required = required_queries(pilot, effect, confidence_level=1 - level)
        assert [n, low] == [float(f"{x:.1e}") for x in (required.n, required.low)]
    with_numbers = {kind for kind, is_said in said if is_said}
    assert with_numbers == {"plain", "hits", "segments"}
    assert len({kind for kind, _ in said}) == 7


@pytest.mark.slow
def test_the_sentence_the_table_the_letters_and_the_picture_agree():
    for seed in range(30):
        scores, options = draw_comparison(np.random.default_rng([1, seed]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            assert not [*contradictions(scores, options)], seed


def test_the_rows_fit_into_80_columns():
    _, *tables, _ = str(compare_rankers(scores_of(**METRICS))).split("\n\n")
    assert max(len(line) for table in tables for line in table.split("\n")) <= 80


def test_an_end_near_0_has_its_digits():
    assert _with_ends(0.03, 0.0015, 0.06) == "+0.030, 0.002 to 0.060"
    assert _with_ends(-0.03, -0.06, -0.0003) == "-0.0300, -0.0600 to -0.0003"
