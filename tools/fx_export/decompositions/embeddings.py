# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeddings: rows of a table that indices choose."""

import torch

from fx_export.decompositions.table import decomposes, decomposes_module, rank_of, Undecomposed
from fx_export.decompositions.views import mean_of, unsqueezed


@decomposes("F.one_hot")
def one_hot(x, num_classes=-1):
    if num_classes < 0:
        raise Undecomposed("num_classes=-1, which values decide; give the number")
    return unsqueezed(x, -1).eq(torch.arange(num_classes)).long()


@decomposes("F.embedding")
def embedding(indices, weight, padding_idx=None, max_norm=None, *_, **__):
    if max_norm is not None:
        raise Undecomposed(f"max_norm={max_norm}")
    return weight[indices]


@decomposes("F.embedding_bag")
def embedding_bag(indices, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                  mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    if offsets is not None or max_norm is not None or padding_idx is not None or rank_of(indices) != 2:
        raise Undecomposed("offsets, max_norm or padding_idx")
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows.mul(unsqueezed(per_sample_weights, -1))
    return torch.amax(rows, (1,)) if mode == "max" else rows.sum(1) if mode == "sum" else mean_of(rows, 1)


@decomposes_module("EmbeddingBag")
def embedding_bag_module(module, indices, offsets=None, per_sample_weights=None):
    """A bag with weights of its rows."""
    if per_sample_weights is None:
        return None
    return embedding_bag(indices, indices.tracer.attribute(module.weight), offsets, module.max_norm,
                         mode=module.mode, per_sample_weights=per_sample_weights,
                         padding_idx=module.padding_idx)
