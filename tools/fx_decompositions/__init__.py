# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of PyTorch that ctq has no op for, written with those that it has: for export_fx.py.

DECOMPOSITIONS has, by function or name of a method, a function of the same arguments; MODULES has, by
class, a function of the module and its arguments. They are called with proxies, whose calls become nodes
in the place of the node. A function that needs the size of a tensor asks size_of(x).

Arithmetic is written as methods, x.mul(y), which no backend has in a pattern, so that it stays in float, as
do the calls in PyTorch. Convolutions, pools and views have forms that backends quantize, before and after.
"""

from fx_decompositions import (
    assignments, attention, complex_numbers, elements, indices, layers, products, rearrangements, reductions)
from fx_decompositions.table import DECOMPOSITIONS, MODULES, Undecomposed
