# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tracer of models whose sizes need not be known."""

import inspect
import itertools
import operator
from unittest import mock

import torch
from torch.ao.quantization.fx.tracer import QuantizationTracer

from fx_export.errors import NotExpressible
from fx_export.inputs.item_names import name_of_item, packed
from fx_export.tracing.patches import blank, run_script, wrapped_calls
from fx_export.tracing.proxies import InPlaceProxy
from fx_export.tracing.records import is_record, items_of

# Methods of a dict that show that an input is one.
DICT_METHODS = ("items", "keys", "values", "get", "pop")
# Modules whose parameters are 1 and 0 before training.
NORMS = (torch.nn.LayerNorm, torch.nn.GroupNorm, torch.nn.modules.batchnorm._NormBase,
         *([torch.nn.RMSNorm] if hasattr(torch.nn, "RMSNorm") else []))


def is_positional(parameter):
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


class InputTracer(QuantizationTracer):
    """Traces a model as prepare_fx does. Parameters of forward() that are no inputs keep their default values.

    original: the model; a copy of it is traced. paths, classes: of modules that are not traced into. user_ops: names of
    functions that stay calls. names: of the inputs, as packed() takes them; None: all parameters are inputs."""

    def __init__(self, original, paths, classes, user_ops, names):
        super().__init__(paths, classes)
        self.original = original
        self.user_ops = user_ops
        self.count = None if names is None else len(packed(names, names))
        self.items = {}  # by parameter: names of inputs
        self.item_of = {}  # by name of a node: that of the input
        for name in filter(None, names or ()):
            self.items.setdefault(name.partition(".")[0], []).append(name)
            self.item_of[name_of_item(name)] = name

    def proxy(self, node):
        return InPlaceProxy(node, self)

    def create_args_for_root(self, *args, **named):
        self.defaults = {} if self.count is None else self.defaults_of(self.root.forward)
        positional = sum(map(is_positional, inspect.signature(self.root.forward).parameters.values()))
        forward, given = super().create_args_for_root(*args, **named)
        for i, proxy in enumerate(given[1:] if self.count is not None else (), 1):  # given[0] is the model
            name = proxy.node.target
            if name.startswith("**"):
                given[i] = {}
            elif name.startswith("*"):
                given[i] = tuple(self.create_proxy("placeholder", f"{name[1:]}_{k}", (), {})
                                 for k in range(max(self.count - positional, 0)))
            elif name in self.items:
                with self.graph.inserting_before(proxy.node):
                    given[i], = packed(self.items[name], [self.create_proxy("placeholder", name_of_item(n), (), {})
                                                          for n in self.items[name]])
            elif name in self.defaults:
                given[i] = self.defaults[name]
            if given[i] is not proxy:
                self.graph.erase_node(proxy.node)
        return forward, given

    def defaults_of(self, forward):
        """By name: the default values of parameters that are no inputs. If there are *others, only what is given
        by position is one."""
        parameters = list(inspect.signature(forward).parameters.values())
        has_rest = any(p.kind == p.VAR_POSITIONAL for p in parameters)
        may_be = [p for p in parameters if is_positional(p) or (p.kind == p.KEYWORD_ONLY and not has_rest)]
        return {p.name: p.default for p in parameters
                if p.default is not p.empty and not any(p is q for q in may_be[:self.count])}

    def is_leaf_module(self, module, path):
        """Without devices DataParallel only calls its module."""
        return not isinstance(module, torch.nn.DataParallel) and super().is_leaf_module(module, path)

    def path_of_module(self, module):
        """A module that forward() creates, such as nn.Softmax(-1)(x), gets a path of its own. Functions that
        were not copied may call modules of the original."""
        try:
            return super().path_of_module(module)
        except NameError:
            for path, own in self.original.named_modules():
                if own is module:
                    return path
            known = {*map(id, self.root.parameters())}
            for part in module.modules():
                has_own = not {*map(id, part.parameters(recurse=False))} <= known
                if getattr(part, "running_mean", None) is not None or (has_own and not isinstance(part, NORMS)):
                    raise NotExpressible(f"forward() calls a {type(part).__name__} that is no module of the model; "
                                         "make it in __init__(), and keep lists and dicts of modules in nn.ModuleList "
                                         "and nn.ModuleDict") from None
            kind = type(module).__name__.lower()
            path = next(p for p in (f"_{kind}_{i}" for i in itertools.count()) if not hasattr(self.root, p))
            setattr(self.root, path, module)
            if self.submodule_paths:
                self.submodule_paths[module] = path
            return path

    def create_proxy(self, kind, target, args, kwargs, *others, **more):
        is_item = target is operator.getitem and isinstance(args[1], str)
        is_method = kind == "call_method" and target in DICT_METHODS
        if (is_item or is_method) and args[0].node.op == "placeholder":
            name = self.item_of.get(args[0].node.target, args[0].node.target)
            key = args[1] if is_item else "KEY"
            raise NotExpressible(f"{name} is a dict; give its items: --input {name}.{key}=SHAPE")
        return super().create_proxy(kind, target, args, kwargs, *others, **more)

    def create_arg(self, a):
        if type(a).__module__ == "numpy" and hasattr(a, "ndim"):
            a = torch.as_tensor(a) if a.ndim > 0 else a.item()
        elif is_record(a):
            a = items_of(a)
        elif isinstance(a, slice):
            a = slice(*(int(x) if isinstance(x, torch.Tensor) and x.dim() == 0 else x
                        for x in (a.start, a.stop, a.step)))
        return super().create_arg(a)

    def trace(self, root, concrete_args=None):
        try:
            with mock.patch.object(torch, "empty", blank), mock.patch.object(
                    torch.jit.ScriptFunction, "__call__", run_script(torch.jit.ScriptFunction.__call__)), (
                    mock.patch.object(torch.fx._symbolic_trace, "_wrapped_fns_to_patch", wrapped_calls(self.user_ops))):
                return super().trace(root, concrete_args)
        finally:
            self.restore(root)

    def restore(self, root):
        """Restores attributes that the model's code has set to what it computed."""
        modules = dict(self.original.named_modules())
        for path, module in root.named_modules():
            before = vars(modules[path]) if path in modules else {}
            for name in [n for n, value in vars(module).items() if isinstance(value, torch.fx.Proxy)]:
                if name in before:
                    vars(module)[name] = before[name]
                else:
                    del vars(module)[name]
