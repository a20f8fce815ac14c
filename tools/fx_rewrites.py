# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of torch.fx with ops that ctq has alone: for export_fx.py.

rewrite() gives calls that change a tensor in place a tensor of their own, replaces the calls of which the package
fx_decompositions has a decomposition, and gives layers the axis of batches that they lack.
"""

import contextlib
import copy
import functools
import inspect
import operator
import sys
from unittest import mock

import torch
from torch.fx.node import map_arg

from fx_batches import add_batches
from fx_decompositions import DECOMPOSITIONS, MODULES, Undecomposed

DROPOUTS = torch.nn.modules.dropout._DropoutNd  # which change nothing in evaluation mode
# Functions and methods of numbers, which give floats if one of them is one.
OF_NUMBERS = ("add", "sub", "mul", "pow", "where", "iadd", "isub", "imul", "rsub", "maximum", "minimum")
# Functions and methods that give integers or bools.
OF_INTEGERS = ("eq", "ne", "lt", "le", "gt", "ge", "argmax", "argmin", "argsort", "topk", "sort", "max", "min",
               "long", "int", "bool", "to", "type_as", "isnan", "logical_not", "logical_and", "logical_or",
               "and_", "or_", "xor", "invert", "one_hot", "arange", "median", "kthvalue")
EMBEDDINGS = (torch.nn.Embedding, torch.nn.EmbeddingBag)
WITH_FAST_PATHS = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)
# Where their code is.
FILES_WITH_FAST_PATHS = (torch.nn.modules.activation.__name__, torch.nn.modules.transformer.__name__)
# In-place methods that PyTorch's backends have in patterns, and ctq as they are.
KEPT_IN_PLACE = ("add_", "mul_", "relu_", "sigmoid_", "tanh_", "hardsigmoid_", "squeeze_", "unsqueeze_",
                 "resize_", "detach_")
# Functions whose names end in _ because Python has keywords of these names: they change nothing.
OF_KEYWORDS = (operator.and_, operator.or_, operator.not_, operator.is_)
# Those that change the shape of one tensor, and no element.
OF_SHAPE = ("squeeze_", "unsqueeze_", "resize_", "detach_", "t_", "transpose_", "requires_grad_")
# Marks nodes that only attributes decide, and that are exported as attributes.
IS_PARAMETER = "is_parameter"
# Marks y = y + x that is y += x in the model's code.
IS_IN_PLACE = "is_in_place"
# Functions that make tensors which models write into.
FACTORIES = ("zeros", "ones", "full")  # and torch.empty, which blank() of fx_tracing.py makes zeros of
# Tried second: what they give is more often an index, which must be a value and no node.
MORE_FACTORIES = ("arange", "linspace", "eye", "tensor")
# Keywords of NumPy that torch takes, too.
OF_NUMPY = {"axis": "dim", "keepdims": "keepdim"}


class NotExpressible(Exception):
    """Something that rows have no form for."""


def name_of_call(node):
    """Of a function, its own name; of a method, the method's."""
    return node.target if node.op == "call_method" else getattr(node.target, "__name__", "")


def attribute_of(model, path):
    return operator.attrgetter(path)(model)


def without_fast_paths(module):
    """A context in which PyTorch takes no fast paths of attention. They interpret some masks differently, and set to
    0, or omit, what a mask excludes from the output of nn.TransformerEncoder. (PyTorch takes none if an input is of a
    class that overrides its functions: here its attention is told that each one is.)"""
    if not any(isinstance(part, WITH_FAST_PATHS) for part in module.modules()):
        return contextlib.nullcontext()
    known = torch.overrides.has_torch_function
    return mock.patch.object(torch.overrides, "has_torch_function", lambda tensors: known(tensors) or (
        sys._getframe(1).f_globals["__name__"] in FILES_WITH_FAST_PATHS))


def compute(model, kind, target, args, kwargs, changed_modules=()):
    """What a node of a graph gives, other than a placeholder.

    changed_modules: those that are called in the place of others, by path."""
    if kind == "get_attr":
        value = attribute_of(model, target)
        return value.detach().clone() if isinstance(value, torch.Tensor) else value
    if kind == "call_module":
        module = changed_modules[target] if target in changed_modules else model.get_submodule(target)
        with without_fast_paths(module):
            return module(*args, **kwargs)
    called = target if kind == "call_function" else getattr(type(args[0]), target)
    return called(*args, **kwargs)


