# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images that are resized: F.interpolate and nn.Upsample."""

import math

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import decomposes, decomposes_module, size_of
from fx_export.decompositions.views import by_matrices


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
    """The size of the result if mode is "area", if scales are computed anew of sizes, or if several scales give whole
    sizes; else None: the call stays."""
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
    """Backends do not list the module, unlike F.interpolate."""
    size = size_of_resized(x, module.size, module.scale_factor, module.mode,
                           getattr(module, "recompute_scale_factor", None))
    if size is None:
        return None
    if module.mode == "area":
        return by_matrices(x, [F.adaptive_avg_pool1d(torch.eye(n)[None], m)[0]
                               for n, m in zip(size_of(x)[2:], size)])
    return x.tracer.changed(module, size=size, scale_factor=None, recompute_scale_factor=None)(x)
