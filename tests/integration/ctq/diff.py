#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changed in PyTorch's backends from 1.13 to 2.1: diff.py CTQ WRITE_TABLES DATA_DIRECTORY

The tables of 1.13 are golden data, those of 2.1 are built in; `ctq diff` between them says what
NAME.diff beside this file says, line by line.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
# Of each backend how many patterns are added, removed, changed and moved.
COUNTS = {
    "native": "9 added, 0 removed, 36 changed, 2 moved",
    "fbgemm": "9 added, 0 removed, 36 changed, 2 moved",
    "x86": "9 added, 0 removed, 19 changed, 2 moved",
    "tensorrt": "8 added, 0 removed, 2 changed, 2 moved",
    "qnnpack": "9 added, 2 removed, 34 changed, 0 moved",
}


def diff(ctq, *backends):
    done = subprocess.run([ctq, "diff", *map(str, backends)], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr.strip()


def main(ctq, write_tables, data):
    with tempfile.TemporaryDirectory() as specs:
        subprocess.run([write_tables, data, specs], check=True)
        for backend, counts in COUNTS.items():
            old = Path(specs, f"{backend}.json")
            wanted = (1, (HERE / f"{backend}.diff").read_text(), counts)
            assert diff(ctq, old, backend) == wanted, f"{backend}: {diff(ctq, old, backend)}"
            assert diff(ctq, old, old) == (0, "", "no differences")
            # The other way round the same patterns differ.
            code, out, _ = diff(ctq, backend, old)
            assert code == 1 and len(out.splitlines()) == len(wanted[1].splitlines())
            print(f"{backend}: {counts}")


if __name__ == "__main__":
    main(*sys.argv[1:])
