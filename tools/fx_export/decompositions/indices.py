# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What chooses elements by indices, and adds to those that indices choose."""

import math
import operator

import torch

from fx_export.decompositions.elements import maximum, minimum, number_of, scaled
from fx_export.decompositions.reductions import any_of
from fx_export.decompositions.table import (
    axis_of, decomposes, decomposes_function, decomposes_module, dtype_of, is_complex, is_computed, is_tensor, rank_of,
    size_of, Undecomposed)
from fx_export.decompositions.views import mean_of, permuted, reshaped, selected, unsqueezed
from fx_export.decompositions.wide_views import is_wide, part, takes_wide


@decomposes("F.one_hot")
def one_hot(x, num_classes=-1):
    if num_classes < 0:
        raise Undecomposed("num_classes=-1, which values decide; give the number")
    return unsqueezed(x, -1).eq(torch.arange(num_classes)).long()


@decomposes("take_along_dim")
def take_along_dim(x, indices, dim=None):
    if dim is not None:
        needs_all_but(axis_of(x, dim), x, indices)
    return torch.gather(x, dim, indices) if dim is not None else torch.gather(
        reshaped(x, -1), 0, reshaped(indices, -1))


@decomposes("take")
def take(x, index):
    return reshaped(torch.index_select(reshaped(x, -1), 0, reshaped(index, -1)), *size_of(index))


@decomposes("bucketize")
def bucketize(x, boundaries, *, out_int32=False, right=False):
    x = unsqueezed(x, -1)
    return (x.ge(boundaries) if right else x.gt(boundaries)).sum(-1)


@decomposes("searchsorted")
def searchsorted(boundaries, x, *, out_int32=False, right=False, side=None, sorter=None):
    if rank_of(boundaries) != 1 or sorter is not None:
        raise Undecomposed("more than one row, or sorter")
    return bucketize(x, boundaries, right=right or side == "right")


def is_chosen(x, dim, index, count):
    """By a new axis before dim, which has x's length: whether an index is that place."""
    place = torch.arange(count).reshape(-1, *[1] * (rank_of(index) - dim))
    return unsqueezed(index, dim).eq(place)


@decomposes("index_add")
def index_add(x, dim, index, source, *, alpha=1):
    """Sums of rows by a matrix of zeros and ones."""
    if not dtype_of(source).is_floating_point:
        raise Undecomposed("integers to add")
    dim, count = axis_of(x, dim), size_of(x)[dim]
    rows = source.swapaxes(0, dim)
    flat = reshaped(rows, size_of(rows)[0], -1)
    sums = is_chosen(x, 0, index, count).float().matmul(flat)
    return x.add(scaled(reshaped(sums, count, *size_of(rows)[1:]).swapaxes(0, dim), alpha))


@decomposes("index_fill")
def index_fill(x, dim, index, value):
    dim, count = axis_of(x, dim), size_of(x)[dim]
    is_set = any_of(is_chosen(x, 0, index.remainder(count), count), 1)
    return x.masked_fill(reshaped(is_set, count, *[1] * (rank_of(x) - dim - 1)), number_of(value))


@decomposes("index_copy")
def index_copy(x, dim, index, source):
    """Of indices that are there twice, the last one counts; PyTorch promises none."""
    dim, count = axis_of(x, dim), size_of(x)[dim]
    chosen = is_chosen(x, 0, index, count)
    last = chosen.float().mul(torch.arange(1, size_of(index)[0] + 1)).argmax(1)
    is_set = reshaped(any_of(chosen, 1), count, *[1] * (rank_of(x) - dim - 1))
    return torch.where(is_set, torch.index_select(source, dim, last), x)


@decomposes("scatter_reduce")
def scatter_reduce(x, dim, index, src, reduce, *, include_self=True):
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index, src)
    if reduce not in ("sum", "mean", "amax", "amin"):
        raise Undecomposed(f"reduce={reduce}")
    chosen = is_chosen(x, dim, index, size_of(x)[dim])
    rows = unsqueezed(src.narrow(dim, 0, size_of(index)[dim]), dim)
    if reduce in ("amax", "amin"):
        call, of_two, none = (torch.amax, maximum, -math.inf) if reduce == "amax" else (torch.amin, minimum, math.inf)
        found = call(rows.expand(size_of(chosen)).masked_fill(chosen.logical_not(), none), (dim + 1,))
        found = of_two(x, found) if include_self else found
    else:
        found = chosen.float().mul(rows).sum(dim + 1)
        found = x.add(found) if include_self else found
        found = found.div(chosen.sum(dim + 1).add(int(include_self))) if reduce == "mean" else found
    return found if include_self else torch.where(any_of(chosen, dim + 1), found, x)


