"""Times, memory and profiles of functions, and what NumPy computes with."""

# SPDX-License-Identifier: BSD-3-Clause

import collections
import cProfile
import pstats
import re
import statistics
import time
import tracemalloc

try:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
except ImportError:  # NumPy 1
    from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__


def interleaved_medians(functions, n_runs, clock=time.perf_counter):
    """Return the median time of each function over runs in turn.

    One more run comes first and is not counted: it fills caches and compiles. The clock
    can be that of the CPU time, ``time.process_time``.
    """
    times = {name: [] for name in functions}
    for _ in range(n_runs + 1):
        for name, function in functions.items():
            start = clock()
            function()
            times[name].append(clock() - start)
    return {name: statistics.median(runs[1:]) for name, runs in times.items()}


def peak_memory(function):
    """Return the peak of the memory that `function` allocates, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def print_profile(function, n_lines=20):
    """Run the function twice and print where the second run spends its time."""
    function()
    profiler = cProfile.Profile()
    profiler.runcall(function)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(n_lines)


def largest_shares(function, n_names=6):
    """Return where a run of the function spends its time, as text."""
    profiler = cProfile.Profile()
    profiler.runcall(function)
    taken = collections.Counter()
    for (_, _, label), (_, _, seconds, _, _) in pstats.Stats(profiler).stats.items():
        # "<method 'sort' of 'numpy.ndarray' objects>", "<built-in method a.b.sort>"
        method = re.search(r"'(\w+)' of", label)
        taken[method.group(1) if method else re.findall(r"\w+", label)[-1]] += seconds
    total = taken.total()
    return ", ".join(
        f"{name} {t / total:.0%}" for name, t in taken.most_common(n_names)
    )


def instruction_sets():
    """Return the vector instruction sets that NumPy has code for and uses here."""
    return [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]


def vectors():
    """Return "AVX-512", "AVX2" or "no AVX2": what the speed of a sort depends on."""
    used = set(instruction_sets())
    if used & {"AVX512_SKX", "X86_V4"}:
        return "AVX-512"
    return "AVX2" if used & {"AVX2", "X86_V3"} else "no AVX2"
