#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does every header compile alone, and do all of them together?

    compile.py alone LAYER UNIT_TESTS INCLUDE_DIRECTORY -- COMPILER [FLAG]...
    compile.py together               INCLUDE_DIRECTORY -- COMPILER [FLAG]...

alone: one translation unit a header of the layer, checked without making code; but for headers
that a unit test includes before anything else, which are compiled alone there (where tests are not
joined: ./dev check has such a build). together: a translation unit that includes every header is
linked twice into one program: a definition that lacks `inline` is there twice. That program has no
exceptions and no RTTI, which all others have.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
         # Of GCC alone, about vectors as arguments and template arguments of functions that are
         # always inlined.
         "-Wno-psabi", "-Wno-ignored-attributes"]


def headers_of(root, layer=None):
    """With a layer: its headers and its umbrella."""
    headers = [path.relative_to(root).as_posix() for path in sorted(root.glob("ctq/**/*.hpp"))]
    return [h for h in headers
            if layer is None or h.split("/")[1].removesuffix(".hpp") == layer]


def unit(headers, tail=""):
    return "".join(f'#include "{header}"\n' for header in headers) + tail


def run(command, source=None):
    done = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        print(" ".join(map(str, command)), done.stdout + done.stderr, sep="\n")
    return done.returncode == 0


def included_first(tests):
    """The headers that stand before all others in a test."""
    firsts = (re.search(r'#include\s*["<]([^">]+)', path.read_text())
              for path in tests.glob("**/*.cpp"))
    return {first[1] for first in firsts if first}


def alone(root, tests, layer, compiler):
    tested = included_first(tests)
    headers = [header for header in headers_of(root, layer) if header not in tested]
    bad = [header for header in headers
           if not run([*compiler, "-fsyntax-only", "-x", "c++", "-"], unit([header]))]
    print(f"{layer}: {len(headers)} headers, {len(bad)} do not compile alone", *bad)
    return bool(tested) and not bad


def together(root, compiler):
    headers = headers_of(root)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "all.cpp").write_text(unit(headers))
        (folder / "main.cpp").write_text("int main() {}\n")
        compiler = [*compiler, "-fno-exceptions", "-fno-rtti"]
        if not run([*compiler, "-c", folder / "all.cpp", "-o", folder / "all.o"]):
            return False
        shutil.copy(folder / "all.o", folder / "again.o")
        objects = [folder / "all.o", folder / "again.o"]
        if not run([*compiler, folder / "main.cpp", *objects, "-o", folder / "program"]):
            return False
        if not run([folder / "program"]):
            return False
    print(f"a unit with {len(headers)} headers is linked twice")
    return True


def main(arguments):
    options, compiler = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:])
    root = pathlib.Path(options[-1])
    compiler = [*compiler, *FLAGS, "-I", root]
    if options[0] == "alone":
        layer, tests, _ = options[1:]
        good = alone(root, pathlib.Path(tests), layer, compiler)
    else:
        good = together(root, compiler)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
