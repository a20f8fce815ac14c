#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that tools/export_fx.py writes with others: decompositions.py CTQ EXPORTER

Each gives what PyTorch gives for the original call, in float where PyTorch computes in float, and is imported. So
are models that change tensors in place. No decomposition is without a case. Without PyTorch the test is skipped.
"""

import copy
import functools
import inspect
import json
import math
import operator
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

PYTHON = "/usr/bin/python3"  # the one that has Debian's PyTorch
try:
    import torch
except ImportError:
    found = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False)
    sys.exit(77 if found.returncode != 0 else subprocess.run([PYTHON, *sys.argv], check=False).returncode)

import numpy as np
import torch.nn.functional as F
from torch import nn

try:
    from torchvision.ops import DeformConv2d
except ImportError:
    DeformConv2d = None


def attention_of_pytorch_2(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                           enable_gqa=False):
    """F.scaled_dot_product_attention, where PyTorch is older."""
    if torch.overrides.has_torch_function((query, key, value, attn_mask)):
        return torch.overrides.handle_torch_function(
            F.scaled_dot_product_attention, (query, key, value, attn_mask), query, key, value,
            attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)
    if enable_gqa:
        key, value = (x.repeat_interleave(query.size(-3) // x.size(-3), -3) for x in (key, value))
    scores = query @ key.transpose(-2, -1) * (query.size(-1) ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return scores.softmax(-1) @ value


if not hasattr(F, "scaled_dot_product_attention"):
    F.scaled_dot_product_attention = attention_of_pytorch_2
    attention_of_pytorch_2.__name__ = "scaled_dot_product_attention"

sys.path.insert(0, str(Path(sys.argv[2]).resolve().parent))  # after that: it is decomposed
from fx_export import decompositions
from fx_export.errors import NotExpressible
from fx_export.exporter import Exporter
from fx_export.files import write_rows
from fx_export.graphs.evaluation import outputs_of
from fx_export.rows.row_format import class_name, function_names, target_of

T, IMAGE = (2, 6, 8), (2, 8, 6, 6)
INT = "int64"


class sized(nn.Module):
    """A transposed convolution whose output has a given size."""

    def __init__(self, layer, size):
        super().__init__()
        self.layer, self.size = layer, size

    def forward(self, x):
        return self.layer(x, output_size=self.size)


def tensors(f, *shapes):
    return f, shapes


def parameters(f, *values):
    """A function of x and parameters of the model."""
    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            for i, value in enumerate(values):
                setattr(self, f"p{i}", nn.Parameter(value))

        def forward(self, x):
            return f(x, *(getattr(self, f"p{i}") for i in range(len(values))))
    return Holder()


def items(*shape):
    return shape, INT


def norm(kind, channels, **options):
    """With statistics that are not 0 and 1."""
    module = kind(channels, **options)
    for name, value in module.named_buffers():
        if value.is_floating_point():
            value.uniform_(0.5, 1.5)
    return module


def many(x):
    """More calls than Python's functions may call each other."""
    y = x
    for _ in range(600):
        y = y * 0.5 + x
    return torch.rsub(y, 1)


pairs = torch.view_as_real


def spectral(x, make=lambda spectrum: torch.zeros(2, 6, 5, dtype=torch.cfloat)):
    """Some frequencies, as in Fourier neural operators."""
    spectrum = torch.fft.rfft2(x)
    kept = make(spectrum)
    kept[:, :2, :3] = spectrum[:, :2, :3] * 2
    kept[:, -2:, :3] = spectrum[:, -2:, :3]
    return torch.fft.irfft2(kept)


class Unpooled(nn.Module):
    """Values return to where they came from, as in SegNet."""

    def __init__(self):
        super().__init__()
        self.pool, self.unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)

    def forward(self, x):
        y, places = self.pool(x)
        z, wide = F.max_pool2d(x, (2, 3), return_indices=True)
        return (self.unpool(y * 2, places, output_size=x.size()) +
                F.max_unpool2d(z, wide, (2, 3), output_size=x.shape),
                F.max_pool2d(x, 3, 1, return_indices=True)[0])


@torch.jit.script
def swish(x, scale: float = 0.5):
    return x.mul(torch.sigmoid(x)) * scale


@torch.fx.wrap
def left_as_call(x):
    return x.sigmoid()


def masked_rows(x):
    """A constant that is changed by an operator, and elements of a mask that are set."""
    m = torch.ones(8).bool()
    m &= x[0, 0] > 0
    k = x > 0
    k[:, 0] = x[:, 0]
    return x * m, k


class Calls(nn.Module):
    """A call of a module."""

    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module.eval(), call

    def forward(self, *inputs):
        return self.call(self.module, *inputs)


class Padded(nn.Module):
    """A module that reads a sequence `count` times, but not all of its elements."""

    def __init__(self, module, count=1):
        super().__init__()
        self.module, self.count = module.eval(), count
        names = list(inspect.signature(module.forward).parameters)
        self.mask = next(name for name in reversed(names) if name.endswith("key_padding_mask"))

    def forward(self, x, lengths):
        return self.module(*[x] * self.count, **{self.mask: lengths > 1})


class Masked(nn.Module):
    """Calls of a module with constant masks."""

    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module.eval(), call
        self.register_buffer("mask", torch.ones(6, 6).triu(1).bool())
        self.register_buffer("masks", torch.randn(8, 6, 6))
        self.register_buffer("padding", torch.arange(6) >= torch.tensor([[6], [4]]))

    def forward(self, x):
        return self.call(self.module, x, self)


