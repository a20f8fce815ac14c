# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights: the tensors that rows read, of the model or of a trained one."""
