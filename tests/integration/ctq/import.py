#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ctq import and ctq explain --fx: import.py CTQ INCLUDE COMPILER...

The header that is made of a small network equals the model written by hand, for each compiler.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CTQ, INCLUDE, *COMPILERS = sys.argv[1:]
FINE, FINDINGS, UNREADABLE = 0, 1, 2
NOT_WRITTEN = 1


def module(name, path, kind, reads, **options):
    return {"name": name, "op": "call_module", "target": path, "args": [{"n": reads}],
            "module": {"type": kind, **options}, "scope": path.rpartition(".")[0]}


def function(name, target, args, scope="", **kwargs):
    return {"name": name, "op": "call_function", "target": target, "args": args, "kwargs": kwargs,
            "scope": scope}


def ref(name):
    return {"n": name}


CONV = {"padding_mode": "zeros", "dilation": [1, 1], "groups": 1}
NET = [
    {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 3, 32, 32]},
    module("stem_0", "stem.0", "nn.Conv2d", "x", in_channels=3, out_channels=8, kernel_size=[3, 5],
           stride=[2, 2], padding=[1, 2], bias=False, **CONV),
    module("stem_1", "stem.1", "nn.BatchNorm2d", "stem_0", num_features=8, eps=0.001, momentum=0.1,
           affine=True, track_running_stats=True),
    module("stem_2", "stem.2", "nn.ReLU", "stem_1", inplace=True),
    module("pool", "pool", "nn.MaxPool2d", "stem_2", kernel_size=2, stride=2, padding=0, dilation=1,
           return_indices=False, ceil_mode=False),
    module("block_conv", "block.conv", "nn.Conv2d", "pool", in_channels=8, out_channels=8,
           kernel_size=[1, 1], stride=[1, 1], padding=[0, 0], bias=True, **CONV),
    function("add", "operator.add", [ref("block_conv"), ref("pool")], "block"),
    function("relu", "F.relu", [ref("add")], "block", inplace=False),
    function("leaky_relu", "F.leaky_relu", [ref("relu"), 0.2]),
    function("cat", "torch.cat", [[ref("leaky_relu"), ref("pool")], 1]),
    function("avg_pool2d", "F.avg_pool2d", [ref("cat"), 2], ceil_mode=True,
             count_include_pad=False),
    module("avgpool", "avgpool", "nn.AdaptiveAvgPool2d", "avg_pool2d", output_size=[1, 1]),
    function("flatten", "torch.flatten", [ref("avgpool"), 1]),
    module("fc", "fc", "nn.Linear", "flatten", in_features=16, out_features=10, bias=True),
    {"name": "output", "op": "output", "target": "output", "args": [ref("fc")]},
]

BY_HAND = """
#include "net.hpp"

using namespace ctq;
using namespace ctq::literals;

constexpr auto by_hand = model(
    "x"_n          = nn::placeholder({1, 3, 32, 32}),
    "stem.0"_n     = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = {3, 5}, .stride = 2, .padding = {1, 2}, .bias = false}),
    "stem.1"_n     = nn::batch_norm2d("stem.0"_n, {.eps = 0.001F}),
    "stem.2"_n     = nn::relu("stem.1"_n),
    "pool"_n       = nn::max_pool2d("stem.2"_n, {.kernel_size = 2}),
    "block.conv"_n = nn::conv2d("pool"_n, {.out_channels = 8, .kernel_size = 1}),
    "block.add"_n  = op::add("block.conv"_n, "pool"_n),
    "block.relu"_n = fn::relu("block.add"_n),
    "leaky_relu"_n = fn::leaky_relu("block.relu"_n, {.negative_slope = 0.2F}),
    "cat"_n        = fn::cat({"leaky_relu"_n, "pool"_n}, {.dim = 1}),
    "avg_pool2d"_n = fn::avg_pool2d("cat"_n, {.kernel_size = 2, .ceil_mode = true, .count_include_pad = false}),
    "avgpool"_n    = nn::adaptive_avg_pool2d("avg_pool2d"_n),
    "flatten"_n    = fn::flatten("avgpool"_n, {.start_dim = 1}),
    "fc"_n         = nn::linear("flatten"_n, {.out_features = 10}),
    "output"_n     = nn::output("fc"_n));

constexpr bool same() {
  const auto a = by_hand.view();
  const auto b = models::net.view();
  if (by_hand.problem.any() || models::net.problem.any() || a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].op != b[i].op || a[i].attrs != b[i].attrs) return false;
    if (a[i].shape != b[i].shape || a[i].arg_count != b[i].arg_count) return false;
    for (int k = 0; k < a[i].arg_count; ++k)
      if (a.args_of(i)[k] != b.args_of(i)[k]) return false;
  }
  return true;
}
static_assert(same());
"""


def run(*arguments, **options):
    done = subprocess.run([CTQ, *map(str, arguments)], capture_output=True, text=True, check=False,
                          **options)
    return done.returncode, done.stdout, done.stderr


def expect(got, wanted, what):
    assert got == wanted, f"{what}:\n  wanted {wanted!r}\n  got    {got!r}"


def expect_lines(rows, what, *expected):
    """Checks that `ctq import` writes these lines; their spaces are not compared. Returns all that it writes.

    rows: the file of the model."""
    code, text, err = run("import", "--fx", rows)
    expect((code, err), (FINE, ""), what)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in expected:
        assert line in lines, f"{line}:\n{text}"
    return text


def headers(folder):
    """ctq import --fx FILE [-o HEADER]"""
    rows = folder / "net.json"
    rows.write_text(json.dumps(NET))
    header = folder / "net.hpp"
    expect(run("import", "--fx", rows, "-o", header), (FINE, "", ""), "a header")
    expect(run("import", "--fx", rows)[1], header.read_text(), "the same on standard output")
    text = header.read_text()
    assert '    "pool"_n       = nn::max_pool2d("stem.2"_n, {.kernel_size = 2}),\n' in text, text
    assert '"fc"_n         = nn::linear("flatten"_n, {.out_features = 10}),\n' in text, text
    named = run("import", "--fx", rows, "--name", "lenet", "--namespace", "mine")[1]
    assert "namespace mine {" in named and "constexpr auto lenet = " in named
    source = folder / "by_hand.cpp"
    source.write_text(BY_HAND)
    for compiler in COMPILERS:
        done = subprocess.run([*compiler.split(), "-std=c++20", "-fsyntax-only", "-I", INCLUDE,
                               str(source)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


USER_OP = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ctq/ops.hpp>

#include "user_gate.hpp"
#include "gated.hpp"
static_assert(!models::gated.problem.any());
static_assert(models::gated.nodes[1].op == user::gate.id());
static_assert(models::gated.nodes[1].attrs.as<user::gate_options>().slope == 0.5F);
"""


def user_ops(folder):
    """ctq import --user-op NAME=C++: an op that ctq does not have."""
    rows = folder / "gated.json"
    rows.write_text(json.dumps([NET[0], module("g", "g", "user.Gate", "x", channels=3, slope=0.5),
                                {"name": "output", "op": "output", "target": "output",
                                 "args": [ref("g")]}]))
    code, _, words = run("import", "--fx", rows)
    assert code == FINDINGS and "calls user.Gate, which ctq has no op for" in words, words
    expect(run("import", "--fx", rows, "--user-op", "user.Gate=user::gate", "-o",
               folder / "gated.hpp"), (FINE, "", ""), "a header")
    bad = run("import", "--fx", rows, "--user-op", "user.Gate=user::gate(1)")
    assert bad[0] == UNREADABLE and "write my.Gate=my::gate" in bad[2], bad
    source = folder / "gated.cpp"
    source.write_text(USER_OP)
    for compiler in COMPILERS:
        done = subprocess.run([*compiler.split(), "-std=c++20", "-fsyntax-only", "-I", INCLUDE,
                               "-I", str(Path(INCLUDE, "../tests/unit")), str(source)],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def changed(name, **row):
    """NET with members of one row changed; those of the module beside it."""
    rows = json.loads(json.dumps(NET))
    found = next(r for r in rows if r["name"] == name)
    found["module"] = {**found.get("module", {}), **row.pop("module", {})}
    found.update(row)
    return rows


def names(folder):
    """A module without weights may be called again; a function gives way to a module's name."""
    rows = folder / "names.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4]},
        function("relu", "F.relu", [ref("x")]),
        module("relu_1", "relu", "nn.ReLU", "relu"),
        module("relu_2", "relu", "nn.ReLU", "relu_1"),
        {"name": "output", "op": "output", "target": "output", "args": [ref("relu_2")]}]))
    expect_lines(rows, "names",
                 '"relu_call"_n = fn::relu("x"_n),', '"relu"_n = nn::relu("relu_call"_n),',
                 '"relu.relu_2"_n = nn::relu("relu"_n),')
    rows.write_text(json.dumps([
        {"name": "user", "op": "placeholder", "target": "user", "args": [], "shape": [1, 4]},
        module("user_1", "user", "nn.ReLU", "user"),
        {"name": "output", "op": "output", "target": "output", "args": [ref("user_1")]}]))
    expect_lines(rows, "an input with the name of a module",
                 '"user_input"_n = nn::placeholder({1, 4}),',
                 '"user"_n = nn::relu("user_input"_n),')


def sizes_of_sequences(folder):
    """Sizes of what a recurrent layer gives are constants."""
    rows = folder / "sizes.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [7, 1, 4]},
        module("rnn", "rnn", "nn.LSTM", "x", input_size=4, hidden_size=3, num_layers=1, bias=True,
               batch_first=False, dropout=0.0, bidirectional=True, proj_size=0),
        function("y", "operator.getitem", [ref("rnn"), 0]),
        {"name": "steps", "op": "call_method", "target": "size", "args": [ref("y"), 0]},
        {"name": "width", "op": "call_method", "target": "size", "args": [ref("y"), 2]},
        {"name": "view", "op": "call_method", "target": "view",
         "args": [ref("y"), ref("steps"), ref("width")]},
        {"name": "output", "op": "output", "target": "output", "args": [ref("view")]}]))
    code, text, err = run("import", "--fx", rows)
    expect((code, err), (FINE, ""), "sizes of sequences")
    line = '"view"_n = method::view("y"_n, {.shape = {7, 6}}),'
    assert line in [" ".join(row.split()) for row in text.splitlines()], text


def numbers(folder):
    """A sum or a product with a number, in either order, of tensors that broadcast."""
    rows = folder / "numbers.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4, 6, 6]},
        module("pool", "pool", "nn.AdaptiveAvgPool2d", "x", output_size=1),
        function("mul", "operator.mul", [ref("pool"), ref("x")]),
        function("add", "operator.add", [0.5, ref("mul")]),
        function("sub", "torch.sub", [ref("add"), 2]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("sub")]}]))
    expect_lines(rows, "numbers",
                 '"mul"_n = op::mul("pool"_n, "x"_n),', '"add"_n = op::add(0.5F, "mul"_n),',
                 '"sub"_n = fn::sub("add"_n, 2.0F),')
    code, text, err = run("explain", "--fx", rows, "--backend", "x86", "--json")
    nodes = {n["name"]: n for n in json.loads(text)["nodes"]}
    expect((code, nodes["mul"]["on_integers"], nodes["add"]["on_integers"]), (FINE, True, True),
           "explain says what the compiled model does")


def shared(folder):
    """A module with weights that is called again, an attribute that is read again."""
    rows = folder / "shared.json"
    linear = {"in_features": 4, "out_features": 4, "bias": True}
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4]},
        module("fc", "head.fc", "nn.Linear", "x", **linear),
        {"name": "pos", "op": "get_attr", "target": "pos", "args": [], "shape": [4]},
        function("add", "operator.add", [ref("fc"), ref("pos")]),
        module("fc_1", "head.fc", "nn.Linear", "add", **linear),
        {"name": "pos_1", "op": "get_attr", "target": "pos", "args": [], "shape": [4]},
        function("add_1", "operator.add", [ref("fc_1"), ref("pos_1")]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("add_1")]}]))
    expect_lines(rows, "a module that is called twice",
                 '"head.fc#2"_n = nn::linear("add"_n, {.out_features = 4}),',
                 '"add_1"_n = op::add("head.fc#2"_n, "pos"_n),')


def sizes(folder):
    """Numbers from shapes are constants: x.size(0), x.shape[1], their products."""
    rows = folder / "sizes.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [2, 4, 6, 6]},
        function("getattr_1", "builtins.getattr", [ref("x"), "shape"]),
        function("getitem", "operator.getitem", [ref("getattr_1"), 1]),
        function("half", "operator.floordiv", [ref("getitem"), 2]),
        function("last", "operator.getitem", [ref("getattr_1"), {"s": [-2, None, None]}]),
        function("area", "operator.getitem", [ref("last"), 0]),
        {"name": "size", "op": "call_method", "target": "size", "args": [ref("x"), 0]},
        {"name": "view", "op": "call_method", "target": "view",
         "args": [ref("x"), ref("size"), ref("half"), 2, ref("area"), -1]},
        {"name": "all", "op": "call_method", "target": "size", "args": [ref("x")]},
        {"name": "back", "op": "call_method", "target": "view", "args": [ref("view"), ref("all")]},
        function("first", "operator.getitem", [ref("all"), {"s": [None, 2, None]}]),
        function("longer", "operator.add", [ref("first"), [3, 12]]),
        {"name": "wide", "op": "call_method", "target": "view", "args": [ref("back"), ref("longer")]},
        {"name": "narrow", "op": "call_method", "target": "view", "args": [ref("wide"), ref("all")]},
        function("same", "operator.eq", [ref("half"), 2]),
        function("_assert", "torch._assert", [ref("same"), "two"]),
        function("minus", "operator.neg", [ref("half")]),
        function("part", "operator.getitem", [ref("narrow"), [{"e": "..."}, {"s": [ref("minus"), None, None]}]]),
        function("root", "operator.pow", [ref("area"), -0.5]),
        function("scaled", "operator.mul", [ref("part"), ref("root")]),
        {"name": "numel", "op": "call_method", "target": "numel", "args": [ref("scaled")]},
        {"name": "flat", "op": "call_method", "target": "view", "args": [ref("scaled"), ref("numel")]},
        function("mul", "operator.mul", [ref("flat"), ref("half")]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("mul")]}]))
    expect_lines(rows, "sizes",
                 '"view"_n = method::view("x"_n, {.shape = {2, 2, 2, 6, -1}}),',
                 '"back"_n = method::view("view"_n, {.shape = {2, 4, 6, 6}}),',
                 '"wide"_n = method::view("back"_n, {.shape = {2, 4, 3, 12}}),',
                 '"part"_n = op::getitem("narrow"_n, {.index = {ctq::index::ellipsis, '
                 'ctq::index::slice(-2, 2147483647, 1)}}),',
                 '"scaled"_n = op::mul("part"_n, 0.4082483F),',
                 '"flat"_n = method::view("scaled"_n, {.shape = {96}}),',
                 '"mul"_n = op::mul("flat"_n, 2.0F),')
    code, text, err = run("explain", "--fx", rows, "--backend", "x86", "--json")
    nodes = {n["name"]: n for n in json.loads(text)["nodes"]}
    expect((code, nodes["view"]["on_integers"]), (FINE, True), "explain has the constants too")


def names_of_attributes(folder):
    """Functions and inputs with the name of an attribute are renamed: the state_dict has the attribute's."""
    rows = folder / "names.json"
    rows.write_text(json.dumps([
        {"name": "scale", "op": "placeholder", "target": "scale", "args": [], "shape": [4, 6]},
        {"name": "mean", "op": "call_method", "target": "mean", "args": [ref("scale"), 1, True]},
        {"name": "mean_1", "op": "get_attr", "target": "mean", "args": [], "shape": [6]},
        function("sub", "operator.sub", [ref("mean"), ref("mean_1")]),
        {"name": "scale_1", "op": "get_attr", "target": "scale", "args": [], "shape": [1]},
        function("mul", "operator.mul", [ref("sub"), ref("scale_1")]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("mul")]}]))
    expect_lines(rows, "names of attributes",
                 '"scale_input"_n = nn::placeholder({4, 6}),',
                 '"mean_call"_n = method::mean("scale_input"_n, {.dim = {1}, .keepdim = true}),',
                 '"mean"_n = nn::get_attr({6}),', '"sub"_n = op::sub("mean_call"_n, "mean"_n),',
                 '"scale"_n = nn::get_attr({1}),', '"mul"_n = op::mul("sub"_n, "scale"_n),')


def respelled(folder):
    """Calls that C++ has under another name, and attributes that are numbers."""
    rows = folder / "respelled.json"

    def method(name, target, *args):
        return {"name": name, "op": "call_method", "target": target, "args": [ref("x"), *args]}

    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [4, 6]},
        {"name": "scale", "op": "get_attr", "target": "scale", "args": [], "shape": []},
        function("mul", "operator.mul", [ref("x"), ref("scale")]),
        function("chunk", "torch.chunk", [ref("mul"), 2], dim=-1),
        function("half", "operator.getitem", [ref("chunk"), 1]),
        function("best", "torch.max", [ref("half")], dim=1, keepdim=True),
        function("values", "builtins.getattr", [ref("best"), "values"]),
        function("unused", "operator.getitem", [ref("best"), 1]),
        {"name": "wide", "op": "call_method", "target": "expand_as", "args": [ref("values"), ref("x")]},
        function("larger", "torch.max", [ref("wide"), ref("x")]),
        function("turned", "builtins.getattr", [ref("larger"), "T"]),
        {"name": "back", "op": "call_method", "target": "view_as", "args": [ref("turned"), ref("x")]},
        function("spread", "torch.var", [ref("back"), False]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("spread")]}]))
    text = expect_lines(rows, "other names",
                        '"scale"_n = nn::get_attr({}),',
                        '"half"_n = op::getitem("chunk"_n, {.index = {1}}),',
                        '"values"_n = op::getitem("best"_n, {.index = {0}}),',
                        '"wide"_n = method::expand("values"_n, {.shape = {4, 6}}),',
                        '"larger"_n = fn::maximum("wide"_n, "x"_n),',
                        '"turned"_n = fn::t("larger"_n),',
                        '"back"_n = fn::reshape("turned"_n, {.shape = {4, 6}}),',
                        '"spread"_n = fn::var("back"_n, {.unbiased = false}),')
    assert "unused" not in text, text
    code, text, err = run("explain", "--fx", rows, "--backend", "x86")
    expect((code, err), (FINE, ""), "explained")
    assert "turned" in text, text


def weights_as_arguments(folder):
    """Functions have their weights as arguments, by position or by name; None: there is none."""
    rows = folder / "functional.json"
    attributes = {"w": [8, 2, 3, 3], "b": [8], "up": [8, 4, 2, 2], "g": [4], "fc": [5, 12]}
    net = [{"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4, 6, 6]}]
    net += [{"name": name, "op": "get_attr", "target": name, "args": [], "shape": shape}
            for name, shape in attributes.items()]
    net += [
        function("conv", "F.conv2d", [ref("x"), ref("w"), ref("b"), 1, [1, 1]], groups=2),
        function("up_1", "F.conv_transpose2d", [ref("conv"), ref("up"), None, 2]),
        function("norm", "F.group_norm", [ref("up_1"), 2, ref("g"), ref("g"), 1e-3]),
        function("norm2", "F.instance_norm", [ref("norm"), None, None, None, None, True, 0.1, 1e-3]),
        function("norm3", "F.layer_norm", [ref("norm2"), [12, 12]], weight=None, bias=None),
        function("slopes", "F.prelu", [ref("norm3"), ref("g")]),
        function("linear", "F.linear", [ref("slopes")], weight=ref("fc"), bias=None),
        {"name": "output", "op": "output", "target": "output", "args": [ref("linear")]}]
    rows.write_text(json.dumps(net))
    expect_lines(rows, "weights as arguments",
                 '"conv"_n = fn::conv2d("x"_n, "w"_n, "b"_n, {.padding = 1, .groups = 2}),',
                 '"up_1"_n = fn::conv_transpose2d("conv"_n, "up"_n, {.stride = 2}),',
                 '"norm"_n = fn::group_norm("up_1"_n, "g"_n, "g"_n, {.num_groups = 2, .eps = 0.001F}),',
                 '"norm2"_n = fn::instance_norm("norm"_n, {.eps = 0.001F}),',
                 '"norm3"_n = fn::layer_norm("norm2"_n, {.normalized_shape = {12, 12}}),',
                 '"slopes"_n = fn::prelu("norm3"_n, "g"_n),',
                 '"linear"_n = fn::linear("slopes"_n, "fc"_n),')
    for args, words in (([ref("x"), ref("b")], "requires a weight of 4 axes"),
                        ([ref("x"), ref("w"), ref("b"), ref("g")], "takes an input, a weight and a bias")):
        rows.write_text(json.dumps([*net[:6], function("conv", "F.conv2d", args),
                                    {"name": "output", "op": "output", "target": "output",
                                     "args": [ref("conv")]}]))
        code, out, err = run("import", "--fx", rows)
        assert (code, out) == (FINDINGS, "") and words in err, f"{words}:\n{code} {out} {err}"


def several(folder):
    """Several inputs and outputs, as a tuple and as a dict, and a buffer as an operand."""
    rows = folder / "several.json"
    net = [
        {"name": "image", "op": "placeholder", "target": "image", "args": [], "shape": [1, 2, 4, 4]},
        {"name": "size", "op": "placeholder", "target": "size", "args": [], "shape": [1, 4]},
        {"name": "pos", "op": "get_attr", "target": "head.pos", "args": [], "shape": [4, 4]},
        function("add", "operator.add", [ref("image"), ref("pos")]),
        module("act", "act", "nn.ReLU", "add"),
        module("fc", "head.fc", "nn.Linear", "size", in_features=4, out_features=3, bias=True),
        {"name": "output", "op": "output", "target": "output",
         "args": [{"d": {"boxes": ref("fc"), "kinds": ref("act"), "in_size": ref("size")}}]}]
    rows.write_text(json.dumps(net))
    expect_lines(rows, "several",
                 '"head.pos"_n = nn::get_attr({4, 4}),', '"add"_n = op::add("image"_n, "head.pos"_n),',
                 '"output"_n = nn::output("head.fc"_n, "act"_n, "size"_n));')
    expect(run("import", "--fx", rows, "--library", folder / "several", "--name", "several",
               "--backend", "x86"), (FINE, "", ""), "a library with several inputs and outputs")
    (folder / "use.cpp").write_text("""
#include "several/several.hpp"
void use(models::several::session& run, const models::several::image_input& image) {
  const models::several::size_input size{.values = {1, 2, 3, 4}};
  const auto [boxes, kind, same] = run(image, size);
  static_assert(boxes.size == 3 && kind.size == 32 && same.shape[1] == 4);
  models::several::outputs all;
  run(image, size, all);
  run.run(image.values, size.values, all.boxes.values, all.kinds.values, all.in_size.values);
}
""")
    for compiler in COMPILERS:
        subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                        str(folder / "use.cpp")], check=True)
    subprocess.run([COMPILERS[0], "-std=c++20", "-DCTQ_BASELINE_IS_INTENDED", "-Wall", "-Wextra",
                    "-Werror", "-fsyntax-only", "-I", INCLUDE, str(folder / "several/several.cpp")],
                   check=True)

    net[-1]["args"] = [{"d": {"boxes": ref("fc"), "more": [ref("act"), {"d": {"size": ref("size")}}]}}]
    rows.write_text(json.dumps(net))
    code, text, err = run("import", "--fx", rows)
    expect((code, err), (FINE, ""), "tuples in a dict")
    assert '"output"_n = nn::output("head.fc"_n, "act"_n, "size"_n));' in " ".join(text.split()), text
    expect(run("import", "--fx", rows, "--library", folder / "nested", "--name", "nested",
               "--backend", "x86"), (FINE, "", ""), "a library with tuples in a dict")
    header = (folder / "nested/nested.hpp").read_text()
    for name in ("boxes", "more_0", "more_1_size"):
        assert f"{name}_output" in header, header


