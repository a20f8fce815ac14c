// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

// Float32 sums in one fixed order.
//
// Near a tie the order of the additions decides: which bins HistogramObserver drops, to which step
// the mean of integers is rounded. This is the order of torch.sum on a CPU with AVX2 (8 lanes, 4
// rows at a time, 4 levels of partial sums), so the same side of a tie is taken, here on every
// instruction set. As pairwise sums do, it keeps the error small.
//
// Source  PyTorch 1.13 aten/src/ATen/native/cpu/SumKernel.cpp: what is added to what, found again
//         by comparing sums

namespace ctq::kernels {

/// Groups · Lanes sums side by side: sum[g * Lanes + l] = Σ_i x[i * step + g * group + l].
template <std::size_t Groups, std::size_t Lanes>
void cascade_steps(const float* x, std::size_t step, std::size_t group, std::size_t steps,
                   float (&sum)[Groups * Lanes]) {
  constexpr std::size_t levels = 4;
  constexpr std::size_t width = Groups * Lanes;
  const auto log2 = static_cast<unsigned>(steps > 1 ? std::bit_width(steps - 1) : 0);
  const unsigned power = std::max(4U, log2 / static_cast<unsigned>(levels));
  const std::size_t mask = (std::size_t{1} << power) - 1;

  float partial[levels][width]{};
  const auto add = [](float(&to)[width], const float(&from)[width]) {
    for (std::size_t j = 0; j < width; ++j) to[j] += from[j];
  };
  for (std::size_t i = 0; i < steps;) {
    for (std::size_t g = 0; g < Groups; ++g)
      for (std::size_t l = 0; l < Lanes; ++l)
        partial[0][g * Lanes + l] += x[i * step + g * group + l];
    ++i;
    // A full level moves up, and carries on while the next one is full too.
    for (std::size_t level = 1; level < levels; ++level) {
      if ((i & (mask << ((level - 1) * power))) != 0) break;
      add(partial[level], partial[level - 1]);
      std::fill_n(partial[level - 1], width, 0.0F);
    }
  }
  for (std::size_t level = 1; level < levels; ++level) add(partial[0], partial[level]);
  std::copy_n(partial[0], width, sum);
}

/// Adds up rows of Lanes floats, lane by lane; rows begin `stride` floats apart.
template <std::size_t Lanes>
void cascade_rows(const float* x, std::size_t rows, float (&sum)[Lanes],
                  std::size_t stride = Lanes) {
  constexpr std::size_t together = 4;  // rows added side by side
  const std::size_t steps = rows / together;
  float sums[together * Lanes];
  cascade_steps<together, Lanes>(x, together * stride, stride, steps, sums);
  std::copy_n(sums, Lanes, sum);
  for (std::size_t row = steps * together; row < rows; ++row)
    for (std::size_t j = 0; j < Lanes; ++j) sum[j] += x[row * stride + j];
  for (std::size_t row = 1; row < together; ++row)
    for (std::size_t j = 0; j < Lanes; ++j) sum[j] += sums[row * Lanes + j];
}

/// Σ of floats that lie side by side.
[[nodiscard]] inline float cascade_sum(std::span<const float> x) {
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
