# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which nodes have elements in the same memory. values: by node, as Measured.all() gives them; or None."""

import torch


def are_tensors(values, a, b):
    return values is not None and isinstance(values[a], torch.Tensor) and (
        isinstance(values[b], torch.Tensor))


def is_same(values, a, b):
    """Whether two nodes have the same elements of one memory."""
    if not are_tensors(values, a, b):
        return False
    a, b = values[a], values[b]
    return a.data_ptr() == b.data_ptr() and a.shape == b.shape and a.stride() == b.stride()


def offsets(x):
    """The offsets of the elements of a tensor in its memory."""
    all_offsets = torch.tensor([x.storage_offset()])
    for extent, stride in zip(x.shape, x.stride()):
        all_offsets = (all_offsets[:, None] + torch.arange(extent) * stride).reshape(-1)
    return all_offsets


def shares(values, a, b):
    """Whether two nodes have an element of one memory; a may be a tuple of tensors."""
    if values is not None and isinstance(values[a], (tuple, list)):
        return isinstance(values[b], torch.Tensor) and any(
            isinstance(x, torch.Tensor) and shares({a: x, b: values[b]}, a, b) for x in values[a])
    if not are_tensors(values, a, b):
        return False
    a, b = values[a], values[b]
    return a.storage().data_ptr() == b.storage().data_ptr() and (
        bool(torch.isin(offsets(a), offsets(b)).any()))
