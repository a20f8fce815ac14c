# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What nodes and graphs give, computed with PyTorch."""

import torch
from torch.fx.node import map_arg

from fx_export.graphs.in_place_calls import changed_by, changes_operand, in_place_of
from fx_export.graphs.modules import attribute_of, without_fast_paths


def compute(model, kind, target, args, kwargs, changed_modules=()):
    """What a node gives; it is no placeholder.

    kind, target, args, kwargs: of the node, with values in the place of nodes. changed_modules: by path, those that are
    called in the place of the model's."""
    if kind == "get_attr":
        value = attribute_of(model, target)
        return value.detach().clone() if isinstance(value, torch.Tensor) else value
    if kind == "call_module":
        module = changed_modules[target] if target in changed_modules else model.get_submodule(target)
        with without_fast_paths(module):
            return module(*args, **kwargs)
    called = target if kind == "call_function" else getattr(type(args[0]), target)
    return called(*args, **kwargs)


def compute_apart(model, node, value_of, changed_modules=()):
    """What a node gives, read as a row: a call changes no tensor that other nodes read."""
    args, kwargs = (map_arg(a, value_of) for a in (node.args, node.kwargs))
    if changed_by(node, model) is not None and isinstance(args[0], torch.Tensor):
        args = (args[0].clone(), *args[1:])
    with torch.no_grad():
        return compute(model, node.op, node.target, args, kwargs, changed_modules)


def outputs_of(graph, model, inputs, changed_modules=()):
    """What a graph gives, read as rows."""
    values, inputs = {}, iter(inputs)
    last_reader = {n: node for node in graph.nodes for n in node.all_input_nodes}
    for node in graph.nodes:
        if node.op == "output":
            return map_arg(node.args[0], values.__getitem__)
        values[node] = (next(inputs) if node.op == "placeholder" else
                        compute_apart(model, node, values.__getitem__, changed_modules))
        for n in node.all_input_nodes:
            if last_reader[n] is node:
                del values[n]
    return None


def values_of(graph, model, inputs):
    """The values of all nodes. Calls do change tensors in place, so that values share elements as those of
    the model do; each has the shape that its tensor had at first."""
    values, seen, attributes, inputs = {}, {}, {}, iter(inputs)
    with torch.no_grad():
        for node in graph.nodes:
            args, kwargs = (map_arg(a, values.__getitem__) for a in (node.args, node.kwargs))
            if node.op == "placeholder":
                value = next(inputs)
            elif node.op == "output":
                continue
            elif node.op == "get_attr" and node.target in attributes:
                value = attributes[node.target]
            else:
                target = in_place_of(node.target) if changes_operand(node) else node.target
                value = compute(model, node.op, target, args, kwargs)
                if node.op == "get_attr":
                    attributes[node.target] = value
            values[node] = value
            seen[node] = value.detach() if isinstance(value, torch.Tensor) else value
    return seen
