#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/compare.py takes the shortest time of each case, and the mean of each regime:
compare.py ROOT. The programs that it runs are scripts that write the answers of a benchmark."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

script = Path(sys.argv[1], "bench", "compare.py")


def answer(conv, gemm):
    """What bench --json writes, as far as it is read."""
    return {"cases": [{"regime": "conv", "name": "3x3", "seconds": {"ctq": conv}},
                      {"regime": "gemm", "name": "8x8x8", "seconds": {"ctq": gemm}}]}


def program(folder, name, answers):
    """Gives the answers in turn."""
    path = Path(folder, name)
    path.write_text(f"""#!{sys.executable}
import pathlib, sys
turns = pathlib.Path({str(path)!r} + ".turns")
turn = len(turns.read_text()) if turns.exists() else 0
turns.write_text("x" * (turn + 1))
assert "--alone" in sys.argv and sys.argv[-2:] == ["--only", "x"]
out = sys.argv[sys.argv.index("--json") + 1]
pathlib.Path(out).write_text({[json.dumps(a) for a in answers]!r}[turn])
""")
    path.chmod(0o755)
    return path


with tempfile.TemporaryDirectory() as folder:
    first = program(folder, "first", [answer(3e-6, 1e-6), answer(2e-6, 1e-6), answer(4e-6, 1e-6)])
    second = program(folder, "second", [answer(4e-6, 1.05e-6)] * 3)
    found = subprocess.run([sys.executable, script, first, second, "--only", "x"], check=True,
                           capture_output=True, text=True).stdout
expected = """conv 3x3: 2.00 us, 4.00 us: 2.00
conv=2.00 (2.00 to 2.00)
gemm=1.05 (1.05 to 1.05)
"""
if found != expected:
    sys.exit(f"expected\n{expected}found\n{found}")
