"""What can be wrong with a page of the site, in a browser and in its HTML.

Each check returns a list of problems, one line each.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import base64
import shutil
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Chromium's own services are turned off: the site must work without a network.
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--hide-scrollbars"),
]

# A line of code fits from this width on; a telephone scrolls it.
WIDTH_OF_CODE = 1000

# Pictures may load when they are scrolled to, and formulas after the page.
IS_READY = """
for (const image of document.images) image.loading = "eager";
const mathjax = window.MathJax && window.MathJax.startup;
const waits = [...document.images].filter(image => !image.complete);
if (document.readyState !== "complete" || waits.length) return false;
if (!document.querySelector(".math")) return true;
return !!document.querySelector("mjx-container") || !mathjax;
"""

CHECKS = r"""
const [widthOfCode] = arguments, found = [];
const root = document.documentElement, width = root.clientWidth;
const name = (element) => {
  const text = (element.textContent || element.src || "").trim().replace(/\s+/g, " ");
  const kind = element.tagName.toLowerCase();
  const classes = typeof element.className === "string" ? element.className : "";
  return `<${kind} class="${classes}"> ${text.slice(0, 50)}`;
};
const isShown = (element) => element.getClientRects().length > 0;
const scrolls = (element) => {
  for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
    if (getComputedStyle(e).overflowX !== "visible") return true;
  }
  return false;
};
if (root.scrollWidth > width) {
  const out = [...document.body.querySelectorAll("*")].filter(
    (e) => isShown(e) && !scrolls(e) && e.getBoundingClientRect().right > width + 1);
  const wide = out.map((e) => [e.getBoundingClientRect().right, e]);
  wide.sort((a, b) => b[0] - a[0]);
  const widest = wide.length ? name(wide[0][1]) : "?";
  found.push(`the page scrolls sideways: ${root.scrollWidth} px, ${widest}`);
}
for (const table of document.querySelectorAll("table")) {
  if (!isShown(table)) continue;
  for (const cell of table.querySelectorAll("th, td")) {
    if (cell.colSpan > 1 || !isShown(cell)) continue;
    const em = parseFloat(getComputedStyle(cell).fontSize);
    const size = cell.getBoundingClientRect().width / em;
    if (size < 5.99) {
      found.push(`a column of ${size.toFixed(1)} em: ${name(cell)} in ${name(table)}`);
      break;
    }
  }
}
for (const image of document.images) {
  if (!image.naturalWidth) found.push(`an image that is not there: ${image.src}`);
}
for (const math of document.querySelectorAll(".math")) {
  if (!math.querySelector("mjx-container")) {
    found.push(`a formula that is not rendered: ${name(math)}`);
  }
}
for (const error of document.querySelectorAll("mjx-merror, [data-mjx-error]")) {
  found.push(`a formula with an error: ${name(error)}`);
}
if (width >= widthOfCode) {
  for (const code of document.querySelectorAll("pre")) {
    if (isShown(code) && code.scrollWidth > code.clientWidth + 1) {
      const lines = code.textContent.split("\n");
      const longest = lines.reduce((a, b) => (b.length > a.length ? b : a));
      found.push(`a code line that is cut: ${longest.trim().slice(0, 60)}`);
    }
  }
}
for (const link of document.querySelectorAll('a[href^="mailto:"]')) {
  found.push(`a mailto link: ${link.getAttribute("href")}`);
}
for (const request of performance.getEntriesByType("resource")) {
  const url = new URL(request.name);
  if (url.protocol !== "data:" && url.origin !== location.origin) {
    found.push(`a request that leaves the site: ${request.name}`);
  }
}
return found;
"""


def open_browser():
    """Return a headless Chromium that records what its console says."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in [*FLAGS, f"--user-data-dir={tempfile.mkdtemp()}"]:
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Print nothing for each request."""


@contextmanager
def serve(folder):
    """Serve a folder on a free port of this machine, and yield its address."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def set_width(browser, width, height=900):
    """Make the page as wide as a screen, also narrower than a window can be."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
    metrics["mobile"] = False
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def wait_for(condition, seconds=15):
    """Return what `condition` returns as soon as that is true, or at last."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def open_page(browser, address, width):
    """Open a page and wait until its pictures and formulas are there."""
    set_width(browser, width)
    browser.get_log("browser")
    browser.get(address)
    wait_for(lambda: browser.execute_script(IS_READY))


def problems_of_page(browser):
    """Return what is wrong with the page that the browser shows."""
    found = browser.execute_script(CHECKS, WIDTH_OF_CODE)
    errors = [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    return found + [f"the console says: {error['message']}" for error in errors]


def screenshot(browser, path):
    """Write a picture of the whole page."""
    size = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
    options = {"captureBeyondViewport": True, "clip": {**clip, "scale": 1}}
    data = browser.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
    Path(path).write_bytes(base64.b64decode(data))


class _Links(HTMLParser):
    """The links of a page, and the anchors that links can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note the links and the anchors of an element."""
        attrs = dict(attrs)
        self.links += [attrs[name] for name in ("href", "src") if attrs.get(name)]
        self.anchors |= {attrs[name] for name in ("id", "name") if attrs.get(name)}


def dead_links(site):
    """Return the links of all pages that lead nowhere within the site."""
    site = Path(site).resolve()
    paths = sorted({*site.rglob("*.html")} - {*site.glob("_static/**/*")})
    pages = {path: _Links(path.read_text("utf-8")) for path in paths}
    found = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            where = f"{path.relative_to(site)}: {link}"
            if parts.scheme == "mailto":
                found.append(f"{where} is a mailto link")
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            anchors = pages[target].anchors if target in pages else None
            if not target.exists():
                found.append(f"{where} leads nowhere")
            elif anchors is not None and unquote(parts.fragment) not in anchors:
                found.append(f"{where} leads to no anchor")
    return found
