# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of nn.Transformer that ctq has no op for: with masks that depend on inputs, or with another activation.

PyTorch leaves these modules in float: so do these calls, none of which a backend has in a pattern."""

import torch
import torch.nn.functional as F
from torch import nn

from fx_export.decompositions.attention import are_parameters, attend, weight_of
from fx_export.decompositions.table import decomposes_module, size_of


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
    """clip(min=0) stands for relu, which backends have in patterns."""
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
