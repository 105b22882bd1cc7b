"""skore: reports with ranking metrics are right, or NaN with a warning."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import skore
from sklearn.linear_model import Ridge

from skrank.datasets import make_ranking
from skrank.metrics import evaluate, get_scorer, make_ranking_scorer
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.rankers import QueryRanker, as_regressor

# Those of skore and of its dependencies.
pytestmark = pytest.mark.filterwarnings("ignore")

X, Y, QID = make_ranking(60, random_state=0)
BY_QUERY = pd.Series(Y, index=pd.Index(QID, name="qid"))
INDEXED = pd.DataFrame(X, index=BY_QUERY.index).add_prefix("f")
MODEL = as_regressor(QueryRanker(Ridge()))


def report(ids):
    """Return a report on queries, and NDCG@10 and MRR of the test queries."""
    frame = INDEXED.reset_index() if ids == "column" else INDEXED
    y = pd.Series(Y) if ids == "column" else BY_QUERY
    parts = query_train_test_split(frame, y, qid=QID, random_state=0)
    names = ["X_train", "X_test", "y_train", "y_test"]
    data = dict(zip(names, parts, strict=True))
    made = skore.EstimatorReport(MODEL, **data)
    _, qid = query_train_test_split(QID, qid=QID, random_state=0)
    scores = made.estimator_.predict(data["X_test"])
    return made, evaluate(data["y_test"], scores, ["mrr", "ndcg_at_10"], qid=qid)


def test_a_name_is_right_where_the_index_of_y_has_the_query_ids():
    made, expected = report("index")
    made.metrics.add("ndcg_at_10")
    frame = made.metrics.summarize(metric="ndcg_at_10").frame()
    assert frame.to_dict() == {"ndcg_at_10": expected["ndcg_at_10"]}


@pytest.mark.filterwarnings("always")
def test_a_name_is_nan_where_skore_loses_the_column_of_query_ids():
    made, _ = report("column")
    made.metrics.add("ndcg_at_10")
    with pytest.warns(UserWarning, match="which rows belong to one query"):
        frame = made.metrics.summarize(metric="ndcg_at_10").frame()
    assert np.isnan(frame.to_dict()["ndcg_at_10"])


@pytest.mark.parametrize("ids", ["column", "index"])
def test_the_call_of_a_scorer_is_right(ids):
    made, expected = report(ids)
    made.metrics.add(get_scorer("ndcg@10").__call__, name="ndcg_at_10")
    assert made.metrics.ndcg_at_10() == expected["ndcg_at_10"]
    several = make_ranking_scorer(["mrr", "ndcg_at_10"])
    made.metrics.add(several.__call__, name="ranking")
    assert made.metrics.ranking() == expected
    frame = made.metrics.summarize(metric="ranking").frame()
    assert frame.to_dict() == expected


def test_a_report_of_cross_validation_takes_a_splitter():
    made = skore.CrossValidationReport(
        MODEL, INDEXED.reset_index(), pd.Series(Y), splitter=QueryKFold(3)
    )
    made.metrics.add(get_scorer("mrr").__call__, name="mrr")
    values = [one.metrics.mrr() for one in made.reports_]
    assert len(values) == 3
    folds = QueryKFold(3).split(INDEXED, BY_QUERY)
    for value, one, (_, test) in zip(values, made.reports_, folds, strict=True):
        scores = one.estimator_.predict(INDEXED.iloc[test])
        assert value == evaluate(Y[test], scores, "mrr", qid=QID[test])["mrr"]
