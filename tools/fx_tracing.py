# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tracing with torch.fx: for export_fx.py."""

import contextlib
import dataclasses
import dis
import inspect
import itertools
import operator
import re
import sys
import traceback
import types
import typing
from pathlib import Path
from unittest import mock

import torch
from torch.ao.quantization.fx.tracer import QuantizationTracer

from fx_inputs import name_of_item, packed
from fx_rewrites import IS_IN_PLACE, NotExpressible, attribute_of, changed_by, compute

# Attributes and methods of a tensor that its shape and type decide.
FACTS = ("shape", "ndim", "dtype", "device", "layout", "is_cuda", "is_sparse", "is_quantized", "size",
         "dim", "ndimension", "numel", "nelement", "is_floating_point", "is_complex", "is_contiguous",
         "stride", "element_size", "get_device", "requires_grad", "is_leaf")
VALUE_OF_DATA = ("item(), tolist(), int(x) and float(x) give values of a tensor to Python, and values that depend on "
                 "data are not known when a model is compiled; compute with the tensor itself, x / y.max() instead of "
                 "x / y.max().item()")
# Methods of a dict that show that an input is one.
DICT_METHODS = ("items", "keys", "values", "get", "pop")
# Modules whose parameters are 1 and 0 before training.
NORMS = (torch.nn.LayerNorm, torch.nn.GroupNorm, torch.nn.modules.batchnorm._NormBase,
         *([torch.nn.RMSNorm] if hasattr(torch.nn, "RMSNorm") else []))


def elements_of(proxy):
    """`a, b = pair`: what torch.fx.Proxy.__iter__ gives, by the offset of the instruction. PyTorch 1
    counts the caller's instructions as those of Python 3.10, and finds none in 3.11."""
    caller = inspect.currentframe().f_back
    for instruction in dis.get_instructions(caller.f_code):
        if instruction.offset == caller.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
            return (proxy[i] for i in range(instruction.argval))
    return proxy.tracer.iter(proxy)


def with_arguments(function, count):
    """A function whose first parameters, so many, are given by position: as PyTorch 1 has it for models
    with *args, **kwargs or keyword-only parameters, which makes code objects of Python 3.10."""
    code = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    return types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__,
                              function.__closure__)


if sys.version_info >= (3, 11) and torch.__version__.startswith("1."):
    torch.fx.Proxy.__iter__ = elements_of
    torch.fx._symbolic_trace._patch_function = with_arguments


class InPlaceProxy(torch.fx.Proxy):
    """Marks y += x, which torch.fx records as y = y + x, though it changes what shares elements with y."""


def mark_in_place(name, call):
    def of_proxy(self, other):
        result = call(self, other)
        if isinstance(result, torch.fx.Proxy):
            result.node.meta[IS_IN_PLACE] = True
        return result
    setattr(InPlaceProxy, name, of_proxy)


for _name in "add sub mul truediv floordiv mod pow and_ or_ xor".split():
    mark_in_place(f"__i{_name.strip('_')}__", getattr(operator, _name))


class ValueOfData(torch.fx.proxy.TraceError):
    """Python asks for the value of a tensor that inputs decide."""

    def __init__(self):
        super().__init__(VALUE_OF_DATA)


class SizedProxy(InPlaceProxy):
    """A tensor, or a tuple of tensors, whose size is known while it is traced."""

    def __getattr__(self, name):
        value = self.tracer.value_of(self)
        if isinstance(value, torch.Tensor) and name in FACTS:
            return getattr(value, name)
        if name == "type":
            return lambda *args: (self.tracer.create_proxy("call_method", "type", (self, *args), {}) if args else
                                  value.type())
        if isinstance(getattr(value, name, None), torch.Tensor):  # x.T, x.max(1).values
            return self.tracer.create_proxy("call_function", getattr, (self, name), {})
        return super().__getattr__(name)

    def item(self):
        return self.tracer.number(self) if self.tracer.is_decided(self) else self.tracer.value_of_data(self, "item")

    def tolist(self):
        return (self.tracer.value_of(self).tolist() if self.tracer.is_decided(self) else
                self.tracer.value_of_data(self, "tolist"))

    def __float__(self):
        return float(self.tracer.number(self))

    def __int__(self):
        return int(self.tracer.number(self))

    def __index__(self):
        return operator.index(self.tracer.number(self))

    def __bool__(self):
        return bool(self.tracer.number(self)) if self.tracer.is_decided(self) else super().__bool__()

    def __abs__(self):
        return torch.abs(self)

    def __setitem__(self, index, value):
        self.tracer.create_proxy("call_function", operator.setitem, (self, index, value), {})

    def __len__(self):
        return len(self.tracer.value_of(self))

    def __iter__(self):
        return (self[i] for i in range(len(self)))


def is_record(value):
    """Whether a value is a dataclass, as many libraries return."""
    return dataclasses.is_dataclass(value) and not isinstance(value, (type, dict))


def items_of(record):
    """The fields of a dataclass, without those that are None."""
    fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {name: value for name, value in fields.items() if value is not None}


def blank(*size, memory_format=None, **named):
    """torch.empty, with the same elements each time."""
    return torch.zeros(*size, **named)


