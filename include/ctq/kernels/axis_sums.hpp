// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/cascade_sum.hpp"

// Sums over axes in PyTorch's order of additions. Means of dequantized integers are often ties, and
// the last bit of the sum decides to which integer they are rounded.
//
// PyTorch's TensorIterator chooses two inner loops: the reduced axis with the smallest stride, and
// the next one, reduced or kept. Adjacent axes that are contiguous in memory are merged. Outer
// loops add to the partial sums in the output.
//
// Not reproduced: PyTorch's division of sums over more than 32768 elements among threads.
//
// Source  PyTorch 1.13 aten/src/ATen/TensorIterator.cpp, native/cpu/SumKernel.cpp: the order of
//         additions

namespace ctq::kernels {

/// A loop over `count` elements; strides in elements. A reduced axis has stride 0 in the output.
struct sum_loop {
  std::size_t count = 1;
  std::size_t in = 0;
  std::size_t out = 0;
};

/// The loops over a tensor of at most MaxRank axes, the innermost one first; two at least.
template <std::size_t MaxRank>
struct sum_loops {
  sum_loop item[MaxRank + 2]{};
  std::size_t count = 0;
};

/// Reduced axes before kept ones, each in ascending order of strides.
///   extent(axis)   of a tensor whose last axis is the fastest
///   reduced(axis)  whether it is summed
template <std::size_t MaxRank, class Extent, class Reduced>
[[nodiscard, gnu::always_inline]] inline sum_loops<MaxRank> sum_loops_of(std::size_t rank,
                                                                         Extent extent,
                                                                         Reduced reduced) {
  sum_loops<MaxRank> all, kept;
  std::size_t in = 1, out = 1;
  for (std::size_t a = rank; a-- > 0;) {
    const std::size_t count = extent(a);
    if (count == 1) continue;
    sum_loops<MaxRank>& own = reduced(a) ? all : kept;
    sum_loop& last = own.item[own.count == 0 ? 0 : own.count - 1];
    if (own.count > 0 && last.in * last.count == in) {
      last.count *= count;
    } else {
      own.item[own.count++] = {count, in, reduced(a) ? 0 : out};
    }
    in *= count;
    if (!reduced(a)) out *= count;
  }
  if (all.count == 0) all.count = 1;
  for (std::size_t l = 0; l < kept.count; ++l) all.item[all.count++] = kept.item[l];
  if (all.count == 1) all.count = 2;
  return all;
}

/// out[j] += Σ_i x[i * sum.in + j * next.in] for all j of the next loop.
[[gnu::always_inline]] inline void add_sums(const float* x, float* out, const sum_loop& sum,
                                            const sum_loop& next) {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t together = 4;
  std::size_t j = 0;
  const auto add = [&](const float* sums, std::size_t count) __attribute__((always_inline)) {
    for (std::size_t k = 0; k < count; ++k) out[j++ * next.out] += sums[k];
  };
  if (sum.in == 1 && sum.count >= lanes) {
    while (j < next.count) {
      const float row = cascade_sum({x + j * next.in, sum.count});
      add(&row, 1);
    }
  } else if (next.in == 1 && next.count >= lanes) {
    float sums[together * lanes];
    while (j + together * lanes <= next.count) {
      cascade_sums<together, lanes>(x + j, sum.in, lanes, sum.count, sums);
      add(sums, together * lanes);
    }
    float row[lanes];
    while (j + lanes <= next.count) {
      cascade_rows(x + j, sum.count, row, sum.in);
      add(row, lanes);
    }
  } else if (sum.in >= next.in) {
    float sums[together];
    while (j + together <= next.count) {
      cascade_sums<together, 1>(x + j * next.in, sum.in, next.in, sum.count, sums);
      add(sums, together);
    }
  }
  float one[1];
  while (j < next.count) {
    cascade_rows(x + j * next.in, sum.count, one, sum.in);
    add(one, 1);
  }
}

/// Adds to `out`, row-major over the kept axes, the sums over the others, in the order of PyTorch
/// 1.13 on one thread. No extent is 0.
template <std::size_t MaxRank>
[[gnu::always_inline]] inline void add_axis_sums(const sum_loops<MaxRank>& loops, const float* in,
                                                 float* out) {
  std::size_t at[MaxRank + 2]{};
  std::size_t from = 0, to = 0;
  for (std::size_t l = 0; l < loops.count;) {
    add_sums(in + from, out + to, loops.item[0], loops.item[1]);
    for (l = 2; l < loops.count; ++l) {
      const sum_loop& loop = loops.item[l];
      from += loop.in;
      to += loop.out;
      if (++at[l] < loop.count) break;
      from -= loop.in * loop.count;
      to -= loop.out * loop.count;
      at[l] = 0;
    }
  }
}

}  // namespace ctq::kernels
