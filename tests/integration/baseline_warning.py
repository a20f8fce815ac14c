#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for the oldest machines of x86-64 is made with a warning, or on purpose.

    baseline_warning.py INCLUDE_DIRECTORY COMPILER

With each set of warning flags, in system headers and in others: the compiler warns, and compiles.
"""

import subprocess
import sys

include, compiler = sys.argv[1:]
IS_CLANG = "clang" in compiler

WARNED = ["", "-O3", "-msse4.1", "-mavx2", "-march=x86-64-v2", "-Wall -Wextra -Wpedantic -Werror",
          "-Werror -Wsystem-headers", "-pedantic-errors",
          "-Weverything -Werror" if IS_CLANG else "-Werror=cpp"]
SILENT = ["-march=x86-64-v3", "-mavx2 -mfma", "-march=cascadelake -mtune=generic",
          "-DCTQ_BASELINE_IS_INTENDED", "-DCTQ_BASELINE_IS_INTENDED -msse4.1", "-DCTQ_ISA_SCALAR"]
ADVICE = ["without AVX2", "-march=native", "-march=x86-64-v3", "ctq::dispatch",
          "docs/howto/dispatch.md", "define CTQ_BASELINE_IS_INTENDED"]

problems = []


def warnings(headers, flags, how):
    """The lines that are a warning of ctq."""
    command = [compiler, "-std=c++20", "-fsyntax-only", *flags.split(), how, include, "-x", "c++", "-"]
    done = subprocess.run(command, input="".join(f"#include <{h}>\n" for h in headers),
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        problems.append(f"does not compile: {' '.join(command)}\n{done.stderr}")
    return [line for line in done.stderr.splitlines()
            if (" warning: " in line or " note: " in line) and "ctq: " in line]


for how in ["-I", "-isystem"]:
    for flags in WARNED:
        said = warnings(["ctq/kernels/baseline_warning.hpp"] * 2, flags, how)
        if len(said) != 1 or any(text not in said[0] for text in ADVICE):
            problems.append(f"not one warning with all advice: {how} {flags}: {said}")
    for flags in SILENT:
        if said := warnings(["ctq/kernels/baseline_warning.hpp"], flags, how):
            problems.append(f"a warning that is not wanted: {how} {flags}: {said}")

# Headers without kernels are silent, those with them are not.
for header, expected in {"ctq/spec.hpp": 0, "ctq/kernels/kernel_code.hpp": 1}.items():
    said = warnings([header], "", "-isystem")
    if len(said) != expected:
        problems.append(f"{header}: {len(said)} warnings, not {expected}")

print(*problems, sep="\n")
sys.exit(bool(problems))
