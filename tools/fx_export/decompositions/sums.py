# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and differences: of masks, of complex numbers, with a factor, and of scores and their mask, which stay in
float. A mask excludes a score if it adds a number of at most EXCLUDED to it."""

import math
import operator

import torch

from fx_export.decompositions.masks import are_masks
from fx_export.decompositions.table import (
    constant_of, decomposes, decomposes_function, EXCLUDED, HIGHEST, is_complex, is_computed, is_tensor, size_of,
    Undecomposed)
from fx_export.graphs.node_kinds import name_of_call

# What gives a view of its first argument, or a copy of another type.
OF_VIEWS = ("getitem", "unsqueeze", "view", "reshape", "expand", "expand_as", "repeat", "transpose", "contiguous", "to",
            "float", "type_as")


@decomposes("add", ".add_")
@decomposes_function(operator.add)
def add(x, other, *, alpha=1):
    """A sum of two masks, of complex numbers, with a factor, or of scores and a mask that excludes some."""
    if is_complex(x) or is_complex(other):
        return total(x, other, lambda a, b: a.add(scaled(b, alpha)))
    x, other = (other, x) if isinstance(x, bool) else (x, other)
    if isinstance(other, bool) and are_masks(x):
        return torch.ones_like(x.float()).ne(0) if other else x
    if are_masks(x, other):
        return torch.logical_or(x, other)
    for a, b in (x, other), (other, x):
        if alpha == 1 and is_tensor(a) and excludes(a, b):
            return without_excluded(a, b)
        if alpha == 1 and is_tensor(a) and is_tensor(b) and excluding_number(b) is not None:
            return a.add(b)
    return x.add(other.mul(alpha)) if is_tensor(x) and is_tensor(other) and alpha != 1 else None


@decomposes("sub")
@decomposes_function(operator.sub)
def sub(x, other, *, alpha=1):
    if is_complex(x) or is_complex(other):
        return total(x, other, lambda a, b: a.sub(scaled(b, alpha)))
    return x.sub(other.mul(alpha)) if is_tensor(x) and is_tensor(other) and alpha != 1 else None


def total(x, other, call):
    """A sum or a difference of complex numbers."""
    if not is_complex(x) or not is_complex(other):
        raise Undecomposed("a sum of complex numbers and others")
    return x.tracer.as_pairs(call(*map(x.tracer.pairs_of, (x, other))))


def scaled(x, factor):
    return x if not is_tensor(factor) and factor == 1 else x.mul(factor)


def number_in(node):
    """The last argument of masked_fill, full_like or a product, if it is a number of at most EXCLUDED; else None."""
    number = (*node.args, *node.kwargs.values())[-1]
    return number if isinstance(number, (int, float)) and number <= EXCLUDED else None


def call_before_views(x, names):
    """The call of one of these functions or methods, if x is a view of what it gives; else None."""
    node = x.node
    while node.op.startswith("call_") and node.args and isinstance(node.args[0], torch.fx.Node):
        name = name_of_call(node)
        if name in names:
            return node  # whose first argument is a node
        if name not in OF_VIEWS:
            return None
        node = node.args[0]
    return None


def excluding_fill(x):
    """The call of masked_fill with a number of at most EXCLUDED, if x is a view of what it gives; else None."""
    call = call_before_views(x, ("masked_fill",))
    return call if call is not None and number_in(call) is not None else None


def excluding_number(x):
    """The number in (1 - mask) * torch.finfo(torch.float32).min, or the one of at most EXCLUDED between which and
    another one torch.where chooses, if x is a view of that; else None. No integers express its range."""
    call = call_before_views(x, ("mul", "masked_fill"))
    if call is None:
        return None
    number, filled = number_in(call), call.args[0]
    if number is None and filled.op == "call_function" and filled.target is torch.full_like:
        return number_in(filled)
    return number


def excludes(scores, mask):
    """Whether a mask that is added to scores, a constant or what masked_fill gives, excludes some of them."""
    if not is_tensor(mask) or not is_computed(scores) or (
            torch.broadcast_shapes(size_of(mask), size_of(scores)) != size_of(scores)):
        return False
    value = constant_of(mask)
    if value is None:
        return excluding_fill(mask) is not None
    return value.is_floating_point() and bool(value.le(EXCLUDED).any())


def without_excluded(scores, mask):
    """The sum of scores and such a mask as masked_fill, which stays in float: PyTorch's observers refuse the mask, or
    leave out what it excludes."""
    value = constant_of(mask)
    if value is None:
        fill = excluding_fill(mask)
        number = number_in(fill)
        excluded = mask.lt(-HIGHEST if math.isinf(number) else EXCLUDED)
        filled = constant_of(mask.tracer.proxy(fill.args[0]))
        rest = None if filled is not None and not filled.any() else mask.masked_fill(excluded, 0)
    else:
        number = float(value.min())
        excluded = value.eq(number)
        rest = value.masked_fill(excluded, 0)
        excluded, rest = (scores.tracer.attribute(x) if x.any() else None for x in (excluded, rest))
    return (scores if rest is None else scores.add(rest)).masked_fill(excluded, number)
