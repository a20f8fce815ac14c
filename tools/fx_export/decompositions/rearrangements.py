# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements in another order, repeated, or in a view."""

import math

import torch

from fx_export.decompositions.table import (
    axis_of, constant_of, decomposes, is_tensor, numbers_of, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import permuted, reshaped, selected


@decomposes("fliplr")
def fliplr(x):
    return torch.flip(x, [1])


@decomposes("flipud")
def flipud(x):
    return torch.flip(x, [0])


@decomposes("rot90")
def rot90(x, k=1, dims=(0, 1)):
    first, second = dims
    for _ in range(k % 4):
        x = torch.flip(x, [second]).swapaxes(first, second)
    return x


@decomposes("movedim", "moveaxis")
def movedim(x, source, destination):
    source, destination = ([axis_of(x, d) for d in ([ds] if isinstance(ds, int) else ds)]
                           for ds in (source, destination))
    order = [axis for axis in range(rank_of(x)) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return permuted(x, order)


@decomposes("swapdims")
def swapdims(x, dim0, dim1):
    return x.swapaxes(dim0, dim1)


@decomposes("tile")
def tile(x, *repeats, dims=None):
    repeats = numbers_of(repeats) if dims is None else tuple(dims)
    repeats = (1,) * (rank_of(x) - len(repeats)) + repeats
    x = reshaped(x, *[1] * (len(repeats) - rank_of(x)), *size_of(x))
    for axis, count in enumerate(repeats):
        x = x if count == 1 else selected(x, axis, [*range(size_of(x)[axis])] * count)
    return x


@decomposes("repeat_interleave")
def repeat_interleave(x, repeats, dim=None, *, output_size=None):
    """Repeats by constant numbers of a tensor."""
    if not is_tensor(repeats):
        return None
    repeats = constant_of(repeats)
    if repeats is None:
        raise Undecomposed("repeats that are computed; the shape of what they give is not known")
    x, dim = (reshaped(x, -1), 0) if dim is None else (x, dim)
    counts = repeats.expand(size_of(x)[dim]).tolist()
    return selected(x, dim, [place for place, count in enumerate(counts) for _ in range(count)])


@decomposes("broadcast_tensors")
def broadcast_tensors(*tensors):
    tensors = numbers_of(tensors)
    size = torch.broadcast_shapes(*map(size_of, tensors))
    return tuple(x.expand(size) for x in tensors)


@decomposes(".adjoint")
def adjoint(x):
    """Real numbers are their own conjugates."""
    return x.swapaxes(-2, -1)


@decomposes("broadcast_to")
def broadcast_to(x, size):
    return x.expand(*size)


@decomposes(".unfold")
def unfold(x, dimension, size, step):
    """Windows along an axis, whose elements are a new last axis."""
    axis = axis_of(x, dimension)
    shape = tuple(size_of(x))
    starts = range(0, shape[axis] - size + 1, step)
    windows = selected(x, axis, [first + i for first in starts for i in range(size)])
    windows = reshaped(windows, *shape[:axis], len(starts), size, *shape[axis + 1:])
    return permuted(windows, (*(i for i in range(len(shape) + 1) if i != axis + 1), axis + 1))


@decomposes("ravel")
def ravel(x):
    return reshaped(x, -1)


def raised(x, rank):
    """x with so many axes, as torch.atleast_2d and torch.atleast_3d add them."""
    size = tuple(size_of(x))
    if len(size) >= rank:
        return x
    size = (1,) * (min(rank, 2) - len(size)) + size
    return reshaped(x, *size, *[1] * (rank - 2))


for _rank in 1, 2, 3:
    @decomposes(f"atleast_{_rank}d")
    def atleast(*tensors, rank=_rank):
        tensors = numbers_of(tensors)
        return raised(tensors[0], rank) if len(tensors) == 1 else tuple(raised(x, rank) for x in tensors)


@decomposes("meshgrid")
def meshgrid(*tensors, indexing="ij"):
    tensors = numbers_of(tensors)
    counts = [math.prod(size_of(x)) for x in tensors]
    swapped = indexing == "xy" and len(tensors) > 1
    grids = []
    for i, x in enumerate(tensors):
        axis = 1 - i if swapped and i < 2 else i
        shape = [1] * len(tensors)
        shape[axis] = counts[i]
        full = [counts[1], counts[0], *counts[2:]] if swapped else counts
        grids.append(reshaped(x, *shape).expand(*full))
    return tuple(grids)