def compute_apart(model, node, value_of, changed_modules=()):
    """The same as rows say it: a call changes no tensor that others read."""
    args, kwargs = (map_arg(a, value_of) for a in (node.args, node.kwargs))
    if changed_by(node, model) is not None and isinstance(args[0], torch.Tensor):
        args = (args[0].clone(), *args[1:])
    with torch.no_grad():
        return compute(model, node.op, node.target, args, kwargs, changed_modules)


def outputs_of(graph, model, inputs, changed_modules=()):
    """What a graph gives, read as rows."""
    values, inputs = {}, iter(inputs)
    last_reader = {n: node for node in graph.nodes for n in node.all_input_nodes}
    for node in graph.nodes:
        if node.op == "output":
            return map_arg(node.args[0], values.__getitem__)
        values[node] = (next(inputs) if node.op == "placeholder" else
                        compute_apart(model, node, values.__getitem__, changed_modules))
        for n in node.all_input_nodes:
            if last_reader[n] is node:
                del values[n]
    return None


def random_node(graph, model, inputs, changed_modules=()):
    """The first node that gives other values when it is called again, or None."""
    values, inputs = {}, iter(inputs)
    for node in graph.nodes:
        if node.op == "output":
            return None
        if node.op == "placeholder":
            values[node] = next(inputs)
            continue
        first, second = (compute_apart(model, node, values.__getitem__, changed_modules) for _ in range(2))
        if isinstance(first, torch.Tensor) and (
                first.shape != second.shape or not torch.isclose(first, second, 0, 0, equal_nan=True).all()):
            return node
        values[node] = first
    return None


def values_of(graph, model, inputs):
    """The values of all nodes. Calls do change tensors in place, so that values share elements as those of
    the model do; each has the shape that its tensor had at first."""
    values, seen, attributes, inputs = {}, {}, {}, iter(inputs)
    with torch.no_grad():
        for node in graph.nodes:
            args, kwargs = (map_arg(a, values.__getitem__) for a in (node.args, node.kwargs))
            if node.op == "placeholder":
                value = next(inputs)
            elif node.op == "output":
                continue
            elif node.op == "get_attr" and node.target in attributes:
                value = attributes[node.target]
            else:
                target = in_place_of(node.target) if changes_operand(node) else node.target
                value = compute(model, node.op, target, args, kwargs)
                if node.op == "get_attr":
                    attributes[node.target] = value
            values[node] = value
            seen[node] = value.detach() if isinstance(value, torch.Tensor) else value
    return seen


class SizesUnknown(NotExpressible):
    """The values of a graph cannot be computed."""


class Measured:
    """The values of the nodes of a graph for an example of its inputs, computed when they are first asked
    for. They tell shapes, types, and which tensors share memory.

    inputs: functions, each of which gives a list of tensors; the first that the model takes counts. None: nothing
    is known of them."""

    def __init__(self, graph, model, inputs):
        self.copies = {}  # of the nodes, in a graph that stays as it is
        self.graph = torch.fx.Graph()
        self.graph.graph_copy(graph, self.copies)
        self.model = model
        self.inputs = list(inputs or ())
        self.changed_modules = {}  # by path: those that are called in the place of others
        self.values = None
        self.why = None  # they cannot be computed

    def __getitem__(self, node):
        values = self.all()
        if node not in values:  # it was added since
            values[node] = compute_apart(self.model, node, self.__getitem__, self.changed_modules)
        return values[node]

    def all(self):
        if self.values is None and self.why is None:
            self.why = SizesUnknown("the shapes of the inputs are not known")
            for inputs in self.inputs:
                try:
                    found = values_of(self.graph, self.model, inputs())
                    self.values = {node: found[copied] for node, copied in self.copies.items()}
                    self.why = None
                    break
                except Exception as e:  # of any type: the model's own modules ran
                    self.why = SizesUnknown(f"sizes cannot be computed: {e}")
        if self.values is None:
            raise self.why
        return self.values

    def if_known(self):
        """The values of all nodes of the first graph, if they can be computed."""
        try:
            return self.all()
        except SizesUnknown:
            return None


def remembered(question):
    """A question about a node that is asked once. rewrite() asks in the order of the nodes, so that no
    answer goes back through a whole graph."""
    @functools.wraps(question)
    def answer(node):
        if question.__name__ not in node.meta:
            node.meta[question.__name__] = question(node)
        return node.meta[question.__name__]
    return answer


