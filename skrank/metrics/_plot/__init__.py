"""Displays of metrics, drawn by matplotlib."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause
