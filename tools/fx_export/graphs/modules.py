# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch: their attributes by path, copies of them, and runs without fast paths."""

import contextlib
import copy
import operator
import sys
from unittest import mock

import torch

# Modules that have fast paths, and the modules of Python that have their code.
WITH_FAST_PATHS = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)
FILES_WITH_FAST_PATHS = (torch.nn.modules.activation.__name__, torch.nn.modules.transformer.__name__)


def attribute_of(model, path):
    """The attribute of a path: layers.0.weight."""
    return operator.attrgetter(path)(model)


def has_attribute(model, path):
    try:
        attribute_of(model, path)
    except AttributeError:
        return False
    return True


def copy_of(model):
    """A copy of a model, or the model if it cannot be copied."""
    # What weight_norm computes has a history, with which nothing is copied.
    computed = {id(x): x.detach().clone() for module in model.modules()
                for x in vars(module).values() if isinstance(x, torch.Tensor) and x.grad_fn is not None}
    try:
        return copy.deepcopy(model, computed)
    except Exception:  # some modules cannot be copied
        return model


def without_fast_paths(module):
    """A context in which PyTorch takes no fast paths of attention. They interpret some masks differently, and set to
    0, or omit, what a mask excludes from the output of nn.TransformerEncoder. (PyTorch takes none if an input is of a
    class that overrides its functions: here its attention is told that each one is.)"""
    if not any(isinstance(part, WITH_FAST_PATHS) for part in module.modules()):
        return contextlib.nullcontext()
    known = torch.overrides.has_torch_function
    return mock.patch.object(torch.overrides, "has_torch_function", lambda tensors: known(tensors) or (
        sys._getframe(1).f_globals["__name__"] in FILES_WITH_FAST_PATHS))


def run(model, inputs):
    """What a model gives for inputs, without the fast paths of attention."""
    with torch.no_grad(), without_fast_paths(model):
        return model(*inputs)
