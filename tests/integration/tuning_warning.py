#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where g++ 12 copies constants wrongly, it says so, and -mtune=generic helps.

    tuning_warning.py INCLUDE_DIRECTORY COMPILER...

A program that copies such a constant is tuned for many processors; it runs on those with AVX2.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

include, *compiler = sys.argv[1:]

PROCESSORS = ["haswell", "skylake", "znver3", "skylake-avx512", "cascadelake",
              "icelake-server", "rocketlake", "sapphirerapids"]
PROGRAM = """
#include <type_traits>
#include <ctq/kernels/tuning_warning.hpp>
struct extents {
  int a, b, c, d, e, f, g, h, two1, two2, two3, two4, zero1, zero2, zero3, zero4, i, j, k, l, m, n;
};
struct copy {
  extents of;
  constexpr explicit copy(const extents& from) : of(from) {}
};
constexpr extents constant{1, 8, 14, 14, 64, 32, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
[[gnu::noinline]] int zeros(const copy& c) {
  return c.of.zero1 | c.of.zero2 | c.of.zero3 | c.of.zero4;
}
template <class Constant>
[[gnu::noinline]] int copied(const Constant& from) {
  const extents first = from;
  const copy second(first);
  return zeros(second);
}
int main() { return copied(std::integral_constant<extents, constant>{}) == 0 ? 0 : 1; }
"""
ADVICE = ["g++ 12", "-mtune=generic", "docs/howto/install.md"]

problems = []


def compiled(processor):
    """The notes of ctq, and whether the program is right; None if this machine cannot run it."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        command = [*compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                   "-mavx2", f"-mtune={processor}", "-I", include, "-x", "c++", "-", "-o", program]
        done = subprocess.run(command, input=PROGRAM, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"does not compile: {' '.join(map(str, command))}\n{done.stderr}")
        notes = [line for line in done.stderr.splitlines() if " note: " in line and "ctq: " in line]
        code = subprocess.run([program], check=False).returncode
        return notes, {0: True, 1: False}.get(code)


for processor in PROCESSORS:
    notes, right = compiled(processor)
    if notes and any(text not in notes[0] for text in ADVICE):
        problems.append(f"advice is missing: {processor}: {notes}")
    if len(notes) > 1:
        problems.append(f"more than one note: {processor}: {notes}")
    if right is False and not notes:
        problems.append(f"wrong, and no note: {processor}")
notes, right = compiled("generic")
if notes or right is False:
    problems.append(f"-mtune=generic: {notes}, right: {right}")

print(*problems, sep="\n")
sys.exit(bool(problems))
