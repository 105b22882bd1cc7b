"""The benchmark of early stopping runs, on few rows."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

from tests.benchmarks import bench_early_stopping


def test_each_library_is_measured_with_each_metric(monkeypatch, capsys):
    size = ["--rows=400", "--held=400", "--rounds", "2", "4", "--runs=1"]
    monkeypatch.setattr(sys, "argv", ["bench_early_stopping.py", *size])
    bench_early_stopping.main()
    printed = capsys.readouterr().out
    for library in bench_early_stopping.LIBRARIES:
        assert f"{library}, own" in printed
    for metric in bench_early_stopping.METRICS:
        assert printed.count(f"  {metric} ") == 4
