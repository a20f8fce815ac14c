# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of PyTorch that ctq has no op for, written with those that it has.

DECOMPOSITIONS has, by function or name of a method, a function of the same arguments; MODULES has, by
class, a function of the module and its arguments. They are called with proxies, whose calls become nodes
in the place of the node. A function that needs the size of a tensor asks size_of(x). It returns None for a call that
stays as it is, and raises Undecomposed for one that ctq cannot have.

Calls are written as methods and functions that PyTorch's backends have in no pattern, x.mul(y) and what views.py
has, so that what PyTorch leaves in float stays in float.
"""

from fx_export.decompositions import (
    assignments, attention, complex_numbers, conversions, convolutions, diagonals, divisions, einsum, elements,
    embeddings, extremes, factories, fourier, indices, joins, lookups, losses, masks, norms, pooling, powers,
    products, rearrangements, reductions, resizing, scatters, sorting, splits, sums, transformers, vector_norms,
    wide_views)
from fx_export.decompositions.table import DECOMPOSITIONS, MODULES, Undecomposed
