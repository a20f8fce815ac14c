# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, joined tensors and means as calls that PyTorch's backends have in no pattern: with x.reshape, torch.cat or
x.mean in their place, backends would quantize what PyTorch leaves in float."""

import math

import torch

from fx_export.decompositions.table import axis_of, rank_of, size_of


def unsqueezed(x, dim):
    return x[(slice(None),) * (dim % (rank_of(x) + 1)) + (None,)]


def reshaped(x, *size):
    size = torch.empty(tuple(size_of(x)), device="meta").reshape(size).shape  # which has no -1
    if size == tuple(size_of(x)):
        return x
    flat = x if rank_of(x) == 1 else x.flatten() if rank_of(x) > 0 else x.expand(1)
    return flat.select(0, 0) if len(size) == 0 else flat if len(size) == 1 else flat.unflatten(0, tuple(size))


def permuted(x, order):
    axes = list(range(rank_of(x)))
    for i, axis in enumerate(order):
        k = axes.index(axis_of(x, axis))
        if k != i:
            x = x.swapaxes(i, k)
            axes[i], axes[k] = axes[k], axes[i]
    return x


def selected(x, dim, places):
    """The slices of an axis at constant places."""
    return torch.index_select(x, dim, torch.tensor(places))


def stacked(tensors, dim):
    return torch.concat([unsqueezed(x, dim) for x in tensors], dim)


def mean_of(x, axes=None, keepdim=False):
    """The mean along some axes, or all."""
    if axes is None:
        return x.sum().mul(1 / math.prod(size_of(x)))
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    return x.sum(axes, keepdim).mul(1 / math.prod(size_of(x)[axis] for axis in axes))


def by_matrices(x, matrices):
    """An image whose last axes are multiplied by a matrix each."""
    image = "xyz"[:len(matrices)]
    for axis, matrix in zip(image, matrices):
        x = torch.einsum(f"...{image},{axis}o->...{image.replace(axis, 'o')}", x, matrix)
    return x


def of_one_size(*tensors):
    """Tensors, expanded to the size to which they broadcast."""
    size = broadcast_size(*tensors)
    return [x if tuple(size_of(x)) == size else x.expand(size) for x in tensors]


def broadcast_size(*tensors):
    return tuple(torch.broadcast_shapes(*map(size_of, tensors)))
