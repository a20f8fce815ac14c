# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tracing with torch.fx: from a model to its graph."""
