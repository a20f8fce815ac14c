#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own tables, exported: export.py CTQ WRITE_TABLES DATA_DIRECTORY EXPORTER

With PyTorch 1.13 the exporter writes the very text that ctq makes of the golden tables. A backend
that is made here has all that those have not. Without PyTorch the test is skipped.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = "/usr/bin/python3"  # the one that has Debian's PyTorch
ctq, write_tables, data, exporter = sys.argv[1:]

# A user's backend: an op, a nested pattern with getters, a constraint.
BACKEND = '''
import torch
from torch.ao.quantization.backend_config import (
    BackendConfig, BackendPatternConfig, DTypeConfig, ObservationType)
from torch.ao.quantization.utils import MatchAllNode


class Swish(torch.nn.Module):
    pass


class ConvAddReLU(torch.nn.Module):
    pass


def fuse_conv_bn(is_qat, relu, add):
    return add[1]


int8 = DTypeConfig(input_dtype=torch.quint8, output_dtype=torch.quint8)
tree = (torch.nn.ReLU, (torch.add, torch.nn.Conv2d, MatchAllNode))
observation = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT


def backend():
    swish = BackendPatternConfig(Swish).set_observation_type(observation).add_dtype_config(int8)
    method = BackendPatternConfig("relu_").set_observation_type(observation)
    nested = (BackendPatternConfig(tree).set_observation_type(observation).add_dtype_config(int8)
              .set_fused_module(ConvAddReLU).set_fuser_method(fuse_conv_bn)
              ._set_root_node_getter(lambda pattern: pattern[1][1])
              ._set_extra_inputs_getter(lambda pattern: [pattern[1][2]]))
    configs = [swish, method, nested]
    return BackendConfig("mine").set_backend_pattern_configs(configs)
'''
WANTED = [
    {"pattern": "mine.Swish"},
    {"pattern": "relu_", "dtype_configs": []},
    {"pattern_complex_format": ["torch.nn.ReLU", ["torch.add", "torch.nn.Conv2d", "MatchAllNode"]],
     "fused_module": "mine.ConvAddReLU", "fuser_method": "fuse_conv_bn",
     "root_node_getter": [1, 1], "extra_inputs_getter": [[1, 2]]},
]


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          **options)


def export(backend, to, folder):
    done = run(PYTHON, "-W", "ignore", exporter, backend, "-o", to,
               env={**os.environ, "PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stderr


def main():
    version = run(PYTHON, "-W", "ignore", "-c", "import torch; print(torch.__version__)").stdout
    if not version:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "mine.py").write_text(BACKEND)
        spec = folder / "mine.json"
        export("mine:backend", spec, folder)
        read = json.loads(spec.read_text())
        assert read["ops"] == [{"name": name, "kind": "module"} for name in ("mine.Swish", "mine.ConvAddReLU")], read["ops"]
        for wanted, got in zip(WANTED, read["configs"]):
            assert wanted.items() <= got.items(), got
        assert run(ctq, "check", "--errors-only", spec).returncode == 0
        assert run(ctq, "show", spec, "--json").stdout == spec.read_text(), "another text"

        unknown = run(PYTHON, "-W", "ignore", exporter, "no_such_backend")
        assert unknown.returncode == 1 and "no_such_backend" in unknown.stderr
        if not version.startswith("1.13"):
            return
        run(write_tables, data, folder / "golden")
        for table in ("native", "fbgemm", "x86", "qnnpack", "tensorrt"):
            export(table, folder / f"{table}.json", folder)
            wanted = (folder / "golden" / f"{table}.json").read_text()
            assert (folder / f"{table}.json").read_text() == wanted, f"{table} is another"
            print(table, "is exported as it is")


main()
