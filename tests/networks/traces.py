#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of networks, without PyTorch: traces.py CTQ COMPILER...

Each trace of traces/ becomes a model, and `ctq explain` has a row for each of its nodes; one of them
compiles.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CTQ, *COMPILER = sys.argv[1:]
CTQ = Path(CTQ).resolve()
TRACES = Path(__file__).resolve().parent / "traces"
COMPILED = "mobilenet_v3_small"


def output_of(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def imported(trace, folder):
    """The header of a trace."""
    header = folder / f"{trace.stem}.hpp"
    output_of(CTQ, "import", "--fx", trace.name, "-o", header, "--name", "model", "--namespace",
              trace.stem, cwd=TRACES)
    return header.read_text()


def main():
    traces = sorted(TRACES.glob("*.json"))
    if COMPILED not in [trace.stem for trace in traces]:
        sys.exit(f"{TRACES} has no {COMPILED}.json")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for trace in traces:
            rows = json.loads(trace.read_text())
            kinds = [row["op"] for row in rows]
            header = imported(trace, folder)
            if header.count("nn::placeholder(") != kinds.count("placeholder"):
                sys.exit(f"{trace.name}: its header has not its inputs:\n{header}")
            plan = output_of(CTQ, "explain", "--fx", trace, "--backend", "x86")
            if "quint8" not in plan:
                sys.exit(f"{trace.name}: nothing is quantized:\n{plan}")
        (folder / "main.cpp").write_text(
            f'#include <iterator>\n#include "{COMPILED}.hpp"\n'
            f"constexpr auto& nodes = {COMPILED}::model.nodes;\n"
            "static_assert(nodes[std::size(nodes) - 2].shape == ctq::shape{1, 1000});\n")
        output_of(*COMPILER, "-fsyntax-only", folder / "main.cpp")


main()
