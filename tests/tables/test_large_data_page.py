"""The figures of the page on large data are measured as it says."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from docs.makers import large_data

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it reads /proc")
def test_both_ways_compute_the_same_floats(tmp_path, capsys):
    table = large_data.make_rows(np.random.default_rng(0), 2000)
    assert len(table) == 2000
    parquet.write_table(table, tmp_path / "rows.parquet")
    printed = []
    for way in large_data.WAYS:
        large_data.run(way, tmp_path / "rows.parquet")
        _seconds, megabytes, values = capsys.readouterr().out.splitlines()
        assert float(megabytes) > 50
        printed.append(values)
    assert printed[0] == printed[1]


def test_the_table_is_what_the_script_writes():
    pairs = itertools.product(large_data.ORDERS, large_data.WAYS)
    found = dict.fromkeys(pairs, (2.0, 1000))
    expected = large_data.as_rst(found).splitlines()
    written = (DOCS / "tables/large_data.rst").read_text("utf-8").splitlines()
    assert len(written) == len(expected)
    assert "     - 1.00 \N{MULTIPLICATION SIGN}" in written