class AttentionPool(nn.Module):
    """As CLIP has it."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)

    def forward(self, x):
        x = x.flatten(2).permute(2, 0, 1)
        return F.multi_head_attention_forward(
            x[:1], x, x, x.shape[-1], 4, None, torch.cat([self.q.bias, self.k.bias, self.v.bias]), None, None, False, 0,
            self.out.weight, self.out.bias, self.training, need_weights=False, use_separate_proj_weight=True,
            q_proj_weight=self.q.weight, k_proj_weight=self.k.weight, v_proj_weight=self.v.weight)[0]


class Deformed(nn.Module):
    """A deformable convolution of places, and of shares of them, that layers compute."""

    def __init__(self, groups=1, places=1, shares=False, **options):
        super().__init__()
        self.conv = DeformConv2d(8, 4, (3, 2), groups=groups, **options)
        self.offset = nn.Conv2d(8, 2 * places * 6, (3, 2), **options)
        self.mask = nn.Conv2d(8, places * 6, (3, 2), **options) if shares else None

    def forward(self, x):
        return self.conv(x, self.offset(x), None if self.mask is None else self.mask(x).sigmoid())


CASES = [
    # elements
    *(tensors(f, T) for f in (
        torch.erfc, torch.positive, torch.sgn, torch.deg2rad, torch.rad2deg, torch.isnan, torch.isinf,
        torch.isfinite, torch.logit, lambda x: torch.logit(x, 0.1), lambda x: x.sgn(),
        lambda x: torch.clamp_min(x, 0.1), lambda x: x.clamp_max(0.1), lambda x: torch.rsub(x, 1, alpha=2),
        lambda x: torch.nan_to_num(x.log(), 1.0), lambda x: (x / 0).nan_to_num(posinf=3.0, neginf=-2.0),
        lambda x: torch.div(x, 3, rounding_mode="trunc"), lambda x: x.div(3, rounding_mode="floor"),
        lambda x: (x > 0) ^ (x < 1), lambda x: (torch.arange(8) > 3) | (x > 0), lambda x: (x > 0).byte() * x,
        lambda x: torch.ones(8) - x, lambda x: ((x > 0) + (x < 1)) * x,
        lambda x: (x > 0).logical_or(x < -1), lambda x: (x > 0).logical_and(x < 1),
        lambda x: ~torch.ones_like(x, dtype=torch.bool),
        lambda x: torch.bitwise_and(x > 0, torch.bitwise_not(x > 1)), lambda x: torch.bitwise_or(x > 1, x < 0),
        lambda x: nn.LayerNorm(8)(x), lambda x: x / np.sqrt(8), lambda x: x.sum(np.int64(1)), masked_rows,
        lambda x: torch.where(x > 1, True, False) & (x < 2), lambda x: (x > 0).copy_(x),
        lambda x: ((x > 0) + True) * x,
        lambda x: nn.Sequential(nn.ReLU(), nn.LayerNorm(8))(x), lambda x: swish(x) + swish(x, 2.0),
        lambda x: torch.where(x > 0, 1.0, -math.inf), lambda x: torch.where(x > 0, 1, 0) * x,
        lambda x: +x.cpu() * True, lambda x: torch.softmax(x, 1, torch.float32),
        lambda x: x.log_softmax(1, torch.float32),
        lambda x: x.contiguous(memory_format=torch.contiguous_format) * x.numel(),
        lambda x: ((x > 0) & (x < 1)).float() + (x > 0), lambda x: x * math.ceil(x.size(1) / 4),
        lambda x: x * x.size(-1) ** -0.5,
        lambda x: torch.logical_xor(x, x > 1), abs, torch.negative,
        lambda x: torch.float_power(x.abs(), 1.5), lambda x: (x > 0).float_power(2),
        torch.absolute, lambda x: torch.fmod(x, 0.7), lambda x: torch.divide(x, 3.0),
        lambda x: torch.divide(x, 0.3, rounding_mode="trunc"), lambda x: x.bool().float() + x.to(torch.bool),
        torch.special.expit, torch.special.erf, torch.special.erfc, torch.special.exp2, torch.special.expm1,
        lambda x: torch.special.log1p(x.abs()), lambda x: torch.special.logit(x, 0.1),
        lambda x: torch.special.softmax(x, 1), lambda x: torch.special.log_softmax(x, dim=1),
        lambda x: torch.special.logsumexp(x, 1), torch.special.round, lambda x: x.data + 1,
        lambda x: x.max(1).values + torch.min(x, dim=1)[0], lambda x: x.mean(axis=1, keepdims=True),
        lambda x: x.sort(2).indices.float(), lambda x: torch.logsumexp(x, axis=1),
        lambda x: torch.copysign(x, -1.0), torch.signbit, torch.sinc, torch.special.sinc, torch.special.ndtr,
        lambda x: torch.special.entr(x.abs()), torch.asinh, lambda x: torch.acosh(x.abs() + 1),
        lambda x: torch.arctanh(x.tanh() * 0.9), lambda x: torch.arcsin(x.tanh()), lambda x: x.tanh().arccos(),
        torch.arctan, torch.selu, lambda x: torch.celu(x, 0.5), lambda x: torch.round(x, decimals=2),
        lambda x: x.mul(100).round(decimals=-1), lambda x: torch.xlogy(2, x.abs()), lambda x: torch.xlogy(x, 3),
        lambda x: (x / 0).isclose(torch.full((8,), math.inf)), lambda x: (x.log()).isclose(x.log(), equal_nan=True))),
    *(tensors(f, T, T) for f in (
        lambda x, y: x.maximum(y), lambda x, y: x.minimum(y), torch.true_divide, torch.hypot,
        torch.heaviside, lambda x, y: x.round().heaviside(y[0, 0]),
        torch.logaddexp, torch.pow, lambda x, y: x.pow(y), lambda x, y: x ** y, torch.atan2,
        lambda x, y: torch.clamp(x, min=y), lambda x, y: x.clip(y, y + 1), F.l1_loss,
        lambda x, y: torch.clamp_min(x, y), lambda x, y: F.mse_loss(x, y, reduction="none"),
        lambda x, y: F.mse_loss(x, y, reduction="sum"), lambda x, y: torch.lerp(x, y, 0.3),
        lambda x, y: (x - x).copysign(y), torch.copysign, torch.xlogy, lambda x, y: torch.special.xlog1py(x, y.abs()),
        torch.special.xlogy, lambda x, y: torch.isclose(x, y, 0.5, 0.1), torch.ldexp, torch.logaddexp2,
        lambda x, y: torch.fmax(x.log(), y), lambda x, y: x.fmin(y.log()),
        torch.multiply, lambda x, y: torch.view_as_real(torch.multiply(
            torch.view_as_complex(x.reshape(2, 6, 4, 2)), torch.view_as_complex(y.reshape(2, 6, 4, 2)))),
        lambda x, y: torch.subtract(x, y, alpha=2), torch.greater, torch.greater_equal,
        torch.less, torch.less_equal, torch.not_equal, torch.fmod, lambda x, y: x.remainder(y),
        lambda x, y: x % y, torch.max,
        lambda x, y: torch.min(x, other=y), lambda x, y: x.max(y), lambda x, y: torch.add(x, y, alpha=3),
        lambda x, y: x.sub(y, alpha=0.5), lambda x, y: x.where(y > 0, y),
        lambda x, y: x.masked_fill(mask=y > 0, value=2), lambda x, y: x.masked_fill(y > 0, torch.tensor(-3.0)),
        lambda x, y: x.div(y, rounding_mode="floor"), lambda x, y: torch.div(x, y, rounding_mode=None))),
    tensors(lambda x, y: x.masked_fill(y > 0, -1e4), (2, 1, 8), (2, 6, 1)), tensors(torch.maximum, T, (6, 1)),
    tensors(torch.logaddexp, (8,), T), tensors(torch.atan2, (8,), T), tensors(torch.pow, (8,), T),
    tensors(lambda x: torch.view_as_complex(x).absolute(), (3, 2)),
    tensors(torch.fmod, items(3), (3,)), tensors(lambda i: i.nan_to_num() * 2, items(3)),
    tensors(torch.minimum, (8,), T), tensors(lambda x, y: x.clamp(max=y), T, (1,)),
    tensors(lambda x, y: torch.where(y > 0, x, 0.0), (8,), T),
    tensors(lambda x, y: torch.where(y > 0, 0.0, x), (8,), T),
    *(tensors(f, T, T, T) for f in (
        torch.lerp, torch.addcmul, lambda x, y, z: x.addcmul(y, z, value=0.5),
        lambda x, y, z: torch.addcdiv(x, y, z, value=2))),
    tensors(nn.MSELoss(), T, T), tensors(nn.L1Loss(reduction="none"), T, T),
    # reductions
    *(tensors(f, T) for f in (
        lambda x: x.max(), torch.min, lambda x: torch.aminmax(x, dim=1), lambda x: torch.aminmax(x)[1],
        torch.nansum, lambda x: x.log().nansum(1, keepdim=True), lambda x: x.log().nanmean(2),
        lambda x: torch.dist(x, x[0]),
        lambda x: torch.dist(x, x + 1, 1), lambda x: torch.logcumsumexp(x * 50, 1), lambda x: x.logcumsumexp(-1),
        lambda x: torch.logsumexp(x, 1), lambda x: x.masked_fill(x < 9, -math.inf).logsumexp(2),
        lambda x: x.logsumexp((0, 2), True), lambda x: x.prod(),
        lambda x: torch.prod(x, 1), lambda x: x.prod(1, keepdim=True), lambda x: (x > 1).any(),
        lambda x: torch.any(x > 1, 1), lambda x: torch.all(x > -1, dim=2, keepdim=True),
        lambda x: (x > -9).all(), torch.count_nonzero, lambda x: x.count_nonzero(1),
        lambda x: torch.std(x, dim=-1, correction=0), lambda x: torch.var_mean(x, dim=1, correction=1),
        lambda x: torch.std_mean(x, dim=1), lambda x: torch.var_mean(x, dim=(1, 2), unbiased=False),
        lambda x: torch.norm(x, dim=-1), lambda x: x.norm(math.inf, 1), lambda x: x.norm(3, 1, True),
        lambda x: torch.linalg.norm(x, dim=-1), lambda x: torch.linalg.norm(x, 1, -1),
        lambda x: F.normalize(x, dim=(1, 2)), lambda x: torch.linalg.vector_norm(x),
        lambda x: torch.linalg.vector_norm(x, 1, (0, 1)),
        lambda x: x.median(), lambda x: x.median(1)[0], lambda x: torch.median(x, 1, True).values,
        lambda x: torch.quantile(x, 0.3), lambda x: x.quantile(0.75, -1, keepdim=True),
        lambda x: torch.quantile(x, torch.tensor([0.25, 0.5, 1.0]), 1),
        lambda x: x.quantile(torch.tensor([0.1])),
        lambda x: x.kthvalue(3, 1)[0], lambda x: x.gather(2, torch.kthvalue(x, 2, -1, True).indices),
        lambda x: x.gather(1, x.argsort(1)), lambda x: x.gather(2, torch.argsort(x, descending=True)),
        torch.msort, torch.diff,
        lambda x: x.diff(2, 1))),
    # products
    tensors(torch.matmul, (2, 1, 3, 4), (1, 5, 4, 3)), tensors(operator.matmul, (2, 5, 3, 4), (5, 4, 3)),
    tensors(lambda x, y: x.matmul(y), (2, 1, 3, 4), (5, 4, 3)), tensors(torch.linalg.matmul, T, (8, 3)),
    tensors(torch.linalg.matmul, (2, 1, 3, 4), (1, 5, 4, 3)), tensors(torch.mv, (3, 4), (4,)),
    tensors(torch.dot, (4,), (4,)), tensors(torch.outer, (4,), (5,)), tensors(torch.ger, (4,), (5,)),
    tensors(torch.baddbmm, (2, 3, 5), (2, 3, 4), (2, 4, 5)),
    tensors(lambda x, y, z: x.baddbmm(batch1=y, batch2=z, beta=0.5, alpha=2), (5,), (2, 3, 4), (2, 4, 5)),
    tensors(lambda x, y: torch.baddbmm(torch.empty(1, 1, 5), x, y, beta=0, alpha=2), (2, 3, 4), (2, 4, 5)),
    tensors(lambda x, y: torch.addmm(torch.empty(5), x, y, beta=0), (3, 4), (4, 5)),
    tensors(torch.addbmm, (3, 5), (2, 3, 4), (2, 4, 5)), tensors(torch.addmv, (3,), (3, 4), (4,)),
    tensors(lambda x, y, z: torch.addmm(x, mat1=y, mat2=z), (3, 5), (3, 4), (4, 5)),
    tensors(lambda x, y: torch.linalg.cross(x, y), (3, 4, 3), (3, 4, 3)),
    tensors(torch.addr, (3, 4), (3,), (4,)), tensors(torch.cross, (2, 3), (2, 3)),
    tensors(lambda x, y: torch.linalg.cross(x, y, dim=0), (3, 2), (3, 2)),
    tensors(lambda x, y: torch.linalg.multi_dot([x, y, x]), (3, 4), (4, 3)),
    tensors(torch.chain_matmul, (3, 4), (4, 3)), tensors(lambda x, y: torch.tensordot(x, y, 1), T, (8, 3)),
    tensors(lambda x, y: torch.tensordot(x, y, ([1, 2], [2, 0])), (2, 3, 4), (4, 5, 3)),
    *(tensors(functools.partial(torch.einsum, equation), *shapes) for equation, *shapes in (
        ("bij->bji", T), ("bij->bi", T), ("...ij->...j", T), ("bij", T), ("bii->b", (2, 4, 4)),
        ("bii->bi", (2, 4, 4)), ("iij,jk->ik", (3, 3, 4), (4, 2)), ("bi,bj,bk->bijk", (2, 3), (2, 4), (2, 5)),
        ("bi,bij,...j->...b", (2, 3), (2, 3, 4), (5, 4)), ("ij,jk,kl", (2, 3), (3, 4), (4, 5)))),
    # rearrangements
    *(tensors(f, T) for f in (
        torch.fliplr, torch.flipud, lambda x: torch.rot90(x, 1, [1, 2]), lambda x: x.rot90(3, (0, 1)),
        lambda x: torch.movedim(x, 1, 2), lambda x: x.moveaxis((0, 1), (-1, 0)),
        lambda x: torch.swapaxes(x, axis0=0, axis1=2), lambda x: x.swapdims(dim0=1, dim1=2),
        lambda x: torch.tensor_split(x, indices=(1, 4), dim=2)[1:], lambda x: x.hsplit(sections=3)[:2],
        lambda x: x.split(3, -1)[1:], lambda x: (x, (x.chunk(2, -1), [x.unbind(1)[:2]])),
        lambda x: torch.cat((x[..., :8], x[..., 8:]), -1), lambda x: torch.concat([x[:, 6:], x, x[:, 9:], x], 1),
        lambda x: x.reshape(2, 2, 3, 2, 4)[:, :, :, :, :, None],
        lambda x: x.reshape(2, 2, 3, 8)[:, None, 1, ..., 1:, None],
        lambda x: x.reshape(2, 6, 1, 8)[:, 1:, :, None, 2:4, None], lambda x: x[None, 0, :, None, ::2, None],
        lambda x: x.floor_divide(2), lambda x: x.pow(exponent=2),
        lambda x: torch.split(x, [1, 1, 1, 2, 1, 1, 1], dim=2)[3], lambda x: x.split([1] * 8, -1)[7],
        lambda x: torch.swapaxes(x, 0, 1), lambda x: x.swapdims(0, 2), lambda x: x.mT,
        lambda x: x.mH, lambda x: x.adjoint(), lambda x: torch.split_with_sizes(x, [2, 4], 1),
        lambda x: x.split_with_sizes([1, 2, 3], -2), lambda x: torch.unsafe_split(x, 4, 1),
        lambda x: x.unsafe_chunk(4, 1),
        lambda x: torch.unsafe_chunk(x, 2), lambda x: torch.broadcast_tensors(x, x[:, :1]),
        lambda x: x.repeat_interleave(torch.tensor([1, 0, 2, 1, 3, 1]), 1),
        lambda x: torch.repeat_interleave(x, torch.tensor([2])), lambda x: torch.select_scatter(x, x[:, 0], 1, 3),
        lambda x: torch.slice_scatter(x, x[:, :2], 1, 2, 6, 2),
        lambda x: torch.tile(x, (1, 2, 1)), lambda x: x.tile(2, 1), lambda x: torch.broadcast_to(x, (3, *T)),
        lambda x: x.unfold(1, 3, 1), lambda x: x.unfold(-1, 2, 3), torch.ravel, torch.atleast_1d,
        torch.atleast_2d, lambda x: torch.atleast_3d(x[0]), lambda x: torch.tensor_split(x, 4, 1),
        lambda x: x.tensor_split((1, 4), dim=2), lambda x: x.hsplit(2), lambda x: x.vsplit(2),
        lambda x: x.dsplit(2), lambda x: torch.diagonal(x, 1, 1, 2),
        lambda x: x.diagonal(-1, dim1=0, dim2=2), lambda x: torch.diag_embed(x, 2),
        lambda x: torch.diag_embed(x, -1))),
    *(tensors(lambda x, y, f=f: f((x, y)), T, T) for f in (torch.hstack, torch.vstack, torch.dstack)),
    tensors(lambda x, y: torch.hstack((x, y)), (3,), (4,)), tensors(lambda x: torch.row_stack([x, x]), (3,)),
    tensors(lambda x, y: torch.column_stack((x, y)), (3,), (3, 2)),
    tensors(lambda x, y: torch.meshgrid(x, y, indexing="ij"), (3,), (4,)),
    tensors(lambda x, y: torch.meshgrid([x, y], indexing="xy"), (3,), (4,)), tensors(torch.diag, (4, 4)),
    tensors(lambda x: torch.diag(x, -1), (3,)), tensors(torch.trace, (4, 5)),
    tensors(lambda x, y: torch.einsum("i,i->", x, y), (8,), (8,)), tensors(lambda x: torch.einsum("nij,nij", x, x), T),
    tensors(lambda x, y: torch.einsum("i,j->", x, y), (8,), (3,)), tensors(torch.inner, T, (3, 8)),
    tensors(torch.inner, (8,), (8,)), tensors(lambda x, y: x.inner(y[0, 0]), T, (1, 1)),
    tensors(torch.kron, (2, 3), (4, 5)), tensors(torch.kron, (3,), (2, 2)), tensors(torch.vdot, (4,), (4,)),
    tensors(lambda x, y: torch.linalg.vecdot(x, y, dim=1), T, T),
    tensors(parameters(lambda x, w, b: F.bilinear(x[..., :4], x[..., 4:], w, b), torch.randn(3, 4, 4), torch.randn(3)),
            T),
    tensors(lambda x, w: F.bilinear(x, x, w), T, (3, 8, 8)),
    # views of more than six axes
    *(tensors(f, (2, 4, 6, 8)) for f in (
        lambda x: x.view(2, 2, 2, 3, 2, 4, 2).permute(0, 1, 3, 5, 2, 4, 6).reshape(2, -1, 8),
        lambda x: torch.permute(x.reshape((2, 1, 4, 2, 3, 2, 2, 2)), (0, 2, 4, 6, 1, 3, 5, 7)).contiguous().flatten(4),
        lambda x: torch.reshape(x, (2, 2, 2, 3, 2, 4, 2)).transpose(1, -1).unbind(0)[1].flatten(1),
        lambda x: x.view(1, 2, 2, 2, 3, 2, 4, 2).squeeze(0).swapaxes(0, 1)[1] + 1,
        lambda x: x.view(2, 2, 2, 3, 2, 4, 2).permute(3, 0, 1, 2, 6, 5, 4).clone().view(3, 2, 1, 2, 2, 2, 4, 2)[0][1],
        lambda x: x.view(2, 2, 2, 3, 2, 4, 2).view(2, 4, 3, 2, 8))),
    # indices
    tensors(lambda i: F.one_hot(i, 5), items(3)), tensors(lambda i: F.one_hot(i * 2, 9).float(), items(3)),
    tensors(lambda x, i: torch.take_along_dim(x, i, 1), T, items(2, 2, 8)),
    tensors(torch.take, T, items(3, 2)),
    *(tensors(f, T) for f in (
        lambda x: x.index_fill(1, torch.tensor([0, -2]), 3.0),
        lambda x: x.index_fill(2, torch.tensor([1]), torch.tensor(2.0)),
        lambda x: torch.isin(x.round(), torch.tensor([[0.0], [2.0]])), lambda x: torch.isin(x, 1.0, invert=True),
        lambda x: torch.isin(2, x), lambda x: x[:, torch.ones(6).nonzero().squeeze(1)])),
    tensors(lambda x, k: x.index_fill(1, k, 0.5), T, items(3)),
    tensors(lambda x, k, y: x.index_copy(2, k + torch.arange(0, 8, 4), y), T, items(2), (2, 6, 2)),
    *(tensors(lambda x, i, y, how=how: torch.scatter_reduce(x, 1, i, y, how), T, items(2, 3, 8), (2, 3, 8))
      for how in ("sum", "mean", "amax", "amin")),
    *(tensors(lambda x, i, y, how=how: x.scatter_reduce(1, i, y, how, include_self=False), T, items(2, 3, 8), (2, 4, 8))
      for how in ("sum", "mean", "amax", "amin")),
    tensors(lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), T),
    tensors(lambda x: torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), x, right=True), T),
    tensors(lambda x, i, y: x.index_add(1, i, y, alpha=2), T, items(4), (2, 4, 8)),
    tensors(lambda x, i, y: x.scatter_add(1, i, y), T, items(2, 3, 8), (2, 3, 8)),
    tensors(lambda x, i: torch.scatter(x, 1, i, 2.5), T, items(2, 3, 8)),
    tensors(lambda x, y: torch.full_like(x, -1e4).scatter(1, x.topk(3, 1)[1], y), T, (2, 3, 8)),
    tensors(parameters(F.embedding, torch.randn(9, 4)), items(2, 3)),
    *(tensors(parameters(lambda i, w, mode=mode: F.embedding_bag(i, w, mode=mode), torch.randn(9, 4)),
              items(2, 3)) for mode in ("sum", "mean", "max")),
    tensors(Calls(nn.EmbeddingBag(9, 4, mode="sum"), lambda bag, i, w: bag(i, per_sample_weights=w)),
            items(2, 3), (2, 3)),
    tensors(lambda x, i, k: x[i.unsqueeze(1), k], (6, 6, 8), items(2), items(2, 3)),
    tensors(lambda x, k: x[torch.arange(2)[:, None], k], T, items(2, 3)),
    tensors(lambda x, k: x[:, k, [[0], [5]]], T, items(2, 3)),
    *(tensors(f, T, items(3)) for f in (
        lambda x, k: x[0, k], lambda x, k: x[:, k, 0], lambda x, k: x[..., k, :], lambda x, k: x[:, k, 1:4],
        lambda x, k: x[None, :, k], lambda x, k: x[1, 2:, k], lambda x, k: x[torch.tensor([0, 1, 1]), k, :2],
        lambda x, k: x[k - k, :, 3], lambda x, k: x[..., k], lambda x, k: x[:, k[0], 1:], lambda x, k: x[k[0] - 2, k],
        lambda x, k: x[k % 2, k - 3, k], lambda x, k: x[k % 2, :, k], lambda x, k: x[None, 0, k[:, None], k],
        lambda x, k: x.unsqueeze(1)[:, 0, k, k - 1])),
    tensors(lambda x, i, k: x[:, i % 3, k.t(), :, k], (2, 3, 4, 5, 4), items(2), items(2, 2)),
    # constants
    *(tensors(f, T) for f in (
        lambda x: x + x.new_zeros(x.shape), lambda x: torch.cat([x, x.new_ones((2, 1, 8))], 1),
        lambda x: x + x.new_full((8,), 3.0), lambda x: x * x.new_tensor([2.0]),
        lambda x: x * x.new_tensor(torch.arange(8)), lambda x: x * x.new_tensor(np.arange(8.0)),
        lambda x: x.new_empty(2, 8).zero_() + x[:, 0], lambda x: x.new_zeros(2, 3, dtype=torch.int64))),
    # complex numbers
    tensors(lambda x, y: torch.view_as_real(torch.view_as_complex(x.reshape(2, 6, 4, 2)) *
                                            torch.view_as_complex(y.reshape(2, 6, 4, 2))), T, T),
    tensors(lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(2, 6, 4, 2)) *
                                         torch.polar(torch.ones(4), torch.arange(4.0)).view(1, 1, 4)), T),
    tensors(lambda x: (torch.view_as_complex(x.reshape(2, 6, 4, 2)) * 2).abs(), T),
    tensors(lambda x, y: torch.polar(x, y).real + torch.polar(x, y).imag, T, T),
    *(tensors(f, T) for f in (
        lambda x: pairs(torch.fft.fft(x, dim=1)), lambda x: pairs(torch.fft.fft(x, 5)),
        lambda x: pairs(torch.fft.ifft(torch.fft.fft(x, 12, norm="ortho"), dim=-2)),
        lambda x: torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real,
        lambda x: torch.fft.fft(x, 5, norm="forward").imag,
        lambda x: pairs(torch.fft.rfft(x, 7, 1, "forward")), lambda x: torch.fft.irfft(torch.fft.rfft(x)),
        lambda x: torch.fft.irfft(torch.fft.rfft(x, dim=1), 20, 1, "ortho"),
        lambda x: torch.fft.irfft(torch.fft.rfft(x), 5), lambda x: pairs(torch.fft.fft2(x)),
        lambda x: torch.fft.ifft2(torch.fft.fft2(x)).real, lambda x: pairs(torch.fft.rfft2(x, dim=(0, 1))),
        lambda x: torch.fft.irfft2(torch.fft.rfft2(x, norm="ortho"), s=(6, 8), norm="ortho"),
        lambda x: pairs(torch.fft.fftn(x)), lambda x: torch.fft.ifftn(torch.fft.fftn(x, dim=(0, 2)), dim=(0, 2)).real,
        lambda x: pairs(torch.fft.rfftn(x, s=(4, 4))), lambda x: torch.fft.irfftn(torch.fft.rfftn(x), s=(2, 6, 7)),
        lambda x: torch.stft(x[0], 4, return_complex=True).abs(),
        lambda x: pairs(torch.stft(x.flatten(1), 16, 8, 12, torch.hann_window(12), return_complex=True)),
        lambda x: torch.stft(x.flatten(1), 16, 8, center=False, return_complex=False),
        lambda x: pairs(torch.stft(x.flatten(), 16, onesided=False, normalized=True, return_complex=True)),
        lambda x: (torch.conj(torch.fft.fft(x)) * torch.fft.fft(x)).real + torch.conj(x),
        lambda x: torch.angle(torch.complex(x, x.abs() + 1)), lambda x: pairs(torch.complex(x, x + 1)),
        lambda x: pairs(torch.fft.fft(x) + torch.fft.fft(x, dim=1) - torch.fft.fft(x, dim=0) * 2),
        lambda x: pairs(torch.fft.fft(x)[:, 1:, :3]), lambda x: pairs(torch.fft.fft(x)[..., ::2]), spectral,
        lambda x: spectral(x, torch.zeros_like), lambda x: spectral(x, lambda s: torch.full_like(s, fill_value=1 + 2j)),
        lambda x: pairs(torch.ones_like(x, dtype=torch.cfloat)))),
    tensors(parameters(lambda x, w: pairs(torch.einsum("nik,iok->nok", torch.fft.rfft(x), torch.view_as_complex(w))),
                       torch.randn(6, 4, 5, 2)), T),
    # norms, convolutions, pools
    tensors(parameters(F.batch_norm, torch.randn(8), torch.rand(8) + 0.5, torch.randn(8), torch.randn(8)), IMAGE),
    tensors(parameters(functools.partial(F.batch_norm, training=False, eps=1e-3), torch.randn(8),
                       torch.rand(8) + 0.5), IMAGE),
    tensors(norm(nn.BatchNorm1d, 6, track_running_stats=False), T),
    tensors(norm(nn.BatchNorm2d, 8, track_running_stats=False), IMAGE),
    tensors(norm(nn.BatchNorm3d, 2, track_running_stats=False, affine=False), (2, 2, 3, 4, 5)),
    tensors(norm(nn.InstanceNorm1d, 6, track_running_stats=True), T),
    tensors(norm(nn.InstanceNorm2d, 8, track_running_stats=True, affine=True), IMAGE),
    tensors(norm(nn.InstanceNorm3d, 2, track_running_stats=True), (2, 2, 3, 4, 5)),
    tensors(nn.Conv1d(6, 4, 3, padding=2, padding_mode="circular"), T),
    tensors(nn.Conv2d(8, 4, 3, padding=(1, 2), padding_mode="reflect"), IMAGE),
    tensors(nn.Conv2d(8, 4, 4, padding="same"), IMAGE), tensors(nn.Conv2d(8, 4, (2, 3), padding="same"), IMAGE),
    tensors(nn.Conv3d(2, 3, 3, padding=1, padding_mode="replicate"), (1, 2, 4, 5, 6)),
    tensors(sized(nn.ConvTranspose2d(8, 4, 3, 2, padding=1), (12, 11)), IMAGE),
    tensors(sized(nn.ConvTranspose1d(6, 4, (3,), 3, dilation=2), [2, 4, 27]), T),
    # without an axis of batches
    *(tensors(layer, (4, 8)) for layer in (
        nn.Conv1d(4, 3, 3), nn.ConvTranspose1d(4, 3, 3, 2), nn.AvgPool1d(2), nn.MaxPool1d(3, 1, 1),
        nn.InstanceNorm1d(4), nn.AdaptiveAvgPool1d(3), nn.AdaptiveMaxPool1d(2))),
    *(tensors(layer, (4, 8, 8)) for layer in (
        nn.Conv2d(4, 2, 3, groups=2), nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"),
        nn.ConvTranspose2d(4, 3, 3), nn.AvgPool2d((3, 2)), nn.MaxPool2d(2), nn.InstanceNorm2d(4, affine=True),
        nn.AdaptiveAvgPool2d((None, 1)), nn.AdaptiveMaxPool2d(2), nn.PixelShuffle(2), nn.PixelUnshuffle(2))),
    tensors(nn.Conv3d(2, 3, 3), (2, 3, 4, 5)), tensors(nn.MaxPool3d(2), (2, 3, 4, 5)),
    tensors(parameters(lambda x, w: F.conv2d(input=x, weight=w).relu() + 1, torch.randn(4, 6, 3, 3)), (6, 5, 5)),
    tensors(lambda x: F.avg_pool2d(x, (x.shape[1], 1)).squeeze(1), T),
    tensors(lambda x: F.adaptive_max_pool2d(F.max_pool2d(input=x, kernel_size=2), 1), T),
    tensors(lambda x: F.pixel_shuffle(F.avg_pool1d(x[0], 2).unsqueeze(-1)[:4], 2), T),
    tensors(nn.LPPool1d(2, 3, 2), T), tensors(nn.LPPool2d(2, 2), IMAGE),
    tensors(nn.LPPool2d(2, (4, 3), (3, 2), ceil_mode=True), IMAGE), tensors(nn.LPPool2d(2, 3), (8, 6, 6)),
    tensors(lambda x: F.lp_pool2d(x, 3, (2, 3)), IMAGE), tensors(lambda x: F.lp_pool1d(x, 2, 2), T),
    tensors(lambda x: F.interpolate(x, scale_factor=0.5, mode="area"), IMAGE),
    tensors(lambda x: F.upsample(x, 9, mode="area"), IMAGE),
    tensors(lambda x: F.interpolate(x, scale_factor=0.6, mode="bilinear", recompute_scale_factor=True), IMAGE),
    tensors(lambda x: F.interpolate(x, scale_factor=(2, 1.5), mode="bilinear", align_corners=False), IMAGE),
    tensors(nn.Upsample(scale_factor=(1, 2)), IMAGE), tensors(nn.Upsample((4, 3), mode="area"), IMAGE),
    tensors(parameters(lambda x, w: F.layer_norm(x, w.shape, w, None, 1e-5), torch.rand(8)), T),
    tensors(parameters(lambda x, w: F.group_norm(x, 2, w), torch.rand(6)), T),
    tensors(parameters(F.linear, torch.randn(8)), T),
    tensors(parameters(lambda x, scale: x * scale.exp().item(), torch.tensor(0.5)), T),
    tensors(parameters(lambda x, scale: x * sum(scale.exp().tolist()), torch.tensor([0.5, 1.0])), T),
    tensors(parameters(lambda x, w: F.conv2d(x, w, padding="same", dilation=2), torch.randn(4, 8, 3, 5)), IMAGE),
    tensors(parameters(lambda x, w: F.conv2d(x, w, padding="same"), torch.randn(4, 8, 2, 3)), IMAGE),
    tensors(parameters(lambda x, w: F.conv1d(x, w, padding="same"), torch.randn(4, 6, 4)), T),
    tensors(parameters(lambda x, w: F.conv2d(x, w, None, 2, "valid"), torch.randn(4, 8, 2, 3)), IMAGE),
    tensors(parameters(lambda x, w: F.conv2d(x, w / w.view(w.size(0), -1).std(1).view(-1, 1, 1, 1)),
                       torch.randn(4, 8, 2, 3)), IMAGE),
    *([tensors(Deformed(padding=1), IMAGE), tensors(Deformed(2, 1, stride=2, bias=False), IMAGE),
       tensors(Deformed(2, 4, True, padding=(2, 1), dilation=2), IMAGE)] if DeformConv2d else []),
    # weights that are computed
    tensors(lambda x, w: F.linear(x, w), T, (5, 8)), tensors(lambda x, w, b: F.linear(x, w, b), T, (5, 8), (5,)),
    tensors(lambda x, w: F.conv2d(x, w, stride=2, padding=(1, 0), dilation=(1, 2)), IMAGE, (4, 8, 3, 2)),
    tensors(lambda x, w, b: F.conv2d(x.reshape(1, 16, 6, 6), w, b, padding=1, groups=2), IMAGE, (6, 8, 3, 3), (6,)),
    tensors(lambda x, w: F.conv1d(x, w, padding=1, groups=3), T, (3, 2, 3)),
    tensors(lambda x, w: F.conv2d(x, w, stride=(2,), padding=[1]), (8, 6, 6), (4, 8, 3, 2)),
    tensors(lambda x, w: F.conv_transpose2d(x, w, stride=2), IMAGE, (8, 4, 3, 2)),
    tensors(lambda x, w, b: F.conv_transpose2d(x.reshape(4, 8, 6, 3), w, b, (2, 3), 1, (1, 0), 2, (1, 2)), IMAGE,
            (8, 3, 2, 3), (6,)),
    tensors(lambda x, w: F.conv_transpose2d(x, w, padding=[1]), (8, 6, 6), (8, 4, 3, 3)),
    tensors(lambda x, w, b: F.conv_transpose1d(x, w, b, 2, 1, 1), T, (6, 4, 3), (4,)),
    tensors(lambda x, w: F.conv1d(x, w, padding="same"), (6, 8), (3, 6, 3)),
    # attention
    *(tensors(module, *shapes) for module, *shapes in (
        (Padded(nn.MultiheadAttention(16, 4, bias=False), 3), (6, 2, 16), (2, 6)),
        (Padded(nn.MultiheadAttention(16, 4, batch_first=True), 3), (2, 6, 16), (2, 6)),
        (lambda q, k, m: F.scaled_dot_product_attention(q, k, k, attn_mask=m), (2, 2, 5, 8), (2, 2, 3, 8), (5, 3)),
        (lambda q, m: F.scaled_dot_product_attention(q, q, q, m > -1, scale=0.5), (2, 5, 8), (2, 5, 5)),
        (lambda q: F.scaled_dot_product_attention(q, q, q, torch.ones(5, 5).tril().bool(), 0.0), (2, 5, 8)),
        (parameters(lambda q, m: F.scaled_dot_product_attention(q, q, q, m), torch.randn(2, 1, 5)), (3, 2, 5, 8)),
        (lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True),
         (2, 4, 5, 8), (2, 2, 5, 8)),
        (nn.MultiheadAttention(16, 4, kdim=6, vdim=7), (5, 2, 16), (3, 2, 6), (3, 2, 7)),
        (Calls(nn.MultiheadAttention(16, 4), lambda a, x, m: a(x, x, x, attn_mask=m, average_attn_weights=False)),
         (6, 2, 16), (8, 6, 6)),
        (Calls(nn.MultiheadAttention(16, 4), lambda a, x, m: a(x, x, x, attn_mask=m > 9)[0]), (6, 16), (6, 6)),
        (Masked(nn.MultiheadAttention(16, 4, add_zero_attn=True, batch_first=True), lambda a, x, c: a(x, x, x)),
         (2, 6, 16)),
        (Masked(nn.MultiheadAttention(16, 4, add_bias_kv=True), lambda a, x, c: a(x, x, x)), (6, 16)),
        (Masked(nn.MultiheadAttention(16, 4, bias=False, add_bias_kv=True, add_zero_attn=True),
                lambda a, x, c: a(x, x, x, c.padding, True, c.masks, False)), (6, 2, 16)),
        (Masked(nn.MultiheadAttention(16, 4), lambda a, x, c: a(x, x, x, attn_mask=c.mask, key_padding_mask=c.padding)),
         (6, 2, 16)),
        (Masked(nn.MultiheadAttention(16, 4), lambda a, x, c: a(a(x, x, x)[0], x, x, attn_mask=c.mask)), (6, 2, 16)),
        (Masked(nn.MultiheadAttention(16, 4), lambda a, x, c: a(a(x, x, x, attn_mask=c.mask)[0], x, x,
                                                                attn_mask=~c.mask)), (6, 2, 16)),
        (Masked(nn.TransformerEncoderLayer(16, 4, 32), lambda a, x, c: a(x, src_key_padding_mask=c.padding)),
         (6, 2, 16)),
        (Masked(nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32), 1), lambda a, x, c: a(a(x), c.mask)),
         (6, 2, 16)),
        (Masked(nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32), 1), lambda a, x, c: a(x, x, c.masks)),
         (6, 2, 16)),
        (AttentionPool(), (2, 16, 3, 3)),
        (Padded(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)), (2, 6, 16), (2, 6)),
        (Padded(nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, norm_first=True), 2,
                                      nn.LayerNorm(16))), (6, 2, 16), (2, 6)),
        (nn.TransformerEncoderLayer(16, 4, 32, activation=F.silu), (6, 2, 16)),
        (Padded(nn.TransformerDecoderLayer(16, 4, 32, activation="gelu"), 2), (6, 2, 16), (2, 6)),
        (Padded(nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32), 1), 2), (6, 2, 16), (2, 6)),
        (Padded(nn.Transformer(16, 4, 1, 1, 32), 2), (6, 2, 16), (2, 6)))),
    tensors(many, T), tensors(Unpooled(), IMAGE), tensors(Unpooled(), (1, 2, 7, 9)),
    *(tensors(f, T) for f in (
        lambda x: F.max_pool1d(x, 2, return_indices=True), nn.MaxPool1d(3, 2, 1, return_indices=True),
        lambda x: F.adaptive_max_pool1d(x, 3, return_indices=True), nn.AdaptiveMaxPool1d(5, return_indices=True),
        lambda x: nn.MaxUnpool1d(2)(*F.max_pool1d(x, 2, return_indices=True)),
        lambda x: F.max_unpool1d(*F.max_pool1d(x, 3, return_indices=True), 3, output_size=(2, 6, 8)))),
    *(tensors(f, IMAGE) for f in (
        nn.MaxPool2d(3, 2, 1, return_indices=True), nn.MaxPool2d((2, 3), 2, ceil_mode=True, return_indices=True),
        lambda x: F.max_pool2d(x, 3, 1, 1, (2, 1), return_indices=True),
        nn.AdaptiveMaxPool2d((4, None), return_indices=True),
        lambda x: F.adaptive_max_pool2d(x, 1, return_indices=True))),
    tensors(nn.MaxPool3d(2, padding=1, return_indices=True), (2, 3, 4, 5)),
    tensors(nn.AdaptiveMaxPool3d((2, 1, 3), return_indices=True), (1, 2, 3, 4, 5)),
    tensors(lambda x: F.max_pool3d(x, (1, 2, 3), return_indices=True), (2, 3, 4, 5)),
    tensors(lambda x: F.adaptive_max_pool3d(x, (None, 2, 2), return_indices=True), (2, 3, 4, 5)),
    # types of results
    *(tensors(f, T) for f in (
        lambda x: x.sum(1, dtype=torch.int64), lambda x: torch.cumsum(x > 0, 1, dtype=torch.float32),
        lambda x: (x > 0).cumprod(1, dtype=torch.float32), lambda x: torch.zeros_like(x > 0, dtype=torch.float32),
        lambda x: torch.ones_like(x > 0, dtype=torch.float32),
        lambda x: torch.full_like(x > 0, 2.0, dtype=torch.float32), lambda x: x.requires_grad_(False) + 1,
        lambda x: x.to(torch.float32) * (x > 0).to(x.dtype), lambda x: x.to("cpu") * (x > 0).type_as(x),
        lambda x: x.type(torch.float32) + x.to(torch.int64), lambda x: (x > 0).type(x.type()),
        lambda x: (x > 0).to(torch.int32).sum(1))),
    # indices that are constants
    *(tensors(f, T) for f in (
        lambda x: x[:, [1, 3], ::2], lambda x: x[[0, 1, 1], [5, 3, 0]], lambda x: x[:, [[1], [2]], [0, 3]],
        lambda x: x[..., [7, 6, 5, 4, -5, 2, 1, 0]], lambda x: x[:, [5, 4, 3, 2, 1, 0, -1], :],
        lambda x: x[[0, 1, 1, 0, 0, 0, 1]],
        lambda x: x[:, torch.tensor([True, False, True, False, False, True])], lambda x: x[:, [0, 2]],
        lambda x: x[..., torch.arange(8) > 3], lambda x: x[..., torch.tensor([2, -1])],
        lambda x: x[:, torch.tensor([0, 4]), 1:3], lambda x: x[0, torch.tensor([[5], [1]])],
        lambda x: x[1:, :, torch.tensor([3, 3])], lambda x: x[:, torch.tensor([[0], [5]]), torch.tensor([0, 2, 4])],
        lambda x: x[torch.tensor([0, 1]), :, torch.tensor([3, 5])], lambda x: x[torch.tensor(1), [2, 0]])),
]


def swap_halves(x):
    y = x.new_empty(*x.shape)
    y[..., :4] = x[..., 4:]
    y[..., 4:] = x[..., :4]
    return y


def written_by_masks(x):
    """Constants that arange and its like make."""
    m = torch.arange(6.0).repeat(2, 1)
    m[x[..., 0] > 0.5] = 9
    return m + 1, x * 1


def sized_rows(x, k):
    """Rows of a constant, in a model whose sizes are numbers."""
    return torch.eye(6)[k] * x.view(*x.shape)[0, :3, :6]


def accumulate(x):
    y = torch.zeros(2, 6, 8)
    for i in range(6):
        y[:, i] = x[:, i] * i
    y[:, 0] += x[:, 1]
    return y + x


def nearest(x):
    """As farthest points are sampled."""
    distance = torch.full((2, 6, 8), 1e4)
    for i in range(3):
        d = (x - x[:, i:i + 1]).abs()
        mask = d < distance
        distance[mask] = d[mask]
    return distance


def of_elements(x):
    y = x + 0.0
    y[y < 0] = 0
    y[:, [0, 2], ::2] = x[:, [1, 3], 1::2]
    y[0] = y[1]
    y[:, :, 1].copy_(x[:, :, 2])
    return y


def scaled_by_masks(x):
    y = x + 0.0
    y[y < 0] *= 0.1
    y[x > 1] = 3 - 2 * -y[x > 1]
    m = x[..., 0] > 0.5
    y[m] = (x[m] - x.mean()).clamp(max=1)
    y[x[..., 1] > 0.5] = x[0, 1]
    y[~m, :] = x[:1, 2]
    y[:, x[1, :, 2] > 0, :] = x[1, 3]
    return y


def of_all(x):
    y = x + 0.0
    z = y
    y.clamp_(-1, 1).exp_().sub_(1)
    y.masked_fill_(x > 1, 5.0)
    w = torch.relu_(y)
    y.fill_(2.0)
    y.unsqueeze_(1)
    return y.div_(3), z, w, x


def shared(x):
    y = x + 0.0
    z = y.reshape(2, -1)
    y.mul_(2)
    return y


class Shifted(nn.Module):
    """An attribute that forward converts, windows at constant places, functions that change tensors."""

    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([0.5, -0.5]).view(2, 1, 1)

    def forward(self, x):
        self.mean = self.mean.type_as(x)
        y = torch.clamp_(x - self.mean, min=-1.0)
        return [y[:, k:k + 2] for k in torch.arange(3)] + [torch.exp_(x + 1)]


def of_types(x):
    """What types and sizes decide."""
    if torch.is_floating_point(x) and not x.requires_grad:
        x = x * torch.numel(x)
    return x


def of_pools(x):
    """Modules and numbers that are made of sizes."""
    _, height, width = x.size()
    return nn.AvgPool2d((height, width))(x.unsqueeze(1)) * float(np.prod(x.shape[1:]))


class Residual(nn.Module):
    """The sum takes what the activation has written over x."""

    def __init__(self):
        super().__init__()
        self.relu, self.fc, self.drop = nn.ReLU(inplace=True), nn.Linear(8, 8), nn.Dropout(inplace=True)

    def forward(self, x):
        x = self.fc(x)
        y = self.fc(self.relu(x))
        y += x
        return y + F.relu(self.drop(y), inplace=True)


def of_tuples(x):
    first, second = torch.split(x + 0.0, 3, 1)
    F.relu(first, inplace=True)
    values, indices = x.max(1)
    indices.zero_()
    return torch.cat([first, second], 1), x.gather(1, indices.unsqueeze(1)), values


def added_to_parts(x):
    """y += x changes what shares elements with y, and a size is a number."""
    before, rows = x, x.size(1)
    x -= 0.5
    first, rest = x[:, :2], x[:, 2:]
    first += 1
    rest *= before[:, :1]
    mask = x > 0
    kept, once = mask, rows
    mask &= x < 2
    rows += 1
    return x, first, kept, x.new_zeros(rows, once)


def parts_of(x):
    y = x + 0.0
    first, second = y.chunk(2, 1)
    first = first + 1
    parts = torch.split(y, 2, 1)
    parts[0].add_(1)
    parts[0].mul_(2)
    return first, second, parts[1]


def of_constants(x):
    m = torch.zeros(8)
    a = x + m
    m.add_(1)
    b = x * m
    m[0:1] = x[0, 0, :1]
    m[7] = x[1, 1, 1]
    return a, b, m + x


def written_into(x, dtype=None):
    """Halves of a tensor, written one after the other."""
    y = torch.empty_like(x, dtype=dtype)
    y[:, :3] = x[:, :3] * 3
    y[:, 3:] = x[:, 3:] * 2
    return y


IN_PLACE = [tensors(sized_rows, T, items(3)),
            *(tensors(f, T) for f in (
                swap_halves, written_by_masks, accumulate, nearest, of_elements, of_all, shared, of_types, of_pools,
                Shifted(), Residual(), of_tuples, of_constants, added_to_parts, parts_of,
                scaled_by_masks, written_into, lambda x: torch.fft.irfft2(written_into(torch.fft.rfft2(x))),
                lambda x: written_into(x, torch.float32)))]


def of_the_whole(x):
    y = x + 0.0
    parts = y.chunk(2, 1)
    y.mul_(2)
    return parts[0] + parts[1]


def written_through_a_view(x):
    y = x + 0.0
    y.reshape(2, -1).mul_(2)
    return y


def added_to_a_view(x):
    y = x + 0.0
    z = y.view(2, -1)
    z += 1
    return y


def filled_in_order(x):
    y = x + 0.0
    y[x > 0] = x[x > 0].flip(0)
    return y


def of_the_type(x):
    return x.reshape(3 if type(x) is torch.Tensor else 7, -1)


OF_DATA = ("torch.fx cannot trace this: item(), tolist(), int(x) and float(x) give values of a tensor to Python, and "
           "values that depend on data are not known when a model is compiled; compute with the tensor itself, "
           "x / y.max() instead of x / y.max().item()")
REFUSED = [
    (tensors(of_the_type, T), "does not run, though the model does: shape '[7, -1]' is invalid"),
    (tensors(of_the_whole, T), "mul_ calls mul_, which changes elements of add in place that getitem reads as chunk"),
    (tensors(added_to_a_view, T), "add_1 calls iadd, which changes elements of view in place that output reads as add"),
    (tensors(lambda x: torch.add(x, 1, out=torch.empty(T)), T), "has out=_tensor_constant0, a tensor that it changes"),
    (tensors(lambda x: x + torch.rand_like(x), T), "node rand_like takes random numbers"),
    (tensors(lambda x: F.dropout(x, 0.5), T), "node dropout takes random numbers"),
    (tensors(lambda x: (x + 0.0).fill_diagonal_(1.0), (4, 4)), "has no form without a change in place"),
    (tensors(lambda x: torch.view_as_real(torch.view_as_complex(x).sqrt()), (3, 2)),
     "complex numbers that are no products"),
    (tensors(lambda x: pairs(torch.fft.fft(x) + 1), T), "a sum of complex numbers and others"),
    (tensors(lambda x: torch.angle(x), T), "the angle of real numbers"),
    (tensors(lambda x: x.view(2, 2, 3, 2, 2, 2, 1) * 2, T), "node mul reads a tensor of 7 axes, [2, 2, 3, 2, 2, 2, 1]"),
    (tensors(lambda x: x.view(2, 2, 3, 2, 2, 2, 1), T), "node output reads a tensor of 7 axes"),
    (tensors(lambda x: x.view(2, 2, 3, 2, 2, 2, 1).unbind(1)[0], T), "node unbind reads a tensor of 7 axes"),
    (tensors(lambda x: x[0, None, 0, None, 0, None, None, None, None, None].sum(), T), "10 indices"),
    (tensors(lambda x: pairs(torch.fft.fft(x)[[1, 0]]), T), "tensors or lists as indices of complex numbers"),
    (tensors(lambda x: pairs(torch.einsum("nij->nji", torch.fft.fft(x))), T), "torch.einsum of one tensor"),
    (tensors(lambda x, w: torch.stft(x, 4, window=w, return_complex=False), (16,), (4,)), "a window that is computed"),
    (tensors(written_through_a_view, T), "node mul_ calls mul_, which changes elements of reshape in place that "),
    (tensors(F.one_hot, items(3)), "num_classes"),
    (tensors(lambda x: nn.BatchNorm1d(6)(x), T), "forward() calls a BatchNorm1d that is no module of the model"),
    (tensors(lambda x: nn.Linear(8, 8)(x), T), "forward() calls a Linear that is no module of the model"),
    (tensors(lambda x, k: x[:, :k[0].item() + 1], T, items(2)), "a slice whose bounds are values of tensors"),
    (tensors(lambda x: x * int(x.max().item()), T), OF_DATA),
    (tensors(lambda x: x * float(x.max()), T), OF_DATA),
    (tensors(lambda x: x + torch.full(T, x.max().item()), T), OF_DATA),
    (tensors(lambda x: x if x.sum().item() + 100 > 0 else -x, T), "cannot be used as inputs to control flow\n"),
    (tensors(lambda x, k: x[[k, k]], T, items(2)), "a list of tensors as an index"),
    (tensors(lambda x: x.nonzero(), T), "a result whose size values decide"),
    (tensors(lambda x: torch.where(x > 0)[0].sum() + x, T), "the places of a condition, whose number values decide"),
    (tensors(lambda x: x.to(torch.float64).mean(), T), "a conversion to float64; ctq computes with float32"),
    (tensors(lambda x: x.half().float(), T), "a conversion to float16; ctq computes with float32"),
    (tensors(lambda x: x.double().sum(), T), "a conversion to float64; ctq computes with float32"),
    (tensors(lambda x: x.bfloat16().float(), T), "a conversion to bfloat16; ctq computes with float32"),
    (tensors(filled_in_order, (8,)), "an assignment of other elements than those that the mask chooses"),
    (tensors(lambda x, k: operator.setitem(x, k, x[:2]), (8,), items(2)), "an assignment to what indices choose"),
    (tensors(lambda x, k: x.repeat_interleave(k, 1), (2, 2), items(2)), "repeats that are computed"),
    (tensors(lambda x, i, y: x.scatter_reduce(0, i, y, "prod"), (8,), items(8), (8,)), "reduce=prod"),
    (tensors(lambda i: i ^ (i + 1), items(3)), "integers, whose bits no op of ctq computes"),
    (tensors(lambda i: i & 3, items(3)), "integers, whose bits no op of ctq computes; if an input is a mask, add"),
    (tensors(lambda x, i: x.scatter(1, i, 2.0, reduce="add"), T, items(2, 3, 8)), "reduce=add"),
    (tensors(lambda x: torch.linalg.norm(x, 2, (1, 2)), T), "a norm of matrices"),
    (tensors(lambda x: F.scaled_dot_product_attention(x, x, x, x @ x.mT, 0.5), T), "dropout_p is 0 in inference"),
    (tensors(parameters(lambda x, w: F.multi_head_attention_forward(
        x, x, x, 8, 2, w, None, None, None, False, 0.0, w[:8], None, static_k=x), torch.randn(24, 8)), (5, 8)),
     "static_k or static_v"),
]


def scale_mask(i):
    return (i > 1) * 2 + i


# By call: others that it is written with, and that backends quantize as they quantize it.
QUANTIZED = {"F.interpolate": {"F.adaptive_avg_pool1d", "F.adaptive_avg_pool2d", "F.adaptive_avg_pool3d"}}

class OfMatrices(nn.Module):
    """What functions of a parameter give is constant."""
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(8) + 0.1 * torch.ones(8, 8))

    def forward(self, x):
        return x @ torch.inverse(self.w) + torch.linalg.slogdet(self.w)[1] * x.sum()


LOWEST = torch.finfo(torch.float32).min


def masked_scores(x, more=0.0, call=operator.add, lowest=-math.inf):
    """What is added to scores: -inf where a key comes later, which no observer takes."""
    length = x.size(1)
    mask = (torch.full((8, 8), lowest).triu(1) + more)[:length, :length]
    return call(x @ x.transpose(1, 2), mask).softmax(-1)


def masked_scores_alone(x, lowest):
    return x @ x.transpose(1, 2) + torch.full((6, 6), lowest).triu(1)


def padded_scores(x, y, fill=0.0, call=operator.add):
    """The same of keys that an input says."""
    mask = torch.full((2, 6), fill).masked_fill(y > 0, -math.inf)
    return call(x @ x.transpose(1, 2), mask.unsqueeze(1)).relu()


# Sums with -inf, and what is computed before an op of numbers, whose result has their type; the calls of each.
WRITTEN_AS = [
    (tensors(masked_scores, T), ["transpose", "operator.matmul", "masked_fill", "softmax"]),
    (tensors(lambda x: masked_scores(x, call=lambda a, b: torch.add(b, a)), T),
     ["transpose", "operator.matmul", "masked_fill", "softmax"]),
    (tensors(lambda x: masked_scores(x, call=operator.iadd), T),
     ["transpose", "operator.matmul", "masked_fill", "softmax"]),
    (tensors(lambda x: masked_scores(x, call=lambda a, b: a.add_(b)), T),
     ["transpose", "operator.matmul", "masked_fill", "softmax"]),
    (tensors(lambda x: masked_scores(x, call=lambda a, b: a.mul(2).add_(b)), T),
     ["transpose", "operator.matmul", "mul", "masked_fill", "softmax"]),
    (tensors(lambda x: masked_scores(x, 0.5), T), ["transpose", "operator.matmul", "add", "masked_fill", "softmax"]),
    (tensors(padded_scores, T, (2, 6)), ["operator.gt", "masked_fill", "transpose", "operator.matmul", "unsqueeze",
                                         "lt", "masked_fill", "relu"]),
    (tensors(lambda x, y: padded_scores(x, y, call=lambda a, b: a.add_(b)), T, (2, 6)),
     ["operator.gt", "masked_fill", "transpose", "operator.matmul", "unsqueeze", "lt", "masked_fill", "relu"]),
    (tensors(OfMatrices(), T), ["operator.matmul", "sum", "operator.mul", "operator.add"]),
    (tensors(lambda x: masked_scores(x, lowest=LOWEST), T), ["transpose", "operator.matmul", "masked_fill", "softmax"]),
    (tensors(lambda x, y: (x @ x.transpose(1, 2) + ((1.0 - y) * LOWEST).unsqueeze(1)).softmax(-1), T, (2, 6)),
     ["transpose", "operator.matmul", "operator.sub", "mul", "unsqueeze", "add", "softmax"]),
    (tensors(lambda x, y: (torch.where(y > 0, 0.0, LOWEST).unsqueeze(1) + x @ x.transpose(1, 2)).softmax(-1), T,
             (2, 6)),
     ["operator.gt", "float", "torch.full_like", "masked_fill", "unsqueeze", "transpose", "operator.matmul", "add",
      "softmax"]),
    (tensors(lambda x: masked_scores(x, call=lambda a, b: F.dropout((a + b).unsqueeze(1), 0.1, False)), T),
     ["transpose", "operator.matmul", "unsqueeze", "F.dropout", "masked_fill", "softmax"]),
    (tensors(lambda x, y: (x @ x.transpose(1, 2)).masked_fill(y > 0, -math.inf).reshape(1, 2, 6, 6).relu(), T, (6,)),
     ["transpose", "operator.matmul", "operator.gt", "expand", "reshape", "reshape", "masked_fill", "relu"]),
    (tensors(lambda x, y: (x @ x.transpose(1, 2) + ((1.0 - y) * LOWEST).unsqueeze(1)).view(1, 2, 6, 6).softmax(-1), T,
             (2, 6)),
     ["transpose", "operator.matmul", "operator.sub", "unsqueeze", "expand", "view", "mul", "view", "add", "softmax"]),
    (tensors(lambda x, y: torch.max(x @ x.transpose(1, 2) + ((1.0 - y) * LOWEST).unsqueeze(1),
                                    torch.tensor(LOWEST)).view(1, 2, 6, 6).softmax(-1), T, (2, 6)),
     ["transpose", "operator.matmul", "operator.sub", "unsqueeze", "expand", "view", "mul", "view", "add", "softmax"]),
    (tensors(lambda x: torch.max(masked_scores_alone(x, LOWEST), torch.tensor(LOWEST)).view(1, 2, 6, 6).softmax(-1), T),
     ["transpose", "operator.matmul", "view", "masked_fill", "softmax"]),
    (tensors(lambda x, y: (x + 1).add_(y, alpha=0.5).relu(), (4,), (4,)), ["operator.add", "mul", "add", "relu"]),
    (tensors(lambda x, y: (x + 1).add_(y).relu(), (4,), (4,)), ["operator.add", "add_", "relu"]),
    (tensors(lambda x, y: padded_scores(x, y, 0.5, torch.add), T, (2, 6)),
     ["operator.gt", "masked_fill", "transpose", "operator.matmul", "unsqueeze", "lt", "masked_fill", "add",
      "masked_fill", "relu"]),
    (tensors(nn.Sequential(nn.Conv2d(8, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(0)), (8, 6, 6)),
     ["torch.unsqueeze", "f.0", "f.1", "f.2", "torch.squeeze", "f.3"]),
    (tensors(lambda x: F.adaptive_max_pool1d(x, 2).relu(), (6, 8)),
     ["operator.getitem", "F.adaptive_max_pool1d", "relu", "operator.getitem"]),
    (tensors(lambda x: x * x.size(-1) ** -0.5, T), ["operator.mul"]),
    (tensors(lambda x: x.view(x.size(0), -1), T), ["size", "view"]),
    (tensors(lambda i: i * 1.0, items(3)), ["float", "operator.mul"]),
    (tensors(lambda i: torch.where(i > 1, i, 0.5), items(3)), ["operator.gt", "float", "torch.where"]),
    (tensors(scale_mask, items(3)), ["operator.gt", "long", "operator.mul", "operator.add"]),
    (tensors(lambda i: i * 2 + i, items(3)), ["operator.mul", "operator.add"]),
    (tensors(lambda x, i: x * i, (3,), items(3)), ["operator.mul"]),
]


def model_of(f, count):
    """A module whose forward has so many arguments by name, as torch.fx wants it."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = f
    names = "xyz"[:count]
    exec(f"def forward(self, {', '.join(names)}): return self.f({', '.join(names)})", scope := {})
    Model.forward = scope["forward"]
    return Model().eval()


