// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/core/dtype.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/ops/op.hpp"

// Functions of one number on integers of 8 bits: computed once for each of the 256 integers, then
// looked up for each element.

namespace ctq::quantized_values {

inline constexpr std::size_t count = 256;

[[nodiscard]] inline bool has_table(const quantization& steps) {
  const quant_range r = range_of(steps.dtype);
  return !steps.is_per_channel() && steps.float_zero_point.empty() &&
         r.max - r.min == static_cast<decltype(r.max)>(count - 1);
}

/// Whether the op is such a function, and its input has more elements than there are integers.
[[nodiscard]] inline bool has_table(op_id op, const std::vector<node_value>& reads) {
  const op_functions& f = op->descriptor->functions;
  const quantized_tensor* const in = reads.size() == 1 ? reads[0].integers() : nullptr;
  return op->builtin && f.elementwise && f.tensors == 1 && in != nullptr &&
         in->q.data.size() > count && has_table(in->steps);
}

/// All integers of the dtype, in their order.
/// Requires  has_table(steps)
[[nodiscard]] inline quantized_tensor all(const quantization& steps) {
  quantized_tensor out{steps, float_ops::filled<std::int32_t>({static_cast<int>(count)})};
  auto q = static_cast<std::int32_t>(range_of(steps.dtype).min);
  for (std::int32_t& x : out.q.data) x = q++;
  return out;
}

/// The same, dequantized.
[[nodiscard]] inline std::vector<float_ops::value> floats(const quantized_tensor& in) {
  return {dequantize(all(in.steps))};
}

/// Looks up each element of `in` in the table, which was computed from all(in.steps).
[[nodiscard]] inline result<node_value> looked_up(const result<node_value>& from,
                                                  const quantized_tensor& in) {
  if (!from) return from;
  const quantized_tensor& table = *from->integers();
  quantized_tensor out{table.steps, in.q};
  const auto first = static_cast<std::int32_t>(range_of(in.steps.dtype).min);
  const std::int32_t* const values = table.q.data.data();
  for (std::int32_t& x : out.q.data) x = values[x - first];
  return node_value(std::move(out));
}

}  // namespace ctq::quantized_values
