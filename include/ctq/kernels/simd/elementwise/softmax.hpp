// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/softmax.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/elementwise/exponential.hpp"
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace softmax_rows {

/// Loads a register of elements from the i-th of a row on, which are not contiguous; lanes after
/// the end of the row become `filler`.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> gather(const softmax_shape& s,
                                                                  const float* row, int i,
                                                                  float filler) noexcept {
  constexpr int width = row_lanes<Isa>::width;
  float all[width];
  for (int j = 0; j < width; ++j)
    all[j] = i + j < s.count ? row[static_cast<std::ptrdiff_t>(i + j) * s.stride] : filler;
  return batch<Isa, float>::load_unaligned(all);
}

/// Stores the lanes of x as elements from the i-th of a row on, up to its end.
template <vectorized Isa>
[[gnu::always_inline]] inline void scatter(const softmax_shape& s, const batch<Isa, float>& x,
                                           float* row, int i) noexcept {
  constexpr int width = row_lanes<Isa>::width;
  float all[width];
  x.store_unaligned(all);
  const int count = std::min(s.count - i, width);
  for (int j = 0; j < count; ++j) row[static_cast<std::ptrdiff_t>(i + j) * s.stride] = all[j];
}

/// Replaces each element x of a row by f(x). f takes a register of elements, or one element.
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void for_each(const softmax_shape& s, float* row, F f) noexcept {
  if (s.stride != 1) {
    for (std::ptrdiff_t i = 0; i < s.count; ++i) row[i * s.stride] = f(row[i * s.stride]);
    return;
  }
  for_each_register<Isa>(
      s.count, [&](int i, const auto& lanes) __attribute__((always_inline)) {
        lanes.store(f(lanes.load(row + i, 0.0F)), row + i);
      });
}

/// Computes rows first … first + Rows - 1.
template <vectorized Isa, int Rows>
[[gnu::always_inline]] inline void softmax(softmax_shape s, std::ptrdiff_t first, const float* in,
                                           float* out) noexcept {
  using row = row_lanes<Isa>;
  using floats = typename row::floats;
  constexpr float nothing = -__builtin_huge_valf();  // its exp is 0
  const float* x[Rows];
  float* y[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    const std::ptrdiff_t at = (first + k) / s.stride * s.stride * s.count + (first + k) % s.stride;
    x[k] = in + at;
    y[k] = out + at;
  });
  // Calls f(k, r, register, store) for the elements in register r of each 16 of row k.
  const auto for_registers = [&](auto f) __attribute__((always_inline)) {
    if (s.stride == 1) {
      for_each_part<Isa, Rows>(
          s.count, [&](int k, int r, int i, const auto& lanes) __attribute__((always_inline)) {
            f(
                k, r,
                lanes.load(x[k] + i, nothing), [&](const floats& z) __attribute__((always_inline)) {
                  lanes.store(z, y[k] + i);
                });
          });
      return;
    }
    for (int begin = 0; begin < s.count; begin += row::lanes)
      unroll<Rows, row::registers>([&](auto k, auto r) __attribute__((always_inline)) {
        const int i = begin + r * row::width;
        f(
            k, r,
            gather<Isa>(s, x[k], i, nothing), [&](const floats& z) __attribute__((always_inline)) {
              scatter<Isa>(s, z, y[k], i);
            });
      });
  };

  // A NaN makes the sum NaN, whatever the maximum is.
  row most[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { most[k] = row(*x[k]); });
  for_registers([&](int k, int r, const floats& z, const auto&) __attribute__((always_inline)) {
    most[k].part[r] = xsimd::max(z, most[k].part[r]);
  });

  floats subtracted[Rows];
  row sum[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    subtracted[k] = floats(most[k].largest());
    sum[k] = row(0.0F);
  });
  for_registers([&](int k, int r, const floats& z, const auto& store)
                    __attribute__((always_inline)) {
                      const floats shifted = z - subtracted[k];
                      const floats e = exp_of_negative<Isa>(shifted);
                      sum[k].part[r] += e;
                      // Two calls of store: if one stored either value, g++ 12 would write both to
                      // memory and choose there.
                      if (s.logarithm != 0) {
                        store(shifted);
                      } else {
                        store(e);
                      }
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
    for_rows_together<row_lanes<Isa>::rows_together>(
        s.rows, [&](auto rows, std::ptrdiff_t first) __attribute__((always_inline)) {
          softmax_rows::softmax<Isa, rows>(s, first, in, out);
        });
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
