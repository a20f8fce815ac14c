// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/data_movement/pixel_shuffle.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// Moves one register's number of channels, `Factor`² elements each, from one small pixel to
/// `Factor`² large ones, or back. Interleaving register i with register i + parts / 2 rotates the
/// bits of each element's index by one.
///   small     the elements of the first of these channels
///   large     the same of the first pixel; pixels are `pixel` apart, rows of pixels `row`
template <class Isa, int Factor, class T, class Small, class Large>
[[gnu::always_inline]] inline void shuffle_channels(Small* small, Large* large,
                                                    std::ptrdiff_t pixel,
                                                    std::ptrdiff_t row) noexcept {
  using lanes = batch<narrowest_width<Isa>, T>;
  constexpr int n = static_cast<int>(lanes::size);
  constexpr int parts = Factor * Factor;
  constexpr bool gathers = std::is_const_v<Large>;
  constexpr unsigned places = gathers ? parts : n;
  std::array<lanes, parts> x, next;
  const auto large_at = [&](int part) __attribute__((always_inline)) {
    return large + part / Factor * row + part % Factor * pixel;
  };
  unroll<parts>([&](auto i) __attribute__((always_inline)) {
    if constexpr (gathers) {
      x[i] = lanes::load_unaligned(large_at(i));
    } else {
      x[i] = lanes::load_unaligned(small + i * n);
    }
  });
  unroll<std::bit_width(places) - 1>([&](auto) __attribute__((always_inline)) {
    unroll<parts / 2>([&](auto i) __attribute__((always_inline)) {
      next[2 * i] = xsimd::zip_lo(x[i], x[i + parts / 2]);
      next[2 * i + 1] = xsimd::zip_hi(x[i], x[i + parts / 2]);
    });
    x = next;
  });
  unroll<parts>([&](auto i) __attribute__((always_inline)) {
    if constexpr (gathers) {
      x[i].store_unaligned(small + i * n);
    } else {
      x[i].store_unaligned(large_at(i));
    }
  });
}

/// Images whose pixels have at least a register of channels. The last channels overlap others.
template <class Isa, int Factor, class T, class Small, class Large>
[[gnu::always_inline]] inline void shuffle_pixels(const pixel_shuffle_shape& s, Small* small,
                                                  Large* large) noexcept {
  constexpr int n = static_cast<int>(batch<narrowest_width<Isa>, T>::size);
  constexpr int parts = Factor * Factor;
  const std::ptrdiff_t row = std::ptrdiff_t{s.in_w} * Factor * s.channels;
  for (int y = 0; y < s.batch * s.in_h; ++y) {
    for (int x = 0; x < s.in_w; ++x) {
      for (int i = 0; i < s.channels; i += n) {
        const int c = i < s.channels - n ? i : s.channels - n;
        shuffle_channels<Isa, Factor, T>(small + c * parts, large + c, s.channels, row);
      }
      small += s.channels * parts;
      large += s.channels * Factor;
    }
    large += (Factor - 1) * row;
  }
}

/// As reference::pixel_shuffle. Factors 2 and 4 of many channels move registers.
template <class Isa, class T>
inline void pixel_shuffle(pixel_shuffle_shape s, const T* in, T* out) noexcept {
  if constexpr (vectorized<Isa>) {
    const auto run = [&](auto factor) __attribute__((always_inline)) {
      if (s.gathers != 0) {
        shuffle_pixels<Isa, factor, T>(s, out, in);
      } else {
        shuffle_pixels<Isa, factor, T>(s, in, out);
      }
    };
    if (s.channels >= static_cast<int>(batch<narrowest_width<Isa>, T>::size)) {
      if (s.factor == 2) return run(std::integral_constant<int, 2>{});
      if (s.factor == 4) return run(std::integral_constant<int, 4>{});
    }
  }
  reference::pixel_shuffle(s, in, out);
}

}  // namespace ctq::kernels::simd
