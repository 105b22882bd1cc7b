"""Let the test modules import the reference that stands beside them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

# pytest's importlib mode, which lets two folders hold a test of the same name, leaves
# sys.path alone.
sys.path.append(str(Path(__file__).parent))
