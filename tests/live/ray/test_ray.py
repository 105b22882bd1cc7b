"""The recipe of the page on large data for Ray Data, with the numbers of arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import pytest
import ray

from skrank.metrics import QueryScores, evaluate, score_queries
from tests.drawn_tables import draw_shuffled

METRICS = ["ndcg@3", "map", "neg_median_rank"]

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def score_part(part):
    """Return the pickled scores of an Arrow table of whole queries."""
    if not len(part):
        return {"scores": []}
    y_true, y_score, qid = (part[name] for name in ("y_true", "y_score", "qid"))
    scores = score_queries(y_true, y_score, METRICS, qid=qid)
    return {"scores": [pickle.dumps(scores)]}


def test_parts_of_ray_data_have_the_summary_of_arrays():
    frame = draw_shuffled()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        table = ray.data.from_pandas(frame)
        parts = table.repartition(3, keys=["qid"]).map_batches(
            score_part, batch_size=None, batch_format="pyarrow"
        )
        scores = QueryScores.concat(
            pickle.loads(row["scores"]) for row in parts.iter_rows()
        )
    finally:
        ray.shutdown()
    names = ("y_true", "y_score", "qid")
    expected = evaluate(**{name: frame[name] for name in names}, metrics=METRICS)
    assert scores.summary() == expected
