# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports a model as rows and weights."""

import copy

import torch
from torch.fx import Node

from fx_export.custom_config import CustomConfig
from fx_export.errors import NotExpressible
from fx_export.graphs.modules import copy_of, run
from fx_export.inputs.example_inputs import ExampleInputs
from fx_export.rewrites.rewrite import rewrite
from fx_export.rows.attention_masks import AttentionMasks
from fx_export.rows.constants import FoldedConstants, check_indices
from fx_export.rows.integer_types import IntegerTypes
from fx_export.rows.node_rows import NodeRows
from fx_export.rows.transformer_rows import transformer_rows
from fx_export.rows.window_attention import window_attention, window_row
from fx_export.tracing.model_trace import ModelTrace
from fx_export.value_check import check_values
from fx_export.weights.graph_weights import constant_weights, graph_weights


class Exporter:
    """Exports a model.

    shapes, dtypes, names: of the inputs, as ExampleInputs takes them. custom: names by key of PrepareCustomConfig,
    and those of functions by the key user_op. trained: the TrainedModel with the weights, or None: the model's own."""

    def __init__(self, model, shapes, custom=None, trained=None, dtypes=None, names=None):
        self.original = self.model = in_float32(model.eval())
        if trained is None:
            self.original = self.model = with_bounded_rows(self.original)
        self.inputs = ExampleInputs(shapes, dtypes, names)
        self.custom = CustomConfig(custom)
        self.user_ops = (custom or {}).get("user_op") or []
        self.trained = trained
        self.graph = self.measured = self.constants = self.masks = None  # set by rows()
        self.changed_modules = {}  # by path: what is exported in the place of modules
        self.called = []  # paths of the modules that the graph calls
        self.read = []  # paths of the attributes that the graph reads
        self.inside = {}  # by path: exporters of the modules that are exported on their own

    def content(self):
        """The rows; if there is more to say, an object with them."""
        rows = self.rows()
        self.custom.check_preserved(self.model)
        custom = self.custom.given()
        if not custom:
            return rows
        modules = {}
        for path in (row["target"] for row in rows if self.custom.is_standalone(row)):
            inside = Exporter(self.model.get_submodule(path), *self.inputs_of(path))
            modules[path] = inside.content()
            self.inside[path] = inside
        return {**custom, **({"modules": modules} if modules else {}), "rows": rows}

    def inputs_of(self, path):
        """What an Exporter of a module is made with: the shapes and types of its inputs, if they are known."""
        custom = {"user_op": self.user_ops}
        calls = [node for node in self.graph.nodes if node.op == "call_module" and node.target == path]
        values = self.measured.if_known()
        read = [values[n] for n in calls[0].args if isinstance(n, Node)] if values is not None else []
        if not read or not all(isinstance(x, torch.Tensor) for x in read) or len(read) != len(calls[0].args):
            return None, custom, None, None
        return [tuple(x.shape) for x in read], custom, None, [x.dtype for x in read]

    def trace(self):
        """Returns the graph, and by name of a node the path and the class of the module that calls it."""
        trace = ModelTrace(self.original, self.inputs, self.custom, self.user_ops)
        graph, scopes = trace.run()
        self.model = trace.model
        return graph, scopes

    def rows(self):
        self.graph, scopes = self.trace()
        inputs = [n for n in self.graph.nodes if n.op == "placeholder"]
        shapes = self.inputs.shapes
        if shapes is not None and len(inputs) != len(shapes):
            raise NotExpressible(f"the model has {len(inputs)} inputs, not {len(shapes)}")
        self.changed_modules, self.measured = rewrite(self.graph, self.model, self.inputs.examples(), scopes)
        check_values(self.graph, self.model, self.changed_modules, self.inputs, self.run_original)
        self.constants = FoldedConstants(self.graph, self.model, scopes)
        check_indices(self.graph, self.constants.values)
        self.masks = AttentionMasks(self.graph, self.model, self.constants.values)
        untyped = {node for node, dtype in zip(inputs, self.inputs.given_dtypes) if dtype is None}
        types = IntegerTypes(self.graph, self.measured, untyped, self.run_original)
        return self.rows_of_nodes(
            NodeRows(self.model, self.changed_modules, dict(zip(inputs, shapes or ())), scopes, types))

    def rows_of_nodes(self, node_rows):
        taken = {node.name for node in self.graph.nodes}
        windows = {node: found for node in self.graph.nodes if (found := window_attention(node))}
        taken_in = {(node, read) for node, found in windows.items() for read in found[2]} | self.masks.reads
        read = self.read_by_rows(taken_in)
        rows = []
        for node in self.graph.nodes:
            if node not in read and node.users and node.op != "placeholder":
                if node.op == "get_attr" and windows.keys() & node.users.keys():
                    self.read.append(node.target)
            elif node in windows:
                path, given, _ = windows[node]
                rows.append(window_row(node, path, given))
            elif node in self.constants.folded:
                rows.append(self.constants.row(node))
            else:
                rows += self.rows_of_node(node, node_rows.row(node), taken)
        return rows

    def rows_of_node(self, node, row, taken):
        """The row of a node, or those of the layers of a transformer. taken: names of rows."""
        if node.op == "get_attr":
            self.read.append(node.target)
        elif node.op == "call_module":
            self.called.append(node.target)
        rows = transformer_rows(self.model, node, row, self.masks, taken)
        if rows is not None:
            return rows
        self.masks.write_options(node, row)
        return [row]

    def read_by_rows(self, taken_in):
        """The nodes that rows need: not those that only become an attribute, or a part of a module.

        taken_in: pairs of a node and one that it reads, which becomes a part of its module."""
        read = set()
        for node in reversed(self.graph.nodes):
            if node not in self.constants.folded and (node in read or not node.users):
                read |= {n for n in node.all_input_nodes if (node, n) not in taken_in}
        return read

    def run_original(self, inputs):
        """What the original model gives of tensors. (A copy runs: its own code may change it.)"""
        return run(copy_of(self.original), self.inputs.arguments(inputs))

    def weights(self):
        """The tensors that the rows read, by name; after content()."""
        trained = None if self.trained is None else self.trained.weights(self.graph, self.model)
        return {name: tensor.detach() for name, tensor in self.tensors(trained).items()
                if isinstance(tensor, torch.Tensor)}

    def tensors(self, trained):
        """As weights(). trained: the state_dict with trained tensors, or None: the model's own."""
        model, tensors = self.model, self.model.state_dict() if trained is None else trained
        folded, masks = self.constants.nodes, self.masks.parameters
        if trained is not None and folded:
            model = copy.deepcopy(model)
            model.load_state_dict(trained)
        tensors = graph_weights(model, tensors, self.called, self.read, self.custom.preserved())
        tensors.update(constant_weights(self.graph, model, folded, masks))
        for path, inside in self.inside.items():
            of_module = None if trained is None else tensors_of_module(path, trained)
            tensors_inside = inside.tensors(of_module)
            for name in (*inside.read, *inside.constants.nodes, *inside.masks.parameters):
                tensors[f"{path}.{name}"] = tensors_inside[name]
        return tensors


def in_float32(model):
    """The model; if all its parameters are of another type (half, bfloat16, double), a copy that computes with
    float32, as ctq does."""
    others = [p.dtype != torch.float32 for p in model.parameters() if p.is_floating_point()]
    return copy_of(model).float() if others and all(others) else model


def with_bounded_rows(model):
    """The model, or a copy in which rows of embeddings have norms of at most max_norm. PyTorch changes the rows that
    it reads."""
    def embeddings(of):
        return [m for m in of.modules() if isinstance(m, (torch.nn.Embedding, torch.nn.EmbeddingBag))
                and m.max_norm is not None]
    if not embeddings(model):
        return model
    model = copy_of(model)
    for module in embeddings(model):
        rows = torch.arange(module.num_embeddings)
        torch.embedding_renorm_(module.weight.detach(), rows, module.max_norm, module.norm_type)
        module.max_norm = None
    return model


def tensors_of_module(path, tensors):
    """The tensors of a module, by their names in it."""
    start = f"{path}."
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
