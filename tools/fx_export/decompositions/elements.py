# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element."""

import math
import operator

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import (
    constant_of, decomposes, decomposes_function, dtype_of, HIGHEST, is_complex, is_computed, is_tensor, size_of,
    Undecomposed)
from fx_export.decompositions.views import mean_of


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


def are_masks(*operands):
    return all(is_tensor(x) and dtype_of(x) == torch.bool for x in operands)


@decomposes_function(operator.and_, operator.or_, operator.invert)
def bits(*operands):
    """Rejects those of integers."""
    if any(is_tensor(x) and dtype_of(x) != torch.bool for x in operands):
        raise Undecomposed("integers, whose bits no op of ctq computes; if an input is a mask, add its type: "
                           "--input 1,64:bool")


for _name, _of_masks in {"and": torch.logical_and, "or": torch.logical_or, "not": torch.logical_not}.items():
    decomposes(f"bitwise_{_name}")(lambda *masks, call=_of_masks: call(*masks) if are_masks(*masks) else None)


@decomposes_function(operator.xor)
def xor(x, other):
    """Of masks."""
    bits(x, other)
    return x.ne(other) if are_masks(x, other) else None


def total(x, other, call):
    """A sum or a difference, of complex numbers both."""
    if not is_complex(x) or not is_complex(other):
        raise Undecomposed("a sum of complex numbers and others")
    return x.tracer.as_pairs(call(*map(x.tracer.pairs_of, (x, other))))


# What gives a view of its first argument, or a copy of another type.
OF_VIEWS = ("getitem", "unsqueeze", "view", "reshape", "expand", "expand_as", "repeat", "transpose", "contiguous", "to",
            "float", "type_as")


def fills_with_infinity(x):
    """Of a view of what masked_fill gives, that call, if it fills in -inf; else None."""
    node = x.node
    while node.op.startswith("call_") and node.args and isinstance(node.args[0], torch.fx.Node):
        name = node.target if node.op == "call_method" else getattr(node.target, "__name__", "")
        if name == "masked_fill":
            return node if -math.inf in (*node.args[2:], node.kwargs.get("value")) else None
        if name not in OF_VIEWS:
            return None
        node = node.args[0]
    return None


def excludes(scores, mask):
    """Whether what attention adds to scores is -inf in places, which no integers express."""
    if not is_tensor(mask) or not is_computed(scores) or (
            torch.broadcast_shapes(size_of(mask), size_of(scores)) != size_of(scores)):
        return False
    value = constant_of(mask)
    if value is None:
        return fills_with_infinity(mask) is not None
    return value.is_floating_point() and bool(value.eq(-math.inf).any())


def without_excluded(scores, mask):
    """A sum that stays in float: PyTorch's observers refuse the mask, or leave out what it excludes."""
    value = constant_of(mask)
    if value is None:
        excluded = mask.lt(-HIGHEST)
        filled = constant_of(mask.tracer.proxy(fills_with_infinity(mask).args[0]))
        rest = None if filled is not None and not filled.any() else mask.masked_fill(excluded, 0)
    else:
        excluded = value.eq(-math.inf)
        rest = value.masked_fill(excluded, 0)
        excluded, rest = (scores.tracer.attribute(x) if x.any() else None for x in (excluded, rest))
    return (scores if rest is None else scores.add(rest)).masked_fill(excluded, -math.inf)


@decomposes("add", ".add_")
@decomposes_function(operator.add)
def add(x, other, *, alpha=1):
    """Of two masks, of complex numbers, with a factor, or with -inf."""
    if is_complex(x) or is_complex(other):
        return total(x, other, lambda a, b: a.add(scaled(b, alpha)))
    x, other = (other, x) if isinstance(x, bool) else (x, other)
    if isinstance(other, bool) and are_masks(x):
        return torch.ones_like(x.float()).ne(0) if other else x
    if are_masks(x, other):
        return torch.logical_or(x, other)
    for a, b in (x, other), (other, x):
        if alpha == 1 and is_tensor(a) and excludes(a, b):
            return without_excluded(a, b)
    return x.add(other.mul(alpha)) if is_tensor(x) and is_tensor(other) and alpha != 1 else None


