"""The plugin: scorers, and their names in scikit-learn.

The public names are in `skrank` and `skrank.metrics`. Pickles hold the paths of here.
"""

# SPDX-License-Identifier: BSD-3-Clause
