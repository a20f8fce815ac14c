# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Powers, logarithms and angles."""

import math
import operator

import torch

from fx_export.decompositions.extremes import maximum
from fx_export.decompositions.table import decomposes, decomposes_function, dtype_of, HIGHEST, is_tensor, Undecomposed
from fx_export.decompositions.views import of_one_size


@decomposes("pow")
@decomposes_function(operator.pow)
def power(x, exponent):
    """Powers of tensors by tensors. A negative number has one if the exponent is an integer."""
    if not is_tensor(exponent) or not is_tensor(x) or not (
            dtype_of(x).is_floating_point and dtype_of(exponent).is_floating_point):
        return None
    x, exponent = of_one_size(x, exponent)
    size = x.abs().log().mul(exponent).exp()
    is_negative = x.lt(0)
    is_odd = exponent.remainder(2).eq(1)
    is_broken = exponent.ne(exponent.floor())
    size = size.masked_fill(exponent.eq(0), 1.0)
    signed = torch.where(torch.logical_and(is_negative, is_odd), size.neg(), size)
    return torch.where(torch.logical_and(is_negative, is_broken), x.log(), signed)  # not a number


@decomposes("float_power")
def float_power(x, exponent):
    """Powers by a number. (PyTorch computes in float64.)"""
    if is_tensor(exponent) or not is_tensor(x):
        raise Undecomposed("an exponent that is a tensor")
    return (x if dtype_of(x).is_floating_point else x.float()).pow(float(exponent))


@decomposes("logit", "special.logit")
def logit(x, eps=None):
    x = x if eps is None else x.clip(eps, 1 - eps)
    return x.div(x.neg().add(1)).log()


@decomposes("logaddexp")
def logaddexp(x, other):
    most = finite_or_zero(maximum(x, other))
    return x.sub(most).exp().add(other.sub(most).exp()).log().add(most)


@decomposes("logaddexp2")
def logaddexp2(x, other):
    return logaddexp(x.mul(math.log(2)), other.mul(math.log(2))).mul(1 / math.log(2))


def finite_or_zero(x):
    return x.masked_fill(x.abs().gt(HIGHEST), 0.0)


def times_log(x, other, log):
    """x log(other); a zero times any logarithm is zero."""
    x, other = of_one_size(*(y if is_tensor(y) else torch.tensor(float(y)) for y in (x, other)))
    return x.mul(log(other)).masked_fill(torch.logical_and(x.eq(0), other.eq(other)), 0.0)


def inverse_of_sinh(x):
    """asinh of positive numbers, whose squares may be infinite."""
    r = x.reciprocal()
    return torch.log1p(x.add(x.div(r.add(r.mul(r).add(1).sqrt()))))


@decomposes("atan2", "arctan2")
def atan2(y, x):
    y, x = of_one_size(y, x)
    half = torch.sign(y).mul(math.pi)
    half = half.masked_fill(y.eq(0), math.pi).masked_fill(x.ge(0), 0.0)
    return y.div(x).atan().add(half).masked_fill(torch.logical_and(x.eq(0), y.eq(0)), 0.0)
