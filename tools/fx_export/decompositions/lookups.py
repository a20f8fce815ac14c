# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that tensors of indices choose along an axis, and indices that values have."""

import torch

from fx_export.decompositions.scatters import needs_all_but
from fx_export.decompositions.table import axis_of, decomposes, is_computed, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import reshaped, unsqueezed


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


@decomposes("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount")
def of_values(x, *others, **named):
    """What is computed of constants becomes an attribute."""
    if is_computed(x) or any(map(is_computed, others)):
        raise Undecomposed("a result whose size values decide, which no op of ctq has; torch.where and masks keep the "
                           "size")
