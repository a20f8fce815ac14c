# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes calls in the one form that rows have of several that PyTorch takes."""

import operator

import torch

from fx_export.errors import NotExpressible
from fx_export.graphs.in_place_calls import without_assignment
from fx_export.graphs.node_kinds import name_of_call

# Parameters that are given by position in rows.
BY_POSITION = {"pow": ("exponent",), "swapaxes": ("axis0", "axis1"), "swapdims": ("dim0", "dim1")} | {
    split: ("indices_or_sections",) for split in ("tensor_split", "hsplit", "vsplit", "dsplit")}


def drop_defaults(node):
    """Drops out=None, rounding_mode=None and memory formats."""
    unset = ("out", "rounding_mode", *(("dtype",) if node.target is torch.norm else ()))
    node.kwargs = {key: value for key, value in node.kwargs.items()
                   if not isinstance(value, torch.memory_format) and (value is not None or key not in unset)}
    node.args = tuple(a for a in node.args if not isinstance(a, torch.memory_format))
    if isinstance(node.kwargs.get("out"), torch.fx.Node):
        raise NotExpressible(f"node {node.name} has out={node.kwargs['out'].name}, a tensor that it changes; read what "
                             "it returns")


def place_arguments(node):
    """Gives arguments by position, and the correction of a deviation by its older name."""
    name = name_of_call(node)
    kwargs = dict(node.kwargs)
    if name in ("std", "var", "std_mean", "var_mean") and kwargs.get("correction") in (0, 1):
        kwargs["unbiased"] = kwargs.pop("correction") == 1
    if name.endswith("split"):
        kwargs = {"indices_or_sections" if key in ("indices", "sections") else key: value
                  for key, value in kwargs.items()}
    for parameter in BY_POSITION.get(name, ()):
        if parameter in kwargs:
            node.args = (*node.args, kwargs.pop(parameter))
    node.kwargs = kwargs


def call_operator(node):
    """x.__or__(y), which torch.fx records if x is a constant, is x | y; x.__rsub__(y) is y - x, and
    x.__iand__(y) is x & y, once write_new_tensors() has given it a tensor of its own."""
    name, args = without_assignment(node.target) or node.target, node.args
    if not hasattr(operator, name) and name.startswith("__r"):
        name, args = f"__{name[3:]}", args[::-1]
    if hasattr(operator, name):
        node.op, node.target, node.args = "call_function", getattr(operator, name), args
