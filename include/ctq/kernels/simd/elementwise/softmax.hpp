// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/reference/softmax.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/elementwise/exponential.hpp"
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace softmax_rows {

/// The 16 elements of a row from the i-th on, contiguous. Of those after the end `rest` has
/// copies, with `filler` for elements that are not there.
[[nodiscard, gnu::always_inline]] inline const float* elements(const softmax_shape& s,
                                                               const float* row, int i,
                                                               float filler, float* rest) noexcept {
  constexpr int lanes = reference::row_sums;
  if (s.step == 1 && i + lanes <= s.count) return row + i;
  for (int j = 0; j < lanes; ++j)
    rest[j] = i + j < s.count ? row[static_cast<std::ptrdiff_t>(i + j) * s.step] : filler;
  return rest;
}

/// The other way round.
[[gnu::always_inline]] inline void store(const softmax_shape& s, const float* from, float* row,
                                         int i) noexcept {
  constexpr int lanes = reference::row_sums;
  const int count = s.count - i < lanes ? s.count - i : lanes;
  for (int j = 0; j < count; ++j) row[static_cast<std::ptrdiff_t>(i + j) * s.step] = from[j];
}

/// Replaces the elements of a row by f of them, of a register or of one.
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void for_each(const softmax_shape& s, float* row, F f) noexcept {
  using floats = batch<Isa, float>;
  constexpr int width = static_cast<int>(floats::size);
  int i = 0;
  if (s.step == 1) {
    for (; i + width <= s.count; i += width)
      f(floats::load_unaligned(row + i)).store_unaligned(row + i);
  }
  for (; i < s.count; ++i) {
    float& x = row[static_cast<std::ptrdiff_t>(i) * s.step];
    x = f(x);
  }
}

}  // namespace softmax_rows

namespace softmax_rows {

/// Rows first … first + Rows - 1.
template <vectorized Isa, int Rows>
[[gnu::always_inline]] inline void softmax(softmax_shape s, std::ptrdiff_t first, const float* in,
                                           float* out) noexcept {
  using row = row_lanes<Isa>;
  using floats = typename row::floats;
  constexpr int lanes = row::lanes, width = row::width, registers = row::registers;
  const float* x[Rows];
  float* y[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    const std::ptrdiff_t at = (first + k) / s.step * s.step * s.count + (first + k) % s.step;
    x[k] = in + at;
    y[k] = out + at;
  });
  const int whole = s.step == 1 ? s.count / lanes * lanes : 0;
  alignas(64) float rest[lanes];

  // A NaN makes the sum NaN, whatever the maximum is.
  row most[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { most[k] = row(*x[k]); });
  const auto compare = [&](int k, const float* from) __attribute__((always_inline)) {
    unroll<registers>([&](auto r) __attribute__((always_inline)) {
      most[k].part[r] = xsimd::max(floats::load_unaligned(from + r * width), most[k].part[r]);
    });
  };
  for (int i = 0; i < whole; i += lanes)
    unroll<Rows>([&](auto k) __attribute__((always_inline)) { compare(k, x[k] + i); });
  for (int i = whole; i < s.count; i += lanes)
    unroll<Rows>([&](auto k) __attribute__((always_inline)) {
      compare(k, elements(s, x[k], i, *x[k], rest));
    });

  floats subtracted[Rows];
  row sum[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    subtracted[k] = floats(most[k].largest());
    sum[k] = row(0.0F);
  });
  const auto exponentials = [&](int k, const float* from, float* to)
      __attribute__((always_inline)) {
    unroll<registers>([&](auto r) __attribute__((always_inline)) {
      const floats shifted = floats::load_unaligned(from + r * width) - subtracted[k];
      const floats e = exp_of_negative<Isa>(shifted);
      sum[k].part[r] += e;
      (s.logarithm != 0 ? shifted : e).store_unaligned(to + r * width);
    });
  };
  for (int i = 0; i < whole; i += lanes)
    unroll<Rows>([&](auto k)
                     __attribute__((always_inline)) { exponentials(k, x[k] + i, y[k] + i); });
  const float nothing = -__builtin_huge_valf();  // its exp is 0
  for (int i = whole; i < s.count; i += lanes)
    unroll<Rows>([&](auto k) __attribute__((always_inline)) {
      alignas(64) float kept[lanes];
      exponentials(k, elements(s, x[k], i, nothing, rest), kept);
      store(s, kept, y[k], i);
    });

  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    const float total = sum[k].sum();
    if (s.logarithm != 0) {
      const auto log = static_cast<float>(log_of_sum(static_cast<double>(total)));
      for_each<Isa>(
          s, y[k], [log](auto z) __attribute__((always_inline)) { return z - decltype(z)(log); });
    } else {
      const float factor = 1.0F / total;
      for_each<Isa>(
          s, y[k], [factor](auto z) __attribute__((always_inline)) {
            return z * decltype(z)(factor);
          });
    }
  });
}

}  // namespace softmax_rows

/// As reference::softmax, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void softmax(const softmax_shape& s, const float* in, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::softmax(s, in, out);
  } else {
    for_rows_together<Isa>(
        s.rows, [&](auto rows, std::ptrdiff_t first) __attribute__((always_inline)) {
          softmax_rows::softmax<Isa, rows>(s, first, in, out);
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
