# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms, convolutions, pools and other modules."""

import math

import torch
import torch.nn.functional as F

from fx_export.decompositions.elements import l1_loss, mse_loss
from fx_export.decompositions.table import (
    decomposes, decomposes_function, decomposes_module, is_computed, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import by_matrices, mean_of, permuted, reshaped, stacked, unsqueezed


@decomposes("F.batch_norm")
def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training or mean is None:
        axes = tuple(axis for axis in range(rank_of(x)) if axis != 1)
        mean, var = mean_of(x, axes), x.var(axes, False)
    factor = var.add(eps).rsqrt()
    factor = factor if weight is None else factor.mul(weight)
    shift = mean.mul(factor).neg()
    shift = shift if bias is None else shift.add(bias)
    channels = (-1, *[1] * (rank_of(x) - 2))
    return x.mul(reshaped(factor, *channels)).add(reshaped(shift, *channels))


@decomposes_module("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
def batch_norm_of_batch(module, x):
    """Without statistics of its own."""
    if module.running_mean is not None:
        return None
    weight, bias = (x.tracer.attribute(own) for own in (module.weight, module.bias))
    return batch_norm(x, None, None, weight, bias, eps=module.eps)


@decomposes_module("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d")
def instance_norm(module, x):
    """With statistics, which training has found."""
    axes = int(type(module).__name__[-2])
    if not module.track_running_stats or rank_of(x) != axes + 2:
        return None
    own = (module.running_mean, module.running_var, module.weight, module.bias)
    return batch_norm(x, *map(x.tracer.attribute, own), eps=module.eps)


@decomposes_module("Conv1d", "Conv2d", "Conv3d")
def conv(module, x):
    """Of other values around the input than zeros, or of an even kernel."""
    is_same = module.padding == "same" and any(k % 2 == 0 for k in module.kernel_size)
    if module.padding_mode == "zeros" and not is_same:
        return None
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    axes = range(len(module.kernel_size))
    plain = x.tracer.changed(module, padding=tuple(0 for _ in axes), padding_mode="zeros")
    return plain(F.pad(x, list(module._reversed_padding_repeated_twice), mode=mode))


@decomposes_module("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
def conv_transpose(module, x, output_size=None):
    """Of a given size, to which the padding of the output is fitted."""
    if output_size is None:
        return None
    axes = len(module.kernel_size)
    extents = [
        (size_of(x)[axis - axes] - 1) * module.stride[axis] - 2 * module.padding[axis]
        + module.dilation[axis] * (module.kernel_size[axis] - 1) + 1 for axis in range(axes)]
    missing = tuple(wanted - least for wanted, least in zip(output_size[-axes:], extents))
    return x.tracer.changed(module, output_padding=missing)(x)


def pair(value):
    return of_axes(value, 2)


def of_axes(value, count):
    """A number for each axis."""
    return (value,) * count if isinstance(value, int) else tuple(value) * (count + 1 - len(value))


def place_in_image(places, image):
    """By window and element of it: the place in an image, flat. places: by axis, those of its windows."""
    axes, flat = len(image), torch.zeros((), dtype=torch.int64)
    for axis, (own, extent) in enumerate(zip(places, image)):
        shape = [1] * 2 * axes
        shape[axis], shape[axes + axis] = own.shape
        flat = flat * extent + own.reshape(shape)
    return flat.flatten(axes)


def windows_of(counts, kernel, stride):
    return [torch.arange(n)[:, None] * step + torch.arange(k) for n, k, step in zip(counts, kernel, stride)]


def inside(places, extent):
    """Of windows that reach beyond an axis: their first element that does not takes the place of those that do."""
    is_inside = (places >= 0) & (places < extent)
    first = places.gather(1, is_inside.long().argmax(1, keepdim=True))
    return torch.where(is_inside, places, first)


def largest_with_indices(x, places):
    """places: by axis, those of its windows."""
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
    """Windows of several lengths."""
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
    """Of windows that do not overlap: each writes its value to one of its places."""
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


@decomposes_module("L1Loss")
def l1_loss_module(module, x, y):
    return l1_loss(x, y, reduction=module.reduction)


@decomposes_module("MSELoss")
def mse_loss_module(module, x, y):
    return mse_loss(x, y, reduction=module.reduction)


@decomposes("F.interpolate", "F.upsample")
def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    size = None if antialias else size_of_resized(x, size, scale_factor, mode, recompute_scale_factor)
    if size is None:
        return None
    if mode == "area":
        return getattr(F, f"adaptive_avg_pool{len(size)}d")(x, size)
    return F.interpolate(x, size, None, mode, align_corners)


def size_of_resized(x, size, scale_factor, mode, recompute_scale_factor):
    """By mode="area", by scales that the sizes have anew, or by several scales that give whole sizes; else None."""
    axes, several = size_of(x)[2:], isinstance(scale_factor, (tuple, list)) and len(set(scale_factor)) > 1
    if mode != "area" and not recompute_scale_factor and not several:
        return None
    if size is not None:
        return (size,) * len(axes) if isinstance(size, int) else tuple(size)
    scales = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * len(axes)
    size = tuple(math.floor(n * scale) for n, scale in zip(axes, scales))
    is_whole = all(n * s == m for n, s, m in zip(axes, scales, size))
    return size if is_whole or not several or recompute_scale_factor else None


@decomposes_module("Upsample")
def upsample(module, x):
    """Which backends do not list, unlike F.interpolate."""
    size = size_of_resized(x, module.size, module.scale_factor, module.mode,
                           getattr(module, "recompute_scale_factor", None))
    if size is None:
        return None
    if module.mode == "area":
        return by_matrices(x, [F.adaptive_avg_pool1d(torch.eye(n)[None], m)[0]
                               for n, m in zip(size_of(x)[2:], size)])
    return x.tracer.changed(module, size=size, scale_factor=None, recompute_scale_factor=None)(x)


@decomposes("F.linear")
def linear(x, weight, bias=None):
    """Of a weight that is computed, or one row."""
    if is_plain(weight, bias) and rank_of(weight) == 2:
        return None
    product = x.matmul(weight if rank_of(weight) == 1 else weight.t())
    return product if bias is None else product.add(bias)


@decomposes("F.layer_norm")
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
    return with_bias(x, weight, bias, lambda *own: F.layer_norm(x, normalized_shape, *own, eps))


@decomposes("F.group_norm")
def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
    return with_bias(x, weight, bias, lambda *own: F.group_norm(x, num_groups, *own, eps))


def with_bias(x, weight, bias, norm):
    """A norm with a weight alone."""
    if weight is None or bias is not None:
        return None
    return norm(weight, x.tracer.attribute(torch.zeros(tuple(size_of(weight)))))


def padded_to_same(x, weight, padding, dilation):
    """An image and the numbers of a padding that is a word."""
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
    """What torchvision calls: a product with the images that are sampled around each output, one for each element of
    the kernel."""
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


def is_plain(weight, bias):
    return not is_computed(weight) and not is_computed(bias)


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
