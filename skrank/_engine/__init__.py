"""How a request for a metric becomes a number."""

# SPDX-License-Identifier: BSD-3-Clause
