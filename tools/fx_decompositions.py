# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of PyTorch that ctq has no op for, written with those that it has: for export_fx.py.

DECOMPOSITIONS has, by function or name of a method, a function of the same arguments; MODULES has, by
class, a function of the module and its arguments. They are called with proxies, whose calls become nodes
in the place of the node. A function that needs the size of a tensor asks size_of(x).

No backend quantizes the calls that are replaced. Nor does it what they are replaced with: arithmetic is
written as methods, x.mul(y), which no backend has in a pattern.
"""

import math
import operator
import string

import torch
import torch.nn.functional as F
from torch import nn

DECOMPOSITIONS = {}
MODULES = {}
HIGHEST = torch.finfo(torch.float32).max


class Undecomposed(Exception):
    """A call whose arguments no decomposition has."""


def decomposes(*names):
    """A function for "NAME", torch.NAME and the method NAME, where PyTorch has them; ".NAME", the method
    alone; "F.NAME", torch.nn.functional.NAME; "linalg.NAME", torch.linalg.NAME."""
    def add(decompose):
        for name in names:
            space, dot, function = name.rpartition(".")
            if dot and not space:
                DECOMPOSITIONS[function] = decompose
                continue
            # torch.functional's own functions are traced as what they call in C++.
            places = {"": (torch, torch._C._VariableFunctions), "F": (F,), "linalg": (torch.linalg,)}
            DECOMPOSITIONS.update((getattr(place, function), decompose) for place in places[space]
                                  if hasattr(place, function))
            if not space and hasattr(torch.Tensor, function):
                DECOMPOSITIONS[function] = decompose
        return decompose
    return add


def decomposes_function(*functions):
    def add(decompose):
        DECOMPOSITIONS.update((f, decompose) for f in functions)
        return decompose
    return add


def decomposes_module(*names):
    def add(decompose):
        MODULES.update((getattr(nn, name), decompose) for name in names if hasattr(nn, name))
        return decompose
    return add


def size_of(x):
    """The shape of a tensor; that of a proxy is what its builder has measured."""
    return x.shape if isinstance(x, torch.Tensor) else x.tracer.value_of(x).shape


def dtype_of(x):
    return x.dtype if isinstance(x, torch.Tensor) else x.tracer.value_of(x).dtype


def rank_of(x):
    return len(size_of(x))


def is_tensor(x):
    return isinstance(x, (torch.Tensor, torch.fx.Proxy))


def axis_of(x, dim):
    """An axis counted from the first."""
    return dim % max(rank_of(x), 1)


def numbers_of(given):
    """x.new_zeros(2, 3) and x.new_zeros((2, 3)) have the same numbers."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


# --- elements ---------------------------------------------------------------------------------

for _names, _decompose in {
        ("erfc",): lambda x: torch.erf(x).neg().add(1),
        ("positive",): lambda x: x,
        ("sgn",): lambda x: torch.sign(x),
        ("deg2rad",): lambda x: x.mul(math.pi / 180),
        ("rad2deg",): lambda x: x.mul(180 / math.pi),
        ("isnan",): lambda x: torch.ne(x, x),
        ("isinf",): lambda x: x.abs().gt(HIGHEST),
        ("isfinite",): lambda x: x.abs().le(HIGHEST),
        ("clamp_min",): lambda x, min: at_least(x, min),
        ("clamp_max",): lambda x, max: at_most(x, max),
        ("true_divide",): lambda x, other: x.div(other),
        ("hypot",): lambda x, other: x.mul(x).add(other.mul(other)).sqrt(),
        ("addcmul",): lambda x, tensor1, tensor2, *, value=1: x.add(scaled(tensor1.mul(tensor2), value)),
        ("addcdiv",): lambda x, tensor1, tensor2, *, value=1: x.add(scaled(tensor1, value).div(tensor2)),
        ("lerp",): lambda x, end, weight: x.add(end.sub(x).mul(weight)),
        ("rsub",): lambda x, other, alpha=1: scaled(x, alpha).neg().add(other),
        (".maximum",): lambda x, other: torch.maximum(x, other),
        (".minimum",): lambda x, other: torch.minimum(x, other),
        ("logical_xor",): lambda x, other: x.ne(0).ne(other.ne(0)),
        ("F.l1_loss",): lambda x, y, *reduction, **named: reduced(x.sub(y).abs(), *reduction, **named),
        ("F.mse_loss",): lambda x, y, *reduction, **named: reduced(x.sub(y).pow(2), *reduction, **named),
}.items():
    decomposes(*_names)(_decompose)


@decomposes_function(operator.xor)
def xor(x, other):
    """Of masks."""
    is_mask = is_tensor(x) and is_tensor(other) and dtype_of(x) == dtype_of(other) == torch.bool
    return x.ne(other) if is_mask else None


def scaled(x, factor):
    return x if not is_tensor(factor) and factor == 1 else x.mul(factor)


