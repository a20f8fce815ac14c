# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made, written into, or converted."""

import math
import operator

import torch

from fx_export.decompositions.table import (
    axis_of, decomposes, decomposes_function, dtype_of, is_complex, is_tensor, numbers_of, rank_of, size_of,
    Undecomposed)
from fx_export.decompositions.indices import of_pairs
from fx_export.decompositions.views import reshaped


def filled(x, value, size, dtype=None):
    return torch.full(tuple(size), value, dtype=dtype_of(x) if dtype is None else dtype)


@decomposes(".new_zeros", ".new_empty")
def new_zeros(x, *sizes, size=None, dtype=None, **_):
    return filled(x, 0, numbers_of(sizes) if size is None else size, dtype)


@decomposes(".new_ones")
def new_ones(x, *sizes, size=None, dtype=None, **_):
    return filled(x, 1, numbers_of(sizes) if size is None else size, dtype)


@decomposes(".new_full")
def new_full(x, size, fill_value, dtype=None, **_):
    return filled(x, fill_value, size, dtype)


@decomposes(".new_tensor")
def new_tensor(x, data, dtype=None, **_):
    if is_tensor(data):
        return to(data, dtype=dtype_of(x) if dtype is None else dtype)
    return torch.tensor(data, dtype=dtype_of(x) if dtype is None else dtype)


def as_type_of(x, value):
    """What x holds after value is written into it."""
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
    """Of what is computed of y[mask], element by element: the same of y. None of another value."""
    if not is_tensor(value):
        return value
    node = value.node
    if node.target is operator.getitem and are_same(node.args[1], mask.node):
        return tracer.proxy(node.args[0])
    name = node.target if node.op == "call_method" else getattr(node.target, "__name__", "")
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


def written_where(x, mask, value):
    """x[mask] = value"""
    size = tuple(size_of(x))
    if dtype_of(mask) != torch.bool:
        raise Undecomposed("an assignment to what indices choose")
    if is_tensor(value) and rank_of(value) > 0:
        value = unmasked(x.tracer, value, mask)
        if value is None or tuple(size_of(value)) != size:
            raise Undecomposed("an assignment of other elements than those that the mask chooses")
    mask = reshaped(mask, *size_of(mask), *[1] * (len(size) - rank_of(mask)))
    return torch.where(mask, as_type_of(x, value), x) if is_tensor(value) else x.masked_fill(mask, value)


def assigned(x, items, value):
    """Constants say which elements are taken from where."""
    size = tuple(size_of(x))
    if any(isinstance(i, torch.fx.Proxy) for i in items):
        if len(items) != 1:
            raise Undecomposed("an assignment to what tensors and other indices choose")
        return written_where(x, items[0], value)
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


def of_a_dtype(call):
    """x.cumsum(1, dtype=torch.float32) is x.float().cumsum(1): rows have no type of a result."""
    def convert(x, *args, dtype=None, **named):
        if not isinstance(dtype, torch.dtype):
            return None
        if dtype == torch.bool:  # of what all elements are
            return call(x.float(), *args, **named).ne(0)
        return call(x.float() if dtype.is_floating_point else x.long(), *args, **named)
    return convert


def filled_like(call):
    """Of complex numbers a constant, since its size is known."""
    of_reals = of_a_dtype(call)

    def make(x, *args, **named):
        value = x.tracer.value_of_replaced()
        if value.is_complex():
            filled = call(value, *args, **{k: v for k, v in named.items() if k == "fill_value"})
            return x.tracer.as_pairs(x.tracer.attribute(torch.view_as_real(filled)))
        return of_reals(x, *args, **named)
    return make


for _name in "sum", "cumsum", "cumprod":
    decomposes(_name)(of_a_dtype(getattr(torch, _name)))
for _name in "zeros_like", "ones_like", "full_like":
    decomposes(_name)(filled_like(getattr(torch, _name)))


@decomposes("empty_like")
def empty_like(x, **named):
    """What the model's code writes into."""
    made = filled_like(torch.zeros_like)(x, **named)
    return torch.zeros_like(x) if made is None else made


# What x.type() gives.
TYPES = {"torch.FloatTensor": torch.float32, "torch.LongTensor": torch.int64, "torch.BoolTensor": torch.bool}


@decomposes(".to", ".type_as", ".type")
def to(x, *others, dtype=None, device=None, non_blocking=False, copy=False):
    """The type that a tensor has anyway, or another. (There is one device.)"""
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
    return forms[dtype]() if dtype in forms else None


@decomposes(".byte")
def byte(x):
    """Of a mask."""
    return x if dtype_of(x) == torch.bool else None


@decomposes(".cpu")
def cpu(x):
    return x


@decomposes(".requires_grad")
def requires_grad(x, requires_grad=True):
    return x
