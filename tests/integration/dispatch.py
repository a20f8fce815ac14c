#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program that has the code of a network for many instruction sets.

    dispatch.py program PROGRAM ISOLATED_OBJECT...
    dispatch.py isolate CTQ_ISOLATE OBJCOPY COMPILER...
    dispatch.py subproject SOURCE_ROOT COMPILER

program: examples/06_dispatch, on every instruction set that is here, on older processors (if
qemu-x86_64 is there), and what its objects let others see. isolate: what ctq-isolate refuses and
hides. subproject: the lines at the top of meson/dispatch/meson.build, in a project of their own.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS, RUNS = 7, 4  # of examples/06_dispatch
LINE = re.compile(r"ctq_verbose,run,(\w+),[\w.]*,[\w.+]+,\w+:\w+,[\w:.]+,[\w:-]+,\d+,\d+\.\d")
KNOWN = ["scalar", "sse2", "sse4", "avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon",
         "dotprod", "i8mm"]


def check(right, what):
    if not right:
        sys.exit(f"wrong: {what}")


def run(command, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("CTQ_ISA", "CTQ_VERBOSE")}
    done = subprocess.run(list(map(str, command)), env={**environment, **variables}, text=True,
                          capture_output=True, check=False)
    print("+", variables, *command, done.stdout, done.stderr[:1500], flush=True)
    return done


def visible_symbols(file):
    lines = run(["nm", "--extern-only", "--defined-only", file]).stdout.splitlines()
    return [line.split()[-1] for line in lines]


def check_program(program, objects):
    chosen = run([program])
    check(chosen.returncode == 0 and not chosen.stderr, "a plain run is quiet")
    fastest, expected = chosen.stdout.split()

    there = []
    for isa in KNOWN:
        forced = run([program], CTQ_ISA=isa)
        if forced.returncode == 0:
            check(forced.stdout.split() == [isa, expected], f"{isa} gives the same bytes")
            there.append(isa)
        else:
            check(f'CTQ_ISA: "{isa}" is no' in forced.stderr, f"{isa} is refused in words")
    check({"scalar", fastest} <= set(there), "portable code is always there")
    check(run([program], CTQ_ISA="").stdout == chosen.stdout, "an empty CTQ_ISA is none")
    wrong = run([program], CTQ_ISA="avx1024")
    check(wrong.returncode == 1, "a wrong name is an error")
    listed = wrong.stderr.strip().partition("these are: ")[2].split(", ")
    check(set(listed) == set(there) and listed[0] == fastest, "the error lists what is there")

    for isa in there:
        lines = run([program], CTQ_ISA=isa, CTQ_VERBOSE="1").stderr.splitlines()
        check(len(lines) == STEPS * RUNS, f"{isa}: a line a step")
        for line in lines:
            match = LINE.fullmatch(line)
            check(match and match[1] == isa, line)

    for file in objects:
        names = visible_symbols(file)
        check(len(names) == 1 and "dispatched_code_of" in names[0], f"one symbol of {file}: {names}")

    emulator = shutil.which("qemu-x86_64")
    if emulator and "sse4" in there:
        for processor, isa in {"qemu64": "sse2", "Nehalem": "sse4", "Haswell": "avx2"}.items():
            old = run([emulator, "-cpu", processor, program])
            check(old.stdout.split() == [isa, expected], f"{processor} runs {isa}")
        old = run([emulator, "-cpu", "Nehalem", program], CTQ_ISA="avx2")
        check(old.returncode == 1 and "this machine runs" in old.stderr, "Nehalem has no AVX2")


SHARED = "inline int shared(int x) { return x > 0 ? shared(x - 1) + 1 : WHICH; }\n"
# A common symbol is one object of all units, even where they are isolated, as clang's sanitizers want it.
DOOR = """
extern "C" [[gnu::visibility("hidden")]] int of_all;
__asm__(".hidden of_all\\n.comm of_all,4,4");
namespace ctq {
template <class> struct dispatched_code_of { static int get(); };
template <> int dispatched_code_of<char[WHICH]>::get() {
  static int x = shared(0);
  return x + 10 * of_all++;
}
}
int UNSEEN() { return 0; }
"""
MAIN = """
namespace ctq { template <class> struct dispatched_code_of { static int get(); }; }
int main() {
  return ctq::dispatched_code_of<char[1]>::get() == 1 && ctq::dispatched_code_of<char[2]>::get() == 12
             ? 0 : 1;
}
"""


def check_isolate(isolate, objcopy, *compiler):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)

        def compiled(name, text, *flags):
            Path(name + ".cpp").write_text(text)
            subprocess.run([*compiler, *flags, "-O0", "-c", name + ".cpp", "-o", name + ".o"],
                           check=True)
            return run([sys.executable, isolate, name + ".o", name + "-alone.o", objcopy, *compiler])

        for which in "12":  # two bodies of one inline function: each unit keeps its own
            done = compiled("unit" + which, SHARED + DOOR, "-DWHICH=" + which,
                            "-DUNSEEN=unseen" + which)
            check(done.returncode == 0, "an object is isolated")
            names = [n for n in visible_symbols(f"unit{which}-alone.o") if n != "of_all"]
            check(len(names) == 1, "all but the door is hidden")
        Path("main.cpp").write_text(MAIN)
        for suffix, expected in {"": 1, "-alone": 0}.items():
            units = [f"unit{which}{suffix}.o" for which in "12"]
            subprocess.run([*compiler, "main.cpp", *units, "-o", "main"], check=True)
            check(run(["./main"]).returncode == expected, "an inline function is shared, or not")

        early = compiled("early", "struct early { early(); };\nearly::early() {}\nearly all;\n")
        check(early.returncode != 0 and "before an instruction set is chosen" in early.stderr,
              "code that runs at the start is refused")


def check_subproject(root, compiler):
    """As the comment says, but for two instruction sets, which is enough."""
    text = Path(root, "meson/dispatch/meson.build").read_text()
    lines = [line[4:] for line in text.splitlines() if line.startswith("#   ")]
    at = next(i for i, line in enumerate(lines) if line.startswith("foreach"))
    lines.insert(at + 1, "  if isa not in ['sse2', 'avx512']\n    continue\n  endif")
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(Path(root, "examples/06_dispatch"), Path(folder, "project"))
        shutil.copytree(Path(root, "examples/support"), Path(folder, "support"))
        Path(project, "meson.build").write_text("\n".join(
            ["project('consumer', 'cpp', default_options: ['cpp_std=c++20', 'buildtype=debug'])",
             *lines]) + "\n")
        Path(project, "subprojects").mkdir()
        Path(project, "subprojects/ctq").symlink_to(root)
        build = Path(folder, "build")
        for command in (["meson", "setup", build, project], ["ninja", "-C", build, "program"]):
            done = run(command, CXX=compiler)
            check(done.returncode == 0, "a project of its own is built")
        check("CTQ_BASELINE_IS_INTENDED." not in done.stdout, "a baseline that is meant, no warning")
        oldest = run([build / "program"], CTQ_ISA="sse2")
        check(oldest.stdout.startswith("sse2 "), "a project of its own runs")
        check(run([build / "program"]).stdout.split()[1] == oldest.stdout.split()[1], "same bytes")


def main(what, *arguments):
    if what == "program":
        check_program(arguments[0], arguments[1:])
    elif what == "isolate":
        check_isolate(*arguments)
    else:
        check_subproject(*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
