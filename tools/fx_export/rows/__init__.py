# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows: from nodes of a graph to what the file has."""
