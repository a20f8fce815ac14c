#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs cost the compiler: compile_cost.py SOURCE_ROOT [--table] -- COMPILER [FLAG]...

Compiles the headers alone and programs that run int8 models, at -O3, and counts the kernels of layers
that each instantiates; none may be of floats, and no observer. Peak memory and kernels have a budget;
user time has one of several times what was measured, since machines differ. --table prints the table
of docs/performance.md instead. compile_cost.py SOURCE_ROOT --only TEXT …: programs whose name contains TEXT.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import networks

MEASURE = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
           "use = resource.getrusage(resource.RUSAGE_CHILDREN); "
           "print(use.ru_utime, use.ru_maxrss); sys.exit(code)")
# In mangled names, which nm of Debian bookworm cannot demangle for clang 19.
KERNEL = re.compile(r"13convolve_formI|10layer_codeI.*3runI.*17integral_constantI")
# What a program that only runs an int8 model does without.
NEEDLESS = re.compile(r"8convolve.*9float_dot|14observed_model|11float_model|_observer_state|8ios_base")

# As the dependency ctq-kernels has it.
COMPILED = "#define CTQ_COMPILED_KERNELS\n#define CTQ_BASELINE_IS_INTENDED\n"

# Name, source, the most megabytes, seconds and kernels. (With -march=native of a machine with AVX2 the headers take
# 25 MB more than with AVX-512.)
PROGRAMS = [
    ("`ctq/ctq.hpp`", "#include <ctq/ctq.hpp>\n", 375, 15, 0),
    ("`ctq/inference.hpp`", "#include <ctq/inference.hpp>\n", 350, 12, 0),
    ("CNN of 4 layers", networks.int8_program(networks.small_cnn()), 570, 50, 5),
    ("chain of 50 different layers", networks.int8_program(networks.chain(50)), 710, 100, 40),
    ("MobileNetV2", networks.int8_program(networks.mobilenet_v2()), 720, 75, 14),
    ("MobileNetV3-small",
     networks.int8_program(networks.mobilenet_v3_small(),
                           mapping="ctq::default_qconfig_mapping<ctq::x86>"), 900, 110, 30),
    ("ResNet-50", networks.int8_program(networks.resnet50()), 640, 75, 16),
    ("MobileNetV2, `ctq-kernels`", COMPILED + networks.int8_program(networks.mobilenet_v2()),
     440, 35, 0),
    ("MobileNetV3-small, `ctq-kernels`",
     COMPILED + networks.int8_program(networks.mobilenet_v3_small(),
                                      mapping="ctq::default_qconfig_mapping<ctq::x86>"), 440, 35, 0),
]


def cost(name, text, root, folder, compiler):
    """User seconds, megabytes, kernels."""
    file, obj = Path(folder, "file.cpp"), Path(folder, "file.o")
    file.write_text(text)
    command = [*compiler, "-std=c++20", "-O3", "-march=native", "-I", Path(root, "include"),
               "-c", file, "-o", obj]
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} does not compile:\n{done.stderr[:4000]}")
    seconds, kilobytes = map(float, done.stdout.split())
    symbols = subprocess.run(["nm", obj], text=True, capture_output=True,
                             check=True).stdout.splitlines()
    for s in symbols:
        if NEEDLESS.search(s):
            sys.exit(f"{name} contains code that it never runs:\n{s[:500]}")
    kernels = {s.split()[-1].split(".")[0] for s in symbols if KERNEL.search(s)}
    return seconds, kilobytes / 1024, len(kernels)


def main(root, *rest):
    options, compiler = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    table = "--table" in options
    only = options[options.index("--only") + 1] if "--only" in options else ""
    if table:
        print("| program, int8 only | user time, s | peak memory, MB | kernels |\n|---|---|---|---|")
    fits = True
    with tempfile.TemporaryDirectory() as folder:
        for name, text, most_megabytes, most_seconds, most_kernels in PROGRAMS:
            if only not in name:
                continue
            seconds, megabytes, kernels = cost(name, text, root, folder, compiler)
            if table:
                print(f"| {name} | {seconds:.1f} | {megabytes:.0f} | {kernels} |", flush=True)
                continue
            fit = (megabytes <= most_megabytes and seconds <= most_seconds and
                   kernels <= most_kernels)
            fits = fits and fit
            print(f"{name}: {seconds:.1f} s of {most_seconds}, {megabytes:.0f} MB of "
                  f"{most_megabytes}, {kernels} kernels of {most_kernels}"
                  f"{'' if fit else ': too much'}", flush=True)
    return not fits


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
