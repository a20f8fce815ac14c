# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces tuples by their items: rows have items of nodes alone."""

import operator

import torch
from torch.fx.node import map_arg


def select_items(graph, measured):
    """Writes the items of tuples that the model returns, and those of slices of tuples, as items of the node that
    gives the tuple."""
    values = measured.if_known()
    if values is None:
        return
    output = next(node for node in reversed(graph.nodes) if node.op == "output")

    def is_tuple(node):
        return isinstance(node, torch.fx.Node) and isinstance(measured[node], (tuple, list))

    def item(node, index):
        """An item of a tuple, of the tuple itself if that is a slice."""
        while node.target is operator.getitem and isinstance(node.args[1], slice) and is_tuple(node.args[0]):
            node, index = node.args[0], range(len(measured[node.args[0]]))[node.args[1]][index]
        return node, index

    def tensors_of(node):
        if not is_tuple(node):
            return node
        with graph.inserting_before(output):
            return tuple(tensors_of(graph.call_function(operator.getitem, item(node, k)))
                         for k in range(len(measured[node])))

    for node in graph.nodes:
        if node.target is operator.getitem and isinstance(node.args[1], int) and is_tuple(node.args[0]):
            node.args = item(*node.args)
    output.args = map_arg(output.args, tensors_of)


def replace_tuple(graph, measured, node, items):
    """Replaces a tuple by nodes of its items, in x.median(1)[0], x.median(1).values, and where it is read whole."""
    def item_of(user):
        if user.target is getattr:
            whole = measured[node]
            return next(item for item, value in zip(items, whole)
                        if value is getattr(whole, user.args[1]))
        return items[user.args[1]]
    for user in list(node.users):
        if user.target in (operator.getitem, getattr) and user.args[0] is node:
            item = item_of(user)
            for reader in list(user.users):
                reader.args, reader.kwargs = (map_arg(a, lambda n: item if n is user else n)
                                              for a in (reader.args, reader.kwargs))
            graph.erase_node(user)
        else:
            user.args = map_arg(user.args, lambda n: tuple(items) if n is node else n)
    graph.erase_node(node)


def replace_named_tuples(graph, measured):
    """Replaces the named tuples that the model makes by their fields."""
    for node in list(graph.nodes):
        if isinstance(node.target, type) and issubclass(node.target, tuple):
            fields = dict(zip(node.target._fields, node.args)) | node.kwargs
            replace_tuple(graph, measured, node, list(fields.values()))
