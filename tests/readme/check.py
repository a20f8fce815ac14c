#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every C++ block of the README stands word for word in a file that is compiled.

    check.py README.md FILE...
"""

import re
import sys
from pathlib import Path

readme, *files = map(Path, sys.argv[1:])
compiled = [f.read_text() for f in files]
blocks = re.findall(r"```cpp\n(.*?)```", readme.read_text(), re.DOTALL)
unknown = [b for b in blocks if not any(b.rstrip("\n") in text for text in compiled)]
for block in unknown:
    print("not in any compiled file:\n" + block)
print(f"{len(blocks)} blocks, {len(unknown)} unknown")
sys.exit(not blocks or bool(unknown))
