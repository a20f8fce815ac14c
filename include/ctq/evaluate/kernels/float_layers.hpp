// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/kernels/layer_functions.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/evaluate/kernels/layer_shape.hpp"
#include "ctq/evaluate/kernels/packed_recurrent.hpp"

// Layers on floats for the float ops: computed by a kernel if one has the shape, else by the loops
// of float_ops.

namespace ctq::float_layers {

/// A convolution.
///   Calls  has layer(shape, input, weight, bias)
///   state  points to a Calls
template <class Calls>
[[nodiscard]] result<float_ops::tensor> convolution(void* state, const float_ops::tensor& in,
                                                    const float_ops::value& weight,
                                                    const float_ops::value& bias,
                                                    const float_ops::convolution_options& o) {
  const auto w = weight.share<float_ops::tensor>();
  const auto* const b = bias.get_if<float_ops::tensor>();
  const bool symmetric = o.padding_end.empty() || o.padding_end == o.padding;
  if (symmetric && float_ops::convolving::check(in, *w, b, o, false).empty()) {
    const window_steps steps{o.stride, o.padding, o.dilation, o.groups};
    auto* const calls = static_cast<Calls*>(state);
    if (const auto s = convolution_layer(in.shape, w->shape, steps))
      return calls->layer(*s, in, w, b);
    if (const auto s = conv3d_layer(in.shape, w->shape, steps)) return calls->layer(*s, in, w, b);
  }
  return float_ops::convolution(in, *w, b, o);
}

/// The same for a linear layer.
template <class Calls>
[[nodiscard]] result<float_ops::tensor> linear(void* state, const float_ops::tensor& in,
                                               const float_ops::value& weight,
                                               const float_ops::value& bias) {
  const auto w = weight.share<float_ops::tensor>();
  const auto* const b = bias.get_if<float_ops::tensor>();
  const auto s = linear_layer(in.shape, w->shape);
  const bool fits = b == nullptr || b->data.size() == static_cast<std::size_t>(w->shape[0]);
  if (!s || !fits) return float_ops::linear(in, *w, b);
  return static_cast<Calls*>(state)->layer(*s, in, w, b);
}

/// The same for a recurrent network.
///   Calls  has recurrent(kernel, shape, sequence, initial state, weights)
template <class Calls>
[[nodiscard]] std::optional<std::vector<float>> recurrent(
    void* state, const recurrent_shape& s, span<const float> sequence, span<const float> initial,
    span<const float_ops::recurrent_product> products) {
  std::vector<recurrent_weight_values> weights;
  for (const float_ops::recurrent_product& p : products) weights.push_back({p.weight, p.bias});
  return static_cast<Calls*>(state)->recurrent(kernel::rnn, s, sequence, initial, weights);
}

}  // namespace ctq::float_layers
