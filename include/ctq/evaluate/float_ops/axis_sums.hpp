// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/kernels/cascade_sum.hpp"

// Sums over axes in PyTorch's order of additions. Means of dequantized integers are often ties, and
// the last bit of the sum decides to which integer they are rounded.
//
// PyTorch's TensorIterator chooses two inner loops: the reduced axis with the smallest stride, and
// the next one, reduced or kept. Adjacent axes that are contiguous in memory are merged. Outer
// loops add to the partial sums in the output.
//
// Not reproduced: PyTorch's division of sums over more than 32768 elements among threads.

namespace ctq::float_ops {

namespace summing {

/// A loop over `count` elements; strides in elements. A reduced axis has stride 0 in the output.
struct loop {
  std::size_t count = 1;
  std::size_t in = 0;
  std::size_t out = 0;
};

/// Reduced axes before kept ones, each in ascending order of strides.
[[nodiscard]] inline std::vector<loop> loops_of(const extents& shape,
                                                const std::vector<bool>& summed) {
  std::vector<loop> loops[2];  // kept, summed
  std::size_t in = 1;
  std::size_t out = 1;
  for (std::size_t a = shape.size(); a-- > 0;) {
    const auto count = static_cast<std::size_t>(shape[a]);
    if (count == 1) continue;
    std::vector<loop>& own = loops[summed[a] ? 1 : 0];
    if (!own.empty() && own.back().in * own.back().count == in)
      own.back().count *= count;
    else
      own.push_back({count, in, summed[a] ? 0 : out});
    in *= count;
    if (!summed[a]) out *= count;
  }
  std::vector<loop> all = std::move(loops[1]);
  if (all.empty()) all.push_back({});
  all.insert(all.end(), loops[0].begin(), loops[0].end());
  if (all.size() == 1) all.push_back({});
  return all;
}

/// out[j] += Σ_i x[i * sum.in + j * next.in] for all j of the next loop.
inline void add_sums(const float* x, float* out, const loop& sum, const loop& next) {
  using kernels::cascade_rows;
  using kernels::cascade_sums;
  constexpr std::size_t lanes = 8;
  constexpr std::size_t together = 4;
  std::size_t j = 0;
  const auto add = [&](const float* sums, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) out[j++ * next.out] += sums[k];
  };
  if (sum.in == 1 && sum.count >= lanes) {
    while (j < next.count) {
      const float row = kernels::cascade_sum({x + j * next.in, sum.count});
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

}  // namespace summing

/// The sum over the axes whose `summed` is true, in the order of PyTorch 1.13 on one thread. The
/// result is row-major over the kept axes.
[[nodiscard]] inline std::vector<float> axis_sums(const tensor& in,
                                                  const std::vector<bool>& summed) {
  std::size_t kept = 1;
  for (std::size_t a = 0; a < in.shape.size(); ++a)
    if (!summed[a]) kept *= static_cast<std::size_t>(in.shape[a]);
  std::vector<float> out(kept, 0.0F);
  if (in.data.empty()) return out;
  const std::vector<summing::loop> loops = summing::loops_of(in.shape, summed);
  std::vector<std::size_t> at(loops.size(), 0);
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t l = 0; l < loops.size();) {
    summing::add_sums(in.data.data() + from, out.data() + to, loops[0], loops[1]);
    for (l = 2; l < loops.size(); ++l) {
      from += loops[l].in;
      to += loops[l].out;
      if (++at[l] < loops[l].count) break;
      from -= loops[l].in * loops[l].count;
      to -= loops[l].out * loops[l].count;
      at[l] = 0;
    }
  }
  return out;
}

}  // namespace ctq::float_ops
