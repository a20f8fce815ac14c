// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "ctq/ops/rows/double_lanes.hpp"

// What every formula of double_lanes has to give.

namespace formula_cases {

namespace double_lanes = ctq::descriptors::functions::double_lanes;

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float largest = std::numeric_limits<float>::max();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Between -12 and 12 within a unit of 2^-24 of what is wanted, or of 1.
template <class Formula, class Wanted>
void check_values(Formula f, Wanted wanted) {
  for (int i = -12288; i <= 12288; ++i) {
    const float x = static_cast<float>(i) / 1024.0F;
    const double exact = wanted(static_cast<double>(x));
    CAPTURE(x);
    CHECK(std::abs(static_cast<double>(double_lanes::value_of(x, f)) - exact) <=
          0x1.1p-24 * std::fmax(1, std::abs(exact)));
  }
}

/// The bits of rows are those of numbers alone, in registers of any size, in place, too.
template <class Formula>
void check_rows(Formula f) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U}) {
    std::vector<float> x(count), y(count + 1, -1.0F);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) / 8.0F - 6.5F;
    double_lanes::for_row<ctq::isa::native>(x.data(), count, y.data(), f);
    std::vector<float> narrow = x;
    double_lanes::for_row<ctq::isa::scalar>(narrow.data(), count, narrow.data(), f);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(y[i] == double_lanes::value_of(x[i], f));
      CHECK(narrow[i] == y[i]);
    }
    CHECK(y[count] == -1.0F);
  }
}

/// Whether a float has all digits of a number.
[[nodiscard]] inline bool has_all_digits(float y, double exact) {
  return std::abs(static_cast<double>(y) / exact - 1) < 0x1.1p-24;
}

}  // namespace formula_cases
