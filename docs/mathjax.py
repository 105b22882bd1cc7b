"""Put MathJax into the built site, so that formulas need no network.

MathJax comes from the npm registry when a site is built for the first time: `npm`
keeps what it has downloaded. Without npm the formulas come from MathJax's CDN, and the
build warns, which is an error with `--fail-on-warning`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import fnmatch
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VERSION = "3.2.2"
# The program, its extensions, which a formula loads where it needs them, and its fonts.
FILES = [
    "package/LICENSE",
    "package/es5/tex-chtml.js",
    "package/es5/input/tex/extensions/*.js",
    "package/es5/output/chtml/fonts/woff-v2/*.woff",
]
CDN = f"https://cdn.jsdelivr.net/npm/mathjax@{VERSION}/es5/tex-chtml.js"


def put_mathjax(static):
    """Write MathJax to a folder of the site unless it is there.

    Returns the path of the program in the folder `static`, or its address in the CDN
    together with the reason why it is not there.
    """
    folder = f"mathjax-{VERSION}"
    if not (Path(static) / folder).exists():
        try:
            with tempfile.TemporaryDirectory() as tmp:
                unpack(download(tmp), Path(static) / folder)
        except OSError as error:
            return CDN, str(error)
    return f"{folder}/es5/tex-chtml.js", None


def download(folder):
    """Return the path of the package of MathJax, as npm packs it."""
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    name = f"mathjax@{VERSION}"
    command = [npm, "pack", name, "--prefer-offline", "--pack-destination", folder]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    except subprocess.SubprocessError:
        raise OSError(f"npm pack {name} failed") from None
    return Path(folder) / f"mathjax-{VERSION}.tgz"


def unpack(package, target):
    """Unpack the files that the site needs, all of them or none."""
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(package) as archive:
        for member in archive:
            if any(fnmatch.fnmatchcase(member.name, pattern) for pattern in FILES):
                path = partial / member.name.removeprefix("package/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.extractfile(member).read())
    partial.rename(target)
