# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is replaced in PyTorch and in einops, so that they take proxies.

PyTorch 1 with Python 3.11 is repaired when this module is imported; the other patches hold while a model is traced."""

import contextlib
import dis
import inspect
import sys
import types
import typing
from unittest import mock

import torch

from fx_export.tracing.proxies import SizedProxy

# Modules whose functions are traced into, although torch.fx.wrap was given them: ctq has the ops that they call.
TRACED_INTO = ("torchvision.models.video.mvit", "torchvision.ops.drop_block")


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


def blank(*size, memory_format=None, **named):
    """In the place of torch.empty: with the same elements each time."""
    return torch.zeros(*size, **named)


def run_script(call):
    """In the place of calls of functions of torch.jit.script, which take no proxies: calls of their code as Python."""
    def run(function, *args, **named):
        if not any(isinstance(a, torch.fx.Proxy) for a in (*args, *named.values())):
            return call(function, *args, **named)
        names = {"torch": torch, "Tensor": torch.Tensor, "annotate": lambda kind, value: value, **vars(typing)}
        exec(function.code, names)
        return names[function.name](*args, **named)
    return run


def wrapped_calls(user_ops):
    """The functions that torch.fx.wrap was given and that stay calls: the user's ops, and torchvision's but for those
    of TRACED_INTO. Others are traced into."""
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
    """A context in which einops takes proxies, if the model uses it."""
    backends = sys.modules.get("einops._backends")
    if backends is None:
        return contextlib.nullcontext()
    return mock.patch.object(backends.TorchBackend, "is_appropriate_type",
                             lambda self, x: isinstance(x, (torch.Tensor, SizedProxy)))