def indices(folder):
    """A library of a model that reads and gives integers, and gives a scalar."""
    rows = folder / "indices.json"
    rows.write_text(json.dumps([
        {"name": "words", "op": "placeholder", "target": "words", "args": [], "shape": [2, 6]},
        module("table", "table", "nn.Embedding", "words", num_embeddings=9, embedding_dim=4),
        function("first", "operator.getitem", [ref("table"), [{"s": [None, None, None]}, 0]]),
        module("fc", "fc", "nn.Linear", "first", in_features=4, out_features=3, bias=True),
        function("best", "torch.argmax", [ref("fc"), 1]), function("mean", "torch.mean", [ref("fc")]),
        {"name": "output", "op": "output", "target": "output",
         "args": [[ref("fc"), ref("best"), ref("mean")]]}]))
    # A name that the code behind the class uses, too.
    expect(run("import", "--fx", rows, "--library", folder / "words", "--name", "model", "--backend",
               "x86", "--skip-unsupported"), (FINE, "", ""), "a library that reads indices")
    compared = [{"name": "ids", "op": "placeholder", "target": "ids", "args": [], "shape": [4], **given}
                for given in ({}, {"dtype": "int64"})]
    for placeholder, type_of_it in zip(compared, ("", ", ctq::i64")):
        rows.write_text(json.dumps([placeholder, function("eq", "operator.eq", [ref("ids"), 2]),
                                    {"name": "output", "op": "output", "target": "output", "args": [ref("eq")]}]))
        text = " ".join(run("import", "--fx", rows)[1].split())
        assert f'"ids"_n = nn::placeholder({{4}}{type_of_it}),' in text, text
    (folder / "use_words.cpp").write_text("""
#include "words/model.hpp"
void use(models::model::session& run) {
  const models::model::input text{.values = {1, 2, std::int64_t{3}}};
  if (*models::model::index_problem(text.values) != '\\0') return;
  const auto [scores, best, mean] = run(text);
  static_assert(scores.shape[1] == 3 && mean.shape.empty());
  const float score = scores.values[0] - mean.values[0];
  const std::int64_t which = best.values[1];
  static_cast<void>(score), static_cast<void>(which);
}
""")
    for compiler in COMPILERS:
        subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wconversion",
                        "-fsyntax-only", str(folder / "use_words.cpp")], check=True)
    for kernels in "-UCTQ_COMPILED_KERNELS", "-DCTQ_COMPILED_KERNELS":
        subprocess.run([COMPILERS[0], "-std=c++20", "-DCTQ_BASELINE_IS_INTENDED", kernels, "-Wall", "-Wextra",
                        "-Werror", "-fsyntax-only", "-I", INCLUDE, str(folder / "words/model.cpp")],
                       check=True)


def skipping(folder):
    """A library of a model with ops that the backend cannot quantize."""
    rows = folder / "skipping.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 4]},
        {"name": "mask", "op": "placeholder", "target": "mask", "args": [], "shape": [1, 3], "dtype": "bool"},
        module("fc", "fc", "nn.Linear", "x", in_features=4, out_features=3, bias=True),
        function("div", "operator.truediv", [ref("fc"), 2.0]),
        module("gelu", "gelu", "nn.GELU", "div"),
        function("pow", "torch.pow", [ref("gelu"), 2]),
        {"name": "filled", "op": "call_method", "target": "masked_fill",
         "args": [ref("pow"), ref("mask"), 0.0]},
        {"name": "output", "op": "output", "target": "output", "args": [ref("filled")]}]))
    library = ("import", "--fx", rows, "--library", folder / "skipping", "--backend", "x86")
    code, text, err = run(*library)
    expect((code, text), (FINDINGS, ""), "an op that x86 cannot quantize")
    assert "node: div" in err and err.rstrip().endswith("--skip-unsupported"), err
    expect(run(*library, "--skip-unsupported"), (FINE, "", ""), "the same in float")
    plan = folder / "skipping/skipping_plan.hpp"
    assert "ctq::unsupported::skip>;" in plan.read_text(), plan.read_text()
    (folder / "planned.cpp").write_text("""
#include "skipping/skipping_plan.hpp"
static_assert(models::skipping_plan::int8_schedule.count > 0);
""")
    for compiler in COMPILERS:
        subprocess.run([*compiler.split(), "-std=c++20", "-DCTQ_BASELINE_IS_INTENDED", "-Wall",
                        "-Wextra", "-Werror", "-fsyntax-only", "-I", INCLUDE,
                        str(folder / "planned.cpp")], check=True)


