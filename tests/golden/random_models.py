#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models and what PyTorch 1.13 makes of them: random_models.py DIR [--seed N] [--count N]

Writes DIR/models.json and DIR/models.bin in the form of data/README.md, so that `golden DIR` compares
ctq with them; with --golden PROGRAM that program does so at once, under both semantics.

Each case is a random network: layers, activations, sums, pools, blocks, functions with weights; with a
random mapping, some with a backend, in training, with quantized inputs and outputs, standalone, custom
or non-traceable modules, preserved attributes, a mapping of convert. The cases of a seed are always the
same. Models that PyTorch itself cannot run after lowering are left out, and errors but for those whose
reason ctq shares. Options of modules are not in the data: golden infers them, so they are simple, and
a model in training has no value that is no output.
"""

import argparse
import copy
import json
import operator
import random
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import torch.ao.quantization as aq
import torch.nn.functional as F
from torch import nn
from torch.ao.quantization import quantize_fx
from torch.ao.quantization.backend_config import get_native_backend_config, get_tensorrt_backend_config
from torch.ao.quantization.backend_config.fbgemm import get_fbgemm_backend_config
from torch.ao.quantization.backend_config.qnnpack import get_qnnpack_backend_config
from torch.ao.quantization.fx.custom_config import ConvertCustomConfig, PrepareCustomConfig
from torch.ao.quantization.fx.tracer import QuantizationTracer
from torch.ao.quantization.quant_type import QuantType

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from fx_export.rows.row_format import function_names  # noqa: E402

ENGINE = "qnnpack"
BACKENDS = {None: get_native_backend_config, "qnnpack": get_qnnpack_backend_config,
            "fbgemm": get_fbgemm_backend_config, "tensorrt": get_tensorrt_backend_config}
PREFIXES = [("torch.nn.intrinsic.qat.", "nniqat."), ("torch.ao.nn.intrinsic.qat.", "nniqat."),
            ("torch.nn.intrinsic.quantized.dynamic.", "nniqd."),
            ("torch.ao.nn.intrinsic.quantized.dynamic.", "nniqd."),
            ("torch.nn.intrinsic.quantized.", "nniq."), ("torch.ao.nn.intrinsic.quantized.", "nniq."),
            ("torch.nn.intrinsic.", "nni."), ("torch.ao.nn.intrinsic.", "nni."),
            ("torch.nn.qat.", "nnqat."), ("torch.ao.nn.qat.", "nnqat."),
            ("torch.nn.quantized._reference.", "nnqr."), ("torch.ao.nn.quantized.reference.", "nnqr."),
            ("torch.nn.quantized.dynamic.", "nnqd."), ("torch.ao.nn.quantized.dynamic.", "nnqd."),
            ("torch.nn.quantized.", "nnq."), ("torch.ao.nn.quantized.", "nnq."),
            ("torch.ao.quantization.", "aq."), ("torch.nn.", "nn.")]
NAMES = function_names()
DTYPES = {torch.float32: ("f32", "f"), torch.float64: ("f64", "d"), torch.int64: ("i64", "q"),
          torch.int32: ("i32", "i"), torch.uint8: ("u8", "B"), torch.int8: ("i8", "b")}


# --- Modules of the networks ---------------------------------------------------------------------

class Sub(nn.Module):
    """A block that may be traced into, stand alone, or be one row."""

    def __init__(self, width, inner, kind):
        super().__init__()
        self.fc1 = nn.Linear(width, inner)
        self.fc2 = nn.Linear(inner, width)
        self.kind = kind

    def forward(self, x):
        y = self.fc1(x)
        y = F.relu(y) if self.kind == 0 else torch.tanh(y) if self.kind == 1 else y
        y = self.fc2(y)
        return y + x if self.kind == 2 else y


class Nested(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = Sub(width, width + 1, 0)
        self.last = nn.Linear(width, width)

    def forward(self, x):
        return self.last(self.inner(x))


class CustomLinear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return self.linear(x)


class WithLinear(nn.Module):
    """What both other forms of CustomLinear are."""

    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        return self.linear(x)


class ObservedCustomLinear(WithLinear):
    @classmethod
    def from_float(cls, module):
        observed = cls(module.linear)
        observed.qconfig = module.qconfig
        return observed


class QuantizedCustomLinear(WithLinear):
    @classmethod
    def from_observed(cls, module):
        module.linear.qconfig = module.qconfig
        module.linear.activation_post_process = module.activation_post_process
        return cls(torch.nn.quantized.Linear.from_float(module.linear))


class Network(nn.Module):
    """Runs a program: rows of (what, name of a module or None, places of its operands, arguments)."""

    def __init__(self, program, modules, parameters, inputs, outputs):
        super().__init__()
        self.program, self.inputs, self.outputs = program, inputs, outputs
        for name, module in modules.items():
            setattr(self, name, module)
        for name, tensor in parameters.items():
            setattr(self, name, nn.Parameter(tensor))

    def run(self, values):
        for what, name, operands, arguments in self.program:
            x = [values[k] for k in operands]
            if what == "module":
                values.append(getattr(self, name)(*x))
            elif what == "function":
                values.append(arguments[0](*x, *arguments[1], **arguments[2]))
            elif what == "method":
                values.append(getattr(x[0], arguments[0])(*x[1:], *arguments[1], **arguments[2]))
            elif what == "cat":
                values.append(torch.cat(x, 1))
            elif what == "weighted":
                w = [getattr(self, p) for p in name.split()]
                values.append(arguments[0](x[0], *w, *arguments[1]))
            elif what == "getitem":
                values.append(x[0][arguments[0]])
        if isinstance(self.outputs, dict):
            return {key: values[k] for key, k in self.outputs.items()}
        if isinstance(self.outputs, list):
            return tuple(values[k] for k in self.outputs)
        return values[self.outputs]


class One(Network):
    def forward(self, x):
        return self.run([x])


class Two(Network):
    def forward(self, x, y):
        return self.run([x, y])


# --- Random networks -----------------------------------------------------------------------------

class Draw:
    """A random network: values with shapes, and the program that computes them."""

    def __init__(self, r, images, is_qat):
        self.r, self.is_qat = r, is_qat
        self.program, self.modules, self.parameters = [], {}, {}
        batch = r.choice([2, 3])
        self.input_shapes = [(batch, r.choice([2, 3, 4]), 6, 6) if images
                             else (batch, r.choice([4, 5, 6]))]
        if r.random() < 0.3:
            self.input_shapes.append(self.input_shapes[0])
        self.shapes = list(self.input_shapes)
        self.custom = self.standalone = self.non_traceable = None
        self.used = set()

    def emit(self, what, name, operands, arguments, shape):
        self.program.append((what, name, list(operands), arguments))
        self.shapes.append(tuple(shape))
        self.used.update(operands)
        return len(self.shapes) - 1

    def module(self, kind, module, x, shape):
        name = f"{kind}{len(self.modules)}"
        self.modules[name] = module
        return self.emit("module", name, [x], None, shape)

    def pick(self, rank=None):
        """A value, rather a late one."""
        fitting = [k for k, s in enumerate(self.shapes) if s and rank in (None, len(s))]
        if not fitting:
            return None
        return fitting[-1] if self.r.random() < 0.7 else self.r.choice(fitting)

    def relu_after(self, x):
        r, shape = self.r, self.shapes[x]
        kind = r.randrange(4)
        if kind == 0:
            return self.module("relu", nn.ReLU(), x, shape)
        if kind == 1:
            return self.emit("function", None, [x], (F.relu, (), {}), shape)
        return x

    # Each returns the place of its value, or None if none fits.
    def linear(self):
        x = self.pick(2)
        if x is None:
            return None
        n, k = self.shapes[x]
        out = self.r.choice([3, 4, 5, k])
        y = self.module("fc", nn.Linear(k, out, bias=self.r.random() < 0.8), x, (n, out))
        if self.r.random() < 0.25:
            y = self.module("bn", nn.BatchNorm1d(out), y, (n, out))
        return self.relu_after(y)

    def conv(self):
        x = self.pick(4)
        if x is None or self.shapes[x][2] < 3:
            return None
        n, c, h, w = self.shapes[x]
        depthwise = self.r.random() < 0.25
        out = c if depthwise else self.r.choice([2, 3, 4, c])
        kernel, padding, stride = self.r.choice([(3, 1, 1), (1, 0, 1), (3, 0, 1), (3, 1, 2)])
        y = self.module("conv", nn.Conv2d(c, out, kernel, stride, padding,
                                          groups=c if depthwise else 1,
                                          bias=self.r.random() < 0.7), x,
                        (n, out, (h + 2 * padding - kernel) // stride + 1,
                         (w + 2 * padding - kernel) // stride + 1))
        if self.r.random() < 0.45:
            y = self.module("bn", nn.BatchNorm2d(out), y, self.shapes[y])
        return self.relu_after(y)

    def conv1d(self):
        x = self.pick(3)
        if x is None or self.shapes[x][2] < 3:
            return None
        n, c, w = self.shapes[x]
        y = self.module("conv", nn.Conv1d(c, 3, 3, padding=1), x, (n, 3, w))
        return self.relu_after(y)

    def transposed(self):
        x = self.pick(4)
        if x is None or self.is_qat:
            return None
        n, c, h, w = self.shapes[x]
        y = self.module("up", nn.ConvTranspose2d(c, 2, 2, 2), x, (n, 2, 2 * h, 2 * w))
        return self.module("bn", nn.BatchNorm2d(2), y, self.shapes[y]) if self.r.random() < 0.3 else y

    def binary(self):
        x = self.pick()
        others = [k for k, s in enumerate(self.shapes) if s == self.shapes[x]]
        y = self.r.choice(others)
        f = self.r.choice([operator.add, torch.add, operator.mul, torch.mul])
        z = self.emit("function", None, self.r.sample([x, y], 2), (f, (), {}), self.shapes[x])
        return self.relu_after(z)

    def scalar(self):
        x = self.pick()
        f = self.r.choice([operator.add, torch.add, operator.mul, torch.mul])
        c = self.r.choice([2, 0.5, 3.0, 1.25])
        z = self.emit("function", None, [x], (f, (c,), {}), self.shapes[x])
        return self.relu_after(z)

    def matmul(self):
        x = self.pick(2)
        if x is None:
            return None
        n, k = self.shapes[x]
        t = self.emit("method", None, [x], ("transpose", (0, 1), {}), (k, n))
        return self.emit("function", None, [x, t], (torch.matmul, (), {}), (n, n))

    def cat(self):
        x = self.pick()
        if self.shapes[x][1] > 8:
            return None
        others = [k for k, s in enumerate(self.shapes) if s == self.shapes[x]]
        ys = [x] + [self.r.choice(others) for _ in range(self.r.choice([1, 1, 2]))]
        s = self.shapes[x]
        return self.emit("cat", None, ys, None, (s[0], s[1] * len(ys), *s[2:]))

    def activation(self):
        x = self.pick()
        s, r = self.shapes[x], self.r
        kind = r.randrange(15)
        modules = [nn.Sigmoid(), nn.Tanh(), nn.Hardsigmoid(), nn.Hardswish(), nn.ELU(),
                   nn.LeakyReLU(0.1), nn.ReLU6(), nn.Dropout(0.2), nn.Identity()]
        if kind < len(modules):
            return self.module("act", modules[kind], x, s)
        functions = [torch.sigmoid, torch.tanh, F.hardswish, F.leaky_relu, F.hardsigmoid, torch.exp]
        return self.emit("function", None, [x], (functions[kind - len(modules)], (), {}), s)

    def pool(self):
        x = self.pick(4)
        if x is None or self.shapes[x][2] < 2:
            return None
        n, c, h, w = self.shapes[x]
        kind = self.r.randrange(5)
        if kind == 0:
            return self.module("pool", nn.MaxPool2d(2), x, (n, c, h // 2, w // 2))
        if kind == 1:
            return self.module("pool", nn.AvgPool2d(2), x, (n, c, h // 2, w // 2))
        if kind == 2:
            return self.module("pool", nn.AdaptiveAvgPool2d(1), x, (n, c, 1, 1))
        if kind == 3:
            return self.emit("function", None, [x], (F.max_pool2d, (2,), {}), (n, c, h // 2, w // 2))
        return self.emit("function", None, [x], (F.adaptive_avg_pool2d, (2,), {}), (n, c, 2, 2))

    def view(self):
        x = self.pick()
        s, r = self.shapes[x], self.r
        if len(s) == 4:
            size = s[1] * s[2] * s[3]
            if size > 100:
                return None
            return r.choice([
                lambda: self.emit("function", None, [x], (torch.flatten, (1,), {}), (s[0], size)),
                lambda: self.emit("method", None, [x], ("reshape", (s[0], -1), {}), (s[0], size)),
                lambda: self.emit("method", None, [x], ("permute", (0, 1, 3, 2), {}),
                                  (s[0], s[1], s[3], s[2])),
                lambda: self.emit("method", None, [x], ("mean", ([2, 3],), {}), s[:2]),
                lambda: self.emit("method", None, [x], ("reshape", (s[0], s[1], -1), {}),
                                  (s[0], s[1], s[2] * s[3]))])()
        if len(s) == 2:
            return r.choice([
                lambda: self.emit("method", None, [x], ("view", (s[0], s[1], 1, 1), {}), (*s, 1, 1)),
                lambda: self.emit("method", None, [x], ("unsqueeze", (1,), {}), (s[0], 1, s[1])),
                lambda: self.emit("function", None, [x], (torch.clamp, (-0.5, 0.75), {}), s)])()
        return self.emit("method", None, [x], ("reshape", (s[0], -1), {}), (s[0], s[1] * s[2]))

    def functional(self):
        x = self.pick(2)
        if x is None:
            return None
        n, k = self.shapes[x]
        out = self.r.choice([3, 4])
        names = [f"w{len(self.parameters)}"]
        self.parameters[names[0]] = torch.randn(out, k) * 0.4
        if self.r.random() < 0.7:
            names.append(f"b{len(self.parameters)}")
            self.parameters[names[1]] = torch.randn(out) * 0.3
        y = self.emit("weighted", " ".join(names), [x], (F.linear, ()), (n, out))
        return self.relu_after(y)

    def norm(self):
        x = self.pick()
        s = self.shapes[x]
        if len(s) == 4:
            kind = self.r.randrange(3)
            if kind == 0:
                return self.module("bn", nn.BatchNorm2d(s[1]), x, s)
            if kind == 1 and not self.is_qat:
                return self.module("norm", nn.InstanceNorm2d(s[1], affine=True), x, s)
            return self.emit("function", None, [x], (F.relu6, (), {}), s)
        return self.module("norm", nn.LayerNorm(s[-1]), x, s)

    def chain(self):
        """Views and copies, one behind the other."""
        x = self.pick(2)
        if x is None:
            return None
        n, k = self.shapes[x]
        y = self.emit("method", None, [x], ("unsqueeze", (2,), {}), (n, k, 1))
        y = self.emit("method", None, [y], ("permute", (0, 2, 1), {}), (n, 1, k))
        y = self.emit("method", None, [y], ("contiguous", (), {}), (n, 1, k))
        return self.emit("method", None, [y], ("squeeze", (1,), {}), (n, k))

    def sizes(self):
        """A view with sizes of another value."""
        x = self.pick(4)
        if x is None or self.shapes[x][1] * self.shapes[x][2] * self.shapes[x][3] > 100:
            return None
        s = self.shapes[x]
        n = self.emit("method", None, [x], ("size", (0,), {}), ())
        return self.emit("method", None, [x, n], ("view", (-1,), {}), (s[0], s[1] * s[2] * s[3]))

    def again(self):
        """A module once more."""
        calls = [(name, operands[0]) for what, name, operands, _ in self.program if what == "module" and
                 isinstance(self.modules[name], (nn.ReLU, nn.Sigmoid, nn.Dropout, nn.MaxPool2d))]
        if not calls:
            return None
        name, x = self.r.choice(calls)
        if isinstance(self.modules[name], nn.MaxPool2d):
            return None
        y = self.pick()
        return self.emit("module", name, [y], None, self.shapes[y])

    def block(self):
        x = self.pick(2)
        if x is None:
            return None
        n, k = self.shapes[x]
        if self.r.random() < 0.3:
            return self.module("nested", Nested(k), x, (n, k))
        return self.module("sub", Sub(k, self.r.choice([3, 5]), self.r.randrange(3)), x, (n, k))

    def custom_block(self):
        x = self.pick(2)
        if x is None or self.is_qat or len(self.program) == 0:
            return None
        n, k = self.shapes[x]
        return self.module("cm", CustomLinear(k), x, (n, k))

    def network(self, features):
        kinds = [self.linear, self.linear, self.conv, self.conv, self.conv, self.conv1d, self.binary,
                 self.binary, self.scalar, self.cat, self.activation, self.activation, self.pool,
                 self.view, self.functional, self.block, self.again, self.transposed, self.matmul,
                 self.norm, self.chain, self.sizes]
        for _ in range(self.r.randrange(2, 9)):
            self.r.choice(kinds)()
        for feature in features:
            if feature in ("standalone", "non_traceable"):
                self.block()
            if feature == "custom":
                self.linear()
                self.custom_block()
                self.linear()
        if not self.program:
            self.linear()
            self.conv()
        unused = [k for k in range(len(self.input_shapes), len(self.shapes))
                  if k not in self.used and self.shapes[k]]
        kind = self.r.random()
        # The data shows no options of what has no part in an output.
        has_options = any(isinstance(m, (nn.Conv1d, nn.Conv2d, nn.ConvTranspose2d, nn.LeakyReLU, nn.AvgPool2d))
                          for m in self.modules.values())
        if (kind < 0.25 or self.is_qat or has_options) and len(unused) > 1:
            outputs = unused
        elif kind < 0.32:
            outputs = {"first": unused[-1], "second": self.r.choice(
                [k for k, s in enumerate(self.shapes) if s])}
        else:
            outputs = unused[-1]
        cls = One if len(self.input_shapes) == 1 else Two
        model = cls(self.program, self.modules, self.parameters, self.input_shapes, outputs)
        for m in model.modules():
            if isinstance(m, nn.modules.batchnorm._BatchNorm):
                m.running_mean.uniform_(-0.4, 0.4)
                m.running_var.uniform_(0.5, 2.0)
                with torch.no_grad():
                    m.weight.uniform_(0.5, 1.5)
                    m.bias.uniform_(-0.5, 0.5)
        return model.eval()


# --- Random configs ------------------------------------------------------------------------------

def dynamic_qconfig(r):
    weight = r.choice([aq.default_weight_observer, aq.default_per_channel_weight_observer])
    return aq.QConfig(activation=aq.default_dynamic_quant_observer, weight=weight)


def random_qconfig(r, is_qat, transposed):
    per_channel = r.random() < 0.5 and not transposed
    symmetric = torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric
    if is_qat:
        fake = r.choice([aq.FakeQuantize, aq.FusedMovingAvgObsFakeQuantize])
        weight_fake = fake
        activation = fake.with_args(observer=aq.MovingAverageMinMaxObserver, quant_min=0,
                                    quant_max=r.choice([255, 127]), dtype=torch.quint8)
        observer = (aq.MovingAveragePerChannelMinMaxObserver if per_channel
                    else aq.MovingAverageMinMaxObserver)
        weight = weight_fake.with_args(observer=observer, quant_min=-128, quant_max=127,
                                       dtype=torch.qint8, qscheme=symmetric)
        return aq.QConfig(activation=activation, weight=weight)
    activation = r.choice([
        lambda: aq.MinMaxObserver.with_args(),
        lambda: aq.MinMaxObserver.with_args(reduce_range=True),
        lambda: aq.MinMaxObserver.with_args(qscheme=torch.per_tensor_symmetric),
        lambda: aq.MinMaxObserver.with_args(quant_min=0, quant_max=127),
        lambda: aq.MovingAverageMinMaxObserver.with_args(averaging_constant=r.choice([0.01, 0.3])),
        lambda: aq.HistogramObserver.with_args(bins=r.choice([256, 2048])),
        lambda: aq.HistogramObserver.with_args(reduce_range=True)])()
    weight = r.choice([
        lambda: aq.MinMaxObserver.with_args(dtype=torch.qint8, qscheme=symmetric) if not per_channel
        else aq.PerChannelMinMaxObserver.with_args(dtype=torch.qint8, qscheme=symmetric),
        lambda: aq.PerChannelMinMaxObserver.with_args(dtype=torch.qint8, qscheme=symmetric, ch_axis=0)
        if per_channel else aq.MinMaxObserver.with_args(dtype=torch.qint8, qscheme=symmetric,
                                                        quant_min=-127, quant_max=127, eps=2**-12)])()
    return aq.QConfig(activation=activation, weight=weight)


def add_fixed(mapping, qconfig, is_qat):
    """Ops of fixed qparams demand their own observers, under 1.13."""
    default = aq.get_default_qat_qconfig_mapping(ENGINE) if is_qat else \
        aq.get_default_qconfig_mapping(ENGINE)
    for key, value in default.object_type_qconfigs.items():
        if value is not None and "FixedQParams" in str(value.activation):
            mapping.set_object_type(key, aq.QConfig(activation=value.activation, weight=qconfig.weight))


def has_transposed(model):
    return any(isinstance(m, nn.ConvTranspose2d) for m in model.modules())


def random_mapping(r, model, is_qat):
    transposed = has_transposed(model)
    usual = random_qconfig(r, is_qat, transposed)
    mapping = aq.QConfigMapping().set_global(usual if r.random() < 0.93 else None)
    if not is_qat and r.random() < 0.08 and not has_transposed(model):
        return aq.QConfigMapping().set_object_type(nn.Linear, dynamic_qconfig(r)) \
            .set_object_type(F.linear, dynamic_qconfig(r))
    if r.random() < 0.97:
        add_fixed(mapping, usual, is_qat)
    paths = [p for p, m in model.named_modules() if p]
    for _ in range(r.choice([0, 0, 1, 1, 2])):
        other = random_qconfig(r, is_qat, transposed) if r.random() < 0.6 else None
        kind = r.randrange(4)
        if kind == 0:
            mapping.set_object_type(r.choice([operator.add, torch.add, torch.cat, nn.MaxPool2d, Sub, Nested,
                                              F.adaptive_avg_pool2d, F.linear, torch.flatten, nn.Linear,
                                              "reshape", "mean"]), other)
        elif kind == 1 and paths:
            mapping.set_module_name(r.choice(paths), other)
        elif kind == 2 and paths:
            mapping.set_module_name_regex(r.choice(paths)[:3] + ".*", other)
        else:
            mapping.set_module_name_object_type_order(
                "", r.choice([operator.add, F.linear, F.relu, nn.Conv2d, nn.Linear]), r.randrange(2), other)
    return mapping


# --- Rows ----------------------------------------------------------------------------------------

class Writer:
    def __init__(self):
        self.bin = bytearray()

    def tensor(self, t):
        t = t.detach().contiguous()
        name, code = DTYPES[t.dtype]
        while len(self.bin) % 8:
            self.bin.append(0)
        at = len(self.bin)
        values = t.flatten().tolist()
        self.bin += struct.pack(f"<{len(values)}{code}", *values)
        return {"t": [name, list(t.shape) or [1], at]}

    def number(self, t):
        """A tensor of one element is a number."""
        if isinstance(t, torch.Tensor) and t.numel() > 1:
            return self.tensor(t)
        return t.item() if isinstance(t, torch.Tensor) else t

    def value(self, v):
        if isinstance(v, (tuple, list)):
            return [self.value(x) for x in v]
        if isinstance(v, dict):
            return {key: self.value(x) for key, x in v.items()}
        if v.is_quantized:
            return {"q": self.tensor(v.int_repr()), "scale": v.q_scale(), "zero_point": v.q_zero_point(),
                    "dtype": str(v.dtype).removeprefix("torch.")}
        return self.tensor(v)


def class_name(kind):
    full = f"{kind.__module__}.{kind.__name__}"
    if kind is torch.fx.GraphModule or full.startswith("torch.fx.graph_module."):
        return "torch.fx.graph_module.GraphModule"
    for prefix, short in PREFIXES:
        if full.startswith(prefix):
            return short + kind.__name__
    return kind.__name__ if kind.__module__ in ("__main__", "random_models") else full


def target_name(node):
    if node.op != "call_function":
        return str(node.target)
    module = getattr(node.target, "__module__", "") or ""
    known = NAMES.get(id(node.target))
    if known:
        return known
    text = str(node.target)
    if "quantized" in text or module.startswith("torch._ops"):
        return "ops." + text.removeprefix("torch.ops.") if not text.startswith("quantized.") \
            else "ops." + text
    return f"{module}.{node.target.__name__}" if module else node.target.__name__


def plain(a):
    if isinstance(a, torch.fx.Node):
        return {"n": a.name}
    if isinstance(a, (list, tuple)):
        return [plain(x) for x in a]
    if isinstance(a, dict):
        return {"d": {key: plain(x) for key, x in a.items()}}
    if isinstance(a, torch.dtype):
        return str(a).removeprefix("torch.")
    return a


def text_of(x):
    return str(x).removeprefix("torch.")


class Rows:
    def __init__(self, writer):
        self.w = writer

    def observer(self, m):
        d = {"type": class_name(type(m)), "dtype": text_of(m.dtype)}
        if isinstance(m, aq.PlaceholderObserver):
            if getattr(m, "compute_dtype", None) not in (None, torch.float32):
                d["compute_dtype"] = text_of(m.compute_dtype)
            return d
        inner = m.activation_post_process if isinstance(m, aq.FakeQuantizeBase) else m
        d["qscheme"] = text_of(m.qscheme)
        d["quant_min"], d["quant_max"] = m.quant_min, m.quant_max
        if isinstance(m, aq.FakeQuantizeBase):
            d["inner_observer"] = class_name(type(inner))
        if isinstance(inner, aq.FixedQParamsObserver):
            return d
        d["reduce_range"] = inner.reduce_range
        d["eps"] = self.w.number(inner.eps)
        if hasattr(inner, "ch_axis"):
            d["ch_axis"] = inner.ch_axis
        return d

    def packed(self, m):
        d = {"scale": self.w.number(getattr(m, "scale", None)),
             "zero_point": self.w.number(getattr(m, "zero_point", None))}
        if not hasattr(m, "weight") or not callable(m.weight):
            return d
        w = m.weight()
        if not w.is_quantized:
            return d
        d["q_weight"] = self.w.tensor(w.int_repr())
        if w.qscheme() in (torch.per_channel_affine, torch.per_channel_symmetric):
            d["q_weight_scales"] = self.w.tensor(w.q_per_channel_scales())
            d["q_weight_zero_points"] = self.w.tensor(w.q_per_channel_zero_points())
        else:
            d["q_weight_scale"], d["q_weight_zero_point"] = w.q_scale(), w.q_zero_point()
        return d

    def module(self, m):
        kind = class_name(type(m))
        d = {"type": kind}
        if isinstance(m, (aq.ObserverBase, aq.FakeQuantizeBase)):
            return self.observer(m)
        if isinstance(m, torch.fx.GraphModule):
            return {**d, "graph": self.graph(m)}
        if kind.startswith("nnqr."):
            return {**d, "weight_dtype": text_of(m.weight_dtype),
                    "weight_qscheme": None if m.weight_qscheme is None else text_of(m.weight_qscheme),
                    "weight_scale": self.w.number(m.weight_scale),
                    "weight_zero_point": self.w.number(m.weight_zero_point)}
        if kind.startswith(("nnq.", "nniq.", "nnqd.", "nniqd.")):
            if kind == "nnq.Dropout":
                return d
            return {**d, **self.packed(m)}
        if kind.startswith("nniqat."):
            return {**d, "children": [self.module(c) for _, c in m.named_children()]}
        if kind.startswith("nni."):
            return {**d, "children": [self.module(c) for _, c in m.named_children()]}
        return d

    def graph(self, gm, graph=None):
        rows, ids = [], {}
        for node in (graph or gm.graph).nodes:
            row = {"name": node.name, "op": node.op, "target": target_name(node),
                   "args": [] if node.op == "placeholder" else [plain(a) for a in node.args]}
            if node.kwargs:
                row["kwargs"] = {key: plain(v) for key, v in node.kwargs.items()}
            if node.op == "get_attr":
                value = operator.attrgetter(node.target)(gm)
                if isinstance(value, torch.Tensor):
                    row["value"] = self.w.number(value)
                elif isinstance(value, (int, float)):
                    row["value"] = value
                else:
                    row["value_type"] = type(value).__name__
            if node.op == "call_module":
                m = gm.get_submodule(node.target)
                row["module"] = self.module(m)
                if isinstance(m, (aq.ObserverBase, aq.FakeQuantizeBase)):
                    row["obs_id"] = ids.setdefault(id(m), len(ids))
            rows.append(row)
        return rows

    # --- configs

    def constructor(self, factory):
        if isinstance(factory, type):
            return {"class": class_name(factory)}
        p = factory.p
        kwargs = {}
        for key, value in {**getattr(p, "keywords", {})}.items():
            if key == "observer":
                value = self.constructor(value)
            elif isinstance(value, (torch.dtype, torch.qscheme)):
                value = text_of(value)
            kwargs[key] = value
        f = p.func
        if not isinstance(f, type):
            f = f.p.func
        return {"class": class_name(f), **({"kwargs": kwargs} if kwargs else {})}

    def qconfig(self, q):
        if q is None:
            return None
        return {"activation": self.constructor(q.activation), "weight": self.constructor(q.weight)}

    def mapping(self, m):
        def key(k):
            if isinstance(k, str):
                return k
            return class_name(k) if isinstance(k, type) else NAMES.get(id(k), getattr(k, "__name__", ""))
        return {"global": self.qconfig(m.global_qconfig),
                "object_type": [[key(k), self.qconfig(q)] for k, q in m.object_type_qconfigs.items()],
                "object_type_is_default": False,
                "module_name": [[k, self.qconfig(q)] for k, q in m.module_name_qconfigs.items()],
                "module_name_regex": [[k, self.qconfig(q)]
                                      for k, q in m.module_name_regex_qconfigs.items()],
                "module_name_object_type_order": [
                    [k, key(t), i, self.qconfig(q)]
                    for (k, t, i), q in m.module_name_object_type_order_qconfigs.items()]}


# --- A case --------------------------------------------------------------------------------------

class Skipped(Exception):
    """PyTorch cannot, or what it does is no behaviour."""


# Words of PyTorch's errors, and the class that README.md of the data names.
REASONS = {"must specify fixed qparams": "fixed_qparams_observer_required",
           "Quantizing the output node without": "output_without_qconfig",
           "in the prepare and convert quantization configs": "convert_mapping_differs_from_prepare",
           "to be the same in prepare": "convert_mapping_differs_from_prepare",
           "to be the same in the prepare": "convert_mapping_differs_from_prepare"}


def known_error(case, error):
    """Notes an error that ctq shares; raises the others."""
    for words, reason in REASONS.items():
        if words in str(error):
            case["error"] = f"{type(error).__name__}: {str(error)[:200]}"
            case["error_reason"] = reason
            return
    raise error


def scopes_of(model, tracer, graph):
    types = {path: class_name(type(m)) for path, m in model.named_modules()}

    def chain(path):
        parts = path.split(".") if path else []
        return [["", None]] + [[".".join(parts[:i + 1]), types[".".join(parts[:i + 1])]]
                               for i in range(len(parts))]
    scopes = {}
    for node in graph.nodes:
        if node.op == "call_module":
            scopes[node.name] = chain(node.target)
        elif node.op in ("call_function", "call_method"):
            scopes[node.name] = chain(tracer.node_name_to_scope[node.name][0])
    return scopes


def qparams(prepared):
    rows = []
    for node in prepared.graph.nodes:
        if node.op != "call_module":
            continue
        m = prepared.get_submodule(node.target)
        if not isinstance(m, (aq.ObserverBase, aq.FakeQuantizeBase)):
            continue
        row = {"node": node.name, "target": node.target}
        if not isinstance(m, aq.PlaceholderObserver):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    scale, zero_point = m.calculate_qparams()
                except UserWarning:
                    raise Skipped("an observer without data") from None
            if scale.numel() > 1:
                raise Skipped("an activation by channel")
            row["scale"], row["zero_point"] = scale.item(), zero_point.item()
        inner = getattr(m, "activation_post_process", m)
        for key, name in (("min", "min_val"), ("max", "max_val")):
            v = getattr(inner, name, None)
            if v is not None and v.numel() == 1:
                row[key] = v.item()
        rows.append(row)
    return rows


def largest_difference(a, b):
    def flat(v):
        if isinstance(v, dict):
            v = list(v.values())
        if isinstance(v, (list, tuple)):
            return [t for x in v for t in flat(x)]
        return [v.dequantize() if v.is_quantized else v]
    return max([(x - y).abs().max().item() for x, y in zip(flat(a), flat(b))] + [0.0])


class Case:
    def __init__(self, writer, r, name):
        self.w, self.r, self.rows = writer, r, Rows(writer)
        self.case = {"name": name, "note": ""}
        self.is_qat = r.random() < 0.2
        self.features = [f for f, p in (("standalone", 0.15), ("non_traceable", 0.1), ("custom", 0.12),
                                        ("preserved", 0.1), ("input", 0.15), ("output", 0.15),
                                        ("convert", 0.1)) if r.random() < p]
        if self.is_qat:
            self.features = []

    def run(self):
        r, w, rows, c = self.r, self.w, self.rows, self.case
        drawn = Draw(r, r.random() < 0.6, self.is_qat)
        model = drawn.network(self.features)
        backend_name = r.choice([None, None, None, "qnnpack", "fbgemm", "tensorrt"])
        if self.is_qat and backend_name == "tensorrt":
            backend_name = None
        if backend_name == "tensorrt" and "custom" in self.features:
            backend_name = None  # signed integers: their kernels are XNNPACK's, which round otherwise
        backend = BACKENDS[backend_name]() if backend_name else None
        mapping = random_mapping(r, model, self.is_qat)
        if backend_name == "tensorrt" and r.random() < 0.8:
            mapping.set_global(aq.QConfig(
                activation=aq.HistogramObserver.with_args(qscheme=torch.per_tensor_symmetric,
                                                          dtype=torch.qint8),
                weight=aq.default_weight_observer))

        def inputs():
            return tuple(torch.randn(*s) for s in drawn.input_shapes)
        calibration = [inputs() for _ in range(3)]
        evaluation = inputs()
        for m in model.modules():
            if isinstance(m, nn.Dropout):
                m.eval()
        c.update(is_qat=self.is_qat, backend=backend_name,
                 params={k: w.tensor(t) for k, t in model.state_dict().items()},
                 modules={p: class_name(type(m)) for p, m in model.named_modules() if p},
                 calib_inputs=[[w.tensor(t) for t in x] for x in calibration],
                 eval_inputs=[w.tensor(t) for t in evaluation], mapping=rows.mapping(mapping))
        c["float_out"] = w.value(model(*evaluation))
        prepare_custom, convert_custom = self.custom_configs(model, mapping, drawn, backend)
        plain_tracer = QuantizationTracer([], [])
        traced = plain_tracer.trace(model)
        c["traced"] = rows.graph(model, traced)
        tracer = QuantizationTracer(*self.leaves)
        for_prepare = tracer.trace(model)
        c["scopes"] = scopes_of(model, tracer, for_prepare)
        if self.leaves != ([], []):
            c["traced_for_prepare"] = rows.graph(model, for_prepare)
        if not self.is_qat:
            fused = quantize_fx.fuse_fx(copy.deepcopy(model), backend_config=backend)
            c["fused"] = rows.graph(fused)
            c["fused_out"] = w.value(fused(*evaluation))
        try:
            self.prepare(model, mapping, evaluation, prepare_custom, backend)
        except (ValueError, AssertionError) as e:
            known_error(c, e)
            for key in ("standalone", "traced_for_prepare"):
                c.pop(key, None)
            if self.leaves != ([], []):
                raise Skipped("an error with modules that are not traced") from e
            return c
        for x in calibration:
            self.prepared(*x)
        c["qparams"] = qparams(self.prepared)
        if self.is_qat:
            self.after_calibration()
        c["prepared_out"] = w.value(copy.deepcopy(self.prepared)(*evaluation))
        try:
            self.convert(mapping, prepare_custom, convert_custom, backend, evaluation)
        except AssertionError as e:
            known_error(c, e)
            if CustomLinear in self.leaves[1]:
                raise Skipped("an error with custom modules") from e
        return c

    def custom_configs(self, model, mapping, drawn, backend):
        r, c, rows = self.r, self.case, self.rows
        prepare, convert = PrepareCustomConfig(), ConvertCustomConfig()
        names, classes = [], []
        blocks = [p for p, m in model.named_modules() if isinstance(m, (Sub, Nested)) and "." not in p]
        self.standalone = {}
        for feature in self.features:
            if feature == "standalone" and blocks:
                path = r.choice(blocks)
                block = model.get_submodule(path)
                own = random_mapping(r, block, False) if r.random() < 0.6 else None
                inside = PrepareCustomConfig()
                asked = {}
                by_class = isinstance(block, Sub) and r.random() < 0.4
                # 1.13 forgets what was asked for a class when it looks at the inputs of the module.
                if r.random() < 0.3 and not by_class:
                    inside.set_input_quantized_indexes([0]).set_output_quantized_indexes([0])
                    asked = {"input_quantized_indexes": [0], "output_quantized_indexes": [0]}
                own_backend = None
                example = (torch.randn(2, block.fc1.in_features if isinstance(block, Sub)
                                       else block.last.in_features),)
                entry = {"qconfig_mapping": None if own is None else rows.mapping(own),
                         "prepare_custom": asked, "backend": own_backend}
                if by_class:
                    prepare.set_standalone_module_class(Sub, own, example, inside, None)
                    classes.append(Sub)
                else:
                    prepare.set_standalone_module_name(path, own, example, inside, None)
                    names.append(path)
                paths = [p for p in blocks if isinstance(model.get_submodule(p), Sub)] if by_class \
                    else [path]
                called = {row[1] for row in drawn.program}
                modules = {}
                for p in paths:
                    m = model.get_submodule(p)
                    t = QuantizationTracer([], [])
                    g = t.trace(m)
                    if p in called or "." in p:
                        modules[p] = {"type": class_name(type(m)), "traced": rows.graph(m, g),
                                      "scopes": scopes_of(m, t, g)}
                c["standalone"] = {"names": {} if by_class else {path: entry},
                                   "classes": {"Sub": entry} if by_class else {}, "modules": modules}
                self.standalone = modules
                blocks = [p for p in blocks if p not in modules]
            elif feature == "non_traceable" and blocks:
                path = r.choice(blocks)
                if type(model.get_submodule(path)) in classes:
                    continue
                if r.random() < 0.5:
                    kind = type(model.get_submodule(path))
                    prepare.set_non_traceable_module_classes([kind])
                    classes.append(kind)
                    c["non_traceable"] = {"names": [], "classes": [kind.__name__]}
                    if self.standalone and any(type(model.get_submodule(p)) is kind
                                               for p in self.standalone):
                        raise Skipped("both")
                else:
                    prepare.set_non_traceable_module_names([path])
                    names.append(path)
                    c["non_traceable"] = {"names": [path], "classes": []}
            elif feature == "custom" and any(isinstance(m, CustomLinear) for m in model.modules()):
                prepare.set_float_to_observed_mapping(CustomLinear, ObservedCustomLinear,
                                                      QuantType.STATIC)
                convert.set_observed_to_quantized_mapping(ObservedCustomLinear, QuantizedCustomLinear,
                                                          QuantType.STATIC)
                classes.append(CustomLinear)
            elif feature == "preserved":
                model.tag, model.limit = "first", 6.5
                prepare.set_preserved_attributes(["tag", "limit"])
                kept = r.choice([["tag"], ["limit", "tag"], []])
                convert.set_preserved_attributes(kept)
                c["preserved_attributes"] = {"prepare": ["tag", "limit"], "convert": kept,
                                             "values": {"limit": 6.5, "tag": "first"}}
            elif feature == "input":
                indexes = r.choice([[0], list(range(len(drawn.input_shapes)))])
                prepare.set_input_quantized_indexes(indexes)
                c["input_quantized_indexes"] = indexes
            elif feature == "output":
                prepare.set_output_quantized_indexes([0])
                c["output_quantized_indexes"] = [0]
        self.leaves = (names, classes)
        return prepare, convert

    def prepare(self, model, mapping, evaluation, custom, backend):
        c = self.case
        start = quantize_fx.prepare_qat_fx if self.is_qat else quantize_fx.prepare_fx
        copied = copy.deepcopy(model)
        if self.is_qat:
            copied.train()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.prepared = start(copied, mapping, evaluation, prepare_custom_config=custom,
                                  backend_config=backend)
        own = [str(x.message) for x in caught]
        c["prepare_warnings"] = [t[:160] for t in own if t.startswith("QConfig ") and "ignoring" in t]
        if self.is_qat:
            self.prepared.eval()
            self.prepared.apply(aq.enable_observer)
            self.prepared.apply(aq.enable_fake_quant)
        c["prepared"] = self.rows.graph(self.prepared)
        c["node_qconfig_is_none"] = {n: q is None for n, q in self.prepared._qconfig_map.items()}
        c["observed_node_names"] = sorted(self.prepared._observed_node_names)
        for path, m in self.standalone.items():
            inside = self.prepared.get_submodule(path)
            m["observed_node_names"] = sorted(inside._observed_node_names)
        if "preserved_attributes" in c:
            c["preserved_attributes"]["kept_in_prepared"] = [
                k for k in ("limit", "tag") if hasattr(self.prepared, k)]

    def after_calibration(self):
        c, w = self.case, self.w
        c["calibrated"] = True
        c["calibration"] = {"mode": "eval", "fake_quant": True, "observers_off_for_out": True}
        self.prepared.apply(aq.disable_observer)
        hidden = tuple(p + "." for p, m in self.prepared.named_modules()
                       if p and isinstance(m, (aq.FakeQuantizeBase, aq.ObserverBase)))
        c["params_after_train"] = {k: w.tensor(t) for k, t in self.prepared.state_dict().items()
                                   if not k.startswith(hidden)}
        c["weight_qparams"] = []
        for path, m in self.prepared.named_modules():
            fake = getattr(m, "weight_fake_quant", None)
            if fake is None:
                continue
            scale, zero_point = fake.calculate_qparams()
            c["weight_qparams"].append({"module": path, "scale": w.number(scale),
                                        "zero_point": w.number(zero_point)})

    def convert(self, mapping, prepare_custom, custom, backend, evaluation):
        c, w, rows, r = self.case, self.w, self.rows, self.r
        told = None
        if "convert" in self.features:
            told = copy.deepcopy(mapping)
            paths = [p for p, _ in self.prepared.named_modules()
                     if p and "post_process" not in p and p in c["modules"]]
            if r.random() < 0.15:
                told.set_global(aq.QConfig(activation=aq.MinMaxObserver.with_args(quant_max=100, quant_min=1),
                                           weight=aq.default_weight_observer))
            elif paths:
                told.set_module_name(r.choice(paths), None)
            c["convert_qconfig_mapping"] = rows.mapping(told)
        args = {"convert_custom_config": custom, "backend_config": backend, "qconfig_mapping": told}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference = quantize_fx.convert_to_reference_fx(copy.deepcopy(self.prepared), **args)
            try:
                lowered = quantize_fx.convert_fx(copy.deepcopy(self.prepared), **args)
            except Exception as e:  # noqa: BLE001
                if isinstance(e, AssertionError):
                    raise
                raise Skipped(f"convert_fx: {type(e).__name__}: {str(e)[:90]}") from e
        c["reference"] = rows.graph(reference)
        given = list(evaluation)
        for k in c.get("input_quantized_indexes", []):
            given[k] = torch.quantize_per_tensor(evaluation[k], 0.031 + 0.002 * k, 127 - k, torch.quint8)
        if c.get("input_quantized_indexes"):
            c["quantized_eval_inputs"] = [w.value(t) for t in given]
        for kind, model in (("reference", reference), ("lowered", lowered)):
            if "preserved_attributes" in c:
                c["preserved_attributes"][f"kept_in_{kind}"] = [
                    k for k in ("limit", "tag") if hasattr(model, k)]
        out = reference(*given)
        c["reference_out"] = w.value(out)
        c["lowered"] = rows.graph(lowered)
        try:
            lowered_out = lowered(*given)
        except Exception as e:  # noqa: BLE001
            raise Skipped(f"lowered: {type(e).__name__}: {str(e)[:90]}") from e
        c["lowered_out"] = w.value(lowered_out)
        c["ref_vs_lowered_max_abs"] = largest_difference(out, lowered_out)
        self.custom_modules(reference, lowered)

    def custom_modules(self, reference, lowered):
        if CustomLinear not in self.leaves[1]:
            return
        rows, modules = self.rows, {}
        for path, kind in self.case["modules"].items():
            if kind != "CustomLinear":
                continue
            made = reference.get_submodule(path)
            if not isinstance(made, QuantizedCustomLinear):
                raise Skipped("a custom module in float")

            def children(m):
                return {"type": class_name(type(m)),
                        "children": {"linear": rows.module(m.linear)}}
            modules[path] = {"float": {"linear": "nn.Linear"},
                             "reference": children(made),
                             "quantized": children(lowered.get_submodule(path))}
        self.case["custom_modules"] = {"static": {"CustomLinear": {
            "observed": "ObservedCustomLinear", "quantized": "QuantizedCustomLinear",
            "modules": modules}}}


def write_cases(folder, seed, count, verbose):
    writer, cases, skipped = Writer(), [], 0
    for number in range(count):
        name, start = f"random_{seed}_{number}", seed * 100003 + number
        torch.manual_seed(start)
        before = len(writer.bin)
        try:
            cases.append(Case(writer, random.Random(start), name).run())
        except Exception as e:  # noqa: BLE001
            del writer.bin[before:]
            skipped += 1
            if verbose:
                print(f"{name}: {type(e).__name__}: {str(e)[:200]}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.json").write_text(json.dumps(
        {"engine": ENGINE, "torch": torch.__version__, "cases": cases}))
    (folder / "models.bin").write_bytes(writer.bin)
    print(f"{len(cases)} cases, {skipped} models left out")
    return len(cases) > skipped


def compare(program, folder):
    ran = [subprocess.run([program, folder, "--suite", "models", "--semantics", semantics], check=False)
           for semantics in ("torch_1_13", "torch_2_1")]
    return all(r.returncode == 0 for r in ran)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="else the models are not kept")
    parser.add_argument("--golden", type=Path, metavar="PROGRAM", help="which compares ctq with them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--verbose", action="store_true", help="say why models are left out")
    options = parser.parse_args()
    torch.backends.quantized.engine = ENGINE
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as beside:
        folder = options.folder or Path(beside)
        good = write_cases(folder, options.seed, options.count, options.verbose)
        if good and options.golden:
            good = compare(options.golden, folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
