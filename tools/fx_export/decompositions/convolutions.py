# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and F.linear: padding that ctq does not have, and weights that inputs decide."""

import math

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import (
    decomposes, decomposes_function, decomposes_module, is_computed, pair, rank_of, size_of)
from fx_export.decompositions.views import permuted, reshaped, stacked, unsqueezed


@decomposes_module("Conv1d", "Conv2d", "Conv3d")
def conv(module, x):
    """Pads with other values than zeros, or for an even kernel."""
    is_same = module.padding == "same" and any(k % 2 == 0 for k in module.kernel_size)
    if module.padding_mode == "zeros" and not is_same:
        return None
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    axes = range(len(module.kernel_size))
    plain = x.tracer.changed(module, padding=tuple(0 for _ in axes), padding_mode="zeros")
    return plain(F.pad(x, list(module._reversed_padding_repeated_twice), mode=mode))


@decomposes_module("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
def conv_transpose(module, x, output_size=None):
    """Fits the padding of the output to a given size."""
    if output_size is None:
        return None
    axes = len(module.kernel_size)
    extents = [
        (size_of(x)[axis - axes] - 1) * module.stride[axis] - 2 * module.padding[axis]
        + module.dilation[axis] * (module.kernel_size[axis] - 1) + 1 for axis in range(axes)]
    missing = tuple(wanted - least for wanted, least in zip(output_size[-axes:], extents))
    return x.tracer.changed(module, output_padding=missing)(x)


@decomposes("F.linear")
def linear(x, weight, bias=None):
    """A product with a weight that is computed, or is one row."""
    if is_plain(weight, bias) and rank_of(weight) == 2:
        return None
    product = x.matmul(weight if rank_of(weight) == 1 else weight.t())
    return product if bias is None else product.add(bias)


@decomposes("F.conv2d")
def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    has_word = isinstance(padding, str)
    if has_word:
        x, padding = padded_to_same(x, weight, padding, pair(dilation))
    if is_plain(weight, bias):
        return F.conv2d(x, weight, bias, stride, padding, dilation, groups) if has_word else None
    return by_windows(x, weight, bias, stride, padding, dilation, groups)


@decomposes("F.conv1d")
def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    stride, dilation = (n if isinstance(n, int) else n[0] for n in (stride, dilation))
    has_word = isinstance(padding, str)
    if has_word:
        x, padding = padded_to_same(x, weight, padding, (dilation,))
    padding = padding if isinstance(padding, int) else padding[0]
    if is_plain(weight, bias):
        return F.conv1d(x, weight, bias, stride, padding, dilation, groups) if has_word else None
    return by_windows(unsqueezed(x, -2), unsqueezed(weight, 2), bias, (1, stride), (0, padding), (1, dilation),
                      groups).select(-2, 0)


@decomposes("F.conv_transpose2d")
def conv_transpose2d(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """With a weight that is computed: the sum of the windows that each pixel adds to the output."""
    if is_plain(weight, bias):
        return None
    if rank_of(x) == 3:
        return conv_transpose2d(x[None], weight, bias, stride, padding, output_padding, groups, dilation).select(0, 0)
    stride, padding, more, dilation = pair(stride), pair(padding), pair(output_padding), pair(dilation)
    count, channels, *image = size_of(x)
    kernel = tuple(size_of(weight)[2:])
    out = [(n - 1) * s - 2 * p + d * (k - 1) + m + 1
           for n, s, p, d, k, m in zip(image, stride, padding, dilation, kernel, more)]
    rows = permuted(reshaped(weight, 1, groups, channels // groups, -1), (0, 1, 3, 2))
    if count > 1:
        rows = rows.expand(count, *size_of(rows)[1:])
    windows = rows.matmul(reshaped(x, count, groups, channels // groups, -1))
    added = F.fold(reshaped(windows, count, -1, math.prod(image)), out, kernel, dilation, padding, stride)
    return added if bias is None else added.add(reshaped(bias, -1, 1, 1))


@decomposes("F.conv_transpose1d")
def conv_transpose1d(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    if is_plain(weight, bias):
        return None
    stride, padding, more, dilation = (n if isinstance(n, int) else n[0]
                                       for n in (stride, padding, output_padding, dilation))
    return conv_transpose2d(unsqueezed(x, -2), unsqueezed(weight, 2), bias, (1, stride), (0, padding), (0, more),
                            groups, (1, dilation)).select(-2, 0)


def is_plain(weight, bias):
    return not is_computed(weight) and not is_computed(bias)


def padded_to_same(x, weight, padding, dilation):
    """The image, padded if need be, and the numbers of a padding that is "same" or "valid"."""
    if padding == "valid":
        return x, 0
    around = [d * (k - 1) for d, k in zip(dilation, size_of(weight)[2:])]
    if all(n % 2 == 0 for n in around):
        return x, tuple(n // 2 for n in around)
    return F.pad(x, [n for total in reversed(around) for n in (total // 2, total - total // 2)]), 0


def by_windows(x, weight, bias, stride, padding, dilation, groups):
    """A convolution of a weight that is computed: the product with the windows of the image."""
    kernel, stride, dilation, padding = size_of(weight)[2:], pair(stride), pair(dilation), pair(padding)
    if rank_of(x) == 3:
        return by_windows(x[None], weight, bias, stride, padding, dilation, groups).select(0, 0)
    count, channels, *image = size_of(x)
    out = [(n + 2 * p - d * (k - 1) - 1) // s + 1
           for n, p, d, k, s in zip(image, padding, dilation, kernel, stride)]
    windows = F.unfold(x, kernel, dilation, padding, stride)
    windows = reshaped(windows, count, groups, channels // groups * math.prod(kernel), -1)
    rows = reshaped(weight, 1, groups, size_of(weight)[0] // groups, -1)
    if count > 1:
        rows = rows.expand(count, *size_of(rows)[1:])
    product = reshaped(rows.matmul(windows), count, -1, *out)
    return product if bias is None else product.add(reshaped(bias, -1, 1, 1))


@decomposes_function("torchvision.deform_conv2d")
def deform_conv2d(x, weight, offset, mask, bias, stride_y, stride_x, pad_y, pad_x, dilation_y, dilation_x, groups,
                  offset_groups, use_mask):
    """A product with the images that are sampled around each output, one for each element of the kernel. (torchvision
    calls this function.)"""
    count, channels, *image = size_of(x)
    kernel, out = size_of(weight)[2:], size_of(offset)[2:]
    own = channels // offset_groups
    starts = [torch.arange(n) * step - pad for n, step, pad in zip(out, (stride_y, stride_x), (pad_y, pad_x))]
    around = [torch.arange(k) * apart for k, apart in zip(kernel, (dilation_y, dilation_x))]
    # Places as F.grid_sample has them: of columns, of rows.
    moved = reshaped(offset, count * offset_groups, math.prod(kernel), 2, *out)
    columns = (around[1][None, :, None, None] + starts[1]).expand(*kernel, *out).reshape(-1, *out)
    rows = (around[0][:, None, None, None] + starts[0][:, None]).expand(*kernel, *out).reshape(-1, *out)
    grid = stacked([moved.select(2, axis).add(places.float()).mul(2).add(1).mul(1 / extent).sub(1)
                    for axis, places, extent in ((1, columns, image[1]), (0, rows, image[0]))], -1)
    grid = reshaped(grid, count * offset_groups, math.prod(kernel) * out[0], out[1], 2)
    sampled = F.grid_sample(reshaped(x, count * offset_groups, own, *image), grid, align_corners=False)
    if use_mask:
        shares = reshaped(mask, count * offset_groups, 1, math.prod(kernel) * out[0], out[1])
        sampled = sampled.mul(shares)
    outputs = size_of(weight)[0]
    sampled = reshaped(sampled, count, groups, channels // groups, math.prod(kernel), math.prod(out))
    weight = x.tracer.as_parameter(weight.reshape(groups, outputs // groups, channels // groups, math.prod(kernel)))
    product = reshaped(torch.einsum("ngckp,gock->ngop", sampled, weight), count, outputs, *out)
    return product.add(reshaped(bias, -1, 1, 1))
