// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/kernels/packed_layer.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/recurrent/recurrent_products.hpp"

// The weights of a recurrent network as its kernel reads them.

namespace ctq {

/// The weight of a product, [gates * hidden, inputs], and the bias of its rows.
struct recurrent_weight_values {
  node_value weight{};      // floats of kernel::rnn, integers of kernel::rnn_dynamic
  float_ops::value bias{};  // or None

  /// Shares ownership of the weight.
  [[nodiscard]] std::shared_ptr<const void> shared_weight() const {
    if (weight.integers() != nullptr) return weight.share_integers();
    return weight.real().share<float_ops::tensor>();
  }
};

/// Packs the weights of all cells: for each cell that of the inputs, then that of the hidden state.
/// Not exact if no kernel supports one of these weights, or a sum could leave int32.
///   recurrent  kernel::rnn or kernel::rnn_dynamic
[[nodiscard]] inline packed_layer pack_recurrent(const kernel_packing& kernels, kernel_id recurrent,
                                                 const recurrent_shape& s,
                                                 span<const recurrent_weight_values> weights) {
  std::vector<packed_layer> parts;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const int layer = static_cast<int>(i) / 2 / s.directions;
    const linear_shape product = i % 2 == 0 ? input_product(s, layer) : state_product(s);
    const auto outputs = static_cast<std::size_t>(product.out_features);
    const auto* const given = weights[i].bias.get_if<float_ops::tensor>();
    const std::vector<float> bias = given == nullptr ? std::vector<float>(outputs) : given->data;
    const kernel_signature signature = recurrent_product_signature(recurrent, product);
    if (recurrent == kernel::rnn) {
      const float_ops::value real = weights[i].weight.real();
      parts.push_back(layer_packing::packed_by(
          kernels, signature,
          {real.get_if<float_ops::tensor>()->data.data(), bias.data(), nullptr}));
    } else {
      const auto w = layer_packing::int8_of(*weights[i].weight.integers(), outputs, 0);
      if (!w || !check_sums({w->integers, w->scale})) return {};
      parts.push_back(layer_packing::packed_by(kernels, signature,
                                               {w->integers.data(), bias.data(), w->scale.data()}));
    }
    bytes += packing::padded(parts.back().bytes.size());
  }
  packed_layer all{aligned_buffer(bytes), true};
  std::byte* to = all.bytes.data();
  for (const packed_layer& p : parts) {
    std::memcpy(to, p.bytes.data(), p.bytes.size());
    to += packing::padded(p.bytes.size());
  }
  return all;
}

}  // namespace ctq
