#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two steps of quantization-aware training with PyTorch 1.13, as a C++ header.

Run as `python3 torch_train_step.py > tests/unit/train/torch_train_step.hpp`. The unit test
tests/unit/train/torch_train_step.cpp has the same network and must compute the same: loss, gradients,
running statistics, scales and zero points of the first step, and after a step of SGD the loss of the
second. Needs Debian's python3-torch (1.13).
"""

import copy

import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, QConfig, QConfigMapping
from torch.ao.quantization.observer import (MovingAverageMinMaxObserver,
                                            MovingAveragePerChannelMinMaxObserver)
from torch.ao.quantization.quantize_fx import prepare_qat_fx
from torch.nn import functional as F

SEED = 7
SGD = {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}


class Net(nn.Module):
    """Each kind of layer of the networks in the documentation once."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1, bias=True)
        self.bn2 = nn.BatchNorm2d(8)
        self.relu2 = nn.ReLU()
        self.depthwise = nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=8, bias=False)
        self.bn3 = nn.BatchNorm2d(8)
        self.relu6 = nn.ReLU6()
        self.pointwise = nn.Conv2d(8, 4, 1)
        self.hardswish = nn.Hardswish()
        self.pool2 = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Linear(12, 8)
        self.relu3 = nn.ReLU()
        self.fc2 = nn.Linear(8, 5)

    def forward(self, x):
        x = self.pool1(self.relu1(self.bn1(self.conv1(x))))
        x = self.relu2(self.bn2(self.conv2(x)) + x)
        x = self.relu6(self.bn3(self.depthwise(x)))
        y = self.hardswish(self.pointwise(x))
        x = torch.flatten(self.pool2(torch.cat([x, y], dim=1)), start_dim=1)
        return self.fc2(self.relu3(self.fc1(x)))


def prepared(model, images):
    activation = FakeQuantize.with_args(observer=MovingAverageMinMaxObserver, quant_min=0,
                                        quant_max=255, dtype=torch.quint8)
    weight = FakeQuantize.with_args(observer=MovingAveragePerChannelMinMaxObserver, quant_min=-127,
                                    quant_max=127, dtype=torch.qint8,
                                    qscheme=torch.per_channel_symmetric)
    mapping = QConfigMapping().set_global(QConfig(activation=activation, weight=weight))
    return prepare_qat_fx(copy.deepcopy(model).train(), mapping, (images,))


def float_name(name, norms):
    """conv1.bn.weight of the fused module is bn1.weight of the network."""
    module, _, rest = name.partition(".")
    return f"{norms[module]}.{rest[3:]}" if rest.startswith("bn.") else name


def number(x):
    text = f"{x:.9g}"
    return text + ("F" if any(c in text for c in ".en") else ".0F")


def table(name, rows):
    for index, (_, values) in enumerate(rows):
        text = ", ".join(number(v) for v in values)
        print(f"inline constexpr float {name}_{index}[] = {{{text}}};")
    print(f"inline constexpr named_values {name}[] = {{")
    for index, (key, _) in enumerate(rows):
        print(f'    {{"{key}", {name}_{index}}},')
    print("};\n")


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = Net()
    for m in model.modules():  # away from the defaults, so that each has an effect
        if isinstance(m, nn.BatchNorm2d):
            nn.init.uniform_(m.weight, 0.5, 1.5)
            nn.init.uniform_(m.bias, -0.3, 0.3)
            nn.init.uniform_(m.running_mean, -0.2, 0.2)
            nn.init.uniform_(m.running_var, 0.5, 1.5)
    images = torch.randn(4, 3, 12, 12)
    labels = torch.randint(5, (4,))
    norms = {"conv1": "bn1", "conv2": "bn2", "depthwise": "bn3"}

    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("#pragma once\n")
    print("#include <span>\n#include <string_view>\n")
    print(f"// Made by tests/golden/torch_train_step.py with PyTorch {torch.__version__}.\n")
    print("// clang-format off\nnamespace torch_step {\n")
    print("struct named_values {\n  std::string_view name;\n  std::span<const float> values;\n};\n")
    table("weights", [(k, v.flatten().tolist()) for k, v in model.state_dict().items()
                      if v.is_floating_point()])
    table("batch", [("images", images.flatten().tolist()), ("labels", labels.tolist())])

    m = prepared(model, images)
    sgd = torch.optim.SGD(m.parameters(), **SGD)
    losses = []
    for step in range(2):
        loss = F.cross_entropy(m(images), labels)
        losses.append(loss.item())
        sgd.zero_grad()
        loss.backward()
        if step == 0:
            table("gradients", [(float_name(k, norms), p.grad.flatten().tolist())
                                for k, p in m.named_parameters()])
            table("running", [(float_name(k, norms), v.flatten().tolist())
                              for k, v in m.named_buffers() if "running" in k])
            fakes = [(k, f) for k, f in m.named_modules(remove_duplicate=False)
                     if isinstance(f, FakeQuantize)]
            table("scales", [(k, f.scale.flatten().tolist()) for k, f in fakes])
            table("zero_points", [(k, f.zero_point.flatten().tolist()) for k, f in fakes])
        sgd.step()
    table("stepped", [(float_name(k, norms), p.flatten().tolist()) for k, p in m.named_parameters()])
    table("losses", [("losses", losses)])
    print("}  // namespace torch_step\n// clang-format on")


if __name__ == "__main__":
    main()