@remembered
def may_be_number(node):
    """Whether a node may give something else than tensors: a size, a type."""
    if node.op == "call_method":
        return node.target in ("size", "dim", "ndimension", "numel", "nelement", "stride") or (
            node.target == "type" and len(node.args) == 1)
    if node.target is getattr:
        return node.args[1] not in ("T", "mT", "mH", "real", "imag", "data")
    return (node.op == "call_function" and getattr(node.target, "__module__", "") == "_operator" and
            bool(node.all_input_nodes) and all(map(may_be_number, node.all_input_nodes)))


@remembered
def is_constant(node):
    """Whether attributes alone decide a node."""
    if not node.op.startswith("call_"):
        return node.op == "get_attr"
    is_made = node.target in [getattr(torch, name) for name in FACTORIES + MORE_FACTORIES]
    return (bool(node.all_input_nodes) or is_made) and all(map(is_constant, node.all_input_nodes))


class Builder(torch.fx.proxy.GraphAppendingTracer):
    """Appends the nodes that a node is replaced with."""

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
        """What a decomposition is called with: a proxy, or of what is no tensor its value, such as a
        size."""
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
        """What only attributes decide, as a node that is exported as an attribute."""
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
        """Of a node that has been written with pairs, or that only attributes decide."""
        value = self.constant(x)
        return x.node in self.pairs or (isinstance(value, torch.Tensor) and value.is_complex())

    def as_pairs(self, x):
        self.pairs.add(x.node)
        return x

    def pairs_of(self, x):
        """The real and imaginary parts of complex numbers."""
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
        """Calls the module of the replaced node with other attributes."""
        path = self.replaced.target
        changed = copy.copy(module)
        for name, value in attributes.items():
            setattr(changed, name, value)
        self.changed_modules[path] = changed
        return lambda x: self.create_proxy("call_module", path, (x,), {})

    def calls_of_module(self):
        """Those of the module of the replaced node that are left."""
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
                self.replace_tuple(node, [self.create_arg(x) for x in result])
            elif result is not None:
                self.replace_one(node, self.create_arg(result))
        for added in reversed(self.added):
            if not added.users:
                self.graph.erase_node(added)

    def refuse_wide(self, node):
        size = next((self.wide[n] for n in node.all_input_nodes if n in self.wide), None)
        if size is not None:
            raise NotExpressible(f"node {node.name} reads a tensor of {len(size)} axes, {list(size)}; tensors of more "
                                 "than 6 can be permuted and reshaped alone")

    def replace_one(self, node, by):
        node.replace_all_uses_with(by)
        self.graph.erase_node(node)
        if by in self.added:
            self.scopes[node.name] = self.scopes.get(by.name, ("", None))
            by.name = node.name

    def replace_tuple(self, node, items):
        """x.median(1)[0], x.median(1).values, and where the tuple is read whole."""
        def item_of(user):
            if user.target is getattr:
                whole = self.measured[node]
                return next(item for item, value in zip(items, whole)
                            if value is getattr(whole, user.args[1]))
            return items[user.args[1]]
        for user in list(node.users):
            if user.target in (operator.getitem, getattr) and user.args[0] is node:
                item = item_of(user)
                for reader in list(user.users):
                    reader.args, reader.kwargs = (map_arg(a, lambda n: item if n is user else n)
                                                  for a in (reader.args, reader.kwargs))
                self.graph.erase_node(user)
            else:
                user.args = map_arg(user.args, lambda n: tuple(items) if n is node else n)
        self.graph.erase_node(node)


def without_assignment(name):
    """"__and__" of "__iand__"; None of another name."""
    plain = f"__{name[3:]}"
    return plain if name.startswith("__i") and hasattr(operator, plain) else None


def in_place_of(function):
    """operator.iadd of operator.add"""
    return getattr(operator, f"i{function.__name__.rstrip('_')}")


def changes_operand(node):
    """Whether a node is y += x of a tensor."""
    return IS_IN_PLACE in node.meta and not may_be_number(node.args[0])


def name_in_place(node, model):
    """Of a call that changes a tensor, as the model's code has it."""
    if node.op == "call_module":
        return type(model.get_submodule(node.target)).__name__
    return in_place_of(node.target).__name__ if changes_operand(node) else name_of_call(node)


