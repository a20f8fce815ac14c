// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/reference/reduction.hpp"
#include "ctq/kernels/simd/pooling/pooling_avg.hpp"
#include "ctq/kernels/simd/pooling/pooling_max.hpp"

namespace ctq::kernels::simd {

/// The reduced axis of a tensor [rows, count, stride]: each of rows * stride results is computed
/// from `count` elements that lie `stride` apart.
struct reduced_rows {
  int rows = 1;
  int count = 1;
  int stride = 1;
  bool adjacent = true;  // the reduced axes are; else the tensor has no such form
};

[[nodiscard, gnu::always_inline]] constexpr reduced_rows reduced_rows_of(
    const reduction_shape& s) noexcept {
  reduced_rows r;
  for (int a = s.in.rank; a-- > 0;) {
    if (s.in[a] == 1) continue;
    if (s.reduces(a)) {
      r.adjacent = r.adjacent && r.rows == 1;
      r.count *= s.in[a];
    } else {
      (r.count == 1 ? r.stride : r.rows) *= s.in[a];
    }
  }
  return r;
}

/// The minimum in each lane; `value` if that is NaN.
template <class Batch>
[[nodiscard, gnu::always_inline]] inline Batch smaller(const Batch& best,
                                                       const Batch& value) noexcept {
  if constexpr (std::floating_point<typename Batch::value_type>) {
    return xsimd::select((value < best) | xsimd::isnan(value), value, best);
  } else {
    return xsimd::min(best, value);
  }
}

/// Reduces elements that are `stride` apart, a register of adjacent results at a time; the last
/// register overlaps the one before.
/// Requires  r.stride is at least the lanes of a register
template <class Isa, class T>
[[gnu::always_inline]] inline void extremes_of_rows(const reduced_rows& r, bool largest,
                                                    const T* in, T* out) noexcept {
  using lanes = batch<Isa, T>;
  constexpr int n = static_cast<int>(lanes::size);
  const std::ptrdiff_t stride = r.stride;
  for (std::ptrdiff_t row = 0; row < r.rows; ++row)
    for (std::ptrdiff_t i = 0; i < stride; i += n) {
      const std::ptrdiff_t at = i < stride - n ? i : stride - n;
      const T* const x = in + row * r.count * stride + at;
      lanes best = lanes::load_unaligned(x);
      if (largest) {
        for (std::ptrdiff_t k = 0; k < r.count; ++k)
          best = larger(best, lanes::load_unaligned(x + k * stride));
      } else {
        for (std::ptrdiff_t k = 0; k < r.count; ++k)
          best = smaller(best, lanes::load_unaligned(x + k * stride));
      }
      best.store_unaligned(out + row * stride + at);
    }
}

/// Reduces contiguous rows.
template <class T>
[[gnu::always_inline]] inline void extremes_of_contiguous(const reduced_rows& r,
                                                          reduction_rule rule, const T* in,
                                                          T* out) noexcept {
  for (std::ptrdiff_t row = 0; row < r.rows; ++row, in += r.count) {
    T best = in[0];
    for (int i = 1; i < r.count; ++i) best = reference::replaces(rule, in[i], best) ? in[i] : best;
    out[row] = best;
  }
}

/// Computes the extremes if the reduced axes are adjacent, and either the last ones or followed by
/// enough elements to fill a register; returns whether it did.
template <class Isa, class T>
[[nodiscard, gnu::always_inline]] inline bool extremes(const reduction_shape& s, const T* in,
                                                       T* out) noexcept {
  const reduced_rows r = reduced_rows_of(s);
  const bool in_lanes = r.stride >= static_cast<int>(batch<Isa, T>::size);
  if (!r.adjacent || (r.stride > 1 && !in_lanes)) return false;
  if (in_lanes) {
    extremes_of_rows<Isa>(r, s.rule == reduction_rule::max, in, out);
  } else {
    extremes_of_contiguous(r, s.rule, in, out);
  }
  return true;
}

/// As reference::reduction on integers, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void reduction(const reduction_shape& s, const Q* in,
                                             const qparams& in_q, const qparams& out_q,
                                             Q* out) noexcept {
  constexpr int most = INT32_MAX / 256;  // elements, whose sum is within int32
  const reduced_rows r = reduced_rows_of(s);
  if constexpr (!vectorized<Isa>) {
    reference::reduction(s, in, in_q, out_q, out);
  } else if (s.rule == reduction_rule::max || s.rule == reduction_rule::min) {
    if (!extremes<Isa>(s, in, out)) reference::extremes(s, in, out);
  } else if (!r.adjacent || r.count > most) {
    reference::reduction(s, in, in_q, out_q, out);
  } else if (r.stride == 1) {
    const quantizer to = reference::sums_quantizer(s, r.count, in_q, out_q);
    for (std::ptrdiff_t row = 0; row < r.rows; ++row, in += r.count) {
      std::int32_t sum = 0;
      for (int i = 0; i < r.count; ++i) sum += in[i];
      sum -= r.count * in_q.zero_point;
      out[row] = reference::quantize<Q>(static_cast<float>(sum), to);
    }
  } else {
    simd::pooling_avg<Isa>(pool_shape{.batch = r.rows,
                                      .in_h = 1,
                                      .in_w = r.count,
                                      .channels = r.stride,
                                      .out_h = 1,
                                      .out_w = 1,
                                      .kernel_h = 1,
                                      .kernel_w = r.count,
                                      .divisor = s.rule == reduction_rule::mean ? r.count : 1},
                           in, in_q, out_q, out);
  }
}

/// As reference::reduction on floats, bit for bit. The reference itself computes sums, in an order
/// that suits registers.
template <class Isa>
[[gnu::always_inline]] inline void reduction(const reduction_shape& s, const float* in,
                                             float* out) noexcept {
  const bool compares = s.rule == reduction_rule::max || s.rule == reduction_rule::min;
  if constexpr (vectorized<Isa>)
    if (compares && extremes<Isa>(s, in, out)) return;
  reference::reduction(s, in, out);
}

}  // namespace ctq::kernels::simd
