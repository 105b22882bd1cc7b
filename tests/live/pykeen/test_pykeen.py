"""PyKEEN's models and evaluators, really run, beside the adapter and its metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from pykeen.datasets import Nations
from pykeen.evaluation import MacroRankBasedEvaluator, RankBasedEvaluator
from pykeen.pipeline import pipeline

from skrank.link_prediction import from_pykeen, rank_triples

pytestmark = pytest.mark.filterwarnings("default")

EVALUATORS = {"rank": RankBasedEvaluator, "question": MacroRankBasedEvaluator}

# What skrank does not have.
LEFT_OUT = {
    "variance",
    "standard_deviation",
    "median_absolute_deviation",
    "adjusted_geometric_mean_rank_index",
    "z_geometric_mean_rank",
    "z_arithmetic_mean_rank",
    "z_inverse_harmonic_mean_rank",
    "z_hits_at_k",
}
# With weights, PyKEEN rounds one over a median that is an integer to 0.
OTHERWISE = {"question": {"inverse_median_rank"}, "rank": set()}
# Its results name these without their k.
WITHOUT_K = {"adjusted_hits_at_k"}


@pytest.fixture(
    scope="module", params=[("TransE", False), ("ComplEx", False), ("DistMult", True)]
)
def trained(request):
    name, inverse = request.param
    dataset = Nations(create_inverse_triples=inverse)
    result = pipeline(
        dataset=dataset,
        model=name,
        training_kwargs={"num_epochs": 5, "use_tqdm": False},
        evaluation_kwargs={"use_tqdm": False},
        random_seed=1,
    )
    return dataset, result.model


def labelled(factory):
    return factory.label_triples(factory.mapped_triples)


@pytest.mark.parametrize("average", EVALUATORS)
def test_every_metric_of_every_side_and_tie_type_is_that_of_pykeen(trained, average):
    dataset, model = trained
    known = dataset.training.mapped_triples, dataset.validation.mapped_triples
    expected = EVALUATORS[average](filtered=True).evaluate(
        model=model,
        mapped_triples=dataset.testing.mapped_triples,
        additional_filter_triples=list(known),
        use_tqdm=False,
    )
    ours = from_pykeen(model, dataset.training)
    valid = labelled(dataset.validation)
    ranks = rank_triples(ours, labelled(dataset.testing), known=valid)
    compared = set()
    for key, value in expected.to_flat_dict().items():
        side, ties, metric = key.split(".")
        if metric in LEFT_OUT | WITHOUT_K | OTHERWISE[average]:
            continue
        by = None if side == "both" else "side"
        found = ranks.evaluate(metric, ties=ties, average=average, by=by)
        found = found[metric] if by is None else found[side][metric]
        # PyKEEN keeps realistic ranks in single precision.
        assert found == pytest.approx(value, rel=1e-5, abs=1e-5), key
        compared.add(metric)
    assert "adjusted_inverse_harmonic_mean_rank" in compared


def test_without_a_factory_entities_are_numbers(trained):
    dataset, model = trained
    named = from_pykeen(model, dataset.training)
    numbers = from_pykeen(model)
    X = np.asarray(dataset.testing.mapped_triples)
    scores = named.predict(labelled(dataset.testing))
    np.testing.assert_array_equal(numbers.predict(X), scores)
