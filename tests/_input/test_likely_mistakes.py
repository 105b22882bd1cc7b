"""What users write that is none of the accepted forms: the error names the cure."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from skrank.datasets import make_ranking
from skrank.metrics import (
    QueryScores,
    evaluate,
    ild_score,
    precision_at_k_score,
    score_queries,
)
from skrank.model_selection import cross_val_query_scores, query_train_test_split
from skrank.plot import ComparisonDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, gate
from skrank.tables import score_runs

X, Y, QID = make_ranking(30, n_features=3, n_informative=2, random_state=0)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=QID)
BOTH = score_queries(Y, {"a": X[:, 0], "b": X[:, 1]}, "mrr", qid=QID)
ONE = score_queries(Y, X[:, 0], "mrr", qid=QID)
RANKER, RUN = QueryRanker(Ridge()), {"q": {"d": 1}}
DROP = make_column_transformer(("drop", ["qid"]), remainder="passthrough")
CV = {"X": X, "y": Y, "scoring": "mrr"}
CASES = {
    "two releases": (lambda: QueryScores.concat([ONE, ONE]), r"gate\({'old': old"),
    "cv_results_": (
        lambda: compare_rankers({"mean_fit_time": [1.0], "params": [{}]}),
        "those of a search, or the folds",
    ),
    "means": (
        lambda: gate({"a": ONE.summary(), "b": ONE.summary()}, baseline="a", margin=0),
        r"Got the means of \['mrr'\]: pass the QueryScores itself",
    ),
    "swapped": (lambda: score_runs({"run": RUN}, RUN, "mrr"), "judgements first"),
    "a list of scores": (
        lambda: evaluate(Y, [X[:, 0].tolist(), X[:, 1].tolist()], "mrr", qid=QID),
        "several rankers are a dict by name",
    ),
    "a list of QueryScores": (
        lambda: compare_rankers([ONE, ONE]),
        "several rankers are a dict of them by name",
    ),
    "a list of runs": (lambda: score_runs(RUN, [RUN], "mrr"), "dict of names to runs"),
    "a list of estimators": (
        lambda: cross_val_query_scores([RANKER], **CV),
        "an estimator or a dict of at least one",
    ),
    "no split": (
        lambda: cross_val_query_scores(RANKER, cv={}, **CV),
        "must be an int, a splitter or pairs",
    ),
    "groups": (lambda: query_train_test_split(X, groups=QID), "query id of each row"),
    "stratify": (
        lambda: query_train_test_split(X, stratify=Y),
        "StratifiedQueryKFold stratifies",
    ),
    "achievable": (
        lambda: precision_at_k_score([1], [1], k=1, normalize="achievable"),
        "which is recall_cap",
    ),
    "of scikit-learn": (
        lambda: evaluate(Y, X[:, 0], "accuracy@5", qid=QID),
        "scoring='accuracy'",
    ),
    "dropped twice": (
        lambda: QueryRanker(make_pipeline(DROP, Ridge())).fit(FRAME, Y),
        "'qid' is out of X already",
    ),
    "scores in a display": (
        lambda: ComparisonDisplay.from_comparison(BOTH),
        r"Did you compare_rankers\(scores\)",
    ),
    "scores as ids": (
        lambda: evaluate(Y, X[:, 0], "mrr", qid=ONE),
        "'qid' parameter must be an array-like",
    ),
    "scores as a baseline": (
        lambda: compare_rankers(BOTH, baseline=ONE),
        "'baseline' parameter of compare_rankers must be a ranker",
    ),
    "a number as scores": (
        lambda: gate(np.array(1.0), baseline="a", margin=0.1),
        "'scores' parameter of gate must be",
    ),
    "an array as a distance": (
        lambda: ild_score([1], [1], features=[[1]], distance=np.ones(2)),
        "'distance' parameter of ild_score must be",
    ),
    "a frame as names": (
        lambda: QueryScores.from_frame(FRAME, metrics=FRAME.rename(str.upper, axis=1)),
        "has no column 'A'",
    ),
    "an empty table": (
        lambda: ild_score([1], [1], features=pa.table({})),
        "Got no columns",
    ),
    "ragged": (
        lambda: evaluate([[1, 0]], [[1], [1, 2]], "mrr"),
        r"rows of one length. Got \[\[1\], \[1, 2\]\]\.$",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_error_says_what_to_write(case):
    call, match = CASES[case]
    with pytest.raises((TypeError, ValueError), match=match):
        call()
