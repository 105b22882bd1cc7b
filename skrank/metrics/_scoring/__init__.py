"""Scorers: they read the predictions and the query ids of estimators."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause
