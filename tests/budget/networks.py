# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as the rows of ctq::model, and programs that run them."""


class network:
    """Rows of ctq::model; each method appends a node and returns its name."""

    def __init__(self, *shape):
        self.rows = []
        self.image = shape
        self.last = self._row("x", f"nn::placeholder({{{', '.join(map(str, shape))}}})")

    def _row(self, name, call):
        self.rows.append(f'"{name}"_n = {call}')
        return name

    def op(self, name, call, *inputs, options=""):
        """call: the function with its namespace, "nn::relu"."""
        given = ", ".join([*(f'"{i}"_n' for i in inputs), *([f"{{{options}}}"] if options else [])])
        return self._row(name, f"{call}({given})")

    def conv(self, name, x, out, kernel=1, stride=1, groups=1, act="relu", bn=True):
        """A convolution of the same padding, with a batch norm and an activation or none."""
        parts = [f".out_channels = {out}", f".kernel_size = {kernel}"]
        parts += [f".stride = {stride}"] if stride > 1 else []
        parts += [f".padding = {kernel // 2}"] if kernel > 1 else []
        parts += [f".groups = {groups}"] if groups > 1 else []
        parts += [".bias = false"] if bn else []
        x = self.op(name, "nn::conv2d", x, options=", ".join(parts))
        if bn:
            x = self.op(f"{name}.bn", "nn::batch_norm2d", x)
        return self.op(f"{name}.act", f"nn::{act}", x) if act else x

    def head(self, x, *features, act="relu"):
        """Average of all pixels, then linear layers."""
        x = self.op("avgpool", "nn::adaptive_avg_pool2d", x, options=".output_size = 1")
        x = self.op("flatten", "fn::flatten", x, options=".start_dim = 1")
        for i, out in enumerate(features):
            x = self.op(f"fc{i}", "nn::linear", x, options=f".out_features = {out}")
            if i + 1 < len(features):
                x = self.op(f"fc{i}.act", f"nn::{act}", x)
        self.op("output", "nn::output", x)
        return self


def small_cnn():
    """Four layers: two convolutions, one depthwise, one linear."""
    n = network(1, 3, 32, 32)
    x = n.conv("conv1", "x", 32, 3, 2)
    x = n.conv("conv2", x, 32, 3, groups=32)
    x = n.conv("conv3", x, 64, 1)
    return n.head(x, 10)


def chain(layers):
    """Layers no two of which have the same extents."""
    n = network(1, 8, 28, 28)
    x = "x"
    for i in range(layers - 1):
        x = n.conv(f"conv{i}", x, 16 + 3 * i, 1 if i % 2 else 3, bn=False)
    return n.head(x, 10)


def mobilenet_v2():
    """As torchvision quantizes it, with relu in place of relu6."""
    n = network(1, 3, 224, 224)
    x, channels = n.conv("features.0", "x", 32, 3, 2), 32
    index = 1
    for factor, out, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                       (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            name, before, hidden = f"features.{index}", x, channels * factor
            step = stride if i == 0 else 1
            if factor > 1:
                x = n.conv(f"{name}.expand", x, hidden)
            x = n.conv(f"{name}.depthwise", x, hidden, 3, step, groups=hidden)
            x = n.conv(f"{name}.project", x, out, act=None)
            if step == 1 and channels == out:
                x = n.op(f"{name}.add", "op::add", before, x)
            channels, index = out, index + 1
    return n.head(n.conv(f"features.{index}", x, 1280), 1000)


def mobilenet_v3_small():
    """With squeeze and excitation: products that broadcast over pixels."""
    n = network(1, 3, 224, 224)
    x, channels = n.conv("features.0", "x", 16, 3, 2, act="hardswish"), 16
    for i, (kernel, hidden, out, squeeze, act, stride) in enumerate([
            (3, 16, 16, 8, "relu", 2), (3, 72, 24, 0, "relu", 2), (3, 88, 24, 0, "relu", 1),
            (5, 96, 40, 24, "hardswish", 2), (5, 240, 40, 64, "hardswish", 1),
            (5, 240, 40, 64, "hardswish", 1), (5, 120, 48, 32, "hardswish", 1),
            (5, 144, 48, 40, "hardswish", 1), (5, 288, 96, 72, "hardswish", 2),
            (5, 576, 96, 144, "hardswish", 1), (5, 576, 96, 144, "hardswish", 1)], start=1):
        name, before = f"features.{i}", x
        if hidden != channels:
            x = n.conv(f"{name}.expand", x, hidden, act=act)
        x = n.conv(f"{name}.depthwise", x, hidden, kernel, stride, groups=hidden, act=act)
        if squeeze:
            s = n.op(f"{name}.pool", "nn::adaptive_avg_pool2d", x, options=".output_size = 1")
            s = n.conv(f"{name}.fc1", s, squeeze, bn=False)
            s = n.conv(f"{name}.fc2", s, hidden, act="hardsigmoid", bn=False)
            x = n.op(f"{name}.scale", "op::mul", s, x)
        x = n.conv(f"{name}.project", x, out, act=None)
        if stride == 1 and channels == out:
            x = n.op(f"{name}.add", "op::add", before, x)
        channels = out
    return n.head(n.conv("features.12", x, 576, act="hardswish"), 1024, 1000, act="hardswish")


def resnet50():
    n = network(1, 3, 224, 224)
    x = n.conv("conv1", "x", 64, 7, 2)
    x = n.op("maxpool", "nn::max_pool2d", x, options=".kernel_size = 3, .stride = 2, .padding = 1")
    channels = 64
    for layer, blocks in enumerate([3, 4, 6, 3]):
        for i in range(blocks):
            name, before, width = f"layer{layer + 1}.{i}", x, 64 << layer
            stride = 2 if layer > 0 and i == 0 else 1
            y = n.conv(f"{name}.conv1", x, width)
            y = n.conv(f"{name}.conv2", y, width, 3, stride)
            y = n.conv(f"{name}.conv3", y, 4 * width, act=None)
            if channels != 4 * width:
                before = n.conv(f"{name}.downsample", x, 4 * width, 1, stride, act=None)
            x = n.op(f"{name}.relu", "nn::relu", n.op(f"{name}.add", "op::add", y, before))
            channels = 4 * width
    return n.head(x, 1000)


def int8_program(of, header="inference", mapping="int8"):
    """A program that loads and runs the int8 model of a network.

    mapping: int8, or one of ctq/backends/default_qconfig_mappings.hpp
    """
    rows = ",\n    ".join(of.rows)
    more = "" if mapping == "int8" else "#include <ctq/backends/default_qconfig_mappings.hpp>\n"
    return f"""#include <ctq/{header}.hpp>
{more}namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;
inline constexpr auto net = ctq::model(
    {rows});
struct int8
    : ctq::qconfig_mapping<
          ctq::global<ctq::qconfig<ctq::histogram_observer<>,
                                   ctq::per_channel_min_max_observer<>>>> {{}};
using plan = ctq::plan<net, ctq::x86, {mapping}>;
int run(const char* path, const ctq::tensor<float, {", ".join(map(str, of.image))}>& image) {{
  const auto model = ctq::load_quantized<plan>(path);
  if (!model) return 1;
  return (*model)(image).values[0] > 0.0F ? 0 : 2;
}}
"""