def between_layers(folder):
    """Reductions, pads, parts and stacks of tensors, as functions, methods and modules."""
    rows = folder / "between.json"
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [1, 5, 8, 8]},
        function("mean", "torch.mean", [ref("x"), [2, 3]], keepdim=True),
        {"name": "rows", "op": "call_method", "target": "mean", "args": [ref("x"), -1]},
        {"name": "sum", "op": "call_method", "target": "sum", "args": [ref("x")],
         "kwargs": {"dim": 1, "keepdim": True}},
        {"name": "most", "op": "call_method", "target": "amax", "args": [ref("x"), [1], True]},
        {"name": "split", "op": "call_method", "target": "split", "args": [ref("x"), [2, 3], 1]},
        function("first", "operator.getitem", [ref("split"), 0]),
        {"name": "halves", "op": "call_method", "target": "split", "args": [ref("x"), 4, 2]},
        function("last", "operator.getitem", [ref("halves"), -1]),
        function("chunk", "torch.chunk", [ref("x"), 3, 1]),
        function("rest", "operator.getitem", [ref("chunk"), 2]),
        function("stack", "torch.stack", [[ref("rest"), ref("rest")]], dim=1),
        function("pad", "F.pad", [ref("x"), [1, 1, 0, 2]], mode="reflect", value=None),
        module("zeros", "zeros", "nn.ConstantPad2d", "x", padding=[1, 2, 3, 4], value=0.5),
        module("edges", "edges", "nn.ReplicationPad2d", "x", padding=[1, 1, 1, 1]),
        module("slopes", "slopes", "nn.PReLU", "x", num_parameters=5),
        module("pool", "pool", "nn.AdaptiveMaxPool2d", "x", output_size=[2, 2],
               return_indices=False),
        function("drop", "F.dropout2d", [ref("x")], p=0.5, training=False, inplace=False),
        function("power", "operator.pow", [ref("x"), 2]),
        function("rsub", "torch.rsub", [ref("x"), 1]),
        function("attention", "F.scaled_dot_product_attention", [ref("x"), ref("x"), ref("x")],
                 attn_mask=None, dropout_p=0.0, is_causal=True),
        function("best", "torch.argmax", [ref("x"), 1], keepdim=True),
        {"name": "worst", "op": "call_method", "target": "argmin", "args": [ref("x")]},
        {"name": "pair", "op": "call_method", "target": "max", "args": [ref("x")],
         "kwargs": {"dim": -1}},
        function("place", "operator.getitem", [ref("pair"), 1]),
        function("curved", "F.interpolate", [ref("x")], size=[9, 7], mode="bicubic",
                 align_corners=False),
        module("gelu", "gelu", "nn.GELU", "x", approximate="tanh"),
        function("gelu_1", "F.gelu", [ref("gelu")], approximate="none"),
        {"name": "copy", "op": "call_method", "target": "clone", "args": [ref("gelu_1")]},
        {"name": "both", "op": "call_method", "target": "add_", "args": [ref("copy"), ref("x")]},
        module("same", "same", "nn.Conv2d", "x", **{**NET[1]["module"], "in_channels": 5,
               "stride": [1, 1], "padding": "same", "dilation": [2, 1]}),
        function("larger", "F.interpolate", [ref("x")], scale_factor=[2.0, 2.0]),
        {"name": "output", "op": "output", "target": "output",
         "args": [[ref(name) for name in ("mean", "rows", "sum", "most", "first", "last", "stack",
                                          "pad", "zeros", "edges", "slopes", "pool", "drop",
                                          "power", "rsub", "attention", "best", "worst", "place",
                                          "curved", "larger", "both", "same")]]}]))
    expect_lines(rows, "ops between layers",
                 '"mean"_n = fn::mean("x"_n, {.dim = {2, 3}, .keepdim = true}),',
                 '"rows"_n = method::mean("x"_n, {.dim = {-1}}),',
                 '"sum"_n = method::sum("x"_n, {.dim = {1}, .keepdim = true}),',
                 '"most"_n = method::amax("x"_n, {.dim = {1}, .keepdim = true}),',
                 '"split"_n = method::split("x"_n, {.split_size_or_sections = {2, 3}, .dim = 1}),',
                 '"halves"_n = method::split("x"_n, {.split_size_or_sections = {4}, .dim = 2}),',
                 '"stack"_n = fn::stack({"rest"_n, "rest"_n}, {.dim = 1}),',
                 '"pad"_n = fn::pad("x"_n, {.pad = {1, 1, 0, 2}, '
                 '.mode = ctq::padding_rule::reflect}),',
                 '"zeros"_n = nn::constant_pad2d("x"_n, {.padding = {1, 2, 3, 4}, .value = 0.5F}),',
                 '"edges"_n = nn::replication_pad2d("x"_n, {.padding = {1, 1, 1, 1}}),',
                 '"slopes"_n = nn::prelu("x"_n, {.num_parameters = 5}),',
                 '"pool"_n = nn::adaptive_max_pool2d("x"_n, {.output_size = 2}),',
                 '"drop"_n = fn::dropout2d("x"_n),', '"power"_n = op::pow("x"_n, 2.0F),',
                 '"rsub"_n = fn::rsub("x"_n, 1.0F),',
                 '"attention"_n = fn::scaled_dot_product_attention("x"_n, "x"_n, "x"_n, '
                 '{.is_causal = true}),',
                 '"best"_n = fn::argmax("x"_n, {.dim = {1}, .keepdim = true}),',
                 '"worst"_n = method::argmin("x"_n),',
                 '"pair"_n = method::max("x"_n, {.dim = {-1}}),',
                 '"place"_n = op::getitem("pair"_n, {.index = {1}}),',
                 '"curved"_n = fn::interpolate("x"_n, {.size = {9, 7}, '
                 '.mode = ctq::interpolation::bicubic}),',
                 '"gelu"_n = nn::gelu("x"_n, {.approximate = ctq::gelu_rule::tanh}),',
                 '"gelu_1"_n = fn::gelu("gelu"_n),', '"copy"_n = method::clone("gelu_1"_n),',
                 '"both"_n = method::add_("copy"_n, "x"_n),',
                 '"same"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = {3, 5}, '
                 '.padding = 2, .dilation = {2, 1}, .bias = false}),',
                 '"larger"_n = fn::interpolate("x"_n, {.scale_factor = 2.0F}),')


def dropout(folder):
    """Dropout returns its input in inference; a model that trains is refused."""
    rows = folder / "dropout.json"
    depth = "torchvision.ops.stochastic_depth.stochastic_depth"
    for training, expected in ((False, FINE), (True, FINDINGS)):
        rows.write_text(json.dumps([
            NET[0], function("depth", depth, [ref("x"), 0.1, "row", training]),
            {"name": "output", "op": "output", "target": "output", "args": [ref("depth")]}]))
        code, text, err = run("import", "--fx", rows)
        expect(code, expected, err)
        assert "cannot have training = True" in err if training else '= fn::stochastic_depth("x"_n),' in text


def mistakes(folder):
    """What has no form in C++ is an error that says which node, and why."""
    rows = folder / "wrong.json"
    cases = [
        (changed("stem_0", module={"padding": "same"}), 'node stem.0: calls torch.nn.Conv2d, which '
         'cannot have padding = "same" in ctq'),
        (changed("stem_0", module={"padding_mode": "reflect"}), 'padding_mode = "reflect"'),
        (changed("stem_1", module={"track_running_stats": False}), "track_running_stats = False"),
        (changed("fc", module={"type": "my.Head"}), "node fc: calls my.Head, which ctq has no op"),
        (changed("add", args=[ref("pool"), 1e300]), "node block.add: calls _operator.add, which "
         "cannot have the number 1e+300"),
        (changed("fc", target="block.conv"), "node block.conv#2: no earlier torch.nn.Linear is named "
         "block.conv"),
        ([NET[0], function("relu", "F.relu", [ref("x")], inplace=True),
          function("add", "operator.add", [ref("relu"), ref("x")]),
          {"name": "output", "op": "output", "target": "output", "args": [ref("add")]}],
         "node add: reads what relu has changed"),
        ([NET[0], module("norm", "norm", "nn.LPPool2d", "x", kernel_size=2),
          {"name": "output", "op": "output", "target": "output", "args": [ref("norm")]}],
         "calls nn.LPPool2d, which ctq has no op for"),
        ([NET[0], function("rows", "F.embedding", [ref("x"), ref("x")]),
          {"name": "output", "op": "output", "target": "output", "args": [ref("rows")]}],
         "node rows: compiled models do not have torch.nn.functional.embedding"),
        ([NET[0], function("rows", "F.embedding", [ref("x"), ref("x")]),
          {"name": "size", "op": "call_method", "target": "size", "args": [ref("rows"), 0]},
          {"name": "view", "op": "call_method", "target": "view", "args": [ref("rows"), ref("size"), -1]},
          {"name": "output", "op": "output", "target": "output", "args": [ref("view")]}],
         "node rows: compiled models do not have torch.nn.functional.embedding"),
        (changed("x", shape=None), "node x: has no shape"),
        (changed("x", shape=[1, 4, 32, 32]), "in_channels is 3"),
        (changed("output", args=[[ref("fc"), []]]), "gives other things than tensors"),
        (changed("output", args=[[ref("fc"), 1]]), "gives other things than tensors"),
        (changed("output", args=[[None]]), "gives other things than tensors"),
        (changed("relu", op="get_attr", args=[]), "has no shape, or more than 6 axes; the row of an attribute"),
        (changed("relu", op="call_methods"), "row 7"),
    ]
    for wrong, words in cases:
        rows.write_text(json.dumps(wrong))
        code, out, err = run("import", "--fx", rows)
        assert (code, out) == (FINDINGS, "") and words in err, f"{words}:\n{code} {out} {err}"
    expect(run("import", "--fx", folder / "none.json")[:2], (UNREADABLE, ""), "no such file")
    rows.write_text(json.dumps(NET))
    expect(run("import", "--fx", rows, "-o", folder / "none" / "a.hpp")[:2], (NOT_WRITTEN, ""),
           "a folder that is not there")


