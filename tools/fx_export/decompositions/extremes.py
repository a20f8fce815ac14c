# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The larger and the smaller of two numbers, and bounds."""

import torch

from fx_export.decompositions.table import decomposes, decomposes_function, is_tensor, size_of
from fx_export.decompositions.views import of_one_size


def extreme_of(call):
    """A function of two tensors, which are expanded to one size first."""
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


def of_numbers(x, other, extreme):
    """The extreme of two, or the other one of what is no number."""
    x, other = of_one_size(x, other)
    return torch.where(x.ne(x), other, torch.where(other.ne(other), x, extreme(x, other)))
