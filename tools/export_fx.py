#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of PyTorch as rows of torch.fx: export_fx.py MODEL --input 1,3,224,224 -o NAME.json

MODEL is module:function, module:class or module:object: what gives, or is, a torch.nn.Module. It is
traced as prepare_fx traces it, with FloatFunctional swapped for its FX version, in evaluation mode.
Writes the rows, which `ctq import --fx` and `ctq explain --fx` read, and the weights beside them,
NAME.safetensors. One --input for each input of the model: its shape. Runs with the Python that has
PyTorch, 1.13 to 2.x.

--qat MODULE:NAME names the same model after prepare_qat_fx and training, before convert_fx. The weights
are those of the trained model, by the names of MODEL, and NAME.qparams.safetensors has the scales and
zero points that convert_fx would take, of activations and of weights.

Calls that change tensors in place, and those that ctq has no op for, are written with others:
fx_rewrites.py, fx_decompositions/. How models are traced: fx_tracing.py; inputs that are dicts and lists: fx_inputs.py;
how rows call functions and modules: fx_rows.py.

What constant integers and attributes decide, such as an embedding of positions or a mask, is one
attribute, of the name of the call, and so is a weight that is computed of parameters.
nn.TransformerEncoder and its like are a row for each layer; with masks that inputs decide, they are the
calls that they make. Parameters of the model with a default value are not inputs, but for those that an
--input is given for.

Modules that a PrepareCustomConfig names are one row: standalone ones, whose own
rows follow, and those that it does not trace into. Classes are called as rows do: my.models.Block.
"""

import argparse
import copy
import functools
import importlib
import inspect
import itertools
import json
import operator
import os
import sys
import tempfile
from pathlib import Path

try:
    import torch
except ImportError:
    sys.exit(f"{sys.argv[0]}: needs PyTorch; run it with the Python that has it")
import torch.ao.quantization.quantize_fx as quantize_fx
import torch.nn.functional as F
from torch.fx import Node
from torch.nn.utils import parametrize

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fx_inputs import check_names, packed
from fx_rewrites import (FACTORIES, IS_PARAMETER, MORE_FACTORIES, Measured, NotExpressible, attribute_of, compute,
                         compute_apart, outputs_of, random_node, rewrite, without_fast_paths)
from fx_rows import TRANSFORMER_LAYERS, class_name, function_names, module_row, plain
from fx_tracing import (InputTracer, SizedTracer, changes_constants, is_record, is_same_graph, items_of,
                        untraceable)
from fx_training import Trained

SAFETENSORS = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16",
               torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32",
               torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
WINDOW_ATTENTION = "torchvision.models.swin_transformer.shifted_window_attention"
# By module: the arguments that are masks, and the parameters that constant ones become.
MASKS = {torch.nn.MultiheadAttention: {"attn_mask": "mask"},
         torch.nn.TransformerEncoderLayer: {"src_mask": "mask"},
         torch.nn.TransformerDecoderLayer: {"tgt_mask": "mask", "memory_mask": "cross_mask"},
         torch.nn.TransformerEncoder: {"mask": "mask"},
         torch.nn.TransformerDecoder: {"tgt_mask": "mask", "memory_mask": "cross_mask"},
         torch.nn.Transformer: {"src_mask": "mask", "tgt_mask": "mask", "memory_mask": "cross_mask"}}
# By function: its arguments after the input, up to the last that is a parameter.
PARAMETERS = {
    **dict.fromkeys((F.linear, F.conv1d, F.conv2d, F.conv3d, F.conv_transpose1d, F.conv_transpose2d,
                     F.conv_transpose3d), ("weight", "bias")),
    **dict.fromkeys((F.batch_norm, F.instance_norm), ("running_mean", "running_var", "weight", "bias")),
    F.layer_norm: ("normalized_shape", "weight", "bias"),
    F.group_norm: ("num_groups", "weight", "bias"),
    F.prelu: ("weight",),
}
# By option: the key of PrepareCustomConfig that it fills, and its help.
CUSTOM = {
    "--standalone-module": ("standalone_module_name", "PATH", "a module that is prepared on its own"),
    "--standalone-class": ("standalone_module_class", "CLASS", "the class of such modules"),
    "--non-traceable-module": ("non_traceable_module_name", "PATH", "a module that is not traced into"),
    "--non-traceable-class": ("non_traceable_module_class", "CLASS", "the class of such modules"),
    "--preserve": ("preserved_attributes", "NAME", "an attribute of the model that prepare keeps"),
}


def computed_parameters(path, module):
    """By name: the parameters that weight_norm, spectral_norm, prune and the like compute of others.
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


