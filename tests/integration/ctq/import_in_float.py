#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ctq import of ops that PyTorch's backends leave in float: import_in_float.py CTQ

Rows, as torch.fx and tools/export_fx.py write them, and what they are in C++, or why they are refused.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CTQ = sys.argv[1]


def ref(name):
    return {"n": name}


def image(name, *shape):
    return {"name": name, "op": "placeholder", "target": name, "args": [], "shape": list(shape)}


def call(kind, name, target, args, **kwargs):
    args = [ref(a) if isinstance(a, str) else a for a in args]
    return {"name": name, "op": kind, "target": target, "args": args, "scope": "",
            "kwargs": {key: ref(a) if key in ("query", "key", "value", "attn_mask", "key_padding_mask") and isinstance(a, str)
                       else a for key, a in kwargs.items()}}


def module(name, kind, args, options, **kwargs):
    return {**call("call_module", name, name, args, **kwargs), "module": {"type": kind, **options}}


def function(name, target, args, **kwargs):
    return call("call_function", name, target, args, **kwargs)


def method(name, target, args, **kwargs):
    return call("call_method", name, target, args, **kwargs)


def item(name, of, index):
    return function(name, "operator.getitem", [of, index])


def imported(rows, *outputs):
    """The error of ctq import, or its lines."""
    last = {"name": "output", "op": "output", "target": "output", "args": [[ref(o) for o in outputs]]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.json")
        path.write_text(json.dumps([*rows, last]))
        done = subprocess.run([CTQ, "import", "--fx", str(path)], capture_output=True, text=True,
                              check=False)
    if done.returncode != 0:
        assert done.stdout == "", done.stdout
        return done.stderr.partition(": error: ")[2].strip()
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def expect_lines(what, rows, outputs, *lines):
    got = imported(rows, *outputs)
    for line in lines:
        assert line in got, f"{what}: {line}\nis not in\n{got}"


def expect_error(what, rows, outputs, error):
    got = imported(rows, *outputs)
    assert got == error, f"{what}:\n  wanted {error!r}\n  got    {got!r}"


ATTENTION = {"embed_dim": 8, "num_heads": 2, "dropout": 0.0, "bias": True, "add_bias_kv": False,
             "add_zero_attn": False, "kdim": 8, "vdim": 8, "batch_first": False}


def attention():
    """nn.MultiheadAttention, whose options are the module's and the call's."""
    x, y = image("x", 5, 2, 8), image("y", 4, 2, 8)
    vit = [image("x", 2, 5, 8),
           module("mha", "nn.MultiheadAttention", ["x", "x", "x"],
                  {**ATTENTION, "batch_first": True}, need_weights=False),
           item("out", "mha", 0), item("rest", "mha", 1)]
    expect_lines("self-attention, the weights of which are None", vit, ["out"],
                 '"mha"_n = nn::multihead_attention("x"_n, "x"_n, "x"_n, {.num_heads = 2, '
                 '.batch_first = true, .need_weights = false}),',
                 '"out"_n = op::getitem("mha"_n, {.index = {0}}),')
    expect_error("weights that are not there", vit, ["rest"],
                 "node rest: there is no tensor 1 of mha")
    expect_lines("attention to another tensor, by names", [
        x, y, module("mha", "nn.MultiheadAttention", ["x"], {**ATTENTION, "bias": False}, key="y", value="y",
                     key_padding_mask=None, attn_mask=None, average_attn_weights=False),
        item("out", "mha", 0), item("weights", "mha", 1)], ["out", "weights"],
                 '"mha"_n = nn::multihead_attention("x"_n, "y"_n, "y"_n, {.num_heads = 2, '
                 '.bias = false, .average_attn_weights = false}),',
                 '"weights"_n = op::getitem("mha"_n, {.index = {1}}),')
    expect_lines("the options of the call by their places", [
        x, module("mha", "nn.MultiheadAttention", ["x", "x", "x", None, False, None], ATTENTION),
        item("out", "mha", 0)], ["out"],
                 '"mha"_n = nn::multihead_attention("x"_n, "x"_n, "x"_n, {.num_heads = 2, '
                 '.need_weights = false}),')
    for what, options, arguments, error in (
            ("add_bias_kv", {"add_bias_kv": True}, {}, "cannot have add_bias_kv = True"),
            ("add_zero_attn", {"add_zero_attn": True}, {}, "cannot have add_zero_attn = True"),
            ("a mask", {}, {"attn_mask": "x"}, "cannot have attn_mask = a tensor (tools/export_fx.py "
             "writes a constant one of two axes as a parameter)"),
            ("padding", {}, {"key_padding_mask": "x"}, "cannot have key_padding_mask = a tensor (write "
             "attention with torch.matmul, masked_fill and softmax)"),
            ("a causal mask", {}, {"is_causal": True}, "cannot have is_causal = True")):
        expect_error(what, [x, module("mha", "nn.MultiheadAttention", ["x", "x", "x"],
                                      {**ATTENTION, **options}, **arguments), item("out", "mha", 0)],
                     ["out"], f"node mha: calls torch.nn.MultiheadAttention, which {error} in ctq")
    expect_lines("a mask that is a parameter", [
        x, module("mha", "nn.MultiheadAttention", ["x", "x", "x"], {**ATTENTION, "mask": True}),
        item("out", "mha", 0)], ["out"],
                 '"mha"_n = nn::multihead_attention("x"_n, "x"_n, "x"_n, {.num_heads = 2, '
                 '.mask = true}),')
    expect_error("keys of other sizes", [
        x, module("mha", "nn.MultiheadAttention", ["x", "x", "x"], {**ATTENTION, "kdim": 4}),
        item("out", "mha", 0)], ["out"],
                 "node mha: kdim and vdim are 4 and 8; they equal embed_dim, 8")


LAYER = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "dropout": 0.1, "activation": "relu",
         "layer_norm_eps": 1e-5, "batch_first": False, "norm_first": False, "bias": True}


