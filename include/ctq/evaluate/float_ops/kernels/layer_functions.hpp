// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/kernels/operands.hpp"

// How an evaluator gives float ops its kernels: functions that compute layers.

namespace ctq::float_ops {

/// The weight of the inputs of a recurrent cell or of its hidden states, and the bias or None.
struct recurrent_product {
  value weight, bias;
};

/// Functions for the ops that take nearly all the time of a model. Null means the loops of
/// float_ops, which accumulate in double. Modules composed of these ops use them, too.
///   state         passed to the functions
///   weight, bias  tensors that stay the same from call to call, so that values derived from them
///                 can be cached; bias may be None
///   recurrent     a network of LSTM, GRU or RNN cells: what kernel::rnn returns for a sequence and
///                 an initial state; nullopt: no kernel computes it. The products are those of
///                 each cell, that of its inputs first
///   kernel        runs a kernel of float_kernels.hpp; null: its reference
struct layer_functions {
  void* state{};
  result<tensor> (*convolution)(void* state, const tensor& in, const value& weight,
                                const value& bias, const convolution_options& o){};
  result<tensor> (*linear)(void* state, const tensor& in, const value& weight, const value& bias){};
  std::optional<std::vector<float>> (*recurrent)(void* state, const recurrent_shape& s,
                                                 span<const float> sequence,
                                                 span<const float> initial,
                                                 span<const recurrent_product> products){};
  void (*kernel)(void* state, const kernel_signature& signature, const ctq::operands& x){};
};

}  // namespace ctq::float_ops
