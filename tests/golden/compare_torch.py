#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the int8 example network with PyTorch's own int8 kernels (engine qnnpack).

    fashion_mnist_trace DATA_DIR WEIGHTS 1000 trace.safetensors
    compare_torch.py trace.safetensors WEIGHTS

The trace holds, for each node, the integers that ctq computed and its scale and zero point. Each
conv and linear is computed again by PyTorch from the same float weights, the same integer input
and the same qparams: all integers must be equal. Then the whole network is run by PyTorch from
the float images: the logits must be within one step on 99.9 % of the images, with the add as
PyTorch's native kernel computes it (dequantize, add, quantize, as ctq does) and as QNNPACK does, in
fixed point, which may differ from that by a step.
"""

import json
import struct
import sys

import numpy as np
import torch
from torch.ao.quantization import PerChannelMinMaxObserver

DTYPES = {"F32": np.float32, "U8": np.uint8, "I64": np.int64}


def read_safetensors(path):
    """Name -> array, and the metadata."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    return {name: np.frombuffer(data[slice(*t["data_offsets"])], DTYPES[t["dtype"]])
            .reshape(t["shape"]).copy() for name, t in header.items()}, metadata


class Network:
    """The trace, the weights, and PyTorch's way of computing a node."""

    def __init__(self, trace_path, weights_path):
        self.trace, metadata = read_safetensors(trace_path)
        self.weights = {k: torch.from_numpy(v) for k, v in read_safetensors(weights_path)[0].items()}
        self.qparams = {}
        for name, text in metadata.items():
            scale, zero_point = text.split()
            self.qparams[name] = (float(np.float32(scale)), int(zero_point))

    def quantized(self, name):
        """The integers of a node as a PyTorch tensor (N, C, H, W)."""
        values = torch.from_numpy(self.trace[name])
        if values.dim() == 4:
            values = values.permute(0, 3, 1, 2)
        return torch._make_per_tensor_quantized_tensor(values.contiguous(), *self.qparams[name])

    def folded(self, module, bn):
        """Weight and bias, with the batch norm folded in as torch.nn.utils.fusion does."""
        weight, bias = self.weights[module + ".weight"], self.weights.get(module + ".bias")
        if bn is None:
            return weight, bias
        bn = {k: self.weights[f"{bn}.{k}"] for k in ("weight", "bias", "running_mean", "running_var")}
        return torch.nn.utils.fusion.fuse_conv_bn_weights(
            weight, bias, bn["running_mean"], bn["running_var"], 1e-5, bn["weight"], bn["bias"])

    def packed(self, module, bn, stride, padding, groups):
        weight, bias = self.folded(module, bn)
        observer = PerChannelMinMaxObserver(
            dtype=torch.qint8, qscheme=torch.per_channel_symmetric, quant_min=-127, quant_max=127)
        observer(weight.detach())
        scale, zero_point = observer.calculate_qparams()
        q = torch.quantize_per_channel(weight.detach(), scale.double(), zero_point, 0, torch.qint8)
        if weight.dim() == 2:
            return torch.ops.quantized.linear_prepack(q, bias)
        return torch.ops.quantized.conv2d_prepack(
            q, bias, [stride] * 2, [padding] * 2, [1, 1], groups)

    def conv(self, x, module, bn, stride=1, padding=1, groups=1, relu=True):
        op = torch.ops.quantized.conv2d_relu if relu else torch.ops.quantized.conv2d
        return op(x, self.packed(module, bn, stride, padding, groups), *self.qparams[module])

    def linear(self, x, module):
        return torch.ops.quantized.linear(
            x, self.packed(module, None, 0, 0, 1), *self.qparams[module])

    def add_relu(self, a, b, name, engine):
        torch.backends.quantized.engine = engine
        out = torch.ops.quantized.add_relu(a, b, *self.qparams[name])
        torch.backends.quantized.engine = "qnnpack"
        return out


# module, batch norm, input, keyword arguments of Network.conv
CONVS = [
    ("stem.conv", "stem.bn", "quantize_per_tensor_0", {}),
    ("block.conv1", "block.bn1", "pool", {}),
    ("block.conv2", "block.bn2", "block.conv1", {"relu": False}),
    ("separable.depthwise", "separable.bn1", "block.add", {"stride": 2, "groups": 32}),
    ("separable.pointwise", "separable.bn2", "separable.depthwise", {"padding": 0}),
    ("head.conv", "head.bn", "separable.pointwise", {}),
]


def whole_network(net, images, add_engine):
    """From float images to the integers of the logits, all by PyTorch."""
    x = {"quantize_per_tensor_0": torch.quantize_per_tensor(
        images, *net.qparams["quantize_per_tensor_0"], torch.quint8)}
    for module, bn, source, how in CONVS:
        if source == "pool":
            x["pool"] = torch.nn.functional.max_pool2d(x["stem.conv"], 2)
        if source == "block.add":
            x["block.add"] = net.add_relu(x["block.conv2"], x["pool"], "block.add", add_engine)
        x[module] = net.conv(x[source], module, bn, **how)
    pooled = torch.nn.functional.adaptive_avg_pool2d(x["head.conv"], 1).flatten(1)
    return net.linear(pooled, "fc").int_repr().numpy().astype(int)


def main(trace_path, weights_path):
    torch.backends.quantized.engine = "qnnpack"
    torch.set_num_threads(1)
    net = Network(trace_path, weights_path)
    different = 0
    for module, bn, source, how in CONVS + [("fc", None, "flatten", None)]:
        if module == "fc":
            x = net.quantized("avgpool").flatten(1)
            ours, theirs = net.trace["fc"], net.linear(x, "fc").int_repr().numpy()
        else:
            theirs = net.conv(net.quantized(source), module, bn, **how).int_repr().numpy()
            ours = net.trace[module].transpose(0, 3, 1, 2)
        wrong = int((ours != theirs).sum())
        different += wrong
        print(f"{module:22} {ours.size:10} integers, {wrong} differ")
    images = torch.from_numpy(net.trace["input"])
    share = {}
    for engine in ("onednn", "qnnpack"):
        steps = np.abs(whole_network(net, images, engine) - net.trace["fc"].astype(int)).max(axis=1)
        share[engine] = float((steps <= 1).mean())
        print(f"logits within one step: {100 * share[engine]:.2f} % of {len(steps)} images "
              f"(add as by {'PyTorch native' if engine == 'onednn' else 'QNNPACK'})")
    ok = different == 0 and min(share.values()) >= 0.999
    print(f"compare_torch: {'equal' if ok else 'DIFFERENT'}")
    return 0 if ok else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
