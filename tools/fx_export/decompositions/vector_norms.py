# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms of vectors, and what is computed of them."""

import math

import torch

from fx_export.decompositions.table import decomposes, rank_of, Undecomposed


@decomposes("dist")
def dist(x, other, p=2):
    return vector_norm(x.sub(other), p)


@decomposes("norm")
def norm(x, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Norms other than 1 and 2, which ctq has."""
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
    """Vectors along several axes."""
    if isinstance(dim, int):
        return None
    return x.div(vector_norm(x, p, dim, True).clip(min=eps))


@decomposes("linalg.norm")
def linalg_norm(x, ord=None, dim=None, keepdim=False, *, dtype=None):
    is_vector = ord in (None, "fro") or isinstance(dim, int) or (dim is not None and len(dim) == 1)
    if not is_vector and not (dim is None and rank_of(x) == 1):
        raise Undecomposed(f"ord={ord}, a norm of matrices")
    return vector_norm(x, 2 if ord in (None, "fro") else ord, dim, keepdim, dtype=dtype)
