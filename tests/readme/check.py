#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every C++ block of a page stands word for word in a file that is compiled, and every table that a
program prints stands in the page.

    check.py PAGE.md [--table PROGRAM] FILE...
"""

import re
import subprocess
import sys
from pathlib import Path

page, *rest = sys.argv[1:]
text = Path(page).read_text()
problems = []
if rest[:1] == ["--table"]:
    table = subprocess.run([rest[1]], capture_output=True, text=True, check=True).stdout
    rest = rest[2:]
    if table not in text:
        problems.append("the page should have this table:\n" + table)
compiled = [Path(f).read_text() for f in rest]
blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
problems += ["not in any compiled file:\n" + b for b in blocks
             if not any(b.rstrip("\n") in c for c in compiled)]
print(*problems, f"{len(blocks)} blocks, {len(problems)} problems", sep="\n")
sys.exit(not blocks or bool(problems))
