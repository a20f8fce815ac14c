#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network as PyTorch sees it: torch_answers.py EXPORTER FOLDER NAME SEEDS

Writes NAME.json as tools/export_fx.py does, and for each seed of weights and inputs from 0 on
NAME.SEED.safetensors, its weights, and NAME.SEED.data.safetensors: inputs for calibration and
evaluation, and for the latter what the float model and PyTorch's reference model
(convert_to_reference_fx) give.
"""

import copy
import math
import sys
import warnings
from pathlib import Path

import torch
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.backend_config.x86 import get_x86_backend_config
from torch.ao.quantization.quantize_fx import convert_to_reference_fx, prepare_fx

import networks

sys.path.insert(0, str(Path(sys.argv[1]).resolve().parent))
from fx_export.exporter import Exporter
from fx_export.files import write_rows, write_safetensors

# How many inputs calibrate, and as many evaluate: more of small inputs, whose outputs have few values,
# since the error of one says little.
FEW, MANY = 8, 64


def outputs_of(model, inputs):
    """The tensors that the model gives for one input."""
    out = model(*inputs)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def reference_model(model, name, calibration):
    mapping, backend = get_default_qconfig_mapping("x86"), get_x86_backend_config()
    prepared = prepare_fx(copy.deepcopy(model), mapping, tuple(calibration[0]), backend_config=backend)
    for inputs in calibration:
        prepared(*inputs)
    return convert_to_reference_fx(prepared, backend_config=backend)


def write(folder, name, seed):
    model = networks.build(name, seed)
    shapes = networks.NETWORKS[name][1]
    exported = Exporter(copy.deepcopy(model), shapes)
    write_rows(folder / f"{name}.json", exported.content())
    write_safetensors(folder / f"{name}.{seed}.safetensors", exported.weights())

    generator = torch.Generator().manual_seed(seed + 2)
    samples = MANY if all(math.prod(shape) <= 1024 for shape in shapes) else FEW
    calibration = [networks.inputs_of(name, generator) for _ in range(samples)]
    evaluation = [networks.inputs_of(name, generator) for _ in range(samples)]
    reference = reference_model(model, name, calibration)
    data = {}
    for what, inputs_of_all in ("calibration", calibration), ("evaluation", evaluation):
        for i, inputs in enumerate(inputs_of_all):
            data |= {f"{what}.{i}.{k}": x for k, x in enumerate(inputs)}
    for i, inputs in enumerate(evaluation):
        data |= {f"float.{i}.{k}": y for k, y in enumerate(outputs_of(model, inputs))}
        data |= {f"reference.{i}.{k}": y for k, y in enumerate(outputs_of(reference, inputs))}
    write_safetensors(folder / f"{name}.{seed}.data.safetensors", data)


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    folder, name, seeds = Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    with torch.no_grad():
        for seed in range(int(seeds)):
            write(folder, name, seed)


if __name__ == "__main__":
    main()
