"""Metrics of tables: files, data frames, and data larger than the memory."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.tables._score_table import score_table

__all__ = ["score_table"]
