"""The grammar of scorer names, and requests of several metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

import skrank.metrics
from skrank import metrics
from skrank._engine.names import ALIASES, is_name, listed_names, parse_name, read_metric
from skrank._engine.request import METRICS
from skrank.metrics import evaluate, get_scorer, make_ranking_scorer, score_queries
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker
from skrank.tables import score_table
from tests.brute_force import COUNTS, LESS_IS_BETTER, OF_COLUMNS, WITH_FUNCTION

VALID = {
    "mrr": ("mrr", None, 1),
    "mrr@10": ("mrr", 10, 1),
    "map": ("map", None, 1),
    "map@1": ("map", 1, 1),
    "ndcg": ("ndcg", None, 1),
    "ndcg@7": ("ndcg", 7, 1),
    "ndcg@1000000": ("ndcg", 1000000, 1),
    "dcg@10": ("dcg", 10, 1),
    "cg": ("cg", None, 1),
    "precision@5": ("precision", 5, 1),
    "recall@10": ("recall", 10, 1),
    "recall_cap@10": ("recall_cap", 10, 1),
    "recall_cap_at_10": ("recall_cap", 10, 1),
    "hits@1": ("hits", 1, 1),
    "mean_precision@3": ("mean_precision", 3, 1),
    "query_auc": ("query_auc", None, 1),
    "rank_correlation": ("rank_correlation", None, 1),
    # Aliases.
    "hit_rate@3": ("hits", 3, 1),
    "hit@3": ("hits", 3, 1),
    "hr@3": ("hits", 3, 1),
    "recip_rank": ("mrr", None, 1),
    "ndcg_at_10": ("ndcg", 10, 1),
    "neg_mean_rank": ("mean_rank", None, -1),
    "success@3": ("hits", 3, 1),
    "p@5": ("precision", 5, 1),
    "r@5": ("recall", 5, 1),
    "gauc": ("query_auc", None, 1),
    # As trec_eval names them.
    "ndcg_cut_10": ("ndcg", 10, 1),
    "map_cut_20": ("map", 20, 1),
    "P_10": ("precision", 10, 1),
    "recall_1000": ("recall", 1000, 1),
    "success_5": ("hits", 5, 1),
    "Rprec": ("r_precision", None, 1),
    # With parameters.
    "rbp(p=0.5,max_grade=2)": ("rbp", None, 1),
    "ndcg(gain='linear')@10": ("ndcg", 10, 1),
    "p(threshold=1)@5": ("precision", 5, 1),
    "neg_mean_rank(threshold=1)": ("mean_rank", None, -1),
    "mrr()": ("mrr", None, 1),
}

# What is refused, and the name that the error suggests.
REFUSED = {
    # A cutoff that is none.
    "ndcg@0": "ndcg@10",
    "ndcg@07": "ndcg@7",
    "ndcg@": "ndcg@10",
    "ndcg@-3": "ndcg@10",
    "ndcg@1.5": "ndcg@10",
    "ndcg@ 5": "ndcg@5",
    "ndcg@5 ": "ndcg@5",
    "ndcg@5@5": "ndcg@10",
    "ndcg@\u0665": "ndcg@10",
    "ndcg\n": "ndcg",
    "ndcg_cut_0": "ndcg",
    # With parameters.
    "rpb(p=0.5)": "rbp(p=0.5)",
    "precision(threshold=1)": "precision(threshold=1)@10",
    "mean_rank(threshold=1)": "neg_mean_rank(threshold=1)",
    "ndcg@10(threshold=1)": "ndcg(threshold=1)@10",
    "ndcg(": "ndcg",
    "rbp(p=0.5,\n max_grade=2\n)": "rbp(p=0.5,max_grade=2)",  # as YAML folds it
    # A cutoff where there is none, and none where one is needed.
    "query_auc@5": "query_auc",
    "gauc@5": "query_auc",
    "rank_correlation@5": "rank_correlation",
    "neg_mean_rank@5": "neg_mean_rank",
    "precision": "precision@10",
    "recall": "recall@10",
    "R_cap@5": "recall_cap@5",
    "capped_recall@3": "recall_cap@3",
    "hits": "hits@10",
    "hit_rate": "hits@10",
    "p": "precision@10",
    # The wrong sign.
    "mean_rank": "neg_mean_rank",
    "neg_mrr": "mrr",
    "neg_ndcg@5": "ndcg@5",
    "neg_neg_mean_rank": "neg_mean_rank",
    # Misspelt.
    "mmr": "mrr",
    "ndgc@5": "ndcg@5",
    "ncdg": "ndcg",
    "recal@20": "recall@20",
    "mean_precison": "mean_precision",
    "rank_corelation": "rank_correlation",
    # As papers write them.
    "MRR": "mrr",
    "MRR@10": "mrr@10",
    "MAP": "map",
    "NDCG@10": "ndcg@10",
    "nDCG@10": "ndcg@10",
    "Hits@3": "hits@3",
    "P@5": "precision@5",
    "R@5": "recall@5",
    "Recall@20": "recall@20",
    "GAUC": "query_auc",
    # Written out, without the @, or as the function is named.
    "mean_reciprocal_rank": "mrr",
    "mean_average_precision@5": "map@5",
    "ndcg10": "ndcg@10",
    "ndcg-5": "ndcg@5",
    "mrr_score": "mrr",
    "hits_at_k_score": "hits@10",
    # As other fields and libraries call them.
    "MR": "neg_mean_rank",
    "RC": "rank_correlation",
    "kendall": "rank_correlation",
    "kendall_tau": "rank_correlation",
    "tau": "rank_correlation",
    "somers_d": "rank_correlation",
    "acuracy@1": "hits@1",
    "auc": "query_auc",
}

# What is a metric of scikit-learn: its scorer.
OF_SKLEARN = {
    "MSE": "neg_mean_squared_error",
    "mean_squared_error": "neg_mean_squared_error",
    "MAE": "neg_mean_absolute_error",
    "RMSE": "neg_root_mean_squared_error",
    "ROC": "roc_auc",
    "roc_auc_score": "roc_auc",
    "accuracy": "accuracy",
    "r2": "r2",
}

MESSAGE = re.compile(
    r"is not a valid scoring value\..* Did you mean (?:scoring=)?'([^']+)'\?$"
)


@pytest.mark.parametrize("name", VALID)
def test_a_name_is_a_metric_a_cutoff_and_a_sign(name):
    parsed = parse_name(name)
    assert (parsed.metric.name, parsed.k, parsed.sign) == VALID[name]
    assert parsed.metric is METRICS[parsed.metric.name]
    assert is_name(name)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_name_is_answered_with_the_nearest_one(name):
    assert not is_name(name)
    with pytest.raises(ValueError, match="not a valid scoring value") as error:
        parse_name(name)
    assert repr(name) in str(error.value)
    assert MESSAGE.search(str(error.value)).group(1) == REFUSED[name]


def test_a_name_of_any_length_is_refused_in_a_sentence():
    signs = [f"ndcg(gain={'-' * n}1)" for n in (5000, 100_000)]
    for name in ("ndcg@" + "9" * 5000, "P_" + "9" * 5000, *signs):
        with pytest.raises(ValueError, match=r"Did you mean|must be lit") as error:
            read_metric(name)
        assert len(str(error.value)) < 400


@pytest.mark.parametrize("name", OF_SKLEARN)
def test_a_metric_of_scikit_learn_is_passed_to_its_tools(name):
    with pytest.raises(ValueError, match="of scikit-learn: pass it to cross_") as error:
        read_metric(name)
    assert f"scoring={OF_SKLEARN[name]!r}." in str(error.value)


def test_several_names_are_passed_as_a_list():
    for name in ("mrr, rbp(p=0.5, max_grade=2)", "mrr,rbp(p=0.5, max_grade=2)"):
        with pytest.raises(ValueError, match="Pass a list") as error:
            read_metric(name)
        assert "['mrr', 'rbp(p=0.5, max_grade=2)']; on the" in str(error.value)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mean_rank", "values of 'mean_rank' are better. Did you mean scoring='neg_"),
        ("mean_rnk", "values of 'mean_rank' are better. Did you mean scoring='neg_"),
        ("median_rank", "A scorer must return larger values for better models, but lo"),
        ("neg_ndcg@10", "Larger values of 'ndcg@10' are better already. Did you mean "),
        ("ndgc@10", "is not a valid scoring value. Did you mean 'ndcg@10'?"),
        ("neg_mean_rnk", "is not a valid scoring value. Did you mean 'neg_mean_rank'"),
    ],
)
def test_a_refusal_says_why_a_name_has_a_sign(name, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        parse_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "@", "@5", "accuracy", "roc_auc", "xyzzy", "neg_", "y_true", "ROC", "MSE"],
)
def test_a_name_like_no_other_is_refused_without_a_guess(name):
    assert not is_name(name)
    with pytest.raises(ValueError, match="not a valid scoring value") as error:
        parse_name(name)
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize("name", [None, 5, b"mrr", ["mrr"], ("ndcg", 10)])
def test_what_is_no_str_is_no_name(name):
    assert not is_name(name)
    with pytest.raises((TypeError, ValueError), match="not a valid scoring value"):
        parse_name(name)


edits = st.text(st.sampled_from("abcdegilmnprtu_@0159N "), max_size=3)


PLAIN_NAMES = sorted(name for name in VALID if "(" not in name)


@pytest.mark.slow
@given(st.sampled_from(PLAIN_NAMES), st.integers(0, 15), st.integers(0, 3), edits)
@settings(max_examples=80, derandomize=True, deadline=None, database=None)
def test_every_suggestion_is_a_valid_name(name, start, length, edit):
    name = name[:start] + edit + name[start + length :]
    if is_name(name):
        assert parse_name(name).metric.name in METRICS
        return
    with pytest.raises(ValueError, match="not a valid scoring value") as error:
        parse_name(name)
    found = MESSAGE.search(str(error.value))
    assert found is None or is_name(found.group(1))


def test_every_listed_name_is_valid_and_listed_once():
    names = listed_names()
    assert names == sorted(set(names))
    assert all(map(is_name, names))
    assert {parse_name(name).metric.name for name in names} == set(METRICS)
    assert not {name.partition("@")[0] for name in names} & set(ALIASES)


def test_no_alias_hides_a_metric():
    assert not set(ALIASES) & set(METRICS)
    assert set(ALIASES.values()) <= set(METRICS)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_row_of_the_table_says_what_its_function_takes(name):
    metric = METRICS[name]
    assert metric.name == name
    assert (metric.full_name == name) == (name not in LESS_IS_BETTER)
    if metric.function is None:  # a count
        assert name in COUNTS
        return
    assert getattr(skrank.metrics, metric.function.__name__) is metric.function
    parameters = inspect.signature(metric.function).parameters
    assert ("k" in parameters) == (metric.cutoff != "never")
    assert metric.cutoff in {"never", "optional", "required"}
    # The definition knows the metric's own parameters and nothing of the input.
    own = set(inspect.signature(metric.definition).parameters) - {"ranking"}
    assert own <= set(parameters)


def test_every_function_has_a_row_and_no_two_share_one():
    named = [*WITH_FUNCTION, *OF_COLUMNS]
    functions = [METRICS[name].function.__name__ for name in named]
    assert len(functions) == len(set(functions))
    public = {
        name
        for name in skrank.metrics.__all__
        if name.endswith(("_score", "_rank", "_loss", "_divergence"))
        or name.startswith("rank_")
    }
    assert set(functions) == public


rng = np.random.default_rng(0)
QID = np.repeat(np.arange(12), 8)
Y = rng.integers(0, 4, len(QID))
SCORES = np.round(Y + 2 * rng.normal(size=len(QID)))
X = pd.DataFrame({"f": SCORES, "g": rng.normal(size=len(QID)), "qid": QID})

LINEAR = {"gain": "linear"}
# A name with parameters, the name without, and the parameters.
NAMES = {
    "rbp(p=0.5,max_grade=3)": ("rbp", {"p": 0.5, "max_grade": 3}),
    "rbp( p = 0.5 , max_grade = 4)": ("rbp", {"p": 0.5, "max_grade": 4}),
    "precision(threshold=1)@5": ("precision@5", {"threshold": 1}),
    "ndcg(gain='linear')@10": ("ndcg@10", LINEAR),
    'ndcg(gain="linear", discount="ln")_at_3': ("ndcg@3", LINEAR | {"discount": "ln"}),
    "mrr(ties='pessimistic', adjusted=True)": (
        "mrr",
        {"ties": "pessimistic", "adjusted": True},
    ),
    "neg_mean_rank(threshold=2)": ("neg_mean_rank", {"threshold": 2}),
    "hits(threshold='max')@3": ("hits@3", {"threshold": "max"}),
    "map(replace_undefined_by=-1)": ("map", {"replace_undefined_by": -1}),
    "map()": ("map", {}),
    "ndcg(replace_undefined_by=nan)@10": ("ndcg@10", {"replace_undefined_by": np.nan}),
    "mrr(threshold=-inf)": ("mrr", {"threshold": -np.inf}),
    "hits(threshold=inf, replace_undefined_by=2)@3": (
        "hits@3",
        {"threshold": np.inf, "replace_undefined_by": 2},
    ),
}
with_parameters = pytest.mark.parametrize("name", NAMES)


def by_keyword(name):
    """Return the value that the keywords give."""
    plain, params = NAMES[name]
    return evaluate(Y, SCORES, plain, qid=QID, **params)[plain]


@pytest.mark.slow
@with_parameters
def test_a_name_has_the_value_of_the_keywords_under_the_name_as_given(name):
    expected = {name: by_keyword(name)}
    assert evaluate(Y, SCORES, name, qid=QID) == expected
    assert score_queries(Y, SCORES, name, qid=QID).summary() == expected
    frame = pd.DataFrame({"y_true": Y, "y_score": SCORES, "qid": QID})
    assert score_table(frame, metrics=name).summary() == expected


def test_names_of_one_metric_stand_side_by_side_and_win_over_keywords():
    found = evaluate(Y, SCORES, ["rbp", "rbp(p=0.5)", "mrr"], qid=QID, p=0.9)
    assert found == {
        "rbp": evaluate(Y, SCORES, "rbp", qid=QID, p=0.9)["rbp"],
        "rbp(p=0.5)": evaluate(Y, SCORES, "rbp", qid=QID, p=0.5)["rbp"],
        "mrr": evaluate(Y, SCORES, "mrr", qid=QID)["mrr"],
    }
    assert len(set(found.values())) == 3
    name = "ndcg(gain='exponential')@5"
    linear = evaluate(Y, SCORES, [name], qid=QID, convention="trec_eval", doc_id=QID)
    same = {"gain": "exponential", "convention": "trec_eval", "doc_id": QID}
    assert linear[name] == evaluate(Y, SCORES, "ndcg@5", qid=QID, **same)["ndcg@5"]


@with_parameters
def test_a_scorer_has_the_value_of_the_keywords(name):
    plain, params = NAMES[name]
    model = QueryRanker(Ridge()).fit(X, Y)
    expected = make_ranking_scorer(plain, **params)(model, X, Y, qid=QID)
    for scorer in (get_scorer(name), sklearn.metrics.get_scorer(name)):
        for one in (scorer, clone(scorer), pickle.loads(pickle.dumps(scorer))):
            assert one(model, X, Y, qid=QID) == expected
        assert repr(scorer) == f"make_ranking_scorer({name!r})"


def test_values_of_queries_keep_the_parameters_of_their_names():
    names = ["rbp(p=0.5)", "ndcg(gain='linear')@3"]
    scores = score_queries(Y, SCORES, names, qid=QID)
    again = metrics.QueryScores.from_frame(scores.to_frame(), metrics=names)
    assert again.summary() == scores.summary()
    frame = pd.DataFrame({"qid": [1, 2], "mrr(adjusted=True)": [0.5, 1.0]})
    with pytest.raises(ValueError, match="do not determine 'mrr"):
        metrics.QueryScores.from_frame(frame, metrics=["mrr(adjusted=True)"])


def test_explain_keeps_the_parameters_of_a_name():
    name = "ndcg(gain='linear')@3"
    found = metrics.explain(Y, SCORES, name, qid=QID)
    assert found.values["skrank"] == evaluate(Y, SCORES, name, qid=QID)[name]
    kept = metrics.explain(Y, SCORES, "ndcg@3", qid=QID, gain="linear")
    assert found.values == pytest.approx(kept.values, rel=0, abs=0, nan_ok=True)


# A name, and the keywords whose error it has.
WRONG = {
    "rbp(p=2)": ("rbp", {"p": 2}),
    "rbp(q=2)": ("rbp", {"q": 2}),
    "ndcg(gain='cubic')@3": ("ndcg@3", {"gain": "cubic"}),
    "mrr(ties='none')": ("mrr", {"ties": "none"}),
    "mrr(threshold=None)": ("mrr", {"threshold": None}),
    "mrr(adjusted='no')": ("mrr", {"adjusted": "no"}),
    "ndcg(k=3)": ("ndcg", {"k": 3}),
    "adjusted_mrr(adjusted='z')": ("adjusted_mrr", {"adjusted": "z"}),
    "mrr(doc_order='ascending')": ("mrr", {"doc_order": "ascending"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_parameter_raises_the_error_of_the_keyword(name):
    plain, params = WRONG[name]
    with pytest.raises((TypeError, ValueError)) as by_keyword:
        evaluate(Y, SCORES, plain, qid=QID, **params)
    expected = str(by_keyword.value).replace(f"['{plain}']", f"[{name!r}]")
    expected = expected.replace("exclude_", "exclude")
    with pytest.raises(by_keyword.type) as found:
        evaluate(Y, SCORES, name, qid=QID)
    assert str(found.value) == expected
    # A scorer raises when it is made, before anything is fitted.
    if name != "ndcg(k=3)":
        in_scorer = expected.replace("evaluate", "make_ranking_scorer")
        for make in (make_ranking_scorer, get_scorer, sklearn.metrics.get_scorer):
            with pytest.raises(by_keyword.type) as found:
                make(name)
            assert str(found.value) == in_scorer
    search = GridSearchCV(Ridge(), {}, scoring=name, cv=QueryKFold(3))
    with pytest.raises(by_keyword.type):
        search.fit(X, Y)


@pytest.mark.parametrize(
    "params",
    ["0.5", "p=x", "p=1+x", "p=0.5,p=0.6", "p=0.5)(p=0.6", "**{}", "p", "p=", "p=f(1)"],
)
def test_what_is_no_literal_with_a_name_is_refused(params):
    message = "must be literals with their names.* Got " + re.escape(f"'rbp({params})'")
    for read in (parse_name, get_scorer, sklearn.metrics.get_scorer):
        with pytest.raises(ValueError, match=message):
            read(f"rbp({params})")


def test_what_is_the_same_for_all_metrics_is_no_parameter_of_one():
    with pytest.raises(ValueError, match="'average' is the same for all metrics"):
        evaluate(Y, SCORES, ["mrr(average=None)", "map"], qid=QID)
