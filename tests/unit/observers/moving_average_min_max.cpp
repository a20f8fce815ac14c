// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/moving_average_min_max.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace {

using ctq::observers::extrema;
using ctq::observers::moving_average_min_max;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("the first batch sets the range, the next ones move it") {
  moving_average_min_max o({.averaging_constant = 0.25});
  CHECK(!o.observed());
  o.observe(std::vector{-1.0F, 2.0F});
  CHECK(o.seen() == extrema{-1.0F, 2.0F, false});
  o.observe(std::vector{-3.0F, 1.0F});
  CHECK(o.seen() == extrema{-1.5F, 1.75F, false});
  o.observe({});
  CHECK(o.seen() == extrema{-1.5F, 1.75F, false});
}

TEST_CASE("the constant and each operation are rounded to float32") {
  moving_average_min_max o({});
  o.observe(std::vector{0.0F, 1.0F});
  o.observe(std::vector{0.0F, 4.0F});
  const float moved = 3.0F * static_cast<float>(0.01);
  CHECK(o.seen().max == 1.0F + moved);
}

TEST_CASE("an averaging constant of 1 keeps the last batch only") {
  moving_average_min_max o({.averaging_constant = 1.0});
  o.observe(std::vector{-8.0F, 8.0F});
  o.observe(std::vector{-1.0F, 2.0F});
  CHECK(o.seen() == extrema{-1.0F, 2.0F, false});
}

TEST_CASE("NaN, and infinity once averaged, are errors") {
  moving_average_min_max o({});
  o.observe(std::vector{0.0F, nan});
  CHECK(!o.calculate_qparams());
  moving_average_min_max p({});
  p.observe(std::vector{0.0F, inf});
  p.observe(std::vector{0.0F, 1.0F});
  p.observe(std::vector{0.0F, 1.0F});
  CHECK(p.observed());
  CHECK(!p.calculate_qparams());
}

}  // namespace
