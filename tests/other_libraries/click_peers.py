"""Estimates from clicks by the Open Bandit Pipeline.

The numbers in `clicks.json` are those of obp 0.5.5 (github.com/st-tech/zr-obp), whose
requirements are old: ``pip install --no-deps obp``, and what it then fails to import.
``python -m tests.other_libraries.click_peers`` draws the log and writes them again.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("clicks.json")
N_QUERIES, N_DOCUMENTS, K, CLIP = 40, 8, 5, 0.2
# What the document at a new rank is worth.
WORTH = {
    "precision": lambda rank: (rank <= K) / K,
    "dcg": lambda rank: 1 / np.log2(rank + 1),
    "reciprocal": lambda rank: 1 / rank,
}


def draw_log():
    """Return the clicks, the probability of a look, and the new scores, by query."""
    rng = np.random.default_rng(0)
    shape = N_QUERIES, N_DOCUMENTS
    propensity = np.tile(1 / np.arange(1.0, N_DOCUMENTS + 1), (N_QUERIES, 1))
    clicks = (rng.random(shape) < 0.5) & (rng.random(shape) < propensity)
    scores = rng.permuted(np.tile(np.arange(N_DOCUMENTS), (N_QUERIES, 1)), axis=1)
    return clicks.astype(int), propensity, scores


def obp_values(clicks, propensity, scores):
    """Return the estimates of obp by name: IIPS, and SNIPW with a round per click."""
    from obp.ope import SelfNormalizedInverseProbabilityWeighting as Snipw
    from obp.ope import SlateIndependentIPS

    slates, values = SlateIndependentIPS(len_list=N_DOCUMENTS), {}
    rank = N_DOCUMENTS - scores
    slot = np.tile(np.arange(N_DOCUMENTS), (N_QUERIES, 1))
    slate = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    is_click = clicks.ravel() == 1
    for name, worth in WORTH.items():
        for clip in (0.0, CLIP):
            pscore = np.maximum(propensity, clip).ravel()
            values[f"{name}, ips, {clip}"] = slates.estimate_policy_value(
                slate_id=slate, reward=clicks.ravel(), position=slot.ravel(),
                pscore_item_position=pscore,
                evaluation_policy_pscore_item_position=worth(rank).ravel() / 1.0,
            )  # fmt: skip
            n = int(is_click.sum())
            values[f"{name}, self, {clip}"] = Snipw().estimate_policy_value(
                reward=worth(rank).ravel()[is_click] / 1.0,
                action=np.zeros(n, dtype=int), pscore=pscore[is_click],
                action_dist=np.ones((n, 1, 1)),
            )  # fmt: skip
    return {name: float(value) for name, value in values.items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(obp_values(*draw_log()), indent=1) + "\n", "utf-8")
