#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that PyTorch 1.13 trained for quantization, and what it converts them to, as a C++ header.

Run as `python3 torch_qat.py > tests/unit/io/torch_qat.hpp`. Of each: the files that tools/export_fx.py
--qat writes, the integers of its weights after convert_fx, an input and the output. Needs Debian's
python3-torch (1.13).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.ao.quantization import QConfig, QConfigMapping, get_default_qat_qconfig_mapping
from torch.ao.quantization._learnable_fake_quantize import _LearnableFakeQuantize
from torch.ao.quantization.observer import MovingAverageMinMaxObserver
from torch.ao.quantization.quantize_fx import convert_fx, prepare_qat_fx

ROOT = Path(__file__).resolve().parents[2]
SEED = 3
STEPS = 5


class Net(nn.Module):
    """What is fused and what is not; names that differ from paths."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8)
        self.relu = nn.ReLU()
        self.depthwise = nn.Conv2d(8, 8, 3, stride=2, groups=8)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        x = self.norm(self.depthwise(self.relu(self.bn(self.conv(x)))))
        return self.head(torch.flatten(self.pool(x), 1))


def learnable():
    """Scales and zero points are parameters; weights have one scale each."""
    ranges = {"observer": MovingAverageMinMaxObserver}
    activation = _LearnableFakeQuantize.with_args(**ranges, quant_min=0, quant_max=255, scale=0.1,
                                                  dtype=torch.quint8, use_grad_scaling=True)
    weight = _LearnableFakeQuantize.with_args(**ranges, quant_min=-128, quant_max=127, scale=0.01,
                                              dtype=torch.qint8,
                                              qscheme=torch.per_tensor_symmetric)
    return QConfigMapping().set_global(QConfig(activation=activation, weight=weight))


CASES = {"per_channel": lambda: get_default_qat_qconfig_mapping("fbgemm"),
         "per_tensor": lambda: get_default_qat_qconfig_mapping("qnnpack"),
         "learned": learnable}


def net():
    torch.manual_seed(SEED)
    model = Net()
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            nn.init.uniform_(m.weight, 0.5, 1.5)
            nn.init.uniform_(m.bias, -0.3, 0.3)
    return model


def trained(case):
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"  # the one that Debian's PyTorch has
    model = prepare_qat_fx(net().train(), CASES[case](), (torch.zeros(1, 3, 6, 6),))
    sgd = torch.optim.SGD(model.parameters(), lr=0.005 if case == "learned" else 0.05)
    for step in range(STEPS):
        if case == "learned" and step == 2:
            for m in model.modules():
                if isinstance(m, _LearnableFakeQuantize):
                    m.enable_param_learning()
        loss = nn.functional.cross_entropy(model(torch.randn(8, 3, 6, 6)), torch.randint(4, (8,)))
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    return model.eval()


def __getattr__(name):
    """trained_per_channel and the others, for export_fx.py."""
    if name.startswith("trained_") and name[8:] in CASES:
        return trained(name[8:])
    raise AttributeError(name)


def number(x):
    text = f"{x:.9g}"
    return text + ("F" if any(c in text for c in ".en") else ".0F")


def array(kind, name, values):
    print(f"inline constexpr {kind} {name}[] = {{{', '.join(values)}}};")


def show(case, folder, rows):
    subprocess.run([sys.executable, "-W", "ignore", ROOT / "tools/export_fx.py", "torch_qat:net",
                    "--qat", f"torch_qat:trained_{case}", "--input", "1,3,6,6", "-o",
                    folder / "net.json"], check=True, cwd=Path(__file__).parent)
    if rows:  # the same for all
        print(f'inline constexpr std::string_view rows = R"rows({(folder / "net.json").read_text()})rows";')
    print()
    for name, file in (("weights", "net.safetensors"), ("qparams", "net.qparams.safetensors")):
        array("unsigned char", f"{case}_{name}", map(str, (folder / file).read_bytes()))
    model = convert_fx(trained(case))
    layers = (model.conv, model.depthwise, getattr(model.head, "0"), getattr(model.head, "2"))
    for index, layer in enumerate(layers):
        array("signed char", f"{case}_layer_{index}",
              map(str, layer.weight().int_repr().flatten().tolist()))
    torch.manual_seed(SEED)
    x = torch.randn(1, 3, 6, 6)
    array("float", f"{case}_input", map(number, x.flatten().tolist()))
    array("float", f"{case}_output", map(number, model(x).flatten().tolist()))
    parts = ", ".join(f"{case}_{part}" for part in ("weights", "qparams"))
    weights = ", ".join(f"{case}_layer_{index}" for index in range(len(layers)))
    print(f"inline constexpr trained {case}{{{parts}, {{{weights}}}, {case}_input, {case}_output}};")


def main():
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("#pragma once\n\n#include <span>\n#include <string_view>\n")
    print(f"// Made by tests/golden/torch_qat.py with PyTorch {torch.__version__}.\n")
    print("// clang-format off\nnamespace torch_qat {\n")
    print("struct trained {\n  std::span<const unsigned char> weights, qparams;  // files\n"
          "  std::span<const signed char> layers[4];            // conv, depthwise, head.0, head.2\n"
          "  std::span<const float> input, output;\n};\n")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            show(case, Path(folder), case == next(iter(CASES)))
    print("\n}  // namespace torch_qat\n// clang-format on")


if __name__ == "__main__":
    main()
