// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/smooth_activations.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "ops/rows/formula_cases.hpp"

using namespace formula_cases;
using double_lanes::value_of;

namespace {

constexpr double_lanes::gelu gelu;
constexpr double_lanes::gelu_tanh gelu_tanh;
constexpr double_lanes::silu silu;
constexpr double_lanes::mish mish;

double exact_mish(double x) { return x * std::tanh(std::log1p(std::exp(x))); }

template <class Formula>
void check_limits(Formula f) {
  CHECK(value_of(30.0F, f) == 30.0F);
  CHECK(value_of(largest, f) == largest);
  CHECK(value_of(-largest, f) == 0.0F);
  CHECK(value_of(infinity, f) == infinity);
  CHECK(std::isnan(value_of(-infinity, f)));
  CHECK(std::isnan(value_of(not_a_number, f)));
  CHECK((value_of(-0.0F, f) == 0.0F && std::signbit(value_of(-0.0F, f))));
}

}  // namespace

TEST_CASE("activations are as exact as a float can be") {
  check_values(gelu, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); });
  check_values(gelu_tanh, [](double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
  });
  check_values(silu, [](double x) { return x / (1 + std::exp(-x)); });
  check_values(mish, exact_mish);
}

TEST_CASE("mish of small numbers has all digits") {
  for (float x = 1.0F; x > 1e-37F; x /= 3) {
    CAPTURE(x);
    CHECK(has_all_digits(value_of(x, mish), exact_mish(static_cast<double>(x))));
    CHECK(has_all_digits(value_of(-x, mish), exact_mish(-static_cast<double>(x))));
  }
  CHECK(ctq::descriptors::functions::mish(0.5F) == value_of(0.5F, mish));
}

TEST_CASE("numbers that are large, infinite or none are as in PyTorch") {
  check_limits(gelu);
  check_limits(gelu_tanh);
  check_limits(silu);
  check_limits(mish);
}

TEST_CASE("rows of any length have the bits of their numbers") {
  check_rows(gelu);
  check_rows(gelu_tanh);
  check_rows(silu);
  check_rows(mish);
}
