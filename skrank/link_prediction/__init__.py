"""Link prediction in knowledge graphs: evaluation, selection and baselines."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.link_prediction.predictors import (
    LinkPredictor,
    PopularityPredictor,
    PyKEENPredictor,
    from_pykeen,
)
from skrank.link_prediction.ranks import (
    LinkRanks,
    evaluate_link_prediction,
    rank_triples,
)
from skrank.link_prediction.triples import (
    SampledNegatives,
    TripleShuffleSplit,
    type_constraints,
)

__all__ = [
    "LinkPredictor",
    "LinkRanks",
    "PopularityPredictor",
    "PyKEENPredictor",
    "SampledNegatives",
    "TripleShuffleSplit",
    "evaluate_link_prediction",
    "from_pykeen",
    "rank_triples",
    "type_constraints",
]


def __dir__():
    return __all__
