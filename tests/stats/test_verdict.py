"""The sentence at the end of a comparison."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank.metrics import mean_rank, score_queries
from skrank.stats import compare_rankers
from tests.stats.pilot import scores_of
from tests.stats.test_segments import with_segments

pytestmark = pytest.mark.filterwarnings("ignore:No sign-flip test of")

NOISE = np.random.default_rng(0).uniform(-0.1, 0.1, size=60)
NOISE -= NOISE.mean()
BASE = np.random.default_rng(1).uniform(0.3, 0.5, size=60)


def said(values, **options):
    """Return what is said of a comparison, and its rows."""
    comparison = compare_rankers(values, **options)
    *_, last = str(comparison).split("\n\n")
    return " ".join(last.split()), comparison.rows


def ends(row, digits=2):
    return f"{row.low:.{digits}f} to {row.high:.{digits}f}"


def test_what_is_clear_is_said_first_of_the_better_ranker():
    for names in (["bm25", "dense"], ["dense", "bm25"]):
        values = {"bm25": {"mrr": BASE}, "dense": {"mrr": BASE + 0.1 + NOISE}}
        text, (row,) = said(scores_of(**{name: values[name] for name in names}))
        low, high = sorted([abs(row.low), abs(row.high)])
        about = f"+0.100, {low:.3f} to {high:.3f}"
        assert text == f"dense is better than bm25 in mrr ({about})."


def test_where_nothing_was_found_it_says_what_would_be():
    # The ends are z^2 / (20 + z^2) = 0.16 for z = 1.96, or 1.96 errors of 0.082; 80 %
    # of the samples find 2.95 of these. A difference of 0.1 takes 20 (0.2425 / 0.1)^2.
    text, _ = said({"old": np.ones(20), "new": np.ones(20)})
    assert text == (
        "No difference was found: with 20 queries one of 0.24 in value would be, and "
        "one of 0.1 needs about 120."
    )
    text, _ = said({"old": [0.3, 1], "new": [0.3, 0.5]})
    assert text == "No difference was found: 2 queries are too few for any."
    text, _ = said({"old": [0.3], "new": [0.5]})
    assert text == "No difference was found: 1 query is too few for any."
    text, _ = said({"old": np.zeros(8), "new": np.ones(8)}, clusters=np.arange(8) // 2)
    units = "4 clusters of queries"
    assert text == f"No difference was found: {units} are too few for any."


def test_of_one_pair_the_metrics_are_named():
    old = {"ndcg": BASE, "mrr": BASE, "map": BASE}
    new = {"ndcg": BASE + 0.1 + NOISE, "mrr": BASE - 0.2 + NOISE, "map": BASE + NOISE}
    text, (ndcg, mrr, _) = said(scores_of(old=old, new=new))
    assert text == (
        f"new is better than old in ndcg (+0.100, {ends(ndcg, 3)}); old is better than "
        f"new in mrr (+0.200, {-mrr.high:.3f} to {-mrr.low:.3f}); no difference was "
        "found in map."
    )
    text, _ = said(scores_of(old=old, new=new), baseline="old")
    assert f"; new is worse than old in mrr (-0.200, {ends(mrr, 3)}); no" in text


def test_many_pairs_are_grouped_without_numbers():
    values = {name: BASE + 0.1 * i + NOISE * i for i, name in enumerate("fedcba")}
    values["e"] = values["f"]  # alike: in the order of the scores
    text, rows = said(values)
    assert sum(row.p_adjusted > 0.05 for row in rows) == 1
    assert text == (
        "a is better than b, c, d and 2 more in value; b is better than c, d, f and e "
        "in value; c is better than d, f and e in value; and 2 more pairs; no "
        "difference was found in 1 of 15 comparisons."
    )
    text, _ = said(values, baseline="f")
    assert text == (
        "a, b, c and d are better than f in value; no difference was found in 1 of 5 "
        "comparisons."
    )


def test_segments_are_named():
    segments = np.repeat(["fr", "us"], 30)
    dense = BASE + NOISE + np.where(segments == "fr", 0.1, 0)
    scores = with_segments(segments, bm25=BASE, dense=dense)
    text, (row, _) = said(scores, by="segment")
    assert text == (
        f"dense is better than bm25 in value for segment fr ({row.difference:+.2f}, "
        f"{ends(row)}); no difference was found in value for segment us."
    )


@pytest.mark.parametrize(
    ("options", "shift", "expected"),
    [
        ({"margin": 0.05}, 0.0, "new differs from old by less than 0.05 in value ({})"),
        (
            {"margin": 0.05},
            0.1,
            "new may differ from old by 0.05 or more in value ({})",
        ),
        (
            {"margin": 0.05, "alternative": "greater"},
            0.0,
            "new is not worse than old by 0.05 or more in value (+0.000, at least {})",
        ),
        (
            {"margin": 0.05, "alternative": "less"},
            0.0,
            "new is not better than old by 0.05 or more in value (+0.000, at most {})",
        ),
        (
            {"margin": 0.05, "alternative": "less"},
            0.1,
            "new may be better than old by 0.05 or more in value (+0.100, at most {})",
        ),
        (
            {"alternative": "greater"},
            0.1,
            "new is better than old in value (+0.100, at least {})",
        ),
        (
            {"alternative": "less"},
            0.1,
            "It was not shown that new is worse than old in value (+0.100, at most {})",
        ),
    ],
    ids=str,
)
def test_a_claim_of_a_margin_or_one_side_is_said_as_it_was_asked(
    options, shift, expected
):
    text, (row,) = said({"old": BASE, "new": BASE + NOISE + shift}, **options)
    number = {
        "greater": f"{row.low:.3f}",
        "less": f"{row.high:.3f}",
        "two-sided": f"{row.difference + 1e-9:+.3f}, {ends(row, 3)}",
    }[options.get("alternative", "two-sided")]
    assert text == f"{expected.format(number)}."


def test_several_one_sided_claims_say_how_many_were_not_shown():
    values = {"old": BASE, "new": BASE + 0.1 + NOISE, "copy": BASE + NOISE}
    text, _ = said(values, baseline="old", alternative="greater")
    assert text.startswith("new is better than old in value (+0.100, at least 0.0")
    assert text.endswith("); this was not shown in 1 of 2 comparisons.")


# The children of tests/stats/test_score_test.py, whose interval is that of a paper.
def test_hits_of_a_paper():
    old, new = (
        np.repeat([0.0, 1, 1, 0], [1, 7, 10, 3]),
        np.repeat([1.0, 0, 1, 0], [1, 7, 10, 3]),
    )
    text, _ = said({"before": old, "after": new}, baseline="before")
    assert text == "after is worse than before in value (-0.29, -0.52 to -0.03)."


def test_smaller_ranks_are_better():
    qid, y_true = np.repeat(np.arange(40), 4), np.tile([0, 0, 0, 1], 40)
    runs = {"last": np.tile([3, 2, 1, 0], 40), "third": np.tile([3, 2, 0, 1], 40)}
    runs["third"][:4] = runs["last"][:4]
    scores = score_queries(y_true, runs, mean_rank, qid=qid)
    text, (row,) = said(scores)
    assert text == (
        f"third is better than last in mean_rank ({row.difference:+.2f}, {ends(row)})."
    )


def test_a_judge_is_part_of_the_comparison():
    rng = np.random.default_rng(0)
    truth = {"old": rng.random(300)}
    truth["new"] = truth["old"] + 0.2 + 0.1 * rng.normal(size=300)
    people = scores_of(**{name: x[:50] for name, x in truth.items()})
    text, (row,) = said(people, judge=scores_of(**truth))
    about = f"{row.difference:+.2f}, {ends(row)}"
    assert text == f"new is better than old in value ({about})."


def test_the_numbers_have_the_digits_that_are_known():
    for size, about in [(1, "(+100, 94 to 106)"), (0.01, "(+1.00, 0.94 to 1.06)")]:
        values = {"old": 0 * NOISE, "new": size * (100 + 400 * NOISE)}
        text, _ = said(values, test="t")
        assert text == f"new is better than old in value {about}."


def test_the_rows_fit_into_80_columns():
    values = {"bm25": {"ndcg@10": BASE, "mrr": BASE}}
    values["dense"] = {"ndcg@10": BASE + 0.1 + NOISE, "mrr": BASE + NOISE}
    text = str(compare_rankers(scores_of(**values)))
    _, *tables, last = text.split("\n\n")
    lines = [line for table in tables for line in table.split("\n")]
    assert max(map(len, lines)) <= 80
    assert max(map(len, last.split("\n"))) <= 88