@decomposes("sub")
@decomposes_function(operator.sub)
def sub(x, other, *, alpha=1):
    if is_complex(x) or is_complex(other):
        return total(x, other, lambda a, b: a.sub(scaled(b, alpha)))
    return x.sub(other.mul(alpha)) if is_tensor(x) and is_tensor(other) and alpha != 1 else None


def scaled(x, factor):
    return x if not is_tensor(factor) and factor == 1 else x.mul(factor)


def extreme_of(call):
    """A function of two tensors, of one size."""
    return lambda x, other: call(*of_one_size(x, other))


maximum, minimum = extreme_of(torch.maximum), extreme_of(torch.minimum)
decomposes(".maximum")(maximum)
decomposes(".minimum")(minimum)


for _call, _extreme in (torch.maximum, maximum), (torch.minimum, minimum):
    decomposes_function(_call)(lambda x, other, extreme=_extreme: (
        None if tuple(size_of(x)) == tuple(size_of(other)) else extreme(x, other)))


def at_least(x, bound):
    return maximum(x, bound) if is_tensor(bound) else x.clip(min=bound)


def at_most(x, bound):
    return minimum(x, bound) if is_tensor(bound) else x.clip(max=bound)


@decomposes("clamp", "clip")
def clamp(x, min=None, max=None):
    if not is_tensor(min) and not is_tensor(max):
        return None
    x = x if min is None else at_least(x, min)
    return x if max is None else at_most(x, max)


@decomposes("nan_to_num")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if not dtype_of(x).is_floating_point:
        return x
    highest = HIGHEST if posinf is None else posinf
    lowest = -HIGHEST if neginf is None else neginf
    x = x.masked_fill(torch.ne(x, x), 0.0 if nan is None else nan)
    return x.masked_fill(x.gt(HIGHEST), highest).masked_fill(x.lt(-HIGHEST), lowest)


@decomposes("logit", "special.logit")
def logit(x, eps=None):
    x = x if eps is None else x.clip(eps, 1 - eps)
    return x.div(x.neg().add(1)).log()


def of_sign(size, x):
    """Numbers of the sign of others, which a zero has, too."""
    if not is_tensor(x):
        return size.neg() if math.copysign(1, x) < 0 else size
    size, x = of_one_size(size, x)
    return torch.where(torch.logical_or(x.lt(0), x.reciprocal().lt(0)), size.neg(), size)


def zero_as(value, x, y):
    return y.masked_fill(x.eq(0), value)


def times_log(x, other, log):
    """A zero times any logarithm is zero."""
    x, other = of_one_size(*(y if is_tensor(y) else torch.tensor(float(y)) for y in (x, other)))
    return x.mul(log(other)).masked_fill(torch.logical_and(x.eq(0), other.eq(other)), 0.0)


def inverse_of_sinh(x):
    """Of a positive number, whose square may be no number."""
    r = x.reciprocal()
    return torch.log1p(x.add(x.div(r.add(r.mul(r).add(1).sqrt()))))


def of_numbers(x, other, extreme):
    """An extreme of two, or the one that is a number."""
    x, other = of_one_size(x, other)
    return torch.where(x.ne(x), other, torch.where(other.ne(other), x, extreme(x, other)))


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


@decomposes("logaddexp2")
def logaddexp2(x, other):
    return logaddexp(x.mul(math.log(2)), other.mul(math.log(2))).mul(1 / math.log(2))


@decomposes("logaddexp")
def logaddexp(x, other):
    most = finite_or_zero(maximum(x, other))
    return x.sub(most).exp().add(other.sub(most).exp()).log().add(most)


def number_of(value):
    """A number, or that of a constant tensor."""
    if is_computed(value):
        raise Undecomposed("a value that is computed")
    return constant_of(value).item() if is_tensor(value) else value


