# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constant masks of attention, which become parameters of its module."""

import inspect

import torch
from torch.fx import Node

# By module: the arguments that are masks, and the parameters that constant ones become.
MASKS = {torch.nn.MultiheadAttention: {"attn_mask": "mask"},
         torch.nn.TransformerEncoderLayer: {"src_mask": "mask"},
         torch.nn.TransformerDecoderLayer: {"tgt_mask": "mask", "memory_mask": "cross_mask"},
         torch.nn.TransformerEncoder: {"mask": "mask"},
         torch.nn.TransformerDecoder: {"tgt_mask": "mask", "memory_mask": "cross_mask"},
         torch.nn.Transformer: {"src_mask": "mask", "tgt_mask": "mask", "memory_mask": "cross_mask"}}


def as_scores(mask):
    """What a mask of attention adds to scores: finite numbers, the lowest of which leave no share."""
    lowest = torch.finfo(torch.float32).min
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape).masked_fill(mask, lowest)
    return mask.to(torch.float32).clamp(min=lowest)


class AttentionMasks:
    """The constant masks of the modules that a graph calls.

    values: of the constants, by node."""

    def __init__(self, graph, model, values):
        self.model = model
        self.nodes = {}  # by path of a module and name of an argument: the node of the mask
        self.reads = set()  # pairs of a call and its mask
        self.parameters = {}  # by name of a tensor that is exported: the node of the mask
        found = {}
        for node in graph.nodes:
            module = self.module_of(node)
            if type(module) not in MASKS:
                continue
            given = inspect.signature(module.forward).bind(*node.args, **node.kwargs).arguments
            for name in MASKS[type(module)]:
                mask = given.get(name)
                if isinstance(mask, Node):
                    found.setdefault((node.target, name), []).append((node, mask))
        for key, calls in found.items():
            masks = [values.get(mask) for _, mask in calls]
            calls_of_module = [n for n in graph.nodes if n.op == "call_module" and n.target == key[0]]
            if len(calls) == len(calls_of_module) and all(
                    mask is not None and mask.dim() == 2 and torch.equal(mask, masks[0]) for mask in masks):
                self.nodes[key] = calls[0][1]
                self.reads |= set(calls)

    def module_of(self, node):
        return self.model.get_submodule(node.target) if node.op == "call_module" else None

    def write_options(self, node, row):
        """Writes the masks of a module that is one row as options."""
        module = self.module_of(node)
        if type(module) not in MASKS:
            return
        names = list(inspect.signature(module.forward).parameters)
        for name, own in MASKS[type(module)].items():
            if (node.target, name) not in self.nodes:
                continue
            at = names.index(name)
            if at < len(row["args"]):
                row["args"][at] = None
            row.get("kwargs", {}).pop(name, None)
            row["module"][own] = True
            self.parameters[f"{node.target}.{own}"] = self.nodes[node.target, name]

    def arguments_of_layer(self, path, given, is_encoder):
        """The arguments of nn.Transformer and its like that its layers get, by their names in a layer of the encoder
        or the decoder; without constant masks.

        path: of the module. given: its arguments by name."""
        names = {"mask": "src_mask"} if is_encoder else {}
        mine = ("mask", "src") if is_encoder else ("tgt", "memory")
        return {names.get(name, name): value for name, value in given.items()
                if (name.startswith(mine) or name == "is_causal") and (path, name) not in self.nodes}

    def write_options_of_layer(self, node, row):
        """Writes the masks of nn.Transformer and its like, which a node calls, as options of the row of a layer."""
        is_encoder = row["module"]["type"] == "nn.TransformerEncoderLayer"
        own = {"mask": "mask", "src_mask": "mask"} if is_encoder else {
            "tgt_mask": "mask", "memory_mask": "cross_mask"}
        for name, parameter in own.items():
            if (node.target, name) in self.nodes:
                row["module"][parameter] = True
                self.parameters[f"{row['target']}.{parameter}"] = self.nodes[node.target, name]