@decomposes("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount")
def of_values(x, *others, **named):
    """Of constants they become attributes."""
    if is_computed(x) or any(map(is_computed, others)):
        raise Undecomposed("a result whose size values decide, which no op of ctq has; torch.where and masks keep the "
                           "size")


@decomposes("scatter_add")
def scatter_add(x, dim, index, src):
    if not dtype_of(src).is_floating_point:
        raise Undecomposed("integers to add")
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index, src)
    if size_of(src)[dim] > size_of(index)[dim]:
        src = src.narrow(dim, 0, size_of(index)[dim])
    return x.add(is_chosen(x, dim, index, size_of(x)[dim]).float().mul(unsqueezed(src, dim)).sum(dim + 1))


@decomposes("scatter")
def scatter(x, dim, index, src=None, *, value=None, reduce=None):
    """Of indices that are there twice, the last one counts; PyTorch promises none."""
    if reduce is not None:
        raise Undecomposed(f"reduce={reduce}")
    value = src if value is None else value
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index, *([value] if is_tensor(value) else []))
    chosen, count = is_chosen(x, dim, index, size_of(x)[dim]), size_of(index)[dim]
    is_set = any_of(chosen, dim + 1)
    if not is_tensor(value):
        return x.masked_fill(is_set, value)
    order = torch.arange(1, count + 1).reshape(-1, *[1] * (rank_of(x) - dim - 1))
    last = chosen.float().mul(order).argmax(dim + 1)
    return torch.where(is_set, torch.gather(value, dim, last), x)


def needs_all_but(dim, x, *others):
    for other in others:
        if any(n != m for i, (n, m) in enumerate(zip(size_of(x), size_of(other))) if i != dim):
            raise Undecomposed("an index of a part of the other axes")


@decomposes("F.embedding")
def embedding(indices, weight, padding_idx=None, max_norm=None, *_, **__):
    if max_norm is not None:
        raise Undecomposed(f"max_norm={max_norm}")
    return weight[indices]


@decomposes("F.embedding_bag")
def embedding_bag(indices, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                  mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    if offsets is not None or max_norm is not None or padding_idx is not None or rank_of(indices) != 2:
        raise Undecomposed("offsets, max_norm or padding_idx")
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows.mul(unsqueezed(per_sample_weights, -1))
    return torch.amax(rows, (1,)) if mode == "max" else rows.sum(1) if mode == "sum" else mean_of(rows, 1)


@decomposes_module("EmbeddingBag")
def embedding_bag_module(module, indices, offsets=None, per_sample_weights=None):
    """With weights of the rows."""
    if per_sample_weights is None:
        return None
    return embedding_bag(indices, indices.tracer.attribute(module.weight), offsets, module.max_norm,
                         mode=module.mode, per_sample_weights=per_sample_weights,
                         padding_idx=module.padding_idx)


def constant_index(x, item):
    """A list, a tensor that only attributes decide, or None."""
    if isinstance(item, list):
        return torch.tensor(item)
    return x.tracer.constant(item) if isinstance(item, torch.fx.Proxy) else None


def of_one_size(items):
    """Indices along several axes, each of the size to which they broadcast."""
    size = tuple(torch.broadcast_shapes(*map(size_of, items)))
    return [item if tuple(size_of(item)) == size else item.expand(size) for item in items]


def is_slice_of_all(item):
    return isinstance(item, slice) and item == slice(None)


def whole(count):
    return (slice(None),) * count


def with_slices(x, items):
    """A slice for each axis that "..." and the end of the indices stand for."""
    missing = rank_of(x) - sum(item is not None and item is not Ellipsis for item in items)
    at = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    return [*items[:at], *whole(missing), *items[at + 1:]]


def by_tensors(x, items):
    """Tensors of indices beside others, which PyTorch, unlike NumPy, applies first; those of no axes choose as
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
    indices = of_one_size([items[axis] for axis in axes])
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
    """Indices of complex numbers that are pairs along a last axis."""
    if any(is_tensor(item) or isinstance(item, list) for item in items):
        raise Undecomposed("tensors or lists as indices of complex numbers")
    return (*items, slice(None)) if any(item is Ellipsis for item in items) else items


@decomposes_function(operator.getitem)
@takes_wide
def get_item(x, index):
    """By constant masks, and by lists and tensors beside other indices."""
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