def explanations(folder):
    """ctq explain --fx FILE --backend BACKEND [--mapping FILE]"""
    rows = folder / "net.json"
    rows.write_text(json.dumps(NET))
    code, text, err = run("explain", "--fx", rows, "--backend", "x86")
    expect((code, err), (FINE, ""), "a table")
    assert "\nstem_1                 in stem_0                quint8   part of stem_0\n" in text, text
    code, text, _ = run("explain", "--fx", rows, "--backend", "x86", "--json")
    nodes = {n["name"]: n for n in json.loads(text)["nodes"]}
    expect((code, nodes["add"]["on_integers"], nodes["relu"]["runs_in"]), (FINE, True, "add"),
           "JSON")
    expect({n: nodes[n]["fused_into"] for n in nodes if "fused_into" in nodes[n]},
           {"add": "block_conv", "relu": "block_conv"}, "the kernel of a layer computes a sum too")
    no_shape = folder / "no_shape.json"
    no_shape.write_text(json.dumps([{k: row[k] for k in row if k != "shape"} for row in NET]))
    code, text, _ = run("explain", "--fx", no_shape, "--backend", "x86", "--json")
    assert code == FINE and "fused_into" not in text, text
    mapping = folder / "mapping.json"
    mapping.write_text('{"": {"activation": {"class": "MinMaxObserver"}, "weight": {"class": '
                       '"MinMaxObserver", "dtype": "torch.qint8", "qscheme": '
                       '"torch.per_tensor_symmetric"}}, "module_name": [["fc", null]]}')
    code, text, err = run("explain", "--fx", rows, "--backend", "native", "--mapping", mapping,
                          "--markdown")
    expect((code, err), (FINE, ""), "Markdown")
    assert "| fc | Linear | float32 | left in float by qconfig #1 |" in text, text
    code, text, _ = run("explain", "--fx", rows, "--backend", "x86", "--dot")
    assert code == FINE and text.startswith("digraph ") and '"pool" -> "block_conv"' in text
    code, out, err = run("explain", "--fx", rows, "--backend", "native")
    expect((code, out), (UNREADABLE, ""), "a backend without a default mapping")
    assert "--mapping" in err
    prepare, convert = folder / "prepare.json", folder / "convert.json"
    prepare.write_text('{"ops": [{"name": "my.Seen", "kind": "module"}], "standalone_module_name": '
                       '[["fc", null, [], {"input_quantized_idxs": [0]}, null]]}')
    convert.write_text('{"preserved_attributes": ["tag"]}')
    code, text, err = run("explain", "--fx", rows, "--backend", "x86", "--prepare-custom-config",
                          prepare, "--convert-custom-config", convert, "--json")
    expect((code, err), (FINE, ""), "custom configs")
    nodes = {n["name"]: n for n in json.loads(text)["nodes"]}
    assert not nodes["fc"]["on_integers"], "a standalone module is not of the model's plan"
    convert.write_text('{"preserved_attribute": ["tag"]}')
    code, out, err = run("explain", "--fx", rows, "--backend", "x86", "--convert-custom-config",
                         convert)
    expect((code, out), (FINDINGS, ""), "a custom config with a mistake")
    assert err.startswith(f"{convert}:1:2: error: preserved_attribute is not a known key"), err
    for wrong in (["--fx", rows], ["--dot"], ["--fx", rows, "--backend", "x86", "--dot", "--json"],
                  ["json-syntax", "--fx", rows, "--backend", "x86"]):
        expect(run("explain", *wrong)[:2], (UNREADABLE, ""), str(wrong))


def custom_lstm(folder):
    """An LSTM that is a custom module: observers stand before it, none after it or its parts."""
    rows, prepare, convert = (folder / f"lstm_{n}.json" for n in ("rows", "prepare", "convert"))
    lstm = module("lstm", "lstm", "nn.LSTM", "x", input_size=4, hidden_size=3, num_layers=1)
    rows.write_text(json.dumps([
        {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [7, 1, 4]}, lstm,
        function("y", "operator.getitem", [ref("lstm"), 0]),
        module("fc", "fc", "nn.Linear", "y", in_features=3, out_features=2, bias=True),
        function("state", "operator.getitem", [ref("lstm"), 1]),
        function("h", "operator.getitem", [ref("state"), 0]),
        {"name": "output", "op": "output", "target": "output", "args": [[ref("fc"), ref("h")]]}]))
    observed, quantized = "torch.ao.nn.quantizable.LSTM", "torch.ao.nn.quantized.LSTM"
    prepare.write_text(json.dumps({
        "ops": [{"name": observed, "kind": "module"}],
        "float_to_observed_custom_module_class": {"static": {"torch.nn.LSTM": observed}}}))
    convert.write_text(json.dumps({
        "ops": [{"name": name, "kind": "module"} for name in (observed, quantized)],
        "observed_to_quantized_custom_module_class": {"static": {observed: quantized}}}))
    code, text, err = run("explain", "--fx", rows, "--backend", "x86", "--prepare-custom-config",
                          prepare, "--convert-custom-config", convert)
    expect((code, err), (FINE, ""), "a custom LSTM, which is compiled")
    expect([line.split(" ")[-1] for line in text.splitlines() if line.startswith("qparams #")],
           ["x", "fc"], "what is observed")
    for name in ("lstm", "y", "fc", "state", "h"):
        assert re.search(rf"^{name} +\w+ +quint8 ", text, re.M), text