def changed_by(node, model):
    """The node whose tensor a call changes, or None."""
    first = node.args[0] if node.args and isinstance(node.args[0], torch.fx.Node) else None
    if node.op == "call_method":
        is_in_place = node.target == "__setitem__" or without_assignment(node.target) is not None or (
            node.target.endswith("_") and not node.target.endswith("__"))
        return first if is_in_place else None
    if node.op == "call_module":
        module = model.get_submodule(node.target)
        is_in_place = getattr(module, "inplace", False) and not isinstance(module, DROPOUTS)
        return first if is_in_place else None
    if node.op != "call_function":
        return None
    name = name_of_call(node)
    is_in_place = name.endswith("_") and not name.endswith("__") and node.target not in OF_KEYWORDS
    if node.target is operator.setitem or is_in_place or changes_operand(node):
        return first
    if "dropout" in name:
        return None
    if "inplace" in node.kwargs:
        return first if node.kwargs["inplace"] else None
    try:
        given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
    except (TypeError, ValueError):  # functions in C++ have none
        return None
    return first if given.get("inplace") is True else None


def are_tensors(values, a, b):
    return values is not None and isinstance(values[a], torch.Tensor) and (
        isinstance(values[b], torch.Tensor))


def is_same(values, a, b):
    """Whether two nodes have the same elements of one memory."""
    if not are_tensors(values, a, b):
        return False
    a, b = values[a], values[b]
    return a.data_ptr() == b.data_ptr() and a.shape == b.shape and a.stride() == b.stride()


def offsets(x):
    """Of the elements of a tensor in its memory."""
    all_offsets = torch.tensor([x.storage_offset()])
    for extent, stride in zip(x.shape, x.stride()):
        all_offsets = (all_offsets[:, None] + torch.arange(extent) * stride).reshape(-1)
    return all_offsets


def shares(values, a, b):
    """Whether two nodes have an element of one memory; a may be a tuple of tensors."""
    if values is not None and isinstance(values[a], (tuple, list)):
        return isinstance(values[b], torch.Tensor) and any(
            isinstance(x, torch.Tensor) and shares({a: x, b: values[b]}, a, b) for x in values[a])
    if not are_tensors(values, a, b):
        return False
    a, b = values[a], values[b]
    return a.storage().data_ptr() == b.storage().data_ptr() and (
        bool(torch.isin(offsets(a), offsets(b)).any()))


def is_overwritten(base, view, readers):
    """Whether the item of a tensor that a view is is assigned before the tensor is read, as torch.fx traces
    x[:, 0] += y."""
    if view.target is not operator.getitem or view.args[0] is not base:
        return False
    first = readers[0]
    return (first.target in (operator.setitem, "__setitem__") and first.args[0] is base and
            first.args[1] == view.args[1])


def is_other_item(values, whole, reader, changed, versions):
    """Of a tuple: whether a node reads an item of it that a change leaves alone, or that has been read before."""
    if not isinstance(values[whole], (tuple, list)) or reader.target is not operator.getitem:
        return False
    return reader in versions.next or not shares(values, reader, changed)


class Versions:
    """Which node has the elements of a tensor after calls that changed it."""

    def __init__(self, graph, values):
        self.next = {}
        first = {}  # of nodes that read one attribute, or one item of a tuple
        for node in graph.nodes:
            key = None
            if node.op == "get_attr":
                key = node.target
            elif node.target is operator.getitem and values is not None and isinstance(
                    values[node.args[0]], (tuple, list)) and isinstance(node.args[1], int):
                key = node.args
            if key is not None and first.setdefault(key, node) is not node:
                self.next[node] = first[key]

    def last(self, node):
        while node in self.next:
            node = self.next[node]
        return node


def is_new(node, model):
    """Whether a node gives a tensor of its own, as far as its kind tells."""
    if node.op == "call_module":
        kind = type(model.get_submodule(node.target))
        return kind.__module__.startswith(("torch.nn.modules.conv", "torch.nn.modules.batchnorm")) or (
            kind in (torch.nn.Linear, torch.nn.LayerNorm, torch.nn.GroupNorm))
    return node.target in (operator.add, operator.sub, operator.mul, operator.truediv, torch.cat)


