#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of networks.py, in run-time graphs: run.py TRACED EXPORTER

TRACED is the program of traced.cpp. Without PyTorch the test is skipped; without torchvision its
networks are.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = "/usr/bin/python3"  # the one that has Debian's PyTorch
HERE = Path(__file__).resolve().parent
# Those that fewer than all machines can build.
LIST = """
import networks
try:
    import torchvision
except ImportError:
    torchvision = None
for name in networks.NETWORKS:
    if torchvision or name not in networks.OF_TORCHVISION:
        print(name)
"""


def main():
    traced, exporter = sys.argv[1:]
    listed = subprocess.run([PYTHON, "-W", "ignore", "-c", LIST], cwd=HERE, capture_output=True,
                            text=True, check=False)
    if listed.returncode != 0:
        sys.exit(77)
    failed = []
    for name in listed.stdout.split():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PYTHON, HERE / "torch_answers.py", exporter, folder, name], check=True)
            if subprocess.run([traced, folder, name], check=False).returncode != 0:
                failed.append(name)
    if failed:
        sys.exit(f"not as PyTorch computes: {' '.join(failed)}")


main()
