"""Ranking evaluation as a first-class task in scikit-learn.

Importing the package makes its scorer names, such as "mrr" and "ndcg@10", known to
scikit-learn.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.metrics._scoring.registry import register_scorers, unregister_scorers

__all__ = ["register_scorers", "unregister_scorers"]
__version__ = "0.1.0"

register_scorers()
