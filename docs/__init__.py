"""The site: pages, and the scripts that make what they show."""

# SPDX-License-Identifier: BSD-3-Clause
