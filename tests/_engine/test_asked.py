"""Parameters in scorer names: the values and the errors of the keywords."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate

from skrank import metrics
from skrank._engine.names import parse_name
from skrank.metrics import evaluate, get_scorer, make_ranking_scorer, score_queries
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.rankers import QueryRanker
from skrank.tables import score_table

rng = np.random.default_rng(0)
QID = np.repeat(np.arange(12), 8)
Y = rng.integers(0, 4, len(QID))
SCORES = np.round(Y + 2 * rng.normal(size=len(QID)))
X = pd.DataFrame({"f": SCORES, "g": rng.normal(size=len(QID)), "qid": QID})

LINEAR = {"gain": "linear"}
# A name with parameters, the name without, and the parameters.
NAMES = {
    "rbp(p=0.5,max_grade=3)": ("rbp", {"p": 0.5, "max_grade": 3}),
    "rbp( p = 0.5 )": ("rbp", {"p": 0.5}),
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


@pytest.mark.slow
def test_searches_and_cross_validation_take_such_names():
    names = list(NAMES)
    cv = QueryKFold(3)
    ranker, grid = QueryRanker(Ridge()), {"estimator__alpha": [1, 9]}
    found = cross_validate(ranker, X, Y, cv=cv, scoring=names)
    by_query = cross_val_query_scores(ranker, X, Y, cv=cv, scoring=names)
    folds = by_query.summary(by="fold")
    for name in names:
        values = found[f"test_{name}"]
        assert values.tolist() == [fold[name] for fold in folds.values()]
    search = GridSearchCV(ranker, grid, cv=cv, scoring=names[0]).fit(X, Y)
    assert search.best_score_ == found[f"test_{names[0]}"].mean()


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
