# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensors that the rows of a graph read."""

import torch
from torch.nn.utils import parametrize

from fx_export.errors import NotExpressible
from fx_export.graphs.modules import attribute_of
from fx_export.rows.attention_masks import as_scores
from fx_export.rows.constants import constants_of


def graph_weights(model, tensors, called, read, preserved):
    """The tensors that a graph reads: those of a state_dict, by name, and others beside them. (An auxiliary head that
    only training calls is not in the graph.)

    called: paths of the modules that the graph calls. read: paths of the attributes that it reads. preserved: names of
    attributes that are kept."""
    called_paths = tuple(f"{path}." for path in called)
    kept = {*read, *preserved}
    tensors = {name: tensor for name, tensor in tensors.items()
               if name.startswith(called_paths) or name in kept}
    for path in called:
        computed = computed_parameters(path, model.get_submodule(path))
        computed_of = tuple(f"{path}.{name}_" for name in computed) + (f"{path}.parametrizations.",)
        if computed:
            tensors = {name: t for name, t in tensors.items() if not name.startswith(computed_of)}
        tensors.update((f"{path}.{name}", tensor) for name, tensor in computed.items())
    for path in read:
        tensors.setdefault(path, attribute_of(model, path))
        tensors[path] = as_floats(tensors[path])
    return tensors


def constant_weights(graph, model, folded, masks):
    """The tensors that constants have become. folded, masks: their nodes, by names of tensors."""
    if not folded and not masks:
        return {}
    values, _ = constants_of(graph, model)
    tensors = {path: as_floats(values[node]) for path, node in folded.items()}
    tensors.update((path, as_scores(values[node])) for path, node in masks.items())
    return tensors


def computed_parameters(path, module):
    """The parameters, by name, that weight_norm, spectral_norm, prune and the like compute of others.
    Raises NotExpressible for other hooks, which would be lost."""
    found = {}
    if parametrize.is_parametrized(module):
        found = {name: getattr(module, name) for name in module.parametrizations}
    for hook in module._forward_pre_hooks.values():
        name = getattr(hook, "name", None) or getattr(hook, "_tensor_name", None)  # of prune
        if not type(hook).__module__.startswith("torch.nn.utils.") or name is None:
            raise NotExpressible(f"{path} has a forward pre-hook, which ctq does not call")
        with torch.no_grad():
            hook(module, ())
        found[name] = getattr(module, name)
    if module._forward_hooks:
        raise NotExpressible(f"{path} has a forward hook, which ctq does not call")
    return found


def as_floats(value):
    """An attribute that the graph reads, as float32; masks are 0 and 1."""
    is_real = isinstance(value, torch.Tensor) and not value.is_complex()
    return value.to(torch.float32) if is_real else value
