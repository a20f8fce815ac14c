# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of more axes than ctq has, as when volumes are cut into patches: their elements in order, along one axis."""

import math

import torch

from fx_export.decompositions.table import axis_of_rank, decomposes, numbers_of, size_of
from fx_export.decompositions.views import reshaped

MOST_AXES = 6


def is_wide(x):
    return isinstance(x, torch.fx.Proxy) and x.node in x.tracer.wide


def whole_size(x):
    return x.tracer.wide[x.node] if is_wide(x) else tuple(size_of(x))


def of_size(flat, size):
    """A tensor, or a wide view, of elements in order."""
    if len(size) <= MOST_AXES:
        return reshaped(flat, *size)
    view = flat.clone()
    view.tracer.wide[view.node] = tuple(size)
    return view


def takes_wide(decompose):
    decompose.takes_wide = True
    return decompose


@decomposes("reshape", ".view", "flatten", "unflatten", "squeeze", "unsqueeze", ".reshape_as", ".view_as")
@takes_wide
def reshape(x, *size, shape=None, **_):
    if not is_wide(x) and len(numbers_of(size) if shape is None else shape) <= MOST_AXES:
        return None
    return of_size(x if is_wide(x) else reshaped(x, -1), x.tracer.value_of_replaced().shape)


def reordered(x, order):
    """Moves blocks of axes, one after the other, to their places."""
    size, axes, flat = [*whole_size(x)], [*range(len(order))], x
    for to in range(len(order)):
        at = axes.index(order[to])
        if at == to:
            continue
        count = next((n for n in range(1, len(order) - at) if axes[at + n] != order[to + n]), len(order) - at)
        extents = [math.prod(size[i] for i in part) for part in (axes[:to], axes[to:at], axes[at:at + count],
                                                                 axes[at + count:])]
        flat = reshaped(reshaped(flat, *extents).swapaxes(1, 2), -1)
        axes = [*axes[:to], *axes[at:at + count], *axes[to:at], *axes[at + count:]]
    return of_size(flat, [size[i] for i in order])


@decomposes("permute")
@takes_wide
def permute(x, *dims):
    rank = len(whole_size(x))
    return reordered(x, [axis_of_rank(d, rank) for d in numbers_of(dims)]) if is_wide(x) else None


@decomposes("transpose", "swapaxes")
@takes_wide
def transpose(x, first, second):
    if not is_wide(x):
        return None
    order = [*range(len(whole_size(x)))]
    first, second = (axis_of_rank(d, len(order)) for d in (first, second))
    order[first], order[second] = second, first
    return reordered(x, order)


@decomposes(".contiguous", "clone")
@takes_wide
def contiguous(x, **_):
    return x if is_wide(x) else None


def part(x, place):
    """x[place], of the first axis."""
    count, *rest = whole_size(x)
    return of_size(reshaped(x, count, -1).select(0, place), rest)


@decomposes("unbind")
@takes_wide
def unbind(x, dim=0):
    return tuple(part(x, i) for i in range(whole_size(x)[0])) if is_wide(x) and dim == 0 else None
