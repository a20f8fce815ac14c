# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of torch.fx: what their nodes are, what they compute, and what they change."""
