"""The plugin: scorers, and their names in scikit-learn."""

# SPDX-License-Identifier: BSD-3-Clause
