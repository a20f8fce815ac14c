#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutation testing: small wrong edits of the headers, each of which a unit test must notice.

    mutate.py [--all | --seed N] [--only TEXT] [--jobs N]   edits of edits.txt; a random 20 by default
    mutate.py --patch FILE                                  a unified diff of files in include/
    mutate.py --check                                       whether edits.txt fits the sources

edits.txt lists the edits in blocks that blank lines separate; lines that begin with # are comments:

    file core/text.hpp                 below include/ctq
    - result = a < b;                  what stands there, exactly once; one or more lines
    + result = a <= b;                 what replaces it; none: removed
    test core/text avx2                below tests/unit; without this line, the test of the same name.
                                       The instruction set is optional: the machine's own
    reason why no test can notice it   only for edits that survive

The test is compiled alone, with the edited header in a directory before include/. The edit is killed
if a static assertion fails, or the test fails, crashes or takes ten times as long. A patch is tried
with the tests of the same names as its files, those in the same folders, all others that include
them, and tests/golden, until one of them fails.

The exit status is not 0 if an edit survives without a reason, no longer fits its file, or does not
compile for another reason than a wrong constant. CXX is the compiler.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import os
import platform
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EDITS = ROOT / "tests/mutate/edits.txt"
UNIT = ROOT / "tests/unit"
GOLDEN = ROOT / "tests/golden"
BUILD = ROOT / "build/mutate"

SAMPLE = 20             # edits of a run without --all
LONGEST_COMPILATION = 1200  # seconds
SHORTEST_LIMIT = 30     # seconds that a run of a test may always take
SKIPPED = 77            # exit code of a test whose instruction set this machine lacks

