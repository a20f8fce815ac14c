# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchvision's attention within windows, a function that torch.fx does not trace into, as a module."""

import inspect

from fx_export.rows.row_format import plain

WINDOW_ATTENTION = "torchvision.models.swin_transformer.shifted_window_attention"


def window_attention(node):
    """What a call of that function reads: the path of the module with its weights, its arguments, and the nodes of the
    weights. None for another node."""
    if node.op != "call_function" or (
            f"{node.target.__module__}.{node.target.__qualname__}" != WINDOW_ATTENTION):
        return None
    given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
    path = str(given["qkv_weight"].target).removesuffix(".qkv.weight")
    names = {"qkv_weight": "qkv.weight", "proj_weight": "proj.weight", "qkv_bias": "qkv.bias",
             "proj_bias": "proj.bias", "logit_scale": "logit_scale"}
    weights = [(given[name], f"{path}.{own}") for name, own in names.items()
               if given.get(name) is not None]
    if any(read.op != "get_attr" or read.target != own for read, own in weights):
        return None
    return path, given, [read for read, _ in weights]


def window_row(node, path, given):
    """The row of the module. path, given: as window_attention() returns them."""
    return {"name": node.name, "op": "call_module", "target": path,
            "args": [plain(given["input"]), plain(given["relative_position_bias"])],
            "module": {"type": WINDOW_ATTENTION.rpartition(".")[0] + ".ShiftedWindowAttention",
                       **{name: plain(given[name]) for name in
                          ("num_heads", "window_size", "shift_size")},
                       "qkv_bias": given.get("qkv_bias") is not None,
                       "proj_bias": given.get("proj_bias") is not None,
                       "cosine": given.get("logit_scale") is not None},
            "scope": path.rpartition(".")[0]}
