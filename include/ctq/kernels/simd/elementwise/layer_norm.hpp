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

/// Whether the sums of the next rows are computed while rows are scaled, so that one waits for no
/// result of the other (128 x 512 on Zen 5: 4.8 instead of 5.7 us). Narrower registers do not hold
/// both.
template <class Isa>
inline constexpr bool overlaps = row_lanes<Isa>::registers == 1;

/// The mean of each of `Rows` rows, as the difference to the first element of the row.
template <vectorized Isa, int Rows>
class means {
  using floats = batch<Isa, float>;

 public:
  float origin[Rows]{};

  [[gnu::always_inline]] means(const float* first, int count) noexcept {
    unroll<Rows>([&](auto k) __attribute__((always_inline)) {
      x_[k] = first + std::ptrdiff_t{k} * count;
      origin[k] = *x_[k];
      partial_[k] = row_lanes<Isa>(0.0F);
    });
  }
  /// Adds the register r of the elements of row k, which begins at i.
  [[gnu::always_inline]] void add(int k, int r, int i, const auto& lanes) noexcept {
    partial_[k].part[r] += lanes.load(x_[k] + i, origin[k]) - floats(origin[k]);
  }
  [[gnu::always_inline]] void add_all(int count) noexcept {
    for_each_part<Isa, Rows>(
        count, [&](int k, int r, int i, const auto& lanes)
                   __attribute__((always_inline)) { add(k, r, i, lanes); });
  }
  [[nodiscard, gnu::always_inline]] float of(int k, int count) const noexcept {
    return partial_[k].sum() / static_cast<float>(count);
  }

 private:
  const float* x_[Rows]{};
  row_lanes<Isa> partial_[Rows];
};

/// y = y * (weight * inverse) + bias, rounded twice, for rows from which the mean was subtracted,
/// with a factor and a summand for each element.
///   also  also(k, i, lanes) is called for each register of row k
template <vectorized Isa, int Rows, class Also>
[[gnu::always_inline]] inline void scale_elements(int count, const float (&inverse)[Rows],
                                                  const float* weight, const float* bias, float* y,
                                                  Also also) noexcept {
  using floats = batch<Isa, float>;
  float* row[Rows];
  unroll<Rows>([&](auto k)
                   __attribute__((always_inline)) { row[k] = y + std::ptrdiff_t{k} * count; });
  for_each_register<Isa>(
      count, [&](int i, const auto& lanes) __attribute__((always_inline)) {
        const floats of_all = weight == nullptr ? floats(1.0F) : lanes.load(weight + i, 0.0F);
        const floats added = bias == nullptr ? floats(0.0F) : lanes.load(bias + i, 0.0F);
        unroll<Rows>([&](auto k) __attribute__((always_inline)) {
          also(k, i, lanes);
          const floats scaled = lanes.load(row[k] + i, 0.0F) * (of_all * floats(inverse[k]));
          lanes.store(rounded<Isa>(scaled) + added, row[k] + i);
        });
      });
}

/// The same with a factor and a summand for s.pixels elements each.
///   at  the first element of the row in the tensor
template <vectorized Isa>
[[gnu::noinline]] void scale_channels(layer_norm_shape s, std::ptrdiff_t at, float inverse,
                                      const float* weight, const float* bias, float* y) noexcept {
  using floats = batch<Isa, float>;
  const bool affine = weight != nullptr || bias != nullptr;
  for (int i = 0; i < s.count;) {
    const std::ptrdiff_t c = (at + i) / s.pixels % s.channels;
    const int run = affine ? std::min(s.pixels, s.count - i) : s.count;
    const floats factor(weight == nullptr ? inverse : weight[c] * inverse);
    const floats added(bias == nullptr ? 0.0F : bias[c]);
    for_each_register<Isa>(
        run, [&](int j, const auto& lanes) __attribute__((always_inline)) {
          lanes.store(rounded<Isa>(lanes.load(y + i + j, 0.0F) * factor) + added, y + i + j);
        });
    i += run;
  }
}

/// Normalizes rows first … end - 1, `Rows` at a time.
template <vectorized Isa, int Rows>
[[gnu::noinline]] void normalize(layer_norm_shape s, std::ptrdiff_t first, std::ptrdiff_t end,
                                 const float* in, const float* weight, const float* bias,
                                 float* out) noexcept {
  using floats = batch<Isa, float>;
  const auto count = static_cast<float>(s.count);
  const bool by_element = s.pixels == 1 && s.channels == s.count;
  means<Isa, Rows> now(in + first * s.count, s.count);
  now.add_all(s.count);
  for (; first < end; first += Rows) {
    const float* const x = in + first * s.count;
    float* const y = out + first * s.count;
    float mean[Rows], inverse[Rows];
    unroll<Rows>([&](auto k) __attribute__((always_inline)) { mean[k] = now.of(k, s.count); });
    row_lanes<Isa> squares[Rows];
    unroll<Rows>([&](auto k) __attribute__((always_inline)) { squares[k] = row_lanes<Isa>(0.0F); });
    for_each_part<Isa, Rows>(
        s.count, [&](int k, int r, int i, const auto& lanes) __attribute__((always_inline)) {
          const std::ptrdiff_t at = std::ptrdiff_t{k} * s.count + i;
          const floats centered =
              (lanes.load(x + at, 0.0F) - floats(now.origin[k])) - floats(mean[k]);
          lanes.store(centered, y + at);
          squares[k].part[r] += lanes.only(rounded<Isa>(centered * centered));
        });
    unroll<Rows>([&](auto k) __attribute__((always_inline)) {
      inverse[k] = inverse_deviation(squares[k].sum() / count, s.eps);
    });
    const bool has_next = first + Rows < end;
    means<Isa, Rows> next(has_next ? x + std::ptrdiff_t{Rows} * s.count : x, s.count);
    if (overlaps<Isa> && by_element && has_next) {
      scale_elements<Isa>(
          s.count, inverse, weight, bias,
          y, [&](int k, int i, const auto& lanes) __attribute__((always_inline)) {
            next.add(k, 0, i, lanes);
          });
    } else {
      if (by_element) {
        scale_elements<Isa>(s.count, inverse, weight, bias, y,
                            [](int, int, const auto&) __attribute__((always_inline)){});
      } else {
        for (int k = 0; k < Rows; ++k)
          scale_channels<Isa>(s, (first + k) * s.count, inverse[k], weight, bias,
                              y + std::ptrdiff_t{k} * s.count);
      }
      if (has_next) next.add_all(s.count);
    }
    now = next;
  }
}

}  // namespace norm_rows

/// As reference::layer_norm, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                                  const float* bias, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::layer_norm(s, in, weight, bias, out);
  } else if (s.count > 0) {
    constexpr int together = row_lanes<Isa>::rows_together;
    const std::ptrdiff_t whole = s.rows / together * together;
    if (whole > 0) norm_rows::normalize<Isa, together>(s, 0, whole, in, weight, bias, out);
    if (whole < s.rows) norm_rows::normalize<Isa, 1>(s, whole, s.rows, in, weight, bias, out);
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
