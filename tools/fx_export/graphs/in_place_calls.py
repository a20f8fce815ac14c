# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which calls change a tensor in place."""

import inspect
import operator

import torch

from fx_export.graphs.node_kinds import IS_IN_PLACE, may_be_number, name_of_call

# Modules that change nothing in evaluation mode.
DROPOUTS = torch.nn.modules.dropout._DropoutNd
# Functions whose names end in _ because Python has keywords of these names: they change nothing.
OF_KEYWORDS = (operator.and_, operator.or_, operator.not_, operator.is_)


def without_assignment(name):
    """"__and__" of "__iand__"; None of another name."""
    plain = f"__{name[3:]}"
    return plain if name.startswith("__i") and hasattr(operator, plain) else None


def in_place_of(function):
    """operator.iadd of operator.add"""
    return getattr(operator, f"i{function.__name__.rstrip('_')}")


def changes_operand(node):
    """Whether a node is y += x of a tensor."""
    return IS_IN_PLACE in node.meta and not may_be_number(node.args[0])


def name_in_place(node, model):
    """The name of a call that changes a tensor, as the model's code has it."""
    if node.op == "call_module":
        return type(model.get_submodule(node.target)).__name__
    return in_place_of(node.target).__name__ if changes_operand(node) else name_of_call(node)


def changed_by(node, model):
    """The node whose tensor a call changes in place, or None."""
    first = node.args[0] if node.args and isinstance(node.args[0], torch.fx.Node) else None
    if node.op == "call_method":
        is_in_place = node.target == "__setitem__" or without_assignment(node.target) is not None or (
            node.target.endswith("_") and not node.target.endswith("__"))
        return first if is_in_place else None
    if node.op == "call_module":
        module = model.get_submodule(node.target)
        is_in_place = getattr(module, "inplace", False) and not isinstance(module, DROPOUTS)
        return first if is_in_place else None
    if node.op != "call_function":
        return None
    name = name_of_call(node)
    is_in_place = name.endswith("_") and not name.endswith("__") and node.target not in OF_KEYWORDS
    if node.target is operator.setitem or is_in_place or changes_operand(node):
        return first
    if "dropout" in name:
        return None
    if "inplace" in node.kwargs:
        return first if node.kwargs["inplace"] else None
    try:
        given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
    except (TypeError, ValueError):  # functions in C++ have none
        return None
    return first if given.get("inplace") is True else None


def changes_constants(graph, model):
    """Whether calls change tensors that the model's code made. (While the model was traced, its code read these tensors
    as they were before.)"""
    return any(changed is not None and changed.op == "get_attr" and
               changed.target.startswith("_tensor_constant")
               for changed in (changed_by(node, model) for node in graph.nodes))
