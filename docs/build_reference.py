#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of all headers, in build/docs/html, by doxygen: build_reference.py

Comments are text with Markdown, not commands of doxygen. What doxygen reads are copies of the
headers, in build/docs/include, with the same lines: the first comment of a header becomes that of
the file; in the comment of a declaration a line "  name  meaning" becomes an entry of a list, one
that begins with a title and two spaces, "Errors  ...", a paragraph. Doxyfile says what fails.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIES = ROOT / "build/docs/include"

COMMENT = re.compile(r"^( *///?/?<?)( .*)$")
NAME = re.compile(r"^( *///)  +([\w.,()\[\]| -]*?\w[\w.)\]]*)   *(\S.*)$")
TITLE = re.compile(r"^( *///) ([A-Z][a-z]+)   *(\S.*)$")


def escaped(match):
    """What doxygen would take as a tag, a command or a link; code stays as it is."""
    parts = match[2].split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\@#<>]|(?<!\w)::)", r"\\\1", parts[i])
    return match[1] + "`".join(parts)


def prepared(text):
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines)
                  if i > 2 and line.startswith("// ") and not lines[i - 1]), None)
    lines = [COMMENT.sub(escaped, line) for line in lines]
    if start is not None:
        lines[start - 1] = "/// @file"
        while start < len(lines) and lines[start].startswith("//"):
            lines[start] = "/" + lines[start]
            start += 1
    return "\n".join(TITLE.sub(r"\1 <br>**\2** \3", NAME.sub(r"\1 - **\2**: \3", line))
                     for line in lines)


def main():
    shutil.rmtree(ROOT / "build/docs", ignore_errors=True)
    for header in sorted((ROOT / "include").glob("**/*.[hi]*")):
        copy = COPIES / header.relative_to(ROOT / "include")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(prepared(header.read_text()))
    done = subprocess.run(["doxygen", "docs/Doxyfile"], cwd=ROOT, check=False)
    if done.returncode == 0:
        print("build/docs/html/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
