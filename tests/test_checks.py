"""Errors that list names list those of the call, each as it has to be written."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest

from skrank import metrics
from skrank._columns import as_frame
from skrank._shell import find_run
from skrank.metrics import CONVENTIONS, evaluate, query_report, score_queries
from skrank.stats import compare_rankers, gate
from skrank.tables import align, fuse, score_table

ROWS = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1], "qid": [7, 7, 8, 8]}
RUN = {"q1": {"d1": 2.0}}
SCORES = score_queries(
    ROWS["y_true"],
    {"bm25": [4, 3, 2, 1], "dense": [1, 2, 3, 4]},
    ["mrr", "ndcg"],
    qid=ROWS["qid"],
    by={"country": ["de", "de", "fr", "fr"]},
)
MIXED = np.array(["x", 1], dtype=object)

CALLS = {
    "the types in a column of a data frame": (
        lambda: as_frame({"id": MIXED}, "polars"),
        "Got int and str, such as 'x': pass kind=\"pandas\".",
    ),
    "the types in a column of a table": (
        lambda: score_table(pd.DataFrame(ROWS | {"qid": [1, "a", 1, "a"]}), "mrr"),
        "Got int and str: make ids text with str().",
    ),
    "the runs of a fusion": (
        lambda: fuse({"a": RUN, "b": RUN}, weights={"a": 1}),
        "a weight for each of ['a', 'b']. Got weights of ['a'].",
    ),
    "the runs in the shell": (
        lambda: find_run("c", ["a", "b"], ["a.run", "b.run"], [None, None]),
        "--baseline must be a run among ['a', 'b']. Got 'c'.",
    ),
    "the metrics of a gate": (
        lambda: gate(SCORES, baseline="bm25", margin=[0.1, 0.2, 0.3]),
        "Got [0.1, 0.2, 0.3] and the metrics ['mrr', 'ndcg'].",
    ),
    "the conventions": (
        lambda: evaluate(**ROWS, metrics="mrr", convention="tensorflow"),
        f"{{{', '.join(repr(name) for name in sorted(CONVENTIONS))}}} or None. Got",
    ),
    "the targets of the exposure of groups": (
        lambda: metrics.awrf_score(**ROWS, group=["a", "b"] * 2, target=[1, 2]),
        "must be a str among {'candidates', 'equal', 'relevant'} or, with this column",
    ),
    "the columns of a report": (
        lambda: query_report(
            **ROWS, query=7, metric="mrr", columns={"rank": [1, 2, 3, 4]}
        ),
        "of a report: ranker, rank, document, grade, best_rank, ",
    ),
    "the columns that a metric without a report reads": (
        lambda: query_report(**ROWS, query=7, metric="ild@2", features=np.eye(4)),
        "Got 'ild@2', which reads features.",
    ),
    "the columns that a metric without a tie report reads": (
        lambda: metrics.tie_report(**ROWS, metrics="ild@2", features=np.eye(4)),
        "Got 'ild@2', which reads features.",
    ),
    "what a batch may hold": (
        lambda: metrics.RankingMetric("mrr").update(**ROWS, price=[1, 2, 3, 4]),
        "takes judged, pooled, returned, doc_id, sample_weight and columns",
    ),
    "the rankers of a comparison": (
        lambda: compare_rankers(SCORES, baseline="tfidf"),
        "must be a ranker, among ['bm25', 'dense']. Got 'tfidf' instead.",
    ),
    "the key columns of a comparison": (
        lambda: compare_rankers(SCORES, clusters="land"),
        "or name a key column, among ['country', 'qid']. Got 'land' instead.",
    ),
    "the columns that stand beside a dict": (
        lambda: compare_rankers({"qid": [7, 8], "a": {7: 1.0, 8: 0.5}, "b": [1, 0]}),
        "Got ['qid'] as well as a dict for 'a'.",
    ),
    "the keys of a hit": (
        lambda: align({"q1": {"d1": 1}}, {"q1": [{"id": "d1", "score": 2.0}]}),
        "Got no key 'doc_id' among ['id', 'score'].",
    ),
    "the `by` columns of a table": (
        lambda: score_table(pd.DataFrame(ROWS), "mrr", by=["qid", "country"]),
        "columns other than the query ids. Got ['qid', 'country'].",
    ),
}


@pytest.mark.parametrize("names", CALLS)
def test_an_error_lists_the_names_that_there_are(names):
    call, sentence = CALLS[names]
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    assert sentence in str(error.value)
