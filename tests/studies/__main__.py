"""Measure the tables of a study: ``python -m tests.studies STUDY``."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

from tests.studies.tables import run

run(*sys.argv[1:])