def window_attention(node):
    """Of torchvision's function that torch.fx does not trace into: the path of the module with its
    weights, its arguments, and the nodes of the weights. None of another node."""
    if node.op != "call_function" or (
            f"{node.target.__module__}.{node.target.__qualname__}" != WINDOW_ATTENTION):
        return None
    given = inspect.signature(node.target).bind(*node.args, **node.kwargs).arguments
    path = str(given["qkv_weight"].target).removesuffix(".qkv.weight")
    names = {"qkv_weight": "qkv.weight", "proj_weight": "proj.weight", "qkv_bias": "qkv.bias",
             "proj_bias": "proj.bias", "logit_scale": "logit_scale"}
    weights = [(given[name], f"{path}.{own}") for name, own in names.items()
               if given.get(name) is not None]
    if any(read.op != "get_attr" or read.target != own for read, own in weights):
        return None
    return path, given, [read for read, _ in weights]


def is_parameter(node):
    """Whether a constant becomes an attribute: functions read it as their weight, bias, mean or variance, or
    a decomposition says so."""
    if node.meta.get(IS_PARAMETER) or node.target is F.interpolate:  # such as resampled positions
        return True
    for user in node.users:
        names = PARAMETERS.get(user.target, ()) if user.op == "call_function" else ()
        if node in (*user.args[1:][:len(names)], *map(user.kwargs.get, names)):
            return True
    return False


def as_floats(value):
    """Of an attribute that the graph reads: masks are 0 and 1."""
    is_real = isinstance(value, torch.Tensor) and not value.is_complex()
    return value.to(torch.float32) if is_real else value


def dtype_of(value):
    """What the row of an attribute says of integers, which its tensor has as float32."""
    is_integer = not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    return {"dtype": "int64"} if is_integer else {}


def as_scores(mask):
    """What a mask of attention adds to scores: finite numbers, the lowest of which leave no share."""
    lowest = torch.finfo(torch.float32).min
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape).masked_fill(mask, lowest)
    return mask.to(torch.float32).clamp(min=lowest)


def has_attribute(model, path):
    try:
        attribute_of(model, path)
    except AttributeError:
        return False
    return True


def swap_sync_norms(model):
    """nn.SyncBatchNorm in evaluation mode is nn.BatchNorm1d, 2d or 3d: which, its first input says."""
    for module in model.modules():
        if type(module) is torch.nn.SyncBatchNorm:
            module.__class__ = torch.nn.BatchNorm2d
            module._check_input_dim = functools.partial(take_rank, module)


def take_rank(norm, x):
    norm.__class__ = {4: torch.nn.BatchNorm2d, 5: torch.nn.BatchNorm3d}.get(x.dim(), torch.nn.BatchNorm1d)
    del norm._check_input_dim


def run(model, inputs):
    """What a model gives, without the fast paths of attention."""
    with torch.no_grad(), without_fast_paths(model):
        return model(*inputs)


