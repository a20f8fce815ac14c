// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/int16_sum.hpp"
#include "ctq/kernels/reference/binary_add.hpp"

namespace ctq::kernels::reference {

/// int16_sum of one pair; a, b and the result in -128 … 127.
[[nodiscard]] inline int add_int16(const int16_sum& s, int a, int b) noexcept {
  const auto part = [](int x, int multiplier) { return (x * 256 * multiplier + (1 << 14)) >> 15; };
  const auto saturate = [](int x) { return std::clamp(x, -32768, 32767); };
  int sum = saturate(saturate(part(b, s.multiplier_b) + s.start) + part(a, s.multiplier_a));
  for (int i = s.fraction; i < 8; ++i) sum = saturate(2 * sum);
  return sum >> 8;
}

/// As binary_add on integers, but in the cheaper arithmetic of int16_sum: the same bytes on every
/// instruction set, each at most 1 away from that of binary_add. If the scales are too far apart
/// for int16_sum, it calls binary_add. out may be a or b.
template <quantized Q>
inline void binary_add_within_one_step(elementwise_shape shape, const Q* a, const qparams& a_q,
                                       const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                       bool relu) noexcept {
  constexpr int offset = std::is_signed_v<Q> ? 0 : 128;
  const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
  // The operand with the smaller scale comes second, where the sum must not saturate.
  if (a_q.scale < b_q.scale) {
    return binary_add_within_one_step(shape, b, b_q, a, a_q, out_q, out, relu);
  }
  const int16_sum sum(a_q.scale, a_q.zero_point - offset, b_q.scale, b_q.zero_point - offset, to,
                      out_q.zero_point - offset);
  if (!sum.usable()) return binary_add(shape, a, a_q, b, b_q, out_q, out, relu);
  const output_range range = output_range_of(to);
  for (int i = 0; i < shape.count; ++i) {
    out[i] = static_cast<Q>(
        std::clamp(add_int16(sum, a[i] - offset, b[i] - offset) + offset, range.lo, range.hi));
  }
}

}  // namespace ctq::kernels::reference