def unsupported():
    """Models that are not compiled, by what is wrong with them: rows after the input x."""
    def with_x(*nodes, returns=None):
        last = returns or [ref(nodes[-1]["name"])]
        return [NET[0], *nodes, {"name": "output", "op": "output", "target": "output", "args": last}]

    conv = module("conv", "conv", "nn.Conv2d", "x", in_channels=3, out_channels=4,
                  kernel_size=[1, 1], stride=[1, 1], padding=[0, 0], bias=True, **CONV)
    method = {"op": "call_method", "target": "", "args": [ref("x")]}
    return {
        "an op that ctq does not know": with_x(function("y", "torch.fft.fft", [ref("x")])),
        "an op that is not compiled": with_x(function("y", "F.embedding", [ref("x"), ref("x")])),
        "tensors that are compared and broadcast": with_x(
            function("row", "torch.amax", [ref("x"), 1, True]),
            function("y", "torch.maximum", [ref("x"), ref("row")])),
        "a part of a tuple by another name": with_x(
            function("pair", "torch.max", [ref("x"), 1]),
            function("y", "builtins.getattr", [ref("pair"), "names"])),
        "a weight that is computed": [
            {**NET[0], "shape": [2, 4]},
            {"name": "w", "op": "get_attr", "target": "w", "args": [], "shape": [4, 3]},
            {**method, "name": "turned", "target": "t", "args": [ref("w")]},
            function("y", "F.linear", [ref("x"), ref("turned")]),
            {"name": "output", "op": "output", "target": "output", "args": [ref("y")]}],
        "too many axes": with_x({**method, "name": "y", "target": "view",
                                 "args": [ref("x"), 1, 3, 4, 8, 4, 4, 2]}),
        "an order that is read whole": with_x(function("order", "torch.sort", [ref("x"), 1]),
                                              function("y", "F.relu", [ref("order")])),
        "a function that is not compiled": with_x(function("y", "F.embedding", [ref("x"), ref("x")])),
        "an option without a meaning": with_x(module(
            "norm", "norm", "nn.GroupNorm", "x", num_groups=1, num_channels=3, eps=1e-5,
            affine="no")),
        "padding that is not symmetric": with_x(module(
            "even", "even", "nn.Conv2d", "x", in_channels=3, out_channels=4, kernel_size=[3, 2],
            stride=[1, 1], padding="same", bias=True, **CONV)),
        "a mode that is not there": with_x(function("y", "F.interpolate", [ref("x")],
                                                    scale_factor=2, mode="area")),
        "factors for each axis": with_x(function("y", "F.interpolate", [ref("x")],
                                                 scale_factor=[2.0, 3.0])),
        "shapes that do not fit": with_x(conv, function("y", "torch.add",
                                                        [ref("conv"), ref("x")])),
        "several axes of argmax": with_x(function("y", "torch.argmax", [ref("x"), [1, 2]])),
        "no axis of max": with_x(function("y", "torch.max", [ref("x")])),
        "a third tensor of max": with_x(
            function("pair", "torch.max", [ref("x"), 1]),
            function("y", "operator.getitem", [ref("pair"), 2])),
        "all tensors of max": with_x(function("pair", "torch.max", [ref("x"), 1]),
                                     function("y", "F.relu", [ref("pair")])),
        "a pool of indices": with_x(
            function("best", "torch.argmax", [ref("x"), 1]),
            function("y", "F.max_pool2d", [ref("best"), 2])),
        "attention with a mask": with_x(function(
            "y", "F.scaled_dot_product_attention", [ref("x"), ref("x"), ref("x")],
            attn_mask=ref("x"))),
        "an input that is written over": with_x(
            function("relu", "F.relu", [ref("x")], inplace=True),
            function("y", "torch.add", [ref("relu"), ref("x")])),
        "an output that is a number": with_x(conv, returns=[[ref("conv"), 5]]),
        "an input without a shape": [
            {key: value for key, value in NET[0].items() if key != "shape"}, conv,
            {"name": "output", "op": "output", "target": "output", "args": [ref("conv")]}],
    }


def agreement(folder):
    """What ctq import refuses, ctq explain says with the same words at the same place; and where
    it imports, explain has nothing to add."""
    rows = folder / "agreement.json"
    for what, model in unsupported().items():
        rows.write_text(json.dumps(model))
        code, _, err = run("import", "--fx", rows)
        expect(code, FINDINGS, what)
        place, why = err.split(": error: ", 1)
        for form in ([], ["--json"], ["--markdown"]):
            expect(run("explain", "--fx", rows, "--backend", "x86", *form)[::2],
                   (FINE, f"{place}: note: not a compiled model: {why}"), what)
    # What only a schedule finds, the compiler says.
    def image(name, shape):
        return {"name": name, "op": "placeholder", "target": name, "args": [], "shape": shape}

    rows.write_text(json.dumps([
        image("a", [2, 1, 3, 1, 2, 1]), image("b", [1, 2, 1, 3, 1, 2]),
        function("y", "torch.add", [ref("a"), ref("b")]),
        {"name": "output", "op": "output", "target": "output", "args": [ref("y")]}]))
    expect(run("import", "--fx", rows, "--name", "wide", "-o", folder / "wide.hpp")[::2], (FINE, ""), "six axes")
    why = "no kernel for node y: it broadcasts along more than 4 axes"
    expect(run("explain", "--fx", rows, "--backend", "x86")[2],
           f"{rows}: note: not a compiled model: {why}\n", "six axes")
    source = folder / "wide.cpp"
    source.write_text("""
#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"
#include "wide.hpp"
using planned = ctq::plan<models::wide, ctq::x86, ctq::default_qconfig_mapping<ctq::x86>>;
static_assert(planned::int8_schedule.count > 0);
""")
    for compiler in COMPILERS:
        done = subprocess.run([*compiler.split(), "-std=c++20", "-DCTQ_BASELINE_IS_INTENDED",
                               "-fsyntax-only", "-I", INCLUDE, str(source)], capture_output=True,
                              text=True, check=False)
        said = " ".join(re.findall(r'line<\d+>\{"(.*?)"\}', done.stderr.partition("\n")[2]))
        assert done.returncode != 0 and why in said, done.stderr

    rows.write_text(json.dumps(NET))
    expect(run("import", "--fx", rows, "-o", folder / "fine.hpp")[2], "", "a model that is imported")
    expect(run("explain", "--fx", rows, "--backend", "x86")[2], "", "and explained")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (headers, user_ops, names, numbers, shared, sizes, respelled, names_of_attributes,
                     sizes_of_sequences, weights_as_arguments, several, indices, skipping, between_layers,
                     dropout, mistakes, explanations, custom_lstm, agreement):
            part(Path(name))


main()
