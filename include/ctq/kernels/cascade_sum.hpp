// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>

#include "ctq/core/containers/span.hpp"

// Float32 summation in a fixed order.
//
// The order of additions decides the last bits, and these decide near ties: which bins
// HistogramObserver drops, to which integer the mean of integers is rounded. This is the order of
// torch.sum on a CPU with AVX2 (8 lanes, 4 rows at a time, 4 levels of partial sums), used on every
// instruction set, so that ties are decided as in PyTorch. As in pairwise summation, the error
// stays small.
//
// Source  PyTorch 1.13 aten/src/ATen/native/cpu/SumKernel.cpp: the order of additions, verified by
//         comparing sums

namespace ctq::kernels {

/// Groups · Lanes independent sums: sum[g * Lanes + l] = Σ_i x[i * stride + g * group + l], i <
/// count.
template <std::size_t Groups, std::size_t Lanes>
[[gnu::always_inline]] inline void cascade_sums(const float* x, std::size_t stride,
                                                std::size_t group, std::size_t count,
                                                float (&sum)[Groups * Lanes]) {
  constexpr std::size_t levels = 4;
  constexpr std::size_t width = Groups * Lanes;
  const auto log2 = static_cast<unsigned>(count > 1 ? std::bit_width(count - 1) : 0);
  const unsigned of_levels = log2 / static_cast<unsigned>(levels);
  const unsigned power = of_levels > 4 ? of_levels : 4;
  const std::size_t mask = (std::size_t{1} << power) - 1;

  float partial[levels][width]{};
  const auto add = [](float(&to)[width], const float(&from)[width]) __attribute__((always_inline)) {
    for (std::size_t j = 0; j < width; ++j) to[j] += from[j];
  };
  for (std::size_t i = 0; i < count;) {
    for (std::size_t g = 0; g < Groups; ++g)
      for (std::size_t l = 0; l < Lanes; ++l)
        partial[0][g * Lanes + l] += x[i * stride + g * group + l];
    ++i;
    // A full level is added to the next one; if this is full then, it is added to the one after it,
    // and so on.
    for (std::size_t level = 1; level < levels; ++level) {
      if ((i & (mask << ((level - 1) * power))) != 0) break;
      add(partial[level], partial[level - 1]);
      for (float& p : partial[level - 1]) p = 0.0F;
    }
  }
  for (std::size_t level = 1; level < levels; ++level) add(partial[0], partial[level]);
  for (std::size_t j = 0; j < width; ++j) sum[j] = partial[0][j];
}

/// Sums rows of Lanes floats, lane by lane; rows start `stride` floats apart.
template <std::size_t Lanes>
[[gnu::always_inline]] inline void cascade_rows(const float* x, std::size_t rows,
                                                float (&sum)[Lanes], std::size_t stride = Lanes) {
  constexpr std::size_t together = 4;  // rows in independent partial sums
  const std::size_t count = rows / together;
  float sums[together * Lanes];
  cascade_sums<together, Lanes>(x, together * stride, stride, count, sums);
  for (std::size_t j = 0; j < Lanes; ++j) sum[j] = sums[j];
  for (std::size_t row = count * together; row < rows; ++row)
    for (std::size_t j = 0; j < Lanes; ++j) sum[j] += x[row * stride + j];
  for (std::size_t row = 1; row < together; ++row)
    for (std::size_t j = 0; j < Lanes; ++j) sum[j] += sums[row * Lanes + j];
}

/// The sum of contiguous floats.
[[nodiscard, gnu::always_inline]] inline float cascade_sum(span<const float> x) {
  constexpr std::size_t lanes = 8;
  if (x.size() < lanes) {
    float sum[1];
    cascade_rows(x.data(), x.size(), sum);
    return sum[0];
  }
  float sums[lanes];
  const std::size_t rows = x.size() / lanes;
  cascade_rows(x.data(), rows, sums);
  float total = 0.0F;
  for (std::size_t i = rows * lanes; i < x.size(); ++i) total += x[i];
  for (const float s : sums) total += s;
  return total;
}

}  // namespace ctq::kernels
