# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms: with statistics where PyTorch's backends have none, and with a weight alone."""

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import decomposes, decomposes_module, rank_of, size_of
from fx_export.decompositions.views import mean_of, reshaped


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
    """A batch norm without statistics of its own."""
    if module.running_mean is not None:
        return None
    weight, bias = (x.tracer.attribute(own) for own in (module.weight, module.bias))
    return batch_norm(x, None, None, weight, bias, eps=module.eps)


@decomposes_module("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d")
def instance_norm(module, x):
    """An instance norm with statistics, which training has found."""
    axes = int(type(module).__name__[-2])
    if not module.track_running_stats or rank_of(x) != axes + 2:
        return None
    own = (module.running_mean, module.running_var, module.weight, module.bias)
    return batch_norm(x, *map(x.tracer.attribute, own), eps=module.eps)


@decomposes("F.layer_norm")
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
    return with_bias(x, weight, bias, lambda *own: F.layer_norm(x, normalized_shape, *own, eps))


@decomposes("F.group_norm")
def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
    return with_bias(x, weight, bias, lambda *own: F.group_norm(x, num_groups, *own, eps))


def with_bias(x, weight, bias, norm):
    """A norm with a weight and no bias, which becomes zeros."""
    if weight is None or bias is not None:
        return None
    return norm(weight, x.tracer.attribute(torch.zeros(tuple(size_of(weight)))))
