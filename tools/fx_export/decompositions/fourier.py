# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms as products with matrices of sines and cosines."""

import math

import torch
import torch.nn.functional as F

from fx_export.decompositions.rearrangements import unfold
from fx_export.decompositions.table import (
    constant_of, decomposes, is_complex, is_computed, rank_of, size_of, Undecomposed)
from fx_export.decompositions.views import permuted


def waves(count, rows, columns, sign):
    """The cosine and the sine of row times column, [rows, columns, 2]; count of them make a circle."""
    turns = (torch.arange(rows)[:, None] * torch.arange(columns) % count).double() * (2 * math.pi / count)
    return torch.stack([turns.cos(), turns.sin() * sign], -1)


def of_pairs(matrix):
    """A matrix of complex numbers [n, k, 2] as one that takes pairs to pairs, [n, 2, k, 2]."""
    real, imaginary = matrix.unbind(-1)
    return torch.stack([torch.stack([real, imaginary], -1), torch.stack([-imaginary, real], -1)], 1)


def scale_of(norm, count, is_inverse):
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (norm == "forward") != is_inverse else 1.0


def by_matrix(x, dim, equation, matrix):
    """The product of an axis with a matrix. In the equation it is the last axis of numbers. (Pairs have one more.)"""
    rank = rank_of(x)
    others = [axis for axis in range(rank - is_complex(x)) if axis != dim]
    y = torch.einsum(equation, permuted(x, (*others, dim, *range(len(others) + 1, rank))), matrix.float())
    back = sorted(range(len(others) + 1), key=[*others, dim].__getitem__)
    return permuted(y, (*back, *range(len(back), rank_of(y))))


def transformed(x, n, dim, norm, *, is_inverse=False, is_real=False):
    """A transform along an axis. is_real: of real numbers, without the half that mirrors the other one."""
    pairs = is_complex(x)
    x = x.tracer.pairs_of(x) if pairs else x
    dim %= rank_of(x) - pairs
    n = size_of(x)[dim] if n is None else n
    x = x if n >= size_of(x)[dim] else x.narrow(dim, 0, n)
    x = x.tracer.as_pairs(x) if pairs else x
    matrix = waves(n, size_of(x)[dim], n // 2 + 1 if is_real else n, 1 if is_inverse else -1)
    matrix = matrix * scale_of(norm, n, is_inverse)
    if pairs:
        return x.tracer.as_pairs(by_matrix(x, dim, "...np,npkq->...kq", of_pairs(matrix)))
    return x.tracer.as_pairs(by_matrix(x, dim, "...n,nkq->...kq", matrix))


def to_real(x, n, dim, norm):
    """The inverse of a transform of real numbers."""
    pairs = x.tracer.pairs_of(x)
    dim %= rank_of(pairs) - 1
    n = 2 * (size_of(pairs)[dim] - 1) if n is None else n
    count = min(size_of(pairs)[dim], n // 2 + 1)
    pairs = pairs if count == size_of(pairs)[dim] else pairs.narrow(dim, 0, count)
    matrix = waves(n, count, n, -1).transpose(1, 2) * scale_of(norm, n, True)
    is_own_mirror = torch.arange(count) * 2 % n == 0
    return by_matrix(x.tracer.as_pairs(pairs), dim, "...np,npk->...k",
                     matrix * torch.where(is_own_mirror, 1, 2)[:, None, None])


@decomposes("fft.fft")
def fft(x, n=None, dim=-1, norm=None):
    return transformed(x, n, dim, norm)


@decomposes("fft.ifft")
def ifft(x, n=None, dim=-1, norm=None):
    return transformed(x, n, dim, norm, is_inverse=True)


@decomposes("fft.rfft")
def rfft(x, n=None, dim=-1, norm=None):
    return transformed(x, n, dim, norm, is_real=True)


@decomposes("fft.irfft")
def irfft(x, n=None, dim=-1, norm=None):
    return to_real(x, n, dim, norm)


def axes_and_sizes(x, s, dim):
    rank = rank_of(x) - (is_complex(x) and x.node in x.tracer.pairs)
    if dim is None:
        dim = range(rank)[-len(s):] if s is not None else range(rank)
    return list(dim), [None] * len(dim) if s is None else list(s)


def along_axes(is_inverse, is_real, default):
    def decompose(x, s=None, dim=default, norm=None):
        (*axes, last), (*sizes, size) = axes_and_sizes(x, s, dim)
        if not is_inverse or not is_real:
            x = transformed(x, size, last, norm, is_inverse=is_inverse, is_real=is_real)
        for axis, n in zip(axes, sizes):
            x = transformed(x, n, axis, norm, is_inverse=is_inverse)
        return to_real(x, size, last, norm) if is_inverse and is_real else x
    return decompose


for _suffix, _default in ("2", (-2, -1)), ("n", None):
    for _prefix in "", "i", "r", "ir":
        decomposes(f"fft.{_prefix}fft{_suffix}")(along_axes("i" in _prefix, "r" in _prefix, _default))


@decomposes("stft")
def stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
         onesided=None, return_complex=None):
    """Transforms of the windows of a signal."""
    if is_complex(x) or is_computed(window):
        raise Undecomposed("complex numbers, or a window that is computed")
    if center:
        x = F.pad(x[None], (n_fft // 2, n_fft // 2), pad_mode).select(0, 0)
    length = n_fft if win_length is None else win_length
    window = torch.ones(length) if window is None else constant_of(window)
    window = F.pad(window, ((n_fft - length) // 2, (n_fft - length + 1) // 2))
    matrix = waves(n_fft, n_fft, n_fft if onesided is False else n_fft // 2 + 1, -1)
    matrix = matrix * window[:, None, None] * (1 / math.sqrt(n_fft) if normalized else 1)
    frames = unfold(x, -1, n_fft, n_fft // 4 if hop_length is None else hop_length)
    y = torch.einsum("...tn,nkq->...ktq", frames, matrix.float())
    return y.tracer.as_pairs(y) if return_complex else y
