"""The table of published metrics and those of skrank on Nations.

PyKEEN's authors published the ranks with the metrics. The tests keep the ranks.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path

import numpy as np

from skrank.link_prediction import LinkRanks

RECORDED = Path(__file__).parents[2] / "tests" / "link_prediction" / "nations.json"
MODELS = {"transe": "TransE", "complex": "ComplEx", "rotate": "RotatE"}
METRICS = [
    "arithmetic_mean_rank",
    "median_rank",
    "geometric_mean_rank",
    "inverse_harmonic_mean_rank",
    "hits_at_1",
    "hits_at_3",
    "hits_at_10",
    "adjusted_arithmetic_mean_rank",
    "adjusted_arithmetic_mean_rank_index",
    "adjusted_hits_at_3",
]


def counted_ranks(counted):
    """Return ranks from (rank, number of candidates, how often)."""
    rank, n_candidates, count = np.concatenate(list(counted.values())).T
    n_ranks = count.sum()
    same = np.zeros(n_ranks, dtype=int)
    return LinkRanks(
        side=same,
        triple=np.arange(n_ranks),
        relation=same,
        category=same,
        above=np.repeat(rank - 1, count),
        tied=same,
        n_candidates=np.repeat(n_candidates, count),
        weight=np.ones(n_ranks),
    )


def files():
    """Return the table, with skrank's metrics computed anew."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    values = {}
    for name in MODELS:
        published = recorded["published"][name]["both"]
        ranks = counted_ranks(recorded["ranks"][name])
        found = ranks.evaluate(METRICS, convention="pykeen")
        for metric in METRICS:
            values[name, metric] = published[metric], found[metric]
    lines = [".. list-table::", "   :header-rows: 2", ""]
    rows = [["", *[cell for model in MODELS.values() for cell in (model, "")]]]
    rows += [["metric", *["published", "skrank"] * len(MODELS)]]
    for metric in METRICS:
        pairs = [values[name, metric] for name in MODELS]
        rows.append([metric, *[f"{value:.6f}" for pair in pairs for value in pair]])
    for row in rows:
        lines += [f"   {'-' if i else '*'} - {cell}" for i, cell in enumerate(row)]
    text = "\n".join(line.replace("   - - ", "     - ").rstrip() for line in lines)
    return {"development/tables/nations.rst": text + "\n"}
