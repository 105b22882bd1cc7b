"""Lists of several runs without judgements: what they share, came, went and moved."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers, confidence_interval
from skrank.tables import changed_documents, compare_lists
from tests.brute_force import all_orders

METRICS = ["rbo", "rbo_min", "rbo_max", "rbo(p=0.5)", "overlap@3", "jaccard@3"]


def shared(one, other, depth):
    """Return X_d: how many documents are in the top d of both lists."""
    return len({*one[:depth]} & {*other[:depth]})


def jaccard(one, other, k):
    return shared(one, other, k) / max(len({*one[:k]} | {*other[:k]}), 1)


def rbo(one, other, p=0.9):
    """Return RBO as Webber, Moffat and Zobel (2010) write it in equation 32."""
    s, n = sorted(map(len, (one, other)))
    if not s:
        return 0.0
    x = [shared(one, other, d) for d in range(n + 1)]
    value = sum(x[d] / d * p**d for d in range(1, n + 1))
    value += sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * value + ((x[n] - x[s]) / n + x[s] / s) * p**n


def sum_over_depths(one, other, p, overlap_at):
    """Return (1 - p) sum p^(d - 1) Y_d / d, down to a depth with nothing left."""
    deepest = max(math.ceil(math.log(1e-17) / math.log(p)), len(one) + len(other))
    x = [shared(one, other, d) for d in range(max(map(len, (one, other))) + 1)]
    return math.fsum(
        (1 - p) * p ** (d - 1) * overlap_at(x[min(d, len(x) - 1)], d) / d
        for d in range(1, deepest + 1)
    )


def rbo_min(one, other, p=0.9):
    return sum_over_depths(one, other, p, lambda x, depth: x)


def rbo_max(one, other, p=0.9):
    def most_shared(x, depth):
        more = sum(max(depth - len(documents), 0) for documents in (one, other))
        return min(depth, x + more)

    return sum_over_depths(one, other, p, most_shared)


def draw_runs(seed, n_queries=40):
    """Return two runs with ties, of lists of up to 5 of 8 documents, some empty."""
    rng = np.random.default_rng(seed)
    runs = {"old": {}, "new": {}}
    for run, query in itertools.product(runs.values(), range(n_queries)):
        documents = rng.permutation(8)[: rng.integers(query % 7 > 0, 6)]
        scores = rng.integers(-2, 1 + query % 3, len(documents)) / 2
        names = map("d{}".format, documents)
        run[f"q{query:02}"] = dict(zip(names, scores.tolist(), strict=True))
    return runs


def pairs_of_orders(runs, query):
    """Return all orders of tied documents of both lists, in pairs."""
    lists = [run.get(query, {}) for run in runs.values()]
    orders = [all_orders(list(found), list(found.values())) for found in lists]
    return list(itertools.product(*orders))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_each_metric_is_the_mean_over_all_orders_of_both_lists(seed):
    runs, depths = draw_runs(seed, n_queries=28), (1, 2, 3, 4, 20)
    by_brute_force = {
        "rbo": rbo,
        "rbo_min": rbo_min,
        "rbo_max": rbo_max,
        "rbo(p=0.5)": lambda *pair: rbo(*pair, 0.5),
        "rbo_max(p=0.5)": lambda *pair: rbo_max(*pair, 0.5),
        **{f"overlap@{k}": lambda *pair, k=k: shared(*pair, k) / k for k in depths},
        **{f"jaccard@{k}": lambda *pair, k=k: jaccard(*pair, k) for k in depths},
    }
    frame = compare_lists(runs, [*by_brute_force]).to_frame().set_index("qid")
    assert sum(len(pairs_of_orders(runs, query)) > 1 for query in frame.index) > 15
    for query, row in frame.iterrows():
        pairs = pairs_of_orders(runs, query)
        for name, of_lists in by_brute_force.items():
            expected = statistics.fmean(of_lists(*pair) for pair in pairs)
            assert row[name] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(9, 4), (200, 60), (30_000, 5), (4, 4), (4, 9)])
def test_jaccard_of_two_lists_that_are_all_tied(n, k):
    run = {"q": dict.fromkeys(map(str, range(n)), 1)}
    value = compare_lists({"one": run, "other": run}, f"jaccard@{k}").values.item()
    k = min(k, n)
    ways = [math.comb(k, x) * math.comb(n - k, k - x) for x in range(k + 1)]
    expected = sum(Fraction(x * way, 2 * k - x) for x, way in enumerate(ways))
    assert value == pytest.approx(float(expected / math.comb(n, k)), rel=1e-12)


@pytest.mark.slow
def test_jaccard_of_a_query_does_not_depend_on_other_queries():
    rng = np.random.default_rng(8)
    runs = {
        name: {
            f"q{query}": dict(enumerate(rng.integers(0, 2 + query % 7, 25).tolist()))
            for query in range(60)
        }
        for name in ("old", "new")
    }
    frame = compare_lists(runs, "jaccard@10").to_frame()
    assert len(frame) == 60
    for query, value in zip(frame["qid"], frame["jaccard@10"], strict=True):
        alone = {name: {query: run[query]} for name, run in runs.items()}
        assert compare_lists(alone, "jaccard@10").values.item() == value


# Two lists, with tied documents in parentheses, and RBO with p = 0.9, extrapolated, the
# least and the most, of the program of Corsi and Urbano (github.com/julian-urbano/
# sigir2024-rbo, commit 0338fd9, ties="a"). The first one is also that of the package
# rbo 0.1.3 for lists without ties, and the second one that of ir-measures 0.4.3
# (providers.compat_provider.rbo with depth 1000).
OF_OTHERS = [
    ("a b c d e f g", "b a d z c y", 0.644823, 0.4611461524417979, 0.8008072601785714),
    (
        "a b c", "c x a y z b w v",
        0.6172206267857142, 0.27418136433134854, 0.751653,
    ),
    ("a b c d", "a b c d", 1.0, 0.6063711524417977, 1.0),
    ("q r s", "t u", 0.0, 0.0, 0.737775),
    ("(a b) c d", "b (c a) e", 0.74525, 0.4500283643313484, 0.909275),
    ("(a b c d) e", "e (d x c)", 0.53772, 0.27530336433134844, 0.721428),
]  # fmt: skip


@pytest.mark.parametrize("case", OF_OTHERS)
def test_rbo_is_that_of_other_programs(case):
    one, other, *expected = case
    runs = {"one": {"q": ranked(one)}, "other": {"q": ranked(other)}}
    values = compare_lists(runs, ["rbo", "rbo_min", "rbo_max"]).values[0, :, 0]
    assert values.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def ranked(text):
    """Return the scores of a list such as "a (b c)", in which b and c are tied."""
    groups = re.findall(r"\(([\w ]+)\)|(\w+)", text)
    return {
        document: -place
        for place, group in enumerate(groups)
        for document in "".join(group).split()
    }


@pytest.mark.parametrize("p", [0.5, 1e-6, 0.999])
def test_rbo_of_long_lists_of_different_lengths(p):
    rng = np.random.default_rng(3)
    lists = [rng.permutation(600)[:n].tolist() for n in (400, 30)]
    runs = {"one": {"q": lists[0]}, "other": {"q": lists[1]}}
    names = [f"{name}(p={p})" for name in ("rbo", "rbo_min", "rbo_max")]
    expected = [of_lists(*lists, p) for of_lists in (rbo, rbo_min, rbo_max)]
    values = compare_lists(runs, names).values[0, :, 0].tolist()
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


OLD = {"q1": ["a", "b", "c"], "q2": ["a", "b", "c"]}
NEW = {"q1": ["a", "b", "c"], "q2": ["d", "a", "b"]}
RUNS = {"old": OLD, "new": NEW}


def test_tied_ranks_of_a_single_query_do_not_look_like_scores():
    old, new = {"a": 4, "b": 4, "c": 3, "d": 3, "e": 2, "f": 1}, dict.fromkeys("abc", 1)
    scores = compare_lists({"old": {"q": old}, "new": {"q": new}}, "overlap@3")
    assert scores.values.item() == pytest.approx((2 + 1 / 2) / 3, rel=1e-12)


def test_ids_scores_and_the_order_of_rows_do_not_matter():
    runs, names = draw_runs(5), {"qid": "query", "doc_id": "item", "score": "x"}
    frames = {}
    for name, run in runs.items():
        rows = [
            (int(q[1:]), int(d[1:]), 1e9 * s - 7)
            for q, found in run.items()
            for d, s in found.items()
        ]
        frames[name] = pd.DataFrame(rows[::-1], columns=[*names.values()])
    found = compare_lists(frames, METRICS, **names)
    np.testing.assert_array_equal(found.values, compare_lists(runs, METRICS).values)
    columns = ["change", "before", "after"]
    changed = changed_documents(frames, 3, **names)
    assert changed[columns].equals(changed_documents(runs, 3)[columns])


def test_all_pairs_are_compared_or_all_runs_with_the_baseline():
    runs = {**RUNS, "third": {"q1": ["c"], "q3": ["x"]}}
    scores = compare_lists(runs, ["rbo_max", "overlap@1"])
    assert scores.rankers == ("old -> new", "old -> third", "new -> third")
    # A query that a run lacks has an empty list there; q3 is in no list of the first
    # pair, and left out of its mean.
    np.testing.assert_array_equal(
        scores["overlap@1"].values[:, 0], [[1, 0, np.nan], [0, 0, 0], [0, 0, 0]]
    )
    assert scores.summary()["old -> new"]["overlap@1"] == 1 / 2
    assert np.isnan(scores["rbo_max"].values[0, 0, 2])
    scores = compare_lists(runs, "overlap@1", baseline="new")
    assert scores.rankers == ("new -> old", "new -> third")
    found = changed_documents(runs, baseline="new")
    assert set(found.ranker) == {"new -> old", "new -> third"}


def test_values_are_scores_of_queries_with_intervals_and_comparisons():
    runs = draw_runs(6)
    runs["newest"] = draw_runs(7)["new"]
    scores = compare_lists(runs, ["rbo", "overlap@3"], baseline="old")
    assert type(scores) is QueryScores
    assert list(scores.summary()) == ["old -> new", "old -> newest"]
    for pair, of_pair in scores.summary().items():
        interval = confidence_interval(scores)[pair]["rbo"]
        assert interval.low < of_pair["rbo"] == interval.estimate < interval.high
    (row,) = compare_rankers(scores["rbo"]).rows
    assert row.ranker == "old -> newest"


def test_documents_come_go_and_move():
    runs = {
        "old": {"q1": ["a", "b", "c"], "q2": ["a", "b", "c", "d"]},
        "new": {"q1": ["a", "c", "b"], "q2": ["d", "x", "a", "b"]},
    }
    columns = ["qid", "doc_id", "change", "before", "after"]
    found = changed_documents(runs, 2)
    assert found.ranker.eq("old -> new").all()
    none = np.nan
    # The changes of 1 / rank are 3/4, 2/3, 1/2, 1/4, and twice 1/2 - 1/3.
    expected = [
        ("q2", "d", "came", 4, 1),
        ("q2", "a", "went", 1, 3),
        ("q2", "x", "came", none, 2),
        ("q2", "b", "went", 2, 4),
        ("q1", "b", "went", 2, 3),
        ("q1", "c", "came", 3, 2),
    ]
    pd.testing.assert_frame_equal(
        found[columns], pd.DataFrame(expected, columns=columns), check_dtype=False
    )
    whole = changed_documents(runs, None)
    assert [*whole[whole.change == "moved"].doc_id] == ["d", "a", "b", "b", "c"]
    assert [*whole[whole.change == "went"].doc_id] == ["c"]


def test_tied_documents_share_their_mean_rank():
    runs = {"old": {"q": {"a": 1, "b": 1, "c": 0}}, "new": {"q": ["b", "c", "a"]}}
    found = changed_documents(runs, 2).set_index("doc_id")
    assert found.before.to_dict() == {"a": 1.5, "b": 1.5, "c": 3}
    assert found.change.to_dict() == {"a": "went", "b": "moved", "c": "came"}


@pytest.mark.slow
def test_a_frame_is_that_of_the_library_of_the_runs():
    polars = pytest.importorskip("polars")
    run = polars.DataFrame({"qid": [1, 1], "doc_id": [4, 5], "score": [2.0, 1.0]})
    runs = {"old": run, "new": run.with_columns(score=-polars.col("score"))}
    found = changed_documents(runs)
    assert isinstance(found, polars.DataFrame)
    assert found["after"].to_list() == [2.0, 1.0]
    assert isinstance(compare_lists(runs, "rbo").to_frame(), polars.DataFrame)


@pytest.mark.parametrize(
    ("runs", "options", "error", "text"),
    [
        (OLD, {}, TypeError, "dict of names to runs"),
        ({"old": OLD}, {}, ValueError, "runs with queries in common"),
        ({"old": OLD, "new": {"x": ["a"]}}, {}, ValueError, r"Got .*\['q1', 'x'\]"),
        (RUNS, {"baseline": "first"}, ValueError, "'baseline' .*'old'.*Got 'first'"),
        (RUNS, {"qid": 3}, ValueError, "'qid' parameter of compare_lists"),
        (RUNS, {"metrics": "ndcg@10"}, ValueError, "'overlap@k'.*Got 'ndcg@10'"),
        (RUNS, {"metrics": "overlap"}, ValueError, "'overlap@k'.*Got 'overlap'"),
        (RUNS, {"metrics": "rbo@10"}, ValueError, "'overlap@k'.*Got 'rbo@10'"),
        (RUNS, {"metrics": rbo}, ValueError, "'overlap@k'.*Got <function"),
        (RUNS, {"metrics": "rbo(p=1)"}, ValueError, "'p' parameter of rbo"),
        (RUNS, {"metrics": "rbo_min(p=0)"}, ValueError, "'p' parameter of rbo"),
        (RUNS, {"metrics": "rbo(ties='first')"}, TypeError, "takes: .*'ties'"),
        (RUNS, {"metrics": []}, ValueError, "at least one metric"),
        ({1: OLD, 2: {}}, {}, ValueError, "needs runs with queries in common"),
        ({**RUNS, "x": {"q1": {"a": math.nan}}}, {}, ValueError, "must be numbers"),
        ({**RUNS, "x": {"q1": ["a", "a"]}}, {}, ValueError, "more than once"),
        ({**RUNS, "x": {1: ["a"]}}, {}, TypeError, "of one type"),
    ],
)
def test_bad_input_is_refused(runs, options, error, text):
    with pytest.raises(error, match=text):
        compare_lists(runs, **{"metrics": "rbo", **options})


def test_a_run_that_returned_nothing_has_an_empty_list_for_each_query():
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 2.0}}, "z": {}}
    found = compare_lists(runs, "overlap@1").summary()
    assert found == {
        "x -> y": {"overlap@1": 1.0},
        "x -> z": {"overlap@1": 0.0},
        "y -> z": {"overlap@1": 0.0},
    }
    changed = changed_documents(runs, baseline="x")
    assert changed["ranker"].tolist() == ["x -> z"]
    assert changed["change"].tolist() == ["went"]


def test_bad_cutoffs_of_changed_documents_are_refused():
    with pytest.raises(ValueError, match="'k' parameter of changed_documents must"):
        changed_documents(RUNS, 0)
    with pytest.raises(ValueError, match="changed_documents needs runs with queries"):
        changed_documents({"old": OLD, "new": {"x": ["a"]}})
