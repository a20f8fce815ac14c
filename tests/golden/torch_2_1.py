#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backends of ctq are those of PyTorch 2.1: torch_2_1.py CTQ DATA_DIRECTORY

Each table that PyTorch 2.1 gave is a valid spec, has no difference to the built-in backend, field by
field and in order, and is the very text that ctq writes.
"""

import subprocess
import sys
from pathlib import Path

BACKENDS = ["native", "fbgemm", "x86", "qnnpack", "onednn", "executorch", "tensorrt"]
ctq, data = sys.argv[1], Path(sys.argv[2], "torch_2_1/backend_configs")


def run(*arguments):
    done = subprocess.run([ctq, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


assert sorted(p.stem for p in data.glob("*.json")) == sorted(BACKENDS)
for backend in BACKENDS:
    table = data / f"{backend}.json"
    code, out, err = run("check", table)
    assert (code, out) == (0, ""), f"{backend}: {out}{err}"
    code, out, err = run("diff", table, backend)
    assert (code, out) == (0, ""), f"{backend}: {out}{err}"
    assert run("show", backend, "--json")[1] == table.read_text(), f"{backend}: another text"
    print(backend, "is PyTorch 2.1's")