def at_least(x, bound):
    return torch.maximum(x, bound) if is_tensor(bound) else x.clamp(min=bound)


def at_most(x, bound):
    return torch.minimum(x, bound) if is_tensor(bound) else x.clamp(max=bound)


@decomposes("clamp", "clip")
def clamp(x, min=None, max=None):
    if not is_tensor(min) and not is_tensor(max):
        return None
    x = x if min is None else at_least(x, min)
    return x if max is None else at_most(x, max)


@decomposes("nan_to_num")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    highest = HIGHEST if posinf is None else posinf
    lowest = -HIGHEST if neginf is None else neginf
    x = x.masked_fill(torch.ne(x, x), 0.0 if nan is None else nan)
    return x.masked_fill(x.gt(HIGHEST), highest).masked_fill(x.lt(-HIGHEST), lowest)


@decomposes("logit")
def logit(x, eps=None):
    x = x if eps is None else x.clamp(eps, 1 - eps)
    return x.div(x.neg().add(1)).log()


@decomposes("logaddexp")
def logaddexp(x, other):
    most = finite_or_zero(torch.maximum(x, other))
    return x.sub(most).exp().add(other.sub(most).exp()).log().add(most)


def finite_or_zero(x):
    return x.masked_fill(x.abs().gt(HIGHEST), 0.0)


@decomposes("atan2", "arctan2")
def atan2(y, x):
    half = torch.sign(y).mul(math.pi)
    half = half.masked_fill(y.eq(0), math.pi).masked_fill(x.ge(0), 0.0)
    return y.div(x).atan().add(half).masked_fill(torch.logical_and(x.eq(0), y.eq(0)), 0.0)


@decomposes("pow")
@decomposes_function(operator.pow)
def power(x, exponent):
    """Of two tensors. A negative number has a power if the exponent is an integer."""
    if not is_tensor(exponent) or not is_tensor(x) or not (
            dtype_of(x).is_floating_point and dtype_of(exponent).is_floating_point):
        return None
    size = x.abs().log().mul(exponent).exp()
    is_negative = x.lt(0)
    is_odd = exponent.remainder(2).eq(1)
    is_broken = exponent.ne(exponent.floor())
    size = size.masked_fill(exponent.eq(0), 1.0)
    signed = torch.where(torch.logical_and(is_negative, is_odd), size.neg(), size)
    return torch.where(torch.logical_and(is_negative, is_broken), x.log(), signed)  # not a number


@decomposes("div", "divide")
def divided(x, other, *, rounding_mode=None):
    if rounding_mode == "trunc":
        quotient = x.div(other).trunc()
        return quotient if any_float(x, other) else quotient.long()
    if rounding_mode == "floor" and not is_tensor(other):
        return torch.floor_divide(x, other)
    return None


def any_float(*operands):
    return any(dtype_of(x).is_floating_point if is_tensor(x) else isinstance(x, float) for x in operands)


