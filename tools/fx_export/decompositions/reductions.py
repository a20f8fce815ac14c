# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes and the like along axes, and what sorts."""

import math

import torch

from fx_export.decompositions.elements import finite_or_zero, maximum, minimum
from fx_export.decompositions.table import (
    axis_of, decomposes, dtype_of, is_tensor, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import mean_of, reshaped, stacked, unsqueezed


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
    """Of each element and those before it, which are one axis more."""
    dim, count = axis_of(x, dim), size_of(x)[dim]
    later = torch.ones(count, count).triu(1).bool().reshape(count, count, *[1] * (rank_of(x) - dim - 1))
    all_of_axis = unsqueezed(x, dim).expand(*size_of(x)[:dim], count, *size_of(x)[dim:])
    return logsumexp(all_of_axis.masked_fill(later, -math.inf), dim + 1)


@decomposes("dist")
def dist(x, other, p=2):
    return vector_norm(x.sub(other), p)


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


@decomposes("norm")
def norm(x, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Of another kind than 1 and 2."""
    if dtype is not None or p == "nuc":
        raise Undecomposed(f"p={p}, dtype={dtype}")
    if p in (1, 2):
        return None
    return vector_norm(x, 2 if p in ("fro", None) else p, dim, keepdim)


@decomposes("linalg.vector_norm")
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    if dtype is not None:
        raise Undecomposed(f"dtype={dtype}")
    axes = tuple(range(rank_of(x))) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if ord == 0:
        return x.ne(0).float().sum(axes, keepdim)
    if math.isinf(ord):
        return (torch.amax if ord > 0 else torch.amin)(x.abs(), axes, keepdim)
    if ord == 1:
        return x.abs().sum(axes, keepdim)
    if ord == 2:
        return x.mul(x).sum(axes, keepdim).sqrt()
    return x.abs().pow(float(ord)).sum(axes, keepdim).pow(1.0 / ord)


@decomposes("F.normalize")
def normalize(x, p=2.0, dim=1, eps=1e-12, out=None):
    """Along several axes."""
    if isinstance(dim, int):
        return None
    return x.div(vector_norm(x, p, dim, True).clip(min=eps))


@decomposes("linalg.norm")
def linalg_norm(x, ord=None, dim=None, keepdim=False, *, dtype=None):
    is_vector = ord in (None, "fro") or isinstance(dim, int) or (dim is not None and len(dim) == 1)
    if not is_vector and not (dim is None and rank_of(x) == 1):
        raise Undecomposed(f"ord={ord}, a norm of matrices")
    return vector_norm(x, 2 if ord in (None, "fro") else ord, dim, keepdim, dtype=dtype)


@decomposes("median")
def median(x, dim=None, keepdim=False):
    if dim is None:
        count = math.prod(size_of(x))
        return reshaped(x, -1).sort(0)[0].select(0, (count - 1) // 2)
    return kthvalue(x, (size_of(x)[dim] + 1) // 2, dim, keepdim)


@decomposes("quantile")
def quantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    """Of constant shares, each between two elements of what is sorted."""
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
