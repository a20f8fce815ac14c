# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of a graph: what attributes of the model alone decide, and which of it becomes an attribute."""

import operator

import torch
import torch.nn.functional as F
from torch.fx import Node

from fx_export.errors import NotExpressible
from fx_export.graphs.evaluation import compute, compute_apart
from fx_export.graphs.modules import has_attribute
from fx_export.graphs.node_kinds import FACTORIES, IS_PARAMETER, MORE_FACTORIES, name_of_call
from fx_export.rows.row_format import dtype_of

# By function: its arguments after the input, up to the last that is a parameter.
PARAMETERS = {
    **dict.fromkeys((F.linear, F.conv1d, F.conv2d, F.conv3d, F.conv_transpose1d, F.conv_transpose2d,
                     F.conv_transpose3d), ("weight", "bias")),
    **dict.fromkeys((F.batch_norm, F.instance_norm), ("running_mean", "running_var", "weight", "bias")),
    F.layer_norm: ("normalized_shape", "weight", "bias"),
    F.group_norm: ("num_groups", "weight", "bias"),
    F.prelu: ("weight",),
}


# Functions of matrices, which ctq has no ops for.
OF_MATRICES = ("cholesky", "det", "eigh", "inv", "inverse", "logdet", "matrix_exp", "pinv", "pinverse", "qr", "slogdet",
               "svd")


def constants_of(graph, model):
    """The values of the nodes that only attributes decide, and the set of those that become attributes: what
    is computed of integers, such as positions that an embedding reads, and of masks; and weights."""
    values, folded, known = {}, set(), {}  # known: numbers, too
    factories = [getattr(torch, name) for name in FACTORIES + MORE_FACTORIES]
    for node in graph.nodes:
        if node.op == "get_attr":
            value = compute(model, "get_attr", node.target, (), {})
        elif (not node.op.startswith("call_") or
              not (node.all_input_nodes or node.target in factories) or
              not all(n in known for n in node.all_input_nodes)):
            continue
        else:
            value = compute_apart(model, node, known.get)
        known[node] = value
        if not isinstance(value, torch.Tensor):
            continue
        values[node] = value
        if node.op != "get_attr" and (
                not node.all_input_nodes or not all(values[n].is_floating_point() and n not in folded
                        for n in node.all_input_nodes if n in values) or not value.is_floating_point() or
                is_parameter(node) or is_of_matrix(node)):
            folded.add(node)
    return values, folded


def is_parameter(node):
    """Whether a constant becomes an attribute: functions read it as their weight, bias, mean or variance, or
    a decomposition says so."""
    if node.meta.get(IS_PARAMETER) or node.target is F.interpolate:  # such as resampled positions
        return True
    for user in node.users:
        names = PARAMETERS.get(user.target, ()) if user.op == "call_function" else ()
        if node in (*user.args[1:][:len(names)], *map(user.kwargs.get, names)):
            return True
    return False


def is_of_matrix(node):
    """Whether a function of OF_MATRICES computes a constant, or the tuple that it is an item of."""
    if node.target is operator.getitem:
        node = node.args[0]
    return node.op.startswith("call_") and name_of_call(node).removeprefix("linalg_") in OF_MATRICES


def check_indices(graph, values):
    """Rows have no form for x[mask] of a constant mask: its attribute would be read as indices.

    values: of the constants, by node."""
    for node in graph.nodes:
        if node.target is not operator.getitem:
            continue
        index = node.args[1]
        for item in index if isinstance(index, (tuple, list)) else (index,):
            if isinstance(item, Node) and item in values and (
                    values[item].dtype in (torch.bool, torch.uint8)):
                raise NotExpressible(f"node {node.name} has {item.name}, a mask, as an index; write "
                                     "mask.nonzero().squeeze(1), its indices")


class FoldedConstants:
    """The constants of a graph that become attributes, and the paths that they get.

    scopes: by name of a node, the path and the class of the module that calls it."""

    def __init__(self, graph, model, scopes):
        self.model = model
        self.scopes = scopes
        self.values, self.folded = constants_of(graph, model)  # by node; nodes
        self.nodes = {}  # by path of an attribute: the node that it replaces

    def row(self, node):
        """A constant as an attribute beside those of the module that computes it."""
        scope = (node.target.rpartition(".")[0] if node.op == "call_module"
                 else self.scopes.get(node.name, ("", None))[0])
        path = f"{scope}.{node.name}" if scope else node.name
        while path in self.nodes or path in self.model.state_dict() or has_attribute(self.model, path):
            path += "_"
        self.nodes[path] = node
        value = self.values[node]
        return {"name": node.name, "op": "get_attr", "target": path, "args": [],
                "shape": list(value.shape), "scope": scope, **dtype_of(value)}
