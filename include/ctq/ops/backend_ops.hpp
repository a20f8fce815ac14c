// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/attention.hpp"
#include "ctq/ops/concatenations.hpp"
#include "ctq/ops/convolutions.hpp"
#include "ctq/ops/embeddings.hpp"
#include "ctq/ops/linear.hpp"
#include "ctq/ops/norms.hpp"
#include "ctq/ops/pass_ops.hpp"
#include "ctq/ops/pools.hpp"
#include "ctq/ops/recurrent.hpp"
#include "ctq/ops/reductions.hpp"
#include "ctq/ops/resizes.hpp"
#include "ctq/ops/views.hpp"

// The families of ops that PyTorch's backends quantize: the ops that the passes and the backends
// refer to.

/// OP(namespace, base, identifier, PyTorch's qualified name, options, descriptor) for each of these
/// ops that a file can name.
#define CTQ_BACKEND_OPS(OP) \
  CTQ_ACTIVATIONS(OP)       \
  CTQ_ARITHMETIC(OP)        \
  CTQ_CONVOLUTIONS(OP)      \
  CTQ_LINEAR_OPS(OP)        \
  CTQ_ATTENTION(OP)         \
  CTQ_NORMS(OP)             \
  CTQ_POOLS(OP)             \
  CTQ_VIEWS(OP)             \
  CTQ_CONCATENATIONS(OP)    \
  CTQ_RESIZES(OP)           \
  CTQ_EMBEDDINGS(OP)        \
  CTQ_RECURRENT_OPS(OP)     \
  CTQ_REDUCTIONS(OP)
