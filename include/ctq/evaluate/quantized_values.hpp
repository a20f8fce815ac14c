// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
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
  return op->builtin && f.elementwise && f.tensors == 1 && in != nullptr && in->size() > count &&
         has_table(in->qparams);
}

/// All integers of the dtype, in the order of their bytes: of qint8 those from 0 come first.
/// Requires  has_table(qparams)
[[nodiscard]] inline quantized_tensor all(const tensor_qparams& qparams) {
  return quantized_tensor::of(qparams, {static_cast<int>(count)}, []<class Q>(Q* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Q>(i);
  });
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
  const auto* const first = in.as<std::uint8_t>();
  const auto* const last = first + in.size();
  return node_value(quantized_tensor::of(table.qparams, in.shape(), [&]<class Q>(Q* to) {
    std::array<Q, count> values;  // a copy, which the stores cannot change
    table.read([&](const auto* q) {
      std::transform(q, q + count, values.begin(), [](auto one) { return static_cast<Q>(one); });
    });
    std::transform(first, last, to, [&](std::uint8_t byte) { return values[byte]; });
  }));
}

}  // namespace ctq::quantized_values
