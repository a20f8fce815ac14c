#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes equalization_cases.inc, what input-weight equalization makes of the models below:
make_equalization_cases.py > equalization_cases.inc

Made with PyTorch 1.13 (Debian python3-torch 1.13.1). Weights and data are small multiples of 1/8,
so that sums are exact in any order. A case has its state_dict, its calibration data, the factors
that PyTorch found for each layer, the parameters it scaled, and the range of the observer of the
model's input afterwards.
"""

import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.ao.quantization import QConfigMapping
from torch.ao.quantization.fx._equalize import (_convert_equalization_ref, _InputEqualizationObserver,
                                                default_equalization_qconfig)
from torch.ao.quantization.quantize_fx import prepare_fx
from torch.ao.quantization.observer import MinMaxObserver, PerChannelMinMaxObserver
from torch.ao.quantization.qconfig import QConfig

warnings.filterwarnings("ignore")
torch.manual_seed(4)


def eighths(*shape):
    return torch.randint(-16, 17, shape) / 8.0


class linears(nn.Module):
    """Both become one with the relu behind them."""

    def __init__(self):
        super().__init__()
        self.fc1, self.relu1 = nn.Linear(3, 4), nn.ReLU()
        self.fc2, self.relu2 = nn.Linear(4, 5, bias=False), nn.ReLU()
        self.fc3 = nn.Linear(5, 2)

    def forward(self, x):
        return self.fc3(self.relu2(self.fc2(self.relu1(self.fc1(x)))))


class convs(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(2, 3, 2), nn.Conv2d(3, 2, (1, 2), bias=False)

    def forward(self, x):
        return F.relu(self.conv2(F.relu(self.conv1(x))))


class convs1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(2, 3, 2), nn.Conv1d(3, 2, 2)

    def forward(self, x):
        return self.conv2(self.conv1(x))


class convs3d(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv3d(2, 2, 2), nn.Conv3d(2, 1, 1)

    def forward(self, x):
        return self.conv2(self.conv1(x))


class functions(nn.Module):
    """Buffers, since PyTorch fails to equalize parameters."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight1", eighths(4, 3))
        self.register_buffer("bias1", eighths(4))
        self.register_buffer("weight2", eighths(2, 4))

    def forward(self, x):
        return F.linear(F.relu(F.linear(x, self.weight1, self.bias1)), self.weight2)


class norms(nn.Module):
    """The batch norm is folded before anything is equalized."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1, self.relu1 = nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3), nn.ReLU()
        self.conv2 = nn.Conv2d(3, 2, 1)

    def forward(self, x):
        return self.conv2(self.relu1(self.bn1(self.conv1(x))))


class pools(nn.Module):
    """There has to be a multiplication between the pool and conv2."""

    def __init__(self):
        super().__init__()
        self.conv1, self.pool, self.conv2 = nn.Conv2d(1, 2, 1), nn.MaxPool2d(2), nn.Conv2d(2, 2, 1)

    def forward(self, x):
        return self.conv2(self.pool(self.conv1(x)))


class flat_columns(linears):
    """Columns without a range."""


class branches(nn.Module):
    """The input has two readers: neither is equalized. After the sum there is a multiplication."""

    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.fc3(self.fc1(x) + self.fc2(x))


def number(x):
    text = "%.9g" % x
    return text + ("F" if any(c in text for c in ".e") else ".0F")


def tensor(name, t):
    shape = ", ".join(str(n) for n in t.shape)
    values = ", ".join(number(x) for x in t.flatten().tolist())
    return '    {"%s", {%s}, {%s}},\n' % (name, shape, values)


def tensors(named):
    return "  {\n" + "".join(tensor(name, t) for name, t in named) + "  },\n"


def write(model, *data):
    name = type(model).__name__
    model.eval()
    with torch.no_grad():
        for key, t in model.state_dict().items():
            if t.dtype == torch.float32:
                t.copy_(eighths(*t.shape).abs() + 0.5 if key.endswith("running_var")
                        else eighths(*t.shape))
        if name == "flat_columns":
            model.fc1.weight[:, 1] = 0.25
            data[0][:, 2] = 1.0
            model.fc2.weight[:, 0] = 0.0
    before = [(k, t.clone()) for k, t in model.state_dict().items() if t.dtype == torch.float32]
    qconfig = QConfig(activation=MinMaxObserver,
                      weight=PerChannelMinMaxObserver.with_args(dtype=torch.qint8))
    prepared = prepare_fx(
        model, QConfigMapping().set_global(qconfig), (data[0],),
        _equalization_config=QConfigMapping().set_global(default_equalization_qconfig))
    for x in data:
        prepared(x)
    observers = dict(prepared.named_modules(remove_duplicate=False))
    equalizing = [n for n in prepared.graph.nodes if n.op == "call_module"
                  and isinstance(observers[n.target], _InputEqualizationObserver)]
    readers = [(next(iter(n.users)).name, observers[n.target]) for n in equalizing]
    ref = _convert_equalization_ref(prepared)
    scales = [(reader, o.equalization_scale.flatten()) for reader, o in readers]
    after = [(k.replace(".0.", "."), t.detach()) for k, t in ref.state_dict().items()
             if "activation_post" not in k and "equalization" not in k]
    after = [(k, t) for k, t in after if t.dtype == torch.float32]
    seen = observers["activation_post_process_0"]
    print('{"%s",' % name)
    for part in before, [("x", x) for x in data], scales, after:
        print(tensors(part), end="")
    print("  %s, %s},\n" % (number(seen.min_val), number(seen.max_val)))


print("// Written by make_equalization_cases.py with PyTorch 1.13.")
write(linears(), eighths(4, 3), eighths(2, 3) * 3)
write(convs(), eighths(2, 2, 4, 4))
write(convs1d(), eighths(2, 2, 6))
write(convs3d(), eighths(1, 2, 3, 3, 3))
write(functions(), eighths(5, 3))
write(norms(), eighths(2, 2, 3, 3))
write(pools(), eighths(1, 1, 4, 4))
write(flat_columns(), eighths(4, 3))
write(branches(), eighths(4, 2))
