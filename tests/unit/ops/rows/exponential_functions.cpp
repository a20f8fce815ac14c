// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/exponential_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "ops/rows/formula_cases.hpp"

using namespace formula_cases;
using double_lanes::value_of;
namespace functions = ctq::descriptors::functions;

namespace {

constexpr double_lanes::sigmoid sigmoid;
constexpr double_lanes::tanh tanh_formula;
constexpr double_lanes::elu elu{1.0, 0.5, 1.0};   // of alpha 0.5
constexpr double_lanes::elu celu{1.0, 2.0, 2.0};  // CELU of alpha 2

}  // namespace

TEST_CASE("functions are as exact as a float can be") {
  check_values(sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check_values(tanh_formula, [](double x) { return std::tanh(x); });
  check_values(elu, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); });
  check_values(celu, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
  check_values(double_lanes::exp_from{}, [](double x) { return std::exp(x); });
}

TEST_CASE("tanh and ELU of small numbers have all digits") {
  for (float x = 1.0F; x > 1e-37F; x /= 3) {
    CAPTURE(x);
    const auto wide = static_cast<double>(x);
    CHECK(has_all_digits(functions::tanh(x), std::tanh(wide)));
    CHECK(has_all_digits(functions::tanh(-x), std::tanh(-wide)));
    CHECK(value_of(x, elu) == x);
    CHECK(has_all_digits(value_of(-x, elu), 0.5 * std::expm1(-wide)));
  }
}

TEST_CASE("functions of large numbers are their limits, of NaN NaN") {
  for (const float large : {88.0F, 800.0F, largest, infinity}) {
    CAPTURE(large);
    CHECK(functions::sigmoid(large) == 1.0F);
    CHECK(functions::sigmoid(-large) < 1e-38F);
    CHECK(functions::tanh(large) == 1.0F);
    CHECK(functions::tanh(-large) == -1.0F);
    CHECK(value_of(large, elu) == large);
    CHECK(value_of(-large, elu) == -0.5F);
    CHECK(value_of(-large, double_lanes::elu{1.0, -1.0, -1.0}) < -1e37F);
  }
  CHECK(functions::sigmoid(-infinity) == 0.0F);
  CHECK((functions::exp(-infinity) == 0.0F && functions::exp(infinity) == infinity));
  for (float (*f)(float) : {functions::exp, functions::sigmoid, functions::tanh})
    CHECK(std::isnan(f(not_a_number)));
  CHECK(std::isnan(value_of(not_a_number, elu)));
}

TEST_CASE("rows of any length have the bits of their numbers") {
  check_rows(sigmoid);
  check_rows(tanh_formula);
  check_rows(elu);
  check_rows(celu);
  check_rows(double_lanes::exp_from{0.5F});
}

TEST_CASE("exp of a row is relative to an origin") {
  const std::vector<float> x{3, 2.5F, -1, 3, -100, -infinity, 0, 1, not_a_number};
  std::vector<float> y(x.size());
  double_lanes::for_row<ctq::isa::native>(x.data(), x.size(), y.data(),
                                          double_lanes::exp_from{3.0F});
  CHECK((y[0] == 1.0F && y[3] == 1.0F && y[5] == 0.0F));
  for (std::size_t i = 0; i < 8; ++i) {
    const double wanted = std::exp(static_cast<double>(x[i]) - 3.0);
    CHECK(std::abs(static_cast<double>(y[i]) - wanted) <= 0x1.1p-24 * wanted + 0x1p-149);
  }
  CHECK(std::isnan(y[8]));
}
