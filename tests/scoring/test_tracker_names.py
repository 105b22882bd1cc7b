"""``name_at_k``: the names of experiment trackers, which refuse ``@``."""

# SPDX-License-Identifier: BSD-3-Clause

import re

import pandas as pd
import pytest
import sklearn.metrics
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from skrank._engine.names import is_name, listed_names
from skrank.datasets import load_nations, make_ranking
from skrank.link_prediction import PopularityPredictor, evaluate_link_prediction
from skrank.metrics import (
    QueryScores,
    add_scorer,
    evaluate,
    explain,
    get_scorer_names,
    make_ranking_scorer,
    score_queries,
    tie_report,
)
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

Y, SCORES, QID = [1, 0, 0, 1], [2, 1, 2, 1], [7, 7, 8, 8]
OF_TRACKERS = re.compile(r"[a-z_][a-z0-9_]*")

X, GRADES, QUERIES = make_ranking(30, random_state=0)
FRAME = pd.DataFrame(X).add_prefix("f").assign(qid=QUERIES)


@pytest.mark.parametrize("name", ["hits_at_1", "success_at_1", "p_at_1"])
def test_results_have_the_name_that_was_asked_for(name):
    """One of two queries has its relevant document on top."""
    both = [name, name.replace("_at_", "@")]
    values = evaluate(Y, SCORES, both, qid=QID)
    assert list(values.items()) == [(one, 1 / 2) for one in both]


def test_a_metric_of_your_own_with_a_cutoff_and_a_sign():
    def depth(ranking, *, k=None):
        return 1.0 * ranking.n_documents

    add_scorer("depth", depth, greater_is_better=False)
    assert evaluate([1, 0], [2, 1], "neg_depth_at_1") == {"neg_depth_at_1": -2.0}


def test_a_convention_reads_the_cutoff():
    """LightGBM divides by min(k, relevant): 1 / 1 at 1, and 1 / 3 without a cutoff."""
    values = evaluate([1, 1, 1], [3, 2, 1], "map_at_1", convention="lightgbm")
    assert values == {"map_at_1": 1.0}
    assert evaluate([1, 1, 1], [3, 2, 1], "map_at_1") == {"map_at_1": 1 / 3}


def test_tables_of_values_have_columns_of_this_name():
    frame = score_queries(Y, SCORES, ["hits_at_1"], qid=QID).to_frame()
    assert list(frame) == ["qid", "hits_at_1"]
    assert QueryScores.from_frame(frame).summary() == {"hits_at_1": 1 / 2}
    assert explain(Y, SCORES, "hits_at_1", qid=QID).metric == "hits_at_1"
    assert list(tie_report(Y, SCORES, ["hits_at_1"], qid=QID).values) == ["hits_at_1"]


@pytest.mark.slow
def test_a_search_has_columns_that_trackers_accept():
    search = GridSearchCV(
        QueryRanker(Ridge()),
        {"estimator__alpha": [1.0, 2.0]},
        cv=QueryKFold(3),
        scoring=["mrr", "ndcg_at_10", "neg_median_rank"],
        refit="ndcg_at_10",
    ).fit(FRAME, GRADES)
    tests = [name for name in search.cv_results_ if "test" in name]
    assert "mean_test_ndcg_at_10" in tests
    assert all(OF_TRACKERS.fullmatch(name) for name in tests)


def test_a_scorer_of_several_names_has_them_as_keys():
    ranker = QueryRanker(Ridge()).fit(FRAME, GRADES)
    values = make_ranking_scorer(["mrr", "ndcg_at_5"])(ranker, FRAME, GRADES)
    assert list(values) == ["mrr", "ndcg_at_5"]
    by_name = sklearn.metrics.get_scorer("ndcg_at_5")(ranker, FRAME, GRADES)
    assert values["ndcg_at_5"] == by_name


def test_link_prediction_reads_them():
    nations = load_nations()
    model = PopularityPredictor().fit(nations.train)
    names = ["hits_at_3", "hits@3"]
    values = evaluate_link_prediction(
        model, nations.test[:9], known=None, metrics=names
    )
    assert list(values) == names
    assert values["hits_at_3"] == values["hits@3"]


def test_nothing_more_is_listed_and_no_name_of_a_metric_has_the_spelling():
    assert not any("_at_" in name for name in get_scorer_names())
    assert all(is_name(name.replace("@", "_at_")) for name in listed_names())


def test_a_tool_that_passes_no_columns_hears_which_is_missing():
    """Trackers call the function of a scorer with labels and scores alone."""
    function = sklearn.metrics.get_scorer("alpha_ndcg")._score_func
    with pytest.raises(ValueError, match="reads the column 'subtopics'"):
        function(Y, SCORES, qid=QID)
