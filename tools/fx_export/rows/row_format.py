# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How rows are written: what they call functions and classes, and how values, types and options of modules look."""

import importlib
import inspect
import math
import operator

import torch
from torch.fx import Node
from torch.nn.utils import parametrize

from fx_export.errors import NotExpressible
from torch_names import names_in

# Where functions are looked up, and what rows call them. The first that has an object names it.
NAMESPACES = [("F", torch.nn.functional), ("torch", torch), ("operator", operator), ("torch.linalg", torch.linalg),
              ("torch.fft", torch.fft), ("torch.special", torch.special)]
MODULES = [
    ("nniqat", ["torch.ao.nn.intrinsic.qat", "torch.nn.intrinsic.qat"]),
    ("nni", ["torch.ao.nn.intrinsic", "torch.nn.intrinsic"]),
    ("nnqat", ["torch.ao.nn.qat", "torch.nn.qat"]),
    ("nn", ["torch.nn"]),
]
TRANSFORMER_LAYERS = (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)


def function_names():
    """By id of a function: its name, "torch.relu"."""
    return names_in(NAMESPACES, lambda name, value: not isinstance(value, type) and not name.startswith("_"))


def target_of(node, names):
    """What a row calls the target of a node. names: as function_names() gives them."""
    if node.op != "call_function":
        return str(node.target)
    known = names.get(id(node.target))
    if known is not None:
        return known
    if isinstance(node.target, torch._ops.OpOverloadPacket):
        return f"torch.ops.{node.target}"
    return f"{node.target.__module__}.{node.target.__qualname__}"


def class_name(kind):
    """"nn.Conv2d", or the qualified name of a class that is not PyTorch's."""
    for prefix, candidates in MODULES:
        for candidate in candidates:
            try:
                space = importlib.import_module(candidate)
            except ImportError:
                continue
            if getattr(space, kind.__name__, None) is kind:
                return f"{prefix}.{kind.__name__}"
    return f"{kind.__module__}.{kind.__qualname__}"


def plain(value):
    """A Python value as JSON has it; nodes by their names. Raises NotExpressible for others."""
    if isinstance(value, Node):
        return {"n": value.name}
    if isinstance(value, float) and math.isnan(value):
        raise NotExpressible(f"the number {value}")
    if isinstance(value, float) and math.isinf(value):
        return {"f": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"d": {key: plain(v) for key, v in value.items()}}
    if isinstance(value, torch.dtype):
        return str(value).replace("torch.", "")
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, slice):
        return {"s": [plain(value.start), plain(value.stop), plain(value.step)]}
    if value is Ellipsis:
        return {"e": "..."}
    raise NotExpressible(f"an argument of type {type(value).__name__}")


def dtype_of(value):
    """What the row of an attribute says of integers, which its tensor has as float32."""
    is_integer = not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    return {"dtype": "int64"} if is_integer else {}


def activation_name(activation):
    """What nn.TransformerEncoderLayer was given: "relu", "gelu", or what else it is."""
    if activation in (torch.nn.functional.relu, torch.relu) or isinstance(activation, torch.nn.ReLU):
        return "relu"
    exact = getattr(activation, "approximate", "none") == "none"
    if activation is torch.nn.functional.gelu or (isinstance(activation, torch.nn.GELU) and exact):
        return "gelu"
    return getattr(activation, "__name__", None) or str(activation)


def transformer_options(layer):
    """What a layer of nn.Transformer keeps in its modules."""
    return {"d_model": layer.self_attn.embed_dim, "nhead": layer.self_attn.num_heads,
            "dim_feedforward": layer.linear1.out_features,
            "activation": activation_name(layer.activation),
            "layer_norm_eps": layer.norm1.eps, "batch_first": layer.self_attn.batch_first,
            "norm_first": layer.norm_first, "bias": layer.linear1.bias is not None}


def module_row(module):
    """The class of a module and the arguments of its constructor, as far as it has kept them."""
    kind = parametrize.type_before_parametrizations(module)
    row = {"type": class_name(kind)}
    names = list(inspect.signature(kind.__init__).parameters)
    if isinstance(module, torch.nn.RNNBase):  # whose subclasses take *args, **kwargs
        names += [*inspect.signature(torch.nn.RNNBase.__init__).parameters, "nonlinearity"]
        names.remove("mode")
    if isinstance(module, torch.nn.MultiheadAttention):  # which keeps the tensors, not the flags
        row["bias"] = module.in_proj_bias is not None
        row["add_bias_kv"] = module.bias_k is not None
        if not module._qkv_same_embed_dim:
            raise NotExpressible("kdim or vdim other than embed_dim, and the shapes of the inputs are not known")
    if isinstance(module, torch.nn.PairwiseDistance):  # which keeps p under another name
        row["p"] = module.norm
    if type(module) in TRANSFORMER_LAYERS:
        return {**row, **transformer_options(module)}
    for name in names:
        if name in ("self", "args", "kwargs", "device", "dtype") or not hasattr(module, name):
            continue
        value = getattr(module, name)
        if name == "bias":
            value = value is not None and value is not False
        if isinstance(value, float) and math.isnan(value):
            raise NotExpressible(f"{name} = {value}")
        try:
            row[name] = plain(value)
        except NotExpressible:
            continue  # a module or a tensor: rows show options
    return row
