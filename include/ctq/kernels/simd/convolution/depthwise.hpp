// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// Depthwise convolution: lanes are channels of both activations and weights. k_group taps of a
// kernel row at a time are interleaved, so that dot adds their products.

namespace ctq::kernels::simd {

/// Computes `Rows` pixels of one output row, for one block of lanes * k_group channels.
template <class Dot, int Rows, class To, class Out>
[[gnu::always_inline]] inline void depthwise_tile(const typename Dot::element* in,
                                                  const conv2d_shape& s, const strides& by,
                                                  const std::byte* block, const To& to, Out* out,
                                                  int used) {
  using vec = typename Dot::vec;
  constexpr std::size_t vec_bytes = block_layout<Dot>::vec_bytes;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};

  vec acc[Rows][Dot::k_group];
  unroll<Rows, Dot::k_group>([&](auto m, auto v) __attribute__((always_inline)) {
    acc[m][v] = Dot::load(block + v * vec_bytes);
  });

  const std::byte* weights = block + layout.weights();
  for (int row = 0; row < s.kernel_h; ++row) {
    for (int tap = 0; tap < s.kernel_w; tap += Dot::k_group) {
      unroll<Rows>([&](auto m) __attribute__((always_inline)) {
        const typename Dot::element* pixel = in + m * by.x + row * by.row;
        vec a[Dot::k_group];
        unroll<Dot::k_group>([&](auto j) __attribute__((always_inline)) {
          // Taps after the last one are multiplied by zero weights, so any address will do.
          a[j] = Dot::load(pixel + std::min(tap + j, s.kernel_w - 1) * by.tap);
        });
        Dot::interleave(a);
        unroll<Dot::k_group>([&](auto v) __attribute__((always_inline)) {
          acc[m][v] = Dot::dot(acc[m][v], a[v], Dot::load(weights + v * vec_bytes));
        });
      });
      weights += Dot::k_group * vec_bytes;
    }
  }

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const auto bounds = Dot::store_constants(to);
  unroll<Rows>([&](auto m) __attribute__((always_inline)) {
    Dot::store(acc[m], multiplier, bounds, out + m * by.out, used);
  });
}

template <class Dot, class To, class Out>
[[gnu::always_inline]] inline void depthwise(const conv2d_shape& s, const typename Dot::element* in,
                                             const std::byte* packed, const To& to, Out* out) {
  const strides by = strides_of(s);
  constexpr int width = Dot::lanes * Dot::k_group;
  constexpr int rows = Dot::depthwise_rows;
  const int steps = s.kernel_h * ceil_div(s.kernel_w, Dot::k_group);
  const int out_h = s.out_h(), out_w = s.out_w();
  const block_layout<Dot> layout{Dot::k_group, static_cast<std::size_t>(steps)};
  for (int first = 0; first < s.out_channels; first += width, packed += layout.bytes()) {
    const int used = std::min(width, s.out_channels - first);
    for (int y = 0; y < out_h; ++y) {
      const typename Dot::element* from = in + y * by.y + first;
      Out* to_row = out + std::ptrdiff_t{y} * out_w * by.out + first;
      int x = 0;
      for (; x + rows <= out_w; x += rows) {
        depthwise_tile<Dot, rows>(from + x * by.x, s, by, packed, to, to_row + x * by.out, used);
      }
      for (; x < out_w; ++x) {
        depthwise_tile<Dot, 1>(from + x * by.x, s, by, packed, to, to_row + x * by.out, used);
      }
    }
  }
}

}  // namespace ctq::kernels::simd
