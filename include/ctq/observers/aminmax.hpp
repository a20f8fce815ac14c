// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/xsimd.hpp"

// Minimum and maximum of floats in one pass.

namespace ctq::observers {

/// Minimum and maximum of the observed values; +inf and -inf before the first. NaN does not affect
/// min and max; saw_nan records it.
struct extrema {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  bool saw_nan = false;

  [[nodiscard]] constexpr bool observed() const { return !(min > max) || saw_nan; }

  constexpr void merge(const extrema& other) {
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    saw_nan = saw_nan || other.saw_nan;
  }

  friend constexpr bool operator==(const extrema&, const extrema&) = default;
};

/// Merges the extrema of all full blocks of registers. Returns the number of elements processed.
template <kernels::vectorized Isa>
std::size_t aminmax_of_blocks(span<const float> data, extrema& seen) {
  using floats = kernels::batch<Isa, float>;
  constexpr std::size_t lanes = floats::size;
  constexpr std::size_t together = 4;  // hides the latency of a comparison
  constexpr std::size_t block = together * lanes;
  const std::size_t whole = data.size() / block * block;
  if (whole == 0) return 0;
  floats lo[together];
  floats hi[together];
  for (std::size_t j = 0; j < together; ++j) {
    lo[j] = floats(seen.min);
    hi[j] = floats(seen.max);
  }
  auto nan = xsimd::isnan(lo[0]);
  const float* const x = data.data();
  for (std::size_t i = 0; i < whole; i += block) {
    for (std::size_t j = 0; j < together; ++j) {
      const floats v = floats::load_unaligned(x + i + j * lanes);
      lo[j] = kernels::simd::at_most<Isa>(lo[j], v);  // what was seen, if v is NaN
      hi[j] = kernels::simd::at_least<Isa>(hi[j], v);
      nan = nan | xsimd::isnan(v);
    }
  }
  float low[block];
  float high[block];
  for (std::size_t j = 0; j < together; ++j) {
    lo[j].store_unaligned(low + j * lanes);
    hi[j].store_unaligned(high + j * lanes);
  }
  for (std::size_t j = 0; j < block; ++j) seen.merge({low[j], high[j], false});
  seen.saw_nan = xsimd::any(nan);
  return whole;
}

/// As torch.aminmax, except for NaN. Independent of the order of elements: -0 counts as 0.
template <class Isa = isa::native>
[[nodiscard]] extrema aminmax(span<const float> data) {
  extrema seen;
  std::size_t i = 0;
  if constexpr (kernels::vectorized<Isa>) i = aminmax_of_blocks<Isa>(data, seen);
  for (; i < data.size(); ++i) seen.merge({data[i], data[i], std::isnan(data[i])});
  seen.min += 0.0F;
  seen.max += 0.0F;
  return seen;
}

/// The same, ignoring infinite elements.
[[nodiscard]] inline extrema finite_aminmax(span<const float> data) {
  extrema seen;
  for (const float x : data)
    if (!std::isinf(x)) seen.merge({x, x, std::isnan(x)});
  return seen;
}

}  // namespace ctq::observers
