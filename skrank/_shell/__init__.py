"""The command line."""

# SPDX-License-Identifier: BSD-3-Clause
