"""Links of a site that lead nowhere, found in its files."""

# SPDX-License-Identifier: BSD-3-Clause

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """The links of a page, and the anchors that links can name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = {}, {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found.get("id"), found.get("name")}
        for name in ("href", "src", "data"):
            if found.get(name) and tag != "base":
                self.links[found[name]] = self.getpos()[0]


def dead_links(site):
    """Return a line for each link to mail, or to a file or anchor that is missing."""
    # The files of the theme are parts of pages.
    files = [
        file
        for file in sorted(site.rglob("*.html"))
        if "_static" not in file.relative_to(site).parts
    ]
    pages = {file.resolve(): Links(file.read_text("utf-8")) for file in files}
    return [
        f"{file.relative_to(site.resolve())} line {line}: {what}: {link}"
        for file, page in pages.items()
        for link, line in page.links.items()
        if (what := fault(link, file, pages))
    ]


def fault(link, file, pages):
    """Say what is wrong with a link, or return None."""
    parts = urlsplit(link)
    if parts.scheme == "mailto":
        return "a link writes a mail"
    if parts.scheme or parts.netloc:
        return None
    # The path "/page.html" would leave a site that is a folder of its host.
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "no such file"
    if target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "no such anchor"
    return None
