"""Fused runs beside those of ranx, where it is installed."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank.tables import fuse
from tests.other_libraries import peers

METHODS = {"rrf": "rrf", "isr": "isr", "borda": "bordafuse"} | {
    name: name for name in ("sum", "mnz", "max")
}
NORMS = {"min-max": "min-max", "max": "max", "sum": "sum", "z": "zmuv", "rank": "rank"}
CASES = [
    (method, norm)
    for method in METHODS
    for norm in (NORMS if method in ("sum", "mnz", "max") else [None])
]


def draw(seed):
    """Return three runs of 20 queries without equal scores, by falling score."""
    rng, runs = np.random.default_rng(seed), {}
    for name in "abc":
        runs[name] = {}
        for query in range(20):
            documents = rng.choice(30, size=rng.integers(2, 20), replace=False)
            scores = sorted(rng.random(len(documents)).tolist(), reverse=True)
            ids = [f"d{document}" for document in documents]
            runs[name][f"q{query}"] = dict(zip(ids, scores, strict=True))
    return runs


# What Python says when it compiles ranx, and numba when it compiles what ranx calls.
@pytest.mark.filterwarnings("ignore:.*invalid escape sequence")
@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
@pytest.mark.skipif(not peers.is_installed("ranx"), reason="ranx is not installed")
@pytest.mark.slow
@pytest.mark.parametrize(("method", "norm"), CASES)
def test_fused_scores_are_those_of_ranx(method, norm):
    import ranx

    for seed in range(3):
        runs = draw(seed)
        theirs = ranx.fuse(
            [ranx.Run(run) for run in runs.values()],
            norm=norm and NORMS[norm],
            method=METHODS[method],
        ).to_dict()
        ours = fuse(runs, method, norm=norm)
        rows = zip(*(ours[name].tolist() for name in ours), strict=True)
        got = {(query, document): score for query, document, score in rows}
        expected = {(q, d): s for q, run in theirs.items() for d, s in run.items()}
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-13)
