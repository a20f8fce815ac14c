# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are written into a tensor, as a new tensor."""

import math
import operator

import torch

from fx_export.decompositions.factories import filled
from fx_export.decompositions.indices import of_pairs
from fx_export.decompositions.table import (
    axis_of, decomposes, decomposes_function, dtype_of, is_complex, is_tensor, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import reshaped
from fx_export.graphs.node_kinds import name_of_call


def as_type_of(x, value):
    """A value with the type of x, as x has it after it is written."""
    dtype = dtype_of(x)
    if dtype_of(value) == dtype:
        return value
    return value.float() if dtype.is_floating_point else value.ne(0) if dtype == torch.bool else value.long()


@decomposes(".__setitem__")
@decomposes_function(operator.setitem)
def set_item(x, index, value):
    """x[index] = value as a new tensor."""
    items = index if isinstance(index, tuple) else (index,)
    if is_complex(x):
        pairs = x.tracer.pairs_of
        return x.tracer.as_pairs(assigned(pairs(x), of_pairs(items), pairs(value) if is_tensor(value) else value))
    return assigned(x, items, value)


# Functions and methods of each element, by their names: methods that backends have in no pattern.
OF_ELEMENTS = {"truediv": "div", "clamp": "clip"} | {name: name for name in (
    "add", "sub", "mul", "div", "pow", "neg", "abs", "exp", "log", "sqrt", "square", "clip", "sin", "cos", "floor",
    "ceil", "round")}


def are_same(a, b):
    """Whether two arguments are equal: the same node, or the same call."""
    if not isinstance(a, torch.fx.Node) or not isinstance(b, torch.fx.Node):
        return type(a) is type(b) and a == b
    return a is b or (a.op == b.op != "placeholder" and a.target == b.target and a.kwargs == b.kwargs and
                      len(a.args) == len(b.args) and all(map(are_same, a.args, b.args)))


def unmasked(tracer, value, mask):
    """If a value is computed of y[mask], element by element: the same, computed of y. Else None."""
    if not is_tensor(value):
        return value
    node = value.node
    if node.target is operator.getitem and are_same(node.args[1], mask.node):
        return tracer.proxy(node.args[0])
    name = name_of_call(node)
    if not node.op.startswith("call_") or name not in OF_ELEMENTS:
        return value if rank_of(value) == 0 else None
    args = [unmasked(tracer, tracer.proxy(a) if isinstance(a, torch.fx.Node) else a, mask) for a in node.args]
    if any(a is None for a in args) or any(isinstance(a, torch.fx.Node) for a in node.kwargs.values()):
        return None
    if not is_tensor(args[0]):  # a number before a tensor
        if name not in ("add", "mul"):
            return tracer.create_proxy(node.op, node.target, tuple(args), node.kwargs)
        args = args[::-1]
    return getattr(args[0], OF_ELEMENTS[name])(*args[1:], **node.kwargs)


def written_where(x, items, value):
    """x[items] = value, where one of the items is a mask and the others are whole axes."""
    size = tuple(size_of(x))
    masks = [i for i, item in enumerate(items) if isinstance(item, torch.fx.Proxy)]
    if len(masks) != 1 or any(item != slice(None) for i, item in enumerate(items) if i not in masks):
        raise Undecomposed("an assignment to what tensors and other indices choose")
    mask = items[masks[0]]
    if dtype_of(mask) != torch.bool:
        raise Undecomposed("an assignment to what indices choose")
    inner = len(size) - masks[0] - rank_of(mask)  # axes after those of the mask
    leading = rank_of(value) - inner if is_tensor(value) else 0  # axes of the value along what the mask chooses
    if leading > 0 and set(size_of(value)[:leading]) == {1}:
        value = reshaped(value, *size_of(value)[leading:])
    if is_tensor(value) and rank_of(value) > inner:
        value = unmasked(x.tracer, value, mask) if len(items) == 1 else None
        if value is None or tuple(size_of(value)) != size:
            raise Undecomposed("an assignment of other elements than those that the mask chooses")
    mask = reshaped(mask, *size_of(mask), *[1] * inner)
    return torch.where(mask, as_type_of(x, value), x) if is_tensor(value) else x.masked_fill(mask, value)


def assigned(x, items, value):
    """x after x[items] = value, by constants that say which element comes from where."""
    size = tuple(size_of(x))
    if any(isinstance(i, torch.fx.Proxy) for i in items):
        return written_where(x, items, value)
    is_set = torch.zeros(size, dtype=torch.bool)
    is_set[items] = True
    if not is_tensor(value):
        return x.masked_fill(is_set, value)
    places = torch.zeros(size, dtype=torch.int64)
    region = places[items].shape
    places[items] = torch.arange(math.prod(region)).reshape(region)
    value = as_type_of(x, value)
    if rank_of(value) > len(region):  # of axes of one element
        value = reshaped(value, *size_of(value)[rank_of(value) - len(region):])
    value = reshaped(value.expand(tuple(region)), -1)
    if bool(is_set.all()) and torch.equal(places.reshape(-1), torch.arange(math.prod(size))):
        return reshaped(value, *size)
    return torch.where(is_set, reshaped(torch.index_select(value, 0, places.reshape(-1)), *size), x)


@decomposes("select_scatter")
def select_scatter(x, src, dim, index):
    return set_item(x, (slice(None),) * axis_of(x, dim) + (index,), src)


@decomposes("slice_scatter")
def slice_scatter(x, src, dim=0, start=None, end=None, step=1):
    return set_item(x, (slice(None),) * axis_of(x, dim) + (slice(start, end, step),), src)


@decomposes(".fill")
def fill(x, value):
    if is_tensor(value):
        return value.expand(tuple(size_of(x)))
    return filled(x, value, size_of(x))


@decomposes(".zero")
def zero(x):
    return filled(x, 0, size_of(x))


@decomposes(".copy")
def copy(x, source, non_blocking=False):
    return as_type_of(x, source).expand(tuple(size_of(x)))
