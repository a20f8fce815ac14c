# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of vectors and matrices, einsum among them."""

import math
import operator
import string

import torch

from fx_export.decompositions.elements import scaled
from fx_export.decompositions.table import (
    axis_of, decomposes, decomposes_function, is_complex, is_tensor, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import permuted, reshaped, stacked, unsqueezed


def by_all_matrices(multiply):
    """Matrices are expanded where both tensors lack some."""
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
    """Of the last axes; of numbers, products."""
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
    """A beta of 0 leaves out what x holds, which may be no number."""
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


@decomposes("tensordot")
def tensordot(a, b, dims=2, out=None):
    if isinstance(dims, int):
        of_a, of_b = range(rank_of(a) - dims, rank_of(a)), range(dims)
    else:
        of_a, of_b = ([d] if isinstance(d, int) else list(d) for d in dims)
    letters = iter(string.ascii_letters)
    first = [next(letters) for _ in size_of(a)]
    second = [next(letters) for _ in size_of(b)]
    for i, k in zip(of_a, of_b):
        second[axis_of(b, k)] = first[axis_of(a, i)]
    out = [c for c in first if c not in second] + [c for c in second if c not in first]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(out)}"
    return torch.einsum(equation, a, b) if out else einsum(equation, a, b)


@decomposes("einsum")
def einsum(equation, *tensors):
    """Of one tensor, of more than two, with a letter twice in a tensor, or with no axis left; of two at a time."""
    if not isinstance(equation, str):
        return None
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    equation = equation.replace(" ", "")
    if any(map(is_complex, tensors)):
        return einsum_of_complex(equation, *tensors)
    terms = equation.split("->")[0].split(",")
    is_plain = all(len(set(t.replace(".", ""))) == len(t.replace(".", "")) for t in terms)
    if len(tensors) == 2 and is_plain and not has_no_axes(equation, terms):
        return None
    dots = max([rank_of(x) - len(t) + 3 for t, x in zip(terms, tensors) if "..." in t], default=0)
    unused = [c for c in string.ascii_letters if c not in equation]
    terms = [t.replace("...", "".join(unused[dots - rank_of(x) + len(t) - 3:dots])) if "..." in t else t
             for t, x in zip(terms, tensors)]
    if "->" in equation:
        out = equation.split("->")[1].replace("...", "".join(unused[:dots]))
    else:
        letters = "".join(terms)
        out = "".join(unused[:dots]) + "".join(sorted(
            c for c in set(letters) - set(unused[:dots]) if letters.count(c) == 1))
    tensors = [without_repeated_letters(t, x) for t, x in zip(terms, tensors)]
    term, x = tensors[0]
    for i, (other, y) in enumerate(tensors[1:], 2):
        rest = set(out).union(*(t for t, _ in tensors[i:]))
        kept = "".join(dict.fromkeys(c for c in term + other if c in rest))
        kept = (out or kept or term[:1]) if i == len(tensors) else kept
        x = torch.einsum(f"{term},{other}->{kept}", x, y)
        term = kept
    summed = [i for i, c in enumerate(term) if c not in out]
    if summed:
        x, term = x.sum(summed), "".join(c for c in term if c in out)
    return permuted(x, [term.index(c) for c in out])


def einsum_of_complex(equation, *tensors):
    if len(tensors) != 2 or not all(map(is_complex, tensors)):
        raise Undecomposed("torch.einsum of one tensor, or of more than two, with complex numbers, or with others")

    def product(x, y):
        result = einsum(equation, x, y)
        return torch.einsum(equation, x, y) if result is None else result
    (a, b), (c, d) = ((pairs[..., 0], pairs[..., 1]) for pairs in (x.tracer.pairs_of(x) for x in tensors))
    return tensors[0].tracer.as_pairs(stacked([product(a, c).sub(product(b, d)), product(a, d).add(product(b, c))], -1))


def has_no_axes(equation, terms):
    """Whether an equation gives a number."""
    if "->" in equation:
        return equation.endswith("->")
    return "..." not in equation and all("".join(terms).count(c) > 1 for c in "".join(terms))


def without_repeated_letters(term, x):
    """The diagonal of axes that have the same letter, which is the last one then."""
    size = list(size_of(x))
    while len(set(term)) < len(term):
        c = next(c for c in term if term.count(c) > 1)
        i = term.index(c)
        k = term.index(c, i + 1)
        others = [axis for axis in range(len(term)) if axis not in (i, k)]
        n = size[i]
        x = permuted(x, (*others, i, k))
        x = reshaped(x, *(size[axis] for axis in others), n * n)[..., ::n + 1]
        term = "".join(term[axis] for axis in others) + c
        size = [size[axis] for axis in others] + [n]
    return term, x
