"""The script of the page on large data draws its picture and measures what it says."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def script():
    file = DOCS / "make_large_data.py"
    spec = importlib.util.spec_from_file_location("make_large_data", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_current(script):
    text = (DOCS / "large_data.svg").read_text("utf-8")
    assert script.as_svg() == text, "run docs/make_large_data.py --picture"


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="it reads the memory from /proc"
)
def test_both_ways_compute_the_same_floats(script, tmp_path, capsys):
    table = script.make_rows(np.random.default_rng(0), 2000)
    assert len(table) == 2000
    parquet.write_table(table, tmp_path / "rows.parquet")
    printed = []
    for way in script.WAYS:
        script.run(way, tmp_path / "rows.parquet")
        _seconds, megabytes, values = capsys.readouterr().out.splitlines()
        assert float(megabytes) > 50
        printed.append(values)
    assert printed[0] == printed[1]


def test_the_table_is_what_the_script_writes(script):
    found = {(name, way): (2.0, 1000) for name in script.ORDERS for way in script.WAYS}
    expected = script.as_rst(found).splitlines()
    written = (DOCS / "tables/large_data.rst").read_text("utf-8").splitlines()
    assert len(written) == len(expected)
    assert "     - 1.00 \N{MULTIPLICATION SIGN}" in written
