#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several tests in one translation unit: what they include is compiled once.

    join.py DIRECTORY TEST...

Writes DIRECTORY/joined-N.cpp, each with some of the tests, and prints all that is to be compiled.
In it, all headers come first, then each test in a namespace of its own, so that names do not meet.
A test with a namespace of its own, or that writes into ctq's, is compiled alone.
"""

import re
import sys
from pathlib import Path

MOST = 20  # tests in one unit: more would leave processors idle at the end
ALONE = re.compile(r"^(namespace [\w:]+ (?!=)|(extern )?template (class|struct) |(class|struct) ctq::)",
                   re.MULTILINE)
INCLUDE = re.compile(r'^#include (<.*>|".*\.hpp")', re.MULTILINE)


def headers_of(test, text):
    for header in INCLUDE.findall(text):
        beside = test.parent / header[1:-1]
        yield f'"{beside.as_posix()}"' if header[0] == '"' and beside.exists() else header


def joined(texts):
    headers = dict.fromkeys(h for test, text in texts.items() for h in headers_of(test, text))
    lines = [f"#include {header}" for header in headers]
    for number, test in enumerate(texts):
        lines += [f"namespace test_{number}_{test.stem} {{", f'#include "{test.as_posix()}"', "}"]
    return "\n".join(lines) + "\n"


def write_if_new(path, text):
    """A file that stays the same is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(directory, *tests):
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    texts = {Path(test): Path(test).read_text() for test in tests}
    together = {test: text for test, text in texts.items() if not ALONE.search(text)}
    print(*(test.as_posix() for test in texts if test not in together), sep="\n")
    units = -(-len(together) // MOST)
    for unit in range(units):
        path = directory / f"joined-{unit}.cpp"
        write_if_new(path, joined(dict(list(together.items())[unit::units])))
        print(path.as_posix())


if __name__ == "__main__":
    main(*sys.argv[1:])
