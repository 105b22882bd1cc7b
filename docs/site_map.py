"""Pages below other pages in the sidebar, and the addresses that pages had before.

Sphinx finds these functions by the names in `conf.py`. The pages themselves have no
lists of pages, which GitHub does not show.
"""

# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path

# The pages below a page of the user guide.
BELOW = {
    "metrics": [
        "metrics_first_relevant",
        "metrics_binary",
        "metrics_graded",
        "metrics_cascade",
        "metrics_agreement",
        "metrics_adjusted",
        "ties",
    ],
    "is_it_better": ["comparing_with_care", "two_samples", "two_lists"],
    "beyond_relevance": ["recommender", "metrics_beyond_relevance", "catalogue"],
    "training_loops": ["integrations", "trackers"],
}

# Each line is an address that a page had, and the one that it has now.
OLD_ADDRESSES = Path(__file__).with_name("old_addresses.txt")

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<link rel="icon" href="data:,">
<link rel="canonical" href="{new}">
<meta http-equiv="refresh" content="0; url={new}">
<script>location.replace("{new}" + location.hash)</script>
</head>
<body><p>This page has moved: <a href="{new}">{new}</a></p></body>
</html>
"""


def add_pages_below(app, docname, source):
    """Put the pages below a page into the sidebar."""
    if docname in BELOW:
        lines = ["", ".. toctree::", "   :hidden:", ""]
        lines += [f"   {page}" for page in BELOW[docname]]
        source[0] += "\n".join([*lines, ""])


def old_addresses():
    """Return the new address of each old one."""
    return dict(map(str.split, OLD_ADDRESSES.read_text("utf-8").splitlines()))


def write_old_pages(app, exception):
    """Write a page at each old address that leads to the new one."""
    if exception is None and app.builder.format == "html":
        for old, new in old_addresses().items():
            link = os.path.relpath(new, Path(old).parent)
            Path(app.outdir, old).write_text(PAGE.format(new=link), "utf-8")
