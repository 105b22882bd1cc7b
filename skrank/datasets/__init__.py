"""Data sets without a download: real digits, a knowledge graph, synthetic lists."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.datasets.loaders import load_digits_retrieval, load_nations
from skrank.datasets.synthetic import make_ranking

__all__ = ["load_digits_retrieval", "load_nations", "make_ranking"]