def flat(values):
    if isinstance(values, (tuple, list)):
        return [y for x in values for y in flat(x)]
    return [values]


def inputs_for(shapes, seed):
    torch.manual_seed(seed)
    whole = seed == 2  # many zeros, ties and negative integers
    return [torch.randint(0, 4, shape[0]) if shape[-1] == INT else
            torch.randint(-2, 3, shape).float() if whole else torch.randn(shape) for shape in shapes]


def export(f, shapes):
    model = model_of(f, len(shapes))
    exported = Exporter(copy.deepcopy(model), [s[0] if s[-1] == INT else s for s in shapes],
                        dtypes=[torch.int64 if s[-1] == INT else torch.float32 for s in shapes])
    return model, exported, exported.content()


def name_in_patterns(name):
    """Of a call, as backends have it in patterns."""
    for prefix, whole in ("F.", "torch.nn.functional."), ("nn.", "torch.nn."), ("operator.", "_operator."):
        if name.startswith(prefix):
            return whole + name[len(prefix):]
    return name


def calls_of_backend(ctq):
    """What the native backend quantizes."""
    shown = subprocess.run([ctq, "show", "native", "--json"], capture_output=True, text=True, check=True)

    def calls(pattern):
        return {pattern} if isinstance(pattern, str) else {call for part in pattern for call in calls(part)}
    return {call for config in json.loads(shown.stdout)["configs"] for call in calls(config["pattern"])}


