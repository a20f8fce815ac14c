#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ./dev says where it cannot build: dev.py SOURCE_ROOT"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(sys.argv[1])


def expect(got, wanted, what):
    assert got == wanted, f"{what}:\n  wanted {wanted!r}\n  got    {got!r}"


def run(tree, *arguments, **environment):
    done = subprocess.run([shutil.which("bash"), tree / "dev", *arguments], capture_output=True,
                          text=True, check=False, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def programs(folder, **scripts):
    """A PATH with a few programs alone, and these scripts."""
    folder.mkdir()
    for name in ("bash", "dirname", "env", "grep", "mkdir", "sed"):
        (folder / name).symlink_to(shutil.which(name))
    for name, script in scripts.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return str(folder)


with tempfile.TemporaryDirectory() as name:
    tree = Path(name, "tree")
    tree.mkdir()
    shutil.copy(root / "dev", tree)
    for arguments in ([], ["help"], ["--help"], ["-h"]):
        code, out, err = run(tree, *arguments)
        expect((code, err), (0, ""), f"dev {arguments}")
        assert "./dev test" in out, out
    code, _, err = run(tree, "tset")
    expect((code, err), (1, "dev: there is no command tset\n"), "a command that is not there")
    expect(os.listdir(tree), ["dev"], "help writes nothing")

    # Who is root may write to any directory, but not to one that is a file.
    (tree / "build").write_text("")
    for command in ("test", "demo", "check", "bench", "golden", "format"):
        code, out, err = run(tree, command)
        expect((code, out, err), (1, "", f"dev: cannot write to {tree}/build; builds need a source "
               "tree that is writable\n"), f"dev {command} in a tree that is read-only")
    (tree / "build").unlink()

    missing = {"dpkg_query": "exit 1"}
    bare = programs(Path(name, "bare"), **missing)
    code, _, err = run(tree, "test", PATH=bare)
    assert code == 1 and err.startswith("dev: missing packages, and no apt-get"), err
    user = programs(Path(name, "user"), **missing, apt_get="exit 0", id="echo 1000")
    code, _, err = run(tree, "format", PATH=user)
    expect((code, err), (1, "dev: no sudo; as root, install first: clang-format\n"), "no sudo")
