# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the conversions of types that PyTorch makes by itself.

Rows have no types: ids * 1.0 is ids.float() * 1.0, and mask * 2 is mask.long() * 2."""

import torch

from fx_export.graphs.node_kinds import may_be_number, name_of_call

# Functions and methods of numbers, which give floats if one of them is one.
OF_NUMBERS = ("add", "sub", "mul", "pow", "where", "iadd", "isub", "imul", "rsub", "maximum", "minimum")
# Functions and methods that give integers or bools.
OF_INTEGERS = ("eq", "ne", "lt", "le", "gt", "ge", "argmax", "argmin", "argsort", "topk", "sort", "max", "min",
               "long", "int", "bool", "to", "type_as", "isnan", "logical_not", "logical_and", "logical_or",
               "and_", "or_", "xor", "invert", "one_hot", "arange", "median", "kthvalue")
EMBEDDINGS = (torch.nn.Embedding, torch.nn.EmbeddingBag)


def has_integers(graph, model):
    """Whether a graph may compute with tensors of integers or bools, as far as its calls tell. (What is
    computed of attributes alone becomes one.)"""
    for node in graph.nodes:
        if node.op == "call_module" and isinstance(model.get_submodule(node.target), EMBEDDINGS):
            return True
        if name_of_call(node) in OF_INTEGERS and not all(map(may_be_number, node.all_input_nodes)):
            return True
    return False


def convert_operands(graph, measured, scopes):
    """Adds the conversions.

    scopes: by name of a node, the path and the class of the module that calls it; it gets those of new nodes."""
    if measured.if_known() is None:
        return
    for node in list(graph.nodes):
        name = name_of_call(node)
        if not node.op.startswith("call_") or name not in OF_NUMBERS:
            continue
        result = measured[node]
        operands = [n for n in node.all_input_nodes if isinstance(measured[n], torch.Tensor)]
        if not isinstance(result, torch.Tensor) or any(
                measured[n].is_floating_point() or measured[n].is_complex() for n in operands):
            continue
        for operand in operands:
            dtype = measured[operand].dtype
            form = ("float" if result.is_floating_point() else
                    "long" if dtype == torch.bool and result.dtype != torch.bool else None)
            if form is None or (name == "where" and operand is node.args[0]):  # a condition
                continue
            with graph.inserting_before(node):
                converted = graph.call_method(form, (operand,))
            scopes[converted.name] = scopes.get(node.name, ("", None))
            node.replace_input_with(operand, converted)
