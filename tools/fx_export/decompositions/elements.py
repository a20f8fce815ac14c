# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element: those of one line, and those that look at signs, zeros, or what is no number."""

import math
import operator

import torch
import torch.nn.functional as F

from fx_export.decompositions.extremes import at_least, at_most, maximum, minimum, of_numbers
from fx_export.decompositions.powers import inverse_of_sinh, times_log
from fx_export.decompositions.sums import scaled
from fx_export.decompositions.table import decomposes, decomposes_function, dtype_of, HIGHEST, is_tensor
from fx_export.decompositions.views import of_one_size

# By names, as decomposes() takes them.
for _names, _decompose in {
        ("erfc", "special.erfc"): lambda x: torch.erf(x).neg().add(1),
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
        ("logical_xor",): lambda x, other: x.ne(0).ne(other.ne(0)),
        ("subtract",): lambda x, other, *, alpha=1: x.sub(scaled(other, alpha)),
        ("negative",): lambda x: x.neg(),
        ("greater",): lambda x, other: x.gt(other),
        ("greater_equal",): lambda x, other: x.ge(other),
        ("less",): lambda x, other: x.lt(other),
        ("less_equal",): lambda x, other: x.le(other),
        ("not_equal",): lambda x, other: x.ne(other),
        ("copysign",): lambda x, other: of_sign(x.abs(), other),
        ("signbit",): lambda x: of_sign(torch.ones_like(x.float()), x).lt(0),
        ("sinc", "special.sinc"): lambda x: zero_as(1.0, x, x.mul(math.pi).sin().div(x.mul(math.pi))),
        ("xlogy", "special.xlogy"): lambda x, other: times_log(x, other, torch.log),
        ("special.xlog1py",): lambda x, other: times_log(x, other, torch.log1p),
        ("special.entr",): lambda x: times_log(x, x, torch.log).neg(),
        ("special.ndtr",): lambda x: torch.erf(x.mul(math.sqrt(0.5))).add(1).mul(0.5),
        ("asinh", "arcsinh"): lambda x: torch.sign(x).mul(inverse_of_sinh(x.abs())),
        ("acosh", "arccosh"): lambda x: x.add(x.mul(x).sub(1).sqrt()).log(),
        ("atanh", "arctanh"): lambda x: torch.log1p(x).sub(torch.log1p(x.neg())).mul(0.5),
        ("arcsin",): lambda x: torch.asin(x),
        ("arccos",): lambda x: torch.acos(x),
        ("arctan",): lambda x: torch.atan(x),
        ("ldexp",): lambda x, other: x.mul(torch.exp2(other)),
        ("selu",): lambda x: F.selu(x),
        ("celu",): lambda x, alpha=1.0: F.celu(x, alpha),
        ("fmax",): lambda x, other: of_numbers(x, other, maximum),
        ("fmin",): lambda x, other: of_numbers(x, other, minimum),
        (".bool",): lambda x: x.ne(0),
        (".floor_divide",): lambda x, other: torch.floor_divide(x, other),
        (".logical_or",): lambda x, other: torch.logical_or(x, other),
        (".logical_and",): lambda x, other: torch.logical_and(x, other),
}.items():
    decomposes(*_names)(_decompose)


# What torch.special has under names of its own.
for _name in "erf exp2 expm1 log1p softmax log_softmax round".split():
    decomposes(f"special.{_name}")(
        lambda x, *others, own=getattr(torch, _name), **named: own(x, *others, **named))


decomposes_function(operator.pos)(lambda x: x)
decomposes("special.expit")(lambda x: x.neg().exp().add(1).reciprocal())


@decomposes("nan_to_num")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if not dtype_of(x).is_floating_point:
        return x
    highest = HIGHEST if posinf is None else posinf
    lowest = -HIGHEST if neginf is None else neginf
    x = x.masked_fill(torch.ne(x, x), 0.0 if nan is None else nan)
    return x.masked_fill(x.gt(HIGHEST), highest).masked_fill(x.lt(-HIGHEST), lowest)


def of_sign(size, x):
    """Numbers with the signs of others; zeros have signs, too."""
    if not is_tensor(x):
        return size.neg() if math.copysign(1, x) < 0 else size
    size, x = of_one_size(size, x)
    return torch.where(torch.logical_or(x.lt(0), x.reciprocal().lt(0)), size.neg(), size)


def zero_as(value, x, y):
    return y.masked_fill(x.eq(0), value)


@decomposes("isclose")
def isclose(x, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    gap = x.sub(other).abs()
    is_near = torch.logical_and(gap.le(HIGHEST), gap.le(other.abs().mul(rtol).add(atol)))
    is_close = torch.logical_or(x.eq(other), is_near)
    return torch.logical_or(is_close, torch.logical_and(x.ne(x), other.ne(other))) if equal_nan else is_close


@decomposes("round")
def round_to(x, *, decimals):
    scale = 10.0 ** abs(decimals)
    return x.mul(scale).round().div(scale) if decimals >= 0 else x.div(scale).round().mul(scale)


@decomposes("heaviside")
def heaviside(x, values):
    x, values = of_one_size(x, values)
    return torch.where(x.eq(0), values, x.gt(0).float())
