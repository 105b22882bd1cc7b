"""How often a call calls each function of skrank."""

# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections import Counter


def count_all_calls(call):
    """Return how often a call calls each function of skrank, in this thread."""
    n_calls = Counter()

    def note(frame, event, _):
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event == "call" and module.startswith("skrank.") and name[0] != "<":
            n_calls[f"{module}.{name}"] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return n_calls