def called_by(row):
    return row["module"]["type"] if "module" in row else row["target"]


def check_floats(rows, written, quantized):
    """No call is quantized that a decomposition has written, unless its original is it, or is quantized as it is."""
    own = {node.name: original for node, original in written.items()}
    for row in rows:
        original, name = own.get(row["name"]), called_by(row)
        assert original is None or name_in_patterns(name) not in quantized or name == original or (
            name in QUANTIZED.get(original, ())), f"{original} is written with {name}, which backends quantize"


def check(case, ctq, folder, written, quantized):
    f, shapes = case
    written.clear()
    model, exported, rows = export(f, shapes)
    check_floats(rows, written, quantized)
    for seed in range(3):
        inputs = inputs_for(shapes, seed)
        with torch.no_grad():
            wanted = flat(model(*(x.clone() for x in inputs)))
            got = flat(outputs_of(exported.graph, exported.model, inputs, exported.changed_modules))
        assert len(wanted) == len(got), (len(wanted), len(got))
        for a, b in zip(wanted, got):
            assert a.shape == b.shape, (a.shape, b.shape)
            assert torch.allclose(a.double(), b.double(), 1e-4, 1e-5, equal_nan=True), (seed, a, b)
            assert a.is_floating_point() == b.is_floating_point(), (a.dtype, b.dtype)
    write_rows(folder / "model.json", rows)
    exported.weights()
    done = subprocess.run([ctq, "import", "--fx", folder / "model.json"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


def main():
    warnings.filterwarnings("ignore")
    ctq = sys.argv[1]
    torch.fx.symbolic_trace(model_of(lambda x: left_as_call(x), 1))  # the code that this makes wraps it, too
    names = function_names()
    used, written = set(), {}  # by node: the call in whose place it is

    def note_nodes(args):
        builder = next(x for x in flat(args) if isinstance(x, torch.fx.Proxy)).tracer
        node = builder.replaced
        original = (class_name(type(builder.model.get_submodule(node.target))) if node.op == "call_module"
                    else target_of(node, names))
        written.update((added, original) for added in builder.added)
    for table in decompositions.DECOMPOSITIONS, decompositions.MODULES:
        for key, decompose in table.items():
            @functools.wraps(decompose)
            def noted(*args, _decompose=decompose, **named):
                try:
                    result = _decompose(*args, **named)
                except decompositions.Undecomposed:
                    used.add(_decompose)
                    raise
                if result is not None:
                    used.add(_decompose)
                    note_nodes(args)
                return result
            table[key] = noted
    every = {d.__wrapped__ for table in (decompositions.DECOMPOSITIONS, decompositions.MODULES)
             for d in table.values()}
    quantized = calls_of_backend(ctq)
    with tempfile.TemporaryDirectory() as folder:
        for i, case in enumerate([*CASES, *IN_PLACE, *(case for case, _ in WRITTEN_AS)]):
            try:
                check(case, ctq, Path(folder), written, quantized)
            except Exception as e:
                line = getattr(getattr(case[0], "__code__", None), "co_firstlineno", "")
                raise AssertionError(f"case {i}, {case}, line {line}: {e}") from e
    # Parameters stay parameters, which another model may have trained.
    read = {row["target"] for row in export(norm(nn.InstanceNorm1d, 6, track_running_stats=True), [T])[2]
            if row["op"] == "get_attr"}
    assert {"f.running_mean", "f.running_var"} <= read, read
    for (f, shapes), targets in WRITTEN_AS:
        rows = export(f, shapes)[2]
        called = [row["target"] for row in rows if row["op"].startswith("call")]
        assert called == targets, called
    assert [row["target"] for row in export(torch.linalg.inv, [(3, 3)])[2]][1] == "torch.linalg.inv"
    for (f, shapes), words in REFUSED:
        try:
            export(f, shapes)
        except NotExpressible as e:
            assert words in str(e), e
        else:
            raise AssertionError(f"{words}: it is not refused")
    if not DeformConv2d:
        every.remove(decompositions.DECOMPOSITIONS["torchvision.deform_conv2d"].__wrapped__)
    missing = [d for d in every if d not in used]
    assert not missing, missing


main()