def transformers():
    """The layers of nn.Transformer, which PyTorch leaves in float as a whole."""
    x, y = image("x", 5, 2, 8), image("y", 4, 2, 8)

    def encoder(*args, options=None, **kwargs):
        return module("layer", "nn.TransformerEncoderLayer", args, {**LAYER, **(options or {})}, **kwargs)

    expect_lines("an encoder's layer", [x, encoder("x", None)], ["layer"],
                 '"layer"_n = nn::transformer_encoder_layer("x"_n, {.nhead = 2, .dim_feedforward = 16}),')
    expect_lines("its options", [
        x, encoder("x", options={"activation": "gelu", "layer_norm_eps": 0.5, "batch_first": True,
                                 "norm_first": True, "bias": False}, src_mask=None, is_causal=False)],
                 ["layer"],
                 '"layer"_n = nn::transformer_encoder_layer("x"_n, {.nhead = 2, .dim_feedforward = 16, '
                 '.activation = ctq::transformer_activation::gelu, .layer_norm_eps = 0.5F, '
                 '.batch_first = true, .norm_first = true, .bias = false}),')
    expect_lines("a decoder's layer, and a norm that PyTorch leaves in float with it", [
        x, y, module("layer", "nn.TransformerDecoderLayer", ["x", "y"], LAYER),
        module("norm", "ctq.LayerNorm", ["layer"], {"normalized_shape": [8], "eps": 1e-5,
                                                    "elementwise_affine": True})], ["norm"],
                 '"layer"_n = nn::transformer_decoder_layer("x"_n, "y"_n, {.nhead = 2, '
                 '.dim_feedforward = 16}),',
                 '"norm"_n = nn::float_layer_norm("layer"_n, {.normalized_shape = {8}}),')
    for what, row, error in (
            ("a mask", encoder("x", "y"), "cannot have src_mask = a tensor (tools/export_fx.py writes a "
             "constant one of two axes as a parameter)"),
            ("another activation", encoder("x", options={"activation": "silu"}),
             'cannot have activation = "silu"'),
            ("causality", encoder("x", is_causal=True), "cannot have is_causal = True")):
        expect_error(what, [x, y, row], ["layer"],
                     f"node layer: calls torch.nn.TransformerEncoderLayer, which {error} in ctq")
    expect_error("another encoder", [x, module("encoder", "nn.TransformerEncoder", ["x"], {})], ["encoder"],
                 "node encoder: calls nn.TransformerEncoder, which ctq has no op for; tools/export_fx.py "
                 "writes its nn.TransformerEncoderLayer and nn.TransformerDecoderLayer, if they are not "
                 "classes of your own")


def rearrangements():
    """Elements in another order, parts of tensors, and the old names of nn.Upsample."""
    x = image("x", 2, 4, 6, 6)
    for row, line in (
            (function("y", "torch.flip", ["x", [2, 3]]), 'fn::flip("x"_n, {.dims = {2, 3}})'),
            (method("y", "flip", ["x", -1]), 'method::flip("x"_n, {.dims = {-1}})'),
            (method("y", "flip", ["x", 2, 3]), 'method::flip("x"_n, {.dims = {2, 3}})'),
            (function("y", "torch.roll", ["x"], shifts=[-3, -3], dims=[1, 2]),
             'fn::roll("x"_n, {.shifts = {-3, -3}, .dims = {1, 2}})'),
            (method("y", "roll", ["x", 1, 2]), 'method::roll("x"_n, {.shifts = {1}, .dims = {2}})'),
            (method("y", "narrow", ["x", 1, 0, 2]),
             'method::narrow("x"_n, {.dim = 1, .length = 2})'),
            (method("y", "select", ["x", 1, 0]), 'method::select("x"_n, {.dim = 1})'),
            (function("y", "torch.select", ["x"], dim=-1, index=-2),
             'fn::select("x"_n, {.dim = -1, .index = -2})'),
            (function("y", "F.channel_shuffle", ["x", 2]),
             'fn::channel_shuffle("x"_n, {.groups = 2})'),
            (module("y", "nn.ChannelShuffle", ["x"], {"groups": 2}),
             'nn::channel_shuffle("x"_n, {.groups = 2})'),
            (module("y", "nn.Softmax2d", ["x"], {}), 'nn::softmax2d("x"_n)'),
            (module("y", "nn.UpsamplingNearest2d", ["x"], {"size": None, "scale_factor": 2.0}),
             'nn::upsampling_nearest2d("x"_n, {.scale_factor = 2.0F})'),
            (module("y", "nn.UpsamplingBilinear2d", ["x"], {"size": [9, 8], "scale_factor": None}),
             'nn::upsampling_bilinear2d("x"_n, {.size = {9, 8}})')):
        expect_lines(line, [x, row], ["y"], f'"y"_n = {line},')
    expect_error("an axis that is not there", [x, function("y", "torch.flip", ["x", [4]])], ["y"],
                 "node y: dims has 4 of 4 axes")
    expect_error("shifts without axes", [x, function("y", "torch.roll", ["x", [1, 2]])], ["y"],
                 "node y: shifts [1, 2] and dims []: one shift for each axis")


