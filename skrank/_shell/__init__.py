"""The parts of the command line: arguments, the files that it reads, the output."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._shell import arguments, files, output

__all__ = ["arguments", "files", "output"]
