// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/argmax.hpp"
#include "ctq/kernels/simd/pooling/reduction.hpp"

namespace ctq::kernels::simd {

/// The first of the largest or smallest elements so far, in each lane. Indices are floats, which
/// are exact up to max_index.
template <class Isa>
struct first_extremes {
  using lanes = batch<Isa, float>;
  static constexpr int max_index = 1 << 24;

  lanes best;
  lanes where;

  [[gnu::always_inline]] void take(bool largest, const lanes& value, const lanes& at) noexcept {
    const lanes other = largest ? larger(best, value) : smaller(best, value);
    const auto stays = xsimd::isnan(best);
    const auto moves = (largest ? value > best : value < best) | xsimd::isnan(value);
    where = xsimd::select(stays, where, xsimd::select(moves, at, where));
    best = xsimd::select(stays, best, other);
  }
};

/// Reduces elements that are `stride` apart, a register of adjacent results at a time; the last
/// register overlaps the one before.
/// Requires  r.stride is at least the lanes of a register
template <class Isa>
[[gnu::always_inline]] inline void argmax_of_rows(const reduced_rows& r, bool largest,
                                                  const float* in, std::int64_t* out) noexcept {
  using extremes_type = first_extremes<Isa>;
  using lanes = typename extremes_type::lanes;
  constexpr int n = static_cast<int>(lanes::size);
  const std::ptrdiff_t stride = r.stride;
  for (std::ptrdiff_t row = 0; row < r.rows; ++row)
    for (std::ptrdiff_t i = 0; i < stride; i += n) {
      const std::ptrdiff_t at = i < stride - n ? i : stride - n;
      const float* const x = in + row * r.count * stride + at;
      extremes_type first{lanes::load_unaligned(x), lanes(0.0F)};
      for (int k = 1; k < r.count; ++k)
        first.take(largest, lanes::load_unaligned(x + k * stride), lanes(static_cast<float>(k)));
      float where[n];
      first.where.store_unaligned(where);
      for (int k = 0; k < n; ++k) out[row * stride + at + k] = static_cast<std::int64_t>(where[k]);
    }
}

/// Reduces contiguous rows: each lane takes every n-th element, and the results of the lanes are
/// compared at the end.
/// Requires  r.count is at least the lanes of a register
template <class Isa>
[[gnu::always_inline]] inline void argmax_of_contiguous(const reduced_rows& r, reduction_rule rule,
                                                        const float* in,
                                                        std::int64_t* out) noexcept {
  using extremes_type = first_extremes<Isa>;
  using lanes = typename extremes_type::lanes;
  constexpr int n = static_cast<int>(lanes::size);
  float start[n];
  for (int k = 0; k < n; ++k) start[k] = static_cast<float>(k);
  for (std::ptrdiff_t row = 0; row < r.rows; ++row, in += r.count) {
    extremes_type first{lanes::load_unaligned(in), lanes::load_unaligned(start)};
    lanes at = first.where;
    int i = n;
    for (; i <= r.count - n; i += n) {
      at = at + lanes(static_cast<float>(n));
      first.take(rule == reduction_rule::max, lanes::load_unaligned(in + i), at);
    }
    float best[n], where[n];
    first.best.store_unaligned(best);
    first.where.store_unaligned(where);
    int chosen = 0;
    for (int k = 1; k < n; ++k) {
      const bool is_equal = !reference::comes_before(rule, best[chosen], best[k]);
      if (reference::comes_before(rule, best[k], best[chosen]) ||
          (is_equal && where[k] < where[chosen]))
        chosen = k;
    }
    auto index = static_cast<std::int64_t>(where[chosen]);
    float extreme = best[chosen];
    for (; i < r.count; ++i) {
      if (!reference::comes_before(rule, in[i], extreme)) continue;
      extreme = in[i];
      index = i;
    }
    out[row] = index;
  }
}

/// As reference::argmax, index for index.
template <class Isa>
[[gnu::always_inline]] inline void argmax(const reduction_shape& s, const float* in,
                                          std::int64_t* out) noexcept {
  if constexpr (vectorized<Isa>) {
    constexpr int n = static_cast<int>(batch<Isa, float>::size);
    const reduced_rows r = reduced_rows_of(s);
    const bool fits = r.adjacent && r.count <= first_extremes<Isa>::max_index;
    if (fits && r.stride >= n)
      return argmax_of_rows<Isa>(r, s.rule == reduction_rule::max, in, out);
    if (fits && r.stride == 1 && r.count >= n) return argmax_of_contiguous<Isa>(r, s.rule, in, out);
  }
  reference::argmax(s, in, out);
}

}  // namespace ctq::kernels::simd
