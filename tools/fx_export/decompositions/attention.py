# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose masks depend on inputs, and other forms of nn.MultiheadAttention that ctq has no op for.

PyTorch leaves these modules in float: so do these calls, none of which a backend has in a pattern."""

import inspect
import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F

from fx_export.decompositions.table import decomposes, decomposes_module, dtype_of, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import reshaped, selected


def weight_of(x, tensor, change):
    """A parameter that is changed: the result is exported as a parameter."""
    return None if tensor is None else x.tracer.as_parameter(change(x.tracer.attribute(tensor)))


def masked(scores, mask):
    """Scores [N, heads, L, S] with a mask, of bool or added to them."""
    return scores.masked_fill(mask, -math.inf) if dtype_of(mask) == torch.bool else scores.add(mask)


@decomposes("F.scaled_dot_product_attention")
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """A function of PyTorch 2. A bool mask is True where a key takes part, unlike those of nn.MultiheadAttention."""
    if attn_mask is None and not enable_gqa:
        return None
    if dropout_p != 0:
        raise Undecomposed("dropout_p is 0 in inference")
    if enable_gqa:
        heads = size_of(query)[-3]
        key, value = (selected(x, -3, [i * size_of(x)[-3] // heads for i in range(heads)]) for x in (key, value))
    if attn_mask is None:
        return F.scaled_dot_product_attention(query, key, value, is_causal=is_causal, scale=scale)
    if is_causal:
        raise Undecomposed("attn_mask beside is_causal")
    scores = torch.einsum("...ld,...sd->...ls", query, key).mul(
        1 / math.sqrt(size_of(query)[-1]) if scale is None else scale)
    excluded = attn_mask.logical_not() if dtype_of(attn_mask) == torch.bool else attn_mask
    return torch.einsum("...ls,...sd->...ld", masked(scores, excluded).softmax(-1), value)


def attend(module, query, key, value, key_padding_mask=None, attn_mask=None):
    """The output and the shares [N, heads, L, S] of nn.MultiheadAttention."""
    embed, heads, batch = module.embed_dim, module.num_heads, "" if rank_of(query) == 2 else "n"
    length, scale = embed // heads, 1 / math.sqrt(embed // heads)

    def axes(row):
        return f"n{row}e" if batch and module.batch_first else f"{row}{batch}e"

    def projected(x, i, name, row):
        whole = module.in_proj_weight if module._qkv_same_embed_dim else getattr(module, name)
        first = i * embed if module._qkv_same_embed_dim else 0
        weight = weight_of(x, whole, lambda w: w[first:first + embed].reshape(heads, length, -1))
        y = torch.einsum(f"{axes(row)},hde->{batch}h{row}d", x, weight)
        bias = weight_of(x, module.in_proj_bias,
                         lambda b: b[i * embed:(i + 1) * embed].reshape(heads, 1, length))
        return y if bias is None else y.add(bias)

    q = projected(query, 0, "q_proj_weight", "l")
    k = projected(key, 1, "k_proj_weight", "s")
    v = projected(value, 2, "v_proj_weight", "s")
    scores = torch.einsum(f"{batch}hld,{batch}hsd->{batch}hls", q, k).mul(scale)
    if attn_mask is not None:
        if rank_of(attn_mask) == 3:
            attn_mask = reshaped(attn_mask, *[-1] * len(batch), heads, *size_of(attn_mask)[1:])
        scores = masked(scores, attn_mask)
    if key_padding_mask is not None:
        scores = masked(scores, key_padding_mask[:, None, None] if batch else key_padding_mask)
    count = size_of(scores)[-1]
    bias_k, bias_v = (weight_of(query, bias, lambda b: b.reshape(heads, 1, length))
                      for bias in (module.bias_k, module.bias_v))
    more = []  # keys that no mask excludes
    if bias_k is not None:
        more.append(torch.einsum(f"{batch}hld,hsd->{batch}hls", q, bias_k).mul(scale))
    if module.add_zero_attn:
        more.append(torch.zeros(*size_of(scores)[:-1], 1))
    shares = (torch.concat([scores, *more], -1) if more else scores).softmax(-1)
    of_keys = shares.narrow(-1, 0, count) if more else shares
    read = torch.einsum(f"{batch}hls,{batch}hsd->{batch}lhd", of_keys, v)
    if bias_v is not None:
        read = read.add(torch.einsum(f"{batch}hls,hsd->{batch}lhd", shares.narrow(-1, count, 1), bias_v))
    out = weight_of(query, module.out_proj.weight,
                    lambda w: w.reshape(-1, heads, length).permute(1, 2, 0))
    y = torch.einsum(f"{batch}lhd,hde->{axes('l')}", read, out)
    bias = query.tracer.attribute(module.out_proj.bias)
    return (y if bias is None else y.add(bias)), shares


def masks_of(builder, module, call):
    """The values of the masks of a call, by name; None for one that inputs decide."""
    given = inspect.signature(module.forward).bind(*call.args, **call.kwargs).arguments
    return {name: builder.constant(builder.proxy(mask)) for name, mask in given.items()
            if name.endswith("mask") and mask is not None}


def are_parameters(x, module):
    """Whether the masks of a module are parameters of it: constants of two axes, the same in all of its calls, and
    none of padding."""
    builder = x.tracer
    masks = masks_of(builder, module, builder.replaced)
    if any(mask is None or mask.dim() != 2 or "padding" in name for name, mask in masks.items()):
        return False

    def has_same(call):
        others = masks_of(builder, module, call)
        return others.keys() == masks.keys() and all(
            other is not None and torch.equal(other, masks[name]) for name, other in others.items())
    return all(map(has_same, builder.calls_of_module()))


def with_shares(module, need_weights, average_attn_weights, *arguments):
    """The pair that attention returns, the output and its shares or None."""
    y, shares = attend(module, *arguments)
    if not need_weights:
        return y, None
    return y, shares.sum(-3).mul(1 / module.num_heads) if average_attn_weights else shares


@decomposes_module("MultiheadAttention")
def multihead_attention(module, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                        average_attn_weights=True, is_causal=False):
    if module._qkv_same_embed_dim and module.bias_k is None and not module.add_zero_attn and (
            are_parameters(query, module)):
        return None
    return with_shares(module, need_weights, average_attn_weights, query, key, value, key_padding_mask, attn_mask)


@decomposes("F.multi_head_attention_forward")
def multi_head_attention_forward(
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
        dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True,
        attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None,
        static_k=None, static_v=None, average_attn_weights=True, is_causal=False):
    """What CLIP's attention pool calls."""
    if static_k is not None or static_v is not None:
        raise Undecomposed("static_k or static_v")
    module = SimpleNamespace(
        embed_dim=embed_dim_to_check, num_heads=num_heads, batch_first=False, bias_k=bias_k, bias_v=bias_v,
        add_zero_attn=add_zero_attn, in_proj_weight=in_proj_weight, in_proj_bias=in_proj_bias,
        _qkv_same_embed_dim=not use_separate_proj_weight, q_proj_weight=q_proj_weight, k_proj_weight=k_proj_weight,
        v_proj_weight=v_proj_weight, out_proj=SimpleNamespace(weight=out_proj_weight, bias=out_proj_bias))
    return with_shares(module, need_weights, average_attn_weights, query, key, value, key_padding_mask, attn_mask)
