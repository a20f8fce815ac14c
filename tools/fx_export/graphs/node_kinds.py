# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a node of a graph is, as far as the node and those that it reads tell."""

import functools

import torch

# Keys of node.meta. The first marks nodes that only attributes decide, and that are exported as attributes.
IS_PARAMETER = "is_parameter"
# Marks y = y + x that is y += x in the model's code.
IS_IN_PLACE = "is_in_place"
# Functions that make tensors which models write into; torch.empty is traced as torch.zeros.
FACTORIES = ("zeros", "ones", "full")
# Tried second: what they give is more often an index, which must be a value and no node.
MORE_FACTORIES = ("arange", "linspace", "eye", "tensor")


def name_of_call(node):
    """The name of the function or of the method that a node calls."""
    return node.target if node.op == "call_method" else getattr(node.target, "__name__", "")


def remembered(question):
    """Makes a question about a node keep its answer in the node. rewrite() asks in the order of the nodes, so that no
    answer goes back through a whole graph."""
    @functools.wraps(question)
    def answer(node):
        if question.__name__ not in node.meta:
            node.meta[question.__name__] = question(node)
        return node.meta[question.__name__]
    return answer


@remembered
def may_be_number(node):
    """Whether a node may give something else than a tensor: a size, a type."""
    if node.op == "call_method":
        return node.target in ("size", "dim", "ndimension", "numel", "nelement", "stride") or (
            node.target == "type" and len(node.args) == 1)
    if node.target is getattr:
        return node.args[1] not in ("T", "mT", "mH", "real", "imag", "data")
    return (node.op == "call_function" and getattr(node.target, "__module__", "") == "_operator" and
            bool(node.all_input_nodes) and all(map(may_be_number, node.all_input_nodes)))


@remembered
def is_constant(node):
    """Whether attributes of the model alone decide what a node gives."""
    if not node.op.startswith("call_"):
        return node.op == "get_attr"
    is_made = node.target in [getattr(torch, name) for name in FACTORIES + MORE_FACTORIES]
    return (bool(node.all_input_nodes) or is_made) and all(map(is_constant, node.all_input_nodes))