def numbers():
    """Operands that are numbers: of floats, they are rounded; infinities are compared."""
    x, ids = image("x", 2, 4), image("ids", 2, 4) | {"dtype": "int64"}
    inf = {"f": "-inf"}
    for row, line in (
            (function("y", "operator.mul", ["x", -4294967295]), 'op::mul("x"_n, -4.2949673e+09F)'),
            (function("y", "operator.add", ["x", 16777217]), 'op::add("x"_n, 16777216.0F)'),
            (function("y", "operator.eq", ["x", inf]), 'op::eq("x"_n, -std::numeric_limits<float>::infinity())')):
        expect_lines(line, [x, row], ["y"], f'"y"_n = {line},')
    for given, row, words in (
            (x, function("y", "operator.mul", ["x", inf]), "node y: calls _operator.mul, which cannot have the number -inf"),
            (ids, function("y", "operator.add", ["ids", 16777217]),
             "node y: calls _operator.add, which cannot have the number 16777217 with integers")):
        expect_error(words, [given, row], ["y"], words)


def keywords():
    """Arguments by keyword, in ctq's order, and NumPy's keywords."""
    x, y = image("x", 2, 4, 4), image("y", 2, 4, 4)
    for row, line in (
            (function("z", "torch.matmul", [], other=ref("y"), input=ref("x")), 'fn::matmul("x"_n, "y"_n)'),
            (function("z", "torch.cat", [], tensors=[ref("x"), ref("y")], axis=1),
             'fn::cat({"x"_n, "y"_n}, {.dim = 1})'),
            (function("z", "torch.mean", [], input=ref("x"), axis=[1], keepdims=True),
             'fn::mean("x"_n, {.dim = {1}, .keepdim = true})'),
            (method("z", "view", ["x"], size=[2, 16]), 'method::view("x"_n, {.shape = {2, 16}})')):
        expect_lines(line, [x, y, row], ["z"], f'"z"_n = {line},')


def states():
    """A recurrent layer with its first states, in a tuple."""
    x, h, c = image("x", 2, 3, 4), image("h", 1, 2, 5), image("c", 1, 2, 5)
    lstm = {"input_size": 4, "hidden_size": 5, "num_layers": 1, "batch_first": True}
    expect_lines("an LSTM", [x, h, c, module("lstm", "nn.LSTM", [], lstm) | {"args": [ref("x"), [ref("h"), ref("c")]]},
                             item("y", "lstm", 0)], ["y"],
                 '"lstm"_n = nn::lstm("x"_n, "h"_n, "c"_n, {.hidden_size = 5, .batch_first = true}),')


