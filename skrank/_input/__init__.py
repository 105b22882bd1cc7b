"""What comes in, whatever its type: the checks of it, and where query ids are."""

# SPDX-License-Identifier: BSD-3-Clause
