// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

// The smallest and the largest value of some floats, in one pass.

namespace ctq::observers {

/// Minimum and maximum of what was seen; +inf and -inf before anything was. NaN never enters
/// min and max: it is remembered beside them.
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

/// As torch.aminmax, but for NaN. The lanes let a compiler use SIMD without reordering anything
/// that matters: minimum and maximum do not depend on the order.
[[nodiscard]] inline extrema aminmax(std::span<const float> data) {
  constexpr std::size_t lanes = 32;
  float lo[lanes];
  float hi[lanes];
  int nan[lanes]{};
  for (std::size_t j = 0; j < lanes; ++j) {
    lo[j] = std::numeric_limits<float>::infinity();
    hi[j] = -std::numeric_limits<float>::infinity();
  }
  const float* x = data.data();
  const std::size_t whole = data.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) {
      const float v = x[i + j];
      lo[j] = v < lo[j] ? v : lo[j];
      hi[j] = v > hi[j] ? v : hi[j];
      nan[j] |= v != v ? 1 : 0;
    }
  }
  extrema seen;
  for (std::size_t j = 0; j < lanes; ++j) seen.merge({lo[j], hi[j], nan[j] != 0});
  for (std::size_t i = whole; i < data.size(); ++i) seen.merge({x[i], x[i], std::isnan(x[i])});
  return seen;
}

/// The same without the infinite elements.
[[nodiscard]] inline extrema finite_aminmax(std::span<const float> data) {
  extrema seen;
  for (const float x : data)
    if (!std::isinf(x)) seen.merge({x, x, std::isnan(x)});
  return seen;
}

}  // namespace ctq::observers
