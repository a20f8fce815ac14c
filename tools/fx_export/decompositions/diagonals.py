# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagonals of matrices."""

import torch

from fx_export.decompositions.table import axis_of, decomposes, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import permuted, reshaped, unsqueezed


@decomposes("diagonal")
def diagonal_of(x, offset=0, dim1=0, dim2=1):
    dim1, dim2 = axis_of(x, dim1), axis_of(x, dim2)
    others = [axis for axis in range(rank_of(x)) if axis not in (dim1, dim2)]
    rows, columns = size_of(x)[dim1], size_of(x)[dim2]
    first, count = ((offset, min(rows, columns - offset)) if offset >= 0 else
                    (-offset * columns, min(rows + offset, columns)))
    flat = reshaped(permuted(x, (*others, dim1, dim2)), *(size_of(x)[i] for i in others), rows * columns)
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
        columns = torch.concat([zeros, x] if offset > 0 else [x, zeros], -1)
    return unsqueezed(columns, -2).mul(place)


@decomposes("trace")
def trace(x):
    return diagonal_of(x).sum()
