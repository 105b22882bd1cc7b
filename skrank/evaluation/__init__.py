"""What comes out: many metrics of one ranking, by query, by list and in reports.

The public names are in `skrank.metrics`. Pickles hold the paths of here.
"""

# SPDX-License-Identifier: BSD-3-Clause