NATIVE = ["-march=native"] if platform.machine() == "x86_64" else ["-mcpu=native"]
ISA_FLAGS = {  # those of meson/isa/meson.build that a list of edits may name
    "native": NATIVE, "scalar": ["-DCTQ_ISA_SCALAR"], "sse2": [], "sse4": ["-msse4.1"],
    "avx2": ["-mavx2", "-mfma"], "avxvnni": ["-mavx2", "-mfma", "-mavxvnni"],
    "avx512": ["-march=skylake-avx512"], "avx512vnni": ["-march=cascadelake"],
    "amx": ["-march=cascadelake", "-mamx-tile", "-mamx-int8"],
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


@dataclasses.dataclass
class Edit:
    """One edit; file is relative to include/ctq, line the line of edits.txt."""
    line: int
    file: str = ""
    old: str = ""
    new: str = ""
    test: str = ""
    isa: str = "native"
    reason: str = ""

    def path(self):
        return ROOT / "include/ctq" / self.file

    def key(self):
        text = "\0".join((self.file, self.old, self.new, self.test, self.isa))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def place(self):
        before = self.path().read_text().partition(self.old)[0]
        return f"{self.file}:{before.count(chr(10)) + 1}"

    def text(self):
        return "\n".join([*("  - " + line for line in self.old.split("\n")),
                          *("  + " + line for line in self.new.split("\n"))])


class ListError(Exception):
    """A mistake in the list of edits or in a patch."""


# --- the list ----------------------------------------------------------------------------------

def read_edits(text):
    edits, edit, file = [], None, ""
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        key, _, value = line.partition(" ")
        if not line.strip():
            if edit and edit.old:
                edits.append(edit)
            elif edit:
                raise ListError(f"edits.txt:{edit.line}: an edit without a line that begins with -")
            edit = None
            continue
        if edit is None:
            edit = Edit(number, file)
        if key == "file":
            edit.file = file = value
        elif key == "-":
            edit.old += ("\n" if edit.old else "") + value
        elif key == "+":
            edit.new += ("\n" if edit.new else "") + value
        elif key == "test":
            edit.test, _, isa = value.partition(" ")
            edit.isa = isa or "native"
        elif key == "reason":
            edit.reason = value
        else:
            raise ListError(f"edits.txt:{number}: begins with none of file, -, +, test, reason: {line}")
    for edit in edits:
        edit.test = edit.test or edit.file.removesuffix(".hpp")
    return edits


def problem_of(edit):
    """Why an edit does not fit the sources, or nothing."""
    if not edit.path().is_file():
        return f"include/ctq/{edit.file} does not exist"
    count = edit.path().read_text().count(edit.old)
    if count != 1:
        return f"occurs {count} times, not once, in include/ctq/{edit.file}:\n{edit.text()}"
    if edit.old == edit.new:
        return "changes nothing"
    if edit.isa not in ISA_FLAGS:
        return f"there is no instruction set {edit.isa}"
    source = UNIT / (edit.test + ".cpp")
    if not source.is_file():
        return f"tests/unit/{edit.test}.cpp does not exist"
    if not any(edit.path() in includes(unit) for unit in units_of(edit.test)):
        return f"tests/unit/{edit.test}.cpp does not include ctq/{edit.file}"
    return ""


def checked(edits):
    problems = [f"edits.txt:{edit.line}: {problem}" for edit in edits if (problem := problem_of(edit))]
    keys = set()
    for edit in edits:
        if edit.key() in keys:
            problems.append(f"edits.txt:{edit.line}: occurs twice in the list")
        keys.add(edit.key())
    return problems


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
    if test.startswith(("kernels/", "runtime/")):
        units.append(UNIT / "kernels/plain_loops.cpp")
    return units


def flags_of(source, test, isa):
    flags = [*FLAGS, f'-DCTQ_TEST_ISA="{isa}"', f'-DGOLDEN_DATA="{GOLDEN}/data"']
    if source == UNIT / (test + ".cpp"):  # main finds out whether this machine runs it
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


# --- edits -------------------------------------------------------------------------------------

def write_overlay(edit):
    folder = BUILD / edit.key()
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / "include/ctq" / edit.file
    target.parent.mkdir(parents=True)
    target.write_text(edit.path().read_text().replace(edit.old, edit.new))
    return folder / "include"


def try_edit(builder, edit):
    before = builder.unchanged(edit.test, edit.isa)
    if before.state == "skipped":
        return before
    if before.state != "passed":
        return Verdict("broken", f"{edit.test} does not pass without an edit: {before.why}")
    overlay = write_overlay(edit)
    verdict = builder.changed(edit.test, edit.isa, overlay, {edit.path()})
    shutil.rmtree(overlay.parent, ignore_errors=True)
    return verdict


def try_edits(edits, jobs):
    """Counts; prints each edit, then again those that are not killed."""
    builder = Builder()
    bad, count = [], {"passed": 0, "failed": 0, "skipped": 0, "broken": 0}
    words = {"passed": "SURVIVED", "failed": "killed", "skipped": "skipped", "broken": "BROKEN"}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(try_edit, builder, edit): edit for edit in edits}
        for future in concurrent.futures.as_completed(futures):
            edit, verdict = futures[future], future.result()
            count[verdict.state] += 1
            print(f"{words[verdict.state]:8} {edit.place()} by {edit.test}: {verdict.why}", flush=True)
            accepted = verdict.state == "skipped" or (verdict.state == "failed") != bool(edit.reason)
            if verdict.state == "broken" or not accepted:
                bad.append((edit, verdict))
            if verdict.state == "passed" and edit.reason:
                print(f"{edit.text()}\n  reason {edit.reason}")
    for edit, verdict in sorted(bad, key=lambda pair: pair[0].line):
        print(f"\nedits.txt:{edit.line}: {edit.place()}, test {edit.test}: " + {
            "passed": "the test passes with this edit", "broken": verdict.why,
            "failed": "has a reason why it survives, but is killed"}[verdict.state])
        print(edit.text())
    summary(len(edits), count["failed"], count["passed"], count["skipped"], count["broken"])
    return 1 if bad else 0


def summary(edits, killed, survived, skipped=0, broken=0):
    line = f"mutate: {edits} edits, {killed} killed, {survived} survived"
    line += f", {skipped} skipped" if skipped else ""
    print(line + (f", {broken} broken" if broken else ""))


# --- a patch -----------------------------------------------------------------------------------

def apply_patch(patch):
    """The patched files, in a directory of their own; the tree stays as it is."""
    text = patch.read_text()
    names = {name.removeprefix("a/").removeprefix("b/")
             for name in re.findall(r"^(?:---|\+\+\+) (\S+)", text, re.MULTILINE)} - {"/dev/null"}
    if not names:
        raise ListError(f"{patch} is not a unified diff")
    outside = [name for name in names if not re.fullmatch(r"include/[\w/.]+", name) or ".." in name]
    if outside:
        raise ListError(f"{patch} changes {', '.join(sorted(outside))}: only files in include/ are tried")
    folder = BUILD / "patch"
    shutil.rmtree(folder, ignore_errors=True)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    strip = 1 if re.search(r"^\+\+\+ b/", text, re.MULTILINE) else 0
    # As if no repository were there: in one, git looks for its files.
    done = subprocess.run(["git", "apply", f"-p{strip}", "-"], cwd=folder, input=text, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)})
    if done.returncode:
        raise ListError(f"{patch} does not apply:\n{done.stderr.strip()}")
    if all((ROOT / name).exists() and (folder / name).read_text() == (ROOT / name).read_text()
           for name in names if (folder / name).exists()):
        raise ListError(f"{patch} changes nothing")
    return folder / "include", {ROOT / name for name in names}


