"""Let the test modules import the reference and the benchmarks beside them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

# pytest's importlib mode, which lets two folders hold a test of the same name, leaves
# sys.path alone.
HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE / "benchmarks"), str(HERE / "other_libraries")]
