"""The example of a ranker of one's own is an estimator as scikit-learn wants them."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skrank.datasets import make_ranking

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_ranker.py"
# The page also searches and draws; only what it defines is wanted here.
DEFINES = ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef
TREE = ast.parse(EXAMPLE.read_text("utf-8"))
TREE.body = [node for node in TREE.body if isinstance(node, DEFINES)]
own_ranker = sys.modules["own_ranker"] = ModuleType("own_ranker")
exec(compile(TREE, EXAMPLE, "exec"), own_ranker.__dict__)
ListNet = own_ranker.ListNet

CHECKS = parametrize_with_checks([ListNet(missing_qid="single")])
# As in the checks of the other rankers.
PAIRS = [pair for pair in CHECKS.args[1] if "array_api" not in str(pair)]


@pytest.mark.parametrize(CHECKS.args[0], PAIRS, **CHECKS.kwargs)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


@pytest.mark.slow
def test_the_fit_comes_near_the_chances_that_it_is_fitted_to():
    X, y, qid = make_ranking(100, n_grades=3, random_state=0)
    ranker = ListNet(alpha=0.0, max_iter=500).fit(X, y, qid=qid)
    slope = []
    for query in range(100):
        rows = qid == query
        chance = np.exp(ranker.predict(X[rows]))
        target = np.exp(y[rows].astype(float))
        excess = chance / chance.sum() - target / target.sum()
        slope.append(X[rows].T @ excess / ranker.scale_)
    assert np.abs(np.mean(slope, axis=0)).max() < 1e-3


def test_the_estimator_takes_less_than_40_lines():
    nodes = [node for node in TREE.body if hasattr(node, "name")]
    assert sum(node.end_lineno - node.lineno + 1 for node in nodes) < 40
