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
import random
import shutil
import sys
import threading
from pathlib import Path

from build_test import BUILD, Builder, Verdict
from edit_list import EDITS, ListError, checked, read_edits
from patched import apply_patch, tests_for

SAMPLE = 20  # edits of a run without --all


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
