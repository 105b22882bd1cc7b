"""What a user writes, for mypy --strict and pyright; it runs as well."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import config_context  # type: ignore[import-untyped, unused-ignore]
from sklearn.linear_model import Ridge  # type: ignore[import-untyped, unused-ignore]

import skrank
from skrank.base import RankingEstimator, is_ranker
from skrank.datasets import load_digits_retrieval, load_nations, make_ranking
from skrank.exceptions import QuerySplitWarning
from skrank.link_prediction import (
    LinkRanks,
    PopularityPredictor,
    evaluate_link_prediction,
    rank_triples,
)
from skrank.metrics import (
    CONVENTIONS,
    QueryScores,
    RankedQueries,
    evaluate,
    get_scorer,
    hits_at_k_score,
    make_ranking_scorer,
    mrr_score,
    ndcg_score,
    score_queries,
)
from skrank.model_selection import (
    QueryKFold,
    cross_val_query_scores,
    query_train_test_split,
)
from skrank.rankers import PairwiseRanker, QueryRanker
from skrank.stats import (
    ConfidenceIntervals,
    RankerComparison,
    compare_rankers,
    confidence_interval,
    mean_interval,
)
from skrank.tables import align, from_topk

Values = npt.NDArray[np.float64]

y_true = [1, 0, 0, 1]
y_score = np.array([2.0, 1.0, 2.0, 1.0])
qid = ["a", "a", "b", "b"]

# A metric is a number, and an array with average=None.
a: float = ndcg_score(y_true, y_score, qid=qid, k=10, gain="linear")
weighted: float = mrr_score(y_true, y_score, qid=qid, average="weighted")
each: Values = hits_at_k_score(y_true, y_score, qid=qid, k=1, average=None)
assert isinstance(a, float)
assert isinstance(weighted, float)
assert each.dtype == np.float64


def either(average: bool) -> float | Values:
    """Return what depends on a variable."""
    return mrr_score(y_true, y_score, qid=qid, average="macro" if average else None)


assert isinstance(either(True), float)
assert isinstance(either(False), np.ndarray)


# Several metrics, among them one of the user's own.
def led(ranking: RankedQueries) -> npt.NDArray[Any]:
    """Return the probability that a relevant document is on top."""
    return ranking.expected_at_first(lambda rank: rank == 1)


scores: dict[str, float] = evaluate(y_true, y_score, ["mrr", "ndcg@10", led], qid=qid)
by_rule: dict[str, float] = evaluate(
    y_true, y_score, "mrr", qid=qid, convention="trec_eval", doc_id=qid
)
assert set(scores) == {"mrr", "ndcg@10", "led"}
assert set(by_rule) == {"mrr"}
rules: Mapping[str, Any] = CONVENTIONS
assert "trec_eval" in rules

# Several rankers.
table: QueryScores = score_queries(
    y_true, {"one": y_score, "other": -y_score}, ["mrr"], qid=qid, ties="pessimistic"
)
rankers: tuple[str, ...] = table.rankers
shape: tuple[int, ...] = table["one"].values.shape
joined: QueryScores = QueryScores.concat([table])
mean: float = joined.summary()["one"]["mrr"]
assert (rankers, shape, type(mean)) == (("one", "other"), (1, 1, 2), float)

# Rankers, splitters and scorers.
X, y, queries = make_ranking(30, random_state=0)
ranker: QueryRanker = QueryRanker(Ridge(), random_state=0).fit(X, y, qid=queries)
positions: npt.NDArray[Any] = ranker.rank(X, qid=queries)
fraction: float = ranker.score(X, y, qid=queries)
base: RankingEstimator = PairwiseRanker(max_pairs=10)
with config_context(enable_metadata_routing=True):
    requested: QueryRanker = QueryRanker(Ridge()).set_fit_request(sample_weight=True)
ranks: bool = is_ranker(requested) and is_ranker(base)
assert positions.min() == 1
assert ranks
assert isinstance(fraction, float)
for train, test in QueryKFold(3, shuffle=True).split(X, y, qid=queries):
    sizes: tuple[int, int] = (train.size, test.size)
    assert sum(sizes) == len(y)
n_splits: int = QueryKFold().get_n_splits()
X_train, X_test = query_train_test_split(X, qid=queries, test_size=0.5)
scorer = make_ranking_scorer("ndcg_at_10", gain="linear")
value: float = scorer(ranker, X, y, qid=queries)
same: float = get_scorer("ndcg@10")(ranker, X, y, qid=queries)
assert n_splits == 5
assert 0 < value <= 1
assert 0 < same <= 1
assert len(X_train) + len(X_test) == len(X)

# How sure the numbers are.
runs = {"ridge": ranker.predict(X), "first": X[:, 0]}
compared: QueryScores = score_queries(y, runs, ["mrr", "ndcg@10"], qid=queries)
comparison: RankerComparison = compare_rankers(compared)
of_table: ConfidenceIntervals = confidence_interval(compared["first"], method="t")
by_name: Values = mrr_score(y, runs["first"], qid=queries, average=None)
low: float = mean_interval(by_name, method="t").low
assert set(of_table) == {"first"}
with config_context(enable_metadata_routing=True):
    validated: QueryScores = cross_val_query_scores(
        ranker, X, y, scoring=["mrr"], cv=QueryKFold(3), params={"qid": queries}
    )
assert validated.values.size == 30
assert low == of_table["first"]["mrr"].low
assert "ridge" in str(comparison)

# Judgements and runs.
aligned = align({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 0.5, "d2": 0.7}})
reciprocal: dict[str, float] = evaluate(metrics=["mrr"], **aligned)
assert reciprocal == {"mrr": 1 / 2}
assert from_topk([[3, 4]], [4]).y_true.sum() == 1

# Link prediction and data sets.
nations = load_nations()
model = PopularityPredictor().fit(nations.train)
of_links: dict[str, float] = evaluate_link_prediction(
    model, nations.test[:9], known=None
)
of_sides: dict[str, float] = evaluate_link_prediction(
    model, nations.test[:9], known=None, by="side"
)["head"]
links: LinkRanks = rank_triples(model, nations.test[:9], known=None)
realistic: Values = links.realistic
data, target, ids = load_digits_retrieval(n_queries=2, return_X_y=True)
assert {"mrr"} <= set(of_links) & set(of_sides)
assert realistic.shape == (len(links),)
assert len(data) == len(target) == len(ids)

# Submodules that were not imported by name.
assert skrank.metrics.mrr_score is mrr_score
assert issubclass(skrank.exceptions.QuerySplitWarning, QuerySplitWarning)
assert skrank.__version__