def reduced(x, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None or reduction not in ("mean", "sum", "none"):
        raise Undecomposed(f"reduction={reduction}")
    return x if reduction == "none" else getattr(x, reduction)()


# --- reductions -------------------------------------------------------------------------------

@decomposes("max")
def maximum_of_all(x, *others, **named):
    return None if others or named else torch.amax(x, tuple(range(rank_of(x))))


@decomposes("min")
def minimum_of_all(x, *others, **named):
    return None if others or named else torch.amin(x, tuple(range(rank_of(x))))


@decomposes("aminmax")
def extremes(x, *, dim=None, keepdim=False):
    axes = tuple(range(rank_of(x))) if dim is None else (dim,)
    return torch.amin(x, axes, keepdim), torch.amax(x, axes, keepdim)


@decomposes("logsumexp")
def logsumexp(x, dim, keepdim=False):
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    most = finite_or_zero(torch.amax(x, axes, True))
    sums = x.sub(most).exp().sum(axes, True).log().add(most)
    return sums if keepdim else without_axes(sums, x, axes)


def without_axes(sums, x, axes):
    removed = {axis_of(x, axis) for axis in axes}
    return sums.reshape([n for axis, n in enumerate(size_of(x)) if axis not in removed])


@decomposes("prod")
def product(x, dim=None, keepdim=False, *, dtype=None):
    if dtype is not None:
        raise Undecomposed(f"dtype={dtype}")
    if dim is None:
        x, dim = x.reshape(-1), 0
    products = x.cumprod(dim)
    return products.narrow(dim, size_of(x)[dim] - 1, 1) if keepdim else products.select(dim, -1)


@decomposes("any")
def any_of(x, dim=None, keepdim=False):
    return (x.ne(0).sum() if dim is None else x.ne(0).sum(dim, keepdim)).gt(0)


@decomposes("all")
def all_of(x, dim=None, keepdim=False):
    return (x.eq(0).sum() if dim is None else x.eq(0).sum(dim, keepdim)).eq(0)


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
        return getattr(x, spread)(unbiased if dim is None else dim), x.mean()
    return getattr(x, spread)(dim, unbiased, keepdim), x.mean(dim, keepdim)


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
        return x.reshape(-1).sort(0)[0].select(0, (count - 1) // 2)
    return kth_value(x, (size_of(x)[dim] + 1) // 2, dim, keepdim)


@decomposes("kthvalue")
def kth_value(x, k, dim=-1, keepdim=False):
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


# --- products ---------------------------------------------------------------------------------

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
    product = by_all_matrices(torch.matmul)(a, b)
    return torch.matmul(a, b) if product is None else product


@decomposes("mv")
def mv(x, vec):
    return x.matmul(vec)


@decomposes("dot")
def dot(x, tensor):
    return x.matmul(tensor)


@decomposes("outer", "ger")
def outer(x, vec2):
    return x.unsqueeze(1).mul(vec2)


@decomposes("baddbmm")
def baddbmm(x, batch1, batch2, *, beta=1, alpha=1):
    return scaled(x, beta).add(scaled(batch1.bmm(batch2), alpha))


@decomposes("addbmm")
def addbmm(x, batch1, batch2, *, beta=1, alpha=1):
    return scaled(x, beta).add(scaled(batch1.bmm(batch2).sum(0), alpha))


@decomposes("addmv")
def addmv(x, mat, vec, *, beta=1, alpha=1):
    return scaled(x, beta).add(scaled(mat.matmul(vec), alpha))


@decomposes("addr")
def addr(x, vec1, vec2, *, beta=1, alpha=1):
    return scaled(x, beta).add(scaled(outer(vec1, vec2), alpha))


@decomposes("linalg.multi_dot", "chain_matmul")
def multi_dot(tensors, *others):
    first, *rest = tensors if isinstance(tensors, (tuple, list)) else (tensors, *others)
    for x in rest:
        first = first.matmul(x)
    return first


@decomposes("cross", "linalg.cross")
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
    return torch.einsum("".join(first) + "," + "".join(second) + "->" + "".join(out), a, b)


@decomposes("einsum")
def einsum(equation, *tensors):
    """Of one tensor, of more than two, or with a letter twice in a tensor; of two at a time."""
    if not isinstance(equation, str):
        return None
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    equation = equation.replace(" ", "")
    terms = equation.split("->")[0].split(",")
    if len(tensors) == 2 and all(len(set(t.replace(".", ""))) == len(t.replace(".", "")) for t in terms):
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
        kept = out if i == len(tensors) else kept
        x = torch.einsum(f"{term},{other}->{kept}", x, y)
        term = kept
    summed = [i for i, c in enumerate(term) if c not in out]
    if summed:
        x, term = x.sum(summed), "".join(c for c in term if c in out)
    return x if term == out else x.permute([term.index(c) for c in out])


def without_repeated_letters(term, x):
    """The diagonal of axes that have the same letter, which is the last one then."""
    size = list(size_of(x))
    while len(set(term)) < len(term):
        c = next(c for c in term if term.count(c) > 1)
        i = term.index(c)
        k = term.index(c, i + 1)
        others = [axis for axis in range(len(term)) if axis not in (i, k)]
        n = size[i]
        x = x.permute(*others, i, k)
        x = x.reshape(*(size[axis] for axis in others), n * n)[..., ::n + 1]
        term = "".join(term[axis] for axis in others) + c
        size = [size[axis] for axis in others] + [n]
    return term, x


# --- rearrangements ---------------------------------------------------------------------------

@decomposes("fliplr")
def fliplr(x):
    return torch.flip(x, [1])


@decomposes("flipud")
def flipud(x):
    return torch.flip(x, [0])


@decomposes("rot90")
def rot90(x, k=1, dims=(0, 1)):
    first, second = dims
    for _ in range(k % 4):
        x = torch.flip(x, [second]).transpose(first, second)
    return x


@decomposes("movedim", "moveaxis")
def movedim(x, source, destination):
    source, destination = ([axis_of(x, d) for d in ([ds] if isinstance(ds, int) else ds)]
                           for ds in (source, destination))
    order = [axis for axis in range(rank_of(x)) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return x.permute(order)


@decomposes("swapdims")
def swapdims(x, dim0, dim1):
    return x.transpose(dim0, dim1)


@decomposes("tile")
def tile(x, *repeats, dims=None):
    repeats = numbers_of(repeats) if dims is None else tuple(dims)
    return x.repeat((1,) * (rank_of(x) - len(repeats)) + repeats)


@decomposes("broadcast_to")
def broadcast_to(x, size):
    return x.expand(*size)


@decomposes(".unfold")
def unfold(x, dimension, size, step):
    """Windows along an axis, whose elements are a new last axis."""
    axis = axis_of(x, dimension)
    shape = tuple(size_of(x))
    starts = range(0, shape[axis] - size + 1, step)
    index = torch.tensor([first + i for first in starts for i in range(size)])
    windows = torch.index_select(x, axis, index).reshape(
        *shape[:axis], len(starts), size, *shape[axis + 1:])
    return windows.permute(*(i for i in range(len(shape) + 1) if i != axis + 1), axis + 1)


@decomposes("ravel")
def ravel(x):
    return x.reshape(-1)


def raised(x, rank):
    """As torch.atleast_2d, torch.atleast_3d."""
    size = tuple(size_of(x))
    if len(size) >= rank:
        return x
    size = (1,) * (min(rank, 2) - len(size)) + size
    return x.reshape(size if rank < 3 else (*size, 1))


for _rank in 1, 2, 3:
    @decomposes(f"atleast_{_rank}d")
    def atleast(*tensors, rank=_rank):
        tensors = numbers_of(tensors)
        return raised(tensors[0], rank) if len(tensors) == 1 else tuple(raised(x, rank) for x in tensors)


@decomposes("hstack")
def hstack(tensors):
    tensors = [raised(x, 1) for x in tensors]
    return torch.cat(tensors, 0 if rank_of(tensors[0]) == 1 else 1)


@decomposes("vstack", "row_stack")
def vstack(tensors):
    return torch.cat([raised(x, 2) for x in tensors], 0)


@decomposes("dstack")
def dstack(tensors):
    return torch.cat([raised(x, 3) for x in tensors], 2)


@decomposes("column_stack")
def column_stack(tensors):
    return torch.cat([x.reshape(-1, 1) if rank_of(x) < 2 else x for x in tensors], 1)


@decomposes("tensor_split")
def tensor_split(x, sections, dim=0, **_):
    if is_tensor(sections):
        raise Undecomposed("sections that are a tensor")
    count = size_of(x)[dim]
    if isinstance(sections, int):
        long = count % sections
        ends = [i * (count // sections) + min(i, long) for i in range(sections + 1)]
    else:
        ends = [0, *(slice(i).indices(count)[1] for i in sections), count]
    return tuple(x.narrow(dim, begin, max(end - begin, 0)) for begin, end in zip(ends, ends[1:]))


@decomposes("hsplit")
def hsplit(x, sections):
    return tensor_split(x, sections, 0 if rank_of(x) == 1 else 1)


@decomposes("vsplit")
def vsplit(x, sections):
    return tensor_split(x, sections, 0)


@decomposes("dsplit")
def dsplit(x, sections):
    return tensor_split(x, sections, 2)


@decomposes("meshgrid")
def meshgrid(*tensors, indexing="ij"):
    tensors = numbers_of(tensors)
    counts = [math.prod(size_of(x)) for x in tensors]
    swapped = indexing == "xy" and len(tensors) > 1
    grids = []
    for i, x in enumerate(tensors):
        axis = 1 - i if swapped and i < 2 else i
        shape = [1] * len(tensors)
        shape[axis] = counts[i]
        full = [counts[1], counts[0], *counts[2:]] if swapped else counts
        grids.append(x.reshape(shape).expand(*full))
    return tuple(grids)


@decomposes("diagonal")
def diagonal_of(x, offset=0, dim1=0, dim2=1):
    dim1, dim2 = axis_of(x, dim1), axis_of(x, dim2)
    others = [axis for axis in range(rank_of(x)) if axis not in (dim1, dim2)]
    rows, columns = size_of(x)[dim1], size_of(x)[dim2]
    first, count = ((offset, min(rows, columns - offset)) if offset >= 0 else
                    (-offset * columns, min(rows + offset, columns)))
    flat = x.permute(*others, dim1, dim2).reshape(*(size_of(x)[i] for i in others), rows * columns)
    end = first + (count - 1) * (columns + 1) + 1
    return flat[(..., slice(first, end, columns + 1))]


@decomposes("diag")
def diag(x, diagonal=0):
    return diagonal_of(x, diagonal) if rank_of(x) == 2 else diag_embed(x, diagonal)


@decomposes("diag_embed")
def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    if (dim1, dim2) != (-2, -1):
        raise Undecomposed(f"dim1={dim1}, dim2={dim2}")
    n = size_of(x)[-1]
    place = torch.diag(torch.ones(n), offset)
    columns = x
    if offset != 0:
        zeros = torch.zeros(*size_of(x)[:-1], abs(offset))
        columns = torch.cat([zeros, x] if offset > 0 else [x, zeros], -1)
    return columns.unsqueeze(-2).mul(place)


@decomposes("trace")
def trace(x):
    return diagonal_of(x).sum()


# --- indices ----------------------------------------------------------------------------------

@decomposes("F.one_hot")
def one_hot(x, num_classes=-1):
    if num_classes < 0:
        raise Undecomposed("num_classes=-1, which values decide; give the number")
    return x.unsqueeze(-1).eq(torch.arange(num_classes)).long()


@decomposes("take_along_dim")
def take_along_dim(x, indices, dim=None):
    if dim is not None:
        needs_all_but(axis_of(x, dim), x, indices)
    return torch.gather(x, dim, indices) if dim is not None else torch.gather(
        x.reshape(-1), 0, indices.reshape(-1))


@decomposes("take")
def take(x, index):
    return torch.index_select(x.reshape(-1), 0, index.reshape(-1)).reshape(*size_of(index))


@decomposes("bucketize")
def bucketize(x, boundaries, *, out_int32=False, right=False):
    x = x.unsqueeze(-1)
    return (x.ge(boundaries) if right else x.gt(boundaries)).sum(-1)


@decomposes("searchsorted")
def searchsorted(boundaries, x, *, out_int32=False, right=False, side=None, sorter=None):
    if rank_of(boundaries) != 1 or sorter is not None:
        raise Undecomposed("more than one row, or sorter")
    return bucketize(x, boundaries, right=right or side == "right")


def is_chosen(x, dim, index, count):
    """By a new axis before dim, which has x's length: whether an index is that place."""
    place = torch.arange(count).reshape(-1, *[1] * (rank_of(index) - dim))
    return index.unsqueeze(dim).eq(place)


@decomposes("index_add")
def index_add(x, dim, index, source, *, alpha=1):
    """Sums of rows by a matrix of zeros and ones."""
    if not dtype_of(source).is_floating_point:
        raise Undecomposed("integers to add")
    dim, count = axis_of(x, dim), size_of(x)[dim]
    rows = source.transpose(0, dim)
    flat = rows.reshape(size_of(rows)[0], -1)
    sums = is_chosen(x, 0, index, count).float().matmul(flat)
    return x.add(scaled(sums.reshape(count, *size_of(rows)[1:]).transpose(0, dim), alpha))


@decomposes("scatter_add")
def scatter_add(x, dim, index, src):
    if not dtype_of(src).is_floating_point:
        raise Undecomposed("integers to add")
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index, src)
    if size_of(src)[dim] > size_of(index)[dim]:
        src = src.narrow(dim, 0, size_of(index)[dim])
    return x.add(is_chosen(x, dim, index, size_of(x)[dim]).float().mul(src.unsqueeze(dim)).sum(dim + 1))


@decomposes("scatter")
def scatter(x, dim, index, src=None, *, value=None, reduce=None):
    """Of one number: of a tensor, the order would decide."""
    if reduce is not None:
        raise Undecomposed(f"reduce={reduce}")
    value = src if value is None else value
    if is_tensor(value):
        raise Undecomposed("a tensor to scatter, the order of which decides; scatter_add adds them")
    dim = axis_of(x, dim)
    needs_all_but(dim, x, index)
    return x.masked_fill(any_of(is_chosen(x, dim, index, size_of(x)[dim]), dim + 1), value)


def needs_all_but(dim, x, *others):
    for other in others:
        if any(n != m for i, (n, m) in enumerate(zip(size_of(x), size_of(other))) if i != dim):
            raise Undecomposed("an index of a part of the other axes")


@decomposes("F.embedding")
def embedding(indices, weight, padding_idx=None, max_norm=None, *_, **__):
    if max_norm is not None:
        raise Undecomposed(f"max_norm={max_norm}")
    return weight[indices]


@decomposes("F.embedding_bag")
def embedding_bag(indices, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                  mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    if offsets is not None or max_norm is not None or padding_idx is not None or rank_of(indices) != 2:
        raise Undecomposed("offsets, max_norm or padding_idx")
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows.mul(per_sample_weights.unsqueeze(-1))
    return torch.amax(rows, (1,)) if mode == "max" else getattr(rows, mode)(1)


def constant_index(x, item):
    """A list, a tensor that only attributes decide, or None."""
    if isinstance(item, list) and not any(map(is_tensor, item)):
        return torch.tensor(item)
    return x.tracer.constant(item) if isinstance(item, torch.fx.Proxy) else None


@decomposes_function(operator.getitem)
def get_item(x, index):
    """By masks, and by lists beside other indices, all of them constants."""
    items = index if isinstance(index, tuple) else (index,)
    chosen = [constant_index(x, item) for item in items]
    is_whole = [item is Ellipsis or item == slice(None) if chosen[i] is None else True
                for i, item in enumerate(items)]
    is_mask = any(c is not None and c.dtype == torch.bool for c in chosen)
    of_lists = sum(isinstance(item, list) for item in items)
    if not is_mask and (of_lists == 0 or (of_lists == 1 and all(is_whole))):
        return None
    if any(is_tensor(item) and c is None for item, c in zip(items, chosen)):
        return None
    size = tuple(size_of(x))
    places = torch.arange(math.prod(size)).reshape(size)[tuple(
        item if c is None else c for item, c in zip(items, chosen))]
    return torch.index_select(x.reshape(-1), 0, places.reshape(-1)).reshape(*places.shape)


# --- constants --------------------------------------------------------------------------------

def filled(x, value, size, dtype=None):
    return torch.full(tuple(size), value, dtype=dtype_of(x) if dtype is None else dtype)


@decomposes(".new_zeros", ".new_empty")
def new_zeros(x, *sizes, size=None, dtype=None, **_):
    return filled(x, 0, numbers_of(sizes) if size is None else size, dtype)


@decomposes(".new_ones")
def new_ones(x, *sizes, size=None, dtype=None, **_):
    return filled(x, 1, numbers_of(sizes) if size is None else size, dtype)


@decomposes(".new_full")
def new_full(x, size, fill_value, dtype=None, **_):
    return filled(x, fill_value, size, dtype)


@decomposes(".new_tensor")
def new_tensor(x, values, dtype=None, **_):
    return torch.tensor(values, dtype=dtype_of(x) if dtype is None else dtype)


# --- complex numbers ---------------------------------------------------------------------------

# A node of complex numbers is written as one of pairs, real and imaginary, along a last axis.

def is_complex(x):
    return isinstance(x, torch.fx.Proxy) and x.tracer.is_complex(x)


@decomposes("view_as_complex")
def view_as_complex(x):
    return x.tracer.as_pairs(x.clone())


@decomposes("view_as_real")
def view_as_real(x):
    return x.tracer.pairs_of(x)


@decomposes("polar")
def polar(abs, angle):
    return abs.tracer.as_pairs(torch.stack([abs.mul(angle.cos()), abs.mul(angle.sin())], -1))


@decomposes("mul", "multiply")
@decomposes_function(operator.mul)
def product_of_complex(x, other):
    if not is_complex(x) and not is_complex(other):
        return None
    if not is_complex(x) or not is_complex(other):
        x, other = (x, other) if is_complex(x) else (other, x)
        factor = other.unsqueeze(-1) if is_tensor(other) else other
        return x.tracer.as_pairs(x.tracer.pairs_of(x).mul(factor))
    (a, b), (c, d) = ((pairs[..., 0], pairs[..., 1]) for pairs in
                      (x.tracer.pairs_of(x), x.tracer.pairs_of(other)))
    return x.tracer.as_pairs(torch.stack([a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))], -1))


@decomposes("abs")
def size_of_complex(x):
    return x.tracer.pairs_of(x).pow(2).sum(-1).sqrt() if is_complex(x) else None


@decomposes_function(getattr)
def part(x, name):
    """x.real, x.imag, x.mT"""
    if name in ("real", "imag") and is_complex(x):
        return x.tracer.pairs_of(x)[..., ("real", "imag").index(name)]
    return x.transpose(-2, -1) if name == "mT" else None


# --- assignments ------------------------------------------------------------------------------

@decomposes(".__setitem__")
@decomposes_function(operator.setitem)
def set_item(x, index, value):
    """x[index] = value as a new tensor: constants say which elements are taken from where."""
    size = tuple(size_of(x))
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, torch.fx.Proxy) for i in items):
        if len(items) != 1:
            raise Undecomposed("an assignment to what tensors and other indices choose")
        mask = items[0]
        if dtype_of(mask) != torch.bool or (is_tensor(value) and rank_of(value) > 0):
            raise Undecomposed("an assignment to what indices choose, or to several elements by a mask")
        mask = mask.reshape(*size_of(mask), *[1] * (len(size) - rank_of(mask)))
        return torch.where(mask, value, x) if is_tensor(value) else x.masked_fill(mask, value)
    is_set = torch.zeros(size, dtype=torch.bool)
    is_set[index] = True
    if not is_tensor(value):
        return x.masked_fill(is_set, value)
    places = torch.zeros(size, dtype=torch.int64)
    region = places[index].shape
    places[index] = torch.arange(math.prod(region)).reshape(region)
    if dtype_of(value) != dtype_of(x):
        value = value.float() if dtype_of(x).is_floating_point else value.long()
    if rank_of(value) > len(region):  # of axes of one element
        value = value.reshape(tuple(size_of(value))[rank_of(value) - len(region):])
    value = value.expand(tuple(region)).reshape(-1)
    if bool(is_set.all()) and torch.equal(places.reshape(-1), torch.arange(math.prod(size))):
        return value.reshape(*size)
    return torch.where(is_set, torch.index_select(value, 0, places.reshape(-1)).reshape(*size), x)


@decomposes(".fill")
def fill(x, value):
    if is_tensor(value):
        return value.expand(tuple(size_of(x)))
    return filled(x, value, size_of(x))


@decomposes(".zero")
def zero(x):
    return filled(x, 0, size_of(x))


@decomposes(".copy")
def copied(x, source, non_blocking=False):
    if dtype_of(source) != dtype_of(x):
        source = source.float() if dtype_of(x).is_floating_point else source.long()
    return source.expand(tuple(size_of(x)))


# --- norms, convolutions, pools ---------------------------------------------------------------

@decomposes("F.batch_norm")
def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training or mean is None:
        axes = tuple(axis for axis in range(rank_of(x)) if axis != 1)
        mean, var = x.mean(axes), x.var(axes, False)
    factor = var.add(eps).rsqrt()
    factor = factor if weight is None else factor.mul(weight)
    shift = mean.mul(factor).neg()
    shift = shift if bias is None else shift.add(bias)
    channels = (-1, *[1] * (rank_of(x) - 2))
    return x.mul(factor.reshape(*channels)).add(shift.reshape(*channels))


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


@decomposes_module("ConvTranspose3d")
def conv_transpose3d(module, x):
    """Transposed convolutions of the slices of an image, one for each slice of the kernel."""
    if rank_of(x) != 5:
        return None
    module = x.tracer.with_batch_norm(module)
    batch, channels, depth, *image = size_of(x)
    step, dilation, first = module.stride[0], module.dilation[0], module.padding[0]
    taps = module.kernel_size[0]
    is_apart = step == taps and dilation == 1  # each slice of the output is one part
    slices = x.transpose(1, 2).reshape(batch * depth, channels, *image)
    parts = []
    for tap in range(taps):
        plane = nn.ConvTranspose2d(channels, module.out_channels, module.kernel_size[1:],
                                   module.stride[1:], module.padding[1:], module.output_padding[1:],
                                   module.groups, is_apart and module.bias is not None,
                                   module.dilation[1:]).eval()
        plane.weight.data = module.weight.data[:, :, tap].contiguous()
        if plane.bias is not None:
            plane.bias.data = module.bias.data.clone()
        part = x.tracer.added_module(plane)(slices)
        size = size_of(part)[1:]
        parts.append(part.reshape(batch, depth, *([1] if is_apart else []), *size))

    def zeros(count):
        return torch.zeros(batch, count, *size)

    def joined(tensors):
        tensors = [y for y in tensors if size_of(y)[1] > 0]
        return tensors[0] if len(tensors) == 1 else torch.cat(tensors, 1)
    if is_apart:
        # Backends quantize cat, not stack: integers stay integers.
        whole = torch.cat(parts, 2).reshape(batch, depth * step, *size)
    else:
        whole = None
        for tap, part in enumerate(parts):
            if step > 1:
                part = torch.stack([part] + [zeros(depth)] * (step - 1), 2)
                part = part.reshape(batch, depth * step, *size).narrow(1, 0, (depth - 1) * step + 1)
            part = joined([zeros(tap * dilation), part, zeros((taps - 1 - tap) * dilation)])
            whole = part if whole is None else whole.add(part)
    count = (depth - 1) * step - 2 * first + dilation * (taps - 1) + module.output_padding[0] + 1
    missing = first + count - size_of(whole)[1]
    bias = module.bias
    if missing > 0:
        if is_apart and bias is not None:
            whole, bias = joined([whole, zeros(missing).add(bias.reshape(-1, 1, 1))]), None
        else:
            whole = joined([whole, zeros(missing)])
    if count < size_of(whole)[1]:
        whole = whole.narrow(1, first, count)
    whole = whole.transpose(1, 2)
    return whole if bias is None or is_apart else whole.add(bias.reshape(-1, 1, 1, 1))


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


def window_places(counts, width, kernel, stride):
    """By window and element of it: the place in an image of so many columns."""
    rows, columns = (torch.arange(n)[:, None] * step + torch.arange(k)
                     for n, k, step in zip(counts, kernel, stride))
    places = rows[:, None, :, None] * width + columns[None, :, None, :]
    return places.reshape(*counts, kernel[0] * kernel[1])


@decomposes("F.max_pool2d_with_indices")
def max_pool2d_with_indices(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                            return_indices=False):
    if pair(padding) != (0, 0) or pair(dilation) != (1, 1) or ceil_mode or rank_of(x) != 4:
        raise Undecomposed("indices of windows with padding, dilation, or ceil_mode")
    kernel, stride = pair(kernel_size), pair(kernel_size if stride is None else stride)
    batch, channels, height, width = size_of(x)
    counts = [(n - k) // step + 1 for n, k, step in zip((height, width), kernel, stride)]
    places = window_places(counts, width, kernel, stride)
    windows = torch.index_select(x.reshape(batch, channels, height * width), 2, places.reshape(-1))
    first = windows.reshape(batch, channels, *places.shape).argmax(-1)
    indices = first.unsqueeze(-1).eq(torch.arange(places.shape[-1])).long().mul(places).sum(-1)
    return F.max_pool2d(x, kernel, stride), indices


@decomposes_module("MaxPool2d")
def max_pool2d_module(module, x):
    if not module.return_indices:
        return None
    return max_pool2d_with_indices(x, module.kernel_size, module.stride, module.padding, module.dilation,
                                   module.ceil_mode)


@decomposes("F.max_unpool2d")
def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Of windows that do not overlap: each writes its value to one of its places."""
    kernel, stride = pair(kernel_size), pair(kernel_size if stride is None else stride)
    if kernel != stride or pair(padding) != (0, 0) or rank_of(x) != 4:
        raise Undecomposed("windows that overlap, or padding")
    batch, channels, *counts = size_of(x)
    whole = [n * k for n, k in zip(counts, kernel)]
    size = whole if output_size is None else list(output_size)[-2:]
    chosen = indices.unsqueeze(-1).eq(window_places(counts, size[1], kernel, stride))
    image = chosen.float().mul(x.unsqueeze(-1)).reshape(batch, channels, *counts, *kernel)
    image = image.permute(0, 1, 2, 4, 3, 5).reshape(batch, channels, *whole)
    return F.pad(image, (0, size[1] - whole[1], 0, size[0] - whole[0])) if size != whole else image


@decomposes_module("MaxUnpool2d")
def max_unpool2d_module(module, x, indices, output_size=None):
    return max_unpool2d(x, indices, module.kernel_size, module.stride, module.padding, output_size)


def lp_pool(x, p, kernel_size, stride=None, ceil_mode=False, pool=F.avg_pool2d, axes=2):
    kernel_size = (kernel_size,) * axes if isinstance(kernel_size, int) else tuple(kernel_size)
    mean = pool(x.pow(float(p)), kernel_size, stride, 0, ceil_mode)
    return torch.sign(mean).mul(torch.relu(mean.abs())).mul(math.prod(kernel_size)).pow(1.0 / p)


@decomposes("F.lp_pool2d")
def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    return lp_pool(x, norm_type, kernel_size, stride, ceil_mode)


@decomposes("F.lp_pool1d")
def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    return lp_pool(x, norm_type, kernel_size, stride, ceil_mode, F.avg_pool1d, 1)


@decomposes_module("LPPool2d")
def lp_pool2d_module(module, x):
    return lp_pool2d(x, module.norm_type, module.kernel_size, module.stride, module.ceil_mode)


@decomposes_module("LPPool1d")
def lp_pool1d_module(module, x):
    return lp_pool1d(x, module.norm_type, module.kernel_size, module.stride, module.ceil_mode)


@decomposes_module("L1Loss")
def l1_loss_module(module, x, y):
    return reduced(x.sub(y).abs(), reduction=module.reduction)


@decomposes_module("MSELoss")
def mse_loss_module(module, x, y):
    return reduced(x.sub(y).pow(2), reduction=module.reduction)


@decomposes("F.interpolate", "F.upsample")
def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """By mode="area", or by scales that the sizes have anew."""
    if (mode != "area" and not recompute_scale_factor) or antialias:
        return None
    axes = size_of(x)[2:]
    if size is None:
        scales = scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * len(axes)
        size = [math.floor(n * scale) for n, scale in zip(axes, scales)]
    if mode == "area":
        size = (size,) * len(axes) if isinstance(size, int) else tuple(size)
        return getattr(F, f"adaptive_avg_pool{len(axes)}d")(x, size)
    return F.interpolate(x, size, None, mode, align_corners)


# --- conversions ------------------------------------------------------------------------------

def of_a_dtype(call):
    """x.cumsum(1, dtype=torch.float32) is x.float().cumsum(1): rows have no type of a result."""
    def convert(x, *args, dtype=None, **named):
        if not isinstance(dtype, torch.dtype) or dtype == torch.bool:
            return None
        return call(x.float() if dtype.is_floating_point else x.long(), *args, **named)
    return convert


for _name in "sum", "cumsum", "cumprod", "zeros_like", "ones_like", "full_like":
    decomposes(_name)(of_a_dtype(getattr(torch, _name)))


@decomposes(".to", ".type_as", ".type")
def to(x, *others, dtype=None, device=None, non_blocking=False, copy=False):
    """The type that a tensor has anyway, or another. (There is one device.)"""
    if any(isinstance(other, str) and other != "cpu" for other in others):
        return None
    for other in others:
        if isinstance(other, torch.fx.Proxy):
            dtype = dtype_of(other)
        elif isinstance(other, torch.dtype):
            dtype = other
    own = dtype_of(x)
    if dtype in (None, own):
        return x
    forms = {torch.float32: x.float, torch.int64: x.long, torch.int32: x.long}
    return forms[dtype]() if dtype in forms else None


@decomposes(".requires_grad")
def requires_grad(x, requires_grad=True):
    return x
