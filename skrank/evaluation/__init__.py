"""What comes out: many metrics of one ranking, by query, by list and in reports."""

# SPDX-License-Identifier: BSD-3-Clause
