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

[[nodiscard]] inline bool has_table(const tensor_qparams& qparams) {
  const quant_range r = range_of(qparams.dtype);
  return !qparams.is_per_channel() && qparams.float_zero_point.empty() &&
         r.max - r.min == static_cast<decltype(r.max)>(count - 1);
}

/// Whether the op is such a function, and its input has more elements than there are integers.
[[nodiscard]] inline bool has_table(op_id op, const std::vector<node_value>& reads) {
  const op_functions& f = op->descriptor->functions;
  const quantized_tensor* const in = reads.size() == 1 ? reads[0].integers() : nullptr;
  return op->builtin && f.elementwise && f.tensors == 1 && in != nullptr &&
         in->q.data.size() > count && has_table(in->qparams);
}

/// All integers of the dtype, in their order.
/// Requires  has_table(qparams)
[[nodiscard]] inline quantized_tensor all(const tensor_qparams& qparams) {
  quantized_tensor out{qparams, float_ops::filled<std::int32_t>({static_cast<int>(count)})};
  auto q = static_cast<std::int32_t>(range_of(qparams.dtype).min);
  for (std::int32_t& x : out.q.data) x = q++;
  return out;
}

/// The same, dequantized.
[[nodiscard]] inline std::vector<float_ops::value> floats(const quantized_tensor& in) {
  return {dequantize(all(in.qparams))};
}

/// Looks up each element of `in` in the table, which was computed from all(in.qparams).
[[nodiscard]] inline result<node_value> looked_up(const result<node_value>& from,
                                                  const quantized_tensor& in) {
  if (!from) return from;
  const quantized_tensor& table = *from->integers();
  quantized_tensor out{table.qparams, in.q};
  const auto first = static_cast<std::int32_t>(range_of(in.qparams.dtype).min);
  const std::int32_t* const values = table.q.data.data();
  for (std::int32_t& x : out.q.data) x = values[x - first];
  return node_value(std::move(out));
}

}  // namespace ctq::quantized_values
