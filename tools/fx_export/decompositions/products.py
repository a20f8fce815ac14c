# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of vectors and matrices."""

import math
import operator

import torch

from fx_export.decompositions.einsum import tensordot
from fx_export.decompositions.sums import scaled
from fx_export.decompositions.table import decomposes, decomposes_function, is_tensor, rank_of, size_of
from fx_export.decompositions.views import permuted, reshaped, unsqueezed


def by_all_matrices(multiply):
    """Expands matrices where both tensors lack some."""
    def decompose(a, b):
        left, right = size_of(a)[:-2], size_of(b)[:-2]
        batch = torch.broadcast_shapes(left, right)
        lacks = [math.prod(axes) not in (1, math.prod(batch)) for axes in (left, right)]
        if not any(lacks):
            return None
        return multiply(*(x.expand(*batch, *size_of(x)[-2:]) if lacking else x
                          for x, lacking in zip((a, b), lacks)))
    return decompose


decomposes("matmul")(by_all_matrices(torch.matmul))
decomposes(".matmul")(by_all_matrices(lambda a, b: a.matmul(b)))
decomposes_function(operator.matmul)(by_all_matrices(operator.matmul))


@decomposes("linalg.matmul")
def linalg_matmul(a, b):
    product = by_all_matrices(operator.matmul)(a, b)
    return a @ b if product is None else product


@decomposes("mv")
def mv(x, vec):
    return x.matmul(vec)


@decomposes("dot")
def dot(x, tensor):
    return x.matmul(tensor)


@decomposes("inner")
def inner(x, other):
    """Products of last axes; of numbers, their products."""
    if rank_of(x) == 0 or rank_of(other) == 0:
        return x.mul(other)
    return tensordot(x, other, ([-1], [-1]))


@decomposes("vdot", "linalg.vecdot")
def vecdot(x, other, *, dim=-1):
    return x.mul(other).sum(dim)


@decomposes("kron")
def kron(x, other):
    rank = max(rank_of(x), rank_of(other))
    sizes = [(1,) * (rank - rank_of(y)) + tuple(size_of(y)) for y in (x, other)]
    product = tensordot(*(reshaped(y, *size) for y, size in zip((x, other), sizes)), 0)
    product = permuted(product, [axis for i in range(rank) for axis in (i, rank + i)])
    return reshaped(product, *(n * m for n, m in zip(*sizes)))


@decomposes("bilinear")
def bilinear(x, other, weight, bias=None):
    product = torch.einsum("...i,oij->...oj", x, weight).mul(unsqueezed(other, -2)).sum(-1)
    return product if bias is None else product.add(bias)


@decomposes("outer", "ger")
def outer(x, vec2):
    return x[:, None].mul(vec2)


def added(x, beta, product):
    """beta x + product. A beta of 0 leaves out what x holds, which may be no number."""
    if is_tensor(beta) or beta != 0:
        return scaled(x, beta).add(product)
    return product.expand(torch.broadcast_shapes(size_of(x), size_of(product)))


@decomposes("addmm")
def addmm(x, mat1, mat2, *, beta=1, alpha=1):
    return None if beta != 0 else added(x, beta, scaled(mat1.mm(mat2), alpha))


@decomposes("baddbmm")
def baddbmm(x, batch1, batch2, *, beta=1, alpha=1):
    return added(x, beta, scaled(batch1.bmm(batch2), alpha))


@decomposes("addbmm")
def addbmm(x, batch1, batch2, *, beta=1, alpha=1):
    return added(x, beta, scaled(batch1.bmm(batch2).sum(0), alpha))


@decomposes("addmv")
def addmv(x, mat, vec, *, beta=1, alpha=1):
    return added(x, beta, scaled(mat.matmul(vec), alpha))


@decomposes("addr")
def addr(x, vec1, vec2, *, beta=1, alpha=1):
    return added(x, beta, scaled(outer(vec1, vec2), alpha))


@decomposes("linalg.multi_dot", "chain_matmul")
def multi_dot(tensors, *others):
    first, *rest = tensors if isinstance(tensors, (tuple, list)) else (tensors, *others)
    for x in rest:
        first = first.matmul(x)
    return first


@decomposes("linalg.cross")
def linalg_cross(x, other, *, dim=-1):
    return cross(x, other, dim)


@decomposes("cross")
def cross(x, other, dim=None):
    def turned(y, by):
        return torch.roll(y, by, dim)
    if dim is None:
        dim = list(size_of(x)).index(3)
    return turned(x, -1).mul(turned(other, -2)).sub(turned(x, -2).mul(turned(other, -1)))