def functions_of_numbers():
    """Activations and functions of one number."""
    x = image("x", 2, 4, 6)
    for row, line in (
            (module("y", "nn.Threshold", ["x"], {"threshold": 0.5, "value": 8, "inplace": False}),
             'nn::threshold("x"_n, {.threshold = 0.5F, .value = 8.0F})'),
            (function("y", "F.threshold", ["x", 0.5, 0.25, False]),
             'fn::threshold("x"_n, {.threshold = 0.5F, .value = 0.25F})'),
            (module("y", "nn.Softshrink", ["x"], {"lambd": 0.5}), 'nn::softshrink("x"_n)'),
            (function("y", "F.hardshrink", ["x"], lambd=0.25), 'fn::hardshrink("x"_n, {.lambd = 0.25F})'),
            (module("y", "nn.RReLU", ["x"], {"lower": 0.125, "upper": 0.5, "inplace": True}),
             'nn::rrelu("x"_n, {.upper = 0.5F})'),
            (module("y", "nn.Softmin", ["x"], {"dim": 1}), 'nn::softmin("x"_n, {.dim = 1})'),
            (function("y", "torch.expm1", ["x"]), 'fn::expm1("x"_n)'),
            (method("y", "atan", ["x"]), 'method::atan("x"_n)'),
            (function("y", "torch.cumsum", ["x", 1]), 'fn::cumsum("x"_n, {.dim = 1})'),
            (method("y", "cumprod", ["x"], dim=-1), 'method::cumprod("x"_n, {.dim = -1})'),
            (function("y", "F.local_response_norm", ["x", 5, 0.5]),
             'fn::local_response_norm("x"_n, {.size = 5, .alpha = 0.5F})'),
            (function("y", "torch.tril", ["x", -1]), 'fn::tril("x"_n, {.diagonal = -1})')):
        expect_lines(line, [x, row], ["y"], f'"y"_n = {line},')
    expect_lines("the largest elements, and what lies in their places", [
        x, image("w", 2, 4, 6), function("top", "torch.topk", ["x", 2, 1]), item("v", "top", 0),
        {**function("i", "builtins.getattr", []), "args": [ref("top"), "indices"]},
        function("g", "torch.gather", ["w", 1, "i"]),
        method("order", "sort", ["v"], dim=-1, descending=True), item("u", "order", 0)], ["g", "u"],
                 '"top"_n = fn::topk("x"_n, {.k = 2, .dim = 1}),',
                 '"i"_n = op::getitem("top"_n, {.index = {1}}),',
                 '"g"_n = fn::gather("w"_n, "i"_n, {.dim = 1}),',
                 '"order"_n = method::sort("v"_n, {.descending = true}),')
    expect_lines("tuples that are returned", [
        x, function("top", "torch.topk", ["x", 2]), image("s", 5, 2, 4), function("top_0", "F.relu", ["x"]),
        module("rnn", "nn.LSTM", ["s"], {"input_size": 4, "hidden_size": 3})], ["rnn", "top"],
                 '"rnn_0"_n = op::getitem("rnn"_n, {.index = {0}}),',
                 '"rnn_1"_n = op::getitem("rnn"_n, {.index = {1}}),',
                 '"rnn_1_0"_n = op::getitem("rnn_1"_n, {.index = {0}}),',
                 '"rnn_1_1"_n = op::getitem("rnn_1"_n, {.index = {1}}),',
                 '"top_0_"_n = op::getitem("top"_n, {.index = {0}}),',
                 '"output"_n = nn::output("rnn_0"_n, "rnn_1_0"_n, "rnn_1_1"_n, "top_0_"_n, "top_1"_n));')
    with_tuple = [x, function("y", "torch.topk", ["x", 2]), method("z", "relu", ["y"])]
    expect_error("a tuple that is read whole", with_tuple, ["z"],
                 "node z: reads all tensors of y; op::getitem selects one")
    expect_error("more than there are", [x, function("y", "torch.topk", ["x", 7]), item("v", "y", 0)],
                 ["v"], "node y: k is 7 of 6 elements; the input is [2, 4, 6]")
    for what, row, error in (
            ("a negative bound", function("y", "F.softshrink", ["x", -1]), "lambd is not 0 or more"),
            ("bounds", module("y", "nn.RReLU", ["x"], {"lower": 0.5, "upper": 0.25}), "lower is above upper"),
            ("a divisor", module("y", "nn.CELU", ["x"], {"alpha": 0.0}), "alpha is 0, a divisor"),
            ("an axis", function("y", "torch.cumsum", ["x", 3]), "dim 3 of 3 axes")):
        expect_error(what, [x, row], ["y"], f"node y: {error}")


def of_two_tensors():
    """Options by their places follow the first tensor, however many there are."""
    a, b, x = image("a", 3, 4), image("b", 3, 4), image("x", 2, 4, 6, 6)
    grid, index = image("grid", 2, 5, 5, 2), {**image("index", 3), "op": "get_attr"}
    for row, line in (
            (function("y", "F.cosine_similarity", ["a", "b", -1]),
             'fn::cosine_similarity("a"_n, "b"_n, {.dim = -1})'),
            (function("y", "F.cosine_similarity", [], x1=ref("a"), x2=ref("b"), eps=0.5),
             'fn::cosine_similarity("a"_n, "b"_n, {.eps = 0.5F})'),
            (function("y", "F.pairwise_distance", ["a", "b", 1.0, 0.5]),
             'fn::pairwise_distance("a"_n, "b"_n, {.p = 1.0F, .eps = 0.5F})'),
            (module("y", "nn.PairwiseDistance", ["a", "b"], {"p": 1.0, "eps": 1e-6, "keepdim": True}),
             'nn::pairwise_distance("a"_n, "b"_n, {.p = 1.0F, .keepdim = true})'),
            (function("y", "torch.cdist", ["a", "b"], p=2.0,
                      compute_mode="use_mm_for_euclid_dist_if_necessary"), 'fn::cdist("a"_n, "b"_n)'),
            (module("y", "nn.Bilinear", ["a", "b"], {"in1_features": 4, "in2_features": 4,
                                                     "out_features": 2, "bias": True}),
             'nn::bilinear("a"_n, "b"_n, {.in1_features = 4, .in2_features = 4, .out_features = 2})'),
            ({**function("y", "F.grid_sample", []),
              "args": [ref("x"), ref("grid"), "nearest", "border", True]},
             'fn::grid_sample("x"_n, "grid"_n, {.mode = ctq::sampling_mode::nearest, '
             '.padding_mode = ctq::sampling_padding::border, .align_corners = true})'),
            (function("y", "F.grid_sample", ["x"], grid=ref("grid"), align_corners=None),
             'fn::grid_sample("x"_n, "grid"_n)'),
            (function("y", "torch.index_select", ["x", 1, "index"]),
             'fn::index_select("x"_n, "index"_n, {.dim = 1})'),
            (method("y", "index_select", ["x"], dim=-1, index=ref("index")),
             'method::index_select("x"_n, "index"_n, {.dim = -1})'),
            (function("y", "F.scaled_dot_product_attention", ["a", "b", "b", None, 0.0, True]),
             'fn::scaled_dot_product_attention("a"_n, "b"_n, "b"_n, {.is_causal = true})')):
        expect_lines(line, [a, b, x, grid, index, row], ["y"], f'"y"_n = {line},')
    expect_error("another mode", [x, grid, function("y", "F.grid_sample", ["x", "grid"], mode="bicubic")],
                 ["y"], 'node y: calls torch.nn.functional.grid_sample, which cannot have mode = "bicubic" '
                 "in ctq")
    expect_error("a distance", [a, b, function("y", "torch.cdist", ["a", "b", 3.0])], ["y"],
                 "node y: p is neither 1 nor 2")


