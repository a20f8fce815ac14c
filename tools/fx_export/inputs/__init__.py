# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of a model: their names, shapes, types, and examples of them."""
