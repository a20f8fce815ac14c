// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/recurrent/recurrent_products.hpp"
#include "ctq/runtime/state_dict.hpp"

// The tensors of a recurrent layer, by PyTorch's names, and how they are packed.

namespace ctq {

/// The names of the weight of a product and of its bias, if the module has any.
struct recurrent_weight {
  linear_shape product{};
  std::string weight, bias;
};

/// The weights in the order in which they are packed: for each layer and direction that of the
/// input, then that of the hidden state.
template <int = 0>
[[nodiscard, gnu::cold]] list<recurrent_weight> recurrent_weights(const recurrent_shape& s,
                                                                  const node& n) {
  list<recurrent_weight> all;
  const op_parameters parameters = n.op->descriptor->parameters(n.attrs);
  const int each = parameters.count / s.cells();
  const auto name = [&](int p) {
    return std::string{n.name} + "." + std::string{parameters.item[p].name};
  };
  for (int cell = 0; cell < s.cells(); ++cell)
    for (int part = 0; part < 2; ++part) {
      const int p = cell * each + part;
      all.push_back({part == 0 ? input_product(s, cell / s.directions) : state_product(s), name(p),
                     each == 4 ? name(p + 2) : std::string{}});
    }
  return all;
}

namespace packing {

/// The bias of a product, zeros if it has none.
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<float>> bias_of(const recurrent_weight& w,
                                                            const state_dict& state) {
  const int rows = w.product.out_features;
  if (w.bias.empty()) return std::vector<float>(static_cast<std::size_t>(rows));
  const auto given = state.floats(w.bias, {{rows}});
  if (!given) return unexpected{given.error()};
  return std::vector<float>(given->begin(), given->end());
}

/// The quantized weight of a product.
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] result<quantized_weight_view> weight_of(const recurrent_weight& w,
                                                                 const state_dict& state) {
  const int rows = w.product.out_features;
  const auto weight = state.integers(w.weight, {{rows, w.product.in_features}});
  if (!weight) return unexpected{weight.error()};
  const auto scale = state.scales(w.weight + "_scale", {{rows}});
  if (!scale) return unexpected{scale.error()};
  return quantized_weight_view{*weight, *scale};
}

/// Packs the weights of a recurrent layer.
/// Errors  as state_dict::floats; with the node: as check_sums
template <int = 0>
[[nodiscard, gnu::cold]] status pack_recurrent(const kernel_packing& kernels, const step& s,
                                               const node& n, const state_dict& state,
                                               std::byte* packed) {
  for (const recurrent_weight& w : recurrent_weights(s.signature.as<recurrent_shape>(), n)) {
    const auto bias = bias_of(w, state);
    if (!bias) return unexpected{bias.error()};
    const kernel_signature signature = recurrent_product_signature(s.signature.kernel, w.product);
    if (s.signature.kernel != kernel::rnn_dynamic) {
      const auto weight = state.floats(w.weight, {{w.product.out_features, w.product.in_features}});
      if (!weight) return unexpected{weight.error()};
      kernels.pack(signature, {weight->data(), bias->data(), nullptr}, packed);
    } else {
      const auto weight = weight_of(w, state);
      if (!weight) return unexpected{weight.error()};
      if (const status ok = check_sums(*weight); !ok)
        return fail(place_of(n) + ", " + ok.error().place, ok.error().cause);
      kernels.pack(signature, {weight->weight.data(), bias->data(), weight->scale.data()}, packed);
    }
    packed += padded(kernels.packed_bytes(signature));
  }
  return done{};
}

}  // namespace packing

}  // namespace ctq
