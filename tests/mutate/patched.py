# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A patch of one's own: the changed headers, and the tests that include them."""

import os
import re
import shutil
import subprocess

from build_test import BUILD, INCLUDE, ROOT, UNIT, includes, units_of
from edit_list import ListError


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
