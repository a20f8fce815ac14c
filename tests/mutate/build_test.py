# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs single unit tests, with or without changed headers."""

import concurrent.futures
import os
import platform
import re
import shlex
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests/unit"
GOLDEN = ROOT / "tests/golden"
BUILD = ROOT / "build/mutate"

LONGEST_COMPILATION = 1200  # seconds
SHORTEST_LIMIT = 30     # seconds that a run of a test may always take
SKIPPED = 77            # exit code of a test whose instruction set this machine lacks

NATIVE = ["-march=native", "-mtune=generic"] if platform.machine() == "x86_64" else ["-mcpu=native"]
ISA_FLAGS = {  # those of meson/isa/meson.build that a list of edits may name
    "native": NATIVE, "scalar": ["-DCTQ_ISA_SCALAR"], "sse2": [], "sse4": ["-msse4.1"],
    "avx2": ["-mavx2", "-mfma"], "avxvnni": ["-mavx2", "-mfma", "-mavxvnni"],
    "avx512": ["-march=skylake-avx512", "-mtune=generic"],
    "avx512vnni": ["-march=cascadelake", "-mtune=generic"],
    "amx": ["-march=cascadelake", "-mtune=generic", "-mamx-tile", "-mamx-int8"],
}
# Forced inlining in code that is not optimized takes minutes to compile.
FLAGS = ["-std=c++20", "-w", "-O0", "-Dalways_inline=unused", "-fdiagnostics-color=never"]

# What compilers say when the value of a constant is wrong, or computing it fails; and when a text is
# no C++.
WRONG_CONSTANT = re.compile(r"static assertion|static_assert|constant expression|non-constant|"
                            r"constexpr. expansion|call to non-.constexpr. function|"
                            r"constraint.* not satisfied|initialized by a constant")
NOT_CPP = re.compile(r"error: .*(was not declared|undeclared|expected .* (before|after)|expected '|"
                     r"has no member|no member named|does not name|no match for)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](.*)[>"]', re.MULTILINE)


# --- what includes what ------------------------------------------------------------------------

included = {}


def includes(source):
    """All files of this project that a source includes, itself too."""
    if source not in included:
        found, todo = {source}, [source]
        while todo:
            path = todo.pop()
            for name in INCLUDE.findall(path.read_text()):
                for folder in (path.parent, ROOT / "include", UNIT):
                    candidate = Path(os.path.normpath(folder / name))
                    if candidate.is_file() and candidate.is_relative_to(ROOT):
                        if candidate not in found:
                            found.add(candidate)
                            todo.append(candidate)
                        break
        included[source] = found
    return included[source]


# --- building ----------------------------------------------------------------------------------

def golden_sources():
    """In the order of Meson's list: seven of them can be in one translation unit."""
    text = (GOLDEN / "meson.build").read_text()
    listed = text.partition("executable('golden'")[2].partition("cpp_args")[0]
    return [GOLDEN / name for name in re.findall(r"'(\w+\.cpp)'", listed)]


def evaluates(test):
    return test == "golden" or (test.startswith(("evaluate/", "io/"))
                                and not test.startswith("evaluate/float_ops/"))


def units_of(test):
    """The sources of a test's program, as tests/unit/meson.build links them."""
    if test == "golden":
        units = golden_sources()
    else:
        units = [UNIT / (test + ".cpp"), UNIT / "main.cpp", UNIT / "amx_emulator.cpp",
                 UNIT / "doctest.cpp"]
    if evaluates(test):
        units.append(UNIT / "ops_elsewhere.cpp")
    if UNIT / "kernels/any_shape.hpp" in includes(units[0]):
        units.append(UNIT / "kernels/any_shape.cpp")
    if test.startswith(("kernels/", "runtime/")):
        units.append(UNIT / "kernels/plain_loops.cpp")
    return units


def flags_of(source, test, isa):
    flags = [*FLAGS, f'-DCTQ_TEST_ISA="{isa}"', f'-DGOLDEN_DATA="{GOLDEN}/data"']
    # main finds out whether this machine runs it
    if source in (UNIT / (test + ".cpp"), UNIT / "kernels/any_shape.cpp"):
        flags += ISA_FLAGS[isa]
    if source.name == "doctest.cpp":
        flags += ["-DDOCTEST_CONFIG_NO_POSIX_SIGNALS"]
    elif source.name in ("plain_loops.cpp", "ops_elsewhere.cpp") or test == "golden":
        flags += ["-O1"]  # they compute much
    elif source == UNIT / (test + ".cpp") and evaluates(test):
        flags += ["-include", str(UNIT / "ops_elsewhere.hpp")]
    return flags


def embed(directory):
    """Headers that Meson generates."""
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / "user_gate.json.hpp"
    if not target.exists():
        subprocess.run([ROOT / "tools/embed/embed.py", UNIT / "user_gate.json", target], check=True)


