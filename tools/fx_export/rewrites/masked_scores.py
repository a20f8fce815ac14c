# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves views and dropout of masked scores before the mask, and drops a lower bound of them that bounds nothing."""

import math

import torch

from fx_export.decompositions.sums import call_before_views, excluding_number, number_in
from fx_export.graphs.node_kinds import is_constant, name_of_call

VIEWS = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "transpose", "permute")


def is_view(node):
    return name_of_call(node) in VIEWS


def is_dropout(node, model):
    is_module = node.op == "call_module" and isinstance(model.get_submodule(node.target), torch.nn.Dropout)
    return is_module or name_of_call(node) == "dropout"


def mask_views(graph, model, measured, builder):
    """Writes views and dropout of masked scores, w.masked_fill(mask, -inf).view(...) or (w + mask).view(...), as
    masked views of the scores: in the order of the model's code the view would be quantized, and its observer refuses
    what is excluded.

    builder: of the decompositions."""
    if measured.if_known() is None:
        return
    drop_lowest_bounds(graph, builder)
    for node in list(graph.nodes):
        if not (is_view(node) or is_dropout(node, model)) or not node.args or (
                number_of_excluded(node.args[0], builder) is None):
            continue
        masked = node.args[0]
        before = set(graph.nodes)
        with graph.inserting_before(node):
            written = masked_view(graph, measured, builder, node, masked)
        for new in set(graph.nodes) - before:
            builder.scopes[new.name] = builder.scopes.get(node.name, ("", None))
        node.replace_all_uses_with(written)
        graph.erase_node(node)
        graph.erase_node(masked)


def drop_lowest_bounds(graph, builder):
    """Replaces torch.max(masked, lowest) by the masked scores: of finite numbers none is lower."""
    for node in list(graph.nodes):
        if node.target is torch.maximum and is_lowest(node.args[1], builder):
            number = number_of_excluded(node.args[0], builder)
            if number is not None and not math.isinf(number):
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)


def is_lowest(node, builder):
    """Whether a constant tensor has only the lowest number of float32."""
    value = builder.constant(builder.proxy(node))
    return isinstance(value, torch.Tensor) and bool((value <= torch.finfo(torch.float32).min).all())


def number_of_excluded(x, builder):
    """The number that masked scores, read once, have where they are excluded; None if x is something else."""
    if not isinstance(x, torch.fx.Node) or len(x.users) != 1 or len(x.args) < 2 or x.kwargs or not (
            all(isinstance(a, torch.fx.Node) for a in x.args[:2])) or is_constant(x.args[0]):
        return None
    if name_of_call(x) == "masked_fill":
        return number_in(x)
    return excluding_number(builder.proxy(x.args[1])) if name_of_call(x) == "add" else None


def masked_view(graph, measured, builder, node, masked):
    """What `node`, a view or dropout of `masked`, gives, as the view of the scores with a view of the mask."""
    scores, mask, *number = masked.args

    def again(call, x):
        return graph.create_node(call.op, call.target, (x, *call.args[1:]), dict(call.kwargs))

    def expanded(x, of, to):
        """A tensor of the shape of `of` that stands for `x`, expanded to the shape of `to`."""
        size = measured[to].shape
        return x if measured[of].shape == size else graph.call_method("expand", (x, *size))

    def seen(x, views, size_of_x):
        """`x` through these views of the mask, the last of them first, and then through that of the scores."""
        for view in reversed(views):
            x = again(view, x)
        return again(node, expanded(x, size_of_x, masked))

    if not is_view(node):
        masks = mask
    elif number:
        masks = seen(mask, [], mask)
    else:  # views of numbers that exclude would be quantized, too; those of what they are computed from are taken
        views, root, last = [], call_before_views(builder.proxy(mask), ("mul", "masked_fill")), mask
        while last is not root:
            views.append(last)
            last = last.args[0]
        masks = graph.create_node(root.op, root.target, tuple(
            seen(expanded(x, x, root), views, mask) if isinstance(x, torch.fx.Node) else x for x in root.args),
            dict(root.kwargs))
    return graph.create_node(masked.op, masked.target, (again(node, scores), masks, *number), {})