def blocks_and_lists():
    """Blocks of images, grids, and lists of indices."""
    x, theta = image("x", 2, 4, 6, 6), image("theta", 2, 2, 3)
    whole = {"s": [None, None, None]}
    order = {"name": "order", "op": "get_attr", "target": "order", "args": [], "shape": [4], "scope": "",
             "dtype": "int64"}
    for row, line in (
            (module("y", "nn.Unfold", ["x"], {"kernel_size": [2, 3], "dilation": 1, "padding": 0,
                                              "stride": 2}),
             'nn::unfold("x"_n, {.kernel_size = {2, 3}, .stride = 2})'),
            (function("y", "F.unfold", ["x", 3, 1, 1, 3]),
             'fn::unfold("x"_n, {.kernel_size = 3, .padding = 1, .stride = 3})'),
            (function("y", "F.affine_grid", ["theta", [2, 1, 5, 6]], align_corners=True),
             'fn::affine_grid("theta"_n, {.size = {2, 1, 5, 6}, .align_corners = true})'),
            (item("y", "x", [whole, [2, 1, 0]]), 'fn::select_each("x"_n, {.dim = 1, .index = {2, 1, 0}})'),
            (item("y", "x", [{"e": "..."}, [0, -1], whole]),
             'fn::select_each("x"_n, {.dim = -2, .index = {0, -1}})'),
            (item("y", "x", [[1]]), 'fn::select_each("x"_n, {.index = {1}})'),
            (item("y", "x", [whole, ref("order")]), 'fn::index_along("x"_n, "order"_n, {.dim = 1})'),
            (item("y", "x", ref("order")), 'fn::index_along("x"_n, "order"_n)'),
            (item("y", "x", [whole, whole, ref("order"), ref("order")]),
             'fn::index_pairs("x"_n, "order"_n, "order"_n, {.dim = 2})'),
            (item("y", "x", [1, 0]), 'op::getitem("x"_n, {.index = {1, 0}})')):
        expect_lines(line, [x, theta, order, row], ["y"], f'"y"_n = {line},')
    expect_lines("an input of indices", [x, image("i", 3), item("y", "x", [whole, ref("i")])], ["y"],
                 '"i"_n = nn::placeholder({3}, ctq::i64),',
                 '"y"_n = fn::index_along("x"_n, "i"_n, {.dim = 1}),')
    ids = image("ids", 2, 6)
    table = {"num_embeddings": 9, "embedding_dim": 4}
    expect_lines("indices of gather", [x, image("i", 2, 4, 6, 6), function("y", "torch.gather", ["x", 1, "i"])],
                 ["y"], '"i"_n = nn::placeholder({2, 4, 6, 6}, ctq::i64),')
    for what, rows in (
            ("chosen", [ids, function("m", "operator.gt", ["ids", 3]),
                        function("w", "torch.where", ["m", "ids", 0]), module("y", "nn.Embedding", ["w"], table)]),
            ("largest", [ids, function("t", "torch.topk", ["ids", 2]), item("w", "t", 0),
                         module("y", "nn.Embedding", ["w"], table)]),
            ("shifted", [ids, function("w", "F.pad", ["ids", [1, -1]], value=2),
                         module("y", "nn.Embedding", ["w"], table)]),
            ("counted", [ids, function("m", "operator.ne", ["ids", 1]),
                         function("c", "torch.cumsum", ["m"], dim=1), module("y", "nn.Embedding", ["c"], table),
                         module("z", "nn.Embedding", ["ids"], table)])):
        expect_lines(what, rows, ["y"], '"ids"_n = nn::placeholder({2, 6}, ctq::i64),')
    expect_lines("places of the largest", [ids, function("t", "torch.topk", ["ids", 2]), item("w", "t", 1),
                                           module("y", "nn.Embedding", ["w"], table)], ["y"],
                 '"ids"_n = nn::placeholder({2, 6}),')
    looked_up = [ids, module("z", "nn.Embedding", ["ids"], table)]
    expect_lines("its own type", [*looked_up, function("y", "torch.cumsum", ["ids", 1], dtype="int64")],
                 ["y", "z"], '"y"_n = fn::cumsum("ids"_n, {.dim = 1}),')
    expect_error("another type", [*looked_up, function("y", "torch.cumsum", ["ids", 1], dtype="float32")],
                 ["y", "z"], "node y: calls torch.cumsum, which has no dtype = float32 in ctq; x.float() "
                 "before it is the same")
    expect_error("a mask", [x, function("m", "operator.gt", ["x", 0]), item("y", "x", ref("m"))], ["y"],
                 "node y: calls _operator.getitem, which has one tensor of integers as an index in ctq, or two of "
                 "adjacent axes, beside whole axes; tools/export_fx.py writes other indices with these; the shape of "
                 "what a mask selects is not known")
    expect_lines("fold", [image("c", 2, 12, 9), module("y", "nn.Fold", ["c"], {
        "output_size": 6, "kernel_size": 2, "dilation": 1, "padding": 0, "stride": 2})], ["y"],
                 '"y"_n = nn::fold("c"_n, {.output_size = 6, .kernel_size = 2, .stride = 2}),')
    expect_error("too many indices", [x, item("y", "x", [[0, 1, 0, 1, 0, 1, 0]])], ["y"],
                 "node y: calls ctq.select_each, which cannot have index = a list of 7; at most 6 are "
                 "possible in ctq")
    expect_error("an index that is not there", [x, item("y", "x", [whole, [4]])], ["y"],
                 "node y: index 4 is outside dim 1; the input is [2, 4, 6, 6]")
    expect_error("blocks of another image", [image("c", 2, 12, 9), function(
        "y", "F.fold", ["c", 5, 2], stride=2)], ["y"],
                 "node y: output_size has 2x2 places of the window; the input is [2, 12, 9]")


