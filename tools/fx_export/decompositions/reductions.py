# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes and the like along axes."""

import math

import torch

from fx_export.decompositions.extremes import maximum, minimum
from fx_export.decompositions.powers import finite_or_zero
from fx_export.decompositions.table import axis_of, decomposes, dtype_of, is_tensor, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import mean_of, reshaped, unsqueezed


def of_all_or_two(extreme, extreme_of_two):
    """x.max() and torch.max(x, y); not x.max(1), a pair."""
    def decompose(x, *others, other=None, **named):
        if not others and not named and other is None:
            return extreme(x, tuple(range(rank_of(x))))
        other = others[0] if others else other
        return extreme_of_two(x, other) if is_tensor(other) else None
    return decompose


decomposes("max")(of_all_or_two(torch.amax, maximum))
decomposes("min")(of_all_or_two(torch.amin, minimum))


@decomposes("aminmax")
def aminmax(x, *, dim=None, keepdim=False):
    axes = tuple(range(rank_of(x))) if dim is None else (dim,)
    return torch.amin(x, axes, keepdim), torch.amax(x, axes, keepdim)


@decomposes("logsumexp", "special.logsumexp")
def logsumexp(x, dim, keepdim=False):
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    most = finite_or_zero(torch.amax(x, axes, True))
    sums = x.sub(most).exp().sum(axes, True).log().add(most)
    return sums if keepdim else without_axes(sums, x, axes)


def without_axes(sums, x, axes):
    removed = {axis_of(x, axis) for axis in axes}
    return reshaped(sums, *(n for axis, n in enumerate(size_of(x)) if axis not in removed))


@decomposes("prod")
def prod(x, dim=None, keepdim=False, *, dtype=None):
    if dtype is not None:
        raise Undecomposed(f"dtype={dtype}")
    if dim is None:
        x, dim = reshaped(x, -1), 0
    products = x.cumprod(dim)
    return products.narrow(dim, size_of(x)[dim] - 1, 1) if keepdim else products.select(dim, -1)


@decomposes("any")
def any_of(x, dim=None, keepdim=False):
    return (x.ne(0).sum() if dim is None else x.ne(0).sum(dim, keepdim)).gt(0)


@decomposes("all")
def all_of(x, dim=None, keepdim=False):
    return (x.eq(0).sum() if dim is None else x.eq(0).sum(dim, keepdim)).eq(0)


@decomposes("isin")
def isin(x, others, *, assume_unique=False, invert=False):
    if not is_tensor(others):
        found = x.eq(others)
    elif not is_tensor(x):
        found = any_of(others.eq(x))
    else:
        found = any_of(unsqueezed(x, -1).eq(reshaped(others, -1)), -1)
    return found.logical_not() if invert else found


@decomposes("nansum")
def nansum(x, *axes, **named):
    return x.masked_fill(x.ne(x), 0.0).sum(*axes, **named)


@decomposes("nanmean")
def nanmean(x, *axes, **named):
    return nansum(x, *axes, **named).div(x.eq(x).sum(*axes, **named))


@decomposes("logcumsumexp")
def logcumsumexp(x, dim):
    """logsumexp of each element and those before it, along one axis more."""
    dim, count = axis_of(x, dim), size_of(x)[dim]
    later = torch.ones(count, count).triu(1).bool().reshape(count, count, *[1] * (rank_of(x) - dim - 1))
    all_of_axis = unsqueezed(x, dim).expand(*size_of(x)[:dim], count, *size_of(x)[dim:])
    return logsumexp(all_of_axis.masked_fill(later, -math.inf), dim + 1)


@decomposes("count_nonzero")
def count_nonzero(x, dim=None):
    return x.ne(0).sum() if dim is None else x.ne(0).sum(dim)


@decomposes("std_mean")
def std_mean(x, dim=None, unbiased=True, keepdim=False):
    return spread_and_mean(x, "std", dim, unbiased, keepdim)


@decomposes("var_mean")
def var_mean(x, dim=None, unbiased=True, keepdim=False):
    return spread_and_mean(x, "var", dim, unbiased, keepdim)


def spread_and_mean(x, spread, dim, unbiased, keepdim):
    if dim is None or isinstance(dim, bool):  # torch.std_mean(x, False)
        return getattr(x, spread)(unbiased if dim is None else dim), mean_of(x)
    return getattr(x, spread)(dim, unbiased, keepdim), mean_of(x, dim, keepdim)


@decomposes("diff")
def diff(x, n=1, dim=-1, prepend=None, append=None):
    if prepend is not None or append is not None or dtype_of(x) == torch.bool:
        raise Undecomposed("prepend, append, or a mask")
    count = size_of(x)[dim]
    for i in range(n):
        x = x.narrow(dim, 1, count - i - 1).sub(x.narrow(dim, 0, count - i - 1))
    return x


def without_dtype(call):
    """torch.softmax(x, 1, torch.float32), as if it were given by name."""
    def decompose(x, dim, dtype):
        return call(x.float(), dim) if dtype == torch.float32 else None
    return decompose


decomposes("softmax")(without_dtype(torch.softmax))
decomposes("log_softmax")(without_dtype(torch.log_softmax))
