// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/reference/layer_norm.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace norm_rows {

/// Whether the next Rows rows and their outputs are prefetched: a short row ends before the
/// hardware prefetcher reaches the next (128 x 512, four rows on Zen 5: 6.0 instead of 7.1 us;
/// two rows on Zen 4: 10.5 instead of 10.8). No gain where registers are narrower than a cache
/// line.
template <class Isa, int Rows>
inline constexpr bool fetches = Rows >= 2 && row_lanes<Isa>::registers == 1;

/// sums[k] = Σ f(k, i, lanes) over the registers that begin at each i, 0 in lanes after the row.
template <vectorized Isa, int Rows, class F>
[[gnu::always_inline]] inline void sum(int count, F f, float (&sums)[Rows]) noexcept {
  row_lanes<Isa> partial[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { partial[k] = row_lanes<Isa>(0.0F); });
  for_each_part<Isa, Rows>(
      count, [&](int k, int r, int i, const auto& lanes)
                 __attribute__((always_inline)) { partial[k].part[r] += f(k, i, lanes); });
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { sums[k] = partial[k].sum(); });
}

/// y = y * (weight * inverse) + bias, rounded twice, for rows from which the mean was subtracted.
///   at     the first element of the first row in the tensor
///   ahead  elements from y to the results of the next rows, or 0
template <vectorized Isa, int Rows>
[[gnu::always_inline]] inline void scale(layer_norm_shape s, std::ptrdiff_t at,
                                         const float (&inverse)[Rows], const float* weight,
                                         const float* bias, float* const (&y)[Rows],
                                         std::ptrdiff_t ahead) noexcept {
  using floats = batch<Isa, float>;
  const auto put = [](float* to, const auto& lanes, const floats& factor, const floats& added)
      __attribute__((always_inline)) {
    lanes.store(rounded<Isa>(lanes.load(to, 0.0F) * factor) + added, to);
  };
  if (s.pixels == 1 && s.channels == s.count) {
    return for_each_register<Isa>(
        s.count, [&](int i, const auto& lanes) __attribute__((always_inline)) {
          const floats of_all = weight == nullptr ? floats(1.0F) : lanes.load(weight + i, 0.0F);
          const floats added = bias == nullptr ? floats(0.0F) : lanes.load(bias + i, 0.0F);
          unroll<Rows>([&](auto k) __attribute__((always_inline)) {
            if constexpr (fetches<Isa, Rows>) __builtin_prefetch(y[k] + i + ahead, 1);
            put(y[k] + i, lanes, of_all * floats(inverse[k]), added);
          });
        });
  }
  const bool affine = weight != nullptr || bias != nullptr;
  for (int k = 0; k < Rows; ++k)
    for (int i = 0; i < s.count;) {
      const std::ptrdiff_t c = (at + std::ptrdiff_t{k} * s.count + i) / s.pixels % s.channels;
      const int run = affine ? std::min(s.pixels, s.count - i) : s.count;
      const floats factor(weight == nullptr ? inverse[k] : weight[c] * inverse[k]);
      const floats added(bias == nullptr ? 0.0F : bias[c]);
      for_each_register<Isa>(
          run, [&](int j, const auto& lanes)
                   __attribute__((always_inline)) { put(y[k] + i + j, lanes, factor, added); });
      i += run;
    }
}

/// Normalizes rows first … first + Rows - 1.
template <vectorized Isa, int Rows>
[[gnu::noinline]] void normalize(layer_norm_shape s, std::ptrdiff_t first, const float* in,
                                 const float* weight, const float* bias, float* out) noexcept {
  using floats = batch<Isa, float>;
  const float* x[Rows];
  float* y[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    x[k] = in + (first + k) * s.count;
    y[k] = out + (first + k) * s.count;
  });
  const std::ptrdiff_t ahead = first + 2 * Rows <= s.rows ? std::ptrdiff_t{Rows} * s.count : 0;
  const auto count = static_cast<float>(s.count);
  // What is subtracted from the elements of a row: first `origin`, its first element, then `mean`,
  // the mean of these differences.
  float origin[Rows], mean[Rows], sums[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { origin[k] = *x[k]; });
  sum<Isa>(
      s.count,
      [&](int k, int i, const auto& lanes) __attribute__((always_inline)) {
        return lanes.load(x[k] + i, origin[k]) - floats(origin[k]);
      },
      sums);
  unroll<Rows>([&](auto k) __attribute__((always_inline)) { mean[k] = sums[k] / count; });
  sum<Isa>(
      s.count,
      [&](int k, int i, const auto& lanes) __attribute__((always_inline)) {
        if constexpr (fetches<Isa, Rows>) __builtin_prefetch(x[k] + i + ahead);
        const floats centered = (lanes.load(x[k] + i, 0.0F) - floats(origin[k])) - floats(mean[k]);
        lanes.store(centered, y[k] + i);
        return lanes.only(rounded<Isa>(centered * centered));
      },
      sums);
  float inverse[Rows];
  unroll<Rows>([&](auto k) __attribute__((always_inline)) {
    inverse[k] = inverse_deviation(sums[k] / count, s.eps);
  });
  scale<Isa>(s, first * s.count, inverse, weight, bias, y, ahead);
}

}  // namespace norm_rows

/// As reference::layer_norm, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                                  const float* bias, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::layer_norm(s, in, weight, bias, out);
  } else if (s.count > 0) {
    const auto normalize = [&](auto rows, std::ptrdiff_t first) __attribute__((always_inline)) {
      norm_rows::normalize<Isa, rows>(s, first, in, weight, bias, out);
    };
    // Four long rows and their results fill the first-level cache (64 x 1024, Zen 5: 7.6 us, two
    // together 6.0; 128 x 512, Zen 4: 12.5, two together 10.5).
    if (s.count > 384) return for_rows_together<2>(s.rows, normalize);
    for_rows_together<row_lanes<Isa>::rows_together>(s.rows, normalize);
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
