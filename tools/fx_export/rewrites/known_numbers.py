# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes numbers that are known in the place of nodes that compute them, and bools as numbers."""

import operator

import torch
from torch.fx.node import map_arg

from fx_export.graphs.node_kinds import is_constant, may_be_number


def fold_numbers(graph, measured):
    """Writes x.size(-1) ** -0.5, math.ceil(x.size(0) / 2), x.numel() and self.scale.item() as numbers; sizes stay
    calls."""
    for node in list(graph.nodes):
        is_of_math = node.op == "call_function" and getattr(node.target, "__module__", "") == "math"
        is_item = node.target == "item" and is_constant(node)
        if not (is_of_math or is_item or may_be_number(node)) or measured.if_known() is None:
            continue
        is_count = node.target in ("numel", "nelement", "dim", "ndimension")
        if not is_of_math and not is_item and not is_count and not isinstance(measured[node], float):
            continue
        for user in list(node.users):
            user.args, user.kwargs = (map_arg(a, lambda n: measured[n] if n is node else n)
                                      for a in (user.args, user.kwargs))
        graph.erase_node(node)


def write_true_as_number(graph, measured):
    """Writes True * x as 1 * x; what masks and booleans give is left alone."""
    values = measured.if_known()
    for node in graph.nodes:
        if node.target not in (operator.add, operator.sub, operator.mul, operator.truediv) or values is None:
            continue
        if not any(measured[n].dtype == torch.bool for n in node.all_input_nodes
                   if isinstance(measured[n], torch.Tensor)):
            node.args = tuple(int(a) if isinstance(a, bool) else a for a in node.args)
