# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorted elements, and those at a place in their order."""

import math

import torch

from fx_export.decompositions.table import axis_of, decomposes, is_tensor, size_of, Undecomposed
from fx_export.decompositions.views import reshaped, stacked, unsqueezed


@decomposes("median")
def median(x, dim=None, keepdim=False):
    if dim is None:
        count = math.prod(size_of(x))
        return reshaped(x, -1).sort(0)[0].select(0, (count - 1) // 2)
    return kthvalue(x, (size_of(x)[dim] + 1) // 2, dim, keepdim)


@decomposes("quantile")
def quantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    """Of constant q: each is between two elements of what is sorted."""
    shares = x.tracer.constant(q) if is_tensor(q) else torch.tensor(q)
    if shares is None or interpolation != "linear" or (dim is None and keepdim):
        raise Undecomposed(f"q={q}, interpolation={interpolation}, keepdim={keepdim}")
    x, dim = (reshaped(x, -1), 0) if dim is None else (x, dim)
    x, last = x.sort(dim)[0], size_of(x)[dim] - 1

    def of_share(share):
        low = math.floor(share * last)
        first, second = (x.select(dim, min(i, last)) for i in (low, low + 1))
        between = first.add(second.sub(first).mul(share * last - low))
        return unsqueezed(between, axis_of(x, dim)) if keepdim else between
    if shares.dim() == 0:
        return of_share(shares.item())
    return stacked([of_share(share) for share in shares.tolist()], 0)


@decomposes("kthvalue")
def kthvalue(x, k, dim=-1, keepdim=False):
    values, indices = (x.sort(dim)[i] for i in range(2))
    if keepdim:
        return values.narrow(dim, k - 1, 1), indices.narrow(dim, k - 1, 1)
    return values.select(dim, k - 1), indices.select(dim, k - 1)


@decomposes("argsort")
def argsort(x, dim=-1, descending=False, **_):
    return x.sort(dim, descending)[1]


@decomposes("msort")
def msort(x):
    return x.sort(0)[0]
