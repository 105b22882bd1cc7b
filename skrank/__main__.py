"""The command line: `python -m skrank`, and `skrank` where it is installed."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

from skrank._shell.commands import main

if __name__ == "__main__":
    sys.exit(main())
