"""What goes out as words: docstrings, tables, and errors of missing packages."""

# SPDX-License-Identifier: BSD-3-Clause
