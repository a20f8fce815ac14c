# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made of the size or the type of another one."""

import torch

from fx_export.decompositions.conversions import of_a_dtype, to
from fx_export.decompositions.table import decomposes, dtype_of, is_tensor, numbers_of


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
def new_tensor(x, data, dtype=None, **_):
    if is_tensor(data):
        return to(data, dtype=dtype_of(x) if dtype is None else dtype)
    return torch.tensor(data, dtype=dtype_of(x) if dtype is None else dtype)


def filled_like(call):
    """Makes a constant of complex numbers, since its size is known; a call of others."""
    of_reals = of_a_dtype(call)

    def make(x, *args, **named):
        value = x.tracer.value_of_replaced()
        if value.is_complex():
            filled = call(value, *args, **{k: v for k, v in named.items() if k == "fill_value"})
            return x.tracer.as_pairs(x.tracer.attribute(torch.view_as_real(filled)))
        return of_reals(x, *args, **named)
    return make


for _name in "zeros_like", "ones_like", "full_like":
    decomposes(_name)(filled_like(getattr(torch, _name)))


@decomposes("empty_like")
def empty_like(x, **named):
    """Zeros: the model's code writes into them."""
    made = filled_like(torch.zeros_like)(x, **named)
    return torch.zeros_like(x) if made is None else made
