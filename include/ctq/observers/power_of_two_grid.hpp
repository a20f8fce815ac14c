// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/xsimd.hpp"
#include "ctq/observers/aminmax.hpp"

// Histogram bins whose width is a power of two and whose edges are multiples of it. Coarsening
// merges pairs of adjacent bins, so earlier counts remain exact.

namespace ctq::observers {

/// Bin i covers [i, i + 1) * 2^exponent; `first` is the first bin in use. |i| < 2²⁴, so float32
/// represents every i.
struct power_of_two_grid {
  int exponent{};
  std::int64_t first{};

  [[nodiscard]] static std::int64_t index(float x, int exponent) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(x), -exponent)));
  }

  /// The finest grid on which [min, max] takes at most `bins` bins and which is not finer than the
  /// float32 spacing at the larger end. Depends on nothing else, and is never finer for a wider
  /// range.
  /// Requires  finite min <= max, bins >= 2
  [[nodiscard]] static power_of_two_grid of(float min, float max, std::size_t bins) {
    constexpr int finest = -149;  // of the smallest denormal
    const float largest = std::max(-min, max);
    int e = largest == 0.0F ? finest : std::max(std::ilogb(largest) - 23, finest);
    while (index(max, e) - index(min, e) >= static_cast<std::int64_t>(bins)) ++e;
    return {e, index(min, e)};
  }

  /// The bin of a grid of equal or greater width that contains bin i, relative to its first.
  [[nodiscard]] std::size_t bin_in(const power_of_two_grid& wider, std::size_t i) const {
    const int halvings = std::min(wider.exponent - exponent, 62);
    const std::int64_t index = (first + static_cast<std::int64_t>(i)) >> halvings;
    return static_cast<std::size_t>(index - wider.first);
  }

  friend bool operator==(const power_of_two_grid&, const power_of_two_grid&) = default;
};

/// Rule of bin_counter for values in [min, max] on a grid; others are ignored.
class power_of_two_rule {
 public:
  power_of_two_rule(const power_of_two_grid& grid, std::size_t bins, float min, float max)
      : grid_(grid),
        bins_(bins),
        min_(min),
        max_(max),
        // 2¹⁴⁹ is too large for float32: two factors.
        factor_{std::ldexp(1.0F, -(grid.exponent / 2)),
                std::ldexp(1.0F, -(grid.exponent - grid.exponent / 2))} {}

  [[nodiscard]] std::size_t operator()(float x) const {
    if (!(x >= min_ && x <= max_)) return bins_;
    return static_cast<std::size_t>(grid_.index(x, grid_.exponent) - grid_.first);
  }

  /// Multiplication by a power of two is exact except for underflow, where a negative value may
  /// become 0: it belongs to bin -1.
  template <kernels::vectorized Isa>
  [[nodiscard, gnu::always_inline]] kernels::batch<Isa, std::int32_t> at(
      kernels::batch<Isa, float> x) const {
    using floats = kernels::batch<Isa, float>;
    const floats zero(0.0F);
    const floats scaled = x * floats(factor_[0]) * floats(factor_[1]);
    floats index = xsimd::floor(scaled);
    index = xsimd::select((x < zero) & (scaled == zero), floats(-1.0F), index);
    const floats position = index - floats(static_cast<float>(grid_.first));
    const auto counted = (x >= floats(min_)) & (x <= floats(max_));
    return xsimd::to_int(xsimd::select(counted, position, floats(static_cast<float>(bins_))));
  }

 private:
  power_of_two_grid grid_;
  std::size_t bins_;
  float min_, max_;
  float factor_[2];
};

}  // namespace ctq::observers