def tests_for(changed):
    """Tests that include a changed file, the nearest first."""
    names = {path.relative_to(ROOT / "include/ctq").with_suffix("").as_posix() for path in changed
             if path.is_relative_to(ROOT / "include/ctq")}
    stems = {name.rpartition("/")[2] for name in names}
    folders = {name.rpartition("/")[0] for name in names}
    layers = {name.split("/")[0] for name in names}
    slow = ("runtime", "evaluate", "kernels")

    def distance(test):
        folder, _, stem = test.rpartition("/")
        first = INCLUDE.findall((UNIT / (test + ".cpp")).read_text())[:1]
        return (test not in names, stem not in stems, folder not in folders,
                first != [f"ctq/{name}.hpp" for name in names][:1],
                test.split("/")[0] not in layers, test.startswith(slow), test)
    tests = [path.relative_to(UNIT).with_suffix("").as_posix() for path in sorted(UNIT.rglob("*.cpp"))
             if path.parent != UNIT and path.name != "plain_loops.cpp"]
    tests = [test for test in tests if any(includes(unit) & changed for unit in units_of(test))]
    if any(includes(unit) & changed for unit in units_of("golden")):
        tests.append("golden")
    return sorted(tests, key=lambda test: (test == "golden", test != "golden" and distance(test)))


def try_patch(patch, jobs):
    overlay, changed = apply_patch(patch)
    builder = Builder()
    killers, broken, stop = [], [], threading.Event()

    def attempt(test):
        if stop.is_set():
            return
        verdict = builder.run(test, "native", overlay, changed)
        if verdict.state in ("failed", "broken") and builder.unchanged(test).state != "passed":
            print(f"{test}: does not pass without the patch, not counted", flush=True)
            return
        if verdict.state == "failed":
            stop.set()
            killers.append((test, verdict.why))
        elif verdict.state == "broken":
            stop.set()
            broken.append((test, verdict.why))
        else:
            print(f"{test}: {verdict.state}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(attempt, tests_for(changed)))
    for test, why in killers[:1]:
        print(f"killed by {test}: {why}")
    if not killers and broken:
        raise ListError(f"with {patch}, {broken[0][0]} {broken[0][1]}")
    if not killers:
        print(f"SURVIVED {patch}")
    summary(1, len(killers[:1]), 1 - len(killers[:1]))
    return 0 if killers else 1


# --- command line ------------------------------------------------------------------------------

def chosen(edits, options):
    if options.only is not None:
        edits = [edit for edit in edits
                 if options.only in f"include/ctq/{edit.file}\n{edit.old}\n{edit.new}\n{edit.test}"]
        if not edits:
            raise ListError(f"no edit contains {options.only}")
        return edits
    if options.all:
        return edits
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"{SAMPLE} of {len(edits)} edits, --seed {seed}")
    return random.Random(seed).sample(edits, min(SAMPLE, len(edits)))


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="""Small wrong edits of the
        headers, each of which a unit test must notice; by default a random 20 of those in
        tests/mutate/edits.txt""")
    parser.add_argument("--all", action="store_true", help="all edits")
    parser.add_argument("--only", metavar="TEXT", help="edits whose file, text or test contains it")
    parser.add_argument("--seed", type=int, metavar="N", help="the same random edits again")
    parser.add_argument("--patch", type=Path, metavar="FILE", help="a unified diff of include/ instead")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="compilers at a time")
    parser.add_argument("--check", action="store_true", help="only whether the list fits the sources")
    options = parser.parse_args()
    try:
        if options.patch:
            if not options.patch.is_file():
                raise ListError(f"{options.patch} does not exist")
            return try_patch(options.patch, options.jobs)
        edits = read_edits(EDITS.read_text())
        problems = checked(edits)
        if options.check or problems:
            print(*problems, f"{len(edits)} edits, {len(problems)} problems", sep="\n")
            return 1 if problems else 0
        return try_edits(chosen(edits, options), options.jobs)
    except ListError as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
