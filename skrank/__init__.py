"""Ranking evaluation as a first-class task in scikit-learn."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

__version__ = "0.1.0"
