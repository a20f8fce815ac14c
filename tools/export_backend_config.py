#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A BackendConfig of PyTorch as a spec of ctq: export_backend_config.py BACKEND [-o FILE]

BACKEND is native, fbgemm, x86, qnnpack, onednn, executorch or tensorrt, as far as this PyTorch has
it, or module:function (or module:object) for one of your own. Runs with the Python that has
PyTorch, 1.13 to 2.x, and writes the form that `ctq show BACKEND --json` writes.
"""

import argparse
import functools
import importlib
import inspect
import json
import operator
import sys

try:
    import torch
except ImportError:
    sys.exit(f"{sys.argv[0]}: needs PyTorch; run it with the Python that has it")
import torch.ao.quantization

from torch_names import names_in

# Where names are looked up, and what they are called there. The first that has an object names it:
# torch.relu and F.relu are two objects, torch.conv2d and F.conv2d are one, which is called F's.
NAMESPACES = [
    ("torch.ao.nn.intrinsic", ["torch.ao.nn.intrinsic", "torch.nn.intrinsic"]),
    ("torch.ao.nn.intrinsic.qat", ["torch.ao.nn.intrinsic.qat", "torch.nn.intrinsic.qat"]),
    ("torch.ao.nn.qat", ["torch.ao.nn.qat", "torch.nn.qat"]),
    ("torch.ao.nn.quantized.reference",
     ["torch.ao.nn.quantized.reference", "torch.nn.quantized._reference"]),
    ("torch.ao.quantization", ["torch.ao.quantization"]),
    ("torch.nn", ["torch.nn"]),
    ("torch.nn.functional", ["torch.nn.functional"]),
    ("torch", ["torch"]),
    ("_operator", ["operator"]),
]

CONSTRAINTS = ["quant_min_lower_bound", "quant_max_upper_bound", "scale_min_lower_bound",
               "scale_max_upper_bound", "scale_exact_match", "zero_point_exact_match"]

# The arguments of observers in ctq's order, with the defaults that ctq leaves out.
OBSERVER_ARGUMENTS = {
    "dtype": torch.quint8, "qscheme": torch.per_tensor_affine, "reduce_range": False,
    "quant_min": None, "quant_max": None, "eps": torch.finfo(torch.float32).eps,
    "averaging_constant": 0.01, "ch_axis": 0, "bins": 2048, "upsample_rate": 128,
    "is_dynamic": False, "scale": 1.0, "zero_point": 0,
}
CLASS_DEFAULTS = {
    "PerChannelMinMaxObserver": {"qscheme": torch.per_channel_affine},
    "MovingAveragePerChannelMinMaxObserver": {"qscheme": torch.per_channel_affine},
    "PlaceholderObserver": {"dtype": torch.float32},
    "NoopObserver": {"dtype": torch.float16},
    "FixedQParamsObserver": {"scale": None},  # always written
}
FAKE_QUANTIZES = {"FakeQuantize": "MovingAverageMinMaxObserver",
                  "FusedMovingAvgObsFakeQuantize": "MovingAverageMinMaxObserver",
                  "FixedQParamsFakeQuantize": "FixedQParamsObserver"}


class NotExpressible(Exception):
    """Something that a spec of ctq has no form for."""


def table_of_names():
    """Object -> qualified name."""
    spaces = [(prefix, next(filter(None, map(find_module, candidates)), None)) for prefix, candidates in NAMESPACES]
    return names_in([space for space in spaces if space[1]], lambda name, _: not name.startswith("__"))


def find_module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Exporter:
    def __init__(self):
        self.names = table_of_names()
        self.own_ops = {}  # name -> kind

    # --- names ----------------------------------------------------------------------------------

    def name(self, op):
        """The qualified name of a module, function or operator; methods are strings already."""
        if isinstance(op, str):
            return op
        if getattr(op, "__name__", None) == "MatchAllNode":
            return "MatchAllNode"
        known = self.names.get(id(op))
        if known is not None:
            return known
        if not hasattr(op, "__qualname__"):
            raise NotExpressible(f"{op!r} is no module, function or method")
        own = f"{op.__module__}.{op.__qualname__}"
        self.own_ops[own] = "module" if isinstance(op, type) else "function"
        return own

    # --- patterns -------------------------------------------------------------------------------

    def pattern(self, pattern, is_nested):
        """{"pattern": ...} for an op or a chain, else {"pattern_complex_format": ...}."""
        if not isinstance(pattern, tuple):
            return {"pattern": self.name(pattern)}
        if not is_nested:
            return {"pattern": [self.name(op) for op in pattern]}
        chain, rest = [], pattern
        while isinstance(rest, tuple) and len(rest) == 2 and not isinstance(rest[0], tuple):
            chain.insert(0, self.name(rest[0]))
            rest = rest[1]
        if not isinstance(rest, tuple) and self.name(rest) != "MatchAllNode":
            return {"pattern": [self.name(rest), *chain]}
        return {"pattern_complex_format": self.nested(pattern)}

    def nested(self, pattern):
        if isinstance(pattern, tuple):
            return [self.nested(part) for part in pattern]
        return self.name(pattern)

    # --- dtypes ---------------------------------------------------------------------------------

    def constraints(self, config, field):
        value = getattr(config, f"{field}_with_constraints", None)
        if value is None:
            return None if getattr(config, field) is None else str(getattr(config, field))
        limits = {name: limit for name in CONSTRAINTS
                  if (limit := getattr(value, name, None)) is not None}
        dtype = {} if value.dtype is None else {"dtype": str(value.dtype)}
        return {**dtype, **limits} if limits else dtype.get("dtype")

    def dtype_config(self, config):
        out = {field: value for field in ("input_dtype", "output_dtype", "weight_dtype")
               if (value := self.constraints(config, field)) is not None}
        if config.bias_dtype is not None:
            out["bias_dtype"] = str(config.bias_dtype)
        if config.is_dynamic:
            out["is_dynamic"] = True
        return out

    # --- fusers, getters, observers -------------------------------------------------------------

    def fuser(self, function, fused_module):
        """The function's name; what 1.13 wraps around it only turns its arguments around."""
        inside = inspect.getclosurevars(function).nonlocals if inspect.isfunction(function) else {}
        if "_sequential_wrapper2" in function.__qualname__:
            if inside["sequential"] is not fused_module:
                raise NotExpressible("the fuser method makes another module than fused_module")
            return "sequential_wrapper2"
        if "reverse" in function.__qualname__ and "f" in inside:
            return self.fuser(inside["f"], fused_module)
        if "<locals>" in function.__qualname__:
            raise NotExpressible(f"the fuser method {function.__qualname__} has no name")
        return function.__name__

    def path(self, leaf):
        if not isinstance(leaf, Leaf):
            raise NotExpressible("a getter gives something else than nodes of the pattern")
        return list(leaf.path)

    def observer(self, constructor):
        arguments = {}
        if isinstance(getattr(constructor, "p", None), functools.partial):
            partial = constructor.p
            constructor, arguments = partial.func, dict(partial.keywords)
        name = constructor.__name__
        out = {"class": name}
        observer = name
        if name in FAKE_QUANTIZES:
            observer = FAKE_QUANTIZES[name]
            inner = arguments.pop("observer", None)
            if inner is not None:
                if isinstance(getattr(inner, "p", None), functools.partial):
                    arguments = {**inner.p.keywords, **arguments}
                    inner = inner.p.func
                if inner.__name__ != observer:
                    out["observer"] = inner.__name__
                observer = inner.__name__
        defaults = {**OBSERVER_ARGUMENTS, **CLASS_DEFAULTS.get(observer, {})}
        unknown = set(arguments) - set(defaults) - {"factory_kwargs"}
        if unknown:
            raise NotExpressible(f"{name} has arguments that ctq does not know: {sorted(unknown)}")
        for key, usual in defaults.items():
            value = arguments.get(key, usual)
            if value != usual and value is not None:
                is_torch = isinstance(value, (torch.dtype, torch.qscheme))
                out[key] = str(value) if is_torch else value
        return out

    # --- configs --------------------------------------------------------------------------------

    def config(self, key, config):
        """key: the nested pattern that the config is registered under."""
        complex_format = getattr(config, "_pattern_complex_format", None)
        if complex_format is not None:
            out = self.pattern(complex_format, True)
        elif hasattr(config, "_pattern_complex_format"):  # PyTorch 2: flat, as the data flows
            out = self.pattern(config.pattern, False)
        else:
            out = self.pattern(config.pattern, True)
        out["observation_type"] = config.observation_type.name
        out["dtype_configs"] = [self.dtype_config(d) for d in config.dtype_configs]
        for field, attribute in [("root_module", "root_module"), ("qat_module", "qat_module"),
                                 ("reference_quantized_module_for_root",
                                  "reference_quantized_module"),
                                 ("fused_module", "fused_module")]:
            if getattr(config, attribute) is not None:
                out[field] = self.name(getattr(config, attribute))
        if config.fuser_method is not None:
            out["fuser_method"] = self.fuser(config.fuser_method, config.fused_module)
        if config._root_node_getter is not None:
            out["root_node_getter"] = self.path(config._root_node_getter(leaves_of(key)))
        if config._extra_inputs_getter is not None:
            out["extra_inputs_getter"] = [
                self.path(leaf) for leaf in config._extra_inputs_getter(leaves_of(key))]
        if config._num_tensor_args_to_observation_type:
            out["num_tensor_args_to_observation_type"] = {
                str(n): t.name
                for n, t in sorted(config._num_tensor_args_to_observation_type.items())}
        if config._input_type_to_index:
            index = config._input_type_to_index
            unknown = set(index) - {"input", "weight", "bias"}
            if unknown:
                raise NotExpressible(f"input_type_to_index knows no {sorted(unknown)}")
            out["input_type_to_index"] = {
                name: index[name] for name in ("input", "weight", "bias") if name in index}
        # PyTorch 1.13 only:
        if getattr(config, "_input_output_observed", None) is not None:
            out["input_output_observed"] = config._input_output_observed
        for field in ("overwrite_output_observer", "overwrite_output_fake_quantize"):
            if getattr(config, f"_{field}", None) is not None:
                out[field] = self.observer(getattr(config, f"_{field}"))
        return out

    def backend(self, backend):
        registered = getattr(backend, "_pattern_complex_format_to_config", None)
        registered = backend.configs if registered is None else registered
        configs = []
        for key, config in registered.items():
            try:
                configs.append(json.dumps(self.config(key, config)))
            except NotExpressible as e:
                raise NotExpressible(f"pattern {key}: {e}") from e
        text = f'{{\n  "name": {json.dumps(backend.name)},\n'
        if self.own_ops:
            ops = [{"name": name, "kind": kind} for name, kind in self.own_ops.items()]
            text += f'  "ops": {json.dumps(ops)},\n'
        lines = "".join(f",\n    {config}" for config in configs)
        return text + '  "configs": [' + lines[1:] + "\n  ]\n}\n"


class Leaf:
    """Stands for a node of a pattern when a getter is asked for its path."""

    def __init__(self, path):
        self.path = path


def leaves_of(pattern, path=()):
    """The pattern with the path to each node in the node's place."""
    if isinstance(pattern, tuple):
        return tuple(leaves_of(part, (*path, i)) for i, part in enumerate(pattern))
    return Leaf(path)


def load(name):
    """A BackendConfig by PyTorch's name, or by module:function."""
    module, _, member = name.partition(":")
    if not member:
        module = f"torch.ao.quantization.backend_config.{name}"
        member = f"get_{name}_backend_config"
    found = getattr(importlib.import_module(module), member)
    return found() if callable(found) else found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backend", help="a backend of PyTorch, or module:function")
    parser.add_argument("-o", "--output", help="file to write; standard output if left out")
    arguments = parser.parse_args()
    try:
        text = Exporter().backend(load(arguments.backend))
    except (ImportError, AttributeError, NotExpressible) as e:
        sys.exit(f"export_backend_config: {arguments.backend}: {e}")
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
