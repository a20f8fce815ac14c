# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of masked scores."""

import torch

from fx_export.decompositions.sums import call_before_views, holds_excluded, number_in
from fx_export.graphs.node_kinds import is_constant

VIEWS = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "transpose", "permute")
DROPOUTS = (torch.nn.Dropout, torch.nn.functional.dropout)


def is_call_of(node, names):
    """Whether a node calls one of these methods, or the function of torch with its name."""
    if node.op == "call_method":
        return node.target in names
    return node.op == "call_function" and node.target in [getattr(torch, name, None) for name in names]


def is_dropout(node, model):
    called = model.get_submodule(node.target) if node.op == "call_module" else node.target
    return type(called) in DROPOUTS or called in DROPOUTS


def mask_views(graph, model, measured, builder):
    """Writes views and dropout of masked scores, w.masked_fill(mask, -inf).view(...) or (w + mask).view(...), as
    masked views of the scores: in the order of the model's code the view would be quantized, and its observer refuses
    what is excluded.

    builder: of the decompositions."""
    if measured.if_known() is None:
        return

    def is_masked(x):
        if not isinstance(x, torch.fx.Node) or len(x.users) != 1 or len(x.args) < 2 or x.kwargs or not (
                all(isinstance(a, torch.fx.Node) for a in x.args[:2])) or is_constant(x.args[0]):
            return False
        if is_call_of(x, ("masked_fill",)):
            return number_in(x) is not None
        return is_call_of(x, ("add",)) and holds_excluded(builder.proxy(x.args[1]))

    for node in list(graph.nodes):
        if not (is_call_of(node, VIEWS) or is_dropout(node, model)) or not node.args or not is_masked(node.args[0]):
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
        """A view of a mask: first `views`, the last of them first, then that of the scores."""
        for view in reversed(views):
            x = again(view, x)
        return again(node, expanded(x, size_of_x, masked))

    if not is_call_of(node, VIEWS):
        masks = mask
    elif number:
        masks = seen(mask, [], mask)
    else:  # views of what excludes would be quantized, too, so they are those of what it is computed from
        views, root, last = [], call_before_views(builder.proxy(mask), ("mul", "masked_fill")), mask
        while last is not root:
            views.append(last)
            last = last.args[0]
        masks = graph.create_node(root.op, root.target, tuple(
            seen(expanded(x, x, root), views, mask) if isinstance(x, torch.fx.Node) else x for x in root.args),
            dict(root.kwargs))
    return graph.create_node(masked.op, masked.target, (again(node, scores), masks, *number), {})
