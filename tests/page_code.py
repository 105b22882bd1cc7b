"""The blocks of code on the pages of the guide, which tests run."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import textwrap
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def sections(page):
    """Return the text of a page by the title above it."""
    text = (DOCS / page).read_text("utf-8")
    parts = re.split(r"^(.+)\n[=~-]{4,}$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def code(text):
    """Return the blocks of code in a text as one."""
    blocks = re.findall(r"\.\. code-block:: python\n\n((?: .*\n|\n)+)", text)
    return "\n".join(textwrap.dedent(block) for block in blocks)


def run_code(page, title, **names):
    """Run the code under a title of a page, and return all names."""
    exec(code(sections(page)[title]), names)
    return names
