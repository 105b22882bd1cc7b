"""An adapter for models of PyKEEN."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib

import numpy as np

from skrank.link_prediction._mixin import BaseLinkPredictor
from skrank.link_prediction._triple_ids import HEAD, RELATION, TAIL


def from_pykeen(model, triples_factory=None):
    """Make a link predictor from a trained PyKEEN model.

    Parameters
    ----------
    model : pykeen.models.Model
        A trained model.
    triples_factory : pykeen.triples.CoreTriplesFactory, default=None
        The triples that it was trained on. They are filtered out in evaluation, and
        their labels, if the factory has them, are the ids of entities and relations. If
        None, the ids are PyKEEN's numbers.

    Returns
    -------
    predictor : PyKEENPredictor
        A fitted link predictor.

    See Also
    --------
    evaluate_link_prediction : The metrics of a link predictor.

    Notes
    -----
    The scores come from ``predict_t`` and ``predict_h`` of the model, so that a model
    with inverse relations predicts heads with them, as in PyKEEN's evaluation. They
    stay in single precision: scores that are tied in PyKEEN are tied here.

    Examples
    --------
    With PyKEEN installed::

        from pykeen.datasets import Nations
        from pykeen.pipeline import pipeline
        from skrank.link_prediction import evaluate_link_prediction, from_pykeen

        nations = Nations()
        result = pipeline(dataset=nations, model="TransE")
        model = from_pykeen(result.model, nations.training)
        test = nations.testing.label_triples(nations.testing.mapped_triples)
        evaluate_link_prediction(model, test, convention="pykeen")
    """
    return PyKEENPredictor(model, triples_factory).fit()


class PyKEENPredictor(BaseLinkPredictor):
    """A PyKEEN model, and the triples it was trained on, as a link predictor."""

    def __init__(self, model, triples_factory):
        self.model = model
        self.triples_factory = triples_factory

    def fit(self, X=None, y=None):
        """Read the ids; the model is trained already."""
        factory, n_entities = self.triples_factory, self.model.num_entities
        n_relations = getattr(self.model, "num_real_relations", None)
        if n_relations is None:
            n_relations = self.model.num_relations
        self.entities_ = _labels(factory, "entity_to_id", n_entities)
        self.relations_ = _labels(factory, "relation_to_id", n_relations)
        if factory is not None:
            positions = np.asarray(factory.mapped_triples)
            ends = self.entities_[positions[:, [HEAD, TAIL]]]
            relation = self.relations_[positions[:, RELATION]]
            self.triples_ = np.column_stack([ends[:, 0], relation, ends[:, 1]])
        return self

    def _score_tails(self, head, relation):
        return self._ask(self.model.predict_t, head, relation)

    def _score_heads(self, relation, tail):
        return self._ask(self.model.predict_h, relation, tail)

    def _ask(self, predict, *columns):
        torch = importlib.import_module("torch")
        pairs = torch.as_tensor(np.column_stack(columns), device=self.model.device)
        return predict(pairs).detach().cpu().numpy()


def _labels(factory, name, n_ids):
    """Return the labels of ids, or the ids themselves if the factory has none."""
    positions = getattr(factory, name, None)
    if positions is None:
        return np.arange(n_ids)
    labels = np.empty(n_ids, dtype=object)
    labels[list(positions.values())] = list(positions)
    return labels.astype(str)
