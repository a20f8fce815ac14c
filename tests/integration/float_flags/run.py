#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiler flags that loosen float arithmetic give equal bytes or a refusal.

    run.py INCLUDE_DIRECTORY COMPILER

Flags that a compiler does not know are left out.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

include, compiler = sys.argv[1:]
source = Path(__file__).parent / "main.cpp"

REFUSED = [
    "-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-ffinite-math-only",
    "-fassociative-math -fno-signed-zeros -fno-trapping-math", "-freciprocal-math",
    "-fno-signed-zeros", "-fno-honor-nans -fassociative-math -fno-signed-zeros -fno-trapping-math",
    "-fno-honor-nans", "-fno-honor-infinities", "-fapprox-func", "-ffp-model=fast",
    "-ffp-eval-method=double", "-fsingle-precision-constant", "-mfpmath=387",
]
EQUAL = [
    "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-frounding-math",
    "-fassociative-math", "-fexcess-precision=fast", "-mrecip", "-ffp-exception-behavior=strict",
    "-fdenormal-fp-math=positive-zero",
]


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def knows(flags):
    with tempfile.NamedTemporaryFile(suffix=".cpp") as empty:
        said = run(compiler, "-Werror", *flags.split(), "-c", empty.name, "-o", "/dev/null")
    return said.returncode == 0


def compiled(flags, where):
    return run(compiler, "-std=c++20", "-O2", "-march=native", f"-I{include}", *flags, source,
               "-o", where)


def refusal(flags, how):
    """What the smallest header says that computes with floats, by -I or -isystem."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as user:
        user.write('#include <ctq/core/no_contract.hpp>\n')
        user.flush()
        return run(compiler, "-std=c++20", "-fsyntax-only", how, include, *flags.split(), user.name)


problems = []
refused = [f for f in REFUSED if knows(f)]
for flags in refused:
    for how in ("-I", "-isystem"):
        said = refusal(flags, how)
        if said.returncode == 0 or "float_flags.hpp" not in said.stderr:
            problems.append(f"{how} {flags}: should be refused")

equal = [f for f in EQUAL if knows(f)]
for flags in equal:
    if refusal(flags, "-I").returncode != 0:
        problems.append(f"{flags}: should compile")
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"

    def hash_of(flags):
        built = compiled(flags, program)
        if built.returncode != 0:
            problems.append(f"{flags}: does not compile:\n{built.stderr}")
            return None
        done = run(program)
        return done.stdout.strip() if done.returncode == 0 else done.stderr

    wanted = hash_of([])
    for flags in [equal, *([f] for f in equal), ["-O0"], ["-O3", *equal]]:
        got = hash_of(flags)
        if got != wanted:
            problems.append(f"{flags}: gives {got}, without flags it is {wanted}")
print(*problems, f"{len(refused)} refused, {len(equal)} equal ({wanted}), {len(problems)} problems",
      sep="\n")
sys.exit(bool(problems))