@decomposes("masked_fill")
def masked_fill(x, mask, value):
    """Of a tensor that the mask expands, or with a value that is a constant tensor."""
    size = broadcast_size(x, mask)
    if not is_tensor(value) and size == tuple(size_of(x)):
        return None
    value = number_of(value)
    return (x if size == tuple(size_of(x)) else x.expand(size)).masked_fill(mask, value)


@decomposes("where")
def where(condition, x=None, other=None):
    """Of two numbers, or of one, where the condition expands the tensor."""
    if x is None:
        raise Undecomposed("the places of a condition, whose number values decide; give torch.where three arguments")
    tensors = [y for y in (x, other) if is_tensor(y)]
    if not tensors:
        filled = torch.full_like(condition.float(), float(other)).masked_fill(condition, float(x))
        if isinstance(x, bool) and isinstance(other, bool):
            return filled.ne(0)
        return filled if any_float(x, other) else filled.long()
    size = broadcast_size(condition, *tensors)
    if len(tensors) != 1 or size == tuple(size_of(tensors[0])):
        return None
    return torch.where(condition, *(y.expand(size) if is_tensor(y) else y for y in (x, other)))


@decomposes(".where")
def where_of_tensor(x, condition, other):
    result = where(condition, x, other)
    return torch.where(condition, x, other) if result is None else result


def of_one_size(*tensors):
    size = broadcast_size(*tensors)
    return [x if tuple(size_of(x)) == size else x.expand(size) for x in tensors]


def broadcast_size(*tensors):
    return tuple(torch.broadcast_shapes(*map(size_of, tensors)))


def finite_or_zero(x):
    return x.masked_fill(x.abs().gt(HIGHEST), 0.0)


@decomposes("atan2", "arctan2")
def atan2(y, x):
    y, x = of_one_size(y, x)
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
    """Of a number. (PyTorch computes in float64.)"""
    if is_tensor(exponent) or not is_tensor(x):
        raise Undecomposed("an exponent that is a tensor")
    return (x if dtype_of(x).is_floating_point else x.float()).pow(float(exponent))


@decomposes("heaviside")
def heaviside(x, values):
    x, values = of_one_size(x, values)
    return torch.where(x.eq(0), values, x.gt(0).float())


@decomposes("divide")
def divide(x, other, *, rounding_mode=None):
    return x.div(other) if rounding_mode is None else div(x, other, rounding_mode=rounding_mode)


@decomposes("fmod")
def fmod(x, other):
    """Of two tensors, by their quotient, whose rounding decides near multiples."""
    if is_tensor(other):
        return x.sub(div(x, other, rounding_mode="trunc").mul(other))
    return torch.sign(x).mul(x.abs().remainder(abs(other)))


@decomposes("remainder")
@decomposes_function(operator.mod)
def remainder(x, other):
    """Of two tensors, by their quotient, whose rounding decides near multiples."""
    if not is_tensor(x) or not is_tensor(other) or not any_float(x, other):
        return None
    return x.sub(x.div(other).floor().mul(other))


@decomposes("div")
def div(x, other, *, rounding_mode=None):
    """Of two tensors, by their quotient, whose rounding decides near multiples."""
    if rounding_mode == "trunc":
        quotient = x.div(other).trunc()
        return quotient if any_float(x, other) else quotient.long()
    if rounding_mode == "floor":
        is_of_tensors = is_tensor(x) and is_tensor(other) and any_float(x, other)
        return x.div(other).floor() if is_of_tensors else torch.floor_divide(x, other)
    return None


def any_float(*operands):
    return any(dtype_of(x).is_floating_point if is_tensor(x) else isinstance(x, float) for x in operands)


@decomposes("F.l1_loss")
def l1_loss(x, target, *reduction, **named):
    return reduced(x.sub(target).abs(), *reduction, **named)


@decomposes("F.mse_loss")
def mse_loss(x, target, *reduction, **named):
    return reduced(x.sub(target).pow(2), *reduction, **named)


def reduced(x, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None or reduction not in ("mean", "sum", "none"):
        raise Undecomposed(f"reduction={reduction}")
    return x if reduction == "none" else x.sum() if reduction == "sum" else mean_of(x)
