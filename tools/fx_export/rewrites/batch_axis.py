# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds the axis of batches to layers that are called without it, nn.Conv2d of [C, H, W].

ctq's layers have that axis. add_batches() puts torch.unsqueeze before a call and torch.squeeze after it, which
backends quantize with the qparams of their input, or x[None] and y[0] if backends do not list the layer. torch.squeeze
moves behind a ReLU, which is fused into the layer, and is left out before the next such layer.
"""

import operator

import torch
import torch.nn.functional as F
from torch import nn

# Layers and functions that backends list, and others; {}: the number of axes.
LISTED = ("Conv{}d", "ConvTranspose{}d", "MaxPool{}d", "AvgPool{}d", "AdaptiveAvgPool{}d", "InstanceNorm{}d")
LISTED_FUNCTIONS = ("conv{}d", "conv_transpose{}d", "max_pool{}d", "avg_pool{}d", "adaptive_avg_pool{}d")
UNLISTED = ("AdaptiveMaxPool{}d",)
UNLISTED_FUNCTIONS = ("adaptive_max_pool{}d",)
RELUS = (F.relu, torch.relu, "relu")


def with_axes(names, *spaces):
    """By class or function: the axes after those of batches and channels."""
    return {getattr(space, name.format(axes)): axes for name in names for axes in (1, 2, 3) for space in spaces
            if hasattr(space, name.format(axes))}


AXES = {**with_axes(LISTED + UNLISTED, nn), **with_axes(LISTED_FUNCTIONS + UNLISTED_FUNCTIONS, F, torch),
        nn.PixelShuffle: 2, nn.PixelUnshuffle: 2, F.pixel_shuffle: 2, F.pixel_unshuffle: 2}
IN_FLOAT = {**with_axes(UNLISTED, nn), **with_axes(UNLISTED_FUNCTIONS, F, torch)}


def add_batches(graph, model, measured, scopes):
    """scopes: by name of a node, the path and the class of the module that calls it; it gets those of new nodes."""
    if measured.if_known() is None:
        return
    calls = [node for node in graph.nodes if lacks_batches(node, model, measured)]
    before, after = {}, {}  # calls that add the axis, and that remove it: what they read
    for node in calls:
        is_listed = called(node, model) not in IN_FLOAT
        x = input_of(node)
        with graph.inserting_before(node):
            added = (graph.call_function(torch.unsqueeze, (x, 0)) if is_listed
                     else graph.call_function(operator.getitem, (x, (None,))))
        node.replace_input_with(x, added)
        last = node
        while len(last.users) == 1 and is_relu(user := next(iter(last.users)), model):
            last = user
        with graph.inserting_after(last):
            removed = (graph.call_function(torch.squeeze, (last, 0)) if is_listed
                       else graph.call_function(operator.getitem, (last, (0,))))
        last.replace_all_uses_with(removed, lambda user, removed=removed: user is not removed)
        for new in added, removed:
            scopes[new.name] = scopes.get(node.name, ("", None))
        before[added], after[removed] = x, last
    for added, x in before.items():
        if x in after:  # the layer reads what another one gives
            added.replace_all_uses_with(after[x])
    for node in (*before, *reversed(after)):
        if not node.users:
            graph.erase_node(node)


def called(node, model):
    """The class of the module, or the function or method, that a node calls."""
    return type(model.get_submodule(node.target)) if node.op == "call_module" else node.target


def lacks_batches(node, model, measured):
    """Whether a node calls a layer without an axis of batches."""
    axes = AXES.get(called(node, model)) if node.op.startswith("call_") else None
    if axes is None or not isinstance(input_of(node), torch.fx.Node):
        return False
    x = measured[input_of(node)]
    return isinstance(x, torch.Tensor) and x.dim() == axes + 1 and isinstance(measured[node], torch.Tensor)


def input_of(node):
    return node.args[0] if node.args else node.kwargs.get("input")


def is_relu(node, model):
    return node.op.startswith("call_") and (called(node, model) is nn.ReLU or node.target in RELUS)
