# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""x[index], of indices that ctq has no form for."""

import math
import operator

import torch

from fx_export.decompositions.table import (
    decomposes_function, dtype_of, is_complex, is_tensor, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import of_one_size, permuted, reshaped, selected
from fx_export.decompositions.wide_views import is_wide, part, takes_wide


@decomposes_function(operator.getitem)
@takes_wide
def get_item(x, index):
    """Constant masks, and lists and tensors beside other indices."""
    items = index if isinstance(index, tuple) else (index,)
    if is_wide(x):
        return part(x, index) if isinstance(index, int) else None
    if is_complex(x):
        return x.tracer.as_pairs(x.tracer.pairs_of(x)[of_pairs(items)])
    if any(isinstance(item, list) and any(map(is_tensor, item)) for item in items):
        raise Undecomposed("a list of tensors as an index; torch.stack makes one of them")
    if any(isinstance(item, slice) and any(map(is_tensor, (item.start, item.stop, item.step))) for item in items):
        raise Undecomposed("a slice whose bounds are values of tensors; the shape of what it gives is not known")
    chosen = [constant_index(x, item) for item in items]
    if any(is_tensor(item) and c is None for item, c in zip(items, chosen)):
        return by_tensors(x, list(items))
    choosing = [item for item, c in zip(items, chosen) if c is not None]
    if not any(c is not None and c.dtype == torch.bool for c in chosen):
        is_plain = all(item is Ellipsis or item == slice(None) for item, c in zip(items, chosen) if c is None)
        if len(choosing) == 0 and len(items) > 5:
            return in_two_parts(x, list(items))
        if len(choosing) == 0 or (len(choosing) == 1 and isinstance(choosing[0], list) and is_plain):
            return by_long_list(x, items)
        return by_tensors(x, list(items))
    size = tuple(size_of(x))
    places = torch.arange(math.prod(size)).reshape(size)[tuple(
        item if c is None else c for item, c in zip(items, chosen))]
    return reshaped(torch.index_select(reshaped(x, -1), 0, places.reshape(-1)), *places.shape)


def constant_index(x, item):
    """The tensor of an index that is a list or that only attributes decide, or None."""
    if isinstance(item, list):
        return torch.tensor(item)
    return x.tracer.constant(item) if isinstance(item, torch.fx.Proxy) else None


def is_slice_of_all(item):
    return isinstance(item, slice) and item == slice(None)


def whole(count):
    return (slice(None),) * count


def with_slices(x, items):
    """The indices with a slice for each axis that "..." and their end stand for."""
    missing = rank_of(x) - sum(item is not None and item is not Ellipsis for item in items)
    at = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    return [*items[:at], *whole(missing), *items[at + 1:]]


def by_tensors(x, items):
    """Tensors of indices beside other indices, which PyTorch, unlike NumPy, applies first; those of no axes choose as
    integers do."""
    items = [torch.tensor(item) if isinstance(item, list) else item for item in items]
    if any(is_tensor(item) and dtype_of(item) == torch.bool for item in items):
        return None
    items = with_slices(x, items)
    for at, item in enumerate(items):
        if is_tensor(item) and rank_of(item) == 0:
            axis = sum(other is not None for other in items[:at])
            x, items[at] = x[(*whole(axis), reshaped(item, 1))], 0
    if not all(is_tensor(item) or is_slice_of_all(item) for item in items):
        x = x[tuple(slice(None) if is_tensor(item) else item for item in items)]
        items = [item if is_tensor(item) else slice(None) for item in items if not isinstance(item, int)]
    axes = [axis for axis, item in enumerate(items) if is_tensor(item)]
    if not axes:
        return x
    indices = of_one_size(*(items[axis] for axis in axes))
    if axes[-1] - axes[0] >= len(axes):  # others between them: what is chosen comes first
        x = permuted(x, (*axes, *(axis for axis in range(rank_of(x)) if axis not in axes)))
        axes = [*range(len(axes))]
    first, size = axes[0], size_of(x)
    extents = [size[axis] for axis in axes]
    if len(axes) > 2:  # as one axis
        x = reshaped(x, *size[:first], math.prod(extents), *size[axes[-1] + 1:])
        place = indices[0].remainder(extents[0])
        for index, extent in zip(indices[1:], extents[1:]):
            place = place.mul(extent).add(index.remainder(extent))
        indices = [place]
    return x[(*whole(first), *indices)]


def by_long_list(x, items):
    """x[:, [7, 6, 5, 4, 3, 2, 1, 0]]: more integers than ctq has in an option."""
    at = next((i for i, item in enumerate(items) if isinstance(item, list) and len(item) > 6), None)
    if at is None or any(map(is_tensor, items)) or not all(isinstance(place, int) for place in items[at]):
        return None
    axis = at - len(items) if Ellipsis in items[:at] else at
    return selected(x, axis, [place % size_of(x)[axis] for place in items[at]])


def in_two_parts(x, items):
    """x[:, :, :, :, :, None]: more indices than ctq has, those of the last axes first."""
    items = with_slices(x, items)
    half = len(items) // 2
    if half > 4:
        raise Undecomposed(f"{len(items)} indices")
    x = x[(Ellipsis, *items[half:])]
    return x if all(map(is_slice_of_all, items[:half])) else x[(*items[:half], Ellipsis)]


def of_pairs(items):
    """The indices of complex numbers as indices of pairs along a last axis."""
    if any(is_tensor(item) or isinstance(item, list) for item in items):
        raise Undecomposed("tensors or lists as indices of complex numbers")
    return (*items, slice(None)) if any(item is Ellipsis for item in items) else items
