"""The example that compares rankers, on files and without libraries."""

# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

import numpy as np
import pytest

from skrank.datasets import make_ranking
from tests import processes

EXAMPLE = Path(__file__).parents[3] / "examples" / "compare_rankers.py"
RANKERS = ["LGBMRanker", "XGBRanker", "CatBoostRanker"]

# An entry of None makes an import fail as if nothing were installed.
WITHOUT = """
import runpy, sys
for name in {missing!r}:
    sys.modules[name] = None
sys.argv = {argv!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def folder(tmp_path):
    """Files in the format of LightGBM's example."""
    X, y, qid = make_ranking(80, n_features=4, n_informative=3, random_state=0)
    for part, rows in (("train", qid < 40), ("test", qid >= 40)):
        lines = [
            f"{grade} " + " ".join(f"{i}:{x:.4f}" for i, x in enumerate(row, start=1))
            for grade, row in zip(y[rows], X[rows], strict=True)
        ]
        (tmp_path / f"rank.{part}").write_text("\n".join(lines) + "\n", "utf-8")
        sizes = np.unique(qid[rows], return_counts=True)[1]
        np.savetxt(tmp_path / f"rank.{part}.query", sizes, fmt="%d")
    return tmp_path


def run(folder, missing=()):
    code = WITHOUT.format(missing=list(missing), argv=[str(EXAMPLE), str(folder)])
    return processes.run([sys.executable, "-c", code], check=True).stdout


def test_files_of_lightgbms_example_are_read_and_every_ranker_compared(folder):
    lines = run(folder).splitlines()
    assert lines[1].startswith("40 queries, ")
    assert "test NDCG@10" in lines[3]
    values = {line[:18].strip(): line[18:].split() for line in lines[4:]}
    assert list(values) == [*RANKERS, "Ridge, pointwise"]
    for name, row in values.items():
        assert 0.4 < float(row[0]) < 1
        assert 0.4 < float(row[-1]) < 1
        assert all(int(kept) > 0 for kept in row[3:8] if name in RANKERS)


def test_absent_libraries_are_said(folder):
    (folder / "rank.test.query").unlink()
    output = run(folder, missing=["xgboost", "catboost"])
    assert "LGBMRanker" in output
    assert "XGBRanker" not in output
    for name in ("xgboost", "catboost"):
        assert f'{name} is not installed: pip install ".[rankers]"' in output
