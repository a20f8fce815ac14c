# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a graph with the ops that ctq has: all rewrites, in their order."""

import operator

import torch

from fx_export.graphs.measured import Measured
from fx_export.graphs.node_kinds import is_constant, may_be_number
from fx_export.rewrites.batch_axis import add_batches
from fx_export.rewrites.builder import Builder
from fx_export.rewrites.call_forms import call_operator, drop_defaults, place_arguments
from fx_export.rewrites.known_numbers import fold_numbers, write_true_as_number
from fx_export.rewrites.masked_scores import mask_views
from fx_export.rewrites.new_tensors import write_new_tensors
from fx_export.rewrites.tuple_items import replace_named_tuples, select_items
from fx_export.rewrites.type_conversions import convert_operands, has_integers


def rewrite(graph, model, inputs, scopes):
    """Changes a graph. Returns the modules that are exported in the place of others, by path, and the Measured of the
    graph.

    inputs: examples of inputs, as Measured takes them. scopes: by name of a node, the path and the class of the module
    that calls it; it gets those of new nodes."""
    for node in graph.nodes:
        drop_defaults(node)
        if node.op in ("call_function", "call_method"):
            place_arguments(node)
        if node.target is torch._assert:
            graph.erase_node(node)
        elif node.target is getattr and node.args[1] in ("values", "indices"):  # x.max(1).values
            node.target, node.args = operator.getitem, (node.args[0], int(node.args[1] == "indices"))
    read = [node for node in graph.nodes if node.users and node.op != "placeholder"]
    measured = Measured(graph, model, inputs)
    write_new_tensors(graph, model, measured)
    for node in graph.nodes:
        if node.op == "call_method" and node.target.startswith("__") and node.target != "__setitem__":
            call_operator(node)
        may_be_number(node), is_constant(node)
    write_true_as_number(graph, measured)
    fold_numbers(graph, measured)
    builder = Builder(graph, model, measured, scopes)
    for node in list(graph.nodes):
        builder.replace(node)
    mask_views(graph, model, measured, builder)
    replace_named_tuples(graph, measured)
    select_items(graph, measured)
    add_batches(graph, model, measured, scopes)
    if has_integers(graph, model) or any(
            not x.is_floating_point() for inputs in measured.inputs[:1] for x in inputs()):
        convert_operands(graph, measured, scopes)
    read = set(read)
    for node in reversed(graph.nodes):  # such as x.device, in code of no effect
        if not node.users and (node in read or node.op in ("call_function", "call_method")):
            graph.erase_node(node)
    return builder.changed_modules, measured
