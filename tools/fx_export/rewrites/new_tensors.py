# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives calls that change a tensor in place a tensor of their own.

In rows a call changes nothing that others read: after y.exp_(), the nodes that read y read what y.exp() gives."""

import operator

import torch
from torch.fx.node import map_arg

from fx_export.decompositions import DECOMPOSITIONS
from fx_export.errors import NotExpressible
from fx_export.graphs.in_place_calls import changed_by, name_in_place
from fx_export.graphs.node_kinds import name_of_call
from fx_export.graphs.shared_memory import is_same, shares

# In-place methods that PyTorch's backends have in patterns, and ctq as they are.
KEPT_IN_PLACE = ("add_", "mul_", "relu_", "sigmoid_", "tanh_", "hardsigmoid_", "squeeze_", "unsqueeze_",
                 "resize_", "detach_")
# Those that change the shape of one tensor, and no element.
OF_SHAPE = ("squeeze_", "unsqueeze_", "resize_", "detach_", "t_", "transpose_", "requires_grad_")


def write_new_tensors(graph, model, measured):
    """After a call that changes a tensor in place, others read what it gives."""
    calls = {node: changed for node in graph.nodes if (changed := changed_by(node, model)) is not None}
    place = {node: i for i, node in enumerate(graph.nodes)}
    if all(is_new(changed, model) and len(changed.users) == 1 for changed in calls.values()):
        return rename_calls(calls)
    values = measured.if_known()
    versions = Versions(graph, values)
    for node in list(graph.nodes):
        node.args, node.kwargs = (map_arg(a, versions.last) for a in (node.args, node.kwargs))
        if node not in calls:
            continue
        changed = calls[node]
        if values is not None and values[node] is None:  # an assignment gives nothing
            values[node] = values[changed]
        latest = versions.last(changed)
        for other in [n for n in place if place[n] < place[node] and n not in versions.next]:
            if other is latest or is_same(values, other, changed):
                versions.next[other] = node
                continue
            if not shares(values, other, changed) or node.target in OF_SHAPE:
                continue
            readers = sorted((u for n in place if versions.last(n) is other for u in n.users
                              if place[u] > place[node] and not is_other_item(values, other, u, changed, versions)),
                             key=place.get)
            if not readers or is_overwritten(other, changed, readers):
                continue
            if changed.target is not operator.getitem or not is_same(values, changed.args[0], other):
                raise NotExpressible(
                    f"node {node.name} calls {name_in_place(node, model)}, which changes elements of {changed.name} "
                    f"in place that {readers[0].name} reads as {other.name}; write a call that returns a new tensor, "
                    "or assign to items of the tensor, x[...] = y")
            with graph.inserting_after(node):
                whole = graph.call_function(operator.setitem, (other, changed.args[1], node))
            values[whole], place[whole] = values[other], place[node] + 0.5
            versions.next[other] = whole
    rename_calls(calls)


class Versions:
    """Which node has the elements of a tensor after calls that changed it."""

    def __init__(self, graph, values):
        self.next = {}  # by node: the node that has its elements after a change
        first = {}  # of nodes that read one attribute, or one item of a tuple
        for node in graph.nodes:
            key = None
            if node.op == "get_attr":
                key = node.target
            elif node.target is operator.getitem and values is not None and isinstance(
                    values[node.args[0]], (tuple, list)) and isinstance(node.args[1], int):
                key = node.args
            if key is not None and first.setdefault(key, node) is not node:
                self.next[node] = first[key]

    def last(self, node):
        """The node that has the elements of a node after all changes."""
        while node in self.next:
            node = self.next[node]
        return node


def is_new(node, model):
    """Whether a node gives a tensor of its own, as far as its kind tells."""
    if node.op == "call_module":
        kind = type(model.get_submodule(node.target))
        return kind.__module__.startswith(("torch.nn.modules.conv", "torch.nn.modules.batchnorm")) or (
            kind in (torch.nn.Linear, torch.nn.LayerNorm, torch.nn.GroupNorm))
    return node.target in (operator.add, operator.sub, operator.mul, operator.truediv, torch.cat)


def is_overwritten(base, view, readers):
    """Whether a view, an item of a tensor, is assigned to the tensor before anything reads that: so torch.fx traces
    x[:, 0] += y.

    readers: nodes that read the tensor after the change, in their order."""
    if view.target is not operator.getitem or view.args[0] is not base:
        return False
    first = readers[0]
    return (first.target in (operator.setitem, "__setitem__") and first.args[0] is base and
            first.args[1] == view.args[1])


def is_other_item(values, whole, reader, changed, versions):
    """Whether a node reads an item of a tuple that a change leaves alone, or that has been read before."""
    if not isinstance(values[whole], (tuple, list)) or reader.target is not operator.getitem:
        return False
    return reader in versions.next or not shares(values, reader, changed)


def rename_calls(calls):
    """x.exp_() as x.exp(), and torch.exp_(x) as torch.exp(x), but for methods that backends have in patterns."""
    for node in calls:
        name = name_of_call(node)
        if node.op == "call_module" or not name.endswith("_") or name.endswith("__") or name in KEPT_IN_PLACE:
            continue
        plain = name[:-1]
        if node.op == "call_function":
            node.target = next((getattr(space, plain) for space in (torch, torch.nn.functional)
                                if hasattr(space, plain)), node.target)
        elif plain in DECOMPOSITIONS or hasattr(torch.Tensor, plain):
            node.target = plain
        else:
            raise NotExpressible(f"node {node.name} calls {node.target}, which has no form without a "
                                 "change in place")