class Verdict:
    """What became of a test: passed, failed, skipped or broken, and what shows it."""

    def __init__(self, state, why="", seconds=0.0):
        self.state, self.why, self.seconds = state, why, seconds


class Builder:
    """Compiles and runs tests, with or without changed headers in a directory of their own."""

    def __init__(self):
        self.compiler = shlex.split(os.environ.get("CXX", "g++"))
        self.lock = threading.Lock()
        self.results = {}
        embed(BUILD / "generated")

    def once(self, key, function):
        """Computes it in the first thread that asks; the others wait."""
        with self.lock:
            mine = key not in self.results
            if mine:
                self.results[key] = concurrent.futures.Future()
            future = self.results[key]
        if mine:
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def compile(self, sources, test, isa, overlay, output):
        """Several sources in one translation unit, or one; without output, only looks at it."""
        folders = [overlay] if overlay else []
        folders += [ROOT / "include", UNIT, GOLDEN, BUILD / "generated"]
        command = [*self.compiler, *flags_of(sources[0], test, isa), *(f"-I{f}" for f in folders)]
        if len(sources) > 1:
            joined = output.with_suffix(".cpp")
            joined.write_text("".join(f'#include "{source}"\n' for source in sources))
            sources = [joined]
        command += ["-c", *sources, "-o", output] if output else ["-fsyntax-only", *sources]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=LONGEST_COMPILATION)
        except subprocess.TimeoutExpired:
            return f"error: not compiled in {LONGEST_COMPILATION} s"
        return done.stderr if done.returncode else ""

    def objects(self, test, isa, overlay, changed):
        """The objects of a test, or the first compile error. What includes no changed header is
        compiled once for all edits."""
        units = units_of(test)
        groups = [units[i:i + 7] for i in range(0, len(units), 7)] if test == "golden" else \
                 [[unit] for unit in units]
        made = []
        for group in groups:
            is_changed = any(includes(unit) & changed for unit in group)
            name = "+".join(unit.stem for unit in group[:2])
            folder = overlay.parent if is_changed else BUILD / "unchanged" / isa
            # What several tests share is the same for all of them.
            folder = folder / (test.replace("/", "-") if group == groups[0] or test == "golden" else "")
            folder.mkdir(parents=True, exist_ok=True)
            output = folder / (name + ".o")

            def build(group=group, is_changed=is_changed, output=output):
                return self.compile(group, test, isa, overlay if is_changed else None, output)
            error = self.once((output, is_changed), build)
            if error:
                return [], error
            made.append(output)
        return made, ""

    def run(self, test, isa="native", overlay=None, changed=frozenset(), limit=600.0):
        source = UNIT / (test + ".cpp")
        if test != "golden" and "TEST_CASE" not in source.read_text():
            error = self.compile([source], test, isa, overlay, None)
            return judged_error(error) if error else Verdict("passed")
        made, error = self.objects(test, isa, overlay, changed)
        if error:
            return judged_error(error)
        folder = (overlay.parent if overlay else BUILD / "unchanged" / isa) / test.replace("/", "-")
        program = folder / "program"
        linked = subprocess.run([*self.compiler, *made, "-lz", "-lpthread", "-o", program],
                                capture_output=True, text=True, check=False)
        if linked.returncode:
            return Verdict("broken", linked.stderr)
        arguments = [[]] if test != "golden" else [
            [GOLDEN / "data", "--semantics", semantics] for semantics in ("torch_2_1", "torch_1_13")]
        start = time.monotonic()
        for words in arguments:
            try:
                done = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                                      errors="replace", cwd=folder, timeout=limit)
            except subprocess.TimeoutExpired:
                return Verdict("failed", f"not done in {limit:.0f} s")
            if done.returncode == SKIPPED:
                return Verdict("skipped", done.stdout.strip())
            if done.returncode:
                return Verdict("failed", failure_in(done.stdout + done.stderr, done.returncode))
        return Verdict("passed", "", time.monotonic() - start)

    def unchanged(self, test, isa="native"):
        """The test without an edit, which must pass."""
        return self.once(("unchanged", test, isa), lambda: self.run(test, isa))

    def changed(self, test, isa, overlay, changed):
        limit = max(SHORTEST_LIMIT, 10 * self.unchanged(test, isa).seconds)
        return self.run(test, isa, overlay, changed, limit)


def judged_error(error):
    """A compile error is a test that failed if it is about constants, not about the language."""
    errors = [line for line in error.split("\n") if re.search(r"(^|\s)error: ", line)]
    text = errors[0].partition("error: ")[2] if errors else error[-500:]
    wrong = WRONG_CONSTANT.search(error) and not NOT_CPP.search(error)
    return Verdict("failed" if wrong else "broken", "does not compile: " + text[:160])


def failure_in(output, code):
    """The first assertion that failed, or how the program ended."""
    found = re.search(r"ERROR: +(\S+\(.*)", output)
    if found:
        return found[1][:100]
    return f"exit status {code}" if code > 0 else f"signal {-code}"
