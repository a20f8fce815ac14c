# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of decompositions, and what they are written with."""

import torch
import torch.nn.functional as F
from torch import nn

DECOMPOSITIONS = {}
MODULES = {}
HIGHEST = torch.finfo(torch.float32).max
EXCLUDED = -1e30  # what attention excludes has scores of at most this: -inf, or the lowest number of float32


class Undecomposed(Exception):
    """ctq cannot have a call, not with others either; the message says what is in the way."""


def decomposes(*names):
    """Marks a decomposition: "NAME" is torch.NAME and the method NAME, where PyTorch has them; ".NAME", the method
    alone; "F.NAME", torch.nn.functional.NAME; "linalg.NAME", torch.linalg.NAME; "special.NAME"; "fft.NAME"."""
    def add(decompose):
        for name in names:
            space, dot, function = name.rpartition(".")
            if dot and not space:
                DECOMPOSITIONS[function] = decompose
                continue
            # torch.functional's own functions are traced as what they call in C++.
            places = {"": (torch, torch._C._VariableFunctions), "F": (F,), "linalg": (torch.linalg,),
                      "special": (torch.special,), "fft": (torch.fft,)}
            DECOMPOSITIONS.update((getattr(place, function), decompose) for place in places[space]
                                  if hasattr(place, function))
            if not space and hasattr(torch.Tensor, function):
                DECOMPOSITIONS[function] = decompose
        return decompose
    return add


def decomposes_function(*functions):
    def add(decompose):
        DECOMPOSITIONS.update((f, decompose) for f in functions)
        return decompose
    return add


def decomposes_module(*names):
    def add(decompose):
        MODULES.update((getattr(nn, name), decompose) for name in names if hasattr(nn, name))
        return decompose
    return add


def size_of(x):
    """The shape of a tensor; that of a proxy is what its builder has measured."""
    return x.shape if isinstance(x, torch.Tensor) else x.tracer.value_of(x).shape


def dtype_of(x):
    """The type of a tensor; None for a number, such as x.sum().item()."""
    return x.dtype if isinstance(x, torch.Tensor) else getattr(x.tracer.value_of(x), "dtype", None)


def rank_of(x):
    return len(size_of(x))


def is_tensor(x):
    return isinstance(x, (torch.Tensor, torch.fx.Proxy))


def is_complex(x):
    return isinstance(x, torch.fx.Proxy) and x.tracer.is_complex(x)


def is_computed(x):
    """Whether inputs of the model decide a tensor."""
    return isinstance(x, torch.fx.Proxy) and x.tracer.constant(x) is None


def constant_of(x):
    """The value of a tensor that is not computed."""
    return x if isinstance(x, torch.Tensor) else x.tracer.constant(x)


def axis_of(x, dim):
    """An axis counted from the first."""
    return axis_of_rank(dim, rank_of(x))


def axis_of_rank(dim, rank):
    return dim % max(rank, 1)


def numbers_of(given):
    """x.new_zeros(2, 3) and x.new_zeros((2, 3)) have the same numbers."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def pair(value):
    """A number for each of two axes."""
    return of_axes(value, 2)


def of_axes(value, count):
    """A number for each axis, of one number for all or one for each."""
    return (value,) * count if isinstance(value, int) else tuple(value) * (count + 1 - len(value))