def respelled():
    """What PyTorch spells in another way."""
    x, y = image("x", 2, 4, 6, 7), image("y", 2, 4, 6, 7)
    for row, line in (
            (module("z", "nn.AdaptiveAvgPool2d", ["x"], {"output_size": [None, 1]}),
             'nn::adaptive_avg_pool2d("x"_n, {.output_size = {6, 1}})'),
            (module("z", "nn.AdaptiveMaxPool2d", ["x"], {"output_size": [3, None],
                                                         "return_indices": False}),
             'nn::adaptive_max_pool2d("x"_n, {.output_size = {3, 7}})'),
            (function("z", "F.adaptive_avg_pool2d", ["x", [None, 2]]),
             'fn::adaptive_avg_pool2d("x"_n, {.output_size = {6, 2}})'),
            (function("z", "F.pad", ["x", [1, 2, 0, 0, 0, 0, 0, 0]]),
             'fn::pad("x"_n, {.pad = {1, 2, 0, 0, 0, 0}})'),
            (module("z", "nn.BatchNorm2d", ["x"], {"num_features": 4, "eps": 1e-5, "affine": False}),
             'nn::batch_norm2d("x"_n, {.affine = 0})'),
            (function("z", "torch.add", ["x", 3], alpha=2), 'fn::add("x"_n, 6.0F)'),
            (method("z", "sub", ["x", 3], alpha=0.5), 'method::sub("x"_n, 1.5F)'),
            (method("z", "add", ["x", 0.25], alpha=1), 'method::add("x"_n, 0.25F)'),
            (function("z", "torch.add", ["x", "y"], alpha=1), 'fn::add("x"_n, "y"_n)')):
        expect_lines(line, [x, y, row], ["z"], f'"z"_n = {line},')
    expect_error("a multiple of a tensor", [x, y, function("z", "torch.sub", ["x", "y"], alpha=0.5)],
                 ["z"], "node z: calls torch.sub, which cannot have alpha = 0.5 (write 0.5 * y, and "
                 "add that) in ctq")
    expect_error("pads of four axes", [x, function("z", "F.pad", ["x", [0, 0, 0, 0, 0, 0, 1, 0]])],
                 ["z"], "node z: calls torch.nn.functional.pad, which cannot have pad = a list of 8; at "
                 "most 6 are possible in ctq")
    expect_lines("products with vectors", [
        image("v", 7), x, function("a", "torch.matmul", ["x", "v"]),
        function("b", "operator.matmul", ["v", "v"])], ["a", "b"],
                 '"a"_n = fn::matmul("x"_n, "v"_n),', '"b"_n = op::matmul("v"_n, "v"_n),')


