"""The example of a link predictor of one's own scores and learns as its page says."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import pickle
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone

from skrank.datasets import load_nations
from skrank.link_prediction import PopularityPredictor

EXAMPLE = Path(__file__).parents[2] / "examples" / "link_prediction.py"
# The page also searches and draws; only what it defines is wanted here.
DEFINES = ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef
TREE = ast.parse(EXAMPLE.read_text("utf-8"))
TREE.body = [node for node in TREE.body if isinstance(node, DEFINES)]
page = sys.modules["own_link_predictor"] = ModuleType("own_link_predictor")
exec(compile(TREE, EXAMPLE, "exec"), page.__dict__)

NATIONS = load_nations()


def test_the_score_is_that_of_the_paper():
    model = page.ComplEx(3, max_iter=1, random_state=0).fit(NATIONS.train)
    entity, of_relation = model.entity_vectors_, model.relation_vectors_
    X = NATIONS.test[:2]
    h, t = (np.searchsorted(NATIONS.entities, X[:, i]) for i in (0, 2))
    r = np.searchsorted(NATIONS.relations, X[:, 1])
    for i in range(2):
        tails = [np.sum(entity[h[i]] * of_relation[r[i]] * e.conj()) for e in entity]
        backwards = of_relation[r[i] + 55]
        heads = [np.sum(entity[t[i]] * backwards * e.conj()) for e in entity]
        np.testing.assert_allclose(model.score_tails(X)[i], np.real(tails))
        np.testing.assert_allclose(model.score_heads(X)[i], np.real(heads))


def test_it_steps_along_the_gradient_of_its_loss():
    rng = np.random.default_rng(0)
    parts = rng.normal(size=(2, 5, 6)).view(complex)
    given, relation, answer = rng.integers(5, size=(3, 7))

    def loss(entity, of_relation):
        g, r, a = entity[given], of_relation[relation], entity[answer]
        scores = np.real((g * r) @ entity.conj().T)
        fit = logsumexp(scores, axis=1) - scores[np.arange(7), answer]
        cubes = sum(np.sum(np.abs(vectors) ** 3) for vectors in (g, r, a))
        return np.mean(fit) + 0.1 * cubes / 7

    gradients = page.loss_gradients(*parts, given, relation, answer, 0.1)
    for which, i, j, turn in [(0, 1, 2, 1), (0, 4, 0, 1j), (1, 2, 1, 1), (1, 0, 2, 1j)]:
        step = np.zeros_like(parts)
        step[which, i, j] = 1e-5 * turn
        slope = (loss(*(parts + step)) - loss(*(parts - step))) / 2e-5
        gradient = gradients[which][i, j]
        found = gradient.real if turn == 1 else gradient.imag
        assert found == pytest.approx(slope, abs=1e-8)


@pytest.mark.slow
def test_it_learns_and_does_so_again_from_its_seed():
    model = page.ComplEx(random_state=1).fit(NATIONS.train)
    popular = PopularityPredictor().fit(NATIONS.train)
    assert model.score(NATIONS.test) > popular.score(NATIONS.test) + 0.1
    again = clone(model).fit(NATIONS.train)
    pickled = pickle.loads(pickle.dumps(model))
    for one in (again, pickled):
        np.testing.assert_array_equal(
            one.predict(NATIONS.test), model.predict(NATIONS.test)
        )


def test_the_model_takes_no_more_than_60_lines():
    nodes = [node for node in TREE.body if hasattr(node, "name")]
    assert sum(node.end_lineno - node.lineno + 1 for node in nodes) <= 60
