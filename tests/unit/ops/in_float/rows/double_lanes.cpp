// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/rows/double_lanes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace ctq::descriptors::functions;

namespace {

double exp_of(double x) { return double_lanes::exp<double_lanes::one>(x); }

}  // namespace

TEST_CASE("a polynomial begins with its highest power") {
  constexpr double factor[] = {2, -3, 5};
  CHECK(double_lanes::polynomial<double_lanes::one>(4.0, factor) == 2 * 16 - 3 * 4 + 5);
}

TEST_CASE("exp has ten digits, wherever the result is a normal number") {
  for (int i = -69900; i <= 69900; ++i) {
    const double x = static_cast<double>(i) * 0.01;
    CAPTURE(x);
    CHECK(std::abs(exp_of(x) / std::exp(x) - 1) < 5e-11);
  }
  CHECK(exp_of(0.0) == 1.0);
}

TEST_CASE("beyond, exp is 0 or infinite; NaN stays NaN") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK((exp_of(-701.0) == 0.0 && exp_of(-1e300) == 0.0 && exp_of(-infinity) == 0.0));
  CHECK((exp_of(701.0) == infinity && exp_of(1e300) == infinity && exp_of(infinity) == infinity));
  CHECK(std::isnan(exp_of(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("a register has the bits of its lanes") {
  using lanes = double_lanes::of_isa<ctq::isa::native>;
  constexpr std::size_t width = sizeof(lanes::doubles) / sizeof(double);
  for (int first = -720; first < 720; ++first) {
    lanes::doubles x{};
    for (std::size_t l = 0; l < width; ++l) x[l] = first + static_cast<double>(l) * 0.37;
    const lanes::doubles y = double_lanes::exp<lanes>(x);
    for (std::size_t l = 0; l < width; ++l) CHECK(y[l] == exp_of(x[l]));
  }
}
