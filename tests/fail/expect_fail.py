#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One mistake, one message: expect_fail.py FILE [--also-fixed] -- COMPILER [FLAG]...

FILE must not compile. Where ctq says why, its error comes first; the output must hold every text of
its "// expect: TEXT" lines (as it is, or put together from the lines of ctq::rejected<...>) and
fill at most 12 lines. --also-fixed: with -DCTQ_FIXED it must compile, so that it cannot fail for
another reason; one compiler is enough to see that.
"""

import re
import subprocess
import sys
from pathlib import Path

LONGEST_MESSAGE = 12
split = sys.argv.index("--")
source, *options = sys.argv[1:split]
compiler = sys.argv[split + 1:]
wanted = re.findall(r"// expect: (.*)", Path(source).read_text())


def run(*extra):
    command = [*compiler, "-fsyntax-only", *extra, source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def without_spaces(text):
    """The lines of a message are cut at spaces, and inside very long words."""
    return re.sub(r"\s", "", text)


def message_of(output):
    """What ctq::rejected<line<9>{"backend:"}, ...> says."""
    return "".join(re.findall(r'line<\d+>\{"(.*?)"\}', output))


bad = run()
good = run("-DCTQ_FIXED") if "--also-fixed" in options else None
message = [line for line in bad.stderr.splitlines()
           if not re.fullmatch(r"\d+ errors? generated\.", line)]
said = without_spaces(bad.stderr) + without_spaces(message_of(bad.stderr))
problems = [f"missing in the compiler's output: {text}" for text in wanted
            if without_spaces(text) not in said]
first_error = next((line for line in message if " error: " in line), "")
if "rejected<" in bad.stderr and "ctq" not in first_error.partition(" error: ")[2]:
    problems.append("the first error is not ours: " + first_error)
if not wanted:
    problems.append("the file expects nothing")
if bad.returncode == 0:
    problems.append("it compiles, but should not")
if len(message) > LONGEST_MESSAGE:
    problems.append(f"the message has {len(message)} lines, {LONGEST_MESSAGE} are allowed")
if good is not None and good.returncode != 0:
    problems.append("the corrected variant does not compile:\n" + good.stderr)
print(*problems, bad.stderr if problems else "\n".join(message), sep="\n")
sys.exit(bool(problems))
