// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/compat.hpp"
#include "ctq/observers/aminmax.hpp"

// Bins that are a power of two wide and begin at a multiple of it. A wider grid only joins two
// neighbours to one, so whatever was counted before is counted right.

namespace ctq::observers {

/// Bin i holds the values of [i, i + 1) * 2^exponent; the first that is used is number first. Its
/// numbers are less than 2²⁴ on either side of zero, so float32 has them all.
struct power_of_two_grid {
  int exponent{};
  std::int64_t first{};

  [[nodiscard]] static std::int64_t index(float x, int exponent) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(x), -exponent)));
  }

  /// The finest grid on which [min, max] takes at most that many bins, and whose bins are not finer
  /// than float32 is at the larger end. It depends on nothing else, and is never finer for a wider
  /// range.
  /// Requires  finite min <= max, bins >= 2
  [[nodiscard]] static power_of_two_grid of(float min, float max, std::size_t bins) {
    constexpr int finest = -149;  // of a denormal
    const float largest = std::max(-min, max);
    int e = largest == 0.0F ? finest : std::max(std::ilogb(largest) - 23, finest);
    while (index(max, e) - index(min, e) >= static_cast<std::int64_t>(bins)) ++e;
    return {e, index(min, e)};
  }

  /// Where bin i of this grid lies in a grid that is as wide or wider, counted from its first.
  [[nodiscard]] std::size_t place_in(const power_of_two_grid& wider, std::size_t i) const {
    const int halvings = std::min(wider.exponent - exponent, 62);
    const std::int64_t index = (first + static_cast<std::int64_t>(i)) >> halvings;
    return static_cast<std::size_t>(index - wider.first);
  }

  friend bool operator==(const power_of_two_grid&, const power_of_two_grid&) = default;
};

/// Says a bin_counter where values of [min, max] lie on a grid; all others are left out.
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

  /// Multiplying by a power of two is exact but near zero, where what is left of a negative number
  /// may be 0: that one is in bin -1.
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
