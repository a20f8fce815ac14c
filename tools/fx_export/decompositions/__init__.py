# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of PyTorch that ctq has no op for, written with those that it has: for export_fx.py.

DECOMPOSITIONS has, by function or name of a method, a function of the same arguments; MODULES has, by
class, a function of the module and its arguments. They are called with proxies, whose calls become nodes
in the place of the node. A function that needs the size of a tensor asks size_of(x).

Calls are written as methods and functions that PyTorch's backends have in no pattern, x.mul(y) and what views.py
has, so that what PyTorch leaves in float stays in float.
"""

from fx_export.decompositions import (
    assignments, attention, complex_numbers, elements, fourier, indices, layers, products, rearrangements, reductions,
    wide_views)
from fx_export.decompositions.table import DECOMPOSITIONS, MODULES, Undecomposed
