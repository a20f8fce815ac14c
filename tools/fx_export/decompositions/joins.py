# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are joined: torch.cat of some without elements, torch.hstack and its like."""

import math

import torch

from fx_export.decompositions.rearrangements import raised
from fx_export.decompositions.table import decomposes, rank_of, size_of
from fx_export.decompositions.views import reshaped


def without_empty(call):
    """Leaves out tensors without elements, such as x[..., 64:] of 64."""
    def join(tensors, dim=0, *, out=None):
        rest = [x for x in tensors if math.prod(size_of(x)) > 0]
        if len(rest) in (0, len(tensors)):
            return None
        return rest[0] if len(rest) == 1 else call(rest, dim)
    return join


decomposes("cat")(without_empty(torch.cat))
decomposes("concat", "concatenate")(without_empty(torch.concat))


@decomposes("hstack")
def hstack(tensors):
    tensors = [raised(x, 1) for x in tensors]
    return torch.concat(tensors, 0 if rank_of(tensors[0]) == 1 else 1)


@decomposes("vstack", "row_stack")
def vstack(tensors):
    return torch.concat([raised(x, 2) for x in tensors], 0)


@decomposes("dstack")
def dstack(tensors):
    return torch.concat([raised(x, 3) for x in tensors], 2)


@decomposes("column_stack")
def column_stack(tensors):
    return torch.concat([reshaped(x, -1, 1) if rank_of(x) < 2 else x for x in tensors], 1)