def run_script(call):
    """Calls of functions of torch.jit.script, which take no traced tensors: then their code as Python."""
    def run(function, *args, **named):
        if not any(isinstance(a, torch.fx.Proxy) for a in (*args, *named.values())):
            return call(function, *args, **named)
        names = {"torch": torch, "Tensor": torch.Tensor, "annotate": lambda kind, value: value, **vars(typing)}
        exec(function.code, names)
        return names[function.name](*args, **named)
    return run


# Modules whose functions are traced into, although torch.fx.wrap was given them: ctq has the ops that they call.
TRACED_INTO = ("torchvision.models.video.mvit", "torchvision.ops.drop_block")


def wrapped_calls(user_ops):
    """Of the functions that torch.fx.wrap was given, those that stay calls: the user's ops, and torchvision's but for
    those of TRACED_INTO. Others are traced into."""
    def stays(frame, name):
        module = frame.get("__name__")
        if module is None:  # code that torch.fx has generated
            module, name = (getattr(frame.get(name), key, "") for key in ("__module__", "__name__"))
        is_call = module.startswith("torchvision.") and module not in TRACED_INTO
        return is_call or f"{module}.{name}" in user_ops

    wrapped = torch.fx._symbolic_trace._wrapped_fns_to_patch
    if isinstance(wrapped, dict):  # PyTorch 2
        return {key: frame for key, frame in wrapped.items() if stays(frame, key[1])}
    return [(frame, name) for frame, name in wrapped if stays(frame, name)]


def einops_of_proxies():
    """If the model uses einops, it takes traced tensors."""
    backends = sys.modules.get("einops._backends")
    if backends is None:
        return contextlib.nullcontext()
    return mock.patch.object(backends.TorchBackend, "is_appropriate_type",
                             lambda self, x: isinstance(x, (torch.Tensor, SizedProxy)))


def is_positional(parameter):
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


class InputTracer(QuantizationTracer):
    """Parameters of forward() that are no inputs keep their default values.

    original: the model; a copy of it is traced. user_ops: functions that stay calls. names: of the inputs, as packed()
    takes them; None: all parameters are inputs."""

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
                    raise NotExpressible(f"forward() creates a {type(part).__name__}, with weights or statistics "
                                         "that the model does not have") from None
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
        """Attributes that the model's code has set to what it computed."""
        modules = dict(self.original.named_modules())
        for path, module in root.named_modules():
            before = vars(modules[path]) if path in modules else {}
            for name in [n for n, value in vars(module).items() if isinstance(value, torch.fx.Proxy)]:
                if name in before:
                    vars(module)[name] = before[name]
                else:
                    del vars(module)[name]


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
        """Of a tensor of one element."""
        if not self.is_decided(proxy):
            raise ValueOfData()
        return self.value_of(proxy).item()

    def value_of_data(self, proxy, method):
        """A call that gives values of a tensor, which inputs decide, to Python."""
        values = self.create_proxy("call_method", method, (proxy,), {})
        self.of_data.add(values.node)
        return values

    def value_of_node(self, node):
        if node not in self.values and node.op == "get_attr":  # a constant of the model's code
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


def is_same_graph(a, b):
    """Of two graphs and their models: the same calls, and the same constants, whatever their names."""
    def lines(graph):
        number = {node: at for at, node in enumerate(graph.nodes)}
        return [(n.op, n.op == "get_attr" or n.target,
                 str(torch.fx.node.map_arg((n.args, n.kwargs), number.get))) for n in graph.nodes]

    def constants(graph, model):
        return [attribute_of(model, n.target) for n in graph.nodes if n.op == "get_attr"]
    return lines(a[0]) == lines(b[0]) and all(map(torch.equal, constants(*a), constants(*b)))


def changes_constants(graph, model):
    """Whether calls change tensors that the model's code made: what it read of them while it was traced
    was what they had been."""
    return any(changed is not None and changed.op == "get_attr" and
               changed.target.startswith("_tensor_constant")
               for changed in (changed_by(node, model) for node in graph.nodes))


def untraceable(error, model):
    """Which line of the model torch.fx cannot trace, and why."""
    others = tuple(str(Path(file).parent) for file in (torch.__file__, __file__))
    lines = [frame for frame in traceback.extract_tb(error.__traceback__)
             if not frame.filename.startswith(others)]
    place = f"{lines[-1].filename}:{lines[-1].lineno}: {lines[-1].line}\n" if lines else ""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    if "SizedProxy" in reason and re.search(r"\.(item|tolist)\(", place):
        error = ValueOfData()
        reason = str(error)
    if isinstance(error, KeyError):
        reason = f"there is no key {reason}"
    if "pack_padded_sequence" in place:
        reason = "rows have no packed sequences; call the layer with the padded tensor, and mask what it gives"
    if re.search(r"int64|\blong(tensor)?\b", reason, re.IGNORECASE):
        reason += "; for an input of integers, add its type: --input 1,64:int64"
    is_condition = isinstance(error, torch.fx.proxy.TraceError) and not isinstance(error, ValueOfData)
    advice = ("\nValues of traced tensors are not known while it traces: write conditions so that they "
              "need none" if is_condition else "")
    hooked = next((path for path, module in model.named_modules() if module._forward_hooks), None)
    if hooked is not None:
        advice += f"\n{hooked} has a forward hook, which torch.fx does not call; write in forward() what it does"
    return f"{place}torch.fx cannot trace this: {reason}{advice}"
