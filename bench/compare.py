#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long one build of the benchmarks takes beside another: compare.py FIRST SECOND [OPTION]...

FIRST and SECOND are two programs `bench`, say of g++ and of clang or of two commits; the options
are theirs, as --only "conv 3x3". They run in turns, ctq alone, and the shortest time of each case
counts. Prints the second's time divided by the first's: case by case those that differ by more than
a tenth, and the geometric mean of each regime.

    CXX=clang++-19 meson setup build/other -Dbenchmarks=enabled && ninja -C build/other bench/bench
    bench/compare.py build/release/bench/bench build/other/bench/bench
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 3
FAR = 1.1


def run(bench, options):
    """Seconds of each case, by regime and name."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "bench.json")
        subprocess.run([bench, "--alone", "--json", answer, *options], check=True,
                       stdout=subprocess.DEVNULL)
        cases = json.loads(answer.read_text())["cases"]
    return {(c["regime"], c["name"]): c["seconds"]["ctq"] for c in cases}


def main(first, second, *options):
    turns = [(run(first, options), run(second, options)) for _ in range(TURNS)]
    regimes = {}
    for case in turns[0][0]:
        one, other = (min(t[i][case] for t in turns) for i in range(2))
        regime, name = case
        regimes.setdefault(regime, []).append(other / one)
        if max(other / one, one / other) > FAR:
            print(f"{regime} {name}: {one * 1e6:.2f} us, {other * 1e6:.2f} us: {other / one:.2f}")
    for regime, ratios in regimes.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{regime}={mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


main(*sys.argv[1:])
