"""What metrics are called in figures."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._engine.names import listed_names, read_requests
from skrank._engine.request import METRICS
from skrank.metrics import QueryScores, mean_rank
from skrank.plot.base import split_cutoff, words_of

WORDS = {
    "mrr": "MRR",
    "mrr@5": "MRR@5",
    "ndcg@10": "NDCG@10",
    "ndcg_at_10": "NDCG@10",
    "hits@1": "Hits@1",
    "precision@3": "P@3",
    "recall@3": "R@3",
    "recall_cap@3": "recall cap@3",
    "f1@3": "F1@3",
    "query_auc": "QAUC",
    "neg_mean_rank": "negative MR",
    "neg_median_rank": "negative median rank",
    "inverse_mean_rank": "inverse MR",
    "adjusted_mrr": "adjusted MRR",
    "neg_adjusted_mean_rank": "negative MR relative to chance",
    "adjusted_mean_rank_index": "adjusted MR",
}


def request_for(metric, **params):
    return read_requests([metric], params, "request_for")[0]


def test_a_metric_is_called_by_its_abbreviation():
    assert {name: words_of(request_for(name)) for name in WORDS} == WORDS
    assert words_of(request_for("mrr", adjusted=True)) == "adjusted MRR"
    assert words_of(request_for(mean_rank)) == "MR"
    assert words_of(request_for("precision@3"), "k") == "P@k"


def test_metrics_have_different_words():
    words = [words_of(request_for(name)) for name in listed_names()]
    assert len(set(words)) == len(words) > len(METRICS)
    assert not any("_" in word for word in words if not word.startswith("num_"))


def test_a_metric_that_skrank_does_not_know_is_called_by_its_name():
    def my_metric(ranking):
        return ranking.expected_at_first(lambda rank: rank == 1)

    assert words_of(request_for(my_metric)) == "my_metric"
    scores = QueryScores.from_frame({"qid": [1, 2], "time@5": [0.1, 0.2]})
    assert words_of(scores.table.requests[0]) == "time@5"
    assert words_of(scores.table.requests[0], "k") == "time@k"


def test_the_cutoff_is_split_from_a_name():
    for name in ("ndcg@10", "ndcg_at_10"):
        assert split_cutoff(name) == ("ndcg", 10)
    for name in ("mrr", "time@0"):
        assert split_cutoff(name) == (name, None)
