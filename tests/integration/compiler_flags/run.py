#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiler flags that loosen float arithmetic give equal bytes or an error, older standards one error.

    run.py INCLUDE_DIRECTORY COMPILER

Flags that a compiler does not know are left out.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

include, compiler = sys.argv[1:]
source = Path(__file__).parent / "main.cpp"

REJECTED = [
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


def error_of(flags, how):
    """What the smallest header says that computes with floats, by -I or -isystem."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as user:
        user.write('#include <ctq/core/no_contract.hpp>\n')
        user.flush()
        return run(compiler, "-std=c++20", "-fsyntax-only", how, include, *flags.split(), user.name)


problems = []
rejected = [f for f in REJECTED if knows(f)]
for flags in rejected:
    for how in ("-I", "-isystem"):
        said = error_of(flags, how)
        if said.returncode == 0 or "compiler_flags.hpp" not in said.stderr:
            problems.append(f"{how} {flags}: should be rejected")

for header in Path(include, "ctq").glob("*.hpp"):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as user:
        user.write(f"#include <ctq/{header.name}>\n")
        user.flush()
        said = run(compiler, "-std=c++17", "-fsyntax-only", "-I", include, user.name).stderr
    if said.count("error:") != 2 or "ctq needs C++20: compile with -std=c++20" not in said:
        problems.append(f"-std=c++17, {header.name}:\n{said[:2000]}")

equal = [f for f in EQUAL if knows(f)]
for flags in equal:
    if error_of(flags, "-I").returncode != 0:
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
print(*problems, f"{len(rejected)} rejected, {len(equal)} equal ({wanted}), {len(problems)} problems",
      sep="\n")
sys.exit(bool(problems))
