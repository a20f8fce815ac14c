#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One mistake, one message: expect_fail.py FILE -- COMPILER [FLAG]...

FILE must not compile, the compiler's output must hold every text of its "// expect: TEXT" lines and
fill at most 12 lines; with -DCTQ_FIXED it must compile, so that it cannot fail for another reason.
"""

import re
import subprocess
import sys
from pathlib import Path

LONGEST_MESSAGE = 12
source, _, *compiler = sys.argv[1:]
wanted = re.findall(r"// expect: (.*)", Path(source).read_text())


def run(*extra):
    command = [*compiler, "-std=c++20", "-fsyntax-only", *extra, source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


bad, good = run(), run("-DCTQ_FIXED")
message = [line for line in bad.stderr.splitlines()
           if not re.fullmatch(r"\d+ errors? generated\.", line)]
problems = [f"missing in the compiler's output: {text}" for text in wanted if text not in bad.stderr]
if not wanted:
    problems.append("the file expects nothing")
if bad.returncode == 0:
    problems.append("it compiles, but should not")
if len(message) > LONGEST_MESSAGE:
    problems.append(f"the message has {len(message)} lines, {LONGEST_MESSAGE} are allowed")
if good.returncode != 0:
    problems.append("the corrected variant does not compile:\n" + good.stderr)
print(*problems, bad.stderr if problems else "\n".join(message), sep="\n")
sys.exit(bool(problems))
