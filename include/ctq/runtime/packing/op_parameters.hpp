// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/runtime/state_dict.hpp"

// The tensors of an op whose functions a kernel calls, packed as ctq::parameter_layout says.

namespace ctq::packing {

/// Calls visit(index in memory, index with the channel axis in front) for each element.
template <class Visit>
void for_each_by_channel(const shape& s, int channel_axis, Visit visit) {
  std::size_t outer = 1;
  std::size_t inner = 1;
  for (int axis = 0; axis < s.rank; ++axis)
    if (axis != channel_axis)
      (axis < channel_axis ? outer : inner) *= static_cast<std::size_t>(s[axis]);
  const auto channels = static_cast<std::size_t>(s[channel_axis]);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < inner; ++i)
        visit((o * channels + c) * inner + i, (c * outer + o) * inner + i);
}

/// Packs a weight as integers with their scales, and as the floats that they represent.
template <int = 0>
[[gnu::cold]] void pack_quantized(const op_descriptor& d, const parameter_layout_of& l,
                                  span<const std::int8_t> weight, span<const float> scale,
                                  std::byte* packed) {
  std::vector<float> dequantized(weight.size());
  const std::size_t per_channel = scale.empty() ? 0 : weight.size() / scale.size();
  for_each_by_channel(l.parameters.item[l.weight].shape, d.channel_axis,
                      [&](std::size_t at, std::size_t by_channel) {
                        dequantized[at] =
                            static_cast<float>(weight[at]) * scale[by_channel / per_channel];
                      });
  std::memcpy(packed + l.floats[l.weight], dequantized.data(), dequantized.size() * sizeof(float));
  std::memcpy(packed + l.integers, weight.data(), weight.size());
  std::memcpy(packed + l.scales, scale.data(), scale.size_bytes());
}

/// Packs the tensors of a node, and stores in `data` where they are.
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] status pack_op_parameters(const node& n, const state_dict& state,
                                                   bool on_integers, step_data& data,
                                                   std::byte* packed) {
  const op_descriptor& d = *n.op->descriptor;
  if (d.parameters == nullptr) return done{};
  data.parameters = parameter_layout(d, n.attrs, on_integers);
  const parameter_layout_of& l = data.parameters;
  for (int p = 0; p < l.parameters.count; ++p) {
    const op_parameter& parameter = l.parameters.item[p];
    const span<const int> shape(parameter.shape.extent,
                                static_cast<std::size_t>(parameter.shape.rank));
    const std::string name = std::string{n.name} + "." + std::string{parameter.name};
    if (p == l.weight) {
      const auto weight = state.integers(name, shape);
      if (!weight) return unexpected{weight.error()};
      const auto scale =
          state.scales(std::string{n.name} + ".weight_scale", {{parameter.shape[d.channel_axis]}});
      if (!scale) return unexpected{scale.error()};
      pack_quantized(d, l, *weight, *scale, packed);
    } else {
      const auto values = state.floats(name, shape);
      if (!values) return unexpected{values.error()};
      std::memcpy(packed + l.floats[p], values->data(), values->size_bytes());
    }
  }
  return done{};
}

}  // namespace ctq::packing
