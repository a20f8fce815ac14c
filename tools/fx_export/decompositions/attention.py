# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose masks depend on inputs, and other forms of nn.MultiheadAttention and nn.Transformer that
ctq has no op for. PyTorch leaves these modules in float: so do these calls, none of which a backend has in
a pattern."""

import inspect
import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from fx_export.decompositions.table import decomposes, decomposes_module, dtype_of, rank_of, size_of, Undecomposed
from fx_export.decompositions.views import reshaped, selected


def weight_of(x, tensor, change):
    """A changed parameter, which becomes one itself."""
    return None if tensor is None else x.tracer.as_parameter(change(x.tracer.attribute(tensor)))


def affine(x, layer):
    product = x.matmul(weight_of(x, layer.weight, lambda w: w.t()))
    return product if layer.bias is None else product.add(x.tracer.attribute(layer.bias))


def normal(x, norm):
    """nn.LayerNorm of the last axis. (Backends have torch.mean in patterns, sums in none.)"""
    count = size_of(x)[-1]
    centered = x.sub(x.sum(-1, True).mul(1 / count))
    y = centered.mul(centered.mul(centered).sum(-1, True).mul(1 / count).add(norm.eps).rsqrt())
    if norm.weight is not None:
        y = y.mul(x.tracer.attribute(norm.weight))
    return y if getattr(norm, "bias", None) is None else y.add(x.tracer.attribute(norm.bias))


def masked(scores, mask):
    """Scores [N, heads, L, S] with a mask of bool, or one that is added."""
    return scores.masked_fill(mask, -math.inf) if dtype_of(mask) == torch.bool else scores.add(mask)


@decomposes("F.scaled_dot_product_attention")
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """Of PyTorch 2. A bool mask is True where a key takes part, unlike those of nn.MultiheadAttention."""
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
    """By name, the values of the masks of a call; None of one that inputs decide."""
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
    """The tuple that attention returns."""
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
    """As CLIP's attention pool calls it."""
    if static_k is not None or static_v is not None:
        raise Undecomposed("static_k or static_v")
    module = SimpleNamespace(
        embed_dim=embed_dim_to_check, num_heads=num_heads, batch_first=False, bias_k=bias_k, bias_v=bias_v,
        add_zero_attn=add_zero_attn, in_proj_weight=in_proj_weight, in_proj_bias=in_proj_bias,
        _qkv_same_embed_dim=not use_separate_proj_weight, q_proj_weight=q_proj_weight, k_proj_weight=k_proj_weight,
        v_proj_weight=v_proj_weight, out_proj=SimpleNamespace(weight=out_proj_weight, bias=out_proj_bias))
    return with_shares(module, need_weights, average_attn_weights, query, key, value, key_padding_mask, attn_mask)


def is_known(layer):
    """Whether ctq has an op for a layer of a transformer, as far as its activation decides."""
    activation = layer.activation
    return activation in (torch.nn.functional.relu, torch.relu, torch.nn.functional.gelu) or (
        isinstance(activation, (nn.ReLU, nn.GELU)) and getattr(activation, "approximate", "none") == "none")


def needs(x, module, parts):
    """Whether a module, of layers or containers of them, is written with other calls: not those of the user's
    own."""
    layers = [layer for part in parts for layer in getattr(part, "layers", [part])]
    norms = [getattr(part, "norm", None) for part in parts]
    if not all(type(layer) in (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer) for layer in layers) or (
            not all(norm is None or type(norm) is nn.LayerNorm for norm in norms)):
        return False
    return not all(map(is_known, layers)) or not are_parameters(x, module)


def layer_of(module, x, parts):
    """parts: for each norm, what is added to x."""
    for norm, part in parts:
        x = x.add(part(normal(x, norm))) if module.norm_first else normal(x.add(part(x)), norm)
    return x


def feed_forward(module, x):
    """With clip(min=0) as relu, which backends have in patterns."""
    activation = module.activation
    is_relu = activation in (F.relu, torch.relu) or isinstance(activation, nn.ReLU)
    x = affine(x, module.linear1)
    return affine(x.clip(min=0) if is_relu else activation(x), module.linear2)


def encoder_layer(module, src, src_mask=None, src_key_padding_mask=None):
    return layer_of(module, src, [
        (module.norm1, lambda x: attend(module.self_attn, x, x, x, src_key_padding_mask, src_mask)[0]),
        (module.norm2, lambda x: feed_forward(module, x))])


def decoder_layer(module, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None):
    return layer_of(module, tgt, [
        (module.norm1, lambda x: attend(module.self_attn, x, x, x, tgt_key_padding_mask, tgt_mask)[0]),
        (module.norm2, lambda x: attend(module.multihead_attn, x, memory, memory, memory_key_padding_mask,
                                        memory_mask)[0]),
        (module.norm3, lambda x: feed_forward(module, x))])


@decomposes_module("TransformerEncoderLayer")
def transformer_encoder_layer(module, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
    if not needs(src, module, [module]):
        return None
    return encoder_layer(module, src, src_mask, src_key_padding_mask)


@decomposes_module("TransformerDecoderLayer")
def transformer_decoder_layer(module, tgt, memory, tgt_mask=None, memory_mask=None,
                              tgt_key_padding_mask=None, memory_key_padding_mask=None,
                              tgt_is_causal=False, memory_is_causal=False):
    masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
    return decoder_layer(module, tgt, memory, *masks) if needs(tgt, module, [module]) else None


def all_layers(module, layer, x, *others):
    for own in module.layers:
        x = layer(own, x, *others)
    return x if module.norm is None else normal(x, module.norm)


@decomposes_module("TransformerEncoder")
def transformer_encoder(module, src, mask=None, src_key_padding_mask=None, is_causal=None):
    if not needs(src, module, [module]):
        return None
    return all_layers(module, encoder_layer, src, mask, src_key_padding_mask)


@decomposes_module("TransformerDecoder")
def transformer_decoder(module, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                        memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
    masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
    if not needs(tgt, module, [module]):
        return None
    return all_layers(module, decoder_layer, tgt, memory, *masks)


@decomposes_module("Transformer")
def transformer(module, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None,
                tgt_is_causal=None, memory_is_causal=False):
    masks = tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
    if not needs(src, module, [module.encoder, module.decoder]):
        return None
    memory = all_layers(module.encoder, encoder_layer, src, src_mask, src_key_padding_mask)
    return all_layers(module.decoder, decoder_layer, tgt, memory, *masks)
