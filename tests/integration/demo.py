#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo says what docs/getting_started.md promises: demo.py FASHION_MNIST SHIPPED WEIGHTS DATA_DIR

Its last line has the numbers. float reaches 91 %, int8 costs at most 0.3 % and never
allocates; the program that ships computes the same; times are not judged, machines differ. Without the data set the test is skipped.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

program, shipped, weights, data = sys.argv[1:]
if not Path(data, "t10k-images-idx3-ubyte.gz").exists():
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    picture = Path(folder, "picture.png")
    output = subprocess.run([program, "--data", data, "--weights", weights, "--picture", picture,
                             "--model", Path(folder, "int8.safetensors"), "--shipped", shipped],
                            check=True, text=True, stdout=subprocess.PIPE).stdout
    print(output)
    assert picture.read_bytes().startswith(b"\x89PNG"), "no picture"

said = dict(word.split("=") for word in output.splitlines()[-1].removeprefix("demo: ").split())
assert float(said["float_acc"]) >= 0.91, "the network is not the trained one"
assert float(said["int8_acc"]) >= float(said["float_acc"]) - 0.003, "int8 loses accuracy"
assert said["allocations"] == "0", "a run allocates"
assert said["shipped"] == "ok", "the program that ships computes something else"
