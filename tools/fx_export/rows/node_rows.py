# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The row of one node."""

import operator

import torch

from fx_export.errors import NotExpressible
from fx_export.graphs.modules import attribute_of
from fx_export.rows.row_format import class_name, dtype_of, function_names, module_row, plain, target_of


class NodeRows:
    """Makes the rows of the nodes of a graph.

    model: whose attributes and modules the graph names. changed_modules: those in the place of others, by path.
    shape_of: by node of an input, its shape. scopes: by name of a node, the path and the class of the module that
    calls it. types: an IntegerTypes."""

    def __init__(self, model, changed_modules, shape_of, scopes, types):
        self.model = model
        self.changed_modules = changed_modules
        self.shape_of = shape_of
        self.scopes = scopes
        self.types = types
        self.names = function_names()

    def row(self, node):
        row = self.call(node)
        if node.op == "placeholder":
            if node in self.shape_of:
                row["shape"] = list(self.shape_of[node])
        elif node.op == "get_attr":
            value = attribute_of(self.model, node.target)
            if isinstance(value, torch.Tensor):
                row["shape"] = list(value.shape)
                row |= dtype_of(value)
            row["scope"] = node.target.rpartition(".")[0]
        elif node.op == "call_module":
            row["module"] = self.module(node)
            row["scope"] = node.target.rpartition(".")[0]
        elif node.op != "output":
            scope, kind = self.scopes.get(node.name, ("", None))[:2]
            row["scope"] = scope
            if scope and kind is not None:
                row["scope_type"] = class_name(kind)
        return row

    def call(self, node):
        """What is called, and its arguments."""
        try:
            row = {"name": node.name, "op": node.op, "target": target_of(node, self.names),
                   "args": [plain(a) for a in node.args]}
            if node.op == "placeholder":
                row["args"] = []  # a default value is not an input
            if self.types.gives_integers(node):
                row["dtype"] = "int64"
            if node.target is operator.getitem and isinstance(node.args[1], list):
                row["args"][1] = [row["args"][1]]  # x[[2, 0]] is not x[2, 0]
            if node.kwargs:
                row["kwargs"] = {key: plain(value) for key, value in node.kwargs.items()}
        except NotExpressible as e:
            raise NotExpressible(f"node {node.name} has {e}") from e
        return row

    def module(self, node):
        module = self.changed_modules.get(node.target) or self.model.get_submodule(node.target)
        try:
            return module_row(module)
        except NotExpressible as e:
            raise NotExpressible(f"node {node.name}, a {type(module).__name__}, has {e}") from e
