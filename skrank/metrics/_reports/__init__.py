"""Reports: why a metric differs, and how far ties move it."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause
