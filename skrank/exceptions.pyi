# Types of skrank.exceptions, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off



__all__ = ["QuerySplitWarning"]

class QuerySplitWarning(UserWarning):
    ...
