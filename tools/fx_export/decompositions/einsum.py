# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.einsum of other equations than ctq has: two tensors at a time."""

import string

import torch

from fx_export.decompositions.table import axis_of, decomposes, is_complex, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import permuted, reshaped, stacked


@decomposes("einsum")
def einsum(equation, *tensors):
    """Equations of one tensor, of more than two, with a letter twice in a tensor, or with no axis left."""
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
    """The term and the tensor with the diagonal of axes that have the same letter; it is the last axis."""
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
