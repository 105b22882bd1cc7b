"""The tests of skrank, which import their helpers from here by name."""

# SPDX-License-Identifier: BSD-3-Clause
