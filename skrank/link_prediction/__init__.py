"""Link prediction in knowledge graphs: evaluation, selection and baselines."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank.link_prediction._candidates import type_constraints
from skrank.link_prediction._complex import ComplEx
from skrank.link_prediction._evaluate import evaluate_link_prediction
from skrank.link_prediction._link_ranks import LinkRanks
from skrank.link_prediction._mixin import LinkPredictor
from skrank.link_prediction._popularity import PopularityPredictor
from skrank.link_prediction._pykeen import from_pykeen
from skrank.link_prediction._rank_triples import rank_triples
from skrank.link_prediction._sampled_negatives import SampledNegatives
from skrank.link_prediction._scorer import make_link_prediction_scorer

__all__ = [
    "ComplEx",
    "LinkPredictor",
    "LinkRanks",
    "PopularityPredictor",
    "SampledNegatives",
    "evaluate_link_prediction",
    "from_pykeen",
    "make_link_prediction_scorer",
    "rank_triples",
    "type_constraints",
]

publish(__name__)
