// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/runtime/fold.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/weights.hpp"

// The tensors that an op owns whose functions a kernel calls: packed one behind the other, as
// ctq::parameter_layout lays them out.

namespace ctq {

/// How the weight of a node is quantized; nothing of it where models compute in float.
struct weight_quantization {
  const observer_record* observer{};
  const dtype_with_constraints_record* constraints{};
  ctq::semantics semantics{};
};

namespace packing {

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

/// Packs the weight as integers, their scales, and as the floats that they stand for.
/// Errors  as quantize_weights
[[nodiscard]] inline status pack_quantized(const op_descriptor& d, const parameter_layout_of& l,
                                           const std::vector<float>& weight,
                                           const weight_quantization& how, std::byte* packed) {
  const shape& s = l.parameters.item[l.weight].shape;
  const auto channels = static_cast<std::size_t>(s[d.channel_axis]);
  folded_weights by_channel{
      .weight = std::vector<float>(weight.size()), .bias = {}, .outputs = channels};
  for_each_by_channel(s, d.channel_axis,
                      [&](std::size_t at, std::size_t to) { by_channel.weight[to] = weight[at]; });
  const auto q = quantize_weights(by_channel, *how.observer, *how.constraints, how.semantics);
  if (!q) return unexpected{q.error()};
  std::vector<float> real(weight.size());
  std::vector<std::int8_t> integers(weight.size());
  const std::size_t per_channel = weight.size() / channels;
  for_each_by_channel(s, d.channel_axis, [&](std::size_t at, std::size_t from) {
    integers[at] = q->weight[from];
    real[at] = static_cast<float>(integers[at]) * q->scale[from / per_channel];
  });
  std::memcpy(packed + l.floats[l.weight], real.data(), real.size() * sizeof(float));
  std::memcpy(packed + l.integers, integers.data(), integers.size());
  std::memcpy(packed + l.scales, q->scale.data(), channels * sizeof(float));
  return done{};
}

/// Packs the tensors of a node, and says in `data` where they are.
/// Errors  a tensor that is missing; as quantize_weights
[[nodiscard]] inline status pack_user_parameters(const node& n, const weights& w,
                                                 const weight_quantization& how, step_data& data,
                                                 std::byte* packed) {
  const op_descriptor& d = *n.op->descriptor;
  if (d.parameters == nullptr) return done{};
  data.parameters = parameter_layout(d, n.attrs, how.observer != nullptr);
  const parameter_layout_of& l = data.parameters;
  for (int p = 0; p < l.parameters.count; ++p) {
    const op_parameter& parameter = l.parameters.item[p];
    const weight_tensor* const given = w.find(n.name, parameter.name);
    if (given == nullptr || given->values.size() != numel(parameter.shape))
      return fail("tensor " + std::string{n.name} + "." + std::string{parameter.name},
                  given == nullptr ? "is missing" : "has another shape than the op says");
    if (p != l.weight) {
      std::memcpy(packed + l.floats[p], given->values.data(), given->values.size() * 4);
    } else if (const status ok = pack_quantized(d, l, given->values, how, packed); !ok) {
      return fail("node " + std::string{n.name} + ", " + ok.error().place, ok.error().cause);
    }
  }
  return done{};
}

}  // namespace packing

}  // namespace ctq