def are_close(a, b):
    """Of what two models give, tensors in tuples and dicts: but for the order of sums."""
    if isinstance(a, torch.Tensor):
        if a.is_complex() or not isinstance(b, torch.Tensor) or a.shape != b.shape:
            return isinstance(b, torch.Tensor) and a.shape == b.shape
        if a.is_floating_point() != b.is_floating_point():
            return False
        a, b = a.double(), b.double()
        size = float(a[a.isfinite()].abs().max()) if a.isfinite().any() else 0.0
        return torch.allclose(a, b, 1e-3, 1e-4 * size + 1e-6, equal_nan=True)
    if is_record(a):
        a = items_of(a)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(are_close(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(are_close, a, b))
    return True


class Exporter:
    """shapes: of the inputs; None: unknown. custom: names by key of PrepareCustomConfig, and those of functions by
    the key user_op. dtypes: of the inputs, where they are known. names: of items of dicts and lists, as packed() takes
    them."""

    def __init__(self, model, shapes, custom=None, trained=None, dtypes=None, names=None):
        self.model = self.original = model.eval()
        self.shapes = shapes
        self.input_names = None if shapes is None else names or [None] * len(shapes)
        self.dtypes = self.given_dtypes = dtypes or [None] * len(shapes or ())
        self.custom = {key: list((custom or {}).get(key) or ()) for key, _, _ in CUSTOM.values()}
        self.user_ops = (custom or {}).get("user_op") or []
        self.trained = trained
        self.names = function_names()
        self.called = []  # paths of the modules that the graph calls
        self.read = []  # paths of the attributes that the graph reads
        self.changed_modules = {}  # by path: what is exported in the place of modules
        self.folded = {}  # path of an attribute that is computed of others -> its node
        self.masks = {}  # constant ones, by path of the module and argument: their nodes
        self.mask_parameters = {}  # the same by the names that their tensors have
        self.inside = {}  # by path: of the modules that are exported on their own

    def check_modules(self):
        for path, module in self.model.named_modules():
            if isinstance(module, torch.jit.ScriptModule):
                raise NotExpressible(f"{path or 'the model'} is a ScriptModule, without the Python code that torch.fx "
                                     "traces; give the nn.Module that torch.jit was given")
            if any(map(torch.nn.parameter.is_lazy, (*module._parameters.values(), *module._buffers.values()))):
                raise NotExpressible(f"{path or 'the model'} has uninitialized parameters; run the model once before "
                                     "it is exported")

    def trace(self):
        self.check_modules()
        check_names(self.input_names or (), self.model.forward)
        quantize_fx._swap_ff_with_fxff(self.model)
        swap_sync_norms(self.model)
        paths = self.custom["standalone_module_name"] + self.custom["non_traceable_module_name"]
        classes = {class_name(type(m)): type(m) for m in self.model.modules()}
        wanted = self.custom["standalone_module_class"] + self.custom["non_traceable_module_class"]
        for name in wanted:
            if name not in classes:
                raise NotExpressible(f"no module of the model is a {name}")
        for path in paths:
            if not path or path not in dict(self.model.named_modules()):
                raise NotExpressible(f"the model has no module {path}")
        classes = [classes[name] for name in wanted]
        # Tracing and rewriting leave things in a model, as does its own code.
        untouched, self.model = self.model, self.copy(self.model)
        tracer = InputTracer(untouched, paths, classes, self.user_ops, self.input_names)
        try:
            graph = tracer.trace(self.model)
        except Exception as e:  # of any type: the model's own code ran
            graph = None
            if self.shapes is None:
                raise NotExpressible(untraceable(e, self.model)) from e
        if graph is not None and (self.shapes is None or not changes_constants(graph, self.model)):
            if self.shapes is None or self.runs(graph):
                return graph, tracer.node_name_to_scope
            traced, self.model = self.model, self.copy(untouched)
            try:
                sized = self.trace_with_sizes(untouched, paths, classes)
                return sized.graph, sized.node_name_to_scope
            except NotExpressible:  # check_values() says what is wrong
                self.model = traced
                return graph, tracer.node_name_to_scope
        tracer = None if graph is not None else self.trace_with_sizes(untouched, paths, classes)
        for factories in (FACTORIES, FACTORIES + MORE_FACTORIES):
            if tracer is not None and not changes_constants(tracer.graph, self.model):
                break
            tracer = self.trace_with_sizes(untouched, paths, classes, factories)
        return tracer.graph, tracer.node_name_to_scope

    @staticmethod
    def copy(model):
        # What weight_norm computes has a history, with which nothing is copied.
        computed = {id(x): x.detach().clone() for module in model.modules()
                    for x in vars(module).values() if isinstance(x, torch.Tensor) and x.grad_fn is not None}
        try:
            return copy.deepcopy(model, computed)
        except Exception:  # some modules cannot be copied
            return model

    def guessed_dtypes(self):
        """Those of the inputs; of one whose type is not given, all that may be."""
        guesses = [[dtype] if dtype is not None else [torch.float32, torch.int64, torch.bool]
                   for dtype in self.dtypes]
        return itertools.islice(itertools.product(*guesses), 81)

    def filled_inputs(self, dtypes):
        """Functions that give inputs of zeros, of ones and, for integers, of 2 and 3: some models take no others."""
        return [lambda number=number: [torch.full(s, number, dtype=d) for s, d in zip(self.shapes, dtypes)]
                for number in range(4 if torch.int64 in dtypes else 2)]

    def example_inputs(self):
        """Those functions for each guess of the types; None if the shapes are not known."""
        if self.shapes is None:
            return None
        return [inputs for dtypes in self.guessed_dtypes() for inputs in self.filled_inputs(dtypes)]

    def runs(self, graph):
        """Whether a graph gives values: nn.AvgPool2d(x.shape[2:]) that forward() creates holds proxies in the
        place of numbers."""
        return Measured(graph, self.model, self.example_inputs()).if_known() is not None

    def trace_with_sizes(self, untouched, paths, classes, factories=()):
        """The same with tensors of the shapes of the inputs; returns the tracer. Of an input whose type
        is not given it tries float32, int64, and bool."""
        furthest, why = -1, None
        for dtypes in self.guessed_dtypes():
            traced = []
            for inputs in self.filled_inputs(dtypes):
                self.model = self.copy(untouched)
                tracer = SizedTracer(untouched, paths, classes, self.user_ops, self.input_names, inputs(),
                                     factories)
                try:
                    traced.append((tracer.trace(self.model), self.model))
                except Exception as e:
                    if len(tracer.values) > furthest:
                        furthest, why = len(tracer.values), e
                    elif len(tracer.values) < furthest:
                        break
                if len(traced) == 2 or isinstance(why, (NotExpressible, torch.fx.proxy.TraceError)):
                    break
            if isinstance(why, (NotExpressible, torch.fx.proxy.TraceError)):
                break
            if len(traced) < 2:
                continue
            if not is_same_graph(*traced):
                raise NotExpressible("torch.fx cannot trace this: sizes, or constants, are other ones in "
                                     "a second trace; values of tensors, or random numbers, decide them")
            self.dtypes = dtypes
            for node in reversed(tracer.graph.nodes):  # items of tuples that nothing reads
                if node.target is operator.getitem and not node.users:
                    tracer.graph.erase_node(node)
            return tracer
        raise why if isinstance(why, NotExpressible) else NotExpressible(
            untraceable(why, untouched)) from why

    def is_standalone(self, row):
        return row["op"] == "call_module" and (
            row["target"] in self.custom["standalone_module_name"] or
            row["module"]["type"] in self.custom["standalone_module_class"])

    def content(self):
        """The rows; if there is more to say, an object with them."""
        rows = self.rows()
        for name in self.custom["preserved_attributes"]:
            if not hasattr(self.model, name):
                raise NotExpressible(f"the model has no attribute {name}")
        if not any(self.custom.values()):
            return rows
        custom = {key: names for key, names in self.custom.items() if names}
        modules = {}
        for path in (row["target"] for row in rows if self.is_standalone(row)):
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

    def rows(self):
        graph, scopes = self.trace()
        self.graph = graph
        inputs = [n for n in graph.nodes if n.op == "placeholder"]
        if self.shapes is not None and len(inputs) != len(self.shapes):
            raise NotExpressible(f"the model has {len(inputs)} inputs, not {len(self.shapes)}")
        self.changed_modules, self.measured = rewrite(graph, self.model, self.example_inputs(), scopes)
        self.check_values()
        shape_of = dict(zip(inputs, self.shapes or ()))
        self.untyped = {node for node, dtype in zip(inputs, self.given_dtypes) if dtype is None}
        taken = {node.name for node in graph.nodes}
        values, folded = self.constants(self.model)
        self.check_indices(values)
        windows = {node: found for node in graph.nodes if (found := window_attention(node))}
        taken_in = {(node, read) for node, found in windows.items() for read in found[2]}
        taken_in |= self.find_masks(values)
        read = self.read_by_rows(folded, taken_in)
        rows = []
        for node in graph.nodes:
            if node not in read and node.users and node.op != "placeholder":
                if node.op == "get_attr" and windows.keys() & node.users.keys():
                    self.read.append(node.target)
                continue
            if node in windows:
                rows.append(self.window_row(node, *windows[node][:2]))
                continue
            if node in folded:
                rows.append(self.folded_row(node, values[node], scopes))
                continue
            if node.op == "get_attr":
                self.read.append(node.target)
            elif node.op == "call_module":
                self.called.append(node.target)
            row = self.row(node, shape_of, scopes)
            rows += self.transformer_rows(node, row, taken) or [self.with_masks(node, row)]
        return rows

    def read_by_rows(self, folded, taken_in):
        """The nodes that rows need: not those that only become an attribute, or a part of a module."""
        read = set()
        for node in reversed(self.graph.nodes):
            if node not in folded and (node in read or not node.users):
                read |= {n for n in node.all_input_nodes if (node, n) not in taken_in}
        return read

    def run_original(self, inputs):
        return run(self.copy(self.original), packed(self.input_names, inputs))

    def check_values(self):
        """Code of a model that computes with values of tensors may be traced to something else."""
        if self.shapes is None:
            return
        generator, failure = torch.Generator().manual_seed(0), None
        for dtypes, bounds in itertools.product(self.guessed_dtypes(), ((1, 4), (0, 2), (1, 3), (1, 2))):
            inputs = [torch.randn(s, generator=generator) if d == torch.float32 else
                      torch.randint(*((0, 2) if d == torch.bool else bounds), s, generator=generator).to(d)
                      for s, d in zip(self.shapes, dtypes)]
            try:
                wanted = self.run_original([x.clone() for x in inputs])
            except Exception:  # of any type: the model's own code ran
                continue
            try:
                got = outputs_of(self.graph, self.model, inputs, self.changed_modules)
            except Exception as e:
                failure = e
                continue
            if are_close(wanted, got):
                return
            random = random_node(self.graph, self.model, inputs, self.changed_modules)
            if random is not None:
                raise NotExpressible(f"node {random.name} takes random numbers; F.dropout does so unless it is "
                                     "given training=self.training")
            raise NotExpressible("what torch.fx traces of this model gives other values: code of its own "
                                 "decides by values of tensors, takes random numbers, or changes parts of "
                                 "tensors in place; or export_fx.py writes a call wrongly")
        if failure is not None:
            raise NotExpressible("what torch.fx traces of this model does not run, though the model does: "
                                 f"{failure}; code of its own decides by types or values of tensors")
        print("export_fx.py: the model did not run with random inputs; its graph was not compared with it",
              file=sys.stderr)

    def check_indices(self, values):
        """Rows have no form for x[mask] of a constant mask: its attribute would be read as indices."""
        for node in self.graph.nodes:
            if node.target is not operator.getitem:
                continue
            index = node.args[1]
            for item in index if isinstance(index, (tuple, list)) else (index,):
                if isinstance(item, Node) and item in values and (
                        values[item].dtype in (torch.bool, torch.uint8)):
                    raise NotExpressible(f"node {node.name} has {item.name}, a mask, as an index; write "
                                         "mask.nonzero().squeeze(1), its indices")

    def find_masks(self, values):
        """Constant masks of attention, which become parameters of its module, `mask`: sets masks, by the
        path of the module and the argument. Returns pairs of a call and its mask."""
        found, pairs = {}, set()
        for node in self.graph.nodes:
            module = (self.model.get_submodule(node.target) if node.op == "call_module" else None)
            if type(module) not in MASKS:
                continue
            given = inspect.signature(module.forward).bind(*node.args, **node.kwargs).arguments
            for name in MASKS[type(module)]:
                mask = given.get(name)
                if isinstance(mask, Node):
                    found.setdefault((node.target, name), []).append((node, mask))
        for key, calls in found.items():
            masks = [values.get(mask) for _, mask in calls]
            calls_of_module = [n for n in self.graph.nodes if n.op == "call_module" and n.target == key[0]]
            if len(calls) == len(calls_of_module) and all(
                    mask is not None and mask.dim() == 2 and torch.equal(mask, masks[0]) for mask in masks):
                self.masks[key] = calls[0][1]
                pairs |= set(calls)
        return pairs

    def with_masks(self, node, row):
        """The row of a module with its constant masks as options."""
        module = (self.model.get_submodule(node.target) if node.op == "call_module" else None)
        if type(module) not in MASKS:
            return row
        names = list(inspect.signature(module.forward).parameters)
        for name, own in MASKS[type(module)].items():
            if (node.target, name) not in self.masks:
                continue
            at = names.index(name)
            if at < len(row["args"]):
                row["args"][at] = None
            row.get("kwargs", {}).pop(name, None)
            row["module"][own] = True
            self.mask_parameters[f"{node.target}.{own}"] = self.masks[node.target, name]
        return row

    def constants(self, model):
        """The values of the nodes that only attributes decide, and those that become attributes: what
        is computed of integers, such as positions that an embedding reads, and of masks; and weights."""
        values, folded, known = {}, set(), {}  # known: numbers, too
        factories = [getattr(torch, name) for name in FACTORIES + MORE_FACTORIES]
        for node in self.graph.nodes:
            if node.op == "get_attr":
                value = compute(model, "get_attr", node.target, (), {})
            elif (not node.op.startswith("call_") or
                  not (node.all_input_nodes or node.target in factories) or
                  not all(n in known for n in node.all_input_nodes)):
                continue
            else:
                value = compute_apart(model, node, known.get)
            known[node] = value
            if not isinstance(value, torch.Tensor):
                continue
            values[node] = value
            if node.op != "get_attr" and (
                    not node.all_input_nodes or not all(values[n].is_floating_point() and n not in folded
                            for n in node.all_input_nodes if n in values) or not value.is_floating_point() or
                    is_parameter(node)):
                folded.add(node)
        return values, folded

    def folded_row(self, node, value, scopes):
        """A constant as an attribute beside those of the module that computes it."""
        scope = (node.target.rpartition(".")[0] if node.op == "call_module"
                 else scopes.get(node.name, ("", None))[0])
        path = f"{scope}.{node.name}" if scope else node.name
        while path in self.folded or path in self.model.state_dict() or has_attribute(self.model, path):
            path += "_"
        self.folded[path] = node
        return {"name": node.name, "op": "get_attr", "target": path, "args": [],
                "shape": list(value.shape), "scope": scope, **dtype_of(value)}

    @staticmethod
    def window_row(node, path, given):
        """torchvision's attention within windows as a module with its weights."""
        return {"name": node.name, "op": "call_module", "target": path,
                "args": [plain(given["input"]), plain(given["relative_position_bias"])],
                "module": {"type": WINDOW_ATTENTION.rpartition(".")[0] + ".ShiftedWindowAttention",
                           **{name: plain(given[name]) for name in
                              ("num_heads", "window_size", "shift_size")},
                           "qkv_bias": given.get("qkv_bias") is not None,
                           "proj_bias": given.get("proj_bias") is not None,
                           "cosine": given.get("logit_scale") is not None},
                "scope": path.rpartition(".")[0]}

    def transformer_rows(self, node, row, taken):
        """An nn.Transformer, or its encoder or decoder: a row for each layer and for each norm, which
        PyTorch leaves in float, too. None of another module."""
        if node.op != "call_module":
            return None
        module, path = self.model.get_submodule(node.target), node.target
        if type(module) is torch.nn.Transformer:
            parts = [(f"{path}.encoder", module.encoder), (f"{path}.decoder", module.decoder)]
        else:
            parts = [(path, module)]
        for _, part in parts:
            if (type(part) not in (torch.nn.TransformerEncoder, torch.nn.TransformerDecoder) or
                    any(type(layer) not in TRANSFORMER_LAYERS for layer in part.layers) or
                    not isinstance(part.norm, (torch.nn.LayerNorm, type(None)))):
                return None
        own = inspect.signature(type(module).forward).bind(module, *row["args"], **row.get("kwargs", {}))
        given = {name: value for name, value in own.arguments.items()
                 if name != "self" and value is not None and value is not False}
        rows = []
        memory = given.pop("memory", None)
        for path, part in parts:
            is_encoder = type(part) is torch.nn.TransformerEncoder
            value = given.pop("src" if is_encoder else "tgt")
            masks = self.masks_of(node.target, given, is_encoder)
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
                             **({"kwargs": masks} if masks and not is_norm else {}),
                             "module": {**module_row(layer), **kind}, "scope": path})
                if not is_norm:
                    self.add_own_masks(node, rows[-1])
                value = {"n": name}
            if is_encoder:
                memory = value
        rows[-1]["name"] = node.name
        return rows

    def masks_of(self, path, given, is_encoder):
        """The arguments of a call, by their names in a layer of the encoder or the decoder, without
        constant masks."""
        names = {"mask": "src_mask"} if is_encoder else {}
        mine = ("mask", "src") if is_encoder else ("tgt", "memory")
        return {names.get(name, name): value for name, value in given.items()
                if (name.startswith(mine) or name == "is_causal") and (path, name) not in self.masks}

    def add_own_masks(self, node, row):
        """The constant masks of nn.Transformer and its like, in a layer."""
        is_encoder = row["module"]["type"] == "nn.TransformerEncoderLayer"
        own = {"mask": "mask", "src_mask": "mask"} if is_encoder else {
            "tgt_mask": "mask", "memory_mask": "cross_mask"}
        for name, parameter in own.items():
            if (node.target, name) in self.masks:
                row["module"][parameter] = True
                self.mask_parameters[f"{row['target']}.{parameter}"] = self.masks[node.target, name]

    def row(self, node, shape_of, scopes):
        try:
            row = {"name": node.name, "op": node.op, "target": self.target(node),
                   "args": [plain(a) for a in node.args]}
            if node.op == "placeholder":
                row["args"] = []  # a default value is not an input
            if self.gives_integers(node):
                row["dtype"] = "int64"
            if node.target is operator.getitem and isinstance(node.args[1], list):
                row["args"][1] = [row["args"][1]]  # x[[2, 0]] is not x[2, 0]
            if node.kwargs:
                row["kwargs"] = {key: plain(value) for key, value in node.kwargs.items()}
        except NotExpressible as e:
            raise NotExpressible(f"node {node.name} has {e}") from e
        if node.op == "placeholder":
            if node in shape_of:
                row["shape"] = list(shape_of[node])
        elif node.op == "get_attr":
            value = attribute_of(self.model, node.target)
            if isinstance(value, torch.Tensor):
                row["shape"] = list(value.shape)
                row |= dtype_of(value)
            row["scope"] = node.target.rpartition(".")[0]
        elif node.op == "call_module":
            module = self.changed_modules.get(node.target) or self.model.get_submodule(node.target)
            try:
                row["module"] = module_row(module)
            except NotExpressible as e:
                raise NotExpressible(f"node {node.name}, a {type(module).__name__}, has {e}") from e
            row["scope"] = node.target.rpartition(".")[0]
        elif node.op != "output":
            scope, kind = scopes.get(node.name, ("", None))[:2]
            row["scope"] = scope
            if scope and kind is not None:
                row["scope_type"] = class_name(kind)
        return row

    def gives_integers(self, node):
        """Whether PyTorch has a tensor of integers, as far as types are known: of an input whose type is not
        given, whether the model takes neither floats nor a mask."""
        values = self.measured.if_known() if node.op not in ("get_attr", "output") else None
        value = None if values is None else self.measured[node]
        if not isinstance(value, torch.Tensor) or value.dtype in (torch.bool, torch.uint8) or (
                value.is_floating_point() or value.is_complex()):
            return False
        return node.op != "placeholder" or node not in self.untyped or not self.takes_mask(node)

    def takes_mask(self, node):
        """Whether the model runs if this input is of bool."""
        inputs = [value.to(torch.bool) if n is node else value for n, value in
                  ((n, self.measured[n]) for n in self.graph.nodes if n.op == "placeholder")]
        try:
            self.run_original(inputs)
        except Exception:  # of any type: the model's own code ran
            return False
        return True

    def target(self, node):
        if node.op != "call_function":
            return str(node.target)
        known = self.names.get(id(node.target))
        if known is not None:
            return known
        if isinstance(node.target, torch._ops.OpOverloadPacket):
            return f"torch.ops.{node.target}"
        return f"{node.target.__module__}.{node.target.__qualname__}"

    def weights(self):
        """Of the state_dict, what the graph reads, and tensors that it reads beside it; after rows().
        (An auxiliary head that only training calls is not in the graph.)"""
        model = self.model
        tensors = model.state_dict()
        if self.trained is not None:
            tensors = self.trained.weights(self.graph, model)
            if self.folded:
                model = copy.deepcopy(model)
                model.load_state_dict(tensors)
        called = tuple(f"{path}." for path in self.called)
        kept = {*self.read, *self.custom["preserved_attributes"]}
        tensors = {name: tensor for name, tensor in tensors.items()
                   if name.startswith(called) or name in kept}
        for path in self.called:
            computed = computed_parameters(path, model.get_submodule(path))
            computed_of = tuple(f"{path}.{name}_" for name in computed) + (f"{path}.parametrizations.",)
            if computed:
                tensors = {name: t for name, t in tensors.items() if not name.startswith(computed_of)}
            tensors.update((f"{path}.{name}", tensor) for name, tensor in computed.items())
        for path in self.read:
            tensors.setdefault(path, attribute_of(model, path))
            tensors[path] = as_floats(tensors[path])
        if self.folded or self.mask_parameters:
            values, _ = self.constants(model)
            tensors.update((path, as_floats(values[node])) for path, node in self.folded.items())
            tensors.update((path, as_scores(values[node]))
                           for path, node in self.mask_parameters.items())
        for path, inside in self.inside.items():
            for name in (*inside.read, *inside.folded, *inside.mask_parameters):
                tensors[f"{path}.{name}"] = inside.weights()[name]
        return {name: tensor.detach() for name, tensor in tensors.items()
                if isinstance(tensor, torch.Tensor)}


