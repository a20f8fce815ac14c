# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of types: x.to(), and results of a given type."""

import functools

import torch

from fx_export.decompositions.table import decomposes, dtype_of, is_computed, Undecomposed


def of_a_dtype(call):
    """x.cumsum(1, dtype=torch.float32) is x.float().cumsum(1): rows have no type of a result."""
    def convert(x, *args, dtype=None, **named):
        if not isinstance(dtype, torch.dtype):
            return None
        if dtype == torch.bool:  # of what all elements are
            return call(x.float(), *args, **named).ne(0)
        return call(x.float() if dtype.is_floating_point else x.long(), *args, **named)
    return convert


for _name in "sum", "cumsum", "cumprod":
    decomposes(_name)(of_a_dtype(getattr(torch, _name)))


# What x.type() gives.
TYPES = {"torch.FloatTensor": torch.float32, "torch.LongTensor": torch.int64, "torch.BoolTensor": torch.bool}


@decomposes(".to", ".type_as", ".type")
def to(x, *others, dtype=None, device=None, non_blocking=False, copy=False):
    """Converts the type, if it is not the tensor's. (There is one device.)"""
    others = [TYPES.get(other, other) if isinstance(other, str) else other for other in others]
    if any(isinstance(other, str) and other != "cpu" for other in others):
        return None
    for other in others:
        if isinstance(other, torch.fx.Proxy):
            dtype = dtype_of(other)
        elif isinstance(other, torch.dtype):
            dtype = other
    own = dtype_of(x)
    if dtype in (None, own):
        return x
    forms = {torch.float32: x.float, torch.int64: x.long, torch.int32: x.long}
    if dtype == torch.bool:
        return x.ne(0)
    return forms[dtype]() if dtype in forms else reject_other_float(x, dtype)


def reject_other_float(x, dtype):
    """Rejects a type of floats that ctq does not compute with; other types and constants stay."""
    if dtype.is_floating_point and dtype_of(x) != dtype and is_computed(x):
        raise Undecomposed(f"a conversion to {str(dtype).removeprefix('torch.')}; ctq computes with float32, so leave "
                           "it out")
    return None


for _name, _dtype in {"double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16}.items():
    decomposes(f".{_name}")(functools.partial(reject_other_float, dtype=_dtype))


@decomposes(".byte")
def byte(x):
    """A mask stays as it is."""
    return x if dtype_of(x) == torch.bool else None


@decomposes(".cpu")
def cpu(x):
    return x


@decomposes(".requires_grad")
def requires_grad(x, requires_grad=True):
    return x