def masks():
    """Comparisons, and what reads them."""
    x, y = image("x", 2, 4, 6), image("y", 4, 1)
    mask = function("m", "operator.gt", ["x", 0])
    for row, line in (
            (function("z", "operator.le", ["x", "y"]), 'op::le("x"_n, "y"_n)'),
            (function("z", "torch.eq", ["x", 2.5]), 'fn::eq("x"_n, 2.5F)'),
            (method("z", "ne", ["x", "y"]), 'method::ne("x"_n, "y"_n)'),
            (function("z", "operator.and_", ["m", "m"]), 'op::and_("m"_n, "m"_n)'),
            (function("z", "operator.invert", ["m"]), 'op::invert("m"_n)'),
            (function("z", "torch.logical_not", ["m"]), 'fn::logical_not("m"_n)'),
            (method("z", "float", ["m"]), 'method::float_("m"_n)'),
            (method("z", "to", ["m"], dtype="float32"), 'method::float_("m"_n)'),
            (method("z", "to", ["m"], dtype="int64"), 'method::long_("m"_n)'),
            (method("z", "bool", ["m"]), 'fn::ne("m"_n, 0.0F)'),
            (method("z", "type_as", ["m", "x"]), 'method::float_("m"_n)'),
            (method("z", "cpu", ["m"]), 'method::clone("m"_n)'),
            (method("z", "masked_fill", ["x", "m", {"f": "-inf"}]),
             'method::masked_fill("x"_n, "m"_n, {.value = -std::numeric_limits<float>::infinity()})'),
            (method("z", "masked_fill_", ["x", "m", -1000000000]),
             'method::masked_fill_("x"_n, "m"_n, {.value = -1e+09F})'),
            (function("z", "torch.masked_fill", ["x", "m"], value=2),
             'fn::masked_fill("x"_n, "m"_n, {.value = 2.0F})'),
            (function("z", "torch.where", ["m", "x", "y"]), 'fn::where("m"_n, "x"_n, "y"_n)'),
            (function("z", "torch.where", ["m", "x", 0]),
             'fn::masked_fill("x"_n, "m"_n, {.unless = true})'),
            (function("z", "torch.where", ["m", 0.5, "x"]),
             'fn::masked_fill("x"_n, "m"_n, {.value = 0.5F})'),
            (function("z", "torch.zeros_like", ["x"]), 'fn::zeros_like("x"_n)'),
            (function("z", "torch.full_like", ["x", 2]), 'fn::full_like("x"_n, {.fill_value = 2.0F})')):
        expect_lines(line, [x, y, mask, row], ["z"], f'"z"_n = {line},')
    expect_lines("on the device of another tensor", [
        x, y, {**function("device", "builtins.getattr", []), "args": [ref("y"), "device"]},
        method("z", "to", ["x", "device"])],
                 ["z"], '"z"_n = method::clone("x"_n),')
    expect_error("half", [x, method("z", "to", ["x"], dtype="float16")], ["z"],
                 "node z: calls to, which ctq has no op for; write it as an op of your own, --user-op, or "
                 "with other ops")
    expect_error("a value for Python", [x, method("z", "item", ["x"])], ["z"],
                 "node z: calls item, which ctq has no op for; it gives values of a tensor to Python, and values "
                 "that depend on data are not known when a model is compiled; compute with the tensor itself, "
                 "x / y.max() instead of x / y.max().item()")
    expect_error("a mask that is larger", [x, y, method("z", "masked_fill", ["y", "x", 0])], ["z"],
                 "node z: mask has more elements than the tensor; the input is [4, 1]; the input is "
                 "[2, 4, 6]")


def integers():
    """What is computed of an input of indices before an embedding reads it."""
    rows = [image("row", 2, 5), item("part", "row", [{"s": [None, None, None]}, {"s": [0, 3, None]}]),
            function("behind", "operator.add", ["part", 7]),
            function("bucket", "operator.mod", ["behind", 100]),
            module("table", "nn.Embedding", ["bucket"], {"num_embeddings": 100, "embedding_dim": 4}),
            function("mask", "torch.ne", ["part", 0])]
    expect_lines("indices", rows, ["table", "mask"], '"row"_n = nn::placeholder({2, 5}, ctq::i64),',
                 '"behind"_n = op::add("part"_n, 7.0F),', '"bucket"_n = op::mod("behind"_n, 1e+02F),',
                 '"mask"_n = fn::ne("part"_n, 0.0F),')
    offset = {"name": "offset", "op": "get_attr", "target": "offset", "args": [], "shape": [3], "scope": ""}
    for dtype, call, reads in (({"dtype": "int64"}, "{3}, ctq::i64", "behind"), ({}, "{3}", "whole")):
        expect_lines("an offset", [
            *rows[:2], offset | dtype, function("behind", "operator.add", ["part", "offset"]),
            method("whole", "to", ["behind"], dtype="int64"), {**rows[4], "args": [ref(reads)]}],
                     ["table"], f'"offset"_n = nn::get_attr({call}),',
                     f'"table"_n = nn::embedding("{reads}"_n, {{.num_embeddings = 100, .embedding_dim = 4}}),')
    expect_lines("floats that become indices", [
        image("row", 2, 5), method("whole", "long", ["row"]), {**rows[4], "args": [ref("whole")]}],
                 ["table"], '"row"_n = nn::placeholder({2, 5}),', '"whole"_n = method::long_("row"_n),')
    for place, line in ((0, 'method::float_("part"_n)'), (1, 'method::long_("part"_n)')):
        expect_lines("the dtype of a part of a tuple", [
            image("x", 2, 5), image("part", 2, 5), function("most", "torch.max", ["x", 1]),
            item("chosen", "most", place), method("y", "to", ["part", "chosen"])],
                     ["y"], f'"y"_n = {line},')
    expect_lines("no indices", [rows[0], function("mask", "torch.ne", ["row", 0])], ["mask"],
                 '"row"_n = nn::placeholder({2, 5}),')
    expect_error("a layer of indices", [*rows, module("fc", "nn.Linear", ["part"],
                                                      {"in_features": 3, "out_features": 2})],
                 ["table", "fc"],
                 "node fc: reads int64 of part; method::float_ makes floats of it")


