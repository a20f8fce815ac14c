# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, joined and split tensors."""

import itertools
import math

import torch

from fx_export.decompositions.table import (
    axis_of, constant_of, decomposes, is_tensor, numbers_of, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import permuted, reshaped, selected, unsqueezed


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


@decomposes("split")
def split(x, sizes, dim=0):
    """Into more parts than ctq has axes."""
    return None if isinstance(sizes, int) or len(sizes) <= 6 else split_with_sizes(x, sizes, dim)


@decomposes("split_with_sizes", "unsafe_split_with_sizes")
def split_with_sizes(x, split_sizes, dim=0):
    starts = itertools.accumulate([0, *split_sizes])
    return tuple(x.narrow(dim, start, size) for start, size in zip(starts, split_sizes))


@decomposes("unsafe_split")
def unsafe_split(x, split_size, dim=0):
    count = size_of(x)[dim]
    return split_with_sizes(x, [min(split_size, count - start) for start in range(0, count, split_size)], dim)


@decomposes("unsafe_chunk")
def unsafe_chunk(x, chunks, dim=0):
    return unsafe_split(x, -(-size_of(x)[dim] // chunks), dim)


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
    """By the constant numbers of a tensor."""
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
    """Of real numbers."""
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
    """As torch.atleast_2d, torch.atleast_3d."""
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


def without_empty(call):
    """Tensors of no elements, such as x[..., 64:] of 64, are left out."""
    def join(tensors, dim=0, *, out=None):
        rest = [x for x in tensors if math.prod(size_of(x)) > 0]
        if len(rest) in (0, len(tensors)):
            return None
        return rest[0] if len(rest) == 1 else call(rest, dim)
    return join


decomposes("cat")(without_empty(torch.cat))
decomposes("concat", "concatenate")(without_empty(torch.concat))


@decomposes("hstack")
def hstack(tensors):
    tensors = [raised(x, 1) for x in tensors]
    return torch.concat(tensors, 0 if rank_of(tensors[0]) == 1 else 1)


@decomposes("vstack", "row_stack")
def vstack(tensors):
    return torch.concat([raised(x, 2) for x in tensors], 0)


@decomposes("dstack")
def dstack(tensors):
    return torch.concat([raised(x, 3) for x in tensors], 2)


@decomposes("column_stack")
def column_stack(tensors):
    return torch.concat([reshaped(x, -1, 1) if rank_of(x) < 2 else x for x in tensors], 1)


@decomposes("tensor_split")
def tensor_split(x, sections, dim=0, **_):
    if is_tensor(sections):
        raise Undecomposed("sections that are a tensor")
    count = size_of(x)[dim]
    if isinstance(sections, int):
        long = count % sections
        ends = [i * (count // sections) + min(i, long) for i in range(sections + 1)]
    else:
        ends = [0, *(slice(i).indices(count)[1] for i in sections), count]
    return tuple(x.narrow(dim, begin, max(end - begin, 0)) for begin, end in zip(ends, ends[1:]))


@decomposes("hsplit")
def hsplit(x, sections):
    return tensor_split(x, sections, 0 if rank_of(x) == 1 else 1)


@decomposes("vsplit")
def vsplit(x, sections):
    return tensor_split(x, sections, 0)


@decomposes("dsplit")
def dsplit(x, sections):
    return tensor_split(x, sections, 2)


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


@decomposes("diagonal")
def diagonal_of(x, offset=0, dim1=0, dim2=1):
    dim1, dim2 = axis_of(x, dim1), axis_of(x, dim2)
    others = [axis for axis in range(rank_of(x)) if axis not in (dim1, dim2)]
    rows, columns = size_of(x)[dim1], size_of(x)[dim2]
    first, count = ((offset, min(rows, columns - offset)) if offset >= 0 else
                    (-offset * columns, min(rows + offset, columns)))
    flat = reshaped(permuted(x, (*others, dim1, dim2)), *(size_of(x)[i] for i in others), rows * columns)
    end = first + (count - 1) * (columns + 1) + 1
    return flat[(..., slice(first, end, columns + 1))]


@decomposes("diag")
def diag(x, diagonal=0):
    return diagonal_of(x, diagonal) if rank_of(x) == 2 else diag_embed(x, diagonal)


@decomposes("diag_embed")
def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    if (dim1, dim2) != (-2, -1):
        raise Undecomposed(f"dim1={dim1}, dim2={dim2}")
    n = size_of(x)[-1]
    place = torch.diag(torch.ones(n), offset)
    columns = x
    if offset != 0:
        zeros = torch.zeros(*size_of(x)[:-1], abs(offset))
        columns = torch.concat([zeros, x] if offset > 0 else [x, zeros], -1)
    return unsqueezed(columns, -2).mul(place)


@decomposes("trace")
def trace(x):
    return diagonal_of(x).sum()
