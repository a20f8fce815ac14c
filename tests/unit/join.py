#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several tests in one translation unit: what they include is compiled once.

    join.py DIRECTORY UNITS TEST...

Writes DIRECTORY/joined-N.cpp, each with its share of the tests, and prints all that is to be compiled.
In it, all headers come first, then each test in a namespace of its own, so that names do not meet.
A test with a namespace of its own, or that writes into ctq's, comes last, outside of any.
One with a comment that begins with "Compiled alone" is not joined.
"""

import re
import sys
from pathlib import Path

OUTSIDE = re.compile(r"^(namespace [\w:]+ (?!=)|(extern )?template (class|struct) |(class|struct) ctq::)",
                     re.MULTILINE)
INCLUDE = re.compile(r'^#include (<.*>|".*\.hpp")', re.MULTILINE)


def headers_of(test, text):
    for header in INCLUDE.findall(text):
        beside = test.parent / header[1:-1]
        yield f'"{beside.as_posix()}"' if header[0] == '"' and beside.exists() else header


def joined(texts):
    headers = dict.fromkeys(h for test, text in texts.items() for h in headers_of(test, text))
    lines = [f"#include {header}" for header in headers]
    outside = [test for test, text in texts.items() if OUTSIDE.search(text)]
    for number, test in enumerate(texts):
        if test not in outside:
            lines += [f"namespace test_{number}_{test.stem} {{", f'#include "{test.as_posix()}"', "}"]
    lines += [f'#include "{test.as_posix()}"' for test in outside]
    return "\n".join(lines) + "\n"


def write_if_new(path, text):
    """A file that stays the same is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(directory, units, *tests):
    directory, units = Path(directory), int(units)
    directory.mkdir(parents=True, exist_ok=True)
    together = {}
    for test in map(Path, tests):
        text = test.read_text()
        if "// Compiled alone" in text:
            print(test.as_posix())
        else:
            together[test] = text
    for unit in range(units):
        path = directory / f"joined-{unit}.cpp"
        write_if_new(path, joined(dict(list(together.items())[unit::units])))
        print(path.as_posix())


if __name__ == "__main__":
    main(*sys.argv[1:])
