# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divisions, quotients that are rounded, and remainders."""

import operator

import torch

from fx_export.decompositions.table import decomposes, decomposes_function, dtype_of, is_tensor


@decomposes("divide")
def divide(x, other, *, rounding_mode=None):
    return x.div(other) if rounding_mode is None else div(x, other, rounding_mode=rounding_mode)


@decomposes("fmod")
def fmod(x, other):
    """Two tensors: by their quotient, whose rounding decides near multiples."""
    if is_tensor(other):
        return x.sub(div(x, other, rounding_mode="trunc").mul(other))
    return torch.sign(x).mul(x.abs().remainder(abs(other)))


@decomposes("remainder")
@decomposes_function(operator.mod)
def remainder(x, other):
    """Two tensors: by their quotient, whose rounding decides near multiples."""
    if not is_tensor(x) or not is_tensor(other) or not any_float(x, other):
        return None
    return x.sub(x.div(other).floor().mul(other))


@decomposes("div")
def div(x, other, *, rounding_mode=None):
    """Two tensors: by their quotient, whose rounding decides near multiples."""
    if rounding_mode == "trunc":
        quotient = x.div(other).trunc()
        return quotient if any_float(x, other) else quotient.long()
    if rounding_mode == "floor":
        is_of_tensors = is_tensor(x) and is_tensor(other) and any_float(x, other)
        return x.div(other).floor() if is_of_tensors else torch.floor_divide(x, other)
    return None


def any_float(*operands):
    return any(dtype_of(x).is_floating_point if is_tensor(x) else isinstance(x, float) for x in operands)