def write_whole(path, content):
    """The file has all of the content, or stays as it was."""
    path = path.resolve()
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".export-")
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def lines_of(content):
    """One line a row, and a key."""
    if isinstance(content, list):
        return "[\n" + ",\n".join(json.dumps(row) for row in content) + "\n]"
    if "rows" not in content:
        return "{" + ",\n".join(f"{json.dumps(path)}: {lines_of(inside)}"
                                for path, inside in content.items()) + "}"
    return "{" + ",\n".join(
        f"{json.dumps(key)}: {lines_of(value) if key in ('rows', 'modules') else json.dumps(value)}"
        for key, value in content.items()) + "}"


def write_rows(path, content):
    write_whole(path, f"{lines_of(content)}\n".encode())


def write_safetensors(path, tensors):
    header, blobs, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name, tensor in tensors.items():
        if tensor.dtype not in SAFETENSORS:
            raise NotExpressible(f"{name} is a tensor of {tensor.dtype}")
        raw = tensor.contiguous().flatten().view(torch.uint8) if tensor.numel() else tensor
        blobs.append(raw.numpy().tobytes())
        begin, end = end, end + len(blobs[-1])
        header[name] = {"dtype": SAFETENSORS[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    write_whole(path, len(text).to_bytes(8, "little") + text + b"".join(blobs))


def find_object(name):
    """What module:attribute is."""
    path, _, attribute = name.partition(":")
    if not attribute:
        raise NotExpressible(f"{name} is not of the form module:name")
    sys.path.insert(0, os.getcwd())
    try:
        return operator.attrgetter(attribute)(importlib.import_module(path))
    except (ImportError, AttributeError) as e:
        raise NotExpressible(f"{name}: {e}") from e


def find_model(name):
    """The module that module:attribute is, or gives when it is called."""
    found = find_object(name)
    given = isinstance(found, torch.nn.Module) or not callable(found)
    model = found if given else found()
    if not isinstance(model, torch.nn.Module):
        raise NotExpressible(f"{name} gives {model!r:.60}, which is no torch.nn.Module")
    return model


def shape(text):
    """Of an input, its type, or None, and its name, or None."""
    name, equals, text = text.rpartition("=")
    if equals and ("." not in name or not all(name.split("."))):
        raise argparse.ArgumentTypeError(f"{name} is not of the form batch.image, an item of an argument")
    extents, colon, dtype = text.partition(":")
    if colon and dtype not in ("float32", "int64", "bool"):
        raise argparse.ArgumentTypeError(f"an input is of float32, int64 or bool, not of {dtype or 'no type'}")
    return (tuple(int(extent) for extent in extents.split(",")),
            getattr(torch, dtype) if colon else None, name or None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", metavar="MODEL", help="module:function, module:class or :object")
    parser.add_argument("--input", type=shape, action="append", required=True, metavar="SHAPE",
                        help="of one input, 1,3,224,224; repeat it for each. Its type may follow, "
                             "1,64:int64, float32 or bool, for a model that asks for it; a name stands before it if "
                             "an argument is a dict or a list of inputs, batch.image=1,3,8,8 or images.0=1,3,8,8, "
                             "and in those there may be more, batch.images.0=1,3,8,8")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="NAME.json")
    parser.add_argument("--qat", metavar="MODULE:NAME",
                        help="the same model as prepare_qat_fx returned it, trained")
    parser.add_argument("--backend", metavar="MODULE:NAME",
                        help="the BackendConfig of prepare_qat_fx, if it was given one")
    parser.add_argument("--no-weights", action="store_true", help="only the rows")
    for option, (key, metavar, what) in CUSTOM.items():
        parser.add_argument(option, dest=key, action="append", metavar=metavar,
                            help=what + "; repeat it for each")
    parser.add_argument("--user-op", action="append", metavar="my.FUNCTION",
                        help="an op of your own, a function given to torch.fx.wrap; others are traced into; repeat it "
                             "for each")
    arguments = parser.parse_args()
    try:
        trained = None
        if arguments.qat is not None:
            backend = None if arguments.backend is None else find_object(arguments.backend)
            trained = Trained(find_model(arguments.qat), backend() if callable(backend) else backend)
        shapes, dtypes, names = zip(*arguments.input)
        exporter = Exporter(find_model(arguments.model), shapes, vars(arguments), trained, dtypes, names)
        content = exporter.content()
        write_rows(arguments.output, content)
        if not arguments.no_weights:
            write_safetensors(arguments.output.with_suffix(".safetensors"), exporter.weights())
        if trained is not None:
            write_safetensors(arguments.output.with_suffix(".qparams.safetensors"),
                              trained.qparams())
    except (NotExpressible, OSError) as e:
        sys.exit(f"export_fx.py: {e}")


if __name__ == "__main__":
    main()
