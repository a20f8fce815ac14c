# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks: tensors of bool, and what they choose."""

import operator

import torch

from fx_export.decompositions.divisions import any_float
from fx_export.decompositions.table import (
    constant_of, decomposes, decomposes_function, dtype_of, is_computed, is_tensor, size_of, Undecomposed)
from fx_export.decompositions.views import broadcast_size


def are_masks(*operands):
    return all(is_tensor(x) and dtype_of(x) == torch.bool for x in operands)


@decomposes_function(operator.and_, operator.or_, operator.invert)
def bits(*operands):
    """Operators of masks stay; those of integers are rejected."""
    if any(is_tensor(x) and dtype_of(x) != torch.bool for x in operands):
        raise Undecomposed("integers, whose bits no op of ctq computes; if an input is a mask, add its type: "
                           "--input 1,64:bool")


for _name, _of_masks in {"and": torch.logical_and, "or": torch.logical_or, "not": torch.logical_not}.items():
    decomposes(f"bitwise_{_name}")(lambda *masks, call=_of_masks: call(*masks) if are_masks(*masks) else None)


@decomposes_function(operator.xor)
def xor(x, other):
    """Masks differ; integers are rejected."""
    bits(x, other)
    return x.ne(other) if are_masks(x, other) else None


def number_of(value):
    """A number, or the number of a constant tensor."""
    if is_computed(value):
        raise Undecomposed("a value that is computed")
    return constant_of(value).item() if is_tensor(value) else value


@decomposes("masked_fill")
def masked_fill(x, mask, value):
    """Fills a tensor that the mask expands, or with the value of a constant tensor."""
    size = broadcast_size(x, mask)
    if not is_tensor(value) and size == tuple(size_of(x)):
        return None
    value = number_of(value)
    return (x if size == tuple(size_of(x)) else x.expand(size)).masked_fill(mask, value)


@decomposes("where")
def where(condition, x=None, other=None):
    """Chooses between two numbers, or between a number and a tensor that the condition expands."""
    if x is None:
        raise Undecomposed("the places of a condition, whose number values decide; give torch.where three arguments")
    tensors = [y for y in (x, other) if is_tensor(y)]
    if not tensors:
        filled = torch.full_like(condition.float(), float(other)).masked_fill(condition, float(x))
        if isinstance(x, bool) and isinstance(other, bool):
            return filled.ne(0)
        return filled if any_float(x, other) else filled.long()
    size = broadcast_size(condition, *tensors)
    if len(tensors) != 1 or size == tuple(size_of(tensors[0])):
        return None
    return torch.where(condition, *(y.expand(size) if is_tensor(y) else y for y in (x, other)))


@decomposes(".where")
def where_of_tensor(x, condition, other):
    result = where(condition, x, other)
    return torch.where(condition, x, other) if result is None else result
