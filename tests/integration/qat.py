#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantization-aware training keeps accuracy with weights of 4 bits: qat.py QAT WEIGHTS DATA_DIR

The last line has the numbers; speed is not judged, machines differ. Without the data set the test is
skipped.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

program, weights, data = sys.argv[1:]
if not Path(data, "t10k-images-idx3-ubyte.gz").exists():
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    picture = Path(folder, "loss.png")
    output = subprocess.run([program, "--data", data, "--weights", weights, "--picture", picture],
                            check=True, text=True, stdout=subprocess.PIPE).stdout
    print(output)
    assert picture.read_bytes().startswith(b"\x89PNG"), "no picture"

said = dict(word.split("=") for word in output.splitlines()[-1].removeprefix("qat: ").split())
said = {key: float(value) for key, value in said.items()}
assert said["float_acc"] >= 0.91, "the network is not the trained one"
assert said["qat4_acc"] >= said["float_acc"] - 0.005, "training does not regain the accuracy"
assert said["qat4_acc"] > said["ptq4_acc"], "training does not help"
