// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/double_lanes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

using namespace ctq::descriptors::functions;

namespace {

double exp_of(double x) { return double_lanes::exp<double_lanes::one>(x); }

struct plus_one {
  template <class Lanes, class Doubles>
  Doubles operator()(std::type_identity<Lanes>, const Doubles& x) const {
    return x + 1.0;
  }
};

}  // namespace

TEST_CASE("a polynomial begins with its highest power") {
  CHECK(double_lanes::polynomial<double_lanes::one>(4.0, 2.0, -3.0, 5.0) == 2 * 16 - 3 * 4 + 5);
}

TEST_CASE("exp has ten digits, wherever the result is a normal number") {
  for (int i = -69900; i <= 69900; ++i) {
    const double x = static_cast<double>(i) * 0.01;
    CAPTURE(x);
    CHECK(std::abs(exp_of(x) / std::exp(x) - 1) < 5e-11);
  }
  CHECK(exp_of(0.0) == 1.0);
}

TEST_CASE("exp less 1 has nine digits, near 0, too") {
  const auto check = [](double x) {
    CAPTURE(x);
    CHECK(std::abs(double_lanes::expm1<double_lanes::one>(x) / std::expm1(x) - 1) < 6e-10);
  };
  for (int i = 1; i <= 69900; ++i) {
    check(static_cast<double>(i) * 0.01);
    check(static_cast<double>(i) * -0.01);
  }
  for (double x = 0.01; x > 1e-300; x /= 7) {
    check(x);
    check(-x);
  }
  CHECK(double_lanes::expm1<double_lanes::one>(0.0) == 0.0);
}

TEST_CASE("beyond, exp is 0 or infinite; NaN stays NaN") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK((exp_of(-701.0) == 0.0 && exp_of(-1e300) == 0.0 && exp_of(-infinity) == 0.0));
  CHECK((exp_of(701.0) == infinity && exp_of(1e300) == infinity && exp_of(infinity) == infinity));
  CHECK(std::isnan(exp_of(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("a register has the bits of its lanes") {
  using lanes = registers_of<ctq::isa::native>;
  constexpr std::size_t width = sizeof(lanes::doubles) / sizeof(double);
  for (int first = -720; first < 720; ++first) {
    lanes::doubles x{};
    for (std::size_t l = 0; l < width; ++l) x[l] = first + static_cast<double>(l) * 0.37;
    const lanes::doubles y = double_lanes::exp<lanes>(x);
    for (std::size_t l = 0; l < width; ++l) CHECK(y[l] == exp_of(x[l]));
  }
}

TEST_CASE("a row of any length is computed, and nothing behind it") {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U}) {
    std::vector<float> x(count + 1, 2.0F), y(count + 1, -1.0F);
    double_lanes::for_row<ctq::isa::native, plus_one>(x.data(), count, y.data());
    CHECK(y.back() == -1.0F);
    y.pop_back();
    CHECK(y == std::vector<float>(count, 3.0F));
  }
  CHECK(double_lanes::value_of<plus_one>(0.5F) == 1.5F);
}
