"""Write the files of the site that are computed: tables, pictures and link targets.

    python docs/make.py conventions
    python docs/make.py pictures ties folds
    python docs/make.py --check pictures ties

The subcommands are the modules of `docs/makers`; the words after one are the files to
make, or all of them. `--check` writes nothing and names the files that are out of date.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
if __name__ == "__main__":
    sys.path[0] = str(DOCS.parent)

PARTS = sorted(part.name for part in pkgutil.iter_modules([str(DOCS / "makers")]))


def make(part, *names):
    """Return the text or bytes of the files of a part, by path within `docs`."""
    return importlib.import_module(f"docs.makers.{part}").files(*names)


def outdated(part, *names):
    """Return the files of a part that are not what would be written now."""
    return [
        path
        for path, content in make(part, *names).items()
        if not (DOCS / path).exists() or (DOCS / path).read_bytes() != as_bytes(content)
    ]


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    commands = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for part in PARTS:
        module = DOCS / "makers" / f"{part}.py"
        about = module.read_text("utf-8").partition('"""')[2].partition("\n")[0]
        command = commands.add_parser(part, help=about.strip('"'))
        command.add_argument("names", nargs="*", help="only these files of the part")
    arguments = parser.parse_args()
    if arguments.check:
        found = outdated(arguments.part, *arguments.names)
        sys.exit(f"out of date: {', '.join(found)}" if found else 0)
    for path, content in make(arguments.part, *arguments.names).items():
        (DOCS / path).parent.mkdir(exist_ok=True)
        (DOCS / path).write_bytes(as_bytes(content))
        print(path)


if __name__ == "__main__":
    main()
