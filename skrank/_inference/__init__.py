"""Intervals and tests over independent units, from arrays.

A unit is what was drawn at random: a query, or all queries of a user. Every estimate
here is a ratio of two sums over the units, R = (t_1 + ... + t_n) / (b_1 + ... + b_n).
That is the mean if every bottom b is 1, a weighted mean if it is the weight, and a
metric adjusted for chance if it is the difference between the best value and the
expected one.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause
