"""Data sets without a download: digits, visits, a knowledge graph, synthetic lists."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.datasets.loaders import (
    load_digits_retrieval,
    load_msweb,
    load_nations,
    make_ranking,
)

__all__ = ["load_digits_retrieval", "load_msweb", "load_nations", "make_ranking"]


def __dir__():
    return __all__
