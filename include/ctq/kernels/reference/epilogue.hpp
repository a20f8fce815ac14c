// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Definition of output ops and post-ops for a single value, and the layers that use them.

namespace ctq::kernels::reference {

template <quantized Q>
[[nodiscard]] inline Q apply_output_op(const requantize_per_channel<Q>& e, std::int32_t sum,
                                       float multiplier) noexcept {
  return static_cast<Q>(requantize(sum, multiplier, e.to));
}
[[nodiscard]] inline std::int32_t apply_output_op(const store_accumulators&, std::int32_t sum,
                                                  float) noexcept {
  return sum;
}

/// Applies a post-op. `index` is the position in the output.
template <quantized Q>
[[nodiscard]] inline Q apply(const residual_add<Q>& s, Q q, std::ptrdiff_t index) noexcept {
  const float sum = binary_add(q, s.from, s.other[index], s.other_q);
  return quantize<Q>(s.relu ? relu(sum) : sum, quantizer_of(s.to));
}
template <quantized Q>
[[nodiscard]] inline Q apply(const lookup_table<Q>& s, Q q, std::ptrdiff_t) noexcept {
  return s.table[static_cast<std::uint8_t>(q)];
}

template <class T>
[[nodiscard]] inline T apply(const post_op_chain<>&, T x, std::ptrdiff_t) noexcept {
  return x;
}
template <class T, class First, class... Next>
[[nodiscard]] inline T apply(const post_op_chain<First, Next...>& s, T x,
                             std::ptrdiff_t index) noexcept {
  return apply(s.next, apply(s.first, x, index), index);
}

/// 2-d convolution of 8-bit integers with an epilogue.
///
/// Shapes    as conv2d · multiplier [O], or null if the output op does not use it
template <class In, class OutputOp, class... PostOp>
void conv2d(const conv2d_shape& s, const In* in, const std::int8_t* weight,
            const std::int32_t* bias, const float* multiplier,
            const epilogue<OutputOp, PostOp...>& to, std::int32_t in_zero_point,
            typename OutputOp::output* out) {
  for_each_accumulator(
      s, in, weight, bias, in_zero_point, [&](int channel, std::ptrdiff_t index, std::int32_t sum) {
        const float m = multiplier == nullptr ? 0.0F : multiplier[channel];
        out[index] = apply(to.post_ops, apply_output_op(to.output_op, sum, m), index);
      });
}

}  // namespace ctq::kernels::reference
