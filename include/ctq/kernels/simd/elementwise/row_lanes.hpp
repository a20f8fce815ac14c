// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/softmax.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/first_lanes.hpp"
#include "ctq/kernels/xsimd.hpp"

// The 16 partial results of a row of floats in registers: what softmax and layer_norm have in
// common. In a chain of additions each one waits for the one before, so several rows are computed
// together.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// Elements i, i + 1, …, i + 15 of a row, or a partial result of each.
template <vectorized Isa>
struct row_lanes {
  using floats = batch<Isa, float>;
  static constexpr int lanes = reference::row_sums;
  static constexpr int width = static_cast<int>(floats::size);
  static constexpr int registers = lanes / width;
  /// Rows of which the compiler can keep partial results in registers.
  static constexpr int rows_together = registers == 4 ? 2 : 4;

  floats part[registers];

  [[gnu::always_inline]] row_lanes() noexcept = default;
  [[gnu::always_inline]] explicit row_lanes(float x) noexcept {
    unroll<registers>([&](auto r) __attribute__((always_inline)) { part[r] = floats(x); });
  }
  /// The sum of the partial results, as reference::fold_sums.
  [[nodiscard, gnu::always_inline]] float sum() const noexcept {
    return folded(
        [](const four& x, const four& y) __attribute__((always_inline))->four { return x + y; });
  }
  /// The largest of them, if none is NaN.
  [[nodiscard, gnu::always_inline]] float largest() const noexcept {
    return folded([](const four& x, const four& y) __attribute__((always_inline))->four {
      return x > y ? x : y;
    });
  }

 private:
  typedef float four [[gnu::vector_size(16)]];

  /// Combines the second half with the first until one value is left.
  template <class Op>
  [[nodiscard, gnu::always_inline]] float folded(Op op) const noexcept {
    alignas(64) float all[lanes];
    unroll<registers>([&](auto r) __attribute__((always_inline)) {
      part[r].store_unaligned(all + r * width);
    });
    four x[4];
    std::memcpy(x, all, sizeof x);
    const four rows = op(op(x[0], x[2]), op(x[1], x[3]));
    const four two = op(rows, __builtin_shufflevector(rows, rows, 2, 3, 0, 1));
    const four one = op(two, __builtin_shufflevector(two, two, 1, 0, 3, 2));
    return one[0];
  }
};

/// Calls f(i, lanes) for the register that begins at each element i = 0, width, … < count of a row.
///   lanes  all_lanes, or first_lanes
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void for_each_register(int count, F f) noexcept {
  constexpr int width = row_lanes<Isa>::width;
  int i = 0;
  for (; i + width <= count; i += width) f(i, all_lanes<Isa>{});
  if (i < count) f(i, first_lanes<Isa>(count - i));
}

/// Calls f(row, r, i, lanes) for the registers r of each 16 elements of `Rows` rows; i is its first
/// element. row and r are constants.
template <vectorized Isa, int Rows, class F>
[[gnu::always_inline]] inline void for_each_part(int count, F f) noexcept {
  using row = row_lanes<Isa>;
  const int whole = count / row::lanes * row::lanes;
  for (int i = 0; i < whole; i += row::lanes)
    unroll<Rows, row::registers>([&](auto k, auto r) __attribute__((always_inline)) {
      f(k, r, i + r * row::width, all_lanes<Isa>{});
    });
  if (whole < count)
    unroll<Rows, row::registers>([&](auto k, auto r) __attribute__((always_inline)) {
      const int i = whole + r * row::width;
      f(k, r, i, first_lanes<Isa>(count - i));
    });
}

/// Calls f(integral_constant<rows>, first row) for all rows: `Together` rows at a time, then the
/// rest one by one.
template <int Together, class F>
[[gnu::always_inline]] inline void for_rows_together(std::ptrdiff_t rows, F f) noexcept {
  std::ptrdiff_t row = 0;
  for (; row + Together <= rows; row += Together) f(std::integral_constant<int, Together>{}, row);
  for (; row < rows; ++row) f(std::integral_constant<int, 1>{}, row);
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
