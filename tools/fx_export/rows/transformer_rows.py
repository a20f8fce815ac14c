# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nn.Transformer, its encoder and its decoder: a row for each layer and for each norm, which PyTorch leaves in float,
too."""

import inspect

import torch

from fx_export.rows.row_format import TRANSFORMER_LAYERS, module_row


def transformer_rows(model, node, row, masks, taken):
    """The rows of a node that calls one of these modules; None for another node.

    row: the one row of the node. masks: an AttentionMasks. taken: names of rows, to which those of the new ones are
    added."""
    parts = parts_of(model, node)
    if parts is None:
        return None
    module = model.get_submodule(node.target)
    own = inspect.signature(type(module).forward).bind(module, *row["args"], **row.get("kwargs", {}))
    given = {name: value for name, value in own.arguments.items()
             if name != "self" and value is not None and value is not False}
    rows = []
    memory = given.pop("memory", None)
    for path, part in parts:
        is_encoder = type(part) is torch.nn.TransformerEncoder
        value = given.pop("src" if is_encoder else "tgt")
        arguments = masks.arguments_of_layer(node.target, given, is_encoder)
        calls = [(f"{path}.layers.{i}", layer) for i, layer in enumerate(part.layers)]
        calls += [] if part.norm is None else [(f"{path}.norm", part.norm)]
        for called, layer in calls:
            name = called.replace(".", "_")
            while name in taken:
                name += "_"
            taken.add(name)
            is_norm = layer is part.norm
            kind = {"type": "ctq.LayerNorm"} if is_norm else {}
            rows.append({"name": name, "op": "call_module", "target": called,
                         "args": [value] if is_encoder or is_norm else [value, memory],
                         **({"kwargs": arguments} if arguments and not is_norm else {}),
                         "module": {**module_row(layer), **kind}, "scope": path})
            if not is_norm:
                masks.write_options_of_layer(node, rows[-1])
            value = {"n": name}
        if is_encoder:
            memory = value
    rows[-1]["name"] = node.name
    return rows


def parts_of(model, node):
    """The encoder and the decoder that a node calls, with their paths; None for another node, and for layers that are
    not PyTorch's."""
    if node.op != "call_module":
        return None
    module, path = model.get_submodule(node.target), node.target
    if type(module) is torch.nn.Transformer:
        parts = [(f"{path}.encoder", module.encoder), (f"{path}.decoder", module.decoder)]
    else:
        parts = [(path, module)]
    for _, part in parts:
        if (type(part) not in (torch.nn.TransformerEncoder, torch.nn.TransformerDecoder) or
                any(type(layer) not in TRANSFORMER_LAYERS for layer in part.layers) or
                not isinstance(part.norm, (torch.nn.LayerNorm, type(None)))):
            return None
    return parts
