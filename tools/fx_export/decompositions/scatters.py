# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that are added to, or written into, what indices choose."""

import math

import torch

from fx_export.decompositions.extremes import maximum, minimum
from fx_export.decompositions.masks import number_of
from fx_export.decompositions.reductions import any_of
from fx_export.decompositions.sums import scaled
from fx_export.decompositions.table import axis_of, decomposes, dtype_of, is_tensor, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import reshaped, unsqueezed


def is_chosen(x, dim, index, count):
    """Whether an index is a place: the places, so many, are a new axis before dim."""
    place = torch.arange(count).reshape(-1, *[1] * (rank_of(index) - dim))
    return unsqueezed(index, dim).eq(place)


def needs_all_but(dim, x, *others):
    """Raises Undecomposed if other tensors have less of the other axes than x."""
    for other in others:
        if any(n != m for i, (n, m) in enumerate(zip(size_of(x), size_of(other))) if i != dim):
            raise Undecomposed("an index of a part of the other axes")


@decomposes("index_add")
def index_add(x, dim, index, source, *, alpha=1):
    """Adds rows by a product with a matrix of zeros and ones."""
    if not dtype_of(source).is_floating_point:
        raise Undecomposed("integers to add")
    dim, count = axis_of(x, dim), size_of(x)[dim]
    rows = source.swapaxes(0, dim)
    flat = reshaped(rows, size_of(rows)[0], -1)
    sums = is_chosen(x, 0, index, count).float().matmul(flat)
    return x.add(scaled(reshaped(sums, count, *size_of(rows)[1:]).swapaxes(0, dim), alpha))


@decomposes("scatter_add")
def scatter_add(x, dim, index, src):
    if not dtype_of(src).is_floating_point:
        raise Undecomposed("integers to add")
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index, src)
    if size_of(src)[dim] > size_of(index)[dim]:
        src = src.narrow(dim, 0, size_of(index)[dim])
    return x.add(is_chosen(x, dim, index, size_of(x)[dim]).float().mul(unsqueezed(src, dim)).sum(dim + 1))


@decomposes("index_fill")
def index_fill(x, dim, index, value):
    dim, count = axis_of(x, dim), size_of(x)[dim]
    is_set = any_of(is_chosen(x, 0, index.remainder(count), count), 1)
    return x.masked_fill(reshaped(is_set, count, *[1] * (rank_of(x) - dim - 1)), number_of(value))


@decomposes("index_copy")
def index_copy(x, dim, index, source):
    """If an index is there twice, the last one counts; PyTorch promises none."""
    dim, count = axis_of(x, dim), size_of(x)[dim]
    chosen = is_chosen(x, 0, index, count)
    last = chosen.float().mul(torch.arange(1, size_of(index)[0] + 1)).argmax(1)
    is_set = reshaped(any_of(chosen, 1), count, *[1] * (rank_of(x) - dim - 1))
    return torch.where(is_set, torch.index_select(source, dim, last), x)


@decomposes("scatter")
def scatter(x, dim, index, src=None, *, value=None, reduce=None):
    """If an index is there twice, the last one counts; PyTorch promises none."""
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
