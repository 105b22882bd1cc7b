"""The rules of other libraries, held by what these libraries say.

Their numbers are in `peers.json`; what they are compared with, and which are left out
for which reason, is in `oracle.py`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import math
import re

import numpy as np
import pytest

from skrank._engine.conventions import FROM_ONE, rules_of
from skrank._engine.request import METRICS
from skrank.metrics import CONVENTIONS, evaluate, make_ranking_scorer
from tests.other_libraries import oracle, peers

EVALUATE_ONLY = {"doc_order", "score_dtype", "judged_from"}


cell = oracle.cell
QUERIES, VALUES, VERSIONS = oracle.QUERIES, oracle.VALUES, oracle.VERSIONS
CELLS = [(library, name) for library, names in VALUES.items() for name in names]

# These have no number under a convention; all others have.
REFUSED = {
    ("catboost", "err"),
    *(("elliot", f"map@{k}") for k in peers.KS),
    *(("haystack", f"ndcg@{k}") for k in peers.KS),
    *(("llama_index", f"ndcg@{k}") for k in peers.KS),
    ("recommenders", "r_precision"),
    *(("rectools", f"ndcg@{k}") for k in peers.KS),
    *(("recpack", f"hits@{k}") for k in peers.KS),
    ("sklearn", "map"),
    *(("torchmetrics", f"map@{k}") for k in peers.KS),
}


# What they compute takes more than a query: test_exposure.py compares their numbers.
ELSEWHERE = {"pyxclib", "trec_fair"}


def test_every_convention_has_numbers_of_its_library():
    compared = {name for name, one in CONVENTIONS.items() if "*" not in one.refused}
    assert compared - ELSEWHERE == set(VALUES) == set(VERSIONS) == set(peers.LIBRARIES)
    for names in VALUES.values():
        for numbers in names.values():
            assert len(numbers) == len(QUERIES)


@pytest.mark.slow
@pytest.mark.parametrize("library", VALUES)
def test_the_convention_gives_the_numbers_of_the_library(library):
    tolerance = oracle.TOLERANCE.get(library, 1e-9)
    for name in VALUES[library]:
        found = cell(library, name)
        for title, pair in found.numbers.items():
            assert oracle.same(*pair, tolerance), (name, title, pair)
        assert (not found.numbers) is ((library, name) in REFUSED), name


@pytest.mark.parametrize(("library", "name"), sorted(REFUSED))
def test_a_metric_that_a_convention_has_not_is_refused(library, name):
    query = QUERIES["graded"]
    with pytest.raises(ValueError, match=f"{library!r} does not support"):
        evaluate(*query[:2], name, convention=library, doc_id=query.names)


def of_catboost(query, ask, k):
    """Return the ERR whose probability to stop is the grade, tied documents last."""
    ranked = sorted(zip(query.scores, query.binary, strict=True), key=by_worst)
    grades = np.array([grade for _, grade in ranked])
    reached = np.cumprod([1, *(1 - grades)])[:-1]
    return sum(reached * grades / np.arange(1, len(grades) + 1))


def by_worst(pair):
    score, grade = pair
    return -score, grade


def over_retrieved(query, ask, k):
    """Return the average precision divided by the relevant documents of the top k."""
    hits = ranked_binary(query)[:k]
    places = np.flatnonzero(hits) + 1
    return float(np.mean(np.arange(1, len(places) + 1) / places)) if len(places) else 0


def ranked_binary(query):
    order = np.argsort(-np.array(query.scores, dtype=float), kind="stable")
    return np.array(query.binary)[order]


def of_the_first(gain):
    """Return the NDCG of the first k documents, whose ideal list is not cut."""

    def value(query, ask, k):
        ids, true = query.ranked
        if not true:
            return math.nan if gain is np.ones_like else 0.0
        return ask("ndcg", returned=np.isin(query.ids, ids[:k]), gain=gain)

    return value


def of_users_with_hits(query, ask, k):
    """Return the R-precision of the first ten, undefined without a relevant item."""
    hits, n_relevant = ranked_binary(query)[:10], sum(query.binary)
    if not hits.any():
        return 0.0  # of no user at all
    return sum(hits[:n_relevant]) / n_relevant or math.nan


# What the reasons of refused metrics say that the libraries compute, of a query and a
# cutoff.
INSTEAD = {
    ("catboost", "err"): of_catboost,
    ("elliot", "map"): lambda query, ask, k: ask(f"mean_precision@{k}"),
    ("haystack", "ndcg"): of_the_first("linear"),
    ("llama_index", "ndcg"): of_the_first(np.ones_like),
    ("recommenders", "r_precision"): of_users_with_hits,
    ("recpack", "hits"): lambda query, ask, k: k * ask(f"precision@{k}"),
    ("rectools", "ndcg"): lambda query, ask, k: (
        ask(f"dcg@{k}", gain=np.ones_like)
        / sum(1 / math.log2(i + 1) for i in range(1, k + 1))
    ),
    ("sklearn", "map"): lambda query, ask, k: ask(
        "lrap", tied_together=True, ties="expected"
    ),
    ("torchmetrics", "map"): over_retrieved,
}


@pytest.mark.parametrize(("library", "name"), sorted(REFUSED))
def test_the_reasons_of_refused_metrics_are_right(library, name):
    base, k = oracle.split(name)
    n_compared = 0
    for query, theirs in zip(QUERIES.values(), VALUES[library][name], strict=True):
        is_short = library == "elliot" and len(query.ids) < k
        if theirs is None or is_short or oracle.exception(library, base, query):
            continue

        def ask(name, query=query, **params):
            return evaluate(*query[:2], name, **{"ties": "first"} | params)[name]

        found = INSTEAD[library, base](query, ask, k)
        assert oracle.same(float(theirs), found, oracle.TOLERANCE.get(library, 1e-9))
        n_compared += 1
    assert n_compared > 5


def test_the_reasons_of_refused_metrics_name_the_version_that_was_asked():
    for library, convention in CONVENTIONS.items():
        assert convention.refused or library not in {one for one, _ in REFUSED}
        for reason in convention.refused.values():
            (version,) = re.findall(r"\b[A-Za-z-]+ (\d+(?:\.\d+)?)\b", reason)[:1]
            recorded = VERSIONS.get(library, "ampligraph 2.1.0").rpartition(" ")[2]
            assert recorded.startswith(f"{version}."), library


@pytest.mark.slow
def test_every_reason_to_leave_numbers_out_is_needed():
    differing = {
        (library, reason)
        for library, name in set(CELLS) - REFUSED
        for theirs, ours, reason in cell(library, name).left_out.values()
        if not oracle.same(theirs, ours, 1e-6)
    }
    assert differing == {(row.library, row.reason) for row in oracle.EXCEPTIONS}


@pytest.mark.slow
def test_most_numbers_are_compared():
    compared = sum(len(cell(*key).numbers) for key in CELLS)
    left_out = sum(len(cell(*key).left_out) for key in set(CELLS) - REFUSED)
    assert compared > 3900
    assert left_out < 0.1 * compared


def test_documents_with_scores_below_zero_count():
    # torchmetrics 1.9.0 says 0 of both, and 0.693426 of NDCG.
    y_true, y_score = [0, 1, 1, 0], [-1, -2, -3, -4]
    names = ["map", "mrr", "ndcg"]
    got = evaluate(y_true, y_score, names, convention="torchmetrics")
    assert got["map"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert got["mrr"] == 1 / 2
    assert got["ndcg"] == pytest.approx(0.693426, abs=1e-6)


def test_the_ideal_ranking_of_a_graded_list_has_its_own_length():
    # recpack 0.3.6 takes the sum of the grades for the number of relevant documents
    # and says 0.7808.
    got = evaluate(
        [3, 0, 1], [3, 2, 1], "ndcg@3", convention="recpack", doc_id=[2, 1, 0]
    )
    assert got["ndcg@3"] == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_bpref_with_relevant_documents_only_is_the_fraction_that_was_found():
    # ranx 0.3.21 says NaN.
    got = evaluate([1, 1, 1], [3, 2, 1], "bpref", convention="ranx")
    assert got == {"bpref": 1.0}


def test_rank_biased_precision_of_grades_stays_within_one():
    # ranx 0.3.21 says 5 * (1 - 0.8**10) of ten documents of grade 5.
    got = evaluate([5] * 10, range(10), "rbp", convention="ranx", p=0.8)
    assert got["rbp"] == pytest.approx(1 - 0.8**10)


@pytest.mark.slow
@pytest.mark.parametrize("library", CONVENTIONS)
def test_a_convention_is_data_in_parameters_of_the_metrics(library):
    refused = CONVENTIONS[library].refused
    for key, rules in CONVENTIONS[library].rules.items():
        name, _, k = key.partition("@")
        assert k in ("", "k", "1")
        if key == "*":
            assert set(rules) <= EVALUATE_ONLY | {
                "ties",
                "threshold",
                "replace_undefined_by",
                "exclude_same_id",  # of score_runs
            }
        else:
            own = inspect.signature(METRICS[name].function).parameters
            assert set(rules) <= EVALUATE_ONLY | set(own)
    # What is not a reason has to be a value: that of the rules as parameters.
    y_true, y_score, ids = QUERIES["graded, tied"]
    asked = {}
    for name, row in METRICS.items():
        full_name = row.full_name + ("@3" if row.cutoff == "required" else "")
        if {name, "*"} & set(refused) or name == "judged" or row.columns:
            continue
        k = 3 if row.cutoff == "required" else None
        rules = {**rules_of(library, name, k)}
        rules.pop("exclude_same_id", None)
        if "doc_order" in rules:
            rules["doc_id"] = ids
        cut = f"@{rules.pop('k')}" if "k" in rules else ""
        _, cuts = asked.setdefault(repr(rules), (rules, {}))
        cuts[full_name] = full_name + cut
    expected = {}
    for rules, cuts in asked.values():
        values = evaluate(y_true, y_score, [*cuts.values()], **rules)
        expected |= {name: values[cut] for name, cut in cuts.items()}
    if not (names := [*expected]):
        assert "*" in refused
        return
    found = evaluate(y_true, y_score, names, convention=library, doc_id=ids)
    plain = evaluate(y_true, y_score, names)
    assert found == expected
    assert "*" in refused or found != plain


def test_what_is_given_wins_over_the_name_and_the_name_over_the_convention():
    y_true, y_score = [0] * 40 + [1], range(41, 0, -1)
    params = {"convention": "xgboost"}
    assert evaluate(y_true, y_score, "ndcg", **params) == {"ndcg": 0.0}
    at_41 = pytest.approx(1 / math.log2(42))
    assert evaluate(y_true, y_score, "ndcg@50", **params) == {"ndcg@50": at_41}
    assert evaluate([0, 0], [2, 1], "ndcg", **params) == {"ndcg": 1.0}
    params["replace_undefined_by"] = 0.5
    assert evaluate([0, 0], [2, 1], "ndcg", **params) == {"ndcg": 0.5}
    assert evaluate([0, 1], [1, 1], "mrr", convention="ranx", ties="optimistic") == {
        "mrr": 1.0
    }


def test_the_default_cutoffs_of_libraries_are_rules():
    y_true, y_score = [0, 1, 1], [3, 2, 1]
    got = evaluate(y_true, y_score, ["ndcg", "ndcg@3"], convention="matchzoo")
    assert got["ndcg"] == 0
    assert got["ndcg@3"] > 0
    late = [0] * 10 + [1]
    scores = list(range(11, 0, -1))
    ids = list(range(11))
    got = evaluate(late, scores, ["mrr", "mrr@20"], convention="msmarco", doc_id=ids)
    assert got == {"mrr": 0.0, "mrr@20": 1 / 11}


def test_scores_that_are_equal_in_single_precision_are_tied_by_some():
    y_true, y_score = [0, 1], [1.0, 1.0 + 1e-9]
    for library in ("xgboost", "rax", "torchmetrics"):
        assert evaluate(y_true, y_score, "mrr", convention=library) == {"mrr": 0.5}
    assert evaluate(y_true, y_score, "mrr", convention="lightgbm") == {"mrr": 1.0}
    assert evaluate(y_true, y_score, "mrr", score_dtype="float32") == {"mrr": 0.75}
    assert evaluate(y_true, [1e300, 1e301], "mrr", score_dtype="float32") == {
        "mrr": 0.75
    }


@pytest.mark.parametrize(
    ("library", "grade"), [("trec_eval", 1), ("ranx", 1), ("rax", 1), ("lightgbm", 0.6)]
)
def test_relevance_begins_at_the_grade_of_the_library(library, grade):
    params = {"convention": library, "doc_id": ["a", "b"]}
    assert evaluate([0, grade], [2, 1], "map", **params) == {"map": 0.5}
    low = evaluate([0.4, grade], [2, 1], "map", **params)
    assert low == {"map": 0.5}


def test_ids_order_tied_documents():
    y_true, y_score = [1, 0, 0], [1, 1, 1]

    def rank(ids, library):
        got = evaluate(y_true, y_score, "mrr", convention=library, doc_id=ids)
        return round(1 / got["mrr"])

    assert rank(["b", "a", "c"], "trec_eval") == 2
    assert rank(["b", "a", "c"], "msmarco") == 2
    assert rank(["9", "89", "100"], "trec_eval") == 1  # as text
    assert rank([9, 89, 100], "trec_eval") == 3
    assert rank([9, 89, 100], "msmarco") == 1


def test_the_documents_are_ranked_once_for_each_way_to_rank_them(monkeypatch):
    from skrank._engine import answer

    calls = []

    def counted(*args, **params):
        calls.append((params["threshold"], params["ties"], params["doc_order"]))
        return rank_queries(*args, **params)

    rank_queries = answer.rank_queries
    monkeypatch.setattr(answer, "rank_queries", counted)
    names = ["mrr", "ndcg@10", "map", "map@5", "hits@1", "neg_mean_rank"]
    evaluate([1, 0, 2], [3, 2, 1], names, convention="trec_eval", doc_id=[1, 2, 3])
    assert calls == [(FROM_ONE, "first", "descending")]
    calls.clear()
    evaluate([1, 0, 2], [3, 2, 1], names, convention="lightgbm")
    assert sorted(calls) == [(0.0, "first", None), (0.5, "first", None)]


@pytest.mark.parametrize(
    ("metrics", "params", "match"),
    [
        ("mrr", {"convention": "lightgmb"}, "Did you mean 'lightgbm'"),
        ("mrr", {"convention": "lgb"}, "Got 'lgb' instead. Did you mean 'lightgbm'. T"),
        ("mrr", {"convention": "xgb"}, "Did you mean 'xgboost'"),
        ("mrr", {"convention": "LightGBM"}, "Did you mean 'lightgbm'"),
        ("mrr", {"convention": "trec-eval"}, r"'trec-eval' .* mean 'trec_eval'\?"),
        ("mrr", {"convention": ["sklearn"]}, r"Got \['sklearn'\] instead\."),
        ("mrr", {"convention": 3}, "'convention' parameter of evaluate.*Got 3"),
        ("mrr", {"convention": "trec_eval"}, "'trec_eval' orders.*`doc_id`"),
        ("map@5", {"convention": "torchmetrics"}, "depends on the ranking itself"),
        (["mrr", "map"], {"convention": "sklearn"}, "not support 'map'.*tie group"),
        ("mrr", {"doc_order": "descending"}, "ties='first'"),
        ("mrr", {"doc_order": "descending", "ties": "first"}, "Pass the ids"),
        ("mrr", {"doc_order": "up", "ties": "first"}, "'doc_order' parameter.*'up'"),
        ("mrr", {"score_dtype": "float16"}, "'score_dtype' parameter.*'float16'"),
    ],
)
def test_what_a_convention_cannot_give_raises(metrics, params, match):
    with pytest.raises(ValueError, match=match):
        evaluate([1, 0], [2, 1], metrics, **params)


def test_a_scorer_follows_a_convention():
    class Constant:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X))

    X, y, qid = np.zeros((4, 1)), np.array([0, 1, 1, 0]), [0, 0, 1, 1]
    scorer = make_ranking_scorer("mrr", convention="ranx")
    assert repr(scorer) == "make_ranking_scorer('mrr', convention='ranx')"
    assert scorer(Constant(), X, y, qid=qid) == (1 / 2 + 1) / 2
    with pytest.raises(ValueError, match="Pass the ids"):
        make_ranking_scorer("mrr", convention="trec_eval")


def test_a_definition_of_the_user_follows_the_rules_of_all_metrics():
    def first(ranking):
        return ranking.expected_at_first(lambda rank: 1 / rank)

    for library in ("ranx", "catboost", "recpack"):
        got = evaluate(
            [0, 1], [1, 1], [first, "mrr@2"], convention=library, doc_id=[2, 1]
        )
        assert got["first"] == got["mrr@2"]