def write_new_tensors(graph, model, measured):
    """After a call that changes a tensor in place, others read what it gives."""
    calls = {node: changed for node in graph.nodes if (changed := changed_by(node, model)) is not None}
    place = {node: i for i, node in enumerate(graph.nodes)}
    if all(is_new(changed, model) and len(changed.users) == 1 for changed in calls.values()):
        return rename_calls(calls)
    values = measured.if_known()
    versions = Versions(graph, values)
    for node in list(graph.nodes):
        node.args, node.kwargs = (map_arg(a, versions.last) for a in (node.args, node.kwargs))
        if node not in calls:
            continue
        changed = calls[node]
        if values is not None and values[node] is None:  # an assignment gives nothing
            values[node] = values[changed]
        latest = versions.last(changed)
        for other in [n for n in place if place[n] < place[node] and n not in versions.next]:
            if other is latest or is_same(values, other, changed):
                versions.next[other] = node
                continue
            if not shares(values, other, changed) or node.target in OF_SHAPE:
                continue
            readers = sorted((u for n in place if versions.last(n) is other for u in n.users
                              if place[u] > place[node] and not is_other_item(values, other, u, changed, versions)),
                             key=place.get)
            if not readers or is_overwritten(other, changed, readers):
                continue
            if changed.target is not operator.getitem or not is_same(values, changed.args[0], other):
                raise NotExpressible(
                    f"node {node.name} calls {name_in_place(node, model)}, which changes elements of {changed.name} "
                    f"in place that {readers[0].name} reads as {other.name}; write a call that returns a new tensor, "
                    "or assign to items of the tensor, x[...] = y")
            with graph.inserting_after(node):
                whole = graph.call_function(operator.setitem, (other, changed.args[1], node))
            values[whole], place[whole] = values[other], place[node] + 0.5
            versions.next[other] = whole
    rename_calls(calls)


def rename_calls(calls):
    """x.exp_() as x.exp(), and torch.exp_(x) as torch.exp(x), but for methods that backends have in patterns."""
    for node in calls:
        name = name_of_call(node)
        if node.op == "call_module" or not name.endswith("_") or name.endswith("__") or name in KEPT_IN_PLACE:
            continue
        plain = name[:-1]
        if node.op == "call_function":
            node.target = next((getattr(space, plain) for space in (torch, torch.nn.functional)
                                if hasattr(space, plain)), node.target)
        elif plain in DECOMPOSITIONS or hasattr(torch.Tensor, plain):
            node.target = plain
        else:
            raise NotExpressible(f"node {node.name} calls {node.target}, which has no form without a "
                                 "change in place")


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
    """Rows have no types: ids * 1.0 is ids.float() * 1.0, and mask * 2 is mask.long() * 2."""
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


def fold_numbers(graph, measured):
    """Writes x.size(-1) ** -0.5, math.ceil(x.size(0) / 2), x.numel() and self.scale.item() as numbers; sizes stay
    calls."""
    for node in list(graph.nodes):
        is_of_math = node.op == "call_function" and getattr(node.target, "__module__", "") == "math"
        is_item = node.target == "item" and is_constant(node)
        if not (is_of_math or is_item or may_be_number(node)) or measured.if_known() is None:
            continue
        is_count = node.target in ("numel", "nelement", "dim", "ndimension")
        if not is_of_math and not is_item and not is_count and not isinstance(measured[node], float):
            continue
        for user in list(node.users):
            user.args, user.kwargs = (map_arg(a, lambda n: measured[n] if n is node else n)
                                      for a in (user.args, user.kwargs))
        graph.erase_node(node)


def call_operator(node):
    """x.__or__(y), which torch.fx records if x is a constant, is x | y; x.__rsub__(y) is y - x, and
    x.__iand__(y) is x & y, once write_new_tensors() has given it a tensor of its own."""
    name, args = without_assignment(node.target) or node.target, node.args
    if not hasattr(operator, name) and name.startswith("__r"):
        name, args = f"__{name[3:]}", args[::-1]
    if hasattr(operator, name):
        node.op, node.target, node.args = "call_function", getattr(operator, name), args


# Parameters that are given by position in rows.
BY_POSITION = {"pow": ("exponent",), "swapaxes": ("axis0", "axis1"), "swapdims": ("dim0", "dim1")} | {
    split: ("indices_or_sections",) for split in ("tensor_split", "hsplit", "vsplit", "dsplit")}


def place_arguments(node):
    """Gives arguments by position, and the correction of a deviation by its older name."""
    name = name_of_call(node)
    kwargs = dict(node.kwargs)
    if name in ("std", "var", "std_mean", "var_mean") and kwargs.get("correction") in (0, 1):
        kwargs["unbiased"] = kwargs.pop("correction") == 1
    if name.endswith("split"):
        kwargs = {"indices_or_sections" if key in ("indices", "sections") else key: value
                  for key, value in kwargs.items()}
    for parameter in BY_POSITION.get(name, ()):
        if parameter in kwargs:
            node.args = (*node.args, kwargs.pop(parameter))
    node.kwargs = kwargs


