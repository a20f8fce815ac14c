# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools: largest elements with their places, unpooling, and sums of powers."""

import math

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import decomposes, decomposes_module, of_axes, pair, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import by_matrices, permuted, reshaped, unsqueezed


def place_in_image(places, image):
    """The places in an image, counted along one axis, by window and element of it.

    places: for each axis, the places of its windows."""
    axes, flat = len(image), torch.zeros((), dtype=torch.int64)
    for axis, (own, extent) in enumerate(zip(places, image)):
        shape = [1] * 2 * axes
        shape[axis], shape[axes + axis] = own.shape
        flat = flat * extent + own.reshape(shape)
    return flat.flatten(axes)


def windows_of(counts, kernel, stride):
    return [torch.arange(n)[:, None] * step + torch.arange(k) for n, k, step in zip(counts, kernel, stride)]


def inside(places, extent):
    """In windows that reach beyond an axis, their first element inside takes the place of those outside."""
    is_inside = (places >= 0) & (places < extent)
    first = places.gather(1, is_inside.long().argmax(1, keepdim=True))
    return torch.where(is_inside, places, first)


def largest_with_indices(x, places):
    """The largest element of each window and its place. places: for each axis, the places of its windows."""
    image, others = size_of(x)[-len(places):], size_of(x)[:-len(places)]
    flat = place_in_image(places, image)
    windows = torch.index_select(reshaped(x, *others, math.prod(image)), len(others), flat.reshape(-1))
    windows = reshaped(windows, *others, *flat.shape)
    best = windows.argmax(-1)
    is_best = reshaped(best, *size_of(best), 1).eq(torch.arange(flat.shape[-1]))
    indices = is_best.long().mul(flat).sum(-1)
    return torch.amax(windows, (-1,)), indices


def max_pool_with_indices(x, axes, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    places = []
    for extent, k, step, pad, apart in zip(size_of(x)[-axes:], *(of_axes(value, axes) for value in (
            kernel_size, stride or kernel_size, padding, dilation))):
        left = extent + 2 * pad - apart * (k - 1) - 1
        count = (left + (step - 1 if ceil_mode else 0)) // step + 1
        count -= ceil_mode and (count - 1) * step >= extent + pad
        places.append(inside(torch.arange(count)[:, None] * step - pad + torch.arange(k) * apart, extent))
    return largest_with_indices(x, places)


def adaptive_max_pool_with_indices(x, axes, output_size):
    """Of windows of several lengths: shorter ones have their first element again."""
    places = []
    for extent, count in zip(size_of(x)[-axes:], of_axes(output_size, axes)):
        count = extent if count is None else count
        first = torch.arange(count)[:, None] * extent // count
        end = ((torch.arange(count)[:, None] + 1) * extent + count - 1) // count
        own = first + torch.arange(int((end - first).max()))
        places.append(torch.where(own < end, own, first))
    return largest_with_indices(x, places)


for _axes in 1, 2, 3:
    decomposes(f"F.max_pool{_axes}d_with_indices")(
        lambda x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False, axes=_axes:
        max_pool_with_indices(x, axes, kernel_size, stride, padding, dilation, ceil_mode))
    decomposes_module(f"MaxPool{_axes}d")(lambda m, x, axes=_axes: max_pool_with_indices(
        x, axes, m.kernel_size, m.stride, m.padding, m.dilation, m.ceil_mode) if m.return_indices else None)
    decomposes(f"F.adaptive_max_pool{_axes}d_with_indices")(
        lambda x, output_size, return_indices=False, axes=_axes: adaptive_max_pool_with_indices(x, axes, output_size))
    decomposes_module(f"AdaptiveMaxPool{_axes}d")(lambda m, x, axes=_axes: adaptive_max_pool_with_indices(
        x, axes, m.output_size) if m.return_indices else None)


@decomposes("F.max_unpool2d")
def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Windows that do not overlap: each writes its value to one of its places."""
    kernel, stride = pair(kernel_size), pair(kernel_size if stride is None else stride)
    if kernel != stride or pair(padding) != (0, 0) or rank_of(x) != 4:
        raise Undecomposed("windows that overlap, or padding")
    batch, channels, *counts = size_of(x)
    whole = [n * k for n, k in zip(counts, kernel)]
    size = whole if output_size is None else list(output_size)[-2:]
    chosen = unsqueezed(indices, -1).eq(place_in_image(windows_of(counts, kernel, stride), size))
    image = reshaped(chosen.float().mul(unsqueezed(x, -1)), batch, channels, *counts, *kernel)
    image = reshaped(permuted(image, (0, 1, 2, 4, 3, 5)), batch, channels, *whole)
    return F.pad(image, (0, size[1] - whole[1], 0, size[0] - whole[0])) if size != whole else image


@decomposes_module("MaxUnpool2d")
def max_unpool2d_module(module, x, indices, output_size=None):
    return max_unpool2d(x, indices, module.kernel_size, module.stride, module.padding, output_size)


@decomposes("F.max_unpool1d")
def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    kernel, stride, padding = (of_axes(n, 1)[0] for n in (kernel_size, stride or kernel_size, padding))
    size = None if output_size is None else (1, tuple(output_size)[-1])
    image = max_unpool2d(unsqueezed(x, -2), unsqueezed(indices, -2), (1, kernel), (1, stride), (0, padding), size)
    return image.select(-2, 0)


@decomposes_module("MaxUnpool1d")
def max_unpool1d_module(module, x, indices, output_size=None):
    return max_unpool1d(x, indices, module.kernel_size, module.stride, module.padding, output_size)


def lp_pool(x, p, kernel, stride, ceil_mode):
    """Sums of powers by matrices, one for each axis; kernel, stride: by axis."""
    image = size_of(x)[-len(kernel):]
    sums = [F.avg_pool1d(torch.eye(n)[None], k, step, 0, ceil_mode)[0] * k
            for n, k, step in zip(image, kernel, stride)]
    return by_matrices(x.pow(float(p)), sums).pow(1.0 / p)


@decomposes("F.lp_pool2d")
def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    return lp_pool(x, norm_type, pair(kernel_size), pair(kernel_size if stride is None else stride), ceil_mode)


@decomposes("F.lp_pool1d")
def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    stride = kernel_size if stride is None else stride
    return lp_pool(x, norm_type, pair(kernel_size)[:1], pair(stride)[:1], ceil_mode)


@decomposes_module("LPPool2d")
def lp_pool2d_module(module, x):
    return lp_pool2d(x, module.norm_type, module.kernel_size, module.stride, module.ceil_mode)


@decomposes_module("LPPool1d")
def lp_pool1d_module(module, x):
    return lp_pool1d(x, module.norm_type, module.kernel_size, module.stride, module.ceil_mode)
