// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// Sums that do not become bytes: rows of them, as registers leave them, as outputs.

namespace ctq::kernels::simd {

/// Sums of a row in the order of their lanes, as outputs in the same order.
[[gnu::always_inline]] inline void end_row(const keep_sums&, const std::int32_t* sums, const float*,
                                           int count, std::int32_t* out) noexcept {
  std::memcpy(out, sums, static_cast<std::size_t>(count) * sizeof *out);
}
[[gnu::always_inline]] inline void end_row(const dequantize_sums& e, const std::int32_t* sums,
                                           const float* multiplier, int count,
                                           float* out) noexcept {
  // No product feeds an add.
  for (int i = 0; i < count; ++i) out[i] = static_cast<float>(sums[i]) * multiplier[i];
  if (!e.relu) return;
  for (int i = 0; i < count; ++i) out[i] = out[i] < 0.0F ? 0.0F : out[i];
}

/// The first `count` of N registers of 32 bits, in the order of their channels: neighbours by fours
/// if not all are. Model: a dot_arch or tile_format.
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
  T kept[N * lanes];
  write(kept);
  std::memcpy(out, kept, static_cast<std::size_t>(count) * sizeof(T));
}

/// Rows of sums that do not become bytes, biases included.
template <class Isa, class Model, int N, class Ending>
[[gnu::noinline]] void end_rows(const Ending& ending, const std::int32_t* sums, int rows,
                                const float* multiplier, typename Ending::output* out,
                                std::ptrdiff_t stride, int count) noexcept {
  constexpr int width = N * Model::lanes;
  const Ending e = ending;
  for (; rows > 0; --rows) {
    alignas(64) typename Ending::output row[width];
    end_row(e, sums, multiplier, width, row);
    write_channels<Model, N>(row, out, count);
    sums += width;
    out += stride;
  }
}

}  // namespace ctq::kernels::simd
