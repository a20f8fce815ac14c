# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node of complex numbers is written as one of pairs, real and imaginary, along a last axis."""

import operator

import torch

from fx_export.decompositions.powers import atan2
from fx_export.decompositions.table import (
    decomposes, decomposes_function, EXCLUDED, is_complex, is_tensor, Undecomposed)
from fx_export.decompositions.views import stacked, unsqueezed


@decomposes("view_as_complex")
def view_as_complex(x):
    return x.tracer.as_pairs(x.clone())


@decomposes("view_as_real")
def view_as_real(x):
    return x.tracer.pairs_of(x)


@decomposes("polar")
def polar(abs, angle):
    return abs.tracer.as_pairs(stacked([abs.mul(angle.cos()), abs.mul(angle.sin())], -1))


@decomposes("multiply")
def multiply(x, other):
    product = mul(x, other)
    return x.mul(other) if product is None else product


@decomposes("mul")
@decomposes_function(operator.mul)
def mul(x, other):
    """A product of complex numbers, or with a number that excludes scores, which stays in float."""
    if not is_complex(x) and not is_complex(other):
        x, other = (other, x) if is_tensor(other) else (x, other)
        return x.mul(other) if not is_tensor(other) and other <= EXCLUDED else None
    if not is_complex(x) or not is_complex(other):
        x, other = (x, other) if is_complex(x) else (other, x)
        factor = unsqueezed(other, -1) if is_tensor(other) else other
        return x.tracer.as_pairs(x.tracer.pairs_of(x).mul(factor))
    (a, b), (c, d) = ((pairs[..., 0], pairs[..., 1]) for pairs in
                      (x.tracer.pairs_of(x), x.tracer.pairs_of(other)))
    return x.tracer.as_pairs(stacked([a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))], -1))


@decomposes("complex")
def complex_of(real, imag):
    return real.tracer.as_pairs(stacked([real, imag], -1))


@decomposes("conj")
def conj(x):
    if not is_complex(x):
        return x
    return x.tracer.as_pairs(x.tracer.pairs_of(x).mul(torch.tensor([1.0, -1.0])))


@decomposes("angle")
def angle(x):
    if not is_complex(x):
        raise Undecomposed("the angle of real numbers")
    pairs = x.tracer.pairs_of(x)
    return atan2(pairs[..., 1], pairs[..., 0])


@decomposes("absolute")
def absolute(x):
    return complex_abs(x) if is_complex(x) else x.abs()


@decomposes("abs")
def complex_abs(x):
    return x.tracer.pairs_of(x).pow(2).sum(-1).sqrt() if is_complex(x) else None


@decomposes_function(getattr)
def attribute(x, name):
    """x.real, x.imag, x.mT, x.mH of real numbers, x.data"""
    if name in ("real", "imag") and is_complex(x):
        return x.tracer.pairs_of(x)[..., ("real", "imag").index(name)]
    if name == "data":
        return x
    return x.swapaxes(-2, -1) if name == "mT" or (name == "mH" and not is_complex(x)) else None
