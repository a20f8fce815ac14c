// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// Stores rows of accumulators that are not requantized: as int32, or dequantized to float32.

namespace ctq::kernels::simd {

/// Converts a row of accumulators, in lane order, to outputs in the same order.
[[gnu::always_inline]] inline void convert_row(const store_accumulators&,
                                               const std::int32_t* accumulators, const float*,
                                               int count, std::int32_t* out) noexcept {
  std::memcpy(out, accumulators, static_cast<std::size_t>(count) * sizeof *out);
}
[[gnu::always_inline]] inline void convert_row(const dequantize_accumulators& e,
                                               const std::int32_t* accumulators,
                                               const float* multiplier, int count,
                                               float* out) noexcept {
  // No addition follows, so there is nothing to contract to an fma.
  for (int i = 0; i < count; ++i) out[i] = static_cast<float>(accumulators[i]) * multiplier[i];
  if (!e.relu) return;
  for (int i = 0; i < count; ++i) out[i] = out[i] < 0.0F ? 0.0F : out[i];
}

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

/// Stores rows of accumulators, biases included, that are not requantized.
template <class Isa, class Model, int N, class OutputOp>
[[gnu::noinline]] void store_accumulator_rows(const OutputOp& output_op,
                                              const std::int32_t* accumulators, int rows,
                                              const float* multiplier,
                                              typename OutputOp::output* out, std::ptrdiff_t stride,
                                              int count) noexcept {
  constexpr int width = N * Model::lanes;
  const OutputOp e = output_op;
  for (; rows > 0; --rows) {
    alignas(64) typename OutputOp::output row[width];
    convert_row(e, accumulators, multiplier, width, row);
    write_channels<Model, N>(row, out, count);
    accumulators += width;
    out += stride;
  }
}

}  // namespace ctq::kernels::simd
