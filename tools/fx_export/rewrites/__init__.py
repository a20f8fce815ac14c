# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites of graphs: from what the model calls to what ctq has; rewrite.py has their order."""
