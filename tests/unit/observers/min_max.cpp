// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/min_max.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace {

using ctq::qparams;
using ctq::observers::extrema;
using ctq::observers::min_max;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("min_max gives the range of all observed values") {
  min_max o({});
  CHECK(!o.observed());
  CHECK(*o.calculate_qparams() == qparams{1.0F, 0, 0, 255});
  o.observe({});
  CHECK(!o.observed());
  o.observe(std::vector{0.5F, 1.55F});
  o.observe(std::vector{-1.0F});
  o.observe(std::vector{0.25F});
  CHECK(o.observed());
  CHECK(o.seen() == extrema{-1.0F, 1.55F, false});
  CHECK(*o.calculate_qparams() == qparams{2.55F / 255.0F, 100, 0, 255});
}

TEST_CASE("min_max records NaN") {
  min_max o({});
  o.observe(std::vector{nan});
  CHECK(o.observed());
  CHECK(!o.calculate_qparams());
  o.observe(std::vector{1.0F});
  CHECK(o.calculate_qparams().error().cause == "the observed values include NaN");
}

}  // namespace
