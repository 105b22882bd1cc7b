"""Ranking data without a download: real digits and synthetic graded lists."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.datasets._digits import load_digits_retrieval
from skrank.datasets._synthetic import make_ranking

__all__ = ["load_digits_retrieval", "make_ranking"]
