"""Estimates from clicks beside those of the Open Bandit Pipeline."""

# SPDX-License-Identifier: BSD-3-Clause

import json

import numpy as np
import pytest

from skrank.metrics import evaluate
from tests.other_libraries.click_peers import CLIP, FILE, N_QUERIES, K, draw_log

NAMES = {
    "precision, ips": f"psp(normalize='k', clip={{}})@{K}",
    "precision, self": f"psp(normalize='self', clip={{}})@{K}",
    "dcg, ips": "psndcg(normalize=None, clip={})",
    "dcg, self": "psndcg(normalize='self', clip={})",
    "reciprocal, ips": "psndcg(normalize=None, discount='reciprocal', clip={})",
    "reciprocal, self": "psndcg(normalize='self', discount='reciprocal', clip={})",
}


@pytest.mark.parametrize("clip", [0.0, CLIP])
@pytest.mark.parametrize("name", NAMES)
def test_an_estimate_is_that_of_obp(name, clip):
    clicks, propensity, scores = draw_log()
    qid = np.repeat(np.arange(N_QUERIES), clicks.shape[1])
    metric = NAMES[name].format(clip)
    found = evaluate(
        clicks.ravel(), scores.ravel(), metric, qid=qid, propensity=propensity.ravel()
    )[metric]
    theirs = json.loads(FILE.read_text("utf-8"))[f"{name}, {clip}"]
    if name == "precision, self":  # divided by k there
        theirs *= K
    assert found == pytest.approx(theirs, abs=1e-12)
