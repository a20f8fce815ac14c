// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/backend_ops.hpp"
#include "ctq/ops/in_float/activations.hpp"
#include "ctq/ops/in_float/adaptive_max_pools.hpp"
#include "ctq/ops/in_float/addmm.hpp"
#include "ctq/ops/in_float/along_axes.hpp"
#include "ctq/ops/in_float/bilinear.hpp"
#include "ctq/ops/in_float/cumulative.hpp"
#include "ctq/ops/in_float/distances.hpp"
#include "ctq/ops/in_float/einsum.hpp"
#include "ctq/ops/in_float/extremes.hpp"
#include "ctq/ops/in_float/grid_sampling.hpp"
#include "ctq/ops/in_float/identities.hpp"
#include "ctq/ops/in_float/indexing.hpp"
#include "ctq/ops/in_float/integers.hpp"
#include "ctq/ops/in_float/local_response_norm.hpp"
#include "ctq/ops/in_float/masks.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "ctq/ops/in_float/pads.hpp"
#include "ctq/ops/in_float/pointwise.hpp"
#include "ctq/ops/in_float/rearrangements.hpp"
#include "ctq/ops/in_float/sliding_blocks.hpp"
#include "ctq/ops/in_float/sorting.hpp"
#include "ctq/ops/in_float/transformer_layers.hpp"
#include "ctq/ops/in_float/triangular.hpp"
#include "ctq/ops/in_float/upsampling.hpp"
#include "ctq/ops/in_float/views.hpp"
#include "ctq/ops/in_float/window_attention.hpp"

// All ops of ctq: those that have names in PyTorch, and those that only graphs contain. Ops that no
// backend quantizes are in headers of their own, so that plans without them do not pay for them.

/// OP(namespace, base, identifier, PyTorch's qualified name, options, descriptor), for each op that
/// a file can name.
#define CTQ_NAMED_OPS(OP)            \
  CTQ_BACKEND_OPS(OP)                \
  CTQ_FLOAT_ACTIVATIONS(OP)          \
  CTQ_FLOAT_NUMBERS(OP)              \
  CTQ_INTEGERS(OP)                   \
  CTQ_FLOAT_IDENTITIES(OP)           \
  CTQ_ADAPTIVE_MAX_POOLS(OP)         \
  CTQ_FLOAT_PADS(OP)                 \
  CTQ_FLOAT_VIEWS(OP)                \
  CTQ_REARRANGEMENTS(OP)             \
  CTQ_UPSAMPLING(OP)                 \
  CTQ_EXTREMES(OP)                   \
  CTQ_FLOAT_FUNCTIONS_ALONG_AXES(OP) \
  CTQ_MULTIHEAD_ATTENTION(OP)        \
  CTQ_TRANSFORMER_LAYERS(OP)         \
  CTQ_MASKS(OP)                      \
  CTQ_EINSUM(OP)                     \
  CTQ_WINDOW_ATTENTION(OP)           \
  CTQ_DISTANCES(OP)                  \
  CTQ_CUMULATIVE(OP)                 \
  CTQ_LOCAL_RESPONSE_NORMS(OP)       \
  CTQ_SLIDING_BLOCKS(OP)             \
  CTQ_TRIANGULAR(OP)                 \
  CTQ_INDEXING(OP)                   \
  CTQ_GRID_SAMPLING(OP)              \
  CTQ_BILINEAR(OP)                   \
  CTQ_SORTING(OP)                    \
  CTQ_ADDMM(OP)
