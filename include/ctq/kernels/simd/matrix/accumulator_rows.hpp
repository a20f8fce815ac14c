// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/unroll.hpp"

// Stores rows of accumulators that are not requantized.

namespace ctq::kernels::simd {

/// Stores the first `count` values of N registers of 32-bit lanes in channel order. Lanes are
/// contiguous channels, at least four at a time. Model: a dot_arch or tile_format.
template <class Model, int N, class T>
[[gnu::always_inline]] inline void write_channels(const T* from, T* out, int count) noexcept {
  constexpr int lanes = Model::lanes;
  constexpr int run = Model::column(N, 0, lanes - 1) == lanes - 1 ? lanes : 4;
  const auto write = [&](T * to) __attribute__((always_inline)) {
    unroll<N * lanes / run>([&](auto i) __attribute__((always_inline)) {
      constexpr int first = i * run;
      std::memcpy(to + Model::column(N, first / lanes, first % lanes), from + first,
                  run * sizeof(T));
    });
  };
  if (count >= N * lanes) return write(out);
  T buffer[N * lanes];
  write(buffer);
  std::memcpy(out, buffer, static_cast<std::size_t>(count) * sizeof(T));
}

/// Stores rows of accumulators, biases included, as int32.
template <class Isa, class Model, int N>
[[gnu::noinline]] void store_accumulator_rows(const std::int32_t* accumulators, int rows,
                                              std::int32_t* out, std::ptrdiff_t stride,
                                              int count) noexcept {
  for (; rows > 0; --rows) {
    write_channels<Model, N>(accumulators, out, count);
    accumulators += N * Model::lanes;
    out += stride;
  }
}

}  // namespace ctq::kernels::simd
