"""Scorers: what knows estimators, their predictions and their query ids."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause
