# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces the calls that have a decomposition."""

import copy
import inspect

import torch
from torch.fx.node import map_arg

from fx_export.decompositions import DECOMPOSITIONS, MODULES, Undecomposed
from fx_export.errors import NotExpressible
from fx_export.graphs.evaluation import compute_apart
from fx_export.graphs.measured import SizesUnknown
from fx_export.graphs.node_kinds import IS_PARAMETER, is_constant, may_be_number
from fx_export.rewrites.tuple_items import replace_tuple

# Keywords of NumPy that torch takes, too.
OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}


class Builder(torch.fx.proxy.GraphAppendingTracer):
    """Replaces nodes by what their decompositions call. Decompositions are called with proxies of this tracer; each of
    their calls becomes a node in the place of the replaced one.

    scopes: by name of a node, the path and the class of the module that calls it; it gets those of new nodes."""

    def __init__(self, graph, model, measured, scopes):
        super().__init__(graph)
        self.model = model
        self.measured = measured
        self.scopes = scopes
        self.changed_modules = measured.changed_modules
        self.constants = {}  # by node: values of those that attributes alone decide
        self.wide = {}  # by node: the size of a view of more axes than ctq has; the node has its elements in order
        self.pairs = set()  # nodes that are pairs of real numbers, where complex ones were
        self.replaced = None  # the node in whose place nodes are added
        self.added = []

    def value_of(self, proxy):
        return self.measured[proxy.node]

    def value_of_replaced(self):
        return self.measured[self.replaced]

    def argument(self, node):
        """What a decomposition is called with in the place of a node: a proxy, or the value of what is no tensor, such
        as a size."""
        if not may_be_number(node):
            return self.proxy(node)
        values = self.measured.if_known()
        is_known = values is not None and isinstance(
            self.measured[node], (bool, int, float, str, torch.Size, torch.dtype, torch.device))
        return self.measured[node] if is_known else self.proxy(node)

    def attribute(self, tensor):
        """A parameter or buffer of a module as a node; None stays None."""
        return None if tensor is None else self.proxy(self.create_arg(tensor))

    @staticmethod
    def as_parameter(x):
        """Marks what only attributes decide: it is exported as an attribute."""
        x.node.meta[IS_PARAMETER] = True
        return x

    def constant(self, x):
        """The value of a node that only attributes decide, or None: before others change it in place."""
        if not is_constant(x.node) or self.measured.if_known() is None:
            return None
        waiting = [x.node]
        while waiting:
            node = waiting[-1]
            unknown = [n for n in node.all_input_nodes if n not in self.constants]
            waiting += unknown
            if not unknown:
                self.constants[node] = compute_apart(self.model, waiting.pop(), self.constants.__getitem__,
                                                     self.changed_modules)
        return self.constants[x.node]

    def is_complex(self, x):
        """Whether numbers are complex: of a node that has been written with pairs, or that only attributes decide."""
        value = self.constant(x)
        return x.node in self.pairs or (isinstance(value, torch.Tensor) and value.is_complex())

    def as_pairs(self, x):
        """Marks a node of pairs of real numbers, which stand for complex ones."""
        self.pairs.add(x.node)
        return x

    def pairs_of(self, x):
        """Complex numbers as pairs of their real and imaginary parts."""
        if x.node in self.pairs:
            return x
        if not self.is_complex(x):
            raise Undecomposed("complex numbers that are no products of others")
        return self.attribute(torch.view_as_real(self.constant(x)))

    def create_arg(self, a):
        if isinstance(a, torch.nn.Parameter) or (
                isinstance(a, torch.Tensor) and any(a is b for b in self.model.buffers())):
            path = next(name for name, own in (*self.model.named_parameters(),
                                               *self.model.named_buffers()) if own is a)
            return self.create_node("get_attr", path, (), {})
        if isinstance(a, torch.Tensor):
            path = f"_{self.replaced.name}_constant{len(self.added)}"
            while hasattr(self.model, path):
                path += "_"
            setattr(self.model, path, a.detach())
            return self.create_node("get_attr", path, (), {})
        return super().create_arg(a)

    def create_node(self, *args, **kwargs):
        node = super().create_node(*args, **kwargs)
        self.added.append(node)
        self.scopes[node.name] = self.scopes.get(self.replaced.name, ("", None))
        return node

    def changed(self, module, **attributes):
        """A function that calls the module of the replaced node with other attributes."""
        path = self.replaced.target
        changed = copy.copy(module)
        for name, value in attributes.items():
            setattr(changed, name, value)
        self.changed_modules[path] = changed
        return lambda x: self.create_proxy("call_module", path, (x,), {})

    def calls_of_module(self):
        """The nodes that call the module of the replaced node and are not replaced yet."""
        return [n for n in self.graph.nodes if n.op == "call_module" and n.target == self.replaced.target]

    def replace(self, node):
        """Writes a node with others, if there is a decomposition."""
        module = self.model.get_submodule(node.target) if node.op == "call_module" else None
        if module is not None:
            decompose = MODULES.get(type(module))
        else:
            decompose = DECOMPOSITIONS.get(node.target) or DECOMPOSITIONS.get(str(node.target))
        if not getattr(decompose, "takes_wide", False):
            self.refuse_wide(node)
        if decompose is None or not node.op.startswith("call_") or may_be_number(node):
            return
        self.replaced, self.added = node, []
        args, kwargs = map_arg(node.args, self.argument), dict(map_arg(node.kwargs, self.argument))
        kwargs = {OF_NUMPY.get(name, name): value for name, value in kwargs.items()}
        if not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        args = args if module is None else (module, *args)
        try:
            inspect.signature(decompose).bind(*args, **kwargs)
        except TypeError:
            self.refuse_wide(node)
            return
        with self.graph.inserting_before(node):
            try:
                result = decompose(*args, **kwargs)
            except SizesUnknown:
                result = None
            except Undecomposed as e:
                raise NotExpressible(f"node {node.name} has {e}") from e
            except Exception as e:  # of any type: arguments that PyTorch takes, and nothing here
                raise NotExpressible(f"node {node.name}: {e}") from e
            if result is None:
                self.refuse_wide(node)
            if isinstance(result, (tuple, list)):
                replace_tuple(self.graph, self.measured, node, [self.create_arg(x) for x in result])
            elif result is not None:
                self.replace_one(node, self.create_arg(result))
        for added in reversed(self.added):
            if not added.users:
                self.graph.erase_node(added)

    def refuse_wide(self, node):
        """Raises NotExpressible if a node reads a view of more axes than ctq has."""
        size = next((self.wide[n] for n in node.all_input_nodes if n in self.wide), None)
        if size is not None:
            raise NotExpressible(f"node {node.name} reads a tensor of {len(size)} axes, {list(size)}; tensors of more "
                                 "than 6 can be permuted and reshaped alone")

    def replace_one(self, node, by):
        """Replaces a node by another one, which gets its name."""
        node.replace_all_uses_with(by)
        self.graph.erase_node(node)
        if by in self.added:
            self.scopes[node.name] = self.scopes.get(by.name, ("", None))
            by.name = node.name