def summed():
    """Equations, and the root of a size."""
    x, y = image("x", 2, 3, 4), image("y", 2, 5, 4)
    expect_lines("an equation", [x, y, function("z", "torch.einsum", [])
                                 | {"args": ["bid, bjd -> bij", ref("x"), ref("y")]}], ["z"],
                 '"z"_n = fn::einsum("x"_n, "y"_n, {.other_axes = {0, 3, 2}, .out_axes = {0, 1, 3}, '
                 '.axes = 3}),')
    three = {**function("z", "torch.einsum", []), "args": ["a,b,c->abc", ref("x"), ref("y"), ref("x")]}
    expect_error("of three tensors", [x, y, three], ["z"],
                 "node z: calls torch.einsum, which has an equation of two tensors of known shapes, without "
                 "repeated letters, in ctq")
    for equation, line in (
            ("...d,...jd->...j", "{.other_axes = {0, 1, 3, 2}, .out_axes = {0, 1, 3}, .axes = 3}"),
            ("i...d , kd -> i...k", "{.other_axes = {3, 2}, .out_axes = {0, 1, 3}, .axes = 3}")):
        rows = [x, image("y", 2, 3, 5, 4) if "j" in equation else image("y", 5, 4)]
        expect_lines("the axes before the last", [*rows, {**function("z", "torch.einsum", []),
                                                          "args": [equation, ref("x"), ref("y")]}],
                     ["z"], f'"z"_n = fn::einsum("x"_n, "y"_n, {line}),')
    expect_lines("the root of a size", [
        x, method("n", "size", ["x", -1]), function("root", "math.sqrt", ["n"]),
        function("rest", "operator.mod", ["n", 3]), function("z", "operator.truediv", ["x", "root"]),
        function("w", "operator.add", ["x", "rest"])], ["z", "w"],
                 '"z"_n = op::truediv("x"_n, 2.0F),', '"w"_n = op::add("x"_n, 1.0F),')


def windows():
    """torchvision's Swin Transformer."""
    x = image("x", 1, 5, 5, 8)
    bias = {"name": "b", "op": "get_attr", "target": "b", "args": [], "shape": [1, 2, 6, 6]}
    swin = "torchvision.models.swin_transformer."
    expect_lines("attention and patches", [
        x, bias, module("attn", swin + "ShiftedWindowAttention", ["x", "b"],
                        {"num_heads": 2, "window_size": [2, 3], "shift_size": [1, 1], "qkv_bias": True,
                         "proj_bias": False, "cosine": True}),
        function("y", swin + "_patch_merging_pad", ["attn"]), function("z", "torch.swapaxes", ["y", 1, -1])],
                 ["z"],
                 '"attn"_n = nn::shifted_window_attention("x"_n, "b"_n, {.num_heads = 2, '
                 '.window_size = {2, 3}, .shift_size = 1, .proj_bias = false, .cosine = true}),',
                 '"y"_n = fn::patch_merging_pad("attn"_n),',
                 '"z"_n = fn::swapaxes("y"_n, {.dim0 = 1, .dim1 = -1}),')


def added_products():
    """torch.addmm, as Conv1D of GPT-2 calls it."""
    parameter = {"name": "w", "op": "get_attr", "target": "w", "args": [], "shape": [4, 6]}
    bias = {"name": "b", "op": "get_attr", "target": "b", "args": [], "shape": [6]}
    x = image("x", 3, 4)
    expect_lines("a bias and a weight", [x, parameter, bias, function("y", "torch.addmm", ["b", "x", "w"])],
                 ["y"], '"y"_n = fn::addmm("b"_n, "x"_n, "w"_n),')
    expect_lines("factors", [x, parameter, bias, function("y", "torch.addmm", ["b", "x", "w"], beta=0.5,
                                                          alpha=2)],
                 ["y"], '"y"_n = fn::addmm("b"_n, "x"_n, "w"_n, {.beta = 0.5F, .alpha = 2.0F}),')
    shown = subprocess.run([CTQ, "show", "tensorrt", "--markdown"], capture_output=True, text=True,
                           check=True).stdout
    assert "| evaluator only: no integer kernel for torch.addmm |" in shown, shown


def main():
    added_products()
    attention()
    transformers()
    masks()
    integers()
    summed()
    windows()
    rearrangements()
    numbers()
    keywords()
    states()
    functions_of_numbers()
    of_two_tensors()
    blocks_and_lists()
    respelled()


main()