def drop_defaults(node):
    """Drops out=None, rounding_mode=None and memory formats."""
    unset = ("out", "rounding_mode", *(("dtype",) if node.target is torch.norm else ()))
    node.kwargs = {key: value for key, value in node.kwargs.items()
                   if not isinstance(value, torch.memory_format) and (value is not None or key not in unset)}
    node.args = tuple(a for a in node.args if not isinstance(a, torch.memory_format))
    if isinstance(node.kwargs.get("out"), torch.fx.Node):
        raise NotExpressible(f"node {node.name} has out={node.kwargs['out'].name}, a tensor that it changes; read what "
                             "it returns")


def write_true_as_number(graph, measured):
    """True * x as 1 * x; what masks and booleans give is left alone."""
    values = measured.if_known()
    for node in graph.nodes:
        if node.target not in (operator.add, operator.sub, operator.mul, operator.truediv) or values is None:
            continue
        if not any(measured[n].dtype == torch.bool for n in node.all_input_nodes
                   if isinstance(measured[n], torch.Tensor)):
            node.args = tuple(int(a) if isinstance(a, bool) else a for a in node.args)


def select_items(graph, measured):
    """Writes the items of tuples that the model returns, and those of slices of tuples, as items of the op that
    returns the tuple."""
    values = measured.if_known()
    if values is None:
        return
    output = next(node for node in reversed(graph.nodes) if node.op == "output")

    def is_tuple(node):
        return isinstance(node, torch.fx.Node) and isinstance(measured[node], (tuple, list))

    def item(node, index):
        """An item of a tuple, of the tuple itself if that is a slice."""
        while node.target is operator.getitem and isinstance(node.args[1], slice) and is_tuple(node.args[0]):
            node, index = node.args[0], range(len(measured[node.args[0]]))[node.args[1]][index]
        return node, index

    def tensors_of(node):
        if not is_tuple(node):
            return node
        with graph.inserting_before(output):
            return tuple(tensors_of(graph.call_function(operator.getitem, item(node, k)))
                         for k in range(len(measured[node])))

    for node in graph.nodes:
        if node.target is operator.getitem and isinstance(node.args[1], int) and is_tuple(node.args[0]):
            node.args = item(*node.args)
    output.args = map_arg(output.args, tensors_of)


def rewrite(graph, model, inputs, scopes):
    """Returns modules that are to be exported in the place of others, by path, and what is measured of the
    graph.

    inputs: examples of inputs, as Measured takes them. scopes: by the name of a node, its module."""
    for node in graph.nodes:
        drop_defaults(node)
        if node.op in ("call_function", "call_method"):
            place_arguments(node)
        if node.target is torch._assert:
            graph.erase_node(node)
        elif node.target is getattr and node.args[1] in ("values", "indices"):  # x.max(1).values
            node.target, node.args = operator.getitem, (node.args[0], int(node.args[1] == "indices"))
    read = [node for node in graph.nodes if node.users and node.op != "placeholder"]
    measured = Measured(graph, model, inputs)
    write_new_tensors(graph, model, measured)
    for node in graph.nodes:
        if node.op == "call_method" and node.target.startswith("__") and node.target != "__setitem__":
            call_operator(node)
        may_be_number(node), is_constant(node)
    write_true_as_number(graph, measured)
    fold_numbers(graph, measured)
    builder = Builder(graph, model, measured, scopes)
    for node in list(graph.nodes):
        builder.replace(node)
    for node in list(graph.nodes):  # named tuples
        if isinstance(node.target, type) and issubclass(node.target, tuple):
            fields = dict(zip(node.target._fields, node.args)) | node.kwargs
            builder.replace_tuple(node, list(fields.values()))
    select_items(graph, measured)
    add_batches(graph, model, measured, scopes)
    if has_integers(graph, model) or any(
            not x.is_floating_point() for inputs in measured.inputs[:1] for x in inputs()):
        convert_operands(graph, measured, scopes)
    read = set(read)
    for node in reversed(graph.nodes):  # such as x.device, in code of no effect
        if not node.users and (node in read or node.op in ("call_function", "call_method")):
            graph.erase_node(node)
    return builder.changed_modules, measured
