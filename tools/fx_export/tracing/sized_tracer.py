# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tracer that computes each node while it traces."""

import operator
from unittest import mock

import torch

from fx_export.errors import NotExpressible
from fx_export.graphs.evaluation import compute
from fx_export.inputs.item_names import name_of_item
from fx_export.tracing.input_tracer import InputTracer
from fx_export.tracing.patches import einops_of_proxies
from fx_export.tracing.proxies import SizedProxy, ValueOfData


class SizedTracer(InputTracer):
    """Computes each node while it traces, so that sizes are numbers: for models that compute with sizes
    what torch.fx cannot trace.

    inputs: a tensor for each name of an input.
    factories: torch.zeros and its like whose calls are nodes, for models that change what they give."""

    def __init__(self, original, paths, classes, user_ops, names, inputs, factories=()):
        super().__init__(original, paths, classes, user_ops, names)
        self.inputs = [x for name, x in zip(names, inputs) if name is None]
        self.named_inputs = {name_of_item(name): x for name, x in zip(names, inputs) if name is not None}
        self.factories = factories
        self.values = {}  # by node
        self.decided = set()  # nodes that attributes alone decide
        self.of_data = set()  # nodes that are numbers of Python, which inputs decide
        self.is_computing = False

    def proxy(self, node):
        return SizedProxy(node, self)

    def value_of(self, proxy):
        return self.values.get(proxy.node)

    def is_decided(self, proxy):
        """Whether attributes alone decide a tensor."""
        return proxy.node in self.decided

    def number(self, proxy):
        """The value of a tensor of one element, which attributes alone decide."""
        if not self.is_decided(proxy):
            raise ValueOfData()
        return self.value_of(proxy).item()

    def value_of_data(self, proxy, method):
        """A call that gives values of a tensor, which inputs decide, to Python."""
        values = self.create_proxy("call_method", method, (proxy,), {})
        self.of_data.add(values.node)
        return values

    def value_of_node(self, node):
        """What a node gives, or what a constant of the model's code is."""
        if node not in self.values and node.op == "get_attr":
            self.values[node] = compute(self.root, "get_attr", node.target, (), {})
        return self.values[node]

    def create_proxy(self, kind, target, args, kwargs, *others, **more):
        proxy = super().create_proxy(kind, target, args, kwargs, *others, **more)
        if kind == "output":
            return proxy
        self.is_computing = True
        try:
            args, kwargs = (torch.fx.node.map_arg(a, self.value_of_node)
                            for a in (proxy.node.args, proxy.node.kwargs))
            with torch.no_grad():
                value = self.values[proxy.node] = self.compute(kind, target, args, kwargs)
        finally:
            self.is_computing = False
        read = proxy.node.all_input_nodes
        if kind == "get_attr" or (read and self.decided.issuperset(read)):
            self.decided.add(proxy.node)
        is_number = kind == "call_function" and isinstance(value, (bool, int, float, torch.dtype, torch.Size))
        if is_number and not self.of_data.isdisjoint(read):
            self.of_data.add(proxy.node)
        elif is_number:
            self.graph.erase_node(proxy.node)
            return value  # torch.is_floating_point(x), torch.numel(x)
        if kind != "call_module" and type(value) in (tuple, list) and (
                all(isinstance(item, torch.Tensor) for item in value)):
            return type(value)(proxy)  # torch.cat(x.split(8), 1) takes no proxy
        return proxy

    def trace(self, root, concrete_args=None):
        makers = {name: self.maker(getattr(torch, name)) for name in self.factories}
        with mock.patch.object(torch.Tensor, "__getitem__", self.reader(torch.Tensor.__getitem__)), (
                einops_of_proxies()):
            if not makers:
                return super().trace(root, concrete_args)
            with mock.patch.multiple(torch, **makers):
                return super().trace(root, concrete_args)

    def reader(self, get):
        """x[index] of a tensor that is not traced, where the index may be."""
        def read(x, index):
            items = index if isinstance(index, tuple) else (index,)
            if any(isinstance(item, torch.fx.Proxy) for item in items):
                return self.create_proxy("call_function", operator.getitem, (x, index), {})
            return get(x, index)
        return read

    def maker(self, make):
        """A function that makes a tensor, whose calls become nodes."""
        def made(*args, **kwargs):
            if self.is_computing or not hasattr(self, "graph"):
                return make(*args, **kwargs)
            return self.create_proxy("call_function", make, args, kwargs)
        return made

    def compute(self, kind, target, args, kwargs):
        if kind == "placeholder":
            if target.startswith("*") or target in self.defaults or target in self.items:
                return None  # InputTracer replaces it
            if target in self.named_inputs:
                return self.named_inputs[target]
            if not self.inputs:
                raise NotExpressible(f"no --input is given for {target}")
            return self.inputs.pop(0)
        return compute(self.root, kind, target, args, kwargs)

    def call_module(self, module, forward, args, kwargs):
        if self.is_computing:
            return forward(*args, **kwargs)
        return super().call_module(module, forward, args, kwargs)

    def getattr(self, name, value, known):
        return value if self.is_computing else super().getattr(name, value, known)
