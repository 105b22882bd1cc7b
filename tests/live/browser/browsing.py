"""A site on this machine, and a browser that looks at its pages."""

# SPDX-License-Identifier: BSD-3-Clause

import base64
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from tests.processes import PATIENCE

LOOK = Path(__file__).with_name("look.js").read_text("utf-8")

# The browser asks nobody but the site, which has to work without a network.
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# Pictures of the browser repeat themselves further down.
TALLEST_PICTURE = 16_000


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Print nothing."""


@contextmanager
def serve(folder):
    """Serve a folder at the address that is returned."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Silent, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()


class Browser:
    """Chromium, without a window and without a network."""

    def __init__(self, profile):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for option in [*OPTIONS, f"--user-data-dir={profile}"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)

    def open(self, address, width, scheme="light"):
        """Open a page as somebody who sees the site for the first time."""
        self.width = width
        scheme = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [scheme]}
        )
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.execute_cdp_cmd(
            "Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"}
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False},
        )
        self.driver.get(address)

    def look(self):
        """Return what is wrong with the page, in sentences."""
        found = self.driver.execute_async_script(LOOK)
        errors = [
            f"an error in the console: {entry['message']}"
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]
        return found + errors

    def results(self, seconds=20):
        """Wait for results of the search on this page, and return their number."""
        count = "return document.querySelectorAll('#search-results li').length"
        wait = WebDriverWait(self.driver, seconds)
        return wait.until(lambda driver: driver.execute_script(count))

    def first_results(self, n, seconds=20):
        """Wait until the search has ended, and return the paths of the first pages."""
        ended = "return document.querySelector('.search-summary')?.innerText"
        wait = WebDriverWait(self.driver, seconds)
        wait.until(lambda driver: driver.execute_script(ended))
        links = "return [...document.querySelectorAll('#search-results li > a')]"
        return self.driver.execute_script(f"{links}.map((link) => link.pathname)")[:n]

    def keep(self, file):
        """Write a picture of the page as far as it goes down."""
        tall = "return document.documentElement.scrollHeight"
        height = min(self.driver.execute_script(tall), TALLEST_PICTURE)
        clip = {"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1}
        picture = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"captureBeyondViewport": True, "clip": clip, "optimizeForSpeed": True},
        )
        file.write_bytes(base64.b64decode(picture["data"]))
